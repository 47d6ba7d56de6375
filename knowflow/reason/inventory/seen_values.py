"""What the values of layers say beside names and headers: the unit, which mask, and what a layer cannot be.

A temperature of 12 is told in degrees Celsius, one of 285 in kelvin; backscatter below 0 is in decibels; what is called
by water and holds 0 and 1 is a mask of water, and no raster of 0 and 1 is a coherence. What follows is *assumed*, and
told; what contradicts a name is told, too, and the quantity is open then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path, PurePath

from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.regex import regex
from knowflow.ground.units import compatible, convert
from knowflow.ground.units import known as known_unit
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Origin
from knowflow.reason.inventory.amounts import is_month_of_model, is_of_its_period, of_whole_month
from knowflow.reason.inventory.called import unread_words
from knowflow.reason.inventory.class_maps import of_classes
from knowflow.reason.inventory.company import as_at_sea, as_siblings, settled_by_company
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import Look, looks
from knowflow.reason.inventory.guesses import Around, guesses, masks_in_words, units_of_guesses
from knowflow.reason.inventory.levels import FLATTENED, usual_of_bands
from knowflow.reason.inventory.names import plain_stem, told_beside
from knowflow.reason.inventory.packings import in_per_cent, may_be_stored
from knowflow.reason.inventory.said_in_words import is_beside_unread
from knowflow.reason.inventory.unit_words import STATED, kind_told_in
from knowflow.reason.inventory.usual_scales import (
    is_stored_in_per_cent,
    may_be_scaled,
    scales_of,
    with_offsets_of_sentinel2,
    with_usual_scale,
)
from knowflow.reason.inventory.usual_units import PURE_NUMBER, unit_by_values

_BY_NAMES = ("layer name", "file name", "usual for", "the description")
_WIDEST = 4096.0  # of the range of what is stored in eight bits
_DRAWN = (12.0, 240.0)  # what most numbers reach that fill eight bits
_MOST_CODES = 10  # of a mask: yes, no, and some reasons why nobody knows
_OF_NAMES = ("layer name", "file name", "words of its name", "a layer of")
_COUNTED = frozenset({"measure", "urban", "fire"})  # families of what may be 0 or 1 all over
_ONE_UNIT = ("m", "degree", "1", "%")
_HARDLY = 0.3  # what a unit weighs that is one of several
_LAND_COVER, _MOST_CLASSES, _PER_CENT = "land_cover_class", 60.0, 100.0
_DAY = "day_of_year"
_YES_AND_NO, _WHOLE_CIRCLE, _NEAR_NOTHING = 2, 360.0, 0.02
_MOST_SHARE, _NO_SHARE = 110.0, 1.6  # of the largest values of what is told in per cent, and of shares
_SIGNED = 0.1  # how far below 0 of their largest numbers those of differences are
_LETTERS = regex(r"[^\W\d_]+")
_CONTRADICTED = 0.1  # what a name weighs against values
_OF_QUANTITY = ("unit", "scale", "offset", "classes")

Open = Mapping[tuple[str, int | None], tuple[Candidate, ...]]


@dataclass(frozen=True, slots=True)
class Judged:
    """Artifacts as their values leave them, what is open of them, and in words where values contradict names."""

    artifacts: tuple[Artifact, ...]
    open: Open
    notes: tuple[str, ...]


def judged_by_values(artifacts: Sequence[Artifact], left: Open, root: Path) -> Judged:
    """The artifacts with what a glance at their values says, and the candidates of what it leaves open."""
    asked = [item for item in artifacts if item.type == "raster" and _is_open(item)]
    seen = looks(asked)
    kinds = (str(known.value) for item in artifacts if (known := item.known("quantity")) is not None)
    around, beside = Around(root, frozenset(kinds)), _by_folder(artifacts)
    called: dict[PurePath, set[str]] = {}
    for path in (PurePath(str(item.path)) for item in artifacts if item.type == "raster"):
        called.setdefault(path.parent, set()).add(path.stem)
    flattened = {place for place, stems in called.items() if any(map(FLATTENED.search, stems))}
    named_so = frozenset(word.casefold() for word in _LETTERS.findall(root.name))
    shared = cache(lambda place: told_beside(called[place]).shared | named_so)
    found: list[Artifact] = []
    still_open = dict(left)
    notes: dict[str, list[str]] = {}
    for item in artifacts:
        look, key = seen.get(id(item)), (str(item.path), item.band)
        if item.type == "raster":
            named = item.known("quantity")
            place = PurePath(str(item.path)).parent
            item, said = _judged(item, look, left.get(key, ()), place == root)
            near = beside.get(place, ())
            item = usual_of_bands(item, look, left.get(key, ()), near, around.quantities, place in flattened)
            if look is not None and named is None:
                item = with_usual_scale(item, look, quantity_kinds().get(str(item.fact("quantity"))))
            look = look if look is not None and look.varies else None
            item = settled_by_company(
                item,
                look,
                left.get(key, ()),
                near or around.quantities,
                partial(shared, place),
                partial(_agrees, look),
                around.folders_of(item),
            )
            item = as_at_sea(item, near)
            item = _despite_words(item, look, left.get(key, ()))
            item = of_classes(_by_unit(item, left.get(key, ())), look, left.get(key, ()), around.quantities)
            if said:
                notes.setdefault(said, []).append(PurePath(item.path or item.name).name)
            candidates = _of_quantity(item, left.get(key, ()), look, around)
            if named is not None and "quantity" not in item.facts:
                candidates = (*candidates, Candidate("quantity", named.value, (named.source,), _CONTRADICTED))
            others = tuple(one for one in left.get(key, ()) if one.fact != "quantity" and one.fact not in item.facts)
            others += _units_of(item, others) or units_of_guesses(item, others, candidates)
            others += scales_of(item, look, quantity_kinds().get(str(item.fact("quantity"))))
            still_open[key] = (*candidates, *others)
        found.append(item)
    places = {(str(item.path), item.band): seen.get(id(before)) for item, before in zip(found, artifacts, strict=True)}
    found = as_siblings(found, lambda item: _agrees(places[str(item.path), item.band], item))
    found = with_offsets_of_sentinel2(found, [seen.get(id(item)) for item in artifacts])
    for item in found:
        if still_open.get(key := (str(item.path), item.band)):
            still_open[key] = tuple(
                one
                for one in still_open[key]
                if one.fact not in ("quantity", "scale", "offset") or one.fact not in item.facts
            )
    told = tuple(f"{_of_files(names)}: {said}" for said, names in notes.items())
    return Judged(tuple(found), {key: some for key, some in still_open.items() if some}, told)


def _of_files(names: Sequence[str]) -> str:
    """Files of which the same is said: the first, and how many more there are."""
    return names[0] + (f" and {len(names) - 1:,} more" if names[1:] else "")


def _by_folder(artifacts: Iterable[Artifact]) -> Mapping[PurePath, set[str]]:
    """The quantities that are known in each folder."""
    found: dict[PurePath, set[str]] = {}
    for item in artifacts:
        if (known := item.known("quantity")) is not None:
            found.setdefault(PurePath(str(item.path)).parent, set()).add(str(known.value))
    return found


def _is_open(item: Artifact) -> bool:
    """Whether the values may say something: the quantity or the unit is not stated by the file itself, or by which
    scale its whole numbers are of it."""
    quantity, unit = item.known("quantity"), item.known("unit")
    open_ = quantity is None or _by_name(quantity) or _is_unsaid(unit)
    return open_ or may_be_scaled(item) or is_month_of_model(item)


def _by_name(fact: Fact) -> bool:
    return fact.origin < Origin.USER and fact.source.startswith(_BY_NAMES)


def _is_unsaid(unit: Fact | None) -> bool:
    """Whether a unit is merely the usual one; of a share that a name tells nobody says that it is no percentage."""
    if unit is None or unit.origin is Origin.ASSUMED or unit.source.endswith(PURE_NUMBER):
        return True
    return unit.value == "1" and _by_name(unit)


def _is_doubted(mask: str, left: Iterable[Candidate]) -> bool:
    """Whether a product leaves open which mask it is, that of yes or of no; or a name what else it may be than a mask
    of anything."""
    named = {str(one.value) for one in left if one.fact == "quantity" and one.sources[0].startswith("layer name")}
    masks = sum(kind in quantity_kinds() and quantity_kinds()[kind].family == "mask" for kind in named)
    return masks > 1 or (mask == "mask" and bool(named - {mask}))


def _judged(
    item: Artifact, look: Look | None, left: Sequence[Candidate] = (), in_root: bool = False
) -> tuple[Artifact, str]:
    """A raster as its values leave it, and in words what they contradict."""
    said = ""
    item = _as_told_in(item)
    quantity = item.known("quantity")
    why = _contradiction(item, look) if quantity is not None and _by_name(quantity) else ""
    if quantity is not None and why and look is not None and (stored := _without_scale(item, look)) is not None:
        return stored, f"its numbers are not stored as its {quantity.source} says: {why}, and nobody knows their scale"
    if quantity is not None and why:
        said = f"it is no {quantity.value} as by its {quantity.source}: {why}"
        unsaid = [name for name in _OF_QUANTITY if (fact := item.known(name)) is not None and _by_name(fact)]
        item = item.with_facts(item.facts.without(("quantity", *unsaid)))
        if (unit := item.known("unit")) is not None and _is_unsaid(unit):
            item = item.with_facts(item.facts.without(("unit",)))
    if look is not None and look.yes_or_no and (item.fact("count") or 1) == 1 and _may_be_a_mask(item):
        told = masks_in_words(item, in_root)
        if len(told) == 1 and not _is_doubted(next(iter(told)), left):
            (mask, word) = next(iter(told.items()))
            facts = item.facts.put("quantity", mask, Origin.ASSUMED, f"{word!r} in its name, and values of yes and no")
            item, said = item.with_facts(facts.put("unit", "1", Origin.ASSUMED, "a mask is a pure number")), ""
    if look is not None and look.varies and "quantity" in item.facts and _is_unsaid(item.known("unit")):
        kind = quantity_kinds()[str(item.fact("quantity"))]
        fitting = unit_by_values(kind, look, item.known("unit"))
        fitting = fitting or in_per_cent(look, kind, str(item.fact("dtype")))
        if fitting is not None and may_be_stored(look, kind, str(item.fact("dtype")), fitting[0]):
            item = item.with_facts(item.facts.without(("unit",)))
        elif fitting is not None:
            item = item.with_facts(item.facts.without(("unit",)).put("unit", fitting[0], Origin.ASSUMED, fitting[1]))
        elif _of_no_unit(item, look) or _is_impossible(item, look):
            item = item.with_facts(item.facts.without(("unit",)))
    item = item if look is None else of_whole_month(item, look)
    if look is not None and is_stored_in_per_cent(item, look):
        item = item.with_facts(item.facts.without(("unit",)).put("unit", "1", Origin.ASSUMED, "its scale makes shares"))
    if look is not None:
        item = with_usual_scale(item, look, quantity_kinds().get(str(item.fact("quantity"))))
    usual = item.known("unit") if "quantity" not in item.facts else None
    stated = usual is not None and not said and usual.source.startswith(STATED)
    if usual is not None and not stated and (usual.origin is Origin.ASSUMED or _by_name(usual)):
        item = item.with_facts(item.facts.without(("unit",)))  # it was the usual one of what nobody says any more
    return _with_number_of_units(item), said


def _as_told_in(item: Artifact) -> Artifact:
    """A raster as what its header tells it in, where that is another quantity of nearly the same name."""
    named, unit = item.known("quantity"), item.known("unit")
    kind = quantity_kinds().get(str(item.fact("quantity")))
    if named is None or kind is None or unit is None or _is_unsaid(unit) or not _by_name(named):
        return item
    other = kind_told_in(kind, str(unit.value)) if known_unit(str(unit.value)) else None
    if other is None:
        return item
    facts = item.facts.without(("quantity",)).put("quantity", other, named.origin, f"{named.source}, in {unit.value}")
    return item.with_facts(facts)


def _without_scale(item: Artifact, look: Look) -> Artifact | None:
    """A band of a product whose numbers are those of its quantity, by another scale than that of the product."""
    scale = item.known("scale")
    if scale is None or not _by_name(scale) or not look.whole or item.fact("band") is None:
        return None
    item = item.with_facts(item.facts.without(("scale", "offset")))
    return None if _contradiction(item, replace(look, physical=False)) else item


def _of_no_unit(item: Artifact, look: Look) -> bool:
    """Whether the numbers of a share are larger than per cent, or whole ones that are no shares: a scale is missing,
    and of which unit it would make them nobody says."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    told = kind is not None and kind.is_share and len(kind.units_beside) > 0 and kind.family != "radiometry"
    whole = look.whole and not look.physical and kind is not None and kind.range[1] == 1.0
    return told and item.fact("scale") is None and look.top > (_NO_SHARE if whole else _MOST_SHARE)


