"""A template as a plan whose nodes are its steps: good to draw and to print, not to run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.plan import Plan
from knowflow.model.reference import reference, steps_in_order
from knowflow.model.template import Step, Template
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow


def outline(template: Template) -> Plan:
    """One node for each step, composite ones too; what a step does for each item of a list is one node."""
    nodes = tuple(_node(template, name, step) for name, step in steps_in_order(template))
    return Plan(
        query="",
        template=template.template,
        title=template.title,
        workflow=Workflow(nodes),
        inputs={name: Artifact(taken.type, name=name) for name, taken in template.inputs.items()},
        outputs={name: _value(template, value) for name, value in template.outputs.items()},
    )


def _node(template: Template, name: str, step: Step) -> Node:
    kind = "" if step.kind == "tool" else f"{step.kind}: "
    each = " for each" if step.for_each else ""
    args = {key: _value(template, value) for key, value in {**step.for_each, **step.with_}.items()}
    return Node(name, f"{kind}{step.target}{each}", args, template.layer, step.title, name)


def _value(template: Template, value: Any) -> Value:
    found = reference(value)
    if found is not None and found.head == "inputs":
        return FromInput(found.tail)
    if found is not None and found.head in template.steps:
        return FromNode(found.head, found.tail)
    if isinstance(value, Mapping):
        return BandsOf({str(name): _value(template, item) for name, item in value.items()})
    if isinstance(value, (list, tuple)):
        return SeriesOf(tuple(_value(template, item) for item in value))
    return Given(value)
