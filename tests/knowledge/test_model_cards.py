"""Model cards: every mistake with its line, and which of several cards of one name counts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import onnx_models
import pytest
import yaml

from knowflow.ground.errors import DocumentError
from knowflow.knowledge.models import (
    ModelNotRegisteredError,
    check_card,
    check_models,
    files_of,
    load_card,
    model,
    models,
    sha256_of,
)
from knowflow.roof.schemas import json_schemas
from knowflow.service.api import Service

SAID: dict[str, Any] = {
    "task": "semantic_segmentation",
    "inputs": {"image": "image"},
    "outputs": {"scores": "logits"},
    "bands": ["red", "nir"],
    "classes": {0: "land", 1: "water"},
}


def card(folder: Path, name: str = "lakes", **said: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.onnx").write_bytes(b"weights of " + name.encode())
    return onnx_models.card(folder, name, **{**SAID, **said})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project" / ".knowflow" / "models"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    return folder


def user() -> Path:
    return Path(os.environ["KNOWFLOW_CONFIG"]) / "models"


def test_a_card_says_what_it_needs_to(tmp_path: Path) -> None:
    path = card(tmp_path)
    assert check_card(path) == ()
    found = load_card(path)
    assert found.card.codes == (0, 1)
    assert found.card.result == "class_label"
    assert found.weights == tmp_path / "lakes.onnx"


MISTAKES: list[tuple[dict[str, Any], str, str]] = [
    ({"task": "segmentation"}, "bad_value", "task"),
    ({"bandz": ["red"]}, "unknown_key", "bandz"),
    ({"inputs": {"image": "before"}}, "bad_inputs", "inputs"),
    ({"outputs": {"values": "v"}}, "missing_output", "outputs"),
    ({"bands": ["red", "red"]}, "duplicate_name", "bands"),
    ({"normalisation": {"mean": [0.1, 0.2, 0.3]}}, "bad_value", "normalisation.mean"),
    ({"normalisation": {"std": [0.1, 0.0]}}, "bad_value", "normalisation.std"),
    ({"tile": {"size": 64, "overlap": 40}}, "bad_value", "tile.overlap"),
    ({"classes": {}}, "missing_key", "classes"),
    ({"classes": {0: "land", 300: "water"}}, "bad_value", "classes.[300]"),
    ({"accepts": ["reflectivity"]}, "unknown_quantity", "accepts[0]"),
    ({"quantity": "lakes"}, "unknown_quantity", "quantity"),
    ({"unit": "furlongs per lunch"}, "unit", "unit"),
    ({"resolution": [20, 10]}, "bad_value", "resolution"),
    ({"file": "../lakes.onnx"}, "bad_value", "file"),
    ({"file": "elsewhere.onnx"}, "file_missing", "file"),
    ({"sha256": "0" * 64}, "digest", "sha256"),
    ({"task": "object_detection"}, "missing_output", "outputs"),
    ({"task": "remote_sensing_inversion", "outputs": {"values": "v"}}, "missing_key", "quantity"),
    ({"task": "change_detection", "layout": "pixels"}, "bad_inputs", "inputs"),
]


@pytest.mark.parametrize(("change", "code", "where"), MISTAKES, ids=lambda part: str(part)[:40])
def test_a_mistake_is_told_with_its_place(tmp_path: Path, change: dict[str, Any], code: str, where: str) -> None:
    path = card(tmp_path, **change)
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [problem for problem in check_card(path) if problem.code == code]
    assert found, check_card(path)
    key = where.split(".")[0].split("[")[0]
    assert found[0].file == str(path)
    first = next((number for number, line in enumerate(lines, start=1) if line.startswith(f"{key}:")), 1)
    assert found[0].line >= first
    if code != "digest":  # reading large files is for the check, not for every use
        with pytest.raises(DocumentError):
            load_card(path)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    path = card(tmp_path, quantity="lakes", unit="parsnips", classes={}, file="gone.onnx")
    codes = {problem.code for problem in check_card(path)}
    assert codes == {"unknown_quantity", "unit", "missing_key", "file_missing"}


def test_a_band_that_looks_misspelt_is_a_warning(tmp_path: Path) -> None:
    (problem,) = check_card(card(tmp_path, bands=["red", "nirr"]))
    assert (problem.severity, problem.hint) == ("warning", "did you mean nir?")


def test_the_projects_model_hides_the_users(project: Path) -> None:
    card(user(), title="the user's")
    card(project, title="the project's")
    assert model("lakes").card.title == "the project's"
    (problem,) = check_models()
    assert (problem.code, problem.severity) == ("shadowed", "warning")


def test_two_models_of_one_name_in_one_place_are_a_mistake(project: Path) -> None:
    card(project)
    card(project, "ponds", model="lakes")
    assert [problem.code for problem in check_models()] == ["duplicate_id"]


def test_an_unknown_name_gets_the_closest_and_a_way_on(project: Path) -> None:
    card(project)
    with pytest.raises(ModelNotRegisteredError) as caught:
        model("lake")
    assert "did you mean lakes" in str(caught.value.hint)
    assert caught.value.exit_code == 2


def test_a_broken_card_is_not_unknown(project: Path) -> None:
    card(project, quantity="lakes")
    assert models() == {}
    with pytest.raises(DocumentError) as caught:
        model("lakes")
    assert caught.value.problems[0].code == "unknown_quantity"


def test_the_files_of_a_model(project: Path, tmp_path: Path) -> None:
    path = card(project)
    assert files_of("lakes") == (path, project / "lakes.onnx")
    other = card(tmp_path / "other", "ponds")
    assert files_of(str(other)) == (other, other.with_suffix(".onnx"))
    assert files_of(str(other.with_suffix(".onnx"))) == (other.with_suffix(".onnx"),)
    assert files_of("nothing") == ()


def test_the_check_of_all_knowledge_reads_cards(project: Path) -> None:
    path = card(project, sha256=sha256_of(card(project).with_suffix(".onnx")))
    service = Service()
    assert service.check([path]) == []
    path.write_text(path.read_text(encoding="utf-8").replace("nir", "red"), encoding="utf-8")
    (problem,) = service.check([path])
    assert (problem.code, problem.where) == ("duplicate_name", "bands")
    assert problem in service.check()


def test_editors_get_a_schema_of_cards(tmp_path: Path) -> None:
    schema = json_schemas(Service().catalogue)["model"]
    assert set(schema["required"]) == {
        "model",
        "title",
        "task",
        "file",
        "inputs",
        "outputs",
        "bands",
        "licence",
        "source",
    }
    said = yaml.safe_load(card(tmp_path).read_text(encoding="utf-8"))
    assert set(said) <= set(schema["properties"])
