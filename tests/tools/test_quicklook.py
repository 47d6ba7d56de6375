"""Quick looks: what is drawn, and that it is a picture."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, noise
from matplotlib import colormaps
from matplotlib.image import imread
from rasterio.transform import Affine

from knowflow.ground.errors import ToolError
from knowflow.ground.quantities import quantity_kind
from knowflow.tools import quicklook as tools
from knowflow.tools.raster import Grid


def _pixels(picture: bytes) -> np.ndarray:
    return imread(io.BytesIO(picture), format="png")


def test_a_quick_look_is_a_png_that_shows_the_values(tmp_path: Path) -> None:
    values = np.tile(np.linspace(0, 1, 300, dtype=np.float32), (200, 1))
    raster = draw(tmp_path / "a.tif", values, quantity="ndvi", unit="1", datetime="2022-06-01")
    tools.quick_look(raster, tmp_path / "map.tmp", colours="gray")
    assert (tmp_path / "map.tmp").read_bytes().startswith(b"\x89PNG")
    shown = _pixels((tmp_path / "map.tmp").read_bytes())
    line = shown[shown.shape[0] // 2, :, 0]
    inside = line[int(0.15 * line.size) : int(0.6 * line.size)]
    assert (np.diff(inside) > -0.02).all()
    assert inside[-1] - inside[0] > 0.4


def test_gaps_are_grey_and_nothing_but_gaps_says_so(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.full((40, 40), np.nan, np.float32), quantity="ndvi")
    shown = _pixels(tools.render_map(raster))
    grey = np.isclose(shown[..., :3], 0xD9 / 255, atol=0.01).all(axis=-1)
    assert grey.mean() > 0.2


def test_classes_have_colours_of_their_own(tmp_path: Path) -> None:
    values = np.repeat(np.array([[4, 6, 8]], np.uint8), 60, axis=0).repeat(20, axis=1)
    raster = draw(tmp_path / "a.tif", values, quantity="scene_classification")
    shown = _pixels(tools.render_map(raster))
    middle = np.rint(shown[shown.shape[0] // 2, :, :3] * 255).astype(int)
    expected = [[round(255 * part) for part in colormaps["tab20"](index)[:3]] for index in (0, 1, 2)]
    assert all(colour in middle.tolist() for colour in expected)


def test_thinning_takes_every_nth_pixel_across_blocks(tmp_path: Path) -> None:
    values = noise((1300, 2500), gaps=0.05)
    picture = tools.thinned(draw(tmp_path / "a.tif", values), 700)
    assert picture.step == 4
    np.testing.assert_array_equal(picture.values, values[::4, ::4])


def test_changes_are_drawn_around_zero() -> None:
    finite = np.array([-1.0, 3.0], dtype=np.float32)
    low, high = tools.colour_limits(finite, quantity_kind("trend_per_year"), (None, None))
    assert low == -high
    assert tools.colour_limits(finite, None, (0.0, 1.0)) == (0.0, 1.0)
    assert tools.colour_limits(np.full(3, 2.0, np.float32), None, (None, None)) == (1.5, 2.5)
    with pytest.raises(ToolError, match="range of the colours"):
        tools.colour_limits(finite, None, (5.0, 1.0))


def test_an_unknown_colour_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="unknown colour map"):
        tools.render_map(draw(tmp_path / "a.tif", noise((5, 5))), colours="rainbowish")


def test_the_scale_bar_is_in_metres_on_the_ground() -> None:
    assert tools.metres_per_pixel(Grid("EPSG:32633", Affine(10, 0, 5e5, 0, -10, 5e6), (10, 10))) == pytest.approx(
        10, rel=1e-3
    )
    mercator = Grid("EPSG:3857", Affine(10, 0, 1e6, 0, -10, 8399737), (10, 10))  # at 60 N, where it stretches by two
    assert tools.metres_per_pixel(mercator) == pytest.approx(5, rel=0.01)
    degrees = Grid("EPSG:4326", Affine(0.01, 0, 14, 0, -0.01, 60.05), (10, 10))
    assert tools.metres_per_pixel(degrees) == pytest.approx(0.01 * 111_320 * 0.5, rel=0.01)
    assert tools.metres_per_pixel(Grid(None, Affine.identity(), (10, 10))) is None
    assert tools.round_length(2700.0) == (2000.0, "2 km")
    assert tools.round_length(999.0) == (500.0, "500 m")
    assert tools.round_length(0.2) == (0.2, "0.2 m")
