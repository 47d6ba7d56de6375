"""Surface temperatures, emissivities, inertia and water vapour from thermal and near-infrared bands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.units import convert
from knowflow.model.artifact import Artifact
from knowflow.tools.alignment import align_to
from knowflow.tools.earth_agent.files import Raster, Series, kelvin, raster, reflectance, rows
from knowflow.tools.kernels import emissivity_separation, thermal, water_vapour
from knowflow.tools.kernels import split_window as split
from knowflow.tools.kernels.distribution import Moments
from knowflow.tools.raster import Block, Output, grid_of, map_blocks, reduce_blocks
from knowflow.tools.temperature import THERMAL_NM, thermal_wavelength

Array = NDArray[np.float64]
Mode = Literal["above", "below"]
SplitWindowProduct = Literal["LST", "SST"]

BAND_31_UM, BAND_10_UM = 11.03, 10.895
"""Centres of MODIS band 31 and of Landsat 8 band 10, for files that do not say which band they hold."""
ASTER_UM = (8.291, 8.634, 9.075, 10.657, 11.318)
"""Centres of ASTER bands 10 to 14 (doi:10.1109/36.700991)."""
TES_BANDS = ("surface_temperature", "surface_emissivity", "emissivity_minimum", "emissivity_contrast")


def _temperature(block: Block, name: str, artifact: Artifact) -> Array:
    values = block[name].astype(np.float64)
    unit = artifact.fact("unit")
    return values if unit in (None, "K") else np.asarray(convert(values, str(unit), "K"))


def _write_kelvin(kernel: Callable[[Block], Array], sources: Mapping[str, Artifact], output: Path) -> None:
    map_blocks(kernel, sources, Output(Path(output), quantity="surface_temperature", unit="K"))


def _emissivity(block: Block, name: str) -> Array:
    values = block[name].astype(np.float64)
    return np.where((values > 0) & (values <= 1.0 + 1e-6), values, np.nan)


def _wavelength(artifact: Artifact, otherwise: float) -> float:
    try:
        return thermal_wavelength(artifact)
    except MissingFactError:
        return otherwise


def lst_single_channel(
    bt_path: Raster, red_path: Raster, nir_path: Raster, output_path: Path, compat: bool = False
) -> None:
    """Surface temperature (K) from one thermal band and the emissivity that NDVI suggests.

    Emissivity by NDVI thresholds (Sobrino et al. 2008), temperature by Artis and Carnahan (1982); the air between is
    not corrected for. A thermal band whose wavelength is not known is taken for band 10 of Landsat 8.
    ``compat``: fill is computed like data.
    """
    sources = {
        "bt": kelvin(bt_path, compat),
        "red": raster(red_path, compat),
        "nir": raster(nir_path, compat),
    }
    wavelength = _wavelength(sources["bt"], BAND_10_UM)

    def kernel(block: Block) -> Array:
        emissivity = thermal.emissivity_from_ndvi(_ndvi(block))
        return thermal.emissivity_corrected(_temperature(block, "bt", sources["bt"]), emissivity, wavelength)

    _write_kelvin(kernel, sources, output_path)


def _ndvi(block: Block) -> Array:
    """NDVI of the block's ``red`` and ``nir``; NaN where it cannot be one."""
    red, nir = block["red"].astype(np.float64), block["nir"].astype(np.float64)
    index = (nir - red) / (nir + red)
    return np.where(np.abs(index) <= 1.0, index, np.nan)


def lst_multi_channel(band31_path: Raster, band32_path: Raster, output_path: Path, compat: bool = False) -> None:
    """Surface temperature (K) by the split window of Sobrino et al. (2003), for a surface of emissivity 0.985.

    ``compat``: fill is computed like data.
    """
    sources = {"a": kelvin(band31_path, compat), "b": kelvin(band32_path, compat)}

    def kernel(block: Block) -> Array:
        grey = np.full(block.shape, split.EMISSIVITY)
        return split.split_window(
            _temperature(block, "a", sources["a"]), _temperature(block, "b", sources["b"]), grey, grey
        )

    _write_kelvin(kernel, sources, output_path)


def split_window(
    band31_path: Raster,
    band32_path: Raster,
    emissivity31_path: Raster,
    emissivity32_path: Raster,
    parameter: SplitWindowProduct,
    output_path: Path,
    compat: bool = False,
) -> None:
    """Surface temperature (K) by the split window of Sobrino et al. (2003), with the emissivity of each pixel.

    ``parameter``: what the surface is; water is a surface like any other. ``compat``: fill is computed like data.
    """
    kind = _one_of(parameter, {"LST": "surface_temperature", "SST": "sea_surface_temperature"}, "parameter")
    sources = {
        "a": kelvin(band31_path, compat),
        "b": kelvin(band32_path, compat),
        "e31": reflectance(emissivity31_path, compat),
        "e32": reflectance(emissivity32_path, compat),
    }

    def kernel(block: Block) -> Array:
        return split.split_window(
            _temperature(block, "a", sources["a"]),
            _temperature(block, "b", sources["b"]),
            block["e31"].astype(np.float64),
            block["e32"].astype(np.float64),
        )

    map_blocks(kernel, sources, Output(Path(output_path), quantity=kind, unit="K"))


