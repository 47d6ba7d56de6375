"""Shares, means and deviations are of the ground, not of pixels: against geodesics, zones of the sphere and numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from affine import Affine
from drawn_rasters import draw
from numpy.typing import NDArray
from pyogrio.raw import write as write_vector
from pyproj import Geod, Transformer
from scipy.stats import spearmanr

from knowflow.model.artifact import Artifact
from knowflow.tools import area, statistics, thresholding
from knowflow.tools.context import running
from knowflow.tools.correlation import correlation
from knowflow.tools.earth_agent.batch import calc_batch_image_mean
from knowflow.tools.kernels.regression import weighted_ranks
from knowflow.tools.zonal import zonal_by_raster, zonal_statistics
from knowflow.tools.zonal_area import area_by_polygon, class_areas_by_polygon

SHAPE = (40, 30)
GRIDS = {
    "degrees": ("EPSG:4326", Affine(0.5, 0, 10, 0, -1.0, 75)),
    "mercator": ("EPSG:3857", Affine(40_000, 0, 1e6, 0, -40_000, 9e6)),
    "polar": ("EPSG:3413", Affine(60_000, 0, -9e5, 0, -60_000, 2.2e6)),
    "turned": ("EPSG:4326", Affine.translation(10, 70) @ Affine.rotation(20) @ Affine.scale(0.5, -0.8)),
}


def _true_areas(crs: str, transform: Affine) -> NDArray[np.float64]:
    """The geodesic area of every pixel, its edges followed in 20 steps."""
    steps = np.linspace(0, 1, 20, endpoint=False)
    across = np.concatenate([steps, np.ones(20), 1 - steps, np.zeros(20)])
    down = np.concatenate([np.zeros(20), steps, np.ones(20), 1 - steps])
    back, geod = Transformer.from_crs(crs, 4326, always_xy=True), Geod(ellps="WGS84")
    found = np.empty(SHAPE)
    for row, column in np.ndindex(*SHAPE):
        x, y = transform @ (column + across, row + down)
        found[row, column] = abs(geod.polygon_area_perimeter(*back.transform(x, y))[0])
    return found


@contextmanager
def _listening() -> Iterator[list[str]]:
    """What is told, by its first words."""
    told: list[str] = []
    with running(on_told=lambda words: told.append(" ".join(words.split()[:3]))):
        yield told


def _scene(dtype: str) -> NDArray[Any]:
    """Numbers that grow from north to south, as temperatures do, with gaps (NaN, or 0)."""
    rng = np.random.default_rng(2)
    values = np.linspace(20, 60, SHAPE[0])[:, None] + rng.normal(0, 8, SHAPE)
    gone = rng.random(SHAPE) < 0.2
    if dtype.startswith("float"):
        return np.where(gone, np.nan, values).astype(dtype)
    return np.where(gone, 0, np.clip(values.round(), 1, 250)).astype(dtype)


def _between_neighbours(found: float, values: NDArray[Any], weights: NDArray[Any], share: float) -> bool:
    """Whether a quantile lies between the values next to the one that numpy steps to."""
    step = np.quantile(values, share, weights=weights, method="inverted_cdf")
    kinds = np.unique(values)
    place = np.searchsorted(kinds, step)
    return bool(kinds[max(place - 1, 0)] <= found <= kinds[min(place + 1, kinds.size - 1)])


@pytest.mark.parametrize("dtype", ["float32", "uint8", "float64"])
@pytest.mark.parametrize("grid", GRIDS)
def test_statistics_weigh_pixels_by_their_true_area(tmp_path: Path, grid: str, dtype: str) -> None:
    crs, transform = GRIDS[grid]
    values, areas = _scene(dtype), _true_areas(crs, transform)
    raster = draw(tmp_path / "a.tif", values, crs=crs, transform=transform, nodata=None if "f" in dtype else 0)
    known = np.isfinite(values) if "f" in dtype else values != 0
    data, weights = values[known].astype(np.float64), areas[known]
    with _listening() as told:
        (row,) = statistics.raster_statistics(raster, (5, 95))
        assert statistics.raster_mean(raster) == pytest.approx(row["mean"], rel=1e-9)
    assert set(told) == {"weighted by the"}
    mean = np.average(data, weights=weights)
    assert row["mean"] == pytest.approx(mean, rel=1e-5)
    assert abs(row["mean"] - data.mean()) > 0.01
    assert row["std"] == pytest.approx(np.sqrt(np.average((data - mean) ** 2, weights=weights)), rel=1e-5)
    assert (row["count"], row["minimum"], row["maximum"]) == (data.size, data.min(), data.max())
    assert row["sum"] == pytest.approx(data.sum(), rel=1e-9)
    for name, share in (("p5", 0.05), ("median", 0.5), ("p95", 0.95)):
        assert _between_neighbours(row[name], data, weights, share)


@pytest.mark.parametrize("grid", GRIDS)
def test_shares_are_those_of_the_area_and_agree_with_it(tmp_path: Path, grid: str) -> None:
    crs, transform = GRIDS[grid]
    values, areas = _scene("float32"), _true_areas(crs, transform)
    classes = np.where(np.isfinite(values), 1 + (values > 45), 0).astype(np.uint8)
    place: dict[str, Any] = {"crs": crs, "transform": transform}
    raster = draw(tmp_path / "a.tif", values, **place)
    mask = draw(tmp_path / "m.tif", np.where(classes == 0, 255, classes == 2).astype(np.uint8), nodata=255, **place)
    labels = draw(tmp_path / "c.tif", classes, nodata=0, **place)
    truth = areas[classes == 2].sum() / areas[classes > 0].sum()
    assert thresholding.threshold_share(raster, 45.0) == pytest.approx(truth, rel=1e-5)
    assert thresholding.threshold_share(raster, 45.0, "below") == pytest.approx(1 - truth, rel=1e-5)
    assert thresholding.mask_share(mask) == pytest.approx(truth, rel=1e-5)
    assert thresholding.class_share(labels, [2]) == pytest.approx(truth, rel=1e-5)
    by_class = area.area_by_class(labels, "m2")
    assert by_class[1]["share"] == pytest.approx(thresholding.class_share(labels, [2]), rel=1e-9)
    assert area.area(mask, "m2") == pytest.approx(areas[classes == 2].sum(), rel=1e-5)
    for row in zonal_by_raster(raster, labels):
        here = classes == row["class"]
        mean = np.average(values[here].astype(float), weights=areas[here])
        assert row["mean"] == pytest.approx(mean, rel=1e-5)
        spread = np.average((values[here].astype(float) - mean) ** 2, weights=areas[here])
        assert row["std"] == pytest.approx(np.sqrt(spread), rel=1e-5)
        assert row["count"] == here.sum()


@pytest.mark.parametrize("grid", ["degrees", "mercator"])
def test_statistics_by_polygon_weigh_what_is_covered_of_the_true_area(tmp_path: Path, grid: str) -> None:
    crs, transform = GRIDS[grid]
    values, areas = _scene("float64"), _true_areas(crs, transform)
    west, north = transform @ (2.5, 3)
    east, south = transform @ (20, 37.25)
    path = tmp_path / "z.gpkg"
    polygon = np.array(shapely.to_wkb([shapely.box(west, south, east, north)]), dtype=object)
    write_vector(path, polygon, [np.array(["a"])], ["name"], crs=crs, geometry_type="Polygon", driver="GPKG")
    covered = np.zeros(SHAPE)
    covered[3:37, 2:20] = 1
    covered[37] = np.where(covered[36] > 0, 0.25, 0)
    covered[:, 2] /= 2
    weights = np.where(np.isfinite(values), covered * areas, 0.0)
    data = np.nan_to_num(values)
    raster = draw(tmp_path / "a.tif", values, crs=crs, transform=transform)
    (row,) = zonal_statistics(raster, Artifact("vector", path=str(path)))
    mean = np.average(data, weights=weights)
    assert row["mean"] == pytest.approx(mean, rel=1e-5)
    assert row["std"] == pytest.approx(np.sqrt(np.average((data - mean) ** 2, weights=weights)), rel=1e-5)
    assert row["count"] == pytest.approx(covered[np.isfinite(values)].sum(), rel=1e-6)
    assert row["sum"] == pytest.approx((covered * data).sum(), rel=1e-6)
    assert _between_neighbours(row["median"], data[weights > 0], weights[weights > 0], 0.5)


@pytest.mark.parametrize("grid", GRIDS)
def test_correlation_over_space_weighs_pixels_by_their_true_area(tmp_path: Path, grid: str) -> None:
    crs, transform = GRIDS[grid]
    x, areas = _scene("float64"), _true_areas(crs, transform)
    y = np.where(np.arange(SHAPE[0])[:, None] < 20, x, -x) + np.random.default_rng(9).normal(0, 5, SHAPE)
    a = draw(tmp_path / "a.tif", x, crs=crs, transform=transform)
    b = draw(tmp_path / "b.tif", y, crs=crs, transform=transform)
    both = np.isfinite(x)
    moments = np.cov(x[both], y[both], aweights=areas[both], ddof=0)
    truth = moments[0, 1] / np.sqrt(moments[0, 0] * moments[1, 1])
    assert correlation(a, b) == pytest.approx(truth, abs=1e-5)
    repeated = np.maximum((areas[both] / areas[both].min() * 200).round().astype(int), 1)
    rho = spearmanr(np.repeat(x[both], repeated), np.repeat(y[both], repeated)).statistic
    assert correlation(a, b, "spearman") == pytest.approx(rho, abs=5e-3)


def test_ranks_by_weight_are_those_of_values_that_are_repeated() -> None:
    rng = np.random.default_rng(0)
    x, y, times = rng.integers(0, 9, 60) * 1.0, rng.normal(size=60), rng.integers(1, 7, 60)
    moments = np.cov(weighted_ranks(x, times * 1.0), weighted_ranks(y, times * 1.0), fweights=times)
    truth = spearmanr(np.repeat(x, times), np.repeat(y, times)).statistic
    assert moments[0, 1] / np.sqrt(moments[0, 0] * moments[1, 1]) == pytest.approx(truth, rel=1e-9)


def _globe(tmp_path: Path, name: str, crs: str, transform: Affine, shape: tuple[int, int]) -> Artifact:
    """Temperature over the globe, 240 K at the poles and 300 K at the equator: 240 + 60 cos(latitude)."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]] + 0.5
    back = Transformer.from_crs(crs, 4326, always_xy=True)
    latitude = np.array(back.transform(*(transform @ (columns, rows)))[1])
    latitude[np.isinf(latitude)] = np.nan
    values = 240 + 60 * np.cos(np.radians(latitude))
    return draw(tmp_path / name, values.astype(np.float32), crs=crs, transform=transform, unit="K")


