"""Knowledge that changes while a program runs: the next question is answered with the files as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from service_examples import NDVI, scene

from knowflow import KnowFlow
from knowflow.ground.kept import as_authored
from knowflow.question.reading.reader import read
from knowflow.service import knowledge_cache
from knowflow.service.knowledge_cache import catalogue_of

QUERY = "What share of the area is lush meadow?"
FEATURE = "lexicon: feature\nentries:\n  - {{value: meadow, quantity: ndvi, phrases: [lush meadow], threshold: {{value: {}, side: above}}}}\n"  # noqa: E501


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return scene(tmp_path / "data", {**NDVI, "dates": ["2022-06-01"]})


def write(project: Path, limit: float) -> None:
    folder = project / ".knowflow" / "pkb" / "lexicon"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "meadows.yaml").write_text(FEATURE.format(limit), encoding="utf-8")


def limit_of(flow: KnowFlow, data: Path) -> float:
    words = flow.plan(QUERY, data).plan.title
    return float(words.partition("NDVI is above ")[2].split()[0])


def test_an_edited_word_counts_from_the_next_question_on(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    flow = KnowFlow()
    for limit in (0.25, 0.75):
        write(tmp_path, limit)
        assert limit_of(flow, data) == limit
        assert limit_of(KnowFlow(), data) == limit


def test_each_project_is_answered_with_its_own_words(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"hills": 0.25, "plain": 0.75}
    for name, limit in limits.items():
        write(tmp_path / name, limit)
    for name in ("hills", "plain", "hills"):
        monkeypatch.chdir(tmp_path / name)
        assert limit_of(KnowFlow(), data) == limits[name]


@pytest.mark.parametrize(
    ("own", "usual"),
    [
        ("What share of each riding is leafy?", "What share of each district has an NDVI above 0.55?"),
        ("On how many takes was the mean greens above 0.5?", "On how many scenes was the mean NDVI above 0.5?"),
        ("Did greens creep up from 2018 to 2020?", "Did NDVI rise from 2018 to 2020?"),
    ],
)
def test_words_of_ones_own_are_read(own: str, usual: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    as_authored()
    assert read(own).expression is None
    folder = tmp_path / ".knowflow" / "pkb" / "lexicon"
    folder.mkdir(parents=True)
    limit = "{value: 0.55, side: above}"
    vines = f"{{value: vines, quantity: ndvi, phrases: [vines], adjectives: [leafy], threshold: {limit}, source: me}}"
    (folder / "vines.yaml").write_text(f"lexicon: feature\nentries:\n  - {vines}\n")
    (folder / "moves.yaml").write_text(
        "lexicon: movement\nentries:\n  - {value: up, verbs: [creep crept crept + up]}\n"
    )
    words = "lexicon: common\nalike: {scene: [take], district: [riding]}\nshorthand: {greens: NDVI}\n"
    (folder / "ours.yaml").write_text(words)
    as_authored()
    found = read(own).expression
    assert found is not None
    assert found == read(usual).expression


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
def test_kept_knowledge_that_was_damaged_is_read_anew(
    tmp_path: Path, damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = catalogue_of(tmp_path)
    monkeypatch.setattr(knowledge_cache, "_last", None)  # as in another process
    (kept,) = (tmp_path / "catalogue").iterdir()
    kept.write_bytes(damage(kept.read_bytes()))
    assert catalogue_of(tmp_path).templates == whole.templates
