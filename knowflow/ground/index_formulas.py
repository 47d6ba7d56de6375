"""What a formula over symbols of bands comes to."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from knowflow.ground.syntax import parse_expression

_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Name(id=name):
            return values[name]
        case ast.Constant(value=int() | float() as value):
            return float(value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return float(_OPERATIONS[type(op)](_value(left, values), _value(right, values)))
    raise ValueError(ast.unparse(node))


def value_of(formula: str, values: Mapping[str, float]) -> float | None:
    """What a formula comes to for values of its symbols; None where it has no value.

    Raises:
        SyntaxError: it is no formula.
    """
    node = parse_expression(formula)
    try:
        return _value(node, values)
    except (ArithmeticError, KeyError, TypeError, ValueError):
        return None
