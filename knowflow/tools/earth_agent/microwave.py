"""Snow, soil and ice from microwave brightness temperatures; turbidity from red reflectance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.earth_agent.files import Raster, Series, raster, reflectance, rows
from knowflow.tools.kernels import microwave
from knowflow.tools.raster import Block, Output, map_blocks

Array = NDArray[np.float64]
InputUnit = Literal["K", "linear", "dB"]
TurbidityMethod = Literal["linear", "power", "nechad"]

# what the published parameter names stand for: quantity kind and unit; any other name is a number without a unit
_PARAMETERS: Mapping[str, tuple[str, str]] = {
    "SD": ("snow_depth", "cm"),
    "SWE": ("snow_water_equivalent", "mm"),
    "SM": ("soil_moisture", "1"),
    "LST": ("surface_temperature", "K"),
}


def _described(output: Path, parameter: str) -> Output:
    quantity, unit = _PARAMETERS.get(parameter.upper(), ("ratio", "1"))
    return Output(Path(output), quantity=quantity, unit=unit, tags={"PARAMETER": parameter})


def dual_polarization_differential(
    pol1_path: Raster,
    pol2_path: Raster,
    parameter: str,
    output_path: Path,
    a: float = 1.0,
    b: float = 0.0,
    input_unit: InputUnit = "K",
    compat: bool = False,
) -> None:
    """a (first - second polarisation) + b; backscatter in decibel is made linear first. ``compat``: fill is data."""
    if input_unit not in ("K", "linear", "dB"):
        raise ToolError("the unit of the input is not known here", expected="K, linear, dB", found=str(input_unit))

    def linear(values: Array) -> Array:
        return np.asarray(10.0 ** (values / 10.0)) if input_unit == "dB" else values

    def kernel(block: Block) -> Array:
        first, second = (linear(block[name].astype(np.float64)) for name in ("first", "second"))
        return np.asarray(a * (first - second) + b)

    sources = {"first": raster(pol1_path, compat), "second": raster(pol2_path, compat)}
    map_blocks(kernel, sources, _described(output_path, parameter))


def dual_frequency_diff(
    band1_path: Raster,
    band2_path: Raster,
    parameter: str,
    alpha: float,
    beta: float,
    output_path: Path,
    compat: bool = False,
) -> None:
    """alpha (first - second frequency) + beta. ``compat``: fill is computed like data."""

    def kernel(block: Block) -> Array:
        return np.asarray(alpha * (block["first"].astype(np.float64) - block["second"]) + beta)

    sources = {"first": raster(band1_path, compat), "second": raster(band2_path, compat)}
    map_blocks(kernel, sources, _described(output_path, parameter))


def multi_freq_bt(
    bt_paths: Series, diff_pairs: Sequence[Sequence[int]], parameter: str, output_path: Path, compat: bool = False
) -> None:
    """Mean of the differences of pairs of brightness temperatures (K); ``diff_pairs`` counts files from 0.

    ``compat``: fill is computed like data.
    """
    sources, pairs = _pairs(bt_paths, diff_pairs, compat)
    described = Output(
        Path(output_path), quantity="temperature_difference", unit="K", tags={"PARAMETER": parameter}, keep=()
    )
    map_blocks(lambda block: _mean_difference(block, pairs), sources, described)


def chang_single_param_inversion(
    bt_paths: Series, diff_pairs: Sequence[Sequence[int]], parameter: str, output_path: Path, compat: bool = False
) -> None:
    """Snow depth (``SD``, cm) or snow water equivalent (``SWE``, mm) by Chang, Foster and Hall (1987).

    From the mean difference of the pairs, which should be 18 or 19 and 37 GHz, horizontal; where it is negative there
    is no snow to be seen, and the result is 0. ``compat``: fill is computed like data.
    """
    factors = {"SD": microwave.SNOW_DEPTH_PER_KELVIN, "SWE": microwave.SNOW_WATER_PER_KELVIN}
    factor = factors.get(parameter.upper())
    if factor is None:
        raise ToolError("the method does not give that", expected=", ".join(factors), found=parameter)
    sources, pairs = _pairs(bt_paths, diff_pairs, compat)
    map_blocks(
        lambda block: np.maximum(factor * _mean_difference(block, pairs), 0.0),
        sources,
        _described(output_path, parameter),
    )


def _pairs(
    paths: Series, pairs: Sequence[Sequence[int]], compat: bool
) -> tuple[dict[str, Artifact], list[tuple[str, str]]]:
    bands = [raster(row["bt"], compat) for row in rows({"bt": paths})]
    wrong = [pair for pair in pairs if len(pair) != 2 or not all(0 <= number < len(bands) for number in pair)]
    if wrong or not pairs:
        raise ToolError(
            "a pair does not name two of the files",
            expected=f"pairs of numbers from 0 to {len(bands) - 1}",
            found=str([list(pair) for pair in wrong]),
        )
    return {str(number): band for number, band in enumerate(bands)}, [(str(a), str(b)) for a, b in pairs]


def _mean_difference(block: Block, pairs: Sequence[tuple[str, str]]) -> Array:
    return np.asarray(np.mean([block[a].astype(np.float64) - block[b] for a, b in pairs], axis=0))


def nasa_team_sea_ice_concentration(
    bt_paths: Mapping[str, Raster],
    output_path: Path,
    nd_ice: float = microwave.POLARISATION_ICE,
    nd_water: float = microwave.POLARISATION_WATER,
    s1_ice: float = microwave.GRADIENT_ICE,
    s1_water: float = microwave.GRADIENT_WATER,
    compat: bool = False,
) -> None:
    """Sea ice concentration (0..1) from brightness temperatures named ``19H``, ``19V`` and ``37V``.

    From the polarisation and gradient ratios between open water and ice (after Cavalieri et al. 1984).
    ``compat``: fill is computed like data.
    """
    sources = _channels(bt_paths, ("19H", "19V", "37V"), compat)

    def kernel(block: Block) -> Array:
        h19, v19, v37 = (block[name].astype(np.float64) for name in ("19H", "19V", "37V"))
        return microwave.sea_ice_concentration(
            microwave.normalised_difference(v19, h19),
            microwave.normalised_difference(v37, v19),
            nd_ice,
            nd_water,
            s1_ice,
            s1_water,
        )

    map_blocks(kernel, sources, Output(Path(output_path), quantity="sea_ice_concentration", unit="1"))


def dual_polarization_ratio(
    bt_paths: Mapping[str, Raster],
    parameter: str,
    output_path: Path,
    coeffs: Mapping[str, float] | None = None,
    compat: bool = False,
) -> None:
    """a (V - H) / (V + H) + b from channels named ``V`` and ``H``; ``coeffs`` holds a and b (1 and 0).

    ``compat``: fill is computed like data.
    """
    known = {"a": 1.0, "b": 0.0}
    unknown = set(coeffs or {}) - set(known)
    if unknown:
        raise ToolError("there is no such coefficient", expected="a, b", found=", ".join(sorted(unknown)))
    a, b = ({**known, **(coeffs or {})}[name] for name in known)
    sources = _channels(bt_paths, ("V", "H"), compat)

    def kernel(block: Block) -> Array:
        ratio = microwave.normalised_difference(block["V"].astype(np.float64), block["H"].astype(np.float64))
        return np.asarray(a * ratio + b)

    map_blocks(kernel, sources, _described(output_path, parameter))


def _channels(given: Mapping[str, Raster], names: Sequence[str], compat: bool) -> dict[str, Artifact]:
    """The channels wanted, by name in any spelling of it: ``19H``, ``19h``, ``19GHz_H``, ``Tb19H``."""

    def plain(text: str) -> str:
        return text.upper().replace("GHZ", "").replace("TB", "").replace("BT", "").strip("_- ").replace("_", "")

    found = {plain(name): source for name, source in given.items()}
    lacking = [name for name in names if name not in found]
    if lacking:
        raise ToolError("a channel is lacking", expected=", ".join(names), found=", ".join(given) or "none")
    return {name: raster(found[name], compat) for name in names}


def calculate_water_turbidity_ntu(
    input_red_path: Raster,
    output_path: Path,
    method: TurbidityMethod = "linear",
    a: float = 1.0,
    b: float = 0.0,
    n: float = 1.0,
    compat: bool = False,
) -> None:
    """Turbidity (NTU) from red reflectance: ``linear`` a r + b, ``power`` a r^n + b, ``nechad`` a r / (1 - r / b).

    The coefficients are those of the water and the sensor: they have to be fitted to samples. ``nechad`` is the form of
    Nechad et al. (2009), whose b is the reflectance at which the signal saturates. Nodata where the reflectance is
    below zero. ``compat``: from stored numbers, fill is computed like data.
    """
    if method not in ("linear", "power", "nechad"):
        raise ToolError("there is no such method", expected="linear, power, nechad", found=str(method))
    if method == "nechad" and not b > 0:
        raise ToolError("b is the reflectance at which the signal saturates", expected="> 0", found=str(b))

    def kernel(block: Block) -> Array:
        red = block["red"].astype(np.float64)
        if not compat:
            red = np.where(red >= 0, red, np.nan)
        if method == "linear":
            return np.asarray(a * red + b)
        return np.asarray(a * red**n + b) if method == "power" else np.where(red < b, a * red / (1.0 - red / b), np.nan)

    source = reflectance(input_red_path, compat)
    map_blocks(kernel, {"red": source}, Output(Path(output_path), quantity="turbidity", unit="NTU"))
