"""Named arrays with axes, as cubes hold them, wherever they lie: of Zarr stores, netCDF files, HDF5 files.

An address with ``#NAME`` behind it is one array of a cube.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.references import State
from knowflow.tools.remote.cube_array import Array, Place
from knowflow.tools.remote.ranges import Ranges
from knowflow.tools.remote.secrets import asked
from knowflow.tools.remote.vsi import state_of
from knowflow.tools.remote.zarr_store import state_of_store, store_of


def is_store(address: str) -> bool:
    """Whether an address is that of a Zarr store, and not of one file."""
    return address.casefold().endswith(".zarr")


def state_of_cube(address: str) -> State:
    """What tells the states of a cube apart.

    Raises:
        RemoteDataError: it cannot be had.
    """
    return state_of_store(address) if is_store(address) else asked(address, state_of)


def arrays_of(address: str, state: State) -> dict[str, Array]:
    """The arrays of a cube by name; "" is the cube itself, where it says anything.

    Raises:
        UnreadableDataError: it is no cube that can be read by its parts.
        RemoteDataError: it cannot be had. PlanningError: the library for it is not installed.
    """
    if is_store(address):
        return _of_zarr(address)
    ranges = Ranges(address, state)
    if ranges.read(0, 3) == b"CDF":
        from knowflow.tools.remote.netcdf3 import arrays_in

        return arrays_in(ranges)
    from knowflow.tools.remote.hdf5_file import arrays_in as in_hdf5

    return in_hdf5(ranges)


def _of_zarr(address: str) -> dict[str, Array]:
    store = store_of(address)
    import zarr

    try:
        group = zarr.open_group(store, mode="r")
        listed = dict(group.arrays())
    except (ValueError, KeyError, FileNotFoundError) as error:
        raise UnreadableDataError(
            "no Zarr store is there",
            where=address,
            expected="a group of arrays; on a web server, which cannot be listed, with consolidated metadata",
            found=str(error)[:300],
        ) from error
    found = {name: _zarr_array(name, array) for name, array in listed.items()}
    if "spatial_ref" not in found and group.attrs:
        found[""] = Array("", (), (), "", dict(group.attrs), None, (), lambda _: np.zeros(()))
    return found


def _zarr_array(name: str, array: Any) -> Array:
    said: dict[str, Any] = dict(array.attrs)
    axes = said.get("_ARRAY_DIMENSIONS") or getattr(array.metadata, "dimension_names", None) or ()
    fill: Any = said.get("_FillValue", said.get("missing_value"))
    if fill is None and array.metadata.zarr_format == 2:  # as xarray reads and writes it
        fill = array.fill_value
    if isinstance(fill, str):  # as xarray writes decimal ones in format 3
        fill = struct.unpack("<d", base64.b64decode(fill))[0]
    fill = None if fill is None else float(np.asarray(fill).ravel()[0])
    read: Callable[[Place], NDArray[Any]] = lambda place: np.asarray(array[place])  # noqa: E731
    return Array(name, tuple(map(str, axes)), array.shape, str(array.dtype), said, fill, array.chunks, read)
