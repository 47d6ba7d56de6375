"""Questions of one point (``--at``): the same expression as in words, against the pixels of the files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError
from knowflow.question.form import expression_of
from knowflow.question.narrowing import at_points
from knowflow.question.operators import Point
from knowflow.question.reading.reader import read
from knowflow.reason.points import place_of

PLACE = (14.5553, 46.0468)
ROW, COLUMN = 3, 5
MONTHS = (6, 7, 8, 9)
VALUES = {
    month: (np.arange(100).reshape(10, 10) / 200 + month**2 / 300).astype("float32")  # (rows, columns)
    for month in MONTHS
}
HEIGHTS = np.arange(100, dtype="float32").reshape(10, 10) * 10  # m


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for month, values in VALUES.items():
        written(folder / f"ndvi_2021-0{month}-01.tif", values)
    return folder


def written(path: Path, values: np.ndarray, west: float = 14.55) -> None:
    profile = {"driver": "GTiff", "count": 1, "dtype": "float32", "height": 10, "width": 10, "crs": "EPSG:4326"}
    with rasterio.open(path, "w", transform=Affine(0.001, 0, west, 0, -0.001, 46.05), **profile) as out:
        out.write(values, 1)


AT = f"{PLACE[0]},{PLACE[1]}"
SERIES = np.array([VALUES[month][ROW, COLUMN] for month in MONTHS])


@pytest.mark.parametrize(
    "asked",
    [
        "What was the mean NDVI{}?",
        "NDVI{} over time",
        "NDVI{} in July 2021",
        "the trend of NDVI{}",
        "When was NDVI highest{}?",
        "How did NDVI change from June 2021 to July 2021{}?",
        "area of NDVI above 0.6{}",
        "What is the elevation{}?",
        "a chart of NDVI{}",
    ],
)
def test_a_point_that_is_given_reads_as_one_that_is_said(asked: str) -> None:
    said = read(asked.format(" at 14.5553 E 46.0468 N")).expression
    plain = read(asked.format("")).expression
    assert said is not None
    assert plain is not None
    assert at_points(plain, Point(*PLACE)) == said


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("show(ndvi, map)", "over(within(ndvi, point(14.5553, 46.0468)), space, mean)"),
        ("water_mask", "over(within(water_mask, point(14.5553, 46.0468)), space, any)"),
        ("over(within(ndvi, point(1, 2)), space, mean)", "over(within(ndvi, point(14.5553, 46.0468)), space, mean)"),
        ("show(within(ndvi, point(1, 2)), map)", "over(within(ndvi, point(14.5553, 46.0468)), space, mean)"),
    ],
)  # fmt: skip
def test_maps_are_their_value_and_other_points_give_way(asked: str, expected: str) -> None:
    (one, wrong), (other, _) = expression_of(asked), expression_of(expected)
    assert one is not None, wrong
    assert other is not None
    assert at_points(one, Point(*PLACE)) == other
    assert at_points(other, Point(*PLACE)) == other


def test_what_has_no_value_at_a_point_is_refused() -> None:
    correlated, _ = expression_of("correlate(over(ndvi, time, mean), elevation, space)")
    assert correlated is not None
    with pytest.raises(PlanningError, match="nothing that is asked has a value at a point"):
        at_points(correlated, Point(*PLACE))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the mean NDVI?", SERIES.mean()),
        ("What was the NDVI in July 2021?", SERIES[1]),
        ("What was the highest NDVI?", SERIES.max()),
        ("How did NDVI change from June 2021 to September 2021?", SERIES[3] - SERIES[0]),
    ],
)
def test_values_are_those_of_the_pixel(data: Path, tmp_path: Path, question: str, expected: float) -> None:
    result = KnowFlow(home=tmp_path / "home").run(question, data, at=PLACE, out=tmp_path / "out")
    assert result.status == "completed", result.error
    assert result.answer == pytest.approx(expected, rel=1e-6)
    assert "14.5553 E 46.0468 N" in str(result.understood)


def test_over_dates_there_is_the_series(data: Path, tmp_path: Path) -> None:
    result = KnowFlow(home=tmp_path / "home").run("NDVI over time", data, at=AT, out=tmp_path / "out")
    assert [row["date"] for row in result.answer] == [f"2021-0{month}-01" for month in MONTHS]
    assert [row["mean"] for row in result.answer] == pytest.approx(SERIES.tolist(), rel=1e-6)


def test_files_elsewhere_do_not_count(data: Path, tmp_path: Path) -> None:
    written(data / "ndvi_2021-10-01.tif", VALUES[6] * 0, west=15.0)
    result = KnowFlow(home=tmp_path / "home").run("mean NDVI", data, at=PLACE, out=tmp_path / "out")
    assert result.answer == pytest.approx(SERIES.mean(), rel=1e-6)


def test_a_reading_keeps_the_words_behind_its_parts(data: Path) -> None:
    found = KnowFlow().read("What was the mean NDVI in July 2021?", at=PLACE)
    said = found.to_json()
    assert said["understood_as"].count("14.5553 E 46.0468 N") == 1
    places = {part["words"]: part["at"] for part in said["parts"]}
    assert places["NDVI"][-4:] == ["within", "x", "during", "x"]
    assert places["July 2021"][-2:] == ["within", "x"]


@pytest.mark.parametrize("said", ["14.55", "a,b", "14.55;46.05", "200,46", "14,95", "nan,46", "1,2,3", ""])
def test_what_is_no_point_is_told(said: str) -> None:
    with pytest.raises(PlanningError, match="not a point"):
        place_of(said)


def test_a_point_beside_the_data_is_refused_with_where_they_lie(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow(home=tmp_path / "home")
    turned = flow.run("mean NDVI", data, at=(46.0468, 14.5553), out=tmp_path / "out")
    assert turned.status == "refused"
    assert turned.error is not None
    assert (turned.error["code"], turned.error["message"]) == ("data_not_found", "the point lies beside the data")
    assert turned.error["expected"] == "longitude and latitude within 14.55, 46.04, 14.56, 46.05"
    both = flow.run("mean NDVI", data, at=PLACE, aoi="14,46,15,47", out=tmp_path / "out")
    assert both.status == "refused"
    assert both.error is not None
    assert both.error["found"] == "both"


def test_what_is_asked_next_stays_at_the_point_or_goes_to_another(data: Path, tmp_path: Path) -> None:
    flow = KnowFlow(home=tmp_path / "home")
    first = flow.run("mean NDVI in June 2021", data, at=PLACE, out=tmp_path / "one")
    then = flow.run("and in July 2021?", after=first.run_id, out=tmp_path / "two")
    assert then.answer == pytest.approx(SERIES[1], rel=1e-6)
    there = flow.run("and in August 2021?", after=first.run_id, at=(14.5505, 46.0495), out=tmp_path / "three")
    assert there.answer == pytest.approx(VALUES[8][0, 0], rel=1e-6)
