"""Runs on the local runner, with tools that are small but real."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from execution_examples import node, plan
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from knowflow.execution import run_store
from knowflow.execution.action import Carry, Exhibit, Session
from knowflow.execution.events import (
    Diagnosed,
    Event,
    NodeEnded,
    NodeProgress,
    NodeStarted,
    PlanEdited,
    RunEnded,
    RunStarted,
    RunStopping,
)
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.run_store import RunInUseError, edit, list_runs, load_run
from knowflow.execution.scheduler import execute, resume
from knowflow.ground.errors import PlanningError, UnknownNameError
from knowflow.model.artifact import scalar
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.facts import Facts, Origin
from knowflow.model.plan import Plan, Quality
from knowflow.model.repair import Reply
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Repaired, Trace
from knowflow.model.workflow import FromInput, FromNode, Given, SeriesOf, Workflow

Catalogue = Mapping[str, ToolSchema]
T = TypeVar("T")

SUM = plan(
    node("a", "number", value=2.0),
    node("b", "number", value=3.0),
    node("sum", "total", values=SeriesOf((FromNode("a"), FromNode("b"), FromNode("a")))),
)


def statuses(trace: Trace) -> dict[str, str]:
    return {node.id: trace.record(node.id).status for node in trace.plan.workflow.nodes}


def test_a_plan_runs_and_its_answer_is_the_last_value(catalogue: Catalogue, home: Path) -> None:
    trace = execute(SUM, catalogue, LocalRunner(), home)
    assert trace.status == "completed"
    assert trace.outputs["answer"].value == 7.0
    assert statuses(trace) == {"a": "done", "b": "done", "sum": "done"}
    assert trace.error is None
    assert load_run(trace.run_id, home).to_json() == trace.to_json()


def test_a_second_run_takes_everything_from_the_cache(catalogue: Catalogue, home: Path, calls: Path) -> None:
    first = execute(SUM, catalogue, LocalRunner(), home)
    made = calls.read_text()
    second = execute(SUM, catalogue, LocalRunner(), home)
    assert calls.read_text() == made
    assert set(statuses(second).values()) == {"cached"}
    assert second.outputs["answer"].value == first.outputs["answer"].value
    assert second.record("sum").key == first.record("sum").key


def test_what_tools_say_of_their_results_is_told_with_the_answer_also_from_the_cache(
    catalogue: Catalogue, home: Path
) -> None:
    telling = plan(node("a", "telling", value=2.0), node("b", "telling", value=2.0), node("c", "telling", value=3.0))
    for status in ("done", "cached"):
        trace = execute(telling, catalogue, LocalRunner(), home)
        assert trace.record("c").status == status
        assert trace.notes == ("2 is half of 4", "3 is half of 6")
    many = plan(*(node(f"n{i}", "telling", value=float(i)) for i in range(10)))
    assert execute(many, catalogue, LocalRunner(), home).notes[4:] == ("telling says the like of 6 more results",)


def test_only_what_a_changed_parameter_reaches_is_computed_again(catalogue: Catalogue, home: Path, calls: Path) -> None:
    execute(SUM, catalogue, LocalRunner(), home)
    calls.write_text("")
    changed = replace(
        SUM, workflow=Workflow((SUM.workflow.nodes[0], node("b", "number", value=4.0), SUM.workflow.nodes[2]))
    )
    trace = execute(changed, catalogue, LocalRunner(1), home)
    assert trace.outputs["answer"].value == 8.0
    assert calls.read_text().splitlines() == ["number 4", "total 2 4 2"]


def test_siblings_of_a_failed_node_finish_and_its_dependents_are_skipped(catalogue: Catalogue, home: Path) -> None:
    broken = plan(
        node("zero", "number", value=0.0),
        node("bad", "divide", x=1.0, by=FromNode("zero")),
        node("after", "total", values=SeriesOf((FromNode("bad"),))),
        node("last", "total", values=SeriesOf((FromNode("after"), FromNode("good")))),
        node("good", "number", value=5.0),
        outputs={"answer": FromNode("last"), "aside": FromNode("good")},
    )
    trace = execute(broken, catalogue, LocalRunner(), home)
    assert trace.status == "failed"
    assert statuses(trace) == {
        "zero": "done",
        "bad": "failed",
        "after": "skipped",
        "last": "skipped",
        "good": "done",
    }
    assert trace.error is not None
    assert trace.error["code"] == "tool"
    assert "ZeroDivisionError" in trace.error["found"]
    assert trace.record("last").error == {
        "code": "skipped",
        "message": "not started, because the bad failed",
        "where": "the last",
    }
    assert set(trace.outputs) == {"aside"}


def test_the_traceback_of_a_failure_is_kept_in_the_log_of_its_node(catalogue: Catalogue, home: Path) -> None:
    trace = execute(plan(node("bad", "divide", x=1.0, by=0.0)), catalogue, LocalRunner(), home)
    log = home / "runs" / trace.run_id / "logs" / "bad.log"
    assert "Traceback" in log.read_text()
    assert "Traceback" not in str(trace.error)


def test_independent_nodes_run_at_the_same_time(catalogue: Catalogue, home: Path, tmp_path: Path) -> None:
    places = [str(tmp_path / name) for name in ("x", "y")]
    both = plan(
        node("x", "meet", value=1.0, here=places[0], others=(places[1],)),
        node("y", "meet", value=2.0, here=places[1], others=(places[0],)),
    )
    assert execute(both, catalogue, LocalRunner(2), home).status == "completed"


def test_events_tell_the_whole_run_in_order(catalogue: Catalogue, home: Path) -> None:
    told: list[Event] = []
    trace = execute(SUM, catalogue, LocalRunner(1), home, on_event=told.append)
    assert told[0] == RunStarted(trace.run_id, "a test plan", 3, None)
    assert [event.node for event in told if isinstance(event, NodeStarted)] == ["a", "b", "sum"]
    ended = [event for event in told if isinstance(event, NodeEnded)]
    assert [(event.record.node, event.settled, event.nodes) for event in ended] == [
        ("a", 1, 3),
        ("b", 2, 3),
        ("sum", 3, 3),
    ]
    assert told[-1] == RunEnded(trace.run_id, "completed", "completed: 3 of 3 nodes have results")


def test_a_missed_quality_condition_fails_the_run_but_keeps_its_outputs(catalogue: Catalogue, home: Path) -> None:
    demanding = replace(SUM, quality=(Quality("$answer >= 100", {"$answer": FromNode("sum")}),))
    trace = execute(demanding, catalogue, LocalRunner(), home)
    assert trace.status == "failed"
    assert trace.error is not None
    assert trace.error["code"] == "quality"
    assert trace.outputs["answer"].value == 7.0
    assert [(check.condition, check.truth) for check in trace.quality] == [("$answer >= 100", False)]


def test_inputs_of_the_plan_are_handed_over_in_the_unit_of_the_parameter(catalogue: Catalogue, home: Path) -> None:
    celsius = scalar(20.0, Facts.of(Origin.DECLARED, unit="degC"))
    warm = replace(plan(node("warm", "warm", temperature=FromInput("t"))), inputs={"t": celsius})
    assert execute(warm, catalogue, LocalRunner(), home).outputs["answer"].value == pytest.approx(293.15)


def test_a_run_that_only_lacks_a_fact_is_refused_and_says_which(catalogue: Catalogue, home: Path) -> None:
    needy = catalogue["number"].model_copy(update={"tool": "needy", "parameters": catalogue["warm"].parameters})
    needy = ToolSchema.model_validate(
        {
            **needy.model_dump(),
            "run": "python:execution_toolbox:warm",
            "preconditions": ["known(temperature, 'sensor')"],
        }
    )
    lacking = replace(plan(node("n", "needy", temperature=FromInput("t"))), inputs={"t": scalar(1.0)})
    trace = execute(lacking, {**catalogue, "needy": needy}, LocalRunner(), home)
    assert trace.status == "refused"
    assert trace.error is not None
    assert "--assume sensor=VALUE" in trace.error["hint"]


@pytest.mark.parametrize(
    "bad",
    [
        plan(
            node("a", "total", values=SeriesOf((FromNode("b"),))), node("b", "total", values=SeriesOf((FromNode("a"),)))
        ),
        plan(node("a", "no_such_tool")),
        plan(node("a", "total", values=FromNode("nowhere"))),
    ],
    ids=["cycle", "unknown tool", "dangling reference"],
)
def test_a_plan_that_is_no_workflow_is_refused_before_anything_is_written(
    bad: Plan, catalogue: Catalogue, home: Path
) -> None:
    with pytest.raises(PlanningError) as caught:
        execute(bad, catalogue, LocalRunner(), home)
    assert caught.value.problems
    assert list_runs(home) == ()


def test_an_interrupted_run_can_be_resumed_and_repeats_nothing_that_finished(
    catalogue: Catalogue, home: Path, calls: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    stopping = plan(
        node("first", "number", value=1.0),
        node("middle", "interrupt", value=FromNode("first"), unless=str(flag)),
        node("last", "total", values=SeriesOf((FromNode("middle"),))),
    )
    told: list[Event] = []
    trace = execute(stopping, catalogue, LocalRunner(), home, on_event=told.append)
    assert trace.status == "interrupted"
    assert statuses(trace) == {"first": "done", "middle": "pending", "last": "pending"}
    assert RunStopping(("middle",)) in told
    assert NodeProgress("middle", 0.5) in told
    assert load_run(trace.run_id, home).status == "interrupted"
    flag.touch()
    again = resume(trace.run_id[:-2], catalogue, LocalRunner(), home)
    assert again.run_id == trace.run_id
    assert again.status == "completed"
    assert statuses(again) == {"first": "cached", "middle": "done", "last": "done"}
    assert calls.read_text().splitlines() == ["number 1", "interrupt", "interrupt", "total 1"]


CRASHING = """
import sys
from pathlib import Path
from typing import Any, TypeVar
sys.path[:0] = [sys.argv[1]]
from execution_examples import node, plan, toolbox_catalogue
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.model.workflow import FromNode, SeriesOf
execute(
    plan(
        node("first", "note", text="hello"),
        node("second", "number", value=4.0),
        node("middle", "die", value=FromNode("second"), unless=sys.argv[3]),
        node("last", "total", values=SeriesOf((FromNode("middle"),))),
    ),
    toolbox_catalogue(), LocalRunner(1), Path(sys.argv[2]),
)
"""


def test_after_a_killed_process_the_run_goes_on_and_repeats_nothing_that_finished(
    catalogue: Catalogue, home: Path, calls: Path, tmp_path: Path
) -> None:
    flag = tmp_path / "flag"
    here = Path(__file__).parent
    path = os.pathsep.join([str(here.parent.parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", CRASHING, str(here), str(home), str(flag)], env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == -9
    (summary,) = list_runs(home)
    assert (summary.status, summary.done, summary.nodes) == ("interrupted", 2, 4)
    crashed = load_run(summary.run_id, home)
    assert statuses(crashed) == {"first": "done", "second": "done", "middle": "running", "last": "pending"}
    assert any((home / "cache" / "drafts").iterdir())
    flag.touch()
    again = resume(summary.run_id, catalogue, LocalRunner(1), home)
    assert again.status == "completed"
    assert again.outputs["answer"].value == 4.0
    assert calls.read_text().splitlines() == ["note", "number 4", "die", "die", "total 4"]
    assert not any((home / "cache" / "drafts").iterdir())


def test_a_run_that_is_being_executed_cannot_be_resumed(catalogue: Catalogue, home: Path) -> None:
    def meddle(trace: Trace, session: Session) -> Trace:
        assert load_run(trace.run_id, home).status == "completed"
        with pytest.raises(RunInUseError):
            resume(trace.run_id, catalogue, LocalRunner(), home)
        return replace(trace, report="report.html")

    trace = execute(SUM, catalogue, LocalRunner(), home, conclude=meddle)
    assert load_run(trace.run_id, home).report == "report.html"


def test_resuming_an_unknown_run_names_those_there_are(catalogue: Catalogue, home: Path) -> None:
    trace = execute(SUM, catalogue, LocalRunner(), home)
    with pytest.raises(UnknownNameError, match=trace.run_id):
        resume("nonsense", catalogue, LocalRunner(), home)


class Mending:
    """A repair that edits the plan as a function says, or gives up where it returns None."""

    def __init__(self, mend: Callable[[Trace, str], Plan | None]) -> None:
        self._mend = mend

    def failure(self, trace: Trace, node: str) -> Reply:
        diagnosis = Diagnosis("unknown", node, node)
        plan = self._mend(trace, node)
        if plan is None:
            return Reply(diagnosis)
        old = trace.plan.workflow.by_id
        changed = tuple(n.id for n in plan.workflow.nodes if n.id in old and old[n.id] != n)
        number = len(trace.repairs) + 1
        repaired = Repaired(number, trace.record(node), diagnosis, "person", "", "", (), changed=changed)
        return Reply(diagnosis, plan, repaired)

    def quality(self, trace: Trace) -> Reply | None:
        return None


def test_a_repair_replaces_the_failed_node_and_the_run_goes_on(catalogue: Catalogue, home: Path, calls: Path) -> None:
    broken = plan(
        node("good", "number", value=5.0),
        node("bad", "divide", x=FromNode("good"), by=0.0),
        node("last", "total", values=SeriesOf((FromNode("bad"),))),
    )

    def mend(trace: Trace, failed: str) -> Plan | None:
        assert failed == "bad"
        nodes = tuple(
            replace(found, args={**found.args, "by": Given(2.0)}) if found.id == failed else found
            for found in trace.plan.workflow.nodes
        )
        return replace(trace.plan, workflow=Workflow(nodes))

    told: list[Event] = []
    trace = execute(broken, catalogue, LocalRunner(), home, repair=Mending(mend), on_event=told.append)
    assert trace.status == "completed"
    assert trace.outputs["answer"].value == 2.5
    assert calls.read_text().splitlines() == ["number 5", "divide 5 0", "divide 5 2", "total 2.5"]
    assert load_run(trace.run_id, home).plan.workflow.node("bad").args["by"] == Given(2.0)
    assert any(isinstance(event, PlanEdited) for event in told)
    titles = [event.title for event in told if isinstance(event, NodeStarted)]
    assert titles == ["the good", "the bad", "the bad (edit 1)", "the last"], "who was repaired is named so"


def test_a_repair_that_inserts_a_node_before_the_failed_one_keeps_its_siblings(
    catalogue: Catalogue, home: Path, calls: Path
) -> None:
    broken = plan(
        node("zero", "number", value=0.0),
        node("bad", "divide", x=6.0, by=FromNode("zero")),
        node("side", "total", values=SeriesOf((FromNode("zero"),))),
    )

    def mend(trace: Trace, failed: str) -> Plan | None:
        nodes = trace.plan.workflow.nodes
        if len(nodes) > 3:
            return None
        inserted = node("plus", "total", values=SeriesOf((FromNode("zero"), Given(3.0))))
        mended = replace(nodes[1], args={**nodes[1].args, "by": FromNode("plus")})
        return replace(trace.plan, workflow=Workflow((nodes[0], inserted, mended, nodes[2])))

    trace = execute(broken, catalogue, LocalRunner(1), home, repair=Mending(mend))
    assert set(statuses(trace).values()) == {"done"}
    assert trace.record("bad").outputs["value"].value == 2.0
    assert calls.read_text().splitlines().count("number 0") == 1


def test_a_run_that_goes_on_keeps_the_record_of_its_repairs_and_exchanges(catalogue: Catalogue, home: Path) -> None:
    trace = execute(SUM, catalogue, LocalRunner(), home)
    repaired = Repaired(1, trace.record("a"), Diagnosis("unknown", "a", ""), "person", "s", "b", (), changed=("a",))
    changed = edit(trace.run_id, lambda old: replace(old, repairs=(repaired,), exchanges=({"model": "m"},)), home)
    assert load_run(trace.run_id, home).repairs == changed.repairs
    again = resume(trace.run_id, catalogue, LocalRunner(), home)
    assert (again.repairs, again.exchanges) == ((repaired,), ({"model": "m"},))


def test_a_run_that_is_being_executed_cannot_be_changed(catalogue: Catalogue, home: Path) -> None:
    def change(event: Event) -> None:
        if isinstance(event, NodeStarted):
            (running,) = list_runs(home)
            with pytest.raises(RunInUseError):
                edit(running.run_id, lambda old: old, home)
            tried.append(event.node)

    tried: list[str] = []
    assert execute(SUM, catalogue, LocalRunner(1), home, on_event=change).status == "completed"
    assert tried == ["a", "b", "sum"]


def test_what_is_told_of_a_repair_is_published_when_it_is_made(catalogue: Catalogue, home: Path) -> None:
    broken = plan(node("bad", "divide", x=1.0, by=0.0))
    published: list[Exhibit] = []

    class Showing(LocalRunner):
        def run(self, plan: Plan, carry: Carry, drive: Callable[[Session], T]) -> T:
            def watched(session: Session) -> T:
                session.publish = published.append  # type: ignore[method-assign]
                return drive(session)

            return super().run(plan, carry, watched)

    def mend(trace: Trace, failed: str) -> Plan:
        return replace(trace.plan, workflow=Workflow((node("bad", "divide", x=1.0, by=2.0),)))

    def retell(trace: Trace) -> tuple[Exhibit, ...]:
        return (Exhibit("markdown", f"repair-{trace.repairs[-1].number}", "", trace.repairs[-1].failed.node),)

    trace = execute(broken, catalogue, Showing(), home, repair=Mending(mend), retell=retell)
    assert trace.status == "completed"
    assert [(shown.key, shown.content) for shown in published] == [("repair-1", "bad")]


def test_a_repair_that_gives_up_leaves_the_failure_with_its_diagnosis(catalogue: Catalogue, home: Path) -> None:
    broken = plan(node("bad", "divide", x=1.0, by=0.0))
    told: list[Event] = []
    trace = execute(
        broken, catalogue, LocalRunner(), home, repair=Mending(lambda trace, failed: None), on_event=told.append
    )
    assert trace.status == "failed"
    assert [diagnosis.failed for diagnosis in load_run(trace.run_id, home).diagnoses] == ["bad"]
    assert any(isinstance(event, Diagnosed) for event in told)


def test_what_runs_while_its_source_is_edited_is_run_again_on_the_new_source(
    catalogue: Catalogue, home: Path, calls: Path
) -> None:
    """The stale result of a node that was under way when a repair changed what feeds it must not be taken."""
    broken = plan(
        node("source", "number", value=5.0),
        node("slow", "total", values=SeriesOf((FromNode("source"),))),
        node("bad", "divide", x=FromNode("source"), by=0.0),
        node("last", "total", values=SeriesOf((FromNode("slow"), FromNode("bad")))),
    )

    def mend(trace: Trace, failed: str) -> Plan | None:
        new = {
            "source": node("source", "number", value=7.0),
            "bad": node("bad", "divide", x=FromNode("source"), by=1.0),
        }
        nodes = tuple(new.get(found.id, found) for found in trace.plan.workflow.nodes)
        return replace(trace.plan, workflow=Workflow(nodes))

    trace = execute(broken, catalogue, LocalRunner(2), home, repair=Mending(mend))
    assert trace.status == "completed"
    assert trace.outputs["answer"].value == 14.0


def test_exhibits_do_not_disturb_a_runner_that_cannot_show_them(catalogue: Catalogue, home: Path) -> None:
    exhibit = Exhibit("markdown", "plan", "the plan", "# plan")
    assert execute(SUM, catalogue, LocalRunner(), home, exhibits=lambda: (exhibit,)).status == "completed"


def test_a_tool_that_asks_for_a_process_gets_one(catalogue: Catalogue, home: Path) -> None:
    trace = execute(plan(node("p", "process_id", value=1.0)), catalogue, LocalRunner(), home)
    assert trace.status == "completed"
    assert trace.outputs["answer"].value != os.getpid()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_finished_and_untouched_by_a_repair_stays_finished(
    data: st.DataObject, catalogue: Catalogue, calls: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Any graph, any node that fails, any time at which it does: a node that feeds it not at all is computed once."""
    calls.write_text("")
    count = data.draw(st.integers(2, 7))
    nodes = [node("n0", "number", value=0.5)]
    for index in range(1, count):
        chosen = data.draw(st.lists(st.integers(0, index - 1), min_size=1, max_size=3, unique=True))
        sources = tuple(FromNode(f"n{source}") for source in chosen)
        nodes.append(node(f"n{index}", "total", values=SeriesOf((*sources, Given(float(index))))))
    broken = data.draw(st.integers(1, count - 1))
    nodes.insert(broken, node("bad", "divide", x=FromNode(f"n{broken - 1}"), by=0.0))
    nodes.append(node("last", "total", values=SeriesOf((FromNode("bad"), FromNode(f"n{count - 1}")))))

    def mend(trace: Trace, failed: str) -> Plan | None:
        mended = node("bad", "divide", x=FromNode(f"n{broken - 1}"), by=4.0)
        found = tuple(mended if one.id == failed else one for one in trace.plan.workflow.nodes)
        return replace(trace.plan, workflow=Workflow(found))

    home = tmp_path_factory.mktemp("home")
    trace = execute(plan(*nodes), catalogue, LocalRunner(2), home, repair=Mending(mend))
    assert trace.status == "completed"
    lines = calls.read_text().splitlines()
    assert sum(line.startswith("divide") for line in lines) == 2
    assert sum(line.startswith("total") for line in lines) <= count
    assert lines.count("number 0.5") == 1


