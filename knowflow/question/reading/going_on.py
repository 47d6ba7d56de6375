"""What is said after a question, as a change of it: "and in 2017?", "only on slopes above 10 degrees", "as a map".

Such words are read in frames: put into a small whole question, so that the grammar of all questions reads them. What
they add to its expression (a time, a ground, a quantity, a statistic, a limit, a way to show) is what they change of
the one before; what a frame reads beside that makes it the wrong frame.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from knowflow.knowledge.reading_words import going_on, reading_words, words_of
from knowflow.question.changing import ANY, TIME, Said, UnclearError, changed, dated, put, times_of, without
from knowflow.question.check import check, type_of
from knowflow.question.narrowing import SPACE, main_parts, narrowed
from knowflow.question.operators import (
    Beyond,
    During,
    Expression,
    Extreme,
    Holds,
    Number,
    Over,
    Quantity,
    Show,
    Split,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.reader import read, read_by_rules
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.words import in_words, quantity_name

_MEAN, _BEYOND = "What is the mean {0}?", "What share of the area has {1} {0}?"
_ADVERBS = ("What is the mean NDVI {0}?", "What is the {0} mean NDVI?", "What is the mean NDVI in {0}?")
_AREA = "How large is the area where NDVI is above 0.5 {0}?"
_OF_DATES = tuple(f"{{0}}{key} on which the mean NDVI was above 0.5" for key in ("", " date", " dates"))
_RANKED = ("Which date had {0} mean NDVI?", "{0} mean NDVI", "{0} had the highest mean NDVI?")
_ASKING = frozenset(
    {"what", "which", "how", "how_many", "how_much", "how_large", "when", "where", "display", "do", "be"}
)


def follow_up(said: str, last: Expression, data: DataWords | None = None, unit: str | None = None) -> Reading:
    """How words are read that follow a question: as a change of it, else as a question of their own, else as what is
    said in addition to it ("in hectares").

    ``unit`` is the one that the answer before was asked for in; it is kept where the answer is of the same kind.

    >>> from knowflow.question.words import in_words
    >>> last = read("What was the mean NDVI in 2016?").expression
    >>> follow_up("and in 2017?", last).change
    'in 2017, in place of in 2016'
    """
    words, narrows = _bare(said)
    asked, sentence = _Asked(said, last, data, unit, narrows), _is_sentence(words)
    whole = read(said, data) if sentence else None
    if whole is not None and whole.expression is not None:
        return whole
    found = asked.change(words)
    if found is not None:
        return found
    whole = whole or read(words, data)
    if whole.expression is not None and words and not sentence:
        return _otherwise_as_before(replace(whole, question=said), last)
    if whole.candidates() or not words:
        return whole
    for other in _otherwise_said(words):
        found = asked.change(other)
        if found is not None:
            return found
    added = read_by_rules(f"{in_words(last)} {words}", data)
    return replace(added, question=said, change=f"{words}, in addition") if added.expression is not None else whole


@dataclass
class _Asked:
    """Words that are said after a question."""

    said: str
    last: Expression
    data: DataWords | None
    unit: str | None
    narrows: bool

    def change(self, words: str) -> Reading | None:
        """What the words change; None where they are no change of that question."""
        for heard, unit in self._heard(words):
            try:
                made = changed(self.last, replace(heard, narrows=self.narrows))
            except UnclearError as unclear:
                return Reading(self.said, None, apart=(self.said,), unfit=str(unclear))
            if made is None or (made[0] == self.last and unit in (None, self.unit)):
                continue
            misfits = check(made[0]).misfits
            if misfits:
                return Reading(self.said, None, apart=(self.said,), unfit=str(misfits[0]))
            before, now = type_of(self.last), type_of(made[0])
            alike = before is not None and now is not None and before.measure == now.measure
            told = "; ".join(filter(None, (made[1], f"in {unit}" if unit else "")))
            return Reading(self.said, made[0], unit=unit or (self.unit if alike else None), change=told)
        return None

    def _heard(self, words: str) -> Iterator[tuple[Said, str | None]]:
        """What the words may say and the unit they tell, by the frames that read them whole and nothing beside; the
        likeliest first."""
        for heard in _phrases(words):
            yield heard, None
        for one, other in _replacing(words):
            if any(self._is_so(heard) for heard, _ in self._framed(other)):
                yield from self._framed(one)
        yield from self._framed(words)

    def _is_so(self, heard: Said) -> bool:
        """Whether the question before is of what is said already."""
        made = changed(self.last, heard)
        return made is not None and made[0] == self.last

    def _framed(self, words: str) -> Iterator[tuple[Said, str | None]]:
        if words:
            yield from ((said, None) for said in self._adverb(words))
            yield from self._measured(words)
            yield from ((said, None) for said in self._limit(words))
            yield from ((said, None) for said in self._ranked(words))
            yield from ((said, None) for said in self._dates(words))
            yield from ((said, None) for said in self._statistic(words))
            yield from ((said, None) for said in self._quantity(words))

    def _read(self, frame: str, said: str, of: Quantity = ANY) -> Expression | None:
        return read_by_rules(frame.format(said, quantity_name(of)), self.data).expression

    def _apart(self, frame: str, said: str, of: Quantity = ANY) -> tuple[Expression | None, Said]:
        found = self._read(frame, said, of)
        return (None, Said()) if found is None else _taken_apart(found)

    def _adverb(self, words: str) -> Iterator[Said]:
        """A time, a ground, a key, a way to show."""
        mean, _ = self._apart(_MEAN, quantity_name(ANY))
        for frame in _ADVERBS:
            plain, said = self._apart(frame, words)
            if mean is not None and plain in ((mean,) if said.shown is None else (mean, *_less(mean))):
                yield said

    def _measured(self, words: str) -> Iterator[tuple[Said, str | None]]:
        """A unit of area."""
        found, usual = read_by_rules(_AREA.format(words), self.data), read_by_rules(_AREA.format(""), self.data)
        if found.unit is not None and found.expression == usual.expression:
            yield Said(measured="area"), found.unit

    def _limit(self, words: str) -> Iterator[Said]:
        """A limit, or the number of one."""
        own = next((part for part in main_parts(self.last) if isinstance(part, Quantity)), ANY)
        usual = self._read(_BEYOND, "above 0.5", own)
        there = [part for _, part in walk(usual) if isinstance(part, Beyond)] if usual is not None else []
        if usual is None or not there:
            return
        for before in ("above ", ""):
            plain, said = self._apart(_BEYOND, f"{before}{words}", own)
            limits = [part for _, part in walk(plain) if isinstance(part, Beyond)] if plain is not None else []
            same = len(limits) == 1 and limits[0].x == there[0].x and plain == put(usual, there[0], limits[0])
            if same and isinstance(limits[0].limit, Number):
                yield replace(said, limit=limits[0].limit if before else limits[0])

    def _ranked(self, words: str) -> Iterator[Said]:
        """The keys with the highest numbers: how many, of which side, and which."""
        usual = self._read(_RANKED[0], "the highest")
        for frame in _RANKED:
            plain, said = self._apart(frame, words)
            if isinstance(plain, Extreme) and isinstance(usual, Extreme) and _chain(plain.x) == _chain(usual.x):
                yield replace(said, ranked=(plain.n, plain.side if "highest" not in frame else None))

    def _dates(self, words: str) -> Iterator[Said]:
        """What is told of the dates on which something is so."""
        usual = self._read(_OF_DATES[0], "which dates")
        for frame in _OF_DATES:
            found = self._read(frame, words)
            if isinstance(usual, Holds) and isinstance(found, Holds | Over) and found.x == usual.x:
                yield Said(dates=found)

    def _statistic(self, words: str) -> Iterator[Said]:
        """A statistic, and what may stand after it."""
        pieces = words.split()
        for at in range(len(pieces), 0, -1):
            plain, _ = self._apart("What is {0} of NDVI over the area?", " ".join(pieces[:at]))
            if not isinstance(plain, Over) or _chain(plain) != ANY:
                continue
            statistics: dict[str, Over] = {part.axes: part for _, part in walk(plain) if isinstance(part, Over)}
            rest = " ".join(pieces[at:])
            for said in self._adverb(rest) if rest else [Said()]:
                yield replace(said, statistics=statistics)

    def _quantity(self, words: str) -> Iterator[Said]:
        plain, said = self._apart(_MEAN, words)
        quantity = None if plain is None else _chain(plain)
        if isinstance(quantity, Quantity) and plain == self._apart(_MEAN, quantity_name(quantity))[0]:
            yield replace(said, quantity=quantity)


def _phrases(words: str) -> Iterator[Said]:
    """What takes a time or a ground away, and the words for how much of the ground it is."""
    said = words_of(words)
    for known in going_on():
        if said in map(words_of, known.everywhere):
            yield Said(everywhere=True)
        if said in map(words_of, known.always):
            yield Said(always=True)
        if said in map(words_of, known.share):
            yield Said(measured="share")
        if said in map(words_of, known.area):
            yield Said(measured="area")
        if said in map(words_of, known.mapped):
            yield Said(shown="map")
        yield from (Said(years=n) for n, listed in known.years_later.items() if said in map(words_of, listed))


def _replacing(words: str) -> Iterator[tuple[str, str]]:
    """What is said in place of what: ``the maximum instead of the mean``, ``not the mean but the maximum``."""
    for between in (one for known in going_on() for one in known.in_place_of):
        one, found, other = words.partition(f" {between} ")
        if found:
            yield one.strip(), other.strip()
    first, found, one = words.partition(" but ")
    if found and first.lower().startswith("not "):
        yield one.strip(), first[4:].strip()


def _otherwise_said(words: str) -> Iterator[str]:
    """The words without one that only introduces what is meant: ``of the maximum``, ``what was the maximum``."""
    for known in going_on():
        less = _without_any(words, known.introducing, str.startswith)
        if less != words:
            yield less


def _is_sentence(words: str) -> bool:
    """Whether the words ask or tell by themselves, rather than name what is meant."""
    said, known = words_of(words, reading_words().nothing), reading_words().phrases
    first = (symbol for length in range(1, len(said) + 1) for symbol, _ in known.get(said[:length], ()))
    return not _ASKING.isdisjoint(first)


def _otherwise_as_before(whole: Reading, last: Expression) -> Reading:
    """Something else that is named after a question: of the time and on the ground of that, where it tells none."""
    assert whole.expression is not None
    e, times = whole.expression, set(times_of(last))
    if len(times) == 1 and not any(times_of(e)):
        e = dated(e, next(iter(times)))
    if not any(isinstance(part, Within) for part in main_parts(e)):
        for where in dict.fromkeys(part.where for part in main_parts(last) if isinstance(part, Within)):
            e = narrowed(e, where)
    if type_of(e) is None or e == whole.expression:
        return whole
    change = f"{in_words(whole.expression)}, otherwise as before"
    return Reading(whole.question, e, unit=whole.unit, change=change)


def _bare(said: str) -> tuple[str, bool]:
    """The words without what stands around a change, and whether they narrow what was asked."""
    words = said.strip().rstrip("?!. ").strip()
    narrows, before = False, None
    while words != before:
        before = words
        for known in going_on():
            words = _without_any(_without_any(words, known.opening, str.startswith), known.closing, str.endswith)
            less = _without_any(_without_any(words, known.narrowing, str.startswith), known.narrowing, str.endswith)
            narrows, words = narrows or less != words, less
    return words, narrows


def _without_any(words: str, phrases: Collection[str], at: Callable[[str, str], bool]) -> str:
    """The words without the longest phrase that stands at one end of them."""
    first = at is str.startswith
    fitting = [one for one in phrases if at(words.lower(), f"{one} " if first else f" {one}")]
    longest = max(map(len, fitting), default=0)
    return (words[longest:] if first else words[: len(words) - longest]).strip(" ,:;")


def _less(mean: Expression) -> tuple[Expression, ...]:
    """A mean over the area and the dates with either left out, as it is shown."""
    return tuple(without(mean, axes) for axes in (SPACE, TIME))


def _taken_apart(e: Expression) -> tuple[Expression, Said]:
    """A framed question without times, grounds, keys and the way to show it, and these."""
    shown = e.as_ if isinstance(e, Show) else None
    when = tuple(dict.fromkeys(times for part in main_parts(e) for times in times_of(part)))
    where = tuple(dict.fromkeys(part.where for part in main_parts(e) if isinstance(part, Within)))
    keys = tuple(dict.fromkeys(part.key for part in main_parts(e) if isinstance(part, Split)))

    def plain(one: Expression) -> Expression:
        if isinstance(one, Show | Within | Split) or (isinstance(one, During) and not isinstance(one.when, Expression)):
            return plain(one.x)
        return with_children(one, plain)

    return plain(e), Said(when=when[0] if when else (), where=where, shown=shown, keys=keys)


def _chain(e: Expression) -> Expression:
    """What statistics are taken of."""
    while isinstance(e, Over):
        e = e.x
    return e
