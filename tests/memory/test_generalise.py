"""Rules from cases: they cover all that they were made of, and no more than these show; texts of files are literals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from examples import catalogue, raster, tool
from hypothesis import given
from hypothesis import strategies as st

from knowflow.memory.case import OF_A_KIND, Case
from knowflow.memory.foresight import may_answer
from knowflow.memory.generalise import alike, contradict, rule_of
from knowflow.memory.trial import tried
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.facts import Facts, Origin
from knowflow.model.rule import Rule
from knowflow.reason.repair.matching import Pattern, misfit
from knowflow.reason.repair.scenarios import run_rule_tests

SUMMARY = tool("summary", {"raster": {"type": "raster"}}, returns={"type": "scalar"}, kit="statistics")
OTHER = tool("other", {"raster": {"type": "raster"}}, returns={"type": "scalar"}, kit="statistics")
TOOLS = catalogue(SUMMARY, OTHER)
TEMPERATURE = {"quantity": "surface_temperature", "unit": "K", "dtype": "uint16"}

texts = st.text(max_size=12)
facts = st.fixed_dictionaries(
    {
        "quantity": st.sampled_from(["surface_temperature", "air_temperature"]),
        "dtype": st.sampled_from(["int16", "uint16"]),
    },
    optional={"layer": texts, "sensor": texts, "level": texts, "unit": st.sampled_from(["K", "degC"])},
)


def case(run: str = "a", facts: dict[str, Any] | None = None, **other: Any) -> Case:
    given = {
        "by": "person",
        "cause": "values_implausible",
        "tool": "summary",
        "parameter": "raster",
        "of_file": True,
        "lacks": ("scale",),
        "low": 19000.0,
        "high": 20000.0,
        "spread": (200.0, 300.0),
        "then": ({"state_facts": {"scale": 1 / 64, "offset": 0.0}},),
        **other,
    }
    return Case(run=run, facts=TEMPERATURE if facts is None else facts, **given)


def guilty(one: Case, **changed: Any) -> Artifact:
    """The artifact of a case, as it would be seen again."""
    assert one.low is not None
    assert one.high is not None
    assert one.spread is not None
    told = {"mean": (one.low + one.high) / 2, "std": one.spread[0], **one.facts, **changed}
    known = {name: value for name, value in told.items() if value is not None}
    bare = raster().facts.without(OF_A_KIND)
    return replace(raster(), facts=bare.merged(Facts.of(Origin.DECLARED, "test", **known)))


def answers(rule: Rule, artifact: Artifact, cause: str = "values_implausible", used: str = "summary") -> bool:
    found = dict.fromkeys(rule.if_.found, 1.0)
    diagnosis = Diagnosis(cause, "n", "n", ("raster",), "file.tif", found=found)
    return not misfit(rule, Pattern(TOOLS[used], {"raster": artifact}, diagnosis))


@given(st.lists(facts, min_size=1, max_size=4))
def test_a_rule_covers_all_cases_that_it_was_made_of(kinds: list[dict[str, Any]]) -> None:
    cases = [case(str(number), kind, low=15000.0 + 500 * number) for number, kind in enumerate(kinds)]
    rule = rule_of(cases)
    for one in cases:
        assert answers(rule, guilty(one)), rule.if_.where
        assert may_answer([rule], guilty(one))
        assert answers(rule, guilty(one), used="other"), "what is wrong with a file is wrong for every tool"


@given(facts, facts)
def test_a_further_case_never_makes_a_rule_narrower(first: dict[str, Any], second: dict[str, Any]) -> None:
    one, other = case("a", first), case("b", second)
    narrow, wide = rule_of([one]), rule_of([one, other])
    for artifact in (guilty(one), guilty(other), guilty(one, layer="else"), guilty(one, mean=21500.0, unit="degC")):
        assert not answers(narrow, artifact) or answers(wide, artifact)


@given(texts, texts)
def test_texts_of_files_are_literals_of_conditions_whatever_they_hold(seen: str, other: str) -> None:
    rule = rule_of([case(facts={**TEMPERATURE, "layer": seen})])
    assert answers(rule, guilty(case(), layer=seen))
    told = any(text.startswith("layer(it)") for text in rule.if_.where)
    if told and other.casefold() != seen.casefold():
        assert not answers(rule, guilty(case(), layer=other))


@pytest.mark.parametrize(
    "changed",
    [
        {"quantity": "ndvi"},
        {"dtype": "int32"},
        {"unit": "degC"},
        {"scale": 0.5},
        {"mean": 17000.0},
        {"mean": 22000.0},
        {"std": 90.0},
        {"std": 700.0},
    ],
)
def test_what_differs_from_its_only_case_is_not_answered(changed: dict[str, Any]) -> None:
    rule = rule_of([case()])
    assert answers(rule, guilty(case()))
    assert not answers(rule, guilty(case(), **changed))
    assert not answers(rule, guilty(case()), cause="nodata_undeclared")


def test_what_differs_between_cases_is_no_condition_any_more() -> None:
    seen = [case("a", {**TEMPERATURE, "sensor": "one"}), case("b", {**TEMPERATURE, "sensor": "two"}, high=30000.0)]
    assert not answers(rule_of(seen[:1]), guilty(case(), sensor="three"))
    assert answers(rule_of(seen), guilty(case(), sensor="three"))
    assert not answers(rule_of(seen), guilty(case(), sensor="three", quantity="elevation"))


def test_what_is_wrong_with_a_step_is_of_its_tool_and_argument() -> None:
    one = case(of_file=False, facts={}, low=None, high=None, spread=None, lacks=(), then=({"retry": {"times": 1}},))
    rule = rule_of([one])
    assert (rule.if_.tool, rule.if_.parameter, rule.if_.where) == (("summary",), ("raster",), ())
    assert not answers(rule, guilty(case()), used="other")


def test_cases_of_other_quantities_causes_or_remedies_make_rules_of_their_own() -> None:
    assert alike(case(), case("b", {**TEMPERATURE, "quantity": "air_temperature"}))
    others = [
        case("b", {**TEMPERATURE, "quantity": "ndvi"}),
        case("b", cause="nodata_undeclared"),
        case("b", then=({"state_facts": {"scale": 0.5}},)),
    ]
    assert not any(alike(case(), other) for other in others)


def test_two_remedies_for_one_kind_contradict_each_other_and_for_numbers_of_another_size_do_not() -> None:
    otherwise = ({"state_facts": {"scale": 0.5, "offset": 0.0}},)
    assert contradict(case(), case("b", then=otherwise))
    assert not contradict(case(), case("b", then=otherwise, low=500.0, high=700.0))
    assert not contradict(case(), case("b"))


@given(facts)
def test_a_rule_passes_the_tests_that_it_carries(kind: dict[str, Any]) -> None:
    (*results,) = run_rule_tests([rule_of([case(facts=kind)])], TOOLS)
    assert len(results) >= 5
    assert [one for one in results if not one.passed] == []


def test_a_rule_that_would_speak_of_look_alikes_is_found_on_scenes() -> None:
    height, metres = {"quantity": "elevation", "unit": "m", "dtype": "int32"}, ({"state_facts": {"scale": 0.1}},)
    one = case(facts=height, low=20000.0, high=80000.0, spread=(15000.0, 18000.0), then=metres)
    rule = rule_of([one])
    found = tried(rule, [one], TOOLS)
    assert (found.wrong, found.scenes >= 20, found.answered >= 3) == ("", True, True)
    pixels = tuple(text for text in rule.if_.where if "mean(it)" not in text)
    loose = rule.model_copy(update={"if_": rule.if_.model_copy(update={"where": pixels})})
    assert "times as large" in tried(loose, [one], TOOLS).wrong


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "int32", "float32"])
@pytest.mark.parametrize(
    "then",
    [
        {"state_facts": {"scale": 1 / 64, "offset": 0.0}},
        {"state_facts": {"unit": "degC"}},
        {"state_facts": {"nodata": "$found.nodata"}},
        {"state_facts": {"nodata": -9999.0}},
    ],
)
def test_every_rule_about_a_file_is_tried_on_twenty_scenes(dtype: str, then: dict[str, Any]) -> None:
    size = {"uint8": 100.0, "int16": 10_000.0}.get(dtype, 19_000.0)
    found = {"nodata": -9999.0} if "found" in str(then) else {}
    one = case(
        facts={**TEMPERATURE, "dtype": dtype}, low=0.98 * size, high=1.02 * size, spread=(0.01 * size, 0.012 * size),
        then=(then,), found=found, lacks=tuple(then["state_facts"]),
    )  # fmt: skip
    rule = rule_of([one])
    made = tried(rule, [one], TOOLS)
    assert made.scenes >= 20 or made.wrong


def test_a_rule_about_a_step_is_tried_on_other_data_and_on_other_failures() -> None:
    one = case(of_file=False, facts={}, low=None, high=None, spread=None, lacks=(), then=({"retry": {"times": 1}},))
    rule = rule_of([one])
    found = tried(rule, [one], TOOLS)
    assert (found.scenes >= 20, found.answered >= 10, found.wrong) == (True, True, "")
    loose = rule.model_copy(update={"tests": (rule.tests[0].model_copy(update={"expect": ("summary",)}),)})
    assert "other_edits" in tried(loose, [one], TOOLS).wrong
