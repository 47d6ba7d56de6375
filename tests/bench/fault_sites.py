"""The data of questions into which faults are put."""

from __future__ import annotations

import random
from pathlib import Path

from knowflow.testing.scenes import write_scene
from knowflow_bench.faults.injection.data import Site
from knowflow_bench.faults.injection.table import questions


def site(folder: Path, question: str = "correlation", seed: int = 1) -> Site:
    scene = questions()[question].scene()
    write_scene(scene, folder)
    return Site(folder, scene, random.Random(seed))
