"""What is in a folder: layers with their facts, and the scenes and series they make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from knowflow.ground.called import is_unknown
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.ages import with_ages
from knowflow.reason.inventory.amounts_of_rates import with_amounts_of_rates
from knowflow.reason.inventory.called import with_own_names
from knowflow.reason.inventory.candidates import candidates_among
from knowflow.reason.inventory.dates import within
from knowflow.reason.inventory.depths import with_depths
from knowflow.reason.inventory.flags import with_flags
from knowflow.reason.inventory.grouping import scenes_of, series_of
from knowflow.reason.inventory.layers import Layer, Open, layers_of
from knowflow.reason.inventory.of_months import with_months
from knowflow.reason.inventory.overview import Group, groups_of
from knowflow.reason.inventory.tiles import with_tiles_joined
from knowflow.reason.inventory.years_of_events import with_years_of_events


@dataclass(frozen=True)
class Inventory:
    """The data of a folder.

    ``artifacts`` are single layers (rasters of one band; whole files whose bands are not named), vectors and tables, in
    the order of their paths. ``unknown`` lists files that are no data we read, ``unreadable`` those that should be and
    cannot be read, both with the reason; ``copies`` are files that hold another one byte for byte, each with that one;
    ``replaced`` are products of which there is a newer version, each with that one; ``left_out`` are files that are
    read and do not count, with the reason (these, and those outside of ``--dates`` and ``--aoi``); ``disagreements``
    are facts on which two sources differ, in words; ``open`` holds what nobody could settle of a layer, by its path and
    band.
    """

    root: str
    artifacts: tuple[Artifact, ...] = ()
    unknown: tuple[tuple[str, str], ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    replaced: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    disagreements: tuple[str, ...] = ()
    open: Open = field(default_factory=dict)

    @cached_property
    def rasters(self) -> tuple[Artifact, ...]:
        return tuple(item for item in self.artifacts if item.type == "raster")

    @cached_property
    def unidentified(self) -> tuple[Artifact, ...]:
        """Rasters whose quantity nobody knows, though they may be called something."""
        return tuple(item for item in self.rasters if is_unknown(item.fact("quantity")))

    def as_called(self) -> Inventory:
        """The data as questions are asked of them: those of an unknown quantity are of that which they are called."""
        known = with_months(with_ages(with_depths(with_years_of_events(with_flags(self.artifacts)))))
        return replace(self, artifacts=with_own_names(with_amounts_of_rates(known)))

    def scenes(self) -> tuple[Artifact, ...]:
        """Band sets, one for each acquisition and quantity, in date order."""
        return tuple(sorted(scenes_of(self.rasters), key=lambda scene: (scene.fact("datetime") or "", scene.name)))

    def series(self, quantity: str | None = None) -> tuple[Artifact, ...]:
        """Raster series of at least two dates, the longest first."""
        wanted = (item for item in self.rasters if quantity is None or item.fact("quantity") == quantity)
        found = [item for item in series_of(wanted) if len(item.items) > 1]
        return tuple(sorted(found, key=lambda item: (-len(item.items), item.name)))

    def dates(self) -> tuple[str, ...]:
        """Every date there is, in order."""
        return tuple(sorted({str(moment) for item in self.artifacts if (moment := item.fact("datetime")) is not None}))

    def between(self, start: str | None, end: str | None) -> Inventory:
        """The data of a period, both ends inclusive; what has no date stays."""
        kept = [
            item
            for item in self.artifacts
            if (moment := item.fact("datetime")) is None or within(str(moment), start, end)
        ]
        return replace(self, artifacts=tuple(kept))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """What there is, by meaning: rasters of one quantity and mission, and each vector and table."""
        return groups_of(self.artifacts)

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """What one question each can be about, with what speaks for it and what stayed open."""
        return layers_of(self.artifacts, self.open)

    def candidates(
        self, type: str, quantity: tuple[str, ...] = (), bands: tuple[str, ...] = ()
    ) -> tuple[Artifact, ...]:
        """What could serve an input, best first (see ``candidates_among``)."""
        asked = type, quantity, bands
        if asked not in self._served:  # every reading of a question, and every template, asks for the same
            self._served[asked] = candidates_among(self._joined, *asked)
        return self._served[asked]

    @cached_property
    def _served(self) -> dict[tuple[str, tuple[str, ...], tuple[str, ...]], tuple[Artifact, ...]]:
        """What was found to serve."""
        return {}

    @cached_property
    def _joined(self) -> tuple[Artifact, ...]:
        """What there is, with one raster for the tiles of one image."""
        return with_tiles_joined(self.artifacts)

    def to_json(self) -> dict[str, Any]:
        return {
            "root": self.root,
            "groups": [group.to_json() for group in self.groups],
            "layers": [layer.to_json() for layer in self.layers],
            "left_out": [{"file": path, "reason": reason} for path, reason in self.left_out],
            "unknown": [{"file": path, "reason": reason} for path, reason in self.unknown],
            "unreadable": [{"file": path, "reason": reason} for path, reason in self.unreadable],
            "copies": [{"file": path, "of": other} for path, other in self.copies],
            "replaced": [{"product": product, "by": newer} for product, newer in self.replaced],
            "disagreements": list(self.disagreements),
        }

    def summary(self) -> str:
        """What there is, in one line."""
        parts = [_described(quantity, group) for quantity, group in _by_quantity(self.rasters)]
        parts += [f"{item.type} {item.name}" for item in self.artifacts if item.type in ("vector", "table")][:5]
        names = [item.name for item in self.unidentified]
        if names:
            some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
            parts.append(f"{len(names)} rasters of unknown quantity ({some}; say it: --assume NAME:quantity=...)")
        if self.unreadable:
            parts.append(f"{len(self.unreadable)} unreadable files")
        dates = self.dates()
        if dates:
            parts.append(f"dates {dates[0][:10]} to {dates[-1][:10]}" if len(dates) > 1 else f"date {dates[0][:10]}")
        return "; ".join(parts) or "nothing"


def candidates(
    inventory: Inventory, type: str, quantity: tuple[str, ...] = (), bands: tuple[str, ...] = ()
) -> tuple[Artifact, ...]:
    """What could serve an input of a template, best first (see ``candidates_among``)."""
    return inventory.candidates(type, quantity, bands)


def _by_quantity(rasters: Iterable[Artifact]) -> list[tuple[str, list[Artifact]]]:
    groups: dict[str, list[Artifact]] = {}
    for raster in rasters:
        if not is_unknown(raster.fact("quantity")):
            groups.setdefault(str(raster.fact("quantity")), []).append(raster)
    return sorted(groups.items())


def _described(quantity: str, rasters: list[Artifact]) -> str:
    bands = dict.fromkeys(name for raster in rasters for name in raster.fact("bands") or ())
    named = f" ({', '.join(bands) if len(bands) <= 4 else f'{len(bands)} bands'})" if bands else ""
    return f"{len(rasters)} x {quantity}{named}"
