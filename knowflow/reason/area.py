"""The area of interest: every raster that a plan reads is cut to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from knowflow.ground.errors import DataNotFoundError, PlanningError
from knowflow.ground.files import in_place_of_file
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.workflow import Given, Inserted
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.inventory.crs_beside import with_crs_beside
from knowflow.reason.vector_shapes import has_polygons

BBOX_CRS = "EPSG:4326"


@dataclass(frozen=True, slots=True)
class Area:
    """A box in degrees (west, south, east, north), or the polygons of a vector file."""

    box: geo.Box | None = None
    polygons: Artifact | None = None

    @property
    def extent(self) -> geo.Box | None:
        """West, south, east, north in degrees; None where the vector file does not say where it lies."""
        return self.box or (None if self.polygons is None else geo.lonlat_box(self.polygons))

    def on(self, data: Sequence[Artifact]) -> Area:
        """The same area; one whose file tells no CRS in that of the data that its coordinates lie on."""
        if self.polygons is None:
            return self
        return replace(self, polygons=with_crs_beside((self.polygons, *data))[0])

    def clipped(self, builder: Builder, bound: Bound, name: str) -> Bound:
        """The same data cut to the area, one node per raster.

        Raises:
            PlanningError: a raster lies outside the area, or where it lies is unknown.
        """
        known = bound.known
        if not isinstance(known, Artifact) or known.type not in ("raster", "raster_series", "band_set"):
            return bound
        return builder.mapped(bound, lambda part: self._cut(builder, part, name))

    def _cut(self, builder: Builder, part: Bound, name: str) -> Bound:
        extent = geo.lonlat_box(part.known)
        box = self.extent
        if extent is not None and box is not None and not geo.boxes_overlap(extent, box):
            raise PlanningError(
                "the data do not overlap the area of interest",
                where=part.known.name,
                expected=f"data within {', '.join(f'{value:.5g}' for value in box)}",
                found=f"data within {', '.join(f'{value:.5g}' for value in extent)}",
            )
        why = Inserted("user", "an area of interest was given", "--aoi", "pixels outside the area")
        arguments = {"raster": part}
        if self.polygons is not None:
            arguments["polygons"] = builder.input("area_of_interest", self.polygons)
        else:
            arguments["bbox"] = Bound(Given(self.box), self.box)
            own = part.known.fact("crs")
            degrees = (geo.degrees_on(own) if own is not None and geo.is_crs(own) else None) or BBOX_CRS
            arguments["bbox_crs"] = Bound(Given(degrees), degrees)
        tool = "clip" if self.polygons is None else "clip_to_polygons"
        return builder.output(builder.add(tool, arguments, layer=1, step=f"{name}.{tool}", inserted=why), "output")


def area_of(text: str) -> Area:
    """The area that ``--aoi`` names: ``west,south,east,north`` in degrees, or a vector file.

    Raises:
        PlanningError: the numbers are no box. DataNotFoundError, UnreadableDataError: the file cannot be used.
    """
    parts = text.split(",")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return Area(polygons=_polygons(text))
    west, south, east, north = numbers if len(numbers) == 4 else (0.0, 0.0, 0.0, 0.0)
    if not (-180 <= west < east <= 180 and -90 <= south < north <= 90):
        raise PlanningError(
            "not an area of interest",
            where="--aoi",
            expected="west,south,east,north in degrees (west < east, south < north), or a vector file",
            found=text,
        )
    return Area(box=(west, south, east, north))


def _polygons(text: str) -> Artifact:
    from knowflow.reason.inventory import read_artifact
    from knowflow.reason.inventory.header import type_of

    path = Path(text)
    expected = "west,south,east,north in degrees, or a vector file (GeoPackage, GeoJSON, Shapefile)"
    other = in_place_of_file(path)
    if other is not None:
        raise DataNotFoundError(
            "the area of interest does not exist",
            where=f"--aoi {text}",
            expected=expected,
            found="no such file" if other == "nothing" else other,
        )
    if type_of(path) != "vector":
        raise PlanningError("not an area of interest", where=str(path), expected=expected, found="another kind of file")
    found = read_artifact(path.resolve())
    if not has_polygons(found):
        held = f"{found.fact('features')} features of type {found.fact('geometry')}"
        raise PlanningError("there is no polygon", where=f"--aoi {text}", expected="a file of polygons", found=held)
    return found
