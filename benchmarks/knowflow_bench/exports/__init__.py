"""What is exported of the test runs of all templates, judged by those whose documents it is."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from knowflow.execution.local_runner import LocalRunner
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.template import Template, TemplateTest
from knowflow.model.trace import Trace
from knowflow.roof.exports import FORMATS, export
from knowflow.roof.exports.refusal import NotExpressibleError
from knowflow.service.engine import Engine
from knowflow.service.template_tests import planned_test

_COUNTS = {
    "stac": ("stac_valid",),
    "ro-crate": ("crate_valid",),
    "cwl": ("cwl_runs", "cwl_equal"),
    "openeo": ("openeo_expressible", "openeo_equal"),
}


def measure(
    catalogue: Catalogue,
    names: Sequence[str] = (),
    forms: Sequence[str] = FORMATS,
    on_run: Callable[[str, dict[str, list[str]]], None] | None = None,
) -> dict[str, Any]:
    """How many test runs there are, of how many each document is valid or gives the same, and what is wrong.

    ``on_run`` is told the problems of each run by form as it comes.
    """
    found: dict[str, Any] = {"runs": 0, **{key: 0 for form in forms for key in _COUNTS[form]}, "problems": {}}
    for template in [catalogue.template(name) for name in names] if names else catalogue.templates.values():
        for number, test in enumerate(template.tests, start=1):
            problems: dict[str, list[str]] = {}
            found["runs"] += 1
            with tempfile.TemporaryDirectory(prefix="knowflow-exports-") as folder:
                trace = _run(catalogue, template, test, Path(folder))
                for form in forms:
                    problems[form] = _judged(trace, form, catalogue, Path(folder) / form, found)
            name = f"{template.template}/{number}"
            if any(problems.values()):
                found["problems"][name] = {form: some for form, some in problems.items() if some}
            if on_run is not None:
                on_run(name, problems)
    return found


def _run(catalogue: Catalogue, template: Template, test: TemplateTest, folder: Path) -> Trace:
    engine = Engine(folder / "home", catalogue)
    return engine.executed(planned_test(template, test, folder / "data", engine), LocalRunner(), folder / "out")


def _judged(trace: Trace, form: str, catalogue: Catalogue, folder: Path, found: dict[str, Any]) -> list[str]:
    """What is wrong with the export of a run, or why there is none; counted."""
    from knowflow_bench.exports.judges import crate_problems, stac_problems
    from knowflow_bench.exports.openeo import openeo_differences
    from knowflow_bench.exports.rerun import cwl_differences

    counts = _COUNTS[form]
    try:
        export(trace, form, folder, catalogue.tools)
    except NotExpressibleError as error:
        return [f"refused: {error.where}: {error.found}"]
    if form == "stac":
        problems = stac_problems(folder)
    elif form == "ro-crate":
        problems = crate_problems(folder)
    elif form == "cwl":
        problems = cwl_differences(trace, folder, folder / "again")
    else:
        problems = openeo_differences(trace, folder)
    if len(counts) == 2:
        found[counts[0]] += 1
    found[counts[-1]] += not problems
    return problems
