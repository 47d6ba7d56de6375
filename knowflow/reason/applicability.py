"""Whether a template applies: its parameters bound and in range, its conditions on them, and how a refusal reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.model.plan import Assumption
from knowflow.model.template import Template
from knowflow.model.workflow import Given
from knowflow.reason.builder import Bound
from knowflow.reason.parameter_values import unit_of_limits
from knowflow.reason.scope import Scope
from knowflow.reason.slots import slot_of

_MOST = 4  # methods, and reasons, that a refusal names


class NotApplicableError(PlanningError):
    """A template is meant for other parameters than these."""

    code = "not_applicable"


class OpenParameterError(PlanningError):
    """A template needs a parameter that nobody named; ``slot`` is the part of a question that would name it."""

    def __init__(self, template: Template, name: str, where: str) -> None:
        parameter = template.parameters[name]
        super().__init__(
            f"{template.title}: the parameter {name!r} is open",
            where=where or template.template,
            expected=f"{name} ({parameter.type}{f', {parameter.title}' if parameter.title else ''})",
            found="nothing in the question",
            hint=f"say it in the question, or give --set {name}=VALUE",
        )
        self.slot = slot_of(name, parameter).partition(".")[0]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something is not for these data: what it needs, and what was found instead."""

    needs: str
    found: str = ""

    def __str__(self) -> str:
        return f"{self.needs}, found {self.found}" if self.found else self.needs


class NoMethodError(PlanningError):
    """No method of a task fits the data; ``reasons`` are those of the methods it came down to, each once."""

    code = "no_method"

    def __init__(self, task: str, where: str, reasons: Sequence[tuple[str, Reason]]) -> None:
        super().__init__(
            f"no method to {task} fits the data",
            where=where,
            expected="data for one of these methods",
            found=_in_one_line(reasons) or "none is meant for it",
            hint="add such data; where the files are there, say what they are: --assume NAME:quantity=...",
        )
        self.reasons = tuple(reasons)


def bind_parameters(
    template: Template, given: Mapping[str, Bound], where: str
) -> tuple[dict[str, Bound], list[Assumption]]:
    """Every parameter of a template: as given, else of the unit of its limits, else its default, which is assumed.

    Raises:
        PlanningError: a parameter is open, or its value is none of the choices or out of range.
    """
    found: dict[str, Bound] = {}
    assumptions: list[Assumption] = []
    for name, parameter in template.parameters.items():
        bound = given.get(name)
        if bound is not None and bound.known is not None:
            found[name] = bound
        elif (unit := unit_of_limits(parameter, found)) is not None:
            found[name] = Bound(Given(unit), unit)
        elif parameter.default is not None:
            value = tuple(parameter.default) if isinstance(parameter.default, list) else parameter.default
            found[name] = Bound(Given(value), value)
            source = f"{template.template}.{name}"
            assumptions.append(Assumption(parameter.title or name, value, "template default", source))
        elif not parameter.optional:
            raise OpenParameterError(template, name, where)
        if name in found:
            _refuse_bad_value(template, name, found[name].known)
    return found, assumptions


def require_parameters(scope: Scope) -> None:
    """Refuse a template that is meant for other parameters, before any data are looked for.

    Raises:
        NotApplicableError: a condition on the parameters does not hold.
    """
    try:
        scope.require(tuple(text for text in scope.template.when if "$inputs." not in text))
    except PlanningError as error:
        raise NotApplicableError(error.message, where=error.where, expected=error.expected, found=error.found) from None


def reason_of(error: KnowFlowError) -> Reason:
    """What an error wants, in one line, and what it found."""
    if isinstance(error, NoMethodError):
        return Reason(f"{error.message}: {error.found}")
    parts = [error.message]
    if error.expected:
        parts.append(f"needed {error.expected}")
    parts += [f"{problem.where} needed {problem.expected}, found {problem.found}" for problem in error.problems[:2]]
    return Reason(", ".join(parts), error.found or "")


def _in_one_line(reasons: Sequence[tuple[str, Reason]]) -> str:
    """The reasons, by method, those of single ones first; what several share, or all of them found, is said once."""
    methods: dict[Reason, list[str]] = {}
    for name, reason in dict.fromkeys(reasons):
        methods.setdefault(reason, []).append(name)
    first = sorted(methods.items(), key=lambda item: len(item[1]))[:_MOST]
    named = [(", ".join(names[:_MOST]) + (", ..." if len(names) > _MOST else ""), reason) for reason, names in first]
    found = {reason.found for _, reason in named}
    if len(found) == 1 and "" not in found and len(named) > 1:
        return "; ".join(f"{names}: {reason.needs}" for names, reason in named) + f"; found {found.pop()}"
    return "; ".join(f"{names}: {reason}" for names, reason in named)


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
