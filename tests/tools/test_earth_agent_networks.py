"""The tools named after published networks: with a registered model, a registered function, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx_models
import pytest
from raster_files import read, write

from knowflow.model.artifact import Artifact
from knowflow.service.models import add_model
from knowflow.tools.earth_agent import networks
from knowflow.tools.learned.models import WrongModelError


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of its own, where nobody has registered anything."""
    (tmp_path / ".knowflow").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path / "user"))


@pytest.fixture
def picture(tmp_path: Path) -> str:
    write(tmp_path / "rgb.tif", np.zeros((3, 4, 4), np.uint8))
    return str(tmp_path / "rgb.tif")


@pytest.fixture
def forget() -> Iterator[None]:
    yield
    networks.unregister_network("SM3Det")


NAMED = ("MSCN", "RemoteCLIP", "Strip_R_CNN", "SM3Det", "RemoteSAM", "InstructSAM", "SAM2", "ChangeOS")


@pytest.mark.parametrize("name", NAMED)
def test_a_network_that_nobody_registered_is_not_made_up(name: str, picture: str, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"input_image_path": picture}
    if name == "ChangeOS":
        arguments = {"pre_image_path": picture, "post_image_path": picture, "output_path": tmp_path / "out.tif"}
    elif name == "SAM2":
        arguments |= {"bbox": [[0, 0, 2, 2]], "output_path": tmp_path / "out.tif"}
    elif name not in ("MSCN", "RemoteCLIP"):
        arguments["text_prompt"] = "ship"
    with pytest.raises(networks.ModelNotRegisteredError) as caught:
        getattr(networks, name)(**arguments)
    assert name in str(caught.value)
    assert f"model: {name}" in str(caught.value.hint)
    assert "knowflow models add" in str(caught.value.hint)
    assert not (tmp_path / "out.tif").exists()


@pytest.mark.usefixtures("forget")
def test_a_registered_network_does_the_work(picture: str) -> None:
    seen: list[Any] = []

    def detect(input_image_path: Artifact, text_prompt: str) -> list[list[float]]:
        seen.append((input_image_path.path, text_prompt))
        return [[0, 0, 2, 3]]

    networks.register_network("SM3Det", detect)
    assert networks.SM3Det(picture, "ship") == [[0, 0, 2, 3]]
    assert seen == [(picture, "ship")]


def detector(folder: Path, **changes: Any) -> Path:
    onnx_models.dense_detector(folder, "found", 16)
    said: dict[str, Any] = {
        "task": "object_detection",
        "inputs": {"image": "image"},
        "outputs": {"boxes": "boxes", "scores": "scores"},
        "bands": ["red", "nir"],
        "tile": {"size": 16, "overlap": 4},
        "classes": {1: "ship", 2: "storage_tank"},
        "detection": {"boxes": "cxcywh", "coordinates": "fraction"},
    }
    return onnx_models.card(folder, "found", **{**said, **changes})


@pytest.fixture
def harbour(tmp_path: Path) -> str:
    """Two ships and a tank, as two bands without names."""
    image = np.zeros((2, 40, 40), np.float32)
    image[0, 10, 12], image[0, 30, 30], image[1, 20, 5] = 0.8, 0.9, 0.7
    write(tmp_path / "harbour.tif", image)
    return str(tmp_path / "harbour.tif")


@pytest.mark.parametrize("name", ["Strip_R_CNN", "SM3Det"])
def test_boxes_of_what_the_text_names(name: str, harbour: str, tmp_path: Path) -> None:
    add_model(detector(tmp_path, model=name))
    tool = getattr(networks, name)
    np.testing.assert_allclose(tool(harbour, "all the ships"), [[29, 29, 32, 32], [11, 9, 14, 12]], atol=1e-3)
    np.testing.assert_allclose(tool(harbour, "storage tanks"), [[4, 19, 7, 22]], atol=1e-3)
    with pytest.raises(WrongModelError) as caught:
        tool(harbour, "giraffes")
    assert caught.value.expected == "ship, storage_tank"


