"""Random expressions, compiled and run on files, beside the reference interpreter on the arrays that the files hold."""

from __future__ import annotations

import collections
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

import numpy as np
import rasterio

from knowflow.ground.units import convert
from knowflow.model.plan import Plan
from knowflow.question.check import type_of
from knowflow.question.form import to_data
from knowflow.question.operators import Expression, Extreme, Over, Several, Show
from knowflow.question.types import Type
from knowflow.question.words import in_words
from knowflow.reason.compiling.made import NotCompiledError
from knowflow.service.api import Service
from knowflow.service.results import RunResult
from knowflow.testing.interpreter.evaluate import evaluate
from knowflow.testing.interpreter.values import Array, Layer, OutsideError, Scene, Value
from knowflow_bench.random_expressions import Growth
from knowflow_bench.random_scenes import random_scene, write_scene, written_out

PER_SCENE = 40
_TOLERANCE = 2e-5  # rasters on the way are of single precision
_PRECISION = 2e-7
_ROOM = 8.0  # times what such a change of the data makes
_NEAR = 6  # scenes that are nearly the same
_SHOWN = 30
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
        "examples": {one.why: in_words(one.expression) for one in judged if one.verdict == "refused"},
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
    """What becomes of an expression on the files of a scene; of a question with parts, of each of them."""
    parts = [*_parts(written_out(expression, scene))]
    try:
        expected = [evaluate(part, scene) for _, part in parts]
    except OutsideError as error:
        return Judged(expression, "outside", str(error))
    shapes: list[str] = []
    found = service.run(
        expression, data, out=out, max_repairs=0, on_plan=lambda planned: shapes.append(shape_of(planned.plan))
    )
    if found.status == "completed":
        pairs = zip(parts, expected, strict=True)
        whys = (_wrong(_part(found, name), value, part, scene) for (name, part), value in pairs)
        why = "; ".join(filter(None, whys))
        return Judged(expression, "wrong" if why else "right", why, shapes[0])
    failure = found.error or {}
    known = all(any(np.isfinite(leaf.data).any() for leaf in value.items.values()) for value in expected)
    if not known and failure.get("code") != NotCompiledError.code:
        return Judged(expression, "right", "unknown on both sides", "".join(shapes))
    if found.status == "refused":
        return Judged(expression, "refused", _reason(failure))
    return Judged(expression, "failed", _reason(failure), "".join(shapes))


def _parts(e: Expression, name: str = "") -> Iterator[tuple[str, Expression]]:
    """What is asked, by the name of its answer: the parts of a question that has some."""
    if isinstance(e, Several):
        for part, one in e.named:
            yield from _parts(one, part)
    else:
        yield name, e.x if isinstance(e, Show) else e


def _part(found: RunResult, name: str) -> RunResult:
    """The answer to one part of a question; of maps those that begin with its name."""
    if not name:
        return found
    value = found.values.get(name, {})
    start = f"{name}_"
    maps = {one[len(start) :]: path for one, path in found.outputs.items() if one.startswith(start)}
    return replace(found, answer=value.get("value"), unit=value.get("unit"), outputs=maps)


def _wrong(found: RunResult, expected: Value, asked: Expression, scene: Scene) -> str:
    """How an answer differs by more than single precision explains; empty where it does not.

    What differs is looked at again beside the values on scenes that are the same to seven digits: where these go apart
    (a tie, a number on its limit, a difference of nearly equal numbers), so may the answer.
    """
    why = _differs(found, expected, asked, {})
    if not why:
        return ""
    near = [evaluate(asked, _nearly(scene, seed)) for seed in range(_NEAR)]
    if any(not _differs(found, one, asked, {}) for one in near):
        return ""
    slack = {key: np.zeros_like(leaf.data) for key, leaf in expected.items.items()}
    for one in near:
        for key, leaf in one.items.items():
            if key in slack:
                apart = np.abs(leaf.data - expected.items[key].data)
                slack[key] = np.fmax(slack[key], np.nan_to_num(_ROOM * apart, nan=0.0))
    return why if _differs(found, expected, asked, slack) else ""


