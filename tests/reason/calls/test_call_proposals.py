"""A refused call is followed by one that would do."""

from __future__ import annotations

from typing import Any

import pytest

from knowflow.model.tool import ToolSchema
from knowflow.reason.calls import Call, KnownFiles, Result, check_call, proposals
from knowflow.reason.calls.file_names import by_date, file_name, matches
from knowflow.reason.calls.tool_names import nearest_tools

FOLDER = "data/alps"
DATES = ("2021-05-01", "2021-06-01", "2022-05-01")
KNOWN = KnownFiles(
    frozenset(f"{FOLDER}/Alps_{date}_{layer}.tif" for date in DATES for layer in ("NDVI", "LST")),
    frozenset({FOLDER}),
    lambda path: "out" in path.split("/"),
)


def _tool(name: str, title: str, parameters: dict[str, Any], returns: str | None = None, **more: Any) -> ToolSchema:
    document = {"tool": name, "title": title, "kit": "statistics", "layers": [2], "run": "python:none:none"}
    given = {} if returns is None else {"returns": {"type": returns}}
    return ToolSchema.model_validate(document | given | {"parameters": parameters} | more)


RASTER, SERIES = {"type": "raster"}, {"type": "raster_series"}
OUT, OUTS = {"type": "path", "role": "output"}, {"type": "path", "role": "output", "produces": "raster_series"}
NUMBERS = {"type": "list", "items": "number"}
TOOLS = {
    schema.tool: schema
    for schema in (
        _tool(
            "compute_tvdi",
            "TVDI of a scene",
            {"ndvi_path": RASTER, "lst_path": RASTER, "output_path": OUT},
            effects={"sets": ["quantity(output_path) == 'tvdi'"]},
        ),
        _tool(
            "calc_batch_image_mean",
            "Mean of each image",
            {"file_list": SERIES, "uint8": {"type": "boolean", "default": False}},
            "list",
        ),
        _tool("calculate_tif_average", "Average of images", {"file_list": SERIES, "output_path": OUT}),
        _tool("mean", "Mean of numbers", {"x": NUMBERS}, "scalar"),
        _tool("linear_trend", "Linear trend", {"y": NUMBERS}, "list"),
        _tool("difference", "Difference of two numbers", {"a": {"type": "number"}, "b": {"type": "number"}}, "scalar"),
        _tool(
            "calculate_threshold_ratio",
            "Share above a threshold",
            {
                "image_paths": {**SERIES, "single": True},
                "threshold": {"type": "number", "default": 0.5},
                "mode": {"type": "string", "default": "above", "choices": ["above", "below"]},
            },
            "scalar",
        ),
        _tool(
            "calculate_batch_ndwi",
            "NDWI of many scenes",
            {"input_nir_paths": SERIES, "input_swir_paths": SERIES, "output_paths": OUTS},
        ),
        _tool("get_filelist", "Files of a folder", {"dir_path": {"type": "path"}}, "list"),
    )
}


def first(name: str, known: KnownFiles = KNOWN, **arguments: Any) -> tuple[list[Call], tuple[str, ...]]:
    """The calls of the first proposal, all of which pass, and what was left out."""
    call = Call(name, arguments)
    assert check_call(call, TOOLS, known), "the call is fine"
    found = proposals(call, TOOLS, known)[0]
    return list(found.calls), found.lost


def test_a_misspelt_tool_is_named_and_its_arguments_get_their_names() -> None:
    calls, lost = first(
        "calculate_tvdi",
        input_ndvi_path=f"{FOLDER}/Alps_2021-05-01_NDVI.tif",
        input_lst_path=f"{FOLDER}/Alps_2021-05-01_LST.tif",
        output_path="out/tvdi.tif",
    )
    assert calls == [
        Call(
            "compute_tvdi",
            {
                "output_path": "out/tvdi.tif",
                "ndvi_path": f"{FOLDER}/Alps_2021-05-01_NDVI.tif",
                "lst_path": f"{FOLDER}/Alps_2021-05-01_LST.tif",
            },
        )
    ]
    assert lost == ()


def test_a_tool_that_resembles_none_gets_no_proposal() -> None:
    assert nearest_tools(Call("read_csv", {"path": "x.csv"}), TOOLS) == ()
    assert proposals(Call("read_csv", {"path": "x.csv"}), TOOLS, KNOWN) == ()


@pytest.mark.parametrize("folder", ["", "elsewhere/", "data/alps/2021/"])
def test_a_file_is_found_by_its_name_in_another_folder(folder: str) -> None:
    calls, _ = first("calc_batch_image_mean", file_list=[f"{folder}Alps_2021-06-01_LST.tif"])
    assert calls[0].arguments["file_list"] == [f"{FOLDER}/Alps_2021-06-01_LST.tif"]


def test_a_file_is_found_by_date_and_words() -> None:
    calls, _ = first("calc_batch_image_mean", file_list=[f"{FOLDER}/LST_20210501.TIF"])
    assert calls[0].arguments["file_list"] == [f"{FOLDER}/Alps_2021-05-01_LST.tif"]


def test_no_date_is_guessed() -> None:
    assert proposals(Call("calc_batch_image_mean", {"file_list": [f"{FOLDER}/LST_2021-07-07.tif"]}), TOOLS, KNOWN) == ()


