"""What the references of one template mean: its parameters, its inputs, and the results of its steps so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact, band_set
from knowflow.model.condition import names, parse
from knowflow.model.evaluate import evaluate
from knowflow.model.goal import Period
from knowflow.model.plan import Quality
from knowflow.model.reference import OF_A_LIST, Reference, reference, references
from knowflow.model.template import Template
from knowflow.model.verdict import Verdict
from knowflow.model.workflow import BandsOf, Given, Value
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.pairing import keys_of


@dataclass
class Results:
    """The named outputs of a step or a template; the first is the primary one. None: left out."""

    outputs: dict[str, Bound | None]

    @property
    def primary(self) -> Bound | None:
        return next(iter(self.outputs.values()), None)


@dataclass
class Scope:
    """The names that one template may use, where it is carried out (``path``), and for which period."""

    builder: Builder
    template: Template
    parameters: dict[str, Bound]
    inputs: dict[str, Bound | None]
    path: str
    layer: int
    period: Period | None
    results: dict[str, Results] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The place to name in an error."""
        return self.path or self.template.template

    def path_of(self, name: str) -> str:
        """The path of a step or an input."""
        return f"{self.path}.{name}" if self.path else name

    def value(self, value: Any) -> Bound | None:
        """What is written in a template, with its references resolved; None: it was left out.

        A mapping of artifacts becomes a band set, a list a series.

        Raises:
            PlanningError: a reference names an output that its step does not have.
        """
        ref = reference(value)
        if ref is not None:
            return self.look_up(ref)
        if isinstance(value, dict):
            return self._of_mapping(value)
        if isinstance(value, (list, tuple)):
            items = [bound for item in value if (bound := self.value(item)) is not None]
            spread = [
                part
                for bound in items
                for part in (self.builder.items(bound) if isinstance(bound.known, Artifact) else [bound])
            ]
            return self.builder.series(spread)
        return None if value is None else Bound(Given(value), value)

    def look_up(self, ref: Reference) -> Bound | None:
        """What a reference stands for; None: it was left out.

        Raises:
            PlanningError: the step has no such output.
        """
        if ref.head == "inputs":
            return self.inputs.get(ref.tail)
        if ref.head in self.template.parameters:
            return self.parameters.get(ref.head)
        results = self.results[ref.head]
        if not ref.tail:
            return results.primary
        if ref.tail in OF_A_LIST and ref.tail not in results.outputs:
            return self._of_list(results.primary, ref.tail)
        if ref.tail not in results.outputs:
            raise PlanningError(
                f"{ref} does not exist",
                where=self.path,
                expected=f"one of {', '.join(results.outputs)}",
                found=ref.tail,
            )
        return results.outputs[ref.tail]

    def evaluate(self, condition: str) -> Verdict:
        """A condition over what is known of the parameters, the inputs and the results."""
        environment: dict[str, Any] = {f"${name}": _known(bound) for name, bound in self.parameters.items()}
        environment.update({f"$inputs.{name}": _known(bound) for name, bound in self.inputs.items()})
        environment.update({f"${name}": _known(results.primary) for name, results in self.results.items()})
        return evaluate(parse(condition), environment)

    def require(self, conditions: tuple[str, ...]) -> None:
        """Go on only where every condition is known to hold.

        Raises:
            PlanningError: one does not, or nobody knows.
        """
        for text in conditions:
            verdict = self.evaluate(text)
            if verdict.truth is not True:
                raise PlanningError(
                    f"{self.template.template} does not apply",
                    where=self.where,
                    expected=text,
                    found=verdict.because or "not so",
                )

    def quality(self, text: str) -> Quality:
        """A condition on the results, with what its names stand for, to be judged after the run."""
        values: dict[str, Value] = {}
        for name in names(parse(text)):
            ref = reference(name)
            bound = None if ref is None else self.look_up(ref)
            if bound is not None:
                values[name] = bound.value
        return Quality(text, values)

    def _of_list(self, bound: Bound | None, tail: str) -> Bound | None:
        """The first or last item of a list, or what its items are called: dates, names, groups (years as numbers)."""
        if bound is None:
            return None
        if tail in ("first", "last"):
            return self.builder.items(bound)[0 if tail == "first" else -1]
        named = bound.keys or (keys_of(bound.known) if isinstance(bound.known, Artifact) else ())
        words = tuple(key[:4] for key in named) if tail == "years" else named
        keys = tuple(int(key) if key.isdigit() else key for key in words)
        return Bound(Given(keys), keys) if keys else None

    def _of_mapping(self, value: Mapping[str, Any]) -> Bound:
        kept = {name: bound for name, item in value.items() if (bound := self.value(item)) is not None}
        if kept and all(isinstance(bound.known, Artifact) for bound in kept.values()):
            known = band_set({name: bound.known for name, bound in kept.items()})
            return Bound(BandsOf({name: bound.value for name, bound in kept.items()}), known)
        plain = {name: bound.known for name, bound in kept.items()}
        return Bound(Given(plain), plain)


def titled(text: str, parameters: Mapping[str, Bound]) -> str:
    """A title with the values of the parameters it names: ``$quantity`` as the quantity's title."""
    for ref in references(text):
        bound = parameters.get(ref.head)
        if bound is not None and not ref.tail:
            kind = quantity_kinds().get(str(bound.known))
            text = text.replace(str(ref), kind.title if kind is not None else _short(bound.known))
    return text


def _short(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        *others, last = (_short(one).replace("_", " ") for one in value)
        return f"{', '.join(others)} and {last}" if others else last
    if value == "../..":  # what a time is compared with, and is no part of
        return "all other times"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _known(bound: Bound | None) -> Any:
    return None if bound is None else bound.known
