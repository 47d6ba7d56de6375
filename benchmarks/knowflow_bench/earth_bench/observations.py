"""What comes of a call where the rasters are not at hand: file names, numbers from numbers, and honest stand-ins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from knowflow.ground.errors import KnowFlowError
from knowflow.model.tool import ToolSchema
from knowflow.tools.earth_agent.calls import call
from knowflow_bench.earth_bench.pack import pack
from knowflow_bench.earth_bench.questions import Question
from knowflow_bench.metrics.values import references
from knowflow_bench.parity import Call

LISTS_FILES = "get_filelist"
FILES = ("raster", "raster_series", "vector", "path")


def observed(asked: Call, number: int, question: Question, tools: Mapping[str, ToolSchema]) -> str:
    """What a caller is shown of call ``number``.

    Calls of numbers are carried out. Of calls that read files only what their schema tells is shown: where they write,
    or that there is a result, and how to refer to it.
    """
    schema = pack(tools).get(asked.tool)
    if schema is None:
        return f"Error: there is no tool {asked.tool}"
    unknown = [name for name in asked.arguments if name not in schema.parameters]
    lacking = [
        name
        for name, parameter in schema.parameters.items()
        if name not in asked.arguments and (parameter.required or parameter.role == "output")
    ]
    if unknown or lacking:
        return f"Error: unknown arguments {unknown}, lacking arguments {lacking}"
    if asked.tool == LISTS_FILES:
        return json.dumps(list(question.files))
    written = [asked.arguments[name] for name, p in schema.parameters.items() if p.role == "output"]
    if written:
        return "; ".join(f"Result saved at {path}" for path in _flat(written))
    reads = any(parameter.type in FILES for parameter in schema.parameters.values())
    if reads or any(True for _ in references(dict(asked.arguments))):
        return f'The result exists when the call is made: refer to it as {{"from": {number}}}'
    try:
        return json.dumps(call(schema, asked.arguments), default=str)
    except KnowFlowError as error:
        return f"Error: {error.message}"
    except (TypeError, ValueError, IndexError) as error:  # arguments of a kind that no schema foresaw
        return f"Error: {error}"


def _flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _flat(value)
        else:
            yield value
