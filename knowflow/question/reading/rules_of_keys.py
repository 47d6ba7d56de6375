"""The rules of dates, periods and polygons as keys: those that are so, how many they are, and that with the most."""

from __future__ import annotations

from typing import Any

from knowflow.question.operators import Expression, Quantity
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import (
    area_of,
    largest,
    share_where,
)
from knowflow.question.reading.keys import (
    Keys,
    contained,
    counted,
    first_date,
    keys_of_time,
    most_of_all,
    ranked,
    ranked_by,
    ranked_of,
    ranked_so,
    that_one,
)
from knowflow.question.reading.nouns import Graded, fits, level_of, per, statistic_of, told_in
from knowflow.question.reading.order import Thing
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.topics import at_point, judged_by


def _most_at(keys: Keys, place: Expression, named: Graded, *of: str) -> Expression | None:
    """``the date when the valley had its deepest mean snow``."""
    *said, kind = of
    x = within(Thing(Quantity(named[0])), place) if kind == named[0] and said in ([], ["mean"]) else None
    return None if x is None else ranked(keys, "maximum" if named[1] == "highest" else "minimum", x)


def _main(keys: Keys) -> Expression | None:
    """``the main land cover class``: that of the most ground; main roads are not the largest ones."""
    return largest(keys, "maximum") if isinstance(keys.key, str) and isinstance(level_of(keys.key), Quantity) else None


def _main_of_each(keys: Keys, key: Any) -> Thing | None:
    """``the main crop of each district``: the class of most of its ground."""
    level = level_of(keys.key) if isinstance(keys.key, str) and keys.when is None else None
    there = fits(Thing(level, statistic="majority")) if isinstance(level, Quantity) else None
    return None if there is None else per(there, key)


def _hit_most(keys: Keys, *of: Any) -> Expression | None:
    """``which stand was hit hardest, by mean dNBR``: by the highest."""
    *given, thing = of
    whens = [one for one in given if not isinstance(one, str)]
    said = [one for one in given if isinstance(one, str)]
    told = keys.during(whens[0]) if whens else keys
    by = statistic_of(said[0], thing) if said else thing
    return None if told is None or by is None else ranked(told, "maximum", by)


