"""Single calls are checked before they are made."""

from __future__ import annotations

from typing import Any

import pytest

from knowflow.model.tool import ToolSchema
from knowflow.reason.calls import Call, KnownFiles, check_call, listed_in, unwrapped

RASTER: dict[str, Any] = {"type": "raster"}
SERIES: dict[str, Any] = {"type": "raster_series"}
OUT: dict[str, Any] = {"type": "path", "role": "output"}


def tool(name: str, title: str = "A tool", *preconditions: str, **parameters: dict[str, Any]) -> ToolSchema:
    returns = {} if any(p.get("role") == "output" for p in parameters.values()) else {"returns": {"type": "scalar"}}
    return ToolSchema.model_validate(
        {
            "tool": name,
            "title": title,
            "kit": "statistics",
            "layers": [2],
            "parameters": parameters,
            "preconditions": list(preconditions),
            "run": "python:none:none",
            **returns,
        }
    )


TOOLS = {
    schema.tool: schema
    for schema in (
        tool(
            "count_above",
            "Pixels above",
            image=RASTER,
            limit={"type": "number"},
            side={"type": "string", "default": "above", "choices": ["above", "below"]},
        ),
        tool(
            "ndvi_batch",
            "NDVI of many",
            "length(nir) == length(red)",
            nir=SERIES,
            red=SERIES,
            output_paths={**OUT, "produces": "raster_series"},
        ),
        tool("lst_of", "LST of a scene", bt_path=RASTER, emis_path=RASTER, output_path=OUT),
        tool("trend", "Trend of numbers", "length(x) >= 2", x={"type": "list", "items": "number"}),
        tool("ratio", "One number by another", "b != 0", a={"type": "number"}, b={"type": "number"}),
        tool(
            "pick",
            "Items by place",
            items={"type": "list"},
            places={"type": "list", "items": "integer", "index_of": "items"},
        ),
        tool("listing", "Files of a folder", folder={"type": "path"}),
        tool("any_mean", "Means of one or many", paths={**SERIES, "single": True}),
    )
}
KNOWN = KnownFiles(
    frozenset({"data/a_BT.tif", "data/a_emis.tif", "data/b_BT.tif"}),
    frozenset({"data"}),
    lambda path: path.startswith("out/"),
)


def codes(name: str, **arguments: Any) -> list[str]:
    return [problem.code for problem in check_call(Call(name, arguments), TOOLS, KNOWN)]


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("count_above", {"image": "data/a_BT.tif", "limit": 3}, []),
        ("count_above", {"image": "data/a_BT.tif", "limit": "3.5"}, []),
        ("count_above", {"image": "out/made_before.tif", "limit": 3}, []),
        ("count_above", {"image": "./data/a_BT.tif", "limit": 3}, []),
        ("count_below", {"image": "data/a_BT.tif", "limit": 3}, ["unknown_tool"]),
        ("count_above", {"image": "data/a_BT.tif"}, ["missing_argument"]),
        ("count_above", {"image": "data/a_BT.tif", "limit": 3, "mode": "x"}, ["unknown_argument"]),
        ("count_above", {"image": "data/c_BT.tif", "limit": 3}, ["unknown_file"]),
        ("count_above", {"image": "a_BT.tif", "limit": 3}, ["unknown_file"]),
        ("count_above", {"image": "data", "limit": 3}, ["unknown_file"]),
        ("count_above", {"image": "data/a_BT.tif", "limit": "high"}, ["wrong_type"]),
        ("count_above", {"image": "data/a_BT.tif", "limit": 3, "side": "beside"}, ["bad_value"]),
        (
            "count_above",
            {"image": {"type": "string", "value": "data/c.tif"}, "limit": 3},
            ["wrong_type", "unknown_file"],
        ),
        ("ndvi_batch", {"nir": ["data/a_BT.tif"], "red": ["data/b_BT.tif"], "output_paths": ["o.tif"]}, []),
        ("ndvi_batch", {"nir": "data/a_BT.tif", "red": ["data/b_BT.tif"], "output_paths": ["o.tif"]}, ["wrong_type"]),
        (
            "ndvi_batch",
            {"nir": "['data/a_BT.tif']", "red": ["data/b_BT.tif"], "output_paths": ["o.tif"]},
            ["wrong_type"],
        ),
        (
            "ndvi_batch",
            {"nir": ["data/a_BT.tif"] * 2, "red": ["data/b_BT.tif"], "output_paths": ["o.tif"] * 2},
            ["length_mismatch", "length_mismatch"],
        ),
        (
            "ndvi_batch",
            {"nir": ["data/a_BT.tif"], "red": ["data/b_BT.tif"], "output_paths": ["o.tif", "p.tif"]},
            ["length_mismatch"],
        ),
        ("lst_of", {"bt_path": "data/a_BT.tif", "emis_path": "data/a_emis.tif", "output_path": "o.tif"}, []),
        (
            "lst_of",
            {
                "bt_path": ["data/a_BT.tif", "data/b_BT.tif"],
                "emis_path": ["data/a_emis.tif"],
                "output_path": ["o.tif", "p.tif"],
            },
            ["length_mismatch"],
        ),
        ("lst_of", {"bt_path": "data/a_BT.tif", "emis_path": "data/a_emis.tif"}, ["missing_argument"]),
        ("trend", {"x": [1, 2.5]}, []),
        ("trend", {"x": [1]}, ["too_few_items"]),
        ("trend", {"x": ["data/a_BT.tif", "data/b_BT.tif"]}, ["not_numbers"]),
        ("trend", {"x": "data/a_BT.tif"}, ["wrong_type", "not_numbers"]),
        ("ratio", {"a": 1, "b": 0.0}, ["zero_division"]),
        ("ratio", {"a": 0, "b": "2"}, []),
        ("pick", {"items": ["p", "q"], "places": [0, -1]}, []),
        ("pick", {"items": ["p", "q"], "places": [2]}, ["index_out_of_range"]),
        ("listing", {"folder": "data/"}, []),
        ("listing", {"folder": "data/2020"}, ["unknown_folder"]),
        ("any_mean", {"paths": "data/a_BT.tif"}, []),
        ("any_mean", {"paths": ["data/a_BT.tif", "data/z.tif"]}, ["unknown_file"]),
    ],
)
def test_a_call_is_refused_for_what_is_wrong_with_it(name: str, arguments: dict[str, Any], expected: list[str]) -> None:
    assert codes(name, **arguments) == expected


