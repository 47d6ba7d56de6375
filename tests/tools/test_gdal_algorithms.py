"""The bridge to libgdal: found, described, run, stopped, and at peace with rasterio's own GDAL."""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from gdal_scenes import dem, hills, read

from knowflow.ground.errors import NoSpaceError, RunInterruptedError, ToolError
from knowflow.tools.gdal import algorithms as gdal
from knowflow.tools.gdal import library

SLOPE = ("raster", "slope")


def test_status_tells_version_origin_and_number_of_algorithms() -> None:
    status = gdal.status()
    assert status.ok
    assert tuple(map(int, status.version.split("."))) >= library.MINIMUM_VERSION
    assert status.origin in ("osgeo", "pyogrio")
    assert status.algorithms == len(gdal.algorithms()) > 90


def test_without_any_gdal_status_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "candidates", lambda: iter(()))
    monkeypatch.setattr(library, "_load", library._load.__wrapped__)
    status = gdal.status()
    assert not status.ok
    assert "neither osgeo nor pyogrio" in status.found
    assert "pip install" in status.hint


def test_a_library_that_is_no_gdal_is_passed_over_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import _ctypes

    (tmp_path / "broken.so").write_bytes(b"not a library")
    wrong = [library.Candidate("one", tmp_path / "broken.so"), library.Candidate("two", Path(_ctypes.__file__))]
    monkeypatch.setattr(library, "candidates", lambda: iter(wrong))
    with pytest.raises(ToolError) as caught:
        library._load.__wrapped__()
    assert "one: " in str(caught.value.found)
    assert "two: " in str(caught.value.found)


def test_osgeo_is_preferred_and_reached_through_its_extension(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stands in for an installed osgeo: an extension of that name, linked against a GDAL as osgeo's is."""
    real = next(candidate for candidate in library.candidates() if candidate.package == "pyogrio")
    package = tmp_path / "osgeo"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / f"_gdal{''.join(real.extension.suffixes)}").symlink_to(real.extension)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "osgeo", raising=False)
    first = next(library.candidates())
    assert first.package == "osgeo"
    assert library.open_library(first).version >= library.MINIMUM_VERSION


def test_the_environment_and_rasterios_own_gdal_are_left_alone() -> None:
    before, version = dict(os.environ), rasterio.__gdal_version__
    gdal.algorithms()
    assert dict(os.environ) == before
    assert rasterio.__gdal_version__ == version
    assert rasterio.CRS.from_epsg(32633).is_projected


def test_every_algorithm_describes_itself() -> None:
    for path in gdal.algorithms():
        usage = gdal.describe(path)
        assert usage["description"]
        assert all(argument["name"] and argument["type"] for argument in gdal.arguments_of(path).values())


@pytest.mark.parametrize("path", [("raster", "slop"), ("nothing",), ()])
def test_an_algorithm_that_does_not_exist_is_named(path: tuple[str, ...]) -> None:
    with pytest.raises(ToolError, match="has no algorithm"):
        gdal.describe(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nonsense": 1}, "has no argument 'nonsense'"),
        ({"band": 1.5}, "band cannot be 1.5"),
        ({"band": 2**40}, "not a 32-bit integer"),
        ({"band": "one"}, "band cannot be 'one'"),
        ({"xscale": "wide"}, "xscale cannot be 'wide'"),
        ({"unit": "furlong"}, "should be one among"),
        ({"xscale": -1.0}, "xscale"),
        ({"output": "out.tif"}, "Required argument 'input' has not been specified"),
        ({"input": "no_such_file.tif", "output": "out.tif"}, "No such file"),
    ],
)
def test_a_wrong_argument_is_an_error_with_gdals_own_words(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolError) as caught:
        gdal.run(SLOPE, arguments)
    assert message.lower() in str(caught.value).lower()


def test_a_file_that_is_no_raster_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.tif").write_text("hello")
    with pytest.raises(ToolError, match=r"text\.tif"):
        gdal.run(SLOPE, {"input": str(tmp_path / "text.tif"), "output": str(tmp_path / "out.tif")})


def test_file_names_are_data_whatever_they_look_like(tmp_path: Path) -> None:
    source = dem(tmp_path / "a.tif").path
    assert source is not None
    for number, name in enumerate(["--help", "a,b c.tif", "--output=x", "ä€🛰.tif", "a b'\"$(touch x).tif"]):
        odd = tmp_path / f"in{number}"
        odd.mkdir()
        shutil.copy(source, odd / name)
        gdal.run(SLOPE, {"input": str(odd / name), "output": str(odd / "out.tif")})
        assert (odd / "out.tif").exists()


