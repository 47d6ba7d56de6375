"""Plans from tools alone, where no template is at hand: what they compute is told by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.errors import PlanningError
from knowflow.ground.resources import state_home
from knowflow.model.template import Scene
from knowflow.model.trace import Trace
from knowflow.service.engine import Engine
from knowflow.service.knowledge_cache import catalogue_of
from knowflow.service.request import Request
from knowflow.testing.scenes import write_scene

SIZE = 32
X = (np.arange(SIZE) + 0.5) / SIZE
REFLECTANCE = "surface_bidirectional_reflectance"
BANDS = {
    "name": "s2",
    "quantity": REFLECTANCE,
    "bands": {"red": "0.3 - 0.2 * x", "nir": "0.3 + 0.2 * x"},
    "dates": ["2022-06-01"],
}
HILL = {"name": "dem", "quantity": "elevation", "values": "100 + 64 * x"}


def asked(question: str, folder: Path, *layers: dict[str, Any], templates: Sequence[str] = ()) -> Trace:
    write_scene(Scene.model_validate({"size": [SIZE, SIZE], "layers": list(layers)}), folder / "data")
    known = catalogue_of(state_home())
    engine = Engine(folder / "home", replace(known, templates={name: known.templates[name] for name in templates}))
    return engine.executed(engine.planned(Request(question, folder / "data")), LocalRunner(), folder / "out")


def value(trace: Trace) -> float:
    assert trace.status == "completed", trace.error
    assert trace.answer is not None
    return float(trace.answer.value)


def test_data_of_a_quantity_are_taken_as_they_are(tmp_path: Path) -> None:
    trace = asked("What is the mean elevation?", tmp_path, HILL)
    assert value(trace) == pytest.approx(100 + 64 * X.mean())
    assert trace.plan.decisions == ()
    assert any("clouds" in one.what and "no template" in one.because for one in trace.plan.assumptions)


def test_an_index_is_made_by_the_tool_whose_effect_it_is_from_the_bands_of_its_formula(tmp_path: Path) -> None:
    trace = asked("What was the mean NDVI?", tmp_path, BANDS)
    assert value(trace) == pytest.approx((0.4 * X / 0.6).mean(), rel=1e-5)
    assert [one.chosen for one in trace.plan.decisions] == ["spectral_index"]


def test_a_tool_that_takes_what_another_makes_is_put_behind_it(tmp_path: Path) -> None:
    """NDVI from bands, and the fraction of vegetation from NDVI (the square of its place between 0.05 and 0.95)."""
    trace = asked("What was the mean vegetation fraction?", tmp_path, BANDS)
    made = {node.tool: trace.record(node.id).ready for node in trace.plan.workflow.nodes}
    assert made["spectral_index"]
    assert made["vegetation_fraction"]
    assert 0 < value(trace) < 1


def test_the_slope_of_a_plane_is_that_of_its_rise(tmp_path: Path) -> None:
    rise = 64.0 / (SIZE * 10.0)  # over the width of the scene
    trace = asked("What is the mean slope?", tmp_path, HILL)
    assert value(trace) == pytest.approx(np.degrees(np.arctan(rise)), rel=5e-3)


def test_what_no_tool_makes_of_the_data_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(PlanningError, match="no method to make surface temperature") as refused:
        asked("What was the mean surface temperature?", tmp_path, BANDS)
    assert "surface_temperature_single_channel" in str(refused.value.found)


def test_a_method_that_a_question_asks_for_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    with pytest.raises(PlanningError):
        asked("What is the area of water by NDWI?", tmp_path, BANDS)
