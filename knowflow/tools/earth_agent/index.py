"""Spectral indices of many scenes: the published names over :func:`knowflow.tools.index.spectral_index`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.dryness import tvdi
from knowflow.tools.earth_agent.files import Paths, Raster, Series, raster, reflectance, rows, targets, whole
from knowflow.tools.index import spectral_index
from knowflow.tools.kernels.vegetation import vegetation_fraction
from knowflow.tools.raster import Block, Output, map_blocks, reduce_blocks
from knowflow.tools.thresholding import nothing_to_count, threshold

# the scales that the published tool takes for granted: MOD13 and MOD11
_MODIS_NDVI_SCALE, _MODIS_TEMPERATURE_SCALE = 0.0001, 0.02


def _write_all(
    lists: Mapping[str, Series], outputs: Paths, write: Callable[[Mapping[str, Artifact], Path], None], compat: bool
) -> None:
    scenes = rows(lists, compat)
    for scene, path in zip(scenes, targets(outputs, [next(iter(row.values())) for row in scenes], compat), strict=True):
        write({band: raster(source, compat) for band, source in scene.items()}, path)


def _write_index(index: str, lists: Mapping[str, Series], outputs: Paths, compat: bool) -> None:
    _write_all(lists, outputs, lambda bands, path: spectral_index(index, bands, path), compat)


def calculate_batch_ndvi(
    input_nir_paths: Series, input_red_paths: Series, output_paths: Paths, compat: bool = False
) -> None:
    """NDVI of every scene (Rouse et al. 1974)."""
    _write_index("NDVI", {"nir": input_nir_paths, "red": input_red_paths}, output_paths, compat)


def calculate_batch_ndwi(
    input_nir_paths: Series, input_swir_paths: Series, output_paths: Paths, compat: bool = False
) -> None:
    """A water index of every scene from near infrared and the second band.

    Where the second band is known to be green: (green - nir) / (green + nir), the NDWI of open water (McFeeters 1996).
    Else it is short-wave infrared, and the index is what these two bands can tell: the moisture of vegetation, NDMI
    (Gao 1996). ``compat``: (nir - second) / (nir + second) whatever the band, called NDWI.
    """

    def write(bands: Mapping[str, Artifact], path: Path) -> None:
        second = bands["swir16"]
        if not compat and _is_green(second):
            spectral_index("NDWI", {"green": second, "nir": bands["nir"]}, path)
        else:
            spectral_index("NDMI", bands, path)

    _write_all({"nir": input_nir_paths, "swir16": input_swir_paths}, output_paths, write, compat)


def _is_green(band: Artifact) -> bool:
    names = band.fact("bands")
    if names:
        return tuple(names) == ("green",)
    wavelength = band.fact("wavelength")
    return wavelength is not None and 500 <= float(wavelength) <= 600


def calculate_batch_ndbi(
    input_swir_paths: Series, input_nir_paths: Series, output_paths: Paths, compat: bool = False
) -> None:
    """NDBI of every scene (Zha et al. 2003)."""
    _write_index("NDBI", {"swir16": input_swir_paths, "nir": input_nir_paths}, output_paths, compat)


def calculate_batch_evi(
    input_nir_paths: Series,
    input_red_paths: Series,
    input_blue_paths: Series,
    output_paths: Paths,
    G: float = 2.5,  # noqa: N803 (a published name)
    C1: float = 6.0,  # noqa: N803
    C2: float = 7.5,  # noqa: N803
    L: float = 1.0,  # noqa: N803
    compat: bool = False,
) -> None:
    """EVI of every scene (Huete et al. 2002), from reflectance: L is in its units. ``compat``: from stored numbers."""
    lists = {"nir": input_nir_paths, "red": input_red_paths, "blue": input_blue_paths}

    def write(bands: Mapping[str, Artifact], path: Path) -> None:
        scaled = {name: reflectance(band, compat) for name, band in bands.items()}
        spectral_index("EVI", scaled, path, {"g": G, "C1": C1, "C2": C2, "L": L})

    _write_all(lists, output_paths, write, compat)


def calculate_batch_nbr(
    input_nir_paths: Series, input_swir_paths: Series, output_paths: Paths, compat: bool = False
) -> None:
    """NBR of every scene (Key and Benson 2006)."""
    _write_index("NBR", {"nir": input_nir_paths, "swir22": input_swir_paths}, output_paths, compat)


def calculate_batch_fvc(
    input_nir_paths: Series,
    input_red_paths: Series,
    output_paths: Paths,
    ndvi_min: float = 0.1,
    ndvi_max: float = 0.9,
    compat: bool = False,
) -> None:
    """Vegetation fraction of every scene, linear in NDVI between bare soil and full cover (Gutman and Ignatov 1998)."""

    def kernel(block: Block) -> NDArray[np.float64]:
        nir, red = block["nir"].astype(np.float64), block["red"].astype(np.float64)
        ndvi = (nir - red) / (nir + red)
        return vegetation_fraction(np.where(np.abs(ndvi) <= 1, ndvi, np.nan), ndvi_min, ndvi_max, "linear")

    def write(bands: Mapping[str, Artifact], path: Path) -> None:
        map_blocks(kernel, bands, Output(path, quantity="vegetation_fraction", unit="1"))

    _write_all({"nir": input_nir_paths, "red": input_red_paths}, output_paths, write, compat)


def calculate_batch_wri(
    input_green_paths: Series,
    input_red_paths: Series,
    input_nir_paths: Series,
    input_swir_paths: Series,
    output_paths: Paths,
    compat: bool = False,
) -> None:
    """WRI of every scene: (green + red) / (nir + swir) (Shen and Li 2010)."""
    lists = {"green": input_green_paths, "red": input_red_paths, "nir": input_nir_paths, "swir16": input_swir_paths}
    _write_index("WRI", lists, output_paths, compat)


def calculate_batch_ndti(
    input_red_paths: Series, input_green_paths: Series, output_paths: Paths, compat: bool = False
) -> None:
    """NDTI (turbidity) of every scene (Lacaux et al. 2007)."""
    _write_index("NDTI", {"red": input_red_paths, "green": input_green_paths}, output_paths, compat)


def calculate_batch_frp(input_frp_paths: Series, output_paths: Paths, fire_threshold: float = 0.0) -> None:
    """A mask of fire for every scene: 1 where the fire radiative power is above the threshold."""
    _write_all(
        {"frp": input_frp_paths},
        output_paths,
        lambda bands, path: threshold(bands["frp"], fire_threshold, path, quantity="fire_mask"),
        False,
    )


def calculate_batch_ndsi(
    green_file_list: Series, swir_file_list: Series, output_path_list: Paths, compat: bool = False
) -> None:
    """NDSI (snow) of every scene (Hall et al. 1995)."""
    _write_index("NDSI", {"green": green_file_list, "swir16": swir_file_list}, output_path_list, compat)


def calc_extreme_snow_loss_percentage_from_binary_map(binary_map_path: Raster, compat: bool = False) -> float:
    """Share (0..1) of the map that is 1: pixels of extreme loss among those that are data."""
    loss = raster(binary_map_path, compat)

    def kernel(block: Block) -> NDArray[np.int64]:
        values = block["raster"]
        return np.array([np.count_nonzero(values == 1), np.count_nonzero(np.isfinite(values))])

    lost, known = reduce_blocks(kernel, {"raster": loss}, np.zeros(2, np.int64), lambda a, b: a + b, each_pixel=True)
    return float(lost / known) if known else nothing_to_count(loss, "missing")


def compute_tvdi(ndvi_path: Raster, lst_path: Raster, output_path: Path, compat: bool = False) -> None:
    """TVDI of a scene (Sandholt et al. 2002). ``compat``: NDVI x 0.0001 and temperature x 0.02, fill is data."""
    if compat:
        ndvi, temperature = _as_modis(ndvi_path, _MODIS_NDVI_SCALE), _as_modis(lst_path, _MODIS_TEMPERATURE_SCALE)
    else:
        ndvi, temperature = reflectance(ndvi_path), raster(lst_path)
    tvdi(ndvi, temperature, Path(output_path))


def _as_modis(source: Raster, scale: float) -> Artifact:
    stored = whole(source, compat=True)
    return replace(stored, facts=Facts.of(Origin.USER, "compat", scale=scale).over(stored.facts))
