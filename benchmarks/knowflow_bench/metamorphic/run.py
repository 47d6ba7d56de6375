"""Random questions, each asked of a scene and of changed copies of it, until so many answers have been compared.

A case is one scene with one question; a run is the same question asked of a copy of the folder in which one thing was
changed that cannot matter. Both must give the same answer within what the relation tells, or both refuse: what only
one of them refuses is a violation, too.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.errors import KnowFlowError, UnknownNameError
from knowflow.ground.resources import state_home
from knowflow.knowledge.catalogue import Catalogue
from knowflow.service.engine import Engine
from knowflow.service.request import Request
from knowflow.service.results import PlanResult
from knowflow.testing.scenes import write_scene
from knowflow_bench.metamorphic.answers import Answers, answers_of, difference
from knowflow_bench.metamorphic.relations.site import Asked, Relation, Site
from knowflow_bench.metamorphic.relations.table import RELATIONS
from knowflow_bench.metamorphic.scenes import Case, case_of

A_SCENE = 6
"""So many relations are tried on one scene; its seed says which."""


@dataclass(frozen=True)
class Ending:
    """What came of one question: answers, or the refusal's code with its words; what was told beside it."""

    answers: Answers | None
    code: str = ""
    refusal: str = ""


@dataclass(frozen=True)
class Violation:
    """A run that did not answer as the relation says, and how to see it again."""

    relation: str
    seed: int
    template: str
    question: str
    what: str
    answer: str
    changed: str
    again: str


@dataclass(frozen=True)
class Outcome:
    """What came of one relation on one scene: ``equal``, ``violation``, ``refused`` on both sides, ``excused`` (refused
    for a reason that the relation names), or ``passed_over`` (it does not hold for this scene)."""

    relation: str
    outcome: str
    seconds: float = 0.0
    violation: Violation | None = None
    why: str = ""


@dataclass
class Tally:
    """What became of the runs of one relation; ``runs`` are those in which two answers were compared."""

    same: str
    runs: int = 0
    violations: int = 0
    refused_on_both: int = 0
    excused: int = 0
    passed_over: int = 0
    seconds: float = 0.0
    why: dict[str, int] = field(default_factory=dict)


@lru_cache(maxsize=1)
def bench_catalogue() -> Catalogue:
    """All knowledge at hand; tools that have a process of their own run in this one, which starts none for each run."""
    from knowflow.service.knowledge_cache import catalogue_of

    found = catalogue_of(state_home())
    tools = {name: tool.model_copy(update={"isolate": "thread"}) for name, tool in found.tools.items()}
    return replace(found, tools=tools)


def relations_named(names: Sequence[str]) -> list[Relation]:
    """The relations of these names; all where none is named.

    Raises:
        UnknownNameError: there is no such relation.
    """
    for name in names:
        if name not in RELATIONS:
            raise UnknownNameError(
                f"no relation is called {name!r}", expected=f"one of {', '.join(RELATIONS)}", found=name
            )
    return [RELATIONS[name] for name in names] or list(RELATIONS.values())


def outcomes_of(seed: int, names: Sequence[str], keep: Path | None = None) -> list[Outcome]:
    """What comes of the scene of a seed under the relations of these names, or under those that its seed picks."""
    case = case_of(bench_catalogue(), seed)
    chosen = relations_named(names)
    if not names:
        chosen = random.Random(f"relations {seed}").sample(chosen, A_SCENE)
    if keep is not None:
        return list(_outcomes(case, chosen, keep / str(seed)))
    with tempfile.TemporaryDirectory(prefix="knowflow-relation-") as folder:
        return list(_outcomes(case, chosen, Path(folder)))


def _outcomes(case: Case, relations: Sequence[Relation], folder: Path) -> Iterator[Outcome]:
    scene = folder / "scene"
    write_scene(case.scene, scene)
    plain: Ending | None = None
    for relation in relations:
        begun = time.process_time()
        reason = relation.not_of(_site(case, scene, relation))
        if reason:
            yield Outcome(relation.name, "passed_over", why=reason)
            continue
        if relation.base is not None:
            base = _asked_of_copy(case, scene, folder / relation.name / "base", relation, relation.base)
        else:
            base = plain = plain or ended(bench_catalogue(), scene, folder / "plain", case.asked)
        found = _asked_of_copy(case, scene, folder / relation.name / "changed", relation, relation.change)
        yield _judged(case, relation, base, found, time.process_time() - begun)


def _asked_of_copy(case: Case, scene: Path, place: Path, relation: Relation, change: Callable[[Site], Asked]) -> Ending:
    data = place / "data"
    shutil.copytree(scene, data)
    return ended(bench_catalogue(), data, place, change(_site(case, data, relation)))


def _site(case: Case, folder: Path, relation: Relation) -> Site:
    return Site(folder, case.scene, case.asked, random.Random(f"{relation.name} {case.seed}"))


