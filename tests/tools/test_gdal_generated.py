"""The tools that GDAL describes of itself, and nobody else: each runs, and what it writes or says is right."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from gdal_scenes import GRID, NORTH, PIXEL, UTM, WEST, authored, call, classes, dem, hills, patches, raster, read
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from test_gdal_vectors import SQUARES, box, features, vector

from knowflow.model.artifact import Artifact
from knowflow.tools.gdal import generated_schemas
from knowflow.tools.raster.delivery import deliver_cog

TOOLS = generated_schemas(authored())
CASES: dict[str, Callable[[Bench], None]] = {}


@dataclass(frozen=True)
class Bench:
    """A folder to work in, and the tool that is tried."""

    tool: str
    folder: Path
    calls: list[str | None] = field(default_factory=list)

    def __call__(self, output: str | None = None, **arguments: Any) -> Any:
        """Run the tool; the output's path, or what it returned."""
        path = None if output is None else self.folder / output
        self.calls.append(output)
        said = call(TOOLS[self.tool], path, **arguments)
        return said if path is None else path

    def dem(self, name: str = "dem.tif", **profile: Any) -> Artifact:
        return dem(self.folder / name, **profile)

    def squares(self) -> Artifact:
        return vector(self.folder / "squares.gpkg", SQUARES)


def case(work: Callable[[Bench], None]) -> Callable[[Bench], None]:
    CASES[f"gdal_{work.__name__}"] = work
    return work


def test_every_generated_tool_has_a_case() -> None:
    assert set(CASES) == set(TOOLS)


@pytest.mark.parametrize("tool", list(TOOLS))
def test_a_generated_tool_does_what_gdal_says(tmp_path: Path, tool: str) -> None:
    bench = Bench(tool, tmp_path)
    CASES[tool](bench)  # what it says is compared there
    assert bench.calls, f"the case of {tool} never ran it"


