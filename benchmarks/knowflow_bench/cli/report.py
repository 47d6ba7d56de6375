"""The command that measures everything, and brings the tables of the pages up to date."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def report(
    checkout: Annotated[Path, typer.Option("--checkout", help="Checkout whose pages are rendered.")] = Path(),
    collect: Annotated[
        Path | None, typer.Option("--from", help="Folder with JSON of campaigns (faults.json ...): nothing is run.")
    ] = None,
    keep: Annotated[Path | None, typer.Option("--keep", help="Folder where the JSON of each campaign is left.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Run this campaign only (faults, tasks ...); may be repeated.")
    ] = None,
    questions: Annotated[Path | None, typer.Option("--questions", help="Questions of Earth-Bench.")] = None,
    calls: Annotated[Path | None, typer.Option("--calls", help="Published calls, for parity.")] = None,
    failures: Annotated[Path | None, typer.Option("--failures", help="Published failing calls.")] = None,
    data: Annotated[Path | None, typer.Option("--data", help="Folder of real data, for faults.")] = None,
    each: Annotated[int, typer.Option("--each", min=1, help="Cases of each kind of fault.")] = 4,
    n: Annotated[int, typer.Option("--n", min=1, help="Answers that metamorphic relations compare.")] = 300,
    json_: AsJson = False,
) -> None:
    """Measure it all at one revision, and render the tables of it.

    The tables are those of README and docs.

    Campaigns whose files are not given are left out, and told. What was first met is a ledger, and is not measured
    again.
    """
    from knowflow_bench.report.figures import collected, measured
    from knowflow_bench.report.write import FIGURES, written

    paths = {"questions": questions, "calls": calls, "failures": failures, "data": data}
    given = {name: str(path.resolve()) for name, path in paths.items() if path is not None}
    given |= {"each": str(each), "n": str(n)}
    with tempfile.TemporaryDirectory(prefix="knowflow-report-") as spare:
        folder = collect or keep or Path(spare)
        if collect is None:
            measured(checkout, folder, given, only or (), lambda line: typer.echo(line, err=True))
        document = collected(folder, checkout)
    pages = written(checkout, document)
    if json_:
        emit(document)
        return
    typer.echo(f"{len(document['campaigns'])} campaigns of revision {document['revision']}: {checkout / FIGURES}")
    for page in pages:
        typer.echo(f"  {page}")
