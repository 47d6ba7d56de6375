"""Change detection by a learned model that looks at two dates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.knowledge.models import Model
from knowflow.model.artifact import Artifact
from knowflow.tools.learned.inputs import Bands, bands_for
from knowflow.tools.learned.models import model_for
from knowflow.tools.learned.network import Network
from knowflow.tools.learned.segmentation import channels, scores_of
from knowflow.tools.learned.tiles import map_model
from knowflow.tools.raster import Output
from knowflow.tools.raster.output import MASK_NODATA


def change_detection(model: Artifact | str, before: Bands, after: Bands, output: Path, probability: Path) -> None:
    """Write where a model sees change (1) and where not (0), and the probability of change.

    Of several classes the first is "no change". Nodata where a band of either date is not data.
    """
    found = model_for(model, "change_detection")
    detect_change(
        found, bands_for(found.card, before, "before"), bands_for(found.card, after, "after"), output, probability
    )


def detect_change(
    model: Model, before: tuple[Artifact, ...], after: tuple[Artifact, ...], output: Path, probability: Path
) -> None:
    """:func:`change_detection` with the bands in the order of the card."""
    network = Network(model)
    card = model.card
    tags = {"MODEL": card.model}

    def finish(values: NDArray[np.float32], valid: NDArray[np.bool_]) -> Mapping[str, NDArray[Any]]:
        changed = values[0] if len(values) == 1 else 1.0 - values[0]
        mask = np.where(valid, changed > card.threshold, MASK_NODATA).astype(np.uint8)
        return {"output": mask, "probability": changed}

    outputs = {
        "output": Output.mask(output, card.result or "change_mask", tags=tags),
        "probability": Output(probability, quantity="probability", unit="1", tags=tags),
    }
    count = channels(card) if card.classes else 1
    map_model(
        network, {"before": before, "after": after}, outputs, count, lambda said: scores_of(network, said), finish
    )
