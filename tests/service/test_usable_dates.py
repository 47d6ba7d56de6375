"""How many dates of a cloudy series an answer rests on."""

from __future__ import annotations

from pathlib import Path

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.question.form import expression_of
from knowflow.service.results import RunResult


def cloudy(folder: Path, dates: int, clear: int) -> RunResult:
    """The mean over time of a series of which so many dates are clear, the others cloud but for one of 64 pixels."""
    days = [f"2022-{1 + number // 4:02d}-{1 + 7 * (number % 4):02d}" for number in range(dates)]
    data = scene(
        folder / "data",
        {"name": "field", "quantity": "ndvi", "values": "0.2 + 0.01 * i + 0.1 * x", "dates": days},
        {
            "name": "clouds",
            "quantity": "cloud_mask",
            "values": f"where((i < {clear - 0.5}) | (x < 0.1) & (y < 0.1), 0, 1)",
            "dtype": "uint8",
            "dates": days,
        },
        size=[8, 8],
    )
    asked, _ = expression_of("over(over(ndvi, time, mean), space, mean)")
    assert asked is not None
    return KnowFlow(folder / "home").run(
        asked,
        data,
        out=folder / "out",
    )


def test_one_clear_date_of_many_is_not_enough_for_an_answer_over_all(tmp_path: Path) -> None:
    found = cloudy(tmp_path, 24, 1)
    assert (found.status, found.answer) == ("failed", None)
    assert found.error is not None
    assert found.error["code"] == "quality"
    assert "holds for 1 of 24" in found.error["found"]


def test_a_share_of_clear_dates_is_enough_and_told(tmp_path: Path) -> None:
    found = cloudy(tmp_path, 12, 3)
    assert (found.status, found.answer) == ("completed", pytest.approx(0.26, abs=2e-3))
    (told,) = (note for note in found.notes if note.startswith("3 of 12 dates are usable"))
    assert told.endswith(": the share of pixels that are data is at least 2 %")
