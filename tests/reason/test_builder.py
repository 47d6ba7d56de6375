from __future__ import annotations

import pytest
from examples import OUTPUT, RASTER, UTM, catalogue, dated_series, ndvi, raster, tool

from knowflow.graph.check import check_workflow
from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact, band_set, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import BandsOf, FromInput, FromNode, Given, Node, SeriesOf
from knowflow.reason.achievers import Achievers
from knowflow.reason.builder import Bound, Builder

DEGREES = "EPSG:4326"


def builder(*more: ToolSchema, without: tuple[str, ...] = ()) -> Builder:
    tools = {name: schema for name, schema in catalogue(*more).items() if name not in without}
    return Builder(tools, Achievers(tools))


def ids(built: Builder) -> list[str]:
    return [node.id for node in built.workflow.nodes]


def inserted(built: Builder) -> list[tuple[str, str]]:
    return [(node.tool, node.inserted.goal) for node in built.workflow.nodes if node.inserted is not None]


def sound(built: Builder) -> bool:
    result = check_workflow(built.workflow, built.inputs, built._tools)
    return not result.problems


# --- gap filling ----------------------------------------------------------------------------------------------------


def test_nothing_is_inserted_when_nothing_is_wrong() -> None:
    built = builder()
    a, b = built.input("a", ndvi("a")), built.input("b", ndvi("b"))
    assert built.add("difference", {"a": a, "b": b}, layer=2, step="change") == "change"
    assert ids(built) == ["change"]
    assert built.workflow.node("change").title == "difference"


def test_grids_that_differ_are_aligned_and_the_reason_is_kept() -> None:
    built = builder()
    a, b = built.input("a", ndvi("a", pixel=20)), built.input("b", ndvi("b"))
    built.add("difference", {"a": a, "b": b}, layer=2, step="change")
    align, change = built.workflow.nodes
    assert align == Node(
        "change.align_to",
        "align_to",
        {"raster": FromInput("a"), "like": FromInput("b")},
        layer=2,
        title="align to",
        step="change.align_to",
        inserted=align.inserted,
    )
    assert align.inserted is not None
    assert (align.inserted.by, align.inserted.goal) == ("planner", "same_grid(a, b)")
    assert "20x20" in align.inserted.because
    assert align.inserted.lossy == "resampling smooths"
    assert change.args == {"a": FromNode("change.align_to", "output"), "b": FromInput("b")}
    assert sound(built)


def test_only_the_band_that_differs_from_the_others_is_aligned() -> None:
    built = builder()
    scene = built.input("s", band_set({"red": ndvi("r", pixel=20), "nir": ndvi("n"), "green": ndvi("g")}))
    index = Bound(Given("ndvi"), "ndvi")
    built.add("spectral_index", {"index": index, "bands": scene}, layer=2, step="index")
    assert inserted(built) == [("align_to", "same_grid(bands.red, bands.nir)")]
    assert built.workflow.node("index").args["bands"] == BandsOf(
        {
            "red": FromNode("index.align_to", "output"),
            "nir": FromInput("s", ("nir",)),
            "green": FromInput("s", ("green",)),
        }
    )
    assert sound(built)


def test_items_of_a_series_are_aligned_one_by_one_and_keep_their_order() -> None:
    built = builder()
    items = (*dated_series(3).items, ndvi("odd", pixel=30, datetime="2023-01-01"))
    bound = built.input("s", series(items))
    built.add("mean_of_series", {"rasters": bound}, layer=3, step="mean")
    assert inserted(built) == [("align_to", "same_grid(rasters[3], rasters[0])")]
    value = built.workflow.node("mean").args["rasters"]
    assert isinstance(value, SeriesOf)
    assert value.items[:3] == tuple(FromInput("s", (i,)) for i in range(3))
    assert value.items[3] == FromNode("mean.align_to", "output")
    assert sound(built)


def test_degrees_are_projected_where_metres_are_needed() -> None:
    built = builder()
    dem = built.input("dem", raster("dem", crs=DEGREES, origin=(15.0, 46.0), pixel=0.0003, quantity="elevation"))
    built.add("slope", {"elevation": dem}, layer=2, step="slope")
    assert inserted(built) == [("to_projected", "projected(elevation)")]
    assert built.output("slope.to_projected", "output").known.fact("crs") == UTM
    assert sound(built)


