"""Cloud masks for some of the dates: what can be masked is masked, the other dates are left out, and told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from service_examples import scene

from knowflow import KnowFlow

DATES = [f"2022-0{month}-01" for month in range(1, 9)]
# under the clouds of the western half the index is 0.9; the ground is 0.3, and 0.8 on the dates without a mask
FIELD: dict[str, Any] = {
    "name": "ndvi",
    "quantity": "ndvi",
    "values": "where(x < 0.5, 0.9, where(i < 6, 0.3, 0.8))",
    "dates": DATES,
}


@pytest.mark.parametrize(
    ("masks", "mean", "told"),
    [(DATES, (6 * 0.3 + 2 * 0.8) / 8, ""), (DATES[:6], 0.3, "2 of 8 left out"), (DATES[:1], 0.3, "7 of 8 left out")],
)
def test_dates_without_a_mask_are_left_out_and_named(masks: list[str], mean: float, told: str, tmp_path: Path) -> None:
    clouds = {"name": "cloud_mask", "quantity": "cloud_mask", "values": "x < 0.5", "dates": masks}
    data = scene(tmp_path / "data", FIELD, clouds)
    found = KnowFlow(tmp_path / "home").run(
        "What is the mean NDVI without clouds?", data, out=tmp_path / "out", runner="local"
    )
    assert found.status == "completed", found.error
    assert found.answer == pytest.approx(mean, abs=1e-6)
    left = [str(one.what) for one in found.assumptions if "left out:" in str(one.what)]
    assert bool(left) == bool(told)
    assert not told or (left[0].startswith(told) and all(day in left[0] for day in DATES[len(masks) :]))
