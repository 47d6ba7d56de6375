"""The refusal that tells which dates there are, where none are of the time that is asked about."""

from __future__ import annotations

from collections.abc import Sequence

from knowflow.ground.errors import PlanningError
from knowflow.model.goal import Period


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
