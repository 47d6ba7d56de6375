"""Files that hold the places alone where there is some of it: blank is none there, which is told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from drawn_rasters import draw, read

from knowflow import KnowFlow
from knowflow.tools.blanks import none_where_blank
from knowflow.tools.context import running
from knowflow.tools.thresholding import mask_share

U = np.nan
DEPTHS = np.array([[U, 0.5, 2.0, U], [U, U, 0.5, U]], dtype=np.float32)


def test_blank_is_none_where_no_number_says_that_there_is_none(tmp_path: Path) -> None:
    none_where_blank(draw(tmp_path / "a.tif", DEPTHS, quantity="flood_depth", unit="m"), tmp_path / "b.tif")
    found, about = read(tmp_path / "b.tif")
    assert found.tolist() == np.nan_to_num(DEPTHS).tolist()
    assert (about["QUANTITY"], about["UNIT"]) == ("flood_depth", "m")


def test_blank_stays_unknown_beside_a_number_that_says_none(tmp_path: Path) -> None:
    values = np.where(np.arange(8).reshape(2, 4) == 0, np.float32(0), DEPTHS)
    none_where_blank(draw(tmp_path / "a.tif", values, quantity="flood_depth", unit="m"), tmp_path / "b.tif")
    np.testing.assert_array_equal(read(tmp_path / "b.tif")[0], values)


def test_a_share_of_the_ground_asked_about_counts_what_is_blank_as_dry(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    draw(folder / "flood_depth_2021-07-15_m.tif", DEPTHS)
    draw(folder / "burned_area_2021.tif", np.array([[1, 0, 0, 0], [0, 0, 0, 0]], np.uint8), nodata=0)
    draw(folder / "elevation_m.tif", np.repeat([[1.0], [2.0]], 4, axis=1).astype(np.float32))
    ask = KnowFlow().run
    asked = {
        "What share of the area has a flood depth above 1 m?": 1 / 8,
        "What share of the land above 1.5 m has a flood depth above 0.2 m?": 1 / 4,
        "What share of the area has a flood depth below 1 m?": 7 / 8,
        "What is the mean flood depth?": 1.0,
        "What share of the area is burned?": 1 / 8,
    }
    for question, answer in asked.items():
        found = ask(question, folder, out=tmp_path / "out")
        assert found.answer == answer, question
    zeros = tmp_path / "zeros"  # the same depths, told where there is none
    zeros.mkdir()
    draw(zeros / "flood_depth_2021-07-15_m.tif", np.nan_to_num(DEPTHS))
    draw(zeros / "elevation_m.tif", np.repeat([[1.0], [2.0]], 4, axis=1).astype(np.float32))
    for question in list(asked)[:3]:
        assert ask(question, zeros, out=tmp_path / "out").answer == asked[question], question
    assert any("blank is taken as no burned area" in note for note in found.notes)
    left_open = ask("What share of the area is burned?", folder, assume=["burned*:blank=unknown"])
    assert left_open.answer == 1
    assert any("12.5% of the pixels are data" in note for note in left_open.notes)


def test_a_share_tells_how_much_of_the_ground_asked_about_has_data(tmp_path: Path) -> None:
    told: list[str] = []
    mask = draw(tmp_path / "m.tif", np.array([[1, 0, U, U]], dtype=np.float32))
    ground = draw(tmp_path / "g.tif", np.array([[1, 1, 1, 0]], dtype=np.float32))
    whole = draw(tmp_path / "h.tif", np.array([[1, 1, 0, 0]], dtype=np.float32))
    with running(on_told=told.append):
        assert [mask_share(mask), mask_share(mask, ground), mask_share(mask, whole)] == [0.5, 0.5, 0.5]
    assert [words.rpartition(": ")[2].partition("%")[0] for words in told] == ["50.0", "66.7"]
