"""`knowflow bench inventory`: how much of a folder is understood, under published names and as people rename them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from knowflow.roof.cli.output import AsJson, emit

_COLUMNS = ("right", "wrong", "unknown", "left_out_silently")


def inventory(
    sets: Annotated[
        list[Path] | None, typer.Argument(metavar="SET...", help="Sets of labelled folders (default: those at hand).")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List the files that are not understood, too.")] = False,
    questions: Annotated[
        bool, typer.Option("--questions", help="Also ask the questions of the folders, under tidy names, too.")
    ] = False,
    keep: Annotated[Path | None, typer.Option("--keep", help="Folder in which the folders are made, and stay.")] = None,
    json_: AsJson = False,
) -> None:
    """Make folders of known content, and judge what is found in them.

    A file is right where kind, unit, band and date are, as far as its folder tells them.
    """
    from knowflow_bench.inventory.run import inventory as measure

    found = measure(sets or (), keep, questions)
    if json_:
        emit(found)
    else:
        typer.echo("\n".join(_lines(found, verbose)))


def _lines(found: Mapping[str, Any], verbose: bool) -> Iterator[str]:
    yield from (f"{path}: SHA-256 {digest}" for path, digest in found["sets"].items())
    yield f"{found['folders']} folders, {found['files']} files, {found['seconds']:.0f} s"
    yield _row("names", "files", *(column.replace("_", " ") for column in _COLUMNS), "shown", "apart")
    for name, one in (*found["names"].items(), ("all", found)):
        shares = (_share(one[column], one["files"]) for column in _COLUMNS)
        shown = "-" if one["candidates_right"] is None else f"{100 * one['candidates_right']:.1f} %"
        yield _row(name, one["files"], *shares, shown, one["apart"])
    yield "(shown: of what is unknown, the right value is among the candidates; apart: in no series with its siblings)"
    yield ""
    yield f"{'fact':12} {'right':>6} {'wrong':>6} {'unknown':>8}"
    for fact, one in found["facts"].items():
        yield f"{fact:12} {one['right']:>6} {one['wrong']:>6} {one['unknown']:>8}"
    yield ""
    yield f"{'folder':40} {'published':>11} {'renamed':>11}"
    for folder, by_names in found["by_folder"].items():
        published, renamed = (f"{one['right']} of {one['files']}" for one in by_names.values())
        yield f"{folder:40} {published:>11} {renamed:>11}"
    for outcome in _COLUMNS[1:]:
        cases = [one for one in found["cases"] if one["outcome"] == outcome]
        if cases and (verbose or outcome == "wrong"):
            yield ""
            yield f"{outcome.replace('_', ' ').capitalize()}:"
            yield from (_told(one) for one in cases)
    alone = [f"  {one['folder']}/{one['file']}" for one in found["cases"] if one["apart"]]
    yield from ("", "Right, and apart from the others of their layer:", *alone) if alone else ()
    if "questions" in found:
        yield from _of_questions(found["questions"], verbose)


def _of_questions(found: Mapping[str, Any], verbose: bool) -> Iterator[str]:
    yield ""
    yield f"{'questions':12} {'n':>6} {'right':>7} {'wrong':>7} {'refused':>8}"
    for names, one in found["names"].items():
        right, wrong, refused = (_share(one[column], one["n"]) for column in ("right", "wrong", "refused"))
        yield f"{names:12} {one['n']:>6} {right:>7} {wrong:>7} {refused:>8}"
    if found["points_apart"] is not None:
        yield f"Under names as they are {found['points_apart']:g} points below tidy names."
    for one in found["cases"]:
        if verbose or one["outcome"] == "wrong":
            yield f"  {one['folder']} ({one['names']}), {one['outcome']}: {one['question']}"
            yield f"    expected {one['expected']}, found {one['found'][:200]}"


def _row(name: str, files: object, *cells: object) -> str:
    right, wrong, unknown, left_out, shown, apart = map(str, cells)
    return f"{name:12} {files:>6} {right:>7} {wrong:>7} {unknown:>8} {left_out:>18} {shown:>7} {apart:>6}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _told(case: Mapping[str, Any]) -> str:
    facts = [
        f"{one['fact']} {_text(one['found'])} for {_text(one['expected'])}"
        for one in case["facts"]
        if case["outcome"] != "wrong" or one["is"] == "wrong"
    ]
    return f"  {case['folder']}/{case['file']}: {', '.join(dict.fromkeys(facts))}{case['why'] and '; ' + case['why']}"


def _text(value: Any) -> str:
    return "nothing" if value is None else str(value)
