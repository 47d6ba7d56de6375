"""CRS definitions of files in the one spelling that facts use."""

from __future__ import annotations

from functools import lru_cache

from knowflow.model import geo


@lru_cache(maxsize=256)
def canonical_or_none(definition: str) -> str | None:
    """The canonical spelling of a definition; None where it is unknown: where PROJ does not understand it, or it is one
    of a building site or an image, which nobody can place on Earth."""
    from pyproj.exceptions import CRSError

    try:
        located = geo.crs_of(definition).geodetic_crs is not None
        return geo.canonical_crs(definition) if located else None
    except CRSError:
        return None
