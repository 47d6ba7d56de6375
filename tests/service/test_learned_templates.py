"""A step that a person put into a run is a template for the next folder of its kind; numbers are those of the files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

from knowflow import KnowFlow
from knowflow.ground.errors import DocumentError
from knowflow.ground.resources import state_home
from knowflow.knowledge.plan_document import save_plan
from knowflow.memory.shelf import TemplateShelf
from knowflow.service import solidifying
from knowflow.service.memory_book import Remembered
from knowflow.service.results import RunResult
from knowflow.service.run_edits import Change, edited_run

MEAN = "What was the mean surface temperature in 2022?"
MAXIMUM = "What was the maximum surface temperature in 2022?"
SHARE = "What share of the area had surface temperature above 300 K in 2022?"
SUMMER, NEXT = ("2022-06-01", "2022-07-01"), ("2022-08-01", "2022-09-01")
SPIKE = 345.0  # what a producer writes over hot spots of its sensor: physically possible, and nothing says so

MODULE = """
import numpy as np
import rasterio


def leave_out_spikes(raster, output, above=340.0):
    with rasterio.open(raster.path) as file:
        values, profile = file.read(1).astype("float32"), file.profile
    if abs(float(np.nanmax(values)) - 350) < 0.001:
        raise ValueError("no such spikes")
    values[values > above] = np.nan
    profile.update(dtype="float32", nodata=float("nan"))
    with rasterio.open(output, "w", **profile) as file:
        file.write(values, 1)


