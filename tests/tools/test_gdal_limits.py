"""GDAL's tools in processes of their own: ended when they take too long or too much, or when nobody wants them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from gdal_scenes import NORTH, WEST, authored, call, dem, hills, read, schema_of
from test_gdal_vectors import vector

from knowflow.execution.workers import WorkerPool
from knowflow.ground.errors import RunInterruptedError, ToolMemoryError, ToolTimeoutError
from knowflow.tools.gdal import generated_schemas
from knowflow.tools.gdal.library import library

CALL = "knowflow.execution.carry_out:call_tool"


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2, preload=("knowflow.tools.gdal.binding",)) as shared:
        yield shared


def _long_work(folder: Path) -> dict[str, Any]:
    """A surface of two million pixels through four thousand points: nine billion distances."""
    rng = np.random.default_rng(1)
    points = [shapely.Point(WEST + x, NORTH - y) for x, y in rng.uniform(0, 10_000, (4000, 2))]
    stations = vector(folder / "stations.gpkg", points)
    like = dem(folder / "like.tif", np.zeros((1500, 1500), np.float32))
    arguments = {"input": stations, "like": like, "zfield": "value", "output": folder / "out.tif"}
    return {"schema": schema_of("interpolate_inverse_distance"), "call": arguments}


def _short_work(folder: Path, number: int = 0) -> dict[str, Any]:
    source = dem(folder / f"dem{number}.tif", hills() + np.float32(number))
    arguments = {"dem": source, "gradient": "Horn", "output": folder / f"slope{number}.tif"}
    return {"schema": schema_of("slope"), "call": arguments}


def test_every_tool_of_gdal_runs_in_a_process_of_its_own() -> None:
    for schema in (*authored(), *generated_schemas(authored()).values()):
        assert schema.isolate == "process", schema.tool


def test_one_that_takes_too_long_is_ended(pool: WorkerPool, tmp_path: Path) -> None:
    with pytest.raises(ToolTimeoutError):
        pool.submit(CALL, _long_work(tmp_path), timeout_s=0.1)
    assert not (tmp_path / "out.tif").exists()


def test_one_that_takes_too_much_memory_is_ended(pool: WorkerPool, tmp_path: Path) -> None:
    with pytest.raises(ToolMemoryError):
        pool.submit(CALL, _long_work(tmp_path), memory_mb=60)
    assert not (tmp_path / "out.tif").exists()


def test_one_that_nobody_wants_any_more_is_ended_and_its_sibling_goes_on(pool: WorkerPool, tmp_path: Path) -> None:
    told: list[float] = []
    with ThreadPoolExecutor(1) as thread:
        sibling = thread.submit(pool.submit, CALL, _short_work(tmp_path))
        with pytest.raises(RunInterruptedError):
            pool.submit(CALL, _long_work(tmp_path), on_progress=told.append, cancelled=lambda: bool(told))
        sibling.result()
    assert 0 <= told[0] < 1
    assert (tmp_path / "slope0.tif").exists()


def test_two_at_once_do_not_mix(pool: WorkerPool, tmp_path: Path) -> None:
    works = [_short_work(tmp_path, number) for number in range(6)]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda work: pool.submit(CALL, work), works))
    call(schema_of("slope"), tmp_path / "here.tif", dem=works[0]["call"]["dem"])
    for number in range(6):
        np.testing.assert_allclose(read(tmp_path / f"slope{number}.tif"), read(tmp_path / "here.tif"), atol=1e-3)


def test_its_data_are_those_of_its_own_package() -> None:
    """rasterio carries another GDAL and another PROJ; neither hears of the folders that this library was told."""
    loaded = library()
    if loaded.origin == "osgeo":
        pytest.skip("the GDAL of the system has its data where the system put them")
    option = loaded.functions.CPLGetConfigOption
    option.restype, option.argtypes = ctypes.c_char_p, [ctypes.c_char_p, ctypes.c_char_p]
    folder = Path(os.fsdecode(option(b"GDAL_DATA", None)))
    assert folder.parent.name == "pyogrio"
    assert any(folder.iterdir())
    assert "pyogrio" not in os.environ.get("GDAL_DATA", "") + os.environ.get("PROJ_DATA", "")
