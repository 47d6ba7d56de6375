"""Reference page of GDAL: which tool runs each algorithm, and the tools that GDAL describes of itself."""

from __future__ import annotations

from knowflow.knowledge.catalogue import Catalogue
from knowflow.model.tool import ToolSchema
from knowflow.roof.reference.markdown import table
from knowflow.roof.reference.workflows import tool_section
from knowflow.tools.gdal import algorithm_of, generated_schemas, status
from knowflow.tools.gdal.algorithms import algorithms, describe
from knowflow.tools.gdal.command import not_a_tool


def gdal_lines(catalogue: Catalogue) -> list[str]:
    """Every algorithm with its tools, or why there is none; then the generated tools in full.

    Raises ``ToolError`` where there is no GDAL with an algorithm registry.
    """
    authored = [schema for schema in catalogue.tools.values() if algorithm_of(schema) is not None]
    generated = generated_schemas(catalogue.tools.values())
    tools: dict[tuple[str, ...], list[str]] = {}
    for schema in sorted(authored, key=lambda one: one.tool):
        tools.setdefault(algorithm_of(schema) or (), []).append(f"[{schema.tool}](tools.md#{_anchor(schema)})")
    for schema in generated.values():
        tools.setdefault(algorithm_of(schema) or (), []).append(f"[{schema.tool}](#{_anchor(schema)})")
    served = {path: ", ".join(tools[path]) if path in tools else f"none: {not_a_tool(path)}" for path in algorithms()}
    lines = [
        f"GDAL {status().version} has {len(served)} algorithms; {len(tools)} of them are tools. How they are bound,",
        "and what is different from GDAL's command line: [GDAL](../gdal.md).",
        "",
        "## Algorithms",
        "",
        *table(
            ("algorithm", "what it does", "tools"),
            ((f"`{' '.join(path)}`", _title(path), tool) for path, tool in served.items()),
        ),
        "",
        "## Tools that GDAL describes of itself",
        "",
        "Types, defaults, limits and choices are GDAL's. Nothing is said of quantities, so no planner inserts them.",
    ]
    for name in sorted(generated):
        lines += ["", *tool_section(generated[name])]
    return lines


def _anchor(schema: ToolSchema) -> str:
    return schema.tool.casefold()


def _title(path: tuple[str, ...]) -> str:
    return str(describe(path)["description"]).partition(". ")[0].rstrip(".")
