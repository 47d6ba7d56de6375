"""Slopes that face a side: sectors around the circle, flat ground in none."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from drawn_rasters import draw, read

from knowflow.tools.exposure import Compass, slopes_facing

ASPECTS = np.array([[0, 44, 46, 314, 316, 180, np.nan]], dtype=np.float32)


@pytest.mark.parametrize(
    ("towards", "sector", "expected"),
    [
        ("north", 90, [1, 1, 0, 0, 1, 0]),
        ("east", 90, [0, 0, 1, 0, 0, 0]),
        ("west", 90, [0, 0, 0, 1, 0, 0]),
        ("south", 90, [0, 0, 0, 0, 0, 1]),
        ("northwest", 45, [0, 0, 0, 1, 1, 0]),
        ("south", 360, [1, 1, 1, 1, 1, 1]),
    ],
)
def test_a_slope_faces_the_side_whose_sector_it_lies_in(
    tmp_path: Path, towards: Compass, sector: float, expected: list[int]
) -> None:
    aspect = draw(tmp_path / "a.tif", ASPECTS, quantity="aspect", unit="degree")
    slopes_facing(aspect, towards, tmp_path / "out.tif", sector)
    mask, about = read(tmp_path / "out.tif")
    np.testing.assert_array_equal(mask, [[*expected, np.nan]])
    assert (about["QUANTITY"], about["dtype"], about["nodata"]) == ("mask", "uint8", 255)


def test_four_sectors_share_all_slopes_and_eight_halves_do_too(tmp_path: Path) -> None:
    turns = (np.arange(720, dtype=np.float32) / 2 + 0.1).reshape(24, 30)
    aspect = draw(tmp_path / "a.tif", turns, quantity="aspect", unit="degree")
    for points, sector in ((get_args(Compass)[::2], 90.0), (get_args(Compass), 45.0)):
        total = np.zeros(turns.shape)
        for towards in points:
            slopes_facing(aspect, towards, tmp_path / "out.tif", sector)
            total += read(tmp_path / "out.tif")[0]
        assert (total == 1).all()
