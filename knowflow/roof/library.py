"""KnowFlow as a library: the service, with the reports and drawings that people see."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.service.api import Service

if TYPE_CHECKING:
    from knowflow.execution.action import Exhibit
    from knowflow.model.trace import Trace
    from knowflow.service.results import PlanResult


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
        from knowflow.service.deliver import unit_of, value_of

        rows = [
            {"output": name, "value": value_of(artifact), "unit": unit_of(artifact) or ""}
            for name, artifact in trace.outputs.items()
            if artifact.type in ("scalar", "text", "list")
        ]
        drawing = _data_uri(draw(trace.plan, trace.records).encode(), "image/svg+xml")
        exhibits = [Exhibit("image", "drawing", "The workflow as it ran", drawing), *self._repairs(trace)]
        if rows:
            exhibits.append(Exhibit("table", "answer", "The answer", rows))
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

    def _pictures(self, trace: Trace) -> list[tuple[str, bytes]]:
        from knowflow.ground.errors import UnreadableDataError
        from knowflow.roof.report.maps import map_picture

        rasters = [(name, artifact) for name, artifact in trace.outputs.items() if artifact.type == "raster"]
        pictures = []
        for name, artifact in rasters[:4]:
            with suppress(UnreadableDataError):  # the report says why a raster is not shown
                pictures.append((name, map_picture(artifact)))
        return pictures


class KnowFlow(Service):
    """From a sentence and a folder of Earth-observation files to a checked, executed and explained answer.

    >>> from knowflow import KnowFlow
    >>> result = KnowFlow().run("What share of the area has NDVI above 0.6?", "scenes/", out="answer/")
    >>> result.answer, result.unit, result.report
    """

    def __init__(self, home: Path | str | None = None) -> None:
        super().__init__(home, Pages())


def _data_uri(content: bytes, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
