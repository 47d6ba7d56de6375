"""Rows of bytes by key in a file of the home folder, that cost time and nothing else where they are lost.

What is made of something again and again (the code of an expression, the contents of an authored file) is kept under a
key that tells all that it depends on. A row has a digest over both: one that is damaged, or of another key, is none.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from threading import Lock

_WAIT_S = 0.2
_DIGEST = 16  # bytes


class KeptRows:
    """A table of a file that all processes share; the newest ``most`` rows stay."""

    def __init__(self, database: Path, table: str, most: int) -> None:
        self._database, self._table, self._most = database, table, most
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._usable = database.is_file()

    def told(self, key: bytes) -> bytes | None:
        """What is kept under a key; None where nothing is, or what is cannot be trusted."""
        with self._lock:
            row = self._row(key) if self._usable else None
        return row[_DIGEST:] if row is not None and row[:_DIGEST] == digest(key + row[_DIGEST:]) else None

    def leave(self) -> None:
        """Tell nothing more."""
        self._usable = False

    def close(self, new: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep new rows, and end; a file that cannot be written costs time only."""
        with self._lock, suppress(sqlite3.Error, OSError, ValueError):
            self._usable = False
            if self._connection is not None:
                self._connection.close()
            rows = [(key, digest(key + body) + body) for key, body in new]
            if rows:
                self._database.parent.mkdir(parents=True, exist_ok=True)
                with closing(sqlite3.connect(self._database, timeout=_WAIT_S)) as connection, connection:
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {self._table} (key BLOB PRIMARY KEY, told BLOB)")
                    connection.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", rows)
                    newest = connection.execute(f"SELECT MAX(rowid) FROM {self._table}").fetchone()[0] or 0
                    connection.execute(f"DELETE FROM {self._table} WHERE rowid <= ?", (newest - self._most,))

    def _row(self, key: bytes) -> bytes | None:
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(self._database, timeout=_WAIT_S, check_same_thread=False)
            row = self._connection.execute(f"SELECT told FROM {self._table} WHERE key = ?", (key,)).fetchone()
            return bytes(row[0]) if row is not None else None
        except sqlite3.OperationalError:  # in use for too long, or not to be read
            self._usable = False
        except (sqlite3.DatabaseError, OSError, TypeError, ValueError):  # damaged: all of it can be made again
            self._usable = False
            with suppress(OSError):
                self._database.unlink()
        return None


def digest(content: bytes) -> bytes:
    """What tells contents from others, in 16 bytes."""
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
