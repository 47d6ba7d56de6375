"""Every operator on a scene that fits on paper: the numbers are worked by hand, not by code."""

from __future__ import annotations

import collections
import math
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow.ground.yamldoc import load
from knowflow.question.check import type_of
from knowflow.question.form import expression_of
from knowflow.question.operators import OPERATORS, walk
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import OutsideError, Value
from tests.testing.interpreter.scene_by_hand import SCENE

EXAMPLES: dict[str, list[dict[str, Any]]] = load(Path(__file__).with_name("examples.yaml")).data  # type: ignore[assignment]
ALL = [(one["is"], one["gives"]) for examples in EXAMPLES.values() for one in examples]
# combinations whose meaning is that of their parts
_WITHOUT = {"apply", "several"}


def told(value: Value, of: str) -> Any:
    """A value as the examples have it: keys as words, classes and dates as such, unknown as None, no ground as out."""

    def one(number: float, ground: float) -> Any:
        if ground == 0:
            return "out"
        if math.isnan(number):
            return None
        return (
            value.labels[int(number)]
            if of == "class"
            else str(date.fromordinal(int(number)))
            if of == "date"
            else number
        )

    leaves = {}
    for key, leaf in value.items.items():
        words = " ".join(" ".join(map(str, part)) if isinstance(part, tuple) else str(part) for part in key)
        data = np.asarray(leaf.data)
        ground = np.ones_like(data) if leaf.ground is None else leaf.ground
        if data.ndim:
            leaves[words] = [[one(*pair) for pair in zip(*row, strict=True)] for row in zip(data, ground, strict=True)]
        else:
            leaves[words] = one(float(data), 1.0)
    return leaves if value.names else leaves[""]


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, dict):
        found_keys = {str(key): one for key, one in found.items()}
        return {*found_keys} == {*map(str, expected)} and all(
            same(found_keys[str(key)], one) for key, one in expected.items()
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, str) or expected is None:
        return bool(found == expected)
    return isinstance(found, int | float) and math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.parametrize(("text", "expected"), ALL)
def test_an_example_worked_by_hand(text: str, expected: Any) -> None:
    expression, faults = expression_of(text)
    assert expression is not None, faults
    type_ = type_of(expression)
    assert type_ is not None
    of = type_.of if type_.of != "answer" else "number"
    found = told(evaluate(expression, SCENE), of)
    assert same(found, expected), found


def test_every_operator_has_six_examples() -> None:
    met: collections.Counter[str] = collections.Counter()
    for text, _ in ALL:
        expression, _faults = expression_of(text)
        assert expression is not None
        met.update({part.op for _, part in walk(expression)})
    assert {op: met[op] for op in OPERATORS if op not in _WITHOUT and met[op] < (2 if op == "show" else 6)} == {}


@pytest.mark.parametrize("text", ["apply(viewshed, elevation)", "quantity(ndvi, measured)", "ndwi"])
def test_what_is_not_evaluated_is_outside(text: str) -> None:
    expression, faults = expression_of(text)
    assert expression is not None, faults
    with pytest.raises(OutsideError):
        evaluate(expression, SCENE)
