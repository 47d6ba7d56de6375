"""Room on the disk for what a run will write."""

from __future__ import annotations

import shutil
from pathlib import Path

from knowflow.ground.errors import NoSpaceError
from knowflow.service.results import Estimate

RESERVE_BYTES = 64 * 1024 * 1024


def require_space(home: Path, estimate: Estimate) -> None:
    """Refuse a run whose intermediate results will not fit, before it starts.

    Raises:
        NoSpaceError: with what is needed and what is free.
    """
    folder = home
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < estimate.disk_bytes + RESERVE_BYTES:
        raise NoSpaceError(
            "the results will not fit on the disk",
            where=str(home),
            expected=f"about {estimate.disk_bytes / 1e9:.2g} GB",
            found=f"{free / 1e9:.2g} GB free",
            hint="free some space, restrict the data (--aoi, --dates), or set KNOWFLOW_HOME to a larger disk",
        )
