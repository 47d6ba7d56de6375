"""Runs found by what they were of: the index of traces, brought up to date with the folders of runs when it is asked.

A run is kept as files while it happens (``execution/run_store``), and these are the truth. The index is made from them:
a run whose trace has changed since is read again, one whose folder is gone is forgotten.
"""

from __future__ import annotations

import os
import socket
import uuid
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import get_args

from knowflow.execution.persist import from_text, to_text, write_text
from knowflow.execution.run_store import TRACE, RunSummary, load_run, run_folder, runs_folder
from knowflow.ground.databases import sqlite_url
from knowflow.ground.errors import KnowFlowError, UnknownNameError, UnreadableDataError
from knowflow.ground.locks import locked
from knowflow.ground.spelling import did_you_mean
from knowflow.memory.trace_index import Entry, TraceIndex, entry_of
from knowflow.model.causes import CAUSES
from knowflow.model.trace import RunStatus, Trace

VARIABLE = "KNOWFLOW_TRACES"
FILE = "traces.sqlite"
_AT_ONCE = 200  # traces that are indexed in one transaction
_LARGEST = 64 << 20  # bytes of a packed trace that others see


class TraceIndexError(KnowFlowError):
    """The database that runs are found by cannot be used."""

    code = "trace_index"


def runs_found(
    home: Path, status: Sequence[str] = (), *, every_home: bool = False, **words: Sequence[str]
) -> tuple[RunSummary, ...]:
    """The runs that ended in one of the statuses and are of one of the words of each kind given (``quantity``,
    ``template``, ``tool``, ``cause``, ``by``); newest first. ``every_home``: of all homes of the database.

    Raises:
        UnknownNameError: there is no such status or cause.
        TraceIndexError: the database cannot be used; there is none for other homes.
    """
    _require(status, get_args(RunStatus), "--status")
    _require(words.get("cause", ()), CAUSES, "--cause")
    if every_home and not _url():
        raise TraceIndexError(
            "runs of other homes are not known here", expected=f"the URL of their database in {VARIABLE}", found="none"
        )
    with _used(home) as index:
        brought_up_to_date(index, home)
        found = index.found(status, words, every_home=every_home)
    return tuple(_summary(one, home, every_home) for one in found)


def tell_others(home: Path) -> None:
    """Have runs of a home that have ended be seen by others, where they share a database; it fails none of them."""
    if _url():
        with suppress(TraceIndexError), _used(home) as index:
            brought_up_to_date(index, home)


def trace_anywhere(run_id: str, home: Path) -> Trace:
    """The trace of a run of this home, else of another one of the same database, by its id or the beginning of it.

    Raises:
        UnknownNameError: no run, or more than one, has such an id. UnreadableDataError: its trace is damaged.
        TraceIndexError: the database cannot be used.
    """
    try:
        return load_run(run_id, home)
    except UnknownNameError:
        if not _url() or not run_id:
            raise
        with _used(home) as index:
            found = [trace for trace in index.traces(run_id).values() if trace]
        if len(found) != 1:
            raise
        return Trace.from_json(from_text(zlib.decompress(found[0]).decode()))


@contextmanager
def _used(home: Path) -> Iterator[TraceIndex]:
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with closing(_opened(home)) as index:
            yield index
    except (SQLAlchemyError, ModuleNotFoundError) as error:
        raise TraceIndexError(
            "the index of runs cannot be used",
            expected="a database that SQLAlchemy reaches",
            found=type(error).__name__,
            hint=f"check {VARIABLE}; the runs themselves are in {runs_folder(home)}",
        ) from error


def brought_up_to_date(index: TraceIndex, home: Path) -> int:
    """Read the runs that the index does not know, or not as they are now; how many these were."""
    known, stamps = index.stamps(), dict(_stamps(home))
    index.drop([run_id for run_id in known if run_id not in stamps])
    running = {one.run_id for one in index.found(status=("running",))}
    other = [run_id for run_id, stamp in stamps.items() if known.get(run_id) != stamp or run_id in running]
    for begin in range(0, len(other), _AT_ONCE):
        some = other[begin : begin + _AT_ONCE]
        entries = list(_entries(some, stamps, home))
        index.put(entries)
        index.drop(list(set(some) - {one.run_id for one in entries}))
    return len(other)


def _opened(home: Path) -> TraceIndex:
    """The index of a home folder; one in a file that is damaged is made anew: it holds nothing of its own."""
    from sqlalchemy.exc import DatabaseError

    if url := _url():
        return TraceIndex(url, _called(home), whole=True)
    home.mkdir(parents=True, exist_ok=True)
    file = home / FILE
    try:
        return TraceIndex(sqlite_url(file), str(home))
    except DatabaseError as error:
        if "malformed" not in str(error) and "not a database" not in str(error):
            raise
        for part in (file, file.with_name(f"{FILE}-wal"), file.with_name(f"{FILE}-shm")):
            part.unlink(missing_ok=True)
        return TraceIndex(sqlite_url(file), str(home))


def _url() -> str:
    return os.environ.get(VARIABLE, "").strip()


def _called(home: Path) -> str:
    """What a home is called beside others: homes of several machines may have one path."""
    file = home / "called"
    home.mkdir(parents=True, exist_ok=True)
    with locked(home / "called.lock"):
        if not file.is_file():
            write_text(file, f"{socket.gethostname()}:{home} {uuid.uuid4().hex[:8]}")
    return file.read_text(encoding="utf-8")


def _stamps(home: Path) -> Iterator[tuple[str, str]]:
    """Every run with the state of its trace: another one after each start, edit and end."""
    try:
        with os.scandir(runs_folder(home)) as entries:
            for entry in entries:
                try:
                    status = os.stat(os.path.join(entry.path, TRACE))
                except OSError:
                    continue
                yield entry.name, f"{status.st_mtime_ns}:{status.st_size}"
    except FileNotFoundError:  # nothing was run yet
        return


def _entries(run_ids: Sequence[str], stamps: Mapping[str, str], home: Path) -> Iterator[Entry]:
    for run_id in run_ids:
        try:
            trace = load_run(run_id, home)
            packed = zlib.compress(to_text(trace.to_json()).encode(), 1) if _url() else b""
            yield replace(entry_of(trace, stamps[run_id]), trace=packed if len(packed) <= _LARGEST else b"")
        except (UnreadableDataError, UnknownNameError):  # damaged, or removed meanwhile
            continue


def _summary(one: Entry, home: Path, every_home: bool) -> RunSummary:
    return RunSummary(
        one.run_id,
        one.status,  # type: ignore[arg-type]  # as it was written
        one.query,
        one.title,
        one.started,
        one.finished,
        one.seconds,
        one.done,
        one.nodes,
        run_folder(one.run_id, Path(one.home.partition(":")[2].rpartition(" ")[0]) if every_home else home),
        one.home if every_home else "",
    )


def _require(names: Sequence[str], known: Sequence[str] | Mapping[str, object], where: str) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, "")
            raise UnknownNameError(f"{name!r} is none", where=where, expected=", ".join(known), found=name, hint=hint)
