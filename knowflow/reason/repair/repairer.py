"""The answer to a failure: its diagnosis, then the first repair that is allowed and holds together.

Knowledge comes first: authored rules by specificity and success, then what follows from the schemas, then rules that
were learned from earlier repairs. Where two of them say otherwise of the same file, none of the two counts: what each
says is offered. Only where none of it applies a proposer (a language model, where one is configured) is asked, and told
why its proposals are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from knowflow.graph.check import check_plan
from knowflow.graph.edit import apply
from knowflow.graph.resolve import resolve
from knowflow.graph.topology import changed
from knowflow.ground.errors import KnowFlowError, NoNumberError
from knowflow.model.artifact import Artifact
from knowflow.model.causes import CAUSES, NUMBERS_CANNOT_BE
from knowflow.model.diagnosis import Diagnosis, Evidence
from knowflow.model.edit import Edit, StateFacts
from knowflow.model.plan import Assumption, Plan
from knowflow.model.repair import Failure, Proposer, Reply
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Refusal, Repaired, Trace
from knowflow.model.workflow import Node
from knowflow.reason.achievers import Achievers
from knowflow.reason.repair.derived import derived
from knowflow.reason.repair.diagnose import diagnose, diagnose_quality, diagnose_unknown
from knowflow.reason.repair.examination import Examination, Probe
from knowflow.reason.repair.laws import broken_laws
from knowflow.reason.repair.matching import Outcomes, Pattern, matching, no_record
from knowflow.reason.repair.offers import (
    Offer,
    not_by_themselves,
    offer_of,
    offered,
    other_kind,
    pattern_of,
    say_otherwise,
)
from knowflow.reason.repair.proposals import Draft, drafted, filled
from knowflow.reason.repair.values import implausible

MAX_REFUSALS = 3

# causes that no insertion of a tool cures: what is missing, broken, or outside of the plan
_NOT_BY_TOOLS = frozenset(
    {
        "file_missing", "file_truncated", "file_changed", "format_unknown", "not_opened", "permission_denied",
        "out_of_disk", "dependency_missing", "model_missing", "server_unreachable", "tool_crash", "tool_defect",
        "timeout", "out_of_memory", "transient",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A repair that may be done: by whom, in words, why, and what it edits."""

    by: str
    sentence: str
    because: str
    draft: Draft
    lossy: str = ""
    tokens: int = 0


@dataclass
class _Attempt:
    """What is going on about one failure."""

    trace: Trace
    diagnosis: Diagnosis
    record: NodeRecord
    begun: float
    refused: list[Refusal] = field(default_factory=list)
    exchanges: list[Mapping[str, Any]] = field(default_factory=list)
    tokens: int = 0
    contested: dict[str, Offer] = field(default_factory=dict)


