"""How templates make up one another: methods of tasks, layers, circles, and what a broken document takes with it."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter

from knowflow.ground.report import Problem
from knowflow.ground.yamldoc import Document
from knowflow.model.template import Step, Template
from knowflow.model.tool import ToolSchema

Templates = Mapping[str, Template]
Tools = Mapping[str, ToolSchema]


def methods_of(task: str, templates: Templates) -> list[Template]:
    """The methods of a composite task, most preferred first."""
    found = [template for template in templates.values() if template.method_of == task]
    return sorted(found, key=lambda template: (-template.preference, template.template))


def called_by(step: Step, templates: Templates) -> list[Template]:
    """The templates that a step may call: the one it names, or the methods of its task; those that exist."""
    if step.kind == "template":
        return [templates[step.target]] if step.target in templates else []
    return methods_of(step.target, templates) if step.kind == "task" else []


def layer_span(template: Template, step: Step, templates: Templates) -> tuple[int, int]:
    """The lowest and the highest layer that a step of a template may turn out to have.

    A tool takes the layer of the template around it; of a task's methods only those not above it can be chosen.
    """
    layers = [called.layer for called in called_by(step, templates) if called.layer <= template.layer]
    return (min(layers), max(layers)) if layers else (template.layer, template.layer)


def composition_problems(templates: Templates, documents: Mapping[str, Document]) -> list[Problem]:
    """Templates that contain themselves, directly or through others, and methods that disagree on their outputs."""
    problems = []
    for loop in _loops(templates):
        found = " -> ".join((*loop, loop[0]))
        for name in loop:
            document = documents[name]
            problems.append(document.problem(("steps",), "cycle", "templates that do not contain themselves", found))
    for task in sorted({template.method_of for template in templates.values() if template.method_of}):
        first, *others = methods_of(task, templates)
        for method in others:
            if next(iter(method.outputs)) != next(iter(first.outputs)):
                expected = f"the first output {next(iter(first.outputs))!r}, as {first.template} has"
                document = documents[method.template]
                found = repr(next(iter(method.outputs)))
                problems.append(document.problem(("outputs",), "method_outputs", expected, found))
    return problems


def _loops(templates: Templates) -> list[tuple[str, ...]]:
    """One circle of each group of templates that contain one another.

    Tasks do not count: a method may need the same task for another quantity (temperature needs emissivity, which needs
    NDVI); its conditions end that recursion, and its depth is bounded.
    """
    calls = {
        name: [step.target for step in template.steps.values() if step.kind == "template"]
        for name, template in templates.items()
    }
    try:
        TopologicalSorter(calls).prepare()
    except CycleError:
        import networkx as nx  # takes half a second to import: only where there is something to find

        graph = nx.DiGraph((name, called) for name, names in calls.items() for called in names)
        groups = [graph.subgraph(part) for part in nx.strongly_connected_components(graph)]
        found = [tuple(source for source, _ in nx.find_cycle(group)) for group in groups if group.number_of_edges()]
        return sorted(found)
    return []


def sound_templates(
    templates: Templates, tools: Tools, documents: Mapping[str, Document]
) -> tuple[dict[str, Template], list[Problem]]:
    """The templates all of whose steps can be carried out; a warning for each that something broken takes with it."""
    sound = dict(templates)
    problems: list[Problem] = []
    while True:
        unusable = {name: step for name, template in sound.items() if (step := _broken_step(template, tools, sound))}
        for name, step in unusable.items():
            kind, target = sound[name].steps[step].kind, sound[name].steps[step].target
            path = ("steps", step, kind)
            expected, found = f"a {kind} without errors", f"{target}, which has errors or is not there"
            problems.append(documents[name].problem(path, "left_out", expected, found, severity="warning"))
            del sound[name]
        if not unusable:
            return sound, problems


def _broken_step(template: Template, tools: Tools, templates: Templates) -> str | None:
    for name, step in template.steps.items():
        if step.target not in tools if step.kind == "tool" else not called_by(step, templates):
            return name
    return None
