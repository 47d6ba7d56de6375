"""What a running tool may tell, and be told: progress, words for the user, and cancellation, without the tool knowing
who listens.

The caller of a tool opens :func:`running`; the raster core (or a tool with a loop of its own) calls
:func:`report_progress` and :func:`check_cancelled` once per block, in the thread that the tool was called in. What a
user must know of a result beside the result itself goes through :func:`tell`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar, cast

from knowflow.ground.errors import RunInterruptedError

T = TypeVar("T")


class Lasting:
    """What tools open once for all their calls of a run, and what is closed with it. Safe for threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[Hashable, tuple[ExitStack, Any]] = {}

    def get(self, key: Hashable, opening: Callable[[], AbstractContextManager[T]]) -> T:
        """What was opened for a key, opened now where it is the first time."""
        with self._lock:
            if key not in self._open:
                stack = ExitStack()
                self._open[key] = stack, stack.enter_context(opening())
            return cast("T", self._open[key][1])

    def drop(self, key: Hashable) -> None:
        """Close what was opened for a key, because it is of no use any more."""
        with self._lock:
            stack, _ = self._open.pop(key, (ExitStack(), None))
        stack.close()

    def close(self) -> None:
        for key in tuple(self._open):
            self.drop(key)


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told of progress (a fraction 0..1), who is asked whether to go on, who hears what is to be told, and what
    stays open for the next call."""

    on_progress: Callable[[float], None] | None = None
    cancelled: Callable[[], bool] | None = None
    on_told: Callable[[str], None] | None = None
    lasting: Lasting | None = None


_LISTENER: ContextVar[Listener | None] = ContextVar("knowflow_tool_listener", default=None)


@contextmanager
def running(
    on_progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    on_told: Callable[[str], None] | None = None,
    lasting: Lasting | None = None,
) -> Iterator[None]:
    """While this is open, tools called in this context report to ``on_progress``, stop once ``cancelled()``, what they
    tell goes to ``on_told``, and what they open for longer than a call is kept in ``lasting``."""
    token = _LISTENER.set(Listener(on_progress, cancelled, on_told, lasting))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report_progress(fraction: float) -> None:
    """Tell the listener, if any, which share of the work is done (clipped to 0..1)."""
    listener = _LISTENER.get()
    if listener is not None and listener.on_progress is not None:
        listener.on_progress(min(max(fraction, 0.0), 1.0))


def tell(words: str) -> None:
    """Tell the user one thing about the result that is being made: it is kept with the result, and said with every
    answer that rests on it, also where the result comes from the cache."""
    listener = _LISTENER.get()
    if listener is not None and listener.on_told is not None:
        listener.on_told(words)


def check_cancelled() -> None:
    """Raise ``RunInterruptedError`` if the run was asked to stop."""
    listener = _LISTENER.get()
    if listener is not None and listener.cancelled is not None and listener.cancelled():
        raise RunInterruptedError("stopped on request", hint="run the same command again to go on from here")


@contextmanager
def lasting() -> Iterator[Lasting]:
    """What stays open for as long as the run; where a tool is called outside of any, for as long as this is open."""
    listener = _LISTENER.get()
    if listener is not None and listener.lasting is not None:
        yield listener.lasting
        return
    with closing(Lasting()) as alone:
        yield alone


def overheard() -> Callable[[str], None] | None:
    """Who hears what is told here: for a tool that opens a context of its own for what it calls."""
    listener = _LISTENER.get()
    return None if listener is None else listener.on_told
