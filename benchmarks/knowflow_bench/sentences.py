"""Sentences composed from a grid of what may be asked, each with the expression that it was made from.

Statistic x ground x time x form, in three wordings each. The expressions are written down here as text, apart from the
reader, so that a mistake is not shared.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

from knowflow.question.form import expression_of
from knowflow.question.operators import Expression

QUANTITIES = {
    "ndvi": ("NDVI", "0.4", "0.4"),
    "surface_temperature": ("surface temperature", "300 K", "'300 K'"),
    "ndwi": ("NDWI", "0.1", "0.1"),
}
STATISTICS = {
    "mean": ("mean", "average"),
    "median": ("median", "median"),
    "minimum": ("minimum", "lowest"),
    "maximum": ("maximum", "highest"),
    "deviation": ("standard deviation", "standard deviation"),
    "range": ("range", "value range"),
    "percentile, 90": ("90th percentile", "90th percentile"),
}
GROUNDS = {
    "": ("", ""),
    "is_class(land_cover_class, 'forest')": ("of the forest", "in forest"),
    "built_up_mask": ("of the urban area", "in built-up land"),
    "beyond(slope, above, '10 degree')": ("where the slope is above 10 degrees", "where slope exceeds 10 degrees"),
    "beyond(slope, above, '10 degree') and beyond(elevation, below, '500 m')": (
        "where slope is above 10 degrees and elevation is below 500 m",
        "where the slope is more than 10 degrees and the elevation is less than 500 m",
    ),
}
TIMES = {
    "": ("", ""),
    "2017": ("in 2017", "during 2017"),
    "'summer 2016'": ("in summer 2016", "in the summer of 2016"),
    "'2016-05'": ("in May 2016", "during May 2016"),
    "'2016-03-01/2017-05-31'": ("from March 2016 to May 2017", "between March 2016 and May 2017"),
}
SIDES = {"above": ("above", "more than"), "below": ("below", "less than"), "at_least": ("at least", "no less than")}
PERIODS = {"month": ("month", "monthly"), "year": ("year", "annual")}

# per form: the expression, from what is one number per date ({d}), per date and period ({p}) or pixel ({x}); wordings
FORMS: tuple[tuple[str, str, tuple[str, str, str]], ...] = (
    (
        "value",
        "over({d}, time, {then})",
        (
            "What was the {stat} {q} {ground} {time}?",
            "Tell me the {stat2} of {q} {ground2} {time2}",
            "{time} what is the {stat} of the {q} {ground}",
        ),
    ),
    (
        "count",
        "over(beyond({d}, {side}, {limit}), time, count)",
        (
            "On how many dates {time} was the {stat} {q} {ground} {said} {value}?",
            "Count of days {time} on which the {stat2} of {q} {ground2} was {said2} {value}",
            "{time} how many scenes had a {stat} {q} {ground} {said} {value}",
        ),
    ),
    (
        "share",
        "over(beyond({d}, {side}, {limit}), time, share)",
        (
            "On what share of the dates {time} was the {stat} {q} {ground} {said} {value}?",
            "Percentage of the days {time2} on which the {stat2} of {q} {ground} was {said2} {value}",
            "what fraction of the scenes {time} had a {stat} {q} {ground2} {said} {value}",
        ),
    ),
    (
        "first",
        "over(beyond({d}, {side}, {limit}), time, first)",
        (
            "What was the first date {time} on which the {stat} {q} {ground} was {said} {value}?",
            "earliest day {time2} with a {stat2} {q} {ground2} {said2} {value}",
            "Give me the first date {time} when the {stat} of {q} {ground} was {said} {value}",
        ),
    ),
    (
        "longest",
        "over(beyond({d}, {side}, {limit}), time, longest)",
        (
            "How long was the longest spell of dates {time} on which the {stat} {q} {ground} was {said} {value}?",
            "What was the longest run of days {time2} with a {stat2} {q} {ground2} {said2} {value}",
            "longest stretch of dates {time} when the {stat} of {q} {ground} was {said} {value}",
        ),
    ),
    (
        "dates",
        "holds(beyond({d}, {side}, {limit}))",
        (
            "On which dates {time} was the {stat} {q} {ground} {said} {value}?",
            "Which days {time2} had a {stat2} {q} {ground2} {said2} {value}",
            "which scenes {time} have a {stat} of {q} {ground} {said} {value}",
        ),
    ),
    (
        "highest",
        "extreme({d}, highest)",
        (
            "On which date {time} was the {stat} {q} {ground} highest?",
            "Which day {time2} had the largest {stat2} {q} {ground2}",
            "the scene with the highest {stat} of {q} {ground} {time}",
        ),
    ),
    (
        "series",
        "{p}",
        (
            "What was the {stat} {q} {ground} per {period} {time}?",
            "{stat2} of {q} {ground2} for each {period} {time2}",
            "For every {period}, what was the {stat} {q} {ground} {time}?",
        ),
    ),
    (
        "of periods",
        "over({p}, time, maximum)",
        (
            "What was the maximum of the {stat} {q} per {period} {ground} {time}?",
            "the highest of the {stat2} of {q} {ground2} for each {period} {time2}",
            "{time} what is the largest of the {stat} {q} {ground} per {period}",
        ),
    ),
    (
        "periods",
        "over(beyond({p}, {side}, {limit}), time, count)",
        (
            "In how many {period}s {time} was the {stat} {q} {ground} {said} {value}?",
            "number of {period}s {time2} in which the {stat2} of {q} {ground2} was {said2} {value}",
            "{time} how many {period}s had a {stat} {q} {ground} {said} {value}",
        ),
    ),
    (
        "lowest period",
        "extreme({p}, lowest)",
        (
            "Which {period} {time} had the lowest {stat} {q} {ground}?",
            "In which {period} {time2} was the {stat2} of {q} {ground2} lowest",
            "the {period} with the smallest {stat} {q} {ground} {time}",
        ),
    ),
    (
        "trend",
        "trend({d})",
        (
            "What is the trend of the {stat} {q} {ground} {time}?",
            "linear trend of the {stat2} of {q} {ground2} {time2}",
            "Find the trend in {stat} {q} {ground} {time}",
        ),
    ),
    (
        "ground",
        "over(over({b}, space, share), time, mean)",
        (
            "What share of the {land} had an {q} {said} {value} {time}?",
            "How much of the {land} has a {q} of {said2} {value} {time2}",
            "{time} what percentage of the {land} was covered by land where the {q} is {said} {value}",
        ),
    ),
    (
        "area",
        "over(over({b0}, space, area), time, mean)",
        (
            "How large is the area with {q} {said} {value} {time}?",
            "area where the {q} is {said2} {value} {time2}",
            "{time} how big was the area that had a {q} {said} {value}",
        ),
    ),
)
_AGAIN = ("mean", "median", "minimum", "maximum")
LAND = {
    "": "area",
    "is_class(land_cover_class, 'forest')": "forest",
    "built_up_mask": "urban land",
}


@dataclass(frozen=True, slots=True)
class Composed:
    """A sentence, the expression that it asks, and the combination and wording that both were made from."""

    question: str
    expression: Expression
    combination: tuple[str, ...]
    wording: int


Plan = tuple[str, str, tuple[str, ...], int]  # expression and wording with holes, the combination, which wording


def grid() -> Iterator[Composed]:
    """Every combination in every wording."""
    return (_composed(*one) for one in _plans())


def _plans() -> Iterator[Plan]:
    for form, asked, wordings in FORMS:
        of_ground = form in ("ground", "area")
        grounds = [""] if form == "area" else LAND if form == "ground" else GROUNDS
        statistics = ["mean"] if of_ground else list(STATISTICS)
        periods = PERIODS if "{p}" in asked else {"": ("", "")}
        sides = SIDES if "{side}" in asked or of_ground else {"": ("", "")}
        for chosen in itertools.product(QUANTITIES, statistics, grounds, TIMES, periods, sides):
            yield from ((asked, wording, (form, *chosen), number) for number, wording in enumerate(wordings))


def _composed(asked: str, wording: str, combination: tuple[str, ...], number: int) -> Composed:
    _, kind, statistic, ground, time, period, side = combination
    q, value, limit = QUANTITIES[kind]
    x = f"during({kind}, {time})" if time else kind
    d = f"over({f'within({x}, {ground})' if ground else x}, space, {statistic})"
    then = statistic if statistic in _AGAIN else "mean"
    b0 = f"beyond({x}, {side}, {limit})"
    b = f"within({b0}, {ground})" if ground else b0
    text = asked.format(
        d=d, p=f"over(split({d}, {period}), time, {then})", b=b, b0=b0, side=side, limit=limit, then=then
    )
    expression, faults = expression_of(text)
    if expression is None:
        raise ValueError(f"{text}: {faults}")
    said, said2 = SIDES.get(side, ("", ""))
    words = {
        "stat": STATISTICS[statistic][0],
        "stat2": STATISTICS[statistic][1],
        "q": q,
        "value": value,
        "ground": GROUNDS[ground][0],
        "ground2": GROUNDS[ground][1],
        "land": LAND.get(ground, "area"),
        "time": TIMES[time][0],
        "time2": TIMES[time][1],
        "period": period,
        "said": said,
        "said2": said2,
    }
    question = " ".join(wording.format(**words).split()).replace(" ?", "?")
    return Composed(question, expression, combination, number)


def some(n: int, seed: int) -> list[Composed]:
    """That many sentences of the grid, as often of each form."""
    by_form: dict[str, list[Plan]] = {}
    for plan in _plans():
        by_form.setdefault(plan[2][0], []).append(plan)
    chosen = random.Random(seed)
    each = -(-n // len(by_form))
    plans = [one for found in by_form.values() for one in chosen.sample(found, min(each, len(found)))]
    chosen.shuffle(plans)
    return [_composed(*one) for one in plans[:n]]
