"""The schemas of these kits agree with their functions, and their effects say what the functions write."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.graph.effects import predicted_outputs
from knowflow.ground.resources import resources
from knowflow.knowledge.documents import load_model
from knowflow.knowledge.schema_check import tool_problems
from knowflow.model.artifact import Artifact, scalar, series
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.tools.registry import check_binding

MINE = {
    "analysis",
    "inversion",
    "statistics",
    "synthesis",
}
PATHS = [
    resource.path
    for resource in resources("schemas", "**/*.yaml")
    if resource.path.parent.name in MINE or resource.path.stem in ("write_table", "quick_look")
]


def _schema(name: str) -> ToolSchema:
    path = next(path for path in PATHS if path.stem == name)
    model = load_model(path, ToolSchema).model
    assert model is not None
    return model


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_schema_is_valid_named_as_its_file_and_agrees_with_its_function(path: Path) -> None:
    loaded = load_model(path, ToolSchema)
    assert loaded.model is not None, loaded.problems
    assert loaded.model.tool == path.stem
    assert loaded.model.kit == path.parent.name
    assert loaded.model.source
    assert loaded.model.title
    assert not [*tool_problems(loaded.model, loaded.document), *check_binding(loaded.model)]


def test_every_kit_is_there() -> None:
    assert len(PATHS) >= 45
    assert {path.parent.name for path in PATHS} >= MINE


def _raster(**facts: object) -> Artifact:
    return Artifact("raster", facts=Facts.of(Origin.DECLARED, **facts))


def _verdicts(name: str, **arguments: object) -> dict[str, bool | None]:
    schema = _schema(name)
    return {text: evaluate(condition, arguments).truth for text, condition in schema.parsed_preconditions}


def test_a_cloud_mask_is_no_land_cover_and_a_reflectance_no_mask() -> None:
    assert _verdicts("area_by_class", raster=_raster(quantity="ndvi"))["categorical(raster)"] is False
    implied = "family(mask, ['mask'])"
    assert _verdicts("area", mask=_raster(quantity="surface_bidirectional_reflectance"))[implied] is False
    assert _verdicts("area", mask=_raster(quantity="water_mask"))[implied] is True


def test_brightness_temperature_is_not_surface_temperature() -> None:
    found = _verdicts("tvdi", surface_temperature=_raster(quantity="toa_brightness_temperature"), ndvi=_raster())
    assert found["quantity(surface_temperature) in ['surface_temperature']"] is False


def test_a_threshold_in_a_foreign_unit_is_found_before_the_run() -> None:
    raster = _raster(quantity="surface_temperature", unit="K", dtype="float32", value_range=(280.0, 310.0))
    found = _verdicts("threshold", raster=raster, threshold=3.0, threshold_unit="m")
    assert found["compatible_units(raster, threshold_unit)"] is False
    assert _verdicts("threshold", raster=raster, threshold=30.0, threshold_unit="degC")[
        "compatible_units(raster, threshold_unit)"
    ]


def test_classes_have_no_threshold_and_celsius_no_percent() -> None:
    assert _verdicts("threshold", raster=_raster(quantity="land_cover_class"))["not categorical(raster)"] is False
    warm = scalar(20.0, Facts.of(Origin.DERIVED, unit="degC", quantity="air_temperature"))
    found = _verdicts("percent_change", before=warm, after=warm)
    assert found["unit(before) not in ['degC', 'degF']"] is False


def test_two_scenes_of_one_date_make_no_trend() -> None:
    same = series(tuple(_raster(datetime="2020-01-01", quantity="ndvi") for _ in range(4)))
    assert _verdicts("temporal_trend", series=same)["distinct_dates(series)"] is False


def test_effects_carry_unit_quantity_and_date_to_the_answer() -> None:
    grid = {"crs": "EPSG:32633", "shape": (5, 5), "grid": "grid:x"}
    warm = _raster(quantity="surface_temperature", unit="K", datetime="2022-07-01", cloud_masked=True, **grid)

    mask = predicted_outputs(_schema("threshold"), {"raster": warm, "threshold": 300, "quantity": "mask"}, "n")[
        "output"
    ]
    assert (mask.fact("quantity"), mask.fact("unit"), mask.fact("grid")) == ("mask", "1", "grid:x")
    assert mask.fact("datetime") == "2022-07-01"

    size = predicted_outputs(_schema("area"), {"mask": mask, "unit": "km2"}, "n")["value"]
    assert (size.fact("quantity"), size.fact("unit"), size.fact("datetime")) == ("area", "km2", "2022-07-01")

    part = predicted_outputs(_schema("threshold_share"), {"raster": warm, "threshold": 300}, "n")["value"]
    assert (part.fact("quantity"), part.fact("unit")) == ("share", "1")

    means = predicted_outputs(_schema("raster_mean"), {"raster": warm}, "n")["value"]
    values = Artifact("list", items=(means, means))
    answer = predicted_outputs(_schema("maximum"), {"x": values}, "n")["value"]
    assert (answer.fact("quantity"), answer.fact("unit")) == ("surface_temperature", "K")

    outputs = predicted_outputs(_schema("temporal_trend"), {"series": series((warm, warm))}, "n")
    assert (outputs["output"].fact("quantity"), outputs["output"].fact("unit")) == ("trend_per_year", "K year-1")
    assert outputs["p_value"].fact("grid") == "grid:x"
