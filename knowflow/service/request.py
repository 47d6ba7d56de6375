"""What is asked of the engine, and what it finds for it before anything is told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from knowflow.ground.errors import PlanningError
from knowflow.model.goal import QueryGoal
from knowflow.model.literal import plain
from knowflow.model.plan import Plan

if TYPE_CHECKING:
    from knowflow.question.operators import Expression
    from knowflow.question.reading.readings import Reading
    from knowflow.reason.llm.reading import ReadByModel

Model: TypeAlias = Literal["never", "fallback", "always"]
"""When a language model reads a question: never, where there is no plan otherwise, or always, beside its words."""


def model_of(llm: bool | str) -> Model:
    """When a language model reads, as people say it: True stands for ``fallback``, False for ``never``.

    Raises:
        PlanningError: it is none of these.
    """
    if isinstance(llm, bool):
        return "fallback" if llm else "never"
    for one in get_args(Model):
        if llm == one:
            return one  # type: ignore[no-any-return]  # is one of them
    expected = f"one of {', '.join(get_args(Model))}"
    raise PlanningError("nobody knows when a language model is to be asked", expected=expected, found=repr(llm))


@dataclass(frozen=True, slots=True)
class Request:
    """A question about a folder of data. ``at`` is the point (``longitude,latitude``) that it is of. ``template`` names
    one to use instead of the best for the question; ``llm`` says whether a language model reads it as well; with
    ``pixels`` these tell what files leave unsaid, with ``memory`` what was learned from earlier runs, with
    ``learned_templates`` templates, too. ``last`` is the question before, of which this one may be a change, and
    ``last_unit`` that of its answer."""

    query: str
    data: Path
    aoi: str | None = None
    dates: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    assume: Sequence[str] = ()
    template: str | None = None
    llm: Model = "never"
    pixels: bool = True
    memory: bool = True
    learned_templates: bool = True
    expression: Expression | None = None
    last: Expression | None = None
    last_unit: str | None = None
    at: str | None = None

    def to_json(self) -> dict[str, Any]:
        """What was asked for, as a run keeps it; an expression is told with its plan."""
        told = {name: getattr(self, name) for name in ("query", "aoi", "at", "dates", "template", "llm", "memory")}
        said = {"data": str(self.data), "given": plain(dict(self.given)), "assume": list(self.assume)}
        return {name: value for name, value in {**told, **said}.items() if value not in (None, [], {})}


@dataclass(frozen=True, slots=True)
class Found:
    """A plan, what it is about, the expression that it carries out and how this was read, by the words and by a
    language model where one was asked."""

    plan: Plan
    goal: QueryGoal
    expression: Expression
    reading: Reading | None = None
    by_model: ReadByModel | None = None
    notes: tuple[str, ...] = ()
