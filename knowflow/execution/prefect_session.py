"""Actions as Prefect task runs: their names, tags, logs and edges, and what a run exhibits beside them."""

from __future__ import annotations

import base64
import logging
import mimetypes
import re
import time
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from knowflow.execution.action import Action, Carry, Exhibit, Outcome, next_outcome
from knowflow.execution.prefect_flow_run import TASK_LOGGER, OpenFlowRun, Postbox, let_go
from knowflow.ground.errors import RunInterruptedError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.trace import RunStatus

if TYPE_CHECKING:
    from prefect import Task
    from prefect.client.schemas.objects import State
    from prefect.futures import PrefectFuture
    from prefect.task_runners import ThreadPoolTaskRunner

_TOLD_BY_US: ContextVar[bool] = ContextVar("knowflow_prefect_told_by_us", default=False)
_PROGRESS_INTERVAL_S = 2.0
_LARGEST_PICTURE = 2_000_000  # bytes of a picture that is stored with the run


class PrefectSession:
    """Actions as task runs of the current flow run."""

    def __init__(
        self,
        carry: Carry,
        threads: ThreadPoolTaskRunner[Any],
        workers: int,
        flow_run: OpenFlowRun | None = None,
    ) -> None:
        from prefect import task

        self._flow_run = flow_run
        self._postbox = Postbox(None if flow_run is None else flow_run.watch)
        self._carry = carry
        self._threads = threads
        self._task_runs: dict[str, UUID] = {}
        self._actions: dict[str, Action] = {}
        self._ended: dict[str, Outcome] = {}
        self._outcomes: SimpleQueue[Outcome] = SimpleQueue()
        self._cancelled = False
        self._task: Task[..., Any] = task(name="node", persist_result=False)(self._run_node)
        self._shown: dict[str, Task[..., Any]] = {}
        self.capacity = workers

    def submit(self, action: Action) -> None:
        from prefect.client.schemas.objects import RunInput, TaskRunResult

        self._actions[action.node] = action
        # told as dependencies, not handed over as futures: the UI draws the same edges, and nothing waits for results
        uses: set[RunInput] = {
            TaskRunResult(id=self._task_runs[node]) for node in action.depends_on if node in self._task_runs
        }
        call = {"node": action.node, "uses": action.depends_on}
        future = self._threads.submit(self._shown_as(action.schema.tool), call, dependencies={"uses": uses})
        nodes = [action.node] if action.group is None else [step.node.id for step in action.group.steps]
        self._task_runs |= dict.fromkeys(nodes, future.task_run_id)
        future.add_done_callback(lambda ended: self._outcomes.put(self._outcome_of(action.node, ended)))

    def _shown_as(self, tool: str) -> Task[..., Any]:
        """The task that nodes of a tool are runs of; each run is named after its node."""

        def title(parameters: dict[str, Any]) -> str:
            return self._actions[parameters["node"]].title

        if tool not in self._shown:
            self._shown[tool] = self._task.with_options(
                name=tool, task_run_name=cast("Any", title)
            )  # its types know no parameters
        return self._shown[tool]

    def wait_any(self) -> Outcome | None:
        return next_outcome(self._outcomes)

    def cancel(self) -> None:
        self._cancelled = True

    def publish(self, exhibit: Exhibit) -> None:
        """Keep an exhibit as an artifact of the flow run; a server that refuses it does not fail the run."""
        from prefect.logging import get_run_logger

        def post() -> None:
            try:
                _publish(exhibit)
            except Exception as error:
                get_run_logger().warning("%s could not be shown: %s", exhibit.title, error)

        self._postbox.post(post)

    def close(self, status: RunStatus, message: str) -> tuple[str, ...]:
        """End the flow run as the run did; where the server is gone, say so."""
        posted = self._postbox.close()
        ended = self._flow_run is None or self._flow_run.end(_state_of(status, message))
        if posted and ended:
            return ()
        let_go()
        return (
            "the Prefect server stopped answering while the run was at it: the run went on without it, its results are"
            " complete, and the Prefect UI does not show all of it",
        )

    def _run_node(self, node: str, uses: tuple[str, ...]) -> State[Any]:
        """The body of a task run; its arguments travel in the action. ``uses`` is what its edges belong to."""
        from prefect.states import Cancelled, Completed, Failed

        action = self._actions[node]
        self.tell_ourselves(action.tags)
        if self._cancelled:
            self._ended[node] = Outcome(node, error=RunInterruptedError("stopped on request"))
            return Cancelled(message="stopped on request")
        self._postbox.note(logging.INFO, _call_text(action))
        outcome = self._carry(action, ProgressArtifact(action.title, self._postbox))
        self._ended[node] = outcome
        if outcome.error is None:
            for part in outcome.parts or (outcome,):
                outputs = "; ".join(_output_text(name, output) for name, output in part.outputs.items())
                self._postbox.note(logging.INFO, f"{part.node}: {outputs}" if outcome.parts else outputs)
            return Completed(name="Cached", message="from the cache") if outcome.cached else Completed(message="done")
        if isinstance(outcome.error, RunInterruptedError):
            return Cancelled(message="stopped on request")
        self._postbox.note(logging.ERROR, str(outcome.error))
        return Failed(message=str(outcome.error))

    @staticmethod
    def tell_ourselves(tags: tuple[str, ...]) -> None:
        """Have the current task run tagged, and told of by us rather than by Prefect."""
        _tag(tags)
        _TOLD_BY_US.set(True)

    def _outcome_of(self, node: str, future: PrefectFuture[Any]) -> Outcome:
        """What the task run left; where Prefect ended it before its body did, that is the error."""
        outcome = self._ended.pop(node, None)
        if outcome is not None:
            return outcome
        try:
            future.wait()
            found = str(future.state.message or future.state.name)
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        lost = ToolError("Prefect did not run this node", where=node, found=found)
        return Outcome(node, error=lost, started=time.time(), finished=time.time())


