"""Groups of nodes on the workers of a Prefect work pool.

The scheduler of the run stays in its process, and hands actions over through a folder of its state folder
(:mod:`knowflow.execution.group_folder`). What it asks Prefect for are hands: flow runs of one small deployed flow, as
many as the pool has room for, each of which carries out one action after the other until there are none. A flow run
costs seconds, an action that one of them takes costs milliseconds. What is lost with a flow run is taken by another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from knowflow.execution.action import Action, Carry, Outcome, Session
from knowflow.execution.carry_out import as_named_error
from knowflow.execution.group_folder import SILENCE_S, Carried, GroupFolder, Heard
from knowflow.execution.local_runner import WatchedSession
from knowflow.execution.prefect_runner import connected
from knowflow.execution.prefect_server import ensure_server, ui_of
from knowflow.ground.errors import KnowFlowError, RunInterruptedError, ServerError, ToolError
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun

T = TypeVar("T")

FLOW = "knowflow-group"
ENTRYPOINT = "knowflow.execution.prefect_pool_flow.carry_groups"
PER_WORKER = 2  # hands at once, where the pool has no limit
_MOST_HANDS = 32
_CAPACITY = 64  # actions under way: those that wait to be taken among them
_LOSSES = 4  # of hands, until an action counts as what kills them; and of hands in a row that have taken nothing
_TURN_S = 0.2
_LOOK_S = 2.0
_FAREWELL_S = 5.0  # for taking flow runs back
_PENDING_S = 120.0  # that a process may take to start
_NOBODY_S = 180.0  # so long a run waits for a worker, or for the server
_UNTAKEN_S = 900.0  # so long it waits for workers that have other things to do


@dataclass
class _Hand:
    """A flow run that works for the run; ``heard``: its beats, ``since`` when it was in its state first."""

    id: UUID
    heard: Heard
    state: str = "SCHEDULED"
    since: float = field(default_factory=time.monotonic)


class PoolRunner:
    """Carries out actions on the workers of the work pool ``pool``, of the server that the user configured, else ours.

    ``home`` is the state folder, which the workers must see under the same path.
    """

    exhibits = False

    def __init__(self, home: Path, pool: str, api_url: str | None = None) -> None:
        self._home = home.absolute()
        self.name = f"pool={pool}"
        self._pool = pool
        self._api_url = api_url
        self._foreman: _Foreman | None = None
        self.ui: str | None = None

    @property
    def waits(self) -> str:
        """What is waited for, where somebody has to do something."""
        return "" if self._foreman is None else self._foreman.waits

    def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
        api_url = self._api_url or ensure_server(self._home)
        self.ui = f"{ui_of(api_url)}/work-pools/work-pool/{self._pool}"
        with connected(api_url, self._home, {"client.max_retries": 0}):
            self._foreman = foreman = _Foreman(self._home, self._pool, plan.title or plan.query)
            session = WatchedSession(carry, _CAPACITY, foreman.check)
            try:
                with foreman.working():
                    return drive(session)
            finally:
                session.dismiss()
                self._foreman = None

    def elsewhere(self, action: Action, logs: Path, stopping: Callable[[], bool]) -> Carried:
        """Have an action carried out by a worker, and wait for it: its outcome, and the digests of the files it read.

        Never raises for a failed action.
        """
        started = time.time()
        error: KnowFlowError = RunInterruptedError("stopped on request")
        if (foreman := self._foreman) is not None:
            try:
                return foreman.asked(action, logs, stopping)
            except Exception as unknown:
                error = as_named_error(unknown, action)
        return Outcome(action.node, error=error, started=started, finished=time.time()), {}


class _Foreman:
    """Has hands come, looks after them, and gives what they have done to whoever waits for it."""

    def __init__(self, home: Path, pool: str, title: str) -> None:
        self._folder = GroupFolder(home)
        self._pool = pool
        self._title = title
        self._hands: list[_Hand] = []
        self._idle_failures = 0
        self._losses: dict[str, int] = {}
        self._asked: dict[str, threading.Event] = {}
        self._came: dict[str, Carried | ToolError] = {}
        self._gone: KnowFlowError | None = None
        self._ended = threading.Event()
        self._seen = self._heard_of_server = self._taken = time.monotonic()
        self.waits = ""

    # --- in the threads of the run ------------------------------------------------------------------------------------

    def asked(self, action: Action, logs: Path, stopping: Callable[[], bool]) -> Carried:
        name = self._folder.named()
        came = self._asked[name] = threading.Event()
        try:
            self._folder.put(name, action, logs)
            while not came.wait(_TURN_S):
                if stopping() or self._gone is not None:
                    raise RunInterruptedError("stopped on request")
        finally:
            self._asked.pop(name, None)
        found = self._came.pop(name)
        if isinstance(found, ToolError):
            raise found
        return found

    def check(self) -> None:
        """Take what has come back; raise what is wrong with the pool as such."""
        if self._gone is not None:
            raise self._gone
        for name, carried in self._folder.done():
            self._give(name, carried)

    def _give(self, name: str, came: Carried | ToolError) -> None:
        waiting = self._asked.pop(name, None)
        if waiting is not None:  # who counted as lost may give back what another has done meanwhile
            self._came[name] = came
            waiting.set()
            self._taken = time.monotonic()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Within this, there are hands; at the end they are sent away."""
        from prefect.client.orchestration import get_client

        with get_client(sync_client=True) as client:
            try:
                deployment = _deployed(client, self._pool)
                looking = threading.Thread(target=copy_context().run, args=(self._look_after, client, deployment))
                looking.start()
                try:
                    yield
                finally:
                    self._ended.set()
                    self._folder.stop()
                    looking.join()
                    self._dismiss(client)
            finally:
                self._folder.remove()

    # --- in the thread that looks after the hands ---------------------------------------------------------------------

    def _look_after(self, client: SyncPrefectClient, deployment: UUID) -> None:
        while not self._ended.wait(_TURN_S if not self._hands and self._asked else _LOOK_S):
            try:
                self._folder.beat()
                self._look(client, deployment)
                self._heard_of_server = time.monotonic()
            except KnowFlowError as error:
                self._gone = error
            except Exception as error:  # the server is busy, or has gone: the hands do not need it
                if time.monotonic() - self._heard_of_server > _NOBODY_S:
                    self._gone = _gone(str(error) or type(error).__name__)

    def _look(self, client: SyncPrefectClient, deployment: UUID) -> None:
        if self._hands:
            self._look_at_hands(client)
        pool = client.read_work_pool(self._pool)
        online = sum(one.status.value == "ONLINE" for one in client.read_workers_for_work_pool(self._pool))
        self._require_workers(online, pool.is_paused)
        limit = pool.concurrency_limit if pool.concurrency_limit is not None else PER_WORKER * online
        wanted = min(limit, _MOST_HANDS, len(self._asked)) - len(self._hands)
        for _ in range(min(wanted, self._folder.waiting())):
            made = client.create_flow_run_from_deployment(
                deployment, parameters={"folder": str(self._folder.path)}, name=self._title or None, tags=["knowflow"]
            )
            self._hands.append(_Hand(made.id, self._folder.heard(str(made.id))))

    def _look_at_hands(self, client: SyncPrefectClient) -> None:
        for hand, found in self._read(client):
            state, message = ("DELETED", "") if found is None else _state(found)
            if state != hand.state:
                hand.state, hand.since = state, time.monotonic()
            since = time.monotonic() - hand.since
            silent = state == "RUNNING" and hand.heard.silent_s() > SILENCE_S < since
            if silent or (state == "PENDING" and since > _PENDING_S):
                self._end(client, hand, "Crashed", "nothing was heard of it")
                self._lost(hand, state, "nothing was heard of it")
            elif state not in ("SCHEDULED", "PENDING", "RUNNING", "CANCELLING"):
                self._lost(hand, state, message)

    def _read(self, client: SyncPrefectClient) -> list[tuple[_Hand, FlowRun | None]]:
        from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterId

        ids = FlowRunFilter(id=FlowRunFilterId(any_=[hand.id for hand in self._hands]))
        found = {one.id: one for one in client.read_flow_runs(flow_run_filter=ids)}
        return [(hand, found.get(hand.id)) for hand in self._hands]

    def _lost(self, hand: _Hand, state: str, message: str) -> None:
        """A hand has ended, however: what it had taken, another takes."""
        self._hands.remove(hand)
        who = str(hand.id)
        left, came = self._folder.lose(who)
        self._idle_failures = 0 if came else self._idle_failures + 1
        if self._idle_failures >= _LOSSES:
            raise _useless(self._pool, message or state)
        for name in left:
            self._losses[name] = self._losses.get(name, 0) + 1
            if self._losses[name] < _LOSSES:
                self._folder.again(who, name)
            else:
                self._give(name, _killed(message or state))

    def _require_workers(self, online: int, paused: bool) -> None:
        now = time.monotonic()
        if not self._asked or any(hand.state == "RUNNING" for hand in self._hands):
            self._seen = self._taken = now
        elif online and not paused:
            self._seen = now
        free = online and not paused
        self.waits = "" if free or self._seen == now else _nobody(self._pool, paused)
        if now - self._seen > _NOBODY_S or now - self._taken > _UNTAKEN_S:
            raise _workerless(self._pool, paused, now - self._seen > _NOBODY_S)

    def _dismiss(self, client: SyncPrefectClient) -> None:
        """Those who have not begun do not begin, those who work end by themselves."""
        until = time.monotonic() + _FAREWELL_S
        while self._hands and time.monotonic() < until:  # a server that is busy refuses, and is asked again
            with suppress(Exception):
                states = [(hand, _state(found)[0]) for hand, found in self._read(client) if found is not None]
                waiting = [hand for hand, state in states if state in ("SCHEDULED", "PENDING")]
                if not waiting:
                    return
                for hand in waiting:
                    self._end(client, hand, "Cancelled", "the run has ended")
            time.sleep(_TURN_S)

    @staticmethod
    def _end(client: SyncPrefectClient, hand: _Hand, how: str, message: str) -> None:
        from prefect import states

        with suppress(Exception):
            client.set_flow_run_state(hand.id, getattr(states, how)(message=message), force=True)


