"""Databases by their URL, as SQLAlchemy has them, that several processes and machines write into at once."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_PATIENCE_S = 60.0
_CONNECT_S = 10
_PAUSE_S = 0.01


def sqlite_url(path: Path) -> str:
    """The URL of a database in one file."""
    return f"sqlite:///{path}"


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    import sqlalchemy as sa

    try:
        return sa.make_url(url).render_as_string(hide_password=True)
    except sa.exc.SQLAlchemyError:
        return "what is no URL of a database"


def engine_of(url: str, turn: int) -> Engine:
    """The database of a URL. One in a file is written ahead of itself (WAL), so that nobody who reads waits for who
    writes; who writes (execution option ``writes``) takes its turn before it reads, in a file as in a Postgres: there
    ``turn`` is the number of the lock.

    Raises:
        sqlalchemy.exc.SQLAlchemyError, ImportError: it is no such URL; its driver is not installed.
    """
    import sqlalchemy as sa

    patience = {"sqlite": {"timeout": _PATIENCE_S}, "postgresql": {"connect_timeout": _CONNECT_S}}
    made = sa.create_engine(url, connect_args=patience.get(sa.make_url(url).get_backend_name(), {}), pool_pre_ping=True)
    if made.dialect.name == "sqlite":

        @sa.event.listens_for(made, "connect")
        def _(connection: Any, _: Any) -> None:
            connection.isolation_level = None  # transactions begin where they are begun below
            _write_ahead(connection)
            connection.execute("pragma synchronous=normal")

        @sa.event.listens_for(made, "begin")
        def _(connection: Connection) -> None:
            writes = connection.get_execution_options().get("writes")
            connection.exec_driver_sql("begin immediate" if writes else "begin")

    if made.dialect.name == "postgresql":

        @sa.event.listens_for(made, "begin")
        def _(connection: Connection) -> None:
            if connection.get_execution_options().get("writes"):
                connection.exec_driver_sql(f"select pg_advisory_xact_lock({turn})")

    return made


def _write_ahead(connection: Any) -> None:
    """Turn to WAL. Processes that open a new file at once get a refusal here, not a place in the queue."""
    from sqlite3 import OperationalError

    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            connection.execute("pragma journal_mode=wal")
            return
        except OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE_S)
