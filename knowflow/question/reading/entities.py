"""What each run of words of a sentence may stand for: the beginning of the chart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from knowflow.ground.called import is_unknown, read_called
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import MEASURED_AS, reading_words, words_of
from knowflow.knowledge.words import NUMBER_WORDS, Token, clean, stem, tokens
from knowflow.question.form import expression_of
from knowflow.question.operators import (
    SURVEYED,
    Beyond,
    Expression,
    IsClass,
    Not,
    Number,
    Point,
    Polygons,
    Quantity,
    walk,
)
from knowflow.question.reading.called import of_called
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.said_times import (
    all_of,
    is_month,
    periods,
    said_all,
    said_days,
    said_days_of_year,
    said_of_data,
    said_pairs,
    said_spans,
    said_times,
)
from knowflow.question.reading.said_units import said_units
from knowflow.question.reading.vocabulary import DataWords, data_phrases, vocabulary
from knowflow.question.times import Times
from knowflow.question.types import type_of_kind

_LIKELIER = -1  # what the data call something
_MADE = 2  # what is made of data that hold a map of it
_SEVERAL = 2
_COMMON_UNITS = ("%", "1", "m", "km", "cm", "m2", "ha", "km2", "day", "year", "degree")
_WEEKLY = 10  # days
_FALLING = ("rain", "snow")
_MANY = "sa"  # how a plural ends: means, maxima
_AXES = {"longitude": "e", "latitude": "n"}
_PAUSES = (",", ";", ":", "?", "!", ".")
_IMAGES = ("radiometry", "radar", "index")  # families of kinds that tell of water, snow or plants themselves
_WEATHER = "atmosphere"  # the family of what is measured all the time
_NEXT = ("?", ";")  # where another question may follow
_OWN = "'s"
_AGAIN = ("it", "they")
_ALSO_MEASURED = (("height",), ("loss",))
_FACTS = ("BAND", "POLARISATION", "DAYNIGHT", "ORBIT")  # words for values of facts of the data
_OF_KINDS = ("RANKED", "COMPARED", "MORE", "GOING", "TURNED", "ADJECTIVE", "NAMED", "MEDIUM", "POINT_OF")
_GRADED = ("RANKED", "COMPARED", "MORE", "GOING", "TURNED", "ADJECTIVE", "NAMED")
PLACE = "place"
"""What a place that nothing names is: taken for the whole of the data, which is told."""
ITS = (("its", "it"),)
"""What marks a quantity that is not named again: it is that of the part before, with its time and its ground."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence that mean something, as written, and what they may stand for."""

    text: str
    words: tuple[Token, ...]
    entities: tuple[Entity, ...]
    length: int
    """With what is not said: the two dates at hand, which a sentence may go on with."""

    def said(self, start: int, end: int) -> str:
        """The words from ``start`` up to ``end``, as they stand in the text."""
        if start >= len(self.words):
            return ""
        return self.text[self.words[start].start : self.words[end - 1].end]


