"""From a tool's schema to the function that carries it out, and whether the two agree.

``run: python:module:function`` is bound here; other schemes name the module that binds them.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.report import Problem
from knowflow.ground.syntax import parse_module
from knowflow.model.tool import Parameter, ToolSchema

# scheme of ``run`` -> the module whose ``bind(schema)`` and ``check_binding(schema)`` serve it
BINDERS: Mapping[str, str] = {"gdal": "knowflow.tools.gdal"}
# the packages whose code makes the result of a scheme: a new version makes new results
LIBRARIES: Mapping[str, tuple[str, ...]] = {"gdal": ("gdal", "pyogrio"), "python": ("numpy", "rasterio", "scipy")}
_PYTHON = "python"
_PACKAGE = "knowflow.tools"


def bind(schema: ToolSchema) -> Callable[..., Any]:
    """The function behind a schema, taking the schema's parameters as keyword arguments; its module is imported now.

    Raises ``UnknownNameError`` where nothing implements ``run``.
    """
    scheme, _, target = schema.run.partition(":")
    if scheme == _PYTHON:
        return _function(schema.tool, target)
    if scheme in BINDERS:
        return cast("Callable[..., Any]", importlib.import_module(BINDERS[scheme]).bind(schema))
    raise UnknownNameError(
        f"nothing here can run {schema.tool}",
        expected=f"run: one of {', '.join((_PYTHON, *BINDERS))}",
        found=schema.run,
    )


def _function(tool: str, target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    expected = "run: python:module:function, which can be imported"
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise UnknownNameError(
            f"the implementation of {tool} cannot be imported", expected=expected, found=str(error)
        ) from error
    if not callable(found):
        raise UnknownNameError(
            f"the implementation of {tool} does not exist", expected=expected, found=f"no function {name!r} in {module}"
        )
    return cast("Callable[..., Any]", found)


def check_binding(schema: ToolSchema) -> list[Problem]:
    """Every way in which a schema and its function disagree: parameters, defaults, outputs, returned value."""
    scheme = schema.run.partition(":")[0]
    if scheme in BINDERS:
        return cast("list[Problem]", importlib.import_module(BINDERS[scheme]).check_binding(schema))
    try:
        signature = inspect.signature(bind(schema))
    except UnknownNameError as error:
        return [Problem("no_implementation", error.expected or "", error.found or "", where="run")]
    problems = [
        Problem("unknown_parameter", f"a parameter of {schema.run}", repr(name), where=f"parameters.{name}")
        for name in schema.parameters
        if name not in signature.parameters
    ]
    for name, parameter in signature.parameters.items():
        if name in schema.parameters:
            problems += _parameter_problems(name, schema.parameters[name], parameter)
        else:
            problems.append(
                Problem("missing_parameter", f"parameter {name!r} of {schema.run}", "none", where="parameters")
            )
    returns = str(signature.return_annotation)
    if (schema.returns is not None) == (returns == "None"):
        expected = "a returned value" if schema.returns is not None else "a function that returns None"
        problems.append(Problem("returns", expected, f"-> {returns}", where="returns"))
    return problems


def _parameter_problems(name: str, said: Parameter, found: inspect.Parameter) -> list[Problem]:
    where = f"parameters.{name}"
    problems = []
    if found.kind not in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
        problems.append(
            Problem("parameter_kind", "a parameter that takes a keyword", found.kind.description, where=where)
        )
    if said.role == "output":
        annotation = str(found.annotation)
        if "Path" not in annotation:
            problems.append(Problem("output_type", "an output annotated as Path", annotation, where=where))
        return problems
    if said.required:
        if found.default is not inspect.Parameter.empty:
            problems.append(Problem("default", f"default: {found.default!r}, as in the function", "none", where=where))
    elif found.default is not inspect.Parameter.empty and _plain(found.default) != _plain(said.default):
        problems.append(Problem("default", f"{found.default!r}, as in the function", repr(said.default), where=where))
    return problems


def _plain(value: Any) -> Any:
    """A default as YAML can say it."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def implementation_digest(schema: ToolSchema) -> str:
    """Identifies what would run: the binding, and the source of its module and of all that it uses of the tools.

    It changes when the code that makes the result changes; what else of the schema counts is for its reader to add.
    """
    scheme, _, target = schema.run.partition(":")
    module = BINDERS.get(scheme, target.partition(":")[0])
    digest = hashlib.sha256(f"{schema.tool} {schema.version} {schema.run}".encode())
    for name in sorted(_reachable(module)):
        digest.update(f"{name} {_source_digest(name)}".encode())
    for package in LIBRARIES.get(scheme, ()):
        digest.update(f"{package} {_version(package)}".encode())
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@lru_cache(maxsize=256)
def _reachable(module: str) -> frozenset[str]:
    """A module and those of the tools package that it imports, directly or not; read from their code, not run."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and _source_file(name) is not None:
            found.add(name)
            waiting += _imported(name)
    return frozenset(found)


def _imported(module: str) -> list[str]:
    source = _source_file(module)
    names: list[str] = []
    for node in ast.walk(parse_module(source.read_bytes())) if source is not None else ():
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in names if name == _PACKAGE or name.startswith(f"{_PACKAGE}.")]


@lru_cache(maxsize=256)
def _source_file(module: str) -> Path | None:
    if module == _PACKAGE or module.startswith(f"{_PACKAGE}."):  # looked up without importing what is heavy
        place = Path(__file__).parent.joinpath(*module.split(".")[2:])
        return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec is not None and spec.origin and spec.origin.endswith(".py") else None


@lru_cache(maxsize=256)
def _source_digest(module: str) -> str:
    source = _source_file(module)
    return "" if source is None else hashlib.sha256(source.read_bytes()).hexdigest()
