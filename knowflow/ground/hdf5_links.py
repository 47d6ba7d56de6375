"""What an HDF5 file has others hold: links into other files, data kept outside, data put together of other files.

The library that reads HDF5 follows such names wherever they lead, and GDAL cannot tell it not to. So the same library
is asked first, link by link, without following any. https://support.hdfgroup.org/documentation/hdf5/latest/
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

_ID = ctypes.c_int64
_HARD, _SOFT = 0, 1
_GROUP, _DATASET = 2, 5  # H5I_GROUP, H5I_DATASET
_VIRTUAL = 3  # H5D_VIRTUAL
_BY_NAME, _INCREASING = 0, 0
_LONGEST = 1024  # bytes of a name
_MOST_LINKS, _DEEPEST = 100_000, 32  # a group may hold itself


class _Link(ctypes.Structure):
    """H5L_info2_t: kind of link, and what this module does not look at."""

    _fields_ = (("type", ctypes.c_int), ("rest", ctypes.c_byte * 60))


class _Group(ctypes.Structure):
    """H5G_info_t: how many links a group has, and what this module does not look at."""

    _fields_ = (("storage", ctypes.c_int), ("links", ctypes.c_uint64), ("rest", ctypes.c_byte * 16))


_PLACE = (_ID, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_uint64)
_SIGNATURES: tuple[tuple[str, Any, tuple[Any, ...]], ...] = (
    ("H5Eset_auto2", ctypes.c_int, (_ID, ctypes.c_void_p, ctypes.c_void_p)),
    ("H5Fopen", _ID, (ctypes.c_char_p, ctypes.c_uint, _ID)),
    ("H5Fclose", ctypes.c_int, (_ID,)),
    ("H5Gget_info", ctypes.c_int, (_ID, ctypes.c_void_p)),
    ("H5Lget_name_by_idx", ctypes.c_ssize_t, (*_PLACE, ctypes.c_char_p, ctypes.c_size_t, _ID)),
    ("H5Lget_info_by_idx2", ctypes.c_int, (*_PLACE, ctypes.c_void_p, _ID)),
    ("H5Oopen", _ID, (_ID, ctypes.c_char_p, _ID)),
    ("H5Oclose", ctypes.c_int, (_ID,)),
    ("H5Iget_type", ctypes.c_int, (_ID,)),
    ("H5Dget_create_plist", _ID, (_ID,)),
    ("H5Pget_layout", ctypes.c_int, (_ID,)),
    ("H5Pget_external_count", ctypes.c_int, (_ID,)),
    ("H5Pclose", ctypes.c_int, (_ID,)),
)


def held_elsewhere(path: str) -> str | None:
    """In words, the first part of an HDF5 file that others hold; None where it holds all of it, or is no HDF5 file.

    Where nobody can tell, for want of the library, that is said: the file may name any other.
    """
    library = _library()
    if library is None:
        return "HDF5, of which cannot be told here whether it has other files hold its data"
    status = Path(path).stat()
    return _looked_through(path, status.st_size, status.st_mtime_ns, status.st_ino)


@lru_cache(maxsize=1024)
def _looked_through(path: str, *state: int) -> str | None:
    library = _library()
    library.H5Eset_auto2(0, None, None)  # what fails is told by its result, not on the screen
    file = library.H5Fopen(path.encode(), 0, 0)
    if file < 0:
        return None  # damaged: what opens it says so
    try:
        found = next(_outside(library, file, count(1)), None)
    finally:
        library.H5Fclose(file)
    return f"HDF5 with {found}" if found else None


def _outside(library: Any, group: int, looked_at: Iterator[int], depth: int = 0) -> Iterator[str]:
    """What a group has other files hold. The library is asked for one link after the other: it would keep its lock
    while it calls back into Python, for whose own lock another thread may wait with this one."""
    about = _Group()
    library.H5Gget_info(group, ctypes.byref(about))
    for place in range(about.links):
        name = ctypes.create_string_buffer(_LONGEST)
        link = _Link()
        where = (group, b".", _BY_NAME, _INCREASING, place)
        length = library.H5Lget_name_by_idx(*where, name, _LONGEST, 0)
        if not 0 <= length < _LONGEST or library.H5Lget_info_by_idx2(*where, ctypes.byref(link), 0) < 0:
            yield "links that cannot be read"
        elif next(looked_at) > _MOST_LINKS or depth > _DEEPEST:
            yield "groups without an end"
        elif link.type == _HARD:
            yield from _part(library, group, name.value, looked_at, depth)
        elif link.type != _SOFT:
            yield f"a link of {name.value.decode('utf-8', 'replace')} to another file"


def _part(library: Any, group: int, name: bytes, looked_at: Iterator[int], depth: int) -> Iterator[str]:
    """What one object of a group, or what is below it, keeps in other files."""
    part, said = library.H5Oopen(group, name, 0), name.decode("utf-8", "replace")
    if part < 0:
        return
    try:
        kind = library.H5Iget_type(part)
        if kind == _GROUP:
            yield from _outside(library, part, looked_at, depth + 1)
        elif kind == _DATASET:
            properties = library.H5Dget_create_plist(part)
            virtual, outside = library.H5Pget_layout(properties) == _VIRTUAL, library.H5Pget_external_count(properties)
            library.H5Pclose(properties)
            if virtual:
                yield f"{said} put together of other files"
            elif outside:
                yield f"the data of {said} in another file"
    finally:
        library.H5Oclose(part)


@lru_cache(maxsize=1)
def _library() -> Any:
    """The library of HDF5 beside rasterio's GDAL, or that of the system, where threads may share it; else None."""
    import ctypes.util

    import rasterio

    place = Path(rasterio.__file__).parent
    folders = (place.with_name("rasterio.libs"), place / ".dylibs", Path(sys.prefix, "lib"))
    names = [str(file) for folder in folders for file in sorted(folder.glob("*hdf5*")) if "_" not in file.name]
    for name in (*names, ctypes.util.find_library("hdf5")):
        try:
            library = ctypes.CDLL(name)
            several = ctypes.c_bool()
            library.H5is_library_threadsafe(ctypes.byref(several))
        except (OSError, AttributeError):
            continue
        if several.value:
            return _declared(library)
    return None


def _declared(library: Any) -> Any:
    """The library with the signatures of what is called: its identifiers are numbers of 64 bits."""
    for name, result, arguments in _SIGNATURES:
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
