"""Commands that measure: published calls against our tools, others' questions against our plans, the raster core."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.bench_algebra import algebra, roundtrip
from knowflow.roof.cli.bench_failures import failing_calls, faults
from knowflow.roof.cli.bench_grid import grid
from knowflow.roof.cli.bench_inventory import inventory
from knowflow.roof.cli.bench_planning import earth_bench
from knowflow.roof.cli.bench_raster import raster
from knowflow.roof.cli.bench_reading import corpus, coverage, pairs
from knowflow.roof.cli.bench_report import report
from knowflow.roof.cli.bench_second import metamorphic, opinion
from knowflow.roof.cli.bench_tasks import tasks
from knowflow.roof.cli.bench_whole import whole
from knowflow.roof.cli.output import AsJson, emit, facade

app = typer.Typer(help="Measurements against what others published.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def parity(
    calls: Annotated[Path, typer.Option("--calls", help="File of published calls, one JSON object a line.")],
    json_: AsJson = False,
) -> None:
    """Carry out published calls again.

    How many agree, and what differs without `compat`, by reason.
    """
    from knowflow.roof.bench.parity import parity as measure

    found = measure(calls, facade().tools())
    if json_:
        emit(found)
        return
    typer.echo(f"{found['agree']} of {found['n']} calls agree with what was published (compat).")
    for tool, counts in found["by_tool"].items():
        typer.echo(f"  {tool}: {counts['agree']} of {counts['n']}")
    typer.echo("Without compat these differ:")
    for reason, number in found["differ_without_compat"].items():
        typer.echo(f"  {number}: {reason}")


app.command("failing-calls")(failing_calls)
app.command("faults")(faults)
app.command("inventory")(inventory)
app.command("earth-bench")(earth_bench)
app.command("tasks")(tasks)
app.command("raster")(raster)
app.command("metamorphic")(metamorphic)
app.command("report")(report)
app.command("opinion")(opinion)
app.command("whole")(whole)
app.command("algebra")(algebra)
app.command("roundtrip")(roundtrip)
app.command("grid")(grid)
app.command("corpus")(corpus)
app.command("coverage")(coverage)
app.command("pairs")(pairs)


@app.callback()
def _group() -> None:
    pass
