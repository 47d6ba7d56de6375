"""The files that a run delivered, in the folder of an export: they are there already, or copied."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from knowflow.execution.content import file_digest
from knowflow.ground.errors import OutputError
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.service.deliver import files_of_output

MEDIA_TYPES = {
    ".tif": "image/tiff; application=geotiff; profile=cloud-optimized",
    ".gpkg": "application/geopackage+sqlite3",
    ".geojson": "application/geo+json",
    ".csv": "text/csv",
    ".json": "application/json",
    ".html": "text/html",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class Placed:
    """A delivered file: what it is called among the results, the outputs that are in it, what it is, where it lies now
    and its SHA-256."""

    name: str
    outputs: tuple[str, ...]
    artifact: Artifact | None
    path: Path
    digest: str

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES.get(self.path.suffix.lower(), "application/octet-stream")


def placed(trace: Trace, out: Path) -> tuple[Placed, ...]:
    """The delivered files of a run in a folder, where they are copied to unless they are there.

    Raises:
        OutputError: one is gone, or is not what was delivered any more.
    """
    return tuple(_placed(trace, out))


def _placed(trace: Trace, out: Path) -> Iterator[Placed]:
    told = {
        called: ((name,), item)
        for name, artifact in trace.told.items()
        for called, (_, item) in files_of_output(name, artifact).items()
    }
    values = tuple(name for name, one in trace.outputs.items() if one.is_value)
    for name, where in trace.delivered.items():
        source = Path(where)
        outputs, artifact = told.get(name, (values if source.suffix == ".json" else (name,), None))
        if not source.is_file():
            raise _changed(trace, source, "nothing")
        digest = file_digest(source)
        if trace.made.get(where, digest) != digest:
            raise _changed(trace, source, "another content")
        called = source.name if where in trace.written else f"{name}{source.suffix}"
        target = source if source.parent == out.absolute() else out / called
        if target is not source:
            shutil.copyfile(source, target)
        yield Placed(name, outputs, artifact, target, digest)


def _changed(trace: Trace, file: Path, found: str) -> OutputError:
    return OutputError(
        "a result is not what the run delivered any more",
        where=str(file),
        expected="the file as it was delivered",
        found=found,
        hint=f"`knowflow runs resume {trace.run_id}` delivers it again",
    )
