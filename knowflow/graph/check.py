"""The check of a workflow before anything runs: structure, types, layers, conditions, and why each edge stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from knowflow.graph import arguments as argument_check
from knowflow.graph.effects import inherited_facts, predicted_outputs
from knowflow.graph.justify import Justification, NodeCheck, justify
from knowflow.graph.resolve import OutputOf, arguments_of
from knowflow.graph.topology import cycles, order
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.garbage import uncollected
from knowflow.ground.report import Problem, Problems
from knowflow.ground.spelling import did_you_mean
from knowflow.model.artifact import Artifact
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import PIXEL_FACTS
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.verdict import Verdict, place_text
from knowflow.model.workflow import FromInput, FromNode, Node, Value, Workflow, references, value_at

Outputs = Mapping[str, Artifact]


@dataclass(frozen=True, slots=True)
class MissingFact:
    """A fact that a precondition of a node needs and that nobody will know: an ``--assume`` can supply it."""

    node: str
    condition: str
    place: str
    fact: str
    source: str

    @property
    def assume(self) -> str:
        """The option that supplies the fact; where pixels lie follows from how large they are."""
        fact = "resolution" if self.fact in ("transform", "grid", "bounds") else self.fact
        return f"--assume {fact}=VALUE"


@dataclass(frozen=True, slots=True)
class WorkflowCheck:
    """Everything the check found; an empty ``problems`` and ``missing`` means that the workflow may run."""

    problems: tuple[Problem, ...] = ()
    missing: tuple[MissingFact, ...] = ()
    nodes: Mapping[str, NodeCheck] = field(default_factory=dict)
    edges: tuple[Justification, ...] = ()

    @property
    def ok(self) -> bool:
        return not any(problem.severity == "error" for problem in self.problems)

    @property
    def decided(self) -> bool:
        """Whether each precondition is known to hold, or not to, but for what pixels alone will tell."""
        verdicts = (verdict for node in self.nodes.values() for _, verdict in node.preconditions)
        gaps = (gap.fact for verdict in verdicts if verdict.truth is None for gap in verdict.missing)
        return all(fact in PIXEL_FACTS for fact in gaps)


def check_plan(
    plan: Plan, catalogue: Mapping[str, ToolSchema], finished: Mapping[str, Outputs] | None = None
) -> WorkflowCheck:
    """Check a plan's workflow against the tools that exist and the facts of its inputs; and what its results name.

    ``finished`` are the actual outputs of nodes that are done; they stand in the place of what would be predicted.
    """
    found = check_workflow(plan.workflow, plan.inputs, catalogue, finished)
    results = [(f"outputs.{name}", value) for name, value in plan.outputs.items()]
    results += [(f"quality[{i}].{name}", value) for i, q in enumerate(plan.quality) for name, value in q.values.items()]
    dangling = [problem for where, value in results for problem in _result_problems(where, value, plan, catalogue)]
    return replace(found, problems=(*found.problems, *dangling))


@uncollected
def check_workflow(
    workflow: Workflow,
    inputs: Mapping[str, Artifact],
    catalogue: Mapping[str, ToolSchema],
    finished: Mapping[str, Outputs] | None = None,
) -> WorkflowCheck:
    """Everything that is wrong with a workflow; what depends on a broken node is checked as far as that allows."""
    problems = Problems(structure_problems(workflow, catalogue))
    known: dict[str, Outputs] = {}
    nodes: dict[str, NodeCheck] = {}
    missing: dict[MissingFact, None] = {}

    def output_of(node_id: str, output: str) -> Artifact:
        outputs = known[node_id]
        return outputs[output or next(iter(outputs))]

    in_order = order(workflow)
    tangled = {id(node) for node in workflow.nodes} - {id(node) for node in in_order}
    for node in (*in_order, *(node for node in workflow.nodes if id(node) in tangled)):
        schema = catalogue.get(node.tool)
        if schema is None:
            continue
        arguments, found = _arguments(node, schema, inputs, known, output_of)
        problems.extend(found)
        if arguments is None:
            problems.extend(argument_check.authored_problems(node, schema))
            known.setdefault(node.id, predicted_outputs(schema, {}, node.id))
            continue
        problems.extend(argument_check.argument_problems(node, schema, arguments))
        verdicts = tuple((text, evaluate(condition, arguments)) for text, condition in schema.parsed_preconditions)
        actual = (finished or {}).get(node.id)
        outputs = actual if actual is not None else predicted_outputs(schema, arguments, node.id)
        known[node.id] = outputs
        nodes[node.id] = NodeCheck(arguments, outputs, verdicts)
        for text, verdict in verdicts:
            if verdict.truth is False:
                problems.add(Problem("precondition", text, verdict.because, where=node.id))
            elif verdict.truth is None:
                missing.update(dict.fromkeys(_never_known(node, text, verdict, workflow, catalogue)))
    edges = tuple(
        justify(edge, workflow, catalogue, nodes)
        for edge in workflow.edges
        if edge.source in nodes and edge.target in nodes
    )
    for each in edges:
        if not each.justified:
            problems.add(
                Problem(
                    "unjustified_edge",
                    f"an effect of {each.edge.source} that {each.edge.target}.{each.edge.param} needs",
                    "none",
                    "connect another output, or add the missing effect to the tool's schema",
                    where=f"{each.edge.source} -> {each.edge.target}",
                )
            )
    return WorkflowCheck(tuple(problems), tuple(missing), nodes, edges)


def _arguments(
    node: Node,
    schema: ToolSchema,
    inputs: Mapping[str, Artifact],
    known: Mapping[str, Outputs],
    output_of: OutputOf,
) -> tuple[dict[str, Any] | None, list[Problem]]:
    """The arguments of a node, None where something it refers to is not there; and what is wrong with its inputs."""
    refs = [ref for value in node.args.values() for ref in references(value)]
    problems = [
        Problem(
            "dangling_reference", f"one of {', '.join(inputs) or 'no inputs at all'}", repr(ref.name), where=node.id
        )
        for ref in refs
        if isinstance(ref, FromInput) and ref.name not in inputs
    ]
    upstream = [known.get(ref.node) for ref in refs if isinstance(ref, FromNode)]
    outputs = [ref.output for ref in refs if isinstance(ref, FromNode)]
    if problems or not all(made and (not name or name in made) for made, name in zip(upstream, outputs, strict=True)):
        return None, problems
    try:
        return arguments_of(node, schema, inputs, output_of), []
    except KnowFlowError as error:
        expected = error.expected or "data that have what is referred to"
        return None, [Problem("dangling_reference", expected, error.message, error.hint or "", where=node.id)]


def structure_problems(workflow: Workflow, catalogue: Mapping[str, ToolSchema]) -> list[Problem]:
    """Duplicate ids, unknown tools, dangling references, cycles, and layers that decrease along an edge."""
    problems: list[Problem] = []
    seen: set[str] = set()
    for node in workflow.nodes:
        if node.id in seen:
            problems.append(Problem("duplicate_id", "unique node ids", f"{node.id!r} twice", where=node.id))
        seen.add(node.id)
        problems.extend(_tool_problems(node, catalogue))
    for edge in workflow.edges:
        source = workflow.by_id.get(edge.source)
        if source is None:
            problems.append(
                Problem("dangling_reference", "a node of the workflow", f"{edge.source!r}", where=edge.target)
            )
            continue
        schema = catalogue.get(source.tool)
        if schema is not None and edge.output and edge.output not in schema.outputs:
            outputs = ", ".join(schema.outputs)
            problems.append(
                Problem("dangling_reference", f"an output of {source.tool}: {outputs}", edge.output, where=edge.target)
            )
        target = workflow.by_id[edge.target]
        if source.layer > target.layer:
            problems.append(
                Problem(
                    "layer_decreases",
                    "layers that never decrease along an edge",
                    f"{source.id} (layer {source.layer}) feeds {target.id} (layer {target.layer})",
                    where=target.id,
                )
            )
    for loop in cycles(workflow):
        problems.append(
            Problem("cycle", "a graph without cycles", " -> ".join((*loop, loop[0])), "cut one of these edges", loop[0])
        )
    return problems


def _result_problems(where: str, value: Value, plan: Plan, catalogue: Mapping[str, ToolSchema]) -> list[Problem]:
    """References of an output or quality condition of a plan to what the plan does not have."""
    problems = []
    for ref in references(value):
        if isinstance(ref, FromInput):
            if ref.name not in plan.inputs:
                problems.append(Problem("dangling_reference", "an input of the plan", repr(ref.name), where=where))
            continue
        node = plan.workflow.by_id.get(ref.node)
        if node is None:
            problems.append(Problem("dangling_reference", "a node of the workflow", repr(ref.node), where=where))
        elif ref.output and node.tool in catalogue and ref.output not in catalogue[node.tool].outputs:
            expected = f"an output of {node.tool}: {', '.join(catalogue[node.tool].outputs)}"
            problems.append(Problem("dangling_reference", expected, repr(ref.output), where=where))
    return problems


def _tool_problems(node: Node, catalogue: Mapping[str, ToolSchema]) -> list[Problem]:
    schema = catalogue.get(node.tool)
    if schema is None:
        hint = did_you_mean(node.tool, catalogue, "see `knowflow tools list`")
        return [Problem("unknown_tool", "a tool that exists", repr(node.tool), hint, where=node.id)]
    if node.layer not in schema.layers:
        layers = ", ".join(map(str, schema.layers))
        return [Problem("layer", f"a layer that {node.tool} serves: {layers}", str(node.layer), where=node.id)]
    return []


def _never_known(
    node: Node, condition: str, verdict: Verdict, workflow: Workflow, catalogue: Mapping[str, ToolSchema]
) -> list[MissingFact]:
    """The unknown facts behind a verdict that running will not reveal: those of inputs, and what preserves them."""
    found = []
    for gap in verdict.missing:
        if gap.fact in PIXEL_FACTS:
            continue
        source = _source_of(node, gap.place, gap.fact, workflow, catalogue)
        if source is not None:
            found.append(MissingFact(node.id, condition, place_text(gap.place), gap.fact, source))
    return found


def _source_of(
    node: Node, place: tuple[str | int, ...], fact: str, workflow: Workflow, catalogue: Mapping[str, ToolSchema]
) -> str | None:
    """The plan input an unknown fact is inherited from, or None where a tool on the way makes it known."""
    while place and str(place[0]) in node.args:
        source = next(references(value_at(node.args[str(place[0])], place[1:])), None)
        if source is None or isinstance(source, FromInput):
            return None if source is None else source.name
        node = workflow.node(source.node)
        schema = catalogue.get(node.tool)
        preserved = None if schema is None else schema.effects.preserves.get(source.output or schema.primary_output)
        if preserved is None or fact not in inherited_facts(preserved):
            return None
        place = (preserved.from_,)
    return None
