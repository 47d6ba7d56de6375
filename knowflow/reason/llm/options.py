"""What a composition may be made of, place by place: closed lists, made by symbols.

An option is a template of the synthesis layer, a tool, a product (a task for a quantity) or data at hand. It is on the
list of a place if it gives what the place takes, and if what it needs itself can be had: of templates and products only
those that are made of these data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.template import Template
from knowflow.model.tool import Parameter, ToolSchema
from knowflow.model.workflow import FromInput, FromNode
from knowflow.reason.llm.candidates import Words, accepted_quantities
from knowflow.reason.llm.case import Case
from knowflow.reason.llm.failure_context import tool_summary

Kind = Literal["template", "tool", "product", "data"]
# tools that prepare data are inserted by the planner where a condition needs them
_LEFT_TO_THE_PLANNER = frozenset({"preprocessing", "io", "gdal"})
_MOST_TOOLS = 90
_MOST_QUANTITIES = 24
_CONSTANT = re.compile(r"'([a-z][a-z0-9_]*)'")
_SET_QUANTITY = re.compile(r"quantity\(\w+\) == '(\w+)'")
SYNTHESIS = 3


@dataclass(frozen=True, slots=True)
class Need:
    """What a place takes: types of artifacts, and quantity kinds (none: any). Without a type it is the answer."""

    types: tuple[str, ...] = ()
    quantities: frozenset[str] = frozenset()
    place: str = "the answer"

    @property
    def of_pixels(self) -> bool:
        """It takes data, not numbers made of them."""
        return bool({"raster", "raster_series", "band_set", "vector"} & set(self.types))


@dataclass(frozen=True, slots=True)
class Option:
    """Something that can stand in a place: ``gives`` is its artifact type, ``step`` how a template calls it."""

    id: str
    kind: Kind
    title: str
    gives: str
    step: Mapping[str, Any]
    schema: ToolSchema | None = None

    @property
    def layer(self) -> int:
        """3: synthesis, 2: products, 1: data."""
        return {"product": 2, "data": 1}.get(self.kind, SYNTHESIS)

    def told(self) -> dict[str, Any]:
        """The option as a language model is told of it."""
        if self.schema is None:
            return {"choice": self.id, "title": self.title, "gives": self.gives}
        summary = tool_summary(self.schema)
        return {"choice": self.id, **{name: summary[name] for name in ("title", "takes", "makes")}}


def needs_of(schema: ToolSchema) -> dict[str, Need]:
    """The places of a tool that something must stand in, by parameter."""
    return {
        name: Need((one.artifact_type,), accepted_quantities(one), f"{schema.tool}.{name}")
        for name, one in schema.inputs.items()
        if one.is_artifact and one.required
    }


def values_of(schema: ToolSchema) -> dict[str, Parameter]:
    """The parameters of a tool that take plain values."""
    return {name: one for name, one in schema.inputs.items() if not one.is_artifact and one.type != "path"}


class Options:
    """The options of one question over its data."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def of(self, need: Need, depth: int) -> tuple[Option, ...]:
        """What can stand in a place; ``depth`` is how many tools may still follow one another there."""
        tools = tuple(self._tools_for(need)) if depth > 0 else ()
        beside = (*self._products, *self._data) if need.of_pixels else ()
        fitting = (one for one in beside if _fits(need, one.gives, str(one.step.get("quantity", ""))))
        whole = (one for one in self._templates if not need.types or _fits(need, one.gives, ""))
        return (*fitting, *whole, *tools)

    def _tools_for(self, need: Need) -> Iterator[Option]:
        fitting = [one for one in self._tools.values() if not need.types or _serves(need, one)]
        ranked = Words(self._tools).nearest(self._case.goal.text, fitting)
        near = list(dict.fromkeys(one.tool for one in ranked))
        rest = [one.tool for one in sorted(fitting, key=lambda one: (one.cost, one.tool)) if one.tool not in near]
        for name in (*near, *rest)[:_MOST_TOOLS]:
            schema = self._tools[name]
            gives = schema.outputs[schema.primary_output]
            yield Option(f"tool {name}", "tool", schema.title, gives, {"tool": name}, schema)

    @cached_property
    def _tools(self) -> dict[str, ToolSchema]:
        """The tools of the synthesis layer all of whose places can be filled, starting from the data."""
        offered = (self._case.catalogue.tools[name] for name in self._case.offered)
        usable = [one for one in offered if _is_usable(one)]
        types = {one.gives for one in (*self._products, *self._data)}
        quantities = {str(one.step.get("quantity")) for one in (*self._products, *self._data)}
        found: dict[str, ToolSchema] = {}
        while True:
            more = {one.tool: one for one in usable if one.tool not in found and _reachable(one, types, quantities)}
            if not more:
                return found
            found |= more
            for one in more.values():
                types |= set(one.outputs.values())
                quantities |= set(_SET_QUANTITY.findall(" ".join(one.effects.sets)))

    @cached_property
    def _products(self) -> tuple[Option, ...]:
        """Products of layer 2 that can be made of the data: found by making them."""
        return tuple(
            Option(
                f"product {task} {quantity}",
                "product",
                f"{task.replace('_', ' ')}: {quantity_kinds()[quantity].title}",
                "raster_series",
                {"task": task, "quantity": quantity},
            )
            for task in self._tasks
            for quantity in self._quantities
            if self._made({"task": task, "with": {"quantity": quantity}})
        )

    @cached_property
    def _templates(self) -> tuple[Option, ...]:
        """Templates of the synthesis layer that need no more than a quantity and can be made of the data."""
        said = self._case.goal.slots.get("quantity")
        held = (str(item.fact("quantity")) for item in self._case.inventory.rasters)
        quantities = [str(said.value)] if said is not None and said.words else list(dict.fromkeys(held))
        found = []
        for name, template in sorted(self._case.catalogue.templates.items()):
            required = {p for p, one in template.parameters.items() if one.default is None and not one.optional}
            if template.layer != SYNTHESIS or template.method_of or not template.answers or required - {"quantity"}:
                continue
            for quantity in quantities if required else [""]:
                given = {"quantity": quantity} if quantity else {}
                gives = self._made({"template": name, **({"with": given} if given else {})})
                if gives:
                    title = f"{template.title}{f': {quantity}' if quantity else ''}"
                    step = {"template": name, **given}
                    found.append(Option(f"template {name} {quantity}".strip(), "template", title, gives, step))
        return tuple(found)

    def _made(self, step: Mapping[str, Any]) -> str:
        """The type of what a step alone makes of the data; empty: it cannot be made."""
        alone = {
            "template": "trial",
            "title": "trial",
            "layer": SYNTHESIS,
            "steps": {"trial": dict(step)},
            "outputs": {"answer": "$trial"},
        }
        try:
            plan = self._case.made_from(Template.model_validate(alone), self._case.goal)
            check = self._case.checked(plan)
        except KnowFlowError:
            return ""
        match plan.outputs["answer"]:
            case FromNode(node=node, output=output):
                outputs = check.nodes[node].outputs
                return outputs[output or next(iter(outputs))].type
            case FromInput(name=name):
                return plan.inputs[name].type
        return "raster_series"

    @cached_property
    def _tasks(self) -> tuple[str, ...]:
        """Composite tasks that make rasters of a quantity."""
        methods: dict[str, list[Template]] = {}
        for template in self._case.catalogue.templates.values():
            if template.method_of is not None and template.layer < SYNTHESIS:
                methods.setdefault(template.method_of, []).append(template)
        return tuple(sorted(task for task, found in methods.items() if all("quantity" in m.parameters for m in found)))

    @cached_property
    def _quantities(self) -> tuple[str, ...]:
        """Kinds that may be meant: those that the question names, that the data hold, that methods make, and usual."""
        goal, kinds = self._case.goal, quantity_kinds()
        said = [goal.value("quantity"), *(goal.value("quantities") or ()), *(goal.value("sources") or ())]
        held = [str(item.fact("quantity")) for item in self._case.inventory.rasters]
        made = [
            name
            for template in self._case.catalogue.templates.values()
            if template.method_of is not None
            for text in (*template.when, *template.about)
            for name in (_CONSTANT.findall(text) or [text])
        ]
        usual = [
            str(meaning.entry.quantity)
            for meanings in lexicon().phrases.values()
            for meaning in meanings
            if meaning.category == "feature"
        ]
        return tuple(one for one in dict.fromkeys((*said, *held, *made, *usual)) if one in kinds)[:_MOST_QUANTITIES]

    @cached_property
    def _data(self) -> tuple[Option, ...]:
        """Data at hand as they are, by what they hold."""
        found: dict[str, Option] = {}
        for group in self._case.inventory.groups:
            kind = "raster_series" if group.type == "raster" else group.type
            name = group.quantity or group.type
            if group.type == "raster" and group.quantity is None:
                continue  # nobody knows what these mean
            step = {"input": kind, **({"quantity": group.quantity} if group.quantity else {})}
            title = f"{len(group.layers)} {'layer' if len(group.layers) == 1 else 'layers'} of the data, as they are"
            found.setdefault(name, Option(f"data {name}", "data", title, kind, step))
        return tuple(found.values())


