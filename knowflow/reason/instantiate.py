"""From a template to a workflow: parameters bound, data chosen, methods selected, lists expanded, gaps filled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption, Decision, Quality
from knowflow.model.reference import steps_in_order
from knowflow.model.template import Step, Template
from knowflow.reason.applicability import (
    NoMethodError,
    NotApplicableError,
    Reason,
    bind_parameters,
    reason_of,
    require_parameters,
)
from knowflow.reason.area import Area
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.inputs import DataSource, Having, choose_input, mixture_of, of_another_time
from knowflow.reason.inventory.dates import PeriodError, period_of
from knowflow.reason.pairing import groups, pair
from knowflow.reason.scope import Results, Scope, titled

MAX_NESTING = 8
_USUAL = 0.5  # how likely a method is to make it of which nothing is known
_MOST_LEFT_OUT = 10  # items that are told by name


class Instantiation:
    """One attempt to make a workflow; decisions and assumptions are collected on the way."""

    def __init__(
        self,
        catalogue: Catalogue,
        data: DataSource,
        builder: Builder,
        area: Area | None = None,
        likely: Mapping[str, float] | None = None,
    ) -> None:
        self._catalogue = catalogue
        self.data = data
        self._builder = builder
        self._area = area
        self._likely = likely or {}  # of methods that failed before, how likely they are to make it
        self.having: Having = ()  # of which data alone inputs are taken
        self.decisions: list[Decision] = []
        self.assumptions: list[Assumption] = []
        self.quality: list[Quality] = []

    def template(
        self,
        template: Template,
        parameters: Mapping[str, Bound],
        inputs: Mapping[str, Bound | None],
        *,
        path: str = "",
        period: Period | None = None,
        depth: int = 0,
    ) -> Results:
        """Instantiate a template.

        Raises:
            PlanningError: a parameter is open, no data fit an input, no method applies, or a condition cannot be met.
        """
        if depth > MAX_NESTING:
            raise PlanningError("templates are nested too deeply", where=template.template, found=path)
        bound, assumed = bind_parameters(template, parameters, path)
        self.assumptions += [assumption for assumption in assumed if assumption not in self.assumptions]
        scope = Scope(self._builder, template, bound, {}, path, template.layer, period)
        require_parameters(scope)
        for name, declared in template.inputs.items():
            scope.inputs[name] = inputs.get(name)
            if scope.inputs[name] is None:
                found = choose_input(name, declared, scope, self.data, self._area, self.having)
                scope.inputs[name] = found
                mixed = () if found is None else mixture_of(found.known)
                self.assumptions += [Assumption(told, True, "data", name) for told in mixed]
                if found is not None and (day := of_another_time(found.known, period)):
                    told = f"{declared.title or name} of {day} is taken for the time that is asked about"
                    self.assumptions.append(Assumption(told, True, "data", "there is none of that time"))
        scope.require(template.when)
        for name, step in steps_in_order(template):
            scope.results[name] = self._step(name, step, scope, depth)
        self.assumptions += [Assumption(text, True, "template", template.title) for text in template.assumes]
        self.quality += [scope.quality(text) for text in template.quality]
        return Results({name: scope.value(value) for name, value in template.outputs.items()})

    @contextmanager
    def attempt(self, keep: bool = False) -> Iterator[None]:
        """What is added and noted meanwhile is forgotten at the end; with ``keep`` only where it fails."""
        mark = self._builder.mark()
        notes: tuple[list[Any], ...] = (self.decisions, self.assumptions, self.quality)
        lengths = [len(found) for found in notes]
        done = False
        try:
            yield
            done = keep
        finally:
            if not done:
                self._builder.undo(mark)
                for found, length in zip(notes, lengths, strict=True):
                    del found[length:]

    def _step(self, name: str, step: Step, scope: Scope, depth: int) -> Results:
        if step.when is not None and scope.evaluate(step.when).truth is not True:
            return Results({"output": scope.value(step.else_)})
        self.assumptions += [Assumption(text, True, "template", scope.template.title) for text in step.assumes]
        arguments = {key: scope.value(value) for key, value in step.with_.items()}
        given = {key: bound for key, bound in arguments.items() if bound is not None}
        path = scope.path_of(name)
        if not step.for_each:
            return self._once(step, given, scope, path, depth)
        rows = self._rows(step, scope, path)
        alone = len(rows) == 1
        each = [
            self._once(step, {**given, **row}, scope, path if alone else f"{path}.{key[:10]}", depth)
            for key, row in rows
        ]
        keys = tuple(key for key, _ in rows)
        gathered: dict[str, Bound | None] = {}
        for output in each[0].outputs:
            bounds = [bound for result in each if (bound := result.outputs[output]) is not None]
            gathered[output] = replace(self._builder.series(bounds), keys=keys) if bounds else None
        return Results(gathered)

    def _rows(self, step: Step, scope: Scope, path: str) -> list[tuple[str, dict[str, Bound]]]:
        """What a step is carried out for: items paired, or, with ``by``, those that are taken together."""
        beside: dict[str, str] = {}
        lists: dict[str, Bound] = {}
        for key, value in step.for_each.items():
            if isinstance(value, dict) and value.keys() == {"of", "beside"}:
                beside[key], value = value["beside"], value["of"]
            bound = scope.value(value)
            if bound is not None:
                lists[key] = bound
        by = None if step.by is None else scope.value(step.by)
        if by is not None:
            taken = {name: dict(groups(self._builder, bound, by.known, path)) for name, bound in lists.items()}
            first = next(iter(taken.values()))
            return [(key, {name: found[key] for name, found in taken.items() if key in found}) for key in first]
        left_out: list[str] | None = [] if step.unpaired == "leave_out" else None
        rows = pair(self._builder, lists, path, beside, left_out, step.once is not None, step.of_one is not None)
        if left_out:
            some = "; ".join(left_out[:_MOST_LEFT_OUT])
            some += f" and {len(left_out) - _MOST_LEFT_OUT} more" if len(left_out) > _MOST_LEFT_OUT else ""
            told = f"{len(left_out)} of {len(rows) + len(left_out)} left out: {some}"
            self.assumptions.append(Assumption(told, True, "pairing"))
        return rows

    def _once(self, step: Step, given: dict[str, Bound], scope: Scope, path: str, depth: int) -> Results:
        match step.kind:
            case "tool":
                title = titled(step.title, scope.parameters)
                node = self._builder.add(step.target, given, layer=scope.layer, step=path, title=title)
                return Results({name: self._builder.output(node, name) for name in self._builder.outputs_of(node)})
            case "template":
                called = self._catalogue.templates[step.target]
                return self._called(called, step, given, scope, path, depth)
            case "task":
                return self._by_method(step, given, scope, path, depth)

    def _called(
        self, called: Template, step: Step, given: dict[str, Bound], scope: Scope, path: str, depth: int
    ) -> Results:
        parameters = {name: bound for name, bound in given.items() if name in called.parameters}
        inputs = {name: bound for name, bound in given.items() if name in called.inputs}
        period = self._period(step, scope)
        return self.template(called, parameters, inputs, path=path, period=period, depth=depth + 1)

    def _period(self, step: Step, scope: Scope) -> Period | None:
        bound = None if step.period is None else scope.value(step.period)
        if bound is None:
            return scope.period
        if isinstance(bound.known, Period):
            return bound.known
        try:
            start, end = period_of(str(bound.known))
        except PeriodError as error:
            raise PlanningError(
                "this compares times",
                where=str(step.period),
                expected=error.expected,
                found=error.found,
                hint="of two places, ask for each by itself",
            ) from None
        return Period(start or "0001-01-01", end or "9999-12-31")

    def _by_method(self, step: Step, given: dict[str, Bound], scope: Scope, path: str, depth: int) -> Results:
        """The first method, by preference, that the data allow; the others are kept with the reason."""
        authored = [method for method in self._catalogue.methods(step.target) if method.layer <= scope.layer]
        methods = sorted(authored, key=lambda one: (-one.preference, -self._likely.get(one.template, _USUAL)))
        wanted = given.get("method")
        rejected: list[tuple[str, str]] = []
        reasons: list[tuple[str, Reason]] = []
        for method in methods:
            if wanted is not None and wanted.known not in (method.template, *method.keywords):
                rejected.append((method.template, f"the question asks for {wanted.known}"))
                reasons.append((method.template, Reason(rejected[-1][1])))
                continue
            before = len(self.decisions)
            try:
                with self.attempt(keep=True):
                    results = self._called(method, step, given, scope, path, depth)
            except NotApplicableError:
                continue
            except PlanningError as error:
                why = reason_of(error)
                rejected.append((method.template, str(why)))
                reasons += error.reasons if isinstance(error, NoMethodError) else ((method.template, why),)
                continue
            later = [one for one in authored[: authored.index(method)] if methods.index(one) > methods.index(method)]
            rejected += [(one.template, f"{_told(self._likely[one.template])}: it is tried later") for one in later]
            decision = Decision(f"{step.target} at {path}", method.template, method.title, tuple(rejected))
            self.decisions.insert(before, decision)
            return results
        said = ((name, bound.known) for name, bound in given.items() if isinstance(bound.known, str))
        what = ", ".join(f"{name} {known.replace('_', ' ')}" for name, known in said)
        raise NoMethodError(f"{step.target.replace('_', ' ')}{f' ({what})' if what else ''}", path, reasons)


def _told(likely: float) -> str:
    return f"by its record in this project it makes it in {likely:.0%} of runs"
