"""What was learned, on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from knowflow.roof.notation import plain
from knowflow.roof.terminal.console import GOOD, QUIET, WARN

if TYPE_CHECKING:
    from knowflow.service.memory_book import Remembered

_STYLES = {"active": GOOD, "proposed": WARN}


def show_memory(console: Console, found: Sequence[Remembered]) -> None:
    """Each rule and template as its name, its state, its sentence and its evidence."""
    for one in found:
        _show_head(console, one)
        console.print(Text(f"  {plain(one.learned.told[1])}"), soft_wrap=True)
    count = "Nothing was learned yet" if not found else f"{len(found)} learned"
    console.print(Text(count, style=QUIET))


def show_one(console: Console, one: Remembered, text: str) -> None:
    """One learned rule or template with its file."""
    _show_head(console, one)
    console.print(Text(plain(text).rstrip()), soft_wrap=True)


def _show_head(console: Console, one: Remembered) -> None:
    state = one.learned.state
    line = Text.assemble((plain(one.learned.name), "bold"), "  ", (state, _STYLES.get(state, QUIET)))
    if one.learned.why:
        line.append(f" ({plain(one.learned.why)})", style=QUIET)
    runs = len({case.run for case in one.learned.cases})
    line.append(f"  {len(one.learned.cases)} cases of {runs} runs", style=QUIET)
    if one.tries:
        line.append(f"  helped {one.successes} of {one.tries} times, likely again: {one.likely:.0%}", style=QUIET)
    console.print(line, soft_wrap=True)
    for name in one.contradicts:
        console.print(Text(f"  contradicts {plain(name)}", style=WARN), soft_wrap=True)
