"""Commands for those who go on elsewhere: export, import, whence, and the parts of exported workflows."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.options import named
from knowflow.roof.cli.output import AsJson, emit, facade, pairs


class Form(StrEnum):
    """Whose documents a run or a plan is written in."""

    STAC = "stac"
    RO_CRATE = "ro-crate"
    OPENEO = "openeo"
    CWL = "cwl"


def export(
    what: Annotated[str, typer.Argument(metavar="RUN|PLAN", help="Id of a run, or a saved plan (FILE.yaml).")],
    form: Annotated[Form, typer.Option("--as", help="The form.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", parser=named, help="Folder to write to.")],
    image: Annotated[
        str | None, typer.Option("--image", metavar="NAME", help="CWL: the container in which its steps run.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Write a run or a plan in the documents of another system.

    What it has no counterpart for is refused, with the step that it is about.
    """
    files = facade().export(what, form.value, out, image=image)
    if json_:
        emit({"as": form.value, "files": [str(file) for file in files]})
    else:
        typer.echo("\n".join(map(str, files)))


def import_process(
    file: Annotated[Path, typer.Argument(metavar="FILE", parser=named, help="A process of openEO (UDP, JSON).")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the template (default: that of the process).")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Write a process graph of openEO as a template.

    It goes where your own knowledge lives. What has no counterpart is refused, with the node that it is about.
    """
    path = facade().import_process(file, name)
    if json_:
        emit({"template": path.stem, "file": str(path)})
        return
    typer.echo(path)
    typer.echo(f"Next: knowflow run --template {path.stem} --data DIR", err=True)


def whence(
    file: Annotated[Path, typer.Argument(metavar="FILE", parser=named, help="A file that a run delivered.")],
    json_: AsJson = False,
) -> None:
    """Tell where a file comes from: question, steps, inputs.

    It is known by its content, whatever it is called now.
    """
    found = facade().whence(file)
    if json_:
        emit(found.to_json())
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.leaving import show_whence

    show_whence(output(), found)


def carry_out_part(
    part: Annotated[Path, typer.Argument(metavar="PART", parser=named, help="Part of a plan (JSON).")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="PARAMETER=VALUE", help="Plain arguments of its node.")
    ] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="FILE", help="A file that it reads (repeatable, in order).")
    ] = None,
    made: Annotated[
        list[Path] | None, typer.Option("--made", metavar="DIR", help="Results of a node that it needs (repeatable).")
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", parser=named, help="Folder for results.")] = Path(),
    json_: AsJson = False,
) -> None:
    """Carry out a step of an exported workflow.

    It is what the steps of `knowflow export --as cwl` call.
    """
    given = pairs(arguments or (), "PARAMETER=VALUE")
    written = facade().carry_out_part(part, given, files=file or (), made=made or (), out=out.absolute())
    if json_:
        emit({"written": [str(path) for path in written]})
    else:
        typer.echo("\n".join(map(str, written)))
