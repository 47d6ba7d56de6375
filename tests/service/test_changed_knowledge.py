"""Knowledge that changes while a program runs: the next question is answered with the files as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from service_examples import NDVI, scene

from knowflow import KnowFlow
from knowflow.service.knowledge_cache import catalogue_of


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return scene(tmp_path / "data", {**NDVI, "dates": ["2022-06-01"]})


def test_a_template_that_is_added_can_be_used_at_once(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flow = KnowFlow()
    assert "my_mean" not in flow.catalogue.templates
    folder = tmp_path / ".knowflow" / "templates"
    folder.mkdir(parents=True)
    packaged = next((Path(__file__).parents[2] / "templates").rglob("statistics_of_quantity.yaml")).read_text(
        encoding="utf-8"
    )
    (folder / "my_mean.yaml").write_text(packaged.replace("template: statistics_of_quantity", "template: my_mean"))
    assert flow.plan("NDVI", data, template="my_mean").plan.template == "my_mean"
    assert flow.plan("Show my mean of NDVI", data).plan.template == "my_mean"


def test_a_quantity_that_is_added_is_known_to_the_next_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".knowflow" / "pkb" / "quantities"
    folder.mkdir(parents=True)
    flow = KnowFlow()
    assert flow.check() == []
    (folder / "mine.yaml").write_text(
        "- {quantity: leaf_wetness, title: Leaf wetness, unit: '1', range: [0, 1], family: test, source: me}\n"
    )
    lexicon = tmp_path / ".knowflow" / "pkb" / "lexicon"
    lexicon.mkdir()
    (lexicon / "mine.yaml").write_text(
        "lexicon: quantity\nentries:\n  - {value: leaf_wetness, phrases: [wet leaves]}\n"
    )
    assert flow.check() == []  # the new quantity is known to the check of the words


@pytest.mark.parametrize(
    "damage", [lambda kept: kept.replace(b"area", b"aera"), lambda kept: b"I9x\n.", lambda kept: b""]
)
def test_kept_knowledge_that_was_damaged_is_read_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    whole = catalogue_of(tmp_path)
    (kept,) = (tmp_path / "catalogue").iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert catalogue_of(tmp_path).templates == whole.templates
