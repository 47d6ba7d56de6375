"""Trying a model on noise: whether its file loads, takes what its card says, and answers in the right shape."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from affine import Affine
from numpy.typing import NDArray

from knowflow.knowledge.models import files_of, load_card
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelCard
from knowflow.tools.learned.change import change_detection
from knowflow.tools.learned.detection import object_detection
from knowflow.tools.learned.inversion import remote_sensing_inversion
from knowflow.tools.learned.models import trained
from knowflow.tools.learned.scene import scene_classification
from knowflow.tools.learned.segmentation import semantic_segmentation
from knowflow.tools.raster import Grid, Output, read_stored, write_array

_CRS = "EPSG:32633"
_SEED = 20240501


def try_model(name: str) -> dict[str, Any]:
    """Run a model (registered name, card or ONNX file) over a small scene of noise that needs several tiles.

    Returns the task, pixels of the scene, seconds, and ``found``: what came out, in words. Raises what a run would.
    """
    files = files_of(name)
    path = files[0] if files else Path(name)
    card = trained(path).card if path.suffix == ".onnx" else load_card(path).card
    side = max(card.tile.size * 3 // 2, 16)
    with tempfile.TemporaryDirectory(prefix="knowflow-model-") as folder:
        place = Path(folder)
        bands = _noise(card, side, place, "first")
        runs: dict[str, Callable[[], str]] = {
            "semantic_segmentation": lambda: _classes(path, bands, place, card),
            "object_detection": lambda: (
                f"{object_detection(str(path), bands, place / 'objects.gpkg')} objects in noise"
            ),
            "change_detection": lambda: _change(path, bands, _noise(card, side, place, "second"), place),
            "remote_sensing_inversion": lambda: _values(path, bands, place, card),
            "scene_classification": lambda: _scene(path, bands),
        }
        begun = time.perf_counter()
        found = runs[card.task]()
        seconds = time.perf_counter() - begun
    return {"model": card.model, "task": card.task, "pixels": side * side, "seconds": seconds, "found": found}


def _noise(card: ModelCard, side: int, folder: Path, name: str) -> dict[str, Artifact]:
    """Bands with the mean and the spread that the card's normalisation tells of; 0..1 where it tells of none."""
    said = card.normalisation
    random = np.random.default_rng(_SEED if name == "first" else _SEED + 1)
    size = sum(card.resolution) / 2 if card.resolution is not None else 10.0
    grid = Grid(_CRS, Affine(size, 0.0, 500_000.0, 0.0, -size, 5_100_000.0), (side, side))
    bands = {}
    for number, band in enumerate(card.bands):
        factor, mean, std = (_of(value, number) for value in (said.factor, said.mean, said.std))
        values = random.uniform(0.0, 1.0, (side, side))
        if (mean, std) != (0.0, 1.0):
            values = np.abs(mean + std * (2.0 * values - 1.0)) / factor
        path = folder / f"{name}_{band}.tif"
        write_array(Output(path), values.astype(np.float32), grid)
        bands[band] = Artifact("raster", path=str(path))
    return bands


def _of(value: float | tuple[float, ...], number: int) -> float:
    return value[number] if isinstance(value, tuple) else value


def _classes(path: Path, bands: dict[str, Artifact], folder: Path, card: ModelCard) -> str:
    semantic_segmentation(str(path), bands, folder / "classes.tif", folder / "confidence.tif")
    codes = np.unique(_stored(folder / "classes.tif"))
    return "classes in noise: " + ", ".join(card.classes[int(code)] for code in codes)


def _change(path: Path, before: dict[str, Artifact], after: dict[str, Artifact], folder: Path) -> str:
    change_detection(str(path), before, after, folder / "change.tif", folder / "probability.tif")
    return f"{_stored(folder / 'change.tif').mean():.1%} of noise changed"


def _values(path: Path, bands: dict[str, Artifact], folder: Path, card: ModelCard) -> str:
    remote_sensing_inversion(str(path), bands, str(card.quantity), folder / "values.tif")
    values = _stored(folder / "values.tif")
    return f"{card.quantity} from {values.min():.4g} to {values.max():.4g} in noise"


def _scene(path: Path, bands: dict[str, Artifact]) -> str:
    first = scene_classification(str(path), bands)[0]
    return f"noise is {first['name']} ({first['probability']:.0%})"


def _stored(path: Path) -> NDArray[Any]:
    return np.asarray(read_stored(Artifact("raster", path=str(path))).compressed())
