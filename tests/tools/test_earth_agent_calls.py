"""Published calls: names, lists and numbers in, what the published tool returns out; and the same tools in a plan."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from raster_files import read, write

from knowflow.ground.errors import ToolError
from knowflow.ground.resources import packaged_root
from knowflow.knowledge.documents import load_model
from knowflow.model.tool import ToolSchema
from knowflow.tools.earth_agent.calls import belongs, call


def schema(name: str, kit: str = "earth_agent") -> ToolSchema:
    model = load_model(packaged_root("schemas") / kit / f"{name}.yaml", ToolSchema).model
    assert model is not None
    return model


def save(folder: Path, name: str, value: float) -> str:
    write(folder / name, np.full((4, 5), value, np.float32))
    return str(folder / name)


def test_numbers_written_as_text_are_numbers() -> None:
    assert call(schema("difference"), {"a": "100", "b": "63.5"}) == 36.5
    with pytest.raises(ToolError, match="not a number"):
        call(schema("difference"), {"a": "a lot", "b": 1})


def test_results_have_the_published_shape() -> None:
    points = {"centroids": [[0, 0], [3, 4], [30, 40]]}
    assert call(schema("centroid_distance_extremes"), points) == {"min": [0, 1, 5.0], "max": [0, 2, 50.0]}
    season = {"values": [1.0, 0.0, -1.0, 0.0] * 6}
    assert call(schema("detect_seasonality_acf"), season) == 4
    assert call(schema("detect_seasonality_acf"), {"values": [1.0, 2.0, 3.0, 4.0, 5.0]}) == "Data is not cyclical"


def test_compat_is_asked_for_where_a_tool_has_it() -> None:
    box = {"bboxes": [[10, 10, 20, 20]], "gsd": 1}
    assert call(schema("calculate_bbox_area"), box) == 100
    assert call(schema("calculate_bbox_area"), box, compat=True) == 400
    assert call(schema("difference"), {"a": 1, "b": 2}, compat=True) == 1


def test_parallel_lists_run_a_tool_for_each_scene(tmp_path: Path) -> None:
    arguments = {
        "band31_path": [save(tmp_path, "a1.tif", 300), save(tmp_path, "a2.tif", 290)],
        "band32_path": [save(tmp_path, "b1.tif", 299), save(tmp_path, "b2.tif", 289)],
        "output_path": [str(tmp_path / "lst1.tif"), str(tmp_path / "lst2.tif")],
    }
    said = call(schema("lst_multi_channel"), arguments)
    assert said == [f"Result saved at {path}" for path in arguments["output_path"]]
    first, second = (read(Path(path))[0, 0] for path in arguments["output_path"])
    assert first - second == pytest.approx(10, abs=1e-3)
    with pytest.raises(ToolError, match="different lengths"):
        call(schema("lst_multi_channel"), arguments | {"band32_path": arguments["band32_path"][:1]})


def test_wrong_names_are_told(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as caught:
        call(schema("calculate_water_turbidity_ntu"), {"input_red_path": "r.tif", "output_filename": "o.tif"})
    assert caught.value.hint == "unknown: output_filename; lacking: output_path"


def test_our_own_tools_are_no_part_of_the_pack() -> None:
    assert belongs(schema("ATI"))
    assert not belongs(schema("mean", "statistics"))
    assert call(schema("mean", "statistics"), {"x": [1, 2, 6]}) == 3


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "lst_2022.tif")
    with pytest.raises(Exception, match=r"lst_2022\.tif"):
        call(schema("calc_batch_image_mean"), {"file_list": [missing]})
