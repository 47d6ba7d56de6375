"""Commands that measure: published calls against our tools, others' questions against our plans, the raster core."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit, facade
from knowflow_bench.cli.algebra import algebra, roundtrip
from knowflow_bench.cli.documents import check
from knowflow_bench.cli.exports import exports
from knowflow_bench.cli.failures import failing_calls, faults
from knowflow_bench.cli.fused import fused
from knowflow_bench.cli.grid import grid
from knowflow_bench.cli.inventory import inventory
from knowflow_bench.cli.learning import learning
from knowflow_bench.cli.planning import earth_bench
from knowflow_bench.cli.raster import raster
from knowflow_bench.cli.reading import corpus, coverage, pairs, questions
from knowflow_bench.cli.remote import remote
from knowflow_bench.cli.report import report
from knowflow_bench.cli.second import metamorphic, opinion
from knowflow_bench.cli.tasks import tasks
from knowflow_bench.cli.whole import whole
from knowflow_bench.cli.workers import workers

app = typer.Typer(help="Measurements against what others published.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def parity(
    calls: Annotated[Path, typer.Option("--calls", help="File of published calls, one JSON object a line.")],
    json_: AsJson = False,
) -> None:
    """Carry out published calls again.

    How many agree, and what differs without `compat`, by reason.
    """
    from knowflow_bench.parity import parity as measure

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


app.command("check")(check)
app.command("failing-calls")(failing_calls)
app.command("faults")(faults)
app.command("learning")(learning)
app.command("inventory")(inventory)
app.command("earth-bench")(earth_bench)
app.command("questions")(questions)
app.command("tasks")(tasks)
app.command("raster")(raster)
app.command("fused")(fused)
app.command("metamorphic")(metamorphic)
app.command("remote")(remote)
app.command("report")(report)
app.command("opinion")(opinion)
app.command("whole")(whole)
app.command("workers")(workers)
app.command("algebra")(algebra)
app.command("roundtrip")(roundtrip)
app.command("grid")(grid)
app.command("corpus")(corpus)
app.command("coverage")(coverage)
app.command("pairs")(pairs)
app.command("exports")(exports)
