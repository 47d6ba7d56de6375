"""Zonal statistics: areas of overlap against shapely, classes against numpy."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine
from drawn_rasters import UTM, draw, noise
from hypothesis import given, settings
from hypothesis import strategies as st
from pyogrio.raw import write
from pyproj import Transformer

from knowflow.ground.errors import DataNotFoundError, MissingFactError, ToolError, UnreadableDataError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.zonal import zonal_by_raster, zonal_statistics

POLYGONS = [
    shapely.Polygon([(500_012, 5_099_987), (500_133, 5_099_931), (500_071, 5_099_803)]),
    shapely.box(500_150, 5_099_850, 500_170, 5_099_870),
    shapely.box(600_000, 5_099_850, 600_010, 5_099_870),
]

PLACES = st.integers(-15, 210).map(lambda step: step / 2 + 0.1)


def _zones(path: Path, geometries=POLYGONS, crs: str | None = "EPSG:32633") -> Artifact:
    write(
        path,
        geometry=np.array(shapely.to_wkb(geometries), dtype=object),
        field_data=[np.array([f"zone {i}" for i in range(len(geometries))])],
        fields=["name"],
        crs=crs,
        geometry_type="Unknown",
        driver="GPKG",
    )
    return Artifact("vector", path=str(path))


def _overlaps(polygon: shapely.Polygon, shape: tuple[int, int]) -> np.ndarray:
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    west, north = UTM.c + columns * 10, UTM.f - rows * 10
    return shapely.area(shapely.intersection(shapely.box(west, north - 10, west + 10, north), polygon)) / 100


@pytest.mark.parametrize(("across", "down"), [(1, -1), (-1, 1), (-1, -1)])
def test_rasters_from_south_to_north_or_east_to_west_give_the_same(tmp_path: Path, across: int, down: int) -> None:
    values = noise((20, 20), seed=2)
    zones = _zones(tmp_path / "z.gpkg")
    expected = zonal_statistics(draw(tmp_path / "v.tif", values), zones)
    corner = UTM.c + (200 if across < 0 else 0), UTM.f - (200 if down < 0 else 0)
    turned = Affine(10 * across, 0, corner[0], 0, -10 * down, corner[1])
    raster = draw(tmp_path / "t.tif", values[::down, ::across], transform=turned)
    assert zonal_statistics(raster, zones) == expected


def test_statistics_weigh_pixels_by_the_share_a_zone_covers(tmp_path: Path) -> None:
    values = noise((20, 20), seed=2)
    raster = draw(tmp_path / "v.tif", values)
    rows = zonal_statistics(raster, _zones(tmp_path / "z.gpkg"))
    assert [row["name"] for row in rows] == ["zone 0", "zone 1", "zone 2"]
    for row, polygon in zip(rows[:2], POLYGONS, strict=False):
        share = np.where(np.isfinite(values), _overlaps(polygon, values.shape), 0)
        data = np.where(np.isfinite(values), values, 0).astype(float)
        mean = (share * data).sum() / share.sum()
        assert row["count"] == pytest.approx(share.sum(), rel=1e-5)
        assert row["mean"] == pytest.approx(mean, rel=1e-5)
        assert row["sum"] == pytest.approx((share * data).sum(), rel=1e-5)
        assert row["std"] == pytest.approx(np.sqrt((share * (data - mean) ** 2).sum() / share.sum()), rel=1e-5)
        assert row["maximum"] == pytest.approx(values[(share > 0)].max())
    assert rows[2]["count"] == 0
    assert [rows[2][name] for name in ("mean", "std", "minimum", "maximum", "median", "sum")] == [None] * 6


def test_zones_in_degrees_are_brought_to_the_raster(tmp_path: Path) -> None:
    raster = draw(tmp_path / "v.tif", noise((20, 20), seed=2))
    expected = zonal_statistics(raster, _zones(tmp_path / "z.gpkg"), ("mean",))[0]
    to_degrees = Transformer.from_crs(32633, 4326, always_xy=True)
    turned = shapely.transform(POLYGONS[0], lambda xy: np.column_stack(to_degrees.transform(xy[:, 0], xy[:, 1])))
    found = zonal_statistics(raster, _zones(tmp_path / "d.gpkg", [turned], "EPSG:4326"), ("mean",))[0]
    # straight edges in degrees are not quite straight in metres
    assert found["mean"] == pytest.approx(expected["mean"], rel=1e-5)
    assert found["count"] == pytest.approx(expected["count"], rel=1e-4)


def test_an_assumed_crs_overrides_that_of_the_zones_and_none_is_refused(tmp_path: Path) -> None:
    raster = draw(tmp_path / "v.tif", noise((20, 20), seed=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zones = _zones(tmp_path / "z.gpkg", crs=None)
    with pytest.raises(MissingFactError, match="CRS of the zones"):
        zonal_statistics(raster, zones)
    assumed = zones.with_facts(Facts.of(Origin.USER, crs="EPSG:32633"))
    assert zonal_statistics(raster, assumed, ("mean",))[1]["count"] > 0


def test_what_is_not_polygons_or_not_a_statistic_is_refused(tmp_path: Path) -> None:
    raster = draw(tmp_path / "v.tif", noise((20, 20)))
    with pytest.raises(ToolError, match="not polygons"):
        zonal_statistics(raster, _zones(tmp_path / "p.gpkg", [shapely.LineString([(1, 2), (3, 4)])]))
    with pytest.raises(ToolError, match="unknown statistics"):
        zonal_statistics(raster, _zones(tmp_path / "z.gpkg"), ("mode",))
    (tmp_path / "broken.gpkg").write_bytes(b"not a geopackage")
    with pytest.raises(DataNotFoundError):
        zonal_statistics(raster, Artifact("vector", path=str(tmp_path / "none.gpkg")))
    with pytest.raises(UnreadableDataError):
        zonal_statistics(raster, Artifact("vector", path=str(tmp_path / "broken.gpkg")))


def test_a_polygon_that_crosses_itself_is_mended(tmp_path: Path) -> None:
    raster = draw(tmp_path / "v.tif", np.ones((20, 20), np.float32))
    bow = shapely.Polygon([(500_000, 5_100_000), (500_100, 5_099_900), (500_100, 5_100_000), (500_000, 5_099_900)])
    (row,) = zonal_statistics(raster, _zones(tmp_path / "z.gpkg", [bow]), ("mean",))
    assert row["count"] == pytest.approx(50.0)


def test_statistics_by_class_equal_numpy(tmp_path: Path) -> None:
    values = noise((700, 2300), seed=5)
    classes = np.random.default_rng(5).choice([0, 2, 4, 7], values.shape).astype(np.uint8)
    raster = draw(tmp_path / "v.tif", values)
    zones = draw(tmp_path / "c.tif", classes, nodata=0, quantity="scene_classification")
    rows = zonal_by_raster(raster, zones)
    assert [(row["class"], row["name"]) for row in rows] == [
        (2, "dark_area"),
        (4, "vegetation"),
        (7, "unclassified"),
    ]
    for row in rows:
        members = values[(classes == row["class"]) & np.isfinite(values)].astype(np.float64)
        assert row["count"] == members.size
        found = (row["mean"], row["std"], row["minimum"], row["maximum"], row["sum"])
        assert found == pytest.approx((members.mean(), members.std(), members.min(), members.max(), members.sum()))


def test_land_use_polygons_of_real_data(tmp_path: Path, slovenia: Path) -> None:
    ndvi = Artifact("raster", path=str(slovenia / "ndvi" / "NDVI_2016-08-04T100613.tif"))
    rows = zonal_statistics(ndvi, Artifact("vector", path=str(slovenia / "lulc.gpkg")), ("mean",))
    assert len(rows) == 88
    means = [row["mean"] for row in rows if row["mean"] is not None]
    assert means
    assert all(-1 <= mean <= 1 for mean in means)


def test_rows_from_south_to_north_are_the_same_ground(tmp_path: Path) -> None:
    """The same pixels in the other order of rows, in windows that are no multiple of the raster."""
    pixels = np.arange(35.0, dtype="float32").reshape(7, 5)
    zones = _zones(tmp_path / "zones.gpkg", [shapely.box(500_000, 5_099_950, 500_033, 5_100_000)])
    found = []
    for name, stored, step, top in (("north", pixels, -10, 5_100_000), ("south", pixels[::-1], 10, 5_099_930)):
        path = tmp_path / f"{name}.tif"
        transform = rasterio.transform.Affine(10, 0, 500_000, 0, step, top)
        profile = {"driver": "GTiff", "count": 1, "height": 7, "width": 5, "dtype": "float32", "crs": "EPSG:32633"}
        with rasterio.open(path, "w", transform=transform, **profile) as file:
            file.write(stored, 1)
        (row,) = zonal_statistics(Artifact("raster", Facts(), path=str(path)), zones, ["mean", "maximum"])
        found.append(row)
    weights = np.outer(np.ones(5), [1, 1, 1, 0.3, 0])
    assert found[0]["mean"] == pytest.approx((pixels[:5] * weights).sum() / weights.sum())
    assert found[1] == found[0]


@settings(max_examples=30)
@given(st.lists(st.tuples(PLACES, PLACES), min_size=1, max_size=6))
def test_a_point_is_the_pixel_that_it_lies_in(
    tmp_path_factory: pytest.TempPathFactory, places: list[tuple[float, float]]
) -> None:
    folder = tmp_path_factory.mktemp("points")
    values = np.arange(80, dtype=np.float32).reshape(8, 10)
    raster = draw(folder / "a.tif", values, quantity="elevation", unit="m")
    with rasterio.open(str(raster.path)) as source:
        west, north, truth = source.transform.c, source.transform.f, []
        points = [shapely.Point(west + x, north - y) for x, y in places]
        for x, y in places:
            inside = 0 <= x < 100 and 0 <= y < 80
            truth.append(float(next(source.sample([(west + x, north - y)]))[0]) if inside else None)
    zones = _zones(folder / "p.gpkg", points)
    rows = zonal_statistics(raster, zones, ["mean", "maximum"])
    assert [row["mean"] for row in rows] == [None if one is None else pytest.approx(one) for one in truth]
    assert [row["maximum"] for row in rows] == truth
