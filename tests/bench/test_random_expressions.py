"""Random expressions fit, meet every operator, and mean the same in normal form, on scenes with unknowns."""

from __future__ import annotations

import collections
from functools import cache

import numpy as np
import pytest

from knowflow.question.check import type_of
from knowflow.question.normal import LAWS, normal
from knowflow.question.operators import OPERATORS, Expression, walk, with_children
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import OutsideError, Scene, Value
from knowflow_bench.random_expressions import OF_FEATURES, Growth, mutants
from knowflow_bench.random_scenes import random_scene, written_out

SEEDS = range(4)
EACH = 40


@cache
def grown(seed: int, number: int = EACH) -> tuple[Scene, list[Expression]]:
    scene = random_scene(seed)
    return scene, list(Growth(scene, seed).expressions(number))


def value_of(expression: Expression, scene: Scene) -> Value | None:
    try:
        return evaluate(written_out(expression, scene), scene)
    except OutsideError:
        return None


def same(a: Value | None, b: Value | None) -> bool:
    """Equal values, whatever the order of keys that are of one place in the question."""
    if a is None or b is None:
        return a is b
    return {*a.items} == {*b.items} and all(
        np.allclose(a.items[key].data, b.items[key].data, rtol=1e-9, atol=1e-9, equal_nan=True) for key in a.items
    )


def test_the_same_seed_grows_the_same() -> None:
    again = list(Growth(random_scene(3), 3).expressions(EACH))
    assert grown(3)[1] == again != grown(2)[1]


def test_every_expression_fits_and_every_operator_is_met() -> None:
    met: collections.Counter[str] = collections.Counter()
    for seed in SEEDS:
        for expression in grown(seed, 100)[1]:
            assert type_of(expression) is not None
            met.update({part.op for _, part in walk(expression)})
    few = {op: met[op] for op in OPERATORS if met[op] < 0.02 * 100 * len(SEEDS)}
    assert few.keys() == set(OF_FEATURES)


@pytest.mark.parametrize("seed", SEEDS)
def test_normal_form_means_the_same(seed: int) -> None:
    scene, expressions = grown(seed)
    for expression in expressions:
        assert same(value_of(expression, scene), value_of(normal(expression), scene)), expression
        assert normal(normal(expression)) == normal(expression)


@pytest.mark.parametrize("law", LAWS)
def test_a_law_by_itself_means_the_same(law: str) -> None:
    def everywhere(e: Expression) -> Expression:
        return LAWS[law](with_children(e, everywhere))

    changed = 0
    for seed in SEEDS:
        scene, expressions = grown(seed)
        for expression in expressions:
            other = everywhere(expression)
            changed += other != expression
            if other != expression:
                assert same(value_of(expression, scene), value_of(other, scene)), expression
    assert changed or law == "dates_are_there"  # which is seldom grown


def test_numbers_are_known_more_often_than_not_and_mutants_mean_something_else() -> None:
    """Else equal numbers would prove nothing."""
    known, apart, total, changed = 0, 0, 0, 0
    for seed in SEEDS:
        scene, expressions = grown(seed)
        for expression in expressions:
            value = value_of(expression, scene)
            if value is None:
                continue
            total += 1
            if not any(np.isfinite(leaf.data).any() for leaf in value.items.values()):
                continue
            known += 1
            for mutant in list(mutants(normal(expression)))[:3]:
                if type_of(mutant) is not None and normal(mutant) != normal(expression):
                    changed += 1
                    apart += not same(value, value_of(mutant, scene))
    assert known > 0.6 * total
    assert apart > 0.5 * changed
