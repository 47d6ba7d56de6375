"""The repair rules in service: looked up, tested, and explained on a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from knowflow.execution.probing import FileProbe
from knowflow.execution.run_store import load_run
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.rules import RuleBook, load_rules
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.rule import Rule
from knowflow.model.trace import NodeRecord, Refusal, Repaired, Trace
from knowflow.reason.repair.examination import Examination
from knowflow.reason.repair.matching import Pattern, matching, misfit
from knowflow.reason.repair.scenarios import RuleTestResult, run_rule_tests


@dataclass(frozen=True, slots=True)
class ExplainedFailure:
    """One failure of a run: its diagnosis, what was done, which rules applied and why those of its cause did not."""

    node: str
    diagnosis: Diagnosis
    repaired: Repaired | None = None
    applied: tuple[str, ...] = ()
    passed_over: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        done = self.repaired
        return {
            "node": self.node,
            "diagnosis": self.diagnosis.to_json(),
            "repair": None
            if done is None
            else {"number": done.number, "by": done.by, "sentence": done.sentence, "because": done.because},
            "applied": list(self.applied),
            "passed_over": [{"rule": rule, "because": why} for rule, why in self.passed_over],
        }


@dataclass(frozen=True, slots=True)
class ExplainedRun:
    """The failures of a run, in order, and what was proposed in vain."""

    run_id: str
    status: str
    failures: tuple[ExplainedFailure, ...]
    refusals: tuple[Refusal, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "status": self.status,
            "failures": [failure.to_json() for failure in self.failures],
            "refusals": [refusal.to_json() for refusal in self.refusals],
        }


def tested(book: RuleBook, names: Sequence[str] | None, catalogue: Catalogue) -> list[RuleTestResult]:
    """The tests of the named rules, or of all: a rule with errors fails, by what is wrong with it.

    Raises:
        UnknownNameError: there is no rule of such a name.
        DocumentError: a rule that is named has errors.
    """
    if names:
        return run_rule_tests([book.rule(name) for name in names], catalogue.tools)
    broken = [RuleTestResult(name, "left out for its errors", False, wrong) for name, wrong in book.broken.items()]
    return [*broken, *run_rule_tests(list(book.rules.values()), catalogue.tools)]


def explained(run_id: str, catalogue: Catalogue, home: Path) -> ExplainedRun:
    """What went wrong in a run and which rules speak of it.

    Raises:
        UnknownNameError: there is no such run.
    """
    trace = load_run(run_id, home)
    rules = load_rules(catalogue.tools).rules
    record = SuccessRecord(home)
    probe = FileProbe(home)
    failures = []
    for repair in trace.repairs:
        then = replace(trace, plan=trace.plan_before(repair))
        applied, passed = _rules_of(then, repair.diagnosis, repair.failed, rules, catalogue, probe, record)
        failures.append(ExplainedFailure(repair.failed.node, repair.diagnosis, repair, applied, passed))
    for diagnosis in trace.diagnoses:
        failed = trace.record(diagnosis.failed)
        applied, passed = _rules_of(trace, diagnosis, failed, rules, catalogue, probe, record)
        failures.append(ExplainedFailure(diagnosis.failed, diagnosis, None, applied, passed))
    return ExplainedRun(trace.run_id, trace.status, tuple(failures), trace.refusals)


def _rules_of(
    trace: Trace,
    diagnosis: Diagnosis,
    failed: NodeRecord,
    rules: Mapping[str, Rule],
    catalogue: Catalogue,
    probe: FileProbe,
    record: SuccessRecord,
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The rules that apply to a failure, best first; and those of the same cause that do not, with the reason."""
    if diagnosis.node not in trace.plan.workflow.by_id:
        return (), ()
    case = Examination(trace, diagnosis.node, catalogue.tools, probe)
    pattern = Pattern(case.schema, case.arguments, diagnosis, str(failed.error or ""))
    applied = tuple(rule.rule for rule in matching(rules.values(), pattern, record))
    of_cause = [rule for rule in rules.values() if diagnosis.cause in rule.if_.cause and rule.rule not in applied]
    return applied, tuple((rule.rule, misfit(rule, pattern)) for rule in of_cause)
