from __future__ import annotations

from typing import Any

import pytest
from examples import UTM, dated_series, ndvi, raster

from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.geo import symbolic_grid
from knowflow.model.verdict import Goal, Missing, Verdict

DEGREES = "EPSG:4326"


def said(text: str, **environment: Any) -> Verdict:
    return evaluate(parse(text), environment)


def missing(verdict: Verdict) -> list[str]:
    return [gap.fact for gap in verdict.missing]


def bare(**facts: Any) -> Artifact:
    return Artifact("raster", facts=Facts.of(Origin.DECLARED, **facts))


@pytest.mark.parametrize(
    ("text", "artifact", "truth", "gaps"),
    [
        ("projected(a)", raster(crs=UTM), True, []),
        ("projected(a)", raster(crs=DEGREES), False, []),
        ("projected(a)", raster(crs=None), None, ["crs"]),
        ("projected(a)", raster(crs="nonsense"), None, []),
        ("geographic(a)", raster(crs=UTM), False, []),
        ("geographic(a)", raster(crs=DEGREES), True, []),
        ("geographic(a)", raster(crs=None), None, ["crs"]),
        ("georeferenced(a)", raster(), True, []),
        ("georeferenced(a)", raster(crs=None), None, ["crs"]),
        ("georeferenced(a)", bare(), None, ["crs", "transform"]),
        ("georeferenced(a)", bare(crs=UTM, grid=symbolic_grid("n")), True, []),
        ("georeferenced(a)", bare(crs=UTM, grid="grid:0"), None, ["transform"]),
        ("scaled(a)", raster(dtype="uint16", quantity="ndvi", scale=1e-4), True, []),
        ("scaled(a)", raster(dtype="uint16", quantity="ndvi"), None, ["scale"]),
        ("scaled(a)", raster(dtype="uint8", quantity="snow_fraction", unit="%"), True, []),
        ("scaled(a)", raster(dtype="uint8", quantity="snow_fraction", unit="1"), None, ["scale"]),
        ("scaled(a)", raster(dtype="float32", quantity="ndvi"), True, []),
        ("scaled(a)", raster(dtype="float32", quantity="ndvi", value_range=(0.0, 9000.0)), False, []),
        ("scaled(a)", raster(dtype="uint8", quantity="cloud_mask"), True, []),
        ("scaled(a)", raster(dtype="int16", quantity="elevation"), True, []),
        ("scaled(a)", bare(), True, []),
        ("in_range(a)", ndvi(value_range=(-0.2, 0.9)), True, []),
        ("in_range(a)", ndvi(value_range=(-0.2, 9000.0)), False, []),
        ("in_range(a)", ndvi(), None, ["value_range"]),
        ("in_range(a)", Artifact(type="scalar", value=float("nan"), facts=ndvi().facts), True, []),
        ("in_range(a)", Artifact(type="scalar", value=-3.5, facts=ndvi().facts), False, []),
        ("in_range(a)", raster(), None, ["quantity"]),
        ("in_range(a)", raster(quantity="surface_temperature", unit="degC", value_range=(0.0, 40.0)), True, []),
        ("in_range(a)", raster(quantity="surface_temperature", unit="K", value_range=(0.0, 40.0)), False, []),
        ("in_range(a)", raster(quantity="surface_temperature", unit="m", value_range=(0.0, 40.0)), False, []),
        ("in_range(a)", raster(quantity="precipitation", unit="mm day-1", value_range=(0.0, 40.0)), True, []),
        ("in_range(a)", raster(quantity="surface_temperature", unit="what", value_range=(0.0, 40.0)), False, []),
        ("family(a, 'index')", ndvi(), True, []),
        ("family(a, ['terrain', 'index'])", ndvi(), True, []),
        ("family(a, 'terrain')", ndvi(), False, []),
        ("family(a, 'terrain')", raster(), None, ["quantity"]),
        ("categorical(a)", raster(quantity="cloud_mask"), True, []),
        ("categorical(a)", ndvi(), False, []),
        ("categorical(a)", raster(), None, ["quantity"]),
        ("continuous(a)", ndvi(), True, []),
        ("continuous(a)", raster(quantity="cloud_mask"), False, []),
        ("continuous(a)", raster(), None, ["quantity"]),
        ("rate(a)", raster(unit="mm day-1"), True, []),
        ("rate(a)", raster(unit="kg m-2 s-1"), True, []),
        ("rate(a)", raster(unit="mm"), False, []),
        ("rate(a)", raster(unit="W m-2"), False, []),
        ("rate(a)", raster(), False, []),
        ("circular(a)", raster(quantity="aspect"), True, []),
        ("circular(a)", ndvi(), False, []),
        ("circular(a)", raster(), False, []),
        ("known(a, 'unit')", ndvi(), True, []),
        ("known(a, 'unit')", raster(), None, ["unit"]),
        ("compatible_units(a, 'degC')", raster(unit="K"), True, []),
        ("compatible_units(a, 'm')", raster(unit="K"), False, []),
        ("compatible_units(a, 'm')", raster(), None, ["unit"]),
        ("compatible_units(a, 'm')", raster(unit="what"), None, []),
        ("compatible_units(a, 'what')", raster(unit="m"), None, []),
        ("usual_unit(a)", raster(quantity="surface_temperature", unit="K"), True, []),
        ("usual_unit(a)", raster(quantity="surface_temperature", unit="degC"), False, []),
        ("usual_unit(a)", raster(quantity="surface_temperature"), True, []),
        ("usual_unit(a)", raster(unit="degC"), True, []),
        ("usual_unit(a)", raster(quantity="surface_temperature", unit="what"), None, []),
        ("has_bands(a, 'red')", raster(bands=("red", "nir")), True, []),
        ("has_bands(a, ['red', 'blue'])", raster(bands=("red", "nir")), False, []),
        ("has_bands(a, 'red')", raster(), None, ["bands"]),
        ("has_bands(a, 'ndvi')", band_set({"red": raster(), "nir": raster()}), True, []),
        ("has_bands(a, 'NDVI')", band_set({"red": raster()}), False, []),
        ("has_bands(a, 5)", band_set({"red": raster()}), None, []),
        ("distinct_dates(a)", dated_series(3), True, []),
        ("distinct_dates(a)", series((ndvi(datetime="2022-01-01"), ndvi(datetime="2022-01-01"))), False, []),
        ("distinct_dates(a)", series((ndvi(datetime="2022-01-01"), ndvi())), None, ["datetime"]),
        ("distinct_dates(a)", band_set({n: ndvi(datetime="2022-01-01") for n in ("red", "nir")}), True, []),
    ],
)
def test_truth_tables(text: str, artifact: Artifact, truth: bool | None, gaps: list[str]) -> None:
    found = said(text, a=artifact)
    assert found.truth is truth
    assert missing(found) == gaps
    assert truth is True or found.because


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("is_index('ndvi')", True),
        ("is_index('NDVI')", True),
        ("is_index('elevation')", False),
        ("quantity_family('ndvi', 'index')", True),
        ("quantity_family('NDVI', ['terrain'])", False),
        ("quantity_family('nonsense', 'index')", None),
    ],
)
def test_questions_about_names(text: str, truth: bool | None) -> None:
    assert said(text).truth is truth