def test_problems_say_where_and_what_instead() -> None:
    (problem,) = check_call(Call("count_abov", {"image": "data/a_BT.tif", "limit": 3}), TOOLS, KNOWN)
    assert "count_above" in problem.hint
    (problem,) = check_call(Call("any_mean", {"paths": ["data/y.tif", "data/z.tif"]}), TOOLS, KNOWN)
    assert problem.where == "any_mean.paths"
    assert problem.found == "'data/y.tif', and 1 more"


def test_files_on_disk_count_where_that_is_asked(tmp_path: Any) -> None:
    file = tmp_path / "x.tif"
    call = Call("any_mean", {"paths": str(file)})
    disk = KnownFiles(on_disk=True)
    assert [p.code for p in check_call(call, TOOLS, disk)] == ["unknown_file"]
    file.write_bytes(b"")
    assert check_call(call, TOOLS, disk) == ()
    assert check_call(Call("listing", {"folder": str(tmp_path)}), TOOLS, disk) == ()
    assert [p.code for p in check_call(Call("listing", {"folder": str(tmp_path / "no")}), TOOLS, disk)] == [
        "unknown_folder"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["a.tif", "b.tif"]', ["a.tif", "b.tif"]),
        ("['a.tif']", ["a.tif"]),
        ("[a.tif, b.tif]", ["a.tif", "b.tif"]),
        ('[\\"a.tif\\", \\"b.tif\\"]', ["a.tif", "b.tif"]),
        ('[(0, 0.3, "above")]', [[0, 0.3, "above"]]),
        ("[]", []),
        ("a.tif", None),
        ("[1, 2", None),
    ],
)
def test_a_list_written_as_a_text_is_read(text: str, expected: list[Any] | None) -> None:
    assert listed_in(text) == expected


def test_what_models_wrap_values_in_comes_off() -> None:
    wrapped = {"type": "array", "items": {"type": "string"}, "value": ["a", {"type": "string", "value": "b"}]}
    assert unwrapped(wrapped) == ["a", "b"]
    assert unwrapped({"red": "a.tif"}) == {"red": "a.tif"}


@pytest.mark.parametrize(("value", "codes"), [("false", []), ("True", []), (True, []), ("maybe", ["wrong_type"])])
def test_a_truth_may_be_written_as_a_text(value: object, codes: list[str]) -> None:
    schema = tool("means", "Means", uint8={"type": "boolean"})
    problems = check_call(Call("means", {"uint8": value}), {"means": schema}, KnownFiles())
    assert [problem.code for problem in problems] == codes
