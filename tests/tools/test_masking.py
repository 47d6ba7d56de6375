"""Masks: what is marked goes, what is unknown goes too, what is left stays as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from affine import Affine
from raster_files import opened, read, write

from knowflow.ground.errors import MissingFactError, ToolError
from knowflow.ground.quantities import quantity_kinds
from knowflow.tools.masking import (
    apply_cloud_mask,
    apply_mask,
    buffer_mask,
    cloud_mask_from_probability,
    cloud_mask_from_qa,
    mask_from_quality_band,
)
from knowflow.tools.quality_bands import LEGENDS
from knowflow.tools.raster import read_array, read_stored

CLOUDS = np.array([[0, 1, 255], [0, 0, 1]], dtype=np.uint8)


def cloud_mask(folder: Path, values: np.ndarray = CLOUDS) -> object:
    return write(folder / "mask.tif", values, nodata=255, facts={"quantity": "cloud_mask"})


def test_masked_and_unknown_pixels_become_nodata_and_the_rest_stays_stored_as_it_was(tmp_path: Path) -> None:
    stored = np.array([[100, 200, 300], [0, 500, 600]], dtype=np.uint16)
    raster = write(tmp_path / "a.tif", stored, nodata=0, scale=1e-4, tags={"QUANTITY": "ndvi", "SENSOR": "sentinel-2"})
    apply_mask(raster, cloud_mask(tmp_path), tmp_path / "out.tif")
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), [[100, 0, 0], [0, 500, 0]])
    with opened(tmp_path / "out.tif") as written:
        assert (written.dtypes[0], written.nodata, written.scales[0]) == ("uint16", 0, 1e-4)
        tags = written.tags()
    assert (tags["QUANTITY"], tags["SENSOR"], tags["CLOUD_MASKED"]) == ("ndvi", "sentinel-2", "YES")


def test_only_masked_pixels_can_be_kept(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.arange(6, dtype=np.float32).reshape(2, 3))
    water = write(tmp_path / "water.tif", CLOUDS, nodata=255, facts={"quantity": "water_mask"})
    apply_mask(raster, water, tmp_path / "out.tif", keep="masked")
    np.testing.assert_array_equal(read(tmp_path / "out.tif"), [[np.nan, 1, np.nan], [np.nan, np.nan, 5]])
    with opened(tmp_path / "out.tif") as written:
        assert "CLOUD_MASKED" not in written.tags()


def test_integers_without_nodata_get_a_mask_and_lose_no_value(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[0, 255, 3], [4, 5, 6]], dtype=np.uint8))
    apply_cloud_mask(raster, cloud_mask(tmp_path), tmp_path / "out.tif")
    found = read_stored(write_artifact(tmp_path / "out.tif"))
    np.testing.assert_array_equal(found.mask, CLOUDS != 0)
    assert found[0, 0] == 0
    assert found[1, 1] == 5


def write_artifact(path: Path) -> object:
    from raster_files import artifact

    return artifact(path)


def qa(folder: Path, values: list[list[int]], sensor: str, quantity: str, dtype: str = "uint16") -> object:
    return write(folder / "qa.tif", np.array(values, dtype=dtype), facts={"sensor": sensor, "quantity": quantity})


@pytest.mark.parametrize("layer", ["QA_RADSAT", "SR_QA_AEROSOL", "SR_CLOUD_QA", "LINEAGEQA"])
def test_other_quality_bands_of_landsat_tell_no_clouds(tmp_path: Path, layer: str) -> None:
    facts = {"sensor": "landsat-8", "quantity": "qa_bits", "layer": layer}
    band = write(tmp_path / "qa.tif", np.array([[8]], dtype="uint16"), facts=facts)
    with pytest.raises(MissingFactError, match="how the quality band marks clouds"):
        cloud_mask_from_qa(band, tmp_path / "m.tif")


def test_cloud_bits_of_sentinel_2(tmp_path: Path) -> None:
    facts = {"sensor": "sentinel-2", "quantity": "qa_bits", "layer": "QA60"}
    band = write(tmp_path / "qa.tif", np.array([[0, 1024, 2048, 3072, 1]], dtype="uint16"), facts=facts)
    cloud_mask_from_qa(band, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 1, 1, 0]])


def test_landsat_quality_bits(tmp_path: Path) -> None:
    # clear land, clear water, cloud, cirrus, shadow, dilated cloud, snow, fill: values of the USGS table
    values = [[21824, 21952, 22280, 54596, 23888, 21826, 30048, 1]]
    band = qa(tmp_path, values, "landsat-8", "qa_bits")
    cloud_mask_from_qa(band, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 0, 1, 1, 1, 1, 0, 255]])
    cloud_mask_from_qa(band, tmp_path / "m.tif", shadows=False)
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 0, 1, 1, 0, 1, 0, 255]])
    with opened(tmp_path / "m.tif") as written:
        assert (written.tags()["QUANTITY"], written.nodata, written.dtypes[0]) == ("cloud_mask", 255, "uint8")


def test_sentinel_2_scene_classes(tmp_path: Path) -> None:
    band = qa(tmp_path, [list(range(12))], "sentinel-2a", "scene_classification", "uint8")
    cloud_mask_from_qa(band, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[255, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0]])


def test_given_bits_and_given_classes(tmp_path: Path) -> None:
    band = qa(tmp_path, [[0, 1, 2, 4, 5, 1024]], "modis", "qa_bits")
    cloud_mask_from_qa(band, tmp_path / "m.tif", scheme="bits", values=[2, 10])
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 0, 0, 1, 1, 1]])
    cloud_mask_from_qa(band, tmp_path / "m.tif", scheme="classes", values=[2, 5])
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 0, 1, 0, 1, 0]])


def test_a_quality_band_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFactError, match="how the quality band marks clouds"):
        cloud_mask_from_qa(qa(tmp_path, [[1]], "modis", "qa_bits"), tmp_path / "m.tif")
    with pytest.raises(ToolError, match="bits that mean cloud"):
        cloud_mask_from_qa(qa(tmp_path, [[1]], "modis", "qa_bits"), tmp_path / "m.tif", scheme="bits")
    with pytest.raises(ToolError, match="bit fields are integers"):
        cloud_mask_from_qa(qa(tmp_path, [[1]], "landsat-8", "qa_bits", "float32"), tmp_path / "m.tif")


def test_a_buffer_is_a_disc_and_leaves_the_unknown_unknown(tmp_path: Path) -> None:
    values = np.full((7, 7), 4, dtype=np.uint8)
    values[3, 3], values[3, 5] = 9, 0
    band = write(tmp_path / "scl.tif", values, facts={"quantity": "scene_classification"})
    cloud_mask_from_qa(band, tmp_path / "m.tif", buffer=2)
    y, x = np.mgrid[:7, :7] - 3
    expected = (y**2 + x**2 <= 4).astype(np.uint8)
    expected[3, 5] = 255
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), expected)


# clear land, clear water, cloud, cirrus, shadow, dilated cloud, snow, fill: values of the USGS table
QA_PIXEL = [[21824, 21952, 22280, 54596, 23888, 21826, 30048, 1]]


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        (["snow"], [0, 0, 0, 0, 0, 0, 1, 255]),
        (["water"], [0, 1, 0, 0, 0, 0, 0, 255]),
        (["cirrus", "shadow"], [0, 0, 0, 1, 1, 0, 0, 255]),
        (["cloud"], [0, 0, 1, 0, 0, 0, 0, 255]),
    ],
)
def test_each_mark_of_a_landsat_quality_band(marks: list[str], expected: list[int], tmp_path: Path) -> None:
    mask_from_quality_band(qa(tmp_path, QA_PIXEL, "landsat-9", "qa_bits"), marks, tmp_path / "m.tif", quantity="mask")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [expected])


def test_each_mark_of_a_scene_classification(tmp_path: Path) -> None:
    """By the names that the quantity kind itself gives the classes."""
    named = quantity_kinds()["scene_classification"].classes
    words = {"cloud_shadow": "shadow", "snow_or_ice": "snow", "not_vegetated": "bare", "thin_cirrus": "cirrus"}
    band = qa(tmp_path, [list(range(12))], "sentinel-2a", "scene_classification", "uint8")
    for mark in ("shadow", "snow", "water", "vegetation", "bare", "cirrus"):
        mask_from_quality_band(band, [mark], tmp_path / "m.tif")
        (number,) = [number for number, name in named.items() if words.get(name, name) == mark]
        np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[255, *(int(i == number) for i in range(1, 12))]])


def test_fmask_of_two_kinds(tmp_path: Path) -> None:
    classes = write(tmp_path / "scene_Fmask.tif", np.array([[0, 1, 2, 3, 4, 255]], np.uint8), facts={"layer": "Fmask"})
    cloud_mask_from_qa(classes, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 0, 1, 0, 1, 255]])
    bits = np.array([[0b0, 0b1, 0b10, 0b100, 0b1000, 0b10000, 0b100000, 0b11000000]], np.uint8)
    hls = write(tmp_path / "HLS.S30.T33TVM.2022152T100031.v2.0.Fmask.tif", bits, facts={"layer": "Fmask"})
    cloud_mask_from_qa(hls, tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 1, 1, 1, 0, 0, 0]])
    mask_from_quality_band(hls, ["snow", "water"], tmp_path / "m.tif")
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 0, 0, 0, 0, 1, 1, 0]])


def test_a_mark_that_a_scheme_has_not_is_refused_with_those_it_has(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="does not mark vegetation") as error:
        mask_from_quality_band(qa(tmp_path, QA_PIXEL, "landsat-9", "qa_bits"), ["vegetation"], tmp_path / "m.tif")
    assert "cirrus" in str(error.value.expected)


def test_every_legend_tells_clouds_and_has_a_source() -> None:
    assert all("cloud" in legend.marks for legend in LEGENDS.values())
    of_light = (legend for name, legend in LEGENDS.items() if not name.endswith(("_snow", "_qa60", "_reliability")))
    assert all({"shadow", "snow", "water"} <= set(legend.marks) for legend in of_light)
    assert all(legend.source.startswith("https://") for legend in LEGENDS.values())


def test_a_buffer_in_metres_is_round_on_the_ground_where_pixels_are_not_square(tmp_path: Path) -> None:
    values = np.zeros((9, 9), dtype=np.uint8)
    values[4, 4] = 1
    transform = Affine(10.0, 0.0, 500_000.0, 0.0, -20.0, 5_100_000.0)
    mask = write(tmp_path / "mask.tif", values, nodata=255, transform=transform, facts={"quantity": "cloud_mask"})
    buffer_mask(mask, tmp_path / "m.tif", distance=40)
    y, x = (np.mgrid[:9, :9] - 4) * np.array([20, 10])[:, None, None]
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), (np.hypot(x, y) <= 40).astype(np.uint8))


def test_a_buffer_crosses_the_seams_of_blocks(tmp_path: Path) -> None:
    values = np.zeros((600, 2400), dtype=np.uint8)
    values[511, 2047] = 1
    mask = write(tmp_path / "mask.tif", values, nodata=255, facts={"quantity": "cloud_mask"})
    buffer_mask(mask, tmp_path / "m.tif", pixels=5)
    y, x = np.mgrid[:600, :2400]
    np.testing.assert_array_equal(read(tmp_path / "m.tif"), np.hypot(x - 2047, y - 511) <= 5)
    with opened(tmp_path / "m.tif") as written:
        assert (written.tags()["QUANTITY"], written.nodata) == ("cloud_mask", 255)


def test_a_buffer_is_in_one_measure_and_metres_need_a_projected_grid(tmp_path: Path) -> None:
    mask = cloud_mask(tmp_path)
    with pytest.raises(ToolError, match="in pixels or in metres"):
        buffer_mask(mask, tmp_path / "m.tif", pixels=1, distance=10)
    degrees = write(tmp_path / "d.tif", CLOUDS, crs="EPSG:4326", transform=Affine(0.1, 0, 10, 0, -0.1, 46), nodata=255)
    with pytest.raises(ToolError, match="longitude and latitude"):
        buffer_mask(degrees, tmp_path / "m.tif", distance=10)


def test_probabilities_in_fractions_and_in_percent_give_one_mask(tmp_path: Path) -> None:
    fractions = np.array([[0.1, 0.4, 0.9, np.nan]], dtype=np.float32)
    a = write(tmp_path / "a.tif", fractions, facts={"quantity": "cloud_probability", "unit": "1"})
    b = write(tmp_path / "b.tif", fractions * 100, facts={"quantity": "cloud_probability", "unit": "%"})
    for raster in (a, b):
        cloud_mask_from_probability(raster, tmp_path / "m.tif", threshold=0.4)
        np.testing.assert_array_equal(read(tmp_path / "m.tif"), [[0, 1, 1, 255]])


def test_the_real_masks_follow_from_the_real_probabilities(slovenia: Path, tmp_path: Path) -> None:
    """Published masks are smoothed probabilities over 0.4: most pixels agree with the plain threshold."""
    agreed = []
    for probability in sorted((slovenia / "cloud_probability").glob("*.tif"))[:20]:
        mask = slovenia / "cloud_mask" / probability.name.replace("CLP", "CLM")
        cloud_mask_from_probability(write_artifact(probability), tmp_path / "m.tif")
        ours, theirs = read(tmp_path / "m.tif"), read_array(write_artifact(mask))
        known = ~np.isnan(theirs)
        agreed.append(np.mean(ours[known] == theirs[known]))
    assert np.mean(agreed) > 0.9
