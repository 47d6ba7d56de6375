"""A pack of tools over the wire: clients of the published toolbox find its names, arguments and results."""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import numpy as np
import pytest
import rasterio
from affine import Affine

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, StdioServerParameters

from knowflow import KnowFlow
from knowflow.ground import errors
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.json_text import strict
from knowflow.tools.earth_agent.calls import call

QUESTIONS = 30
OUT = "benchmark/out"
SIZE = 24
GRID: dict[str, Any] = {"crs": "EPSG:32633", "transform": Affine(30.0, 0.0, 500000.0, 0.0, -30.0, 5100000.0)}
THERMAL = ("BT_", "_B10", "_B11", "BAND31", "BAND32", "_B31", "_B32", "THERMAL")


def sequences(earthbench: Path) -> list[dict[str, Any]]:
    """The published questions whose every call is of a tool, and with arguments, of the published list."""
    tools = json.loads((earthbench / "tools.json").read_text(encoding="utf-8"))
    known = {name: {argument[0] for argument in tool["args"]} for name, tool in tools.items()}
    lines = (earthbench / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()
    questions = map(json.loads, lines)
    return [
        one
        for one in questions
        if one["tool_calls"]
        and all(c["name"] in known and c["input"].keys() <= known[c["name"]] for c in one["tool_calls"])
    ]


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        yield from texts(list(value.values()))


def write_inputs(question: dict[str, Any], root: Path) -> None:
    """A small raster for every file of a question, of numbers that its name lets one expect, else reflectances."""
    named = {text for c in question["tool_calls"] for text in texts(c["input"]) if text.startswith("benchmark/data")}
    named |= {f"{question['data_dir']}/{file}" for file in question["files"]}
    for name in sorted(named):
        path = root / name
        if not path.suffix:
            path.mkdir(parents=True, exist_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        draw = np.random.default_rng(zlib.crc32(name.encode()))
        along, words = np.linspace(0, 1, SIZE) + draw.uniform(0, 0.1, (1, SIZE, SIZE)), path.stem.upper()
        driver, grid, pixels, kind = "GTiff", GRID, 0.05 + 0.5 * along, "float32"
        if path.suffix != ".tif":
            driver, grid, pixels, kind = "PNG", {}, np.repeat(200 * along, 3, axis=0), "uint8"
        elif "LST" in words:  # the greener, the cooler
            pixels, kind = 15500 - 1000 * along + draw.uniform(0, 400, along.shape), "uint16"
        elif "NDVI" in words:
            pixels, kind = 9000 * along, "int16"
        elif any(word in words for word in THERMAL):
            pixels = 270 + 40 * along
        size = {"width": SIZE, "height": SIZE, "count": len(pixels)}
        with rasterio.open(path, "w", driver=driver, dtype=kind, **size, **grid) as raster:
            raster.write(pixels.astype(kind))


def outcome_here(name: str, arguments: dict[str, Any], tools: Any) -> Any:
    """What our own way of carrying out published calls comes to: the result, or the code of the error."""
    schema = tools[name]
    placed = {
        key: [place(one) for one in value] if isinstance(value, list) else place(value)
        for key, value in arguments.items()
        if schema.parameters[key].role == "output"
    }
    given = {key: value for key, value in {**arguments, **placed}.items() if value is not None}
    try:
        return strict(call(schema, given, compat=True))
    except KnowFlowError as error:
        return error.code
    except Exception as error:
        return type(error).__name__


def place(name: Any) -> Any:
    return name if not isinstance(name, str) or name.startswith(OUT) else f"{OUT}/{name}"


def test_the_published_sequences_of_thirty_questions_are_carried_out_over_the_wire(
    earthbench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = KnowFlow().tools()
    chosen = sorted(sequences(earthbench), key=lambda one: (one["modality"] == "rgb", len(one["files"]), one["id"]))
    assert len(chosen) >= QUESTIONS
    chosen = chosen[:QUESTIONS]
    here, there = tmp_path / "here", tmp_path / "there"
    for question in chosen:
        for root in (here, there):
            write_inputs(question, root)
    (here / OUT).mkdir(parents=True)
    (there / OUT).mkdir(parents=True)
    found: list[tuple[str, Any]] = []

    async def steps() -> None:
        options = ["mcp", "--tools", "earth_agent", "--compat", "--root", str(there), "--out", str(there / OUT)]
        program = ["-c", "from knowflow.roof.cli import main; main()", *options]
        started = StdioServerParameters(command=sys.executable, args=program, env=dict(os.environ), cwd=tmp_path)
        async with Client(started) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            published = json.loads((earthbench / "tools.json").read_text(encoding="utf-8"))
            assert listed.keys() == published.keys()
            for name, tool in published.items():
                properties = listed[name].input_schema["properties"]
                assert {argument[0] for argument in tool["args"]} <= properties.keys()
                optional = {argument[0] for argument in tool["args"] if argument[2]}
                assert not optional & set(listed[name].input_schema["required"])
            for question in chosen:
                for one in question["tool_calls"]:
                    result = await client.call_tool(one["name"], one["input"])
                    told = result.structured_content
                    found.append((one["name"], told["error"]["code"] if result.is_error else told["result"]))

    with anyio.from_thread.start_blocking_portal() as portal:
        portal.call(steps)
    monkeypatch.chdir(here)
    expected = [
        (one["name"], outcome_here(one["name"], one["input"], tools)) for q in chosen for one in q["tool_calls"]
    ]
    assert [one for one in zip(found, expected, strict=True) if one[0] != one[1]] == []
    written = sorted(path.relative_to(here) for path in (here / OUT).rglob("*.tif"))
    assert written == sorted(path.relative_to(there) for path in (there / OUT).rglob("*.tif"))
    for name in written:
        with rasterio.open(here / name) as ours, rasterio.open(there / name) as theirs:
            np.testing.assert_array_equal(ours.read(), theirs.read())
    assert len(written) > 20
    codes = {error.code for error in vars(errors).values() if isinstance(error, type) and hasattr(error, "code")}
    assert [one for one in found if str(one[1]) in codes] == []
