"""From a tool's schema to the function that carries it out, and whether the two agree.

``run: python:module:function`` is bound here; other schemes name the module that binds them. Modules are found where
Python finds them, and in the project's ``.knowflow/`` and the user's folder, beside the schemas that name them.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, cast

from knowflow.ground.errors import UnknownNameError
from knowflow.ground.report import Problem
from knowflow.ground.resources import project_root, user_root
from knowflow.ground.syntax import parse_module
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.tools.signatures import Sources, Unread

# scheme of ``run`` -> the module whose ``bind(schema)`` and ``check_binding(schema)`` serve it
BINDERS: Mapping[str, str] = {"gdal": "knowflow.tools.gdal", "mcp": "knowflow.tools.mcp"}
# those of them whose ``identity(schema)`` tells what results depend on that is neither in the schema nor in our code
CONFIGURED = ("mcp",)
# the packages whose code makes the result of a scheme: a new version makes new results
LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "gdal": ("gdal", "pyogrio"),
    "python": ("numpy", "rasterio", "scipy", "scikit-learn", "scikit-image", "onnxruntime"),
}
_PYTHON = "python"
_PACKAGE = "knowflow.tools"
_IMPLEMENTED = "run: python:module:function, of a module that is installed or in .knowflow/"


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
        expected=_runnable(),
        found=schema.run,
    )


def _runnable() -> str:
    return f"run: one of {', '.join((_PYTHON, *BINDERS))}"


def _function(tool: str, target: str) -> Callable[..., Any]:
    module, _, name = target.partition(":")
    if module not in sys.modules:
        authored_folders()
    try:
        found = getattr(importlib.import_module(module), name, None)
    except ImportError as error:
        raise UnknownNameError(
            f"the implementation of {tool} cannot be imported", expected=_IMPLEMENTED, found=str(error)
        ) from error
    if not callable(found):
        raise UnknownNameError(
            f"the implementation of {tool} does not exist",
            expected=_IMPLEMENTED,
            found=f"no function {name!r} in {module}",
        )
    return cast("Callable[..., Any]", found)


def authored_folders() -> tuple[Path, ...]:
    """The folders of the project and of the user, whose modules can be imported from now on.

    They come last on the path: nothing that is installed is shadowed.
    """
    folders = tuple(folder for folder in (project_root(), user_root().resolve()) if folder is not None)
    for folder in folders:
        if str(folder) not in sys.path and folder.is_dir():
            sys.path.append(str(folder))
            importlib.invalidate_caches()
    return folders


def check_binding(schema: ToolSchema) -> list[Problem]:
    """Every way in which a schema and its function disagree: parameters, defaults, outputs, returned value.

    The function is read, not run, and so is its module: see :mod:`knowflow.tools.signatures`.
    """
    scheme, _, target = schema.run.partition(":")
    if scheme in BINDERS:
        return cast("list[Problem]", importlib.import_module(BINDERS[scheme]).check_binding(schema))
    if scheme != _PYTHON:
        return [Problem("no_implementation", _runnable(), schema.run, where="run")]
    try:
        module, _, name = target.partition(":")
        signature = Sources(_source_file).signature(module, name)
    except UnknownNameError as error:
        return [Problem("no_implementation", _IMPLEMENTED, error.found or "", where="run")]
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
    elif isinstance(found.default, Unread):
        told = "a default that the source tells"
        problems.append(Problem("default", told, repr(found.default), where=where, severity="warning"))
    elif found.default is not inspect.Parameter.empty and _plain(found.default) != _plain(said.default):
        problems.append(Problem("default", f"{found.default!r}, as in the function", repr(said.default), where=where))
    return problems


def _plain(value: Any) -> Any:
    """A default as YAML can say it."""
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def implementation_digest(schema: ToolSchema) -> str:
    """Identifies what would run: the binding, and the source of its module and of all that it uses of the tools and of
    the project's and the user's own modules.

    It changes when the code that makes the result changes; what else of the schema counts is for its reader to add.
    """
    scheme, _, target = schema.run.partition(":")
    module = BINDERS.get(scheme, target.partition(":")[0])
    digest = hashlib.sha256(f"{schema.tool} {schema.version} {schema.run}".encode())
    for name in sorted(_reachable(module)):
        digest.update(f"{name} {_source_digest(name)}".encode())
    if scheme in CONFIGURED:
        digest.update(importlib.import_module(module).identity(schema).encode())
    for package in LIBRARIES.get(scheme, ()):
        digest.update(f"{package} {_version(package)}".encode())
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _version(package: str) -> str:
    """What is installed does not change under a process that has imported it; finding it out takes some ms."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@lru_cache(maxsize=256)
def _reachable(module: str) -> frozenset[str]:
    """A module and those it imports, directly or not, of the tools package and of the project's and user's own; read
    from their code, not run."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and _source_file(name) is not None:
            found.add(name)
            waiting += [used for used in _imported(name) if _is_tool_code(used)]
    return frozenset(found)


def _imported(module: str) -> list[str]:
    """The modules that the code of a module imports, and what may be modules among the names it takes from them."""
    source = _source_file(module)
    if source is None:
        return []
    package = module if source.name == "__init__.py" else module.rpartition(".")[0]
    names: list[str] = []
    for node in _statements(parse_module(source.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, (above, node.module)))
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return names


def _statements(parsed: ast.AST) -> Iterator[ast.AST]:
    """The statements of a module, however deep; what statements are made of, most of a module, holds none."""
    waiting = [parsed]
    while waiting:
        node = waiting.pop()
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inside = getattr(node, name, ())
            waiting += inside if isinstance(inside, list) else ()


def _is_tool_code(module: str) -> bool:
    if module.partition(".")[0] == _PACKAGE.partition(".")[0]:
        return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")
    source = _source_file(module)
    return source is not None and any(source.is_relative_to(folder) for folder in authored_folders())


@lru_cache(maxsize=1024)
def _source_file(module: str) -> Path | None:
    """The file of a module; looked up without importing the module or its package, which may be heavy."""
    top, *rest = module.split(".")
    if top == _PACKAGE.partition(".")[0]:
        return _file_in(Path(__file__).parents[1], rest)
    authored_folders()
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if rest:
        places = map(Path, spec.submodule_search_locations or ())
        return next((file for place in places if (file := _file_in(place, rest)) is not None), None)
    return Path(spec.origin) if spec.origin is not None and spec.origin.endswith(".py") else None


def _file_in(folder: Path, names: list[str]) -> Path | None:
    place = folder.joinpath(*names)
    return next((path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file()), None)


@lru_cache(maxsize=256)
def _source_digest(module: str) -> str:
    source = _source_file(module)
    return "" if source is None else hashlib.sha256(source.read_bytes()).hexdigest()
