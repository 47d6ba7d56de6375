"""Series of one station in NetCDF, as columns of a table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowflow.ground.series_files import read_series
from knowflow.ground.vectors import read

h5py = pytest.importorskip("h5py")


def _written(path: Path, rows: int = 1) -> Path:
    with h5py.File(path, "w") as file:
        file["time"] = np.arange(48.0)
        file["time"].attrs["units"] = np.bytes_("hours since 2021-05-01 00:00:00")
        file["time"].make_scale("time")
        file["hs"] = np.linspace(1.0, 3.0, 48) if rows == 1 else np.ones((48, rows))
        file["hs"].attrs["units"] = np.bytes_("m")
        file["hs"].attrs["long_name"] = np.bytes_("significant wave height")
        file["hs"].dims[0].attach_scale(file["time"])
    return path


def test_a_series_is_columns(tmp_path: Path) -> None:
    path = _written(tmp_path / "buoy.nc")
    found = read_series(path)
    assert found is not None
    assert (found.units, found.called) == ({"hs": "m"}, {"hs": "significant wave height"})
    assert found.columns["time"][24:26] == ["2021-05-02", "2021-05-02T01:00:00"]
    meta, _, _, columns = read(path)
    assert [*meta["fields"]] == ["time", "hs"]
    assert np.allclose(columns[1], np.linspace(1.0, 3.0, 48))


def test_what_lies_along_more_than_time_is_none(tmp_path: Path) -> None:
    assert read_series(_written(tmp_path / "stations.nc", rows=4)) is None
    (tmp_path / "text.nc").write_text("no data")
    assert read_series(tmp_path / "text.nc") is None