def _tag(tags: tuple[str, ...]) -> None:
    """Tag the current task run from inside.

    Tags that a task is submitted with make Prefect ask the server, before each task, whether they have a concurrency
    limit: 8 ms each, and 2 s whenever two ask at once (SQLite is locked, Prefect backs off; 3.8.8).
    """
    from prefect.context import TaskRunContext

    context = TaskRunContext.get()
    if context is not None:
        context.task_run.tags = list(tags)


class ProgressArtifact:
    """Progress of one task run in the UI: only for nodes that take a while, and not often."""

    def __init__(self, title: str, postbox: Postbox) -> None:
        self._title = title
        self._postbox = postbox
        self._last = time.monotonic()
        self._under_way = False
        self._artifact: Any = None

    def __call__(self, fraction: float) -> None:
        now = time.monotonic()
        soon = now - self._last < _PROGRESS_INTERVAL_S and not (self._artifact is not None and fraction >= 1)
        if soon or self._under_way:
            return
        self._last, self._under_way = now, True
        self._postbox.post(lambda: self._show(round(100 * fraction, 1)))

    def _show(self, percent: float) -> None:
        from prefect.artifacts import create_progress_artifact, update_progress_artifact

        try:
            if self._artifact is None:
                self._artifact = create_progress_artifact(percent, description=self._title)
            else:
                update_progress_artifact(self._artifact, percent)
        except Exception:  # a picture of progress is not worth a failed node
            logging.getLogger(__name__).debug("progress of %s could not be shown", self._title, exc_info=True)
        finally:
            self._under_way = False


def _state_of(status: RunStatus, message: str) -> State[Any]:
    """How the flow run ends: as the run did, with its message."""
    from prefect.states import Cancelled, Completed, Failed

    if status == "completed":
        return Completed(message=message)
    return Cancelled(message=message) if status == "interrupted" else Failed(message=message)


class _Unsaid(logging.Filter):
    """Leaves out what Prefect says of a node that we have said, or its state says: that it ended, and the traceback of
    no exception. What it says of other tasks is theirs."""

    def filter(self, record: logging.LogRecord) -> bool:
        if not _TOLD_BY_US.get():
            return True
        ended = str(record.msg).startswith("Finished in state")
        return not ended and (record.exc_info is None or record.exc_info[0] is not None)


def say_once() -> None:
    """Have Prefect leave out of the logs of nodes what is in them already."""
    logger = logging.getLogger(TASK_LOGGER)
    if not any(isinstance(found, _Unsaid) for found in logger.filters):
        logger.addFilter(_Unsaid())


def _publish(exhibit: Exhibit) -> None:
    from prefect import artifacts
    from prefect.runtime import flow_run

    # a key of its own for each run: what has one key is shown as versions of one thing
    key = re.sub(r"[^a-z0-9]+", "-", f"{exhibit.key.lower()}-{str(flow_run.id)[:8]}").strip("-")
    match exhibit.kind:
        case "markdown":
            artifacts.create_markdown_artifact(exhibit.content, key=key, description=exhibit.title)
        case "table":
            artifacts.create_table_artifact(list(exhibit.content), key=key, description=exhibit.title)
        case "image":
            artifacts.create_image_artifact(_picture(exhibit.content), key=key, description=exhibit.title)
        case "link":
            artifacts.create_link_artifact(
                _address(exhibit.content), link_text=exhibit.title, key=key, description=exhibit.title
            )


def _picture(content: Any) -> str:
    """An address that a page can show: a local file is taken in, since pages may not read files."""
    text = str(content)
    path = Path(text.removeprefix("file://"))
    if text.startswith(("http:", "https:", "data:")) or path.stat().st_size > _LARGEST_PICTURE:
        return text
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _address(content: Any) -> str:
    return content.absolute().as_uri() if isinstance(content, Path) else str(content)


def _call_text(action: Action) -> str:
    if action.group is None:
        return f"{action.schema.tool}({_arguments_text(action)})"
    return f"in one pass: {', '.join(step.node.tool for step in action.group.steps)}"


def _arguments_text(action: Action) -> str:
    return ", ".join(f"{name}={_value_text(value)}" for name, value in action.arguments.items())


def _value_text(value: Any) -> str:
    if not isinstance(value, Artifact):
        return repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    if value.parts():
        return f"{len(value.parts())} x {value.parts()[0].type}"
    return value.path or (str(value.value) if value.value is not None else value.name)


def _output_text(name: str, output: Artifact) -> str:
    unit = output.fact("unit")
    return f"{name}: {_value_text(output)}" + (f" {unit}" if unit else "")
