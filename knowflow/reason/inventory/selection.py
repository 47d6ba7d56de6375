"""Which layers of a folder count, and why the others do not: older versions, copies, and what was not asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory.copies import without_copies
from knowflow.reason.inventory.dates import within
from knowflow.reason.inventory.versions import newest_versions, product_named


@dataclass(frozen=True, slots=True)
class Selection:
    """The layers that count; each copy with its original and each replaced product with the newer one; and every file
    that does not count, as a whole or in part, with the reason."""

    artifacts: tuple[Artifact, ...]
    copies: tuple[tuple[str, str], ...]
    replaced: tuple[tuple[str, str], ...]
    left_out: tuple[tuple[str, str], ...]


def selected(
    artifacts: Iterable[Artifact], start: str | None = None, end: str | None = None, aoi: geo.Box | None = None
) -> Selection:
    """The layers without versions that were processed anew and copies, of a period (both ends count) and an area (west,
    south, east, north in degrees); what has no date or no known extent stays."""
    every = tuple(artifacts)
    newest, replaced = newest_versions(every)
    single, copies = without_copies(newest)
    outside = {id(item): why for item in single if (why := _outside(item, start, end, aoi))}
    kept = tuple(item for item in single if id(item) not in outside)
    reasons = {id(item): "" for item in kept} | outside
    told = _left_out(every, reasons, dict(copies), dict(replaced))
    return Selection(kept, copies, replaced, tuple(told))


def _outside(item: Artifact, start: str | None, end: str | None, aoi: geo.Box | None) -> str:
    """Why a layer is none of the period and area asked for; "" for one that is, or may be."""
    moment = item.fact("datetime")
    if moment is not None and not within(str(moment), start, end):
        return f"of {str(moment)[:10]}, outside --dates"
    box = None if aoi is None else geo.lonlat_box(item)
    return "" if aoi is None or box is None or geo.boxes_overlap(aoi, box) else "outside of the area asked for"


def _left_out(
    every: Iterable[Artifact], reasons: Mapping[int, str], copies: Mapping[str, str], replaced: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Each file with the first reason why a layer of it does not count; ``reasons`` has those of single layers."""
    files: dict[str, list[str]] = {}
    for item in every:
        path = str(item.path)
        why = reasons.get(id(item))
        if why is None and path in copies:
            why = f"the same bytes as {copies[path]}"
        if why is None:
            why = f"processed anew as {replaced[product_named(path)]}"
        files.setdefault(path, []).append(why)
    for path, layers in files.items():
        told = [why for why in layers if why]
        if told:
            yield path, (f"{len(told)} of its {len(layers)} layers: " if len(told) < len(layers) else "") + told[0]
