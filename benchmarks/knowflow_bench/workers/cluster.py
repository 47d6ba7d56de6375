"""A dask cluster of processes that can be killed, and are put back as a supervisor would; and work in forked processes.

They are forked from a server that has imported what they need, so that one more costs next to nothing.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import TracebackType
from typing import Any

from knowflow.execution.dask_runner import SETTINGS
from knowflow.ground.errors import ToolError

_TOO_LONG_S = 600.0
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # what is forked has no threads
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["knowflow_bench.workers.ready"])
_OURS = str(Path(__file__).parents[2])
if _OURS not in os.environ.get("PYTHONPATH", "").split(os.pathsep):  # the server of forks finds it there
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_OURS, os.environ.get("PYTHONPATH"))))


def forked(work: Callable[..., None], *given: Any) -> ForkServerProcess:
    """A process that does some work and ends."""
    process = FORKS.Process(target=_quietly, args=(work, *given), daemon=True)
    process.start()
    return process


def found_by(work: Callable[..., Any], *given: Any) -> Any:
    """What some work returns that is done in a process of its own.

    Raises:
        ToolError: it returned nothing.
    """
    ours, theirs = FORKS.Pipe(duplex=False)
    process = forked(_sent, theirs, work, *given)
    theirs.close()
    try:
        if not ours.poll(_TOO_LONG_S):
            raise ToolError("a process of the benchmark does not end", expected=f"an end within {_TOO_LONG_S:.0f} s")
        return ours.recv()
    except EOFError as error:
        process.join()
        raise ToolError("a process of the benchmark failed", found=f"exit code {process.exitcode}") from error
    finally:
        process.kill()
        process.join()


def _sent(pipe: Any, work: Callable[..., Any], *given: Any) -> None:
    pipe.send(work(*given))


def _quietly(work: Callable[..., None], *given: Any) -> None:
    logging.disable(logging.CRITICAL)  # those who lose each other say so at length
    work(*given)


def _schedule(port: int) -> None:
    """A scheduler, and below a worker, as those of a cluster of our own are, but that they can be killed alone."""
    import dask
    from distributed import Scheduler

    dask.config.set(SETTINGS)

    async def serve() -> None:
        async with Scheduler(host="127.0.0.1", port=port, dashboard_address="127.0.0.1:0") as scheduler:
            await scheduler.finished()

    asyncio.run(serve())


def _work(address: str, folder: str) -> None:
    import dask
    from distributed import Worker

    dask.config.set(SETTINGS)

    async def serve() -> None:
        async with Worker(
            address, nthreads=1, local_directory=folder, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as worker:
            await worker.finished()

    with suppress(OSError, TimeoutError):  # the scheduler did not come: the supervisor sees to it
        asyncio.run(serve())


class Cluster:
    """A scheduler and workers of one thread each, under one address."""

    def __init__(self, workers: int, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        self.address = f"tcp://127.0.0.1:{self._port}"
        self._folder = str(folder)
        self._scheduler: ForkServerProcess | None = None
        self._workers: list[ForkServerProcess | None] = [None] * workers

    def __enter__(self) -> Cluster:
        from distributed import Client

        self.mend()
        with Client(self.address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(len(self._workers), timeout=_TOO_LONG_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self._processes():
            process.kill()
            process.join()

    def mend(self) -> None:
        """Put back what has ended."""
        if self._scheduler is None or not self._scheduler.is_alive():
            self._scheduler = forked(_schedule, self._port)
        for number, worker in enumerate(self._workers):
            if worker is None or not worker.is_alive():
                self._workers[number] = forked(_work, self.address, self._folder)

    def kill(self, what: str, number: int) -> bool:
        """Kill -9 the scheduler, or one of the workers; whether it was killed, rather than had ended itself."""
        process = self._scheduler if what == "scheduler" else self._workers[number % len(self._workers)]
        assert process is not None
        process.kill()
        process.join()
        return process.exitcode == -signal.SIGKILL

    def cpu_s(self) -> float:
        """The processor time of all processes so far (s)."""
        return sum(cpu_of(process.pid) for process in self._processes() if process.pid is not None)

    def _processes(self) -> list[ForkServerProcess]:
        return [one for one in (self._scheduler, *self._workers) if one is not None]


def cpu_of(pid: int) -> float:
    """The processor time of a process so far (s)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(there: Callable[[], bool], most_s: float, meanwhile: Callable[[], None] | None = None) -> bool:
    """Wait until something is so; whether it is."""
    end = time.monotonic() + most_s
    while not there():
        if time.monotonic() > end:
            return False
        if meanwhile is not None:
            meanwhile()
        time.sleep(0.02)
    return True
