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


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Mean NDVI of Beta in 2021", 0.7),
        ("Mean NDVI of Alpha in 2020", 0.2),
        ("What was the mean NDVI in the Beta region?", 0.65),
    ],
)
def test_the_files_of_the_region_that_is_named_are_taken(
    regions: tuple[Path, Path], tmp_path: Path, query: str, expected: float
) -> None:
    found = ask(regions, query, tmp_path)
    assert found.answer == pytest.approx(expected, abs=1e-6)
    assert not [one for one in found.assumptions if one.what == "region"]


def test_two_regions_are_not_compared_as_if_they_were_times(regions: tuple[Path, Path], tmp_path: Path) -> None:
    found = ask(regions, "Compare the NDVI of Alpha and Beta in 2021", tmp_path)
    assert found.status == "refused"
    assert found.error is not None
    assert "ask for each by itself" in str(found.error)
