"""What no template tells how to make, made from the tools alone: backward chaining over what they say of themselves.

A quantity is data of the folder, else what a tool makes whose effect says so (``quantity(output) == 'slope'``), of data
of the kinds that its parameters accept, and so on. Gaps between the steps are filled as in any plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.indices import spectral_indices
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.condition import Call, Compare, Const, Name
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption, Decision
from knowflow.model.template import Template
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.reason.applicability import NoMethodError, Reason, reason_of
from knowflow.reason.builder import Bound
from knowflow.reason.instantiate import Instantiation

_DEEPEST = 3  # tools one behind the other
_LAYER = 2
_TOLD = Assumption(
    "clouds, where there are any, count as ground", True, "planner", "no template is at hand: tools alone are combined"
)


class ByTools:
    """Makes quantities of one plan from tools alone."""

    def __init__(self, catalogue: Catalogue, work: Instantiation) -> None:
        self._tools = catalogue.tools
        self._work = work

    def __call__(self, kind: str, period: Period | None, within: tuple[str, ...] = ()) -> Bound:
        """The maps of a quantity, one for each date.

        Raises:
            NoMethodError: no data are of it, and no tool makes it of data that are at hand.
        """
        reasons: list[tuple[str, Reason]] = []
        if _TOLD not in self._work.assumptions:
            self._work.assumptions.append(_TOLD)
        try:
            return self._carried_out(
                kind, {}, {"inputs": {"it": _series(kind)}, "outputs": {"it": "$inputs.it"}}, period
            )
        except PlanningError as error:
            reasons.append(("data of it", reason_of(error)))
        makers = self._makers(kind) if len(within) < _DEEPEST else iter(())
        for tool, effect, settings in makers:
            try:
                with self._work.attempt(keep=True):
                    made = self._made(tool, settings, kind, period, (*within, kind))
            except PlanningError as error:
                reasons.append((tool.tool, reason_of(error)))
                continue
            self._work.decisions.append(Decision(f"what makes {kind}", tool.tool, f"its effect says so: {effect}"))
            return made
        raise NoMethodError(f"make {kind.replace('_', ' ')}", kind, reasons)

    def _makers(self, kind: str) -> Iterator[tuple[ToolSchema, str, dict[str, Any]]]:
        """The tools of which one effect is that quantity, the cheapest first, with the arguments that make it so."""
        for tool in sorted(self._tools.values(), key=lambda one: (one.lossy is not None, one.cost, one.tool)):
            for text, effect in tool.parsed_sets:
                match effect:
                    case Compare(left=Call(name="quantity", args=(Name(name=made),)), op="==", right=right):
                        found = None if made != tool.primary_output else _settings(tool, right, kind)
                        if found is not None and _LAYER in tool.layers and not any(_others(tool, found)):
                            yield tool, text, found

    def _made(
        self, tool: ToolSchema, settings: Mapping[str, Any], kind: str, period: Period | None, within: tuple[str, ...]
    ) -> Bound:
        given: dict[str, Bound | None] = {}
        inputs: dict[str, Any] = {}
        for name, one in tool.inputs.items():
            if not one.required or name in settings:
                continue
            inputs[name] = _series(*one.quantity)
            if one.keyed_by is not None:
                inputs[name] |= {"bands": list(spectral_indices()[kind].bands) if kind in spectral_indices() else []}
            else:
                given[name] = self._one_of(one, period, within)
        steps = {"it": {"tool": tool.tool, "for_each": {n: f"$inputs.{n}" for n in inputs}, "with": dict(settings)}}
        return self._carried_out(kind, given, {"inputs": inputs, "steps": steps, "outputs": {"it": "$it"}}, period)

    def _one_of(self, wanted: Parameter, period: Period | None, within: tuple[str, ...]) -> Bound:
        """Data of the first kind that a parameter accepts and that can be had.

        Raises:
            PlanningError: it does not say which, or none can be had.
        """
        error: PlanningError | None = None
        for kind in (one for one in wanted.quantity if one not in within and not one.startswith("family:")):
            try:
                with self._work.attempt(keep=True):
                    return self(kind, period, within)
            except PlanningError as found:
                error = error or found
        raise error or PlanningError("nothing says of which quantity it is made", expected="a quantity", found="any")

    def _carried_out(
        self, kind: str, given: Mapping[str, Bound | None], parts: Mapping[str, Any], period: Period | None
    ) -> Bound:
        template = Template.model_validate({"template": "of_tools", "title": kind, "layer": _LAYER, **parts})
        made = self._work.template(template, {}, given, path=kind, period=period).primary
        if made is None:
            raise PlanningError(f"nothing is left of {kind}", expected=kind, found="nothing")
        return made


def _others(tool: ToolSchema, settings: Mapping[str, Any]) -> Iterator[str]:
    """What a tool cannot do without besides rasters of kinds that it names."""
    for name, one in tool.inputs.items():
        if one.required and name not in settings and not (one.type == "raster" and one.quantity):
            yield name


def _series(*kinds: str) -> dict[str, Any]:
    return {"type": "raster_series", "quantity": list(kinds)}


def _settings(tool: ToolSchema, right: object, kind: str) -> dict[str, Any] | None:
    """The arguments with which what a tool sets is a quantity; None: it is another."""
    match right:
        case Const(value=value):
            return {} if value == kind else None
        case Name(name=parameter) if parameter in tool.inputs:
            indices = tool.inputs[parameter].choices_from == "spyndex"
            return {parameter: kind} if indices and kind in spectral_indices() else None
    return None
