"""Files of several regions in one folder, of which a question names one."""

from __future__ import annotations

from pathlib import Path

import pytest
from service_examples import scene

from knowflow import KnowFlow
from knowflow.service.results import RunResult

DATES = ["2020-07-01", "2021-07-01"]


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("regions")
    for name, value in (("Alpha", 0.2), ("Beta", 0.6)):
        layer = {"name": "NDVI", "quantity": "ndvi", "values": f"{value} + 0.1 * i", "dates": DATES}
        for path in sorted(scene(tmp_path_factory.mktemp(name), layer).glob("*.tif")):
            path.rename(root / f"{name}_{path.name}")
    return root, tmp_path_factory.mktemp("home")


def ask(regions: tuple[Path, Path], query: str, out: Path) -> RunResult:
    return KnowFlow(regions[1]).run(query, regions[0], out=out)
