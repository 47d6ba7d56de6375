"""Whether what asks something else reads otherwise, random trees each beside those with one node changed; and whether
the reader reads what is written."""

from __future__ import annotations

from collections import Counter
from typing import Any

from knowflow.question.check import type_of
from knowflow.question.form import expression_of, to_data
from knowflow.question.normal import equal, normal
from knowflow.question.operators import Expression, Show
from knowflow.question.reading.reader import read
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.words import in_words
from knowflow.testing.interpreter.values import Scene
from knowflow_bench.random_expressions import Growth, mutants
from knowflow_bench.random_scenes import random_scene

PER_SCENE = 250
_SHOWN = 20


def roundtrip(n: int, seed: int = 0, reads: int = 200) -> dict[str, Any]:
    """``n`` random expressions in normal form: how many read as no other does, nor as a mutant of any.

    ``written`` are those that are the same once written as data and read again; ``alike`` shows pairs that read alike.
    The words of ``reads`` of them are ``given`` to the reader: ``same`` are those that it reads as what they say,
    ``others`` shows those that it reads as something else; the rest is asked back.
    """
    asked: dict[str, Expression] = {}
    counted, written, beside = 0, 0, 0
    alike: dict[str, list[str]] = {}
    heard: Counter[str] = Counter()
    others: list[list[str]] = []
    for batch in range(0, n, PER_SCENE):
        scene = random_scene(seed + batch)
        named = names_of(scene)
        for grown in Growth(scene, seed + batch).expressions(min(PER_SCENE, n - batch)):
            one = normal(grown)
            if counted * reads // n < (counted + 1) * reads // n:
                own = type_of(one)
                told = Show(one, "map") if own is not None and own.space else one  # what lies over space is looked at
                found = read(in_words(told), named).expression
                outcome = "asked_back" if found is None else "same" if equal(found, told) else "other"
                heard[outcome] += 1
                if found is not None and outcome == "other":
                    others.append([in_words(told), in_words(found)])
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
        "given": heard.total(),
        "same": heard["same"],
        "others": others[:_SHOWN],
        "alike": [[words, str(to_data(asked[words])), *others] for words, others in [*alike.items()][:_SHOWN]],
    }


def names_of(scene: Scene) -> DataWords:
    """What the data of a scene are called."""
    return DataWords(
        frozenset(scene.layers),
        classes={kind: tuple(one.legend.values()) for kind, one in scene.layers.items() if one.legend},
        objects=tuple(scene.polygons),
        dates=tuple(sorted({day for one in scene.layers.values() for day in one.dates})),
    )
