"""One call of a client while it is carried out: what it may touch, what it tells, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from knowflow.execution.events import Event, NodeEnded, PlanRepaired, RunStarted
from knowflow.roof.roots import Roots

if TYPE_CHECKING:
    from knowflow.roof.library import KnowFlow
    from knowflow.service.results import PlanResult

_STEP = 0.001
Tell = Callable[[float, int | None, str], None]
"""Told how far a call is: steps done, of how many where that is known, and what is being done."""


@dataclass(eq=False)
class Job:
    """What a call works with. Events of a run come one at a time, from any thread."""

    service: KnowFlow
    roots: Roots
    tell: Tell = lambda done, whole, message: None
    _asked: int = 0
    _heard: int = 0
    _told: float = 0.0

    def stop(self) -> None:
        """Ask the run to end, what is finished is kept; asked again, it does not wait for what does not listen."""
        self._asked += 1

    def hear(self) -> None:
        """Raise ``KeyboardInterrupt`` once for each :meth:`stop`; whoever carries out the call asks this."""
        if self._asked > self._heard:
            self._heard += 1
            raise KeyboardInterrupt

    def say(self, message: str, settled: int = 0, nodes: int | None = None) -> None:
        """Tell how far the call is; as the protocol asks, every number told is above the one before."""
        self._told = max(float(settled), self._told + _STEP)
        self.tell(self._told, nodes, message)

    def on_plan(self, planned: PlanResult) -> None:
        """A plan was made, and nothing of it has been run.

        Raises:
            OutsideRootsError: it reads what is not open to the client.
        """
        self.roots.require(planned.plan)
        self.hear()
        self.say(f"planned: {planned.plan.title or planned.plan.query}", nodes=planned.estimate.nodes)

    def on_event(self, event: Event) -> None:
        match event:
            case RunStarted(run_id=run_id, nodes=nodes):
                self.say(f"run {run_id}", nodes=nodes)
            case NodeEnded(title=title, record=record, settled=settled, nodes=nodes):
                self.say(f"{title}: {record.status}", settled, nodes)
            case PlanRepaired(repaired=repaired):
                self.say(f"repaired: {repaired.sentence}")
            case _:
                pass
