"""What every command that answers does: show what happens meanwhile, and each answer when it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import typer

from knowflow.roof.cli.options import LOCAL, PREFECT
from knowflow.roof.cli.output import emit, exit_code, facade, say_error

if TYPE_CHECKING:
    from knowflow.service.results import PlanResult, RunResult

Tell: TypeAlias = "Callable[[RunResult], None]"


def announce_server() -> None:
    """Say why nothing seems to happen for a while, the first time."""
    from knowflow.execution.prefect_server import server_status

    if not server_status(facade().home).running:
        typer.echo("Starting the local Prefect server; this takes 10 to 20 seconds, once ...", err=True)


def answer_with(
    ask: Callable[[Any, Any, Tell], None],
    as_json: bool,
    shape: Callable[[Sequence[RunResult]], dict[str, Any]],
    runner: str = LOCAL,
    explain: bool = False,
    tree: bool = False,
    verbose: bool = False,
    memory: bool = True,
) -> None:
    """Ask, show what happens meanwhile and each answer when it is there, and exit with the code of all.

    With ``explain`` the plan's reasons come before, and those of every repair after (without ``memory`` nothing of
    earlier attempts); with ``tree`` the workflow comes before, with ``verbose`` that too, and every node has a line of
    its own.
    """
    results: list[RunResult] = []
    if as_json:
        ask(None, None, results.append)
        emit(shape(results))
        for result in results:
            if result.error is not None:
                say_error(result.error, as_json=True)
        raise typer.Exit(exit_code(results))
    from knowflow.roof.terminal.answers import show_result
    from knowflow.roof.terminal.console import messages
    from knowflow.roof.terminal.live import LiveProgress
    from knowflow.roof.terminal.plans import show_explanation, show_plan
    from knowflow.roof.terminal.rules import show_explained

    shown: list[PlanResult] = []
    with LiveProgress(messages(), each=verbose) as live:

        def on_plan(planned: PlanResult) -> None:
            shown[:] = [planned]
            messages().rule(style="dim")
            show_plan(messages(), planned, tree=tree or verbose, notes=False)
            if explain:
                show_explanation(messages(), planned, facade().advice(planned.plan, memory=memory))
            if runner == PREFECT:
                announce_server()

        def tell(result: RunResult) -> None:
            results.append(result)
            show_result(result, messages(), shown.pop() if shown else None)
            if explain and result.run_id is not None and (result.repairs or result.diagnoses):
                show_explained(messages(), facade().explain_repairs(result.run_id))

        ask(live, on_plan, tell)
    raise typer.Exit(exit_code(results))
