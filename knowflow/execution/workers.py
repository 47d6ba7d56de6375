"""A warm pool of processes for tools that can hang, crash or eat memory: each can be killed without harm to the others.

A worker is a fresh interpreter (what ``multiprocessing`` calls *spawn*), started without touching ``__main__``, so that
a user's script needs no guard. It leads a process group of its own, which is killed whole: commands that a tool started
go with it. It ends by itself when the process that started it is gone. POSIX only; memory is watched on Linux only.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Pipe, wait
from pathlib import Path
from types import TracebackType
from typing import Any

from knowflow.ground.errors import (
    KnowFlowError,
    RunInterruptedError,
    ToolCrashError,
    ToolError,
    ToolMemoryError,
    ToolTimeoutError,
)

_TICK = 0.05  # seconds between looks at memory, deadline and cancellation
_START_TIMEOUT = 60.0  # seconds until a new worker must have answered
_END_TIMEOUT = 1.0  # seconds that a process may take to die after it closed its pipe
_MEGABYTE = 1024 * 1024
_START = "import sys; sys.path[:] = {path!r}; from knowflow.execution.worker import serve; serve({fd}, {preload!r})"


@dataclass(frozen=True, slots=True)
class _Call:
    """One call and its bounds; ``limit`` in bytes."""

    function: str
    timeout_s: float | None
    limit: int | None
    on_progress: Callable[[float], None] | None
    cancelled: Callable[[], bool] | None
    on_told: Callable[[str], None] | None
    generation: int

    @property
    def name(self) -> str:
        return self.function.rpartition(":")[2]


class Worker:
    """One worker process with its pipe; used by one thread at a time, except that any thread may kill it."""

    def __init__(self, preload: tuple[str, ...] = ()) -> None:
        self.connection, theirs = Pipe()
        self._log = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  (closed by kill; holds what is printed)
        path = [entry or os.getcwd() for entry in sys.path]
        code = _START.format(path=path, fd=theirs.fileno(), preload=preload)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._ready = False
        self._killing = threading.Lock()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def resident(self) -> int:
        """Resident bytes of the worker and of what it started; 0 where the system does not tell."""
        return sum(_resident(pid) for pid in _family(self.pid))

    def ending(self, timeout: float = 0.0) -> str | None:
        """How the process ended, or None while it runs."""
        deadline = time.monotonic() + timeout
        while (ended := self._ended()) is None and time.monotonic() < deadline:
            time.sleep(_TICK / 10)
        return ended

    def _ended(self) -> str | None:
        """As :meth:`ending`, at once. The process is not reaped where the system can tell without, so that its number
        stays taken until what it started has been ended, too; macOS can from Python 3.13 on."""
        if not hasattr(os, "waitid"):
            code = self._process.poll()
            return None if code is None else _in_words(code)
        info = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if info is None:
            return None
        return _in_words(info.si_status if info.si_code == os.CLD_EXITED else -info.si_status)

    def await_ready(self) -> None:
        """Wait until the interpreter has started.

        Raises:
            ToolCrashError: it did not.
        """
        if self._ready:
            return
        with contextlib.suppress(EOFError, OSError):
            self._ready = self.connection.poll(_START_TIMEOUT) and self.connection.recv() == ("ready",)
        if not self._ready:
            raise self.crash("a worker process could not be started")

    def send(self, function: str, arguments: Mapping[str, Any], limit: int | None) -> None:
        """Hand over a call. What is claimed may be twice what is held: libraries reserve more than they touch.

        Raises:
            ToolError: the arguments cannot be pickled.
            ToolCrashError: the process is gone.
        """
        bound = None if limit is None else 2 * limit
        try:
            message = pickle.dumps(("call", function, dict(arguments), bound))
        except Exception as error:
            raise ToolError(
                "the arguments cannot be carried to another process",
                expected="plain values, paths and artifacts",
                found=str(error),
            ) from error
        self._log.seek(0)
        self._log.truncate()
        try:
            self.connection.send_bytes(message)
        except OSError as error:
            raise self.crash("a worker process died before its call") from error

    def receive(self) -> tuple[str, Any] | None:
        """The next message, or None when the process is gone."""
        try:
            message: tuple[str, Any] = self.connection.recv()
        except (EOFError, OSError):
            return None
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            return "error", ToolError("the reply of a worker could not be read", found=found)
        return message

    def crash(self, message: str) -> ToolCrashError:
        """The error for a process that died by itself: how it ended, and the last it printed."""
        ending = self.ending(_END_TIMEOUT) or "it closed its pipe, and still runs"
        printed = self._printed()
        return ToolCrashError(
            message,
            expected="a result",
            found=f"{ending}; it printed: {printed}" if printed else ending,
            hint="the tool, or a library under it, has a defect that this input shows; other nodes are not affected",
        )

    def kill_group(self) -> None:
        """End the process and everything it started, at once; whoever uses it finds its pipe closed."""
        with self._killing:
            if self._process.returncode is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)

    def kill(self) -> None:
        """End it, wait until it is gone, and free what belonged to it."""
        self.kill_group()
        with self._killing:
            self._process.wait()
        self.connection.close()
        self._log.close()

    def _printed(self) -> str:
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(size - 2000, 0))
        return self._log.read().decode(errors="replace").strip()


class WorkerPool:
    """Workers that are kept for the next call. Thread-safe; ``submit`` blocks its caller only.

    At most ``size`` calls run at once, later ones wait. ``memory_mb`` and ``timeout_s`` hold where a call says nothing
    else. ``preload`` names modules that new workers import before their first call.
    """

    def __init__(
        self,
        size: int = 2,
        *,
        memory_mb: float | None = None,
        timeout_s: float | None = None,
        preload: tuple[str, ...] = (),
    ) -> None:
        self._size = size
        self._memory_mb = memory_mb
        self._timeout_s = timeout_s
        self._preload = preload
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._generation = 0
        self._closed = False
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(size)
        self._at_exit = weakref.finalize(self, _kill_all, self._all, os.getpid())

    def warm(self, count: int | None = None) -> None:
        """Start workers ahead of their first call, without waiting for them."""
        with self._lock:
            wanted = min(self._size, self._size if count is None else count) - len(self._all)
            self._idle.extend(self._start() for _ in range(max(wanted, 0)))

    def submit(
        self,
        function: str,
        arguments: Mapping[str, Any],
        *,
        timeout_s: float | None = None,
        memory_mb: float | None = None,
        on_progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        on_told: Callable[[str], None] | None = None,
    ) -> Any:
        """Call ``package.module:function`` in a worker and return what it returns.

        ``memory_mb`` is what the worker may hold in memory, interpreter and libraries included (these take 30 to 200).
        The clock of ``timeout_s`` starts when the call does, not while it waits for a worker.

        Raises:
            KnowFlowError: whatever the function raised, of the same type; other exceptions arrive as ToolError.
            ToolTimeoutError: it ran longer than ``timeout_s`` seconds.
            ToolMemoryError: it held, or asked for, more memory than it may.
            ToolCrashError: its process died; ``found`` names the signal.
            RunInterruptedError: ``cancelled`` said so, or the pool was cancelled or closed.
        """
        timeout_s = self._timeout_s if timeout_s is None else timeout_s
        memory_mb = self._memory_mb if memory_mb is None else memory_mb
        limit = None if memory_mb is None else int(memory_mb * _MEGABYTE)
        call = _Call(function, timeout_s, limit, on_progress, cancelled, on_told, self._generation)
        while not self._places.acquire(timeout=_TICK):
            self._check(call)
        try:
            kind, content = self._carry_out(call, arguments)
        finally:
            self._places.release()
        if kind == "error":
            raise content if isinstance(content, KnowFlowError) else ToolError("unreadable error", found=repr(content))
        return content

    def cancel(self) -> None:
        """Kill every call that runs or waits; the pool can be used again at once."""
        with self._lock:
            self._generation += 1
            busy = self._all.difference(self._idle)
        for worker in busy:
            worker.kill_group()

    def close(self) -> None:
        """Kill all workers; calls that still run end with RunInterruptedError."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        self.cancel()
        for worker in idle:
            self._discard(worker)

    @property
    def pids(self) -> frozenset[int]:
        """The processes that exist now."""
        with self._lock:
            return frozenset(worker.pid for worker in self._all)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check(self, call: _Call) -> None:
        stopped = self._closed or self._generation != call.generation
        if stopped or (call.cancelled is not None and call.cancelled()):
            raise RunInterruptedError("stopped on request", hint="run the same command again to go on from here")

    def _carry_out(self, call: _Call, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """The reply to a call; a worker that did not give one is not used again."""
        self._check(call)
        worker = self._take()
        try:
            worker.await_ready()
            worker.send(call.function, arguments, call.limit)
            reply = self._follow(worker, call)
        except BaseException as error:
            self._discard(worker)
            if isinstance(error, ToolCrashError):
                self._check(call)  # it did not crash: it was killed because somebody wanted it to stop
            raise
        self._give_back(worker, call.limit)
        return reply

    def _follow(self, worker: Worker, call: _Call) -> tuple[str, Any]:
        """Wait for the reply, passing on what is told, looking after deadline, memory and cancellation."""
        deadline = None if call.timeout_s is None else time.monotonic() + call.timeout_s
        while True:
            remaining = _TICK if deadline is None else min(_TICK, max(deadline - time.monotonic(), 0.0))
            if wait([worker.connection], remaining):
                reply = worker.receive()
                if reply is None:
                    raise worker.crash(f"the process that ran {call.name} died")
                if reply[0] not in ("progress", "told"):
                    return reply
                heard = call.on_progress if reply[0] == "progress" else call.on_told
                if heard is not None:
                    heard(reply[1])
            self._check(call)
            if deadline is not None and time.monotonic() >= deadline:
                raise ToolTimeoutError(
                    f"{call.name} did not end in time, and was ended",
                    expected=f"at most {call.timeout_s:g} s",
                    found="still running",
                    hint="work on a smaller region, or raise the tool's timeout_s",
                )
            held = 0 if call.limit is None else worker.resident
            if call.limit is not None and held > call.limit:
                raise ToolMemoryError(
                    f"{call.name} held more memory than it may, and was ended",
                    expected=f"at most {call.limit // _MEGABYTE} MB",
                    found=f"{held // _MEGABYTE} MB",
                    hint="work on a smaller region, or allow more memory",
                )

    def _take(self) -> Worker:
        """An idle worker, else a new one. The caller holds a place, so there is room."""
        with self._lock:
            while self._idle:
                worker = self._idle.pop()
                if worker.ending() is None:
                    return worker
                self._all.discard(worker)
                worker.kill()
            if self._closed:
                raise RunInterruptedError("the pool of workers is closed")
            return self._start()

    def _start(self) -> Worker:
        worker = Worker(self._preload)
        self._all.add(worker)
        return worker

    def _discard(self, worker: Worker) -> None:
        worker.kill()
        with self._lock:
            self._all.discard(worker)

    def _give_back(self, worker: Worker, limit: int | None) -> None:
        """Keep a worker for the next call, unless what it still holds would count against that call."""
        bloated = limit is not None and worker.resident > limit / 2
        with self._lock:
            keep = not self._closed and not bloated
            if keep:
                self._idle.append(worker)
        if not keep:
            self._discard(worker)


def _in_words(code: int) -> str:
    """What a return code says, as subprocess has it: negative for the signal that ended the process."""
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name} ({signal.strsignal(-code)})"


def _kill_all(workers: set[Worker], owner: int) -> None:
    """The last resort at exit of the interpreter, should nobody have closed the pool; not in a fork of it."""
    if os.getpid() == owner:
        for worker in tuple(workers):
            worker.kill()


def _family(pid: int) -> list[int]:
    """A process and its descendants, as Linux tells."""
    found = [pid]
    for parent in found:
        for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found.extend(map(int, tasks.read_text().split()))
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
