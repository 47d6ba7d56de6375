"""What a refusal says: the word or the operator in the way, and questions that these data answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.question.operators import Over, Quantity, Trend
from tests.service.service_examples import Command, scene

NDVI = {
    "name": "NDVI",
    "quantity": "ndvi",
    "values": "0.1 + 0.5 * x + 0.05 * i",
    "dates": ["2016-05-10", "2017-05-10", "2017-07-10"],
}
DEM = {"name": "dem", "quantity": "elevation", "unit": "m", "values": "100 + 100 * y"}
ANSWERS = KnowFlow()
WORDS = (
    "mean",
    "NDVI",
    "on",
    "rainfall",
    "in",
    "2017",
    "1990",
    "forest",
    "zorbed",
    "above",
    "0.5",
    "trend",
    "per",
    "year",
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("offered") / "data", NDVI, DEM)


@pytest.fixture(scope="module")
def terrain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("offered") / "data", DEM)


def refusal(query: Any, data: Path) -> KnowFlowError:
    with pytest.raises(KnowFlowError) as refused:
        ANSWERS.plan(query, data)
    return refused.value


@settings(max_examples=12, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=2, max_size=7))
def test_whatever_is_refused_what_is_offered_is_planned(data: Path, words: list[str]) -> None:
    asked = ANSWERS.run(" ".join(words), data, dry_run=True)
    assert asked.status == "planned" or asked.error is not None
    offered = [] if asked.error is None else asked.error["instead"]
    assert asked.error is None or 1 <= len(offered) <= 3
    for question in offered:
        assert ANSWERS.plan(question, data)


def test_what_is_offered_is_near_to_what_was_asked_and_of_what_is_there(data: Path, terrain: Path) -> None:
    offered = refusal("What was the standard deviation of rainfall in 2017?", data).instead
    assert offered[0] == "What was the standard deviation of NDVI in 2017?"
    offered = refusal("What was the standard deviation of rainfall in 2017?", terrain).instead
    assert offered[0] == "What is the standard deviation of elevation?"


def test_a_refusal_names_the_word_that_nothing_knows(data: Path) -> None:
    error = refusal("What was the mean NDVI of the zorbed parcels?", data)
    assert "zorbed" in str(error)


def test_an_expression_that_is_refused_is_offered_others(terrain: Path) -> None:
    assert "What is the mean elevation?" in refusal(Trend(Over(Quantity("ndvi"), "space", "mean")), terrain).instead


def test_a_new_folder_gets_questions_by_topic_each_of_which_is_planned(data: Path, terrain: Path) -> None:
    topics = ANSWERS.suggest(data)
    assert {"how much", "areas and shares", "dates", "through time", "to look at"} <= topics.keys()
    for question in (question for questions in topics.values() for question in questions):
        ANSWERS.plan(question, data)
    assert {"dates", "through time"}.isdisjoint(ANSWERS.suggest(terrain))


def test_the_command_line_offers_them_ready_to_paste(knowflow: Command, data: Path) -> None:
    listed = knowflow("suggest", "--data", data).result["topics"]
    assert all(one["questions"] for one in listed)
    refused = knowflow("plan", "the zorbed NDVI of North Farm", "--data", data).error
    assert refused["instead"]
    assert all(isinstance(one, str) for one in refused["instead"])
    assert knowflow("read", "the zorbed NDVI", "--data", data).result["instead"]