def test_one_box_and_a_number(harbour: str, tmp_path: Path) -> None:
    add_model(detector(tmp_path, model="RemoteSAM"))
    add_model(detector(tmp_path, model="InstructSAM"))
    assert networks.RemoteSAM(harbour, "the ship") == pytest.approx([29, 29, 32, 32], abs=1e-3)
    assert networks.InstructSAM(harbour, "ships") == 2
    assert networks.InstructSAM(harbour, "ships or storage tanks") == 3


def test_a_model_of_another_name_can_be_said(harbour: str, tmp_path: Path) -> None:
    add_model(detector(tmp_path))
    assert networks.InstructSAM(harbour, "ships", model="found") == 2


@pytest.mark.parametrize("name", ["MSCN", "RemoteCLIP"])
def test_the_class_of_a_scene(name: str, harbour: str, tmp_path: Path) -> None:
    onnx_models.scene_mean(tmp_path, "scenes", np.array([[9.0, 0.0], [0.0, 1.0]], dtype=np.float32))
    path = onnx_models.card(
        tmp_path,
        "scenes",
        model=name,
        task="scene_classification",
        inputs={"image": "image"},
        outputs={"scores": "scores"},
        bands=["red", "nir"],
        activation="softmax",
        classes={0: "harbour", 1: "forest"},
    )
    add_model(path)
    rows = getattr(networks, name)(harbour)
    assert [row["class"] for row in rows] == ["harbour", "forest"]
    assert sum(row["confidence"] for row in rows) == pytest.approx(1.0)


def test_a_mask_inside_boxes(harbour: str, tmp_path: Path) -> None:
    kernel = np.array([[0.0, 0.0], [9.0, 9.0]], dtype=np.float32)[:, :, None, None]
    onnx_models.pixel_convolution(tmp_path, "things", kernel, np.array([1.0, 0.0], dtype=np.float32))
    path = onnx_models.card(
        tmp_path,
        "things",
        model="SAM2",
        task="semantic_segmentation",
        inputs={"image": "image"},
        outputs={"scores": "scores"},
        bands=["red", "nir"],
        activation="softmax",
        classes={0: "ground", 1: "thing"},
    )
    add_model(path)
    networks.SAM2(harbour, [[5, 5, 15, 15], [0, 18, 3, 25]], tmp_path / "mask.tif")
    found = read(tmp_path / "mask.tif")
    assert list(zip(*np.nonzero(found == 1), strict=True)) == [(10, 12)]


def test_damage_between_two_images(tmp_path: Path) -> None:
    before = np.zeros((1, 20, 20), np.float32)
    after = before.copy()
    after[0, 3:6, 4:9] = 0.9
    write(tmp_path / "a.tif", before)
    write(tmp_path / "b.tif", after)
    onnx_models.absolute_difference(tmp_path, "damage", 0.5)
    path = onnx_models.card(
        tmp_path,
        "damage",
        model="ChangeOS",
        task="change_detection",
        inputs={"pre": "before", "post": "after"},
        outputs={"scores": "logit"},
        bands=["pan"],
        activation="sigmoid",
    )
    add_model(path)
    networks.ChangeOS(tmp_path / "a.tif", tmp_path / "b.tif", tmp_path / "damage.tif")
    np.testing.assert_array_equal(read(tmp_path / "damage.tif"), (after[0] > 0.5).astype(np.uint8))


def test_a_picture_that_lacks_a_band_is_refused(tmp_path: Path, harbour: str) -> None:
    add_model(detector(tmp_path, model="InstructSAM"))
    write(tmp_path / "one.tif", np.zeros((1, 20, 20), np.float32), descriptions=("red",))
    with pytest.raises(WrongModelError, match="lacks"):
        networks.InstructSAM(str(tmp_path / "one.tif"), "ships")
