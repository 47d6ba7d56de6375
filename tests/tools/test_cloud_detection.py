"""Clouds by the model of s2cloudless, against the probabilities published for the same scenes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory import take_inventory
from knowflow.tools.cloud_detection import MODEL_BANDS, cloud_probability


def scene(folder: Path, values: dict[str, float], shape: tuple[int, int] = (20, 30)) -> dict[str, Artifact]:
    facts = {"quantity": "toa_bidirectional_reflectance", "unit": "1", "sensor": "sentinel-2"}
    return {
        name: draw(folder / f"{name}.tif", np.full(shape, values.get(name, values["other"]), np.float32), **facts)
        for name in MODEL_BANDS
    }


def test_a_bright_cold_top_is_cloud_and_a_meadow_is_not(tmp_path: Path) -> None:
    pytest.importorskip("s2cloudless")
    cloud = scene(tmp_path, {"other": 0.55, "cirrus": 0.03, "nir09": 0.4, "swir22": 0.35, "swir16": 0.45})
    cloud_probability(cloud, tmp_path / "cloud.tif")
    meadow = {"coastal": 0.11, "blue": 0.09, "red": 0.05, "rededge1": 0.1, "nir09": 0.12, "cirrus": 0.001}
    cloud_probability(scene(tmp_path, {**meadow, "other": 0.3, "swir16": 0.18, "swir22": 0.09}), tmp_path / "clear.tif")
    assert read(tmp_path / "cloud.tif")[0].min() > 0.9
    assert read(tmp_path / "clear.tif")[0].max() < 0.1
    assert read(tmp_path / "cloud.tif")[1]["QUANTITY"] == "cloud_probability"


def test_pixels_without_one_band_have_no_probability(tmp_path: Path) -> None:
    pytest.importorskip("s2cloudless")
    bands = scene(tmp_path, {"other": 0.5})
    red = np.full((20, 30), 0.5, np.float32)
    red[3, 4] = np.nan
    cloud_probability({**bands, "red": draw(tmp_path / "gap.tif", red)}, tmp_path / "p.tif")
    assert np.argwhere(np.isnan(read(tmp_path / "p.tif")[0])).tolist() == [[3, 4]]


def test_a_band_that_is_missing_is_named(tmp_path: Path) -> None:
    bands = scene(tmp_path, {"other": 0.5})
    with pytest.raises(ToolError, match="needs the band cirrus"):
        cloud_probability({name: band for name, band in bands.items() if name != "cirrus"}, tmp_path / "p.tif")


def test_without_the_package_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s2cloudless.cloud_detector", None)
    with pytest.raises(ToolError, match="s2cloudless") as error:
        cloud_probability(scene(tmp_path, {"other": 0.5}), tmp_path / "p.tif")
    assert "knowflow[clouds]" in str(error.value.hint)


def test_published_probabilities_of_real_scenes(slovenia: Path, tmp_path: Path) -> None:
    """They were computed on coarser pixels, so that single pixels differ; how cloudy a scene is does not."""
    pytest.importorskip("s2cloudless")
    scenes = [found for found in take_inventory(slovenia / "sentinel2_l1c").scenes() if len(found.members) == 13]
    assert len(scenes) == 5
    for found in scenes:
        cloud_probability(found.members, tmp_path / "p.tif")
        ours = read(tmp_path / "p.tif")[0]
        (path,) = (slovenia / "cloud_probability").glob(f"CLP_{str(found.fact('datetime')).replace(':', '')}*.tif")
        theirs = read(path)[0]
        assert np.nanmean(ours) == pytest.approx(np.nanmean(theirs), abs=0.006)
        assert np.mean((ours >= 0.4) == (theirs >= 0.4)) > 0.93
