"""Pipes and devices that are called as files are: left out and told, never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.ground.errors import DataNotFoundError, KnowFlowError

QUERY = "What is the mean NDVI?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = scene(tmp_path / "data")
    for name in ("pipe.tif", "pipe.gpkg", "item.json", "table.csv"):
        os.mkfifo(folder / name)
    (folder / "zero.tif").symlink_to("/dev/zero")
    (folder / "lost.tif").symlink_to("nowhere.tif")
    return folder


def test_a_folder_with_pipes_is_read_without_them_and_says_so(data: Path, tmp_path: Path) -> None:
    found = dict(KnowFlow().inventory(data).unreadable)
    assert found == {
        "pipe.tif": "it is a named pipe",
        "pipe.gpkg": "it is a named pipe",
        "item.json": "it is a named pipe",
        "table.csv": "it is a named pipe",
        "zero.tif": "it is a device",
        "lost.tif": "it is a link to nothing",
    }
    result = KnowFlow().run(QUERY, data, out=tmp_path / "out")
    assert result.status == "completed"
    assert "pipe.tif" in " ".join(result.notes)


def test_a_pipe_that_is_named_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError):
        KnowFlow().inventory(data / "pipe.tif")
    with pytest.raises(KnowFlowError, match="named pipe"):
        KnowFlow().plan(QUERY, data, aoi=str(data / "pipe.gpkg"))
    one = KnowFlow().run_tool("raster_mean", {"raster": str(data / "pipe.tif")})
    assert one.status == "refused"
    assert (one.error or {})["found"] == "a named pipe"
    beside = next(data.glob("field*.tif"))
    assert KnowFlow().run_tool("raster_mean", {"raster": str(beside)}, out=tmp_path / "out").status == "completed"