def test_progress_rises_to_one(tmp_path: Path) -> None:
    told: list[float] = []
    source = str(dem(tmp_path / "in.tif").path)
    gdal.run(SLOPE, {"input": source, "output": str(tmp_path / "out.tif")}, told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_cancelling_stops_it(tmp_path: Path) -> None:
    source = str(dem(tmp_path / "in.tif").path)
    with pytest.raises(RunInterruptedError, match="gdal raster slope was cancelled"):
        gdal.run(SLOPE, {"input": source, "output": str(tmp_path / "out.tif")}, cancelled=lambda: True)


def test_whatever_the_listener_raises_stops_it_and_is_raised(tmp_path: Path) -> None:
    def interrupt(_share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gdal.run(SLOPE, {"input": str(dem(tmp_path / "in.tif").path), "output": str(tmp_path / "out.tif")}, interrupt)


def test_nothing_is_written_beside_the_input(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    source = str(dem(tmp_path / "in" / "dem.tif").path)
    gdal.run(("raster", "contour"), {"input": source, "output": str(tmp_path / "out.gpkg"), "interval": 10.0})
    gdal.run(("raster", "info"), {"input": source, "stats": True, "hist": True})
    assert os.listdir(tmp_path / "in") == ["dem.tif"]


def test_text_answers_are_returned(tmp_path: Path) -> None:
    answer = gdal.run(("raster", "info"), {"input": str(dem(tmp_path / "in.tif").path)})
    assert json.loads(answer.text or "")["size"] == [hills().shape[1], hills().shape[0]]


def test_what_gdal_prints_stays_out_of_our_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ToolError):
        gdal.run(SLOPE, {"input": str(tmp_path / "none.tif"), "output": "x.tif"})
    gap = hills()
    gap[3, 3] = -9999
    arguments = {"input": str(dem(tmp_path / "in.tif", gap, nodata=-9999).path), "position": [500_200.0, 5_099_800.0]}
    gdal.run(("raster", "viewshed"), {**arguments, "output": str(tmp_path / "out.tif")})
    assert capfd.readouterr() == ("", "")


def test_its_projections_are_its_own(tmp_path: Path) -> None:
    arguments = {"input": str(dem(tmp_path / "in.tif").path), "output": str(tmp_path / "out.tif")}
    gdal.run(("raster", "reproject"), {**arguments, "dst-crs": "EPSG:3035"})
    with rasterio.open(tmp_path / "out.tif") as dataset:
        assert dataset.crs.to_epsg() == 3035


def test_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    source = str(dem(tmp_path / "in.tif").path)
    together = threading.Barrier(4)

    def work(number: int) -> str:
        together.wait()
        try:
            for turn in range(5):
                name = source if number % 2 == 0 else f"missing{number}.tif"
                gdal.run(SLOPE, {"input": name, "output": str(tmp_path / f"{number}-{turn}.tif")})
        except ToolError as error:
            return str(error.found)
        return "fine"

    with ThreadPoolExecutor(4) as threads:
        said = list(threads.map(work, range(4)))
    assert [said[0], said[2]] == ["fine", "fine"]
    assert "missing1.tif" in said[1]
    assert "missing3.tif" in said[3]
    first = read(tmp_path / "0-0.tif")
    for number in (0, 2):
        for turn in range(5):
            np.testing.assert_array_equal(read(tmp_path / f"{number}-{turn}.tif"), first)


def test_no_file_stays_open(tmp_path: Path) -> None:
    source = str(dem(tmp_path / "in.tif").path)
    gdal.run(SLOPE, {"input": source, "output": str(tmp_path / "first.tif")})
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for number in range(10):
        gdal.run(SLOPE, {"input": source, "output": str(tmp_path / f"{number}.tif")})
        with pytest.raises(ToolError):
            gdal.run(SLOPE, {"input": source, "output": str(tmp_path / "no" / "folder.tif")})
    after = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert after == before


def test_a_full_disk_is_named() -> None:
    messages = gdal._Messages(failures=["TIFFAppendToStrip:Write error: No space left on device"])
    assert isinstance(gdal._failure(SLOPE, messages), NoSpaceError)
