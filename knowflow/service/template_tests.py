"""Template tests: each runs on a generated scene and is compared with the analytic truth."""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.execution.local_runner import LocalRunner
from knowflow.ground.errors import KnowFlowError, OutputError
from knowflow.ground.report import Problem
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.artifact import Artifact
from knowflow.model.template import Expected, Scene, Template, TemplateTest
from knowflow.model.trace import Trace
from knowflow.service.deliver import unit_of, value_of
from knowflow.service.engine import Engine
from knowflow.service.request import Request
from knowflow.service.results import PlanResult, TemplateTestResult
from knowflow.testing.expressions import evaluate_truth
from knowflow.testing.scenes import scene_coordinates, write_scene


def run_template_tests(
    catalogue: Catalogue, names: Sequence[str] | None = None, keep: Path | None = None
) -> list[TemplateTestResult]:
    """Run the tests of the named templates, or of all. A top-level template without a test fails.

    ``keep`` is a folder in which the generated scenes stay, as ``TEMPLATE/NUMBER/data``.

    Raises:
        UnknownNameError: there is no template of such a name.
        OutputError: there is a scene from before in the folder where one is to be kept.
    """
    chosen = [catalogue.template(name) for name in names] if names else list(catalogue.templates.values())
    kept = {} if keep is None else _places(keep, chosen)
    results: list[TemplateTestResult] = []
    for template in chosen:
        if not template.tests and (names or template.method_of is None):
            problem = Problem("no_test", "at least one test on a generated scene", "none", where=template.template)
            results.append(TemplateTestResult(template.template, "", False, 0.0, (problem,)))
        for number, test in enumerate(template.tests):
            results.append(run_test(catalogue, template, test, kept.get((template.template, number))))
    return results


def _places(keep: Path, templates: Iterable[Template]) -> dict[tuple[str, int], Path]:
    """A folder for each scene; none holds anything: what is left of another scene would be taken for data."""
    places = {
        (template.template, number): keep / template.template / str(number + 1) / "data"
        for template in templates
        for number in range(len(template.tests))
    }
    for folder in places.values():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise OutputError(
                "the scene of a test would be mixed with what is there",
                where=str(folder),
                expected="an empty folder, or none",
                found="files",
                hint="remove it, or keep the scenes in another folder",
            )
    return places


def run_test(
    catalogue: Catalogue, template: Template, test: TemplateTest, data: Path | None = None
) -> TemplateTestResult:
    """One test, in a folder and with a cache of its own; ``data`` is a folder for its scene that is left behind."""
    begun = time.perf_counter()
    methods: tuple[str, ...] = ()
    with tempfile.TemporaryDirectory(prefix="knowflow-test-") as name:
        folder = Path(name)
        try:
            engine = Engine(folder / "home", catalogue)
            planned = planned_test(template, test, data or folder / "data", engine)
            methods = tuple(sorted({d.chosen for d in planned.plan.decisions} & _methods(catalogue)))
            problems = _differences(template, test, planned, engine.executed(planned, LocalRunner(), folder / "out"))
        except KnowFlowError as error:
            found = error.found or "; ".join(map(str, error.problems[:3])) or error.message
            problems = [Problem(error.code, error.expected or "a plan and a result", f"{error.message}: {found}")]
    seconds = time.perf_counter() - begun
    again = () if data is None else _command(template, test, data)
    return TemplateTestResult(template.template, test.name, not problems, seconds, tuple(problems), methods, again)


def _command(template: Template, test: TemplateTest, data: Path) -> tuple[str, ...]:
    """The words of the command that does what the test did with its scene."""
    asked = ("--template", template.template) if test.query is None else (test.query,)
    values = {n: v if isinstance(v, str) else json.dumps(v, default=str) for n, v in test.parameters.items()}
    given = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
    return ("knowflow", "run", *asked, "--data", str(data), *given)


def _methods(catalogue: Catalogue) -> set[str]:
    return {name for name, template in catalogue.templates.items() if template.method_of or template.defines}


def planned_test(template: Template, test: TemplateTest, data: Path, engine: Engine) -> PlanResult:
    """The plan of a test: of its sentence, or of the template itself, with nothing but the test's parameters."""
    write_scene(test.scene, data)
    named = None if test.query is not None else template.template
    return engine.planned(Request(test.query or "", data, given=test.parameters, template=named))


