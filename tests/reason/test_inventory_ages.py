"""Layers of people of one age and sex are known as that, and never as all people."""

from __future__ import annotations

from pathlib import Path

import pytest
from rasters import write_raster

from knowflow.model.facts import Origin
from knowflow.reason.inventory import take_inventory


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("moz_f_0_2019.tif", "females of 0 to 0 years"),
        ("moz_m_1_2019.tif", "males of 1 to 4 years"),
        ("ken_f_60_2020_constrained.tif", "females of 60 to 64 years"),
        ("ken_m_80_2020_UNadj.tif", "males of 80 years and more"),
    ],
)
def test_the_name_tells_the_group(tmp_path: Path, name: str, group: str) -> None:
    write_raster(tmp_path / name)
    (item,) = take_inventory(tmp_path).as_called().rasters
    assert item.fact("quantity") == "population_by_age"
    assert item.fact("slice") == group
    assert item.known("slice").origin is Origin.DECLARED  # type: ignore[union-attr]
