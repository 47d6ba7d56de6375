"""What runs inside a worker process: calls one function after another, and says how each went.

Every message is a tuple whose first item names it. To the worker: ``("call", path, arguments, limit)``; end of file
means that nobody waits any more. From it: ``("ready",)``, ``("progress", fraction)``, ``("told", words)``,
``("result", value)`` and ``("error", error)``. Nothing heavy is imported here: a worker costs what its tools cost.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import pickle
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from knowflow.ground.errors import KnowFlowError, NoSpaceError, ToolError, ToolMemoryError
from knowflow.ground.syntax import text_of
from knowflow.tools.context import running

_NO_SPACE = 28  # errno.ENOSPC
_PROGRESS_INTERVAL = 0.05  # seconds between messages of progress: a tool with tiny blocks must not drown the pipe


def function_at(path: str) -> Callable[..., Any]:
    """The function behind ``package.module:function``.

    Raises:
        ToolError: the module or the function does not exist, or the module does not import.
    """
    module, _, name = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ToolError(f"there is no function {path}", expected="package.module:function", found=str(error)) from error
    if not callable(found):
        raise ToolError(f"{path} is not a function", found=type(found).__name__)
    function: Callable[..., Any] = found
    return function


def serve(descriptor: int, preload: tuple[str, ...] = ()) -> None:
    """Answer calls over a pipe until its other end is closed; then leave at once, whatever is running."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which decides what happens to workers
    faulthandler.enable()
    connection = Connection(descriptor)
    calls: SimpleQueue[tuple[str, Mapping[str, Any], int | None]] = SimpleQueue()
    for module in preload:
        importlib.import_module(module)
    connection.send(("ready",))
    threading.Thread(target=_listen, args=(connection, calls), daemon=True).start()
    while True:
        path, arguments, limit = calls.get()
        reply = _answer(connection, path, arguments, limit)
        connection.send_bytes(reply)


def _listen(connection: Connection, calls: SimpleQueue[tuple[str, Mapping[str, Any], int | None]]) -> None:
    """Hand calls on; when the parent is gone, so are we, even in the middle of a call."""
    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            os._exit(0)
        except BaseException as error:  # an argument that cannot be read here must not cost the worker
            calls.put((f"{__name__}:_refuse", {"reason": f"{type(error).__name__}: {error}"}, None))
        else:
            calls.put(message[1:])


def _refuse(reason: str) -> None:
    raise ToolError("the arguments could not be read in the worker process", found=reason)


def _answer(connection: Connection, path: str, arguments: Mapping[str, Any], limit: int | None) -> bytes:
    """Make the call; the reply as it goes through the pipe."""
    told = 0.0
    telling = threading.Lock()  # a tool may report from several threads

    def progress(fraction: float) -> None:
        nonlocal told
        with telling:
            now = time.monotonic()
            if now - told >= _PROGRESS_INTERVAL or fraction >= 1.0:
                told = now
                connection.send(("progress", fraction))

    def tell(words: str) -> None:
        with telling:
            connection.send(("told", words))

    try:
        with _memory_bound(limit), running(on_progress=progress, on_told=tell):
            value = function_at(path)(**arguments)
        return _packed(("result", value))
    except BaseException as error:
        return _packed(("error", _named(error, path)))


@contextmanager
def _memory_bound(limit: int | None) -> Iterator[None]:
    """Let this process claim at most ``limit`` bytes more than it has: a huge allocation then fails at once.

    Linux counts private writable memory against RLIMIT_DATA, touched or not. Elsewhere, and for memory that grows
    slowly, the parent watches what is resident.
    """
    if limit is None or sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bound = _claimed() + limit
    resource.setrlimit(resource.RLIMIT_DATA, (bound if hard == resource.RLIM_INFINITY else min(bound, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _claimed() -> int:
    """Bytes of private writable memory that this process has claimed."""
    with open("/proc/self/statm", "rb") as file:
        pages = int(file.read().split()[5])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _named(error: BaseException, path: str) -> KnowFlowError:
    """An error that says what it is when it arrives in another process, where the traceback is lost."""
    if isinstance(error, KnowFlowError):
        return error
    if isinstance(error, OSError) and error.errno == _NO_SPACE:
        return NoSpaceError("no space left to write", found=str(error), hint="free some space, or write elsewhere")
    kind = type(error).__name__
    if isinstance(error, MemoryError):
        return ToolMemoryError("the tool asked for more memory than it may have", found=str(error) or kind)
    named = ToolError(f"{path.rpartition(':')[2]} failed: {kind}: {_said(error)}", found=kind)
    named.add_note(text_of(error))
    return named


def _said(error: BaseException) -> str:
    """What an exception says of itself; some fail at that, too."""
    try:
        return str(error)
    except Exception as defect:
        return f"it cannot say why ({type(defect).__name__})"


def _packed(message: tuple[str, Any]) -> bytes:
    """A reply as bytes; one that cannot be carried becomes an error that says so."""
    try:
        packed = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        pickle.loads(packed)
    except Exception as error:
        if message[0] == "error":
            return pickle.dumps(("error", ToolError(str(message[1]))))
        reason = ToolError(
            "the result cannot be carried between processes",
            expected="plain values, paths and artifacts",
            found=f"{type(message[1]).__name__} ({error})",
        )
        return pickle.dumps(("error", reason))
    return packed