def middle(raster, statistic, when_empty="fail"):
    with rasterio.open(raster.path) as file:
        values = file.read(1).astype("float64")
    values = values[np.isfinite(values)]
    values = np.sort(values)[len(values) // 10 : len(values) - len(values) // 10]
    return float({"mean": np.mean, "maximum": np.max}[statistic](values))


def nothing(raster, output):
    with rasterio.open(raster.path) as file:
        values, profile = file.read(1), file.profile
    with rasterio.open(output, "w", **profile) as file:
        file.write(values, 1)
"""
TOOL = """
tool: {name}
title: {name}
kit: preprocessing
layers: [1, 2, 3]
parameters:
  raster: {{type: raster}}
  output: {{type: path, role: output}}
{more}
preconditions: [scaled(raster)]
effects:
  sets: [scaled(output)]
  preserves: {{output: {{from: raster, except: [scale, offset, nodata, pixels]}}}}
insertable: false
lossy: what is left out is lost
run: python:own_steps:{name}
"""
MIDDLE = """
tool: middle
title: A statistic of the middle four fifths
kit: statistics
layers: [1, 2, 3]
parameters:
  raster: {type: raster}
  statistic: {type: string, choices: [mean, maximum]}
  when_empty: {type: string, default: fail, choices: [fail, missing]}
returns: {type: scalar}
effects:
  sets: [quantity(value) == quantity(raster), unit(value) == unit(raster)]
preconditions: [scaled(raster)]
run: python:own_steps:middle
"""


@pytest.fixture(autouse=True)
def _tools_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schemas = tmp_path / ".knowflow" / "schemas"
    schemas.mkdir(parents=True)
    (tmp_path / ".knowflow" / "own_steps.py").write_text(MODULE, encoding="utf-8")
    above = "  above: {type: number, default: 340, title: numbers from which a pixel is one}"
    for name, more in (("leave_out_spikes", above), ("nothing", "")):
        (schemas / f"{name}.yaml").write_text(TOOL.format(name=name, more=more), encoding="utf-8")
    (schemas / "middle.yaml").write_text(MIDDLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr("knowflow.service.template_trial._SECONDS", 0.0)


def kelvin(date: str) -> NDArray[np.float32]:
    """Temperatures, and where the sensor has its hot spots."""
    rng = np.random.default_rng(int(date[5:7]))
    values = 295.0 + 15.0 * rng.random((24, 24))
    return np.where(rng.random((24, 24)) < 0.1, SPIKE, values).astype("float32")


def folder(path: Path, dates: Sequence[str] = SUMMER, name: str = "lst", moved: float = 0.0) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    profile = {"driver": "GTiff", "width": 24, "height": 24, "count": 1, "dtype": "float32", "crs": "EPSG:32633"}
    for date in dates:
        with rasterio.open(
            path / f"{name}_{date}.tif", "w", transform=Affine(30, 0, 500000, 0, -30, 5100000), **profile
        ) as file:
            file.write(kelvin(date) + np.float32(moved), 1)
    return path


def seen(dates: Sequence[str]) -> list[NDArray[np.float64]]:
    """The temperatures without hot spots."""
    return [(one := kelvin(date).astype("float64"))[one < 340] for date in dates]


def truth(dates: Sequence[str], query: str = MEAN) -> float:
    of_one = {MEAN: np.mean, MAXIMUM: np.max, SHARE: lambda one: (one > 300).mean()}[query]
    every = [float(of_one(one)) for one in seen(dates)]
    return max(every) if query == MAXIMUM else float(np.mean(every))


def ask(data: Path, query: str = MEAN, **options: Any) -> RunResult:
    return KnowFlow().run(query, data, out=data.parent / f"out_{data.name}", **options)


def mend(
    run: RunResult, step: str = "over", tool: str = "leave_out_spikes", dates: Sequence[str] = SUMMER
) -> RunResult:
    """A person puts a tool before a step of each date."""
    assert run.run_id is not None
    return KnowFlow().edit_run(run.run_id, Change(insert=[(tool, f"{step}.{date}.raster") for date in dates]))


def of_memory(found: Any) -> list[str]:
    return [f"{one.what} {one.because}" for one in found.assumptions if one.origin == "memory"]


def learned() -> list[Remembered]:
    return list(KnowFlow().memory().all()[0])


@pytest.fixture
def mended(tmp_path: Path) -> RunResult:
    """A run that was completed and wrong, and that a person put a step into."""
    return mend(ask(folder(tmp_path / "first")))


def test_a_step_that_a_person_puts_in_answers_the_next_folder_of_that_kind(mended: RunResult, tmp_path: Path) -> None:
    assert mended.answer == pytest.approx(truth(SUMMER), rel=1e-6)
    assert [note for note in mended.notes if note.startswith("memory: learned from repair 1")]
    second = folder(tmp_path / "second", NEXT)
    without = ask(second, memory=False)
    assert without.answer != pytest.approx(truth(NEXT), rel=1e-3)
    found = ask(second)
    assert found.answer == pytest.approx(truth(NEXT), rel=1e-6)
    ((told,), (one,)) = of_memory(found), learned()
    for words in ("leave_out_spikes", one.learned.name, str(mended.run_id), "a person"):
        assert words in told
    assert one.learned.name in Path(str(found.report)).read_text(encoding="utf-8")
    assert one.learned.name in {decision.chosen for decision in KnowFlow().plan(MEAN, second).plan.decisions}
    steps = {node.tool: node for node in KnowFlow().trace(str(found.run_id)).plan.workflow.nodes}
    put_in = steps["leave_out_spikes"].inserted
    assert put_in is not None
    assert (put_in.by, put_in.lossy) == ("memory", "what is left out is lost")
    ((one),) = learned()
    assert (one.tries, one.successes) == (1, 1)
    judged = {finding.what: finding.truth for finding in KnowFlow().judge_run(str(found.run_id)).findings}
    assert False not in judged.values(), "what was put in is no mistake of the plan"


def test_a_number_of_the_question_is_a_parameter_of_the_template(tmp_path: Path) -> None:
    mended = mend(ask(folder(tmp_path / "first"), SHARE), "beyond")
    assert mended.answer == pytest.approx(truth(SUMMER, SHARE), rel=1e-6)
    other = SHARE.replace("300 K", "30 degC")
    found = ask(folder(tmp_path / "second", NEXT), other)
    assert len(of_memory(found)) == 1
    expected = float(np.mean([(one > 303.15).mean() for one in seen(NEXT)]))
    assert found.answer == pytest.approx(expected, rel=1e-6)


def test_a_run_that_fails_with_a_template_is_answered_without_it(mended: RunResult, tmp_path: Path) -> None:
    second = folder(tmp_path / "second", NEXT, moved=350 - SPIKE)  # numbers on which the tool gives up
    assert len(of_memory(KnowFlow().plan(MEAN, second).plan)) == 1
    found, without = ask(second), ask(second, memory=False)
    (one,) = learned()
    assert (found.status, found.answer) == ("completed", without.answer)
    assert [note for note in found.notes if f"answered without {one.learned.name}" in note]
    assert (one.tries, one.successes) == (1, 0)


def test_what_another_process_learns_meanwhile_is_not_lost(
    mended: RunResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trials take seconds, for which nobody is kept from learning."""
    others, tried = ["elsewhere"], solidifying.tried

    def meanwhile(*args: Any, **options: Any) -> Any:
        if others:
            shelf = TemplateShelf(state_home())
            with shelf.changing():
                (one,) = shelf.found(KnowFlow().catalogue.tools).learned.values()
                case = one.cases[0].model_copy(update={"run": others.pop()})
                shelf.put(one.model_copy(update={"cases": (*one.cases, case)}))
        return tried(*args, **options)

    monkeypatch.setattr(solidifying, "tried", meanwhile)
    again = mend(ask(folder(tmp_path / "second", NEXT), memory=False), dates=NEXT)
    (one,) = learned()
    assert [case.run for case in one.learned.cases] == [mended.run_id, "elsewhere", again.run_id]


def test_what_was_done_for_two_operators_is_done_to_the_data_of_all(mended: RunResult, tmp_path: Path) -> None:
    failed = ask(folder(tmp_path / "second", NEXT), MAXIMUM)
    assert failed.answer == pytest.approx(SPIKE)
    again = mend(failed, dates=NEXT)
    assert [note for note in again.notes if note.startswith("memory: widened")]
    states = {one.learned.state: one.learned for one in learned()}
    assert states.keys() == {"active", "retired"}
    assert states["active"].template.computes == "quantity(surface_temperature)"
    found = ask(folder(tmp_path / "third", SUMMER), SHARE)
    assert (found.answer, len(of_memory(found))) == (pytest.approx(truth(SUMMER, SHARE), rel=1e-6), 1)


def test_a_whole_plan_that_a_person_wrote_teaches_the_same(tmp_path: Path) -> None:
    run = ask(folder(tmp_path / "first"))
    change = Change(insert=[("leave_out_spikes", f"over.{date}.raster") for date in SUMMER])
    preview = edited_run(KnowFlow().trace(str(run.run_id)), change, KnowFlow().catalogue.tools)
    save_plan(preview.plan, tmp_path / "by_hand.yaml")
    again = KnowFlow().edit_run(str(run.run_id), Change(plan=tmp_path / "by_hand.yaml"))
    assert [note for note in again.notes if note.startswith("memory: learned")], again.notes
    assert ask(folder(tmp_path / "second", NEXT)).answer == pytest.approx(truth(NEXT), rel=1e-6)


def test_another_tool_for_a_step_is_taken_for_such_data_alone(tmp_path: Path) -> None:
    run = ask(folder(tmp_path / "first"))
    change = Change(replace={f"over.{date}": "middle" for date in SUMMER})
    mended = KnowFlow().edit_run(str(run.run_id), change)
    assert [note for note in mended.notes if note.startswith("memory: learned")], mended.notes
    second = folder(tmp_path / "second", NEXT)

    def middle(date: str) -> float:
        values = np.sort(kelvin(date).astype("float64"), axis=None)
        return float(values[len(values) // 10 : len(values) - len(values) // 10].mean())

    assert ask(second).answer == pytest.approx(np.mean([middle(date) for date in NEXT]), rel=1e-6)
    assert of_memory(KnowFlow().plan(MEAN, folder(tmp_path / "cold", NEXT, moved=-60)).plan) == []


def test_data_of_another_kind_are_left_alone(mended: RunResult, tmp_path: Path) -> None:
    others = {
        "another layer": folder(tmp_path / "layer", NEXT, name="skin_temperature"),
        "numbers of another size": folder(tmp_path / "cold", NEXT, moved=-60.0),
        "one file of another kind": folder(folder(tmp_path / "mixed", NEXT[:1]), NEXT[1:], moved=-60),
    }
    for why, data in others.items():
        found, without = (KnowFlow().plan(MEAN, data, memory=memory).plan for memory in (True, False))
        assert (of_memory(found), found.workflow) == ([], without.workflow), why


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (Change(insert=[("nothing", f"over.{date}.raster") for date in SUMMER]), "does what the plan does without it"),
        (Change(set={f"over.{date}.statistic": "median" for date in SUMMER}), "changes what is asked"),
        (Change(insert=[("leave_out_spikes", f"over.{SUMMER[0]}.raster")]), "for some of the maps"),
    ],
)
def test_what_is_not_worth_keeping_or_of_this_run_alone_is_not_kept_and_told(
    tmp_path: Path, change: Change, told: str
) -> None:
    run = ask(folder(tmp_path / "first"))
    again = KnowFlow().edit_run(str(run.run_id), change)
    assert [note for note in again.notes if "nothing was learned" in note and told in note], again.notes
    assert learned() == []


def test_who_takes_the_step_out_again_retires_the_template(mended: RunResult, tmp_path: Path) -> None:
    found = ask(folder(tmp_path / "second", NEXT))
    (one,) = learned()
    steps = [
        node.id for node in KnowFlow().trace(str(found.run_id)).plan.workflow.nodes if node.tool == "leave_out_spikes"
    ]
    KnowFlow().edit_run(str(found.run_id), Change(set={f"{step}.above": 350 for step in steps}))
    states = {one.learned.name: one.learned.state for one in learned()}
    assert states[one.learned.name] == "retired"


def test_another_project_knows_nothing_of_it_before_it_is_imported_and_approved(
    mended: RunResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = folder(tmp_path / "second", NEXT)
    (file,) = KnowFlow().memory().export(tmp_path / "exported")
    (tmp_path / "other").mkdir()
    (tmp_path / ".knowflow").rename(tmp_path / "other" / ".knowflow")
    monkeypatch.chdir(tmp_path / "other")
    other = KnowFlow()
    assert (other.memory().all()[0], of_memory(ask(second))) == ((), [])
    (taken,) = other.memory().take(file)
    assert of_memory(ask(second)) == [], "it waits for approval"
    other.memory().decide(taken.name, "active")
    assert ask(second).answer == pytest.approx(truth(NEXT), rel=1e-6)
    assert "a person" in other.memory().one(taken.name).learned.told[2]


def test_what_is_imported_is_checked_and_tried(mended: RunResult, tmp_path: Path) -> None:
    (file,) = KnowFlow().memory().export(tmp_path / "exported")
    text = file.read_text(encoding="utf-8")
    for spoilt, into, told in (
        ("tool: leave_out_spikes", "tool: leave_out_spike", "unknown_tool"),
        ("dtype($inputs.x) == 'float32'", "__import__('os').system('true') == 0", "condition_syntax"),
        ("computes: over(", "computes: overs(", "bad_pattern"),
        ("statistic: mean", "statistic: maximum", "trial"),
    ):
        assert spoilt in text
        file.write_text(text.replace(spoilt, into), encoding="utf-8")
        with pytest.raises(DocumentError) as refused:
            KnowFlow().memory().take(file)
        assert told in str([str(one.code) for one in refused.value.problems])


def test_in_review_nothing_counts_before_it_is_approved_and_what_was_rejected_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNOWFLOW_MEMORY", "review")
    mend(ask(folder(tmp_path / "first")))
    (one,) = learned()
    second = folder(tmp_path / "second", NEXT)
    assert (one.learned.state, of_memory(ask(second))) == ("proposed", [])
    KnowFlow().memory().decide(one.learned.name, "rejected")
    again = mend(ask(second), dates=NEXT)
    assert [note for note in again.notes if "was rejected" in note]
    assert [one.learned.state for one in learned()] == ["rejected"]
