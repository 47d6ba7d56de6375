"""Opinions on rasters, pixel by pixel: statistics, masks, indices, composites, change."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import stats

from knowflow_bench.opinion.engine.field import (
    Direction,
    Field,
    NoOpinionError,
    Pixels,
    around,
    calendar_years,
    converted,
    levels,
    mean_level,
    stack,
    years,
)
from knowflow_bench.opinion.engine.numbers import beyond

Mask = Pixels


def _circular(field: Field) -> bool:
    return field.tags.get("QUANTITY") in ("aspect", "azimuth", "wind_direction")


_STATISTICS: Mapping[str, Callable[[Any], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "std": np.std,
    "standard_deviation": np.std,
    "minimum": np.min,
    "maximum": np.max,
    "sum": np.sum,
    "count": np.size,
}


def raster_statistic(
    raster: Field, statistic: str = "mean", percentile: float | None = None, when_empty: str = "fail"
) -> float | None:
    seen = raster.seen
    if not seen.size:
        return None
    if _circular(raster):
        if statistic != "mean":
            raise NoOpinionError("statistics of directions but their mean")
        return Direction(around(seen))
    if statistic == "mean" and levels(raster):
        return mean_level(seen)
    if statistic == "percentile":
        return float(np.percentile(seen, float(percentile or 0)))
    return float(_STATISTICS[statistic](seen))


def raster_statistics(raster: Field, percentiles: Sequence[float] = (5, 25, 75, 95)) -> list[dict[str, Any]]:
    seen = raster.seen
    if _circular(raster):
        raise NoOpinionError("statistics of directions")
    row = {name: float(_STATISTICS[name](seen)) for name in ("mean", "std", "minimum", "maximum", "sum", "median")}
    if levels(raster):
        row["mean"] = mean_level(seen)
        del row["sum"]  # of levels there is none
    row |= {f"p{percent:g}": float(np.percentile(seen, percent)) for percent in percentiles}
    return [{"count": seen.size, "valid_fraction": seen.size / raster.pixels.size, **row}]


def batch_statistics(series: Sequence[Field], percentiles: Sequence[float] = (5, 25, 75, 95)) -> list[dict[str, Any]]:
    return [row for one in series for row in raster_statistics(one, percentiles)]


def count_valid(raster: Field) -> int:
    return int(raster.seen.size)


def _limits(raster: Field, threshold: float, upper: float | None, unit: str | None) -> tuple[float, float | None]:
    given = unit or raster.unit
    low = converted(threshold, given, raster.unit)
    return float(low), None if upper is None else float(converted(upper, given, raster.unit))


def threshold(
    raster: Field,
    threshold: float,
    side: str = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
    **_: Any,
) -> Mask:
    low, high = _limits(raster, threshold, upper, threshold_unit)
    return np.where(np.isnan(raster.pixels), np.nan, beyond(raster.pixels, low, side, high).astype(float))


def threshold_share(raster: Field, threshold: float, **more: Any) -> float:
    more.pop("when_empty", None)
    low, high = _limits(raster, threshold, more.get("upper"), more.get("threshold_unit"))
    return float(beyond(raster.seen, low, more.get("side", "above"), high).mean())


def mask_share(mask: Field, when_empty: str = "fail") -> float | None:
    return float((mask.seen == 1).mean()) if mask.seen.size else None


def class_share(raster: Field, classes: Sequence[float], when_empty: str = "fail") -> float:
    return float(np.isin(raster.seen, list(classes)).mean())


def combine_masks(masks: Sequence[Field], operation: str = "and", **_: Any) -> Mask:
    """Kleene's logic: what is unknown stays so unless the others decide."""
    layers = stack(masks)
    unknown, yes = np.isnan(layers).any(axis=0), layers == 1
    no = layers == 0
    if operation == "not":
        return np.where(np.isnan(layers[0]), np.nan, 1.0 - layers[0])
    if operation == "and":
        return np.where(no.any(axis=0), 0.0, np.where(unknown, np.nan, 1.0))
    if operation == "or":
        return np.where(yes.any(axis=0), 1.0, np.where(unknown, np.nan, 0.0))
    raise NoOpinionError(operation)


def apply_mask(raster: Field, mask: Field, keep: str = "clear", **_: Any) -> Pixels:
    wanted = mask.pixels == (0 if keep == "clear" else 1)
    return np.where(wanted, raster.pixels, np.nan)


