"""The door: which document is made of which run or plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Trace
from knowflow.roof.exports.refusal import cannot

FORMATS = ("stac", "ro-crate", "openeo", "cwl")


def export(
    what: Trace | Plan, form: str, out: Path, tools: Mapping[str, ToolSchema], image: str | None = None
) -> tuple[Path, ...]:
    """Write a run or a plan into a folder in the documents of another system; the files that were written.

    Raises:
        NotExpressibleError: something of it has no counterpart there; nothing was written.
        OSError: the folder cannot be written to.
    """
    if form in ("stac", "ro-crate"):
        return _of_run(what, form, out, tools)
    out.mkdir(parents=True, exist_ok=True)
    if form == "cwl":
        from knowflow.roof.exports.cwl import write_cwl

        return write_cwl(what.plan if isinstance(what, Trace) else what, tools, out, image)
    from knowflow.roof.exports.openeo import write_openeo

    return write_openeo(what, tools, out)


def _of_run(what: Trace | Plan, form: str, out: Path, tools: Mapping[str, ToolSchema]) -> tuple[Path, ...]:
    """The documents that tell of results."""
    if not isinstance(what, Trace) or what.status != "completed":
        plan, found = (what, "a plan") if isinstance(what, Plan) else (what.plan, f"a run that {what.status}")
        raise cannot(form, plan.query or plan.title, found, "it tells of results: run it first")
    out.mkdir(parents=True, exist_ok=True)
    if form == "stac":
        from knowflow.roof.exports.stac import write_stac

        return write_stac(what, out)
    from knowflow.roof.exports.ro_crate import write_ro_crate

    return write_ro_crate(what, tools, out)
