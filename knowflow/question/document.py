"""``question.yaml``: a question written by hand, its problems with file and line, and its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from knowflow.ground import yamldoc
from knowflow.ground.errors import DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.question.check import check
from knowflow.question.form import expression_of, forms
from knowflow.question.operators import ALGEBRA, OPERATORS, Expression, Position
from knowflow.question.times import FORMS, Times

_KEYS = ("algebra", "question")


def question_problems(path: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with a question that is written down, with file and line."""
    return _read(path)[1]


def load_question(path: Path) -> Expression:
    """A question that is written down.

    Raises:
        DocumentError: it is not valid; every problem is listed.
    """
    found, problems = _read(path)
    if found is None or problems:
        number = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise DocumentError(
            f"{path.name} is not a valid question",
            where=str(path),
            expected="a question as an expression (see docs/questions.md)",
            found=number,
            problems=problems,
        )
    return found


def question_of(data: object) -> Expression:
    """A question that is given as data, without a file.

    Raises:
        DocumentError: it is not valid; every problem is listed.
    """
    found, faults = expression_of(data)
    problems = [Problem(one.code, one.expected, one.found, one.hint, _told_place(one.at)) for one in faults]
    if found is not None:
        misfits = check(found).misfits
        problems += [Problem("does_not_fit", m.expected, m.found, m.hint, _told_place(m.at)) for m in misfits]
    if found is None or problems:
        expected = "a question as an expression (see docs/questions.md)"
        raise DocumentError("this is not a valid question", expected=expected, problems=problems)
    return found


def _told_place(at: Position) -> str:
    return ".".join(map(str, at))


def _read(path: Path) -> tuple[Expression | None, tuple[Problem, ...]]:
    document = yamldoc.load(path)
    data = document.data
    if not isinstance(data, dict):
        found = "an empty file" if data is None else f"a {type(data).__name__}"
        problem = document.problem((), "not_a_mapping", "a mapping with 'algebra' and 'question'", found)
        return None, document.problems or (problem,)
    problems = list(document.problems)
    for key in data.keys() - set(_KEYS):
        hint = did_you_mean(str(key), _KEYS)
        problems.append(document.problem((key,), "unknown_key", f"one of {', '.join(_KEYS)}", str(key), hint))
    version = data.get("algebra")
    if version != ALGEBRA or isinstance(version, bool):
        hint = f"write algebra: {ALGEBRA}"
        problems.append(document.problem(("algebra",), "version", f"the version {ALGEBRA}", repr(version), hint))
    if "question" not in data:
        problems.append(document.problem((), "missing_key", "the key 'question'", "nothing"))
        return None, tuple(problems)
    expression, faults = expression_of(data["question"])
    for fault in faults:
        at = _place(document, fault.at)
        problems.append(document.problem(at, fault.code, fault.expected, fault.found, fault.hint))
    if expression is None:
        return None, tuple(problems)
    for misfit in check(expression).misfits:
        at, expected = _place(document, misfit.at), f"for {misfit.operator} {misfit.expected}"
        problems.append(document.problem(at, "does_not_fit", expected, misfit.found, misfit.hint))
    return expression, tuple(problems)


def _place(document: yamldoc.Document, at: Position) -> yamldoc.Key:
    """The place in the file of a position in the tree: names of fields that stand alone are not written."""
    place: yamldoc.Key = ("question",)
    for part in at:
        place = (*place, part) if (*place, part) in document.lines else place
    return place


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a question, for editors and for language models."""
    expression = [{"$ref": f"#/$defs/{op}"} for op in OPERATORS]
    definitions: dict[str, Any] = {op: _schema_of(op) for op in OPERATORS}
    definitions["expression"] = {"anyOf": [*expression, {"type": "number"}, {"type": "string"}]}
    return {
        "type": "object",
        "properties": {"algebra": {"const": ALGEBRA}, "question": _EXPRESSION},
        "required": list(_KEYS),
        "additionalProperties": False,
        "$defs": definitions,
    }


_EXPRESSION = {"$ref": "#/$defs/expression"}


def definitions_beside(beside: Mapping[str, Any]) -> dict[str, Any]:
    """The definitions of the schema for who writes every operator whole, with these fields beside its own: as small
    as they can be."""
    found: dict[str, Any] = {"expression": {"anyOf": [{"$ref": f"#/$defs/{op}"} for op in OPERATORS]}}
    for op in OPERATORS:
        fields, required = _fields_of(op)
        whole = {"type": "object", "properties": {**fields, **beside}, "required": required}
        found[op] = {"type": "object", "properties": {op: whole}, "required": [op]}
    return found


def _fields_of(op: str) -> tuple[dict[str, Any], list[str]]:
    """What the fields of an operator take, and which it must have."""
    own = forms(op)
    required = [name for name, (declared, _) in own.items() if declared.default is MISSING]
    return {name: _schema_of_form(form) for name, (_, form) in own.items()}, required


def _schema_of(op: str) -> dict[str, Any]:
    own = forms(op)
    fields, required = _fields_of(op)
    whole = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
    alone = next(form for _, form in own.values())
    either = {"anyOf": [whole, _schema_of_form(alone)]} if len(required) <= 1 else whole
    return {
        "type": "object",
        "description": OPERATORS[op].__doc__,
        "properties": {op: either},
        "required": [op],
        "additionalProperties": False,
    }


def _schema_of_form(form: Any) -> dict[str, Any]:
    simple = {str: "string", int: "integer", float: "number", NoneType: "null"}
    if form in simple:
        return {"type": simple[form]}
    if form is Expression:
        return _EXPRESSION
    if form is Times:
        return {"type": ["string", "integer"], "description": f"dates: {FORMS}"}
    if get_origin(form) is Literal:
        return {"enum": list(get_args(form))}
    if get_origin(form) in (Union, UnionType):
        return {"anyOf": [_schema_of_form(one) for one in get_args(form)]}
    inner = get_args(form)[0]
    if get_origin(inner) is tuple:
        return {"type": "object", "additionalProperties": _schema_of_form(get_args(inner)[1])}
    return {"type": "array", "items": _schema_of_form(inner)}
