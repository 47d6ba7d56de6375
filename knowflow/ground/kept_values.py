"""What is made of words and of what is packaged, kept in the home folder: made once for each state of them.

A command reads thousands of words and names before it reads a question: to make of them what it reads by costs a
quarter of a second, to bring it back a tenth of that. Kept is a pickle with a digest over it, by the files of words
(path, size, time), the code of KnowFlow, the Python and the libraries beside it; where one of them is another, or
anything is amiss, it is made anew. Programs that use the library keep nothing.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import wraps
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from knowflow.ground.kept import kept
from knowflow.ground.kept_rows import KeptRows, digest
from knowflow.ground.regex import regex
from knowflow.ground.resources import search_path, state_home

T = TypeVar("T")

STORE = "values.sqlite"
_MOST_ROWS = 64  # several times the values that there are
_CODE = (".py", ".j2", ".css")
# whose data and code go into what is kept
_LIBRARIES = ("spyndex", "matplotlib", "jinja2")
AMISS = (pickle.PickleError, AttributeError, ImportError, EOFError, IndexError, TypeError, ValueError)
"""What a row that was written by other code, or is damaged, ends in."""
_store: _Store | None = None


@contextmanager
def kept_values(home: Path | None = None) -> Iterator[None]:
    """Within this, what was made is brought back from the home folder; what is new is kept there at the end."""
    global _store
    before = _store
    with suppress(OSError, RuntimeError):  # there is no home: whoever needs one says so
        _store = _Store((state_home() if home is None else home) / STORE)
    try:
        yield
    finally:
        ended, _store = _store, before
        if ended is not None and ended is not before:
            ended.close()


def between_runs(make: Callable[[], T]) -> Callable[[], T]:
    """Bring back what a function makes of files of words, where it was kept and nothing has changed since."""

    @wraps(make)
    def brought_back() -> T:
        return make() if _store is None else _store.value(make)

    return brought_back


class _Store:
    def __init__(self, database: Path) -> None:
        self._rows = KeptRows(database, "made", _MOST_ROWS)
        self._new: list[tuple[bytes, bytes, bytes]] = []

    def value(self, make: Callable[[], T]) -> T:
        now = state()
        key = digest(now + f"{make.__module__}.{make.__qualname__}".encode())
        told = self._rows.told(key)
        if told is not None:
            with suppress(*AMISS):
                found: T = pickle.loads(told)
                return found
        value = make()
        with suppress(*AMISS):
            self._new.append((now, key, pickled(value)))
        return value

    def close(self) -> None:
        """Keep what was made, unless files have changed since."""
        now = _state_now() if self._new else b""
        self._rows.close([(key, body) for then, key, body in self._new if then == now])


class _Pickler(pickle.Pickler):
    """Knows of mappings that are only read, of expressions that are kept themselves, and how values are made.

    What dataclasses with slots do by themselves looks up the fields of the class for each value: most of the time.
    """

    def __init__(self, written: io.BytesIO) -> None:
        super().__init__(written, pickle.HIGHEST_PROTOCOL)
        self._made_of: dict[type, tuple[str, ...] | None] = {}

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MappingProxyType):
            return _read_only, (dict(value),)
        if isinstance(value, re.Pattern):
            return regex, (value.pattern, value.flags)
        kind = type(value)
        if kind not in self._made_of:
            self._made_of[kind] = _made_of(kind)
        names = self._made_of[kind]
        return NotImplemented if names is None else (kind, tuple(getattr(value, name) for name in names))


def _made_of(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass that is made of them, in their order, and does nothing else; None of other classes."""
    if not is_dataclass(kind) or hasattr(kind, "__post_init__") or not hasattr(kind, "__slots__"):
        return None
    plain = (kind.__reduce_ex__, kind.__new__) == (object.__reduce_ex__, object.__new__)
    every = fields(kind)
    if not plain or not all(one.init and not one.kw_only for one in every):
        return None
    return tuple(one.name for one in every)


def _read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def pickled(value: Any) -> bytes:
    """A value of words, names and facts as bytes; whoever brings it back suppresses ``AMISS``.

    Raises ``AMISS`` where it is none that can be kept.
    """
    written = io.BytesIO()
    _Pickler(written).dump(value)
    return written.getvalue()


@kept()
def state() -> bytes:
    """What tells the words at hand, and the code that reads them, from others."""
    return _state_now()


def _state_now() -> bytes:
    words = [one for _, folder in search_path("pkb") for one in _stamps(folder, (".yaml", ".yml", ".json"))]
    code = _stamps(Path(__file__).parents[1], _CODE)
    others = sys.implementation.name, sys.version, *map(metadata.version, _LIBRARIES)
    return digest(repr((sorted(words), sorted(code), others)).encode())


def _stamps(folder: Path | str, endings: tuple[str, ...]) -> Iterator[tuple[str, int, int, int]]:
    """The path, size, and times of modification and change of every file below a folder with one of the endings."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _stamps(entry.path, endings)
            elif entry.name.endswith(endings):
                with suppress(OSError):
                    status = entry.stat()
                    yield entry.path, status.st_size, status.st_mtime_ns, status.st_ctime_ns
