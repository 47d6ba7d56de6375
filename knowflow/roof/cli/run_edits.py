"""The command that changes a run and goes on with it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from knowflow.roof.cli.answering import Tell, answer_with
from knowflow.roof.cli.options import (
    AssumeOfRun,
    Before,
    Drop,
    Insert,
    MaxRepairs,
    NoMemory,
    NoRepair,
    OutAgain,
    PlanFile,
    Replace,
    RunId,
    RunnerAgain,
    SetPlaces,
    Verbose,
)
from knowflow.roof.cli.output import AsJson, emit, facade, pairs, values


def edit_run(
    run_id: RunId,
    set_: SetPlaces = None,
    replace: Replace = None,
    insert: Insert = None,
    before: Before = None,
    drop: Drop = None,
    assume: AssumeOfRun = None,
    plan: PlanFile = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be computed again, and stop.")] = False,
    out: OutAgain = None,
    runner: RunnerAgain = None,
    max_repairs: MaxRepairs = None,
    no_repair: NoRepair = False,
    no_memory: NoMemory = False,
    verbose: Verbose = False,
    json_: AsJson = False,
) -> None:
    """Change a run that ended, and go on with it.

    What was finished and does not depend on the change is not computed again.
    """
    from knowflow.service.run_edits import Change

    if len(insert or ()) != len(before or ()):
        raise typer.BadParameter("every --insert needs a --before", param_hint="--insert")
    change = Change(
        set=values(set_ or (), "--set"),
        replace=pairs(replace or (), "--replace"),
        insert=tuple(zip(insert or (), before or (), strict=True)),
        drop=tuple(drop or ()),
        assume=tuple(assume or ()),
        plan=plan,
    )
    if dry_run:
        _preview(run_id, change, json_)
        return
    found: list[dict[str, Any]] = []

    def ask(on_event: Any, on_plan: Any, tell: Tell) -> None:
        def on_edit(edited: Any) -> None:
            found.append(edited.to_json())
            if on_event is not None:
                from knowflow.roof.terminal.console import messages
                from knowflow.roof.terminal.repairs import show_edit

                show_edit(messages(), edited)

        result = facade().edit_run(
            run_id,
            change,
            out=out,
            runner=runner,
            max_repairs=0 if no_repair else max_repairs,
            memory=not no_memory,
            on_event=on_event,
            on_edit=on_edit,
        )
        tell(result)

    answer_with(ask, json_, lambda results: {**results[0].to_json(), "edit": found[0]}, verbose=verbose)


def _preview(run_id: str, change: Any, as_json: bool) -> None:
    edited = facade().preview_edit(run_id, change)
    if as_json:
        emit({"status": "planned", "edit": edited.to_json()})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.repairs import show_edit

    show_edit(output(), edited)
    typer.echo("A dry run: nothing was changed.", err=True)
