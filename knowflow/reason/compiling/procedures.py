"""Templates that a question asks for by name: their parameters from what is said, their inputs from the folder."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document
from knowflow.model.goal import FIRST, LAST, Period
from knowflow.model.template import Template
from knowflow.model.workflow import Value
from knowflow.question.operators import Apply, During, Expression, Number, Quantity, Within
from knowflow.question.times import Times
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.data import CLEARED, NO_CLOUD
from knowflow.reason.compiling.made import constant, refuse
from knowflow.reason.definitions import TIMES
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.parameter_values import given_value

_DECEMBER = 12


@dataclass(frozen=True, slots=True)
class Called:
    """What a template delivers, its answer first, and the values of its parameters."""

    outputs: dict[str, Value]
    parameters: dict[str, Any]


def carried_out(
    e: Apply, template: Template, work: Instantiation, data: DataSource, given: Mapping[str, Any]
) -> Called:
    """A template with what a question says of it; ``given`` are parameters that are set beside what the question says.

    Raises:
        PlanningError: it takes no such part, a parameter is open or no such value, or the data do not fit.
    """
    quantity, when, cleared = _told_of(e)
    parameters: dict[str, Bound] = {}
    said: dict[str, Any] = {} if quantity is None else {_quantity_of(e, template): quantity}
    compares = all(name in template.parameters for name in TIMES)
    if compares and not given.keys() & set(TIMES):
        said |= dict(zip(TIMES, _two_times(e, when, data), strict=True))
    said |= {name: _setting(e, one) for name, one in e.settings} | dict(e.having)
    for name, value in (said | dict(given)).items():
        if name not in template.parameters:
            raise refuse(e, f"{template.template} with {name}", did_you_mean(name, template.parameters))
        parameters[name] = constant(given_value(value, template.parameters[name], parameters, name))
    period = None if compares or when is None else _period(e, when)
    before = len(work.decisions)
    results = work.template(template, parameters, {}, period=period)
    if cleared and not any(one.chosen == CLEARED for one in work.decisions[before:]):
        raise refuse(e, f"{template.template} without clouds", "no mask of clouds is at hand: ask for it as it is")
    outputs = {name: bound.value for name, bound in results.outputs.items() if bound is not None}
    if not outputs:
        raise PlanningError(f"{template.title}: nothing is left to answer with", where=template.template)
    answer = "answer" if "answer" in outputs else next(iter(outputs))
    known = {name: bound.known for name, bound in parameters.items()}
    return Called({answer: outputs.pop(answer), **outputs}, known)


def _told_of(e: Apply) -> tuple[str | None, Times | None, bool]:
    """The quantity that a template is told of, the time, and whether clouds are to be left out."""
    if not e.parts:
        return None, e.when, False
    part: Expression = e.parts[0]
    when, cleared = e.when, False
    while isinstance(part, During | Within):
        if isinstance(part, Within) and part.where == NO_CLOUD:
            cleared = True
        elif isinstance(part, During) and isinstance(part.when, Times) and when is None:
            when = part.when
        else:
            break
        part = part.x
    if len(e.parts) > 1 or not isinstance(part, Quantity) or part.method or part.having:
        raise refuse(e, f"{e.tool} of this", "ask for it of a quantity by its name, and of one time")
    return part.kind, when, cleared


def _quantity_of(e: Apply, template: Template) -> str:
    found = next((name for name, one in template.parameters.items() if one.type == "quantity"), None)
    if found is None:
        raise refuse(e, f"{e.tool} of a quantity", "it is of none")
    return found


def _setting(e: Apply, said: Expression) -> Any:
    if not isinstance(said, Number):
        raise refuse(e, "a place")
    return said.value if said.unit == "1" else f"{said.value!r} {said.unit}"


def _period(e: Apply, when: Times) -> Period:
    if when.first is None and when.last is None:
        raise refuse(e, f"{e.tool} of {when}", "say the dates: 2022-06-01 to 2022-08-31")
    return Period(str(when.first or FIRST), str(when.last or LAST))


def _two_times(e: Apply, when: Times | None, data: DataSource) -> tuple[str, str]:
    """The times that are compared: the first and the last day, month or year of the time that is asked about; of a
    folder with two dates these, where no time is said.

    Raises:
        PlanningError: which two are meant is not said.
    """
    first, last = (None, None) if when is None else (when.first, when.last)
    if first is not None and last is not None:
        grain = _grain(first, last)
        one, other = str(first)[:grain], str(last)[:grain]
        if one != other:
            return one, other
    rasters = data.candidates("raster", (), (), None) if when is None else ()
    days = sorted({str(moment)[:10] for one in rasters if (moment := one.fact("datetime"))})
    if len(days) == 2:
        return days[0], days[1]
    raise PlanningError(
        f"{e.tool.replace('_', ' ')} compares two times",
        expected="a time from before to after: between 2020-06-01 and 2020-09-01",
        found=str(when) if when is not None else f"{len(days)} dates, and no time in the question",
    )


def _grain(first: date, last: date) -> int:
    """How much of the text of a date tells the ends of a time apart: of whole years the year, of whole months these."""
    if first.day != 1 or (last + timedelta(days=1)).day != 1:
        return len("2020-06-01")
    return len("2020") if first.month == 1 and last.month == _DECEMBER else len("2020-06")


def procedure_problems(template: Template, tools: Collection[str], document: Document) -> Iterator[Problem]:
    """What keeps a template from being asked for: the name of a tool, one time of two, a quantity that is none."""
    if template.answers:
        expected = "asked: the nouns by which a question asks for it"
        found, hint = f"answers: [{', '.join(template.answers)}]", "it is asked for by its keywords meanwhile"
        yield replace(document.problem(("answers",), "old_key", expected, found, hint), severity="warning")
    if not template.asked:
        return
    if template.template in tools:
        yield document.problem(("template",), "name_taken", "a name that no tool has", template.template)
    compared = [name for name in TIMES if name in template.parameters]
    if len(compared) == 1:
        expected = f"both times that are compared, {' and '.join(TIMES)}, or none"
        yield document.problem(("parameters",), "one_time_alone", expected, compared[0])
    quantities = ", ".join(name for name, one in template.parameters.items() if one.type == "quantity")
    if "," in quantities:
        yield document.problem(("parameters",), "several_quantities", "one quantity that it is of", quantities)
    if template.of is not None and (template.of not in quantity_kinds() or not quantities):
        expected, hint = "a quantity kind, and a parameter for it", did_you_mean(template.of, quantity_kinds())
        yield document.problem(("of",), "unknown_quantity", expected, template.of, hint)
    for number, noun in enumerate(template.asked):
        if not any(map(str.isalpha, noun)):
            yield document.problem(("asked", number), "no_word", "words that a question may say", repr(noun))
