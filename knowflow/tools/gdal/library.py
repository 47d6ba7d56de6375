"""The GDAL library whose algorithms become tools: found, loaded and told where its own data are.

Nothing is installed for it. Python extensions that are linked against GDAL already bring one: ``osgeo`` where somebody
installed it, else the wheel of pyogrio. Symbols are looked up through such an extension, which reaches the very
library it is linked against, under whatever name. rasterio's GDAL is another one and stays untouched: data folders are
set on this library, never in the environment.
"""

from __future__ import annotations

import ctypes
import importlib.util
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from knowflow.ground.errors import ToolError

MINIMUM_VERSION = (3, 11, 0)
INSTALL_HINT = "install pyogrio from its wheel (pip install 'pyogrio==0.13.0'), or osgeo's gdal 3.11 or newer"

Handle = ctypes.c_void_p
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_char_p, ctypes.c_void_p)
ERROR_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int, ctypes.c_char_p)

_Text, _Bool, _Int, _Names = ctypes.c_char_p, ctypes.c_bool, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p)
_Reals, _Integers = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int)
# name -> (result, arguments), as declared in gdal.h, cpl_error.h, cpl_conv.h, cpl_string.h, ogr_srs_api.h and
# gdalalgorithm_c.h. Text that the caller owns is returned as a plain address, so that it can be freed.
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "GDALAllRegister": (None, []),
    "GDALVersionInfo": (_Text, [_Text]),
    "CPLSetConfigOption": (None, [_Text, _Text]),
    "CPLSetThreadLocalConfigOption": (None, [_Text, _Text]),
    "CPLSetErrorHandler": (Handle, [Handle]),
    "CPLPushErrorHandler": (None, [ERROR_HANDLER]),
    "CPLPopErrorHandler": (None, []),
    "CSLDestroy": (None, [Handle]),
    "VSIFree": (None, [Handle]),
    "OSRSetPROJSearchPaths": (None, [_Names]),
    "GDALGetGlobalAlgorithmRegistry": (Handle, []),
    "GDALAlgorithmRegistryRelease": (None, [Handle]),
    "GDALAlgorithmRegistryGetAlgNames": (Handle, [Handle]),
    "GDALAlgorithmRegistryInstantiateAlg": (Handle, [Handle, _Text]),
    "GDALAlgorithmGetSubAlgorithmNames": (Handle, [Handle]),
    "GDALAlgorithmInstantiateSubAlgorithm": (Handle, [Handle, _Text]),
    "GDALAlgorithmGetUsageAsJSON": (Handle, [Handle]),
    "GDALAlgorithmRun": (_Bool, [Handle, PROGRESS, Handle]),
    "GDALAlgorithmFinalize": (_Bool, [Handle]),
    "GDALAlgorithmRelease": (None, [Handle]),
    "GDALAlgorithmGetArg": (Handle, [Handle, _Text]),
    "GDALAlgorithmArgRelease": (None, [Handle]),
    "GDALAlgorithmArgGetAsString": (_Text, [Handle]),
    "GDALAlgorithmArgSetAsBoolean": (_Bool, [Handle, _Bool]),
    "GDALAlgorithmArgSetAsString": (_Bool, [Handle, _Text]),
    "GDALAlgorithmArgSetAsInteger": (_Bool, [Handle, _Int]),
    "GDALAlgorithmArgSetAsDouble": (_Bool, [Handle, ctypes.c_double]),
    "GDALAlgorithmArgSetAsStringList": (_Bool, [Handle, _Names]),
    "GDALAlgorithmArgSetAsIntegerList": (_Bool, [Handle, ctypes.c_size_t, _Integers]),
    "GDALAlgorithmArgSetAsDoubleList": (_Bool, [Handle, ctypes.c_size_t, _Reals]),
    "GDALAlgorithmArgSetDatasetNames": (_Bool, [Handle, _Names]),
}
_CACHE_MB = b"128"
_loading = threading.Lock()


