"""Definitions: what a quantity is that no file holds and no method makes, as an expression over others.

An expert writes it as a template with ``defines`` and ``computes``: ``computes: beyond(ndsi, above, 0.4)``. What stands
in it as ``$name`` is a parameter of the template; ``$before`` and ``$after`` are the first and the last date of the
time that is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document
from knowflow.model.plan import Assumption, Decision
from knowflow.model.template import Template
from knowflow.question.check import check, type_of
from knowflow.question.form import expression_of
from knowflow.question.normal import normal
from knowflow.question.operators import (
    And,
    Beyond,
    Calculate,
    During,
    Expression,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Quantity,
    walk,
    with_children,
)
from knowflow.question.times import Times
from knowflow.question.types import Type, type_of_kind

TIMES = ("before", "after")
_HOLE = re.compile(r"\$([a-z][a-z0-9_]*)")
ITSELF = ("mean", "median", "minimum", "maximum", "percentile", "sum")
"""Statistics over dates that are the number itself where there is one."""

_PIXELWISE = (Quantity, Number, Beyond, And, Or, Not, Calculate, IsClass)

_PART_FROM_END = 10  # of a time: how much of it may lie before the first image, or after the last
GIVEN = "quantity_given"
"""The method by which data are taken as they are, with whatever clouds."""

Dates = frozenset[str]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an expression comes to on data: with the quantities that are defined written out.

    ``parts`` are what became of its parts; None: it is the part below, as nothing is left to take away.
    """

    expression: Expression
    parts: Mapping[Expression, Expression | None] = field(default_factory=dict)
    assumptions: tuple[Assumption, ...] = ()
    decisions: tuple[Decision, ...] = ()


def definitions(templates: Collection[Template], e: Quantity) -> list[Template]:
    """The definitions of a quantity, the preferred first; those of its method where it names one."""
    found = [one for one in templates if one.defines == e.kind and e.method in (None, one.template, *one.keywords)]
    return sorted(found, key=lambda one: (-one.preference, one.template))


def meaning(
    expression: Expression,
    templates: Collection[Template],
    dates: Callable[[Quantity], Dates],
    given: Mapping[str, Any] | None = None,
) -> Meaning:
    """What an expression in normal form comes to. ``dates`` are the days of which the data hold a quantity; it fails
    where they hold none. ``given`` are parameters of definitions, by name.

    Raises:
        PlanningError: the data hold nothing that a quantity is defined by, or not of two times where two are compared;
            no definition that is used has a parameter of a name that is given.
    """
    work = _Meanings(templates, dates, dict(given or {}))
    found = work.of(expression, ())
    unused = work.given.keys() - work.taken
    if unused:
        raise PlanningError(
            "nothing that the question comes to has such a parameter",
            expected=", ".join(sorted(work.known)) or "none",
            found=", ".join(sorted(unused)),
            hint=did_you_mean(min(unused), work.known),
        )
    return found


class OtherTimesError(PlanningError):
    """There are several dates of the time that is asked about, and none near one of its ends: no other definition may
    take them for it."""


