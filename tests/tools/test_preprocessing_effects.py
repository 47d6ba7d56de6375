"""What the schemas of the preprocessing tools promise is what their files say, read back as a run reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from raster_files import write

from knowflow.execution.handover import keyword_arguments, output_paths
from knowflow.execution.written import written_artifact
from knowflow.graph.effects import predicted_outputs
from knowflow.ground.resources import packaged_root
from knowflow.ground.yamldoc import load
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.evaluate import evaluate
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.reason.inventory import read_artifact
from knowflow.tools.cloud_detection import MODEL_BANDS
from knowflow.tools.registry import bind

SHAPE = (70, 80)
REFLECTANCE = {"QUANTITY": "surface_bidirectional_reflectance", "UNIT": "1", "SENSOR": "sentinel-2"}
TOA = {**REFLECTANCE, "QUANTITY": "toa_bidirectional_reflectance"}
SUN = {"SUN_ELEVATION": "40", "SUN_AZIMUTH": "150"}
RADIANCE = {"QUANTITY": "toa_radiance", "UNIT": "W m-2 sr-1 um-1", "SENSOR": "landsat-5", "BAND": "B3"}
SIGMA = {"QUANTITY": "sigma0", "UNIT": "1", "POLARISATION": "VV", "SENSOR": "sentinel-1"}


def schema(name: str) -> ToolSchema:
    (path,) = [
        path for kit in ("preprocessing", "analysis") for path in packaged_root("schemas").glob(f"{kit}/{name}.yaml")
    ]
    return ToolSchema.model_validate(load(path).data)


def image(
    folder: Path, name: str, tags: Mapping[str, str], low: float = 0.05, high: float = 0.4, day: int = 1
) -> Artifact:
    values = np.random.default_rng(len(name) + day).uniform(low, high, SHAPE).astype(np.float32)
    values[0, 0] = np.nan
    write(folder / f"{name}.tif", values, nodata=np.nan, tags={**tags, "DATETIME": f"2022-07-{day:02}"})
    return read_artifact(folder / f"{name}.tif")


def stored(
    folder: Path, name: str, values: np.ndarray, tags: Mapping[str, str], nodata: float | None = 255
) -> Artifact:
    write(folder / f"{name}.tif", values, nodata=nodata, tags={**tags, "DATETIME": "2022-07-01"})
    return read_artifact(folder / f"{name}.tif")


def terrain(folder: Path) -> Artifact:
    y, x = np.indices(SHAPE)
    heights = (300 + 40 * np.sin(x / 9) * np.cos(y / 7)).astype(np.float32)
    write(folder / "dem.tif", heights, tags={"QUANTITY": "elevation", "UNIT": "m", **SUN})
    return read_artifact(folder / "dem.tif")


def lit(folder: Path) -> Artifact:
    """Reflectance that grows with the light on the ground."""
    from knowflow.tools.kernels.topography import illumination

    y, x = np.indices(SHAPE)
    light = illumination(300 + 40 * np.sin(x / 9) * np.cos(y / 7), (10, 0, 0, -10), 40, 150)
    return stored(folder, "lit", (0.3 * light).astype(np.float32), {**REFLECTANCE, **SUN}, nodata=np.nan)


def with_constants(radiance: Artifact) -> Artifact:
    return replace(radiance, facts=radiance.facts.put("thermal_constants", (607.76, 1260.56), Origin.DECLARED))


def arguments_for(tool: str, folder: Path) -> dict[str, Any]:
    match tool:
        case "despeckle" | "to_decibel":
            return {"raster": image(folder, "vv", SIGMA)}
        case "from_decibel":
            return {"raster": image(folder, "vv", {**SIGMA, "QUANTITY": "sigma0_db", "UNIT": "dB"}, -20, -5)}
        case "mask_from_quality_band":
            classes = np.random.default_rng(1).integers(0, 12, SHAPE).astype(np.uint8)
            qa = stored(folder, "scl", classes, {"QUANTITY": "scene_classification", "SENSOR": "sentinel-2"}, 0)
            return {"qa": qa, "marks": ["snow"], "quantity": "snow_mask", "buffer": 1}
        case "buffer_mask":
            values = (np.random.default_rng(1).random(SHAPE) > 0.99).astype(np.uint8)
            return {"mask": stored(folder, "mask", values, {"QUANTITY": "cloud_mask", "UNIT": "1"}), "distance": 20.0}
        case "coregister":
            return {"raster": image(folder, "a", REFLECTANCE), "reference": image(folder, "a", REFLECTANCE)}
        case "apply_shift":
            return {"raster": image(folder, "a", REFLECTANCE), "rows": 1.5, "columns": -0.5}
        case "calibrate_counts":
            counts = np.random.default_rng(1).integers(1, 255, SHAPE).astype(np.uint8)
            raster = stored(folder, "dn", counts, {"QUANTITY": "digital_number", "SENSOR": "landsat-5"}, 0)
            return {"raster": raster, "multiplier": 0.76, "addend": -1.5}
        case "reflectance_from_radiance":
            return {"radiance": image(folder, "l", {**RADIANCE, **SUN}, 10, 60)}
        case "brightness_temperature":
            return {"radiance": with_constants(image(folder, "l", RADIANCE, 7, 11))}
        case "dark_object_subtraction":
            return {"raster": image(folder, "toa", {**TOA, **SUN}), "method": "cost"}
        case "topographic_correction":
            return {"raster": lit(folder), "dem": terrain(folder)}
        case "solar_illumination":
            return {"dem": terrain(folder)}
        case "pansharpen":
            bands = {name: image(folder, name, TOA) for name in ("blue", "green", "red")}
            return {"pan": image(folder, "pan", TOA), "bands": band_set(bands)}
        case "match_histogram":
            return {"raster": image(folder, "a", REFLECTANCE), "reference": image(folder, "bb", REFLECTANCE)}
        case "cloud_probability":
            pytest.importorskip("s2cloudless")
            return {"bands": band_set({name: image(folder, name, TOA) for name in MODEL_BANDS})}
        case "mosaic":
            return {
                "series": series((image(folder, "a", REFLECTANCE), image(folder, "b", REFLECTANCE))),
                "method": "feather",
            }
        case "fill_gaps_in_time" | "smooth_series" | "harmonic_fit":
            ndvi = {"QUANTITY": "ndvi", "UNIT": "1", "SENSOR": "sentinel-2"}
            dated = [(month, f"2022-{month:02}-10") for month in range(1, 13)]
            items = []
            for month, date in dated:
                values = np.random.default_rng(month).uniform(0.2, 0.8, SHAPE).astype(np.float32)
                write(folder / f"{date}.tif", values, nodata=np.nan, tags={**ndvi, "DATETIME": date})
                items.append(read_artifact(folder / f"{date}.tif"))
            return {"series": series(tuple(items))}
    raise AssertionError(tool)


TOOLS = (
    *("despeckle", "to_decibel", "from_decibel", "mask_from_quality_band", "buffer_mask", "coregister", "apply_shift"),
    *("calibrate_counts", "reflectance_from_radiance", "brightness_temperature", "dark_object_subtraction"),
    *("topographic_correction", "solar_illumination", "pansharpen", "match_histogram", "cloud_probability", "mosaic"),
    *("fill_gaps_in_time", "smooth_series", "harmonic_fit"),
)


@pytest.mark.parametrize("tool", TOOLS)
def test_files_keep_what_the_schema_promises(tool: str, tmp_path: Path) -> None:
    found = schema(tool)
    arguments = arguments_for(tool, tmp_path)
    defaults = {name: parameter.default for name, parameter in found.inputs.items()}
    for text, condition in found.parsed_preconditions:
        verdict = evaluate(condition, {**defaults, **arguments})
        assert verdict.truth is not False, f"{text}: {verdict.because}"
    predicted = predicted_outputs(found, {**defaults, **arguments}, "node")
    folder = tmp_path / "out"
    folder.mkdir()
    paths = output_paths(found, folder)
    bind(found)(**keyword_arguments(found, arguments, paths))
    written = {name: written_artifact(found, name, path, predicted[name], "node") for name, path in paths.items()}
    for name, made in predicted.items():
        for item, promised in zip(written[name].items or (written[name],), made.items or (made,), strict=True):
            assert_kept(read_artifact(Path(str(item.path))).facts, promised.facts, name)
            assert item.fact("finite_fraction") is not None
    for text, condition in found.parsed_ensures:
        verdict = evaluate(condition, {**defaults, **arguments, **written})
        assert verdict.truth is True, f"{text}: {verdict.because}"


def assert_kept(measured: Facts, promised: Facts, output: str) -> None:
    """What the file says of a fact is what the schema said it would."""
    for name, fact in promised.items():
        if name == "grid" and str(fact.value).startswith("made:"):
            continue
        if measured.value(name) is not None:
            assert measured.value(name) == fact.value, f"{output}: {name}, {fact.source}"
    for name in ("quantity", "unit"):
        if promised.value(name) is not None:
            assert measured.value(name) is not None, f"{output} does not say its {name}"
