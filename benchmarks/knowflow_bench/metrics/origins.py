"""Where the values of two trajectories come from, call by call: what Param-bound compares.

Both trajectories use the same tools in the same order, so that call k of one corresponds to call k of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow_bench.metrics.values import (
    UNKNOWN,
    equal,
    given,
    is_reference,
    number,
    references,
    resolved,
    result_of,
)
from knowflow_bench.parity import Call

Place = tuple[int, int]
"""A file by what wrote it: the call, and its number among that call's output paths."""


class Origins:
    """Compares two trajectories of the same tools argument by argument, by origin where names cannot tell."""

    def __init__(self, predicted: Sequence[Call], expert: Sequence[Call]) -> None:
        self._predicted = predicted
        self._expert = expert
        self._ours = Written(predicted)
        self._theirs = Written(expert)

    def same_arguments(self, at: int) -> bool:
        """Whether call ``at`` of the prediction is bound as the expert's is."""
        ours, theirs = given(self._predicted[at].arguments), given(self._expert[at].arguments)
        return set(ours) == set(theirs) and all(self._same(name, ours[name], theirs[name], at) for name in ours)

    def _same(self, name: str, value: Any, expected: Any, at: int) -> bool:
        if is_output(name):
            count = sum(1 for _ in _paths(value))
            if count != sum(1 for _ in _paths(expected)):
                return False
            first = self._ours.first_of(name, at)
            return equal(value, expected) or all(
                self._ours.used((at, first + number_of)) == self._theirs.used((at, first + number_of))
                for number_of in range(count)
            )
        return self._same_input(value, expected, at)

    def _same_input(self, value: Any, expected: Any, at: int) -> bool:
        if is_reference(value):
            return self._same_origin(value, expected, at)
        if isinstance(value, (list, tuple)) and isinstance(expected, (list, tuple)):
            return len(value) == len(expected) and all(
                self._same_input(a, b, at) for a, b in zip(value, expected, strict=True)
            )
        if isinstance(value, str) and isinstance(expected, str):
            ours, theirs = self._ours.written(value, at), self._theirs.written(expected, at)
            return ours == theirs if ours is not None or theirs is not None else value == expected
        return equal(value, expected)

    def _same_origin(self, reference: Mapping[str, Any], expected: Any, at: int) -> bool:
        """A reference is right if the expert's value is the referred call's result, or can be found in it."""
        found = resolved(reference, self._expert[:at])
        if found is not UNKNOWN and self._is(found, expected, at):
            return True
        call = next(iter(references(reference)), None)
        if call is None or not 0 <= call < at:
            return False
        return _within(expected, result_of(self._expert[call].output))

    def _is(self, found: Any, expected: Any, at: int) -> bool:
        if isinstance(found, str) and isinstance(expected, str) and number(found) is None:
            ours = self._theirs.written(found, at)
            return found == expected or (ours is not None and ours == self._theirs.written(expected, at))
        if isinstance(found, list) and isinstance(expected, (list, tuple)):
            return len(found) == len(expected) and all(self._is(a, b, at) for a, b in zip(found, expected, strict=True))
        return equal(found, expected, run_time=True)


class Written:
    """The files that a trajectory writes, and the later calls that use each."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._calls = calls
        self._names: dict[str, list[Place]] = {}
        for index, call in enumerate(calls):
            for position, path in enumerate(_outputs(call)):
                self._names.setdefault(path, []).append((index, position))
            for position, path in enumerate(_told(call.output)):
                places = self._names.setdefault(path, [])
                if (index, position) not in places:
                    places.append((index, position))
        self._uses: dict[Place, set[int]] = {}
        for index, call in enumerate(calls):
            for name, value in call.arguments.items():
                if not is_output(name):
                    self._note(value, index)

    def _note(self, value: Any, index: int) -> None:
        for path in _paths(value):
            place = self.written(path, index)
            if place is not None:
                self._uses.setdefault(place, set()).add(index)
        for call in references(value):
            for position in range(sum(1 for _ in _outputs(self._calls[call])) if 0 <= call < index else 0):
                self._uses.setdefault((call, position), set()).add(index)

    def written(self, path: str, before: int) -> Place | None:
        """What wrote a file last before a call. A file may be read under a longer path than it was asked to be written
        to: the tools put what they write below a folder of their own."""
        exact = [place for place in self._names.get(path, ()) if place[0] < before]
        if exact:
            return max(exact)
        longer = [
            place
            for name, places in self._names.items()
            if path.endswith("/" + name)
            for place in places
            if place[0] < before
        ]
        return max(longer, default=None)

    def used(self, place: Place) -> frozenset[int]:
        """The later calls that use a file."""
        return frozenset(self._uses.get(place, ()))

    def first_of(self, name: str, at: int) -> int:
        """The number of the first path of an output parameter among all output paths of its call."""
        count = 0
        for parameter, value in self._calls[at].arguments.items():
            if parameter == name:
                break
            if is_output(parameter):
                count += sum(1 for _ in _paths(value))
        return count


def is_output(parameter: str) -> bool:
    """Whether a parameter tells where to write: the benchmark calls all of these output..."""
    return parameter.startswith("output")


def _outputs(call: Call) -> Iterator[str]:
    for name, value in call.arguments.items():
        if is_output(name):
            yield from _paths(value)


def _told(output: Any) -> Iterator[str]:
    """The paths that a published result tells of."""
    found = result_of(output)
    for path in _paths(found):
        if path != output and (not isinstance(output, (list, tuple)) or path not in output):
            yield path


def _paths(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _paths(item)


def _within(value: Any, result: Any) -> bool:
    """Whether a value, or each item of a list of them, is somewhere in a result."""
    if any(equal(part, value, run_time=True) for part in _parts(result)):
        return True
    return isinstance(value, (list, tuple)) and len(value) > 0 and all(_within(item, result) for item in value)


def _parts(result: Any) -> Iterator[Any]:
    yield result
    inner = result.values() if isinstance(result, Mapping) else result if isinstance(result, (list, tuple)) else ()
    for item in inner:
        yield from _parts(item)
