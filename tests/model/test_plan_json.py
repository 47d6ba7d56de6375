from __future__ import annotations

import pytest
from examples import dated_series, literals, ndvi, strict
from hypothesis import given, settings
from hypothesis import strategies as st

from knowflow.ground.errors import UnknownNameError
from knowflow.model.literal import frozen
from knowflow.model.plan import Assumption, Decision, Plan, Quality
from knowflow.model.trace import Check, NodeRecord, Trace
from knowflow.model.workflow import (
    BandsOf,
    Edge,
    FromInput,
    FromNode,
    Given,
    Inserted,
    Node,
    SeriesOf,
    Value,
    Workflow,
    from_json,
    node_refs,
    references,
    to_json,
    value_at,
)

words = st.text(min_size=1, max_size=4)
leaves = (
    st.builds(Given, literals.map(frozen))
    | st.builds(FromNode, words, st.text(max_size=3))
    | st.builds(FromInput, words, st.lists(st.integers(0, 5) | words, max_size=2).map(tuple))
)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple).map(SeriesOf) | st.dictionaries(words, inner, max_size=3).map(BandsOf)
    ),
    max_leaves=6,
)
inserted = st.none() | st.builds(Inserted, st.sampled_from(["planner", "rule"]), words, words, st.none() | words)
nodes = st.builds(
    Node, words, words, st.dictionaries(words, values, max_size=3), st.integers(1, 3), words, words, inserted
)
mappings = st.dictionaries(words, literals.map(frozen), max_size=3)
plans = st.builds(
    Plan,
    query=words,
    template=words,
    workflow=st.lists(nodes, max_size=3).map(tuple).map(Workflow),
    inputs=st.just({"a": ndvi(), "s": dated_series(2, nodata=float("nan"))}),
    parameters=mappings,
    outputs=st.dictionaries(words, values, max_size=2),
    quality=st.lists(st.builds(Quality, words, st.dictionaries(words, values, max_size=2)), max_size=2).map(tuple),
    assumptions=st.lists(st.builds(Assumption, words, literals.map(frozen), words, words), max_size=2).map(tuple),
    decisions=st.just((Decision("a", "b", "c", (("d", "e"),)),)),
    title=words,
    understood=mappings,
)
checks = st.lists(
    st.builds(Check, st.sampled_from(["before", "after", "quality"]), words, st.none() | st.booleans(), words),
    max_size=2,
).map(tuple)
records = st.builds(
    NodeRecord,
    node=words,
    status=st.sampled_from(["pending", "done", "cached", "failed", "skipped"]),
    key=words,
    outputs=st.just({"output": ndvi()}),
    checks=checks,
    error=st.none() | st.just({"code": "tool", "problems": []}),
    started=st.none() | st.floats(0, 1e9),
    finished=st.none() | st.floats(0, 1e9),
)
traces = st.builds(
    Trace,
    run_id=words,
    plan=plans,
    status=st.sampled_from(["running", "completed", "failed"]),
    records=st.lists(records, max_size=3).map(lambda found: {record.node: record for record in found}),
    finished=st.none() | st.floats(0, 1e9),
    outputs=st.just({"answer": ndvi()}),
    delivered=st.dictionaries(words, words, max_size=2),
    quality=checks,
    report=st.none() | words,
)


@given(values)
def test_values_survive_strict_json(value: Value) -> None:
    assert repr(from_json(strict(to_json(value)))) == repr(value)


@settings(max_examples=40)
@given(plans)
def test_plans_survive_strict_json(plan: Plan) -> None:
    assert repr(Plan.from_json(strict(plan.to_json()))) == repr(plan)


@settings(max_examples=25)
@given(traces)
def test_traces_survive_strict_json(trace: Trace) -> None:
    assert repr(Trace.from_json(strict(trace.to_json()))) == repr(trace)


def test_a_literal_mapping_is_not_taken_for_a_reference() -> None:
    for literal in ({"from": "a"}, {"input": "a"}, {"series": ()}, {"value": 1}, {"bands": {}}, {}):
        assert from_json(strict(to_json(Given(literal)))) == Given(literal)


def test_a_node_depends_on_each_node_it_refers_to_once() -> None:
    node = Node(
        "x",
        "t",
        {
            "a": SeriesOf((FromNode("p"), FromNode("q", "mask"), FromInput("i"))),
            "b": BandsOf({"red": FromNode("p"), "nir": Given(1)}),
        },
    )
    assert node.sources() == ("p", "q")
    assert [ref.node for ref in node_refs(node.args["a"])] == ["p", "q"]
    assert [type(ref).__name__ for ref in references(node.args["a"])] == ["FromNode", "FromNode", "FromInput"]
    assert Workflow((node,)).edges == (Edge("p", "", "x", "a"), Edge("q", "mask", "x", "a"), Edge("p", "", "x", "b"))


def test_a_place_inside_an_input_is_walked_by_the_reference() -> None:
    series = SeriesOf((FromInput("s", (0,)), BandsOf({"red": FromNode("p")})))
    assert value_at(series, (1, "red")) == FromNode("p")
    assert value_at(series, (0, "nir")) == FromInput("s", (0, "nir"))
    assert value_at(FromInput("s"), (2, "red")) == FromInput("s", (2, "red"))


def test_an_unknown_node_is_a_named_error_that_lists_the_nodes() -> None:
    with pytest.raises(UnknownNameError, match="no node 'z'"):
        Workflow((Node("a", "t"),)).node("z")


def test_a_record_tells_how_long_and_whether_its_outputs_are_ready() -> None:
    assert NodeRecord("a", started=1.0, finished=3.5).seconds == 2.5
    assert NodeRecord("a", started=1.0).seconds is None
    assert [NodeRecord("a", status).ready for status in ("done", "cached", "failed", "running")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_new_record_replaces_the_one_of_the_same_node_only() -> None:
    trace = Trace("r", Plan("q", "t", Workflow()))
    done = (
        trace.with_record(NodeRecord("a", "running")).with_record(NodeRecord("b")).with_record(NodeRecord("a", "done"))
    )
    assert {name: record.status for name, record in done.records.items()} == {"a": "done", "b": "pending"}
    assert done.record("c") == NodeRecord("c")
    assert trace.records == {}
