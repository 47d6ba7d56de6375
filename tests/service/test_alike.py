"""Several files of one layer and time: which of them count is told, and nothing where there is nothing to choose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

PLAIN = "What was the mean NDVI in June 2020?"
SCENE = "T33TVM_20200601T100031"


def write(path: Path, value: float = 0.3, west: float = 500000, pixel: int = 10, **tags: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    side = 300 // pixel
    day = int("".join(filter(str.isdigit, tags.get("DATETIME", path.stem))))
    pixels = value + 0.1 * np.random.default_rng(day).random((side, side), dtype=np.float32)
    place = Affine(pixel, 0, west, 0, -pixel, 5100000)
    with rasterio.open(
        path, "w", "GTiff", side, side, count=1, crs="EPSG:32633", transform=place, dtype="float32"
    ) as file:
        file.write(pixels, 1)
        file.update_tags(**tags)


@pytest.mark.parametrize(
    ("name", "value", "west", "told"),
    [
        ("b/NDVI_2020-06-01.tif", 0.6, 500000, "with other pixels, and not used: b/NDVI_2020-06-01.tif (beside a/N"),
        ("b/NDVI_2020-06-01.tif", 0.6, 500400, "of other ground, and not used: b/NDVI_2020-06-01.tif"),
        ("b/NDVI_2020-06-01.tif", 0.6, 500150, "of other ground, and not used: b/NDVI_2020-06-01.tif"),  # half of it
        ("NDVI_2020-06-01_copy.tif", 0.6, 500000, "with other pixels, and not used: NDVI_2020-06-01_copy.tif (beside"),
        ("b/NDVI_2020-06-01.tif", 0.3, 500000, ""),  # the same pixels under other tags
        ("b/NDVI_2020-05-31.tif", 0.6, 500000, ""),
        ("b/EVI_2020-06-01.tif", 0.6, 500000, ""),
    ],
)
def test_a_file_of_the_same_layer_and_time_that_is_not_used_is_told(
    tmp_path: Path, name: str, value: float, west: float, told: str
) -> None:
    for day in ("2020-06-01", "2020-06-11"):
        write(tmp_path / f"a/NDVI_{day}.tif")
    unread = {"QUANTITY": "ndvi", "UNIT": "1", "DATETIME": "2020-06-01"} if "copy" in name else {"NOTE": "other"}
    write(tmp_path / name, value, west, **unread)
    notes = KnowFlow().plan(PLAIN, tmp_path).notes
    assert [told in note for note in notes] == [True] * bool(told)


@pytest.mark.parametrize("twin", [("2020-07-01", "both used"), ("2020-07-02", "")])
def test_files_of_one_date_that_both_count_are_told_and_no_date_is_lost(tmp_path: Path, twin: tuple[str, str]) -> None:
    date, told = twin
    for name, day in (("one", "2020-06-01"), ("two", "2020-07-01"), ("three", date)):
        write(tmp_path / f"{name}.tif", len(name) / 10, QUANTITY="ndvi", UNIT="1", DATETIME=day)
    planned = KnowFlow().plan("What is the mean NDVI of each date?", tmp_path)
    (series,) = planned.plan.inputs.values()
    assert len(series.items) == 3
    assert [told in note for note in planned.notes] == [True] * bool(told)


def test_bands_of_another_tile_are_told_and_those_of_another_overpass_are_not(tmp_path: Path) -> None:
    said = {"SCALE": "1", "OFFSET": "0"}
    for band, value in (("B04", 0.1), ("B08", 0.4)):
        for scene, west in ((SCENE, 500000), (SCENE.replace("VM", "WM"), 500600)):
            write(tmp_path / f"{scene}_{band}_10m.tif", value, west, **said)
        write(tmp_path / f"{SCENE.replace('T1000', 'T1140')}_{band}_10m.tif", value + 0.2, **said)
        write(tmp_path / f"{SCENE}_{band}_20m.tif", value, pixel=20, **said)
    (note,) = KnowFlow().plan(PLAIN, tmp_path).notes
    assert note.count("T33TWM_20200601T100031_B0") == 2
    assert "T1140" not in note
    assert "20m" not in note


def test_the_region_that_a_question_names_leaves_no_doubt(tmp_path: Path) -> None:
    write(tmp_path / "Delta_2020-06-01_NDVI.tif", 0.3)
    write(tmp_path / "Karst_2020-06-01_NDVI.tif", 0.6, 600000)
    assert "Karst" in str(KnowFlow().plan(PLAIN, tmp_path).notes)
    assert "Karst" not in str(KnowFlow().plan(PLAIN.replace("NDVI", "NDVI of Delta"), tmp_path).notes)


def test_a_letter_in_other_words_names_no_region(tmp_path: Path) -> None:
    for name, value in (("a", 0.3), ("b", 0.6)):
        write(tmp_path / f"NDVI_2020-06-01_{name}.tif", value)
    notes = KnowFlow().plan(PLAIN, tmp_path).notes
    assert ["with other pixels, and not used: NDVI_2020-06-01_b.tif" in note for note in notes] == [True]
