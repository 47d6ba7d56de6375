"""Planning: from a goal and data to a checked plan, by the best template that the data allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError, PlanningError, UnknownNameError
from knowflow.ground.report import Problem
from knowflow.ground.units import compatible
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal, Threshold
from knowflow.model.plan import Assumption, Decision, Plan
from knowflow.model.template import Template
from knowflow.model.workflow import Given, Workflow
from knowflow.reason.achievers import Achievers
from knowflow.reason.applicability import NotApplicableError, OpenParameterError, reason_of
from knowflow.reason.area import Area
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.goal_with_data import is_of_event
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.language.subjects import OUTER
from knowflow.reason.scope import titled
from knowflow.reason.slots import ESSENTIAL_SLOTS, Filled, asked_period, fill, refuse_foreign_unit, slot_of, unit_of

_ABOUT_AS_GOOD = 0.6  # of the score: templates that near to the best one are about the same question
MAX_ATTEMPTS = 40  # most are refused at once: a parameter that is open, or another use than theirs
# operations on numbers or images that are made first: what does not carry them out answers another question
MADE_OF_RESULTS = OUTER | {"composite", "count", "extreme_place", "largest_patches"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A template that may answer, with its score and the terms of the score in words."""

    template: Template
    score: float
    because: str


class Planner:
    """Makes plans over one catalogue. Stateless between plans."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._achievers = Achievers(catalogue.tools)

    def plan(
        self,
        goal: QueryGoal,
        data: DataSource,
        retrieved: Mapping[str, float],
        given: Mapping[str, Any],
        area: Area | None = None,
    ) -> Plan:
        """The plan of the best proposal that the data allow.

        ``retrieved`` scores templates by name; ``given`` are ``--set`` values.

        Raises:
            NotUnderstoodError: no template answers such a question.
            PlanningError: templates answer it, but none fits the data; every reason is listed.
        """
        refuse_foreign_unit(goal)
        proposals = self.proposals(goal, retrieved)
        if not proposals:
            raise NotUnderstoodError(
                "no template answers this question",
                expected="a quantity and what to do with it (share, area, mean, trend, change, map...)",
                found=_shown(goal),
                hint="`knowflow templates search WORDS` shows what can be asked",
            )
        rejected: list[tuple[Proposal, KnowFlowError]] = []
        for proposal in proposals[:MAX_ATTEMPTS]:
            try:
                plan = self.instantiate(proposal.template, goal, data, given, area)
            except (PlanningError, UnknownNameError) as error:
                rejected.append((proposal, error))
                continue
            passed = tuple((p.template.template, reason_of(error)) for p, error in rejected)
            choice = Decision("template", proposal.template.template, proposal.because, passed)
            return replace(plan, decisions=(choice, *plan.decisions))
        raise _nothing_fits(rejected, data)

    def proposals(self, goal: QueryGoal, retrieved: Mapping[str, float]) -> list[Proposal]:
        """The templates that could answer, best first, by retrieval and the operations they cover.

        A template that has no parameter for an essential slot of the goal answers another question.
        """
        wanted = operations_of(goal)
        found = []
        for template in self._catalogue.templates.values():
            if template.method_of is not None or not template.answers or not _about(template, goal):
                continue
            covered = [operation for operation in wanted if operation in template.answers]
            if not covered or _asks_for_other(template, goal) or _leaves_out_class(template, goal):
                continue
            if _answers_less(template, goal, wanted, covered) or _gives_no_area(template, goal):
                continue
            slots = {slot_of(name, p).partition(".")[0] for name, p in template.parameters.items()}
            if any(
                slot not in slots for slot in ESSENTIAL_SLOTS if slot in goal.slots and not goal.slots[slot].default
            ):
                continue
            score = retrieved.get(template.template, 0.0) + 0.1 * bool(template.about) + template.preference
            score += 0.5 * len(covered) / len(wanted) + (0.3 if covered[0] == wanted[0] else 0.0)
            score += 0.5 * _works_as_asked(template, goal)
            score -= 0.02 * len(set(template.answers) - set(wanted))
            because = f"answers {', '.join(covered)}; score {score:.2f}"
            found.append(Proposal(template, score, because))
        return sorted(found, key=lambda proposal: (-proposal.score, proposal.template.template))

    def instantiate(
        self,
        template: Template,
        goal: QueryGoal,
        data: DataSource,
        given: Mapping[str, Any],
        area: Area | None = None,
    ) -> Plan:
        """The plan of one template.

        Raises:
            PlanningError: a parameter is open, or the data do not fit.
        """
        unknown = [name for name in given if name not in template.parameters]
        if unknown:
            raise PlanningError(
                f"{template.template} has no parameter {unknown[0]!r}",
                expected=f"one of {', '.join(template.parameters)}",
                found=f"--set {unknown[0]}=...",
            )
        filled: Filled = fill(template, goal, given)
        builder = Builder(self._catalogue.tools, self._achievers)
        work = Instantiation(self._catalogue, data, builder, area)
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
            title=_heading(template, filled.parameters, goal),
            workflow=builder.workflow,
            inputs=inputs,
            parameters={
                **{name: bound.known for name, bound in filled.parameters.items()},
            },
            outputs=outputs,
            answer=_answer(outputs, goal),
            unit=str(goal.value("unit") or ""),
            quality=tuple(work.quality),
            assumptions=_once(
                (
                    *_assumed_operation(goal),
                    *_left_out(goal, filled),
                    *filled.assumptions,
                    *work.assumptions,
                    *_assumed_facts(inputs),
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
            found=asked,
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


def _heading(template: Template, given: Mapping[str, Bound], goal: QueryGoal) -> str:
    """What the plan is called: the template's heading, with the values that its parameters have here."""
    defaults = {n: Bound(Given(p.default), p.default) for n, p in template.parameters.items() if p.default is not None}
    known = {**defaults, **given}
    return titled(template.heading or template.title, {**known, **_limits(template, known, goal)})