def unpacked(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def bands(path: Path) -> NDArray[Any]:
    with rasterio.open(path) as dataset:
        found: NDArray[Any] = dataset.read()
        return found


# files and folders


@case
def dataset_copy(bench: Bench) -> None:
    shapes = [shapely.Point(WEST, NORTH)]
    pyogrio.raw.write(
        bench.folder / "points.shp",
        np.array([shapely.to_wkb(shapes[0])], dtype=object),
        [np.array([1])],
        fields=["value"],
        crs=UTM,
        geometry_type="Point",
    )
    copied = unpacked(bench("copy.zip", source=str(bench.folder / "points.shp")))
    assert {"points.shp", "points.shx", "points.dbf", "points.prj"} <= set(copied)
    for name, content in copied.items():
        assert content == (bench.folder / name).read_bytes()


@case
def dataset_identify(bench: Bench) -> None:
    said = json.loads(bench(filename=[str(bench.dem().path), str(bench.squares().path)]))
    assert [one["driver"] for one in said] == ["GTiff", "GPKG"]


@case
def vsi_copy(bench: Bench) -> None:
    source = Path(str(bench.dem().path))
    assert unpacked(bench("copy.zip", source=str(source))) == {"dem.tif": source.read_bytes()}


@case
def vsi_sync(bench: Bench) -> None:
    source = Path(str(bench.dem().path))
    assert unpacked(bench("copy.zip", source=str(source))) == {"dem.tif": source.read_bytes()}


@case
def vsi_list(bench: Bench) -> None:
    (bench.folder / "inside").mkdir()
    (bench.folder / "inside" / "a.txt").write_text("a")
    (bench.folder / "inside" / "b.txt").write_text("b")
    assert sorted(json.loads(bench(filename=str(bench.folder / "inside")))) == ["a.txt", "b.txt"]


def _sozip(bench: Bench) -> Path:
    made = replace(bench, tool="gdal_vsi_sozip_create")
    (bench.folder / "long.txt").write_text("something " * 20_000)
    archive: Path = made("made.zip", input=[str(bench.folder / "long.txt")], no_paths=True, enable_sozip="yes")
    return archive


@case
def vsi_sozip_create(bench: Bench) -> None:
    assert unpacked(_sozip(bench))["long.txt"] == (bench.folder / "long.txt").read_bytes()


@case
def vsi_sozip_list(bench: Bench) -> None:
    (line,) = [line for line in bench(input=str(_sozip(bench))).splitlines() if "long.txt" in line]
    assert line.split()[0] == "200000"
    assert "32768" in line


@case
def vsi_sozip_validate(bench: Bench) -> None:
    assert "is a valid .zip file, and contains 1 SOZip-enabled file" in bench(input=str(_sozip(bench)))


@case
def vsi_sozip_optimize(bench: Bench) -> None:
    with zipfile.ZipFile(bench.folder / "plain.zip", "w") as archive:
        archive.writestr("long.txt", "something " * 20_000)
    path = bench("better.zip", input=[str(bench.folder / "plain.zip")], enable_sozip="yes")
    assert unpacked(path)["long.txt"] == b"something " * 20_000
    said = call(TOOLS["gdal_vsi_sozip_list"], input=str(path))
    assert any("long.txt" in line and "32768" in line for line in said.splitlines())


# arrays of many dimensions


def _cube(folder: Path, name: str, times: list[float], values: NDArray[np.float32]) -> Path:
    """A Zarr (version 2) of (time, y, x), written by hand."""

    def array(key: str, content: NDArray[Any], dimensions: list[str]) -> None:
        place = folder / name / key
        place.mkdir(parents=True)
        about = {
            "zarr_format": 2,
            "shape": content.shape,
            "chunks": content.shape,
            "dtype": content.dtype.str,
            "compressor": None,
            "fill_value": None,
            "filters": None,
            "order": "C",
        }
        (place / ".zarray").write_text(json.dumps(about))
        (place / ".zattrs").write_text(json.dumps({"_ARRAY_DIMENSIONS": dimensions}))
        (place / ".".join("0" * content.ndim)).write_bytes(content.tobytes())

    array("time", np.array(times), ["time"])
    array("y", np.arange(values.shape[1], dtype=np.float64), ["y"])
    array("x", np.arange(values.shape[2], dtype=np.float64), ["x"])
    array("values", values, ["time", "y", "x"])
    (folder / name / ".zgroup").write_text('{"zarr_format": 2}')
    return folder / name


CUBE = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)


def _read_cube(archive: Path, array: str = "values") -> NDArray[np.float32]:
    """The array of a Zarr in a ZIP, read by GDAL itself as a raster with a band per time."""
    with rasterio.open(f'ZARR:"/vsizip/{archive}":/{array}') as dataset:
        found: NDArray[np.float32] = dataset.read()
        return found


@case
def mdim_info(bench: Bench) -> None:
    said = json.loads(bench(input=str(_cube(bench.folder, "cube.zarr", [1, 2], CUBE))))
    assert said["arrays"]["values"]["dimension_size"] == [2, 3, 4]


@case
def mdim_convert(bench: Bench) -> None:
    source = _cube(bench.folder, "cube.zarr", [1, 2], CUBE)
    path = bench("out.zip", input=str(source), array=["name=values,view=[1:2,...]"])
    np.testing.assert_array_equal(_read_cube(path), CUBE[1:])
    said = json.loads(call(TOOLS["gdal_mdim_info"], input=str(path)))
    assert said["arrays"]["values"]["dimension_size"] == [1, 3, 4]


@case
def mdim_mosaic(bench: Bench) -> None:
    parts = [_cube(bench.folder, f"{n}.zarr", [1 + 2 * n, 2 + 2 * n], CUBE + 100 * n) for n in range(2)]
    path = bench("out.zip", input=[str(part) for part in parts], array=["values"])
    np.testing.assert_array_equal(_read_cube(path), np.concatenate([CUBE, CUBE + 100]))


# rasters


