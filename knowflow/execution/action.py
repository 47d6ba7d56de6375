"""What runners carry out: an action (a tool with all its arguments resolved), and what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any, Literal, Protocol, TypeVar

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.references import is_reference
from knowflow.model.artifact import Artifact, with_paths
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Check, Repaired, RunStatus
from knowflow.model.workflow import Node

T = TypeVar("T")
_TURN_S = 0.2


@dataclass(frozen=True, slots=True)
class Action:
    """A node whose every argument is an actual artifact or value.

    ``depends_on`` are the nodes whose results it uses. Of several nodes that are carried out together, ``group`` holds
    them all, and the rest is of the last of them.
    """

    node: str
    title: str
    schema: ToolSchema
    arguments: Mapping[str, Any]
    layer: int = 1
    depends_on: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    group: Group | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A node of a group; ``kept``: its files are asked for, by the plan or by a node outside."""

    node: Node
    schema: ToolSchema
    kept: bool

    @property
    def title(self) -> str:
        return self.node.title or self.node.id


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that are carried out together, in their order, with all that they use of others: ``inputs`` of the plan,
    and what is ``known`` by node and output."""

    steps: tuple[Step, ...]
    inputs: Mapping[str, Artifact]
    known: Mapping[tuple[str, str], Artifact]

    def title_of(self, node: str) -> str:
        return next(step.title for step in self.steps if step.node.id == node)


def grouped(group: Group) -> Action:
    """The action of a group: it goes by its first node, and shows as the last."""
    nodes = [step.node for step in group.steps]
    last, inside = group.steps[-1], {node.id for node in nodes}
    outside = (source for node in nodes for source in node.sources() if source not in inside)
    title = f"{last.title} (with {len(nodes) - 1} nodes before it, in one pass)"
    tags = (f"layer {last.node.layer}", *dict.fromkeys(node.tool for node in nodes), "one pass")
    return Action(nodes[0].id, title, last.schema, {}, last.node.layer, tuple(dict.fromkeys(outside)), tags, group)


def with_whole_paths(action: Action) -> tuple[Action, dict[str, str]]:
    """An action for a process that stands in another folder: its files by their whole paths; and what each of those
    was called before."""
    before: dict[str, str] = {}

    def whole(path: str) -> str:
        if os.path.isabs(path) or is_reference(path) or not os.path.exists(path):
            return path
        before[os.path.abspath(path)] = path
        return os.path.abspath(path)

    def placed(values: Mapping[T, Any]) -> dict[T, Any]:
        return {name: with_paths(one, whole) if isinstance(one, Artifact) else one for name, one in values.items()}

    group = action.group
    if group is not None:
        group = Group(group.steps, placed(group.inputs), placed(group.known))
    found = replace(action, arguments=placed(action.arguments), group=group)
    return (found, before) if before else (action, before)


def action_of(node: Node, schema: ToolSchema, arguments: Mapping[str, Any], repair: Repaired | None = None) -> Action:
    """The action of a node with its arguments; it says so where the ``repair`` of a plan, or an edit, made it."""
    title = node.title or node.id
    tags = [f"layer {node.layer}", node.tool, *(["inserted"] if node.inserted is not None else [])]
    if repair is not None:
        what, tag = ("edit", "edited") if repair.by == "person" else ("repair", "repaired")
        title, tags = f"{title} ({what} {repair.number})", [*tags, tag]
    return Action(node.id, title, schema, arguments, node.layer, node.sources(), tuple(tags))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an action: outputs by name, or the error that ended it.

    ``key`` identifies the result by derivation. Times are seconds since the epoch. ``parts`` are the outcomes of the
    nodes of a group; it has none where the nodes are to be carried out one by one. ``notes`` are to be told of the run,
    once.
    """

    node: str
    outputs: Mapping[str, Artifact] = field(default_factory=dict)
    error: KnowFlowError | None = None
    checks: tuple[Check, ...] = ()
    cached: bool = False
    key: str = ""
    started: float = 0.0
    finished: float = 0.0
    parts: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exhibit:
    """Something to show beside the nodes of a run.

    ``content`` is text for ``markdown``, rows (dicts) for ``table``, the address of a picture (http, file or data URI)
    for ``image`` and an address for ``link``. ``key`` names it: lower case letters, digits and dashes.
    """

    kind: Literal["markdown", "table", "image", "link"]
    key: str
    title: str
    content: Any


def next_outcome(outcomes: SimpleQueue[Outcome]) -> Outcome | None:
    """The next outcome of a queue, None where none came in a short turn.

    A thread that blocks in C does not always hear of Ctrl-C: the signal may reach another thread, or (on Windows) none.
    """
    try:
        return outcomes.get(timeout=_TURN_S)
    except Empty:
        return None


class Carry(Protocol):
    """Carries out one action, in the thread that calls it. Never raises for a failed action."""

    def __call__(self, action: Action, on_progress: Callable[[float], None] | None = None) -> Outcome: ...


class Session(Protocol):
    """One run of one plan on a runner. Not thread-safe: the scheduler owns it."""

    @property
    def capacity(self) -> int:
        """How many actions may be under way at once."""
        ...

    def submit(self, action: Action) -> None: ...

    def wait_any(self) -> Outcome | None:
        """Wait for a submitted action to end; None where none has for a while. Never raises for a failed action."""
        ...

    def cancel(self) -> None:
        """Start nothing new: what waits ends with ``RunInterruptedError``. What runs, its carrier asks to stop."""
        ...

    def publish(self, exhibit: Exhibit) -> None:
        """Show something beside the nodes; a runner with nowhere to show it ignores it."""
        ...

    def close(self, status: RunStatus, message: str) -> tuple[str, ...]:
        """Say how the run ended; the last call. Returns what is to be told of the runner itself."""
        ...


class Runner(Protocol):
    """Decides where and how many at a time actions are carried out, and shows them.

    One that has ``elsewhere(action, logs, stopping)`` carries them out in other processes, with what it returns: the
    outcome, and the digests of the files that were read for it. One that has ``waits`` tells there what it waits for,
    where somebody has to do something.
    """

    @property
    def name(self) -> str: ...

    @property
    def ui(self) -> str | None:
        """Where the run can be watched, once it has started."""
        ...

    @property
    def exhibits(self) -> bool:
        """Whether it has somewhere to show exhibits; where not, nobody needs to draw them."""
        ...

    def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
        """Open a session for a plan and hand it to ``drive``; the result is what ``drive`` returns.

        Raises:
            ServerError: the runner needs a server and there is none.
        """
        ...
