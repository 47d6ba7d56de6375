"""The rules of what was lost: where a map tells the year of the loss, and of what was dug out between two surveys."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.events import LOSS_YEAR, ever_lost, lost_in, never_lost
from knowflow.question.operators import (
    And,
    Calculate,
    Expression,
    Extreme,
    IsClass,
    Not,
    Number,
    Over,
    Quantity,
    Side,
    Within,
    walk,
    with_part,
)
from knowflow.question.reading.changes import Change, change_in, most_moved, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import area_of, share_where, shares_of
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import fits, per, told_in
from knowflow.question.reading.order import Clause, Thing, closed, holding, typed
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_areas import Extent, measured
from knowflow.question.reading.rules_of_verbs import Two
from knowflow.question.reading.topics import meant
from knowflow.question.times import Times


def _from_to(two: Two) -> Expression | None:
    return lost_in(Times(two[0].first, two[1].last))


def _until(when: Times) -> Expression | None:
    """``lost by 2022``: until the end of that year."""
    return None if when.last is None else lost_in(Times(None, date(when.last.year, 12, 31)))


def _standing(ground: Expression, _: Quantity, when: Times) -> Expression | None:
    """``forest that was still standing in 2022``: of which nothing was lost until then."""
    lost = _until(when)
    found = None if lost is None else And((ground, Not(lost)))
    return found if found is not None and typed(found) is not None else None


def _of_ground(ground: Expression, lost: Expression | None) -> Expression | None:
    """``loss of forest``, of what the notes of the data call forest."""
    return None if lost is None else within(lost, ground)


def _most_lost(keys: Keys, said: str, ground: Expression | None = None) -> Expression | None:
    """``in which year was the loss greatest``."""
    lost: Expression = Within(Quantity(LOSS_YEAR), ever_lost())
    there = lost if ground is None else within(lost, ground)
    if there is None or keys != Keys("year") or said != "maximum":
        return None
    return Extreme(Over(there, "space", "area"), "highest")


def _lost_most(keys: Keys, of: Expression | None = None, lost: Expression | None = None) -> Expression | None:
    """``which district lost the most tree cover``: by the area of what was lost there, of that ground or of all."""
    if isinstance(of, Quantity):
        if of.kind not in _COVERS:
            return None
        of = None
    area = share_where(ever_lost() if lost is None else lost, of, "area")
    return None if area is None or isinstance(keys.level, str) else ranked(keys, "maximum", area)


def _share_lost(ground: Expression, lost: Expression) -> Thing | None:
    return share_where(lost, ground)


def _left(extent: Extent, _: Quantity, when: Times) -> Thing | None:
    """``what share of the forest of 2000 was still standing in 2015``: of which nothing was lost until then."""
    lost = _until(when)
    of_cover = extent.where is not None and _is_of_cover(extent.where)
    return measured(extent, Not(lost)) if lost is not None and of_cover else None


def _left_there(extent: Extent, place: Expression, _: Quantity, when: Times) -> Thing | None:
    """``what share of the forest of the reserve was left``."""
    found = _left(extent, _, when)
    return None if found is None else within(found, place)


def _area_left(ground: Expression, when: Times) -> Thing | None:
    """``forest left in each district in 2022``."""
    standing = _standing(ground, Quantity(LOSS_YEAR), when)
    return None if standing is None else area_of(standing)


def _meant_then(word: Expression, when: Times, clause: Clause) -> Expression | None:
    """``the forest of 2000 (tree cover above 30 %)``."""
    then = during(clause, when)
    return None if then is None else meant(word, then)


def _moved(x: Quantity, how: str = "gained") -> Change:
    """By how much more, or less, there is under a surface than there was."""
    return turned(Thing(x, statistic="integral"), "down" if how in ("lost", "down") else "up")


def _moved_in(unit: str, x: Quantity, how: str) -> Change | None:
    """``how many cubic metres were excavated``."""
    return change_in(unit, _moved(x, how)) if compatible(unit, "m3") else None


def _lost_there(unit: str, *of: Expression) -> Thing | None:
    """``how many hectares of forest did the reserve lose in 2015``."""
    *ground, place, lost = of
    there = within(lost, place)
    area = None if there is None else share_where(there, ground[0] if ground else None, "area")
    return None if area is None else told_in(unit, area)


def _most_there(keys: Keys, place: Expression, _: Quantity, *ground: Expression) -> Expression | None:
    """``in which year did the reserve lose the most forest``."""
    most = _most_lost(keys, "maximum", *ground)
    return None if most is None else within(most, place)


def _largest_loss(when: Callable[..., Expression | None]) -> Callable[..., Expression | None]:
    """``which district lost the largest share of its forest by 2015``; of no time, ever."""

    def most(keys: Keys, _: Quantity, said: str, ground: Expression, *times: Any) -> Expression | None:
        return _largest_part(keys, said, ground, when(*times))

    return most


def _largest_rest(when: Callable[..., Expression | None]) -> Callable[..., Expression | None]:
    """``which district kept the largest share of its forest up to 2015``."""

    def most(keys: Keys, _: Quantity, said: str, ground: Expression, *times: Any) -> Expression | None:
        lost = when(*times)
        return None if lost is None else _largest_part(keys, said, ground, Not(lost))

    return most


def _largest_part(keys: Keys, said: str, ground: Expression, part: Expression | None) -> Expression | None:
    share = None if part is None or not _is_of_cover(ground) else share_where(part, ground)
    return None if share is None or isinstance(keys.level, str) else ranked(keys, said, share)


def _is_of_cover(ground: Expression) -> bool:
    return any(one.kind in _COVERS for _, one in walk(ground) if isinstance(one, Quantity))


def _a_year(said: str, *of: Any) -> Thing | None:
    """``the mean annual loss of 2011 to 2020``: of as many years."""
    lost = next(one for one in of if isinstance(one, Expression))
    every = next((one for one in of if isinstance(one, str)), "year")
    years = [len(part.names) for _, part in walk(lost) if isinstance(part, IsClass) and part.x == Quantity(LOSS_YEAR)]
    area = share_where(lost, None, "area")
    if (said, every) != ("mean", "year") or area is None or len(years) != 1 or _is_open(lost):
        return None
    x = closed(area)
    return None if x is None else fits(Thing(Calculate("ratio", x, Number(float(years[0]), "year"))))


def _is_open(lost: Expression) -> bool:
    """Whether it is told by the years that are not meant, so that nobody knows how many are."""
    return any(isinstance(part, Not) for _, part in walk(lost))


def _so_much_a_year(unit: str, *of: Any) -> Thing | None:
    """``how many hectares of forest were lost per year on average in 2011-2020``."""
    *ground, when = (one for one in of if not isinstance(one, Quantity))
    lost = lost_in(when)
    x = lost if lost is None or not ground else within(lost, ground[0])
    mean = None if x is None else _a_year("mean", x)
    return None if mean is None else told_in(f"{unit} year-1", mean)


def _more_lost(side: Side) -> Callable[..., Expression | None]:
    """``was more lost in 2011-2015 than in 2016-2020``: on the same ground."""

    def compared(lost: Expression, *of: Any) -> Expression | None:
        *places, (kind, when) = of
        other = lost_in(when) if kind == "when" and isinstance(when, Times) else None
        own = [part for _, part in walk(lost) if isinstance(part, IsClass) and part.x == Quantity(LOSS_YEAR)]
        if other is None or len(own) != 1 or _is_open(lost) or _is_open(other):
            return None
        both = (lost, with_part(lost, own[0], other))
        there = [x if not places else within(x, places[0]) for x in both]
        areas = [None if x is None else share_where(x, None, "area") for x in there]
        test = None if None in areas else compare(areas[0], (side, areas[1], None))  # type: ignore[arg-type]
        return None if test is None else holding(test)

    return compared


_WHEN: tuple[tuple[str, Callable[..., Expression | None]], ...] = (
    ("", ever_lost),
    ("T", lost_in),
    ("TWO", _from_to),
    ("by_then TIME", _until),
)
_LOSSES = ("be? LOSS", "GROUND be? LOSS", "LOSS_OF")
_A_YEAR = ("per_year on_average", "on_average per_year")
_MORE: tuple[tuple[str, Side], ...] = (("more", "above"), ("less_of", "below"))
_COVERS = ("tree_cover_fraction", "vegetation_fraction")
_HOW_MUCH = ("", "how_much_land", "which", "how_much_land of")

RULES_OF_LOSSES: tuple[Line, ...] = (
    ("LOST <- LOSS T", lambda _, when: lost_in(when)),
    ("LOST <- LOSS TWO", lambda _, two: _from_to(two)),
    ("LOST <- LOSS by_then TIME", lambda _, when: _until(when)),
    ("LOST <- LOSS_OF T", lambda ground, when: _of_ground(ground, lost_in(when))),
    ("LOST <- LOSS_OF TWO", lambda ground, two: _of_ground(ground, _from_to(two))),
    ("LOST <- LOSS_OF by_then TIME", lambda ground, when: _of_ground(ground, _until(when))),
    ("GROUND <- LOSS_OF", lambda ground: _of_ground(ground, ever_lost()), 3),
    ("LOST <- LOST on_record", lambda lost: lost),
    ("GROUND <- LOST", lambda lost: lost),
    ("CHANGED_GROUND <- be? LOST", lambda lost: lost, -1),
    ("GROUND <- LOSS", lambda _: ever_lost(), 3),  # which a time would tell more of
    *((f"C <- no LOSS {end}", lambda *_: never_lost(), -1) for end in ("have? be? seen", "have? be? on_record")),
    ("XT <- KEYS be LOSS STAT", lambda keys, _, said: _most_lost(keys, said)),
    ("XT <- KEYS be LOSS SIZED", lambda keys, _, said: _most_lost(keys, said)),
    ("XT <- KEYS be LOSS strongest", lambda keys, _: _most_lost(keys, "maximum")),
    ("XT <- KEYS be LOSS_OF strongest", lambda keys, ground: _most_lost(keys, "maximum", ground)),
    ("XT <- KEYS be most GROUND LOSS", lambda keys, ground, _: _most_lost(keys, "maximum", ground), -2),
    ("XT <- KEYS have STAT LOSS", lambda keys, said, _: _most_lost(keys, said)),
    ("XT <- KEYS have most LOSS", lambda keys, _: _most_lost(keys, "maximum")),
    *((f"XT <- KEYS LOSS most {of}", lambda keys, _, x: _lost_most(keys, x), -2) for of in ("QUANTITY", "GROUND")),
    ("XT <- KEYS LOSS most", lambda keys, _: _lost_most(keys), -2),
    ("XT <- XT on_record", lambda x: x),
    ("XT <- KEYS be LOSS_OF STAT", lambda keys, ground, said: _most_lost(keys, said, ground)),
    ("XT <- KEYS have STAT LOSS_OF", lambda keys, said, ground: _most_lost(keys, said, ground)),
    ("XT <- KEYS have most LOSS_OF", lambda keys, ground: _most_lost(keys, "maximum", ground)),
    ("N <- how_much PLACE be? LOST", _share_lost, -1),
    *((f"N <- A that? be? STANDING {told}", _left, -1) for told in ("T", "by_then TIME")),
    *((f"N <- A W that? be? STANDING {told}", _left_there, -1) for told in ("T", "by_then TIME")),
    ("N <- GROUND that? be? STANDING K T", lambda x, _, key, when: (x := _area_left(x, when)) and per(x, key)),
    ("N <- GROUND that? be? STANDING W T", lambda x, _, at, when: (x := _area_left(x, when)) and within(x, at)),
    (
        "N <- how_many UNIT of? GROUND be? STANDING W T",
        lambda unit, x, _, at, when: (x := _area_left(x, when)) and (x := within(x, at)) and told_in(unit, x),
    ),
    ("N <- how_much GROUND be? STANDING W T", lambda x, _, at, when: (x := _area_left(x, when)) and within(x, at)),
    ("N <- how_much all? PLACE happened W", shares_of),
    # whose ground it was, what was left of it, and how much it was a year
    *((f"COVERED <- {verb} PLACE LOST", lambda place, lost: within(lost, place)) for verb in ("do", "have")),
    ("N <- how_many UNIT of? GROUND do PLACE LOST", _lost_there),
    *((f"XT <- KEYS do PLACE {most}", _most_there) for most in ("LOSS most", "LOSS most GROUND")),
    *((f"XT <- KEYS LOSS STAT how_much GROUND {told}", _largest_loss(of)) for told, of in _WHEN),
    *((f"XT <- KEYS KEPT STAT how_much GROUND {told}", _largest_rest(of)) for told, of in _WHEN),
    *((f"N <- {mean}", _a_year) for mean in ("STAT EVERY LOST", "STAT LOST per_year")),
    *((f"N <- how_many UNIT of? {lost} {mean} T", _so_much_a_year) for lost in _LOSSES for mean in _A_YEAR),
    # more than at another time
    *((f"E <- be {words} {lost} OTHER", _more_lost(side), -1) for words, side in _MORE for lost in ("LOST", "LOST W")),
    ("GROUND <- GROUND T open C close", _meant_then),
    ("CHANGED_GROUND <- GROUND that? be? STANDING T", _standing),
    # volumes between two surveys
    *((f"CH <- {much} EARTH_OF be? DUG_OF", lambda x, by: _moved(x, by[1])) for much in _HOW_MUCH),
    *(
        (f"CH <- {much} EARTH_OF do PLACE MOVED", lambda x, place, way: _moved(x, way).of(within, place))
        for much in _HOW_MUCH
    ),
    (
        "XT <- KEYS MOVED most EARTH_OF TWO",
        lambda keys, way, x, two: most_moved(keys, way, Thing(x, statistic="integral"), two),
    ),
    ("CH <- how_many UNIT be? DUG_OF", lambda unit, by: _moved_in(unit, *by)),
    ("CH <- how_many UNIT of? EARTH_OF be? DUG_OF", lambda unit, x, by: _moved_in(unit, x, by[1])),
    (
        "CH <- how_many UNIT of? EARTH_OF do PLACE MOVED",
        lambda unit, x, place, way: (y := _moved_in(unit, x, way)) and y.of(within, place),
    ),
    ("CH <- EARTH_OF CHANGED", lambda x, how: _moved(x) if how == "difference" else None),
    ("CH <- CHANGED of EARTH_OF", lambda how, x: _moved(x) if how == "difference" else None),
)
