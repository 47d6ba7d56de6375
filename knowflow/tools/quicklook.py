"""Maps of rasters as pictures, with legend and scale bar."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.ground_lengths import pixel_on_ground
from knowflow.tools.raster import Block, Grid, grid_of, reduce_blocks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CLASSES = 24
_FAMILY_COLOURS = {
    "temperature": "inferno",
    "vegetation": "YlGn",
    "water": "Blues",
    "soil": "YlOrBr",
    "terrain": "terrain",
    "radar": "gray",
}
_KIND_COLOURS = {"ndvi": "RdYlGn", "tvdi": "RdYlBu_r", "p_value": "viridis_r", "elevation": "terrain"}
_DIVERGING = frozenset(
    {
        *("difference", "temperature_difference", "trend_per_year", "standardized_anomaly"),
        *("correlation_coefficient", "relative_change", "significance_class"),
    }
)
_GREY = "#d9d9d9"


@dataclass(frozen=True, slots=True)
class Picture:
    """A thinned-out raster: every ``step``-th pixel, (rows, columns), NaN where not data."""

    values: NDArray[np.float32]
    step: int
    grid: Grid
    kind: QuantityKind | None


def quick_look(
    raster: Artifact,
    output: Path,
    title: str | None = None,
    colours: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    size: int = 900,
) -> None:
    """Write a PNG map with legend, unit and scale bar; nodata is grey.

    ``colours`` names a matplotlib colour map; by default one that suits the quantity. Colours span ``minimum`` to
    ``maximum`` (default: the 2nd and 98th percentile). ``size``: the longer side of the map, in pixels.
    """
    picture = render_map(raster, title, colours, minimum, maximum, size)
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_bytes(picture)


def render_map(
    raster: Artifact,
    title: str | None = None,
    colours: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    size: int = 900,
) -> bytes:
    """The map of :func:`quick_look` as PNG bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    picture = thinned(raster, size)
    rows, columns = picture.values.shape
    aspect = _pixel_aspect(picture.grid)
    width, height = columns, rows * aspect
    scale = size / 100 / max(width, height)
    figure = Figure(figsize=(max(width * scale, 3.0) + 1.8, max(height * scale, 2.0) + 0.9), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_facecolor(_GREY)
    axes.set_xticks([])
    axes.set_yticks([])
    _draw(figure, axes, raster, picture, colours, (minimum, maximum), aspect)
    axes.set_title(title if title is not None else _title(raster, picture), fontsize=10, loc="left")
    _scale_bar(axes, picture)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=100, metadata={"Software": None})
    return stream.getvalue()


