"""Speckle filters: equal to their formulas pixel by pixel, and doing to speckle what they are for."""

from __future__ import annotations

import numpy as np
import pytest

from knowflow.tools.kernels.speckle import frost, lee, refined_lee

LOOKS = 4.0


def speckled(shape: tuple[int, int], mean: float = 0.2, seed: int = 1, looks: float = LOOKS) -> np.ndarray:
    """Fully developed speckle over a constant surface: a gamma distribution with ``looks`` as its shape."""
    return np.random.default_rng(seed).gamma(looks, mean / looks, shape)


def with_gaps(values: np.ndarray) -> np.ndarray:
    values = values.copy()
    values[2:5, 3:6] = np.nan
    values[0, 0] = values[-1, 4] = np.nan
    return values


def neighbours(values: np.ndarray, row: int, column: int, half: int) -> list[tuple[int, int, float]]:
    """Offset and value of the data in the window around a pixel."""
    rows, columns = values.shape
    return [
        (i - row, j - column, values[i, j])
        for i in range(max(row - half, 0), min(row + half + 1, rows))
        for j in range(max(column - half, 0), min(column + half + 1, columns))
        if np.isfinite(values[i, j])
    ]


def filtered(name: str, values: np.ndarray, window: int) -> np.ndarray:
    if name == "refined_lee":
        return refined_lee(values, LOOKS)
    return lee(values, window, LOOKS) if name == "lee" else frost(values, window, 1.0)


@pytest.mark.parametrize("window", [3, 7])
def test_lee_is_its_formula_at_every_pixel(window: int) -> None:
    values = with_gaps(speckled((14, 17)))
    found = lee(values, window, LOOKS)
    for (row, column), value in np.ndenumerate(values):
        around = np.array([v for _, _, v in neighbours(values, row, column, window // 2)])
        if not np.isfinite(value):
            continue
        mean, variation = around.mean(), around.var() / around.mean() ** 2
        weight = max(0.0, 1 - 1 / (LOOKS * variation)) if variation > 0 else 0.0
        assert found[row, column] == pytest.approx(mean + weight * (value - mean), rel=1e-9)


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_frost_is_its_formula_at_every_pixel(damping: float) -> None:
    values = with_gaps(speckled((14, 17)))
    found = frost(values, 5, damping)
    for (row, column), value in np.ndenumerate(values):
        if not np.isfinite(value):
            continue
        near = neighbours(values, row, column, 2)
        around = np.array([v for _, _, v in near])
        decay = damping * around.var() / around.mean() ** 2
        weights = np.array([np.exp(-decay * np.hypot(i, j)) for i, j, _ in near])
        assert found[row, column] == pytest.approx((weights * around).sum() / weights.sum(), rel=1e-9)


def test_frost_without_damping_is_the_mean_and_with_much_the_pixel_itself() -> None:
    values = speckled((30, 30))
    inner = slice(3, -3), slice(3, -3)
    windows = np.lib.stride_tricks.sliding_window_view(values, (7, 7))
    np.testing.assert_allclose(frost(values, 7, 0.0)[inner], windows.mean(axis=(2, 3)))
    np.testing.assert_allclose(frost(values, 7, 1e4)[inner], values[inner])


@pytest.mark.parametrize("name", ["lee", "refined_lee", "frost"])
def test_flat_ground_gets_many_more_looks_and_keeps_its_mean(name: str) -> None:
    values = speckled((200, 200))
    found = filtered(name, values, 7)
    before, after = (v.mean() ** 2 / v.var() for v in (values, found))
    assert before == pytest.approx(LOOKS, rel=0.05)
    assert after > 5 * before
    assert found.mean() == pytest.approx(values.mean(), rel=0.02)


@pytest.mark.parametrize("name", ["lee", "refined_lee", "frost"])
def test_what_has_no_speckle_stays_as_it_is(name: str) -> None:
    values = np.full((20, 20), 0.3)
    found = filtered(name, values, 5)
    np.testing.assert_allclose(found, 0.3, rtol=1e-12)


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("slanted", [False, True])
def test_refined_lee_averages_along_an_edge_and_not_across(turn: int, slanted: bool) -> None:
    """On both sides of a step without speckle, in every direction, all is as it was; a square window blurs it."""
    rows, columns = np.indices((31, 31))
    from_edge = np.rot90(rows - columns - 1 if slanted else columns - 15, turn)
    step = np.where(from_edge >= 0, 1.0, 0.01)
    beside = (from_edge >= -1) & (from_edge <= 0)
    inner = slice(4, -4), slice(4, -4)
    error = np.abs(refined_lee(step, LOOKS) - step)
    assert error[inner][beside[inner]].max() < 1e-9
    assert error[inner].max() < 0.15  # three pixels from a slanted edge a straight half may be chosen
    assert np.abs(frost(step, 7, 0.0) - step)[inner][beside[inner]].min() > 0.25


def test_refined_lee_smooths_speckle_beside_an_edge_where_lee_gives_up() -> None:
    clean = np.where(np.indices((120, 120))[1] >= 60, 1.0, 0.05)
    values = clean * speckled(clean.shape, mean=1.0)
    beside = slice(5, -5), slice(60, 62)
    noise = [np.std(found[beside]) for found in (values, lee(values, 7, LOOKS), refined_lee(values, LOOKS))]
    assert noise[2] < 0.6 * noise[1] < noise[0]


def test_pixels_without_data_are_no_part_of_any_window() -> None:
    values = speckled((40, 40))
    gappy = values.copy()
    gappy[:, 20:] = np.nan
    for found, alone in (
        (lee(gappy, 7, LOOKS), lee(values[:, :20], 7, LOOKS)),
        (frost(gappy, 7, 2.0), frost(values[:, :20], 7, 2.0)),
        (refined_lee(gappy, LOOKS), refined_lee(values[:, :20], LOOKS)),
    ):
        np.testing.assert_allclose(found[:, :20], alone, rtol=1e-9)
