"""What can start: exactly the pending nodes whose sources are all ready, in an order of execution."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowflow.execution.agenda import Agenda
from knowflow.model.trace import NodeRecord
from knowflow.model.workflow import FromNode, Given, Node, SeriesOf, Workflow


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """Nodes that use some of those before them, in any order of writing."""
    nodes = []
    for number in range(draw(st.integers(1, 9))):
        sources = draw(st.sets(st.integers(0, number - 1), max_size=3)) if number else set()
        value = SeriesOf(tuple(FromNode(f"n{source}") for source in sorted(sources))) if sources else Given(1)
        nodes.append(Node(f"n{number}", "tool", {"x": value}))
    return Workflow(tuple(draw(st.permutations(nodes))))


@given(workflows(), st.data())
def test_nodes_start_when_their_sources_are_ready_and_not_before(workflow: Workflow, data: st.DataObject) -> None:
    records: dict[str, NodeRecord] = {}
    under_way: set[str] = set()
    agenda = Agenda(workflow, lambda node: records.get(node, NodeRecord(node)), under_way)
    sources = {node.id: set(node.sources()) for node in workflow.nodes}
    started: list[str] = []
    while agenda or under_way:
        can = {
            node
            for node, needs in sources.items()
            if node not in started and all(records.get(one, NodeRecord(one)).ready for one in needs)
        }
        assert bool(agenda) is bool(can)
        if agenda and (not under_way or data.draw(st.booleans())):
            node = agenda.take()
            assert node in can
            under_way.add(node)
            started.append(node)
        else:
            ended = data.draw(st.sampled_from(sorted(under_way)))
            under_way.discard(ended)
            records[ended] = NodeRecord(ended, "done")
            agenda.offer_followers(ended)
    assert sorted(started) == sorted(sources)


@given(workflows(), st.data())
def test_dependents_are_all_that_a_node_feeds(workflow: Workflow, data: st.DataObject) -> None:
    sources = {node.id: set(node.sources()) for node in workflow.nodes}
    first = data.draw(st.sampled_from(sorted(sources)))
    fed = {first}
    for _ in sources:
        fed |= {node for node, needs in sources.items() if needs & fed}
    found = Agenda(workflow, NodeRecord, ()).dependents(first)
    assert set(found) == fed - {first}
    assert all(found.index(one) < found.index(node) for node in found for one in sources[node] if one in found)


def test_what_runs_has_ended_or_is_not_there_is_not_offered() -> None:
    workflow = Workflow((Node("a", "tool", {}), Node("b", "tool", {"x": FromNode("a")})))
    agenda = Agenda(workflow, lambda node: NodeRecord(node, "failed"), ())
    agenda.offer("a")
    agenda.offer("gone")
    assert not agenda
    assert not Agenda(workflow, NodeRecord, {"a"})
