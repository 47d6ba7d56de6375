"""A raster file as what is in it, read and written by rasterio alone, so that a relation can change one thing of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

from knowflow_bench.metamorphic.relations.site import SUFFIX

Pixels = NDArray[Any]
_OF_THE_FORMAT = ("AREA_OR_POINT",)


@dataclass(frozen=True)
class Sheet:
    """All that a single-band or multi-band raster file says: stored numbers of shape (bands, rows, columns), grid,
    missing value, scale and offset of each band, tags and names of its bands."""

    stored: Pixels
    crs: Any
    transform: Affine
    nodata: float | None
    scales: tuple[float, ...]
    offsets: tuple[float, ...]
    tags: Mapping[str, str]
    names: tuple[str | None, ...]
    layout: Mapping[str, Any] = field(default_factory=dict)
    """Options of its GeoTIFF: compression, tiles, byte order."""

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Where there is no data, by the declared value and by NaN."""
        stored = self.stored
        found = np.zeros(stored.shape, dtype=bool)
        if stored.dtype.kind == "f":
            found |= np.isnan(stored)
        if self.nodata is not None and not np.isnan(self.nodata):
            found |= stored == self.nodata
        return found

    @property
    def values(self) -> NDArray[np.float64]:
        """Physical numbers in float64; gaps are NaN."""
        scales, offsets = (np.array(one)[:, None, None] for one in (self.scales, self.offsets))
        return np.where(self.gaps, np.nan, self.stored.astype(np.float64) * scales + offsets)

    def with_stored(self, stored: Pixels, **changes: Any) -> Sheet:
        return replace(self, stored=stored, **changes)

    def tagged(self, **tags: str | None) -> Sheet:
        """With other tags; one that is None is taken away."""
        kept = {name: value for name, value in {**self.tags, **tags}.items() if value is not None}
        return replace(self, tags=kept)


def read_sheet(path: Path) -> Sheet:
    """What a raster file holds."""
    with _quiet(), rasterio.open(path) as file:
        tags = {name: value for name, value in file.tags().items() if name not in _OF_THE_FORMAT}
        layout = {"compress": "deflate"}
        return Sheet(
            file.read(),
            file.crs,
            file.transform,
            file.nodata,
            tuple(file.scales),
            tuple(file.offsets),
            tags,
            tuple(file.descriptions),
            layout,
        )


def write_sheet(path: Path, sheet: Sheet, finish: Callable[[Any], None] | None = None) -> None:
    """The sheet as a GeoTIFF in the place of whatever is there; ``finish`` gets the open file last."""
    for old in (path, Path(f"{path}.aux.xml"), Path(f"{path}.msk")):
        with suppress(FileNotFoundError):
            old.unlink()
    count, height, width = sheet.stored.shape
    profile: dict[str, Any] = {"driver": "GTiff", "count": count, "height": height, "width": width}
    profile |= {
        "dtype": sheet.stored.dtype.name,
        "crs": sheet.crs,
        "transform": sheet.transform,
        "nodata": sheet.nodata,
    }
    with _quiet(), rasterio.open(path, "w", **profile, **sheet.layout) as file:
        file.write(sheet.stored)
        file.update_tags(**sheet.tags)
        for number, name in enumerate(sheet.names, start=1):
            if name:
                file.set_band_description(number, name)
        if any(scale != 1.0 for scale in sheet.scales) or any(sheet.offsets):
            file.scales, file.offsets = sheet.scales, sheet.offsets
        if finish is not None:
            finish(file)


def rewritten(folder: Path, change: Callable[[Sheet], Sheet]) -> None:
    """Every raster of a folder, changed."""
    for path in rasters(folder):
        write_sheet(path, change(read_sheet(path)))


def rasters(folder: Path) -> list[Path]:
    return sorted(folder.rglob(f"*{SUFFIX}"))


@contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        yield
