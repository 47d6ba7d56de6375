"""Who has a say in an execution, or is told of it: repairs, what is shown, and what follows the last node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict

from knowflow.execution.action import Exhibit, Session
from knowflow.execution.events import Listener
from knowflow.model.plan import Plan
from knowflow.model.repair import Reply
from knowflow.model.trace import Trace


class Repair(Protocol):
    """Who answers failures. It must give up after a bounded number of repairs."""

    def failure(self, trace: Trace, node: str) -> Reply:
        """What is done about a node that failed: an edited plan to go on with, or only the diagnosis."""
        ...

    def quality(self, trace: Trace) -> Reply | None:
        """What is done about a quality that the results miss, or an answer that is no number; None without either."""
        ...


class Hooks(TypedDict, total=False):
    """All are optional; none of them changes what the nodes compute."""

    admit: Callable[[Plan], Sequence[str]] | None
    """Asked once the states of the files that a plan reads are on record, and before anything else happens: refuses by
    raising what is not as the plan says any more, and tells in words what else is to be known of them."""
    begun: Callable[[Trace], Trace] | None
    """Given the trace of a new run before it is on record: it with what is known of how the run came about."""
    fuse: bool
    """Whether nodes are carried out in one pass where they can be: so it is, unless KNOWFLOW_FUSE says no."""
    on_event: Listener | None
    """Told of everything that happens, as it happens."""
    exhibits: Callable[[], Sequence[Exhibit]]
    """What is shown beside the nodes: made and shown when the first of them have started."""
    repair: Repair | None
    """Asked about every failure, and about results that are not good enough."""
    retell: Callable[[Trace], Sequence[Exhibit]] | None
    """What is shown of the last repair of a trace, as soon as it is made."""
    conclude: Callable[[Trace, Session], Trace] | None
    """Given the trace when all nodes have ended, while it can still be shown things: it with what was delivered."""
