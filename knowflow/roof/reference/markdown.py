"""The few forms of Markdown that the reference pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table, one line per row; a bar inside a cell does not end it."""
    lines: list[Sequence[str]] = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines]


def codes(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def points(said: Mapping[str, str]) -> list[str]:
    """A list of what is said under each name; nothing for names of which nothing is."""
    return [f"- {name}: {text}" for name, text in said.items() if text]


def value_text(value: Any) -> str:
    """A default as YAML spells it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def span_text(low: float | None, high: float | None) -> str:
    """A range with its open ends left blank; nothing where both are."""
    if low is None and high is None:
        return ""
    return f"{'' if low is None else f'{low:g}'} .. {'' if high is None else f'{high:g}'}".strip()
