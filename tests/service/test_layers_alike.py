"""Layers of one quantity: maps of years beside maps of months, layers that a word of their names tells apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError
from knowflow.service.api import Service


def write(place: Path, value: float, dtype: str = "float32", unit: str | None = None) -> None:
    grid = {
        "crs": "EPSG:32633",
        "transform": rasterio.Affine(100, 0, 500000, 0, -100, 5100000),
        "width": 4,
        "height": 4,
    }
    with rasterio.open(place, "w", driver="GTiff", count=1, dtype=dtype, **grid) as dataset:
        dataset.write(np.full((1, 4, 4), value, dtype))
        dataset.units = (unit,)


@pytest.fixture(scope="module")
def rain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rain of the years 2020 to 2022, and of the months of 2022: most of it in August."""
    folder = tmp_path_factory.mktemp("rain")
    for year, amount in ((2020, 500), (2021, 400), (2022, 320)):
        write(folder / f"rain_annual_{year}.tif", amount, unit="mm")
    for month in range(1, 13):
        write(folder / f"rain_2022-{month:02}.tif", 100 if month == 8 else 20, unit="mm")
    return folder


@pytest.fixture(scope="module")
def monthly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rain of April and May 2021, of their dekads, and of each day of April."""
    folder = tmp_path_factory.mktemp("monthly")
    for month, amount in ((4, 90), (5, 31)):
        write(folder / f"rain_2021-{month:02}.tif", amount, unit="mm")
        for first, last, part in ((1, 10, 30), (11, 20, 40), (21, 30, 20)):
            name = f"rain_2021{month:02}{first:02}_2021{month:02}{last if month == 4 or first < 21 else 31}.tif"
            write(folder / name, part if month == 4 else 10 + (first == 21), unit="mm")
    for day in range(1, 31):
        write(folder / f"rain_2021-04-{day:02}.tif", 3, unit="mm")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much rain fell in April 2021?", 90),
        ("What was the mean monthly rainfall of April 2021?", 90),
        ("Which month of 2021 was the wettest?", "2021-04"),
        ("On how many days in April 2021 was mean rainfall above 2 mm?", 30),
        ("How much rain fell from 5 to 8 April 2021?", 12),
        ("How much rain fell from 11 to 20 May 2021?", 10),
    ],
)
def test_months_dekads_and_days_are_not_counted_together(
    question: str, expected: object, monthly: Path, tmp_path: Path
) -> None:
    found = KnowFlow(tmp_path / "home").run(question, monthly, out=tmp_path / "out").answer
    assert found == (pytest.approx(expected) if isinstance(expected, int) else expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much rain fell in 2022?", 320),
        ("In how many years was mean rainfall below 450 mm?", 2),
        ("Which month of 2022 was the wettest?", "2022-08"),
        ("How much rain fell in August 2022?", 100),
    ],
)
def test_years_and_months_are_not_counted_together(question: str, expected: object, rain: Path, tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run(question, rain, out=tmp_path / "out").answer
    assert found == (pytest.approx(expected) if isinstance(expected, int) else expected)


def test_months_are_not_told_from_maps_of_years(tmp_path: Path) -> None:
    for year in (2020, 2021):
        write(tmp_path / f"rain_annual_{year}.tif", 500, unit="mm")
    with pytest.raises(PlanningError, match="tells nothing of months"):
        KnowFlow(tmp_path / "home").plan("Which month of 2020 was the wettest?", tmp_path)


def test_a_layer_is_that_which_a_word_tells_apart(tmp_path: Path) -> None:
    for name, depth in (("RP30", 1.5), ("RP100", 2.5)):
        write(tmp_path / f"water_depth_{name}.tif", depth, unit="m")
    kf = KnowFlow(tmp_path / "home")
    found = kf.run("What is the mean water depth in the 100-year scenario?", tmp_path, out=tmp_path / "out")
    assert found.answer == pytest.approx(2.5)
    assert "rp100" in str(found.understood)


def test_a_mask_that_its_name_says_nothing_else_of_is_no_water(tmp_path: Path) -> None:
    write(tmp_path / "mangrove_extent_2020.tif", 1, "uint8")
    (item,) = Service(tmp_path / "home").inventory(tmp_path).rasters
    assert item.fact("quantity") != "water_mask"


@pytest.fixture(scope="module")
def extremes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Temperatures of two months, the largest and the smallest of each, on two pixels that differ by 4 degrees."""
    folder = tmp_path_factory.mktemp("extremes")
    grid = {
        "crs": "EPSG:32633",
        "transform": rasterio.Affine(100, 0, 500000, 0, -100, 5100000),
        "width": 2,
        "height": 1,
    }
    for month, low, high in ((5, 6, 20), (6, 10, 24)):
        for name, value in (("tmin", low), ("tmax", high)):
            place = folder / f"{name}_2020-{month:02}.tif"
            with rasterio.open(place, "w", driver="GTiff", count=1, dtype="float32", **grid) as dataset:
                dataset.write(np.array([[[value - 2, value + 2]]], "float32"))
                dataset.units = ("degC",)
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the mean of the maximum temperature in May 2020?", 20),
        ("mean minimum temperature in June 2020", 10),
        ("What was the maximum temperature in June 2020?", 26),
        ("What was the highest temperature in May 2020?", 22),
        ("By how many degC is the mean maximum temperature of June 2020 above that of May 2020?", 4),
    ],
)
def test_a_temperature_is_that_of_the_maps_of_its_largest_or_smallest(
    question: str, expected: float, extremes: Path, tmp_path: Path
) -> None:
    assert KnowFlow(tmp_path / "home").run(question, extremes, out=tmp_path / "out").answer == pytest.approx(expected)


def test_a_mean_is_of_the_maps_of_neither_where_there_are_some(extremes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "three"
    shutil.copytree(extremes, folder)
    write(folder / "tmean_2020-05.tif", 13, unit="degC")
    flow = KnowFlow(tmp_path / "home")
    mean = flow.run("What was the mean temperature in May 2020?", folder, out=tmp_path / "out").answer
    assert mean == pytest.approx(13)
    highest = flow.run("What was the highest temperature in May 2020?", folder, out=tmp_path / "out").answer
    assert highest == pytest.approx(22)


def test_that_maps_are_of_the_largest_alone_is_told(extremes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    shutil.copy(extremes / "tmax_2020-05.tif", folder)
    plan = KnowFlow(tmp_path / "home").plan("What was the mean temperature in May 2020?", folder).plan
    assert [one.value for one in plan.assumptions if one.what == "air temperature"] == ["its maximum"]


def test_a_mean_is_not_told_of_the_largest_alone(extremes: Path, tmp_path: Path) -> None:
    with pytest.raises(PlanningError, match="its maximum and its minimum"):
        KnowFlow(tmp_path / "home").plan("What was the mean temperature in May 2020?", extremes)
