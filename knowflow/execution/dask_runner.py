"""Nodes on the workers of a dask cluster: one of our own on this machine, or an existing one.

The scheduler stays where it is; a worker is sent one action (a node, or a group of nodes that go in one pass) with all
that it needs, looks it up in the cache or makes it there, and sends its outcome back. All share one state folder: what
a worker finished before it was lost is found there, not made again. Each result is made as it would be here, block by
block in the same order, so that it is the same to the last bit.
"""

from __future__ import annotations

import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from knowflow.execution.action import Action, Carry, Outcome, Session
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop, as_named_error
from knowflow.execution.content import FileDigests
from knowflow.execution.keys import Keyring
from knowflow.execution.local_runner import LocalSession
from knowflow.execution.shared_setting import shared_cache
from knowflow.execution.together import carried
from knowflow.ground.errors import KnowFlowError, RunInterruptedError, ServerError, ToolError
from knowflow.ground.extras import require_extra
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")

WORKERS = 2
_AHEAD = 2  # actions for each thread of the cluster: one that runs, one that is there when it ends
_LOSSES = 20  # of workers, until an action counts as what kills them
_MEMORY_SHARE = 0.6  # of the machine's memory, for all workers of our own
_CONNECT_S = 20
_TURN_S = 0.2
_MOST_SESSIONS = 8


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
        self.ui: str | None = None

    def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
        with self._connected() as client:
            self._client, self._session = client, uuid.uuid4().hex
            self.ui = client.dashboard_link if self._address is not None else None
            slots = max(1, sum(client.nthreads().values()))
            session = LocalSession(carry, _AHEAD * slots)
            try:
                return drive(session)
            finally:
                session.dismiss()
                self._client = None

    def elsewhere(self, action: Action, logs: Path, stopping: Callable[[], bool]) -> tuple[Outcome, dict[str, str]]:
        """Have an action carried out by a worker, and wait for it: its outcome, and the digests of the files it read.

        Never raises for a failed action; a lost worker's action goes to another one.
        """
        from distributed import CancelledError

        client = self._client
        started = time.time()
        try:
            if client is None:
                raise RunInterruptedError("stopped on request")
            # not by its content: the same action may be wanted again, once its result was found damaged
            future = client.submit(carried_on_worker, action, str(self._home), str(logs), self._session, pure=False)
            ended = threading.Event()
            future.add_done_callback(lambda _: ended.set())
            while not ended.wait(_TURN_S):
                if stopping():
                    client.cancel([future], force=True)
                    raise RunInterruptedError("stopped on request")
            outcome, told = future.result()
            return outcome, told
        except (CancelledError, RunInterruptedError):
            error: KnowFlowError = RunInterruptedError("stopped on request")
        except Exception as lost:
            error = as_named_error(_lost(lost, self._address), action)
        return Outcome(action.node, error=error, started=started, finished=time.time()), {}

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        """A client of the cluster; of our own, which ends with it."""
        import dask
        from distributed import Client, LocalCluster

        quiet = {
            "distributed.scheduler.allowed-failures": _LOSSES,
            "distributed.comm.timeouts.connect": f"{_CONNECT_S}s",
            "distributed.admin.tick.limit": "1h",
        }
        with dask.config.set(quiet):
            try:
                if self._address is not None:
                    with Client(self._address, timeout=_CONNECT_S, set_as_default=False) as client:
                        yield client
                    return
            except (OSError, TimeoutError, ValueError) as error:
                raise ServerError(
                    "there is no dask cluster",
                    where=self._address,
                    expected="the address of its scheduler, such as tcp://host:8786",
                    found=str(error) or type(error).__name__,
                    hint="start one (`dask scheduler`, `dask worker`), or take --runner dask: a cluster of our own",
                ) from error
            memory = int(_MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / self._workers)
            with (
                LocalCluster(
                    n_workers=self._workers,
                    threads_per_worker=1,
                    memory_limit=memory,
                    dashboard_address=None,
                    silence_logs=logging.CRITICAL,
                    protocol="tcp",
                    host="127.0.0.1",
                ) as cluster,
                Client(cluster, set_as_default=False) as client,
            ):
                yield client


def _lost(error: Exception, address: str | None) -> KnowFlowError | Exception:
    """What became of an action that no worker sent an outcome of."""
    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    if isinstance(error, KilledWorker):
        return ToolError(
            "every worker was lost that was at this node",
            found=str(error)[:500],
            hint="it may need more memory than a worker has: carry it out with --runner local",
        )
    if isinstance(error, (CommClosedError, OSError)):
        return ServerError(
            "the dask cluster is gone",
            where=address,
            found=str(error)[:500],
            hint="`knowflow runs resume` goes on where the run stopped",
        )
    return error


def carried_on_worker(action: Action, home: str, logs: str, session: str) -> tuple[Outcome, dict[str, str]]:
    """Carry out an action here, in a process that may serve many runs; with the digests of the files it rests on."""
    workshop = _workshop(home, logs, session)
    outcome = carried(workshop, action)
    workshop.keyring.digests.keep()
    return outcome, dict(workshop.keyring.digests.told)


_MAKING = threading.Lock()
_WORKSHOPS: dict[tuple[str, str, str], Workshop] = {}


def _workshop(home: str, logs: str, session: str) -> Workshop:
    """The workshop of a session, as what it relies on holds for one session; the oldest of several goes."""
    from knowflow.tools.registry import implementation_digest

    with _MAKING:
        known = _WORKSHOPS.get((home, logs, session))
        if known is None:
            digests = FileDigests(Path(home) / "digests.sqlite")
            cache = Cache(Path(home), shared_cache())
            known = Workshop(cache, Keyring(digests, implementation_digest), Path(logs), processes=1)
            if len(_WORKSHOPS) >= _MOST_SESSIONS:
                _WORKSHOPS.pop(next(iter(_WORKSHOPS))).close()
            _WORKSHOPS[home, logs, session] = known
        return known
