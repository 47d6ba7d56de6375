"""Clusters and segments: against scikit-learn and scikit-image on whole arrays, whatever the blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from raster_files import opened, read, write
from scipy.ndimage import label
from skimage.segmentation import slic
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from knowflow.ground.errors import ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.classical.clusters import unsupervised_classes
from knowflow.tools.classical.sample import sample_pixels
from knowflow.tools.classical.segments import segment_slic, segment_watershed

SHAPE = (90, 600)


def three_groups() -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Two bands of three groups; the second band has ten times the spread."""
    random = np.random.default_rng(6)
    group = random.integers(0, 3, SHAPE)
    means = np.array([[0.2, 3.0], [0.1, 1.0], [0.4, 5.0]])
    values = means[group] + random.normal(0, [0.02, 0.2], (*SHAPE, 2))
    values[:3] = np.nan
    return np.moveaxis(values, -1, 0).astype(np.float32), group


@pytest.fixture
def bands(tmp_path: Path) -> dict[str, Artifact]:
    values, _ = three_groups()
    return {name: write(tmp_path / f"{name}.tif", values[place]) for place, name in enumerate(("red", "nir"))}


class TestClusters:
    @pytest.mark.parametrize("method", ["k_means", "gaussian_mixture"])
    def test_groups_are_found_and_numbered_from_dark_to_bright(
        self, bands: dict[str, Artifact], tmp_path: Path, method: Any
    ) -> None:
        rows = unsupervised_classes(bands, tmp_path / "out.tif", classes=3, method=method, sample=5000)
        found, (_, group) = read(tmp_path / "out.tif"), three_groups()
        assert (found[:3] == 255).all()
        np.testing.assert_array_equal(found[3:], np.array([2, 1, 3])[group[3:]])
        np.testing.assert_allclose([row["mean_nir"] for row in rows], [1, 3, 5], atol=0.05)
        np.testing.assert_allclose([row["share"] for row in rows], [1 / 3] * 3, atol=0.05)

    @pytest.mark.parametrize("standardise", [True, False])
    def test_with_all_pixels_the_classes_are_those_of_scikit_learn(
        self, bands: dict[str, Artifact], tmp_path: Path, standardise: bool
    ) -> None:
        unsupervised_classes(bands, tmp_path / "out.tif", classes=4, standardise=standardise, sample=10**6, seed=3)
        values, _ = three_groups()
        pixels = values[:, 3:].reshape(2, -1).T.astype(np.float64)
        if standardise:
            pixels = (pixels - pixels.mean(axis=0)) / pixels.std(axis=0)
        truth = KMeans(4, n_init=5, random_state=3).fit_predict(pixels)
        assert adjusted_rand_score(truth, read(tmp_path / "out.tif")[3:].ravel()) > 0.99

    def test_a_mixture_is_that_of_scikit_learn(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        unsupervised_classes(bands, tmp_path / "o.tif", 2, "gaussian_mixture", standardise=False, sample=10**6, seed=1)
        values, _ = three_groups()
        pixels = values[:, 3:].reshape(2, -1).T.astype(np.float64)
        truth = GaussianMixture(2, n_init=2, random_state=1).fit_predict(pixels)
        assert adjusted_rand_score(truth, read(tmp_path / "o.tif")[3:].ravel()) > 0.99

    def test_means_tell_their_unit_and_that_of_each_band_where_they_differ(self, tmp_path: Path) -> None:
        values, _ = three_groups()
        facts = {"red": "%", "nir": "%", "t": "K"}
        many = {
            name: write(tmp_path / f"{name}.tif", values[place % 2], facts={"unit": unit})
            for place, (name, unit) in enumerate(facts.items())
        }
        alike = unsupervised_classes({one: many[one] for one in ("red", "nir")}, tmp_path / "out.tif", classes=3)
        assert [row["unit"] for row in alike] == ["%"] * 3
        mixed = unsupervised_classes(many, tmp_path / "out.tif", classes=3)
        assert [(row["unit_red"], row["unit_nir"], row["unit_t"]) for row in mixed] == [("%", "%", "K")] * 3
        assert "unit" not in mixed[0]

    def test_more_classes_than_different_pixels_are_refused(self, tmp_path: Path) -> None:
        flat = {"red": write(tmp_path / "flat.tif", np.ones((20, 20), np.float32))}
        with pytest.raises(ToolError, match="fewer different pixels"):
            unsupervised_classes(flat, tmp_path / "out.tif")

    def test_equal_seeds_give_equal_maps(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        maps = []
        for _ in range(2):
            unsupervised_classes(bands, tmp_path / "out.tif", classes=6, sample=2000, seed=9)
            maps.append(read(tmp_path / "out.tif"))
        np.testing.assert_array_equal(*maps)


class TestSample:
    def test_it_is_a_regular_grid_of_places_whatever_the_blocks(self, tmp_path: Path) -> None:
        values = np.arange(700 * 2300, dtype=np.float32).reshape(700, 2300)
        image = write(tmp_path / "a.tif", values, tiled=True, blockxsize=256, blockysize=256)
        found = sample_pixels([image], 10_000)
        step = 13  # the root of the number of pixels for each one taken, rounded up
        assert len(found) == len(range(0, 700, step)) * len(range(0, 2300, step))
        np.testing.assert_array_equal(np.sort(found[:, 0]), values[::step, ::step].ravel())

    def test_without_data_there_is_none(self, tmp_path: Path) -> None:
        image = write(tmp_path / "a.tif", np.full((9, 9), np.nan, np.float32))
        with pytest.raises(ToolError, match="no pixel"):
            sample_pixels([image], 100)


def fields(tmp_path: Path) -> tuple[dict[str, Artifact], NDArray[np.int64]]:
    """Twelve fields of 20 x 25 pixels with noise; a strip is nodata."""
    random = np.random.default_rng(12)
    number = np.arange(60)[:, None] // 20 * 4 + np.arange(100)[None, :] // 25
    levels = random.permutation(12) / 12
    values = levels[number] + random.normal(0, 0.01, (60, 100))
    other = levels[::-1][number] + random.normal(0, 0.01, (60, 100))
    values[:, 98:] = np.nan
    bands = {
        "red": write(tmp_path / "red.tif", values.astype(np.float32)),
        "nir": write(tmp_path / "nir.tif", other.astype(np.float32)),
    }
    return bands, number


class TestSegments:
    def test_a_watershed_finds_the_fields(self, tmp_path: Path) -> None:
        bands, number = fields(tmp_path)
        count = segment_watershed(bands, tmp_path / "out.tif", smoothing=1.0, depth=0.05)
        found = read(tmp_path / "out.tif")
        assert count == 12
        assert (found[:, 98:] == -1).all()
        known = found > 0
        assert adjusted_rand_score(number[known], found[known]) > 0.95

    def test_superpixels_are_those_of_scikit_image(self, tmp_path: Path) -> None:
        bands, number = fields(tmp_path)
        count = segment_slic(bands, tmp_path / "out.tif", size=100, compactness=0.1)
        found = read(tmp_path / "out.tif")
        layers = np.stack([read(Path(str(band.path))) for band in bands.values()], axis=-1).astype(np.float64)
        known = np.isfinite(layers).all(axis=-1)
        low, high = np.percentile(layers[known], [1, 99], axis=0)
        image = np.clip((layers - low) / (high - low), 0, 1)
        image[:, 98:] = image[:, 97:98]  # the nearest that is data
        truth = slic(image, round(known.sum() / 100), 0.1, mask=known, start_label=1, channel_axis=-1)
        assert count == len(np.unique(truth[known]))
        assert adjusted_rand_score(truth[known], found[known]) == pytest.approx(1.0)
        for one in range(1, count + 1):
            assert label(found == one, np.ones((3, 3)))[1] == 1
        purity = sum(np.bincount(number[found == one]).max() for one in range(1, count + 1)) / known.sum()
        assert purity > 0.95

    @pytest.mark.parametrize("tool", [segment_slic, segment_watershed])
    def test_segments_are_numbered_in_reading_order(self, tmp_path: Path, tool: Any) -> None:
        bands, _ = fields(tmp_path)
        count = tool(bands, tmp_path / "out.tif")
        found = read(tmp_path / "out.tif")
        assert found[0, 0] == 1
        first = [np.flatnonzero(found.ravel() == one)[0] for one in range(1, count + 1)]
        assert first == sorted(first)
        with opened(tmp_path / "out.tif") as written:
            assert written.tags()["QUANTITY"] == "connected_component_label"

    def test_one_value_is_one_segment(self, tmp_path: Path) -> None:
        flat = {"red": write(tmp_path / "flat.tif", np.ones((20, 20), np.float32))}
        assert segment_watershed(flat, tmp_path / "out.tif") == 1

    @pytest.mark.parametrize("tool", [segment_slic, segment_watershed])
    def test_nothing_cannot_be_segmented(self, tmp_path: Path, tool: Any) -> None:
        empty = {"red": write(tmp_path / "none.tif", np.full((20, 20), np.nan, np.float32))}
        with pytest.raises(ToolError, match="nothing to segment"):
            tool(empty, tmp_path / "out.tif")
