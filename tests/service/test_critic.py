"""Whether an attempt failed, without its answer: what is right is left alone, what was falsified is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import rasterio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from service_examples import Command, scene

from knowflow import KnowFlow
from knowflow.question.check import type_of
from knowflow.question.operators import Expression, Over
from knowflow.service.critic import Finding, Verdict, verdict
from knowflow.service.results import RunResult
from knowflow.service.run_edits import Change
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene, write_scene

REFLECTANCE = "surface_bidirectional_reflectance"
DATES = ["2020-06-01", "2021-06-01", "2022-06-01"]
SHARE = "What share of the area has NDVI above 0.5?"


def judged(run: RunResult) -> Verdict:
    assert run.trace is not None
    return verdict(run.trace, KnowFlow().catalogue)


def on_crop(found: Verdict) -> Finding:
    return found.findings[-1]


def number_of(e: Expression) -> Expression | None:
    """A map of numbers or truths, of one time or many, closed to one number."""
    own = type_of(e)
    if own is None or not own.space or own.of not in ("number", "truth"):
        return None
    closed: Expression = Over(e, "space", "mean" if own.of == "number" else "share")
    own = type_of(closed)
    if own is not None and own.grain is not None:
        closed = Over(closed, own.grain, "mean")
        own = type_of(closed)
    return None if own is None or own.keys or own.space else closed


def fields(folder: Path, **more: Any) -> Path:
    return scene(folder, {"name": "f", "quantity": "ndvi", "values": "x", "dates": ["2022-06-01"], **more})


@pytest.mark.parametrize(
    ("question", "layers"),
    [
        (SHARE, [{"quantity": "ndvi", "values": "x", "dates": DATES[:1], "missing": "y > 0.7"}]),
        ("What is the mean elevation?", [{"quantity": "elevation", "values": "100 * x + 7 * y"}]),
        ("What was the NDVI trend?", [{"quantity": "ndvi", "values": "0.3 + 0.1 * i * x", "dates": DATES}]),
        (
            "What was the mean NDVI?",
            [{"quantity": REFLECTANCE, "bands": {"red": "0.3 - 0.2 * x", "nir": "0.3"}, "dates": DATES[:2]}],
        ),
        (
            "What was the mean NDVI?",
            [
                {"quantity": "ndvi", "values": "x", "dates": DATES[:1]},
                {"name": "clouds", "quantity": "cloud_mask", "values": "y > x", "dates": DATES[:1], "dtype": "uint8"},
            ],
        ),
        (
            "What is the area of water?",
            [{"quantity": REFLECTANCE, "bands": {"green": "0.2", "nir": "0.1 + 0.2 * x"}, "dates": DATES[:1]}],
        ),
    ],
    ids=["share", "elevation", "trend", "index", "clouds", "definition"],
)
def test_a_right_answer_is_confirmed_on_a_crop_by_the_interpreter(
    question: str, layers: list[dict[str, Any]], tmp_path: Path
) -> None:
    run = KnowFlow().run(question, scene(tmp_path / "data", *layers), out=tmp_path / "out")
    found = judged(run)
    assert run.status == "completed"
    assert (found.failed, on_crop(found).truth) == (False, True), found


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limit=st.floats(0.2, 0.8), other=st.floats(0.2, 0.8))
def test_a_limit_that_is_not_the_one_asked_about_is_found(tmp_path: Path, limit: float, other: float) -> None:
    """Whether the limit of the plan or that of the question: a plan with another computes another share."""
    flow = KnowFlow()
    data = tmp_path / "data"
    run = flow.run(
        f"What share of the area has NDVI above {limit:.3f}?",
        fields(data) if not data.exists() else data,
        out=tmp_path / "o",
    )
    (node,) = [one.id for one in run.trace.plan.workflow.nodes if "threshold" in one.args]  # type: ignore[union-attr]
    edited = flow.edit_run(str(run.run_id), Change(set={f"{node}.threshold": round(other, 3)}), out=tmp_path / "o")
    same = round(float(limit) * 32 + 0.5) == round(float(other) * 32 + 0.5) or run.answer == edited.answer
    assert judged(edited).failed or same


def test_no_right_answer_to_a_random_question_is_doubted(tmp_path: Path) -> None:
    """Expressions that nobody wrote, closed to one number: whatever the interpreter has on the crop, the plan has."""
    truth = random_scene(951)
    write_scene(truth, tmp_path / "data")
    flow, open_ = KnowFlow(), 0
    closed = [one for one in map(number_of, Growth(truth, 4).expressions(30, 4)) if one is not None][:5]
    assert len(closed) == 5
    for asked in closed:
        run = flow.run(asked, tmp_path / "data", out=tmp_path / "out", max_repairs=0)
        if run.status == "completed":
            found = judged(run)
            assert not found.failed, (asked, found)
            open_ += on_crop(found).truth is None
    assert open_ < len(closed) / 2


def test_what_a_quantity_cannot_be_and_a_run_that_failed_speak_for_themselves(tmp_path: Path) -> None:
    run = KnowFlow().run(SHARE, fields(tmp_path / "data"), out=tmp_path / "out")
    assert run.trace is not None
    (path,) = (tmp_path / "data").glob("*.tif")
    with rasterio.open(path, "r+") as file:
        file.write(file.read() * 0 + 9)
    broken = KnowFlow().run(SHARE, tmp_path / "data", out=tmp_path / "out")
    assert broken.status != "completed"
    if broken.trace is not None:
        assert judged(broken).failed


def test_what_is_beyond_the_interpreter_is_left_open_and_says_why(tmp_path: Path) -> None:
    data = fields(tmp_path / "data", dates=DATES, values="0.5 * x + 0.1 * i")
    found = judged(KnowFlow().run("Which date had the highest mean NDVI?", data, out=tmp_path / "out"))
    assert not found.failed
    assert (on_crop(found).truth, "not one number" in on_crop(found).because) == (None, True)


def test_the_command_judges_a_run(knowflow: Command, tmp_path: Path) -> None:
    run = KnowFlow().run(SHARE, fields(tmp_path / "data"), out=tmp_path / "out")
    found = knowflow("runs", "judge", run.run_id)
    assert (found.code, found.result["failed"]) == (0, False)
    assert [one["truth"] for one in found.result["findings"]] == [True] * 4
