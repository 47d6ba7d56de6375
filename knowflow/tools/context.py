"""What a running tool may tell, and be told: progress and cancellation, without the tool knowing who listens.

The caller of a tool opens :func:`running`; the raster core (or a tool with a loop of its own) calls
:func:`report_progress` and :func:`check_cancelled` once per block, in the thread that the tool was called in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from knowflow.ground.errors import RunInterruptedError


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told of progress (a fraction 0..1), and who is asked whether to go on."""

    on_progress: Callable[[float], None] | None = None
    cancelled: Callable[[], bool] | None = None


_LISTENER: ContextVar[Listener | None] = ContextVar("knowflow_tool_listener", default=None)


@contextmanager
def running(
    on_progress: Callable[[float], None] | None = None, cancelled: Callable[[], bool] | None = None
) -> Iterator[None]:
    """While this is open, tools called in this context report to ``on_progress`` and stop once ``cancelled()``."""
    token = _LISTENER.set(Listener(on_progress, cancelled))
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report_progress(fraction: float) -> None:
    """Tell the listener, if any, which share of the work is done (clipped to 0..1)."""
    listener = _LISTENER.get()
    if listener is not None and listener.on_progress is not None:
        listener.on_progress(min(max(fraction, 0.0), 1.0))


def check_cancelled() -> None:
    """Raise ``RunInterruptedError`` if the run was asked to stop."""
    listener = _LISTENER.get()
    if listener is not None and listener.cancelled is not None and listener.cancelled():
        raise RunInterruptedError("stopped on request", hint="run the same command again to go on from here")
