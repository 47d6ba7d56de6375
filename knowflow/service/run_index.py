"""Runs found by what they were of: the index of traces, brought up to date with the folders of runs when it is asked.

A run is kept as files while it happens (``execution/run_store``), and these are the truth. The index is made from them:
a run whose trace has changed since is read again, one whose folder is gone is forgotten.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import get_args

from knowflow.execution.run_store import TRACE, RunSummary, load_run, run_folder, runs_folder
from knowflow.ground.databases import sqlite_url
from knowflow.ground.errors import KnowFlowError, UnknownNameError, UnreadableDataError
from knowflow.ground.spelling import did_you_mean
from knowflow.memory.trace_index import Entry, TraceIndex, entry_of
from knowflow.model.causes import CAUSES
from knowflow.model.trace import RunStatus

VARIABLE = "KNOWFLOW_TRACES"
FILE = "traces.sqlite"
_AT_ONCE = 200  # traces that are indexed in one transaction


class TraceIndexError(KnowFlowError):
    """The database that runs are found by cannot be used."""

    code = "trace_index"


def runs_found(home: Path, status: Sequence[str] = (), **words: Sequence[str]) -> tuple[RunSummary, ...]:
    """The runs that ended in one of the statuses and are of one of the words of each kind given (``quantity``,
    ``template``, ``tool``, ``cause``, ``by``); newest first.

    Raises:
        UnknownNameError: there is no such status or cause.
        TraceIndexError: the database cannot be used.
    """
    _require(status, get_args(RunStatus), "--status")
    _require(words.get("cause", ()), CAUSES, "--cause")
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with closing(_opened(home)) as index:
            brought_up_to_date(index, home)
            found = index.found(status, words)
    except SQLAlchemyError as error:
        raise TraceIndexError(
            "the index of runs cannot be used",
            expected="a database that SQLAlchemy reaches",
            found=type(error).__name__,
            hint=f"check {VARIABLE}; the runs themselves are in {runs_folder(home)}",
        ) from error
    return tuple(_summary(one, home) for one in found)


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

    url = os.environ.get(VARIABLE, "").strip()
    if url:
        return TraceIndex(url, str(home))
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
            yield entry_of(load_run(run_id, home), stamps[run_id])
        except (UnreadableDataError, UnknownNameError):  # damaged, or removed meanwhile
            continue


def _summary(one: Entry, home: Path) -> RunSummary:
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
        run_folder(one.run_id, home),
    )


def _require(names: Sequence[str], known: Sequence[str] | Mapping[str, object], where: str) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known, "")
            raise UnknownNameError(f"{name!r} is none", where=where, expected=", ".join(known), found=name, hint=hint)
