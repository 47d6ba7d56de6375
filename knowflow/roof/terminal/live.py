"""A run while it runs: one line for what is under way, one for each thing that ended differently than expected."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from knowflow.execution.events import (
    Diagnosed,
    Event,
    NodeEnded,
    NodeProgress,
    NodeStarted,
    PlanEdited,
    PlanRepaired,
    RunEnded,
    RunStarted,
    RunStopping,
)
from knowflow.roof.notation import duration, middle, plain, shorten
from knowflow.roof.terminal.console import BAD, GOOD, QUIET, WARN, said
from knowflow.roof.terminal.repairs import diagnosed, repaired

if TYPE_CHECKING:
    from knowflow.model.trace import NodeRecord

_MOST_LINES = 6
_LINE_WIDTH, _BAR_WIDTH = 46, 24  # where there is room for both
_BESIDE = 20  # columns of what stands beside them: spinner, count, time, and the gaps between
_MARKS = {"done": ("✓", GOOD), "cached": ("✓", QUIET), "failed": ("✗", BAD), "skipped": ("–", QUIET)}


class LiveProgress:
    """Shows the events of a run. On a terminal it redraws in place; elsewhere it prints a line for each node's end.

    Events may come from any thread.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._redraws = console.is_terminal
        self._lock = threading.Lock()
        room = max(console.width - _BESIDE, 3)
        bar = min(_BAR_WIDTH, room // 3)
        self._line_width = min(_LINE_WIDTH, room - bar)
        self._progress = Progress(
            SpinnerColumn(style=QUIET),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=bar),
            TextColumn("{task.fields[count]}", markup=False),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not self._redraws,
        )
        self._whole: TaskID | None = None
        self._running: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._show(event)

    def _show(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._begin(event)
            case NodeStarted(node=node, title=title):
                self._start(node, title)
            case NodeProgress(node=node, fraction=fraction):
                if node in self._running:
                    percent = round(100 * fraction)
                    self._progress.update(self._running[node], completed=percent, count=f"{percent} %")
            case NodeEnded(title=title, record=record, settled=settled, nodes=nodes):
                self._end(title, record, settled, nodes)
            case Diagnosed(diagnosis=diagnosis):
                self._say(diagnosed(diagnosis))
            case PlanRepaired(repaired=repair):
                self._say(repaired(repair))
            case PlanEdited(nodes=nodes):
                if self._whole is not None:
                    self._progress.update(self._whole, total=nodes)
            case RunStopping(waiting_for=waiting):
                text = f"stopping; waiting for {len(waiting)} node{'' if len(waiting) == 1 else 's'} under way"
                self._say(Text(text, style=WARN))
            case RunEnded(status=status, message=message):
                self._finish(status, message)

    def _begin(self, event: RunStarted) -> None:
        self._say(Text.assemble(("Run ", "bold"), said(event.run_id), ("  " + plain(event.title), QUIET)))
        if event.ui is not None:
            self._say(Text.assemble(("Watch it at ", QUIET), said(event.ui, "underline")))
        self._progress.start()
        self._whole = self._progress.add_task(self._line("nodes"), total=event.nodes, count=f"0/{event.nodes}")

    def _start(self, node: str, title: str) -> None:
        if len(self._running) < _MOST_LINES:
            self._running[node] = self._progress.add_task(self._line(f"  {title or node}"), total=100, count="")

    def _end(self, title: str, record: NodeRecord, settled: int, nodes: int) -> None:
        task = self._running.pop(record.node, None)
        if task is not None:
            self._progress.remove_task(task)
        if self._whole is not None:
            self._progress.update(self._whole, completed=settled, total=nodes, count=f"{settled}/{nodes}")
        mark, style = _MARKS.get(record.status, ("?", WARN))
        spent = "from cache" if record.status == "cached" else duration(record.seconds) if record.seconds else ""
        line = Text.assemble((f"{mark} ", style), shorten(title or record.node, 70))
        line.append(f"  {spent or ('not started' if record.status == 'skipped' else '')}", style=QUIET)
        if record.status == "failed" and record.error is not None:
            line.append(f"  {plain(record.error.get('message', ''))}", style=BAD)
        if not self._redraws or record.status == "failed":
            self._say(line)

    def _finish(self, status: str, message: str) -> None:
        self._progress.stop()
        for task in self._progress.task_ids:
            self._progress.remove_task(task)
        self._running.clear()
        self._whole = None
        if status != "completed":
            ended = "Interrupted." if status == "interrupted" else f"The run {status}."
            self._say(Text.assemble((f"{ended} ", WARN), said(message)))

    def _say(self, line: Text) -> None:
        self._console.print(line, soft_wrap=True)

    def _line(self, text: str) -> str:
        """A description of fixed width, so that the bars stand still; titles differ most at their ends."""
        return middle(text, self._line_width).ljust(self._line_width)
