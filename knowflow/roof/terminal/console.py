"""The two consoles of the command line, and text from anywhere made safe for them."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from knowflow.roof.notation import plain

ACCENT = "cyan"
QUIET = "dim"
GOOD = "green"
WARN = "yellow"
BAD = "red"
_PIPED_WIDTH = 160


@lru_cache(maxsize=1)
def output() -> Console:
    """Where answers go."""
    return _console(stderr=False)


@lru_cache(maxsize=1)
def messages() -> Console:
    """Where progress and errors go."""
    return _console(stderr=True)


def same_place(one: Console, other: Console) -> bool:
    """Whether what two consoles write is read together: on one screen, or in one file or pipe (``2>&1``)."""
    if one.is_terminal and other.is_terminal:
        return True
    try:
        return os.path.sameopenfile(one.file.fileno(), other.file.fileno())
    except (OSError, ValueError):  # written to no file
        return False


def _console(stderr: bool) -> Console:
    """Text is data here: no markup, no emoji codes. What is piped on is folded to no screen, only to COLUMNS."""
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    asked = os.environ.get("COLUMNS", "")
    if not console.is_terminal and not (asked.isdigit() and int(asked)):
        console.width = _PIPED_WIDTH
    return console


def said(value: object, style: str = "") -> Text:
    """Text as data: no markup, no terminal escapes."""
    return Text(plain(value), style=style)


def columns(*names: str, right: tuple[str, ...] = (), whole: tuple[str, ...] | None = None) -> Table:
    """An empty table with quiet headings and no box. ``whole`` columns (default: the first) keep each cell on one line;
    the others are folded where the screen is narrow."""
    kept = names[:1] if whole is None else whole
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in names:
        side: Literal["left", "right"] = "right" if name in right else "left"
        table.add_column(plain(name), justify=side, overflow="fold", no_wrap=name in kept)
    return table
