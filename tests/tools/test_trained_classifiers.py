"""Classifiers trained on polygons: files against scikit-learn, the split by polygons, accuracies against the truth."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import shapely
from numpy.typing import NDArray
from pyogrio.raw import write as write_vector
from raster_files import NORTH_UP, read, write
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, confusion_matrix, precision_recall_fscore_support

from knowflow.ground.errors import ToolError, UnreadableDataError
from knowflow.knowledge.models import Model
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.tools.area import area_by_class
from knowflow.tools.kernels.accuracy import Confusion
from knowflow.tools.learned.labelled import labelled_pixels, pixels_of, read_labelled
from knowflow.tools.learned.models import trained
from knowflow.tools.learned.network import Network
from knowflow.tools.learned.onnx_file import metadata_of
from knowflow.tools.learned.pixel_classifier import fit, write_classifier
from knowflow.tools.learned.segmentation import semantic_segmentation
from knowflow.tools.learned.training import _card, accuracy_assessment, split, train_classifier
from knowflow.tools.raster import grid_of

SHAPE = (120, 120)
ALGORITHMS = ("random_forest", "extra_trees", "maximum_likelihood", "logistic_regression")


def overlapping_clouds(classes: int, count: int = 400) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Pixels of Gaussian classes in three bands that overlap."""
    random = np.random.default_rng(11)
    values, codes = [], []
    for code in range(classes):
        root = np.eye(3) * 0.05 + random.normal(0, 0.02, (3, 3))
        values.append(random.normal(size=(count, 3)) @ root + 0.3 + 0.08 * code * np.array([1.0, -0.5, 0.3]))
        codes.append(np.full(count, code + 1))
    return np.concatenate(values).astype(np.float32), np.concatenate(codes)


def network_of(folder: Path, algorithm: Any, values: NDArray[np.float32], codes: NDArray[np.int64]) -> Network:
    bands = {name: Artifact("raster") for name in ("red", "nir", "swir16")}
    names = {int(code): f"class {code}" for code in np.unique(codes)}
    card = _card("trained", bands, names, "land_cover_class", algorithm)
    path = folder / "trained.onnx"
    write_classifier(path, fit(algorithm, values, codes, 30, 4), card)
    return Network(Model(card, path, path, "file"))


def oracle(algorithm: str, values: NDArray[np.float32], codes: NDArray[np.int64]) -> Any:
    same = {"n_estimators": 30, "random_state": 4, "min_samples_leaf": 2}
    match algorithm:
        case "random_forest":
            return RandomForestClassifier(**same).fit(values, codes).predict_proba
        case "extra_trees":
            return ExtraTreesClassifier(**same).fit(values, codes).predict_proba
        case "maximum_likelihood":
            count = len(np.unique(codes))
            model = QuadraticDiscriminantAnalysis(priors=np.full(count, 1 / count), tol=1e-12)
            return model.fit(values.astype(np.float64), codes).predict_proba
        case _:
            mean, spread = values.mean(axis=0, dtype=np.float64), values.std(axis=0, dtype=np.float64)
            fitted = LogisticRegression(max_iter=2000).fit((values - mean) / spread, codes)
            return lambda new: fitted.predict_proba((new - mean) / spread)


