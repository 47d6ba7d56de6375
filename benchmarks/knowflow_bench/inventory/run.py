"""Sets of labelled folders made, read, and judged: each under its published names and as people rename them."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from knowflow.ground.errors import KnowFlowError
from knowflow.service.api import Service
from knowflow_bench.inventory.documents import labelled_folders
from knowflow_bench.inventory.labelled_folder import LabelledFolder
from knowflow_bench.inventory.questions import asked_of, report
from knowflow_bench.inventory.score import JudgedFile, Seen, Tally, judged, seen_in
from knowflow_bench.inventory.written import write_folder

NAMES = ("published", "renamed")


def inventory(sets: Sequence[Path] = (), keep: Path | None = None, questions: bool = False) -> dict[str, Any]:
    """Judge what the inventory finds in the folders of these sets, or of the sets at hand.

    The folders are made in a temporary place, which is also where state is kept: nothing is written elsewhere. With
    ``keep`` they are made there, and stay.

    Returns ``{"sets", "folders", "files", "right", "wrong", "unknown", "left_out_silently", "candidates_right",
    "facts", "names": {"published": {...}, "renamed": {...}}, "by_folder", "cases", "seconds"}``: ``sets`` has the
    digest of each set, ``cases`` are the files that are not right, with what was expected and found. With
    ``questions`` those of the folders are asked, too, and ``"questions"`` tells what ``questions.report`` does.

    Raises:
        DocumentError: a set is not valid, or a file cannot be made as it says.
    """
    begun = time.perf_counter()
    loaded = labelled_folders(sets)
    folders = [folder for found in loaded.values() for folder in found]
    with tempfile.TemporaryDirectory(prefix="knowflow-inventory-") as spare:
        place = Path(spare) if keep is None else keep
        with patch.dict(os.environ, {"KNOWFLOW_HOME": str(Path(spare) / "state")}):
            files = [one for folder in folders for one in _of_folder(folder, place)]
            spots = [(folder, Path(spare) / "asked" / folder.folder) for folder in folders if questions]
            asked = [one for folder, spot in spots for one in asked_of(folder, spot)]
    return {
        "sets": {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in loaded},
        "folders": len(folders),
        **_tally(files).to_json(),
        "names": {names: _tally([one for one in files if one.names == names]).to_json() for names in NAMES},
        "by_folder": _by_folder(files),
        "cases": [one.to_json() for one in files if one.outcome != "right" or one.apart],
        **({"questions": report(asked)} if questions else {}),
        "seconds": round(time.perf_counter() - begun, 1),
    }


def _of_folder(folder: LabelledFolder, place: Path) -> Iterator[JudgedFile]:
    for number in range(folder.renamings + 1):
        root = write_folder(folder, place / folder.folder / str(number), number)
        yield from judged(folder, number, _seen(folder, root))


def _seen(folder: LabelledFolder, root: Path) -> Seen:
    """What `knowflow data` sees of a folder; of one that it refuses every file is told, with the reason."""
    try:
        return seen_in(Service().inventory(root, assume=folder.assume))
    except KnowFlowError as error:
        every = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
        return Seen({}, dict.fromkeys(every, f"{error.message}: {error.found or ''}"), {})


def _tally(files: Sequence[JudgedFile]) -> Tally:
    tally = Tally()
    for one in files:
        tally.add(one)
    return tally


def _by_folder(files: Sequence[JudgedFile]) -> Mapping[str, Any]:
    return {
        name: {names: _tally([one for one in some if one.names == names]).to_json() for names in NAMES}
        for name in dict.fromkeys(one.folder for one in files)
        if (some := [one for one in files if one.folder == name])
    }
