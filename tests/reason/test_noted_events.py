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