def ended(catalogue: Catalogue, data: Path, place: Path, asked: Asked) -> Ending:
    """What a question about a folder gives, with a cache and a memory of its own in ``place``."""
    engine = Engine(place / "home", catalogue)
    try:
        trace = engine.executed(planned(engine, data, asked), LocalRunner(), place / "out")
    except KnowFlowError as error:
        return Ending(None, error.code, f"{error.message}: {error.found or ''}")
    if trace.status != "completed":
        error_ = trace.error or {}
        return Ending(None, str(error_.get("code", "")), f"{error_.get('message', '')}: {error_.get('found') or ''}")
    return Ending(answers_of(trace))


def planned(engine: Engine, data: Path, asked: Asked) -> PlanResult:
    """The plan of a sentence, or of a template with the parameters given."""
    named = None if asked.query is not None else asked.template
    return engine.planned(Request(asked.query or "", data, aoi=asked.aoi, given=asked.parameters, template=named))


def _judged(case: Case, relation: Relation, base: Ending, found: Ending, seconds: float) -> Outcome:
    if base.answers is None and found.answers is None:
        return Outcome(relation.name, "refused", seconds, why=base.code)
    if base.answers is not None and found.answers is None and found.code in relation.may_refuse:
        return Outcome(relation.name, "excused", seconds, why=relation.may_refuse[found.code])
    if base.answers is None:
        what = "answered only when changed"
    elif found.answers is None:
        what = "refused only when changed"
    else:
        what = difference(relation, base.answers, found.answers)
        if not what:
            return Outcome(relation.name, "equal", seconds)
    asked = case.asked.query or f"{case.asked.template} {dict(case.asked.parameters)}"
    again = f"knowflow bench metamorphic --n 1 --seed {case.seed} --relation {relation.name} --keep DIR"
    broken = Violation(relation.name, case.seed, case.asked.template, asked, what, _told(base), _told(found), again)
    return Outcome(relation.name, "violation", seconds, broken)


def _told(ending: Ending) -> str:
    if ending.answers is None:
        return f"refused ({ending.code}): {ending.refusal}"[:400]
    return "; ".join(
        f"{name}: a map" if one.map is not None else f"{name}: {one.value!r} {one.unit or ''}".strip()
        for name, one in ending.answers.items()
    )[:400]


# --- the campaign --------------------------------------------------------------------------------------------------


def metamorphic(
    runs: int, seed: int = 0, names: Sequence[str] = (), jobs: int = 1, keep: Path | None = None
) -> dict[str, Any]:
    """Compare so many answers, of the scenes of the seeds from ``seed`` on.

    Returns ``{"runs", "violations", "refused_on_both", "excused", "passed_over", "scenes", "questions", "seconds",
    "cpu_seconds", "relations": {name: {...}}, "cases": [...]}``. ``runs`` counts pairs of which at least one side
    answered; pairs that both refuse are not among them. ``questions`` counts the templates that were asked.

    Raises:
        UnknownNameError: there is no relation of such a name.
    """
    begun = time.perf_counter()
    tallies = {one.name: Tally(one.same) for one in relations_named(names)}
    cases: list[dict[str, Any]] = []
    count = scenes = 0
    templates: set[str] = set()
    for outcomes in _campaign(seed, names, jobs, keep):
        for one in outcomes:
            if count >= runs:
                break
            count += one.outcome in ("equal", "violation", "excused")
            _count(tallies[one.relation], one)
            if one.violation is not None:
                cases.append(asdict(one.violation))
        templates.add(case_of(bench_catalogue(), seed + scenes).asked.template)
        scenes += 1
        if count >= runs or (names and scenes >= 20 * runs):  # a relation that holds for no scene ends, too
            break
    counted = {name: asdict(tally) for name, tally in tallies.items()}

    def total(name: str) -> int:
        return sum(int(one[name]) for one in counted.values())

    return {
        **{name: total(name) for name in ("runs", "violations", "refused_on_both", "excused", "passed_over")},
        "scenes": scenes,
        "questions": len(templates),
        "seconds": round(time.perf_counter() - begun, 1),
        "cpu_seconds": round(sum(one["seconds"] for one in counted.values()), 1),
        "relations": counted,
        "cases": cases,
    }


def _campaign(seed: int, names: Sequence[str], jobs: int, keep: Path | None) -> Iterator[list[Outcome]]:
    """The outcomes of the scenes from a seed on, in order, without end."""
    numbers = iter(range(seed, 2**31))
    if jobs <= 1:
        for number in numbers:
            yield outcomes_of(number, names, keep)
    import multiprocessing
    from concurrent.futures import Future, ProcessPoolExecutor

    # a fresh interpreter each: a fork of a process with threads (GDAL's, numpy's) may hang
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting: list[Future[list[Outcome]]] = []
        try:
            for number in numbers:
                waiting.append(pool.submit(outcomes_of, number, names, keep))
                if len(waiting) >= 3 * jobs:
                    yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()


def _count(tally: Tally, one: Outcome) -> None:
    tally.runs += one.outcome in ("equal", "violation", "excused")
    tally.violations += one.outcome == "violation"
    tally.refused_on_both += one.outcome == "refused"
    tally.excused += one.outcome == "excused"
    tally.passed_over += one.outcome == "passed_over"
    tally.seconds = round(tally.seconds + one.seconds, 3)
    if one.why:
        tally.why[one.why] = tally.why.get(one.why, 0) + 1
