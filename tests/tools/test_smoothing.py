"""Series of rasters in time: files in, files out, each with its own date and meaning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, read

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.dates import decimal_years
from knowflow.tools.smoothing import fill_gaps_in_time, harmonic_fit, smooth_series

DATES = [f"{year}-{month:02d}-{day:02d}" for year in (2020, 2021) for month in range(1, 13) for day in (3, 18)]


def season(folder: Path, dates: list[str], gaps: float = 0.0, shape: tuple[int, int] = (6, 8)) -> list[Artifact]:
    """NDVI of 0.4 + 0.3 a cos(2 pi (t - peak)), a growing to the east; stored as integers."""
    random = np.random.default_rng(1)
    east = np.linspace(0.1, 1.0, shape[1])
    series = []
    for date, year in zip(dates, decimal_years(dates), strict=True):
        values = np.broadcast_to(0.4 + 0.3 * east * np.cos(2 * np.pi * (year - 180 / 365)), shape)
        stored = np.round(values * 10_000).astype(np.int16)
        stored[random.random(shape) < gaps] = -32768
        facts = {"quantity": "ndvi", "unit": "1", "datetime": date, "cloud_masked": True}
        series.append(draw(folder / f"ndvi_{date}.tif", stored, nodata=-32768, scale=1e-4, **facts))
    return series


def written(folder: Path) -> tuple[np.ndarray, list[dict]]:
    found = [read(path) for path in sorted(folder.iterdir())]
    return np.stack([values for values, _ in found]), [about for _, about in found]


def test_gaps_are_filled_and_every_date_keeps_its_name_and_meaning(tmp_path: Path) -> None:
    whole = np.stack([read(Path(str(item.path)))[0] for item in season(tmp_path, DATES)])
    series = season(tmp_path, DATES, gaps=0.3)
    fill_gaps_in_time(series, tmp_path / "out", ends="nearest")
    values, about = written(tmp_path / "out")
    assert [tags["DATETIME"] for tags in about] == DATES
    assert {(tags["QUANTITY"], tags["UNIT"], tags["dtype"], tags["CLOUD_MASKED"]) for tags in about} == {
        ("ndvi", "1", "float32", "YES")
    }
    assert np.isfinite(values).all()
    assert np.abs(values[3:-3] - whole[3:-3] * 1e-4).max() < 0.1
    observed = np.stack([read(Path(str(item.path)))[0] for item in series])
    seen = np.isfinite(observed)
    np.testing.assert_allclose(values[seen], observed[seen] * 1e-4, atol=1e-6)


def test_dates_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    series = season(tmp_path, DATES[:5])
    fill_gaps_in_time(series[::-1], tmp_path / "out")
    assert [tags["DATETIME"] for tags in written(tmp_path / "out")[1]] == DATES[:5]


@pytest.mark.parametrize("method", ["whittaker", "savitzky_golay"])
def test_a_spike_that_no_season_explains_is_smoothed_away(method: str, tmp_path: Path) -> None:
    series = season(tmp_path, DATES)
    hazy = draw(tmp_path / "hazy.tif", np.full((6, 8), -0.1, np.float32), quantity="ndvi", unit="1", datetime=DATES[12])
    smooth_series([*series[:12], hazy, *series[13:]], tmp_path / "out", method=method, smoothness=20.0, window=7)
    values, _ = written(tmp_path / "out")
    truth = np.stack([read(Path(str(item.path)))[0] for item in series]) * 1e-4
    assert np.abs(values - truth)[12].max() < 0.6 * np.abs(-0.1 - truth[12]).max()
    assert np.abs(np.delete(values - truth, range(8, 17), axis=0)).max() < 0.06


def test_the_yearly_cycle_is_that_the_series_was_made_with(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.tif" for name in ("output", "peak", "mean", "residual", "trend")}
    harmonic_fit(season(tmp_path, DATES, gaps=0.3), **paths)
    found = {name: read(path) for name, path in paths.items()}
    east = np.linspace(0.1, 1.0, 8)
    np.testing.assert_allclose(found["output"][0], np.broadcast_to(0.3 * east, (6, 8)), atol=2e-4)
    np.testing.assert_allclose(found["peak"][0], 181.0, atol=0.6)
    np.testing.assert_allclose(found["mean"][0], 0.4, atol=2e-4)
    np.testing.assert_allclose(found["trend"][0], 0.0, atol=2e-4)
    assert found["residual"][0].max() < 1e-4
    assert [found[name][1]["QUANTITY"] for name in paths] == [
        *("seasonal_amplitude", "day_of_year", "ndvi", "residual_standard_deviation", "trend_per_year")
    ]
    assert [found[name][1]["UNIT"] for name in paths] == ["1", "1", "1", "1", "year-1"]


def test_a_window_must_fit_its_polynomial_and_a_series_be_long_enough(tmp_path: Path) -> None:
    series = season(tmp_path, DATES[:6])
    with pytest.raises(ToolError, match="window does not fit"):
        smooth_series(series, tmp_path / "out", method="savitzky_golay", window=4)
    with pytest.raises(ToolError, match="too short"):
        smooth_series(series[:2], tmp_path / "out")
    with pytest.raises(ToolError, match="same date"):
        fill_gaps_in_time([series[0], series[0]], tmp_path / "out")


def test_decimal_years_repeat_in_leap_years() -> None:
    years = decimal_years(["2019-01-01", "2020-01-01", "2020-07-02", "2021-07-02T12:00:00"])
    np.testing.assert_allclose(years, [2019.0, 2020.0, 2020.5, 2021.5], atol=1e-12)


def test_the_yearly_cycle_of_a_real_meadow_and_what_regression_makes_of_it(slovenia: Path) -> None:
    """68 dates of two and a half years with clouds: the greenest day is in summer, as least squares alone find it."""
    import statsmodels.api as sm

    from knowflow.tools.kernels.time_series import harmonics

    files = sorted((slovenia / "ndvi").glob("*.tif"))
    dates = [path.stem.removeprefix("NDVI_")[:10] for path in files]
    clouds = [read(slovenia / "cloud_mask" / path.name.replace("NDVI", "CLM"))[0] for path in files]
    layers = zip(files, clouds, strict=True)
    stack = np.stack([np.where(cloud == 0, read(path)[0], np.nan)[40:46, 40:46] for path, cloud in layers])
    years = decimal_years(dates)
    found = harmonics(stack, years)
    assert (found.amplitude > 0.05).mean() > 0.9
    assert 150 < np.median(1 + 365 * found.peak) < 240
    terms = [
        np.ones_like(years),
        years - (years[0] + years[-1]) / 2,
        np.cos(2 * np.pi * years),
        np.sin(2 * np.pi * years),
    ]
    fit = sm.OLS(stack[:, 2, 3], np.stack(terms, axis=1), missing="drop").fit()
    assert found.amplitude[2, 3] == pytest.approx(np.hypot(*fit.params[2:]))
    assert found.trend[2, 3] == pytest.approx(fit.params[1])
