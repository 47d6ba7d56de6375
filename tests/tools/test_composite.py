"""Mosaics and composites of rasters whose values are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from raster_files import NORTH_UP, artifact, opened, read, write
from scipy.ndimage import distance_transform_edt

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.composite import median_over_time, mosaic, temporal_composite
from knowflow.tools.raster import read_array, read_stored

NAN = np.nan
LAYERS = np.array(
    [
        [[1, NAN, 5, NAN]],
        [[4, 2, NAN, NAN]],
        [[2, 8, NAN, NAN]],
        [[3, NAN, NAN, NAN]],
    ],
    dtype=np.float32,
)


@pytest.fixture
def series(tmp_path: Path) -> tuple[Artifact, ...]:
    return tuple(
        write(
            tmp_path / f"{day}.tif",
            layer,
            tags={"QUANTITY": "ndvi", "DATETIME": f"2022-07-0{day}", "SENSOR": "sentinel-2"},
            facts={"quantity": "ndvi", "unit": "1"},
        )
        for day, layer in enumerate(LAYERS, start=1)
    )


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("maximum", [4, 8, 5, NAN]),
        ("minimum", [1, 2, 5, NAN]),
        ("mean", [2.5, 5, 5, NAN]),
        ("median", [2.5, 5, 5, NAN]),
        ("sum", [10, NAN, NAN, NAN]),
        ("latest", [3, 8, 5, NAN]),
        ("earliest", [1, 2, 5, NAN]),
    ],
)
def test_missing_values_take_no_part(
    series: tuple[Artifact, ...], tmp_path: Path, method: str, expected: list[float]
) -> None:
    temporal_composite(series, tmp_path / "out.tif", method)  # type: ignore[arg-type]
    np.testing.assert_allclose(read(tmp_path / "out.tif"), [expected])
    with opened(tmp_path / "out.tif") as written:
        tags = written.tags()
    assert (tags["QUANTITY"], tags["UNIT"], tags["SENSOR"]) == ("ndvi", "1", "sentinel-2")
    assert "DATETIME" not in tags


@given(arrays.arrays(np.float32, (7, 3, 2), elements=st.floats(-100, 100, width=32) | st.just(NAN)))
def test_the_median_is_numpys(stack: NDArray[np.float32]) -> None:
    present = ~np.isnan(stack)
    expected = [
        [np.median(stack[present[:, y, x], y, x]) if present[:, y, x].any() else NAN for x in range(2)]
        for y in range(3)
    ]
    np.testing.assert_allclose(median_over_time(stack), expected, rtol=1e-5, atol=1e-4)


def test_classes_keep_their_type_and_are_chosen_by_date(tmp_path: Path) -> None:
    layers = np.array([[[1, 0, 3]], [[2, 0, 0]]], dtype=np.uint8)
    known = {"quantity": "land_cover_class"}
    series = [write(tmp_path / f"{i}.tif", layer, nodata=0, facts=known) for i, layer in enumerate(layers)]
    temporal_composite(series, tmp_path / "out.tif", "latest")
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), [[2, 0, 3]])
    with opened(tmp_path / "out.tif") as written:
        assert (written.dtypes[0], written.nodata) == ("uint8", 0)
    with pytest.raises(ToolError, match="are classes"):
        temporal_composite(series, tmp_path / "out.tif", "median")


def test_scales_of_the_items_are_applied(tmp_path: Path) -> None:
    a = write(tmp_path / "a.tif", np.array([[1000]], dtype=np.int16), scale=1e-4)
    b = write(tmp_path / "b.tif", np.array([[0.3]], dtype=np.float32))
    temporal_composite([a, b], tmp_path / "out.tif", "mean")
    assert read(tmp_path / "out.tif")[0, 0] == pytest.approx(0.2)


def test_quantities_and_units_are_not_mixed(tmp_path: Path) -> None:
    a = write(tmp_path / "a.tif", np.ones((2, 2), dtype=np.float32), facts={"quantity": "ndvi"})
    b = write(tmp_path / "b.tif", np.ones((2, 2), dtype=np.float32), facts={"quantity": "ndwi"})
    for combine in (temporal_composite, mosaic):
        with pytest.raises(ToolError, match="more than one quantity"):
            combine([a, b], tmp_path / "out.tif")
        with pytest.raises(ToolError, match="no raster to work on"):
            combine([], tmp_path / "out.tif")


def side_by_side(folder: Path) -> list[Artifact]:
    """Two 3 x 3 rasters, the second two columns east and one row south of the first."""
    first = np.arange(9, dtype=np.float32).reshape(3, 3)
    first[0, 0] = NAN
    east = NORTH_UP @ type(NORTH_UP).translation(2, 1)
    facts = {"quantity": "elevation", "unit": "m"}
    return [
        write(folder / "a.tif", first, facts=facts),
        write(folder / "b.tif", np.full((3, 3), 100, dtype=np.int16), transform=east, nodata=-1, facts=facts),
    ]


@pytest.mark.parametrize(
    ("method", "shared"),
    [("first", [5, 8]), ("last", [100, 100]), ("maximum", [100, 100]), ("minimum", [5, 8]), ("mean", [52.5, 54])],
)
def test_a_mosaic_holds_all_and_decides_where_they_overlap(tmp_path: Path, method: str, shared: list[float]) -> None:
    mosaic(side_by_side(tmp_path), tmp_path / "out.tif", method)  # type: ignore[arg-type]
    expected = np.full((4, 5), NAN)
    expected[:3, :3] = np.arange(9).reshape(3, 3)
    expected[0, 0] = NAN
    expected[1:, 2:] = 100
    expected[1:3, 2] = shared
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected)
    with opened(tmp_path / "out.tif") as written:
        assert written.transform.almost_equals(NORTH_UP)
        assert written.tags()["QUANTITY"] == "elevation"


def test_parts_in_another_crs_are_brought_over(tmp_path: Path) -> None:
    from knowflow.tools.alignment import reproject

    whole = write(tmp_path / "a.tif", np.full((60, 60), 5, dtype=np.float32))
    reproject(whole, tmp_path / "b.tif", crs="EPSG:4326")
    mosaic([whole, artifact(tmp_path / "b.tif")], tmp_path / "out.tif", "mean")
    found = read_array(artifact(tmp_path / "out.tif"))
    np.testing.assert_allclose(found[~np.isnan(found)], 5)
    assert np.count_nonzero(~np.isnan(found)) >= 3600


def test_a_mosaic_of_classes_keeps_them(tmp_path: Path) -> None:
    facts = {"quantity": "land_cover_class"}
    a = write(tmp_path / "a.tif", np.array([[1, 0]], dtype=np.uint8), nodata=0, facts=facts)
    b = write(tmp_path / "b.tif", np.array([[7, 9]], dtype=np.uint8), nodata=0, facts=facts)
    mosaic([a, b], tmp_path / "out.tif")
    np.testing.assert_array_equal(read_stored(artifact(tmp_path / "out.tif")).filled(0), [[1, 9]])


def overlapping(folder: Path, shape: tuple[int, int], overlap: int) -> tuple[Artifact, Artifact]:
    """Two images of one size side by side, 1 and 2, the second ``overlap`` columns over the first."""
    shifted = NORTH_UP @ Affine.translation(shape[1] - overlap, 0)
    facts = {"quantity": "ndvi", "unit": "1"}
    west = write(folder / "west.tif", np.full(shape, 1, np.float32), nodata=NAN, facts=facts)
    return west, write(folder / "east.tif", np.full(shape, 2, np.float32), nodata=NAN, transform=shifted, facts=facts)


def test_feathering_goes_from_one_image_to_the_other_without_a_step(tmp_path: Path) -> None:
    mosaic(overlapping(tmp_path, (60, 100), 40), tmp_path / "out.tif", "feather", feather=64)
    found = read(tmp_path / "out.tif")[30]
    assert (found[:60] == 1).all()
    assert (found[100:] == 2).all()
    assert np.diff(found).min() >= -1e-6
    assert np.diff(found).max() < 0.06
    assert found[[79, 80]].mean() == pytest.approx(1.5, abs=1e-3)


def test_feathering_has_no_seams_between_blocks(tmp_path: Path) -> None:
    """Weights are distances from the edge of the data, however the mosaic is cut: equal to one look at the whole."""
    random = np.random.default_rng(1)
    values = random.normal(size=(2, 700, 1400)).astype(np.float32)
    values[0, :, 1000:] = values[1, :, :600] = NAN
    values[0, 500:540, 700:760] = NAN
    parts = tuple(write(tmp_path / f"{i}.tif", layer, nodata=NAN) for i, layer in enumerate(values))
    mosaic(parts, tmp_path / "out.tif", "feather", feather=50)
    padded = np.pad(np.isfinite(values), ((0, 0), (50, 50), (50, 50)))
    depth = np.stack([distance_transform_edt(part)[50:-50, 50:-50] for part in padded])
    weights = np.where(np.isfinite(values), np.minimum(depth, 50), 0)
    expected = (weights * np.nan_to_num(values)).sum(axis=0) / weights.sum(axis=0)
    np.testing.assert_allclose(read(tmp_path / "out.tif"), expected, atol=1e-5)


def test_classes_are_not_feathered(tmp_path: Path) -> None:
    classes = write(tmp_path / "c.tif", np.ones((4, 4), np.uint8), nodata=0, facts={"quantity": "land_cover_class"})
    with pytest.raises(ToolError, match="classes and cannot be averaged"):
        mosaic((classes, classes), tmp_path / "out.tif", "feather")
