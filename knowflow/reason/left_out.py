"""What a question asks besides, and no step of its plan answers: it is told with the plan, not passed over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal, Threshold
from knowflow.model.plan import Assumption
from knowflow.model.template import Template
from knowflow.model.workflow import Given, Workflow
from knowflow.reason.language.clauses import another_question
from knowflow.reason.language.nested import BESIDE, beside_each_other, statistics_named
from knowflow.reason.language.reckoned import reckoned
from knowflow.reason.named_bands import names_band_of
from knowflow.reason.regions import of_named_region
from knowflow.reason.slots import Filled

_NOT_NEEDED = "no step of the plan depends on it"
_BY_ITSELF = "the plan answers the rest; ask for it by itself"
_OF_THE_AREA = re.compile(
    r"\b(?:share|fraction|proportion|percentage|per\s?cent|part) of (?:the )?(?:area|land|ground|pixels|scene)\b",
    re.IGNORECASE,
)
_AND_WHEN = re.compile(
    r"\band\s+(?:when|on\s+(?:which|what)\s+(?:day|date))(?:\s+was\s+(?:it|that))?\s*\?", re.IGNORECASE
)
# the ground that a limit leaves: "where NDVI is above 0.5 and where it is below", "in the forest and elsewhere"
_THE_OTHER_GROUND = re.compile(
    r"\band\s+(?:(?:where|when)\s+(?:it|they)\s+(?:is|are|was|were)\s+(?:not|below|above|lower|higher|under|over|less|more)\b"
    r"|elsewhere\b|everywhere\s+else\b|(?:in|on|of|for|over)\s+the\s+(?:rest|remainder|remaining)\b)(?!\s+(?:than\s+)?[-+]?\.?\d)",
    re.IGNORECASE,
)
_OVER_TIME = frozenset({"change", "percent_change", "difference", "trend"})
# a table for each place has all statistics
_TABLES = frozenset({"zonal", "describe"})
_STATISTICS = frozenset({"mean", "median", "minimum", "maximum", "standard_deviation", "sum", "range"})
_OF_IT = re.compile(r"\s*(?:of\s+)?(?:(?:the|its)\s+)*", re.IGNORECASE)


def left_out(
    goal: QueryGoal, filled: Filled, template: Template, workflow: Workflow, inputs: Mapping[str, Artifact]
) -> Iterator[Assumption]:
    """What was understood of the question and plays no part in the plan."""
    for name in (
        "algorithm",
        "sensor",
        "bands",
        "region",
        "last_step",
        "part",
        *(("reduction",) if "reduction" in template.parameters else ()),  # another average than those that it can make
    ):
        slot = goal.slots.get(name)
        if slot is None or slot.default or name in filled.used or (name == "reduction" and not slot.words):
            continue
        if name == "region" and of_named_region(goal, inputs):
            continue
        if name != "bands" or not names_band_of(goal, inputs.values()):
            yield Assumption(name, slot.words or str(slot.value), "left out", _NOT_NEEDED)
    yield from _years_without_data(goal, inputs)
    yield from _other_limits(goal, filled)
    listed = _listed(goal)
    # what only limits the ground is no answer: "mean slope and mean elevation of the area above 400 m"
    limiting = {quantity for quantity, _ in goal.value("conditions") or ()}
    made = set(_made(filled, workflow)) - (listed & limiting)
    taken = {leaf.fact("quantity") for artifact in inputs.values() for leaf in artifact.leaves()} - listed
    for name in goal.value("quantities") or ():
        kind = quantity_kinds().get(name)
        if kind is not None and name != goal.value("quantity") and name not in made | taken:
            yield Assumption("quantity", kind.title, "left out", _BY_ITSELF)
    if _AND_WHEN.search(goal.text) and "extreme_date" not in (*template.answers, *(goal.value("operations") or ())):
        yield Assumption("what is asked", "when", "left out", _BY_ITSELF)
    if (other := _THE_OTHER_GROUND.search(goal.text)) and not _TABLES & {*template.answers}:
        yield Assumption("what is asked", other.group(), "left out", _BY_ITSELF)
    if word := reckoned(goal):
        yield Assumption("what is asked", word, "left out", "no step divides or multiplies what is found")
    given = _given(template, filled)
    besides = (name for name in (*beside_each_other(goal.text), *_operations(goal), *_part(goal)) if name not in given)
    for name in dict.fromkeys(besides):
        yield Assumption("what is asked", name.replace("_", " "), "left out", _BY_ITSELF)


def _other_limits(goal: QueryGoal, filled: Filled) -> Iterator[Assumption]:
    """Limits that are told beside the one that is answered for: "how many above 0.3 and how many above 0.6"."""
    threshold = goal.value("threshold")
    if isinstance(threshold, Threshold) and {"threshold", "limits"} & filled.used == {"threshold"}:
        for one in goal.value("limits") or ():
            if one.value != threshold.value:
                said = f"{one.side} {one.value:g}" + (f" {one.unit}" if one.unit else "")
                yield Assumption("limit", said, "left out", _BY_ITSELF)
    if "changed_too" in goal.slots and "changed_too" not in filled.used:
        yield Assumption("limit", f"a change of {goal.value('changed_too'):g}", "left out", _BY_ITSELF)


def _years_without_data(goal: QueryGoal, inputs: Mapping[str, Artifact]) -> Iterator[Assumption]:
    """Whole years at the ends of the period asked about that none of the data are of."""
    period = goal.value("period")
    days = [leaf.fact("datetime") for artifact in inputs.values() for leaf in artifact.leaves()]
    years = [int(str(day)[:4]) for day in days if day is not None]
    if not isinstance(period, Period) or "comparison" in goal.slots or not years:
        return
    yield from years_without_data(int(period.start[:4]), int(period.end[:4]), years)


def years_without_data(start: int, end: int, years: Sequence[int]) -> Iterator[Assumption]:
    """Whole years at the ends of a span that none of the data, which are of ``years``, are of; 1 and 9999 are open."""
    for first, last in ((start, min(years) - 1), (max(years) + 1, end)):
        if first <= last and first != 1 and last != 9999:  # an end that is open
            span = str(first) if first == last else f"{first} to {last}"
            yield Assumption("period", span, "left out", "no data are of that time")


def _made(filled: Filled, workflow: Workflow) -> Iterator[str]:
    """The quantities that a plan is about or makes, among other names: of its parameters, arguments and tools."""
    values: list[Any] = [bound.known for bound in filled.parameters.values()]
    values += [arg.value for node in workflow.nodes for arg in node.args.values() if isinstance(arg, Given)]
    yield from _names(values)
    yield from (node.tool for node in workflow.nodes)


def _listed(goal: QueryGoal) -> set[str]:
    """The quantities in one list with the main one, each asked for: "mean slope, aspect and elevation".

    That the main one is made of another is no answer to that.
    """
    slot = goal.slots.get("quantities")
    words = slot.words.split(", ") if slot is not None else []
    if slot is None or len(words) != len(slot.value):
        return set()
    statistics = {start: past for _, start, past in statistics_named(goal.text)}
    lists: list[set[str]] = [set()]
    past, text = 0, goal.text.lower()
    for name, said in zip(slot.value, words, strict=True):
        start = text.find(said.lower(), past)
        if start < 0:
            return set()
        if not _in_one_list(goal.text, past, start, statistics):
            lists.append(set())
        lists[-1].add(str(name))
        past = start + len(said)
    return next((one for one in lists if goal.value("quantity") in one), set())


def _in_one_list(text: str, past: int, start: int, statistics: Mapping[int, int]) -> bool:
    """Whether only "and", a comma or a statistic stands between two places: "slope and the mean elevation"."""
    beside = BESIDE.match(text, past, start)
    if beside is None:
        return False
    of_it = _OF_IT.match(text, statistics.get(beside.end(), beside.end()), start)
    return of_it is not None and of_it.end() == start


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _names(tuple(value.values()))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _names(one)


def _given(template: Template, filled: Filled) -> set[str]:
    """What a template answers: of the statistics it could give only the one that it is to, or both extremes."""
    parameter, chosen = template.parameters.get("statistic"), filled.parameters.get("statistic")
    answers = set(template.answers) | set(template.outputs)
    if _OVER_TIME & answers:
        answers |= _OVER_TIME
    if _TABLES & answers:
        answers |= _STATISTICS
    both = filled.parameters.get("both")
    if "extremes_of_means" in answers or (both is not None and both.known):
        return answers | {"maximum", "minimum"}
    if parameter is None:
        return answers
    return answers - set(map(str, parameter.choices or ())) | {str(chosen.known if chosen else parameter.default)}


def _operations(goal: QueryGoal) -> Iterable[str]:
    """Operations that are asked for in another clause than the main one."""
    slot = goal.slots.get("operations")
    words = slot.words.split(", ") if slot is not None else []
    if slot is None or len(words) != len(slot.value):
        return ()
    text = goal.text.lower()
    places = [text.find(one.lower()) for one in words]
    return [
        name
        for name, said, place in zip(slot.value[1:], words[1:], places[1:], strict=True)
        if min(place, places[0]) >= 0 and _parted(goal.text, (places[0], words[0]), (place, said))
    ]


def _part(goal: QueryGoal) -> Iterable[str]:
    """ "What share of the area lost NDVI": no change of NDVI is a share."""
    moved = {"change", "share"} <= {*(goal.value("operations") or ())}
    return ("share",) if moved and _OF_THE_AREA.search(goal.text) else ()


def _parted(text: str, one: tuple[int, str], other: tuple[int, str]) -> bool:
    (first, words), (start, _) = sorted((one, other))
    return another_question(text, first + len(words), start)
