"""The library that reads and writes vector files, imported without the packages of tables whose versions it asks for.

pyogrio imports pandas, geopandas and pyarrow, where they are installed, to look at their versions: 0.3 s of processor
time, three times as much as all else that a vector costs. What is read here are arrays, which need none of them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

from knowflow.ground.delimited import delimited_rows
from knowflow.ground.places_of_rows import Places, named_places
from knowflow.ground.series_files import read_series
from knowflow.ground.table_endings import WORKBOOKS


class _Version(ModuleType):
    """A package of which the version is known; whoever asks for more is given the package itself."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__version__ = metadata.version(name)

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def versions_alone(*packages: str) -> Iterator[None]:
    """Within it, an import of a package that is installed and not yet imported gives its version, and no more."""
    for name in packages:
        if name not in sys.modules:
            try:
                sys.modules[name] = _Version(name)
            except metadata.PackageNotFoundError:
                continue
    try:
        yield
    finally:
        for name in packages:
            if isinstance(sys.modules.get(name), _Version):
                del sys.modules[name]


with versions_alone("geopandas", "pandas", "pyarrow"):
    from pyogrio import detect_write_driver, list_layers, set_gdal_config_options
    from pyogrio import read_info as _read_info
    from pyogrio.errors import DataLayerError, DataSourceError
    from pyogrio.raw import read as _read
    from pyogrio.raw import write

# a GeoPackage says when it was written; what is written again of the same is to be the same file
set_gdal_config_options({"OGR_CURRENT_DATE": "1970-01-01T00:00:00.000Z"})


def read(source: Any, **options: Any) -> Any:
    """As pyogrio's, of tables with columns of places as well, and without what GDAL warns of odd shapes on the way:
    a ring that it closes."""
    if (series := read_series(source)) is not None:
        columns = {name: _array(values) for name, values in series.columns.items()}
        return {"fields": np.array([*columns]), "crs": None}, None, None, [*columns.values()]
    with _opened(source) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            meta, *found = _read(file, **_of_table(file), **options)
        except ValueError:  # 31 February is no day: such a column is read as the text that it is
            if not _is_table(file):
                raise
            meta, *found = _read(file, **_of_table(file) | {"AUTODETECT_TYPE": "NO"}, **options)
            found[-1] = [_as_numbers(column) for column in found[-1]]
        return {**meta, "crs": meta["crs"] or _crs_of_table(file)}, *found


def read_info(source: Any, **options: Any) -> dict[str, Any]:
    """As pyogrio's, of tables with columns of places as well."""
    with _opened(source) as file:
        info = _read_info(file, **_of_table(file), **options)
        return {**info, "crs": info["crs"] or _crs_of_table(file)}


@contextmanager
def _opened(source: Any) -> Iterator[Any]:
    """A file as the library is given it: a workbook as the text of its table, of which the columns may be places."""
    path = Path(str(source))
    if path.suffix.casefold() not in WORKBOOKS:
        yield source
        return
    from knowflow.ground.workbooks import text_of

    with TemporaryDirectory(prefix="knowflow-") as folder:
        yield text_of(path, Path(folder))


def _as_numbers(column: Any) -> Any:
    """A column of texts as numbers, where all that it tells are."""
    told = [None if text in (None, "") else text for text in column.tolist()]
    try:
        return np.array(told, dtype=np.float64) if any(one is not None for one in told) else column
    except ValueError:
        return column


def _array(values: list[Any]) -> Any:
    """Texts as they are, numbers with none where nothing is told."""
    texts = any(isinstance(one, str) for one in values)
    return np.array(values, dtype=object if texts else np.float64)


def _is_table(source: Any) -> bool:
    return str(source).casefold().endswith(".csv")


def _of_table(source: Any) -> dict[str, str]:
    """What the driver of tables is told of the columns that are places."""
    if not _is_table(source):
        return {}
    found = _places(source)
    there = {} if found is None else {"X_POSSIBLE_NAMES": found.east, "Y_POSSIBLE_NAMES": found.north}
    return {**there, "AUTODETECT_TYPE": "YES", "KEEP_GEOM_COLUMNS": "NO"}


def _crs_of_table(source: Any) -> str | None:
    """The coordinate system that the columns of places of a table are called by."""
    found = _places(source) if _is_table(source) else None
    return None if found is None else found.crs


def _places(source: Any) -> Places | None:
    header = next(delimited_rows(Path(str(source))), [])
    return named_places(name for name in header if "," not in name)


__all__ = [
    "DataLayerError",
    "DataSourceError",
    "detect_write_driver",
    "list_layers",
    "read",
    "read_info",
    "versions_alone",
    "write",
]
