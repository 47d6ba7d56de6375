from __future__ import annotations

import networkx as nx
import pytest
from examples import catalogue, chain_node, dags, dated_series, ndvi
from hypothesis import given
from hypothesis import strategies as st

from knowflow.graph.check import structure_problems
from knowflow.graph.edit import Spot, compose, insert_node, replace_node, set_parameter
from knowflow.graph.topology import graph_of
from knowflow.ground.errors import GraphEditError
from knowflow.model.artifact import band_set, series
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf, Value, Workflow, value_at

TOOLS = catalogue()


def smooth(node: str, raster: Value, **more: Value) -> Node:
    return Node(node, "smooth", {"raster": raster, **more})


CHAIN = Workflow(
    (
        smooth("a", FromInput("x")),
        smooth("b", FromNode("a")),
        Node("c", "difference", {"a": FromNode("b"), "b": FromNode("a", "output")}),
    )
)


def reasons(error: GraphEditError) -> list[str]:
    return [problem.code for problem in error.problems]


# --- replace --------------------------------------------------------------------------------------------------------


def test_what_used_the_old_node_uses_the_new_one() -> None:
    new = Node("a2", "convert_unit", {"raster": FromInput("x"), "unit": Given("K")})
    edited = replace_node(CHAIN, "a", new, TOOLS)
    assert [node.id for node in edited.nodes] == ["a2", "b", "c"]
    assert edited.node("b").args == {"raster": FromNode("a2")}
    assert edited.node("c").args == {"a": FromNode("b"), "b": FromNode("a2", "output")}
    assert [node.id for node in CHAIN.nodes] == ["a", "b", "c"]


def test_outputs_with_other_names_are_mapped() -> None:
    workflow = Workflow((smooth("a", FromInput("x")), smooth("b", FromNode("a", "output")), smooth("c", FromNode("a"))))
    new = Node("m", "mean", {"raster": FromInput("x")})
    edited = replace_node(workflow, "a", new, TOOLS, outputs={"output": "value"})
    assert edited.node("b").args["raster"] == edited.node("c").args["raster"] == FromNode("m", "value")


def test_a_replacement_that_does_not_hold_together_is_refused_with_all_reasons() -> None:
    new = Node("b", "smoth", {"raster": FromNode("c")}, layer=3)
    with pytest.raises(GraphEditError) as caught:
        replace_node(CHAIN, "a", new, TOOLS)
    assert set(reasons(caught.value)) == {"duplicate_id", "unknown_tool", "cycle"}


def test_a_replacement_with_wrong_arguments_is_refused_with_all_of_them() -> None:
    with pytest.raises(GraphEditError) as caught:
        replace_node(CHAIN, "a", Node("a", "smooth", {"rster": FromInput("x"), "window": Given(0)}, layer=2), TOOLS)
    assert reasons(caught.value) == [
        "layer_decreases",
        "layer_decreases",
        "unknown_argument",
        "missing_argument",
        "out_of_range",
    ]


def test_an_output_that_the_new_tool_lacks_is_refused() -> None:
    with pytest.raises(GraphEditError) as caught:
        replace_node(CHAIN, "a", Node("m", "mean", {"raster": FromInput("x")}), TOOLS)
    assert reasons(caught.value) == ["dangling_reference"]


def test_a_node_that_does_not_exist_cannot_be_edited() -> None:
    with pytest.raises(GraphEditError, match="no node 'z'"):
        replace_node(CHAIN, "z", smooth("z", FromInput("x")), TOOLS)
    with pytest.raises(GraphEditError, match="no node 'z'"):
        set_parameter(CHAIN, "z", "window", Given(3), TOOLS)


# --- insert ---------------------------------------------------------------------------------------------------------


def test_an_inserted_node_takes_what_stood_there_and_its_output_stands_instead() -> None:
    edited = insert_node(CHAIN, Node("n", "smooth", {}), [Spot("c", "b")], TOOLS, carrier="raster")
    assert [node.id for node in edited.nodes] == ["a", "b", "n", "c"]
    assert edited.node("n").args == {"raster": FromNode("a", "output")}
    assert edited.node("c").args == {"a": FromNode("b"), "b": FromNode("n")}
    assert edited.node("a") is CHAIN.node("a")
    assert edited.node("b") is CHAIN.node("b")


