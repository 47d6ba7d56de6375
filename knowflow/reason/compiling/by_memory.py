"""Operators carried out by templates that earlier runs taught, on data like those that they were learned from.

A template says by ``computes:`` which operator it is for; its inputs are the maps that the operator is of. It is taken
where the guards of its steps are known to hold of every one of these, and the plan says so; else the operator is
carried out as if there were no memory. What makes its inputs is chosen without it: authored knowledge comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.errors import PlanningError, UnitError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts
from knowflow.model.plan import Assumption, Decision
from knowflow.model.template import Template
from knowflow.model.workflow import Inserted
from knowflow.question.operators import Expression, Number
from knowflow.question.patterns import Holes, matches, pattern_of
from knowflow.question.types import Type
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.compiling.made import Item, Keys, Made, constant
from knowflow.reason.instantiate import Instantiation

ORIGIN = "memory"
EMPTY = "when_empty"
"""The parameter that says what a map without data is: a failure where it is the only one, else unknown."""
Measured = Callable[[Artifact], Facts]


@dataclass(frozen=True, slots=True)
class Taught:
    """A template that runs taught: in a few words what it does besides (``deeds``), and why; ``rank`` is how likely it
    is to help, by its record."""

    template: Template
    deeds: str
    because: str
    rank: float = 0.5


class FromMemory:
    """The templates at hand, and how likely ``methods`` that failed before are to make what they are for.

    ``measured`` looks at the pixels of a file; ``always``: templates are taken whatever their guards say.
    """

    def __init__(
        self,
        taught: Iterable[Taught],
        measured: Measured,
        always: bool = False,
        methods: Mapping[str, float] | None = None,
    ) -> None:
        self.methods = methods or {}
        found = [(pattern_of(str(one.template.computes)), one) for one in taught]
        self._taught = sorted(found, key=lambda one: (-one[0].size, -one[1].rank, one[1].template.template))
        self._measured = measured
        self._known: dict[str | None, Facts] = {}
        self._always = always

    def made(
        self,
        e: Expression,
        own: Type,
        below: Made | Callable[[Expression], Made],
        work: Instantiation,
        builder: Builder,
        last: bool,
    ) -> Made | None:
        """What the first template that fits makes of an operator, and of the maps ``below`` it; None where none fits.

        ``last``: it is what is delivered.
        """
        rejected: list[tuple[str, str]] = []
        for pattern, taught in self._taught:
            for holes in matches(pattern, e):
                inputs = _inputs(taught.template, holes, below)
                if inputs is None:
                    continue
                name = taught.template.template
                why = "" if self._always else self._unfit(taught.template, inputs)
                if why:
                    rejected.append((name, why))
                    continue
                seen = {hole: self._looked_at(made) for hole, made in inputs.items()}
                mark = builder.mark()
                try:
                    with work.attempt(keep=True):
                        found = _carried_out(taught.template, seen, holes, own, work, builder, last)
                        builder.told_inserted(mark, _guarded(taught.template, found), _because(taught))
                except PlanningError as error:
                    rejected.append((name, f"{error.message}: {error.found or error.expected}"))
                    continue
                said = f"{taught.deeds}: the same is taken to be right here"
                work.assumptions.append(Assumption(said, True, ORIGIN, f"{name}: {taught.because}"))
                because = f"{taught.because}; by its record it helps in {taught.rank:.0%} of runs"
                work.decisions.append(Decision(f"{e.op} of such data", name, because, tuple(rejected)))
                return found
        return None

    def _unfit(self, template: Template, inputs: Mapping[str, Made]) -> str:
        """The guard that is not known to hold of all maps; empty where all do."""
        guards = [parse(text) for text in template.guards]
        lead = max(inputs.values(), key=lambda one: len(one.items))
        for look in (False, True):  # pixels are only looked at where headers do not speak against it
            for key in lead.items:
                items = {name: made.items.get(key) or made.items.get(()) for name, made in inputs.items()}
                known = {f"$inputs.{name}": item.bound.known for name, item in items.items() if item is not None}
                if look:
                    known = {name: self._seen(one) for name, one in known.items()}
                for verdict in (evaluate(guard, known) for guard in guards):
                    if verdict.truth is False or (look and verdict.truth is None):
                        return f"{'/'.join(key)}: {verdict.because}"
        return ""

    def _seen(self, known: Artifact) -> Artifact:
        """A map with what its pixels tell, where it is a file."""
        if known.path is None:
            return known
        if known.path not in self._known:
            self._known[known.path] = self._measured(known)
        return known.with_facts(self._known[known.path].over(known.facts))

    def _looked_at(self, made: Made) -> Made:
        items = {}
        for key, item in made.items.items():
            items[key] = replace(item, bound=replace(item.bound, known=self._seen(item.bound.known)))
        return replace(made, items=items)


def _guarded(template: Template, made: Made) -> frozenset[str]:
    """The steps of a template that are for some data only, as the nodes of each key are named."""
    guarded = [name for name, step in template.steps.items() if step.when is not None and step.else_ is not None]
    paths = [".".join((template.template, *filter(None, key))) for key in made.items]
    return frozenset(f"{path}.{name}" for path in paths for name in guarded)


def _because(taught: Taught) -> Inserted:
    return Inserted("memory", taught.because, taught.deeds)


def _inputs(template: Template, holes: Holes, below: Made | Callable[[Expression], Made]) -> Mapping[str, Made] | None:
    """The maps that a template takes: those that fill its holes, or, of a quantity, the maps of it; None: it cannot."""
    if isinstance(below, Made):
        found = dict.fromkeys(template.inputs, below)
    else:
        try:
            found = {name: below(holes[name]) for name in template.inputs}
        except (KeyError, PlanningError):
            return None
    maps = [item for made in found.values() for item in made.items.values()]
    whole = all(made.type.space and not made.table and made.type.of != "class" for made in found.values())
    plain = all(isinstance(one.bound.known, Artifact) and not one.covers and one.present is None for one in maps)
    return found if found and maps and whole and plain else None


def _carried_out(
    template: Template,
    inputs: Mapping[str, Made],
    holes: Holes,
    own: Type,
    work: Instantiation,
    builder: Builder,
    last: bool,
) -> Made:
    """What a template makes, for each key of its inputs.

    Raises:
        PlanningError: it does not make what the operator does, or the data do not fit.
    """
    rows = list(_rows(template, inputs, builder))
    first = next(iter(inputs.values()))
    parameters = {n: _parameter(template, n, one) for n, one in holes.items() if n in template.parameters}
    if EMPTY in template.parameters:
        parameters[EMPTY] = constant("fail" if last and len(rows) == 1 else "missing")
    made: dict[Keys, Item] = {}
    for key, given in rows:
        path = ".".join((template.template, *filter(None, key)))
        found = work.template(template, parameters, given, path=path).primary
        known = None if found is None else found.known
        if found is None or not isinstance(known, Artifact) or (known.type == "raster") != own.space:
            raise PlanningError(f"{template.title}: it makes something else", expected=str(own), found=str(known))
        made[key] = Item(found)
    if len(own.keys) != len(next(iter(made))) or own.of == "class":
        raise PlanningError(f"{template.title}: it makes something else", expected=str(own), found="other keys")
    return first.of(own, made)


def _rows(
    template: Template, inputs: Mapping[str, Made], builder: Builder
) -> Iterator[tuple[Keys, dict[str, Bound | None]]]:
    """What a template is carried out for: one map of each input, or, of a series, all dates of it."""
    lead = max(inputs.values(), key=lambda one: len(one.items))
    if any(declared.type == "raster_series" for declared in template.inputs.values()):
        name, grain = next(iter(inputs)), lead.type.grain
        if len(inputs) > 1 or grain is None:
            raise PlanningError(f"{template.title}: it takes one series", found=f"{len(inputs)} inputs")
        for rest, group in lead.groups(grain).items():
            whole = builder.series([item.bound for _, item in group])
            yield rest, {name: Bound(whole.value, whole.known, tuple(key for key, _ in group))}
        return
    for key in lead.items:
        items = {name: one.items.get(key) or one.items.get(()) for name, one in inputs.items()}
        if None in items.values():
            raise PlanningError(f"{template.title}: its inputs are not of the same dates", found="/".join(key))
        yield key, {name: item.bound for name, item in items.items() if item is not None}


def _parameter(template: Template, name: str, filled: Any) -> Bound:
    """A number that the question states, in the unit of the template.

    Raises:
        PlanningError: it is none, or in a unit that does not fit.
    """
    if not isinstance(filled, Number):
        raise PlanningError(f"{template.title}: {name} is no stated number", found=type(filled).__name__)
    unit = template.parameters[name].unit
    try:
        return constant(
            filled.value if unit in (None, filled.unit) else float(convert(filled.value, filled.unit, unit))
        )
    except UnitError as error:
        raise PlanningError(f"{template.title}: {name} in another unit", expected=unit, found=filled.unit) from error
