from __future__ import annotations

from dataclasses import replace

from examples import OUTPUT, RASTER, catalogue, dags, dated_series, ndvi, raster, tool
from hypothesis import given, settings

from knowflow.graph.check import MissingFact, WorkflowCheck, check_plan, check_workflow, structure_problems
from knowflow.model.artifact import Artifact, band_set
from knowflow.model.plan import Plan, Quality
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow

TOOLS = catalogue()


def check(*nodes: Node, **inputs: Artifact) -> WorkflowCheck:
    return check_workflow(Workflow(nodes), inputs, TOOLS)


def found(result: WorkflowCheck) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in result.problems]


def smooth(node: str, raster: Value, **more: Value) -> Node:
    return Node(node, "smooth", {"raster": raster, **more})


def test_a_sound_workflow_has_no_problems_and_every_edge_is_justified() -> None:
    result = check(
        smooth("a", FromInput("x")),
        smooth("b", FromInput("x")),
        Node("d", "difference", {"a": FromNode("a"), "b": FromNode("b")}),
        x=ndvi(),
    )
    assert result.ok
    assert found(result) == []
    assert result.missing == ()
    reasons = {(edge.edge.source, edge.edge.param): edge.reasons for edge in result.edges}
    assert ("smooth: preserved from raster", "same_grid(a, b)") in reasons["a", "a"]
    assert ("smooth: preserved from raster", "same_quantity(a, b)") in reasons["b", "b"]


def test_all_problems_are_reported_at_once() -> None:
    result = check(
        Node("twice", "smooth", {"raster": FromInput("x")}),
        Node("twice", "smooth", {"raster": FromInput("x")}),
        Node("unknown", "smoth", {"raster": FromInput("x")}),
        Node("after_unknown", "smooth", {"raster": FromNode("unknown"), "window": Given(0)}),
        Node("dangling", "smooth", {"raster": FromNode("nobody")}),
        Node("no_output", "smooth", {"raster": FromNode("twice", "mask")}),
        Node("no_input", "smooth", {"raster": FromInput("y"), "windw": Given(1)}),
        Node("no_item", "smooth", {"raster": FromInput("x", (4,))}),
        Node("loop_1", "smooth", {"raster": FromNode("loop_2")}),
        Node("loop_2", "smooth", {"raster": FromNode("loop_1"), "window": Given("w")}),
        Node("high", "smooth", {"raster": FromInput("x")}, layer=3),
        Node("low", "smooth", {"raster": FromNode("high")}, layer=1),
        Node("wrong_layer", "spectral_index", {"index": Given("ndvi"), "bands": FromInput("x")}, layer=3),
        Node("degrees", "slope", {"elevation": FromInput("z")}),
        x=ndvi(),
        z=raster(crs="EPSG:4326", quantity="elevation"),
    )
    assert set(found(result)) == {
        ("duplicate_id", "twice"),
        ("unknown_tool", "unknown"),
        ("out_of_range", "after_unknown.window"),
        ("dangling_reference", "dangling"),
        ("dangling_reference", "no_output"),
        ("dangling_reference", "no_input"),
        ("unknown_argument", "no_input"),
        ("dangling_reference", "no_item"),
        ("cycle", "loop_1"),
        ("wrong_type", "loop_2.window"),
        ("layer_decreases", "low"),
        ("layer", "wrong_layer"),
        ("wrong_type", "wrong_layer.bands"),
        ("precondition", "degrees"),
    }
    assert not result.ok
    unknown = next(problem for problem in result.problems if problem.code == "unknown_tool")
    assert unknown.hint == "did you mean smooth?"


def test_a_false_precondition_says_what_was_found() -> None:
    result = check(Node("d", "difference", {"a": FromInput("x"), "b": FromInput("y")}), x=ndvi(), y=ndvi("y", pixel=20))
    (problem,) = result.problems
    assert (problem.code, problem.expected, problem.where) == ("precondition", "same_grid(a, b)", "d")
    assert "grid of a differs from b" in problem.found


def test_a_missing_fact_names_the_input_behind_a_chain_of_tools() -> None:
    result = check(
        smooth("a", FromInput("s", (1,))),
        smooth("b", FromNode("a")),
        Node("c", "kelvin_only", {"raster": FromNode("b")}),
        s=dated_series(2, unit=None),
    )
    assert result.missing == (MissingFact("c", "unit(raster) == 'K'", "raster", "unit", "s"),)
    assert result.missing[0].assume == "--assume unit=VALUE"
    assert result.ok


def test_a_missing_fact_inside_a_series_of_one_or_a_band_set_is_traced_too() -> None:
    result = check(
        Node("c", "kelvin_only", {"raster": SeriesOf((FromInput("x"),))}),
        Node("d", "kelvin_only", {"raster": BandsOf({"lwir": FromInput("scene", ("lwir",))})}),
        x=ndvi(unit=None),
        scene=band_set({"lwir": ndvi(unit=None)}),
    )
    assert [(gap.node, gap.source) for gap in result.missing] == [("c", "x"), ("d", "scene")]


