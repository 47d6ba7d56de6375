"""Process graphs of openEO as templates, which give what plain numpy gives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.indices import spectral_indices
from knowflow.model.template import Scene
from knowflow.roof.exports.openeo import template_of
from knowflow.roof.exports.openeo.terms import Term, child, formula, symbol
from knowflow.roof.exports.refusal import NotExpressibleError
from knowflow.service.engine import Engine
from knowflow.service.template_tests import planned_test
from knowflow.testing.scenes import scene_coordinates, write_scene
from knowflow.tools.formula import compile_formula

DATA, X = {"from_parameter": "data"}, {"from_parameter": "x"}
SCENE = {
    "name": "S2",
    "sensor": "sentinel-2",
    "quantity": "surface_bidirectional_reflectance",
    "bands": {"red": "0.1 + 0.1 * i", "nir": "0.1 + 0.4 * x"},
    "dates": ["2022-06-01", "2022-06-11"],
}


def _node(process_id: str, /, **arguments: Any) -> dict[str, Any]:
    return {"process_id": process_id, "arguments": arguments}


def _from(node: str) -> dict[str, str]:
    return {"from_node": node}


def _alone(process: str, **more: Any) -> dict[str, Any]:
    return {"process_graph": {"one": _node(process, **more) | {"result": True}}}


def _process(limit: Any = None) -> dict[str, Any]:
    """The share of the pixels whose largest NDVI is above a limit."""
    bands = {f"b{number}": _node("array_element", data=DATA, index=number) for number in (0, 1)}
    ndvi = bands | {"n": _node("normalized_difference", x=_from("b1"), y=_from("b0")) | {"result": True}}
    graph = {
        "load": _node(
            "load_collection", id="SENTINEL2_L2A", spatial_extent=None, temporal_extent=None, bands=["B04", "B08"]
        ),
        "ndvi": _node("reduce_dimension", data=_from("load"), dimension="bands", reducer={"process_graph": ndvi}),
        "best": _node("reduce_dimension", data=_from("ndvi"), dimension="t", reducer=_alone("max", data=DATA)),
        "dense": _node("apply", data=_from("best"), process=_alone("gt", x=X, y=limit or {"from_parameter": "limit"})),
        "share": _node("reduce_spatial", data=_from("dense"), reducer=_alone("mean", data=DATA)),
        "save": _node("save_result", data=_from("share"), format="JSON") | {"result": True},
    }
    parameter = {"name": "limit", "description": "dense above", "schema": {"type": "number"}, "default": 0.3}
    return {"id": "dense", "summary": "Share of dense vegetation", "parameters": [parameter], "process_graph": graph}


def test_an_imported_process_gives_what_numpy_does_and_keeps_its_parameter(tmp_path: Path) -> None:
    (tmp_path / "dense.json").write_text(json.dumps(_process()), encoding="utf-8")
    scene = Scene.model_validate({"size": [16, 16], "layers": [SCENE]})
    write_scene(scene, tmp_path / "data")
    work = KnowFlow(tmp_path / "home")
    assert work.import_process(tmp_path / "dense.json").name == "dense.yaml"
    nir = 0.1 + 0.4 * scene_coordinates(scene)[0]
    best = np.max([(nir - red) / (nir + red) for red in (0.1, 0.2)], axis=0)
    for limit in (0.3, 0.5):
        given = {} if limit == 0.3 else {"limit": limit}
        found = work.run("", tmp_path / "data", template="dense", set=given, out=tmp_path / "out")
        assert found.status == "completed", found.error
        assert found.answer == pytest.approx((best > limit).mean())
    with pytest.raises(KnowFlowError, match="exists already"):
        work.import_process(tmp_path / "dense.json")


@pytest.mark.parametrize("template", ["built_up_where_ndbi_is_positive", "cloud_mask_by_probability"])
def test_what_an_export_wrote_is_read_again_and_gives_the_same_number(tmp_path: Path, template: str) -> None:
    work = KnowFlow(tmp_path / "home")
    authored = work.catalogue.template(template)
    engine = Engine(tmp_path / "home", work.catalogue)
    planned = planned_test(authored, authored.tests[0], tmp_path / "data", engine)
    before = work.run(planned.plan, out=tmp_path / "out")
    work.export(planned.plan, "openeo", tmp_path / "openeo")
    work.import_process(tmp_path / "openeo" / "answer.json", "again")
    after = work.run("", tmp_path / "data", template="again", out=tmp_path / "again")
    assert after.status == "completed", after.error
    assert after.answer == pytest.approx(before.answer, rel=1e-6)


def test_two_times_of_one_quantity_are_not_taken_for_one() -> None:
    """Of what a graph loads nothing is kept that tells them apart: their difference would be 0."""
    stored = {f"load{n}": _node("load_collection", id=f"s{n}", bands=["value"]) for n in (1, 2)}
    band = {"process_graph": {"b": _node("array_element", data=DATA, label="value") | {"result": True}}}
    flat = {f"f{n}": _node("reduce_dimension", data=_from(f"load{n}"), dimension="bands", reducer=band) for n in (1, 2)}
    put = {f"p{n}": _node("add_dimension", data=_from(f"f{n}"), name="bands", label=f"of_{n}") for n in (1, 2)}
    taken = {f"e{n}": _node("array_element", data=DATA, label=f"of_{n}") for n in (1, 2)}
    less = {"process_graph": taken | {"d": _node("subtract", x=_from("e1"), y=_from("e2")) | {"result": True}}}
    both = {"m": _node("merge_cubes", cube1=_from("p1"), cube2=_from("p2"))}
    result = {"r": _node("reduce_dimension", data=_from("m"), dimension="bands", reducer=less) | {"result": True}}
    held = {f"s{n}": {"bands": {"value": {"quantity": "ndvi"}}} for n in (1, 2)}
    with pytest.raises(NotExpressibleError, match="the same quantity twice"):
        template_of({"process_graph": stored | flat | put | both | result}, "change", held)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"share": _node("run_udf", data=_from("dense"), udf="pass", runtime="Python")}, "share"),
        (
            {"best": _node("reduce_dimension", data=_from("ndvi"), dimension="t", reducer=_alone("sd", data=DATA))},
            "best",
        ),
        ({"dense": _node("apply", data=_from("best"), process=_alone("exp", p=X))}, "dense"),
        ({"ndvi": _node("load_uploaded_files", paths=["a"], format="GTiff")}, "ndvi"),
    ],
)
def test_what_has_no_counterpart_is_refused_with_its_node(change: dict[str, Any], named: str) -> None:
    document = _process(0.4)
    document["process_graph"] |= change
    with pytest.raises(NotExpressibleError) as refused:
        template_of(document, "dense")
    assert refused.value.where == named


@pytest.mark.filterwarnings("ignore:invalid value")
def test_every_index_of_the_catalogue_is_known_again_by_its_formula() -> None:
    for kind, entry in spectral_indices().items():
        if not entry.bands or entry.inputs or entry.wavelengths:
            continue
        made = formula(
            entry.formula, {**entry.constants, **{name: symbol(band) for name, band in entry.symbols.items()}}
        )
        if not isinstance(made, Term):
            continue
        reducer = child(made, lambda band: _node("array_element", data=DATA, label=band))
        graph = {
            "load": _node("load_collection", id="scenes", spatial_extent=None, temporal_extent=None),
            "index": _node("reduce_dimension", data=_from("load"), dimension="bands", reducer=reducer)
            | {"result": True},
        }
        step = next(iter(template_of({"process_graph": graph}, "any")["steps"].values()))
        found = spectral_indices()[step["with"]["quantity"]]
        if found.name == kind:
            continue
        names = sorted({*entry.symbols.values(), *found.symbols.values()})
        bands = {name: 0.1 + 0.37 * (7 * number % 11) / 11 for number, name in enumerate(names)}
        values = [
            compile_formula(one.formula)(
                {**one.constants, **{key: np.float64(bands[b]) for key, b in one.symbols.items()}}
            )
            for one in (entry, found)
        ]
        assert float(values[0]) == pytest.approx(float(values[1]), nan_ok=True), f"{kind} was read as {found.name}"
