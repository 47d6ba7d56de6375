"""Commands that measure questions as expressions: whether they are answered right, and each reads in its own way."""

from __future__ import annotations

from typing import Annotated

import typer

from knowflow.roof.cli.output import AsJson, emit


def algebra(
    n: Annotated[int, typer.Option("--n", min=1, help="Random expressions.")] = 100,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of scenes and expressions.")] = 0,
    depth: Annotated[int, typer.Option("--depth", min=2, max=8, help="Most operators above a quantity.")] = 6,
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Make so many mistakes in compiler, operators and interpreter.")
    ] = False,
    json_: AsJson = False,
) -> None:
    """Run random expressions beside the reference interpreter.

    They are compiled and run on files; refusals are told by what stands in the way.
    """
    if mutate:
        _mutate(n, seed, json_)
        return
    from knowflow_bench.algebra import algebra as measure
    from knowflow_bench.algebra import lines

    found = measure(n, seed, depth)
    if json_:
        emit(found)
    else:
        typer.echo("\n".join(lines(found)))
    if found["wrong"] or found["failed"]:
        raise typer.Exit(1)


def _mutate(n: int, seed: int, json_: bool) -> None:
    from knowflow_bench.mutation.run import lines
    from knowflow_bench.mutation.run import mutate as measure

    found = measure(n, seed)
    if json_:
        emit(found)
    else:
        typer.echo("\n".join(lines(found)))


def roundtrip(
    n: Annotated[int, typer.Option("--n", min=1, help="Random expressions.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of scenes and expressions.")] = 0,
    reads: Annotated[int, typer.Option("--reads", min=0, help="So many are given to the reader.")] = 200,
    json_: AsJson = False,
) -> None:
    """Write random expressions in English, and read some of them.

    Each reads as no other does, nor as it does itself with one node changed; what is read is what was written.
    """
    from knowflow_bench.roundtrip import roundtrip as measure

    found = measure(n, seed, reads)
    if json_:
        emit(found)
    else:
        typer.echo(f"{found['injective']} of {found['n']} expressions, and {found['mutants']} with one node changed,")
        typer.echo(f"read in a way of their own; {found['written']} are the same written down and read again.")
        typer.echo(f"The reader reads {found['same']} of {found['given']}, {len(found['others'])} as something else.")
        for words, *expressions in (*found["others"], *found["alike"]):
            typer.echo("\n  ".join(["", words, *expressions]))
    if found["alike"] or found["others"] or found["written"] < found["n"]:
        raise typer.Exit(1)
