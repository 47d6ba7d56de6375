"""CRS definitions of files in the one spelling that facts use."""

from __future__ import annotations

import os
from functools import lru_cache

from knowflow.ground.errors import KnowFlowError
from knowflow.model import geo

_TELL_WHERE = ("PROJ_DATA", "PROJ_LIB")


class NoCoordinateSystemsError(KnowFlowError):
    """GDAL does not find the database of coordinate systems that goes with it."""

    code = "no_coordinate_systems"


@lru_cache(maxsize=1)
def require_coordinate_systems() -> None:
    """Go on only where GDAL finds coordinate systems: variables of another installation may hide its own.

    Raises:
        NoCoordinateSystemsError: it does not.
    """
    import rasterio
    from rasterio.errors import CRSError

    try:
        with rasterio.Env():  # without it GDAL itself writes on standard error as well
            rasterio.CRS.from_epsg(32633)
    except CRSError as error:
        said = [f"{name}={os.environ[name]}" for name in _TELL_WHERE if name in os.environ]
        raise NoCoordinateSystemsError(
            "coordinate systems cannot be looked up",
            where=", ".join(said) or None,
            expected="the database of PROJ that rasterio was made with",
            found=str(error),
            hint=f"unset {' and '.join(_TELL_WHERE)}: the packages bring their own"
            if said
            else "reinstall KnowFlow in a new environment",
        ) from error


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
