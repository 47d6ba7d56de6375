"""From a run that was mended by other steps to a template: what was changed, and nothing of what was not.

The plan as it was first is compared with the plan that went on to the end. The smallest operator that holds all that
was changed becomes what the template ``computes``; what it is of becomes its inputs, numbers that the question states
become its parameters, and each step that was put in, or does otherwise than before, gets a guard: the facts of the
maps that the run had. Where the guard does not hold, the steps are those that the operator has anyway.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from knowflow.graph.resolve import part_of
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.units import convert
from knowflow.memory.case import Case, UnlearnableError, kind_of
from knowflow.memory.draft import Draft, Step, Tools, Writing
from knowflow.model.artifact import Artifact
from knowflow.model.edit import Edit, ReplaceNode, SetParameter
from knowflow.model.literal import plain, same
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Value, node_refs
from knowflow.question.check import check
from knowflow.question.form import expression_of, forms
from knowflow.question.normal import normal
from knowflow.question.operators import (
    During,
    Expression,
    Number,
    Position,
    Quantity,
    children,
    place_of,
    walk,
)
from knowflow.question.types import type_of_kind
from knowflow.reason.compiling.by_memory import EMPTY
from knowflow.reason.repair.examination import Probe
from knowflow.reason.repair.laws import broken_laws
from knowflow.reason.repair.proposals import carrier_of
from knowflow.reason.repair.samples import Sample


def draft_of(trace: Trace, tools: Tools, probe: Probe) -> Draft | None:
    """What the steps of a run that was mended teach; None where no step was changed.

    Raises:
        UnlearnableError: nothing of it can be kept; the error says why.
    """
    if not trace.repairs:
        return None
    work = _Comparison(trace.plan_before(trace.repairs[0]), trace, tools)
    return work.draft(probe) if work.touched else None


class _Comparison:
    def __init__(self, first: Plan, trace: Trace, tools: Tools) -> None:
        self._first, self._last, self._trace, self._tools = first, trace.plan, trace, tools
        self._old, self._new = first.workflow.by_id, trace.plan.workflow.by_id
        self.fresh = {name for name in self._new if name not in self._old}
        kept = self._new.keys() & self._old.keys()
        self.changed = {name for name in kept if _literally(self._old[name]) != _literally(self._new[name])}
        self.touched = self.fresh | self.changed
        self._holes: dict[Position, str] = {}
        self._maps: dict[str, list[tuple[Artifact, bool]]] = {}  # whether each is a file
        self._units: dict[str, str] = {}
        self._stated: dict[str, Position] = {}
        self._in_series: set[str] = set()

    def draft(self, probe: Probe) -> Draft:
        """The template of what was changed."""
        self._require_lawful()
        self._read_question()
        self._at = self._place_of_all()
        below = {name for name in self._new if self._within(name)}
        inner = set(self.touched)
        for node in self._last.workflow.ordered:
            if node.id in below and inner & set(node.sources()):
                inner.add(node.id)
        self._inner = inner
        step, output = self._one_form()
        writing = Writing(self._tools, self._old, self.fresh, self.changed)
        answer = writing.reference(("step", step, output))
        self._require_numbers()
        computes = self._pattern(self._at)
        repairs = [one for one in self._trace.repairs if one.by in ("person", "llm")] or [*self._trace.repairs]
        by = "person" if any(one.by == "person" for one in repairs) else "llm"
        run = self._trace.run_id, repairs[-1].number, by
        cases = tuple(self._case(run, name, maps, probe) for name, maps in self._maps.items())
        inputs = {name: "raster_series" if name in self._in_series else "raster" for name in self._maps}
        parameters = dict(sorted(self._units.items()))
        return Draft(
            computes, self._parts[self._at].op, inputs, parameters, writing.steps, answer,
            writing.deeds(), cases, self._prepared(cases),
        )  # fmt: skip

    # --- what was asked, and where it was changed ------------------------------------------------------------------

    def _require_lawful(self) -> None:
        gone = [self._old[name] for name in self._old.keys() - self._new.keys()]
        lost = [node.id for node in gone if node.inserted is None]
        if lost:
            raise UnlearnableError(
                "a step of the plan was left out, which no template may", found=", ".join(sorted(lost))
            )
        edits: list[Edit] = []
        for name in sorted(self.changed):
            old, new = self._old[name], self._new[name]
            if old.tool != new.tool:
                edits.append(ReplaceNode(name, new))
            else:
                names = {n for n in old.args.keys() | new.args.keys() if _is_literal(old, n) or _is_literal(new, n)}
                edits += [SetParameter(name, n, new.args.get(n)) for n in sorted(names)]
        broken = broken_laws(self._first, edits, self._tools, {})
        if broken:
            raise UnlearnableError("it changes what is asked, which no template may", found="; ".join(broken))

    def _read_question(self) -> None:
        told = self._first.understood
        data = dict(told.get("written_out") or told.get("question") or {}).get("value")
        asked, _ = expression_of(plain(data))
        if asked is None:
            raise UnlearnableError("the plan is of no expression", found=self._first.template or "a template")
        asked = asked if told.get("written_out") else normal(asked)
        self._types = check(asked).types
        self._parts = dict(walk(asked))
        self._places = {place_of(at): at for at in self._parts}

    def _place(self, name: str) -> Position:
        """Where the operator stands that a node is for; of a new one that of what takes its result."""
        node = self._new[name]
        if node.of in self._places:
            return self._places[node.of]
        takers = [one.id for one in self._last.workflow.nodes if name in one.sources()]
        if not node.of and node.id in self.fresh and takers:
            return _common([self._place(one) for one in takers], self._parts)
        raise UnlearnableError("a step was changed that is for no operator of the question", found=name)

    def _place_of_all(self) -> Position:
        return _common([self._place(name) for name in sorted(self.touched)], self._parts)

    def _within(self, name: str) -> bool:
        try:
            at = self._place(name)
        except UnlearnableError:
            return False
        return at[: len(self._at)] == self._at

    # --- one form of all that was done -----------------------------------------------------------------------------

    def _one_form(self) -> tuple[Step, str]:
        """What makes the operator's value, which is alike for all its keys, and the output of it that is taken."""
        own = [name for name in self._inner if self._place(name) == self._at]
        inside = {source for name in self._inner for source in self._new[name].sources()}
        found = {self._step(self._new[name]): name for name in sorted(own) if name not in inside}
        made = [name for name, node in self._new.items() if place_of(self._at) == node.of and name not in self._inner]
        missed = [name for name in made if not _by_planner(self._new[name]) and name not in inside]
        if len(found) != 1 or any(not self._feeds(name) for name in missed):
            raise UnlearnableError("it was done for some of the maps, and not for all", found=", ".join(sorted(own)))
        ((step, name),) = found.items()
        takers = (value for node in self._new.values() for value in node.args.values())
        outputs = {ref.output for value in (*takers, *self._last.outputs.values()) for ref in _of(value, name)}
        return step, next(iter(sorted(outputs)), "")

    def _feeds(self, name: str) -> bool:
        """Whether a node is one of those that what was changed is made of."""
        return any(name in self._new[one].sources() for one in self._inner)

    def _step(self, node: Node) -> Step:
        return Step(node.tool, tuple((n, self._form(v, node, n)) for n, v in sorted(node.args.items())), node)

    def _form(self, value: Value, node: Node, name: str) -> tuple[Any, ...]:
        match value:
            case Given(value=literal):
                return self._literal(literal, node, name)
            case SeriesOf(items=items):
                found = {self._form(item, node, name) for item in items}
                if len(found) == 1 and (one := found.pop())[0] in ("hole", "step"):
                    self._in_series |= _holes_of(one)
                    return "each", one
                raise UnlearnableError("the maps of a series were not treated alike", found=node.id)
            case FromNode(node=source, output=output):
                made = self._new[source]
                if source not in self.touched and _by_planner(made):
                    return self._form(made.args[carrier_of(self._tools[made.tool])], node, name)
                if source in self._inner or self._places.get(made.of) == self._at:
                    primary = self._tools[made.tool].primary_output
                    return "step", self._step(made), "" if output == primary else output
                record = self._trace.records.get(source)
                if record is None or output not in record.outputs:
                    raise UnlearnableError("nobody knows any more what a step was given", found=source)
                return self._hole(self._place(source), record.outputs[output], False)
            case FromInput(name=data, at=at):
                found_data = part_of(self._last.inputs[data], at)
                return self._hole(self._place_of_data(self._place(node.id), found_data, name), found_data, True)
        raise UnlearnableError("bands that are given together are no map", found=node.id)

    def _literal(self, literal: Any, node: Node, name: str) -> tuple[Any, ...]:
        if node.id in self.fresh or (node.id in self.changed and not same(_given(self._old[node.id], name), literal)):
            return "given", plain(literal)
        if name == EMPTY:
            self._units[EMPTY] = ""
            return "number", EMPTY
        if isinstance(literal, tuple | Mapping):
            raise UnlearnableError("a step is told something of these data alone", found=f"{node.id}.{name}")
        for at, number in self._numbers():
            for unit in dict.fromkeys((number.unit, self._tools[node.tool].inputs[name].unit, *self._units_of_data())):
                if unit and _told(number, unit, literal):
                    label = str(at[-1])
                    if self._units.setdefault(label, unit) != unit or self._stated.setdefault(label, at) != at:
                        raise UnlearnableError("two numbers of the question stand for the same", found=label)
                    return "number", label
        return "given", plain(literal)

    def _numbers(self) -> Iterator[tuple[Position, Number]]:
        """The numbers that are stated in what was changed."""
        for at, part in walk(self._parts[self._at], self._at):
            if isinstance(part, Number) and not any(at[: len(hole)] == hole for hole in self._holes):
                yield at, part

    def _units_of_data(self) -> Iterator[str]:
        for one in self._last.inputs.values():
            yield str(one.fact("unit") or "1")

    def _require_numbers(self) -> None:
        left = [str(part.value) for at, part in self._numbers() if str(at[-1]) not in self._units]
        if left:
            raise UnlearnableError("what the question states is not found in its steps", found=", ".join(left))

    # --- what it is of ---------------------------------------------------------------------------------------------

    def _hole(self, at: Position, data: Artifact, file: bool) -> tuple[str, str]:
        if at[: len(self._at)] != self._at:
            wanted = self._parts[at]
            at = next((one for one, part in walk(self._parts[self._at], self._at) if part == wanted), at)
        if at[: len(self._at)] != self._at or at == self._at:
            raise UnlearnableError("it takes something that the operator is not of", found=data.name or data.type)
        if at not in self._holes:
            name = str(at[-1])
            self._holes[at] = name if name not in self._holes.values() else f"{name}_{len(self._holes)}"
        self._maps.setdefault(self._holes[at], []).append((data, file))
        return "hole", self._holes[at]

    def _place_of_data(self, above: Position, data: Artifact, parameter: str) -> Position:
        """Of which operand of an operator data are, or of which below it: of one that gives such values."""
        own = type_of_kind(str(data.fact("quantity")))
        maps = [(*above, *at) for at, _ in children(self._parts[above]) if self._types[(*above, *at)].space]
        fit = [at for at in maps if own is not None and self._types[at].of == own.of]
        named = [at for at in fit if at[-1] == parameter]
        if len(fit) > 1:
            fit = named
        if len(fit) == 1:
            return fit[0]
        if len(maps) == 1:
            return self._place_of_data(maps[0], data, parameter)
        raise UnlearnableError("nobody knows which part of the question a file is for", found=data.name)

    def _case(self, run: tuple[str, int, Any], name: str, maps: Sequence[tuple[Artifact, bool]], probe: Probe) -> Case:
        kinds = [kind_of(one) for one, _ in maps]
        facts = {n: v for n, v in kinds[0].items() if all(same(one.get(n), v) for one in kinds)}
        seen = _seen(probe.sample(one) for one, file in maps if file)
        id_, number, by = run
        tools = ", ".join(sorted(self._new[one].tool for one in self.touched))
        then = ({"template": self._parts[self._at].op},)
        return Case(
            run=id_, number=number, by=by, cause="unknown", tool=tools, parameter=name, of_file=False, error="",
            means=None, spread=None, facts=facts, then=then, seen=seen,
        )  # fmt: skip

    def _prepared(self, cases: tuple[Case, ...]) -> str:
        """The quantity whose data, as they are, were changed before anything was made of them; else nothing."""
        data = [self._parts[at] for at in self._holes]
        if self.changed or len(cases) != 1 or not all(_is_data(one) for one in data):
            return ""
        chain = [self._new[name] for name in self.fresh]
        if any(carrier_of(self._tools[one.tool]) not in one.args or len(_maps_of(one)) != 1 for one in chain):
            return ""
        kind = str(cases[0].facts.get("quantity", ""))
        made = [one.fact("quantity") for node in chain for one in self._trace.record(node.id).outputs.values()]
        return kind if kind and all(one == kind for one in made) else ""

    # --- what it computes ------------------------------------------------------------------------------------------

    def _pattern(self, at: Position) -> str:
        """The operator as a pattern: what it is of as holes, and numbers that the question states."""
        part = self._parts[at]
        if at in self._holes:
            return f"${self._holes[at]}"
        if isinstance(part, Number):
            return f"${at[-1]}"
        if isinstance(part, Quantity | During):
            raise UnlearnableError("what was done stands for data of one time", found=part.op)
        said = []
        for name, (declared, _) in forms(part.op).items():
            value = getattr(part, declared.name)
            if value == declared.default:
                continue
            if isinstance(value, Expression):
                value = self._pattern((*at, part.op, name))
            elif isinstance(value, tuple):
                raise UnlearnableError("what is done to several parts alike is not told by a pattern", found=part.op)
            said.append(f"{name}={value if isinstance(value, str | int | float) else repr(value)}")
        return f"{part.op}({', '.join(said)})"


