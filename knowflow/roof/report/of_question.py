"""What an output of a run shows of the question: the part of the expression that its node carries out, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.literal import plain
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromNode, references
from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import (
    Calculate,
    During,
    Expression,
    Over,
    Quantity,
    Show,
    children,
    place_of,
    walk,
    with_children,
)
from knowflow.question.times import Times
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


def of_question(plan: Plan, name: str, at: int | None = None) -> OfQuestion | None:
    """What an output shows, or, ``at`` its place, one of its maps; None where nobody knows: of plans of templates, and
    of what is beside an answer."""
    part = _part(plan, name, at)
    own = None if part is None else type_of(part)
    if part is None or own is None or not own.space:
        return None
    said = in_words(_on_their_dates(_as_asked(plan, part)), called=plan.called)
    families = {_family(one.kind) for _, one in walk(part) if isinstance(one, Quantity)}
    family = families.pop() if len(families) == 1 else ""
    if own.of != "truth":
        return OfQuestion(said.removeprefix("the "), family=family)
    changed = any(isinstance(one, Calculate) for _, one in walk(part))
    colour = _CHANGED if changed and family != "burn" else _COLOURS.get(family, _USUAL)
    return OfQuestion(said.removeprefix(_WHETHER), colour, family)


def _as_asked(plan: Plan, part: Expression) -> Expression:
    """A field of the question as it was compiled in the words of the question itself: flood, and not what it is
    defined by."""
    found = [_question(plan, name) for name in ("question", "written_out")]
    fields = [list(_fields(one)) for one in found if one is not None]
    if len(fields) != 2 or len(fields[0]) != len(fields[1]):
        return part
    pairs = list(zip(*fields, strict=True))
    if any(getattr(type_of(a), "of", None) != getattr(type_of(b), "of", None) for a, b in pairs):
        return part
    return next((asked for asked, compiled in pairs if compiled == part), part)


def _fields(e: Expression) -> Iterator[Expression]:
    """The largest parts that are of every pixel; what is shown of the whole is not one of them."""
    own = None if isinstance(e, Show) else type_of(e)
    if own is not None and own.space:
        yield e
        return
    for _, child in children(e):
        yield from _fields(child)


def _on_their_dates(e: Expression) -> Expression:
    """Without the statistics over dates of what is of one day."""
    now = with_children(e, _on_their_dates)
    of = now.x if isinstance(now, Over) and now.axes in ("time", "date") else None
    day = of.when if isinstance(of, During) and isinstance(of.when, Times) else None
    return of if of is not None and day is not None and len(str(day)) == _DAY else now


_USUAL: Colour = (0, 114, 178)
_CHANGED: Colour = (230, 159, 0)
_DAY = len("2017-07-05")


def _family(kind: str) -> str:
    index, known = spectral_indices().get(kind), quantity_kinds().get(kind)
    return index.domain if index is not None else "" if known is None else known.family


def _part(plan: Plan, name: str, at: int | None) -> Expression | None:
    """The part of the question that the nodes behind an output carry out, where it is one, or that behind one map."""
    value = plan.outputs.get(name)
    ends = [ref for ref in references(value) if isinstance(ref, FromNode)] if value is not None else []
    parts = [part_of(plan, ref.node) if ref.output in ("output", "value") else None for ref in ends]
    if at is not None and at < len(parts):
        return parts[at]
    return parts[0] if parts and all(part == parts[0] for part in parts) else None


def asked_of(plan: Plan) -> Expression | None:
    """The question as it was compiled; None of plans that answer none."""
    return _question(plan, "written_out") or _question(plan, "question")


def _question(plan: Plan, name: str) -> Expression | None:
    told: Any = dict(plan.understood.get(name) or {}).get("value")
    return None if told is None else expression_of(plain(told))[0]


def part_of(plan: Plan, node_id: str) -> Expression | None:
    """The part of the question that a node carries out; None where nobody knows."""
    asked, node = asked_of(plan), plan.workflow.by_id.get(node_id)
    if asked is None or node is None or not node.of:
        return None
    return next((part for at, part in walk(asked) if place_of(at) == node.of), None)
