"""The command that keeps a conversation: each question may be a change of the one before."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.answering import Tell, answer_with
from knowflow.roof.cli.options import LOCAL, Assume, At, Data, Runner, Verbose, named
from knowflow.roof.cli.output import AsJson, facade


def ask(
    query: Annotated[
        str | None,
        typer.Argument(metavar="QUESTION", help="A question, or a change of the last one; without: line by line."),
    ] = None,
    data: Data = None,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="RUN", help="Go on from this run (default: the last that answered one)."),
    ] = None,
    at: At = None,
    assume: Assume = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", parser=named, help="Folder for results (default: a new one in knowflow-out)."
        ),
    ] = None,
    runner: Runner = LOCAL,
    verbose: Verbose = False,
    json_: AsJson = False,
) -> None:
    """Answer a question, and what is asked after it.

    "and in 2017?", "only on slopes above 10 degrees", "as a map" change the last question: what is changed is told with
    the answer. Data and assumptions stay until others are given: with another folder a new conversation begins.
    """
    last = after or facade().last_asked(data[0] if data and len(data) == 1 else None)
    if last is None and data is None:
        raise typer.BadParameter("a first question needs the folder with the imagery", param_hint="--data")
    settings = {"data": data, "at": at, "assume": assume or (), "runner": runner}
    code = 0
    for said in [query] if query is not None else _lines():
        asked = _Asked(said, {**settings, "out": out or _own_folder(), "after": last})
        try:
            answer_with(asked, json_, lambda results: results[0].to_json(), runner, verbose=verbose)
        except typer.Exit as ended:
            code = max(code, ended.exit_code)
        last = asked.run_id or last
    raise typer.Exit(code)


@dataclass
class _Asked:
    """One question of a conversation, and the run that answered it."""

    said: str
    settings: Mapping[str, Any]
    run_id: str | None = None

    def __call__(self, on_event: Any, on_plan: Any, tell: Tell) -> None:
        result = facade().run(self.said, **self.settings, on_event=on_event, on_plan=on_plan)
        self.run_id = result.run_id if result.status == "completed" else None
        tell(result)


def _own_folder() -> Path:
    """A new folder for each answer, so that one does not replace the other."""
    return next(one for number in count(1) if not (one := Path("knowflow-out", f"answer-{number}")).exists())


def _lines() -> Iterator[str]:
    """What is typed, line by line, until the input ends."""
    while True:
        if sys.stdin.isatty():
            typer.echo("? ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()
