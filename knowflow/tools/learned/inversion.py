"""Inversion by a learned model: a physical quantity for every pixel."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.quantities import quantity_kind
from knowflow.model.artifact import Artifact
from knowflow.tools.learned.inputs import Bands, bands_for
from knowflow.tools.learned.models import WrongModelError, model_for
from knowflow.tools.learned.network import Network
from knowflow.tools.learned.tiles import map_model
from knowflow.tools.raster import Output


def remote_sensing_inversion(model: Artifact | str, bands: Bands, quantity: str, output: Path) -> None:
    """Write the values that a regression model gives every pixel; nodata where a band is not data.

    Raises ``WrongModelError`` where it is a model of another quantity than the one asked for.
    """
    found = model_for(model, "remote_sensing_inversion")
    card = found.card
    if quantity.casefold() != str(card.quantity).casefold():
        raise WrongModelError(
            f"{card.model} gives another quantity than the one asked for", expected=quantity, found=str(card.quantity)
        )
    network = Network(found, 1 if card.layout == "pixels" else 2)

    def values_of(said: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        values = np.asarray(said["values"], dtype=np.float32)
        if card.layout == "channels_last" and values.ndim == 4:
            return np.moveaxis(values, -1, 1)
        return values[:, None] if values.ndim in (1, 3) else values

    unit = card.unit or quantity_kind(quantity).unit
    written = Output(output, quantity=card.quantity, unit=unit, tags={"MODEL": card.model})
    map_model(
        network, {"image": bands_for(card, bands)}, {"": written}, 1, values_of, lambda values, _: {"": values[0]}
    )
