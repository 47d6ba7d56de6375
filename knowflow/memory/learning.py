"""What a run teaches: each repair by a person or a language model that helped becomes evidence for a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from knowflow.ground.errors import KnowFlowError
from knowflow.knowledge.memory_settings import Mode
from knowflow.memory.case import Case, case_of
from knowflow.memory.conflicts import Contradictions
from knowflow.memory.foresight import used_in
from knowflow.memory.generalise import alike, contradict, rule_of
from knowflow.memory.replay import replayed
from knowflow.memory.shelf import Learned, Shelf, State
from knowflow.memory.trial import Tried, tried
from knowflow.model.edit import Edit, StateFacts
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Repaired, Trace
from knowflow.reason.repair.examination import Probe
from knowflow.reason.repair.scenarios import run_rule_tests

Tools = Mapping[str, ToolSchema]
_FAILURES = 2  # from so many on a rule that fails more often than it helps is retired


@dataclass(frozen=True, slots=True)
class Lesson:
    """What became of one repair: ``learned`` (a new rule), ``widened`` (evidence for one that there was), ``known`` (it
    was evidence already), ``contradicted`` (a rule that did otherwise was retired) or ``passed over``."""

    became: Literal["learned", "widened", "known", "contradicted", "passed over"]
    repair: int
    name: str = ""
    because: str = ""

    def sentence(self) -> str:
        """One line for people."""
        if self.became == "passed over":
            return f"nothing was learned from repair {self.repair}: {self.because}"
        more = f": {self.because}" if self.because else ""
        return f"{self.became} from repair {self.repair}: {self.name}{more}"


class Learner:
    """Learns from runs of one project. ``mode`` says whether a person is asked; ``authored`` are the rules that come
    before what is learned."""

    def __init__(
        self,
        shelf: Shelf,
        tools: Tools,
        probe: Probe,
        mode: Mode = "automatic",
        authored: Callable[[], Iterable[Rule]] = tuple,
    ) -> None:
        self._shelf = shelf
        self._tools = tools
        self._probe = probe
        self._mode = mode
        self._authored = authored

    def learn(self, trace: Trace) -> tuple[Lesson, ...]:
        """What a run that has ended teaches; nothing, where it was not completed."""
        if self._mode == "off" or trace.status != "completed":
            return ()
        return tuple(lesson for repair in trace.repairs for lesson in self._of(trace, repair))

    def reviewed(self, trace: Trace, record: Mapping[str, tuple[int, int]]) -> Iterator[Lesson]:
        """Retire rules that a run shows to be wrong: those that failed more often than they helped (``record``: tries
        and successes), and those by which the run took for granted what a person then said otherwise."""
        used = used_in(trace)
        if self._mode == "off" or not used:
            return
        said = {fact for repair in trace.repairs if repair.by == "person" for fact in _facts(repair)}
        with self._shelf.changing():
            known = self._shelf.found(self._tools).learned
            for one in (known[name] for name in used if name in known and known[name].state == "active"):
                tries, successes = record.get(one.name, (0, 0))
                if said & {fact for action in one.rule.then for fact in action.state_facts or ()}:
                    why = f"a person said otherwise in run {trace.run_id}"
                elif outdone(tries, successes):
                    why = f"it helped {successes} of {tries} times"
                else:
                    continue
                self._shelf.put(one.model_copy(update={"state": "retired", "why": why}))
                yield Lesson("contradicted", 0, one.name, why)

    def _of(self, trace: Trace, repair: Repaired) -> Iterator[Lesson]:
        if repair.by not in ("person", "llm") or not repair.diagnosis.failed or not _helped(trace, repair):
            return
        try:
            case = case_of(trace, repair, self._tools, self._probe, _settled(trace, repair))
        except KnowFlowError as error:
            yield Lesson("passed over", repair.number, because=": ".join(filter(None, (error.message, error.found))))
            return
        with self._shelf.changing():
            yield from self._kept(case, trace, repair)

    def _kept(self, case: Case, trace: Trace, repair: Repaired) -> Iterator[Lesson]:
        """Keep a case: as evidence for what is known, or as a rule of its own."""
        known = self._shelf.found(self._tools).learned
        of_it = [one for one in known.values() if any(alike(case, other) for other in one.cases)]
        if any(case.key == other.key for one in of_it for other in one.cases):
            yield Lesson("known", repair.number, of_it[0].name)
            return
        widened: list[Learned] = []
        for one in of_it:
            if one.state == "rejected":
                because = f"{one.name}, which does the same, was rejected"
                yield Lesson("passed over", repair.number, one.name, because)
                return
            widened.append(one)
        base = widened[0] if widened else None
        cases = (*(base.cases if base is not None else ()), case)
        rule = rule_of(cases)
        wrong = self._unfit(rule, trace, repair)
        if wrong:
            yield Lesson("passed over", repair.number, rule.rule, wrong)
            return
        yield from self._retired(case, known, repair)
        found = tried(rule, cases, self._tools, self._authored)
        state, why = self._state(base, case, found)
        earlier = (*base.earlier, base.rule) if base is not None else ()
        approved = base is not None and base.approved
        self._shelf.put(
            Learned(state=state, why=why, approved=approved, rule=rule, tried=found, cases=cases, earlier=earlier)
        )
        others = () if state != "active" else Contradictions(self._authored(), self._tools).of(rule)
        why = f"{', '.join(others)} says otherwise, and neither is followed" if others else why
        yield Lesson("widened" if base is not None else "learned", repair.number, rule.rule, why)

    def _state(self, base: Learned | None, case: Case, found: Tried) -> tuple[State, str]:
        """Whether a rule is in use, and why not: one that a trial finds wrong is only offered, unless a person approved
        of it; one that was retired is in use again where a person says so."""
        if found.wrong and not (base is not None and base.approved):
            return "proposed", f"it would speak of {found.wrong}, and be wrong: it is offered until it is approved"
        if base is None:
            return ("proposed" if self._mode == "review" else "active"), ""
        if base.state == "retired" and case.by == "person":
            return "active", ""
        return base.state, base.why

    def _unfit(self, rule: Rule, trace: Trace, repair: Repaired) -> str:
        """Why a rule may not be kept; empty where it may."""
        corrected = _settled(trace, repair) != repair.edits
        wanted = trace.plan if corrected else trace.plan_after(repair)
        why = replayed(rule, trace, repair, wanted, self._tools, self._probe)
        failed = [one for one in run_rule_tests([rule], self._tools) if not one.passed]
        if not why and failed:
            why = "; ".join(f"{one.test}: {problem}" for one in failed for problem in one.problems)
        return why

    def _retired(self, case: Case, known: Mapping[str, Learned], repair: Repaired) -> Iterator[Lesson]:
        """Rules that did otherwise about the same kind of failure go: a person says what is right, and the later word
        of two counts."""
        for one in known.values():
            if one.state != "active" or not any(contradict(case, other) for other in one.cases):
                continue
            if case.by != "person" and any(other.by == "person" for other in one.cases):
                continue
            why = f"the same kind of failure was mended otherwise in run {case.run}"
            self._shelf.put(one.model_copy(update={"state": "retired", "why": why}))
            yield Lesson("contradicted", repair.number, one.name, why)


def outdone(tries: int, successes: int) -> bool:
    """Whether what was learned failed more often than it helped, and not once alone."""
    return tries - successes >= _FAILURES and tries > 2 * successes


def _settled(trace: Trace, repair: Repaired) -> tuple[Edit, ...]:
    """The edits of a repair with what a person said otherwise of the same files later: the last word counts."""
    edits = list(repair.edits)
    later = [one for one in trace.repairs if one.number > repair.number and one.by == "person"]
    for said in (edit for one in later for edit in one.edits if isinstance(edit, StateFacts)):
        for number, edit in enumerate(edits):
            if isinstance(edit, StateFacts) and set(edit.inputs) & set(said.inputs):
                edits[number] = replace(edit, facts={**edit.facts, **said.facts})
    return tuple(edits)


def _facts(repair: Repaired) -> Iterator[str]:
    for edit in repair.edits:
        if isinstance(edit, StateFacts):
            yield from edit.facts


def _helped(trace: Trace, repair: Repaired) -> bool:
    """Whether what failed has a result since, or is not needed any more."""
    failed = repair.failed.node
    again = any(later.failed.node == failed for later in trace.repairs if later.number > repair.number)
    return not again and (failed not in trace.plan.workflow.by_id or trace.record(failed).ready)
