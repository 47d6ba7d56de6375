"""Packs of other people's tools: found, checked, and apart from our own templates."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.knowledge.packs import load_pack, pack_names, pack_problems

CATALOGUE = load_catalogue()


def test_the_pack_of_the_benchmark_loads_without_problems() -> None:
    assert "earth_agent" in pack_names()
    assert pack_problems(CATALOGUE.tools) == []


def test_our_templates_call_no_tool_of_the_pack() -> None:
    prefix = load_pack("earth_agent", CATALOGUE.tools).pack.tools_run
    ours = {step.tool for template in CATALOGUE.templates.values() for step in template.steps.values() if step.tool}
    assert not [name for name in ours if CATALOGUE.tools[name].run.startswith(prefix)]


def test_templates_of_a_pack_call_its_tools_and_few_of_ours_for_arithmetic() -> None:
    pack = load_pack("earth_agent", CATALOGUE.tools)
    tools = {
        step.tool for template in pack.catalogue.templates.values() for step in template.steps.values() if step.tool
    }
    assert {name for name in tools if not pack.belongs(name)} <= {"first", "last", "multiple", "table_column"}
    assert len([name for name in tools if pack.belongs(name)]) > 80


def test_a_pack_of_a_project_is_found_and_its_mistakes_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".knowflow" / "pkb" / "packs"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    written = "pack: mine\ntitle: Mine\ntools_run: 'python:mine.'\ncalls: {no_such_tool: {}}\n"
    (folder / "mine.yaml").write_text(written)
    assert "mine" in pack_names()
    assert [problem.code for problem in pack_problems(CATALOGUE.tools)] == ["unknown_tool"]
    for mistake in ("unknown: 1", "networks: {SomeNet: guesses}"):
        (folder / "mine.yaml").write_text(f"{written}{mistake}\n")
        with pytest.raises(DocumentError, match="mine"):
            load_pack("mine", CATALOGUE.tools)


def test_a_pack_that_is_misspelled_is_guessed() -> None:
    with pytest.raises(UnknownNameError) as caught:
        load_pack("earth_agents", CATALOGUE.tools)
    assert caught.value.hint == "did you mean earth_agent?"
