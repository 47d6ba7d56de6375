"""`knowflow plan --tools PACK`: a question planned over somebody else's tools, shown as the calls that carry it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from knowflow.roof.cli.output import emit

if TYPE_CHECKING:
    from knowflow.service.planning_calls import PlannedCalls


def show_pack_plan(query: str, data: Path, pack: str, *, calls: bool, explain: bool, json_: bool) -> None:
    """Plan over a pack and print the plan, or with ``calls`` the flat sequence of calls.

    ``data`` is a folder, or a text file with one file name a line: names are all that is needed.

    Raises:
        KnowFlowError: there is no such pack, folder or plan.
    """
    from knowflow.service.planning_calls import names_of, plan_calls

    planned = plan_calls(query, data.as_posix() if data.is_dir() else "data", names_of(data), pack=pack)
    if json_:
        emit(_json(planned))
        return
    from knowflow.roof.terminal.console import output, said
    from knowflow.roof.terminal.plans import assumptions, plan_tree, understood

    if calls:
        for number, call in enumerate(planned.calls):
            typer.echo(f"{number:>3}  {call.name}  {_short(call.input)}")
    else:
        output().print(plan_tree(planned.plan))
    read_as = understood(planned.goal) if planned.goal is not None else said(f"Understood as: {planned.plan.title}")
    parts = (read_as, assumptions(planned.plan.assumptions)) if explain else ()
    for part in parts:
        if part is not None:
            output().print()
            output().print(part)


def _json(planned: PlannedCalls) -> dict[str, Any]:
    return {
        "tool_calls": [{"name": call.name, "input": dict(call.input)} for call in planned.calls],
        "template": planned.template,
        "templates": list(planned.templates),
        "plan": planned.plan.to_json(),
    }


def _short(arguments: Any) -> str:
    """Arguments on one line; of long lists the first and the last."""
    parts = []
    for name, value in arguments.items():
        if isinstance(value, list) and len(value) > 3:
            value = [value[0], f"... {len(value) - 2} more ...", value[-1]]
        parts.append(f"{name}={json.dumps(value, ensure_ascii=False)}")
    return " ".join(parts)
