"""The tools named after published networks: the model registered under the name, or a plain word that none is.

A model is registered with its card (`knowflow models add`); a Python function may stand in for one.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import ToolError
from knowflow.knowledge.models import Model, ModelNotRegisteredError
from knowflow.model.artifact import Artifact
from knowflow.model.model_card import ModelTask
from knowflow.tools.earth_agent.files import Raster, band_count, picture, whole
from knowflow.tools.learned.change import detect_change
from knowflow.tools.learned.detection import Detections, detect
from knowflow.tools.learned.models import WrongModelError, model_for
from knowflow.tools.learned.scene import classify_scene
from knowflow.tools.learned.segmentation import segment
from knowflow.tools.raster import Block, Output, map_blocks

Network = Callable[..., Any]
_REGISTERED: dict[str, Network] = {}

__all__ = ["ModelNotRegisteredError", "register_network", "unregister_network"]


def register_network(name: str, network: Network) -> None:
    """Let a Python function do the work of the tool of that name.

    It is called with the tool's arguments by name, files as artifacts with all their bands; what it returns is the
    tool's result. A function registered before under the name is replaced.
    """
    _REGISTERED[name] = network


def unregister_network(name: str) -> None:
    """Forget the function of that name, where there is one."""
    _REGISTERED.pop(name, None)


def MSCN(input_image_path: Raster, model: str = "MSCN") -> list[dict[str, Any]]:  # noqa: N802 (a published name)
    """The classes of a scene: rows of class and confidence, the likeliest first."""
    return _scene(model, input_image_path)


def RemoteCLIP(input_image_path: Raster, model: str = "RemoteCLIP") -> list[dict[str, Any]]:  # noqa: N802
    """The classes of a scene: rows of class and confidence, the likeliest first."""
    return _scene(model, input_image_path)


def Strip_R_CNN(  # noqa: N802
    input_image_path: Raster, text_prompt: str, model: str = "Strip_R_CNN"
) -> list[list[float]]:
    """Boxes (x1, y1, x2, y2 in pixels) of the objects that are named."""
    return _boxes(model, input_image_path, text_prompt)


def SM3Det(input_image_path: Raster, text_prompt: str, model: str = "SM3Det") -> list[list[float]]:  # noqa: N802
    """Boxes (x1, y1, x2, y2 in pixels) of the objects that are named."""
    return _boxes(model, input_image_path, text_prompt)


def RemoteSAM(input_image_path: Raster, text_prompt: str, model: str = "RemoteSAM") -> list[float]:  # noqa: N802
    """The box (x1, y1, x2, y2 in pixels) of the object that the text describes; empty where none is seen."""
    function = _REGISTERED.get(model)
    if function is not None:
        return list(function(input_image_path=whole(input_image_path), text_prompt=text_prompt))
    return next(iter(_boxes(model, input_image_path, text_prompt)), [])


def InstructSAM(input_image_path: Raster, text_prompt: str, model: str = "InstructSAM") -> int:  # noqa: N802
    """How many of the objects that are named there are."""
    function = _REGISTERED.get(model)
    if function is not None:
        return int(function(input_image_path=whole(input_image_path), text_prompt=text_prompt))
    return len(_boxes(model, input_image_path, text_prompt))


def SAM2(input_image_path: Raster, bbox: list[Any], output_path: Path, model: str = "SAM2") -> None:  # noqa: N802
    """Write a mask of the objects inside boxes (x1, y1, x2, y2 in pixels)."""
    image, function = whole(input_image_path), _REGISTERED.get(model)
    if function is not None:
        function(input_image_path=image, bbox=bbox, output_path=Path(output_path))
        return
    found = _model(model, "semantic_segmentation")
    boxes = [[float(edge) for edge in box] for box in (bbox if isinstance(bbox[0], (list, tuple)) else [bbox])]
    with tempfile.TemporaryDirectory() as folder, picture(output_path) as written:
        classes = Path(folder) / "classes.tif"
        segment(found, _bands(found, image), classes, Path(folder) / "confidence.tif")
        _write_inside(classes, boxes, found.card.codes[0], written)


def ChangeOS(  # noqa: N802
    pre_image_path: Raster, post_image_path: Raster, output_path: Path, model: str = "ChangeOS"
) -> None:
    """Write a map of the damage to buildings between two images."""
    before, after, function = whole(pre_image_path), whole(post_image_path), _REGISTERED.get(model)
    if function is not None:
        function(pre_image_path=before, post_image_path=after, output_path=Path(output_path))
        return
    found = _model(model, "change_detection")
    with tempfile.TemporaryDirectory() as folder, picture(output_path) as written:
        detect_change(found, _bands(found, before), _bands(found, after), written, Path(folder) / "probability.tif")


def _model(name: str, task: ModelTask) -> Model:
    try:
        return model_for(name, task)
    except ModelNotRegisteredError as error:
        error.hint = (
            f"add one: `knowflow models add CARD.yaml`, whose card says model: {name} and task: {task}; or register a "
            f"Python function: register_network({name!r}, function). No weights come with KnowFlow"
        )
        raise


def _scene(name: str, image: Raster) -> list[dict[str, Any]]:
    function = _REGISTERED.get(name)
    if function is not None:
        return list(function(input_image_path=whole(image)))
    found = _model(name, "scene_classification")
    rows = classify_scene(found, _bands(found, whole(image)))
    return [{"class": row["name"], "confidence": row["probability"]} for row in rows]


def _boxes(name: str, image: Raster, prompt: str) -> list[list[float]]:
    function = _REGISTERED.get(name)
    if function is not None:
        return [list(box) for box in function(input_image_path=whole(image), text_prompt=prompt)]
    found = _model(name, "object_detection")
    wanted = _named(found, prompt)
    objects: Detections = detect(found, _bands(found, whole(image)))[1]
    return [[float(edge) for edge in box] for box in objects.only(np.isin(objects.labels, wanted)).boxes]


def _named(model: Model, prompt: str) -> list[int]:
    """The classes that a prompt names: all whose words occur in it, in the singular or plural."""
    said = {_stem(word) for word in re.findall(r"\w+", prompt.casefold())}
    names = {
        code: [_stem(word) for word in re.findall(r"[^\W_]+", name.casefold())]
        for code, name in model.card.classes.items()
    }
    found = [code for code, words in names.items() if words and said.issuperset(words)]
    if not found:
        raise WrongModelError(
            f"{model.card.model} does not know what is asked for",
            expected=", ".join(model.card.classes.values()),
            found=prompt,
        )
    return found


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _bands(model: Model, image: Artifact) -> tuple[Artifact, ...]:
    """The bands of a picture that the card names; by their order, where the picture does not say what they are."""
    names: Sequence[str] = image.fact("bands") or ()
    card, count = model.card, band_count(image)
    if all(band in names for band in card.bands):
        places = [list(names).index(band) + 1 for band in card.bands]
    elif count >= len(card.bands) and not any(band in names for band in card.bands):
        places = list(range(1, len(card.bands) + 1))
    else:
        raise WrongModelError(
            f"{card.model} needs bands that the picture lacks",
            where=image.path,
            expected=", ".join(card.bands),
            found=", ".join(names) or f"{count} bands without names",
        )
    return tuple(replace(image, band=place, facts=image.facts.without(("bands", "count"))) for place in places)


def _write_inside(classes: Path, boxes: list[list[float]], background: int, output: Path) -> None:
    """Write a mask: 1 inside the boxes where the class is not the background."""
    if any(len(box) != 4 for box in boxes):
        raise ToolError("a box has four edges", expected="x1, y1, x2, y2 in pixels", found=str(boxes))

    def kernel(block: Block) -> NDArray[Any]:
        rows = np.arange(block.shape[0])[:, None] + int(block.window.row_off) + 0.5
        columns = np.arange(block.shape[1])[None, :] + int(block.window.col_off) + 0.5
        inside = np.zeros(block.shape, dtype=np.bool_)
        for x1, y1, x2, y2 in boxes:
            inside |= (columns > x1) & (columns < x2) & (rows > y1) & (rows < y2)
        values = block["classes"]
        return np.where(np.isfinite(values), inside & (values != background), np.nan)

    map_blocks(kernel, {"classes": Artifact("raster", path=str(classes))}, Output.mask(output, "mask"))
