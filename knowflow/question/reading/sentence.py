"""A sentence with what each run of its words may stand for: the beginning of the chart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache

from knowflow.ground.called import is_unknown
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, known, normalise
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import Token, clean, stem, tokens
from knowflow.question.operators import SURVEYED, Quantity
from knowflow.question.reading.called import LIGHT, of_called
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import (
    LIKELIER,
    PLACE,
    of_classes,
    of_data,
    of_numbers,
    of_places,
    of_sources,
    of_statistics,
    of_substances,
    of_vocabulary,
    of_words,
    without_chosen,
)
from knowflow.question.reading.explained import explained
from knowflow.question.reading.features import as_extremes, of_attributes, of_units, whole_names
from knowflow.question.reading.formulas_told import formulas_told
from knowflow.question.reading.heights import how_high, lying
from knowflow.question.reading.known import (
    by_own_numbers,
    called_by_outlines,
    called_like,
    graded,
    known_by,
    measured,
    of_angles,
    of_spots,
    of_the_one,
    on_maps,
    own_units,
    places_of_a_kind,
    with_their_kind,
)
from knowflow.question.reading.noted import as_noted
from knowflow.question.reading.observed import observed
from knowflow.question.reading.said_positions import with_positions
from knowflow.question.reading.said_times import is_month
from knowflow.question.reading.said_units import said_units
from knowflow.question.reading.signs import signs_told
from knowflow.question.reading.spelt import as_spelt, within_names
from knowflow.question.reading.times_in_sentences import (
    are_of_periods,
    around_events,
    is_each_day,
    is_of_season,
    is_one_season,
    times_of,
)
from knowflow.question.reading.told_of_features import all_so_many
from knowflow.question.reading.vocabulary import DataWords, data_phrases, vocabulary

_DOTTED = re.compile(r"(?<![\d.])([0-3]?\d\.)(\d\.(?:19|20)\d\d)(?!\d)")  # 15.6.2021
_OF_WATER = re.compile(r"\b(m|cm|mm)(?: w\.? ?e\b\.?|(?<=\(m) a\.? ?s\.? ?l\.?(?=\)))")  # so much water, or height
_FALLING = ("rain", "snow")
_PAUSES = (",", ";", ":", "?", "!", ".")
_ENDS = (":", "?", "!", ".", "(")
_LETTER = "A"
"""What is no article within a sentence: scenario A."""
_NEXT = ("?", ";")  # where another question may follow
_OWN = "'s"
_WHOLE = (["whole"], ["entire"], ["all"], ["full"])
_DAYS = "days"  # with which a short note asks how many: days above 30 degC
_ARROWS = ("->", "\u2192")
_ASKING = ("me", "us")
_AGAIN = ("it", "they")
_APART = ("variant", "daynight", "orbit", "polarisation")  # facts that tell layers of one kind apart
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
    text = clean(text).replace("i.e.", "namely")
    for arrow in _ARROWS:
        text = text.replace(arrow, " to ")
    text = _spaced(text)
    names = list(data_phrases(data))
    named = {word for name, symbol, _ in names if symbol != "HELD" for word in words_of(name)}
    whole = {words_of(name) for name, symbol, _ in names if symbol != "HELD"}
    every = tuple(piece for one in tokens(text) for piece in _pieces(one))
    own = {word for layer in data.features for name in layer.called for word in words_of(name)}
    kept = _that_mean_something(every, named, own, whole, again)
    words = as_spelt([one.text.lower() for one in kept], named)
    said = [*as_noted(words, of_words(words), data), *of_vocabulary(kept)]
    found = [
        *graded(measured(said, data), data),
        *of_data(words, names),
        *of_attributes(said, data.features, data.quantities),
    ]
    grounds = {(one.start, one.end) for one in found if one.symbol == "GROUND"}
    found += list(as_extremes([*found, *said]))
    found = list(by_own_numbers(whole_names(found), data))
    found += list(of_spots(found, data))
    found += of_classes(kept, names, grounds)
    taken = [(one.start, one.end) for one in found if one.symbol not in LIGHT and not _is_not_held(one, data)]
    found += list(of_called(kept, data, taken))
    found += list(of_substances(kept, found, data))
    if are_of_periods(data):
        found = [one for one in found if not is_each_day(one, words)]
    if is_one_season(found, data):
        found = [replace(one, symbol="ALL_TIME") if is_of_season(one) else one for one in found]
    found = list(called_like(words, found, data))
    found = [*known_by(list(on_maps(words, whole, found, data)), data), *of_numbers(words), *of_places(words)]
    found = [one for one in found if one.value != PLACE or tuple(words[one.start : one.end]) not in whole]
    found += [*places_of_a_kind(words, found, data), *with_their_kind(found, data)]
    found = list(called_by_outlines(words, found, data))
    found += list(of_sources(kept, found, data))
    found += list(observed(found, data))
    behind = (at for at, word in enumerate(words) if word == "with" and _behind_comma(kept, every, at))
    found += [Entity("namely", at, at + 1, None) for at in behind]
    found += list(times_of(words, found, data))
    found += [Entity("UNIT", start, end, unit, LIKELIER) for start, end, unit in said_units(text, kept)]
    found += list(_units_of_data(kept, found, data))
    found = [replace(one, symbol="IU") if _is_of_answer(one, kept, every) else one for one in found]
    found += [*own_units(found, data), *of_units(found, data.features)]
    found = [one for one in of_angles(found) if not (one.symbol == "MOVED" and _comes_down(words, one.start))]
    for symbol, marks in (("own", (_OWN, "own")), ("next", _NEXT), ("until", ("-",))):
        found += [Entity(symbol, place, place + 1, None) for place, word in enumerate(words) if word in marks]
    found += list(all_so_many(found, data))
    found += list(formulas_told(words, [*found, *said]))
    found += list(explained(words, found))
    found += list(_of_surveys(found, data))
    variants = [one for one in found if one.symbol == "CHOSEN" and one.value.fact in _APART]
    found = [one for one in found if not _names_variant(one, variants) and not _is_of_variant(one, variants)]
    if not any(one.symbol == "display" for one in found):
        found = [replace(one, symbol="SCOPE", value="area") if _is_the_map(one, kept, every) else one for one in found]
    found = _whole_names([*found, *of_statistics(found, data)])
    found += [
        replace(one, symbol="BEHIND") for one in found if one.symbol == "STAT" and _follows(kept, every, one.start)
    ]
    found += [replace(one, symbol="the_whole", value=None) for one in found if _is_the_whole(one, kept, every)]
    found += list(_of_before(words, found)) if again else []
    if every and every[0].text.lower() == _DAYS and words[:1] == [_DAYS]:
        found.append(Entity("days_alone", 0, 1, None))
    found += list(_of_events(words, found, kept, every))
    found += list(around_events(words, found, data))
    told = {(one.start, one.end) for one in found if one.symbol in ("TOLD", "ATTRIBUTE")}
    found = [one for one in found if one.symbol != "values" or (one.start, one.end) not in told]
    found = lying(words, found)
    found += list(of_the_one(words, found, data))
    found += list(signs_told(words, found))
    found = list(without_chosen(words, found))
    found += list(how_high(words, found, data))
    if (two := data.two) is not None:
        moved = [one for one in found if one.symbol == "MOVED"]
        found += [replace(one, symbol="SINCE", value=(one.value, two), cost=1) for one in moved]
        found += [replace(one, symbol="TWO", value=two) for one in found if one.symbol == "between_two"]
    return Sentence(text, kept, (*found, *_unsaid(len(words), data)), len(words) + (data.two is not None))


def _that_mean_something(
    every: Sequence[Token], named: Set[str], own: Set[str], whole: Set[tuple[str, ...]], again: bool
) -> tuple[Token, ...]:
    """The words of a sentence without those that mean nothing, and pauses; ``own`` is what the data call features, and
    ``whole`` are all names, of which they may be a word: the province of Can Tho."""
    nothing, mixed = reading_words().nothing, any(one.text.islower() for one in every)
    of_names = within_names(every, whole)
    return tuple(
        one
        for before, one, after in zip([None, *every], every, [*every[1:], None], strict=False)
        if (after is not None and after.text.lower() != "and" if one.text in _NEXT else one.text not in _PAUSES)
        and (
            one.text.lower() not in nothing
            or one.text.lower() in named - nothing
            or one.text.lower() in own
            or one.start in of_names
            or (again and one.text in _AGAIN)
            or (before is not None and before.text == "/")  # m/s
            or (one.text.lower() == "own" and (after is None or after.text in _ENDS))  # which they own
            or (one.text == _LETTER and mixed and before is not None and before.text not in _ENDS)
        )
        and not (one.text == "-" and before is not None and _joins(before, one, after))
        and not (one.text.lower() == "as" and _as_a_whole(every, one))
        and not (one.text.lower() == "for" and after is not None and after.text.lower() in _ASKING)
    )


def _is_not_held(one: Entity, data: DataWords) -> bool:
    """Whether a word would name a quantity that the data do not hold: mud, of classes of the sea floor."""
    return one.symbol == "HELD" and one.value not in data.quantities


def _of_surveys(found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Heights of which there are maps of several surveys, by their names or as the surface that they are of."""
    of = [kind for kind in data.surveyed if kind == "elevation" and "ice_thickness" not in data.quantities]
    for one in found:
        if one.symbol in ("EARTH", "DUG") and of:
            x = Quantity(of[0], having=(SURVEYED,))
            yield Entity(f"{one.symbol}_OF", one.start, one.end, x if one.symbol == "EARTH" else (x, one.value))
        if one.symbol in ("QUANTITY", "SURFACE"):
            x = one.value if one.symbol == "QUANTITY" else Quantity(one.value)
            if x.kind in data.surveyed:
                x = replace(x, having=(*x.having, SURVEYED))
                yield replace(one, symbol="QUANTITY", value=x, cost=one.cost + 1)


