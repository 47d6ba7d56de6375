"""Classes between limits, of rasters whose values are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from raster_files import artifact, write

from knowflow.ground.errors import ToolError
from knowflow.tools.area import class_names
from knowflow.tools.limit_classes import classes_between_limits
from knowflow.tools.raster import read_stored

NAN = np.nan


def test_a_value_at_a_limit_is_of_the_class_above_it(tmp_path: Path) -> None:
    raster = write(tmp_path / "dnbr.tif", np.array([[-0.4, 0.1, 0.3, 2.0, NAN]], dtype=np.float32))
    classes_between_limits(raster, [0.1, 0.3], ["none", "low", "high"], tmp_path / "classes.tif")
    found = artifact(tmp_path / "classes.tif")
    np.testing.assert_array_equal(read_stored(found), [[1, 2, 3, 3, 255]])
    assert class_names(found) == {1: "none", 2: "low", 3: "high"}


@pytest.mark.parametrize("limits", [[0.3, 0.1], [0.1, 0.1], [0.1]])
def test_limits_that_part_nothing_are_refused(tmp_path: Path, limits: list[float]) -> None:
    raster = write(tmp_path / "dnbr.tif", np.zeros((1, 2), dtype=np.float32))
    with pytest.raises(ToolError, match="do not part"):
        classes_between_limits(raster, limits, ["a", "b", "c"], tmp_path / "classes.tif")
