"""Runs that nobody may have meant are asked about before they start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from service_examples import Command, scene

from knowflow import KnowFlow
from knowflow.ground.errors import PlanningError
from knowflow.model.plan import Plan
from knowflow.model.workflow import Workflow
from knowflow.service.large_runs import LargeRunError, require_time
from knowflow.service.results import Estimate

QUERY = "What is the mean NDVI?"
SIDE = 2_000_000
PIXEL = 0.1


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of some kilobytes that declares 4 000 000 000 000 pixels, and holds data in its first corner."""
    folder = tmp_path_factory.mktemp("huge")
    profile = {"driver": "GTiff", "width": SIDE, "height": SIDE, "count": 1, "dtype": "uint8", "crs": "EPSG:32633"}
    tiles = {"tiled": True, "blockxsize": 32768, "blockysize": 32768, "SPARSE_OK": "TRUE", "BIGTIFF": "YES"}
    transform = rasterio.Affine(PIXEL, 0, 500000, 0, -PIXEL, 5300000)
    with rasterio.open(folder / "ndvi_2022-06-01.tif", "w", transform=transform, **profile, **tiles) as file:
        file.update_tags(QUANTITY="ndvi", UNIT="1", SCALE="0.01", OFFSET="0")
    assert (folder / "ndvi_2022-06-01.tif").stat().st_size < 1_000_000
    return folder


def test_a_raster_that_declares_more_than_anybody_means_to_read_is_asked_about(huge: Path, tmp_path: Path) -> None:
    found = KnowFlow().run(QUERY, huge, out=tmp_path / "out")
    error = found.error or {}
    assert (found.status, error["code"]) == ("refused", "large_run")
    assert f"{SIDE} x {SIDE} pixels" in error["found"]
    assert "--max-hours" in error["hint"]
    assert error["where"] == str(huge / "ndvi_2022-06-01.tif")
    assert [diagnosis["cause"] for diagnosis in found.diagnoses] == ["too_large"]
    assert KnowFlow().runs() == ()


def test_the_command_line_says_so_too(huge: Path, tmp_path: Path, knowflow: Command) -> None:
    out = str(tmp_path / "out")
    found = knowflow("run", QUERY, "--data", str(huge), "--out", out, "--max-hours", "1", "--runner", "local")
    assert found.refused("large_run", "at most 1 hours")


def test_an_area_of_it_is_no_large_run(huge: Path) -> None:
    """A cell of 0.01 by 0.01 degrees of 200 by 200 km is read, once to be cut out and once for its mean."""
    whole = KnowFlow().plan(QUERY, huge).estimate.seconds
    part = KnowFlow().plan(QUERY, huge, aoi="15.0,46.5,15.01,46.51").estimate.seconds
    north, west = np.deg2rad(0.01) * 6.37e6, np.deg2rad(0.01) * 6.37e6 * np.cos(np.deg2rad(46.5))
    share = north * west / (SIDE * PIXEL) ** 2
    assert 0.9 * share < part / whole < 3 * share


def test_the_time_that_is_allowed_is_the_callers_to_say() -> None:
    plan, long = Plan("a question", "t", workflow=Workflow()), Estimate(7 * 3600.0, 0, 1)
    with pytest.raises(LargeRunError) as error:
        require_time(plan, long, None)
    assert error.value.hint is not None
    assert error.value.hint.endswith("--max-hours 8")
    require_time(plan, long, 8)
    for nonsense in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(PlanningError):
            require_time(plan, long, nonsense)


def test_an_ordinary_run_is_not_asked_about_and_may_be_bound(tmp_path: Path) -> None:
    data = scene(tmp_path / "data")
    assert KnowFlow().run(QUERY, data, out=tmp_path / "out").status == "completed"
    bound = KnowFlow().run(QUERY, data, out=tmp_path / "out", max_hours=1e-9)
    assert (bound.status, (bound.error or {})["code"]) == ("refused", "large_run")
