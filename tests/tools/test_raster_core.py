"""The block engine against plain numpy, whatever the type, nodata, tiling, grid and cut."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from affine import Affine
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from raster_files import NORTH_UP, UTM, artifact, opened, read, write
from rasterio.windows import Window

from knowflow.ground.errors import (
    DataNotFoundError,
    NoSpaceError,
    RunInterruptedError,
    ToolError,
    UnreadableDataError,
)
from knowflow.model.facts import Origin
from knowflow.tools.context import running
from knowflow.tools.raster import (
    Block,
    Grid,
    GridMismatchError,
    Output,
    blocks,
    deliver_cog,
    engine,
    grid_of,
    looked_at,
    map_blocks,
    map_stack,
    read_array,
    read_stored,
    reduce_blocks,
    sample_statistics,
    write_array,
)
from knowflow.tools.raster.arrays import _spread
from knowflow.tools.raster.blocks import Tiling, tiling
from knowflow.tools.raster.source import Source, handles, lending, open_source

_NUMBER = itertools.count()
_FOLDER: list[Path] = []


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    _FOLDER[:] = [tmp_path_factory.mktemp("rasters")]


def new_file() -> Path:
    return _FOLDER[0] / f"{next(_NUMBER)}.tif"


@contextmanager
def cut_into(rows: int, columns: int) -> Iterator[None]:
    """Small windows, so that small rasters have many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "tiling", lambda shape, *_: Tiling(shape, rows, columns, 16))
        patch.setattr(blocks, "_STRIP_PIXELS", 100)
        yield


