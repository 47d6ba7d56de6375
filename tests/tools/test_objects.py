"""Connected components of rasters against scipy.ndimage on the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from drawn_rasters import UTM, draw, read
from scipy.ndimage import gaussian_filter, label

from knowflow.ground.errors import ToolError
from knowflow.tools.area import area
from knowflow.tools.objects import connected_components, count_objects, largest_object


@pytest.mark.parametrize(("connectivity", "structure"), [(4, None), (8, np.ones((3, 3)))])
def test_components_over_many_blocks_are_those_of_the_whole(tmp_path: Path, connectivity: int, structure) -> None:
    random = np.random.default_rng(6)
    smooth = gaussian_filter(random.normal(size=(1200, 2500)), 3)
    values = (smooth > 0.02).astype(np.uint8)
    values[100:140] = 255
    mask = draw(tmp_path / "m.tif", values, nodata=255)
    count = connected_components(mask, tmp_path / "l.tif", connectivity)
    labels, about = read(tmp_path / "l.tif")
    whole, expected = label(values == 1, structure=structure)
    assert count == expected == count_objects(mask, connectivity)
    np.testing.assert_array_equal(labels, np.where(values == 255, np.nan, whole))
    assert (about["QUANTITY"], about["dtype"], about["nodata"]) == ("connected_component_label", "int32", -1)


def test_small_objects_are_dropped_and_the_rest_renumbered(tmp_path: Path) -> None:
    values = np.array([[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]], dtype=np.uint8)
    mask = draw(tmp_path / "m.tif", values)
    assert connected_components(mask, tmp_path / "l.tif", 4, minimum_size=2) == 2
    assert read(tmp_path / "l.tif")[0].tolist() == [[0, 0, 1, 1], [0, 0, 1, 0], [2, 2, 0, 0]]


def test_the_largest_object_is_the_largest_of_the_whole(tmp_path: Path) -> None:
    values = (gaussian_filter(np.random.default_rng(7).normal(size=(900, 1300)), 3) > 0.02).astype(np.uint8)
    mask = draw(tmp_path / "m.tif", values)
    sizes = np.bincount(label(values, structure=np.ones((3, 3)))[0].ravel())[1:]
    a, _, _, _, e, _ = UTM[:6]
    assert largest_object(mask, "m2") == pytest.approx(sizes.max() * abs(a * e))
    assert largest_object(draw(tmp_path / "none.tif", np.zeros((5, 5), np.uint8))) == 0


def test_the_largest_object_is_the_largest_on_the_ellipsoid(tmp_path: Path) -> None:
    values = np.zeros((40, 20), np.uint8)
    values[1:3, :10], values[-3:-1, :11] = 1, 1  # more pixels, nearer to the pole
    mask = draw(tmp_path / "m.tif", values, crs="EPSG:4326", transform=Affine(1, 0, 0, 0, 2, 0))
    one = draw(
        tmp_path / "one.tif",
        np.where(np.arange(40)[:, None] < 20, values, 0),
        crs="EPSG:4326",
        transform=Affine(1, 0, 0, 0, 2, 0),
    )
    assert largest_object(mask, "km2") == pytest.approx(area(one, "km2"))


def test_an_empty_mask_has_no_objects(tmp_path: Path) -> None:
    mask = draw(tmp_path / "m.tif", np.zeros((600, 3000), dtype=np.uint8))
    assert connected_components(mask, tmp_path / "l.tif") == 0
    assert (read(tmp_path / "l.tif")[0] == 0).all()
    with pytest.raises(ToolError, match="at least one pixel"):
        count_objects(mask, minimum_size=0)


def test_a_mask_of_nothing_but_gaps_has_no_count(tmp_path: Path) -> None:
    mask = draw(tmp_path / "m.tif", np.full((3, 3), 255, np.uint8), nodata=255)
    with pytest.raises(ToolError, match="no pixel is data"):
        connected_components(mask, tmp_path / "l.tif")
    with pytest.raises(ToolError, match="no pixel is data"):
        count_objects(mask)
    assert np.isnan(count_objects(mask, when_empty="missing"))
    with pytest.raises(ToolError, match="no pixel is data"):
        largest_object(mask)
    assert np.isnan(largest_object(mask, when_empty="missing"))
    assert not (tmp_path / "l.tif").exists()
