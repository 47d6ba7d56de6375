"""The builder of workflows: every node is predicted and checked as it is added, and its gaps are filled on the way.

Gap filling is backward chaining over the achievers: bounded depth, cheapest first, re-checked after each insertion.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from knowflow.graph.arguments import argument_problems
from knowflow.graph.effects import predicted_outputs
from knowflow.graph.resolve import fitted, gathered
from knowflow.ground.errors import PlanningError
from knowflow.ground.report import Problem
from knowflow.model.artifact import Artifact, band_set
from knowflow.model.condition import Call, Expression
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import PIXEL_FACTS
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Environment, Goal, Place, Verdict
from knowflow.model.workflow import (
    BandsOf,
    FromInput,
    FromNode,
    Given,
    Inserted,
    Node,
    SeriesOf,
    Value,
    Workflow,
    free_name,
)
from knowflow.reason.achievers import Achievers
from knowflow.reason.inventory.tiles import is_of_tiles

MAX_DEPTH = 3
MAX_ROUNDS = 4
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Bound:
    """A value in the workflow with what is known of it; ``keys`` name the items of a series (dates, or names)."""

    value: Value
    known: Any
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of the builder to return to when an attempt fails."""

    nodes: int
    inputs: tuple[str, ...]


class Builder:
    """Grows one workflow. Not shared between plans. ``of`` is the place of the operator that nodes are added for."""

    def __init__(self, tools: Mapping[str, ToolSchema], achievers: Achievers) -> None:
        self._tools = tools
        self._achievers = achievers
        self._nodes: list[Node] = []
        self._outputs: dict[str, dict[str, Artifact]] = {}
        self._inputs: dict[str, Artifact] = {}
        self._reusable: dict[str, str] = {}
        self.of = ""

    @property
    def workflow(self) -> Workflow:
        return Workflow(tuple(self._nodes))

    @property
    def inputs(self) -> dict[str, Artifact]:
        return dict(self._inputs)

    def mark(self) -> Mark:
        return Mark(len(self._nodes), tuple(self._inputs))

    def undo(self, mark: Mark) -> None:
        """Forget every node and input added since the mark."""
        for node in self._nodes[mark.nodes :]:
            del self._outputs[node.id]
        del self._nodes[mark.nodes :]
        self._inputs = {name: self._inputs[name] for name in mark.inputs}
        self._reusable = {text: node for text, node in self._reusable.items() if node in self._outputs}

    def told_inserted(self, mark: Mark, steps: Collection[str], by: Inserted) -> None:
        """Say of nodes since the mark that were made for some steps why they are there, as no authored step is."""
        for number in range(mark.nodes, len(self._nodes)):
            node = self._nodes[number]
            of_one = any(node.step == step or node.step.startswith(f"{step}.") for step in steps)
            if of_one and node.inserted is None:
                lossy = self._tools[node.tool].lossy
                self._nodes[number] = replace(node, inserted=replace(by, lossy=lossy))

    def input(self, name: str, artifact: Artifact) -> Bound:
        """Bind data as an input of the plan; the same data bound twice is one input."""
        for known_name, known in self._inputs.items():
            if known is artifact or (known.path is not None and known == artifact):
                return Bound(FromInput(known_name), known)
        unique = free_name(_brief(name), self._inputs)
        self._inputs[unique] = artifact
        return Bound(FromInput(unique), artifact)

    def output(self, node: str, output: str) -> Bound:
        """A named output of a node that was added."""
        outputs = self._outputs[node]
        if output not in outputs:
            raise PlanningError(
                f"{node} has no output {output!r}", expected=f"one of {', '.join(outputs)}", found=output
            )
        return Bound(FromNode(node, output), outputs[output])

    def outputs_of(self, node: str) -> tuple[str, ...]:
        return tuple(self._outputs[node])

    def add(
        self,
        tool: str,
        arguments: Mapping[str, Bound],
        *,
        layer: int,
        step: str,
        title: str = "",
        inserted: Inserted | None = None,
        depth: int = 0,
    ) -> str:
        """Add a node and whatever its preconditions need first; returns its id.

        Raises:
            PlanningError: an argument does not fit, or a precondition is false and no tool can make it true.
        """
        schema = self._tools[tool]
        filled = {name: bound for name, bound in arguments.items() if bound.known is not None}
        self._refuse_misfits(schema, filled, step)
        filled = self._with_gaps_filled(schema, filled, layer, step, depth)
        args = {name: bound.value for name, bound in filled.items()}
        text = repr((tool, sorted((name, repr(value)) for name, value in args.items()), layer))
        if inserted is not None and text in self._reusable:
            return self._reusable[text]
        node_id = free_name(_brief(step), self._outputs)
        node = Node(node_id, tool, args, layer, _title(title or schema.title, step), step, inserted, self.of)
        self._nodes.append(node)
        self._outputs[node.id] = predicted_outputs(schema, self._environment(schema, filled), node.id)
        self._reusable[text] = node.id
        return node.id

    def _with_gaps_filled(
        self, schema: ToolSchema, arguments: dict[str, Bound], layer: int, step: str, depth: int
    ) -> dict[str, Bound]:
        """The arguments changed until every precondition holds: what serves one of them may break another."""
        environment = self._environment(schema, arguments)
        for _ in range(MAX_ROUNDS):
            before = arguments
            for text, condition in schema.parsed_preconditions:
                changed = self._satisfy(schema, arguments, environment, text, condition, layer, step, depth)
                if changed is not arguments:
                    arguments, environment = changed, self._environment(schema, changed)
            if arguments is before:
                return arguments
        raise PlanningError(
            f"the preconditions of {schema.tool} undo one another",
            where=step,
            expected="; ".join(schema.preconditions),
            found=f"inserted tools still change its arguments after {MAX_ROUNDS} rounds",
        )

    def _environment(self, schema: ToolSchema, arguments: Mapping[str, Bound]) -> dict[str, Any]:
        environment = {name: p.default for name, p in schema.inputs.items() if p.default is not None}
        for name, bound in arguments.items():
            parameter = schema.inputs.get(name)
            environment[name] = bound.known if parameter is None else fitted(bound.known, parameter)
        return environment

    def _refuse_misfits(self, schema: ToolSchema, arguments: Mapping[str, Bound], step: str) -> None:
        node = Node(step, schema.tool, {name: bound.value for name, bound in arguments.items()})
        problems = argument_problems(node, schema, self._environment(schema, arguments))
        if problems:
            raise PlanningError(f"{schema.tool} cannot take these arguments", where=step, problems=problems)

    def _satisfy(
        self,
        schema: ToolSchema,
        arguments: dict[str, Bound],
        environment: Environment,
        text: str,
        condition: Expression,
        layer: int,
        step: str,
        depth: int,
    ) -> dict[str, Bound]:
        verdict = evaluate(condition, environment)
        if _wants_help(verdict):
            for place, goals in _by_place(verdict.goals):
                arguments = self._reach(arguments, place, goals, verdict, layer, step, depth)
            environment = self._environment(schema, arguments)
            verdict = evaluate(condition, environment)
        if verdict.truth is False:
            raise PlanningError(
                f"{schema.tool} needs {text}",
                where=step,
                expected=text,
                found=verdict.because,
                hint=_advice(verdict),
                problems=_apart(condition, environment),
            )
        if depth and verdict.truth is None and any(gap.fact not in PIXEL_FACTS for gap in verdict.missing):
            raise PlanningError(f"{schema.tool} needs {text}", where=step, expected=text, found=verdict.because)
        return arguments

    def _reach(
        self,
        arguments: dict[str, Bound],
        place: Place,
        goals: list[Goal],
        verdict: Verdict,
        layer: int,
        step: str,
        depth: int,
    ) -> dict[str, Bound]:
        """The arguments with the part at a place replaced by what an achiever makes of it; unchanged if none can."""
        param = str(place[0])
        subject = self._part(arguments[param], place[1:])
        for goal in goals:
            like = None if goal.like is None else self._part(arguments[str(goal.like[0])], goal.like[1:])
            made = self._achieve(goal, subject, like, verdict, layer, step, depth)
            if made is not None:
                return {**arguments, param: self._replaced(arguments[param], place[1:], made)}
        return arguments

    def _achieve(
        self,
        goal: Goal,
        subject: Bound,
        like: Bound | None,
        verdict: Verdict,
        layer: int,
        step: str,
        depth: int,
    ) -> Bound | None:
        """The subject made to fulfil the goal by the cheapest tool that can; None if no tool can."""
        if depth >= MAX_DEPTH:
            return None
        for achiever, values in self._achievers(goal):
            schema = achiever.schema
            bindings = {name: Bound(Given(value), value) for name, value in values.items() if value is not None}
            bindings[achiever.carrier] = subject
            if achiever.like is not None and like is not None:
                bindings[achiever.like] = like
            if any(p.required and name not in bindings for name, p in schema.inputs.items()):
                continue
            why = Inserted("planner", verdict.because, str(goal), schema.lossy)
            serves = layer if layer in schema.layers else None
            if serves is None:
                continue
            mark = self.mark()
            try:
                node = self.add(
                    schema.tool, bindings, layer=serves, step=f"{step}.{schema.tool}", inserted=why, depth=depth + 1
                )
            except PlanningError:
                self.undo(mark)
                continue
            return self.output(node, achiever.output)
        return None

    def _part(self, bound: Bound, path: tuple[str | int, ...]) -> Bound:
        for step in path:
            if not _is_series_of_itself(bound, step):
                bound = dict(self._parts(bound))[step]
        return bound

    def _parts(self, bound: Bound) -> Iterator[tuple[str | int, Bound]]:
        """The items of a series or the members of a band set, each as a value of its own."""
        known = bound.known
        if isinstance(known, Artifact) and known.items and not is_of_tiles(known):
            for index, item in enumerate(known.items):
                yield index, Bound(_step_into(bound.value, index), item)
        elif isinstance(known, Artifact) and known.members:
            for name, member in known.members.items():
                yield name, Bound(_step_into(bound.value, name), member)
        else:
            yield 0, bound

    def _replaced(self, bound: Bound, path: tuple[str | int, ...], made: Bound) -> Bound:
        if not path:
            return made
        if _is_series_of_itself(bound, path[0]):
            return self._replaced(bound, path[1:], made)
        parts = dict(self._parts(bound))
        parts[path[0]] = self._replaced(parts[path[0]], path[1:], made)
        return self._together(bound, parts)

    def _together(self, bound: Bound, parts: Mapping[str | int, Bound]) -> Bound:
        """The series or band set that a value is, with other parts."""
        if isinstance(bound.known, Artifact) and bound.known.members:
            members = {str(name): part for name, part in parts.items()}
            value: Value = BandsOf({name: part.value for name, part in members.items()})
            return Bound(value, band_set({name: part.known for name, part in members.items()}), bound.keys)
        items = list(parts.values())
        return replace(self.series(items), keys=bound.keys)

    def mapped(self, bound: Bound, change: Callable[[Bound], Bound]) -> Bound:
        """A value with every single artifact in it changed; series and band sets keep their shape."""
        parts = dict(self._parts(bound))
        if list(parts.values()) == [bound]:
            return change(bound)
        made = {key: self.mapped(part, change) for key, part in parts.items()}
        return bound if all(made[key] is part for key, part in parts.items()) else self._together(bound, made)

    def joined(self, bound: Bound, step: str) -> Bound:
        """A value in which every raster that is made of tiles is the mosaic of them."""
        return self.mapped(bound, lambda part: self._mosaic(part, step) if is_of_tiles(part.known) else part)

    def _mosaic(self, bound: Bound, step: str) -> Bound:
        tiles = [Bound(_step_into(bound.value, index), item) for index, item in enumerate(bound.known.items)]
        why = Inserted("planner", f"{len(tiles)} files are the tiles of one image", "one raster")
        node = self.add("mosaic", {"series": self.series(tiles)}, layer=1, step=f"{step}.mosaic", inserted=why)
        made = self.output(node, "output")
        return Bound(made.value, made.known.with_facts(bound.known.facts.over(made.known.facts)))

    def items(self, bound: Bound) -> list[Bound]:
        """The items of a series or of a list of plain values, or the value itself as the only one.

        Raises:
            PlanningError: one node makes the whole series, of which no part can be told from the others.
        """
        known = bound.known
        if isinstance(known, Artifact) and known.items:
            if isinstance(bound.value, FromNode) and len(known.items) > 1:
                raise PlanningError(
                    "single scenes of a series that is made at once cannot be taken",
                    where=bound.value.node,
                    expected="a step that makes each scene by itself (for_each)",
                    found=f"{len(known.items)} scenes of one node",
                )
            return [part for _, part in self._parts(bound)]
        if isinstance(known, (tuple, list)) and isinstance(bound.value, Given):
            return [Bound(Given(item), item) for item in known]
        return [bound]

    def series(self, items: list[Bound]) -> Bound:
        """Several values in order as one."""
        known = tuple(item.known for item in items)
        value = SeriesOf(tuple(item.value for item in items))
        if all(isinstance(part, Artifact) for part in known):
            return Bound(value, gathered(known))
        literal = all(isinstance(item.value, Given) for item in items)
        return Bound(Given(known) if literal else value, known)


