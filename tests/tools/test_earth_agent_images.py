"""Statistics, shares, maps and masks of images against plain arrays; Gi* against its formula."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from affine import Affine
from numpy.typing import NDArray
from raster_files import NORTH_UP, opened, read, write
from scipy import ndimage, stats

from knowflow.ground.errors import ToolError
from knowflow.tools.earth_agent import batch, hot_spots, maps, shares

GAP = -9999.0


def image(folder: Path, name: str, values: Any, **more: Any) -> str:
    """A float image with -9999 for NaN."""
    array = np.asarray(values, dtype=np.float32)
    write(folder / f"{name}.tif", np.where(np.isnan(array), np.float32(GAP), array), nodata=GAP, **more)
    return str(folder / f"{name}.tif")


@pytest.fixture
def arrays() -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(5)
    made = [rng.gamma(2.0, 20.0, (20, 30)).astype(np.float32) for _ in range(3)]
    for array in made:
        array[:2, :5] = np.nan
    return made


@pytest.fixture
def files(tmp_path: Path, arrays: list[NDArray[np.float32]]) -> list[str]:
    return [image(tmp_path, f"image{number}", array) for number, array in enumerate(arrays)]


@pytest.mark.parametrize(
    ("tool", "oracle"),
    [
        (batch.calc_batch_image_mean, np.mean),
        (batch.calc_batch_image_std, np.std),
        (batch.calc_batch_image_median, np.median),
        (batch.calc_batch_image_min, np.min),
        (batch.calc_batch_image_max, np.max),
        (batch.calc_batch_image_sum, np.sum),
        (batch.calc_batch_image_skewness, lambda v: stats.skew(v, bias=False)),
        (batch.calc_batch_image_kurtosis, stats.kurtosis),
    ],
)
def test_a_statistic_is_that_of_the_pixels_that_are_data(
    tool: Any, oracle: Any, files: list[str], arrays: list[NDArray[np.float32]]
) -> None:
    known = [array[np.isfinite(array)].astype(np.float64) for array in arrays]
    assert tool(files) == pytest.approx([float(oracle(values)) for values in known], rel=1e-5)
    grey = [np.clip(np.rint(values), 0, 255) for values in known]
    assert tool(files, uint8=True) == pytest.approx([float(oracle(values)) for values in grey], rel=1e-5)


def test_published_statistics_count_fill_and_keep_the_bias(files: list[str], arrays: list[NDArray[np.float32]]) -> None:
    filled = [np.where(np.isnan(array), GAP, array).astype(np.float64).ravel() for array in arrays]
    assert batch.calc_batch_image_mean(files, compat=True) == pytest.approx([v.mean() for v in filled], rel=1e-6)
    assert batch.calc_batch_image_skewness(files, compat=True) == pytest.approx(
        [float(stats.skew(v)) for v in filled], rel=1e-5
    )


def test_an_image_without_data_has_no_statistics(tmp_path: Path) -> None:
    empty = image(tmp_path, "empty", np.full((3, 3), np.nan))
    assert batch.calc_batch_image_mean([empty]) == [None]
    assert batch.calc_batch_image_hotspot_percentage([empty], 1.0) == [None]
    with pytest.raises(ToolError, match="no image holds data"):
        batch.calc_batch_image_mean_mean([empty])


def test_statistics_of_means(files: list[str], arrays: list[NDArray[np.float32]]) -> None:
    means = [float(np.nanmean(array.astype(np.float64))) for array in arrays]
    assert batch.calc_batch_image_mean_mean(files) == pytest.approx(np.mean(means))
    assert batch.calc_batch_image_mean_max(files) == pytest.approx(max(means))
    assert batch.calc_batch_image_mean_max_min(files) == pytest.approx([max(means), min(means)])
    middle = sorted(means)[1]
    assert batch.calc_batch_image_mean_threshold(files, middle + 1e-3, above=False, return_type="count") == 2
    assert batch.calc_batch_image_mean_threshold(files, middle + 1e-3) == pytest.approx(100 / 3)
    limit = 1.0 + 1e-6
    expected = sum(mean > limit * np.mean(means) for mean in means)
    assert shares.count_images_exceeding_mean_multiplier(files, limit) == expected


def test_shares_beyond_a_threshold(files: list[str], arrays: list[NDArray[np.float32]]) -> None:
    above = [float((array[np.isfinite(array)] > 50).mean()) for array in arrays]
    assert batch.calc_batch_image_hotspot_percentage(files, 50) == pytest.approx(above)
    assert shares.calculate_threshold_ratio(files, 50) == pytest.approx(100 * np.mean(above))
    assert shares.calculate_threshold_ratio(files[0], 50, "below") == pytest.approx(100 * (1 - above[0]))
    least, *more = sorted(above)
    limit = 100 * (least + more[0]) / 2
    assert shares.count_images_exceeding_threshold_ratio(files, 50, limit) == 2
    assert shares.average_ratio_exceeding_threshold(files, 50, limit) == pytest.approx(100 * np.mean(more))
    assert shares.average_ratio_exceeding_threshold(files, 1e9, 1.0) == 0.0
    burning = [int((array > 60).sum()) for array in arrays]
    assert shares.calc_batch_fire_pixels(files, 60) == burning
    assert shares.count_above_threshold(files[0], 60) == int((arrays[0] >= 60).sum())
    known = arrays[1][np.isfinite(arrays[1])]
    assert shares.get_percentile_value_from_image(files[1], 70) == pytest.approx(np.percentile(known, 70), rel=1e-6)


def test_two_images_together(files: list[str], arrays: list[NDArray[np.float32]]) -> None:
    a, b = arrays[0], arrays[1]
    both = np.isfinite(a) & np.isfinite(b)
    expected = 100 * ((a > 40) & (b > 30))[both].mean()
    assert shares.calculate_intersection_percentage(files[0], 40, files[1], 30) == pytest.approx(expected)
    assert shares.calc_threshold_value_mean(files[0], files[1], 40) == pytest.approx(
        b[both & (a > 40)].mean(), rel=1e-6
    )
    assert shares.image_division_mean(files[0], files[1]) == pytest.approx((a / b)[both].mean(), rel=1e-5)


def test_bands_of_one_image_count_from_zero_except_in_a_ratio(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    temperature, emissivity = rng.uniform(290, 330, (8, 9)), rng.uniform(0.9, 1.0, (8, 9))
    temperature[0, 0] = np.nan
    path = image(tmp_path, "tes", np.stack([temperature, emissivity]))
    hot = temperature > 310
    known = np.isfinite(temperature)
    conditions = [[0, 310, "above"], {"band_index": 1, "threshold_value": 0.96, "compare_type": "below"}]
    met = hot & (emissivity < 0.96)
    assert shares.count_pixels_satisfying_conditions(path, conditions) == int(met.sum())
    assert shares.calculate_multi_band_threshold_ratio(path, conditions) == pytest.approx(100 * met.sum() / known.sum())
    assert shares.calculate_band_mean_by_condition(path, 0, 310, "above", 1) == pytest.approx(
        emissivity[hot].mean(), rel=1e-6
    )
    assert shares.image_division_mean(path, band1=1, band2=2) == pytest.approx(
        (temperature / emissivity)[known].mean(), rel=1e-6
    )
    assert shares.calculate_threshold_ratio(path, 0.96, "below", band_index=1) == pytest.approx(
        100 * (emissivity < 0.96).mean()
    )
    for wrong in ([[2, 1, "above"]], [[0, 1]], [["0.3", "above"]], []):
        with pytest.raises(ToolError):
            shares.count_pixels_satisfying_conditions(path, wrong)


def test_area_counts_pixels_once_and_nothing_unknown(tmp_path: Path) -> None:
    mask = np.array([[1, 0, np.nan], [1, 1, 0]])
    path = image(tmp_path, "mask", mask)
    assert shares.calculate_area(path) == 3
    assert shares.calculate_area(path, gsd=0.5) == 0.75
    assert shares.calculate_area(path, compat=True) == 4
    rgb = np.zeros((3, 4, 4), np.uint8)
    rgb[:, :2] = 255
    write(tmp_path / "rgb.tif", rgb)
    assert shares.calculate_area(str(tmp_path / "rgb.tif")) == 8
    assert shares.calculate_area(str(tmp_path / "rgb.tif"), compat=True) == 24


def test_an_opaque_alpha_channel_is_no_area(tmp_path: Path) -> None:
    rgba = np.zeros((4, 3, 3), np.uint8)
    rgba[0, 0, 0] = rgba[3] = 255
    write(tmp_path / "rgba.tif", rgba, photometric="RGB", alpha="YES")
    assert shares.calculate_area(str(tmp_path / "rgba.tif")) == 1


def test_hot_spots_are_above_and_published_ones_below(tmp_path: Path) -> None:
    path = image(tmp_path, "nbr", [[-0.5, 0.1, np.nan]])
    for side, compat, expected in (
        ("above", False, [0, 1, 255]),
        ("below", False, [1, 0, 255]),
        ("above", True, [1, 0, 1]),
    ):
        maps.calc_batch_image_hotspot_tif([path], -0.3, [tmp_path / "hot.tif"], side=side, compat=compat)
        assert read(tmp_path / "hot.tif").tolist() == [expected]


def test_masks_of_fire_and_of_brightness(tmp_path: Path) -> None:
    values = np.arange(100, dtype=np.float32).reshape(10, 10)
    path = image(tmp_path, "frp", values)
    maps.create_fire_increase_map(path, tmp_path / "increase.tif", 20)
    assert (read(tmp_path / "increase.tif") == (values > 20)).all()
    maps.identify_fire_prone_areas(path, tmp_path / "prone.tif", 75)
    assert (read(tmp_path / "prone.tif") == (values > np.percentile(values, 75))).all()


@pytest.mark.parametrize(("dtype", "nodata"), [("uint16", 65535), ("int16", -9999), ("float32", math.nan)])
def test_segmentation_takes_any_nodata(tmp_path: Path, dtype: str, nodata: float) -> None:
    values = np.array([[10, 300, 320]], dtype)
    values[0, 0] = nodata
    write(tmp_path / "lst.tif", values, nodata=nodata)
    maps.threshold_segmentation(str(tmp_path / "lst.tif"), 310, tmp_path / "mask.tif")
    assert read(tmp_path / "mask.tif").tolist() == [[255, 0, 1]]


def test_a_mask_named_as_a_picture_is_one(tmp_path: Path) -> None:
    path = image(tmp_path, "grey", [[1, 5], [9, 2]])
    maps.threshold_segmentation(path, 4, tmp_path / "mask.png")
    with opened(tmp_path / "mask.png") as dataset:
        assert dataset.driver == "PNG"
        assert dataset.read(1).tolist() == [[0, 1], [1, 0]]
    assert sorted(found.name for found in tmp_path.iterdir() if found.suffix not in (".tif", ".xml")) == ["mask.png"]


def test_averages_and_differences(tmp_path: Path, files: list[str], arrays: list[NDArray[np.float32]]) -> None:
    arrays[0][10, 10] = np.nan
    image(tmp_path, "image0", arrays[0])
    maps.calculate_tif_average(files, tmp_path / "mean.tif")
    with np.errstate(all="ignore"):
        count = np.isfinite(arrays).sum(axis=0)
        expected = np.where(count > 0, np.nansum(np.array(arrays, float), axis=0) / np.maximum(count, 1), np.nan)
    np.testing.assert_allclose(read(tmp_path / "mean.tif"), expected, rtol=1e-5)
    maps.calculate_tif_difference(files[1], files[2], tmp_path / "change.tif")
    np.testing.assert_allclose(read(tmp_path / "change.tif"), arrays[2] - arrays[1], rtol=1e-4, atol=1e-4)
    maps.subtract(files[1], files[2], tmp_path / "less.tif")
    np.testing.assert_allclose(read(tmp_path / "less.tif"), arrays[1] - arrays[2], rtol=1e-4, atol=1e-4)
    maps.calculate_tif_average(files[1:], tmp_path / "grey.tif", uint8=True)
    assert read(tmp_path / "grey.tif").dtype == np.uint8


def test_landsat_numbers_become_reflectance(tmp_path: Path) -> None:
    write(tmp_path / "sr.tif", np.array([[0, 7273, 43636]], np.uint16))
    maps.radiometric_correction_sr(str(tmp_path / "sr.tif"), tmp_path / "out.tif")
    assert read(tmp_path / "out.tif")[0] == pytest.approx([np.nan, 0.0, 1.0], abs=1e-4, nan_ok=True)
    maps.radiometric_correction_sr(str(tmp_path / "sr.tif"), tmp_path / "out.tif", compat=True)
    assert read(tmp_path / "out.tif")[0, 0] == pytest.approx(-0.2)
    write(tmp_path / "known.tif", np.array([[100]], np.uint16), scale=0.001)
    maps.radiometric_correction_sr(str(tmp_path / "known.tif"), tmp_path / "out.tif")
    assert read(tmp_path / "out.tif")[0, 0] == pytest.approx(0.1)


def test_clouds_shadows_and_cirrus_are_left_out(tmp_path: Path) -> None:
    # bits of QA_PIXEL: 1 dilated cloud, 2 cirrus, 3 cloud, 4 shadow, 6 clear, 7 water
    write(tmp_path / "qa.tif", np.array([[1 << 6, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 7]], np.uint16))
    write(tmp_path / "sr.tif", np.array([[1, 2, 3, 4, 5, 6]], np.uint16), nodata=0)
    maps.apply_cloud_mask(str(tmp_path / "sr.tif"), str(tmp_path / "qa.tif"), tmp_path / "clear.tif")
    assert read(tmp_path / "clear.tif").tolist() == [[1, 0, 0, 0, 0, 6]]


def test_colours_follow_the_map_and_gaps_are_transparent(tmp_path: Path) -> None:
    from matplotlib import colormaps

    path = image(tmp_path, "grey", [[0.0, 5.0, 10.0, np.nan]])
    maps.grayscale_to_colormap(path, tmp_path / "out.tif", "magma")
    with opened(tmp_path / "out.tif") as dataset:
        colours = dataset.read()[:, 0].T
        assert dataset.crs is not None
    assert colours[1].tolist() == list(colormaps["magma"](0.5, bytes=True))
    assert colours[:, 3].tolist() == [255, 255, 255, 0]
    maps.grayscale_to_colormap(path, tmp_path / "bare.tif", preserve_geo=False)
    with opened(tmp_path / "bare.tif") as dataset:
        assert dataset.crs is None
    with pytest.raises(ToolError, match="colour map"):
        maps.grayscale_to_colormap(path, tmp_path / "out.tif", "no such map")


def test_a_folder_is_listed_in_order(tmp_path: Path) -> None:
    for name in ("b.tif", "a.tif"):
        (tmp_path / name).touch()
    (tmp_path / "folder").mkdir()
    assert maps.get_filelist(str(tmp_path)) == ["a.tif", "b.tif"]
    with pytest.raises(ToolError, match="no such folder"):
        maps.get_filelist(str(tmp_path / "none"))


WEIGHTS = [[1, 1, 1], [1, 2, 1], [0, 1, 0.5]]


def gi_star(values: NDArray[Any], weights: NDArray[Any], edges: bool) -> NDArray[Any]:
    """Ord and Getis 1995, pixel by pixel."""
    known = values[np.isfinite(values)]
    n, mean = known.size, known.mean()
    spread = np.sqrt((known**2).mean() - mean**2)
    result = np.full(values.shape, np.nan)
    half = weights.shape[0] // 2, weights.shape[1] // 2
    for row, column in np.argwhere(np.isfinite(values)):
        pairs = []
        for (i, j), weight in np.ndenumerate(weights):
            r, c = row + i - half[0], column + j - half[1]
            inside = 0 <= r < values.shape[0] and 0 <= c < values.shape[1] and np.isfinite(values[r, c])
            if inside or not edges:
                pairs.append((weight, values[r, c] if inside else 0.0))
        w, x = np.array(pairs).T
        result[row, column] = (w @ x - mean * w.sum()) / (spread * np.sqrt((n * (w @ w) - w.sum() ** 2) / (n - 1)))
    return result


@pytest.mark.parametrize("compat", [False, True])
def test_gi_star_is_its_formula_at_edges_and_beside_gaps(tmp_path: Path, compat: bool) -> None:
    rng = np.random.default_rng(4)
    values = ndimage.gaussian_filter(rng.normal(size=(14, 17)), 1.0).astype(np.float32)
    if not compat:
        values[5, 6:9] = np.nan
    path = image(tmp_path, "values", values)
    hot_spots.getis_ord_gi_star(path, WEIGHTS, tmp_path / "gi.tif", compat=compat)
    expected = gi_star(values.astype(np.float64), np.array(WEIGHTS, float), edges=not compat)
    np.testing.assert_allclose(read(tmp_path / "gi.tif"), expected, rtol=2e-4, atol=2e-4)


def test_gi_star_needs_a_middle_and_a_difference(tmp_path: Path) -> None:
    path = image(tmp_path, "flat", np.ones((5, 5)))
    with pytest.raises(ToolError, match="neighbours"):
        hot_spots.getis_ord_gi_star(path, [[1, 1], [1, 1]], tmp_path / "gi.tif")
    with pytest.raises(ToolError, match="all equal"):
        hot_spots.getis_ord_gi_star(path, WEIGHTS, tmp_path / "gi.tif")


@pytest.mark.parametrize(
    ("place", "side"), [((0, 10), "north"), ((19, 9), "south"), ((9, 29), "east"), ((8, 0), "west")]
)
def test_hot_spots_lie_on_a_side(tmp_path: Path, place: tuple[int, int], side: str) -> None:
    mask = np.zeros((20, 30), np.uint8)
    mask[place] = 1
    write(tmp_path / "mask.tif", mask, nodata=255)
    assert hot_spots.analyze_hotspot_direction(str(tmp_path / "mask.tif")) == side


def test_north_is_up_on_the_ground(tmp_path: Path) -> None:
    mask = np.zeros((10, 10), np.uint8)
    mask[0, 5] = 1
    upside_down = Affine(10, 0, NORTH_UP.c, 0, 10, NORTH_UP.f)
    write(tmp_path / "mask.tif", mask, nodata=255, transform=upside_down)
    assert hot_spots.analyze_hotspot_direction(str(tmp_path / "mask.tif")) == "south"
    write(tmp_path / "none.tif", mask * 0, nodata=255)
    with pytest.raises(ToolError, match="no pixel is marked"):
        hot_spots.analyze_hotspot_direction(str(tmp_path / "none.tif"))


def test_separate_lines_are_counted(tmp_path: Path) -> None:
    mask = np.zeros((40, 40), np.uint8)
    mask[5:9, 2:38] = 255
    mask[20:38, 10:14] = 255
    mask[20:38, 25:29] = 255
    write(tmp_path / "mask.tif", mask)
    assert hot_spots.count_skeleton_contours(str(tmp_path / "mask.tif")) == 3
