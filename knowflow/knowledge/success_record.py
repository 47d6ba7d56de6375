"""How often repair rules helped: by rule, tool and cause; kept beside the runs and read when rules are matched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from knowflow.model.trace import Trace

_TABLE = """create table if not exists repairs (
    run text, number integer, rule text, tool text, cause text, helped integer not null, primary key (run, number))"""
# a run that is resumed says again how its repairs ended
_KEEP = "insert or replace into repairs values (?, ?, ?, ?, ?, ?)"
_COUNT = "select count(*), sum(helped) from repairs where rule=? and tool=? and cause=?"
_ALL = "select rule, count(*), sum(helped) from repairs group by rule"


class SuccessRecord:
    """The record in one home folder. Safe for several processes; a record that cannot be read or kept is no error."""

    def __init__(self, home: Path) -> None:
        self._path = home / "rules.sqlite"

    def __call__(self, rule: str, tool: str, cause: str) -> tuple[int, int]:
        """Tries and successes of a rule for a tool and a cause."""
        found = self._read(_COUNT, rule, tool, cause)
        return (int(found[0][0]), int(found[0][1] or 0)) if found else (0, 0)

    def all(self) -> dict[str, tuple[int, int]]:
        """Tries and successes of every rule."""
        rows = self._read(_ALL)
        return {str(rule): (int(tries), int(successes)) for rule, tries, successes in rows}

    def learn(self, trace: Trace) -> None:
        """Count the repairs of a run that has ended."""
        outcomes = list(outcomes_of(trace))
        if not outcomes:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path)) as database, database:
                database.execute(_TABLE)
                database.executemany(_KEEP, outcomes)
        except (OSError, sqlite3.Error):  # what happened to the run does not depend on it
            return

    def _read(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        if not self._path.is_file():
            return []
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as database:
                return database.execute(query, values).fetchall()
        except sqlite3.Error:
            return []


def expected(tries: int, successes: int) -> float:
    """How likely it is that something helps the next time, by its record.

    The mean of a Beta(2, 2) distribution updated by it: as if it had helped twice in four runs before. One lucky run
    moves it from 0.50 to 0.60 (Laplace's rule, Beta(1, 1), says 0.67), one unlucky run to 0.40, ten of ten to 0.86.
    Source: Gelman et al., Bayesian Data Analysis, 3rd edition, section 2.4.
    """
    return (successes + 2) / (tries + 4)


def outcomes_of(trace: Trace) -> Iterable[tuple[str, int, str, str, str, int]]:
    """(run, number, rule, tool, cause, helped) of every repair by a rule, authored or learned; it helped where what
    failed has a result."""
    planned = dict.fromkeys(one.because.partition(":")[0] for one in trace.plan.assumptions if one.origin == "memory")
    done = {repair.by.partition(":")[2] for repair in trace.repairs}
    for number, rule in enumerate(rule for rule in planned if rule not in done):  # used before anything failed
        yield trace.run_id, -1 - number, rule, "", "", int(trace.status == "completed")
    for repair in trace.repairs:
        kind, _, rule = repair.by.partition(":")
        if kind not in ("rule", "memory"):
            continue
        failed = repair.failed.node
        tool = repair.before.by_id[repair.diagnosis.node].tool if repair.diagnosis.node in repair.before.by_id else ""
        again = any(later.failed.node == failed for later in trace.repairs if later.number > repair.number)
        helped = not again and (failed not in trace.plan.workflow.by_id or trace.record(failed).ready)
        yield trace.run_id, repair.number, rule, tool, repair.diagnosis.cause, int(helped)
