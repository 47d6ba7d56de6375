"""Ctrl-C while nodes run: noted when it comes, heard where nothing can be lost by it.

Raised wherever the main thread happens to be, ``KeyboardInterrupt`` could fall between a runner's taking an action and
the scheduler's knowing of it, or between taking an outcome and recording it; such a node would be waited for forever.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from knowflow.ground.waiting import ear


class Interruption:
    """While it is entered, SIGINT only counts; :meth:`hear` raises where the caller is ready for it.

    Outside the main thread, where Python does not deliver signals, it hears what whoever started it listens to
    (:func:`knowflow.ground.waiting.listening`): a server whose client cancelled the request.
    """

    def __init__(self) -> None:
        self._outside = ear()
        self._asked = 0
        self._heard = 0
        self._before: Any = None

    def __enter__(self) -> Interruption:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def hear(self) -> None:
        """Raise ``KeyboardInterrupt`` if SIGINT came since it was last heard, or somebody outside wants to stop."""
        self._outside()
        if self._asked > self._heard:
            self._heard = self._asked
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._asked += 1
