"""The vector tools of GDAL that have conditions of ours, against shapely, pyproj, scipy and plain SQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pyproj
import pytest
import rasterio
import shapely
from gdal_scenes import GRID, NORTH, PIXEL, UTM, WEST, call, dem, read, schema_of
from numpy.typing import NDArray
from scipy.interpolate import LinearNDInterpolator
from scipy.spatial import cKDTree

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin


def vector(path: Path, shapes: list[Any], crs: str = UTM, **columns: list[Any]) -> Artifact:
    fields = {"value": list(range(len(shapes))), **columns}
    pyogrio.raw.write(
        path,
        np.array([shapely.to_wkb(shape) for shape in shapes], dtype=object),
        [np.array(column) for column in fields.values()],
        fields=list(fields),
        layer=path.stem,
        crs=crs,
        geometry_type=shapes[0].geom_type,
    )
    return Artifact("vector", path=str(path), facts=Facts.of(Origin.MEASURED, crs=crs))


def features(path: Path) -> tuple[list[Any], dict[str, list[Any]]]:
    meta, _, geometry, columns = pyogrio.raw.read(path)
    table = {name: list(column) for name, column in zip(meta["fields"], columns, strict=True)}
    return list(shapely.from_wkb(geometry)), table


def box(left: float, bottom: float, right: float, top: float) -> Any:
    return shapely.box(WEST + left, NORTH + bottom, WEST + right, NORTH + top)


def _same(found: Any, expected: Any) -> None:
    assert found.symmetric_difference(expected).area == pytest.approx(0, abs=1e-6)


SQUARES = [box(0, 0, 100, 100), box(200, 0, 300, 100), box(80, 80, 120, 120)]


@pytest.mark.parametrize("distance", [25.0, -10.0])
def test_a_buffer_is_that_of_geos(tmp_path: Path, distance: float) -> None:
    call(
        schema_of("gdal_vector_buffer"),
        tmp_path / "out.gpkg",
        input=vector(tmp_path / "in.gpkg", SQUARES),
        distance=distance,
    )
    found, table = features(tmp_path / "out.gpkg")
    assert table["value"] == [0, 1, 2]
    for one, square in zip(found, SQUARES, strict=True):
        _same(one, square.buffer(distance, quad_segs=8))


def test_features_are_cut_by_a_box_and_by_other_features(tmp_path: Path) -> None:
    source, cutter = vector(tmp_path / "in.gpkg", SQUARES), box(50, 50, 250, 90)
    like = vector(tmp_path / "like.gpkg", [cutter])
    for name, arguments in (("box", {"bbox": list(cutter.bounds)}), ("like", {"like": like})):
        call(schema_of("gdal_vector_clip"), tmp_path / f"{name}.gpkg", input=source, **arguments)
        found, table = features(tmp_path / f"{name}.gpkg")
        assert table["value"] == [0, 1, 2]
        for one, square in zip(found, SQUARES, strict=True):
            _same(one, square.intersection(cutter))


def test_sql_selects_what_it_says(tmp_path: Path) -> None:
    statement = "SELECT value, value * 2 AS twice FROM 'in' WHERE value >= 1 ORDER BY value DESC"
    call(
        schema_of("gdal_vector_sql"), tmp_path / "out.gpkg", input=vector(tmp_path / "in.gpkg", SQUARES), sql=statement
    )
    assert pyogrio.raw.read(tmp_path / "out.gpkg")[3][1].tolist() == [4, 2]


def test_reprojected_features_are_where_pyproj_puts_them(tmp_path: Path) -> None:
    points = [shapely.Point(WEST + 10 * n, NORTH + n * n) for n in range(20)]
    call(
        schema_of("gdal_vector_reproject"),
        tmp_path / "out.gpkg",
        input=vector(tmp_path / "in.gpkg", points),
        dst_crs="EPSG:4326",
    )
    found, _ = features(tmp_path / "out.gpkg")
    expected = pyproj.Transformer.from_crs(UTM, "EPSG:4326", always_xy=True).transform(
        *shapely.get_coordinates(points).T
    )
    np.testing.assert_allclose(shapely.get_coordinates(found).T, expected, atol=1e-9)
    assert pyogrio.read_info(tmp_path / "out.gpkg")["crs"] == "EPSG:4326"


def test_features_are_kept_by_condition_and_by_place(tmp_path: Path) -> None:
    source = vector(tmp_path / "in.gpkg", SQUARES)
    call(schema_of("gdal_vector_filter"), tmp_path / "where.gpkg", input=source, where="value <> 1")
    assert features(tmp_path / "where.gpkg")[1]["value"] == [0, 2]
    call(schema_of("gdal_vector_filter"), tmp_path / "bbox.gpkg", input=source, bbox=list(box(150, 0, 400, 50).bounds))
    found, table = features(tmp_path / "bbox.gpkg")
    assert table["value"] == [1]
    _same(found[0], SQUARES[1])


def test_simplified_outlines_are_those_of_geos(tmp_path: Path) -> None:
    angles = np.linspace(0, 2 * np.pi, 200)
    ring = shapely.Polygon(np.c_[WEST + 500 + 300 * np.cos(angles), NORTH + 300 * np.sin(angles)])
    call(
        schema_of("gdal_vector_simplify"),
        tmp_path / "out.gpkg",
        input=vector(tmp_path / "in.gpkg", [ring]),
        tolerance=10,
    )
    (found,), _ = features(tmp_path / "out.gpkg")
    assert len(found.exterior.coords) < 30
    _same(found, shapely.simplify(ring, 10))


@pytest.mark.parametrize("method", ["linework", "structure"])
def test_a_bow_tie_becomes_valid_as_geos_makes_it(tmp_path: Path, method: str) -> None:
    tie = shapely.Polygon([(WEST, NORTH), (WEST + 100, NORTH + 100), (WEST + 100, NORTH), (WEST, NORTH + 100)])
    call(
        schema_of("gdal_vector_make_valid"),
        tmp_path / "out.gpkg",
        input=vector(tmp_path / "in.gpkg", [tie]),
        method=method,
    )
    (found,), _ = features(tmp_path / "out.gpkg")
    assert found.is_valid
    _same(found, shapely.make_valid(tie, method=method))


def test_no_piece_of_an_outline_is_longer_than_asked_for(tmp_path: Path) -> None:
    call(
        schema_of("gdal_vector_segmentize"),
        tmp_path / "out.gpkg",
        input=vector(tmp_path / "in.gpkg", SQUARES),
        max_length=30,
    )
    found, _ = features(tmp_path / "out.gpkg")
    for one, square in zip(found, SQUARES, strict=True):
        _same(one, square)
        corners = shapely.get_coordinates(one)
        assert np.hypot(*np.diff(corners, axis=0).T).max() <= 30
        assert len(corners) == len(shapely.get_coordinates(shapely.segmentize(square, 30)))


FIRST, SECOND = [box(0, 0, 100, 100), box(200, 0, 300, 100)], [box(50, 50, 250, 150)]
OVERLAYS = {
    "vector_intersection": lambda a, b: a.intersection(b),
    "vector_union": lambda a, b: a.union(b),
    "vector_difference": lambda a, b: a.difference(b),
    "vector_symmetric_difference": lambda a, b: a.symmetric_difference(b),
    "vector_identity": lambda a, _: a,
    "vector_update": lambda a, b: a.union(b),
}


@pytest.mark.parametrize("tool", list(OVERLAYS))
def test_overlays_cover_what_set_theory_says_and_nothing_twice(tmp_path: Path, tool: str) -> None:
    first, second = vector(tmp_path / "a.gpkg", FIRST), vector(tmp_path / "b.gpkg", SECOND)
    call(schema_of(tool), tmp_path / "out.gpkg", input=first, method=second)
    found, _ = features(tmp_path / "out.gpkg")
    expected = OVERLAYS[tool](shapely.union_all(FIRST), shapely.union_all(SECOND))
    _same(shapely.union_all(found), expected)
    assert sum(one.area for one in found) == pytest.approx(expected.area)


def test_columns_become_points(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("name,east,north\na,500010,5100000\nb,500020.5,5100007\n")
    table = Artifact("table", path=str(tmp_path / "in.csv"))
    call(schema_of("gdal_vector_make_point"), tmp_path / "out.gpkg", input=table, x="east", y="north", dst_crs=UTM)
    found, columns = features(tmp_path / "out.gpkg")
    assert [(one.x, one.y) for one in found] == [(500010, 5100000), (500020.5, 5100007)]
    assert columns["name"] == ["a", "b"]
    assert pyogrio.read_info(tmp_path / "out.gpkg")["crs"] == UTM


ROWS, COLUMNS = 30, 40


@pytest.fixture
def stations(tmp_path: Path) -> tuple[Artifact, NDArray[np.float64], NDArray[np.float64]]:
    """Points with numbers: the file, (n, 2) coordinates, (n,) numbers."""
    rng = np.random.default_rng(5)
    places = np.c_[WEST + PIXEL * rng.uniform(0, COLUMNS, 60), NORTH - PIXEL * rng.uniform(0, ROWS, 60)]
    numbers = 10 + (places[:, 0] - WEST) / 40 + 5 * np.sin((places[:, 1] - NORTH) / 50)
    points = [shapely.Point(place) for place in places]
    return vector(tmp_path / "stations.gpkg", points, number=list(numbers)), places, numbers


def _centres() -> NDArray[np.float64]:
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS] + 0.5
    return np.stack([WEST + PIXEL * columns, NORTH - PIXEL * rows], axis=-1).reshape(-1, 2)


def _surface(tool: str, path: Path, stations: Any, **arguments: Any) -> NDArray[np.float64]:
    like = dem(path.with_name("like.tif"), np.zeros((ROWS, COLUMNS), np.float32))
    call(schema_of(tool), path, input=stations[0], like=like, zfield="number", **arguments)
    with rasterio.open(path) as dataset:
        assert (dataset.transform, dataset.crs.to_epsg()) == (GRID, 32633)
    return read(path).astype(np.float64).ravel()


def test_a_surface_of_nearest_points_is_that_of_a_tree(tmp_path: Path, stations: Any) -> None:
    found = _surface("interpolate_nearest", tmp_path / "out.tif", stations)
    distances, nearest = cKDTree(stations[1]).query(_centres(), k=2)
    clear = distances[:, 1] - distances[:, 0] > 1e-6
    np.testing.assert_allclose(found[clear], stations[2][nearest[clear, 0]], rtol=1e-6)
    near = _surface("interpolate_nearest", tmp_path / "near.tif", stations, radius=30)
    np.testing.assert_array_equal(np.isnan(near), distances[:, 0] > 30)


def test_a_surface_weighted_by_distance_is_that_of_shepard(tmp_path: Path, stations: Any) -> None:
    found = _surface("interpolate_inverse_distance", tmp_path / "out.tif", stations, power=3)
    distances = np.linalg.norm(_centres()[:, None] - stations[1], axis=-1)
    np.testing.assert_allclose(found, (stations[2] / distances**3).sum(1) / (1 / distances**3).sum(1), rtol=1e-5)


def test_a_surface_of_triangles_is_that_of_scipy(tmp_path: Path, stations: Any) -> None:
    found = _surface("interpolate_linear", tmp_path / "out.tif", stations)
    expected = LinearNDInterpolator(stations[1], stations[2])(_centres())
    inside = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), inside)
    np.testing.assert_allclose(found[inside], expected[inside], rtol=1e-5)
