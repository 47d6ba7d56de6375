"""Formulas of spectral indices as block kernels: parsed once against an allowlist, computed by numpy."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.syntax import parse_expression

Number: TypeAlias = "NDArray[np.float32] | float"
Values: TypeAlias = "Mapping[str, Number]"
Formula: TypeAlias = "Callable[[Values], Number]"

_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}


@lru_cache(maxsize=512)
def compile_formula(text: str) -> Formula:
    """A function from values by symbol (arrays or numbers) to the value of the formula.

    The formula may hold ``+ - * / **``, parentheses, numbers and symbols. Raises ``ToolError`` for anything else.
    """
    try:
        tree = parse_expression(text.strip())
    except SyntaxError as error:
        raise _refused(text, f"{error.msg} at column {error.offset}") from error
    return _compiled(tree, text)


def _compiled(node: ast.expr, text: str) -> Formula:
    match node:
        case ast.Name(id=name):
            return lambda values: values[name]
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            number = float(value)
            return lambda values: number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _compiled(operand, text)
            return lambda values: -inner(values)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2 | 2.0)):
            base = _compiled(left, text)
            return lambda values: np.square(base(values))
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=0.5)):
            base = _compiled(left, text)
            return lambda values: np.sqrt(base(values))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _both(_power, _compiled(left, text), _compiled(right, text))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _both(_OPERATIONS[type(op)], _compiled(left, text), _compiled(right, text))
    raise _refused(text, ast.unparse(node))


def _both(operation: Callable[[Any, Any], Any], left: Formula, right: Formula) -> Formula:
    return lambda values: operation(left(values), right(values))


def _power(base: Number, exponent: Number) -> Any:
    return np.power(base, exponent)


def _refused(text: str, found: str) -> ToolError:
    return ToolError(
        f"not a formula of an index: {text!r}",
        expected="numbers, symbols, parentheses and + - * / **",
        found=found,
    )
