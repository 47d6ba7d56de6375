"""Commands that measure how questions are read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit

Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of what is chosen.")]


def questions(
    place: Annotated[
        Path, typer.Argument(metavar="SET", help="Folder with questions.yaml and the folders it asks about.")
    ],
    json_: AsJson = False,
) -> None:
    """Ask questions of somebody else, and compare with the answers.

    Right, wrong, asked back or refused; taken though there is no answer.
    """
    from knowflow_bench.questions import questions as measure

    found = measure(place)
    if json_:
        emit(found)
        return
    typer.echo(f"{place}: SHA-256 {found['set']}")
    typer.echo(f"{found['n']} questions, {found['answerable']} with an answer, {found['seconds']:.0f} s")
    typer.echo(f"{found['right']} right, {found['wrong']} wrong, {found['refused']} asked back or refused")
    typer.echo(f"without an answer: {found['refused_rightly']} refused, {found['taken']} taken")
    for case in found["cases"]:
        if case["outcome"] in ("wrong", "taken"):
            typer.echo(f"  {case['outcome']}: {case['ask']} [{case['folder']}]: {case['answer']} {case['unit'] or ''}")


def corpus(json_: AsJson = False) -> None:
    """Read the sentences of the corpus.

    Right, wrong, refused, asked back as they should be, taken though they should be asked back.
    """
    from knowflow_bench.reading import score

    found = score()
    if json_:
        emit(found)
    else:
        for part in ("open", "sealed"):
            typer.echo(f"{part}: {', '.join(f'{number} {name}' for name, number in found[part].items())}")
        for case in found["cases"]:
            typer.echo(f"  {case['outcome']}: {case['question']}")
    if any(found[part]["wrong"] or found[part]["taken"] for part in ("open", "sealed")):
        raise typer.Exit(1)


def coverage(
    n: Annotated[int, typer.Option("--n", min=1, help="Invented words.")] = 1000, seed: Seed = 0, json_: AsJson = False
) -> None:
    """Insert an invented word into sentences that are read.

    It is named, and nothing is answered.
    """
    from knowflow_bench.reading import coverage as measure

    found = measure(n, seed)
    if json_:
        emit(found)
    else:
        typer.echo(f"{found['inserted']} inserted, {found['named']} named, {found['answered']} answered")
        typer.echo("\n".join(found["cases"]), nl=bool(found["cases"]))
    if found["answered"]:
        raise typer.Exit(1)


def pairs(
    n: Annotated[int, typer.Option("--n", min=1, help="Pairs.")] = 1000, seed: Seed = 0, json_: AsJson = False
) -> None:
    """Swap one word of sentences for one that means something else.

    None is read as the same.
    """
    from knowflow_bench.reading import pairs as measure

    found = measure(n, seed)
    if json_:
        emit(found)
    else:
        typer.echo(f"{found['n']} pairs, {found['same_tree']} read as the same, {found['asked_back']} asked back")
        for one, other in found["cases"]:
            typer.echo(f"  {one}\n  {other}")
    if found["same_tree"]:
        raise typer.Exit(1)
