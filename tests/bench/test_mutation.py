"""Mistakes are made where something is computed, are undone with their process, and are seen by what runs into them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from knowflow_bench.mutation.run import PARTS
from knowflow_bench.mutation.sites import function_of, make, mutants_of, noting

MODULE = '''
def beyond(x, weight, limit):
    """Above it."""
    if x < 0:
        raise ValueError("below 0")
    total = x * weight
    return total > limit


class Grain:
    @property
    def name(self):
        return "year"
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mistaken.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mistaken", raising=False)
    return "mistaken"


def test_mistakes_are_of_what_is_computed_not_of_what_is_told(module: str) -> None:
    found = {(one.function, one.what) for one in mutants_of(module)}
    assert found == {
        ("beyond", "LtE for Lt"),
        ("beyond", "1 for 0"),
        ("beyond", "a factor dropped"),
        ("beyond", "GtE for Gt"),
        ("Grain.name", "month for year"),
    }


def test_what_is_shown_and_the_rest_of_a_shape_are_no_mistakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = "def shaped(x, add):\n    add(x.reshape(-1, 2), layer=3, step='year', **{'title': 4})\n"
    (tmp_path / "shaping.py").write_text(body)
    monkeypatch.syspath_prepend(tmp_path)
    assert [one.what for one in mutants_of("shaping")] == ["3 for 2"]


def test_a_mistake_is_made_in_the_function_that_others_hold(module: str) -> None:
    import mistaken  # type: ignore[import-not-found]

    held = mistaken.beyond
    make(next(one for one in mutants_of(module) if one.what == "GtE for Gt"))
    assert held(2, 3, 6) is True
    make(next(one for one in mutants_of(module) if one.what == "a factor dropped"))
    assert held(2, 3, 6) is False
    make(next(one for one in mutants_of(module) if one.what == "month for year"))
    assert mistaken.Grain().name == "month"


def test_statements_that_are_run_are_noted_and_only_these(module: str) -> None:
    import mistaken

    with noting([module]) as places:
        assert mistaken.beyond(2, 3, 5)
    lines = {line for _, first, last in places for line in range(first, last + 1)}
    texts = [MODULE.splitlines()[line - 1].strip() for line in sorted(lines)]
    assert texts == ['"""Above it."""', "if x < 0:", "total = x * weight", "return total > limit"]
    places.clear()
    mistaken.beyond(2, 3, 5)
    assert places == set()


def test_every_module_has_mistakes_to_make() -> None:
    for modules in PARTS.values():
        for module in modules:
            found = [*mutants_of(module)]
            assert found, module
            assert all(function_of(one) is not None for one in found)


def test_every_mistake_can_be_compiled() -> None:
    """In a process of its own: what is made stays."""
    told = (
        "from knowflow_bench.mutation.sites import make, mutants_of\n"
        "for one in mutants_of('knowflow.reason.compiling.keys'): make(one)\n"
    )
    folder = str(Path(__file__).parents[2] / "benchmarks")
    root = Path(__file__).parents[2]
    ended = subprocess.run([sys.executable, "-c", told], env={"PYTHONPATH": folder}, cwd=root, stderr=subprocess.PIPE)
    assert (ended.returncode, ended.stderr) == (0, b"")