def _state(found: FlowRun) -> tuple[str, str]:
    state = found.state
    return ("SCHEDULED", "") if state is None else (str(state.type.value), str(state.message or ""))


_BUSY = (429, 503)
_WAITS_S = (0.5, 1.0, 2.0, 4.0)


def _patiently(call: Callable[[], T]) -> T:
    """What a call gives, made again where the server says that it is busy, as one does that has just been started."""
    from httpx import HTTPStatusError

    for wait in _WAITS_S:
        try:
            return call()
        except HTTPStatusError as error:
            if error.response.status_code not in _BUSY:
                raise
            time.sleep(wait)
    return call()


def _deployment(client: SyncPrefectClient, pool: str) -> UUID:
    client.read_work_pool(pool)
    flow = client.create_flow_from_name(FLOW)
    return client.create_deployment(
        flow,
        name=pool,
        work_pool_name=pool,
        entrypoint=ENTRYPOINT,
        description="Carries out groups of nodes of runs of KnowFlow (--runner pool=...).",
        tags=["knowflow"],
        parameter_openapi_schema={"type": "object", "properties": {"folder": {"type": "string"}}},
        enforce_parameter_schema=False,
    )


def _deployed(client: SyncPrefectClient, pool: str) -> UUID:
    """The deployment of the flow in a pool, made where it is not there yet.

    Raises:
        ServerError: there is no such pool, or the server cannot be used.
    """
    from prefect.exceptions import ObjectNotFound

    try:
        return _patiently(lambda: _deployment(client, pool))
    except ObjectNotFound as error:
        raise ServerError(
            f"there is no work pool {pool!r}",
            expected="the name of a work pool of the Prefect server",
            found=", ".join(one.name for one in client.read_work_pools()) or "none",
            hint=f"start a worker, which makes it: {_START.format(pool=pool)}",
        ) from error
    except Exception as error:
        raise _gone(str(error) or type(error).__name__) from error


