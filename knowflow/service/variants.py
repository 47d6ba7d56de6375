"""A question answered in several ways side by side, so that a person sees how much the method matters.

Each way is a run of its own; what two of them have in common is computed once and comes from the cache. They are judged
without knowing the answer: by the checks that held, by how far the ways agree, and by how many steps each takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from knowflow.ground.errors import KnowFlowError
from knowflow.memory.reflections import Attempt, Reflection, contrast
from knowflow.memory.replay import Forms
from knowflow.model.plan import Assumption, Plan
from knowflow.model.trace import Trace
from knowflow.model.workflow import FromNode, references
from knowflow.reason.variants import Variation, less_of_the_same, steps_to_answer
from knowflow.service.deliver import answer_of, told_of
from knowflow.service.results import PlanResult

if TYPE_CHECKING:
    from knowflow.model.artifact import Artifact
    from knowflow.service.critic import Verdict

_AGREEMENT, _BREVITY = 0.8, 0.2  # of the score of a way whose checks hold
_BETTER = 0.05  # by which another way is to be better than the one that experts prefer
_FAR = 0.25  # by which the agreement of a way that failed is less than that of the best
_GRID = 256  # pixels along a side by which maps are compared


@dataclass(frozen=True, slots=True)
class Way:
    """One way to answer: what is done otherwise than the plan does (None: nothing), and what came out.

    ``checks`` is the share of the conditions that were checked and held, ``agreement`` how alike its answer is to those
    of the others (1: the same), ``score`` both together with how short it is; a way without an answer has 0.
    """

    planned: PlanResult
    variation: Variation | None = None
    trace: Trace | None = None
    error: str = ""
    checks: float = 0.0
    agreement: float = 0.0
    score: float = 0.0

    @property
    def answered(self) -> bool:
        return self.trace is not None and self.trace.status == "completed"

    @property
    def name(self) -> str:
        one = self.variation
        return "as planned" if one is None else f"{one.what}: {one.how}"

    def attempt(self, agreed: float) -> Attempt:
        """The way as an attempt: it went well where it has an answer that is not far from those of the others."""
        well = self.answered and not self.error and self.checks == 1 and self.agreement > agreed - _FAR
        made_of = {self.name, *(f"with {node.tool}" for node in self.planned.plan.workflow.nodes)}
        return Attempt(frozenset(made_of), well, "" if self.trace is None else self.trace.run_id)

    def to_json(self) -> dict[str, Any]:
        """A row of the table of ways."""
        answer = answer_of(self.trace) if self.trace is not None and self.answered else None
        return {
            "way": self.name,
            "status": "refused" if self.trace is None else self.trace.status,
            "answer": None if answer is None else _brief(answer.value),
            "unit": None if answer is None else answer.unit,
            "score": round(self.score, 3),
            "checks": round(self.checks, 3),
            "agreement": round(self.agreement, 3),
            "steps": steps_to_answer(self.planned.plan),
            "run_id": None if self.trace is None else self.trace.run_id,
            **({"because": self.error} if self.error else {}),
        }


def ways(
    first: PlanResult, others: Iterator[Variation], plan_of: Callable[[Variation], PlanResult], most: int
) -> list[Way]:
    """The plan itself and up to ``most`` ways in all that compute something else; those that the data do not allow,
    or that only leave something out, are passed over."""
    found = [Way(first)]
    known = {_form(first.plan)}
    for variation in others:
        if len(found) == most:
            break
        try:
            planned = plan_of(variation)
        except KnowFlowError:
            continue
        form = _form(planned.plan)
        if form in known or less_of_the_same(first.plan, planned.plan):
            continue
        known.add(form)
        title = f"{planned.plan.title} ({variation.what}: {variation.how})"
        found.append(Way(replace(planned, plan=replace(planned.plan, title=title)), variation))
    return found


def carried_out(found: Sequence[Way], execute: Callable[[PlanResult, Path], Trace], out: Path) -> list[Way]:
    """Each way with what came out: the plan itself delivers into ``out``, the others into folders of their own there.
    Where one is interrupted, those behind it are left out.

    Raises:
        KnowFlowError: the plan itself cannot be run.
    """
    done = [_ended(found[0], execute(found[0].planned, out))]
    for number, way in enumerate(found[1:], start=2):
        if done[-1].trace is not None and done[-1].trace.status == "interrupted":
            break
        try:
            done.append(_ended(way, execute(way.planned, out / "variants" / str(number))))
        except KnowFlowError as error:
            done.append(replace(way, error=f"{error.message}: {error.found}" if error.found else error.message))
    return done


def _ended(way: Way, trace: Trace) -> Way:
    """A way that was run, with why it failed where it did."""
    if trace.status == "completed":
        return replace(way, trace=trace)
    errors = (trace.error, *(record.error for record in trace.records.values()))
    why = next((str(one["message"]) for one in errors if one and one.get("message")), "a step failed")
    return replace(way, trace=trace, error=why)


def judged(done: Sequence[Way]) -> list[Way]:
    """The ways with their scores, in the same order."""
    answers = [_answers(way.trace) if way.trace is not None and way.answered else None for way in done]
    steps = [steps_to_answer(way.planned.plan) for way in done]
    shortest = min((n for n, answer in zip(steps, answers, strict=True) if answer is not None), default=1)
    found = []
    for number, (way, own) in enumerate(zip(done, answers, strict=True)):
        if way.trace is None or own is None:
            found.append(way)
            continue
        others = [one for place, one in enumerate(answers) if place != number and one is not None]
        agreement = mean(likeness(own, one) for one in others) if others else 1.0
        checks = _held(way.trace)
        score = checks * (_AGREEMENT * agreement + _BREVITY * shortest / max(1, steps[number]))
        found.append(replace(way, checks=checks, agreement=agreement, score=score))
    return found


def best_of(found: Sequence[Way]) -> int:
    """The place of the way to take: the plan itself, unless another is better by more than a little."""
    best = max(range(len(found)), key=lambda place: found[place].score)
    usual = found[0]
    return best if found[best].score > usual.score + _BETTER or not usual.score else 0


@dataclass(frozen=True, slots=True)
class Compared:
    """What came out of several ways: the place of the best, all of them, and how far they are apart, in words."""

    best: int
    ways: tuple[Way, ...]
    spread: Mapping[str, Any] = field(default_factory=dict)
    verdict: Verdict | None = None

    @classmethod
    def of(cls, found: Sequence[Way], critic: Callable[[Trace], Verdict]) -> Compared:
        """The best of the ways against which the critic has nothing; one that it finds to have failed has no score."""
        ways, said = list(found), None
        while True:
            best = best_of(ways)
            trace = ways[best].trace
            if trace is None or ways[best].score <= 0:
                return cls(best, tuple(ways), spread(ways, best), said)
            said = critic(trace)
            if not said.failed:
                return cls(best, tuple(ways), spread(ways, best), said)
            why = "; ".join(f"{one.what}: {one.because}" for one in said.findings if one.truth is False)
            ways[best] = replace(ways[best], score=0.0, error=f"not so: {why}")

    def to_json(self) -> dict[str, Any]:
        rows = [way.to_json() for way in self.ways]
        told = {"taken": rows[self.best]["way"], "spread": dict(self.spread), "ways": rows}
        return told if self.verdict is None else {**told, "verdict": self.verdict.to_json()}

    def reflections(self) -> Iterator[Reflection]:
        """What the ways that went well have in common, and those that failed; and against which the critic spoke."""
        most = self.ways[self.best].agreement
        yield from contrast([way.attempt(most) for way in self.ways])
        for way in self.ways:
            if way.answered and way.error:
                run = "" if way.trace is None else way.trace.run_id
                yield Reflection(
                    source="critic", kind="doubted", title=way.name, text="its answer cannot be right", run=run
                )

    def told(self, plan: Plan) -> Plan:
        """The plan of the best way, told of the others."""
        way = self.ways[self.best]
        told = replace(plan, understood={**plan.understood, "variants": {"value": self.to_json()}})
        if way.variation is None:
            return told
        usual = self.ways[0]
        because = usual.error or f"its score is {usual.score:.2f}, that of this one {way.score:.2f}"
        taken = Assumption(way.variation.what, way.variation.how, "variants", f"the usual way: {because}")
        return replace(told, assumptions=(*told.assumptions, taken))


def spread(found: Sequence[Way], best: int) -> dict[str, Any]:
    """How much the method matters: of numbers the least and the largest of the other ways; else how alike they are."""
    others = [way for place, way in enumerate(found) if place != best and way.answered]
    told: dict[str, Any] = {"others": len(others), "failed": sum(not way.answered for way in found)}
    if not others or not found[best].answered:
        return told
    values = [answer_of(way.trace) for way in (found[best], *others) if way.trace is not None]
    if all(isinstance(one.value, int | float) and one.unit == values[0].unit for one in values):
        numbers = [one.value for one in values[1:]]
        return {**told, "lowest": min(numbers), "highest": max(numbers), "unit": values[0].unit}
    return {**told, "agreement": round(found[best].agreement, 3)}


def likeness(one: Any, other: Any) -> float:
    """How alike two answers are, from 0 to 1: numbers by what they are apart, relative to the larger; tables and lists
    by the mean of their parts; all else is alike or not."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        larger = max(abs(one), abs(other))
        return 1.0 if one == other else max(0.0, 1.0 - abs(one - other) / larger)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        names = dict.fromkeys((*one, *other))
        return mean(likeness(one.get(name), other.get(name)) for name in names) if names else 1.0
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return 0.0
        return mean(likeness(a, b) for a, b in zip(one, other, strict=True)) if one else 1.0
    return float(one == other)


