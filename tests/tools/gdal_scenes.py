"""Small rasters and vectors, and the authored GDAL tools, for the tests of the GDAL bridge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from affine import Affine
from numpy.typing import NDArray

from knowflow.ground.resources import packaged_root
from knowflow.knowledge.documents import load_model
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.tools.gdal import bind

UTM = "EPSG:32633"
WEST, NORTH, PIXEL = 500_000.0, 5_100_000.0, 10.0
GRID = Affine(PIXEL, 0, WEST, 0, -PIXEL, NORTH)


def schema_of(tool: str) -> ToolSchema:
    """An authored tool."""
    model = load_model(packaged_root("schemas") / "gdal" / f"{tool}.yaml", ToolSchema).model
    assert model is not None
    return model


def authored() -> list[ToolSchema]:
    return [schema_of(path.stem) for path in sorted((packaged_root("schemas") / "gdal").glob("*.yaml"))]


def raster(path: Path, values: NDArray[Any], facts: dict[str, Any] | None = None, **profile: Any) -> Artifact:
    """A GeoTIFF of (rows, columns) or (bands, rows, columns) as an artifact with declared facts."""
    stack = values if values.ndim == 3 else values[None]
    count, rows, columns = stack.shape
    defaults = {"crs": UTM, "transform": GRID}
    with rasterio.open(
        path, "w", driver="GTiff", count=count, height=rows, width=columns, dtype=stack.dtype, **{**defaults, **profile}
    ) as dataset:
        dataset.write(stack)
    return Artifact("raster", path=str(path), facts=Facts.of(Origin.DECLARED, **(facts or {})))


def hills(rows: int = 50, columns: int = 70) -> NDArray[np.float32]:
    """Elevations in m with slopes up to about 40 degrees."""
    y, x = np.mgrid[0:rows, 0:columns]
    noise = np.random.default_rng(7).normal(0, 1, (rows, columns))
    return (500 + 40 * np.sin(x / 9) + 30 * np.cos(y / 7) + noise).astype(np.float32)


def dem(path: Path, values: NDArray[Any] | None = None, **profile: Any) -> Artifact:
    facts = {"quantity": "elevation", "unit": "m", "crs": profile.get("crs", UTM), "datetime": "2015-01-01"}
    return raster(path, hills() if values is None else values, facts, **profile)


def patches(rows: int = 50, columns: int = 70) -> NDArray[np.uint8]:
    """Classes 0 to 3 in regions of many sizes."""
    y, x = np.mgrid[0:rows, 0:columns]
    classes = (x // 11 + y // 9) % 4
    speckle = np.random.default_rng(3).random((rows, columns)) < 0.05
    return np.where(speckle, (classes + 1) % 4, classes).astype(np.uint8)


def classes(path: Path, values: NDArray[Any] | None = None, **profile: Any) -> Artifact:
    facts = {"quantity": "land_cover_class", "crs": UTM}
    return raster(path, patches() if values is None else values, facts, **profile)


def call(schema: ToolSchema, output: Path | None = None, **arguments: Any) -> Any:
    """Call a tool as the engine does: every parameter given, defaults filled in."""
    defaults = {name: parameter.default for name, parameter in schema.inputs.items()}
    outputs = {name: output for name, parameter in schema.parameters.items() if parameter.role == "output"}
    return bind(schema)(**{**defaults, **outputs, **arguments})


def read(path: Path) -> NDArray[Any]:
    """The first band as stored."""
    with rasterio.open(path) as dataset:
        values: NDArray[Any] = dataset.read(1)
        return values
