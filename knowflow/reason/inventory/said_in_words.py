"""What words of a name say that no layer is called by: words of the field in any language, together, and words of the
names of products."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.ground.units import compatible
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.concepts import (
    concepts_in,
    concepts_of,
    may_say_what,
    named_together,
    named_with,
    says_what,
    things,
)
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.products import Known
from knowflow.reason.inventory.tokens import ONE_PRODUCT, Token

OF_NUMBERS = ("quantity", "unit", "scale", "offset", "nodata", "valid_range", "marking", "mark")
"""Facts that are of the numbers of a layer."""
MAYBE = 0.45
"""What makes a candidate, and no fact."""
OF_LITTLE = 0.38
"""What makes a candidate of a word beside others that nobody knows."""
USUALLY = 0.6
"""What makes a fact that is assumed."""
_SHORTEST_HINT, _SHORTEST_ALONE = 3, 2  # letters
_SHORTEST_CONTENT = 4  # letters of a word that may say what is measured
_LONG_HINT = 12  # letters that no ordinary word has
_PHRASE = 2  # words that say more than one of them
_WORDED = frozenset(
    {"word", "layer", "derived", "colour", "plain", "link", "statistic", "product", "step", "unit", "daynight"}
)
_OF_WHEN = frozenset({"date", "year", "months", "step", "version", "plain", "link", "tile"})
_MUCH = frozenset({"1", "m", "%", "degree"})  # units of much
_OF_MUCH = frozenset({"measure", "statistics"})  # families of what is told of anything
_TOLD_BY_MUCH = frozenset({"measure", "fire"})  # days and counts are told of much, and fires by their days and power
_INITIALS = 3  # letters and digits of what may be part of a code
_BESIDE = ", beside "
_HEIGHTS, _CLASSES, _RATIO, _UNCERTAIN = "elevation", "class_label", "ratio", "uncertainty"
_OF_BANDS = frozenset({"index", "mask", "statistics", "measure"})  # families of what bands are made into
_SEVERAL = 2
_ON_AN_AREA = dict.fromkeys(("km2", "km-2"), "km-2")  # units of areas, and of what is counted on one
_COUNTED, _OF_AREAS = frozenset({"population"}), frozenset({"area", "built"})
_SPAN_OF_DEPTHS = regex(r"\d{1,3}[-_ ]\d{1,3} ?cm")


def of_concepts(
    tokens: tuple[Token, ...],
    own: tuple[Token, ...],
    meant: Facts,
    maybe: tuple[Clue, ...],
    product: Known | None,
    groups: Mapping[str, str],
    dtype: str | None,
) -> tuple[tuple[Token, ...], Facts, tuple[Clue, ...]]:
    """What words of any language say together, where no layer says it, or one of them is called so by itself (the
    people of their density): of the product that has one such layer."""
    layers = {place for place, token in enumerate(tokens) if token.kind == "layer"}
    if "quantity" in meant and not layers:
        if (other := _layer_in_unit(own, meant, product, groups, dtype)) is not None:
            return tokens, other, ()
        return tokens, *_unless_of_another(own, meant, maybe)
    worded = _WORDED - {"product"} if layers else _WORDED  # the land of ERA5-Land is none of its temperatures
    numbers = {token.start for token in tokens if token.kind == "number"}  # the km of km2 is none
    stated = {token.value for token in tokens if token.kind == "unit" and token.end not in numbers}
    said = {place: concepts_in(token.text) for place, token in enumerate(tokens) if token.kind in worded}
    said |= _on_an_area(tokens, said, stated)
    concepts = {concept for words in said.values() for concept in words}
    found = named_together(concepts, (lambda kind: _may_be_told(kind, *stated)) if len(stated) == 1 else None)
    if not found and len(stated) == 1:
        words = {concept for place, told in said.items() if tokens[place].kind != "unit" for concept in told}
        found = _measured_in(words, *stated)
    if not found and not layers and (measured := _said_by_measures(tokens, stated)):
        found, said = _with_measure(said, measured, tokens), said | measured
    if product is not None and not found and not layers:
        of_product = tuple(_of_layers(concepts, product))
        return tokens, meant, of_product or maybe
    if len(found) != 1:
        clues = () if layers else tuple(Clue("quantity", one, "words of its name", MAYBE) for one in found)
        return tokens, meant, clues or maybe
    ((quantity, needed),) = found.items()
    told = {place: words for place, words in said.items() if needed & words.keys()}
    made = layers < told.keys() or meant.value("quantity") == _HEIGHTS  # heights are what much is made of
    if meant.value("quantity") == quantity or (
        layers and not (made and told.keys() - layers and len(needed) >= _PHRASE)
    ):
        return tokens, meant, maybe
    source = f"file name ({' '.join(word for words in told.values() for word in words.values())!r})"
    meanings = {} if product is None else {layer.meaning.name: layer.meaning for layer in product.layers.values()}
    of_it = [meaning for meaning in meanings.values() if meaning.quantities == (quantity,)]
    facts = of_it[0].facts(groups, None, dtype, source) if len(of_it) == 1 else Facts()
    facts = facts.over(Facts.of(Origin.DECLARED, source, quantity=quantity))
    if len(stated) == 1 and quantity_kinds()[quantity].unit == (unit := _ON_AN_AREA.get(*stated)):
        facts = facts.put("unit", unit, Origin.DECLARED, source)
    tokens = tuple(_as_layer(token, quantity) if place in told else token for place, token in enumerate(tokens))
    return tokens, facts.over(meant.without(OF_NUMBERS)), ()


def _on_an_area(
    tokens: tuple[Token, ...], said: Mapping[int, Mapping[str, str]], stated: Collection[str]
) -> dict[int, dict[str, str]]:
    """What a unit of area says beside people, who are told in none: how many there are on it (``einw_km2``)."""
    words = {concept for one in said.values() for concept in one}
    if not stated or not set(stated) <= _ON_AN_AREA.keys() or not words & _COUNTED or words & _OF_AREAS:
        return {}
    return {place: {"density": token.text} for place, token in enumerate(tokens) if token.kind == "unit"}


def _said_by_measures(tokens: tuple[Token, ...], stated: Collection[str]) -> dict[int, dict[str, str]]:
    """What a measure says without a word, by its place: per cent are a fraction, and a span of depths in cm is one of
    the ground (``5-15cm``)."""
    said = {}
    for place, token in enumerate(tokens):
        whole = f"{tokens[place - 1].text}-{token.text}" if place and tokens[place - 1].kind == "number" else token.text
        if token.kind == "height" and any(map(_SPAN_OF_DEPTHS.fullmatch, (whole, token.text))):
            said[place] = {"ground": whole}
    if set(stated) == {"%"}:
        said |= {place: {"fraction": one.text} for place, one in enumerate(tokens) if one.kind == "unit"}
    return said


def _with_measure(
    said: Mapping[int, Mapping[str, str]], measured: Mapping[int, Mapping[str, str]], tokens: Sequence[Token]
) -> Mapping[str, frozenset[str]]:
    """The only quantity that all words of a name and its measure name together, none of them unread."""
    words = {place: one for place, one in said.items() if tokens[place].kind != "unit"}
    concepts = {concept for one in (*words.values(), *measured.values()) for concept in one}
    unread = [
        token
        for place, token in enumerate(tokens)
        if token.kind == "word" and not words.get(place) and token.key.isalpha() and may_say_what(token.text)
    ]
    found = {quantity: needed for quantity, needed in named_together(concepts).items() if needed == concepts}
    return found if len(found) == 1 and not unread else {}


def _measured_in(words: Collection[str], unit: str) -> Mapping[str, frozenset[str]]:
    """The only quantity that is told in a unit of little else, and in whose names all words occur: light in nW."""
    if " " not in unit or not words:
        return {}
    told = (kind for kind in quantity_kinds().values() if unit in (kind.unit, *kind.told_in, *kind.units_beside))
    found = [kind.name for kind in told if set(words) <= concepts_of(kind.name)]
    return {found[0]: frozenset(words)} if len(found) == 1 else {}


def _layer_in_unit(
    own: Iterable[Token], meant: Facts, product: Known | None, groups: Mapping[str, str], dtype: str | None
) -> Facts | None:
    """The only layer of a product that is told in the unit of a name and measures what its words say, where what the
    product is of by itself is told in none: the trees in per cent of a land cover."""
    listed = list(own)
    units = {token.value for token in listed if token.kind == "unit"}
    words = {concept for token in listed if token.kind == "word" for concept in concepts_in(token.text)}
    kind = quantity_kinds().get(str(meant.value("quantity")))
    if product is None or kind is None or not kind.categorical or len(units) != 1 or not words:
        return None
    text = " ".join(token.text for token in listed if token.kind in ("word", "unit"))
    layers = {layer.meaning.name: layer for layer in product.layers.values() if len(layer.meaning.quantities) == 1}
    told = [layer for layer in layers.values() if words <= concepts_of(layer.meaning.quantities[0])]
    source = f"file name ({text!r})"
    facts = [layer.meaning.facts({**groups, "name": layer.name}, None, dtype, source) for layer in told]
    found = [one for one in facts if one.value("unit") in units]
    return found[0].over(meant.without(OF_NUMBERS)) if len(found) == 1 else None


def _unless_of_another(own: Iterable[Token], meant: Facts, maybe: tuple[Clue, ...]) -> tuple[Facts, tuple[Clue, ...]]:
    """What a product is of by itself, open where words of the name measure what that is not: the frequency of fires is
    in no name of a land cover."""
    words = {concept: token.text for token in own if token.kind == "word" for concept in concepts_in(token.text)}
    quantity = str(meant.value("quantity"))
    others = words.keys() - things() - concepts_of(quantity)
    if not others or maybe:
        return meant, maybe
    source = f"file name ({' '.join(words[concept] for concept in sorted(others))!r})"
    told = dict.fromkeys((*named_together(words), quantity))
    return meant.without(OF_NUMBERS), tuple(Clue("quantity", one, source, MAYBE) for one in told)


def unless_unread(
    own: Iterable[Token], meant: Facts, maybe: tuple[Clue, ...], nothing: Collection[str]
) -> tuple[Facts, tuple[Clue, ...]]:
    """What a product is of by itself, or a folder, open where the name names no layer and has a word that nobody knows:
    ``spadki_GLO30`` is made of heights and none. Words of places and projects (``nothing``) say nothing."""
    listed = list(own)
    if maybe or "quantity" not in meant or any(token.kind in ("layer", "derived") for token in listed):
        return meant, maybe
    quantity = str(meant.value("quantity"))
    words = [one for one in listed if one.kind == "word" and one.key.isalpha() and len(one.key) >= _SHORTEST_CONTENT]
    unread = [one.text for one in words if one.key not in nothing and says_what(one.text, quantity)]
    if not unread:
        return meant, maybe
    source = f"{meant['quantity'].source}{_BESIDE}{' and '.join(map(repr, unread))}"
    return meant.without(OF_NUMBERS), (Clue("quantity", quantity, source, MAYBE),)


def unless_initials(
    own: Iterable[Token], facts: Facts, maybe: tuple[Clue, ...], nothing: Collection[str]
) -> tuple[Facts, tuple[Clue, ...]]:
    """What letters say that was made of something that no word names (``SNW_R2``), open: they may be part of a code."""
    listed = list(own)
    made = [token for token in listed if token.kind == "derived"]
    unread = any(token.kind == "word" and token.key.isalpha() and token.key not in nothing for token in listed)
    kind = quantity_kinds().get(str(facts.value("quantity")))
    initials = all(len(one.key) <= _INITIALS for one in made)
    if maybe or kind is None or kind.family != "statistics" or not unread or not initials:
        return facts, maybe
    clue = Clue("quantity", facts.value("quantity"), facts["quantity"].source, MAYBE)
    return facts.without(OF_NUMBERS), (clue,)


def unless_of_bands(
    own: Iterable[Token], facts: Facts, maybe: tuple[Clue, ...], *, made: bool
) -> tuple[Facts, tuple[Clue, ...]]:
    """What was ``made`` of several bands that a name lists (``clay_B11_B12``), open: it may be their ratio, which shows
    what it is named by, and does not measure it."""
    kind = quantity_kinds().get(str(facts.value("quantity")))
    bands = {token.value for token in own if token.kind == "band"}
    if not made or maybe or kind is None or kind.categorical or kind.family in _OF_BANDS or len(bands) < _SEVERAL:
        return facts, maybe
    source = facts["quantity"].source
    return facts.without(OF_NUMBERS), tuple(Clue("quantity", one, source, MAYBE) for one in (_RATIO, kind.name))


def is_beside_unread(source: str) -> bool:
    """Whether a candidate was left open by ``unless_unread``."""
    return _BESIDE in source


def _of_layers(concepts: Collection[str], product: Known) -> Iterator[Clue]:
    """The only layer of a product that words measure, whatever else it is called (the temperature of ASTER), or the
    layers that they may mean."""
    measured = set(concepts) - things()
    meanings = {layer.meaning.name: layer.meaning for layer in product.layers.values()}.values()
    kinds = dict.fromkeys(kind for meaning in (product.meaning, *meanings) for kind in meaning.quantities)
    meant = [kind for kind in kinds if measured and measured <= concepts_of(kind)]
    for kind in meant:
        source = f"file name ({' '.join(sorted(measured))}, a layer of {product.product.title})"
        sure = len(meant) == 1 and quantity_kinds()[kind].family not in _TOLD_BY_MUCH
        yield Clue("quantity", kind, source, USUALLY, Origin.ASSUMED) if sure else Clue("quantity", kind, source, MAYBE)


def _as_layer(token: Token, quantity: str) -> Token:
    return replace(token, kind="layer", value=quantity, entry=None)


def hinted(own: Iterable[Token], meant: Facts, dtype: str | None, shared: Collection[str] = ()) -> tuple[Clue, ...]:
    """The quantities that words have in names of products, where nothing tells which product it is; the only one is
    usual where the numbers are its own: decimal ones, or classes. A name that says nothing else, but for words that
    are ``shared`` with those beside it, says by it what it is of."""
    if "quantity" in meant:
        return ()
    listed = list(own)
    every = [token for token in listed if token.kind == "word" and not token.key.isdigit()]
    words = [token for token in every if token.key not in shared] or every
    said = {str(quantity): token for token in words if len(token.key) > 1 for quantity in token.entry or ()}
    said.pop(_UNCERTAIN, None)  # of what, products say; a canopy in percent is none
    stated = {token.value for token in listed if token.kind == "unit"}
    if len(stated) == 1 and len(said) == 1 and not _may_be_told(next(iter(said)), *stated):
        return ()
    told = [(one, f"file name ({token.text!r} in names of products)") for one, token in said.items()]
    kind = quantity_kinds().get(next(iter(said))) if len(said) == 1 else None
    alone = len(words) == 1 and kind is not None and kind.family not in _OF_MUCH
    alone = alone and (words[0].key.isalpha() or len(every) == 1)  # the f_1 of agesex_f_1 beside agesex_m_20
    of_band = any(token.kind == "band" for token in listed)  # whose other words say which: SWIR B11
    if len(said) == 1 and not of_band and not _is_generic(next(iter(said.items())), alone):
        if kind is not None and kind.name == _CLASSES:
            return (Clue("quantity", _CLASSES, told[0][1], MAYBE),)  # of what, and whether at all, nobody says
        if kind is not None and kind.family == "mask" and len(words) > 1:
            return (Clue("quantity", kind.name, told[0][1], MAYBE),)  # it is a mask of what the other words name
        if kind is not None and dtype is not None and (kind.categorical != dtype.startswith("float")):
            return (Clue("quantity", told[0][0], told[0][1], USUALLY, Origin.ASSUMED),)
    few = len(words) == len(listed) - sum(token.kind in _OF_WHEN for token in listed) == 1 and words[0].key.isalpha()
    return tuple(
        Clue("quantity", one, source, OF_LITTLE + 0.02 if few and len(told) > 1 else 0.3) for one, source in told
    )


def of_units(maybe: tuple[Clue, ...], tokens: Iterable[Token]) -> tuple[Clue, ...]:
    """What a name may mean, without what is not told in the unit that it states; the only one is usual then: the depth
    of snow in cm."""
    stated = {token.value for token in tokens if token.kind == "unit"}
    kinds = [one for one in maybe if one.fact == "quantity" and one.weight >= MAYBE]
    if len(stated) != 1 or len(kinds) < 2:
        return maybe
    ((unit,), told) = stated, [one for one in kinds if _is_told_in(str(one.value), *stated)]
    if not told or unit in _MUCH:
        return maybe
    if len(told) > 1:
        return tuple(one for one in maybe if one not in kinds or one in told)
    source = f"{told[0].source}, in {unit}"
    quantity = Clue("quantity", told[0].value, source, USUALLY, Origin.ASSUMED)
    return quantity, Clue("unit", unit, source, USUALLY)


def _is_told_in(quantity: str, unit: str) -> bool:
    kind = quantity_kinds().get(quantity)
    return kind is not None and not kind.borrows_unit and unit in (kind.unit, *kind.units_beside)


def with_folders(own: Iterable[Token], folders: Iterable[tuple[Token, ...]], meant: Facts) -> tuple[Clue, ...]:
    """The only quantity that words of a name and of one of its folders, the nearest first, name together, where
    neither does by itself: the concentration in a folder of sea ice."""
    said = {concept for token in own if token.kind in _WORDED for concept in concepts_in(token.text)}
    for tokens in folders if said and "quantity" not in meant else ():
        around = {concept for token in tokens if token.kind in _WORDED for concept in concepts_in(token.text)}
        found = named_together(said | around)
        if len(found) == 1 and all(needed & said and needed - said for needed in found.values()):
            source = f"words of its name and of its folder ({' '.join(token.text for token in tokens)})"
            return (Clue("quantity", next(iter(found)), source, USUALLY, Origin.ASSUMED),)
    return ()


def _may_be_told(quantity: str, unit: str) -> bool:
    """Whether a name may state that unit of a quantity: its own, one of another factor, or the area that it is per."""
    kind = quantity_kinds().get(quantity)
    if kind is None or kind.borrows_unit or f"{unit[:-1]}-{unit[-1:]}" == kind.unit:
        return True
    return unit in (kind.unit, *kind.units_beside) or compatible(unit, kind.unit)


def _is_generic(told: tuple[str, Token], alone: bool) -> bool:
    """Whether a word in the name of a product says something general (speed), or is too short to say one thing unless
    it stands ``alone``."""
    quantity, token = told
    named = named_with(token.text)
    by_itself = named_together(concepts_in(token.text)).keys() == {quantity}
    by_itself = by_itself or token.key == quantity.replace("_", "")
    if (
        not alone
        and token.value == ONE_PRODUCT
        and token.key.isalpha()
        and not by_itself
        and len(token.key) < _LONG_HINT
    ):
        return True
    return len(token.key) < (_SHORTEST_ALONE if alone else _SHORTEST_HINT) or (bool(named) and not by_itself)
