"""Images that are off by a known shift: measured, and put right."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from raster_files import artifact, opened, read, write
from scipy.ndimage import fourier_shift, gaussian_filter

from knowflow.ground.errors import PreconditionError, ToolError
from knowflow.model.artifact import Artifact
from knowflow.tools.registration import apply_shift, coregister, registration_shift


def texture(shape: tuple[int, int], seed: int = 2) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=shape)
    return 0.3 + 0.1 * gaussian_filter(noise, 1.5, mode="wrap") / 0.18


def moved(values: np.ndarray, rows: float, columns: float) -> np.ndarray:
    """Moved down and to the right by a fraction of a pixel, exactly: a phase ramp in the spectrum."""
    return np.fft.ifft2(fourier_shift(np.fft.fft2(values), (rows, columns))).real


def pair(folder: Path, rows: float, columns: float, shape: tuple[int, int] = (300, 400)) -> tuple[Artifact, Artifact]:
    values = texture(shape)
    reference = write(folder / "reference.tif", values.astype(np.float32), nodata=np.nan)
    return write(folder / "raster.tif", moved(values, rows, columns).astype(np.float32), nodata=np.nan), reference


@pytest.mark.parametrize(("rows", "columns"), [(0.0, 0.0), (3.0, -2.0), (0.4, 1.25), (-7.3, 5.85)])
def test_a_known_shift_is_measured_to_a_tenth_of_a_pixel(rows: float, columns: float, tmp_path: Path) -> None:
    (row,) = registration_shift(*pair(tmp_path, rows, columns))
    assert (row["rows"], row["columns"]) == pytest.approx((rows, columns), abs=0.1)
    assert (row["east"], row["north"]) == pytest.approx((10 * row["columns"], -10 * row["rows"]), abs=1e-6)
    assert row["distance"] == pytest.approx(np.hypot(row["east"], row["north"]))


def test_a_large_image_is_measured_by_tiles_that_agree(tmp_path: Path) -> None:
    (row,) = registration_shift(*pair(tmp_path, 2.5, -1.5, (1200, 1300)))
    assert (row["tiles"], row["agreeing"]) == (4, 4)
    assert (row["rows"], row["columns"], row["spread"]) == pytest.approx((2.5, -1.5, 0.0), abs=0.1)


def test_gaps_and_another_contrast_do_not_matter(tmp_path: Path) -> None:
    raster, reference = pair(tmp_path, 2.0, -3.0)
    values = 5 - 20 * read(Path(str(reference.path)))
    values[:40, :60] = np.nan
    (row,) = registration_shift(raster, write(tmp_path / "other.tif", -values, nodata=np.nan))
    assert (row["rows"], row["columns"]) == pytest.approx((2.0, -3.0), abs=0.1)


def test_applying_the_shift_brings_the_image_back_on_its_own_grid(tmp_path: Path) -> None:
    raster, reference = pair(tmp_path, 3.0, -2.0)
    coregister(raster, reference, tmp_path / "out.tif")
    found, wanted = read(tmp_path / "out.tif"), read(Path(str(reference.path)))
    inner = slice(5, -5), slice(5, -5)
    np.testing.assert_allclose(found[inner], wanted[inner], atol=1e-5)
    assert np.isnan(found[-3:]).all()  # nothing is known of what lay beyond the edge
    assert np.isnan(found[:, :2]).all()
    with opened(tmp_path / "out.tif") as written, opened(Path(str(raster.path))) as before:
        assert (written.transform, written.shape, written.crs) == (before.transform, before.shape, before.crs)
    (row,) = registration_shift(artifact(tmp_path / "out.tif"), reference)
    assert row["distance"] == pytest.approx(0.0, abs=0.5)


def test_fractions_of_a_pixel_are_interpolated(tmp_path: Path) -> None:
    raster, reference = pair(tmp_path, 0.5, -1.25)
    coregister(raster, reference, tmp_path / "out.tif", resampling="cubic")
    found, wanted = read(tmp_path / "out.tif"), read(Path(str(reference.path)))
    before = np.nanstd((read(Path(str(raster.path))) - wanted)[5:-5, 5:-5])
    assert np.nanstd((found - wanted)[5:-5, 5:-5]) < 0.1 * before


def test_classes_are_moved_by_whole_pixels_only(tmp_path: Path) -> None:
    values = np.arange(64 * 64).reshape(64, 64).astype(np.uint16) % 7 + 1
    classes = write(tmp_path / "c.tif", values, nodata=0, facts={"quantity": "land_cover_class"})
    apply_shift(classes, 1.4, -2.6, tmp_path / "out.tif")
    found = read(tmp_path / "out.tif")
    np.testing.assert_array_equal(found[:-1, 3:], values[1:, :-3])
    assert not found[-1].any()


def test_images_that_have_nothing_in_common_are_refused(tmp_path: Path) -> None:
    shape = (1200, 1300)
    raster = write(tmp_path / "a.tif", np.random.default_rng(1).normal(size=shape).astype(np.float32))
    reference = write(tmp_path / "b.tif", np.random.default_rng(2).normal(size=shape).astype(np.float32))
    with pytest.raises(ToolError, match="cannot be brought onto each other"):
        coregister(raster, reference, tmp_path / "out.tif")
    flat = write(tmp_path / "flat.tif", np.ones(shape, np.float32))
    with pytest.raises(ToolError, match="no part of the two images can be compared"):
        registration_shift(raster, flat)


def test_a_shift_larger_than_allowed_is_no_shift(tmp_path: Path) -> None:
    raster, reference = pair(tmp_path, 9.0, 0.0)
    with pytest.raises(ToolError, match="at most 5 pixels"):
        coregister(raster, reference, tmp_path / "out.tif", largest=5)


def test_two_grids_are_refused(tmp_path: Path) -> None:
    raster, _ = pair(tmp_path, 0, 0)
    with pytest.raises(PreconditionError):
        registration_shift(raster, write(tmp_path / "small.tif", texture((200, 200)).astype(np.float32)))


def test_clear_dates_of_a_real_scene_lie_on_each_other_within_a_pixel(slovenia: Path) -> None:
    """As Sentinel-2's dates of those years are specified to, with an error that is seldom 0."""
    clear = [path for path in sorted((slovenia / "ndvi").glob("*.tif")) if cloud_share(slovenia, path) < 0.01][:12]
    rows = [registration_shift(artifact(second), artifact(first))[0] for first, second in pairwise(clear)]
    distances = [float(np.hypot(row["rows"], row["columns"])) for row in rows]
    assert np.median(distances) < 0.6
    assert 0 < max(distances) < 1.3


def cloud_share(folder: Path, ndvi: Path) -> float:
    clouds = read(folder / "cloud_mask" / ndvi.name.replace("NDVI", "CLM"))
    return float((clouds != 0).mean())
