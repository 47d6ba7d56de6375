"""Tests of repair rules: a small failure as a rule's author describes it, and whether the rule answers it well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from knowflow.graph.check import check_plan
from knowflow.graph.edit import apply
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.report import Problem
from knowflow.model import geo
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.edit import Edit, InsertNode, LeaveOut, ReplaceNode, StateFacts
from knowflow.model.facts import FACT_TITLES, Facts, Origin
from knowflow.model.literal import frozen
from knowflow.model.plan import Plan
from knowflow.model.rule import Rule, RuleTest
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.verdict import Place, leaves
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow
from knowflow.reason.repair.laws import broken_laws
from knowflow.reason.repair.matching import Pattern, misfit
from knowflow.reason.repair.proposals import Draft, drafted

Tools = Mapping[str, ToolSchema]

_CRS = "EPSG:32633"
_TRANSFORM = (10.0, 0.0, 500000.0, 0.0, -10.0, 5100000.0)
_SHAPE = (64, 64)
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RuleTestResult:
    """One test of one rule: passed, or what was expected and found; and the edits that the rule made."""

    rule: str
    test: str
    passed: bool
    problems: tuple[Problem, ...] = ()
    edits: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "test": self.test,
            "passed": self.passed,
            "problems": [problem.to_json() for problem in self.problems],
            "edits": list(self.edits),
        }


@dataclass(frozen=True, slots=True)
class Scenario:
    """A failure: the plan, the actual arguments of the node that failed, and its diagnosis."""

    plan: Plan
    arguments: Mapping[str, Any]
    diagnosis: Diagnosis
    error: str

    def pattern(self, tools: Tools) -> Pattern:
        return Pattern(tools[self.plan.workflow.node(FAILED).tool], self.arguments, self.diagnosis, self.error)


def run_rule_tests(rules: Iterable[Rule], tools: Tools) -> list[RuleTestResult]:
    """Every test of the rules; a rule without one fails."""
    results = []
    for rule in rules:
        if not rule.tests:
            problem = Problem("no_test", "at least one test", "none", where=rule.rule)
            results.append(RuleTestResult(rule.rule, "", False, (problem,)))
        for number, test in enumerate(rule.tests, start=1):
            results.append(_result(rule, test, number, tools))
    return results


def _result(rule: Rule, test: RuleTest, number: int, tools: Tools) -> RuleTestResult:
    name = test.name or f"test {number}"
    try:
        scenario = scenario_of(rule, test, tools)
        why = misfit(rule, scenario.pattern(tools))
        if test.refused:
            problems = () if why else (Problem("matches", "a rule that does not apply", "it does", where=name),)
            return RuleTestResult(rule.rule, name, not problems, problems)
        if why:
            problem = Problem("no_match", "a failure that the rule applies to", why, where=name)
            return RuleTestResult(rule.rule, name, False, (problem,))
        draft = drafted(rule, scenario.plan, scenario.diagnosis, scenario.arguments, tools)
        found = tuple(_problems(draft, scenario, test, tools))
        return RuleTestResult(rule.rule, name, not found, found, tuple(edit.sentence() for edit in draft.edits))
    except KnowFlowError as error:
        reasons = "; ".join(map(str, error.problems)) or error.found or ""
        problem = Problem(error.code, error.expected or "edits that hold", f"{error.message}: {reasons}", where=name)
        return RuleTestResult(rule.rule, name, False, (problem,))


def _problems(draft: Draft, scenario: Scenario, test: RuleTest, tools: Tools) -> Iterator[Problem]:
    """What is wrong with the edits: other ones than expected, forbidden ones, or ones that break a condition."""
    made = tuple(dict.fromkeys((*map(_named, draft.edits), *(["retry"] if draft.again else []))))
    if test.expect and made != test.expect:
        yield Problem("other_edits", ", ".join(test.expect), ", ".join(made) or "nothing", where=test.name)
    for reason in broken_laws(scenario.plan, draft.edits, tools, {}, scenario.diagnosis.cause):
        yield Problem("forbidden", "an edit that a repair may make", reason, where=test.name)
    if draft.edits:
        edited = apply(scenario.plan, draft.edits, tools)
        for problem in check_plan(edited, tools).problems:
            if problem.where not in scenario.plan.workflow.by_id:
                yield problem


def _named(edit: Edit) -> str:
    match edit:
        case InsertNode(node=node) | ReplaceNode(node=node):
            return node.tool
        case LeaveOut():
            return "leave_out"
        case StateFacts():
            return "state_facts"
    return "set_parameter"


def scenario_of(rule: Rule, test: RuleTest, tools: Tools) -> Scenario:
    """The failure that a test describes: one node, with what it is given, that failed.

    Raises:
        KnowFlowError: an argument is described by facts that do not exist.
    """
    schema = tools[test.tool]
    inputs: dict[str, Artifact] = {}
    args: dict[str, Value] = {}
    actual: dict[str, Any] = {n: p.default for n, p in schema.inputs.items() if p.default is not None}
    for name, described in test.arguments.items():
        parameter = schema.inputs.get(name)
        if parameter is not None and isinstance(described, dict) and parameter.is_artifact:
            inputs[name] = actual[name] = _artifact(name, described, parameter)
            args[name] = FromInput(name)
        else:
            args[name] = Given(frozen(described))
            actual[name] = frozen(described)
    layer = min(schema.layers)
    nodes = [Node(FAILED, schema.tool, args, layer)]
    result: Value = FromNode(FAILED)
    if test.siblings:
        nodes += [Node(f"{FAILED}_{i + 2}", schema.tool, args, layer) for i in range(test.siblings)]
        together = SeriesOf(tuple(FromNode(node.id) for node in nodes))
        raster = schema.outputs[schema.primary_output] == "raster"
        join = tools["temporal_composite" if raster else "mean"]
        taken: dict[str, Value] = {"series" if raster else "x": together}
        nodes.append(Node("together", join.tool, taken, max(layer, min(join.layers))))
        result = FromNode("together")
    plan = Plan("", "", Workflow(tuple(nodes)), inputs=inputs, outputs={"answer": result})
    place = test.place or _first_place(inputs)
    cause = test.cause or rule.if_.cause[0]
    diagnosis = Diagnosis(cause, FAILED, FAILED, place, "", (), "certain", found=test.found)
    return Scenario(plan, actual, diagnosis, test.error)


def _first_place(inputs: Mapping[str, Artifact]) -> Place:
    return next((place for name, artifact in inputs.items() for place, _ in leaves((name,), artifact)), ())


def _artifact(name: str, described: Mapping[str, Any], parameter: Parameter) -> Artifact:
    """An artifact from facts; ``count`` makes a series of so many, ``bands`` a band set of those."""
    facts = {key: value for key, value in described.items() if key not in ("count", "dates")}
    unknown = [key for key in facts if key not in FACT_TITLES and key != "bands"]
    if unknown:
        raise KnowFlowError(
            f"{name} is described by what is no fact", expected="facts, count or dates", found=", ".join(unknown)
        )
    match parameter.artifact_type:
        case "band_set":
            bands = facts.pop("bands", ("red", "nir"))
            return band_set({band: _raster(f"{name}_{band}", facts) for band in bands}, name)
        case "raster_series":
            dates = described.get("dates") or [f"2022-{i + 1:02d}-01" for i in range(int(described.get("count", 3)))]
            items = (_raster(f"{name}_{i}", {**facts, "datetime": str(date)}) for i, date in enumerate(dates))
            return series(tuple(items), name)
        case "raster":
            return _raster(name, facts)
    known = Facts.of(Origin.DECLARED, "test", **facts)
    return Artifact(parameter.artifact_type, known, name=name, path=f"{name}.gpkg")  # type: ignore[arg-type]


def _raster(name: str, facts: Mapping[str, Any]) -> Artifact:
    crs, transform = facts.get("crs", _CRS), tuple(facts.get("transform", _TRANSFORM))
    shape = tuple(facts.get("shape", _SHAPE))
    header = {
        "crs": crs,
        "transform": transform,
        "shape": shape,
        "resolution": (abs(transform[0]), abs(transform[4])),
        "bounds": geo.bounds_of(transform, shape),
        "grid": geo.grid_token(crs, transform, shape),
        "dtype": "float32",
        "datetime": "2022-06-01",
    }
    known = {key: value for key, value in {**header, **facts}.items() if value is not None}
    return Artifact("raster", Facts.of(Origin.DECLARED, "test", **known), name=name, path=f"{name}.tif")
