"""A closer look at files after a failure: whether they can be read, what their pixels hold, how much room there is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts
from knowflow.reason.repair.examination import FileTrouble
from knowflow.reason.repair.failures import cause_of_file
from knowflow.reason.repair.masks import is_mask
from knowflow.reason.repair.samples import Counts, Sample, sample_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from knowflow.tools.raster import Block

_SCARCE = 16 << 20  # bytes that are left on a disk that counts as full
_WHOLE = 1 << 22  # pixels up to which a raster is looked at from edge to edge
_KEPT = 1 << 20  # pixels beyond which every second row and column is enough


def sampled(raster: Artifact) -> Sample:
    """Values of a raster from all over it; of a large one from windows spread over it, of a large mask all the numbers
    that occur: what is marked may be a single pond.

    Raises ``UnreadableDataError`` where it cannot be read.
    """
    from knowflow.tools.raster import looked_at, sample_windows

    rows, columns = raster.fact("shape") or (0, 0)
    large = not 0 < rows * columns <= _WHOLE
    windows = list(looked_at(raster) if large else sample_windows(raster, blocks=64))
    step = 1 if sum(window.size for window in windows) <= _KEPT else 2
    if large and is_mask(raster):
        windows += _rare_numbers(raster)
    return sample_of([window[::step, ::step] if window.shape[0] > 1 else window for window in windows])


def counted(raster: Artifact) -> Sample:
    """As :func:`sampled`, without the places of the values: numbers of 8 and 16 bits are counted as they are stored,
    in a tenth of the time. Nor is it known whether whole lines are missing."""
    import numpy as np

    from knowflow.tools.raster import stored_looks

    rows, columns = raster.fact("shape") or (0, 0)
    large = not 0 < rows * columns <= _WHOLE
    source, looks = stored_looks(raster, 16 if large else 64)
    stored_as = np.dtype(source.dtype)
    if stored_as.kind not in "iu" or stored_as.itemsize > 2:
        return sampled(raster)
    places = np.dtype(f"u{stored_as.itemsize}")
    step = 1 if sum(stored.size for stored, _ in looks) <= _KEPT else 2
    pixels, tally = 0, np.zeros(1 << 8 * places.itemsize, dtype=np.int64)
    for stored, mask in looks:
        gone = source.missing(stored, mask)
        apart = (slice(None), slice(None, None, step), slice(None, None, step)) if stored.shape[1] > 1 else ()
        kept = stored[apart]
        pixels += kept.size
        kept = kept if gone is None else kept[~gone[apart]]
        tally += np.bincount(kept.astype(stored_as, copy=False).view(places).ravel(), minlength=tally.size)
    held = np.flatnonzero(tally)
    numbers = source.physical(held.astype(places).view(stored_as), None, finite=False).astype(np.float64)
    rare = np.concatenate([np.zeros((1, 0)), *(_rare_numbers(raster) if large and is_mask(raster) else ())], axis=1)[0]
    every, which = np.unique(np.concatenate((numbers, rare)), return_inverse=True)
    counts = np.bincount(which, np.concatenate((tally[held], np.ones(rare.size))), every.size).astype(np.int64)
    return Sample(pixels + rare.size, 0, counted=Counts(every, counts))


def _rare_numbers(mask: Artifact) -> list[NDArray[np.float32]]:
    """Every number other than 0 and 1 that occurs anywhere in a mask, once, in one row; nothing where there is none."""
    import numpy as np

    from knowflow.tools.raster import reduce_blocks

    def kernel(block: Block) -> frozenset[float]:
        stored, source = block.raw("raster"), block.source("raster")
        if stored.dtype == np.uint8 and stored.max() <= 1 and (source.scale, source.offset) == (1.0, 0.0):
            return frozenset()  # as masks mostly are
        values = block.with_infinite("raster")
        other = values[(values != 0) & (values != 1) & np.isfinite(values)]
        return frozenset(np.unique(other).tolist()) if other.size else frozenset()

    nothing: frozenset[float] = frozenset()
    found = reduce_blocks(kernel, {"raster": mask}, nothing, lambda a, b: a | b)
    return [np.array([sorted(found)], dtype=np.float32)] if found else []


class FileProbe:
    """Looks at files for a diagnosis. Never raises: what cannot be looked at is not known."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def facts(self, raster: Artifact) -> Facts:
        """The pixel facts of a raster, measured on windows spread over it; none where it cannot be read."""
        from knowflow.execution.conditions import sampled_facts

        try:
            return sampled_facts(raster)
        except (KnowFlowError, OSError, ValueError):
            return Facts()

    def sample(self, raster: Artifact) -> Sample | None:
        """Values of a raster from all over it; None where it cannot be read."""
        try:
            return sampled(raster)
        except (KnowFlowError, OSError, ValueError):
            return None

    def trouble(self, artifact: Artifact) -> FileTrouble | None:
        """Why the file of an artifact cannot be used, or None where it can be read to its end."""
        if artifact.path is None:
            return None
        path = Path(artifact.path)
        try:
            exists = path.exists()
        except OSError as error:
            return FileTrouble("permission_denied", error.strerror or str(error))
        if not exists:
            return FileTrouble("file_missing", "nothing there")
        if not os.access(path, os.R_OK):
            return FileTrouble("permission_denied", "it may not be read")
        if path.is_file() and path.stat().st_size == 0:
            return FileTrouble("file_truncated", "it is empty")
        return self._damage(artifact) if artifact.type == "raster" else None

    def _damage(self, raster: Artifact) -> FileTrouble | None:
        from knowflow.tools.raster import read_stored, sample_windows

        try:
            shape = raster.fact("shape")
            if shape is not None and shape[0] * shape[1] <= 1 << 24:
                read_stored(raster)
            else:
                for _ in sample_windows(raster, blocks=64):
                    pass
        except OSError as error:
            return FileTrouble("file_truncated", error.strerror or str(error))
        except KnowFlowError as error:
            if error.code in ("unreadable_data", "data_not_found"):
                return FileTrouble(cause_of_file(error.message), error.found or error.message)
        return None

    def free_space(self) -> int | None:
        """Bytes that are free where results are kept; None where the system does not tell."""
        try:
            return shutil.disk_usage(self._home).free
        except OSError:
            return None

    def full(self) -> bool:
        free = self.free_space()
        return free is not None and free < _SCARCE
