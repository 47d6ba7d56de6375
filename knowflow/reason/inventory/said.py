"""What the tokens of a name say together: the layer, its quantity and band, and what else tells it apart.

Words of derivation make another thing of a layer (``ndvi_trend`` is not NDVI); several layers in one name, and colours
before words that nobody claims (``red_sea``), stay candidates. What a name does not say its folders do, the nearest
first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow.reason.inventory.concepts import in_english
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.made_of import is_made, is_rate, made_of
from knowflow.reason.inventory.meanings import Layer
from knowflow.reason.inventory.phrases import EDGES, Name, settled
from knowflow.reason.inventory.products import Known
from knowflow.reason.inventory.said_bands import band_of, bands_told, has_bands
from knowflow.reason.inventory.said_in_words import (
    MAYBE,
    OF_LITTLE,
    OF_NUMBERS,
    USUALLY,
    hinted,
    of_concepts,
    of_units,
    unless_initials,
    unless_of_bands,
    unless_unread,
    with_folders,
)
from knowflow.reason.inventory.said_labels import SHAPE_MARK, label_of, named
from knowflow.reason.inventory.said_of_product import as_of_product
from knowflow.reason.inventory.spans import Span
from knowflow.reason.inventory.tokens import Token, band_name, plain
from knowflow.reason.inventory.unit_words import in_unit, is_told_in, told_in, usual_unit
from knowflow.reason.inventory.years import months_of, years_of

_STATED = ("daynight", "orbit", "level", "statistic", "sensor", "height")
_OF_FOLDERS = frozenset({"layer", "band", "colour", "tile", "year", "step", "unit", *_STATED})
_POLARISATIONS = frozenset({"vv", "vh", "hh", "hv"})
_MADE_OF_BANDS = frozenset({"index", "radar"})  # families of what is told of bands, or made of them
_FAMILY_OF_RADAR = "radar"
_SHOWN_BY_INDICES = frozenset({"water", "ocean"})  # families of what indices are made to show
_CLASSES = "class_label"
_VERSION = regex(r"v\d+")
_COUNTS, _HEIGHTS, _UNCERTAINTY = "digital_number", "elevation", "uncertainty"
_MOST_OPEN = 6  # quantities that a file of a product may be of, the most usual first

Read: TypeAlias = "tuple[Token, Layer]"


@dataclass(frozen=True, slots=True)
class Said:
    """What a name says beside its days; ``groups`` are its parts by name, for conditions and companions.

    ``several`` is where it says that the bands are of parts of its date, ``own_year`` where years are its own.
    ``months`` are the parts of a year that it names apart from the year: ``06-08``, ``?`` for a season, and for a day
    (``25Oct``), of which a year alone would say too little. ``cited`` is where its only year is written together with a
    word that nobody knows, and may be that of a work (``Nechad2009``).
    """

    facts: Facts = field(default_factory=Facts)
    clues: tuple[Clue, ...] = ()
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    family: str | None = None
    derived: bool = False
    years: tuple[Span, ...] = ()
    own_year: bool = False
    cited: bool = False
    several: bool = False
    months: tuple[str, ...] = ()
    step: str | None = None
    tokens: tuple[Token, ...] = ()


def what_is_said(
    name: Name, product: Known | None, shape: Mapping[str, str], moment: str | None, dtype: str | None
) -> Said:
    """What the tokens of a name say; ``shape`` holds the parts of the published name in it, ``moment`` its date where
    conditions of the product ask for it."""
    own = as_of_product(settled(name), name.rest, product)
    folders = tuple(_unless_said(tokens, shape) for tokens in name.folders)
    lent = tuple(_lent(own, folders, _by_itself(own, product, shape)))
    if any(_is_of_radar(token) for token in lent) and any(token.kind == "colour" for token in own):
        own = tuple(replace(one, kind="word", entry=None) if one.kind == "colour" else one for one in own)
        lent = tuple(token for token in lent if token.kind != "layer")  # vert among interferograms is none of them
    tokens = (*own, *lent)
    read = _layers(tokens, product)
    groups = {**_groups(tokens, read), **shape}
    meant, maybe = _meant(read, product, groups, moment, dtype)
    tokens, meant, maybe = of_concepts(tokens, own, meant, maybe, product, groups, dtype)
    if any(one.kind == "daynight" != other.kind for one, other in zip(own, tokens, strict=False)):
        groups = {name: text for name, text in groups.items() if name != "daynight" or name in shape}  # of a burn day
    if SHAPE_MARK not in name.rest:
        of_products = {token.key for token in name.own if token.kind == "product"} | name.nothing
        of_products |= frozenset() if product is None else product.words
        meant, maybe = unless_unread(tokens[: len(own)], meant, maybe, of_products)
    meant, maybe = unless_of_bands(own, meant, maybe, made=not has_bands(meant))
    if not maybe:
        maybe = hinted(own, meant, dtype, name.shared)
        sure = any(one.weight >= USUALLY for one in maybe)
        maybe = maybe if sure else with_folders(own, name.folders, meant) or maybe
    stated, doubtful = _stated(tokens, groups)
    facts = _as_stored(in_unit(stated.over(meant), tokens), own, dtype)
    of = facts.value("quantity")
    derived = of != _UNCERTAINTY and (  # which it stays, in days as well
        is_made(tokens, facts) or is_rate(tokens, facts) or any(_is_sum(token, read, product, facts) for token in own)
    )
    if derived:
        facts, made = made_of(tokens, _of_any(facts, maybe) if read else facts)
        maybe = (*made, *maybe) if made else ()
        facts = in_unit(facts, tokens)
        if not read:
            facts, maybe = unless_initials(own, facts, maybe, name.nothing)
    words = [token for token in own if token.kind == "word" and token.key.isalpha() and token.entry is None]
    maybe = of_units(maybe, tokens)
    if any(token.key not in name.nothing for token in words):
        maybe = tuple(replace(one, weight=OF_LITTLE) if _may_be_less(one) else one for one in maybe)
    usual = (*usual_unit(facts, of), *_unit_alone(facts, tokens, maybe))
    bands, doubted = (Facts(), ()) if derived or not has_bands(facts) else bands_told(own, tokens, facts, groups)
    label = "" if derived or (maybe and read) else label_of(read, product, groups, facts)
    return Said(
        facts=named(name, own, label, groups).over(bands).over(facts),
        clues=(*maybe, *doubtful, *doubted, *usual, *_wide(tokens)),
        groups=MappingProxyType(groups),
        family=next((layer.meaning.family for _, layer in read if layer.meaning.family), None)
        or (product.product.family if product else None),
        derived=derived,
        years=years_of(own) or years_of(tokens),
        several=any(token.kind == "several" for token in tokens),
        own_year=bool(years_of(own)),
        months=months_of(own),
        step=next((token.value for token in tokens if token.kind == "step"), None),
        tokens=tokens,
    )


def unless_a_difference(said: Said) -> Said:
    """What a name of two moments says, open where it is of heights, which last: what changed between them has those."""
    if said.facts.value("quantity") != _HEIGHTS or said.derived:
        return said
    known = said.facts["quantity"].source
    maybe = (Clue("quantity", one, known, MAYBE) for one in (f"{_HEIGHTS}_difference", _HEIGHTS))
    return replace(said, facts=said.facts.without(OF_NUMBERS), clues=(*said.clues, *maybe))


def _is_of_radar(token: Token) -> bool:
    return isinstance(token.entry, Layer) and _FAMILY_OF_RADAR in _families(token.entry)


def _of_any(facts: Facts, maybe: Iterable[Clue]) -> Facts:
    """Facts of the first of the quantities that a layer may be of: what is made of any of them is the same."""
    possible = [clue for clue in maybe if clue.fact == "quantity"]
    if "quantity" in facts or not possible:
        return facts
    return facts.put("quantity", possible[0].value, Origin.ASSUMED, possible[0].source)


def _may_be_less(clue: Clue) -> bool:
    """Whether a clue is for what a word may mean where nobody knows what others say; classes are of anything."""
    return clue.fact == "quantity" and OF_LITTLE < clue.weight <= MAYBE and clue.value != _CLASSES


def _by_itself(own: tuple[Token, ...], product: Known | None, shape: Mapping[str, str]) -> bool:
    """Whether a published name, or that of a product of one layer, says what it is of, whatever folder it is in."""
    if product is None or not (shape or any(token.kind == "product" for token in own)):
        return False
    return bool(product.meaning.facts({**_groups(own, ()), **shape}, None, None, "").value("quantity"))


def _unless_said(tokens: tuple[Token, ...], shape: Mapping[str, str]) -> tuple[Token, ...]:
    """The tokens of a folder without words that its files have in their published names: nothing was made of the
    seasonality in ``seasonality/seasonality_10E_50N.tif``."""
    said = {plain(text) for text in shape.values()}
    return tuple(token for token in tokens if token.kind != "derived" or token.key not in said)


def _lent(own: tuple[Token, ...], folders: tuple[tuple[Token, ...], ...], by_itself: bool) -> Iterator[Token]:
    """What the folders say of what the name does not; words of derivation where a folder is of nothing else."""
    known = {token.kind for token in own} | ({"layer"} if by_itself else set())
    hints = (token for token in own if token.kind == "word" and token.key.isalpha() and isinstance(token.entry, tuple))
    hinted_at = {str(kind) for token in hints for kind in token.entry or ()}
    measured = _names_what_is_measured(own)
    for tokens in folders:
        kinds = {token.kind for token in tokens}
        lent = [token for token in tokens if token.kind in _OF_FOLDERS and token.kind not in known]
        if hinted_at:  # the cc of ifg/190706-190718_cc
            lent = [token for token in lent if token.kind != "layer" or hinted_at & {*_kinds_of(token)}]
        of_nothing_else = not kinds - {"derived", "plain", "step", "year"} and "statistic" not in known
        if "layer" in {token.kind for token in lent} or of_nothing_else:
            made = (token for token in tokens if token.kind == "derived")
            lent += [token for token in made if not (measured and token.key in _GATHERED_FOR)]
        yield from lent
        known |= {token.kind for token in lent}


_GATHERED_FOR = frozenset(
    {
        *("hazard", "hazards", "risk", "risks", "exposure", "vulnerability", "riesgo", "risco", "rischio", "risque"),
        *("risiko", "amenaza", "peligro", "gefahr", "gefaehrdung", "alea"),
    }
)
"""What a folder of measured layers is for: ``hazard/flood_depth_RP100_m.tif``."""


def _names_what_is_measured(own: Iterable[Token]) -> bool:
    """Whether a name tells layers that are measured, each: no flood, which in a folder of risks may be one."""
    kinds = [kind for token in own if token.kind == "layer" for kind in _kinds_of(token)]
    known = [quantity_kinds().get(kind) for kind in kinds]
    return bool(known) and all(kind is not None and not kind.categorical for kind in known)


def _kinds_of(token: Token) -> tuple[str, ...]:
    return (*token.entry.meaning.quantities, *token.entry.meaning.open) if isinstance(token.entry, Layer) else ()


def _layers(tokens: Iterable[Token], product: Known | None) -> tuple[Read, ...]:
    """The layers that a name speaks of, one for each meaning; of a product those that it has."""
    found: dict[str, Read] = {}
    for token in tokens:
        if token.kind == "layer" and (layer := _layer(token, product)) is not None:
            found.setdefault(layer.meaning.name, (token, layer))
    layers = () if product is None else product.layers.values()
    if product is not None and product.meaning.quantities:  # a letter that may mean much beside what says enough
        found = {name: one for name, one in found.items() if not (one[1].meaning.gives_way and one[1].meaning.open)}
    told = {kind for _, layer in found.values() for kind in layer.meaning.quantities}
    wide = {name for name, (_, layer) in found.items() if told & {*layer.meaning.open}}
    found = {name: one for name, one in found.items() if name not in wide}  # nDOM_Bestandeshoehe
    stored = {name for name, (_, layer) in found.items() if layer not in layers and _is_stored(layer)}
    if len(stored) < len(found):  # numbers as they are stored: of what, the others say
        found = {name: one for name, one in found.items() if name not in stored}
    if len(apart := _heights_behind_radar(found)) > 1:
        return apart
    lasting = [one for one in found.values() if not one[1].meaning.gives_way]
    # heights are what much is made of, whatever product they are of: DTM_slope
    lasting = [one for one in lasting if one[1].meaning.quantities != (_HEIGHTS,)] or lasting
    own = [one for one in lasting if one[1] in layers]
    marks = frozenset() if product is None else frozenset[str]().union(*product.marks)
    # the SD of CCI biomass AGB SD
    own = [one for one in own if marks.isdisjoint((one[0].key, one[0].form, in_english(one[0].text)))] or own
    if own and all("{" in layer.name for _, layer in own):  # an index is made of bands
        made = [one for one in lasting if _families(one[1]) & _MADE_OF_BANDS]
        own = [one for one in made if "{" not in one[1].name] or own
    indices = [one for one in lasting if any(_family(kind) == "index" for kind in one[1].meaning.quantities)]
    if len(indices) == 1 and all(
        _families(layer) <= _SHOWN_BY_INDICES for _, layer in lasting if layer != indices[0][1]
    ):
        lasting = indices  # NDTI_turbidity
    sure = [one for one in found.values() if not one[1].meaning.open]
    read = own or lasting or [one for one in found.values() if one[1] in layers] or sure or list(found.values())
    masks = [one for one in read if any(_family(quantity) == "mask" for quantity in one[1].meaning.quantities)]
    return tuple(masks if len(masks) == 1 else read)


def _heights_behind_radar(found: Mapping[str, Read]) -> tuple[Read, ...]:
    """What a name speaks of where that is of a radar but for heights behind it: these it was made with, and the file
    may hold either."""
    read = sorted(found.values(), key=lambda one: one[0].start)
    heights = bool(read) and read[-1][1].meaning.quantities == (_HEIGHTS,)
    return tuple(read) if heights and all(_families(one) == {_FAMILY_OF_RADAR} for _, one in read[:-1]) else ()


def _families(layer: Layer) -> set[str]:
    return {_family(quantity) for quantity in layer.meaning.quantities}


def _is_stored(layer: Layer) -> bool:
    return layer.meaning.quantities == (_COUNTS,)


def _layer(token: Token, product: Known | None) -> Layer | None:
    if product is None:
        return token.entry if isinstance(token.entry, Layer) else None
    own = product.layers.get(token.key) or product.layers.get(token.form)
    if own is None and _VERSION.fullmatch(token.key) and product.meaning.quantities:
        return None  # v100 of a map is no wind
    entry = token.entry if isinstance(token.entry, Layer) else None
    return own or (None if entry is None else _of_product(entry, product)) or entry


def _of_product(layer: Layer, product: Known) -> Layer | None:
    """The layer of a product that a word means which leaves open what it is of: the only one that the product has of
    these quantities, or of several that differ in their statistic (temperature, the highest, the lowest) that of none.
    """
    of_it = {one.meaning.name: one for one in product.layers.values() if len(one.meaning.quantities) == 1}
    found = [one for one in of_it.values() if one.meaning.quantities[0] in layer.meaning.open]
    if layer.meaning.quantities or len({one.meaning.quantities for one in found}) != 1:
        return None
    plain = [one for one in found if not any("statistic" in clause.facts for clause in one.meaning.clauses)]
    return plain[0] if len(plain) == 1 else None


def _family(quantity: object) -> str:
    kind = quantity_kinds().get(str(quantity))
    return kind.family if kind else ""


def _is_sum(token: Token, read: tuple[Read, ...], product: Known | None, facts: Facts) -> bool:
    """Whether a word makes sums of what does not add up: the sum of NDVI is no NDVI, that of rain is rain."""
    if token.kind != "statistic" or token.value != "sum":
        return False
    meanings = [layer.meaning for _, layer in read] + ([product.meaning] if product else [])
    kinds = [quantity_kinds().get(quantity) for meaning in meanings for quantity in meaning.quantities]
    kinds.append(quantity_kinds().get(str(facts.value("quantity"))))
    return not any(kind is not None and (kind.accumulates or kind.per_pixel or "mm" in kind.told_in) for kind in kinds)


def _as_stored(facts: Facts, own: Iterable[Token], dtype: str | None) -> Facts:
    """The facts with the scale of whole numbers that a name says are so many times what they mean: ``ph_x10``."""
    times = {token.value: token.text for token in own if token.kind == "times"}
    if len(times) != 1 or not str(dtype).startswith(("int", "uint")) or "quantity" not in facts:
        return facts
    ((value, text),) = times.items()
    return facts.without(("offset",)).put("scale", 1.0 / int(value[1:]), Origin.DECLARED, f"file name ({text!r})")


def _groups(tokens: tuple[Token, ...], read: tuple[Read, ...]) -> dict[str, str]:
    """The parts of a name that conditions may ask for; of several of one kind none."""
    groups: dict[str, str] = {}
    for kind in ("band", "tile", "unit", "step", *_STATED):
        said = (token for token in tokens if token.kind == kind)
        values = dict.fromkeys(band_of(token) if kind == "band" else token.value for token in said)
        if len(values) == 1:
            groups[kind] = next(iter(values))
    colours = [token for token in tokens if token.kind == "colour"]
    if len(colours) == 1 and not any(token.kind == "band" for token in tokens):
        groups["band"] = colours[0].value
    if read:
        token, layer = read[0]
        groups |= {"layer": token.text, "name": layer.name}
        if own := layer.band_in(token.text):
            groups["band"] = band_name(own.strip(EDGES))
        for night in ("day", "night"):
            glued = token.key.removesuffix(night)  # lstnight
            known = load_lore().vocabulary.get(glued) if glued != token.key else None
            if (known is not None and known.kind == "layer") or re.search(
                rf"(?<![A-Za-z]){night}(?![A-Za-z]|[-_ .]?lights?)", token.text, re.IGNORECASE
            ):
                groups.setdefault("daynight", night)
        held = {band for one in tokens if isinstance(one.entry, Layer) and (band := one.entry.band_in(one.text))}
        if len(held) == 1 and not own:  # the HH of gamma nought HH, which is a layer by itself
            groups.setdefault("band", band_name(held.pop().strip(EDGES)))
    elif "band" in groups:
        groups["layer"] = groups["band"]
    return groups


def _meant(
    read: tuple[Read, ...], product: Known | None, groups: Mapping[str, str], moment: str | None, dtype: str | None
) -> tuple[Facts, tuple[Clue, ...]]:
    """What layer and product mean; of several layers that mean different things each may be it."""
    told = [
        layer.meaning.facts(groups, moment, dtype, f"layer name {token.text!r} ({layer.meaning.title})")
        for token, layer in read
    ]
    whole = Facts()
    if product is not None:
        whole = product.meaning.facts(groups, moment, dtype, f"file name ({product.product.title})")
    opened = {
        quantity: f"layer name {token.text!r}"
        for token, layer in read
        for quantity in layer.meaning.opened(groups, moment, dtype)
    }
    if product is not None and not read:
        of_product = f"file name ({product.product.title})"
        opened |= dict.fromkeys(product.meaning.opened(groups, moment, dtype), of_product)
    if opened and len(in_unit := told_in(opened, groups["unit"]) if "unit" in groups else []) == 1:
        source = f"{opened[in_unit[0]]}, in {groups['unit']}"
        return Facts.of(Origin.DECLARED, source, quantity=in_unit[0]).over(whole.without(OF_NUMBERS)), ()
    if opened:  # nobody can know which
        return whole.without(OF_NUMBERS), tuple(Clue("quantity", one, source, MAYBE) for one, source in opened.items())
    quantities = dict.fromkeys(quantity for facts in told if (quantity := facts.value("quantity")) is not None)
    if len(quantities) > 1:
        each = (facts[name] for facts in told for name in ("quantity",) if name in facts)
        return whole.without(OF_NUMBERS), tuple(Clue("quantity", one.value, one.source, MAYBE) for one in each)
    if product is None and set(quantities) == {_COUNTS} and "band" not in groups:  # numbers as stored, of anything
        source = f"layer name {read[0][0].text!r}"
        return whole.without(OF_NUMBERS), (Clue("quantity", _COUNTS, source, MAYBE),)
    its_own = any(product is not None and layer in product.layers.values() for _, layer in read)
    usual = () if product is None or its_own else product.meaning.quantities
    if set(quantities) == {_COUNTS} and usual and _COUNTS not in usual:
        # the numbers as they are stored, or what they are of
        source = f"file name ({read[0][0].text!r})"
        return whole.without(OF_NUMBERS), tuple(Clue("quantity", one, source, MAYBE) for one in (_COUNTS, *usual))
    if quantities and whole.value("quantity") not in (None, *quantities) and not its_own:
        whole = whole.without(OF_NUMBERS)  # another layer than those of the product
    if read and not its_own and not quantities and whole.value("quantity") == _HEIGHTS:
        whole = whole.without(OF_NUMBERS)  # the openness of a DTM
    for facts in reversed(told):
        whole = facts.over(whole)
    if product is not None and "quantity" not in whole and not read:
        layers = {layer.meaning.name: layer.meaning for layer in product.layers.values()}.values()
        kinds = dict.fromkeys(quantity for meaning in layers for quantity in meaning.quantities)
        source = f"a layer of {product.product.title}"
        in_unit = told_in(kinds, groups["unit"]) if "unit" in groups else []
        if len(in_unit) == 1:
            only = f"file name ({groups['unit']}, {source})"
            meant = (("quantity", in_unit[0]), ("unit", groups["unit"]))
            return whole, tuple(Clue(fact, value, only, USUALLY, Origin.ASSUMED) for fact, value in meant)
        return whole, tuple(Clue("quantity", kind, source, 0.3) for kind in list(kinds)[:_MOST_OPEN])
    return whole, ()


def _stated(tokens: tuple[Token, ...], groups: Mapping[str, str]) -> tuple[Facts, tuple[Clue, ...]]:
    """What words say by themselves; where they contradict each other, each may be right."""
    facts, clues = Facts(), []
    for kind in _STATED:
        texts = {token.value: token.text for token in tokens if token.kind == kind}
        if kind == "sensor":
            texts = _most_telling({canonical_sensor(value): text for value, text in texts.items()})
        if len(texts) == 1 or kind in groups:
            value = next(iter(texts)) if len(texts) == 1 else groups[kind]
            value = canonical_sensor(groups.get(kind, value)) if kind == "sensor" else value
            value = value.upper() if kind == "level" else value.casefold() if kind == "daynight" else value
            facts = facts.put(kind, value, Origin.DECLARED, f"file name ({texts.get(value, value)!r})")
        else:
            clues += [Clue(kind, value, f"file name ({text!r})", MAYBE) for value, text in texts.items()]
    polarisation = groups.get("polarisation") or groups.get("band", "")
    if polarisation.casefold() in _POLARISATIONS:
        facts = facts.put("polarisation", polarisation.upper(), Origin.DECLARED, f"file name ({polarisation!r})")
    return facts, tuple(clues)


def _most_telling(sensors: Mapping[str, str]) -> dict[str, str]:
    """Sensors without those that another one names more closely: of sentinel-2 and sentinel-2a the latter."""
    return {
        one: text
        for one, text in sensors.items()
        if not any(other != one and other.startswith(one) for other in sensors)
    }


def _unit_alone(facts: Facts, tokens: Iterable[Token], maybe: Iterable[Clue]) -> Iterator[Clue]:
    """The unit that a name states of what it does not say, or may say: believed where all that is may be in it."""
    texts = {token.value: token.text for token in tokens if token.kind == "unit"}
    if len(texts) == 1 and "quantity" not in facts and "unit" not in facts:
        ((unit, text),) = texts.items()
        of_much = " " not in unit  # mS m-1 is nothing else, and m may be
        may_be = [quantity_kinds().get(str(one.value)) for one in maybe if one.fact == "quantity"]
        all_told = bool(may_be) and all(kind is not None and is_told_in(kind, unit) for kind in may_be)
        yield Clue("unit", unit, f"file name ({text!r})", MAYBE if of_much and not all_told else USUALLY)


def _wide(tokens: Iterable[Token]) -> Iterator[Clue]:
    """Sizes of pixels that words state: the header knows better, where there is one."""
    for token in tokens:
        if token.kind == "resolution":
            yield Clue("resolution", token.value, f"file name ({token.text!r})", 0.3)
