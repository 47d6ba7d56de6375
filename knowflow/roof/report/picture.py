"""A raster reduced to a picture: decimated physical values, their colours, and a PNG with transparent nodata."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from knowflow.ground.colours import OFF, Colour, class_colours
from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.json_text import json_value
from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.ground.opening import open_data
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.roof.report.of_question import OfQuestion
from knowflow.tools.area import class_names

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_PIXELS = 900
_MOST_CLASSES = 12
_EMPTY = 255
_SEQUENTIAL = {
    "vegetation": "YlGn",
    "temperature": "inferno",
    "terrain": "cividis",
    "water": "YlGnBu",
    "cryosphere": "Blues",
    "fire": "YlOrRd",
    "urban": "magma",
    "radar": "gray",
    "radiometry": "gray",
    "burn": "YlOrRd",
    "snow": "Blues",
    "soil": "YlOrBr",
}
_NAMED = {"hillshade": "gray", "aspect": "twilight", "interferometric_phase": "twilight"}
# of changes: more green is greener, more heat redder, more burn browner, more water bluer
_DIVERGING = {
    "vegetation": "BrBG",
    "temperature": "RdBu_r",
    "urban": "RdBu_r",
    "burn": "BrBG_r",
    "fire": "BrBG_r",
}
_USUAL, _USUAL_CHANGE = "viridis", "RdBu"
_SIGNED = {"difference", "trend_per_year", "standardized_anomaly", "relative_change", "correlation_coefficient", "dnbr"}
_SIGNED_WORDS = ("difference", "trend", "anomaly", "change", "displacement")


@dataclass(frozen=True, slots=True)
class Class:
    """One class of a categorical raster: its number, name, colour and share of the pixels that are data."""

    value: int
    name: str
    colour: Colour
    share: float


@dataclass(frozen=True)
class Picture:
    """What is shown of a raster. ``values`` (rows, columns) are physical, float64, NaN where there is no data.

    ``step`` is how many pixels of the file one value stands for along each side (1: all of them are shown).
    ``histogram`` (edges, counts) is that of all pixels, where the file's writer has left it.
    """

    values: NDArray[np.float64]
    png: str
    shape: tuple[int, int]
    step: float
    crs: str | None
    transform: tuple[float, ...] | None
    limits: tuple[float, float]
    extremes: tuple[float, float]
    stops: tuple[Colour, ...]
    classes: tuple[Class, ...]
    valid_fraction: float
    histogram: tuple[list[float], list[float]] | None = None


def read_picture(artifact: Artifact, path: str, asked: OfQuestion | None = None) -> Picture:
    """Read a raster at the resolution of the page and colour it.

    Facts of the artifact (nodata, scale, offset, CRS, transform) go before the file's header. ``asked`` is what it
    shows of a question: of what is true or false, what is so and in which colour; of changes, of what kind of quantity.
    Raises ``UnreadableDataError`` where the file is gone or not a raster.
    """
    from rasterio.errors import RasterioError

    try:
        with _without_georeference(), open_data(path) as source:
            picture = _read(artifact, source, "" if asked is None else asked.family)
            return picture if asked is None or asked.colour is None else _told(picture, asked.told, asked.colour)
    except (RasterioError, OSError, IndexError) as error:
        raise UnreadableDataError(
            f"{path} cannot be shown",
            found=str(error).splitlines()[0] if str(error) else type(error).__name__,
        ) from error


@contextmanager
def _without_georeference() -> Iterator[None]:
    """No warning for what has no georeference: a picture never has one, and a map says so itself."""
    from rasterio.errors import NotGeoreferencedWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        yield


def recoloured(picture: Picture, limits: tuple[float, float]) -> Picture:
    """The same picture with colours from one limit to the other, to be compared with others; classes keep theirs."""
    if picture.classes:
        return picture
    png = _png(_indices(picture.values, limits, ()), picture.stops)
    return replace(picture, limits=limits, png=png)


def over(picture: Picture, base: Picture) -> tuple[Picture, str]:
    """What is true or false, to be laid over another picture: nothing is drawn where it is not so. The PNG of the
    other is grey, and light enough for what lies over it."""
    off = [at for at, one in enumerate(picture.classes) if one.value == 0]
    indices = _indices(picture.values, picture.limits, picture.classes)
    for at in off:
        indices[indices == at] = _EMPTY
    grey = tuple((level, level, level) for level in (round(105 + at * 140 / 253) for at in range(254)))
    upper = replace(picture, png=_png(indices, tuple(one.colour for one in picture.classes)))
    return upper, _png(_indices(base.values, base.limits, ()), grey)


def _told(picture: Picture, told: str, colour: Colour) -> Picture:
    """The picture of what is true or false, with words for where it is so."""
    if not {one.value for one in picture.classes} <= {0, 1}:
        return picture
    both = {0: ("elsewhere", OFF), 1: (told, colour)}
    classes = tuple(replace(one, name=both[one.value][0], colour=both[one.value][1]) for one in picture.classes)
    png = _png(_indices(picture.values, picture.limits, classes), tuple(one.colour for one in classes))
    return replace(picture, classes=classes, png=png)


def _read(artifact: Artifact, source: Any, family: str) -> Picture:
    import numpy as np
    from rasterio.enums import Resampling

    kind = quantity_kinds().get(artifact.fact("quantity") or "")
    band = artifact.band or 1
    rows, columns = source.shape
    step = max(rows, columns, 1) / MOST_PIXELS if max(rows, columns) > MOST_PIXELS else 1.0
    shown = (max(1, round(rows / step)), max(1, round(columns / step)))
    nodata = artifact.fact("nodata")
    own_nodata = nodata is not None and not _same(nodata, source.nodatavals[band - 1])
    whole = source.dtypes[band - 1].startswith(("int", "uint", "bool"))
    categorical = kind.categorical if kind is not None else False
    mixable = kind.continuous if kind is not None else not whole
    # averages invent classes and directions, and blend a nodata value that the header does not name into its neighbours
    method = Resampling.average if mixable and not own_nodata else Resampling.nearest
    stored = source.read(band, out_shape=shown, resampling=method)
    valid = source.read_masks(band, out_shape=shown) > 0
    if own_nodata:
        valid = ~np.isnan(stored) if np.isnan(nodata) else stored != nodata
    scale, offset = artifact.fact("scale"), artifact.fact("offset")
    scale = source.scales[band - 1] if scale is None else scale
    offset = source.offsets[band - 1] if offset is None else offset
    values = np.where(valid, stored.astype("float64") * scale + offset, np.nan)
    values[~np.isfinite(values)] = np.nan
    names = dict(class_names(replace(artifact, path=source.name))) if categorical else {}
    classes = _classes(values, names) if categorical or (whole and kind is None) else ()
    limits, extremes = _limits(values, kind)
    stops = _stops(kind, family)
    header_crs = source.crs.to_string() if source.crs else None
    header_transform = None if source.transform.is_identity else tuple(source.transform)[:6]
    return Picture(
        values=values,
        png=_png(_indices(values, limits, classes), tuple(c.colour for c in classes) or stops),
        shape=(rows, columns),
        step=step,
        crs=artifact.fact("crs") or header_crs,
        transform=artifact.fact("transform") or header_transform,
        limits=limits,
        extremes=extremes,
        stops=stops,
        classes=classes,
        valid_fraction=float(np.isfinite(values).mean()),
        histogram=_tagged_histogram(source.tags(band).get("KNOWFLOW_HISTOGRAM")),
    )


def _tagged_histogram(tag: str | None) -> tuple[list[float], list[float]] | None:
    try:
        edges, counts = json_value(tag or "")
        return [float(edge) for edge in edges], [float(count) for count in counts]
    except (ValueError, TypeError):
        return None


def _same(a: float, b: float | None) -> bool:
    return b is not None and (a == b or (a != a and b != b))


def _classes(values: NDArray[np.float64], names: Mapping[int, str]) -> tuple[Class, ...]:
    """The classes that occur, in the colours that files have; none where there are too many to tell apart or the
    numbers are not whole."""
    import numpy as np

    found, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    if not 0 < len(found) <= _MOST_CLASSES or (found != np.round(found)).any():
        return ()
    said = {
        int(value): names.get(int(value), "" if names else f"class {int(value)}").replace("_", " ") or str(int(value))
        for value in found
    }
    colours = class_colours({**names, **said})
    return tuple(
        Class(code, name, colours[code], float(count / counts.sum()))
        for (code, name), count in zip(said.items(), counts, strict=True)
    )


def _limits(values: NDArray[np.float64], kind: QuantityKind | None) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the colours begin and end (2nd and 98th percentile; as far below 0 as above where signs matter), and the
    extremes."""
    import numpy as np

    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return (0.0, 1.0), (0.0, 1.0)
    low, high = (float(x) for x in np.percentile(finite, (2, 98)))
    extremes = float(finite.min()), float(finite.max())
    if signed(kind):
        high = max(abs(low), abs(high))
        low = -high
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        low, high = extremes
    if high == low:
        low, high = low - 0.5, high + 0.5
    return (low, high), extremes


