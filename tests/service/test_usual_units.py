"""Formulas with constants get their numbers in the unit that they count in, whatever the files count in."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.catalogue import load_catalogue


def write(folder: Path, values: dict[str, np.ndarray], unit: str, factor: float) -> Path:
    folder.mkdir()
    profile = {"driver": "GTiff", "height": 30, "width": 30, "count": 1, "crs": "EPSG:32633", "dtype": "float32"}
    for name, reflectance in values.items():
        with rasterio.open(
            folder / f"{name}.tif", "w", **profile, transform=Affine(10, 0, 500_000, 0, -10, 5_100_000)
        ) as file:
            file.write((reflectance * factor).astype(np.float32), 1)
            file.update_tags(QUANTITY="surface_bidirectional_reflectance", UNIT=unit, DATETIME="2022-06-01")
    return folder


@pytest.mark.parametrize(("unit", "factor"), [("1", 1.0), ("percent", 100.0)])
def test_an_index_with_constants_of_reflectances_in_percent(tmp_path: Path, unit: str, factor: float) -> None:
    rng = np.random.default_rng(3)
    lows = {"blue": 0.02, "red": 0.05, "nir": 0.3}
    values = {name: rng.uniform(low, 1.5 * low, (30, 30)) for name, low in lows.items()}
    blue, red, nir = values.values()
    truth = float(np.mean(2.5 * (nir - red) / (nir + 6 * red - 7.5 * blue + 1)))
    folder = write(tmp_path / "data", values, unit, factor)
    result = KnowFlow(home=tmp_path / "home").run("What is the mean EVI?", folder)
    assert result.answer == pytest.approx(truth, rel=1e-5)


# a direction has no unit of heights; shares, significance and decibels have no other unit; the limit is converted
ANY_UNIT = {"aspect", "trend_significance", "from_decibel", "to_decibel", "cloud_mask_from_probability"}


def test_tools_that_state_the_unit_of_their_result_state_in_which_they_take_the_numbers() -> None:
    kinds, silent, seen = quantity_kinds(), [], 0
    for tool in load_catalogue().tools.values():
        if not any(re.match(r"unit\(\w+\) == '", text) for text in tool.effects.sets):
            continue
        for name, parameter in tool.parameters.items():
            of = [kinds[quantity] for quantity in parameter.quantity if quantity in kinds]
            if parameter.role == "output" or all(kind.categorical for kind in of):
                continue
            seen += 1
            stated = any(re.search(rf"unit.*\b{name}\b", text) for text in tool.preconditions)
            if not stated and tool.tool not in ANY_UNIT:
                silent.append(f"{tool.tool}({name})")
    assert seen > 50
    assert silent == []


@pytest.mark.parametrize(("stored", "question", "told"), [
    (100.0, "What is the mean VHI in 2022?", (40.0, "%")),
    (1.0, "What is the mean VHI in 2022?", (0.4, "1")),
    (100.0, "What is the highest VHI in 2022 in percent?", (60.0, "%")),
    (100.0, "What share of the area has a VHI below 40?", (0.5, "1")),
])  # fmt: skip
def test_what_is_stored_in_per_cent_is_told_so(
    tmp_path: Path, stored: float, question: str, told: tuple[float, str]
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    values = np.repeat([[0.2] * 15 + [0.6] * 15], 30, axis=0)
    profile = {"driver": "GTiff", "height": 30, "width": 30, "count": 1, "crs": "EPSG:32633", "dtype": "float32"}
    with rasterio.open(folder / "vhi.tif", "w", **profile, transform=Affine(10, 0, 5e5, 0, -10, 5.1e6)) as file:
        file.write((values * stored).astype(np.float32), 1)
        unit = "%" if stored > 1 else "1"
        file.update_tags(QUANTITY="vegetation_health_index", UNIT=unit, DATETIME="2022-06-01")
    result = KnowFlow(home=tmp_path / "home").run(question, folder)
    assert (result.answer, result.unit) == (pytest.approx(told[0]), told[1]), result.error
