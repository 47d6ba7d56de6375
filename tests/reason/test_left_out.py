"""What a question asks besides is told with its plan, and a movement that is asked about is a change."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow import KnowFlow
from knowflow.ground.errors import KnowFlowError
from knowflow.reason.language import understand
from knowflow.reason.language.explanation import unclear


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    for date in ("2015-07-01", "2016-06-01", "2016-07-01", "2016-08-01", "2017-07-01"):
        write_raster(folder / f"NDVI_{date}.tif")
    write_raster(folder / "dem.tif")
    return folder


def _left_out(question: str, data: Path, home: Path) -> list[str]:
    plan = KnowFlow(home).plan(question, data).plan
    return [str(one.value) for one in plan.assumptions if one.origin == "left out"]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("mean of slope and aspect", []),  # parts of one question, each answered
        ("mean slope and the mean of its elevation", []),
        ("mean slope and elevation", []),
        ("mean elevation and slope", []),
        ("Mean and maximum of NDVI in 2016", []),
        ("Mean NDVI in 2016", []),
        ("NDVI trend between 2015 and 2019", ["2018 to 2019"]),
        ("NDVI trend from 2014 to 2017", ["2014"]),
        ("NDVI trend since 2012", ["2012 to 2014"]),
        ("Mean NDVI from July 2015 to July 2017", []),
        ("Correlation of NDVI and elevation", []),
        ("Median and 20th percentile of NDVI in 2016", []),
        ("Mean NDVI and mean elevation where the elevation is below 500 m", []),
        ("Mean NDVI where the slope is above 5 degrees and the elevation is below 900 m", []),
    ],
)
def test_what_is_asked_besides_is_told_with_the_plan(
    question: str, left: list[str], data: Path, tmp_path: Path
) -> None:
    assert _left_out(question, data, tmp_path) == left


@pytest.mark.parametrize(
    "question",
    [
        "mean slope, aspect and elevation",
        "What was the mean NDVI in 2016, and how much did it grow?",
        "Make a map of NDVI in 2016 and give the mean",
        "What was the highest NDVI in 2016, and when?",
        "What share of the area saw a change of NDVI between 2015-07-01 and 2016-07-01?",
        "When was NDVI highest, and what is the ratio of that peak to the mean?",
        "What is the mean NDVI in 2016, and its ratio to the maximum?",
        "When was NDVI lowest, and by which quotient of the mean?",
        "Mean NDVI where the elevation is above 0.3 m and where it is lower",
        "Mean NDVI where the slope is below 10 degrees, and elsewhere",
        "mean slope from the elevation",
        "On which date was NDVI highest, and when?",
        "What share of the area lost NDVI between 2015-07-01 and 2016-07-01?",
        "Mean change of NDVI from 2016 to 2017",
    ],
)
def test_what_is_asked_besides_and_not_read_is_asked_back(question: str, data: Path, tmp_path: Path) -> None:
    with pytest.raises(KnowFlowError):
        KnowFlow(tmp_path).plan(question, data)


@pytest.mark.parametrize(
    "question",
    [
        "Ratio of NDVI in August 2016 to NDVI in August 2017",
        "mean NDVI divided by its maximum",
        "What is the quotient of the highest and the mean NDVI?",
        "Divide the maximum NDVI of 2016 by that of 2017",
    ],
)
def test_what_divides_is_asked_back_where_nothing_else_is_asked(question: str) -> None:
    assert ["no step divides or multiplies" in one.why for one in unclear(understand(question))] == [True]


@pytest.mark.parametrize(
    "question", ["Mean burn ratio in 2016", "Mean NDVI divided by district", "What ratio of area is forest?"]
)
def test_names_and_groups_divide_nothing(question: str) -> None:
    assert not unclear(understand(question))


@pytest.mark.parametrize(
    "question",
    ["Did the mean NDVI rise from 2015 to 2017?", "Has NDVI fallen between 2015 and 2017?"],
)
def test_whether_something_moved_asks_for_its_change(question: str) -> None:
    goal = understand(question)
    assert goal.value("operation") == "change"
    assert [one.start[:4] for one in goal.value("comparison")] == ["2015", "2017"]


def test_how_far_something_moved_stays_a_difference() -> None:
    goal = understand("Did the mean NDVI rise or fall between 2015 and 2017, and by how much?")
    assert goal.value("operation") == "difference"


def test_two_times_of_two_things_asked_are_asked_back() -> None:
    found = unclear(understand("What was the mean NDVI in 2016 and the trend of NDVI from 2015 to 2017?"))
    assert any("is another time than '2016'" in one.why for one in found)


def test_months_of_years_stay_months_of_years() -> None:
    periods = understand("How did the turbidity change in June 2020-2022?").value("comparison")
    assert [(one.start, one.end) for one in periods] == [("2020-06-01", "2020-06-30"), ("2022-06-01", "2022-06-30")]