def _nearly(scene: Scene, seed: int) -> Scene:
    """A scene of which the measured numbers are others by what single precision leaves out."""
    rng = np.random.default_rng(seed)

    def layer(one: Layer) -> Layer:
        known = one.values[np.isfinite(one.values)]
        if one.legend or (known == np.round(known)).all():
            return one
        return replace(one, values=one.values * (1 + _PRECISION * rng.standard_normal(one.values.shape)))

    return replace(scene, layers={name: layer(one) for name, one in scene.layers.items()})


def _reason(failure: Mapping[str, Any]) -> str:
    found = failure.get("found") or "; ".join(str(one.get("found")) for one in failure.get("problems", ()))
    return f"{failure.get('message')}: {found}"


def shape_of(plan: Plan) -> str:
    """The tools of a plan and how they hang together: what is done for each date once, whatever the dates."""
    known: dict[str, str] = {}
    for node in plan.workflow.nodes:
        known[node.id] = f"{node.tool}({','.join(sorted({known.get(one, '') for one in node.sources()}))})"
    return ";".join(sorted(set(known.values()))) or f"read {len(plan.outputs)}"


Slack = Mapping[Any, Array]  # by how much a value may differ, beside what all may


def _differs(found: RunResult, expected: Value, asked: Expression, slack: Slack) -> str:
    """How a run's answer differs from what it should be; empty where it does not."""
    own = type_of(asked)
    assert own is not None
    maps = {
        name: path for name, path in found.outputs.items() if path.endswith(".tif") and not name.startswith("p_value")
    }
    if maps:
        return _maps_differ(maps, expected, own, slack)
    answer, unit = found.answer, found.unit
    if isinstance(answer, str) and isinstance(asked, Extreme):
        wanted = {
            _text(name, key) for (key,), name in zip(expected.items, expected.names * len(expected.items), strict=True)
        }
        return "" if wanted <= {one.strip()[:10] for one in answer.split(",")} | {answer} else f"{answer}: {wanted}"
    room = [float(slack.get(key, 0.0)) for key in expected.items]
    if isinstance(answer, (list, tuple)):
        rows = _rows(answer, expected, asked)
        unit = unit if _of_keys(answer[0], expected) else None
        wanted_rows = {tuple(map(_text, expected.names, key)): leaf.number for key, leaf in expected.items.items()}
        return _rows_differ(rows, wanted_rows, unit, own, expected.labels, room)
    numbers = [leaf.number for leaf in expected.items.values()]
    return _numbers_differ([_number(answer, unit, own, expected.labels)], numbers, room)


def _rows(answer: Sequence[Mapping[str, Any]], expected: Value, asked: Expression) -> dict[tuple[str, ...], Any]:
    """The numbers of a table by their keys; of a table by polygon or class those of the column that is asked for."""
    if _of_keys(answer[0], expected):
        parts = [list(row.values()) for row in answer]
        return {
            tuple(_start(name, str(part)) for name, part in zip(expected.names, row, strict=False)): row[-1]
            for row in parts
        }
    while isinstance(asked, Over) and asked.axes in ("time", "date"):  # of one date, which a table by polygon tells
        asked = asked.x
    statistic = asked.statistic if isinstance(asked, Over) else ""
    column, factor = {"deviation": "std"}.get(statistic, statistic), 100.0 if statistic == "share" else 1.0
    if column == "area":
        factor = convert(1.0, str(answer[0]["unit"]), "m2")
    return {(str(row["name"]),): None if row[column] is None else row[column] * factor for row in answer}


def _of_keys(row: Mapping[str, Any], expected: Value) -> bool:
    """Whether a row holds a key and its value alone."""
    return len(row) == len(expected.names) + 1


