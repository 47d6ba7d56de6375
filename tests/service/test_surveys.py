"""Heights of several surveys, and of a surface above the ground: from sentence to number, against NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reason.test_inventory_called import write

from knowflow.roof.library import KnowFlow

ROWS, COLUMNS = np.mgrid[0:40, 0:40]
OLD = (2000.0 + 5 * ROWS).astype(np.float32)
NEW = (OLD - 0.1 * COLUMNS).astype(np.float32)
STANDING = np.where(COLUMNS < 10, 25.0, 2.0).astype(np.float32)


def answer(data: Path, question: str, home: Path) -> Any:
    found = KnowFlow(home / "home").run(question, data, out=home / "out")
    assert found.status == "completed", (found.error, question)
    return found.answer


@pytest.fixture(scope="module")
def surveys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("surveys")
    write(folder / "dem_2000.tif", OLD, "m")
    write(folder / "dem_2020.tif", NEW, "m")
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Average elevation change between 2000 and 2020", (NEW - OLD).mean()),
        ("What was the mean elevation in 2000?", OLD.mean()),
        ("What is the mean elevation?", NEW.mean()),
        ("How many hectares are above 2100 m?", (NEW > 2100).sum() * 0.01),
        ("How many cubic metres were excavated between 2000 and 2020?", float((OLD - NEW).sum(dtype=float)) * 100),
        ("volume of material deposited from 2000 to 2020", float((NEW - OLD).sum(dtype=float)) * 100),
    ],
)
def test_elevation_is_the_newest_unless_the_question_tells_a_time(
    surveys: Path, tmp_path: Path, question: str, expected: float
) -> None:
    assert answer(surveys, question, tmp_path) == pytest.approx(expected, rel=1e-4)


def test_what_stands_on_the_ground_is_the_surface_above_the_terrain(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write(data / "dtm_2020.tif", OLD, "m")
    write(data / "dsm_2020.tif", OLD + STANDING, "m")
    assert answer(data, "mean height above ground", tmp_path) == pytest.approx(STANDING.mean(), rel=1e-4)
    share = answer(data, "What percentage of the area has trees taller than 20 m?", tmp_path)
    assert share == pytest.approx((STANDING > 20).mean(), rel=1e-4)


def test_a_layer_without_a_date_stands_for_all_times_beside_one_that_is_dated(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    write(data / "peat_depth.tif", STANDING / 3, "m")
    for year in (2020, 2021):
        write(data / f"sugarcane_yield_{year}.tif", OLD / 1000 * (year - 2020), "t/ha")
    mean = answer(data, "mean sugarcane yield in 2021 where the peat depth is above 1 m", tmp_path)
    assert mean == pytest.approx(OLD[STANDING > 3].mean() / 1000, rel=1e-4)
    both = "How many hectares have a sugarcane yield above 2.1 t/ha and a peat depth above 1 m in 2021?"
    assert answer(data, both, tmp_path) == pytest.approx(((OLD > 2100) & (STANDING > 3)).sum() * 0.01, rel=1e-4)
    found = KnowFlow(tmp_path / "home").run("mean peat depth in 2021", data, out=tmp_path / "out")
    assert found.status == "refused"  # of which time it is, nobody says