def _seen(samples: Iterable[Sample | None]) -> dict[str, tuple[float, float]]:
    """What the pixels of maps tell, least and most: nothing failed of what they are, so that it tells them from
    others."""
    values = [one.values for one in samples if one is not None and one.values.size]
    told = {"mean": "mean", "std": "std", "lowest": "min", "highest": "max"}
    found = {fact: [float(getattr(one, method)()) for one in values] for fact, method in told.items()}
    return {fact: (min(numbers), max(numbers)) for fact, numbers in found.items() if numbers}


def _common(places: Sequence[Position], parts: Mapping[Position, Expression]) -> Position:
    """The smallest part of a question that holds all of some."""
    first, last = min(places), max(places)
    shared = tuple(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    while shared not in parts:
        shared = shared[:-1]
    return shared


def _literally(node: Node) -> tuple[str, dict[str, Any]]:
    """What a node is told, whatever it is of."""
    return node.tool, {name: value.value for name, value in node.args.items() if isinstance(value, Given)}


def _holes_of(form: tuple[Any, ...]) -> set[str]:
    """The inputs that a value is made of."""
    if form[0] == "hole":
        return {form[1]}
    inner = [value for _, value in form[1].args] if form[0] == "step" else list(form[1:2]) if form[0] == "each" else []
    return set().union(*map(_holes_of, inner))


def _is_literal(node: Node, name: str) -> bool:
    return isinstance(node.args.get(name), Given)


def _given(node: Node, name: str) -> Any:
    value = node.args.get(name)
    return value.value if isinstance(value, Given) else None


def _by_planner(node: Node) -> bool:
    return node.inserted is not None and node.inserted.by == "planner"


def _of(value: Value, node: str) -> Iterator[FromNode]:
    return (ref for ref in node_refs(value) if ref.node == node)


def _maps_of(node: Node) -> list[Value]:
    return [value for value in node.args.values() if not isinstance(value, Given)]


def _is_data(e: Expression) -> bool:
    """Whether it is data as they are: a quantity, of some time or of any."""
    return isinstance(e, Quantity) or (isinstance(e, During) and _is_data(e.x))


def _told(number: Number, unit: str, literal: Any) -> bool:
    if isinstance(literal, bool) or not isinstance(literal, int | float):
        return False
    try:
        value = number.value if unit == number.unit else float(convert(number.value, number.unit, unit))
        return math.isclose(value, literal, rel_tol=1e-9, abs_tol=1e-12)
    except KnowFlowError:
        return False
