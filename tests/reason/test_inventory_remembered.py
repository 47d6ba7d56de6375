"""Headers are read once: what is remembered of a folder is what would be read again, and no damage stops a question."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasters import write_raster

from knowflow.ground.resources import state_home
from knowflow.reason.inventory import Inventory, remembered, scan, take_inventory

TAGS = {"QUANTITY": "ndvi", "UNIT": "1"}


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose headers are read; files count as settled from the moment they are there."""
    names: list[str] = []
    for name in ("read_bands", "read_artifact"):
        original = getattr(scan, name)

        def counted(path: Path, *more: object, original: object = original) -> object:
            names.append(path.name)
            return original(path, *more)  # type: ignore[operator]

        monkeypatch.setattr(scan, name, counted)
    monkeypatch.setattr(remembered, "_SETTLED_NS", -(10**18))
    return names


def folder_of(tmp_path: Path) -> Path:
    """Rasters of one and of several bands, with and without a georeference, a vector and a table."""
    folder = tmp_path / "data"
    write_raster(folder / "ndvi_2020-01-01.tif", tags=TAGS, nodata=float("nan"))
    write_raster(
        folder / "sub" / "S2_2020-02-01.tif", count=3, descriptions=("B02", "B03", "B04"), dtype="uint16", scale=0.0001
    )
    write_raster(folder / "plain.png", georeference=None, dtype="uint8")
    square = "[[[15,46],[15.1,46],[15.1,46.1],[15,46]]]"
    feature = f'{{"type":"Feature","properties":{{"a":1}},"geometry":{{"type":"Polygon","coordinates":{square}}}}}'
    (folder / "fields.geojson").write_text(f'{{"type":"FeatureCollection","features":[{feature}]}}', encoding="utf-8")
    (folder / "t.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return folder


def told(inventory: Inventory) -> list[object]:
    return [artifact.to_json() for artifact in inventory.artifacts]


def test_a_known_folder_is_not_opened_and_says_the_same(tmp_path: Path, reads: list[str]) -> None:
    folder = folder_of(tmp_path)
    first = take_inventory(folder)
    assert len(reads) == 5
    again = take_inventory(folder)
    assert len(reads) == 5
    assert again == first
    assert told(again) == told(first)
    assert take_inventory(folder / "plain.png").artifacts[0] in first.artifacts
    assert len(reads) == 5, "a file alone is known by its folder"


def test_paths_are_those_of_the_question(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path)
    take_inventory(folder)
    monkeypatch.chdir(tmp_path)
    assert {Path(item.path or "").parts[0] for item in take_inventory(Path("data")).artifacts} == {"data"}
    assert len(reads) == 5


def test_a_file_of_the_same_name_size_and_time_is_another_one(tmp_path: Path, reads: list[str]) -> None:
    path = write_raster(tmp_path / "data" / "a_2020-01-01.tif", tags={"QUANTITY": "ndvi"})
    before = path.stat()
    take_inventory(path.parent)
    other = write_raster(tmp_path / "b.tif", tags={"QUANTITY": "ndwi"})
    assert other.stat().st_size == before.st_size
    path.write_bytes(other.read_bytes())  # in its place: the same inode
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert take_inventory(path.parent).artifacts[0].fact("quantity") == "ndwi"
    shutil.copy2(other, tmp_path / "c.tif")
    os.utime(tmp_path / "c.tif", ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(tmp_path / "c.tif", path)  # another inode
    take_inventory(path.parent)
    assert len(reads) == 3


@pytest.mark.parametrize(
    "name", ["a_2020-01-01.tfw", "a_2020-01-01.tif.aux.xml", "a_2020-01-01.wld", "a_2020-01-01.aux.xml"]
)
def test_what_stands_beside_a_file_is_part_of_it(name: str, tmp_path: Path, reads: list[str]) -> None:
    path = write_raster(tmp_path / "a_2020-01-01.tif", georeference=None)
    write_raster(tmp_path / "a_2020-01-02.tif")
    first = take_inventory(tmp_path)
    path.with_name(name).write_text(
        "10\n0\n0\n-10\n500000\n5100000\n" if name[-1] != "l" else "<PAMDataset/>", encoding="utf-8"
    )
    take_inventory(tmp_path)
    assert reads[2:] == ["a_2020-01-01.tif"]
    path.with_name(name).unlink()
    assert take_inventory(tmp_path) == first
    assert reads[3:] == [], "the folder is as it was"


def test_a_file_just_written_is_read_again(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "_SETTLED_NS", 10**18)
    write_raster(tmp_path / "a_2020-01-01.tif")
    take_inventory(tmp_path)
    take_inventory(tmp_path)
    assert len(reads) == 2


def test_a_virtual_raster_is_read_again_for_its_sources_change(tmp_path: Path, reads: list[str]) -> None:
    write_raster(tmp_path / "sources" / "b.tif")
    text = (
        '<VRTDataset rasterXSize="8" rasterYSize="6"><VRTRasterBand dataType="Float32" band="1"><SimpleSource>'
        '<SourceFilename relativeToVRT="1">sources/b.tif</SourceFilename><SourceBand>1</SourceBand></SimpleSource>'
        "</VRTRasterBand></VRTDataset>"
    )
    (tmp_path / "a.tif").write_text(text, encoding="utf-8")
    for _ in range(2):
        take_inventory(tmp_path)
    assert reads.count("a.tif") == 2
    assert reads.count("b.tif") == 1


def test_where_libraries_find_certificates_changes_no_header(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_raster(tmp_path / "a_2020-01-01.tif")
    for variable in ("GDAL_CURL_CA_BUNDLE", "PROJ_CURL_CA_BUNDLE"):  # they set it as they are imported
        monkeypatch.delenv(variable, raising=False)
    take_inventory(tmp_path)
    for variable in ("GDAL_CURL_CA_BUNDLE", "PROJ_CURL_CA_BUNDLE"):
        monkeypatch.setenv(variable, "/etc/certificates.pem")
    take_inventory(tmp_path)
    assert len(reads) == 1


def test_other_code_and_other_settings_read_again(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_raster(tmp_path / "a_2020-01-01.tif")
    take_inventory(tmp_path)
    monkeypatch.setenv("GDAL_GEOREF_SOURCES", "NONE")
    take_inventory(tmp_path)
    monkeypatch.delenv("GDAL_GEOREF_SOURCES")
    monkeypatch.setattr(remembered, "_versions", lambda: ("another",))
    take_inventory(tmp_path)
    assert len(reads) == 3


def _rows(change: str) -> None:
    with sqlite3.connect(state_home() / remembered.STORE) as connection:
        connection.execute(change)
    connection.close()


def _locked() -> sqlite3.Connection:
    connection = sqlite3.connect(state_home() / remembered.STORE, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


DAMAGE = {
    "no database": lambda store: store.write_bytes(b"something else" * 100),
    "cut": lambda store: store.write_bytes(store.read_bytes()[:3000]),
    "empty": lambda store: store.write_bytes(b""),
    "a folder": lambda store: (store.unlink(), store.mkdir()),
    "another number": lambda store: _rows("UPDATE headers SET layers = replace(layers, '5100000', '5100010')"),
    "no JSON": lambda store: _rows("UPDATE headers SET layers = 'x'"),
    "another table": lambda store: _rows("ALTER TABLE headers RENAME TO h"),
    "in use": lambda store: _locked(),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_no_damage_of_the_store_stops_a_question_or_changes_an_answer(
    damage: str, tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "_WAIT_S", 0.01)
    folder = folder_of(tmp_path)
    first = take_inventory(folder)
    held = DAMAGE[damage](state_home() / remembered.STORE)
    for _ in range(2):
        assert take_inventory(folder) == first
    if isinstance(held, sqlite3.Connection):
        held.close()


def test_a_home_that_cannot_be_written_is_no_hindrance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_of(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("KNOWFLOW_HOME", str(tmp_path / "file"))
    assert len(take_inventory(folder).artifacts) >= 5


def test_the_numbers_of_headers_come_back_to_the_last_digit(tmp_path: Path, reads: list[str]) -> None:
    odd = rasterio.Affine(1 / 3, 0.0, 0.1 + 0.2, 0.0, -1 / 7, 1e-9)
    path = write_raster(
        tmp_path / "a.tif", georeference={"crs": "EPSG:4326", "transform": odd}, nodata=-3.4028234663852886e38
    )
    first = take_inventory(tmp_path).artifacts[0]
    again = take_inventory(tmp_path).artifacts[0]
    with rasterio.open(path) as dataset:
        assert again.fact("transform") == tuple(dataset.transform)[:6]
        assert again.fact("nodata") == dataset.nodata
    assert again == first
    assert isinstance(again.fact("transform"), tuple)
    assert np.float32(again.fact("nodata")) == np.finfo("float32").min
    assert reads == ["a.tif"]


def test_nothing_is_looked_for_beside_a_file_that_stands_alone(
    tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        write_raster(tmp_path / f"ndvi_2020-01-{number + 1:02}.tif", tags=TAGS, shape=(2, 2 + number))
    first = take_inventory(tmp_path)
    asked: list[str] = []
    with monkeypatch.context() as patched:
        is_file = Path.is_file
        patched.setattr(Path, "is_file", lambda path: (asked.append(path.name), is_file(path))[1])
        assert told(take_inventory(tmp_path)) == told(first)
    assert len([name for name in asked if name.startswith("ndvi")]) == 0
    assert len(reads) == 20
