"""What an answer was told from: numbers of dates, which are drawn, a trend with its line; else the field it is of."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path

from knowflow.ground.units import compatible, convert
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Value, node_refs, references
from knowflow.question.check import type_of
from knowflow.question.operators import Beyond, Expression, Number, Quantity, walk
from knowflow.question.words import in_words
from knowflow.roof.notation import date_of
from knowflow.roof.report.of_question import asked_of, part_of

FEWEST = 3
_MOST_FIELDS = 16  # rasters that are looked at: with as many there is no single one
NO_QUANTITY = "value"
_TREND = "list_trend"


@dataclass(frozen=True, slots=True)
class Line:
    """A trend per year with its 95 % interval, in the unit of the numbers."""

    slope: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Behind:
    """Numbers in order of their dates, NaN where there is none; ``told`` says of what they are, ``name`` the quantity
    alone. ``limits`` are the numbers that the question compares them with, in their unit."""

    told: str
    times: tuple[datetime, ...]
    values: tuple[float, ...]
    unit: str | None
    line: Line | None = None
    name: str = NO_QUANTITY
    limits: tuple[float, ...] = ()


def numbers_behind(trace: Trace) -> tuple[Behind, ...]:
    """What the node nearest to the answer took of at least three dates; nothing where there is none, or the answer
    is no number, date or word."""
    answer = _told(trace)
    if answer is None:
        return ()
    found = (tuple(_taken(node, trace, answer.fact("unit"))) for node in _nodes_behind(trace))
    return next(filter(None, found), ())


def fields_behind(trace: Trace) -> tuple[tuple[str, Artifact], ...]:
    """The one raster that an answer is told from, which is a number, with what it is of in words; or two, of two times;
    none where there are more, or one is no longer there."""
    if _told(trace) is None:
        return ()
    found = {leaf.path: (leaf, ref) for leaf, ref in islice(_fields_behind(trace), _MOST_FIELDS)}
    times = {leaf.fact("datetime") for leaf, _ in found.values()}
    if len(found) > 2 or len(times) < len(found) or not all(Path(str(path)).is_file() for path in found):
        return ()
    told = (_field_told(trace, ref) for _, ref in found.values())
    pairs = list(zip(told, (leaf for leaf, _ in found.values()), strict=True))
    return tuple(sorted(pairs, key=lambda pair: str(pair[1].fact("datetime"))))


def _field_told(trace: Trace, ref: FromNode | FromInput) -> str:
    part = part_of(trace.plan, ref.node) if isinstance(ref, FromNode) else None
    own = None if part is None else type_of(part)
    return in_words(part, called=trace.plan.called) if part is not None and own is not None and own.space else ""


def _fields_behind(trace: Trace) -> Iterator[tuple[Artifact, FromNode | FromInput]]:
    """The rasters of which numbers behind the answer were told, the nearest first; nothing of what is behind these."""
    for node in _nodes_behind(trace, lambda node: not _rasters(node, trace)):
        yield from _rasters(node, trace)


def _rasters(node: Node, trace: Trace) -> list[tuple[Artifact, FromNode | FromInput]]:
    """The rasters that a node takes."""
    refs = [ref for given in node.args.values() for ref in references(given)]
    leaves = ((leaf, ref) for ref in refs for one in _made(ref, trace) for leaf in one.leaves())
    return [(leaf, ref) for leaf, ref in leaves if leaf.type == "raster"]


def _told(trace: Trace) -> Artifact | None:
    """The answer, where it is a number, a date or a word."""
    answer = None if trace.answer_name is None else trace.outputs[trace.answer_name]
    return answer if answer is not None and answer.type in ("scalar", "text") else None


def _nodes_behind(trace: Trace, beyond: Callable[[Node], bool] = lambda _: True) -> Iterator[Node]:
    """The nodes that the answer comes from, the nearest first; with those behind a node where ``beyond`` says so."""
    nodes, seen = trace.plan.workflow.by_id, set[str]()
    waiting = deque([trace.plan.outputs.get(trace.answer_name or "")])
    while waiting:
        value = waiting.popleft()
        for ref in () if value is None else node_refs(value):
            node = nodes.get(ref.node)
            if node is None or node.id in seen:
                continue
            seen.add(node.id)
            yield node
            if beyond(node):
                waiting.extend(node.args.values())


def scenes_below(trace: Trace, name: str) -> dict[str, Artifact]:
    """What the maps of an output were told from: by the name of each, the first raster that its node took."""
    found: dict[str, Artifact] = {}
    value = trace.plan.outputs.get(name)
    for ref in () if value is None else node_refs(value):
        node = trace.plan.workflow.by_id.get(ref.node)
        taken = (one for argument in node.args.values() for one in _made(argument, trace)) if node is not None else ()
        scene = next((one for one in taken if one.type == "raster" and one.path is not None), None)
        made = trace.record(ref.node).outputs
        artifact = made.get(ref.output) or next(iter(made.values()), None)
        if scene is not None and artifact is not None:
            found[artifact.name] = scene
    return found


def _made(value: Value, trace: Trace) -> Iterator[Artifact]:
    """What an argument is, where it is of another node or of the data."""
    for ref in references(value):
        if isinstance(ref, FromNode):
            made = trace.record(ref.node).outputs
            found = made.get(ref.output) or next(iter(made.values()), None)
        else:
            found = trace.plan.inputs.get(ref.name)
            for step in ref.at:
                parts = None if found is None else found.items if isinstance(step, int) else found.members
                found = None if not parts else parts[step]  # type: ignore[index]
        if found is not None:
            yield found


def _taken(node: Node, trace: Trace, unit: str | None) -> Iterator[Behind]:
    """The dated numbers that a node takes, a list each."""
    dates = node.args.get("dates")
    said = dates.value if isinstance(dates, Given) else ()
    for value in node.args.values():
        if not isinstance(value, SeriesOf) or len(value.items) < FEWEST:
            continue
        found = [_number(item, trace) for item in value.items]
        own = [str(day) for day in said] if len(said) == len(found) else [day for _, day, _ in found if day]
        times = [time for time in map(date_of, own) if time is not None]
        units = {one for number, _, one in found if math.isfinite(number)}
        if len(set(times)) < max(FEWEST, len(found)) or len(units) != 1 or not isinstance(value.items[0], FromNode):
            continue
        numbers, shown = [number for number, _, _ in found], units.pop()
        line = _line(node, numbers, own) if node.tool == _TREND else None
        if line is None and shown is not None and unit is not None and shown != unit and compatible(shown, unit):
            numbers, shown = [float(convert(one, shown, unit)) for one in numbers], unit
        part = part_of(trace.plan, value.items[0].node)
        told = "the number of each date" if part is None else in_words(part, called=trace.plan.called)
        pairs = sorted(zip(times, numbers, strict=True), key=lambda pair: pair[0])
        days, ordered = tuple(time for time, _ in pairs), tuple(one for _, one in pairs)
        limits = tuple(_limits(part, trace, shown))
        yield Behind(told, days, ordered, shown, line, quantity_of(part), limits)


def quantity_of(part: Expression | None) -> str:
    """The one quantity that numbers are of."""
    kinds = set() if part is None else {one.kind for _, one in walk(part) if isinstance(one, Quantity)}
    said = [told for kind in kinds if not (told := in_words(Quantity(kind))).startswith("whether ")]
    return said[0] if len(said) == 1 and not isinstance(part, Beyond) else NO_QUANTITY


def _limits(part: Expression | None, trace: Trace, unit: str | None) -> Iterator[float]:
    """The numbers that a question compares a part of it with, in the unit of its numbers."""
    asked = asked_of(trace.plan)
    for _, one in walk(asked) if asked is not None and part is not None else ():
        for limit in (one.limit, one.upper) if isinstance(one, Beyond) and one.x == part else ():
            if isinstance(limit, Number) and compatible(limit.unit, unit or "1"):
                yield float(convert(limit.value, limit.unit, unit or "1"))


def _number(item: Value, trace: Trace) -> tuple[float, str | None, str | None]:
    """The number that a node made, its day and its unit; NaN of what is no number."""
    output = next(_made(item, trace), None)
    if output is None or output.type != "scalar":
        return math.nan, None, None
    known = isinstance(output.value, (int, float)) and not isinstance(output.value, bool)
    return float(output.value) if known else math.nan, output.fact("datetime"), output.fact("unit")


def _line(node: Node, numbers: list[float], dates: list[str]) -> Line | None:
    """The trend as its node computed it, with the interval that a single number does not hold."""
    from knowflow.tools.trend import series_trend_table

    given = {name: one.value for name, one in node.args.items() if isinstance(one, Given)}
    known = [number if math.isfinite(number) else None for number in numbers]
    if sum(number is not None for number in known) < FEWEST:
        return None
    robust = given.get("method", "linear") != "linear"
    row = series_trend_table(known, dates, "mann_kendall" if robust else "linear", given.get("seasons", "auto"))[0]
    return Line(row["slope"], row["lower"], row["upper"])
