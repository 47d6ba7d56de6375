from __future__ import annotations

import os
from pathlib import Path

import pytest

from knowflow.execution.action import Action, Group, with_whole_paths
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.model.artifact import Artifact, band_set, series


def test_files_of_an_action_go_by_their_whole_paths_to_who_stands_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("red.tif", "nir.tif"):
        Path(name).touch()
    red, nir = Artifact("raster", path="red.tif"), Artifact("raster", path="nir.tif")
    nowhere, whole = Artifact("raster", path="gone.tif"), Artifact("raster", path=os.path.abspath("red.tif"))
    arguments = {"bands": band_set({"red": red, "nir": nir}), "window": 3, "series": series((red, nowhere))}
    schema = load_catalogue().tools["spectral_index"]
    group = Group((), {"red": red}, {("a", ""): nir})
    placed, before = with_whole_paths(Action("a", "A", schema, arguments, group=group))
    assert before == {str(tmp_path / "red.tif"): "red.tif", str(tmp_path / "nir.tif"): "nir.tif"}
    leaves = [leaf.path for name in ("bands", "series") for leaf in placed.arguments[name].leaves()]
    assert leaves == [*(str(tmp_path / name) for name in ("red.tif", "nir.tif", "red.tif")), "gone.tif"]
    assert placed.arguments["window"] == 3
    assert placed.group is not None
    assert placed.group.inputs["red"].path == str(tmp_path / "red.tif")
    assert placed.group.known["a", ""].path == str(tmp_path / "nir.tif")
    same = Action("a", "A", schema, {"raster": whole})
    assert with_whole_paths(same) == (same, {})
