"""Questions about a real patch of imagery, each answer against numpy on the raw files."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray

from knowflow.roof.library import KnowFlow
from knowflow.service.results import RunResult

Grid = NDArray[np.float64]
Ask = Callable[..., RunResult]
FIRST = 2015 + 191 / 365  # the first of the dates, 11 July 2015, as a year


def read(path: Path) -> Grid:
    with rasterio.open(path) as file:
        found: Grid = file.read(1).astype(np.float64)
        nodata = file.nodata
    if nodata is not None and not np.isnan(nodata):
        found[found == nodata] = np.nan
    return found


def date_in(path: Path) -> datetime:
    found = re.search(r"(\d{4})-?(\d\d)-?(\d\d)T?(\d\d)?:?-?(\d\d)?:?-?(\d\d)?", path.stem)
    assert found is not None
    year, month, day, *time = (int(part) if part else 0 for part in found.groups())
    return datetime(year, month, day, *time)


@cache
def clear_ndvi(folder: Path) -> tuple[list[datetime], Grid]:
    """Dates, and NDVI with clouds as NaN (dates, rows, columns)."""
    files = sorted((folder / "ndvi").glob("*.tif"))
    masks = sorted((folder / "cloud_mask").glob("*.tif"))
    stack = np.stack([read(path) for path in files])
    clouds = np.stack([read(path) for path in masks])
    assert [date_in(path) for path in files] == [date_in(path) for path in masks]
    return [date_in(path) for path in files], np.where(clouds == 0, stack, np.nan)


@cache
def band(folder: Path, name: str) -> Grid:
    """One band of the five scenes as reflectance, clouds as NaN (dates, rows, columns)."""
    files = sorted((folder / "sentinel2_l1c").glob(f"*_{name}.tif"))
    masks = {date_in(path).date(): path for path in (folder / "cloud_mask").glob("*.tif")}
    layers = [np.where(read(masks[date_in(path).date()]) == 0, read(path) / 1e4, np.nan) for path in files]
    assert len(layers) == 5
    return np.stack(layers)


def normalized(a: Grid, b: Grid) -> Grid:
    return (a - b) / (a + b)


@cache
def slope(folder: Path) -> Grid:
    """Horn (1981); rows and columns at the edge are left NaN."""
    z = read(folder / "dem.tif")
    with rasterio.open(folder / "dem.tif") as file:
        width, height = file.transform.a, -file.transform.e
    p = {(r, c): z[1 + r : z.shape[0] - 1 + r, 1 + c : z.shape[1] - 1 + c] for r in (-1, 0, 1) for c in (-1, 0, 1)}
    dx = (p[-1, 1] + 2 * p[0, 1] + p[1, 1] - p[-1, -1] - 2 * p[0, -1] - p[1, -1]) / (8 * width)
    dy = (p[1, -1] + 2 * p[1, 0] + p[1, 1] - p[-1, -1] - 2 * p[-1, 0] - p[-1, 1]) / (8 * height)
    found = np.full(z.shape, np.nan)
    found[1:-1, 1:-1] = np.degrees(np.arctan(np.hypot(dx, dy)))
    return found


def pixel_area(folder: Path) -> float:
    with rasterio.open(folder / "dem.tif") as file:
        return float(file.transform.a * -file.transform.e)


def year_means(folder: Path, year: int) -> list[float]:
    dates, stack = clear_ndvi(folder)
    return [float(np.nanmean(layer)) for day, layer in zip(dates, stack, strict=True) if _of(day, layer, year)]


def _of(day: datetime, layer: Grid, year: int) -> bool:
    return day.year == year and bool(np.isfinite(layer).any())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all questions: what two of them share is computed once."""
    return tmp_path_factory.mktemp("real")


@pytest.fixture
def ask(slovenia: Path, home: Path, tmp_path: Path) -> Ask:
    def asked(query: str, template: str | None = None, **parameters: Any) -> RunResult:
        found = KnowFlow(home).run(query, slovenia, template=template, set=parameters, out=tmp_path / "out")
        assert found.status == "completed", found.error
        return found

    return asked


def pixels(found: RunResult, name: str = "map") -> Grid:
    return read(Path(found.outputs[name]))


# --- time -----------------------------------------------------------------------------------------------------------


