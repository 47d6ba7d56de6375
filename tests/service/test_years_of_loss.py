"""Maps of the year in which the tree cover was lost, from sentence to number, against NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.transform import Affine

from knowflow.roof.library import KnowFlow

ROWS, COLUMNS = np.mgrid[0:40, 0:40]
LOSS = np.where((ROWS + COLUMNS) % 3 == 0, np.minimum((ROWS * ROWS + COLUMNS) % 14, 9), 0).astype(np.uint8)
COVER = (2 * COLUMNS + 10).astype(np.uint8)
FOREST = COVER > 30


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loss")
    profile = {"driver": "GTiff", "height": 40, "width": 40, "count": 1, "dtype": "uint8", "nodata": 255}
    profile |= {"crs": "EPSG:32719", "transform": Affine(100, 0, 600000, 0, -100, 8900000)}
    for what, values in (("lossyear", LOSS), ("treecover2000", COVER)):
        with rasterio.open(place / f"Hansen_GFC-2009-v1.0_{what}.tif", "w", **profile) as file:
            file.write(values, 1)
    return place


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many hectares of tree cover were lost from 2003 to 2006?", ((LOSS >= 3) & (LOSS <= 6)).sum()),
        ("How many hectares of tree cover were lost by 2004?", ((LOSS >= 1) & (LOSS <= 4)).sum()),
        ("In which year was the loss greatest?", str(2001 + np.bincount(LOSS.ravel())[1:].argmax())),
        (
            "What share of the forest of 2000 (tree cover above 30%) was lost by 2009?",
            ((LOSS > 0) & FOREST).sum() / FOREST.sum(),
        ),
        ("How many hectares of forest (tree cover above 30%) were still standing in 2005?", None),
        ("mean tree cover in 2000 where no loss was recorded", COVER[LOSS == 0].mean()),
        ("mean tree cover in the year 2000", COVER.mean()),
    ],
)
def test_years_of_loss(folder: Path, tmp_path: Path, question: str, expected: float | str | None) -> None:
    expected = (FOREST & ~((LOSS >= 1) & (LOSS <= 5))).sum() if expected is None else expected
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert found.answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-6))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How much forest was there in 2000, in hectares?", FOREST.sum()),
        ("Loss of forest from 2003 to 2006, in ha", ((LOSS >= 3) & (LOSS <= 6) & FOREST).sum()),
        ("What share of the forest was lost by 2009?", ((LOSS > 0) & FOREST).sum() / FOREST.sum()),
        ("In which year was the loss of forest greatest?", str(2001 + np.bincount(LOSS[FOREST])[1:].argmax())),
    ],
)
def test_the_notes_say_what_is_called_forest(
    folder: Path, question: str, expected: float | str, tmp_path: Path
) -> None:
    note = "lossyear: year of the loss. We call forest a pixel with more than 30 % tree cover in 2000."
    (folder / "notes.txt").write_text(note)
    found = KnowFlow(tmp_path / "home").run(question, folder, out=tmp_path / "out")
    (folder / "notes.txt").unlink()
    assert found.status == "completed", found.error
    assert found.answer == (expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-6))
