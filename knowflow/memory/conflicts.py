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
Answered = tuple[tuple[Scenario, tuple[Edit, ...]], ...]


class Contradictions:
    """Which of the rules in use, learned or authored, say otherwise of a failure than a learned one."""

    def __init__(self, rules: Iterable[Rule], tools: Tools) -> None:
        self._rules = tuple(rules)
        self._tools = tools
        self._answered: dict[str, Answered] = {}

    def of(self, rule: Rule) -> tuple[str, ...]:
        """The names of the rules that say otherwise of what a rule answers, in its tests or in theirs."""
        others = (one for one in self._rules if one.rule != rule.rule and set(one.if_.cause) & set(rule.if_.cause))
        return tuple(other.rule for other in others if self._meet(rule, other) or self._meet(other, rule))

    def _meet(self, one: Rule, other: Rule) -> bool:
        return any(say_otherwise(edits, self._edits(other, scenario)) for scenario, edits in self._own(one))

    def _own(self, rule: Rule) -> Answered:
        """The failures that a rule answers in its tests, each with what it makes of it."""
        if rule.rule not in self._answered:
            self._answered[rule.rule] = tuple((one, self._edits(rule, one)) for one in self._scenarios(rule))
        return self._answered[rule.rule]

    def _scenarios(self, rule: Rule) -> Iterator[Scenario]:
        for test in rule.tests:
            if not test.refused and test.tool in self._tools:
                yield scenario_of(rule, test, self._tools)

    def _edits(self, rule: Rule, scenario: Scenario) -> tuple[Edit, ...]:
        """What a rule makes of a failure; nothing, where it does not answer it."""
        try:
            if misfit(rule, scenario.pattern(self._tools)):
                return ()
            return drafted(rule, scenario.plan, scenario.diagnosis, scenario.arguments, self._tools).edits
        except KnowFlowError:
            return ()
