"""What pydantic cannot see of a tool schema: that its conditions and effects speak of what exists."""

from __future__ import annotations

from collections.abc import Iterable

from knowflow.graph.effects import GROUPS
from knowflow.ground.errors import ConditionSyntaxError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.model.condition import Call, Compare, Expression, Name, calls, names, parse
from knowflow.model.evaluate import SPECIAL_FORMS
from knowflow.model.facts import FACT_TITLES
from knowflow.model.predicates import PREDICATES
from knowflow.model.tool import ToolSchema

ASSERTIVE = ("same_grid", "same_crs", "scaled", "projected", "georeferenced", "finite")


def tool_problems(schema: ToolSchema, document: Document) -> list[Problem]:
    """Every problem of a schema's conditions, effects, quantities and units."""
    inputs, outputs = set(schema.inputs), set(schema.outputs)
    problems: list[Problem] = []
    for index, text in enumerate(schema.preconditions):
        problems += condition_problems(document, ("preconditions", index), text, inputs)
    for index, text in enumerate(schema.effects.ensures):
        problems += condition_problems(document, ("effects", "ensures", index), text, inputs | outputs)
    for index, text in enumerate(schema.effects.sets):
        problems += _set_problems(document, ("effects", "sets", index), text, inputs, outputs)
    for output, preserved in schema.effects.preserves.items():
        path: Key = ("effects", "preserves", output)
        if output not in outputs:
            problems.append(document.problem(path, "unknown_output", _list("an output", outputs), repr(output)))
        if preserved.from_ not in inputs:
            problems.append(
                document.problem((*path, "from"), "unknown_parameter", _list("an input", inputs), repr(preserved.from_))
            )
        for fact in (*preserved.except_, *preserved.only):
            if fact not in FACT_TITLES and fact not in GROUPS:
                problems.append(document.problem(path, "unknown_fact", "a fact, or grid, or pixels", repr(fact)))
    for name, parameter in schema.parameters.items():
        problems += _quantity_problems(document, ("parameters", name, "quantity"), parameter.quantity)
        if parameter.unit is not None and not known(parameter.unit):
            problems.append(
                document.problem(("parameters", name, "unit"), "unit", "a known unit", repr(parameter.unit))
            )
        if parameter.role == "output" and parameter.type != "path":
            problems.append(document.problem(("parameters", name, "type"), "bad_value", "path", repr(parameter.type)))
    if not outputs:
        problems.append(document.problem((), "no_output", "an output parameter or a `returns`", "neither"))
    return problems


def condition_problems(document: Document, path: Key, text: str, known_names: Iterable[str]) -> list[Problem]:
    """Syntax, unknown predicates and unknown names of one condition."""
    try:
        expression = parse(text)
    except ConditionSyntaxError as error:
        return [document.problem(path, error.code, error.expected or "", error.found or text)]
    return _word_problems(document, path, expression, set(known_names))


def _word_problems(document: Document, path: Key, expression: Expression, known_names: set[str]) -> list[Problem]:
    problems = []
    for call in calls(expression):
        if call.name not in PREDICATES and call.name not in FACT_TITLES and call.name not in SPECIAL_FORMS:
            words = sorted((*PREDICATES, *SPECIAL_FORMS))
            problems.append(
                document.problem(path, "unknown_predicate", f"a fact, or one of {', '.join(words)}", repr(call.name))
            )
    for name in names(expression):
        if name not in known_names:
            problems.append(document.problem(path, "unknown_name", _list("a name", known_names), repr(name)))
    return problems


def _set_problems(document: Document, path: Key, text: str, inputs: set[str], outputs: set[str]) -> list[Problem]:
    problems = condition_problems(document, path, text, inputs | outputs)
    if problems:
        return problems
    match parse(text):
        case Compare(left=Call(name=fact, args=(Name(name=output),)), op="==") if fact in FACT_TITLES:
            subject = output
        case Call(name=name, args=(Name(name=output), *_)) if name in ASSERTIVE:
            subject = output
        case _:
            expected = f"fact(output) == value, or one of {', '.join(ASSERTIVE)}"
            return [document.problem(path, "not_an_effect", expected, text)]
    if subject not in outputs:
        return [document.problem(path, "unknown_output", _list("an output", outputs), repr(subject))]
    return []


def _quantity_problems(document: Document, path: Key, quantities: tuple[str, ...]) -> list[Problem]:
    kinds = quantity_kinds()
    families = {kind.family for kind in kinds.values()}
    problems = []
    for quantity in quantities:
        family = quantity.removeprefix("family:")
        if (family not in families) if quantity.startswith("family:") else (quantity not in kinds):
            what = "a family of quantity kinds" if quantity.startswith("family:") else "a quantity kind"
            problems.append(document.problem(path, "unknown_quantity", what, repr(quantity)))
    return problems


def _list(what: str, found: Iterable[str]) -> str:
    return f"{what}: {', '.join(sorted(found)) or 'none'}"
