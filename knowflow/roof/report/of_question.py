"""What an output of a run shows of the question: the part of the expression that its node carries out, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.literal import plain
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromNode, references
from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import Expression, Quantity, place_of, walk
from knowflow.question.words import in_words

Colour = tuple[int, int, int]
_WHETHER = "whether "
# of what is there, by the family of its quantity; told apart from the ground with every kind of colour vision
_COLOURS: dict[str, Colour] = {
    "vegetation": (0, 128, 84),
    "water": (0, 114, 178),
    "cryosphere": (86, 180, 233),
    "snow": (86, 180, 233),
    "burn": (213, 94, 0),
    "fire": (213, 94, 0),
    "temperature": (213, 94, 0),
    "urban": (204, 121, 167),
}


@dataclass(frozen=True, slots=True)
class OfQuestion:
    """What a map shows; of what is true or false, ``colour`` is that of where it is so, and None of all else.
    ``family`` is that of the one kind of quantity that it is told from."""

    told: str
    colour: Colour | None = None
    family: str = ""

    @property
    def title(self) -> str:
        return f"Where {self.told}" if self.colour is not None else self.told[:1].upper() + self.told[1:]


def of_question(plan: Plan, name: str) -> OfQuestion | None:
    """What an output shows; None where nobody knows: of plans of templates, and of what is beside an answer."""
    part = _part(plan, name)
    own = None if part is None else type_of(part)
    if part is None or own is None or not own.space:
        return None
    said = in_words(part, called=plan.called)
    families = {_family(one.kind) for _, one in walk(part) if isinstance(one, Quantity)}
    family = families.pop() if len(families) == 1 else ""
    if own.of != "truth":
        return OfQuestion(said.removeprefix("the "), family=family)
    return OfQuestion(said.removeprefix(_WHETHER), _COLOURS.get(family, _USUAL), family)


_USUAL: Colour = (0, 114, 178)


def _family(kind: str) -> str:
    index, known = spectral_indices().get(kind), quantity_kinds().get(kind)
    return index.domain if index is not None else "" if known is None else known.family


def _part(plan: Plan, name: str) -> Expression | None:
    """The part of the question that the nodes behind an output carry out, each for its date where they are several."""
    value = plan.outputs.get(name)
    ends = [ref for ref in references(value) if isinstance(ref, FromNode)] if value is not None else []
    parts = [part_of(plan, ref.node) if ref.output in ("output", "value") else None for ref in ends]
    return parts[0] if parts and all(part == parts[0] for part in parts) else None


def asked_of(plan: Plan) -> Expression | None:
    """The question as it was compiled; None of plans that answer none."""
    told: Any = dict(plan.understood.get("written_out") or plan.understood.get("question") or {}).get("value")
    return None if told is None else expression_of(plain(told))[0]


def part_of(plan: Plan, node_id: str) -> Expression | None:
    """The part of the question that a node carries out; None where nobody knows."""
    asked, node = asked_of(plan), plan.workflow.by_id.get(node_id)
    if asked is None or node is None or not node.of:
        return None
    return next((part for at, part in walk(asked) if place_of(at) == node.of), None)