class Repairer:
    """Answers the failures of one run. ``proposer`` is asked where no knowledge applies; None: nobody is.

    ``rules``, ``learned`` and ``waiting`` (learned ones that are only offered) are called for at the first failure: a
    run without a fault does not wait for them.
    """

    def __init__(
        self,
        tools: Mapping[str, ToolSchema],
        rules: Callable[[], Iterable[Rule]],
        probe: Probe,
        *,
        learned: Callable[[], Iterable[Rule]] = tuple,
        waiting: Callable[[], Iterable[Rule]] = tuple,
        outcomes: Outcomes = no_record,
        proposer: Proposer | None = None,
        max_repairs: int = 8,
    ) -> None:
        self._tools = tools
        self._load_rules = rules
        self._load_learned = learned
        self._load_waiting = waiting
        self._earlier: int | None = None
        self._probe = probe
        self._outcomes = outcomes
        self._proposer = proposer
        self._max_repairs = max_repairs

    @cached_property
    def _rules(self) -> tuple[Rule, ...]:
        return tuple(self._load_rules())

    @cached_property
    def _learned(self) -> tuple[Rule, ...]:
        return tuple(self._load_learned())

    @cached_property
    def _waiting(self) -> tuple[Rule, ...]:
        return tuple(self._load_waiting())

    @cached_property
    def _achievers(self) -> Achievers:
        return Achievers(self._tools)

    def failure(self, trace: Trace, node: str) -> Reply:
        """What is done about a node that failed. Never raises: a defect of this answer must not end a run."""
        begun = time.perf_counter()
        try:
            diagnosis = diagnose(trace, node, self._tools, self._probe)
            return self._answer(_Attempt(trace, diagnosis, trace.record(node), begun))
        except Exception as error:
            return Reply(_undiagnosed(node, error))

    def quality(self, trace: Trace) -> Reply | None:
        """What is done about the first quality that the results miss; None where they miss none.

        Of an answer that is no number only the cause is told: what its node had, or had not, stays as it is.
        """
        begun = time.perf_counter()
        for demand, check in zip(trace.plan.quality, trace.quality, strict=False):
            if check.truth is False:
                try:
                    diagnosis = diagnose_quality(trace, demand, check, self._tools, self._probe)
                    error = {"code": "quality", "message": "the result is not good enough", "expected": check.condition}
                    record = replace(trace.record(diagnosis.failed), error={**error, "found": check.because})
                    return self._answer(_Attempt(trace, diagnosis, record, begun))
                except Exception as defect:
                    return Reply(_undiagnosed("", defect))
        ended = trace.error or {}
        if ended.get("code") != NoNumberError.code or ended.get("where") not in trace.plan.workflow.by_id:
            return None
        try:
            return Reply(diagnose_unknown(trace, ended, self._tools, self._probe))
        except Exception as defect:
            return Reply(_undiagnosed("", defect))

    def _answer(self, attempt: _Attempt) -> Reply:
        made = self._made(attempt.trace)
        if len(made) >= self._max_repairs:
            if self._max_repairs:
                limit = f"at most {self._max_repairs} repairs a run (--max-repairs)"
                attempt.refused.append(Refusal("limit", "another repair", (limit,)))
            return self._given_up(attempt)
        for candidate in self._candidates(attempt):
            adopted = self._adopted(attempt, candidate)
            if adopted is not None:
                return adopted
        return self._given_up(attempt)

    def _made(self, trace: Trace) -> tuple[Repaired, ...]:
        """The repairs of this execution: a run that is resumed may try again what did not help then."""
        if self._earlier is None:
            self._earlier = len(trace.repairs)
        return trace.repairs[self._earlier :]

    def _given_up(self, attempt: _Attempt) -> Reply:
        diagnosis = offered(attempt.diagnosis, list(self._offers(attempt)))
        return Reply(diagnosis, refused=tuple(attempt.refused), exchanges=tuple(attempt.exchanges))

    # --- who may help ----------------------------------------------------------------------------------------------

    def _candidates(self, attempt: _Attempt) -> Iterator[_Candidate]:
        refused: list[Refusal] = []
        remembered = list(self._by_rules(attempt, "memory", self._learned, refused))
        for one in self._by_rules(attempt, "rule", self._rules, attempt.refused):
            if not _contested(attempt, one, remembered):
                yield one
        yield from self._by_schemas(attempt)
        attempt.refused += refused
        for one in remembered:
            if not _contested(attempt, one, remembered):
                yield one
        yield from self._by_proposer(attempt)

    def _pattern(self, attempt: _Attempt) -> tuple[Examination, Pattern]:
        """What rules are matched against."""
        case = Examination(attempt.trace, attempt.diagnosis.node, self._tools, self._probe)
        return case, pattern_of(case, attempt.diagnosis, attempt.record.error or {})

    def _by_rules(
        self, attempt: _Attempt, kind: str, rules: tuple[Rule, ...], refused: list[Refusal]
    ) -> Iterator[_Candidate]:
        diagnosis, plan = attempt.diagnosis, attempt.trace.plan
        if not rules or diagnosis.node not in plan.workflow.by_id:
            return
        case, pattern = self._pattern(attempt)
        for rule in matching(rules, pattern, self._outcomes):
            if self._tried(attempt, f"{kind}:{rule.rule}") >= _times(rule):
                continue
            if kind == "memory" and (other := other_kind(rule, pattern, case)):
                refused.append(Refusal(f"{kind}:{rule.rule}", rule.sentence(), (other,)))
                continue
            try:
                draft = drafted(rule, plan, diagnosis, pattern.arguments, self._tools)
            except KnowFlowError as error_of_rule:
                refused.append(_refusal(f"{kind}:{rule.rule}", rule.sentence(), error_of_rule))
                continue
            lossy = filled(rule.lossy, diagnosis)
            yield _Candidate(f"{kind}:{rule.rule}", rule.sentence(), rule.because, draft, lossy)

    def _offers(self, attempt: _Attempt) -> Iterator[Offer]:
        """What rules that contradict each other say, and learned ones that do not count by themselves."""
        yield from attempt.contested.values()
        untried = [
            rule
            for rule in (*self._learned, *self._waiting)
            if (by := f"memory:{rule.rule}") not in attempt.contested and not self._tried(attempt, by)
        ]
        if untried and attempt.diagnosis.node in attempt.trace.plan.workflow.by_id:
            case, pattern = self._pattern(attempt)
            for offer, edits, edited in not_by_themselves(untried, case, pattern, self._tools):
                if not self._still_impossible(attempt, edited, edits):
                    yield offer

    def _by_schemas(self, attempt: _Attempt) -> Iterator[_Candidate]:
        """Insertions that make the failed node's preconditions hold."""
        trace, failed = attempt.trace, attempt.diagnosis.failed
        code = (attempt.record.error or {}).get("code")
        if code != "precondition" or attempt.diagnosis.cause in _NOT_BY_TOOLS or self._tried(attempt, "schema"):
            return
        node = trace.plan.workflow.node(failed)
        try:
            edits = derived(trace.plan, node, self._actual(trace, node), self._tools, self._achievers)
        except KnowFlowError as error:
            attempt.refused.append(_refusal("schema", f"tools that make {node.tool} fit", error))
            return
        if not edits:
            return
        tools = " and ".join(dict.fromkeys(edit.node.tool for edit in edits))
        condition = (attempt.record.error or {}).get("expected")
        lossy = "; ".join(dict.fromkeys(loss for e in edits if e.node.inserted and (loss := e.node.inserted.lossy)))
        sentence = f"IF tool('{node.tool}') needs {condition} THEN insert_tool('{tools}')"
        because = f"the effects of {tools} make it true"
        yield _Candidate("schema", sentence, because, Draft(tuple(edits)), lossy)

    def _by_proposer(self, attempt: _Attempt) -> Iterator[_Candidate]:
        if self._proposer is None:
            return
        failure = Failure(attempt.trace, attempt.diagnosis.failed, attempt.diagnosis)
        for _ in range(MAX_REFUSALS):
            proposal = self._proposer.propose(failure, tuple(attempt.refused))
            if proposal is None:
                return
            attempt.exchanges += proposal.exchanges
            attempt.tokens += proposal.tokens
            if not proposal.edits:
                attempt.refused.append(Refusal("llm", "no usable proposal", (proposal.because,)))
                continue
            sentence = "; ".join(edit.sentence() for edit in proposal.edits)
            yield _Candidate("llm", sentence, proposal.because, Draft(proposal.edits), proposal.lossy, attempt.tokens)

    def _tried(self, attempt: _Attempt, by: str) -> int:
        """How often somebody has answered the same failure with the same diagnosis before."""
        made = self._made(attempt.trace)
        return sum(repair.by == by and _same_fault(repair.diagnosis, attempt.diagnosis) for repair in made)

    # --- whether it may be done ------------------------------------------------------------------------------------

    def _adopted(self, attempt: _Attempt, candidate: _Candidate) -> Reply | None:
        """The reply with an edited plan, or None where the edits are refused."""
        plan = attempt.trace.plan
        finished = {name: record.outputs for name, record in attempt.trace.records.items() if record.ready}
        edits = candidate.draft.edits
        reasons = broken_laws(plan, edits, self._tools, finished, attempt.diagnosis.cause)
        edited = plan
        if not reasons and edits:
            try:
                edited = apply(plan, edits, self._tools, finished)
            except KnowFlowError as error:
                reasons = _reasons(error)
            else:
                reasons = self._still_wrong(attempt, edited, finished)
                if not reasons and not candidate.by.startswith(("rule:", "schema")):
                    reasons = self._still_impossible(attempt, edited, edits)
        if reasons:
            attempt.refused.append(Refusal(candidate.by, candidate.sentence, reasons))
            return None
        repaired = self._repaired(attempt, candidate, edited)
        told = f"{candidate.lossy}" if candidate.lossy else ""
        if told:
            kind, _, rule = candidate.by.partition(":")
            origin = "memory" if kind == "memory" else "repair"
            because = f"{attempt.diagnosis.title}; repair {repaired.number}"
            because = f"{rule}: {candidate.because}" if origin == "memory" else because
            assumption = Assumption(told, True, origin, because)
            if assumption.what not in {one.what for one in edited.assumptions}:
                edited = replace(edited, assumptions=(*edited.assumptions, assumption))
        return Reply(attempt.diagnosis, edited, repaired, tuple(attempt.refused), tuple(attempt.exchanges))

    def _still_wrong(
        self, attempt: _Attempt, edited: Plan, finished: Mapping[str, Mapping[str, Artifact]]
    ) -> tuple[str, ...]:
        """The condition that failed, where the facts say that it would fail again."""
        failed, error = attempt.diagnosis.failed, attempt.record.error or {}
        if error.get("code") != "precondition" or failed not in edited.workflow.by_id:
            return ()
        other = changed(attempt.trace.plan, edited)
        untouched = {name: outputs for name, outputs in finished.items() if name not in other}
        return tuple(
            f"{problem.expected} would still not hold: {problem.found}"
            for problem in check_plan(edited, self._tools, untouched).problems
            if problem.where == failed and problem.code == "precondition" and problem.expected == error.get("expected")
        )

    def _still_impossible(self, attempt: _Attempt, edited: Plan, edits: Iterable[Edit]) -> tuple[str, ...]:
        """The files whose values stay as impossible as they are with what is said of them: whoever says it has not
        found what is wrong."""
        case = Examination(replace(attempt.trace, plan=edited), attempt.diagnosis.failed, self._tools, self._probe)
        said = {(one.name, one.at) for edit in edits if isinstance(edit, StateFacts) for one in edit.inputs}
        reasons, cause = [], attempt.diagnosis.cause
        for place, leaf in case.inputs() if said else ():
            sample = case.sample(leaf) if (place.name, place.at) in said else None
            found = None if sample is None else implausible(leaf, sample)
            if found is not None and (found.cause == cause or {found.cause, cause} <= NUMBERS_CANNOT_BE):
                reasons.append(f"the values of {leaf.name} would still be wrong: {found.evidence[0]}")
        return tuple(reasons)

    def _repaired(self, attempt: _Attempt, candidate: _Candidate, edited: Plan) -> Repaired:
        before = attempt.trace.plan
        old = before.workflow.by_id
        new = tuple(node.id for node in edited.workflow.nodes if node.id not in old)
        touched = changed(before, edited) & old.keys()
        return Repaired(
            number=len(attempt.trace.repairs) + 1,
            failed=attempt.record,
            diagnosis=attempt.diagnosis,
            by=candidate.by,
            sentence=candidate.sentence,
            because=candidate.because,
            edits=candidate.draft.edits,
            new=new,
            changed=(*(name for name in old if name in touched), *candidate.draft.again),
            before=before.workflow,
            inputs={name: one for name, one in before.inputs.items() if edited.inputs.get(name) != one},
            lossy=candidate.lossy,
            refused=tuple(attempt.refused),
            seconds=time.perf_counter() - attempt.begun,
            tokens=attempt.tokens,
        )

    def _actual(self, trace: Trace, node: Node) -> dict[str, Any]:
        """What the arguments of a node stand for, as they are in the plan."""

        def output_of(name: str, output: str) -> Artifact:
            schema = self._tools[trace.plan.workflow.node(name).tool]
            return trace.record(name).outputs[output or schema.primary_output]

        return {name: resolve(value, trace.plan.inputs, output_of) for name, value in node.args.items()}


