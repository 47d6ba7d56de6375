"""From results in the cache to files that a person keeps: they appear together and whole, or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from knowflow.execution.cache import Cache
from knowflow.execution.content import file_digest
from knowflow.ground.json_text import json_text
from knowflow.ground.system import refusal
from knowflow.model.artifact import Artifact
from knowflow.model.literal import plain
from knowflow.model.trace import Trace
from knowflow.service.out_folder import listed, mixed, own
from knowflow.tools.tables import rows_of, write_table

_ANSWER = "answer.json"
STYLE, NAMES = ".qml", ".aux.xml"
"""What the files beside a map end with: its style, and what GDAL knows of it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the query asked for, as a value: a number, a text, rows, or a list of numbers; None where it is a map."""

    value: Any
    unit: str | None


def answer_of(trace: Trace) -> Answer:
    """The answer of a run that has one."""
    artifact = trace.answer
    return Answer(None, None) if artifact is None else Answer(value_of(artifact), unit_of(artifact))


def value_of(artifact: Artifact) -> Any:
    """The plain value of a scalar, text, list or table; None for rasters and vectors."""
    if artifact.type == "list" and artifact.items and artifact.is_value:
        return [value_of(item) for item in artifact.items]
    if artifact.type == "table" and artifact.value is None and artifact.path is not None:
        return list(rows_of(artifact))
    return artifact.value


def told_of(name: str, artifact: Artifact, trace: Trace) -> dict[str, Any]:
    """A value with its unit; of a part of a question with what it is of."""
    asked = trace.plan.parts.get(name)
    return {"value": value_of(artifact), "unit": unit_of(artifact)} | ({} if asked is None else {"asked": asked})


def unit_of(artifact: Artifact) -> str | None:
    unit = artifact.fact("unit")
    return None if unit is None else str(unit)


def require_writable(folder: Path) -> None:
    """Make the folder where results are to go, and try to write there before anything is computed.

    Raises:
        OutputError, NoSpaceError: the folder cannot be made or written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0")
    except OSError as error:
        raise refusal(error, str(folder)) from error


def deliver(trace: Trace, folder: Path, cache: Cache | None = None) -> Trace:
    """Write the outputs of a run into a folder: rasters as COG, tables as CSV, the values together as JSON with
    what is to be known of them.

    ``cache`` is the one that holds the results: what it holds is brought into this form there, once. What is no result,
    but a file of the user's own, is named and not copied.

    Everything is written beside the folder's files first and moved into place when all of it is there. What the same
    run put there before, and is no output of it any more, is removed, unless somebody wrote to it since. That the
    folder held results of another question is noted.

    Raises:
        KnowFlowError: something cannot be written, or a result cannot be read; nothing was delivered.
    """
    staging, notes = folder / f".{trace.run_id}.part", (*trace.notes, *mixed(trace, folder))
    try:
        staging.mkdir(parents=True, exist_ok=True)
        delivered = _staged(trace, staging, notes, cache)
        made = {name: path for name, path in delivered.items() if path.parent == staging}
        for path in made.values():
            path.replace(folder / path.name)
        placed = {name: folder / path.name for name, path in made.items()}
        stamps = {str(path): path.stat().st_mtime_ns for path in placed.values()}
        digests = {str(path): file_digest(path) for path in placed.values()}
        left = _without_stale(trace.written, folder, stamps.keys())
        _without_styles(folder, placed.values())
        own(trace, folder, [path.name for path in placed.values()])
    except OSError as error:
        raise refusal(error, str(folder)) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    delivered_to = {name: str(placed.get(name, path)) for name, path in delivered.items()}
    return replace(trace, delivered=delivered_to, written={**left, **stamps}, made=digests, notes=notes)


def _without_stale(written: Mapping[str, int], folder: Path, fresh: Collection[str]) -> dict[str, int]:
    """What the run wrote before, less its files in this folder; those that nobody touched since are removed."""
    left = {}
    for name, written_at in written.items():
        path = Path(name)
        if path.parent != folder:
            left[name] = written_at
        elif name not in fresh and path.is_file() and path.stat().st_mtime_ns == written_at:
            path.unlink()
    return left


