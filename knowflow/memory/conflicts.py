"""Rules that contradict each other: the failure that one was learned from is one that the other answers otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from knowflow.ground.errors import KnowFlowError
from knowflow.model.edit import Edit
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.reason.repair.matching import misfit
from knowflow.reason.repair.offers import say_otherwise
from knowflow.reason.repair.proposals import drafted
from knowflow.reason.repair.scenarios import Scenario, scenario_of

Tools = Mapping[str, ToolSchema]


def contradicting(rule: Rule, others: Iterable[Rule], tools: Tools) -> Iterator[str]:
    """The names of the rules that say otherwise of a failure that a learned rule answers, in its tests or in theirs."""
    for other in others:
        if other.rule != rule.rule and set(rule.if_.cause) & set(other.if_.cause):
            scenarios = [*_answered(rule, tools), *_answered(other, tools)]
            if any(say_otherwise(_edits(rule, one, tools), _edits(other, one, tools)) for one in scenarios):
                yield other.rule


def _answered(rule: Rule, tools: Tools) -> Iterator[Scenario]:
    for test in rule.tests:
        if not test.refused and test.tool in tools:
            yield scenario_of(rule, test, tools)


def _edits(rule: Rule, scenario: Scenario, tools: Tools) -> tuple[Edit, ...]:
    """What a rule makes of a failure; nothing, where it does not answer it."""
    try:
        if misfit(rule, scenario.pattern(tools)):
            return ()
        return drafted(rule, scenario.plan, scenario.diagnosis, scenario.arguments, tools).edits
    except KnowFlowError:
        return ()
