"""Which software made a result."""

from __future__ import annotations

import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version

from knowflow import __version__

_LIBRARIES = ("numpy", "scipy", "rasterio", "pyogrio", "pyproj", "spyndex")


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Versions by name: KnowFlow, Python, and the libraries that decide numbers, where installed."""
    found = {"knowflow": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
