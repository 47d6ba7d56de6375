"""What the words of a name make of its layer: a difference, a trend, a count of it is another quantity, with another
unit; of words that may mean several, each stays a candidate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.tokens import Token

OTHER = "other"
"""What words say that make something of a layer that no quantity kind is."""
_OF_NUMBERS = ("quantity", "unit", "scale", "offset", "nodata", "mark")
_IN_THE_SAME_UNIT = frozenset({"difference"})
_MAYBE = 0.45  # what makes a candidate, and no fact
_CLASSES = "class_label"


def is_made(tokens: Iterable[Token], base: Facts) -> bool:
    """Whether words make another thing of the layer: classes of what is classes already are the same."""
    values = {token.value for token in tokens if token.kind == "derived"}
    return bool(values - {_CLASSES} if _family(base.value("quantity")) == "class" else values)


def made_of(tokens: Sequence[Token], base: Facts) -> tuple[Facts, tuple[Clue, ...]]:
    """The facts without those of the numbers of the layer, and with those of what was made of it; candidates where
    words may mean several things, the most special first."""
    said = [token for token in tokens if token.kind == "derived"]
    facts = base.without(_OF_NUMBERS)
    rates = {token.value for token in tokens if token.kind == "rate"}
    known = {kind: token for token in said for kind in token.value.split("|")}
    if not known or set(known) == {OTHER}:
        return facts, ()
    in_units = any(token.kind == "unit" for token in tokens)
    for token in sorted(said, key=lambda one: (len(one.value.split("|")), -len(one.key))):
        kinds = [_special(kind, base) for kind in token.value.split("|")]
        kinds = [kind for kind in kinds if kind.rpartition("_per_")[2] in rates] or kinds
        kinds = list(dict.fromkeys(kinds))
        if kinds == [OTHER]:
            continue
        source = f"file name ({token.text!r})"
        if len(kinds) > 1 or not _sure(kinds[0], base, in_units):
            return facts, tuple(Clue("quantity", kind, source, _MAYBE) for kind in kinds)
        found = Facts.of(Origin.DECLARED, source, quantity=kinds[0], unit=_unit(kinds[0], base))
        return found.over(facts), ()
    return facts, ()


def _sure(kind: str, base: Facts, in_units: bool) -> bool:
    """Whether nothing else is called so: of differences it has to be known what differs, and of classes what has them.
    What remains of one mask without another is a mask."""
    if kind in _IN_THE_SAME_UNIT:
        return ("quantity" in base or in_units) and _family(base.value("quantity")) != "mask"
    return kind != _CLASSES or "quantity" in base


def _special(result: str, base: Facts) -> str:
    """What a difference of temperatures or heights is called."""
    quantity = base.value("quantity")
    own = (f"{quantity}_{result}", f"{_family(quantity)}_{result}")
    return next((kind for kind in own if kind in quantity_kinds()), result)


def _unit(kind: str, base: Facts) -> str | None:
    if kind in _IN_THE_SAME_UNIT:
        return str(base.value("unit")) if base.value("unit") is not None else None
    own = quantity_kinds()[kind].unit
    return own if own in ("1", "K", "day") else None


def _family(quantity: object) -> str:
    kind = quantity_kinds().get(str(quantity))
    return kind.family if kind else ""
