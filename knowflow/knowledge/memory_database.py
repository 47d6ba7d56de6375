"""What was learned, in a database that several machines share: texts by project, kind and name, and records of runs.

Whoever changes something takes its turn first (a lock of the database that ends with its holder), and reads after that:
of machines that learn at once none loses what another has learned. A change is there whole or not at all.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from knowflow.ground.databases import engine_of, without_password
from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.memory_settings import VARIABLE, database

if TYPE_CHECKING:
    from sqlalchemy import Connection

PREFIX = "knowflow_"
_VERSION = 1  # of the tables
_TURN = 0x6B666D656D6F7279  # "kfmemory": the number of the lock that who changes a memory in a Postgres holds


class MemoryDatabaseError(KnowFlowError):
    """The database in which several machines keep what was learned cannot be used."""

    code = "memory_database"


def shared_memory() -> MemoryDatabase | None:
    """The database that is set for what is learned; None where the home folder has it.

    Raises:
        MemoryDatabaseError: it cannot be used. DocumentError: the settings are not valid.
    """
    url = database()
    return _opened(url) if url else None


class MemoryDatabase:
    """The memory in the database of a URL; its tables are made on first use. Safe for threads."""

    def __init__(self, url: str) -> None:
        """Raises:
        MemoryDatabaseError: it cannot be reached, or a newer version of KnowFlow has made its tables.
        """
        self.where = without_password(url)
        self._own = threading.local()  # the change that a thread is at
        with self._named():
            import sqlalchemy as sa

            self._sa = sa
            tables = sa.MetaData()
            self._texts = sa.Table(
                f"{PREFIX}memory",
                tables,
                *(sa.Column(name, sa.String(200), primary_key=True) for name in ("project", "kind", "name")),
                sa.Column("text", sa.Text, nullable=False),
            )
            version = sa.Table(f"{PREFIX}memory_version", tables, sa.Column("version", sa.Integer, primary_key=True))
            self._engine = engine_of(url, _TURN)
            weakref.finalize(self, self._engine.dispose)
            with self._writing() as now:
                tables.create_all(now)
                found = now.execute(sa.select(sa.func.max(version.c.version))).scalar()
                if found is None:
                    now.execute(version.insert(), {"version": _VERSION})
        if found is not None and found > _VERSION:
            raise MemoryDatabaseError(
                "the memory is of a newer KnowFlow", where=self.where, expected=str(_VERSION), found=str(found)
            )

    def texts(self, project: str, kind: str, name: str | None = None) -> dict[str, str]:
        """What is kept of a kind in a project, or of that what has a name, in order of names."""
        known = self._texts.c
        query = self._sa.select(known.name, known.text).where(known.project == project, known.kind == kind)
        if name is not None:
            query = query.where(known.name == name)
        with self._reading() as now:
            return {str(one): str(text) for one, text in sorted(now.execute(query).all())}

    @contextmanager
    def changing(self) -> Iterator[None]:
        """While nobody else changes anything; what is changed within this is kept at the end of it, all or nothing."""
        with self._named(), self._writing() as now:
            self._own.change = now
            try:
                yield
            finally:
                self._own.change = None

    def put(self, project: str, kind: str, name: str, text: str) -> None:
        """Keep a text in the place of what has its name. Call within :meth:`changing`."""
        self.remove(project, kind, name)
        self._own.change.execute(self._texts.insert(), {"project": project, "kind": kind, "name": name, "text": text})

    def remove(self, project: str, kind: str, name: str) -> None:
        """Forget what has a name. Call within :meth:`changing`."""
        known = self._texts.c
        of_name = (known.project == project, known.kind == kind, known.name == name)
        self._own.change.execute(self._texts.delete().where(*of_name))

    def rows(self, query: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """What a query in SQL finds, with values by name."""
        with self._reading() as now:
            return [tuple(row) for row in now.execute(self._sa.text(query), dict(values)).all()]

    def write(self, table: str, keep: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Make a table, where it is not there, and keep rows in it, by statements in SQL."""
        with self._named(), self._writing() as now:
            now.execute(self._sa.text(table))
            now.execute(self._sa.text(keep), list(rows))

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        change: Connection | None = getattr(self._own, "change", None)
        if change is not None:
            yield change
            return
        with self._named(), self._engine.connect() as now:
            yield now

    def _writing(self) -> Any:
        return self._engine.execution_options(writes=True).begin()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the database by their kind alone: its own words may hold a password."""
        try:
            yield
        except Exception as error:
            from sqlalchemy.exc import SQLAlchemyError

            if not isinstance(error, SQLAlchemyError | ModuleNotFoundError):  # the latter: of a driver
                raise
            raise MemoryDatabaseError(
                "what was learned cannot be read or kept",
                where=self.where,
                expected="a database that SQLAlchemy reaches",
                found=type(error).__name__,
                hint=f"check {VARIABLE} or `database` in memory.yaml; a Postgres needs knowflow[postgres]; --no-memory"
                " goes on without",
            ) from error


_opened = lru_cache(maxsize=4)(MemoryDatabase)
