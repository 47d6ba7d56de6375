"""What a run tells while it runs. Events come one at a time, from whichever thread has something to tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from knowflow.model.diagnosis import Diagnosis
from knowflow.model.trace import NodeRecord, Repaired, RunStatus
from knowflow.model.workflow import Workflow


@dataclass(frozen=True, slots=True)
class RunStarted:
    """``ui`` is where the run can be watched, if anywhere; ``workflow`` is what will be done."""

    run_id: str
    title: str
    nodes: int
    ui: str | None
    workflow: Workflow = field(default=Workflow(()), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NodeStarted:
    node: str
    title: str


@dataclass(frozen=True, slots=True)
class NodeProgress:
    """Which share (0..1) of a running node is done."""

    node: str
    fraction: float


@dataclass(frozen=True, slots=True)
class NodeEnded:
    """A node is done, cached, failed or skipped; the record says which, and why.

    ``settled`` of ``nodes`` have ended.
    """

    title: str
    record: NodeRecord
    settled: int
    nodes: int


@dataclass(frozen=True, slots=True)
class PlanEdited:
    """A failure was answered by an edit of the plan; the run goes on with it."""

    because: str
    nodes: int
    workflow: Workflow = field(default=Workflow(()), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """The cause of a failure was found; ``title`` is that of the node that failed."""

    title: str
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class PlanRepaired:
    """A failure was answered by a repair; a :class:`PlanEdited` follows where it changes the plan."""

    repaired: Repaired


@dataclass(frozen=True, slots=True)
class RunWaiting:
    """Nothing goes on until somebody does something that is no matter of the run, such as starting a worker."""

    what: str


@dataclass(frozen=True, slots=True)
class RunStopping:
    """The user asked to stop; these nodes are still under way and are waited for."""

    waiting_for: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunEnded:
    run_id: str
    status: RunStatus
    message: str


Event = (
    RunStarted
    | NodeStarted
    | NodeProgress
    | NodeEnded
    | Diagnosed
    | PlanRepaired
    | PlanEdited
    | RunWaiting
    | RunStopping
    | RunEnded
)
Listener = Callable[[Event], None]
