"""Maps of well-known products without any table, from the sentence to the number, against NumPy on small files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.service.critic import verdict

SIZE = 40
YEARS = (2021, 2022, 2023)
CORN, SOY, WHEAT, TWO, HAY, WATER, DECIDUOUS, MIXED = 1, 5, 24, 26, 36, 111, 141, 143
_HECTARES = 0.09  # a pixel of 30 m


def crops() -> dict[int, Any]:
    """Fields by year: some of corn each year, others of corn and soybeans in turn."""
    rng = np.random.default_rng(5)
    every = np.array([CORN, SOY, WHEAT, TWO, HAY, WATER, DECIDUOUS, MIXED], np.uint8)
    found = {year: rng.choice(every, size=(SIZE, SIZE)) for year in YEARS}
    for year in YEARS:
        found[year][:6] = CORN
        found[year][6:12] = CORN if year % 2 else SOY
    return found


def write(path: Path, values: Any, **profile: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    described = {"driver": "GTiff", "height": SIZE, "width": SIZE, "count": 1, "dtype": values.dtype, **profile}
    with rasterio.open(path, "w", crs="EPSG:32615", transform=Affine(30, 0, 5e5, 0, -30, 4.65e6), **described) as file:
        file.write(values, 1)


@pytest.fixture(scope="module", params=["{year}_30m_cdls.tif", "cdl_{year}.tif"])
def data(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fields")
    for year, values in crops().items():
        write(folder / str(request.param).format(year=year), values)
    return folder


def answer(data: Path, question: str, home: Path) -> Any:
    found = KnowFlow(home / "home").run(question, data, out=home / "out")
    assert found.status == "completed", found.error
    return found.answer


def hectares(truth: Any) -> float:
    return float(np.count_nonzero(truth)) * _HECTARES


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("How many hectares of corn were there in 2022?", lambda of: hectares(of[2022] == CORN)),
        ("How many hectares of maize were there in 2021?", lambda of: hectares(of[2021] == CORN)),
        ("Area of soybeans in 2022 in ha", lambda of: hectares(of[2022] == SOY)),
        ("Area of forest in 2023 in ha", lambda of: hectares(of[2023] >= DECIDUOUS)),
        ("How many hectares of cropland were there in 2022?", lambda of: hectares(of[2022] < WATER)),
        (
            "How many hectares were corn in 2021 and soybeans in 2022?",
            lambda of: hectares((of[2021] == CORN) & (of[2022] == SOY)),
        ),
        (
            "On how many hectares was there corn in all three years?",
            lambda of: hectares((of[2021] == CORN) & (of[2022] == CORN) & (of[2023] == CORN)),
        ),
    ],
)
def test_crops_of_years(data: Path, tmp_path: Path, question: str, truth: Any) -> None:
    assert answer(data, question, tmp_path) == pytest.approx(truth(crops()), rel=1e-6)


def test_a_share_and_the_largest_class(data: Path, tmp_path: Path) -> None:
    share = answer(data, "What share of the area was alfalfa in 2022?", tmp_path / "a")
    assert share == pytest.approx(float((crops()[2022] == HAY).mean()))
    assert answer(data, "the most common land cover class in 2021", tmp_path / "b") == "corn"


def test_wheat_of_a_map_that_also_tells_its_sorts_is_all_wheat(tmp_path: Path) -> None:
    values = np.resize(np.array([140, 145, 146, 147, 210], np.uint8), (SIZE, SIZE))
    write(tmp_path / "data/aci_2020_sk_v1.tif", values)
    found = answer(tmp_path / "data", "How many hectares of wheat were there in 2020?", tmp_path / "run")
    assert found == pytest.approx(hectares(np.isin(values, (140, 145, 146))))


def test_what_is_outside_the_product_is_no_ground(tmp_path: Path) -> None:
    values = np.resize(np.array([0, CORN, SOY, DECIDUOUS], np.uint8), (SIZE, SIZE))
    write(tmp_path / "data/cdl_2021.tif", values)
    found = answer(tmp_path / "data", "What share of the area was corn in 2021?", tmp_path / "run")
    assert found == pytest.approx(1 / 3)


@pytest.mark.parametrize("ground", ["corn", "forest"])
def test_no_run_is_judged_wrong_because_a_legend_tells_its_classes(tmp_path: Path, ground: str) -> None:
    write(tmp_path / "data/cdl_2021.tif", crops()[2021])
    found = KnowFlow(tmp_path / "home").run(
        f"How many hectares of {ground} were there in 2021?", tmp_path / "data", out=tmp_path / "out"
    )
    assert found.trace is not None
    assert not verdict(found.trace, KnowFlow().catalogue).failed


def test_a_map_of_an_unknown_maker_is_not_guessed(tmp_path: Path) -> None:
    write(tmp_path / "data/landcover_2021.tif", np.resize(np.array([1, 2, 5], np.uint8), (SIZE, SIZE)))
    found = KnowFlow(tmp_path / "home").run("area of forest in 2021", tmp_path / "data", out=tmp_path / "out")
    assert found.status == "refused"
