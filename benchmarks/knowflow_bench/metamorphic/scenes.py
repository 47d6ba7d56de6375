"""Random scenes with a question about each: those that templates are tested with, on other ground and other grids."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.template import Scene, SceneLayer
from knowflow.testing.expressions import evaluate_truth
from knowflow.testing.scenes import scene_coordinates, years_since
from knowflow_bench.metamorphic.relations.site import Asked

_PLACES = (
    ("EPSG:32633", (500_000.0, 5_100_000.0)),
    ("EPSG:32618", (431_200.0, 4_512_360.0)),
    ("EPSG:32735", (322_440.0, 7_801_200.0)),
    ("EPSG:3035", (4_321_000.0, 3_210_000.0)),
    ("EPSG:25832", (610_020.0, 5_640_500.0)),
)
_RESOLUTIONS = (10.0, 20.0, 30.0)
_FINEST = 7
"""Steps of numbers are such a power of two below what varies."""


@dataclass(frozen=True)
class Case:
    """A scene and what is asked about it; the seed says all."""

    seed: int
    scene: Scene
    asked: Asked


def case_of(catalogue: Catalogue, seed: int) -> Case:
    """The case of a seed."""
    chance = random.Random(f"scene {seed}")
    tests = [(name, number) for name, one in sorted(catalogue.templates.items()) for number in range(len(one.tests))]
    name, number = chance.choice(tests)
    template = catalogue.template(name)
    test = template.tests[number]
    asked = Asked(name, test.query, test.parameters)
    return Case(seed, random_scene(test.scene, chance), asked)


def random_scene(scene: Scene, chance: random.Random) -> Scene:
    """A scene of the same layers and dates with other numbers, elsewhere, of another size, with gaps in some layers."""
    crs, origin = chance.choice(_PLACES)
    changes: dict[str, Any] = {"crs": crs, "origin": origin, "resolution": chance.choice(_RESOLUTIONS)}
    if not any(layer.size or layer.resolution for layer in scene.layers):
        changes["size"] = (chance.randrange(24, 56), chance.randrange(24, 56))
    else:
        changes.pop("resolution")
    made = scene.model_copy(update=changes)
    return made.model_copy(update={"layers": tuple(_layer(made, layer, chance) for layer in made.layers)})


def _layer(scene: Scene, layer: SceneLayer, chance: random.Random) -> SceneLayer:
    kind = quantity_kinds().get(layer.quantity)
    if kind is None or not kind.continuous or np.dtype(layer.dtype).kind != "f" or kind.family == "mask":
        return layer
    changes: dict[str, Any] = {}
    if layer.missing is None and chance.random() < 0.3:
        x, y, r = chance.uniform(0, 1), chance.uniform(0, 1), chance.uniform(0.05, 0.25)
        changes["missing"] = f"(x - {x:.3f}) ** 2 + (y - {y:.3f}) ** 2 < {r * r:.5f}"
    if layer.values is not None:
        changes["values"] = _varied(scene, layer, layer.values, chance)
    changes["bands"] = {name: _varied(scene, layer, text, chance) for name, text in layer.bands.items()}
    return layer.model_copy(update=changes)


def _varied(scene: Scene, layer: SceneLayer, text: str, chance: random.Random) -> str:
    """The expression with a random texture, in steps of a power of two, so that numbers can be stored in many ways
    without being rounded. No number is round, and none is twice the same at other dates: what is compared with a round
    limit, or with another date, is never just equal."""
    x, y = scene_coordinates(scene)
    times = [years_since(layer.dates[0], date) for date in layer.dates] or [0.0]
    every = np.stack([np.asarray(evaluate_truth(text, x, y, t, i), dtype=float) for i, t in enumerate(times)])
    seen = every[np.isfinite(every)]
    if not seen.size:
        return text
    spread = float(seen.max() - seen.min()) or 0.1 * abs(float(seen.mean())) or 1.0
    amplitude = spread * chance.uniform(0.02, 0.1)
    step = 2.0 ** (math.floor(math.log2(amplitude)) - _FINEST)
    a, b = chance.uniform(4, 19), chance.uniform(4, 19)
    u, v = chance.uniform(0, 6.28), chance.uniform(0, 6.28)
    texture = f"{amplitude:.9g} * sin({a:.3f} * x + {u:.3f} + 0.7 * i) * cos({b:.3f} * y + {v:.3f} - 0.4 * t)"
    low, high = _limits(layer, seen, amplitude, 2 * step)
    bounded = f"clip({text} + {texture}, {low:.9g}, {high:.9g})"
    phase = chance.randrange(1, 16) / 16
    return f"(floor(({bounded}) / {step!r}) + {phase!r} * 0.5 + 0.25) * {step!r} + {step / 32!r} * i"


def _limits(layer: SceneLayer, seen: Any, amplitude: float, margin: float) -> tuple[float, float]:
    """What the numbers may be: what the quantity can be, where the layer is in its unit; never below zero where no
    number was."""
    kind = quantity_kinds()[layer.quantity]
    low, high = float(seen.min()) - amplitude, float(seen.max()) + amplitude
    if layer.unit in (None, kind.unit):
        low = max(low, -math.inf if kind.range[0] is None else kind.range[0] + margin)
        high = min(high, math.inf if kind.range[1] is None else kind.range[1] - margin)
    if float(seen.min()) > 0:
        low = max(low, float(seen.min()) / 2)
    return low, high