def test_a_value_of_a_fact_is_bound_to_the_parameter_that_sets_it() -> None:
    built = builder()
    warm = built.input("t", raster("t", unit="degC", quantity="surface_temperature"))
    built.add("kelvin_only", {"raster": warm}, layer=1, step="k")
    assert built.workflow.node("k.convert_unit").args == {"raster": FromInput("t"), "unit": Given("K")}
    assert built.output("k", "output").known.fact("unit") == "K"


def test_gaps_of_inserted_tools_are_filled_in_turn() -> None:
    needy = tool(
        "align_to",
        {"raster": RASTER, "like": RASTER, "output": OUTPUT},
        preconditions=["unit(raster) == 'K'"],
        effects={"sets": ["same_grid(output, like)"], "preserves": {"output": {"from": "raster", "except": ["grid"]}}},
    )
    built = builder(needy)
    a, b = built.input("a", ndvi("a", unit="degC", pixel=20)), built.input("b", ndvi("b", unit="K"))
    built.add("difference", {"a": a, "b": b}, layer=2, step="d")
    assert [node.tool for node in built.workflow.nodes] == ["convert_unit", "align_to", "difference"]
    assert ids(built) == ["d.align_to.convert_unit", "d.align_to", "d"]
    assert sound(built)


def steps(count: int) -> list[ToolSchema]:
    """Tools that each make a level from the one below: level 0 is what there is, ``count`` what is needed."""
    return [
        tool(
            f"level_{i}",
            {"raster": RASTER, "output": OUTPUT},
            preconditions=[f"level(raster) == 'L{i - 1}'"],
            effects={
                "sets": [f"level(output) == 'L{i}'"],
                "preserves": {"output": {"from": "raster", "except": ["level"]}},
            },
        )
        for i in range(1, count + 1)
    ]


@pytest.mark.parametrize(("count", "possible"), [(1, True), (2, True), (3, True), (4, False)])
def test_chains_of_insertions_are_bounded(count: int, possible: bool) -> None:
    taker = tool("taker", {"raster": RASTER, "output": OUTPUT}, preconditions=[f"level(raster) == 'L{count}'"])
    built = builder(*steps(count), taker)
    start = built.input("a", ndvi(level="L0"))
    if possible:
        built.add("taker", {"raster": start}, layer=1, step="t")
        assert [node.tool for node in built.workflow.nodes] == [*(f"level_{i}" for i in range(1, count + 1)), "taker"]
    else:
        with pytest.raises(PlanningError, match="taker needs"):
            built.add("taker", {"raster": start}, layer=1, step="t")
        assert ids(built) == []


def aligner(name: str, **keys: object) -> ToolSchema:
    return tool(
        name,
        {"raster": RASTER, "like": RASTER, "output": OUTPUT},
        effects={"sets": ["same_grid(output, like)"], "preserves": {"output": {"from": "raster", "except": ["grid"]}}},
        **keys,
    )


def first_aligner(*tools: ToolSchema) -> str:
    built = builder(*tools, without=("align_to",))
    a, b = built.input("a", ndvi("a", pixel=20)), built.input("b", ndvi("b"))
    built.add("difference", {"a": a, "b": b}, layer=2, step="d")
    return built.workflow.nodes[0].tool


def test_lossless_tools_come_before_lossy_ones_and_cheap_before_dear() -> None:
    lossy, dear, cheap = aligner("a_lossy", lossy="much", cost=0.1), aligner("b", cost=5), aligner("c", cost=2)
    assert first_aligner(lossy, dear, cheap) == "c"
    assert first_aligner(lossy, dear) == "b"
    assert first_aligner(lossy) == "a_lossy"


def test_tools_that_may_not_be_inserted_or_do_not_serve_the_layer_are_passed_over() -> None:
    assert first_aligner(aligner("a", insertable=False), aligner("b", layers=[1, 3]), aligner("c", cost=9)) == "c"


def test_an_achiever_whose_own_precondition_cannot_be_met_is_refused_for_the_next() -> None:
    impossible = aligner("a", preconditions=["valid_fraction(raster) > 0.5", "sensor(raster) == 'sentinel-2'"])
    unknown = aligner("b", preconditions=["level(raster) == 'L2A'"])
    assert first_aligner(impossible, unknown, aligner("c", cost=9)) == "c"


