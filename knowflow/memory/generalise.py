"""From cases to a rule: what all of them share stays a condition, what differs between them is none (anti-unification).

One case gives a rule that is as narrow as the case: the same kind of artifact, numbers of the same size. Each further
case of the same cause with the same remedy widens it by what it shows to be of no matter.
Source: Plotkin, "A note on inductive generalization" (1970): the least general form that covers all examples.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.json_text import json_text
from knowflow.ground.quantities import quantity_kinds
from knowflow.memory import numbers
from knowflow.memory.case import Case
from knowflow.model.causes import CAUSES
from knowflow.model.condition import parse
from knowflow.model.rule import Rule

# facts without which a remedy is one of anything: where they differ, all that were seen are named
_KEPT = ("quantity", "dtype")
_OF_VALUES = (str, int, float, bool)


def rule_of(cases: Sequence[Case]) -> Rule:
    """The rule that covers cases with one cause and one remedy (see :func:`alike`), and no more than they show."""
    first = cases[0]
    where = tuple(conditions_of(cases))
    of_file = all(case.of_file for case in cases)
    tools = () if of_file else tuple(sorted({case.tool for case in cases}))
    parameters = () if of_file else tuple(sorted({case.parameter for case in cases if case.parameter}))
    errors = {case.error for case in cases if case.error}
    pattern: dict[str, Any] = {
        "cause": sorted(frozenset[str]().union(*map(numbers.fault, cases))),
        "tool": tools,
        "parameter": parameters if all(case.parameter for case in cases) else (),
        "where": where,
        "lacks": tuple(sorted(set.intersection(*(set(case.lacks) for case in cases)))),
        "found": tuple(first.found),
    }
    if len(errors) == 1:
        pattern["error"] = errors.pop()
    rule = {
        "rule": name_of(first),
        "version": len(cases),
        "title": _title(first, cases),
        "if": {name: value for name, value in pattern.items() if value},
        "then": first.then,
        "because": _because(cases),
        "lossy": f"{_deeds(first)}: so {who(cases)} mended such data before, and the same is taken to be right here",
        "source": f"learned from {', '.join(dict.fromkeys(case.run for case in cases))}",
        "tests": tuple(_tests(cases, where)),
    }
    return Rule.model_validate(rule)


def alike(one: Case, other: Case) -> bool:
    """Whether two cases are of one kind of fault with one remedy, so that one rule may answer both."""
    remedy, other_remedy = ((case.then, case.of_file, set(case.found)) for case in (one, other))
    if remedy != other_remedy or not numbers.fault(one) & numbers.fault(other):
        return False
    if not one.of_file and one.parameter != other.parameter:
        return False
    return _family(one) == _family(other)


def contradict(one: Case, other: Case) -> bool:
    """Whether two cases of one kind of fault were mended in different ways."""
    return (
        bool(numbers.fault(one) & numbers.fault(other))
        and one.then != other.then
        and one.facts == other.facts
        and one.lacks == other.lacks
        and (one.of_file or (one.tool, one.parameter, one.error) == (other.tool, other.parameter, other.error))
        and numbers.overlap(one, other)
    )


def name_of(first: Case) -> str:
    """The name of the rule that begins with a case: what is wrong, of what, and a mark of the case."""
    about = first.facts.get("quantity") or first.tool
    seen = json_text([first.cause, list(first.then), first.facts, first.run, first.number])
    digest = hashlib.sha256(seen.encode()).hexdigest()[:6]
    words = re.sub(r"[^a-z0-9_]+", "_", f"learned_{first.cause}_of_{about}".casefold()).strip("_")
    return f"{words}_{digest}"


def _family(case: Case) -> str:
    kind = quantity_kinds().get(str(case.facts.get("quantity")))
    return "" if kind is None else kind.family or kind.name


def conditions_of(cases: Sequence[Case]) -> Iterator[str]:
    """What the guilty artifact, and what was told to its tool, must be like."""
    units = ("unit",) if numbers.says_the_unit(cases) else ()
    for name in (one for one in cases[0].facts if one not in units):
        values = list(dict.fromkeys(case.facts.get(name) for case in cases))
        if any(not isinstance(value, _OF_VALUES) for value in values):
            continue  # not known of all
        if len(values) == 1:
            yield from _said(f"{name}(it) == {_literal(values[0])}")
        elif name in _KEPT:
            yield from _said(f"{name}(it) in [{', '.join(map(_literal, values))}]")
    yield from numbers.conditions(cases)
    for name in cases[0].arguments:
        values = list(dict.fromkeys(case.arguments.get(name) for case in cases))
        if len(values) == 1:
            yield from _said(f"{name} == {_literal(values[0])}")


def _said(condition: str) -> Iterator[str]:
    """A condition, where it is one: texts of files may hold what the language has no words for."""
    try:
        parse(condition)
    except KnowFlowError:
        return
    yield condition


def _literal(value: Any) -> str:
    return repr(value)


def _title(first: Case, cases: Sequence[Case]) -> str:
    of = " or ".join(dict.fromkeys(str(case.facts.get("quantity") or case.tool) for case in cases))
    return f"Learned: {CAUSES[first.cause].title}, of {of.replace('_', ' ')}"


def who(cases: Sequence[Case]) -> str:
    people, models = (any(case.by == by for case in cases) for by in ("person", "llm"))
    return "a person and a language model" if people and models else "a person" if people else "a language model"


def _because(cases: Sequence[Case]) -> str:
    runs = list(dict.fromkeys(case.run for case in cases))
    more = f" and {len(runs) - 1} more" if runs[1:] else ""
    return f"{who(cases)} mended the same failure of such data so in run {runs[0]}{more}, and it went on to the end"


def _deeds(first: Case) -> str:
    return "; ".join(_deed(action) for action in first.then)


def _deed(action: dict[str, Any]) -> str:
    ((kind, block),) = action.items()
    match kind:
        case "state_facts":
            return ", ".join(f"{name}={_shown(value)}" for name, value in block.items())
        case "insert_tool":
            return " ".join([block["tool"], *(f"{name}={_shown(value)}" for name, value in block["with"].items())])
        case "set_parameter":
            return f"{block['parameter']}={_shown(block['value'])}"
        case "replace_tool":
            return f"{block['tool']} in its place"
    return "left out"


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- the tests that a rule carries -----------------------------------------------------------------------------------


def _tests(cases: Sequence[Case], where: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What it was learned from must be answered; what differs from it in one thing that it asks for must not be."""
    first = cases[0]
    parameter = first.parameter
    facts = dict(first.facts)
    means = numbers.example(cases)
    if means is not None:
        facts["mean"] = means[0]
        facts |= {"std": first.spread[0]} if first.spread is not None else {}
    told = {"tool": first.tool, "found": first.found, "error": _example(first)}

    def test(name: str, changed: Mapping[str, Any], refused: bool = True) -> dict[str, Any]:
        described = {parameter: {**facts, **changed}} if parameter and facts else {}
        arguments = {**first.given, **first.arguments, **described}
        place = (parameter,) if parameter and not facts else ()
        return {"name": name, **told, "arguments": arguments, "place": place, "refused": refused}

    yield test("as in the run", {}, refused=False)
    if not (parameter and facts):
        return
    other = {"quantity": "elevation" if facts.get("quantity") != "elevation" else "ndvi", "dtype": "complex64"}
    for name in _KEPT:
        if any(text.startswith(f"{name}(it)") for text in where):
            yield test(f"another {name}", {name: other[name]})
    if means is not None:
        yield test("larger numbers", {"mean": means[1]})
    known = {"unit": "m", "quantity": "elevation"}
    for name in first.lacks:
        yield test(f"{name} is known", {name: known.get(name, 3.0)})


def _example(case: Case) -> str:
    """Words that the error pattern of a case finds."""
    return re.sub(r"\\(.)", r"\1", case.error.replace(r"\S*", "x"))
