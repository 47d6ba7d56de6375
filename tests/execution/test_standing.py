"""Files of runs of very many: what changes after a run began is found as it is where each was looked at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow.execution import content
from knowflow.execution.content import FileDigests, InputChangedError


def raster(path: Path, value: int = 1) -> Path:
    path.parent.mkdir(exist_ok=True)
    profile = {"driver": "GTiff", "height": 4, "width": 4, "count": 1, "dtype": "uint8", "crs": "EPSG:32633"}
    with rasterio.open(path, "w", transform=Affine(10, 0, 0, 0, -10, 0), **profile) as file:
        file.write(np.full((4, 4), value, np.uint8), 1)
    return path


def _put_beside(file: Path) -> None:
    file.with_suffix(".tfw").write_text("10\n0\n0\n-10\n5\n-5\n")


def _wrote_beside(file: Path) -> None:
    file.with_name(f"{file.name}.aux.xml").write_text("<PAMDataset><Metadata/></PAMDataset>\n")


def _took_from_beside(file: Path) -> None:
    file.with_name(f"{file.name}.aux.xml").unlink()


CHANGES: tuple[Callable[[Path], object], ...] = (
    lambda file: raster(file, 2),
    _put_beside,
    _wrote_beside,
    _took_from_beside,
)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("many", [1, 1000])
def test_a_change_after_the_run_began_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object], many: int
) -> None:
    monkeypatch.setattr(content, "_MANY", many)
    file, still = raster(tmp_path / "data" / "a.tif"), raster(tmp_path / "data" / "b.tif")
    for one in (file, still):
        one.with_name(f"{one.name}.aux.xml").write_text("<PAMDataset/>\n")
    digests = FileDigests(tmp_path / "digests.sqlite")
    digests.begin(map(str, (file, still)))
    change(file)
    digests.rely({str(still): digests.look(str(still))})
    with pytest.raises(InputChangedError):
        digests.rely({str(file): digests.look(str(file))})


def test_what_is_not_there_or_may_consist_of_files_elsewhere_is_looked_at_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "_MANY", 1)
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n")
    digests = FileDigests(tmp_path / "digests.sqlite")
    digests.begin([str(table), str(tmp_path / "none.tif")])
    table.write_text("a\n22\n")
    with pytest.raises(InputChangedError):
        digests.rely({str(table): digests.look(str(table))})
    late = raster(tmp_path / "none.tif")
    digests.rely({str(late): digests.look(str(late))})
