"""GDAL's algorithms: which there are, how GDAL describes them, and running one.

Reference: https://gdal.org/programs/gdal_cli_from_c.html. Several threads may run algorithms at once: each has its own
algorithm object, and GDAL's error handlers belong to the thread that set them.
"""

from __future__ import annotations

import ctypes
import json
import logging
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from knowflow.ground.errors import KnowFlowError, NoSpaceError, RunInterruptedError, ToolError
from knowflow.tools.gdal.library import ERROR_HANDLER, INSTALL_HINT, PROGRESS, Library, c_names, library, names

Value = bool | int | float | str | Sequence[int] | Sequence[float] | Sequence[str]
Path = tuple[str, ...]

_WARNING, _FAILURE = 2, 3
_NO_SPACE = ("no space left on device", "free disk space available", "disk full", "disk is full")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """What an algorithm said beside the files it wrote: its output text, if any, and its warnings."""

    text: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """Whether GDAL's algorithms can be used here, what was found, and what to do where they cannot."""

    ok: bool
    found: str
    hint: str = ""
    version: str = ""
    origin: str = ""
    algorithms: int = 0


@dataclass(slots=True)
class _Messages:
    """What GDAL reported while a block ran, in order."""

    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def status() -> Status:
    """Version, origin and number of algorithms; or what is wrong and what to do. Never raises."""
    try:
        loaded = library()
        count = len(algorithms())
    except KnowFlowError as error:
        return Status(False, f"{error.message}: {error.found}", error.hint or INSTALL_HINT)
    found = f"GDAL {loaded.version_text} from {loaded.origin}, {count} algorithms"
    return Status(True, found, "", loaded.version_text, loaded.origin, count)


@lru_cache(maxsize=1)
def algorithms() -> tuple[Path, ...]:
    """The path of every algorithm that can be run, such as ``("raster", "slope")``, in GDAL's order."""
    gdal = library()
    found: list[Path] = []

    def descend(algorithm: int, path: Path) -> None:
        below = names(gdal.functions.GDALAlgorithmGetSubAlgorithmNames(algorithm), gdal.functions)
        if not below:
            found.append(path)
        for name in below:
            child = gdal.functions.GDALAlgorithmInstantiateSubAlgorithm(algorithm, name.encode())
            try:
                descend(child, (*path, name))
            finally:
                gdal.functions.GDALAlgorithmRelease(child)

    with _messages(gdal):
        registry = gdal.functions.GDALGetGlobalAlgorithmRegistry()
        top = names(gdal.functions.GDALAlgorithmRegistryGetAlgNames(registry), gdal.functions)
        gdal.functions.GDALAlgorithmRegistryRelease(registry)
    for name in top:
        with _algorithm(gdal, (name,)) as algorithm:
            descend(algorithm, (name,))
    return tuple(found)


@lru_cache(maxsize=256)
def describe(path: Path) -> Mapping[str, Any]:
    """GDAL's own description of an algorithm: what it does, and its arguments with types, defaults and choices.

    Raises:
        ToolError: there is no such algorithm.
    """
    gdal = library()
    with _algorithm(gdal, path) as algorithm:
        address = gdal.functions.GDALAlgorithmGetUsageAsJSON(algorithm)
        text = ctypes.string_at(address).decode()
        gdal.functions.VSIFree(address)
    usage: dict[str, Any] = json.loads(text)
    return usage


def arguments_of(path: Path) -> dict[str, dict[str, Any]]:
    """The described arguments of an algorithm by name, inputs first."""
    usage = describe(path)
    kinds = ("input_arguments", "output_arguments", "input_output_arguments")
    return {argument["name"]: argument for kind in kinds for argument in usage.get(kind, ())}