def test_lists_are_paired_by_date() -> None:
    calls, _ = first(
        "compute_tvdi", ndvi_path=f"{FOLDER}/NDVI.tif", lst_path=f"{FOLDER}/LST.tif", output_path="out/t.tif"
    )
    arguments = calls[0].arguments
    assert arguments["ndvi_path"] == [f"{FOLDER}/Alps_{date}_NDVI.tif" for date in DATES]
    assert arguments["lst_path"] == [f"{FOLDER}/Alps_{date}_LST.tif" for date in DATES]
    assert len(set(arguments["output_path"])) == 3


def test_a_product_that_is_not_there_is_made_first() -> None:
    wanted = f"{FOLDER}/Alps_2021-06-01_TVDI.tif"
    calls, _ = first("calculate_threshold_ratio", image_paths=wanted, threshold=0.7)
    assert calls[0] == Call(
        "compute_tvdi",
        {
            "ndvi_path": f"{FOLDER}/Alps_2021-06-01_NDVI.tif",
            "lst_path": f"{FOLDER}/Alps_2021-06-01_LST.tif",
            "output_path": wanted,
        },
    )
    assert calls[1] == Call("calculate_threshold_ratio", {"image_paths": wanted, "threshold": 0.7})


def test_a_product_of_a_year_is_the_mean_of_its_scenes() -> None:
    calls, _ = first("calculate_threshold_ratio", image_paths=f"{FOLDER}/tvdi_2021.tif")
    assert [call.tool for call in calls] == ["compute_tvdi", "calculate_tif_average", "calculate_threshold_ratio"]
    assert calls[1].arguments["file_list"] == calls[0].arguments["output_path"]


def test_numbers_of_files_are_taken_first() -> None:
    files = [f"{FOLDER}/Alps_{date}_LST.tif" for date in DATES]
    calls, _ = first("linear_trend", y=files)
    assert calls == [Call("calc_batch_image_mean", {"file_list": files}), Call("linear_trend", {"y": Result(0)})]
    calls, _ = first("difference", a=files[0], b=files[1])
    assert calls[0].arguments["file_list"] == files[:2]
    assert calls[1].arguments == {"a": Result(0, 0), "b": Result(0, 1)}


def test_the_mean_of_one_file_is_that_of_its_pixels() -> None:
    file = f"{FOLDER}/Alps_2021-05-01_LST.tif"
    assert first("mean", x=[file])[0] == [Call("calc_batch_image_mean", {"file_list": [file]})]


def test_a_flag_named_as_a_choice_is_that_choice() -> None:
    calls, lost = first("calculate_threshold_ratio", image_paths="out/a.tif", value_threshold=3, below=True)
    assert calls[0].arguments == {"image_paths": "out/a.tif", "threshold": 3, "mode": "below"}
    assert lost == ()


def test_what_a_tool_has_no_place_for_is_left_out_and_said() -> None:
    calls, lost = first("mean", x=[1, 2], verbose=True)
    assert calls == [Call("mean", {"x": [1, 2]})]
    assert lost == ("verbose",)


def test_bands_of_the_other_definition_of_an_index_go_where_they_are_meant() -> None:
    calls, _ = first(
        "calculate_ndwi", input_green_path="out/g.tif", input_nir_path="out/n.tif", output_path="out/w.tif"
    )
    assert calls[0].arguments == {
        "input_nir_paths": ["out/g.tif"],
        "input_swir_paths": ["out/n.tif"],
        "output_paths": ["out/w.tif"],
    }


def test_a_call_where_a_value_should_be_goes_first() -> None:
    calls, _ = first(
        "calc_batch_image_mean",
        file_list={"type": "array", "value": {"function_name": "get_filelist", "args": [FOLDER]}},
    )
    assert calls[0].arguments["file_list"] == sorted(KNOWN.files)


def test_a_folder_that_is_there_stands_in_for_one_inside_it() -> None:
    assert first("get_filelist", dir_path=f"/{FOLDER}/")[0] == [Call("get_filelist", {"dir_path": FOLDER})]
    assert first("get_filelist", dir_path=f"{FOLDER}/2021")[0] == [Call("get_filelist", {"dir_path": FOLDER})]


def test_nothing_is_proposed_for_what_only_the_caller_knows() -> None:
    assert proposals(Call("difference", {"a": 1}), TOOLS, KNOWN) == ()
    assert proposals(Call("difference", {"a": "the largest", "b": 2}), TOOLS, KNOWN) == ()


@pytest.mark.parametrize(
    ("name", "date"),
    [
        ("a_2021-06-01_x.tif", "2021-06-01"),
        ("20210601.tif", "2021-06-01"),
        ("x_2021_06.tif", "2021-06"),
        ("lst_june_2021.tif", "2021-06"),
        ("y2021.tif", "2021"),
        ("x_b04.tif", ""),
    ],
)
def test_a_name_tells_its_date_as_far_as_it_goes(name: str, date: str) -> None:
    assert file_name(name).date == date


def test_equally_likely_files_are_all_named() -> None:
    there = ("d/a_2021-05-01_LST.tif", "d/a_2021-05-02_LST.tif", "d/a_2021-05-01_NDVI.tif")
    assert matches("d/lst.tif", there) == there[:2]
    assert matches("d/slope.tif", there) == ()
    assert by_date([there[:2], there[2:]]) == [(there[0], there[2])]


def test_a_number_is_the_place_in_a_folder_without_numbers() -> None:
    assert matches("d/2.jpg", ("d/A.jpg", "d/B.jpg", "d/C.jpg")) == ("d/B.jpg",)
    assert matches("d/4.jpg", ("d/A.jpg", "d/B.jpg", "d/C.jpg")) == ()
