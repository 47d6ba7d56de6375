"""Small real ONNX models with their cards, written by the onnx package: independent of the code under test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import yaml
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def save(
    path: Path,
    nodes: Sequence[Any],
    inputs: Mapping[str, Sequence[Any]],
    outputs: Mapping[str, Sequence[Any] | None],
    weights: Mapping[str, NDArray[Any]] | None = None,
    integers: Sequence[str] = (),
) -> Path:
    """Write and check a graph; shapes may hold names for what is open."""
    kinds = {name: TensorProto.INT64 if name in integers else FLOAT for name in outputs}
    graph = helper.make_graph(
        list(nodes),
        "test",
        [helper.make_tensor_value_info(name, FLOAT, list(shape)) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, kinds[name], shape) for name, shape in outputs.items()],
        [numpy_helper.from_array(values, name) for name, values in (weights or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def card(folder: Path, name: str, **said: Any) -> Path:
    """Write the card of the model ``NAME.onnx`` in a folder."""
    usual = {"model": name, "title": name, "file": f"{name}.onnx", "licence": "CC0-1.0", "source": "made by a test"}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump({**usual, **said}, sort_keys=False), encoding="utf-8")
    return path


def pixel_convolution(folder: Path, name: str, kernel: NDArray[np.float32], bias: NDArray[np.float32]) -> Path:
    """Class scores by one convolution: kernel (classes, bands, k, k)."""
    pad = kernel.shape[2] // 2
    node = helper.make_node("Conv", ["image", "w", "b"], ["scores"], pads=[pad] * 4)
    return save(
        folder / f"{name}.onnx",
        [node],
        {"image": ["n", kernel.shape[1], "h", "w"]},
        {"scores": ["n", kernel.shape[0], "h", "w"]},
        {"w": kernel, "b": bias},
    )


def bright_spots(folder: Path, name: str, half: float) -> Path:
    """A detector: every pixel above 0.5 is the middle of a box of 2 ``half`` pixels, its value is the score."""
    nodes = [
        helper.make_node("Greater", ["image", "limit"], ["bright"]),
        helper.make_node("NonZero", ["bright"], ["places"]),  # (4, n): tile, band, row, column
        helper.make_node("Transpose", ["places"], ["indices"], perm=[1, 0]),
        helper.make_node("GatherND", ["image", "indices"], ["scores"]),
        helper.make_node("Cast", ["indices"], ["numbers"], to=FLOAT),
        helper.make_node("MatMul", ["numbers", "pick"], ["middles"]),
        helper.make_node("Add", ["middles", "sides"], ["boxes"]),
    ]
    pick = np.zeros((4, 4), dtype=np.float32)
    pick[3, [0, 2]] = pick[2, [1, 3]] = 1.0
    sides = np.array([0.5 - half, 0.5 - half, 0.5 + half, 0.5 + half], dtype=np.float32)
    weights = {"limit": np.float32(0.5).reshape(()), "pick": pick, "sides": sides}
    shapes = {"boxes": ["n", 4], "scores": ["n"]}
    return save(folder / f"{name}.onnx", nodes, {"image": [1, 1, "h", "w"]}, shapes, weights)


def dense_detector(folder: Path, name: str, size: int) -> Path:
    """A detector of two classes for batches of tiles: a box of 3 pixels (centre and size, in fractions of the tile) and
    two scores at every pixel, its two bands."""
    rows, columns = np.mgrid[:size, :size].reshape(2, -1) + 0.5
    boxes = np.stack([columns, rows, np.full(size * size, 3.0), np.full(size * size, 3.0)], axis=1) / size
    nodes = [
        helper.make_node("Reshape", ["image", "flat"], ["rows"]),
        helper.make_node("Transpose", ["rows"], ["scores"], perm=[0, 2, 1]),
        helper.make_node("Shape", ["image"], ["batch"], start=0, end=1),
        helper.make_node("Concat", ["batch", "ones"], ["times"], axis=0),
        helper.make_node("Tile", ["all", "times"], ["boxes"]),
    ]
    weights = {
        "flat": np.array([0, 2, -1], dtype=np.int64),
        "ones": np.array([1, 1], dtype=np.int64),
        "all": boxes[None].astype(np.float32),
    }
    shapes = {"boxes": ["n", size * size, 4], "scores": ["n", size * size, 2]}
    return save(folder / f"{name}.onnx", nodes, {"image": ["n", 2, size, size]}, shapes, weights)


def absolute_difference(folder: Path, name: str, limit: float) -> Path:
    """Change as the logit of how far the first band moves beyond a limit; two inputs."""
    nodes = [
        helper.make_node("Sub", ["post", "pre"], ["d"]),
        helper.make_node("Abs", ["d"], ["a"]),
        helper.make_node("Sub", ["a", "limit"], ["beyond"]),
        helper.make_node("Mul", ["beyond", "steep"], ["logit"]),
    ]
    weights = {"limit": np.float32(limit).reshape(()), "steep": np.float32(100).reshape(())}
    shape = ["n", 1, "h", "w"]
    return save(folder / f"{name}.onnx", nodes, {"pre": shape, "post": shape}, {"logit": shape}, weights)


def scene_mean(folder: Path, name: str, matrix: NDArray[np.float32]) -> Path:
    """Scores of a scene: a linear function of the bands' means; matrix (bands, classes)."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["means"]),
        helper.make_node("Flatten", ["means"], ["flat"]),
        helper.make_node("MatMul", ["flat", "matrix"], ["scores"]),
    ]
    bands, classes = matrix.shape
    return save(
        folder / f"{name}.onnx",
        nodes,
        {"image": ["n", bands, "h", "w"]},
        {"scores": ["n", classes]},
        {"matrix": matrix},
    )
