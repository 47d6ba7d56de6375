"""What numbers tell of their meaning: the same values are met in whatever unit they are stored, other factors never."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from examples import catalogue, raster, tool
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from knowflow.memory.case import OF_A_KIND, Case
from knowflow.memory.generalise import rule_of
from knowflow.memory.numbers import STEP, overlap
from knowflow.memory.trial import tried
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.facts import Facts, Origin
from knowflow.model.rule import Rule
from knowflow.reason.repair.matching import Pattern, misfit

SUMMARY = tool("summary", {"raster": {"type": "raster"}}, returns={"type": "scalar"}, kit="statistics")
TOOLS = catalogue(SUMMARY)
# the number for a value, in each unit, written out here
STORED = {
    "K": lambda kelvin: kelvin,
    "degC": lambda kelvin: kelvin - 273.15,
    "degF": lambda kelvin: kelvin * 1.8 - 459.67,
    "m": lambda metres: metres,
    "ft": lambda metres: metres / 0.3048,
}

temperatures = st.tuples(st.just("surface_temperature"), st.floats(250, 320), st.floats(2, 12))
heights = st.tuples(st.just("elevation"), st.floats(50, 4000), st.floats(5, 45))
values = temperatures | heights
scales = st.sampled_from([1 / 64, 1 / 128, 0.001, 0.02, 0.05])
factors = st.floats(0.05, 20).filter(lambda factor: max(factor, 1 / factor) > STEP * 1.001)


def case(quantity: str, mean: float, spread: float, scale: float, run: str = "a", **facts: Any) -> Case:
    """Files with values around a mean, that nobody knew the scale of."""
    unit = "K" if quantity == "surface_temperature" else "m"
    return Case(
        run=run,
        by="person",
        cause="values_implausible",
        tool="summary",
        parameter="raster",
        of_file=True,
        facts={"quantity": quantity, "unit": unit, "dtype": "int32", **facts},
        lacks=("scale", "offset"),
        low=(mean - 2 * spread) / scale,
        high=(mean + 2 * spread) / scale,
        means=(mean / scale, mean / scale),
        spread=(spread / scale, spread / scale),
        then=({"state_facts": {"scale": scale, "offset": 0.0}},),
    )


def answers(rule: Rule, mean: float, spread: float, cause: str = "values_implausible", **facts: Any) -> bool:
    told = {"mean": mean, "std": spread, "dtype": "int32", **facts}
    artifact = replace(
        raster(), facts=raster().facts.without(OF_A_KIND).merged(Facts.of(Origin.DECLARED, "test", **told))
    )
    diagnosis = Diagnosis(cause, "n", "n", ("raster",), "file.tif")
    return not misfit(rule, Pattern(TOOLS["summary"], {"raster": artifact}, diagnosis))


@given(values, scales, factors)
def test_the_same_values_are_answered_and_stored_by_another_factor_they_are_not(
    seen: tuple[str, float, float], scale: float, factor: float
) -> None:
    quantity, mean, spread = seen
    rule, unit = rule_of([case(*seen, scale)]), "K" if quantity == "surface_temperature" else "m"
    about = {"quantity": quantity, "unit": unit}
    assert answers(rule, mean / scale, spread / scale, **about)
    assert not answers(rule, factor * mean / scale, factor * spread / scale, **about)


@given(values, scales, factors, st.sampled_from(["scale_missing", "unit_wrong"]))
def test_so_they_are_in_another_unit(seen: tuple[str, float, float], scale: float, factor: float, cause: str) -> None:
    quantity, mean, spread = seen
    rule = rule_of([case(*seen, scale)])
    for unit in ("degC", "degF") if quantity == "surface_temperature" else ("ft",):
        stored = STORED[unit](mean) / scale
        width = (STORED[unit](mean + spread) - STORED[unit](mean)) / scale
        assert answers(rule, stored, width, cause, quantity=quantity, unit=unit), rule.if_.where
        assert not answers(rule, factor * stored, factor * width, quantity=quantity, unit=unit), rule.if_.where


@settings(max_examples=8)
@given(st.floats(0.01, 0.1), st.floats(1.3, 8.0), scales)
def test_numbers_that_vary_more_than_a_factor_would_change_them_wait_for_a_person(
    rough: float, apart: float, scale: float
) -> None:
    low = 400.0
    cases = [case("elevation", low * wide, low * wide * rough, scale, str(wide)) for wide in (1.0, apart)]
    rule = rule_of(cases)
    for one in cases:
        assert one.means is not None
        assert one.spread is not None
        assert answers(rule, one.means[0], one.spread[0], quantity="elevation", unit="m")
    assert "times as large" in tried(rule, cases, TOOLS).wrong
    assert tried(rule_of(cases[:1]), cases[:1], TOOLS).wrong == ""


@given(values, scales, factors)
def test_rules_of_one_kind_by_two_factors_do_not_meet(
    seen: tuple[str, float, float], scale: float, factor: float
) -> None:
    quantity, mean, spread = seen
    one, other = case(*seen, scale), case(*seen, scale / factor)
    assert not overlap(one, other)
    assert overlap(one, case(quantity, mean * math.sqrt(1.1), spread, scale)) or spread < 0.02 * mean


@pytest.mark.parametrize(("quantity", "unit"), [("surface_temperature", "degC"), ("surface_temperature", "degF")])
@given(kelvin=st.floats(260, 320), spread=st.floats(2, 10), factor=factors)
def test_a_unit_that_was_said_holds_for_the_same_values_alone(
    quantity: str, unit: str, kelvin: float, spread: float, factor: float
) -> None:
    stored = STORED[unit](kelvin)
    width = STORED[unit](kelvin + spread) - stored
    one = case(quantity, stored, width, 1.0).model_copy(update={"then": ({"state_facts": {"unit": unit}},)})
    rule = rule_of([one])
    assert answers(rule, stored, width, quantity=quantity, unit="K")
    other = {"degC": "degF", "degF": "degC"}[unit]
    misread = STORED[other](kelvin), STORED[other](kelvin + spread) - STORED[other](kelvin)
    assert not answers(rule, *misread, quantity=quantity, unit="K")
    assume(abs(stored) > 1)
    assert not answers(rule, factor * stored, factor * width, quantity=quantity, unit="K")
