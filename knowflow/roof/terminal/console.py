"""The two consoles of the command line, and text from anywhere made safe for them."""

from __future__ import annotations

from functools import lru_cache

from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowflow.roof.notation import plain

ACCENT = "cyan"
QUIET = "dim"
GOOD = "green"
WARN = "yellow"
BAD = "red"


@lru_cache(maxsize=1)
def output() -> Console:
    """Where answers go."""
    return Console(highlight=False, markup=False, emoji=False)


@lru_cache(maxsize=1)
def messages() -> Console:
    """Where progress and errors go."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def said(value: object, style: str = "") -> Text:
    """Text as data: no markup, no terminal escapes."""
    return Text(plain(value), style=style)


def columns(*names: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table with quiet headings and no box."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in names:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table
