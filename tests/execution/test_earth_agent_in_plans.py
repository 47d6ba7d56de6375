"""Every tool of the pack that reads images, as an action of a plan: conditions, effects, facts of results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from execution_examples import packed

from knowflow.execution.action import Action, Outcome
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.keys import FileDigests, Keyring
from knowflow.ground.resources import packaged_root
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.reason.inventory import read_artifact
from knowflow.tools.registry import implementation_digest

REFLECTANCE, BRIGHTNESS = "surface_bidirectional_reflectance", "toa_brightness_temperature"


def raster(folder: Path, name: str, quantity: str, low: float, high: float, unit: str = "1", day: int = 1) -> Artifact:
    """Noise between two values, on one grid."""
    path = folder / f"{name}_{day}.tif"
    noise = np.random.default_rng(sum(map(ord, name)) + day).uniform(low, high, (20, 24)).astype("float32")
    mask = quantity.endswith("_mask") or quantity == "qa_bits"
    values = (noise > (low + high) / 2).astype("uint8") if mask else noise
    profile = {"driver": "GTiff", "width": 24, "height": 20, "count": 1, "dtype": values.dtype}
    profile["nodata"] = 255 if mask else float("nan")
    transform = rasterio.Affine(30, 0, 500000, 0, -30, 5100000)
    with rasterio.open(path, "w", crs="EPSG:32633", transform=transform, **profile) as dataset:
        dataset.write(values, 1)
        dataset.update_tags(QUANTITY=quantity, UNIT=unit, DATETIME=f"2022-07-0{day}", SCALE="1", OFFSET="0")
    return replace(read_artifact(path, "raster"), key=path.stem)


@pytest.fixture
def scene(tmp_path: Path) -> Mapping[str, Any]:
    """Inputs by a short name; lists have two scenes, or the bands of one."""

    def make(name: str, quantity: str, low: float, high: float, unit: str = "1", day: int = 1) -> Artifact:
        return raster(tmp_path, name, quantity, low, high, unit, day)

    def both(name: str, *rest: Any) -> Artifact:
        return series((make(name, *rest, day=1), make(name, *rest, day=2)))

    made: dict[str, Any] = {
        "lst": make("lst", "surface_temperature", 285, 315, "K"),
        "lsts": both("lst", "surface_temperature", 285, 315, "K"),
        "ndvi": make("ndvi", "ndvi", 0.1, 0.8),
        "emissivity": make("emissivity", "surface_emissivity", 0.95, 0.99),
        "albedo": make("albedo", "surface_albedo", 0.1, 0.3),
        "frps": both("frp", "fire_radiative_power", 0, 50, "MW"),
        "frp": make("frp", "fire_radiative_power", 0, 50, "MW"),
        "mask": make("mask", "change_mask", 0, 1),
        "qa": make("qa", "qa_bits", 0, 1),
        "bt31": make("bt31", BRIGHTNESS, 295, 300, "K"),
        "bt32": make("bt32", BRIGHTNESS, 294, 295, "K"),
        "night": make("night", BRIGHTNESS, 275, 280, "K"),
        "tir": series(tuple(make(f"tir{n}", BRIGHTNESS, 299, 300, "K") for n in range(5))),
        "tir3": series(tuple(make(f"tir{n}", BRIGHTNESS, 299, 300, "K") for n in range(3))),
        "tb": series((make("t18", BRIGHTNESS, 240, 250, "K"), make("t37", BRIGHTNESS, 220, 230, "K"))),
        "ice": band_set({n: make(n, BRIGHTNESS, *v, "K") for n, v in ICE.items()}),
        "polarised": band_set({n: make(n, BRIGHTNESS, *v, "K") for n, v in {"V": (250, 260), "H": (230, 240)}.items()}),
    }
    for name, (low, high) in BANDS.items():
        made[name] = make(name, REFLECTANCE, low, high)
        made[f"{name}s"] = both(name, REFLECTANCE, low, high)
    return made


ICE = {"19H": (150, 200), "19V": (200, 230), "37V": (205, 235)}
BANDS = {
    "nir": (0.3, 0.5),
    "red": (0.05, 0.1),
    "blue": (0.02, 0.05),
    "green": (0.05, 0.1),
    "swir": (0.1, 0.3),
    "b17": (0.28, 0.3),
    "b18": (0.1, 0.2),
    "b19": (0.1, 0.2),
}
# arguments by the names above; what is no such name is a value
WRITES: Mapping[str, tuple[dict[str, Any], str | None]] = {
    "calculate_batch_ndvi": ({"input_nir_paths": "nirs", "input_red_paths": "reds"}, "ndvi"),
    "calculate_batch_ndwi": ({"input_nir_paths": "nirs", "input_swir_paths": "swirs"}, "ndmi"),
    "calculate_batch_ndbi": ({"input_swir_paths": "swirs", "input_nir_paths": "nirs"}, "ndbi"),
    "calculate_batch_evi": (
        {"input_nir_paths": "nirs", "input_red_paths": "reds", "input_blue_paths": "blues"},
        "evi",
    ),
    "calculate_batch_nbr": ({"input_nir_paths": "nirs", "input_swir_paths": "swirs"}, "nbr"),
    "calculate_batch_fvc": ({"input_nir_paths": "nirs", "input_red_paths": "reds"}, "vegetation_fraction"),
    "calculate_batch_wri": (
        {
            "input_green_paths": "greens",
            "input_red_paths": "reds",
            "input_nir_paths": "nirs",
            "input_swir_paths": "swirs",
        },
        "wri",
    ),
    "calculate_batch_ndti": ({"input_red_paths": "reds", "input_green_paths": "greens"}, "ndti"),
    "calculate_batch_frp": ({"input_frp_paths": "frps", "fire_threshold": 10.0}, "fire_mask"),
    "calculate_batch_ndsi": ({"green_file_list": "greens", "swir_file_list": "swirs"}, "ndsi"),
    "compute_tvdi": ({"ndvi_path": "ndvi", "lst_path": "lst"}, "tvdi"),
    "lst_single_channel": ({"bt_path": "bt31", "red_path": "red", "nir_path": "nir"}, "surface_temperature"),
    "lst_multi_channel": ({"band31_path": "bt31", "band32_path": "bt32"}, "surface_temperature"),
    "split_window": (
        {
            "band31_path": "bt31",
            "band32_path": "bt32",
            "emissivity31_path": "emissivity",
            "emissivity32_path": "emissivity",
            "parameter": "LST",
        },
        "surface_temperature",
    ),
    "temperature_emissivity_separation": ({"tir_band_paths": "tir", "representative_band_index": 3}, None),
    "modis_day_night_lst": (
        {
            "BT_day_path": "bt31",
            "BT_night_path": "night",
            "Emis_day_path": "emissivity",
            "Emis_night_path": "emissivity",
        },
        "surface_temperature",
    ),
    "ttm_lst": ({"tir_band_paths": "tir3", "wavelengths": (8.3, 8.65, 9.1)}, "surface_temperature"),
    "ATI": (
        {"day_temp_path": "bt31", "night_temp_path": "night", "albedo_path": "albedo"},
        "apparent_thermal_inertia",
    ),
    "band_ratio": (
        {
            "sur_refl_b02_path": "nir",
            "sur_refl_b05_path": "nir",
            "sur_refl_b17_path": "b17",
            "sur_refl_b18_path": "b18",
            "sur_refl_b19_path": "b19",
        },
        "columnar_water_vapour",
    ),
    "dual_polarization_differential": ({"pol1_path": "bt31", "pol2_path": "bt32", "parameter": "VWC"}, "ratio"),
    "dual_frequency_diff": (
        {"band1_path": "bt31", "band2_path": "bt32", "parameter": "SD", "alpha": 1.59, "beta": 0.0},
        "snow_depth",
    ),
    "multi_freq_bt": ({"bt_paths": "tb", "diff_pairs": ((0, 1),), "parameter": "d"}, "temperature_difference"),
    "chang_single_param_inversion": (
        {"bt_paths": "tb", "diff_pairs": ((0, 1),), "parameter": "SWE"},
        "snow_water_equivalent",
    ),
    "nasa_team_sea_ice_concentration": ({"bt_paths": "ice"}, "sea_ice_concentration"),
    "dual_polarization_ratio": ({"bt_paths": "polarised", "parameter": "VWC"}, "ratio"),
    "calculate_water_turbidity_ntu": ({"input_red_path": "red", "a": 100.0}, "turbidity"),
    "threshold_segmentation": ({"input_image_path": "lst", "threshold": 300.0}, "mask"),
    "getis_ord_gi_star": (
        {"image_path": "lst", "weight_matrix": ((1, 1, 1), (1, 1, 1), (1, 1, 1))},
        "hot_spot_score",
    ),
    "calc_batch_image_hotspot_tif": ({"file_list": "lsts", "threshold": 300.0}, "mask"),
    "create_fire_increase_map": ({"change_image_path": "frp", "threshold": 20.0}, "fire_mask"),
    "identify_fire_prone_areas": ({"file_path": "frp"}, "fire_mask"),
    "calculate_tif_average": ({"file_list": "lsts"}, "surface_temperature"),
    "calculate_tif_difference": ({"image_a_path": "bt31", "image_b_path": "night"}, "difference"),
    "subtract": ({"img1_path": "bt31", "img2_path": "night"}, "difference"),
    "grayscale_to_colormap": ({"image_path": "lst"}, "display_value"),
    "radiometric_correction_sr": ({"input_band_path": "red"}, REFLECTANCE),
    "apply_cloud_mask": ({"sr_band_path": "red", "qa_pixel_path": "qa"}, REFLECTANCE),
}
COUNTS: Mapping[str, tuple[dict[str, Any], str | None]] = {
    **{
        f"calc_batch_image_{what}": ({"file_list": "lsts"}, "surface_temperature")
        for what in ("mean", "std", "median", "min", "max", "sum", "mean_mean", "mean_max", "mean_max_min")
    },
    "calc_batch_image_skewness": ({"file_list": "lsts"}, None),
    "calc_batch_image_kurtosis": ({"file_list": "lsts"}, None),
    "calc_batch_image_hotspot_percentage": ({"file_list": "lsts", "threshold": 300.0}, "share"),
    "calc_batch_image_mean_threshold": ({"file_list": "lsts", "threshold": 300.0}, None),
    "calculate_threshold_ratio": ({"image_paths": "lst", "threshold": 300.0}, "share"),
    "calc_batch_fire_pixels": ({"file_list": "frps", "fire_threshold": 10.0}, "count"),
    "get_percentile_value_from_image": ({"image_path": "lst", "percentile": 70.0}, "surface_temperature"),
    "image_division_mean": ({"image_path1": "lst", "image_path2": "emissivity"}, "ratio"),
    "calculate_intersection_percentage": (
        {"path1": "lst", "threshold1": 300.0, "path2": "ndvi", "threshold2": 0.4},
        "share",
    ),
    "calculate_multi_band_threshold_ratio": ({"image_path": "lst", "band_conditions": ((0, 300, "above"),)}, "share"),
    "count_pixels_satisfying_conditions": ({"image_path": "lst", "band_conditions": ((0, 300, "above"),)}, "count"),
    "count_images_exceeding_threshold_ratio": ({"image_paths": "lsts", "value_threshold": 300.0}, "count"),
    "average_ratio_exceeding_threshold": ({"image_paths": "lsts", "value_threshold": 300.0}, "share"),
    "count_images_exceeding_mean_multiplier": ({"image_paths": "lsts"}, "count"),
    "calculate_band_mean_by_condition": (
        {"image_path": "lst", "condition_band_index": 0, "condition_threshold": 290.0},
        None,
    ),
    "calc_threshold_value_mean": ({"path1": "lsts", "path2": "lsts", "threshold": 300.0}, "surface_temperature"),
    "calculate_mean_lst_by_ndvi": (
        {"red_paths": "reds", "nir_paths": "nirs", "lst_paths": "lsts", "ndvi_threshold": 0.5},
        "surface_temperature",
    ),
    "calculate_max_lst_by_ndvi": (
        {"red_path": "red", "nir_path": "nir", "lst_path": "lst", "ndvi_threshold": 0.5},
        "surface_temperature",
    ),
    "calculate_area": ({"input_image_path": "mask", "gsd": 30.0}, "area"),
    "count_above_threshold": ({"file_path": "lst", "threshold": 300.0}, "count"),
    "count_skeleton_contours": ({"image_path": "mask"}, "count"),
    "analyze_hotspot_direction": ({"hotspot_map_path": "mask"}, None),
    "calc_extreme_snow_loss_percentage_from_binary_map": ({"binary_map_path": "mask"}, "share"),
}


def carried_out(name: str, given: Mapping[str, Any], scene: Mapping[str, Any], home: Path) -> Outcome:
    from knowflow.graph.resolve import fitted

    schema = packed(name)
    arguments = {n: scene[v] if isinstance(v, str) and v in scene else v for n, v in given.items()}
    arguments = {n: fitted(v, schema.parameters[n]) for n, v in arguments.items()}
    defaults = {n: p.default for n, p in schema.inputs.items() if p.default is not None}
    workshop = Workshop(Cache(home), Keyring(FileDigests(home / "digests.sqlite"), implementation_digest))
    return workshop(Action("n", name, schema, {**defaults, **arguments}))


@pytest.mark.parametrize("name", WRITES)
def test_a_map_is_written_with_the_facts_that_its_tool_promises(
    name: str, scene: Mapping[str, Any], home: Path
) -> None:
    given, quantity = WRITES[name]
    outcome = carried_out(name, given, scene, home)
    assert outcome.error is None, outcome.error
    (output,) = outcome.outputs.values()
    assert {check.truth for check in outcome.checks} <= {True}
    assert output.fact("quantity") == quantity
    assert output.fact("crs") == "EPSG:32633"
    if name.startswith("calculate_batch"):
        assert [item.fact("datetime") for item in output.items] == ["2022-07-01", "2022-07-02"]


@pytest.mark.parametrize("name", COUNTS)
def test_a_value_has_the_meaning_that_its_tool_promises(name: str, scene: Mapping[str, Any], home: Path) -> None:
    given, quantity = COUNTS[name]
    outcome = carried_out(name, given, scene, home)
    assert outcome.error is None, outcome.error
    assert outcome.outputs["value"].value is not None
    assert {check.truth for check in outcome.checks} <= {True}
    assert outcome.outputs["value"].fact("quantity") == quantity


def test_every_tool_that_reads_images_is_tried_here() -> None:
    reading = set()
    for path in (packaged_root("schemas") / "earth_agent").glob("*.yaml"):
        parameters = packed(path.stem).parameters.values()
        if any(p.type in ("raster", "raster_series") for p in parameters) and "networks" not in packed(path.stem).run:
            reading.add(path.stem)
    assert reading == {*WRITES, *COUNTS}


def test_brightness_temperature_is_no_surface_temperature(scene: Mapping[str, Any], home: Path) -> None:
    outcome = carried_out("compute_tvdi", {"ndvi_path": "ndvi", "lst_path": "bt31"}, scene, home)
    assert outcome.error is not None
    assert outcome.error.code == "precondition"


def test_lists_of_different_lengths_are_found_before_the_run(scene: Mapping[str, Any], home: Path) -> None:
    given = {"input_nir_paths": "nirs", "input_red_paths": "red"}
    outcome = carried_out("calculate_batch_ndvi", given, scene, home)
    assert outcome.error is not None
    assert outcome.error.code == "precondition"
