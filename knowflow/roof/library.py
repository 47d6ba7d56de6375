"""KnowFlow as a library: the service, with the reports and drawings that people see."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast

from knowflow.service.api import Service
from knowflow.service.results import RunResult

if TYPE_CHECKING:
    from knowflow.execution.action import Exhibit
    from knowflow.execution.events import Listener
    from knowflow.model.plan import Plan
    from knowflow.model.trace import Trace
    from knowflow.service.results import PlanResult


P = ParamSpec("P")
R = TypeVar("R")
Form = Literal["stac", "ro-crate", "openeo", "cwl"]


_MOST_ROWS = 100  # of a table, beside a run in the Prefect UI


class Pages:
    """Draws plans and runs: the report, and what a run shows in the Prefect UI."""

    def plan_exhibits(self, planned: PlanResult) -> Sequence[Exhibit]:
        from knowflow.execution.action import Exhibit
        from knowflow.graph.export import to_mermaid, to_tree
        from knowflow.roof.drawing import draw

        plan = planned.plan
        assumptions = "\n".join(f"- {assumption}" for assumption in plan.assumptions) or "- nothing"
        text = (
            f"# {plan.title}\n\n> {plan.query}\n\n```\n{to_tree(plan)}\n```\n\n"
            f"**Assumed**\n\n{assumptions}\n\n```mermaid\n{to_mermaid(plan)}\n```\n"
        )
        return (
            Exhibit("markdown", "plan", "The plan", text),
            Exhibit("image", "drawing", "The workflow", _data_uri(draw(plan).encode(), "image/svg+xml")),
        )

    def result_exhibits(self, trace: Trace) -> Sequence[Exhibit]:
        from knowflow.execution.action import Exhibit
        from knowflow.roof.drawing import draw
        from knowflow.roof.notation import words
        from knowflow.roof.report.answer import answers_of
        from knowflow.service.deliver import value_of

        rows = [
            {"": one.asked or one.name, "value": " ".join(filter(None, (one.value, one.unit))), "that is": one.detail}
            for one in answers_of(trace)
        ]
        tables = {name: value_of(one) for name, one in trace.told.items() if one.type == "table"}
        drawing = _data_uri(draw(trace.plan, trace.records).encode(), "image/svg+xml")
        exhibits = [Exhibit("image", "drawing", "The workflow as it ran", drawing), *self._repairs(trace)]
        if rows:
            exhibits.append(Exhibit("table", "answer", "The answer", rows))
        exhibits += [
            Exhibit("table", f"rows-{name}", words(name), [_rounded(row) for row in found[:_MOST_ROWS]])
            for name, found in tables.items()
            if found
        ]
        exhibits += [
            Exhibit("image", f"map-{name}".replace("_", "-").lower(), name, _data_uri(picture, "image/svg+xml"))
            for name, picture in self._pictures(trace)
        ]
        if trace.report is not None:
            exhibits.append(Exhibit("link", "report", "The report", Path(trace.report).as_uri()))
        return exhibits

    def repair_exhibits(self, trace: Trace) -> Sequence[Exhibit]:
        from knowflow.execution.action import Exhibit
        from knowflow.roof.repair_words import repair_told
        from knowflow.roof.report.repairs import draw_after, draw_before

        repair, last = trace.repairs[-1], len(trace.repairs) - 1
        key, title = f"repair-{repair.number}", f"repair {repair.number}"
        before = _data_uri(draw_before(trace, repair).encode(), "image/svg+xml")
        after = _data_uri(draw_after(trace, last).encode(), "image/svg+xml")
        return (
            Exhibit("markdown", key, title.capitalize(), repair_told(repair)),
            Exhibit("image", f"{key}-before", f"Before {title}", before),
            Exhibit("image", f"{key}-after", f"After {title}", after),
        )

    def _repairs(self, trace: Trace) -> list[Exhibit]:
        """What went wrong and what was done about it: in words, and as a table."""
        from knowflow.execution.action import Exhibit
        from knowflow.roof.repair_words import repair_rows, repairs_told

        exhibits = []
        if trace.repairs or trace.diagnoses:
            exhibits.append(Exhibit("markdown", "repairs", "What went wrong, and what was done", repairs_told(trace)))
        if trace.repairs:
            exhibits.append(Exhibit("table", "repairs-table", "Repairs", repair_rows(trace)))
        return exhibits

    def report(self, trace: Trace, destination: Path) -> Path:
        from knowflow.roof.report import render_report

        return render_report(trace, destination, delivered=trace.delivered)

    def styles(self, trace: Trace) -> Sequence[Path]:
        from knowflow.roof.styles import write_styles

        return write_styles(trace)

    def _pictures(self, trace: Trace) -> list[tuple[str, bytes]]:
        from knowflow.ground.errors import UnreadableDataError
        from knowflow.roof.report.maps import map_picture
        from knowflow.roof.report.of_question import of_question

        rasters = [(name, artifact) for name, artifact in trace.outputs.items() if artifact.type == "raster"]
        pictures = []
        for name, artifact in rasters[:4]:
            with suppress(UnreadableDataError):  # the report says why a raster is not shown
                pictures.append((name, map_picture(artifact, of_question(trace.plan, name))))
        return pictures


def _shown(method: Callable[P, R]) -> Callable[P, R]:
    """The method with what it hands back as notebooks show it, and progress where that is wanted."""

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        from knowflow.roof.notebook import Planned, Result

        own: Any = args[0]
        if own.progress and "on_event" in signature(method).parameters and kwargs.get("on_event") is None:
            kwargs["on_event"] = own.listener()
        found: Any = method(*args, **kwargs)
        kind = Result if isinstance(found, RunResult) else Planned
        return cast(R, kind(**{one.name: getattr(found, one.name) for one in fields(found)}))

    return call


class KnowFlow(Service):
    """From a sentence and a folder of Earth-observation files to a checked, executed and explained answer.

    What it hands back is shown by notebooks: the answer with its chart or map, a plan as its drawing. With
    ``progress`` a run shows how far it is, in the cell of a notebook or in the terminal; or whoever is given is told.

    >>> from knowflow import KnowFlow
    >>> result = KnowFlow().run("What share of the area has NDVI above 0.6?", "scenes/", out="answer/")
    >>> result.answer, result.unit, result.report
    """

    def __init__(self, home: Path | str | None = None, progress: bool | Listener = False) -> None:
        super().__init__(home, Pages())
        self.progress = progress

    def listener(self) -> Listener:
        """What is told of the events of a run."""
        if callable(self.progress):
            return self.progress
        from knowflow.roof.notebook.progress import progress_here

        return progress_here()

    plan = _shown(Service.plan)
    run = _shown(Service.run)
    resume = _shown(Service.resume)

    def export(
        self, what: str | Trace | Plan, form: Form, out: Path | str, *, image: str | None = None
    ) -> tuple[Path, ...]:
        """Write a run (its id, or its trace) or a plan (its file, or itself) into a folder in the documents of another
        system: ``stac``, ``ro-crate``, ``openeo`` or ``cwl``; the files that were written.

        ``image`` is, for CWL, the container in which the steps run.

        Raises:
            KnowFlowError: there is no such run or plan, or something of it has no counterpart; nothing was written.
        """
        from knowflow.ground.system import refusal
        from knowflow.roof.exports import export

        try:
            return export(self._named(what), form, Path(out), self.catalogue.tools, image)
        except OSError as error:
            raise refusal(error, str(out)) from error

    def import_process(self, file: Path | str, name: str | None = None) -> Path:
        """Write a process graph of openEO (UDP, JSON) as a template where one's own knowledge lives; its file.

        Raises:
            KnowFlowError: it cannot be read, one of its nodes has no counterpart, or there is such a template.
        """
        from knowflow.roof.exports.imported import imported

        return imported(Path(file), name)

    def _named(self, what: str | Trace | Plan) -> Trace | Plan:
        """The run or plan that is meant by an id or a file."""
        if not isinstance(what, str):
            return what
        if Path(what).suffix.lower() not in (".yaml", ".yml"):
            return self.trace(what)
        from knowflow.ground.errors import DataNotFoundError
        from knowflow.knowledge.plan_document import load_plan

        if not Path(what).is_file():
            expected = "a plan that `knowflow plan ... --save` wrote, or the id of a run"
            raise DataNotFoundError("there is no such plan", where=what, expected=expected, found="nothing")
        return load_plan(Path(what))


def _rounded(row: Mapping[str, Any]) -> dict[str, Any]:
    from knowflow.roof.notation import number

    return {name: number(one) if isinstance(one, float) else one for name, one in row.items()}


def _data_uri(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
