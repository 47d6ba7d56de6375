"""Files of NetCDF whose variables lie along time alone: the series of one station, as columns of a table."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowflow.ground.cubes import signed_as_hdf5
from knowflow.ground.moments import moment

SUFFIXES = frozenset({".nc", ".nc4", ".cdf"})
TIME = "time"
"""What the column of times is called."""
_UNITS = re.compile(r"(.+)_units")
_NAMES = ("long_name", "standard_name")
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Series:
    """Moments, and numbers at each of them by the name of their variable, with the unit and the name of each as the
    file tells them."""

    columns: Mapping[str, list[Any]]
    units: Mapping[str, str]
    called: Mapping[str, str]


def read_series(path: str | Path) -> Series | None:
    """The series that a file holds; None of any other file, or of one that cannot be read."""
    file = Path(path)
    if file.suffix.casefold() not in SUFFIXES or not file.is_file():
        return None
    return _read(str(file), file.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _read(path: str, _: int) -> Series | None:
    import rasterio
    from rasterio.errors import NotGeoreferencedWarning, RasterioError

    with open(path, "rb") as stream:
        if not signed_as_hdf5(stream.read(_HEAD)):
            return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            with rasterio.open(path, driver="HDF5") as whole:
                if whole.subdatasets:  # what lies along more than one
                    return None
                names = [match[1] for key in whole.tags() if (match := _UNITS.fullmatch(key))]
            found = {name: _variable(path, name) for name in names}
    except (RasterioError, ValueError):
        return None
    times = {name: told for name, (values, tags) in found.items() if (told := _moments(values, name, tags)) is not None}
    if len(times) != 1:
        return None
    ((along, moments),) = times.items()
    kept = {name: one for name, one in found.items() if name != along and len(one[0]) == len(moments)}
    if not kept:
        return None
    columns = {TIME: moments} | {name: values for name, (values, _) in kept.items()}
    called = {
        name: next((str(tags[f"{name}#{key}"]) for key in _NAMES if f"{name}#{key}" in tags), name)
        for name, (_, tags) in kept.items()
    }
    return Series(columns, {name: str(tags.get(f"{name}#units", "")) for name, (_, tags) in kept.items()}, called)


def _variable(path: str, name: str) -> tuple[list[Any], Mapping[str, str]]:
    """The numbers of a variable, None where it says nothing, and its attributes."""
    import rasterio

    with rasterio.open(f'NETCDF:"{path}":{name}') as one:
        if one.count != 1 or one.height != 1:
            raise ValueError(name)
        scale, offset = one.scales[0], one.offsets[0]
        read = one.read(1, masked=True)[0]
        values = [None if value is None or value != value else value * scale + offset for value in read.tolist()]
        return values, one.tags()


def _moments(values: list[Any], name: str, tags: Mapping[str, str]) -> list[str] | None:
    """Numbers as moments, where their unit says that they are."""
    units, calendar = str(tags.get(f"{name}#units", "")), str(tags.get(f"{name}#calendar", ""))
    if " since " not in units:
        return None
    told = [None if one is None else moment(str(one), units, calendar) for one in values]
    return None if None in told else [str(one) for one in told]
