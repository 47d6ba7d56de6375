"""What is known of a failure and not done by itself: what rules that contradict each other say, and what a learned rule
would say of numbers unlike those that it was learned from. A person decides, and is told the option that says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from knowflow.graph.edit import apply
from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, ReplaceNode, SetParameter, StateFacts
from knowflow.model.literal import plain, same
from knowflow.model.plan import Plan
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import place_text
from knowflow.model.workflow import Given
from knowflow.reason.repair.examination import Examination
from knowflow.reason.repair.laws import broken_laws
from knowflow.reason.repair.matching import Pattern, misfit
from knowflow.reason.repair.proposals import drafted
from knowflow.reason.repair.samples import ready_lines


@dataclass(frozen=True, slots=True)
class Offer:
    """What a rule (``by``) would say of the files that are wrong, whose word that is, and why it is only offered."""

    by: str
    facts: Mapping[str, Any]
    because: str
    why: str

    def to_json(self) -> dict[str, Any]:
        return {"by": self.by, "facts": plain(dict(self.facts)), "because": self.because, "why": self.why}


def offer_of(by: str, edits: Sequence[Edit], because: str, why: str) -> Iterator[Offer]:
    """The offer of a rule that would do nothing but say facts; nothing of any other."""
    said = [edit for edit in edits if isinstance(edit, StateFacts)]
    if said and len(said) == len(edits):
        yield Offer(by, {name: value for edit in said for name, value in edit.facts.items()}, because, why)


def pattern_of(case: Examination, diagnosis: Diagnosis, error: Mapping[str, Any]) -> Pattern:
    """What rules are matched against: the guilty argument with what was measured of it, and the words of the error."""
    arguments = {
        name: case.measured(value)
        if isinstance(value, Artifact) and (name == diagnosis.parameter or not value.parts())
        else value
        for name, value in case.arguments.items()
    }
    words = " ".join(str(error[name]) for name in ("code", "message", "expected", "found") if error.get(name))
    return Pattern(case.schema, arguments, diagnosis, words)


def not_by_themselves(
    rules: Iterable[Rule], case: Examination, pattern: Pattern, tools: Mapping[str, ToolSchema]
) -> Iterator[tuple[Offer, tuple[Edit, ...], Plan]]:
    """What learned rules would say whose numbers alone do not fit, or that wait for a person, with the edits and the
    plan that these make."""
    for rule in rules:
        if misfit(rule, pattern, sizes=False) or other_kind(rule, pattern, case, sizes=False):
            continue
        why = f"it waits for `knowflow memory approve {rule.rule}`"
        if misfit(rule, pattern) or other_kind(rule, pattern, case):
            why = "the numbers are others than it was learned from, and may stand for something else"
        try:
            edits = drafted(rule, case.plan, pattern.diagnosis, pattern.arguments, tools).edits
            edited = apply(case.plan, edits, tools)
        except KnowFlowError:
            continue
        if not broken_laws(case.plan, edits, tools, {}, pattern.diagnosis.cause):
            for offer in offer_of(f"memory:{rule.rule}", edits, rule.because, why):
                yield offer, edits, edited


def other_kind(rule: Rule, pattern: Pattern, case: Examination, *, sizes: bool = True) -> str:
    """Why a rule may not speak of all files that are wrong, though it may of the first; empty where it may."""
    wrong = {(str(entry[0]), *entry[1:]) for entry in pattern.diagnosis.found.get("inputs", ())}
    for place, leaf in case.inputs() if wrong else ():
        if (place.name, *place.at) in wrong:
            why = misfit(rule, replace(pattern, guilty=case.measured(leaf)), sizes=sizes)
            if why:
                return f"{leaf.name} is wrong in the same way, and is of another kind: {why}"
    return ""


def say_otherwise(one: Iterable[Edit], other: Iterable[Edit]) -> bool:
    """Whether two repairs say different things of one fact of a file, of one argument, or of the tool of a step."""
    mine, theirs = dict(_said(one)), dict(_said(other))
    return any(key in theirs and not same(value, theirs[key]) for key, value in mine.items())


def _said(edits: Iterable[Edit]) -> Iterator[tuple[tuple[str, str], Any]]:
    for edit in edits:
        match edit:
            case StateFacts(inputs=inputs, facts=facts):
                for one in inputs:
                    yield from (((place_text((one.name, *one.at)), fact), value) for fact, value in facts.items())
            case SetParameter(node=node, parameter=parameter, value=value):
                yield (f"{node}.{parameter}", ""), value.value if isinstance(value, Given) else value
            case ReplaceNode(node_id=node, node=new):
                yield (node, "tool"), new.tool
            case InsertNode(node=new, spots=spots) if new.tool.startswith("declare_"):
                literals = {name: value.value for name, value in new.args.items() if isinstance(value, Given)}
                for spot in spots:
                    yield from (((str(spot), name), value) for name, value in literals.items())


def offered(diagnosis: Diagnosis, offers: Sequence[Offer]) -> Diagnosis:
    """A diagnosis with what a person may say of it, as ready options, in the place of other advice."""
    if not offers or not diagnosis.file:
        return diagnosis
    files = str(diagnosis.found.get("files") or PurePath(diagnosis.file).name)
    told = [f"{ready_lines(files, [one.facts])} ({one.because}; {one.why})" for one in offers]
    advice = f"if it is so here as well, say it: {'; or '.join(told)}"
    return replace(
        diagnosis, advice=advice, found={**diagnosis.found, "offered": tuple(one.to_json() for one in offers)}
    )