def without_seasons(years: Grid, months: Grid, values: Grid, several: Grid) -> float:
    """The slope of least squares beside a constant for each of ``several`` months of the year."""
    years, months, values = (of[np.isin(months, several)] for of in (years, months, values))
    columns = [years, *(np.where(months == month, 1.0, 0.0) for month in np.unique(months))]
    return float(np.linalg.lstsq(np.stack(columns, axis=1), values, rcond=None)[0][0])


def of_several_years(years: Grid, months: Grid) -> Grid:
    """The months of the year that more than one of the years has."""
    calendar = np.floor(years + FIRST)
    return np.array([month for month in np.unique(months) if np.unique(calendar[months == month]).size > 1])


def test_sens_slope_of_some_pixels(ask: Ask, slovenia: Path) -> None:
    from scipy.stats import theilslopes

    found = ask("What is the Mann-Kendall trend of NDVI?", seasons="kept")
    dates, stack = clear_ndvi(slovenia)
    years = np.array([(day - dates[0]).total_seconds() / (365.25 * 86400) for day in dates])
    slopes = pixels(found)
    for row, column in ((0, 0), (50, 50), (100, 99), (13, 77)):
        values = stack[:, row, column]
        here = np.isfinite(values)
        assert slopes[row, column] == pytest.approx(theilslopes(values[here], years[here])[0], abs=1e-5)


def test_the_trend_of_the_mean(ask: Ask, slovenia: Path) -> None:
    found = ask("What is the linear trend of the mean NDVI?")
    dates, stack = clear_ndvi(slovenia)
    years = np.array([(day - dates[0]).total_seconds() / (365.25 * 86400) for day in dates])
    months = np.array([day.month for day in dates])
    here = np.isfinite(stack).any(axis=(1, 2))
    means = np.array([np.nanmean(layer) for layer in stack[here]])
    several = of_several_years(years[here], months[here])
    assert found.answer == pytest.approx(without_seasons(years[here], months[here], means, several), abs=1e-6)
    assert found.unit == "year-1"


def test_the_greenest_date(ask: Ask, slovenia: Path) -> None:
    dates, stack = clear_ndvi(slovenia)
    means = [np.nanmean(layer) if np.isfinite(layer).any() else -1.0 for layer in stack]
    assert ask("On which date was NDVI highest?").answer[:10] == f"{dates[int(np.argmax(means))]:%Y-%m-%d}"


def test_the_number_of_dates_beyond_a_limit(ask: Ask, slovenia: Path) -> None:
    _, stack = clear_ndvi(slovenia)
    expected = sum(np.isfinite(layer).any() and np.nanmean(layer) > 0.5 for layer in stack)
    assert ask("On how many dates was the mean NDVI above 0.5?").answer == expected


def test_a_composite_of_the_greenest_values(ask: Ask, slovenia: Path) -> None:
    found = ask("Map the maximum of NDVI over all dates")
    _, stack = clear_ndvi(slovenia)
    np.testing.assert_allclose(pixels(found), np.nanmax(stack, axis=0), atol=1e-6)


def test_change_between_two_years_is_of_their_means(ask: Ask, slovenia: Path) -> None:
    found = ask("How did NDVI change between 2016 and 2017?")
    dates, stack = clear_ndvi(slovenia)
    first, second = (np.nanmean(stack[[day.year == year for day in dates]], axis=0) for year in (2016, 2017))
    np.testing.assert_allclose(pixels(found), second - first, atol=1e-6)
    assert found.answer == pytest.approx(np.nanmean(second - first), abs=1e-6)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("What is the mean NDVI in summer 2017?", lambda day: day.year == 2017 and day.month in (6, 7, 8)),
        ("What was the mean NDVI on 2016-08-14?", lambda day: (day.year, day.month, day.day) == (2016, 8, 14)),
        ("What is the mean NDVI in August?", lambda day: day.month == 8),
        ("Average NDVI of 2016", lambda day: day.year == 2016),
    ],
)
def test_a_question_restricts_the_dates(
    ask: Ask, slovenia: Path, query: str, wanted: Callable[[datetime], bool]
) -> None:
    dates, stack = clear_ndvi(slovenia)
    means = [np.nanmean(x) for day, x in zip(dates, stack, strict=True) if wanted(day) and np.isfinite(x).any()]
    assert means
    assert ask(query).answer == pytest.approx(np.mean(means), abs=1e-6)


