"""The inventory of a folder that nothing has changed in is brought back, and says what it said."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from rasters import write_raster

from knowflow.ground.resources import state_home
from knowflow.reason.inventory import remembered, scan, take_inventory

TAGS = {"QUANTITY": "ndvi", "UNIT": "1"}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were gone through; files count as settled from the moment they are there."""
    folders: list[Path] = []
    original = scan._taken

    def counted(folder: Path, *more: Any) -> Any:
        folders.append(folder)
        return original(folder, *more)

    monkeypatch.setattr(scan, "_taken", counted)
    monkeypatch.setattr(remembered, "_SETTLED_NS", -(10**18))
    return folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for day in ("2020-01-01", "2020-02-01"):
        write_raster(tmp_path / "data" / f"ndvi_{day}.tif", tags=TAGS, nodata=math.nan)
    (tmp_path / "data" / "notes.txt").write_text("seen from above", encoding="utf-8")
    return tmp_path / "data"


def test_it_is_brought_back_as_it_was(folder: Path, taken: list[Path]) -> None:
    first = take_inventory(folder)
    again = take_inventory(folder)
    assert len(taken) == 1
    assert again == first
    assert again.series() == first.series()
    nodata = [item.fact("nodata") for item in again.artifacts]
    assert all(one is math.nan for one in nodata), "there is one NaN"


def test_what_is_asked_otherwise_is_another(folder: Path, taken: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = [
        {},
        {"assume": ["sensor=modis"]},
        {"dates": "2020-02-01/2020-03-01"},
        {"aoi": (-180.0, -90.0, 180.0, 90.0)},
    ]
    for _ in range(2):
        found = [take_inventory(folder, **one) for one in asked]
        assert [len(one.artifacts) for one in found] == [2, 2, 1, 2]
        assert found[1].artifacts[0].fact("sensor") == "modis"
        assert found[0].artifacts[0].fact("sensor") is None
    monkeypatch.chdir(folder.parent)
    assert take_inventory(Path("data")).artifacts[0].path == "data/ndvi_2020-01-01.tif"
    assert len(taken) == 5


@pytest.mark.parametrize("change", ["a file more", "a text", "a description"])
def test_whatever_changes_in_the_folder_is_looked_at(folder: Path, taken: list[Path], change: str) -> None:
    take_inventory(folder)
    if change == "a file more":
        write_raster(folder / "below" / "ndvi_2020-03-01.tif", tags=TAGS)
    elif change == "a text":
        (folder / "notes.txt").write_text("seen from below", encoding="utf-8")
    else:
        (folder / "knowflow.yaml").write_text("dataset: d\nlayers:\n- files: ['*.tif']\n  sensor: modis\n", "utf-8")
    found = take_inventory(folder)
    assert len(taken) == 2
    assert len(found.artifacts) == (3 if change == "a file more" else 2)
    assert found.artifacts[0].fact("sensor") == ("modis" if change == "a description" else None)


def test_a_folder_that_has_just_changed_is_gone_through_again(
    folder: Path, taken: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    take_inventory(folder)
    (folder / "notes.txt").write_text("seen from within", encoding="utf-8")
    monkeypatch.setattr(remembered, "_SETTLED_NS", 10**12)
    for _ in range(2):
        take_inventory(folder)
    assert len(taken) == 3


def test_a_folder_with_a_file_that_cannot_be_read_is_gone_through_again(folder: Path, taken: list[Path]) -> None:
    (folder / "ndvi_2020-03-01.tif").write_bytes(b"no raster")
    told = [take_inventory(folder).unreadable for _ in range(2)]
    assert told[0] == told[1] != ()
    assert len(taken) == 2


@pytest.mark.parametrize("at", [0, 18, -3])
def test_damage_is_seen(folder: Path, taken: list[Path], at: int) -> None:
    first = take_inventory(folder)
    with sqlite3.connect(state_home() / remembered.STORE) as connection:
        ((row,),) = connection.execute("SELECT told FROM inventories")
        broken = bytearray(row)
        broken[at] ^= 1
        connection.execute("UPDATE inventories SET told = ?", (bytes(broken),))
    connection.close()
    assert take_inventory(folder) == first
    assert len(taken) == 2
