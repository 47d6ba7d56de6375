"""Faults of how data come, where they lie and what stands in them are what they are called."""

from __future__ import annotations

import os
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from fault_sites import site

from knowflow_bench.faults.injection.files import FILE_FAULTS, LAYER_FAULTS
from knowflow_bench.faults.injection.machine import MACHINE_FAULTS


def read(path: Path) -> tuple[Any, Any, Any]:
    with rasterio.open(path) as source:
        return source.read(1), source.transform, source.crs


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # rasterio's own
def test_rows_from_south_to_north_lie_where_they_lay(tmp_path: Path) -> None:
    one = site(tmp_path)
    before = {path.name: read(path) for path in one.rasters}
    FILE_FAULTS["south_up"](one)
    (touched,) = one.touched
    pixels, transform, _ = read(tmp_path / touched)
    old_pixels, old_transform, _ = before[touched]
    assert transform.e == -old_transform.e
    np.testing.assert_array_equal(pixels[::-1], old_pixels)
    assert transform @ (0.5, 47.5) == pytest.approx(old_transform @ (0.5, 0.5))


@pytest.mark.filterwarnings("ignore:Use `@` matmul:PendingDeprecationWarning")  # rasterio's own
def test_longitudes_run_across_the_dateline(tmp_path: Path) -> None:
    one = site(tmp_path, "pacific_area")
    before, *_ = read(one.rasters[0])
    FILE_FAULTS["longitudes"](one, start=0)
    after, _, crs = read(one.rasters[0])
    with rasterio.open(one.rasters[0]) as source:
        assert source.bounds.left < 180 < source.bounds.right
    assert crs == "EPSG:4326"
    assert float(np.nanmean(after)) == pytest.approx(float(np.mean(before)), rel=0.05)


def test_links_archives_and_endings(tmp_path: Path) -> None:
    linked = site(tmp_path / "a" / "data")
    FILE_FAULTS["linked"](linked)
    assert all(path.is_symlink() and path.exists() for path in linked.rasters)
    FILE_FAULTS["broken_link"](linked)
    assert sum(not path.exists() for path in linked.rasters) == 1
    packed = site(tmp_path / "b" / "data")
    FILE_FAULTS["zipped"](packed)
    assert zipfile.is_zipfile(packed.folder / packed.touched[0])
    FILE_FAULTS["ending"](packed, suffix="")
    assert packed.rasters == []


def test_names_and_times_change_and_content_does_not(tmp_path: Path) -> None:
    one = site(tmp_path / "data")
    content = [path.read_bytes() for path in one.rasters]
    old = one.rasters[0].stat().st_mtime
    FILE_FAULTS["touched"](one)
    assert one.rasters[0].stat().st_mtime > old
    FILE_FAULTS["rename"](one, like="a 'b' {}")
    assert [path.name for path in one.rasters] == ["a 'b' lst_2021-06-01.tif", "a 'b' ndvi_2021-06-01.tif"]
    assert sorted(path.read_bytes() for path in one.rasters) == sorted(content)


def test_a_mask_beside_says_what_is_missing(tmp_path: Path) -> None:
    one = site(tmp_path, "share_ndvi")
    FILE_FAULTS["mask_beside"](one, share=0.1, value=0.99)
    with rasterio.open(one.rasters[0]) as source:
        masked = source.read_masks(1) == 0
        assert 0.03 < float(masked.mean()) < 0.2
        np.testing.assert_allclose(source.read(1)[masked], 0.99)


def test_reduced_images_show_other_pixels(tmp_path: Path) -> None:
    one = site(tmp_path, "share_ndvi")
    FILE_FAULTS["stale_overviews"](one)
    with rasterio.open(one.rasters[0]) as source:
        full, reduced = source.read(1), source.read(1, out_shape=(12, 12))
    assert float(reduced.min()) == pytest.approx(float(full.max()))


def test_numbers_lose_their_upper_digits(tmp_path: Path) -> None:
    one = site(tmp_path, "hot")
    before, *_ = read(one.rasters[0])
    FILE_FAULTS["overflow"](one, dtype="uint8")
    after, *_ = read(one.rasters[0])
    np.testing.assert_array_equal(after, np.round(before) % 256)


def test_bands_hold_each_other_and_classes_stand_for_masks(tmp_path: Path) -> None:
    one = site(tmp_path / "v", "vegetation")
    (old,), (new,) = one.scene.layers, LAYER_FAULTS["exchanged"](one)
    assert (new.bands["red"], new.bands["nir"]) == (old.bands["nir"], old.bands["red"])
    masks = site(tmp_path / "m", "mean_ndvi_clouds")
    FILE_FAULTS["scene_classes"](masks)
    assert set(np.unique(read(tmp_path / "m" / "clouds_2021-05-01.tif")[0])) <= {4, 5, 8, 9}


def test_the_machine_may_stand_elsewhere_and_in_another_time(tmp_path: Path) -> None:
    before = (time.tzname, os.environ.get("TZ"))
    with MACHINE_FAULTS["far_away"](tmp_path / "out"):
        assert time.timezone == -14 * 3600
    assert (time.tzname, os.environ.get("TZ")) == before
    with MACHINE_FAULTS["clock_back"](tmp_path / "out"):
        first, second = time.time(), time.time()
        assert second < first
    with MACHINE_FAULTS["home_read_only"](tmp_path / "out"), pytest.raises(PermissionError):
        (tmp_path / "home" / "runs").mkdir(parents=True)
    with MACHINE_FAULTS["taken"](tmp_path / "out"):
        assert (tmp_path / "out").is_file()
