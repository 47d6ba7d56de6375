"""What a run hands over through a folder is done once, whoever is lost with it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from execution_examples import node

from knowflow.execution import group_folder
from knowflow.execution.action import Action, Outcome, action_of
from knowflow.execution.group_folder import GroupFolder, Hand, HandoverError
from knowflow.model.tool import ToolSchema

Catalogue = Mapping[str, ToolSchema]


@pytest.fixture
def action(catalogue: Catalogue) -> Action:
    return action_of(node("n", "number", value=1.0), catalogue["number"], {"value": 1.0})


def test_actions_are_taken_in_order_and_given_back_once(action: Action, tmp_path: Path) -> None:
    folder = GroupFolder(tmp_path)
    names = [folder.named() for _ in range(3)]
    for name in reversed(names):
        folder.put(name, action, tmp_path)
    hand, other = Hand(folder.path, "one"), Hand(folder.path, "other")
    first, second = hand.take(), other.take()
    assert first is not None
    assert second is not None
    assert [first[0], second[0]] == names[:2]
    assert (first[1], first[2]) == (action, tmp_path)
    assert folder.waiting() == 1
    hand.give(first[0], (Outcome("n"), {"file": "digest"}))
    assert list(folder.done()) == [(names[0], (Outcome("n"), {"file": "digest"}))]
    assert list(folder.done()) == []


def test_what_somebody_lost_is_taken_by_another_and_they_take_nothing_more(action: Action, tmp_path: Path) -> None:
    folder = GroupFolder(tmp_path)
    names = [folder.named() for _ in range(3)]
    for name in names:
        folder.put(name, action, tmp_path)
    hand, other = Hand(folder.path, "one"), Hand(folder.path, "other")
    done, lost = hand.take(), hand.take()
    assert done is not None
    assert lost is not None
    hand.give(done[0], (Outcome("n"), {}))
    assert folder.lose("one") == ([lost[0]], True)
    assert folder.lose("who never came") == ([], False)
    folder.again("one", lost[0])
    assert hand.take() is None
    hand.give(lost[0], (Outcome("n"), {}))  # it was not lost, but slow: what it made counts
    assert sorted(name for name, _ in folder.done()) == names[:2]
    taken = [other.take(), other.take()]
    assert [one and one[0] for one in taken] == names[1:]


def test_who_works_for_a_run_stands_where_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, "own/tools"])
    monkeypatch.chdir(tmp_path)
    hand = Hand(GroupFolder(tmp_path / "home").path, "one")
    monkeypatch.chdir("/")
    monkeypatch.setattr(sys, "path", [])
    hand.stand_in()
    assert Path.cwd() == tmp_path
    assert str(tmp_path / "own" / "tools") in sys.path


def test_each_hears_whether_the_other_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_folder, "_TURN_S", 0.01)
    folder = GroupFolder(tmp_path)
    heard = folder.heard("one")
    hand, ended = Hand(folder.path, "one"), threading.Event()
    with hand.beating(ended.set):
        while heard.silent_s() > 0.1 or not (folder.path / "beats" / "one").exists():
            threading.Event().wait(0.01)
        assert hand.wanted
        folder.stop()
        assert ended.wait(10)
    monkeypatch.setattr(group_folder, "SILENCE_S", 0.05)
    orphan = Hand(GroupFolder(tmp_path).path, "two")  # whose run is killed now
    threading.Event().wait(0.1)
    orphaned = threading.Event()
    with orphan.beating(orphaned.set):
        assert orphaned.wait(10)


def test_who_does_not_see_the_folder_or_is_of_another_version_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = GroupFolder(tmp_path)
    with pytest.raises(HandoverError, match="is not seen here"):
        Hand(tmp_path / "elsewhere", "one")
    monkeypatch.setattr(group_folder, "version", lambda _: "0.0")
    with pytest.raises(HandoverError, match="another version"):
        Hand(folder.path, "one")
    folder.remove()
    assert not folder.path.exists()
