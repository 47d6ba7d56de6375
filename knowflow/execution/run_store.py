"""Runs on disk: the trace of each, kept after every change, so that whatever happens to the process it can go on.

``<home>/runs/<run id>/trace.json`` is the whole trace as of the last start, edit or end of the run; between those, each
change of a node is one line appended to the journal that it names. A lock tells whether the run is still alive.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from typing import Any

from knowflow import __version__
from knowflow.execution.persist import from_text, plain_bytes, read_json, to_text, write_bytes, write_json
from knowflow.execution.provenance import library_versions
from knowflow.ground.errors import KnowFlowError, UnknownNameError, UnreadableDataError
from knowflow.ground.garbage import uncollected
from knowflow.ground.locks import is_locked, try_lock
from knowflow.ground.resources import state_home
from knowflow.ground.system import refusal
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.literal import plain
from knowflow.model.plan import Plan
from knowflow.model.trace import NodeRecord, Refusal, RunStatus, Trace

TRACE = "trace.json"
LOCK = "lock"
_MOST_CANDIDATES = 8
_FOUND = "found"  # in a line of a journal that is not the record of a node


class RunInUseError(KnowFlowError):
    """Another process is executing this run."""

    code = "run_in_use"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of the list of runs: ``done`` of ``nodes`` have results; ``seconds`` is the time spent executing.
    ``home`` is told where several are looked at; folders are those of that home then."""

    run_id: str
    status: RunStatus
    query: str
    title: str
    started: float
    finished: float | None
    seconds: float
    done: int
    nodes: int
    folder: Path
    home: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            **({"home": self.home} if self.home else {}),
            "run_id": self.run_id,
            "status": self.status,
            "query": self.query,
            "title": self.title,
            "started": self.started,
            "finished": self.finished,
            "seconds": round(self.seconds, 3),
            "done": self.done,
            "nodes": self.nodes,
            "folder": str(self.folder),
        }


def runs_folder(home: Path | None = None) -> Path:
    return (home or state_home()) / "runs"


def run_folder(run_id: str, home: Path | None = None) -> Path:
    """The folder of a run: its trace, its node logs, its report."""
    return runs_folder(home) / run_id


def list_runs(home: Path | None = None) -> tuple[RunSummary, ...]:
    """All runs, newest first; one whose trace cannot be read is left out.

    Raises:
        UnreadableDataError: the folder of runs cannot be listed, or is none.
    """
    found = []
    for run_id in reversed(_run_ids(home)):
        try:
            trace = _read(run_folder(run_id, home))
        except UnreadableDataError:
            continue
        found.append(
            RunSummary(
                run_id,
                trace.status,
                trace.plan.query,
                trace.plan.title,
                trace.started,
                trace.finished,
                trace.seconds,
                sum(record.ready for record in trace.records.values()),
                len(trace.plan.workflow),
                run_folder(run_id, home),
            )
        )
    return tuple(sorted(found, key=lambda one: one.started, reverse=True))  # an id tells the second only


def exported(run_id: str, folder: Path, home: Path | None = None) -> tuple[Path, ...]:
    """Write a run into a folder as it stands alone: its trace as one document, and what is kept beside it. Returns the
    files.

    Raises:
        UnknownNameError, UnreadableDataError: there is no such run, or its trace is damaged.
        OSError: the folder cannot be written to.
    """
    trace = load_run(run_id, home)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / TRACE, trace.to_json())
    written = [folder / TRACE]
    for kept in sorted(run_folder(trace.run_id, home).rglob("*")):
        inside = kept.relative_to(run_folder(trace.run_id, home))
        if kept.is_file() and kept.name not in (TRACE, LOCK) and not kept.name.startswith(("changes-", ".")):
            (folder / inside).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept, folder / inside)
            written.append(folder / inside)
    return tuple(written)


def oldest_execution(home: Path | None = None) -> float | None:
    """When the first of the executions began that have not ended (seconds since the epoch); None where all have."""
    began = []
    for lock in runs_folder(home).glob(f"*/{LOCK}"):
        with suppress(OSError):
            if is_locked(lock):
                began.append(lock.stat().st_mtime)
    return min(began, default=None)


