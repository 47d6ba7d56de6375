"""Features that are chosen by what the ground is in each of them: as expressions, and in words."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from knowflow import KnowFlow
from knowflow.question.operators import (
    Attribute,
    Beyond,
    Expression,
    Holds,
    Number,
    Over,
    Polygons,
    Quantity,
    Split,
    Within,
)
from knowflow.question.words import in_words
from tests.service.test_features import FEATURES, HEIGHTS, LOWER, UPPER, flow, folder

__all__ = ["flow", "folder"]
HUTS = {one.name: one.numbers["beds"] for one in FEATURES["mountain_huts"]}
MIDDLE = (UPPER + LOWER) / 2
HIGH, LOW = ("Upper", "Lower") if UPPER > LOWER else ("Lower", "Upper")
GROUND = {
    "parishes": {"Upper": HEIGHTS[:10, :10], "Lower": HEIGHTS[9:18, 10:19]},
    "mountain_huts": {name: HEIGHTS[at] for name, at in zip(HUTS, ((2, 2), (4, 8), (15, 12), (8, 18)), strict=True)},
}
NUMBERS = {"parishes": {"Upper": 0.25, "Lower": 0.2025}, "mountain_huts": HUTS}
STATISTICS = {"mean": np.mean, "maximum": np.max, "minimum": np.min, "sum": np.sum}


def of_those(rng: random.Random) -> tuple[Expression, float]:
    """What is asked of the features on one side of a limit, and what it is; not a number where there are none."""
    layer, kind = rng.choice(["parishes", "mountain_huts"]), rng.choice(["mean", "maximum", "minimum"])
    side, limit = rng.choice(["above", "at_most"]), rng.choice([20.0, 60.0, 95.0, 105.0, 160.0, 205.0])
    every = Polygons(layer=layer)
    each: Any = Over(Split(Quantity("elevation"), every), "space", kind)  # type: ignore[arg-type]
    of = Within(every, Holds(Beyond(each, side, Number(limit, "m"))))  # type: ignore[arg-type]
    so = {name: (STATISTICS[kind](ground) > limit) == (side == "above") for name, ground in GROUND[layer].items()}
    numbers = [number for name, number in NUMBERS[layer].items() if so[name]]
    if rng.random() < 0.3:
        return Over(of, "objects", "count"), float(len(numbers))
    said: Any = rng.choice(["sum", "mean", "maximum"])
    x = Attribute(of, "beds") if layer == "mountain_huts" else Over(of, "space", "area")
    return Over(x, "objects", said), float(STATISTICS[said](numbers)) if numbers else float("nan")


@pytest.mark.parametrize("seed", range(10))
def test_what_is_asked_of_those_is_right(folder: Path, flow: KnowFlow, tmp_path: Path, seed: int) -> None:
    e, wanted = of_those(random.Random(seed))
    found = flow.run(e, folder, out=tmp_path / "out")
    if wanted != wanted:  # there are none of them
        assert found.status == "failed"
        return
    assert found.status == "completed", (in_words(e), found.error)
    assert found.answer == pytest.approx(wanted, rel=1e-3), in_words(e)


@pytest.mark.parametrize(
    ("question", "answer", "unit"),
    [
        (f"total area of the parishes whose mean elevation is above {MIDDLE:.1f} m", NUMBERS["parishes"][HIGH], "km2"),
        (f"area of parishes with a mean elevation below {MIDDLE:.1f} m in ha", NUMBERS["parishes"][LOW] * 100, "ha"),
        ("How many beds are in huts whose mean elevation is above 1 m?", 71, "1"),
        ("What is the total number of beds in the huts above 1 m?", 71, "1"),
    ],
)  # fmt: skip
def test_they_are_asked_about_in_words(
    folder: Path, flow: KnowFlow, tmp_path: Path, question: str, answer: float, unit: str
) -> None:
    found = flow.run(question, folder, out=tmp_path / "out")
    assert found.status == "completed", found.error
    assert (found.answer, found.unit) == (pytest.approx(answer, rel=2e-3), unit), found.understood


GUESTS = {"Alm": 310.0, "Berg": 1250.0, "Dorf": 95.0, "Egg": 720.0}
OF_HUTS = dict(zip(HUTS, ((2, 2), (4, 8), (15, 12), (8, 18)), strict=True))


@pytest.fixture(scope="module")
def with_rows(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("rows") / "valley"
    shutil.copytree(folder, data)
    rows = "".join(f"{name},{number:g}\n" for name, number in GUESTS.items())
    (data / "guests_2022.csv").write_text(f"hut,guests\n{rows}", encoding="utf-8")
    return data


@pytest.mark.parametrize("limit", [60.0, 95.0, 160.0])
@pytest.mark.parametrize("chosen", ["by what each holds", "by ground", "by polygons"])
def test_rows_that_tell_of_those_are_of_no_others(
    with_rows: Path, flow: KnowFlow, tmp_path: Path, chosen: str, limit: float
) -> None:
    huts, rows = Polygons(layer="mountain_huts"), Polygons(layer="guests_2022.csv")
    beyond: Any = Beyond(Over(Split(Quantity("elevation"), huts), "space", "mean"), "above", Number(limit, "m"))
    those: dict[str, tuple[Expression, set[str]]] = {
        "by what each holds": (Holds(beyond), {name for name, at in OF_HUTS.items() if HEIGHTS[at] > limit}),
        "by ground": (
            Beyond(Quantity("elevation"), "above", Number(limit, "m")),
            {name for name, at in OF_HUTS.items() if HEIGHTS[at] > limit},
        ),
        "by polygons": (Polygons(("Upper",), layer="parishes"), {"Alm", "Berg"}),
    }
    where, names = those[chosen]
    e = Over(Attribute(Within(rows, Within(huts, where)), "guests"), "objects", "sum")
    found = flow.run(e, with_rows, out=tmp_path / "out")
    assert found.status == "completed", (in_words(e), found.error)
    assert found.answer == pytest.approx(sum(GUESTS[name] for name in names)), in_words(e)
