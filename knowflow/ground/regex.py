"""Regular expressions, compiled once for a Python rather than at every start of the command line.

Reading a question takes hundreds of expressions with thousands of words: compiling them costs a third of a second,
bringing them back ten milliseconds. What the interpreter made of an expression is kept in the home folder, by the
expression, its flags and the interpreter. It is kept only where an expression that is brought back equals the one that
was compiled, with a digest, and the interpreter looks through such code before it takes it; where anything is amiss the
expression is compiled. Programs that use the library keep nothing.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from knowflow.ground.kept_rows import KeptRows, digest
from knowflow.ground.resources import state_home

STORE = "regexes.sqlite"
_MOST_ROWS = 8000  # several times those that there are: of several versions of Python and of KnowFlow
# what a row of somebody else's, or an interpreter that is another inside, ends in: then expressions are compiled
_AMISS = (AttributeError, ImportError, TypeError, ValueError, RuntimeError)
_store: _Store | None = None


def regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """What ``re.compile`` makes of an expression that the program or its knowledge tells, never a question.

    Raises:
        re.error: it is none.
    """
    return re.compile(source, flags) if _store is None else _store.pattern(source, int(flags))


@contextmanager
def kept_regexes(home: Path | None = None) -> Iterator[None]:
    """Within this, expressions are brought back from the home folder; what was compiled is kept there at the end."""
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


class _Store:
    """The expressions of one interpreter in a file that is shared by all."""

    def __init__(self, database: Path) -> None:
        self._rows = KeptRows(database, "regexes", _MOST_ROWS)
        self._lock = Lock()
        self._known: dict[tuple[str, int], re.Pattern[str]] = {}
        self._missing: list[tuple[str, int]] = []

    def pattern(self, source: str, flags: int) -> re.Pattern[str]:
        """An expression as it was compiled before, else compiled now."""
        with self._lock:
            found = self._known.get((source, flags))
            if found is None:
                found = self._kept(source, flags)
                if found is None:
                    found = re.compile(source, flags)
                    self._missing.append((source, flags))
                self._known[source, flags] = found
            return found

    def close(self) -> None:
        """Keep what was not known."""
        with self._lock:
            rows = (_row(source, flags) for source, flags in self._missing)
            self._rows.close([row for row in rows if row is not None])

    def _kept(self, source: str, flags: int) -> re.Pattern[str] | None:
        told = self._rows.told(_key(source, flags))
        try:
            return None if told is None else _brought_back(source, told)
        except _AMISS:
            self._rows.leave()
            return None


def _row(source: str, flags: int) -> tuple[bytes, bytes] | None:
    """A row of the store; None where this interpreter tells its code otherwise than is known here."""
    key = _key(source, flags)
    with suppress(*_AMISS):
        compiled = re.compile(source, flags)
        engine = importlib.import_module("re._compiler")
        code = engine._code(importlib.import_module("re._parser").parse(source, flags), flags)
        told = json.dumps([compiled.flags, compiled.groups, dict(compiled.groupindex)]).encode()
        body = len(told).to_bytes(4, "little") + told + array("I", code).tobytes()
        if _brought_back(source, body) == compiled:  # compares their code
            return key, body
    return None


def _brought_back(source: str, body: bytes) -> re.Pattern[str] | None:
    """The expression of a row."""
    start = 4 + int.from_bytes(body[:4], "little")
    flags, groups, index = json.loads(body[4:start])
    code = array("I")
    code.frombytes(body[start:])
    names: list[str | None] = [None] * (groups + 1)
    for name, number in index.items():
        names[number] = name
    found = _sre().compile(source, flags, code.tolist(), groups, index, tuple(names))
    return found if isinstance(found, re.Pattern) else None


def _key(source: str, flags: int) -> bytes:
    return digest(f"{_interpreter()}\n{flags}\n{source}".encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=1)
def _interpreter() -> str:
    """Whose code it is: numbers of another build mean something else."""
    return f"{sys.implementation.name} {sys.version} {sys.byteorder} {getattr(_sre(), 'MAGIC', '')}"


@lru_cache(maxsize=1)
def _sre() -> Any:
    return importlib.import_module("_sre")
