"""What runs of words may stand for, by themselves and by the names that data bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cache

from knowflow.ground.called import is_unknown
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import NUMBER_WORDS, Token
from knowflow.question.form import expression_of
from knowflow.question.operators import (
    Beyond,
    Expression,
    Number,
    Point,
    Quantity,
    with_children,
)
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.vocabulary import DataWords, vocabulary
from knowflow.question.types import type_of_kind

LIKELIER = -1  # what the data call something
SEVERAL = 2
_ALSO_MEASURED = (("height",), ("loss",))
PLACE = "place"
"""What a place that nothing names is: taken for the whole of the data, which is told."""


_HELD_INSTEAD = {"elevation": "topobathymetry"}
"""Quantities that another one tells as well: how high the ground is, a map of land and sea floor."""


def as_held(x: Expression, held: Set[str]) -> Expression:
    """An expression with what the data hold in place of what they do not, where it tells the same."""
    if isinstance(x, Quantity):
        other = _HELD_INSTEAD.get(x.kind, "")
        return replace(x, kind=other) if other in held and x.kind not in held else x
    return with_children(x, lambda part: as_held(part, held))


def same_words(one: Entity, other: Entity) -> bool:
    return (one.start, one.end) == (other.start, other.end)


def of_words(words: Sequence[str]) -> Iterator[Entity]:
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
                yield Entity(symbol, start, end, value, 1 if value == PLACE or symbol == "SUBSTANCE" else 0)


def of_vocabulary(words: Sequence[Token]) -> Iterator[Entity]:
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


def of_data(words: Sequence[str], names: Sequence[tuple[str, str, object]]) -> Iterator[Entity]:
    places: dict[str, list[int]] = {}
    joined: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(word, []).append(at)
        joined.setdefault("".join(words[at : at + 2]), []).append(at)
    for name, symbol, value in names:
        spoken = [word for word in words_of(name) if word != "."]  # Abt. 105
        if len(spoken) == 1 and len(name) > SEVERAL:  # sub-basin, of one that the data write as one word
            pairs = (at for at in joined.get(spoken[0], ()) if at + 1 < len(words))
            yield from (Entity(symbol, at, at + 2, value, LIKELIER) for at in pairs)
        for start in places.get(spoken[0], ()) if spoken else ():
            end = _end_of(spoken, words, start)
            if end:
                yield Entity(symbol, start, end, value, LIKELIER)


def _end_of(spoken: Sequence[str], words: Sequence[str], start: int) -> int:
    """Where a name ends that begins at a word, hyphens or not; 0 where it is not said there."""
    at = start
    for word in spoken:
        at += at > start and words[at : at + 1] == ["-"]
        if words[at : at + 1] != [word]:
            return 0
        at += 1
    return at


def of_classes(
    kept: Sequence[Token], names: Sequence[tuple[str, str, object]], grounds: Mapping[tuple[int, int], Set[object]]
) -> Iterator[Entity]:
    """Names of classes and tools in another form than theirs: ``soybeans`` of a map of ``Soybean``, ``color``."""
    said = [one.stem for one in kept]
    for name, symbol, value in names:
        spoken = list(key_of(name)) if symbol in ("GROUND", "NEAR", "ASKED") else []
        for start in range(len(said) - len(spoken) + 1) if spoken else ():
            end = start + len(spoken)
            same = grounds.get((start, end), grounds.get((start, end + 1), set()))  # no cloud is a cloud shadow
            if said[start:end] == spoken and same & grounds.get((start, end + 1), set()):
                yield Entity(symbol, start, end + 1, value, LIKELIER)  # built-up land, of a class Built-up
            if said[start:end] == spoken and words_of(name) != tuple(one.text.lower() for one in kept[start:end]):
                yield Entity(symbol, start, end, value)


def of_substances(kept: Sequence[Token], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
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
        stuff = {key for key in stuff if reading_words().operators.isdisjoint(key)}  # max water depth
        for key in stuff:
            for start in range(len(said) - len(key) + 1):
                if said[start : start + len(key)] == list(key):
                    end = start + len(key)
                    yield Entity("SUBSTANCE", start, end + (said[end : end + 1] == ["layer"]), kind)
        masks = {Quantity("_".join((*key, "mask"))) for key in stuff} if compatible(own.measure.unit, "m") else set()
        water, flood = Quantity("water_mask"), Quantity("flood_mask")
        cases = any(one.fact == "variant" and kind in one.kinds for one in data.chosen)  # HQ100, scenario A
        if flood in masks or (water in masks and (cases or is_unknown(kind))):  # depths that are those of a flood
            masks |= {water, flood}
        there = Beyond(Quantity(kind), "above", Number(0.0, own.measure.unit))
        for one in found:
            if one.symbol == "GROUND" and one.value in masks:
                mapped = 3 if masks & {Quantity(held) for held in data.quantities} else 1
                yield replace(one, value=there, cost=one.cost + mapped)
                extent = any(other.symbol == "SCOPE" and one.start < other.start < one.end for other in found)
                if not extent and (one.value != flood or not cases):  # a flooded area is no depth
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


def of_sources(kept: Sequence[Token], found: Sequence[Entity], data: DataWords) -> Iterator[Entity]:
    """What says of which data a question is: kinds at hand, by which sensor, and of the place that their names tell."""
    words = [one.text.lower() for one in kept]
    held = data.quantities.union(*(one.kinds for one in data.at_hand))
    for one in found:
        if one.symbol == "QUANTITY" and one.value.kind in held:
            yield replace(one, symbol="SOURCE")
    for one in of_data(words, [(name, "AT_HAND", layer) for layer in data.at_hand for name in layer.names]):
        yield replace(one, cost=0)
    for one in of_data(words, [(name, "SCOPE", PLACE) for name in data.places]):
        yield replace(one, cost=0)
    if data.anywhere:
        known = {place for one in found for place in range(one.start, one.end)}
        for place, token in enumerate(kept):
            if place not in known and token.text.istitle() and len(token.text) > 2:
                yield Entity("SCOPE", place, place + 1, PLACE)


def number_of(word: str) -> float | None:
    if word == "zero":
        return 0.0
    try:
        return float(word.replace(",", ""))
    except ValueError:
        return float(NUMBER_WORDS[word]) if word in NUMBER_WORDS else None


def of_numbers(words: Sequence[str]) -> Iterator[Entity]:
    for start, word in enumerate(words):
        number = number_of(word)
        if number is not None and number == number and abs(number) != float("inf"):
            yield Entity("NUM", start, start + 1, number)
        ordinal = number_of(word[:-2]) if word[-2:] in ("th", "st", "nd", "rd") else None
        behind = words[start + 1] if start + 1 < len(words) else ""
        if ordinal is not None and behind == "percentile":
            yield Entity("STAT", start, start + 2, _percentile(ordinal))
        if word[:1] == "p" and word[1:].isdigit():
            yield Entity("STAT", start, start + 1, _percentile(float(word[1:])))
        after = number_of(behind)
        if word == "percentile" and after is not None:
            yield Entity("STAT", start, start + 2, _percentile(after))


def _percentile(p: float) -> str:
    return "median" if p == 50 else f"percentile {p:g}"


def of_places(words: Sequence[str]) -> Iterator[Entity]:
    """Points told in degrees: ``longitude 14.55 latitude 46.05``, as which they are written wherever they are said."""
    for start in range(len(words) - 3):
        axis, east, other, north = words[start : start + 4]
        if (axis, other) == ("longitude", "latitude") and (x := number_of(east)) is not None:
            y = number_of(north)
            yield from () if y is None else (Entity("POINT", start, start + 4, Point(x, y)),)


_CHOOSING = (("with",), ("that", "has"), ("that", "had"), ("which", "has"), ("which", "had"), ("that", "have"))
_RANKING = ("STAT", "RANKED", "SIZED", "most")


def without_chosen(words: Sequence[str], found: Sequence[Entity]) -> Iterator[Entity]:
    """What words stand for, where a noun that what is behind it chooses is not all of the data: ``the area with the
    highest catch``."""
    superlative = {
        one.start
        for one in found
        if one.symbol in _RANKING and (words[one.start].endswith("est") or words[one.start] in ("most", "least"))
    }
    for one in found:
        behind = (one.end + len(said) for said in _CHOOSING if tuple(words[one.end : one.end + len(said)]) == said)
        if one.symbol != "SCOPE" or superlative.isdisjoint(behind):
            yield one