def _is_usable(schema: ToolSchema) -> bool:
    if schema.kit in _LEFT_TO_THE_PLANNER or SYNTHESIS not in schema.layers or not schema.outputs:
        return False
    return not any(one.type == "path" or one.keyed_by == "band" for one in schema.inputs.values()) and bool(
        needs_of(schema)
    )


def _reachable(schema: ToolSchema, types: Iterable[str], quantities: Iterable[str]) -> bool:
    have, kinds = set(types), set(quantities)
    return all(
        any(_carries(have_type, wanted) for have_type in have for wanted in need.types)
        and (not need.quantities or bool(need.quantities & kinds))
        for need in needs_of(schema).values()
    )


def _serves(need: Need, schema: ToolSchema) -> bool:
    """Whether a tool gives what a place takes."""
    gives = schema.outputs[schema.primary_output]
    made = frozenset(_SET_QUANTITY.findall(" ".join(schema.effects.sets)))
    fits = not need.quantities or not made or bool(need.quantities & made)
    return any(_carries(gives, wanted) for wanted in need.types) and fits


def _fits(need: Need, gives: str, quantity: str) -> bool:
    return any(_carries(gives, wanted) for wanted in need.types) and (
        not need.quantities or quantity in need.quantities
    )


def _carries(gives: str, wanted: str) -> bool:
    """Whether an artifact of one type can stand where another is taken: one by one, or as the only one of many."""
    return gives == wanted or (gives, wanted) in {
        ("raster_series", "raster"),
        ("raster", "raster_series"),
        ("scalar", "list"),
        ("list", "scalar"),
    }