def _answers(trace: Trace) -> Any:
    """What a run answers, to be compared: of parts all of them, of a map a sample of its pixels."""
    artifact = trace.answer
    if artifact is not None and artifact.type == "raster" and artifact.path is not None:
        return _pixels(artifact)
    if trace.plan.parts:
        return {name: told_of(name, trace.told[name], trace)["value"] for name in trace.plan.parts}
    return answer_of(trace).value


def _pixels(artifact: Artifact) -> list[float | None]:
    import numpy as np
    import rasterio

    with rasterio.open(artifact.path) as file:
        shape = (min(file.height, _GRID), min(file.width, _GRID))
        values = file.read(artifact.band or 1, out_shape=shape, masked=True)
    return [float(one) if one is not np.ma.masked and np.isfinite(one) else None for one in values.ravel()]


def _held(trace: Trace) -> float:
    """The share of the conditions on what was made that were decided, and held."""
    after = [check for record in trace.records.values() for check in record.checks if check.phase == "after"]
    decided = [check.truth for check in (*after, *trace.quality) if check.truth is not None]
    return mean(map(float, decided)) if decided else 1.0


def _form(plan: Plan) -> tuple[str, ...]:
    """What a plan computes for its answer, whatever its nodes are called."""
    forms, value = Forms(plan), plan.outputs.get(plan.answer)
    ends = references(value) if value is not None else ()
    return tuple(f"{one.output} of {forms.of(one.node)}" for one in ends if isinstance(one, FromNode))


def _brief(value: Any) -> Any:
    return f"{len(value)} rows" if isinstance(value, list | tuple) else value