@pytest.mark.parametrize("name", ["same_grid", "same_crs", "same_quantity", "same_unit"])
def test_sameness_has_three_values(name: str) -> None:
    fact = name.removeprefix("same_")
    one, like_one, other = ndvi("a"), ndvi("b"), raster("c", crs=DEGREES, quantity="evi", unit="K")
    assert said(f"{name}(x, y)", x=one, y=like_one).truth is True
    assert said(f"{name}(x, y)", x=one, y=other).truth is False
    assert said(f"{name}(x)", x=series((one, like_one))).truth is True
    assert said(f"{name}(x)", x=one).truth is True
    unknown = Artifact("raster", facts=one.facts.without((fact,)))
    found = said(f"{name}(x, y)", x=one, y=unknown)
    assert found.truth is None
    assert found.missing == (Missing(("y",), fact),)


def test_the_grid_of_most_is_the_one_that_others_should_follow() -> None:
    coarse = {"red": raster("r", pixel=20), "green": raster("g", pixel=20)}
    bands = band_set({"nir": raster("n", pixel=10), **coarse})
    found = said("same_grid(bands)", bands=bands)
    assert found.truth is False
    assert found.goals == (Goal("same_grid", ("bands", "nir"), like=("bands", "red")),)
    assert str(found.goals[0]) == "same_grid(bands.nir, bands.red)"
    assert "64x64 at 10x10" in found.because
    assert "20x20" in found.because


