"""Moments and quantiles of values that come in blocks, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow.tools.kernels.distribution import Distribution, Moments, Tally
from knowflow.tools.kernels.zones import merge_classes, moments_by_class

SHARES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.98, 1.0)


@given(seed=st.integers(0, 2**31), cut=st.integers(0, 500))
@settings(max_examples=40, deadline=None)
def test_merged_moments_equal_numpy(seed: int, cut: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(300, 5, 500)
    values[random.random(500) < 0.1] = np.nan
    merged = Moments.of(values[:cut]).merged(Moments.of(values[cut:]))
    assert merged.count == np.isfinite(values).sum()
    assert merged.mean == pytest.approx(np.nanmean(values), rel=1e-12)
    assert merged.std == pytest.approx(np.nanstd(values), rel=1e-10)
    assert merged.total == pytest.approx(np.nansum(values), rel=1e-12)
    assert (merged.minimum, merged.maximum) == (np.nanmin(values), np.nanmax(values))


def test_quantiles_are_exact_while_values_are_kept() -> None:
    values = np.random.default_rng(0).normal(size=(4, 1000))
    collected = Distribution()
    for block in values:
        collected.add(block)
    assert collected.quantiles(SHARES) == pytest.approx(np.quantile(values, SHARES), abs=0)


@pytest.mark.parametrize(("centre", "spread"), [(300.0, 10.0), (0.0, 1.0), (-40.0, 5.0), (1e-4, 1e-5)])
def test_quantiles_beyond_the_bound_are_within_a_bin(centre: float, spread: float) -> None:
    values = np.random.default_rng(3).normal(centre, spread, 50_000).astype(np.float32)
    collected = Distribution(exact=10_000)
    for block in values.reshape(10, -1):
        collected.add(block)
    expected = np.quantile(values.astype(float), SHARES)
    found = collected.quantiles(SHARES)
    # two neighbouring order statistics may lie in different bins: allow the gap between them and one bin
    assert np.abs(found - expected).max() <= 2.0**-13 * np.abs(expected).max() + 1e-3 * spread
    assert found[0] == values.min()
    assert found[-1] == values.max()


@given(st.lists(st.integers(-500, 500), max_size=200), st.sampled_from([1.0, -0.5]))
@settings(max_examples=60, deadline=None)
def test_a_tally_is_the_distribution_of_the_numbers_it_counts(numbers: list[int], scale: float) -> None:
    kinds = np.arange(-500, 501)
    found = Tally(kinds * scale, np.bincount(np.array(numbers, dtype=int) + 500, minlength=kinds.size))
    values = np.array(numbers) * scale
    assert found.moments.count == values.size
    if values.size:
        np.testing.assert_allclose(found.quantiles(SHARES), np.quantile(values, SHARES), atol=1e-9)
        assert found.moments.mean == pytest.approx(values.mean(), abs=1e-9)
        assert found.moments.std == pytest.approx(values.std(), abs=1e-9)
        assert (found.moments.minimum, found.moments.maximum) == (values.min(), values.max())
    else:
        assert np.isnan(found.quantiles([0.5])).all()


def test_the_histogram_counts_every_value_once() -> None:
    values = np.repeat(np.arange(-5, 6, dtype=np.float32), 1000)
    collected = Distribution(exact=100)
    collected.add(values[:3000])
    collected.add(values[3000:])
    assert collected.moments.count == 11_000
    assert collected.quantiles([0.5])[0] == pytest.approx(0.0, abs=1e-3)
    assert collected.quantiles([0.2501])[0] == pytest.approx(-3.0, rel=1e-3)


def test_nothing_but_gaps_has_no_statistics() -> None:
    collected = Distribution()
    collected.add(np.full(10, np.nan))
    assert collected.moments.count == 0
    assert np.isnan(collected.quantiles([0.5])).all()
    assert np.isnan([collected.moments.std, collected.moments.total]).all()


def test_moments_by_class_merge_to_those_of_the_whole() -> None:
    random = np.random.default_rng(8)
    values, classes = random.normal(size=3000), random.integers(0, 6, 3000).astype(float)
    values[::7] = np.nan
    classes[::11] = np.nan
    merged = merge_classes(moments_by_class(values[:900], classes[:900]), moments_by_class(values[900:], classes[900:]))
    assert sorted(merged) == [0, 1, 2, 3, 4, 5]
    for label, moments in merged.items():
        members = values[(classes == label) & np.isfinite(values)]
        assert moments.count == members.size
        assert moments.mean == pytest.approx(members.mean(), abs=1e-12)
        assert moments.std == pytest.approx(members.std(), abs=1e-12)
        assert (moments.minimum, moments.maximum) == (members.min(), members.max())
    assert moments_by_class(np.array([np.nan]), np.array([1.0])) == {}
