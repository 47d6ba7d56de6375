"""An expression carried out by templates that say what they compute: for packs, whose tools take what they take.

A template with ``computes: over(beyond($scenes, $side, $limit), space, share)`` does what that pattern says; its holes
are its inputs, which are made first, or its parameters. Of several the largest pattern is taken, as one call of a
published tool often does what several operators say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, TypeAlias

from knowflow.graph.orphans import upstream
from knowflow.ground.errors import DocumentError, PlanningError
from knowflow.ground.units import convert
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.pack import Conventions
from knowflow.model.plan import Assumption, Plan
from knowflow.model.template import Template, TemplateInput
from knowflow.model.workflow import FromNode, Node, Value, Workflow, references
from knowflow.question.check import check, type_of
from knowflow.question.form import to_data
from knowflow.question.normal import normal
from knowflow.question.operators import (
    During,
    Expression,
    Extreme,
    Number,
    Over,
    Quantity,
    Several,
    Show,
    Split,
    walk,
)
from knowflow.question.patterns import Pattern, matches, pattern_of
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.question.words import in_words
from knowflow.reason.achievers import Achievers
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.compiling.asked_scenes import ScenesAsked
from knowflow.reason.compiling.habits import habitual
from knowflow.reason.compiling.made import NotCompiledError, constant, refuse
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.pairing import groups, has_date
from knowflow.reason.parameter_values import unit_of

PRODUCT = "product"
_OF_ONE_ITSELF = ("mean", "median", "minimum", "maximum", "sum")
"""Statistics over dates that are the number itself where there is one."""

Groups: TypeAlias = tuple[tuple[Split, str], ...]
"""Of which key of which split something is made."""


def operators_of(templates: Mapping[str, Template]) -> list[tuple[Pattern, Template]]:
    """The templates that carry out operators, those first that carry out most at once.

    Raises:
        DocumentError: what one computes is no pattern, or has a hole that is none of its inputs and parameters.
    """
    found: list[tuple[Pattern, Template]] = []
    for one in templates.values():
        if one.computes is None or one.defines is not None:
            continue
        try:
            pattern = pattern_of(one.computes)
        except ValueError as error:
            raise DocumentError(f"what {one.template} computes is no pattern", found=str(error)) from None
        open_ = [name for name in pattern.holes if name not in one.inputs and name not in one.parameters]
        if open_:
            expected = ", ".join((*one.inputs, *one.parameters))
            raise DocumentError(f"{one.template} does not take what it computes", expected=expected, found=open_[0])
        found.append((pattern, one))
    return sorted(found, key=lambda one: (-one[0].size, -one[1].preference, one[1].template))


def compiled_by_templates(
    expression: Expression, catalogue: Catalogue, data: DataSource, conventions: Conventions, unit: str | None = None
) -> Plan:
    """The plan of an expression by the templates of a catalogue, to be told in a unit.

    Raises:
        PlanningError: a part does not fit, no data fit a quantity, or no template carries an operator out.
    """
    asked, habits = habitual(normal(expression), conventions)
    misfits = check(asked).misfits
    if misfits:
        raise PlanningError("the question does not fit together", found="; ".join(map(str, misfits)))
    builder = Builder(catalogue.tools, Achievers(catalogue.tools))
    work = Instantiation(catalogue, data, builder)
    scenes = ScenesAsked(asked, data, builder, work, conventions)
    by_templates = _ByTemplates(catalogue, builder, work, conventions, scenes)
    outputs = {name: by_templates.delivered(part, unit) for name, part in _parts(asked)}
    words = in_words(expression)
    wanted = (ref.node for value in outputs.values() for ref in references(value) if isinstance(ref, FromNode))
    kept = upstream(builder.workflow, wanted)
    nodes = [node for node in builder.workflow.nodes if node.id in kept]
    compared = not any(isinstance(one, Split) for _, one in walk(asked))
    if compared and by_templates.methods() <= set(conventions.side_by_side):
        nodes = _side_by_side(nodes)
    return Plan(
        query=words,
        template=by_templates.used[-1],
        title=words[:1].upper() + words[1:],
        workflow=Workflow(tuple(nodes)),
        inputs=builder.inputs,
        outputs=outputs,
        answer=next(iter(outputs)),
        assumptions=tuple(dict.fromkeys((*(Assumption(one, True, "pack") for one in habits), *work.assumptions))),
        decisions=tuple(work.decisions),
        understood={"question": {"value": to_data(expression), "words": words}},
    )


def _parts(e: Expression) -> Sequence[tuple[str, Expression]]:
    return e.named if isinstance(e, Several) else (("answer", e),)


class _ByTemplates:
    def __init__(
        self,
        catalogue: Catalogue,
        builder: Builder,
        work: Instantiation,
        conventions: Conventions,
        scenes: ScenesAsked,
    ) -> None:
        self._operators = operators_of(catalogue.templates)
        self._builder = builder
        self._work = work
        self._conventions = conventions
        self._scenes = scenes
        self._made: dict[tuple[Expression, Groups], Bound] = {}
        self._paths = 0
        self.used: list[str] = [""]

    def methods(self) -> set[str]:
        """Those that made the images."""
        return self._scenes.methods()

    def delivered(self, e: Expression, unit: str | None) -> Value:
        """What answers one part of the question, temperatures in degrees Celsius where they are asked for or usual."""
        if isinstance(e, Show):
            own = type_of(e.x)
            if e.as_ != "map" or own is None or not own.space:
                raise refuse(e, f"a {e.as_}")
            return self.value(e.x, ()).value
        found = self.value(e, ())
        own = type_of(e)
        usual = self.methods() <= set(self._conventions.celsius) and unit is None
        if own is None or not own.measure.temperature or _keys(own, ()) not in ([], ["date"]):
            return found.value
        if (unit != "degC" and not usual) or not (isinstance(e, Extreme) or not own.keys):
            return found.value
        number = self._tool("first", x=found) if isinstance(e, Extreme) else found
        return self._tool("kelvin_to_celsius", kelvin=number).value

    def _tool(self, name: str, **arguments: Bound) -> Bound:
        self._paths += 1
        node = self._builder.add(name, arguments, layer=3, step=f"{name}_{self._paths}")
        return self._builder.output(node, self._builder.outputs_of(node)[0])

    def value(self, e: Expression, of: Groups) -> Bound:
        """The value of an expression, for one key of each split in ``of``."""
        known = self._made.get((e, of))
        if known is None:
            known = self._made[e, of] = self._make(e, of)
        return known

    def _make(self, e: Expression, of: Groups) -> Bound:
        split = _open_split(e, of)
        if split is not None and _closes(e, split):
            return self._gathered(e, split, of)
        if isinstance(e, Number):
            return constant(e.value)
        if isinstance(e, Quantity):
            return self._scenes.of(e, None)
        if isinstance(e, During) and isinstance(e.when, Times):
            return self._during(e, e.when, of)
        if isinstance(e, Split):
            return self._group(e, of)
        return self._by_template(e, of, alone=isinstance(e, Over) and self._of_one_date(e, of))

    # --- templates -------------------------------------------------------------------------------------------------

    def _by_template(self, e: Expression, of: Groups, alone: bool = False) -> Bound:
        """What the first template that applies makes; ``alone``: a statistic over dates of which there is one.

        Raises:
            PlanningError: none carries it out, or none with these data; the reason of the largest is told.
        """
        fitting = [(one, template, holes) for one, template in self._operators for holes in matches(one, e)]
        stepwise = of and of[-1][0].key in self._conventions.stepwise and any(one[0].size == 1 for one in fitting)
        errors: list[PlanningError] = []
        for pattern, template, holes in fitting:
            if (alone and pattern.size == 1) or (stepwise and pattern.size > 1):
                continue
            paths, made, scenes = self._paths, dict(self._made), self._scenes.mark()
            try:
                with self._work.attempt(keep=True):
                    return self._one_of_one(e, of, self._carried_out(template, holes, of))
            except PlanningError as error:
                errors.append(error)
                self._paths, self._made = paths, made
                self._scenes.undo(scenes)
        if alone and isinstance(e, Over):
            return self._one_of_one(e, of, self.value(e.x, of))
        told = (error for error in errors if not isinstance(error, NotCompiledError))
        raise next(told, None) or next(iter(errors), None) or refuse(e, "no template that computes it")

    def _carried_out(self, template: Template, holes: Mapping[str, Any], of: Groups) -> Bound:
        """What a template makes of what fills its holes.

        A parameter ``quantity`` is the kind of its first input, ``quantity_of_NAME`` that of another; an input
        ``years`` is what years the first one's numbers are of, where they are one of each.
        """
        lead = next((one for name, one in holes.items() if name in template.inputs), None)
        kinds = {f"quantity_of_{name}": _kind_of(one) for name, one in holes.items()} | {"quantity": _kind_of(lead)}
        parameters = {name: constant(kind) for name, kind in kinds.items() if kind and name in template.parameters}
        for name in holes.keys() - template.inputs.keys():
            unit = unit_of(template.parameters[name], parameters)
            parameters[name] = self._parameter(holes[name], unit, of)
        given = [name for name in template.inputs if name in holes]
        inputs: dict[str, Bound | None] = {n: self._input(template.inputs[n], holes[n], of) for n in given}
        if "years" in template.inputs and lead is not None and (years := self._years_of(lead, of)):
            inputs["years"] = constant(years)
        self._paths += 1
        results = self._work.template(template, parameters, inputs, path=f"{template.template}_{self._paths}")
        if results.primary is None:
            raise PlanningError(f"{template.title}: nothing is left to answer with", where=template.template)
        self.used.append(template.template)
        return results.primary

    def _one_of_one(self, e: Expression, of: Groups, found: Bound) -> Bound:
        """The number, or the map, itself where a tool gives a list of one."""
        own = type_of(e)
        if own is None or _keys(own, of) or not isinstance(found.known, Artifact):
            return found
        if own.space:
            return self._builder.items(found)[0]
        if found.known.type != "list":
            return found
        return self._tool("first", x=found)

    def _years_of(self, e: Expression, of: Groups) -> tuple[int, ...]:
        """The years that numbers are of, where there is one of each."""
        keys, leaf = self.value(e, of).keys, _leaf(e, of)
        return _years(keys if keys or leaf is None else self.value(leaf, of).keys)

    def _input(self, declared: TemplateInput, e: Expression, of: Groups) -> Bound:
        """What fills an input: maps, one number of each, or one number, as it declares."""
        own = type_of(e)
        shape = "raster" if own is not None and own.space else "list" if own and _keys(own, of) else "scalar"
        if own is None or isinstance(e, Number) or own.of != "number" or shape != declared.type.removesuffix("_series"):
            raise NotCompiledError("what is made does not fit", expected=declared.type, found=f"{own}")
        return self.value(e, of)

    def _parameter(self, filled: Any, unit: str | None, of: Groups) -> Bound:
        """What fills a parameter: a word, or a number in the unit that the tools keep such numbers in."""
        if not isinstance(filled, Expression):
            return constant(filled)
        if not isinstance(filled, Number):
            own = type_of(filled)
            if own is None or own.space or _keys(own, of):
                raise NotCompiledError("what is made does not fit", expected="one number", found=f"{own}")
            return self.value(filled, of)
        return constant(
            filled.value if unit in (None, filled.unit) else float(convert(filled.value, filled.unit, unit))
        )

    # --- time ------------------------------------------------------------------------------------------------------

    def _during(self, e: During, when: Times, of: Groups) -> Bound:
        found = self._scenes.of(e.x, when) if isinstance(e.x, Quantity) else self.value(e.x, of)
        items = self._builder.items(found)
        kept = [
            (key, item)
            for key, item in zip(found.keys, items, strict=True)
            if not has_date(key) or when.holds(date.fromisoformat(key[:10]))
        ]
        if not kept:
            raise PlanningError(f"there are no data of {when}", expected=str(when), found=", ".join(found.keys[:5]))
        if len(kept) == len(items):
            return found
        return replace(self._builder.series([item for _, item in kept]), keys=tuple(key for key, _ in kept))

    def _of_one_date(self, e: Over, of: Groups) -> bool:
        """Whether it is a statistic over dates of which there is one, that is what it is of."""
        below = type_of(e.x)
        if e.statistic not in _OF_ONE_ITSELF or below is None or below.of != "number" or below.grain != e.axes:
            return False
        leaf = _leaf(e.x, of)
        return leaf is not None and len(self._builder.items(self.value(leaf, of))) == 1

    # --- splits ----------------------------------------------------------------------------------------------------

    def _grouped(self, split: Split, of: Groups) -> list[tuple[str, Bound]]:
        if not isinstance(split.key, str):
            raise refuse(split, "a split by ground")
        by = self._conventions.seasons if split.key == "season" else split.key
        if by not in ("year", "month", "season", "season_of_year"):
            raise refuse(split, f"one for each {split.key}")
        return groups(self._builder, self.value(split.x, of), by, "split")

    def _group(self, e: Split, of: Groups) -> Bound:
        key = dict(of).get(e)
        if key is None:
            raise refuse(e, "one of each, of which nothing is taken")
        return dict(self._grouped(e, tuple(one for one in of if one[0] != e)))[key]

    def _gathered(self, e: Expression, split: Split, of: Groups) -> Bound:
        """One value for each key of a split, as a series."""
        keys = [key for key, _ in self._grouped(split, of)]
        each = [self.value(e, (*of, (split, key))) for key in keys]
        return replace(self._builder.series(each), keys=tuple(keys))


def _open_split(e: Expression, of: Groups) -> Split | None:
    """The split by time inside an expression of which no key is taken yet."""
    taken = {split for split, _ in of}
    return next(
        (one for _, one in walk(e) if isinstance(one, Split) and one not in taken and isinstance(one.key, str)), None
    )


def _closes(e: Expression, split: Split) -> bool:
    """Whether an operator leaves one value for each key of a split, where there was one for each date of it."""
    own, below = type_of(e), type_of(getattr(e, "x", e))
    return own is not None and below is not None and own.grain == split.key and below.grain == "date"


def _leaf(e: Expression, of: Groups) -> Expression | None:
    """What the dates of an expression are those of."""
    taken = {split for split, _ in of}
    while not (isinstance(e, Quantity | During) or e in taken):
        below = getattr(e, "x", getattr(e, "a", None))
        if not isinstance(below, Expression):
            return None
        e = below
    return e


def _keys(own: Type, of: Groups) -> list[str]:
    """The keys of what is made for one key of some splits."""
    taken = {str(split.key) for split, _ in of}
    return [key for key in own.keys if key not in taken]


def _kind_of(e: object) -> str | None:
    """The quantity that an expression is of first."""
    quantities = (one.kind for _, one in walk(e) if isinstance(one, Quantity)) if isinstance(e, Expression) else ()
    return next(iter(quantities), None)


def _side_by_side(nodes: Sequence[Node]) -> list[Node]:
    """Nodes by how far they are from the answer: each step of what is compared before the next step of either."""
    far: dict[str, int] = {}
    for node in reversed(nodes):
        for source in node.sources():
            far[source] = max(far.get(source, 0), far.get(node.id, 0) + 1)
    return sorted(nodes, key=lambda node: -far.get(node.id, 0))


def _years(keys: Sequence[str]) -> tuple[int, ...]:
    """The years of numbers or images, where there is one of each."""
    years = [key[:4] for key in keys]
    told = all(
        year.isdigit() and (len(key) == len(year) or has_date(key)) for year, key in zip(years, keys, strict=True)
    )
    return tuple(map(int, years)) if told and len(set(years)) == len(years) > 1 else ()
