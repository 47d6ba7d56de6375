"""Numbers of a product that are codes are left out, whatever the header declares, and clouds among them are clouds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import name_facts
from knowflow.roof.library import KnowFlow
from knowflow.tools.raster.arrays import read_array
from knowflow.tools.raster.delivery import deliver_cog, tells_all

GRID = Affine(500, 0, 500_000, 0, -500, 5_100_000)


def _write(path: Path, stored: NDArray[np.generic], nodata: float | None = None) -> Path:
    rows, columns = stored.shape
    form = {"crs": "EPSG:32633", "transform": GRID, "dtype": stored.dtype.name, "nodata": nodata}
    with rasterio.open(path, "w", "GTiff", columns, rows, 1, **form) as file:
        file.write(stored, 1)
    return path


def _drawn(
    codes: tuple[int, ...], most: int, dtype: str, seed: int = 1
) -> tuple[NDArray[np.generic], NDArray[np.bool_]]:
    """Numbers with codes among them in a fifth of the pixels, and where these are."""
    random = np.random.default_rng(seed)
    stored = random.integers(0, most + 1, (20, 30)).astype(dtype)
    coded = random.random(stored.shape) < 0.2
    stored[coded] = random.choice(codes, int(coded.sum()))
    return stored, coded


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    low=st.integers(-50, 0),
    high=st.integers(1, 200),
    dtype=st.sampled_from(["uint8", "int16", "float32"]),
    seed=st.integers(0, 999),
    nodata=st.sampled_from([None, 255.0]),
)
def test_what_is_read_are_the_numbers_that_were_measured(
    tmp_path: Path, low: int, high: int, dtype: str, seed: int, nodata: float | None
) -> None:
    stored = np.random.default_rng(seed).integers(0, 256, (7, 9)).astype(dtype)
    path = _write(tmp_path / "coded.tif", stored, nodata)
    facts = Facts.of(Origin.DECLARED, "product", valid_range=(low, high), scale=0.5, quantity="share", unit="%")
    coded = Artifact("raster", facts, "coded", str(path))
    wanted = np.where((stored < low) | (stored > high) | (stored == nodata), np.nan, stored * 0.5)
    np.testing.assert_allclose(read_array(coded), wanted)
    assert not tells_all(coded)
    deliver_cog(coded, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as file:
        handed = file.read(1, masked=True)
    np.testing.assert_array_equal(np.ma.getmaskarray(handed) | np.isnan(handed.filled(0)), np.isnan(wanted))


def test_tools_of_gdal_read_no_codes(tmp_path: Path) -> None:
    stored, coded = _drawn((249, 251, 254), 100, "uint8")
    _write(tmp_path / "MOD15A2H.A2018273.h18v04.061.2018280000000.Lai_500m.tif", stored)
    found = KnowFlow(tmp_path / "home").run_tool(
        "gdal_raster_reproject",
        {"input": str(tmp_path / "MOD15A2H.A2018273.h18v04.061.2018280000000.Lai_500m.tif"), "dst_crs": "EPSG:32633"},
        out=tmp_path / "out",
    )
    assert found.status == "completed", found.error
    with rasterio.open(next((tmp_path / "out").rglob("*.tif"))) as file:
        numbers = file.read(1, masked=True).compressed()
    assert np.nanmax(numbers) <= 10.0  # hundred tenths
    assert np.nanmean(numbers) == pytest.approx(float(stored[~coded].mean()) / 10, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "codes", "most", "dtype", "scale", "asked"),
    [
        ("MCD15A3H.061_Lai_500m_doy2018273_aid0001.tif", (249, 250, 253), 100, "uint8", 0.1, "leaf area index"),
        ("VNP15A2H.001_Fpar_doy2018273_aid0001.tif", (251, 254), 100, "uint8", 0.01, "FAPAR"),
        ("MOD17A2HGF.061_Gpp_500m_doy2018273_aid0001.tif", (32761, 32766), 900, "int16", 0.0001, "GPP"),
        ("MOD44B.061_Percent_Tree_Cover_doy2018065_aid0001.tif", (200,), 100, "uint8", 0.01, "tree cover"),
        ("JRC_GSW1_4_GlobalSurfaceWater_occurrence.tif", (254,), 100, "uint8", 0.01, "water occurrence"),
        ("Forest_height_2019_NAFR.tif", (101, 102, 103), 40, "uint8", 1.0, "canopy height"),
    ],
)
def test_codes_of_products_count_in_no_mean(
    tmp_path: Path, name: str, codes: tuple[int, ...], most: int, dtype: str, scale: float, asked: str
) -> None:
    (tmp_path / "data").mkdir()
    stored, coded = _drawn(codes, most, dtype)
    _write(tmp_path / "data" / name, stored)
    found = KnowFlow(tmp_path / "home").run(f"What is the mean {asked}?", tmp_path / "data", out=tmp_path / "out")
    assert found.status == "completed", found.error
    wanted = float(stored[~coded].mean()) * scale
    assert min(abs(found.answer - wanted * factor) for factor in (1, 100)) <= 1e-3 * wanted, found.understood


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("MOD10A1.A2018032.h18v04.061.2021336141312.NDSI_Snow_Cover", (200, 201, 211, 237, 254)),
        ("MYD10A1_NDSI_Snow_Cover_2018-02-01", (201, 239)),
        ("VNP10A1.A2018032.h18v04.002.2021336141312.NDSI_Snow_Cover", (237, 252, 254)),
    ],
)
@pytest.mark.parametrize("nodata", [None, 255])
def test_clouds_among_the_numbers_of_a_snow_cover_are_clouds(
    tmp_path: Path, name: str, codes: tuple[int, ...], nodata: int | None
) -> None:
    (tmp_path / "data").mkdir()
    stored, coded = _drawn((*codes, 250, 250), 100, "uint8", seed=3)
    _write(tmp_path / "data" / f"{name}_clip.tif", stored, nodata)
    asked = KnowFlow(tmp_path / "home")
    snow = asked.run("What share of the cloud-free land had snow?", tmp_path / "data", out=tmp_path / "a")
    assert snow.status == "completed", snow.error
    assert snow.answer == pytest.approx(float((stored[~coded] >= 40).mean()), abs=1e-6)
    cloud = asked.run("What share of the image is under cloud?", tmp_path / "data", out=tmp_path / "b")
    assert cloud.status == "completed", cloud.error
    unseen = np.isin(stored, [code for code in codes if code in (200, 201, 211, 252)])
    unseen |= np.isin(stored, [254]) & name.startswith("VNP")
    assert cloud.answer == pytest.approx(float((stored[~unseen] == 250).mean()), abs=1e-6)


@pytest.mark.parametrize(
    ("index", "quality", "cloudy", "dtype"),
    [
        ("MOD13Q1.061__250m_16_days_{}_doy2019225_aid0001.tif", "pixel_reliability", 3, "int8"),
        ("MYD13A1.A2019225.h18v04.061.2019250000000.500m_16_days_{}.tif", "pixel_reliability", 3, "int8"),
        ("MODIS_061_MOD13Q1_2019_08_13_{}.tif", "SummaryQA", 3, "int8"),
        ("VNP13A1.A2019225.h18v04.001.2019250000000.500_m_16_days_{}.tif", "pixel_reliability", 9, "int8"),
    ],
)
def test_what_is_cloudy_by_the_reliability_of_a_composite_is_left_out(
    tmp_path: Path, index: str, quality: str, cloudy: int, dtype: str
) -> None:
    (tmp_path / "data").mkdir()
    random = np.random.default_rng(5)
    ndvi = random.integers(1000, 8000, (20, 30)).astype("int16")
    marks = random.choice([0, 1, cloudy], ndvi.shape).astype(dtype)
    ndvi[marks == cloudy] //= 4
    _write(tmp_path / "data" / index.format("NDVI"), ndvi, -3000)
    _write(tmp_path / "data" / index.format(quality), marks)
    found = KnowFlow(tmp_path / "home").run("What is the mean NDVI?", tmp_path / "data", out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(float(ndvi[marks != cloudy].mean()) / 10_000, rel=1e-4)


def test_numbers_of_a_share_or_of_another_type_are_as_they_are() -> None:
    assert name_facts("NDSI_S2_20180201.tif").facts.value("valid_range") is None
    assert name_facts("lai_field_campaign.tif").facts.value("valid_range") is None
