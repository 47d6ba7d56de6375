"""Other ways to the same answer: what the knowledge at hand declares beside what a plan chose.

Methods of the same task and other definitions of the same quantity; parameters that a plan took by default, and
settings of tools, where their authors say which other values are ``usual``, or that each of the choices is right.
Nothing here knows a quantity, a method or a parameter by name. A variation differs from the plan in one thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from knowflow.graph.check import WorkflowCheck
from knowflow.graph.orphans import upstream
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.condition import names, parse
from knowflow.model.evaluate import evaluate
from knowflow.model.plan import Plan
from knowflow.model.template import Template, TemplateParameter
from knowflow.model.tool import Parameter
from knowflow.model.workflow import FromNode, Given, Node, Workflow, references
from knowflow.question.types import type_of_kind


@dataclass(frozen=True, slots=True)
class Variation:
    """One thing done otherwise: ``what`` was chosen, and what is taken instead (``how``).

    The question is planned with ``catalogue``; then ``tool``, ``parameter`` and ``value`` set an argument, where there
    are any.
    """

    what: str
    how: str
    catalogue: Catalogue
    tool: str = ""
    parameter: str = ""
    value: Any = None

    def applied(self, plan: Plan, check: WorkflowCheck) -> Plan:
        """A plan made with its catalogue, with the argument set wherever nobody asked for another."""
        if not self.tool:
            return plan
        own = self.catalogue.tools[self.tool].inputs[self.parameter]

        def put(node: Node) -> Node:
            free = node.tool == self.tool and _unasked(node, self.parameter, own) and _numbers(node, check)
            return replace(node, args={**node.args, self.parameter: Given(self.value)}) if free else node

        return replace(plan, workflow=Workflow(tuple(map(put, plan.workflow.nodes))))


def variations(plan: Plan, check: WorkflowCheck, catalogue: Catalogue) -> Iterator[Variation]:
    """All that is declared beside what a plan chose: methods first, then parameters, then settings of tools."""
    yield from _methods(plan, check, catalogue)
    yield from _parameters(plan, catalogue)
    yield from _settings(plan, check, catalogue)


def _methods(plan: Plan, check: WorkflowCheck, catalogue: Catalogue) -> Iterator[Variation]:
    """Each other method, or definition, in the place of one that the plan chose."""
    known = [*plan.inputs.values(), *(one for node in check.nodes.values() for one in node.outputs.values())]
    kinds = {leaf.fact("quantity") for one in known for leaf in one.leaves()}
    chosen = dict.fromkeys(one.chosen for one in plan.decisions if one.chosen in catalogue.templates)
    rejected = {name for one in plan.decisions for name, _ in one.rejected}
    for template in (catalogue.templates[name] for name in chosen):
        kin = [
            one
            for one in catalogue.templates.values()
            if one.template not in {*chosen, *rejected}
            and (one.method_of, one.defines) == (template.method_of, template.defines)
            and any(_meant_for(one, kind) for kind in kinds)
        ]
        for one in sorted(kin, key=lambda other: (-other.preference, other.template)):
            first = max(other.preference for other in (template, *kin)) + 1
            preferred = one.model_copy(update={"preference": first})
            what = (template.defines or template.method_of or "").replace("_", " ")
            yield Variation(what, one.title, _with(catalogue, preferred))


def _parameters(plan: Plan, catalogue: Catalogue) -> Iterator[Variation]:
    """Each other usual value of a parameter that a template took by default."""
    for one in plan.assumptions:
        name, _, parameter = one.because.partition(".")
        template = catalogue.templates.get(name) if one.origin == "template default" else None
        own = None if template is None else template.parameters.get(parameter)
        if template is None or own is None:
            continue
        for value in (value for value in own.usual if value != own.default):
            changed = own.model_copy(update={"default": value})
            other = template.model_copy(update={"parameters": {**template.parameters, parameter: changed}})
            yield Variation(own.title or parameter.replace("_", " "), _told(value, own), _with(catalogue, other))


def _settings(plan: Plan, check: WorkflowCheck, catalogue: Catalogue) -> Iterator[Variation]:
    """Each other usual value of what tells a tool how to compute, where nobody asked for the one that it has."""
    for tool in dict.fromkeys(node.tool for node in plan.workflow.nodes):
        nodes = [node for node in plan.workflow.nodes if node.tool == tool and _numbers(node, check)]
        for name, own in catalogue.tools[tool].inputs.items():
            values = own.usual or (own.choices if own.technical else ())
            if not any(_unasked(node, name, own) for node in nodes) or _said(plan, own.default):
                continue
            for value in (value for value in values if value != own.default):
                how = f"{name.replace('_', ' ')} {_told(value, own)}"
                yield Variation(catalogue.tools[tool].title, how, catalogue, tool, name, value)


def _meant_for(template: Template, kind: str | None) -> bool:
    """Whether nothing that a template says of its quantity speaks against a kind."""
    told = (parse(text) for text in template.when)
    return all(
        evaluate(one, {"$quantity": kind}).truth is not False for one in told if set(names(one)) == {"$quantity"}
    )


def _with(catalogue: Catalogue, template: Template) -> Catalogue:
    return replace(catalogue, templates={**catalogue.templates, template.template: template})


def _told(value: Any, own: TemplateParameter | Parameter) -> str:
    unit = own.unit if own.unit and "(" not in own.unit else ""
    return f"{value} {unit}".strip().replace("_", " ")


def _unasked(node: Node, name: str, own: Parameter) -> bool:
    """Whether an argument is the default: left out, or the same."""
    given = node.args.get(name)
    return given is None or (isinstance(given, Given) and given.value == own.default)


def _said(plan: Plan, value: Any) -> bool:
    """Whether a question says the value that a tool would take anyway."""
    return isinstance(value, str) and value.replace("_", " ").casefold() in plan.query.casefold().split()


def _numbers(node: Node, check: WorkflowCheck) -> bool:
    """Whether a node is told of numbers: classes and masks have one way only."""
    known: Mapping[str, Any] = check.nodes[node.id].arguments if node.id in check.nodes else {}
    kinds = (leaf.fact("quantity") for one in known.values() if isinstance(one, Artifact) for leaf in one.leaves())
    return all(own is None or own.of == "number" for own in map(type_of_kind, filter(None, kinds)))


def less_of_the_same(plan: Plan, other: Plan) -> bool:
    """Whether another plan does only a part of what a plan does with the same files: no method, but less of one."""
    steps, fewer = (Counter(node.tool for node in one.workflow.nodes) for one in (plan, other))
    return fewer < steps and _files(other) <= _files(plan)


def _files(plan: Plan) -> set[tuple[str | None, int | None]]:
    return {(leaf.path, leaf.band) for one in plan.inputs.values() for leaf in one.leaves()}


def steps_to_answer(plan: Plan) -> int:
    """How many nodes lead to the answer of a plan."""
    value = plan.outputs.get(plan.answer)
    ends = [ref.node for ref in references(value) if isinstance(ref, FromNode)] if value is not None else []
    return len(upstream(plan.workflow, ends))
