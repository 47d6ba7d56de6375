"""Masks in numbers of their own: which number marks, which is missing data, and what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from examples import raster

from knowflow.model.artifact import Artifact
from knowflow.reason.repair.masks import numbers_of, of_mask
from knowflow.reason.repair.samples import Finding, Sample, sample_of


def mask(**facts: Any) -> Artifact:
    return raster("water", **{"quantity": "water_mask", "unit": "1", "dtype": "uint8", **facts})


def pixels(*numbers: float) -> Sample:
    return sample_of([np.array(numbers * 9, dtype=float).reshape(-1, 3)])


def found(*numbers: float, beside: tuple[tuple[float, ...], ...] = (), **facts: Any) -> Finding | None:
    this = mask(**facts)
    return of_mask(this, pixels(*numbers), {numbers_of(this, pixels(*other)) for other in beside})


@pytest.mark.parametrize("numbers", [(0, 1), (0,), (1,)])
def test_a_mask_of_no_and_yes_is_as_it_should_be(numbers: tuple[float, ...]) -> None:
    assert found(*numbers) is None


@pytest.mark.parametrize("numbers", [(0, 255), (0, 2), (0, 100), (0, 128), (0, 65535), (255,), (100,), (0, -1)])
def test_one_number_beside_0_is_the_mask(numbers: tuple[float, ...]) -> None:
    finding = found(*numbers, dtype="int32")
    assert finding is not None
    assert (finding.cause, finding.found) == ("mask_coded", {"mark": numbers[-1]})


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [((0, 1, 255), 255), ((0, 100, 255), 255), ((0, 1, -1), -1), ((0, 255, -1), -1)]
    + [((0, marker), marker) for marker in (-9999, -32768, -999)],
)
def test_a_third_number_and_one_below_0_that_producers_use_are_missing_data(
    numbers: tuple[float, ...], missing: float
) -> None:
    finding = found(*numbers, dtype="int32")
    assert finding is not None
    assert (finding.cause, finding.found["nodata"]) == ("nodata_undeclared", missing)


@pytest.mark.parametrize(
    ("numbers", "choices"),
    [
        ((1, 2), ({"mark": 1}, {"mark": 2})),
        ((2,), ({"mark": 2}, {"mark": 1})),
        ((1, 255), ({"mark": 1}, {"mark": 255}, {"nodata": 255})),
    ],
)
def test_of_two_numbers_without_a_0_nobody_can_tell(
    numbers: tuple[float, ...], choices: tuple[dict[str, float], ...]
) -> None:
    finding = found(*numbers)
    assert finding is not None
    assert (finding.cause, finding.found) == ("mask_coded", {"choices": choices})


@pytest.mark.parametrize(
    ("numbers", "choices"),
    [
        ((0, -99), ({"mark": -99}, {"nodata": -99})),
        ((0, -128), ({"mark": -128}, {"nodata": -128})),
        ((-1,), ({"mark": -1}, {"nodata": -1})),
        ((1, -1), ({"mark": -1}, {"mark": 1}, {"nodata": -1})),
    ],
)
def test_a_number_below_0_that_may_mark_and_may_be_missing_data_is_asked_about(
    numbers: tuple[float, ...], choices: tuple[dict[str, float], ...]
) -> None:
    finding = found(*numbers, dtype="int16")
    assert finding is not None
    assert (finding.cause, finding.found) == ("mask_coded", {"choices": choices})


@pytest.mark.parametrize("numbers", [(0, 1, 2), (0, 1, 4), (4, 5, 8, 9), (0, 1, 2, 255)])
def test_three_classes_are_no_mask(numbers: tuple[float, ...]) -> None:
    finding = found(*numbers)
    assert finding is not None
    assert finding.cause == "quantity_wrong"


def test_fractions_are_no_mask() -> None:
    finding = found(0, 0.25, 0.7, 1, dtype="float32")
    assert finding is not None
    assert finding.cause == "quantity_wrong"


def test_the_masks_of_one_kind_are_looked_at_together() -> None:
    all_false = found(0, 255, beside=((0, 1, 255),))
    assert all_false is not None
    assert all_false.found == {"nodata": 255}
    other_code = found(0, 255, beside=((0, 1),))
    assert other_code is not None
    assert other_code.found == {"choices": ({"mark": 255}, {"nodata": 255})}
    all_true = found(2, beside=((0, 2), (0,)))
    assert all_true is not None
    assert all_true.found == {"mark": 2}
    below = {"dtype": "int16"}
    assert found(0, -1, beside=((0, 1, -1),), **below).found == {"nodata": -1}  # type: ignore[union-attr]
    asked = {"choices": ({"mark": -1}, {"nodata": -1})}
    assert found(0, -1, beside=((0, 1),), **below).found == asked  # type: ignore[union-attr]
    assert found(-1, beside=((0, -1),), **below).found == {"mark": -1}  # type: ignore[union-attr]
    assert found(0, 255, beside=((0, -1),), **below).found == {"mark": 255}  # type: ignore[union-attr]
    assert found(0, 1, beside=((0, -1),), **below) is None


def test_what_the_user_says_counts() -> None:
    assert found(0, 1, mark=1) is None
    for mark in (1, 2):
        finding = found(1, 2, mark=mark)
        assert finding is not None
        assert (finding.found, finding.certain) == ({"mark": mark}, True)
    one_of_classes = found(10, 20, 80, mark=80)
    assert one_of_classes is not None
    assert one_of_classes.found == {"mark": 80}


def test_a_scale_makes_no_answers() -> None:
    scaled = mask(dtype="float32", scale=1e-4, offset=0.0)
    finding = of_mask(scaled, sample_of([np.array([[0, 1e-4]])]))
    assert finding is not None
    assert finding.found == {"mark": 1}
    assert of_mask(mask(scale=0.01, offset=0.0), pixels(0, 1)) is None
