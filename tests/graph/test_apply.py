"""Typed edits applied to plans: what they change, what they leave alone, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from examples import UTM, catalogue, ndvi, raster
from hypothesis import given
from hypothesis import strategies as st

from knowflow.graph.check import check_plan, structure_problems
from knowflow.graph.edit import apply, carried_out
from knowflow.graph.topology import changed, cycles, downstream
from knowflow.ground.errors import GraphEditError
from knowflow.model.artifact import series
from knowflow.model.edit import Edit, InsertNode, ReplaceNode, SetParameter, Spot, StateFacts, edit_from_json
from knowflow.model.facts import Origin
from knowflow.model.plan import Plan, Quality
from knowflow.model.workflow import FromInput, FromNode, Given, Inserted, Node, Workflow

TOOLS = catalogue()
OTHER_GRID = ndvi("b", crs="EPSG:32634")
WHY = Inserted("rule", "the grids differ", "same_grid", lossy="resampling smooths")


def plan_of(*nodes: Node, **inputs: object) -> Plan:
    return Plan("", "", Workflow(nodes), inputs=inputs, outputs={"answer": FromNode(nodes[-1].id)})  # type: ignore[arg-type]


DIFFERENCE = plan_of(Node("d", "difference", {"a": FromInput("a"), "b": FromInput("b")}), a=ndvi("a"), b=OTHER_GRID)
ALIGN = InsertNode(Node("fix", "align_to", {"like": FromInput("a")}, inserted=WHY), (Spot("d", "b"),), "raster")


def test_an_inserted_node_makes_a_false_condition_true() -> None:
    assert not check_plan(DIFFERENCE, TOOLS).ok
    edited = apply(DIFFERENCE, [ALIGN], TOOLS)
    assert check_plan(edited, TOOLS).ok
    assert edited.workflow.node("d").args["b"] == FromNode("fix")
    assert edited.workflow.node("fix").args["raster"] == FromInput("b")


def test_the_plan_that_is_edited_stays_as_it_was() -> None:
    before = DIFFERENCE.to_json()
    apply(DIFFERENCE, [ALIGN], TOOLS)
    assert DIFFERENCE.to_json() == before


def test_an_edit_that_breaks_a_condition_is_refused() -> None:
    good = plan_of(Node("d", "difference", {"a": FromInput("a"), "b": FromInput("a")}), a=ndvi("a"), b=OTHER_GRID)
    with pytest.raises(GraphEditError) as caught:
        apply(good, [SetParameter("d", "b", FromInput("b"))], TOOLS)
    assert {problem.code for problem in caught.value.problems} == {"precondition"}
    assert "same_grid" in caught.value.problems[0].expected


def test_what_was_measured_of_a_finished_node_counts_in_the_check() -> None:
    plan = plan_of(
        Node("s", "smooth", {"raster": FromInput("a")}),
        Node("d", "difference", {"a": FromInput("a"), "b": FromInput("a")}),
        a=ndvi("a"),
    )
    wrong = replace(OTHER_GRID, facts=OTHER_GRID.facts.put("crs", "EPSG:32634", Origin.MEASURED))
    edit = SetParameter("d", "b", FromNode("s"))
    assert apply(plan, [edit], TOOLS).workflow.node("d").args["b"] == FromNode("s")
    with pytest.raises(GraphEditError):
        apply(plan, [edit], TOOLS, finished={"s": {"output": wrong}})


def test_a_problem_that_was_there_before_does_not_forbid_an_edit_elsewhere() -> None:
    plan = plan_of(
        Node("s", "smooth", {"raster": FromInput("a"), "window": Given(3)}),
        Node("d", "difference", {"a": FromInput("a"), "b": FromInput("b")}),
        a=ndvi("a"),
        b=OTHER_GRID,
    )
    assert apply(plan, [SetParameter("s", "window", Given(5))], TOOLS).workflow.node("s").args["window"] == Given(5)


def test_the_outputs_and_the_quality_of_the_plan_follow_a_replaced_node() -> None:
    plan = replace(
        plan_of(Node("s", "smooth", {"raster": FromInput("a")}), a=ndvi("a")),
        outputs={"map": FromNode("s", "output")},
        quality=(Quality("valid_fraction($map) > 0", {"map": FromNode("s")}),),
    )
    new = Node("k", "convert_unit", {"raster": FromInput("a"), "unit": Given("1")})
    edited = apply(plan, [ReplaceNode("s", new)], TOOLS)
    assert edited.outputs == {"map": FromNode("k", "output")}
    assert edited.quality[0].values == {"map": FromNode("k")}


def test_no_edit_at_all_is_refused() -> None:
    with pytest.raises(GraphEditError):
        apply(DIFFERENCE, [], TOOLS)


@pytest.mark.parametrize(
    "edit",
    [
        ALIGN,
        SetParameter("d", "b", None),
        SetParameter("d", "b", Given(None)),
        SetParameter("d", "b", FromInput("x", (1, "red"))),
        ReplaceNode("d", Node("e", "smooth", {"raster": FromInput("a")}, inserted=WHY), {"output": "value"}),
    ],
)
def test_edits_are_the_same_when_read_back(edit: Edit) -> None:
    assert edit_from_json(edit.to_json()) == edit
    assert edit.sentence()


# --- laws -----------------------------------------------------------------------------------------------------------


def chain(length: int) -> Plan:
    nodes = [Node("n0", "smooth", {"raster": FromInput("a")})]
    nodes += [Node(f"n{i}", "smooth", {"raster": FromNode(f"n{i - 1}")}) for i in range(1, length)]
    return plan_of(*nodes, a=ndvi("a"), c=raster("c", crs=UTM))


def edits_of(length: int) -> st.SearchStrategy[list[Edit]]:
    ids = st.integers(0, length - 1).map(lambda i: f"n{i}")
    sources = st.one_of(ids.map(FromNode), st.sampled_from([FromInput("a"), FromInput("c"), FromInput("gone")]))
    one = st.one_of(
        st.builds(SetParameter, ids, st.just("raster"), sources),
        st.builds(
            SetParameter, ids, st.sampled_from(["window", "windo"]), st.sampled_from([Given(3), Given("x"), None])
        ),
        st.builds(
            lambda number, node: InsertNode(Node(f"new{number}", "smooth"), (Spot(node, "raster"),), "raster"),
            st.integers(0, 2),
            ids,
        ),
        st.builds(lambda node, value: ReplaceNode(node, Node(f"{node}x", "smooth", {"raster": value})), ids, sources),
    )
    return st.lists(one, min_size=1, max_size=4)


@given(data=st.data(), length=st.integers(1, 6))
def test_edits_keep_a_plan_whole_or_are_refused(data: st.DataObject, length: int) -> None:
    plan = chain(length)
    edits = data.draw(edits_of(length))
    try:
        edited = apply(plan, edits, TOOLS)
    except GraphEditError:
        return
    assert not cycles(edited.workflow)
    assert not structure_problems(edited.workflow, TOOLS)
    assert check_plan(edited, TOOLS).ok


@given(data=st.data(), length=st.integers(1, 6))
def test_what_edits_do_not_concern_is_the_same_object_as_before(data: st.DataObject, length: int) -> None:
    plan = chain(length)
    edits = data.draw(edits_of(length))
    try:
        edited = apply(plan, edits, TOOLS)
    except GraphEditError:
        return
    named = {spot.node for e in edits if isinstance(e, InsertNode) for spot in e.spots}
    named |= {e.node for e in edits if isinstance(e, SetParameter)}
    named |= {e.node_id for e in edits if isinstance(e, ReplaceNode)}
    named |= downstream(plan.workflow, {e.node_id for e in edits if isinstance(e, ReplaceNode)})
    for node in plan.workflow.nodes:
        if node.id not in named:
            assert edited.workflow.by_id[node.id] is node


def test_an_output_of_the_plan_takes_what_is_inserted_before_it() -> None:
    """What is wrong in a file is not handed over as a result beside the answer that was repaired."""
    shown = FromInput("b")
    plan = replace(
        DIFFERENCE,
        outputs={**DIFFERENCE.outputs, "map": shown},
        quality=(Quality("valid_fraction($map) > 0", {"map": shown}),),
    )
    edit = replace(ALIGN, spots=(Spot("d", "b"), Spot("", "map")))
    edited = apply(plan, [edit], TOOLS)
    assert edited.outputs["map"] == edited.quality[0].values["map"] == FromNode("fix")
    assert edit_from_json(edit.to_json()) == edit
    with pytest.raises(GraphEditError):
        apply(plan, [replace(ALIGN, spots=(Spot("d", "b"), Spot("", "nonsense")))], TOOLS)


# --- facts of inputs -------------------------------------------------------------------------------------------------


SCENES = series((ndvi("s0"), ndvi("s1", value_range=(0, 9000)), ndvi("s2")), "s")


@given(
    st.integers(0, 2),
    st.dictionaries(st.sampled_from(["scale", "offset", "nodata", "unit"]), st.floats(allow_nan=False), min_size=1),
)
def test_what_is_stated_of_a_part_of_an_input_is_known_of_it_alone(item: int, facts: dict[str, float]) -> None:
    plan = plan_of(Node("m", "composite", {"rasters": FromInput("s")}), s=SCENES)
    edit = StateFacts((FromInput("s", (item,)),), facts)
    assert edit_from_json(edit.to_json()) == edit
    stated = carried_out(plan, [edit], TOOLS).inputs["s"]
    for number, (before, after) in enumerate(zip(SCENES.items, stated.items, strict=True)):
        if number != item:
            assert after is before
            continue
        assert {name: after.fact(name) for name in facts} == facts
        assert {after.facts[name].origin for name in facts} == {Origin.ASSUMED}
        assert after.fact("quantity") == before.fact("quantity")
        assert after.fact("value_range") is None, "it was measured in other numbers"


def test_facts_of_a_whole_input_are_those_of_all_its_parts() -> None:
    plan = plan_of(Node("m", "composite", {"rasters": FromInput("s")}), s=SCENES)
    stated = carried_out(plan, [StateFacts((FromInput("s"),), {"scale": 0.5})], TOOLS)
    assert [one.fact("scale") for one in stated.inputs["s"].items] == [0.5] * 3


@pytest.mark.parametrize("where", [FromInput("t"), FromInput("s", (3,)), FromInput("s", ("red",))])
def test_facts_are_stated_only_of_what_is_there(where: FromInput) -> None:
    plan = plan_of(Node("m", "composite", {"rasters": FromInput("s")}), s=SCENES)
    with pytest.raises(GraphEditError):
        carried_out(plan, [StateFacts((where,), {"scale": 0.5})], TOOLS)


def test_who_reads_an_input_of_which_other_facts_are_stated_is_changed_and_nobody_else() -> None:
    nodes = (
        Node("reads", "smooth", {"raster": FromInput("a")}),
        Node("behind", "smooth", {"raster": FromNode("reads")}),
        Node("other", "smooth", {"raster": FromInput("b")}),
    )
    plan = plan_of(*nodes, a=ndvi("a"), b=ndvi("b"))
    edited = carried_out(plan, [StateFacts((FromInput("a"),), {"nodata": -1.0})], TOOLS)
    assert changed(plan, edited) == {"reads"}
    assert changed(plan, plan) == set()