def test_the_table_of_all_dates(ask: Ask, slovenia: Path) -> None:
    rows = ask("Time series of NDVI").answer
    dates, stack = clear_ndvi(slovenia)
    days = {str(day)[:10]: [layer for one, layer in zip(dates, stack, strict=True) if one == day] for day in dates}
    assert [row["date"] for row in rows] == sorted(days)
    for row in rows:
        layers = np.array(days[row["date"]])
        seen = np.isfinite(layers).sum(axis=0)
        if row["mean"] is not None:  # of two images of one day the mean of what is known, pixel by pixel
            of_day = np.nansum(layers, axis=0)[seen > 0] / seen[seen > 0]
            assert row["mean"] == pytest.approx(of_day.mean(), abs=1e-6)


def test_of_two_masks_of_one_day_what_any_of_them_says_counts(ask: Ask, slovenia: Path) -> None:
    found = ask("How cloudy was it in December 2015?")
    days: dict[str, list[np.ndarray]] = {}
    for path in sorted(slovenia.glob("cloud_mask/CLM_2015-12-*.tif")):
        with rasterio.open(path) as mask:
            days.setdefault(path.stem[4:14], []).append(mask.read(1, masked=True).astype(float).filled(np.nan))
    assert max(map(len, days.values())) == 2
    shares = [np.nanmean(np.nanmax(masks, axis=0)) for masks in days.values()]
    assert found.answer == pytest.approx(np.mean(shares), abs=1e-6)
    assert any("any of 2 images" in str(one) for one in found.assumptions)


# --- zones and classes ----------------------------------------------------------------------------------------------


def test_statistics_by_class(ask: Ask, slovenia: Path) -> None:
    rows = ask("What is the mean NDVI for each land-use class?").answer
    _, stack = clear_ndvi(slovenia)
    classes = read(slovenia / "lulc.tif")
    there = [(classes == code) & np.isfinite(stack) for code in np.unique(classes)]
    daily = [[one[day].mean() for one, day in zip(stack, of, strict=True) if day.any()] for of in there]
    expected = sorted(np.mean(means) for means in daily if means)
    assert sorted(row["mean"] for row in rows) == pytest.approx(expected, abs=1e-5)
    assert all(isinstance(row["class"], str) for row in rows)


def test_polygons_told_apart_by_a_number_each_are_too_many(ask: Ask) -> None:
    with pytest.raises(AssertionError, match=r"not_compiled.*split cannot be carried out"):
        ask("mean NDVI per polygon")


def test_areas_of_classes(ask: Ask, slovenia: Path) -> None:
    rows = ask("How large is each land cover class?").answer
    classes = read(slovenia / "lulc.tif")
    assert {row["class"] for row in rows} == set(np.unique(classes[np.isfinite(classes)]))
    for row in rows:
        count = np.sum(classes == row["class"])
        assert (row["pixels"], row["area"]) == (count, pytest.approx(count * pixel_area(slovenia) / 1e4, rel=2e-3))


# --- scenes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first", "second"),
    [("How much water is there, by NDWI?", "B03", "B08"), ("What is the water extent by MNDWI?", "B03", "B11")],
)
def test_open_water_by_two_methods(ask: Ask, slovenia: Path, query: str, first: str, second: str) -> None:
    index = normalized(band(slovenia, first), band(slovenia, second))
    areas = [np.sum(layer > 0) * pixel_area(slovenia) / 1e6 for layer in index if np.isfinite(layer).any()]
    assert ask(query).answer == pytest.approx(np.mean(areas), rel=2e-3, abs=1e-9)


def test_snow_is_what_ndsi_says(ask: Ask, slovenia: Path) -> None:
    found = ask("What share of the area is snow by NDSI?", snow_limit="-0.3")
    index = normalized(band(slovenia, "B03"), band(slovenia, "B11"))
    shares = [np.mean(layer[np.isfinite(layer)] > -0.3) for layer in index if np.isfinite(layer).any()]
    assert 0 < np.mean(shares) < 1
    assert found.answer == pytest.approx(np.mean(shares), abs=2e-4)  # single precision decides at the limit


def test_clouds_are_left_out_of_two_images_of_a_day(ask: Ask, slovenia: Path) -> None:
    dates, stack = clear_ndvi(slovenia)
    days: dict[Any, list[Grid]] = {}
    for day, layer in zip(dates, stack, strict=True):
        if np.isfinite(layer).any():
            days.setdefault(day.date(), []).append(layer)
    means = [np.ma.mean(np.ma.mean(np.ma.masked_invalid(np.stack(layers)), axis=0)) for layers in days.values()]
    assert ask("What is the mean NDVI, ignoring clouds?").answer == pytest.approx(np.mean(means), abs=1e-6)


