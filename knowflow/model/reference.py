"""References inside templates: ``$inputs.series``, ``$parameter``, ``$step`` and ``$step.output``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowflow.model.template import Step, Template

# what every list has beside its items: the first, the last, what tells them apart (dates, names, groups), their years
OF_A_LIST = ("first", "last", "keys", "years")
_REFERENCE = re.compile(r"\$(?P<head>[A-Za-z_]\w*)(?:\.(?P<tail>[A-Za-z_]\w*))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """``head`` is ``inputs``, a parameter or a step; ``tail`` an input, an output or one of ``OF_A_LIST``."""

    head: str
    tail: str = ""

    def __str__(self) -> str:
        return f"${self.head}.{self.tail}" if self.tail else f"${self.head}"


def reference(value: Any) -> Reference | None:
    """The reference a value is, or None for a literal."""
    if not isinstance(value, str):
        return None
    match = _REFERENCE.fullmatch(value.strip())
    return None if match is None else Reference(match["head"], match["tail"] or "")


def references(value: Any) -> Iterator[Reference]:
    """Every reference inside a value; in text that is not itself a reference, those of the conditions it holds."""
    if isinstance(value, str):
        for match in _REFERENCE.finditer(value):
            yield Reference(match["head"], match["tail"] or "")
    elif isinstance(value, dict):
        for item in value.values():
            yield from references(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from references(item)


def step_references(step: Step) -> Iterator[Reference]:
    """Every reference of a step: arguments, lists, condition and stand-in."""
    for part in (step.with_, step.for_each, step.by, step.when, step.else_, step.period):
        yield from references(part)


def steps_in_order(template: Template) -> tuple[tuple[str, Step], ...]:
    """The steps so that each comes after those it refers to; steps on a cycle are left out."""
    waiting = {
        name: {ref.head for ref in step_references(step) if ref.head in template.steps}
        for name, step in template.steps.items()
    }
    result: list[tuple[str, Step]] = []
    done: set[str] = set()
    while True:
        ready = [name for name, needs in waiting.items() if name not in done and needs <= done]
        if not ready:
            return tuple(result)
        result.append((ready[0], template.steps[ready[0]]))
        done.add(ready[0])
