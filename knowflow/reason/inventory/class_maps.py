"""Rasters of few whole numbers: maps of classes, by what their names and legends say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.legends import LAND_COVER, legends
from knowflow.knowledge.phrases import key_of
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Fact, Origin
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.usual_units import PURE_NUMBER

_CLASSES, _OF_CLASSES = "class_label", 0.43  # what a name weighs that speaks of nothing but classes
_FEWEST = 3  # names that amounts do not have
_BRACKETS = re.compile(r"\s*[()]\s*")


def of_classes(item: Artifact, look: Look | None, left: Iterable[Candidate], others: Collection[str]) -> Artifact:
    """A raster of few whole numbers whose name speaks of classes, and of nothing else that it may be."""
    said = {one.value: one.sources[0] for one in left if one.fact == "quantity"}
    if "quantity" not in item.facts and (legend := item.known("classes")) is not None:
        names, speaks_of_them = dict(legend.value), bool({_CLASSES, LAND_COVER} & said.keys())
        beside = said.keys() - {_CLASSES, LAND_COVER}
        others_fit = (speaks_of_them and _may_have_names(str(kind), names) for kind in beside)
        return _of_legend(item, legend, others) if all(others_fit) else item
    doubted = any(one.value == _CLASSES and one.weight < _OF_CLASSES for one in left)
    if "quantity" in item.facts or look is None or look.physical or said.keys() != {_CLASSES} or doubted:
        return item
    if not look.codes or look.yes_or_no or min(look.codes) < 0:
        return item
    facts = item.facts.put("quantity", _CLASSES, Origin.ASSUMED, f"{said[_CLASSES]}, and few whole numbers")
    return item.with_facts(facts.put("unit", "1", Origin.ASSUMED, f"{_CLASSES} {PURE_NUMBER}"))


def _may_have_names(quantity: str, names: Mapping[int, str]) -> bool:
    """Whether what a name perhaps means beside classes cannot be what the names of the numbers say. Amounts have no
    names; classes with names of their own have other numbers."""
    kind = quantity_kinds().get(quantity)
    if kind is None:
        return True
    if not kind.categorical:
        return len(names) >= _FEWEST
    return bool(kind.classes) and not names.keys() <= kind.classes.keys()


def _of_legend(item: Artifact, legend: Fact, others: Collection[str]) -> Artifact:
    """A raster whose numbers are declared to be classes: of land cover where one is called as such are and no other is
    known to be its map, else of what nobody says."""
    names = [str(name) for _, name in legend.value]
    called = {key_of(part) for name in names for part in (name, *_BRACKETS.split(name))}  # floresta (forest)
    kind = LAND_COVER if LAND_COVER not in others and called & _names_of_land_cover() else _CLASSES
    facts = item.facts.put("quantity", kind, Origin.ASSUMED, f"its numbers are named ({legend.source})")
    return item.with_facts(facts.put("unit", "1", Origin.ASSUMED, f"{kind} {PURE_NUMBER}"))


@kept()
def _names_of_land_cover() -> frozenset[tuple[str, ...]]:
    """What classes of land cover are called in the legends of products, by stems."""
    maps = (one for one in legends().values() if one.quantity is None and one.of == LAND_COVER)
    every = (name for one in maps for each in one.classes.values() for name in (each.name, *each.meant))
    return frozenset(key_of(name) for name in every)
