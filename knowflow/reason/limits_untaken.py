"""Limits that a question tells and no step of its plan takes: told with the plan, and never lost in silence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow.model.plan import Assumption, Plan
from knowflow.model.workflow import Given
from knowflow.reason.language.dates import times
from knowflow.reason.language.limits import Limit, limits, make_classes

_ZERO_CELSIUS = 273.15
_ALIKE = 1e-6
_DURATION = re.compile(r"\s*(?:days?|nights?|weeks?|months?|years?|dates|images|scenes|bands)\b", re.IGNORECASE)


def limits_untaken(text: str, plan: Plan) -> Iterator[Assumption]:
    """What a text tells as a limit, where no number of its plan comes from it and nothing tells so yet."""
    dates = [(span.first, span.past) for span in times(text).spans]
    nodes = plan.workflow.nodes
    given = [argument.value for node in nodes for argument in node.args.values() if isinstance(argument, Given)]
    values = tuple(_numbers(given))
    told = {str(one.value) for one in plan.assumptions if one.origin == "left out"}
    found = [
        limit
        for limit in limits(text, dates)
        if limit.threshold.relative_to is None and _DURATION.match(text, limit.past) is None
    ]
    untaken = [limit for limit in found if not _is_taken(limit, values)]
    if len(untaken) < len(found) and make_classes([limit.threshold for limit in found]):
        return  # one of several classes is asked about
    for limit in untaken:
        spoken = f"{limit.threshold.side} {limit.threshold.value:g}"
        if not any(one == limit.words or one.startswith(spoken) for one in told):
            yield Assumption("limit", limit.words, "left out", "no step of the plan depends on it")


def _is_taken(limit: Limit, values: Sequence[float]) -> bool:
    ends = [end for end in (limit.threshold.value, limit.threshold.upper) if end is not None]
    return all(any(_comes_from(value, end) for value in values) for end in ends)


def _comes_from(value: float, end: float) -> bool:
    """Whether a number of a plan is a limit, maybe in another unit, as its complement or by how much more it is."""
    same = (end, -end, 100 - end, 1 - end, 1 + end / 100, 1 - end / 100, end + _ZERO_CELSIUS, end - _ZERO_CELSIUS)
    tens = (end * 10.0**power for power in range(-6, 7))
    return any(math.isclose(abs(value), abs(one), rel_tol=_ALIKE, abs_tol=1e-9) for one in (*same, *tens))


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        yield float(value)
    elif isinstance(value, Mapping):
        yield from _numbers(tuple(value.values()))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _numbers(one)
