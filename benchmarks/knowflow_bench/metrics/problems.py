"""A metric of nothing is not a number, and is not given as one."""

from __future__ import annotations

from knowflow.ground.errors import KnowFlowError


class UndefinedMetricError(KnowFlowError):
    """A metric is asked of what it is not defined for: no questions, an expert's trajectory without calls."""

    code = "undefined_metric"


def require(held: bool, expected: str, found: str = "none") -> None:
    """Raise ``UndefinedMetricError`` where a metric is not defined."""
    if not held:
        raise UndefinedMetricError("the metric is not defined here", expected=expected, found=found)