RULES_OF_KEYS: tuple[Line, ...] = (
    # of dates, periods, polygons
    ("KEYS <- GRAIN", Keys),
    ("KEYS <- NAMED_KEY", Keys),
    ("KEYS <- when", lambda: Keys("date")),
    ("KEYS <- KEYS T", lambda keys, when: keys.during(when)),
    ("KEYS <- TIME KEYS", lambda when, keys: keys.during(when)),
    ("SAID <- CL", lambda clause: clause),
    ("SAID <- be CL", lambda clause: clause),
    ("SAID <- C", lambda clause: clause),
    ("N <- how_many KEYS SAID", counted),
    ("N <- on? how_much KEYS SAID", lambda keys, clause: counted(keys, clause, "share"), 1),
    ("N <- first KEYS SAID", lambda keys, clause: counted(keys, clause, "first")),
    ("N <- last KEYS SAID", lambda keys, clause: counted(keys, clause, "last")),
    ("N <- long KEYS SAID", lambda keys, clause: counted(keys, clause, "longest")),
    ("N <- long SAID", lambda clause: counted(Keys("date"), clause, "longest")),
    ("N <- long T SAID", lambda when, clause: counted(Keys("date", when), clause, "longest")),
    ("N <- in_a_row T? C at_the_most?", lambda *given: counted(Keys("date", *given[:-1]), given[-1], "longest")),
    ("N <- measured in UNIT be N", told_in),
    ("E <- which? KEYS be N first B", lambda keys, *said: first_date(keys, *said)),
    ("E <- which? KEYS do N first B", lambda keys, *said: first_date(keys, *said)),
    ("E <- which? KEYS do N last B", lambda keys, thing, bound: first_date(keys, thing, bound, "last")),
    ("E <- which? KEYS be N last B", lambda keys, thing, bound: first_date(keys, thing, bound, "last")),
    ("XT <- NUM XT", most_of_all, 1),
    # keys with the most
    ("XT <- NUM? KEYS have? STAT of? N", ranked_of),
    ("XT <- KEYS be STAT of? N", ranked_so, -1),  # in which district is the largest sealed area
    ("XT <- NUM? KEYS that have? STAT of? N", ranked_of),
    ("XT <- KEYS have STAT SCOPE", lambda keys, said, _: largest(keys, said)),
    ("XT <- KEYS cover STAT SCOPE", lambda keys, said, _: largest(keys, said)),
    ("XT <- KEYS that? be? N STAT", lambda keys, thing, said: ranked(keys, said, thing)),
    ("XT <- KEYS that? N be STAT", lambda keys, thing, said: ranked(keys, said, thing)),
    ("XT <- KEYS that? be? N at STAT", lambda keys, thing, said: ranked(keys, said, thing)),
    ("XT <- KEYS that? N be at STAT", lambda keys, thing, said: ranked(keys, said, thing)),
    *(
        (f"XT <- KEYS {do} N {word}", lambda keys, thing, said=said: ranked(keys, said, thing))
        for word, said in (("peaked", "maximum"), ("bottomed", "minimum"))
        for do in ("do", "that?")
    ),
    ("XT <- KEYS do N reach? STAT", lambda keys, thing, said: ranked(keys, said, thing)),
    ("XT <- KEYS do PLACE reach? STAT", lambda keys, place, said: (x := area_of(place)) and ranked(keys, said, x)),
    ("XT <- KEYS be PLACE at? STAT", lambda keys, place, said: (x := area_of(place)) and ranked(keys, said, x)),
    ("XT <- KEYS be PLACE at STAT size", lambda keys, place, said: (x := area_of(place)) and ranked(keys, said, x)),
    ("XT <- KEYS do PLACE reach STAT size", lambda keys, place, said: (x := area_of(place)) and ranked(keys, said, x)),
    *(
        (
            f"XT <- KEYS do PLACE {verb} STAT of? N",
            lambda keys, place, said, thing: (x := within(thing, place)) and ranked(keys, said, x),
        )
        for verb in ("reach", "have")
    ),
    *(
        (f"XT <- KEYS do SCOPE {verb} STAT of? N", lambda keys, _, said, thing: ranked(keys, said, thing))
        for verb in ("reach", "have")
    ),
    ("XT <- KEYS contain N", contained),
    *(
        (f"XT <- KEYS {words}", lambda keys, of: (x := at_point(of)) and contained(keys, x), -2)
        for words in ("be POINT_OF", "do POINT_OF be?")
    ),
    (
        "XT <- KEYS do most PLACE C",
        lambda keys, place, clause: (x := share_where(clause, place, "area")) and ranked(keys, "maximum", x),
    ),
    ("XT <- SIZED KEYS", lambda said, keys: largest(keys, said)),
    ("XT <- mainly KEYS", _main),
    ("N <- mainly KEYS K", _main_of_each),
    ("N <- SIZED KEYS K", lambda said, keys, key: _main_of_each(keys, key) if said == "maximum" else None),
    ("KEYS <- TIME", keys_of_time, 1),
    ("N <- which? KEYS be first CL", lambda keys, clause: counted(keys, clause, "first")),
    ("N <- which? KEYS be last CL", lambda keys, clause: counted(keys, clause, "last")),
    ("KEYS <- ALL_OF", Keys),
    ("XT <- NUM? RANKED KEYS", lambda *given: ranked_by(given[-1], *given[-2::-1])),
    ("XT <- KEYS that? be RANKED", ranked_by),
    ("XT <- KEYS do N STAT", lambda keys, x, said: ranked(keys, said, x) if said == "maximum" else None),  # did it peak
    *(
        (f"XT <- KEYS be hit_most {words} N", lambda keys, *of: _hit_most(keys, *of))
        for words in ("by", "T by", "by STAT of?", "T by STAT of?")
    ),
    ("K <- K grown", lambda key: key),  # by crop grown
    ("RANKED <- RANKED on_average", lambda named: named, 1),  # by their means, as they are ranked
    ("XT <- KEYS do SURFACE be RANKED", lambda keys, kind, by: ranked_by(keys, by) if by[0] == kind else None),
    *((f"XT <- KEYS that? be {word} RANKED SCOPE", lambda keys, by, _: ranked_by(keys, by)) for word in ("on", "in")),
    ("XT <- KEYS that? have RANKED TIME", lambda keys, named, when: (x := keys.during(when)) and ranked_by(x, named)),
    (
        "XT <- XT open STAT N close",
        lambda x, said, thing: judged_by(x, thing) if said in ("maximum", "minimum") else None,
    ),
    ("ONE <- XT", that_one, 2),
    ("XT <- PLACE own XT", lambda place, x: within(x, place)),
    (
        "XT <- KEYS that PLACE have STAT of? N",
        lambda keys, place, said, thing: (x := within(thing, place)) and ranked(keys, said, x),
    ),
    *(
        (f"XT <- KEYS {verb} PLACE have RANKED STAT? MEDIUM", lambda keys, place, *of: _most_at(keys, place, *of))
        for verb in ("do", "that")
    ),
    ("XT <- XT T", during),
    ("XT <- XT W", within),
)
