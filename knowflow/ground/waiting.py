"""An ear for interruptions while somebody waits for what is outside: whoever waits long asks it now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ear: ContextVar[Callable[[], None] | None] = ContextVar("ear", default=None)


@contextmanager
def listening(ear: Callable[[], None]) -> Iterator[None]:
    """While it is entered, :func:`hear` asks ``ear``, which raises ``KeyboardInterrupt`` where a user wants to stop."""
    token = _ear.set(ear)
    try:
        yield
    finally:
        _ear.reset(token)


def ear() -> Callable[[], None]:
    """What :func:`hear` asks now, for those who are going to be asked in its place."""
    return _ear.get() or _deaf


def hear() -> None:
    """Raise ``KeyboardInterrupt`` if a user asked to stop, and whoever listens has not heard of it yet."""
    ear()()


def _deaf() -> None:
    """Nobody listens."""