@dataclass(frozen=True)
class Scene:
    stored: NDArray[Any]
    nodata: float | None
    scale: float
    offset: float
    mask: NDArray[np.bool_] | None
    profile: dict[str, Any]

    @property
    def gone(self) -> NDArray[np.bool_]:
        gone = np.zeros(self.stored.shape, dtype=bool)
        if self.stored.dtype.kind == "f":
            gone |= np.isnan(self.stored)
        if self.nodata is not None and not math.isnan(self.nodata):
            gone |= self.stored == self.nodata
        if self.mask is not None:
            gone |= ~self.mask
        return gone

    @property
    def physical(self) -> NDArray[np.float64]:
        return np.where(self.gone, np.nan, self.stored.astype(np.float64) * self.scale + self.offset)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    dtype = np.dtype(draw(st.sampled_from(["uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"])))
    rows, columns = draw(st.integers(1, 70)), draw(st.integers(1, 70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if dtype.kind == "f":
        stored = rng.normal(0, 100, (rows, columns)).round(2).astype(dtype)
        stored[rng.random((rows, columns)) < draw(st.sampled_from([0, 0.3, 1]))] = np.nan
        nodata = draw(st.sampled_from([None, math.nan, -9999.0]))
    else:
        stored = rng.integers(0, 120, (rows, columns)).astype(dtype)
        nodata = draw(st.sampled_from([None, 0.0, 7.0]))
    if nodata is not None and not math.isnan(nodata):
        stored[rng.random((rows, columns)) < 0.2] = nodata
    mask = rng.random((rows, columns)) < 0.7 if nodata is None and draw(st.booleans()) else None
    tiled = draw(st.booleans())
    profile = {"tiled": True, "blockxsize": 16, "blockysize": 32} if tiled else {"blockysize": draw(st.integers(1, 9))}
    scale, offset = draw(st.sampled_from([(1.0, 0.0), (0.01, -0.1), (-2.0, 5.0)]))
    return Scene(stored, nodata, scale, offset, mask, profile)


def stored_as(scene: Scene, **more: Any) -> Any:
    return write(
        new_file(),
        scene.stored,
        nodata=scene.nodata,
        scale=scene.scale,
        offset=scene.offset,
        mask=scene.mask,
        **scene.profile,
        **more,
    )


cuts = st.tuples(st.integers(1, 5).map(lambda n: 16 * n), st.integers(1, 5).map(lambda n: 16 * n))
transforms = st.sampled_from([None, NORTH_UP, Affine(8.0, 6.0, 1e5, 6.0, -8.0, 2e6), Affine(0.1, 0, 179.5, 0, -0.1, 3)])


@settings(max_examples=80, deadline=None)
@given(scenes(), cuts, transforms, st.sampled_from([None, UTM, "EPSG:4326"]), st.booleans())
def test_blocks_are_the_physical_values_of_the_raster_however_it_is_stored_and_cut(
    scene: Scene, cut: tuple[int, int], transform: Affine | None, crs: str | None, pointwise: bool
) -> None:
    raster, output = stored_as(scene, crs=crs, transform=transform), new_file()
    written = Output(output, quantity="ndvi", unit="1")
    with cut_into(*cut):
        map_blocks(lambda block: block["raster"], {"raster": raster}, written, pointwise=pointwise)
    np.testing.assert_allclose(read(output), scene.physical.astype(np.float32), rtol=1e-6, atol=1e-6)
    with opened(output) as written:
        assert written.crs == (None if crs is None else written.crs.from_string(crs))
        assert written.transform.almost_equals(transform or Affine.identity())
        assert math.isnan(written.nodata)
        assert (written.tags()["QUANTITY"], written.tags()["UNIT"], written.units) == ("ndvi", "1", ("1",))
        tags = written.tags(1)
    finite = scene.physical[~scene.gone]
    assert float(tags["KNOWFLOW_FINITE_FRACTION"]) == pytest.approx(finite.size / scene.stored.size)
    assert float(tags["STATISTICS_VALID_PERCENT"]) == pytest.approx(100 * finite.size / scene.stored.size)
    if finite.size:
        assert float(tags["STATISTICS_MINIMUM"]) == pytest.approx(finite.min(), rel=1e-5, abs=1e-5)
        assert float(tags["STATISTICS_MAXIMUM"]) == pytest.approx(finite.max(), rel=1e-5, abs=1e-5)
        assert float(tags["STATISTICS_MEAN"]) == pytest.approx(finite.mean(), rel=1e-4, abs=1e-4)
        assert float(tags["STATISTICS_STDDEV"]) == pytest.approx(finite.std(), rel=1e-4, abs=1e-4)
    else:
        assert "STATISTICS_MINIMUM" not in tags


@settings(max_examples=60, deadline=None)
@given(scenes(), cuts, st.booleans())
def test_a_copy_keeps_type_nodata_scale_and_every_stored_number(
    scene: Scene, cut: tuple[int, int], pointwise: bool
) -> None:
    raster, output = stored_as(scene, tags={"QUANTITY": "ndvi", "SENSOR": "sentinel-2"}), new_file()
    with cut_into(*cut):
        like = Output.like(output, raster)
        map_blocks(lambda block: block.stored("raster"), {"raster": raster}, like, pointwise=pointwise)
    with opened(output) as written:
        assert written.dtypes[0] == scene.stored.dtype.name
        assert (written.scales[0], written.offsets[0]) == (scene.scale, scene.offset)
        assert written.tags()["SENSOR"] == "sentinel-2"
        assert written.tags()["QUANTITY"] == "ndvi"
    again = read_stored(artifact(output))
    np.testing.assert_array_equal(again.mask, scene.gone)
    np.testing.assert_array_equal(again.data[~scene.gone], scene.stored[~scene.gone])
    np.testing.assert_array_equal(read_array(artifact(output)), read_array(raster))


@settings(max_examples=40, deadline=None)
@given(scenes(), cuts)
def test_a_kernel_of_pixels_may_fill_the_room_it_is_given_and_knows_where_it_is(
    scene: Scene, cut: tuple[int, int]
) -> None:
    raster, output, place = stored_as(scene, transform=NORTH_UP), new_file(), new_file()

    def doubled(block: Block) -> NDArray[Any]:
        assert block.room is not None
        return np.multiply(block["raster"], np.float32(2), out=block.room)

    def number(block: Block) -> NDArray[Any]:
        rows = np.arange(block.shape[0])[:, None] + block.window.row_off
        assert block.transform @ (0, 0) == NORTH_UP @ (block.window.col_off, block.window.row_off)
        return np.asarray(rows * 1000 + np.arange(block.shape[1]) + block.window.col_off, dtype=np.int32)

    with cut_into(*cut):
        map_blocks(doubled, {"raster": raster}, Output(output), pointwise=True)
        map_blocks(number, {"raster": raster}, Output(place, dtype="int32", nodata=None), pointwise=True)
    np.testing.assert_allclose(read(output), 2 * scene.physical.astype(np.float32), rtol=1e-6, atol=1e-6)
    rows, columns = np.indices(scene.stored.shape)
    np.testing.assert_array_equal(read(place), rows * 1000 + columns)


@settings(max_examples=40, deadline=None)
@given(scenes(), cuts, st.integers(1, 4))
def test_a_halo_makes_neighbourhoods_independent_of_the_cut(scene: Scene, cut: tuple[int, int], reach: int) -> None:
    raster, output = stored_as(scene), new_file()

    def kernel(block: Block) -> NDArray[Any]:
        shifted = np.roll(block["raster"], (reach, -reach), axis=(0, 1))
        return np.where(np.isnan(shifted), block["raster"], shifted)

    with cut_into(*cut):
        map_blocks(kernel, {"raster": raster}, Output(output), halo=reach)
    padded = np.pad(scene.physical, reach, constant_values=np.nan)
    rows, columns = scene.stored.shape
    shifted = padded[:rows, 2 * reach : 2 * reach + columns]
    expected = np.where(np.isnan(shifted), scene.physical, shifted)
    np.testing.assert_allclose(read(output), expected.astype(np.float32), rtol=1e-6, atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(scenes(), cuts)
def test_a_reduction_sees_every_pixel_once_and_in_order(scene: Scene, cut: tuple[int, int]) -> None:
    raster = stored_as(scene)

    def kernel(block: Block) -> list[tuple[int, int, int]]:
        return [(int(block.window.row_off), int(block.window.col_off), int(block.valid("raster").sum()))]

    with cut_into(*cut):
        parts = reduce_blocks(kernel, {"raster": raster}, [], lambda total, part: total + part)
    assert sum(count for _, _, count in parts) == np.count_nonzero(~scene.gone)
    assert [part[:2] for part in parts] == sorted(part[:2] for part in parts)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(1, 40), st.integers(1, 40), cuts, st.integers(0, 1000), st.booleans())
def test_a_stack_is_the_series_in_its_order(
    length: int, rows: int, columns: int, cut: tuple[int, int], seed: int, pointwise: bool
) -> None:
    rng = np.random.default_rng(seed)
    layers = rng.normal(size=(length, rows, columns)).astype(np.float32)
    layers[rng.random(layers.shape) < 0.2] = np.nan
    series = [write(new_file(), layer) for layer in layers]
    weight = write(new_file(), np.full((rows, columns), 3, dtype=np.uint8))
    first, count = new_file(), new_file()

    def kernel(block: Block) -> dict[str, NDArray[Any]]:
        stack = block["series"]
        assert stack.shape == (length, *block.shape)
        assert np.array_equal(block.valid("series"), ~np.isnan(stack))
        return {"first": stack[0] * block["weight"], "count": block.valid("series").sum(axis=0)}

    outputs = {"first": Output(first), "count": Output(count, dtype="uint8", nodata=None)}
    with cut_into(*cut):
        map_stack(kernel, series, outputs, others={"weight": weight}, pointwise=pointwise)
    np.testing.assert_array_equal(read(first), layers[0] * np.float32(3))
    np.testing.assert_array_equal(read(count), (~np.isnan(layers)).sum(axis=0))


def test_facts_of_the_artifact_override_the_header(tmp_path: Path) -> None:
    stored = np.array([[0, 1, 2], [3, 4, 255]], dtype=np.uint8)
    known = {"nodata": 255, "scale": 0.5, "offset": 1.0, "crs": UTM, "resolution": (20.0, 20.0), "quantity": "ndvi"}
    raster = write(tmp_path / "plain.tif", stored, crs=None, transform=None, nodata=0, facts=known)
    np.testing.assert_array_equal(read_array(raster), [[1, 1.5, 2], [2.5, 3, np.nan]])
    assert grid_of(raster) == Grid(UTM, Affine(20, 0, 0, 0, -20, 40), (2, 3), placed=False)


def test_scale_in_tags_counts_where_the_band_has_none(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[10]], dtype=np.int16), tags={"SCALE": "0.1", "OFFSET": "2"})
    assert read_array(raster)[0, 0] == np.float32(3)


