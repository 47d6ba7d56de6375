"""Mistakes are made one by one, each in a process of its own, and judged by the expressions that run into them."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from knowflow.question.operators import Expression
from knowflow.service.api import Service
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Scene, Value
from knowflow_bench.algebra import judge
from knowflow_bench.mutation.sites import Mutant, make, mutants_of
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
_SCENES = 4
_EACH = 40
_JUDGES = 8
"""So many expressions judge a mistake, those that run into its line first."""
_SECONDS = 60


@dataclass(frozen=True)
class Asked:
    """An expression on the files of a scene, what it should be, and the lines that it runs, by file."""

    expression: Expression
    scene: Scene
    data: Path
    truth: Value
    lines: frozenset[tuple[str, int]]


def mutate(n: int = 200, seed: int = 0) -> dict[str, Any]:
    """``n`` mistakes, drawn by ``seed`` among those that expressions run into: how many are seen.

    Those of compiler and operators are seen where a run no longer agrees with the interpreter, those of the
    interpreter where it no longer agrees with itself.
    """
    with tempfile.TemporaryDirectory(prefix="knowflow-mutants-") as folder:
        asked = [*_asked(Path(folder))]
        reached = frozenset().union(*(one.lines for one in asked))
        every = [
            (part, one) for part, modules in PARTS.items() for module in modules for one in mutants_of(module)
            if (_file(one), one.line) in reached
        ]  # fmt: skip
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


def _asked(folder: Path) -> Iterator[Asked]:
    """Expressions that are answered right, and the lines of the parts that each runs."""
    files = {str(importlib.import_module(module).__file__) for modules in PARTS.values() for module in modules}
    service = Service(home=folder / "home")
    for seed in range(_SCENES):
        scene, data = random_scene(seed), folder / f"scene{seed}"
        write_scene(scene, data)
        for expression in Growth(scene, seed).expressions(_EACH):
            with _traced(files) as lines:
                found = judge(expression, scene, data, service, folder / "out")
            if found.verdict == "right" and found.shape:
                yield Asked(expression, scene, data, _value(expression, scene), frozenset(lines))


@contextmanager
def _traced(files: set[str]) -> Iterator[set[tuple[str, int]]]:
    lines: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(before)
        threading.settrace(before)


def _value(expression: Expression, scene: Scene) -> Value:
    return evaluate(_parts(expression)[0], scene)


def _parts(expression: Expression) -> list[Expression]:
    named = getattr(expression, "named", None)
    below = [part for _, part in named] if named else [getattr(expression, "x", expression)]
    return below if expression.op in ("several", "show") else [expression]


def _file(mutant: Mutant) -> str:
    return str(importlib.import_module(mutant.module).__file__)


def _seen(part: str, mutant: Mutant, asked: Sequence[Asked], folder: Path) -> bool:
    """Whether a mistake is seen, in a process of its own: a run that does not end is seen as well."""
    place = (_file(mutant), mutant.line)
    mine = sorted((one for one in asked if place in one.lines), key=lambda one: len(one.lines))
    step = max(1, len(mine) // _JUDGES)
    judges = mine[::step][:_JUDGES]
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os._exit(_judged(part, mutant, judges, folder))
    _, status = os.waitpid(child, 0)
    return status != 0


def _judged(part: str, mutant: Mutant, judges: Sequence[Asked], folder: Path) -> int:
    """0 where nobody sees the mistake."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_SECONDS)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    make(mutant)
    try:
        with tempfile.TemporaryDirectory(dir=folder) as home:
            service = Service(home=Path(home) / "home")
            for one in judges:
                if part == "interpreter":
                    if not _same(_value(one.expression, one.scene), one.truth):
                        return 1
                elif judge(one.expression, one.scene, one.data, service, Path(home) / "out").verdict != "right":
                    return 1
    except Exception:  # whatever goes wrong is seen
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
