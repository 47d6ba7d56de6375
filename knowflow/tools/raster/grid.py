"""Pixel grids: where the pixels of a raster are, as its facts or its header say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from affine import Affine

from knowflow.ground.errors import MissingFactError, PreconditionError, ToolError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin

# the tag of a result that was made of a raster whose place nobody knows
PLACED, NOWHERE = "KNOWFLOW_PLACED", "NO"


class GridMismatchError(PreconditionError):
    """Rasters that must correspond pixel for pixel are on different grids."""

    code: ClassVar[str] = "grid_mismatch"


@dataclass(frozen=True, slots=True)
class Grid:
    """A pixel grid: CRS (authority code or WKT; None where nobody knows), affine transform, (rows, columns).

    A raster without georeference has ``crs`` None and the identity as transform. One that is not ``placed`` has pixels
    of a known size, and lies nobody knows where.
    """

    crs: str | None
    transform: Affine
    shape: tuple[int, int]
    placed: bool = True

    @property
    def token(self) -> str:
        """The identity of the grid, equal for grids that agree to 1e-4 of a pixel."""
        return geo.grid_token(self.crs, self.transform[:6], self.shape)

    @property
    def georeferenced(self) -> bool:
        return self.crs is not None and not self.transform.is_identity

    @property
    def bounds(self) -> geo.Box:
        """West, south, east, north in the CRS."""
        return geo.bounds_of(self.transform[:6], self.shape)

    @property
    def pixel_size(self) -> tuple[float, float]:
        """Width and height of a pixel in units of the CRS; lengths of the pixel's sides where it is rotated."""
        a, b, _, d, e, _ = self.transform[:6]
        return (a * a + d * d) ** 0.5, (b * b + e * e) ** 0.5

    def window(self, row: int, column: int, rows: int, columns: int) -> Grid:
        """The grid of a window of this one; it may reach beyond the edges."""
        return Grid(self.crs, self.transform @ Affine.translation(column, row), (rows, columns), self.placed)

    def require_crs(self, what: str) -> str:
        """The CRS, or ``MissingFactError`` naming what it is needed for."""
        if self.crs is None:
            raise MissingFactError(
                f"{what} needs a coordinate reference system",
                expected="a raster with a CRS",
                found="none",
                hint="say it: --assume crs=EPSG:...",
            )
        return self.crs

    def __str__(self) -> str:
        width, height = self.pixel_size
        origin = f"({self.transform.c:.8g}, {self.transform.f:.8g})"
        return f"{self.crs or 'no CRS'} {self.shape[0]}x{self.shape[1]} at {width:.8g}x{height:.8g} from {origin}"


def effective_grid(artifact: Artifact, dataset: Any) -> Grid:
    """The grid of an open dataset, where the artifact's facts override the header.

    Where only the pixel size is known (``--assume resolution=10``), the origin is the lower left corner of the raster.
    """
    rows, columns = dataset.height, dataset.width
    crs = artifact.fact("crs")
    crs = crs if crs is not None else header_crs(dataset)
    transform, resolution = artifact.fact("transform"), artifact.fact("resolution")
    known = artifact.known("transform")
    by_user = known is not None and known.origin is Origin.USER
    placed = known is not None and known.source != geo.SIZE_ALONE if by_user else dataset.tags().get(PLACED) != NOWHERE
    if transform is not None:
        affine = Affine(*transform[:6])
    elif dataset.transform.is_identity and resolution is not None:
        width, height = resolution if isinstance(resolution, tuple) else (resolution, resolution)
        affine, placed = Affine(width, 0.0, 0.0, 0.0, -height, rows * height), False
    else:
        affine = dataset.transform
    return Grid(None if crs is None else canonical_crs(crs), affine, (rows, columns), placed)


def header_crs(dataset: Any) -> str | None:
    """The CRS of an open dataset in canonical spelling, or None."""
    return canonical_crs(dataset.crs.to_wkt()) if dataset.crs else None


@lru_cache(maxsize=256)
def canonical_crs(text: str) -> str:
    """The canonical spelling of a CRS; ``ToolError`` for what is none."""
    from pyproj.exceptions import CRSError

    try:
        return geo.canonical_crs(text)
    except CRSError as error:
        raise ToolError(
            "not a coordinate reference system",
            expected="an authority code such as EPSG:32633, or WKT",
            found=repr(text),
        ) from error


def require_same_grid(grids: Iterable[tuple[str, Grid]]) -> Grid:
    """The one grid that all named rasters share, or ``GridMismatchError`` naming the two that differ."""
    listed = list(grids)
    first_name, first = listed[0]
    for name, grid in listed[1:]:
        if grid != first and grid.token != first.token:
            raise GridMismatchError(
                f"{name} is not on the grid of {first_name}",
                expected=str(first),
                found=str(grid),
                hint=f"align it first: align_to(raster={name}, like={first_name})",
            )
    return first