def test_a_nodata_value_outside_the_type_marks_nothing(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[1, 241]], dtype=np.uint8), facts={"nodata": -9999.0})
    np.testing.assert_array_equal(read_array(raster), [[1, 241]])  # 241 is -9999 modulo 256


def test_large_integers_keep_their_digits_until_they_are_scaled(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[2_000_000_001]], dtype=np.int32), scale=1.0, offset=-2e9)
    assert read_array(raster)[0, 0] == 1.0


def test_infinite_values_are_data_but_not_finite(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[1, np.inf, np.nan, 3]], dtype=np.float32))
    found = sample_statistics(raster)
    assert (found.valid_fraction, found.finite_fraction) == (0.75, 0.5)
    assert (found.minimum, found.maximum, found.mean) == (1, 3, 2)


def test_statistics_of_scaled_numbers_are_physical(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[100, 300]], dtype=np.int16), scale=-0.01, offset=1.0)
    map_blocks(lambda b: b.stored("raster"), {"raster": raster}, Output.like(tmp_path / "b.tif", raster))
    with opened(tmp_path / "b.tif") as written:
        tags = written.tags(1)
    assert float(tags["STATISTICS_MINIMUM"]) == pytest.approx(-2)
    assert float(tags["STATISTICS_MAXIMUM"]) == pytest.approx(0)
    assert float(tags["STATISTICS_STDDEV"]) == pytest.approx(1)


