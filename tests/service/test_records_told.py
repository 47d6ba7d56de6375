"""Records of tables, asked in the words of people who keep them: by verbs, notes and what columns tell."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
import rasterio
import shapely

from knowflow import KnowFlow
from knowflow.ground.vectors import write

BERTHS = ("Torfunef", "Fiskihofn", "Krossanes")
KINDS = ("trawler", "cargo", "cruise")
ARRIVALS = [
    (f"2022-09-{1 + n % 28:02d}", BERTHS[n % 5 % 3], KINDS[n % 7 % 3], 3 + n % 5, round(20.5 + 7 * (n % 11), 1))
    for n in range(60)
]
NOTES = "Port office. Arrivals: draught in m, waiting time in minutes.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("harbour")
    with (data / "arrivals_sept2022.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("date", "berth", "type", "draught_m", "wait_min"), *ARRIVALS])
    places = np.array(shapely.to_wkb([shapely.Point(4e5 + 90 * n, 5e6) for n in range(3)]), dtype=object)
    names = [np.array(BERTHS, dtype=object), np.array(["fishing", "fishing", "freight"], dtype=object)]
    write(
        data / "berths.gpkg", geometry=places, field_data=names, fields=["name", "purpose"],
        crs="EPSG:32628", geometry_type="Point", driver="GPKG",
    )  # fmt: skip
    (data / "README.txt").write_text(NOTES, encoding="utf-8")
    return data


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> KnowFlow:
    return KnowFlow(home=tmp_path_factory.mktemp("home"))


def _of(**wanted: str) -> list[tuple[str, str, str, int, float]]:
    fields = ("day", "berth", "kind")
    return [row for row in ARRIVALS if all(row[fields.index(name)] == value for name, value in wanted.items())]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("How many trawlers called at Fiskihofn?", len(_of(berth="Fiskihofn", kind="trawler"))),
        ("average waiting time at Krossanes, in minutes", mean(row[4] for row in _of(berth="Krossanes"))),
        ("Mean draught of the cargo logged at Torfunef", mean(row[3] for row in _of(berth="Torfunef", kind="cargo"))),
        ("Number of arrivals that waited over 60 minutes", sum(row[4] > 60 for row in ARRIVALS)),
        (
            "How many trawlers arrived at berths for fishing?",
            sum(row[2] == "trawler" and row[1] in BERTHS[:2] for row in ARRIVALS),
        ),
    ],
)
def test_numbers_are_those_of_the_records(
    flow: KnowFlow, folder: Path, tmp_path: Path, question: str, wanted: float
) -> None:
    run = flow.run(question, folder, out=tmp_path / "out")
    assert run.answer == pytest.approx(wanted), run.error


@pytest.mark.parametrize(
    "question",
    [
        "How many trawlers were detained at Fiskihofn?",
        "How many trawlers called at Fiskihofn twice?",
        "Which berth has the biggest waiting?",
        "How many trawlers called at Fiskihofn in 2019?",
    ],
)
def test_what_no_column_tells_is_refused(flow: KnowFlow, folder: Path, tmp_path: Path, question: str) -> None:
    assert flow.run(question, folder, out=tmp_path / "out").status == "refused"


def test_a_map_of_years_as_such_tells_them_and_none_before_its_first(flow: KnowFlow, tmp_path: Path) -> None:
    years = np.zeros((40, 40), "uint16")
    years[:10], years[10:14] = 2015, 2018
    data = tmp_path / "data"
    data.mkdir()
    with rasterio.open(
        data / "forest_loss_year.tif", "w", driver="GTiff", height=40, width=40, count=1, dtype="uint16",
        crs="EPSG:32633", transform=rasterio.Affine(100, 0, 5e5, 0, -100, 5e6),
    ) as file:  # fmt: skip
        file.write(years, 1)
    lost = flow.run("How much forest was lost in 2015, in ha?", data, out=tmp_path / "one")
    assert lost.answer == pytest.approx(400.0)
    lost = flow.run("loss in ha, 2016 to 2018", data, out=tmp_path / "two")
    assert lost.answer == pytest.approx(160.0)
    early = flow.run("How much forest was lost in 2010, in ha?", data, out=tmp_path / "three")
    assert early.answer is None
    assert "2010" in str(early.error)