# above 290 K: where cos(latitude) > 5/6, the zone of the sphere up to 33.557 degrees, whose sine is its share
ABOVE_290 = np.sin(np.arccos(5 / 6))
MEAN = 240 + 60 * np.pi / 4  # the mean of cos over the sphere


@pytest.mark.parametrize(
    ("crs", "transform", "shape"),
    [
        ("EPSG:4326", Affine(0.5, 0, -180, 0, -0.5, 90), (360, 720)),
        ("EPSG:4326", Affine(0.25, 0, -0.125, 0, -0.25, 90.125), (721, 40)),  # rows centred at the poles
        ("EPSG:6933", Affine(36_032.22, 0, -17_367_530.45, 0, -36_032.22, 7_314_540.83), (406, 964)),
        ("ESRI:54009", Affine(50_000, 0, -18_000_000, 0, -50_000, 9_000_000), (360, 720)),
    ],
)
def test_the_share_and_the_mean_of_the_globe_do_not_depend_on_its_map(
    tmp_path: Path, crs: str, transform: Affine, shape: tuple[int, int]
) -> None:
    raster = _globe(tmp_path, "t.tif", crs, transform, shape)
    # the sphere stands for the ellipsoid (0.3 %), pixels of half a degree for zones, and 6933 ends at 85 degrees
    assert thresholding.threshold_share(raster, 290.0) == pytest.approx(ABOVE_290, abs=5e-3)
    assert statistics.raster_mean(raster) == pytest.approx(MEAN, abs=0.2)
    assert statistics.raster_statistic(raster, "median") == pytest.approx(240 + 60 * np.cos(np.arcsin(0.5)), abs=0.2)


