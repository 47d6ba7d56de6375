"""What the pixels of files leave no doubt of is stated of the inputs of a plan before it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from knowflow.execution.probing import FileProbe
from knowflow.execution.screening import screen
from knowflow.graph.check import WorkflowCheck, check_plan
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.references import is_reference
from knowflow.knowledge.catalogue import Catalogue
from knowflow.knowledge.rules import load_rules
from knowflow.memory.foresight import ORIGIN, may_answer
from knowflow.model.artifact import Artifact
from knowflow.model.edit import StateFacts
from knowflow.model.plan import Assumption, Plan
from knowflow.model.trace import NodeRecord, Trace
from knowflow.model.workflow import Node
from knowflow.reason.repair.repairer import Repairer
from knowflow.service.repair_policy import PIXELS_MAY_TELL, RepairPolicy
from knowflow.service.repairs import learned_rules

_MOST_FILES = 64  # that are looked at before anything runs


def told_by_pixels(plan: Plan, check: WorkflowCheck, catalogue: Catalogue, home: Path, *, memory: bool = False) -> Plan:
    """The plan with what its files do not say of their numbers, and their pixels leave no choice about.

    ``check`` is that of the plan. A rule says it, the one that would answer the first node that reads the files, and it
    is told as an assumption. Where pixels leave several ways, or what is wrong is no fact of a file, the plan stays as
    it is: its run answers, or ends and asks. With ``memory`` rules that earlier runs taught count as well, and files
    that they may be about are looked at.
    """
    learned = learned_rules(catalogue, home) if memory else ()
    unsaid = any(missing.fact in PIXELS_MAY_TELL for missing in check.missing)

    def in_doubt(leaf: Artifact) -> bool:
        if leaf.path is not None and is_reference(leaf.path):  # planning fetches no pixels
            return False
        return (unsaid and _unscaled(leaf)) or (leaf.path is not None and may_answer(learned, leaf))

    if not 0 < sum(in_doubt(leaf) for one in plan.inputs.values() for leaf in one.leaves()) <= _MOST_FILES:
        return plan
    rules = partial(load_rules, catalogue.tools)
    repairer = Repairer(catalogue.tools, lambda: rules().rules.values(), FileProbe(home), learned=lambda: learned)
    for _ in range(RepairPolicy().max_repairs):
        found = _stated(plan, check, catalogue, repairer, in_doubt)
        if found is None:
            break
        plan, check = found, check_plan(found, catalogue.tools)
    return plan


def _unscaled(leaf: Artifact) -> bool:
    """Whether it is a file of numbers that does not say their scale."""
    return leaf.path is not None and leaf.type == "raster" and leaf.known("scale") is None


def _stated(
    plan: Plan, check: WorkflowCheck, catalogue: Catalogue, repairer: Repairer, in_doubt: Callable[[Artifact], bool]
) -> Plan | None:
    """The plan with the facts that answer the first node whose files cannot be what they say; None where none do."""
    for node in plan.workflow.nodes:
        arguments = check.nodes[node.id].arguments if node.id in check.nodes else {}
        given = [value for value in arguments.values() if isinstance(value, Artifact)]
        if not any(in_doubt(leaf) for value in given for leaf in value.leaves()):
            continue
        try:
            screen(catalogue.tools[node.tool], arguments, node.title or node.id)
        except KnowFlowError as error:
            return _answered(plan, check, node, error, repairer)
        except OSError:  # whoever runs it is told
            return None
    return None


def _answered(plan: Plan, check: WorkflowCheck, node: Node, error: KnowFlowError, repairer: Repairer) -> Plan | None:
    records = {name: NodeRecord(name, "done", outputs=known.outputs) for name, known in check.nodes.items()}
    records[node.id] = NodeRecord(node.id, "failed", error=error.to_json())
    reply = repairer.failure(Trace("", plan, records=records), node.id)
    if reply.plan is None or reply.repaired is None:
        return None
    if not all(isinstance(edit, StateFacts) for edit in reply.repaired.edits):
        return None
    what = reply.repaired.lossy or "; ".join(edit.sentence() for edit in reply.repaired.edits)
    kind, _, rule = reply.repaired.by.partition(":")
    told = Assumption(what, True, "pixels", f"{reply.diagnosis.title}; {reply.repaired.because}")
    if kind == ORIGIN:
        told = Assumption(what, True, ORIGIN, f"{rule}: {reply.repaired.because}")
    return replace(reply.plan, assumptions=tuple(dict.fromkeys((*plan.assumptions, told))))
