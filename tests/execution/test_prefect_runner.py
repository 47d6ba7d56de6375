"""Runs as Prefect shows them: asked of the REST API of a real server."""

from __future__ import annotations

import json
import logging
import threading
import urllib.request
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from execution_examples import node, plan

from knowflow.execution.action import Exhibit, Session
from knowflow.execution.prefect_runner import PrefectRunner
from knowflow.execution.prefect_session import say_once
from knowflow.execution.run_store import load_run
from knowflow.execution.scheduler import execute
from knowflow.ground.errors import ServerError
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.repair import Reply
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import Repaired, Trace
from knowflow.model.workflow import FromNode, Given, Inserted, Node, SeriesOf, Workflow

Catalogue = Mapping[str, ToolSchema]
Server = tuple[str, Path]
PATIENCE_S = 20.0


def ask(api_url: str, path: str, question: Mapping[str, Any] | None = None) -> Any:
    body = None if question is None else json.dumps(question).encode()
    request = urllib.request.Request(f"{api_url}/{path}", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


def recorded(api_url: str, what: str, flow_run: str, count: int) -> list[dict[str, Any]]:
    """What the server has recorded of a flow run, once it has recorded so many finished things: it lags behind."""
    question = {"flow_runs": {"id": {"any_": [flow_run]}}, "limit": 200}
    found: list[dict[str, Any]] = []
    for _ in range(int(PATIENCE_S / 0.1)):
        found = ask(api_url, f"{what}/filter", question)
        ended = [item for item in found if item.get("state_type") not in ("PENDING", "RUNNING")]
        if len([item for item in ended if item.get("state", "") is not None]) >= count:  # told a moment after its type
            return found
        threading.Event().wait(0.1)
    return found


def flow_run_of(trace: Trace) -> str:
    assert trace.ui is not None
    return trace.ui.rsplit("/", 1)[1]


@pytest.fixture
def runner(server: Server) -> PrefectRunner:
    return PrefectRunner(server[1])


BROKEN = plan(
    node("zero", "number", value=0.0),
    node("bad", "divide", x=1.0, by=FromNode("zero")),
    node("after", "total", values=SeriesOf((FromNode("bad"),))),
    Node(
        "good",
        "total",
        {"values": SeriesOf((FromNode("zero"), FromNode("zero")))},
        layer=2,
        title="{braces} are no template",
        inserted=Inserted("planner", "because", "goal"),
    ),
    outputs={"aside": FromNode("good")},
)


def test_every_node_is_a_task_run_with_its_name_state_tags_and_edges(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner, capfd: pytest.CaptureFixture[str]
) -> None:
    trace = execute(BROKEN, catalogue, runner, home)
    assert trace.status == "failed"
    assert trace.record("good").status == "done"
    assert load_run(trace.run_id, home).ui == trace.ui
    runs = {run["name"]: run for run in recorded(server[0], "task_runs", flow_run_of(trace), 3)}
    assert {name: run["state_type"] for name, run in runs.items()} == {
        "the zero": "COMPLETED",
        "the bad": "FAILED",
        "{braces} are no template": "COMPLETED",
    }
    assert "ZeroDivisionError" in runs["the bad"]["state"]["message"]
    assert sorted(runs["{braces} are no template"]["tags"]) == ["inserted", "layer 2", "total"]
    for name in ("the bad", "{braces} are no template"):
        (source,) = runs[name]["task_inputs"]["uses"]
        assert source["id"] == runs["the zero"]["id"]
    written = capfd.readouterr()
    assert written.out + written.err == ""


def test_the_log_of_a_node_says_once_what_it_was_called_with_and_what_came_of_it(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner
) -> None:
    trace = execute(BROKEN, catalogue, runner, home)
    flow_run = flow_run_of(trace)
    ids = {run["id"]: run["name"] for run in recorded(server[0], "task_runs", flow_run, 3)}
    question = {"logs": {"flow_run_id": {"any_": [flow_run]}}, "sort": "TIMESTAMP_ASC"}
    logs: dict[str, list[dict[str, Any]]] = {}
    for log in ask(server[0], "logs/filter", question):
        if log["task_run_id"] is not None:
            logs.setdefault(ids[log["task_run_id"]], []).append(log)
    assert [log["message"] for log in logs["the zero"]] == ["number(value=0.0)", "value: 0.0"]
    assert [log["message"] for log in logs["{braces} are no template"]] == ["total(values=2 x scalar)", "value: 0.0"]
    called, failed = logs["the bad"]
    assert called["message"] == "divide(x=1.0, by=0.0)"
    assert (failed["level"], "ZeroDivisionError" in failed["message"]) == (logging.ERROR, True)


def test_tasks_of_others_in_the_same_process_say_that_they_ended(caplog: pytest.LogCaptureFixture) -> None:
    say_once()
    said = {"send_to_api": False}
    logging.getLogger("prefect.task_runs").error("Finished in state %s", "Failed()", extra=said)
    assert caplog.messages == ["Finished in state Failed()"]


def test_the_flow_run_has_the_title_of_the_plan_and_ends_as_the_run_did(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner
) -> None:
    trace = execute(BROKEN, catalogue, runner, home)
    run = ask(server[0], f"flow_runs/{flow_run_of(trace)}")
    assert (run["name"], run["state_type"]) == ("a test plan", "FAILED")
    assert run["parameters"]["query"] == "a question"
    assert "2 of 4 nodes have results" in run["state"]["message"]
    assert ask(server[0], f"flows/{run['flow_id']}")["name"] == "knowflow"


def test_what_comes_from_the_cache_says_so(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner
) -> None:
    single = plan(node("n", "number", value=1.0))
    execute(single, catalogue, runner, home)
    trace = execute(single, catalogue, runner, home)
    (run,) = recorded(server[0], "task_runs", flow_run_of(trace), 1)
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Cached")


def test_exhibits_become_artifacts_and_one_that_cannot_does_not_fail_the_run(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner, tmp_path: Path
) -> None:
    drawing = tmp_path / "dag.svg"
    drawing.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")

    def conclude(trace: Trace, session: Session) -> Trace:
        session.publish(Exhibit("table", "answer", "Answer", [{"value": 1.0, "unit": "K"}]))
        session.publish(Exhibit("image", "drawing", "Drawing", drawing))
        session.publish(Exhibit("image", "lost", "Lost", tmp_path / "lost.png"))
        session.publish(Exhibit("link", "report", "Report", tmp_path / "report.html"))
        return trace

    shown = (Exhibit("markdown", "The plan", "Plan", "# the plan"),)
    trace = execute(
        plan(node("n", "number", value=1.0)), catalogue, runner, home, exhibits=lambda: shown, conclude=conclude
    )
    assert trace.status == "completed"
    end = f"-{str(flow_run_of(trace))[:8]}"
    found = {item["key"].removesuffix(end): item for item in recorded(server[0], "artifacts", flow_run_of(trace), 4)}
    assert set(found) == {"the-plan", "answer", "drawing", "report"}
    assert found["the-plan"]["data"] == "# the plan"
    assert found["drawing"]["data"].startswith("data:image/svg+xml;base64,")
    assert (tmp_path / "report.html").as_uri() in found["report"]["data"]


def test_inside_a_flow_the_run_joins_the_current_flow_run(
    catalogue: Catalogue, home: Path, server: Server, tmp_path: Path
) -> None:
    from prefect import flow
    from prefect.settings import PREFECT_API_URL, temporary_settings

    @flow(name="outer", persist_result=False)
    def outer() -> str:
        trace = execute(plan(node("n", "number", value=1.0)), catalogue, PrefectRunner(tmp_path / "elsewhere"), home)
        return flow_run_of(trace)

    with temporary_settings({PREFECT_API_URL: server[0]}):
        flow_run = outer()
    assert ask(server[0], f"flow_runs/{flow_run}")["flow_id"] == ask(server[0], "flows/name/outer")["id"]
    assert [run["name"] for run in recorded(server[0], "task_runs", flow_run, 1)] == ["the n"]
    assert not (tmp_path / "elsewhere").exists()


def test_an_interrupted_run_ends_as_cancelled(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner, tmp_path: Path
) -> None:
    stopping = plan(node("stop", "interrupt", value=1.0, unless=str(tmp_path / "flag")))
    trace = execute(stopping, catalogue, runner, home)
    assert trace.status == "interrupted"
    assert ask(server[0], f"flow_runs/{flow_run_of(trace)}")["state_type"] == "CANCELLED"


def test_a_server_that_the_user_configured_is_used_as_it_is(
    catalogue: Catalogue, home: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREFECT_API_URL", server[0])
    trace = execute(plan(node("n", "number", value=1.0)), catalogue, PrefectRunner(tmp_path / "mine"), home)
    assert trace.ui is not None
    assert trace.ui.startswith(server[0].removesuffix("/api"))
    assert not (tmp_path / "mine").exists()


def test_a_server_that_cannot_be_reached_is_a_named_error_and_the_run_says_so(
    catalogue: Catalogue, home: Path, server: Server
) -> None:
    from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    told: list[Any] = []
    nowhere = PrefectRunner(home, api_url="http://127.0.0.1:9/api")
    with temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 0}), pytest.raises(ServerError, match="runner local"):
        execute(plan(node("n", "number", value=1.0)), catalogue, nowhere, home, on_event=told.append)
    assert load_run(told[-1].run_id, home).status == "failed"


