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
from knowflow.tools.raster.buffers import spare

Number: TypeAlias = "NDArray[np.float32] | float"
Values: TypeAlias = "Mapping[str, Number]"
Formula: TypeAlias = "Callable[..., Number]"

_OPERATIONS: Mapping[type[ast.operator], Callable[..., Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
}


@lru_cache(maxsize=512)
def compile_formula(text: str) -> Formula:
    """A function from values by symbol (arrays or numbers) to the value of the formula.

    It takes ``out``, an array for the result and what leads to it, which is none of the values. The formula may hold
    ``+ - * / **``, parentheses, numbers and symbols. Raises ``ToolError`` for anything else.
    """
    try:
        tree = parse_expression(text.strip())
    except SyntaxError as error:
        raise _refused(text, f"{error.msg} at column {error.offset}") from error
    return _compiled(tree, text)


def _compiled(node: ast.expr, text: str) -> Formula:
    match node:
        case ast.Name(id=name):
            return lambda values, out=None: values[name]
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            number = float(value)
            return lambda values, out=None: number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _one(np.negative, _compiled(operand, text))
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=2 | 2.0)):
            return _one(np.square, _compiled(left, text))
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=0.5)):
            return _one(np.sqrt, _compiled(left, text))
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _both(np.power, _compiled(left, text), _compiled(right, text), right)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _both(_OPERATIONS[type(op)], _compiled(left, text), _compiled(right, text), right)
    raise _refused(text, ast.unparse(node))


def _one(operation: Callable[..., Any], inner: Formula) -> Formula:
    return lambda values, out=None: operation(inner(values, out), out=out)


def _both(operation: Callable[..., Any], left: Formula, right: Formula, second: ast.expr) -> Formula:
    parts = list(ast.walk(second))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    computes = len(parts) > 1 and not any(isinstance(part, ast.Constant) for part in parts)

    def both(values: Values, out: NDArray[Any] | None = None) -> Any:
        first = left(values, out)
        if out is None or not (computes and all(getattr(values[one], "dtype", None) == out.dtype for one in names)):
            return operation(first, right(values), out=out)
        room = spare.take(out.shape, out.dtype)  # for what is of the same type in any case
        found = operation(first, right(values, room), out=out)
        spare.give(room)
        return found

    return both


def _refused(text: str, found: str) -> ToolError:
    return ToolError(
        f"not a formula of an index: {text!r}",
        expected="numbers, symbols, parentheses and + - * / **",
        found=found,
    )
