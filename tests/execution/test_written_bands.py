"""A tool that writes the bands of a scene as one file: what flows on, and is delivered, is a band set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import rasterio

from knowflow import KnowFlow


def test_the_bands_of_one_file_flow_on_as_a_band_set(tmp_path: Path) -> None:
    profile = {"driver": "GTiff", "width": 20, "height": 20, "count": 1, "crs": "EPSG:32633"}
    transform = rasterio.Affine(10, 0, 500000, 0, -10, 5100000)
    layers = {"red": np.full((20, 20), 0.1), "nir": np.full((20, 20), 0.5), "clouds": np.eye(20)}
    for name, values in layers.items():
        dtype = "uint8" if name == "clouds" else "float32"
        with rasterio.open(tmp_path / f"{name}.tif", "w", dtype=dtype, transform=transform, **profile) as dataset:
            dataset.write(values.astype(dtype), 1)
            quantity = "cloud_mask" if name == "clouds" else "surface_bidirectional_reflectance"
            dataset.update_tags(QUANTITY=quantity, UNIT="1", DATETIME="2022-06-01")
    given = {
        "bands": f"red={tmp_path / 'red.tif'},nir={tmp_path / 'nir.tif'}",
        "cloud_mask": str(tmp_path / "clouds.tif"),
    }
    service = KnowFlow(tmp_path / "home")
    for _ in range(2):  # the second time from the cache
        found = service.run_tool("clear_bands", given, out=tmp_path / "out")
        assert found.status == "completed", found.error
        assert found.trace is not None
        (bands,) = found.trace.outputs.values()
        assert bands.type == "band_set"
        assert list(bands.members) == ["red", "nir"]
        assert bands.fact("quantity") == "surface_bidirectional_reflectance"
        assert bands.fact("cloud_masked") is True
        for name in ("red", "nir"):
            with rasterio.open(found.outputs[f"output_{name}"]) as dataset:
                values = dataset.read(1)
            np.testing.assert_allclose(values, np.where(np.eye(20) == 1, np.nan, layers[name]), rtol=1e-6)
