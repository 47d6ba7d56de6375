"""Whether a learned rule may come to answer a file, before anybody has looked at its pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.plan import Plan
from knowflow.model.rule import Rule
from knowflow.model.trace import Trace

ORIGIN = "memory"


def may_answer(rules: Iterable[Rule], artifact: Artifact) -> bool:
    """Whether what is known of a file speaks for one of the rules that say facts, and nothing against it."""
    return any(_fits(rule, artifact) for rule in rules if rule.then[0].state_facts is not None)


def _fits(rule: Rule, artifact: Artifact) -> bool:
    if any(artifact.known(fact) is not None for fact in rule.if_.lacks):
        return False
    verdicts = [evaluate(parse(text), {"it": artifact}) for text in rule.if_.where]
    return bool(verdicts) and all(one.truth is not False for one in verdicts) and any(one.truth for one in verdicts)


def used_by(plan: Plan) -> Iterator[str]:
    """The names of learned rules by which a plan takes something for granted."""
    yield from dict.fromkeys(
        one.because.partition(":")[0] for one in plan.assumptions if one.origin == ORIGIN and ":" in one.because
    )


def steps_of(plan: Plan) -> Iterator[str]:
    """The names of learned templates that have steps in a plan."""
    steps = {node.step.partition(".")[0] for node in plan.workflow.nodes}
    yield from (name for name in used_by(plan) if name in steps)


def used_in(trace: Trace) -> tuple[str, ...]:
    """The names of learned rules that had a part in a run, when it was planned or when it was repaired."""
    repaired = [repair.by.partition(":")[2] for repair in trace.repairs if repair.by.startswith(f"{ORIGIN}:")]
    return tuple(dict.fromkeys((*used_by(trace.plan), *repaired)))
