"""True answers of scenes against numbers computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from knowflow.ground.errors import DocumentError
from knowflow.model.template import Scene
from knowflow_bench.truth import Fields, check_truth, fields_of, true_answer

SCENE = Scene.model_validate(
    {
        "size": [4, 4],
        "resolution": 10,
        "layers": [
            # columns at x = 0.125, 0.375, 0.625, 0.875; one more per date
            {"name": "veg", "quantity": "ndvi", "values": "x + i", "dates": ["2020-01-01", "2021-01-01", "2022-01-01"]},
            {"name": "lst", "quantity": "surface_temperature", "values": "300 + y", "missing": "y > 0.5"},
            {
                "name": "S2",
                "quantity": "surface_bidirectional_reflectance",
                "bands": {"red": "0.1", "nir": "0.1 + 0.4 * (x > 0.5)"},
                "dates": ["2020-01-01"],
            },
        ],
    }
)
FIELDS = fields_of(SCENE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean(veg)", 1.5),
        ("mean(veg[0])", 0.5),
        ("mean(veg['2022-01-01'])", 2.5),
        ("mean(veg[1:3])", 2.0),
        ("max(means(veg)) - min(means(veg))", 2.0),
        ("share(veg[0] > 0.5)", 0.5),
        ("percent(veg[0] > 0.7)", 25.0),
        ("hectares(veg[0] > 0.5)", 0.08),
        ("km2(veg[0] > 0.5)", 0.0008),
        ("m2(veg[0] > 0.5)", 800.0),
        ("count(means(veg) > 1)", 2.0),
        ("dates(veg)[argmax(means(veg))]", "2022-01-01"),
        ("slope(means(veg), years(veg))", 1.0),
        ("percentile(veg[0], 50)", 0.5),
        ("std(veg[0])", np.std([0.125, 0.375, 0.625, 0.875])),
        ("mean(lst)", 300.25),  # rows at y = 0.125 and 0.375
        ("share(lst > 300.3)", 0.5),  # of what is known
        ("share(~(lst > 300.3))", 0.5),
        ("count(lst > 0)", 8.0),
        ("mean(S2.nir[0])", 0.3),
        ("share((S2.nir - S2.red) / (S2.nir + S2.red) > 0.5)", 0.5),
        ("mean(veg[0, lst > 0])", 0.5),
        ("mean(veg['2021-01-01', veg[0] > 0.5])", 1.75),
        ("share((veg[0] > 0.2) & (veg[0] < 0.5))", 0.25),
        ("share((veg[0] < 0.2) | (veg[0] > 0.8))", 0.5),
        ("correlation(veg[0], veg[1])", 1.0),
        ("mean(where(veg[0] > 0.5, 4, 2))", 3.0),
        ("-2 ** 2", -4.0),
    ],
)
def test_a_truth_is_what_it_comes_to_by_hand(text: str, expected: Any) -> None:
    found = true_answer(text, FIELDS)
    assert found == expected if isinstance(expected, str) else found == pytest.approx(expected, rel=1e-3)


def test_a_truth_of_pixels_is_an_array_with_gaps() -> None:
    found = true_answer("over_time(veg[veg < 1])", FIELDS)
    assert found[0] == pytest.approx([0.125, 0.375, 0.625, 0.875])
    assert np.isnan(true_answer("lst[lst > 400]", FIELDS)).all()


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "veg.__class__",
        "mean(veg, 2)",
        "open('x')",
        "dates(mean(veg))",
        "lambda: 1",
        "'text'",
        "True",
        "veg[",
        "1 < 2 < 3",
        "[1, 2]",
    ],
)
def test_what_is_no_truth_is_refused(text: str) -> None:
    with pytest.raises(DocumentError):
        true_answer(text, FIELDS)


@pytest.mark.parametrize("text", ["other", "S2", "veg.red", "S2.blue", "veg['2019-01-01']"])
def test_what_is_not_in_the_scene_is_refused(text: str) -> None:
    with pytest.raises(DocumentError):
        true_answer(f"mean({text})", FIELDS)


def test_the_layers_of_a_truth_are_told() -> None:
    assert check_truth("max(means(veg)) - mean(S2.red[lst > 1])") == {"veg", "S2", "lst"}


def test_an_area_of_pixels_of_no_one_size_is_not_a_number() -> None:
    assert np.isnan(true_answer("hectares(dem > 1)", Fields({"dem": np.array([[1.0, 2.0]])})))


def test_areas_in_degrees_are_those_of_the_ellipsoid() -> None:
    """Against the surface of WGS 84 and geodesic areas of pyproj."""
    from pyproj import Geod

    layer = {"name": "a", "quantity": "ndvi", "values": "1 - y"}
    globe = {"crs": "EPSG:4326", "origin": [-180, 90], "resolution": 1, "size": [180, 360], "layers": [layer]}
    fields = fields_of(Scene.model_validate(globe))
    assert true_answer("km2(a > -1)", fields) == pytest.approx(510065621.724, rel=1e-9)
    assert true_answer("by_area(a)", fields) == pytest.approx(0.5, rel=1e-9)
    assert true_answer("mean(a)", fields) == pytest.approx(0.5)
    thin = {**globe, "origin": [20, 60.01], "resolution": 0.01, "size": [1, 1]}
    corners = [20, 20.01, 20.01, 20], [60, 60, 60.01, 60.01]
    expected = Geod(ellps="WGS84").polygon_area_perimeter(*corners)[0]
    assert true_answer("m2(a > -1)", fields_of(Scene.model_validate(thin))) == pytest.approx(expected, rel=1e-6)


def test_slopes_need_three_dates_and_correlations_both_numbers() -> None:
    nan = np.nan
    series = np.array([[[1.0, 1.0]], [[2.0, nan]], [[3.0, 7.0]]])
    fields = Fields({"a": series, "b": series * 2}, {"a": ("2000-01-01", "2001-01-01", "2002-01-01")})
    np.testing.assert_allclose(true_answer("slope_over_time(a, years(a))", fields), [[0.999, nan]], rtol=2e-3)
    assert true_answer("correlation(a, b)", fields) == pytest.approx(1.0)
    np.testing.assert_array_equal(true_answer("either(a[1], a[0])", fields), [[2.0, 1.0]])
    np.testing.assert_allclose(true_answer("spread_over_time(a)", fields), [[1.0, np.std([1, 7], ddof=1)]])