def _limits(template: Template, known: Mapping[str, Bound], goal: QueryGoal) -> dict[str, Bound]:
    """``$limits`` of a heading: ``above 15 degree``, ``between 300 and 310 K``; as the question has them."""
    said = goal.value("threshold")
    if isinstance(said, Threshold) and said.unit is not None and "threshold" in known:
        upper_said = f" and {said.upper:g}" if said.upper is not None else ""
        text = f"{said.side} {said.value:g}{upper_said} {said.unit}"
        return {"limits": Bound(Given(text), text)}
    if not {"threshold", "side"} <= known.keys():
        return {}
    unit = unit_of(template.parameters["threshold"], known) or "1"
    upper = known.get("upper")
    text = f"{known['side'].known} {known['threshold'].known:g}{f' and {upper.known:g}' if upper is not None else ''}"
    text += f" {unit}" if unit != "1" else ""
    return {"limits": Bound(Given(text), text)}


def _answer(outputs: Mapping[str, Any], goal: QueryGoal) -> str:
    """The output that the query asks for: the one named after its first operation that has one, else ``answer``."""
    asked = [*operations_of(goal), "answer", *outputs]
    numbers = (name for name in asked if name in outputs and name not in ("map", "mask"))  # a map shows the answer
    return next(numbers, next(iter(outputs)))


def _leaves_out_class(template: Template, goal: QueryGoal) -> bool:
    """The question is about one class of ground, which neither its quantity stands for nor the template asks for."""
    wanted = goal.slots.get("class")
    if wanted is None or goal.value("feature") is not None or goal.value("group_by") == "class":
        return False
    if "drop" in goal.slots:  # "forest was cleared", "laid bare": what the decrease stands for
        return False
    takes = {slot_of(name, parameter) for name, parameter in template.parameters.items()}
    return "class" not in takes and wanted.value not in template.about


def _answers_less(template: Template, goal: QueryGoal, wanted: Sequence[str], covered: Sequence[str]) -> bool:
    """The question asks for what is made of numbers or images (a trend, a date, a correlation), for statistics of a
    quantity or for what an event left, and the template gives something else of that kind."""
    if wanted[0] in MADE_OF_RESULTS and wanted[0] not in covered:
        return True
    if "largest_patches" in wanted and "largest_patches" not in covered:
        return True
    if "largest_patches" in template.answers and not {"largest_patches", "count"} & {*wanted}:
        return True
    takes = {slot_of(name, parameter) for name, parameter in template.parameters.items()}
    quantity, about = goal.slots.get("quantity"), set(template.about)
    if quantity is not None and not quantity.default and about and "quantity" not in takes:
        named = {goal.value(slot) for slot in ("quantity", "feature", "class", "index")}
        if not named & about:
            return True
    feature, place = goal.slots.get("feature"), goal.slots.get("class")
    elsewhere = feature is not None and place is not None and feature.words != place.words
    if elsewhere and goal.value("class") in about and not {goal.value("quantity"), goal.value("feature")} & about:
        return True  # "snow temperature" is no question about snow
    extent = bool({"area", "share", "map", "mask", "count"} & {*wanted[:1]})
    return extent and is_of_event(goal) and not {goal.value("feature"), goal.value("quantity")} & about


def _gives_no_area(template: Template, goal: QueryGoal) -> bool:
    """The question wants hectares or square kilometres, and the template has no unit of area to tell anything in."""
    unit = goal.value("unit")
    if unit is None or not compatible(str(unit), "m2"):
        return False
    return not any(p.type == "unit" and p.unit == "m2" for p in template.parameters.values())


def _asks_for_other(template: Template, goal: QueryGoal) -> bool:
    """An essential slot holds what the template's parameter for it cannot take."""
    for name, parameter in template.parameters.items():
        slot = slot_of(name, parameter)
        value = goal.value(slot) if slot in ESSENTIAL_SLOTS else None
        if value is not None and parameter.choices and value not in parameter.choices:
            return True
    return False


