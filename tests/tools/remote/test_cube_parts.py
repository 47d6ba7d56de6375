"""netCDF and HDF5 files read by their parts: the numbers that scipy and h5py wrote, whatever is asked of them."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.io import netcdf_file

from knowflow.ground.errors import RemoteDataError, UnreadableDataError
from knowflow.ground.references import State
from knowflow.tools.remote import netcdf3, ranges
from knowflow.tools.remote.cube_array import Array
from knowflow.tools.remote.hdf5_file import arrays_in
from knowflow.tools.remote.ranges import RangeFile, Ranges

ADDRESS = "https://host/cube.nc"


@dataclass
class Held:
    """An object elsewhere that is held here, and what was asked of it."""

    content: bytes
    asked: list[tuple[int, int]]

    def read(self, _address: str, start: int, size: int) -> bytes:
        self.asked.append((start, size))
        return self.content[start : start + size]


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], tuple[Ranges, Held]]:
    def of(content: bytes) -> tuple[Ranges, Held]:
        one = Held(content, [])
        monkeypatch.setattr(ranges, "read", one.read)
        return Ranges(ADDRESS, State("etag", len(content))), one

    return of


@st.composite
def places(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int | slice, ...]:
    """One number or slice for each axis; the last two are slices."""
    found: list[int | slice] = []
    for number, size in enumerate(shape):
        first = draw(st.integers(0, size - 1))
        if number < len(shape) - 2 and draw(st.booleans()):
            found.append(first)
        else:
            found.append(slice(first, draw(st.integers(first + 1, size))))
    return tuple(found)


@st.composite
def cubes(draw: st.DrawFn) -> tuple[dict[str, NDArray[Any]], bool]:
    """Arrays that share their first axis, which may be the one that grows."""
    first = draw(st.integers(1, 4))
    kinds = st.sampled_from(["i1", "i2", "i4", "f4", "f8"])
    random = np.random.default_rng(draw(st.integers(0, 1000)))
    shapes = draw(st.lists(st.lists(st.integers(1, 5), min_size=0, max_size=3), min_size=1, max_size=3))
    return {
        f"v{number}": random.integers(-100, 100, (first, *shape)).astype(draw(kinds))
        for number, shape in enumerate(shapes)
    }, draw(st.booleans())


def classic(arrays: dict[str, NDArray[Any]], grows: bool, version: int) -> bytes:
    stream = io.BytesIO()
    file = netcdf_file(stream, "w", version=version)
    file.history = "written by a test"
    first = next(iter(arrays.values())).shape[0]
    file.createDimension("t", None if grows else first)
    for name, values in arrays.items():
        axes = ["t"]
        for number, size in enumerate(values.shape[1:]):
            file.createDimension(f"{name}_{number}", size)
            axes.append(f"{name}_{number}")
        variable = file.createVariable(name, values.dtype, axes)
        variable[:] = values
        variable.units = "K"
    file.flush()
    return stream.getvalue()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data(), cube=cubes(), version=st.sampled_from([1, 2]))
def test_any_place_of_a_classic_file_holds_what_was_written(
    data: st.DataObject,
    cube: tuple[dict[str, NDArray[Any]], bool],
    version: int,
    held: Callable[[bytes], tuple[Ranges, Held]],
) -> None:
    arrays, grows = cube
    found = netcdf3.arrays_in(held(classic(arrays, grows, version))[0])
    assert found[""].said["history"] == "written by a test"
    for name, values in arrays.items():
        one = found[name]
        assert (one.shape, one.dtype, one.said["units"]) == (values.shape, values.dtype.name, "K")
        assert np.array_equal(one.values(), values)
        place = data.draw(places(values.shape))
        assert np.array_equal(one.read(place), values[place])


def hdf5(path: Path, **made: Any) -> bytes:
    with h5py.File(path, "w") as file:
        for name, size in (("t", 3), ("y", 200), ("x", 300)):
            file[name] = np.arange(size, dtype="f8")
            file[name].make_scale(name)
        values = np.random.default_rng(0).integers(0, 9999, (3, 200, 300)).astype("i2")
        stored = file.create_dataset("v", data=values, chunks=(1, 100, 100), compression="gzip", **made)
        for number, name in enumerate("tyx"):
            stored.dims[number].attach_scale(file[name])
        stored.attrs["units"] = np.bytes_("K")
    return path.read_bytes()


def test_of_an_hdf5_file_the_chunks_come_that_are_asked_for(
    tmp_path: Path, held: Callable[[bytes], tuple[Ranges, Held]]
) -> None:
    read, object_ = held(hdf5(tmp_path / "cube.nc"))
    one = arrays_in(read)["v"]
    assert (one.axes, one.shape, one.chunks) == (("t", "y", "x"), (3, 200, 300), (1, 100, 100))
    assert (one.said["units"], one.fill) == ("K", None)
    object_.asked.clear()
    with h5py.File(tmp_path / "cube.nc") as file:
        assert np.array_equal(one.read((1, slice(0, 100), slice(100, 200))), file["v"][1, :100, 100:200])
        chunk = file["v"].id.get_chunk_info_by_coord((1, 0, 100))
    assert (chunk.byte_offset, chunk.size) in object_.asked
    assert sum(size for _, size in object_.asked) < 2 * chunk.size + 3 * 2**14


def test_what_stands_where_nothing_was_written_counts_where_it_was_chosen(
    tmp_path: Path, held: Callable[[bytes], tuple[Ranges, Held]]
) -> None:
    assert arrays_in(held(hdf5(tmp_path / "cube.nc", fillvalue=-9))[0])["v"].fill == -9


def outside(file: Any) -> None:
    file["v"] = h5py.ExternalLink("/etc/hostname.h5", "/v")


def virtual(file: Any) -> None:
    layout = h5py.VirtualLayout((2, 2), "f4")
    layout[...] = h5py.VirtualSource("other.h5", "v", (2, 2))
    file.create_virtual_dataset("v", layout)


def raw(file: Any) -> None:
    file.create_dataset("v", (2, 2), "f4", external=[("other.bin", 0, 16)])


def grouped(file: Any) -> None:
    file["g/v"] = np.zeros((2, 2))


@pytest.mark.parametrize("make", [outside, virtual, raw, grouped])
def test_a_file_whose_data_are_elsewhere_or_in_groups_is_not_read_by_its_parts(
    make: Callable[[Any], None], tmp_path: Path, held: Callable[[bytes], tuple[Ranges, Held]]
) -> None:
    with h5py.File(tmp_path / "cube.h5", "w") as file:
        make(file)
    with pytest.raises(UnreadableDataError, match="by its parts"):
        arrays_in(held((tmp_path / "cube.h5").read_bytes())[0])


@pytest.mark.parametrize("reader", [netcdf3.arrays_in, arrays_in])
def test_a_file_that_is_cut_is_named(
    reader: Callable[[Ranges], dict[str, Array]], tmp_path: Path, held: Callable[[bytes], tuple[Ranges, Held]]
) -> None:
    whole = classic({"v": np.zeros((2, 3), "f4")}, False, 1) if reader is netcdf3.arrays_in else hdf5(tmp_path / "c.nc")
    for size in (4, 20, 60, len(whole) - 5):
        with pytest.raises(UnreadableDataError, match="by its parts"):
            reader(held(whole[:size])[0])["v"].values()


def test_bytes_that_do_not_come_are_the_error_of_a_file_that_hides_it(
    tmp_path: Path, held: Callable[[bytes], tuple[Ranges, Held]], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, _ = held(hdf5(tmp_path / "cube.nc"))
    one = arrays_in(read)["v"]

    def refused(*_: Any) -> bytes:
        raise RemoteDataError("gone", where=ADDRESS)

    monkeypatch.setattr(ranges, "read", refused)
    with pytest.raises(RemoteDataError, match="gone"):
        one.read((0, slice(0, 100), slice(0, 100)))


@given(looks=st.lists(st.tuples(st.integers(0, 70_000), st.integers(0, 40_000)), max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_ranges_are_those_of_the_object(
    looks: list[tuple[int, int]], held: Callable[[bytes], tuple[Ranges, Held]]
) -> None:
    content = np.random.default_rng(1).bytes(66_000)
    read, _ = held(content)
    file = RangeFile(read)
    for start, size in looks:
        assert read.read(start, size) == content[start : start + size]
        file.seek(start)
        assert file.read(size) == content[start : start + size]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GDAL_HTTP_RETRY_DELAY", "0")
