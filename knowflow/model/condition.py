"""Conditions: a closed, three-valued language over artifacts.

Grammar: predicate calls, comparisons, ``and`` / ``or`` / ``not``, names (``$step.output`` in templates) and literals.
Text is parsed with :mod:`ast` against an allowlist; nothing is ever evaluated as Python.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from knowflow.ground.errors import ConditionSyntaxError
from knowflow.ground.syntax import parse_expression

Comparator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]

_COMPARATORS: dict[type[ast.cmpop], Comparator] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
_REFERENCE = re.compile(r"\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")
_DOT = "__DOT__"
_DOLLAR = "__REF__"
_LANGUAGE = "predicate calls, comparisons, and/or/not, names and literals"


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter, or with a leading ``$`` a reference into a template."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Const:
    """A literal number, string, boolean, None or a tuple of them."""

    value: Any

    def __str__(self) -> str:
        return str(list(self.value)) if isinstance(self.value, tuple) else repr(self.value)


@dataclass(frozen=True, slots=True)
class Call:
    """A predicate or an accessor of a fact, applied to terms."""

    name: str
    args: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True, slots=True)
class Compare:
    left: Expression
    op: Comparator
    right: Expression

    def __str__(self) -> str:
        return f"{_grouped(self.left)} {self.op} {_grouped(self.right)}"


@dataclass(frozen=True, slots=True)
class Logic:
    """``and`` / ``or`` over two or more parts, ``not`` over one."""

    op: Literal["and", "or", "not"]
    parts: tuple[Expression, ...]

    def __str__(self) -> str:
        if self.op == "not":
            return f"not {_grouped(self.parts[0])}"
        return f" {self.op} ".join(f"({part})" if isinstance(part, Logic) else str(part) for part in self.parts)


Expression = Name | Const | Call | Compare | Logic


def _grouped(part: Expression) -> str:
    return f"({part})" if isinstance(part, (Compare, Logic)) else str(part)


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Parse a condition.

    Raises:
        ConditionSyntaxError: the text is not in the language; the message names the offending part.
    """
    if _DOT in text or _DOLLAR in text:
        raise _refusal(text, f"{_DOT} or {_DOLLAR}, which are reserved")
    coded = _REFERENCE.sub(lambda match: _DOLLAR + match.group(1).replace(".", _DOT), text.strip())
    try:
        return _convert(parse_expression(coded), text)
    except SyntaxError as error:
        raise _refusal(text, f"{error.msg} at column {error.offset}") from None
    except ValueError as error:  # null bytes, lone surrogates
        raise _refusal(text, str(error)) from None
    except (RecursionError, MemoryError):
        raise _refusal(text, "parts nested too deeply") from None


def _refusal(text: str, found: str, expected: str = _LANGUAGE) -> ConditionSyntaxError:
    shown = text if len(text) <= 200 else text[:197] + "..."
    return ConditionSyntaxError(f"not a condition: {shown!r}", expected=expected, found=found[:200])


def _convert(node: ast.expr, text: str) -> Expression:
    match node:
        case ast.Name(id=name):
            return Name(_decode(name))
        case ast.Constant(value=str(value)):
            return Const(_decode(value))
        case ast.Constant(value=value) if value is None or isinstance(value, bool) or _is_number(value):
            return Const(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if _is_number(value):
            return Const(-value)  # type: ignore[operator]  # _is_number
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            items = tuple(_convert(element, text) for element in elements)
            if all(isinstance(item, Const) for item in items):
                return Const(tuple(item.value for item in items if isinstance(item, Const)))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if not name.startswith(_DOLLAR):
            return Call(name, tuple(_convert(argument, text) for argument in args))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return Compare(_convert(left, text), _comparator(op, text), _convert(right, text))
        case ast.Compare(left=left, ops=ops, comparators=rights):
            terms = [_convert(term, text) for term in (left, *rights)]
            links = [Compare(a, _comparator(op, text), b) for a, op, b in zip(terms, ops, terms[1:], strict=False)]
            return Logic("and", tuple(links))
        case ast.BoolOp(op=op, values=values):
            word: Literal["and", "or"] = "and" if isinstance(op, ast.And) else "or"
            return Logic(word, tuple(_convert(value, text) for value in values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return Logic("not", (_convert(operand, text),))
    raise _refusal(text, _decode(ast.unparse(node)))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _comparator(op: ast.cmpop, text: str) -> Comparator:
    found = _COMPARATORS.get(type(op))
    if found is None:
        raise _refusal(text, type(op).__name__, "one of == != < <= > >= in not in")
    return found


def _decode(name: str) -> str:
    return name.replace(_DOLLAR, "$").replace(_DOT, ".")


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it."""
    yield expression
    match expression:
        case Call(args=parts) | Logic(parts=parts):
            for part in parts:
                yield from walk(part)
        case Compare(left=left, right=right):
            yield from walk(left)
            yield from walk(right)


def names(expression: Expression) -> tuple[str, ...]:
    """The names an expression mentions, in order, once each."""
    return tuple(dict.fromkeys(part.name for part in walk(expression) if isinstance(part, Name)))


def calls(expression: Expression) -> tuple[Call, ...]:
    return tuple(part for part in walk(expression) if isinstance(part, Call))
