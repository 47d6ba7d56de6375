"""Values moved to the distribution of another image, as scikit-image moves them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read
from skimage.exposure import match_histograms

from knowflow.ground.errors import ToolError
from knowflow.tools.histogram_matching import match_histogram


def test_scikit_image_moves_them_to_the_same_values(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    ours = random.gamma(3, 0.05, (120, 140)).astype(np.float32)
    wanted = random.normal(0.4, 0.1, (90, 110)).astype(np.float32)
    match_histogram(draw(tmp_path / "a.tif", ours), draw(tmp_path / "b.tif", wanted), tmp_path / "out.tif")
    found = read(tmp_path / "out.tif")[0]
    expected = match_histograms(ours, wanted)
    assert np.abs(found - expected).max() < 0.04  # in the tails, where a rank is a single pixel
    assert np.abs(found - expected).mean() < 2e-4
    for share in (0.05, 0.5, 0.95):
        assert np.quantile(found, share) == pytest.approx(np.quantile(wanted, share), abs=1e-3)


def test_an_image_in_other_units_of_light_is_brought_back(tmp_path: Path) -> None:
    values = np.random.default_rng(2).uniform(0, 0.5, (80, 90)).astype(np.float32)
    values[:5] = np.nan
    darker = draw(tmp_path / "d.tif", 0.6 * values + 0.02, quantity="surface_bidirectional_reflectance", unit="1")
    match_histogram(darker, draw(tmp_path / "r.tif", values), tmp_path / "out.tif")
    found, about = read(tmp_path / "out.tif")
    np.testing.assert_allclose(found, values, atol=1e-3)
    assert about["QUANTITY"] == "surface_bidirectional_reflectance"


def test_an_image_matched_with_itself_stays_as_it_is(tmp_path: Path) -> None:
    values = np.round(np.random.default_rng(2).normal(5, 2, (80, 90))).astype(np.float32)  # many pixels share a value
    raster = draw(tmp_path / "r.tif", values)
    match_histogram(raster, raster, tmp_path / "out.tif")
    assert np.mean(np.abs(read(tmp_path / "out.tif")[0] - values) < 1e-6) > 0.99


def test_nothing_cannot_be_ranked(tmp_path: Path) -> None:
    nothing = draw(tmp_path / "n.tif", np.full((5, 5), np.nan, np.float32))
    with pytest.raises(ToolError, match="holds no data"):
        match_histogram(draw(tmp_path / "r.tif", np.ones((5, 5), np.float32)), nothing, tmp_path / "out.tif")
