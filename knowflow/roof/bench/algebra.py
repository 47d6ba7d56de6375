"""Random expressions, compiled and run on files, beside the reference interpreter on the arrays that the files hold."""

from __future__ import annotations

import collections
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

import numpy as np
import rasterio

from knowflow.ground.units import convert
from knowflow.model.plan import Plan
from knowflow.question.check import type_of
from knowflow.question.form import to_data
from knowflow.question.operators import Expression, Over, Show
from knowflow.question.types import Type
from knowflow.question.words import in_words
from knowflow.reason.compiling.made import NotCompiledError
from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Array, OutsideError, Scene, Value
from knowflow.testing.random_expressions import Growth
from knowflow.testing.random_scenes import random_scene, write_scene

PER_SCENE = 40
_TOLERANCE = 2e-5  # rasters on the way are of single precision
_SHOWN = 30
_PLAIN = Type("number")
Verdict = Literal["right", "wrong", "refused", "failed", "outside"]


@dataclass(frozen=True)
class Judged:
    """One expression and what became of it; ``shape`` is that of its plan."""

    expression: Expression
    verdict: Verdict
    why: str = ""
    shape: str = ""

    def to_json(self) -> dict[str, Any]:
        """As plain data, with the words of the expression."""
        words = in_words(self.expression)
        return {"verdict": self.verdict, "words": words, "expression": to_data(self.expression), "why": self.why}


def algebra(n: int, seed: int = 0, deepest: int = 6) -> dict[str, Any]:
    """``n`` random expressions: how many runs agree with the interpreter, and why the others do not.

    ``failed`` runs ended without an answer where there is one; ``distinct_workflows`` counts the shapes of plans that
    were right: tools and how they hang together, dates folded, parameters left out.
    """
    judged = list(_judged(n, seed, deepest))
    met = collections.Counter(one.verdict for one in judged)
    whys = collections.Counter(one.why for one in judged if one.verdict == "refused")
    return {
        "n": len(judged),
        **{verdict: met[verdict] for verdict in ("right", "wrong", "refused", "failed", "outside")},
        "distinct_workflows": len({one.shape for one in judged if one.verdict == "right"}),
        "refusals": dict(whys.most_common()),
        "cases": [one.to_json() for one in judged if one.verdict in ("wrong", "failed")][:_SHOWN],
    }


def _judged(n: int, seed: int, deepest: int) -> Iterator[Judged]:
    with tempfile.TemporaryDirectory() as folder:
        service = Service(home=Path(folder) / "home")
        for batch in range(0, n, PER_SCENE):
            scene = random_scene(seed + batch)
            data = Path(folder) / f"scene{batch}"
            write_scene(scene, data)
            growth = Growth(scene, seed + batch)
            for expression in growth.expressions(min(PER_SCENE, n - batch), deepest):
                yield judge(expression, scene, data, service, Path(folder) / "out")


def judge(expression: Expression, scene: Scene, data: Path, service: Service, out: Path) -> Judged:
    """What becomes of an expression on the files of a scene."""
    try:
        expected = evaluate(expression, scene)
    except OutsideError as error:
        return Judged(expression, "outside", str(error))
    own = type_of(expression.x if isinstance(expression, Show) else expression)
    assert own is not None
    shapes: list[str] = []
    found = service.run(
        expression, data, out=out, max_repairs=0, on_plan=lambda planned: shapes.append(shape_of(planned.plan))
    )
    known = any(np.isfinite(leaf.data).any() for leaf in expected.items.values())
    if found.status == "completed":
        why = _differs(found, expected, own, expression.x if isinstance(expression, Show) else expression)
        return Judged(expression, "wrong" if why else "right", why, shapes[0])
    failure = found.error or {}
    if not known and failure.get("code") != NotCompiledError.code:
        return Judged(expression, "right", "unknown on both sides", "".join(shapes))
    if found.status == "refused":
        return Judged(expression, "refused", f"{failure.get('message')}: {failure.get('found')}")
    return Judged(expression, "failed", f"{failure.get('message')}: {failure.get('found')}", "".join(shapes))


def shape_of(plan: Plan) -> str:
    """The tools of a plan and how they hang together: what is done for each date once, whatever the dates."""
    known: dict[str, str] = {}
    for node in plan.workflow.nodes:
        known[node.id] = f"{node.tool}({','.join(sorted({known.get(one, '') for one in node.sources()}))})"
    return ";".join(sorted(set(known.values()))) or f"read {len(plan.outputs)}"


def _differs(found: RunResult, expected: Value, own: Type, asked: Expression) -> str:
    """How a run's answer differs from what it should be; empty where it does not."""
    if found.outputs and any(path.endswith(".tif") for path in found.outputs.values()):
        maps = [path for _, path in sorted(found.outputs.items()) if path.endswith(".tif")]
        return _maps_differ(maps, expected, own)
    if expected.names in (("objects",), ("classes",)) and found.answer:
        return _zones_differ(found.answer, expected, asked)
    answer = found.answer if isinstance(found.answer, (list, tuple)) else [found.answer]
    leaves = [leaf.number for _, leaf in _ordered(expected)]
    if expected.names == ("date",) and isinstance(found.answer, str):
        days = sorted(str(key[0]) for key in expected.items)
        return (
            "" if sorted(text.strip()[:10] for text in found.answer.split(",")) == days else f"{found.answer}: {days}"
        )
    numbers = [_number(one, found.unit, own) for one in answer]
    return _numbers_differ(numbers, leaves)


