"""Masks from thresholds against plain numpy and scikit-image."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from drawn_rasters import draw, noise, read
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.filters import threshold_otsu

from knowflow.ground.errors import MissingFactError, ToolError, UnitError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import STORED_STATISTICS, Origin
from knowflow.reason.inventory import read_artifact
from knowflow.tools import thresholding as tools
from knowflow.tools.area import area


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


# --- what the block writer counted -----------------------------------------------------------------------------------


def made(path: Path) -> Artifact:
    """A mask as the next node gets it: its header read, with the key of the node that made it."""
    return replace(read_artifact(path), key="derived:0:output")


@pytest.mark.parametrize("crs", ["EPSG:32633", "EPSG:4326", "EPSG:3857"])
def test_share_and_area_of_a_mask_are_those_of_its_pixels_read_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crs: str
) -> None:
    """Where pixels are alike in size none is read again; where they are not, each weighs as much as it covers."""
    step = 1e-4 if crs == "EPSG:4326" else 10.0
    place = Affine(step, 0, 15.0 if crs == "EPSG:4326" else 5e5, 0, -step, 46.0 if crs == "EPSG:4326" else 5.1e6)
    values = noise((700, 1300))
    raster = draw(tmp_path / "a.tif", values, crs=crs, transform=place)
    tools.threshold(raster, 0.3, tmp_path / "m.tif")
    mask, known = values > np.float32(0.3), np.isfinite(values)
    plain = read_artifact(tmp_path / "m.tif")
    expected = tools.mask_share(plain), area(plain, "m2")
    if crs == "EPSG:32633":
        assert expected == (mask.sum() / known.sum(), mask.sum() * 100.0)

        def unread(*_: object) -> None:
            raise AssertionError("pixels are read")

        monkeypatch.setattr(tools, "reduce_blocks", unread)
        monkeypatch.setattr("knowflow.tools.area.reduce_blocks", unread)
    assert (tools.mask_share(made(tmp_path / "m.tif")), area(made(tmp_path / "m.tif"), "m2")) == expected


@pytest.mark.parametrize("why", ["a file of the user's", "statistics of a sample", "other numbers", "no data"])
def test_pixels_of_a_mask_are_read_where_nobody_counted_them(tmp_path: Path, why: str) -> None:
    values = np.where(np.arange(40_000).reshape(200, 200) < 10_000, 1, 0).astype(np.float32)
    tools.threshold(draw(tmp_path / "a.tif", values if why != "no data" else values * np.nan), 0.5, tmp_path / "m.tif")
    mask = made(tmp_path / "m.tif")
    if why == "a file of the user's":
        mask = replace(mask, key=None)
    if why == "statistics of a sample":
        mask = mask.with_facts(mask.facts.put("mean", 0.7, Origin.MEASURED, "sampled"))
    if why == "other numbers":
        mask = mask.with_facts(mask.facts.put("value_range", (0, 2), Origin.MEASURED, STORED_STATISTICS))
    assert tools.counted(mask) is None
    if why != "no data":
        assert tools.mask_share(mask) == 0.25
