"""Tables without places: rows are features, of which all is asked but what needs a place."""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from workbook_examples import as_workbook

from knowflow import KnowFlow
from knowflow.ground.vectors import write
from knowflow.service.api import Service

DAYS = [date(2023, 1, 1) + timedelta(days=n) for n in range(90)]
STATIONS = ("Lobau", "Marchegg", "Hainburg")
LEVELS = {
    name: 200 + 40 * place + np.round(80 * np.sin((np.arange(90) + 17 * place) / 13), 1)
    for place, name in enumerate(STATIONS)
}
PORTS = ("Neudorf", "Weinsberg")
CATCH = [
    (year, port, kind, round(3.7 * (1 + n % 7) + year % 5, 1))
    for n, (year, port, kind) in enumerate(
        (year, port, kind) for year in (2019, 2020, 2021) for port in PORTS for kind in ("perch", "zander", "carp")
    )
]
BILLS = [("Q-1", "2022-03-04", "storm", 1200), ("Q-2", "2022-03-09", "hail", 500), ("Q-3", "2022-06-01", "hail", 2500)]
WHEN = np.array([str(day)[:7] for day in DAYS])


def _write(path: Path, header: tuple[str, ...], rows: Any) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])


@pytest.fixture(scope="module", params=[".csv", ".xlsx", ".ods"])
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    data = tmp_path_factory.mktemp("tables")
    levels = [(day, name, LEVELS[name][n]) for name in STATIONS for n, day in enumerate(DAYS)]
    _write(data / "gauge_levels.csv", ("date", "station", "level_cm"), levels)
    _write(data / "catch_2019_2021.csv", ("year", "port", "kind", "caught_t"), CATCH)
    _write(data / "bills_2022.csv", ("bill", "date", "peril", "paid_eur"), BILLS)
    for table in data.glob("*.csv") if request.param != ".csv" else ():
        as_workbook(table, request.param)
    places = np.array(shapely.to_wkb([shapely.Point(16.5 + n / 10, 48.2) for n in range(3)]), dtype=object)
    names = [np.array(STATIONS, dtype=object), np.array(["Danube", "March", "Danube"], dtype=object)]
    options: dict[str, Any] = {"crs": "EPSG:4326", "geometry_type": "Point", "driver": "GPKG"}
    write(data / "gauges.gpkg", geometry=places, field_data=names, fields=["name", "river"], **options)
    return data


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> KnowFlow:
    return KnowFlow(home=tmp_path_factory.mktemp("home"))


def _caught(**of: Any) -> float:
    fields = ("year", "port", "kind", "caught")
    rows = [dict(zip(fields, row, strict=True)) for row in CATCH]
    return float(sum(row["caught"] for row in rows if all(row[name] == value for name, value in of.items())))


MARCHEGG = LEVELS["Marchegg"][int(LEVELS["Lobau"].argmax())]
ZANDER = _caught(year=2021, kind="zander", port=max(PORTS, key=lambda one: _caught(year=2019, port=one)))


