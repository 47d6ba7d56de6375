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
from types import ModuleType
from typing import Any


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
    from pyogrio import detect_write_driver, list_layers, read_info, set_gdal_config_options
    from pyogrio.errors import DataLayerError, DataSourceError
    from pyogrio.raw import read as _read
    from pyogrio.raw import write

# a GeoPackage says when it was written; what is written again of the same is to be the same file
set_gdal_config_options({"OGR_CURRENT_DATE": "1970-01-01T00:00:00.000Z"})


def read(*given: Any, **options: Any) -> Any:
    """As pyogrio's, without what GDAL warns of odd shapes on the way, such as a ring that it closes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return _read(*given, **options)


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
