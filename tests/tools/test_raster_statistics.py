"""Statistics do not depend on how a raster was cut, nor on the order of its blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

from knowflow.tools.raster import Accumulator, Histogram
from knowflow.tools.raster.histogram import BINS
from knowflow.tools.raster.statistics import BlockStatistics

finite = st.floats(-1e6, 1e6, width=32)
blocks = st.lists(
    arrays.arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=finite | st.just(np.nan)),
    min_size=1,
    max_size=6,
)


@given(blocks, st.randoms())
def test_blocks_in_any_order_give_the_statistics_of_all_pixels(
    parts: list[NDArray[np.float32]], random: object
) -> None:
    shuffled = list(parts)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    collected, again = Accumulator(), Accumulator()
    for part in parts:
        collected.add(part)
    for part in shuffled:
        again.add(part)
    pixels = np.concatenate([part.ravel() for part in parts])
    numbers = pixels[~np.isnan(pixels)].astype(np.float64)
    found = collected.result()
    assert (found.total, found.count, found.finite) == (pixels.size, numbers.size, numbers.size)
    assert found.histogram == again.result().histogram
    assert sum(found.histogram[1]) == numbers.size
    if numbers.size:
        assert (found.minimum, found.maximum) == (numbers.min(), numbers.max())
        np.testing.assert_allclose(found.mean, numbers.mean(), rtol=1e-6, atol=1e-6 * np.abs(numbers).max())
        np.testing.assert_allclose(found.std, numbers.std(), rtol=1e-5, atol=1e-6 * np.abs(numbers).max())


@given(st.lists(arrays.arrays(np.float32, st.integers(1, 30), elements=finite), min_size=1, max_size=5))
@example([np.array([0, 2e-43], np.float32)])
@example([np.array([0], np.float32), np.array([1e-45], np.float32)])
def test_a_histogram_merged_is_the_histogram_of_the_whole(parts: list[NDArray[np.float32]]) -> None:
    merged, whole = Histogram(), Histogram()
    for part in parts:
        one = Histogram()
        one.add(part)
        merged.merge(one)
    together = np.concatenate(parts)
    whole.add(together)
    edges, counts = merged.result()
    assert len(edges) == len(counts) + 1
    assert len(counts) <= BINS
    np.testing.assert_array_equal(
        np.histogram(together.astype(np.float64), bins=np.append(edges, np.inf))[0][:-1], counts
    )
    assert merged.result() == whole.result()


def test_masked_numbers_do_not_count() -> None:
    collected = Accumulator()
    collected.add(np.array([[1, 2, 255]], dtype=np.uint8), gone=np.array([[False, False, True]]))
    found = collected.result()
    assert (found.count, found.minimum, found.maximum, found.mean) == (2, 1, 2, 1.5)


def test_the_histogram_of_a_large_raster_rests_on_a_regular_sample() -> None:
    collected = Accumulator.for_pixels(2 << 20)
    collected.add(np.ones((8, 8), dtype=np.float32))
    assert collected.result().count == 64
    assert sum(collected.result().histogram[1]) == 4


@pytest.mark.parametrize("values", [[-3e38, 3e38], [0.0, 1e-38], [1e-30, 3e-30], [1e25, 3e25, 5e25], [300.0, 300.001]])
def test_extreme_numbers_have_a_standard_deviation(values: list[float]) -> None:
    numbers = np.array([values], dtype=np.float32)
    collected = Accumulator()
    collected.add(numbers)
    assert collected.result().std == pytest.approx(numbers.astype(np.float64).std(), rel=1e-3, abs=0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_outlier_at_the_mean_of_what_came_before_costs_no_digits(dtype: type[np.floating[Any]]) -> None:
    block = np.random.default_rng(1).normal(0.1, 1e-4, 60_000).astype(dtype)
    block[7] = 1e4
    collected = Accumulator()
    collected.count(np.array([1e4], dtype=dtype))
    collected.count(block)
    found, pixels = collected.result(), np.append(block, 1e4).astype(np.float64)
    digits = 1e-6 if dtype is np.float32 else 1e-7  # processors sum single precision in different orders
    assert found.mean == pytest.approx(pixels.mean(), rel=digits)
    assert found.std == pytest.approx(pixels.std(), rel=digits)


@pytest.mark.parametrize("value", [0.1, 300.1, 1e30, -1e-30])
def test_a_constant_raster_has_its_value_as_mean_and_no_deviation(value: float) -> None:
    collected = Accumulator()
    collected.add(np.full((300, 700), value, dtype=np.float32))
    assert (collected.result().mean, collected.result().std) == (float(np.float32(value)), 0.0)


def test_a_raster_of_zeros_has_one_bin_that_can_be_drawn() -> None:
    collected = Accumulator()
    collected.add(np.zeros((2, 2), dtype=np.float32))
    assert collected.result().histogram == ((0.0, 2**-24), (4,))


@given(st.lists(st.integers(1, 1 << 16), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_the_pixels_of_a_mask_are_counted_exactly(sizes: list[int], random: Any) -> None:
    """A hundred million pixels of 0 and 1: the mean has all digits that their number asks for."""
    collected, yes, known = Accumulator(), 0, 0
    for size in sizes:
        marked = random.randint(0, size)
        block = np.zeros(size, dtype=np.uint8)
        block[:marked] = 1
        one = collected.fresh()
        one.count(block)
        for _ in range(64):
            collected.merge(one)
        yes, known = yes + 64 * marked, known + 64 * size
    found = collected.result()
    assert round(found.mean * known) == yes
    assert abs(found.mean * known - yes) < 1e-6 * max(yes, 1)
    share = yes / known
    assert found.std == pytest.approx(np.sqrt(share * (1 - share)), rel=1e-9)


def of_tiles(*blocks: tuple[int, BlockStatistics]) -> str:
    """Everything that is known of each tile of blocks that begin so many tiles from the left, to the last bit."""
    found = {(left + column, row): tile for left, block in blocks for (column, row), tile in block.tiles().items()}
    return repr(
        [(place, sorted((k, v) for k, v in vars(found[place]).items() if k[1] != "h")) for place in sorted(found)]
    )


def awkward(shape: tuple[int, int], seed: int, dtype: str) -> NDArray[Any]:
    """Decimal numbers with what gets into the way of sums: gaps, a constant, outliers, infinity."""
    random = np.random.default_rng(seed)
    values = random.normal((0, 1e3, 1e-12)[seed % 3], (1, 1e-3, 1e12)[seed // 3 % 3], shape).astype(dtype)
    if seed % 2:
        values[random.random(shape) < 0.2] = np.nan
        values[:, : shape[1] // 3] = np.nan
    if seed % 5 == 0:
        values[:, -40:] = 3.25
    if seed % 4 == 0:
        values[7, 11] = (np.inf, -np.inf, 1e30)[seed % 3]
    return values


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(12))
def test_statistics_by_tiles_are_the_same_to_the_last_bit_however_blocks_are_cut(seed: int, dtype: str) -> None:
    values = awkward((150, (160, 192, 300, 64)[seed % 4]), seed, dtype)
    whole, strips, narrow = BlockStatistics(64), BlockStatistics(64), []
    with np.errstate(all="ignore"):
        whole.count(values)
        for row in range(0, 150, 64):
            strips.count(values[row : row + 64])
        for left in range(0, values.shape[1], 64):
            narrow.append((left // 64, BlockStatistics(64)))
            narrow[-1][1].count(values[:, left : left + 64])
    assert of_tiles((0, whole)) == of_tiles((0, strips)) == of_tiles(*narrow)
    total = Accumulator()
    total.merge_block(whole)
    found, numbers = total.result(), values[np.isfinite(values)].astype(np.float64)
    assert (found.total, found.count, found.finite) == (values.size, np.sum(~np.isnan(values)), numbers.size)
    assert (found.minimum, found.maximum) == (numbers.min(), numbers.max())
    assert found.mean == pytest.approx(numbers.mean(), rel=1e-6, abs=1e-6 * numbers.std())
    assert found.std == pytest.approx(numbers.std(), rel=1e-5)


@pytest.mark.parametrize("width", [160, 192, 64])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_known_of_numbers_holds_of_those_columns_that_stay_as_they_are(seed: int, width: int) -> None:
    values = awkward((150, width), seed, "float32")
    alike, alone = BlockStatistics(64), BlockStatistics(64)
    known, drop = BlockStatistics(64), np.random.default_rng(seed).random((150, 3)) < (0.01, 0.3)[seed % 2]
    with np.errstate(all="ignore"):
        for row in (0, 64, 128):
            dropped = np.zeros((min(64, 150 - row), width), dtype=np.bool_)
            dropped[:, 60 : 60 + 3 * (seed % 3)][:, :3] = drop[row : row + 64, : min(3, 3 * (seed % 3))]
            rows = values[row : row + 64]
            masked = np.where(dropped, np.float32(np.nan), rows)
            known.count(rows)
            alike.count(masked, None, (known, dropped.any(axis=0)))
            alone.count(masked)
    assert of_tiles((0, alike)) == of_tiles((0, alone))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool"])
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_answers_are_counted_as_numbers_would_be(dtype: str, share: float) -> None:
    random = np.random.default_rng(3)
    answers = (random.random((300, 150)) < share).astype(dtype)
    for gone in (None, random.random(answers.shape) < 0.3, np.ones(answers.shape, dtype=np.bool_)):
        counted, measured = BlockStatistics(64), BlockStatistics(64)
        counted.count(answers, gone)
        measured.count(answers.astype(np.int16), gone)
        assert of_tiles((0, counted)) == of_tiles((0, measured))
