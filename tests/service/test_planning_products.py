"""Questions about products of satellites, from reflectance to rain and people, planned as published calls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import pytest

from knowflow.ground.errors import PlanningError
from knowflow.service.planning_calls import plan_calls

FOLDER = "benchmark/data/question9"


def files(layers: Sequence[str], dates: Sequence[str], region: str = "Testland") -> list[str]:
    return [f"{region}_{layer}_{date}.tif" for date in dates for layer in layers]


def tools(query: str, names: Sequence[str]) -> str:
    """The tools that are called after the listing of the files, with how often where that is more than once."""
    names = [call.name for call in plan_calls(query, FOLDER, names).calls]
    assert names[0] == "get_filelist"
    runs = [(name, len(list(group))) for name, group in groupby(names[1:])]
    return " ".join(name if count == 1 else f"{name}*{count}" for name, count in runs)


LANDSAT = files(["SR_B3", "SR_B5", "QA_PIXEL"], ["2019-05-03", "2019-06-20", "2021-05-08", "2021-06-25"])


def test_clouds_are_removed_scene_by_scene_right_before_its_index() -> None:
    query = "Remove the clouds and calculate the difference in average NDWI between 2019 and 2021."
    scene = "apply_cloud_mask*2 calculate_batch_ndwi"
    assert tools(query, LANDSAT) == " ".join([*[scene] * 4, *["calc_batch_image_mean mean"] * 2, "difference"])


def test_where_clouds_are_to_be_removed_scenes_without_a_quality_band_are_left_out() -> None:
    names = [name for name in LANDSAT if name != "Testland_QA_PIXEL_2021-05-08.tif"]
    planned = plan_calls("Remove the clouds and calculate the mean NDWI.", FOLDER, names)
    masked = [call.input["sr_band_path"] for call in planned.calls if call.name == "apply_cloud_mask"]
    assert len(masked) == 6
    assert not any("2021-05-08" in path for path in masked)
    assert any("2021-05-08" in str(assumption) for assumption in planned.plan.assumptions)


def test_clouds_that_nothing_tells_are_not_left_in() -> None:
    names = [name for name in LANDSAT if "QA_PIXEL" not in name]
    with pytest.raises(PlanningError):
        plan_calls("Remove the clouds and calculate the mean NDWI.", FOLDER, names)
    assert "apply_cloud_mask" not in tools("Calculate the mean NDWI.", names)


def test_a_day_without_usable_scenes_is_answered_with_the_nearest_one_and_that_is_said() -> None:
    query = "Remove the clouds and calculate the difference in mean NDWI between 2019-06-25 and 2021-06-20."
    planned = plan_calls(query, FOLDER, LANDSAT)
    read = {call.input["sr_band_path"][-14:-4] for call in planned.calls if call.name == "apply_cloud_mask"}
    assert read == {"2019-06-20", "2021-06-25"}
    assert any("2019-06-25" in str(assumption) for assumption in planned.plan.assumptions)
