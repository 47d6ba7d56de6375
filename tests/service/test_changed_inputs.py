"""Files that are overwritten after a plan was made of them: told where it is still of them, else refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from service_examples import scene

from knowflow import KnowFlow
from knowflow.knowledge.plan_document import load_plan, save_plan
from knowflow.service import inputs

QUERY = "What is the mean NDVI?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return scene(tmp_path / "data")


def raster_in(data: Path) -> Path:
    (path,) = data.glob("*.tif")
    return path


def halved(path: Path) -> None:
    with rasterio.open(path, "r+") as file:
        file.write(file.read() / 2)


def in_bytes(path: Path) -> None:
    with rasterio.open(path) as file:
        profile, tags, pixels = {**file.profile, "dtype": "uint8", "nodata": None}, file.tags(), file.read()
    with rasterio.open(path, "w", **profile) as file:
        file.write(np.nan_to_num(pixels * 100).astype("uint8"))
        file.update_tags(**tags)


def test_a_file_overwritten_between_plan_and_run_counts_as_it_is_and_that_is_told(data: Path, tmp_path: Path) -> None:
    before = KnowFlow().run(QUERY, data, out=tmp_path / "a")
    found = KnowFlow().run(QUERY, data, out=tmp_path / "b", on_plan=lambda planned: halved(raster_in(data)))
    assert (found.status, found.answer) == ("completed", pytest.approx(before.answer / 2))
    assert [note for note in found.notes if "is not as it was when the plan was made" in note]


def test_a_file_of_other_numbers_between_plan_and_run_is_refused(data: Path, tmp_path: Path) -> None:
    found = KnowFlow().run(QUERY, data, out=tmp_path / "out", on_plan=lambda planned: in_bytes(raster_in(data)))
    assert found.status == "refused"
    assert "changed_input" in {problem["code"] for problem in (found.error or {})["problems"]}
    assert KnowFlow().runs() == ()


def test_a_saved_plan_tells_once_that_its_file_is_another(data: Path, tmp_path: Path) -> None:
    save_plan(KnowFlow().plan(QUERY, data).plan, tmp_path / "plan.yaml")
    halved(raster_in(data))
    found = KnowFlow().run(load_plan(tmp_path / "plan.yaml"), out=tmp_path / "out")
    assert found.status == "completed"
    assert len([note for note in found.notes if "is not as it was" in note]) == 1


def test_a_file_overwritten_while_the_plan_is_made_is_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The headers were read before; what the plan notes of the file comes after."""
    states = inputs.states

    def overwritten(plan: Any) -> dict[str, str]:
        in_bytes(raster_in(data))
        return states(plan)

    monkeypatch.setattr(inputs, "states", overwritten)
    found = KnowFlow().run(QUERY, data, out=tmp_path / "out")
    assert found.status == "refused"
    assert "files have changed" in (found.error or {})["message"]


def test_a_run_whose_file_is_replaced_under_it_fails_names_it_and_goes_on_later(data: Path, tmp_path: Path) -> None:
    path = raster_in(data)
    other = shutil.copy2(path, tmp_path / "other.tif")
    halved(Path(other))

    def meanwhile(event: Any) -> None:
        if type(event).__name__ == "RunStarted":
            os.replace(other, path)

    found = KnowFlow().run(QUERY, data, out=tmp_path / "out", on_event=meanwhile)
    assert (found.status, (found.error or {})["code"]) == ("failed", "changed_input")
    assert path.name in (found.error or {})["message"]
    assert [diagnosis["cause"] for diagnosis in found.diagnoses] == ["file_changed"]
    again = KnowFlow().resume(str(found.run_id))
    fresh = KnowFlow().run(QUERY, data, out=tmp_path / "fresh")
    assert (again.status, again.answer) == ("completed", fresh.answer)
