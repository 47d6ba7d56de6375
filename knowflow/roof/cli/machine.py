"""Commands about runs and the machine: what was run, the local server, what works."""

from __future__ import annotations

from typing import Annotated

import typer

from knowflow.roof.cli.options import RunId
from knowflow.roof.cli.output import AsJson, emit, facade


def list_runs(json_: AsJson = False) -> None:
    """All runs, newest first."""
    found = facade().runs()
    if json_:
        emit({"runs": [run.to_json() for run in found]})
        return
    from knowflow.roof.terminal.catalogue import show_runs
    from knowflow.roof.terminal.console import output

    show_runs(output(), found)


def show_run(run_id: RunId, json_: AsJson = False) -> None:
    """One run, node by node."""
    trace = facade().trace(run_id)
    if json_:
        emit(trace.to_json())
        return
    from knowflow.roof.terminal.catalogue import show_run as show
    from knowflow.roof.terminal.console import messages, output
    from knowflow.roof.terminal.problems import show_error_data

    show(output(), trace)
    if trace.error is not None:
        show_error_data(messages(), trace.error)


def ui(
    stop: Annotated[bool, typer.Option("--stop", help="Stop the local server.")] = False, json_: AsJson = False
) -> None:
    """Start the Prefect UI, or say where it is."""
    from knowflow.execution.prefect_server import ensure_server, server_status, stop_server, ui_of

    home = facade().home
    if stop:
        stopped = stop_server(home)
        if json_:
            emit({"running": False, "stopped": stopped, "ui": None})
        else:
            typer.echo("Stopped." if stopped else "No server of KnowFlow was running.")
        return
    if not json_ and not server_status(home).running:
        typer.echo("Starting the server; the first time takes up to half a minute ...", err=True)
    address = ui_of(ensure_server(home))
    if json_:
        emit({"running": True, "stopped": False, "ui": address})
    else:
        typer.echo(address)


def doctor(json_: AsJson = False) -> None:
    """What works, and what to do about the rest."""
    from knowflow.ground.errors import EXIT_OK, EXIT_PROBLEMS

    found = facade().doctor()
    if json_:
        emit({"diagnoses": [{"name": d.name, "ok": d.ok, "found": d.found, "hint": d.hint} for d in found]})
    else:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.problems import show_diagnoses

        show_diagnoses(output(), found)
    raise typer.Exit(EXIT_OK if all(one.ok for one in found) else EXIT_PROBLEMS)
