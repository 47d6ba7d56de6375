"""What a run made, ready for the page: maps, histograms, time series, tables and numbers."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from markupsafe import Markup

from knowflow.ground.errors import KnowFlowError, UnreadableDataError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.roof.notation import (
    date_of,
    day,
    day_in_words,
    literal,
    measure,
    number,
    pixel_size,
    plain,
    unit_sign,
    words,
)
from knowflow.roof.report.answer import LONGEST_WORDS, place_is_assumed
from knowflow.roof.report.behind import fields_behind, numbers_behind, scenes_below
from knowflow.roof.report.charts import draw_histogram, draw_series
from knowflow.roof.report.maps import draw_map, map_title, quantity_title
from knowflow.roof.report.of_question import OfQuestion, of_question
from knowflow.roof.report.picture import Picture, over, read_picture, recoloured
from knowflow.roof.report.tables import MOST_CHARTS, Figure, Table, capital, charts_of, table_of, without_value
from knowflow.roof.rows import readable
from knowflow.tools.tables import rows_of

MOST_MAPS = 6
_BINS = 40
_LARGEST_FIELD = 16_000_000  # pixels of a raster that nobody asked to see
Coloured: TypeAlias = tuple[Artifact, Picture, OfQuestion | None]


@dataclass(frozen=True, slots=True)
class Link:
    """A file that was written: its name, and an address where it lies beside or below the report."""

    name: str
    href: str | None


@dataclass(frozen=True)
class Shown:
    """One output as the report shows it."""

    name: str
    title: str
    figures: tuple[Figure, ...] = ()
    table: Table | None = None
    facts: tuple[tuple[str, str], ...] = ()
    text: str = ""
    note: str = ""
    link: Link | None = None
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """The scalars among the outputs: name, value, unit, quantity, and where unit and quantity come from."""

    rows: tuple[tuple[str, str, str, str, str], ...] = field(default=())


def numbers(trace: Trace) -> Numbers:
    rows = []
    for name, artifact in trace.outputs.items():
        if artifact.type != "scalar":
            continue
        known = artifact.known("unit") or artifact.known("quantity")
        value = number(artifact.value, 8) if isinstance(artifact.value, (int, float)) else literal(artifact.value)
        quantity = quantity_title(artifact)
        rows.append(
            (words(name), value, unit_sign(artifact.fact("unit")), quantity, known.origin.label if known else "")
        )
    return Numbers(tuple(rows))


def figures_behind(trace: Trace) -> tuple[Figure, ...]:
    """What the answer was told from: its numbers over time, a trend with its line and interval; else a map of the field
    that a number is of, where no other map is shown."""
    figures = []
    for one in numbers_behind(trace):
        line = None if one.line is None else (one.line.slope, one.line.lower, one.line.upper)
        svg = draw_series(one.times, one.values, one.unit, one.name, line, one.limits)
        says = f"{capital(one.told)}, on each date."
        says += "" if line is None else " Dashed: the trend, grey: its 95 % interval."
        says += f" Line: {' and '.join(measure(limit, one.unit) for limit in one.limits)}." if one.limits else ""
        figures.append(Figure(Markup(svg), says + without_value(one.values)))
    if figures or any(leaf.type == "raster" for one in trace.outputs.values() for leaf in one.leaves()):
        return tuple(figures[:MOST_CHARTS])
    return _fields(trace)


def _fields(trace: Trace) -> tuple[Figure, ...]:
    """A map of what a number is of, or of both times that it compares; none where one is large, or cannot be read."""
    found = fields_behind(trace)
    shapes = [field.fact("shape") or (0, 0) for _, field in found]
    if not all(1 < rows * columns <= _LARGEST_FIELD for rows, columns in shapes):
        return ()
    with suppress(KnowFlowError):
        shown = [(field, OfQuestion(told) if told else None) for told, field in found]
        shown = [(field, _dated(asked, field) if asked and found[1:] else asked) for field, asked in shown]
        pictures = [(field, _picture(field, None), asked) for field, asked in shown]
        placed = not place_is_assumed(trace)
        return tuple(_map(field, picture, placed, asked) for field, picture, asked in _alike(pictures))
    return ()


def shown_outputs(trace: Trace, delivered: Mapping[str, str], page: Path) -> tuple[Shown, ...]:
    """Every output but numbers and words, in order; one that cannot be read says so instead of ending the report."""
    found = []
    placed = not place_is_assumed(trace)
    for name, artifact in trace.outputs.items():
        if artifact.type == "scalar" or (artifact.type == "text" and len(str(artifact.value)) <= LONGEST_WORDS):
            continue
        link = None if name not in delivered else link_to(delivered[name], page)
        try:
            found.append(_shown(name, artifact, delivered.get(name), link, placed, trace))
        except KnowFlowError as error:
            found.append(Shown(words(name), _title(trace, name), note=f"Not shown: {plain(error.message)}.", link=link))
    return tuple(found)


def _title(trace: Trace, name: str) -> str:
    """What an output shows, in the words of the question where it is a map of it."""
    artifact = trace.outputs[name]
    of_it = artifact.type in ("raster", "raster_series", "band_set")
    asked = of_question(trace.plan, name) if of_it else None
    if asked is None and of_it and of_question(trace.plan, name, 0) is not None:
        return ""  # each map says it
    return map_title(artifact) if asked is None else asked.title


def link_to(path: str, page: Path) -> Link:
    """A link relative to the page where the file lies beside or below it, else the bare path."""
    target = Path(path)
    try:
        inside = os.path.relpath(target.resolve(), page.resolve().parent)
    except ValueError:  # another drive
        inside = ".."
    if inside.startswith(".."):
        return Link(plain(path), None)
    return Link(plain(inside), quote(inside.replace(os.sep, "/")))


def _shown(name: str, artifact: Artifact, path: str | None, link: Link | None, placed: bool, trace: Trace) -> Shown:
    title, plan = _title(trace, name), trace.plan
    below = scenes_below(trace, name)
    match artifact.type:
        case "raster":
            asked = of_question(plan, name)
            figures = _raster(artifact, path, placed, asked, next(iter(below.values()), None))
            return Shown(words(name), title, figures, facts=_raster_facts(artifact), link=link, wide=True)
        case "raster_series" | "band_set":
            asked = of_question(plan, name)
            each = [of_question(plan, name, at) if asked is None else asked for at, _ in enumerate(artifact.leaves())]
            figures, note = _several(artifact, placed, each, below)
            return Shown(words(name), title, figures, note=note, link=link)
        case "table":
            rows = _rows(artifact, path)
            return Shown(words(name), title, charts_of(rows, artifact, plan), table_of(rows), link=link)
        case "report" | "list" if not artifact.is_value:
            pictures = [leaf for leaf in artifact.leaves() if leaf.path is not None and leaf.path.endswith(".png")]
            figures = tuple(_shown_picture(leaf, plan.title) for leaf in pictures[:MOST_MAPS])
            rest = len(pictures) - len(figures)
            return Shown(words(name), title, figures, note=f"and {rest} more pictures." if rest else "", link=link)
        case "list":
            values = artifact.value if isinstance(artifact.value, (list, tuple)) else ()
            rows = [{"item": index + 1, "value": value} for index, value in enumerate(values)]
            return Shown(words(name), title, table=table_of(rows), link=link)
        case "vector":
            counted = artifact.fact("features")
            facts = (("features", number(counted)),) if counted is not None else ()
            kind = artifact.fact("geometry")
            return Shown(words(name), title or plain(kind or "vector"), facts=facts, link=link)
    return Shown(words(name), title, text=plain(artifact.value or ""), link=link)


def _shown_picture(leaf: Artifact, title: str) -> Figure:
    """A picture as it was made, with its date."""
    content = base64.b64encode(Path(_file_of(leaf, None)).read_bytes()).decode("ascii")
    moment = leaf.fact("datetime")
    told = f"{plain(title)}, {day(moment)}" if moment is not None else plain(title)
    image = Markup('<img class="picture" alt="{}" src="data:image/png;base64,{}">').format(told, content)
    return Figure(image, f"{told}.")


def _file_of(artifact: Artifact, delivered: str | None) -> str:
    for path in (delivered, artifact.path):
        if path is not None and Path(path).is_file():
            return path
    raise UnreadableDataError("the file is not there", found=str(delivered or artifact.path))


def _raster(
    artifact: Artifact,
    delivered: str | None,
    placed: bool,
    asked: OfQuestion | None = None,
    scene: Artifact | None = None,
) -> tuple[Figure, ...]:
    """The map of a raster, and its histogram where the numbers are more than names."""
    picture = _picture(artifact, delivered, asked)
    figures = [_map(artifact, picture, placed, asked, scene)]
    if not picture.classes:
        edges, counts, source = _histogram(artifact, picture)
        title = asked.title if asked is not None else map_title(artifact) or "values"
        svg = draw_histogram(edges, counts, artifact.fact("unit"), title)
        figures.append(Figure(Markup(svg), f"Distribution of the values ({source})."))
    return tuple(figures)


def _picture(artifact: Artifact, delivered: str | None, asked: OfQuestion | None = None) -> Picture:
    path = _file_of(artifact, delivered)
    picture = read_picture(artifact, path, asked)
    if picture.valid_fraction == 0:
        raise UnreadableDataError("every pixel is nodata", found=path)
    return picture


def _map(
    artifact: Artifact,
    picture: Picture,
    placed: bool,
    asked: OfQuestion | None = None,
    scene: Artifact | None = None,
) -> Figure:
    unit, title = artifact.fact("unit"), asked.title if asked is not None else map_title(artifact) or "Map"
    sign = unit_sign(unit)
    caption = f"{title}{f' ({sign})' if sign else ''}. {_map_notes(picture, placed)}"
    base = ""
    if scene is not None and asked is not None and asked.colour is not None:
        with suppress(KnowFlowError):  # a scene that cannot be read leaves the map as it is
            ground = read_picture(scene, _file_of(scene, None))
            if ground.values.shape == picture.values.shape:
                picture, base = over(picture, ground)
                caption += f" In grey: {quantity_title(scene) or 'the scene'}."
    return Figure(Markup(draw_map(picture, title, unit, placed=placed, base=base)), caption)


def _map_notes(picture: Picture, placed: bool) -> str:
    notes = []
    if picture.crs is None or picture.transform is None:
        notes.append("The raster has no georeference: no scale, no coordinates")
    elif not placed:
        notes.append("The size of the pixels is assumed, and where they lie is not known: no coordinates")
    else:
        crs = plain(picture.crs) if len(picture.crs) < 40 else geo.crs_of(picture.crs).name
        where = ""
        if (degrees := geo.degrees_on(picture.crs)) is not None:
            box = geo.transform_box(picture.crs, degrees, geo.bounds_of(picture.transform, picture.shape))
            where = f"; {_span(box[1], box[3], 'NS')}, {_span(box[0], box[2], 'EW')}"
        notes.append(f"{crs}{where}")
    if picture.step > 1:
        notes.append(f"shown at 1/{picture.step:.3g} of the file's resolution")
    if picture.valid_fraction < 1:
        notes.append(f"{number(100 * (1 - picture.valid_fraction), 3)} % without data (transparent)")
    low, high = picture.extremes
    if not picture.classes and (low < picture.limits[0] or high > picture.limits[1]):
        notes.append(f"values from {number(low)} to {number(high)}, colours from {_ends(picture.limits)}")
    return "; ".join(notes) + "."


def _ends(limits: tuple[float, float]) -> str:
    return f"{number(limits[0])} to {number(limits[1])}"


def _span(low: float, high: float, sides: str) -> str:
    first, second = (f"{abs(v):.4f}° {sides[0] if v >= 0 else sides[1]}" for v in (low, high))
    return f"{first} to {second}"


def _histogram(artifact: Artifact, picture: Picture) -> tuple[Sequence[float], Sequence[float], str]:
    """The counts of all pixels, where the writer collected them, else of the pixels shown."""
    import numpy as np

    collected = artifact.fact("histogram") or picture.histogram
    if collected is not None:
        edges, counts = collected
        filled = [index for index, count in enumerate(counts) if count]
        if filled and len(edges) == len(counts) + 1:
            first, last = filled[0], filled[-1] + 1
            counts, edges = _coarser(counts[first:last], edges[first : last + 1])
            return edges, counts, "all pixels"
    finite = picture.values[np.isfinite(picture.values)]
    counts, edges = np.histogram(finite, bins=_BINS)
    return edges.tolist(), counts.tolist(), "all pixels" if picture.step == 1 else "pixels shown"


def _coarser(counts: Sequence[float], edges: Sequence[float]) -> tuple[list[float], list[float]]:
    """Neighbouring classes put together until there are at most twice ``_BINS``."""
    step = max(1, len(counts) // _BINS)
    starts = range(0, len(counts), step)
    return [sum(counts[i : i + step]) for i in starts], [*(edges[i] for i in starts), edges[-1]]


def _raster_facts(artifact: Artifact) -> tuple[tuple[str, str], ...]:
    unit = artifact.fact("unit")
    rows = []
    kind = quantity_kinds().get(str(artifact.fact("quantity")))
    measured = kind is None or not kind.categorical
    for name in ("mean", "std") if measured else ():
        if artifact.fact(name) is not None:
            rows.append(({"mean": "mean", "std": "standard deviation"}[name], measure(artifact.fact(name), unit)))
    span = artifact.fact("value_range")
    if span is not None and measured:
        rows.append(("values", f"{number(span[0])} to {measure(span[1], unit)}"))
    if artifact.fact("valid_fraction") is not None:
        rows.append(("valid", f"{number(artifact.fact('valid_fraction') * 100)} %"))
    shape, resolution = artifact.fact("shape"), artifact.fact("resolution")
    if shape is not None:
        rows.append(("size", f"{shape[1]:,} × {shape[0]:,} pixels"))
    if resolution is not None:
        rows.append(("resolution", pixel_size(resolution, artifact.fact("crs"))))
    return tuple(rows)


def _several(
    artifact: Artifact, placed: bool, each: Sequence[OfQuestion | None], below: Mapping[str, Artifact]
) -> tuple[tuple[Figure, ...], str]:
    """The first and last members of a series as maps of one colour scale, and its mean over time; ``each`` says what
    one shows."""
    all_leaves = [(leaf, asked) for leaf, asked in zip(artifact.leaves(), each, strict=True) if leaf.path is not None]
    leaves = [leaf for leaf, _ in all_leaves]
    if len(leaves) == 1:
        return _raster(leaves[0], None, placed, all_leaves[0][1], below.get(leaves[0].name)), ""
    half = MOST_MAPS // 2
    picked = all_leaves if len(leaves) <= MOST_MAPS else [*all_leaves[:half], *all_leaves[-half:]]
    pictures: list[Coloured] = []
    notes = []
    if len(leaves) > len(picked):
        notes.append(f"{len(leaves)} rasters; the first and last {half} are shown.")
    for leaf, asked in picked:
        try:
            pictures.append((leaf, _picture(leaf, None, asked), asked and _dated(asked, leaf)))
        except KnowFlowError as error:
            notes.append(f"{map_title(leaf) or plain(leaf.name)} is not shown: {plain(error.message)}.")
    if artifact.type == "raster_series":
        pictures = _alike(pictures)
    figures = [_map(leaf, picture, placed, asked, below.get(leaf.name)) for leaf, picture, asked in pictures]
    dated = [(date_of(leaf.fact("datetime")), leaf.fact("mean"), leaf.fact("unit")) for leaf in leaves]
    times = [(time, mean) for time, mean, _ in dated if time is not None and mean is not None]
    if len(times) > 2 and not any(picture.classes for _, picture, _ in pictures):
        svg = draw_series([t for t, _ in times], [m for _, m in times], dated[0][2], "mean")
        figures.insert(0, Figure(Markup(svg), "Mean of each raster over time."))
    return tuple(figures), " ".join(notes)


def _alike(pictures: Sequence[Coloured]) -> list[Coloured]:
    """Pictures of one quantity in the same colours, so that they can be compared."""
    if len({leaf.fact("quantity") for leaf, _, _ in pictures}) != 1:
        return list(pictures)
    limits = min(p.limits[0] for _, p, _ in pictures), max(p.limits[1] for _, p, _ in pictures)
    return [(leaf, recoloured(picture, limits), asked) for leaf, picture, asked in pictures]


def _dated(asked: OfQuestion, leaf: Artifact) -> OfQuestion:
    """What one of several maps shows, with its day where that is not said."""
    moment = leaf.fact("datetime")
    said = moment is None or day_in_words(moment) in asked.told
    return asked if said else replace(asked, told=f"{asked.told}, {day(moment)}")


def _rows(artifact: Artifact, delivered: str | None) -> list[Mapping[str, Any]]:
    if isinstance(artifact.value, (list, tuple)):
        return readable([row for row in artifact.value if isinstance(row, Mapping)])
    return readable(list(rows_of(replace(artifact, value=None, path=_file_of(artifact, delivered)))))
