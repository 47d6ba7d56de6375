"""What projections do to lengths and directions, against PROJ's own factors; and what is said of grids."""

from __future__ import annotations

import math

import numpy as np
import pytest
from examples import raster
from pyproj import Geod, Proj, Transformer

from knowflow.model.artifact import Artifact
from knowflow.model.condition import parse
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.geo import symbolic_grid
from knowflow.model.ground_lengths import area_on_ground, axes_on_ground, pixel_on_ground, stretch_over
from knowflow.model.verdict import Verdict

PLACES = [
    ("EPSG:32633", 17.5, 46.0),
    ("EPSG:32733", 16.5, -34.0),
    ("EPSG:3035", -9.0, 38.7),
    ("EPSG:3413", 30.0, 75.0),
    ("EPSG:3031", 100.0, -80.0),
    ("EPSG:5070", -120.0, 47.0),
    ("EPSG:6933", 10.0, 50.0),
]


def said(text: str, artifact: Artifact) -> Verdict:
    return evaluate(parse(text), {"a": artifact})


@pytest.mark.parametrize(("crs", "longitude", "latitude"), PLACES)
def test_scale_and_convergence_are_those_of_proj(crs: str, longitude: float, latitude: float) -> None:
    x, y = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(longitude, latitude)
    found = stretch_over(crs, (x - 1, y - 1, x + 1, y + 1))
    factors = Proj(crs).get_factors(longitude, latitude)
    assert found is not None
    assert found.most == pytest.approx(1 / factors.tissot_semiminor, rel=1e-5)
    assert found.least == pytest.approx(1 / factors.tissot_semimajor, rel=1e-5)
    if found.most - found.least < 1e-6:  # of a conformal one: north is where the meridian goes
        assert found.turn == pytest.approx(abs(factors.meridian_convergence), abs=1e-3)


def test_a_degree_is_as_long_as_geodesics_say() -> None:
    east, north, _, up = axes_on_ground("EPSG:4326", np.array([15.0]), np.array([60.0]), 1e-4)
    geod = Geod(ellps="WGS84")
    assert east[0] * 1e-4 == pytest.approx(geod.inv(15.0, 60.0, 15.0001, 60.0)[2], rel=1e-6)
    assert up[0] * 1e-4 == pytest.approx(geod.inv(15.0, 59.99995, 15.0, 60.00005)[2], rel=1e-6)
    assert north[0] == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize(
    ("crs", "transform"),
    [
        ("EPSG:32633", (10.0, 0.0, 5e5, 0.0, -10.0, 5.1e6)),
        ("EPSG:3857", (10.0, 0.0, 1.1e6, 0.0, -10.0, 8.4e6)),
        ("EPSG:32633", (8.0, 6.0, 5e5, 6.0, -8.0, 5.1e6)),
        ("EPSG:4326", (1e-4, 0.0, 15.0, 0.0, -1e-4, 60.0)),
        ("EPSG:2272", (30.0, 0.0, 2.6e6, 0.0, -30.0, 2e5)),
    ],
)
def test_a_pixel_and_what_a_grid_covers_are_as_large_as_geodesics_say(crs: str, transform: tuple[float, ...]) -> None:
    a, b, c, d, e, f = transform
    to_degrees = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)

    def point(column: float, row: float) -> tuple[float, float]:
        return to_degrees.transform(a * column + b * row + c, d * column + e * row + f)

    geod, shape = Geod(ellps="WGS84"), (40, 60)
    width, height = pixel_on_ground(crs, transform, shape)
    assert width == pytest.approx(geod.inv(*point(29.5, 20), *point(30.5, 20))[2], rel=1e-5)
    assert height == pytest.approx(geod.inv(*point(30, 19.5), *point(30, 20.5))[2], rel=1e-5)
    across = geod.inv(*point(0, 20), *point(60, 20))[2]
    down = geod.inv(*point(30, 0), *point(30, 40))[2]
    assert area_on_ground(crs, transform, shape) == pytest.approx(across * down, rel=1e-3)


