"""Repairs in words, the same on the terminal, in the report and in the Prefect UI."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knowflow.model.trace import Repaired

_WHO = {
    "schema": "what the tools say of themselves",
    "llm": "a language model",
    "person": "a person",
    "limit": "the limit",
}


def who(by: str) -> str:
    """Who proposed a repair: ``rule:NAME``, ``schema``, ``llm`` or ``person``, in words."""
    kind, _, name = by.partition(":")
    return f"the rule {name}" if kind == "rule" else _WHO.get(kind, by)


def workflow_change(repair: Repaired) -> str:
    """Which nodes a repair added and changed."""
    parts = [("new: ", repair.new), ("changed: ", repair.changed)]
    return "; ".join(title + ", ".join(names) for title, names in parts if names)
