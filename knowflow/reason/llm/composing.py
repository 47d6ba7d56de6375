"""A template composed top-down by layers: a language model chooses the synthesis, then products, then sources.

Each choice is from a closed list (:mod:`knowflow.reason.llm.options`), and is kept with what was passed over. What
results is a template document like anybody's: checked as such, instantiated on the data, and checked as a plan.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import yaml
from pydantic import Field, ValidationError

from knowflow.graph.arguments import value_problems
from knowflow.ground.errors import DocumentError, PlanningError
from knowflow.ground.report import Problem, Problems
from knowflow.ground.yamldoc import parse
from knowflow.knowledge.template_check import template_problems
from knowflow.model.goal import Period
from knowflow.model.literal import frozen
from knowflow.model.plan import Assumption, Decision, Plan
from knowflow.model.template import Template
from knowflow.model.tool import Document
from knowflow.reason.llm.adapting import ASKED, may_stand
from knowflow.reason.llm.case import Case, require_kept, told_data, told_question
from knowflow.reason.llm.conversation import LanguageModel, Message, Schema
from knowflow.reason.llm.options import SYNTHESIS, Need, Option, Options, needs_of, values_of
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, abbreviated, fenced, shortened
from knowflow.reason.llm.repair_answer import said
from knowflow.reason.llm.slot_answer import ORIGIN, PeriodAnswer
from knowflow.reason.llm.slots import period_problems
from knowflow.reason.llm.spoken import numbers_allowed
from knowflow.reason.llm.structured import asked

_TASK = """\
You compose a workflow over Earth-observation data that answers a question which no template answers. You go from the
answer down to the data, one place at a time: first the synthesis, then products, then sources. Choose for the place
that is named what stands there, from the list only. Take what answers the very question, no more.

