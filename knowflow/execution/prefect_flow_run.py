"""A flow run that is held open beside the run, and what is sent to its server: nobody waits for a server that is gone.

Prefect asks a server that does not answer again and again, for a minute or two each time, in the thread that asks. So
the flow run is opened and ended in a thread of its own, artifacts are sent from another, and whoever waits for these
looks at the server meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from knowflow.execution.prefect_server import answers
from knowflow.ground.errors import ServerError
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from prefect.client.schemas.objects import State

TASK_LOGGER = "prefect.task_runs"
_TURN_S = 0.2
_GATHERED_S = 1.0  # for which lines of logs are gathered
_MOST_LINES = 500  # that are sent together
_LONGEST_LINE = 100_000
_LOOK_EVERY_S = 1.0
_SILENCE_S = 15.0  # a server that is busy answers within this; one that is gone refuses at once
_REFUSALS_S = 4.0


class ServerWatch:
    """Whether a server is still there: it is not where it refuses for some seconds, or is silent for longer."""

    def __init__(self, api_url: str) -> None:
        self.api_url = api_url
        self._lock = threading.Lock()
        self._answered = self._looked = time.monotonic()
        self._gone = False

    def gone(self) -> bool:
        """Looked at no more than once a second, by whoever is waiting."""
        with self._lock:
            if self._gone or time.monotonic() - self._looked < _LOOK_EVERY_S:
                return self._gone
            asked = time.monotonic()
            if asked - self._looked > 2 * _SILENCE_S:  # nobody has looked for long: it may have been there until now
                self._answered = asked
            found = answers(self.api_url)
            self._looked = time.monotonic()
            if found:
                self._answered = self._looked
            refused = self._looked - asked < _LOOK_EVERY_S
            self._gone = self._looked - self._answered > (_REFUSALS_S if refused else _SILENCE_S)
            return self._gone


class OpenFlowRun:
    """A flow run in a thread of its own, open from :meth:`context` to :meth:`end`."""

    def __init__(self, plan: Plan, name: str, watch: ServerWatch) -> None:
        self.watch = watch
        self._opened, self._ended = threading.Event(), threading.Event()
        self._context: Context | None = None
        self._final: State[Any] | None = None
        self._error: BaseException | None = None
        # a daemon: whoever asks a server that is gone for the tenth time must not keep the process from ending
        self._thread = threading.Thread(target=copy_context().run, args=(self._hold, plan, name), daemon=True)
        self._thread.start()

    def context(self) -> Context:
        """The context inside of the flow run, to be worked in.

        Raises:
            ServerError: the server does not open one.
        """
        while not self._opened.wait(_TURN_S):
            if self.watch.gone():
                raise self._unreachable("no answer")
        if self._context is None:
            error = self._error
            raise self._unreachable(f"{type(error).__name__}: {error}") from error
        return self._context

    def end(self, final: State[Any]) -> bool:
        """End the flow run in a state; whether the server has heard of it."""
        self._final = final
        self._ended.set()
        while self._thread.is_alive():
            self._thread.join(_TURN_S)
            if self._thread.is_alive() and self.watch.gone():
                return False
        return self._error is None

    def abandon(self, error: BaseException) -> None:
        """End it where that was not said: the run was broken off."""
        from prefect.states import Failed

        if not self._ended.is_set():
            self.end(Failed(message=f"{type(error).__name__}: {error}"))

    def _hold(self, plan: Plan, name: str) -> None:
        from prefect import flow

        def body(query: str, template: str, parameters: dict[str, Any]) -> Any:
            """The flow's parameters are shown in the UI; the plan itself is in our own trace."""
            self._context = copy_context()
            self._opened.set()
            self._ended.wait()
            return self._final

        shown = flow(
            name=name,
            flow_run_name=lambda: plan.title or plan.query or plan.template,
            validate_parameters=False,
            persist_result=False,
        )(body)
        try:
            shown(plan.query, plan.template, dict(plan.parameters), return_state=True)
        except BaseException as error:
            self._error = error
        finally:
            self._opened.set()

    def _unreachable(self, found: str) -> ServerError:
        return ServerError(
            "the Prefect server could not be used",
            expected=f"an answer from {self.watch.api_url}",
            found=found,
            hint="`knowflow doctor` looks at it; `--runner local` works without it",
        )


class Postbox:
    """What is sent to a server in the order in which it was posted, without anybody who waits for it.

    Lines of logs are gathered for a second: handed to Prefect one by one, each costs a millisecond.
    """

    def __init__(self, watch: ServerWatch | None) -> None:
        self._watch = watch
        self._letters: SimpleQueue[tuple[Context, Callable[[], None]] | None] = SimpleQueue()
        self._lines: deque[dict[str, Any]] = deque()
        self._context = copy_context()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def post(self, letter: Callable[[], None]) -> None:
        """Have something sent, in the context of now."""
        self._letters.put((copy_context(), letter))

    def note(self, level: int, message: str) -> None:
        """Write a line into the log of the current task run."""
        from prefect.context import TaskRunContext

        context = TaskRunContext.get()
        if context is None:
            return
        self._lines.append(
            {
                "name": TASK_LOGGER,
                "level": level,
                "message": message[:_LONGEST_LINE],
                "timestamp": datetime.now(UTC).isoformat(),
                "flow_run_id": str(context.task_run.flow_run_id),
                "task_run_id": str(context.task_run.id),
            }
        )

    def close(self) -> bool:
        """Wait until all was sent; false where the server has gone before."""
        self._letters.put(None)
        patience = time.monotonic() + _SILENCE_S
        while self._thread.is_alive():
            self._thread.join(_TURN_S)
            gone = time.monotonic() > patience if self._watch is None else self._watch.gone()
            if self._thread.is_alive() and gone:
                return False
        return True

    def _send(self) -> None:
        ended, sent = False, time.monotonic()
        while not ended:
            with suppress(Empty):
                posted = self._letters.get(timeout=_GATHERED_S)
                if posted is None:
                    ended = True
                else:
                    context, letter = posted
                    context.run(letter)
            if ended or time.monotonic() - sent >= _GATHERED_S:
                self._context.run(self._send_lines)
                sent = time.monotonic()

    def _send_lines(self) -> None:
        """Send the lines that were gathered; a server that refuses them does not fail the run."""
        from prefect.client.orchestration import get_client
        from prefect.settings import PREFECT_LOGGING_TO_API_ENABLED

        while self._lines:
            lines = [self._lines.popleft() for _ in range(min(len(self._lines), _MOST_LINES))]
            if not PREFECT_LOGGING_TO_API_ENABLED.value():
                continue
            try:
                with get_client(sync_client=True) as client:
                    client.create_logs(lines)
            except Exception:
                logging.getLogger(__name__).debug("%d lines could not be sent", len(lines), exc_info=True)


def let_go() -> None:
    """Have Prefect's services stop sending to a server that is gone what they still hold.

    At exit each waits until all was sent, ten attempts for every event of every task: a minute or more. A later run
    gets new ones. They are not of Prefect's public interface; where they are not as they were (3.8.8), exit takes long.
    """
    with suppress(ImportError, AttributeError, RuntimeError):
        from prefect._internal.concurrency import logger, services

        logger.setLevel(logging.CRITICAL)  # that they end so is told in a note
        for service in tuple(services._active_services):
            if service._task is not None and service._loop is not None:
                service._loop.call_soon_threadsafe(service._task.cancel)
