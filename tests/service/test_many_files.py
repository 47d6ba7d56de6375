"""Folders of many small files: what planning does grows with their number, and no faster."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from knowflow import KnowFlow
from knowflow.reason import builder


def folder_of(folder: Path, count: int) -> Path:
    folder.mkdir()
    profile = {"driver": "GTiff", "width": 4, "height": 4, "count": 1, "dtype": "float32", "crs": "EPSG:32633"}
    for number in range(count):
        path = folder / f"NDVI_{date(2020, 1, 1) + timedelta(days=number)}.tif"
        with rasterio.open(path, "w", transform=Affine(10.0, 0.0, 5e5, 0.0, -10.0, 5e6), **profile) as dataset:
            dataset.write(np.full((1, 4, 4), 0.1 + number / 1000, dtype="float32"))
    return folder


def test_a_series_is_taken_apart_and_put_together_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    step_into = builder._step_into

    def counted(value: Any, step: str | int) -> Any:
        nonlocal steps
        steps += 1
        return step_into(value, step)

    monkeypatch.setattr(builder, "_step_into", counted)
    found = []
    for count in (15, 60):
        steps = 0
        plan = KnowFlow().plan("mean NDVI over time", folder_of(tmp_path / str(count), count)).plan
        assert len(plan.workflow) > count
        found.append(steps)
    assert found[1] <= 4.4 * found[0], found