def _is_impossible(item: Artifact, look: Look) -> bool:
    """Whether numbers are none of their quantity in the unit that is merely the usual one."""
    kind, unit = quantity_kinds().get(str(item.fact("quantity"))), item.known("unit")
    assumed = unit is not None and unit.origin is Origin.ASSUMED and look.physical
    return assumed and kind is not None and not kind.borrows_unit and not _within(look, kind, str(item.fact("unit")))


def _with_number_of_units(item: Artifact) -> Artifact:
    """A pure number that a header tells in what it counts (the day of the year in days), or a name in what its classes
    are made by (a forest mask of 30 %); what is told in decibels is the quantity that is."""
    kind, unit = quantity_kinds().get(str(item.fact("quantity"))), item.known("unit")
    if kind is None or unit is None or kind.unit != "1" or unit.value == "1":
        return item
    if unit.value == "dB" and f"{kind.name}_db" in quantity_kinds():
        named = item.known("quantity")
        assert named is not None  # as its kind is known
        facts = item.facts.without(("quantity",))
        return item.with_facts(facts.put("quantity", f"{kind.name}_db", named.origin, f"{named.source}, in dB"))
    counted = unit.value in kind.told_in and not compatible(
        str(unit.value), kind.unit
    )  # g kg-1 are parts of a thousand
    if not counted and not (kind.categorical and _by_name(unit)):
        return item
    return item.with_facts(item.facts.without(("unit",)).put("unit", "1", unit.origin, f"{kind.name} {PURE_NUMBER}"))


