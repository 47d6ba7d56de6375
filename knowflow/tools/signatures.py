"""The signature of a function as its source says it: read, never imported, so that checking runs nothing.

What a module does when it is imported is its own affair, and whose module it is nobody has looked at yet when a schema
that names it is checked.
"""

from __future__ import annotations

import ast
import inspect
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.syntax import parse_module

_MOST_STEPS = 12  # of imports and other names that lead from a name to what it stands for
_SUMS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


@dataclass(frozen=True, slots=True)
class Unread:
    """A default that only running the module would tell."""

    text: str

    def __repr__(self) -> str:
        return self.text


class _UntoldError(Exception):
    """A value that the source does not tell."""


@dataclass(frozen=True, slots=True)
class _Named:
    """What a name stands for: a node of the tree of the module that defines it."""

    module: str
    node: ast.AST


class Sources:
    """Modules as trees. ``find`` gives the file of a module, None where there is none in Python."""

    def __init__(self, find: Callable[[str], Path | None]) -> None:
        self._find = find
        self._trees: dict[str, ast.Module | None] = {}

    def signature(self, module: str, name: str) -> inspect.Signature:
        """The signature of a function of a module; annotations are text, and defaults values where the source tells.

        Raises:
            UnknownNameError: there is no such module or function, or its source is no Python; ``found`` says which.
        """
        if self._tree(module) is None:
            raise UnknownNameError(
                "the source is not there", expected="a module in Python", found=f"no module {module}"
            )
        named = self._named(module, name)
        if named is None or not isinstance(named.node, ast.FunctionDef | ast.AsyncFunctionDef):
            found = "something else" if named is not None else f"no function {name!r}"
            raise UnknownNameError("there is no such function", expected=f"def {name}", found=f"{found} in {module}")
        returns = named.node.returns
        return inspect.Signature(
            list(self._parameters(named.module, named.node.args)),
            return_annotation=inspect.Signature.empty if returns is None else ast.unparse(returns),
        )

    def _parameters(self, module: str, args: ast.arguments) -> Iterator[inspect.Parameter]:
        kinds = inspect.Parameter
        plain: list[tuple[ast.arg, Any]] = [(one, kinds.POSITIONAL_ONLY) for one in args.posonlyargs]
        plain += [(one, kinds.POSITIONAL_OR_KEYWORD) for one in args.args]
        without = len(plain) - len(args.defaults)
        for number, (one, kind) in enumerate(plain):
            yield self._parameter(module, one, kind, args.defaults[number - without] if number >= without else None)
        if args.vararg is not None:
            yield self._parameter(module, args.vararg, kinds.VAR_POSITIONAL, None)
        for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
            yield self._parameter(module, one, kinds.KEYWORD_ONLY, default)
        if args.kwarg is not None:
            yield self._parameter(module, args.kwarg, kinds.VAR_KEYWORD, None)

    def _parameter(self, module: str, one: ast.arg, kind: Any, default: ast.expr | None) -> inspect.Parameter:
        empty = inspect.Parameter.empty
        annotation = empty if one.annotation is None else ast.unparse(one.annotation)
        value = empty if default is None else self._default(module, default)
        return inspect.Parameter(one.arg, kind, default=value, annotation=annotation)

    def _default(self, module: str, node: ast.expr) -> Any:
        try:
            return self._value(module, node, 0)
        except _UntoldError:
            return Unread(ast.unparse(node))

    def _value(self, module: str, node: ast.AST, steps: int) -> Any:
        """The value of an expression of literals, names of such, and sums of them."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Tuple(elts=items):
                return tuple(self._value(module, item, steps) for item in items)
            case ast.List(elts=items):
                return [self._value(module, item, steps) for item in items]
            case ast.Dict(keys=keys, values=values) if all(key is not None for key in keys):
                return {
                    self._value(module, key, steps): self._value(module, value, steps)
                    for key, value in zip(keys, values, strict=True)
                    if key is not None
                }
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._number(module, operand, steps)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _SUMS:
                try:
                    return _SUMS[type(op)](self._number(module, left, steps), self._number(module, right, steps))
                except ArithmeticError:
                    raise _UntoldError from None
            case ast.Name(id=name) if steps < _MOST_STEPS:
                named = self._named(module, name)
                if named is not None:
                    return self._value(named.module, named.node, steps + 1)
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if steps < _MOST_STEPS:
                named = self._named(self._module(module, name), attribute)
                if named is not None:
                    return self._value(named.module, named.node, steps + 1)
        raise _UntoldError

    def _number(self, module: str, node: ast.AST, steps: int) -> int | float:
        value = self._value(module, node, steps)
        if not isinstance(value, int | float):
            raise _UntoldError
        return value

    def _named(self, module: str, name: str) -> _Named | None:
        """What a name of a module stands for, over imports and other names; None where nothing defines it."""
        for _ in range(_MOST_STEPS):
            tree = self._tree(module)
            found = None if tree is None else _definition(tree.body, name)
            match found:
                case ast.ImportFrom():
                    original = next(alias.name for alias in found.names if (alias.asname or alias.name) == name)
                    module, name = self._origin(module, found), original
                case ast.Name(id=other):
                    name = other
                case None:
                    return None
                case _:
                    return _Named(module, found)
        return None

    def _module(self, module: str, name: str) -> str:
        """The module that a name of another one stands for; empty where it is none."""
        tree = self._tree(module)
        for statement in [] if tree is None else tree.body:
            match statement:
                case ast.Import(names=names):
                    found = next((alias.name for alias in names if (alias.asname or alias.name) == name), "")
                case ast.ImportFrom(names=names):
                    given = next((alias.name for alias in names if (alias.asname or alias.name) == name), "")
                    found = f"{self._origin(module, statement)}.{given}" if given else ""
                case _:
                    continue
            if found:
                return found
        return ""

    def _origin(self, module: str, node: ast.ImportFrom) -> str:
        """The module that another one imports from."""
        if not node.level:
            return node.module or ""
        source = self._find(module)
        package = module if source is not None and source.name == "__init__.py" else module.rpartition(".")[0]
        above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
        return ".".join(filter(None, (above, node.module)))

    def _tree(self, module: str) -> ast.Module | None:
        if module not in self._trees:
            source = self._find(module) if module else None
            try:
                self._trees[module] = None if source is None else parse_module(source.read_bytes())
            except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
                raise UnknownNameError(
                    "the source cannot be read", expected="a module in Python", found=f"{source}: {error}"
                ) from None
        return self._trees[module]


def _definition(body: list[ast.stmt], name: str) -> ast.AST | None:
    """The last statement of a module that gives a name its meaning: a function, a class, an import, or a value."""
    found: ast.AST | None = None
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if statement.name == name:
                found = statement
            case ast.ImportFrom(names=names) if any((alias.asname or alias.name) == name for alias in names):
                found = statement
            case ast.Assign(targets=targets, value=value) if any(
                isinstance(target, ast.Name) and target.id == name for target in targets
            ):
                found = value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                found = next((v for t, v in pairs if isinstance(t, ast.Name) and t.id == name), found)
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name and value is not None:
                found = value
            case ast.If() | ast.Try() | ast.With():
                inner = [*statement.body, *getattr(statement, "orelse", []), *getattr(statement, "finalbody", [])]
                inner += [one for handler in getattr(statement, "handlers", []) for one in handler.body]
                found = _definition(inner, name) or found
    return found
