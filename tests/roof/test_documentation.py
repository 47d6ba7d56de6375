"""What the documentation shows works: commands, documents, programs and links.

A fenced block may name the file that it is, after its language: ```` ```yaml .knowflow/templates/x.yaml ````. The files
of a page are written into one folder and checked there, and its programs (```` ```python run ````) run there, in order.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer.main

from knowflow import KnowFlow
from knowflow.ground.errors import UnknownNameError
from knowflow.knowledge.catalogue import kind_of
from knowflow.model.template import (
    Expected,
    Scene,
    SceneLayer,
    Step,
    Template,
    TemplateInput,
    TemplateParameter,
    TemplateTest,
)
from knowflow.model.tool import Document, Effects, Parameter, Preserved, Returned, ToolSchema
from knowflow.reason.inventory import parse_assumptions, read_artifact
from knowflow.roof.cli.app import app
from knowflow.testing.demo import write_demo
from knowflow.testing.scenes import write_scene
from knowflow.tools.raster import read_array

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ALL_PAGES = [*PAGES, *sorted((ROOT / "docs").glob("*/*.md"))]
CHECKED_KINDS = ("template", "tool", "plan", "cards", "rules")
_FENCE = re.compile(r"^```(?P<language>\w+)(?: (?P<info>[^\n]+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    page: Path
    language: str
    info: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield Block(page, match["language"], (match["info"] or "").strip(), match["text"], line)


def commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Every ``$ knowflow ...`` of the page's consoles, continued lines joined, with its place."""
    for block in blocks(page):
        if block.language == "console":
            for line in block.text.replace("\\\n", " ").splitlines():
                words = shlex.split(line[2:], comments=True) if line.startswith("$ ") else []
                while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                    del words[0]
                if words and words[0].rpartition("/")[2] == "knowflow":
                    stop = next((i for i, word in enumerate(words) if word in ("|", ">", "&&", "2>")), len(words))
                    yield f"{block}: {line}", words[1:stop]


COMMANDS = [pytest.param(words, id=place) for page in PAGES for place, words in commands(page)]
BLOCKS = [block for page in PAGES for block in blocks(page)]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_that_is_shown_exists_and_takes_its_options(words: list[str]) -> None:
    command: Any = typer.main.get_command(app)
    if words in (["--version"], ["--help"]):
        return
    while hasattr(command, "commands"):
        assert words, "a group of commands alone does nothing"
        assert words[0] in command.commands, f"there is no command {words[0]!r}"
        command, words = command.commands[words[0]], words[1:]
    command.make_context(command.name, list(words))  # raises a usage error for anything that it does not take


def test_the_guides_show_commands_and_documents() -> None:
    assert len(COMMANDS) > 20
    assert {kind for block in BLOCKS if (kind := _kind(block))} >= {"template", "tool"}


def _kind(block: Block) -> str | None:
    if block.language != "yaml":
        return None
    first = next((line for line in block.text.splitlines() if line[:1].isalpha()), "")
    kind = first.partition(":")[0]
    return kind if kind in CHECKED_KINDS else None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder, which is the current one; modules that it is found to have are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "relief_tools", raising=False)
    return tmp_path


def write_files(page: Path, project: Path) -> list[Path]:
    """The named files of a page, and its whole documents that have no name; those that are to be checked."""
    documents = []
    for block in blocks(page):
        kind = _kind(block)
        name = block.info if "." in block.info else f"unnamed/{block.line}.yaml" if kind else ""
        if name:
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
            documents += [path] if kind else []
    return documents


@pytest.mark.parametrize("page", [page for page in PAGES if any(_kind(b) for b in blocks(page))], ids=lambda p: p.name)
def test_whole_documents_pass_the_check(page: Path, project: Path) -> None:
    documents = write_files(page, project)
    assert all(kind_of(path) in CHECKED_KINDS for path in documents)
    assert KnowFlow().check(documents) == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(_kind(b) == "template" for b in blocks(page))], ids=lambda p: p.name
)
def test_templates_that_are_shown_pass_their_tests(page: Path, project: Path) -> None:
    write_files(page, project)
    names = [block.text.splitlines()[0].split()[1] for block in blocks(page) if _kind(block) == "template"]
    assert [result for result in KnowFlow().test_templates(names) if not result.passed] == []


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any(b.language == "python" and b.info == "run" for b in blocks(page))],
    ids=lambda p: p.name,
)
def test_programs_that_are_shown_run(page: Path, project: Path) -> None:
    write_files(page, project)
    write_demo(project / "knowflow-demo" / "data")
    programs = [block for block in blocks(page) if block.language == "python" and block.info == "run"]
    names: dict[str, Any] = {}
    failures = []
    for block in programs:
        try:
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)  # the documentation's own examples
        except Exception as error:
            failures.append((str(block), repr(error)))
    assert failures == []


def test_the_tool_that_is_shown_computes_what_it_says(project: Path) -> None:
    write_files(ROOT / "docs" / "tools.md", project)
    plane = SceneLayer(name="dem", quantity="elevation", unit="m", values="1000 * x", missing="y < 0.25")
    (dem,) = write_scene(Scene(size=(64, 64), layers=(plane,)), project / "data")
    result = KnowFlow().run_tool("local_relief", {"dem": str(dem), "radius": "2"}, out=project / "out")
    assert (result.status, result.trace is not None) == ("completed", True), result.error
    relief = read_array(read_artifact(Path(result.outputs["output"])))
    assert np.isnan(relief[:16]).all()  # where there was no data there is none
    np.testing.assert_allclose(relief[20:, 2:-2], 4 * 1000 / 64, rtol=1e-5)  # five columns of a plane


@pytest.mark.parametrize(
    ("page", "models"),
    [
        ("templates.md", (Template, TemplateParameter, TemplateInput, Step, TemplateTest, Scene, SceneLayer, Expected)),
        ("tools.md", (ToolSchema, Parameter, Returned, Preserved, Effects)),
    ],
)
def test_every_key_of_a_format_is_explained(page: str, models: tuple[type[Document], ...]) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    keys = {field.alias or name for model in models for name, field in model.model_fields.items()}
    assert {key for key in keys if not re.search(rf"\b{key}\b", text)} == set()


def test_every_fact_that_can_be_assumed_is_named() -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_assumptions(["no_such_fact=1"])
    names = str(caught.value.expected).removeprefix("one of ").split(", ")
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for match in _LINK.finditer(text):
        target, _, anchor = (match["target"] or match["image"]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / target).resolve() if target else page
        if not file.exists() or not file.is_relative_to(ROOT):
            broken.append(f"{target}: no such file")
        elif anchor and file.suffix == ".md" and anchor not in _anchors(file):
            broken.append(f"{target}#{anchor}: no such heading")
    assert broken == []


def _anchors(page: Path) -> set[str]:
    """The anchors that a page's headings get: lower case, no punctuation, hyphens for spaces."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