def test_what_is_looked_at_grows_with_the_nodes_and_no_faster(
    catalogue: Catalogue, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that waits for all others looks at each of them once, not at all of them at every end of one."""
    looked = 0
    record = Trace.record

    def counted(trace: Trace, name: str) -> object:
        nonlocal looked
        looked += 1
        return record(trace, name)

    monkeypatch.setattr(Trace, "record", counted)
    found = []
    for count in (40, 160):
        looked = 0
        numbers = [node(f"n{number}", "number", value=float(number)) for number in range(count)]
        together = node("sum", "total", values=SeriesOf(tuple(FromNode(one.id) for one in numbers)))
        trace = execute(plan(*numbers, together), catalogue, LocalRunner(), home)
        assert trace.outputs["answer"].value == sum(range(count))
        found.append(looked)
    assert found[1] <= 4.4 * found[0], found


def test_what_depends_on_many_failures_is_found_from_each_of_them(
    catalogue: Catalogue, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0
    sources = type(SUM.workflow.nodes[0]).sources

    def counted(one: Any) -> tuple[str, ...]:
        nonlocal looked
        looked += 1
        return sources(one)

    monkeypatch.setattr(type(SUM.workflow.nodes[0]), "sources", counted)
    found = []
    for count in (10, 40):
        looked = 0
        ends = [node(f"d{number}", "divide", x=1.0, by=0.0) for number in range(count)]
        after = [node(f"a{number}", "total", values=SeriesOf((FromNode(f"d{number}"),))) for number in range(count)]
        trace = execute(plan(*ends, *after), catalogue, LocalRunner(), home)
        assert sorted(set(statuses(trace).values())) == ["failed", "skipped"]
        found.append(looked)
    assert found[1] <= 4.4 * found[0], found


def test_the_whole_trace_is_not_written_for_every_failure(
    catalogue: Catalogue, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand files that fail would write ten thousand traces of ten thousand files."""
    written = 0
    write = run_store.write_json

    def counted(path: Path, data: Any) -> None:
        nonlocal written
        written += 1
        write(path, data)

    monkeypatch.setattr(run_store, "write_json", counted)
    found = []
    for count in (2, 30):
        written = 0
        ends = [node(f"d{number}", "divide", x=float(number), by=0.0) for number in range(count)]
        trace = execute(plan(*ends), catalogue, LocalRunner(), home, repair=Mending(lambda trace, node: None))
        assert len(trace.diagnoses) == count
        found.append(written)
        assert load_run(trace.run_id, home).to_json() == trace.to_json()
    assert found[0] == found[1]


def test_what_was_found_out_about_failures_is_on_disk_before_the_run_ends(catalogue: Catalogue, home: Path) -> None:
    kept: list[Trace] = []

    def look(trace: Trace, node: str) -> None:
        if len(trace.diagnoses) == 3:
            kept.append(load_run(trace.run_id, home))

    ends = [node(f"d{number}", "divide", x=float(number), by=0.0) for number in range(6)]
    execute(plan(*ends), catalogue, LocalRunner(), home, repair=Mending(look))
    assert len(kept[0].diagnoses) == 3
