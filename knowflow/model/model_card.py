"""Model cards: what a learned model takes, what it says, and under which terms."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from knowflow.model.tool import Document

ModelTask = Literal[
    "semantic_segmentation",
    "object_detection",
    "change_detection",
    "remote_sensing_inversion",
    "scene_classification",
]
MODEL_TASKS: tuple[str, ...] = get_args(ModelTask)
Takes = Literal["image", "before", "after", "both"]
Role = Literal["scores", "values", "boxes", "labels"]
Layout = Literal["channels_first", "channels_last", "pixels"]
Number = float | tuple[float, ...]

# the roles of tensors that a task cannot do without
ROLES: dict[str, tuple[Role, ...]] = {
    "semantic_segmentation": ("scores",),
    "object_detection": ("boxes", "scores"),
    "change_detection": ("scores",),
    "remote_sensing_inversion": ("values",),
    "scene_classification": ("scores",),
}


class Normalisation(Document):
    """From physical values to what the model was trained on: ``(value * factor - mean) / std``.

    Then, where ``minimum`` and ``maximum`` are given, values are limited to them. Each is one number, or one per band.
    """

    factor: Number = Field(1.0, description="10000 for a model that was trained on reflectance x 10000")
    mean: Number = 0.0
    std: Number = 1.0
    minimum: float | None = None
    maximum: float | None = None


class Tile(Document):
    """How a scene is cut: squares of ``size`` pixels that share ``overlap`` pixels with their neighbours."""

    size: int = Field(256, ge=1, le=8192)
    overlap: int = Field(32, ge=0, description="results are blended over these pixels")
    batch: int = Field(4, ge=1, le=256, description="tiles that the model is given at once")


class Detection(Document):
    """How boxes are to be read, and which are kept."""

    boxes: Literal["xyxy", "xywh", "cxcywh"] = Field("xyxy", description="corners; corner and size; centre and size")
    coordinates: Literal["pixels", "fraction"] = "pixels"
    score: float = Field(0.5, ge=0, le=1, description="the lowest score that counts")
    iou: float = Field(0.5, ge=0, le=1, description="of two boxes of one class that overlap more, the better one stays")


class ModelCard(Document):
    """A learned model: an ONNX file with what one has to know in order to use it."""

    model: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")
    version: int = 1
    title: str
    description: str = ""
    task: ModelTask
    file: str = Field(description="the ONNX file, beside the card", min_length=1)
    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$", description="digest of the ONNX file")
    inputs: dict[str, Takes] = Field(min_length=1, description="input tensor -> what goes into it")
    outputs: dict[Role, str] = Field(min_length=1, description="role -> output tensor")
    bands: tuple[str, ...] = Field(min_length=1, description="common band names, in the order of the channels")
    accepts: tuple[str, ...] = Field((), description="quantity kinds of the bands; empty: any")
    resolution: tuple[float, float] | None = Field(None, description="smallest and largest pixel, in metres")
    layout: Layout = Field("channels_first", description="order of the axes; pixels: one row of bands per pixel")
    normalisation: Normalisation = Field(
        default_factory=lambda: Normalisation(factor=1.0, mean=0.0, std=1.0, minimum=None, maximum=None)
    )
    fill: float = Field(0.0, description="what stands, after normalisation, where there are no data")
    tile: Tile = Field(default_factory=lambda: Tile(size=256, overlap=32, batch=4))
    fit: Literal["tiles", "resize"] = Field(
        "tiles", description="scene classification: mean over tiles, or the whole scene resampled to one tile"
    )
    activation: Literal["none", "softmax", "sigmoid"] = Field("none", description="from scores to probabilities")
    classes: dict[int, str] = Field(default_factory=dict, description="class number -> name, in order of the channels")
    threshold: float = Field(0.5, ge=0, le=1, description="change: probability from which a pixel has changed")
    detection: Detection = Field(
        default_factory=lambda: Detection(boxes="xyxy", coordinates="pixels", score=0.5, iou=0.5)
    )
    quantity: str | None = Field(None, description="quantity kind of the result")
    unit: str | None = Field(None, description="unit of the result")
    licence: str = Field(min_length=1)
    source: str = Field(min_length=1, description="paper, page or data behind the model")

    @property
    def codes(self) -> tuple[int, ...]:
        """The class numbers in the order of the model's channels."""
        return tuple(self.classes)

    @property
    def result(self) -> str | None:
        """The quantity kind of the result."""
        usual = {"semantic_segmentation": "class_label", "change_detection": "change_mask"}
        return self.quantity or usual.get(self.task)
