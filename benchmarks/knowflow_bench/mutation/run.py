"""Mistakes are made one by one, each in a process of its own, and judged by the expressions that run into them."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from knowflow.question.operators import Expression
from knowflow.service.api import Service
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Scene, Value
from knowflow_bench.algebra import judge
from knowflow_bench.mutation.sites import Mutant, Place, make, mutants_of, noting
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene, write_scene

_COMPILER = tuple(
    f"knowflow.reason.compiling.{name}"
    for name in ("compiler", "statistics", "series", "pixelwise", "zones", "keys", "made", "delivery")
)
_OPERATORS = ("knowflow.tools.kernels.keyed", "knowflow.tools.keyed_numbers", "knowflow.tools.keyed_rasters")
_INTERPRETER = tuple(
    f"knowflow.testing.interpreter.{name}" for name in ("evaluate", "leaves", "statistics", "arithmetic", "calendar")
)
PARTS: Mapping[str, tuple[str, ...]] = {
    "compiler": _COMPILER,
    "operators": _OPERATORS,
    "interpreter": _INTERPRETER,
}
_SCENES = 3
_EACH = 40
_JUDGES = 8
"""So many expressions judge a mistake, those that run into its line first."""
_SECONDS = 30
_MOST = 20  # times as long as it may be busy, one may wait


@dataclass(frozen=True)
class Asked:
    """An expression on the files of a scene, what it should be, and the statements that it runs."""

    expression: Expression
    scene: Scene
    data: Path
    truth: Value
    places: frozenset[Place]

    def runs(self, mutant: Mutant) -> bool:
        """Whether the line of a mistake is run."""
        return any(module == mutant.module and a <= mutant.line <= b for module, a, b in self.places)


def mutate(n: int = 200, seed: int = 0) -> dict[str, Any]:
    """``n`` mistakes, drawn by ``seed`` among those that expressions run into: how many are seen.

    Those of compiler and operators are seen where a run no longer agrees with the interpreter, those of the
    interpreter where it no longer agrees with itself.
    """
    with tempfile.TemporaryDirectory(prefix="knowflow-mutants-") as folder:
        _ = Service(home=Path(folder) / "home").catalogue  # once for all processes
        asked = _asked(Path(folder))
        every = [
            (part, one)
            for part, modules in PARTS.items()
            for module in modules
            for one in mutants_of(module)
            if any(expression.runs(one) for expression in asked)
        ]
        places = np.random.default_rng(seed).choice(len(every), min(n, len(every)), replace=False)
        drawn = [every[place] for place in sorted(places)]
        survived = [(part, one) for part, one in drawn if not _seen(part, one, asked, Path(folder))]
    return {
        "mutants": len(drawn),
        "killed": len(drawn) - len(survived),
        "of": len(every),
        "parts": {part: sum(own == part for own, _ in drawn) for part in PARTS},
        "survivors": [
            {"module": one.module, "function": one.function, "line": one.line, "what": one.what} for _, one in survived
        ],
    }


def _asked(folder: Path) -> list[Asked]:
    """Expressions that are answered right, and the statements that each runs.

    They are run in a process of their own: what has had threads cannot be forked.
    """
    scenes = {seed: random_scene(seed) for seed in range(_SCENES)}
    for seed, scene in scenes.items():
        write_scene(scene, folder / f"scene{seed}")
    told = folder / "asked"

    def work() -> int:
        with told.open("wb") as file:
            pickle.dump([*_answered(scenes, folder)], file)
        return 0

    _apart(work, 0)
    found = pickle.loads(told.read_bytes())
    return [
        Asked(one, scenes[seed], folder / f"scene{seed}", _value(one, scenes[seed]), places)
        for seed, one, places in found
    ]


def _answered(scenes: Mapping[int, Scene], folder: Path) -> Iterator[tuple[int, Expression, frozenset[Place]]]:
    service = Service(home=folder / "home")
    with noting(module for modules in PARTS.values() for module in modules) as places:
        for seed, scene in scenes.items():
            for expression in Growth(scene, seed).expressions(_EACH):
                places.clear()
                found = judge(expression, scene, folder / f"scene{seed}", service, folder / "out")
                if found.verdict == "right" and found.shape:
                    yield seed, expression, frozenset(places)


def _apart(work: Callable[[], int], seconds: int) -> int:
    """How a piece of work ends in a process of its own: its number; below 0 where it was ended from outside."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_MOST * seconds)
        try:
            os._exit(work())
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _value(expression: Expression, scene: Scene) -> Value:
    return evaluate(_parts(expression)[0], scene)


def _parts(expression: Expression) -> list[Expression]:
    named = getattr(expression, "named", None)
    below = [part for _, part in named] if named else [getattr(expression, "x", expression)]
    return below if expression.op in ("several", "show") else [expression]


def _seen(part: str, mutant: Mutant, asked: Sequence[Asked], folder: Path) -> bool:
    """Whether a mistake is seen, in a process of its own: one that is busy for ever is, one that waits is not."""
    mine = sorted((one for one in asked if one.runs(mutant)), key=lambda one: len(one.places))
    step = max(1, len(mine) // _JUDGES)
    return _apart(lambda: _judged(part, mutant, mine[::step][:_JUDGES], folder), _SECONDS) not in (0, -signal.SIGALRM)


def _judged(part: str, mutant: Mutant, judges: Sequence[Asked], folder: Path) -> int:
    """0 where nobody sees the mistake."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    make(mutant)
    with tempfile.TemporaryDirectory(dir=folder) as home:
        service = Service(home=Path(home) / "home")
        for one in judges:
            if part == "interpreter":
                if not _same(_value(one.expression, one.scene), one.truth):
                    return 1
            elif judge(one.expression, one.scene, one.data, service, Path(home) / "out").verdict != "right":
                return 1
    return 0


def _same(a: Value, b: Value) -> bool:
    if a.items.keys() != b.items.keys() or a.names != b.names:
        return False
    for key, leaf in a.items.items():
        other = b.items[key]
        alike = [
            (x is None) == (y is None) and (x is None or y is None or _close(x, y))
            for x, y in ((leaf.data, other.data), (leaf.ground, other.ground))
        ]
        if not all(alike):
            return False
    return True


def _close(a: Any, b: Any) -> bool:
    one, other = np.asarray(a), np.asarray(b)
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)


def lines(found: Mapping[str, Any]) -> list[str]:
    """What was found, for people."""
    told = [f"{found['killed']} of {found['mutants']} mistakes are seen ({found['of']} can be made)"]
    return told + [f"  {one['module']}:{one['line']} {one['function']}: {one['what']}" for one in found["survivors"]]
