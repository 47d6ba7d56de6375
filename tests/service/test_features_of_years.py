"""Files that are called alike but for the year hold features of these years."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely

from knowflow.ground.vectors import write
from knowflow.roof.library import KnowFlow

SIDES = {1999: (300.0, 100.0), 2020: (200.0, 90.0)}
SCALE = 0.9996**2  # of the map in square, on the central meridian of the zone


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ponds")
    for year, sides in SIDES.items():
        boxes = [shapely.box(500_000 + 1000 * n, 0, 500_000 + 1000 * n + side, side) for n, side in enumerate(sides)]
        names = np.array(["Mill Pond", "Fox Pond"], dtype=object)
        shapes = shapely.to_wkb(np.array(boxes, dtype=object))
        write(folder / f"ponds_{year}.gpkg", shapes, [names], ["name"], geometry_type="Polygon", crs="EPSG:32633")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How large was Mill Pond in 1999, in hectares?", 9.0 / SCALE),
        ("By how many hectares did Mill Pond shrink from 1999 to 2020?", 5.0 / SCALE),
        ("By what percentage did Mill Pond shrink between 1999 and 2020?", 100 * 5 / 9),
    ],
)
def test_each_year_has_its_own(data: Path, tmp_path: Path, question: str, expected: float) -> None:
    found = KnowFlow(tmp_path / "home").run(question, data, out=tmp_path / "out")
    assert found.status == "completed", found.error
    told = found.answer * (100 if found.unit == "1" else 1)
    assert told == pytest.approx(expected, rel=1e-3), found.understood


def test_without_a_year_it_is_asked_which(data: Path, tmp_path: Path) -> None:
    found = KnowFlow(tmp_path / "home").run("How large is Mill Pond?", data, out=tmp_path / "out")
    assert found.status == "refused"
    assert all(f"ponds_{year}" in str(found.error) for year in SIDES)
