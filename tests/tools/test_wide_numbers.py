"""Numbers that float32 cannot hold: digits are kept from the file to the answer, and infinite ones are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from raster_files import opened, write

from knowflow.ground.errors import ToolError
from knowflow.tools import statistics
from knowflow.tools.arithmetic import difference
from knowflow.tools.composite import temporal_composite
from knowflow.tools.correlation import correlation
from knowflow.tools.kernels.distribution import Distribution, Moments, Tally
from knowflow.tools.restating import leave_out_impossible
from knowflow.tools.scaling import apply_scale
from knowflow.tools.thresholding import mask_share, threshold_share
from knowflow.tools.zonal import zonal_by_raster

NAMES = ("mean", "std", "minimum", "maximum", "sum", "median", "p5", "p95")


def _truth(values: NDArray[Any]) -> list[float]:
    exact = values.astype(np.longdouble)
    numbers = exact.mean(), exact.std(), exact.min(), exact.max(), exact.sum()
    return [float(one) for one in (*numbers, np.median(exact), *np.percentile(values.astype(np.float64), (5, 95)))]


def _wide(dtype: str) -> NDArray[Any]:
    rng = np.random.default_rng(5)
    if dtype == "float64":
        return 1e8 + rng.normal(0, 1, (300, 700))
    middle = 2_000_000_000 if dtype in ("int32", "uint32") else 9_000_000_000
    return (middle + rng.integers(-3, 4, (300, 700))).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint32", "int64"])
def test_statistics_of_large_numbers_that_differ_little_are_those_of_numpy(tmp_path: Path, dtype: str) -> None:
    values = _wide(dtype)
    raster = write(tmp_path / "a.tif", values)
    (row,) = statistics.raster_statistics(raster, (5, 95))
    assert [row[name] for name in NAMES] == pytest.approx(_truth(values), rel=1e-12)
    assert statistics.raster_statistic(raster, "standard_deviation") == pytest.approx(values.std(), rel=1e-9)
    zones = write(tmp_path / "z.tif", np.ones(values.shape, dtype=np.uint8))
    assert zonal_by_raster(raster, zones)[0]["std"] == pytest.approx(values.std(), rel=1e-9)
    middle = float(np.quantile(values, 0.3))
    assert threshold_share(raster, middle) == np.mean(values > middle)


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint32", "int64"])
def test_results_of_large_numbers_keep_their_digits_and_tell_their_statistics(tmp_path: Path, dtype: str) -> None:
    values = _wide(dtype)
    raster, shifted = write(tmp_path / "a.tif", values), write(tmp_path / "b.tif", values[:, ::-1])
    difference(raster, shifted, tmp_path / "d.tif")
    apply_scale(raster, tmp_path / "p.tif")
    temporal_composite([raster, shifted], tmp_path / "c.tif", "mean")
    wanted = {
        "d.tif": values.astype(np.float64) - values[:, ::-1].astype(np.float64),
        "p.tif": values.astype(np.float64),
        "c.tif": (values.astype(np.float64) + values[:, ::-1].astype(np.float64)) / 2,
    }
    for name, truth in wanted.items():
        with opened(tmp_path / name) as made:
            np.testing.assert_array_equal(made.read(1), truth)
            assert float(made.tags(1)["STATISTICS_STDDEV"]) == pytest.approx(truth.std(), rel=1e-9)
            assert "e+" not in made.tags(1)["KNOWFLOW_HISTOGRAM"] or name != "d.tif"


def test_results_of_narrow_numbers_stay_narrow(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.full((4, 4), 3000, dtype=np.uint16), scale=1e-4, offset=-0.1)
    apply_scale(raster, tmp_path / "p.tif")
    with opened(tmp_path / "p.tif") as made:
        assert made.dtypes == ("float32",)


def test_small_steps_on_a_large_offset_keep_their_digits(tmp_path: Path) -> None:
    stored = np.arange(60_000, dtype=np.uint16).reshape(200, 300)
    raster = write(tmp_path / "a.tif", stored, scale=1e-3, offset=1e6)
    assert statistics.raster_statistic(raster, "standard_deviation") == pytest.approx(stored.std() * 1e-3, rel=1e-9)
    apply_scale(raster, tmp_path / "p.tif")
    with opened(tmp_path / "p.tif") as made:
        np.testing.assert_allclose(made.read(1), 1e6 + stored * 1e-3, rtol=1e-15)


def test_a_number_beyond_float32_is_data(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[1e200, 3e200]]))
    assert statistics.raster_mean(raster) == 2e200
    assert statistics.count_valid(raster) == 2


def test_large_numbers_correlate_by_what_differs(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(0, 1, (60, 60))
    y = x + rng.normal(0, 1, (60, 60))
    a, b = write(tmp_path / "a.tif", 1e8 + x), write(tmp_path / "b.tif", 3e8 + y)
    assert correlation(a, b) == pytest.approx(np.corrcoef(x.ravel(), y.ravel())[0, 1], rel=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", [np.inf, -np.inf])
def test_infinite_pixels_are_refused_by_name_or_are_what_marks_gaps(tmp_path: Path, dtype: str, number: float) -> None:
    values = np.array([[1, 2, number, np.nan]], dtype=dtype)
    raster = write(tmp_path / "a.tif", values, tags={"QUANTITY": "ndvi"}, facts={"quantity": "ndvi", "unit": "1"})
    for told in (statistics.raster_mean, statistics.raster_statistics, mask_share, statistics.count_valid):
        with pytest.raises(ToolError, match="infinite values") as refused:
            told(raster)
        assert "nodata" in str(refused.value.hint)
    assert statistics.raster_mean(write(tmp_path / "b.tif", values, facts={"nodata": number})) == 1.5
    leave_out_impossible(raster, tmp_path / "c.tif")
    assert statistics.count_valid(write(tmp_path / "d.tif", values, nodata=number)) == 2


@pytest.mark.parametrize("limit", [0.3, 0.7, 1e-4, 12.1])
@pytest.mark.parametrize(
    ("dtype", "steps", "step"), [("float32", None, 1.0), ("float64", None, 1.0), ("int32", True, 1e-4)]
)
def test_the_pixel_that_stores_the_limit_is_neither_above_nor_below_it(
    tmp_path: Path, limit: float, dtype: str, steps: bool | None, step: float
) -> None:
    at = round(limit / step) if steps else limit
    single = np.float64(np.float32(at)) if dtype == "float64" else at
    values = np.array([[at, single, at * 1.001 + bool(steps), at * 0.999 - bool(steps)]]).astype(dtype)
    raster = write(tmp_path / "a.tif", values, scale=step)
    assert threshold_share(raster, limit, "above") == 0.25
    assert threshold_share(raster, limit, "below") == 0.25
    assert threshold_share(raster, limit, "between", limit) == 0.5


samples = st.lists(st.integers(-1000, 1000), min_size=2, max_size=60)


@given(samples, st.sampled_from([0.0, 1e3, 1e8, -2e9, 4e12]), st.randoms())
@settings(max_examples=60, deadline=None)
def test_a_deviation_does_not_depend_on_where_zero_is_nor_on_the_order_of_blocks(
    numbers: list[int], shift: float, random: Any
) -> None:
    values = np.array(numbers, dtype=np.float64)
    cut = random.randint(0, len(numbers))
    blocks = [values[:cut] + shift, values[cut:] + shift]
    random.shuffle(blocks)
    merged = Moments.of(blocks[0]).merged(Moments.of(blocks[1]))
    assert merged.std == pytest.approx(values.std(), abs=1e-9 + 1e-15 * abs(shift))
    assert merged.mean == pytest.approx(values.mean() + shift, rel=1e-15, abs=1e-9)
    kinds, counts = np.unique(values + shift, return_counts=True)
    assert Tally(kinds, counts).moments.std == pytest.approx(values.std(), abs=1e-9 + 1e-15 * abs(shift))


@pytest.mark.parametrize("shift", [0.0, 300.0, 1e8, -2e9])
def test_quantiles_of_more_values_than_are_kept_do_not_depend_on_where_zero_is(shift: float) -> None:
    values = np.random.default_rng(1).normal(0, 1, 40_000)
    collected = Distribution(exact=5_000)
    for block in np.split(values + shift, 8):
        collected.add(block)
    shares = (0.02, 0.25, 0.5, 0.75, 0.98)
    np.testing.assert_allclose(collected.quantiles(shares) - shift, np.quantile(values, shares), atol=2e-3)
