"""Single tools: what was meant is said when something is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.service.api import Service
from knowflow.testing.faults.table import questions
from knowflow.testing.scenes import write_scene


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return Service(tmp_path_factory.mktemp("home"))


def test_a_wrong_path_is_answered_with_the_file_of_that_date(service: Service, tmp_path: Path) -> None:
    write_scene(questions()["correlation"].scene(), tmp_path)
    found = service.run_tool("slope", {"dem": str(tmp_path / "LST_20210601.TIF")}, out=tmp_path / "out")
    assert found.status == "refused"
    assert found.error is not None
    assert "lst_2021-06-01.tif" in found.error["hint"]
    found = service.run_tool("slope", {"dem": str(tmp_path / "nowhere" / "x.tif")}, out=tmp_path / "out")
    assert found.error is not None
    assert found.error["hint"] == "files are given with their path"


def test_a_misnamed_parameter_is_answered_with_its_name(service: Service, tmp_path: Path) -> None:
    found = service.run_tool("threshold_share", {"limit_threshold": "3", "raster": "x.tif"}, out=tmp_path / "out")
    assert found.error is not None
    assert found.error["hint"] == "limit_threshold: did you mean threshold?"


def test_a_flat_call_is_checked_and_the_right_one_proposed(service: Service) -> None:
    files = ["d/a_2021-06-01_NDVI.tif", "d/a_2021-06-01_LST.tif"]
    asked = {"input_ndvi_path": "a_2021-06-01_NDVI.tif", "input_lst_path": files[1], "output_path": "out/t.tif"}
    problems, proposed = service.check_call("compute_tvdi", asked, files)
    assert [problem.code for problem in problems] == ["missing_argument"] * 2 + ["unknown_argument"] * 2
    assert dict(proposed[0].call.arguments) == {"ndvi_path": files[0], "lst_path": files[1], "output_path": "out/t.tif"}
    right = {"ndvi_path": files[0], "lst_path": files[1], "output_path": "out/t.tif"}
    assert service.check_call("compute_tvdi", right, files) == ((), ())