def _grown(kind: str) -> float:
    before, after = (_caught(year=year, kind=kind) for year in (2019, 2021))
    return 100 * (after - before) / before


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the mean level at Lobau in February 2023?", LEVELS["Lobau"][WHEN == "2023-02"].mean()),
        ("What was the level at Marchegg on 9 January 2023?", LEVELS["Marchegg"][8]),
        ("What was the highest gauge level?", max(one.max() for one in LEVELS.values())),
        ("On how many days was the level at Hainburg below 250 cm?", float((LEVELS["Hainburg"] < 250).sum())),
        ("What was the mean level of the Danube?", np.mean([LEVELS["Lobau"], LEVELS["Hainburg"]])),
        ("How many tonnes of perch were caught in 2020?", _caught(year=2020, kind="perch")),
        ("How much zander did Neudorf catch in 2021?", _caught(year=2021, kind="zander", port="Neudorf")),
        ("How many tonnes of carp did Weinsberg catch?", _caught(kind="carp", port="Weinsberg")),
        (
            "By how many tonnes did the catch of carp change from 2019 to 2021?",
            _caught(year=2021, kind="carp") - _caught(year=2019, kind="carp"),
        ),
        ("By how many percent did the catch of perch change from 2019 to 2021?", _grown("perch")),
        ("How many bills were there for hail?", 2.0),
        ("How much did we pay for hail in March 2022?", 500.0),
        (
            "On the date when Lobau had its highest level, what was the mean level at Marchegg?",
            MARCHEGG,
        ),
        ("Find the day with the highest level at Lobau; what was the level at Marchegg that day?", MARCHEGG),
        ("For the port with the highest total catch in 2019, how much zander did it catch in 2021?", ZANDER),
    ],
)
def test_numbers_of_rows(flow: KnowFlow, folder: Path, tmp_path: Path, question: str, expected: float) -> None:
    found = flow.run(question, folder, out=tmp_path / "out")
    assert found.answer == pytest.approx(expected), found.error


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did the level at Lobau peak?", str(DAYS[int(LEVELS["Lobau"].argmax())])),
        ("Which station had the highest mean level?", max(STATIONS, key=lambda one: LEVELS[one].mean())),
        (
            "Which port caught the most in 2019?",
            max(("Neudorf", "Weinsberg"), key=lambda p: _caught(year=2019, port=p)),
        ),
        ("In which month did we pay the most?", "2022-06"),
        ("In which month were there the most bills?", "2022-03"),
    ],
)
def test_which_rows(flow: KnowFlow, folder: Path, tmp_path: Path, question: str, expected: str) -> None:
    found = flow.run(question, folder, out=tmp_path / "out")
    told = found.answer if isinstance(found.answer, str) else next(iter(found.answer[0].values()))
    assert told == expected, found.error


def test_rows_per_month(flow: KnowFlow, folder: Path, tmp_path: Path) -> None:
    found = flow.run("Mean level at Marchegg per month", folder, out=tmp_path / "out").answer
    wanted = [LEVELS["Marchegg"][month == WHEN].mean() for month in ("2023-01", "2023-02", "2023-03")]
    assert [row["mean"] for row in found] == pytest.approx(wanted)


def test_rows_have_no_place(flow: KnowFlow, folder: Path, tmp_path: Path) -> None:
    for question in ("How far is Neudorf from Weinsberg?", "What was the level in May 2023?"):
        assert flow.run(question, folder, out=tmp_path / "out").status == "refused"


def test_rows_by_a_column_are_told_under_its_name(flow: KnowFlow, folder: Path, tmp_path: Path) -> None:
    found = flow.run("Mean level at each station", folder, out=tmp_path / "out").answer
    assert {row["station"]: row["mean"] for row in found} == pytest.approx(
        {one: LEVELS[one].mean() for one in STATIONS}
    )


def test_what_tables_can_answer_is_offered(flow: KnowFlow, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    levels = [(day, name, LEVELS[name][n]) for name in STATIONS for n, day in enumerate(DAYS)]
    _write(data / "gauge_levels.csv", ("date", "station", "level_cm"), levels)
    offered = Service(tmp_path / "home").suggest(data)
    assert "Which station had the highest mean level?" in offered["in tables"]
    for number, question in enumerate(offered["in tables"]):
        assert flow.run(question, data, out=tmp_path / str(number)).status == "completed"


@pytest.mark.parametrize("day", ["2023-02-31", "2023-13-01"])
def test_a_day_that_there_is_not_tells_no_time(flow: KnowFlow, tmp_path: Path, day: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    _write(data / "gauge_levels.csv", ("date", "level_cm"), [("2023-01-02", 3), (day, 2)])
    assert flow.run("What was the mean level?", data, out=tmp_path / "out").answer == pytest.approx(2.5)
    assert flow.run("What was the mean level in January 2023?", data, out=tmp_path / "none").status == "refused"


def test_of_two_columns_of_one_name_none_is_taken(flow: KnowFlow, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    _write(data / "gauge_levels.csv", ("date", "level_cm", "level_cm"), [("2023-01-02", 3, 5)])
    found = flow.run("What was the mean level?", data, out=tmp_path / "out")
    assert found.status == "refused"
    assert "two columns are called 'level_cm'" in str(found.error)
