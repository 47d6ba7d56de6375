"""What pydantic cannot see of a template: that its references, tools, tasks, layers and conditions fit together."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.schema_check import condition_problems
from knowflow.model.reference import Reference, references, step_references, steps_in_order
from knowflow.model.template import Step, Template
from knowflow.model.tool import ToolSchema

Templates = Mapping[str, Template]
Tools = Mapping[str, ToolSchema]


def template_problems(template: Template, document: Document, tools: Tools, templates: Templates) -> list[Problem]:
    """Every problem of a template, given the tools and templates that exist."""
    problems = _name_problems(template, document)
    for name, step in template.steps.items():
        path: Key = ("steps", name)
        for ref in step_references(step):
            problems += _reference_problems(template, document, path, ref, tools, templates)
        match step.kind:
            case "tool":
                problems += _tool_step_problems(template, document, path, step, tools)
            case "task":
                problems += _task_step_problems(template, document, path, step, templates)
            case "template":
                problems += _called_problems(template, document, path, step, step.target, templates)
        if step.when is not None:
            problems += condition_problems(document, (*path, "when"), step.when, _names(template))
    for name, value in template.outputs.items():
        for ref in references(value):
            problems += _reference_problems(template, document, ("outputs", name), ref, tools, templates)
    for index, text in enumerate(template.quality):
        problems += condition_problems(document, ("quality", index), text, _names(template, tools, templates))
    for index, text in enumerate(template.when):
        problems += condition_problems(document, ("when", index), text, _names(template))
    ordered = {name for name, _ in steps_in_order(template)}
    loop = [name for name in template.steps if name not in ordered]
    if loop:
        problems.append(
            document.problem(
                ("steps", loop[0]), "cycle", "steps that refer to earlier results only", f"a circle: {', '.join(loop)}"
            )
        )
    return problems + _input_problems(template, document) + _parameter_problems(template, document)


def _names(template: Template, tools: Tools | None = None, templates: Templates | None = None) -> set[str]:
    """The names a condition of a template may use."""
    found = {f"$inputs.{name}" for name in template.inputs} | {f"${name}" for name in template.parameters}
    if tools is not None:
        for name, step in template.steps.items():
            found.add(f"${name}")
            found |= {f"${name}.{output}" for output in _outputs_of(step, tools, templates or {})}
    return found


def _name_problems(template: Template, document: Document) -> list[Problem]:
    problems = []
    for name in template.steps:
        if name in template.parameters or name == "inputs":
            expected = "a name that is neither a parameter's nor 'inputs'"
            problems.append(document.problem(("steps", name), "name_taken", expected, repr(name)))
    return problems


def _outputs_of(step: Step, tools: Tools, templates: Templates) -> tuple[str, ...]:
    if step.kind == "tool":
        schema = tools.get(step.target)
        return tuple(schema.outputs) if schema is not None else ()
    called = [templates[step.target]] if step.target in templates else methods_of(step.target, templates)
    return tuple(called[0].outputs) if called else ()


def methods_of(task: str, templates: Templates) -> list[Template]:
    """The methods of a composite task, most preferred first."""
    found = [template for template in templates.values() if template.method_of == task]
    return sorted(found, key=lambda template: (-template.preference, template.template))


def _reference_problems(
    template: Template, document: Document, path: Key, ref: Reference, tools: Tools, templates: Templates
) -> list[Problem]:
    if ref.head == "inputs":
        if ref.tail in template.inputs:
            return []
        return [_dangling(document, path, ref, [f"$inputs.{name}" for name in template.inputs])]
    if ref.head in template.parameters:
        return [] if not ref.tail else [_dangling(document, path, ref, [f"${ref.head}"])]
    step = template.steps.get(ref.head)
    if step is None:
        known_names = [*(f"${name}" for name in (*template.parameters, *template.steps)), *_input_names(template)]
        return [_dangling(document, path, ref, known_names)]
    outputs = _outputs_of(step, tools, templates)
    if ref.tail and outputs and ref.tail not in outputs:
        return [_dangling(document, path, ref, [f"${ref.head}.{name}" for name in outputs])]
    return []


def _input_names(template: Template) -> list[str]:
    return [f"$inputs.{name}" for name in template.inputs]


def _dangling(document: Document, path: Key, ref: Reference, candidates: Iterable[str]) -> Problem:
    options = list(candidates)
    close = difflib.get_close_matches(str(ref), options, n=1)
    hint = f"did you mean {close[0]}?" if close else ""
    expected = f"one of {', '.join(options)}" if options else "a reference to something that exists"
    return document.problem(path, "dangling_reference", expected, str(ref), hint)


def _tool_step_problems(template: Template, document: Document, path: Key, step: Step, tools: Tools) -> list[Problem]:
    schema = tools.get(step.target)
    if schema is None:
        close = difflib.get_close_matches(step.target, tools, n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "see `knowflow tools list`"
        return [document.problem((*path, "tool"), "unknown_tool", "a tool that exists", repr(step.target), hint)]
    problems = []
    if template.layer not in schema.layers:
        layers = ", ".join(map(str, schema.layers))
        problems.append(
            document.problem((*path, "tool"), "layer", f"a tool of layer {template.layer}", f"{schema.tool} ({layers})")
        )
    given = {**dict.fromkeys(step.with_, "with"), **dict.fromkeys(step.for_each, "for_each")}
    for name, block in given.items():
        if name not in schema.inputs:
            close = difflib.get_close_matches(name, schema.inputs, n=1)
            hint = f"did you mean {close[0]!r}?" if close else ""
            expected = f"one of {', '.join(schema.inputs)}"
            problems.append(document.problem((*path, block, name), "unknown_argument", expected, repr(name), hint))
    for name, parameter in schema.inputs.items():
        if parameter.required and name not in given:
            problems.append(
                document.problem(path, "missing_argument", f"{name} ({parameter.artifact_type})", "nothing")
            )
    return problems


def _task_step_problems(
    template: Template, document: Document, path: Key, step: Step, templates: Templates
) -> list[Problem]:
    methods = methods_of(step.target, templates)
    if not methods:
        tasks = sorted({found.method_of for found in templates.values() if found.method_of})
        close = difflib.get_close_matches(step.target, tasks, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"tasks with methods: {', '.join(tasks)}"
        return [document.problem((*path, "task"), "unknown_task", "a task with methods", repr(step.target), hint)]
    problems = []
    if all(method.layer > template.layer for method in methods):
        problems.append(
            document.problem(
                (*path, "task"),
                "layer_decreases",
                f"a task of layer {template.layer} or below",
                f"{step.target} (layer {methods[0].layer})",
            )
        )
    taken = {name for method in methods for name in (*method.parameters, *method.inputs)}
    for name in (*step.with_, *step.for_each):
        if name not in taken:
            expected = f"one of {', '.join(sorted(taken))}"
            problems.append(document.problem((*path, "with", name), "unknown_argument", expected, repr(name)))
    return problems


def _called_problems(
    template: Template, document: Document, path: Key, step: Step, target: str, templates: Templates
) -> list[Problem]:
    called = templates.get(target)
    if called is None:
        close = difflib.get_close_matches(target, templates, n=2)
        hint = f"did you mean {' or '.join(close)}?" if close else "see `knowflow templates list`"
        return [document.problem((*path, "template"), "unknown_template", "a template that exists", repr(target), hint)]
    problems = []
    if called.layer > template.layer:
        found = f"{called.template} (layer {called.layer})"
        problems.append(
            document.problem((*path, "template"), "layer_decreases", f"layer {template.layer} or below", found)
        )
    taken = {*called.parameters, *called.inputs}
    for name in (*step.with_, *step.for_each):
        if name not in taken:
            expected = f"one of {', '.join(sorted(taken))}"
            problems.append(document.problem((*path, "with", name), "unknown_argument", expected, repr(name)))
    return problems


def composition_problems(templates: Templates, documents: Mapping[str, Document]) -> list[Problem]:
    """Templates that contain themselves, directly or through others, and methods that disagree on their outputs."""
    import networkx as nx

    graph = nx.DiGraph()
    for template in templates.values():
        for step in template.steps.values():
            called = [step.target] if step.kind == "template" else []
            if step.kind == "task":
                called = [method.template for method in methods_of(step.target, templates)]
            graph.add_edges_from((template.template, name) for name in called)
    problems = []
    for loop in nx.simple_cycles(graph):
        document = documents.get(loop[0])
        if document is not None:
            found = " -> ".join((*loop, loop[0]))
            problems.append(document.problem(("steps",), "cycle", "templates that do not contain themselves", found))
    for task in sorted({template.method_of for template in templates.values() if template.method_of}):
        methods = methods_of(task, templates)
        for method in methods[1:]:
            if next(iter(method.outputs)) != next(iter(methods[0].outputs)) and method.template in documents:
                problems.append(
                    documents[method.template].problem(
                        ("outputs",),
                        "method_outputs",
                        f"the first output {next(iter(methods[0].outputs))!r}, as {methods[0].template} has",
                        repr(next(iter(method.outputs))),
                    )
                )
    return problems


def _input_problems(template: Template, document: Document) -> list[Problem]:
    kinds = quantity_kinds()
    families = {kind.family for kind in kinds.values()}
    problems = []
    for name, declared in template.inputs.items():
        for index, quantity in enumerate(declared.quantity):
            path: Key = ("inputs", name, "quantity", index)
            if quantity.startswith("$"):
                if quantity[1:] not in template.parameters:
                    problems.append(document.problem(path, "dangling_reference", "a parameter", quantity))
            elif quantity.startswith("family:"):
                if quantity.removeprefix("family:") not in families:
                    expected = f"a family: {', '.join(sorted(families))}"
                    problems.append(document.problem(path, "unknown_quantity", expected, quantity))
            elif quantity not in kinds:
                close = difflib.get_close_matches(quantity, kinds, n=2)
                hint = f"did you mean {' or '.join(close)}?" if close else ""
                problems.append(document.problem(path, "unknown_quantity", "a quantity kind", repr(quantity), hint))
        for index, text in enumerate(declared.where):
            problems += condition_problems(document, ("inputs", name, "where", index), text, {"it", *_names(template)})
    return problems


def _parameter_problems(template: Template, document: Document) -> list[Problem]:
    problems = []
    for name, parameter in template.parameters.items():
        path: Key = ("parameters", name)
        unit = parameter.unit
        if unit is not None and unit.startswith("of("):
            target = unit.removeprefix("of(").rstrip(")")
            if target not in template.parameters or template.parameters[target].type != "quantity":
                problems.append(document.problem((*path, "unit"), "dangling_reference", "of(QUANTITY PARAMETER)", unit))
        elif unit is not None and not known(unit):
            problems.append(document.problem((*path, "unit"), "unit", "a known unit", repr(unit)))
        if parameter.choices and parameter.default is not None and parameter.default not in parameter.choices:
            expected = f"one of {', '.join(map(str, parameter.choices))}"
            problems.append(document.problem((*path, "default"), "bad_value", expected, repr(parameter.default)))
    for test in template.tests:
        for name in test.parameters:
            if name not in template.parameters:
                expected = f"one of {', '.join(template.parameters)}"
                problems.append(
                    document.problem(("tests",), "unknown_argument", expected, f"{name!r} in {test.name!r}")
                )
        for name in test.expect:
            if name not in template.outputs:
                expected = f"one of {', '.join(template.outputs)}"
                problems.append(document.problem(("tests",), "unknown_output", expected, f"{name!r} in {test.name!r}"))
    return problems
