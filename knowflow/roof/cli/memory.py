"""Commands about memory: what was learned from runs, and what a person decides about it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from knowflow.roof.cli.options import Name, named
from knowflow.roof.cli.output import AsJson, emit, facade

app = typer.Typer(help="What runs taught the next ones.", no_args_is_help=True, rich_markup_mode=None)
Names = Annotated[list[str], typer.Argument(metavar="NAME", help="Names, as the list shows them.")]
SomeNames = Annotated[list[str] | None, typer.Option("--name", metavar="NAME", help="Only this one (repeatable).")]


@app.command("list")
def list_memory(json_: AsJson = False) -> None:
    """All that was learned in this project, with what became of it."""
    book = facade().memory()
    found, problems = book.all()
    if json_:
        emit(
            {
                "folder": book.where,
                "memory": [one.to_json() for one in found],
                "problems": [one.to_json() for one in problems],
            }
        )
        return
    from knowflow.roof.terminal.console import messages, output
    from knowflow.roof.terminal.memory import show_memory
    from knowflow.roof.terminal.problems import show_problems

    show_memory(output(), found)
    if problems:
        show_problems(messages(), problems)


@app.command("reflections")
def list_reflections(
    forget: Annotated[bool, typer.Option("--forget", help="Remove them all.")] = False, json_: AsJson = False
) -> None:
    """What earlier attempts in this project came to, latest first.

    `knowflow plan --explain` shows those of the same question over such data; nothing is decided by them.
    """
    from knowflow.memory.reflections import Reflections

    kept = Reflections(facade().home)
    found = kept.all()
    if forget:
        kept.forget()
    if json_:
        emit({"reflections": [one.model_dump(mode="json") for one in found], "forgotten": forget})
        return
    from knowflow.roof.notation import plain

    lines = [f"{one.when[:16].replace('T', ' ')}  {plain(one.sentence())}" for one in found]
    typer.echo("\n".join(lines) or "Nothing was kept yet")
    if forget:
        typer.echo(f"{len(found)} forgotten")


@app.command("show")
def show_memory(name: Name, json_: AsJson = False) -> None:
    """One learned rule or template, with its evidence and its record."""
    book = facade().memory()
    found = book.one(name)
    if json_:
        emit({**found.learned.model_dump(mode="json", by_alias=True, exclude_defaults=True), **found.to_json()})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.memory import show_one

    show_one(output(), found, book.text(name))


@app.command("diff")
def diff_memory(name: Name, json_: AsJson = False) -> None:
    """What the last case changed."""
    found = facade().memory().differences(name)
    if json_:
        emit({"name": name, "diff": found.splitlines()})
    else:
        typer.echo(found)


@app.command("approve")
def approve(names: Names, json_: AsJson = False) -> None:
    """Take what waits for approval, or was retired, into use."""
    _decide(names, "active", json_)


@app.command("reject")
def reject(names: Names, json_: AsJson = False) -> None:
    """Take rules or templates out of use, for good.

    What does the same is not learned again.
    """
    _decide(names, "rejected", json_)


def _decide(names: list[str], state: Literal["active", "rejected"], as_json: bool) -> None:
    book = facade().memory()
    decided = [book.decide(name, state) for name in names]
    if as_json:
        emit({"decided": [{"name": one.name, "state": one.state} for one in decided]})
    else:
        for one in decided:
            typer.echo(f"{one.name}: {one.state}")


@app.command("forget")
def forget(names: Names, json_: AsJson = False) -> None:
    """Remove what was learned; it may be learned again."""
    facade().memory().forget(names)
    if json_:
        emit({"forgotten": names})
    else:
        typer.echo(f"Forgotten: {', '.join(names)}")


@app.command("export")
def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", parser=named, help="Folder to write to.")],
    names: SomeNames = None,
    json_: AsJson = False,
) -> None:
    """Write what is in use into a folder, for another project.

    Nothing that was learned in one project counts in another before it is exported, imported and approved.
    """
    files = facade().memory().export(folder, names or ())
    if json_:
        emit({"files": [str(file) for file in files]})
    else:
        typer.echo("\n".join(map(str, files)) or "Nothing is in use.")


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(metavar="PATH", parser=named, help="An exported file, or a folder of them.")],
    json_: AsJson = False,
) -> None:
    """Take what another project learned, as proposals.

    It is checked as authored files are; `knowflow memory approve` puts it into use.
    """
    taken = facade().memory().take(path)
    if json_:
        emit({"imported": [{"name": one.name, "state": one.state} for one in taken]})
    else:
        for one in taken:
            typer.echo(f"{one.name}: proposed; knowflow memory approve {one.name}")
