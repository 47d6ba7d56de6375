"""When an argument of a predicted call is the expert's: as written, or by reference to an earlier result.

A value that only exists at run time is predicted as a reference, ``{"from": k}`` to the result of call k of the same
prediction or ``{"from": k, "item": j}`` to one item of it (k, j from 0; a list of places goes deeper). References are
followed into the expert's published results: before the place where they are compared, both trajectories agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow_bench.parity import Call, close

_WROTE = re.compile(r"^Results? saved? (?:at|to|in) (?P<path>.+)$", re.IGNORECASE)
UNKNOWN: Any = object()
"""What a reference leads to that leads nowhere: equal to nothing, itself included."""


def is_reference(value: Any) -> bool:
    """Whether an argument, or a part of one, stands for the result of an earlier call."""
    return isinstance(value, Mapping) and "from" in value and set(value) <= {"from", "item"}


def references(value: Any) -> Iterator[int]:
    """The places of the calls that an argument refers to."""
    if is_reference(value):
        if isinstance(value["from"], int):
            yield value["from"]
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from references(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from references(item)


def result_of(output: Any) -> Any:
    """A published result as later calls use it: of the sentence that tells where a file is, the path; of the text of a
    list, the list."""
    if isinstance(output, str):
        said = _WROTE.match(output.strip())
        return said["path"].strip() if said else _list_of(output)
    if isinstance(output, (list, tuple)):
        return [result_of(item) for item in output]
    return output


def _list_of(text: str) -> Any:
    if not text.lstrip().startswith("["):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def resolved(value: Any, earlier: Sequence[Call]) -> Any:
    """A predicted argument with every reference replaced by the expert's result; ``UNKNOWN`` where there is none."""
    if is_reference(value):
        return _followed(value, earlier)
    if isinstance(value, (list, tuple)):
        return [resolved(item, earlier) for item in value]
    if isinstance(value, Mapping):
        return {name: resolved(item, earlier) for name, item in value.items()}
    return value


def _followed(reference: Mapping[str, Any], earlier: Sequence[Call]) -> Any:
    place = reference["from"]
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(earlier):
        return UNKNOWN
    found = result_of(earlier[place].output)
    path = reference.get("item")
    steps = () if path is None else path if isinstance(path, (list, tuple)) else (path,)
    for step in steps:
        items = list(found.values()) if isinstance(found, Mapping) else found
        if not isinstance(items, list) or not isinstance(step, int) or not 0 <= step < len(items):
            return UNKNOWN
        found = items[step]
    return found


def equal(value: Any, expected: Any, run_time: bool = False) -> bool:
    """Whether two arguments say the same.

    Written values must be the same (1 and 1.0 are). Values of the ``run_time`` went through an expert's record: numbers
    may be rounded there or written as text, and count as equal to the digits given.
    """
    if value is UNKNOWN or expected is UNKNOWN:
        return False
    if isinstance(value, Mapping) and isinstance(expected, Mapping):
        return set(value) == set(expected) and all(equal(value[name], expected[name], run_time) for name in value)
    if isinstance(value, (list, tuple)) and isinstance(expected, (list, tuple)):
        same_length = len(value) == len(expected)
        return same_length and all(equal(a, b, run_time) for a, b in zip(value, expected, strict=True))
    if run_time:
        ours, theirs = number(value), number(expected)
        if ours is not None and theirs is not None:
            return close(theirs, ours) or close(ours, theirs)
    return type_of(value) == type_of(expected) and bool(value == expected)


def number(value: Any) -> float | None:
    """The number that a value is, or that a text spells."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def type_of(value: Any) -> str:
    """The kind of a JSON value; whole numbers and others are one kind, truth values are not numbers."""
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "null" if value is None else type(value).__name__


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call that say something: null is what leaving an argument out means."""
    return {name: value for name, value in arguments.items() if value is not None}
