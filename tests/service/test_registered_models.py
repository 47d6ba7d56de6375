"""Registering models, from the command line and as steps of plans: what counts for the cache, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx_models
import pytest
import rasterio

from knowflow.knowledge.models import models
from knowflow.roof.cli import main
from knowflow.roof.library import KnowFlow

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def knowflow(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command in a project of its own: exit code, standard output, standard error."""
    (tmp_path / ".knowflow").mkdir()
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        out, err = capfd.readouterr()
        return int(end.value.code or 0), out, err

    return call


def crops(folder: Path, first: float = 1.0, **changes: Any) -> Path:
    kernel = np.array([[first, 0.0], [0.0, 1.0]], dtype=np.float32)[:, :, None, None]
    onnx_models.pixel_convolution(folder, "crops", kernel, np.zeros(2, dtype=np.float32))
    said: dict[str, Any] = {
        "task": "semantic_segmentation",
        "inputs": {"image": "image"},
        "outputs": {"scores": "scores"},
        "bands": ["red", "nir"],
        "activation": "softmax",
        "tile": {"size": 32, "overlap": 4},
        "classes": {1: "bare", 2: "green"},
    }
    return onnx_models.card(folder, "crops", **{**said, **changes})


def scene(folder: Path) -> dict[str, str]:
    """Red is larger than near infrared in the western half."""
    profile = {"driver": "GTiff", "width": 40, "height": 40, "count": 1, "dtype": "float32", "crs": "EPSG:32633"}
    transform = rasterio.Affine(10, 0, 500000, 0, -10, 5100000)
    west = np.arange(40)[None, :] < 20
    files = {}
    for name, values in (("red", np.where(west, 0.4, 0.1)), ("nir", np.where(west, 0.2, 0.5))):
        files[name] = str(folder / f"{name}.tif")
        with rasterio.open(files[name], "w", transform=transform, **profile) as dataset:
            dataset.write(np.broadcast_to(values, (40, 40)).astype("float32"), 1)
            dataset.update_tags(QUANTITY="surface_bidirectional_reflectance", UNIT="1")
    return files


def test_a_model_is_added_listed_shown_tried_and_removed(knowflow: Call, tmp_path: Path) -> None:
    path = crops(tmp_path)
    assert json.loads(knowflow("models", "list", "--json")[1]) == {"models": []}
    code, out, _ = knowflow("models", "add", str(path), "--json")
    assert (code, json.loads(out)["layer"]) == (0, "file")
    registered = tmp_path / ".knowflow" / "models"
    assert sorted(file.name for file in registered.iterdir()) == ["crops.onnx", "crops.yaml"]
    assert models()["crops"].card.sha256 is not None
    assert models()["crops"].card.classes == {1: "bare", 2: "green"}
    (listed,) = json.loads(knowflow("models", "list", "--json")[1])["models"]
    assert (listed["model"], listed["layer"], listed["bands"]) == ("crops", "project", ["red", "nir"])
    assert json.loads(knowflow("models", "show", "crops", "--json")[1])["card"]["task"] == "semantic_segmentation"
    assert "1 bare, 2 green" in knowflow("models", "show", "crops")[1]
    tried = json.loads(knowflow("models", "test", "crops", "--json")[1])
    assert (tried["passed"], tried["task"], tried["pixels"]) == (True, "semantic_segmentation", 48 * 48)
    assert knowflow("check")[0] == 0
    code, _, err = knowflow("models", "add", str(path))
    assert (code, "registered already" in err) == (2, True)
    assert knowflow("models", "add", str(path), "--replace")[0] == 0
    assert knowflow("models", "remove", "crops")[0] == 0
    assert list(registered.iterdir()) == []
    assert knowflow("models", "remove", "crops")[0] == 2


def test_a_card_with_mistakes_is_not_added(knowflow: Call, tmp_path: Path) -> None:
    path = crops(tmp_path, quantity="crop")
    code, _, err = knowflow("models", "add", str(path))
    assert code == 1
    assert "crops.yaml:" in err.replace("\n", "")
    assert models() == {}
    assert knowflow("models", "test", str(path))[0] == 1