def sentence_of(text: str, data: DataWords, again: bool = False) -> Sentence:
    """A sentence with all that its words may stand for; words that mean nothing, and pauses, are left out.

    With ``again`` a question may go on about what was named before: ``it``, and a limit of nothing, are of that.
    """
    text = _spaced(clean(text))
    nothing = reading_words().nothing
    names = list(data_phrases(data))
    named = {word for name, symbol, _ in names if symbol != "HELD" for word in words_of(name)}
    every = tuple(piece for one in tokens(text) for piece in _pieces(one))
    kept = tuple(
        one
        for before, one, after in zip([None, *every], every, [*every[1:], None], strict=False)
        if (after is not None and after.text.lower() != "and" if one.text in _NEXT else one.text not in _PAUSES)
        and (one.text.lower() not in nothing or one.text.lower() in named - nothing or (again and one.text in _AGAIN))
        and not (one.text == "-" and before is not None and _joins(before, one, after))
    )
    words = [one.text.lower() for one in kept]
    found = [*_graded(_measured([*_of_words(words), *_of_vocabulary(kept)], data), data), *_of_data(words, names)]
    grounds = {(one.start, one.end) for one in found if one.symbol == "GROUND"}
    found += _of_classes(kept, names, grounds)
    found += list(of_called(kept, data, [(one.start, one.end) for one in found]))
    found += list(_of_substances(kept, found, data))
    if _are_of_periods(data):
        found = [one for one in found if not _is_each_day(one, words)]
    found = [*_known_by(list(_on_maps(words, named, found, data)), data), *_of_numbers(words), *_of_places(words)]
    found = [one for one in found if one.value != PLACE or not named.intersection(words[one.start : one.end])]
    found += list(_of_places_of_a_kind(words, found, data))
    found += list(_of_sources(kept, found, data))
    behind = (at for at, word in enumerate(words) if word == "with" and _behind_comma(kept, every, at))
    found += [Entity("namely", at, at + 1, None) for at in behind]
    found += [Entity("TIME", start, end, when) for start, end, when in said_of_data(words, data.dates)]
    found += [Entity("TIME", start, end, when) for start, end, when in said_times(words)]
    found += [Entity("TIME", start, end, when, 1) for start, end, when in said_days_of_year(words, data.dates)]
    held = periods(data.dates)
    found += [
        replace(one, symbol="EVERY_ONE")
        for one in found
        if one.symbol == "EVERY" and one.value != "date" and 1 < held["date"] == held.get(one.value)
    ]
    found += [Entity("SPAN", start, end, when) for start, end, when in said_spans(words)]
    mapped = {years for years in data.years.values() if len(years) > 1}
    if len(mapped) == 1:
        found += [Entity("ALL_OF", start, start + 2, "year") for start in all_of(words, len(mapped.pop()))]
    for start, end, grain in said_all(words, data.dates):
        found.append(Entity("ALL_EVERY" if words[end - 1].endswith(("ly", "annual")) else "ALL_OF", start, end, grain))
    found += [Entity("PAIR", start, end, pair) for start, end, pair in said_pairs(words)]
    found += [Entity("DAY", start, end, day) for start, end, day in said_days(words)]
    found += [Entity("UNIT", start, end, unit, _LIKELIER) for start, end, unit in said_units(text, kept)]
    found += list(_of_own_units(found, data))
    found = [one for one in _of_angles(found) if not (one.symbol == "MOVED" and _comes_down(words, one.start))]
    found += [Entity("own", place, place + 1, None) for place, word in enumerate(words) if word == _OWN]
    found += [Entity("next", place, place + 1, None) for place, word in enumerate(words) if word in _NEXT]
    found += [
        replace(one, value=replace(one.value, having=(*one.value.having, SURVEYED)), cost=one.cost + 1)
        for one in found
        if one.symbol == "QUANTITY" and one.value.kind in data.surveyed
    ]
    kinds = {(one.start, one.end) for one in found if one.symbol == "QUANTITY"}
    found = [
        replace(one, cost=one.cost + 1)
        if one.symbol == "QUANTITY" and any(_inside(one, whole) for whole in kinds)
        else one
        for one in found
    ]
    spans = {(one.start, one.end) for one in found if one.symbol == "STAT"}
    named_whole = [whole for whole in spans if not any(_crosses(whole, other) for other in spans)]
    found = [one for one in found if one.symbol != "STAT" or not any(_inside(one, whole) for whole in named_whole)]
    found += [
        replace(one, symbol="BEHIND") for one in found if one.symbol == "STAT" and _follows(kept, every, one.start)
    ]
    found += [Entity("until", place, place + 1, None) for place, word in enumerate(words) if word == "-"]
    found += list(_of_before(words, found)) if again else []
    if len(data.dates) == 2:
        two = tuple(Times(day, day) for day in data.dates)
        moved = [one for one in found if one.symbol == "MOVED"]
        found += [replace(one, symbol="SINCE", value=(one.value, two), cost=1) for one in moved]
        found += [replace(one, symbol="TWO", value=two) for one in found if one.symbol == "between_two"]
    return Sentence(text, kept, (*found, *_unsaid(len(words), data)), len(words) + (len(data.dates) == 2))


