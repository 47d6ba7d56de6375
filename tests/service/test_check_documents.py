"""`knowflow check`: no document passes unread, wherever it lies and whatever it is of."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow import KnowFlow
from knowflow.ground.errors import DataNotFoundError, DocumentError
from knowflow.ground.report import Problem
from knowflow.ground.resources import packaged_root

RULE = """\
rules:
  - rule: x
    title: X
    because: y
    if: {tool: [nope]}
    then: [{insert: nope}]
"""
BROKEN = {
    "cards": "cards:\n  - card: mine\n    titel: Mine\n",
    "quantities": "- quantity: mine\n  unit: blorps\n",
    "legends": "legend: mine\nquantity: nothing_known\n",
    "lexicon": "lexicon: nonsense\nentries: []\n",
    "bands": "- sensor: mine\n  bands: 3\n",
    "things": "things:\n  herbs:\n    ramsons: {de: [Bärlauch]}\n",
    "grammars": "- grammar: mine\n  nonsense: true\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(path: Path, text: str) -> list[Problem]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return KnowFlow().check([path])


@pytest.mark.parametrize("folder", BROKEN)
def test_a_document_is_checked_where_it_is_read(project: Path, folder: str) -> None:
    (project / ".knowflow").mkdir()
    found = checked(project / ".knowflow" / "pkb" / folder / "mine.yaml", BROKEN[folder])
    assert found
    assert all(problem.code not in ("not_in_use", "unknown_kind") for problem in found)


@pytest.mark.parametrize("folder", BROKEN)
def test_a_document_that_is_read_nowhere_is_said_to_be(project: Path, folder: str) -> None:
    (problem,) = checked(project / "mine.yaml", BROKEN[folder])
    assert (problem.code, folder in problem.expected) == ("not_in_use", True)


@pytest.mark.parametrize("folder", [*BROKEN, "rules", "packs"])
def test_the_packaged_documents_of_every_folder_pass(folder: str) -> None:
    assert KnowFlow().check([packaged_root("pkb") / folder]) == []


def test_documents_of_which_there_is_one_are_checked(project: Path) -> None:
    alone = [packaged_root("pkb") / name for name in ("taxonomy.yaml", "retrieval.yaml")]
    assert KnowFlow().check(alone) == []
    (problem,) = checked(project / ".knowflow" / "pkb" / "taxonomy.yaml", "taxonomy: mine\ndomains: {}\n")
    assert (problem.code, "fields" in problem.expected) == ("missing_key", True)


def test_a_document_of_no_kind_is_told_the_kinds_there_are(project: Path) -> None:
    (problem,) = checked(project / "mine.yaml", "templte: x\n")
    assert (problem.code, problem.hint) == ("unknown_kind", "did you mean template?")


def test_a_list_with_a_wrong_entry_is_not_said_to_be_empty(project: Path) -> None:
    found = checked(project / "mine.yaml", RULE)
    assert "rules" not in {problem.where for problem in found}
    assert any("did you mean insert_tool?" in (problem.hint or "") for problem in found)


def test_a_list_that_is_empty_is_said_to_want_an_entry(project: Path) -> None:
    found = checked(project / "mine.yaml", "rules: []\n")
    assert [problem.expected for problem in found if problem.where == "rules"] == ["at least 1 of them"]


def test_another_ending_is_said_to_be_read_by_nothing(project: Path) -> None:
    path = project / ".knowflow" / "pkb" / "quantities" / "mine.yml"
    (problem,) = checked(path, "- quantity: mine\n  unit: m\n")
    assert (problem.code, problem.hint) == ("not_in_use", "call it mine.yaml")
    assert problem in KnowFlow().check()
    found = checked(project / ".knowflow" / "templates" / "mine.yml", "template: mine\n")
    assert "not_in_use" in {one.code for one in found}


def test_a_document_outside_of_the_folders_is_told_where_it_belongs(project: Path) -> None:
    path = project / ".knowflow" / "pkb" / "mine.yaml"
    (problem,) = checked(path, "- quantity: mine\n  unit: m\n")
    assert problem.code == "not_in_use"
    assert problem.expected.endswith(".knowflow/pkb/quantities/")
    assert [one.file for one in KnowFlow().check() if one.code == "not_in_use"] == [str(path)]


def test_a_folder_that_nothing_reads_is_told(project: Path) -> None:
    (problem,) = checked(project / ".knowflow" / "pkb" / "quantity" / "mine.yaml", "- quantity: mine\n  unit: m\n")
    assert problem.expected.endswith(".knowflow/pkb/quantities/")


def test_a_folder_without_documents_is_not_said_to_be_without_problems(project: Path) -> None:
    (project / "scenes").mkdir()
    with pytest.raises(DataNotFoundError, match="there is nothing to check"):
        KnowFlow().check([project / "scenes"])


def test_a_file_in_place_of_a_folder_is_told(project: Path) -> None:
    path = project / ".knowflow" / "pkb" / "lexicon"
    path.parent.mkdir(parents=True)
    path.write_text("lexicon: mine\n", encoding="utf-8")
    assert [one.expected for one in KnowFlow().check() if one.code == "not_in_use"] == ["a folder called lexicon"]
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("", encoding="utf-8")
    assert [one.expected for one in KnowFlow().check() if one.code == "not_in_use"] == ["a folder called pkb"]


def test_notes_beside_documents_are_left_alone(project: Path) -> None:
    (project / ".knowflow" / "pkb" / "quantities").mkdir(parents=True)
    (project / ".knowflow" / "pkb" / "quantities" / "README.md").write_text("Ours.\n", encoding="utf-8")
    assert not [one for one in KnowFlow().check() if one.code == "not_in_use"]


def test_quantity_kinds_that_are_not_valid_are_problems_like_others(project: Path) -> None:
    broken = project / ".knowflow" / "pkb" / "quantities" / "mine.yaml"
    of_file = checked(broken, BROKEN["quantities"])
    assert {(problem.code, problem.line) for problem in of_file} >= {("missing_field", 1)}
    assert KnowFlow().check() == of_file
    template = project / "mine.yaml"
    with pytest.raises(DocumentError, match="quantity kinds are not valid"):  # of a file that nobody asked about
        checked(template, "template: mine\n")


TEMPLATE = """\
template: mine
title: Mine
layer: 2
asked: [my area]
inputs: {dem: {type: raster, quantity: [elevation]}}
steps:
  steep: {tool: slope, with: {dem: $inputs.dem}}
  same: {tool: reproject, with: {raster: $steep}}
  mask: {tool: threshold, with: {raster: $same, threshold: 10, quantity: change_mask}}
  size: {tool: area, with: {mask: $mask}}
