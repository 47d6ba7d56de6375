"""A conversation: what is asked next, of the data and with the settings of the question before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.errors import PlanningError
from knowflow.model.literal import plain
from knowflow.question.form import expression_of
from knowflow.reason.points import names_file

if TYPE_CHECKING:
    from knowflow.model.trace import Trace
    from knowflow.question.operators import Expression
    from knowflow.service.request import Request


def going_on(request: Request, before: Trace) -> Request:
    """A request that goes on from a run: its question may be changed, and its area, period and assumptions hold where
    nothing else is said. Its point stays in the question, one that is given takes its place; so do those of a file.

    Raises:
        PlanningError: that run answered no question.
    """
    asked, told = question_of(before), dict(before.request)
    if asked is None:
        raise PlanningError(
            "there is nothing to go on from",
            where=before.run_id,
            expected="a run that answered a question",
            found=before.plan.query or "a plan",
        )
    last = told.get("at") if request.aoi is None else None
    return replace(
        request,
        at=request.at or (last if last and names_file(last) else None),
        aoi=request.aoi or (told.get("aoi") if request.at is None else None),
        dates=request.dates or told.get("dates"),
        assume=(*told.get("assume", ()), *request.assume),
        last=asked,
        last_unit=before.plan.unit,
    )


def question_of(trace: Trace) -> Expression | None:
    """The question that a run answered, as an expression."""
    return expression_of(plain(dict(trace.plan.understood.get("question") or {}).get("value")))[0]


def last_asked(runs: Iterable[str], load: Callable[[str], Trace], data: Path | str | None = None) -> str | None:
    """The newest run, of some that are newest first, that answered a question about a folder; None where that was of
    another folder than ``data``, which begins a conversation of its own."""
    traces = map(load, runs)
    last = next((one for one in traces if "data" in one.request and question_of(one) is not None), None)
    if last is None or (data is not None and Path(data).resolve() != Path(str(last.request["data"])).resolve()):
        return None
    return last.run_id
