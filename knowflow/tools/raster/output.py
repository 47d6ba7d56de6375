"""What a raster to be written holds: type, nodata, meaning, and what it takes over from its source."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.tools.raster.source import handles, open_source

# facts stored as dataset tags of their upper-case names
TAGGED_FACTS = (
    *("quantity", "unit", "datetime", "sensor", "level", "band", "daynight", "polarisation", "cloud_masked"),
    *("speckle_filtered", "sun_elevation", "sun_azimuth", "thermal_constants", "scale", "offset", "classes"),
)
# what a product of one acquisition still shares with it
KEPT_FACTS = ("datetime", "sensor", "level", "daynight", "polarisation", "cloud_masked", "speckle_filtered")
MASK_NODATA = 255


@dataclass(frozen=True, slots=True)
class Output:
    """One raster to be written.

    ``bands`` are band descriptions (common names); their number is the number of bands. ``keep`` names facts taken over
    from the first source, where they are known there and ``quantity``, ``unit`` or ``tags`` do not say otherwise.
    ``scale`` and ``offset`` only describe the stored numbers: kernels return stored numbers. Decimal numbers are
    float32, and become float64 where one of the sources needs it: :meth:`wider`.
    An integer output without ``nodata`` gets an internal mask as soon as a kernel returns masked arrays.
    """

    path: Path
    dtype: str = "float32"
    nodata: float | None = math.nan
    quantity: str | None = None
    unit: str | None = None
    bands: tuple[str | None, ...] = (None,)
    tags: Mapping[str, str] = field(default_factory=dict)
    keep: tuple[str, ...] = KEPT_FACTS
    scale: float = 1.0
    offset: float = 0.0
    colormap: Mapping[int, tuple[int, ...]] | None = None

    @property
    def floating(self) -> bool:
        return np.dtype(self.dtype).kind == "f"

    def wider(self, wide: bool) -> Output:
        """The same with room for all digits of its sources, where these are ``wide``."""
        return replace(self, dtype="float64") if wide and self.dtype == "float32" else self

    @classmethod
    def mask(cls, path: Path, quantity: str, **more: Any) -> Output:
        """A mask: 1 = it is so, 0 = it is not, 255 = not known."""
        return cls(path, dtype="uint8", nodata=MASK_NODATA, quantity=quantity, unit="1", **more)

    @classmethod
    def like(cls, path: Path, artifact: Artifact, **changes: Any) -> Output:
        """The same kind of numbers as in a raster: type, nodata, scale, bands, colours and all tagged facts."""
        with handles() as opened:
            source = open_source(artifact, opened, many_bands=True)
            dataset = opened.get(source.path)
            floating = np.dtype(source.dtype).kind == "f"
            described: dict[str, Any] = {
                "dtype": source.dtype,
                "nodata": math.nan if floating else source.nodata,
                "bands": _band_names(artifact, [dataset.descriptions[band - 1] for band in source.bands]),
                "tags": known_tags(artifact, dataset, TAGGED_FACTS),
                "keep": (),
                "scale": source.scale,
                "offset": source.offset,
                "colormap": colormap(dataset, source.bands[0]),
            }
        return cls(path, **{**described, **changes})


def _band_names(artifact: Artifact, described: Sequence[str | None]) -> tuple[str | None, ...]:
    """What the bands of a raster are called: what the user says, else their descriptions, else what is known."""
    known = artifact.known("bands")
    if known is None or not isinstance(known.value, tuple) or len(known.value) != len(described):
        return tuple(described)
    if known.origin is Origin.USER:
        return known.value
    return tuple(text or str(name) for text, name in zip(described, known.value, strict=True))


def colormap(dataset: Any, band: int) -> Mapping[int, tuple[int, ...]] | None:
    """The colours of a band's classes, or None where it has none."""
    try:
        return dict(dataset.colormap(band))
    except ValueError:
        return None


def known_tags(artifact: Artifact, dataset: Any, names: tuple[str, ...]) -> dict[str, str]:
    """The named facts as tags: what the artifact knows, else what the file's tags say."""
    header = dataset.tags()
    found = {}
    for name in names:
        value = artifact.fact(name)
        if isinstance(value, bool):
            value = "YES" if value else "NO"
        if name == "classes" and value is not None:
            value = json.dumps({str(code): text for code, text in value}, ensure_ascii=False)
        value = header.get(name.upper()) if value is None else value
        if value is not None and value != "":
            found[name.upper()] = str(value)
    return found


def shared_tags(items: Sequence[Artifact], names: tuple[str, ...]) -> dict[str, str]:
    """The named facts on which all rasters agree, as tags."""
    with handles() as opened:
        found = [known_tags(item, opened.get(str(item.path)), names) for item in items]
    return {name: value for name, value in found[0].items() if all(tags.get(name) == value for tags in found)}


def fitted(values: NDArray[Any], output: Output) -> NDArray[Any]:
    """Numbers as an output stores them: of its type, masked ones and (in an integer output) NaN as its nodata.

    Fractions are rounded and kept within the limits of an integer type. Where an integer output has no nodata, the
    result is a masked array.
    """
    dtype, nodata = np.dtype(output.dtype), output.nodata
    numbers = np.ma.getdata(values)
    gone = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    if dtype.kind in "iu" and numbers.dtype.kind == "f":
        nan = ~np.isfinite(numbers)
        gone = nan if gone is None else gone | nan
        limits = np.iinfo(dtype)
        numbers = np.clip(np.rint(np.where(gone, 0, numbers)), limits.min, limits.max)
    numbers = numbers.astype(dtype, copy=False)
    if gone is None:
        return numbers
    if nodata is None:
        return np.ma.MaskedArray(numbers, mask=gone)
    return np.where(gone, dtype.type(nodata), numbers)
