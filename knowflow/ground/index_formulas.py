"""Which indices of the catalogue a formula is, however it is written: told by its values, not by its letters."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

from knowflow.ground.indices import BAND_SYMBOLS, SpectralIndex, spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.syntax import parse_expression

_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
# values of every band at a few places that nothing ties to each other: formulas that agree at all of them are the same
_PLACES = tuple(
    {symbol: math.modf(0.1 + (place + 2) * math.sqrt(prime))[0] * 0.8 + 0.1 for symbol, prime in zip(
        BAND_SYMBOLS, (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73), strict=True
    )}
    for place in range(6)
)  # fmt: skip


def indices_of(formula: str) -> tuple[SpectralIndex, ...]:
    """The indices that have the values of a formula over the catalogue's symbols of bands; none where it is no formula.

    ``"(S1 - N) / (N + S1)"`` is NDBI, ``"(R - G) / (R + G)"`` NDTI.
    """
    try:
        values = _values(parse_expression(formula), {})
    except SyntaxError:
        return ()
    return tuple(index for index, others in _catalogue() if any(values) and all(map(_same, values, others)))


@kept()
def _catalogue() -> tuple[tuple[SpectralIndex, tuple[float | None, ...]], ...]:
    """Every index that bands alone give, with its values."""
    of_bands = (one for one in spectral_indices().values() if not one.inputs and not one.wavelengths)
    return tuple((index, _values(parse_expression(index.formula), index.constants)) for index in of_bands)


def _same(one: float | None, other: float | None) -> bool:
    return one is other is None or (one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9))


def _values(node: ast.expr, constants: Mapping[str, float]) -> tuple[float | None, ...]:
    """What a formula comes to at each of the places; None where it has no value."""
    found: list[float | None] = []
    for place in _PLACES:
        try:
            found.append(_value(node, {**place, **constants}))
        except (ArithmeticError, KeyError, TypeError, ValueError):
            found.append(None)
    return tuple(found)


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