@case
def raster_blend(bench: Bench) -> None:
    below = raster(bench.folder / "below.tif", np.full((3, 20, 30), 100, np.uint8))
    above = raster(bench.folder / "above.tif", np.full((3, 20, 30), 200, np.uint8))
    np.testing.assert_allclose(bands(bench("out.tif", input=below, overlay=above, opacity=25)), 125, atol=1)


@case
def raster_clean_collar(bench: Bench) -> None:
    picture = np.zeros((40, 50), np.uint8)
    picture[5:30, 6:44] = 120
    picture[0, 0] = 9  # nearly black
    found = read(bench("out.tif", input=raster(bench.folder / "in.tif", picture), pixel_distance=0))
    np.testing.assert_array_equal(found, np.where(picture == 120, 120, 0))


@case
def raster_compare(bench: Bench) -> None:
    first, other = bench.dem(), dem(bench.folder / "other.tif", hills() + np.float32(1))
    assert bench(reference=first, input=first) == ""
    assert f"pixels differing: {hills().size}" in bench(reference=first, input=other)


@case
def raster_convert(bench: Bench) -> None:
    np.testing.assert_array_equal(read(bench("out.tif", input=bench.dem())), hills())


@case
def raster_create(bench: Bench) -> None:
    where = {"bbox": [WEST, NORTH - 100, WEST + 200, NORTH], "crs": UTM}
    path = bench("out.tif", size=[20, 10], burn=[7], **where)
    np.testing.assert_array_equal(read(path), np.full((10, 20), 7))
    with rasterio.open(path) as dataset:
        assert (dataset.crs.to_epsg(), dataset.transform) == (32633, GRID)


@case
def raster_edit(bench: Bench) -> None:
    source = bench.dem()
    before = Path(str(source.path)).read_bytes()
    path = bench("out.tif", original=source, crs="EPSG:32634", metadata=["OWNER=me"], nodata="-1")
    with rasterio.open(path) as dataset:
        assert (dataset.crs.to_epsg(), dataset.tags()["OWNER"], dataset.nodata) == (32634, "me", -1)
        np.testing.assert_array_equal(dataset.read(1), hills())
    assert Path(str(source.path)).read_bytes() == before


@case
def raster_index(bench: Bench) -> None:
    first = bench.dem("one.tif")
    second = bench.dem("two.tif", transform=GRID @ rasterio.Affine.translation(100, 0), compress="zstd")
    found, table = features(bench("out.gpkg", input=(first, second)))
    assert table["location"] == [first.path, second.path]
    rows, columns = hills().shape
    assert found[0].equals(shapely.box(WEST, NORTH - PIXEL * rows, WEST + PIXEL * columns, NORTH))
    assert found[1].bounds[0] == WEST + 100 * PIXEL


@case
def raster_info(bench: Bench) -> None:
    said = json.loads(bench(input=bench.dem(), stats=True))
    assert said["size"] == [70, 50]
    assert said["bands"][0]["mean"] == pytest.approx(float(hills().mean()), abs=1e-3)


@case
def raster_nodata_to_alpha(bench: Bench) -> None:
    values = patches()
    alpha = bands(bench("out.tif", input=classes(bench.folder / "in.tif", nodata=2)))[-1]
    np.testing.assert_array_equal(alpha, np.where(values == 2, 0, 255))


@case
def raster_overview_add(bench: Bench) -> None:
    path = bench("out.tif", original=bench.dem(), levels=[2], resampling="average")
    with rasterio.open(path) as dataset:
        assert dataset.overviews(1) == [2]
        small = dataset.read(1, out_shape=(25, 35))
    np.testing.assert_allclose(small, hills().reshape(25, 2, 35, 2).mean(axis=(1, 3)), rtol=1e-6)


