"""CRS definitions of files in the one spelling that facts use."""

from __future__ import annotations

from functools import lru_cache

from knowflow.model import geo


@lru_cache(maxsize=256)
def canonical_or_none(definition: str) -> str | None:
    """The canonical spelling of a definition; None where PROJ does not understand it, which is to say: unknown."""
    from pyproj.exceptions import CRSError

    try:
        return geo.canonical_crs(definition)
    except CRSError:
        return None
