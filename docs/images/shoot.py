"""Make the pictures of reports that the documentation shows: python docs/images/shoot.py, where chromium is installed.

Each is of a real run over the imagery of the demo.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from browser import Browser, BrowserError

from knowflow import KnowFlow
from knowflow.testing.demo import write_demo

HERE = Path(__file__).resolve().parent
SHOTS = {
    "report": (
        "Where is the terrain steeper than 15 degrees, and how large is that area in km2?",
        "terrain",
        (1100, 1190),
    ),
    "report_of_a_trend": ("What was the trend of the mean NDVI?", "trend", (1100, 790)),
    "report_of_a_limit": ("On how many dates was the mean NDVI above 0.5?", "trend", (1100, 740)),
    "report_on_a_phone": ("Mean NDVI per date", "trend", (430, 860)),
}


def main() -> int:
    try:
        with tempfile.TemporaryDirectory() as name, Browser() as browser:
            return _shots(Path(name), browser)
    except BrowserError as error:
        print(error, file=sys.stderr)
        return 2


def _shots(folder: Path, browser: Browser) -> int:
    data, flow = write_demo(folder / "data"), KnowFlow(home=folder / "home")
    for shot, (question, scene, size) in SHOTS.items():
        result = flow.run(question, data[scene], out=folder / shot)
        if result.report is None:
            print(f"{question}: {result.error}", file=sys.stderr)
            return 1
        browser.open(Path(result.report), *size)
        browser.picture(HERE / f"{shot}.png")
        print(HERE / f"{shot}.png")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
