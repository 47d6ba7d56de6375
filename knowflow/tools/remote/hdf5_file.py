"""HDF5 files, and netCDF of version 4, by their parts: what h5py reads of them through small requests.

Axes are those of netCDF: dimension scales. A file that puts its data into other files is not read: what it names would
be opened on this machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import PlanningError
from knowflow.tools.remote.cube_array import Array, Place
from knowflow.tools.remote.netcdf3 import broken
from knowflow.tools.remote.ranges import RangeFile, Ranges
from knowflow.tools.remote.zarr_store import INSTALL

_OF_THE_FORMAT = frozenset(
    {"CLASS", "NAME", "REFERENCE_LIST", "DIMENSION_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_NCProperties"}
)


def arrays_in(ranges: Ranges) -> dict[str, Array]:
    """The variables of the upmost group by name; those that hold no numbers are left out.

    Raises:
        UnreadableDataError: it is no such file, or has groups, or its data elsewhere.
        RemoteDataError: it cannot be had. PlanningError: the library for it is not installed.
    """
    try:
        import h5py
    except ImportError as error:
        raise PlanningError(
            "the parts of an HDF5 file cannot be read here",
            expected="the library for it",
            found="not installed",
            hint=INSTALL,
        ) from error
    try:
        file = h5py.File(RangeFile(ranges), "r")
        found = {"": Array("", (), (), "", _said(file.attrs), None, (), lambda _: np.zeros(()))}
        for name in file:
            kind = file.get(name, getlink=True)
            one = file[name] if isinstance(kind, h5py.HardLink) else None
            if not isinstance(one, h5py.Dataset) or one.is_virtual or one.external:
                raise broken(ranges.address, f"{name} is no variable of this file")
            if one.dtype.kind in "iuf":
                found[name] = _array(ranges, name, one)
    except (OSError, ValueError, KeyError, RuntimeError, TypeError) as error:
        raise ranges.error or broken(ranges.address, str(error)[:300]) from error
    return found


def _array(ranges: Ranges, name: str, dataset: Any) -> Array:
    said = _said(dataset.attrs)
    axes = tuple(_axis(dataset, number) for number in range(dataset.ndim))
    if "_Unsigned" in said:
        raise broken(ranges.address, f"numbers of {name} that are to be taken for others")
    fill = said.get("_FillValue", said.get("missing_value", _stated_fill(dataset)))
    number = None if fill is None or isinstance(fill, str) else float(np.ravel(fill)[0])
    chunks = dataset.chunks or (*(1 for _ in dataset.shape[:-1]), *dataset.shape[-1:])

    def read(place: Place) -> NDArray[Any]:
        try:
            found: NDArray[Any] = np.asarray(dataset[place])
        except (OSError, RuntimeError) as error:
            raise ranges.error or broken(ranges.address, str(error)[:300]) from error
        return found

    return Array(name, axes, dataset.shape, dataset.dtype.newbyteorder("=").name, said, number, chunks, read)


def _stated_fill(dataset: Any) -> Any:
    """What stands where nothing was written, where whoever made the file chose it, as netCDF does."""
    from h5py import h5d

    return (
        dataset.fillvalue if dataset.id.get_create_plist().fill_value_defined() == h5d.FILL_VALUE_USER_DEFINED else None
    )


def _axis(dataset: Any, number: int) -> str:
    """The name of an axis: that of its scale; of a scale itself its own."""
    scales = dataset.dims[number]
    if len(scales):
        return str(scales[0].name).rpartition("/")[2]
    return str(dataset.name).rpartition("/")[2] if dataset.is_scale and dataset.ndim == 1 else f"axis_{number}"


def _said(attributes: Any) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for key in attributes:
        if key in _OF_THE_FORMAT:
            continue
        value = attributes[key]
        found[key] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return found