def test_what_no_tool_can_mend_is_refused_with_condition_evidence_and_advice() -> None:
    built = builder(without=("align_to",))
    a, b = built.input("a", ndvi("a", pixel=20)), built.input("b", ndvi("b"))
    with pytest.raises(PlanningError) as caught:
        built.add("difference", {"a": a, "b": b}, layer=2, step="d")
    assert caught.value.where == "d"
    assert caught.value.expected == "same_grid(a, b)"
    assert "differs" in str(caught.value.found)
    assert caught.value.hint == "no tool makes same_grid(a, b) true here"


def test_unknown_facts_are_left_to_the_check_and_do_not_call_for_tools() -> None:
    built = builder()
    built.add("kelvin_only", {"raster": built.input("a", ndvi(unit=None))}, layer=1, step="k")
    assert ids(built) == ["k"]
    result = check_workflow(built.workflow, built.inputs, catalogue())
    assert [gap.fact for gap in result.missing] == ["unit"]


def test_grids_that_are_decided_at_run_time_are_aligned_to_be_sure() -> None:
    built = builder()
    made = built.input("a", Artifact("raster", facts=ndvi().facts.put("grid", "made:1", Origin.DERIVED)))
    built.add("difference", {"a": made, "b": built.input("b", ndvi("b"))}, layer=2, step="d")
    assert inserted(built) == [("align_to", "same_grid(a, b)")]


def test_the_same_fix_is_made_once_and_used_again() -> None:
    built = builder()
    a, b = built.input("a", ndvi("a", pixel=20)), built.input("b", ndvi("b"))
    built.add("difference", {"a": a, "b": b}, layer=2, step="first")
    built.add("difference", {"a": a, "b": b}, layer=2, step="second")
    assert ids(built) == ["first.align_to", "first", "second"]
    assert built.workflow.node("second").args["a"] == FromNode("first.align_to", "output")


def test_a_fix_of_another_layer_is_made_anew() -> None:
    built = builder()
    a, b = built.input("a", ndvi("a", pixel=20)), built.input("b", ndvi("b"))
    built.add("difference", {"a": a, "b": b}, layer=3, step="high")
    built.add("difference", {"a": a, "b": b}, layer=2, step="low")
    assert [node.layer for node in built.workflow.nodes] == [3, 3, 2, 2]


def test_a_fix_that_breaks_an_earlier_condition_is_followed_by_one_for_that() -> None:
    spoiler = tool(
        "align_to",
        {"raster": RASTER, "like": RASTER, "output": OUTPUT},
        effects={
            "sets": ["same_grid(output, like)", "unit(output) == 'degC'"],
            "preserves": {"output": {"from": "raster", "except": ["grid", "unit"]}},
        },
    )
    both = tool(
        "both",
        {"a": RASTER, "b": RASTER, "output": OUTPUT},
        preconditions=["unit(a) == 'K'", "same_grid(a, b)"],
    )
    built = builder(spoiler, both)
    a, b = built.input("a", ndvi("a", unit="K", pixel=20)), built.input("b", ndvi("b", unit="K"))
    built.add("both", {"a": a, "b": b}, layer=2, step="n")
    assert [node.tool for node in built.workflow.nodes] == ["align_to", "convert_unit", "both"]
    assert sound(built)


def test_conditions_that_undo_one_another_are_refused() -> None:
    flip = tool(
        "convert_unit",
        {"raster": RASTER, "unit": {"type": "unit"}, "output": OUTPUT},
        effects={
            "sets": ["unit(output) == unit", "level(output) == 'low'"],
            "preserves": {"output": {"from": "raster", "except": ["unit", "level"]}},
        },
    )
    lift = tool(
        "lift",
        {"raster": RASTER, "output": OUTPUT},
        effects={
            "sets": ["level(output) == 'high'", "unit(output) == 'm'"],
            "preserves": {"output": {"from": "raster", "except": ["unit", "level"]}},
        },
    )
    needs = tool(
        "needs", {"raster": RASTER, "output": OUTPUT}, preconditions=["unit(raster) == 'K'", "level(raster) == 'high'"]
    )
    built = builder(flip, lift, needs)
    mark = built.mark()
    with pytest.raises(PlanningError, match="undo one another"):
        built.add("needs", {"raster": built.input("a", ndvi(unit="m", level="low"))}, layer=1, step="n")
    built.undo(mark)
    assert ids(built) == []


# --- fitting --------------------------------------------------------------------------------------------------------


