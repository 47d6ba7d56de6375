"""Questions about the records of one file, rows of a table or features, put together from what its columns and values
are called.

What a table tells is told by its columns: that the fires were due to arson stands in one called ``cause``. So where no
rules make a whole of a question, its words are divided into those that ask (how many, the mean, which), a column, what
records are called, values of columns, limits, times, and words that join. Verbs that only tell that it is a record join
as well (logged, reported), and words for what a column of the question tells: what was bought, of purchases. Every word
is one of these, and all of one file with the files that it names; a word with a force of its own (``than``, ``first``)
never joins. Where this makes two things that differ, none is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowflow.knowledge.reading_words import words_of
from knowflow.knowledge.record_words import acts_of, record_words
from knowflow.knowledge.words import stem
from knowflow.question.operators import Attribute, Polygons
from knowflow.question.reading.asked_of_records import asked_of
from knowflow.question.reading.chart import Chart, Entity, Made
from knowflow.question.reading.chosen_records import BOTH, Asked, named_by
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.limits import EXACTLY
from knowflow.question.reading.nouns import in_layer, level_of
from knowflow.question.reading.sentence import Sentence
from knowflow.question.times import Times
from knowflow.question.typing_of_features import layer_of

_SPANS = frozenset({"year", "month", "week", "day", "hour", "date", "season"})
"""Columns that tell when, of which there is not so much."""
_BEAM = 60
_LONGEST = 4  # words that call records
_MOST_MADE = 40
_UNLIKELY = 50


NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a question about records: what they do, their value, and the columns of which one has to be used."""

    role: str
    start: int
    end: int
    value: Any = None
    cost: int = 0
    needs: frozenset[str] = NONE
    entities: tuple[Entity, ...] = ()


_ASKING = {
    "how_many": "count",
    "number_of": "count",
    "how_much": "amount",
    "which": "which",
    "what": "what",
    "what_is": "what",
    "when": "when",
    "in_total": "total",
    "added": "total",
    "most": "most",
    "on_average": "average",
    "share_alone": "share",
    "each": "each",
    "per": "each",
    "not": "not",
    "no": "not",
    "without": "not",
}
_JOINING = frozenset(
    (
        *("be", "do", "of", "in", "on", "at", "have", "that", "by", "from", "over", "where", "as", "any", "all", "or"),
        *("receive", "reach", "seen", "counted", "happened", "took_place", "occurs", "came", "belong"),
        *("on_record", "in_files", "attend", "own", "owned", "owned_by", "use", "everything", "both"),
    )
)
"""Symbols of words that only join what is told of records."""
_FORCED = frozenset(
    (
        *(
            "STAT",
            "GRAIN",
            "NUM",
            "TIME",
            "SIDE",
            "RANKED",
            "MORE",
            "COMPARED",
            "CHANGED",
            "most",
            "first",
            "last",
            "not",
            "no",
        ),
        *("without", "alone", "other_than", "leave_out", "no_longer", "never", "still", "each", "per", "share_alone"),
        *("how_many", "how_much", "which", "consecutive", "minus", "than", "elsewhere", "outside", "between", "or"),
    )
)
"""Symbols of words that say something of their own, whatever they are said of."""
_VALUED = {
    "STAT": "stat",
    "TOLD": "column",
    "ATTRIBUTE": "column",
    "FLAG": "flag",
    "UNMARKED": "unmarked",
    "RANKED_BY": "graded",
    "RANKED_ROWS": "graded",
    "ADJECTIVE_BY": "adjective",
    "BY_LENGTH": "long",
    "GRAIN": "grain",
    "whole_time": "span",
    "IU": "unit",
    "OBJECTS": "value",
    "SORT": "value",
    "NAMED_KEY": "key",
    "LIKE": "limit",
    "B": "bound",
    "T": "time",
    "TIME": "time",
    "DATED": "dated",
}


def of_records(chart: Chart, sentence: Sentence, layers: Sequence[FeatureLayer]) -> list[Made]:
    """What is asked of the records of one file: all that the words make, of the likeliest division of each file."""
    found: list[Made] = []
    for layer in layers:
        said = _said(chart, sentence, layer)
        fewest: int | None = None
        for cost, cover in _apart(_covers(said, len(sentence.words)))[:_MOST_MADE]:
            if fewest is not None and cost > fewest:
                break
            for answer in asked_of(_as_asked(cover, sentence), layer):
                fewest = cost
                used = (one for part in cover for one in part.entities)
                found.append(Made(answer, cost, tuple(used)))
    return found


def are_of_records(words: Iterable[str], layers: Sequence[FeatureLayer]) -> bool:
    """Whether words that stand for nothing may say what is told of the records of a file: each of one and the same."""
    said = [*words]
    return any(all(_about(one, layer) is not None for one in said) for layer in layers)


def _about(word: str, layer: FeatureLayer, known: bool = False) -> frozenset[str] | None:
    """The columns of which a word may say what they tell, none where it says it of the records as such; None where it
    tells nothing of them. Notes tell what nothing else is ``known`` by alone."""
    said = stem(word)
    if word.lower() in (record_words().telling | record_words().joining) or said in _stems(" ".join(layer.called)):
        return frozenset()
    if (
        not known
        and said in layer.noted
        and not any(said in _stems(column.replace("_", " ").lower()) for column in _columns(layer))
    ):
        return frozenset()  # what notes tell of a file holds of all of its records
    acts = acts_of(word)
    if acts & _stems((layer.name or "").rpartition(".")[0].replace("_", " ")):
        return frozenset()
    columns = {column for column, words in _columns(layer).items() if words & (acts | {said})}
    return frozenset(columns) or None


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