def load_run(run_id: str, home: Path | None = None) -> Trace:
    """The trace of a run, by its id or the beginning of it.

    A run that says it is running, but whose process is gone, is ``interrupted``.

    Raises:
        UnknownNameError: no run, or more than one, has such an id.
        UnreadableDataError: its trace is damaged.
    """
    return _read(run_folder(full_id(run_id, home), home))


def full_id(run_id: str, home: Path | None = None) -> str:
    """The id of the one run whose id begins so.

    Raises:
        UnknownNameError: no run, or more than one, has such an id.
    """
    known = _run_ids(home)
    matching = [name for name in known if run_id and name.startswith(run_id)]
    if run_id in matching:
        return run_id
    if len(matching) == 1:
        return matching[0]
    candidates = (matching or known)[-_MOST_CANDIDATES:]
    raise UnknownNameError(
        f"{'several runs begin' if matching else 'no run begins'} with {run_id!r}",
        expected=f"one of {', '.join(reversed(candidates))}" if candidates else "a run that was started",
        found=run_id,
        hint="`knowflow runs list` shows all",
    )


def save(trace: Trace, home: Path | None = None) -> None:
    """Replace the stored trace of a run that nobody is executing: to add what was delivered, or its report."""
    write_json(run_folder(trace.run_id, home) / TRACE, trace.to_json())


def edit(run_id: str, change: Callable[[Trace], Trace], home: Path) -> Trace:
    """Change the stored trace of a run that nobody is executing, while nobody can begin to.

    Raises:
        UnknownNameError: there is no run whose id begins so.
        RunInUseError: a process is executing it.
    """
    folder = run_folder(full_id(run_id, home), home)
    lock = _lock_of(folder)
    try:
        trace = change(_read(folder))
        write_json(folder / TRACE, trace.to_json())
        for journal in folder.glob("changes-*.jsonl"):
            journal.unlink(missing_ok=True)
        return trace
    finally:
        os.close(lock)


def _run_ids(home: Path | None) -> list[str]:
    folder = runs_folder(home)
    try:
        return sorted(entry.name for entry in folder.iterdir() if (entry / TRACE).is_file())
    except FileNotFoundError:  # nothing was run yet
        return []
    except OSError as error:
        refused = refusal(error, str(folder), writing=False)
        refused.hint = "runs are kept in the folder that KNOWFLOW_HOME names: check it and its permissions"
        raise refused from error


@uncollected
def _read(folder: Path) -> Trace:
    try:
        data = read_json(folder / TRACE)
        trace = Trace.from_json(data)
        for change in _journal(folder / data["journal"]) if data.get("journal") else ():
            trace = _changed(trace, change)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UnreadableDataError(
            f"the trace of run {folder.name} cannot be read",
            where=str(folder / TRACE),
            expected="the record of a run, as this version keeps it",
            found=f"no key {error}" if isinstance(error, KeyError) else f"{type(error).__name__}: {error}",
            hint="it is damaged, or of another version: ask again; what was computed is in the cache",
        ) from error
    if trace.status == "running" and not is_locked(folder / LOCK):
        return replace(trace, status="interrupted")
    return trace


def _changed(trace: Trace, change: Mapping[str, Any]) -> Trace:
    """A trace after one line of its journal: the record of a node, or what was found out about a failure."""
    found = change.get(_FOUND)
    if found is None:
        return trace.with_record(NodeRecord.from_json(change))
    return trace.with_findings(
        Diagnosis.from_json(found["diagnosis"]), map(Refusal.from_json, found["refused"]), found["exchanges"]
    )


def _journal(journal: Path) -> Iterator[Mapping[str, Any]]:
    """The changes in a journal; a last line that was cut by a crash is left out."""
    if not journal.exists():
        return
    for line in journal.read_text(encoding="utf-8").splitlines():
        try:
            data = from_text(line)
        except json.JSONDecodeError:
            return
        yield data


