"""Microwave and turbidity tools against their formulas on plain numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from raster_files import opened, read, write

from knowflow.ground.errors import ToolError
from knowflow.tools.earth_agent import microwave as tools


def save(folder: Path, name: str, values: Any) -> str:
    write(folder / f"{name}.tif", np.asarray([values], np.float32), nodata=-1)
    return str(folder / f"{name}.tif")


def first(path: Path) -> Any:
    return read(path)[0]


def test_differences_are_linear_functions(tmp_path: Path) -> None:
    a, b = save(tmp_path, "a", [250, 260, -1]), save(tmp_path, "b", [240, 230, 200])
    tools.dual_polarization_differential(a, b, "SM", tmp_path / "out.tif", a=0.01, b=0.05)
    assert first(tmp_path / "out.tif") == pytest.approx([0.15, 0.35, np.nan], nan_ok=True)
    with opened(tmp_path / "out.tif") as dataset:
        assert dataset.tags()["QUANTITY"] == "soil_moisture"
    tools.dual_frequency_diff(a, b, "SD", 1.59, 2.0, tmp_path / "out.tif")
    assert first(tmp_path / "out.tif") == pytest.approx([17.9, 49.7, np.nan], nan_ok=True)
    tools.dual_frequency_diff(a, b, "SD", 1.0, 0.0, tmp_path / "out.tif", compat=True)
    assert first(tmp_path / "out.tif")[2] == -201


def test_decibel_are_made_linear(tmp_path: Path) -> None:
    a, b = save(tmp_path, "a", [10, 0]), save(tmp_path, "b", [0, -10])
    tools.dual_polarization_differential(a, b, "VWC", tmp_path / "out.tif", input_unit="dB")
    assert first(tmp_path / "out.tif") == pytest.approx([9.0, 0.9])
    with pytest.raises(ToolError, match="unit"):
        tools.dual_polarization_differential(a, b, "VWC", tmp_path / "out.tif", input_unit="dBm")  # type: ignore[arg-type]


def test_snow_is_that_of_chang_and_none_where_the_difference_is_negative(tmp_path: Path) -> None:
    files = [save(tmp_path, "t18", [240, 230]), save(tmp_path, "t37", [220, 235])]
    tools.chang_single_param_inversion(files, [[0, 1]], "SD", tmp_path / "sd.tif")
    assert first(tmp_path / "sd.tif") == pytest.approx([31.8, 0.0])
    tools.chang_single_param_inversion(files, [[0, 1]], "SWE", tmp_path / "swe.tif")
    assert first(tmp_path / "swe.tif") == pytest.approx([95.4, 0.0])
    tools.multi_freq_bt(files, [[0, 1], [1, 0]], "ratio", tmp_path / "mean.tif")
    assert first(tmp_path / "mean.tif") == pytest.approx([0.0, 0.0])
    for pairs, parameter in (([[0, 2]], "SD"), ([], "SD"), ([[0, 1]], "ice")):
        with pytest.raises(ToolError):
            tools.chang_single_param_inversion(files, pairs, parameter, tmp_path / "sd.tif")


def test_ice_and_water_have_the_concentrations_of_their_tie_points(tmp_path: Path) -> None:
    # open water, first-year ice, half of each in both ratios
    channels = {
        "19H": save(tmp_path, "h19", [100.8, 242.8]),
        "tb_19v": save(tmp_path, "v19", [177.1, 258.2]),
        "37GHz_V": save(tmp_path, "v37", [201.7, 252.8]),
    }
    tools.nasa_team_sea_ice_concentration(channels, tmp_path / "ice.tif")
    assert first(tmp_path / "ice.tif") == pytest.approx([0.0, 1.0], abs=1e-5)
    tools.nasa_team_sea_ice_concentration(channels, tmp_path / "ice.tif", 0.0, 0.5, 0.0, 0.5)
    ratio = (177.1 - 100.8) / 277.9, (201.7 - 177.1) / 378.8
    assert first(tmp_path / "ice.tif")[0] == pytest.approx(((0.5 - ratio[0]) / 0.5 + (0.5 - ratio[1]) / 0.5) / 2)
    with pytest.raises(ToolError, match="channel is lacking"):
        tools.nasa_team_sea_ice_concentration({"19H": channels["19H"]}, tmp_path / "ice.tif")


def test_polarisation_ratio_with_its_coefficients(tmp_path: Path) -> None:
    channels = {"V": save(tmp_path, "v", [260, 250]), "H": save(tmp_path, "h", [240, 250])}
    tools.dual_polarization_ratio(channels, "VWC", tmp_path / "out.tif", {"a": -10.0, "b": 2.0})
    assert first(tmp_path / "out.tif") == pytest.approx([2 - 10 * 20 / 500, 2.0])
    with pytest.raises(ToolError, match="coefficient"):
        tools.dual_polarization_ratio(channels, "VWC", tmp_path / "out.tif", {"c": 1.0})


def test_turbidity_by_each_form(tmp_path: Path) -> None:
    red = save(tmp_path, "red", [0.05, 0.1, -1])
    for method, a, b, n, expected in (
        ("linear", 100.0, 2.0, 1.0, [7.0, 12.0]),
        ("power", 100.0, 0.0, 2.0, [0.25, 1.0]),
        ("nechad", 228.1, 0.1641, 1.0, [228.1 * r / (1 - r / 0.1641) for r in (0.05, 0.1)]),
    ):
        tools.calculate_water_turbidity_ntu(red, tmp_path / "ntu.tif", method, a, b, n)  # type: ignore[arg-type]
        assert first(tmp_path / "ntu.tif") == pytest.approx([*expected, np.nan], rel=1e-5, nan_ok=True)
    tools.calculate_water_turbidity_ntu(red, tmp_path / "ntu.tif", compat=True)
    assert first(tmp_path / "ntu.tif")[2] == -1
    with pytest.raises(ToolError, match="method"):
        tools.calculate_water_turbidity_ntu(red, tmp_path / "ntu.tif", "log")  # type: ignore[arg-type]
