"""Questions planned over a pack of tools, from file names alone: the typed plan, and the flat calls that carry it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowflow.ground.errors import NotUnderstoodError
from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. A value that only exists when the calls are made is ``{"from": k}``, the result of call k
    (from 0), or ``{"from": k, "item": j}``, the j-th of a list."""

    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """A plan as the calls of a pack, with the templates it is composed of and the goal it was made for."""

    calls: tuple[Call, ...]
    plan: Plan
    templates: tuple[str, ...]
    goal: QueryGoal

    @property
    def template(self) -> str:
        return self.plan.template


def plan_calls(query: str, folder: str, files: Sequence[str], *, llm: Any = None) -> PlannedCalls:
    """The calls that answer a question about files of which only the names are known.

    ``folder`` is what the names are relative to, as the calls are to spell it.

    Raises:
        NotUnderstoodError: no template answers such a question.
        PlanningError: templates answer it, but none fits the files; every reason is listed.
    """
    raise NotUnderstoodError("no template answers this question", expected="a template", found=repr(query))
