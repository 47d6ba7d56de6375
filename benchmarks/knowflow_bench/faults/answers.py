"""Answers of runs as plain data: values with their units, and maps as they lie, read from the files with rasterio."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray

from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.service.deliver import unit_of, value_of
from knowflow.testing.scenes import Grid

Pixels = NDArray[np.float64]
ANSWER = "answer"


@dataclass(frozen=True)
class Map:
    """The numbers of one raster as they are meant, NaN where there are none, and the grid that it lies on."""

    pixels: Pixels
    grid: Grid


@dataclass(frozen=True)
class One:
    """One output: a value with its unit, or the maps of a raster or of every date of a series."""

    value: Any
    unit: str | None
    maps: tuple[Map, ...] = ()


Answers = Mapping[str, One]


def answers_of(trace: Trace) -> Answers:
    """All outputs of a run; ``answer`` is what was asked for, whatever its name."""
    found = {name: _one(artifact) for name, artifact in trace.outputs.items()}
    return found if trace.answer is None else {**found, ANSWER: _one(trace.answer)}


def undelivered(answers: Answers, folder: Path) -> str:
    """What a folder of results holds instead of what a run found, in words; empty where it holds that."""
    values = folder / "answer.json"  # tables have files of their own
    told = json.loads(values.read_text(encoding="utf-8"))["values"] if values.exists() else {}
    for name, one in answers.items():
        number = isinstance(one.value, float) and math.isfinite(one.value)
        if number and name in told and told[name]["value"] != one.value:
            return f"{name}: {told[name]['value']} was delivered, {one.value} was found"
        path = folder / f"{name}.tif"
        if len(one.maps) == 1 and path.exists():
            with rasterio.open(path) as source:
                stored = np.ma.filled(source.read(1, masked=True).astype(np.float64), np.nan)
                there = stored * source.scales[0] + source.offsets[0]
            same_shape = there.shape == one.maps[0].pixels.shape
            if same_shape and not np.allclose(there, one.maps[0].pixels, equal_nan=True):
                return f"{name}: another map was delivered than was found"
    return ""


def _one(artifact: Artifact) -> One:
    if artifact.type in ("raster", "raster_series"):
        return One(None, unit_of(artifact), tuple(_map(one) for one in artifact.leaves()))
    return One(value_of(artifact), unit_of(artifact))


def _map(artifact: Artifact) -> Map:
    with rasterio.open(artifact.path) as source:
        band = source.read(artifact.band or 1, masked=True)
        crs = "" if source.crs is None else source.crs.to_wkt()
        grid = Grid(crs, tuple(source.transform)[:6], source.shape)
    pixels = np.ma.filled(band.astype(np.float64), np.nan)
    nodata = artifact.fact("nodata")
    if nodata is not None:
        pixels[pixels == nodata] = np.nan
    pixels = pixels * (artifact.fact("scale") or 1.0) + (artifact.fact("offset") or 0.0)
    pixels[~np.isfinite(pixels)] = np.nan
    return Map(pixels, grid)