def _may_be_a_mask(item: Artifact) -> bool:
    kind = quantity_kinds().get(str(item.fact("quantity")))
    return kind is None or kind.name in ("land_cover_class", "class_label", "mask")


def _agrees(look: Look | None, item: Artifact) -> bool:
    return not _contradiction(item, look)


def _contradiction(item: Artifact, look: Look | None) -> str:
    """Why a layer cannot be of the quantity that its name says; "" where it can."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    unit = item.known("unit")
    if kind is None or kind.borrows_unit:  # a difference is told in the unit of what differs, in any range
        return ""
    if unit is not None and not _is_unsaid(unit) and not kind.may_be_in(str(unit.value)):
        return f"its unit is {unit.value}"
    if look is None or not look.varies:
        return ""
    told = f"its values are from {look.low:g} to {look.high:g}"
    least, most = kind.range
    legend = item.known("classes")
    if legend is not None and not kind.categorical and len(look.codes or ()) > 1:
        names = {int(code): name for code, name in legend.value}
        if not _by_name(legend) and names.keys() >= set(look.codes or ()):
            return f"its numbers are named ({', '.join(map(str, list(names.values())[:3]))})"
    if (
        not kind.categorical
        and not look.physical
        and least == 0
        and look.low < -_SIGNED * max(look.high, 1.0)
        and "offset" not in item.facts
    ):
        return told  # in whatever unit, by whatever scale
    if kind.family == "mask":
        return told if look.whole and len(look.codes or range(99)) > _MOST_CODES and look.high > 1 else ""
    if (
        kind.name == _LAND_COVER
        and look.whole
        and not look.codes
        and look.low >= 0
        and _MOST_CLASSES < look.high <= _PER_CENT
    ):
        return f"{told}, more than there are classes"
    if kind.categorical or kind.name in ("display_value", "digital_number"):
        return "" if look.whole or item.fact("scale") is not None else told
    if kind.name == _DAY and most is not None and look.middle > most and item.fact("scale") is None:
        return told  # days are stored by no scale, but some behind digits of their year
    if look.codes == (0, 1) and (kind.family not in _COUNTED or kind.is_share) and item.fact("scale") is None:
        return "its values are 0 and 1"
    eight_bits = str(item.fact("dtype")) in ("uint8", "int8") and item.fact("scale") is None
    if eight_bits and least is not None and most is not None and most - least > _WIDEST:
        return "it is stored in eight bits"
    if item.fact("dtype") == "uint8" and _is_stretched(kind, look) and item.fact("scale") is None:
        return told
    if look.physical and not _possible(kind, look, None if unit is None or _is_unsaid(unit) else str(unit.value)):
        return told
    return ""


def _is_stretched(kind: QuantityKind, look: Look) -> bool:
    """Whether numbers fill eight bits, and those of the kind are small: drawn, or packed by a scale that nobody
    tells."""
    least, most = kind.range
    small = least is not None and most is not None and max(abs(least), abs(most)) < _DRAWN[0]
    return small and look.low <= _DRAWN[0] and _DRAWN[1] <= look.high <= 255.0 and kind.family == "index"


def _by_unit(item: Artifact, left: Iterable[Candidate]) -> Artifact:
    """A raster of which a name leaves open what it is of, as the one that is told in the unit of its header."""
    unit = item.known("unit")
    if "quantity" in item.facts or unit is None or _is_unsaid(unit) or _by_name(unit):
        return item
    if item.band is not None and "described" not in item.facts:
        return item  # a file of several bands is called by none of them
    named = [one for one in left if one.fact == "quantity" and any(said.startswith(_OF_NAMES) for said in one.sources)]
    told = [one for one in named if _is_told_in(str(one.value), str(unit.value))]
    told = [one for one in named if is_of_its_period(item, str(one.value))] or told
    general = unit.value in _ONE_UNIT or compatible(str(unit.value), "m")  # what so much is told in says little
    if len(told) != 1 or (general and len(named) == 1):
        return item
    if (
        len(named) == 1
        and len(unread_words(plain_stem(str(item.path)))) > 1
        and not told[0].sources[-1].startswith("a")
    ):
        return item  # what the other words say nobody knows: the east of vel_east
    why = f"{told[0].sources[-1]}, and the unit {unit.value}"
    return item.with_facts(item.facts.put("quantity", told[0].value, Origin.ASSUMED, why))


def _despite_words(item: Artifact, look: Look | None, left: Iterable[Candidate]) -> Artifact:
    """A raster that its product or folder says what it is of, beside a word that nobody knows, as that where its values
    are of nothing that is mostly made of it: several classes of what is classes, and numbers far from 0 and larger than
    any slope, angle, share or index."""
    said = [one for one in left if one.fact == "quantity"]
    if "quantity" in item.facts or look is None or len(said) != 1 or not is_beside_unread(said[0].sources[0]):
        return item
    kind = quantity_kinds()[str(said[0].value)]
    classes = kind.categorical and kind.family == "class" and look.whole and len(look.codes) > _YES_AND_NO
    large = not kind.categorical and look.high > _WHOLE_CIRCLE and look.low > _NEAR_NOTHING * look.high
    unit = kind.unit if kind.unit in _ONE_UNIT else None
    if not (classes or large) or (large and not _possible(kind, look, unit)):
        return item
    why = f"{said[0].sources[0]}, and values from {look.low:g} to {look.high:g}"
    item = item.with_facts(item.facts.put("quantity", kind.name, Origin.ASSUMED, why))
    if unit is None or "unit" in item.facts:
        return item
    return item.with_facts(item.facts.put("unit", unit, Origin.ASSUMED, f"the usual unit of {kind.name}"))


def _is_told_in(quantity: str, unit: str) -> bool:
    kind = quantity_kinds().get(quantity)
    if kind is None or not known_unit(unit):
        return False
    return any(unit == one or (unit != "1" and compatible(unit, one)) for one in (kind.unit, *kind.told_in))


def _units_of(item: Artifact, left: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The units in which a layer of a known quantity may be told, where its values leave none."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    if kind is None or "unit" in item.facts or any(one.fact == "unit" for one in left):
        return ()
    units = dict.fromkeys((*kind.units_beside, kind.unit))
    return tuple(Candidate("unit", one, (f"a unit in which {kind.name} is told",), _HARDLY) for one in units)


def _of_quantity(item: Artifact, left: Iterable[Candidate], look: Look | None, around: Around) -> tuple[Candidate, ...]:
    """The candidates for the quantity of a layer that its values allow, with those that words and values suggest."""
    if "quantity" in item.facts:
        return ()
    unit, kinds = item.fact("unit"), quantity_kinds()
    said = [one for one in left if one.fact == "quantity"]
    if look is not None and look.yes_or_no:
        said = [one for one in said if one.value not in kinds or kinds[str(one.value)].categorical]
    if look is not None and look.physical:
        said = [one for one in said if one.value not in kinds or _possible(kinds[str(one.value)], look, unit)]
    return (*said, *guesses(item, look, [str(one.value) for one in said], around))


def _possible(kind: QuantityKind, look: Look, unit: str | None) -> bool:
    """Whether physical numbers can be of a kind, in its unit or in another in which it is often told."""
    if unit is None and kind.unit not in _ONE_UNIT and kind.unit != "K":
        return _within(look, kind, kind.unit) or bool(kind.units_beside)
    return any(_within(look, kind, one) for one in ((unit,) if unit else (kind.unit, *kind.units_beside)))


def _within(look: Look, kind: QuantityKind, unit: str) -> bool:
    if unit != kind.unit and not compatible(unit, kind.unit):
        return kind.may_be_in(unit)  # values of another dimension are not compared
    low, high = (float(convert(end, unit, kind.unit)) for end in (look.low, look.high))
    least, most = kind.range
    return (least is None or low >= least) and (most is None or high <= most)
