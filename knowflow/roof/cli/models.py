"""Commands about learned models: registering, looking at, trying and removing them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit

if TYPE_CHECKING:
    from knowflow.knowledge.models import Model

app = typer.Typer(help="Learned models: an ONNX file with its card.", no_args_is_help=True, rich_markup_mode=None)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a registered model.")]


@app.command()
def add(
    card: Annotated[
        Path, typer.Argument(metavar="CARD", help="Model card (YAML), or an ONNX file that train_classifier wrote.")
    ],
    user: Annotated[bool, typer.Option("--user", help="For all your projects, not only this one.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Also where one of that name is registered.")] = False,
    json_: AsJson = False,
) -> None:
    """Register a model.

    Its card is checked, the model is tried, and both files are copied.
    """
    from knowflow.service.models import add_model

    found = add_model(card, user=user, replace=replace)
    if json_:
        emit(_summary(found))
        return
    typer.echo(f"{found.card.model}: {found.card.task}, {found.where}")
    typer.echo(f"Next: `knowflow tools show {found.card.task}`; model={found.card.model}", err=True)


@app.command("list")
def list_models(json_: AsJson = False) -> None:
    """All registered models."""
    from knowflow.knowledge.models import models

    found = list(models().values())
    if json_:
        emit({"models": [_summary(model) for model in found]})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.models import show_models

    show_models(output(), found)


@app.command()
def show(name: Name, json_: AsJson = False) -> None:
    """One model: its card."""
    from knowflow.knowledge.models import model

    found = model(name)
    if json_:
        emit({"card": found.card.model_dump(mode="json", exclude_defaults=True), **_summary(found)})
        return
    from knowflow.roof.terminal.console import output
    from knowflow.roof.terminal.models import show_model

    show_model(output(), found)


@app.command("test")
def try_out(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a registered model, or a card file.")],
    json_: AsJson = False,
) -> None:
    """Try a model on a small scene of noise.

    It must load, take what its card says, and answer in the right shape.
    """
    from knowflow.knowledge.models import check_card, files_of, model
    from knowflow.service.models import try_model

    files = files_of(name) or (model(name).where,)
    problems = check_card(files[0]) if files[0].suffix != ".onnx" else ()
    errors = [problem for problem in problems if problem.severity == "error"]
    found: dict[str, Any] = {} if errors else try_model(name)
    if json_:
        emit({"passed": not errors, "problems": [problem.to_json() for problem in problems], **found})
    elif errors:
        from knowflow.roof.terminal.console import output
        from knowflow.roof.terminal.problems import show_problems

        show_problems(output(), problems)
    else:
        typer.echo(f"{found['model']} works: {found['found']} ({found['pixels']} pixels in {found['seconds']:.2f} s)")
    if errors:
        from knowflow.ground.errors import EXIT_PROBLEMS

        raise typer.Exit(EXIT_PROBLEMS)


@app.command()
def remove(name: Name, json_: AsJson = False) -> None:
    """Remove a registered model and its file."""
    from knowflow.service.models import remove_model

    found = remove_model(name)
    if json_:
        emit({"removed": found.card.model, "card": str(found.where)})
    else:
        typer.echo(f"Removed {found.card.model}.")


def _summary(model: Model) -> dict[str, Any]:
    size = model.weights.stat().st_size if model.weights.is_file() else None
    card = model.card
    return {
        "model": card.model,
        "task": card.task,
        "title": card.title,
        "bands": card.bands,
        "licence": card.licence,
        "source": card.source,
        "layer": model.layer,
        "file": str(model.where),
        "weights": str(model.weights),
        "bytes": size,
    }
