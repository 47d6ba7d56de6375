"""What a folder holds as data: every file is in a layer or in a list with the reason, every fact has what speaks for
it, and what stayed open comes with the line to paste."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rasters import write_raster

from knowflow.ground.errors import UnknownNameError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory import about_file, siblings, take_inventory
from knowflow.reason.inventory.siblings import candidates_by_siblings

STEMS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "delta_", "S2A_MSIL2A_", "again/"]),
    st.sampled_from(["NDVI", "ndvi", "LST", "dem", "qwerty", "VV", "T33TVM_20220601T100031_B04_10m"]),
    st.sampled_from(["_2020-06-01", "_2020-06-11", "_20200611", "", "_2019"]),
    st.sampled_from(["", " (1)", "_final", "_copy"]),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEMS, min_size=1, max_size=8, unique_by=str.casefold), st.booleans())
def test_every_file_is_in_a_layer_or_in_a_list_with_the_reason(
    tmp_path_factory: pytest.TempPathFactory, stems: list[str], period: bool
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for number, stem in enumerate(stems):
        write_raster(folder / f"{stem}.tif", shape=(4 + number // 2, 4))  # two of each size are copies
    write_raster(folder / "dem.tif", shape=(9, 9))
    (folder / "notes.docx").write_text("?")
    (folder / "broken.tif").write_text("?")
    found = take_inventory(folder, dates="2020-06-01/2020-06-05" if period else None).to_json()
    layers = [Path(file).relative_to(folder).as_posix() for layer in found["layers"] for file in layer["files"]]
    listed = [one["file"] for name in ("left_out", "unknown", "unreadable") for one in found[name] if one["reason"]]
    every = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    assert sorted([*layers, *listed]) == sorted(every)
    assert sorted(file for group in found["groups"] for file in group["files"]) == sorted(
        file for layer in found["layers"] for file in layer["files"]
    )


def test_layers_are_what_one_question_can_be_about(tmp_path: Path) -> None:
    for day in ("2020-06-01", "2020-06-11"):
        write_raster(tmp_path / f"NDVI_{day}.tif", shape=(4, 4))
        write_raster(tmp_path / f"wind_{day}.tif", shape=(4, 5), tags={"QUANTITY": "wind_speed", "UNIT": "m s-1"})
    assume = ["wind_2020-06-01:height=10m", "wind_2020-06-11:height=100m"]
    ndvi, *winds = take_inventory(tmp_path, assume=assume).to_json()["layers"]
    assert (ndvi["quantity"], ndvi["unit"], ndvi["dates"]) == ("ndvi", "1", ["2020-06-01", "2020-06-11"])
    assert {one["fact"]: one["origin"] for one in ndvi["evidence"]} == {
        **dict.fromkeys(("crs", "shape", "resolution"), "measured"),
        **dict.fromkeys(("quantity", "unit", "datetime"), "declared"),
    }
    assert [(one["height"], len(one["files"])) for one in winds] == [("10m", 1), ("100m", 1)]


def test_files_left_out_say_why(tmp_path: Path) -> None:
    write_raster(tmp_path / "NDVI_2020-06-01.tif")
    write_raster(tmp_path / "b" / "NDVI_2020-06-01.tif")
    write_raster(tmp_path / "NDVI_2019-06-01.tif", shape=(4, 4))
    found = take_inventory(tmp_path, dates="2020-01-01/2020-12-31")
    assert found.left_out == (
        ("NDVI_2019-06-01.tif", "of 2019-06-01, outside --dates"),
        ("b/NDVI_2020-06-01.tif", "the same bytes as NDVI_2020-06-01.tif"),
    )


def test_an_unread_name_that_shares_a_word_has_a_candidate_and_the_line_makes_it_a_fact(tmp_path: Path) -> None:
    write_raster(tmp_path / "karst_one.tif", shape=(4, 4), tags={"QUANTITY": "ndvi"})
    write_raster(tmp_path / "other_one.tif", shape=(4, 5), tags={"QUANTITY": "surface_temperature"})
    for number in (1, 2):
        write_raster(tmp_path / f"karst_qwerty_2020-01-0{number}.tif", shape=(5, 4 + number))
    layers = take_inventory(tmp_path).to_json()["layers"]
    perhaps = next(one for layer in layers for one in layer["candidates"] if one["fact"] == "quantity")
    assert (perhaps["fact"], perhaps["value"], len(perhaps["files"])) == ("quantity", "ndvi", 2)
    assert perhaps["assume"] == '--assume "karst_qwerty_*.tif:quantity=ndvi"'
    said = re.findall(r'--assume "([^"]+)"', perhaps["assume"])
    layers = take_inventory(tmp_path, assume=said).to_json()["layers"]
    assert {layer["quantity"]: len(layer["files"]) for layer in layers} == {"ndvi": 3, "surface_temperature": 1}


def test_candidates_of_ten_times_the_files_read_ten_times_the_names(monkeypatch: pytest.MonkeyPatch) -> None:
    def names_read(count: int) -> int:
        calls: list[Artifact] = []
        words = siblings._name_words
        known = Facts.of(Origin.DECLARED, "", quantity="ndvi")
        items = [Artifact("raster", known if n % 2 else Facts(), f"x{n}", f"ndvi_x{n}.tif") for n in range(count)]
        with monkeypatch.context() as patched:
            patched.setattr(siblings, "_name_words", lambda item: (calls.append(item), words(item))[1])
            assert len(candidates_by_siblings(items)) == count // 2
        return len(calls)

    assert names_read(1000) == 10 * names_read(100)


def test_why_tells_each_fact_of_a_file_and_why_it_does_not_count(tmp_path: Path) -> None:
    write_raster(tmp_path / "NDVI_2020-06-01.tif", shape=(4, 4))
    write_raster(tmp_path / "NDVI_2020-06-11.tif", shape=(4, 5))
    write_raster(tmp_path / "copy" / "NDVI_2020-06-11.tif", shape=(4, 5))
    (tmp_path / "notes.docx").write_text("?")
    found = take_inventory(tmp_path)
    (known,) = about_file(found, str(tmp_path / "NDVI_2020-06-01.tif")).layers
    assert known.series.endswith("(2 dates)")
    assert about_file(found, "NDVI_2020-06-01.tif").words == (("NDVI", "layer"),)
    assert known.to_json()["facts"]["quantity"]["origin"] == "declared"
    assert about_file(found, "notes").reasons == ("not a raster, vector or table that we read (.docx)",)
    copy = about_file(found, "copy/NDVI_2020-06-11.tif")
    assert (copy.layers, copy.reasons) == ((), ("the same bytes as NDVI_2020-06-11.tif",))
    for name, told in (("NDVI_2021", "no file"), ("copy/x", "no file")):
        with pytest.raises(UnknownNameError, match=told):
            about_file(found, name)
