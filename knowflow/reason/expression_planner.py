"""Plans of expressions, which need no template and no reader of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.facts import Origin
from knowflow.model.plan import Assumption, Plan
from knowflow.question.operators import Expression
from knowflow.reason.achievers import Achievers
from knowflow.reason.area import Area
from knowflow.reason.compiling.compiler import compiled, parameters_of
from knowflow.reason.inputs import DataSource

if TYPE_CHECKING:
    from knowflow.reason.compiling.by_memory import FromMemory


class ExpressionPlanner:
    """Makes plans of expressions over one catalogue. Stateless between plans."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._achievers = Achievers(catalogue.tools)
        defined = (one for one in catalogue.templates.values() if one.defines is not None)
        self._of_definitions = frozenset(name for one in defined for name in one.parameters)

    def parameters(self, expression: Expression) -> frozenset[str]:
        """Those of definitions and of templates that it applies, which may be set beside what it states."""
        return self._of_definitions | parameters_of(expression, self._catalogue.templates)

    def plan(
        self,
        expression: Expression,
        data: DataSource,
        area: Area | None = None,
        given: Mapping[str, Any] | None = None,
        memory: FromMemory | None = None,
    ) -> Plan:
        """The plan of an expression; ``given`` are parameters of what its quantities are defined by, ``memory`` are
        templates that earlier runs taught.

        Raises:
            PlanningError: no data fit a quantity, or nothing realises an operator.
        """
        plan = compiled(expression, self._catalogue, self._achievers, data, area, given, memory)
        return replace(plan, assumptions=once((*plan.assumptions, *assumed_facts(plan.inputs))))


def assumed_facts(inputs: Mapping[str, Any]) -> Iterable[Assumption]:
    """Facts of the inputs that the user stated rather than the files."""
    for name, artifact in inputs.items():
        for leaf in artifact.leaves():
            for fact_name, fact in leaf.facts.items():
                if fact.origin in (Origin.USER, Origin.ASSUMED) and fact_name not in ("grid", "bounds", "transform"):
                    yield Assumption(f"{fact_name} of {name}", fact.value, fact.origin.label, fact.source)


def once(assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
    kept: list[Assumption] = []
    for assumption in assumptions:
        if assumption not in kept:
            kept.append(assumption)
    return tuple(kept)
