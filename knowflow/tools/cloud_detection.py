"""How likely a pixel of Sentinel-2 is cloud, by the model that s2cloudless carries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Block, Output, map_blocks

# the model's inputs in its order: bands 1, 2, 4, 5, 8, 8A, 9, 10, 11, 12 of the Multispectral Instrument
MODEL_BANDS = ("coastal", "blue", "red", "rededge1", "nir", "nir08", "nir09", "cirrus", "swir16", "swir22")
Prediction = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def cloud_probability(bands: Mapping[str, Artifact], output: Path) -> None:
    """Write the probability (0..1) that a pixel is cloud, from ten bands of a Sentinel-2 Level-1C scene on one grid.

    Nodata where one of the bands has none. Raises ``ToolError`` where a band or the package s2cloudless is missing.
    """
    lacking = [name for name in MODEL_BANDS if name not in bands]
    if lacking:
        raise ToolError(
            f"the cloud model needs the band {lacking[0]}", expected=", ".join(MODEL_BANDS), found=", ".join(bands)
        )
    predict = _model()

    def kernel(block: Block) -> NDArray[np.float32]:
        pixels = np.stack([block[name].ravel() for name in MODEL_BANDS], axis=1)
        whole = np.isfinite(pixels).all(axis=1)
        found = np.full(len(pixels), np.nan, dtype=np.float32)
        if whole.any():
            found[whole] = predict(pixels[whole])
        return found.reshape(block.shape)

    sources = {name: bands[name] for name in MODEL_BANDS}
    map_blocks(kernel, sources, Output(output, quantity="cloud_probability", unit="1"))


def _model() -> Prediction:
    """From (pixels, bands) to one probability per pixel."""
    try:
        from s2cloudless.cloud_detector import S2PixelCloudDetector
    except ImportError as error:
        raise ToolError(
            "the package s2cloudless, whose model finds clouds, is not installed",
            expected="s2cloudless",
            found=str(error),
            hint="pip install 'knowflow[clouds]', or use a quality band: cloud_mask_from_qa",
        ) from error
    detector: Any = S2PixelCloudDetector(all_bands=False)

    def predict(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        probability: NDArray[np.float32] = detector.get_cloud_probability_maps(pixels[np.newaxis, np.newaxis])[0, 0]
        return probability

    return predict
