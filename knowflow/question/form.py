"""How expressions are written: as plain data (YAML, JSON), and as text, ``over(during(ndvi, 2017), space, mean)``.

As data an operator is a mapping of its name to its fields: ``{over: {x: ..., axes: space, statistic: mean}}``; where
only the first field is given, its value may stand alone: ``{not: ...}``, ``{quantity: ndvi}``. Where an expression
belongs a text is read as a call of operators, a name as a quantity, and a number, with a unit or without, as itself.
What fields there are, and what they take, is read from the operators' own declarations.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from knowflow.ground.spelling import did_you_mean
from knowflow.ground.syntax import parse_expression
from knowflow.question.operators import OPERATORS, Expression, Number, Position
from knowflow.question.times import FORMS, Times, times

_MEASURED = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s+(\S.*?)\s*\Z")
_PAIRS: tuple[Any, ...] = (tuple[tuple[str, str], ...], tuple[tuple[str, Expression], ...])
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Fault:
    """What is not an expression: where in the tree, what was expected, and what is there."""

    at: Position
    code: str
    expected: str
    found: str
    hint: str = ""


class _NotOneError(Exception):
    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults = faults


def _wrong(at: Position, code: str, expected: str, found: object, hint: str = "") -> _NotOneError:
    text = found if isinstance(found, str) else repr(found)
    return _NotOneError(Fault(at, code, expected, text if len(text) <= 80 else text[:77] + "...", hint))


def expression_of(data: object) -> tuple[Expression | None, tuple[Fault, ...]]:
    """The expression that plain data write down, or all that is wrong with them."""
    try:
        return _expression(data, (), {}), ()
    except _NotOneError as error:
        return None, error.faults


def to_data(expression: Expression) -> Any:
    """An expression as plain data, the shortest way: what is default is left out, what has one field stands alone."""
    if isinstance(expression, Number):
        value: Any = int(expression.value) if expression.value.is_integer() else expression.value
        return value if expression.unit == "1" else f"{value!r} {expression.unit}"
    own = forms(expression.op)
    values = {name: (declared, getattr(expression, declared.name)) for name, (declared, _) in own.items()}
    given = {name: _plain(value) for name, (declared, value) in values.items() if value != declared.default}
    first = next(iter(own))
    alone = [*given] == [first] and not (isinstance(given[first], dict) and given[first].keys() & own.keys())
    return {expression.op: given[first] if alone else given}


def _plain(value: Any) -> Any:
    if isinstance(value, Expression):
        return to_data(value)
    if isinstance(value, Times):
        return str(value)
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return {name: _plain(part) for name, part in value}
        return [_plain(part) for part in value]
    return value


@cache
def forms(op: str) -> Mapping[str, tuple[Field[Any], Any]]:
    """The fields of an operator as they are written, with their declaration and type."""
    operator = OPERATORS[op]
    hints = get_type_hints(operator)
    return {one.name.rstrip("_"): (one, hints[one.name]) for one in fields(operator)}


Parts = Mapping[str, Expression]  # those of the question that are read already, by name


def _expression(data: object, at: Position, parts: Parts) -> Expression:
    if len(at) > 2 * _DEEPEST:
        raise _wrong(at, "too_deep", f"at most {_DEEPEST} operators in one another", "more")
    if isinstance(data, (int, float)) and not isinstance(data, bool) and math.isfinite(data):
        return Number(float(data))
    if isinstance(data, str):
        measured = _MEASURED.match(data)
        if measured is not None:
            return Number(float(measured.group(1)), measured.group(2))
        if data.startswith("$"):
            if data[1:] in parts:
                return parts[data[1:]]
            raise _wrong(at, "unknown_part", "a part that stands above", data, did_you_mean(data[1:], parts))
        return _expression(_of_text(data, at), at, parts)
    if not isinstance(data, Mapping) or len(data) != 1:
        raise _wrong(at, "not_an_expression", "one operator with its fields, a number or a text", data)
    op, given = next(iter(data.items()))
    if op not in OPERATORS:
        hint = did_you_mean(str(op), OPERATORS)
        raise _wrong(at, "unknown_operator", f"one of {', '.join(OPERATORS)}", str(op), hint)
    own = forms(op)
    if not (isinstance(given, Mapping) and given.keys() & own.keys()) and given != {}:
        given = {next(iter(own)): given}
    return _operator(op, given, (*at, op), parts)


def _operator(op: str, given: Mapping[Any, object], at: Position, parts: Parts) -> Expression:
    own = forms(op)
    values: dict[str, Any] = {}
    faults: list[Fault] = []
    for name in given:
        if name not in own:
            hint = did_you_mean(str(name), own) or f"{op} has {', '.join(own)}"
            faults.append(Fault((*at, str(name)), "unknown_field", f"a field of {op}", str(name), hint))
    for name, (declared, form) in own.items():
        if name in given:
            try:
                values[declared.name] = _value(given[name], form, (*at, name), parts)
            except _NotOneError as error:
                faults += error.faults
        elif declared.default is MISSING:
            faults.append(Fault(at, "missing_field", f"the field {name!r} of {op}", "nothing"))
    if faults:
        raise _NotOneError(*faults)
    return OPERATORS[op](**values)


def _value(data: object, form: Any, at: Position, parts: Parts) -> Any:
    """The value of a field by its declared type."""
    choices = get_args(form) if get_origin(form) in (Union, UnionType) else (form,)
    if data is None and NoneType in choices:
        return None
    literal = next((get_args(one) for one in choices if get_origin(one) is Literal), ())
    if isinstance(data, str) and data in literal:
        return data
    if Times in choices:
        found = times(str(data)) if isinstance(data, (str, int)) else None
        if found is not None:
            return found
    if Expression in choices:
        return _expression(data, at, parts)
    if literal or Times in choices:
        expected = f"one of {', '.join(literal)}" if literal else f"dates: {FORMS}"
        raise _wrong(at, "bad_value", expected, data, did_you_mean(str(data), literal))
    return _of_one_form(data, next(one for one in choices if one is not NoneType), at, parts)


def _of_one_form(data: Any, form: Any, at: Position, parts: Parts) -> Any:
    number = isinstance(data, (int, float)) and not isinstance(data, bool) and math.isfinite(data)
    if form is str:
        if isinstance(data, str) and data:
            return data
        raise _wrong(at, "bad_value", "text", data)
    if form is int or form is float:
        if number and (form is float or float(data).is_integer()):
            return form(data)
        raise _wrong(at, "bad_value", "a whole number" if form is int else "a number", data)
    if form in _PAIRS:
        if not isinstance(data, Mapping):
            raise _wrong(at, "bad_value", "a mapping of names", data)
        return tuple(_pairs(data, get_args(get_args(form)[0])[1], at, parts))
    inner = get_args(form)[0]
    listed = data if isinstance(data, (list, tuple)) else [data]
    return tuple(_each(((place, one) for place, one in enumerate(listed)), inner, at, parts))


def _each(values: Iterable[tuple[str | int, object]], form: Any, at: Position, parts: Parts) -> list[Any]:
    """Several values of one form; all that is wrong with any of them."""
    made: list[Any] = []
    faults: list[Fault] = []
    for place, value in values:
        try:
            made.append(_value(value, form, (*at, place), parts))
        except _NotOneError as error:
            faults += error.faults
    if faults:
        raise _NotOneError(*faults)
    return made


def _pairs(data: Mapping[Any, object], form: Any, at: Position, parts: Parts) -> Iterator[tuple[str, Any]]:
    known = dict(parts)
    for name, value in data.items():
        (made,) = _each([(str(name), value)], form, at, known)
        if isinstance(made, Expression):
            known[str(name)] = made
        yield str(name), made


def _of_text(text: str, at: Position) -> Any:
    """A text as plain data: calls of operators, ``and``, ``or``, ``not``, names, numbers and quoted text."""
    try:
        return _call(parse_expression(text.strip()), text, at, top=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        found = str(getattr(error, "msg", None) or error)
        hint = "dates, units and names with spaces want quotes"
        raise _wrong(at, "not_an_expression", "a call of operators", f"{text!r}: {found}", hint) from None


def _call(node: ast.expr, text: str, at: Position, top: bool = False) -> Any:
    match node:
        case ast.Name(id=name):
            return {"quantity": name} if top else name
        case ast.Constant(value=bool() | None):
            pass
        case ast.Constant(value=str() | int() | float() as value) if not (top and isinstance(value, str)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return {"not": _call(operand, text, at)}
        case ast.BoolOp(op=op, values=values):
            return {"and" if isinstance(op, ast.And) else "or": [_call(value, text, at) for value in values]}
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_call(item, text, at) for item in items]
        case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
            return {
                str(ast.literal_eval(key)): _call(one, text, at) for key, one in zip(keys, values, strict=True) if key
            }
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in OPERATORS:
            names = list(forms(name))
            if len(args) <= len(names) and all(word.arg in names for word in keywords):
                given = dict(zip(names, (_call(one, text, at) for one in args), strict=False))
                return {name: given | {str(word.arg): _call(word.value, text, at) for word in keywords}}
            raise _wrong(at, "unknown_field", f"{name}({', '.join(names)})", ast.unparse(node))
        case ast.Call(func=ast.Name(id=name)):
            hint = did_you_mean(name, OPERATORS)
            raise _wrong(at, "unknown_operator", f"one of {', '.join(OPERATORS)}", name, hint)
    raise _wrong(at, "not_an_expression", "operators, names, numbers and quoted text", ast.unparse(node))
