"""What looks like the data of an answer and plays no part in it is told with the reason; what the question leaves out
itself is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

PLAIN = "What is the mean NDVI?"


def write(path: Path, west: float = 500000, pixel: float = 10, **tags: str) -> None:
    pixels = np.random.default_rng(sum(map(ord, path.name))).random((12, 12), dtype=np.float32)
    place = Affine(pixel, 0, west, 0, -pixel, 5100000)
    with rasterio.open(path, "w", "GTiff", 12, 12, 1, "EPSG:32633", place, "float32") as file:
        file.write(pixels, 1)
        file.update_tags(**tags)


def notes(folder: Path, query: str = PLAIN, **asked: Any) -> list[str]:
    return [note for note in KnowFlow().plan(query, folder, **asked).notes if "not used" in note]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for day in ("2020-06-01", "2020-06-11"):
        write(tmp_path / f"NDVI_{day}.tif")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "west", "tags", "told"),
    [
        ("karst_NDVI_2020-06-21", 600000, {}, "of another region (karst), and not used: karst_NDVI_2020-06-21.tif"),
        ("more", 500000, {"QUANTITY": "ndvi"}, "of an unknown date, and not used: more.tif"),
        (
            "NDVI_2020-06-21",
            500000,
            {"DAYNIGHT": "night"},
            "another time of day (night; taken: unknown), and not used: NDVI_2020-06-21",
        ),
        (
            "NDVI_ratio_xy",
            500000,
            {},
            'known, and not used: NDVI_ratio_xy.tif; say it: --assume "NDVI_ratio_xy:quan',
        ),
        ("EVI_2020-06-01", 500000, {}, ""),
        ("archive_NDVI_2020-06-21", 500000, {}, ""),  # of the series
        ("somewhat", 500000, {}, ""),
    ],
)
def test_a_file_that_looks_like_one_of_the_series_is_told(
    folder: Path, name: str, west: float, tags: dict[str, str], told: str
) -> None:
    write(folder / f"{name}.tif", west, **tags)
    assert [told in note for note in notes(folder)] == [True] * bool(told)


def test_what_a_question_leaves_out_itself_is_not_told(folder: Path) -> None:
    write(folder / "NDVI_2019-06-01.tif")
    assert notes(folder, "What was the mean NDVI in June 2020?") == []
    assert notes(folder, "What was the change in NDVI between 2020-06-01 and 2020-06-11?") == []
    assert notes(folder, dates="2020-01-01/2020-12-31") == []


def test_several_files_of_one_reason_are_one_note(folder: Path) -> None:
    for number in range(5):
        write(folder / f"karst_NDVI_2021-06-0{number + 1}.tif", 600000)
    (note,) = notes(folder)
    assert note.endswith("and not used: NDVI_2020-06-01.tif, NDVI_2020-06-11.tif")  # the longest series counts


@pytest.mark.parametrize(
    ("query", "taken"),
    [
        ("What was the mean air temperature?", "mean"),
        ("What was the highest air temperature?", "max"),
        ("What was the median air temperature?", "median"),
    ],
)
def test_of_several_statistics_the_one_that_is_asked_for_is_taken(tmp_path: Path, query: str, taken: str) -> None:
    there = ["max", "mean", "min"] + ["median"] * (taken == "median")
    for statistic in there:
        for day in (1, 2):
            said = {"QUANTITY": "air_temperature", "UNIT": "K", "DATETIME": f"2020-06-0{day}"}
            write(tmp_path / f"{statistic}_{day}.tif", **said)
    planned = KnowFlow().plan(query, tmp_path, assume=[f"{one}_*:statistic={one}" for one in there])
    (series,) = planned.plan.inputs.values()
    assert {leaf.name for leaf in series.leaves()} == {f"{taken}_1", f"{taken}_2"}
    told = [note for note in planned.notes if "of another statistic" in note]
    assert len(told) == len(there) - 1
