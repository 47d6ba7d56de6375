"""Questions that need preprocessing, over folders of files as their producers deliver them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow.ground.errors import KnowFlowError
from knowflow.roof.library import KnowFlow
from knowflow.service.results import RunResult

PRODUCT = "LC08_L1TP_191028_20220601_20220610_02_T1"
SUN = {"elevation": 30.0, "azimuth": 145.0}
MTL = """GROUP = LANDSAT_METADATA_FILE
  GROUP = IMAGE_ATTRIBUTES
    SPACECRAFT_ID = "LANDSAT_8"
    DATE_ACQUIRED = 2022-06-01
    SCENE_CENTER_TIME = "09:52:03.1234560Z"
    SUN_AZIMUTH = 145.0
    SUN_ELEVATION = 30.0
  END_GROUP = IMAGE_ATTRIBUTES
  GROUP = LEVEL1_RADIOMETRIC_RESCALING
    RADIANCE_MULT_BAND_10 = 3.3420E-04
    RADIANCE_ADD_BAND_10 = 0.10000
    REFLECTANCE_MULT_BAND_4 = 2.0000E-05
    REFLECTANCE_ADD_BAND_4 = -0.100000
    REFLECTANCE_MULT_BAND_5 = 2.0000E-05
    REFLECTANCE_ADD_BAND_5 = -0.100000
  END_GROUP = LEVEL1_RADIOMETRIC_RESCALING
  GROUP = LEVEL1_THERMAL_CONSTANTS
    K1_CONSTANT_BAND_10 = 774.8853
    K2_CONSTANT_BAND_10 = 1321.0789
  END_GROUP = LEVEL1_THERMAL_CONSTANTS
END_GROUP = LANDSAT_METADATA_FILE
END
"""


def write(path: Path, values: Any, **tags: str) -> None:
    array = np.asarray(values)
    profile = {"driver": "GTiff", "height": array.shape[0], "width": array.shape[1], "count": 1, "dtype": array.dtype}
    with rasterio.open(path, "w", crs="EPSG:32633", transform=Affine(30, 0, 5e5, 0, -30, 5.1e6), **profile) as file:
        file.write(array, 1)
        file.update_tags(**tags)


@pytest.fixture
def level1(tmp_path: Path) -> Path:
    """A Landsat Level 1 product: a thermal, a red and a near infrared band, and its MTL file."""
    folder = tmp_path / "level1"
    folder.mkdir()
    rng = np.random.default_rng(3)
    temperature = 280 + 30 * rng.random((40, 50))
    radiance = 774.8853 / np.expm1(1321.0789 / temperature)
    counts = {"B10": (radiance - 0.1) / 3.342e-4}
    height = np.sin(np.radians(SUN["elevation"]))
    haze, dark = 0.05, 0.01
    red = np.where(np.arange(50) < 5, dark, 0.08) * np.ones((40, 1)) + haze
    counts |= {"B4": (red * height + 0.1) / 2e-5, "B5": (0.4 * np.ones((40, 50)) * height + 0.1) / 2e-5}
    for band, stored in counts.items():
        write(folder / f"{PRODUCT}_{band}.TIF", np.round(stored).astype(np.uint16))
    (folder / f"{PRODUCT}_MTL.txt").write_text(MTL)
    return folder


@pytest.fixture
def ask(tmp_path: Path) -> Callable[[str, Path], RunResult]:
    def asked(question: str, data: Path) -> RunResult:
        found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
        assert found.status == "completed", found.error
        return found

    return asked


Ask = Callable[[str, Path], RunResult]


def test_brightness_temperature_of_a_level_1_product(level1: Path, ask: Ask) -> None:
    found = ask("What is the mean brightness temperature?", level1)
    with rasterio.open(level1 / f"{PRODUCT}_B10.TIF") as file:
        counts = file.read(1)
    assert found.answer == pytest.approx(
        np.mean(1321.0789 / np.log(774.8853 / (counts * 3.342e-4 + 0.1) + 1)), abs=0.01
    )
    assert found.unit == "K"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the mean surface reflectance of the red band?", 0.1 * 0.01 + 0.9 * 0.08),
        ("What is the mean near-infrared reflectance?", 0.4),
        ("Mean surface reflectance of B4", 0.1 * 0.01 + 0.9 * 0.08),
        ("Mean surface reflectance at red wavelengths", 0.1 * 0.01 + 0.9 * 0.08),
    ],
)
def test_reflectance_of_the_band_that_is_named(level1: Path, ask: Ask, question: str, expected: float) -> None:
    assert ask(question, level1).answer == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    "question",
    [
        "What is the mean surface reflectance?",
        "What is the mean reflectance of the red roofs?",
        "Mean reflectance of the green band",
    ],
)
def test_what_every_band_has_is_asked_of_none_of_them_unnamed(level1: Path, question: str) -> None:
    with pytest.raises(KnowFlowError):
        KnowFlow().plan(question, level1)


def test_a_class_map_of_a_well_known_product(tmp_path: Path, ask: Ask) -> None:
    classes = np.repeat([[10] * 30 + [40] * 60 + [80] * 10], 20, axis=0).astype(np.uint8)
    (tmp_path / "cover").mkdir()
    path = tmp_path / "cover" / "ESA_WorldCover_10m_2021_v200_N45E012_Map.tif"
    write(path, classes, QUANTITY="land_cover_class", UNIT="1")
    assert ask("What percentage is forest?", tmp_path / "cover").answer == pytest.approx(0.3)
    assert ask("What percentage is cropland?", tmp_path / "cover").answer == pytest.approx(0.6)
