"""What is made of authored files, and when it is made again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowflow.ground.errors import DocumentError
from knowflow.ground.kept import as_authored, forget, kept
from knowflow.ground.resources import resources

made: list[str] = []


@kept()
def words() -> tuple[str, ...]:
    """The files of a folder that nothing else reads, and how often they were read."""
    made.append("words")
    texts = tuple(found.path.read_text() for found in resources("pkb", "sayings/*.yaml"))
    if "broken" in texts:
        raise DocumentError("a saying is broken")
    return texts


@kept(2)
def longer_than(length: int) -> int:
    made.append(f"{length}")
    return sum(len(text) > length for text in words())


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    (tmp_path / "pkb" / "sayings").mkdir(parents=True)
    made.clear()
    yield tmp_path / "pkb" / "sayings"
    forget()


def test_it_is_made_once_while_the_files_stay(folder: Path) -> None:
    (folder / "one.yaml").write_text("early bird")
    as_authored()
    assert (words(), words(), longer_than(3), longer_than(3)) == (("early bird",), ("early bird",), 1, 1)
    as_authored()
    assert words() == ("early bird",)
    assert made == ["words", "3"]


@pytest.mark.parametrize("change", ["edited", "added", "taken away"])
def test_it_is_made_again_where_a_file_is_another(folder: Path, change: str) -> None:
    (folder / "one.yaml").write_text("early bird")
    before = as_authored()
    assert longer_than(3) == 1
    if change == "edited":
        (folder / "one.yaml").write_text("owl")
    elif change == "added":
        (folder / "two.yaml").write_text("still waters")
    else:
        (folder / "one.yaml").unlink()
    assert longer_than(3) == 1
    assert as_authored() != before
    assert longer_than(3) == {"edited": 0, "added": 2, "taken away": 0}[change]


def test_another_project_has_knowledge_of_its_own(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("here", "there"):
        place = tmp_path / name / ".knowflow" / "pkb" / "sayings"
        place.mkdir(parents=True)
        (place / "own.yaml").write_text(name)
    for name in ("here", "there", "here"):
        monkeypatch.chdir(tmp_path / name)
        as_authored()
        assert words() == (name,)


def test_what_was_made_before_anybody_looked_is_made_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("knowflow.ground.kept._files", None)
    assert words() == ()
    (folder / "one.yaml").write_text("early bird")
    as_authored()
    assert words() == ("early bird",)


def test_an_error_is_not_kept(folder: Path) -> None:
    as_authored()
    (folder / "one.yaml").write_text("broken")
    with pytest.raises(DocumentError):
        words()
    (folder / "one.yaml").write_text("early bird")
    assert words() == ("early bird",)


def test_files_that_cannot_be_looked_at_stop_nobody(folder: Path) -> None:
    (folder / "gone.yaml").symlink_to(folder / "nowhere.yaml")
    (folder / "round").symlink_to(folder)
    assert as_authored() == as_authored()
