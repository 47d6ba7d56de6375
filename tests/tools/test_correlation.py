"""Correlation of rasters and series against scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, noise, read
from scipy import stats

from knowflow.ground.errors import ToolError
from knowflow.tools import correlation as tools


@pytest.mark.parametrize(("method", "oracle"), [("pearson", stats.pearsonr), ("spearman", stats.spearmanr)])
def test_correlation_equals_scipy_over_common_pixels(tmp_path: Path, method: str, oracle) -> None:
    x, extra = noise((700, 600), 1), noise((700, 600), 2)
    y = (0.5 * x + extra + 300).astype(np.float32)
    both = np.isfinite(x) & np.isfinite(y)
    a, b = draw(tmp_path / "a.tif", x), draw(tmp_path / "b.tif", y)
    expected = oracle(x[both].astype(float), y[both].astype(float))[0]
    assert tools.correlation(a, b, method) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_a_constant_raster_has_no_correlation(tmp_path: Path, method: str) -> None:
    a = draw(tmp_path / "a.tif", noise((5, 5)))
    b = draw(tmp_path / "b.tif", np.ones((5, 5), np.float32))
    with pytest.raises(ToolError, match="nothing to correlate"):
        tools.correlation(a, b, method)


def test_more_pixels_than_can_be_ranked_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "RANKED_PIXELS", 10)
    a, b = draw(tmp_path / "a.tif", noise((5, 5))), draw(tmp_path / "b.tif", noise((5, 5), 1))
    with pytest.raises(ToolError, match="too many pixels"):
        tools.correlation(a, b, "spearman")


def test_series_are_paired_by_day(tmp_path: Path) -> None:
    x = np.stack([noise((4, 5), seed) for seed in range(8)])
    y = np.stack([noise((4, 5), 50 + seed) for seed in range(8)])
    a = tuple(draw(tmp_path / f"a{i}.tif", x[i], datetime=f"2022-01-{i + 1:02}T10:00:00") for i in range(7))
    b = tuple(draw(tmp_path / f"b{i}.tif", y[i], datetime=f"2022-01-{i + 1:02}") for i in range(1, 8))
    tools.temporal_correlation(a, b[::-1], tmp_path / "r.tif")
    found = read(tmp_path / "r.tif")[0]
    for row in range(4):
        for column in range(5):
            u, v = x[1:7, row, column].astype(float), y[1:7, row, column].astype(float)
            both = np.isfinite(u) & np.isfinite(v)
            expected = stats.pearsonr(u[both], v[both])[0] if both.sum() >= 3 else np.nan
            assert found[row, column] == pytest.approx(expected, abs=1e-6, nan_ok=True)
    with pytest.raises(ToolError, match="share too few dates"):
        tools.temporal_correlation(a[:3], b[4:], tmp_path / "x.tif")
