"""Whether a reading says all of a question, and nothing else: which part has which words, for readings of a model.

The reader of words cannot drop a word: it is in the tree or the sentence is not read. A model could; so every word that
means something has to stand behind a part, and a word that nobody knows behind one that has no other words to say it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from knowflow.ground.report import Problem
from knowflow.knowledge.reading_words import reading_words
from knowflow.knowledge.words import NUMBER_WORDS, ORDINAL_WORDS, clean, tokens
from knowflow.question.operators import (
    Beyond,
    Classify,
    During,
    Expression,
    IsClass,
    Not,
    Number,
    Point,
    Polygons,
    Position,
    Quantity,
    Split,
    Within,
    walk,
)
from knowflow.question.reading.behind import stands_for
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.sentence import Sentence, sentence_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times

# fmt: off
_JOIN = frozenset((
    "be", "do", "have", "in", "on", "at", "of", "over", "to", "from", "than", "and", "as", "by", "which", "that",
    "where", "when", "display", "what", "how", "values", "seen", "layer", "pixels", "that_of", "open", "close",
))
"""What single words may be to the grammar that only join others."""
_BESIDE = frozenset((
    "in", "on", "at", "of", "inside", "within", "under", "near", "by", "for", "with", "without", "along", "outside",
    "beside", "around", "from",
))
"""Words behind which stands what a question is restricted to."""
# fmt: on
_NOT_IN_DATA = frozenset(
    ("why", "because", "will", "shall", "tomorrow", "future", "upcoming", "forecast", "predict", "predicted")
)
"""What is asked by them no data tell: no part may have them."""
_DENY = frozenset(("not", "no", "never", "none", "except", "excluding", "without", "unless", "but"))
"""Words that deny something."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_THINGS = (Quantity, Number, Polygons, Point, IsClass, During, Split)
_SAYS_ITSELF = frozenset(
    ("over", "show", "several", "holds", "number", "calculate", "and", "point", "polygons", "along", "apply")
)
"""Operators that may stand without words: by the usual order, or by those of their parts."""
_STRICT = frozenset(("maximum", "minimum", "median", "deviation", "above", "below", "at_least", "at_most"))
_EACH = ("per", "EVERY", "series", "series_of", "over_time", "SHOWN", "running", "step_by_step")
_DAY = timedelta(days=1)
_PERCENT = frozenset(("%", "percent", "cent", "percentage"))
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_RANKED = re.compile(r"p?(\d+)(?:th|st|nd|rd)?")
_PARTS = {"half": 2.0, "third": 3.0, "quarter": 4.0}
_MARKS = (",", ".", "?", "!", ":", ";", "-")


@dataclass(frozen=True, slots=True)
class Claim:
    """Words of the question that a part of the expression has; None: the unit of the answer."""

    at: Position | None
    words: str


@dataclass(frozen=True, slots=True)
class Said:
    """The words behind each part as they stand in the question, those that only join, and what is wrong. ``each``:
    the question may ask for one of each date."""

    parts: tuple[tuple[Position, str], ...]
    joining: tuple[str, ...]
    each: bool
    problems: tuple[Problem, ...]


def said_problems(
    question: str, expression: Expression, claims: Sequence[Claim], data: DataWords, numbers: Sequence[float] = ()
) -> Said:
    """Which part has which words, and where the question and the expression do not say the same.

    ``numbers`` are those that experts told beside the question, which a limit may be.
    """
    work = _Words(sentence_of(question, data), expression)
    problems = list(work.claimed(claims))
    problems += work.unclaimed()
    problems += work.without_words()
    problems += work.swallowed()
    problems += work.contradicted()
    problems += work.other_times()
    problems += work.other_numbers((*numbers, *_of_dates(data)))
    return Said(tuple(work.parts), tuple(work.joining()), work.each(), tuple(problems))


def _of_dates(data: DataWords) -> Iterator[float]:
    for day in data.dates:
        yield from (day.year, day.month, day.day)


