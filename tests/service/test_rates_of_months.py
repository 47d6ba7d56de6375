"""Of rain told as so much a day, month by month over the Earth, all of it is that times the days of the months."""

from __future__ import annotations

from calendar import monthrange
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow.roof.library import KnowFlow

RATE = np.tile(np.array([1.0, 2.0, 3.0, 2.0, 1.0, 0.5], "float32")[:, None], (1, 12))  # belts of 30 degrees
EDGES = np.sin(np.radians(np.arange(90, -91, -30)))
WEIGHT = EDGES[:-1] - EDGES[1:]  # of each belt, as large as it is on a sphere
MEAN = float((RATE[:, 0] * WEIGHT).sum() / WEIGHT.sum())
DAYS = [monthrange(2019, month)[1] for month in (1, 2, 3)]


@pytest.fixture(scope="module", params=["precipitation_rate", "precipitation"])
def data(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    folder = tmp_path_factory.mktemp("earth")
    grid = {"crs": "EPSG:4326", "transform": Affine(30, 0, -180, 0, -30, 90)}
    for month in (1, 2, 3):
        with rasterio.open(
            folder / f"rate_2019{month:02}.tif", "w", "GTiff", 12, 6, 1, dtype="float32", **grid
        ) as file:
            file.write(RATE * month, 1)
            file.update_tags(QUANTITY=request.param, UNIT="mm day-1")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much rain fell on the whole Earth in February 2019, on average?", 2 * 28 * MEAN),
        (
            "How many millimetres of rain fell in 2019 on average, weighted by area?",
            sum(n * d for n, d in zip((1, 2, 3), DAYS, strict=True)) * MEAN,
        ),
        ("What was the mean precipitation rate of the world in March 2019, in mm/day?", 3 * MEAN),
    ],
)
def test_all_that_fell_is_added_up(data: Path, tmp_path: Path, question: str, expected: float) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(expected, rel=5e-3), found.understood  # the Earth is no sphere


def test_a_part_of_the_earth_is_not_the_earth(tmp_path: Path) -> None:
    grid = {"crs": "EPSG:4326", "transform": Affine(1, 0, 10, 0, -1, 50)}
    with rasterio.open(tmp_path / "rain_20190101.tif", "w", "GTiff", 12, 6, 1, dtype="float32", **grid) as file:
        file.write(RATE, 1)
        file.update_tags(QUANTITY="precipitation", UNIT="mm")
    found = KnowFlow(tmp_path / "home").run("How much rain fell on Earth in 2019 on average?", tmp_path)
    assert found.status == "refused"


def _means(folder: Path, name: str, day: int = 1, **told: str) -> Path:
    """Rain of three months as a reanalysis keeps their means, in metres; the name tells whose."""
    folder.mkdir()
    grid = {"crs": "EPSG:32637", "transform": Affine(9000, 0, 200000, 0, -9000, 400000)}
    for month in (1, 2, 3):
        path = folder / f"{name}_tp_2019-{month:02}-{day:02}.tif"
        with rasterio.open(path, "w", "GTiff", 12, 6, 1, dtype="float32", **grid) as file:
            file.write(RATE * month / 1000, 1)
            file.update_tags(UNIT="m", **told)
    return folder


@pytest.mark.parametrize("told", [{"CELL_METHODS": "time: mean"}, {}])
def test_monthly_means_of_a_reanalysis_are_of_a_day(tmp_path: Path, told: dict[str, str]) -> None:
    asked = "How much rain fell on average from January to March 2019, in mm?"
    found = KnowFlow(tmp_path / "home").run(asked, _means(tmp_path / "own", "era5land", **told), out=tmp_path / "out")
    assert found.status == "completed", found.error
    fell = sum(month * days for month, days in zip((1, 2, 3), DAYS, strict=True)) * float(RATE.mean())
    assert found.answer == pytest.approx(fell, rel=1e-4)


@pytest.mark.parametrize(("name", "day"), [("station", 1), ("era5land", 9)])
def test_amounts_of_others_and_of_days_are_as_they_say(tmp_path: Path, name: str, day: int) -> None:
    folder = _means(tmp_path / "other", name, day)
    found = KnowFlow(tmp_path / "home").inventory(folder).artifacts
    assert {(item.fact("unit"), item.fact("scale")) for item in found} == {("m", None)}


@pytest.mark.parametrize(
    ("quantity", "unit", "in_a_day", "asked", "told_in"),
    [
        ("precipitation", "m day-1", 1000.0, "rain", "mm"),
        ("precipitation", "kg m-2 s-1", 86400.0, "rain", "mm"),
        ("precipitation_rate", "mm h-1", 24.0, "rain", "mm"),
        ("snowfall", "m day-1", 1000.0, "snowfall", "mm"),
        ("runoff", "mm day-1", 1.0, "runoff", "mm"),
        ("downward_shortwave_energy", "J m-2 day-1", 1.0, "downward shortwave energy", "J m-2"),
    ],
)
def test_a_rate_times_its_span_is_the_amount(
    tmp_path: Path, quantity: str, unit: str, in_a_day: float, asked: str, told_in: str
) -> None:
    data = tmp_path / "data"
    data.mkdir()
    grid = {"crs": "EPSG:32637", "transform": Affine(9000, 0, 200000, 0, -9000, 400000)}
    for month in (1, 2, 3):
        with rasterio.open(data / f"x_2019-{month:02}-01.tif", "w", "GTiff", 12, 6, 1, dtype="float32", **grid) as file:
            file.write(RATE * month / in_a_day, 1)
            file.update_tags(QUANTITY=quantity, UNIT=unit)
    held = KnowFlow(tmp_path / "home").inventory(data).as_called().artifacts
    amounts = [one for one in held if one.fact("unit") == told_in]
    assert [one.fact("span")[1] for one in amounts] == ["2019-01-31", "2019-02-28", "2019-03-31"]
    found = KnowFlow(tmp_path / "home").run(
        f"What was the total {asked} from January to March 2019?", data, out=tmp_path / "out"
    )
    assert found.status == "completed", found.error
    fell = sum(month * days for month, days in zip((1, 2, 3), DAYS, strict=True)) * float(RATE.mean())
    assert found.answer == pytest.approx(fell, rel=1e-3), found.understood
    assert any("is the mean of its month" in str(one) for one in found.assumptions)


@pytest.mark.parametrize(
    ("dates", "told"),
    [
        (("2019-01-01", "2019-01-02", "2019-01-04"), {}),
        (("2019-01-01", "2019-02-01", "2019-02-11"), {}),
        (("2019-01-01", "2019-02-01", "2019-03-01"), {"CELL_METHODS": "time: maximum"}),
    ],
)
def test_rates_of_unknown_spans_and_the_largest_ones_are_no_amounts(
    tmp_path: Path, dates: tuple[str, ...], told: dict[str, str]
) -> None:
    grid = {"crs": "EPSG:32637", "transform": Affine(9000, 0, 200000, 0, -9000, 400000)}
    for day in dates:
        with rasterio.open(tmp_path / f"x_{day}.tif", "w", "GTiff", 12, 6, 1, dtype="float32", **grid) as file:
            file.write(RATE, 1)
            file.update_tags(QUANTITY="precipitation_rate", UNIT="mm h-1", **told)
    held = KnowFlow(tmp_path / "home").inventory(tmp_path).as_called().artifacts
    assert {one.fact("quantity") for one in held if one.type == "raster"} == {"precipitation_rate"}
