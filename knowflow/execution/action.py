"""What runners carry out: an action (a tool with all its arguments resolved), and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Action:
    """A node whose every argument is an actual artifact or value.

    ``key`` identifies the result by derivation; ``depends_on`` are the nodes whose results it uses.
    """

    node: str
    title: str
    schema: ToolSchema
    arguments: Mapping[str, Any]
    key: str
    layer: int = 1
    depends_on: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an action: outputs by name, or the error that ended it."""

    node: str
    outputs: Mapping[str, Artifact] = field(default_factory=dict)
    error: KnowFlowError | None = None
    checks: tuple[Check, ...] = ()
    cached: bool = False
    started: float = 0.0
    finished: float = 0.0


class Session(Protocol):
    """One run of one plan on a runner. Not thread-safe: the scheduler owns it."""

    def submit(self, action: Action) -> None: ...

    def wait_any(self) -> Outcome:
        """Block until a submitted action has ended. Never raises for a failed action."""
        ...

    def cancel(self) -> None:
        """Ask what is running to stop, and start nothing new."""
        ...

    def publish(self, event: str, payload: Mapping[str, Any]) -> None:
        """Show something beside the nodes: the plan, a drawing, the answer, a link to the report."""
        ...


class Runner(Protocol):
    """Carries out actions. ``run`` opens a session for a plan and hands it to ``drive``."""

    name: str

    def run(self, plan: Plan, drive: Callable[[Session], T]) -> T: ...

    @property
    def ui(self) -> str | None:
        """Where the run can be watched, once it has started."""
        ...