@dataclass(frozen=True, slots=True)
class Library:
    """A loaded GDAL: its functions, its version and the package that brought it."""

    functions: Any
    version: tuple[int, int, int]
    origin: str

    @property
    def version_text(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True, slots=True)
class Candidate:
    """An extension module that is linked against GDAL, and the data folders its package ships for it."""

    package: str
    extension: Path
    gdal_data: Path | None = None
    proj_data: Path | None = None


def library() -> Library:
    """The GDAL in use, loaded once per process.

    Raises:
        ToolError: no GDAL with an algorithm registry is installed; ``found`` says what was looked at.
    """
    with _loading:
        return _load()


def candidates() -> Iterator[Candidate]:
    """Extensions linked against a GDAL, best first: ``osgeo``, then pyogrio."""
    for package, stem in (("osgeo", "_gdal"), ("pyogrio", "_ogr")):
        spec = importlib.util.find_spec(package)
        for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
            found = [folder / f"{stem}{suffix}" for suffix in EXTENSION_SUFFIXES]
            extension = next((path for path in found if path.is_file()), None)
            if extension is not None:
                yield Candidate(package, extension, *(_folder(folder / name) for name in ("gdal_data", "proj_data")))


def names(pointer: int | None, functions: Any) -> tuple[str, ...]:
    """A list of strings that GDAL handed over, which is freed."""
    if not pointer:
        return ()
    listed = ctypes.cast(pointer, _Names)
    texts: list[str] = []
    while (text := listed[len(texts)]) is not None:
        texts.append(text.decode())
    functions.CSLDestroy(pointer)
    return tuple(texts)


def c_names(texts: list[str]) -> Any:
    """Strings as C wants them: an array of pointers that ends with null."""
    return (ctypes.c_char_p * (len(texts) + 1))(*(text.encode() for text in texts), None)


@lru_cache(maxsize=1)
def _load() -> Library:
    looked_at: list[str] = []
    for candidate in candidates():
        try:
            return open_library(candidate)
        except (OSError, AttributeError) as error:
            looked_at.append(f"{candidate.package}: {error}")
        except ToolError as error:
            looked_at.append(f"{candidate.package}: {error.found}")
    raise ToolError(
        "no GDAL with an algorithm registry is installed",
        expected=f"GDAL {'.'.join(map(str, MINIMUM_VERSION))} or newer, from osgeo or from pyogrio's wheel",
        found="; ".join(looked_at) or "neither osgeo nor pyogrio",
        hint=INSTALL_HINT,
    )


def open_library(candidate: Candidate) -> Library:
    """Load the GDAL behind one extension and register its drivers.

    Raises:
        OSError: the extension or what it is linked against does not load.
        AttributeError: it reaches no GDAL, or one without the algorithm API.
        ToolError: its version is too old.
    """
    functions = ctypes.CDLL(str(candidate.extension))
    functions.GDALVersionInfo.restype, functions.GDALVersionInfo.argtypes = _Text, [_Text]
    number = int(functions.GDALVersionInfo(b"VERSION_NUM"))
    version = (number // 1_000_000, number // 10_000 % 100, number // 100 % 100)
    if version < MINIMUM_VERSION:
        raise ToolError("this GDAL is too old", found=f"GDAL {'.'.join(map(str, version))}", hint=INSTALL_HINT)
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    if candidate.gdal_data is not None:
        functions.CPLSetConfigOption(b"GDAL_DATA", str(candidate.gdal_data).encode())
    if candidate.proj_data is not None:
        functions.OSRSetPROJSearchPaths(c_names([str(candidate.proj_data)]))
        # nobody else sees this library: what its own threads report must not land on our standard error
        functions.CPLSetErrorHandler(ctypes.cast(functions.CPLQuietErrorHandler, Handle))
        # its default, a share of all memory, is not ours to take: the processes of several nodes run at once
        functions.CPLSetConfigOption(b"GDAL_CACHEMAX", _CACHE_MB)
    functions.GDALAllRegister()
    return Library(functions, version, candidate.package)


def _folder(path: Path) -> Path | None:
    return path if path.is_dir() else None
