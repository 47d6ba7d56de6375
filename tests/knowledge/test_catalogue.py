from __future__ import annotations

from pathlib import Path

import pytest
from examples import catalogue

from knowflow.ground import resources
from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.resources import Kind
from knowflow.knowledge.catalogue import Catalogue, kind_of, load_catalogue

TOOL = """\
tool: {name}
title: {title}
kit: preprocessing
layers: [1, 2, 3]
parameters: {{raster: {{type: raster}}, output: {{type: path, role: output}}}}
effects: {{preserves: {{output: {{from: raster}}}}}}
run: python:tools:{name}
"""
TEMPLATE = """\
template: {name}
title: {title}
layer: 2
inputs: {{raster: {{type: raster}}}}
steps: {{step: {{{call}}}}}
outputs: {{map: $step}}
"""


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """An empty search path: the project's, the user's and the packaged folder."""
    quantity_kinds()  # read once, from the real packaged folder
    found = {name: tmp_path / name for name in ("project", "user", "packaged")}
    project = tmp_path / "work" / ".knowflow"
    project.mkdir(parents=True)
    found["project"] = project

    def packaged(kind: Kind) -> Path:
        return found["packaged"] / kind

    monkeypatch.chdir(project.parent)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(found["user"]))
    monkeypatch.setattr(resources, "packaged_root", packaged)
    return found


def write(folder: Path, kind: str, name: str, text: str) -> Path:
    path = folder / kind / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def tool(folder: Path, name: str, title: str = "T", file: str = "") -> Path:
    return write(folder, "schemas", file or name, TOOL.format(name=name, title=title))


def template(folder: Path, name: str, call: str) -> Path:
    return write(folder, "templates", name, TEMPLATE.format(name=name, title="T", call=call))


def found(loaded: Catalogue) -> set[tuple[str, str, str]]:
    return {(problem.code, problem.severity, Path(problem.file).name) for problem in loaded.problems}


def test_everything_on_the_search_path_is_found(layers: dict[str, Path]) -> None:
    for layer, name in (("project", "a"), ("user", "b"), ("packaged", "c")):
        tool(layers[layer], name)
    template(layers["packaged"], "uses_a", "tool: a, with: {raster: $inputs.raster}")
    loaded = load_catalogue()
    assert sorted(loaded.tools) == ["a", "b", "c"]
    assert list(loaded.templates) == ["uses_a"]
    assert loaded.problems == loaded.shadowed == ()
    assert set(loaded.documents) == {"tool:a", "tool:b", "tool:c", "template:uses_a"}


def test_a_stronger_layer_hides_a_weaker_one_and_says_so(layers: dict[str, Path]) -> None:
    tool(layers["project"], "a", "Mine")
    hidden = [tool(layers["user"], "a", "Theirs"), tool(layers["packaged"], "a", "Packaged")]
    loaded = load_catalogue()
    assert loaded.tools["a"].title == "Mine"
    assert loaded.shadowed == tuple(("a", path) for path in hidden)
    assert loaded.problems == ()


def test_given_files_are_the_strongest_layer_and_are_not_read_twice(layers: dict[str, Path], tmp_path: Path) -> None:
    mine = tool(layers["packaged"], "a", "Packaged")
    given = tool(tmp_path / "given", "a", "Given")
    assert load_catalogue([given]).tools["a"].title == "Given"
    assert load_catalogue([mine]).problems == ()


def test_one_name_twice_in_a_layer_is_a_problem_of_the_second_file(layers: dict[str, Path]) -> None:
    tool(layers["user"], "a")
    tool(layers["user"], "a", file="b")
    loaded = load_catalogue()
    assert found(loaded) == {("duplicate_id", "error", "b.yaml")}
    assert loaded.problems[0].line == 1
    assert list(loaded.tools) == ["a"]


