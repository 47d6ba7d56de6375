"""Algorithms that change a file in place or write a folder, as tools: those read their inputs and write one new file.

What GDAL would change is copied first, and the copy is changed. What GDAL writes as a folder, or as files that belong
together, is delivered as one ZIP archive, which GDAL itself reads (``/vsizip/``).
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from knowflow.ground.errors import ToolError

ORIGINAL = "original"
"""The parameter that holds the raster of which a changed copy is made."""

Way = Literal["copy", "folder", "file"]


@dataclass(frozen=True, slots=True)
class FileWork:
    """How an algorithm that works on files gets its output.

    ``argument`` is GDAL's name of what is changed (``copy``) or written (``folder``, ``file``). ``whole``: the changed
    copy is delivered with everything that is in it, instead of its pixels alone. ``source`` is the argument whose file
    name the result keeps inside the folder. ``fixed`` are arguments that are always given.
    """

    argument: str
    way: Way
    whole: bool = False
    source: str | None = None
    fixed: Mapping[str, str] = field(default_factory=dict)


_ZARR = {"output-format": "Zarr"}
_ALSO_COG = {"open-option": "IGNORE_COG_LAYOUT_BREAK=YES"}  # a copy that is no cloud optimised file afterwards is fine
FILE_WORK: Mapping[tuple[str, ...], FileWork] = {
    ("raster", "edit"): FileWork("dataset", "copy", whole=True, fixed=_ALSO_COG),
    ("raster", "overview", "add"): FileWork("input", "copy", whole=True, fixed=_ALSO_COG),
    ("raster", "overview", "delete"): FileWork("dataset", "copy", whole=True, fixed=_ALSO_COG),
    ("raster", "overview", "refresh"): FileWork("dataset", "copy", whole=True, fixed=_ALSO_COG),
    ("raster", "update"): FileWork("output", "copy"),
    # processes of its own would need GDAL's command line, and could not be cancelled
    ("raster", "tile"): FileWork("output", "folder", fixed={"parallel-method": "thread"}),
    ("vector", "partition"): FileWork("output", "folder"),
    ("mdim", "convert"): FileWork("output", "folder", fixed=_ZARR),
    ("mdim", "mosaic"): FileWork("output", "folder", fixed=_ZARR),
    ("dataset", "copy"): FileWork("destination", "folder", source="source"),
    ("vsi", "copy"): FileWork("destination", "folder", source="source"),
    ("vsi", "sync"): FileWork("destination", "folder", source="source"),
    ("vsi", "sozip", "create"): FileWork("output", "file"),
    ("vsi", "sozip", "optimize"): FileWork("output", "file"),
}


def readable_path(text: str) -> str:
    """What GDAL opens for a file name: the archive's content where an archive is meant."""
    is_archive = text.lower().endswith(".zip") and not text.startswith("/vsi") and Path(text).is_file()
    return f"/vsizip/{Path(text).absolute()}" if is_archive else text


def destination(work: FileWork, scratch: Path, source: object) -> Path:
    """Where GDAL writes: the scratch itself, or inside it under the name of its source."""
    if work.source is None:
        return scratch
    scratch.mkdir()
    return scratch / (os.path.basename(str(source).rstrip("/")) or "content")


def deliver_archive(folder: Path, path: Path) -> None:
    """Everything in a folder as one ZIP archive, in the order of the names, so that equal folders are equal archives.

    Raises:
        ToolError: there is nothing in it.
    """
    files = [(file.relative_to(folder).as_posix(), file) for file in _files(folder)]
    if not files:
        raise ToolError("GDAL ended well, but wrote nothing", expected="files", found="an empty folder")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files:
            about = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            about.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as content, archive.open(about, "w", force_zip64=True) as entry:
                while chunk := content.read(1 << 20):
                    entry.write(chunk)


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())
