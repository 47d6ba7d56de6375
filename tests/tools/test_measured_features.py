"""Features of vector files measured: against what is worked out on a plane, and what is refused."""

from __future__ import annotations

from math import hypot, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
import shapely
from affine import Affine
from pyproj import Geod, Transformer
from shapely import affinity

from knowflow.ground.errors import ToolError
from knowflow.ground.vectors import write
from knowflow.model.artifact import Artifact
from knowflow.reason.inventory import read_artifact
from knowflow.tools.chosen_features import features_that_hold, features_told_of, features_with_most
from knowflow.tools.measured_features import (
    distance_to_features,
    feature_count,
    feature_numbers,
    features_where,
    features_with,
    features_within,
    number_of_list,
    outlines_of_features,
)
from knowflow.tools.zonal import read_features

WEST, NORTH, CRS = 680_000.0, 5_100_000.0, "EPSG:32633"  # where metres of the map are those of the ground


def layer(path: Path, shapes: dict[str, shapely.Geometry], crs: str = CRS, **numbers: list[float | None]) -> Artifact:
    placed = [affinity.translate(one, WEST, NORTH) for one in shapes.values()]
    columns = [np.array(list(shapes), dtype=object), *(np.array(one, dtype=np.float64) for one in numbers.values())]
    kinds = {one.geom_type for one in placed}
    write(
        path,
        geometry=np.array(shapely.to_wkb(placed), dtype=object),
        field_data=columns,
        fields=["name", *numbers],
        crs=crs,
        geometry_type=kinds.pop() if len(kinds) == 1 else "Unknown",
        driver="GPKG",
    )
    return read_artifact(path)


@pytest.fixture
def posts(tmp_path: Path) -> Artifact:
    return layer(
        tmp_path / "posts.gpkg", {"a": shapely.Point(10, 10), "b": shapely.Point(130, 60)}, beds=[4.0, float("nan")]
    )


@pytest.fixture
def plots(tmp_path: Path) -> Artifact:
    holed = shapely.Polygon(shapely.box(0, 0, 100, 100).exterior.coords, [shapely.box(40, 40, 60, 60).exterior.coords])
    return layer(tmp_path / "plots.gpkg", {"holed": holed, "small": shapely.box(200, 0, 230, 40)})


@pytest.fixture
def road(tmp_path: Path) -> Artifact:
    return layer(tmp_path / "road.gpkg", {"main": shapely.LineString([(-50, 20), (250, 20)])})


def test_areas_lengths_and_outlines(plots: Artifact, road: Artifact, tmp_path: Path) -> None:
    keys = ["holed", "small"]
    assert feature_numbers(plots, "area", keys, "name", unit="m2") == pytest.approx([9600.0, 1200.0], rel=2e-4)
    assert feature_numbers(plots, "area", ["1", "2"], unit="ha") == pytest.approx([0.96, 0.12], rel=2e-4)
    assert feature_numbers(road, "length", ["main"], "name", unit="km") == pytest.approx([0.3], rel=2e-4)
    outlines_of_features(plots, tmp_path / "edges.gpkg")
    edges = read_artifact(tmp_path / "edges.gpkg")
    assert feature_numbers(edges, "length", keys, "name") == pytest.approx([480.0, 140.0], rel=2e-4)
    assert number_of_list([1.5, None], 0) == 1.5
    assert isnan(number_of_list([1.5, None], 1))


def test_what_lies_in_polygons_keeps_its_place(
    posts: Artifact, plots: Artifact, road: Artifact, tmp_path: Path
) -> None:
    features_within(road, plots, tmp_path / "in.gpkg")
    inside = read_artifact(tmp_path / "in.gpkg")
    assert feature_numbers(inside, "length", ["main"], "name") == pytest.approx([130.0], rel=2e-4)
    features_within(posts, plots, tmp_path / "posts_in.gpkg", zones_names=["holed"])
    left = read_artifact(tmp_path / "posts_in.gpkg")
    assert (feature_count(posts), feature_count(posts, ["a"]), feature_count(left)) == (2, 1, 1)
    features_within(road, plots, tmp_path / "out.gpkg", outside=True)
    beyond = read_artifact(tmp_path / "out.gpkg")
    assert feature_numbers(beyond, "length", ["main"], "name") == pytest.approx([170.0], rel=2e-4)
    beds = feature_numbers(left, "attribute", ["a", "b"], "name", attribute="beds", unit="1")
    assert beds[0] == 4.0
    assert isnan(beds[1])
    there, absent = feature_numbers(inside, "length", ["main", "other"], "name")
    assert (there, isnan(absent)) == (pytest.approx(130.0, rel=2e-4), True)


