"""Otsu's threshold of radar backscatter: found where two groups stand apart, refused where speckle hides them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from raster_files import write

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.radar import despeckle
from knowflow.tools.thresholding import otsu_threshold


def backscatter(looks: float) -> NDArray[np.float32]:
    """Water at 0.01 and land at 0.05, speckled as the mean of so many looks (a gamma distribution)."""
    chance = np.random.default_rng(7)
    truth = np.where(np.arange(128) < 40, 0.01, 0.05) * np.ones((128, 1))
    return np.asarray(truth * chance.gamma(looks, 1 / looks, truth.shape), dtype=np.float32)


def raster(folder: Path, looks: float, quantity: str = "sigma0") -> Artifact:
    return write(folder / f"{quantity}.tif", backscatter(looks), facts={"quantity": quantity, "unit": "1"})


def test_two_groups_that_stand_apart_are_separated(tmp_path: Path) -> None:
    assert 0.01 < otsu_threshold(raster(tmp_path, looks=200)) < 0.05


def test_groups_that_speckle_hides_are_not_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="too little contrast"):
        otsu_threshold(raster(tmp_path, looks=1))


def test_what_is_no_radar_is_separated_as_well_as_it_goes(tmp_path: Path) -> None:
    assert otsu_threshold(raster(tmp_path, looks=1, quantity="ndvi")) > 0


def test_the_share_of_variance_is_that_of_the_groups(tmp_path: Path) -> None:
    """Against its definition: the variance of the group means, over that of the values, at the threshold."""
    speckled = raster(tmp_path, looks=1)
    values = backscatter(1).astype(np.float64)
    shares = []
    for limit in np.linspace(values.min(), values.max(), 257)[1:-1]:
        low, high = values[values < limit], values[values >= limit]
        if low.size and high.size:
            p = low.size / values.size
            shares.append(p * (1 - p) * (low.mean() - high.mean()) ** 2 / values.var())
    with pytest.raises(ToolError) as caught:
        otsu_threshold(speckled)
    assert float(str(caught.value.found).rstrip("%")) / 100 == pytest.approx(max(shares), abs=0.02)


def test_a_speckle_filter_brings_the_groups_apart(tmp_path: Path) -> None:
    speckled = raster(tmp_path, looks=1)
    despeckle(speckled, tmp_path / "out.tif", method="lee", window=7, looks=1.0)
    filtered = Artifact("raster", speckled.facts, name="filtered", path=str(tmp_path / "out.tif"))
    assert 0.01 < otsu_threshold(filtered) < 0.05