def _one_of(value: str, known: Mapping[str, str], name: str) -> str:
    if str(value).upper() not in known:
        raise ToolError(f"{name} is not one of those this method gives", expected=", ".join(known), found=str(value))
    return known[str(value).upper()]


def temperature_emissivity_separation(
    tir_band_paths: Series, representative_band_index: int, output_path: Path, compat: bool = False
) -> None:
    """Temperature and emissivity from ASTER's thermal bands (TES, Gillespie et al. 1998), in four bands.

    Band 1: surface temperature (K); 2: emissivity of the representative band; 3: smallest emissivity; 4: largest less
    smallest. ``representative_band_index`` counts from 0. ``compat``: fill is computed like data.
    """
    bands = [kelvin(row["tir"], compat) for row in rows({"tir": tir_band_paths})]
    waves = [_wavelength_of(band, number, len(bands)) for number, band in enumerate(bands)]
    reference = _index(representative_band_index, len(bands))

    def kernel(block: Block) -> Array:
        stack = np.stack([_temperature(block, str(number), band) for number, band in enumerate(bands)])
        found = emissivity_separation.separate(stack, waves, reference)
        emissivity = found.emissivity
        return np.stack([found.temperature, emissivity[reference], emissivity.min(axis=0), found.contrast])

    sources = {str(number): band for number, band in enumerate(bands)}
    map_blocks(kernel, sources, Output(Path(output_path), bands=TES_BANDS))


def _wavelength_of(artifact: Artifact, number: int, count: int) -> float:
    """What the file says; of five or three bands of which it says nothing, that of ASTER's from band 10 on."""
    sensor, name = artifact.fact("sensor"), artifact.fact("band")
    found = sensor_band(str(sensor), str(name)) if sensor and name else None
    if found is not None and found.centre is not None and THERMAL_NM[0] <= found.centre <= THERMAL_NM[1]:
        return found.centre / 1000.0
    if artifact.fact("wavelength") is not None or count not in (3, len(ASTER_UM)):
        return thermal_wavelength(artifact)
    return ASTER_UM[number]


def _index(index: int, count: int) -> int:
    if not 0 <= index < count:
        raise ToolError("there is no such band", expected=f"0 to {count - 1}", found=str(index))
    return int(index)


def modis_day_night_lst(
    BT_day_path: Raster,  # noqa: N803 (a published name)
    BT_night_path: Raster,  # noqa: N803
    Emis_day_path: Raster,  # noqa: N803
    Emis_night_path: Raster,  # noqa: N803
    output_path: Path,
    compat: bool = False,
) -> None:
    """Surface temperature (K) by day (band 1) and by night (band 2), from brightness temperature and emissivity.

    Each by Artis and Carnahan (1982); not clipped to any range, nodata where either of a time is missing.
    ``compat``: fill is computed like data.
    """
    temperatures = {"day": kelvin(BT_day_path, compat), "night": kelvin(BT_night_path, compat)}
    emissivities = {"e_day": reflectance(Emis_day_path, compat), "e_night": reflectance(Emis_night_path, compat)}
    waves = {name: _wavelength(artifact, BAND_31_UM) for name, artifact in temperatures.items()}

    def kernel(block: Block) -> Array:
        return np.stack(
            [
                thermal.emissivity_corrected(
                    _temperature(block, name, artifact), _emissivity(block, f"e_{name}"), waves[name]
                )
                for name, artifact in temperatures.items()
            ]
        )

    described = Output(Path(output_path), quantity="surface_temperature", unit="K", bands=("day", "night"), keep=())
    map_blocks(kernel, {**temperatures, **emissivities}, described)


def ttm_lst(
    tir_band_paths: Series, output_path: Path, wavelengths: Sequence[float] | None = None, compat: bool = False
) -> None:
    """Surface temperature (K) from three thermal bands, with the emissivities that their differences tell.

    The method of Gillespie et al. (1998), at the given ``wavelengths`` (um; by default those of the files, else of
    ASTER's bands 10 to 12). Quartz sand, dark at all of 8 to 9 um, shows these bands no contrast, and is found up to
    8 K too cold: use five bands there. ``compat``: fill is computed like data.
    """
    bands = [kelvin(row["tir"], compat) for row in rows({"tir": tir_band_paths})]
    if len(bands) != 3 or (wavelengths is not None and len(wavelengths) != 3):
        found = f"{len(bands)} bands" + ("" if wavelengths is None else f", {len(wavelengths)} wavelengths")
        raise ToolError("the method takes three bands", expected="3 bands, each with its wavelength", found=found)
    waves = [
        float(wavelengths[number]) if wavelengths is not None else _wavelength_of(band, number, 3)
        for number, band in enumerate(bands)
    ]

    def kernel(block: Block) -> Array:
        stack = np.stack([_temperature(block, str(number), band) for number, band in enumerate(bands)])
        return emissivity_separation.separate(stack, waves, 2).temperature

    _write_kelvin(kernel, {str(number): band for number, band in enumerate(bands)}, output_path)