def test_an_index_from_three_bands(ask: Ask, slovenia: Path) -> None:
    found = ask("Map the median of EVI over all dates")
    blue, red, nir = (band(slovenia, name) for name in ("B02", "B04", "B08"))
    expected = np.nanmedian(2.5 * (nir - red) / (nir + 6 * red - 7.5 * blue + 1), axis=0)
    np.testing.assert_allclose(pixels(found), expected, atol=1e-5)


def test_the_share_of_green_ground_is_the_mean_over_dates(ask: Ask, slovenia: Path) -> None:
    _, stack = clear_ndvi(slovenia)
    shares = [np.mean(layer[np.isfinite(layer)] > 0.5) for layer in stack if np.isfinite(layer).any()]
    assert ask("What share of the area has NDVI above 0.5?").answer == pytest.approx(np.mean(shares), abs=1e-6)


# --- terrain --------------------------------------------------------------------------------------------------------


def test_the_share_of_steep_ground(ask: Ask, slovenia: Path) -> None:
    found = ask("What share of the terrain is steeper than 15 degrees?")
    assert any("unit" in str(assumption) and "= m" in str(assumption) for assumption in found.assumptions)
    steep = slope(slovenia)[1:-1, 1:-1] > 15
    assert np.mean(pixels(found)[1:-1, 1:-1] == steep) > 0.999
    assert found.answer == pytest.approx(np.mean(steep), abs=0.01)


@pytest.mark.parametrize(
    ("query", "statistic"),
    [
        ("Mean elevation of the area", np.mean),
        ("What is the highest elevation?", np.max),
        ("Standard deviation of elevation", np.std),
    ],
)
def test_statistics_of_elevation(ask: Ask, slovenia: Path, query: str, statistic: Callable[[Grid], float]) -> None:
    found = ask(query)
    assert (found.answer, found.unit) == (pytest.approx(float(statistic(read(slovenia / "dem.tif"))), rel=1e-6), "m")


def test_vegetation_and_slope_are_hardly_correlated(ask: Ask, slovenia: Path) -> None:
    found = ask("How does NDVI correlate with slope?")
    _, stack = clear_ndvi(slovenia)
    ndvi = np.nanmean(stack, axis=0)[1:-1, 1:-1].ravel()
    steepness = slope(slovenia)[1:-1, 1:-1].ravel()
    here = np.isfinite(ndvi) & np.isfinite(steepness)
    assert found.answer == pytest.approx(np.corrcoef(ndvi[here], steepness[here])[0, 1], abs=0.01)


def months_of(slovenia: Path) -> dict[tuple[int, int], float]:
    """The mean of each month, of the means of its dates."""
    means: dict[tuple[int, int], list[float]] = {}
    for day, layer in zip(*clear_ndvi(slovenia), strict=True):
        if np.isfinite(layer).any():
            means.setdefault((day.year, day.month), []).append(float(np.nanmean(layer)))
    return {month: float(np.mean(values)) for month, values in means.items()}


def test_each_month_against_the_same_of_another_year(ask: Ask, slovenia: Path) -> None:
    means = months_of(slovenia)
    expected = sum(means.get((2017, n), 0) > means.get((2016, n), 9) for n in range(1, 13))
    query = "In how many months of 2017 was mean NDVI higher than in the same month of 2016?"
    assert 0 < ask(query).answer == expected


def test_months_in_a_row(ask: Ask, slovenia: Path) -> None:
    means = months_of(slovenia)
    longest = run = 0
    for n in range(12 * 2015, 12 * 2018):
        run = run + 1 if means.get((n // 12, n % 12 + 1), 0) > 0.5 else 0
        longest = max(longest, run)
    assert ask("How many consecutive months did mean NDVI stay above 0.5?").answer == longest


def test_the_share_that_became_greener(ask: Ask, slovenia: Path) -> None:
    dates, stack = clear_ndvi(slovenia)
    before, after = (np.nanmean(stack[[day.year == year for day in dates]], axis=0) for year in (2016, 2017))
    known = np.isfinite(before) & np.isfinite(after)
    found = ask("What share of the area became greener between 2016 and 2017?")
    assert found.answer == pytest.approx(np.mean((after > before)[known]), abs=1e-6)