def _of_angles(found: Sequence[Entity]) -> Iterator[Entity]:
    """Degrees are those of the angle that is spoken of, where no temperature is, and the other way round."""
    kinds = {one.value.kind for one in found if one.symbol == "QUANTITY"}
    kinds |= {one.value if isinstance(one.value, str) else one.value[0] for one in found if one.symbol in _GRADED}
    units = {quantity_kinds()[kind].unit for kind in kinds}
    angle = "degree" in units or any(one.symbol == "slopes" for one in found)
    warm = any(compatible(unit, "K") for unit in units)
    both = [one for one in found if (one.symbol, one.value) == ("UNIT", "degree")]
    meant = "degree" if angle else "degC"
    for one in found:
        either = one.symbol == "UNIT" and any(_same_words(one, other) for other in both)
        if angle == warm or not either or one.value == meant:
            yield one


def _comes_down(words: Sequence[str], at: int) -> bool:
    """Whether a verb says that there was rain, and not that it was less."""
    return at > 0 and words[at - 1] in _FALLING and words[at] in ("fall", "fell", "fallen")


def _joins(before: Token, dash: Token, after: Token | None) -> bool:
    """Whether a dash joins words, and is no ``to`` between numbers or months."""
    months = after is not None and is_month(before.text.lower()) and is_month(after.text.lower())
    return not months and (before.text.isalpha() or before.end < dash.start)


def _spaced(text: str) -> str:
    """A text with a blank between a number and the unit that is written to it: ``600m``."""
    known = vocabulary()
    for one in reversed(tokens(text)):
        unit = one.text.lstrip("0123456789")
        if one.kind == "word" and unit and unit != one.text:
            meant = (*known.exact.get(unit, ()), *known.phrases.get((stem(unit),), ()))
            if any(symbol == "UNIT" for symbol, _ in meant):
                text = f"{text[: one.end - len(unit)]} {unit}{text[one.end :]}"
    return text


def _pieces(one: Token) -> Iterator[Token]:
    """A word as it is compared: ``area's`` is two, unless a phrase begins with it."""
    if one.kind != "word" or not one.text.endswith(_OWN) or one.text.lower() in _begin_phrases():
        yield one
        return
    cut = one.end - len(_OWN)
    yield Token(one.text[: -len(_OWN)], one.stem, one.start, cut, one.kind)
    yield Token(_OWN, _OWN, cut, one.end, one.kind)


@cache
def _begin_phrases() -> Set[str]:
    """Words with which phrases begin."""
    return {phrase[0] for phrase in reading_words().phrases}


def _of_own_units(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Units in which one quantity alone of the data is told: ``above 25 ug/m3``."""
    for one in found:
        if one.symbol == "UNIT" and one.value not in _COMMON_UNITS:
            own = [kind for kind in data.quantities if (its := type_of_kind(kind)) is not None and its.of == "number"]
            kinds = [kind for kind in own if compatible(type_of_kind(kind).measure.unit, one.value)]  # type: ignore[union-attr]
            if len(kinds) == 1:
                yield replace(one, symbol="OWN_UNIT", value=(kinds[0], one.value))


def _are_of_periods(data: DataWords) -> bool:
    """Whether data are of weeks or months, and some of them are sums or rates of these; an image is of its day."""
    days = sorted({*data.dates})
    if len(days) < _SEVERAL or min(b - a for a, b in pairwise(days)).days <= _WEEKLY:
        return False
    kinds = [quantity_kinds()[kind] for kind in data.quantities if kind in quantity_kinds()]
    return any(kind.accumulates or kind.family == _WEATHER for kind in kinds)


def _is_each_day(one: Entity, words: Sequence[str]) -> bool:
    """``per day``, ``daily``: of data of months it is no date."""
    per_day = words[one.end - 1] == "day" and words[max(one.start - 1, 0)] in ("per", "each", "every")
    return one.value == "date" and one.symbol in ("GRAIN", "EVERY") and (per_day or words[one.start] == "daily")


def _inside(one: Entity, whole: tuple[int, int]) -> bool:
    """Whether words are a part of others: each of ``max-min range`` is no statistic of its own."""
    return whole[0] <= one.start and one.end <= whole[1] and (one.start, one.end) != whole


def _crosses(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether each has words that the other has not, beside some of both: ``largest value`` and ``value range``."""
    return a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1]