outputs: {answer: $size}
tests:
  - name: one
    scene: {layers: [{name: dem, quantity: elevation, values: x}]}
    expect: {answer: {value: 0}}
"""


def test_a_template_of_which_all_is_right_passes(project: Path) -> None:
    assert checked(project / "mine.yaml", TEMPLATE) == []


@pytest.mark.parametrize("given", ["$steep", "$same"])
def test_a_slope_in_place_of_a_mask_is_found(project: Path, given: str) -> None:
    (problem,) = checked(project / "mine.yaml", TEMPLATE.replace("{mask: $mask}", f"{{mask: {given}}}"))
    assert (problem.code, problem.where, problem.line) == ("precondition", "steps.size.with.mask", 10)
    assert problem.found == f"{given}, which is slope"


def test_words_that_no_question_says_and_a_lack_of_tests_are_found(project: Path) -> None:
    text = TEMPLATE.replace("asked: [my area]", "answers: [area, acreage]\nabout: [watter]").partition("tests:")[0]
    found = {problem.code: problem for problem in checked(project / "mine.yaml", text)}
    assert sorted(found) == ["no_tests", "old_key", "unknown_word"]
    words = [problem for problem in checked(project / "mine.yaml", text) if problem.code == "unknown_word"]
    assert [(problem.where, problem.line, problem.severity) for problem in words] == [
        ("answers[1]", 4, "warning"),
        ("about[0]", 5, "warning"),
    ]
    assert "water" in words[1].hint
