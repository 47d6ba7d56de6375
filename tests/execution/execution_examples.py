"""Schemas of the tools in the toolbox, and plans over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.ground.resources import packaged_root
from knowflow.knowledge.documents import load_model
from knowflow.model.plan import Plan, Quality
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, Given, Node, Value, Workflow

NUMBER = {"type": "number"}
TEXT_FILE = {"type": "path", "role": "output", "produces": "text"}


def schema(tool: str, parameters: Mapping[str, Any], **more: Any) -> ToolSchema:
    """A schema of a tool in the toolbox that returns a number, unless ``returns`` or the outputs say otherwise."""
    writes = any(parameter.get("role") == "output" for parameter in parameters.values())
    document = {
        "tool": tool,
        "title": tool,
        "kit": "analysis",
        "layers": [1, 2, 3],
        "parameters": dict(parameters),
        "returns": None if writes else {"type": "scalar"},
        "run": f"python:execution_toolbox:{tool}",
        **more,
    }
    return ToolSchema.model_validate(document)


def packed(name: str) -> ToolSchema:
    """A tool of the pack of Earth-Agent."""
    model = load_model(packaged_root("schemas") / "earth_agent" / f"{name}.yaml", ToolSchema).model
    assert model is not None
    return model


def toolbox_catalogue() -> dict[str, ToolSchema]:
    """The schemas of the toolbox by name."""
    tools = [
        schema("number", {"value": NUMBER}),
        schema("total", {"values": {"type": "list"}}),
        schema("divide", {"x": NUMBER, "by": NUMBER}),
        schema("warm", {"temperature": {"type": "number", "unit": "K"}}),
        schema("note", {"text": {"type": "string"}, "output": TEXT_FILE}),
        schema("half_note", {"text": {"type": "string"}, "output": TEXT_FILE}),
        schema("forgetful", {"output": TEXT_FILE}),
        schema("full_disk", {"output": TEXT_FILE}),
        schema("interrupt", {"value": NUMBER, "unless": {"type": "string"}}),
        schema("die", {"value": NUMBER, "unless": {"type": "string"}}),
        schema("meet", {"value": NUMBER, "here": {"type": "string"}, "others": {"type": "strings"}}),
        schema("process_id", {"value": NUMBER}, isolate="process"),
        schema("telling", {"value": NUMBER}),
    ]
    return {tool.tool: tool for tool in tools}


def node(node_id: str, tool: str, **args: Any) -> Node:
    """A node; arguments that are not workflow values are literals."""
    values = {name: value if isinstance(value, Value) else Given(value) for name, value in args.items()}
    return Node(node_id, tool, values, layer=1, title=f"the {node_id}")


def plan(*nodes: Node, outputs: Mapping[str, Value] | None = None, quality: tuple[Quality, ...] = ()) -> Plan:
    """A plan whose answer is the last node."""
    return Plan(
        query="a question",
        template="test",
        title="a test plan",
        workflow=Workflow(nodes),
        outputs={"answer": FromNode(nodes[-1].id)} if outputs is None else outputs,
        quality=quality,
    )
