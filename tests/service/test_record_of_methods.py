"""Methods of one preference are tried by how often they made what they are for, once one of them has failed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.knowledge.success_record import METHODS, MethodRecord, expected
from knowflow.service.results import RunResult

QUERY = "What is the median slope?"
MODULE = """
def steepness(dem, output):
    raise ValueError("no such ground")
"""
TOOL = """
tool: steepness
title: How steep it is
kit: analysis
layers: [2, 3]
parameters:
  dem: {type: raster, quantity: [elevation]}
  output: {type: path, role: output}
effects:
  sets: [quantity(output) == 'slope', unit(output) == 'degree', scaled(output)]
  preserves: {output: {from: dem, only: [grid]}}
run: python:own_steepness:steepness
"""
METHOD = """
template: {name}
title: Slope, {name}
layer: 2
method_of: produce_quantity
preference: 20
when: ["$quantity == 'slope'"]
parameters: {{quantity: {{type: quantity}}}}
inputs: {{elevation: {{type: raster, quantity: [elevation]}}}}
steps: {{slope: {{tool: {tool}, with: {{dem: $inputs.elevation}}}}}}
outputs: {{product: $slope}}
"""


@pytest.fixture
def dem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plane that rises by 45 degrees, in a project with two methods for slopes, of which the first fails."""
    for name, text in (
        ("own_steepness.py", MODULE),
        ("schemas/steepness.yaml", TOOL),
        ("templates/a_way.yaml", METHOD.format(name="a_way", tool="steepness")),
        ("templates/b_way.yaml", METHOD.format(name="b_way", tool="slope")),
    ):
        path = tmp_path / ".knowflow" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return scene(tmp_path / "data", {"name": "dem", "quantity": "elevation", "unit": "m", "values": "320 * x"})


def ask(data: Path, **options: bool) -> RunResult:
    return KnowFlow().run(QUERY, data, out=data.parent / "out", **options)  # type: ignore[arg-type]


def chosen(data: Path, **options: bool) -> list[tuple[str, dict[str, str]]]:
    decisions = KnowFlow().plan(QUERY, data, **options).plan.decisions  # type: ignore[arg-type]
    return [(one.chosen, dict(one.rejected)) for one in decisions if one.chosen.endswith("_way")]


def test_a_method_that_failed_is_tried_after_those_of_the_same_preference(dem: Path) -> None:
    assert [name for name, _ in chosen(dem)] == ["a_way"]
    assert ask(dem).status == "failed"
    ((name, rejected),) = chosen(dem)
    assert name == "b_way"
    assert "40% of runs" in rejected["a_way"]
    assert ask(dem).answer == pytest.approx(45, abs=0.02)
    assert [name for name, _ in chosen(dem, memory=False)] == ["a_way"]


def test_nothing_is_counted_before_a_method_fails_nor_without_memory(dem: Path) -> None:
    (dem.parent / ".knowflow" / "templates" / "a_way.yaml").unlink()
    assert ask(dem).status == "completed"
    flow = KnowFlow()
    assert not list(Path(flow.memory().folder).parents[1].glob(METHODS))
    (dem.parent / ".knowflow" / "templates" / "a_way.yaml").write_text(METHOD.format(name="a_way", tool="steepness"))
    assert KnowFlow().run(QUERY, dem, out=dem.parent / "out", memory=False).status == "failed"
    assert [name for name, _ in chosen(dem)] == ["a_way"]


def test_another_project_has_a_record_of_its_own(dem: Path) -> None:
    ask(dem)
    home = KnowFlow().memory().folder.parents[1]
    assert MethodRecord(home, "another").likely() == {}
    (own,) = [MethodRecord(home, KnowFlow().memory().folder.name).likely()]
    assert own == {"a_way": expected(1, 0)}


@pytest.mark.parametrize(("tries", "successes", "likely"), [(0, 0, 0.5), (1, 1, 0.6), (1, 0, 0.4), (10, 10, 12 / 14)])
def test_one_run_changes_little(tries: int, successes: int, likely: float) -> None:
    """The mean of a Beta distribution, by its closed form."""
    a, b = 2 + successes, 2 + tries - successes
    assert expected(tries, successes) == pytest.approx(likely) == pytest.approx(a / (a + b))
