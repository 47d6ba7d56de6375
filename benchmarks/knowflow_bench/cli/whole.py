"""`knowflow bench whole`: whole runs beside programs that compute the same."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit


def whole(
    size: Annotated[int, typer.Option("--size", min=64, help="Rows and columns of the scene.")] = 10980,
    series: Annotated[int, typer.Option("--series", min=64, help="Rows and columns of each date of a series.")] = 2400,
    polygons: Annotated[int, typer.Option("--polygons", min=1, help="Polygons of which means are asked.")] = 2000,
    nodes: Annotated[int, typer.Option("--nodes", min=8, help="Nodes of a run, each small.")] = 1001,
    planned: Annotated[int, typer.Option("--planned", min=8, help="Nodes of a plan.")] = 5001,
    prefect: Annotated[bool, typer.Option(help="Run the nodes with Prefect as well, on a server of its own.")] = True,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Runs of each, in turns.")] = 3,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="A part, such as flagship, median or plan; may be repeated."),
    ] = None,
    folder: Annotated[Path | None, typer.Option("--folder", help="Where files are made and removed again.")] = None,
    json_: AsJson = False,
) -> None:
    """Processor time of whole runs, from the prompt to the report.

    Beside programs that compute the same, and no more.
    """
    from knowflow_bench.whole.measure import PARTS, Sizes, measure

    if unknown := [name for name in only or () if name not in PARTS]:
        raise typer.BadParameter(f"{', '.join(unknown)} is none of {', '.join(PARTS)}", param_hint="--only")
    parts = [name for name in only or PARTS if prefect or name != "node_prefect"]
    found = measure(Sizes(size, series, polygons, nodes, planned), repeats, folder, parts)
    if json_:
        emit(found)
        return
    for line in _lines(found):
        typer.echo(line)


_ALONE = {
    "again_cpu_s": ("share and area again, all from the cache", "s"),
    "plan_cpu_s": ("a plan", "s"),
    "plan_5001_s": ("a plan of thousands of nodes, saved", "s"),
    "node_cpu_ms": ("a node", "ms"),
    "node_cpu_ms_prefect": ("a node with Prefect", "ms"),
}


def _lines(found: dict[str, Any]) -> list[str]:
    runs = found["runs"]
    beside = {
        "flagship": ("share and area above a limit", "over_blockwise", "block by block in two threads"),
        "undeclared": ("... of files that do not say their scale", "undeclared_over_blockwise", "the same"),
        "median": ("median over time", "median_over_stack", "bottleneck over the whole stack"),
        "trend": ("trend of every pixel", "trend_over_stack", "least squares over the whole stack"),
        "zonal": ("means of polygons", "zonal_run_over_library", "one call of exactextract"),
    }
    return [
        *(
            f"{title:42}{found[ratio]:6.2f} x  {runs[name]['ours_cpu_s']:7.2f} s {runs[name]['ours_peak_mb']:7.0f} MB"
            f"   beside {runs[name]['peer_cpu_s']:7.2f} s {runs[name]['peer_peak_mb']:7.0f} MB   {peer}"
            for name, (title, ratio, peer) in beside.items()
            if name in runs
        ),
        *(
            f"{'... by the tool alone':42}{found['zonal_over_library']:6.2f} x  {runs[name]['alone_cpu_s']:7.2f} s"
            for name in ("zonal",)
            if name in runs
        ),
        *(f"{title:42}{found[name]:6.2f} {unit}" for name, (title, unit) in _ALONE.items() if name in found),
    ]
