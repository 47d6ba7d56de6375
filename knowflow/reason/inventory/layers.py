"""The layers of a folder as data: what each holds, what speaks for it, and what nobody could settle.

A layer is what one question can be about: rasters of one quantity, product, region and unit, whatever their dates and
bands; rasters of unknown quantity whose names begin alike; or one vector or table.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from knowflow.model.artifact import Artifact
from knowflow.model.literal import plain
from knowflow.reason.inventory.called import called
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.file_patterns import patterns_of, stem_of, variable_of
from knowflow.reason.inventory.grouping import TELLING_APART, product_of
from knowflow.reason.inventory.overview import Group, groups_of

Open: TypeAlias = "Mapping[tuple[str, int | None], tuple[Candidate, ...]]"
"""What stayed open of single layers, by path and band."""


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A candidate, the files that it is for, and the ``--assume`` that would make it a fact."""

    candidate: Candidate
    files: tuple[str, ...]
    assume: str

    def to_json(self) -> dict[str, Any]:
        one = self.candidate
        return {
            "fact": one.fact,
            "value": plain(one.value),
            "weight": round(one.weight, 3),
            "sources": list(one.sources),
            "files": list(self.files),
            "assume": self.assume,
        }


@dataclass(frozen=True)
class Layer:
    """A group of layers that mean the same, with what may be so of some of them."""

    group: Group
    candidates: tuple[Perhaps, ...] = ()

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(unit) for item in self.group.layers if (unit := item.fact("unit")) is not None))

    @property
    def called(self) -> str | None:
        """The words by which a question may ask for rasters whose quantity nobody knows."""
        return called(self.group.layers[0]) if self.group.quantity is None else None

    def to_json(self) -> dict[str, Any]:
        first = self.group.layers[0]
        apart = {name: value for name in (*TELLING_APART[1:], "region") if (value := first.fact(name)) is not None}
        return {
            "type": self.group.type,
            "quantity": self.group.quantity,
            "called": self.called,
            "unit": self.units[0] if self.units else None,
            "dates": list(self.group.dates),
            "times": list(self.group.times),
            "bands": list(self.group.bands),
            **{name: plain(value) for name, value in apart.items()},
            "files": list(self.group.files),
            "evidence": list(self._evidence()),
            "candidates": [one.to_json() for one in self.candidates],
        }

    def _evidence(self) -> Iterator[dict[str, Any]]:
        """Every fact with its origin and sources; of dates only these, for the dates are listed."""
        dates = [told for told in self.group.told if told.fact == "datetime"]
        yield from ({"fact": told.fact, **told.to_json()} for told in self.group.told if told.fact != "datetime")
        for origin in dict.fromkeys(told.origin for told in dates):
            same = [told for told in dates if told.origin == origin]
            sources = list(dict.fromkeys(source for told in same for source in told.sources))
            number = sum(told.layers for told in same)
            yield {"fact": "datetime", "origin": origin.label, "sources": sources, "layers": number}


def layers_of(artifacts: Iterable[Artifact], left_open: Open) -> tuple[Layer, ...]:
    """The layers of some artifacts, in the order of their groups; what stayed open by path and band."""
    listed = tuple(artifacts)
    every = tuple(dict.fromkeys(f"{item.path}{variable_of(item)}" for item in listed))
    return tuple(
        Layer(part, perhaps(part.layers, left_open, every)) for group in groups_of(listed) for part in _split(group)
    )


def perhaps(layers: Iterable[Artifact], left_open: Open, every: Collection[str]) -> tuple[Perhaps, ...]:
    """The candidates of some layers, each once; ``every`` lists the files that the ``--assume`` may not touch, too."""
    found: dict[tuple[str, str], tuple[Candidate, dict[str, str]]] = {}
    for item in layers:
        for one in left_open.get((str(item.path), item.band), ()):
            _, files = found.setdefault((one.fact, repr(one.value)), (one, {}))
            files[f"{item.path}{variable_of(item)}"] = stem_of(item)
    return tuple(Perhaps(one, tuple(files), _line(files, one, every)) for one, files in found.values())


def _line(files: Mapping[str, str], one: Candidate, every: Collection[str]) -> str:
    patterns = tuple(files.values()) if len(files) == 1 else patterns_of(files, every)
    return " ".join(f'--assume "{pattern}:{one.assumption}"' for pattern in patterns)


def _split(group: Group) -> Iterator[Group]:
    """Rasters of a known quantity by product, region and unit; other groups as they are."""
    if group.type != "raster" or group.quantity is None:
        yield group
        return
    parts: dict[Hashable, list[Artifact]] = {}
    for item in group.layers:
        key = (*product_of(item), item.fact("polarisation"), item.fact("region"), item.fact("unit"))
        parts.setdefault(key, []).append(item)
    for items in parts.values():
        yield replace(group, layers=tuple(items))
