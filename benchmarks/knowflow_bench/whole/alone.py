"""A tool of KnowFlow by itself, from files to numbers, without a plan, a run and a report: ``python alone.py FOLDER``.

The answer is printed as JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from knowflow.model.artifact import Artifact
from knowflow.tools.zonal import zonal_statistics


def zonal(folder: Path) -> float:
    """The mean over all polygons of the mean in each, by the tool that a plan calls, of all its statistics."""
    (raster,) = folder.glob("*.tif")
    (polygons,) = folder.glob("*.gpkg")
    rows = zonal_statistics(Artifact("raster", path=str(raster)), Artifact("vector", path=str(polygons)))
    return statistics.fmean(row["mean"] for row in rows)


if __name__ == "__main__":
    print(json.dumps(zonal(Path(sys.argv[1]))))
