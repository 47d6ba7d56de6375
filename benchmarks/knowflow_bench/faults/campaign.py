"""The campaign of faults: every kind of a table on its questions, in processes that are ended when they do not end.

What is measured: whether the answer is true, whether a refusal or a note names a true cause, and whether anything was
computed twice or edited without need. The table is fixed before any run (``benchmarks/faults``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any

from knowflow.execution.workers import WorkerPool
from knowflow.ground.errors import KnowFlowError, ToolTimeoutError
from knowflow_bench.faults.case import Ending, require_data, run_case
from knowflow_bench.faults.injection.table import Fault, table

CASES_A_KIND = 20
SECONDS_A_CASE = 90.0
"""A case that takes longer hangs: all that can be waited for has far shorter bounds."""
_PROCESSES = 2
_PRELOAD = ("knowflow_bench.faults.case",)


@dataclass(frozen=True, slots=True)
class Planned:
    """A case before it is run: kind, question and seed say all about it."""

    fault: Fault
    question: str
    seed: int


@dataclass
class Tally:
    """What became of the cases of one kind."""

    title: str
    fails: bool
    repairable: bool
    by: str
    cases: int = 0
    right: int = 0
    told: int = 0
    wrong: int = 0
    hangs: int = 0
    crashed: int = 0
    refused_truly: int = 0
    refused_falsely: int = 0
    repaired_by_rules: int = 0
    repaired_while_planning: int = 0
    repaired_during_run: int = 0
    failing: int = 0
    cause_named: int = 0
    attempts: int = 0
    recomputed_needlessly: int = 0
    edited_without_fault: int = 0
    tokens: int = 0
    seconds: float = 0.0
    causes: dict[str, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)


def cases_of(faults: Sequence[Fault], each: int, limit: int | None = None) -> Iterator[Planned]:
    """The cases in a fixed order: of every kind one after the other, so that a limit takes some of all kinds."""
    count = 0
    for seed in range(each):
        for fault in faults:
            if limit is not None and count >= limit:
                return
            questions = fault.questions
            yield Planned(fault, questions[seed % len(questions)], seed // len(questions))
            count += 1


def campaign(
    table_name: str = "first",
    limit: int | None = None,
    each: int = CASES_A_KIND,
    on_case: Callable[[Planned, Ending], None] | None = None,
    kinds: Sequence[str] = (),
    data: str = "",
) -> dict[str, Any]:
    """Run a table's cases and count what came of them.

    Returns ``{"cases", "right", "wrong", "hangs", "crashed", "told", "repairable", "repaired_by_rules",
    "repaired_while_planning", "repaired_during_run", "refused_truly", "refused_falsely", "failing", "cause_named",
    "recomputed_needlessly", "edited_without_fault", "tokens", "seconds", "by_kind"}``. ``repaired_by_rules`` is the sum
    of what was repaired while planning and during the run; ``failing`` counts the cases in which something failed,
    repaired or not, and ``cause_named`` those of them whose first diagnosis is true; ``crashed`` are those that ended
    with an error that nobody named.

    ``data`` is a folder of real data, for the table ``real``.

    Raises:
        UnknownNameError: there is no such table.
        DataNotFoundError: the table is about real data, and they are not in the folder.
    """
    begun = time.perf_counter()
    faults = [fault for fault in table(table_name) if not kinds or fault.kind in kinds]
    tallies = {fault.kind: Tally(fault.title, fault.fails, fault.repairable, fault.by) for fault in faults}
    planned = list(cases_of(faults, each, limit))
    for name in sorted({one.question for one in planned}):
        require_data(name, data)
    with WorkerPool(_PROCESSES, timeout_s=SECONDS_A_CASE, preload=_PRELOAD) as pool:

        def carried_out(one: Planned) -> Ending:
            return _ending(pool, table_name, one, data)

        with ThreadPoolExecutor(_PROCESSES) as threads:
            for one, ending in zip(planned, threads.map(carried_out, planned), strict=True):
                _count(tallies[one.fault.kind], one, ending)
                if on_case is not None:
                    on_case(one, ending)
    counted = {kind: asdict(tally) for kind, tally in tallies.items() if tally.cases}

    def total(name: str) -> int:
        return sum(int(one[name]) for one in counted.values())

    return {
        **{name: total(name) for name in ("cases", "right", "wrong", "hangs", "crashed", "told")},
        "repairable": sum(one["cases"] for one in counted.values() if one["repairable"]),
        **{
            name: total(name)
            for name in (
                "repaired_by_rules",
                "repaired_while_planning",
                "repaired_during_run",
                "refused_truly",
                "refused_falsely",
                "failing",
                "cause_named",
                "recomputed_needlessly",
                "edited_without_fault",
                "tokens",
            )
        },
        "seconds": round(time.perf_counter() - begun, 1),
        "by_kind": counted,
    }


def _ending(pool: WorkerPool, table_name: str, one: Planned, data: str) -> Ending:
    """How a case ended; one whose process had to be ended hangs, one whose process died crashed."""
    names = {"table_name": table_name, "kind": one.fault.kind, "question": one.question}
    arguments = {**names, "seed": one.seed, "data": data}
    try:
        found = pool.submit(f"{run_case.__module__}:{run_case.__name__}", arguments)
    except ToolTimeoutError as error:
        return Ending("hang", detail=str(error.found))
    except KnowFlowError as error:
        return Ending("crashed", detail=f"{error.message}: {error.found}")
    fields: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in found.items()}
    return Ending(**fields)


def _count(tally: Tally, one: Planned, ending: Ending) -> None:
    fault = one.fault
    first = ending.causes[0] if ending.causes else ""
    true = first in fault.cause
    failed = bool(ending.causes) or ending.outcome == "refused"
    tally.cases += 1
    tally.right += ending.outcome == "right"
    tally.told += ending.outcome == "told"
    tally.wrong += ending.outcome == "wrong"
    tally.hangs += ending.outcome == "hang"
    tally.crashed += ending.outcome == "crashed"
    tally.refused_truly += ending.outcome == "refused" and true
    tally.refused_falsely += ending.outcome == "refused" and not true
    repaired = fault.repairable and ending.outcome == "right" and "llm" not in ending.by
    tally.repaired_by_rules += repaired
    tally.repaired_while_planning += repaired and not ending.by
    tally.repaired_during_run += repaired and bool(ending.by)
    tally.failing += failed
    tally.cause_named += failed and true
    tally.attempts += len(ending.by)
    tally.recomputed_needlessly += ending.repeated
    tally.edited_without_fault += not fault.fails and bool(ending.by)
    tally.tokens += ending.tokens
    tally.seconds = round(tally.seconds + ending.seconds, 2)
    if first:
        tally.causes[first] = tally.causes.get(first, 0) + 1
    expected = "right" if fault.repairable or not fault.fails else "refused"
    as_it_should = ending.outcome in (expected, "right")
    if not as_it_should or (failed and not true) or ending.repeated:
        where = f"{one.question} {one.seed}: {ending.outcome}, {'/'.join(ending.causes) or 'no cause'}"
        tally.findings.append(f"{where}: {ending.detail}"[:400])
