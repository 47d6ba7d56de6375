"""What pydantic cannot see of a tool schema: that its conditions and effects speak of what exists."""

from __future__ import annotations

from collections.abc import Iterable

from knowflow.graph.arguments import value_problems
from knowflow.graph.effects import GROUPS, inherited_facts
from knowflow.ground.errors import ConditionSyntaxError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import known
from knowflow.ground.yamldoc import Document, Key
from knowflow.model.condition import Call, Compare, Const, Expression, Name, names, parse, walk
from knowflow.model.facts import FACT_TITLES, GRID_FACTS
from knowflow.model.grammar import faults
from knowflow.model.tool import ToolSchema

ON_THE_GROUND = ("true_lengths", "in_metres", "grid_north", "unrotated", "square_pixels")
ASSERTIVE = ("same_grid", "same_crs", "scaled", "projected", "georeferenced", *ON_THE_GROUND)


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
        for found in (one for value in parameter.usual for one in value_problems(value, parameter, name)):
            problems.append(document.problem(("parameters", name, "usual"), found.code, found.expected, found.found))
        if parameter.index_of is not None and parameter.index_of not in inputs:
            expected = _list("an input", inputs)
            problems.append(
                document.problem(("parameters", name, "index_of"), "unknown_name", expected, repr(parameter.index_of))
            )
        if parameter.role == "output" and parameter.type != "path":
            problems.append(document.problem(("parameters", name, "type"), "bad_value", "path", repr(parameter.type)))
    problems += _stale_grids(schema, document)
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
    problems = [document.problem(path, fault.code, fault.expected, fault.found) for fault in faults(expression)]
    for part in walk(expression):
        if isinstance(part, Compare):
            problems += _literal_problems(document, path, part)
    for name in names(expression):
        if name not in known_names:
            hint = did_you_mean(name, known_names, most=1)
            problems.append(document.problem(path, "unknown_name", _list("a name", known_names), repr(name), hint))
    return problems


def _literal_problems(document: Document, path: Key, comparison: Compare) -> list[Problem]:
    """Quantities and units that a condition spells out and that do not exist."""
    match comparison:
        case Compare(left=Call(name="quantity"), right=Const(value=value)):
            words = value if isinstance(value, tuple) else (value,)
            return _quantity_problems(document, path, tuple(map(str, words)))
        case Compare(left=Call(name="unit"), right=Const(value=value)):
            words = value if isinstance(value, tuple) else (value,)
            return [
                document.problem(path, "unit", "a known unit", repr(unit)) for unit in words if not known(str(unit))
            ]
    return []


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


def _stale_grids(schema: ToolSchema, document: Document) -> list[Problem]:
    """Outputs that get another CRS, shape or resolution and yet claim to be on the grid of an input."""
    problems = []
    for index, text in enumerate(schema.effects.sets):
        match _parsed(text):
            case Compare(left=Call(name=fact, args=(Name(name=output),))) if fact in GRID_FACTS and fact != "grid":
                preserved = schema.effects.preserves.get(output)
                if preserved is not None and "grid" in inherited_facts(preserved):
                    expected = f"`preserves` of {output} without grid, for its {fact} changes"
                    path: Key = ("effects", "sets", index)
                    problems.append(document.problem(path, "stale_grid", expected, text, "add grid to its `except`"))
    return problems


def _parsed(text: str) -> Expression | None:
    try:
        return parse(text)
    except ConditionSyntaxError:
        return None


def _quantity_problems(document: Document, path: Key, quantities: tuple[str, ...]) -> list[Problem]:
    kinds = quantity_kinds()
    families = {kind.family for kind in kinds.values()}
    problems = []
    for quantity in quantities:
        family = quantity.removeprefix("family:")
        if (family not in families) if quantity.startswith("family:") else (quantity not in kinds):
            what = "a family of quantity kinds" if quantity.startswith("family:") else "a quantity kind"
            hint = did_you_mean(family, families if quantity.startswith("family:") else kinds)
            problems.append(document.problem(path, "unknown_quantity", what, repr(quantity), hint))
    return problems


def _list(what: str, found: Iterable[str]) -> str:
    return f"{what}: {', '.join(sorted(found)) or 'none'}"
