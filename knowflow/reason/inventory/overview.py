"""What an inventory holds, in groups: layers that mean the same, how certain that is, and what nobody knows of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Origin
from knowflow.model.literal import plain
from knowflow.reason.inventory.dates import told_time
from knowflow.reason.inventory.file_patterns import stem_of, variable_of
from knowflow.reason.inventory.grouping import mission_of

TOLD = (
    "crs",
    "shape",
    "resolution",
    "geometry",
    "features",
    "fields",
    "quantity",
    "unit",
    "scale",
    "offset",
    "sensor",
    "level",
    "polarisation",
    "daynight",
    "orbit",
    "statistic",
    "height",
    "slice",
    "cloud_masked",
    "speckle_filtered",
    "region",
    "classes",
    "name_field",
    "datetime",
)
_NEEDED = {"raster": ("crs", "unit"), "vector": ("crs",)}
_SCALED = parse("scaled(layer)")
_FROM_DATE = re.compile(r"(?<![0-9])(?:19|20)\d\d.*$")


@dataclass(frozen=True, slots=True)
class Told:
    """One value of a fact in a group: how it is known, from where, and of how many layers."""

    fact: str
    value: Any
    origin: Origin
    sources: tuple[str, ...]
    layers: int

    def to_json(self) -> dict[str, Any]:
        return {
            "value": plain(self.value),
            "origin": self.origin.label,
            "sources": list(self.sources),
            "layers": self.layers,
        }


@dataclass(frozen=True)
class Group:
    """Rasters of one quantity and mission, or a single vector or table.

    Of rasters whose quantity nobody knows ``pattern`` says what their names have in common, as ``--assume`` takes it.
    """

    type: str
    quantity: str | None
    layers: tuple[Artifact, ...]
    pattern: str | None = None

    @cached_property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(layer.path) for layer in self.layers))

    @cached_property
    def bands(self) -> tuple[str, ...]:
        """The common band names, by wavelength."""
        by_wavelength = sorted(self.layers, key=lambda layer: layer.fact("wavelength") or 1e9)
        return tuple(dict.fromkeys(name for layer in by_wavelength for name in layer.fact("bands") or ()))

    @cached_property
    def dates(self) -> tuple[str, ...]:
        return tuple(sorted({str(moment) for layer in self.layers if (moment := layer.fact("datetime")) is not None}))

    @cached_property
    def times(self) -> tuple[str, ...]:
        """The dates as wide as they are told: a month as one."""
        moments = ((layer.fact("datetime"), layer.fact("span")) for layer in self.layers)
        return tuple(sorted({told_time(str(moment), span) for moment, span in moments if moment is not None}))

    @cached_property
    def grids(self) -> int:
        """How many different pixel grids there are."""
        return len({layer.fact("grid") for layer in self.layers} - {None})

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """What is known of the layers: every value of every fact, by how it is known; the most frequent first."""
        found: list[Told] = []
        for fact in TOLD:
            counts: Counter[tuple[Any, Origin]] = Counter()
            sources: dict[tuple[Any, Origin], dict[str, None]] = {}
            for known in filter(None, (layer.known(fact) for layer in self.layers)):
                counts[known.value, known.origin] += 1
                sources.setdefault((known.value, known.origin), {})[known.source] = None
            for (value, origin), count in counts.most_common():
                said = tuple(filter(None, sources[value, origin]))
                found.append(Told(fact, value, origin, said, count))
        return tuple(found)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Facts that nobody knows of some layer and that most questions need."""
        needed = _NEEDED.get(self.type, ()) if self.pattern is None else ("quantity", "crs")
        facts = [fact for fact in needed if any(layer.fact(fact) is None for layer in self.layers)]
        if self.type == "raster" and self.pattern is None and any(_unscaled(layer) for layer in self.layers):
            facts.append("scale")
        if self.type == "raster" and any(_nameless(layer) for layer in self.layers):
            facts.append("bands")
        return tuple(facts)

    @property
    def assume(self) -> str | None:
        """The ``--assume`` option that would tell what is missing, with VALUE for what only the user knows."""
        files = "" if self.pattern is None else f"{self.pattern}:"
        values = (f"{fact}={'[...]' if fact == 'bands' else 'VALUE'}" for fact in self.missing)
        return files + ",".join(values) if self.missing else None

    def to_json(self) -> dict[str, Any]:
        facts: dict[str, list[dict[str, Any]]] = {}
        for told in self.told:
            if told.fact != "datetime":
                facts.setdefault(told.fact, []).append(told.to_json())
        return {
            "type": self.type,
            "quantity": self.quantity,
            "bands": list(self.bands),
            "layers": len(self.layers),
            "files": list(self.files),
            "dates": list(self.dates),
            "times": list(self.times),
            "grids": self.grids,
            "facts": facts,
            "missing": list(self.missing),
            "assume": self.assume,
        }


def groups_of(artifacts: Iterable[Artifact]) -> tuple[Group, ...]:
    """Rasters by quantity and mission, those of unknown quantity by what their names begin with; then vectors and
    tables, one by one."""
    groups: dict[Hashable, list[Artifact]] = {}
    unidentified: list[Artifact] = []
    identified: set[str] = set()
    for item in artifacts:
        if item.type == "raster" and item.fact("quantity") is None:
            unidentified.append(item)
            continue
        identified.add(stem_of(item))
        meaning = (str(item.fact("quantity")), mission_of(item))
        groups.setdefault(meaning if item.type == "raster" else (item.path, item.name), []).append(item)
    made = [Group(items[0].type, items[0].fact("quantity"), tuple(items)) for items in groups.values()]
    made += [Group("raster", None, tuple(items), name) for name, items in _by_name(unidentified, identified).items()]
    return tuple(sorted(made, key=_place))


def _place(group: Group) -> tuple[Any, ...]:
    return group.type != "raster", group.type, group.quantity is None, group.quantity or ""


def _by_name(rasters: Iterable[Artifact], others: Collection[str]) -> dict[str, list[Artifact]]:
    """Rasters by a pattern of their names without band and date, or the name itself where others fit the pattern."""
    groups: dict[str, list[Artifact]] = {}
    ordered = sorted(others)
    for raster in rasters:
        name = stem_of(raster)
        begin = _FROM_DATE.sub("", name.removesuffix(str(raster.fact("band") or "")))
        pattern = f"{begin}*"
        next_to = bisect_left(ordered, begin)
        alone = (
            bool(variable_of(raster))
            or begin in ("", name)
            or (next_to < len(ordered) and ordered[next_to].startswith(begin))
        )
        groups.setdefault(name if alone else pattern, []).append(raster)
    return groups


def _nameless(layer: Artifact) -> bool:
    """Whether a file has several bands of which nobody knows what they are; those of a picture are its colours."""
    several = layer.band is None and (layer.fact("count") or 1) > 1
    return several and not layer.fact("bands") and layer.fact("quantity") != "display_value"


def _unscaled(layer: Artifact) -> bool:
    return any(missing.fact == "scale" for missing in evaluate(_SCALED, {"layer": layer}).missing)
