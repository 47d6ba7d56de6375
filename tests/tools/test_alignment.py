"""Rasters on other grids: fields that are linear in space stay what they are, wherever they are sampled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from raster_files import NORTH_UP, UTM, artifact, opened, read, write
from rasterio.warp import Resampling
from rasterio.warp import reproject as whole_warp

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.alignment import align_to, clip, clip_to_polygons, grid_in, reproject, resample
from knowflow.tools.raster import grid_of, read_array, read_stored, warp
from knowflow.tools.raster.blocks import Tiling

ROTATED = Affine(8.0, 6.0, 500_100.0, 6.0, -8.0, 5_099_800.0)


def centres(transform: Affine, shape: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any]]:
    rows, columns = np.mgrid[: shape[0], : shape[1]] + 0.5
    a, b, c, d, e, f = transform[:6]
    return a * columns + b * rows + c, d * columns + e * rows + f


def plane(transform: Affine, shape: tuple[int, int]) -> NDArray[np.float32]:
    """A field linear in the coordinates: 0.1 per metre east, -0.05 per metre north."""
    x, y = centres(transform, shape)
    return (0.1 * (x - 500_000) - 0.05 * (y - 5_100_000)).astype(np.float32)


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warp, "windowed", lambda grid: Tiling(grid.shape, 16, 32, 16))


def a_plane(path: Path, transform: Affine = NORTH_UP, shape: tuple[int, int] = (80, 90), **more: Any) -> Artifact:
    return write(path, plane(transform, shape), transform=transform, **more)


@pytest.mark.parametrize(
    "target",
    [
        NORTH_UP @ Affine.translation(3.25, 5.5),
        NORTH_UP @ Affine.translation(10, 10) @ Affine.scale(0.4),
        NORTH_UP @ Affine.translation(5, 5) @ Affine.scale(1, -1) @ Affine.translation(0, -40),
        ROTATED,
    ],
    ids=["shifted", "finer", "south up", "rotated"],
)
@pytest.mark.usefixtures("small_windows")
def test_a_plane_aligned_to_another_grid_is_the_same_plane_there(tmp_path: Path, target: Affine) -> None:
    raster = a_plane(tmp_path / "a.tif")
    like = write(tmp_path / "like.tif", np.zeros((50, 45), dtype=np.uint8), transform=target)
    align_to(raster, like, tmp_path / "out.tif")
    found = read(tmp_path / "out.tif")
    x, y = centres(target, (50, 45))
    columns, rows = ~NORTH_UP @ (x, y)
    inside = (columns > 1) & (columns < 89) & (rows > 1) & (rows < 79)
    assert inside.any()
    np.testing.assert_allclose(found[inside], plane(target, (50, 45))[inside], atol=0.15)  # 0.125 pixels of GDAL's
    assert np.isnan(found[(columns < 0) | (columns > 90) | (rows < 0) | (rows > 80)]).all()
    assert grid_of(artifact(tmp_path / "out.tif")) == grid_of(like)


@pytest.mark.usefixtures("small_windows")
def test_shifts_by_whole_pixels_copy_and_keep_everything(tmp_path: Path) -> None:
    stored = np.arange(400, dtype=np.uint16).reshape(20, 20)
    raster = write(
        tmp_path / "a.tif",
        stored,
        scale=0.1,
        tags={"QUANTITY": "ndvi", "DATETIME": "2022-07-01"},
        descriptions=("ndvi",),
    )
    like = write(
        tmp_path / "l.tif", np.zeros((30, 25), dtype=np.uint8), transform=NORTH_UP @ Affine.translation(-3, -4)
    )
    align_to(raster, like, tmp_path / "out.tif")
    found = read_stored(artifact(tmp_path / "out.tif"))
    np.testing.assert_array_equal(found[4:24, 3:23].filled(9999), stored)
    assert found.count() == stored.size
    with opened(tmp_path / "out.tif") as written:
        assert (written.dtypes[0], written.scales[0], written.descriptions) == ("uint16", 0.1, ("ndvi",))
        assert written.tags()["DATETIME"] == "2022-07-01"


@pytest.mark.usefixtures("small_windows")
def test_classes_are_never_mixed(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    classes = rng.choice(np.array([1, 40, 200], dtype=np.uint8), (60, 60))
    raster = write(tmp_path / "a.tif", classes, nodata=0, facts={"quantity": "land_cover_class"})
    like = write(tmp_path / "l.tif", np.zeros((40, 40), dtype=np.uint8), transform=ROTATED)
    align_to(raster, like, tmp_path / "out.tif")
    assert set(np.unique(read(tmp_path / "out.tif"))) <= {0, 1, 40, 200}
    with pytest.raises(ToolError, match="would mix the classes"):
        align_to(raster, like, tmp_path / "out.tif", resampling="bilinear")


def test_numbers_on_coarser_pixels_are_the_means_of_what_lies_in_them(tmp_path: Path) -> None:
    values = np.random.default_rng(5).normal(0, 1, (60, 80)).astype(np.float32)
    fine = write(tmp_path / "fine.tif", values)
    coarse = NORTH_UP @ Affine.scale(4, 4)
    like = write(tmp_path / "like.tif", np.zeros((15, 20), np.float32), transform=coarse)
    align_to(fine, like, tmp_path / "out.tif")
    expected = values.reshape(15, 4, 20, 4).mean(axis=(1, 3))
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, atol=1e-5)


@pytest.mark.parametrize("factor", [4.0, 0.25])
def test_people_per_pixel_stay_as_many_on_whatever_grid(tmp_path: Path, factor: float) -> None:
    values = np.random.default_rng(5).integers(0, 50, (40, 40)).astype(np.float32)
    facts = {"quantity": "population_count", "unit": "1"}
    people = write(tmp_path / "people.tif", values, facts=facts)
    shape = (round(40 / factor), round(40 / factor))
    transform = NORTH_UP @ Affine.scale(factor, factor)
    like = write(tmp_path / "like.tif", np.zeros(shape, np.float32), transform=transform)
    align_to(people, like, tmp_path / "out.tif")
    assert read(tmp_path / "out.tif").sum() == pytest.approx(values.sum(), rel=1e-5)


def test_what_lies_off_the_map_of_a_projection_is_refused_by_name(tmp_path: Path) -> None:
    globe = write(
        tmp_path / "a.tif", np.ones((60, 90), np.float32), crs="EPSG:4326", transform=Affine(4, 0, -180, 0, -3, 90)
    )
    with pytest.raises(ToolError, match="beyond what the CRS can show"):
        reproject(globe, tmp_path / "out.tif")


def test_pixels_that_are_too_small_for_a_raster_are_told(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.zeros((8, 8), dtype=np.float32))
    with pytest.raises(ToolError, match="too small for the raster"):
        resample(raster, 1e-12, tmp_path / "out.tif")
    with pytest.raises(ToolError, match="too small for the raster"):
        reproject(raster, tmp_path / "out.tif", crs="EPSG:4326", resolution=1e-18)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["nearest", "bilinear", "cubic", "average", "mode", "max"]),
    st.sampled_from(["EPSG:32633", "EPSG:4326", "EPSG:3035", "EPSG:32632"]),
    st.integers(0, 100),
)
def test_windows_give_what_gdal_gives_at_once(
    tmp_path_factory: pytest.TempPathFactory, method: str, crs: str, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("warp")
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(70, 60)).astype(np.float32)
    values[rng.random(values.shape) < 0.1] = np.nan
    raster = write(folder / "a.tif", values)
    grid = grid_in(grid_of(raster), crs, None if crs == "EPSG:4326" else 7.0)
    transform, (height, width) = grid.transform, grid.shape
    like = write(folder / "l.tif", np.zeros((height, width), dtype=np.uint8), crs=crs, transform=transform)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warp, "windowed", lambda grid: Tiling(grid.shape, 32, 48, 16))
        patch.setattr(warp, "_SOURCE_PIXELS", 600)
        align_to(raster, like, folder / "out.tif", resampling=method)  # type: ignore[arg-type]
    expected = np.full((height, width), np.nan, dtype=np.float32)
    whole_warp(
        values,
        expected,
        src_transform=NORTH_UP,
        src_crs=UTM,
        src_nodata=np.nan,
        dst_transform=transform,
        dst_crs=crs,
        dst_nodata=np.nan,
        resampling=Resampling[method],
    )
    found = read(folder / "out.tif")
    same = np.isclose(found, expected, atol=0.25, equal_nan=True)
    assert same.mean() > 0.97  # GDAL approximates coordinates to 1/8 pixel, from window to window


def test_auto_reprojects_into_the_utm_zone_of_the_middle(tmp_path: Path) -> None:
    transform = Affine(0.001, 0, 14.9, 0, -0.001, 46.1)
    raster = write(tmp_path / "a.tif", np.full((200, 200), 7, dtype=np.int16), crs="EPSG:4326", transform=transform)
    reproject(raster, tmp_path / "out.tif")
    with opened(tmp_path / "out.tif") as written:
        assert written.crs.to_epsg() == 32633
        assert written.dtypes[0] == "int16"
    assert set(read_stored(artifact(tmp_path / "out.tif")).compressed()) == {7}


def test_a_resolution_can_be_asked_for(tmp_path: Path) -> None:
    reproject(a_plane(tmp_path / "a.tif"), tmp_path / "out.tif", crs="EPSG:3035", resolution=25.0)
    with opened(tmp_path / "out.tif") as written:
        assert written.res == (25.0, 25.0)
        assert written.crs.to_epsg() == 3035


def test_there_and_back_is_where_it_was(tmp_path: Path) -> None:
    raster = a_plane(tmp_path / "a.tif")
    reproject(raster, tmp_path / "b.tif", crs="EPSG:4326")
    align_to(artifact(tmp_path / "b.tif"), raster, tmp_path / "c.tif")
    there, back = read(tmp_path / "a.tif"), read(tmp_path / "c.tif")
    known = ~np.isnan(back)
    assert known.mean() > 0.9
    assert np.abs(back - there)[known].max() < 1.0  # a pixel is 1.0 from its neighbour to the east
    assert np.abs(back - there)[known].mean() < 0.1


def test_reprojection_across_the_date_line_reaches_both_sides(tmp_path: Path) -> None:
    transform = Affine(1000, 0, 220_000, 0, -1000, 5_300_000)
    values = np.arange(10_000, dtype=np.float32).reshape(100, 100)
    raster = write(tmp_path / "a.tif", values, crs="EPSG:32601", transform=transform)  # 177 W, reaching over 180
    west = write(
        tmp_path / "w.tif",
        np.zeros((40, 40), dtype=np.uint8),
        crs="EPSG:4326",
        transform=Affine(0.01, 0, -180.0, 0, -0.01, 47.6),
    )
    east = write(
        tmp_path / "e.tif",
        np.zeros((40, 40), dtype=np.uint8),
        crs="EPSG:4326",
        transform=Affine(0.01, 0, 179.6, 0, -0.01, 47.6),
    )
    for like in (west, east):
        align_to(raster, like, tmp_path / "out.tif")
        assert np.isfinite(read(tmp_path / "out.tif")).any()


def test_with_and_without_crs_do_not_mix(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((4, 4), dtype=np.float32), crs=None)
    with pytest.raises(ToolError, match="with and one without CRS"):
        align_to(raster, a_plane(tmp_path / "l.tif"), tmp_path / "out.tif")
    with pytest.raises(MissingFactError, match="coordinate reference system"):
        reproject(raster, tmp_path / "out.tif")


@pytest.mark.parametrize("crs", ["EPSG:999999", "nonsense"])
def test_a_crs_that_is_none_is_refused(tmp_path: Path, crs: str) -> None:
    with pytest.raises(ToolError, match="not a coordinate reference system"):
        reproject(a_plane(tmp_path / "a.tif"), tmp_path / "out.tif", crs=crs)


def test_no_crs_is_no_hindrance_where_none_is_needed(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.arange(16, dtype=np.float32).reshape(4, 4), crs=None, transform=None)
    resample(raster, 2.0, tmp_path / "out.tif")
    np.testing.assert_allclose(read(tmp_path / "out.tif"), [[2.5, 4.5], [10.5, 12.5]])
    clip(raster, [1, 1, 3, 3], tmp_path / "clip.tif", bbox_crs="raster")
    np.testing.assert_array_equal(read(tmp_path / "clip.tif"), [[5, 6], [9, 10]])


def test_oblong_pixels_become_square_over_the_same_ground(tmp_path: Path) -> None:
    oblong = NORTH_UP @ Affine.scale(1, 2)
    resample(a_plane(tmp_path / "a.tif", oblong, (8, 12)), oblong.a, tmp_path / "out.tif")
    with rasterio.open(tmp_path / "out.tif") as found, rasterio.open(tmp_path / "a.tif") as given:
        assert (found.shape, found.res) == ((16, 12), (oblong.a, oblong.a))
        assert found.bounds == given.bounds


def test_coarser_pixels_are_averages_of_data_and_modes_of_classes(tmp_path: Path) -> None:
    values = np.array([[1, 3, 10, np.nan], [5, 7, 20, 30]], dtype=np.float32)
    resample(write(tmp_path / "a.tif", values), 20.0, tmp_path / "mean.tif")
    np.testing.assert_allclose(read(tmp_path / "mean.tif"), [[4, 20]])
    classes = np.array([[1, 1, 3, 3], [2, 1, 3, 2]], dtype=np.uint8)
    resample(write(tmp_path / "b.tif", classes, facts={"quantity": "land_cover_class"}), 20.0, tmp_path / "mode.tif")
    np.testing.assert_array_equal(read(tmp_path / "mode.tif"), [[1, 3]])
    with opened(tmp_path / "mean.tif") as written:
        assert written.res == (20.0, 20.0)


def test_a_box_keeps_the_pixels_it_touches(tmp_path: Path) -> None:
    raster = a_plane(tmp_path / "a.tif", tags={"QUANTITY": "elevation"})
    clip(raster, [500_105, 5_099_800, 500_200, 5_099_895], tmp_path / "out.tif", bbox_crs=UTM)
    with opened(tmp_path / "out.tif") as written:
        assert tuple(written.bounds) == (500_100, 5_099_800, 500_200, 5_099_900)
        assert written.tags()["QUANTITY"] == "elevation"
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), read(tmp_path / "a.tif")[10:20, 10:20])


def test_a_box_in_degrees_is_understood(tmp_path: Path) -> None:
    raster = a_plane(tmp_path / "a.tif")
    clip(raster, [15.001, 46.048, 15.003, 46.05], tmp_path / "out.tif")
    with opened(tmp_path / "out.tif") as written:
        assert 500_000 < written.bounds.left < 500_100
        assert written.bounds.right < 500_300
    with pytest.raises(ToolError, match="does not touch"):
        clip(raster, [10, 40, 11, 41], tmp_path / "out.tif")


def test_bands_stay_together(tmp_path: Path) -> None:
    stack = np.stack([plane(NORTH_UP, (30, 30)), -plane(NORTH_UP, (30, 30))])
    raster = write(tmp_path / "a.tif", stack, descriptions=("red", "nir"))
    clip(raster, [500_000, 5_099_900, 500_100, 5_100_000], tmp_path / "out.tif", bbox_crs="raster")
    with opened(tmp_path / "out.tif") as written:
        assert written.descriptions == ("red", "nir")
        np.testing.assert_array_equal(written.read(), stack[:, :10, :10])


def polygons(folder: Path, rings: list[Any], crs: str) -> Artifact:
    import shapely
    from pyogrio.raw import write as write_vector

    shapes = np.array([shapely.to_wkb(shapely.Polygon(ring)) for ring in rings], dtype=object)
    write_vector(folder / "p.gpkg", shapes, [], [], geometry_type="Polygon", crs=crs)
    return Artifact("vector", path=str(folder / "p.gpkg"))


def test_polygons_cut_out_their_pixels(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.arange(400, dtype=np.int16).reshape(20, 20))
    triangle = [(500_020, 5_099_980), (500_119, 5_099_980), (500_020, 5_099_881)]
    clip_to_polygons(raster, polygons(tmp_path, [triangle], UTM), tmp_path / "out.tif")
    found = read_stored(artifact(tmp_path / "out.tif"))
    y, x = np.mgrid[:10, :10] + 0.5
    np.testing.assert_array_equal(~found.mask, x + y < 10)
    np.testing.assert_array_equal(found.data[~found.mask], np.arange(400).reshape(20, 20)[2:12, 2:12][x + y < 10])


def test_polygons_in_degrees_find_their_place(tmp_path: Path) -> None:
    raster = a_plane(tmp_path / "a.tif")
    box = [(15.001, 46.046), (15.005, 46.046), (15.005, 46.05), (15.001, 46.05)]
    shapes = polygons(tmp_path, [box], "EPSG:4326")
    clip_to_polygons(raster, shapes, tmp_path / "out.tif")
    clip_to_polygons(raster, shapes, tmp_path / "touched.tif", all_touched=True)
    inside, touched = (np.isfinite(read_array(artifact(tmp_path / f"{n}.tif"))).sum() for n in ("out", "touched"))
    x, y = centres(NORTH_UP, (80, 90))
    longitude, latitude = rasterio.warp.transform(UTM, "EPSG:4326", x.ravel().tolist(), y.ravel().tolist())
    expected = sum(15.001 < a < 15.005 and 46.046 < b < 46.05 for a, b in zip(longitude, latitude, strict=True))
    assert inside == expected
    assert touched > inside


def test_a_vector_without_polygons_is_refused(tmp_path: Path) -> None:
    import shapely
    from pyogrio.raw import write as write_vector

    line = np.array([shapely.to_wkb(shapely.LineString([(0, 0), (1, 1)]))], dtype=object)
    write_vector(tmp_path / "l.gpkg", line, [], [], geometry_type="LineString", crs=UTM)
    with pytest.raises(ToolError, match="no polygon"):
        clip_to_polygons(
            a_plane(tmp_path / "a.tif"), Artifact("vector", path=str(tmp_path / "l.gpkg")), tmp_path / "o.tif"
        )