def mask_clouds(raster: Field, cloud_mask: Field, **_: Any) -> Pixels:
    return apply_mask(raster, cloud_mask)


def clear_bands(bands: Mapping[str, Field], cloud_mask: Field, **_: Any) -> dict[str, Pixels]:
    return {name: apply_mask(band, cloud_mask) for name, band in bands.items()}


def select_band(raster: Mapping[str, Field] | Field, band: str) -> Pixels:
    if isinstance(raster, Field):
        raise NoOpinionError("bands of a file by their names")
    return raster[band].pixels


_INDICES: Mapping[str, Callable[[Mapping[str, Pixels]], Any]] = {
    "ndvi": lambda b: (b["nir"] - b["red"]) / (b["nir"] + b["red"]),
    "ndwi": lambda b: (b["green"] - b["nir"]) / (b["green"] + b["nir"]),
    "mndwi": lambda b: (b["green"] - b["swir16"]) / (b["green"] + b["swir16"]),
    "ndsi": lambda b: (b["green"] - b["swir16"]) / (b["green"] + b["swir16"]),
    "ndmi": lambda b: (b["nir"] - b["swir16"]) / (b["nir"] + b["swir16"]),
    "ndbi": lambda b: (b["swir16"] - b["nir"]) / (b["swir16"] + b["nir"]),
    "nbr": lambda b: (b["nir"] - b["swir22"]) / (b["nir"] + b["swir22"]),
    "evi": lambda b: 2.5 * (b["nir"] - b["red"]) / (b["nir"] + 6 * b["red"] - 7.5 * b["blue"] + 1),
    "savi": lambda b: 1.5 * (b["nir"] - b["red"]) / (b["nir"] + b["red"] + 0.5),
}


def spectral_index(index: str, bands: Mapping[str, Field], **_: Any) -> Pixels:
    """The published formulas of the commonest indices."""
    if index.lower() not in _INDICES:
        raise NoOpinionError(f"the formula of {index}")
    with np.errstate(all="ignore"):
        found = np.asarray(_INDICES[index.lower()]({name: band.pixels for name, band in bands.items()}))
    return np.where(np.isfinite(found), found, np.nan)


def temporal_composite(series: Sequence[Field], method: str = "median", **_: Any) -> Pixels:
    layers = stack(series)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of nothing but gaps
        match method:
            case "mean" if levels(series[0]):
                return np.asarray(10.0 * np.log10(np.nanmean(10.0 ** (layers / 10.0), axis=0)))
            case "mean":
                return np.asarray(np.nanmean(layers, axis=0))
            case "median":
                return np.asarray(np.nanmedian(layers, axis=0))
            case "maximum":
                return np.asarray(np.nanmax(layers, axis=0))
            case "minimum":
                return np.asarray(np.nanmin(layers, axis=0))
            case "sum":
                return np.asarray(layers.sum(axis=0))
            case "latest" | "earliest":
                ordered = layers[::-1] if method == "latest" else layers
                found = ordered[0]
                for layer in ordered[1:]:
                    found = np.where(np.isnan(found), layer, found)
                return np.asarray(found)
    raise NoOpinionError(method)


def raster_difference(a: Field, b: Field, **_: Any) -> Pixels:
    return np.asarray(a.pixels - converted(b.pixels, b.unit, a.unit))


def ratio_of_rasters(a: Field, b: Field, **_: Any) -> Pixels:
    with np.errstate(all="ignore"):
        return np.where(b.pixels == 0, np.nan, a.pixels / b.pixels)


def anomaly(raster: Field, baseline: Sequence[Field], minimum_count: int = 3, **_: Any) -> Pixels:
    layers = stack(baseline)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        found = (raster.pixels - np.nanmean(layers, axis=0)) / np.nanstd(layers, axis=0, ddof=1)
    enough = np.isfinite(layers).sum(axis=0) >= minimum_count
    return np.where(enough & np.isfinite(found), found, np.nan)


def departure_from_mean(raster: Field, baseline: Sequence[Field], minimum_count: int = 1, **_: Any) -> Pixels:
    layers = stack(baseline)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = raster.pixels - np.nanmean(layers, axis=0)
    return np.where(np.isfinite(layers).sum(axis=0) >= minimum_count, found, np.nan)


