"""GDAL's algorithms as tools.

``bind`` and ``check_binding`` serve schemas with ``run: gdal:...``; ``generated_schemas`` describes the algorithms that
no authored schema covers; ``status`` tells whether there is a GDAL to run them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from knowflow.tools.gdal.algorithms import Status, status
from knowflow.tools.gdal.command import algorithm_of, check_binding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from knowflow.model.tool import ToolSchema

__all__ = ["Status", "algorithm_of", "bind", "check_binding", "generated_schemas", "status"]


def bind(schema: ToolSchema) -> Callable[..., str | None]:
    """The function behind a schema; see :func:`knowflow.tools.gdal.binding.bind`."""
    from knowflow.tools.gdal import binding  # rasterio: only what runs a tool pays for it

    return binding.bind(schema)


def generated_schemas(authored: Iterable[ToolSchema] = ()) -> dict[str, ToolSchema]:
    """Schemas by name of all algorithms that none of the authored tools runs; see :mod:`knowflow.tools.gdal.generate`.

    Raises:
        ToolError: there is no GDAL.
    """
    from knowflow.tools.gdal import generate

    return generate.generated_schemas(authored)
