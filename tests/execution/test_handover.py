"""What a tool's function is called with, and what becomes of what it returns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from execution_examples import schema

from knowflow.execution.handover import keyword_arguments, output_paths, returned_artifact
from knowflow.ground.errors import EffectError
from knowflow.model.artifact import Artifact, band_set, scalar, series
from knowflow.model.facts import Facts, Origin

RED, NIR = (Artifact("raster", path=f"{name}.tif") for name in ("red", "nir"))


def handed(parameter: dict[str, Any], value: Any) -> Any:
    return keyword_arguments(schema("number", {"x": parameter}), {"x": value}, {})["x"]


def test_bands_arrive_by_common_name() -> None:
    assert handed({"type": "raster", "keyed_by": "band"}, band_set({"red": RED, "nir": NIR})) == {
        "red": RED,
        "nir": NIR,
    }


def test_a_file_of_several_bands_is_taken_apart() -> None:
    both = Artifact("raster", Facts.of(Origin.DECLARED, bands=("red", "nir"), count=2, unit="1"), path="both.tif")
    found = handed({"type": "band_set"}, both)
    assert [(name, band.path, band.band) for name, band in found.items()] == [
        ("red", "both.tif", 1),
        ("nir", "both.tif", 2),
    ]
    assert found["nir"].fact("unit") == "1"
    assert found["nir"].known("bands") is None


def test_a_series_arrives_as_a_tuple_in_its_order() -> None:
    assert handed({"type": "raster_series"}, series((NIR, RED))) == (NIR, RED)


def test_a_list_of_scalars_arrives_as_numbers_in_the_unit_of_the_parameter() -> None:
    degrees = Facts.of(Origin.DERIVED, unit="degC")
    values = Artifact("list", items=(scalar(0.0, degrees), scalar(10.0, degrees)))
    assert handed({"type": "list", "unit": "K"}, values) == pytest.approx([273.15, 283.15])
    whole = Artifact("list", degrees, value=(0.0, 10.0))
    assert handed({"type": "list", "unit": "K"}, whole) == pytest.approx([273.15, 283.15])
    assert handed({"type": "list"}, values) == [0.0, 10.0]


def test_a_scalar_without_a_unit_and_a_plain_number_arrive_as_they_are() -> None:
    assert handed({"type": "number", "unit": "K"}, scalar(5.0)) == 5.0
    assert handed({"type": "number", "unit": "K"}, 5) == 5
    assert handed({"type": "integer"}, scalar(3.0)) == 3


def test_what_is_not_given_arrives_as_its_default() -> None:
    assert handed({"type": "number", "default": 7.0}, None) == 7.0
    assert handed({"type": "raster", "optional": True}, None) is None


def test_outputs_are_named_after_what_they_are(tmp_path: Path) -> None:
    kinds = {
        "a": {"produces": "raster"},
        "b": {"produces": "vector"},
        "c": {"produces": "report", "default": "map.png"},
    }
    tool = schema("number", {name: {"type": "path", "role": "output", **kind} for name, kind in kinds.items()})
    paths = output_paths(tool, tmp_path)
    assert [path.name for path in paths.values()] == ["a.tif", "b.gpkg", "c.png"]
    assert keyword_arguments(tool, {}, paths) == paths


@pytest.mark.parametrize(
    ("kind", "value", "kept"),
    [
        ("scalar", np.float32(0.5), 0.5),
        ("list", np.array([1, 2]), (1, 2)),
        ("table", [{"n": np.int64(1)}], ({"n": 1},)),
        ("text", "hello", "hello"),
    ],
)
def test_returned_values_become_artifacts_of_plain_python(kind: str, value: Any, kept: Any) -> None:
    tool = schema("number", {}, returns={"type": kind})
    artifact = returned_artifact(tool, value, Artifact(kind, Facts.of(Origin.DERIVED, unit="K")))  # type: ignore[arg-type]
    assert artifact.value == kept
    assert not hasattr(artifact.value, "dtype")
    assert artifact.fact("unit") == "K"
    if kind in ("list", "table"):
        assert artifact.fact("length") == len(kept)


@pytest.mark.parametrize(
    ("kind", "value"), [("scalar", None), ("scalar", [1]), ("table", [1]), ("text", 1), ("list", 1)]
)
def test_a_tool_that_returns_something_else_has_failed(kind: str, value: Any) -> None:
    with pytest.raises(EffectError, match="returned something else"):
        returned_artifact(schema("number", {}, returns={"type": kind}), value, Artifact(kind))  # type: ignore[arg-type]