class _Meanings:
    def __init__(self, templates: Collection[Template], dates: Callable[[Quantity], Dates], given: Any) -> None:
        self._templates = [one for one in templates if one.defines is not None]
        self._dates = dates
        self._known: dict[Quantity, Dates | PlanningError] = {}
        self.given: dict[str, Any] = given
        self.taken: set[str] = set()
        self.known: set[str] = set()

    def of(self, expression: Expression, within: tuple[str, ...]) -> Meaning:
        """An expression with the first of its quantities that is only defined written out, and so on."""
        for _, part in walk(expression):
            if not isinstance(part, Quantity):
                continue
            choices = [one for one in definitions(self._templates, part) if one.template not in within]
            given = part if part.method else replace(part, method=GIVEN)
            if choices and isinstance(missing := self._held(given), PlanningError):
                return self._defined(expression, part, choices, missing, within)
        return Meaning(expression)

    def _held(self, e: Quantity) -> Dates | PlanningError:
        """The days of which the data hold it, or why they do not."""
        if e not in self._known:
            try:
                self._known[e] = self._dates(e)
            except PlanningError as error:
                self._known[e] = error
        return self._known[e]

    def _defined(
        self,
        expression: Expression,
        e: Quantity,
        choices: list[Template],
        missing: PlanningError,
        within: tuple[str, ...],
    ) -> Meaning:
        """The first definition that these data allow."""
        rejected: list[tuple[str, str]] = []
        for template in choices:
            try:
                written = self._written(expression, e, template)
                found = self.of(written.expression, (*within, template.template))
                self._require_data(found.expression)
            except OtherTimesError:
                raise
            except PlanningError as error:
                rejected.append((template.template, f"{error.message}: {error.found or error.expected or ''}"))
                continue
            return self._told(template, e, written, found, rejected)
        if not isinstance(self._held(e), PlanningError):
            return Meaning(expression)  # a method makes it
        raise PlanningError(
            f"there is nothing that tells {e.kind.replace('_', ' ')} here",
            where=e.kind,
            expected=f"data of it, or of what it is defined by: {'; '.join(one.title for one in choices)}",
            found="; ".join(f"{name}: {why}" for name, why in rejected) or missing.found or missing.message,
            hint="add such data; where the files are there, say what they are: --assume NAME:quantity=...",
        )

    def _told(
        self, template: Template, e: Quantity, written: Meaning, found: Meaning, rejected: list[tuple[str, str]]
    ) -> Meaning:
        said = tuple(Assumption(text, True, "template", template.title) for text in template.assumes)
        chosen = Decision(f"what {e.kind} is", template.template, template.title, tuple(rejected))
        parts = {one: other and found.parts.get(other, other) for one, other in written.parts.items()}
        assumptions = (*written.assumptions, *said, *found.assumptions)
        return Meaning(found.expression, {**found.parts, **parts}, assumptions, (chosen, *found.decisions))

    def _require_data(self, e: Expression) -> None:
        for _, part in walk(e):
            if isinstance(part, Quantity) and isinstance(error := self._held(part), PlanningError):
                raise error

    # --- one definition --------------------------------------------------------------------------------------------

    def _written(self, expression: Expression, e: Quantity, template: Template) -> Meaning:
        """An expression with every place of a quantity written out as one template defines it."""
        told: list[Assumption] = []
        values = self._parameters(template, told)
        parts: dict[Expression, Expression | None] = {}

        def put(one: Expression, times: tuple[Times, ...]) -> Expression:
            if one == e:
                return self._computed(template, values, times, told)
            if isinstance(one, During) and one.x == e and isinstance(one.when, Times):
                found = self._computed(template, values, (*times, one.when), told)
                if all(isinstance(part, _PIXELWISE) for _, part in walk(found)):
                    return _during(found, one.when)  # so that no other dates are looked at
            inner = (*times, one.when) if isinstance(one, During) and isinstance(one.when, Times) else times
            other = with_children(one, lambda below: put(below, inner))
            if other == one:
                return one
            other = _without_time(one, other)
            parts[one] = None if isinstance(one, Over) and not isinstance(other, Over) else normal(other)
            return other

        found = normal(put(expression, ()))
        misfits = check(found).misfits
        if misfits:
            raise PlanningError(f"{template.title}: it does not fit there", found="; ".join(map(str, misfits)))
        return Meaning(found, parts, tuple(dict.fromkeys(told)))

    def _parameters(self, template: Template, told: list[Assumption]) -> dict[str, Any]:
        """The values of its parameters: as given, else its defaults, which are assumed."""
        values: dict[str, Any] = {}
        for name, one in template.parameters.items():
            self.known.add(name)
            if name in self.given:
                self.taken.add(name)
                values[name] = self.given[name]
            else:
                values[name] = one.default
                of = f"{template.template}.{name}"
                told.append(Assumption(one.title or name, one.default, "template default", of))
        return values

    def _computed(
        self, template: Template, values: Mapping[str, Any], times: tuple[Times, ...], told: list[Assumption]
    ) -> Expression:
        holes = dict(values)
        if needs_times(template):
            before, after = self._first_and_last(template, values, times)
            holes |= {"before": before, "after": after}
            why = "the first and the last of those asked about"
            told.append(Assumption("the times that are compared", f"{before} and {after}", "data", why))
        return computed(template, holes)

    def _first_and_last(
        self, template: Template, values: Mapping[str, Any], times: tuple[Times, ...]
    ) -> tuple[str, str]:
        """The first and the last date, of those asked about, of which there are data of all that it is made of."""
        wanted = computed(template, {**values, "before": "2000-01-01", "after": "2000-01-02"})
        kinds = dict.fromkeys(part for _, part in walk(wanted) if isinstance(part, Quantity))
        days = frozenset.intersection(*(self._days(one, ()) for one in kinds if _dated(one)))
        kept = sorted(day for day in days if day and all(one.holds(date.fromisoformat(day)) for one in times))
        asked = " and ".join(map(str, times)) or "a time before and a time after"
        several = len(kept) > 1
        if not several or not all(_at_both_ends(one, *map(date.fromisoformat, (kept[0], kept[-1]))) for one in times):
            raise (OtherTimesError if several else PlanningError)(
                f"{template.title}: two times are compared",
                expected=f"a date at the beginning and one at the end of {asked}",
                found=", ".join(sorted(filter(None, days))) or "images without dates",
            )
        if not times and len(kept) > 2:
            raise PlanningError(
                f"{template.title}: which two times are compared is not said",
                expected="a time from before to after: between 2020-06-01 and 2020-09-01",
                found=f"{len(kept)} dates from {kept[0]} to {kept[-1]}",
            )
        return kept[0], kept[-1]

    def _days(self, e: Quantity, within: tuple[str, ...]) -> Dates:
        """The days of which the data hold a quantity, or all that it is defined by."""
        held = self._held(e)
        if not isinstance(held, PlanningError):
            return held
        for template in definitions(self._templates, e):
            if template.template in within or needs_times(template):
                continue
            below = computed(template, self._parameters(template, []))
            kinds = {part for _, part in walk(below) if isinstance(part, Quantity) and _dated(part)}
            try:
                found = [self._days(one, (*within, template.template)) for one in kinds]
            except PlanningError:
                continue
            if found:
                return frozenset.intersection(*found)
        raise held


