"""What a language model answers that reads a question: the expression, with the words of the question in each part.

An answer is held to the laws of every reading: it must be an expression that fits, and no word of the question may be
left out. Nothing in it is made up: each word stands in the question, each number there or in what the model was told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from knowflow.ground.errors import KnowFlowError, NotUnderstoodError
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import compatible, normalise
from knowflow.model.tool import Document
from knowflow.question.check import check
from knowflow.question.document import definitions_beside
from knowflow.question.form import expression_of, forms
from knowflow.question.operators import OPERATORS, Expression, IsClass, Over, Polygons, Position, Quantity, walk
from knowflow.question.reading.order import Thing, closed, typed
from knowflow.question.reading.readings import Part, Reading
from knowflow.question.reading.vocabulary import DataWords
from knowflow.reason.llm.coverage import Claim, said_problems

_WORDS = "words"
_NOTHING: tuple[Any, ...] = (None, "", [], {})
"""What models write in fields that they mean to leave out."""
_MOST_PROBLEMS = 6


class ReadingAnswer(Document):
    """The expression of a question; or none, and why."""

    expression: Any = Field(None, description="one operator with its fields, each with the words that say so")
    unit: str | None = Field(None, description="the unit that the answer is asked for in, if any")
    unit_words: list[str] = Field(default_factory=list, description="the words of the question that ask for the unit")
    cannot: str = Field("", description="why the question is no such expression; empty where it is one")


OF_FEATURES = ("attribute", "distance", "outline")
"""Operators that serve nobody where there are no vector files."""


def schema(features: bool = False) -> dict[str, Any]:
    """The JSON Schema of an answer, as small as it can be: every operator is written whole, with its words; those of
    ``features`` where there are some."""
    definitions = _lean(definitions_beside({_WORDS: {"$ref": "#/$defs/w"}}))
    if not features:
        ways = definitions["expression"]["anyOf"]
        ways[:] = [one for one in ways if one not in [{"$ref": f"#/$defs/{op}"} for op in OF_FEATURES]]
        definitions = {name: one for name, one in definitions.items() if name not in OF_FEATURES}
    return {
        "title": "reading",
        "type": "object",
        "properties": {
            "expression": {"$ref": "#/$defs/e"},
            "unit": {"type": "string"},
            "unit_words": {"$ref": "#/$defs/w"},
            "cannot": {"type": "string"},
        },
        "$defs": {
            "e": {"type": "object", **definitions.pop("expression")},
            "w": {"type": "array", "items": {"type": "string"}},
            **{name: {key: value for key, value in one.items() if key != "type"} for name, one in definitions.items()},
        },
    }


def _lean(schema: Any) -> Any:
    """A schema without what only describes, and without null, which stands for a field that is left out."""
    if schema == {"$ref": "#/$defs/expression"}:
        return {"$ref": "#/$defs/e"}
    if isinstance(schema, list):
        return [_lean(one) for one in schema if one != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    found = {key: _lean(value) for key, value in schema.items() if key != "description" or not isinstance(value, str)}
    return found["anyOf"][0] if len(found.get("anyOf", ())) == 1 else found


@dataclass(frozen=True, slots=True)
class Told:
    """What a model was told that an answer is held to: the names of the data (none: without a folder) and the numbers
    of experts."""

    data: DataWords | None
    numbers: tuple[float, ...] = ()

    @property
    def words(self) -> DataWords:
        return self.data or DataWords()


def reading_of(question: str, answer: ReadingAnswer, told: Told) -> Reading:
    """The reading that an answer is.

    Raises:
        NotUnderstoodError: it is no expression, does not fit, leaves words of the question out, or makes something up;
            ``problems`` are all reasons.
    """
    claims: list[tuple[Position, str]] = []
    expression, faults = expression_of(_without_words(answer.expression, (), claims))
    problems = [Problem(one.code, one.expected, one.found, one.hint, where=_place(one.at)) for one in faults]
    if expression is None:
        raise _refused(problems)
    misfits = check(expression).misfits
    problems += (
        Problem("does_not_fit", f"for {m.operator} {m.expected}", m.found, m.hint, _place(m.at)) for m in misfits
    )
    problems += _unknown_names(expression, told)
    problems += _unit_problems(expression, answer)
    if problems:
        raise _refused(problems)
    said = [Claim(at, words) for at, words in claims] + [Claim(None, words) for words in answer.unit_words]
    found = said_problems(question, expression, said, told.words, told.numbers)
    if found.problems:
        raise _refused(found.problems)
    whole, at = _closed(expression, found.each)
    parts = (
        *(Part(words, (*at, *place)) for place, words in found.parts),
        *(Part(words, None) for words in found.joining),
    )
    return Reading(question, whole, parts, unit=normalise(answer.unit) if answer.unit else None)


def _closed(expression: Expression, each: bool) -> tuple[Expression, Position]:
    """An expression with what it leaves open over the dates closed as for any question, and where it is in that; itself
    where the question asks for ``each`` of several."""
    own = typed(expression)
    if each or not isinstance(expression, Over) or expression.axes != "space" or own is None or own.keys != ("date",):
        return expression, ()
    whole = closed(Thing(expression.x, expression.statistic, expression.p))
    return (whole, ("over", "x")) if isinstance(whole, Over) and whole.x == expression else (expression, ())


def _refused(problems: Sequence[Problem]) -> NotUnderstoodError:
    return NotUnderstoodError("what a language model read does not hold", problems=problems[:_MOST_PROBLEMS])


def _place(at: Position) -> str:
    return ".".join(map(str, at)) or "expression"


def _without_words(data: Any, at: Position, claims: list[tuple[Position, str]]) -> Any:
    """The data of an expression without the words beside its fields, which are added to ``claims`` with their place."""
    if not isinstance(data, Mapping) or len(data) != 1 or (op := next(iter(data))) not in OPERATORS:
        return data
    given, own = data[op], forms(op)
    if isinstance(given, Mapping) and given.keys() & {*own, _WORDS} and not _is_one(given):
        words = given.get(_WORDS) or ()
        claims += ((at, str(one)) for one in ([words] if isinstance(words, str) else words))
        fields = {name: value for name, value in given.items() if name != _WORDS and value not in _NOTHING}
    else:
        fields = {next(iter(own)): given}
    return {op: {name: _below(value, (*at, op, str(name)), claims) for name, value in fields.items()}}


def _is_one(data: Mapping[Any, Any]) -> bool:
    """Whether it is an operator itself, where the fields of one might stand."""
    return len(data) == 1 and next(iter(data)) in OPERATORS and isinstance(next(iter(data.values())), Mapping)


def _below(value: Any, at: Position, claims: list[tuple[Position, str]]) -> Any:
    if isinstance(value, list):
        return [_without_words(one, (*at, place), claims) for place, one in enumerate(value)]
    if isinstance(value, Mapping) and at[-2:] == ("several", "named"):
        return {name: _without_words(one, (*at, str(name)), claims) for name, one in value.items()}
    return _without_words(value, at, claims)


def _unknown_names(expression: Expression, told: Told) -> Iterator[Problem]:
    """Classes and polygons that the data do not have."""
    if told.data is None:
        return
    for at, part in walk(expression):
        if isinstance(part, IsClass) and isinstance(part.x, Quantity):
            known = told.data.classes.get(part.x.kind, ())
            yield from _not_among(part.names, known, f"a class of {part.x.kind}", at) if known else ()
        if isinstance(part, Polygons):
            yield from _not_among(part.names, told.data.objects, "the name of a polygon in the data", at)
            layers = [one.name for one in told.data.features if one.name is not None]
            named = () if part.layer is None else (part.layer,)
            yield from _not_among(named, layers, "the name of a vector file", at)


def _not_among(names: Sequence[str], known: Sequence[str], expected: str, at: Position) -> Iterator[Problem]:
    for name in names:
        if name not in known:
            yield Problem("unknown_name", expected, repr(name), did_you_mean(name, known), _place(at))


def _unit_problems(expression: Expression, answer: ReadingAnswer) -> Iterator[Problem]:
    if not answer.unit:
        return
    own = check(expression).type
    try:
        fits = own is not None and own.of == "number" and compatible(answer.unit, own.measure.unit)
    except KnowFlowError:
        fits = False
    if not fits:
        yield Problem("unit", "a unit that the answer can be told in, or none", repr(answer.unit), where="unit")
