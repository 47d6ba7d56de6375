"""Bands with the detail of a panchromatic one: the formula, and what GDAL makes of the same bands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from drawn_rasters import draw, read

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.sharpening import pansharpen

COARSE = Affine(20.0, 0.0, 500_000.0, 0.0, -20.0, 5_100_000.0)
FACTS = {"quantity": "toa_bidirectional_reflectance", "unit": "1", "sensor": "landsat-8-9-oli-tirs"}


def scene(folder: Path, shape: tuple[int, int] = (40, 50)) -> tuple[Artifact, dict[str, Artifact], np.ndarray]:
    """A fine panchromatic band, and three coarse bands in fixed ratios to its 2 x 2 means."""
    random = np.random.default_rng(4)
    y, x = np.indices(shape)
    pan = (0.2 + 0.1 * np.sin(x / 5) * np.cos(y / 7) + random.normal(0, 0.01, shape)).astype(np.float32)
    means = pan.reshape(shape[0] // 2, 2, shape[1] // 2, 2).mean(axis=(1, 3))
    bands = {
        name: draw(folder / f"{name}.tif", (factor * means).astype(np.float32), transform=COARSE, **FACTS)
        for name, factor in (("blue", 0.7), ("green", 0.9), ("red", 1.4))
    }
    return draw(folder / "pan.tif", pan, **FACTS), bands, pan


def layers(path: Path) -> tuple[np.ndarray, tuple]:
    with rasterio.open(path) as file:
        return file.read(), file.descriptions


def test_bands_in_fixed_ratios_get_the_whole_detail(tmp_path: Path) -> None:
    pan, bands, values = scene(tmp_path)
    pansharpen(pan, bands, tmp_path / "out.tif")
    sharp, names = layers(tmp_path / "out.tif")
    assert names == ("blue", "green", "red")
    for layer, factor in zip(sharp, (0.7, 0.9, 1.4), strict=True):
        np.testing.assert_allclose(layer, factor * values, rtol=2e-5)
    _, about = read(tmp_path / "out.tif")
    assert (about["QUANTITY"], about["grid"]) == (FACTS["quantity"], Affine(10, 0, 500_000, 0, -10, 5_100_000))


def test_gdal_makes_the_same_of_the_same_bands(tmp_path: Path) -> None:
    """GDAL's pansharpening dataset with the same weights and resampling; at the edges the two pad differently."""
    pan, bands, _ = scene(tmp_path)
    weights = {"blue": 0.2, "green": 0.5, "red": 0.3}
    pansharpen(pan, bands, tmp_path / "ours.tif", weights=weights)
    source = '<{0}><SourceFilename relativeToVRT="0">{1}</SourceFilename><SourceBand>1</SourceBand></{2}>'
    coarse = "".join(
        source.format(f'SpectralBand dstBand="{n}"', band.path, "SpectralBand")
        for n, band in enumerate(bands.values(), 1)
    )
    (tmp_path / "theirs.vrt").write_text(
        '<VRTDataset subClass="VRTPansharpenedDataset"><PansharpeningOptions><Algorithm>WeightedBrovey</Algorithm>'
        "<AlgorithmOptions><Weights>0.2,0.5,0.3</Weights></AlgorithmOptions><Resampling>Cubic</Resampling>"
        f"{source.format('PanchroBand', pan.path, 'PanchroBand')}{coarse}</PansharpeningOptions></VRTDataset>"
    )
    ours, theirs = layers(tmp_path / "ours.tif")[0], layers(tmp_path / "theirs.vrt")[0]
    inner = (slice(None), slice(6, -6), slice(6, -6))
    np.testing.assert_allclose(ours[inner], theirs[inner], rtol=2e-3)


def test_what_has_no_data_in_one_band_has_none_in_any(tmp_path: Path) -> None:
    _, bands, values = scene(tmp_path)
    gappy = values.copy()
    gappy[7, 9] = np.nan
    pansharpen(draw(tmp_path / "gappy.tif", gappy, **FACTS), bands, tmp_path / "out.tif")
    assert [np.argwhere(np.isnan(layer)).tolist() for layer in layers(tmp_path / "out.tif")[0]] == [[[7, 9]]] * 3


@pytest.mark.parametrize("weights", [{"nir": 1.0}, {"red": -1.0, "blue": 2.0}, {"red": 0.0}])
def test_weights_fit_the_bands(weights: dict[str, float], tmp_path: Path) -> None:
    pan, bands, _ = scene(tmp_path)
    with pytest.raises(ToolError, match="weights do not fit"):
        pansharpen(pan, bands, tmp_path / "out.tif", weights=weights)
