"""Workbooks in a folder of data: what is known of them, and what is told of sheets and files that are not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbook_examples import as_workbook, cells, excel_of, write_workbook

from knowflow import KnowFlow
from knowflow.reason.inventory import take_inventory
from knowflow.service.asked_points import said_place

STATIONS = "station,lon,lat,level_m,seen\nAlder,15.1,46.2,2.5,2023-05-01\nBirch,15.3,46.1,,2023-05-02\nElm,15,46,3,\n"
YIELDS = "plot,harvested,yield_kg\nNorth,2023-08-01,1200\nSouth,2023-08-02,1300\n"


@pytest.mark.parametrize("ending", [".xlsx", ".ods"])
@pytest.mark.parametrize("text", [STATIONS, YIELDS])
def test_the_same_is_known_of_a_workbook_and_of_a_text(tmp_path: Path, text: str, ending: str) -> None:
    table = tmp_path / "survey.csv"
    table.write_text(text, encoding="utf-8")
    (wanted,) = take_inventory(tmp_path).artifacts
    as_workbook(table, ending)
    (found,) = take_inventory(tmp_path).artifacts
    assert found.type == wanted.type
    assert found.facts.without(["size"]) == wanted.facts.without(["size"])


def test_sheets_that_are_not_read_are_told_with_the_answer(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    rows = [cells("plot", "yield_kg"), cells("North", 1200), cells("South", 1300)]
    excel_of(data / "yields.xlsx", {"Plots": rows, "Trees": rows})
    excel_of(data / "~$yields.xlsx", {})
    found = KnowFlow(tmp_path / "home").run("Which plot had the highest yield?", data, out=tmp_path / "out")
    assert [row["name"] for row in found.answer] == ["South"]
    told = "yields.xlsx: the sheets 'Trees' are not read, the first that holds a table is 'Plots'"
    assert [note for note in found.notes if told in note]


@pytest.mark.parametrize("name", ["old.xls", "locked.xlsx"])
def test_one_that_cannot_be_read_leaves_the_others(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0" + b"\0" * 600)
    write_workbook(tmp_path / "yields.xlsx", {"plot": ["North", "South"], "yield_kg": [1200, 1300]})
    found = take_inventory(tmp_path)
    assert [item.name for item in found.artifacts] == ["yields"]
    ((path, reason),) = found.unreadable
    assert Path(path).name == name
    assert "password" in reason


def test_points_that_are_asked_at_may_be_in_a_workbook(tmp_path: Path) -> None:
    write_workbook(tmp_path / "at.ods", {"name": ["A", "B"], "lon": [15.1, 15.2], "lat": [46.1, 46.2]})
    said = said_place(tmp_path / "at.ods", tmp_path / "home")
    assert said is not None
    assert '"coordinates": [15.2, 46.2]' in " ".join(Path(said).read_text(encoding="utf-8").split())


def test_one_that_changes_between_plan_and_run_is_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()

    def written(most: int) -> None:
        (data / "yields.xlsx").unlink(missing_ok=True)
        write_workbook(data / "yields.xlsx", {"plot": ["North", "South"], "yield_kg": [1200, most]})

    written(1300)
    flow, asked = KnowFlow(tmp_path / "home"), "What was the highest yield?"
    assert flow.run(asked, data, out=tmp_path / "a").answer == 1300
    found = flow.run(asked, data, out=tmp_path / "b", on_plan=lambda _: written(14000))
    told = [*found.notes, *map(str, (found.error or {}).get("problems", ()))]
    assert found.answer in (14000, None)
    assert [one for one in told if "yields.xlsx" in one]
