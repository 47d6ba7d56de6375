"""The command that measures data elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def remote(
    runs: Annotated[int, typer.Option("--runs", min=0, help="Runs with each kind of fault.")] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the data and of when faults strike.")] = 0,
    json_: AsJson = False,
) -> None:
    """Ask the same of a folder, a bucket, a catalogue and cubes.

    Answers, bytes, and runs in spite of faults of the network; all servers are on this machine (extra `peers`).
    """
    from knowflow_bench.remote import EQUAL, lines
    from knowflow_bench.remote import remote as measure

    found = measure(runs, seed)
    if json_:
        emit(found)
    else:
        typer.echo("\n".join(lines(found)))
    if found["wrong"] or found["hangs"] or not found["max_difference"] <= EQUAL:
        raise typer.Exit(1)
