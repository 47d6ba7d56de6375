"""Questions about files known by their names alone, planned as the calls of the published toolbox."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from published_calls import FOLDER, files, tools

from knowflow import KnowFlow
from knowflow.ground.errors import (
    DataNotFoundError,
    KnowFlowError,
    NotUnderstoodError,
    UnknownNameError,
    UnreadableDataError,
)
from knowflow.model.template import Scene
from knowflow.reason.inventory import take_inventory
from knowflow.service.planning_calls import call_planner, names_of, plan_calls
from knowflow.testing.scenes import write_scene

TWICE_A_MONTH = [f"2022-{month:02}-{day:02}" for month in range(1, 13) for day in (5, 21)]
JULY = [f"2022-07-{day:02}" for day in range(1, 31)]
ONE_DAY = ["2022-07-12"]


def split_window_files(dates: Sequence[str], region: str = "Testland") -> list[str]:
    return [
        name
        for date in dates
        for band in (31, 32)
        for name in (f"{region}_{date}_1030_BT_{band}.tif", f"{region}_{date}_1030_Emis{band}.tif")
    ]


@pytest.mark.parametrize(
    ("query", "names", "expected"),
    [
        (
            "Calculate the average TVDI over the plain on July 12, 2022 from NDVI and LST data.",
            files(["LST", "NDVI"], ONE_DAY),
            "compute_tvdi calc_batch_image_mean",
        ),
        (
            "Using NDVI and LST data of 2022, calculate the TVDI and determine which month had the highest mean.",
            files(["LST", "NDVI"], TWICE_A_MONTH),
            "compute_tvdi calc_batch_image_mean_mean*12 max_value_and_index",
        ),
        (
            "Of all days of July 2022, what percentage had over 30 % of the area above 310 K? Retrieve the temperature "
            "by the split-window algorithm.",
            split_window_files(JULY),
            "split_window count_images_exceeding_threshold_ratio",
        ),
        (
            "Using split-window LST over Testland in July 2022, count the days on which the mean LST exceeded 305 K.",
            split_window_files(JULY),
            "split_window calc_batch_image_mean_threshold",
        ),
        (
            "Estimate water vapour with the band ratio method for 2022 and compute the trend.",
            files([f"Reflectance_{band}" for band in (2, 5, 17, 18, 19)], TWICE_A_MONTH),
            "band_ratio calc_batch_image_mean compute_linear_trend",
        ),
        (
            "Based on precipitation in July 2022, find the day with the heaviest rainfall.",
            files(["precipitation"], JULY),
            "calc_batch_image_mean max_value_and_index",
        ),
        (
            "Calculate the coefficient of variation of NDVI in Testland in 2022.",
            files(["NDVI"], TWICE_A_MONTH),
            "calc_batch_image_mean coefficient_of_variation",
        ),
        (
            "Based on SR_B4, SR_B5 and QA_PIXEL of 2022, mask the clouds, calculate NDVI and its annual mean.",
            files(["SR_B4", "SR_B5", "QA_PIXEL"], TWICE_A_MONTH[:4]),
            "apply_cloud_mask*8 calculate_batch_ndvi calc_batch_image_mean mean",
        ),
        (
            "Based on built_volume_total of 2000 and 2020, calculate the percentage change in total building volume.",
            files(["built_volume_total"], ["2000-01-01", "2020-01-01"]),
            "calc_batch_image_sum*2 percentage_change",
        ),
        (
            "Calculate the residential building volume per capita in 2020 for Testland.",
            files(["built_volume_total", "built_volume_nres", "population"], ["2020-01-01"]),
            "subtract calc_batch_image_sum*2 division",
        ),
        (
            "Perform Getis-Ord Gi* hot spot analysis on nighttime light in 2020 and determine the main direction.",
            files(["avg_rad"], ["2020-06-01"]),
            "getis_ord_gi_star calc_batch_image_hotspot_tif analyze_hotspot_direction",
        ),
    ],
)
def test_a_question_becomes_product_then_reducer_then_comparator(
    query: str, names: Sequence[str], expected: str
) -> None:
    assert tools(query, names) == expected


def test_a_question_with_its_steps_spelled_out_means_the_same_as_the_question() -> None:
    names = files(["sur_refl_b04", "sur_refl_b06"], TWICE_A_MONTH)
    expected = "calculate_batch_ndsi calc_batch_image_mean compute_linear_trend"
    short = "Determine the linear trend of NDSI over Testland in 2022."
    long = (
        "First list the files. Then calculate the NDSI of every date in 2022 from sur_refl_b04 and sur_refl_b06, "
        "next compute the mean NDSI of each image, and finally fit a linear trend to these means."
    )
    assert tools(short, names) == tools(long, names) == expected


HEAT = "Using the split-window algorithm, count the days in July 2022 on which the mean LST exceeded 305 K."


def test_the_number_of_scenes_is_that_of_the_files() -> None:
    for dates in (JULY, JULY[:4], JULY[10:25]):
        calls = plan_calls(HEAT, FOLDER, split_window_files(dates)).calls
        assert [call.name for call in calls] == ["get_filelist", "split_window", "calc_batch_image_mean_threshold"]
        assert len(calls[1].input["band31_path"]) == len(calls[2].input["file_list"]) == len(dates)


def test_other_regions_folders_and_years_leave_the_calls_as_they_are() -> None:
    def shape(query: str, folder: str, names: Sequence[str]) -> list[str]:
        return [call.name for call in plan_calls(query, folder, names).calls]

    expected = shape(HEAT, FOLDER, split_window_files(JULY))
    assert shape(HEAT, "elsewhere/data/7", split_window_files(JULY, "Vindelmora")) == expected
    later = [date.replace("2022", "2023") for date in JULY]
    assert shape(HEAT.replace("2022", "2023"), FOLDER, split_window_files(later)) == expected


def test_scenes_without_a_partner_are_left_out_and_that_is_said() -> None:
    names = [name for name in split_window_files(JULY) if name != "Testland_2022-07-03_1030_BT_32.tif"]
    planned = plan_calls(HEAT, FOLDER, names)
    assert len(planned.calls[1].input["band31_path"]) == len(JULY) - 1
    assert any("2022-07-03" in str(assumption) for assumption in planned.plan.assumptions)


def test_every_file_that_is_named_exists_or_was_written_by_a_call_before() -> None:
    names = split_window_files(JULY)
    calls = plan_calls(HEAT, FOLDER, names).calls
    known = {f"{FOLDER}/{name}" for name in names} | {FOLDER}
    for call in calls:
        written = call.input.get("output_path", [])
        for text in _texts({name: value for name, value in call.input.items() if name != "output_path"}):
            assert not text.endswith(".tif") or text in known, (call.name, text)
        known |= {text if "/out/" in text else f"benchmark/out/{text}" for text in _texts(written)}


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, (list, tuple)) else []


def test_things_on_photographs_are_detected_counted_and_ranked() -> None:
    names = [f"sample_{number}.png" for number in range(1, 4)]
    planned = plan_calls("Which of the images shows the most ships? Count them in each.", FOLDER, names)
    names_called = [call.name for call in planned.calls]
    assert len(set(names_called)) == len(names_called) - 2, "one detection for each of three images"
    assert "ship" in json.dumps([dict(call.input) for call in planned.calls])


@pytest.mark.parametrize(
    ("query", "layer", "dates", "expected"),
    [
        (
            "Compute the linear trend of annual mean NDVI from 2019 to 2021.",
            "NDVI",
            [f"{year}-{month:02}-01" for year in (2019, 2020, 2021) for month in range(1, 13)],
            "calculate_tif_average*3 calc_batch_image_mean compute_linear_trend",
        ),
        (
            "Determine Sen's slope of annual mean LST from 2019 to 2021.",
            "LST",
            [f"{year}-{month:02}-01" for year in (2019, 2020, 2021) for month in range(1, 13)],
            "calc_batch_image_mean mean calc_batch_image_mean mean calc_batch_image_mean mean sens_slope",
        ),
        (
            "Apply the Mann-Kendall test to the monthly mean NDVI of 2022.",
            "NDVI",
            TWICE_A_MONTH,
            "calculate_tif_average*12 calc_batch_image_mean mann_kendall_test",
        ),
        (
            "What is the linear trend of night light from 2010 to 2020?",
            "avg_rad",
            [f"{year}-06-01" for year in range(2010, 2021)],
            "calc_batch_image_mean compute_linear_trend",
        ),
    ],
)
def test_a_trend_is_of_one_number_a_period_and_single_scenes_are_not_averaged(
    query: str, layer: str, dates: Sequence[str], expected: str
) -> None:
    assert tools(query, files([layer], dates)) == expected


def test_years_are_the_places_of_a_trend_over_years() -> None:
    dates = [f"{year}-06-01" for year in (2010, 2012, 2015)]
    planned = plan_calls("Linear trend of night light from 2010 to 2015?", FOLDER, files(["avg_rad"], dates))
    assert planned.calls[-1].input["x"] == [2010, 2012, 2015]


@pytest.mark.parametrize(
    ("query", "why", "found"),
    [
        ("Calculate the mean chlorophyll concentration in 2022.", "no method to product", "of chlorophyll_a from 2022"),
        ("Compute the TVDI of July 2022.", "no method to product", "of ndvi from 2022-07-01 to 2022-07-31"),
        ("Write me a poem.", "nothing in the question says what is to be done", "poem"),
    ],
)
def test_what_the_files_cannot_answer_is_refused_with_a_reason(query: str, why: str, found: str) -> None:
    with pytest.raises(KnowFlowError) as caught:
        plan_calls(query, FOLDER, ["Testland_dem.tif"])
    assert why in caught.value.message
    assert found in str(caught.value.found)


def test_a_pack_that_does_not_exist_is_named_with_those_that_do() -> None:
    with pytest.raises(UnknownNameError, match="earth_agen'") as caught:
        plan_calls("mean NDVI", FOLDER, ["a_NDVI_2022-01-01.tif"], pack="earth_agen")
    assert "earth_agent" in caught.value.hint


def test_names_come_from_a_folder_or_from_a_list(tmp_path: Path) -> None:
    (tmp_path / "data" / "sub").mkdir(parents=True)
    (tmp_path / "data" / "sub" / "b.tif").touch()
    (tmp_path / "data" / ".hidden").touch()
    assert names_of(tmp_path / "data") == ("sub/b.tif",)
    (tmp_path / "names.txt").write_text("a.tif\n\n b.tif \n")
    assert names_of(tmp_path / "names.txt") == ("a.tif", "b.tif")
    (tmp_path / "names.txt").write_text("a.tif\n", encoding="utf-8-sig")
    assert names_of(tmp_path / "names.txt") == ("a.tif",)
    with pytest.raises(DataNotFoundError):
        names_of(tmp_path / "nowhere")
    (tmp_path / "image.tif").write_bytes(b"II*\x00\xf2\x80")
    with pytest.raises(UnreadableDataError, match=r"the names cannot be read") as caught:
        names_of(tmp_path / "image.tif")
    assert caught.value.expected == "text in UTF-8"


NDVI = {
    "name": "R_NDVI",
    "quantity": "ndvi",
    "values": "0.2+0.1*i",
    "dates": ["2022-06-01", "2022-07-01", "2022-08-01"],
}
PATCH = {**NDVI, "values": "0.1+0.4*(x>0.75)"}


@pytest.mark.parametrize(
    ("query", "layer", "expected"),
    [
        ("Calculate the mean NDVI in 2022.", NDVI, 0.3),
        ("Calculate the difference in mean NDVI between June and August 2022.", NDVI, 0.2),
        ("Calculate the maximum percentage increase of NDVI from one date to the next in 2022.", NDVI, (50.0, 0)),
        (
            "Compute the proportion of pixels with NDVI at least 50% higher than the mean of the 2022 average.",
            PATCH,
            (0.25,),
        ),
    ],
)
def test_the_same_plan_runs_as_a_workflow(query: str, layer: dict[str, Any], expected: Any, tmp_path: Path) -> None:
    write_scene(Scene.model_validate({"size": [32, 32], "layers": [layer]}), tmp_path / "data")
    plan, _ = call_planner().plan(query, take_inventory(tmp_path / "data"))
    result = KnowFlow(home=tmp_path / "home").run(plan, out=tmp_path / "out")
    assert result.status == "completed"
    assert result.answer == pytest.approx(expected, abs=1e-4)


def test_a_pack_s_templates_are_not_proposed_for_our_own_tools(knowflow: Any, tmp_path: Path) -> None:
    write_scene(Scene.model_validate({"size": [32, 32], "layers": [NDVI]}), tmp_path / "data")
    query = "Calculate the mean NDVI of each date and the linear trend in 2022."
    plain = knowflow("plan", query, "--data", tmp_path / "data").result
    of_pack = knowflow("plan", query, "--data", tmp_path / "data", "--tools", "earth_agent").result
    assert not re.search("calc_batch|earth_agent", json.dumps(plain))
    assert [call["name"] for call in of_pack["tool_calls"]] == [
        "get_filelist",
        "calc_batch_image_mean",
        "compute_linear_trend",
    ]


def test_the_command_line_shows_calls_and_what_was_understood(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from knowflow.roof.cli import main

    (tmp_path / "names.txt").write_text("\n".join(files(["precipitation"], JULY)))
    query = "On which day of July 2022 was precipitation highest?"
    with pytest.raises(SystemExit) as end:
        main(["plan", query, "--data", str(tmp_path / "names.txt"), "--tools", "earth_agent", "--calls", "--explain"])
    out = capfd.readouterr().out
    assert end.value.code in (0, None)
    assert re.search(r"1\s+calc_batch_image_mean\s+.*28 more", out)
    assert "highest" in out


BOTH_ENDS = "calc_batch_image_mean max_value_and_index min_value_and_index"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Find the highest and the lowest average NDVI of the images in 2022.", BOTH_ENDS),
        ("Find the biggest and the smallest average NDVI of the images in 2022.", BOTH_ENDS),
        (
            "Determine the range of the mean NDVI values in 2022.",
            "calc_batch_image_mean_max_min difference",
        ),
    ],
)
def test_both_ends_of_the_means_are_asked_for(query: str, expected: str) -> None:
    assert tools(query, files(["NDVI"], TWICE_A_MONTH)) == expected


@pytest.mark.parametrize("asked", ["variance", "entropy"])
def test_a_statistic_that_no_tool_computes_is_refused_and_not_replaced_by_the_mean(asked: str) -> None:
    with pytest.raises(KnowFlowError) as caught:
        plan_calls(f"Calculate the {asked} of the NDVI in 2022.", FOLDER, files(["NDVI"], TWICE_A_MONTH))
    assert caught.value.code == "not_understood"


def test_a_number_in_letters_that_only_look_alike_is_read() -> None:
    query = "On how many days of 2022 was the share of pixels with NDVI above 0.4 more than {}?"
    plain, alike = (plan_calls(query.format(words), FOLDER, files(["NDVI"], JULY)) for words in ("sixty %", "ſixty %"))
    assert alike.calls == plain.calls


def test_limits_that_no_step_takes_are_refused_and_not_taken_for_others() -> None:
    with pytest.raises(NotUnderstoodError, match="outside of two limits"):
        plan_calls("Share of pixels with NDVI not between 0.2 and 0.4 in 2022", FOLDER, files(["NDVI"], JULY))


def test_a_text_that_is_too_long_for_a_question_is_not_read() -> None:
    with pytest.raises(NotUnderstoodError, match="at most 10000 characters"):
        plan_calls("the mean of the " * 2000, FOLDER, files(["NDVI"], JULY))
