"""What authored files say as data, kept in the home folder: parsed once for each of their contents.

A command reads a hundred authored files; parsing them costs a sixth of a second, bringing back what was parsed ten
milliseconds. Kept is plain data, by the contents of the file, the parser and the Python that wrote it; the lines of
keys are brought back where somebody asks for one. Programs that use the library keep nothing.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from knowflow.ground.kept_rows import KeptRows, digest
from knowflow.ground.resources import state_home

STORE = "documents.sqlite"
_Path: TypeAlias = tuple[str | int, ...]

_MOST_ROWS = 1000  # several times the files that there are
_store: _Store | None = None


@contextmanager
def kept_documents(home: Path | None = None) -> Iterator[None]:
    """Within this, what was parsed is brought back from the home folder; what is new is kept there at the end."""
    global _store
    before = _store
    with suppress(OSError, RuntimeError):  # there is no home: whoever needs one says so
        _store = _Store((state_home() if home is None else home) / STORE)
    try:
        yield
    finally:
        ended, _store = _store, before
        if ended is not None and ended is not before:
            ended.rows.close(ended.new.items())


def brought_back(content: bytes) -> tuple[object, Mapping[_Path, int]] | None:
    """The data and the lines of a file of those contents; None where they are not kept."""
    told = None if _store is None else _store.rows.told(_key(content))
    if told is not None:
        with suppress(ValueError, EOFError, TypeError):
            data, lines = marshal.loads(told)
            return data, _Lines(lines)
    return None


def keep(content: bytes, data: Any, lines: Mapping[_Path, int]) -> None:
    """Keep what a file of those contents was parsed to, where anything is kept."""
    if _store is not None:
        with suppress(ValueError):
            _store.new[_key(content)] = marshal.dumps((data, marshal.dumps(dict(lines))))


class _Store:
    def __init__(self, database: Path) -> None:
        self.rows = KeptRows(database, "documents", _MOST_ROWS)
        self.new: dict[bytes, bytes] = {}


class _Lines(Mapping[_Path, int]):
    """The lines of keys, brought back where somebody asks."""

    def __init__(self, told: bytes) -> None:
        self._told = told

    @cached_property
    def _lines(self) -> dict[_Path, int]:
        return dict(marshal.loads(self._told))

    def __getitem__(self, key: _Path) -> int:
        return self._lines[key]

    def __iter__(self) -> Iterator[_Path]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def _key(content: bytes) -> bytes:
    return digest(_parser() + content)


@lru_cache(maxsize=1)
def _parser() -> bytes:
    """Who made what is kept: the parser, and the Python that wrote its data."""
    code = Path(__file__).with_name("yamldoc.py").read_bytes()
    return digest(code + f"{sys.implementation.name} {sys.version}".encode())
