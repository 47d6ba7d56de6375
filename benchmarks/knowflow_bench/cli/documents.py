"""`knowflow bench check`: what is wrong with authored documents of benches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.options import named
from knowflow.roof.cli.output import AsJson, tell_problems


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", parser=named, help="Files or folders; default: all at hand."),
    ] = None,
    write_schemas: Annotated[
        Path | None,
        typer.Option("--write-schemas", metavar="DIR", help="Write JSON Schemas for editors into this folder."),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Find every problem of tasks, labelled folders and sentences.

    All problems at once, with file, line and what to do.
    """
    from knowflow.roof.schemas import write_schemas as write
    from knowflow_bench.documents import check as checked
    from knowflow_bench.documents import json_schemas

    written = [] if write_schemas is None else write(write_schemas, json_schemas())
    tell_problems(None if written and not paths else checked(paths or ()), written, json_)
