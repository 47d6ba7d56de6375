"""A run while it runs, in a notebook: one line for each kind of step, redrawn in place."""

from __future__ import annotations

import time
from typing import Any

from markupsafe import Markup

from knowflow.execution.events import Event, Listener, NodeEnded, NodeStarted, PlanEdited, RunEnded, RunStarted
from knowflow.roof.notation import plain
from knowflow.roof.terminal.steps import Step, Steps

_EVERY = 0.2  # seconds between two drawings
_MARKS = {"done": "✓", "cached": "✓", "failed": "✗", "skipped": "–", "": "…"}


def progress_here() -> Listener:
    """What shows the progress of a run: in the output of a notebook's cell, else in the terminal."""
    if in_notebook():
        return NotebookProgress()
    from rich.console import Console

    from knowflow.roof.terminal.live import LiveProgress

    return LiveProgress(Console(stderr=True))


def in_notebook() -> bool:
    """Whether this code runs in the kernel of a notebook, and not in a shell of IPython or Python."""
    import sys

    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and "ipykernel" in type(shell).__module__


class NotebookProgress:
    """Shows the events of a run in the output of the cell that started it. Events may come from any thread."""

    def __init__(self) -> None:
        self._steps = Steps()
        self._begun: dict[int, Step] = {}
        self._head = self._end = ""
        self._cell: Any = None
        self._last = 0.0

    def __call__(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._head = plain(event.title)
                self._steps.arrange(event.workflow)
            case NodeStarted(node=node, title=title):
                self._steps.again(node)
                step = self._steps.of(node, title)
                self._begun.setdefault(id(step), step)
            case NodeEnded(title=title, record=record):
                step = self._steps.of(record.node, title)
                step.ended[record.node] = record
                self._begun.setdefault(id(step), step)
            case PlanEdited(workflow=workflow):
                self._steps.arrange(workflow)
                self._begun = {id(step): step for step in self._steps.begun()}
            case RunEnded(status=status, message=message):
                self._end = plain(message) if message else status
            case _:
                return
        if self._end or time.monotonic() - self._last > _EVERY:
            self._draw()

    def _draw(self) -> None:
        from IPython import display

        cell: Any = display  # untyped
        self._last = time.monotonic()
        shown = cell.HTML(self.html())
        if self._cell is None:
            self._cell = cell.display(shown, display_id=True)
        else:
            self._cell.update(shown)

    def html(self) -> str:
        """The steps that were begun, with how far each is."""
        lines = [
            Markup("<div>{} {} <span style='opacity:.6'>{}</span></div>").format(
                _MARKS[step.status if step.whole else ""],
                step.label,
                step.spent() if step.whole else f"{len(step.ended)} of {step.size}" if step.size > 1 else "",
            )
            for step in self._begun.values()
        ]
        head = Markup("<div><b>{}</b></div>").format(self._head)
        return str(head + Markup("").join(lines) + Markup("<div>{}</div>").format(self._end))
