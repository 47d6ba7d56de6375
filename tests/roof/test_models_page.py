"""The page about models: the card it shows is valid, and every key of the format is explained."""

from __future__ import annotations

import re
from pathlib import Path

from knowflow.knowledge.models import check_card
from knowflow.model.model_card import MODEL_TASKS, Detection, ModelCard, Normalisation, Tile

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def test_the_card_that_is_shown_is_valid(tmp_path: Path) -> None:
    shown = re.search(r"^```yaml crops\.yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert shown is not None
    (tmp_path / "crops.yaml").write_text(shown[1], encoding="utf-8")
    assert [problem.code for problem in check_card(tmp_path / "crops.yaml")] == ["file_missing"]
    (tmp_path / "crops.onnx").write_bytes(b"")
    assert check_card(tmp_path / "crops.yaml") == ()


def test_every_key_of_a_card_and_every_task_is_explained() -> None:
    keys = {name for model in (ModelCard, Normalisation, Tile, Detection) for name in model.model_fields}
    assert {word for word in (*keys, *MODEL_TASKS) if not re.search(rf"`{word}`|\b{word}\b", PAGE)} == set()