class Mended:
    """A repair that divides by a new node instead of zero."""

    def failure(self, trace: Trace, node: str) -> Reply:
        diagnosis = Diagnosis("tool_failed", node, node)
        if trace.repairs:
            return Reply(diagnosis)
        why = Inserted("rule", "it is not zero", "by != 0")
        two = Node("two", "number", {"value": Given(2.0)}, layer=1, title="the two", inserted=why)
        nodes = tuple(
            replace(each, args={**each.args, "by": FromNode("two")}) if each.id == node else each
            for each in trace.plan.workflow.nodes
        )
        edited = replace(trace.plan, workflow=Workflow((two, *nodes)))
        failed = trace.record(node)
        repaired = Repaired(
            1, failed, diagnosis, "rule:r", "", "", (), new=("two",), changed=(node,), before=trace.plan.workflow
        )
        return Reply(diagnosis, edited, repaired)

    def quality(self, trace: Trace) -> None:
        return None


def test_a_repaired_run_shows_the_failed_attempt_the_new_nodes_and_what_is_told_of_the_repair(
    catalogue: Catalogue, home: Path, server: Server, runner: PrefectRunner
) -> None:
    broken = plan(node("zero", "number", value=0.0), node("bad", "divide", x=1.0, by=FromNode("zero")))

    def retell(trace: Trace) -> tuple[Exhibit, ...]:
        assert trace.plan.workflow.by_id.keys() == {"zero", "bad", "two"}
        return (Exhibit("markdown", "repair-1", "Repair 1", f"{trace.repairs[-1].failed.node} was mended"),)

    trace = execute(broken, catalogue, runner, home, repair=Mended(), retell=retell)
    assert (trace.status, trace.outputs["answer"].value) == ("completed", 0.5)
    runs = {run["name"]: run for run in recorded(server[0], "task_runs", flow_run_of(trace), 4)}
    assert {name: run["state_type"] for name, run in runs.items()} == {
        "the zero": "COMPLETED",
        "the bad": "FAILED",
        "the two (repair 1)": "COMPLETED",
        "the bad (repair 1)": "COMPLETED",
    }
    assert sorted(runs["the two (repair 1)"]["tags"]) == ["inserted", "layer 1", "number", "repaired"]
    assert sorted(runs["the bad (repair 1)"]["tags"]) == ["divide", "layer 1", "repaired"]
    assert "repaired" not in runs["the bad"]["tags"]
    (source,) = runs["the bad (repair 1)"]["task_inputs"]["uses"]
    assert source["id"] == runs["the two (repair 1)"]["id"]
    (told,) = recorded(server[0], "artifacts", flow_run_of(trace), 1)
    assert (told["key"], told["data"]) == (f"repair-1-{str(flow_run_of(trace))[:8]}", "bad was mended")