def test_generated_tools_yield_to_authored_ones(layers: dict[str, Path]) -> None:
    tool(layers["user"], "smooth", "Authored")
    loaded = load_catalogue(tools=catalogue())
    assert loaded.tools["smooth"].title == "Authored"
    assert "align_to" in loaded.tools


def test_a_broken_document_is_left_out_with_what_needs_it_and_the_rest_stays(layers: dict[str, Path]) -> None:
    tool(layers["user"], "fine")
    path = tool(layers["user"], "broken")
    path.write_text(path.read_text(encoding="utf-8") + "preconditions: [nonsense(raster)]\n", encoding="utf-8")
    template(layers["user"], "good", "tool: fine, with: {raster: $inputs.raster}")
    template(layers["user"], "needs_broken", "tool: broken, with: {raster: $inputs.raster}")
    template(layers["user"], "needs_that", "template: needs_broken, with: {raster: $inputs.raster}")
    template(layers["user"], "dangling", "tool: fine, with: {raster: $inputs.rster}")
    loaded = load_catalogue()
    assert list(loaded.tools) == ["fine"]
    assert list(loaded.templates) == ["good"]
    assert found(loaded) == {
        ("unknown_predicate", "error", "broken.yaml"),
        ("dangling_reference", "error", "dangling.yaml"),
        ("left_out", "warning", "needs_broken.yaml"),
        ("left_out", "warning", "needs_that.yaml"),
    }


def test_files_that_are_no_valid_documents_are_all_reported(layers: dict[str, Path]) -> None:
    write(layers["user"], "schemas", "tab", "tool: a\n\ttitle: b\n")
    write(layers["user"], "schemas", "empty", "")
    write(layers["user"], "templates", "wrong", "template: a\nlayer: 9\n")
    loaded = load_catalogue()
    assert {(code, file) for code, _, file in found(loaded)} == {
        ("yaml_tab", "tab.yaml"),
        ("not_a_mapping", "empty.yaml"),
        ("bad_value", "wrong.yaml"),
        ("missing_key", "wrong.yaml"),
    }


def test_an_unknown_name_is_an_error_with_a_suggestion(layers: dict[str, Path]) -> None:
    tool(layers["user"], "smooth")
    template(layers["user"], "smoothed", "tool: smooth, with: {raster: $inputs.raster}")
    loaded = load_catalogue()
    assert loaded.tool("smooth").tool == "smooth"
    assert loaded.template("smoothed").template == "smoothed"
    with pytest.raises(UnknownNameError) as caught:
        loaded.tool("smoth")
    assert caught.value.hint == "did you mean smooth?"
    with pytest.raises(UnknownNameError) as caught:
        loaded.template("zzz")
    assert "knowflow templates list" in str(caught.value.hint)


def test_the_name_of_a_broken_document_tells_what_is_wrong_with_it(layers: dict[str, Path]) -> None:
    template(layers["user"], "smoothed", "tool: smoth, with: {raster: $inputs.raster}")
    with pytest.raises(DocumentError) as caught:
        load_catalogue().template("smoothed")
    assert [problem.code for problem in caught.value.problems] == ["unknown_tool"]
    assert str(caught.value.where).endswith("smoothed.yaml")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# a comment\n\ntool: x\ntitle: y\n", "tool"),
        ("template: x\n", "template"),
        ("plan: 1\n", "plan"),
        ("\ufeffcards: []\n", "cards"),
        ("- quantity: x\n  title: y\n", "quantity"),
        ("", None),
    ],
)
def test_the_kind_of_a_file_is_its_first_key(tmp_path: Path, text: str, kind: str | None) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text, encoding="utf-8")
    assert kind_of(path) == kind
    assert kind_of(tmp_path / "nowhere.yaml") is None


def test_what_is_shipped_has_no_problems() -> None:
    loaded = load_catalogue()
    assert [str(problem) for problem in loaded.problems] == []
    assert len(loaded.tools) > 50
    assert len(loaded.templates) > 10
