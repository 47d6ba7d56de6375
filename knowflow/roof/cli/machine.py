"""Commands about runs and the machine: what was run, the local server, what works."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.options import RunId, named
from knowflow.roof.cli.output import AsJson, emit, facade


def _of(kind: str, what: str) -> Any:
    return typer.Option(f"--{kind}", metavar=kind.upper(), help=f"Only runs {what} (repeatable).")


def list_runs(
    status: Annotated[list[str] | None, _of("status", "that ended so")] = None,
    quantity: Annotated[list[str] | None, _of("quantity", "with data or results of it")] = None,
    template: Annotated[list[str] | None, _of("template", "of it")] = None,
    tool: Annotated[list[str] | None, _of("tool", "that use it")] = None,
    cause: Annotated[list[str] | None, _of("cause", "in which something failed for it")] = None,
    by: Annotated[list[str] | None, _of("by", "repaired by: person, llm, schema, rule:NAME, memory:NAME")] = None,
    all_homes: Annotated[
        bool, typer.Option("--all-homes", help="Of all homes that share the database of KNOWFLOW_TRACES.")
    ] = False,
    json_: AsJson = False,
) -> None:
    """All runs, newest first."""
    found = facade().runs(
        status=status or (),
        quantity=quantity or (),
        template=template or (),
        tool=tool or (),
        cause=cause or (),
        by=by or (),
        all_homes=all_homes,
    )
    if json_:
        emit({"runs": [run.to_json() for run in found]})
        return
    from knowflow.roof.terminal.catalogue import show_runs
    from knowflow.roof.terminal.console import output

    narrowed = any((status, quantity, template, tool, cause, by))
    show_runs(output(), found, "No run is of that." if narrowed else "No runs yet.")


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


def diff_runs(
    run_id: RunId,
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Id of the other run, or its beginning.")],
    json_: AsJson = False,
) -> None:
    """In what two runs differ.

    Question, files, what was assumed, steps, repairs and answers.
    """
    found = facade().compare_runs(run_id, other)
    if json_:
        emit({"runs": [run_id, other], "differences": [one.to_json() for one in found]})
        return
    from knowflow.roof.terminal.catalogue import show_differences
    from knowflow.roof.terminal.console import output

    show_differences(output(), found)


def judge_run(run_id: RunId, json_: AsJson = False) -> None:
    """Whether a run failed, told without knowing the answer.

    By the conditions on its results, by what its quantity can be, and by a second reading of a small crop of its files.
    Exit code 1: something speaks against it.
    """
    found = facade().judge_run(run_id)
    if json_:
        emit(found.to_json())
    else:
        from knowflow.roof.terminal.catalogue import show_verdict
        from knowflow.roof.terminal.console import output

        show_verdict(output(), found)
    if found.failed:
        raise typer.Exit(1)


def export_run(
    run_id: RunId,
    folder: Annotated[Path, typer.Argument(metavar="DIR", parser=named, help="Folder to write to.")],
    json_: AsJson = False,
) -> None:
    """Write a run into a folder: trace, plan, exchanges, logs."""
    files = facade().export_run(run_id, folder)
    if json_:
        emit({"files": [str(file) for file in files]})
    else:
        typer.echo("\n".join(map(str, files)))


def prune_runs(
    older_than: Annotated[str | None, typer.Option("--older-than", metavar="AGE", help="Older runs, as 30d.")] = None,
    keep: Annotated[int | None, typer.Option("--keep", metavar="N", min=0, help="All but the N newest.")] = None,
    max_size: Annotated[
        str | None, typer.Option("--max-size", metavar="SIZE", help="The oldest beyond a size together, as 5GB.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option("--status", metavar="STATUS", help="Only those that ended so (repeatable).")
    ] = None,
    cache_size: Annotated[
        str | None,
        typer.Option("--cache-size", metavar="SIZE", help="Results least recently used, beyond a size, as 20GB."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, and stop.")] = False,
    json_: AsJson = False,
) -> None:
    """Remove the records of old runs, and results from the cache.

    What runs delivered stays where it is, and so does every run that has not ended.
    """
    found = facade().prune(
        older_than=older_than,
        keep=keep,
        max_size=max_size,
        status=status or (),
        cache_size=cache_size,
        dry_run=dry_run,
    )
    if json_:
        emit(found.to_json())
        return
    from knowflow.roof.terminal.catalogue import show_pruned
    from knowflow.roof.terminal.console import output

    show_pruned(output(), found)


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