def run(
    path: Path,
    arguments: Mapping[str, Value],
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Answer:
    """Run an algorithm to its end and close what it wrote.

    ``arguments`` are GDAL's, by their long names. ``progress`` is told the share done (0..1), ``cancelled`` is asked as
    often; an exception that either raises stops the algorithm and is raised here. A file half written is left to the
    caller, who named it.

    Raises:
        ToolError: an argument is unknown or of the wrong type, or GDAL failed; ``found`` is GDAL's own message.
        NoSpaceError: GDAL failed because the disk is full.
        RunInterruptedError: ``cancelled`` said so.
    """
    gdal = library()
    described = arguments_of(path)
    stopped: list[BaseException] = []

    def tell(share: float, _message: bytes | None, _data: int | None) -> int:
        try:
            if progress is not None:
                progress(min(max(share, 0.0), 1.0))
            if cancelled is not None and cancelled():
                raise RunInterruptedError(f"{_title(path)} was cancelled")
        except BaseException as error:  # an exception cannot cross C: it is kept, and raised when GDAL has returned
            stopped.append(error)
            return 0
        return 1

    callback = PROGRESS(tell)
    with _without_sidecars(gdal), _algorithm(gdal, path) as algorithm, _messages(gdal) as messages:
        for name, value in arguments.items():
            if name not in described:
                raise _unknown_argument(path, name, described)
            _set(gdal, algorithm, described[name], value, path, messages)
        done = gdal.functions.GDALAlgorithmRun(algorithm, callback, None)
        done = gdal.functions.GDALAlgorithmFinalize(algorithm) and done
        if stopped:
            raise stopped[0]
        if not done:
            raise _failure(path, messages)
        text = _text(gdal, algorithm) if "output-string" in described else None
    for warning in messages.warnings:
        _log.warning("%s: %s", _title(path), warning)
    return Answer(text, tuple(messages.warnings))


@contextmanager
def _algorithm(gdal: Library, path: Path) -> Iterator[int]:
    """A new algorithm object, released at the end."""
    functions = gdal.functions
    with _messages(gdal):
        registry = functions.GDALGetGlobalAlgorithmRegistry()
        algorithm = functions.GDALAlgorithmRegistryInstantiateAlg(registry, path[0].encode()) if path else None
        functions.GDALAlgorithmRegistryRelease(registry)
        for name in path[1:]:
            if algorithm is None:
                break
            parent = algorithm
            algorithm = functions.GDALAlgorithmInstantiateSubAlgorithm(parent, name.encode())
            functions.GDALAlgorithmRelease(parent)
    if algorithm is None:
        raise ToolError(
            f"GDAL {gdal.version_text} has no algorithm {' '.join(path)!r}",
            expected="one of those that `knowflow tools list --kit gdal` shows",
            found=" ".join(path),
        )
    try:
        yield algorithm
    finally:
        functions.GDALAlgorithmRelease(algorithm)


@contextmanager
def _without_sidecars(gdal: Library) -> Iterator[None]:
    """Keep GDAL from leaving statistics beside the files it reads; nor does it then read what lies there."""
    gdal.functions.CPLSetThreadLocalConfigOption(b"GDAL_PAM_ENABLED", b"NO")
    try:
        yield
    finally:
        gdal.functions.CPLSetThreadLocalConfigOption(b"GDAL_PAM_ENABLED", None)


@contextmanager
def _messages(gdal: Library) -> Iterator[_Messages]:
    """Collect what GDAL reports on this thread, instead of letting it print."""
    messages = _Messages()

    def note(level: int, _number: int, message: bytes) -> None:
        text = message.decode(errors="replace").strip()
        if level >= _FAILURE and text not in messages.failures:
            messages.failures.append(text)
        elif level == _WARNING and text not in messages.warnings:
            messages.warnings.append(text)

    handler = ERROR_HANDLER(note)
    gdal.functions.CPLPushErrorHandler(handler)
    try:
        yield messages
    finally:
        gdal.functions.CPLPopErrorHandler()


def _set(
    gdal: Library, algorithm: int, described: Mapping[str, Any], value: Value, path: Path, messages: _Messages
) -> None:
    """Give one argument its value, with the type that GDAL declared for it."""
    functions = gdal.functions
    argument = functions.GDALAlgorithmGetArg(algorithm, described["name"].encode())
    many: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
    try:
        match described["type"]:
            case "boolean":
                done = functions.GDALAlgorithmArgSetAsBoolean(argument, bool(value))
            case "integer":
                done = functions.GDALAlgorithmArgSetAsInteger(argument, _integer(value))
            case "real":
                done = functions.GDALAlgorithmArgSetAsDouble(argument, float(value))  # type: ignore[arg-type]
            case "integer_list":
                integers = [_integer(item) for item in many]
                array = (ctypes.c_int * len(many))(*integers)
                done = functions.GDALAlgorithmArgSetAsIntegerList(argument, len(many), array)
            case "real_list":
                reals = (ctypes.c_double * len(many))(*map(float, many))
                done = functions.GDALAlgorithmArgSetAsDoubleList(argument, len(many), reals)
            case "string_list":
                done = functions.GDALAlgorithmArgSetAsStringList(argument, c_names([_plain(item) for item in many]))
            case "dataset_list":
                done = functions.GDALAlgorithmArgSetDatasetNames(argument, c_names([_plain(item) for item in many]))
            case _:
                done = functions.GDALAlgorithmArgSetAsString(argument, _plain(value).encode())
    except (TypeError, ValueError) as error:
        raise ToolError(
            f"{_title(path)}: {described['name']} cannot be {value!r}",
            expected=str(described["type"]).replace("_", " "),
            found=f"{value!r} ({error})",
        ) from error
    finally:
        functions.GDALAlgorithmArgRelease(argument)
    if not done:
        raise _failure(path, messages)


def _integer(value: Any) -> int:
    number = int(value)
    if isinstance(value, str) or number != value or not -(2**31) <= number < 2**31:
        raise ValueError("not a 32-bit integer")
    return number


def _plain(value: Any) -> str:
    """A value as text; whole numbers without a decimal point, so that a size or a band stays one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return str(int(value))
    return str(value)


def _text(gdal: Library, algorithm: int) -> str | None:
    argument = gdal.functions.GDALAlgorithmGetArg(algorithm, b"output-string")
    try:
        text = gdal.functions.GDALAlgorithmArgGetAsString(argument)
        return None if text is None else text.decode(errors="replace")
    finally:
        gdal.functions.GDALAlgorithmArgRelease(argument)


def _title(path: Path) -> str:
    return f"gdal {' '.join(path)}"


def _unknown_argument(path: Path, name: str, described: Mapping[str, Any]) -> ToolError:
    return ToolError(
        f"{_title(path)} has no argument {name!r}", expected=f"one of {', '.join(sorted(described))}", found=name
    )


def _failure(path: Path, messages: _Messages) -> KnowFlowError:
    said = "; ".join(messages.failures or messages.warnings) or "no message"
    if any(words in said.lower() for words in _NO_SPACE):
        return NoSpaceError(f"{_title(path)} could not write", found=said, hint="free some space, or write elsewhere")
    return ToolError(f"{_title(path)} failed", found=said)
