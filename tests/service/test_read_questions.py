"""Questions in words that are answered as expressions: what is computed is what the arrays say, and what is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError, NotUnderstoodError
from knowflow.service.api import Service
from tests.service.service_examples import Command, scene

YEARS = ("2016-05-10", "2016-07-10", "2017-05-10", "2017-07-10", "2017-09-10")
NDVI = {"name": "NDVI", "quantity": "ndvi", "values": "0.1 + (0.2 + 0.1 * i) * x + 0.05 * i", "dates": list(YEARS)}
DEM = {"name": "dem", "quantity": "elevation", "unit": "m", "values": "100 + 100 * y"}


def fields() -> tuple[np.ndarray, np.ndarray]:
    """NDVI by date, and heights, as the scene is told to hold them: pixel centres of 32 x 32 pixels."""
    at = (np.arange(32) + 0.5) / 32
    x, y = np.meshgrid(at, at)
    return np.stack([0.1 + (0.2 + 0.1 * i) * x + 0.05 * i for i in range(5)]), 100 + 100 * y


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scene(tmp_path_factory.mktemp("read") / "data", NDVI, DEM)


@pytest.mark.parametrize(
    ("query", "truth"),
    [
        (
            "On how many dates in 2017 was the standard deviation of NDVI above 0.12?",
            lambda ndvi, _: np.sum(ndvi[2:].std(axis=(1, 2)) > 0.12),
        ),
        ("What was the largest of the daily standard deviations of NDVI?", lambda ndvi, _: ndvi.std(axis=(1, 2)).max()),
        (
            "What share of the area with elevation below 150 m had an NDVI above 0.4 in July?",
            lambda ndvi, height: np.mean([np.mean(ndvi[i][height < 150] > 0.4) for i in (1, 3)]),
        ),
    ],
)
def test_a_sentence_asks_what_its_words_compose(
    data: Path, tmp_path: Path, query: str, truth: Callable[[np.ndarray, np.ndarray], float]
) -> None:
    found = KnowFlow(tmp_path / "home").run(query, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(truth(*fields()), abs=1e-6)
    assert found.query == query
    assert found.understood


def test_a_word_that_nothing_knows_leaves_the_question_unanswered(data: Path) -> None:
    with pytest.raises(KnowFlowError) as refused:
        KnowFlow().plan("mean quokkaness adjusted NDVI in 2017", data)
    assert "quokkaness" in str(refused.value)


def test_what_is_set_is_of_what_the_question_states(data: Path) -> None:
    query = "What share of the area has NDVI above 0.4?"
    assert "above 0.5" in KnowFlow().plan(query, data, set={"limit": 0.5}).plan.title
    with pytest.raises(KnowFlowError, match=r"limit=0\.4"):
        KnowFlow().plan(query, data, set={"threshold": 0.5})


def test_areas_are_told_in_the_unit_that_is_asked_for(data: Path, tmp_path: Path) -> None:
    heights = fields()[1]
    for said, unit, metres in (("", "km2", 1e6), (" in hectares", "ha", 1e4)):
        query = f"How large is the area with elevation above 150 m{said}?"
        found = KnowFlow(tmp_path / "home").run(query, data, out=tmp_path / unit)
        assert found.unit == unit
        assert found.answer == pytest.approx(np.sum(heights > 150) * 100 / metres, rel=1e-3)
        assert "map" in found.outputs


def test_a_year_before_dates_is_their_year_and_no_number_of_them(data: Path, tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run("Which 2016 date had the largest mean NDVI?", data, out=tmp_path / "out")
    assert found.answer == "2016-07-10"


@pytest.mark.parametrize("text", ["", "  ", "NDVI " * 3000, "mean \udcff"])
def test_what_is_no_question_is_not_read(text: str) -> None:
    with pytest.raises(NotUnderstoodError):
        Service().read(text)


def test_each_part_of_a_question_has_its_answer_and_what_they_share_is_computed_once(
    knowflow: Command, data: Path, tmp_path: Path
) -> None:
    query = "What is the standard deviation of NDVI in 2017, and how large is the area above 0.4 in hectares?"
    out = tmp_path / "out"
    told = knowflow("run", query, "--data", data, "--runner", "local", "--out", out).result
    ndvi = fields()[0][2:]
    area = np.mean([np.sum(one > 0.4) for one in ndvi]) * 100 / 1e4
    assert told["answer"] == {
        "first": pytest.approx(ndvi.std(axis=(1, 2)).mean(), abs=1e-6),
        "second": pytest.approx(area, rel=1e-3),
    }
    assert told["values"]["second"]["unit"] == "ha"
    assert "NDVI in 2017 is above 0.4" in told["values"]["second"]["asked"]
    delivered = json.loads((out / "answer.json").read_text())["values"]
    assert delivered == told["values"]
    page = (out / "report.html").read_text()
    assert all(one["asked"] in page for one in delivered.values())


def test_parts_in_one_unit_are_told_in_it(data: Path, tmp_path: Path) -> None:
    query = "What is the standard deviation of NDVI in 2017, and what is the mean of NDVI in 2017?"
    found = KnowFlow(tmp_path / "home").run(query, data, out=tmp_path / "out")
    assert len(found.answer) == 2
    assert found.unit == "1"


def test_what_parts_share_is_made_by_the_same_nodes(data: Path) -> None:
    one, other = "the standard deviation of NDVI in 2017", "the maximum of the daily standard deviation of NDVI in 2017"
    nodes = {
        query: [node.tool for node in KnowFlow().plan(query, data).plan.workflow.nodes]
        for query in (one, f"What was {one}, and what was {other}?")
    }
    assert [tools.count("raster_statistic") for tools in nodes.values()] == [3, 3]