def test_on_a_tie_the_first_is_the_reference() -> None:
    found = said("same_grid(s)", s=series((raster(pixel=10), raster(pixel=20))))
    assert found.goals == (Goal("same_grid", ("s", 1), like=("s", 0)),)


def test_an_explicit_second_operand_is_the_reference_even_against_the_majority() -> None:
    found = said("same_grid(s, like)", s=series((raster(), raster())), like=raster(pixel=30))
    assert [goal.like for goal in found.goals] == [("like",), ("like",)]
    assert [goal.place for goal in found.goals] == [("s", 0), ("s", 1)]


@pytest.mark.parametrize("text", ["same_grid(data, mask)", "same_grid(mask, data)"])
def test_masks_and_classes_go_to_the_data_whatever_the_order(text: str) -> None:
    data, mask = ndvi(pixel=10), raster("m", pixel=20, quantity="cloud_mask", dtype="uint8")
    assert said(text, data=data, mask=mask).goals == (Goal("same_grid", ("mask",), like=("data",)),)
    found = said("same_grid(s)", s=series((mask, mask, data)))
    assert [(goal.place, goal.like) for goal in found.goals] == [(("s", 0), ("s", 2)), (("s", 1), ("s", 2))]
    two = said("same_grid(one, other)", one=mask, other=raster("n", pixel=10, quantity="mask", dtype="uint8"))
    assert [goal.like for goal in two.goals] == [("other",)]


def test_a_grid_that_is_made_at_run_time_is_undecided_with_a_goal_and_nothing_missing() -> None:
    made = Artifact("raster", facts=Facts.of(Origin.DERIVED, grid=symbolic_grid("node", "output")))
    found = said("same_grid(a, b)", a=made, b=raster())
    assert found.truth is None
    assert found.missing == ()
    assert found.goals == (Goal("same_grid", ("a",), like=("b",)),)
    assert said("same_grid(a, b)", a=made, b=made).truth is True


def test_a_predicate_that_fails_names_itself_as_the_goal_for_each_culprit() -> None:
    found = said("projected(s)", s=series((raster(crs=UTM), raster(crs=DEGREES))))
    assert found.goals == (Goal("projected", ("s", 1)),)


def test_overlap_is_a_question_of_extents_in_any_crs() -> None:
    here, far = raster(origin=(500000.0, 5100000.0)), raster(origin=(600000.0, 5100000.0))
    degrees = bare(crs=DEGREES, bounds=(14.9, 46.0, 15.1, 46.1))
    assert said("overlaps(a, b)", a=here, b=here).truth is True
    assert said("overlaps(a, b)", a=here, b=far).truth is False
    assert said("overlaps(a, b)", a=here, b=degrees).truth is True
    apart = said("overlaps(a, b)", a=degrees, b=bare(crs=DEGREES, bounds=(20.0, 46.0, 21.0, 47.0)))
    assert apart.truth is False
    assert "b is within 20, 46, 21, 47, a within 14.9, 46, 15.1, 46.1" in apart.because
    assert said("overlaps(a, b)", a=far, b=degrees).truth is False
    found = said("overlaps(a, b)", a=here, b=bare(bounds=(0, 0, 1, 1)))
    assert found.truth is None
    assert missing(found) == ["crs"]


def test_a_point_beside_the_data_is_told_with_where_they_lie() -> None:
    here = bare(crs=DEGREES, transform=(0.1, 0, 14.0, 0, -0.1, 46.0), shape=(10, 20), bounds=(14.0, 45.0, 16.0, 46.0))
    assert said("contains(a, x, y)", a=here, x=15.95, y=45.05).truth is True
    beside = said("contains(a, x, y)", a=here, x=16.05, y=45.05)
    assert beside.truth is False
    assert beside.because == "16.05 E 45.05 N is beside a, which lies at 14 to 16 E, 45 to 46 N"
    unknown = said("contains(a, x, y)", a=bare(crs=UTM), x=15.0, y=45.0)
    assert (unknown.truth, missing(unknown)) == (None, ["transform", "shape"])
