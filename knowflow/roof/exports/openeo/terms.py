"""Arithmetic of pixels or numbers, which becomes the child process of an ``apply`` or of a reducer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from knowflow.ground.syntax import parse_expression

Operand: TypeAlias = "Term | float | int | bool"

_OPERATIONS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}


@dataclass(frozen=True, eq=False)
class Term:
    """A process with its arguments; a symbol where it has none (then the process is its name)."""

    process: str
    arguments: Mapping[str, Any] | None = None

    def __add__(self, other: Operand) -> Term:
        return term("add", x=self, y=other)

    def __sub__(self, other: Operand) -> Term:
        return term("subtract", x=self, y=other)

    def __mul__(self, other: Operand) -> Term:
        return term("multiply", x=self, y=other)

    def __rmul__(self, other: Operand) -> Term:
        return term("multiply", x=other, y=self)

    def __rsub__(self, other: Operand) -> Term:
        return term("subtract", x=other, y=self)

    def __truediv__(self, other: Operand) -> Term:
        return term("divide", x=self, y=other)

    def __rtruediv__(self, other: Operand) -> Term:
        return term("divide", x=other, y=self)

    def __pow__(self, other: Operand) -> Term:
        return term("power", base=self, p=other)


def term(process: str, /, **arguments: Any) -> Term:
    return Term(process, arguments)


def symbol(name: str) -> Term:
    return Term(name)


def symbols_of(one: Any) -> dict[str, None]:
    """The symbols in a term, in order."""
    if isinstance(one, Term):
        if one.arguments is None:
            return {one.process: None}
        return {name: None for value in one.arguments.values() for name in symbols_of(value)}
    if isinstance(one, list):
        return {name: None for value in one for name in symbols_of(value)}
    return {}


def child(one: Term, taken: Callable[[str], Any]) -> dict[str, Any]:
    """A term as ``{"process_graph": ...}``; ``taken`` tells of each symbol the parameter, or the node, that it is."""
    nodes: dict[str, Any] = {}
    known: dict[str, Any] = {}

    def argument(value: Any) -> Any:
        match value:
            case Term(process=name, arguments=None):
                if name not in known:
                    found = taken(name)
                    known[name] = found if "from_parameter" in found else _put(nodes, found)
                return known[name]
            case Term(process=process, arguments=given):
                made = {key: argument(inner) for key, inner in (given or {}).items()}
                node = {"process_id": process, "arguments": made}
                same = (name for name, one in nodes.items() if one == node)
                return {"from_node": found} if (found := next(same, None)) else _put(nodes, node)
            case list():
                return [argument(inner) for inner in value]
        return value

    result = argument(one)
    if "from_parameter" in result:  # a parameter alone is no graph
        result = _put(nodes, {"process_id": "add", "arguments": {"x": result, "y": 0}})
    nodes[result["from_node"]]["result"] = True
    return {"process_graph": nodes}


def _put(nodes: dict[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    name = f"{node['process_id']}{len(nodes) + 1}"
    nodes[name] = dict(node)
    return {"from_node": name}


def formula(text: str, values: Mapping[str, Operand]) -> Operand | None:
    """The formula of an index as a term, with what its symbols stand for; None where it holds something else than
    arithmetic."""
    return _formula(parse_expression(text.strip()), values)


def _formula(node: ast.expr, values: Mapping[str, Operand]) -> Operand | None:
    match node:
        case ast.Name(id=name):
            return values.get(name)
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            one = _formula(operand, values)
            return None if one is None else term("multiply", x=-1, y=one)
        case ast.BinOp(left=left, op=op, right=right):
            one, other = _formula(left, values), _formula(right, values)
            if one is None or other is None:
                return None
            if isinstance(op, ast.Pow):
                return term("power", base=one, p=other)
            process = _OPERATIONS.get(type(op))
            return None if process is None else term(process, x=one, y=other)
    return None
