from __future__ import annotations

from typing import Any

import pytest
from examples import OUTPUT, RASTER, UTM, catalogue, ndvi, raster, tool

from knowflow.graph.effects import expand, inherited_facts, predicted_outputs
from knowflow.model.artifact import Artifact, band_set
from knowflow.model.facts import FACT_TITLES, GRID_FACTS, PIXEL_FACTS, Facts, Origin
from knowflow.model.geo import symbolic
from knowflow.model.tool import Preserved, ToolSchema

TOOLS = catalogue()


def output(schema: ToolSchema, node: str = "n", **arguments: Any) -> Artifact:
    return predicted_outputs(schema, arguments, node)[schema.primary_output]


def setter(*sets: str, **parameters: Any) -> ToolSchema:
    return tool(
        "setter",
        {"raster": RASTER, **parameters, "output": OUTPUT},
        effects={"sets": list(sets), "preserves": {"output": {"from": "raster"}}},
    )


def test_preserved_facts_become_derived_and_say_by_what() -> None:
    made = output(TOOLS["smooth"], raster=ndvi(sensor="sentinel-2"))
    known = made.known("sensor")
    assert known is not None
    assert (known.value, known.origin, known.source) == ("sentinel-2", Origin.DERIVED, "smooth: preserved from raster")


def test_what_is_not_preserved_is_unknown() -> None:
    made = output(TOOLS["spectral_index"], index="evi", bands=band_set({"red": ndvi(), "nir": ndvi()}))
    assert made.fact("bands") is None
    assert made.fact("quantity") == "evi"
    assert made.fact("unit") == "1"
    assert made.fact("crs") == UTM


def test_pixel_statistics_and_sizes_are_never_inherited_unless_named() -> None:
    source = ndvi(valid_fraction=0.9, mean=0.5, size=100)
    made = output(TOOLS["smooth"], raster=source)
    assert not set(made.facts) & {*PIXEL_FACTS, "size"}
    named = tool(
        "copy",
        {"raster": RASTER, "output": OUTPUT},
        effects={"preserves": {"output": {"from": "raster", "only": ["pixels", "crs"]}}},
    )
    assert set(output(named, raster=source).facts) == {"valid_fraction", "mean", "crs", "grid"}


def test_groups_stand_for_their_facts() -> None:
    assert expand(("grid", "unit")) == {*GRID_FACTS, "unit"}
    kept = inherited_facts(Preserved.model_validate({"from": "a", "except": ["grid"]}))
    of_a_file = {"size", "length", "described", "stated_range", "valid_range"}
    assert kept == set(FACT_TITLES) - set(GRID_FACTS) - set(PIXEL_FACTS) - of_a_file


def test_aligning_takes_the_grid_of_the_other_and_keeps_the_rest() -> None:
    like = raster("like", pixel=30)
    made = output(TOOLS["align_to"], raster=ndvi(), like=like)
    assert {name: made.fact(name) for name in GRID_FACTS} == {name: like.fact(name) for name in GRID_FACTS}
    assert made.fact("quantity") == "ndvi"


def test_grid_facts_that_the_other_does_not_know_are_unknown_and_not_those_of_the_raster() -> None:
    keeps_all = setter("same_grid(output, like)", like=RASTER)
    made = output(keeps_all, raster=ndvi(), like=Artifact("raster", facts=Facts.of(Origin.DECLARED, crs="EPSG:3035")))
    assert made.fact("crs") == "EPSG:3035"
    assert made.fact("transform") is None
    assert symbolic(made.fact("grid"))


def test_scaled_means_physical_numbers() -> None:
    made = output(TOOLS["apply_scale"], raster=raster(dtype="uint16", scale=1e-4, offset=-0.1))
    assert (made.fact("scale"), made.fact("offset"), made.fact("dtype")) == (1.0, 0.0, "float32")
    assert made.facts["scale"].source == "apply_scale: scaled(output)"


@pytest.mark.parametrize(("crs", "expected"), [("auto", UTM), ("epsg:3035", "EPSG:3035"), ("nonsense", None)])
def test_the_crs_of_reprojected_rasters(crs: str, expected: str | None) -> None:
    made = output(TOOLS["to_projected"], raster=ndvi(), crs=crs)
    assert made.fact("crs") == expected
    assert symbolic(made.fact("grid"))


def test_auto_is_unknown_where_the_extent_is() -> None:
    assert output(TOOLS["to_projected"], raster=Artifact("raster"), crs="auto").fact("crs") is None


def test_setting_a_fact_to_what_nobody_knows_makes_it_unknown() -> None:
    made = output(setter("unit(output) == unit(other)", other=RASTER), raster=ndvi(unit="1"), other=raster())
    assert made.fact("unit") is None


def test_an_effect_of_an_optional_argument_that_is_not_given_changes_nothing() -> None:
    schema = setter("nodata(output) == nodata", nodata={"type": "number", "optional": True})
    assert output(schema, raster=ndvi(nodata=-1.0)).fact("nodata") == -1.0
    assert output(schema, raster=ndvi(nodata=-1.0), nodata=5.0).fact("nodata") == 5.0


def test_quantities_are_lower_case() -> None:
    assert output(TOOLS["spectral_index"], index="EVI", bands=band_set({"red": ndvi()})).fact("quantity") == "evi"


def test_returned_values_carry_the_unit_of_what_they_summarise() -> None:
    value = predicted_outputs(TOOLS["mean"], {"raster": ndvi()}, "n")["value"]
    assert value.type == "scalar"
    assert (value.fact("unit"), value.fact("quantity"), value.value) == ("1", "ndvi", None)


def test_one_tool_makes_one_grid_of_one_grid_with_one_set_of_values() -> None:
    schema = TOOLS["to_projected"]
    first = output(schema, "n1", raster=ndvi("a"), crs="EPSG:3035").fact("grid")
    assert output(schema, "n2", raster=ndvi("b"), crs="EPSG:3035").fact("grid") == first
    assert output(schema, "n2", raster=ndvi("b"), crs="EPSG:3857").fact("grid") != first
    assert output(schema, "n2", raster=ndvi("b", pixel=20), crs="EPSG:3035").fact("grid") != first


def test_grids_made_of_unknown_grids_are_each_their_own() -> None:
    schema, unknown = TOOLS["smooth"], Artifact("raster")
    assert output(schema, "n1", raster=unknown).fact("grid") != output(schema, "n2", raster=unknown).fact("grid")
    assert output(schema, "n1", raster=unknown).fact("grid") == output(schema, "n1", raster=unknown).fact("grid")


def test_prediction_needs_no_arguments() -> None:
    for schema in TOOLS.values():
        assert set(predicted_outputs(schema, {}, "n")) == set(schema.outputs)
