"""The options and arguments that commands share, each in one wording."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.completion import run_ids, template_names, tool_names

PREFECT, LOCAL, DASK, POOL = "prefect", "local", "dask", "pool"


def runner_named(text: str) -> str:
    """Who carries out the nodes, by name; a cluster of dask with its address, a work pool of Prefect with its name."""
    kind, given, said = text.partition("=")
    fits = {PREFECT: not given, LOCAL: not given, DASK: bool(given) == bool(said), POOL: bool(said)}
    if not fits.get(kind, False):
        raise typer.BadParameter(f"{text!r} is not one of {PREFECT}, {LOCAL}, {DASK}, {DASK}=ADDRESS, {POOL}=NAME")
    return text


def named(text: str) -> Path:
    """A path that somebody named: an empty text (of a variable that is not set) would be the current folder."""
    if not text.strip():
        raise typer.BadParameter("an empty text names no file or folder")
    return Path(text)


def sourced(text: str) -> str:
    """A source that somebody named, as it is written: an address is no path."""
    return text if "://" in text else str(named(text))


Question = Annotated[str, typer.Argument(metavar="QUESTION", help="A question in plain words.")]
Query = Annotated[
    str | None, typer.Argument(metavar="QUESTION", help="A question in plain words, or a saved plan (FILE.yaml).")
]
_NAME = "Name, as the list shows it."
Name = Annotated[str, typer.Argument(metavar="NAME", help=_NAME)]
ToolName = Annotated[str, typer.Argument(metavar="NAME", help=_NAME, autocompletion=tool_names)]
OfTemplate = Annotated[str, typer.Argument(metavar="NAME", help=_NAME, autocompletion=template_names)]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of the run, or its beginning.", autocompletion=run_ids)]
Data = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="SOURCE",
        parser=sourced,
        help="Folder with the imagery, or where it lies: a list, s3://, https://, stac+https://, .zarr (repeatable).",
    ),
]
Refresh = Annotated[
    bool, typer.Option("--refresh", help="Look again at data elsewhere: what came, went and changed is told.")
]
Area = Annotated[
    str | None, typer.Option("--aoi", metavar="AREA", help="Vector file, or WEST,SOUTH,EAST,NORTH in degrees.")
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="LON,LAT|FILE",
        help="Point, in degrees, or file of points: the value there, over dates the series.",
    ),
]
Dates = Annotated[str | None, typer.Option("--dates", metavar="START/END", help="Period of the data to use.")]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Parameter of the template (repeatable).")
]
Assume = Annotated[
    list[str] | None,
    typer.Option("--assume", metavar="FACT=VALUE", help="Fact of the data, as crs=EPSG:32633 (repeatable)."),
]
TemplateName = Annotated[
    str | None,
    typer.Option(
        "--template",
        metavar="NAME",
        help="Use this template instead of the best.",
        autocompletion=template_names,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", parser=named, help="Folder for results and report (default: knowflow-out)."),
]
OutAgain = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", parser=named, help="Folder for results and report (default: the run's)."),
]
_RUNNERS = "prefect|local|dask[=ADDRESS]|pool=NAME"
Runner = Annotated[
    str, typer.Option("--runner", metavar=_RUNNERS, parser=runner_named, help="Who carries out the nodes.")
]
RunnerAgain = Annotated[
    str | None,
    typer.Option(
        "--runner", metavar=_RUNNERS, parser=runner_named, help="Who carries out the nodes (default: the run's)."
    ),
]
MaxRepairs = Annotated[
    int | None,
    typer.Option(
        "--max-repairs", metavar="N", min=0, help="How often the plan may be repaired (default: 8).", show_default=False
    ),
]
MaxHours = Annotated[
    float | None,
    typer.Option(
        "--max-hours",
        metavar="H",
        help="How long the run may take by its estimate; longer ones are refused (default: 6).",
        show_default=False,
    ),
]
NoRepair = Annotated[bool, typer.Option("--no-repair", help="Only diagnose what fails.")]

NoMemory = Annotated[
    bool, typer.Option("--no-memory", help="Use nothing that earlier runs taught, and learn nothing from this one.")
]

Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show the workflow first, and a line for each of its nodes.")
]


class ModelReads(StrEnum):
    """When the configured language model reads a question."""

    NEVER = "never"
    FALLBACK = "fallback"
    ALWAYS = "always"


Llm = Annotated[
    ModelReads,
    typer.Option("--llm", help="Let the language model read: where words are not enough (--llm alone), or always."),
]


def with_values(arguments: Sequence[str]) -> list[str]:
    """The words of a command in which ``--llm`` that stands alone has its value."""
    following = [*arguments, ""][1:]
    alone = [one == "--llm" and after not in tuple(ModelReads) for one, after in zip(arguments, following, strict=True)]
    return [f"--llm={ModelReads.FALLBACK}" if bare else one for one, bare in zip(arguments, alone, strict=True)]


# --- of edits -----------------------------------------------------------------------------------------------------

SetPlaces = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NODE.PARAMETER=VALUE",
        help="Set an argument (repeatable); null takes it away, {from: NODE} and {input: NAME} refer.",
    ),
]
Replace = Annotated[
    list[str] | None, typer.Option("--replace", metavar="NODE=TOOL", help="Another tool for a step (repeatable).")
]
Insert = Annotated[
    list[str] | None,
    typer.Option("--insert", metavar="TOOL", help="A tool, put --before a place (repeatable, in pairs)."),
]
Before = Annotated[
    list[str] | None,
    typer.Option("--before", metavar="NODE.PARAMETER", help="That place, with [3] or .red behind it for a part."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="PLACE",
        help="Leave out NODE.PARAMETER[ITEM], by number or date, or a NODE (repeatable).",
    ),
]
AssumeOfRun = Annotated[
    list[str] | None,
    typer.Option(
        "--assume",
        metavar="FILE:FACT=VALUE",
        help="What the numbers of its files stand for: scale, offset, unit, nodata, mark, quantity (repeatable).",
    ),
]
PlanFile = Annotated[
    Path | None,
    typer.Option("--plan", metavar="FILE", parser=named, help="An edited plan.yaml instead of single changes."),
]
