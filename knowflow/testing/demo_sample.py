"""Real pixels that ship inside wheels, written as the GeoTIFFs of the demo when it runs; nothing is downloaded.

The tags say what the packages document and no more. What the demo has to assume beyond that (``ASSUMED_OF_SENTINEL2``)
it passes as ``--assume`` facts, so that plan and report show it.
"""

from __future__ import annotations

import importlib.resources
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import DataNotFoundError

# spyndex's README: "scale the data" by 10000 to get reflectance; bands in the order of spyndex.datasets.open
SENTINEL2_BANDS: Mapping[str, str] = {"B02": "blue", "B03": "green", "B04": "red", "B08": "nir"}
ASSUMED_OF_SENTINEL2: Mapping[str, str] = {
    # the sample has no georeference: 10 m bands on some UTM grid. Areas depend on the 10 m, not on the zone.
    "crs": "EPSG:32633",
    "resolution": "10",
    # its documentation says reflectance, not of which level; blue as dark as 0.02 speaks against the top of atmosphere
    "quantity": "surface_bidirectional_reflectance",
}


def write_sentinel2_sample(folder: Path) -> list[Path]:
    """The four 10 m bands of spyndex's Sentinel-2 sample: uint16, 300 x 300, reflectance x 10000, no georeference.

    Raises ``DataNotFoundError`` where the installed spyndex does not carry the sample.
    """
    source = importlib.resources.files("spyndex").joinpath("data/S2_10m.json")
    try:
        bands = np.asarray(json.loads(source.read_text()))
    except (OSError, ValueError) as error:
        raise _absent("spyndex", "its Sentinel-2 sample, data/S2_10m.json", str(error)) from error
    if bands.ndim != 3 or len(bands) != len(SENTINEL2_BANDS):
        raise _absent("spyndex", "four bands of the Sentinel-2 sample", f"an array of shape {bands.shape}")
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for pixels, (name, common) in zip(bands, SENTINEL2_BANDS.items(), strict=True):
        path = folder / f"sentinel2_sample_{name}.tif"
        tags = {"SENSOR": "sentinel-2", "BAND": name, "SCALE": "0.0001", "UNIT": "1", "SOURCE": "spyndex sample"}
        _write(path, pixels.astype(np.uint16), tags, description=common)
        paths.append(path)
    return paths


def write_terrain_sample(folder: Path) -> list[Path]:
    """matplotlib's SRTM elevation around Cross Mountain, Tennessee: int16 metres, 344 x 403, 3 arc seconds, EPSG:4326.

    The upper left corner is (``xmin``, ``ymax``) of the archive. Its ``ymin`` is not used: it is ``ymax`` *plus* the
    height, north of the first row. With ``ymax`` as the northern edge the highest pixel (1076 m) lies on Cross
    Mountain's summit (36.198 N, 84.231 W, 1077 m).

    Raises ``DataNotFoundError`` where the installed matplotlib does not carry the sample.
    """
    source = importlib.resources.files("matplotlib").joinpath("mpl-data/sample_data/jacksboro_fault_dem.npz")
    try:
        with source.open("rb") as stream, np.load(stream) as archive:
            elevation = archive["elevation"]
            west, north, dx, dy = (float(archive[name]) for name in ("xmin", "ymax", "dx", "dy"))
    except (OSError, KeyError, ValueError) as error:
        raise _absent("matplotlib", "its sample jacksboro_fault_dem.npz", str(error)) from error
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "jacksboro_elevation.tif"
    tags = {"QUANTITY": "elevation", "UNIT": "m", "SENSOR": "srtm", "SOURCE": "matplotlib sample"}
    transform = (dx, 0.0, west, 0.0, -dy, north)
    _write(path, elevation.astype(np.int16), tags, crs="EPSG:4326", transform=transform)
    return [path]


def _write(
    path: Path,
    pixels: NDArray[Any],
    tags: Mapping[str, str],
    description: str | None = None,
    crs: str | None = None,
    transform: tuple[float, ...] | None = None,
) -> None:
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning
    from rasterio.transform import Affine

    profile: dict[str, Any] = {"driver": "GTiff", "count": 1, "dtype": pixels.dtype.name, "compress": "deflate"}
    profile |= {"height": pixels.shape[0], "width": pixels.shape[1]}
    if crs is not None and transform is not None:
        profile |= {"crs": crs, "transform": Affine(*transform)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)  # known, and what the demo shows
        with rasterio.open(path, "w", **profile) as file:
            file.write(pixels, 1)
            file.update_tags(**tags)
            if description is not None:
                file.set_band_description(1, description)


def _absent(package: str, expected: str, found: str) -> DataNotFoundError:
    return DataNotFoundError(
        f"the installed {package} lacks the demo's sample",
        expected=expected,
        found=found,
        hint=f"reinstall {package}, or run the demo on your own data: knowflow run QUERY --data DIR",
    )