def test_features_are_chosen_by_an_attribute(posts: Artifact, tmp_path: Path) -> None:
    def names(**told: Any) -> list[str]:
        features_with(posts, output=tmp_path / "so.gpkg", **told)
        return [str(one) for one in read_features(read_artifact(tmp_path / "so.gpkg")).fields["name"]]

    assert names(attribute="name", values=["b"]) == ["b"]
    assert names(attribute="beds", side="above", limit=3) == ["a"]  # of the other the file tells none
    assert names(attribute="beds", side="between", limit=4, upper=5) == ["a"]
    assert names(attribute="beds", side="below", limit=4) == []
    with pytest.raises(ToolError, match="there is no attribute 'rooms'"):
        names(attribute="rooms", values=["b"])


def test_features_are_chosen_by_what_is_worked_out(posts: Artifact, plots: Artifact, tmp_path: Path) -> None:
    def names(of: Artifact, **told: Any) -> list[str]:
        features_with_most(of, output=tmp_path / "most.gpkg", **told)
        return [str(one) for one in read_features(read_artifact(tmp_path / "most.gpkg")).fields["name"]]

    of = {"keys": ["b", "a"], "attribute": "name"}
    assert (names(posts, values=[1.0, 2.0], **of), names(posts, values=[None, 2.0], **of)) == (["a"], ["a"])
    assert names(posts, values=[1.0, 2.0], side="lowest", **of) == ["b"]
    assert names(posts, values=[2.0, 2.0], **of) == ["a", "b"]  # as much
    assert names(posts, values=[1.0, 2.0], keys=["1", "2"]) == ["b"]  # in order
    with pytest.raises(ToolError, match="nothing is known"):
        names(posts, values=[None, None], **of)
    with pytest.raises(ToolError, match="number for each key"):
        names(posts, values=[1.0], **of)
    features_with_most(posts, [1.0, 2.0], ["b", "a"], tmp_path / "a.gpkg", "name")
    features_told_of(posts, "name", read_artifact(tmp_path / "a.gpkg"), "name", tmp_path / "told.gpkg")
    assert list(read_features(read_artifact(tmp_path / "told.gpkg")).fields["name"]) == ["a"]
    features_within(plots, read_artifact(tmp_path / "a.gpkg"), tmp_path / "held.gpkg")
    held = read_features(read_artifact(tmp_path / "held.gpkg"))
    assert [not one.is_empty for one in held.geometries] == [name == "holed" for name in held.fields["name"]]


def test_features_are_chosen_by_what_holds_of_each(posts: Artifact, tmp_path: Path) -> None:
    def names(truths: list[float | None], keys: list[str], by: str = "") -> list[str]:
        features_that_hold(posts, truths, keys, tmp_path / "so.gpkg", by)
        return [str(one) for one in read_features(read_artifact(tmp_path / "so.gpkg")).fields["name"]]

    assert names([0.0, 1.0], ["a", "b"], "name") == ["b"]
    assert names([1.0, 1.0, 1.0], ["b", "a", "of another file"], "name") == ["a", "b"]
    assert names([None, 1.0], ["1", "2"]) == ["b"]  # of which it is not known
    assert names([0.0, 0.0], ["a", "b"], "name") == []
    with pytest.raises(ToolError, match="truth for each key"):
        names([1.0], ["a", "b"], "name")


def test_distances_to_the_nearest(posts: Artifact, plots: Artifact, road: Artifact) -> None:
    found = feature_numbers(posts, "distance", ["a", "b"], "name", to=plots)
    assert found == pytest.approx([0.0, 30.0], rel=2e-4)
    found = feature_numbers(posts, "distance", ["a", "b"], "name", to=plots, to_names=["small"], unit="km")
    assert found == pytest.approx([0.19, hypot(70, 20) / 1000], rel=2e-4)
    assert feature_numbers(plots, "distance", ["holed", "small"], "name", to=road) == [0.0, 0.0]