class OpenRun:
    """A run that this process executes. Every change is on disk when the call returns. Not thread-safe."""

    def __init__(self, trace: Trace, folder: Path, lock: int) -> None:
        self._folder = folder
        self._lock = lock
        self._generation = 0
        self._journal: Path | None = None
        self._appending: FileIO | None = None
        self._plan: tuple[Plan, bytes] | None = None  # with its text
        self.trace = trace

    @classmethod
    def start(
        cls, plan: Plan, runner: str, home: Path, out: str = "", begun: Callable[[Trace], Trace] | None = None
    ) -> OpenRun:
        """A new run of a plan, whose results go to the folder ``out``; ``begun`` adds how it came about."""
        folder, now, software = _new_folder(home), time.time(), library_versions()
        trace = Trace(folder.name, plan, runner=runner, out=out, started=now, version=__version__, software=software)
        return cls._open(trace if begun is None else begun(trace), folder, _lock_of(folder))

    @classmethod
    def resume(cls, run_id: str, runner: str, home: Path, out: str = "") -> OpenRun:
        """A run that exists, to go on with: its plan as it was last edited, every node pending again.

        Raises:
            UnknownNameError: there is no run whose id begins so.
            RunInUseError: another process is executing it.
        """
        folder = run_folder(full_id(run_id, home), home)
        lock = _lock_of(folder)
        old = _read(folder)
        trace = Trace(
            folder.name,
            old.plan,
            runner=runner,
            out=out or old.out,
            started=old.started,
            resumed=time.time(),
            spent=old.seconds,
            version=__version__,
            software=library_versions(),
            repairs=old.repairs,
            exchanges=old.exchanges,
            written=old.written,
            request=old.request,
            attempts=old.with_attempt().attempts,
        )
        return cls._open(trace, folder, lock)

    @classmethod
    def _open(cls, trace: Trace, folder: Path, lock: int) -> OpenRun:
        os.utime(folder / LOCK)  # when this execution began
        run = cls(trace, folder, lock)
        run.replace(trace)
        return run

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def logs(self) -> Path:
        return self._folder / "logs"

    def record(self, record: NodeRecord) -> None:
        """Keep a change of one node: one appended line, however large the run is."""
        self.trace = self.trace.with_record(record)
        self._append(record.to_json())

    def find(
        self, diagnosis: Diagnosis, refused: Sequence[Refusal] = (), exchanges: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Keep what was found out about a failure that nothing is done about: one appended line."""
        self.trace = self.trace.with_findings(diagnosis, refused, exchanges)
        found = {
            "diagnosis": diagnosis.to_json(),
            "refused": [one.to_json() for one in refused],
            "exchanges": plain(list(exchanges)),
        }
        self._append({_FOUND: found})

    def _append(self, change: Mapping[str, Any]) -> None:
        assert self._journal is not None
        if self._appending is None:
            self._appending = FileIO(self._journal, "a")
        left = memoryview(f"{to_text(change)}\n".encode())
        while left:  # the system may take less of it, and says why when it is asked to take the rest
            left = left[self._appending.write(left) :]

    def replace(self, trace: Trace) -> None:
        """Keep a new state of the whole run, and begin a new journal."""
        old = self._journal
        self._generation += 1
        self._journal = self._folder / f"changes-{os.getpid()}-{self._generation}.jsonl"
        self._write(trace, journal=self._journal.name)
        self.trace = trace
        self._close_journal()
        if old is not None:
            old.unlink(missing_ok=True)

    def end(self, trace: Trace) -> None:
        """Keep the final state and let go of the run."""
        self._write(trace)
        self.trace = trace
        self._close_journal()
        for journal in self._folder.glob("changes-*.jsonl"):
            journal.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Let go of the run as it is; one that has not ended counts as interrupted."""
        self._close_journal()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    @uncollected
    def _write(self, trace: Trace, **more: str) -> None:
        """Replace the stored trace; the text of a plan is made once for all states of the run."""
        if self._plan is None or self._plan[0] is not trace.plan:
            self._plan = trace.plan, plain_bytes(trace.plan.to_json())
        state = to_text({**trace.apart_from_plan(), **more})
        write_bytes(self._folder / TRACE, state[:-1].encode(), b', "plan": ', self._plan[1], b"}\n")

    def _close_journal(self) -> None:
        if self._appending is not None:
            self._appending.close()
            self._appending = None


def _lock_of(folder: Path) -> int:
    handle = try_lock(folder / LOCK)
    if handle is None:
        raise RunInUseError(f"run {folder.name} is being executed", hint="wait until it has ended")
    return handle


def _new_folder(home: Path) -> Path:
    """A folder of a new id: the time (UTC), so that ids sort, and four random digits."""
    while True:
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(2)}"
        try:
            run_folder(name, home).mkdir(parents=True)
        except FileExistsError:
            continue
        return run_folder(name, home)