def thinned(raster: Artifact, size: int) -> Picture:
    """Every n-th row and column, so that the longer side has at most ``size`` of them; memory does not grow."""
    grid = grid_of(raster)
    step = max(1, math.ceil(max(grid.shape) / max(size, 1)))
    values = np.full((-(-grid.shape[0] // step), -(-grid.shape[1] // step)), np.nan, dtype=np.float32)

    def kernel(block: Block) -> tuple[int, int, NDArray[np.float32]]:
        row, column = int(block.window.row_off), int(block.window.col_off)
        part = block.with_infinite("raster")[-row % step :: step, -column % step :: step]
        return -(-row // step), -(-column // step), part.astype(np.float32)

    def placed(whole: NDArray[np.float32], found: tuple[int, int, NDArray[np.float32]]) -> NDArray[np.float32]:
        row, column, part = found
        whole[row : row + part.shape[0], column : column + part.shape[1]] = part
        return whole

    values = reduce_blocks(kernel, {"raster": raster}, values, placed)
    return Picture(values, step, grid, quantity_kinds().get(str(raster.fact("quantity"))))


def _draw(
    figure: Figure,
    axes: Axes,
    raster: Artifact,
    picture: Picture,
    colours: str | None,
    limits: tuple[float | None, float | None],
    aspect: float,
) -> None:
    finite = picture.values[np.isfinite(picture.values)]
    if finite.size == 0:
        axes.text(0.5, 0.5, "no data", transform=axes.transAxes, ha="center", va="center")
        return
    kind = picture.kind
    if kind is not None and kind.categorical:
        labels = np.unique(finite)
        if labels.size <= MOST_CLASSES and not kind.name.endswith("component_label"):
            _draw_classes(axes, picture.values, labels, kind.classes, aspect)
            return
    low, high = colour_limits(finite, kind, limits)
    image = axes.imshow(
        picture.values, cmap=_colour_map(colours, kind), vmin=low, vmax=high, aspect=aspect, interpolation="nearest"
    )
    below, above = bool(finite.min() < low), bool(finite.max() > high)
    extend = "both" if below and above else "min" if below else "max" if above else "neither"
    bar = figure.colorbar(image, ax=axes, shrink=0.8, extend=extend)
    unit = raster.fact("unit")
    name = kind.title if kind is not None else str(raster.fact("quantity") or "value")
    bar.set_label(name if unit in (None, "1") else f"{name} ({unit})", fontsize=9)
    bar.ax.tick_params(labelsize=8)


def colour_limits(
    finite: NDArray[np.float32], kind: QuantityKind | None, limits: tuple[float | None, float | None]
) -> tuple[float, float]:
    """The values at the two ends of the colours: as given, else percentiles 2 and 98, around 0 for changes."""
    low, high = (float(value) for value in np.percentile(finite, (2, 98)))
    if kind is not None and kind.name in _DIVERGING:
        reach = max(abs(low), abs(high))
        low, high = -reach, reach
    low = low if limits[0] is None else limits[0]
    high = high if limits[1] is None else limits[1]
    if high < low:
        raise ToolError("the range of the colours is empty", expected=f"maximum >= {low:g}", found=f"{high:g}")
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _colour_map(colours: str | None, kind: QuantityKind | None) -> str:
    from matplotlib import colormaps

    if colours is not None:
        if colours not in colormaps:
            raise ToolError(
                "unknown colour map", expected="a colour map of matplotlib, such as viridis or RdYlGn", found=colours
            )
        return colours
    if kind is None:
        return "viridis"
    if kind.name in _DIVERGING:
        return "RdBu_r"
    return _KIND_COLOURS.get(kind.name, _FAMILY_COLOURS.get(kind.family, "viridis"))


def _draw_classes(
    axes: Axes, values: NDArray[np.float32], labels: NDArray[np.float32], names: Mapping[int, str], aspect: float
) -> None:
    """A map of classes, and a legend that names those that occur."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, to_hex
    from matplotlib.patches import Patch

    if set(labels.tolist()) <= {0.0, 1.0}:
        colours = {0.0: "#f2efe9", 1.0: "#1f6fb4"}
    else:
        palette = colormaps["tab20"]
        colours = {float(label): to_hex(palette(index % 20)) for index, label in enumerate(labels)}
    shown = [colours[float(label)] for label in labels]
    place = np.where(np.isfinite(values), np.searchsorted(labels, values).clip(max=labels.size - 1), np.nan)
    axes.imshow(
        place, cmap=ListedColormap(shown), vmin=-0.5, vmax=labels.size - 0.5, aspect=aspect, interpolation="nearest"
    )
    patches = [
        Patch(facecolor=colour, edgecolor="#808080", label=names.get(int(label), f"{label:g}").replace("_", " "))
        for label, colour in zip(labels, shown, strict=True)
    ]
    axes.legend(handles=patches, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8, frameon=False)


def _title(raster: Artifact, picture: Picture) -> str:
    date = raster.fact("datetime")
    name = picture.kind.title if picture.kind is not None else raster.name or "Map"
    return f"{name}, {str(date)[:10]}" if date else name


def _pixel_aspect(grid: Grid) -> float:
    """Height of a pixel over its width on the ground; in degrees a pixel is narrower away from the equator."""
    width, height = grid.pixel_size
    if grid.crs is None or not geo.crs_of(grid.crs).is_geographic:
        return height / width
    south, north = grid.bounds[1], grid.bounds[3]
    return height / (width * max(math.cos(math.radians((south + north) / 2)), 0.05))


def metres_per_pixel(grid: Grid) -> float | None:
    """Width of a pixel on the ground in the middle of a grid, m; None without georeference."""
    if not grid.georeferenced or grid.crs is None:
        return None
    return pixel_on_ground(grid.crs, grid.transform[:6], grid.shape)[0]


def round_length(metres: float) -> tuple[float, str]:
    """The longest 1, 2 or 5 x 10^n metres not above a length, and how to write it."""
    power = 10.0 ** math.floor(math.log10(metres))
    length = max(factor * power for factor in (1.0, 2.0, 5.0) if factor * power <= metres * (1 + 1e-9))
    return length, f"{length / 1000:g} km" if length >= 1000 else f"{length:g} m"


def _scale_bar(axes: Any, picture: Picture) -> None:
    metres = metres_per_pixel(picture.grid)
    if metres is None or metres <= 0:
        return
    columns = picture.values.shape[1]
    length, text = round_length(0.3 * columns * picture.step * metres)
    share = length / (metres * picture.step * columns)
    axes.plot([0.03, 0.03 + share], [-0.03, -0.03], transform=axes.transAxes, color="black", lw=3, clip_on=False)
    axes.text(0.03 + share + 0.015, -0.03, text, transform=axes.transAxes, va="center", fontsize=8)
