"""The report of a run: one HTML file that needs nothing else, on screen, phone and paper."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from knowflow.model.trace import Trace
from knowflow.roof.notation import duration, moment, plain, words


def render_report(trace: Trace, destination: Path, *, delivered: Mapping[str, str]) -> Path:
    """Write the report of a run; ``delivered`` are the files of its outputs. Returns ``destination``.

    The page refers to no network and runs no script. It appears whole or not at all; an output that cannot be read is
    named in it and does not stop it.
    """
    html = report_html(trace, destination, delivered)
    destination.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{destination.name}.", dir=destination.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(html)
        os.chmod(name, 0o644)
        os.replace(name, destination)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return destination


def report_html(trace: Trace, page: Path, delivered: Mapping[str, str]) -> str:
    """The report as text; ``page`` is where it will lie, for links to the files beside it."""
    from markupsafe import Markup

    from knowflow.roof.drawing import draw
    from knowflow.roof.report.answer import answers_of, data_read, reading, told_elsewhere
    from knowflow.roof.report.nodes import derivations, insertions, node_groups, source_files, versions
    from knowflow.roof.report.outputs import figures_behind, link_to, numbers, shown_outputs
    from knowflow.roof.report.page import page as template
    from knowflow.roof.report.repairs import (
        MOST_CAUSES,
        MOST_REFUSALS,
        cause_views,
        exchange_views,
        refused_views,
        repair_views,
    )
    from knowflow.roof.ways import COLUMNS, rows_of_ways, spread_in_words, verdict_in_words

    files, more_files = source_files(trace)
    plan = trace.plan
    compared = dict(plan.understood.get("variants") or {}).get("value", {})
    shown = shown_outputs(trace, delivered, page)
    return template().render(
        trace=trace,
        plan=plan,
        spread=spread_in_words(compared),
        ways=(COLUMNS, tuple(rows_of_ways(compared)), verdict_in_words(compared)),
        title=plain(trace.plan.query or trace.plan.title or trace.run_id),
        answers=answers_of(trace),
        reading=reading(trace),
        data_read=data_read(trace),
        elsewhere=told_elsewhere(trace),
        failure=_failure(trace),
        drawing=Markup(draw(trace.plan, trace.records)),
        repairs=repair_views(trace),
        causes=cause_views(trace),
        more_causes=max(0, len(trace.diagnoses) - MOST_CAUSES),
        refusals=refused_views(trace.refusals[:MOST_REFUSALS]),
        more_refusals=max(0, len(trace.refusals) - MOST_REFUSALS),
        exchanges=tuple(exchange_views(trace)),
        behind=figures_behind(trace),
        shown=shown,
        numbers=numbers(trace).rows,
        files=[(words(name), link_to(path, page)) for name, path in delivered.items()],
        insertions=insertions(trace),
        groups=node_groups(trace),
        steps=f"{len(plan.workflow)} {'step' if len(plan.workflow) == 1 else 'steps'}",
        sources=files,
        more_sources=more_files,
        versions=versions(trace),
        derivations=tuple(derivations(trace)),
        started=moment(trace.started),
        spent=duration(trace.seconds),
    )


def _failure(trace: Trace) -> Mapping[str, Any] | None:
    """What ended a run that did not complete: the run's own error, else the first failed node's."""
    if trace.error is not None:
        return trace.error
    return next((record.error for record in trace.records.values() if record.error is not None), None)
