"""Learned models over scenes: against the same numbers computed by numpy on whole arrays."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx_models
import pytest
from numpy.typing import NDArray
from raster_files import opened, read, write
from scipy.ndimage import correlate

from knowflow.ground.errors import DataNotFoundError, RunInterruptedError, UnreadableDataError
from knowflow.knowledge.models import ModelNotRegisteredError, load_card
from knowflow.model.artifact import Artifact
from knowflow.tools.context import running
from knowflow.tools.learned import tiles
from knowflow.tools.learned.change import change_detection
from knowflow.tools.learned.detection import object_detection
from knowflow.tools.learned.inversion import remote_sensing_inversion
from knowflow.tools.learned.models import WrongModelError
from knowflow.tools.learned.scene import scene_classification
from knowflow.tools.learned.segmentation import semantic_segmentation
from knowflow.tools.raster.source import Handles, Source

SHAPE = (150, 173)
CLASSES = {3: "water", 5: "forest", 9: "field"}
KERNEL = np.array([[2.0, -1.0], [-1.0, 2.0], [0.2, 0.3]], dtype=np.float32)
BIAS = np.array([0.1, -0.1, 0.2], dtype=np.float32)


@pytest.fixture
def bands(tmp_path: Path) -> dict[str, Artifact]:
    """Two bands, stored as int16 x 10000; a corner of the first is nodata."""
    numbers = np.random.default_rng(7).integers(1, 10000, (2, *SHAPE)).astype(np.int16)
    numbers[0, :20, :30] = -1
    return {
        name: write(tmp_path / f"{name}.tif", numbers[place], nodata=-1, scale=1e-4)
        for place, name in enumerate(("red", "nir"))
    }


def physical(bands: Mapping[str, Artifact]) -> NDArray[np.float32]:
    stored = np.stack([read(Path(str(band.path))).astype(np.float32) for band in bands.values()])
    return np.where(stored < 0, np.nan, stored * np.float32(1e-4))


def softmax(scores: NDArray[Any]) -> NDArray[Any]:
    raised = np.exp(scores - scores.max(axis=0))
    return np.asarray(raised / raised.sum(axis=0))


def pixel_card(folder: Path, **changes: Any) -> Path:
    onnx_models.pixel_convolution(folder, "crops", KERNEL[:, :, None, None], BIAS)
    said: dict[str, Any] = {
        "task": "semantic_segmentation",
        "inputs": {"image": "image"},
        "outputs": {"scores": "scores"},
        "bands": ["red", "nir"],
        "normalisation": {"factor": 2.0, "mean": [0.5, 1.0], "std": [0.25, 0.5]},
        "activation": "softmax",
        "tile": {"size": 32, "overlap": 8, "batch": 3},
        "classes": CLASSES,
    }
    return onnx_models.card(folder, "crops", **{**said, **changes})


def expected_probabilities(bands: Mapping[str, Artifact]) -> NDArray[Any]:
    values = (physical(bands) * 2.0 - np.array([0.5, 1.0])[:, None, None]) / np.array([0.25, 0.5])[:, None, None]
    return softmax(np.einsum("cb,bij->cij", KERNEL, values) + BIAS[:, None, None])


class TestSegmentation:
    @pytest.mark.parametrize(("size", "overlap"), [(32, 8), (64, 0), (256, 32), (150, 74)])
    def test_a_model_of_single_pixels_gives_the_same_whatever_the_tiles(
        self, bands: dict[str, Artifact], tmp_path: Path, size: int, overlap: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(tiles, "TILE", 64)  # several bands of rows and panels of columns on a small scene
        monkeypatch.setattr(tiles, "_BLEND_BYTES", 1)
        path = pixel_card(tmp_path, tile={"size": size, "overlap": overlap, "batch": 3})
        semantic_segmentation(str(path), bands, tmp_path / "classes.tif", tmp_path / "sure.tif")
        truth = expected_probabilities(bands)
        gone = np.isnan(truth).any(axis=0)
        numbers = np.array(list(CLASSES))[np.where(gone, 0, truth).argmax(axis=0)]
        np.testing.assert_array_equal(read(tmp_path / "classes.tif"), np.where(gone, 255, numbers))
        np.testing.assert_allclose(read(tmp_path / "sure.tif"), np.where(gone, np.nan, truth.max(axis=0)), rtol=1e-5)

    def test_the_map_says_what_it_is(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        path = pixel_card(tmp_path, quantity="land_cover_class")
        semantic_segmentation(str(path), bands, tmp_path / "classes.tif", tmp_path / "sure.tif")
        with opened(tmp_path / "classes.tif") as found:
            tags = found.tags()
            assert found.nodata == 255
            assert (found.crs.to_epsg(), found.transform.c) == (32633, 500_000.0)
        assert tags["QUANTITY"] == "land_cover_class"
        assert tags["MODEL"] == "crops"
        assert json.loads(tags["CLASSES"]) == {"3": "water", "5": "forest", "9": "field"}

    def test_what_tiles_see_differently_is_blended(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        """A convolution sees zeros beyond its tile; far from the borders of tiles it is that of the whole scene."""
        kernel = np.random.default_rng(1).normal(0, 0.4, (2, 1, 3, 3)).astype(np.float32)
        onnx_models.pixel_convolution(tmp_path, "edges", kernel, np.zeros(2, dtype=np.float32))
        path = pixel_card(tmp_path)
        path = onnx_models.card(
            tmp_path,
            "edges",
            task="semantic_segmentation",
            inputs={"image": "image"},
            outputs={"scores": "scores"},
            bands=["nir"],
            activation="softmax",
            tile={"size": 64, "overlap": 16},
            classes={0: "a", 1: "b"},
        )
        semantic_segmentation(str(path), bands, tmp_path / "classes.tif", tmp_path / "sure.tif")
        nir = physical(bands)[1]
        truth = softmax(np.stack([correlate(nir, one[0], mode="constant") for one in kernel]))
        found = read(tmp_path / "sure.tif")
        np.testing.assert_allclose(found[2:46, 2:46], truth.max(axis=0)[2:46, 2:46], rtol=1e-4)
        assert np.abs(np.where(read(tmp_path / "classes.tif") == 1, found, 1 - found) - truth[1]).mean() < 0.01

    def test_channels_last_and_one_sigmoid_score(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        from onnx import helper

        node = helper.make_node("MatMul", ["image", "w"], ["scores"])
        weights = {"w": np.array([[4.0], [-4.0]], dtype=np.float32)}
        onnx_models.save(
            tmp_path / "crops.onnx",
            [node],
            {"image": ["n", "h", "w_", 2]},
            {"scores": ["n", "h", "w_", 1]},
            weights,
        )
        said = onnx_models.card(
            tmp_path,
            "crops",
            task="semantic_segmentation",
            inputs={"image": "image"},
            outputs={"scores": "scores"},
            bands=["red", "nir"],
            layout="channels_last",
            activation="sigmoid",
            classes={0: "dry", 1: "wet"},
            tile={"size": 64, "overlap": 8},
        )
        semantic_segmentation(str(said), bands, tmp_path / "classes.tif", tmp_path / "sure.tif")
        red, nir = physical(bands)
        truth = np.where(np.isnan(red), 255, red > nir)
        assert (read(tmp_path / "classes.tif") != truth).mean() < 1e-3  # where both are all but equal
        sure = read(tmp_path / "sure.tif")
        np.testing.assert_allclose(sure, 1 / (1 + np.exp(-4 * np.abs(red - nir))), rtol=1e-4)

    def test_a_model_of_one_batch_size_is_given_that(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        from onnx import helper

        node = helper.make_node("Conv", ["image", "w", "b"], ["scores"])
        shapes = [2, 2, 32, 32], [2, 3, 32, 32]
        weights = {"w": KERNEL[:, :, None, None], "b": BIAS}
        path = pixel_card(tmp_path)
        onnx_models.save(tmp_path / "crops.onnx", [node], {"image": shapes[0]}, {"scores": shapes[1]}, weights)
        semantic_segmentation(str(path), bands, tmp_path / "classes.tif", tmp_path / "sure.tif")
        truth = expected_probabilities(bands).max(axis=0)
        np.testing.assert_allclose(read(tmp_path / "sure.tif"), truth, rtol=1e-5)


class TestRefusals:
    def run(self, bands: dict[str, Artifact], folder: Path, path: Path | str) -> None:
        semantic_segmentation(str(path), bands, folder / "classes.tif", folder / "sure.tif")
        assert (folder / "classes.tif").exists()

    def test_a_band_that_is_not_there(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(WrongModelError, match="needs bands") as caught:
            self.run({"red": bands["red"]}, tmp_path, pixel_card(tmp_path))
        assert caught.value.hint == "missing: nir"

    def test_numbers_of_another_quantity(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        from knowflow.model.facts import Facts, Origin

        wrong = bands["nir"].with_facts(Facts.of(Origin.USER, "", quantity="ndvi"))
        path = pixel_card(tmp_path, accepts=["surface_bidirectional_reflectance"])
        with pytest.raises(WrongModelError, match="trained on something else"):
            self.run({**bands, "nir": wrong}, tmp_path, path)

    def test_pixels_of_another_size(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        self.run(bands, tmp_path, pixel_card(tmp_path, resolution=[5, 10]))
        with pytest.raises(WrongModelError, match="another size") as caught:
            self.run(bands, tmp_path, pixel_card(tmp_path, resolution=[0.3, 1]))
        assert caught.value.found == "10 m"

    def test_scores_that_are_no_probabilities(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(WrongModelError, match="not probabilities"):
            self.run(bands, tmp_path, pixel_card(tmp_path, activation="none"))

    def test_more_classes_than_the_card_names(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(Exception, match="other classes than its card"):
            self.run(bands, tmp_path, pixel_card(tmp_path, classes={0: "a", 1: "b"}))

    def test_tiles_are_read_no_more_when_their_files_are_closed(
        self, bands: dict[str, Artifact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A file that is closed while another thread reads it ends the process."""
        reading: list[int] = []
        at_the_end: list[int] = []
        fetch, close = Source.read_stored, Handles.close

        def slowly(*given: Any) -> Any:
            reading.append(1)
            time.sleep(0.02)
            reading.pop()
            return fetch(*given)

        def closed(opened: Handles) -> None:
            at_the_end.append(len(reading))
            close(opened)

        monkeypatch.setattr(Source, "read_stored", slowly)
        monkeypatch.setattr(Handles, "close", closed)
        with pytest.raises(Exception, match="other classes than its card"):
            self.run(bands, tmp_path, pixel_card(tmp_path, classes={0: "a", 1: "b"}))
        assert set(at_the_end) == {0}

    def test_tensors_of_other_names(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(WrongModelError, match="the outputs of the model") as caught:
            self.run(bands, tmp_path, pixel_card(tmp_path, outputs={"scores": "logits"}))
        assert (caught.value.expected, caught.value.found) == ("logits", "scores")

    def test_a_file_that_is_no_model(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        path = pixel_card(tmp_path)
        (tmp_path / "crops.onnx").write_bytes(b"not a model")
        with pytest.raises(UnreadableDataError, match="cannot load"):
            self.run(bands, tmp_path, path)

    def test_an_onnx_file_without_a_card(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        pixel_card(tmp_path)
        with pytest.raises(UnreadableDataError, match="does not say what it is"):
            self.run(bands, tmp_path, tmp_path / "crops.onnx")

    def test_a_model_for_another_task(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(WrongModelError, match="another task"):
            scene_classification(str(pixel_card(tmp_path)), bands)

    def test_a_name_that_nobody_registered(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(ModelNotRegisteredError) as caught:
            self.run(bands, tmp_path, "unheard_of")
        assert "knowflow models add" in str(caught.value.hint)

    def test_a_file_that_does_not_exist(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(DataNotFoundError):
            self.run(bands, tmp_path, "nowhere.onnx")


def spots(tmp_path: Path) -> tuple[dict[str, Artifact], list[tuple[int, int]]]:
    """Bright pixels, some of them where tiles meet."""
    places = [(5, 5), (40, 63), (63, 40), (47, 48), (48, 100), (96, 96), (149, 172), (120, 30)]
    image = np.zeros(SHAPE, dtype=np.float32)
    for number, (row, column) in enumerate(places):
        image[row, column] = 0.6 + 0.05 * number
    return {"pan": write(tmp_path / "pan.tif", image)}, places


def detector_card(folder: Path, **changes: Any) -> Path:
    said: dict[str, Any] = {
        "task": "object_detection",
        "inputs": {"image": "image"},
        "outputs": {"boxes": "boxes", "scores": "scores"},
        "bands": ["pan"],
        "tile": {"size": 64, "overlap": 16, "batch": 2},
        "classes": {1: "ship"},
    }
    return onnx_models.card(folder, "ships", **{**said, **changes})


def features(path: Path) -> tuple[Any, dict[str, Any], list[Any]]:
    import pyogrio
    import shapely

    meta, _, geometries, columns = pyogrio.raw.read(path)
    fields = dict(zip(meta["fields"], columns, strict=True))
    return meta["crs"], fields, list(shapely.from_wkb(geometries))


class TestDetection:
    def test_every_object_is_told_once_and_in_its_place(self, tmp_path: Path) -> None:
        bands, places = spots(tmp_path)
        onnx_models.bright_spots(tmp_path, "ships", 2.5)
        assert object_detection(str(detector_card(tmp_path)), bands, tmp_path / "ships.gpkg") == len(places)
        crs, fields, shapes = features(tmp_path / "ships.gpkg")
        assert crs == "EPSG:32633"
        order = sorted(range(len(places)), key=lambda number: -number)  # the brightest first
        np.testing.assert_allclose(fields["score"], [0.6 + 0.05 * number for number in order], rtol=1e-5)
        assert set(fields["name"]) == {"ship"}
        for shape, number in zip(shapes, order, strict=True):
            row, column = places[number]
            west, south, east, north = shape.bounds
            assert west == pytest.approx(500_000 + 10 * (column - 2))
            assert north == pytest.approx(5_100_000 - 10 * (row - 2))
            inside = (500_000 + 10 * min(column + 3, SHAPE[1]), 5_100_000 - 10 * min(row + 3, SHAPE[0]))
            assert (east, south) == pytest.approx(inside)

    def test_of_boxes_that_overlap_the_best_stays(self, tmp_path: Path) -> None:
        image = np.zeros((40, 40), dtype=np.float32)
        image[10, 10:13] = 0.7, 0.9, 0.8
        bands = {"pan": write(tmp_path / "pan.tif", image)}
        onnx_models.bright_spots(tmp_path, "ships", 5.0)
        assert object_detection(str(detector_card(tmp_path)), bands, tmp_path / "one.gpkg") == 1
        assert features(tmp_path / "one.gpkg")[1]["score"].tolist() == pytest.approx([0.9])
        loose = detector_card(tmp_path, detection={"iou": 0.95})
        assert object_detection(str(loose), bands, tmp_path / "all.gpkg") == 3

    def test_a_higher_score_can_be_asked_for(self, tmp_path: Path) -> None:
        bands, _ = spots(tmp_path)
        onnx_models.bright_spots(tmp_path, "ships", 2.5)
        assert object_detection(str(detector_card(tmp_path)), bands, tmp_path / "some.gpkg", score=0.83) == 3

    def test_nothing_found_is_an_empty_layer(self, tmp_path: Path) -> None:
        bands = {"pan": write(tmp_path / "pan.tif", np.zeros((40, 40), dtype=np.float32))}
        onnx_models.bright_spots(tmp_path, "ships", 2.5)
        assert object_detection(str(detector_card(tmp_path)), bands, tmp_path / "none.gpkg") == 0
        crs, fields, shapes = features(tmp_path / "none.gpkg")
        assert (crs, list(fields), shapes) == (
            "EPSG:32633",
            ["class", "name", "score", "x1", "y1", "x2", "y2"],
            [],
        )

    def test_batches_centres_fractions_and_classes(self, tmp_path: Path) -> None:
        stack = np.zeros((2, *SHAPE), dtype=np.float32)
        stack[0, 20, 20], stack[1, 50, 100], stack[1, 51, 100] = 0.9, 0.8, 0.7
        bands = {name: write(tmp_path / f"{name}.tif", stack[n]) for n, name in enumerate(("red", "nir"))}
        onnx_models.dense_detector(tmp_path, "ships", 64)
        path = detector_card(
            tmp_path,
            bands=["red", "nir"],
            classes={1: "ship", 4: "tank"},
            detection={"boxes": "cxcywh", "coordinates": "fraction", "iou": 0.4},
        )
        assert object_detection(str(path), bands, tmp_path / "found.gpkg") == 2
        _, fields, _ = features(tmp_path / "found.gpkg")
        assert fields["class"].tolist() == [1, 4]
        np.testing.assert_allclose(fields["x1"], [19.0, 99.0], atol=1e-4)
        np.testing.assert_allclose(fields["y2"], [22.0, 52.0], atol=1e-4)


class TestOtherTasks:
    def test_change_between_two_dates(self, tmp_path: Path) -> None:
        rng = np.random.default_rng(3)
        first, second = rng.random((2, *SHAPE)).astype(np.float32)
        second[:10] = np.nan
        before = {"red": write(tmp_path / "a.tif", first)}
        after = {"red": write(tmp_path / "b.tif", second)}
        onnx_models.absolute_difference(tmp_path, "moves", 0.5)
        path = onnx_models.card(
            tmp_path,
            "moves",
            task="change_detection",
            inputs={"pre": "before", "post": "after"},
            outputs={"scores": "logit"},
            bands=["red"],
            activation="sigmoid",
            tile={"size": 64, "overlap": 8},
        )
        change_detection(str(path), before, after, tmp_path / "mask.tif", tmp_path / "p.tif")
        moved = np.abs(second - first)
        np.testing.assert_array_equal(read(tmp_path / "mask.tif"), np.where(np.isnan(moved), 255, moved > 0.5))
        truth = 1 / (1 + np.exp(-100 * (moved - 0.5)))
        np.testing.assert_allclose(read(tmp_path / "p.tif"), truth, rtol=1e-3, atol=1e-6)

    def test_a_regression_gives_its_quantity_in_its_unit(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        onnx_models.pixel_convolution(
            tmp_path, "lai", np.array([[-1.0, 3.0]], dtype=np.float32)[:, :, None, None], np.float32([0.5])
        )
        said: dict[str, Any] = {
            "task": "remote_sensing_inversion",
            "inputs": {"image": "image"},
            "outputs": {"values": "scores"},
            "bands": ["red", "nir"],
            "quantity": "leaf_area_index",
            "unit": "1",
            "tile": {"size": 64, "overlap": 8},
        }
        path = onnx_models.card(tmp_path, "lai", **said)
        remote_sensing_inversion(str(path), bands, "leaf_area_index", tmp_path / "lai.tif")
        red, nir = physical(bands)
        np.testing.assert_allclose(read(tmp_path / "lai.tif"), 3 * nir - red + 0.5, rtol=1e-5, atol=1e-6)
        with opened(tmp_path / "lai.tif") as found:
            assert (found.tags()["QUANTITY"], found.tags()["UNIT"]) == ("leaf_area_index", "1")
        with pytest.raises(WrongModelError, match="another quantity"):
            remote_sensing_inversion(str(path), bands, "ndvi", tmp_path / "no.tif")

    @pytest.mark.parametrize("fit", ["tiles", "resize"])
    def test_a_scene_is_classified_by_its_mean(self, tmp_path: Path, fit: str) -> None:
        bands = {
            "red": write(tmp_path / "red.tif", np.full(SHAPE, 0.2, dtype=np.float32)),
            "nir": write(tmp_path / "nir.tif", np.full(SHAPE, 0.6, dtype=np.float32)),
        }
        matrix = np.array([[5.0, 1.0, 0.0], [0.0, 4.0, 1.0]], dtype=np.float32)
        onnx_models.scene_mean(tmp_path, "scenes", matrix)
        path = onnx_models.card(
            tmp_path,
            "scenes",
            task="scene_classification",
            inputs={"image": "image"},
            outputs={"scores": "scores"},
            bands=["red", "nir"],
            activation="softmax",
            fit=fit,
            tile={"size": 50, "overlap": 0},
            classes={0: "desert", 1: "forest", 2: "town"},
        )
        found = scene_classification(str(path), bands)
        truth = softmax(np.array([0.2, 0.6]) @ matrix)
        assert [row["name"] for row in found] == ["forest", "desert", "town"]
        np.testing.assert_allclose([row["probability"] for row in found], sorted(truth, reverse=True), rtol=1e-4)


@pytest.mark.parametrize("length", [1, 31, 32, 33, 56, 57, 100, 1000])
def test_tiles_cover_all_and_stay_inside(length: int) -> None:
    begins = tiles.starts(length, 32, 8)
    covered = np.zeros(max(length, 32), dtype=bool)
    for begin in begins:
        covered[begin : begin + 32] = True
    assert covered.all()
    assert begins[-1] + 32 == max(length, 32)
    assert all(later - earlier <= 24 for earlier, later in pairwise(begins))


class TestLongRuns:
    def test_progress_is_told(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        told: list[float] = []
        with running(told.append):
            semantic_segmentation(str(pixel_card(tmp_path)), bands, tmp_path / "c.tif", tmp_path / "s.tif")
        assert told == sorted(told)
        assert told[-1] == 1.0
        assert len(told) == len(tiles.starts(150, 32, 8)) * len(tiles.starts(173, 32, 8))

    def test_a_run_that_is_stopped_leaves_nothing(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        told: list[float] = []
        with running(told.append, lambda: len(told) > 5), pytest.raises(RunInterruptedError):
            semantic_segmentation(str(pixel_card(tmp_path)), bands, tmp_path / "c.tif", tmp_path / "s.tif")
        assert len(told) < 10
        assert not (tmp_path / "c.tif").exists()
        assert not (tmp_path / "s.tif").exists()

    def test_what_is_held_does_not_grow_with_the_scene(self, tmp_path: Path) -> None:
        """The sums that tiles are blended in, for scenes of any size."""
        card = load_card(pixel_card(tmp_path)).card
        held = []
        for side in (2_000, 20_000, 200_000):
            grid = tiles.tile_grid(card, (side, side), 3)
            held.append(min(grid.width, side) * (512 + grid.rows) * 3 * 4)
        assert held[1] == held[2] <= 64 << 20
        assert held[0] <= held[1]
