"""The demo: three questions on imagery that comes with the installation, offline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from knowflow.testing.demo import write_demo
from knowflow.testing.demo_sample import ASSUMED_OF_SENTINEL2


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A plain sentence, its data, and what must be assumed of them."""

    query: str
    data: Path
    out: Path
    assume: tuple[str, ...] = ()


def demo_questions(folder: Path) -> list[DemoQuestion]:
    """The questions, with their data written below ``folder``."""
    data = write_demo(folder / "data")
    return [
        DemoQuestion(
            "What share of the scene is dense vegetation, and how large is that area in hectares?",
            data["sentinel2"],
            folder / "dense-vegetation",
            # The sample is a plain array that states nothing of itself; where on Earth it lies does not matter here.
            tuple(f"{fact}={value}" for fact, value in ASSUMED_OF_SENTINEL2.items()),
        ),
        DemoQuestion(
            "Where is the terrain steeper than 15 degrees, and how large is that area in km2?",
            data["terrain"],
            folder / "steep-terrain",
        ),
        DemoQuestion(
            "What is the Mann-Kendall trend of NDVI, ignoring clouds?",
            data["trend"],
            folder / "vegetation-trend",
        ),
    ]
