"""Standardised indices of rain: the only one of a folder is that index, those of several spans have their own names."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.called import with_own_names
from tests.reason.rasters import write_raster

INDICES = {
    "spi": "standardized_precipitation_index",
    "spei": "standardized_precipitation_evapotranspiration_index",
}


def quantities(folder: Path) -> set[str]:
    return {str(item.fact("quantity")) for item in with_own_names(take_inventory(folder).artifacts)}


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("name", ["{}3_2016{:02}.tif", "{}_03_2016-{:02}.tif", "{}-2016-{:02}.tif"])
def test_the_only_index_of_a_folder_is_that_index(tmp_path: Path, index: str, name: str) -> None:
    for month in (3, 9):
        write_raster(tmp_path / name.format(index, month), tags={"month": str(month)})
    assert quantities(tmp_path) == {INDICES[index]}


@pytest.mark.parametrize("index", INDICES)
def test_indices_of_two_spans_are_what_they_are_called(tmp_path: Path, index: str) -> None:
    for span in (3, 12):
        write_raster(tmp_path / f"{index}{span}_201603.tif", tags={"span": str(span)})
    found = quantities(tmp_path)
    assert len(found) == 2
    assert INDICES[index] not in found