def test_one_node_can_be_inserted_before_several() -> None:
    both = Workflow((smooth("p", FromInput("x")), smooth("q", FromInput("x"))))
    edited = insert_node(
        both, Node("n", "smooth", {}), [Spot("q", "raster"), Spot("p", "raster")], TOOLS, carrier="raster"
    )
    assert [node.id for node in edited.nodes] == ["n", "p", "q"]
    assert edited.node("n").args == {"raster": FromInput("x")}
    assert edited.node("p").args == edited.node("q").args == {"raster": FromNode("n")}


def test_an_item_of_a_series_that_is_an_input_is_reached_by_writing_the_series_out() -> None:
    workflow = Workflow((Node("m", "mean_of_series", {"rasters": FromInput("s")}),))
    edited = insert_node(
        workflow,
        Node("n", "smooth", {}),
        [Spot("m", "rasters", (1,))],
        TOOLS,
        carrier="raster",
        inputs={"s": dated_series(3)},
    )
    assert edited.node("m").args["rasters"] == SeriesOf((FromInput("s", (0,)), FromNode("n"), FromInput("s", (2,))))
    assert edited.node("n").args == {"raster": FromInput("s", (1,))}


def test_a_band_of_a_scene_of_a_series_is_reached_too() -> None:
    scenes = series((band_set({"red": ndvi(), "nir": ndvi()}),))
    workflow = Workflow((Node("m", "mean_of_series", {"rasters": FromInput("s")}),))
    edited = insert_node(
        workflow,
        Node("n", "smooth", {}),
        [Spot("m", "rasters", (0, "nir"))],
        TOOLS,
        carrier="raster",
        inputs={"s": scenes},
    )
    assert edited.node("m").args["rasters"] == SeriesOf(
        (BandsOf({"red": FromInput("s", (0, "red")), "nir": FromNode("n")}),)
    )
    assert edited.node("n").args == {"raster": FromInput("s", (0, "nir"))}


@pytest.mark.parametrize(
    ("spots", "expected"),
    [
        ([], ["no_spot"]),
        ([Spot("z", "raster"), Spot("b", "rster"), Spot("b", "raster", (0,))], ["no_spot"] * 3),
        ([Spot("b", "raster"), Spot("a", "raster")], ["different_values"]),
    ],
)
def test_spots_must_exist_and_hold_the_same(spots: list[Spot], expected: list[str]) -> None:
    with pytest.raises(GraphEditError) as caught:
        insert_node(CHAIN, Node("n", "smooth", {}), spots, TOOLS, carrier="raster")
    assert reasons(caught.value) == expected


def test_an_insertion_that_would_close_a_circle_or_take_an_id_is_refused() -> None:
    with pytest.raises(GraphEditError) as caught:
        insert_node(CHAIN, smooth("n", FromNode("c")), [Spot("b", "raster")], TOOLS)
    assert reasons(caught.value) == ["cycle"]
    with pytest.raises(GraphEditError) as caught:
        insert_node(CHAIN, Node("a", "smooth", {}), [Spot("b", "raster")], TOOLS, carrier="raster")
    assert reasons(caught.value) == ["duplicate_id"]


# --- set ------------------------------------------------------------------------------------------------------------


def test_a_parameter_can_be_set_and_taken_away_again() -> None:
    wide = set_parameter(CHAIN, "b", "window", Given(9), TOOLS)
    assert wide.node("b").args["window"] == Given(9)
    assert wide.node("a") is CHAIN.node("a")
    assert set_parameter(wide, "b", "window", None, TOOLS) == CHAIN


@pytest.mark.parametrize(
    ("param", "value", "expected"),
    [
        ("windw", Given(3), ["unknown_argument"]),
        ("window", Given(0), ["out_of_range"]),
        ("window", Given("wide"), ["wrong_type"]),
        ("raster", None, ["missing_argument"]),
        ("raster", FromNode("c"), ["cycle"]),
        ("raster", FromNode("z"), ["dangling_reference"]),
    ],
)
def test_a_value_that_does_not_fit_is_refused(param: str, value: Value | None, expected: list[str]) -> None:
    with pytest.raises(GraphEditError) as caught:
        set_parameter(CHAIN, "b", param, value, TOOLS)
    assert reasons(caught.value) == expected


# --- compose --------------------------------------------------------------------------------------------------------


def test_inputs_of_the_second_become_values_of_the_first_and_ids_stay_unique() -> None:
    second = Workflow((smooth("a", FromInput("product")), smooth("d", FromNode("a")), smooth("e", FromInput("other"))))
    joined = compose(CHAIN, second, {"product": FromNode("c")}, TOOLS)
    assert [node.id for node in joined.workflow.nodes] == ["a", "b", "c", "a_2", "d", "e"]
    assert joined.renamed == {"a": "a_2", "d": "d", "e": "e"}
    assert joined.workflow.node("a_2").args == {"raster": FromNode("c")}
    assert joined.workflow.node("d").args == {"raster": FromNode("a_2")}
    assert joined.workflow.node("e") is second.node("e")
    assert joined.workflow.node("a") is CHAIN.node("a")


