"""Mistakes are made one by one, each in a process of its own, and judged by the expressions that run into them."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from knowflow.ground.errors import KnowFlowError
from knowflow.model.plan import node_to_json
from knowflow.question.operators import Expression, Several, Show
from knowflow.service.api import Service
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Leaf, OutsideError, Scene, Value
from knowflow_bench.algebra import judge
from knowflow_bench.mutation.clauses import clauses
from knowflow_bench.mutation.sites import Mutant, Place, make, mutants_of, noting
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import IN_METRES, WHOLE, Ground, random_layers, written_out
from knowflow_bench.telling_scenes import telling_ground

_COMPILER = tuple(
    f"knowflow.reason.compiling.{name}"
    for name in ("compiler", "statistics", "series", "pixelwise", "zones", "keys", "made", "delivery", "data")
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
_GROUNDS = 3
_GROWN = 60
"""Of each scene so many random expressions beside the clauses."""
_EACH = 5
"""Of so many expressions one is run: runs cost more than plans, and these more than values."""
_RUNS, _PLANS, _VALUES = 12, 40, 300
"""So many expressions that run into a mistake judge it, by runs, by plans, and by values."""
_SECONDS = 60
_LONGEST = 3600
_MOST = 20  # times as long as it may be busy, one may wait
_FAILED = 255


@dataclass(frozen=True)
class Asked:
    """An expression on a scene and the statements that it runs; its value, or its plan."""

    expression: Expression
    scene: Scene
    data: Path
    places: frozenset[Place]
    truth: Value | None = None
    plan: str = ""

    def runs(self, mutant: Mutant) -> bool:
        """Whether the line of a mistake is run."""
        return any(module == mutant.module and a <= mutant.line <= b for module, a, b in self.places)


Pools = Mapping[str, Sequence[Asked]]


def mutate(n: int = 200, seed: int = 0) -> dict[str, Any]:
    """``n`` mistakes, drawn by ``seed`` among those that expressions run into: how many are seen.

    Those of the compiler are seen where a plan is another one and its run no longer agrees with the interpreter, those
    of the operators where a run does not, those of the interpreter where it no longer agrees with itself.
    """
    with tempfile.TemporaryDirectory(prefix="knowflow-mutants-") as folder:
        service = Service(home=Path(folder) / "home")
        _ = service.catalogue  # once for all processes
        judges = Judges(Path(folder), service)
        every = [
            (part, one)
            for part, modules in PARTS.items()
            for module in modules
            for one in mutants_of(module)
            if any(asked.runs(one) for asked in judges.pools[part])
        ]
        places = np.random.default_rng(seed).choice(len(every), min(n, len(every)), replace=False)
        drawn = [every[place] for place in sorted(places)]
        survived = [(part, one) for part, one in drawn if not judges.see(part, one)]
    return {
        "mutants": len(drawn),
        "killed": len(drawn) - len(survived),
        "of": len(every),
        "parts": {part: sum(own == part for own, _ in drawn) for part in PARTS},
        "survivors": [
            {"module": one.module, "function": one.function, "line": one.line, "what": one.what} for _, one in survived
        ],
    }


class Judges:
    """Expressions that see mistakes, each in a process of its own: what has had threads cannot be forked."""

    def __init__(self, folder: Path, service: Service) -> None:
        self._folder = folder
        self._service = service
        self._right: dict[tuple[Expression, Path], bool] = {}
        everywhere = [*_asked(folder)]
        asked = everywhere[:: _GROUNDS + 1]  # of the clauses each third on one of the scenes in turn
        self.pools: Mapping[str, Sequence[Asked]] = {
            "interpreter": self._noted(_INTERPRETER, everywhere, _valued),
            "compiler": self._noted(_COMPILER, asked, self._compiled),
            "operators": self._noted(_OPERATORS, asked[::_EACH], self._answered),
        }

    def _noted(
        self, modules: Sequence[str], asked: Sequence[tuple[Expression, Scene, Path]], do: Callable[..., Asked | None]
    ) -> list[Asked]:
        """What becomes of expressions, with the statements of some modules that each runs."""
        told = self._folder / "noted"

        def work() -> int:
            found = []
            with noting(modules) as places:
                for one in asked:
                    places.clear()
                    with suppress(OutsideError, KnowFlowError):
                        made = do(*one)
                        if made is not None:
                            found.append(replace(made, places=frozenset(places)))
            told.write_bytes(pickle.dumps(found))
            return 0

        if _apart(work, _LONGEST) != 0:
            raise RuntimeError("the expressions that judge mistakes could not be answered")
        noted: list[Asked] = pickle.loads(told.read_bytes())
        return noted

    def _compiled(self, expression: Expression, scene: Scene, data: Path) -> Asked:
        plan = _planned(expression, data, self._service)
        return Asked(expression, scene, data, frozenset(), plan=plan)

    def _answered(self, expression: Expression, scene: Scene, data: Path) -> Asked | None:
        right = self._is_right(expression, scene, data)
        self._right[expression, data] = right
        return Asked(expression, scene, data, frozenset()) if right else None

    def _is_right(self, expression: Expression, scene: Scene, data: Path) -> bool:
        return judge(expression, scene, data, self._service, self._folder / "out").verdict == "right"

    def see(self, part: str, mutant: Mutant) -> bool:
        """Whether a mistake is seen: one that is busy for ever is, one that waits is not."""
        mine = sorted((one for one in self.pools[part] if one.runs(mutant)), key=lambda one: len(one.places))
        most = {"interpreter": _VALUES, "compiler": _PLANS}.get(part, _RUNS)
        left = [mine[place] for place in np.unique(np.linspace(0, len(mine) - 1, most).astype(int))]
        while left:
            ended = _apart(partial(self._judged, part, mutant, left), _SECONDS)
            if not 0 < ended < _FAILED or part != "compiler" or self._was_right(left[ended - 1]):
                return ended not in (0, -signal.SIGALRM)
            left = left[ended:]
        return False

    def _was_right(self, one: Asked) -> bool:
        """Whether an expression is answered right without a mistake."""
        known = (one.expression, one.data)
        if known not in self._right:
            ended = _apart(lambda: 1 + self._is_right(one.expression, one.scene, one.data), _SECONDS)
            self._right[known] = ended == 2
        return self._right[known]

    def _judged(self, part: str, mutant: Mutant, judges: Sequence[Asked]) -> int:
        """Which of the judges sees a mistake, from 1; 0 where nobody does."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        make(mutant)
        runs = 0
        for place, one in enumerate(judges, start=1):
            if part == "interpreter":
                if one.truth is None or not _same(evaluate(*_valuable(one.expression, one.scene)), one.truth):
                    return place
            elif runs < _RUNS and (part == "operators" or self._is_other(one)):
                runs += 1
                if not self._is_right(one.expression, one.scene, one.data):
                    return place
        return 0

    def _is_other(self, one: Asked) -> bool:
        """Whether a mistake makes another plan."""
        try:
            return _planned(one.expression, one.data, self._service) != one.plan
        except KnowFlowError:
            return True