def operations_of(goal: QueryGoal) -> tuple[str, ...]:
    """What is asked of the quantity, main operation first; where nothing is said, what the other slots suggest."""
    said = tuple(goal.value("operations") or ())
    if said[:1] == ("change",) and goal.value("comparison") is None and _names_quantity(goal):
        return ("trend", *said)  # without two dates to compare, over all of them
    if goal.value("group_by") == "class_in_zone":
        return said or ("area",)
    if goal.value("group_by") == "zone" and said[:1] and said[0] in ("share", "area", "count"):
        return (*said, "zonal")  # what of each polygon is so, not what a statistic of it is
    if goal.value("group_by") in ("class", "zone") and not {"zonal", "extreme_place"} & {*said}:
        return ("zonal", *said)
    if goal.value("group_by") == "scene" and "time_series" not in said:
        return ("time_series", *said)
    if said or goal.value("quantity") is None:
        return said
    compared = goal.slots.get("comparison")
    if compared is not None and not compared.default:
        return ("difference",)
    if goal.value("threshold") is not None:
        unit = goal.value("unit")
        return ("area", "share") if unit is not None and compatible(str(unit), "m2") else ("share", "area")
    return ("map", "describe")


def _names_quantity(goal: QueryGoal) -> bool:
    """Whether the question is about a quantity itself, not about a thing that stands for one."""
    return goal.value("quantity") is not None and goal.value("threshold") is None


def _assumed_operation(goal: QueryGoal) -> Iterable[Assumption]:
    said, taken = tuple(goal.value("operations") or ()), operations_of(goal)
    if not said and taken:
        yield Assumption("what is asked", " and ".join(taken), "default", "the question names no operation")
    elif said[:1] == ("change",) and taken[0] == "trend":
        yield Assumption("what is asked", "trend", "default", "the question names no two dates or periods to compare")


def _left_out(goal: QueryGoal, filled: Filled) -> Iterable[Assumption]:
    """What was understood of the question and plays no part in the plan."""
    for name in ("algorithm", "sensor", "bands", "region", *(("class",) if "drop" in goal.slots else ())):
        slot = goal.slots.get(name)
        if slot is not None and not slot.default and name not in filled.used:
            said = slot.words or str(slot.value)
            yield Assumption(name, said, "left out", "no step of the plan depends on it")


def _works_as_asked(template: Template, goal: QueryGoal) -> bool:
    """Whether the question names how it is to be done, and the template does it so."""
    named = goal.value("algorithm")
    choices = (p.choices for name, p in template.parameters.items() if slot_of(name, p) == "algorithm")
    return named is not None and any(named in allowed for allowed in choices)


def _about(template: Template, goal: QueryGoal) -> bool:
    if not template.about:
        return True
    subjects = {goal.value(slot) for slot in ("quantity", "feature", "class", "index", "group_by")}
    subjects |= set(goal.value("quantities") or ())
    return bool(subjects & set(template.about))


def _nothing_fits(rejected: list[tuple[Proposal, KnowFlowError]], data: DataSource) -> PlanningError:
    best = max(proposal.score for proposal, _ in rejected)

    def tells_less(pair: tuple[Proposal, KnowFlowError]) -> tuple[bool, bool]:
        """What a template meant for others, then one that wants a parameter nobody spoke of, says about the data: less
        than one that was tried on them, unless that one is about something else."""
        proposal, error = pair
        beside = proposal.score < best - _ABOUT_AS_GOOD
        return isinstance(error, NotApplicableError), beside or isinstance(error, OpenParameterError)

    rejected = sorted(rejected, key=tells_less)
    first, title = rejected[0][1], rejected[0][0].template.title
    problems = [
        Problem("template_rejected", error.expected or "data that fit", reason_of(error), where=p.template.template)
        for p, error in rejected[1:4]
    ]
    return PlanningError(
        first.message if title in first.message else f"{title}: {first.message}",
        where=first.where,
        expected=first.expected,
        found=first.found or data.summary(),
        hint=first.hint or "`knowflow plan ... --explain` shows what was understood; --assume states missing facts",
        problems=(*first.problems, *problems),
    )


def _assumed_facts(inputs: Mapping[str, Any]) -> Iterable[Assumption]:
    """Facts of the inputs that the user stated rather than the files."""
    for name, artifact in inputs.items():
        for leaf in artifact.leaves():
            for fact_name, fact in leaf.facts.items():
                if fact.origin.label in ("user", "assumed") and fact_name not in ("grid", "bounds", "transform"):
                    yield Assumption(f"{fact_name} of {name}", fact.value, fact.origin.label, fact.source)


def _once(assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
    kept: list[Assumption] = []
    for assumption in assumptions:
        if assumption not in kept:
            kept.append(assumption)
    return tuple(kept)


def _shown(goal: QueryGoal) -> str:
    words = [f"{name}: {slot.value}" for name, slot in goal.slots.items() if slot.value]
    return ", ".join(words) or repr(goal.text)


def _plain(value: Any) -> Any:
    """Slot values as plain data for the plan's record."""
    from dataclasses import asdict, is_dataclass

    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
