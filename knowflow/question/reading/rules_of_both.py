"""The rules of pixels that are known at both times of a comparison: ``over pixels clear on both days``, ``(valid in
both)``. Per pixel a comparison is known there and nowhere else; of two means it becomes the mean of the comparison."""

from __future__ import annotations

from dataclasses import replace

from knowflow.question.operators import And, Calculate, During, Expression, Grain, IsClass, Over, walk, with_children
from knowflow.question.reading.changes import in_all
from knowflow.question.reading.chart import Line
from knowflow.question.reading.order import Clause, typed
from knowflow.question.reading.questions import Answer


def _of_both(one: Answer) -> Answer | None:
    """The answer where all that it compares is compared pixel by pixel."""
    x = _pixelwise(one.expression)
    parts = [part for _, part in walk(x) if isinstance(part, Calculate | And)]
    pairs = [part for part in parts if len({*_times(part)}) == 2]
    spread = all(own is not None and own.space for own in map(typed, pairs))
    return replace(one, expression=x) if pairs and spread and typed(x) is not None else None


def _pixelwise(x: Expression) -> Expression:
    """With the difference of two means over space as the mean of the differences."""
    if isinstance(x, Calculate) and x.how == "difference" and isinstance(x.a, Over) and isinstance(x.b, Over):
        both = {(one.axes, one.statistic) for one in (x.a, x.b)}
        return Over(replace(x, a=x.a.x, b=x.b.x), "space", "mean") if both == {("space", "mean")} else x
    return with_children(x, _pixelwise)


def _times(x: Expression) -> list[object]:
    return [part.when for _, part in walk(x) if isinstance(part, During)]


def _said(*_: object) -> bool:
    return True


def in_both(clause: Clause, grain: Grain) -> Expression | None:
    """``above 0.5 on both dates``; of ground that is named alone, as ``cropland in both years``, both may be asked."""
    return None if isinstance(clause, IsClass) else in_all(clause, grain)


_PIXELS = ("that", "where", "pixels", "over pixels", "in pixels", "pixels that", "over pixels that", "in pixels that")

RULES_OF_BOTH: tuple[Line, ...] = (
    ("IN_BOTH <- known on? both_times", _said),
    *((f"IN_BOTH <- {words} IN_BOTH", _said) for words in ("only", "pixelwise")),
    *((f"IN_BOTH <- {words} be? IN_BOTH", _said) for words in _PIXELS),
    *((f"IN_BOTH_OF <- {word} BOTH_OF", lambda grain: grain) for word in ("in", "on", "at")),
    ("IN_BOTH_OF <- BOTH_OF", lambda grain: grain),
    *((f"{so} IN_BOTH_OF", in_both, -1) for so in ("C <- C", "CL <- CL")),
    *((f"COVERED <- {so} IN_BOTH_OF", in_all, -1) for so in ("be covered? GROUND", "covered GROUND")),
    ("Q <- Q IN_BOTH", lambda one, _: _of_both(one), 1),
    ("Q <- Q next IN_BOTH", lambda one, _: _of_both(one), 1),
    ("Q <- Q open IN_BOTH close", lambda one, _: _of_both(one)),
)
