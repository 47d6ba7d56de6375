"""Planning: from a goal and data to a checked plan, by the best template that the data allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from knowflow.ground.errors import KnowFlowError, PlanningError, UnknownNameError
from knowflow.ground.quantities import quantity_kind
from knowflow.ground.units import compatible, in_a_sentence
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal, Threshold
from knowflow.model.plan import Assumption, Decision, Plan
from knowflow.model.template import Template
from knowflow.model.workflow import Given, Workflow
from knowflow.reason.achievers import Achievers
from knowflow.reason.applicability import reason_of
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.expression_planner import assumed_facts, once
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.left_out import left_out
from knowflow.reason.named_bands import band_taken
from knowflow.reason.proposing import Proposal, operations_of, proposals
from knowflow.reason.refusal import nothing_fits, nothing_proposed
from knowflow.reason.scope import titled
from knowflow.reason.slots import Filled, asked_period, fill, refuse_foreign_unit, refuse_without_base

MAX_ATTEMPTS = 40  # most are refused at once: a parameter that is open, or another use than theirs


class Planner:
    """Makes plans over one catalogue. Stateless between plans."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._achievers = Achievers(catalogue.tools)

    def plan(
        self,
        goal: QueryGoal,
        data: DataSource,
        preferred: Mapping[str, float],
    ) -> Plan:
        """The plan of the best proposal that the data allow; ``preferred`` adds to the scores of templates, by name.

        Raises:
            NotUnderstoodError: no template answers such a question.
            PlanningError: templates answer it, but none fits the data; every reason is listed.
        """
        refuse_foreign_unit(goal)
        proposed = proposals(self._catalogue.templates.values(), goal, preferred)
        if not proposed:
            raise nothing_proposed(goal)
        rejected: list[tuple[Proposal, KnowFlowError]] = []
        for proposal in proposed[:MAX_ATTEMPTS]:
            try:
                plan = self._instantiated(proposal.template, goal, data)
            except (PlanningError, UnknownNameError) as error:
                rejected.append((proposal, error))
                continue
            passed = tuple((p.template.template, str(reason_of(error))) for p, error in rejected)
            choice = Decision("template", proposal.template.template, proposal.because, passed)
            return replace(plan, decisions=(choice, *plan.decisions))
        raise nothing_fits(goal, rejected, data.summary())

    def _instantiated(self, template: Template, goal: QueryGoal, data: DataSource) -> Plan:
        """The plan of one template.

        Raises:
            PlanningError: a parameter is open, or the data do not fit.
        """
        filled: Filled = fill(template, goal)
        refuse_without_base(template, goal, filled)
        builder = Builder(self._catalogue.tools, self._achievers)
        work = Instantiation(self._catalogue, data, builder)
        # a template that has a parameter for the period says itself which of its steps it goes for
        period = None if "period" in filled.used else asked_period(goal)
        results = work.template(template, filled.parameters, {}, period=period)
        outputs = {name: bound.value for name, bound in results.outputs.items() if bound is not None}
        if not outputs:
            raise PlanningError(f"{template.title}: nothing is left to answer with", where=template.template)
        _refuse_other_unit(results.outputs, goal, template)
        _refuse_other_algorithm(template, goal, filled, work.decisions, builder.workflow, self._catalogue)
        inputs = builder.inputs
        return Plan(
            query=goal.text,
            template=template.template,
            title=_heading(template, filled.parameters) + _of_band(goal, inputs),
            workflow=builder.workflow,
            inputs=inputs,
            parameters={name: bound.known for name, bound in filled.parameters.items()},
            outputs=outputs,
            answer=_answer(outputs, goal),
            unit=str(goal.value("unit") or ""),
            quality=tuple(work.quality),
            assumptions=once(
                (
                    *_assumed_operation(goal),
                    *_assumed_period(goal),
                    *_assumed_ground(goal),
                    *left_out(goal, filled, template, builder.workflow, inputs),
                    *filled.assumptions,
                    *work.assumptions,
                    *assumed_facts(inputs),
                )
            ),
            decisions=tuple(work.decisions),
            understood={name: {"value": _plain(slot.value), "words": slot.words} for name, slot in goal.slots.items()},
        )


