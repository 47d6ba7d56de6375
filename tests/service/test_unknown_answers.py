"""A folder in which nothing is known has no answer: the run says so, and no file of it holds what is no number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from service_examples import Command


@pytest.mark.parametrize("question", ["what share of the area has ndvi above 0.5", "mean ndvi"])
def test_nothing_but_gaps_ends_as_not_known(knowflow: Command, tmp_path: Path, question: str) -> None:
    data = tmp_path / "data"
    data.mkdir()
    profile = {"driver": "GTiff", "width": 12, "height": 9, "count": 1, "dtype": "float32", "nodata": float("nan")}
    transform = rasterio.Affine(10, 0, 500_000, 0, -10, 5_100_000)
    with rasterio.open(data / "ndvi_20200601.tif", "w", crs="EPSG:32633", transform=transform, **profile) as file:
        file.write(np.full((9, 12), np.nan, dtype=np.float32), 1)
        file.update_tags(QUANTITY="ndvi", UNIT="1")
    ended = knowflow("run", question, "--data", data, "--out", tmp_path / "out", "--runner", "local")
    assert ended.code == 3
    assert ended.result["status"] == "failed"
    assert ended.result["answer"] is None
    for written in (tmp_path / "out").glob("*.json") if (tmp_path / "out").exists() else ():
        assert "NaN" not in written.read_text(encoding="utf-8")
