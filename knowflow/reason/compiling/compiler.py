"""The compiler: an expression over the data at hand as a plan, every operator of it realised or the plan refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from knowflow.graph.leave_out import quality_of
from knowflow.graph.orphans import upstream
from knowflow.ground.errors import PlanningError
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.plan import Plan
from knowflow.model.template import Template
from knowflow.model.workflow import FromNode, Workflow, references
from knowflow.question.check import check
from knowflow.question.form import to_data
from knowflow.question.literals import literals
from knowflow.question.normal import normal
from knowflow.question.operators import (
    Apply,
    Expression,
    Several,
    Show,
    walk,
)
from knowflow.question.words import in_words
from knowflow.reason.achievers import Achievers
from knowflow.reason.area import Area
from knowflow.reason.builder import Builder
from knowflow.reason.compiling.by_tools import ByTools
from knowflow.reason.compiling.compilation import Compilation
from knowflow.reason.compiling.data import TASK, Data
from knowflow.reason.compiling.made import Nodes
from knowflow.reason.compiling.procedures import Called, carried_out
from knowflow.reason.compiling.undated import with_undated
from knowflow.reason.definitions import Meaning, meaning
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.inventory.called import names_of_kinds

if TYPE_CHECKING:
    from knowflow.reason.compiling.by_memory import FromMemory


def compiled(
    expression: Expression,
    catalogue: Catalogue,
    achievers: Achievers,
    data: DataSource,
    area: Area | None = None,
    given: Mapping[str, Any] | None = None,
    memory: FromMemory | None = None,
) -> Plan:
    """The plan of an expression over a folder of data; ``given`` are parameters of what its quantities are defined by,
    ``memory`` holds templates that earlier runs taught.

    Raises:
        PlanningError: a part does not fit, no data fit a quantity, or nothing realises an operator; it is named.
    """
    asked = normal(expression)
    misfits = check(asked).misfits
    if misfits:
        raise PlanningError("the question does not fit together", found="; ".join(map(str, misfits)))
    builder = Builder(catalogue.tools, achievers)
    work = Instantiation(catalogue, data, builder, area, None if memory is None else memory.methods)
    nodes = Nodes(builder)
    by_tools = None if catalogue.methods(TASK) else ByTools(catalogue, work)
    read = Data(work, builder, nodes, by_tools)
    of_procedures = parameters_of(asked, catalogue.templates)
    own = {name: value for name, value in (given or {}).items() if name in of_procedures}
    rest = {name: value for name, value in (given or {}).items() if name not in own}
    asked, standing = with_undated(asked, read.dates, read.year)
    meant = meaning(asked, catalogue.templates.values(), read.dates, rest)
    procedures = partial(_procedure, templates=catalogue.templates, work=work, data=data, given=own)
    compilation = Compilation(check(meant.expression).types, work, nodes, read, catalogue.tools, procedures, memory)
    outputs = compilation.outputs(meant.expression)
    compilation.require_all(meant.expression)
    only_dates = _only_dates(meant, compilation.only_dates)
    called = names_of_kinds(leaf for one in builder.inputs.values() for leaf in one.leaves())
    words = in_words(expression, only_dates, called)
    named = expression.named if isinstance(expression, Several) else ()
    parts = {name: in_words(one, only_dates, called) for name, one in named}
    stated = {name: one.text for name, one in literals(expression).items()}
    wanted = (ref.node for value in outputs.values() for ref in references(value) if isinstance(ref, FromNode))
    kept = upstream(builder.workflow, wanted)
    gone = {node.id for node in builder.workflow.nodes} - kept
    return Plan(
        query=words,
        template=next((e.tool for e in _asked_alone(asked) if e.tool in catalogue.templates), ""),
        title=words[:1].upper() + words[1:],
        workflow=Workflow(tuple(node for node in builder.workflow.nodes if node.id in kept)),
        inputs=builder.inputs,
        parameters=compilation.parameters,
        outputs=outputs,
        answer=next(iter(outputs)),
        quality=quality_of(work.quality, gone),
        assumptions=tuple(dict.fromkeys((*meant.assumptions, *standing, *work.assumptions))),
        decisions=(*meant.decisions, *work.decisions),
        understood={"question": {"value": to_data(expression), "words": words}, "stated": {"value": stated}}
        | ({"written_out": {"value": to_data(meant.expression)}} if meant.expression != asked else {})
        | ({"parts": {"value": parts}} if parts else {})
        | ({"called": {"value": dict(called)}} if called else {}),
    )


def _asked_alone(e: Expression) -> Iterator[Apply]:
    """What is applied, where a question asks for nothing else."""
    if isinstance(e, Show):
        yield from _asked_alone(e.x)
    elif isinstance(e, Apply):
        yield e


def parameters_of(e: Expression, templates: Mapping[str, Template]) -> frozenset[str]:
    """The parameters of the templates that an expression applies, which may be set beside what it states."""
    applied = (templates.get(part.tool) for _, part in walk(e) if isinstance(part, Apply))
    return frozenset(name for one in applied if one is not None for name in one.parameters)


def _procedure(
    e: Expression, templates: Mapping[str, Template], work: Instantiation, data: DataSource, given: Mapping[str, Any]
) -> Called | None:
    """What a template gives that is applied; None where none is."""
    if not isinstance(e, Apply) or e.tool not in templates:
        return None
    return carried_out(e, templates[e.tool], work, data, given)


def _only_dates(meant: Meaning, found: Mapping[Expression, date | None]) -> dict[Expression, date | None]:
    """Of what is asked, the statistics over dates of which there is one, or none is left."""
    asked = {one: found.get(other) if other else None for one, other in meant.parts.items() if other in (None, *found)}
    return {**found, **asked}
