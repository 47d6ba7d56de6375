"""A planned question, carried out: once, again without what was taught, or in several ways that are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.errors import RemoteChangeError
from knowflow.service.given import Given, policy_of
from knowflow.service.results import PlanResult

if TYPE_CHECKING:
    from knowflow.execution.action import Runner
    from knowflow.execution.events import Listener
    from knowflow.knowledge.catalogue import Catalogue
    from knowflow.model.trace import Trace
    from knowflow.service.engine import Engine
    from knowflow.service.request import Request
    from knowflow.service.variants import Way

Runners = Callable[["str | Runner"], "Runner"]


@dataclass(frozen=True)
class CarryingOut:
    """How plans are carried out: by which engine and runner, who is told, and how far repairs and time may go."""

    engine: Engine
    runners: Runners
    runner: str | Runner
    on_event: Listener | None
    max_hours: float | None
    max_repairs: int | None
    memory: bool

    def once(self, planned: PlanResult, folder: Path, fuse: bool | None = None) -> Trace:
        """The run of a plan; without ``fuse`` every node keeps its own results."""
        runner, policy = self.runners(self.runner), policy_of(self.max_repairs, self.memory)
        return self.engine.executed(planned, runner, folder, self.on_event, policy, self.max_hours, fuse)

    def answered(self, given: Given, request: Request, planned: PlanResult, folder: Path) -> tuple[PlanResult, Trace]:
        """The plan and the run that count: made again where data changed elsewhere, or where what was taught failed."""
        trace = self.once(planned, folder)
        if (trace.error or {}).get("code") == RemoteChangeError.code:
            given.folder(refresh=True)  # what changed is told with the plan
            planned = self.engine.planned(request)
            trace = self.once(planned, folder)
        if trace.status != "failed":
            return planned, trace
        return self._without_templates(request, planned, trace, folder)

    def _without_templates(
        self,
        request: Request,
        planned: PlanResult,
        failed: Trace,
        folder: Path,
    ) -> tuple[PlanResult, Trace]:
        """A run that failed with a template that earlier runs taught, once more without: what was learned is never why
        a question has no answer. The plan and the run that count, which are the first where that is no better."""
        if not any(one.origin == "memory" for one in planned.plan.assumptions):
            return planned, failed
        from knowflow.memory.foresight import steps_of

        names = ", ".join(steps_of(planned.plan))
        if not names:
            return planned, failed
        again = self.engine.planned(replace(request, learned_templates=False))
        trace = self.once(again, folder)
        if trace.status != "completed":
            return planned, failed
        told = f"memory: answered without {names}, with which run {failed.run_id} failed"
        return replace(again, notes=(*again.notes, told)), trace

    def compared(
        self,
        request: Request,
        planned: PlanResult,
        most: int,
        catalogue: Catalogue,
        folder: Path,
    ) -> Trace:
        """The best of several ways to answer, told of the others, with its results in the folder.

        Raises:
            KnowFlowError: the plan itself cannot be run.
        """
        from knowflow.service.critic import verdict
        from knowflow.service.variants import Compared, carried_out, judged

        done = carried_out(ways_of(self.engine, catalogue, request, planned, most), self._kept, folder)
        compared = Compared.of(judged(done), lambda trace: verdict(trace, catalogue))
        if request.memory and done[0].trace is not None:
            from knowflow.service.remembering import reflect

            reflect(done[0].trace, self.engine.home, tuple(compared.reflections()))
        trace = compared.ways[compared.best].trace
        assert trace is not None  # the plan itself was run, or this raised
        if trace.status != "completed":
            return trace
        return self.engine.told_again(trace, compared.told(trace.plan), self.runners(trace.runner), folder)

    def _kept(self, planned: PlanResult, folder: Path) -> Trace:
        return self.once(planned, folder, fuse=False)  # what several ways have in common is kept


def ways_of(engine: Engine, catalogue: Catalogue, request: Request, planned: PlanResult, most: int) -> list[Way]:
    """A plan, and up to so many ways in all to answer its question."""
    from knowflow.reason.variants import variations
    from knowflow.service.variants import ways

    others = variations(planned.plan, planned.check, catalogue)
    return ways(planned, others, lambda one: engine.varied(request, planned, one), most)
