"""Where a module can be wrong in a way that matters: one changed node of its syntax tree each.

The kinds of mistakes are those that people make here: ``<`` for ``<=``, a weight that is dropped, plus for minus, what
is unknown taken for false, another statistic, axis, side or grain, two arguments exchanged, off by one.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, TypeAlias

_ORDER: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_SIGNS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Div: ast.Mult}
# fmt: off
_PAIRS = (
    ("mean", "median"), ("minimum", "maximum"), ("deviation", "range"), ("any", "all"), ("first", "last"),
    ("space", "time"), ("year", "month"), ("above", "at_least"), ("below", "at_most"), ("highest", "lowest"),
    ("difference", "sum"), ("ratio", "product"), ("and", "or"),
)
_ONE_WAY = (
    ("sum", "mean"), ("count", "sum"), ("both", "space"), ("season", "month"), ("month_of_year", "month"),
    ("level", "state"), ("angle", "state"), ("percent", "difference"), ("cumulated", "change"),
)
_FUNCTIONS = (
    ("nanmin", "nanmax"), ("nanmax", "nanmin"), ("nanmean", "nanmedian"), ("nanmedian", "nanmean"),
    ("nansum", "nanmean"), ("isfinite", "isreal"), ("isnan", "iscomplex"), ("fmax", "fmin"), ("fmin", "fmax"),
    ("maximum", "minimum"), ("minimum", "maximum"), ("floor", "ceil"),
)
# fmt: on
_WORDS = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}, **dict(_ONE_WAY)}
_NAMES = dict(_FUNCTIONS)
_EXCHANGED = ({"a", "b"}, {"one", "other"}, {"before", "after"}, {"first", "second"})
_TOLD = ("refuse", "PlanningError", "ToolError", "OutsideError", "Assumption", "tell")
_SHOWN = ("layer", "step", "title")
_LEAST = 1e-6  # a smaller number is a tolerance


_NOTE = "__knowflow_was_run__"
Place: TypeAlias = tuple[str, int, int]
"""Lines of a module, from the first to the last."""


@dataclass(frozen=True)
class Mutant:
    """One mistake: in which function of a module, at which line; ``place`` counts those of the module."""

    module: str
    function: str
    line: int
    what: str
    place: int


def mutants_of(module: str) -> Iterator[Mutant]:
    """All mistakes that can be made in the functions of a module, in the order of its lines."""
    tree = ast.parse(_source(module))
    for place, (node, what, _) in enumerate(_spots(tree)):
        line = int(getattr(node, "lineno", 0))
        mutant = Mutant(module, _function_at(tree, line), line, what, place)
        if function_of(mutant) is not None:
            yield mutant


def make(mutant: Mutant) -> None:
    """Make the mistake in the function itself, whoever holds it."""
    function = function_of(mutant)
    assert function is not None
    tree = ast.parse(_source(mutant.module))
    _spots(tree)[mutant.place][2]()
    whole = compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec")
    function.__code__ = _code_of(whole, mutant.function.split("."))


@contextmanager
def noting(modules: Iterable[str]) -> Iterator[set[Place]]:
    """While it lasts, each statement of the functions of some modules notes that it was run.

    The same set is given throughout: who wants to know about one run clears it before.
    """
    run: set[Place] = set()
    before: list[tuple[FunctionType, CodeType]] = []
    setattr(builtins, _NOTE, run.add)
    for module in modules:
        tree = ast.parse(_source(module))
        names = [one for function in _functions(tree) if (one := _function_at(tree, function.lineno))]
        for function in _functions(tree):
            _noted(function, module)
        whole = compile(ast.fix_missing_locations(tree), module, "exec")
        for name in names:
            held = function_of(Mutant(module, name, 0, "", 0))
            if held is not None:
                before.append((held, held.__code__))
                held.__code__ = _code_of(whole, name.split("."))
    try:
        yield run
    finally:
        for held, code in before:
            held.__code__ = code


def _noted(node: ast.AST, module: str) -> None:
    """Put a note in front of every statement: the lines that it has of its own."""
    for name in ("body", "orelse", "finalbody"):
        inner = getattr(node, name, None)
        if isinstance(inner, list):
            noted: list[ast.stmt] = []
            for one in inner:
                below = getattr(one, "body", None) or getattr(one, "cases", None)
                first = below[0] if isinstance(below, list) else None
                last = (first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno) if first else None
                place = (module, one.lineno, one.end_lineno if last is None else max(one.lineno, last - 1))
                note = ast.Call(ast.Name(_NOTE, ast.Load()), [ast.Constant(place)], [])  # type: ignore[arg-type]  # a constant may be a tuple
                noted += [ast.copy_location(ast.Expr(note), one), one]
                _noted(one, module)
            setattr(node, name, noted)
    for case in getattr(node, "cases", ()):
        _noted(case, module)


def _source(module: str) -> str:
    return inspect.getsource(importlib.import_module(module))


def function_of(mutant: Mutant) -> FunctionType | None:
    """The function as others hold it; None where it cannot be had."""
    found: Any = importlib.import_module(mutant.module)
    for name in mutant.function.split("."):
        found = inspect.getattr_static(found, name, None)
        found = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
    found = inspect.unwrap(found) if callable(found) else None
    return found if isinstance(found, FunctionType) else None


def _spots(tree: ast.Module) -> list[tuple[ast.AST, str, Any]]:
    """The nodes that can be changed, what that is, and what changes them in place."""
    found: list[tuple[ast.AST, str, Any]] = []
    for function in _functions(tree):
        for node in _meant(function):
            found += _changes(node)
    return found


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            yield one
        elif isinstance(one, ast.ClassDef):
            yield from (inner for inner in one.body if isinstance(inner, ast.FunctionDef))


def _meant(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a body that something is computed with: no text for people, no annotation, no default."""
    stack: list[ast.AST] = [*function.body]
    while stack:
        node = stack.pop(0)
        if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _TOLD:
            continue
        yield node
        below = [one for one in ast.iter_child_nodes(node) if not _is_for_show(node, one)]
        if isinstance(node, ast.AnnAssign):
            below = [one for one in below if one is not node.annotation]
        stack = below + stack


