"""What is in a raster file, as a table; and one band of several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.raster import Output, map_blocks, sample_statistics
from knowflow.tools.raster.source import handles, open_source


def inspect(raster: Artifact) -> list[dict[str, Any]]:
    """What a raster's header, tags and facts say, and what a look at its pixels adds: rows of fact, value, origin.

    Pixels of large rasters are sampled: the range then lies within the true one.
    """
    rows = [
        {"fact": name, "value": _shown(fact.value), "origin": fact.origin.label} for name, fact in raster.facts.items()
    ]
    known = {row["fact"] for row in rows}
    rows += [
        {"fact": name, "value": _shown(value), "origin": "measured"}
        for name, value in _header(raster)
        if name not in known
    ]
    for label, band in _single_bands(raster):
        found = sample_statistics(band)
        values: dict[str, Any] = {"valid_fraction": found.valid_fraction}
        if found.finite:
            values |= {"minimum": found.minimum, "maximum": found.maximum, "mean": found.mean, "std": found.std}
        rows += [{"fact": f"{label}{name}", "value": value, "origin": "sampled"} for name, value in values.items()]
    return rows


def _header(raster: Artifact) -> Iterator[tuple[str, Any]]:
    with handles() as opened:
        source = open_source(raster, opened, many_bands=True)
        dataset = opened.get(source.path)
        yield "file", source.path
        yield "format", dataset.driver
        yield "crs", source.grid.crs or "unknown"
        yield "shape", source.grid.shape
        yield "transform", tuple(source.grid.transform[:6])
        yield "resolution", source.grid.pixel_size
        yield "bounds", source.grid.bounds
        yield "count", len(source.bands)
        yield "bands", tuple(dataset.descriptions[band - 1] or str(band) for band in source.bands)
        yield "dtype", source.dtype
        yield "nodata", "none" if source.nodata is None else source.nodata
        yield "scale", source.scale
        yield "offset", source.offset
        yield "mask", "in the file" if source.masked else "none"
        for name, value in sorted(dataset.tags().items()):
            yield name.lower(), value


def _single_bands(raster: Artifact) -> Iterator[tuple[str, Artifact]]:
    """Every band of a raster by itself, with a label where there are several."""
    with handles() as opened:
        bands = open_source(raster, opened, many_bands=True).bands
    for band in bands:
        yield (f"band {band} " if len(bands) > 1 else ""), replace(raster, band=band)


def _shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return ", ".join(str(_shown(item)) for item in value)
    return value


def select_band(raster: Artifact, band: str, output: Path) -> None:
    """Write one band of a raster: by common name, description, or number counted from 1. Stored numbers stay.

    Raises ``ToolError`` listing the bands there are.
    """
    number, named = _number(raster, band), raster.known("bands")
    facts = raster.facts.without(("bands", "count"))
    if raster.band is None and named is not None and number <= len(named.value):
        facts = facts.put("bands", (named.value[number - 1],), named.origin, named.source)
    chosen = replace(raster, band=number, facts=facts)
    map_blocks(lambda block: block.stored("raster"), {"raster": chosen}, Output.like(output, chosen))


def _number(raster: Artifact, band: str) -> int:
    with handles() as opened:
        dataset = opened.get(str(raster.path))
        described = [text or "" for text in dataset.descriptions]
        count = dataset.count
    wanted = str(band).casefold()
    for names in (raster.fact("bands") or (), described):
        for number, name in enumerate(names, start=1):
            if str(name).casefold() == wanted:
                return number
    if wanted.isdigit() and 1 <= int(wanted) <= count:
        return int(wanted)
    raise ToolError(
        f"there is no band {band!r}",
        where=raster.path,
        expected=", ".join(name or str(number) for number, name in enumerate(described, start=1)),
        found=repr(band),
    )
