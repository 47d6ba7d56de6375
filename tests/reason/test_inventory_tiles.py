"""Files that lie edge to edge on one grid are one raster; what overlaps, or is another layer, is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from hypothesis import given
from hypothesis import strategies as st
from rasterio.transform import Affine
from scipy.ndimage import label

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import take_inventory
from knowflow.reason.inventory.tiles import with_tiles_joined
from knowflow.service.api import Service

ROWS, COLUMNS = 12, 20


def write(path: Path, pixels: Any, left: float = 0.0, top: float = 0.0, **tags: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = np.asarray(pixels, dtype="float32")
    transform = Affine(10, 0, 500000 + 10 * left, 0, -10, 5100000 - 10 * top)
    said = {"QUANTITY": "ndvi", "UNIT": "1", "DATETIME": "2022-06-01", **tags}
    profile = {"driver": "GTiff", "count": 1, "height": stored.shape[0], "width": stored.shape[1], "dtype": "float32"}
    with rasterio.open(path, "w", crs="EPSG:32633", transform=transform, **profile) as file:
        file.write(stored, 1)
        file.update_tags(**said)


def image() -> Any:
    y, x = np.mgrid[0:ROWS, 0:COLUMNS]
    return 0.2 + 0.02 * x + 0.01 * y


def rasters(folder: Path) -> tuple[Any, ...]:
    return take_inventory(folder).candidates("raster", ("ndvi",))


def test_tiles_are_one_raster_whose_mean_is_that_of_all_pixels(tmp_path: Path) -> None:
    whole = image()
    for number, (rows, columns) in enumerate([(0, 0), (0, 7), (5, 0), (5, 7)]):
        part = whole[rows : 5 if rows == 0 else None, columns : 7 if columns == 0 else None]
        write(tmp_path / "data" / f"ndvi_{number}.tif", part, columns, rows)
    (found,) = rasters(tmp_path / "data")
    assert found.fact("shape") == (ROWS, COLUMNS)
    assert found.fact("transform") == (10, 0, 500000, 0, -10, 5100000)
    result = Service(tmp_path / "home").run("What is the mean NDVI?", tmp_path / "data", out=tmp_path / "out")
    assert result.status == "completed"
    assert result.answer == pytest.approx(whole.mean(), abs=1e-7)
    assert not [note for note in result.notes if "not used" in note or "both used" in note]


@pytest.mark.parametrize(
    "second",
    [
        pytest.param({"left": 15}, id="they overlap"),
        pytest.param({"left": 21}, id="there is a gap between them"),
        pytest.param({"left": 20.5}, id="pixels do not fall on pixels"),
        pytest.param({"left": 20, "top": 12}, id="they touch at a corner"),
        pytest.param({"left": 20, "DATETIME": "2022-06-11"}, id="of another date"),
        pytest.param({"left": 20, "SENSOR": "landsat-8"}, id="of another sensor"),
        pytest.param({"left": 20, "UNIT": "%"}, id="in another unit"),
    ],
)
def test_what_may_be_another_image_is_not_put_together(tmp_path: Path, second: dict[str, Any]) -> None:
    write(tmp_path / "one.tif", image())
    write(tmp_path / "two.tif", image(), **second)
    assert len(rasters(tmp_path)) == 2


def test_tiles_make_scenes_and_series(tmp_path: Path) -> None:
    for day in ("2022-06-01", "2022-06-11"):
        for number in (0, 1):
            write(tmp_path / f"{day}_{number}.tif", image(), number * COLUMNS, DATETIME=day)
    (series,) = take_inventory(tmp_path).candidates("raster_series", ("ndvi",))
    assert [item.fact("datetime") for item in series.items] == ["2022-06-01", "2022-06-11"]
    assert all(item.fact("shape") == (ROWS, 2 * COLUMNS) for item in series.items)


def test_tiles_that_have_the_names_of_their_tiles_are_one_image(tmp_path: Path) -> None:
    for number, tile in enumerate(("h18v04", "h19v04")):
        write(tmp_path / f"{tile}_2022-06-01_NDVI.tif", image(), number * COLUMNS)
    assert [item.fact("region") for item in take_inventory(tmp_path).rasters] == ["h18v04", "h19v04"]
    (found,) = rasters(tmp_path)
    assert found.fact("shape") == (ROWS, 2 * COLUMNS)


RECTANGLES = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 5), st.integers(1, 5))


@given(st.lists(RECTANGLES, min_size=2, max_size=9))
def test_tiles_make_the_images_that_their_painted_pixels_make(places: list[tuple[int, int, int, int]]) -> None:
    """Truth: connected ground (by edges) where every tile is painted once; nothing where a pixel is painted twice."""
    painted = np.zeros((20, 20), int)
    for top, left, rows, columns in places:
        painted[top : top + rows, left : left + columns] += 1
    parts, _ = label(painted)
    of_part = [int(parts[top, left]) for top, left, _, _ in places]
    expected = len(places) if painted.max() > 1 else len(set(of_part))
    tiles = [
        Artifact(
            "raster",
            Facts.of(
                Origin.MEASURED,
                quantity="ndvi",
                crs="EPSG:32633",
                shape=(rows, columns),
                transform=(10.0, 0.0, 500000.0 + 10 * left, 0.0, -10.0, 5100000.0 - 10 * top),
            ),
            f"tile {number}",
        )
        for number, (top, left, rows, columns) in enumerate(places)
    ]
    joined = with_tiles_joined(tiles)
    assert len(joined) == expected
    assert sum(len(item.items) or 1 for item in joined) == len(places)
