"""What a name leaves open, settled by the numbers and by what lies beside it: ``Hs`` among waves and currents is the
height of waves, and among glaciers the depth of snow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.called import unread_words
from knowflow.reason.inventory.concepts import concepts_in, concepts_of
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.name_dates import dates_in
from knowflow.reason.inventory.names import plain_stem
from knowflow.reason.inventory.packings import packing_of
from knowflow.reason.inventory.usual_scales import with_usual_scale
from knowflow.reason.inventory.usual_units import fits, unit_by_values

_OF_NAMES = ("layer name", "file name")
_OF_NUMBERS = ("quantity", "unit", "scale", "offset")
_LETTERS = regex(r"[^\W\d_]+")
_YEAR = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LEAST = 0.39  # what a name weighs that may mean it, and says nothing else
_OF_ANYTHING = frozenset({"mask", "class", "statistics", "measure", "index", "radiometry"})
"""Families that keep company with all others."""
_OF_MUCH = frozenset({"water", "ground", "surface", "land", "area"})
"""What words of folders speak of that is of too many quantities to tell one."""
_OF_AIR = "air_temperature"
_OF_WEATHER = frozenset(
    (
        *("dew_point_temperature", "eastward_wind", "northward_wind", "relative_humidity", "surface_pressure"),
        *("vapour_pressure", "wind_direction", "wind_speed"),
    )
)
"""What stations measure in the air, where temperature is that of the air."""


def settled_by_company(
    item: Artifact,
    look: Look | None,
    left: Iterable[Candidate],
    beside: Collection[str],
    shared: Callable[[], Collection[str]],
    fit: Callable[[Artifact], bool],
    folders: Collection[str] = (),
) -> Artifact:
    """A raster whose name may mean several quantities, as the only one that its numbers can be, or of whose family
    others in its folder are (``beside``), or that the names of its ``folders`` speak of: *assumed*, and told.
    ``shared`` gives the words that several names of its folder have, ``fit`` says whether nothing contradicts a
    raster."""
    if "quantity" in item.facts or look is None or not look.varies or (item.fact("count") or 1) > 1:
        return item
    listed = tuple(left)
    named = {
        str(one.value): source
        for one in listed
        if one.fact == "quantity" and one.weight >= _LEAST and (source := _of_name(one))
    }
    kinds = [quantity_kinds()[one] for one in named if one in quantity_kinds()]
    made = any(kind.family == "statistics" for kind in kinds) and not look.yes_or_no
    if len(set(named.values())) != 1 or any(_is_said(one, named) for one in listed):
        return item  # of several things that a name says none is its own
    if made:  # a correlation, unless what else it may be keeps company: the corr of interferograms
        named = {kind: source for kind, source in named.items() if quantity_kinds()[kind].family != "statistics"}
    possible = [
        kind for kind in named if kind in quantity_kinds() and _may_be(item, look, kind) and fit(_as(item, kind))
    ]
    families = {quantity_kinds()[one].family for one in beside if one in quantity_kinds()} - _OF_ANYTHING
    near = [kind for kind in possible if quantity_kinds()[kind].family in families]
    chosen = possible if len(possible) == 1 < len(named) and not made else near
    around = _of_folders(possible, folders) if len(possible) > 1 else []
    chosen = around or chosen or _ordinary_ones(possible, look)
    if _OF_AIR in possible and _are_of_temperature(possible) and not _OF_WEATHER.isdisjoint(beside):
        chosen = chosen if _are_of_temperature(beside, any_=True) else [_OF_AIR]
    unread = {word for word in unread_words(plain_stem(str(item.path)), ("derived",)) if word.isalpha()}
    unread -= {word.casefold() for source in named.values() for word in _LETTERS.findall(source)} if made else set()
    if len(chosen) == 1 and not look.physical and _others_as_they_stand(possible, chosen[0], look):
        return item
    if len(chosen) != 1 or (unread and not unread <= {*shared()}):
        return item  # a word that nobody knows, and that no others have, may say what it is of: flood depth
    by = "its folder" if around else "what lies beside it" if chosen is near else "its values"
    why = f"{named[chosen[0]]}, and {by}"
    item = item.with_facts(item.facts.put("quantity", chosen[0], Origin.ASSUMED, why))
    if "unit" in item.facts:
        return item
    kind = quantity_kinds()[chosen[0]]
    item = with_usual_scale(item, look, kind)
    if "unit" in item.facts:
        return item
    ordinary = not kind.units_beside and (look.physical or fits(look, kind, kind.unit))
    unit = unit_by_values(kind, look, None) or ((kind.unit, why) if ordinary else None)
    return item if unit is None else item.with_facts(item.facts.put("unit", unit[0], Origin.ASSUMED, unit[1]))


def _others_as_they_stand(possible: Iterable[str], chosen: str, look: Look) -> bool:
    """Whether whole numbers would have to be scaled for one quantity, and are another one as they stand."""
    fitting = {one for one in possible if fits(look, kind := quantity_kinds()[one], kind.unit)}
    return chosen not in fitting and bool(fitting)


def _ordinary_ones(possible: Sequence[str], look: Look) -> list[str]:
    """The only one of quantities of one family and unit of which numbers are ordinary: of ice on land and at sea."""
    kinds = [quantity_kinds()[one] for one in possible]
    alike = len({(kind.family, kind.unit) for kind in kinds}) == 1 and look.physical
    found = [kind.name for kind in kinds if fits(look, kind, kind.unit)] if alike else []
    return found if len(found) == 1 < len(kinds) else []


def _of_folders(possible: Sequence[str], folders: Collection[str]) -> list[str]:
    """The only one of some quantities of which names of folders have a word: the ice of a folder of glaciers."""
    said = {concept for name in folders for word in _LETTERS.findall(name) for concept in concepts_in(word)} - _OF_MUCH
    own = {kind: concepts_of(kind) for kind in possible}
    common = frozenset.intersection(*own.values()) if own else frozenset()
    found = [kind for kind, words in own.items() if said & (words - common)]
    return found if len(found) == 1 else []


def _are_of_temperature(quantities: Iterable[str], any_: bool = False) -> bool:
    """Whether all of some quantities, or any of them, are temperatures."""
    families = [quantity_kinds()[one].family for one in quantities if one in quantity_kinds()]
    return (any if any_ else all)(family == "temperature" for family in families)


def _is_said(one: Candidate, named: Collection[str]) -> bool:
    """Whether another word of the name says that it is of something else."""
    return one.fact == "quantity" and one.value not in named and _of_name(one) != ""


def _of_name(one: Candidate) -> str:
    """What of a name speaks for a candidate."""
    return next((source for source in one.sources if source.startswith(_OF_NAMES)), "")


def _as(item: Artifact, kind: str) -> Artifact:
    return item.with_facts(item.facts.put("quantity", kind, Origin.ASSUMED, "file name"))


def _may_be(item: Artifact, look: Look, name: str) -> bool:
    """Whether numbers are of the sort of a kind: whole ones and few for classes, and else decimal ones, or whole ones
    that fit as they stand."""
    kind = quantity_kinds()[name]
    if kind.categorical:
        return look.whole and not look.physical and look.low >= 0 and (kind.family == "mask") == look.yes_or_no
    if look.yes_or_no:
        return False
    if look.physical:
        return True
    eight_bits = str(item.fact("dtype")) in ("uint8", "int8")
    as_they_stand = any(fits(look, kind, unit) for unit in (kind.unit, *kind.units_beside))
    return not eight_bits or as_they_stand or packing_of(look, kind, str(item.fact("dtype"))) is not None


def as_at_sea(item: Artifact, beside: Collection[str]) -> Artifact:
    """A raster whose name says what of a surface it is, as that of the sea where all else beside it is of water."""
    named = item.known("quantity")
    other = None if named is None else quantity_kinds().get(f"sea_{named.value}")
    families = (
        {quantity_kinds()[one].family for one in beside if one in quantity_kinds()} - _OF_ANYTHING - {"temperature"}
    )
    if named is None or other is None or not named.source.startswith("file name (") or families != {"water"}:
        return item
    why = f"{named.source}, beside quantities of water alone"
    return item.with_facts(item.facts.without(("quantity",)).put("quantity", other.name, Origin.ASSUMED, why))


def as_siblings(items: Sequence[Artifact], fit: Callable[[Artifact], bool]) -> list[Artifact]:
    """Rasters of which nobody knows more than that they have classes, or nothing at all, as those that are called the
    same but for the date: *assumed*, and told. ``fit`` says whether nothing contradicts one. One pass over them."""
    told: dict[Hashable, dict[tuple[Any, ...], Artifact]] = {}
    for item in items:
        if item.type == "raster" and item.fact("quantity") is not None and not _of_some_classes(item):
            told.setdefault(_called(item), {}).setdefault(tuple(map(item.fact, _OF_NUMBERS)), item)
    found = []
    for item in items:
        known = told.get(_called(item), {}) if item.type == "raster" and _is_unsaid(item) else {}
        taken = _taken(item, next(iter(known.values()))) if len(known) == 1 else item
        found.append(taken if taken is not item and fit(taken) else item)
    return found


def _of_some_classes(item: Artifact) -> bool:
    quantity = item.facts.get("quantity")
    return quantity is not None and quantity.value == "class_label" and quantity.origin is Origin.ASSUMED


def _is_unsaid(item: Artifact) -> bool:
    return "quantity" not in item.facts or _of_some_classes(item)


def _called(item: Artifact) -> Hashable:
    """What a raster is called but for its date, in its folder; of what has no other name nobody can tell."""
    rest = _YEAR.sub("", dates_in(plain_stem(str(item.path)))[0])
    name = rest.casefold() if any(map(str.isalpha, rest)) else str(item.path)
    described = tuple(item.fact("described") or ())
    return PurePath(str(item.path)).parent, name, item.band, item.fact("dtype"), item.fact("count"), described


def _taken(item: Artifact, other: Artifact) -> Artifact:
    source = f"{PurePath(str(other.path)).name}, which is called the same but for the date"
    facts = item.facts.without(("quantity", "unit")) if _of_some_classes(item) else item.facts
    for name in _OF_NUMBERS:
        if name not in facts and (value := other.fact(name)) is not None:
            facts = facts.put(name, value, Origin.ASSUMED, source)
    return item.with_facts(facts)