@pytest.mark.parametrize(
    ("crs", "transform"),
    [
        ("EPSG:32633", Affine(10, 0, 500_000, 0, -10, 5_100_000)),
        ("EPSG:3035", Affine(1000, 0, 4_000_000, 0, -1000, 3_000_000)),
        (None, Affine(10, 0, 500_000, 0, -10, 5_100_000)),
        ("EPSG:4326", Affine(1e-6, 0, 14, 0, -1e-6, 46)),
    ],
)
def test_pixels_that_are_alike_count_alike_and_nothing_is_told(
    tmp_path: Path, crs: str | None, transform: Affine
) -> None:
    values = _scene("float32")
    raster = draw(tmp_path / "a.tif", values, crs=crs, transform=transform)
    data = values[np.isfinite(values)].astype(np.float64)
    with _listening() as told:
        (row,) = statistics.raster_statistics(raster)
        assert thresholding.threshold_share(raster, 45.0) == np.mean(data > 45)
    assert set(told) <= {"the share is"}  # of nine tenths of the pixels
    assert (row["mean"], row["median"]) == (pytest.approx(data.mean(), rel=1e-12), np.median(data))


def test_every_scene_of_a_batch_tells_that_it_is_weighted(tmp_path: Path) -> None:
    crs, transform = GRIDS["degrees"]
    scenes = [
        draw(tmp_path / f"{n}.tif", _scene("float32") + n, crs=crs, transform=transform, datetime=f"2020-0{n}-01")
        for n in (1, 2)
    ]
    with _listening() as told:
        rows = statistics.batch_statistics(scenes)
    assert rows[1]["mean"] - rows[0]["mean"] == pytest.approx(1.0, abs=1e-5)
    assert told.count("weighted by the") == 2


