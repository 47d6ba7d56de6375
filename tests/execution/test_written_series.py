"""A tool that writes one raster per scene into a folder: a series with the facts of each, which flows on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rasterio
from execution_examples import packed, schema

from knowflow.execution.action import Action
from knowflow.execution.cache import Cache
from knowflow.execution.carry_out import Workshop
from knowflow.execution.keys import FileDigests, Keyring
from knowflow.execution.written import written_artifact
from knowflow.ground.errors import EffectError
from knowflow.model.artifact import Artifact, series
from knowflow.reason.inventory import read_artifact
from knowflow.tools.registry import implementation_digest

SERIES = {"type": "path", "role": "output", "produces": "raster_series"}


def raster(path: Path, value: float, **tags: str) -> Artifact:
    profile = {"driver": "GTiff", "width": 6, "height": 4, "count": 1, "dtype": "float32", "nodata": float("nan")}
    transform = rasterio.Affine(10, 0, 500000, 0, -10, 5100000)
    with rasterio.open(path, "w", crs="EPSG:32633", transform=transform, **profile) as dataset:
        dataset.write(np.full((4, 6), value, np.float32), 1)
        dataset.set_band_description(1, path.stem.partition("_")[0])
        dataset.update_tags(QUANTITY="surface_bidirectional_reflectance", UNIT="1", **tags)
    return replace(read_artifact(path, "raster"), key=path.stem)


def test_a_series_is_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name in ("2_b", "1_a"):
        raster(tmp_path / f"{name}.tif", 0.5)
    tool = schema("t", {"output": SERIES})
    found = written_artifact(tool, "output", tmp_path, Artifact("raster_series"), "here")
    assert [item.name for item in found.items] == ["1_a", "2_b"]
    assert {item.type for item in found.items} == {"raster"}
    assert found.fact("crs") == "EPSG:32633"


def test_a_series_of_nothing_was_not_written(tmp_path: Path) -> None:
    with pytest.raises(EffectError, match="no raster of its series"):
        written_artifact(schema("t", {"output": SERIES}), "output", tmp_path, Artifact("raster_series"), "here")


def test_a_batch_tool_of_the_pack_hands_its_maps_on(home: Path, tmp_path: Path) -> None:
    workshop = Workshop(Cache(home), Keyring(FileDigests(home / "digests.sqlite"), implementation_digest))
    scenes = {
        band: series(
            tuple(raster(tmp_path / f"{band}_{day}.tif", value * day, DATETIME=f"2022-07-0{day}") for day in (1, 2))
        )
        for band, value in (("nir", 0.3), ("red", 0.1))
    }
    arguments = {"input_nir_paths": scenes["nir"], "input_red_paths": scenes["red"]}
    made = workshop(Action("ndvi", "the index", packed("calculate_batch_ndvi"), arguments))
    assert made.error is None
    maps = made.outputs["output_paths"]
    assert [item.fact("datetime") for item in maps.items] == ["2022-07-01", "2022-07-02"]
    assert maps.fact("quantity") == "ndvi"
    again = workshop(Action("ndvi", "the index", packed("calculate_batch_ndvi"), arguments))
    assert again.cached
    means = workshop(
        Action("means", "their means", packed("calc_batch_image_mean"), {"file_list": again.outputs["output_paths"]})
    )
    assert means.error is None
    assert means.outputs["value"].value == pytest.approx((0.5, 0.5))
    assert means.outputs["value"].fact("quantity") == "ndvi"