def test_the_copy_that_is_changed_may_be_cloud_optimised_and_in_any_codec(tmp_path: Path) -> None:
    bench, source = Bench("gdal_raster_edit", tmp_path), dem(tmp_path / "dem.tif", compress="zstd")
    deliver_cog(source, tmp_path / "cog.tif")
    for name in ("dem.tif", "cog.tif"):
        path = bench(f"edited_{name}", original=Artifact("raster", path=str(tmp_path / name)), metadata=["OWNER=me"])
        with rasterio.open(path) as dataset:
            assert dataset.tags()["OWNER"] == "me"
            np.testing.assert_array_equal(dataset.read(1), hills())


def _with_overviews(bench: Bench) -> Artifact:
    path = Bench("gdal_raster_overview_add", bench.folder)("with.tif", original=bench.dem(), levels=[2])
    return Artifact("raster", path=str(path))


@case
def raster_overview_delete(bench: Bench) -> None:
    path = bench("out.tif", original=_with_overviews(bench))
    with rasterio.open(path) as dataset:
        assert dataset.overviews(1) == []
        np.testing.assert_array_equal(dataset.read(1), hills())


@case
def raster_overview_refresh(bench: Bench) -> None:
    source = _with_overviews(bench)
    with rasterio.open(str(source.path), "r+") as dataset:
        dataset.write(hills() + np.float32(50), 1)
    path = bench("out.tif", original=source, resampling="average", levels=[2])
    with rasterio.open(path) as dataset:
        small = dataset.read(1, out_shape=(25, 35))
    np.testing.assert_allclose(small, (hills() + 50).reshape(25, 2, 35, 2).mean(axis=(1, 3)), rtol=1e-6)


@case
def raster_rgb_to_palette(bench: Bench) -> None:
    colours = np.array([[250, 10, 10], [10, 250, 10], [10, 10, 250], [250, 250, 10]], np.uint8)
    picture = np.moveaxis(colours[patches()], -1, 0)
    path = bench("out.tif", input=raster(bench.folder / "in.tif", picture, photometric="RGB"), color_count=4)
    with rasterio.open(path) as dataset:
        palette = dataset.colormap(1)
        found = np.array([palette[index][:3] for index in dataset.read(1).ravel()])
    assert np.abs(found - colours[patches()].reshape(-1, 3)).max() <= 8


@case
def raster_scale(bench: Bench) -> None:
    limits = {"src_min": 400, "src_max": 600, "dst_min": 0, "dst_max": 255, "output_data_type": "Byte"}
    expected = np.rint((np.clip(hills(), 400, 600) - 400) / 200 * 255)
    np.testing.assert_allclose(read(bench("out.tif", input=bench.dem(), **limits)), expected, atol=1)


@case
def raster_update(bench: Bench) -> None:
    inside = GRID @ rasterio.Affine.translation(20, 10)
    patch = dem(bench.folder / "patch.tif", np.full((5, 8), 9, np.float32), transform=inside)
    path = bench("out.tif", input=patch, original=bench.dem())
    expected = hills()
    expected[10:15, 20:28] = 9
    np.testing.assert_array_equal(read(path), expected)


# vectors


@case
def vector_check_coverage(bench: Bench) -> None:
    found, _ = features(bench("out.gpkg", input=bench.squares()))
    overlapping = SQUARES[0].intersection(SQUARES[2])
    assert sum(not shape.is_empty for shape in found) == 2  # one finding for each of the two that overlap
    assert all(shape.distance(overlapping) == 0 for shape in found if not shape.is_empty)


@case
def vector_check_geometry(bench: Bench) -> None:
    tie = shapely.Polygon([(WEST, NORTH), (WEST + 100, NORTH + 100), (WEST + 100, NORTH), (WEST, NORTH + 100)])
    found, table = features(bench("out.gpkg", input=vector(bench.folder / "in.gpkg", [SQUARES[1], tie])))
    (place,) = found
    assert place.distance(shapely.Point(WEST + 50, NORTH + 50)) == pytest.approx(0)
    assert "self-intersection" in table["error"][0].lower()


