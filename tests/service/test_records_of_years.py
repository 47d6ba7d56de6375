"""Tables of which each row is of a season or year and of a place that another file tells more of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowflow import KnowFlow

HARVEST = """block,season,yield_t_per_ha,sugar_pct
Upper,2022,10,25
Upper,2023,8,24
Lower,2022,14,22
Lower,2023,12,20
River,2022,6,23
River,2023,5,22
"""
PLANTED = {"Upper": "Riesling", "Lower": "Merlot", "River": "Merlot"}


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three blocks with what is planted on each, and what they gave in two seasons."""
    folder = tmp_path_factory.mktemp("estate")
    (folder / "harvest.csv").write_text(HARVEST)
    features = []
    for place, (name, variety) in enumerate(PLANTED.items()):
        west = 15 + 0.01 * place
        ring = [[west, 46], [west + 0.005, 46], [west + 0.005, 46.005], [west, 46.005], [west, 46]]
        shape = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": {"name": name, "variety": variety}, "geometry": shape})
    (folder / "blocks.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return folder


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What yield did block Lower record in 2022?", 14),
        ("mean yield of all blocks, 2022 season", 10),
        ("Average yield of the Merlot blocks in 2023", 8.5),
        ("Which block gave the highest yield per hectare in 2023?", "Lower"),
    ],
)
def test_what_rows_of_a_season_tell(estate: Path, tmp_path: Path, question: str, expected: float | str) -> None:
    found = KnowFlow(tmp_path / "home").run(question, estate, out=tmp_path / "out").answer
    if isinstance(expected, str):
        assert [expected] == [row["block"] for row in found]
    else:
        assert found == pytest.approx(expected) or [row["value"] for row in found] == [expected]
