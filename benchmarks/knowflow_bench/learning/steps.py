"""Steps that a project has of its own, and that no plan of ours would take: what mends files of which nothing fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HOT = 340.0  # K: warmer than that the ground of no task is


def leave_out_hot_spots(raster: Artifact, output: Path) -> None:
    """Write a raster without the pixels that are hotter than any ground."""
    values, profile = _read(raster)
    values[values > _HOT] = float("nan")
    _write(values, profile, output)


def leave_out_odd_rows(raster: Artifact, output: Path) -> None:
    """Write a raster without every second row, beginning with the second."""
    values, profile = _read(raster)
    values[1::2] = float("nan")
    _write(values, profile, output)


def _read(raster: Artifact) -> tuple[NDArray[Any], dict[str, Any]]:
    import rasterio

    with rasterio.open(raster.path) as file:
        return file.read(1).astype("float32"), dict(file.profile)


def _write(values: NDArray[Any], profile: dict[str, Any], output: Path) -> None:
    import rasterio

    with rasterio.open(output, "w", **{**profile, "dtype": "float32", "nodata": float("nan")}) as file:
        file.write(values, 1)


def _schema(name: str, title: str) -> ToolSchema:
    return ToolSchema.model_validate(
        {
            "tool": name,
            "title": title,
            "kit": "preprocessing",
            "layers": [1, 2, 3],
            "parameters": {"raster": {"type": "raster"}, "output": {"type": "path", "role": "output"}},
            "preconditions": ["scaled(raster)"],
            "effects": {
                "sets": ["scaled(output)", "dtype(output) == 'float32'"],
                "preserves": {"output": {"from": "raster", "except": ["dtype", "scale", "offset", "nodata", "pixels"]}},
            },
            "insertable": False,
            "lossy": "what is left out is lost",
            "run": f"python:{__name__}:{name}",
        }
    )


STEPS = (
    _schema("leave_out_hot_spots", "Leave out hot spots of a sensor"),
    _schema("leave_out_odd_rows", "Leave out the rows of a detector that drifts"),
)
