"""Published calls, carried out again: how many results agree, and why the others differ.

A file of calls has one JSON object a line: ``{"tool", "arguments", "output"}``. Each is carried out as published
(``compat``) and as it should be; what differs without ``compat`` is counted by the documented reason.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from knowflow.ground.errors import KnowFlowError, UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.ground.text_lines import text_lines
from knowflow.model.tool import ToolSchema

RELATIVE = 1e-6
"""Numbers agree that differ by no more than this part of the published one, or by less than its last digit shows."""
ROUNDING = 1e-12
"""What double precision leaves of zero, as a part of the largest number that a call was given."""

REASONS: Mapping[str, str] = {
    "calculate_bbox_area": "boxes are x1, y1, x2, y2; published as x, y, width, height",
    "compute_linear_trend": "a line needs two places; published: one is enough",
    "count_spikes_from_values": "differences in double precision; published in single",
    "detect_seasonality_acf": "a season is a peak of the autocorrelation; published: the strongest lag, peak or not",
    "kurtosis": "3 is subtracted once; published twice where the bias is corrected",
    "skewness": "corrected for the size of the sample; published uncorrected",
}
"""Why a tool's number differs from the published one, for the tools whose calls need no files."""


@dataclass(frozen=True, slots=True)
class Call:
    """One published call with its result."""

    tool: str
    arguments: Mapping[str, Any]
    output: Any


@dataclass
class ToolParity:
    """The calls of one tool: how many, how many agree, how many differ without ``compat``, and what went wrong."""

    n: int = 0
    agree: int = 0
    differ_without_compat: int = 0
    disagreements: list[dict[str, Any]] = field(default_factory=list)


def parity(calls: Path, tools: Mapping[str, ToolSchema]) -> dict[str, Any]:
    """Carry out the calls of a file and compare.

    Returns ``{"n", "agree", "by_tool": {tool: {"n", "agree", "differ_without_compat"}}, "differ_without_compat":
    {reason: number}, "disagreements": [...]}``; agreement is that of the results with ``compat``.

    Raises:
        DataNotFoundError, UnreadableDataError: there are no calls in the file.
    """
    by_tool: dict[str, ToolParity] = {}
    reasons: Counter[str] = Counter()
    for one in read_calls(calls):
        tally = by_tool.setdefault(one.tool, ToolParity())
        tally.n += 1
        published = _carried_out(one, tools, compat=True)
        zero = ROUNDING * max((abs(number) for number in _numbers(one.arguments) if math.isfinite(number)), default=0.0)
        if agrees(one.output, published, zero):
            tally.agree += 1
        else:
            tally.disagreements.append({"tool": one.tool, "expected": one.output, "found": published})
        if not agrees(one.output, _carried_out(one, tools, compat=False), zero):
            tally.differ_without_compat += 1
            reasons[REASONS.get(one.tool, f"{one.tool}: no documented reason")] += 1
    return {
        "n": sum(tally.n for tally in by_tool.values()),
        "agree": sum(tally.agree for tally in by_tool.values()),
        "by_tool": {
            name: {"n": tally.n, "agree": tally.agree, "differ_without_compat": tally.differ_without_compat}
            for name, tally in sorted(by_tool.items())
        },
        "differ_without_compat": dict(sorted(reasons.items())),
        "disagreements": [case for _, tally in sorted(by_tool.items()) for case in tally.disagreements],
    }


def read_calls(path: Path) -> Iterator[Call]:
    """The calls of a file; raises ``DataNotFoundError`` or ``UnreadableDataError`` naming the line."""
    found = 0
    for number, line in enumerate(text_lines(path, "calls"), start=1):
        if line.strip():
            found += 1
            try:
                data = json_value(line)
                call = Call(str(data["tool"]), dict(data["arguments"]), data["output"])
            except (ValueError, KeyError, TypeError) as error:
                raise UnreadableDataError(
                    "this is not a published call",
                    where=f"{path}:{number}",
                    expected='{"tool": ..., "arguments": {...}, "output": ...}',
                    found=f"{type(error).__name__}: {error}",
                ) from error
            yield call
    if not found:
        raise UnreadableDataError("the file holds no call", where=str(path), expected="one call a line", found="none")


def _carried_out(one: Call, tools: Mapping[str, ToolSchema], compat: bool) -> Any:
    """The result of a call; of one that fails, the code of its error, which agrees with nothing."""
    from knowflow.tools.earth_agent.calls import call

    schema = tools.get(one.tool)
    if schema is None:
        return _Failure("unknown_name")
    try:
        return call(schema, one.arguments, compat)
    except KnowFlowError as error:
        return _Failure(error.code)


@dataclass(frozen=True, slots=True)
class _Failure:
    code: str

    def __str__(self) -> str:
        return f"error {self.code}"


def agrees(published: Any, found: Any, zero: float = 0.0) -> bool:
    """Whether a result is the published one; numbers that differ by no more than ``zero`` do so by rounding.

    Texts and the items of lists must be the same; numbers to ``RELATIVE`` or to the digits published. Records of a call
    may tell less than the tool (the slope of a line without its intercept) or more (a name for the numbers, a date):
    then all their numbers, in order, must be those that the result begins with.
    """
    if isinstance(found, _Failure):
        return False
    if isinstance(published, (str, bool)) or published is None or isinstance(found, str):
        return bool(published == found)
    if isinstance(published, (int, float)) and isinstance(found, (int, float)):
        return close(published, found, zero)
    if isinstance(published, list) and isinstance(found, (list, tuple)):
        return len(published) == len(found) and all(agrees(a, b, zero) for a, b in zip(published, found, strict=True))
    numbers, ours = list(_numbers(published)), list(_numbers(found))
    return 0 < len(numbers) <= len(ours) and all(close(a, b, zero) for a, b in zip(numbers, ours, strict=False))


def close(published: float, found: float, zero: float = 0.0) -> bool:
    """Whether a number is the published one, to ``RELATIVE``, to the digits published, or but for ``zero``."""
    if not (math.isfinite(published) and math.isfinite(found)):
        return published == found or (math.isnan(published) and math.isnan(found))
    exponent = Decimal(repr(published)).as_tuple().exponent
    half = 0.5 * 10.0**exponent if isinstance(published, float) and isinstance(exponent, int) else 0.0
    # a published 9.33 says 9.325 to 9.335; the slack is for the rounding of those limits themselves
    return abs(published - found) <= max(RELATIVE * abs(published), half * (1.0 + 1e-9), zero)


def _numbers(value: Any) -> Iterator[float]:
    """The numbers in a value, in order: of lists, and of records by their entries."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from _numbers(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _numbers(item)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
