"""Decibels are averaged as power, whatever the tool: against plain numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine
from numpy.typing import NDArray
from pyogrio.raw import write as write_vector
from raster_files import UTM, write

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.alignment import align_to, resample
from knowflow.tools.arithmetic import departure_from_mean
from knowflow.tools.composite import mosaic, temporal_composite
from knowflow.tools.context import running
from knowflow.tools.directions import mean
from knowflow.tools.grouping import average_year, statistics_by_period
from knowflow.tools.statistics import batch_statistics, raster_mean, raster_statistic, raster_statistics
from knowflow.tools.zonal import zonal_by_raster, zonal_statistics

Grid = NDArray[np.float64]
SAID = {"quantity": "sigma0_db", "unit": "dB"}
DB = np.random.default_rng(2).normal(-14, 6, (3, 24, 24)).astype(np.float32).astype(np.float64)


def in_power(levels: Any, axis: Any = None) -> Any:
    """The truth: 10 log10 of the mean of 10^(level / 10)."""
    return 10 * np.log10(np.mean(10 ** (np.asarray(levels) / 10), axis=axis))


def scene(folder: Path, number: int = 0, **facts: Any) -> Artifact:
    known = {**SAID, "datetime": f"2021-0{number + 1}-01", **facts}
    return write(folder / f"s1_{number}.tif", DB[number].astype(np.float32), facts=known)


def read(path: Path) -> Grid:
    with rasterio.open(path) as file:
        found: Grid = file.read(1).astype(np.float64)
        return found


def test_the_mean_of_a_raster_is_that_of_the_power_and_says_so(tmp_path: Path) -> None:
    told: list[str] = []
    with running(None, None, told.append):
        assert raster_mean(scene(tmp_path)) == pytest.approx(in_power(DB[0]), abs=1e-5)
    assert told == ["the mean of the decibels is that of the power, told in dB"]
    (row,) = raster_statistics(scene(tmp_path))
    assert row["mean"] == pytest.approx(in_power(DB[0]), abs=1e-5)
    assert row["median"] == pytest.approx(np.median(DB[0]), abs=1e-5)
    assert row["sum"] is None
    rows = batch_statistics([scene(tmp_path, n) for n in range(3)])
    assert [row["mean"] for row in rows] == pytest.approx(in_power(DB, (1, 2)), abs=1e-5)


def test_power_that_was_turned_into_decibels_is_averaged_as_power_again(tmp_path: Path) -> None:
    """By a conversion of units the quantity stays what it was."""
    assert raster_mean(scene(tmp_path, quantity="sigma0")) == pytest.approx(in_power(DB[0]), abs=1e-5)
    assert raster_mean(scene(tmp_path, quantity=None)) == pytest.approx(in_power(DB[0]), abs=1e-5)


def test_levels_have_no_sum(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no sum"):
        raster_statistic(scene(tmp_path), "sum")


@pytest.mark.parametrize("facts", [{"quantity": "difference"}, {"quantity": "ndvi", "unit": "1"}])
def test_ratios_in_decibels_and_other_numbers_stay_as_they_are(tmp_path: Path, facts: dict[str, str]) -> None:
    assert raster_mean(scene(tmp_path, **facts)) == pytest.approx(DB[0].mean(), abs=1e-5)


def test_zones_and_classes(tmp_path: Path) -> None:
    box = shapely.box(500_000, 5_099_760, 500_055, 5_100_000)  # five and a half columns
    path = tmp_path / "zones.gpkg"
    geometry = np.array(shapely.to_wkb([box]), dtype=object)
    write_vector(
        path, geometry=geometry, field_data=[np.array(["a"])], fields=["name"], crs=UTM, geometry_type="Polygon"
    )
    (row,) = zonal_statistics(scene(tmp_path), Artifact("vector", path=str(path)))
    weights = np.broadcast_to(np.array([1.0] * 5 + [0.5] + [0.0] * 18), (24, 24))
    truth = 10 * np.log10(np.average(10 ** (DB[0] / 10), weights=weights))
    assert (row["mean"], row["sum"], row["name"]) == (pytest.approx(truth, abs=1e-5), None, "a")
    classes = np.repeat([1, 2], 12)[:, np.newaxis].repeat(24, axis=1).astype(np.uint8)
    zones = write(tmp_path / "classes.tif", classes, facts={"quantity": "land_cover_class"})
    rows = zonal_by_raster(scene(tmp_path), zones)
    assert [row["mean"] for row in rows] == pytest.approx([in_power(DB[0][:12]), in_power(DB[0][12:])], abs=1e-5)


def test_composites_and_mosaics(tmp_path: Path) -> None:
    scenes = [scene(tmp_path, n) for n in range(3)]
    temporal_composite(scenes, tmp_path / "mean.tif", "mean")
    np.testing.assert_allclose(read(tmp_path / "mean.tif"), in_power(DB, 0), atol=1e-4)
    temporal_composite(scenes, tmp_path / "median.tif", "median")
    np.testing.assert_allclose(read(tmp_path / "median.tif"), np.median(DB, 0), atol=1e-4)
    for method in ("mean", "feather"):
        mosaic(scenes, tmp_path / f"{method}.tif", method)  # all lie on one ground
        np.testing.assert_allclose(read(tmp_path / f"{method}.tif"), in_power(DB, 0), atol=1e-4)
    departure_from_mean(scenes[0], scenes[1:], tmp_path / "departure.tif")
    np.testing.assert_allclose(read(tmp_path / "departure.tif"), DB[0] - in_power(DB[1:], 0), atol=1e-4)


@pytest.mark.parametrize("stored", ["float32", "int16"])
def test_coarser_pixels(tmp_path: Path, stored: str) -> None:
    levels = DB[0] if stored == "float32" else np.round(DB[0] * 100)
    scale = 1.0 if stored == "float32" else 0.01
    raster = write(tmp_path / "s1.tif", levels.astype(stored), scale=scale, facts=SAID)
    resample(raster, 20.0, tmp_path / "coarse.tif")
    blocks = (levels * scale).reshape(12, 2, 12, 2)
    truth = in_power(blocks, (1, 3))
    np.testing.assert_allclose(read(tmp_path / "coarse.tif") * scale, truth, atol=1e-4 if scale == 1 else 0.006)
    half = write(tmp_path / "like.tif", np.zeros((24, 23), np.float32), transform=Affine(10, 0, 500_005, 0, -10, 5.1e6))
    align_to(raster, half, tmp_path / "aligned.tif")
    truth = in_power([(levels * scale)[:, :-1], (levels * scale)[:, 1:]], 0)
    np.testing.assert_allclose(read(tmp_path / "aligned.tif") * scale, truth, atol=1e-3 if scale == 1 else 0.006)


def test_series_of_numbers() -> None:
    dates = ["2020-01-01", "2020-01-20", "2021-01-01"]
    levels = (-20.0, -10.0, -5.0)
    known = [Artifact("scalar", value=one, facts=Facts.of(Origin.DERIVED, "test", **SAID)) for one in levels]
    assert mean(known) == pytest.approx(in_power(levels))
    assert [row["value"] for row in statistics_by_period(known, dates)] == pytest.approx([in_power(levels[:2]), -5])
    (row,) = average_year(known, dates)
    assert row["value"] == pytest.approx(in_power([in_power(levels[:2]), -5.0]))
    assert mean([-20.0, -10.0]) == -15
