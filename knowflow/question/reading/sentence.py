"""A sentence with what each run of its words may stand for: the beginning of the chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from knowflow.ground.called import is_unknown
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, known, normalise, per_time
from knowflow.knowledge.words import Token
from knowflow.question.operators import SURVEYED, Quantity
from knowflow.question.reading.ages import of_ages
from knowflow.question.reading.amounts_of_rates import as_amounts
from knowflow.question.reading.beds import above_the_sea, of_beds
from knowflow.question.reading.beside_points import sides_said
from knowflow.question.reading.called import LIGHT, of_called
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.class_groups import grouped_classes
from knowflow.question.reading.class_numbers import numbered_classes
from knowflow.question.reading.cognates import cognates
from knowflow.question.reading.entities import (
    LIKELIER,
    PLACE,
    of_classes,
    of_data,
    of_numbers,
    of_places,
    of_sources,
    of_substances,
    without_chosen,
)
from knowflow.question.reading.explained import explained
from knowflow.question.reading.features import as_extremes, of_attributes, of_units, telling_rows, whole_names
from knowflow.question.reading.formulas_told import formulas_told
from knowflow.question.reading.grades import without_parts
from knowflow.question.reading.heard import AGAIN, NEXT, OWN, Heard, hear
from knowflow.question.reading.heights import how_high, lowest_of, lying, without_distances
from knowflow.question.reading.held_statistics import of_statistics
from knowflow.question.reading.how_much import HOW, asking_for_areas
from knowflow.question.reading.in_brackets import named_twice
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
    of_their_ground,
    own_units,
    places_of_a_kind,
    with_their_kind,
    without_sums,
)
from knowflow.question.reading.mapped_grounds import on_maps
from knowflow.question.reading.named_seasons import seasons_named
from knowflow.question.reading.observed import observed
from knowflow.question.reading.pairs_of_dates import pairs_said
from knowflow.question.reading.products import products_said, with_products
from knowflow.question.reading.said_units import parts_of_one, said_units, without_shorter
from knowflow.question.reading.signs import signs_told, without_named_downwards
from knowflow.question.reading.tiles import tiles_said
from knowflow.question.reading.times_in_sentences import (
    are_of_periods,
    around_events,
    is_each_day,
    is_no_dekad,
    is_of_season,
    is_one_season,
    times_of,
)
from knowflow.question.reading.told_of_features import all_so_many
from knowflow.question.reading.usual import is_of_normals
from knowflow.question.reading.vocabulary import DataWords

_FALLING = ("rain", "snow")
_ENDED = frozenset(",.?!;)")
_WHOLE = (["whole"], ["entire"], ["all"], ["full"])
_DAYS = "days"  # with which a short note asks how many: days above 30 degC
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
    heard = hear(text, data, again)
    found = _named(heard, data)
    found = _with_times_and_units(heard, found, data)
    found = _with_the_whole(heard, found, data)
    found += list(_of_before(heard.words, found)) if again else []
    found = _around_others(heard, found, data)
    if (two := data.two) is not None:
        moved = [one for one in found if one.symbol == "MOVED"]
        found += [replace(one, symbol="SINCE", value=(one.value, two), cost=1) for one in moved]
        found += [replace(one, symbol="TWO", value=two) for one in found if one.symbol == "between_two"]
    length = len(heard.words)
    return Sentence(heard.text, heard.kept, (*found, *_unsaid(length, data)), length + (data.two is not None))


def _named(heard: Heard, data: DataWords) -> list[Entity]:
    """What words may name: what the vocabulary and the data know, numbers and places."""
    words, kept, said, names, whole = heard.words, heard.kept, heard.said, heard.names, heard.whole
    found = [
        *graded(of_beds(list(measured(said, data)), data), data),
        *of_data(words, names),
        *of_attributes(said, data.features, data.quantities),
    ]
    grounds: dict[tuple[int, int], set[object]] = {}
    for one in found:
        if one.symbol == "GROUND":
            grounds.setdefault((one.start, one.end), set()).add(one.value)
    found += list(as_extremes([*found, *said]))
    found = list(by_own_numbers(whole_names(found, data.features), data))
    found += [*of_spots(found, data), *telling_rows(found, data.features)]
    found += of_classes(kept, names, grounds)
    taken = [(one.start, one.end) for one in found if one.symbol not in LIGHT and not _is_not_held(one, data)]
    found += list(of_called(kept, data, taken))
    known = {at for one in found for at in range(one.start, one.end)}
    found += of_data(words, list(cognates(words, names, {*range(len(words))} - known)))
    found += list(of_substances(kept, found, data))
    found = [one for one in found if not is_no_dekad(one, words, data) and not is_of_normals(one, words, data)]
    if are_of_periods(data):
        found = [one for one in found if not is_each_day(one, words, data)]
    if is_one_season(found, data):
        found = [replace(one, symbol="ALL_TIME") if is_of_season(one) else one for one in found]
    found = list(called_like(words, found, data))
    found = [*known_by(list(on_maps(words, whole, found, data)), data), *of_numbers(words), *of_places(words)]
    found += of_ages(words, data)
    found = [one for one in found if one.value != PLACE or tuple(words[one.start : one.end]) not in whole]
    found += [*places_of_a_kind(words, found, data), *with_their_kind(found, data)]
    found = list(without_sums(words, list(of_their_ground(found))))
    found = list(called_by_outlines(words, found, data))
    found += [*of_sources(kept, found, data), *products_said(kept, words, found, said, data)]
    found = [*with_products(without_named_downwards([*without_parts(found, words)])), *observed(found, data)]
    found = list(as_amounts(found, data))
    return [*found, *named_twice(words, found), *sides_said(words, found, data)]


def _with_times_and_units(heard: Heard, found: list[Entity], data: DataWords) -> list[Entity]:
    """With the times, the units and the marks that stand between what is named."""
    text, words, kept, every = heard.text, heard.words, heard.kept, heard.every
    behind = (at for at, word in enumerate(words) if word == "with" and _behind_comma(kept, every, at))
    found += [Entity("namely", at, at + 1, None) for at in behind]
    times = [*times_of(words, found, data), *seasons_named(kept, words, data.seasons)]
    found += [*times, *pairs_said(words, times), *tiles_said(text, kept, words, data)]
    kinds = {one.value.kind for one in found if one.symbol == "QUANTITY"}
    units = list(said_units(text, kept, kinds))
    found = without_shorter([(start, end) for start, end, unit in units if per_time(unit)], found)
    found += [Entity("UNIT", start, end, unit, LIKELIER) for start, end, unit in units]
    found += [Entity("IU", start, end, "1") for start, end in parts_of_one(text, kept)]
    found += list(_units_of_data(kept, found, data))
    found = [replace(one, symbol="IU") if _is_of_answer(one, kept, every) else one for one in found]
    found += [*own_units(found, data), *of_units(found, data.features)]
    found = [one for one in of_angles(found) if not (one.symbol == "MOVED" and _comes_down(words, one.start))]
    for symbol, marks in (("own", (OWN, "own")), ("next", NEXT), ("until", ("-",))):
        found += [Entity(symbol, place, place + 1, None) for place, word in enumerate(words) if word in marks]
    return found


def _with_the_whole(heard: Heard, found: list[Entity], data: DataWords) -> list[Entity]:
    """With what is said of all that is named, told by itself, or one of several that are at hand."""
    words, kept, every = heard.words, heard.kept, heard.every
    found += list(all_so_many(found, data))
    found += list(formulas_told(words, [*found, *heard.said]))
    found += list(explained(words, found))
    found += [*numbered_classes(words, found, data), *grouped_classes(words, found, data)]
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
    known = {at for one in found for at in range(one.start, one.end)}
    common = (at for at, one in enumerate(kept) if at not in known and one.text.isalpha() and one.text.islower())
    unknown = (Entity("SCOPE", at, at + 1, "place") for at in common)  # no name of a place that nobody knows
    found += [replace(one, symbol="the_whole", value=None) for one in unknown if _is_the_whole(one, kept, every)]
    return found


def _around_others(heard: Heard, found: list[Entity], data: DataWords) -> list[Entity]:
    """With what words mean by those around them: events, what lies or is chosen, signs, heights."""
    words, kept, every = heard.words, heard.kept, heard.every
    if every and every[0].text.lower() == _DAYS and words[:1] == [_DAYS]:
        found.append(Entity("days_alone", 0, 1, None))
    found += list(_of_events(words, found, kept, every))
    found += list(around_events(words, found, data))
    found = [replace(one, value=HOW) if one.symbol == "what" and words[one.start] == HOW else one for one in found]
    told = {(one.start, one.end) for one in found if one.symbol in ("TOLD", "ATTRIBUTE")}
    found = [one for one in found if one.symbol != "values" or (one.start, one.end) not in told]
    found = lying(words, list(without_distances(words, found)))
    found += list(of_the_one(words, found, data))
    found += list(signs_told(words, found))
    found += list(above_the_sea(found, data))
    found = list(asking_for_areas(words, without_chosen(words, found)))
    return [*found, *how_high(words, found, data), *lowest_of(words, found)]


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
        if one.symbol == "LOWERED" and of:
            yield replace(one, symbol="SURVEY_MOVED", value=(Quantity(of[0], having=(SURVEYED,)), one.value))
        if one.symbol == "LOWERING" and of:
            yield replace(one, symbol="SURVEY_RISE", value=(Quantity(of[0], having=(SURVEYED,)), one.value))
        if one.symbol in ("POINT_OF", "RANKED") and one.value[0] in data.surveyed:
            x = Quantity(one.value[0], having=(SURVEYED,))
            yield replace(one, symbol=f"SURVEYED_{one.symbol}", value=(x, one.value[1]), cost=one.cost + 1)
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
    dated = any(one.symbol == "TIME" for one in found)
    for one in found:
        if (
            one.symbol == "event"
            and one.start in starts
            and one.end < len(kept)
            and _behind_comma(kept, every, one.end)
        ):
            yield replace(one, symbol="in_event", start=starts[one.start])
        if dated and one.symbol == "event" and words[max(one.start - 1, 0)] in ("pre", "post"):
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


def _comes_down(words: Sequence[str], at: int) -> bool:
    """Whether a verb says that there was rain, and not that it was less."""
    return at > 0 and words[at - 1] in _FALLING and words[at] in ("fall", "fell", "fallen")


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
    """Whether words behind a comma or a bracket only say that all of the ground is meant: ``..., whole area``,
    ``..., the entire farm``."""
    first, last = every.index(kept[one.start]), every.index(kept[one.end - 1])
    said = [token.text.lower() for token in every[max(first - 3, 0) : first] if token.text.lower() != "the"][-2:]
    ends = every[last + 1].text in _ENDED if last + 1 < len(every) else True
    of_all = one.symbol == "SCOPE" and one.value in ("area", "place") and ends
    return of_all and said[:1] in ([","], ["("]) and said[1:] in _WHOLE


def _is_of_answer(one: Entity, kept: Sequence[Token], every: Sequence[Token]) -> bool:
    """Whether a unit behind a number and a comma is that of the answer: ``coherence below 0.4, %``."""
    behind_number = one.symbol == "UNIT" and one.start > 0 and kept[one.start - 1].text.replace(".", "").isdigit()
    return behind_number and _behind_comma(kept, every, one.start)


def _of_before(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """What may be of a quantity that was named before: ``it``, and sides of limits."""
    named = [one for one in found if one.symbol == "QUANTITY"]
    for one in [*(Entity("QUANTITY", at, at + 1, None) for at, word in enumerate(words) if word in AGAIN), *found]:
        kinds = {before.value.kind for before in named if before.end <= one.start}
        if len(kinds) == 1 and (one.value is None if one.symbol == "QUANTITY" else one.symbol == "SIDE"):
            its = Quantity(kinds.pop(), having=ITS)
            yield replace(one, value=its) if one.value is None else replace(one, symbol="ITS", value=(its, one.value))


def _unsaid(end: int, data: DataWords) -> Iterator[Entity]:
    if data.two is not None:
        yield Entity("TWO", end, end + 1, data.two, 1)
        yield Entity("unsaid", end, end + 1, None)
