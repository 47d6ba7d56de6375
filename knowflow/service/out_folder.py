"""The folder that results go to: of one run at a time, and of which run it is.

``.knowflow-run`` in it says whose results are there. The run that is going to deliver holds a lock on that file, which
the operating system releases when its process ends, however it ends.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.json_text import json_value
from knowflow.ground.locks import try_lock
from knowflow.model.trace import Trace

OWNER = ".knowflow-run"
_FOR_ALL = 0o666
_MOST_NAMED = 4


class OutputInUseError(KnowFlowError):
    """Another run that has not ended is going to deliver into this folder."""

    code = "output_in_use"


@contextmanager
def taken(folder: Path) -> Iterator[None]:
    """The sole use of a folder that exists, for a run that delivers into it.

    On a file system that knows no locks nobody is kept out.

    Raises:
        OutputInUseError: a run that has not ended has it, in this process or another.
    """
    place = folder / OWNER
    try:
        handle = try_lock(place, _FOR_ALL)
    except OSError:
        yield
        return
    if handle is None:
        raise _in_use(folder, _read(place))
    try:
        _write(place, {**_read(place), "pid": os.getpid(), "since": time.time()})
        yield
    finally:
        held = {name: said for name, said in _read(place).items() if name not in ("pid", "since")}
        if held:
            _write(place, held)
        else:  # nothing was delivered, now or before
            with suppress(OSError):
                place.unlink()
        os.close(handle)


def own(trace: Trace, folder: Path, files: Collection[str]) -> None:
    """Note that a folder holds the results of a run, and which files they are."""
    place = folder / OWNER
    held = _read(place)
    others = held.get("others", []) if held.get("run_id") == trace.run_id else _left(held)
    mine = {"run_id": trace.run_id, "query": trace.plan.query, "files": sorted(files)}
    _write(place, {**held, **mine, "others": [name for name in others if name not in mine["files"]]})


def listed(folder: Path) -> frozenset[str]:
    """The files in a folder that runs have put there."""
    return frozenset(_left(_read(folder / OWNER)))


def mixed(trace: Trace, folder: Path) -> Iterator[str]:
    """That results of other questions are in a folder where a run is about to deliver its own."""
    held = _read(folder / OWNER)
    left = [name for name in _left(held) if (folder / name).is_file()]
    if not left or held.get("run_id") == trace.run_id or held.get("query") == trace.plan.query:
        return
    named = ", ".join(left[:_MOST_NAMED]) + (f" and {len(left) - _MOST_NAMED} more" if left[_MOST_NAMED:] else "")
    whose = f"run {held.get('run_id')}, {held.get('query')!r}"
    yield (
        f"{folder} held the results of {whose} ({named}): files of the same name were replaced, others are still there;"
        " --out DIR keeps questions apart"
    )


def _left(held: dict[str, Any]) -> list[str]:
    """The files in a folder that runs before the next one have put there."""
    return sorted({*held.get("files", ()), *held.get("others", ())})


def _read(place: Path) -> dict[str, Any]:
    try:
        held = json_value(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}


def _write(place: Path, held: dict[str, Any]) -> None:
    """In its place: another file under the name would be another lock."""
    try:
        place.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8", errors="replace")
    except OSError:  # who comes next is not told of it
        return


def _in_use(folder: Path, held: dict[str, Any]) -> OutputInUseError:
    since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(held["since"])) if "since" in held else "some time"
    return OutputInUseError(
        "another run is going to put its results there",
        where=str(folder),
        expected="a folder for the results of one run",
        found=f"process {held.get('pid', 'unknown')} has it since {since}",
        hint="wait until it has ended, or choose another folder: --out DIR",
    )