What will be refused: what is not on the list; values for parameters that are not listed; numbers and texts that do not
stand in the question (leave such a parameter out where it has a default). Where nothing on the list is right, answer
with an empty `choice` and say why in `because`.
"""
_LAYERS = {3: "synthesis (layer 3)", 2: "products (layer 2)", 1: "sources (layer 1)"}
_DEEPEST = 4
_MOST_PASSED = 3


class Choice(Document):
    """What stands in a place, the plain values of its parameters, and why."""

    choice: str = Field(description="as on the list; empty: nothing on it is right")
    values: dict[str, Any] = Field(
        default_factory=dict, description="values of the tool's parameters, where it needs some"
    )
    period: PeriodAnswer | None = Field(
        None, description="of a product or template: the time it is of, where it differs"
    )
    because: str = Field(description="one sentence")
    passed_over: dict[str, str] = Field(default_factory=dict, description="other choices that come near -> why not")


class NothingFitsError(PlanningError):
    """A language model finds nothing that could stand in a place."""

    code = "llm_nothing_fits"


@dataclass(frozen=True, slots=True)
class Part:
    """What was chosen for a place, with what stands in its own places."""

    option: Option
    values: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    period: str = ""

    @property
    def periods(self) -> frozenset[str]:
        """All times that parts are of, ``START/END``."""
        below = (one for part in self.parts.values() for one in part.periods)
        return frozenset((*([self.period] if self.period else []), *below))


@dataclass(frozen=True, slots=True)
class Composed:
    """A composition as a plan, with the document it was made from and how many answers were refused on the way."""

    plan: Plan
    document: str
    refused: int


class Composing:
    """One attempt to compose a template; decisions are collected on the way."""

    def __init__(
        self, case: Case, model: LanguageModel, options: Options, attempts: int, before: Sequence[str]
    ) -> None:
        self._case = case
        self._model = model
        self._options = options
        self._attempts = attempts
        self._before = tuple(before)
        self.decisions: list[Decision] = []
        self.refused = 0

    def part(self, need: Need, depth: int = _DEEPEST, path: tuple[str, ...] = ()) -> Part:
        """What stands in a place, chosen by the model where there is a choice, down to the data.

        Raises:
            NothingFitsError: nothing can stand there, or the model finds nothing right.
            LanguageModelError: it could not be asked, or no answer held.
        """
        options = {one.id: one for one in self._options.of(need, depth)}
        if not options:
            raise NothingFitsError(
                f"nothing can stand at {need.place}", expected=" or ".join(need.types), found="nothing"
            )
        if len(options) == 1 and not _asks(only := next(iter(options.values()))):
            choice = Choice(choice=only.id, period=None, because="nothing else can stand there")
            self._decide(need, choice, options, "by the symbols")
        else:
            choice = self._chosen(need, options, path)
            self._decide(need, choice, options, ORIGIN)
        option = options[choice.choice]
        needs = {} if option.schema is None else needs_of(option.schema)
        parts = {name: self.part(one, depth - 1, (*path, option.id)) for name, one in needs.items()}
        period = f"{choice.period.start}/{choice.period.end}" if choice.period is not None else ""
        return Part(option, choice.values, parts, period)

    def _chosen(self, need: Need, options: Mapping[str, Option], path: tuple[str, ...]) -> Choice:
        def accept(choice: Choice) -> Choice:
            if choice.choice:
                _require_listed(choice, options, self._case)
            return choice

        found = asked(
            self._model,
            self._messages(need, options, path),
            Choice,
            accept,
            attempts=self._attempts,
            schema=_schema(options),
        )
        self.refused += len(found.refused)
        if not found.value.choice:
            raise NothingFitsError(f"nothing on the list is right for {need.place}", found=said(found.value.because))
        return found.value

    def _messages(self, need: Need, options: Mapping[str, Option], path: tuple[str, ...]) -> tuple[Message, ...]:
        layers = sorted({one.layer for one in options.values()}, reverse=True)
        place = {
            "place": need.place,
            "takes": list(need.types) or "whatever answers the question",
            "quantities": abbreviated(sorted(need.quantities)) if need.quantities else "any",
            "chosen_above": list(path),
        }
        parts = (
            (
                "The question, how it was understood, and why it was refused.",
                "question",
                told_question(self._case, self._case.goal),
            ),
            ("What the data hold.", "data", told_data(self._case.inventory)),
            ("Compositions that were refused; do not propose them again.", "refused", list(self._before)),
            (f"The place, of {' or '.join(_LAYERS[layer] for layer in layers)}.", "place", place),
            ("What can stand there.", "list", [one.told() for one in options.values()]),
        )
        told = "\n\n".join(f"{title}\n{fenced(name, data)}" for title, name, data in parts if data)
        return (
            Message("system", f"{_TASK}\n{FENCES_EXPLAINED}"),
            Message("user", f"{told}\n\nAnswer with the choice as one JSON object."),
        )

    def _decide(self, need: Need, choice: Choice, options: Mapping[str, Option], by: str) -> None:
        others = [name for name in options if name != choice.choice]
        near = [name for name in choice.passed_over if name in others]
        passed = [(name, said(choice.passed_over[name])) for name in near]
        rest = [name for name in others if name not in near]
        passed += [(name, "on the list, not chosen") for name in rest[:_MOST_PASSED]]
        passed += (
            [(f"{len(rest) - _MOST_PASSED} others", "on the list, not chosen")] if len(rest) > _MOST_PASSED else []
        )
        layer = _LAYERS[options[choice.choice].layer]
        because = f"{by}: {said(choice.because)}"
        period = "" if choice.period is None else f" of {choice.period.start}/{choice.period.end}"
        chosen = f"{choice.choice}{period}"
        self.decisions.append(Decision(f"{layer}, {need.place}", chosen, because, tuple(passed)))


def _asks(option: Option) -> bool:
    """Whether something must still be said of an option."""
    return option.schema is not None and any(one.required for one in values_of(option.schema).values())


def _schema(options: Mapping[str, Option]) -> Schema:
    schema = Choice.model_json_schema(by_alias=True)
    schema["properties"]["choice"]["enum"] = [*options, ""]
    return schema


def _require_listed(choice: Choice, options: Mapping[str, Option], case: Case) -> None:
    """Refuse what is not on the list, and values that a parameter does not take or that nobody said.

    Raises:
        PlanningError: with all reasons.
    """
    option, problems = options.get(choice.choice), Problems()
    if option is None:
        raise PlanningError("this is not on the list", expected="a choice of the list", found=repr(choice.choice[:80]))
    if choice.period is not None and option.kind not in ("product", "template"):
        problems.add(Problem("unknown_argument", "no period", option.kind, "products and templates have one", "period"))
    for problem in () if choice.period is None else period_problems(choice.period, case, "period"):
        problems.add(problem)
    taken = {} if option.schema is None else values_of(option.schema)
    for name, value in choice.values.items():
        if name not in taken:
            found = f"one of {', '.join(taken)}" if taken else "no values"
            problems.add(Problem("unknown_argument", found, repr(name), where=f"values.{name}"))
            continue
        for problem in value_problems(frozen(value), taken[name], f"values.{name}"):
            problems.add(problem)
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if not may_stand(one, taken[name], numbers_allowed(case.goal), (), case.goal.text):
                expected = "a value that stands in the question, or a choice of the parameter"
                problems.add(Problem("made_up", expected, repr(one)[:80], where=f"values.{name}"))
    for name, parameter in taken.items():
        if parameter.required and name not in choice.values:
            hint = "only the user can say it: choose something else, or nothing"
            problems.add(Problem("missing_argument", f"{name} ({parameter.type})", "nothing", hint, where="values"))
    if problems.errors:
        raise PlanningError(f"{choice.choice} cannot stand there so", problems=problems.errors)


# --- from parts to a document, and from there to a plan --------------------------------------------------------------


def compose(case: Case, model: LanguageModel, attempts: int) -> Composed:
    """The plan of a template that a language model composes.

    Raises:
        NothingFitsError: it finds nothing right.
        PlanningError: what it composed does not hold, ``attempts`` times; the problems are those of the last.
        LanguageModelError: it could not be asked, or no answer held.
    """
    options, refused, before = Options(case), 0, list[str]()
    while True:
        attempt = Composing(case, model, options, attempts, before)
        part = attempt.part(Need())
        refused += attempt.refused
        try:
            document = document_of(case, part)
            plan = _plan(case, document, part, attempt.decisions)
        except (PlanningError, DocumentError) as error:
            before.append(shortened(f"{_outline(part)}: {error}", 600))
            refused += 1
            if len(before) >= attempts:
                raise
            continue
        return Composed(plan, document, refused)


def document_of(case: Case, part: Part) -> str:
    """The YAML of the template in which the parts stand."""
    steps: dict[str, Any] = {}
    inputs: dict[str, Any] = {}
    reference, _ = _written(part, steps, inputs)
    digest = hashlib.sha256(_outline(part).encode()).hexdigest()[:8]
    content = {
        "template": f"composed_{digest}",
        "version": 1,
        "title": part.option.title,
        "description": f"Composed by a language model for the question: {shortened(case.goal.text, 300)}",
        "layer": SYNTHESIS,
        **({"inputs": inputs} if inputs else {}),
        "assumes": ["a language model composed this template; only the conditions of the tools vouch for it"],
        "steps": steps,
        "outputs": {"answer": reference},
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110)


def _written(part: Part, steps: dict[str, Any], inputs: dict[str, Any]) -> tuple[str, bool]:
    """The part as steps and inputs of a document: the reference to what it gives, and whether that may be many."""
    option = part.option
    if option.kind == "data":
        name = _free(str(option.step.get("quantity") or option.step["input"]), inputs)
        quantity = {"quantity": [option.step["quantity"]]} if "quantity" in option.step else {}
        inputs[name] = {"type": option.step["input"], **quantity}
        return f"$inputs.{name}", option.gives == "raster_series"
    period = {"period": part.period} if part.period else {}
    if option.kind == "product":
        name = _free("product", steps)
        steps[name] = {"task": option.step["task"], "with": {"quantity": option.step["quantity"]}, **period}
        return f"${name}", True
    if option.kind == "template":
        name = _free(option.step["template"], steps)
        given = {"with": {"quantity": option.step["quantity"]}} if "quantity" in option.step else {}
        steps[name] = {"template": option.step["template"], **given, **period}
        return f"${name}", option.gives == "raster_series"
    assert option.schema is not None
    each: dict[str, Any] = {}
    whole: dict[str, Any] = dict(part.values)
    for parameter, below in part.parts.items():
        reference, many = _written(below, steps, inputs)
        wanted = option.schema.inputs[parameter].artifact_type
        if many and wanted not in ("raster_series", "list"):
            each[parameter] = reference
        else:
            whole[parameter] = (
                [reference] if wanted == "list" and not many and below.option.gives != "list" else reference
            )
    name = _free(option.schema.tool, steps)
    steps[name] = {
        "tool": option.schema.tool,
        **({"for_each": each} if each else {}),
        **({"with": whole} if whole else {}),
    }
    return f"${name}", bool(each)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _outline(part: Part) -> str:
    """The parts in one line, from the answer down."""
    below = [f"{name}: {_outline(one)}" for name, one in part.parts.items()]
    values = [f"{name}={value!r}" for name, value in sorted(part.values.items())]
    period = f" of {part.period}" if part.period else ""
    return part.option.id + period + (f" ({', '.join((*values, *below))})" if values or below else "")


def template_of(case: Case, document: str) -> Template:
    """The typed template of a document.

    Raises:
        DocumentError: it is not valid; every problem is listed.
    """
    read = parse(document, "composed.yaml")
    try:
        template = Template.model_validate(read.data, by_alias=True, by_name=False)
    except ValidationError as error:
        problems = [Problem("bad_value", one["msg"], repr(one.get("input"))[:80]) for one in error.errors()]
        raise DocumentError("the composed template is not valid", problems=problems) from error
    problems = template_problems(template, read, case.catalogue.tools, case.catalogue.templates)
    wrong = [*read.problems, *(one for one in problems if one.severity == "error")]
    if wrong:
        raise DocumentError("the composed template is not valid", problems=wrong)
    return template


def _plan(case: Case, document: str, part: Part, decisions: Sequence[Decision]) -> Plan:
    template = template_of(case, document)
    plan = case.made_from(template, case.goal)
    compared = case.goal.value("comparison") or ()
    both = all(isinstance(one, Period) and f"{one.start}/{one.end}" in part.periods for one in compared)
    require_kept(case.goal, plan, case.checked(plan), {"comparison"} if compared and both else ())
    told = f"a language model composed the template {template.template}; only the conditions of the tools vouch for it"
    others = (one for one in plan.assumptions if one.what not in (*template.assumes, ASKED))
    return replace(
        plan,
        assumptions=(Assumption(told, True, ORIGIN), *others),
        decisions=(*decisions, *plan.decisions),
    )
