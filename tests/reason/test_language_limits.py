"""Numbers with units and sides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.units import normalise
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import clean
from knowflow.model.goal import Threshold
from knowflow.reason.language import understand
from knowflow.reason.language.limits import asked_unit, limits, make_classes


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("steeper than 15 degrees", Threshold(15, "degree", "above")),
        ("warmer than 305 K", Threshold(305, "K", "above")),
        ("LST >= 30 °C", Threshold(30, "degC", "above")),
        ("LST>300K", Threshold(300, "K", "above")),
        ("NDVI < -0.1", Threshold(-0.1, None, "below")),
        ("NDVI below −0.1", Threshold(-0.1, None, "below")),
        ("no more than 20 percent", Threshold(20, "%", "below")),
        ("at least 1,200 m", Threshold(1200, "m", "above")),
        ("25 degrees or more", Threshold(25, "degree", "above")),
        ("not steeper than 15 degrees", Threshold(15, "degree", "below")),
        ("slope isn't above 15 degrees", Threshold(15, "degree", "below")),
        ("LST did not exceed 305 K", Threshold(305, "K", "below")),
        ("NDVI did not fall below 0.3", Threshold(0.3, None, "above")),
        ("NDVI not above the mean", Threshold(100, "%", "below", relative_to="mean")),
        ("not more than 0.3", Threshold(0.3, None, "below")),
        ("whether or not steeper than 15 degrees", Threshold(15, "degree", "above")),
        ("between 295 and 305 K", Threshold(295, "K", "between", 305)),
        ("295–305 K", Threshold(295, "K", "between", 305)),
        ("TVDI from 0.4 to 0.6", Threshold(0.4, None, "between", 0.6)),
        ("above 115% of the urban mean", Threshold(115, "%", "above", relative_to="mean")),
        ("50% higher than the mean", Threshold(150, "%", "above", relative_to="mean")),
        ("exceeds the mean by more than 10%", Threshold(110, "%", "above", relative_to="mean")),
        ("above the NDVI mean", Threshold(100, "%", "above", relative_to="mean")),
        ("20% below the median", Threshold(80, "%", "below", relative_to="median")),
        ("above 40 times the mean", Threshold(4000, "%", "above", relative_to="mean")),
        ("higher than 1.5 times its median", Threshold(150, "%", "above", relative_to="median")),
        ("over twice the average", Threshold(200, "%", "above", relative_to="mean")),
        ("below half of the mean", Threshold(50, "%", "below", relative_to="mean")),
        ("above 3 times the standard deviation", None),
        ("more than 2.5 standard deviations", None),
        ("above 12 m^3", Threshold(12, "m3", "above")),
        ("less than 7 cubic metres", Threshold(7, "m3", "below")),
        ("over 2000 m", Threshold(2000, "m", "above")),
        ("brighter than 20 nW cm⁻² sr⁻¹", Threshold(20, "nW cm-2 sr-1", "above")),
        ("above 0.0001 mol per square metre", Threshold(0.0001, "mol m-2", "above")),
        ("nights on which LST dropped below 305 K", Threshold(305, "K", "below")),
        ("NDVI sinks under 0.2", Threshold(0.2, None, "below")),
        ("NDTI climbs above 0.1", Threshold(0.1, None, "above")),
        ("an LST in exceedance of 312 K", Threshold(312, "K", "above")),
        ("has on some days the value 14 exceeded?", Threshold(14, None, "above")),
        ("how often was 305 K exceeded by the mean", Threshold(305, "K", "above")),
        ("dates on which the limit of 0.3 was not reached", Threshold(0.3, None, "below")),
        ("how many of the 24 exceeded the limit of 0.3", Threshold(0.3, None, "above")),
        ("negative NDMI", Threshold(0, None, "below")),
        ("where NDVI is positive", Threshold(0, None, "above")),
        ("a negative NDVI trend", None),
        ("negative feedback", None),
        ("slower than 3", None),
        ("over Tokyo", None),
        ("bands 31 and 32", None),
        ("the 5 largest lakes", None),
    ],
)
def test_limits(text: str, threshold: Threshold | None) -> None:
    found = limits(clean(text))
    assert [limit.threshold for limit in found] == ([] if threshold is None else [threshold])


def test_a_share_of_the_area_is_marked() -> None:
    (share, value) = limits("more than 40% of the urban area exceeding 0.7")
    assert share.of_area
    assert not value.of_area


@pytest.mark.parametrize("text", ["a threshold of 0.3", "use 0.3 as the bar to clear", "with 0.3 as a cut-off"])
def test_a_threshold_without_a_side_says_so(text: str) -> None:
    (limit,) = limits(text)
    assert limit.threshold.value == 0.3
    assert not limit.side_said


@pytest.mark.parametrize(
    ("text", "quantity", "side"),
    [
        ("Our course draws the line at a gradient of 25°. What share exceeds it?", "slope", "above"),
        ("The club sets the bar at an NDSI of 0.4. What percentage of the area stays below that?", "ndsi", "below"),
    ],
)
def test_a_limit_that_is_set_in_one_sentence_has_its_side_in_the_next(text: str, quantity: str, side: str) -> None:
    goal = understand(text)
    assert (goal.value("quantity"), goal.value("side")) == (quantity, side)
    assert not goal.slots["side"].default


def test_one_letter_units_keep_their_case() -> None:
    assert limits("above 30 k")[0].threshold.unit is None
    assert limits("above 30 C")[0].threshold.unit == "degC"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("area in hectares", "ha"),
        ("how many km2", "km2"),
        ("in km²", "km2"),
        ("LST in K, given (in °C)", "degC"),
        ("in Tokyo", None),
        ("NO2 column, mean in mol/m²", "mol m-2"),
        ("in µmol m⁻²", "umol m-2"),
        ("in micrograms per cubic metre", "ug m-3"),
        ("the mean column, 0.1 mol/m2 at most", None),
    ],
)
def test_the_unit_that_is_asked_for(text: str, unit: str | None) -> None:
    found = asked_unit(clean(text))
    assert (found[0] if found else None) == unit


def test_every_unit_of_the_lexicon_is_a_unit_in_its_usual_spelling() -> None:
    for entry in lexicon().units:
        assert normalise(str(entry.value)) == entry.value


@given(st.floats(min_value=-1e4, max_value=1e4, allow_nan=False).map(lambda number: round(number, 3)))
def test_any_number_is_read_back(value: float) -> None:
    (limit,) = limits(f"values above {value:.3f} K")
    assert limit.threshold == Threshold(value, "K", "above")


def test_the_digits_after_a_point_are_no_count_of_the_lowest() -> None:
    goal = understand("On which date was the share of the area with NDVI below 0.2 lowest?")
    assert goal.value("top") is None
    assert goal.value("threshold") == Threshold(0.2, None, "below")


def test_limits_that_touch_make_classes() -> None:
    touching = (Threshold(0.4, None, "below"), Threshold(0.4, None, "between", 0.6), Threshold(0.6, None, "above"))
    apart = (Threshold(0.2, None, "below"), Threshold(0.4, None, "between", 0.5), Threshold(0.8, None, "above"))
    assert make_classes(touching)
    assert not make_classes(apart)
    assert not make_classes(touching[:2])


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("total burned hectares?", "ha"),
        ("list the hectares for all classes", "ha"),
        ("how many more hectares are built up", "ha"),
        ("patches of 5 ha", None),
        ("tonnes per hectare", None),
    ],
)
def test_a_unit_of_area_without_a_number_is_that_of_the_answer(text: str, unit: str | None) -> None:
    found = asked_unit(text)
    assert (found[0] if found is not None else None) == unit
