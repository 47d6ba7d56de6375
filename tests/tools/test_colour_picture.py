"""Colour pictures: what is shown as red, green and blue, and what is transparent."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.image import imread

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.colour_picture import colour_picture

NAMES = ("red", "green", "blue")


def bands(folder: Path, values: np.ndarray) -> dict[str, Artifact]:
    """A raster for each of three planes, (rows, columns, 3)."""
    return {name: draw(folder / f"{name}.tif", values[..., at].copy()) for at, name in enumerate(NAMES)}


@pytest.mark.parametrize("stretch", ["common", "each"])
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1))
def test_colours_are_those_of_the_percentiles(
    tmp_path_factory: pytest.TempPathFactory, stretch: str, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("picture")
    values = np.random.default_rng(seed).normal(0.2, 0.1, (9, 7, 3)).astype(np.float32) * [1, 2, 3]
    values = values.astype(np.float32)
    values[2, 3, 1] = np.nan
    colour_picture(bands(folder, values), folder / "p.png", ("blue", "red", "green"), stretch=stretch)  # type: ignore[arg-type]
    shown = imread(folder / "p.png", format="png")
    order = values[..., [2, 0, 1]]
    known = np.isfinite(order).all(axis=-1)
    low, high = np.percentile(order[known], (2, 98), axis=None if stretch == "common" else 0)
    np.testing.assert_allclose(shown[known][:, :3], np.clip((order[known] - low) / (high - low), 0, 1), atol=1 / 255)
    np.testing.assert_array_equal(shown[..., 3], known)


def test_what_cannot_be_shown_is_told(tmp_path: Path) -> None:
    one = bands(tmp_path, np.full((3, 3, 3), np.nan, np.float32))
    with pytest.raises(ToolError, match="nothing to show"):
        colour_picture(one, tmp_path / "p.png", NAMES)
    with pytest.raises(ToolError, match="three bands") as told:
        colour_picture(one, tmp_path / "p.png", ("nir", "red", "green"))
    assert told.value.found == "nir, red, green; there are red, green, blue"


def test_the_veil_of_the_air_is_taken_off_what_is_seen_from_above_it(tmp_path: Path) -> None:
    ground = np.random.default_rng(3).uniform(0.0, 0.2, (20, 20, 3)).astype(np.float32)
    ground[:2] = 0.0
    veil = np.array([0.02, 0.04, 0.07], np.float32)
    for folder, values, kind in (
        ("ground", ground, "surface_bidirectional_reflectance"),
        ("above", ground + veil, "toa_bidirectional_reflectance"),
        ("bright", ground + 0.5, "toa_bidirectional_reflectance"),
    ):
        (tmp_path / folder).mkdir()
        scene = {
            name: draw(tmp_path / folder / f"{name}.tif", values[..., at].copy(), quantity=kind)
            for at, name in enumerate(NAMES)
        }
        colour_picture(scene, tmp_path / f"{folder}.png", NAMES)
    shown, above, bright = (imread(tmp_path / f"{name}.png", format="png") for name in ("ground", "above", "bright"))
    np.testing.assert_allclose(above, shown, atol=2 / 255)
    assert bright[..., 2].mean() < bright[..., 0].mean(), "of bright ground no more is taken than air can scatter"
