"""Plans as the flat calls of a pack: lists or single calls, names of outputs, arithmetic between calls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from knowflow.graph.calls import Call, flat_calls
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact, series
from knowflow.model.pack import Pack
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromInput, FromNode, Given, Node, SeriesOf, Workflow

PLACES = "python:toolbox."


def tool(name: str, parameters: dict[str, Any], run: str = PLACES, **settings: Any) -> ToolSchema:
    described = {
        "tool": name,
        "title": name,
        "description": name,
        "kit": "index",
        "layers": [2],
        "run": f"{run}f:{name}",
    }
    return ToolSchema.model_validate({**described, "parameters": parameters, **settings})


LIST = {"type": "list"}
TOOLS = {
    schema.tool: schema
    for schema in (
        tool(
            "warmth",
            {
                "band": {"type": "raster"},
                "kind": {"type": "string", "default": "a"},
                "out": {"type": "raster", "role": "output"},
            },
        ),
        tool(
            "change",
            {
                "before": {"type": "raster"},
                "after": {"type": "raster"},
                "out": {"type": "raster", "role": "output"},
            },
        ),
        tool("means", {"images": {"type": "raster_series"}}, returns=LIST),
        tool("share", {"image": {"type": "raster"}, "limit": {"type": "number"}}, returns={"type": "scalar"}),
        tool("variety", {"x": LIST}, returns={"type": "scalar"}),
        tool("first", {"x": LIST}, run="python:knowflow.tools.", returns={"type": "scalar"}),
        tool(
            "multiple",
            {"x": {"type": "number"}, "times": {"type": "number"}},
            run="python:knowflow.tools.",
            returns={"type": "scalar"},
        ),
        tool("smooth", {"x": LIST}, run="python:knowflow.tools.", returns=LIST),
    )
}
DATES = ("2022-06-01", "2022-07-01", "2022-08-01")


def scene(date: str) -> Artifact:
    name = f"Somewhere_{date}_B10.tif"
    return Artifact("raster", path=name, name=name, facts={"datetime": date})


def plan(*nodes: Node, scenes: int = 3, answer: str = "answer") -> Plan:
    inputs = {"files": series(tuple(scene(date) for date in DATES[:scenes]))}
    return Plan(
        query="q",
        template="t",
        title="T",
        workflow=Workflow(nodes),
        inputs=inputs,
        outputs={"answer": FromNode(answer)},
    )


def pack(**calls: Any) -> Pack:
    opening = {"tool": "listing", "folder": "dir"}
    return Pack.model_validate(
        {"pack": "toolbox", "title": "Toolbox", "tools_run": PLACES, "opening": opening, "calls": calls}
    )


def warmths(count: int) -> tuple[Node, ...]:
    return tuple(
        Node(f"warmth.{DATES[i]}", "warmth", {"band": FromInput("files", (i,))}, step=f"warmth.{DATES[i]}")
        for i in range(count)
    )


def written(count: int) -> tuple[Call, ...]:
    nodes = warmths(count)
    means = Node("answer", "means", {"images": SeriesOf(tuple(FromNode(node.id, "out") for node in nodes))})
    found = plan(*nodes, means, scenes=count)
    return flat_calls(found, TOOLS, pack(warmth={"lists": True, "stem": "w_{date}", "alone": "w"}), "root/data/q1")


def test_the_opening_comes_first_and_takes_the_folder() -> None:
    assert written(1)[0] == Call("listing", {"dir": "root/data/q1"})


def test_scenes_of_one_step_are_parallel_lists_of_one_call() -> None:
    _, warmth, means = written(3)
    assert warmth.input == {
        "band": [f"root/data/q1/Somewhere_{date}_B10.tif" for date in DATES],
        "out": [f"q1/w_{date}.tif" for date in DATES],
    }
    assert means.input == {"images": [f"root/out/q1/w_{date}.tif" for date in DATES]}


def test_scenes_of_one_day_are_told_apart_by_their_time() -> None:
    names = ("2022-06-01_0415_B10.tif", "2022-06-01_1515_B10.tif", "2022-06-02_0500_B10.tif")
    nodes = tuple(
        Node(f"warmth.{i}", "warmth", {"band": FromInput("files", (i,))}, step=f"warmth.2022-06-0{i + 1}")
        for i in range(3)
    )
    means = Node("answer", "means", {"images": SeriesOf(tuple(FromNode(node.id, "out") for node in nodes))})
    files = series(tuple(Artifact("raster", path=name, name=name) for name in names))
    found = replace(plan(*nodes, means), inputs={"files": files})
    _, warmth, _ = flat_calls(found, TOOLS, pack(warmth={"lists": True, "stem": "w_{date}"}), "root/data/q1")
    assert warmth.input["out"] == [f"q1/w_{name.removesuffix('_B10.tif')}.tif" for name in names]


def test_a_call_that_compares_an_image_with_itself_may_name_its_output_otherwise() -> None:
    def named(second: int) -> Any:
        node = Node("answer", "change", {"before": FromInput("files", (0,)), "after": FromInput("files", (second,))})
        style = {"stem": "{name}_change", "alone": "change", "alike": "{name}_mask"}
        return flat_calls(plan(node), TOOLS, pack(change=style), "root/data/q1")[1].input["out"]

    assert named(0) == "q1/Somewhere_2022-06-01_B10_mask.tif"
    assert named(1) == "q1/change.tif"


@pytest.mark.parametrize(
    ("region", "name"),
    [
        ("Paris metropolitan area", "w_paris"),
        ("Mediterranean, Los Angeles, TIFF", "w_los_angeles"),
        ("the region", "w_2022-06-01"),
        (None, "w_2022-06-01"),
    ],
)
def test_an_output_may_be_named_by_the_place_that_the_question_names(region: str | None, name: str) -> None:
    node = Node("answer", "warmth", {"band": FromInput("files", (0,))})
    understood = {} if region is None else {"region": {"value": region, "words": region}}
    found = replace(plan(node), understood=understood)
    calls = flat_calls(found, TOOLS, pack(warmth={"stem": "w_{date}", "alone": "w_{region}"}), "root/data/q1")
    assert calls[1].input["out"] == f"q1/{name}.tif"


def test_one_scene_is_no_list_but_where_a_list_is_wanted() -> None:
    _, warmth, means = written(1)
    assert warmth.input == {"band": "root/data/q1/Somewhere_2022-06-01_B10.tif", "out": "q1/w.tif"}
    assert means.input == {"images": ["root/out/q1/w.tif"]}


def test_without_a_style_every_scene_is_a_call_of_its_own_with_names_of_its_own() -> None:
    nodes = warmths(3)
    means = Node("answer", "means", {"images": SeriesOf(tuple(FromNode(node.id, "out") for node in nodes))})
    calls = flat_calls(plan(*nodes, means), TOOLS, pack(), "root/data/q1")
    assert [call.name for call in calls] == ["listing", "warmth", "warmth", "warmth", "means"]
    assert len({call.input["out"] for call in calls[1:4]}) == 3


def test_arithmetic_on_single_values_becomes_part_of_the_argument_it_feeds() -> None:
    nodes = (
        Node("means", "means", {"images": FromInput("files")}),
        Node("mean", "first", {"x": FromNode("means")}),
        Node("limit", "multiple", {"x": FromNode("mean"), "times": Given(1.5)}),
        Node("answer", "share", {"image": FromInput("files", (0,)), "limit": FromNode("limit")}),
    )
    *_, share = flat_calls(plan(*nodes), TOOLS, pack(), "data")
    assert share.input["limit"] == {"from": 1, "item": 0, "times": 1.5}


def test_a_tool_outside_the_pack_that_does_more_is_refused() -> None:
    nodes = (Node("means", "smooth", {"x": Given((1, 2))}), Node("answer", "first", {"x": FromNode("means")}))
    with pytest.raises(PlanningError, match="smooth is not a tool of the pack"):
        flat_calls(plan(*nodes), TOOLS, pack(), "data")


def test_styles_say_spell_and_leave_out_parameters() -> None:
    nodes = (Node("answer", "warmth", {"band": FromInput("files", (0,)), "kind": Given("a")}),)

    def arguments(**style: Any) -> dict[str, Any]:
        return dict(flat_calls(plan(*nodes), TOOLS, pack(warmth={"stem": "w", **style}), "data")[1].input)

    assert "kind" not in arguments(), "what is taken anyway is not said"
    assert arguments(says={"kind": "a"})["kind"] == "a"
    assert "Band" in arguments(names={"band": "Band"})
    assert "band" not in arguments(names={"band": "Band"})
    assert "band" not in arguments(omits=["band"])
    assert arguments(full_paths=True)["out"] == "out/w.tif"


def test_an_output_that_is_not_said_is_known_all_the_same_and_one_thing_becomes_a_list_of_one() -> None:
    nodes = (
        Node("warmth", "warmth", {"band": FromInput("files", (0,))}),
        Node("means", "means", {"images": FromNode("warmth", "out")}),
        Node("answer", "first", {"x": FromNode("means")}),
    )
    _, warmth, means = flat_calls(plan(*nodes), TOOLS, pack(warmth={"stem": "w", "omits": ["out"]}), "data")
    assert "out" not in warmth.input
    assert means.input == {"images": ["out/w.tif"]}

    again = (*nodes[:2], Node("answer", "variety", {"x": FromNode("means")}))
    *_, last = flat_calls(plan(*again), TOOLS, pack(means={"one": True}), "data")
    assert last.input == {"x": [{"from": 2}]}