def _follows(kept: Sequence[Token], every: Sequence[Token], at: int) -> bool:
    """Whether a word follows the one before it at once, without an article or a comma."""
    return at > 0 and every[every.index(kept[at]) - 1] is kept[at - 1]


def _behind_comma(kept: Sequence[Token], every: Sequence[Token], at: int) -> bool:
    """Whether a word explains what stands before its comma: ``green, with NDVI above 0.4``."""
    return at > 0 and every[every.index(kept[at]) - 1].text == ","


def _graded(found: Iterable[Entity], data: DataWords) -> Iterator[Entity]:
    """Of quantities that one word grades the usual one, which is the first, those that the data hold, and those of what
    the sentence says it of."""
    usual: dict[tuple[str, int, int], str] = {}
    every = tuple(found)
    said = {one.value for one in every if one.symbol == "MEDIUM"}
    named = {one.value.kind for one in every if one.symbol == "QUANTITY"}
    for one in every:
        if one.symbol in _GRADED:
            kind = one.value if isinstance(one.value, str) else one.value[0]
            first = usual.setdefault((one.symbol, one.start, one.end), kind)
            if kind not in (first, *data.quantities, *named) and (first in said or kind not in said):
                continue
        yield one


def _measured(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What is graded by a noun of what is measured, ``deeper`` by ``depth``: of the quantities of the data those whose
    name has it, in place of others that the word grades and that the data do not hold."""
    told: dict[tuple[str, int, int], dict[Entity, None]] = {}
    nouns = {one: noun for one in found if (noun := _graded_kind(one)).startswith(MEASURED_AS)}
    for one, noun in nouns.items():
        for kind in _kinds_of_noun(noun.removeprefix(MEASURED_AS), data):
            value = kind if isinstance(one.value, str) else (kind, *one.value[1:])
            told.setdefault((one.symbol, one.start, one.end), {})[replace(one, value=value)] = None
    for one in found:
        instead = told.get((one.symbol, one.start, one.end), {})
        if one not in nouns and one not in instead and (not instead or _graded_kind(one) in data.quantities):
            yield one
    yield from (one for some in told.values() for one in some)


def _graded_kind(one: Entity) -> str:
    """The quantity that a word grades; "" for other words."""
    if one.symbol not in _OF_KINDS:
        return ""
    return one.value if isinstance(one.value, str) else str(one.value[0])


def _kinds_of_noun(noun: str, data: DataWords) -> Iterator[str]:
    """The quantities of the data whose names have a noun."""
    said = stem(noun)
    for kind in sorted(data.quantities):
        called = read_called(kind)
        if said in map(stem, (kind.replace("_", " ") if called is None else called[0]).split()):
            yield kind


def _as_named(alike: Sequence[Entity], data: DataWords) -> Entity:
    """What one name means of what the data map: the first, and of a map's classes the one that they call so."""
    first = alike[0]
    if not isinstance(first.value, IsClass):
        return first
    said = {key_of(name) for name in first.value.names}
    known = {name for names in data.classes.values() for name in names}
    same_map = (one for one in alike if isinstance(one.value, IsClass) and one.value.x == first.value.x)
    own = [one for one in same_map if known.issuperset(one.value.names)]
    return first if not own or said.intersection(map(key_of, own[-1].value.names)) else own[-1]


def _on_maps(words: Sequence[str], named: Set[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Things on the ground that the data hold under another of their names: ``open water`` of a class ``water``, of
    unknown numbers called ``water``, or of a flood; images tell themselves where it is."""
    held = data.quantities
    made = any(quantity_kinds()[kind].family in _IMAGES for kind in held if kind in quantity_kinds())
    for one in found:
        opposite = _names_of_grounds().get(Not(one.value), ()) if one.symbol == "GROUND" else ()
        apart = [Not(each) for each in _called_one_of(frozenset(opposite), data)] if opposite else []
        if len(apart) == 1:  # burned, of a map on which some ground is unburned
            yield replace(one, value=apart[0])
        elif one.symbol in ("GROUND", "BODY") and held and not made and not _kinds(one.value) & held:
            alike = [other.value for other in found if other.symbol == one.symbol and _same_words(one, other)]
            names = frozenset[tuple[str, ...]]().union(*(_names_of_grounds().get(value, ()) for value in alike))
            instead = list(_called_one_of(names, data))
            if Quantity("water_mask") in alike and "flood_mask" in held and not instead:
                instead = [Quantity("flood_mask")]
            if len(instead) == 1:
                yield replace(one, value=instead[0])
            elif one.symbol == "BODY" and not (words[one.end - 1].endswith("s") or words[one.end - 1] in named):
                # the lake, where nothing tells of it
                yield replace(one, symbol="SCOPE", value=PLACE, cost=one.cost + 1)
            else:
                yield one
        else:
            yield one


def _called_one_of(names: Set[tuple[str, ...]], data: DataWords) -> Iterator[Expression]:
    for kind, classes in data.classes.items():
        yield from (IsClass(Quantity(kind), (name,)) for name in classes if key_of(name) in names)
    for kind in data.quantities:
        if is_unknown(kind) and kind.endswith("__1") and key_of(kind.removesuffix("__1").replace("_", " ")) in names:
            yield Beyond(Quantity(kind), "above", Number(0.0))


@cache
def _names_of_grounds() -> Mapping[Expression, Set[tuple[str, ...]]]:
    """The names of each thing on the ground."""
    names: dict[Expression, set[tuple[str, ...]]] = {}
    for phrase, readings in reading_words().phrases.items():
        for symbol, value in readings:
            if symbol in ("GROUND", "BODY"):
                names.setdefault(expression_of(value)[0], set()).add(key_of(" ".join(phrase)))  # type: ignore[arg-type]
    return names


def _known_by(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What one name means with these data.

    Of things on the ground the first of which they hold a map, else the last; how much is covered where they hold no
    quantity called so; and quantities in place of those that they do not hold.
    """
    held = data.quantities
    named = {(one.start, one.end): one.value for one in found if one.symbol == "QUANTITY"}
    for one in found:
        whole = named.get((one.start, one.end))
        if one.symbol == "GROUND":
            alike = [other for other in found if other.symbol == "GROUND" and _same_words(one, other)]
            mapped = [other for other in alike if _kinds(other.value) <= held]
            meant = _as_named(mapped, data) if mapped else alike[-1 if held else 0]
            if one == meant:
                yield one
            elif mapped and one.value != meant.value and not _kinds(one.value) <= held:
                yield replace(one, cost=one.cost + _MADE)  # where the map does not fit: it is of one date
        elif one.symbol == "SHARE_OF":
            if held and not (whole is not None and whole.kind in held) and not _held_otherwise(one, found, held):
                yield one
        elif one.symbol == "SHORT":
            if (one.start, one.end) not in named:
                yield replace(one, symbol="QUANTITY", value=Quantity(one.value), cost=_MADE)
        elif one.symbol == "HELD":
            if one.value in held and (whole is None or whole.kind not in held):
                whole_name = one.end - one.start > 1  # no part of which says something else
                yield replace(one, symbol="QUANTITY", value=Quantity(one.value), cost=one.cost - whole_name)
        elif one.symbol == "STOCK":
            stocks = (other.value for other in found if other.symbol == "STOCK" and _same_words(one, other))
            if one.value == next((kind for kind in stocks if kind in held), None):
                yield replace(one, value=Quantity(one.value))
        elif one.symbol in ("DENSITY", "SUBSTANCE"):
            if one.value in held:
                yield one
        elif one.symbol == "SENSOR":
            if not data.sensors or any(name.partition("-")[0] == one.value.partition("-")[0] for name in data.sensors):
                yield one
        elif one.symbol in _FACTS:
            value = next(
                (other for other in data.chosen if (other.fact, other.value) == (one.symbol.lower(), one.value)), None
            )
            if value is not None:
                yield replace(one, symbol="CHOSEN", value=value)
        elif one.symbol != "QUANTITY" or not _told_otherwise(one, found, held):
            yield one


def _of_places_of_a_kind(words: Sequence[str], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What a word for places is where nothing else is said of it: the polygons, where it is plural, or what the data
    call the one that there is; else the whole of the data: ``the NDVI of the district``."""
    called = {words_of(name) for name, _ in data.keys}
    for one in found:
        if (one.symbol, one.value) == ("NAMED_KEY", "objects"):
            spoken = tuple(word for word in words[one.start : one.end] if word != "-")
            behind = [other for other in found if other.symbol == "STAT" and other.start == one.end]
            if behind and words[one.end][-1] in _MANY:
                continue  # the field means
            if spoken in called and len(data.objects) >= _SEVERAL and tuple(words[one.end : one.end + 1]) == ("area",):
                yield Entity("PLACE", one.start, one.end + 1, Polygons(), 1)  # the landslide area
                continue
            polygons = spoken[-1].endswith("s") or (spoken in called and len(data.objects) < _SEVERAL)
            symbol, value, cost = ("PLACE", Polygons(), 2) if polygons else ("SCOPE", PLACE, one.cost)
            yield replace(one, symbol=symbol, value=value, cost=cost)


def _told_otherwise(one: Entity, found: Sequence[Entity], held: Set[str]) -> bool:
    """Whether the data hold no such quantity, and what its name means with them."""
    others = [other for other in found if _same_words(one, other)]
    of_data = ("HELD", "STOCK", "DENSITY")
    instead = any(other.symbol == "SHARE_OF" or (other.symbol in of_data and other.value in held) for other in others)
    return bool(held) and one.value.kind not in held and instead


def _held_otherwise(one: Entity, found: Sequence[Entity], held: Set[str]) -> bool:
    return any(other.symbol == "HELD" and other.value in held and _same_words(one, other) for other in found)


def _same_words(one: Entity, other: Entity) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def _kinds(ground: Expression) -> Set[str]:
    return {part.kind for _, part in walk(ground) if isinstance(part, Quantity)}


def _of_before(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """What may be of a quantity that was named before: ``it``, and sides of limits."""
    named = [one for one in found if one.symbol == "QUANTITY"]
    for one in [*(Entity("QUANTITY", at, at + 1, None) for at, word in enumerate(words) if word in _AGAIN), *found]:
        kinds = {before.value.kind for before in named if before.end <= one.start}
        if len(kinds) == 1 and (one.value is None if one.symbol == "QUANTITY" else one.symbol == "SIDE"):
            its = Quantity(kinds.pop(), having=ITS)
            yield replace(one, value=its) if one.value is None else replace(one, symbol="ITS", value=(its, one.value))


def _unsaid(end: int, data: DataWords) -> Iterator[Entity]:
    if len(data.dates) == 2:
        before, after = (Times(day, day) for day in data.dates)
        yield Entity("TWO", end, end + 1, (before, after), 1)
        yield Entity("unsaid", end, end + 1, None)


def _of_words(words: Sequence[str]) -> Iterator[Entity]:
    known = reading_words()
    for start in range(len(words)):
        spoken: list[str] = []
        for end in range(start + 1, len(words) + 1):
            if words[end - 1] != "-":
                spoken.append(words[end - 1])
            elif end == start + 1:
                break
            if len(spoken) > known.longest:
                break
            if words[end - 1] == "-":
                continue
            for symbol, value in known.phrases.get(tuple(spoken), ()):
                if symbol in ("GROUND", "BODY", "SHARE_OF"):
                    value = expression_of(value)[0]
                elif symbol == "QUANTITY":
                    value = Quantity(value)
                yield Entity(symbol, start, end, value, 1 if value == PLACE else 0)


def _of_vocabulary(words: Sequence[Token]) -> Iterator[Entity]:
    known = vocabulary()
    for start, first in enumerate(words):
        for symbol, value in known.exact.get(first.text, ()):
            yield Entity(symbol, start, start + 1, value)
        key: tuple[str, ...] = ()
        for end in range(start + 1, len(words) + 1):
            word = words[end - 1]
            if word.text == "-" and end > start + 1:
                continue
            key = (*key, word.stem)
            if len(key) > known.longest:
                break
            if end == start + 1 and first.text in known.exact:
                continue
            for place, (symbol, value) in enumerate(known.phrases.get(key, ())):
                yield Entity(symbol, start, end, value, place)


def _of_data(words: Sequence[str], names: Sequence[tuple[str, str, object]]) -> Iterator[Entity]:
    for name, symbol, value in names:
        spoken = list(words_of(name))
        if len(spoken) == 1 and len(name) > _SEVERAL:  # sub-basin, of one that the data write as one word
            pairs = enumerate(pairwise(words))
            yield from (Entity(symbol, at, at + 2, value, _LIKELIER) for at, two in pairs if "".join(two) == spoken[0])
        for start in range(len(words) - len(spoken) + 1):
            if spoken and list(words[start : start + len(spoken)]) == spoken:
                yield Entity(symbol, start, start + len(spoken), value, _LIKELIER)


def _of_classes(
    kept: Sequence[Token], names: Sequence[tuple[str, str, object]], grounds: Set[tuple[int, int]]
) -> Iterator[Entity]:
    """Names of classes and tools in another form than theirs: ``soybeans`` of a map of ``Soybean``, ``color``."""
    said = [one.stem for one in kept]
    for name, symbol, value in names:
        spoken = list(key_of(name)) if symbol in ("GROUND", "NEAR", "ASKED") else []
        for start in range(len(said) - len(spoken) + 1) if spoken else ():
            end = start + len(spoken)
            if said[start:end] == spoken and (start, end + 1) in grounds:
                yield Entity(symbol, start, end + 1, value, _LIKELIER)  # built-up land, of a class Built-up
            if said[start:end] == spoken and words_of(name) != tuple(one.text.lower() for one in kept[start:end]):
                yield Entity(symbol, start, end, value)


def _of_substances(kept: Sequence[Token], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What is measured of, where its name says so: ``ice`` of a thickness of ice, ``peat`` of a depth of peat. Where
    there is any of it, it is on the ground: what is flooded where the depth of the flood is above 0."""
    said = [one.stem for one in kept]
    for kind in sorted(data.quantities):
        own = type_of_kind(kind)
        if own is None or own.of != "number" or own.measure.gathered is None:
            continue
        called = [name for name, other in data.names if other == kind]
        called += [" ".join(words) for other, words in data.called if other == kind]
        names = [kind.partition("__")[0].replace("_", " "), *quantity_kinds()[kind].synonyms, *called]
        stuff = {before for key in map(key_of, names) if (before := _before_measure(key))}
        for key in stuff:
            for start in range(len(said) - len(key) + 1):
                if said[start : start + len(key)] == list(key):
                    end = start + len(key)
                    yield Entity("SUBSTANCE", start, end + (said[end : end + 1] == ["layer"]), kind)
        masks = {Quantity("_".join((*key, "mask"))) for key in stuff} if compatible(own.measure.unit, "m") else set()
        if Quantity("water_mask") in masks and is_unknown(kind):  # depths of water that no kind tells of are of a flood
            masks.add(Quantity("flood_mask"))
        there = Beyond(Quantity(kind), "above", Number(0.0, own.measure.unit))
        for one in found:
            if one.symbol == "GROUND" and one.value in masks:
                yield replace(one, value=there, cost=one.cost + 1)
                yield Entity("SUBSTANCE", one.start, one.end, kind, 1)


def _before_measure(name: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name before that of what is measured; none where nothing is."""
    places = [place for place, word in enumerate(name) if (word,) in _measures()]
    return name[: places[0]] if places else ()


@cache
def _measures() -> Set[tuple[str, ...]]:
    """The nouns of what is measured: depth, thickness, loss."""
    told = (phrase for phrase, found in reading_words().phrases.items() if any(one == "TOLD_AS" for one, _ in found))
    return {key_of(" ".join(phrase)) for phrase in (*told, *_ALSO_MEASURED)}


def _of_sources(kept: Sequence[Token], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What says of which data a question is: kinds at hand, by which sensor, and of the place that their names tell."""
    words = [one.text.lower() for one in kept]
    held = data.quantities.union(*(one.kinds for one in data.at_hand))
    for one in found:
        if one.symbol == "QUANTITY" and one.value.kind in held:
            yield replace(one, symbol="SOURCE")
    for one in _of_data(words, [(name, "AT_HAND", layer) for layer in data.at_hand for name in layer.names]):
        yield replace(one, cost=0)
    for one in _of_data(words, [(name, "SCOPE", PLACE) for name in data.places]):
        yield replace(one, cost=0)
    if data.anywhere:
        known = {place for one in found for place in range(one.start, one.end)}
        for place, token in enumerate(kept):
            if place not in known and token.text.istitle() and len(token.text) > 2:
                yield Entity("SCOPE", place, place + 1, PLACE)


def _number(word: str) -> float | None:
    if word == "zero":
        return 0.0
    try:
        return float(word.replace(",", ""))
    except ValueError:
        return float(NUMBER_WORDS[word]) if word in NUMBER_WORDS else None


def _of_numbers(words: Sequence[str]) -> Iterator[Entity]:
    for start, word in enumerate(words):
        number = _number(word)
        if number is not None and number == number and abs(number) != float("inf"):
            yield Entity("NUM", start, start + 1, number)
        ordinal = _number(word[:-2]) if word[-2:] in ("th", "st", "nd", "rd") else None
        behind = words[start + 1] if start + 1 < len(words) else ""
        if ordinal is not None and behind == "percentile":
            yield Entity("STAT", start, start + 2, _percentile(ordinal))
        if word[:1] == "p" and word[1:].isdigit():
            yield Entity("STAT", start, start + 1, _percentile(float(word[1:])))
        after = _number(behind)
        if word == "percentile" and after is not None:
            yield Entity("STAT", start, start + 2, _percentile(after))


def _percentile(p: float) -> str:
    return "median" if p == 50 else f"percentile {p:g}"


def _of_places(words: Sequence[str]) -> Iterator[Entity]:
    """Points told in degrees: ``14.55 E 46.05 N``, ``46.05° N, 14.55° E``, ``longitude 14.55, latitude 46.05``."""
    for start in range(len(words)):
        for end in range(start + 4, min(start + 6, len(words)) + 1):
            said = [_AXES.get(word, word) for word in words[start:end] if word != "°"]
            if len(said) != 4 or words[end - 1] == "°" or words[start] == "°":
                continue
            if words[start] in _AXES:
                said = [said[1], said[0], said[3], said[2]]
            values = {said[1]: _number(said[0]), said[3]: _number(said[2])}
            east = values.get("e", None if values.get("w") is None else -(values["w"] or 0))
            north = values.get("n", None if values.get("s") is None else -(values["s"] or 0))
            if east is not None and north is not None:
                yield Entity("POINT", start, end, Point(east, north))
