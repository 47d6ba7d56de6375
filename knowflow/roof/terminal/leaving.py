"""Where a file comes from, in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from knowflow.roof.notation import moment, plain
from knowflow.roof.terminal.console import QUIET, WARN, columns, said

if TYPE_CHECKING:
    from knowflow.service.whence import Whence

_DIGITS = 12


def show_whence(console: Console, found: Whence) -> None:
    trace = found.trace
    console.print(Text.assemble((Path(found.file).name, "bold"), f"  is {', '.join(found.outputs)} of"))
    table = columns("", "")
    for name, words in (
        ("question", trace.plan.query),
        ("understood as", trace.plan.title),
        ("run", trace.run_id),
        ("started", moment(trace.started)),
        ("KnowFlow", trace.version),
        ("SHA-256", found.digest),
    ):
        table.add_row(said(name, QUIET), said(words))
    console.print(table)
    steps = columns("step", "tool", "key")
    for node, tool, key in found.steps:
        steps.add_row(said(node, "bold"), tool, key[:_DIGITS])
    console.print(steps)
    inputs = columns("input", "SHA-256", "now")
    for one in found.sources:
        state = ("as it was read", QUIET) if one.still_there else ("gone or changed", WARN)
        inputs.add_row(said(one.path), one.digest[:_DIGITS], said(*state))
    console.print(inputs)
    for assumption in trace.plan.assumptions:
        console.print(Text(f"assumed: {plain(str(assumption))}", style=QUIET))
    if found.others:
        console.print(Text(f"the same was delivered by {', '.join(found.others)}", style=QUIET))