def _at_both_ends(asked: Times, first: date, last: date) -> bool:
    """Whether two dates stand for the ends of a time that is asked about: each in the first and the last month, or
    year, of several, else within a tenth of the time from its end. Those of one month, year or season are its ends."""
    begin, end = asked.first, asked.last
    if begin is None or end is None or len(str(asked)) <= len("2020-06"):
        return True
    months = begin.day == 1 and (end + timedelta(days=1)).day == 1
    years = months and begin.month == 1 and end.month == 12
    grain = (lambda day: day.year) if years else (lambda day: (day.year, day.month))
    if months and grain(first) == grain(begin) and grain(last) == grain(end):
        return True
    slack = (end - begin) / _PART_FROM_END
    return first - begin <= slack and end - last <= slack


def needs_times(template: Template) -> bool:
    """Whether it compares two times."""
    return any(name in TIMES for name in _HOLE.findall(template.computes or ""))


def computed(template: Template, values: Mapping[str, Any]) -> Expression:
    """The expression that a template computes, with values in place of its parameters.

    Raises:
        PlanningError: it is none, or a value is none that can stand there.
    """

    def put(match: re.Match[str]) -> str:
        value = values[match.group(1)]
        return repr(str(value)) if match.group(1) in TIMES or isinstance(value, str) else repr(value)

    text = _HOLE.sub(put, template.computes or "")
    found, faults = expression_of(text)
    if found is None:
        said = "; ".join(f"{one.expected}, found {one.found}" for one in faults)
        raise PlanningError(f"{template.title}: what it computes is no expression", where=template.template, found=said)
    return found


def definition_problems(template: Template, document: Document) -> Iterator[Problem]:
    """What is wrong with what a template computes: no expression, parameters that are not its own, another type."""
    if template.defines is None or template.computes is None:
        return
    names = set(_HOLE.findall(template.computes))
    for name in sorted(names - template.parameters.keys() - set(TIMES)):
        expected = f"a parameter, or one of {', '.join(f'${one}' for one in TIMES)}"
        hint = did_you_mean(name, [*template.parameters, *TIMES])
        yield document.problem(("computes",), "dangling_reference", expected, f"${name}", hint)
        return
    open_ = [name for name, one in template.parameters.items() if one.default is None]
    for name in open_:
        yield document.problem(("parameters", name), "no_default", "a default", "none")
    wanted = type_of_kind(template.defines or "")
    if open_ or wanted is None:
        if wanted is None:
            yield document.problem(("defines",), "unknown_quantity", "a quantity kind", repr(template.defines))
        return
    values = {name: one.default for name, one in template.parameters.items()}
    try:
        found = computed(template, {**values, "before": "2000-01-01", "after": "2000-01-02"})
    except PlanningError as error:
        expected = "an expression (docs/questions.md)"
        yield document.problem(("computes",), "not_an_expression", expected, error.found or "")
        return
    checked = check(found)
    if checked.type is None:
        yield document.problem(("computes",), "misfit", "parts that fit", "; ".join(map(str, checked.misfits)))
    elif (checked.type.of, checked.type.space) != (wanted.of, wanted.space):
        yield document.problem(("computes",), "other_type", str(wanted), str(checked.type))


def _during(e: Expression, when: Times) -> Expression:
    """What is made pixel by pixel of quantities, of those of a time: the same as of them all, restricted to it."""
    if isinstance(e, Quantity):
        return During(e, when) if type_of(During(e, when)) is not None else e  # of what stands for all times, itself
    return with_children(e, lambda below: _during(below, when))


def _dated(e: Quantity) -> bool:
    own = type_of_kind(e.kind)
    return own is not None and "date" in own.keys


def _without_time(before: Expression, after: Expression) -> Expression:
    """A restriction in time, or a statistic over dates, of what has none any more: that itself."""
    if not isinstance(before, During | Over) or not isinstance(after, During | Over):
        return after
    below = type_of(after.x)
    if below is None or below.grain is not None:
        return after
    if isinstance(after, During):
        return after.x if isinstance(after.when, Times) and not _standing(below) else after
    was = type_of(before.x)
    timely = was is not None and was.grain is not None and after.axes in ("time", was.grain)
    if timely and (after.statistic in ITSELF or (after.statistic in ("any", "all") and below.of == "truth")):
        return after.x
    return replace(after, axes="space") if after.axes == "both" else after


def _standing(own: Type) -> bool:
    return own.of == "class" and own.space
