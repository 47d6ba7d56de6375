"""Retrievals against a forward model: Planck's law written here on its own, a surface, and air where it matters."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from affine import Affine
from numpy.typing import NDArray
from raster_files import NORTH_UP, opened, read, write
from scipy import constants

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.tools.earth_agent import inversion as tools
from knowflow.tools.raster import GridMismatchError

Array = NDArray[np.float64]
ASTER = (8.291, 8.634, 9.075, 10.657, 11.318)


def planck(temperature: Any, micrometres: float) -> Any:
    wave = micrometres * 1e-6
    exponent = constants.h * constants.c / (wave * constants.k * np.asarray(temperature))
    return 2 * constants.h * constants.c**2 / wave**5 / np.expm1(exponent)


def brightness(radiance: Any, micrometres: float) -> Any:
    wave = micrometres * 1e-6
    return (
        constants.h
        * constants.c
        / (wave * constants.k * np.log1p(2 * constants.h * constants.c**2 / wave**5 / np.asarray(radiance)))
    )


def seen(temperature: Any, emissivity: Any, micrometres: float) -> Any:
    """Brightness temperature of a surface without air above it."""
    return brightness(np.asarray(emissivity) * planck(temperature, micrometres), micrometres)


def save(folder: Path, name: str, values: Any, **more: Any) -> str:
    path = folder / f"{name}.tif"
    write(path, np.atleast_2d(np.asarray(values, dtype=np.float32)), nodata=-9999, **more)
    return str(path)


def test_single_channel_finds_the_temperature_of_vegetation_and_soil(tmp_path: Path) -> None:
    truth, emissivity = np.array([[290.0, 300.0, 315.0]]), np.array([[0.99, 0.99, 0.97]])
    bt = seen(truth, emissivity, 10.895)
    red, nir = [[0.05, 0.05, 0.25]], [[0.40, 0.40, 0.30]]
    files = [save(tmp_path, name, v) for name, v in (("bt", bt), ("red", red), ("nir", nir))]
    tools.lst_single_channel(*files, tmp_path / "lst.tif")
    np.testing.assert_allclose(read(tmp_path / "lst.tif"), truth, atol=0.15)


def test_fill_has_no_temperature_unless_the_published_number_is_wanted(tmp_path: Path) -> None:
    bt = save(tmp_path, "bt", [[300.0, -9999, 300.0]])
    red, nir = save(tmp_path, "red", [[0.05, 0.05, -9999]]), save(tmp_path, "nir", [[0.4, 0.4, -9999]])
    tools.lst_single_channel(bt, red, nir, tmp_path / "lst.tif")
    assert np.isnan(read(tmp_path / "lst.tif")).tolist() == [[False, True, True]]
    tools.lst_single_channel(bt, red, nir, tmp_path / "lst.tif", compat=True)
    assert np.isfinite(read(tmp_path / "lst.tif")).all()


def split_bands(folder: Path, surface: Array, emissivity: tuple[float, float]) -> list[str]:
    """Bands 31 and 32 through air of 286 K whose transmittances are those of 2.5 g cm-2 of water vapour."""
    files = []
    for name, wave, share, e in (("b31", 11.03, 0.77, emissivity[0]), ("b32", 12.02, 0.70, emissivity[1])):
        radiance = share * e * planck(surface, wave) + (1 - share) * planck(286.0, wave)
        files.append(save(folder, name, brightness(radiance, wave)))
    return files


def test_split_windows_see_through_the_air(tmp_path: Path) -> None:
    truth = np.array([[292.0, 300.0, 306.0]])
    files = split_bands(tmp_path, truth, (0.985, 0.985))
    tools.lst_multi_channel(*files, tmp_path / "multi.tif")
    assert np.abs(read(tmp_path / "multi.tif") - truth).max() < 1.6  # the accuracy that the paper states is 1.5 K
    emissivities = [save(tmp_path, name, np.full(truth.shape, 0.985)) for name in ("e31", "e32")]
    tools.split_window(*files, *emissivities, "LST", tmp_path / "lst.tif")
    np.testing.assert_allclose(read(tmp_path / "lst.tif"), read(tmp_path / "multi.tif"), atol=1e-3)


def test_split_window_is_the_published_formula_and_refuses_impossible_emissivities(tmp_path: Path) -> None:
    t31, t32 = np.array([[300.0, 300.0, 300.0]]), np.array([[299.0, 298.5, 299.0]])
    e31, e32 = np.array([[0.98, 0.97, 1.2]]), np.array([[0.984, 0.97, 0.98]])
    files = [save(tmp_path, name, v) for name, v in (("a", t31), ("b", t32), ("e31", e31), ("e32", e32))]
    tools.split_window(*files, "LST", tmp_path / "lst.tif")
    # Sobrino, El Kharraz and Li 2003 with W = 2
    first = 300 + 1.02 + 1.79 + 1.20 + (34.83 - 0.68 * 2) * (1 - 0.982) + (-73.27 - 5.19 * 2) * -0.004
    second = 300 + 1.02 + 1.79 * 1.5 + 1.20 * 1.5**2 + (34.83 - 0.68 * 2) * 0.03
    found = read(tmp_path / "lst.tif")[0]
    assert found[:2] == pytest.approx([first, second], abs=0.01)
    assert np.isnan(found[2])
    with pytest.raises(ToolError, match="parameter"):
        tools.split_window(*files, "PWV", tmp_path / "other.tif")


def test_temperatures_that_are_no_kelvin_are_refused_unless_their_unit_is_known(tmp_path: Path) -> None:
    celsius = [save(tmp_path, name, [[26.85]]) for name in ("a", "b")]
    with pytest.raises(MissingFactError, match="kelvin"):
        tools.lst_multi_channel(*celsius, tmp_path / "lst.tif")
    known = [save(tmp_path, name, [[26.85]], tags={"UNIT": "degC"}) for name in ("a", "b")]
    tools.lst_multi_channel(*known, tmp_path / "lst.tif")
    assert read(tmp_path / "lst.tif")[0, 0] == pytest.approx(300 + 1.02 + (34.83 - 1.36) * 0.015, abs=0.01)


def test_separation_gives_temperature_and_emissivities_of_sand_and_water(tmp_path: Path) -> None:
    # rows of ASTER's bands: quartz sand, water
    spectra = np.array([[0.80, 0.78, 0.81, 0.950, 0.955], [0.984, 0.985, 0.986, 0.991, 0.990]])
    truth = np.array([320.0, 290.0])
    files = [save(tmp_path, f"b{n}", seen(truth, spectra[:, n], wave)) for n, wave in enumerate(ASTER)]
    tools.temperature_emissivity_separation(files, 3, tmp_path / "tes.tif")
    with opened(tmp_path / "tes.tif") as dataset:
        temperature, emissivity, lowest, contrast = dataset.read()[:, 0]
        assert dataset.descriptions == tools.TES_BANDS
    assert np.abs(temperature - truth).max() < 1.5  # the accuracy that the paper states
    assert np.abs(emissivity - spectra[:, 3]).max() < 0.02
    assert np.abs(lowest - spectra.min(axis=1)).max() < 0.03
    assert np.abs(contrast - np.ptp(spectra, axis=1)).max() < 0.03


def test_three_bands_give_the_temperature_at_their_own_wavelengths(tmp_path: Path) -> None:
    waves, truth = (8.3, 8.65, 9.1), np.array([285.0, 300.0])
    spectra = np.array([[0.96, 0.95, 0.968], [0.984, 0.985, 0.986]])  # clay and water
    files = [save(tmp_path, f"b{n}", seen(truth, spectra[:, n], wave)) for n, wave in enumerate(waves)]
    tools.ttm_lst(files, tmp_path / "lst.tif", list(waves))
    right = read(tmp_path / "lst.tif")[0]
    assert np.abs(right - truth).max() < 1.5
    tools.ttm_lst(files, tmp_path / "other.tif", [8.3, 8.65, 11.3])
    assert np.abs(read(tmp_path / "other.tif")[0] - right).max() > 0.2
    with pytest.raises(ToolError, match="three bands"):
        tools.ttm_lst(files[:2], tmp_path / "lst.tif")


def test_day_and_night_have_a_band_each_and_are_not_clipped(tmp_path: Path) -> None:
    day, night = np.array([[335.0, 300.0]]), np.array([[215.0, 280.0]])
    bt = [save(tmp_path, name, seen(t, 0.97, 11.03)) for name, t in (("day", day), ("night", night))]
    e = [save(tmp_path, name, [[0.97, 0.97]]) for name in ("e_day", "e_night")]
    tools.modis_day_night_lst(*bt, *e, tmp_path / "lst.tif")
    with opened(tmp_path / "lst.tif") as dataset:
        np.testing.assert_allclose(dataset.read(1), day, atol=0.4)
        np.testing.assert_allclose(dataset.read(2), night, atol=0.4)


def test_inertia_is_on_the_grid_of_the_day_whatever_the_others_are_on(tmp_path: Path) -> None:
    day = np.linspace(300, 310, 64).reshape(8, 8)
    coarse = NORTH_UP @ Affine.scale(2)
    files = [
        save(tmp_path, "day", day),
        save(tmp_path, "night", np.full((4, 4), 285.0), transform=coarse),
        save(tmp_path, "albedo", np.full((4, 4), 0.2), transform=coarse),
    ]
    tools.ATI(*files, tmp_path / "ati.tif")
    np.testing.assert_allclose(read(tmp_path / "ati.tif"), 0.8 / (day - 285), rtol=1e-4)


def test_inertias_made_at_once_do_not_destroy_each_other(tmp_path: Path) -> None:
    """Published, all runs shared one temporary file."""
    coarse = NORTH_UP @ Affine.scale(2)

    def run(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        files = [
            save(folder, "day", np.full((8, 8), 300.0 + number)),
            save(folder, "night", np.full((4, 4), 285.0), transform=coarse),
            save(folder, "albedo", np.full((4, 4), 0.2), transform=coarse),
        ]
        tools.ATI(*files, folder / "ati.tif")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(run, range(8)))
    for number in range(8):
        np.testing.assert_allclose(read(tmp_path / str(number) / "ati.tif"), 0.8 / (15 + number), rtol=1e-4)


def test_what_is_warmer_by_night_has_no_inertia(tmp_path: Path) -> None:
    files = [save(tmp_path, n, v) for n, v in (("d", [[300, 280]]), ("n", [[290, 290]]), ("a", [[0.5, 0.5]]))]
    tools.ATI(*files, tmp_path / "ati.tif")
    assert read(tmp_path / "ati.tif")[0, 0] == pytest.approx(0.05)
    assert np.isnan(read(tmp_path / "ati.tif")[0, 1])
    tools.ATI(*files, tmp_path / "ati.tif", compat=True)
    assert read(tmp_path / "ati.tif")[0, 1] == pytest.approx(-0.05)


def test_water_vapour_is_what_the_forward_model_put_there(tmp_path: Path) -> None:
    truth = np.array([[0.5, 2.0, 4.0]])
    b2, b5 = np.array([[0.30, 0.40, 0.25]]), np.array([[0.35, 0.38, 0.30]])

    def ground(wave: float) -> Array:
        return np.asarray(b2 + (b5 - b2) * (wave - 0.865) / (1.24 - 0.865))

    depth = 0.651 * np.sqrt(truth) - 0.02  # Kaufman and Gao 1992
    bands = {
        "b2": b2,
        "b5": b5,
        "b17": ground(0.905) * np.exp(-depth * 0.3),
        "b18": ground(0.936) * np.exp(-depth * 1.3),
    }
    bands["b19"] = ground(0.94) * np.exp(-depth)
    files = [save(tmp_path, name, values) for name, values in bands.items()]
    tools.band_ratio(*files, tmp_path / "vapour.tif")
    np.testing.assert_allclose(read(tmp_path / "vapour.tif"), truth, rtol=1e-3)


def test_where_no_vapour_can_be_seen_there_is_no_number_published_zero(tmp_path: Path) -> None:
    values = {"b2": [[0.3, -9999]], "b5": [[0.3, 0.3]], "b17": [[0.2, 0.2]], "b18": [[0.25, 0.2]], "b19": [[0.2, 0.2]]}
    files = [save(tmp_path, name, band) for name, band in values.items()]
    tools.band_ratio(*files, tmp_path / "vapour.tif")
    assert np.isnan(read(tmp_path / "vapour.tif")).all()
    tools.band_ratio(*files, tmp_path / "vapour.tif", compat=True)
    assert read(tmp_path / "vapour.tif").tolist() == [[0.0, 0.0]]


def test_temperatures_by_ndvi_are_those_of_plain_arrays(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scenes = []
    for scene in range(2):
        arrays = {"red": rng.uniform(0.05, 0.3, (9, 9)), "nir": rng.uniform(0.1, 0.5, (9, 9))}
        arrays["lst"] = rng.uniform(290, 320, (9, 9))
        scenes.append(arrays)
        for name, values in arrays.items():
            save(tmp_path, f"{name}{scene}", values)
    lists = [[str(tmp_path / f"{name}{scene}.tif") for scene in range(2)] for name in ("red", "nir", "lst")]
    chosen = [a["lst"][(a["nir"] - a["red"]) / (a["nir"] + a["red"]) > 0.4] for a in scenes]
    assert tools.calculate_mean_lst_by_ndvi(*lists, 0.4) == pytest.approx(np.mean([c.mean() for c in chosen]), rel=1e-6)
    first = [files[0] for files in lists]
    assert tools.calculate_max_lst_by_ndvi(*first, 0.4) == pytest.approx(chosen[0].max(), rel=1e-6)
    low = scenes[0]["lst"][(scenes[0]["nir"] - scenes[0]["red"]) / (scenes[0]["nir"] + scenes[0]["red"]) < 0.1]
    assert tools.calculate_max_lst_by_ndvi(*first, 0.1, "below") == pytest.approx(low.max(), rel=1e-6)
    assert np.isnan(tools.calculate_max_lst_by_ndvi(*first, 0.99))


def test_bands_on_different_grids_are_refused(tmp_path: Path) -> None:
    files = [save(tmp_path, "a", np.full((4, 4), 300.0)), save(tmp_path, "b", np.full((5, 4), 299.0))]
    with pytest.raises(GridMismatchError):
        tools.lst_multi_channel(*files, tmp_path / "lst.tif")