@case
def vector_clean_coverage(bench: Bench) -> None:
    found, _ = features(bench("out.gpkg", input=bench.squares()))
    assert shapely.coverage_is_valid(found)
    assert sum(shape.area for shape in found) == pytest.approx(shapely.union_all(SQUARES).area)


@case
def vector_concat(bench: Bench) -> None:
    first = vector(bench.folder / "first.gpkg", SQUARES[:1])
    second = vector(bench.folder / "second.gpkg", SQUARES[1:])
    arguments = {"input": [first.path, second.path], "mode": "single"}
    found, _ = features(bench("out.gpkg", **arguments))
    assert [shape.equals(square) for shape, square in zip(found, SQUARES, strict=True)] == [True] * 3


@case
def vector_convert(bench: Bench) -> None:
    path = bench("out.geojson", input=bench.squares())
    kinds = {one["geometry"]["type"] for one in json.loads(path.read_text())["features"]}
    assert kinds == {"Polygon"}
    assert len(features(path)[0]) == 3


@case
def vector_edit(bench: Bench) -> None:
    path = bench("out.gpkg", input=bench.squares(), crs="EPSG:32634")
    assert pyogrio.read_info(path)["crs"] == "EPSG:32634"
    assert features(path)[0][0].equals(SQUARES[0])


@case
def vector_explode_collections(bench: Bench) -> None:
    both = shapely.MultiPolygon(SQUARES[:2])
    found, _ = features(bench("out.gpkg", input=vector(bench.folder / "in.gpkg", [both])))
    assert [shape.equals(square) for shape, square in zip(found, SQUARES[:2], strict=True)] == [True, True]


ROWS, COLUMNS = 12, 16


def _stations(bench: Bench) -> tuple[Artifact, NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(2)
    places = np.c_[WEST + PIXEL * rng.uniform(0, COLUMNS, 25), NORTH - PIXEL * rng.uniform(0, ROWS, 25)]
    numbers = rng.uniform(0, 9, 25)
    points = [shapely.Point(place) for place in places]
    return vector(bench.folder / "stations.gpkg", points, number=list(numbers)), places, numbers


def _surface(bench: Bench, radius: float, **arguments: Any) -> tuple[NDArray[Any], Iterator[NDArray[Any]]]:
    """The surface that a tool makes, and for each pixel the distances and numbers of the points within the radius."""
    stations, places, numbers = _stations(bench)
    extent = [WEST, NORTH - PIXEL * ROWS, WEST + PIXEL * COLUMNS, NORTH]
    where = {"extent": extent, "size": [COLUMNS, ROWS], "zfield": "number", "radius": radius, **arguments}
    path = bench("out.tif", input=stations, **where)
    with rasterio.open(path) as dataset:
        transform, found = dataset.transform, dataset.read(1).astype(float)
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS] + 0.5
    x, y = transform @ (columns.ravel(), rows.ravel())
    around = cKDTree(places).query_ball_point(np.c_[x, y], radius)

    def near() -> Iterator[NDArray[Any]]:
        for place, members in zip(np.c_[x, y], around, strict=True):
            distances = np.linalg.norm(places[members] - place, axis=1)
            yield np.stack([distances, numbers[members], *places[members].T])

    return found.ravel(), near()


def _grid_case(bench: Bench, oracle: Callable[[NDArray[Any]], float], radius: float = 18.0, **arguments: Any) -> None:
    found, near = _surface(bench, radius, **arguments)
    none = 0.0 if bench.tool.endswith("count") else np.nan
    expected = np.array([oracle(points) if points.shape[1] else none for points in near])
    assert 5 < np.count_nonzero(np.nan_to_num(expected)) < expected.size
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@case
def vector_grid_average(bench: Bench) -> None:
    _grid_case(bench, lambda points: points[1].mean())


@case
def vector_grid_average_distance(bench: Bench) -> None:
    _grid_case(bench, lambda points: points[0].mean())


