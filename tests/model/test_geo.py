from __future__ import annotations

import pytest
from examples import UTM, raster
from hypothesis import given
from hypothesis import strategies as st
from pyproj import Transformer

from knowflow.ground.errors import ToolError
from knowflow.model.geo import (
    bounds_of,
    boxes_overlap,
    canonical_crs,
    crs_of,
    degrees_on,
    grid_token,
    in_unit,
    is_crs,
    is_projected,
    lonlat_box,
    on_earth,
    pixel_of,
    symbolic,
    symbolic_grid,
    transform_box,
    utm_crs,
)

NORTH_UP = (10.0, 0.0, 500000.0, 0.0, -10.0, 5100000.0)


def test_spellings_of_one_crs_are_one() -> None:
    wkt = crs_of(UTM).to_wkt()
    assert canonical_crs(wkt) == canonical_crs("epsg:32633") == UTM
    assert is_projected(wkt)
    assert not is_projected("EPSG:4326")


def test_what_is_no_crs_is_told() -> None:
    assert is_crs(UTM)
    assert not is_crs("nonsense")
    assert not is_crs("EPSG:1")


@given(
    st.floats(-1e-11, 1e-11),
    st.floats(-1e-5, 1e-5),
    st.sampled_from([10.0, 30.0, 0.0002694945852358564, 1 / 3]),
)
def test_the_noise_of_writers_does_not_make_two_grids_of_one(relative: float, shift: float, pixel: float) -> None:
    clean = (pixel, 0.0, 1000 * pixel, 0.0, -pixel, 5000 * pixel)
    noisy = (pixel * (1 + relative), 0.0, (1000 + shift) * pixel, 0.0, -pixel, (5000 - shift) * pixel)
    assert grid_token(UTM, clean, (100, 100)) == grid_token(UTM, noisy, (100, 100))


@pytest.mark.parametrize(
    ("crs", "transform", "shape"),
    [
        ("EPSG:32634", NORTH_UP, (64, 64)),
        (UTM, NORTH_UP, (64, 65)),
        (UTM, (10.0, 0.0, 500005.0, 0.0, -10.0, 5100000.0), (64, 64)),
        (UTM, (10.0, 0.0, 500000.0, 0.0, -10.0, 5100000.5), (64, 64)),
        (UTM, (10.001, 0.0, 500000.0, 0.0, -10.001, 5100000.0), (64, 64)),
        (UTM, (10.0, 0.0, 500000.0, 0.0, 10.0, 5100000.0), (64, 64)),
        (UTM, (20.0, 0.0, 500000.0, 0.0, -10.0, 5100000.0), (64, 64)),
    ],
)
def test_grids_that_differ_have_different_tokens(
    crs: str, transform: tuple[float, ...], shape: tuple[int, int]
) -> None:
    assert grid_token(crs, transform, shape) != grid_token(UTM, NORTH_UP, (64, 64))


def test_symbolic_grids_are_told_from_measured_ones() -> None:
    assert symbolic(symbolic_grid("a"))
    assert symbolic_grid("a", "b") != symbolic_grid("ab")
    assert not symbolic(grid_token(UTM, NORTH_UP, (64, 64)))


def test_bounds_of_a_rotated_grid_hold_all_its_corners() -> None:
    assert bounds_of(NORTH_UP, (10, 20)) == (500000.0, 5099900.0, 500200.0, 5100000.0)
    assert bounds_of((0.0, 1.0, 0.0, 1.0, 0.0, 0.0), (10, 20)) == (0.0, 0.0, 10.0, 20.0)


boxes = st.tuples(st.floats(-180, 179), st.floats(-80, 70), st.floats(0.1, 90), st.floats(0.1, 10)).map(
    lambda t: (t[0], t[1], (t[0] + t[2] + 180) % 360 - 180, t[1] + t[3])
)


