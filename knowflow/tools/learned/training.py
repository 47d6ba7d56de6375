"""Training a pixel classifier on labelled polygons, and its accuracy on polygons that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.knowledge.models import Model
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelCard
from knowflow.tools.area import class_names, numbers_in
from knowflow.tools.context import check_cancelled, report_progress
from knowflow.tools.kernels.accuracy import Confusion
from knowflow.tools.learned.inputs import Bands
from knowflow.tools.learned.labelled import Labelled, labelled_pixels, pixels_of, read_labelled
from knowflow.tools.learned.network import Network
from knowflow.tools.learned.pixel_classifier import Algorithm, fit, write_classifier
from knowflow.tools.raster import Block, grid_of, reduce_blocks
from knowflow.tools.tables import write_table

_TEST_PIXELS = 500_000
_ROWS_AT_ONCE = 1 << 18


def train_classifier(
    bands: Bands,
    training: Artifact,
    model: Path,
    accuracy: Path,
    confusion: Path,
    class_field: str = "class",
    algorithm: Algorithm = "random_forest",
    hold_out: float = 0.3,
    trees: int = 100,
    maximum_pixels: int = 10_000,
    seed: int = 0,
    quantity: str = "land_cover_class",
    name: str = "trained_classifier",
) -> list[dict[str, Any]]:
    """Write a classifier (ONNX with its card), its accuracy by class and its confusion matrix; one row of summary.

    Of each class the share ``hold_out`` of the *polygons*, one at least, is kept for the test: pixels of one polygon
    resemble each other, and a test on neighbours of what was learned flatters. A class with a single polygon is learned
    and not tested. At most ``maximum_pixels`` of each class are learned from. The accuracy is that of the file written.
    """
    images = tuple(bands.values())
    labelled = read_labelled(training, class_field, grid_of(images[0]))
    sizes = pixels_of(labelled, images[0])
    kept = split(labelled, sizes, hold_out, seed)
    shares = _shares(labelled, sizes, kept, maximum_pixels)
    values, owners = labelled_pixels(labelled, images, shares, seed)
    learned, codes = ~kept[owners], labelled.codes[owners]
    present = np.unique(codes[learned])
    if len(present) < 2:
        raise ToolError(
            "there are not two classes to tell apart",
            where=training.path,
            expected="pixels with data of at least 2 classes inside polygons",
            found=f"{len(present)} class(es) in {len(labelled)} polygons",
            hint="see that the polygons lie on the image, and are larger than its pixels",
        )
    report_progress(0.4)
    check_cancelled()
    card = _card(name, bands, {int(code): labelled.names[int(code)] for code in present}, quantity, algorithm)
    write_classifier(model, fit(algorithm, values[learned], codes[learned], trees, seed), card)
    report_progress(0.8)
    testable = ~learned & np.isin(codes, present)
    mapped = _predicted(Model(card, model, model, "file"), values[testable])
    found = Confusion.of(card.codes, codes[testable], mapped)
    write_accuracy(found, card.classes, accuracy, confusion)
    return [
        {
            "overall_accuracy": found.overall,
            "kappa": found.kappa,
            "classes": len(present),
            "training_polygons": int(np.count_nonzero(~kept)),
            "test_polygons": int(np.count_nonzero(kept)),
            "training_pixels": int(np.count_nonzero(learned)),
            "test_pixels": found.total,
            "algorithm": algorithm,
        }
    ]


def split(labelled: Labelled, sizes: NDArray[np.int64], hold_out: float, seed: int) -> NDArray[np.bool_]:
    """True for the polygons kept for the test: of each class a share of those that have pixels, drawn by the seed."""
    random = np.random.default_rng(seed)
    kept = np.zeros(len(labelled), dtype=np.bool_)
    for code in sorted(labelled.names):
        own = np.flatnonzero((labelled.codes == code) & (sizes > 0))
        if hold_out > 0 and len(own) > 1:
            count = min(max(round(hold_out * len(own)), 1), len(own) - 1)
            kept[random.permutation(own)[:count]] = True
    return kept


def _shares(
    labelled: Labelled, sizes: NDArray[np.int64], kept: NDArray[np.bool_], maximum_pixels: int
) -> NDArray[np.float64]:
    """Which share of its pixels each polygon gives: so that no class is learned from more than the maximum; of the
    test the same share of all, for accuracies are of the whole."""
    shares = np.ones(len(labelled))
    shares[kept] = min(1.0, _TEST_PIXELS / max(int(sizes[kept].sum()), 1))
    for code in labelled.names:
        own = (labelled.codes == code) & ~kept
        shares[own] = min(1.0, maximum_pixels / max(int(sizes[own].sum()), 1))
    return shares


def _card(name: str, bands: Bands, classes: Mapping[int, str], quantity: str, algorithm: str) -> ModelCard:
    kinds = {str(band.fact("quantity")).casefold() for band in bands.values() if band.fact("quantity") is not None}
    return ModelCard.model_validate(
        {
            "model": name,
            "title": f"{algorithm.replace('_', ' ').capitalize()} trained on polygons",
            "task": "semantic_segmentation",
            "file": f"{name}.onnx",
            "inputs": {"pixels": "image"},
            "outputs": {"scores": "scores"},
            "bands": list(bands),
            "accepts": sorted(kinds),
            "layout": "pixels",
            "classes": dict(classes),
            "quantity": quantity,
            "licence": "that of its training data",
            "source": f"train_classifier, {algorithm}",
        }
    )


def _predicted(model: Model, values: NDArray[np.float32]) -> NDArray[np.int64]:
    """The classes that the written file gives to pixels (n, bands)."""
    if not len(values):
        return np.empty(0, dtype=np.int64)
    network = Network(model)
    parts = np.array_split(values, -(-len(values) // _ROWS_AT_ONCE))
    places = [np.asarray(network.run({"image": part})["scores"]).argmax(axis=1) for part in parts]
    return np.take(np.asarray(model.card.codes, dtype=np.int64), np.concatenate(places))


def accuracy_assessment(
    raster: Artifact, reference: Artifact, accuracy: Path, confusion: Path, class_field: str = "class"
) -> list[dict[str, Any]]:
    """Compare a class map with polygons that say what is there: accuracy by class, confusion matrix, a row of summary.

    Every pixel counts whose centre lies in one polygon and that has a class in the map.
    """
    labelled = read_labelled(reference, class_field, grid_of(raster), _called(raster))

    def kernel(block: Block) -> dict[tuple[int, int], int]:
        claimed = labelled.claimed(block.grid)
        known = claimed >= 0
        if not known.any():
            return {}
        known &= block.valid("raster")
        pairs = np.stack([labelled.codes[claimed[known]], block.raw("raster")[known].astype(np.int64)])
        found, counts = np.unique(pairs, axis=1, return_counts=True)
        return {(int(a), int(b)): int(count) for a, b, count in zip(*found, counts, strict=True)}

    def together(a: dict[tuple[int, int], int], b: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
        return {pair: a.get(pair, 0) + b.get(pair, 0) for pair in {**a, **b}}

    start: dict[tuple[int, int], int] = {}
    counts = reduce_blocks(kernel, {"raster": raster}, start, together)
    if not counts:
        raise ToolError(
            "the map and the polygons have no pixel in common",
            where=reference.path,
            expected="polygons on the map, larger than its pixels",
            found=f"{len(labelled)} polygons",
        )
    codes = sorted({code for pair in counts for code in pair})
    matrix = np.zeros((len(codes), len(codes)), dtype=np.int64)
    for (real, told), count in counts.items():
        matrix[codes.index(real), codes.index(told)] = count
    found = Confusion(tuple(codes), matrix)
    write_accuracy(found, {**_called(raster), **labelled.names}, accuracy, confusion)
    return [
        {
            "overall_accuracy": found.overall,
            "kappa": found.kappa,
            "classes": len(codes),
            "polygons": len(labelled),
            "pixels": found.total,
        }
    ]


def _called(raster: Artifact) -> Mapping[int, str]:
    return class_names(raster, lambda: numbers_in(raster))


def write_accuracy(found: Confusion, names: Mapping[int, str], accuracy: Path, confusion: Path) -> None:
    """Write accuracies by class, and the matrix, as tables."""
    write_table(Artifact("table", value=found.by_class(names)), accuracy)
    write_table(Artifact("table", value=found.matrix(names)), confusion)