def _undiagnosed(node: str, error: Exception) -> Diagnosis:
    """What is known of a failure whose diagnosis failed."""
    shown = Evidence("diagnosis", "", f"{type(error).__name__}: {error}", "error")
    return Diagnosis("unknown", node, node, evidence=(shown,), advice=CAUSES["unknown"].advice)


def _same_fault(one: Diagnosis, other: Diagnosis) -> bool:
    """Whether two diagnoses are of the same fault: the same cause in the same file, or at the same place."""
    if one.cause != other.cause:
        return False
    if one.file or other.file:
        return one.file == other.file
    return (one.failed, one.node, one.place) == (other.failed, other.node, other.place)


def _contested(attempt: _Attempt, one: _Candidate, remembered: Iterable[_Candidate]) -> bool:
    """Whether a learned rule says otherwise of the same: then neither is followed, and both are offered."""
    for other in remembered:
        if other.by != one.by and say_otherwise(one.draft.edits, other.draft.edits):
            for mine, theirs in ((one, other.by), (other, one.by)):
                why = f"{theirs} says otherwise"
                if mine.by not in attempt.contested:
                    attempt.refused.append(Refusal(mine.by, mine.sentence, (why,)))
                for offer in offer_of(mine.by, mine.draft.edits, mine.because, why):
                    attempt.contested.setdefault(mine.by, offer)
    return one.by in attempt.contested


def _times(rule: Rule) -> int:
    """How often a rule may answer the same failure: once, or as often as it says that it tries again."""
    return max((action.retry.times for action in rule.then if action.retry is not None), default=1)


def _refusal(by: str, sentence: str, error: KnowFlowError) -> Refusal:
    return Refusal(by, sentence, _reasons(error))


def _reasons(error: KnowFlowError) -> tuple[str, ...]:
    if error.problems:
        return tuple(map(str, error.problems))
    parts = [error.message, *(f"{name} {text}" for name in ("expected", "found") if (text := getattr(error, name)))]
    return (", ".join(parts),)
