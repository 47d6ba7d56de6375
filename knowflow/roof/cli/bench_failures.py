"""Commands that measure what goes wrong: real failing calls, checked before they are made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit, facade


def failing_calls(
    calls: Annotated[Path, typer.Option("--calls", help="File of failing calls, one JSON object a line.")],
    questions: Annotated[Path, typer.Option("--questions", help="File of the questions they were made for.")],
    json_: AsJson = False,
) -> None:
    """Check real failing calls before they are made: what is refused, why, and what is proposed instead.

    The calls of experts that can be right are checked, too: none of them should be refused.
    """
    from knowflow.roof.bench.failing_calls import failing_calls as measure

    found = measure(calls, questions, facade().tools())
    if json_:
        emit(found)
        return
    visible, refused = found["visible"], found["refused"]
    typer.echo(f"{found['n']} calls, of which a check before the call can see {visible}.")
    typer.echo(f"  refused: {refused}; with the recorded reason: {found['reason_right']}")
    typer.echo(f"  the first proposal passes and keeps what was meant: {found['proposal_passes']} of {refused}")
    typer.echo(f"Of {found['expert_calls']} calls of experts {found['expert_refused']} are refused. Not counted:")
    for reason, number in found["expert_excluded"].items():
        typer.echo(f"  {number}: {reason}")
    typer.echo("By class of failure: refused with the recorded reason, of those that can be seen, of all")
    for name, counts in found["by_class"].items():
        typer.echo(f"  {counts['reason_right']} of {counts['visible']} of {counts['n']}: {name}")
