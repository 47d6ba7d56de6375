"""What pydantic cannot see of a template: that its references, tools, tasks, layers and conditions fit together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from knowflow.graph.arguments import value_problems
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.composition import Templates, Tools, called_by, layer_span, methods_of
from knowflow.knowledge.schema_check import condition_problems
from knowflow.knowledge.step_quantities import misplaced
from knowflow.model.reference import OF_A_LIST, Reference, references, step_references, steps_in_order
from knowflow.model.template import Step, Template


def template_problems(template: Template, document: Document, tools: Tools, templates: Templates) -> list[Problem]:
    """Every problem of a template, given the tools and templates that exist."""
    problems = _name_problems(template, document)
    for name, step in template.steps.items():
        path: Key = ("steps", name)
        problems += _layer_problems(template, document, path, step, templates)
        for ref in step_references(step):
            problems += _reference_problems(template, document, path, ref, tools, templates)
        match step.kind:
            case "tool":
                problems += _tool_step_problems(template, document, path, step, tools)
            case "task":
                problems += _task_step_problems(template, document, path, step, templates)
            case "template":
                problems += _called_problems(template, document, path, step, templates)
        if step.when is not None:
            problems += condition_problems(document, (*path, "when"), step.when, _names(template, tools, templates))
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
    called = called_by(step, templates)
    return tuple(called[0].outputs) if called else ()


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
    if ref.tail and outputs and ref.tail not in (*outputs, *OF_A_LIST):
        return [_dangling(document, path, ref, [f"${ref.head}.{name}" for name in outputs])]
    return []


def _input_names(template: Template) -> list[str]:
    return [f"$inputs.{name}" for name in template.inputs]


def _dangling(document: Document, path: Key, ref: Reference, candidates: Iterable[str]) -> Problem:
    options = list(candidates)
    hint = did_you_mean(str(ref), options, most=1)
    expected = f"one of {', '.join(options)}" if options else "a reference to something that exists"
    return document.problem(path, "dangling_reference", expected, str(ref), hint)


def _layer_problems(
    template: Template, document: Document, path: Key, step: Step, templates: Templates
) -> list[Problem]:
    """Results that flow from a step of a higher layer into one of a lower layer, whichever methods are chosen."""
    highest = layer_span(template, step, templates)[1]
    problems = []
    for ref in step_references(step):
        source = template.steps.get(ref.head)
        if source is not None and layer_span(template, source, templates)[0] > highest:
            expected = f"results of layer {highest} or below, as {step.target} has"
            problems.append(document.problem(path, "layer_decreases", expected, f"{ref}, of {source.target}"))
    return problems


def _tool_step_problems(template: Template, document: Document, path: Key, step: Step, tools: Tools) -> list[Problem]:
    schema = tools.get(step.target)
    if schema is None:
        hint = did_you_mean(step.target, tools, "see `knowflow tools list`")
        return [document.problem((*path, "tool"), "unknown_tool", "a tool that exists", repr(step.target), hint)]
    problems = []
    if template.layer not in schema.layers:
        layers = ", ".join(map(str, schema.layers))
        problems.append(
            document.problem((*path, "tool"), "layer", f"a tool of layer {template.layer}", f"{schema.tool} ({layers})")
        )
    problems += misplaced(template, document, path, step, tools)
    required = {name: p.artifact_type for name, p in schema.inputs.items() if p.required}
    problems += _argument_problems(document, path, step, schema.inputs, required)
    for name, value in step.with_.items():
        if name in schema.inputs:
            for literal in _literals(template, value):
                for found in value_problems(literal, schema.inputs[name], name):
                    place = (*path, "with", name)
                    problems.append(document.problem(place, found.code, found.expected, found.found, found.hint))
    return problems


def _literals(template: Template, value: Any) -> tuple[Any, ...]:
    """What an argument can be, as far as the template says: itself, or every choice that a parameter offers."""
    refs = list(references(value))
    if not refs:
        return () if value is None else (value,)
    parameter = template.parameters.get(refs[0].head)
    return () if parameter is None or value != str(refs[0]) else parameter.choices


def _argument_problems(
    document: Document, path: Key, step: Step, taken: Collection[str], required: Mapping[str, str]
) -> list[Problem]:
    """Arguments that what a step calls does not take, and those it needs and is not given."""
    problems = []
    given = {**dict.fromkeys(step.with_, "with"), **dict.fromkeys(step.for_each, "for_each")}
    for name, block in given.items():
        if name not in taken:
            hint = did_you_mean(name, taken, most=1)
            expected = f"one of {', '.join(taken)}" if taken else "no arguments"
            problems.append(document.problem((*path, block, name), "unknown_argument", expected, repr(name), hint))
    for name, kind in required.items():
        if name not in given:
            problems.append(document.problem(path, "missing_argument", f"{name} ({kind})", "nothing"))
    return problems


def _required_by_all(called: list[Template]) -> dict[str, str]:
    """The parameters without a default that each of the templates has, with their types."""
    open_ones = [
        {n: str(p.type) for n, p in each.parameters.items() if p.default is None and not p.optional} for each in called
    ]
    return {name: kind for name, kind in open_ones[0].items() if all(name in others for others in open_ones)}


def _task_step_problems(
    template: Template, document: Document, path: Key, step: Step, templates: Templates
) -> list[Problem]:
    methods = methods_of(step.target, templates)
    if not methods:
        tasks = sorted({found.method_of for found in templates.values() if found.method_of})
        hint = did_you_mean(step.target, tasks, f"tasks with methods: {', '.join(tasks)}", most=1)
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
    taken = {name for method in methods for name in (*method.parameters, *method.inputs)} | {"method"}
    return problems + _argument_problems(document, path, step, sorted(taken), _required_by_all(methods))


def _called_problems(
    template: Template, document: Document, path: Key, step: Step, templates: Templates
) -> list[Problem]:
    called = templates.get(step.target)
    if called is None:
        hint = did_you_mean(step.target, templates, "see `knowflow templates list`")
        return [
            document.problem((*path, "template"), "unknown_template", "a template that exists", repr(step.target), hint)
        ]
    problems = []
    if called.layer > template.layer:
        found = f"{called.template} (layer {called.layer})"
        problems.append(
            document.problem((*path, "template"), "layer_decreases", f"layer {template.layer} or below", found)
        )
    taken = sorted({*called.parameters, *called.inputs})
    return problems + _argument_problems(document, path, step, taken, _required_by_all([called]))


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
                hint = did_you_mean(quantity, kinds)
                problems.append(document.problem(path, "unknown_quantity", "a quantity kind", repr(quantity), hint))
        for index, text in enumerate(declared.where):
            named = {"it", *(f"${parameter}" for parameter in template.parameters)}
            problems += condition_problems(document, ("inputs", name, "where", index), text, named)
        for index, band in enumerate(declared.bands):
            if band.startswith("$") and band[1:] not in template.parameters:
                path = ("inputs", name, "bands", index)
                problems.append(document.problem(path, "dangling_reference", "a parameter", band))
    return problems


def _parameter_problems(template: Template, document: Document) -> list[Problem]:
    problems = []
    for name, parameter in template.parameters.items():
        path: Key = ("parameters", name)
        unit = parameter.unit
        if unit is not None and unit.startswith(("of(", "change_of(")):
            target = unit.partition("(")[2].rstrip(")")
            if target not in template.parameters or template.parameters[target].type != "quantity":
                problems.append(document.problem((*path, "unit"), "dangling_reference", "of(QUANTITY PARAMETER)", unit))
        elif unit is not None and not known(unit):
            problems.append(document.problem((*path, "unit"), "unit", "a known unit", repr(unit)))
        for key, value in (("default", parameter.default), *(("usual", one) for one in parameter.usual)):
            if parameter.choices and value is not None and value not in parameter.choices:
                expected = f"one of {', '.join(map(str, parameter.choices))}"
                problems.append(document.problem((*path, key), "bad_value", expected, repr(value)))
    for test in template.tests:
        for name in test.parameters:
            if name not in template.parameters:
                expected = f"one of {', '.join(template.parameters)}"
                problems.append(
                    document.problem(("tests",), "unknown_argument", expected, f"{name!r} in {test.name!r}")
                )
        for name in test.expect:
            by_question = template.defines is not None or (template.method_of is not None and test.query is not None)
            outputs = ("answer", "map") if by_question else tuple(template.outputs)
            if name not in outputs:
                expected = f"one of {', '.join(outputs)}"
                problems.append(document.problem(("tests",), "unknown_output", expected, f"{name!r} in {test.name!r}"))
    return problems
