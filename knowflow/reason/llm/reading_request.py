"""What a language model is told of a question that it is to read: the algebra, and what is near to this question.

Everything is chosen by the question and the data, and the whole fits a small context: quantities that the data hold or
that the words are near to, names that the data bring, what experts mind in questions of the kind, what they define.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.cards import load_cards
from knowflow.knowledge.lexical import Heard, LexicalIndex
from knowflow.knowledge.retrieval import retrieve
from knowflow.knowledge.store import Entry
from knowflow.knowledge.words import stems
from knowflow.model.template import Template
from knowflow.question.form import forms
from knowflow.question.operators import OPERATORS, Quantity
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.reading.sentence import sentence_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import FORMS
from knowflow.reason.llm.conversation import LanguageModelError, Message, Schema, estimated_tokens
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, fenced, shortened
from knowflow.reason.llm.reading_answer import OF_FEATURES

MOST_TOKENS = 8000
"""What a request may have, the schema twice: endpoints of one's own are told it in words, too."""
_CORRECTED = 1500
"""What of it is kept for an answer that was refused, and the reasons."""

_TASK = """\
You read a question about Earth-observation data as an expression: operators in one another that say what is asked.
Answer with JSON: {"expression": {OPERATOR: {FIELD: ..., "words": [...]}}}. "words": words of the question, as they
stand there, that ask for this operator. Every word that means something is behind one operator. What no operator says
(a place, a condition, a material that is not listed) must not be hidden behind another: answer {"cannot": "why"}.
Invent no limits, dates, classes or grounds. Dates are text: DATES.
Quantities, classes and polygons are called as listed; what is `defined` is asked for by its name. Space is taken away
first, a number for each date, then the dates. The unit that is asked for goes to "unit", its words to "unit_words".

Operators (a field with ? may be left out):
OPERATORS

"On how many dates in 2017 was the mean greenness above 0.5?" is
{"expression": {"over": {"x": {"beyond": {"x": {"over": {"x": {"during": {"x": {"quantity": {"kind": "ndvi", "words":
["greenness"]}}, "when": "2017", "words": ["in 2017"]}}, "axes": "space", "statistic": "mean", "words": ["mean"]}},
"side": "above", "limit": {"number": {"value": 0.5, "words": ["0.5"]}}, "words": ["above"]}}, "axes": "time",
"statistic": "count", "words": ["how many dates"]}}}
A ground is {"within": {"x": ..., "where": ...}}, a class {"is_class": {"x": {"quantity": ...}, "names": [...]}}.
"""
_NEAR = {"quantities": (40, 24, 12, 6), "names": (24, 16, 12, 6), "guidance": (3, 2, 1, 0), "definitions": (8, 6, 3, 0)}
"""How much is told of each, less and less until the request fits."""
_LONGEST = 240
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")


@dataclass(frozen=True, slots=True)
class Asking:
    """A question to be read: with the names of the data (None: there is no folder) and what experts wrote.

    ``unread`` is what stood in the way of reading it by its words.
    """

    question: str
    data: DataWords | None
    templates: Mapping[str, Template]
    unread: Sequence[str] = ()

    @property
    def of_features(self) -> bool:
        """Whether there are vector files to ask about."""
        return self.data is not None and bool(self.data.features)


@dataclass(frozen=True, slots=True)
class Request:
    """The conversation that asks for a reading, about how many tokens it has, and the numbers that experts told."""

    messages: tuple[Message, ...]
    tokens: int
    numbers: tuple[float, ...]


def request_of(asking: Asking, schema: Schema) -> Request:
    """What a model is asked, as much of it as fits.

    Raises:
        LanguageModelError: the question itself is too long for it.
    """
    tokens = 0
    for level in range(len(_NEAR["quantities"])):
        parts = list(_told(asking, {name: most[level] for name, most in _NEAR.items()}))
        told = "\n\n".join(f"{title}\n{fenced(name, data)}" for title, name, data in parts if data)
        messages = (
            Message("system", f"{_task(asking.of_features)}\n{FENCES_EXPLAINED}"),
            Message("user", f"{told}\n\nAnswer with the expression of the question as one JSON object."),
        )
        tokens = estimated_tokens(messages, schema) + estimated_tokens((), schema)
        if tokens <= MOST_TOKENS - _CORRECTED:
            guidance: list[dict[str, str]] = next((data for _, name, data in parts if name == "guidance"), [])
            numbers = tuple(float(one) for text in guidance for one in _NUMBER.findall(text["guidance"]))
            return Request(messages, tokens, numbers)
    raise LanguageModelError(
        "the question is too long for a language model",
        expected=f"a request of at most {MOST_TOKENS - _CORRECTED} tokens",
        found=f"about {tokens}",
        hint="ask in fewer words",
    )


def _told(asking: Asking, most: Mapping[str, int]) -> Iterator[tuple[str, str, Any]]:
    data = asking.data or DataWords()
    kinds = tuple(islice(near_quantities(asking.question, data), most["quantities"]))
    yield "What the data hold.", "data", _data(data, most["names"], asking.question)
    yield "Quantities by name, with unit.", "quantities", [_kind(name, name in data.quantities) for name in kinds]
    yield "Defined by experts.", "defined", list(islice(_definitions(asking.templates, kinds), most["definitions"]))
    yield "What experts mind in such questions.", "guidance", list(islice(_guidance(asking.question), most["guidance"]))
    yield "Why it could not be read by its words alone.", "unread", [shortened(one) for one in asking.unread][:6]
    yield "The question.", "question", asking.question


