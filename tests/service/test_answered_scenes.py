"""Sentences on generated scenes: each is answered by its analytic truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from knowflow.model.template import Scene
from knowflow.service.api import Service
from knowflow.service.template_tests import is_close
from knowflow.testing.scenes import write_scene

CASES = yaml.safe_load(Path(__file__).with_name("answered_scenes.yaml").read_text(encoding="utf-8"))


def told(result: Any) -> list[Any]:
    """All that a result tells: its answer, its values by name, and the cells of a row that stands alone."""
    found = [result.answer, *(one.get("value") for one in result.values.values())]
    rows = [one for one in found if isinstance(one, (list, tuple)) and len(one) == 1 and isinstance(one[0], dict)]
    return [*found, *(cell for row in rows for cell in row[0].values())]


@pytest.mark.parametrize("case", CASES, ids=[case["query"] for case in CASES])
def test_the_answer_is_the_truth(case: dict[str, Any], tmp_path: Path) -> None:
    write_scene(Scene.model_validate(case["scene"]), tmp_path / "data")
    result = Service(tmp_path / "home").run(case["query"], tmp_path / "data", out=tmp_path / "out")
    assert result.status == "completed", result.error
    assert result.understood, "no expression"
    assert any(is_close(one, case["answer"], case["tolerance"]) for one in told(result)), told(result)
    units = [result.unit, *(one.get("unit") for one in result.values.values())]
    assert "unit" not in case or case["unit"] in units
