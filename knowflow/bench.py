"""The door to the benches, which a checkout has beside the package and an installation has not.

``from knowflow.bench import tao, Call, param_bound``: the metrics of planning and of tasks, for programs.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from knowflow.ground.errors import DataNotFoundError
from knowflow.ground.resources import packaged_root

PACKAGE = "knowflow_bench"


def folder() -> Path:
    """Where the benches are: in this package's own checkout, never in the current directory; else there are none."""
    return packaged_root("benchmarks") / PACKAGE


def load(module: str) -> ModuleType:
    """A module of the benches by its name within them: ``"metrics"``.

    Raises:
        DataNotFoundError: there are none beside the package: it was installed without its checkout.
    """
    if not (folder() / "__init__.py").is_file():
        raise DataNotFoundError(
            "the benches are no part of an installed KnowFlow",
            where="knowflow bench",
            expected=f"a checkout of KnowFlow, with {PACKAGE} in its folder benchmarks",
            found=f"nothing at {folder()}",
            hint="clone the repository or unpack the source distribution, and install it from there: pip install -e .",
        )
    if PACKAGE not in sys.modules:
        sys.path.insert(0, str(folder().parent))  # before any other of that name, and for processes to come
    return import_module(f"{PACKAGE}.{module}")


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(name)
    return getattr(load("metrics"), name)