def _whole_names(found: Sequence[Entity]) -> list[Entity]:
    """Names within longer ones are less likely, and statistics within longer ones none."""
    kinds = {(one.start, one.end) for one in found if one.symbol == "QUANTITY"}
    spans = {(one.start, one.end) for one in found if one.symbol == "STAT"}
    by_data = {(one.start, one.end) for one in found if one.symbol == "QUANTITY" and is_unknown(one.value.kind)}
    named_whole = [whole for whole in spans if not any(_crosses(whole, other) for other in spans)]
    inner = [one.symbol == "QUANTITY" and any(_inside(one, whole) for whole in kinds) for one in found]
    return [
        replace(one, cost=one.cost + within)
        for one, within in zip(found, inner, strict=True)
        if not (one.symbol == "STAT" and any(_inside(one, whole) for whole in named_whole))
        and not (one.symbol == "GROUND" and any(_inside(one, whole) for whole in by_data))  # ice, of an ice crust
    ]


def _names_variant(one: Entity, variants: Sequence[Entity]) -> bool:
    """Whether words name a quantity by a word that tells one of its layers apart, which they would leave out."""
    of_kind = one.symbol in ("QUANTITY", "SOURCE", "AT_HAND", "HELD")
    return of_kind and any(one.start <= other.start and other.end <= one.end for other in variants)


