"""The pack as a whole: every published name with its arguments, bound, documented, and out of the planner's way."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from knowflow.ground.resources import packaged_root
from knowflow.knowledge.documents import load_model
from knowflow.knowledge.schema_check import tool_problems
from knowflow.model.tool import ToolSchema
from knowflow.tools.earth_agent.calls import belongs
from knowflow.tools.registry import check_binding

SCHEMAS = packaged_root("schemas")
PATHS = sorted((SCHEMAS / "earth_agent").glob("*.yaml"))
SHARED = "mean"  # one tool of that name and meaning serves everybody
KITS = {"index": 12, "inversion": 17, "perception": 15, "analysis": 10, "statistics": 49}


def schema(path: Path) -> ToolSchema:
    loaded = load_model(path, ToolSchema)
    assert loaded.model is not None, loaded.problems
    return loaded.model


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_schema_is_valid_and_agrees_with_its_function(path: Path) -> None:
    loaded = load_model(path, ToolSchema)
    assert loaded.model is not None, loaded.problems
    assert not [*tool_problems(loaded.model, loaded.document), *check_binding(loaded.model)]
    assert loaded.model.tool == path.stem
    assert loaded.model.title
    assert loaded.model.source
    assert belongs(loaded.model)
    assert not loaded.model.insertable


def test_all_kits_are_whole() -> None:
    assert Counter(schema(path).kit for path in PATHS) == KITS


def test_every_published_tool_is_there_with_its_arguments(earthbench: Path) -> None:
    published = json.loads((earthbench / "tools.json").read_text(encoding="utf-8"))
    paths = {path.stem: path for path in PATHS} | {SHARED: SCHEMAS / "statistics" / f"{SHARED}.yaml"}
    assert set(paths) == set(published)
    for name, said in published.items():
        found = schema(paths[name])
        arguments = [argument for argument, _, _ in said["args"]]
        assert list(found.parameters)[: len(arguments)] == arguments, name
        assert found.kit == said["kit"].casefold()
        for argument, _, optional in said["args"]:
            assert not (optional and found.parameters[argument].required), f"{name}.{argument}"
        more = [found.parameters[extra] for extra in list(found.parameters)[len(arguments) :]]
        assert not any(parameter.required for parameter in more), name


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_compat_is_off_by_default_and_says_what_it_does(path: Path) -> None:
    found = schema(path)
    if "compat" in found.parameters:
        assert found.parameters["compat"].default is False
        assert "compat:" in found.description


def test_no_template_uses_the_pack() -> None:
    names = {path.stem for path in PATHS}
    for path in packaged_root("templates").rglob("*.yaml"):
        used = set(re.findall(r"\btool: (\w+)", path.read_text(encoding="utf-8")))
        assert not used & names, path
