"""The tools that the benchmark's experts had."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.model.tool import ToolSchema
from knowflow.tools.earth_agent.calls import belongs

SHARED = ("mean",)
"""Tools of the benchmark that KnowFlow has anyway, under the same name."""


def pack(tools: Mapping[str, ToolSchema]) -> dict[str, ToolSchema]:
    """Of all tools, those of the benchmark."""
    return {name: schema for name, schema in tools.items() if name in SHARED or belongs(schema)}