def _is_of_variant(one: Entity, variants: Sequence[Entity]) -> bool:
    """Whether a word is a part of those that tell layers apart: ``by day``, which is not of each date."""
    return one.symbol == "GRAIN" and any(_inside(one, (other.start, other.end)) for other in variants)


def _of_events(
    words: Sequence[str], found: Sequence[Entity], kept: Sequence[Token], every: Sequence[Token]
) -> Iterator[Entity]:
    """``before the fire, on 4 June``, ``the post-fire image``: what a day that is told is to an event."""
    starts = {one.end: one.start for one in found if one.symbol in ("before", "after")}
    for one in found:
        if (
            one.symbol == "event"
            and one.start in starts
            and one.end < len(kept)
            and _behind_comma(kept, every, one.end)
        ):
            yield replace(one, symbol="in_event", start=starts[one.start])
        if one.symbol == "event" and words[max(one.start - 1, 0)] in ("pre", "post"):
            yield from (
                replace(image, start=one.start - 1)
                for image in found
                if image.symbol == "images" and image.start == one.end
            )


def _is_the_map(one: Entity, kept: Sequence[Token], every: Sequence[Token]) -> bool:
    """``anywhere on the map``: what is mapped, where no map is asked for."""
    at = every.index(kept[one.start]) if (one.symbol, one.value) == ("SHOWN", "map") else 0
    before = [word.text.lower() for word in every[max(at - 3, 0) : at]]
    return (
        (before[-1:] == ["the"] and before[-2:-1] != ["of"])
        or before[-2:] == ["the", "whole"]
        or before == ["rest", "of", "the"]
    )


