"""Runs that would take very long: asked about before they start, since nobody may have meant them."""

from __future__ import annotations

from math import ceil, isfinite, prod

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.service.results import Estimate

MAX_HOURS = 6.0
_SECONDS = 3600.0


class LargeRunError(KnowFlowError):
    """A run is estimated to take longer than it was said that it may."""

    code = "large_run"


def require_time(plan: Plan, estimate: Estimate, max_hours: float | None) -> None:
    """Refuse a run that is estimated to take longer than ``max_hours`` (None: 6), before it starts.

    Raises:
        LargeRunError: with the estimate, the largest of its files, and the option that lets it go on.
        PlanningError: ``max_hours`` is no length of time.
    """
    allowed = MAX_HOURS if max_hours is None else max_hours
    if not (isfinite(allowed) and allowed > 0):
        raise PlanningError("no length of time", where="--max-hours", expected="hours, above 0", found=str(max_hours))
    hours = estimate.seconds / _SECONDS
    if hours <= allowed:
        return
    leaves = (leaf for one in plan.inputs.values() for leaf in one.leaves())
    largest = max(leaves, key=_pixels, default=None)
    shape = None if largest is None else largest.fact("shape")
    file = "" if largest is None or shape is None else f"; {largest.name} alone has {shape[1]} x {shape[0]} pixels"
    raise LargeRunError(
        f"the run would take about {_told(hours)}",
        where=None if largest is None else largest.path,
        expected=f"at most {_told(allowed)}",
        found=f"about {_told(hours)} and {estimate.disk_bytes / 1e9:.2g} GB for {estimate.nodes} nodes{file}",
        hint=f"restrict it (--aoi, --dates), or if that is meant: --max-hours {ceil(hours * 1.1)}",
    )


def _pixels(leaf: Artifact) -> int:
    return int(prod(leaf.fact("shape") or (0,)))


def _told(hours: float) -> str:
    return f"{hours:.2g} hours" if hours < 100 else f"{hours:,.0f} hours"
