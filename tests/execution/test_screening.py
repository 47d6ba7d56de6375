"""Files are looked at before their first use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow.execution.conditions import ensure
from knowflow.execution.probing import FileProbe, counted, sampled
from knowflow.execution.screening import screen
from knowflow.ground.errors import EffectError, KnowFlowError, MissingFactError, PreconditionError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory.header import read_artifact

RAMP = np.linspace(0, 1, 400, dtype=np.float32).reshape(20, 20)
TOOL = ToolSchema.model_validate(
    {
        "tool": "some_tool",
        "title": "",
        "kit": "analysis",
        "layers": [1],
        "parameters": {"raster": {"type": "raster"}},
        "returns": {"type": "scalar"},
        "run": "python:x:y",
    }
)


def file(folder: Path, values: Any, name: str = "a", **facts: Any) -> Artifact:
    path = folder / f"{name}.tif"
    stored = np.asarray(values)
    profile = {"driver": "GTiff", "count": 1, "height": stored.shape[0], "width": stored.shape[1], "crs": "EPSG:32633"}
    transform = Affine(10, 0, 500000, 0, -10, 5100000)
    with rasterio.open(path, "w", dtype=stored.dtype, transform=transform, **profile) as dataset:
        dataset.write(stored, 1)
    known = {"quantity": "ndvi", "unit": "1", "dtype": str(stored.dtype), "shape": stored.shape, **facts}
    said = Facts.of(Origin.DECLARED, "test", **known)
    return Artifact("raster", said, name=name, path=str(path))


def refusal(raster: Artifact, tool: str = "some_tool") -> KnowFlowError | None:
    """Why a file goes no further; None where it does."""
    try:
        screen(TOOL.model_copy(update={"tool": tool}), {"raster": raster, "number": 3, "nothing": None}, "a node")
    except KnowFlowError as error:
        return error
    return None


def test_a_file_that_is_what_it_says_passes(tmp_path: Path) -> None:
    assert refusal(file(tmp_path, RAMP)) is None


def test_a_file_whose_values_are_impossible_is_refused_with_its_place(tmp_path: Path) -> None:
    wrong = file(tmp_path, RAMP * 300, "wrong")
    error = refusal(series((file(tmp_path, RAMP), wrong)))
    assert isinstance(error, PreconditionError)
    assert error.expected == "plausible(raster[1])"
    assert "wrong" in error.message
    assert "--assume" in (error.hint or "")


def test_integers_of_which_nobody_knows_the_scale_ask_for_it(tmp_path: Path) -> None:
    error = refusal(file(tmp_path, (RAMP * 9000).astype(np.int16)))
    assert isinstance(error, MissingFactError)
    assert "--assume scale=" in (error.hint or "")


@pytest.mark.parametrize(
    ("fill", "share", "facts", "told"),
    [
        (0.0, 0.5, {}, True),
        (-1.0, 0.3, {}, True),
        (0.0, 0.1, {}, True),
        (0.3, 0.5, {}, False),  # in the midst of the others
        (1.0, 0.5, {}, True),
        (1.0, 0.1, {}, True),
        (0.953, 0.1, {}, False),
        (0.953, 0.5, {}, False),  # a field that is green all over
        (1.0, 0.5, {"quantity": "cloud_probability"}, False),
        (0.0, 0.5, {"quantity": "precipitation", "unit": "mm"}, False),  # no rain is data
        (0.0, 0.5, {"quantity": "night_lights", "unit": "nW cm-2 sr-1"}, False),
        (0.0, 0.5, {"quantity": "cloud_probability"}, False),
    ],
)
def test_a_smallest_or_largest_number_that_many_pixels_hold_is_doubtful(
    tmp_path: Path, fill: float, share: float, facts: dict[str, Any], told: bool
) -> None:
    values = 0.1 + 0.8 * RAMP
    values[-round(20 * share) :] = fill
    doubts = screen(TOOL, {"raster": file(tmp_path, values, **facts)}, "a node")
    assert [(one.truth, f"{share:.0%} of the pixels hold the value {fill:g}" in one.because) for one in doubts] == (
        [(None, True)] if told else []
    )
    assert [f"--assume 'a.tif:nodata={fill:g}'" in one.because for one in doubts] == [True] * told


@pytest.mark.parametrize(
    ("facts", "refused"),
    [
        ({}, True),
        ({"scale": 0.01}, False),  # the file says what its numbers are
        ({"quantity": "land_cover_class"}, False),
        ({"quantity": "display_value"}, False),
    ],
)
def test_indices_of_a_colour_table_are_no_measurements(tmp_path: Path, facts: dict[str, Any], refused: bool) -> None:
    path = tmp_path / "ndvi.tif"
    profile = {"driver": "GTiff", "count": 1, "height": 20, "width": 20, "dtype": "uint8", "crs": "EPSG:32633"}
    with rasterio.open(path, "w", transform=Affine(10, 0, 0, 0, -10, 0), **profile) as file:
        file.write((RAMP > 0.5).astype(np.uint8), 1)
        file.write_colormap(1, {0: (255, 255, 255), 1: (0, 99, 0)})
    said = Facts.of(Origin.DECLARED, "test", **{"quantity": "ndvi", "unit": "1", **facts})
    found = read_artifact(path)
    raster = found.with_facts(said.over(found.facts))
    error = refusal(raster)
    assert (error is not None) == refused
    if error is not None:
        assert (error.code, error.hint) == ("missing_fact", "say it: --assume 'ndvi.tif:quantity=ndvi'")
        assert refusal(raster.with_facts(raster.facts.put("quantity", "ndvi", Origin.USER, "--assume"))) is None


@pytest.mark.parametrize(
    ("red", "said", "told"),
    [
        (1500, {}, True),
        (300, {}, False),  # forest: with an offset it would be darker than black
        (1500, {"offset": 0.0}, False),
        (1500, {"sensor": "landsat-8-9-oli-tirs"}, False),
    ],
)
def test_a_scale_that_is_said_without_an_offset_is_told_where_both_are_possible(
    tmp_path: Path, red: int, said: dict[str, Any], told: bool
) -> None:
    facts = {"quantity": "surface_bidirectional_reflectance", "sensor": "sentinel-2"} | said
    scene = {
        name: file(tmp_path, (low + 900 * RAMP).astype(np.uint16), name, **facts)
        for name, low in (("red", red), ("nir", 2500))
    }
    bands = band_set({n: one.with_facts(one.facts.put("scale", 1e-4, Origin.USER, "-")) for n, one in scene.items()})
    doubts = screen(TOOL, {"raster": bands}, "a node")
    assert ["--assume offset=0, or --assume offset=-0.1" in one.because for one in doubts] == [True] * told


NOISE = np.random.default_rng(3).normal(0, 1, (60, 60))


@pytest.mark.parametrize(
    ("values", "facts", "told"),
    [
        (0.7 + 0.05 * NOISE, {}, True),
        (0.2 + 0.15 * NOISE, {}, True),  # zeros between water and land
        (np.round(7000 + 500 * NOISE).astype(np.int16), {"scale": 1e-4, "offset": 0.0}, True),
        (350 + 20 * NOISE, {"quantity": "elevation", "unit": "m"}, True),
        (np.abs(0.1 * NOISE), {"quantity": "sigma0"}, True),
        (np.abs(4 * NOISE), {"quantity": "elevation", "unit": "m"}, False),  # the sea, and land that rises from it
        (np.abs(8 * NOISE), {"quantity": "precipitation", "unit": "mm"}, False),
        (np.abs(8 * NOISE), {"quantity": "slope", "unit": "degree"}, False),
        (60 + 8 * NOISE, {"quantity": "population_density", "unit": "km-2"}, False),
        (np.round(0.7 + 0.05 * NOISE, 1), {}, False),  # few numbers that all repeat
    ],
)
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_zeros_among_measured_numbers_are_told_with_both_means_and_natural_zeros_are_not(
    tmp_path: Path, values: Any, facts: dict[str, Any], told: bool, share: float
) -> None:
    zeros = np.random.default_rng(4).random(values.shape) < share
    stored = np.where(zeros, 0, values).astype(values.dtype if values.dtype == np.int16 else np.float32)
    doubts = screen(TOOL, {"raster": file(tmp_path, stored, **facts)}, "a node")
    assert len(doubts) == told
    if told:
        physical = stored.astype(np.float64) * facts.get("scale", 1.0)
        means = f"{physical.mean():.4g} with them, {physical[~zeros].mean():.4g} without"
        assert means in doubts[0].because
        assert "--assume 'a.tif:nodata=0'" in doubts[0].because


@pytest.mark.parametrize(("number", "told"), [(2.5, True), (-2.9, True), (1.1, False), (0.999, False)])
def test_a_single_number_clearly_outside_what_is_possible_is_doubtful(
    tmp_path: Path, number: float, told: bool
) -> None:
    values = np.tile(RAMP, (3, 3))
    values[7, 7] = number
    doubts = screen(TOOL, {"raster": file(tmp_path, values)}, "a node")
    assert [f"1 of 3600 pixels looked at hold {number:g}, where -1..1" in one.because for one in doubts] == [
        True
    ] * told


def test_a_mean_that_a_quantity_cannot_have_is_no_result(tmp_path: Path) -> None:
    given, schema = file(tmp_path, RAMP), load_catalogue().tools["raster_statistic"]
    value = Artifact("scalar", given.facts, value=-35.5)
    for statistic in ("mean", "median"):
        with pytest.raises(EffectError, match="not what it promises"):
            ensure(schema, {"raster": given, "statistic": statistic}, {"value": value}, "a node")
    ensure(schema, {"raster": given, "statistic": "minimum"}, {"value": value}, "a node")  # of single pixels


def test_a_patch_of_undeclared_missing_data_is_seen_wherever_it_lies(tmp_path: Path) -> None:
    values = np.tile(RAMP, (75, 75))
    assert refusal(file(tmp_path, values)) is None
    for place in (300, 700, 1180):
        with_patch = values.copy()
        with_patch[place : place + 9, place : place + 9] = -9999
        assert isinstance(refusal(file(tmp_path, with_patch, f"at{place}")), PreconditionError)


def test_the_only_marked_pixel_of_a_large_mask_is_seen(tmp_path: Path) -> None:
    stored = np.zeros((2100, 2100), dtype=np.uint8)
    stored[1234, 777] = 255
    mask = file(tmp_path, stored, quantity="water_mask")
    assert isinstance(refusal(mask), PreconditionError)
    stored[1234, 777] = 1
    assert refusal(file(tmp_path, stored, "right", quantity="water_mask")) is None


def test_a_file_that_changes_is_looked_at_again(tmp_path: Path) -> None:
    assert refusal(file(tmp_path, RAMP)) is None
    assert isinstance(refusal(file(tmp_path, np.vstack([RAMP, RAMP * 300]))), PreconditionError)


def test_what_a_tool_made_and_what_has_no_quantity_is_not_looked_at(tmp_path: Path) -> None:
    raster = file(tmp_path, RAMP * 300)
    assert refusal(raster) is not None
    assert refusal(replace(raster, key="derived")) is None
    assert refusal(replace(raster, facts=raster.facts.without(["quantity"]))) is None


def test_the_tools_that_put_files_right_may_take_those_that_are_wrong(tmp_path: Path) -> None:
    assert refusal(file(tmp_path, RAMP * 300), "declare_scale") is None


# --- a closer look after a failure ----------------------------------------------------------------------------------


def test_the_probe_tells_why_a_file_cannot_be_used(tmp_path: Path) -> None:
    probe = FileProbe(tmp_path)
    raster = file(tmp_path, np.random.default_rng(1).random((200, 200)))
    assert probe.trouble(raster) is None
    path = Path(raster.path or "")
    path.write_bytes(path.read_bytes()[:2000])
    cut = probe.trouble(raster)
    assert cut is not None
    assert cut.cause == "file_truncated"
    assert probe.sample(raster) is None
    assert probe.facts(raster) == Facts()
    path.write_bytes(b"")
    empty = probe.trouble(raster)
    assert empty is not None
    assert empty.cause == "file_truncated"
    path.unlink()
    gone = probe.trouble(raster)
    assert gone is not None
    assert gone.cause == "file_missing"


def test_the_probe_measures_what_is_there(tmp_path: Path) -> None:
    values = np.where(RAMP < 0.5, np.nan, RAMP)
    values[:, 0] = np.nan
    sample = FileProbe(tmp_path).sample(file(tmp_path, values))
    assert sample is not None
    assert sample.values.size == int(np.isfinite(values).sum())
    assert sample.lines_missing > 0.2


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "int32", "float32"])
@pytest.mark.parametrize("more", [{}, {"nodata": 3}, {"scale": 1e-4, "offset": -0.1}, {"scale": -0.5, "nodata": 0}])
def test_values_that_are_counted_are_those_that_are_looked_at(tmp_path: Path, dtype: str, more: dict[str, Any]) -> None:
    raster = file(
        tmp_path, np.random.default_rng(1).integers(-5 if dtype[0] != "u" else 0, 90, (40, 70)).astype(dtype), **more
    )
    each, every = sampled(raster), counted(raster)
    assert (each.total, each.size, each.infinite) == (every.total, every.size, every.infinite)
    assert np.array_equal(np.sort(each.values), np.sort(every.values))
    assert (every.each is None) == (dtype not in ("int32", "float32"))
    assert each.counts.median() == every.counts.median() == np.median(each.values)
