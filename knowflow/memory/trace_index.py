"""An index of traces: which runs were of a quantity, used a tool, failed for a cause, ended so. SQLite, or any database
that SQLAlchemy knows by its URL.

The traces themselves are the truth, and are kept elsewhere. A row is of one state of a trace (its ``stamp``), and is
made anew from the trace where that has another: the index may be behind, or lost, and nothing is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from knowflow.ground.databases import engine_of
from knowflow.ground.json_text import json_text
from knowflow.model.trace import Trace

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

# the kinds of words by which runs are found
WORDS = ("quantity", "template", "tool", "cause", "by", "made")
_MOST_AT_ONCE = 400
_LONGEST = 200  # of a word
_TURN = 0x6B6E6F77666C6F77  # "knowflow": the number of the lock that who writes into a Postgres holds


@dataclass(frozen=True, slots=True)
class Entry:
    """What the index knows of a run; ``words`` are those by which it is found, by kind. ``trace`` is all of it, packed,
    where other homes are to see it."""

    run_id: str
    stamp: str
    status: str
    query: str
    title: str
    expression: str
    started: float
    finished: float | None
    seconds: float
    done: int
    nodes: int
    words: Mapping[str, frozenset[str]]
    home: str = ""
    trace: bytes = b""


def entry_of(trace: Trace, stamp: str) -> Entry:
    """A trace as the index keeps it."""
    question: Mapping[str, Any] = dict(trace.plan.understood.get("question") or {})
    return Entry(
        trace.run_id,
        stamp,
        trace.status,
        trace.plan.query,
        trace.plan.title,
        json_text(question.get("value")) if question else "",
        trace.started,
        trace.finished,
        trace.seconds,
        sum(record.ready for record in trace.records.values()),
        len(trace.plan.workflow),
        _words(trace),
    )


def _words(trace: Trace) -> Mapping[str, frozenset[str]]:
    made = [one for record in trace.records.values() for one in record.outputs.values()]
    leaves = [leaf for one in (*trace.plan.inputs.values(), *made) for leaf in one.leaves()]
    diagnoses = [*trace.diagnoses, *(repair.diagnosis for repair in trace.repairs if repair.diagnosis.failed)]
    earlier = [one["cause"] for attempt in trace.attempts for one in attempt["diagnoses"]]
    found: dict[str, Iterable[object]] = {
        "quantity": (leaf.fact("quantity") for leaf in leaves),
        "template": (trace.plan.template,),
        "tool": (node.tool for node in trace.plan.workflow.nodes),
        "cause": (*(one.cause for one in diagnoses), *earlier),
        "by": (repair.by for repair in trace.repairs),
        "made": trace.made.values(),
    }
    return {kind: frozenset(str(word) for word in words if word) for kind, words in found.items()}


class TraceIndex:
    """The index of the traces of one home, in a database that several homes and processes may share."""

    def __init__(self, url: str, home: str, *, whole: bool = False) -> None:
        """``url`` is one of SQLAlchemy's; ``home`` tells the traces of one home folder from those of another.
        ``whole``: traces are kept as well, for other homes.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: there is no such database.
        """
        import sqlalchemy as sa

        self._home = home
        tables = sa.MetaData()
        self._runs = sa.Table(
            "knowflow_runs",
            tables,
            *_key(),
            sa.Column("stamp", sa.String(200), nullable=False),
            sa.Column("status", sa.String(20), nullable=False, index=True),
            *(sa.Column(name, sa.Text, nullable=False) for name in ("query", "title", "expression")),
            *(sa.Column(name, sa.Float, nullable=name == "finished") for name in ("started", "finished", "seconds")),
            *(sa.Column(name, sa.Integer, nullable=False) for name in ("done", "nodes")),
        )
        self._words = sa.Table(
            "knowflow_run_words",
            tables,
            *_key(),
            sa.Column("kind", sa.String(20), primary_key=True),
            sa.Column("word", sa.String(_LONGEST), primary_key=True),
            sa.Index("knowflow_run_words_found", "home", "kind", "word", "run_id"),
        )
        self._traces = sa.Table(
            "knowflow_run_traces", tables, *_key(), sa.Column("trace", sa.LargeBinary, nullable=False)
        )
        self._whole = whole
        self._engine = engine_of(url, _TURN)
        with self._writing() as database:
            tables.create_all(database)

    def close(self) -> None:
        self._engine.dispose()

    def stamps(self) -> dict[str, str]:
        """The state in which each run is known, by id."""
        import sqlalchemy as sa

        runs, traces = self._runs.c, self._traces.c
        of_home = sa.select(runs.run_id, runs.stamp).where(runs.home == self._home)
        if self._whole:
            known = sa.select(traces.run_id).where(traces.home == self._home)
            of_home = of_home.where(runs.run_id.in_(known))
        with self._engine.connect() as database:
            return {str(run): str(stamp) for run, stamp in database.execute(of_home)}

    def put(self, entries: Iterable[Entry]) -> None:
        """Keep entries, in the place of what is known of the same runs; all of them or none."""
        rows = list(entries)
        if not rows:
            return
        with self._writing() as database:
            self._remove(database, [one.run_id for one in rows])
            names = [column.name for column in self._runs.columns if column.name != "home"]
            if self._whole:
                packed = [{"home": self._home, "run_id": one.run_id, "trace": one.trace} for one in rows]
                database.execute(self._traces.insert(), packed)
            told = [{"home": self._home, **{name: getattr(one, name) for name in names}} for one in rows]
            database.execute(self._runs.insert(), told)
            words = list(self._words_of(rows))
            if words:
                database.execute(self._words.insert(), words)

    def drop(self, run_ids: Sequence[str]) -> None:
        """Forget runs."""
        if run_ids:
            with self._writing() as database:
                self._remove(database, run_ids)

    def found(
        self,
        status: Sequence[str] = (),
        words: Mapping[str, Sequence[str]] | None = None,
        limit: int | None = None,
        *,
        every_home: bool = False,
    ) -> tuple[Entry, ...]:
        """The runs that ended in one of the statuses and have, of each kind that is given, one of the words; newest
        first. Nothing given: all. ``every_home``: not of this home alone, as each was when it was last indexed."""
        import sqlalchemy as sa

        runs = self._runs.c
        order = runs.started.desc(), runs.run_id.desc()  # an id tells the second only
        query: Select[Any] = sa.select(self._runs).order_by(*order)
        query = query if every_home else query.where(runs.home == self._home)
        if status:
            query = query.where(runs.status.in_(status))
        for kind, wanted in (words or {}).items():
            if wanted:
                other = self._words.c
                of_word = sa.select(other.home).where(
                    other.home == runs.home, other.run_id == runs.run_id, other.kind == kind, other.word.in_(wanted)
                )
                query = query.where(of_word.exists())
        with self._engine.connect() as database:
            rows = database.execute(query if limit is None else query.limit(limit)).mappings().all()
        return tuple(Entry(**row, words={}) for row in rows)

    def traces(self, begin: str) -> dict[str, bytes]:
        """The packed traces of runs whose ids begin so, of every home; two at most."""
        import sqlalchemy as sa

        traces = self._traces.c
        found = sa.select(traces.run_id, traces.trace).where(traces.run_id.startswith(begin, autoescape=True)).limit(2)
        with self._engine.connect() as database:
            return {str(run): bytes(trace) for run, trace in database.execute(found)}

    def _words_of(self, entries: Iterable[Entry]) -> Iterator[dict[str, str]]:
        for one in entries:
            for kind, words in one.words.items():
                of_run = {"home": self._home, "run_id": one.run_id, "kind": kind}
                yield from ({**of_run, "word": word} for word in {word[:_LONGEST] for word in words})

    def _remove(self, database: Connection, run_ids: Sequence[str]) -> None:
        for begin in range(0, len(run_ids), _MOST_AT_ONCE):
            some = run_ids[begin : begin + _MOST_AT_ONCE]
            for table in (self._words, self._runs, self._traces):
                database.execute(table.delete().where(table.c.home == self._home, table.c.run_id.in_(some)))

    def _writing(self) -> Any:
        return self._engine.execution_options(writes=True).begin()


def _key() -> tuple[Any, Any]:
    """The columns that say which run a row is of."""
    import sqlalchemy as sa

    return sa.Column("home", sa.String(512), primary_key=True), sa.Column("run_id", sa.String(64), primary_key=True)