def _zones_differ(answer: Any, expected: Value, asked: Expression) -> str:
    """Of a table the column that is asked for, by name; of an extreme the name."""
    wanted = {str(key[0]): leaf.number for key, leaf in expected.items.items()}
    if isinstance(answer, str):
        return "" if answer in wanted else f"{answer} in place of {', '.join(wanted)}"
    rows = {str(row["name"]): row for row in answer}
    if rows.keys() != wanted.keys():
        return f"rows of {', '.join(sorted(rows))} in place of {', '.join(sorted(wanted))}"
    statistic = asked.statistic if isinstance(asked, Over) else ""
    column, factor = {"deviation": "std"}.get(statistic, statistic), 100.0 if statistic == "share" else 1.0
    numbers = [_number(rows[name][column], None, _PLAIN) * factor for name in wanted]
    return _numbers_differ(numbers, [*wanted.values()])


def _ordered(value: Value) -> list[tuple[Any, Any]]:
    return sorted(value.items.items())


def _number(one: Any, unit: str | None, own: Type) -> float:
    if one is None:
        return float("nan")
    if isinstance(one, str):
        return float(date.fromisoformat(one[:10]).toordinal())
    wanted = own.measure.unit
    if unit is None or unit == wanted or own.of != "number":
        return float(one)
    return float(convert(float(one), unit, wanted, difference=own.measure.change))


def _numbers_differ(found: Sequence[float], expected: Sequence[float]) -> str:
    if len(found) != len(expected):
        return f"{len(found)} values, {len(expected)} expected"
    alike = np.isclose(found, expected, rtol=_TOLERANCE, atol=1e-9 + _TOLERANCE * _size(expected), equal_nan=True)
    place = int(np.argmin(alike))
    return "" if alike.all() else f"{found[place]:.9g} in place of {expected[place]:.9g}"


def _size(numbers: Sequence[float] | Array) -> float:
    """How large numbers are, of which a difference may be little."""
    finite = np.abs(np.asarray(numbers, dtype=np.float64))
    finite = finite[np.isfinite(finite)]
    return float(finite.max()) if finite.size else 0.0


def _maps_differ(paths: Sequence[str], expected: Value, own: Type) -> str:
    if len(paths) != len(expected.items):
        return f"{len(paths)} maps, {len(expected.items)} expected"
    for path, (_, leaf) in zip(paths, _ordered(expected), strict=True):
        pixels = _pixels(path, own, expected.labels)
        wanted = leaf.data if leaf.ground is None else np.where(leaf.ground > 0, leaf.data, np.nan)
        if pixels.shape != wanted.shape:
            return f"a map of {pixels.shape} pixels, {wanted.shape} expected"
        alike = np.isclose(pixels, wanted, rtol=_TOLERANCE, atol=1e-6 * (1 + _size(wanted)), equal_nan=True)
        if not alike.all():
            row, column = (int(at[0]) for at in np.nonzero(~alike))
            return f"{Path(path).name}: {pixels[row, column]:.9g} in place of {wanted[row, column]:.9g}"
    return ""


def _pixels(path: str, own: Type, labels: Mapping[int, str]) -> Array:
    """The numbers of a map in the unit that they should be in; those of classes as ``labels`` have their names."""
    with rasterio.open(path) as file:
        stored, tags = file.read(1, masked=True), file.tags()
    unit = tags.get("UNIT")
    pixels = np.where(np.ma.getmaskarray(stored), np.nan, stored.data.astype(np.float64))
    if own.of == "class":
        numbers = {name: number for number, name in labels.items()}
        called = {int(code): numbers.get(name, -1) for code, name in json.loads(tags.get("CLASSES", "{}")).items()}
        return np.array([[called.get(int(one), -1) if np.isfinite(one) else np.nan for one in row] for row in pixels])
    if own.of != "number" or unit in (None, own.measure.unit):
        return pixels
    return np.asarray(convert(pixels, str(unit), own.measure.unit, difference=own.measure.change))


def lines(found: Mapping[str, Any]) -> list[str]:
    """What was found, for people."""
    counts = ", ".join(f"{found[name]} {name}" for name in ("right", "wrong", "refused", "failed", "outside"))
    told = [f"{found['n']} expressions: {counts}; {found['distinct_workflows']} distinct workflows"]
    told += [f"{number:>6}  {why}" for why, number in found["refusals"].items()]
    for one in found["cases"]:
        told += ["", f"{one['verdict']}: {one['words']}", f"  {one['why']}"]
    return told