def test_a_pole_is_a_place_like_any_other_but_for_its_north() -> None:
    found = stretch_over("EPSG:5041", (2e6 - 3e4, 2e6 - 3e4, 2e6 + 3e4, 2e6 + 3e4))
    assert found is not None
    assert found.least == pytest.approx(1 / 0.994, rel=1e-4)  # the scale of UPS at its pole
    assert found.most == pytest.approx(1 / 0.994, rel=1e-4)
    assert found.turn > 90


def test_no_map_shows_the_whole_earth_truly() -> None:
    globe = Artifact("raster", facts=Facts.of(Origin.DECLARED, crs="EPSG:32631", bounds=(-2e7, -2e7, 2e7, 2e7)))
    assert said("true_lengths(a)", globe).truth is False
    continent = raster(crs="EPSG:3035", origin=(2.5e6, 5.5e6), pixel=1e5, shape=(40, 40))
    found = said("true_lengths(a)", continent)
    assert found.truth is False
    assert "--aoi" in found.because


def test_web_mercator_has_true_lengths_at_the_equator_alone() -> None:
    north = math.radians(60)
    y = 6378137 * math.log(math.tan(math.pi / 4 + north / 2))
    assert said("true_lengths(a)", raster(crs="EPSG:3857", origin=(1e6, 1000.0))).truth is True
    found = said("true_lengths(a)", raster(crs="EPSG:3857", origin=(1e6, y)))
    assert found.truth is False
    assert [goal.predicate for goal in found.goals] == ["true_lengths"]
    assert "1.99" in found.because
    assert said("grid_north(a)", raster(crs="EPSG:3857", origin=(1e6, y))).truth is True


@pytest.mark.parametrize(
    ("text", "artifact", "truth"),
    [
        ("true_lengths(a)", raster(), True),
        ("true_lengths(a)", raster(crs="EPSG:4326", origin=(15.0, 46.0), pixel=1e-4), False),
        ("true_lengths(a)", raster(crs="EPSG:2272", origin=(2.6e6, 2e5)), True),
        ("in_metres(a)", raster(crs="EPSG:2272", origin=(2.6e6, 2e5)), False),
        ("in_metres(a)", raster(), True),
        ("true_lengths(a)", raster(crs="EPSG:3035", origin=(0.0, 0.0)), True),  # only the size of a pixel was said
        ("grid_north(a)", raster(), True),
        ("grid_north(a)", raster(crs="EPSG:3413", origin=(1e6, 1e6)), False),
        ("unrotated(a)", raster(), True),
        ("unrotated(a)", raster(transform=(10.0, 0.0, 5e5, 0.0, 10.0, 5.1e6)), True),
        ("unrotated(a)", raster(transform=(8.0, 6.0, 5e5, 6.0, -8.0, 5.1e6)), False),
        ("square_pixels(a)", raster(), True),
        ("square_pixels(a)", raster(transform=(8.0, 6.0, 5e5, 6.0, -8.0, 5.1e6)), True),
        ("square_pixels(a)", raster(transform=(10.0, 0.0, 5e5, 0.0, -40.0, 5.1e6)), False),
        ("square_pixels(a)", raster(crs="EPSG:4326", origin=(15.0, 0.001), pixel=1e-4), True),
        ("square_pixels(a)", raster(crs="EPSG:4326", origin=(15.0, 60.0), pixel=1e-4), False),
    ],
)
def test_grids_are_judged_by_their_facts(text: str, artifact: Artifact, truth: bool) -> None:
    assert said(text, artifact).truth is truth


@pytest.mark.parametrize("text", ["true_lengths(a)", "unrotated(a)", "square_pixels(a)"])
def test_a_grid_that_is_made_at_run_time_is_left_for_then(text: str) -> None:
    made = Artifact("raster", facts=Facts.of(Origin.DERIVED, crs="EPSG:32633", grid=symbolic_grid("node", "output")))
    found = said(text, made)
    assert (found.truth, found.missing, found.goals) == (None, (), ())


def test_what_nobody_knows_is_named() -> None:
    bare = Artifact("raster", facts=Facts.of(Origin.DECLARED, crs="EPSG:32633"))
    assert [gap.fact for gap in said("true_lengths(a)", bare).missing] == ["transform"]
    assert [gap.fact for gap in said("true_lengths(a)", Artifact("raster")).missing] == ["crs"]