def test_a_model_that_is_not_what_its_card_says_is_not_added(knowflow: Call, tmp_path: Path) -> None:
    code, _, err = knowflow("models", "add", str(crops(tmp_path, outputs={"scores": "logits"})))
    assert (code, "wrong_model" in err) == (3, True)
    assert models() == {}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run semantic_segmentation with the registered model, checked and cached as in any plan."""
    (tmp_path / ".knowflow").mkdir()
    monkeypatch.chdir(tmp_path)
    files = scene(tmp_path)
    bands = ",".join(f"{band}={path}" for band, path in files.items())

    def call(**more: str) -> Any:
        arguments = {"model": "crops", "bands": bands, **more}
        return KnowFlow(tmp_path / "home").run_tool("semantic_segmentation", arguments, out=tmp_path / "out")

    return call


def test_a_registered_model_runs_as_a_checked_action_in_a_process(run: Callable[..., Any], tmp_path: Path) -> None:
    from knowflow.service.models import add_model

    add_model(crops(tmp_path))
    found = run()
    assert found.status == "completed", found.error
    with rasterio.open(found.outputs["output"]) as dataset:
        classes = dataset.read(1)
    np.testing.assert_array_equal(classes, np.where(np.arange(40)[None, :] < 20, 1, 2) * np.ones((40, 1)))


def test_other_weights_of_the_same_name_make_another_result(run: Callable[..., Any], tmp_path: Path) -> None:
    from knowflow.service.models import add_model

    def fresh() -> bool:
        return [node["status"] for node in run().nodes] == ["done"]

    def classes() -> set[int]:
        with rasterio.open(tmp_path / "out" / "output.tif") as dataset:
            return set(np.unique(dataset.read(1)))

    add_model(crops(tmp_path))
    assert run().status == "completed"
    assert classes() == {1, 2}
    assert not fresh()
    add_model(crops(tmp_path, first=-1.0), replace=True)
    assert fresh()
    assert classes() == {2}


def test_a_model_that_nobody_registered_is_refused_with_a_way_on(run: Callable[..., Any]) -> None:
    found = run(model="unheard_of")
    assert found.status == "refused"
    assert found.error["code"] == "model_not_registered"
    assert "knowflow models add" in found.error["hint"]


def test_a_plan_is_refused_before_it_runs_where_its_model_does_not_fit(run: Callable[..., Any], tmp_path: Path) -> None:
    from knowflow.service.models import add_model

    add_model(crops(tmp_path, bands=["red", "swir16"]))
    found = run()
    assert (found.status, found.error["code"]) == ("refused", "wrong_model")
    assert found.error["hint"] == "missing: swir16"
    add_model(crops(tmp_path, accepts=["ndvi"]), replace=True)
    assert (run().status, run().error["found"]) == ("refused", "surface_bidirectional_reflectance")


def test_the_bands_of_one_file_are_taken_by_their_names(run: Callable[..., Any], tmp_path: Path) -> None:
    from knowflow.service.models import add_model

    with rasterio.open(tmp_path / "red.tif") as red, rasterio.open(tmp_path / "nir.tif") as nir:
        stack, profile = np.stack([nir.read(1), red.read(1)]), red.profile | {"count": 2}
    with rasterio.open(tmp_path / "both.tif", "w", **profile) as dataset:
        dataset.write(stack)
        dataset.descriptions = ("nir", "red")
    add_model(crops(tmp_path))
    found = run(bands=str(tmp_path / "both.tif"))
    assert found.status == "completed", found.error
    with rasterio.open(found.outputs["output"]) as dataset:
        np.testing.assert_array_equal(dataset.read(1)[0], np.where(np.arange(40) < 20, 1, 2))
    with rasterio.open(tmp_path / "nameless.tif", "w", **profile) as dataset:
        dataset.write(stack)
    assert run(bands=str(tmp_path / "nameless.tif")).error["message"] == "the bands of bands have no names"
