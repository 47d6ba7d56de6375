"""Make the pictures of reports that the documentation shows: python docs/images/shoot.py, where chromium is installed.

Each is of a real run over the imagery of the demo.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from knowflow import KnowFlow
from knowflow.testing.demo import write_demo

HERE = Path(__file__).resolve().parent
SHOTS = {
    "report": (
        "Where is the terrain steeper than 15 degrees, and how large is that area in km2?",
        "terrain",
        (1100, 1330),
    ),
    "report_of_a_trend": ("What was the trend of the mean NDVI?", "trend", (1100, 960)),
    "report_on_a_phone": ("Mean NDVI per date", "trend", (430, 900)),
}


def main() -> int:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no chromium is installed", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, flow = write_demo(folder / "data"), KnowFlow(home=folder / "home")
        for shot, (question, scene, size) in SHOTS.items():
            result = flow.run(question, data[scene], out=folder / shot)
            if result.report is None:
                print(f"{question}: {result.error}", file=sys.stderr)
                return 1
            target = HERE / f"{shot}.png"
            page = Path(result.report).as_uri()
            words = ("--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={size[0]},{size[1]}")
            subprocess.run([browser, *words, f"--screenshot={target}", page], check=True, capture_output=True)
            print(target)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
