"""What the schemas of the raster tools promise is what the files they write say, read back as a run reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from affine import Affine
from raster_files import NORTH_UP, UTM, write

from knowflow.execution.handover import keyword_arguments, output_paths
from knowflow.execution.written import written_artifact
from knowflow.graph.effects import predicted_outputs
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.evaluate import evaluate
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory import read_artifact
from knowflow.tools.registry import bind

REFLECTANCE = {"QUANTITY": "surface_bidirectional_reflectance", "UNIT": "1", "SENSOR": "sentinel-2"}


def schema(name: str) -> ToolSchema:
    (path,) = packaged_root("schemas").glob(f"*/{name}.yaml")
    return ToolSchema.model_validate(load(path).data)


def reflectance(folder: Path, name: str, transform: Affine = NORTH_UP, day: int = 1) -> Artifact:
    rng = np.random.default_rng(len(name) + day)
    path = folder / f"{name}.tif"
    write(
        path,
        rng.integers(500, 5000, (40, 50)).astype(np.uint16),
        transform=transform,
        nodata=0,
        scale=1e-4,
        tags={**REFLECTANCE, "DATETIME": f"2022-07-{day:02}"},
    )
    return read_artifact(path)


def classes(folder: Path, name: str, quantity: str, low: int = 0, high: int = 2, dtype: str = "uint8") -> Artifact:
    values = np.random.default_rng(3).integers(low, high, (40, 50)).astype(dtype)
    write(folder / f"{name}.tif", values, nodata=255, tags={"QUANTITY": quantity, "UNIT": "1", "SENSOR": "sentinel-2"})
    return read_artifact(folder / f"{name}.tif")


def arguments_for(tool: str, folder: Path) -> Mapping[str, Any]:
    raster = reflectance(folder, "raster")
    match tool:
        case "spectral_index":
            return {"index": "NDVI", "bands": band_set({n: reflectance(folder, n) for n in ("red", "nir")})}
        case "apply_scale" | "select_band":
            return {"raster": raster, **({"band": "1"} if tool == "select_band" else {})}
        case "convert_unit":
            return {"raster": raster, "unit": "%"}
        case "apply_mask":
            return {"raster": raster, "mask": classes(folder, "mask", "water_mask")}
        case "mask_clouds":
            return {"raster": raster, "cloud_mask": classes(folder, "mask", "cloud_mask")}
        case "cloud_mask_from_qa":
            return {"qa": classes(folder, "qa", "scene_classification", 0, 12), "buffer": 1}
        case "cloud_mask_from_probability":
            write(
                folder / "p.tif",
                np.full((40, 50), 0.7, np.float32),
                tags={"QUANTITY": "cloud_probability", "UNIT": "1"},
            )
            return {"probability": read_artifact(folder / "p.tif")}
        case "align_to":
            return {"raster": raster, "like": reflectance(folder, "like", NORTH_UP @ Affine.translation(3.3, 2.2))}
        case "reproject":
            return {"raster": raster, "crs": "EPSG:3035"}
        case "resample":
            return {"raster": raster, "resolution": 30.0}
        case "clip":
            return {"raster": raster, "bbox": [500_030, 5_099_800, 500_200, 5_099_900], "bbox_crs": UTM}
        case "mosaic" | "temporal_composite":
            return {"series": series((raster, reflectance(folder, "second", day=2)))}
    raise AssertionError(tool)


@pytest.mark.parametrize(
    "tool",
    [
        *("spectral_index", "apply_scale", "convert_unit", "apply_mask", "mask_clouds", "cloud_mask_from_qa"),
        *("cloud_mask_from_probability", "align_to", "reproject", "resample", "clip", "select_band"),
        *("mosaic", "temporal_composite"),
    ],
)
def test_files_keep_what_the_schema_promises(tool: str, tmp_path: Path) -> None:
    found = schema(tool)
    arguments = arguments_for(tool, tmp_path)
    for text, condition in found.parsed_preconditions:
        verdict = evaluate(condition, {**dict.fromkeys(found.inputs), **arguments})
        assert verdict.truth is not False, f"{text}: {verdict.because}"
    predicted = predicted_outputs(found, arguments, "node")["output"]
    folder = tmp_path / "out"
    folder.mkdir()
    paths = output_paths(found, folder)
    bind(found)(**keyword_arguments(found, arguments, paths))
    written = written_artifact(found, "output", paths["output"], predicted, "node")
    measured = read_artifact(paths["output"])
    for name, fact in predicted.facts.items():
        if name == "grid" and str(fact.value).startswith("made:"):
            continue
        assert written.fact(name) is not None, name
        if name == "bounds" and measured.fact(name) is not None:  # resampled pixels reach a little beyond
            width, height = measured.fact("resolution")
            np.testing.assert_allclose(measured.fact(name), fact.value, rtol=0, atol=2 * max(width, height))
        elif measured.fact(name) is not None:
            assert measured.fact(name) == fact.value, f"{name}: {fact.source}"
    for text, condition in found.parsed_ensures:
        verdict = evaluate(condition, {**arguments, "output": written})
        assert verdict.truth is True, f"{text}: {verdict.because}"
    assert measured.fact("finite_fraction") is not None
    assert measured.fact("value_range") is not None