def dates_beyond_limit(
    series: Sequence[Field],
    threshold: float,
    side: str = "above",
    upper: float | None = None,
    threshold_unit: str | None = None,
    measure: str = "count",
    **_: Any,
) -> Pixels:
    layers = stack(series)
    low, high = _limits(series[0], threshold, upper, threshold_unit)
    seen = np.isfinite(layers)
    count = (beyond(layers, low, side, high) & seen).sum(axis=0).astype(float)
    number = seen.sum(axis=0)
    with np.errstate(all="ignore"):
        return np.where(number == 0, np.nan, count if measure == "count" else count / number)


def temporal_trend(series: Sequence[Field], minimum_count: int = 3, seasons: str = "kept", **_: Any) -> dict[str, Any]:
    """Least squares by the sums of squares, in years from the middle of the series."""
    layers, t = stack(series), years([one.date for one in series])
    if seasons != "kept" and not _single_month(series):
        raise NoOpinionError("seasons that are removed")
    seen = np.isfinite(layers)
    n = seen.sum(axis=0)
    when = np.where(seen, t[:, None, None], 0.0)
    with np.errstate(all="ignore"):
        dt_ = np.where(seen, t[:, None, None] - when.sum(axis=0) / n, 0.0)
        dy = np.where(seen, layers - np.where(seen, layers, 0.0).sum(axis=0) / n, 0.0)
        slope = (dt_ * dy).sum(axis=0) / (dt_**2).sum(axis=0)
    return {"output": np.where(n >= minimum_count, slope, np.nan)}


