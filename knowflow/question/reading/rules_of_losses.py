"""The rules of what was lost: where a map tells the year of the loss, and of what was dug out between two surveys."""

from __future__ import annotations

from datetime import date

from knowflow.ground.units import compatible
from knowflow.question.events import LOSS_YEAR, ever_lost, lost_in, never_lost
from knowflow.question.operators import And, Expression, Extreme, Not, Over, Quantity, Within
from knowflow.question.reading.changes import Change, change_in, most_moved, turned
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import share_where, shares_of
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.order import Clause, Thing, typed
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.rules_of_verbs import Two
from knowflow.question.reading.topics import meant
from knowflow.question.times import Times


def _from_to(two: Two) -> Expression | None:
    return lost_in(Times(two[0].first, two[1].last))


def _until(when: Times) -> Expression | None:
    """``lost by 2022``: until the end of that year."""
    return None if when.last is None else lost_in(Times(None, date(when.last.year, 12, 31)))


def _standing(ground: Expression, when: Times) -> Expression | None:
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
    ("XT <- KEYS have STAT LOSS", lambda keys, said, _: _most_lost(keys, said)),
    ("XT <- KEYS have most LOSS", lambda keys, _: _most_lost(keys, "maximum")),
    *((f"XT <- KEYS LOSS most {of}", lambda keys, _, x: _lost_most(keys, x), -2) for of in ("QUANTITY", "GROUND")),
    ("XT <- KEYS LOSS most", lambda keys, _: _lost_most(keys), -2),
    ("XT <- XT on_record", lambda x: x),
    ("XT <- KEYS be LOSS_OF STAT", lambda keys, ground, said: _most_lost(keys, said, ground)),
    ("XT <- KEYS have STAT LOSS_OF", lambda keys, said, ground: _most_lost(keys, said, ground)),
    ("XT <- KEYS have most LOSS_OF", lambda keys, ground: _most_lost(keys, "maximum", ground)),
    ("N <- how_much PLACE be? LOST", _share_lost, -1),
    ("N <- how_much all? PLACE happened W", shares_of),
    ("GROUND <- GROUND T open C close", _meant_then),
    ("CHANGED_GROUND <- GROUND that? be? standing T", _standing),
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
