"""How much of one or many images meets a condition, and what is true where it does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.earth_agent.batch import band_number, count_pixels, distribution, means
from knowflow.tools.earth_agent.files import Raster, Series, items, raster, rows, series, whole
from knowflow.tools.kernels.distribution import Moments
from knowflow.tools.kernels.limits import above, below
from knowflow.tools.raster import Block, reduce_blocks
from knowflow.tools.raster.source import handles

Mode = Literal["above", "below"]
Mask = NDArray[np.bool_]


def calculate_threshold_ratio(
    image_paths: Series, threshold: float = 0.75, mode: Mode = "above", band_index: int = 0, compat: bool = False
) -> float:
    """Percent of the pixels above (or below) a threshold; over several images the mean of their percentages.

    ``band_index`` counts from 0. Images without data do not count.
    """
    shares = [
        _percent(raster(item, compat, band_number(item, band_index)), threshold, mode) for item in items(image_paths)
    ]
    return _mean(shares)


def _percent(artifact: Artifact, threshold: float, mode: str) -> float:
    hits, known = count_pixels(artifact, lambda block: block["raster"], threshold, mode)
    return 100.0 * hits / known if known else math.nan


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if math.isfinite(value)]
    if not known:
        raise ToolError("no pixel is data", expected="an image with data", found=f"{len(values)} without")
    return float(np.mean(known))


def count_images_exceeding_threshold_ratio(
    image_paths: Series,
    value_threshold: float = 0.7,
    ratio_threshold: float = 20.0,
    mode: Mode = "above",
    verbose: bool = False,
    compat: bool = False,
) -> int:
    """How many images have more than ``ratio_threshold`` percent of their pixels above (or below) a value."""
    return len(_exceeding(image_paths, value_threshold, ratio_threshold, mode, compat))


def average_ratio_exceeding_threshold(
    image_paths: Series,
    value_threshold: float = 0.7,
    ratio_threshold: float = 20.0,
    mode: Mode = "above",
    verbose: bool = False,
    compat: bool = False,
) -> float:
    """Mean percentage of those images that have more than ``ratio_threshold`` percent; 0 where none has."""
    found = _exceeding(image_paths, value_threshold, ratio_threshold, mode, compat)
    return float(np.mean(found)) if found else 0.0


def _exceeding(paths: Series, value: float, ratio: float, mode: str, compat: bool) -> list[float]:
    return [share for item in series(paths, compat) if (share := _percent(item, value, mode)) > ratio]


def count_images_exceeding_mean_multiplier(
    image_paths: Series,
    mean_multiplier: float = 1.1,
    mode: Mode = "above",
    verbose: bool = False,
    compat: bool = False,
) -> int:
    """How many images have a mean above (or below) so many times the mean of all means."""
    found = np.array(means(image_paths, compat=compat))
    limit = mean_multiplier * found.mean()
    return int(np.count_nonzero(found > limit if mode == "above" else found < limit))


def calc_batch_fire_pixels(file_list: Series, fire_threshold: float = 0.0, compat: bool = False) -> list[int]:
    """How many pixels of each image are above a threshold of fire radiative power."""
    return [_above(artifact, fire_threshold) for artifact in series(file_list, compat)]


def _above(artifact: Artifact, threshold: float) -> int:
    return count_pixels(artifact, lambda block: block["raster"], threshold, "above")[0]


def count_above_threshold(file_path: Raster, threshold: float, compat: bool = False) -> int:
    """How many pixels are at or above a threshold: of a mask, those that are 1, at a threshold of 1."""
    artifact = raster(file_path, compat)
    below, known = count_pixels(artifact, lambda block: block["raster"], threshold, "below")
    return known - below


def get_percentile_value_from_image(image_path: Raster, percentile: float, compat: bool = False) -> float:
    """The value below which so many percent of the pixels lie."""
    if not 0 <= percentile <= 100:
        raise ToolError("there is no such percentile", expected="0 to 100", found=str(percentile))
    found = float(distribution(raster(image_path, compat)).quantiles([percentile / 100.0])[0])
    return _mean([found])


def calculate_intersection_percentage(
    path1: Raster, threshold1: float, path2: Raster, threshold2: float, compat: bool = False
) -> float:
    """Percent of the pixels known in both images at which both are above their thresholds."""

    def kernel(block: Block) -> tuple[int, int]:
        a, b = block["a"], block["b"]
        both = np.isfinite(a) & np.isfinite(b)
        return int(np.count_nonzero(above(a, threshold1) & above(b, threshold2) & both)), int(np.count_nonzero(both))

    sources = {"a": raster(path1, compat), "b": raster(path2, compat)}
    hits, known = reduce_blocks(kernel, sources, (0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]), each_pixel=True)
    return _mean([100.0 * hits / known if known else math.nan])


def calc_threshold_value_mean(path1: Series, path2: Series, threshold: float = 0.75, compat: bool = False) -> float:
    """Mean of the second image where the first is above a threshold; of pairs of images, over all their pixels."""
    total = Moments()
    for row in rows({"where": path1, "what": path2}, compat):
        sources = {name: raster(file, compat) for name, file in row.items()}
        total = total.merged(_mean_where(sources, lambda block: above(block["where"], threshold)))
    return _mean([total.mean])


def _mean_where(sources: dict[str, Artifact], chosen: Callable[[Block], Mask]) -> Moments:
    return reduce_blocks(
        lambda block: Moments.of(np.where(chosen(block), block["what"], np.nan)),
        sources,
        Moments(),
        Moments.merged,
        each_pixel=True,
    )


def calculate_band_mean_by_condition(
    image_path: Raster,
    condition_band_index: int,
    condition_threshold: float,
    condition_mode: Mode = "above",
    target_band_index: int = 0,
    compat: bool = False,
) -> float:
    """Mean of one band of an image where another is above (or below) a threshold; bands count from 0."""
    sources = {
        "where": raster(image_path, compat, band_number(image_path, condition_band_index)),
        "what": raster(image_path, compat, band_number(image_path, target_band_index)),
    }
    return _mean([_mean_where(sources, lambda block: _meets(block["where"], condition_threshold, condition_mode)).mean])


def calculate_multi_band_threshold_ratio(
    image_path: Raster, band_conditions: Sequence[Any], compat: bool = False
) -> float:
    """Percent of the pixels known in all bands named that meet all conditions: [band from 0, threshold, mode]."""
    hits, known = _satisfying(image_path, band_conditions, compat)
    return _mean([100.0 * hits / known if known else math.nan])


def count_pixels_satisfying_conditions(image_path: Raster, band_conditions: Sequence[Any], compat: bool = False) -> int:
    """How many pixels meet all conditions: [band from 0, threshold, above|below]."""
    return _satisfying(image_path, band_conditions, compat)[0]


def _satisfying(source: Raster, conditions: Sequence[Any], compat: bool) -> tuple[int, int]:
    parsed = [_condition(condition) for condition in conditions]
    if not parsed:
        raise ToolError("there is no condition", expected="[band, threshold, above or below], ...", found="none")
    sources = {
        str(number): raster(source, compat, band_number(source, band)) for number, (band, _, _) in enumerate(parsed)
    }

    def kernel(block: Block) -> tuple[int, int]:
        known = np.all([np.isfinite(block[name]) for name in sources], axis=0)
        met = [_meets(block[str(n)], threshold, mode) for n, (_, threshold, mode) in enumerate(parsed)]
        return int(np.count_nonzero(np.all(met, axis=0) & known)), int(np.count_nonzero(known))

    return reduce_blocks(kernel, sources, (0, 0), lambda a, b: (a[0] + b[0], a[1] + b[1]), each_pixel=True)


def _condition(given: Any) -> tuple[int, float, str]:
    """A condition as a list, or as a mapping with band_index, threshold_value and compare_type."""
    names = ("band_index", "threshold_value", "compare_type")
    parts: list[Any] = [given.get(name) for name in names] if isinstance(given, dict) else list(given)
    if len(parts) != 3 or parts[2] not in ("above", "below") or isinstance(parts[1], str) or parts[1] is None:
        raise ToolError("this is no condition", expected="[band from 0, threshold, above or below]", found=str(given))
    return int(parts[0]), float(parts[1]), str(parts[2])


def _meets(values: NDArray[np.floating], threshold: float, mode: str) -> Mask:
    if mode not in ("above", "below"):
        raise ToolError("there is no such mode", expected="above, below", found=str(mode))
    return above(values, threshold) if mode == "above" else below(values, threshold)


def image_division_mean(
    image_path1: Raster, image_path2: Raster | None = None, band1: int = 1, band2: int = 1, compat: bool = False
) -> float:
    """Mean over the pixels of one band divided by another, of one image or of two; bands count from 1 here.

    Pixels where the divisor is zero do not count.
    """
    other = image_path1 if image_path2 is None else image_path2
    sources = {
        "a": raster(image_path1, compat, band_number(image_path1, int(band1) - 1) if band1 else None),
        "b": raster(other, compat, band_number(other, int(band2) - 1) if band2 else None),
    }

    def kernel(block: Block) -> Moments:
        a, b = block["a"].astype(np.float64), block["b"].astype(np.float64)
        return Moments.of(np.where(b != 0, a / np.where(b == 0, 1.0, b), np.nan))

    return _mean([reduce_blocks(kernel, sources, Moments(), Moments.merged, each_pixel=True).mean])


def calculate_area(input_image_path: Raster, gsd: float | None = None, compat: bool = False) -> float:
    """Area of what is not zero in a mask: in m2 at ``gsd`` metres a pixel, else in pixels.

    A pixel counts once, whatever the number of its bands. ``compat``: once for each band, and fill and NaN count too.
    """
    image = whole(input_image_path, compat)
    sources = {str(band): replace(image, band=band) for band in _colours(image, compat)}

    def kernel(block: Block) -> int:
        if compat:
            return sum(int(np.count_nonzero(block[name])) for name in sources)
        marked = [np.isfinite(block[name]) & (block[name] != 0) for name in sources]
        return int(np.count_nonzero(np.any(marked, axis=0)))

    pixels = reduce_blocks(kernel, sources, 0, lambda a, b: a + b, each_pixel=True)
    return pixels * (1.0 if gsd is None else float(gsd) ** 2)


def _colours(image: Artifact, compat: bool) -> list[int]:
    """The bands of an image that are no alpha channel; ``compat``: all."""
    with handles() as opened:
        meanings = opened.get(str(image.path)).colorinterp
    return [number for number, meaning in enumerate(meanings, start=1) if compat or meaning.name != "alpha"]
