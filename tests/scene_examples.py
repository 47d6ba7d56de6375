"""Pixels of files, for tests of what is generated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rasterio


def read(path: Path) -> Any:
    """The first band, as stored."""
    with rasterio.open(path) as file:
        return file.read(1)
