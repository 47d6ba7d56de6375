"""The head of a report: what was asked, what came out, in one sentence, and how the run ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.roof.notation import also, day, literal, measure, number, plain, unit_sign, words


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer as it is printed; ``detail`` is the same amount in another unit, ``asked`` what a part is of."""

    name: str
    value: str
    unit: str
    detail: str
    asked: str = ""


def answers_of(trace: Trace) -> tuple[Answer, ...]:
    """The numbers and texts a run ended with, that which was asked for first; none where there are only files."""
    single = [(name, one) for name, one in trace.told.items() if one.type in ("scalar", "text")]
    single.sort(key=lambda pair: pair[0] != trace.answer_name)
    parts = trace.plan.parts
    return tuple(replace(_answer(name, artifact), asked=parts.get(name, "")) for name, artifact in single)


def _answer(name: str, artifact: Artifact) -> Answer:
    unit = artifact.fact("unit")
    value = artifact.value
    text = number(value) if isinstance(value, (int, float)) else literal(value, 400)
    return Answer(words(name), text, unit_sign(unit), also(value, unit, artifact.fact("quantity")))


def reading(trace: Trace) -> str:
    """One sentence that says what was computed, with which parameters, from which data.

    The quantities of a question are told in its words, and parts that are told with their numbers not again.
    """
    plan, asked = trace.plan, "question" in trace.plan.understood
    if plan.parts and plan.parts.keys() <= {name for name, one in trace.told.items() if one.type in ("scalar", "text")}:
        said = data_read(trace)
        return f"{said[:1].upper()}{said[1:]}."
    what = plain(plan.title or words(plan.template) or "Result")
    given = [
        f"{words(name)} {parameter(value)}"
        for name, value in plan.parameters.items()
        if value is not None and name not in plan.inputs and not (asked and str(value) in quantity_kinds())
    ]
    sentence = f"{what}{': ' + ', '.join(given) if given else ''}"
    return f"{sentence}; {data_read(trace)}."


def parameter(value: Any) -> str:
    """A parameter in words: a quantity kind by its title, a quantity with unit as such."""
    if isinstance(value, str) and value in quantity_kinds():
        return quantity_kinds()[value].title
    if isinstance(value, Mapping) and {"value", "unit"} <= set(value):
        return measure(value["value"], value["unit"])
    return literal(value)


def data_read(trace: Trace) -> str:
    """How many files of which sensors and days the inputs are."""
    found = list(input_files(trace))
    paths = {artifact.path for artifact in found}
    sensors = list(dict.fromkeys(plain(s) for a in found if (s := a.fact("sensor"))))
    days = sorted({day(moment) for a in found if (moment := a.fact("datetime"))})
    text = f"from {len(paths)} file{'' if len(paths) == 1 else 's'}"
    if sensors:
        text += f" ({', '.join(sensors[:3])}{' and others' if len(sensors) > 3 else ''})"
    if days:
        text += f", {days[0]}" if len(days) == 1 else f", {days[0]} to {days[-1]}"
    return text


def input_files(trace: Trace) -> Iterator[Artifact]:
    """The single files behind the plan's inputs, each once."""
    seen: set[tuple[str, int | None]] = set()
    for artifact in trace.plan.inputs.values():
        for leaf in artifact.leaves():
            if leaf.path is not None and (leaf.path, leaf.band) not in seen:
                seen.add((leaf.path, leaf.band))
                yield leaf
