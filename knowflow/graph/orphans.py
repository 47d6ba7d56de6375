"""Nodes that an edit left without a purpose: nothing that is asked for depends on them any more."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from knowflow.model.plan import Plan
from knowflow.model.workflow import FromNode, Workflow, references


def upstream(workflow: Workflow, of: Iterable[str]) -> frozenset[str]:
    """The given nodes and everything that they depend on, directly or not."""
    stack = list(of)
    found: set[str] = set()
    while stack:
        name = stack.pop()
        node = workflow.by_id.get(name)
        if node is not None and name not in found:
            found.add(name)
            stack.extend(node.sources())
    return frozenset(found)


def needed(plan: Plan) -> frozenset[str]:
    """The nodes that an output or a quality condition of the plan depends on, directly or not."""
    values = [*plan.outputs.values(), *(value for quality in plan.quality for value in quality.values.values())]
    refs = (ref.node for value in values for ref in references(value) if isinstance(ref, FromNode))
    return upstream(plan.workflow, refs)


def without_orphans(plan: Plan, before: Plan) -> Plan:
    """The edited plan without the nodes that were needed before the edit and are not any more.

    A node that was never needed (a map beside the answer) stays, with all that it depends on.
    """
    gone = needed(before) - needed(plan)
    gone -= upstream(plan.workflow, (node.id for node in plan.workflow.nodes if node.id not in gone))
    if not gone:
        return plan
    return replace(plan, workflow=Workflow(tuple(node for node in plan.workflow.nodes if node.id not in gone)))
