"""The stream that measures learning: what it counts is so, and its faults are what it says they are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from knowflow_bench.learning.ablation import ablations
from knowflow_bench.learning.campaign import QUESTIONS, Outcome, Setting, Task, _Home, campaign, stream
from knowflow_bench.learning.kinds import HEALTHY, KINDS, Kind, in_another_unit, look_alikes
from knowflow_bench.learning.picture import draw


@pytest.fixture(autouse=True)
def _short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learned templates are tried on the fewest scenes."""
    monkeypatch.setattr("knowflow.service.template_trial._SECONDS", 0.0)


def test_no_authored_rule_covers_the_faults_and_whoever_knows_them_mends_them() -> None:
    with _Home() as home:
        for number, kind in enumerate(KINDS):
            task = Task(kind, QUESTIONS[number % 2], number)
            assert home.outcome(task, mend=False) == Outcome(False, False, 0, False, False), kind.name
            assert home.outcome(task).mended, kind.name
            healthy = Task(HEALTHY[number], QUESTIONS[number % 2], number, faulty=False)
            assert home.outcome(healthy, mend=False) == Outcome(True, False, 0, False, False), kind.name


def test_a_short_stream_is_counted_and_drawn(tmp_path: Path) -> None:
    seen: list[tuple[Task, Outcome]] = []
    found = campaign(tasks=30, orders=1, on_task=lambda _, task, outcome: seen.append((task, outcome)))
    assert [task for task, _ in seen] == list(stream(30, 0))
    assert found["first_pass_without"] == pytest.approx(sum(not task.faulty for task, _ in seen) / 30, abs=1e-3)
    patterns: set[tuple[str, str]] = set()
    again = []
    for task, outcome in seen:
        pattern = task.kind.name, task.sensor
        if task.faulty and pattern in patterns:
            again.append(outcome.first)
        patterns |= {pattern} if task.faulty and (outcome.first or outcome.mended) else set()
    assert found["met_from_second"] == pytest.approx(sum(again) / len(again), abs=1e-3)
    assert (found["met_from_second"], found["harmed"], found["lookalikes_fired"]) == (1, 0, 0)
    assert found["llm_calls_start"] > found["llm_calls_end"]
    assert found["first_pass_end"] > found["first_pass_start"]
    draw(found, tmp_path / "curve.svg")
    told = (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert told.count("<path") > 20


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_look_alikes_and_variants_differ_from_their_kind_in_what_is_stored(kind: Kind) -> None:
    told = kind.described(random.Random(0), "terra")
    others = [*look_alikes(kind), *filter(None, [in_another_unit(kind)])]
    assert others
    for other in others:
        scene, value = other.described(random.Random(0), "terra")
        assert value == told[1], "the ground is the same"
        assert scene.layers[0].values != told[0].layers[0].values


def test_what_is_taken_away_is_not_there() -> None:
    """The numbers of a short stream follow from what each setting lacks."""
    rows = {row["setting"]: row for row in ablations(tasks=24, orders=1)}
    healthy = round(sum(not task.faulty for task in stream(24, 0)) / 24, 3)
    whole, bare = rows["as it is"], rows["without templates"]
    assert [row["planned"] for row in rows.values()] == [1.0] * 4
    assert rows["without adjustment"]["in_the_end"] == rows["without adjustment"]["first_pass"] == healthy
    assert rows["without adjustment"]["repairs_asked"] == 0
    assert rows["without learning"]["first_pass"] == healthy
    assert rows["without learning"]["in_the_end"] == whole["in_the_end"] == 1.0
    assert rows["without learning"]["repairs_asked"] == round(24 * (1 - healthy)) > whole["repairs_asked"]
    assert whole["first_pass"] > healthy
    assert (bare["first_pass"], bare["in_the_end"]) == (whole["first_pass"], whole["in_the_end"])


def test_without_templates_none_is_at_hand() -> None:
    with _Home(Setting(templates=False)) as home:
        assert home.outcome(Task(HEALTHY[0], QUESTIONS[0], 1, faulty=False)).first
        assert not home._engine._catalogue.templates