def test_parts_of_a_bound_input_are_found_in_the_value_or_refused() -> None:
    second = Workflow((smooth("d", FromInput("s", (1,))),))
    pair = SeriesOf((FromNode("a"), FromNode("b")))
    assert compose(CHAIN, second, {"s": pair}, TOOLS).workflow.node("d").args == {"raster": FromNode("b")}
    as_input = compose(CHAIN, second, {"s": FromInput("t", (2,))}, TOOLS).workflow
    assert as_input.node("d").args == {"raster": FromInput("t", (2, 1))}
    for value in (FromNode("c"), SeriesOf((FromNode("a"),)), BandsOf({"red": FromNode("a")})):
        with pytest.raises(GraphEditError) as caught:
            compose(CHAIN, second, {"s": value}, TOOLS)
        assert reasons(caught.value) == ["no_part"]


def test_a_composition_whose_layers_decrease_is_refused() -> None:
    high = Workflow((Node("h", "smooth", {"raster": FromInput("x")}, layer=3),))
    with pytest.raises(GraphEditError) as caught:
        compose(high, Workflow((smooth("d", FromInput("s")),)), {"s": FromNode("h")}, TOOLS)
    assert reasons(caught.value) == ["layer_decreases"]


# --- properties -----------------------------------------------------------------------------------------------------


def sound(workflow: Workflow) -> bool:
    return structure_problems(workflow, TOOLS) == [] and nx.is_directed_acyclic_graph(graph_of(workflow))


@given(dags(), st.data())
def test_replacing_leaves_a_dag_and_every_other_node_that_did_not_use_it(
    workflow: Workflow, data: st.DataObject
) -> None:
    victim = data.draw(st.sampled_from(workflow.nodes))
    edited = replace_node(workflow, victim.id, smooth("new", FromInput("a")), TOOLS)
    assert sound(edited)
    assert len(edited) == len(workflow)
    for old, new in zip(workflow.nodes, edited.nodes, strict=True):
        assert (old is new) == (old is not victim and victim.id not in old.sources())


@given(dags(), st.data())
def test_inserting_on_an_edge_leaves_a_dag_and_touches_only_the_target(workflow: Workflow, data: st.DataObject) -> None:
    spots = [
        Spot(node.id, param, (index,))
        for node in workflow.nodes
        for param, value in node.args.items()
        if isinstance(value, SeriesOf)
        for index in range(len(value.items))
    ]
    if not spots:
        return
    spot = data.draw(st.sampled_from(spots))
    edited = insert_node(workflow, Node("new", "smooth", {}), [spot], TOOLS, carrier="raster")
    assert sound(edited)
    assert {node.id: node for node in edited.nodes if node.id not in ("new", spot.node)} == {
        node.id: node for node in workflow.nodes if node.id != spot.node
    }
    assert all(edited.node(node.id) is node for node in workflow.nodes if node.id != spot.node)
    assert "new" in edited.node(spot.node).sources()
    stood = value_at(workflow.node(spot.node).args[spot.param], spot.at)
    assert edited.node("new").args == {"raster": stood}


@given(dags(), dags(), st.data())
def test_composing_leaves_a_dag_of_all_nodes(first: Workflow, second: Workflow, data: st.DataObject) -> None:
    value = FromNode(data.draw(st.sampled_from(sorted(first.by_id))))
    joined = compose(first, second, {"a": value}, TOOLS)
    assert sound(joined.workflow)
    assert len(joined.workflow) == len(first) + len(second)
    assert joined.workflow.nodes[: len(first)] == first.nodes
    assert all(FromInput("a") not in node.args.values() for node in joined.workflow.nodes[len(first) :])


@given(dags(), st.data())
def test_no_edit_makes_a_cycle(workflow: Workflow, data: st.DataObject) -> None:
    ids = sorted(workflow.by_id)
    target, source = data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(ids))
    closes = nx.has_path(graph_of(workflow), target, source)
    index = int(target[1:])
    new = chain_node(index, [int(source[1:])])
    if closes:
        with pytest.raises(GraphEditError):
            replace_node(workflow, target, new, TOOLS)
    else:
        assert sound(replace_node(workflow, target, new, TOOLS))
