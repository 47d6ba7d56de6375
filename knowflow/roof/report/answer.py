"""The head of a report: what was asked, what came out, in one sentence, and how the run ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cos, isclose, radians
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.model.trace import Trace
from knowflow.question.operators import Point, Quantity
from knowflow.question.phrases import named_point
from knowflow.question.words import in_words
from knowflow.roof.notation import (
    also,
    as_sure_as,
    day,
    day_in_words,
    literal,
    measure,
    number,
    plain,
    unit_sign,
    words,
)
from knowflow.roof.report.behind import numbers_behind

LONGEST_WORDS = 400  # characters of an answer in words
_MOST_SAID = 3
_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer as it is printed; ``detail`` is the same amount in another unit, or the interval in which it lies;
    ``asked`` is what a part is of."""

    name: str
    value: str
    unit: str
    detail: str
    asked: str = ""


def answers_of(trace: Trace) -> tuple[Answer, ...]:
    """The numbers and texts a run ended with, that which was asked for first; none where there are only files."""
    single = [(name, one) for name, one in trace.told.items() if _is_single(one)]
    single.sort(key=lambda pair: pair[0] != trace.answer_name)
    parts = trace.plan.parts
    found = [replace(_answer(name, artifact), asked=parts.get(name, "")) for name, artifact in single]
    if found and not parts and (told := trend_told(trace)) is not None:
        found[0] = replace(found[0], value=told[0], detail=told[1])
    return tuple(found)


def told_elsewhere(trace: Trace) -> tuple[str, ...]:
    """The parts of a question whose answers are no numbers: maps and tables, which stand by themselves."""
    parts = trace.plan.parts
    return tuple(plain(parts[name]) for name, one in trace.told.items() if name in parts and not _is_single(one))


def _is_single(artifact: Artifact) -> bool:
    return artifact.type in ("scalar", "text")


def trend_told(trace: Trace) -> tuple[str, str] | None:
    """The slope of a trend with no more digits than its interval leaves sure, and the interval; None of all else."""
    answer = trace.answer
    line = next((one.line for one in numbers_behind(trace) if one.line is not None), None)
    if answer is None or line is None or not isinstance(answer.value, float) or not isclose(answer.value, line.slope):
        return None
    value, lower, upper = (
        as_sure_as(one, (line.upper - line.lower) / 2) for one in (line.slope, line.lower, line.upper)
    )
    return value, f"95 % interval {lower} to {upper}"


def _answer(name: str, artifact: Artifact) -> Answer:
    unit = artifact.fact("unit")
    value = artifact.value
    text = number(value) if isinstance(value, (int, float)) else literal(value, LONGEST_WORDS)
    return Answer(words(name), text, unit_sign(unit), also(value, unit, artifact.fact("quantity")))


def reading(trace: Trace) -> str:
    """One sentence that says what was computed, with which parameters; nothing where the parts of a question each say
    it with what came out.

    The quantities of a question are told in its words.
    """
    plan, asked = trace.plan, "question" in trace.plan.understood
    if not plan.workflow.nodes or (plan.parts and plan.parts.keys() <= trace.told.keys()):
        return ""
    what = plain(plan.title or words(plan.template) or "Result")
    given = [
        f"{words(name)} {parameter(value)}"
        for name, value in plan.parameters.items()
        if value is not None and name not in plan.inputs and not (asked and str(value) in quantity_kinds())
    ]
    return f"{what}{': ' + ', '.join(given) if given else ''}."


def parameter(value: Any) -> str:
    """A parameter in words: a quantity kind by its title, a quantity with unit as such."""
    if isinstance(value, str) and value in quantity_kinds():
        return quantity_kinds()[value].title
    if isinstance(value, Mapping) and {"value", "unit"} <= set(value):
        return measure(value["value"], value["unit"])
    return literal(value)


def data_read(trace: Trace) -> str:
    """What the answer rests on, in one sentence: how many files, of which quantities, sensors and days, and where."""
    found = list(input_files(trace))
    paths = {artifact.path for artifact in found}
    if not paths:
        return ""
    kinds = dict.fromkeys(_called(str(kind)) for a in found if (kind := a.fact("quantity")))
    sensors = dict.fromkeys(plain(s) for a in found if (s := a.fact("sensor")))
    days = sorted({day(moment) for a in found if (moment := a.fact("datetime"))})
    text = f"From {len(paths):,} file{'' if len(paths) == 1 else 's'}"
    if said := [*list(kinds)[:_MOST_SAID], *list(sensors)[:_MOST_SAID]]:
        more = " and others" if max(len(kinds), len(sensors)) > _MOST_SAID else ""
        text += f" ({', '.join(said)}{more})"
    if days:
        text += f", {day_in_words(days[0])}" + (f" to {day_in_words(days[-1])}" if days[1:] else "")
    return f"{text}{'' if place_is_assumed(trace) else _where(found)}."


def _called(kind: str) -> str:
    """A quantity as questions call it; what is true or false by its name."""
    said = in_words(Quantity(kind)) if kind in quantity_kinds() else words(kind)
    return words(kind) if said.startswith("whether ") else said


def _where(found: Sequence[Artifact]) -> str:
    """Where the middle of what the files cover lies, and how wide and high that is; nothing where nobody knows."""
    boxes = [box for one in found if one.type == "raster" and (box := geo.lonlat_box(one)) is not None]
    if not boxes:
        return ""
    west, south, east, north = (side(box[at] for box in boxes) for at, side in enumerate((min, min, max, max)))
    middle = Point(round((west + east) / 2, 3), round((south + north) / 2, 3))
    wide, high = (east - west) * cos(radians(middle.latitude)) * _KM_PER_DEGREE, (north - south) * _KM_PER_DEGREE
    return f"; about {number(wide, 2)} × {number(high, 2)} km at {named_point(middle)}"


def place_is_assumed(trace: Trace) -> bool:
    """Whether no file says where its pixels lie: their transform is what somebody assumed."""
    known = [
        leaf.known("transform")
        for artifact in trace.plan.inputs.values()
        for leaf in artifact.leaves()
        if leaf.type == "raster"
    ]
    return any(fact is not None and fact.origin in (Origin.USER, Origin.ASSUMED) for fact in known)


def input_files(trace: Trace) -> Iterator[Artifact]:
    """The single files behind the plan's inputs, each once."""
    seen: set[tuple[str, int | None]] = set()
    for artifact in trace.plan.inputs.values():
        for leaf in artifact.leaves():
            if leaf.path is not None and (leaf.path, leaf.band) not in seen:
                seen.add((leaf.path, leaf.band))
                yield leaf
