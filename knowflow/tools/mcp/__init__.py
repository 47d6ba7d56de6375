"""Tools of other servers of the Model Context Protocol, with a schema of ours around each.

``run: mcp:SERVER/TOOL`` names a server of ``mcp.yaml`` and one of its tools. ``bind`` and ``check_binding`` serve such
schemas; the ``mcp`` package is an extra, and imported when the first of them is run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from knowflow.tools.mcp.servers import check_binding, identity

if TYPE_CHECKING:
    from knowflow.model.tool import ToolSchema

__all__ = ["bind", "check_binding", "identity"]


def bind(schema: ToolSchema) -> Callable[..., Any]:
    """The function behind a schema; see :func:`knowflow.tools.mcp.binding.bind`."""
    from knowflow.tools.mcp import binding  # rasterio: only what runs a tool pays for it

    return binding.bind(schema)
