"""What the words of a name make of its layer: a difference, a trend, a count of it is another quantity, with another
unit; of words that may mean several, each stays a candidate."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.tokens import Token

OTHER = "other"
"""What words say that make something of a layer that no quantity kind is."""
ARITHMETIC = regex(r"[a-z)\]]\s*[*/]\s*\d+(?:\.\d+)?(?!\s*[a-z\d.])", re.IGNORECASE)
"""A layer times or divided by a number, as words describe it: geopotential / 9.80665. Units (mm/8 days) are none."""
_OF_NUMBERS = ("quantity", "unit", "scale", "offset", "nodata", "valid_range", "marking", "mark")
_MAYBE, _HARDLY = 0.45, 0.4  # what makes a candidate, and no fact; of a word that may make something else of it
_CLASSES, _DIFFERENCE, _OF_TEMPERATURES = "class_label", "difference", "temperature_difference"
_RELATIVE, _RATIO, _PER_CENT = "relative_change", "ratio", regex("percent|pct|prozent|porcent")
_SHARE, _OF_SHARES, _OF_CLASSES = "share", ("1", "%"), frozenset({"class", "mask"})
_ANOMALY, _PROBABILITY = "anomaly", "probability"
_CORRELATION, _PAIR = "correlation_coefficient", 2
_QUALITY = "qa_bits"
_SAYS_WHAT = frozenset({"layer", "derived", "word", "hint", "product", "colour"})
_UNCERTAINTY, _DATES = "uncertainty", frozenset({"burn_date", "day_of_year"})
_OF_TWO_IMAGES = frozenset(
    {"coherence", "interferometric_phase", "unwrapped_phase", "line_of_sight_displacement", "vertical_displacement"}
)
_OF_A_YEAR, _TRENDS = "trend_per_year", frozenset({"trend_per_year", "trend_per_decade"})
_USUALLY = 0.6  # what makes a fact that is assumed
_DAYS = regex("day|tage|jour|dia|giorni|dagen|dagar|gun")
_DEGREES = ("K", "degC", "degF")


def is_made(tokens: Iterable[Token], base: Facts) -> bool:
    """Whether words make another thing of the layer: classes of what is classes already are the same, and a difference
    of others (``chm_dsm_minus_dtm``) is how a height came about."""
    said = [token for token in tokens if token.kind in ("derived", "layer", "date")]
    values = {token.value for token in said if token.kind == "derived"}
    quantity = str(base.value("quantity"))
    if quantity in _OF_TWO_IMAGES or "quantity" not in base:
        said = _without_pairs(said)
        values = {token.value for token in said if token.kind == "derived"}
    values = {value for value in values if quantity not in value.split("|")}
    if _family(quantity) == "class":
        values = {value for value in values if _CLASSES not in value.split("|")}
    if quantity.endswith(_ANOMALY):
        values = {value for value in values if f"standardized_{_ANOMALY}" not in value.split("|")}
    if (
        quantity.endswith(_DIFFERENCE)
        or _is_of_two_dates(quantity)
        or (_DIFFERENCE in values and _others(said, quantity))
    ):
        values -= {_DIFFERENCE}
    return bool(values)


def _without_pairs(said: Sequence[Token]) -> list[Token]:
    """Words without a minus between two dates: it tells the pair that an interferogram is of."""
    pairs = {place for place in range(1, len(said) - 1) if said[place - 1].kind == said[place + 1].kind == "date"}
    return [one for place, one in enumerate(said) if not (place in pairs and one.value == _DIFFERENCE)]


def _is_of_two_dates(quantity: str) -> bool:
    """Whether an index is the difference of another one by its name: dNBR, pre minus post."""
    return quantity.startswith("d") and _family(quantity[1:]) == "index"


def is_rate(tokens: Iterable[Token], base: Facts) -> bool:
    """Whether a length of time behind an index (``NDVI per year``) makes its trend of it: it is no amount in time."""
    return _family(base.value("quantity")) == "index" and any(token.kind == "rate" for token in tokens)


def _others(said: Iterable[Token], quantity: str) -> bool:
    """Whether a difference is between layers of another quantity than the one that a name is of."""
    kinds = [set(token.entry.meaning.quantities) for token in said if token.kind == "layer" and token.entry]
    return len(kinds) > 1 and any(quantity in one for one in kinds) and any(quantity not in one for one in kinds)


def made_of(tokens: Sequence[Token], base: Facts) -> tuple[Facts, tuple[Clue, ...]]:
    """The facts without those of the numbers of the layer, and with those of what was made of it; candidates where
    words may mean several things, the most special first."""
    said = [token for token in tokens if token.kind == "derived"]
    facts = base.without(_OF_NUMBERS)
    units = {token.value for token in tokens if token.kind == "unit"}
    rates = {token.value for token in tokens if token.kind == "rate"} | {
        rate for rate in ("year", "decade") for unit in units if unit.endswith(f" {rate}-1")
    }
    known = {kind: token for token in said for kind in token.value.split("|")}
    if not known and len(rates) == 1 and is_rate(tokens, base):
        trend = f"trend_per_{next(iter(rates))}"
        source = "file name (what the layer is told per)"
        return Facts.of(Origin.DECLARED, source, quantity=trend, unit=_unit(trend, base, units, "")).over(facts), ()
    if not known or set(known) == {OTHER}:
        return facts, ()
    in_units = any(token.kind == "unit" for token in tokens)
    of_degrees = any(token.kind == "unit" and token.value in _DEGREES for token in tokens)
    words = {token.text.casefold() for token in tokens}
    if "quantity" not in base and len(shared := _of_products(tokens)) == 1:
        base = Facts.of(Origin.DECLARED, "names of products", quantity=shared.pop()).over(base)
    ways = {token: token.value.split("|") for token in said}
    # what is uncertain may be made of something, too
    for token in sorted(said, key=lambda one: (_UNCERTAINTY not in ways[one], len(ways[one]), -len(one.key))):
        kinds = [kind for kind in token.value.split("|") if kind != OTHER]
        special = [found for kind in kinds if (found := _special(kind, base, words, known)) != kind]
        of_rate = [kind for kind in kinds if kind.rpartition("_per_")[2] in rates]
        kinds = special[:1] or of_rate or _in_units(kinds, units, base)
        if of_degrees and kinds == [_DIFFERENCE] and "quantity" not in base:
            kinds = [_OF_TEMPERATURES]
        if not kinds:
            continue
        if _CORRELATION in kinds and _of_two(tokens):
            kinds = [_CORRELATION]
        source = f"file name ({token.text!r})"
        if kinds[0] == _QUALITY and "quantity" in base and _is_of_pixels(token, tokens):
            return Facts.of(Origin.DECLARED, source, quantity=_QUALITY, unit="1").over(facts), ()
        if set(kinds) == _TRENDS and _family(base.value("quantity")) == "index" and not rates:
            unit = _unit(_OF_A_YEAR, base, units, "")  # of one value a year, as those of a decade say
            usual = (("quantity", _OF_A_YEAR), *((("unit", unit),) if unit else ()))
            return facts, tuple(Clue(fact, value, source, _USUALLY, Origin.ASSUMED) for fact, value in usual)
        if kinds == [_SHARE] and _family(base.value("quantity")) in _OF_CLASSES:  # how much is of one of them
            unit = next((one for one in _OF_SHARES if one in units), None)
            return Facts.of(Origin.DECLARED, source, quantity=_SHARE, unit=unit).over(facts), ()
        if OTHER in token.value and base.value("quantity") is not None:
            kinds = [*kinds, str(base.value("quantity"))]  # or it makes nothing else of it
        if len(kinds) > 1 or OTHER in token.value or not _sure(kinds[0], base, in_units):
            weight = _HARDLY if OTHER in token.value else _MAYBE
            return facts, tuple(Clue("quantity", kind, source, weight) for kind in kinds)
        made = Facts.of(Origin.DECLARED, source, quantity=kinds[0], unit=_unit(kinds[0], base, units, token.key))
        return made.over(facts), ()
    return facts, ()


def _is_of_pixels(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether a word of quality stands last of all that says something, right behind a layer: it rates the pixels of
    that, and not a water or a soil."""
    said = [one for one in tokens if one.kind in _SAYS_WHAT and not one.key[:1].isdigit()]
    place = said.index(token) if token in said else 0
    return place > 0 and place == len(said) - 1 and said[place - 1].kind == "layer"


