"""What the results of a template's steps are known to be before any data are seen, and which steps cannot take them.

Only what is the same for all data counts: a quantity that a tool sets by name, or by an argument that the template
writes out, and what tools hand on of it. Sources of errors that no plan can mend: a slope where a mask is expected.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from knowflow.graph.effects import inherited_facts
from knowflow.ground.errors import ConditionSyntaxError
from knowflow.ground.report import Problem
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.composition import Tools
from knowflow.model.artifact import Artifact
from knowflow.model.condition import Call, Compare, Const, Name, names, parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.reference import Reference, references
from knowflow.model.template import Step, Template
from knowflow.model.tool import ToolSchema

_DEEPEST = 20  # steps behind each other; a circle of them is told elsewhere


def misplaced(template: Template, document: Document, path: Key, step: Step, tools: Tools) -> list[Problem]:
    """The arguments of a tool's step whose quantity, whatever the data, is none that the tool takes; none where a tool
    has conditions that cannot be read, which is told with the tool."""
    try:
        return list(_misplaced(template, document, path, step, tools))
    except ConditionSyntaxError:
        return []


def _misplaced(template: Template, document: Document, path: Key, step: Step, tools: Tools) -> Iterator[Problem]:
    schema = tools.get(step.target)
    if schema is None:
        return
    for block, given in (("with", step.with_), ("for_each", step.for_each)):
        for name, value in given.items():
            ref = _whole_reference(value)
            quantity = None if ref is None or name not in schema.inputs else _quantity(template, ref, tools)
            if quantity is None:
                continue
            facts = Facts.of(Origin.DERIVED, str(ref), quantity=quantity)
            environment = {name: Artifact(type="raster", facts=facts, name=str(ref))}
            for text, condition in schema.parsed_preconditions:
                if set(names(condition)) == {name} and evaluate(condition, environment).truth is False:
                    found = f"{ref}, which is {quantity}"
                    yield document.problem((*path, block, name), "precondition", text, found, "give it what it takes")


def _whole_reference(value: Any) -> Reference | None:
    refs = list(references(value))
    return refs[0] if len(refs) == 1 and value == str(refs[0]) else None


def _quantity(template: Template, ref: Reference, tools: Tools, depth: int = 0) -> str | None:
    """The quantity behind a reference, where it is the same for all data."""
    step = template.steps.get(ref.head)
    schema = None if step is None or step.kind != "tool" else tools.get(step.target)
    if step is None or schema is None or step.else_ is not None or depth > _DEEPEST:
        return None
    output = ref.tail if ref.tail in schema.outputs else schema.primary_output
    said = [_set(schema, step, text, output) for text in schema.effects.sets]
    if any(one is not None for one in said):
        return next((one for one in said if one), None)
    preserved = schema.effects.preserves.get(output)
    if preserved is None or "quantity" not in inherited_facts(preserved):
        return None
    source = _whole_reference(step.with_.get(preserved.from_, step.for_each.get(preserved.from_)))
    return None if source is None else _quantity(template, source, tools, depth + 1)


def _set(schema: ToolSchema, step: Step, text: str, output: str) -> str | None:
    """The quantity that an effect gives an output: empty where it depends on the data; None where it gives none."""
    match parse(text):
        case Compare(left=Call(name="quantity", args=(Name(name=named),)), op="==", right=right) if named == output:
            match right:
                case Const(value=str(value)):
                    return value
                case Name(name=parameter) if parameter in schema.inputs:
                    value = step.with_.get(parameter, schema.inputs[parameter].default)
                    if value is None and not schema.inputs[parameter].required:
                        return None  # an optional argument that is not given changes nothing
                    return value if isinstance(value, str) and not list(references(value)) else ""
            return ""
    return None