def test_a_sample_of_a_large_raster_is_bounded_and_spread(tmp_path: Path) -> None:
    values = np.tile(np.arange(1500, dtype=np.float32), (1400, 1))
    values[:, :750] = np.nan
    found = sample_statistics(write(tmp_path / "a.tif", values))
    assert found.total == 16 * 256 * 256
    assert found.valid_fraction == pytest.approx(0.5, abs=0.1)
    assert found.maximum == 1499


def test_rasters_on_different_grids_are_refused_by_name(tmp_path: Path) -> None:
    red = write(tmp_path / "red.tif", np.ones((4, 4), dtype=np.float32))
    nir = write(tmp_path / "nir.tif", np.ones((4, 4), dtype=np.float32), transform=NORTH_UP @ Affine.translation(1, 0))
    with pytest.raises(GridMismatchError, match="nir is not on the grid of red"):
        map_blocks(lambda b: b["red"], {"red": red, "nir": nir}, Output(tmp_path / "out.tif"))
    assert not (tmp_path / "out.tif").exists()


def test_a_raster_of_several_bands_is_refused_where_one_is_meant(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((3, 4, 4), dtype=np.uint8), descriptions=("red", "green", "blue"))
    with pytest.raises(ToolError, match="3 bands") as caught:
        read_array(raster)
    assert "red, green, blue" in str(caught.value)
    assert "select_band" in str(caught.value)


def test_an_empty_series_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no raster to work on"):
        map_stack(lambda b: b["series"][0], [], Output(tmp_path / "out.tif"))


