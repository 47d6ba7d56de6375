"""Expressions over x, y, t and i, evaluated on arrays: the analytic truth of generated scenes.

The language is closed: numbers, the four names, arithmetic, comparisons, logic (``&``, ``|``, ``~`` or ``and``, ``or``,
``not``) and a few functions. Text is parsed with ``ast`` and checked against an allowlist; nothing is ever executed
as Python.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from knowflow.ground.errors import DocumentError
from knowflow.ground.syntax import parse_expression

VARIABLES = ("x", "y", "t", "i")
CONSTANTS: Mapping[str, float] = {"pi": float(np.pi)}
FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "where": (3, np.where),
    "sin": (1, np.sin),
    "cos": (1, np.cos),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "sqrt": (1, np.sqrt),
    "abs": (1, np.abs),
    "floor": (1, np.floor),
    "minimum": (2, np.minimum),
    "maximum": (2, np.maximum),
    "clip": (3, np.clip),
}
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.Mod: np.mod,
    ast.BitAnd: np.logical_and,
    ast.BitOr: np.logical_or,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: np.negative,
    ast.UAdd: np.positive,
    ast.Not: np.logical_not,
    ast.Invert: np.logical_not,
}
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
}
_EXPECTED = f"numbers, {', '.join(VARIABLES)}, pi, + - * / ** %, comparisons, & | ~, {', '.join(FUNCTIONS)}"


def check_expression(text: str) -> None:
    """Raise ``DocumentError`` where the text is not in the language of scene expressions."""
    _parsed(text)


def evaluate_truth(
    expression: str, x: ArrayLike, y: ArrayLike, t: ArrayLike = 0.0, i: ArrayLike = 0
) -> NDArray[np.floating[Any] | np.bool_]:
    """The value of an expression at scene coordinates, broadcast to the common shape of x, y, t and i.

    Float64, or bool where the expression is a comparison. Raises ``DocumentError`` for text outside the language.
    """
    values = {name: np.asarray(given, dtype=np.float64) for name, given in zip(VARIABLES, (x, y, t, i), strict=True)}
    with np.errstate(all="ignore"):  # log of a negative number is NaN, which the caller sees
        result = np.asarray(_value(_parsed(expression), values))
    shape = np.broadcast_shapes(*(value.shape for value in values.values()))
    return np.array(np.broadcast_to(result, shape))


def syntax_tree(text: str, refused: Callable[[str, str], DocumentError]) -> ast.expr:
    """The text as an expression; raises what ``refused`` makes of the text and the reason where it is none."""
    try:
        return parse_expression(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise refused(text, str(getattr(error, "msg", None) or error)) from error


@lru_cache(maxsize=512)
def _parsed(text: str) -> ast.expr:
    body = syntax_tree(text, _refused)
    _check(body, text)
    return body


def _check(node: ast.expr, text: str) -> None:
    match node:
        case ast.Constant(value=bool()):
            raise _refused(text, repr(node.value))
        case ast.Constant(value=int() | float()):
            return
        case ast.Name(id=name) if name in VARIABLES or name in CONSTANTS:
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            if isinstance(op, ast.BitAnd | ast.BitOr) and not (_logical(left) and _logical(right)):
                raise _refused(
                    text, f"{ast.unparse(node)!r}", "put parentheses around comparisons: (x < 0.5) & (y > 0.5)"
                )
            parts = [left, right]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            parts = [operand]
        case ast.BoolOp(values=values):
            parts = values
        case ast.Compare(left=left, ops=ops, comparators=comparators) if all(type(op) in COMPARISONS for op in ops):
            parts = [left, *comparators]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            if len(args) != FUNCTIONS[name][0]:
                raise _refused(text, f"{name} with {len(args)} arguments", f"{name} takes {FUNCTIONS[name][0]}")
            parts = args
        case _:
            raise _refused(text, repr(ast.unparse(node)))
    for part in parts:
        _check(part, text)


def _logical(node: ast.expr) -> bool:
    """Whether an expression is true or false by its form."""
    match node:
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not() | ast.Invert()):
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
            return True
    return False


def _value(node: ast.expr, values: Mapping[str, NDArray[Any]]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return CONSTANTS[name] if name in CONSTANTS else values[name]
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, values), _value(right, values))
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_value(operand, values))
        case ast.BoolOp(op=op, values=parts):
            combine = np.logical_and if isinstance(op, ast.And) else np.logical_or
            return combine.reduce(np.broadcast_arrays(*(_value(part, values) for part in parts)))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            terms = [_value(part, values) for part in (left, *comparators)]
            pairs = [COMPARISONS[type(op)](a, b) for op, a, b in zip(ops, terms, terms[1:], strict=False)]
            return np.logical_and.reduce(np.broadcast_arrays(*pairs))
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name][1](*(_value(argument, values) for argument in args))
    raise AssertionError(f"unchecked expression: {ast.dump(node)}")


def _refused(text: str, found: str, hint: str = "") -> DocumentError:
    return DocumentError(
        f"the scene expression {text!r} is not understood", expected=_EXPECTED, found=found, hint=hint or None
    )
