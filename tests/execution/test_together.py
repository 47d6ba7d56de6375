"""Nodes in one pass: what comes out is what comes out of them one by one, to the last bit."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rasterio.transform import Affine

from knowflow.execution.cache import Cache
from knowflow.execution.grouping import Grouping
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.run_store import edit
from knowflow.execution.scheduler import execute, resume
from knowflow.graph import fusing
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow
from knowflow.reason.inventory import read_artifact
from knowflow.tools.raster import chains as chaining

UTM = Affine(10.0, 0.0, 500_000.0, 0.0, -10.0, 5_100_000.0)
REFLECTANCE = "surface_bidirectional_reflectance"


@cache
def tools() -> Mapping[str, ToolSchema]:
    return load_catalogue().tools


def drawn(path: Path, values: np.ndarray, *, nodata: float | None, tags: Mapping[str, str], **more: Any) -> Artifact:
    profile = {
        "driver": "GTiff",
        "height": values.shape[0],
        "width": values.shape[1],
        "count": 1,
        "dtype": values.dtype,
        "nodata": nodata,
        "transform": UTM,
        "crs": "EPSG:32633",
        **more,
    }
    with rasterio.open(path, "w", **profile) as file:
        file.write(values, 1)
        file.update_tags(**tags)
        if values.dtype == np.uint16:
            file.scales = (1e-4,)
    return read_artifact(path, "raster")


def scene(folder: Path, shape: tuple[int, int], seed: int, **more: Any) -> dict[str, Artifact]:
    """Two bands with gaps and a mask of clouds that is itself not known everywhere."""
    random = np.random.default_rng(seed)
    found = {}
    for band, base in (("red", 900), ("nir", 2800)):
        values = random.normal(base, 500, shape).clip(1, 9000).astype(np.uint16)
        values[random.random(shape) < 0.1] = 0
        values[:, : shape[1] // 9] = 0
        tags = {"QUANTITY": REFLECTANCE, "UNIT": "1", "BAND": band}
        found[band] = drawn(folder / f"{band}.tif", values, nodata=0, tags=tags, **more)
    cloud = (random.random(shape) < 0.2).astype(np.uint8)
    cloud[random.random(shape) < 0.05] = 255
    tags = {"QUANTITY": "cloud_mask", "UNIT": "1"}
    found["cloud"] = drawn(folder / "cloud.tif", cloud, nodata=255, tags=tags, **more)
    return found


def node(name: str, tool: str, **args: Any) -> Node:
    values = {key: value if isinstance(value, Value) else Given(value) for key, value in args.items()}
    return Node(name, tool, values, layer=2, title=f"the {name}")


NDVI = node("ndvi", "spectral_index", index="NDVI", bands=BandsOf({"red": FromInput("red"), "nir": FromInput("nir")}))
MASKED = node("masked", "apply_mask", raster=FromNode("ndvi"), mask=FromInput("cloud"))
GREEN = node("green", "threshold", raster=FromNode("masked"), threshold=0.5)
AREA = node("area", "area", mask=FromNode("green"))


def planned(inputs: Mapping[str, Artifact], *nodes: Node, outputs: Mapping[str, Value] | None = None) -> Plan:
    asked = {"answer": FromNode(nodes[-1].id)} if outputs is None else outputs
    return Plan("a question", "", Workflow(nodes), inputs=inputs, outputs=asked)


def run(plan: Plan, home: Path, **hooks: Any) -> Trace:
    return execute(plan, tools(), LocalRunner(), home, **hooks)


def known(trace: Trace, home: Path) -> dict[str, Any]:
    """All that is known of every node, but for where its files lie and how large they are."""

    def told(one: Artifact) -> Any:
        facts = {name: (fact.value, fact.origin, fact.source) for name, fact in one.facts.items() if name != "size"}
        return one.type, one.name, one.band, repr(one.value), repr(sorted(facts.items())), one.key

    return {
        name: (
            record.ready,
            record.key,
            record.checks,
            {output: told(one) for output, one in record.outputs.items()},
            repr(record.error).replace(str(home), ""),
        )
        for name, record in trace.records.items()
    }


def pixels(one: Artifact) -> tuple[bytes, Any]:
    with rasterio.open(one.path) as file:
        tags = dict(file.tags(1))
        return file.read().tobytes(), (file.profile, file.tags(), tags, file.scales, file.descriptions)


def require_alike(fused: Trace, single: Trace, folder: Path) -> None:
    """``folder`` holds the homes of both, ``fused`` and ``single``."""
    assert known(fused, folder / "fused") == known(single, folder / "single")
    assert (fused.status, sorted(fused.notes)) == (single.status, sorted(single.notes))
    for name, record in fused.records.items():
        for output, one in record.outputs.items():
            if one.path is not None:
                assert repr(pixels(one)) == repr(pixels(single.records[name].outputs[output]))


def unkept(trace: Trace) -> set[str]:
    return {name for name, record in trace.records.items() if record.told_only}


def test_a_chain_in_one_pass_tells_what_numpy_tells(tmp_path: Path) -> None:
    inputs = scene(tmp_path, (600, 2300), 1, tiled=True, blockxsize=512, blockysize=512)
    trace = run(planned(inputs, NDVI, MASKED, GREEN, AREA), tmp_path / "home")
    bands = {}
    for name in ("red", "nir", "cloud"):
        with rasterio.open(inputs[name].path) as file:
            bands[name] = file.read(1)
    red, nir = (np.where(bands[n] == 0, np.nan, bands[n] / np.float32(1e4)) for n in ("red", "nir"))
    green = ((nir - red) / (nir + red) > 0.5) & (bands["cloud"] == 0)
    assert trace.status == "completed"
    assert unkept(trace) == {"ndvi", "masked", "green"}
    assert trace.answer is not None
    assert trace.answer.value == pytest.approx(green.sum() * 100 / 1e4, abs=0.05)
    assert [record.status for record in trace.records.values()] == ["done"] * 4
    assert not list((tmp_path / "home" / "cache").glob("*/*/*.tif"))


ONE_MORE = {
    "mask": lambda a, b: ("apply_mask", {"raster": a, "mask": FromInput("cloud")}),
    "difference": lambda a, b: ("raster_difference", {"a": a, "b": b}),
    "ratio": lambda a, b: ("ratio_of_rasters", {"a": a, "b": b}),
    "sum": lambda a, b: (
        "raster_calculation",
        {"a": a, "b": b, "how": "sum", "unit": "1", "result_unit": "1", "other_unit": "1"},
    ),
    "half": lambda a, b: (
        "raster_calculation",
        {"a": a, "number": 0.5, "how": "product", "unit": "1", "result_unit": "1", "other_unit": "1"},
    ),
    "fraction": lambda a, b: ("vegetation_fraction", {"ndvi": a}),
    "percent": lambda a, b: ("convert_unit", {"raster": a, "unit": "%"}),
    "composite": lambda a, b: ("temporal_composite", {"series": SeriesOf((a, b)), "method": "mean"}),
}
AT_THE_END = {
    "area": lambda a, m: ("area", {"mask": m}),
    "share": lambda a, m: ("mask_share", {"mask": m, "when_empty": "missing"}),
    "mean": lambda a, m: ("raster_mean", {"raster": a, "when_empty": "missing"}),
    "median": lambda a, m: ("raster_statistic", {"raster": a, "statistic": "median", "when_empty": "missing"}),
    "table": lambda a, m: ("raster_statistics", {"raster": a}),
    "beyond": lambda a, m: ("threshold_share", {"raster": a, "threshold": 0.2, "when_empty": "missing"}),
    "limit": lambda a, m: ("otsu_threshold", {"raster": a}),
}


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Node], set[str]]:
    """Some maps of an index, each of one or two of those before it; masks of them and numbers; some are asked for."""
    nodes, rasters = [NDVI], ["ndvi"]
    for number in range(draw(st.integers(1, 4))):
        name = draw(st.sampled_from(sorted(ONE_MORE)))
        one, other = (FromNode(draw(st.sampled_from(rasters))) for _ in range(2))
        tool, args = ONE_MORE[name](one, other)
        made = node(f"{name}{number}", tool, **args)
        if all((made.tool, made.args) != (earlier.tool, earlier.args) for earlier in nodes):
            nodes.append(made)
            rasters.append(made.id)
    nodes.append(node("where", "threshold", raster=FromNode(rasters[-1]), threshold=draw(st.sampled_from((0.1, 0.4)))))
    for name in draw(st.lists(st.sampled_from(sorted(AT_THE_END)), min_size=1, max_size=3, unique=True)):
        tool, args = AT_THE_END[name](FromNode(draw(st.sampled_from(rasters))), FromNode("where"))
        nodes.append(node(name, tool, **args))
    ends = {one.id for one in nodes if one.tool in ("where",)} | {nodes[-1].id}
    return nodes, ends | set(draw(st.lists(st.sampled_from([one.id for one in nodes]), max_size=2)))


LAYOUTS = (
    {"tiled": True, "blockxsize": 512, "blockysize": 512},
    {"tiled": True, "blockxsize": 1024, "blockysize": 1024},
    {"tiled": True, "blockxsize": 128, "blockysize": 256},
    {},
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    chain=chains(),
    shape=st.sampled_from(((40, 60), (150, 90), (530, 64), (1, 7))),
    layout=st.sampled_from(LAYOUTS),
    seed=st.integers(0, 3),
)
def test_a_random_chain_in_one_pass_is_what_its_nodes_are_one_by_one(
    chain: tuple[list[Node], set[str]], shape: tuple[int, int], layout: dict[str, Any], seed: int
) -> None:
    nodes, asked = chain
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        plan = planned(scene(folder, shape, seed, **layout), *nodes, outputs={one: FromNode(one) for one in asked})
        single = run(plan, folder / "single", fuse=False)
        fused = run(plan, folder / "fused", fuse=True)
        require_alike(fused, single, folder)
        assert not unkept(single)
        again = run(plan, folder / "fused", fuse=True)
        assert {record.status for record in again.records.values() if record.ready} <= {"cached"}
        assert known(again, folder / "fused") == known(fused, folder / "fused")


def test_windows_of_other_sizes_meet_in_common_frames(tmp_path: Path) -> None:
    tiles = {"tiled": True, "blockxsize": 1024, "blockysize": 1024}
    inputs = scene(tmp_path, (1300, 2600), 5, **tiles)
    plan = planned(inputs, NDVI, MASKED, GREEN, node("mean", "raster_mean", raster=FromNode("masked")), AREA)
    fused = run(plan, tmp_path / "fused")
    assert unkept(fused) == {"ndvi", "masked", "green"}
    require_alike(fused, run(plan, tmp_path / "single", fuse=False), tmp_path)


def scaled(number: int) -> Node:
    return node(f"times{number}", "vegetation_fraction", ndvi=FromNode("masked"), ndvi_soil=number / 100)


def long_series(*more: Node) -> tuple[Node, ...]:
    """Thirteen rasters, with what is made of each, and one that is made of them all."""
    several = tuple(map(scaled, range(2, 15)))
    series = SeriesOf(tuple(FromNode(one.id) for one in several))
    composite = node("composite", "temporal_composite", series=series, method="median")
    return NDVI, MASKED, *several, *more, composite


@pytest.mark.parametrize("tile", [512, 1024])
def test_a_long_series_goes_in_frames_that_are_cut_at_tiles(
    tile: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory for less than a window of every raster of it; what is made of the composite reads it from its file."""
    monkeypatch.setattr(fusing, "_ROOM", 8 << 20)
    monkeypatch.setattr(fusing, "_MOST_CONSUMERS", 99)
    monkeypatch.setattr(chaining, "_FRAME_BYTES", 15 * tile * 512 * 4)
    inputs = scene(tmp_path, (600, 1100), 6, tiled=True, blockxsize=tile, blockysize=tile)
    plan = planned(inputs, *long_series(), node("mean", "raster_mean", raster=FromNode("composite")))
    fused = run(plan, tmp_path / "fused")
    assert unkept(fused) == {one.id for one in plan.workflow.nodes} - {"composite", "mean"}
    require_alike(fused, run(plan, tmp_path / "single", fuse=False), tmp_path)