def _units_of_data(words: Sequence[Token], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """Words that mean nothing else and are units of what the data hold: ``in pascal``."""
    spoken = {place for one in found for place in range(one.start, one.end)}
    own = {quantity_kinds()[kind].unit for kind in data.quantities if kind in quantity_kinds()}
    for place, word in enumerate(words):
        unread = place not in spoken and word.kind == "word" and known(word.text)
        if unread and any(compatible(word.text, unit) for unit in own):
            yield Entity("UNIT", place, place + 1, normalise(word.text))


def _as_a_whole(every: Sequence[Token], one: Token) -> bool:
    """``the region as a whole``: which it is anyway."""
    at = every.index(one)
    behind = [word.text.lower() for word in every[at + 1 : at + 3]]
    return behind in (["a", "whole"], ["whole"]) or behind[:1] == ["whole"]


def _comes_down(words: Sequence[str], at: int) -> bool:
    """Whether a verb says that there was rain, and not that it was less."""
    return at > 0 and words[at - 1] in _FALLING and words[at] in ("fall", "fell", "fallen")


def _joins(before: Token, dash: Token, after: Token | None) -> bool:
    """Whether a dash joins words, and is no ``to`` between numbers or months."""
    months = after is not None and is_month(before.text.lower()) and is_month(after.text.lower())
    return not months and (before.text.isalpha() or before.end < dash.start)


def _spaced(text: str) -> str:
    """A text with a blank between a number and the unit that is written to it: ``600m``."""
    known, text = vocabulary(), _DOTTED.sub(r"\g<1>0\2", with_positions(_OF_WATER.sub(r"\1", text)))
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


def _is_the_whole(one: Entity, kept: Sequence[Token], every: Sequence[Token]) -> bool:
    """Whether words behind a comma or a bracket only say that all of the ground is meant: ``..., whole area``."""
    first = every.index(kept[one.start])
    said = [token.text.lower() for token in every[max(first - 2, 0) : first]]
    return (one.symbol, one.value) == ("SCOPE", "area") and said[:1] in ([","], ["("]) and said[1:] in _WHOLE


def _is_of_answer(one: Entity, kept: Sequence[Token], every: Sequence[Token]) -> bool:
    """Whether a unit behind a number and a comma is that of the answer: ``coherence below 0.4, %``."""
    behind_number = one.symbol == "UNIT" and one.start > 0 and kept[one.start - 1].text.replace(".", "").isdigit()
    return behind_number and _behind_comma(kept, every, one.start)


def _of_before(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """What may be of a quantity that was named before: ``it``, and sides of limits."""
    named = [one for one in found if one.symbol == "QUANTITY"]
    for one in [*(Entity("QUANTITY", at, at + 1, None) for at, word in enumerate(words) if word in _AGAIN), *found]:
        kinds = {before.value.kind for before in named if before.end <= one.start}
        if len(kinds) == 1 and (one.value is None if one.symbol == "QUANTITY" else one.symbol == "SIDE"):
            its = Quantity(kinds.pop(), having=ITS)
            yield replace(one, value=its) if one.value is None else replace(one, symbol="ITS", value=(its, one.value))


def _unsaid(end: int, data: DataWords) -> Iterator[Entity]:
    if data.two is not None:
        yield Entity("TWO", end, end + 1, data.two, 1)
        yield Entity("unsaid", end, end + 1, None)