@given(boxes, boxes)
def test_overlap_is_symmetric_and_a_box_overlaps_itself(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert boxes_overlap(a, b) == boxes_overlap(b, a)  # type: ignore[arg-type]
    assert boxes_overlap(a, a)  # type: ignore[arg-type]


def test_boxes_that_touch_or_lie_apart_do_not_overlap() -> None:
    assert not boxes_overlap((0, 0, 1, 1), (1, 0, 2, 1))
    assert not boxes_overlap((0, 0, 1, 1), (0, 2, 1, 3))


def test_extents_across_the_antimeridian_overlap_what_is_on_either_side() -> None:
    fiji = (177.0, -20.0, -178.0, -15.0)
    assert boxes_overlap(fiji, (178.0, -18.0, 179.0, -17.0))
    assert boxes_overlap(fiji, (-179.5, -18.0, -179.0, -17.0))
    assert not boxes_overlap(fiji, (0.0, -18.0, 10.0, -17.0))
    assert boxes_overlap(fiji, (179.0, -18.0, -179.0, -17.0))


@pytest.mark.parametrize(
    ("box", "crs"),
    [
        ((14.9, 46.0, 15.1, 46.1), "EPSG:32633"),
        ((-71.0, -34.0, -70.0, -33.0), "EPSG:32719"),
        ((179.0, -20.0, -179.5, -19.0), "EPSG:32760"),
        ((-180.0, 0.0, -179.0, 1.0), "EPSG:32601"),
        ((179.5, 1.0, 180.0, 2.0), "EPSG:32660"),
        ((0.0, 85.0, 1.0, 86.0), "EPSG:5041"),
        ((0.0, -86.0, 1.0, -85.0), "EPSG:5042"),
    ],
)
def test_the_utm_zone_is_that_of_the_middle(box: tuple[float, float, float, float], crs: str) -> None:
    assert utm_crs(box) == crs


def test_an_extent_in_degrees_needs_a_crs_that_exists() -> None:
    box = lonlat_box(raster())
    assert box is not None
    assert box[0] == pytest.approx(15.0, abs=1e-6)
    assert lonlat_box(raster(crs=None)) is None
    assert lonlat_box(raster(crs="nonsense")) is None


def test_values_are_converted_only_between_known_units() -> None:
    assert in_unit((0.0, 10.0), "degC", "K") == pytest.approx((273.15, 283.15))
    assert in_unit((1, 2), None, "K") == (1, 2)


MARS = "+proj=eqc +a=3396190 +b=3376200 +units=m +type=crs"
SITE = 'LOCAL_CS["a site",UNIT["metre",1]]'


def test_degrees_are_those_of_the_body() -> None:
    assert degrees_on(UTM) == "EPSG:4326"
    mars = degrees_on(MARS)
    assert mars is not None
    assert crs_of(mars).ellipsoid.semi_major_metre == 3396190
    assert not on_earth(MARS)
    assert degrees_on(SITE) is None
    placed = raster(crs=MARS, bounds=(0.0, -1000.0, 59274.7, 0.0))  # pi/180 of the radius is a degree of the equator
    box = lonlat_box(placed)
    assert box is not None
    assert box[2] == pytest.approx(1.0, abs=1e-4)
    assert lonlat_box(raster(crs=SITE, bounds=(0.0, 0.0, 10.0, 10.0))) is None


def test_what_is_on_one_body_has_no_place_on_another() -> None:
    with pytest.raises(ToolError, match="no place of") as raised:
        transform_box(MARS, UTM, (0.0, 0.0, 1.0, 1.0))
    assert "3396190 m" in str(raised.value.found)
    with pytest.raises(ToolError, match="no place of"):
        transform_box(SITE, UTM, (0.0, 0.0, 1.0, 1.0))


@pytest.mark.parametrize("latitude", [0.5, -45.0, 87.0, -87.0])
def test_metres_are_metres_of_the_body(latitude: float) -> None:
    made = crs_of(utm_crs((10.0, latitude, 10.1, latitude + 0.1), MARS))
    assert made.is_projected
    assert made.ellipsoid.semi_major_metre == 3396190
    from pyproj import Transformer

    degrees = degrees_on(MARS)
    assert degrees is not None
    there = Transformer.from_crs(crs_of(degrees), made, always_xy=True)
    (x0, x1), (y0, y1) = there.transform([10.0, 10.0], [latitude, latitude + 0.1])
    truth = crs_of(degrees).get_geod().inv(10.0, latitude, 10.0, latitude + 0.1)[2]
    assert ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 == pytest.approx(truth, rel=0.01)


@given(st.integers(-3, 12), st.integers(-3, 12), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_the_pixel_of_a_point_is_that_whose_corners_hold_it(row: int, column: int, down: float, across: float) -> None:
    x, y = NORTH_UP[2] + 10 * (column + across), NORTH_UP[5] - 10 * (row + down)
    longitude, latitude = Transformer.from_crs(UTM, "EPSG:4326", always_xy=True).transform(x, y)
    inside = 0 <= row < 10 and 0 <= column < 8
    assert pixel_of(UTM, NORTH_UP, (10, 8), longitude, latitude) == ((row, column) if inside else None)
