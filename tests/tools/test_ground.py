"""Covers of polygons and points against shapely and pyproj; statistics on them against NumPy with weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
import shapely
from drawn_rasters import draw, noise
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyogrio.raw import write
from pyproj import Transformer
from rasterio.transform import Affine

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools import ground

SHAPE = (20, 30)
PLACE = {"crs": "EPSG:32633", "transform": Affine(10, 0, 500_000, 0, -10, 5_100_000)}


def pixels(path: Path) -> np.ndarray:
    with rasterio.open(path) as file:
        return np.asarray(file.read(1, masked=True).astype(np.float64).filled(np.nan))


def polygons(path: Path, **shapes: shapely.Geometry) -> Artifact:
    geometry = np.array([shapely.to_wkb(one) for one in shapes.values()], dtype=object)
    names = np.array([*shapes], dtype=object)
    write(path, geometry=geometry, field_data=[names], fields=["name"], crs=PLACE["crs"], geometry_type="Polygon",
          driver="GPKG")  # fmt: skip
    return Artifact(type="vector", path=str(path), name=path.name)


CORNERS = st.tuples(st.floats(5, 280), st.floats(5, 180), st.floats(8, 90), st.floats(8, 90))


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CORNERS, CORNERS)
def test_a_pixel_counts_by_the_part_that_polygons_cover(
    tmp_path: Path, one: tuple[float, ...], other: tuple[float, ...]
) -> None:
    raster = draw(tmp_path / "a.tif", np.ones(SHAPE, np.float32), **PLACE)
    shapes = {
        name: shapely.Polygon([(500_000 + x, 5_100_000 - y), (500_000 + x + w, 5_100_000 - y),
                               (500_000 + x + w / 3, 5_100_000 - y - h)])
        for name, (x, y, w, h) in (("one", one), ("other", other))
    }  # fmt: skip
    zones = polygons(tmp_path / "z.gpkg", **shapes)
    boxes = shapely.box(*np.meshgrid(500_000 + 10.0 * np.arange(30), 5_099_990 - 10.0 * np.arange(20)),
                        *np.meshgrid(500_010 + 10.0 * np.arange(30), 5_100_000 - 10.0 * np.arange(20)))  # fmt: skip
    parts = {name: shapely.area(shapely.intersection(boxes, shape)) / 100 for name, shape in shapes.items()}
    for names, expected in (((), np.minimum(parts["one"] + parts["other"], 1)), (("other",), parts["other"])):
        ground.polygon_cover(raster, zones, tmp_path / "c.tif", names)
        assert pixels(tmp_path / "c.tif") == pytest.approx(expected, abs=1e-5)


def test_a_polygon_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.ones(SHAPE, np.float32), **PLACE)
    zones = polygons(tmp_path / "z.gpkg", north=shapely.box(500_000, 5_099_900, 500_100, 5_100_000))
    with pytest.raises(ToolError, match="no polygon of that name") as error:
        ground.polygon_cover(raster, zones, tmp_path / "c.tif", ["nord"])
    assert (error.value.expected, error.value.found) == ("north", "nord")


@pytest.mark.parametrize(("row", "column"), [(0, 0), (7, 12), (19, 29)])
def test_a_point_is_the_pixel_that_it_lies_in(row: int, column: int, tmp_path: Path) -> None:
    raster = draw(tmp_path / "a.tif", np.ones(SHAPE, np.float32), **PLACE)
    to_degrees = Transformer.from_crs(PLACE["crs"], "EPSG:4326", always_xy=True)
    place = to_degrees.transform(500_000 + 10 * column + 3, 5_100_000 - 10 * row - 8)
    ground.point_cover(raster, tmp_path / "p.tif", *place)
    found = pixels(tmp_path / "p.tif")
    assert found[row, column] == found.sum() == 1
    with pytest.raises(ToolError, match="beside the data"):
        ground.point_cover(raster, tmp_path / "p.tif", place[0] + 1, place[1])


def test_covers_are_joined_and_what_is_unknown_stays_ground(tmp_path: Path) -> None:
    a, b = np.array([[0.5, 1.0, np.nan]], np.float32), np.array([[0.8, 0.5, 0.4]], np.float32)
    series = [draw(tmp_path / f"{n}.tif", one, **PLACE) for n, one in (("a", a), ("b", b))]
    expected = {"product": [0.4, 0.5, 0.4], "smallest": [0.5, 0.5, 0.4], "largest": [0.8, 1, 1], "sum": [1, 1, 1]}
    for how, values in expected.items():
        ground.joined_cover(series, tmp_path / "j.tif", how)  # type: ignore[arg-type]
        assert pixels(tmp_path / "j.tif")[0] == pytest.approx(values, abs=1e-6)
    ground.joined_cover(series, tmp_path / "j.tif", "sum", [0.0, 1.0])
    assert pixels(tmp_path / "j.tif")[0] == pytest.approx([0.8, 0.5, 0.4], abs=1e-6)


def test_a_raster_is_left_out_beyond_its_cover(tmp_path: Path) -> None:
    raster = draw(tmp_path / "r.tif", np.array([[1.0, 2.0, 3.0]], np.float32), **PLACE)
    cover = draw(tmp_path / "c.tif", np.array([[0.0, 0.3, np.nan]], np.float32), **PLACE)
    for options, expected in (({}, [np.nan, 2, np.nan]), ({"keep_unknown": True}, [np.nan, 2, 3])):
        ground.restricted(raster, cover, tmp_path / "o.tif", **options)  # type: ignore[arg-type]
        assert pixels(tmp_path / "o.tif")[0] == pytest.approx(expected, nan_ok=True)
    ground.truth_everywhere(raster, 1.0, tmp_path / "t.tif")
    assert (pixels(tmp_path / "t.tif") == 1).all()


@pytest.fixture
def weighed(tmp_path: Path) -> tuple[list[Artifact], list[Artifact], np.ndarray, np.ndarray]:
    values = [noise(SHAPE, seed=seed, gaps=0.2) for seed in (1, 2)]
    parts = [np.abs(noise(SHAPE, seed=seed)).clip(0, 1).round(2) for seed in (3, 4)]
    parts[0][:4] = 0
    rasters = [draw(tmp_path / f"v{n}.tif", one, unit="K", **PLACE) for n, one in enumerate(values)]
    covers = [draw(tmp_path / f"c{n}.tif", one.astype(np.float32), **PLACE) for n, one in enumerate(parts)]
    known = [np.isfinite(one) & (part > 0) for one, part in zip(values, parts, strict=True)]
    flat = np.concatenate([one[here] for one, here in zip(values, known, strict=True)]).astype(np.float64)
    heavy = np.concatenate([part[here] for part, here in zip(parts, known, strict=True)]).astype(np.float64)
    return rasters, covers, flat, heavy


def test_pixels_count_by_their_parts(
    weighed: tuple[list[Artifact], list[Artifact], np.ndarray, np.ndarray],
) -> None:
    rasters, covers, flat, heavy = weighed

    def of(statistic: str, **options: object) -> float:
        return ground.ground_statistic(rasters, statistic, "K", "K", covers=covers, **options)  # type: ignore[arg-type]

    mean = np.average(flat, weights=heavy)
    assert of("mean") == pytest.approx(mean)
    assert of("deviation") == pytest.approx(np.sqrt(np.average((flat - mean) ** 2, weights=heavy)))
    assert of("sum") == pytest.approx((flat * heavy).sum())
    assert of("count") == pytest.approx(heavy.sum())
    assert (of("minimum"), of("maximum")) == pytest.approx((flat.min(), flat.max()))
    order = np.argsort(flat)
    middles = np.cumsum(heavy[order]) - heavy[order] / 2
    assert of("median") == pytest.approx(np.interp((middles[0] + middles[-1]) / 2, middles, flat[order]))


def test_an_integral_is_of_each_number_times_its_area(tmp_path: Path) -> None:
    """Depths in mm make cubic metres, tonnes per hectare make tonnes."""
    depths = np.array([[1.0, 2.0], [np.nan, 4.0]], np.float32)
    part = np.array([[1.0, 0.5], [1.0, 0.0]], np.float32)
    rain = draw(tmp_path / "r.tif", depths, nodata=np.nan, unit="mm", **PLACE)
    cover = draw(tmp_path / "c.tif", part, **PLACE)
    cell = 100.0
    assert ground.ground_statistic([rain], "integral", "mm", "m3") == pytest.approx(7e-3 * cell)
    assert ground.ground_statistic([rain], "integral", "mm", "m3", covers=[cover]) == pytest.approx(2e-3 * cell)
    wood = draw(tmp_path / "w.tif", depths, nodata=np.nan, unit="Mg ha-1", **PLACE)
    assert ground.ground_statistic([wood], "integral", "Mg ha-1", "t") == pytest.approx(7 * cell / 1e4)


def test_a_mean_is_by_how_much_lies_there(tmp_path: Path) -> None:
    """By people as they are counted, by a density times the area; where none is known, or none is, nothing counts."""
    x = np.array([[1.0, 2.0, np.nan], [4.0, 8.0, 16.0]], np.float32)
    lies = np.array([[3.0, 1.0, 9.0], [np.nan, 0.0, 4.0]], np.float32)
    part = np.array([[1.0, 0.5, 1.0], [1.0, 1.0, 0.25]], np.float32)
    wide = {"crs": "EPSG:4326", "transform": Affine(1, 0, 14, 0, -1, 60)}  # rows of unlike areas
    values = draw(tmp_path / "x.tif", x, nodata=np.nan, unit="m", **wide)
    people = draw(tmp_path / "p.tif", lies, nodata=np.nan, unit="1", **wide)
    cover = draw(tmp_path / "c.tif", part, **wide)
    counts = np.nan_to_num(lies) * np.isfinite(x)
    sizes = np.cos(np.radians([[59.5], [58.5]]))

    def of(add: bool, **given: object) -> float:
        told = {"weights": people, "weights_add": add, **given}
        return ground.ground_statistic([values], "mean", "m", "m", **told)  # type: ignore[arg-type]

    filled = np.nan_to_num(x)
    assert of(add=True) == pytest.approx((filled * counts).sum() / counts.sum())
    assert of(add=False) == pytest.approx((filled * counts * sizes).sum() / (counts * sizes).sum(), rel=1e-3)
    assert of(add=True, covers=[cover]) == pytest.approx((filled * counts * part).sum() / (counts * part).sum())


def test_truths_and_classes_of_ground(tmp_path: Path) -> None:
    values = np.array([[1, 1, 0, 255], [0, 1, 0, 1]], np.uint8)
    part = np.array([[1.0, 0.5, 1.0, 1.0], [0.5, 0.0, 1.0, 0.25]], np.float32)
    mask = draw(tmp_path / "m.tif", values, nodata=255, quantity="mask", **PLACE)
    cover = draw(tmp_path / "c.tif", part, **PLACE)
    found = {
        name: ground.ground_statistic([mask], name, "1", "1", nature="truth", covers=[cover])  # type: ignore[arg-type]
        for name in ("share", "count", "area", "any", "all", "majority", "variety")
    }
    held, known = 1 + 0.5 + 0.25, 1 + 0.5 + 1 + 0.5 + 1 + 0.25
    assert found == pytest.approx({"share": 100 * held / known, "count": held, "area": 100 * held, "any": 1, "all": 0,
                                   "majority": 0, "variety": 2})  # fmt: skip


def test_how_many_pixels_hold_is_a_whole_number(tmp_path: Path) -> None:
    """To the last digit, so that it can be met by a limit."""
    held = [noise((9, 11), seed=seed, gaps=0.1) for seed in range(20)]
    truths = [np.where(np.isnan(one), 255, one > 0.1).astype(np.uint8) for one in held]
    masks = [draw(tmp_path / f"{n}.tif", one, nodata=255, **PLACE) for n, one in enumerate(truths)]
    for number in range(1, len(masks) + 1):
        found = ground.ground_statistic(masks[:number], "count", "1", "1", nature="truth")
        assert found == sum(int((one == 1).sum()) for one in truths[:number])


def test_correlation_of_pixels_by_their_parts(
    weighed: tuple[list[Artifact], list[Artifact], np.ndarray, np.ndarray],
) -> None:
    rasters, covers, _, _ = weighed
    a, b, w = (pixels(Path(str(one.path))).ravel() for one in (*rasters, covers[0]))
    both = np.isfinite(a) & np.isfinite(b) & (w > 0)
    table = np.cov(a[both], b[both], aweights=w[both], ddof=0)
    expected = table[0, 1] / np.sqrt(table[0, 0] * table[1, 1])
    assert ground.ground_correlation(rasters[:1], rasters[1:], covers[:1]) == pytest.approx(expected)
    assert ground.ground_correlation(rasters[:1], rasters[:1]) == pytest.approx(1.0)


def test_an_outline_holds_what_it_surrounds_without_its_holes(tmp_path: Path) -> None:
    square = shapely.box(500_000, 5_098_000, 501_000, 5_099_000)
    holed = square.difference(shapely.box(500_200, 5_098_200, 500_700, 5_098_700))
    zones = polygons(tmp_path / "zones.gpkg", square=square, holed=holed)
    true = 1 / 0.9996**2  # the scale of UTM at its middle
    assert ground.polygon_area(zones, ["square"], "ha") == pytest.approx(100 * true, rel=1e-5)
    assert ground.polygon_area(zones, ["holed"], "ha") == pytest.approx(75 * true, rel=1e-5)
    assert ground.polygon_area(zones, unit="km2") == pytest.approx(1.75 * true, rel=1e-5)
    with pytest.raises(ToolError):
        ground.polygon_area(zones, ["round"])
