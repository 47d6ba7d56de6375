"""Which templates may answer: what a question says of the place is never passed over."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

import pytest

from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.template import Template
from knowflow.reason.language import understand
from knowflow.reason.proposing import proposals


@cache
def templates() -> Collection[Template]:
    return load_catalogue().templates.values()


def proposed(query: str) -> list[str]:
    return [proposal.template.template for proposal in proposals(templates(), understand(query), {})]


def test_a_statistic_of_one_class_is_taken_within_it() -> None:
    assert proposed("What was the mean NDVI of the forest?")[0] == "statistic_within_class"


@pytest.mark.parametrize(
    "query", ["How green are the steep slopes?", "What is the mean temperature of the steep slopes?"]
)
def test_terrain_is_cut_out_by_its_limit(query: str) -> None:
    assert "statistic_where" in proposed(query)


@pytest.mark.parametrize(
    "query",
    [
        "What is the NDVI trend of the steep slopes?",
        "Mean NDVI where slope is above 10 degrees, elevation above 300 m and NDMI above 0.2",
    ],
)
def test_a_place_that_no_template_cuts_out_is_not_ignored(query: str) -> None:
    assert proposed(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "How many images have less than 10 % cloud cover?",
        "How many cloud-free acquisitions are there?",
        "How many dates are more than half cloudy?",
    ],
)
def test_dates_are_counted_by_how_cloudy_they_are(query: str) -> None:
    assert proposed(query)[0] == "count_of_cloudy_dates"


@pytest.mark.parametrize(
    ("query", "side"), [("area that faces south", "south"), ("How many ha face north-west?", "northwest")]
)
def test_ground_that_faces_a_side_needs_no_slope_to_be_named(query: str, side: str) -> None:
    assert (proposed(query), understand(query).value("facing")) == (["slopes_facing"], side)


def test_a_difference_of_two_dates_by_its_own_name_is_no_difference_of_such_differences() -> None:
    assert proposed("dNBR between 2015-07-11 and 2015-08-20") == ["mean_burn_severity"]


def test_the_extent_of_a_class_is_no_statistic_within_it() -> None:
    assert "statistic_within_class" not in proposed("What share of the area is forest?")


@pytest.mark.parametrize(
    "query", ["What was the water temperature of the reservoir?", "The sea surface temperature of the lake"]
)
def test_a_quantity_that_is_named_is_no_question_about_the_extent_of_the_place(query: str) -> None:
    assert not {"water_extent", "largest_water_bodies"} & {*proposed(query)}


def test_the_part_of_each_polygon_that_is_something_is_a_share() -> None:
    assert proposed("For every district I would like the part which is water")[0] == "water_by_polygon"


@pytest.mark.parametrize(
    "query",
    [
        "How did each land cover class change since 2015, in hectares?",
        "What is the NDVI trend of every district?",
        "By how much did the storm lower the mean NDVI of each land cover class?",
    ],
)
def test_a_change_or_a_trend_of_each_is_no_question_about_how_each_is(query: str) -> None:
    assert proposed(query) == []  # no template tells how each one changed


def test_places_that_are_compared_are_told_each() -> None:
    assert proposed("Compare the districts for me please: NDVI mean of each one.")[0] == "zonal_statistics_by_vector"


def test_what_is_only_named_beside_the_quantity_is_not_what_is_asked_about() -> None:
    assert "heat_hotspots" not in proposed("What did the rain gauges collect? I set it against the heat.")
    assert "heat_hotspots" in proposed("Where are the hot spots?")


@pytest.mark.parametrize("query", ["What is the maximum temperature of the water?", "Temperature of the coolest water"])
def test_a_thing_that_stands_for_the_quantity_leaves_the_place_of_its_statistic(query: str) -> None:
    assert proposed(query)[0] == "statistic_within_class"


@pytest.mark.parametrize("query", ["Map NDWI", "MNDWI map of 2021-06-01", "Map the NDSI", "a map of the NDBI"])
def test_the_map_of_an_index_is_of_its_values_not_of_what_they_tell(query: str) -> None:
    found = proposed(query)
    assert "index_map" in found
    assert not {"water_extent", "snow_cover", "built_up_extent"} & {*found}


@pytest.mark.parametrize(
    ("query", "template"),
    [("Map the snow with NDSI", "snow_cover"), ("NBR map before and after the 2021-06-01", "burn_severity")],
)
def test_what_an_index_tells_is_mapped_where_it_is_named(query: str, template: str) -> None:
    assert template in proposed(query)
