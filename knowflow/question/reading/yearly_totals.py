"""A mean of amounts that several years have: of the totals of the years, not of the dates in each.

``the average short rains of 2016 to 2018``, ``the average rainfall of each year``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from knowflow.question.operators import GRAINS, During, Expression, Over, Split, walk
from knowflow.question.times import Times
from knowflow.question.types import Type

_PERIODS = ("season", "year")
_LONGEST_SEASON = 4  # months; of more several seasons are asked for


def of_yearly_totals(thing: Any, own: Type | None, level: Any) -> Any:
    """A noun (a ``Thing``, of which the module is that asks this) with what is left open of its totals; any other as it
    was. ``own`` is the type of what it is of."""
    if own is None or not own.space or "date" not in own.keys or "time" not in own.measure.adds:
        return thing
    told = _told(thing.x)
    part = next((when for when in told if when.month), None)
    if part is not None and part.until and part.until - part.month < _LONGEST_SEASON:  # OND is a season itself
        thing = replace(thing, keys=tuple("year" if key == "season" else key for key in thing.keys))
    grains = [key for key in GRAINS if key in thing.keys or key == level]
    if thing.statistic != "mean" or thing.then not in (None, "sum"):
        return thing
    if len(grains) == 1 and grains[0] in _PERIODS:
        return replace(thing, then="sum")
    if grains or thing.outer or part is None or not _of_several_years(told):
        return thing
    return replace(thing, keys=("year", *thing.keys), then="sum", outer=(("mean", None),))


def averaged_over_years(x: Expression) -> Expression:
    """``the short rains of 2016 to 2018 on average``, read as the total of all of them."""
    total = isinstance(x, Over) and (x.axes, x.statistic) == ("time", "sum")
    if not (isinstance(x, Over) and total) or isinstance(x.x, Split):
        return x
    told = _told(x)
    if not any(when.month for when in told) or not _of_several_years(told):
        return x
    return Over(Over(Split(x.x, "year"), "time", "sum"), "time", "mean")


def _told(x: Expression) -> list[Times]:
    return [part.when for _, part in walk(x) if isinstance(part, During) and isinstance(part.when, Times)]


def _of_several_years(told: Sequence[Times]) -> bool:
    """Whether months of any year are not those of one."""
    spans = [when for when in told if not when.month]
    return all(one.first is None or one.last is None or one.first.year < one.last.year for one in spans)
