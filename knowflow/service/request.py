"""What is asked of the engine, and what it finds for it before anything is told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from knowflow.model.goal import QueryGoal
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from knowflow.knowledge.retrieval import Retrieval
    from knowflow.question.operators import Expression
    from knowflow.question.reading.reader import Reading
    from knowflow.reason.llm.planning import Helped

Readers: TypeAlias = Literal["both", "slots"]
"""What reads questions: sentences as expressions, and as slots what these do not cover; or slots alone, to compare."""


@dataclass(frozen=True, slots=True)
class Request:
    """A question about a folder of data. ``template`` names one to use instead of the best for the question; with
    ``llm`` a language model may be asked where there is no plan otherwise; with ``pixels`` these tell what files leave
    unsaid."""

    query: str
    data: Path
    aoi: str | None = None
    dates: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    assume: Sequence[str] = ()
    template: str | None = None
    llm: bool = False
    pixels: bool = True
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A plan and the goal that it is for; of an expression how it was read, else the task cards behind it, and what a
    language model did for it."""

    plan: Plan
    goal: QueryGoal
    expression: Expression | None = None
    reading: Reading | None = None
    retrieval: Retrieval | None = None
    help: Helped | None = None