@pytest.mark.parametrize("kept", [0.5, 0.95])
def test_a_truncated_file_is_named_and_leaves_no_output(tmp_path: Path, kept: float) -> None:
    whole = write(tmp_path / "whole.tif", np.random.default_rng(0).normal(size=(1300, 700)).astype(np.float32))
    deliver_cog(whole, tmp_path / "cog.tif")
    for name in ("whole.tif", "cog.tif"):  # one has its header at the end, the other at its beginning
        content = (tmp_path / name).read_bytes()
        cut = tmp_path / f"cut_{name}"
        cut.write_bytes(content[: int(kept * len(content))])
        with pytest.raises(UnreadableDataError, match=cut.name):
            map_blocks(lambda b: b["raster"], {"raster": artifact(cut)}, Output(tmp_path / "out.tif"))
        assert not (tmp_path / "out.tif").exists()


def test_what_is_no_raster_and_what_is_not_there_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "text.tif").write_text("not a raster")
    with pytest.raises(UnreadableDataError, match=r"text\.tif"):
        read_array(artifact(tmp_path / "text.tif"))
    with pytest.raises(DataNotFoundError, match=r"none\.tif"):
        read_array(artifact(tmp_path / "none.tif"))


def test_a_kernel_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((60, 60), dtype=np.float32))

    def kernel(block: Block) -> NDArray[Any]:
        if block.window.row_off:
            raise ToolError("no")
        return block["raster"]

    with cut_into(16, 16), pytest.raises(ToolError, match="no"):
        map_blocks(kernel, {"raster": raster}, {"": Output(tmp_path / "out" / "b.tif")})
    assert list((tmp_path / "out").iterdir()) == []


def test_a_kernel_of_another_shape_is_refused(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((6, 6), dtype=np.float32))
    with pytest.raises(ToolError, match="another shape"):
        map_blocks(lambda b: b["raster"][:-1], {"raster": raster}, Output(tmp_path / "out.tif"))


def test_progress_grows_to_one_and_cancellation_stops_and_cleans_up(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((64, 64), dtype=np.float32))
    seen: list[float] = []
    with cut_into(16, 16), running(seen.append):
        map_blocks(lambda b: b["raster"], {"raster": raster}, Output(tmp_path / "all.tif"))
    assert seen == [n / 16 for n in range(1, 17)]
    seen.clear()
    with (
        cut_into(16, 16),
        running(seen.append, lambda: len(seen) >= 3),
        pytest.raises(RunInterruptedError),
    ):
        map_blocks(lambda b: b["raster"], {"raster": raster}, Output(tmp_path / "part.tif"))
    assert len(seen) == 3
    assert not (tmp_path / "part.tif").exists()


def test_a_full_disk_is_noticed_before_anything_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raster = write(tmp_path / "a.tif", np.ones((64, 64), dtype=np.float32))

    class Full:
        free = 1000

    monkeypatch.setattr("knowflow.tools.raster.writer.shutil.disk_usage", lambda _: Full)
    with pytest.raises(NoSpaceError, match="no space is left"):
        map_blocks(lambda b: b["raster"], {"raster": raster}, Output(tmp_path / "out.tif"))
    assert not (tmp_path / "out.tif").exists()


def test_a_file_that_lost_tiles_is_not_accepted(tmp_path: Path) -> None:
    from knowflow.tools.raster.writer import verify_tiles

    raster = write(
        tmp_path / "a.tif",
        np.ones((64, 64), dtype=np.float32),
        tiled=True,
        blockxsize=16,
        blockysize=16,
        sparse_ok=True,
    )
    verify_tiles(Path(str(raster.path)))
    hollow = tmp_path / "hollow.tif"
    write(hollow, np.zeros((64, 64), dtype=np.float32), tiled=True, blockxsize=16, blockysize=16, sparse_ok=True)
    with pytest.raises(ToolError, match="not in the file"):
        verify_tiles(hollow)


def test_an_integer_output_takes_rounded_numbers_and_its_nodata_for_nan(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.array([[1.4, 1.6, np.nan, 300.0, -5.0]], dtype=np.float32))
    map_blocks(lambda b: b["raster"], {"raster": raster}, Output(tmp_path / "b.tif", dtype="uint8", nodata=7))
    np.testing.assert_array_equal(read(tmp_path / "b.tif"), [[1, 2, 7, 255, 0]])


