"""A question put together from its pieces, whatever order they stand in.

Rules say what stands beside what. People also tell the ground, the date or the unit in brackets, behind, or in front,
and join them by words that no rule has there. So where no rule makes a whole of a sentence, its words are divided into
as few pieces as can be, each of which the chart made, and words that join nothing here. One piece is what is asked for;
each other one restricts it, splits it, tells its unit, or names again what is in it. Every piece is used, and a word
with a force of its own (``not``, ``or``, ``than``, ``without``) is none that only joins. Where the fewest pieces make
two things that differ, both are told and none is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

from knowflow.ground.units import compatible
from knowflow.question.operators import (
    Apply,
    Attribute,
    During,
    Expression,
    Not,
    Over,
    Point,
    Polygons,
    Quantity,
    Trend,
    children,
    walk,
)
from knowflow.question.reading.chart import Chart, Entity, Made
from knowflow.question.reading.grounds import class_there, where_of
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import joined
from knowflow.question.reading.nouns import level_of, per, told_in
from knowflow.question.reading.order import Clause, Joined, Test, Thing
from knowflow.question.reading.questions import Answer, answer, answered_in, shown, with_change
from knowflow.question.reading.restricted import during, of_any_map, within
from knowflow.question.reading.rules_of_areas import Extent, measured, of_whole, outlined
from knowflow.question.reading.rules_of_questions import again_shown
from knowflow.question.reading.rules_of_sources import where_it_is
from knowflow.question.reading.sentence import Sentence
from knowflow.question.reading.signs import signed_so
from knowflow.question.times import Times
from knowflow.question.typing_of_features import are_rows

_HEADS = ("A", "N", "Q")
_ASKED = frozenset({"where", "when", "who", "why"})
"""Words that ask for something of their own where a question begins with them, and join elsewhere."""
_ROLES = {
    "KEYS": "keys",
    **dict.fromkeys(("RANKED", "STAT", "most"), "most"),
    **dict.fromkeys(("CL", "RB", "C", "GROUND", "PLACE", "COVERED"), "ground"),
    "W": "place",
    **dict.fromkeys(("T", "TIME"), "time"),
    "K": "key",
    "IU": "unit",
    "SHOWN": "shown",
    "SIGNED": "signed",
    "IN_DATA": "data",
    "SOURCES": "data",
    **dict.fromkeys(("QUANTITY", "NAMED_KEY", "OBJECTS"), "again"),
    "TREND": "method",
    "MONEY": "money",
    "ALL_OF": "all",
}
"""What a piece of a symbol does to what is asked for; a name said ``again``, a method, a money and all of the data have
to be in it already."""
_JOIN: Mapping[str, frozenset[str] | None] = {
    "be": frozenset(
        ("is", "are", "was", "were", "be", "been", "being", "lie", "lies", "lay", "stand", "stands", "stood")
    ),
    "in": frozenset(("in", "within", "inside")),
    "on": frozenset(("on", "at", "during", "for")),
    "what": frozenset(("what", "give", "find", "calculate", "compute", "report", "tell", "take", "determine", "get")),
    "have": frozenset(("have", "has", "had", "having", "with", "show", "shows", "showed", "receive", "received")),
    "that": frozenset(("that", "which")),
    "where": frozenset(("where",)),
    "as": frozenset(("as",)),
    **dict.fromkeys(("do", "of", "at", "which", "display", "exposed", "next", "open", "close")),
}
"""Words that join what stands beside them, and tell nothing by themselves: the words of a symbol, None for all."""
_NAMING = frozenset(("from", "using", "layer", "carrier"))
"""Words that join names of what is asked already: ``from the fields layer``."""
_ONLY = frozenset(("only",))
"""Words that join what restricts: ``only where there are trees``."""
_MOST = {None: "maximum", True: "maximum", "highest": "maximum", "lowest": "minimum"}
_LONGEST = 2  # spans of a symbol that begin with the same word
_BEAM = 40
_MOST_PIECES = 7
_MOST_TRIED = 60
_UNLIKELY = 50  # what no rule would have alone: exactly so much


@dataclass(frozen=True, slots=True)
class _Piece:
    role: str
    start: int
    value: Any
    made: Made


_Cover = tuple[int, int, tuple[_Piece | Entity, ...]]
"""How many pieces, what they cost, they themselves with the words that join them."""


def put_together(chart: Chart, sentence: Sentence, nearest: bool = False) -> Iterator[tuple[int, Made]]:
    """What the pieces of a sentence are together, each with how many pieces it has, those of the fewest first; of the
    values of the same pieces the likeliest. With ``nearest`` a time is that of the ground that it follows: ``the people
    who live where it was hotter than 38 °C in January``."""
    seen: set[tuple[tuple[str, int], ...]] = set()
    for count, cost, cover in islice(_covers(chart, sentence), _MOST_TRIED):
        pieces = [one for one in cover if isinstance(one, _Piece)]
        divided = tuple((one.role, one.start) for one in pieces)
        found = None
        timed = _times_of_grounds(pieces) if nearest else pieces
        if divided not in seen and timed is not None and not _asks_otherwise(cover):
            in_brackets = any(isinstance(a, Entity) and a.symbol == "open" and _is_most(b) for a, b in pairwise(cover))
            found = _together(timed, {one.symbol for one in cover if isinstance(one, Entity)}, in_brackets)
        if found is not None:
            seen.add(divided)
            used = (entity for one in cover for entity in (one.made.entities if isinstance(one, _Piece) else (one,)))
            yield count, Made(found, cost, tuple(used))


def _times_of_grounds(pieces: Sequence[_Piece]) -> list[_Piece] | None:
    """Pieces of which each ground has the time behind it; None where no ground has one."""
    found = list(pieces)
    for before, time in pairwise(pieces):
        if time.role == "time" and before.role == "ground":
            clause = during(before.value, time.value)
            if clause is None:
                return None
            found[found.index(before)] = replace(before, value=clause)
            found.remove(time)
    return found if len(found) < len(pieces) else None


def _is_most(one: _Piece | Entity) -> bool:
    return isinstance(one, _Piece) and one.role == "most"


def _covers(chart: Chart, sentence: Sentence) -> Iterator[_Cover]:
    """Ways to divide the words into pieces, the fewest first."""
    length = len(sentence.words)
    joins: dict[int, list[Entity]] = {}
    asking = {(one.start, one.end) for one in sentence.entities if one.symbol == "which"}
    for one in sentence.entities:
        relative = one.symbol == "that" and (one.start, one.end) in asking
        relative = relative or (not one.start and sentence.said(one.start, one.end).lower() in _ASKED)
        words = _JOIN.get(one.symbol)
        known = words is None or sentence.said(one.start, one.end).lower() in words
        joining = one.symbol in {*_JOIN, *_NAMING, *_ONLY} or (one.symbol, one.value) == ("SHOWN", "map")
        if joining and known and not relative:
            joins.setdefault(one.start, []).append(one)
    at: list[list[_Cover]] = [[] for _ in range(length + 1)]
    at[0].append((0, 0, ()))
    for start in range(length):
        pieces = [one for one in _from(chart, start, length) if not _asks(one[1], asking)]
        for count, cost, taken in sorted(at[start], key=_by_cost)[:_BEAM]:
            for join in joins.get(start, ()):
                if join.symbol not in ("layer", "carrier", "SHOWN") or _is_again(taken[-1:], join.symbol):
                    at[join.end].append((count, cost + 1, (*taken, join)))
            for end, piece in pieces if count < _MOST_PIECES else ():
                if _goes_on(taken, piece):
                    at[end].append((count + 1, cost + piece.made.cost, (*taken, piece)))
    yield from sorted(at[length], key=_by_cost)


def _asks(piece: _Piece, asking: Set[tuple[int, int]]) -> bool:
    """Whether a piece takes the word that asks for one that goes on: ``which of the fields``."""
    first = piece.made.entities[0]
    return first.symbol == "that" and (first.start, first.end) in asking and not first.start


def _asks_otherwise(cover: Sequence[_Piece | Entity]) -> bool:
    """Whether something else is asked for than what the keys among the pieces are: no year, of which region has the
    least rain in a year."""
    pieces = [one for one in cover if isinstance(one, _Piece)]
    if not any(one.role == "keys" for one in pieces):
        return False
    if any(one.role in _HEADS and any(word.symbol == "which" for word in one.made.entities) for one in pieces):
        return True
    symbols = [one.symbol if isinstance(one, Entity) else "" for one in cover]
    if ("which", "do") in pairwise(symbols):
        return True  # what did the gauge record
    asking = [one.end for one in cover if isinstance(one, Entity) and one.symbol == "which"]
    first = next(one.start for one in pieces if one.role == "keys")
    if first not in asking and any(one.role in _HEADS and one.start < first for one in pieces):
        return True  # the highest in the survey
    return any(one.role in ("again", "key", *_HEADS) and one.start in asking for one in pieces)


def _goes_on(taken: Sequence[_Piece | Entity], piece: _Piece) -> bool:
    """Whether a piece may follow: what is asked for is one, and some words join only names, or what restricts."""
    roles = [one.role for one in taken if isinstance(one, _Piece)]
    if piece.role in roles and piece.role in (*_HEADS, "keys", "most"):
        return False
    if piece.role in _HEADS and any(role in _HEADS for role in roles):
        return False
    if piece.role == "shown" and taken and isinstance(taken[-1], _Piece):
        return False  # the land cover table: which is none that is asked for
    before = next((one.symbol for one in reversed(taken[-2:]) if isinstance(one, Entity) and one.symbol != "where"), "")
    if before == "as":
        return piece.role in ("shown", "unit")
    if before in ("from", "using"):
        return piece.role in ("again", "data")
    return before not in _ONLY or piece.role in ("ground", "place", "time")


def _is_again(last: Sequence[_Piece | Entity], symbol: str) -> bool:
    """Whether a word for a file belongs to what was named before it: the species map, the 2021 map."""
    roles = ("again", "data") if symbol == "layer" else ("again", "data", "time")
    return any(isinstance(one, _Piece) and one.role in roles for one in last)


def _by_cost(cover: _Cover) -> tuple[int, int]:
    return cover[:2]


def _from(chart: Chart, start: int, length: int) -> Iterator[tuple[int, _Piece]]:
    """The longest pieces of each symbol that begin with a word."""
    seen: dict[str, int] = {}
    for end in range(length, start, -1):
        cell = chart.cell(start, end)
        for symbol in cell:
            if symbol not in _HEADS and symbol not in _ROLES:
                continue
            seen[symbol] = seen.get(symbol, 0) + 1
            if seen[symbol] <= _LONGEST:
                for made in (one for one in cell[symbol].values() if one.cost < _UNLIKELY):
                    yield end, _Piece(_ROLES.get(symbol, symbol), start, made.value, made)


def _together(pieces: Sequence[_Piece], joins: Set[str], named_again: bool) -> Answer | None:
    """What pieces are together: a measure that others restrict, and of what it is the most, where that is asked;
    ``named_again``: a statistic stands in brackets, and says again what is made of it."""
    one: Any = next((piece.value for piece in pieces if piece.role in _HEADS), None)
    keys: Keys | None = next((piece.value for piece in pieces if piece.role == "keys"), None)
    most = next((_MOST.get(piece.value, piece.value) for piece in pieces if piece.role == "most"), None)
    others = [piece for piece in pieces if piece.role in _APPLIED]
    if (one, keys, most) == (None, None, None) and any(piece.role == "ground" for piece in others):
        units = [piece.value for piece in others if piece.role == "unit" and compatible(piece.value, "m2")]
        one = Extent("area") if len(units) == 1 else None  # water in the bay, ha
    asks = bool(joins & {"which", "what"})
    if ("which" in joins and keys is None) or (keys is not None and (one, most) == (None, None) and not asks):
        return None
    if isinstance(one, Extent):
        grounds = [piece.value for piece in others if piece.role == "ground"]
        one = _extent(one, grounds, [piece.value for piece in others if piece.role == "place"])
        others = [piece for piece in others if piece.role not in ("ground", "place")]
        if one is None:
            return None
    if keys is not None:
        so_much = any(piece.role == "most" and piece.value in (None, True) for piece in pieces)
        found = _of_keys(keys, _all_of(one) if so_much else one, most, others)
        rest = ("unit", "data", "signed", "shown", *_SAID_AGAIN)
        one = _with(found, others, rest if most or isinstance(found, Answer) else ("time", *rest))
    else:
        one = _with(one, others, tuple(_APPLIED))
        if most is not None and (one is None or most not in _statistics(one) or not named_again):
            return None
    return answer(one) if isinstance(one, Thing) else one


def _all_of(one: Any) -> Any:
    """Of which is the most, and not the highest: of what rows count all of it, the pearls of each harvest."""
    counted = isinstance(one, Thing) and isinstance(one.x, Attribute) and one.statistic is None
    return replace(one, statistic="sum") if counted and are_rows(one.x.x) and one.x.unit == "1" else one


def _of_keys(keys: Keys, one: Any, most: Any, others: Sequence[_Piece]) -> Any:
    """Of which keys something is the most; which class there is at a place."""
    if isinstance(most, tuple) and one is None:
        one, most = Thing(Quantity(most[0])), _MOST[most[1]]
    if one is None and most is None:
        place = [piece.value for piece in others if piece.role in ("ground", "place")]
        split = any(piece.role == "key" for piece in others)
        fits = len(place) == 1 and isinstance(place[0], Polygons | Point) and keys.when is None and not split
        return class_there(keys.key, place[0]) if fits else None
    if isinstance(one, Thing) and most is None and one.statistic in ("maximum", "minimum"):
        one, most = replace(one, statistic=None), str(one.statistic)
    if not isinstance(one, Thing) or not isinstance(most, str):
        return None
    one = _with(one, others, ("ground", "place", "time", "key"))
    found = None if one is None else ranked(keys, most, one)
    return None if found is None else Answer(found)


def _with(one: Any, pieces: Sequence[_Piece], roles: Sequence[str]) -> Any:
    """What is asked for with all that pieces of some roles tell of it, in the order of the roles."""
    for role in roles:
        for piece in pieces:
            if piece.role == role and one is not None and not _named(piece, one):
                one = _APPLIED[role](one, piece.value)
    return one


def _extent(extent: Extent, clauses: Sequence[Clause], places: Sequence[Expression]) -> Thing | None:
    """The area, or the number of pixels, where all of it holds; a share is one of a place that is told as such."""
    if not (clauses or places):
        return outlined(extent)
    if extent.statistic == "share":
        whole = of_whole(extent, places[0]) if len(places) == 1 else None if places else extent
        return measured(whole, clauses[0]) if whole is not None and len(clauses) == 1 else None
    every: list[Clause] = [*clauses, *places]
    clause = every[0]
    for other in every[1:]:
        if other != clause:
            clause = joined("and")(clause, other)
    return measured(extent, clause)


def _timed(one: Any, when: Times | Expression) -> Any:
    return during(one, when) if isinstance(one, Thing) else with_change(lambda x: during(x, when), one)


def _on_ground(one: Any, clause: Clause) -> Any:
    """Restricted to ground; of which a share is a share, is told as a place alone."""
    return None if "share" in _statistics(one) else _in_place(one, clause)


def _in_place(one: Any, clause: Clause) -> Any:
    where = where_of(clause) if isinstance(clause, Test | Joined) else clause
    if where is None or (isinstance(one, Answer) and isinstance(one.expression, Apply)):
        return None  # the ground of a tool is what it is of
    return within(one, where) if isinstance(one, Thing) else with_change(lambda x: within(x, where), one)


def _in_unit(one: Any, unit: str) -> Any:
    return told_in(unit, one) if isinstance(one, Thing) else answered_in(one, unit)


def _shown(one: Any, how: str) -> Any:
    return shown(how, one) if isinstance(one, Thing) else again_shown(one, how)


def _in_data(one: Any, said: Any) -> Any:
    asked = answer(one) if isinstance(one, Thing) else one
    return asked and where_it_is(said, asked)


def _signed(one: Any, way: int) -> Any:
    asked = answer(one) if isinstance(one, Thing) else one
    return asked and with_change(lambda x: signed_so(x, way), asked)


_SAID_AGAIN = ("again", "method", "money", "all")
_APPLIED: dict[str, Callable[[Any, Any], Any]] = {
    "time": _timed,
    "ground": _on_ground,
    "place": _in_place,
    "key": lambda one, key: per(one, key) if isinstance(one, Thing) else None,
    "unit": _in_unit,
    "data": _in_data,
    "shown": _shown,
    "signed": _signed,
    **dict.fromkeys(_SAID_AGAIN, lambda one, value: None),
}


def _named(piece: _Piece, one: Thing | Answer) -> bool:
    """Whether what is asked for has it already: a class that is named again in brackets, the map that it is of."""
    there = list(_without_denied(one.x if isinstance(one, Thing) else one.expression))
    said = piece.value
    match piece.role:
        case "time":
            return any(isinstance(part, During) and part.when == said for part in there)
        case "unit":
            return bool(one.unit == said)
        case "ground" | "place":
            return said in there
        case "method":
            return any(isinstance(part, Trend) and part.method == said for part in there)
        case "money":
            return any(isinstance(part, Attribute) and part.name.casefold().endswith(said) for part in there)
        case "again":
            name = level_of(said) if isinstance(said, str) else said
            return isinstance(name, Expression) and any(_is_of(name, part) for part in there)
    return piece.role == "all" and not of_any_map(there[0])


def _without_denied(x: Expression) -> Iterator[Expression]:
    """The parts of an expression but for what is denied: ``outside of the forest`` names no forest."""
    yield x
    for _, part in () if isinstance(x, Not) else children(x):
        yield from _without_denied(part)


def _statistics(one: Thing | Answer) -> set[Any]:
    x = one.x if isinstance(one, Thing) else one.expression
    own = {one.statistic, one.then} if isinstance(one, Thing) else set()
    return own | {part.statistic for _, part in walk(x) if isinstance(part, Over)}


def _is_of(said: Expression, part: Expression) -> bool:
    """Whether a name is that of a part: of its quantity, or of its layer of features, or all that it names of these."""
    match said, part:
        case Quantity(), Quantity():
            return said.kind == part.kind and {*said.having} <= {*part.having}
        case Polygons(), Polygons():
            return said.layer == part.layer and (not said.names or said.names == part.names)
    return said == part
