"""The command that judges exported runs."""

from __future__ import annotations

from typing import Annotated

import typer

from knowflow.roof.cli.leaving import Form
from knowflow.roof.cli.output import AsJson, emit, facade


def exports(
    template: Annotated[
        list[str] | None, typer.Option("--template", metavar="NAME", help="Only its test runs (repeatable).")
    ] = None,
    form: Annotated[list[Form] | None, typer.Option("--as", help="Only this form (repeatable).")] = None,
    json_: AsJson = False,
) -> None:
    """Export the templates' test runs, and let others judge them.

    STAC and RO-Crate by their validators, CWL by cwltool and openEO by openeo-processes-dask, to the same results.
    """
    from knowflow_bench.exports import measure

    def told(name: str, problems: dict[str, list[str]]) -> None:
        for kind, some in problems.items():
            typer.echo(f"{name} {kind}: {some[0] if some else 'fine'}", err=True)

    found = measure(facade().catalogue, template or (), [one.value for one in form or Form], None if json_ else told)
    if json_:
        emit(found)
        return
    typer.echo(", ".join(f"{name} {number}" for name, number in found.items() if name != "problems"))
