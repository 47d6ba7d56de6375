"""Expressions with holes: ``over(beyond($scenes, $side, $limit), space, share)``, and what fills the holes of one.

A hole stands for an expression, or for a word, a number or dates in a field. The same hole twice is the same value
twice. A field that a pattern leaves out is as it is by default; ``time`` is whichever grain of time is taken away.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

from knowflow.ground.syntax import parse_expression
from knowflow.question.form import forms
from knowflow.question.operators import COMMUTE, GRAINS, OPERATORS, Calculate, Expression, Number, Quantity

_HOLE = re.compile(r"\$([a-z][a-z0-9_]*)")
_MARK = "hole__"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that is one: ``size`` is the number of its operators, ``holes`` their names in order."""

    text: str
    tree: ast.expr
    size: int
    holes: tuple[str, ...]


@lru_cache(maxsize=512)
def pattern_of(text: str) -> Pattern:
    """The pattern that a text writes down.

    Raises:
        ValueError: it is no call of operators with the fields that they have.
    """
    try:
        tree = parse_expression(_HOLE.sub(rf"{_MARK}\1", text.strip()))
    except SyntaxError as error:
        raise ValueError(f"{text!r}: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _fields(node)
    size = sum(isinstance(node, ast.Call) for node in ast.walk(tree))
    if not size:
        raise ValueError(f"{text!r} is no operator")
    return Pattern(text, tree, size, tuple(dict.fromkeys(_HOLE.findall(text))))


def matches(pattern: Pattern, expression: Expression) -> Iterator[Mapping[str, Any]]:
    """What fills the holes of a pattern so that it is the expression: none where nothing does, several where parts may
    stand in either order.

    >>> from knowflow.question.form import expression_of
    >>> found, _ = expression_of("over(ndvi, space, mean)")
    >>> [one["statistic"] for one in matches(pattern_of("over($x, space, $statistic)"), found)]
    ['mean']
    """
    return _matches(pattern.tree, expression, {})


def _fields(node: ast.Call) -> dict[str, ast.expr]:
    """The fields that a call names.

    Raises:
        ValueError: there is no such operator, or it has no such field.
    """
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in OPERATORS:
        raise ValueError(f"{name or ast.unparse(node.func)} is no operator")
    own = list(forms(name))
    named = {str(word.arg): word.value for word in node.keywords}
    if len(node.args) > len(own) or not named.keys() <= set(own):
        raise ValueError(f"{name} has the fields {', '.join(own)}")
    return dict(zip(own, node.args, strict=False)) | named


Holes: TypeAlias = Mapping[str, Any]


def _matches(node: ast.expr, value: Any, holes: Holes) -> Iterator[Holes]:
    match node:
        case ast.Name(id=name) if name.startswith(_MARK):
            hole = name.removeprefix(_MARK)
            if value is not None and holes.get(hole, value) == value:
                yield {**holes, hole: value}
        case ast.Name(id=name):
            if value == (Quantity(name) if isinstance(value, Expression) else name):
                yield holes
        case ast.Constant(value=stated):
            number = isinstance(value, Number) and value.unit == "1"
            if (value.value if number else value) == stated:
                yield holes
        case ast.Call(func=ast.Name(id=op)) if isinstance(value, OPERATORS[op]):
            said = _fields(node)
            yield from _same_fields(op, said, value, holes)
            if isinstance(value, Calculate) and value.how in COMMUTE and value.b is not None:
                yield from _same_fields(op, said, replace(value, a=value.b, b=value.a), holes)


def _same_fields(op: str, said: Mapping[str, ast.expr], value: Expression, holes: Holes) -> Iterator[Holes]:
    found = [holes]
    for name, (declared, _) in forms(op).items():
        own = getattr(value, declared.name)
        if name not in said:
            found = found if own == declared.default else []
        elif not (name == "axes" and own in GRAINS and ast.unparse(said[name]) == "time"):
            found = [more for one in found for more in _matches(said[name], own, one)]
    yield from found
