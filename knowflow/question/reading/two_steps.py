"""Questions of two steps: one part of a sentence chooses what the rest asks about: ``take the site with the most rain;
what is its height``.

What is chosen is a noun that is ranked, of features or of times, which the grammar reads by itself. The rest is read
with the name of one such thing in place of the words that speak of it, so that the grammar of all questions reads it
too; in what was read, what is chosen stands where the name stood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from knowflow.knowledge.reading_words import reading_words, steps, words_of
from knowflow.question.operators import (
    During,
    Expression,
    Extreme,
    Polygons,
    Several,
    Show,
    Split,
    Within,
    walk,
    with_children,
)
from knowflow.question.phrases import times_in_words
from knowflow.question.reading.keys import that_one
from knowflow.question.reading.order import typed
from knowflow.question.reading.restricted import of_that_one
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times, times

if TYPE_CHECKING:
    from knowflow.question.reading.readings import Reading

_CUTS = re.compile(
    r"(?:\s*[,;:.?]|\s[-\u2013\u2014])\s+(?:and\s+|then\s+|and\s+then\s+)?|\s+and\s+(?:then\s+)?", re.IGNORECASE
)
_OWN = "'s"
_BEFORE_IT = ("of", "in", "on", "at", "within", "from", "to", "near", "around", "do", "does", "did")
"""Words before ``it`` where that is what was chosen; else it may be by what it was: ``how high was it``."""
_MOST = frozenset(("STAT", "RANKED", "SIZED", "NEAREST", "BY_LENGTH", "most", "largest_share", "strongest"))
_LETTERS = {"date": 10, "month": 7, "year": 4}
_TIMES = "(?:day|date|month|year|season|week|time|survey)"
_LONG_AGO = "1911-03-03"
"""A day that no data are of."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What is chosen, what is said in its place where something is told of it, and how that is known again."""

    x: Extreme
    said: str
    place: Times | str


def in_two_steps(question: str, data: DataWords, read: Callable[[str], Reading]) -> Reading | None:
    """A question of which one part chooses what the rest is about, read; None where it is no such."""
    for first, rest in _parted(question):
        opened, bare = _without(first, "opening")
        among, those = _without(first, "among")
        for spoken in _of_those(rest, those) if among else ():
            found = read(spoken)
            if found.expression is not None:
                return replace(found, question=question)
        if not _ranks(first) or (not _speaks(rest) and (not opened or _asks(bare))):
            continue
        for chosen in _chosen(read(bare).expression, question, data):
            for said in _told(rest, chosen, opened):
                one = read(said)
                x = one.expression
                put = None if x is None else _put(x, chosen)
                if put is not None and put != x and typed(put) is not None:
                    found = replace(one, question=question, expression=put, parts=(), others=())
                    return _both(chosen.x, found) if _asks(bare) else found
    return None


def _parted(question: str) -> Iterator[tuple[str, str]]:
    """Two parts of a sentence, at a pause or an ``and``."""
    for cut in _CUTS.finditer(question):
        first, rest = question[: cut.start()].strip(), question[cut.end() :].strip()
        if first and rest:
            yield first, rest


def _words(kind: str) -> list[str]:
    return sorted({one for known in steps() for one in getattr(known, kind)}, key=len, reverse=True)


def _without(text: str, kind: str) -> tuple[bool, str]:
    """Whether a text begins with words of a kind, and the text without them."""
    begins = next((one for one in _words(kind) if text.lower().startswith(f"{one} ")), "")
    return bool(begins), text[len(begins) :].strip()


def _pattern(words: Sequence[str], behind: str = "") -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b{behind}", re.IGNORECASE)


def _speaks(rest: str) -> bool:
    """Whether it speaks of what was named before."""
    return any(_pattern(_words(kind)).search(rest) for kind in ("its", "there", "it", "that", "then"))


def _ranks(first: str) -> bool:
    """Whether one of its words may say that it is what has the most of something."""
    words, known = words_of(first), reading_words()
    phrases = (
        words[at:end] for at in range(len(words)) for end in range(at + 1, min(at + known.longest, len(words)) + 1)
    )
    return any(symbol in _MOST for phrase in phrases for symbol, _ in known.phrases.get(phrase, ()))


def _asks(first: str) -> bool:
    """Whether it is a question of its own: ``in which district did it grow, in hectares``."""
    return any(symbol == "which" for symbol, _ in reading_words().phrases.get(words_of(first)[:1], ()))