def test_where_a_long_series_is_no_pass_what_it_is_made_of_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusing, "_ROOM", 8 << 20)
    grouping = Grouping(tools(), True)
    workflow = Workflow(long_series())
    every = {one.id for one in workflow.nodes}
    grouping.divide(workflow, every)
    assert grouping.alone == {"composite"}
    grouping.divide(workflow, every - {"composite"})
    assert grouping.alone == every


def test_steps_that_use_each_other_take_turns_and_hold_no_more_than_a_strip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for what is written, or wanted outside of the turns."""
    seen, chains_of = list[chaining.Chain](), chaining._chains

    def spied(*given: Any) -> list[chaining.Chain]:
        seen.extend(chains_of(*given))
        return seen

    monkeypatch.setattr(chaining, "_chains", spied)
    inputs = scene(tmp_path, (600, 1100), 2)
    steps = NDVI, MASKED, GREEN, AREA
    run(planned(inputs, *steps), tmp_path / "told")
    assert [(one.numbers, sorted(one.brief)) for one in seen] == [((0, 1, 2), [0, 1, 2])]
    seen.clear()
    outputs = {"answer": FromNode("area"), "map": FromNode("masked")}
    run(planned(inputs, *steps, outputs=outputs), tmp_path / "kept")
    assert [(one.numbers, sorted(one.brief)) for one in seen] == [((0, 1, 2), [0, 2])]


def test_what_was_not_kept_is_made_when_somebody_asks_for_it(tmp_path: Path) -> None:
    inputs = scene(tmp_path, (60, 80), 2)
    home = tmp_path / "home"
    run(planned(inputs, NDVI, MASKED, GREEN, AREA), home)
    outputs = {"answer": FromNode("area"), "map": FromNode("masked")}
    both = run(planned(inputs, NDVI, MASKED, GREEN, AREA, outputs=outputs), home)
    assert both.records["masked"].status == "done"
    assert both.records["area"].status == "cached"
    assert unkept(both) == {"ndvi", "green"}
    alone = run(planned(inputs, NDVI, MASKED, GREEN, AREA, outputs=outputs), tmp_path / "alone", fuse=False)
    assert pixels(both.outputs["map"])[0] == pixels(alone.outputs["map"])[0]


def test_a_pass_that_is_killed_while_it_is_kept_makes_nothing_of_that_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order, publish, home = list[str](), Cache.publish, tmp_path / "home"

    def noted(self: Cache, key: str, *given: Any, **more: Any) -> Any:
        order.append(key)
        return publish(self, key, *given, **more)

    monkeypatch.setattr(Cache, "publish", noted)
    asked = {"answer": FromNode("area"), "map": FromNode("masked")}
    plan = planned(scene(tmp_path, (64, 96), 1), NDVI, MASKED, GREEN, AREA, outputs=asked)
    whole = known(run(plan, home), home)
    kept = list(order)
    assert len(kept) == len(plan.workflow)
    for cut in range(1, len(kept)):
        for key in kept[cut:]:
            Cache(home).drop(key)
        order.clear()
        assert known(run(plan, home), home) == whole
        assert sorted(order) == sorted(kept[cut:])
        kept[cut:] = order


def test_a_raster_in_the_cache_is_read_and_not_made_again(tmp_path: Path) -> None:
    inputs = scene(tmp_path, (60, 80), 2)
    home = tmp_path / "home"
    run(planned(inputs, NDVI, MASKED), home, fuse=False)
    trace = run(planned(inputs, NDVI, MASKED, GREEN, AREA), home)
    assert [trace.records[one].status for one in ("ndvi", "masked", "green", "area")] == ["cached"] * 2 + ["done"] * 2
    assert unkept(trace) == {"green"}


def test_a_failure_in_the_pass_is_that_of_the_node_alone(tmp_path: Path) -> None:
    inputs = scene(tmp_path, (60, 80), 2)
    values = np.full((60, 80), 7, np.uint8)
    inputs["cloud"] = drawn(tmp_path / "odd.tif", values, nodata=255, tags={"QUANTITY": "cloud_mask", "UNIT": "1"})
    plan = planned(inputs, NDVI, MASKED, GREEN, AREA)
    single = run(plan, tmp_path / "single", fuse=False)
    fused = run(plan, tmp_path / "fused")
    assert single.records["masked"].status == "failed"
    require_alike(fused, single, tmp_path)
    assert [record.status for record in fused.records.values()] == [one.status for one in single.records.values()]
    assert fused.records["ndvi"].outputs["output"].path is not None


def test_whoever_repairs_finds_the_rasters_before_the_failure(tmp_path: Path) -> None:
    """A node behind a pass fails: its repair sees files, none of them told of only."""
    inputs = scene(tmp_path, (60, 80), 2)
    bad = node("bad", "number_calculation", a=FromNode("area"), how="ratio", number=0, unit="ha", result_unit="ha")
    seen: list[set[str]] = []

    class Watching:
        def failure(self, trace: Trace, name: str) -> Any:
            seen.append(unkept(trace))
            raise KeyboardInterrupt

        def quality(self, trace: Trace) -> None:
            return None

    broken = {**tools(), "number_calculation": tools()["number_calculation"].model_copy(update={"run": "python:no:no"})}
    trace = execute(
        planned(inputs, NDVI, MASKED, GREEN, AREA, bad), broken, LocalRunner(), tmp_path / "home", repair=Watching()
    )
    assert trace.records["bad"].status == "failed"
    assert seen == [set()]


def test_an_edit_has_what_was_not_kept_made_again(tmp_path: Path) -> None:
    inputs = scene(tmp_path, (60, 80), 2)
    home = tmp_path / "home"
    first = run(planned(inputs, NDVI, MASKED, GREEN, AREA), home)
    other = node("green", "threshold", raster=FromNode("masked"), threshold=0.6)
    plan = planned(inputs, NDVI, MASKED, other, AREA)

    def change(trace: Trace) -> Trace:
        kept = {name: record for name, record in trace.records.items() if name in ("ndvi", "masked")}
        return Trace(**{**vars(trace), "plan": plan, "records": kept, "status": "interrupted"})

    edit(first.run_id, change, home)
    again = resume(first.run_id, tools(), LocalRunner(), home)
    assert again.status == "completed"
    alone = run(plan, tmp_path / "alone", fuse=False)
    assert known(again, home)["area"] == known(alone, home)["area"]


def test_a_group_starts_when_all_is_ready_that_it_needs(tmp_path: Path) -> None:
    """A limit that is found in a raster comes between it and what is made with it: no pass goes around it."""
    inputs = scene(tmp_path, (60, 80), 2)
    limit = node("limit", "otsu_threshold", raster=FromNode("masked"))
    split = node("split", "threshold", raster=FromNode("masked"), threshold=FromNode("limit"))
    plan = planned(inputs, NDVI, MASKED, limit, split, node("share", "mask_share", mask=FromNode("split")))
    fused = run(plan, tmp_path / "fused")
    require_alike(fused, run(plan, tmp_path / "single", fuse=False), tmp_path)
    assert unkept(fused) == {"ndvi", "split"}


def test_nothing_is_told_that_is_not_there(tmp_path: Path) -> None:
    """Of what was not kept the cache tells only those who ask for no more."""
    inputs = scene(tmp_path, (60, 80), 2)
    trace = run(planned(inputs, NDVI, MASKED, GREEN, AREA), tmp_path / "home")
    cache_of_run = Cache(tmp_path / "home")
    record: NodeRecord = trace.records["masked"]
    assert cache_of_run.find(record.key) is None
    stored = cache_of_run.find(record.key, told=True)
    assert stored is not None
    assert stored.outputs["output"].known("mean") == record.outputs["output"].known("mean")
    assert stored.outputs["output"].known("mean").origin is Origin.MEASURED  # type: ignore[union-attr]
    assert not cache_of_run.whole(record.key)