def _differences(template: Template, test: TemplateTest, planned: PlanResult, trace: Trace) -> list[Problem]:
    problems = _plan_problems(template, test, planned)
    if trace.status != "completed":
        error = trace.error or {}
        found = f"{trace.status}: {error.get('where', '')}: {error.get('message', '')} {error.get('found', '')}"
        return [*problems, Problem("run_failed", "a completed run", found)]
    for output, expected in test.expect.items():
        problems += _output_problems(output, expected, trace, test.scene)
    return problems


def _plan_problems(template: Template, test: TemplateTest, planned: PlanResult) -> list[Problem]:
    problems = []
    chosen = {decision.chosen for decision in planned.plan.decisions}
    if template.template not in (planned.plan.template, *(chosen if template.defines or template.method_of else ())):
        taken = planned.plan.template or ", ".join(sorted(chosen)) or "none"
        problems.append(Problem("other_template", template.template, taken, where="query"))
    if test.inserted is not None:
        workflow = planned.plan.workflow
        found = sorted({workflow.node(node).tool for node in planned.plan.inserted_nodes})
        if found != sorted(test.inserted):
            expected = ", ".join(sorted(test.inserted)) or "nothing"
            problems.append(Problem("inserted", expected, ", ".join(found) or "nothing", where="inserted"))
    return problems


def _output_problems(output: str, expected: Expected, trace: Trace, scene: Scene) -> list[Problem]:
    artifact = trace.outputs.get(output)
    if artifact is None:
        return [Problem("no_output", "a result", "nothing", where=output)]
    problems = []
    if expected.unit is not None and unit_of(artifact) != expected.unit:
        problems.append(Problem("unit", expected.unit, str(unit_of(artifact)), where=output))
    if expected.value is not None and not is_close(value_of(artifact), expected.value, expected.tolerance):
        problems.append(
            Problem(
                "wrong_answer", f"{expected.value} +- {expected.tolerance:g}", str(value_of(artifact)), where=output
            )
        )
    if expected.pixels is not None:
        problems += _pixel_problems(output, artifact, expected, scene)
    return problems


def is_close(found: Any, expected: Any, tolerance: float) -> bool:
    """Whether what was found is what was expected: numbers to a tolerance, rows by the columns that are expected."""
    if isinstance(expected, dict):
        rows = found if isinstance(found, (list, tuple)) else (found,)
        record = rows[0] if len(rows) == 1 else None
        return isinstance(record, dict) and all(
            key in record and is_close(record[key], value, tolerance) for key, value in expected.items()
        )
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(found, (list, tuple))
            and len(found) == len(expected)
            and all(is_close(a, b, tolerance) for a, b in zip(found, expected, strict=True))
        )
    if isinstance(expected, (int, float)) and not isinstance(expected, bool):
        try:
            return math.isclose(float(found), float(expected), rel_tol=0.0, abs_tol=tolerance)
        except (TypeError, ValueError):
            return False
    return bool(str(found) == str(expected))


def _pixel_problems(output: str, artifact: Artifact, expected: Expected, scene: Scene) -> list[Problem]:
    """Where the raster differs from the truth by more than the tolerance; nodata must be where the truth is NaN.

    Of a picture what it shows as red counts, from 0 to 255.
    """
    import numpy as np

    from knowflow.tools.raster import read_array

    raster = next(artifact.leaves())
    raster = replace(raster, type="raster", band=1) if raster.type == "report" else raster
    found = np.asarray(read_array(raster), dtype="float64")
    x, y = scene_coordinates(scene)
    if found.shape != x.shape:
        return [Problem("shape", f"{x.shape}", f"{found.shape}", where=output)]
    truth = np.broadcast_to(np.asarray(evaluate_truth(expected.pixels or "", x, y, 0.0), dtype="float64"), found.shape)
    gaps = np.isnan(found) != np.isnan(truth)
    if gaps.any():
        return [Problem("nodata", "nodata exactly where the truth has none", f"{int(gaps.sum())} differ", where=output)]
    worst = float(np.nanmax(np.abs(found - truth), initial=0.0))
    if worst > expected.tolerance:
        return [
            Problem("wrong_pixels", f"within {expected.tolerance:g} of {expected.pixels}", f"{worst:g}", where=output)
        ]
    return []
