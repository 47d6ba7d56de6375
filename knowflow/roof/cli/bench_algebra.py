"""Commands that measure questions as expressions: whether each reads in a way of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def roundtrip(
    n: Annotated[int, typer.Option("--n", min=1, help="Random expressions.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of scenes and expressions.")] = 0,
    json_: AsJson = False,
) -> None:
    """Write random expressions in English.

    Each reads as no other does, nor as it does itself with one node changed.
    """
    from knowflow.roof.bench.roundtrip import roundtrip as measure

    found = measure(n, seed)
    if json_:
        emit(found)
    else:
        typer.echo(f"{found['injective']} of {found['n']} expressions, and {found['mutants']} with one node changed,")
        typer.echo(f"read in a way of their own; {found['written']} are the same written down and read again.")
        for words, *expressions in found["alike"]:
            typer.echo("\n  ".join(["", words, *expressions]))
    if found["alike"] or found["written"] < found["n"]:
        raise typer.Exit(1)
