"""Nodes on the workers of a dask cluster: one of our own on this machine, or an existing one.

The scheduler of the run stays where it is; a worker is sent one action (a node, or a group of nodes that go in one
pass) with all that it needs. All share one state folder: what a worker finished before it was lost is found there, not
made again. A lost worker's action goes to another one, that of a lost cluster to whoever takes its place at the same
address; where nobody does, the run ends, and can be resumed.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from knowflow.execution.action import Action, Carry, Outcome, Session, with_whole_paths
from knowflow.execution.carry_out import as_named_error
from knowflow.execution.dask_worker import carried_on_worker
from knowflow.execution.local_runner import WatchedSession
from knowflow.ground.errors import KnowFlowError, RunInterruptedError, ServerError, ToolError
from knowflow.ground.extras import require_extra
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")

WORKERS = 2
_AHEAD = 2  # actions for each thread of the cluster: one that runs, one that is there when it ends
_LOSSES = 4  # of workers, until an action counts as what kills them
_MEMORY_SHARE = 0.6  # of the machine's memory, for all workers of our own
_RETURNS = 20  # of a cluster, while one action is under way
_CONNECT_S = 20
_TURN_S = 0.2
_WORKERLESS_S = 180.0  # so long a run waits for a first worker, or for others where all are lost
SETTINGS = {
    "distributed.scheduler.allowed-failures": _LOSSES,
    "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
    "distributed.admin.tick.limit": "1h",
    "distributed.deploy.lost-worker-timeout": "1h",  # who is slow to come back is not given up
    "distributed.worker.profile.enabled": False,  # nobody looks at it; it is a third of what an idle worker costs
}
"""Of dask, while a run is connected; what they say of schedulers and workers is for a cluster of our own."""


class DaskRunner:
    """Carries out actions on the cluster at ``address``, or on a cluster of ``workers`` processes of its own.

    ``home`` is the state folder, which the workers of an existing cluster must see under the same path.

    Raises:
        MissingExtraError: dask.distributed is not installed.
    """

    exhibits = False

    def __init__(self, home: Path, address: str | None = None, workers: int = WORKERS) -> None:
        require_extra("dask", "distributed")
        self._home = home.absolute()
        self._address = address
        self.name = "dask" if address is None else f"dask={address}"
        self._workers = workers
        self._client: Client | None = None
        self._session = ""
        self._gone: ServerError | None = None
        self._look_at = self._seen = time.monotonic()
        self.ui: str | None = None

    def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
        with self._connected() as client:
            self._client, self._session, self._gone = client, uuid.uuid4().hex, None
            self.ui = client.dashboard_link if self._address is not None else None
            self._require_workers(client)
            session = WatchedSession(carry, _AHEAD * max(1, sum(client.nthreads().values())), self._check)
            try:
                return drive(session)
            finally:
                session.dismiss()
                self._client = None

    def elsewhere(self, action: Action, logs: Path, stopping: Callable[[], bool]) -> tuple[Outcome, dict[str, str]]:
        """Have an action carried out by a worker, and wait for it: its outcome, and the digests of the files it read.

        Never raises for a failed action.
        """
        from distributed import CancelledError, KilledWorker

        started = time.time()
        error: KnowFlowError = RunInterruptedError("stopped on request")
        for times_left in reversed(range(_RETURNS)):
            try:
                if (client := self._client) is None or self._gone is not None:
                    break
                return self._asked(client, action, logs, stopping)
            except RunInterruptedError:
                break
            except KilledWorker as killed:
                error = as_named_error(_killed(killed), action)
                break
            except (CancelledError, OSError) as lost:  # with the scheduler of the cluster
                if stopping() or not self._is_back(client, lost, stopping, _CONNECT_S if times_left else 0.0):
                    break
            except Exception as unknown:
                error = as_named_error(unknown, action)
                break
        return Outcome(action.node, error=error, started=started, finished=time.time()), {}

    def _asked(
        self, client: Client, action: Action, logs: Path, stopping: Callable[[], bool]
    ) -> tuple[Outcome, dict[str, str]]:
        placed, before = with_whole_paths(action)
        # not by its content: the same action may be wanted again, once its result was found damaged
        future = client.submit(carried_on_worker, placed, str(self._home), str(logs), self._session, pure=False)
        ended = threading.Event()
        future.add_done_callback(lambda _: ended.set())
        while not ended.wait(_TURN_S):
            if stopping() or self._gone is not None:
                client.cancel([future], force=True)
                raise RunInterruptedError("stopped on request")
        outcome, told = future.result()
        return outcome, {before.get(path, path): digest for path, digest in told.items()}

    def _is_back(self, client: Client, lost: Exception, stopping: Callable[[], bool], most_s: float) -> bool:
        """Wait until there is a cluster again; where there is none for too long, the run is to end."""
        until = time.monotonic() + most_s
        while time.monotonic() < until and client.status != "closed" and not stopping():
            time.sleep(_TURN_S)
            if client.status == "running":
                return True
        self._gone = self._gone or ServerError(
            "the dask cluster is gone",
            where=self._address,
            found=str(lost)[:500] or type(lost).__name__,
            hint="`knowflow runs resume` goes on where the run stopped",
        )
        return False

    def _require_workers(self, client: Client) -> None:
        try:
            client.wait_for_workers(1, timeout=_WORKERLESS_S)
        except TimeoutError as error:
            raise _workerless(self._address) from error

    def _check(self) -> None:
        """Raise what is wrong with the cluster as such; from time to time, ask whether there are workers."""
        if self._gone is not None:
            raise self._gone
        now, client = time.monotonic(), self._client
        if client is None or client.status != "running" or now < self._look_at:
            return
        self._look_at = now + _WORKERLESS_S / 10
        with suppress(OSError, TimeoutError):
            if client.nthreads():
                self._seen = now
            elif now - self._seen > _WORKERLESS_S:
                raise _workerless(self._address)

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        """A client of the cluster; of our own, which ends with it."""
        import dask
        from distributed import Client, LocalCluster

        with dask.config.set(SETTINGS):
            if self._address is not None:
                with self._client_of(self._address) as client:
                    yield client
                return
            memory = int(_MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / self._workers)
            with (
                LocalCluster(
                    n_workers=self._workers,
                    threads_per_worker=1,
                    memory_limit=memory,
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    silence_logs=logging.CRITICAL,
                    protocol="tcp",
                    host="127.0.0.1",
                ) as cluster,
                Client(cluster, set_as_default=False) as client,
            ):
                yield client

    def _client_of(self, address: str) -> Client:
        from distributed import Client

        try:
            return Client(address, timeout=_CONNECT_S, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ServerError(
                "there is no dask cluster",
                where=address,
                expected="the address of its scheduler, such as tcp://host:8786",
                found=str(error) or type(error).__name__,
                hint="start one (`dask scheduler`, `dask worker`), or take --runner dask: a cluster of our own",
            ) from error


def _killed(error: Exception) -> ToolError:
    return ToolError(
        "every worker was lost that was at this node",
        found=str(error)[:500],
        hint="it may need more memory than a worker has: carry it out with --runner local",
    )


def _workerless(address: str | None) -> ServerError:
    return ServerError(
        "the dask cluster has no workers",
        where=address,
        found=f"none for {_WORKERLESS_S:.0f} s",
        hint="start one (`dask worker ADDRESS`); `knowflow runs resume` goes on where a run stopped",
    )
