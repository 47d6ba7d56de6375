"""Templates as they are drafted from a run: steps written down, each once, with a mark where guards will stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from knowflow.memory.case import Case
from knowflow.model.literal import plain, same
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import Given, Node
from knowflow.question.operators import Quantity
from knowflow.reason.repair.proposals import carrier_of

Tools = Mapping[str, ToolSchema]
GUARD = "$guard"
"""What stands in a draft for the facts that a guarded step needs."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A template without its guards.

    ``inputs`` are their types by name, ``parameters`` the units of stated numbers. ``cases`` tell what the maps of each
    input were like. ``prepares`` is the quantity whose data were changed before anything was made of them, if that is
    all that was done.
    """

    computes: str
    operator: str
    inputs: Mapping[str, str]
    parameters: Mapping[str, str]
    steps: Mapping[str, Mapping[str, Any]]
    answer: str
    deeds: str
    cases: tuple[Case, ...]
    prepares: str = ""

    @property
    def what(self) -> tuple[str, str]:
        """What two drafts have in common that do the same of the same operator."""
        return self.computes, repr([self.inputs, self.parameters, self.steps, self.answer])

    def of_data(self) -> Draft | None:
        """What is done to the data alone, as a template of their quantity; None where that is not all."""
        if not self.prepares:
            return None
        (name,) = self.inputs
        kept = {step: one for step, one in self.steps.items() if one.get("when") == GUARD}
        alone = {step: {n: v for n, v in one.items() if n != "for_each"} for step, one in kept.items()}
        for step, one in kept.items():
            alone[step] = {**alone[step], "with": {**one.get("with", {}), **one.get("for_each", {})}}
        computes, inputs, answer = f"quantity({self.prepares})", {name: "raster"}, f"${[*kept][-1]}"
        return replace(
            self, computes=computes, operator=Quantity.op, inputs=inputs, parameters={},
            steps=alone, answer=answer, prepares="",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """A node as a step: equal for nodes that do the same of other keys."""

    tool: str
    args: tuple[tuple[str, tuple[Any, ...]], ...]
    node: Node = field(compare=False)


class Writing:
    """Writes steps down, each once."""

    def __init__(self, tools: Tools, old: Mapping[str, Node], fresh: set[str], changed: set[str]) -> None:
        self._tools, self._old, self._fresh, self._changed = tools, old, fresh, changed
        self._names: dict[tuple[Step, bool], str] = {}
        self.steps: dict[str, dict[str, Any]] = {}
        self._deeds: list[str] = []

    def deeds(self) -> str:
        """What is done otherwise, in a few words."""
        return " and ".join(dict.fromkeys(self._deeds))

    def reference(self, form: tuple[Any, ...], each: bool = False) -> Any:
        """A value as a template writes it; ``each``: of a list, one by one."""
        match form:
            case ("given", literal):
                return literal
            case ("number", name):
                return f"${name}"
            case ("hole", name):
                return f"$inputs.{name}"
            case ("each", inner):
                return self.reference(inner, each=True)
            case ("step", step, output):
                name = self._named(step, each)
                return f"${name}.{output}" if output and output != self._tools[step.tool].primary_output else f"${name}"
        raise AssertionError(form)

    def _named(self, step: Step, each: bool) -> str:
        if (step, each) not in self._names:
            written: dict[str, Any] = {"with": {}, **({"for_each": {}} if each else {})}
            for name, form in step.args:
                lists = each and form[0] in ("hole", "step")
                written["for_each" if lists else "with"][name] = self.reference(form, each and lists)
            name = self._free(step.tool)
            self._names[step, each] = name
            self.steps[name] = self._guarded(step, written)
        return self._names[step, each]

    def _guarded(self, step: Step, written: dict[str, Any]) -> dict[str, Any]:
        """A step as it is written; one that was put in, or does otherwise than before, for some data only."""
        node = step.node
        whole = {"tool": step.tool, **{key: value for key, value in written.items() if value}}
        told = {name: form[1] for name, form in step.args if form[0] == "given"}
        if node.id in self._fresh:
            self._deeds.append(" ".join([step.tool, *map(_said, told.items())]))
            carried = {**written["with"], **written.get("for_each", {})}
            return whole | {"when": GUARD, "else": carried[carrier_of(self._tools[step.tool])]}
        if node.id not in self._changed:
            return whole
        old = self._old[node.id]
        was = {name: plain(value.value) for name, value in old.args.items() if isinstance(value, Given)}
        kept = {name: value for name, value in written["with"].items() if name in old.args and name not in told}
        before = self._free(f"{old.tool}_as_before")
        self.steps[before] = whole | {"tool": old.tool, "with": was | kept, "when": f"not ({GUARD})"}
        other = [_said(one) for one in told.items() if not same(was.get(one[0]), one[1])]
        in_place = [f"in place of {old.tool}"] if old.tool != step.tool else []
        self._deeds.append(" ".join([step.tool, *in_place, *other]))
        return whole | {"when": GUARD, "else": f"${before}"}

    def _free(self, name: str) -> str:
        taken = self.steps.keys() | set(self._names.values())
        return name if name not in taken else next(f"{name}_{n}" for n in range(2, 99) if f"{name}_{n}" not in taken)


def _said(told: tuple[str, Any]) -> str:
    name, value = told
    return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