def _of_two(tokens: Iterable[Token]) -> bool:
    """Whether a name speaks of layers of two families: what is told of both is how they go together."""
    layers = [token.entry.meaning.quantities for token in tokens if token.kind == "layer" and token.entry]
    return len({frozenset(map(_family, some)) for some in layers}) == _PAIR


def _in_units(kinds: list[str], units: Collection[str], base: Facts) -> list[str]:
    """Of what a word may have made of a layer, what is told in the unit that the name states: a difference of rain in
    mm, and rather a relative change in per cent."""
    if len(units) != 1 or _DIFFERENCE not in kinds or "quantity" not in base:
        return kinds
    (unit,) = units
    if unit == "%":
        return kinds if base.value("unit") == "%" else [_RELATIVE]
    return [_DIFFERENCE] if unit != "1" else kinds


def _of_products(tokens: Iterable[Token]) -> set[str]:
    """The quantities that all products have of which words of a name tell."""
    told = [{str(one) for one in token.entry} for token in tokens if token.kind == "word" and token.entry]
    return set.intersection(*told) if told else set()


def _sure(kind: str, base: Facts, in_units: bool) -> bool:
    """Whether nothing else is called so: of differences it has to be known what differs, and of classes what has them.
    What remains of one mask without another is a mask."""
    if kind == _DIFFERENCE:
        return ("quantity" in base or in_units) and _family(base.value("quantity")) != "mask"
    return kind != _CLASSES or "quantity" in base


