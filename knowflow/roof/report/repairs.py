"""What went wrong in a run and what was done about it, ready for the page: before and after, why, and by whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from knowflow.graph.orphans import upstream
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.trace import NodeRecord, Refusal, Repaired, Trace
from knowflow.roof.drawing import draw
from knowflow.roof.notation import duration, plain, shorten
from knowflow.roof.repair_words import repair_sentence, who

if TYPE_CHECKING:
    from markupsafe import Markup

MOST_DRAWN = 6
MOST_CAUSES = 12
MOST_REFUSALS = 40
_MOST_SAID = 400


@dataclass(frozen=True, slots=True)
class RefusedView:
    """A proposal that was not adopted."""

    by: str
    sentence: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CauseView:
    """A diagnosis as the report tells it."""

    failed: str
    guilty: str
    title: str
    cause: str
    certain: bool
    evidence: tuple[str, ...]
    others: tuple[str, ...]
    advice: str


@dataclass(frozen=True, slots=True)
class RepairView:
    """One repair: ``before`` and ``after`` are drawings, none for the repairs behind the first ``MOST_DRAWN``; ``told``
    is what a reader needs to know of it, in one sentence."""

    number: int
    told: str
    by: str
    failed: str
    error: Mapping[str, Any] | None
    cause: CauseView | None
    edits: tuple[str, ...]
    rule: str
    because: str
    lossy: str
    new: tuple[str, ...]
    changed: tuple[str, ...]
    refused: tuple[RefusedView, ...]
    cost: str
    before: Markup | None
    after: Markup | None


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """One question to a language model: what came back, and what it took."""

    model: str
    purpose: str
    said: str
    cost: str


def repair_views(trace: Trace) -> tuple[RepairView, ...]:
    return tuple(_view(trace, index) for index in range(len(trace.repairs)))


def _view(trace: Trace, index: int) -> RepairView:
    repair = trace.repairs[index]
    before, after = drawings(trace, index) if index < MOST_DRAWN else (None, None)
    return RepairView(
        number=repair.number,
        told=repair_sentence(repair),
        by=who(repair.by),
        failed=plain(repair.diagnosis.failed),
        error=repair.failed.error if repair.diagnosis.failed else None,
        cause=cause_view(repair.diagnosis) if repair.diagnosis.failed else None,
        edits=tuple(plain(edit.sentence()) for edit in repair.edits) or (plain(repair.sentence),),
        rule=plain(repair.sentence) if repair.by.startswith(("rule:", "memory:")) else "",
        because=plain(repair.because),
        lossy=plain(repair.lossy),
        new=tuple(map(plain, repair.new)),
        changed=tuple(map(plain, repair.changed)),
        refused=refused_views(repair.refused),
        cost=_cost(repair.seconds, repair.tokens),
        before=before,
        after=after,
    )


def _cost(seconds: float, tokens: int) -> str:
    return ", ".join([*([duration(seconds)] if seconds else []), *([f"{tokens:,} tokens"] if tokens else [])])


def drawings(trace: Trace, index: int) -> tuple[Markup, Markup]:
    """The workflow when a node failed, as far as it had come; and after the repair: as it ran in the end, or as it was
    planned where another repair followed."""
    from markupsafe import Markup

    repair = trace.repairs[index]
    return Markup(draw_before(trace, repair)), Markup(draw_after(trace, index))


def draw_before(trace: Trace, repair: Repaired) -> str:
    """The workflow before a repair: what the failed node uses is done, itself failed, the rest waits."""
    name = repair.diagnosis.failed
    done = upstream(repair.before, (name,)) - {name}
    records = {node: _done(trace, node) for node in done}
    if name:
        records[name] = repair.failed
    return draw(replace(trace.plan, workflow=repair.before), records if name else None, {name})


def draw_after(trace: Trace, index: int) -> str:
    """The workflow after a repair, what it added and changed marked."""
    repair = trace.repairs[index]
    marked = {*repair.new, *repair.changed}
    if index + 1 == len(trace.repairs):
        return draw(trace.plan, trace.records, marked)
    return draw(replace(trace.plan, workflow=trace.repairs[index + 1].before), None, marked)


def _done(trace: Trace, node: str) -> NodeRecord:
    found = trace.record(node)
    return found if found.ready else NodeRecord(node, "done")


def cause_view(diagnosis: Diagnosis) -> CauseView:
    guilty = diagnosis.node if diagnosis.node != diagnosis.failed else ""
    return CauseView(
        failed=plain(diagnosis.failed),
        guilty=plain(diagnosis.file or guilty),
        title=plain(diagnosis.title),
        cause=diagnosis.cause,
        certain=diagnosis.confidence == "certain",
        evidence=tuple(plain(one) for one in diagnosis.evidence),
        others=tuple(map(plain, diagnosis.others)),
        advice=plain(diagnosis.advice),
    )


def cause_views(trace: Trace) -> tuple[CauseView, ...]:
    """The causes of the failures that were given up, the first ``MOST_CAUSES``."""
    return tuple(map(cause_view, trace.diagnoses[:MOST_CAUSES]))


def refused_views(refusals: tuple[Refusal, ...]) -> tuple[RefusedView, ...]:
    return tuple(
        RefusedView(who(one.by), shorten(one.sentence, _MOST_SAID), tuple(shorten(r, _MOST_SAID) for r in one.reasons))
        for one in refusals
    )


def exchange_views(trace: Trace) -> Iterator[ExchangeView]:
    """What a language model was asked in this run; the whole words are in the run's own record."""
    for one in trace.exchanges:
        answer, error = one.get("answer") or {}, one.get("error") or {}
        said = answer.get("text") or error.get("message") or ""
        cost = _cost(float(one.get("seconds") or 0.0), int(answer.get("tokens") or 0))
        yield ExchangeView(
            plain(one.get("model", "")), plain(one.get("purpose", "")), shorten(said, _MOST_SAID), plain(cost)
        )
