"""Two engines by two hands find the same numbers for random expressions."""

from __future__ import annotations

import collections
import math
from typing import Any

import numpy as np
import pytest

from knowflow.question.operators import Expression, walk
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import OutsideError, Scene
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene, written_out
from tests.testing.interpreter.second_engine import NotCoveredError, Table, compute

SEEDS = range(20, 24)


def grown(seed: int) -> tuple[Scene, list[Expression]]:
    scene = random_scene(seed)
    return scene, [written_out(one, scene) for one in Growth(scene, seed).expressions(50)]


def cells_of(value: Any) -> dict[Any, float | None]:
    """The interpreter's value cell by cell, without what is no ground."""
    found: dict[Any, float | None] = {}
    for key, leaf in value.items.items():
        data = np.asarray(leaf.data)
        for place in np.ndindex(data.shape):
            if leaf.ground is None or leaf.ground[place] > 0:
                found[key, place or None] = None if math.isnan(data[place]) else float(data[place])
    return found


def differences(table: Table, cells: dict[Any, float | None]) -> list[Any]:
    """Cells that differ; one that is unknown may be missing on a side: no dates are left, or no ground."""
    known = {cell: value for cell, value in table.cells.items() if value is not None}
    wanted = {cell: value for cell, value in cells.items() if value is not None}
    return [
        (cell, known.get(cell), wanted.get(cell))
        for cell in known.keys() | wanted.keys()
        if cell not in known
        or cell not in wanted
        or not math.isclose(known[cell], wanted[cell], rel_tol=1e-7, abs_tol=1e-7)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_two_engines_agree(seed: int) -> None:
    scene, expressions = grown(seed)
    compared = 0
    for expression in expressions:
        try:
            table, value = compute(expression, scene), evaluate(expression, scene)
        except (NotCoveredError, OutsideError):
            continue
        compared += 1
        assert differences(table, cells_of(value)) == [], expression
    assert compared > 15


def test_the_second_engine_meets_most_operators() -> None:
    met: collections.Counter[str] = collections.Counter()
    for seed in SEEDS:
        scene, expressions = grown(seed)
        for expression in expressions:
            try:
                compute(expression, scene)
            except NotCoveredError:
                continue
            met.update({part.op for _, part in walk(expression)})
    wanted = ("quantity", "during", "within", "beyond", "is_class", "and", "or", "not", "split", "over", "calculate")
    assert [op for op in wanted if met[op] < 2] == []
