"""Maps of classes of several years, as a series of years: what is told of them is what the arrays say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow

YEARS = (2000, 2005, 2010, 2020)
NAMES = {1: "Water", 2: "Forest", 3: "Built-up"}
_HECTARES = 0.09  # a pixel of 30 m


def maps() -> np.ndarray:
    """Forest that is cleared for built-up land, row by row."""
    found = np.full((len(YEARS), 12, 10), 2, dtype="uint8")
    found[:, :, :2] = 1
    for place, rows in enumerate((1, 2, 5, 7)):
        found[place, :rows, 2:] = 3
    return found


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("years")
    profile = {"driver": "GTiff", "width": 10, "height": 12, "count": 1, "dtype": "uint8", "nodata": 0}
    profile |= {"crs": "EPSG:32633", "transform": Affine(30, 0, 500_000, 0, -30, 5_000_000)}
    for year, values in zip(YEARS, maps(), strict=True):
        with rasterio.open(folder / f"landcover_{year}.tif", "w", **profile) as dataset:
            dataset.write(values, 1)
    legend = "".join(f"{code},{name}\n" for code, name in NAMES.items())
    (folder / "landcover_legend.csv").write_text(f"code,class\n{legend}")
    return folder


def areas(code: int) -> list[float]:
    return [_HECTARES * float((one == code).sum()) for one in maps()]


@pytest.mark.parametrize(
    ("query", "truth"),
    [
        ("Linear trend of the built-up area in hectares per year", np.polyfit(YEARS, areas(3), 1)[0]),
        (
            "Linear trend of the built-up land from 2000 to 2010, in ha per year",
            np.polyfit(YEARS[:3], areas(3)[:3], 1)[0],
        ),
        (
            "In how many years did forest cover less than 60 % of the area?",
            sum(one < 0.6 * 120 * _HECTARES for one in areas(2)),
        ),
        (
            "On how many hectares was there forest in all four years?",
            _HECTARES * float((maps() == 2).all(axis=0).sum()),
        ),
    ],
)
def test_maps_of_several_years_are_a_series(data: Path, tmp_path: Path, query: str, truth: float) -> None:
    found = KnowFlow(tmp_path / "home").run(query, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(truth, rel=0.002)


def test_the_first_year_and_the_smallest(data: Path, tmp_path: Path) -> None:
    first = KnowFlow(tmp_path / "home").run(
        "What is the first year in which built-up land covered more than 3 ha?", data, out=tmp_path / "a"
    )
    assert str(first.answer).startswith("2010")
    least = KnowFlow(tmp_path / "home").run("In which year was the forest area smallest?", data, out=tmp_path / "b")
    assert str(least.answer).startswith("2020")
