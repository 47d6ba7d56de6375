"""Whether what asks something else reads otherwise: random trees, each beside those with one node changed."""

from __future__ import annotations

from typing import Any

from knowflow.question.check import type_of
from knowflow.question.form import expression_of, to_data
from knowflow.question.normal import normal
from knowflow.question.operators import Expression
from knowflow.question.words import in_words
from knowflow_bench.random_expressions import Growth, mutants
from knowflow_bench.random_scenes import random_scene

PER_SCENE = 250
_SHOWN = 20


def roundtrip(n: int, seed: int = 0) -> dict[str, Any]:
    """``n`` random expressions in normal form: how many read as no other does, nor as a mutant of any.

    ``written`` are those that are the same once written as data and read again; ``alike`` shows pairs that read alike.
    """
    asked: dict[str, Expression] = {}
    counted, written, beside = 0, 0, 0
    alike: dict[str, list[str]] = {}
    for batch in range(0, n, PER_SCENE):
        growth = Growth(random_scene(seed + batch), seed + batch)
        for grown in growth.expressions(min(PER_SCENE, n - batch)):
            one = normal(grown)
            counted += 1
            written += expression_of(to_data(one)) == (one, ())
            changed = {normal(mutant) for mutant in mutants(one) if type_of(mutant) is not None}
            beside += len(changed)
            for expression in (one, *changed):
                words = in_words(expression)
                if asked.setdefault(words, expression) != expression:
                    alike.setdefault(words, []).append(str(to_data(expression)))
    return {
        "n": counted,
        "mutants": beside,
        "written": written,
        "injective": counted - len(alike),
        "alike": [[words, str(to_data(asked[words])), *others] for words, others in [*alike.items()][:_SHOWN]],
    }