def test_a_fact_that_a_tool_on_the_way_does_not_pass_on_is_not_asked_of_the_user() -> None:
    dropper = tool(
        "dropper",
        {"raster": RASTER, "output": OUTPUT},
        effects={"preserves": {"output": {"from": "raster", "except": ["unit"]}}},
    )
    nodes = (Node("a", "dropper", {"raster": FromInput("x")}), Node("c", "kelvin_only", {"raster": FromNode("a")}))
    result = check_workflow(Workflow(nodes), {"x": ndvi(unit=None)}, catalogue(dropper))
    assert result.missing == ()


def test_pixel_statistics_are_never_missing_before_the_run() -> None:
    masked = tool(
        "masked",
        {"raster": RASTER, "output": OUTPUT},
        preconditions=["valid_fraction(raster) >= 0.1", "unit(raster) == 'K'"],
    )
    result = check_workflow(
        Workflow((Node("m", "masked", {"raster": FromInput("x")}),)), {"x": ndvi(unit=None)}, catalogue(masked)
    )
    assert [gap.fact for gap in result.missing] == ["unit"]


def test_an_edge_that_nothing_justifies_is_a_problem() -> None:
    result = check(
        Node("m", "mean", {"raster": FromInput("x")}),
        smooth("s", FromNode("m")),
        x=ndvi(),
    )
    assert ("unjustified_edge", "m -> s") in found(result)
    assert ("wrong_type", "s.raster") in found(result)


def test_an_edge_without_conditions_is_justified_by_the_type_it_carries() -> None:
    result = check(smooth("a", FromInput("x")), smooth("b", FromNode("a")), x=ndvi())
    (edge,) = result.edges
    assert edge.reasons == (("smooth: output is a raster", "raster takes a raster"),)


def test_effects_that_satisfy_preconditions_justify_an_edge() -> None:
    result = check(
        Node("p", "to_projected", {"raster": FromInput("x")}),
        Node("s", "slope", {"elevation": FromNode("p")}),
        Node("c", "convert_unit", {"raster": FromInput("t"), "unit": Given("K")}),
        Node("k", "kelvin_only", {"raster": FromNode("c")}),
        x=raster(crs="EPSG:4326", quantity="elevation"),
        t=raster(unit="degC"),
    )
    assert found(result) == []
    reasons = {edge.edge.source: edge.reasons for edge in result.edges}
    assert reasons["p"] == (("to_projected: crs(output) == crs", "projected(elevation)"),)
    assert reasons["c"] == (("convert_unit: unit(output) == unit", "unit(raster) == 'K'"),)


def test_a_promise_to_ensure_the_same_predicate_justifies_an_edge() -> None:
    maker = tool("maker", {"raster": RASTER, "output": OUTPUT}, effects={"ensures": ["in_range(output)"]})
    taker = tool("taker", {"raster": RASTER, "output": OUTPUT}, preconditions=["in_range(raster)"])
    nodes = (Node("m", "maker", {"raster": FromInput("x")}), Node("t", "taker", {"raster": FromNode("m")}))
    result = check_workflow(Workflow(nodes), {"x": ndvi()}, catalogue(maker, taker))
    assert result.edges[0].reasons == (("maker: ensures in_range(output)", "in_range(raster)"),)


def test_outputs_and_quality_of_a_plan_must_refer_to_what_it_has() -> None:
    plan = Plan(
        "q",
        "t",
        Workflow((smooth("a", FromInput("x")),)),
        inputs={"x": ndvi()},
        outputs={"answer": FromNode("z"), "map": FromNode("a", "mask"), "fine": SeriesOf((FromNode("a", "output"),))},
        quality=(Quality("valid_fraction($y) > 0", {"$y": FromInput("y")}),),
    )
    result = check_plan(plan, TOOLS)
    assert found(result) == [
        ("dangling_reference", "outputs.answer"),
        ("dangling_reference", "outputs.map"),
        ("dangling_reference", "quality[0].$y"),
    ]
    assert check_plan(replace(plan, outputs={"answer": FromNode("a")}, quality=()), TOOLS).ok


@settings(max_examples=40)
@given(dags())
def test_structure_of_a_dag_is_sound(workflow: Workflow) -> None:
    assert structure_problems(workflow, TOOLS) == []


@settings(max_examples=40)
@given(dags())
def test_random_dags_of_sound_nodes_check(workflow: Workflow) -> None:
    result = check_workflow(workflow, {"a": ndvi()}, TOOLS)
    assert found(result) == []
    assert set(result.nodes) == set(workflow.by_id)
    assert len(result.edges) == len(workflow.edges)


def test_a_chain_of_a_thousand_nodes_with_an_unknown_fact_is_traced_to_its_input() -> None:
    nodes = [smooth("n0", FromInput("x"))]
    nodes += [smooth(f"n{i}", FromNode(f"n{i - 1}")) for i in range(1, 1000)]
    nodes.append(Node("k", "kelvin_only", {"raster": FromNode("n999")}))
    result = check(*nodes, x=ndvi(unit=None))
    assert [gap.source for gap in result.missing] == ["x"]


def test_facts_are_not_looked_for_behind_a_tool_that_does_not_exist() -> None:
    result = check(
        Node("unknown", "smoth", {"raster": FromInput("x")}),
        smooth("after", FromNode("unknown")),
        Node("d", "difference", {"a": FromNode("after"), "b": FromInput("x")}),
        Node("slope", "slope", {"elevation": FromNode("after")}),
        x=ndvi(),
    )
    assert found(result)[0] == ("unknown_tool", "unknown")
    assert {gap.input for gap in result.missing} <= {"x"}