@kept()
def _task(features: bool) -> str:
    left_out = () if features else OF_FEATURES
    told = [op for op in OPERATORS if op not in left_out]
    operators = "\n".join(f"{op}({', '.join(_fields(op))}): {_first_line(OPERATORS[op])}" for op in told)
    return _TASK.replace("DATES", FORMS).replace("OPERATORS", operators)


def _fields(op: str) -> Iterator[str]:
    fields = forms(op)
    for name, (declared, _) in fields.items():
        optional = declared.default is not declared.default_factory  # both are MISSING where it must be given
        yield f"{name}?" if optional else name


def _first_line(operator: type) -> str:
    return (operator.__doc__ or "").partition("\n\n")[0].replace("\n", " ").replace("``", "")


# --- the vocabulary --------------------------------------------------------------------------------------------------


def near_quantities(question: str, data: DataWords) -> Iterator[str]:
    """Quantity kinds, the nearest to a question first: those that its words name, those of the data, those that share
    words with it by name or synonym."""
    kinds = quantity_kinds()
    named = (one.value for one in sentence_of(question, data).entities if isinstance(one.value, Quantity))
    entries, words = _kinds()
    scores = words.overlap(Heard.of(question)).scores
    spoken = set(stems(question))
    near = [(float(score) + _shared(entry, spoken), entry.id) for entry, score in zip(entries, scores, strict=True)]
    ranked = [name for score, name in sorted(near, key=lambda pair: (-pair[0], pair[1])) if score > 0]
    every = (*(one.kind for one in named), *sorted(data.quantities), *ranked)
    yield from (name for name in dict.fromkeys(every) if name in kinds)


def _shared(entry: Entry, spoken: set[str]) -> float:
    """How much of a name is spoken: what has one word of three is farther than what has all."""
    own = [set(stems(text)) for text in (entry.id.replace("_", " "), *entry.keywords)]
    return max((len(one & spoken) / len(one) for one in own if one), default=0.0)


@kept()
def _kinds() -> tuple[tuple[Entry, ...], LexicalIndex]:
    """The quantity kinds as they are searched."""
    entries = tuple(
        Entry(kind.name, kind.title, kind.synonyms, kind.name.replace("_", " "), ((kind.title, 1.0),))
        for kind in quantity_kinds().values()
        if kind.family not in ("statistics", "measure")
    )
    return entries, LexicalIndex(entries)


def _kind(name: str, held: bool) -> str:
    kind = quantity_kinds()[name]
    unit = "true or false" if kind.family == "mask" else "classes" if kind.categorical else kind.unit
    return f"{name} [{unit}] {kind.title}{', in the data' if held else ''}"


def _data(data: DataWords, most: int, question: str) -> list[Any]:
    rows: list[Any] = []
    if data.dates:
        several = [str(day) for day in data.dates]
        shown = several if len(several) <= most else [*several[: most // 2], "...", *several[-(most // 2) :]]
        rows.append({"dates": shown, "number": len(several)})
    rows += [{"classes of": kind, "names": _few(names, most, question)} for kind, names in sorted(data.classes.items())]
    rows += [{"polygons": _few(data.objects, most, question)}] if data.objects else []
    rows += [_features(layer, most) for layer in data.features if layer.name is not None]
    rows += [{"points": _few(tuple(data.points), most, question)}] if data.points else []
    rows += [{"tools to apply": _asked(data, most, question)}] if data.asked else []
    rows += [{"layers": dict(list(data.layers.items())[:most])}] if data.layers else []
    return rows


def _features(layer: FeatureLayer, most: int) -> dict[str, Any]:
    """A vector file, with how many features it has and the columns of its numbers."""
    columns = {column: unit for _, column, unit in layer.numbers}
    return {"layer": layer.name, "features": layer.count, "attributes": dict(list(columns.items())[:most])}


def _asked(data: DataWords, most: int, question: str) -> dict[str, str]:
    """Tools that answer by themselves, by the nouns that ask for them: those that share words with the question."""
    tools = {noun: one.tool for noun, one in data.asked}
    spoken = set(stems(question))
    near = [noun for noun in tools if spoken & set(stems(noun))]
    return {noun: tools[noun] for noun in near[:most]}


def _few(names: Sequence[str], most: int, question: str) -> list[str]:
    """The first names, those that share words with the question before others."""
    spoken = set(stems(question))
    ranked = sorted(names, key=lambda name: not spoken & set(stems(name)))
    shown = [shortened(name, 60) for name in ranked[:most]]
    return shown if len(ranked) <= most else [*shown, f"... {len(ranked) - most} more"]


# --- what experts wrote ----------------------------------------------------------------------------------------------


def _definitions(templates: Mapping[str, Template], kinds: Sequence[str]) -> Iterator[dict[str, str]]:
    """The definitions of the quantities that are near, in the order of these."""
    for kind in kinds:
        for one in templates.values():
            if one.defines == kind and one.computes is not None:
                yield {"quantity": kind, "title": one.title, "defined": shortened(str(one.computes), _LONGEST)}


def _guidance(question: str) -> Iterator[dict[str, str]]:
    """The guidance of the task cards that are nearest."""
    cards = {card.card: card for card in load_cards()}
    found = retrieve(question, 3)
    for hit in (*found.hits, *found.near_misses):
        card = cards[hit.id]
        yield {"task": card.title, "guidance": shortened(card.guidance, _LONGEST)}
