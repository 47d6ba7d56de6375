"""Whether a learned rule makes the same repair of the failure that it was learned from; else it is not admitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from knowflow.graph.topology import changed
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Repaired, Trace
from knowflow.model.verdict import leaves
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, SeriesOf, Value
from knowflow.reason.repair.examination import Probe
from knowflow.reason.repair.repairer import Repairer

Tools = Mapping[str, ToolSchema]
_SAID = ("scale", "offset", "unit", "nodata", "mark", "quantity", "crs")


def replayed(rule: Rule, trace: Trace, repair: Repaired, wanted: Plan, tools: Tools, probe: Probe) -> str:
    """Why a rule does not do what was done about a failure; empty where it does. ``wanted`` is the plan that helped.

    The failure is put to a repairer that knows this rule alone, with the laws and checks of any repair.
    """
    before = trace.plan_before(repair)
    failed = repair.failed
    then = replace(
        trace, plan=before, records={**trace.records, failed.node: failed}, repairs=(), diagnoses=(), refusals=()
    )
    reply = Repairer(tools, tuple, probe, learned=lambda: (rule,)).failure(then, failed.node)
    if reply.plan is None or reply.repaired is None:
        reasons = [reason for refusal in reply.refused for reason in refusal.reasons]
        return "; ".join(reasons) or "the rule does not match the failure that it was learned from"
    if reply.repaired.by != f"memory:{rule.rule}":
        return f"the failure is answered without it, by {reply.repaired.by}"
    missing = _other(before, reply.plan, wanted, reply.repaired)
    return f"it does something else: {missing}" if missing else ""


def _other(before: Plan, made: Plan, wanted: Plan, repaired: Repaired) -> str:
    """What a repair makes that was not made by hand; ids of nodes and where facts came from do not matter."""
    own, theirs = Forms(made), Forms(wanted)
    forms = {theirs.of(node.id) for node in wanted.workflow.nodes}
    touched = changed(before, made) | set(repaired.new)
    return next((node.id for node in made.workflow.nodes if node.id in touched and own.of(node.id) not in forms), "")


class Forms:
    """The normal forms of the nodes of a plan: what each computes, down to the files and what is said of them.

    ``content`` says what a file is known by, from its path: without it, the path itself. ``tools`` tell which output a
    reference means that names none.
    """

    def __init__(self, plan: Plan, content: Callable[[str], str] = str, tools: Tools | None = None) -> None:
        self._plan = plan
        self._content = content
        self._tools = tools or {}
        self._known: dict[str, str] = {}

    def of(self, node: str) -> str:
        """The digest of a node's tool and arguments; equal for nodes that compute the same, whatever their ids."""
        if node not in self._known:
            own = self._plan.workflow.node(node)
            told = [own.tool, *(f"{name}={self._form(value)}" for name, value in sorted(own.args.items()))]
            self._known[node] = sha256("\n".join(told).encode()).hexdigest()
        return self._known[node]

    def _form(self, value: Value) -> str:
        match value:
            case FromNode(node=node, output=output):
                schema = self._tools.get(self._plan.workflow.node(node).tool)
                return f"{output or (schema.primary_output if schema is not None else '')} of {self.of(node)}"
            case FromInput(name=name, at=at):
                return f"files {list(self._files(self._plan.inputs[name], at))}"
            case SeriesOf(items=items):
                return f"series {[self._form(item) for item in items]}"
            case BandsOf(members=members):
                return f"bands {[(name, self._form(member)) for name, member in sorted(members.items())]}"
            case Given(value=literal):
                return f"value {_told(literal)}"

    def _files(self, artifact: Artifact, at: tuple[str | int, ...]) -> Iterator[str]:
        for place, leaf in leaves((), artifact):
            if place[: len(at)] == at or not place:
                known = self._content(leaf.path) if leaf.path else leaf.name
                yield repr((known, leaf.band, *((name, _told(leaf.fact(name))) for name in _SAID)))


def _told(value: Any) -> str:
    """A value as text that is the same for equal ones: 1 and 1.0 are."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return repr(float(value)) if number else repr(value)