def test_a_band_set_taken_as_a_series_is_mended_inside() -> None:
    stack = tool("stack", {"scenes": {"type": "raster_series"}, "output": OUTPUT}, preconditions=["same_grid(scenes)"])
    built = builder(stack)
    scene = built.input("s", band_set({"red": ndvi("r"), "nir": ndvi("n", pixel=20)}))
    built.add("stack", {"scenes": scene}, layer=1, step="stack")
    assert inserted(built) == [("align_to", "same_grid(scenes[0].nir, scenes[0].red)")]
    assert built.workflow.node("stack").args["scenes"] == BandsOf(
        {"red": FromInput("s", ("red",)), "nir": FromNode("stack.align_to", "output")}
    )
    assert sound(built)


def test_one_raster_taken_as_a_series_is_mended_too() -> None:
    needs = tool(
        "needs", {"rasters": {"type": "raster_series"}, "output": OUTPUT}, preconditions=["unit(rasters) == 'K'"]
    )
    built = builder(needs)
    built.add("needs", {"rasters": built.input("a", ndvi(unit="degC"))}, layer=1, step="n")
    assert built.workflow.node("n").args["rasters"] == FromNode("n.convert_unit", "output")
    assert sound(built)


def test_a_series_of_one_taken_as_a_raster_is_mended_too() -> None:
    built = builder()
    built.add("kelvin_only", {"raster": built.input("s", series((ndvi(unit="degC"),)))}, layer=1, step="k")
    assert built.workflow.node("k.convert_unit").args["raster"] == FromInput("s")
    assert sound(built)


def test_arguments_that_do_not_fit_are_refused_with_all_problems() -> None:
    built = builder()
    with pytest.raises(PlanningError) as caught:
        built.add("smooth", {"window": Bound(Given(0), 0), "windw": Bound(Given(1), 1)}, layer=1, step="s")
    assert [problem.code for problem in caught.value.problems] == [
        "unknown_argument",
        "missing_argument",
        "out_of_range",
    ]


# --- state ----------------------------------------------------------------------------------------------------------


def test_undo_forgets_nodes_inputs_and_fixes_since_the_mark() -> None:
    built = builder()
    b = built.input("b", ndvi("b"))
    mark = built.mark()
    a = built.input("a", ndvi("a", pixel=20))
    built.add("difference", {"a": a, "b": b}, layer=2, step="d")
    built.undo(mark)
    assert ids(built) == []
    assert list(built.inputs) == ["b"]
    a = built.input("a", ndvi("a", pixel=20))
    built.add("difference", {"a": a, "b": b}, layer=2, step="d")
    assert ids(built) == ["d.align_to", "d"]
    assert sound(built)


def test_the_same_data_bound_twice_are_one_input_and_other_data_get_a_number() -> None:
    built = builder()
    first = built.input("x", ndvi("a"))
    assert built.input("y", ndvi("a")).value == first.value == FromInput("x")
    assert built.input("x", ndvi("b")).value == FromInput("x_2")
    assert list(built.inputs) == ["x", "x_2"]


def test_nodes_of_one_step_get_numbers_and_unknown_outputs_are_refused() -> None:
    built = builder()
    a = built.input("a", ndvi())
    assert [built.add("smooth", {"raster": a}, layer=1, step="s") for _ in range(3)] == ["s", "s_2", "s_3"]
    assert built.outputs_of("s") == ("output",)
    with pytest.raises(PlanningError, match="no output 'mask'"):
        built.output("s", "mask")


def test_arguments_that_are_nothing_are_left_out() -> None:
    built = builder()
    built.add("smooth", {"raster": built.input("a", ndvi()), "window": Bound(Given(None), None)}, layer=1, step="s")
    assert list(built.workflow.node("s").args) == ["raster"]


def test_items_of_series_lists_and_single_values() -> None:
    built = builder()
    scenes = built.input("s", dated_series(2))
    assert [item.value for item in built.items(scenes)] == [FromInput("s", (0,)), FromInput("s", (1,))]
    assert built.items(Bound(Given((1, 2)), (1, 2))) == [Bound(Given(1), 1), Bound(Given(2), 2)]
    single = built.input("a", ndvi())
    assert built.items(single) == [single]


def test_a_series_of_literals_is_a_literal_and_one_with_results_refers_to_them() -> None:
    built = builder()
    three = Bound(Given(3), 3)
    result = Bound(FromNode("m", "value"), Artifact("scalar", facts=Facts()))
    assert built.series([three, three]).value == Given((3, 3))
    assert built.series([three, result]).value == SeriesOf((Given(3), FromNode("m", "value")))
    assert built.series([result, result]).known.type == "list"
