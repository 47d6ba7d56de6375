"""The models that a plan names: registered, for the task, and given the bands they take, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.graph.check import WorkflowCheck
from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema


def require_models(plan: Plan, check: WorkflowCheck, tools: Mapping[str, ToolSchema]) -> None:
    """Refuse a plan with a model that cannot be used; what an earlier node trains is for the run to see.

    Raises:
        ModelNotRegisteredError, DocumentError, DataNotFoundError, UnreadableDataError: there is no such model.
        WrongModelError: it is for another task, or takes other bands than it is given.
    """
    used = {node.tool for node in plan.workflow.nodes}
    if not any(parameter.type == "model" for tool in used for parameter in tools[tool].inputs.values()):
        return
    from knowflow.model.model_card import MODEL_TASKS

    for node in plan.workflow.nodes:
        schema = tools[node.tool]
        found = check.nodes.get(node.id)
        name = None if found is None or schema.tool not in MODEL_TASKS else found.arguments.get("model")
        if found is None or not isinstance(name, str):
            continue
        from knowflow.tools.learned.inputs import require_bands
        from knowflow.tools.learned.models import model_for

        card = model_for(name, schema.tool).card  # type: ignore[arg-type]  # it is one of the tasks
        for parameter, value in found.arguments.items():
            if isinstance(value, Artifact) and value.members:
                require_bands(card, value.members, f"{parameter} of {node.id}")