def _columns(layer: FeatureLayer) -> Mapping[str, frozenset[str]]:
    """The columns of a file, each with the stems of all that it is called."""
    named = [(column, name) for name, column, _ in layer.numbers]
    named += [(column, name) for name, column in (*layer.flags, *layer.years)]
    every = {column for column, _ in named} | {by for by, _ in layer.sorts}
    every |= {layer.days[0]} if layer.days is not None else set()
    named += [(column, column.replace("_", " ")) for column in every]
    found: dict[str, frozenset[str]] = {}
    for column, name in named:
        found[column] = found.get(column, frozenset()) | _stems(name)
    if layer.days is not None:  # of rows the day is a time, whatever its column is called
        days = frozenset(stem(word) for name in layer.called if " date" in name for word in name.split()) - {"date"}
        found[layer.days[0]] = found[layer.days[0]] | days
    return found


# --- the words of one file ----------------------------------------------------------------------------------------


def _said(chart: Chart, sentence: Sentence, layer: FeatureLayer) -> list[list[Said]]:
    """What each run of words may say of the records of a file, by where it begins."""
    length = len(sentence.words)
    found: list[list[Said]] = [[] for _ in range(length)]
    known = {at for one in sentence.entities for at in range(one.start, one.end)}
    forced = {at for one in sentence.entities if one.symbol in _FORCED for at in range(one.start, one.end)}
    asked = min((one.end for one in sentence.entities if one.symbol == "do"), default=length)
    for start in range(length):
        for end in range(start + 1, length + 1):
            for symbol, values in chart.cell(start, end).items():
                role = _ASKING.get(symbol) or _VALUED.get(symbol) or ("join" if symbol in _JOINING else None)
                if role == "join" and "which" in chart.cell(start, end):
                    continue
                if role == "stat" and start >= asked and sentence.said(start, end).lower() in record_words().telling:
                    continue  # what did it record
                if symbol == "EVERY" and layer.days is not None and layer.days[0] in values:
                    role = "join"  # the daily values, of a table of days
                for made in values.values() if role is not None else ():
                    if made.cost < _UNLIKELY and _fits(str(role), made.value, layer):
                        if role == "bound" and not any(one.symbol == "NUM" for one in made.entities):
                            continue  # over the whole half-year
                        text = sentence.said(start, end).lower()
                        value: Any = text if role == "join" else made.value
                        both = BOTH if role == "value" and " and " in text and len(named_by(value).names) > 1 else NONE
                        found[start].append(Said(str(role), start, end, value, 1, both, made.entities))
        found[start] += _called(sentence, start, layer)
        word = sentence.words[start].text
        if word.lower() in record_words().joining:
            found[start].append(Said("join", start, start + 1, word.lower()))
        elif start not in forced and (needs := _about(word, layer, start in known)) is not None:
            found[start].append(Said("tells", start, start + 1, word.lower(), 2, needs))
    return found


def _called(sentence: Sentence, start: int, layer: FeatureLayer) -> list[Said]:
    """What the words from one on call the records of a file."""
    names = {tuple(map(stem, words_of(name))) for name in layer.called}
    key = in_layer("objects", layer.name)
    for end in range(min(len(sentence.words), start + _LONGEST), start, -1):
        if tuple(stem(one.text) for one in sentence.words[start:end]) in names:
            return [Said("key", start, end, key, 1)]
    return []


def _fits(role: str, value: Any, layer: FeatureLayer) -> bool:
    """Whether a value is of the records of a file, or of those that it may name."""
    own = {*layer.names, *layer.values}
    match role:
        case "column":
            return layer_of(value.x) == layer.name and value.name.casefold() not in _SPANS
        case "flag" | "unmarked" | "dated" | "adjective":
            return isinstance(value, Attribute) and layer_of(value.x) == layer.name
        case "graded" | "limit":
            return layer_of(value[0].x) == layer.name
        case "bound":
            return bool(value[0] != EXACTLY)
        case "value":
            x = named_by(value)
            named = isinstance(x, Polygons) and bool(x.names)  # of what its columns tell, by these
            return named and (x.layer == layer.name or not {*x.names} <= own)
        case "key":
            level = level_of(value)
            return isinstance(level, Polygons) and (level.layer == layer.name or level.by is None)
    return role != "time" or isinstance(value, Times)


def _covers(said: Sequence[Sequence[Said]], length: int) -> list[tuple[int, tuple[Said, ...]]]:
    """Ways to divide the words, the likeliest first."""
    at: list[list[tuple[int, tuple[Said, ...]]]] = [[] for _ in range(length + 1)]
    at[0].append((0, ()))
    for start in range(length):
        for cost, taken in sorted(at[start], key=lambda one: one[0])[:_BEAM]:
            for part in said[start]:
                at[part.end].append((cost + part.cost, (*taken, part)))
    return sorted(at[length], key=lambda one: one[0])


def _apart(covers: Iterable[tuple[int, tuple[Said, ...]]]) -> list[tuple[int, tuple[Said, ...]]]:
    """Of ways to divide the words that differ in words that join alone, the likeliest."""
    found: dict[tuple[Any, ...], tuple[int, tuple[Said, ...]]] = {}
    for cost, cover in covers:
        found.setdefault(tuple((one.role, one.end) for one in cover if one.role != "join"), (cost, cover))
    return list(found.values())


def _as_asked(cover: Sequence[Said], sentence: Sentence) -> list[Asked]:
    return [Asked(one.role, one.value, one.needs, _stems(sentence.said(one.start, one.end))) for one in cover]
