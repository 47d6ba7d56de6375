"""Masks from thresholds against plain numpy and scikit-image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from drawn_rasters import draw, noise, read
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.filters import threshold_otsu

from knowflow.ground.errors import MissingFactError, ToolError, UnitError
from knowflow.tools import thresholding as tools


@pytest.mark.parametrize(
    ("side", "upper", "rule"),
    [
        ("above", None, lambda v: v > np.float32(0.3)),
        ("below", None, lambda v: v < np.float32(0.3)),
        ("between", 0.5, lambda v: (v >= np.float32(0.3)) & (v <= np.float32(0.5))),
    ],
)
def test_threshold_marks_its_side_and_keeps_gaps_over_many_blocks(tmp_path: Path, side, upper, rule) -> None:
    values = noise((700, 2300))
    raster = draw(tmp_path / "a.tif", values, unit="1", datetime="2022-06-01")
    tools.threshold(raster, 0.3, tmp_path / "m.tif", side=side, upper=upper, quantity="vegetation_mask")
    mask, about = read(tmp_path / "m.tif")
    expected = np.where(np.isnan(values), np.nan, rule(values))
    np.testing.assert_array_equal(mask, expected)
    assert (about["QUANTITY"], about["UNIT"], about["dtype"], about["nodata"]) == ("vegetation_mask", "1", "uint8", 255)
    assert about["DATETIME"] == "2022-06-01"


def test_threshold_is_strict(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.array([[0.3, 0.31, 0.29]], dtype=np.float32))
    tools.threshold(raster, 0.3, tmp_path / "m.tif")
    assert read(tmp_path / "m.tif")[0].tolist() == [[0, 1, 0]]


def test_threshold_in_another_unit_is_converted_to_the_rasters(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.array([[20.0, 35.0]], dtype=np.float32), unit="degC")
    assert tools.threshold_share(raster, 305.0, threshold_unit="K") == 0.5
    assert tools.threshold_share(raster, 30.0) == 0.5
    with pytest.raises(UnitError):
        tools.threshold_share(raster, 305.0, threshold_unit="m")
    unknown = draw(tmp_path / "b.tif", np.array([[20.0, 35.0]], dtype=np.float32))
    with pytest.raises(MissingFactError, match="unit of the raster is unknown"):
        tools.threshold_share(unknown, 305.0, threshold_unit="K")


def test_stored_numbers_are_scaled_before_they_are_compared(tmp_path: Path) -> None:
    stored = np.array([[0, 1000, 4000, 9000]], dtype=np.uint16)
    raster = draw(tmp_path / "a.tif", stored, nodata=0, scale=0.0001)
    assert tools.threshold_share(raster, 0.3) == pytest.approx(2 / 3)


@pytest.mark.parametrize("upper", [None, 0.1])
def test_between_without_a_higher_limit_is_refused(tmp_path: Path, upper) -> None:
    raster = draw(tmp_path / "a.tif", noise((4, 4)))
    with pytest.raises(ToolError, match="upper limit"):
        tools.threshold_share(raster, 0.3, side="between", upper=upper)


def test_a_quantity_that_is_no_mask_is_refused(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", noise((4, 4)))
    with pytest.raises(ToolError, match="not a kind of mask"):
        tools.threshold(raster, 0.3, tmp_path / "m.tif", quantity="ndvi")
    assert not (tmp_path / "m.tif").exists()


def test_shares_count_only_pixels_that_are_data(tmp_path: Path) -> None:
    values = noise((700, 600), seed=4, gaps=0.4)
    raster = draw(tmp_path / "a.tif", values)
    data = values[np.isfinite(values)]
    assert tools.threshold_share(raster, 0.4) == pytest.approx((data > np.float32(0.4)).mean(), abs=1e-15)
    mask = draw(tmp_path / "m.tif", np.array([[1, 0, 255, 1]], dtype=np.uint8), nodata=255)
    assert tools.mask_share(mask) == pytest.approx(2 / 3)
    classes = draw(tmp_path / "c.tif", np.array([[1, 2, 2, 3, 0]], dtype=np.uint8), nodata=0)
    assert tools.class_share(classes, [2, 3]) == pytest.approx(3 / 4)
    assert tools.class_share(classes, [0]) == 0.0


def test_a_scene_without_data_fails_or_is_missing_as_asked(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.full((3, 3), np.nan, dtype=np.float32))
    with pytest.raises(ToolError, match="no pixel is data"):
        tools.threshold_share(raster, 0.3)
    assert np.isnan(tools.threshold_share(raster, 0.3, when_empty="missing"))


def test_otsu_equals_scikit_image(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    values = np.where(random.random((600, 1100)) < 0.3, random.normal(0.7, 0.05, (600, 1100)), 0.1).astype(np.float32)
    values += random.normal(0, 0.03, values.shape).astype(np.float32)
    values[:50] = np.nan
    raster = draw(tmp_path / "a.tif", values)
    expected = threshold_otsu(values[50:].astype(np.float64))
    assert tools.otsu_threshold(raster) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("dtype", "high"), [("uint8", 255), ("uint16", 3000), ("int16", 700)])
def test_otsu_of_whole_numbers_equals_scikit_image(tmp_path: Path, dtype: str, high: int) -> None:
    random = np.random.default_rng(3)
    low = random.normal(high * 0.2, high * 0.05, (300, 300))
    values = np.where(random.random(low.shape) < 0.4, random.normal(high * 0.7, high * 0.08, low.shape), low)
    stored = values.clip(1, high).astype(dtype)
    found = tools.otsu_threshold(draw(tmp_path / "a.tif", stored))
    assert found == threshold_otsu(stored)
    assert found == int(found)


@pytest.mark.parametrize("value", [np.nan, 3.0])
def test_otsu_refuses_a_raster_of_one_value(tmp_path: Path, value: float) -> None:
    raster = draw(tmp_path / "a.tif", np.full((3, 3), value, dtype=np.float32))
    with pytest.raises(ToolError, match="nothing to separate"):
        tools.otsu_threshold(raster)


_BOOLEAN = {1.0: True, 0.0: False}


def _kleene(row: list[float], operation: str) -> float:
    """All ways to fill in the unknown: what they agree on is known."""
    results = set()
    unknown = [i for i, value in enumerate(row) if np.isnan(value)]
    for code in range(2 ** len(unknown)):
        filled = list(row)
        for bit, index in enumerate(unknown):
            filled[index] = float(code >> bit & 1)
        truth = [_BOOLEAN[value] for value in filled]
        results.add({"and": all(truth), "or": any(truth), "xor": sum(truth) % 2 == 1, "not": not truth[0]}[operation])
    return float(results.pop()) if len(results) == 1 else 255.0


@given(
    rows=st.lists(st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=3, max_size=3), min_size=1, max_size=8),
    operation=st.sampled_from(["and", "or", "xor"]),
)
@settings(max_examples=60, deadline=None)
def test_combination_knows_what_no_filling_of_the_gaps_could_change(rows, operation) -> None:
    stack = np.array(rows, dtype=np.float32).T[:, np.newaxis, :]
    found = tools.combined(stack, operation)
    assert found[0].tolist() == [_kleene(row, operation) for row in rows]


def test_not_turns_one_mask_over_and_takes_no_second(tmp_path: Path) -> None:
    mask = draw(tmp_path / "m.tif", np.array([[1, 0, 255]], dtype=np.uint8), nodata=255)
    tools.combine_masks((mask,), tmp_path / "n.tif", "not", quantity="land_mask")
    found, about = read(tmp_path / "n.tif")
    np.testing.assert_array_equal(found, [[0, 1, np.nan]])
    assert about["QUANTITY"] == "land_mask"
    with pytest.raises(ToolError, match="takes one mask"):
        tools.combine_masks((mask, mask), tmp_path / "n2.tif", "not")