def signed(kind: QuantityKind | None) -> bool:
    """Whether the sign of the quantity matters: gain or loss, more or less than before."""
    return kind is not None and (kind.name in _SIGNED or any(word in kind.name for word in _SIGNED_WORDS))


def _stops(kind: QuantityKind | None, family: str) -> tuple[Colour, ...]:
    """The 254 colours between the limits; of changes those of the ``family`` of what changed."""
    name = _USUAL
    if kind is not None:
        index = spectral_indices().get(kind.name)
        own = kind.family if index is None else index.domain
        if signed(kind):
            name = _DIVERGING.get(own) or _DIVERGING.get(family, _USUAL_CHANGE)
        else:
            name = _NAMED.get(kind.name) or _SEQUENTIAL.get(own, _USUAL)
    return _ramps()[name]


@kept()
@between_runs
def _ramps() -> Mapping[str, tuple[Colour, ...]]:
    """The colour maps that are used, of 254 colours each: matplotlib, whose they are, takes long to import."""
    from matplotlib import colormaps

    found = {}
    for name in sorted({_USUAL, _USUAL_CHANGE, *_DIVERGING.values(), *_NAMED.values(), *_SEQUENTIAL.values()}):
        ramp = colormaps[name].resampled(254)(range(254))
        found[name] = tuple((round(r * 255), round(g * 255), round(b * 255)) for r, g, b, _ in ramp.tolist())
    return found


def _indices(values: NDArray[np.float64], limits: tuple[float, float], classes: Sequence[Class]) -> NDArray[np.uint8]:
    import numpy as np

    if classes:
        indices = np.full(values.shape, _EMPTY, "uint8")
        for index, one in enumerate(classes):
            indices[values == one.value] = index
        return indices
    low, high = limits
    place = np.clip((np.nan_to_num(values, nan=low) - low) / (high - low), 0, 1)
    return np.where(np.isfinite(values), np.rint(place * 253), _EMPTY).astype("uint8")


def _png(indices: NDArray[np.uint8], colours: Sequence[Colour]) -> str:
    """A palette PNG as data URI; index 255 is transparent."""
    from rasterio.io import MemoryFile

    with _without_georeference(), MemoryFile() as memory:
        height, width = indices.shape
        with memory.open(
            driver="PNG", height=height, width=width, count=1, dtype="uint8", nodata=_EMPTY, ZLEVEL=9
        ) as out:
            out.write(indices, 1)
            palette = {index: (*colour, 255) for index, colour in enumerate(colours)}
            out.write_colormap(1, {**palette, _EMPTY: (0, 0, 0, 0)})
        return "data:image/png;base64," + base64.b64encode(memory.read()).decode("ascii")