def _without_styles(folder: Path, maps: Iterable[Path]) -> None:
    """Remove what runs have put beside other files of these names: it does not tell how these are to look."""
    earlier = listed(folder)
    for path in maps:
        for beside in (path.with_suffix(STYLE), path.with_name(f"{path.name}{NAMES}")):
            if beside.name in earlier:
                beside.unlink(missing_ok=True)


def with_styles(trace: Trace, folder: Path, files: Iterable[Path]) -> Trace:
    """The trace of a run that has put styles beside its maps in a folder."""
    stamps = {str(path): path.stat().st_mtime_ns for path in files}
    own(trace, folder, [Path(path).name for path in (*trace.made, *stamps)])
    return replace(trace, written={**trace.written, **stamps})


def _staged(trace: Trace, folder: Path, notes: Sequence[str], cache: Cache | None) -> dict[str, Path]:
    """The files of all outputs by name: written into a folder, or of the user's own."""
    delivered: dict[str, Path] = {}
    values: dict[str, Any] = {}
    for name, artifact in trace.told.items():
        for called, (file_name, item) in files_of_output(name, artifact).items():
            delivered[called] = _put(item, folder / file_name, cache)
        if artifact.is_value:
            values[name] = told_of(name, artifact, trace)
        if artifact.type == "table" and artifact.value is not None:
            delivered[name] = folder / f"{name}.csv"
            write_table(artifact, delivered[name])
    if values:
        delivered["values"] = folder / _ANSWER
        understood = dict(trace.plan.understood.get("question") or {}).get("words")
        compared = dict(trace.plan.understood.get("variants") or {}).get("value")
        content = {
            "query": trace.plan.query,
            **({} if understood is None else {"understood": understood}),
            "run_id": trace.run_id,
            "values": values,
            **({"variants": plain(compared)} if compared else {}),
            "assumptions": [str(one) for one in trace.plan.assumptions],
            "notes": list(notes),
        }
        delivered["values"].write_text(json_text(content, indent=2), encoding="utf-8")
    return delivered


def files_of_output(name: str, artifact: Artifact) -> dict[str, tuple[str, Artifact]]:
    """The files that an output is delivered as, by what each is called among those of its run: its name, and what it
    is. A table that is a value has none."""
    files = list(_files(name, artifact))
    return {Path(file).stem if len(files) > 1 else name: (file, item) for file, item in files}


def _files(name: str, artifact: Artifact) -> Iterator[tuple[str, Artifact]]:
    several = artifact.type == "raster_series" or not (artifact.is_value or artifact.members)
    if several and len(artifact.items) == 1:
        yield from _files(name, artifact.items[0])
    elif several and artifact.items:
        seen: set[str] = set()
        for index, item in enumerate(artifact.items):
            key = str(item.fact("datetime") or index + 1)[:10]
            key = key if key not in seen else f"{key}_{index + 1}"
            seen.add(key)
            yield from _files(f"{name}_{key}", item)
    elif artifact.members:
        for band, member in artifact.members.items():
            yield from _files(f"{name}_{band}", member)
    elif artifact.path is not None:
        suffix = ".tif" if artifact.type == "raster" else Path(artifact.path).suffix
        yield f"{name}{suffix}", artifact


def _put(artifact: Artifact, destination: Path, cache: Cache | None) -> Path:
    """A result in a folder; or where it lies, if that is a file of the user's own which says all that is known of it.

    In the cache it is brought into the form that is handed over, once, and is then the same file under another name,
    as long as no other folder has it: a file that somebody writes to is found to be damaged there, and made again.
    """
    assert artifact.path is not None
    source, kept = Path(artifact.path), cache is not None and cache.key_of(artifact.path) is not None
    if artifact.type != "raster":
        if cache is not None and not kept:
            return source
        return Path(shutil.copyfile(source, destination))
    from knowflow.tools.raster.delivery import deliver_cog, is_cog, tells_all

    whole = tells_all(artifact)
    if cache is not None and not kept and whole:
        return source
    if cache is None or not kept or artifact.band is not None:
        deliver_cog(artifact, destination)
        return destination
    if not (whole and is_cog(artifact.path)):
        cache.reform(artifact.path, lambda path: deliver_cog(artifact, path))
    if source.stat().st_nlink == 1:
        with suppress(OSError):  # another disk, or one without links
            os.link(source, destination)
            return destination
    return Path(shutil.copyfile(source, destination))