def mann_kendall(series: Sequence[Field], minimum_count: int = 4, seasons: str = "kept", **_: Any) -> dict[str, Any]:
    """Sen's slope: the median of the slopes of all pairs of dates."""
    layers, t = stack(series), years([one.date for one in series])
    if seasons != "kept" and not _single_month(series):
        raise NoOpinionError("seasons that are removed")
    first, second = np.triu_indices(len(t), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        slopes = (layers[second] - layers[first]) / (t[second] - t[first])[:, None, None]
        found = np.nanmedian(slopes, axis=0)
    return {"output": np.where(np.isfinite(layers).sum(axis=0) >= minimum_count, found, np.nan)}


def _single_month(series: Sequence[Field]) -> bool:
    """Whether a series has no seasons to speak of: all of its dates are of one month."""
    return len({one.date[5:7] for one in series}) == 1


def temporal_correlation(a: Sequence[Field], b: Sequence[Field], minimum_count: int = 3, **_: Any) -> Pixels:
    x, y = stack(a), stack(b)
    both = np.isfinite(x) & np.isfinite(y)
    found = np.full(x.shape[1:], np.nan)
    for place in np.ndindex(*found.shape):
        chosen = both[(slice(None), *place)]
        if chosen.sum() >= minimum_count:
            found[place] = stats.pearsonr(x[(chosen, *place)], y[(chosen, *place)]).statistic
    return found


def correlation(a: Field, b: Field, method: str = "pearson") -> float:
    both = np.isfinite(a.pixels) & np.isfinite(b.pixels)
    measure = stats.pearsonr if method == "pearson" else stats.spearmanr
    return float(measure(a.pixels[both], b.pixels[both]).statistic)


def classes_between_limits(raster: Field, limits: Sequence[float], **_: Any) -> Pixels:
    return np.where(np.isnan(raster.pixels), np.nan, np.digitize(raster.pixels, list(limits)) + 1.0)


def change_vector_analysis(before: Mapping[str, Field], after: Mapping[str, Field], **_: Any) -> dict[str, Pixels]:
    change = np.stack([after[name].pixels - before[name].pixels for name in before])
    return {"output": np.sqrt((change**2).sum(axis=0))}


def vegetation_fraction(
    ndvi: Field, ndvi_soil: float = 0.05, ndvi_vegetation: float = 0.86, mixture: str = "linear", **_: Any
) -> Pixels:
    share = np.clip((ndvi.pixels - ndvi_soil) / (ndvi_vegetation - ndvi_soil), 0, 1)
    return share if mixture == "linear" else share**2


def convert_unit(raster: Field, unit: str, **_: Any) -> Pixels:
    return np.asarray(converted(raster.pixels, raster.unit, unit))


def from_decibel(raster: Field, **_: Any) -> Pixels:
    return 10.0 ** (raster.pixels / 10.0)


def to_decibel(raster: Field, **_: Any) -> Pixels:
    with np.errstate(all="ignore"):
        return np.where(raster.pixels > 0, 10.0 * np.log10(raster.pixels), np.nan)


def cloud_mask_from_probability(
    probability: Field, threshold: float = 0.4, buffer: int = 0, buffer_distance: float | None = None, **_: Any
) -> Mask:
    if buffer or buffer_distance:
        raise NoOpinionError("buffers")
    shares = converted(probability.pixels, probability.unit or "1", "1")
    return np.where(np.isnan(shares), np.nan, (shares >= threshold).astype(float))


def slopes_facing(aspect: Field, towards: str, sector: float = 90.0, **_: Any) -> Mask:
    compass = {"north": 0, "northeast": 45, "east": 90, "southeast": 135, "south": 180, "southwest": 225, "west": 270}
    middle = compass.get(towards, 315)
    off = np.abs((aspect.pixels - middle + 180) % 360 - 180)
    return np.where(np.isnan(aspect.pixels), np.nan, (off <= sector / 2).astype(float))


def brightness_temperature(
    radiance: Field, k1: float | None = None, k2: float | None = None, satellite: str | None = None, **_: Any
) -> Pixels:
    """Planck's law with a band's two constants, as the mission's handbook has it."""
    if k1 is None or k2 is None:
        said = [part for part in radiance.tags.get("THERMAL_CONSTANTS", "").replace(",", " ").split() if part]
        if len(said) != 2:
            raise NoOpinionError("constants that the file does not state")
        k1, k2 = float(said[0]), float(said[1])
    return k2 / np.log(k1 / radiance.pixels + 1.0)


def emissivity_from_ndvi(
    ndvi: Field,
    ndvi_soil: float = 0.2,
    ndvi_vegetation: float = 0.5,
    emissivity_soil: float = 0.97,
    emissivity_vegetation: float = 0.99,
    emissivity_water: float = 0.991,
    **_: Any,
) -> Pixels:
    """Sobrino et al. (2008): soil and vegetation by the squared share of NDVI between the two; water below zero."""
    share = np.clip((ndvi.pixels - ndvi_soil) / (ndvi_vegetation - ndvi_soil), 0, 1) ** 2
    mixed = emissivity_vegetation * share + emissivity_soil * (1 - share)
    return np.where(np.isnan(ndvi.pixels), np.nan, np.where(ndvi.pixels < 0, emissivity_water, mixed))


def harmonic_fit(
    series: Sequence[Field], harmonics: int = 1, with_trend: bool = True, minimum_count: int = 6, **_: Any
) -> dict[str, Pixels]:
    """Sines and cosines of the year by least squares, pixel by pixel; the amplitude is that of the first harmonic."""
    layers, t = stack(series), calendar_years([one.date for one in series])
    columns = [np.ones_like(t)] + ([t - t.mean()] if with_trend else [])
    for number in range(1, harmonics + 1):
        columns += [np.cos(2 * np.pi * number * t), np.sin(2 * np.pi * number * t)]
    design = np.column_stack(columns)
    first = 2 if with_trend else 1
    found = np.full(layers.shape[1:], np.nan)
    for place in np.ndindex(*found.shape):
        y = layers[(slice(None), *place)]
        seen = np.isfinite(y)
        if seen.sum() >= minimum_count:
            fitted = np.linalg.lstsq(design[seen], y[seen], rcond=None)[0]
            found[place] = np.hypot(fitted[first], fitted[first + 1])
    return {"output": found}


def surface_temperature_single_channel(
    brightness_temperature: Field, emissivity: Field, wavelength: float | None = None, **_: Any
) -> Pixels:
    """T / (1 + (wavelength T / c2) ln(emissivity)), c2 = h c / k = 14387.77 um K (Weng et al. 2004)."""
    if wavelength is None:
        raise NoOpinionError("the wavelength of a band")
    t = brightness_temperature.pixels
    return t / (1.0 + wavelength * t / 14387.768775 * np.log(emissivity.pixels))


def apply_scale(raster: Field, **_: Any) -> Pixels:
    return raster.pixels


def dark_object_subtraction(
    raster: Field, method: str = "dos", percentile: float = 0.1, dark_reflectance: float = 0.01, **_: Any
) -> Pixels:
    if method != "dos":
        raise NoOpinionError(method)
    dark = float(np.percentile(raster.seen, percentile)) - dark_reflectance
    return np.maximum(raster.pixels - dark, 0.0)