def test_whole_arrays_are_written_on_a_grid_and_refused_off_it(tmp_path: Path) -> None:
    grid = Grid(UTM, NORTH_UP, (3, 4))
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    write_array(Output(tmp_path / "a.tif", unit="K"), values, grid, tags={"DATETIME": "2022-07-01"})
    np.testing.assert_array_equal(read(tmp_path / "a.tif"), values)
    with opened(tmp_path / "a.tif") as written:
        assert written.tags()["DATETIME"] == "2022-07-01"
    with pytest.raises(ToolError, match="does not fit its grid"):
        write_array(Output(tmp_path / "b.tif"), values.T, grid)


def test_a_raster_too_large_to_be_held_is_refused(tmp_path: Path) -> None:
    raster = write(tmp_path / "a.tif", np.ones((30, 30), dtype=np.uint8))
    with pytest.raises(ToolError, match="too large"):
        read_array(raster, max_pixels=100)


@given(
    st.tuples(st.integers(1, 30000), st.integers(1, 30000)),
    st.lists(st.sampled_from([(512, 512), (1024, 1024), (1, 10980), (256, 256), (9, 300)]), min_size=1, max_size=300),
    st.integers(1, 300),
)
def test_windows_cover_the_raster_once_and_stay_bounded(
    shape: tuple[int, int], blocks: list[tuple[int, int]], written: int
) -> None:
    tiles = tiling(shape, blocks, written)
    assert tiles.rows % tiles.tile == 0
    assert tiles.columns % tiles.tile == 0
    assert tiles.rows * tiles.columns * (len(blocks) + written - 1) <= 64 << 20
    rows, columns = -(-shape[0] // tiles.rows), -(-shape[1] // tiles.columns)
    assert len(tiles) == rows * columns
    if len(tiles) < 200:
        assert sum(int(w.width) * int(w.height) for w in tiles.windows()) == shape[0] * shape[1]


@pytest.mark.parametrize("dates", [12, 36, 72, 365])
def test_one_raster_written_per_date_makes_windows_and_tiles_smaller(dates: int) -> None:
    together = [tiling((10980, 10980), [(512, 512)] * dates, written) for written in (1, dates)]
    one, each = (tiles.rows * tiles.columns for tiles in together)
    assert each < one
    assert each * (2 * dates - 1) <= 12 << 20
    assert together[1].tile <= together[0].tile


@given(st.integers(1, 20_000), st.integers(1, 20_000), st.integers(1, 8))
def test_a_sample_reaches_all_edges_and_cuts_few_tiles(rows: int, columns: int, count: int) -> None:
    windows = _spread(rows, columns, count)
    assert len(windows) <= count * count
    assert all(0 < w.width <= 256 and 0 < w.height <= 256 for w in windows)
    assert min(w.row_off for w in windows) == min(w.col_off for w in windows) == 0
    if count > 1:
        assert max(w.row_off + w.height for w in windows) == rows
        assert max(w.col_off + w.width for w in windows) == columns
    tiles = {
        (row, column)
        for w in windows
        for row in range(w.row_off // 512, (w.row_off + w.height - 1) // 512 + 1)
        for column in range(w.col_off // 512, (w.col_off + w.width - 1) // 512 + 1)
    }
    assert len(tiles) <= (count + 1) ** 2


LAYERS = st.tuples(
    st.sampled_from(["float32", "float64", "int16"]),
    st.sampled_from([None, np.nan, -7.0]),
    st.sampled_from([1.0, 0.5]),
)


@settings(max_examples=25)
@given(st.lists(LAYERS, min_size=1, max_size=5), st.integers(0, 2))
def test_the_values_of_a_series_are_those_of_its_files_however_they_store_them(
    tmp_path_factory: pytest.TempPathFactory, layers: list[tuple[str, float | None, float]], halo: int
) -> None:
    folder = tmp_path_factory.mktemp("series")
    items, expected = [], []
    for number, (dtype, nodata, scale) in enumerate(layers):
        stored = np.arange(-12, 18).reshape(5, 6).astype(dtype) + number
        if dtype != "int16":
            stored[number, number] = np.nan
        nodata = None if dtype == "int16" and nodata is not None and np.isnan(nodata) else nodata
        items.append(write(folder / f"{number}.tif", stored, nodata=nodata, scale=scale))
        values = stored.astype(float)
        expected.append(np.where(values == nodata, np.nan, values * scale) if nodata is not None else values * scale)
    seen = []
    map_stack(lambda b: seen.append(b["series"]) or b["series"][0], items, Output(folder / "out.tif"), halo=halo)
    inner = slice(halo, -halo or None)
    np.testing.assert_array_equal(seen[0][:, inner, inner], np.stack(expected))
    assert halo == 0 or np.isnan(seen[0][:, 0]).all()


def test_an_infinite_value_of_any_date_is_refused(tmp_path: Path) -> None:
    values = np.ones((3, 4), dtype=np.float32)
    items = [write(tmp_path / f"{n}.tif", values if n != 1 else values * np.inf) for n in range(3)]
    with pytest.raises(ToolError, match="infinite") as caught:
        map_stack(lambda block: block["series"][0], items, Output(tmp_path / "out.tif"))
    assert str(items[1].path) == caught.value.where


@pytest.mark.parametrize(("dates", "columns"), [(2, 2048), (6, 2048), (12, 1024), (24, 512), (48, 512)])
def test_a_block_of_many_dates_is_no_wider_than_a_tile(dates: int, columns: int) -> None:
    tiles = tiling((10980, 10980), [(512, 512)] * dates)
    assert (tiles.rows, tiles.columns, tiles.tile) == (512, columns, 512)


def test_who_looks_at_a_file_with_other_facts_reads_it_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    plain = Source.read_stored

    def counted(self: Source, *args: Any, **more: Any) -> Any:
        reads.append(self.path)
        return plain(self, *args, **more)

    monkeypatch.setattr(Source, "read_stored", counted)
    stored = np.arange(12, dtype=np.uint16).reshape(3, 4)
    raster = write(tmp_path / "a.tif", stored)
    scaled = raster.with_facts(raster.facts.put("scale", 0.5, Origin.USER).put("nodata", 4, Origin.USER))
    assert np.array_equal(next(looked_at(raster)), stored)
    assert np.array_equal(next(looked_at(scaled)), np.where(stored == 4, np.nan, stored / 2), equal_nan=True)
    assert (sample_statistics(scaled).maximum, len(reads)) == (5.5, 1)
    write(tmp_path / "a.tif", stored + 1)
    assert np.array_equal(next(looked_at(raster)), stored + 1)


def test_what_of_a_series_lies_beyond_its_rasters_is_missing(tmp_path: Path) -> None:
    values = np.arange(30, dtype=np.float32).reshape(5, 6)
    items = [write(tmp_path / f"{n}.tif", values + n) for n in range(2)]
    expected = np.full((2, 8, 8), np.nan)
    expected[:, :5, :4] = np.stack([values, values + 1])[:, :, 2:]
    with handles() as readers:
        series = tuple(open_source(item, readers) for item in items)
        block = Block({"series": series}, readers, series[0].grid, Window(2, 0, 8, 8))
        np.testing.assert_array_equal(block["series"], expected)


@pytest.mark.parametrize(("most", "opened_again"), [(64, False), (63, True)])
def test_what_was_looked_at_stays_open_for_the_work_where_it_is_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, opened_again: bool
) -> None:
    monkeypatch.setattr("knowflow.tools.raster.source._LENT_PIXELS", most)
    raster = write(tmp_path / "a.tif", np.ones((8, 8), np.float32))
    path = str(raster.path)
    with lending() as lender:
        with lender.looking(), handles() as readers:
            first = readers.get(path)
        with handles() as readers:
            second = readers.get(path)
            assert (second is not first, first.closed) == (opened_again, opened_again)
        assert second.closed == opened_again
    assert first.closed
    assert second.closed
    with handles() as readers:
        assert not readers.get(path).closed
