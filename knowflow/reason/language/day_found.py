"""Questions of two steps, of which the second is about the day that the first finds: "on which day was the mean
rainfall highest, and over what share of the region did more than 50 mm fall on that day?"
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from knowflow.model.goal import QueryGoal, Slot
from knowflow.reason.language.nested import statistics_named
from knowflow.reason.language.product_words import of_fire_pixels

_THAT_DAY = re.compile(
    r"\b(?:that|this|the|which)\s+(?:very\s+|same\s+|very\s+same\s+|selfsame\s+|particular\s+)*"
    r"(?:day|date|scene|image|overpass|acquisition)\b(?!\s+(?:when|with|that|which|of|in|on|where|having|whose)\b)",
    re.IGNORECASE,
)
# where the second step of a question begins
_NEXT = re.compile(
    r"[.?;]\s+|,\s*(?:and\s+)?(?:then|finally|afterwards|lastly)\b|,\s*and\b"
    r"|\band\s+(?=(?:then|finally|what|how|which|over|report|give|tell|state|calculate|compute|determine|find)\b)",
    re.IGNORECASE,
)
_END = re.compile(r"[.?;](?:\s|$)")
_SHARE = "share"
_STATISTICS = frozenset({"mean", "maximum", "minimum", "median"})
_NEVER_MEANT_UNSAID = frozenset({"standard_deviation", "sum", "skewness", "kurtosis"})


def with_day_found(goal: QueryGoal, read: Callable[[str], QueryGoal]) -> QueryGoal:
    """The goal of a question; where its second step measures something on the day that the first finds, the goal of
    the first, with ``there`` (what is measured on that day), ``there_quantity`` and ``there_threshold``."""
    step = _second_step(goal.text)
    if step is None:
        return goal
    first, past = step
    main, second = read(f"{goal.text[:first].rstrip(' ,')}. {goal.text[past:]}"), read(goal.text[first:past])
    measure = _measured(second)
    if main.value("operation") != "extreme_date" or "extreme_of" in main.slots or measure is None:
        return goal
    told_by = _told_by(main)
    quantity = second.value("quantity") or main.value("quantity")
    if (measure, quantity) == (told_by, main.value("quantity")):
        return goal  # it is the extreme itself that is asked for
    found: dict[str, Any] = {"of_each": told_by, "there": measure, "there_quantity": quantity}
    if measure == _SHARE:
        limit = second.value("threshold")
        found |= {"there_threshold": limit, "there_side": limit.side}
    slots = {**main.slots, **{name: Slot(value) for name, value in found.items()}}
    return replace(main, text=goal.text, slots=slots)


def _second_step(text: str) -> tuple[int, int] | None:
    """The place of the last step that speaks of a day that was found before."""
    for said in reversed(tuple(_THAT_DAY.finditer(text))):
        begins = list(_NEXT.finditer(text, 0, said.start()))
        if begins:
            end = _END.search(text, said.end())
            return begins[-1].end(), len(text) if end is None else end.start() + 1
    return None


def _measured(second: QueryGoal) -> str | None:
    """What the second step measures: a share beyond a limit, or a statistic that it names."""
    operation = second.value("operation")
    if operation == _SHARE:
        return _SHARE if second.value("threshold") is not None else None
    named = {name for name, _, _ in statistics_named(second.text)}
    return str(operation) if operation in (named & _STATISTICS) | _NEVER_MEANT_UNSAID else None


def _told_by(main: QueryGoal) -> str:
    """What is computed of each day to find the one: the number of burning pixels, a share, or a statistic."""
    if of_fire_pixels(main.text, str(main.value("quantity"))):
        return "fires"
    limited = main.value("threshold") is not None and _SHARE in (main.value("operations") or ())
    return _SHARE if limited else str(main.value("of_each") or "mean")
