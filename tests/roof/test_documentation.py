"""What the documentation shows works: commands, documents, programs and links.

The named files of a page are written into one folder and checked there, and its programs (```` ```python run ````) run
there, in order; what its consoles (```` ```console run ````) show is compared with what the commands print there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer.main
from documentation import ALL_PAGES, FENCE, PAGES, ROOT, blocks, commands, write_files

from knowflow import KnowFlow
from knowflow.ground.errors import UnknownNameError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.cards import load_cards
from knowflow.knowledge.catalogue import kind_of
from knowflow.model.causes import CAUSES
from knowflow.model.template import Scene, SceneLayer
from knowflow.reason.inventory import parse_assumptions, read_artifact
from knowflow.reason.llm.conversation import Message
from knowflow.reason.llm.records import Replayed
from knowflow.reason.llm.repair_answer import RepairAnswer
from knowflow.reason.llm.structured import typed
from knowflow.roof.cli.app import app
from knowflow.testing.demo import write_demo
from knowflow.testing.scenes import write_scene
from knowflow.tools.raster import read_array
from knowflow_bench.documents import check

BLOCKS = [block for page in PAGES for block in blocks(page)]
CONSOLES = [block for block in BLOCKS if block.language == "console"]
COMMANDS = [pytest.param(words, id=f"{block}: {line}") for block in CONSOLES for line, words, _ in commands(block)]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)|!\[[^\]]*\]\((?P<image>[^)\s]+)\)")


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
    assert {kind for block in BLOCKS if (kind := block.kind)} >= {"template", "tool"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project folder, which is the current one; modules that it is found to have are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "relief_tools", raising=False)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if any(b.kind for b in blocks(page))], ids=lambda p: p.name)
def test_whole_documents_pass_the_check(page: Path, project: Path) -> None:
    documents = write_files(page, project)
    of_benches = [path for path in documents if kind_of(path) == "benchmark"]
    assert KnowFlow().check([path for path in documents if path not in of_benches]) == []
    assert not of_benches or check(of_benches) == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(b.kind == "template" for b in blocks(page))], ids=lambda p: p.name
)
def test_templates_that_are_shown_pass_their_tests(page: Path, project: Path) -> None:
    write_files(page, project)
    names = [block.text.splitlines()[0].split()[1] for block in blocks(page) if block.kind == "template"]
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


def test_every_fact_that_can_be_assumed_is_named() -> None:
    with pytest.raises(UnknownNameError) as caught:
        parse_assumptions(["no_such_fact=1"])
    names = str(caught.value.expected).removeprefix("one of ").split(", ")
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_the_recorded_answer_that_is_shown_stands_for_a_model(tmp_path: Path) -> None:
    (line,) = [block.text for block in blocks(ROOT / "docs" / "llm.md") if block.language == "json"]
    record = tmp_path / "record.jsonl"
    record.write_text(line, encoding="utf-8")
    answer = Replayed(record).complete([Message("user", "whatever")])
    assert typed(answer, RepairAnswer).because == "b lies on another grid"


@pytest.mark.parametrize("page", ALL_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for match in LINK.finditer(text):
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
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_counts_what_there_is() -> None:
    flow = KnowFlow()
    templates = flow.templates().values()
    methods = sum(template.method_of is not None for template in templates)
    definitions = sum(template.defines is not None for template in templates)
    algorithms = {
        re.split(r" (?=--|\{)", tool.run)[0] for tool in flow.tools().values() if tool.run.startswith("gdal:")
    }
    cards, indices = load_cards(), spectral_indices()
    counted = (
        f"{len(flow.tools())} tools",
        f"{len(algorithms)} of GDAL's own algorithms",
        f"{definitions} definitions",
        f"{methods} methods that make products and {sum(bool(template.asked) for template in templates)} procedures",
        f"{len(cards)} task cards in {len({card.sub_domain for card in cards})} sub-domains",
        f"{len(quantity_kinds()) - len(indices)} quantity kinds",
        f"each of the {len(indices)} indices",
        f"{len(CAUSES)} causes of failure, {len(flow.rules())} repair rules",
    )
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert [words for words in counted if words not in text] == []
