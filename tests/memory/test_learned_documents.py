"""Guards of learned templates hold of the maps that they were learned from, and of no map that differs in one thing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from examples import catalogue, tool
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.yamldoc import Document
from knowflow.memory.case import OF_A_KIND, Case
from knowflow.memory.draft import GUARD, Draft
from knowflow.memory.shelf import LearnedTemplate
from knowflow.memory.templates import guarded_by, learned_of, name_of, template_of
from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin

FILTER = tool("smooth", {"raster": {"type": "raster"}, "output": {"type": "path", "role": "output"}})
SUMMARY = tool("summary", {"raster": {"type": "raster"}}, returns={"type": "scalar"}, kit="statistics")
TOOLS = catalogue(FILTER, SUMMARY)
STEPS = {
    "smooth": {"tool": "smooth", "with": {"raster": "$inputs.x"}, "when": GUARD, "else": "$inputs.x"},
    "summary": {"tool": "summary", "with": {"raster": "$smooth"}},
}

texts = st.text(max_size=12)
facts = st.fixed_dictionaries(
    {"quantity": st.sampled_from(["ndvi", "sigma0"]), "dtype": st.sampled_from(["int16", "float32"])},
    optional={"layer": texts, "sensor": texts, "level": texts, "unit": st.just("1")},
)
numbers = st.tuples(st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))


def case(run: str, known: dict[str, Any], mean: float = 0.5, std: float = 0.1) -> Case:
    seen = {"mean": (mean, mean), "std": (std, std), "lowest": (mean - std,) * 2, "highest": (mean + std,) * 2}
    return Case(run=run, by="person", cause="unknown", tool="smooth", parameter="x", facts=known, then=(), seen=seen)


def draft(*cases: Case, prepares: str = "") -> Draft:
    computes = "over(x=$x, axes=space, statistic=mean)"
    return Draft(computes, "over", {"x": "raster"}, {}, STEPS, "$summary", "smooth", cases, prepares)


def seen_again(known: dict[str, Any], mean: float = 0.5, std: float = 0.1) -> Artifact:
    told = {**known, "mean": mean, "std": std, "lowest": mean - std, "highest": mean + std}
    return Artifact("raster", Facts.of(Origin.MEASURED, "test", **told))


def holds(learned: LearnedTemplate, x: Artifact) -> bool | None:
    (guard,) = learned.template.guards
    return evaluate(parse(guard), {"$inputs.x": x}).truth


@given(facts, numbers)
def test_the_guard_holds_of_what_was_seen_and_the_template_passes_its_checks(
    known: dict[str, Any], pixels: tuple[float, float]
) -> None:
    one = case("a", known, *pixels)
    learned = learned_of(draft(one), [one])
    assert holds(learned, seen_again(known, *pixels)) is True
    assert list(learned.problems(Document("learned.yaml", {}, {}), TOOLS)) == []


@given(facts, numbers, st.sampled_from(["quantity", "dtype", "mean", "std", "unread"]))
def test_it_does_not_hold_of_a_map_that_differs_in_one_thing(
    known: dict[str, Any], pixels: tuple[float, float], what: str
) -> None:
    one, (mean, std) = case("a", known, *pixels), pixels
    learned = learned_of(draft(one), [one])
    other = {
        "quantity": seen_again({**known, "quantity": "elevation"}, mean, std),
        "dtype": seen_again({**known, "dtype": "complex64"}, mean, std),
        "mean": seen_again(known, mean + 3 * std, std),
        "std": seen_again(known, mean, 2.5 * std),
        "unread": Artifact("raster", Facts.of(Origin.DECLARED, "test", **known)),
    }[what]
    assert holds(learned, other) is not True


@given(facts, facts)
def test_what_differs_between_cases_is_no_condition_any_more(one: dict[str, Any], other: dict[str, Any]) -> None:
    cases = [case("a", one), case("b", {**other, "quantity": one["quantity"], "dtype": one["dtype"]})]
    learned = learned_of(draft(*cases[:1]), cases)
    assert holds(learned, seen_again(cases[0].facts)) is True
    assert holds(learned, seen_again(cases[1].facts)) is True
    (guard,) = learned.template.guards
    for name in OF_A_KIND:
        if cases[0].facts.get(name) != cases[1].facts.get(name):
            assert f"{name}($inputs.x) ==" not in guard


@given(texts.filter(lambda text: "$" not in text))
def test_texts_of_files_are_literals_whatever_they_look_like(text: str) -> None:
    spoilt = f"{text}' or (it) == '{text}"
    one = case("a", {"quantity": "ndvi", "dtype": "int16", "layer": spoilt})
    learned = learned_of(draft(one), [one])
    assert holds(learned, seen_again(one.facts)) is True
    assert holds(learned, seen_again({**one.facts, "layer": "other"})) is not True


def test_what_is_done_to_data_alone_is_a_template_of_their_quantity() -> None:
    one = case("a", {"quantity": "ndvi", "dtype": "int16"})
    of_data = draft(one, prepares="ndvi").of_data()
    assert of_data is not None
    found = template_of(of_data, [one])
    assert (found.computes, list(found.steps), found.outputs) == ("quantity(ndvi)", ["smooth"], {"answer": "$smooth"})
    assert draft(one).of_data() is None


def test_a_template_has_one_name_for_what_it_does_to_data_of_one_quantity() -> None:
    first, other = case("a", {"quantity": "ndvi"}), case("b", {"quantity": "sigma0"})
    assert name_of(draft(first)) == name_of(draft(replace_run(first, "c")))
    assert name_of(draft(first)) != name_of(draft(other))
    assert name_of(draft(first)) != name_of(replace(draft(first), computes="over(x=$x, axes=space, statistic=sum)"))


def replace_run(one: Case, run: str) -> Case:
    return one.model_copy(update={"run": run})


@pytest.mark.parametrize("guard", ["1 > 0", "0 > 1"])
def test_guards_can_be_others(guard: str) -> None:
    one = case("a", {"quantity": "ndvi"})
    assert guarded_by(template_of(draft(one), [one]), guard).guards == (guard,)
