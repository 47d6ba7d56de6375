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
    ("query", "side"), [("area that faces south", "south"), ("How many ha face north-west?", "northwest")]
)
def test_ground_that_faces_a_side_needs_no_slope_to_be_named(query: str, side: str) -> None:
    assert (proposed(query), understand(query).value("facing")) == (["slopes_facing"], side)


def test_the_extent_of_a_class_is_no_statistic_within_it() -> None:
    assert "statistic_within_class" not in proposed("What share of the area is forest?")


@pytest.mark.parametrize(
    "query", ["What was the water temperature of the reservoir?", "The sea surface temperature of the lake"]
)
def test_a_quantity_that_is_named_is_no_question_about_the_extent_of_the_place(query: str) -> None:
    assert not {"water_extent", "largest_water_bodies"} & {*proposed(query)}


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


def test_what_is_only_named_beside_the_quantity_is_not_what_is_asked_about() -> None:
    assert "heat_hotspots" not in proposed("What did the rain gauges collect? I set it against the heat.")
    assert "heat_hotspots" in proposed("Where are the hot spots?")
