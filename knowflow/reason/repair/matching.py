"""Which rules apply to a failure, in which order: the most specific first, then the most successful, then by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.knowledge.success_record import expected
from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.evaluate import evaluate
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import leaves

_OF_SIZES = re.compile(r"\b(?:mean|std)\(it\)")

# how often a rule was tried for a tool and a cause, and how often it helped
Outcomes = Callable[[str, str, str], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """What rules are matched against: the guilty node's tool and arguments, the diagnosis, and the error's words."""

    schema: ToolSchema
    arguments: Mapping[str, Any]
    diagnosis: Diagnosis
    error: str = ""
    guilty: Artifact | None = None

    @property
    def subject(self) -> Artifact | None:
        """The artifact at the guilty place, unless another one is ``guilty`` of the same."""
        if self.guilty is not None:
            return self.guilty
        place = self.diagnosis.place
        value = self.arguments.get(str(place[0])) if place else None
        if not isinstance(value, Artifact):
            return None
        return dict(leaves((str(place[0]),), value)).get(place, value)


def no_record(rule: str, tool: str, cause: str) -> tuple[int, int]:
    """The record where there is none yet."""
    return 0, 0


def matching(rules: Iterable[Rule], pattern: Pattern, outcomes: Outcomes = no_record) -> tuple[Rule, ...]:
    """The rules that apply, the one to try first in front."""
    found = [rule for rule in rules if not misfit(rule, pattern)]

    def rank(rule: Rule) -> tuple[int, float, str]:
        tries, successes = outcomes(rule.rule, pattern.schema.tool, pattern.diagnosis.cause)
        return -specificity(rule), -expected(tries, successes), rule.rule

    return tuple(sorted(found, key=rank))


def specificity(rule: Rule) -> int:
    """How narrow a rule's pattern is: a named tool counts most, then words of the error, a kit, and each condition."""
    wanted = rule.if_
    count = 8 if wanted.tool else 3 if wanted.kit else 0
    count += 4 if wanted.error else 0
    count += 2 * len(wanted.where) + len(wanted.lacks) + len(wanted.found)
    count += 2 if wanted.parameter else 0
    return count + (1 if wanted.certain else 0) + (1 if len(wanted.cause) == 1 else 0)


def misfit(rule: Rule, pattern: Pattern, *, sizes: bool = True) -> str:
    """Why a rule does not apply; empty where it does. Without ``sizes`` numbers of any size will do."""
    wanted, diagnosis = rule.if_, pattern.diagnosis
    if diagnosis.cause not in wanted.cause:
        return f"the cause is {diagnosis.cause}"
    if wanted.tool and pattern.schema.tool not in wanted.tool:
        return f"the tool is {pattern.schema.tool}"
    if wanted.kit and pattern.schema.kit not in wanted.kit:
        return f"the tool is of kit {pattern.schema.kit}"
    if wanted.certain and diagnosis.confidence != "certain":
        return "the diagnosis is not certain"
    if wanted.parameter and diagnosis.parameter not in wanted.parameter:
        return f"the guilty parameter is {diagnosis.parameter or 'none'}"
    if wanted.error and not re.search(wanted.error, pattern.error, re.IGNORECASE):
        return "the error says something else"
    for name in wanted.found:
        if name not in diagnosis.found:
            return f"the diagnosis found no {name}"
    subject = pattern.subject
    for name in wanted.lacks:
        if subject is None or subject.known(name) is not None:
            return f"{name} is known" if subject is not None else "there is no artifact that could lack a fact"
    environment = {**pattern.arguments, **({} if subject is None else {"it": subject})}
    for text in (one for one in wanted.where if sizes or not _OF_SIZES.search(one)):
        if re.search(r"\bit\b", text) and subject is None:
            return f"there is no artifact of which {text} could hold"
        verdict = evaluate(parse(text), environment)
        if verdict.truth is not True:
            return f"{text}: {verdict.because or 'not so'}"
    return ""
