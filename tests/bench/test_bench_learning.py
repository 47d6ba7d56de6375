"""The stream that measures learning: what it counts is so, and its faults are what it says they are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from knowflow_bench.learning.campaign import QUESTIONS, Outcome, Task, _Home, campaign, stream
from knowflow_bench.learning.kinds import HEALTHY, KINDS, Kind, in_another_unit, look_alikes
from knowflow_bench.learning.picture import draw


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