def _rows_differ(
    rows: Mapping[tuple[str, ...], Any],
    wanted: Mapping[tuple[str, ...], float],
    unit: str | None,
    own: Type,
    labels: Mapping[int, str],
    room: Sequence[float],
) -> str:
    if rows.keys() != wanted.keys():
        told, those = (sorted("/".join(key) for key in one) for one in (rows, wanted))
        return f"rows of {', '.join(told)} in place of {', '.join(those)}"
    return _numbers_differ([_number(rows[key], unit, own, labels) for key in wanted], [*wanted.values()], room)


def _text(name: str, key: Any) -> str:
    """A key of the interpreter as a table has it; of a season the beginning."""
    match name, key:
        case "month", (year, month):
            return f"{year}-{month:02}"
        case "week", (year, week):
            return f"{year}-W{week:02}"
        case "season", (year, number):
            return f"{year}-{number + 1}"
        case "month_of_year", int():
            return f"{key:02}"
    return str(key)


def _start(name: str, text: str) -> str:
    return text[:6] if name == "season" else text


def _number(one: Any, unit: str | None, own: Type, labels: Mapping[int, str]) -> float:
    if one is None:
        return float("nan")
    if isinstance(one, str):
        if own.of == "truth":
            return float(one == "yes")
        if own.of == "class":
            return float({name: number for number, name in labels.items()}.get(one, -1))
        return float(date.fromisoformat(one[:10]).toordinal())
    wanted = own.measure.unit
    if unit is None or unit == wanted or own.of != "number":
        return float(one)
    return float(convert(float(one), unit, wanted, difference=own.measure.change))


def _numbers_differ(found: Sequence[float], expected: Sequence[float], room: Sequence[float]) -> str:
    if len(found) != len(expected):
        return f"{len(found)} values, {len(expected)} expected"
    allowed = 1e-9 + _TOLERANCE * _size(expected) + np.asarray(room)
    alike = np.isclose(found, expected, rtol=_TOLERANCE, atol=allowed, equal_nan=True)
    place = int(np.argmin(alike))
    return "" if alike.all() else f"{found[place]:.9g} in place of {expected[place]:.9g}"


def _size(numbers: Sequence[float] | Array) -> float:
    """How large numbers are, of which a difference may be little."""
    finite = np.abs(np.asarray(numbers, dtype=np.float64))
    finite = finite[np.isfinite(finite)]
    return float(finite.max()) if finite.size else 0.0


def _maps_differ(maps: Mapping[str, str], expected: Value, own: Type, slack: Slack) -> str:
    def called(key: Any) -> str:
        return "_".join(("map", *map(_text, expected.names, key)))

    wanted = {called(key): leaf for key, leaf in expected.items.items()}
    room = {called(key): slack.get(key, 0.0) for key in expected.items}
    parts = ((name.split("_", len(expected.names)), path) for name, path in maps.items())
    seen = {"_".join(map(_start, ("map", *expected.names), part)): path for part, path in parts}
    for name in seen.keys() | wanted.keys():
        leaf = wanted.get(name)
        pixels = None if name not in seen else _pixels(seen[name], own, expected.labels)
        known = (
            None if leaf is None else leaf.data if leaf.ground is None else np.where(leaf.ground > 0, leaf.data, np.nan)
        )
        if pixels is None or known is None:  # what is unknown all over may be left out
            there = pixels if known is None else known
            if there is not None and np.isfinite(there).any():
                return f"{name} is {'missing' if pixels is None else 'not expected'}"
            continue
        if pixels.shape != known.shape:
            return f"a map of {pixels.shape} pixels, {known.shape} expected"
        alike = np.isclose(pixels, known, rtol=_TOLERANCE, atol=1e-6 * (1 + _size(known)) + room[name], equal_nan=True)
        if not alike.all():
            row, column = (int(at[0]) for at in np.nonzero(~alike))
            return f"{name}: {pixels[row, column]:.9g} in place of {known[row, column]:.9g}"
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
    told += [f"{number:>6}  {why}\n        {found['examples'][why]}" for why, number in found["refusals"].items()]
    for one in found["cases"]:
        told += ["", f"{one['verdict']}: {one['words']}", f"  {one['why']}"]
    return told
