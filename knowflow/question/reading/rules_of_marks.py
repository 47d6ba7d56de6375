"""The rules of what may stand at either end of a noun or a question: times, grounds, keys, units, in any order, in
parentheses or as a sentence of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from knowflow.question.operators import (
    Calculate,
    Correlate,
    During,
    Expression,
    IsClass,
    Not,
    Number,
    Over,
    Quantity,
    Show,
    walk,
)
from knowflow.question.reading.changes import (
    Change,
    always,
    apart,
    at_any,
    at_two,
    before_after,
    change_map,
    changed,
    difference_map,
    in_all,
    is_change,
    map_of_difference,
    of_ground_then,
    often,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import both_grounds, largest, shares_of, where_of
from knowflow.question.reading.keys import Keys, chosen
from knowflow.question.reading.limits import compare, joined, placed, suggested
from knowflow.question.reading.nouns import (
    PERCENT,
    WHOLE,
    afterwards,
    every,
    every_one,
    explained,
    level_of,
    of_ground_alone,
    over_area,
    over_ground,
    per,
    reached,
    statistic_of,
    summed,
    told_in,
)
from knowflow.question.reading.order import Thing, typed
from knowflow.question.reading.questions import Answer, answer, answered_in, map_of, plain, shown, with_change
from knowflow.question.reading.restricted import during, of_any_map, within
from knowflow.question.reading.rules_of_areas import Extent, in_a_unit, measured, of_whole
from knowflow.question.reading.rules_of_verbs import State
from knowflow.question.reading.signs import in_order_said, signed_so, subtracted
from knowflow.question.reading.spans import adjoining, day_and, in_the_year, of_so_many, said_twice, span, with_its_end
from knowflow.question.reading.topics import averaged, averaged_already, meant, of_what_is_known, statistic_again
from knowflow.question.times import Times


def _as_difference(one: Answer) -> Answer | None:
    """``negative for a loss``, ``as a positive number``: what fell is told downwards anyway."""
    return one if any(isinstance(part, Calculate) for _, part in walk(one.expression)) else None


def _plain(thing: Thing) -> bool:
    return thing.then is None and not thing.keys and not thing.outer


def _of_means(x: Expression) -> bool:
    """Whether all that is over dates is a mean."""
    return {part.statistic for _, part in walk(x) if isinstance(part, Over) and part.axes == "time"} == {"mean"}


def _is_run(x: Expression) -> bool:
    """Whether a number of keys is told: ``the longest run ...; give the number of images``."""
    return isinstance(x, Over) and x.statistic in ("longest_run", "count")


def _of_pixels(thing: Thing) -> bool:
    return isinstance(thing.x, Correlate) and thing.x.axes != "time"


def _as_marked(one: Answer, inside: float, ground: Expression, outside: float) -> Answer | None:
    """``map the forest: 1 for forest, 0 for everything else``."""
    x = one.expression
    same = isinstance(x, Show) and any(_same_ground(part, ground) for _, part in walk(x))
    return one if same and (inside, outside) == (1, 0) else None


def _same_ground(x: Expression, ground: Expression) -> bool:
    if isinstance(x, IsClass) and isinstance(ground, IsClass):
        return x.names == ground.names
    return x == ground


def _noted(thing: Thing, said: str) -> Thing | None:
    """``(mm, mean)``: the statistic behind the unit. Of what adds up over time it is never told so that the mean of its
    dates is meant, and not that of the ground."""
    own, taken = typed(thing.x), thing.statistic or thing.then or thing.keys
    adds = own is not None and own.of == "number" and "time" in own.measure.adds and not taken
    return None if adds and said in ("mean", "median") else _behind_unit(afterwards, thing, said)


def _noted_of_ground(thing: Thing, said: str) -> Thing | None:
    """``(mm, area mean)``: of the ground; what adds up over time is added up all the same."""
    return _behind_unit(over_ground, thing, said)


def _behind_unit(told: Callable[[Thing, str], Thing | None], thing: Thing, said: str) -> Thing | None:
    found = told(replace(thing, unit=None), said)
    return found if found is None or thing.unit is None else told_in(thing.unit, found)


def _total(said: str, x: Quantity, total: str) -> Thing | None:
    """``the mean rainfall total``: over the ground, of all of the time."""
    own = typed(x)
    adds = own is not None and own.of == "number" and "time" in own.measure.adds and total == "sum"
    found = statistic_of(said, Thing(x)) if adds and said != "sum" else None
    return None if found is None else replace(found, then="sum")


def _as_was_told(word: Expression, x: Expression) -> Expression | None:
    """``flooded area: VV below -16 dB on the 3rd but not on the 1st``: what changed is what the word means."""
    classes = any(isinstance(part, IsClass) for each in (word, x) for _, part in walk(each))
    kinds = [{part.kind for _, part in walk(each) if isinstance(part, Quantity)} for each in (word, x)]
    return None if classes or kinds[0] & kinds[1] else meant(word, x)


def _noted_difference(one: Answer, how: str, thing: Thing, unit: str | None = None) -> Answer | None:
    """``(difference of mean LST, K)``."""
    x = one.expression
    kinds = ({part for _, part in walk(each) if isinstance(part, Quantity)} for each in (x, thing.x))
    same = any(isinstance(part, Calculate) and part.how == how for _, part in walk(x))
    same = same and next(kinds) >= next(kinds)
    unit = unit or thing.unit
    return None if not same else one if unit is None else answered_in(one, unit)


def as_signed(one: Answer, *said: str) -> Answer | None:
    """``negative for a loss``: as differences, and what moves, are told anyway; a statistic is that asked."""
    *statistic, side, way = said
    told = one if not statistic else statistic_again(one, statistic[0])
    downwards = any(isinstance(part, Calculate) and part.b == Number(-1.0) for _, part in walk(one.expression))
    return told if (side, way) in (("below", "down"), ("above", "up")) and not downwards else None


def _is_mask(one: Answer) -> bool:
    own = typed(one.expression.x) if isinstance(one.expression, Show) else None
    return own is not None and own.of == "truth"


def _as_yes_or_no(one: Answer, yes: float, no: float) -> Answer | None:
    """``(1 = yes, 0 = no)``."""
    return one if (yes, no) == (1, 0) and _is_mask(one) else None


def _as_said(one: Answer, inside: float, so: State, outside: float, otherwise: State) -> Answer | None:
    """``with 1 for flooded and 0 for dry``, ``1 lost, 0 elsewhere``: of what is mapped, and of all else."""
    there = {part for _, part in walk(one.expression)}
    mapped = so.so and (so.ground in there or so.ground is None) and not (otherwise.so and otherwise.ground in there)
    return one if (inside, outside) == (1, 0) and mapped and _is_mask(one) else None


def _average_in(one: Answer, said: str, *unit: str) -> Answer | None:
    """``(area mean, mm)``: the statistic over the ground of what is asked, and the unit."""
    told = statistic_again(one, said)
    return told if told is None or not unit else answered_in(told, unit[0])


def _ground_then(when: Times, ground: Expression) -> Expression | None:
    """``the 2000 forest``, which may be of that year already."""
    told = {part.when for _, part in walk(ground) if isinstance(part, During)}
    return ground if told == {when} else during(ground, when)


_NAMED = ("N", "KEYS", "XT", "A")
_SAID = ("C", "CL", "CH", "TOPIC", "MOREOF", "ASKED_MORE")
"""What may be told to be of all that there is: which changes nothing."""


def _first(one: object, whole: object) -> object:
    """The same; of maps of classes of several years nobody knows what it is in all of these together."""
    x = one if isinstance(one, Expression) else getattr(one, "expression", getattr(one, "x", None))
    of_maps = isinstance(one, Extent) or (x is not None and of_any_map(x))  # an area may be one of a class
    return None if isinstance(whole, str) and of_maps else one


def of_all_dates(_: None, thing: Thing) -> Thing | None:
    """``the five-day rainfall``, of as many dates as there are: what adds up over time is added up."""
    own = typed(thing.x)
    then = None if thing.then == "sum" else thing.then
    if own is None or own.of != "number" or not _plain(replace(thing, then=then)):
        return None
    return of_ground_alone(thing) if "time" in own.measure.adds else thing


def _changed_map(how: str, thing: Thing, unit: str, two: tuple[Times, Times]) -> Answer | None:
    """``map how VH changed in dB from May to July``."""
    x = change_map(thing, two) if how == "map" else None
    return None if x is None else answered_in(plain(x), unit)


def _map_of_change(how: str, change: Change, two: tuple[Times, Times]) -> Expression | None:
    """``map the change in population per pixel from 2010 to 2020``."""
    plain = how == "map" and change.how == "difference" and change.unit is None
    return change_map(change.thing, two[::-1] if change.down else two) if plain else None


def averaged_over(thing: Thing, _: str) -> Thing | None:
    """``the mean PM2.5 of 2023, averaging the twelve months``: what is over dates is a mean, as it is told."""
    return replace(thing, then="mean") if _plain(thing) or thing.then == "mean" else None


def _of_periods(grain: str) -> str | None:
    return None if grain == "month_of_year" else grain


_INCLUDED = ("included", "open included close", "next included")
_OF_EVENTS = ("of", "in", "by", "for")
RULES_OF_MARKS: tuple[Line, ...] = (
    # months up to others, in one year or in any
    *((f"T <- {word} SPAN", lambda when: when) for word in ("on", "in", "from")),
    ("T <- of SPAN", lambda when: when, 1),
    ("T <- SPAN", lambda when: when, 1),
    ("SPAN <- TIME until TIME", span, 1),
    ("SPAN <- TIME and TIME together", adjoining),
    *((f"SPAN <- {words}", lambda when: when) for words in ("SPAN season_named", "season_named open SPAN close")),
    *(
        (f"SPAN <- {words}", in_the_year)
        for words in ("SPAN season_named of TIME", "season_named open SPAN close of? TIME")
    ),
    ("SPAN <- TIME season_named open SPAN close", lambda year, when: in_the_year(when, year)),
    ("SPAN <- SPAN season_named? open SPAN close", said_twice),
    (
        "SPAN <- SPAN season_named? open SPAN close of? TIME",
        lambda a, b, year: (x := said_twice(a, b)) and in_the_year(x, year),
    ),
    ("TIMES <- on DAY and TIME", day_and),
    ("T <- T only", lambda when: when),
    ("TIMES <- in PAIR", lambda times: times),
    ("TIMES <- of PAIR", lambda times: times, 1),
    ("TIMES <- PAIR", lambda times: times, 1),
    ("T <- since start_of TIME", lambda when: when),
    ("T <- from TIME until end_of TIME", span),
    *((f"{of} <- {of} {words}", lambda when: when) for of in ("T", "TWO") for words in _INCLUDED),
    *((f"{of} <- {of} open TIME included close", with_its_end) for of in ("T", "TWO")),
    *((f"{of} <- {of} open all NUM GRAIN close", of_so_many) for of in ("T", "TWO")),
    # all that the data have
    ("K <- per ALL_OF", lambda grain: grain),
    ("N <- OF_ALL N", of_all_dates),
    ("M <- ALL_EVERY N", lambda grain, thing: every(grain, None, thing)),
    ("K <- K on_record", lambda key: key),
    ("K <- K by_name", lambda key: key),
    ("SCOPE <- SCOPE on_record", lambda scope: scope, 1),
    ("SCOPE <- on_record SCOPE", lambda scope: scope, 1),
    ("N <- N on_record", lambda thing: thing if thing.keys else None, 1),
    ("GRAIN <- on_record GRAIN", lambda grain: grain),
    ("N <- EVERY_ONE STAT of? N", every_one, -1),
    *(
        (f"{whole} <- {word} {what}", lambda *_: True)
        for whole, word in (("OF_WHOLE", "of"), ("WHOLE", "in"), ("WHOLE", "over"))
        for what in ("all? SCOPE", "whole_time", "all? images", "GRAIN on_record", "on_record GRAIN")
    ),
    *(
        (f"{whole} <- {word} ALL_OF", lambda grain: grain)
        for whole, word in (("OF_WHOLE", "of"), ("WHOLE", "in"), ("WHOLE", "over"))
    ),
    ("N <- N in ALL_OF", lambda thing, grain: per(thing, grain) if of_any_map(thing.x) else None),
    ("WHOLE <- using all? SCOPE", lambda scope: True if scope == "area" else None),
    ("WHOLE <- all_times", lambda: True),
    ("WHOLE <- in_files", lambda: True),
    *((f"WHOLE <- {word} SHOWN", lambda how: True if how == "map" else None) for word in ("over", "of", "in", "on")),
    ("AVERAGED <- averaging all? NUM? GRAIN values? alike?", lambda *given: given[-1]),
    ("AVERAGED <- open AVERAGED close", lambda grain: grain),
    ("N <- N AVERAGED", averaged_over, 1),
    ("Q <- Q AVERAGED", lambda one, grain: one if _of_means(one.expression) else None, 1),
    ("Q <- AVERAGED Q", lambda grain, one: one if _of_means(one.expression) else None, 1),
    ("WHOLE <- at SCOPE", lambda _: True),
    ("WHOLE <- in all GRAIN", lambda grain: True if grain == "date" else None),
    *((f"{one} <- {one} WHOLE", _first) for one in (*_NAMED, *_SAID)),
    *((f"{one} <- {one} OF_WHOLE", _first) for one in _NAMED),
    ("Q <- Q WHOLE", _first, 1),
    ("Q <- WHOLE Q", lambda _, one: one, 1),
    ("KEYS <- GRAIN and GRAIN", lambda one, other: Keys(one) if (one, other) == ("month", "year") else None),
    ("KEYS <- GRAIN of which GRAIN", lambda one, other: Keys(one) if (one, other) == ("month", "year") else None),
    ("N <- N averaged_dates", lambda thing: replace(thing, then="mean") if _plain(thing) else None),
    ("Q <- averaged_dates Q", lambda one: one if _of_means(one.expression) else None),
    # in parentheses
    ("BEHIND <- BEHIND open STAT minus STAT spot close", explained),
    ("STAT <- STAT open STAT minus STAT spot close", explained),
    ("T <- open T close", lambda when: when),
    ("NOTED <- N open", lambda thing: thing),
    ("NOTED <- NOTED IU", lambda thing, unit: told_in(unit, thing)),
    ("NOTED <- NOTED T", during),
    ("NOTED <- NOTED W", within),
    ("NOTED <- NOTED K", per),
    ("NOTED <- NOTED STAT", _noted),
    ("NOTED <- NOTED OF_GROUND", _noted_of_ground),
    ("OF_GROUND <- spatial STAT", lambda said: said),
    *((f"OF_GROUND <- STAT {word} SCOPE", _first) for word in ("over", "of", "in")),
    ("N <- NOTED close", lambda thing: thing),
    ("N <- N open TIME minus TIME close", before_after),
    ("Q <- Q open TIME minus TIME close", lambda one, a, b: with_change(lambda x: subtracted(x, a, b), one)),
    ("Q <- Q open OF_GROUND IU? close", _average_in),
    ("Q <- Q open IU OF_GROUND close", lambda one, unit, said: _average_in(one, said, unit)),
    ("Q <- Q open on_average close", averaged_already),
    ("Q <- Q open IU on_average close", lambda one, unit: (x := averaged_already(one)) and answered_in(x, unit)),
    ("Q <- Q open NAMED_KEY STAT IU? close", lambda one, _, *noted: _average_in(one, *noted)),
    ("Q <- Q open ARITHMETIC of N IU? close", _noted_difference),
    ("Q <- Q open NUM namely_is yes and? NUM namely_is no close", _as_yes_or_no),
    ("Q <- Q open? have? NUM MARKED and? NUM MARKED close?", _as_said),
    ("MARKED <- in? namely_is? STATE", lambda state: state),
    ("MARKED <- in? namely_is? GONE", lambda _: State(None)),
    ("MARKED <- in? elsewhere", lambda: State(None, False)),
    # at either end of a question
    ("Q <- IU Q", lambda unit, one: answered_in(one, unit), 1),
    ("Q <- Q open later_first close", lambda one: one if in_order_said(one.expression, True) else None),
    ("Q <- Q next? earlier_first", lambda one: one if in_order_said(one.expression, False) else None, 1),
    ("Q <- Q next? later_first", lambda one: one if in_order_said(one.expression, True) else None, 1),
    ("Q <- Q next? TIME minus TIME", lambda one, a, b: with_change(lambda x: subtracted(x, a, b), one), 1),
    ("Q <- Q open earlier_first close", lambda one: one if in_order_said(one.expression, False) else None),
    ("QUANTITY <- QUANTITY open earlier_first close", lambda x: x if is_change(x) else None),
    ("Q <- Q NUM in GROUND and? NUM in? elsewhere", _as_marked),
    ("Q <- Q next? what? how_many GRAIN", lambda one, _: one if _is_run(one.expression) else None),
    ("Q <- Q next known_alone", lambda one: replace(one, expression=of_what_is_known(one.expression))),
    *(
        (f"Q <- Q {end}", as_signed, 1)
        for end in (
            "next? SIGN in RISE",
            "open SIGN in RISE close",
            "open SIGN counts RISE close",
            "open SIGN counts MOVING close",
            "next? SIGN counts RISE",
            "next? STAT SIGN in RISE",
        )
    ),
    ("Q <- Q next? what IU", answered_in, 1),
    ("Q <- Q next what share_alone", lambda one: answered_in(one, PERCENT)),
    ("Q <- Q W", lambda one, where: with_change(lambda x: within(x, where), one), 2),
    # ground as a clause
    ("GROUND <- TIME GROUND", _ground_then, 2),
    ("N <- N HEIGHTS", placed, 1),
    ("W <- B_OF", where_of),
    ("W <- on N of B", lambda thing, bound: (test := compare(thing, bound)) and where_of(test)),
    ("W <- W only", lambda place: place),
    ("W <- PLACE only", lambda place: place, 1),
    ("PLACE <- slopes of? B", lambda bound: (test := suggested("slope")(bound)) and where_of(test)),
    ("PLACE <- slopes CL", where_of),
    ("PLACE <- slopes C", where_of),
    ("PLACE <- SCOPE that? be? GROUND T", lambda _, ground, when: at_any(ground, when), 1),
    ("PLACE <- GROUND that be? GROUND T", lambda one, *other: (x := at_any(*other)) and both_grounds(one, x), 1),
    *((f"N <- N {word} PLACE T", of_ground_then) for word in ("of", "in", "on")),
    ("PLACE <- SCOPE covered GROUND", lambda _, ground: ground),
    ("PLACE <- SCOPE that CHANGED_GROUND", lambda _, ground: ground),
    ("A <- A W", of_whole, 1),
    ("N <- A be W", measured, 1),
    ("N <- how_much all? PLACE be W", shares_of),
    ("N <- how_much all? PLACE W", shares_of, 2),  # the share of maize in the county is rather that of the county
    ("N <- how_much all? PLACE T be? W", lambda place, when, *of: (x := shares_of(place, *of)) and during(x, when)),
    ("A <- how_much_land of PLACE", lambda place: Extent("", where=place), 1),
    ("A <- how_much_land of SCOPE", lambda _: Extent(""), 1),
    ("N <- A COVERED IU", lambda extent, clause, unit: (x := in_a_unit(extent, unit)) and measured(x, clause), 1),
    ("N <- at which N be PLACE", within),
    ("GROUND <- GROUND namely CL", meant, 1),
    *((f"{one} <- {one} open CL close", meant, 1) for one in ("GROUND", "PLACE")),
    ("PLACE <- PLACE open C close", meant, 1),
    ("PLACE <- PLACE namely CL", meant, 1),
    ("CL <- CL and C", joined("and")),
    ("COVERED <- be? GROUND CL", both_grounds, 1),
    ("XT <- KEYS be SIZED", largest),
    ("C <- C always", always),
    ("always <- in all NUM GRAIN", lambda _, grain: True if grain == "date" else None),
    ("K <- in each NUM GRAIN", lambda _, grain: grain if grain == "date" else None),
    ("COVERED <- be? never covered? GROUND", lambda ground: always(Not(ground))),
    ("COVERED <- be? always covered? GROUND", always),
    *((f"IN_ALL <- {word} all {of}", _of_periods) for word in ("in", "on") for of in ("ALL_OF", "GRAIN")),
    *((f"IN_ALL <- every_single {of}", _of_periods, -1) for of in ("ALL_OF", "GRAIN")),
    ("IN_ALL <- ALL_OF in_row", _of_periods),
    ("IN_ALL <- in_every GRAIN", _of_periods),
    ("IN_ALL <- IN_ALL of GRAIN", lambda grain, longer: grain if longer == "year" else None),
    *((f"{so} IN_ALL", in_all) for so in ("C <- C", "CL <- CL", "COVERED <- be? covered? GROUND")),
    ("CL <- CL always", always),
    ("COVERED <- be? GROUND always", always),
    ("COVERED <- be? covered GROUND always", always),
    ("N <- N always", lambda thing: thing if (own := typed(thing.x)) and own.of == "number" else None, 1),
    *((f"{one} <- {one} {word} B GRAIN", often("count")) for one in ("C", "COVERED") for word in ("on", "in")),
    *((f"{one} <- {one} {word} B of GRAIN", often("share")) for one in ("C", "COVERED") for word in ("on", "in")),
    *((f"{one} <- {one} {word} B of? GRAIN", often("count"), 1) for one in ("C", "COVERED") for word in ("on", "in")),
    ("C <- each_pixel C", lambda clause: clause),
    ("C <- NAMED_KEY be GROUND", lambda key, ground: ground if key == "classes" else None),
    ("E <- what KEYS SAID", chosen),
    # statistics of each
    ("K <- for_all_of GRAIN", lambda grain: grain),
    ("Q <- tabulate N", lambda thing: answer(thing) if thing.keys else None, -1),
    ("Q <- tabulate N tabulated GRAIN", lambda thing, grain: (x := per(thing, grain)) and answer(x), -1),
    ("N <- N STAT T", summed, 1),
    ("N <- STAT QUANTITY STAT", _total, 4),
    ("N <- STAT STAT QUANTITY", lambda said, total, x: _total(said, x, total), 4),
    ("N <- N STAT over SCOPE", lambda thing, said, _: over_area(thing, said)),
    ("N <- N what STAT", afterwards, 1),
    ("N <- pixelwise N", lambda thing: thing if _of_pixels(thing) else None),
    ("Q <- Q SIGNED", lambda one, way: with_change(lambda x: signed_so(x, way), one)),
    *(
        (f"Q <- Q {note}", _as_difference, 1)
        for note in ("minus_sign", "open minus_sign close", "next? what minus_sign")
    ),
    ("Q <- N SCOPE", lambda thing, scope: answer(thing) if scope in WHOLE and thing.statistic else None, 4),
    ("N <- N pixelwise", lambda thing: thing if _of_pixels(thing) else None),
    ("N <- N open CORRELATION close", lambda thing, _: thing if isinstance(thing.x, Correlate) else None),
    ("K <- K and K", lambda a, b: None if isinstance(a, tuple) or isinstance(b, tuple) or a == b else (a, b)),
    ("N <- N as spatial STAT", averaged),
    *((f"N <- N {word} event", lambda thing: thing if is_change(thing.x) else None) for word in _OF_EVENTS),
    *((f"Q <- Q {word} event", lambda one: one if is_change(one.expression) else None) for word in _OF_EVENTS),
    ("N <- N open STAT of each close", _noted),
    ("N <- compare N between NAMED_KEY", lambda thing, key: per(thing, level_of(key))),
    ("GROUND <- GROUND CHANGED_GROUND", _as_was_told),
    (
        "N <- NAMED_KEY STAT of? N",
        lambda key, said, thing: (x := statistic_of(said, thing)) and per(x, level_of(key)),
        1,
    ),
    ("N <- N that? K reach", per, 1),
    ("N <- STAT of? N that? K reach", reached),
    # maps
    ("E <- SHOWN showing N", shown),
    ("E <- SHOWN where C", lambda how, clause: map_of(where_of(clause)) if how == "map" else None),
    ("E <- SHOWN of? PLACE", lambda how, place: map_of(place) if how == "map" else None),
    (
        "E <- SHOWN ARITHMETIC between N and TIME",
        lambda how, kind, thing, b: (
            change_map(*two) if (how, kind) == ("map", "difference") and (two := apart(thing, b)) else None
        ),
    ),
    (
        "N <- ARITHMETIC between N and TIME",
        lambda how, thing, b: at_two(how, *two) if (two := apart(thing, b)) else None,
    ),
    ("E <- SHOWN of? N minus N", lambda how, a, b: map_of_difference(a, b) if how == "map" else None),
    ("E <- SHOWN ARITHMETIC between N and N", lambda how, _, a, b: map_of_difference(a, b) if how == "map" else None),
    ("E <- draw CH TWO", lambda change, two: (x := changed(change, two)) and shown("map", x), -2),
    ("E <- SHOWN of how N did_change TWO", lambda how, x, two: change_map(x, two) if how == "map" else None),
    ("E <- SHOWN how N did_change IU TWO", _changed_map),
    ("E <- SHOWN how N did_change TWO IU", lambda how, thing, two, unit: _changed_map(how, thing, unit, two)),
    ("E <- SHOWN of? CH pixelwise TWO", _map_of_change),
    ("E <- SHOWN of? T minus T N", lambda how, a, b, x: difference_map(a, b, x) if how == "map" else None),
)
