"""The nearest templates as plans of the data at hand, and a language model's typed edits of one of them.

What it changes is checked like anybody's edits; numbers and texts that it sets stand in the question or in the plan,
and what the question says stays in the plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pydantic import Field

from knowflow.graph.edit import apply
from knowflow.graph.export import Group, folded, without_item
from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.ground.report import Problem, Problems
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, LeaveOut
from knowflow.model.plan import Assumption, Decision, Plan
from knowflow.model.template import Template
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import to_json
from knowflow.reason.llm.candidates import Words, alike, text_of
from knowflow.reason.llm.case import Case, literals_in, require_kept, told_data, told_question
from knowflow.reason.llm.conversation import Message
from knowflow.reason.llm.failure_context import tool_summary
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, abbreviated, fenced
from knowflow.reason.llm.repair_answer import InsertToolAnswer, RepairAnswer, edits_of, said
from knowflow.reason.llm.slot_answer import ORIGIN
from knowflow.reason.llm.spoken import is_among, numbers_allowed, plain
from knowflow.reason.slots import slot_of

_TASK = """\
You adapt a plan over Earth-observation data. No template answers the question as it stands; you are given the nearest
plans that can be made of the data, and tools. Answer with the `base` that you take and the smallest edits after which
it answers the question: put another tool in the place of one, insert a tool before a parameter, set a parameter.

