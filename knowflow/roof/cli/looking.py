"""Commands that look and compute nothing: how a question is read, what can be asked of a folder, what is in it."""

from __future__ import annotations

from typing import Annotated

import typer

from knowflow.roof.cli.options import Area, Assume, At, Data, Dates, Llm, ModelReads, Question, Refresh, sourced
from knowflow.roof.cli.output import AsJson, emit, facade


def read(
    query: Question,
    data: Data = None,
    at: At = None,
    assume: Assume = None,
    llm: Llm = ModelReads.NEVER,
    json_: AsJson = False,
) -> None:
    """Show how a question is read: by which words, and what was not.

    Exit code 1: nothing was taken, because a word is unknown or several readings are as likely.
    """
    found = facade().read(query, data, at=at, assume=assume or (), llm=llm.value)
    if json_:
        emit(found.to_json())
    else:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.reading import show_reading

        show_reading(output(), found)
    if found.expression is None:
        raise typer.Exit(1)


def suggest(
    data: Annotated[
        list[str], typer.Option("--data", metavar="SOURCE", parser=sourced, help="Where the imagery is (repeatable).")
    ],
    assume: Assume = None,
    dates: Dates = None,
    json_: AsJson = False,
) -> None:
    """List questions that a folder can answer, by topic.

    Each was planned over the folder: `knowflow run "QUESTION" --data DIR` answers it.
    """
    topics = facade().suggest(data, assume=assume or (), dates=dates)
    if json_:
        emit({"topics": [{"topic": topic, "questions": questions} for topic, questions in topics.items()]})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.reading import show_topics

    show_topics(output(), topics)


def data(
    folder: Annotated[
        str,
        typer.Argument(metavar="SOURCE", parser=sourced, help="Folder with the imagery, a single file, or an address."),
    ],
    assume: Assume = None,
    aoi: Area = None,
    dates: Dates = None,
    refresh: Refresh = False,
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="FILE", help="What speaks for each fact of one file, and what is open."),
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Write what is understood as YAML: save it as DIR/knowflow.yaml.")
    ] = False,
    json_: AsJson = False,
) -> None:
    """Show what is in a folder, and how that is known.

    Declared facts come from tags, companions and names; assumed ones are usual for such files but not certain.
    """
    found = facade().inventory(folder, assume=assume or (), dates=dates, aoi=aoi, refresh=refresh)
    if describe:
        from knowflow.reason.inventory.describing import description

        typer.echo(description(found), nl=False)
        return
    if why is not None:
        from knowflow.reason.inventory import about_file

        about = about_file(found, why)
        if json_:
            emit(about.to_json())
            return
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.data import show_file

        show_file(output(), about)
        return
    if json_:
        emit(found.to_json())
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.data import show_inventory

    show_inventory(output(), found)
