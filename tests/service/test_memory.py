"""What a run teaches the next one, from the failure to the next folder of its kind; numbers are those of the files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray
from service_examples import Command

from knowflow import KnowFlow
from knowflow.ground.errors import DocumentError, GraphEditError, OutputError, UnknownNameError
from knowflow.ground.yaml_text import written
from knowflow.knowledge.plan_document import load_plan
from knowflow.memory.shelf import as_text
from knowflow.memory.trial import Tried
from knowflow.service.results import RunResult
from knowflow.service.run_edits import Change

QUERY = "What was the mean surface temperature in 2022?"
SUMMER = ("2022-06-01", "2022-07-01")
NEXT = ("2022-08-01", "2022-09-01")
FACTOR = 64  # numbers are stored so; nobody says it, and nobody else stores them so
MEND = Change(assume=(f"lst_*:scale={1 / FACTOR},offset=0",))


def kelvin(seed: int) -> NDArray[np.float64]:
    return 295.0 + 15.0 * np.random.default_rng(seed).random((24, 24))


def folder(path: Path, dates: Sequence[str] = SUMMER, factor: float = FACTOR, dtype: str = "uint16") -> Path:
    """Temperatures as a producer with a convention of its own stores them."""
    path.mkdir(parents=True, exist_ok=True)
    for date in dates:
        stored = np.round(kelvin(int(date[5:7])) * factor).astype(dtype)
        profile = {"driver": "GTiff", "width": 24, "height": 24, "count": 1, "dtype": dtype, "crs": "EPSG:32633"}
        transform = Affine(30, 0, 500000, 0, -30, 5100000)
        with rasterio.open(path / f"lst_{date}.tif", "w", transform=transform, **profile) as file:
            file.write(stored, 1)
    return path


def truth(dates: Sequence[str]) -> float:
    return float(np.mean([(np.round(kelvin(int(date[5:7])) * FACTOR) / FACTOR).mean() for date in dates]))


def ask(data: Path, **options: Any) -> RunResult:
    return KnowFlow().run(QUERY, data, out=data.parent / "out", **options)


@pytest.fixture
def mended(tmp_path: Path) -> RunResult:
    """A folder of an odd kind failed, and a person said what its numbers stand for."""
    failed = ask(folder(tmp_path / "first"))
    assert failed.status == "refused"
    assert failed.run_id is not None
    return KnowFlow().edit_run(failed.run_id, MEND)


def of_memory(found: Any) -> list[str]:
    return [f"{one.what} {one.because}" for one in found.assumptions if one.origin == "memory"]


def test_what_a_person_says_of_the_files_of_a_run_mends_it(mended: RunResult) -> None:
    assert (mended.status, mended.answer) == ("completed", pytest.approx(truth(SUMMER), rel=1e-6))
    (repair,) = KnowFlow().trace(str(mended.run_id)).repairs
    assert (repair.by, repair.diagnosis.cause) == ("person", "values_implausible")
    assert any(note.startswith("memory: learned") for note in mended.notes)


def test_the_next_folder_of_that_kind_is_answered_at_once_and_says_by_which_memory(
    mended: RunResult, tmp_path: Path
) -> None:
    second = folder(tmp_path / "second", NEXT)
    flow = KnowFlow()
    ((remembered,), _) = flow.memory().all()
    told = of_memory(flow.plan(QUERY, second).plan)
    assert len(told) == 1
    for words in (f"scale={1 / FACTOR}", remembered.learned.name, str(mended.run_id), "a person"):
        assert words in told[0]
    found = ask(second)
    assert (found.status, found.answer) == ("completed", pytest.approx(truth(NEXT), rel=1e-6))
    assert of_memory(found) == told
    assert remembered.learned.name in Path(str(found.report)).read_text(encoding="utf-8")
    ((remembered,), _) = flow.memory().all()
    assert (remembered.tries, remembered.successes) == (1, 1)


def test_a_run_that_memory_or_a_person_mended_runs_again_elsewhere_to_equal_numbers(
    mended: RunResult, tmp_path: Path
) -> None:
    by_memory = ask(folder(tmp_path / "second", NEXT))
    for number, run in enumerate((mended, by_memory)):
        files = KnowFlow().export_run(str(run.run_id), tmp_path / f"kept{number}")
        (plan,) = [file for file in files if file.name == "plan.yaml"]
        told = json.loads((tmp_path / f"kept{number}" / "trace.json").read_text(encoding="utf-8"))
        assert told["request"]["query"] == QUERY
        again = KnowFlow(home=tmp_path / f"elsewhere{number}").run(load_plan(plan), out=tmp_path / f"again{number}")
        assert (again.status, again.answer) == ("completed", run.answer)
    first = KnowFlow().trace(str(mended.run_id))
    assert [one["status"] for one in first.attempts] == ["refused"]
    assert first.attempts[0]["diagnoses"][0]["cause"] == "values_implausible"
    asked = KnowFlow().plan(QUERY, tmp_path / "first", memory=False).plan
    assert first.plan_before(first.repairs[0]).workflow == asked.workflow


def test_without_memory_the_same_folder_fails_and_nothing_is_learned(mended: RunResult, tmp_path: Path) -> None:
    second = folder(tmp_path / "second", NEXT)
    assert of_memory(KnowFlow().plan(QUERY, second, memory=False).plan) == []
    failed = ask(second, memory=False)
    assert failed.status == "refused"
    KnowFlow().memory().forget([one.learned.name for one in KnowFlow().memory().all()[0]])
    KnowFlow().edit_run(str(failed.run_id), MEND, memory=False)
    assert KnowFlow().memory().all()[0] == ()


@pytest.mark.parametrize(
    ("why", "data"),
    [
        ("numbers of another size", {"factor": 70}),
        ("another type", {"dtype": "int32"}),
        ("what more than one convention explains", {"factor": 100}),
    ],
)
def test_look_alikes_are_left_alone(mended: RunResult, tmp_path: Path, why: str, data: dict[str, Any]) -> None:
    found = ask(folder(tmp_path / "other", NEXT, **data))
    assert (found.status, of_memory(found)) == ("refused", []), why


HEIGHT = "What was the mean elevation?"
IN_CM = Change(assume=("dem*:scale=0.01,offset=0",))


def terrain(path: Path, stored: float = 100.0, above: float = 900.0, relief: float = 1200.0) -> Path:
    """Heights that a producer stores as whole numbers, and nobody says how."""
    path.mkdir(parents=True, exist_ok=True)
    metres = above + relief * np.random.default_rng(3).random((24, 24))
    profile = {"driver": "GTiff", "width": 24, "height": 24, "count": 1, "dtype": "int32", "crs": "EPSG:32633"}
    with rasterio.open(path / "dem.tif", "w", transform=Affine(30, 0, 500000, 0, -30, 5100000), **profile) as file:
        file.write(np.round(metres * stored).astype("int32"), 1)
    return path


def learn_heights(tmp_path: Path, name: str = "first", **numbers: float) -> RunResult:
    failed = KnowFlow().run(HEIGHT, terrain(tmp_path / name, **numbers), out=tmp_path / "out")
    assert failed.run_id is not None
    return KnowFlow().edit_run(failed.run_id, IN_CM)


@pytest.mark.parametrize("stored", [80.0, 125.0, 200.0])
def test_where_numbers_change_their_meaning_what_was_learned_is_offered_and_not_followed(
    tmp_path: Path, stored: float
) -> None:
    learned = learn_heights(tmp_path)
    same = KnowFlow().run(HEIGHT, terrain(tmp_path / "same"), out=tmp_path / "out")
    assert same.answer == pytest.approx(float(learned.answer), rel=1e-9)  # type: ignore[arg-type]
    other = terrain(tmp_path / "other", stored=stored)
    found = KnowFlow().run(HEIGHT, other, out=tmp_path / "out")
    assert (found.status, of_memory(found)) == ("refused", [])
    hint = str((found.error or {}).get("hint"))
    for words in ("--assume 'dem.tif:scale=0.01'", "a person", str(learned.run_id), "may stand for something else"):
        assert words in hint
    said = KnowFlow().run(HEIGHT, other, out=tmp_path / "out", assume=[f"dem.tif:scale={1 / stored},offset=0"])
    assert said.answer == pytest.approx(float(learned.answer), rel=1e-4)  # type: ignore[arg-type]


def test_what_numbers_of_many_sizes_taught_is_only_offered_until_a_person_approves_of_it(tmp_path: Path) -> None:
    learn_heights(tmp_path)
    second = learn_heights(tmp_path, "second", above=100.0, relief=400.0)
    ((remembered,), _) = KnowFlow().memory().all()
    assert (remembered.learned.state, len(remembered.learned.cases)) == ("proposed", 2)
    assert "times as large" in remembered.learned.why
    assert any("until it is approved" in note for note in second.notes)
    third = terrain(tmp_path / "third", above=500.0, relief=600.0)
    found = KnowFlow().run(HEIGHT, third, out=tmp_path / "out")
    hint = str((found.error or {}).get("hint"))
    assert found.status == "refused"
    assert f"knowflow memory approve {remembered.learned.name}" in hint
    KnowFlow().memory().decide(remembered.learned.name, "active")
    approved = KnowFlow().run(HEIGHT, third, out=tmp_path / "out")
    truth = 500.0 + 600.0 * np.random.default_rng(3).random((24, 24)).mean()
    assert (approved.status, approved.answer) == ("completed", pytest.approx(truth, rel=1e-4))
    assert len(of_memory(approved)) == 1


def test_a_learned_and_an_authored_rule_that_say_otherwise_are_both_offered_and_none_is_followed(
    tmp_path: Path, mended: RunResult
) -> None:
    ((remembered,), _) = KnowFlow().memory().all()
    own = tmp_path / "rules.yaml"
    rule = remembered.learned.rule.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    authored = {**rule, "rule": "of_the_house", "then": [{"state_facts": {"scale": 0.0155, "offset": 0.0}}]}
    folder_of_rules = Path(os.environ["KNOWFLOW_CONFIG"]) / "pkb" / "rules"
    folder_of_rules.mkdir(parents=True)
    own = folder_of_rules / "house.yaml"
    own.write_text(written({"rules": [authored]}), encoding="utf-8")
    ((remembered,), _) = KnowFlow().memory().all()
    assert remembered.contradicts == ("of_the_house",)
    found = ask(folder(tmp_path / "second", NEXT))
    hint = str((found.error or {}).get("hint"))
    assert (found.status, of_memory(found)) == ("refused", [])
    assert "scale=0.0155'" in hint
    assert "scale=0.015625'" in hint
    assert "rule:of_the_house says otherwise" in hint
    assert ask(folder(tmp_path / "second", NEXT), memory=False).status == "completed"


def test_a_person_who_says_again_what_was_retired_brings_it_back(mended: RunResult, tmp_path: Path) -> None:
    second = ask(folder(tmp_path / "second", NEXT))
    KnowFlow().edit_run(str(second.run_id), Change(assume=("lst_*:scale=0.0155",)))
    ((remembered,), _) = KnowFlow().memory().all()
    assert remembered.learned.state == "retired"
    third = ask(folder(tmp_path / "third", NEXT))
    KnowFlow().edit_run(str(third.run_id), MEND)
    ((remembered,), _) = KnowFlow().memory().all()
    assert (remembered.learned.state, len(remembered.learned.cases)) == ("active", 2)


def test_every_rule_is_kept_with_the_scenes_it_was_tried_on(mended: RunResult) -> None:
    ((remembered,), _) = KnowFlow().memory().all()
    found = remembered.learned.tried
    assert found is not None
    assert (found.scenes >= 20, found.answered >= 3, found.wrong) == (True, True, "")
    assert remembered.to_json()["scenes"] == found.scenes


def test_one_file_of_another_kind_keeps_memory_from_speaking_of_all(mended: RunResult, tmp_path: Path) -> None:
    data = folder(folder(tmp_path / "mixed", NEXT[:1]), NEXT[1:], factor=70)
    found = ask(data)
    assert (found.status, of_memory(found)) == ("refused", [])


def test_a_second_kind_that_was_mended_alike_widens_the_rule(mended: RunResult, tmp_path: Path) -> None:
    failed = ask(folder(tmp_path / "other", NEXT, dtype="int32"))
    again = KnowFlow().edit_run(str(failed.run_id), MEND)
    assert any(note.startswith("memory: widened") for note in again.notes)
    ((remembered,), _) = KnowFlow().memory().all()
    assert len(remembered.learned.cases) == 2
    assert "dtype(it) in ['uint16', 'int32']" in remembered.learned.rule.if_.where
    assert "+  where" in KnowFlow().memory().differences(remembered.learned.name)


def test_the_last_word_of_a_person_counts(mended: RunResult, tmp_path: Path) -> None:
    KnowFlow().edit_run(str(mended.run_id), Change(assume=("lst_*:scale=0.015",)))
    states = {one.learned.state: one.learned for one in KnowFlow().memory().all()[0]}
    assert states.keys() == {"active", "retired"}
    assert states["active"].rule.then[0].state_facts == {"scale": 0.015, "offset": 0.0}
    assert str(mended.run_id) in states["retired"].why


def test_who_says_otherwise_of_what_memory_said_retires_it(mended: RunResult, tmp_path: Path) -> None:
    found = ask(folder(tmp_path / "second", NEXT))
    KnowFlow().edit_run(str(found.run_id), Change(assume=("lst_*:scale=0.0155",)))
    ((remembered,), _) = KnowFlow().memory().all()
    assert (remembered.learned.state, str(found.run_id) in remembered.learned.why) == ("retired", True)


def test_another_project_knows_nothing_of_it_before_it_is_imported_and_approved(
    mended: RunResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow, second = KnowFlow(), folder(tmp_path / "second", NEXT)
    (file,) = flow.memory().export(tmp_path / "exported")
    (tmp_path / "project" / ".knowflow").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    other = KnowFlow()
    assert other.memory().all()[0] == ()
    assert ask(second).status == "refused"
    (taken,) = other.memory().take(file)
    assert ask(second).status == "refused", "it waits for approval"
    other.memory().decide(taken.name, "active")
    assert ask(second).answer == pytest.approx(truth(NEXT), rel=1e-6)
    with pytest.raises(OutputError):
        other.memory().take(file)


@pytest.mark.parametrize(
    ("spoilt", "into", "told"),
    [
        ("cause: [scale_missing", "cause: [scale_missed", "unknown_cause"),
        ("dtype(it) == 'uint16'", "__import__('os').system('true') == 0", "condition"),
        ("dtype(it) == 'uint16'", f"{'(' * 5000}dtype(it) == 'uint16'{')' * 5000}", "condition"),
        ("state_facts:", "run_command:", "unknown"),
        ("scale: 0.015625", "scale: $found.everything", "finding_not_asked_for"),
        ("lacks:", "error: (a+)+$\n    lacks:", "bad_pattern"),
        ("lacks:", f"error: {'x' * 100_000}\n    lacks:", "bad_pattern"),
        ("lacks:", f"error: '{'.*' * 40}y'\n    lacks:", "bad_pattern"),
    ],
)
def test_what_is_imported_is_checked_as_authored_files_are(
    mended: RunResult, tmp_path: Path, spoilt: str, into: str, told: str
) -> None:
    (file,) = KnowFlow().memory().export(tmp_path / "exported")
    text = file.read_text(encoding="utf-8")
    assert spoilt in text
    file.write_text(text.replace(spoilt, into, 1), encoding="utf-8")
    with pytest.raises(DocumentError) as refused:
        KnowFlow().memory().take(file)
    assert told in str([str(one.code) for one in refused.value.problems])
    assert ask(folder(tmp_path / "second", NEXT)).status == "completed", "what is known stays"


def test_what_is_imported_is_tried_here_and_not_taken_at_its_word(mended: RunResult, tmp_path: Path) -> None:
    ((remembered,), _) = KnowFlow().memory().all()
    rule = remembered.learned.rule
    where = tuple(text for text in rule.if_.where if "mean(it)" not in text)
    wide = rule.model_copy(
        update={
            "if_": rule.if_.model_copy(update={"where": where}),
            "tests": tuple(test for test in rule.tests if test.name != "larger numbers"),
        }
    )
    boasting = {"rule": wide, "approved": True, "tried": Tried(scenes=99, answered=99)}
    file = tmp_path / f"{rule.rule}.yaml"
    file.write_text(as_text(remembered.learned.model_copy(update=boasting)), encoding="utf-8")
    KnowFlow().memory().forget([one.learned.name for one in KnowFlow().memory().all()[0]])
    (taken,) = KnowFlow().memory().take(file)
    assert (taken.state, taken.approved, taken.imported) == ("proposed", False, True)
    assert "times as large" in taken.why
    found = ask(folder(tmp_path / "second", NEXT))
    assert (found.status, of_memory(found)) == ("refused", [])
    assert "--assume 'lst" not in str((found.error or {}).get("hint")), "nor is it offered"


def test_in_review_nothing_counts_before_it_is_approved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNOWFLOW_MEMORY", "review")
    failed = ask(folder(tmp_path / "first"))
    KnowFlow().edit_run(str(failed.run_id), MEND)
    ((remembered,), _) = KnowFlow().memory().all()
    second = folder(tmp_path / "second", NEXT)
    assert (remembered.learned.state, ask(second).status) == ("proposed", "refused")
    KnowFlow().memory().decide(remembered.learned.name, "active")
    assert ask(second).status == "completed"


def test_what_was_rejected_is_not_learned_again(mended: RunResult, tmp_path: Path) -> None:
    ((remembered,), _) = KnowFlow().memory().all()
    KnowFlow().memory().decide(remembered.learned.name, "rejected")
    failed = ask(folder(tmp_path / "second", NEXT))
    again = KnowFlow().edit_run(str(failed.run_id), MEND)
    assert any("was rejected" in note for note in again.notes)
    assert [one.learned.state for one in KnowFlow().memory().all()[0]] == ["rejected"]


def test_a_change_of_what_is_asked_teaches_nothing(mended: RunResult) -> None:
    before = KnowFlow().memory().all()
    KnowFlow().edit_run(str(mended.run_id), Change(drop=(f"over.values[{SUMMER[0]}]",)))
    assert KnowFlow().memory().all() == before


def test_a_tool_that_a_person_put_before_what_is_wrong_is_learned_for_wherever_such_files_are_used(
    tmp_path: Path,
) -> None:
    failed = ask(folder(tmp_path / "first"))
    places = [f"over.{date}.raster" for date in SUMMER]
    change = Change(
        insert=[("declare_scale", place) for place in places],
        set={f"over.{date}.declare_scale.scale": 1 / FACTOR for date in SUMMER},
    )
    again = KnowFlow().edit_run(str(failed.run_id), change)
    assert (again.status, again.answer) == ("completed", pytest.approx(truth(SUMMER), rel=1e-6))
    ((remembered,), _) = KnowFlow().memory().all()
    (action,) = remembered.learned.rule.then
    assert action.insert_tool is not None
    assert (action.insert_tool.tool, action.insert_tool.with_) == ("declare_scale", {"scale": 1 / FACTOR})
    found = ask(folder(tmp_path / "second", NEXT))
    assert (found.status, found.answer, found.repairs) == ("completed", pytest.approx(truth(NEXT), rel=1e-6), 1)
    assert len(of_memory(found)) == 1


def test_only_what_numbers_stand_for_is_said_of_the_files_of_a_run(mended: RunResult) -> None:
    with pytest.raises(GraphEditError) as refused:
        KnowFlow().preview_edit(str(mended.run_id), Change(assume=("lst_*:crs=EPSG:4326", "evi_*:scale=2")))
    assert [one.code for one in refused.value.problems] == ["not_stated", "no_file"]


def test_the_commands_of_memory(mended: RunResult, knowflow: Command, tmp_path: Path) -> None:
    (one,) = knowflow("memory", "list").result["memory"]
    assert {"state": "active", "tries": 0, "contradicts": []}.items() <= one.items()
    assert knowflow("memory", "show", one["name"]).result["cases"][0]["run"] == mended.run_id
    assert "+rule:" in knowflow("memory", "diff", one["name"]).result["diff"][3]
    assert knowflow("memory", "reject", one["name"]).result["decided"][0]["state"] == "rejected"
    assert knowflow("memory", "export", tmp_path / "none").result["files"] == []
    assert knowflow("memory", "approve", one["name"]).result["decided"][0]["state"] == "active"
    second = folder(tmp_path / "second", NEXT)
    assert "a person" in str(knowflow("plan", QUERY, "--data", second).result["assumptions"])
    assert "a person" not in str(knowflow("plan", QUERY, "--data", second, "--no-memory").result["assumptions"])
    assert knowflow("memory", "forget", one["name"]).result == {"forgotten": [one["name"]]}
    assert knowflow("memory", "show", one["name"]).names("unknown_name")
    with pytest.raises(UnknownNameError):
        KnowFlow().memory().forget(["nothing"])
