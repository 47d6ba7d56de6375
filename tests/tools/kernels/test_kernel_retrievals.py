"""Retrievals against their forward models."""

from __future__ import annotations

import numpy as np
import pytest

from knowflow.tools.kernels.dryness import BinExtremes, dryness_index, fit_edges
from knowflow.tools.kernels.thermal import (
    SINGLE_CHANNEL,
    emissivity_corrected,
    emissivity_from_ndvi,
    generalised_single_channel,
    planck_radiance,
    planck_temperature,
)
from knowflow.tools.kernels.vegetation import vegetation_fraction


def test_planck_and_its_inverse_agree_with_scipy_constants() -> None:
    from scipy.constants import c, h, k

    wavelength = 10.9e-6
    expected = 2 * h * c**2 / wavelength**5 / np.expm1(h * c / (wavelength * k * 300.0)) * 1e-6
    assert planck_radiance(np.array(300.0), 10.9) == pytest.approx(expected, rel=1e-8)
    temperatures = np.linspace(250, 340, 10)
    assert planck_temperature(planck_radiance(temperatures, 10.9), 10.9) == pytest.approx(temperatures, rel=1e-12)


@pytest.mark.parametrize("emissivity", [0.95, 0.98, 1.0])
def test_emissivity_correction_recovers_the_surface_of_a_grey_body(emissivity: float) -> None:
    surface = np.linspace(270.0, 330.0, 13)
    brightness = planck_temperature(emissivity * planck_radiance(surface, 10.9), 10.9)
    found = emissivity_corrected(brightness, np.array(emissivity), 10.9)
    # the formula is Wien's approximation: a few hundredths of a kelvin at these temperatures
    assert found == pytest.approx(surface, abs=0.1)
    assert (found >= brightness - 1e-9).all()


@pytest.mark.parametrize("sensor", sorted(SINGLE_CHANNEL))
def test_single_channel_warms_with_water_vapour_and_with_lower_emissivity(sensor: str) -> None:
    band = SINGLE_CHANNEL[sensor]
    brightness = np.array([295.0])
    dry = generalised_single_channel(brightness, np.array([0.97]), 0.5, band)
    humid = generalised_single_channel(brightness, np.array([0.97]), 2.5, band)
    bright = generalised_single_channel(brightness, np.array([0.99]), 0.5, band)
    assert 295.0 < bright[0] < dry[0] < humid[0] < 310.0


def test_single_channel_matches_the_equations_worked_by_hand() -> None:
    # Landsat 8, B = 300 K, emissivity 0.98, 2 g cm-2
    radiance = 774.8853 / (np.exp(1321.0789 / 300.0) - 1.0)
    psi1 = 0.04019 * 4 + 0.02916 * 2 + 1.01523
    psi2 = -0.38333 * 4 - 1.50294 * 2 + 0.20324
    psi3 = 0.00918 * 4 + 1.36072 * 2 - 0.27514
    gamma = 90000.0 / (1324.0 * radiance)
    expected = gamma * ((psi1 * radiance + psi2) / 0.98 + psi3) + 300.0 - 90000.0 / 1324.0
    found = generalised_single_channel(np.array([300.0]), np.array([0.98]), 2.0, SINGLE_CHANNEL["landsat-8-9-oli-tirs"])
    assert found[0] == pytest.approx(expected, rel=1e-12)


def test_emissivity_follows_soil_mixture_and_vegetation() -> None:
    ndvi = np.array([-0.2, 0.1, 0.35, 0.5, 0.8, np.nan])
    found = emissivity_from_ndvi(ndvi)
    share = 0.25
    mixture = 0.99 * share + 0.97 * (1 - share) + 0.03 * 0.99 * 0.55 * (1 - share)
    assert found[:5] == pytest.approx([0.991, 0.97, mixture, 0.99, 0.99])
    assert np.isnan(found[5])


def test_vegetation_fraction_is_linear_or_its_square() -> None:
    ndvi = np.array([-0.1, 0.05, 0.455, 0.86, 0.95, np.nan])
    linear = vegetation_fraction(ndvi, 0.05, 0.86, "linear")
    assert linear[:5] == pytest.approx([0, 0, 0.5, 1, 1])
    assert vegetation_fraction(ndvi, 0.05, 0.86, "quadratic")[:5] == pytest.approx(linear[:5] ** 2)
    assert np.isnan(linear[5])


@pytest.mark.parametrize("wet_edge", ["sloping", "horizontal"])
def test_edges_of_a_perfect_triangle_are_found_and_give_its_dryness(wet_edge: str) -> None:
    bins = 20
    centres = np.repeat((np.arange(bins) + 0.5) / bins, 11)
    moisture = np.tile(np.linspace(0, 1, 11), bins)
    wet_slope = -2.0 if wet_edge == "sloping" else 0.0
    wet, dry = 290.0 + wet_slope * centres, 325.0 - 20.0 * centres
    temperature = wet + moisture * (dry - wet)
    extremes = BinExtremes.empty(0.0, 1.0, bins)
    for part in (slice(0, 100), slice(100, None)):
        block = BinExtremes.empty(0.0, 1.0, bins).with_block(centres[part], temperature[part])
        extremes = extremes.merged(block)
    edges = fit_edges(extremes, 5, wet_edge)
    assert edges is not None
    assert (edges.dry_slope, edges.dry_intercept) == pytest.approx((-20.0, 325.0))
    assert (edges.wet_slope, edges.wet_intercept) == pytest.approx((wet_slope, 290.0), abs=1e-9)
    assert dryness_index(centres, temperature, edges) == pytest.approx(moisture, abs=1e-9)


def test_a_triangle_without_enough_classes_has_no_edges() -> None:
    extremes = BinExtremes.empty(0.0, 1.0, 10).with_block(np.full(50, 0.5), np.linspace(290, 300, 50))
    assert fit_edges(extremes, 10, "sloping") is None


def test_gaps_and_values_outside_the_classes_do_not_shape_the_edges() -> None:
    ndvi = np.array([0.5, 0.5, np.nan, 0.5, 1.5])
    temperature = np.array([300.0, 310.0, 500.0, np.nan, 600.0])
    extremes = BinExtremes.empty(0.0, 1.0, 10).with_block(ndvi, temperature)
    assert extremes.count.sum() == 2
    assert np.nanmax(extremes.warmest) == 310.0
    assert np.nanmin(extremes.coldest) == 300.0


def test_where_the_edges_cross_there_is_no_index() -> None:
    extremes = BinExtremes.empty(0.0, 1.0, 2)
    extremes = extremes.with_block(np.array([0.25, 0.25, 0.75, 0.75]), np.array([280.0, 320.0, 300.0, 300.0]))
    edges = fit_edges(extremes, 1, "sloping")
    assert edges is not None
    assert np.isnan(dryness_index(np.array([0.9]), np.array([300.0]), edges)).all()
