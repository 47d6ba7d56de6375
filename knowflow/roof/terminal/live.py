"""A run while it runs: one line for each kind of step, and one for each thing that ended differently than expected."""

from __future__ import annotations

import threading
import time
from collections import Counter
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
    RunWaiting,
)
from knowflow.roof.notation import middle, plain, shorten
from knowflow.roof.terminal.console import BAD, GOOD, QUIET, WARN, said
from knowflow.roof.terminal.repairs import diagnosed, repaired
from knowflow.roof.terminal.steps import Step, Steps

if TYPE_CHECKING:
    from knowflow.model.trace import NodeRecord

_MOST_LINES = 6
_MOST_FAILURES = 12  # of a step, and of one cause, that are told one by one
_LINE_WIDTH, _BAR_WIDTH = 46, 24  # where there is room for both
_BESIDE = 20  # columns of what stands beside them: spinner, count, time, and the gaps between
_SILENCE = 10.0  # seconds after which a run that is not watched on a terminal says how far it is
_MARKS = {"done": ("✓", GOOD), "cached": ("✓", QUIET), "failed": ("✗", BAD), "skipped": ("–", QUIET)}


class LiveProgress:
    """Shows the events of a run: a line for each kind of step once it is through, with ``each`` for every node.

    On a terminal what is under way is redrawn in place. Events may come from any thread.
    """

    def __init__(self, console: Console, each: bool = False) -> None:
        self._console = console
        self._each = each
        self._told: Counter[str] = Counter()
        self._steps = Steps()
        self._last = time.monotonic()
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
        self._running: dict[int, TaskID] = {}

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
                step = self._steps.of(node, "")
                if step.size == 1 and id(step) in self._running:
                    percent = round(100 * fraction)
                    self._progress.update(self._running[id(step)], completed=percent, count=f"{percent} %")
            case NodeEnded(title=title, record=record, settled=settled, nodes=nodes):
                self._end(title, record, settled, nodes)
            case Diagnosed(title=title, diagnosis=diagnosis):
                if self._each or self._is_told(diagnosis.cause, f"more of the cause {diagnosis.cause}"):
                    self._say(diagnosed(diagnosis, title if diagnosis.node == diagnosis.failed else ""))
            case PlanRepaired(repaired=repair):
                self._say(repaired(repair))
            case PlanEdited(nodes=nodes, workflow=workflow):
                self._steps.arrange(workflow)
                self._forget()
                if self._whole is not None:
                    self._progress.update(self._whole, total=nodes)
            case RunWaiting(what=what):
                self._say(Text(plain(what), style=WARN))
            case RunStopping(waiting_for=waiting):
                text = f"stopping; waiting for {len(waiting)} node{'' if len(waiting) == 1 else 's'} under way"
                self._say(Text(text, style=WARN))
            case RunEnded(status=status, message=message):
                self._finish(status, message)

    def _begin(self, event: RunStarted) -> None:
        self._say(Text.assemble(("Run ", "bold"), said(event.run_id), ("  " + plain(event.title), QUIET)))
        if event.ui is not None:
            self._say(Text.assemble(("Watch it at ", QUIET), said(event.ui, "underline")))
        self._steps.arrange(event.workflow)
        self._progress.start()
        self._whole = self._progress.add_task(self._line("nodes"), total=event.nodes, count=f"0/{event.nodes}")

    def _start(self, node: str, title: str) -> None:
        self._steps.again(node)
        step = self._steps.of(node, title)
        if id(step) not in self._running and len(self._running) < _MOST_LINES:
            total, done, count = (100, 0, "")
            if step.size > 1:
                total, done, count = step.size, len(step.ended), f"{len(step.ended)}/{step.size}"
            line = self._line(f"  {step.title}")
            self._running[id(step)] = self._progress.add_task(line, total=total, completed=done, count=count)

    def _end(self, title: str, record: NodeRecord, settled: int, nodes: int) -> None:
        step = self._steps.of(record.node, title)
        step.ended[record.node] = record
        task = self._running.get(id(step))
        if task is not None and not step.whole:
            self._progress.update(task, completed=len(step.ended), count=f"{len(step.ended)}/{step.size}")
        elif task is not None:
            self._progress.remove_task(self._running.pop(id(step)))
        if self._whole is not None:
            self._progress.update(self._whole, completed=settled, total=nodes, count=f"{settled}/{nodes}")
        alone = Step(title or record.node, 1, {record.node: record})
        failed = record.status == "failed" and step.size > 1
        if self._each or (failed and self._is_told(f"node {id(step)}", f"more of {step.title} failed")):
            self._tell(alone)
        if step.whole and not self._each:
            self._tell(step)
        elif not self._redraws and time.monotonic() - self._last > _SILENCE:
            self._say(Text(f"… {step.title}  {len(step.ended)} of {step.size}", style=QUIET))

    def _is_told(self, kind: str, more: str) -> bool:
        """Whether one more of a kind is told by itself; of the first that is not, that there are more."""
        self._told[kind] += 1
        if self._told[kind] == _MOST_FAILURES + 1:
            self._say(Text(f"… {plain(more)}; the trace of the run has them all", style=QUIET))
        return self._told[kind] <= _MOST_FAILURES

    def _tell(self, step: Step) -> None:
        """A step, or a node by itself, that has ended."""
        mark, style = _MARKS.get(step.status, ("?", WARN))
        line = Text.assemble((f"{mark} ", style), shorten(step.label, 70))
        line.append(f"  {step.spent()}", style=QUIET)
        if step.size == 1 and step.status == "failed":
            (record,) = step.ended.values()
            line.append(f"  {plain((record.error or {}).get('message', ''))}", style=BAD)
        self._say(line)

    def _finish(self, status: str, message: str) -> None:
        self._progress.stop()
        self._forget()
        for task in self._progress.task_ids:
            self._progress.remove_task(task)
        self._whole = None
        if status != "completed":
            for step in () if self._each else self._steps.begun():
                self._say(Text(f"– {step.title}  {len(step.ended)} of {step.size}", style=QUIET))
            ended = "Interrupted." if status == "interrupted" else f"The run {status}."
            self._say(Text.assemble((f"{ended} ", WARN), said(message)))

    def _forget(self) -> None:
        """The lines of what is under way: their steps are made anew."""
        for task in self._running.values():
            self._progress.remove_task(task)
        self._running.clear()

    def _say(self, line: Text) -> None:
        self._last = time.monotonic()
        self._console.print(line, soft_wrap=True)

    def _line(self, text: str) -> str:
        """A description of fixed width, so that the bars stand still; titles differ most at their ends."""
        return middle(text, self._line_width).ljust(self._line_width)
