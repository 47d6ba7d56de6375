"""Runs as Prefect flow runs: every node a task run with its name, tags, log and edges, beside what a run exhibits.

What is ready, and what becomes of a failure, is decided by our scheduler; Prefect carries out and shows. Only modules
whose names begin with `prefect_` know Prefect.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from knowflow.execution import prefect_groups
from knowflow.execution.action import Carry, Session
from knowflow.execution.prefect_flow_run import OpenFlowRun, ServerWatch
from knowflow.execution.prefect_server import configured_server, ensure_server, server_folder, without_proxy
from knowflow.execution.prefect_session import PrefectSession, say_once
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from prefect.task_runners import ThreadPoolTaskRunner

T = TypeVar("T")

FLOW_NAME = "knowflow"


class PrefectRunner:
    """Carries out actions as task runs of one flow run; inside a flow, of that one.

    Without ``api_url`` the server is the one the user configured, else our own, started if need be.
    """

    name = "prefect"
    exhibits = True

    def __init__(self, home: Path | None = None, workers: int = 2, api_url: str | None = None) -> None:
        self._home = home
        self._workers = workers
        self._api_url = api_url
        self._ui: str | None = None

    @property
    def ui(self) -> str | None:
        return self._ui

    def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
        if _inside_flow():
            return self._drive(plan, carry, drive)
        api_url = self._api_url or ensure_server(self._home)
        with connected(api_url, self._home):
            return self._as_flow(plan, carry, drive, api_url)

    def _as_flow(self, plan: Plan, carry: Carry, drive: Callable[[Session], T], api_url: str) -> T:
        """Open a flow run and drive the run in it; the flow run ends as the run does."""
        flow_run = OpenFlowRun(plan, FLOW_NAME, ServerWatch(api_url))
        try:
            return flow_run.context().run(self._drive, plan, carry, drive, flow_run)
        except BaseException as error:
            flow_run.abandon(error)
            raise

    def _drive(self, plan: Plan, carry: Carry, drive: Callable[[Session], T], flow_run: OpenFlowRun | None = None) -> T:
        from prefect.context import FlowRunContext
        from prefect.task_runners import ThreadPoolTaskRunner
        from prefect.utilities.urls import url_for

        say_once()
        context = FlowRunContext.get()
        assert context is not None
        if context.flow_run is not None:
            self._ui = url_for(context.flow_run)
        threads: ThreadPoolTaskRunner[Any]
        if len(plan.workflow) > prefect_groups.MANY:
            with ThreadPoolTaskRunner(max_workers=prefect_groups.MOST_OPEN) as threads:
                session = prefect_groups.GroupedSession(carry, threads, self._workers, plan, flow_run)
                try:
                    return drive(session)
                finally:
                    session.dismiss()
        with ThreadPoolTaskRunner(max_workers=self._workers) as threads:
            return drive(PrefectSession(carry, threads, self._workers, flow_run))


def _inside_flow() -> bool:
    """Whether this code runs in a Prefect flow; without importing Prefect where nobody else has."""
    if "prefect.context" not in sys.modules:
        return False
    from prefect.context import FlowRunContext

    return FlowRunContext.get() is not None


@contextmanager
def connected(api_url: str, home: Path | None, more: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Prefect, quiet and without telemetry, talking to that server; with ``more`` of its settings."""
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    if configured_server() is None:
        os.environ.setdefault("PREFECT_HOME", str(server_folder(home)))
    if api_url.startswith("http://127.0.0.1:"):
        without_proxy(os.environ)  # type: ignore[arg-type]
    from prefect.settings import temporary_settings

    updates: dict[Any, Any] = {"api.url": api_url, "server.ephemeral.enabled": False, **(more or {})}
    if configured_server() is None:
        # the end of every flow waits up to a second for the thread that beats, and ours has nobody who listens
        updates["flows.heartbeat_frequency"] = None
    with temporary_settings(updates):
        yield
