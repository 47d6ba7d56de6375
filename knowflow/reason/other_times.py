"""Questions that only their time keeps from being answered: the data would tell it of other dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from knowflow.ground.errors import KnowFlowError, PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period, QueryGoal
from knowflow.model.plan import Plan
from knowflow.reason.slots import asked_period

_TIMES = ("period", "dates", "months", "years")
_ATTEMPTS = 3  # templates that are about as good as the best


def of_all_times(goal: QueryGoal) -> QueryGoal:
    """The same question without its time."""
    return replace(goal, slots={name: slot for name, slot in goal.slots.items() if name not in _TIMES})


def none_of_that_time(goal: QueryGoal, plans: Iterable[Callable[[QueryGoal], Plan]]) -> PlanningError | None:
    """The refusal that tells which dates there are, where the same question without its time has a plan.

    Each of the ``plans`` plans a goal by one template and data of any time, the best first, or raises a
    ``KnowFlowError``.
    """
    period = asked_period(goal)
    if period is None or goal.value("comparison") is not None:
        return None
    whole = of_all_times(goal)
    found = next(filter(None, (_of_all_times(plan, whole) for plan in islice(plans, _ATTEMPTS))), None)
    if found is None:
        return None
    days = next((days for artifact in found.inputs.values() if (days := _without(period, artifact))), ())
    if not days:
        return None
    return no_data_of(period, days)


def no_data_of(period: Period, days: Sequence[str]) -> PlanningError:
    """That there are no data of a period, with those that there are, in order."""
    before, after = [day for day in days if day < period.start], [day for day in days if day > period.end]
    when = period.start if period.start == period.end else f"{period.start} to {period.end}"
    return PlanningError(
        f"no data of {when} answer this",
        where="question",
        expected=f"data of {when}",
        found=f"{len(days)} dates from {days[0]} to {days[-1]}",
        hint=f"the nearest in time: {' and '.join((*before[-1:], *after[:1]))}; ask about these, or about all dates",
    )


def _of_all_times(plan: Callable[[QueryGoal], Plan], whole: QueryGoal) -> Plan | None:
    try:
        return plan(whole)
    except KnowFlowError:
        return None


def _without(period: Period, artifact: Artifact) -> tuple[str, ...]:
    """The dates of an artifact, in order, where none of them is of a period."""
    moments = (leaf.fact("datetime") for leaf in artifact.leaves())
    days = tuple(sorted({str(moment)[:10] for moment in moments if moment is not None}))
    return () if any(period.start <= day <= period.end for day in days) else days
