"""Blocks that others carry out: the same to the last bit, whoever did them and whoever did not come back."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from numpy.typing import NDArray
from raster_files import write
from rasterio.windows import Window
from scipy.ndimage import maximum_filter

from knowflow.model.artifact import Artifact
from knowflow.tools.context import running, tell
from knowflow.tools.raster import Block, Output, map_blocks, reduce_blocks
from knowflow.tools.raster.engine import in_one_thread
from knowflow.tools.raster.spreading import carried

SHAPE = (1100, 4200)  # nine blocks


class Sent:
    """Blocks that go to another process and back: ``fate`` is what becomes of them there."""

    def __init__(self, packed: bytes, windows: Sequence[Window], fate: str) -> None:
        self._packed, self._windows, self._fate = packed, windows, fate
        self.cancelled = False

    def done(self) -> bool:
        return self._fate in ("done", "lost")

    def result(self, timeout: float | None = None) -> tuple[list[Any], list[str]]:
        assert timeout is not None, "nobody waits for ever"
        if self._fate == "silent":
            raise TimeoutError
        if self._fate == "lost":
            raise ConnectionError("the worker is gone")
        found: tuple[list[Any], list[str]] = pickle.loads(
            pickle.dumps(carried(cloudpickle.loads(self._packed), self._windows))
        )
        return found

    def cancel(self) -> None:
        self.cancelled = True


class Others:
    """Two other processes, whose batches meet their fates in turn."""

    def __init__(self, *fates: str) -> None:
        self._fates = fates
        self.sent: list[Sent] = []

    def free(self) -> int:
        return 2

    def packed(self, work: Callable[[Window], Any]) -> bytes | None:
        return None if "none" in self._fates else cloudpickle.dumps(work)

    def submit(self, packed: bytes, windows: Sequence[Window]) -> Sent:
        self.sent.append(Sent(packed, windows, self._fates[len(self.sent) % len(self._fates)]))
        return self.sent[-1]


FATES = (("done",), ("late",), ("lost",), ("silent",), ("done", "late", "lost", "silent"), ("none",))


@pytest.fixture
def raster(tmp_path: Path) -> Artifact:
    values = np.random.default_rng(3).normal(5, 2, SHAPE).astype(np.float32)
    values[values < 2] = np.nan
    return write(tmp_path / "raster.tif", values, nodata=float("nan"), tiled=True, blockxsize=512, blockysize=512)


def highest_around(raster: Artifact, path: Path) -> bytes:
    """The bytes of a raster whose pixels look at their neighbours, beyond the edges of their block."""

    def kernel(block: Block) -> NDArray[Any]:
        tell(f"at {int(block.window.row_off)}, {int(block.window.col_off)}")
        return maximum_filter(np.nan_to_num(block["raster"], nan=-1.0), size=7)

    map_blocks(kernel, {"raster": raster}, Output(path, quantity="ndvi", unit="1"), halo=3)
    return path.read_bytes()


def moments(raster: Artifact) -> NDArray[np.float64]:
    def kernel(block: Block) -> NDArray[np.float64]:
        values = block["raster"]
        return np.array([np.nansum(values), np.nanstd(values)])

    def combine(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
        b += a  # whoever folds may change what it was given
        return b

    return reduce_blocks(kernel, {"raster": raster}, np.zeros(2), combine)


@pytest.mark.parametrize("fates", FATES, ids="-".join)
def test_what_comes_of_blocks_is_the_same_whoever_carries_them_out(
    raster: Artifact, tmp_path: Path, fates: tuple[str, ...]
) -> None:
    told: dict[str, list[str]] = {"alone": [], "helped": []}
    with running(on_told=told["alone"].append):
        alone = highest_around(raster, tmp_path / "alone.tif"), moments(raster)
    others = Others(*fates)
    with running(on_told=told["helped"].append), in_one_thread(others):
        helped = highest_around(raster, tmp_path / "helped.tif"), moments(raster)
    assert helped[0] == alone[0]
    assert helped[1].tolist() == alone[1].tolist()
    assert sorted(told["helped"]) == sorted(told["alone"])
    assert told["helped"] == [f"at {row}, {column}" for row in (0, 512, 1024) for column in (0, 2048, 4096)]
    assert len(others.sent) >= 2 or fates == ("none",)


def test_an_error_of_a_block_is_the_one_that_it_has_alone_and_nothing_is_left_with_others(
    raster: Artifact, tmp_path: Path
) -> None:
    def kernel(block: Block) -> NDArray[Any]:
        if block.window.row_off > 0:
            raise ValueError(f"no such row: {int(block.window.row_off)}")
        return block["raster"]

    others = Others("late", "silent")
    with in_one_thread(others), pytest.raises(ValueError, match="no such row: 512"):
        map_blocks(kernel, {"raster": raster}, Output(tmp_path / "map.tif", quantity="ndvi", unit="1"))
    assert not (tmp_path / "map.tif").exists()
    assert len(others.sent) >= 2


def test_what_belongs_to_this_process_stays_here(raster: Artifact) -> None:
    def counting() -> Iterator[int]:
        yield from range(100)

    numbers = counting()
    with in_one_thread(Pinned()):
        found = reduce_blocks(lambda block: next(numbers) + block.shape[0], {"raster": raster}, 0, lambda a, b: a + b)
    assert found == 3 * sum((512, 512, 76)) + sum(range(9))


class Pinned(Others):
    """Others that are sent what can be sent."""

    def __init__(self) -> None:
        super().__init__("done")

    def packed(self, work: Callable[[Window], Any]) -> bytes | None:
        try:
            return cloudpickle.dumps(work)
        except TypeError:
            return None
