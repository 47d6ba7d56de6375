"""From a template to a workflow: parameters bound, data chosen, methods selected, lists expanded, gaps filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Expression, parse
from knowflow.model.evaluate import evaluate
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption, Decision, Quality
from knowflow.model.predicates import bands_needed
from knowflow.model.reference import OF_A_LIST, Reference, reference, references, steps_in_order
from knowflow.model.template import Step, Template, TemplateInput
from knowflow.model.verdict import Verdict
from knowflow.model.workflow import BandsOf, Given, Value
from knowflow.reason.area import Area
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.pairing import groups, keys_of, pair
from knowflow.reason.slots import unit_of_limits

MAX_NESTING = 8


class NotApplicableError(PlanningError):
    """A template is meant for other parameters than these."""

    code = "not_applicable"


class NoMethodError(PlanningError):
    """No method of a task fits the data; ``reasons`` are those of the methods it came down to, each once."""

    code = "no_method"

    def __init__(self, task: str, where: str, reasons: Mapping[str, str]) -> None:
        super().__init__(
            f"no method to {task} fits the data",
            where=where,
            expected="data for one of these methods",
            found="; ".join(f"{name}: {why}" for name, why in list(reasons.items())[:4]) or "none is meant for it",
            hint="add such data; where the files are there, say what they are: --assume NAME:quantity=...",
        )
        self.reasons = reasons


class DataSource(Protocol):
    """Where inputs come from: candidates that fit a declared input, best first, and what was looked through."""

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]: ...

    def summary(self) -> str: ...


@dataclass
class Results:
    """The named outputs of a step or a template; the first is the primary one. None: left out."""

    outputs: dict[str, Bound | None]

    @property
    def primary(self) -> Bound | None:
        return next(iter(self.outputs.values()), None)


@dataclass
class Scope:
    """What the references of one template mean."""

    template: Template
    parameters: dict[str, Bound]
    inputs: dict[str, Bound | None]
    path: str
    layer: int
    period: Period | None
    results: dict[str, Results] = field(default_factory=dict)


class Instantiation:
    """One attempt to make a workflow; decisions and assumptions are collected on the way."""

    def __init__(self, catalogue: Catalogue, data: DataSource, builder: Builder, area: Area | None = None) -> None:
        self._catalogue = catalogue
        self._data = data
        self._builder = builder
        self._area = area
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
        scope = Scope(template, self._parameters(template, parameters, path), {}, path, template.layer, period)
        self._require_parameters(template.when, scope)
        for name, declared in template.inputs.items():
            scope.inputs[name] = self._input(name, declared, inputs.get(name), scope)
        self._require(template.when, scope)
        for name, step in steps_in_order(template):
            scope.results[name] = self._step(name, step, scope, depth)
        self.assumptions += [Assumption(text, True, "template", template.title) for text in template.assumes]
        for text in template.quality:
            self.quality.append(self._quality(text, scope))
        return Results({name: self._value(value, scope) for name, value in template.outputs.items()})

    # --- parameters, inputs, conditions ---------------------------------------------------------------------------

    def _parameters(self, template: Template, given: Mapping[str, Bound], path: str) -> dict[str, Bound]:
        found: dict[str, Bound] = {}
        for name, parameter in template.parameters.items():
            bound = given.get(name)
            if bound is not None and bound.known is not None:
                found[name] = bound
            elif (unit := unit_of_limits(parameter, found)) is not None:
                found[name] = Bound(Given(unit), unit)
            elif parameter.default is not None:
                value = tuple(parameter.default) if isinstance(parameter.default, list) else parameter.default
                found[name] = Bound(Given(value), value)
                assumption = Assumption(
                    parameter.title or name, value, "template default", f"{template.template}.{name}"
                )
                if assumption not in self.assumptions:
                    self.assumptions.append(assumption)
            elif not parameter.optional:
                raise PlanningError(
                    f"{template.title}: the parameter {name!r} is open",
                    where=path or template.template,
                    expected=f"{name} ({parameter.type}{f', {parameter.title}' if parameter.title else ''})",
                    found="nothing in the question",
                    hint=f"say it in the question, or give --set {name}=VALUE",
                )
            if name in found:
                _refuse_bad_value(template, name, found[name].known)
        return found

    def _require_parameters(self, conditions: tuple[str, ...], scope: Scope) -> None:
        """Refuse a template that is meant for other parameters, before any data are looked for."""
        try:
            self._require(tuple(text for text in conditions if "$inputs." not in text), scope)
        except PlanningError as error:
            raise NotApplicableError(
                error.message, where=error.where, expected=error.expected, found=error.found
            ) from None

    def _require(self, conditions: tuple[str, ...], scope: Scope) -> None:
        for text in conditions:
            verdict = self._evaluate(parse(text), scope)
            if verdict.truth is not True:
                raise PlanningError(
                    f"{scope.template.template} does not apply",
                    where=scope.path or scope.template.template,
                    expected=text,
                    found=verdict.because or "not so",
                )

    def _evaluate(self, condition: Expression, scope: Scope) -> Verdict:
        environment: dict[str, Any] = {
            f"${name}": None if bound is None else bound.known for name, bound in scope.parameters.items()
        }
        environment.update(
            {f"$inputs.{name}": None if bound is None else bound.known for name, bound in scope.inputs.items()}
        )
        for name, results in scope.results.items():
            environment[f"${name}"] = None if results.primary is None else results.primary.known
        return evaluate(condition, environment)

    def _input(self, name: str, declared: TemplateInput, given: Bound | None, scope: Scope) -> Bound | None:
        if given is not None:
            return given
        quantities = self._quantities(declared, scope)
        bands = self._bands(declared, scope)
        rejected: list[tuple[str, str]] = []
        for artifact in self._data.candidates(declared.type, quantities, bands, scope.period):
            why = self._unfit(declared, artifact, scope)
            if why is None:
                bound = self._builder.input(f"{scope.path}.{name}" if scope.path else name, artifact)
                if self._area is not None:
                    bound = self._area.clipped(self._builder, bound, name)
                return Bound(bound.value, bound.known, keys_of(artifact))
            rejected.append((artifact.name, why))
        if declared.optional:
            return None
        wanted = " or ".join(quantities) or declared.title or declared.type
        when = "" if scope.period is None else f" from {scope.period.start} to {scope.period.end}"
        with_bands = f" with the bands {', '.join(bands)}" if bands else ""
        raise PlanningError(
            f"no data for {declared.title or name!r}",
            where=scope.path or scope.template.template,
            expected=f"{declared.type} of {wanted}{with_bands}{when}",
            found="; ".join(f"{item}: {why}" for item, why in rejected[:3]) or self._data.summary(),
        )

    def _quantities(self, declared: TemplateInput, scope: Scope) -> tuple[str, ...]:
        found: list[str] = []
        for quantity in declared.quantity:
            if not quantity.startswith("$"):
                found.append(quantity)
            elif (bound := scope.parameters.get(quantity[1:])) is not None:
                found += bound.known if isinstance(bound.known, tuple) else (str(bound.known).casefold(),)
        return tuple(found)

    def _bands(self, declared: TemplateInput, scope: Scope) -> tuple[str, ...]:
        found: list[str] = []
        for band in declared.bands:
            if not band.startswith("$"):
                found.append(band)
                continue
            bound = scope.parameters.get(band[1:])
            needed = None if bound is None else bands_needed(bound.known)
            found += needed or ()
        return tuple(dict.fromkeys(found))

    def _unfit(self, declared: TemplateInput, artifact: Artifact, scope: Scope) -> str | None:
        """Why a candidate cannot be taken; None when it can."""
        if declared.minimum_count is not None and len(artifact.items or (artifact,)) < declared.minimum_count:
            return f"{len(artifact.items or (artifact,))} items, {declared.minimum_count} needed"
        for text in declared.where:
            environment = {f"${name}": bound.known for name, bound in scope.parameters.items()}
            verdict = evaluate(parse(text), {**environment, "it": artifact})
            if verdict.truth is not True:
                return verdict.because or f"not {text}"
        return None

    def _quality(self, text: str, scope: Scope) -> Quality:
        from knowflow.model.condition import names

        values: dict[str, Value] = {}
        for name in names(parse(text)):
            ref = reference(name)
            bound = None if ref is None else self._look_up(ref, scope)
            if bound is not None:
                values[name] = bound.value
        return Quality(text, values)

    # --- values ---------------------------------------------------------------------------------------------------

    def _look_up(self, ref: Reference, scope: Scope) -> Bound | None:
        if ref.head == "inputs":
            return scope.inputs.get(ref.tail)
        if ref.head in scope.template.parameters:
            return scope.parameters.get(ref.head)
        results = scope.results[ref.head]
        if not ref.tail:
            return results.primary
        if ref.tail in OF_A_LIST and ref.tail not in results.outputs:
            return self._of_list(results.primary, ref.tail)
        if ref.tail not in results.outputs:
            raise PlanningError(
                f"{ref} does not exist",
                where=scope.path,
                expected=f"one of {', '.join(results.outputs)}",
                found=ref.tail,
            )
        return results.outputs[ref.tail]

    def _of_list(self, bound: Bound | None, tail: str) -> Bound | None:
        """The first or last item of a list, or what its items are called: dates, names, groups (years as numbers)."""
        if bound is None:
            return None
        if tail in ("first", "last"):
            return self._builder.items(bound)[0 if tail == "first" else -1]
        named = bound.keys or (keys_of(bound.known) if isinstance(bound.known, Artifact) else ())
        words = tuple(key[:4] for key in named) if tail == "years" else named
        keys = tuple(int(key) if key.isdigit() else key for key in words)
        return Bound(Given(keys), keys) if keys else None

    def _value(self, value: Any, scope: Scope) -> Bound | None:
        ref = reference(value)
        if ref is not None:
            return self._look_up(ref, scope)
        if isinstance(value, dict):
            members = {name: self._value(item, scope) for name, item in value.items()}
            kept = {name: bound for name, bound in members.items() if bound is not None}
            if kept and all(isinstance(bound.known, Artifact) for bound in kept.values()):
                from knowflow.model.artifact import band_set

                known = band_set({name: bound.known for name, bound in kept.items()})
                return Bound(BandsOf({name: bound.value for name, bound in kept.items()}), known)
            plain = {name: bound.known for name, bound in kept.items()}
            return Bound(Given(plain), plain)
        if isinstance(value, (list, tuple)):
            items = [bound for item in value if (bound := self._value(item, scope)) is not None]
            spread = [
                part
                for bound in items
                for part in (self._builder.items(bound) if isinstance(bound.known, Artifact) else [bound])
            ]
            return self._builder.series(spread)
        return None if value is None else Bound(Given(value), value)

    # --- steps ----------------------------------------------------------------------------------------------------

    def _step(self, name: str, step: Step, scope: Scope, depth: int) -> Results:
        if step.when is not None and self._evaluate(parse(step.when), scope).truth is not True:
            return Results({"output": self._value(step.else_, scope)})
        self.assumptions += [Assumption(text, True, "template", scope.template.title) for text in step.assumes]
        arguments = {key: self._value(value, scope) for key, value in step.with_.items()}
        given = {key: bound for key, bound in arguments.items() if bound is not None}
        path = f"{scope.path}.{name}" if scope.path else name
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
            bound = self._value(value, scope)
            if bound is not None:
                lists[key] = bound
        by = None if step.by is None else self._value(step.by, scope)
        if by is not None:
            taken = {name: dict(groups(self._builder, bound, by.known, path)) for name, bound in lists.items()}
            first = next(iter(taken.values()))
            return [(key, {name: found[key] for name, found in taken.items() if key in found}) for key in first]
        left_out: list[str] | None = [] if step.unpaired == "leave_out" else None
        rows = pair(self._builder, lists, path, beside, left_out, step.once is not None)
        if left_out:
            some = ", ".join(left_out[:3]) + (", ..." if len(left_out) > 3 else "")
            self.assumptions.append(Assumption(f"{len(left_out)} without a partner", "left out", "pairing", some))
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
        bound = None if step.period is None else self._value(step.period, scope)
        if bound is None:
            return scope.period
        if isinstance(bound.known, Period):
            return bound.known
        start, _, end = str(bound.known).partition("/")
        return Period(start, end or start)

    def _by_method(self, step: Step, given: dict[str, Bound], scope: Scope, path: str, depth: int) -> Results:
        """The first method, by preference, that the data allow; the others are kept with the reason."""
        methods = [method for method in self._catalogue.methods(step.target) if method.layer <= scope.layer]
        wanted = given.get("method")
        rejected: list[tuple[str, str]] = []
        reasons: dict[str, str] = {}
        for method in methods:
            if wanted is not None and wanted.known not in (method.template, *method.keywords):
                rejected.append((method.template, f"the question asks for {wanted.known}"))
                reasons[method.template] = rejected[-1][1]
                continue
            mark = self._builder.mark()
            kept = (len(self.decisions), len(self.assumptions), len(self.quality))
            try:
                results = self._called(method, step, given, scope, path, depth)
            except PlanningError as error:
                self._builder.undo(mark)
                for found, length in zip((self.decisions, self.assumptions, self.quality), kept, strict=True):
                    del found[length:]  # type: ignore[attr-defined]
                if isinstance(error, NotApplicableError):
                    continue
                rejected.append((method.template, reason_of(error)))
                reasons |= error.reasons if isinstance(error, NoMethodError) else {method.template: rejected[-1][1]}
                continue
            decision = Decision(f"{step.target} at {path}", method.template, method.title, tuple(rejected))
            self.decisions.insert(kept[0], decision)
            return results
        what = ", ".join(f"{name} {bound.known}" for name, bound in given.items() if isinstance(bound.known, str))
        raise NoMethodError(f"{step.target.replace('_', ' ')}{f' ({what})' if what else ''}", path, reasons)


def titled(text: str, parameters: Mapping[str, Bound]) -> str:
    """A title with the values of the parameters it names: ``$quantity`` as the quantity's title."""
    for ref in references(text):
        bound = parameters.get(ref.head)
        if bound is not None and not ref.tail:
            kind = quantity_kinds().get(str(bound.known).casefold())
            text = text.replace(str(ref), kind.title if kind is not None else _short(bound.known))
    return text


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def reason_of(error: KnowFlowError) -> str:
    """An error in one line."""
    if isinstance(error, NoMethodError):
        return f"{error.message}: {error.found}"
    parts = [error.message]
    if error.expected:
        parts.append(f"needed {error.expected}")
    if error.found:
        parts.append(f"found {error.found}")
    parts += [f"{problem.where} needed {problem.expected}, found {problem.found}" for problem in error.problems[:2]]
    return ", ".join(parts)


def _refuse_bad_value(template: Template, name: str, value: Any) -> None:
    parameter = template.parameters[name]
    if parameter.choices and value not in parameter.choices:
        raise PlanningError(
            f"{template.title}: {name} cannot be {value!r}",
            where=template.template,
            expected=f"one of {', '.join(map(str, parameter.choices))}",
            found=repr(value),
        )
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = parameter.minimum, parameter.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            raise PlanningError(
                f"{template.title}: {name} is out of range",
                where=template.template,
                expected=f"{low if low is not None else '-inf'} to {high if high is not None else 'inf'}",
                found=f"{value:g}",
            )