class _Words:
    """The words of a sentence, and which part has each."""

    def __init__(self, sentence: Sentence, expression: Expression) -> None:
        self._sentence = sentence
        self._words = [one.text.lower() for one in sentence.words]
        self._tree = dict(walk(expression))
        self._at: list[list[Position]] = [[] for _ in self._words]
        self._taken: set[int] = set()
        self.parts: list[tuple[Position, str]] = []
        self._entities = [one for one in sentence.entities if one.end <= len(self._words)]

    # --- what has which words ------------------------------------------------------------------------------------

    def claimed(self, claims: Sequence[Claim]) -> Iterator[Problem]:
        """Find the words of each claim; those that do not stand in the question are problems."""
        nothing = reading_words().nothing
        for claim in claims:
            said = [one.text.lower() for one in tokens(clean(claim.words)) if one.text not in _MARKS]
            wanted = [word for word in said if word in self._words or word not in nothing]
            places = self._places(wanted)
            if places is None:
                yield Problem("not_said", "words as they stand in the question", repr(claim.words[:80]))
            self._taken.update(places or ())
            if places and claim.at is not None:
                for place in places:
                    self._at[place].append(claim.at)
                self.parts.append((claim.at, self._sentence.said(places.start, places.stop)))

    def _places(self, wanted: Sequence[str]) -> range | None:
        """Where words stand: the first time that nothing has them, else the first; None: nowhere."""
        solid = [place for place, word in enumerate(self._words) if word != "-"]
        runs = [solid[start : start + len(wanted)] for start in range(len(solid) - len(wanted) + 1)]
        found = [range(run[0], run[-1] + 1) for run in runs if run and [self._words[at] for at in run] == [*wanted]]
        free = (places for places in found if not self._taken.intersection(places))
        return next(free, found[0] if found else None) if wanted else range(0)

    def unclaimed(self) -> Iterator[Problem]:
        """The words that mean something and stand behind nothing."""
        for place, word in enumerate(self._words):
            if word in _NOT_IN_DATA or (word == "next" and self._is_time(place + 1)):
                hint = "no data tell it: answer with `cannot`"
                yield Problem("left_out", "a question about what the data show", repr(self._said(place)), hint)
            elif place not in self._taken and not self._joins(place):
                hint = "give these words to the part that they say, or answer with `cannot`"
                yield Problem("left_out", "every word of the question behind a part", repr(self._said(place)), hint)

    def _is_time(self, place: int) -> bool:
        return any(one.symbol in ("GRAIN", "TIME") for one in self._entities if one.start == place)

    def joining(self) -> Iterator[str]:
        yield from (self._said(place) for place in range(len(self._words)) if place not in self._taken)

    def _said(self, place: int) -> str:
        return self._sentence.said(place, place + 1)

    def _covering(self, place: int) -> list[Entity]:
        return [one for one in self._entities if one.start <= place < one.end]

    def _joins(self, place: int) -> bool:
        alone = (one for one in self._covering(place) if one.end - one.start == 1)
        return any(one.value is None and one.symbol in _JOIN for one in alone)

    def each(self) -> bool:
        """Whether the question may ask for one of each date: by a word, or as a part that splits by them."""
        split = any(isinstance(part, Split) for part in self._tree.values())
        return split or any(one.symbol in _EACH for one in self._entities)

    # --- what the parts say --------------------------------------------------------------------------------------

    def without_words(self) -> Iterator[Problem]:
        """Parts that change what is asked and that no word asks for."""
        have = {at for at, _ in self.parts}
        named = {self._tree[at] for at in have if at in self._tree}
        for at, part in self._tree.items():
            if part.op in _SAYS_ITSELF or part in named or (isinstance(part, Within) and self._has_where(at)):
                continue
            where = ".".join(map(str, at)) or "expression"
            hint = "leave the part out where nothing in the question asks for it"
            yield Problem("made_up", f"the words of the question that ask for {part.op}", "none", hint, where)

    def _has_where(self, at: Position) -> bool:
        """Whether the ground of a restriction has words of its own."""
        where = (*at, "within", "where")
        return any(place[: len(where)] == where for place, _ in self.parts)

    def swallowed(self) -> Iterator[Problem]:
        """Words behind parts that say nothing of them: what is denied where nothing is, and what nobody knows where the
        part says all that it says without it."""
        for place, claimed in enumerate(self._at):
            behind = [at for at in claimed if at in self._tree]
            if behind and all(self._lost(place, at) for at in behind):
                expected = "a part of its own: a quantity, a ground, a class, polygons, a time, a key, a denial"
                found = f"{self._said(place)!r} behind {self._tree[behind[0]].op}, which says nothing of it"
                yield Problem("left_out", expected, found)

    def _lost(self, place: int, at: Position) -> bool:
        """Whether a part says nothing of a word that it has."""
        part = self._tree[at]
        if self._words[place] in _DENY:
            return not isinstance(part, Not | Beyond)
        own_values = (getattr(part, name) for name in part.__dataclass_fields__)
        named = any(isinstance(value, str) and self._words[place] in value.split("_") for value in own_values)
        if named or self._covering(place):
            return False
        own = (one for one in self._entities if all(at in self._at[word] for word in range(one.start, one.end)))
        whole = any(stands_for(one, part) for one in own)
        if isinstance(part, Within):
            return self._has_where(at)
        return whole if isinstance(part, _THINGS) else self._restricts(place) or (whole and not self._asks(place))

    def _restricts(self, place: int) -> bool:
        """Whether a word stands behind one that says where or of what, with no word between that is known."""
        known = (
            before for before in range(place - 1, -1, -1) if self._covering(before) or self._words[before] in _BESIDE
        )
        before = next(known, None)
        return before is not None and self._words[before] in _BESIDE

    def _asks(self, place: int) -> bool:
        """Whether a word only begins the sentence, as "figure out the ..." does: what it is said of follows later."""
        if not all(self._joins(before) or not self._covering(before) for before in range(place)):
            return False
        after = next(at for at in range(place, len(self._words) + 1) if at == len(self._words) or self._covering(at))
        text, end = self._sentence.text, self._sentence.words[after - 1].end
        following = tokens(text[end:])[:1]
        return bool(following) and (
            after == len(self._words) or following[0].text.lower() != self._words[after] or self._joins(after)
        )

    def contradicted(self) -> Iterator[Problem]:
        """Words that can only mean one thing, which the expression does not say."""
        negated = any(isinstance(part, Not) for part in self._tree.values())
        for one in self._entities:
            span = [other for other in self._entities if other.start <= one.start and one.end <= other.end]
            strict = all(
                other.symbol in ("STAT", "SIDE", "LEVEL", "BEHIND") and other.value in _STRICT for other in span
            )
            widest = all((other.start, other.end) == (one.start, one.end) for other in span)
            if not strict or not widest or (negated and one.symbol == "SIDE"):
                continue
            inside = [other for other in self._entities if one.start <= other.start and other.end <= one.end]
            if not any(stands_for(other, part) for other in inside for part in self._tree.values()):
                said = self._sentence.said(one.start, one.end)
                yield Problem("contradicts", f"{one.value} in the expression, for {said!r}", "nothing of it")

    # --- numbers ---------------------------------------------------------------------------------------------------

    def other_numbers(self, told: Sequence[float]) -> Iterator[Problem]:
        """Numbers of the question that are not in the expression, and those of it that nobody said."""
        stated = [*self._stated()]
        values = [*(value for value, _ in stated), *self._of_times()]
        said = [*told, 0.0, 1.0]
        for place, word in enumerate(self._words):
            choices = () if self._names(place) else _numbers_of(word)
            if choices and self._words[place - 1 : place] == ["minus"]:
                choices = (*choices, *(-one for one in choices))
            said += choices
            if choices and not any(self._alike(one, value) for one in choices for value in values):
                yield Problem("left_out", "every number of the question in the expression", repr(self._said(place)))
        open_ = (when for _, when in self._times() if None in (when.first, when.last))
        opens = {float(year) for when in open_ for year in _years_of(when)}  # after 2016 is from 2017 on
        for value, at in stated:
            near = (value - 1, value, value + 1) if value in opens else (value,)
            if not any(self._alike(one, other) for one in near for other in said):
                where = ".".join(map(str, at)) or "expression"
                yield Problem("made_up", "a number that the question says", f"{value:g}", where=where)

    def _names(self, place: int) -> bool:
        """Whether a word is part of a name or a unit, which its numbers belong to."""
        before = self._words[max(place - 2, 0) : place]
        if len(before) == 2 and before[1] == "-" and before[0].isalpha():
            return True  # year-1
        return any(one.symbol in ("GROUND", "OBJECTS", "QUANTITY", "UNIT") for one in self._covering(place))

    def _times(self) -> Iterator[tuple[Position, Times]]:
        for at, part in self._tree.items():
            when = part.when if isinstance(part, During) else getattr(part, "base", None)
            if isinstance(when, Times):
                yield at, when

    def _of_times(self) -> Iterator[float]:
        """The numbers of the dates in the expression; those beside the open end of a time are what it is after."""
        for _, when in self._times():
            yield from (float(one) for one in _DIGITS.findall(str(when)))
            for day in (when.first, when.last) if None in (when.first, when.last) else ():
                near = () if day is None else (day - _DAY, day + _DAY)
                yield from (float(one) for other in near for one in (other.year, other.month, other.day))

    def other_times(self) -> Iterator[Problem]:
        """Times of the question that are not those of the expression."""
        told = [when for _, when in self._times()]
        for one in self._entities:
            wider = (other for other in self._entities if other.start <= one.start and one.end <= other.end)
            if one.symbol != "TIME" or any(other.end - other.start > one.end - one.start for other in wider):
                continue
            said = self._sentence.said(one.start, one.end)
            if said != "may" and not any(_of_time(one.value, when) for when in told):
                yield Problem("left_out", f"the time {one.value} in the expression, for {said!r}", "another, or none")

    def _alike(self, a: float, b: float) -> bool:
        """Whether two numbers are the same, one of them perhaps in percent where the question speaks of percent."""
        factors = (1, 100, 0.01) if _PERCENT.intersection(self._words) else (1,)
        return any(math.isclose(a, b * factor, rel_tol=1e-6) for factor in factors)

    def _stated(self) -> Iterator[tuple[float, Position]]:
        """The numbers that the expression states, and its years."""
        for at, part in self._tree.items():
            values: Sequence[object] = (getattr(part, "p", None), getattr(part, "n", None))
            if isinstance(part, Number):
                values = (part.value,)
            elif isinstance(part, Point):
                values = (abs(part.longitude), abs(part.latitude))
            elif isinstance(part, Classify):
                values = (*part.breaks, part.width)
            elif isinstance(part, IsClass):
                values = tuple(float(one) for name in part.names for one in _NUMBER.findall(name))
            yield from ((float(one), at) for one in values if isinstance(one, int | float))
        for at, when in self._times():
            yield from ((float(year), at) for year in _years_of(when))