class TestTheFile:
    @pytest.mark.parametrize("classes", [2, 3, 6])
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_it_gives_the_probabilities_of_scikit_learn(self, tmp_path: Path, algorithm: str, classes: int) -> None:
        values, codes = overlapping_clouds(classes)
        network = network_of(tmp_path, algorithm, values, codes)
        new = np.random.default_rng(5).uniform(-0.2, 0.9, (5000, 3)).astype(np.float32)
        found = network.run({"image": new})["scores"]
        truth = oracle(algorithm, values, codes)(new)
        np.testing.assert_allclose(found, truth, atol=1e-3 if algorithm == "maximum_likelihood" else 2e-5)

    def test_thresholds_are_kept_exactly(self, tmp_path: Path) -> None:
        """The training pixels lie beside the thresholds: a threshold rounded upwards would let some cross over."""
        values = np.linspace(0.1, 0.1001, 300, dtype=np.float32)[:, None] * np.ones((1, 3), dtype=np.float32)
        codes = np.random.default_rng(2).integers(1, 3, 300)
        network = network_of(tmp_path, "random_forest", values, codes)
        truth = oracle("random_forest", values, codes)(values)
        np.testing.assert_allclose(network.run({"image": values})["scores"], truth, atol=1e-5)

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_it_is_valid_onnx_and_says_what_it_is(self, tmp_path: Path, algorithm: str) -> None:
        network_of(tmp_path, algorithm, *overlapping_clouds(3))
        path = tmp_path / "trained.onnx"
        onnx.checker.check_model(onnx.load(path), full_check=True)
        found = trained(path)
        assert found.card.bands == ("red", "nir", "swir16")
        assert found.card.classes == {1: "class 1", 2: "class 2", 3: "class 3"}
        assert found.card.layout == "pixels"

    def test_metadata_of_others_can_be_read(self, tmp_path: Path) -> None:
        network_of(tmp_path, "logistic_regression", *overlapping_clouds(2))
        model = onnx.load(tmp_path / "trained.onnx")
        onnx.helper.set_model_props(model, {"author": "somebody", "empty": ""})
        onnx.save(model, tmp_path / "other.onnx")
        assert metadata_of(tmp_path / "other.onnx") == {"author": "somebody", "empty": ""}

    @pytest.mark.parametrize("content", [b"\xff" * 30, b"\x72\x7f\x01", b"GIF89a....", b"\x08"])
    def test_what_is_no_onnx_file_is_named_so(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "x.onnx"
        path.write_bytes(content)
        with pytest.raises(UnreadableDataError):
            trained(path)

    def test_too_few_pixels_for_a_covariance(self, tmp_path: Path) -> None:
        values, codes = overlapping_clouds(2, count=3)
        with pytest.raises(ToolError, match="too few pixels"):
            network_of(tmp_path, "maximum_likelihood", values, codes)


def truth() -> NDArray[np.int64]:
    """Three classes in stripes of 40 columns."""
    return np.broadcast_to(1 + np.arange(SHAPE[1]) // 40, SHAPE)


@pytest.fixture
def bands(tmp_path: Path) -> dict[str, Artifact]:
    """Two bands in which the classes overlap; a corner is nodata."""
    random = np.random.default_rng(8)
    means = {"red": [0.1, 0.2, 0.3], "nir": [0.5, 0.3, 0.35]}
    found = {}
    for name, levels in means.items():
        values = np.asarray(levels)[truth() - 1] + random.normal(0, 0.05, SHAPE)
        values[:5, :5] = np.nan
        facts = {"quantity": "surface_bidirectional_reflectance"}
        found[name] = write(tmp_path / f"{name}.tif", values.astype(np.float32), facts=facts)
    return found


def polygons(path: Path, boxes: list[tuple[float, float, float, float]], classes: list[Any]) -> Artifact:
    """Boxes (column, row, column, row) as a GeoPackage."""
    a, e, c, f = NORTH_UP.a, NORTH_UP.e, NORTH_UP.c, NORTH_UP.f
    shapes = [shapely.box(c + a * x1, f + e * y2, c + a * x2, f + e * y1) for x1, y1, x2, y2 in boxes]
    write_vector(
        path,
        geometry=np.array(shapely.to_wkb(shapes), dtype=object),
        field_data=[np.array(classes)],
        fields=["class"],
        crs="EPSG:32633",
        geometry_type="Polygon",
        driver="GPKG",
    )
    return Artifact("vector", Facts.of(Origin.MEASURED, "header", crs="EPSG:32633"), path=str(path))


def fields_of(tmp_path: Path, names: list[Any]) -> Artifact:
    """Twelve fields of 20 x 18 pixels, four in each stripe."""
    boxes = [(40.0 * k + 10, 30.0 * r + 5, 40.0 * k + 30, 30.0 * r + 23) for k in range(3) for r in range(4)]
    return polygons(tmp_path / "fields.gpkg", boxes, [name for name in names for _ in range(4)])


def train(bands: dict[str, Artifact], training: Artifact, folder: Path, **more: Any) -> dict[str, Any]:
    outputs = folder / "model.onnx", folder / "accuracy.csv", folder / "confusion.csv"
    (row,) = train_classifier(bands, training, *outputs, **more)
    return row


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


class TestTraining:
    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_the_map_and_its_accuracy(self, bands: dict[str, Artifact], tmp_path: Path, algorithm: str) -> None:
        names = ["forest", "grass", "soil"]
        summary = train(bands, fields_of(tmp_path, names), tmp_path, algorithm=algorithm)
        assert summary["overall_accuracy"] > 0.85
        assert (summary["training_polygons"], summary["test_polygons"]) == (9, 3)
        assert summary["test_pixels"] == 3 * 360
        model = Artifact("model", path=str(tmp_path / "model.onnx"))
        semantic_segmentation(model, bands, tmp_path / "map.tif", tmp_path / "sure.tif")
        found = read(tmp_path / "map.tif")
        assert (found[:5, :5] == 255).all()
        known = found != 255
        real = (found == truth())[known].mean()
        assert real == pytest.approx(summary["overall_accuracy"], abs=0.03)  # the test has told the truth
        rows = area_by_class(Artifact("raster", path=str(tmp_path / "map.tif")))
        assert [row["name"] for row in rows] == names

    def test_the_tables_are_those_of_scikit_learn(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        labelled = fields_of(tmp_path, [3, 7, 9])
        summary = train(bands, labelled, tmp_path, seed=3)
        found = read_labelled(labelled, "class", grid_of(bands["red"]))
        images = tuple(bands.values())
        kept = split(found, pixels_of(found, images[0]), 0.3, 3)
        values, owners = labelled_pixels(found, images, np.ones(len(found)), 3)
        chosen = kept[owners]
        model = trained(tmp_path / "model.onnx")
        scores = Network(model).run({"image": values[chosen]})["scores"]
        mapped, real = np.array(model.card.codes)[scores.argmax(axis=1)], found.codes[owners[chosen]]
        assert summary["overall_accuracy"] == pytest.approx((mapped == real).mean())
        assert summary["kappa"] == pytest.approx(cohen_kappa_score(real, mapped))
        matrix = [[int(row[f"mapped_{code}"]) for code in (3, 7, 9)] for row in table(tmp_path / "confusion.csv")]
        np.testing.assert_array_equal(matrix, confusion_matrix(real, mapped))
        users, producers, f1, counts = precision_recall_fscore_support(real, mapped)
        rows = table(tmp_path / "accuracy.csv")
        for place, row in enumerate(rows):
            assert float(row["users_accuracy"]) == pytest.approx(users[place])
            assert float(row["producers_accuracy"]) == pytest.approx(producers[place])
            assert float(row["f1"]) == pytest.approx(f1[place])
            assert int(row["reference_pixels"]) == counts[place]

    def test_no_polygon_is_learned_from_and_tested_on(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        found = read_labelled(fields_of(tmp_path, [1, 2, 3]), "class", grid_of(bands["red"]))
        sizes = pixels_of(found, bands["red"])
        assert sizes.tolist() == [360] * 12
        for hold_out in (0.01, 0.3, 0.5, 0.9):
            for seed in range(5):
                kept = split(found, sizes, hold_out, seed)
                for code in (1, 2, 3):
                    own = kept[found.codes == code]
                    assert own.any()
                    assert not own.all()
        assert not split(found, sizes, 0.0, 0).any()
        assert {tuple(split(found, sizes, 0.3, seed)) for seed in range(20)} != {tuple(split(found, sizes, 0.3, 0))}

    def test_equal_seeds_give_equal_files(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        labelled = fields_of(tmp_path, [1, 2, 3])
        contents = []
        for _ in range(2):
            train(bands, labelled, tmp_path, seed=1)
            contents.append((tmp_path / "model.onnx").read_bytes())
        assert contents[0] == contents[1]

    def test_a_class_with_one_polygon_is_learned_and_not_tested(
        self, bands: dict[str, Artifact], tmp_path: Path
    ) -> None:
        labelled = polygons(
            tmp_path / "few.gpkg",
            [(5, 5, 25, 40), (50, 5, 70, 20), (50, 40, 70, 60), (90, 5, 110, 40)],
            ["a", "b", "b", "c"],
        )
        summary = train(bands, labelled, tmp_path)
        assert (summary["classes"], summary["test_polygons"]) == (3, 1)
        rows = {row["name"]: row for row in table(tmp_path / "accuracy.csv")}
        assert rows["a"]["producers_accuracy"] == ""
        assert float(rows["b"]["producers_accuracy"]) > 0.6

    def test_without_test_polygons_no_accuracy_is_made_up(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        summary = train(bands, fields_of(tmp_path, [1, 2, 3]), tmp_path, hold_out=0)
        assert (summary["overall_accuracy"], summary["kappa"], summary["test_pixels"]) == (None, None, 0)

    def test_pixels_that_two_polygons_claim_belong_to_none(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        labelled = polygons(tmp_path / "two.gpkg", [(10, 10, 30, 30), (20, 10, 40, 30)], [1, 2])
        found = read_labelled(labelled, "class", grid_of(bands["red"]))
        assert pixels_of(found, bands["red"]).tolist() == [200, 200]

    def test_no_class_is_learned_from_more_than_the_most(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        summary = train(bands, fields_of(tmp_path, [1, 2, 3]), tmp_path, maximum_pixels=100)
        assert 200 < summary["training_pixels"] < 400

    def test_polygons_in_another_crs_are_moved(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        labelled = fields_of(tmp_path, [1, 2, 3])
        inside = read_labelled(labelled, "class", grid_of(bands["red"]))
        from knowflow.tools.polygons import moved

        degrees = [moved(shape, "EPSG:32633", "EPSG:4326") for shape in inside.shapes]
        write_vector(
            tmp_path / "degrees.gpkg",
            geometry=np.array(shapely.to_wkb(degrees), dtype=object),
            field_data=[inside.codes],
            fields=["class"],
            crs="EPSG:4326",
            geometry_type="Polygon",
            driver="GPKG",
        )
        again = read_labelled(Artifact("vector", path=str(tmp_path / "degrees.gpkg")), "class", grid_of(bands["red"]))
        np.testing.assert_array_equal(pixels_of(again, bands["red"]), pixels_of(inside, bands["red"]))


class TestRefusals:
    def test_a_field_that_is_not_there(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(ToolError, match="no field 'crop'") as caught:
            train(bands, fields_of(tmp_path, [1, 2, 3]), tmp_path, class_field="crop")
        assert caught.value.found == "class"

    def test_one_class_only(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        with pytest.raises(ToolError, match="not two classes"):
            train(bands, fields_of(tmp_path, [1, 1, 1]), tmp_path)

    def test_polygons_beside_the_image(self, bands: dict[str, Artifact], tmp_path: Path) -> None:
        away = polygons(tmp_path / "away.gpkg", [(500, 500, 510, 510), (600, 600, 620, 620)], [1, 2])
        with pytest.raises(ToolError, match="not two classes"):
            train(bands, away, tmp_path)

    @pytest.mark.parametrize("codes", [[1, 2, 300], [-1, 2, 3]])
    def test_class_numbers_out_of_range(self, bands: dict[str, Artifact], tmp_path: Path, codes: list[int]) -> None:
        with pytest.raises(ToolError, match="out of range"):
            train(bands, fields_of(tmp_path, codes), tmp_path)


class TestAssessment:
    def test_a_map_against_polygons(self, tmp_path: Path) -> None:
        classes = truth().astype(np.uint8).copy()
        classes[:60, 40:50] = 3  # of grass, a corner is mapped as soil
        classes[0, 0] = 255
        tags = {"CLASSES": '{"1": "forest", "2": "grass", "3": "soil"}'}
        raster = write(tmp_path / "map.tif", classes, nodata=255, tags=tags)
        reference = polygons(
            tmp_path / "reference.gpkg",
            [(0, 0, 20, 10), (40, 0, 60, 10), (80, 0, 100, 10)],
            ["forest", "grass", "soil"],
        )
        (row,) = accuracy_assessment(raster, reference, tmp_path / "accuracy.csv", tmp_path / "confusion.csv")
        assert row["overall_accuracy"] == pytest.approx(499 / 599)
        assert row["pixels"] == 599
        matrix = [
            [int(line[f"mapped_{name}"]) for name in ("forest", "grass", "soil")]
            for line in table(tmp_path / "confusion.csv")
        ]
        assert matrix == [[199, 0, 0], [0, 100, 100], [0, 0, 200]]
        grass = table(tmp_path / "accuracy.csv")[1]
        assert (grass["name"], float(grass["producers_accuracy"]), float(grass["users_accuracy"])) == (
            "grass",
            0.5,
            1.0,
        )

    def test_a_class_that_the_map_does_not_know(self, tmp_path: Path) -> None:
        tags = {"CLASSES": '{"1": "forest", "2": "grass"}'}
        raster = write(tmp_path / "map.tif", np.ones((20, 20), np.uint8), nodata=255, tags=tags)
        reference = polygons(tmp_path / "reference.gpkg", [(0, 0, 10, 10)], ["heath"])
        with pytest.raises(ToolError, match="classes that the map does not have"):
            accuracy_assessment(raster, reference, tmp_path / "a.csv", tmp_path / "c.csv")


def test_congaltons_worked_example() -> None:
    """Congalton (1991), Table 1: deciduous, conifer, agriculture, shrub; overall 74 %, kappa 0.65."""
    counts = np.array([[65, 6, 0, 4], [4, 81, 11, 7], [22, 5, 85, 3], [24, 8, 19, 90]])
    found = Confusion((1, 2, 3, 4), counts)
    assert found.overall == pytest.approx(321 / 434)
    assert found.kappa == pytest.approx(0.65, abs=0.005)
    producers = [row["producers_accuracy"] for row in found.by_class({})]
    users = [row["users_accuracy"] for row in found.by_class({})]
    np.testing.assert_allclose(producers, [65 / 75, 81 / 103, 85 / 115, 90 / 141])
    np.testing.assert_allclose(users, [65 / 115, 81 / 100, 85 / 115, 90 / 104])


def test_no_pixels_have_no_accuracy() -> None:
    empty = Confusion.of((1, 2), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    assert (empty.overall, empty.kappa, empty.total) == (None, None, 0)
    alike = Confusion.of((1, 2), np.ones(5, dtype=np.int64), np.ones(5, dtype=np.int64))
    assert (alike.overall, alike.kappa) == (1.0, None)
