"""Which files a dataset consists of: all that GDAL reads for it, and their changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.enums import Resampling

from knowflow.execution.content import FileDigests
from knowflow.execution.dataset_files import parts_of
from knowflow.ground.errors import UnreadableDataError

GRID = rasterio.Affine(10, 0, 500000, 0, -10, 5100000)


def tif(path: Path, fill: int = 1, **profile: object) -> Path:
    described = {"driver": "GTiff", "width": 64, "height": 64, "count": 1, "dtype": "uint8", "crs": "EPSG:32633"}
    with rasterio.open(path, "w", transform=GRID, **{**described, **profile}) as file:
        file.write(np.full((1, 64, 64), fill, "uint8"))
    return path


def overviews(path: Path) -> Path:
    with rasterio.Env(TIFF_USE_OVR="YES"), rasterio.open(path, "r+") as file:
        file.build_overviews([2], Resampling.nearest)
    return path.with_name(f"{path.name}.ovr")


def mask(path: Path) -> Path:
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=False), rasterio.open(path, "r+") as file:
        file.write_mask(np.full((64, 64), 255, "uint8"))
    return path.with_name(f"{path.name}.msk")


def beside(ending: str, text: str) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        companion = path.with_name(f"{path.stem}{ending}")
        companion.write_text(text)
        return companion

    return write


WORLD = "10\n0\n0\n-10\n500005\n5099995\n"
COMPANIONS = {
    "overviews": overviews,
    "mask": mask,
    "tags": beside(".tif.aux.xml", "<PAMDataset><Metadata><MDI key='A'>1</MDI></Metadata></PAMDataset>"),
    "world file": beside(".tfw", WORLD),
    "world file of another name": beside(".wld", WORLD),
    "projection": beside(".prj", "PROJCS[]"),
    "operator": beside(".IMD", "version = 1;\n"),
    "coefficients": beside("_RPC.TXT", "LINE_OFF: 1\n"),
    "coefficients of another name": beside(".RPB", "satId = 1;\n"),
}


@pytest.mark.parametrize("name", COMPANIONS)
def test_a_change_of_any_file_that_gdal_reads_with_a_raster_changes_its_digest(tmp_path: Path, name: str) -> None:
    path = tif(tmp_path / "a.tif")
    digests = FileDigests(tmp_path / "state" / "digests.sqlite")
    alone = digests.digest(str(path))
    companion = COMPANIONS[name](path)
    together = digests.digest(str(path))
    companion.write_bytes(companion.read_bytes()[:-1] + b" ")
    assert len({alone, together, digests.digest(str(path))}) == 3
    companion.unlink()
    path.write_bytes(tif(tmp_path / "b.tif").read_bytes())
    assert digests.digest(str(path)) == alone


def test_a_copy_of_a_dataset_under_another_name_has_its_digest(tmp_path: Path) -> None:
    digests = FileDigests(tmp_path / "state" / "digests.sqlite")
    (tmp_path / "other").mkdir()
    first, second = tif(tmp_path / "a.tif"), tif(tmp_path / "other" / "b.tif")
    for path in (first, second):
        beside(".tfw", WORLD)(path)
        beside(".tif.aux.xml", "<PAMDataset/>")(path)
    assert digests.digest(str(first)) == digests.digest(str(second))


def vrt(path: Path, source: str) -> Path:
    band = (
        f'<VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename relativeToVRT="1">{source}'
        "</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>"
    )
    path.write_text(f'<VRTDataset rasterXSize="64" rasterYSize="64">{band}</VRTDataset>')
    return path


def test_the_sources_of_the_sources_of_a_vrt_count_with_what_is_beside_them(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    source = tif(tmp_path / "deep" / "a.tif")
    inner = vrt(tmp_path / "deep" / "inner.vrt", "a.tif")
    outer = vrt(tmp_path / "outer.vrt", "deep/inner.vrt")
    digests = FileDigests(tmp_path / "state" / "digests.sqlite")
    seen = {digests.digest(str(outer))}
    tags = beside(".tif.aux.xml", "<PAMDataset/>")(source)
    assert set(parts_of(outer)) == {outer, inner, source, tags}
    seen.add(digests.digest(str(outer)))
    tif(source, fill=2)
    seen.add(digests.digest(str(outer)))
    source.rename(source.with_name("away.tif"))
    seen.add(digests.digest(str(outer)))
    assert len(seen) == 4


def test_vrts_that_name_each_other_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWFLOW_TRUST_DATA", "on")
    first, second = vrt(tmp_path / "a.vrt", "b.vrt"), vrt(tmp_path / "b.vrt", "a.vrt")
    assert set(parts_of(first)) == {first, second}


def test_the_parts_of_a_shapefile_and_the_log_of_a_geopackage_count(tmp_path: Path) -> None:
    for name in ("a.shp", "a.SHX", "a.dbf", "a.cpg", "a.shp.xml", "b.gpkg", "b.gpkg-wal"):
        (tmp_path / name).write_text("x")
    (tmp_path / "b.gpkg-journal").touch()
    (tmp_path / "a.txt").write_text("of no concern")
    assert [path.name for path in parts_of(tmp_path / "a.shp")] == ["a.shp", "a.SHX", "a.cpg", "a.dbf", "a.shp.xml"]
    assert [path.name for path in parts_of(tmp_path / "b.gpkg")] == ["b.gpkg", "b.gpkg-wal"]


def test_the_files_of_a_dataset_are_remembered_until_its_folder_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, memory = tif(tmp_path / "a.tif"), tmp_path / "state" / "digests.sqlite"
    FileDigests(memory)  # makes the folder beside the raster
    settled = max(os.stat(path).st_ctime_ns, os.stat(tmp_path).st_ctime_ns) + 10_000_000_000
    monkeypatch.setattr("time.time_ns", lambda: settled)
    known = FileDigests(memory).digest(str(path))
    with monkeypatch.context() as unasked:
        unasked.setattr("knowflow.execution.content.parts_of", None)
        assert FileDigests(memory).digest(str(path)) == known
    beside(".tfw", WORLD)(path)
    assert FileDigests(memory).digest(str(path)) != known


def test_what_would_be_waited_for_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.tif")
    digests = FileDigests(tmp_path / "state" / "digests.sqlite")
    with pytest.raises(UnreadableDataError) as error:
        digests.digest(str(tmp_path / "pipe.tif"))
    assert error.value.found == "a named pipe"
    assert digests.digest(str(vrt(tmp_path / "of_a_pipe.vrt", "pipe.tif")))
