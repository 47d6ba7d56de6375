"""How often repair rules helped, and methods made what they are for; kept beside the runs, read to rank them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.knowledge.memory_database import PREFIX, MemoryDatabaseError, shared_memory
from knowflow.knowledge.memory_settings import database

if TYPE_CHECKING:
    from knowflow.model.trace import Trace

# of a database that is shared, the names of tables begin with {p}
_TABLE = """create table if not exists {p}repairs (
    run text, number integer, rule text, tool text, cause text, helped integer not null, primary key (run, number))"""
# a run that is resumed says again how its repairs ended
_KEEP = """insert into {p}repairs values (:run, :number, :rule, :tool, :cause, :helped) on conflict (run, number)
    do update set rule=excluded.rule, tool=excluded.tool, cause=excluded.cause, helped=excluded.helped"""
_COUNT = "select count(*), sum(helped) from {p}repairs where rule=:rule and tool=:tool and cause=:cause"
_ALL = "select rule, count(*), sum(helped) from {p}repairs group by rule"
METHODS = "methods.sqlite"
_METHODS_TABLE = """create table if not exists {p}methods (
    project text, run text, method text, made integer not null, primary key (project, run, method))"""
_METHODS_KEEP = """insert into {p}methods values (:project, :run, :method, :made)
    on conflict (project, run, method) do update set made=excluded.made"""
_METHODS_ALL = "select method, count(*), sum(made) from {p}methods where project=:project group by method"


class SuccessRecord:
    """The record of one home folder, or of the database that is set. Safe for several processes; a record that cannot
    be read or kept is no error."""

    def __init__(self, home: Path) -> None:
        self._path = home / "rules.sqlite"

    def __call__(self, rule: str, tool: str, cause: str) -> tuple[int, int]:
        """Tries and successes of a rule for a tool and a cause."""
        found = _rows(self._path, _COUNT, rule=rule, tool=tool, cause=cause)
        return (int(found[0][0]), int(found[0][1] or 0)) if found else (0, 0)

    def all(self) -> dict[str, tuple[int, int]]:
        """Tries and successes of every rule."""
        return {str(rule): (int(tries), int(successes)) for rule, tries, successes in _rows(self._path, _ALL)}

    def learn(self, trace: Trace) -> None:
        """Count the repairs of a run that has ended."""
        names = ("run", "number", "rule", "tool", "cause", "helped")
        outcomes = [dict(zip(names, one, strict=True)) for one in outcomes_of(trace)]
        if outcomes:
            _written(self._path, _TABLE, _KEEP, outcomes)


def _rows(path: Path, query: str, **values: Any) -> list[tuple[Any, ...]]:
    import sqlite3

    try:
        shared = shared_memory()
        if shared is not None:
            return shared.rows(query.format(p=PREFIX), values)
        if not path.is_file():
            return []
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as now:
            return now.execute(query.format(p=""), values).fetchall()
    except (sqlite3.Error, MemoryDatabaseError):
        return []


def _written(path: Path, table: str, keep: str, rows: Sequence[Mapping[str, Any]]) -> None:
    import sqlite3

    try:
        shared = shared_memory()
        if shared is not None:
            shared.write(table.format(p=PREFIX), keep.format(p=PREFIX), rows)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as now, now:
            now.execute(table.format(p=""))
            now.executemany(keep.format(p=""), rows)
    except (OSError, sqlite3.Error, MemoryDatabaseError):  # what happened to the run does not depend on it
        return


def counts_methods(home: Path) -> bool:
    """Whether methods are counted in a home folder: from the first time that one of them did not make it."""
    return (home / METHODS).is_file() or bool(database())


class MethodRecord:
    """How often methods made what they are for, in one project; counted from the first time that one of them did not.

    Safe for several processes; a record that cannot be read or kept is no error. Most users have none, and pay nothing.
    """

    def __init__(self, home: Path, project: str) -> None:
        self._path = home / METHODS
        self._project = project

    def likely(self) -> dict[str, float]:
        """How likely each method is to make it the next time; those that always did are not among them."""
        rows = _rows(self._path, _METHODS_ALL, project=self._project)
        return {str(method): expected(int(tries), int(made)) for method, tries, made in rows}

    def learn(self, trace: Trace) -> None:
        """Count what became of the methods that a run used."""
        known = self.likely()
        found: dict[str, bool] = {}
        for method, made in methods_of(trace):
            found[method] = made and found.get(method, True)
        counted = {method: made for method, made in found.items() if method in known or not made}
        rows = [
            {"project": self._project, "run": trace.run_id, "method": method, "made": int(made)}
            for method, made in counted.items()
        ]
        if rows:
            _written(self._path, _METHODS_TABLE, _METHODS_KEEP, rows)


def methods_of(trace: Trace) -> Iterable[tuple[str, bool]]:
    """The methods whose steps ended well, and those of which one failed or was changed by a person."""
    plan = trace.plan
    failed = {name for name, record in trace.records.items() if record.status == "failed"}
    nodes = {node.id: node for repair in trace.repairs for node in repair.before.nodes}
    nodes |= plan.workflow.by_id
    of_people = [one for one in trace.repairs if one.by == "person"]
    told = {
        name for one in of_people for name in (*one.changed, *(one.before.by_id.keys() - plan.workflow.by_id.keys()))
    }
    places = {decision.what.partition(" at ")[2]: decision.chosen for decision in plan.decisions}
    inner: dict[str, set[str]] = {}  # a step is of the innermost method
    for name, node in nodes.items():
        around = [path for path in places if path and node.step.startswith(f"{path}.")]
        inner.setdefault(max(around, key=len, default=""), set()).add(name)
    for path, chosen in places.items():
        own = inner.get(path, set()) if path else set()
        if own & (failed | told):
            yield chosen, False
        elif own and trace.status == "completed":
            yield chosen, True


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