_START = "prefect worker start --pool {pool} --type process"


def _nobody(pool: str, paused: bool) -> str:
    if paused:
        return f"the work pool {pool} is paused: waiting until it goes on (prefect work-pool resume {pool})"
    return f"no worker is online in the work pool {pool}: waiting for one ({_START.format(pool=pool)})"


def _workerless(pool: str, paused: bool, nobody: bool) -> ServerError:
    found = f"paused for {_NOBODY_S:.0f} s" if paused else f"none for {_NOBODY_S:.0f} s"
    return ServerError(
        "the work pool has no workers" if nobody else "the workers of the pool take nothing of the run",
        where=pool,
        found=found if nobody else f"nothing taken for {_UNTAKEN_S:.0f} s",
        hint=f"start one ({_START.format(pool=pool)}); `knowflow runs resume` goes on where a run stopped",
    )


def _useless(pool: str, message: str) -> ServerError:
    return ServerError(
        "the workers of the work pool cannot carry out groups of nodes",
        where=pool,
        expected="KnowFlow of this version, and the state folder under this path, where the worker runs",
        found=message[:500],
        hint="`prefect worker start` says what went wrong where it runs",
    )


def _killed(message: str) -> ToolError:
    return ToolError(
        "every worker was lost that was at this node",
        found=message[:500],
        hint="it may need more memory than a worker has: carry it out with --runner local",
    )


def _gone(found: str) -> ServerError:
    return ServerError(
        "the Prefect server could not be used",
        found=found[:500],
        hint="`knowflow doctor` looks at it; `knowflow runs resume` goes on where the run stopped",
    )


def pools_of(api_url: str) -> list[tuple[str, int]]:
    """The work pools of a server that answers, with how many workers of each are online."""
    from prefect.client.orchestration import get_client

    with connected(api_url, None, {"client.max_retries": 0}), get_client(sync_client=True) as client:
        return [
            (pool.name, sum(one.status.value == "ONLINE" for one in client.read_workers_for_work_pool(pool.name)))
            for pool in client.read_work_pools()
        ]