def _special(result: str, base: Facts, words: AbstractSet[str], beside: Collection[str]) -> str:
    """What a difference of temperatures or heights is called, the probability of what another word of the name calls,
    and classes of what another word may mean (``beside``)."""
    quantity, kinds = base.value("quantity"), quantity_kinds()
    own = [f"{quantity}_{result}", f"{_family(quantity)}_{result}"]
    ending = f"_{result.removesuffix('_label')}" if result == _CLASSES else f"_{result}"
    own += [kind for kind in beside if kind.endswith(ending)]
    if quantity is None or _family(quantity) == "mask":
        masks = [kind for kind in kinds.values() if kind.family == "mask"]
        masks = [kind for kind in masks if kind.name == quantity or (not quantity and not words.isdisjoint(kind.words))]
        own += [f"{kind.name.removesuffix('_mask')}{ending}" for kind in masks]
    return next((kind for kind in own if kind in kinds), result)


def _unit(kind: str, base: Facts, units: Collection[str], word: str) -> str | None:
    """The unit of what is made of a layer by a word; of a trend that of the layer, as the name or the layer states it,
    in the length of time."""
    if kind in (_RELATIVE, _RATIO) and _PER_CENT.search(word):
        return "%"
    if rate := kind.rpartition("_per_")[2] if "_per_" in kind else "":
        stated = next(iter(units)) if len(units) == 1 else base.value("unit") if not units else None
        if stated is None or str(stated).endswith(f" {rate}-1"):
            return stated
        return f"{rate}-1" if stated == "1" else f"{stated} {rate}-1"
    if kind == _UNCERTAINTY and base.value("quantity") in _DATES:
        return "day"
    if quantity_kinds()[kind].borrows_unit:
        return str(base.value("unit")) if base.value("unit") is not None else None
    own = quantity_kinds()[kind].unit
    if kind == _PROBABILITY:
        return None  # or in per cent, which the numbers tell
    return own if own in ("1", "K") or (own == "day" and _DAYS.search(word)) else None


def _family(quantity: object) -> str:
    kind = quantity_kinds().get(str(quantity))
    return kind.family if kind else ""