def _asked(folder: Path) -> Iterator[tuple[Expression, Scene, Path]]:
    """The clauses on the scenes on which they make a difference, one after the other, and random expressions."""
    scenes = []
    for number in range(_GROUNDS + 1):
        ground = telling_ground(number) if number else Ground.of(random_layers(0), IN_METRES, WHOLE)
        scenes.append((ground.scene, folder / f"scene{number}"))
        ground.write(scenes[-1][1])
    yield from ((one, *scene) for one in clauses() for scene in scenes[1:])
    for number, scene in enumerate(scenes):
        yield from ((one, *scene) for one in Growth(scene[0], number).expressions(_GROWN))


def _valued(expression: Expression, scene: Scene, data: Path) -> Asked:
    return Asked(expression, scene, data, frozenset(), truth=evaluate(*_valuable(expression, scene)))


def _planned(expression: Expression, data: Path, service: Service) -> str:
    """What the plan of an expression computes, as text."""
    plan = service.plan(expression, data).plan
    nodes = [node_to_json(node) for node in plan.workflow.nodes]
    return json.dumps([nodes, repr(plan.outputs), plan.answer], sort_keys=True, default=str)


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
            os._exit(_FAILED)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _valuable(expression: Expression, scene: Scene) -> tuple[Expression, Scene]:
    """An expression that is worth something by itself: of a question with parts the first."""
    if isinstance(expression, Several):
        return _valuable(expression.named[0][1], scene)
    return written_out(expression.x if isinstance(expression, Show) else expression, scene), scene


def _same(a: Value, b: Value) -> bool:
    if (a.items.keys(), a.names, a.labels, a.thin) != (b.items.keys(), b.names, b.labels, b.thin):
        return False
    return all(_alike(leaf, b.items[key]) for key, leaf in a.items.items())


def _alike(a: Leaf, b: Leaf) -> bool:
    grounds = (a.ground is None) == (b.ground is None)
    return (
        grounds
        and (a.n, round(a.known, 9)) == (b.n, round(b.known, 9))
        and _close(a.data, b.data)
        and _close(1.0 if a.ground is None else a.ground, 1.0 if b.ground is None else b.ground)
    )


def _close(a: Any, b: Any) -> bool:
    one, other = np.asarray(a), np.asarray(b)
    return one.shape == other.shape and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)


def lines(found: Mapping[str, Any]) -> list[str]:
    """What was found, for people."""
    told = [f"{found['killed']} of {found['mutants']} mistakes are seen ({found['of']} can be made)"]
    return told + [f"  {one['module']}:{one['line']} {one['function']}: {one['what']}" for one in found["survivors"]]
