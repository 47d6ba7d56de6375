"""A question as an expression: read from its words with the names that the data bring, its plan told as a person asks.

A sentence is taken where every word of it is in the expression and one reading alone can be carried out on these data;
else nothing is taken here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import repeat
from typing import TYPE_CHECKING

from knowflow.graph.check import WorkflowCheck
from knowflow.ground.errors import NotUnderstoodError, PlanningError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.units import change_unit, compatible
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal, Slot
from knowflow.model.plan import Assumption, Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, Given, Node, SeriesOf, Value, Workflow, references
from knowflow.question.check import type_of
from knowflow.question.operators import (
    Calculate,
    During,
    Expression,
    Over,
    Quantity,
    Several,
    Show,
    Split,
    Within,
    walk,
)
from knowflow.question.reading.asking import question_of
from knowflow.question.times import Times
from knowflow.question.types import AREA, SHARE
from knowflow.question.words import in_words
from knowflow.reason.compiling.delivery import in_percent
from knowflow.reason.inventory import Inventory

if TYPE_CHECKING:
    from knowflow.question.reading.readings import Reading


_LAST_LAYER = 3
_AREA_A_YEAR = "ha year-1"  # in which changes of areas are told


def unit_of(expression: Expression, asked: str | None) -> str:
    """The unit in which an answer is told: the one that is asked for, of areas km2, of those of parts hectares."""
    own = type_of(expression)
    if asked or own is None or own.of != "number":
        change = own is not None and own.measure.change
        return change_unit(asked) if asked and change else asked or ""
    if own.measure.unit == AREA.unit:
        return "ha" if own.keys else "km2"
    if compatible(own.measure.unit, _AREA_A_YEAR):
        return _AREA_A_YEAR
    if in_percent(expression, own):
        return own.measure.unit
    return "1" if own.measure.unit == SHARE.unit else ""  # the share itself; who asks for percent gets these


def misfit(reading: Reading) -> PlanningError:
    """Why a question that is read does not fit together."""
    return PlanningError("the question does not fit together", found=reading.unfit, hint="ask for another statistic")


def several_readings(expressions: Sequence[Expression]) -> NotUnderstoodError:
    """Asking back which of several readings is meant, each in plain words to paste."""
    words = tuple(question_of(one) or in_words(one) for one in expressions)
    error = NotUnderstoodError(
        "the question can be read in more than one way",
        expected="one of these",
        found="; or ".join(in_words(one) for one in expressions),
        hint="ask one of the questions below",
    )
    error.instead = words
    return error


def read_so(plan: Plan, taken: Expression, candidates: Collection[Expression]) -> Plan:
    """The plan with the readings told that were as likely, and cannot be carried out on these data."""
    others = "; ".join(in_words(other) for other in candidates if other != taken)
    if not others:
        return plan
    told = Assumption("what is asked", in_words(taken), "default", f"these data do not answer {others}")
    return replace(plan, assumptions=(*plan.assumptions, told))


def as_said(plan: Plan, reading: Reading) -> Plan:
    """The plan with the words told that are taken for the whole of the data, those that the question explains or that
    are put aside, and what it changes of the one before."""
    whole = (
        Assumption(one, "the whole of the data", "default", "nothing in the data is called so") for one in reading.whole
    )
    meant = (
        Assumption(one, "what the question says it is", "user", "it is explained there") for one in reading.explained
    )
    aside = (Assumption(one, "put aside", "default", "it asks for nothing") for one in reading.aside)
    change = (Assumption(one, True, "user", "a change of the question before") for one in (reading.change,) if one)
    return replace(plan, assumptions=(*plan.assumptions, *whole, *meant, *aside, *change))


def told_in(plan: Plan, expression: Expression, reading: Reading) -> Plan:
    """The plan with its answer in the unit that is asked for, or the usual one: a table is made in it, a number is
    delivered in it; so with each part of a question.

    Raises:
        PlanningError: a part cannot be told in the unit that it asks for.
    """
    if isinstance(expression, Show):
        return _shown_in(plan, expression, reading.unit)
    if not isinstance(expression, Several):
        unit = unit_of(expression, reading.unit or _as_stored(plan, expression))
        return replace(_made_in(plan, plan.answer, unit), unit=unit)
    for (name, part), asked in zip(expression.named, reading.units or repeat(None), strict=False):
        told = _made_in(plan, name, unit := unit_of(part, asked or _as_stored(plan, part)))
        if asked and name in plan.outputs and not _is_told_in(told, name, unit):
            raise PlanningError("a part is told in its own unit", where=name, expected=asked, hint="ask for it alone")
        plan = told
    return plan


_ALIKE = ("mean", "median", "minimum", "maximum", "percentile", "range", "deviation", "first", "last")
"""Statistics that are told as the numbers that they are of."""


def _as_stored(plan: Plan, expression: Expression) -> str | None:
    """Per cent, where a quantity between 0 and 1 is stored in it in all files, and what is asked is told as it is: the
    mean of a vegetation health index."""
    kinds = set(_told_alike(expression))
    kind = quantity_kinds().get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None or (kind.unit, kind.range) != ("1", (0, 1)):
        return None
    given = [one for item in plan.inputs.values() for one in (item, *item.items)]
    units = {str(one.fact("unit")) for one in given if one.fact("quantity") == kind.name and "unit" in one.facts}
    return "%" if units == {"%"} else None


def _told_alike(x: Expression) -> Iterator[str]:
    """The quantities that numbers are of; "" where they are told otherwise, as shares, ratios and correlations are."""
    match x:
        case Quantity():
            yield x.kind
        case During() | Within() | Split():
            yield from _told_alike(x.x)
        case Over() if x.statistic in _ALIKE:
            yield from _told_alike(x.x)
        case Calculate() if x.how == "difference" and x.b is not None:
            yield from (*_told_alike(x.a), *_told_alike(x.b))
        case _:
            yield ""


def _shown_in(plan: Plan, expression: Show, asked: str | None) -> Plan:
    """Maps are converted to the unit that is asked for; what else is shown is made in it.

    Raises:
        PlanningError: it is told in its own unit.
    """
    if asked is None:
        return plan
    unit, name = unit_of(expression.x, asked), str(plan.answer)
    if expression.as_ != "map":
        told = _made_in(plan, name, unit)
        if not _is_told_in(told, name, unit):
            raise PlanningError("what is shown is told in its own unit", where=name, expected=asked)
        return replace(told, unit=unit)
    outputs, added = dict(plan.outputs), []
    for name, value in plan.outputs.items():
        if name.startswith("map"):
            args = {"raster": value, "unit": Given(unit)}
            added.append(Node(f"{name}.told", "convert_unit", args, layer=_LAST_LAYER, title=f"in {unit}"))
            outputs[name] = FromNode(added[-1].id)
    return replace(plan, workflow=Workflow((*plan.workflow.nodes, *added)), outputs=outputs, unit=unit)


def _is_told_in(plan: Plan, name: str, unit: str) -> bool:
    """Whether what makes an output says that it tells it in a unit."""
    answer = plan.outputs[name]
    nodes = [node for node in plan.workflow.nodes if isinstance(answer, FromNode) and node.id == answer.node]
    return any(isinstance(told := node.args.get("unit"), Given) and told.value == unit for node in nodes)


def _made_in(plan: Plan, name: str, unit: str) -> Plan:
    """The plan with what makes one output telling it in a unit, where it tells one."""
    answer = plan.outputs.get(name)
    if not unit or not isinstance(answer, FromNode):
        return plan

    def tells(node: Node) -> bool:
        told = node.args.get("unit")
        return node.id == answer.node and isinstance(told, Given) and compatible(str(told.value), unit)

    def own(node: Node) -> Node:
        """In which unit numbers are taken, and what they come to where that measures the same."""
        if not tells(node):
            return node
        result = node.args.get("result_unit")
        both = isinstance(result, Given) and compatible(str(result.value), unit)
        units = ("unit", "result_unit") if both else ("unit",)
        return replace(node, args={**node.args, **dict.fromkeys(units, Given(unit))})

    if not any(map(tells, plan.workflow.nodes)):
        return plan  # and what was found out about its workflow stays
    return replace(plan, workflow=Workflow(tuple(map(own, plan.workflow.nodes))))


def goal_of(expression: Expression, question: str) -> QueryGoal:
    """What an expression asks about, for the choice of files and what is told of it: a quantity and its statistics."""
    parts = [part for _, part in walk(expression)]
    kinds = [part.kind for part in parts if isinstance(part, Quantity)]
    statistics = tuple(part.statistic for part in parts if isinstance(part, Over))
    slots = {"operations": Slot(statistics)} | ({"quantity": Slot(kinds[0])} if kinds else {})
    return QueryGoal(question, slots)


def meant(inventory: Inventory, expression: Expression) -> Inventory:
    """The data of the times that an expression tells, and those without a date; all where it tells none."""
    spans = [part.when for _, part in walk(expression) if isinstance(part, During) and isinstance(part.when, Times)]
    if not spans:
        return inventory
    kept = (item for item in inventory.artifacts if any(_may_be_of(item, when) for when in spans))
    return replace(inventory, artifacts=tuple(kept))


def without_normals(inventory: Inventory, expression: Expression) -> Inventory:
    """Where times are told, or periods, and there are files with dates, without those of the same quantity that are
    each of another span of time as a whole: of one year a normal of thirty says nothing."""
    by_periods = any(isinstance(part, Split) and isinstance(part.key, str) for _, part in walk(expression))
    told = [part.when for _, part in walk(expression) if isinstance(part, During) and isinstance(part.when, Times)]
    spans = {(str(when.first), str(when.last)) for when in told}
    dated = {item.fact("quantity") for item in inventory.rasters if item.fact("datetime") is not None}
    left: set[int] = set()
    for item in inventory.rasters:
        span = item.fact("span") if item.fact("datetime") is None and item.fact("quantity") in dated else None
        if span and (str(span[0])[:10], str(span[1])[:10]) not in spans:
            left.add(id(item))
    if not (told or by_periods) or not left:
        return inventory
    return replace(inventory, artifacts=tuple(item for item in inventory.artifacts if id(item) not in left))


def _may_be_of(item: Artifact, when: Times) -> bool:
    moment = item.fact("datetime")
    if moment is None:
        return True
    day = date.fromisoformat(str(moment)[:10])
    return when.holds(day, False) or when.holds(day, True)


def with_maps(plan: Plan, check: WorkflowCheck, tools: Mapping[str, ToolSchema]) -> Plan:
    """The plan with the maps that its answer was told from among its outputs: the one, or one of each date.

    The data themselves, however they were joined, cut or cleared, are none of these.
    """
    if any(name.startswith("map") for name in plan.outputs):
        return plan
    below = {node: (at, made) for value in plan.outputs.values() for node, at, made in _maps_below(value, plan, check)}
    below = {node: one for node, one in below.items() if tools[plan.workflow.node(node).tool].kit != "preprocessing"}
    dates = [str(raster.fact("datetime"))[:10] for _, raster in below.values()]
    if len(below) > 1 and ("None" in dates or len(set(dates)) < len(dates)):
        return plan
    values = tuple(value for value, _ in below.values())
    maps = values[0] if len(values) == 1 else SeriesOf(values)
    return replace(plan, outputs={**plan.outputs, "map": maps}) if values else plan


def _maps_below(value: Value, plan: Plan, check: WorkflowCheck) -> Iterator[tuple[str, Value, Artifact]]:
    """The nodes nearest to an answer that make a raster, and this."""
    for found in references(value):
        if not isinstance(found, FromNode) or found.node not in check.nodes:
            continue
        outputs: Mapping[str, Artifact] = check.nodes[found.node].outputs
        made = outputs.get(found.output) if found.output else next(iter(outputs.values()), None)
        if made is not None and made.type == "raster":
            yield found.node, found, made
        else:
            for given in plan.workflow.node(found.node).args.values():
                yield from _maps_below(given, plan, check)


def not_set(reading: Reading, given: Mapping[str, object]) -> Iterator[Problem]:
    """What cannot be set of a question, of that which it states itself, with what can."""
    from knowflow.question.literals import with_literals

    for one in reading.candidates() if given else ():
        try:
            with_literals(one, given)
        except PlanningError as error:
            yield Problem("not_set", error.expected or "", error.found or "", error.hint or "", "--set")