@case
def vector_grid_average_distance_points(bench: Bench) -> None:
    def between(points: NDArray[Any]) -> float:
        places = points[2:].T
        first, second = np.triu_indices(len(places), 1)
        return float(np.linalg.norm(places[first] - places[second], axis=1).mean()) if len(first) else np.nan

    _grid_case(bench, between)


@case
def vector_grid_count(bench: Bench) -> None:
    _grid_case(bench, lambda points: points.shape[1])


@case
def vector_grid_invdistnn(bench: Bench) -> None:
    _grid_case(bench, lambda points: np.average(points[1], weights=points[0] ** -2.0), max_points=25)


@case
def vector_grid_maximum(bench: Bench) -> None:
    _grid_case(bench, lambda points: points[1].max())


@case
def vector_grid_minimum(bench: Bench) -> None:
    _grid_case(bench, lambda points: points[1].min())


@case
def vector_grid_range(bench: Bench) -> None:
    _grid_case(bench, lambda points: np.ptp(points[1]))


@case
def vector_index(bench: Bench) -> None:
    first = vector(bench.folder / "first.gpkg", SQUARES[:1])
    second = vector(bench.folder / "second.gpkg", SQUARES[1:2])
    found, table = features(bench("out.gpkg", input=[first.path, second.path]))
    assert [text.partition(",")[0] for text in table["location"]] == [first.path, second.path]
    assert [shape.bounds for shape in found] == [square.bounds for square in SQUARES[:2]]


@case
def vector_info(bench: Bench) -> None:
    said = json.loads(bench(input=bench.squares()))
    assert said["layers"][0]["featureCount"] == 3
    assert [field["name"] for field in said["layers"][0]["fields"]] == ["value"]


@case
def vector_partition(bench: Bench) -> None:
    source = vector(bench.folder / "in.gpkg", SQUARES, kind=["a", "b", "a"])
    archive = bench("out.zip", input=source, field=["kind"], scheme="flat", omit_partitioned_field=False)
    found = {}
    for name in unpacked(archive):
        _, _, _, columns = pyogrio.raw.read(f"/vsizip/{archive}/{name}", columns=["value"])
        found[name.split("_")[1]] = columns[0].tolist()
    assert found == {"a": [0, 2], "b": [1]}


@case
def vector_select(bench: Bench) -> None:
    source = vector(bench.folder / "in.gpkg", SQUARES, kind=["a", "b", "a"])
    assert features(bench("out.gpkg", input=source, fields=["kind", "_ogr_geometry_"]))[1] == {"kind": ["a", "b", "a"]}


@case
def vector_set_field_type(bench: Bench) -> None:
    arguments = {"field_name": "value", "field_type": "String"}
    assert features(bench("out.gpkg", input=bench.squares(), **arguments))[1] == {"value": ["0", "1", "2"]}


@case
def vector_set_geom_type(bench: Bench) -> None:
    found, _ = features(bench("out.gpkg", input=bench.squares(), geometry_type="MultiPolygon"))
    assert {shape.geom_type for shape in found} == {"MultiPolygon"}


@case
def vector_simplify_coverage(bench: Bench) -> None:
    wavy = [(WEST + 100 + (3 if n % 2 else 0), NORTH + 10 * n) for n in range(11)]
    left = shapely.Polygon([(WEST, NORTH), *wavy, (WEST, NORTH + 100)])
    right = shapely.Polygon([(WEST + 200, NORTH), *wavy, (WEST + 200, NORTH + 100)])
    found, _ = features(bench("out.gpkg", input=vector(bench.folder / "in.gpkg", [left, right]), tolerance=20))
    assert shapely.coverage_is_valid(found)
    assert all(len(shape.exterior.coords) < 8 for shape in found)


@case
def vector_swap_xy(bench: Bench) -> None:
    found, _ = features(bench("out.gpkg", input=vector(bench.folder / "in.gpkg", [box(0, 0, 5, 9)])))
    west, south, east, north = found[0].bounds
    assert (west, south, east, north) == (NORTH, WEST, NORTH + 9, WEST + 5)
