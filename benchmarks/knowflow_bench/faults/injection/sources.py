"""Faults of what a dataset is made of: files that are no rasters, texts that point elsewhere, sidecars that differ."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import rasterio

from knowflow_bench.faults.injection.data import FileFault, Site, rewrite

ADDRESS = "KNOWFLOW_FAULT_ADDRESS"
"""The environment variable with the address of the server that must not be asked."""


def fifo(site: Site) -> None:
    """A pipe under the name of a raster: who opens it waits for ever."""
    os.mkfifo(site.folder / f"{site.scene.layers[0].name}_2030-01-01.tif")


def _vrt(source: str, path: Path, relative: bool = False) -> str:
    """The text of a virtual raster on the grid of a file, with its numbers from ``source``."""
    with rasterio.open(path) as file:
        a, b, c, d, e, f = tuple(file.transform)[:6]
        place = f"<SRS>{file.crs.to_wkt()}</SRS><GeoTransform>{c},{a},{b},{f},{d},{e}</GeoTransform>"
        kind, width, height = file.dtypes[0].capitalize(), file.width, file.height
        said = "".join(f'<MDI key="{key}">{value}</MDI>' for key, value in file.tags().items())
    return (
        f'<VRTDataset rasterXSize="{width}" rasterYSize="{height}">{place}<Metadata>{said}</Metadata>'
        f'<VRTRasterBand dataType="{kind}" band="1"><SimpleSource><SourceFilename relativeToVRT="{int(relative)}">'
        f"{source}</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>"
    )


def virtual(site: Site) -> None:
    """Virtual rasters, whose numbers lie in a folder below."""
    below = site.folder / "parts"
    below.mkdir()
    for path in site.rasters:
        text = _vrt(f"parts/{path.stem}.dat", path, relative=True)
        path.rename(below / f"{path.stem}.dat")
        path.with_suffix(".vrt").write_text(text, encoding="utf-8")


def other_parts(site: Site, *, add: float) -> None:
    """What virtual rasters are made of has changed, and they have not."""
    for path in sorted((site.folder / "parts").glob("*.dat")):
        rewrite(path, lambda pixels: pixels + np.float32(add))


def fetches(site: Site) -> None:
    """The text of a virtual raster under the name of a raster, with the numbers at an address."""
    path = site.one(site.of(None))
    path.write_text(_vrt(f"/vsicurl/{os.environ[ADDRESS]}/secret.tif", path), encoding="utf-8")


def service(site: Site) -> None:
    """The description of a map service under the name of a raster."""
    path = site.one(site.of(None))
    path.write_text(
        f'<GDAL_WMS><Service name="WMS"><ServerUrl>{os.environ[ADDRESS]}/wms?</ServerUrl><Layers>x</Layers></Service>'
        "<DataWindow><UpperLeftX>500000</UpperLeftX><UpperLeftY>5100000</UpperLeftY><LowerRightX>500480</LowerRightX>"
        "<LowerRightY>5099520</LowerRightY><SizeX>48</SizeX><SizeY>48</SizeY></DataWindow></GDAL_WMS>",
        encoding="utf-8",
    )


def reads_outside(site: Site) -> None:
    """The text of a virtual raster under the name of a raster, with the numbers of a file outside of the folder."""
    path = site.one(site.of(None))
    outside = site.folder.parent / "private.tif"
    text = _vrt(str(outside), path)
    path.rename(outside)
    rewrite(outside, lambda pixels: pixels * np.float32(0.9))
    path.write_text(text, encoding="utf-8")


def giant(site: Site, *, size: int) -> None:
    """A file that declares millions of rows and columns, and holds none of them."""
    path = site.one(site.of(None))
    with rasterio.open(path) as source:
        profile, said = source.profile, source.tags()
    path.unlink()
    profile.update(width=size, height=size, tiled=True, blockxsize=32768, blockysize=32768, sparse_ok=True)
    profile.update(bigtiff="YES", compress="deflate")
    with rasterio.open(path, "w", **profile) as file:
        file.update_tags(**said)


def sidecar(site: Site, *, crs: str = "", metres: float = 0.0) -> None:
    """A file beside one of the rasters that says another CRS, or another place, than the raster itself."""
    path = site.one(site.of(None))
    with rasterio.open(path) as source:
        a, b, c, d, e, f = tuple(source.transform)[:6]
        own = source.crs
    place = f"<GeoTransform>{c + metres},{a},{b},{f + metres},{d},{e}</GeoTransform>" if metres else ""
    said = f"<SRS>{rasterio.crs.CRS.from_string(crs).to_wkt() if crs else own.to_wkt()}</SRS>"
    Path(f"{path}.aux.xml").write_text(f"<PAMDataset>{said}{place}</PAMDataset>", encoding="utf-8")


def world_files(site: Site, *, times: float = 1.0) -> None:
    """Rasters whose place is told by a world file beside them; again, with pixels of another size."""
    for path in site.rasters:
        world = path.with_suffix(".tfw")
        if world.exists():
            numbers = [float(line) for line in world.read_text(encoding="utf-8").split()]
            numbers[0], numbers[3] = numbers[0] * times, numbers[3] * times
        else:
            with rasterio.open(path) as source:
                a, b, c, d, e, f = tuple(source.transform)[:6]
                crs = source.crs
            rewrite(path, lambda pixels: pixels, transform=None, crs=None, profile="BASELINE")
            Path(f"{path}.aux.xml").write_text(f"<PAMDataset><SRS>{crs.to_wkt()}</SRS></PAMDataset>", encoding="utf-8")
            numbers = [a, d, b, e, c + a / 2, f + e / 2]
        world.write_text("".join(f"{number!r}\n" for number in numbers), encoding="utf-8")


def empty_layer(site: Site) -> None:
    """A layer of polygons beside the data that has none, and so no bounds."""
    from knowflow.ground.vectors import write

    write(
        site.folder / "regions.gpkg",
        geometry=np.array([], dtype=object),
        field_data=[np.array([], dtype=object)],
        fields=["name"],
        crs="EPSG:32633",
        geometry_type="Polygon",
        driver="GPKG",
        layer="regions",
    )


SOURCE_FAULTS: Mapping[str, FileFault] = {
    "fifo": fifo,
    "virtual": virtual,
    "other_parts": other_parts,
    "fetches": fetches,
    "service": service,
    "reads_outside": reads_outside,
    "giant": giant,
    "sidecar": sidecar,
    "world_files": world_files,
    "empty_layer": empty_layer,
}