What will be refused: nodes, inputs, tools and parameters that are not listed; names of files; other data than the plan
reads; numbers and texts that stand neither in the question nor in the plan; a plan in which something that the question
says plays no part; a broken condition (`needs`) of a tool. Where no plan can be adapted so that it answers the very
question, answer with no edits and say why in `because`.
"""
_MOST_TRIED = 16
_MOST_BASES = 4
_MOST_NODES = 24
_MOST_ALIKE = 3
_MOST_TOLD = 3
_MOST_NEAR = 8
# what a plan takes to be asked where the question does not say: here a model says it
ASKED = "what is asked"
# parameters whose texts are names that a check knows
_NAMES = ("quantity", "unit", "crs", "date")
_NOTHING_FAILED = Diagnosis("no_plan", "", "")


class AdaptationAnswer(RepairAnswer):
    """Edits of one of the plans, and why; without edits: none of them can be adapted."""

    base: str = Field("", description="the template of the plan that is edited")


@dataclass(frozen=True, slots=True)
class Base:
    """A template that fits the data, as a plan of them."""

    template: Template
    plan: Plan

    @property
    def takes(self) -> frozenset[str]:
        """The slots of a question that the template has parameters for."""
        return frozenset(slot_of(name, one).partition(".")[0] for name, one in self.template.parameters.items())


def bases_of(case: Case) -> tuple[Base, ...]:
    """The nearest templates that a plan can be made from, the likeliest first."""
    return tuple(islice(_made(case), _MOST_BASES))


def _made(case: Case) -> Iterator[Base]:
    for template in case.nearest(case.goal)[:_MOST_TRIED]:
        try:
            plan = case.made_from(template, case.goal)
            case.checked(plan)
        except KnowFlowError:
            continue
        yield Base(template, plan)


def tools_for(case: Case, bases: Sequence[Base]) -> dict[str, ToolSchema]:
    """The tools that may be used: those of the plans, what could stand in their place, what the question speaks of."""
    tools = {name: case.catalogue.tools[name] for name in case.offered}
    words = Words(tools)
    own = dict.fromkeys(node.tool for base in bases for node in base.plan.workflow.nodes)
    found = {name: case.catalogue.tools[name] for name in own}
    for schema in list(found.values()):
        for other in islice(words.nearest(f"{case.goal.text} {text_of(schema)}", alike(schema, tools)), _MOST_ALIKE):
            found.setdefault(other.tool, other)
    for other in islice(words.nearest(case.goal.text, tools.values()), _MOST_NEAR):
        found.setdefault(other.tool, other)
    return {name: schema for name, schema in found.items() if not _opens_files(schema)}


def _opens_files(schema: ToolSchema) -> bool:
    return any(parameter.type == "path" for parameter in schema.inputs.values())


def messages(case: Case, bases: Sequence[Base], tools: Mapping[str, ToolSchema]) -> tuple[Message, ...]:
    """The conversation that asks for edits of one of the plans."""
    parts = (
        ("The question, how it was understood, and why it was refused.", "question", told_question(case, case.goal)),
        ("What the data hold.", "data", told_data(case.inventory)),
        ("Plans that can be made of the data.", "plans", [_plan(base) for base in bases]),
        ("Tools that you may use. Preconditions are `needs`.", "tools", [tool_summary(one) for one in tools.values()]),
    )
    told = "\n\n".join(f"{title}\n{fenced(name, data)}" for title, name, data in parts)
    return (
        Message("system", f"{_TASK}\n{FENCES_EXPLAINED}"),
        Message("user", f"{told}\n\nAnswer with the base and its edits as one JSON object."),
    )


def _plan(base: Base) -> dict[str, Any]:
    plan = base.plan
    return {
        "base": base.template.template,
        "title": plan.title,
        "parameters": abbreviated(plan.parameters),
        "inputs": {name: artifact.type for name, artifact in plan.inputs.items()},
        "nodes": [_row(group, name) for name, group in _steps(plan).items()][:_MOST_NODES],
        "outputs": abbreviated({name: to_json(value) for name, value in plan.outputs.items()}),
    }


def _row(group: Group, name: str) -> dict[str, Any]:
    """A node; of the siblings that one step makes of many items, the first for all."""
    head = group.head
    args = {name: to_json(value) for name, value in head.args.items()}
    row = {"id": name, "tool": head.tool, "layer": head.layer, "args": abbreviated(args)}
    return (
        row
        if len(group.nodes) == 1
        else {**row, "stands_for": f"{len(group.nodes)} nodes, of which args are the first's"}
    )


def _steps(plan: Plan) -> dict[str, Group]:
    """The nodes of a plan by name, those that one step makes of many items together."""
    found: dict[str, Group] = {}
    for group in folded(plan.workflow):
        name = group.head.id if len(group.nodes) == 1 else without_item(group.head.step) or group.head.tool
        taken = name in found or (len(group.nodes) > 1 and name in plan.workflow.by_id)
        found[f"{name}_{len(found)}" if taken else name] = group
    return found


def _for_each_node(answer: AdaptationAnswer, plan: Plan) -> AdaptationAnswer:
    """The answer with what it says of a step said of every node of it."""
    steps = _steps(plan)

    def nodes(name: str) -> list[str]:
        return [node.id for node in steps[name].nodes] if name in steps else [name]

    edits: list[Any] = []
    for edit in answer.edits:
        if not isinstance(edit, InsertToolAnswer):
            edits += [edit.model_copy(update={"node": name}) for name in nodes(edit.node)]
        elif len(edit.before) > 1:  # one node before several places
            edits.append(edit)
        else:
            spots = [edit.before[0].model_copy(update={"node": name}) for name in nodes(edit.before[0].node)]
            edits += [edit.model_copy(update={"before": (spot,)}) for spot in spots]
    return answer.model_copy(update={"edits": tuple(edits)})


def adapted(case: Case, answer: AdaptationAnswer, bases: Sequence[Base]) -> Plan:
    """The plan with the edits of an answer.

    Raises:
        KnowFlowError: they name what is not there, do not hold, or change or leave out what is asked; all reasons are
            listed.
    """
    base = next((one for one in bases if one.template.template == answer.base), None)
    if base is None:
        names = ", ".join(one.template.template for one in bases)
        raise PlanningError("there is no such plan to adapt", expected=f"one of {names}", found=repr(answer.base[:80]))
    edits = edits_of(_for_each_node(answer, base.plan), base.plan, case.catalogue.tools, _NOTHING_FAILED)
    if any(isinstance(edit, LeaveOut) for edit in edits):
        raise PlanningError("no step may be left out", expected="edits of steps", found="leave_out")
    plan = apply(base.plan, edits, case.catalogue.tools)
    require_said(case, base.plan, plan)
    check = case.checked(plan)
    require_kept(case.goal, plan, check, base.takes, base.template.about)
    because, name = said(answer.because), base.template.template
    passed = tuple((other.template.template, "another plan was adapted") for other in bases if other is not base)
    sentences = _sentences(edits)
    told = f"a language model adapted the template {name} ({sentences}); only the conditions of the tools vouch for it"
    return replace(
        plan,
        title=f"{plan.title}, adapted",
        assumptions=(Assumption(told, True, ORIGIN, because), *_without_guess(plan)),
        decisions=(
            Decision("template", name, f"{ORIGIN}: {because}", passed),
            Decision(f"edits of {name}", sentences, f"{ORIGIN}: {because}"),
            *plan.decisions,
        ),
    )


def _without_guess(plan: Plan) -> tuple[Assumption, ...]:
    """What a plan assumes, without what it took to be asked where the question did not say."""
    return tuple(one for one in plan.assumptions if one.what != ASKED)


def _sentences(edits: Sequence[Edit]) -> str:
    told = [edit.sentence() for edit in edits]
    more = f"; and {len(told) - _MOST_TOLD} more of the kind" if len(told) > _MOST_TOLD else ""
    return "; ".join(told[:_MOST_TOLD]) + more


def require_said(case: Case, before: Plan | None, plan: Plan) -> None:
    """Refuse arguments that a model made up: each number and text stands in the question, in the plan before, or is a
    tool's own default or choice.

    Raises:
        PlanningError: with every argument that does not.
    """
    known = {} if before is None else before.workflow.by_id
    old = [one for node in known.values() for value in node.args.values() for one in literals_in(value)]
    numbers = [*numbers_allowed(case.goal), *(float(one) for one in old if _is_number(one))]
    texts = {one for one in old if isinstance(one, str)}
    problems = Problems()
    for node in plan.workflow.nodes:
        if known.get(node.id) == node or (node.inserted is not None and node.inserted.by == "planner"):
            continue
        inputs = case.catalogue.tools[node.tool].inputs
        for name, value in node.args.items():
            for one in literals_in(value):
                if not may_stand(one, inputs.get(name), numbers, texts, case.goal.text):
                    expected = "a value that stands in the question, in the plan, or among the choices"
                    problems.add(Problem("made_up", expected, repr(one)[:80], where=f"{node.id}.{name}"))
    if problems.errors:
        raise PlanningError("the plan has arguments that nobody said", problems=problems.errors)


def may_stand(
    value: Any, parameter: Parameter | None, numbers: Sequence[float], texts: Collection[str], question: str
) -> bool:
    """Whether a plain value may be an argument: a default, a name of a closed list, or one of these or the question."""
    if value is None or isinstance(value, bool) or (parameter is not None and value == parameter.default):
        return True
    if parameter is not None and (parameter.choices or parameter.choices_from or parameter.type in _NAMES):
        return True  # a closed list, which the check knows
    if _is_number(value):
        return is_among(float(value), numbers)
    return isinstance(value, str) and (value in texts or plain(value) in plain(question))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