def calculate_mean_lst_by_ndvi(
    red_paths: Series,
    nir_paths: Series,
    lst_paths: Series,
    ndvi_threshold: float,
    mode: Mode = "above",
    compat: bool = False,
) -> float:
    """Mean over scenes of their mean temperature where NDVI is above (or below) a threshold; NaN where it never is."""
    lists = {"red": red_paths, "nir": nir_paths, "lst": lst_paths}
    means = [found.mean for found in _temperatures(lists, ndvi_threshold, mode, compat) if found.count]
    return float(np.mean(means)) if means else float("nan")


def calculate_max_lst_by_ndvi(
    red_path: Raster,
    nir_path: Raster,
    lst_path: Raster,
    ndvi_threshold: float,
    mode: Mode = "above",
    compat: bool = False,
) -> float:
    """The highest temperature where NDVI is above (or below) a threshold; NaN where it never is."""
    found = _temperatures({"red": red_path, "nir": nir_path, "lst": lst_path}, ndvi_threshold, mode, compat)
    return found[0].maximum


def _temperatures(lists: Mapping[str, Series], threshold: float, mode: str, compat: bool) -> list[Moments]:
    _one_of(mode, {"ABOVE": "above", "BELOW": "below"}, "mode")

    def kernel(block: Block) -> Moments:
        ndvi = _ndvi(block)
        chosen = ndvi > threshold if mode == "above" else ndvi < threshold
        return Moments.of(np.where(chosen, block["lst"], np.nan))

    return [
        reduce_blocks(
            kernel,
            {name: raster(file, compat) for name, file in row.items()},
            Moments(),
            Moments.merged,
            each_pixel=True,
        )
        for row in rows(lists, compat)
    ]


def ATI(  # noqa: N802 (a published name)
    day_temp_path: Raster, night_temp_path: Raster, albedo_path: Raster, output_path: Path, compat: bool = False
) -> None:
    """Apparent thermal inertia (K-1): (1 - albedo) / (day - night), on the grid of the day (Price 1977).

    Night and albedo are resampled where they are on another grid. Nodata where it is not warmer by day than by night.
    ``compat``: fill is computed like data.
    """
    day = kelvin(day_temp_path, compat)
    with TemporaryDirectory() as folder:
        night = _on_grid_of(day, kelvin(night_temp_path, compat), Path(folder) / "night.tif")
        albedo = _on_grid_of(day, reflectance(albedo_path, compat), Path(folder) / "albedo.tif")

        def kernel(block: Block) -> Array:
            span = _temperature(block, "day", day) - _temperature(block, "night", night)
            ratio = (1.0 - block["albedo"].astype(np.float64)) / span
            return np.asarray(ratio) if compat else np.where(span > 0, ratio, np.nan)

        sources = {"day": day, "night": night, "albedo": albedo}
        map_blocks(kernel, sources, Output(Path(output_path), quantity="apparent_thermal_inertia", unit="K-1", keep=()))


def _on_grid_of(like: Artifact, artifact: Artifact, path: Path) -> Artifact:
    if grid_of(artifact).token == grid_of(like).token:
        return artifact
    align_to(artifact, like, path, "bilinear")
    moved = raster(path)
    return moved.with_facts(moved.facts.over(artifact.facts.only(("unit", "quantity"))))


def band_ratio(
    sur_refl_b02_path: Raster,
    sur_refl_b05_path: Raster,
    sur_refl_b17_path: Raster,
    sur_refl_b18_path: Raster,
    sur_refl_b19_path: Raster,
    output_path: Path,
    compat: bool = False,
) -> None:
    """Water vapour of the column (g cm-2) from MODIS near-infrared bands (Kaufman and Gao 1992).

    Transmittance at 0.94 um (band 19) against the line through 0.865 and 1.24 um (bands 2 and 5). Bands 18 and 17,
    where vapour absorbs most and least, must show it: elsewhere (clouds, dark water) the result is nodata.
    ``compat``: there it is 0, and fill is computed like data.
    """
    paths = (sur_refl_b02_path, sur_refl_b05_path, sur_refl_b17_path, sur_refl_b18_path, sur_refl_b19_path)
    sources = {
        name: reflectance(path, compat) for name, path in zip(("b2", "b5", "b17", "b18", "b19"), paths, strict=True)
    }

    def kernel(block: Block) -> Array:
        b2, b5, b17, b18, b19 = (block[name].astype(np.float64) for name in sources)
        seen = [band / water_vapour.continuum(b2, b5, wave) for band, wave in ((b17, 0.905), (b18, 0.936), (b19, 0.94))]
        vapour = water_vapour.column(seen[2])
        plausible = (b2 > 0) & (b5 > 0) & (seen[1] < seen[0])
        found = np.where(plausible, vapour, np.nan)
        return np.where(np.isfinite(found), found, 0.0) if compat else found

    map_blocks(kernel, sources, Output(Path(output_path), quantity="columnar_water_vapour", unit="g cm-2"))