@pytest.mark.parametrize(
    ("known", "told"), [(1.0, False), (0.96, False), (0.9, True)], ids=["all", "nearly all", "some"]
)
def test_a_sum_or_an_area_of_fewer_pixels_is_told_to_be_of_what_was_seen(
    tmp_path: Path, known: float, told: bool
) -> None:
    values = np.ones(1000, dtype=np.uint8)
    values[: round(1000 * (1 - known))] = 255
    mask = draw(tmp_path / "m.tif", values.reshape(25, 40), nodata=255, quantity="mask")
    calls: list[Callable[[], object]] = [
        lambda: statistics.raster_statistic(mask, "sum"),
        lambda: area.area(mask),
        lambda: area.area_by_class(mask),
    ]
    for call in calls:
        with _listening() as heard:
            call()
        assert bool(heard) == told
    with _listening() as heard:
        statistics.raster_mean(mask)
    assert heard == []


def test_what_counts_each_pixel_once_says_so_where_they_differ(tmp_path: Path) -> None:
    crs, transform = GRIDS["degrees"]
    values = _scene("float32")
    raster = draw(tmp_path / "a.tif", values, crs=crs, transform=transform)
    calls: dict[str, Callable[[], object]] = {
        "sum": lambda: statistics.raster_statistic(raster, "sum"),
        "count": lambda: statistics.count_valid(raster),
        "published": lambda: calc_batch_image_mean([raster]),
        "maximum": lambda: statistics.raster_statistic(raster, "maximum"),
    }
    told = {}
    for name, call in calls.items():
        with _listening() as heard:
            call()
        told[name] = [words for words in heard if "of the pixels" in words]
    assert told == {
        "sum": ["of the pixels,"],
        "count": ["of the pixels,"],
        "published": ["of the pixels,"],
        "maximum": [],
    }
    assert statistics.raster_statistic(raster, "sum") == pytest.approx(np.nansum(values.astype(np.float64)), rel=1e-9)


def test_sums_and_areas_by_polygon_tell_how_many_are_of_what_was_seen(tmp_path: Path) -> None:
    place = Affine(10, 0, 500_000, 0, -10, 5_100_000)
    values = np.ones((20, 20), dtype=np.uint8)
    values[:, :10][::2] = 255
    mask = draw(tmp_path / "m.tif", values, transform=place, nodata=255, quantity="mask")
    boxes = [shapely.box(500_010 + west, 5_099_850, 500_080 + west, 5_099_950) for west in (0, 100)]
    path = tmp_path / "z.gpkg"
    polygons = np.array(shapely.to_wkb(boxes), dtype=object)
    names = [np.array(["a", "b"])]
    write_vector(path, polygons, names, ["name"], crs="EPSG:32633", geometry_type="Polygon", driver="GPKG")
    zones = Artifact("vector", path=str(path))
    calls: list[Callable[[], object]] = [
        lambda: zonal_statistics(mask, zones, ("sum",)),
        lambda: area_by_polygon(mask, zones),
        lambda: class_areas_by_polygon(mask, zones),
    ]
    for call in calls:
        heard: list[str] = []
        with running(on_told=heard.append):
            call()
        assert len(heard) == 1
        assert "of 1 of 2 polygons" in heard[0]
    with _listening() as silence:
        zonal_statistics(mask, zones, ("mean",))
    assert silence == []
