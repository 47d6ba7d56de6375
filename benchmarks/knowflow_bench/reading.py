"""How questions are read: the corpus, words that nothing knows in every place, one word of a sentence swapped."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow.knowledge.reading_words import Phrase, reading_words
from knowflow.question.normal import equal
from knowflow.question.reading.reader import read
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.vocabulary import DataWords
from knowflow_bench.corpus import Asked, corpus
from knowflow_bench.sentences import some

_SYLLABLES = ("bli", "dro", "fex", "gau", "kip", "lorn", "mub", "pef", "quo", "rast", "tov", "wim", "zad")
_YEARS = {"2016": "2018", "2017": "2019", "2020": "2022"}
_MOST_CASES = 50


def score() -> dict[str, Any]:
    """What is read of the corpus, by part; sentences are shown of the open part alone."""
    counts = {part: Counter[str]() for part in ("open", "sealed")}
    cases = []
    for asked in corpus():
        found = read(asked.question, asked.data)
        outcome = _outcome(asked, found)
        counts[asked.part][outcome] += 1
        if asked.part == "open" and outcome not in ("right", "asked_back"):
            cases.append({"question": asked.question, "outcome": outcome, "unread": list(found.unread)})
    outcomes = ("right", "wrong", "refused", "asked_back", "taken")
    return {
        "n": sum(sum(one.values()) for one in counts.values()),
        **{part: {outcome: one[outcome] for outcome in outcomes} for part, one in counts.items()},
        "cases": cases,
    }


def _outcome(asked: Asked, found: Reading) -> str:
    if asked.expression is None:
        return "asked_back" if found.expression is None else "taken"
    if found.expression is None:
        return "refused"
    return "right" if equal(found.expression, asked.expression) and found.unit == asked.unit else "wrong"


def coverage(n: int, seed: int) -> dict[str, Any]:
    """An invented word in a place of sentences that are read: named each time, answered never."""
    chosen = random.Random(seed)
    named = answered = inserted = 0
    cases: list[str] = []
    for question, data in _sentences(n, seed):
        words = question.split()
        for place in range(len(words) + 1):
            if inserted == n:
                break
            strange = "".join(chosen.sample(_SYLLABLES, 3))
            text = " ".join((*words[:place], strange, *words[place:]))
            found = read(text, data)
            inserted += 1
            named += strange in found.unread
            if found.expression is not None:
                answered += 1
                cases.append(text)
    return {"inserted": inserted, "named": named, "answered": answered, "cases": cases[:_MOST_CASES]}


def pairs(n: int, seed: int) -> dict[str, Any]:
    """One word of a sentence swapped for one that means something else: never read as the same."""
    chosen = random.Random(seed)
    compared = same = unread = 0
    cases: list[tuple[str, str]] = []
    for question, data in _sentences(n, seed):
        for other in _swapped(question, chosen):
            if compared == n:
                break
            compared += 1
            one, two = read(question, data), read(other, data)
            if one.expression is None or two.expression is None:
                unread += 1
            elif equal(one.expression, two.expression) and _tells(one) == _tells(two):
                same += 1
                cases.append((question, other))
    return {"n": compared, "same_tree": same, "asked_back": unread, "cases": cases[:_MOST_CASES]}


def _tells(reading: Reading) -> tuple[object, ...]:
    """What is told of a reading beside its expression."""
    return reading.unit, reading.whole, reading.explained


def _sentences(n: int, seed: int) -> Iterator[tuple[str, DataWords]]:
    """Sentences that are read: of the corpus, then composed ones."""
    yield from ((one.question, one.data) for one in corpus() if read(one.question, one.data).expression is not None)
    yield from ((one.question, DataWords()) for one in some(n, seed))


def _swapped(question: str, chosen: random.Random) -> Iterator[str]:
    """The sentence with each of its words of a value in turn as another value's, and each year as another."""
    words = question.rstrip("?.").split()
    plain = [word.lower() for word in words]
    at = 0
    while at < len(words):
        if plain[at] in _YEARS:
            yield " ".join((*words[:at], _YEARS[plain[at]], *words[at + 1 :]))
        end, others = _others(plain, at)
        if others:
            yield " ".join((*words[:at], *chosen.choice(others), *words[end:]))
        at = max(end, at + 1)


def _others(words: Sequence[str], at: int) -> tuple[int, list[Phrase]]:
    """The end of the longest phrase that begins here, and phrases of the same symbol with another value."""
    known: Mapping[Phrase, Any] = reading_words().phrases
    for end in range(min(len(words), at + reading_words().longest), at, -1):
        readings = known.get(tuple(words[at:end]))
        if readings is not None:
            valued = {symbol: value for symbol, value in readings if value is not None}
            if len(readings) > 1 or not valued:
                return end, []
            ((symbol, value),) = valued.items()
            return end, [
                phrase
                for phrase, found in known.items()
                if len(found) == 1 and found[0][0] == symbol and found[0][1] not in (value, None)
            ]
    return at + 1, []
