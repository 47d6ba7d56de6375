"""Superlatives: those of adjectives that are authored, and those that are formed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from knowflow.ground.kept import as_authored
from knowflow.knowledge.lexicon import lexicon
from knowflow.reason.language import turns
from knowflow.reason.language.superlatives import ranks, superlatives


def is_superlative(word: str) -> bool:
    return re.fullmatch(superlatives(), word) is not None


@pytest.mark.parametrize("word", ["boldest", "warmest", "smallest", "muddiest", "wettest", "most", "worst"])
def test_adjectives_that_are_ranked_move_or_end_in_y_have_a_superlative(word: str) -> None:
    assert is_superlative(word)


@pytest.mark.parametrize("word", ["latest", "nearest", "earliest", "forest", "harvest", "bluest"])
def test_what_tells_a_time_or_a_way_or_only_ends_so_is_none(word: str) -> None:
    assert not is_superlative(word)


def test_what_tells_a_time_or_a_way_is_ranked_all_the_same() -> None:
    assert re.fullmatch(ranks(), "latest")


def test_no_adjective_is_ranked_that_moves_already() -> None:
    assert not lexicon().ranked & {one for entry in lexicon().movements for one in entry.adjectives}


def test_a_user_adds_adjectives_that_are_ranked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = "Which scene was the bluest?"
    assert turns.date_of_most(question) is None
    (tmp_path / "pkb" / "lexicon").mkdir(parents=True)
    (tmp_path / "pkb" / "lexicon" / "mine.yaml").write_text("lexicon: common\nranked: [blue]\n", encoding="utf-8")
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    as_authored()
    found = turns.date_of_most(question)
    assert found is not None
    assert found.value == "extreme_date"
