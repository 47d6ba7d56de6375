"""The list of tools: a plain array for machines, counts for people, a source for each."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from typer.testing import CliRunner

from knowflow.roof.cli.app import app


def _listed(*options: str) -> str:
    done = CliRunner().invoke(app, ["tools", "list", *options])
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture(scope="module")
def tools() -> list[dict[str, object]]:
    found = json.loads(_listed("--json"))
    assert isinstance(found, list)
    return found


def test_machines_get_an_array_of_the_documented_objects(tools: list[dict[str, object]]) -> None:
    assert len(tools) >= 104 + 110
    for tool in tools:
        assert set(tool) == {"tool", "kit", "layers", "title", "source"}
    names = [tool["tool"] for tool in tools]
    assert len(set(names)) == len(names)


def test_every_tool_has_a_title_of_one_line_and_a_source(tools: list[dict[str, object]]) -> None:
    for tool in tools:
        assert tool["title"], tool["tool"]
        assert "\n" not in str(tool["title"]), tool["tool"]
        assert tool["source"], tool["tool"]


def test_people_get_the_counts_of_each_kit(tools: list[dict[str, object]]) -> None:
    counts = Counter(str(tool["kit"]) for tool in tools)
    last = " ".join(_listed().split())
    assert f"{len(tools)} tools: " in last
    for kit, number in counts.items():
        assert f"{kit} {number}" in last
    (gdal,) = {tool["kit"] for tool in json.loads(_listed("--kit", "gdal", "--json"))}
    assert gdal == "gdal"
