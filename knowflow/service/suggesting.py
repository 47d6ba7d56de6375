"""Questions that a folder can answer: the nearest to one that is refused, and those of a new folder, by topic.

They are grown as expressions over what the folder holds, planned, told as people ask, and read again: what does not
read as the same is not offered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.knowledge.reading_words import reading_words
from knowflow.question.form import expression_of, forms
from knowflow.question.normal import equal
from knowflow.question.operators import (
    Beyond,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Number,
    Over,
    Point,
    Polygons,
    Quantity,
    Show,
    Trend,
    walk,
)
from knowflow.question.reading.asking import question_of
from knowflow.question.reading.nearby import AtHand, Heard, allowed, heard_in, heard_of, nearby
from knowflow.question.reading.nouns import LAND_COVER, level_of
from knowflow.question.reading.order import typed
from knowflow.question.reading.reader import read_by_rules
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.sentence import sentence_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times, times
from knowflow.question.types import type_of_kind
from knowflow.question.typing_of_features import are_rows
from knowflow.question.words import in_words

_MOST = 3
_MOST_ALIKE = 3
_MOST_TRIED = 24
"""Expressions that are told, read and planned before no nearer one is looked for."""
_MOST_KINDS = 5
_MOST_YEARS = 3
_MOST_NAMES = 4
_MOST_OF_ROWS = 6

_TOPICS: Mapping[str, tuple[tuple[Any, ...], ...]] = {
    "how much": ((("over", "mean"),), (("over", "maximum"),), (("over", "deviation"),)),
    "areas and shares": (("beyond", ("over", "share")), (("over", "area"),), ("within",)),
    "by class and polygon": (("split", ("split", LAND_COVER)), ("split", ("split", Polygons()))),
    "dates": (("extreme", ("extreme", "highest")), ("beyond", ("over", "count")), ("beyond", ("over", "first"))),
    "through time": (("trend",), ("calculate", "during"), ("split", ("split", "year")), ("split", ("split", "month"))),
    "one beside another": (("correlate",), ("calculate", "within")),
    "to look at": (("show", ("show", "map")), ("show", ("show", "chart"))),
}
"""What the questions of each topic ask for: operators, and values of them."""

Planned = Callable[[Expression], object]
"""Plans an expression over the folder, or raises a KnowFlowError."""


class Suggesting:
    """Offers questions about one folder, of which ``words`` are the names that it brings."""

    def __init__(self, words: DataWords, planned: Planned) -> None:
        self._words, self._planned = words, planned
        self._possible: dict[Expression, bool] = {}

    def instead_of(self, asked: str | Expression) -> tuple[str, ...]:
        """Up to three questions that the folder can answer, the nearest to one that it cannot."""
        heard = heard_of(asked) if isinstance(asked, Expression) else heard_in(sentence_of(asked, self._words))
        wanted = [one for one in heard if isinstance(one, Quantity) and self._can(_usual(one))]
        there = self._quantities()
        offered = dict.fromkeys(islice(self._offered(heard, wanted or there), _MOST))
        others = chain(self._offered({}, there), self._of_rows())
        return tuple(islice(chain(offered, (one for one in others if one not in offered)), _MOST))

    def by_topic(self) -> dict[str, list[str]]:
        """Questions that the folder can answer, by what they ask for; topics that have none are left out."""
        found: dict[str, dict[str, None]] = {}
        for topic, wishes in _TOPICS.items():
            for kind in self._quantities():
                for wish in wishes:
                    others = self._quantities() if "correlate" in wish else [kind]
                    heard: Heard = {one: frozenset((place,)) for place, one in enumerate((kind, *wish))}
                    offered = (one for one in self._offered(heard, others, strict=True) if one not in found)
                    found.setdefault(topic, {}).update(dict.fromkeys(islice(offered, 1)))
        found["in tables"] = dict.fromkeys(islice(self._of_rows(), _MOST_OF_ROWS))
        return {topic: list(questions) for topic, questions in found.items() if questions}

    def _offered(self, heard: Heard, quantities: Sequence[Quantity], strict: bool = False) -> Iterator[str]:
        """Questions near to what was heard, each of another shape; ``strict``: those that have all of it."""
        tried: Counter[tuple[str, ...]] = Counter()
        for one in nearby(self._at_hand(heard, quantities), heard):
            if tried[_shape(one)] == _MOST_ALIKE or (strict and not all(_has(one, wish) for wish in heard)):
                continue
            question = question_of(one)
            if question is None or (len(self._words.dates) < 2 and _of_dates(one)):
                continue
            if tried.total() == _MOST_TRIED:
                return
            tried[_shape(one)] += 1
            again = read_by_rules(question, self._words).expression
            if again is not None and equal(again, one) and self._can(one):
                tried[_shape(one)] = _MOST_ALIKE
                yield question

    def _of_rows(self) -> Iterator[str]:
        """Questions about the numbers in tables without places."""
        for layer in self._words.features:
            if not are_rows(Polygons(layer=layer.name)):
                continue
            levels = ((name, level_of(key)) for name, key in self._words.keys)
            keys = [name for name, key in levels if isinstance(key, Polygons) and key.by and key.layer == layer.name]
            numbers: dict[str, str] = {}
            for name, column, _ in layer.numbers:
                numbers.setdefault(column, name)
            for name in numbers.values():
                which = [f"Which {key} had the highest mean {name}?" for key in keys[:1]]
                for question in (f"What was the mean {name}?", *which, f"On which date was the {name} highest?"):
                    read = read_by_rules(question, self._words).expression
                    if read is not None and self._can(read):
                        yield question

    def _can(self, expression: Expression) -> bool:
        """Whether it is planned over the folder."""
        if expression not in self._possible:
            try:
                self._planned(expression)
                self._possible[expression] = True
            except KnowFlowError:
                self._possible[expression] = False
        return self._possible[expression]

    def _is_ground(self, one: Expression) -> bool:
        """Whether it is ground that the folder knows."""
        own = typed(one)
        true = own is not None and own.of == "truth" and own.space
        return isinstance(one, Polygons | Point) or (true and self._can(Over(one, "space", "area")))

    def _quantities(self) -> list[Quantity]:
        """What the folder holds or gives, the first few: what it holds first, and what has words of its own."""
        kinds, held = quantity_kinds(), self._words.quantities
        named = {value[0] for symbol, value in chain(*reading_words().phrases.values()) if symbol == "RANKED"}
        listed = sorted(
            (kind for kind in held | named if kind in kinds),
            key=lambda kind: (kinds[kind].family == "mask", kind not in held, kind not in named, kind),
        )
        return list(islice((one for one in map(Quantity, listed) if self._can(_usual(one))), _MOST_KINDS))

    def _at_hand(self, heard: Heard, quantities: Sequence[Quantity]) -> AtHand:
        """What expressions are made of: what was heard and is there, else what is there of that kind."""
        words, dates = self._words, self._words.dates
        said = [one for one in heard if isinstance(one, tuple)]
        asked = [when for op, when in said if op == "during" and isinstance(when, Times)]
        when = [one for one in asked if any(one.holds(day) for day in dates)]
        years = [times(str(year)) for year in dict.fromkeys(day.year for day in dates)]
        few = [*years[:1], *years[-(_MOST_YEARS - 1) :]] if len(years) > 1 else []
        classes = [IsClass(Quantity(kind), (name,)) for kind, names in words.classes.items() for name in names]
        polygons = [Polygons((name,)) for name in words.objects]
        grounds = [one for one in heard if isinstance(one, Expression) and self._is_ground(one)]
        values: dict[str, tuple[Any, ...]] = {}
        for op, value in said:
            for name, (_, form) in forms(op).items():
                if value in allowed(form) or isinstance(value, form if isinstance(form, type) else ()):
                    values[name] = (*values.get(name, ()), value)
        return AtHand(
            tuple(quantities),
            tuple(reversed(dict.fromkeys((*(one for one in few if one is not None), *when)))),
            tuple(dict.fromkeys((*grounds, *classes[:_MOST_NAMES], *polygons[:_MOST_NAMES]))),
            (*(["year", "month"] if len(dates) > 1 else []), *([LAND_COVER] if classes else []), Polygons()),
            tuple(one for one in heard if isinstance(one, Number)) or _usual_limits(quantities),
            values,
        )


def in_the_way(reading: Reading, planned: Planned, told: str) -> Iterator[Problem]:
    """What stands in the way of a question, where it is not ``told``: a word that nothing knows, or an operator that
    nothing carries out."""
    unread = [word for word in reading.unread if word not in told]
    if unread:
        words = ", ".join(map(repr, unread))
        yield Problem("unread", "words that are known", words, "say it in other words, or leave it out", "question")
    if reading.expression is not None:
        try:
            planned(reading.expression)
        except KnowFlowError as error:
            if error.found and error.found not in told:
                found = f"{error.message}, {error.found}, where it is read as {in_words(reading.expression)}"
                yield Problem("not_carried_out", error.expected or "", found, error.hint or "", error.where or "")


def _usual(one: Quantity) -> Expression:
    """The plainest question about a quantity."""
    own = type_of_kind(one.kind)
    of = "number" if own is None else own.of
    return Over(one, "space", "share" if of == "truth" else "area" if of == "class" else "mean")


def _usual_limits(quantities: Sequence[Quantity]) -> tuple[Number, ...]:
    """The limits of things on the ground that are told by one of these quantities."""
    grounds = (value for symbol, value in chain(*reading_words().phrases.values()) if symbol == "GROUND")
    known = [expression_of(value)[0] for value in dict.fromkeys(grounds)]
    own = [one.limit for one in known if isinstance(one, Beyond) and one.x in quantities]
    return tuple(one for one in own if isinstance(one, Number))


def _shape(one: Expression) -> tuple[str, ...]:
    """What an expression asks for, whatever its times, names and limits are."""
    parts = [part for _, part in walk(one)]
    return tuple(f"{part.op} {getattr(part, 'statistic', getattr(part, 'kind', ''))}" for part in parts)


def _of_dates(one: Expression) -> bool:
    """Whether it asks for dates, or one per date."""
    inner = one
    if isinstance(one, Over) and one.axes == "time" and isinstance(one.x, Over) and _dated(one.x, "number"):
        inner = one.x.x
    taken = (part for _, part in walk(inner) if isinstance(part, Over | Trend | Extreme | Holds | Show))
    return _dated(inner) or any(not isinstance(part, Over) or part.axes == "time" for part in taken if _dated(part.x))


def _dated(one: Expression, of: str = "") -> bool:
    """Whether it is one per date, without pixels."""
    own = typed(one)
    return own is not None and own.grain is not None and not own.space and of in ("", own.of)


def _has(one: Expression, wish: Any) -> bool:
    """Whether an operator, a value of one, or an expression is in it."""
    parts = [part for _, part in walk(one)]
    if not isinstance(wish, tuple):
        return any(wish in (part, part.op) for part in parts)
    own = (
        getattr(part, declared.name) for part in parts if part.op == wish[0] for declared, _ in forms(part.op).values()
    )
    return any(value == wish[1] for value in own)
