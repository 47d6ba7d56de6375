"""The stream: every task is asked once and mended where it fails; what was learned by then answers the next.

What is measured: how often the first pass gives the true answer, at the beginning and at the end; whether a fault that
was mended once is met from then on; how often a model is asked; what becomes of variants and look-alikes; and
whether anything that was learned made an answer wrong.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.databases import sqlite_url
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.resources import state_home
from knowflow.ground.units import convert
from knowflow.knowledge import rules as authored
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.rules import RuleBook
from knowflow.memory.foresight import used_in
from knowflow.memory.trace_index import TraceIndex, entry_of
from knowflow.model.edit import StateFacts
from knowflow.model.repair import Failure, Proposal
from knowflow.model.template import Scene
from knowflow.model.trace import Refusal, Trace
from knowflow.model.workflow import FromInput, Workflow
from knowflow.service.engine import Engine
from knowflow.service.repair_policy import RepairPolicy
from knowflow.service.request import Request
from knowflow.service.run_edits import Change
from knowflow.testing.expressions import evaluate_truth
from knowflow.testing.scenes import scene_coordinates, write_scene
from knowflow_bench.learning.kinds import (
    HEALTHY,
    KINDS,
    OF_ANOTHER_TOOL,
    QUESTIONS,
    WITHHELD,
    Kind,
    in_another_unit,
    look_alikes,
    turned,
)
from knowflow_bench.learning.steps import STEPS

_TENTHS = 10
_IN = {"degC": "K", "degF": "K", "ft": "m", "%": "1"}
_HEALTHY_SHARE = 0.2
_NEAR = 1e-3
_TRACES = 10_000
_LOOKS = 200
_USES_RULES = ("knowflow.service.repairs", "knowflow.service.told_by_pixels", "knowflow.service.remembering")


@dataclass(frozen=True, slots=True)
class Task:
    """One question about one folder; the seed says all of what is in it."""

    kind: Kind
    question: str
    seed: int
    sensor: str = "terra"
    faulty: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task: at the first pass, and in the end. ``wrong``: an answer was given, and was not true."""

    first: bool
    wrong: bool
    calls: int
    memory: bool
    mended: bool
    planned: bool = True
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """What the stream is carried out with: the library of templates, repairs (by rules, memory, a person, a model), and
    what earlier tasks taught."""

    name: str = "as it is"
    templates: bool = True
    adjusts: bool = True
    learns: bool = True