def test_far_features_are_measured_each_around_itself(tmp_path: Path) -> None:
    far = {"here": shapely.Point(0, 0), "there": shapely.Point(500_000, 0)}
    places = layer(tmp_path / "far.gpkg", far)
    found = feature_numbers(places, "distance", ["here", "there"], "name", to=places, to_names=["here"])
    ends = read_features(places).geometries
    change = Transformer.from_crs(CRS, "EPSG:4326", always_xy=True).transform
    (west, south), (east, north) = (change(one.x, one.y) for one in ends)
    assert found == pytest.approx([0.0, Geod(ellps="WGS84").inv(west, south, east, north)[2]], rel=1e-6)


def raster(path: Path, values: np.ndarray) -> Artifact:
    rows, columns = values.shape
    place = Affine(10, 0, WEST, 0, -10, NORTH + 100)
    with rasterio.open(path, "w", "GTiff", columns, rows, 1, CRS, place, "float32", nodata=-1) as file:
        file.write(values.astype(np.float32), 1)
    return read_artifact(path)


def test_points_where_a_mask_is_true_and_distances_of_pixels(posts: Artifact, road: Artifact, tmp_path: Path) -> None:
    mask = np.zeros((10, 20))
    mask[8, 1] = 1  # of the point a, at 10 to 20 m east, 10 to 20 m north
    mask[9, 0] = mask[9, 1] = mask[8, 0] = 1
    features_where(posts, raster(tmp_path / "mask.tif", mask), tmp_path / "on.gpkg")
    assert feature_count(read_artifact(tmp_path / "on.gpkg")) == 1
    distance_to_features(raster(tmp_path / "like.tif", mask), road, tmp_path / "far.tif")
    with rasterio.open(tmp_path / "far.tif") as file:
        found = file.read(1)
    assert found[:, 3] == pytest.approx(np.abs(100 - 5 - 10.0 * np.arange(10) - 20), abs=0.05)


def test_features_without_a_file_name_all_stay(plots: Artifact) -> None:
    assert len(read_features(plots)) == 2


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        ("length", {}, "have no length"),
        ("attribute", {"attribute": "beds"}, "no attribute 'beds'"),
        ("attribute", {"attribute": "name"}, "holds no numbers"),
        ("distance", {}, "nothing is given"),
        ("area", {"by": "called"}, "no attribute 'called'"),
        ("area", {"by": "", "names": ["small"]}, "the file has changed"),
        ("area", {"names": ["absent"]}, "no polygon of that name"),
    ],
)
def test_what_polygons_have_not_is_refused(plots: Artifact, what: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(ToolError, match=message):
        feature_numbers(plots, what, ["holed", "small"], **{"by": "name", "unit": "m2"} | options)  # type: ignore[arg-type]


def test_only_polygons_hold_others_and_have_outlines(posts: Artifact, road: Artifact, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="nothing lies in them"):
        features_within(posts, road, tmp_path / "in.gpkg")
    with pytest.raises(ToolError, match="only polygons have outlines"):
        outlines_of_features(road, tmp_path / "edges.gpkg")
    with pytest.raises(ToolError, match="only points lie in one pixel"):
        features_where(road, raster(tmp_path / "mask.tif", np.zeros((10, 20))), tmp_path / "on.gpkg")


def test_distances_of_pixels_are_true_on_the_whole_globe(tmp_path: Path) -> None:
    """Pixels of 30 degrees, also beyond the date line; no plane holds them all."""
    towns = {"a": shapely.Point(15 - WEST, 46 - NORTH), "b": shapely.Point(-179 - WEST, 40 - NORTH)}
    globe = tmp_path / "globe.tif"
    profile = {"driver": "GTiff", "width": 12, "height": 3, "count": 1, "dtype": "float32", "crs": "EPSG:4326"}
    with rasterio.open(globe, "w", **profile, transform=Affine(30, 0, -180, 0, -30, 60)) as file:
        file.write(np.ones((3, 12), dtype=np.float32), 1)
    distance_to_features(
        read_artifact(globe, "raster"), layer(tmp_path / "towns.gpkg", towns, "EPSG:4326"), tmp_path / "far.tif"
    )
    with rasterio.open(tmp_path / "far.tif") as file:
        found = file.read(1)
    longitude, latitude = np.meshgrid(np.arange(-165, 180, 30.0), np.array([45.0, 15.0, -15.0]))
    each = [
        Geod(ellps="WGS84").inv(longitude, latitude, np.full((3, 12), east), np.full((3, 12), north))[2]
        for east, north in ((15.0, 46.0), (-179.0, 40.0))
    ]
    assert found == pytest.approx(np.minimum(*each), rel=1e-6)