def _both(first: Expression, rest: Reading) -> Reading | None:
    """``which park has the most visitors, and what is its elevation``: which, and what is asked of it."""
    if rest.expression is None or isinstance(rest.expression, Several | Show):
        return None
    both = Several((("first", first), ("second", rest.expression)))
    return replace(rest, expression=both, unit=None, units=(None, rest.unit)) if typed(both) is not None else None


def _of_those(rest: str, those: str) -> Iterator[str]:
    """``among the farms, what is the yield of the one with the highest NDVI``: of the farm."""
    one = _pattern(_words("one"))
    if one.search(rest):
        yield one.sub(those.replace("\\", ""), rest, count=1)


def _chosen(x: Expression | None, question: str, data: DataWords) -> Iterator[_Chosen]:
    """What is chosen by a ranked noun, each time with another name, or time, that may be said in its place."""
    if not isinstance(x, Extreme) or x.n != 1:
        return
    own = typed(x.x)
    letters = None if own is None or len(own.keys) != 1 else _LETTERS.get(str(own.grain))
    if letters is not None:
        told = [_LONG_AGO, *(layer.days[1][0] for layer in data.features if layer.days and layer.days[1])]
        for when in dict.fromkeys(times(one[:letters]) for one in told if len(one) >= letters):
            if when is not None:
                yield _Chosen(x, times_in_words(when), when)
        return
    one = that_one(x)
    level = one.x if isinstance(one, Within) else None
    layer = next((a for a in data.features if isinstance(level, Polygons) and a.name == level.layer), None)
    by = {part.key.by for _, part in walk(x) if isinstance(part, Split) and isinstance(part.key, Polygons)}
    names = data.objects if level is not None and not data.features else ()
    if layer is not None:
        sorts = [text for column, texts in layer.sorts if column in by for text in texts]
        names = tuple(sorts) or layer.names or layer.values
    fitting = [name for name in names if name.lower() not in question.lower()]
    yield from (_Chosen(x, name, name) for name in sorted(fitting, key=lambda name: (-len(name), name))[:1])


def _told(rest: str, chosen: _Chosen, opened: bool) -> Iterator[str]:
    """The rest of a question with a name in place of the words that speak of what is chosen."""
    rest = rest.rstrip("?!. ")
    name = chosen.said
    that_time = re.compile(
        rf"\b(?:(?:in|on|of|during|at)\s+)?(?:{'|'.join(_words('that'))})\s+{_TIMES}\b", re.IGNORECASE
    )
    if isinstance(chosen.place, Times):
        for pattern in (that_time, _pattern(_words("then"))):
            if pattern.search(rest):
                yield pattern.sub(name, rest, count=1)
        yield from (f"{rest} {name}",) if opened else ()
        return
    if that_time.search(rest):  # the time of which the choice was
        told = {part.when for _, part in walk(chosen.x) if isinstance(part, During)}
        when = told.pop() if len(told) == 1 else None
        if not isinstance(when, Times):
            return
        rest = that_time.sub(times_in_words(when), rest)
    its, there = (_pattern(_words(kind)) for kind in ("its", "there"))
    it = re.compile(rf"\b({'|'.join(_BEFORE_IT)})\s+(?:{'|'.join(_words('it'))})\b", re.IGNORECASE)
    if its.search(rest):
        yield f"{its.sub('the', rest, count=1)} of {name}"
        yield its.sub(f"{name}{_OWN}", rest, count=1)
    if there.search(rest):
        yield from (there.sub(f"{word} {name}", rest, count=1) for word in ("in", "at", "of"))
    if it.search(rest):
        yield it.sub(rf"\g<1> {name}", rest, count=1)
    that = _pattern(_words("that"), r"\s+\w+")
    if that.search(rest):
        yield that.sub(name, rest, count=1)
    if opened and not _speaks(rest):
        yield from (f"{rest} {word} {name}" for word in ("in", "of", "at"))


def _put(x: Expression, chosen: _Chosen) -> Expression:
    """An expression with what is chosen in place of the name."""
    if isinstance(x, During) and x.when == chosen.place:
        return replace(x, x=_put(x.x, chosen), when=chosen.x)
    if isinstance(x, Polygons) and x.names == (chosen.place,):
        one = that_one(chosen.x)
        assert isinstance(one, Within)
        every = Polygons(layer=x.layer)
        return one if one.x == every else Within(every, one)
    x = with_children(x, lambda part: _put(part, chosen))
    return replace(x, where=of_that_one(x.x, x.where)) if isinstance(x, Within) else x