class _Knowing:
    """A proposer that knows what is wrong with a kind of files, as a model would tell it, and counts how often it is
    asked."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self.calls = 0

    def propose(self, failure: Failure, refused: Sequence[Refusal]) -> Proposal | None:
        if refused and any(one.by == "llm" for one in refused):
            return None
        self.calls += 1
        wrong = [FromInput(str(one[0]), tuple(one[1:])) for one in failure.diagnosis.found.get("inputs", ())]
        if not wrong:
            return None
        return Proposal((StateFacts(tuple(wrong), dict(self._kind.says)),), "so this producer stores them")


def stream(tasks: int, seed: int) -> Iterator[Task]:
    """Tasks in a random order: all kinds, with healthy files among them."""
    chance = random.Random(seed)
    for number in range(tasks):
        healthy = chance.random() < _HEALTHY_SHARE
        kind = chance.choice(HEALTHY if healthy else KINDS)
        sensor = chance.choice(kind.sensors)
        yield Task(kind, chance.choice(QUESTIONS), seed * 100_000 + number, sensor, not healthy)


def campaign(
    tasks: int = 300, orders: int = 5, on_task: Callable[[int, Task, Outcome], None] | None = None
) -> dict[str, Any]:
    """Run the stream in several orders and count.

    Returns the keys ``tasks``, ``orders``, ``first_pass_start``, ``first_pass_end``, ``first_pass_without`` (the share
    of the stream that needs no memory), ``met_from_second`` (of the faults of a kind and sensor that were mended or met
    before), ``harmed``, ``llm_calls_start``, ``llm_calls_end`` (calls in the first and the last tenth),
    ``variants_met``, ``lookalikes_fired``, ``turned_harmed`` (after faults changed their meaning), ``store_mb``,
    ``retrieval_p95_ms``, ``curve`` (the share of first passes by tenth: mean, least, most), ``by_kind``, ``seconds``.
    """
    begun = time.perf_counter()
    tally = _Tally()
    for order in range(orders):
        with _Home() as home:
            tally.count(home, list(stream(tasks, order)), order, on_task)
    without = statistics.mean(float(not task.faulty) for order in range(orders) for task in stream(tasks, order))
    return {
        "tasks": tasks,
        "orders": orders,
        "first_pass_without": round(without, 3),
        **tally.told(),
        "retrieval_p95_ms": round(_retrieval_p95(), 2),
        "seconds": round(time.perf_counter() - begun, 1),
    }


@dataclass
class _Tally:
    """What was counted over all orders."""

    curves: list[list[float]] = field(default_factory=list)
    calls: list[list[float]] = field(default_factory=list)
    recurring: list[float] = field(default_factory=list)
    harmed: int = 0
    turned: int = 0
    size: int = 0
    tried: Counter[str] = field(default_factory=Counter)
    by_kind: dict[str, Counter[str]] = field(default_factory=lambda: {kind.name: Counter() for kind in KINDS})

    def count(
        self,
        home: _Home,
        tasks: Sequence[Task],
        order: int,
        on_task: Callable[[int, Task, Outcome], None] | None,
    ) -> None:
        """Go through one order of the stream, and beyond it."""
        mended: set[tuple[str, str]] = set()
        done: list[Outcome] = []
        for task in tasks:
            found = home.outcome(task)
            done.append(found)
            if on_task is not None:
                on_task(order, task, found)
            pattern = task.kind.name, task.sensor
            if task.faulty and pattern in mended:
                self.recurring.append(float(found.first))
                self.by_kind[task.kind.name]["met" if found.first else "missed"] += 1
            elif task.faulty and (found.mended or found.first):
                mended.add(pattern)
        self.harmed += sum(one.wrong for one in done)
        self.curves.append(_by_tenth([float(one.first) for one in done]))
        self.calls.append([share * len(done) / _TENTHS for share in _by_tenth([float(one.calls) for one in done])])
        self.tried.update(f"{what} {'met' if met else 'missed'}" for what, met in home.beyond(order))
        self.turned += home.turned(order)
        self.size = max(self.size, home.size())

    def told(self) -> dict[str, Any]:
        spread = [[curve[tenth] for curve in self.curves] for tenth in range(_TENTHS)]
        variants = {what: n for what, n in self.tried.items() if not what.startswith("look-alike")}
        met = sum(n for what, n in variants.items() if what.endswith(" met"))
        return {
            "first_pass_start": round(statistics.mean(spread[0]), 3),
            "first_pass_end": round(statistics.mean(spread[-1]), 3),
            "met_from_second": round(statistics.mean(self.recurring), 3) if self.recurring else None,
            "harmed": self.harmed,
            "llm_calls_start": round(sum(one[0] for one in self.calls)),
            "llm_calls_end": round(sum(one[-1] for one in self.calls)),
            "variants_met": round(met / sum(variants.values()), 3),
            "lookalikes_fired": self.tried["look-alike met"],
            "turned_harmed": self.turned,
            "store_mb": round(self.size / 1e6, 3),
            "curve": [[round(statistics.mean(one), 3), round(min(one), 3), round(max(one), 3)] for one in spread],
            "tried": dict(self.tried),
            "by_kind": {name: dict(counts) for name, counts in self.by_kind.items()},
        }


def _by_tenth(values: Sequence[float]) -> list[float]:
    """The mean of each tenth of a sequence."""
    ends = [round(len(values) * part / _TENTHS) for part in range(_TENTHS + 1)]
    return [statistics.mean(values[a:b]) if b > a else 0.0 for a, b in pairwise(ends)]


@lru_cache(maxsize=1)
def _catalogue() -> Catalogue:
    from knowflow.service.knowledge_cache import catalogue_of

    known = catalogue_of(state_home())
    return replace(known, tools={**known.tools, **{one.tool: one for one in STEPS}})


@contextmanager
def _withholding() -> Iterator[None]:
    """Rules at hand without those of the causes that are to be learned."""

    def load(*arguments: Any) -> RuleBook:
        book = authored.load_rules(*arguments)
        left = {name: rule for name, rule in book.rules.items() if not WITHHELD & set(rule.if_.cause)}
        return replace(book, rules=left)

    with ExitStack() as stack:
        for module in _USES_RULES:
            stack.enter_context(patch(f"{module}.load_rules", load))
        yield


class _Home:
    """One order of the stream: a home folder, whose memory begins empty."""

    def __init__(self, setting: Setting = Setting()) -> None:
        self._setting = setting

    def __enter__(self) -> _Home:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="knowflow-learning-")))
        self._stack.enter_context(_withholding())
        self._stack.enter_context(patch.dict(os.environ, {"KNOWFLOW_MEMORY": "automatic"}))
        known = _catalogue()
        known = known if self._setting.templates else replace(known, templates={})
        self._engine = Engine(self._folder / "home", known)
        self._count = 0
        return self

    def __exit__(self, *ended: object) -> None:
        self._stack.close()

    def size(self) -> int:
        """Bytes of what was learned."""
        return sum(file.stat().st_size for file in (self._folder / "home" / "memory").rglob("*") if file.is_file())

    def outcome(self, task: Task, *, mend: bool = True) -> Outcome:
        """Ask, and mend where the answer is not true."""
        self._count += 1
        place = self._folder / str(self._count)
        scene, value = task.kind.described(random.Random(task.seed), task.sensor)
        write_scene(scene, place / "data")
        truth, limit = _truth(scene, value, task)
        knowing = _Knowing(task.kind)
        mend = mend and self._setting.adjusts
        by_model = mend and task.kind.by == "llm" and task.faulty
        policy = RepairPolicy(
            RepairPolicy().max_repairs if self._setting.adjusts else 0,
            knowing if by_model else None,
            self._setting.learns,
        )
        asked = task.question.format(of=task.kind.of, when=task.kind.when, limit=limit)
        trace = self._trace(asked, place, policy)
        right = _true(trace, truth)
        answered = trace is not None and trace.status == "completed"
        memory = trace is not None and bool(used_in(trace))
        first = right and not knowing.calls
        mended = right and bool(knowing.calls)
        seen = answered if task.kind.step else not answered  # where nothing fails, somebody sees what is wrong
        by_hand = mend and task.faulty and not right and seen and trace is not None and not by_model
        if by_hand and trace is not None:
            try:
                self._engine.edited(trace.run_id, _edit(task.kind, trace), keep=True)
                again = self._engine.resumed(trace.run_id, LocalRunner(), place / "out", repairs=policy)
                mended = _true(again, truth)
            except KnowFlowError:
                mended = False
        wrong = answered and not right and (memory or not task.kind.step)  # what nothing tells is no harm of memory
        return Outcome(first, wrong, knowing.calls, memory, mended, self._planned, by_hand)

    def _trace(self, asked: str, place: Path, policy: RepairPolicy) -> Trace | None:
        self._planned = False
        try:
            request = Request(asked, place / "data", pixels=self._setting.adjusts, memory=self._setting.learns)
            planned = self._engine.planned(request)
            self._planned = True
            return self._engine.executed(planned, LocalRunner(), place / "out", repairs=policy)
        except KnowFlowError:
            return None

    def beyond(self, seed: int) -> Iterator[tuple[str, bool]]:
        """What becomes of variants that the stream did not show (another sensor, tool, unit), and of look-alikes.

        Nothing is mended any more.
        """
        for number, kind in enumerate(KINDS):
            named = 7_000_000 + seed * 100 + number
            yield "sensor", self.outcome(Task(kind, QUESTIONS[number % 2], named, "viirs"), mend=False).first
            yield "tool", self.outcome(Task(kind, OF_ANOTHER_TOOL, named), mend=False).first
            if (other_unit := in_another_unit(kind)) is not None:
                yield "unit", self.outcome(Task(other_unit, QUESTIONS[0], named), mend=False).first
            for further, other in enumerate(look_alikes(kind)):
                task = Task(other, QUESTIONS[0], 8_000_000 + seed * 100 + 10 * number + further)
                yield "look-alike", self.outcome(task, mend=False).memory

    def turned(self, seed: int) -> int:
        """How many answers become wrong when what is stored changes its meaning and back: the same files, by another
        factor or in another unit."""
        wrong = 0
        for number, kind in enumerate(KINDS):
            for further, other in enumerate(turned(kind)):
                for again, asked in enumerate((other, other, kind)):
                    named = 9_000_000 + seed * 10_000 + 100 * number + 10 * further + again
                    wrong += self.outcome(Task(asked, QUESTIONS[again % 2], named)).wrong
        return wrong


def _edit(kind: Kind, trace: Trace) -> Change:
    """What somebody who knows a kind of files says of them, or puts in before whatever reads them."""
    if not kind.step:
        return Change(assume=tuple(f"*:{name}={value}" for name, value in kind.says.items()))
    readers = (
        f"{node.id}.{name}"
        for node in trace.plan.workflow.nodes
        for name, value in node.args.items()
        if isinstance(value, FromInput)
    )
    return Change(insert=tuple((kind.step, place) for place in readers))


def _truth(scene: Scene, value: str, task: Task) -> tuple[float, str]:
    """The answer from the physical values, by NumPy alone; and a limit about which they lie, with its unit."""
    import numpy as np

    x, y = scene_coordinates(scene)
    values = np.asarray(evaluate_truth(value, x, y, 0.0, 0), dtype=np.float64)
    if task.kind.spoilt:
        gone = evaluate_truth(task.kind.spoilt, x, y, 0.0, 0)
        values = values[~np.broadcast_to(np.asarray(gone, dtype=bool), values.shape)]
    limit = round(float(np.median(values)), 1 if values.max() < 10 else 0)
    unit = {"K": " K", "m": " m"}.get(quantity_kinds()[task.kind.quantity].unit, "")
    if task.question == OF_ANOTHER_TOOL:
        return float((values > limit).mean()), f"{limit:g}{unit}"
    return float(values.mean() if task.question == QUESTIONS[0] else values.max()), ""


def _true(trace: Trace | None, truth: float) -> bool:
    answer = None if trace is None or trace.status != "completed" else trace.answer
    if answer is None or not isinstance(answer.value, int | float):
        return False
    unit = str(answer.fact("unit") or "")
    told = float(convert(answer.value, unit, _IN[unit])) if unit in _IN else float(answer.value)
    return abs(told - truth) <= _NEAR * abs(truth)


def _retrieval_p95() -> float:
    """Milliseconds within which nineteen of twenty looks for runs of a kind are answered, among ten thousand traces."""
    from knowflow.model.plan import Plan

    with TemporaryDirectory(prefix="knowflow-traces-") as folder:
        index = TraceIndex(sqlite_url(Path(folder) / "traces.sqlite"), "bench")
        chance, blank = random.Random(0), entry_of(Trace("", Plan("q", "", Workflow())), "")
        words = {kind: [f"{kind} {n}" for n in range(40)] for kind in ("quantity", "tool", "cause")}
        for begin in range(0, _TRACES, 500):
            index.put(
                replace(
                    blank,
                    run_id=f"{begin + n:08d}",
                    words={kind: frozenset(chance.sample(known, 3)) for kind, known in words.items()},
                )
                for n in range(500)
            )
        took = []
        for _ in range(_LOOKS):
            wanted = {kind: [chance.choice(known)] for kind, known in words.items()}
            begun = time.perf_counter()
            index.found(words=wanted, limit=20)
            took.append(1000 * (time.perf_counter() - begun))
        index.close()
    return sorted(took)[round(0.95 * _LOOKS) - 1]