def _is_series_of_itself(bound: Bound, step: str | int) -> bool:
    """Whether a place speaks of the first item of what is one raster or band set, taken as a series."""
    return step == 0 and not (isinstance(bound.known, Artifact) and bound.known.items)


def _step_into(value: Value, step: str | int) -> Value:
    match value:
        case SeriesOf(items=items) if isinstance(step, int):
            return items[step]
        case BandsOf(members=members) if isinstance(step, str):
            return members[step]
        case FromInput(name=name, at=at):
            return FromInput(name, (*at, step))
    return value


def _title(title: str, step: str) -> str:
    """The title of a node; one of many for different dates says which."""
    dates = _DATE.findall(step)
    return f"{title}, {dates[-1]}" if dates else title


def _apart(condition: Expression, environment: Environment) -> list[Problem]:
    """That rasters lie in different places, where that is why they are on no common grid."""
    if not (isinstance(condition, Call) and condition.name == "same_grid"):
        return []
    verdict = evaluate(replace(condition, name="overlaps"), environment)
    if verdict.truth is not False:
        return []
    return [Problem("no_overlap", "rasters of one place", verdict.because, "look at the CRS and the extent of each")]


def _wants_help(verdict: Verdict) -> bool:
    """A condition that is false, or that hangs on a grid which is only decided at run time."""
    if verdict.truth is False:
        return bool(verdict.goals)
    return verdict.truth is None and bool(verdict.goals) and not verdict.missing


def _by_place(goals: tuple[Goal, ...]) -> list[tuple[Place, list[Goal]]]:
    grouped: dict[Place, list[Goal]] = {}
    for goal in goals:
        grouped.setdefault(goal.place, []).append(goal)
    return list(grouped.items())


def _advice(verdict: Verdict) -> str:
    wanted = "; ".join(dict.fromkeys(map(str, verdict.goals[:3])))
    return f"no tool makes {wanted} true here" if wanted else ""


def _brief(path: str) -> str:
    """A path without the same name twice in a row: a product of a product of a product is a product."""
    return ".".join(name for name, _ in groupby(path.split(".")))