def _refuse_other_unit(outputs: Mapping[str, Bound | None], goal: QueryGoal, template: Template) -> None:
    """Refuse a template none of whose numbers can be told in the unit that the question asks for."""
    asked = str(goal.value("unit") or "")
    known = [bound.known for bound in outputs.values() if bound is not None and isinstance(bound.known, Artifact)]
    numbers = [artifact for artifact in known if artifact.type in ("scalar", "list", "table")]
    units = {str(unit) for artifact in numbers if (unit := artifact.fact("unit")) is not None}
    fitting = (asked, f"{asked} year-1", f"{asked} decade-1")
    if not asked or asked == "degree" or not units or (asked == "%" and any(one.type == "table" for one in numbers)):
        return  # degrees may be Celsius; tables have shares beside areas
    if not any(compatible(unit, one) for unit in units for one in fitting):
        raise PlanningError(
            f"{template.title}: the answer cannot be told in {asked}",
            where=template.template,
            expected=f"a unit of what is found, such as {sorted(units)[0]}",
            found=goal.slots["unit"].words or asked,
            hint="ask for another unit, or leave it out to get the usual one",
        )


def _refuse_other_algorithm(
    template: Template,
    goal: QueryGoal,
    filled: Filled,
    decisions: Sequence[Decision],
    workflow: Workflow,
    catalogue: Catalogue,
) -> None:
    """Refuse a plan that retrieves a quantity by another algorithm than the question names."""
    slot = goal.slots.get("algorithm")
    if slot is None or slot.default or "algorithm" in filled.used or slot.value not in lexicon().retrieved:
        return
    chosen = [template, *(catalogue.templates[one.chosen] for one in decisions if one.chosen in catalogue.templates)]
    names = {name for one in chosen for name in (one.template, *one.keywords)} | {n.tool for n in workflow.nodes}
    if not any(str(slot.value) in name for name in names):
        raise PlanningError(
            f"{template.title}: no step of it works by {slot.words}",
            where=template.template,
            expected=f"a method or a tool for {str(slot.value).replace('_', ' ')}, and its data",
            found=", ".join(sorted({node.tool for node in workflow.nodes})),
            hint="leave the algorithm out, and the plan tells which one it takes",
        )


def _heading(template: Template, given: Mapping[str, Bound]) -> str:
    """What the plan is called: the template's heading, with the values that its parameters have here."""
    defaults = {n: Bound(Given(p.default), p.default) for n, p in template.parameters.items() if p.default is not None}
    return titled(template.heading or template.title, {**defaults, **given})


def _of_band(goal: QueryGoal, inputs: Mapping[str, Artifact]) -> str:
    """``(blue band)`` of a title, where every band has a value of its own and one is taken."""
    taken = band_taken(goal.value("quantity"), inputs.values())
    return "" if taken is None else f" ({taken} band)"


def _told(limit: Threshold) -> str:
    upper = "" if limit.upper is None else f" and {limit.upper:g}"
    unit = "" if limit.unit in (None, "1") else f" {in_a_sentence(str(limit.unit))}"
    return f"{limit.side} {limit.value:g}{upper}{unit}"


def _answer(outputs: Mapping[str, Any], goal: QueryGoal) -> str:
    """The output that the query asks for: the one named after its first operation that has one, else ``answer``."""
    asked = [*operations_of(goal), "answer", *outputs]
    numbers = (name for name in asked if name in outputs and name not in ("map", "mask"))  # a map shows the answer
    return next(numbers, next(iter(outputs)))


def _assumed_operation(goal: QueryGoal) -> Iterable[Assumption]:
    said, taken = tuple(goal.value("operations") or ()), operations_of(goal)
    if not said and taken:
        yield Assumption("what is asked", " and ".join(taken), "default", "the question names no operation")
    elif said[:1] == ("change",) and taken[0] == "trend":
        yield Assumption("what is asked", "trend", "default", "the question names no two dates or periods to compare")


def _assumed_period(goal: QueryGoal) -> Iterable[Assumption]:
    """That the period is read otherwise than it is told."""
    slot = goal.slots.get("period")
    if slot is not None and slot.default and isinstance(slot.value, Period) and "comparison" not in goal.slots:
        yield Assumption("period", f"{slot.value.start} to {slot.value.end}", "default", slot.note)


def _assumed_ground(goal: QueryGoal) -> Iterable[Assumption]:
    """The usual limit of a kind of ground that a quantity is wanted of: the last condition, where it has a note."""
    slot = goal.slots.get("conditions")
    if slot is not None and slot.note:
        quantity, limit = slot.value[-1]
        where = f"where {quantity_kind(quantity).title.lower()} is {_told(limit)}"
        yield Assumption(slot.words.split(", ")[-1], where, "default", slot.note)


def _plain(value: Any) -> Any:
    """Slot values as plain data for the plan's record."""
    from dataclasses import asdict, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
