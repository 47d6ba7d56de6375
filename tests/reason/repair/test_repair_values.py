"""What values tell of themselves: which are impossible, and which explanation is the only one in use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from examples import raster
from hypothesis import given
from hypothesis import strategies as st

from knowflow.model.artifact import Artifact, band_set
from knowflow.reason.repair.conventions import explanation
from knowflow.reason.repair.samples import Finding, sample_of
from knowflow.reason.repair.spectra import exchanged
from knowflow.reason.repair.values import implausible

RAMP = np.linspace(0.0, 1.0, 400).reshape(20, 20)
KELVIN = {"quantity": "surface_temperature", "unit": "K"}
REFLECTANCE = {"quantity": "surface_bidirectional_reflectance", "unit": "1"}


def found(values: Any, **facts: Any) -> Finding | None:
    return implausible(of(**facts), sample_of([np.asarray(values, dtype=float)]))


def of(**facts: Any) -> Artifact:
    return raster("a", **facts)


def explained(values: Any, *others: Any, **facts: Any) -> Finding | None:
    return explanation(of(**facts), [sample_of([np.asarray(one, dtype=float)]) for one in (values, *others)])


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        (RAMP, {"quantity": "ndvi", "unit": "1"}),
        (280 + 40 * RAMP, KELVIN),
        (10 + 30 * RAMP, {"quantity": "surface_temperature", "unit": "degC"}),
        (np.where(RAMP < 0.1, np.nan, RAMP), {"quantity": "ndvi", "unit": "1"}),
        (RAMP * 1e6, {}),
        (np.full((4, 4), 0.3), {"quantity": "ndvi", "unit": "1"}),
        (np.where(RAMP < 0.5, 0, 1), {"quantity": "cloud_mask"}),
        (np.full((4, 4), np.nan), KELVIN),
        (100 + RAMP, {"quantity": "elevation", "unit": "ft"}),
        (100 + RAMP, {"quantity": "precipitation", "unit": "kg m-2"}),
        (100 + RAMP, {"quantity": "elevation", "unit": "above the sea"}),
    ],
)
def test_what_is_possible_is_not_doubted(values: Any, facts: dict[str, Any]) -> None:
    assert found(values, **facts) is None


@pytest.mark.parametrize(
    ("quantity", "unit"),
    [("surface_temperature", "m"), ("ndvi", "K"), ("elevation", "degC"), ("slope", "%"), ("precipitation", "degC")],
)
def test_a_unit_of_something_else_is_told(quantity: str, unit: str) -> None:
    finding = found(RAMP, quantity=quantity, unit=unit)
    assert finding is not None
    assert finding.cause == "unit_mismatch"


def test_a_constant_far_from_all_others_is_undeclared_nodata() -> None:
    finding = found(np.where(RAMP < 0.2, -9999, RAMP), quantity="ndvi", unit="1")
    assert finding is not None
    assert (finding.cause, finding.found["nodata"], finding.certain) == ("nodata_undeclared", -9999, True)


def test_nodata_is_told_as_the_number_that_is_stored() -> None:
    values = np.where(RAMP < 0.2, -9999, 10000 * RAMP).round() * 1e-4
    finding = found(values, quantity="ndvi", unit="1", dtype="int16", scale=1e-4, offset=0.0)
    assert finding is not None
    assert finding.found["nodata"] == -9999


def test_two_levels_of_unscaled_values_are_no_nodata() -> None:
    finding = found(np.where(RAMP < 0.5, 1000, 4000), **REFLECTANCE)
    assert finding is not None
    assert finding.cause == "values_implausible"


def test_a_fill_of_a_mask_is_undeclared_nodata_and_a_class_is_not() -> None:
    filled = found(np.where(RAMP < 0.2, 255, RAMP > 0.5), quantity="cloud_mask", dtype="uint8")
    assert filled is not None
    assert filled.found["nodata"] == 255


def test_a_few_impossible_pixels_are_noise_and_many_are_not() -> None:
    few = found(np.where(RAMP < 0.01, 2 + RAMP, RAMP), quantity="ndvi", unit="1")
    many = found(np.where(RAMP < 0.4, 2 + RAMP, RAMP), quantity="ndvi", unit="1")
    assert few is not None
    assert many is not None
    assert "outliers" in few.found
    assert "outliers" not in many.found


def test_infinite_values_are_no_measurements() -> None:
    finding = found(np.where(RAMP < 0.01, np.inf, RAMP), quantity="ndvi", unit="1")
    assert finding is not None
    assert (finding.cause, finding.certain) == ("not_finite", True)


def test_celsius_under_the_name_of_kelvin_is_explained() -> None:
    finding = explained(15 + 20 * RAMP, **KELVIN)
    assert finding is not None
    assert (finding.cause, finding.found["unit"], finding.found["kind_unit"]) == ("unit_wrong", "degC", "K")


@pytest.mark.parametrize(
    ("values", "facts", "scale"),
    [
        (300 + 4000 * RAMP, REFLECTANCE, 1e-4),
        (8500 * RAMP, {"quantity": "ndvi", "unit": "1"}, 1e-4),
        (14400 + 900 * RAMP, KELVIN, 0.02),
    ],
)
def test_a_factor_is_named_where_no_other_one_is_in_use(values: Any, facts: dict[str, Any], scale: float) -> None:
    finding = explained(values, **facts)
    assert finding is not None
    assert (finding.cause, finding.found["scale"], finding.found["offset"]) == ("scale_missing", scale, 0.0)


@pytest.mark.parametrize("date", ["2023-06-01", "2020-06-01"])  # older scenes have been reprocessed
def test_sentinel_2_with_or_without_offset_is_not_decided_by_land_alone(date: str) -> None:
    scene = {**REFLECTANCE, "sensor": "sentinel-2", "datetime": date, "dtype": "uint16"}
    finding = explained(np.round(2000 + 3000 * RAMP), **scene)
    assert finding is not None
    assert finding.cause == "scale_missing"
    assert "scale" not in finding.found
    assert finding.found["choices"] == ({"scale": 1e-4, "offset": 0.0}, {"scale": 1e-4, "offset": -0.1})


def test_the_bands_of_a_scene_are_explained_together() -> None:
    scene = {**REFLECTANCE, "sensor": "sentinel-2", "datetime": "2023-06-01"}
    finding = explained(2000 + 3000 * RAMP, 100 + 400 * RAMP, **scene)
    assert finding is not None
    assert (finding.found["scale"], finding.found["offset"]) == (1e-4, 0.0)


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        (np.full((20, 20), 3.0), {"quantity": "ndvi", "unit": "1", "dtype": "float32"}),  # not times 0.004 - 0.08
        (np.full((20, 20), 3.0), {"quantity": "ndvi", "unit": "1", "dtype": "uint8"}),
        (np.full((20, 20), 6000.0), {"quantity": "ndvi", "unit": "1", "dtype": "int16"}),
        (np.full((20, 20), 14500.0), {**KELVIN, "dtype": "uint16"}),
        (np.full((20, 20), 3000.0), {**REFLECTANCE, "dtype": "uint16"}),
        (1 + 2 * RAMP, {"quantity": "ndvi", "unit": "1", "dtype": "float32"}),
    ],
)
def test_one_number_everywhere_tells_no_scale(values: Any, facts: dict[str, Any]) -> None:
    assert explained(values, **facts) is None


@pytest.mark.parametrize(
    ("values", "facts", "choices"),
    [
        # an index in one byte: percent of both signs, Copernicus, VITO, images... each is in use
        (
            np.round(60 + 130 * RAMP),
            {"quantity": "ndvi", "unit": "1", "dtype": "uint8"},
            {0.004, 0.005, 1 / 255, 2 / 255},
        ),
        (np.round(600 * RAMP), {"quantity": "ndvi", "unit": "1", "dtype": "int16"}, {1e-3, 1e-4}),
        # Landsat of which only the level is known, and hundredths of degrees Celsius that could be tenths of kelvin
        (np.round(2300 + 1000 * RAMP), {**KELVIN, "dtype": "int16"}, {0.1, 0.01}),
    ],
)
def test_of_several_factors_in_use_none_is_taken(values: Any, facts: dict[str, Any], choices: set[float]) -> None:
    finding = explained(values, **facts)
    assert finding is not None
    assert "scale" not in finding.found
    assert choices <= {one["scale"] for one in finding.found["choices"]}


@pytest.mark.parametrize(
    ("facts", "scale", "offset"),
    [
        ({"quantity": "surface_bidirectional_reflectance", "sensor": "landsat-8-9-oli-tirs"}, 2.75e-5, -0.2),
        ({"quantity": "toa_bidirectional_reflectance", "sensor": "landsat-8-9-oli-tirs"}, 2e-5, -0.1),
    ],
)
def test_a_sensor_and_a_level_that_are_known_leave_one_factor(
    facts: dict[str, Any], scale: float, offset: float
) -> None:
    finding = explained(np.round(8000 + 20000 * RAMP), unit="1", dtype="uint16", **facts)
    assert finding is not None
    assert (finding.found["scale"], finding.found["offset"]) == (scale, offset)


def test_what_no_convention_explains_stays_unexplained() -> None:
    assert explained(1e7 * (1 + RAMP), **KELVIN) is None
    assert explained(1e7 * (1 + RAMP), quantity="elevation", unit="m") is None


@given(st.floats(min_value=-1, max_value=1), st.floats(min_value=0.0, max_value=0.2), st.integers(0, 2**31))
def test_possible_values_are_never_doubted(middle: float, spread: float, seed: int) -> None:
    """Whatever its distribution, an index between -1 and 1 is not accused of anything."""
    chance = np.random.default_rng(seed)
    values = np.clip(middle + spread * chance.standard_normal((12, 12)), -1, 1)
    assert found(values, quantity="ndvi", unit="1", dtype="float32") is None


@given(st.floats(min_value=230, max_value=340), st.floats(min_value=0.1, max_value=8), st.integers(0, 2**31))
def test_an_explanation_is_right_or_absent(middle: float, spread: float, seed: int) -> None:
    """Kelvin turned into degrees Celsius and said to be kelvin is never explained as something else."""
    chance = np.random.default_rng(seed)
    kelvin = np.clip(middle + spread * chance.standard_normal((12, 12)), 226, 349)
    finding = explained(kelvin - 273.15, **KELVIN)
    assert finding is None or finding.found.get("unit") == "degC"


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        ((280 + 30.3 * RAMP) * 0.02, KELVIN | {"scale": 0.02}),
        (0.913 * RAMP * 1e-4, {"quantity": "ndvi", "unit": "1", "scale": 1e-4}),
    ],
)
def test_numbers_with_decimals_were_scaled_already(values: Any, facts: dict[str, Any]) -> None:
    finding = found(values, dtype="float32", offset=0.0, **facts)
    assert finding is not None
    assert (finding.cause, finding.found["scale"], finding.certain) == ("scale_wrong", 1.0, True)


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        (np.round(15000 + 500 * RAMP) * 0.02, KELVIN | {"dtype": "float32", "scale": 0.02}),
        (np.round(9000 * RAMP) * 1e-4, {"quantity": "ndvi", "unit": "1", "dtype": "float32", "scale": 1e-4}),
        (np.round(9000 * RAMP) * 1e-4, {"quantity": "ndvi", "unit": "1", "dtype": "int16", "scale": 1e-4}),
        (45.3 * RAMP * 0.01, {"quantity": "ndvi", "unit": "1", "dtype": "float32", "scale": 0.01}),
    ],
)
def test_a_scale_of_stored_numbers_is_believed(values: Any, facts: dict[str, Any]) -> None:
    assert found(values, offset=0.0, **facts) is None


def test_nothing_reflects_less_than_nothing() -> None:
    finding = found(np.where(RAMP < 0.3, -0.08, 0.2 + 0.1 * RAMP), **REFLECTANCE)
    assert finding is not None
    assert finding.cause == "values_implausible"
    assert found(np.where(RAMP < 0.05, -0.08, 0.2 + 0.1 * RAMP), **REFLECTANCE) is None
    assert found(np.where(RAMP < 0.9, -0.01, 0.2 + 0.1 * RAMP), **REFLECTANCE) is None


def test_classes_of_something_else_are_no_mask() -> None:
    classes = np.array([4, 5, 8, 9] * 25).reshape(10, 10)
    finding = found(classes, quantity="cloud_mask", unit="1", dtype="uint8")
    assert finding is not None
    assert finding.cause == "quantity_wrong"
    assert explained(classes, quantity="cloud_mask", unit="1", dtype="uint8") is None
    yes_is_255 = found(np.where(RAMP < 0.5, 0, 255), quantity="cloud_mask", unit="1", dtype="uint8")
    assert yes_is_255 is not None
    assert (yes_is_255.cause, yes_is_255.found) == ("mask_coded", {"mark": 255})


def test_one_byte_holds_no_kelvin_and_so_tells_no_unit() -> None:
    lost = np.round(288 + 40 * RAMP) % 256
    assert explained(lost, dtype="uint8", **KELVIN) is None
    celsius = explained(20 + 20 * RAMP, dtype="float32", **KELVIN)
    assert celsius is not None
    assert celsius.cause == "unit_wrong"


def test_a_constant_beside_values_in_a_wrong_unit_is_undeclared_nodata() -> None:
    values = np.where(RAMP < 0.06, -273.15, 15 + 25 * RAMP)
    finding = explained(values, **KELVIN)
    assert finding is not None
    assert (finding.cause, finding.found["nodata"]) == ("nodata_undeclared", -273.15)


def test_most_pixels_at_the_end_of_the_type_are_saturated_rather_than_missing() -> None:
    stored = np.where(RAMP < 0.7, 65535, np.round(10000 * RAMP))
    said = REFLECTANCE | {"dtype": "uint16", "scale": 1e-4, "offset": 0.0}
    finding = found(stored * 1e-4, **said)
    assert finding is not None
    assert (finding.cause, finding.certain) == ("saturated", False)
    few = found(np.where(RAMP < 0.2, 65535, np.round(10000 * RAMP)) * 1e-4, **said)
    assert few is not None
    assert few.cause == "nodata_undeclared"


def _scene(red: Any, nir: Any, quantity: str = REFLECTANCE["quantity"]) -> Finding | None:
    pixels = {"red": np.asarray(red, dtype=float), "nir": np.asarray(nir, dtype=float)}
    bands = band_set({name: raster(name, quantity=quantity, unit="1") for name in pixels})
    return exchanged(bands, lambda band: sample_of([pixels[band.name]]))


def test_ground_that_is_bright_in_red_and_dark_in_near_infrared_has_exchanged_bands() -> None:
    finding = _scene(0.25 + 0.1 * RAMP, 0.03 + 0.05 * RAMP)
    assert finding is not None
    assert finding.cause == "band_misnamed"
    assert _scene(0.03 + 0.05 * RAMP, 0.25 + 0.1 * RAMP) is None


@pytest.mark.parametrize(
    ("red", "nir"),
    [
        (0.05 - 0.02 * RAMP, 0.01 + 0.01 * RAMP),  # water
        (0.9 - 0.1 * RAMP, 0.75 - 0.2 * RAMP),  # snow
        (0.2 + 0.1 * RAMP, 0.25 + 0.1 * RAMP),  # soil
        (np.full((20, 20), np.nan), 0.3 + RAMP),
    ],
)
def test_what_grounds_reflect_is_not_doubted(red: Any, nir: Any) -> None:
    assert _scene(red, nir) is None
    assert _scene(0.4 + RAMP, 0.1 * RAMP, quantity="digital_number") is None


@pytest.mark.parametrize("scale", [1.0, 1e-4])
def test_the_documented_fill_of_an_index_is_missing_whether_or_not_it_is_scaled(scale: float) -> None:
    stored = np.where(RAMP < 0.02, -3000, np.round(-500 + 9000 * RAMP))
    finding = found(stored * scale, quantity="evi", unit="1", dtype="int16", scale=scale, offset=0.0)
    assert finding is not None
    assert finding.cause == "nodata_undeclared"
    assert finding.found["nodata"] == -3000


@pytest.mark.parametrize("lowest", [-2999, -4000])
def test_an_index_of_another_lowest_number_has_no_documented_fill(lowest: int) -> None:
    stored = np.where(RAMP < 0.02, lowest, np.round(-2900 + 9000 * RAMP))
    finding = found(stored * 1e-4, quantity="ndvi", unit="1", dtype="int16", scale=1e-4, offset=0.0)
    assert finding is None


def test_a_pixel_of_water_is_no_documented_fill_and_what_is_told_was_measured() -> None:
    values = np.round(-500 + 9000 * RAMP)
    values[3, 3] = -3000
    said = {"quantity": "ndvi", "unit": "1", "dtype": "int16", "scale": 1e-4, "offset": 0.0}
    assert found(values * 1e-4, **said) is None
    finding = found(np.where(RAMP < 0.02, -3000, np.round(-500 + 9000 * RAMP)) * 1e-4, **said)
    assert finding is not None
    assert "all others are -320 to 8500" in str(finding.evidence[0])


BYTES = {"quantity": "ndvi", "unit": "1", "dtype": "uint8", "scale": 0.004, "offset": -0.08}


@pytest.mark.parametrize(
    ("ends", "nodata", "flagged"),
    [
        ((254, 255), None, (254, 255)),
        ((253, 254), 255, (253, 254)),
        ((254,), 255, (254, 254)),
        ((255,), None, None),  # missing, or saturated: nobody can tell
        ((), None, None),
    ],
)
def test_the_last_numbers_of_a_byte_are_flags_where_they_stand_apart(
    ends: tuple[int, ...], nodata: int | None, flagged: tuple[int, int] | None
) -> None:
    stored = np.round(150 + 60 * np.sin(np.arange(3600.0))).reshape(60, 60)
    for row, number in enumerate(ends):
        stored[4 * row : 4 * row + 4] = number
    finding = found(stored * 0.004 - 0.08, nodata=nodata, **BYTES)
    assert (finding is None) == (flagged is None)
    if finding is not None:
        assert (finding.cause, (finding.found["nodata"], finding.found["last"])) == ("nodata_undeclared", flagged)


def test_an_index_that_reaches_the_end_of_its_type_is_not_flagged() -> None:
    stored = np.round(200 + 60 * np.sin(np.arange(3600.0))).clip(0, 255).reshape(60, 60)
    assert found(stored * 0.004 - 0.08, **BYTES) is None
