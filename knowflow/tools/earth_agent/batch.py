"""Statistics of many images: each file is read once, what is not data does not count."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.earth_agent.files import Raster, Series, band_count, items, raster, series, whole
from knowflow.tools.kernels.distribution import Distribution, Moments
from knowflow.tools.kernels.higher_moments import HigherMoments
from knowflow.tools.kernels.limits import above, below
from knowflow.tools.raster import Block, reduce_blocks
from knowflow.tools.statistics import number_or_none

Values = NDArray[np.floating]
ReturnType = Literal["ratio", "count"]


def grey(values: Values, uint8: bool) -> Values:
    """Values as they are, or rounded and cut to 0..255 as an 8-bit image holds them; NaN stays NaN."""
    return np.clip(np.rint(values), 0, 255) if uint8 else values


def _moments(artifact: Artifact, uint8: bool) -> Moments:
    return reduce_blocks(
        lambda block: Moments.of(grey(block["raster"], uint8)),
        {"raster": artifact},
        Moments(),
        Moments.merged,
        each_pixel=True,
    )


def _higher_moments(artifact: Artifact, uint8: bool) -> HigherMoments:
    return reduce_blocks(
        lambda block: HigherMoments.of(grey(block["raster"], uint8)),
        {"raster": artifact},
        HigherMoments(),
        HigherMoments.merged,
        each_pixel=True,
    )


def distribution(artifact: Artifact, uint8: bool = False) -> Distribution:
    """The distribution of a raster's values, for its quantiles."""

    def kernel(block: Block) -> Values:
        values = grey(block["raster"], uint8)
        return values[np.isfinite(values)]

    def collect(collected: Distribution, values: Values) -> Distribution:
        collected.add(values)
        return collected

    return reduce_blocks(kernel, {"raster": artifact}, Distribution(), collect, each_pixel=True)


def _each(files: Series, compat: bool, statistic: Callable[[Artifact], float]) -> list[float | None]:
    return [number_or_none(statistic(artifact)) for artifact in series(files, compat)]


def calc_batch_image_mean(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """Mean of each image; None where no pixel is data."""
    return _each(file_list, compat, lambda artifact: _moments(artifact, uint8).mean)


def calc_batch_image_std(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """Standard deviation of the pixels of each image (divided by their number)."""
    return _each(file_list, compat, lambda artifact: _moments(artifact, uint8).std)


def calc_batch_image_median(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """Median of each image."""
    return _each(file_list, compat, lambda artifact: float(distribution(artifact, uint8).quantiles([0.5])[0]))


def calc_batch_image_min(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """The smallest value of each image."""
    return _each(file_list, compat, lambda artifact: _moments(artifact, uint8).minimum)


def calc_batch_image_max(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """The largest value of each image."""
    return _each(file_list, compat, lambda artifact: _moments(artifact, uint8).maximum)


def calc_batch_image_sum(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """Sum of the pixels of each image."""
    return _each(file_list, compat, lambda artifact: _moments(artifact, uint8).total)


def calc_batch_image_skewness(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """Skewness of the pixels of each image, corrected for their number; ``compat``: not corrected, fill is data."""
    return _each(file_list, compat, lambda artifact: _higher_moments(artifact, uint8).skewness(bias=compat))


def calc_batch_image_kurtosis(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float | None]:
    """Kurtosis (0 for a normal distribution) of the pixels of each image."""
    return _each(file_list, compat, lambda artifact: _higher_moments(artifact, uint8).kurtosis())


def calc_batch_image_hotspot_percentage(
    file_list: Series, threshold: float, uint8: bool = False, compat: bool = False
) -> list[float | None]:
    """Share (0..1) of the pixels of each image that lie above a threshold."""

    def share(artifact: Artifact) -> float:
        above, known = count_pixels(artifact, lambda block: grey(block["raster"], uint8), threshold, "above")
        return above / known if known else math.nan

    return _each(file_list, compat, share)


def count_pixels(artifact: Artifact, values: Callable[[Block], Values], threshold: float, mode: str) -> tuple[int, int]:
    """How many pixels lie strictly above (or below) a threshold, and how many are data."""
    if mode not in ("above", "below"):
        raise ToolError("there is no such mode", expected="above, below", found=str(mode))

    def kernel(block: Block) -> tuple[int, int]:
        found = values(block)
        chosen = above(found, threshold) if mode == "above" else below(found, threshold)
        return int(np.count_nonzero(chosen)), int(np.count_nonzero(np.isfinite(found)))

    return reduce_blocks(kernel, {"raster": artifact}, (0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]), each_pixel=True)


def means(files: Series, uint8: bool = False, compat: bool = False, band: int | None = None) -> list[float]:
    """The means of the images that hold data; ``ToolError`` where none does."""
    found = [_moments(artifact, uint8).mean for artifact in series(files, compat, band)]
    known = [mean for mean in found if math.isfinite(mean)]
    if not known:
        raise ToolError("no image holds data", expected="an image with data", found=f"{len(found)} without")
    return known


def calc_batch_image_mean_mean(file_list: Series, uint8: bool = False, compat: bool = False) -> float:
    """Mean of the means of the images."""
    return float(np.mean(means(file_list, uint8, compat)))


def calc_batch_image_mean_max(file_list: Series, uint8: bool = False, compat: bool = False) -> float:
    """The largest of the means of the images."""
    return max(means(file_list, uint8, compat))


def calc_batch_image_mean_max_min(file_list: Series, uint8: bool = False, compat: bool = False) -> list[float]:
    """The largest and the smallest of the means of the images."""
    found = means(file_list, uint8, compat)
    return [max(found), min(found)]


def calc_batch_image_mean_threshold(
    file_list: Series,
    threshold: float,
    above: bool = True,
    uint8: bool = False,
    band_index: int = 0,
    return_type: ReturnType = "ratio",
    compat: bool = False,
) -> float:
    """How many images have a mean above (or below) a threshold: in percent (``ratio``) or as a ``count``.

    ``band_index`` counts from 0; an image of one band has only that one.
    """
    if return_type not in ("ratio", "count"):
        raise ToolError("there is no such result", expected="ratio, count", found=str(return_type))
    found = [_moments(raster(item, compat, band_number(item, band_index)), uint8).mean for item in items(file_list)]
    known = [mean for mean in found if math.isfinite(mean)]
    hits = sum(mean > threshold if above else mean < threshold for mean in known)
    if return_type == "count":
        return float(hits)
    if not known:
        raise ToolError("no image holds data", expected="an image with data", found=f"{len(found)} without")
    return 100.0 * hits / len(known)


def band_number(source: Raster, index: int) -> int:
    """The 1-based band for an index from 0; of an image of one band that band, whatever the index."""
    count = band_count(whole(source))
    if count == 1:
        return 1
    if not 0 <= index < count:
        raise ToolError("the image has no such band", expected=f"0 to {count - 1}", found=str(index))
    return int(index) + 1
