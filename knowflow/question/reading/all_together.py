"""What is told of features one by one where all together are meant, of all together where each is, and shown on a map
where a point is: ``the length of the whole road``, ``mean NDVI of the four parks``, ``NO2 at the school, 2023 map``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from knowflow.question.operators import Expression, Over, Polygons, Show, Split, Within, walk, with_children
from knowflow.question.reading.chart import Entity, Made
from knowflow.question.reading.entities import number_of
from knowflow.question.reading.nouns import level_of
from knowflow.question.reading.order import Thing, typed
from knowflow.question.reading.questions import answer
from knowflow.question.reading.sentence import Sentence
from knowflow.question.reading.vocabulary import DataWords

_WHOLE = re.compile(r"\b(?:whole|entire)\s+\Z", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:together|combined|overall|altogether|joint(?:ly)?|as a whole)\b", re.IGNORECASE)
_OF_FEATURES = frozenset({"NAMED_KEY", "OBJ", "OBJECTS", "KEY"})


_ONE_BY_ONE = frozenset({"each", "every", "per", "which", "rank", "list", "table"})


def of_the_whole(made: Made, sentence: Sentence) -> Made:
    """What is asked of features that are called a whole, of all of them together: of a road that has sections."""
    own = typed(made.value.expression)
    listed = own is not None and own.of == "number" and own.keys == ("objects",) and "objects" in own.measure.adds
    said = [one for one in made.entities if one.symbol in _OF_FEATURES]
    whole = any(_is_whole(one.start, sentence) for one in said) or _is_total(made, said, sentence)
    if not listed or not whole:
        return made
    x = Over(made.value.expression, "objects", "sum")
    return replace(made, value=replace(made.value, expression=x)) if typed(x) is not None else made


def _is_total(made: Made, said: Sequence[Entity], sentence: Sentence) -> bool:
    """Whether a total is said of features that are named with how many there are: lost by the four glaciers, in all."""
    words = [one.text.lower() for one in sentence.words]
    total = any(one.symbol == "in_total" or (one.symbol == "STAT" and one.value == "sum") for one in made.entities)
    counted = any(one.end - one.start > 1 and number_of(words[one.start]) is not None for one in said)
    return total and counted and _ONE_BY_ONE.isdisjoint(words)


def of_those_counted(made: Made, sentence: Sentence) -> Made:
    """A mean in features that are counted, of each of them: of all of them together where a word says so."""
    counted = any(one.symbol == "PLACE" and _is_counted(one.start, sentence) for one in made.entities)
    if not counted or _TOGETHER.search(sentence.text):
        return made
    x = _each(made.value.expression)
    return replace(made, value=replace(made.value, expression=x)) if typed(x) is not None else made


def _is_counted(at: int, sentence: Sentence) -> bool:
    return number_of(sentence.words[at].text.lower()) is not None


def _each(x: Expression) -> Expression:
    """With a mean over the ground in all features of a file as one in each, where only dates are reduced after it."""
    if not isinstance(x, Over):
        return x
    if x.axes != "space" or x.statistic not in ("mean", "median"):
        return with_children(x, _each) if x.axes == "time" else x
    where = x.x.where if isinstance(x.x, Within) else None
    every = isinstance(where, Polygons) and not where.names and where.by is None
    return replace(x, x=Split(x.x.x, where)) if every and isinstance(x.x, Within) else x  # type: ignore[arg-type]


def _is_whole(at: int, sentence: Sentence) -> bool:
    return at < len(sentence.words) and _WHOLE.search(sentence.text[: sentence.words[at].start]) is not None


def no_map_of_points(x: Expression, data: DataWords) -> Expression:
    """A number where it would be a map of points, of which each is one pixel: a map is what the data are then."""
    points = {level.layer for _, key in data.spots if isinstance(level := level_of(key), Polygons)}
    places = [part.where for _, part in walk(x) if isinstance(part, Within)]
    of_points = any(isinstance(one, Polygons) and one.names and one.layer in points for one in places)
    told = answer(Thing(x.x)) if isinstance(x, Show) and x.as_ == "map" and of_points else None
    return x if told is None else told.expression
