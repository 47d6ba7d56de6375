"""A question that the planner refused, as a language model is asked about it: what is known, and who checks answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowflow.graph.check import WorkflowCheck
from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.goal import Period, QueryGoal, Slot, Threshold
from knowflow.model.literal import same
from knowflow.model.plan import Plan
from knowflow.model.template import Template
from knowflow.model.workflow import BandsOf, Given, SeriesOf, Value
from knowflow.reason.inventory import Inventory
from knowflow.reason.llm.failure_context import without_folders
from knowflow.reason.llm.quoting import abbreviated, shortened
from knowflow.reason.llm.spoken import is_among, readings
from knowflow.reason.llm.structured import problems_of
from knowflow.reason.slots import ESSENTIAL_SLOTS

_MOST_GROUPS = 24
_MOST_FILES = 6


@dataclass(frozen=True)
class Case:
    """A refused question. The callables are the ways that every question goes; each raises a :class:`KnowFlowError`.

    ``planned`` makes the checked plan of a goal, ``words`` being the question as retrieval is to read it; ``made_from``
    that of one template; ``checked`` checks a plan. ``nearest`` are templates, the likeliest first; ``offered`` the
    tools that may be used beside those of templates; ``objects`` what can be looked for on images. With ``template``
    the user said which one to use: no other is adapted, and none composed.
    """

    goal: QueryGoal
    error: KnowFlowError
    catalogue: Catalogue
    inventory: Inventory
    planned: Callable[[QueryGoal, str], Plan]
    made_from: Callable[[Template, QueryGoal], Plan]
    checked: Callable[[Plan], WorkflowCheck]
    nearest: Callable[[QueryGoal], Sequence[Template]]
    offered: Sequence[str] = ()
    objects: Sequence[str] = ()
    template: str = ""


def told_question(case: Case, goal: QueryGoal) -> dict[str, Any]:
    """The question, what was understood of it from which words, and why it was refused."""
    slots = {name: {"value": slot.value, "words": slot.words} for name, slot in goal.slots.items()}
    defaults = [name for name, slot in goal.slots.items() if slot.default]
    reasons = [shortened(str(one), 300) for one in (case.error.message, *problems_of(case.error))]
    return {
        "question": shortened(goal.text, 2000),
        "understood": {name: abbreviated(_plain(slot)) for name, slot in slots.items()},
        "taken_for_granted": defaults,
        "not_understood": list(goal.leftover),
        "refused_because": without_folders(reasons),
    }


def told_data(inventory: Inventory) -> list[dict[str, Any]]:
    """What the data hold, in groups: quantity, bands, dates, and the names of some files."""
    rows = []
    for group in inventory.groups[:_MOST_GROUPS]:
        row: dict[str, Any] = {"type": group.type, "quantity": group.quantity or "unknown", "layers": len(group.layers)}
        row |= {"bands": list(group.bands)} if group.bands else {}
        row |= {"dates": f"{group.dates[0][:10]} to {group.dates[-1][:10]}"} if group.dates else {}
        row["files"] = [shortened(name.rpartition("/")[2]) for name in group.files[:_MOST_FILES]]
        rows.append(row)
    return rows


def _plain(value: Any) -> Any:
    match value:
        case Threshold():
            parts = {"side": value.side, "value": value.value, "upper": value.upper, "unit": value.unit}
            return {name: part for name, part in parts.items() if part is not None}
        case Period():
            return f"{value.start}/{value.end}"
        case Mapping():
            return {name: _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
    return value


def require_kept(
    goal: QueryGoal, plan: Plan, check: WorkflowCheck, taken: Collection[str] = (), about: Collection[str] = ()
) -> None:
    """Refuse a plan in which something that the question says plays no part: its quantity, its limits, its groups.

    ``taken`` are slots that a template of the plan has parameters for, ``about`` what the template is about.

    Raises:
        PlanningError: with everything that was left out.
    """
    problems = Problems()
    literals = tuple(_literals(plan))
    said = {name: slot for name in ("quantity", "feature", "class") if (slot := goal.slots.get(name)) and slot.words}
    subject = goal.slots.get("quantity")
    covered = any(slot.value in about for slot in said.values())
    if said and subject is not None and not covered and not _is_about(str(subject.value), plan, check, literals):
        problems.add(_left_out("quantity", next(iter(said.values()))))
    for name in sorted(ESSENTIAL_SLOTS & goal.slots.keys()):
        slot = goal.slots[name]
        if not slot.default and name not in taken and not _stands(slot.value, goal, literals):
            problems.add(_left_out(name, slot))
    if problems.errors:
        raise PlanningError("the plan leaves out what the question says", problems=problems.errors)


def _left_out(name: str, slot: Slot) -> Problem:
    return Problem(
        "left_out", f"the {name} that the question says", f"nothing of {slot.words or slot.value!r}", where=name
    )


def _is_about(quantity: str, plan: Plan, check: WorkflowCheck, literals: Iterable[Any]) -> bool:
    """Whether a quantity is an argument, read, or made anywhere in a plan."""
    if any(isinstance(one, str) and one.casefold() == quantity.casefold() for one in literals):
        return True
    made = (artifact for node in check.nodes.values() for artifact in node.outputs.values())
    for artifact in (*plan.inputs.values(), *made):
        if any(str(leaf.fact("quantity")).casefold() == quantity.casefold() for leaf in (artifact, *artifact.leaves())):
            return True
    return False


def _stands(value: Any, goal: QueryGoal, literals: Sequence[Any]) -> bool:
    """Whether a value of a slot is an argument of the plan; a limit may be so in another unit."""
    if isinstance(value, Threshold):
        ends = [one for one in (value.value, value.upper) if one is not None]
        numbers = [float(one) for one in literals if isinstance(one, (int, float)) and not isinstance(one, bool)]
        return all(any(is_among(number, readings(end, value.unit, goal)) for number in numbers) for end in ends)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return any(same(float(value), one) for one in literals if isinstance(one, (int, float)))
    return isinstance(value, str) and value in literals


def _literals(plan: Plan) -> Iterator[Any]:
    """Every plain value that stands in the arguments of a plan."""
    for node in plan.workflow.nodes:
        for value in node.args.values():
            yield from literals_in(value)


def literals_in(value: Value) -> Iterator[Any]:
    """The plain values in an argument; those of lists one by one."""
    match value:
        case Given(value=tuple() | list() as items):
            yield from items
        case Given(value=literal):
            yield literal
        case SeriesOf(items=items):
            for item in items:
                yield from literals_in(item)
        case BandsOf(members=members):
            for member in members.values():
                yield from literals_in(member)
