"""Every opinion by the name of its tool, and why the other tools have none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from knowflow_bench.opinion.engine import ground, numbers, pixels

OPINIONS: Mapping[str, Callable[..., Any]] = {
    **{
        name: getattr(pixels, name)
        for name in (
            "raster_statistic",
            "raster_statistics",
            "batch_statistics",
            "count_valid",
            "threshold",
            "threshold_share",
            "mask_share",
            "class_share",
            "combine_masks",
            "apply_mask",
            "mask_clouds",
            "clear_bands",
            "select_band",
            "spectral_index",
            "temporal_composite",
            "raster_difference",
            "ratio_of_rasters",
            "anomaly",
            "departure_from_mean",
            "dates_beyond_limit",
            "temporal_trend",
            "mann_kendall",
            "temporal_correlation",
            "correlation",
            "classes_between_limits",
            "change_vector_analysis",
            "vegetation_fraction",
            "convert_unit",
            "from_decibel",
            "to_decibel",
            "cloud_mask_from_probability",
            "slopes_facing",
            "brightness_temperature",
            "surface_temperature_single_channel",
            "emissivity_from_ndvi",
            "harmonic_fit",
            "apply_scale",
            "dark_object_subtraction",
        )
    },
    **{
        name: getattr(numbers, name)
        for name in (
            "count_where",
            "share_where",
            "date_of_extreme",
            "dates_of",
            "difference_of",
            "percent_change",
            "per_decade",
            "ratio",
            "statistics_by_period",
            "extreme_period",
            "average_year",
            "table_column",
            "place_of_extreme",
            "series_trend",
            "series_trend_table",
            "first",
            "last",
        )
    },
    **{
        name: numbers.statistic(name)
        for name in (
            "mean",
            "median",
            "minimum",
            "maximum",
            "total",
            "standard_deviation",
        )
    },
    **{
        name: getattr(ground, name)
        for name in (
            "area",
            "area_by_class",
            "zonal_by_raster",
            "zonal_statistics",
            "area_by_polygon",
            "mask_of_class",
            "connected_components",
            "count_objects",
            "largest_object",
            "otsu_threshold",
            "mosaic",
            "slope",
            "slope_percent",
            "aspect",
            "tri",
        )
    },
}

_DRAWN = "what it makes is looked at, not measured"
_FITTED = "its result hangs on choices of an algorithm that no other engine shares bit by bit"
WITHOUT: Mapping[str, str] = {
    "quick_look": _DRAWN,
    "hillshade": _DRAWN,
    "write_table": "it writes what is there",
    "unsupervised_classes": _FITTED,
    "train_classifier": _FITTED,
    "semantic_segmentation": _FITTED,
    "ir_mad": _FITTED,
    "detect_blobs": _FITTED,
    "registration_shift": _FITTED,
    "despeckle": _FITTED,
    "smooth_series": _FITTED,
    "topographic_correction": _FITTED,
    "pansharpen": _FITTED,
}
