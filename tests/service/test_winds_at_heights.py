"""The wind at the height of the files: of its two components, told by what the header says of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio

from knowflow import KnowFlow

GRID = {"crs": "EPSG:32631", "transform": rasterio.Affine(1000, 0, 500000, 0, -1000, 5800000), "width": 4, "height": 3}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "data"
    place.mkdir()
    for name, said, value in (("u10", "10 metre U wind component", 3.0), ("v10", "10 metre V wind component", 4.0)):
        with rasterio.open(
            place / f"{name}_2022-02-18.tif", "w", driver="GTiff", count=1, dtype="float32", **GRID
        ) as one:
            one.write(np.full((1, 3, 4), value, dtype="float32"))
            one.descriptions, one.units = (said,), ("m s-1",)
    return place


@pytest.mark.parametrize("said", ["10 m wind speed", "wind speed at 10 m", "wind speed"])
def test_the_speed_of_two_components_is_asked_at_their_height(folder: Path, tmp_path: Path, said: str) -> None:
    run = KnowFlow(tmp_path / "home").run(
        f"What was the mean {said} on 18 February 2022?", folder, out=tmp_path / "out"
    )
    assert run.answer == pytest.approx(5.0)


def test_no_other_height_is_answered_by_them(folder: Path, tmp_path: Path) -> None:
    run = KnowFlow(tmp_path / "home").run(
        "What was the mean 100 m wind speed on 18 February 2022?", folder, out=tmp_path / "out"
    )
    assert run.status == "refused"