def _is_for_show(node: ast.AST, below: ast.AST) -> bool:
    """Whether a part of a node is where something is shown, or any negative number (the rest of a shape)."""
    match node:
        case ast.Dict(keys=keys, values=values):
            named = dict(zip(map(id, values), keys, strict=True)).get(id(below))
            return isinstance(named, ast.Constant) and named.value in _SHOWN
        case ast.keyword(arg=name):
            return name in _SHOWN
        case ast.Call(func=ast.Attribute(attr="reshape")):
            return isinstance(below, ast.UnaryOp)
    return False


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, str, Any]]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in _ORDER:
            other = _ORDER[type(op)]
            yield node, f"{other.__name__} for {type(op).__name__}", lambda: _put(node, "ops", [other()])
        case ast.BinOp(op=ast.Mult()):
            yield node, "a factor dropped", lambda: _put(node, "op", ast.Add(), "right", ast.Constant(0))
        case ast.BinOp(op=op) if type(op) in _SIGNS and not _of_text(node):
            sign = _SIGNS[type(op)]
            yield node, f"{sign.__name__} for {type(op).__name__}", lambda: _put(node, "op", sign())
        case ast.Constant(value=bool()):
            pass
        case ast.Constant(value=int(number)):
            yield node, f"{number + 1} for {number}", lambda: _put(node, "value", number + 1)
        case ast.Constant(value=float(number)) if abs(number) > _LEAST:
            yield node, f"{2 * number} for {number}", lambda: _put(node, "value", 2 * number)
        case ast.Constant(value=str(text)) if text in _WORDS:
            yield node, f"{_WORDS[text]} for {text}", lambda: _put(node, "value", _WORDS[text])
        case ast.Attribute(value=ast.Name(id="np"), attr=name) if name in _NAMES:
            yield node, f"{_NAMES[name]} for {name}", lambda: _put(node, "attr", _NAMES[name])
        case ast.Call(args=[*_, ast.Name(id=one), ast.Name(id=two)]) if {one, two} in _EXCHANGED:
            yield node, f"{two}, {one} for {one}, {two}", lambda: node.args.append(node.args.pop(-2))


def _of_text(node: ast.BinOp) -> bool:
    """Whether lists or texts are joined, which cannot be taken from each other."""
    return any(isinstance(side, ast.List | ast.Tuple | ast.Dict | ast.JoinedStr) for side in (node.left, node.right))


def _put(node: ast.AST, *values: Any) -> None:
    for name, value in zip(values[::2], values[1::2], strict=True):
        setattr(node, name, value)


def _function_at(tree: ast.Module, line: int) -> str:
    for one in tree.body:
        inner = one.body if isinstance(one, ast.ClassDef) else [one]
        for function in inner:
            if isinstance(function, ast.FunctionDef) and function.lineno <= line <= int(function.end_lineno or 0):
                return f"{one.name}.{function.name}" if isinstance(one, ast.ClassDef) else function.name
    return ""


def _code_of(whole: CodeType, names: list[str]) -> CodeType:
    inner = next(one for one in reversed(whole.co_consts) if isinstance(one, CodeType) and one.co_name == names[0])
    return inner if len(names) == 1 else _code_of(inner, names[1:])
