"""The tools that a language model is shown for a failure: few, and those that may help first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from knowflow.graph.check import check_plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Trace
from knowflow.reason.achievers import Achievers

Tools = Mapping[str, ToolSchema]

MOST_CANDIDATES = 14


def candidate_tools(
    trace: Trace, failed: str, guilty: str, tools: Tools, most: int = MOST_CANDIDATES
) -> tuple[ToolSchema, ...]:
    """Tools for a failure: the failed one and the guilty one; what can make their false or unknown conditions true;
    then the tools of their kits that make the same, and what may stand before or in the place of a step.
    """
    found: dict[str, ToolSchema] = {}
    for schema in _in_order(trace, failed, guilty, tools):
        if not any(parameter.type == "path" for parameter in schema.inputs.values()):
            found.setdefault(schema.tool, schema)
        if len(found) >= most:
            break
    return tuple(found.values())


def _in_order(trace: Trace, failed: str, guilty: str, tools: Tools) -> Iterator[ToolSchema]:
    nodes = [trace.plan.workflow.by_id[name] for name in (failed, guilty) if name in trace.plan.workflow.by_id]
    own = [tools[node.tool] for node in nodes if node.tool in tools]
    yield from own
    finished = {name: record.outputs for name, record in trace.records.items() if record.ready}
    check = check_plan(trace.plan, tools, finished)
    achievers = Achievers(tools)
    for node in nodes:
        checked = check.nodes.get(node.id)
        for _, verdict in () if checked is None else checked.preconditions:
            for goal in () if verdict.truth is True else verdict.goals:
                for achiever, _ in achievers(goal):
                    yield achiever.schema
    kits = {schema.kit for schema in own}
    made = {kind for schema in own for kind in schema.outputs.values()}
    taken = {parameter.artifact_type for schema in own for parameter in schema.inputs.values() if parameter.is_artifact}
    others = sorted(tools.values(), key=lambda schema: (schema.kit == "gdal", schema.cost, schema.tool))
    for schema in others:
        if schema.kit in kits and made & set(schema.outputs.values()):
            yield schema
    for schema in others:
        if schema.insertable and taken & set(schema.outputs.values()):
            yield schema