def _years_of(when: Times) -> Iterator[int]:
    yield from (one.year for one in (when.first, when.last) if one is not None)


def _numbers_of(word: str) -> tuple[float, ...]:
    """The numbers that a word may say: ``0.5``, ``two``, ``90th``, ``tenth`` (a tenth, or the rank)."""
    text = word.replace(",", "")
    ranked = _RANKED.fullmatch(text)
    if ranked is not None:
        return (float(ranked.group(1)),)
    try:
        value = float(text)
    except ValueError:
        if word in NUMBER_WORDS:
            return (float(NUMBER_WORDS[word]),)
        part = _PARTS.get(word) or (ORDINAL_WORDS.get(word, 0) if word not in ("first", "second") else 0)
        return (float(part), 1 / part, 100 / part, 100 - 100 / part) if part else ()
    return (value,) if math.isfinite(value) else ()


def _of_time(said: Times, when: Times) -> bool:
    """Whether a time of the expression is the one that is said, or begins, ends, goes on after or stops before it."""
    if said == when or (said.season and said.season == when.season and when.year in (0, said.year)):
        return True
    ends = [day for day in (when.first, when.last) if day is not None]
    if said.month and any(day.month == said.month for day in ends):
        return True
    own = [day for day in (said.first, said.last) if day is not None]
    return any(abs((day - one).days) <= 1 for day in ends for one in own)
