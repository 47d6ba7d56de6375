"""The days before and after what happened, by the names of layers and by notes, and what else names of layers say."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.reason.data_words import data_words
from knowflow.reason.inventory import take_inventory


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (("ndvi_20220314", "ndvi_20220630"), "NDVI before (14 March) and after (30 June) the fire."),
        (("ndvi_20220314", "ndvi_20220630"), "Dredging took place April - May 2022."),
        (("ndvi_20220314", "ndvi_20220630"), "The landslide happened on 3 April 2022."),
        (("ndvi_20220314_prefire", "ndvi_20220630_postfire"), ""),
        (("ndvi_20220314", "ndvi_20220630"), "NDVI before (2022-03-14) and after (2022-06-30) the storm."),
        (("ndvi_20220314", "ndvi_20220630"), "pre = 14 March 2022 (Landsat 8), post = 30 June 2022. NDVI."),
        (("ndvi_20220314", "ndvi_20220630"), "14 March = before the fire, 30 June = after the fire."),
        (("ndvi_20220314", "ndvi_20220630"), "Clear days.\nFire: 3-13 April 2022."),
        (("ndvi_20220314", "ndvi_20220630"), "NDVI before and after the fire of 17 April 2022."),
    ],
)
def test_an_event_lies_between_the_days_that_are_told(tmp_path: Path, names: tuple[str, ...], note: str) -> None:
    for name in names:
        write_raster(tmp_path / f"{name}.tif")
    (tmp_path / "README.txt").write_text(note)
    data = data_words(take_inventory(tmp_path).as_called())
    assert data.events == (date(2022, 3, 14), date(2022, 6, 30))
    found = read("What was the mean NDVI after the fire?", data).expression
    assert found is not None
    assert equal(found, read("What was the mean NDVI on 30 June 2022?", data).expression)


def test_notes_of_several_days_tell_no_event(tmp_path: Path) -> None:
    for day in ("20220314", "20220401", "20220630"):
        write_raster(tmp_path / f"ndvi_{day}.tif")
    (tmp_path / "README.txt").write_text("The storm happened on 3 April 2022.")
    assert data_words(take_inventory(tmp_path).as_called()).events == ()


def test_a_layer_is_called_by_the_head_of_its_description_and_without_the_event(tmp_path: Path) -> None:
    for name in ("mbes_20220314_predredge", "mbes_20220630_postdredge"):
        said = ("water depth below chart datum, positive down",)
        write_raster(tmp_path / f"{name}.tif", descriptions=said, band_tags={"UNIT": "m"})
    data = data_words(take_inventory(tmp_path).as_called())
    assert data.quantities == {"mbes__m"}
    found = read("What was the mean water depth after the dredging?", data).expression
    assert found is not None
    assert equal(found, read("What was the mean mbes on 30 June 2022?", data).expression)


def test_an_image_after_an_event_is_of_its_day_or_of_none(tmp_path: Path) -> None:
    for name in ("ndvi_20220314", "ndvi_20220630"):
        write_raster(tmp_path / f"{name}.tif")
    said = "Mean NDVI of the post-fire image"
    assert read(said, data_words(take_inventory(tmp_path).as_called())).expression is None
    (tmp_path / "notes.txt").write_text("Fire: 3-13 April 2022.")
    data = data_words(take_inventory(tmp_path).as_called())
    found = read(said, data).expression
    assert found is not None
    assert equal(found, read("Mean NDVI on 30 June 2022", data).expression)
