"""A configured language model in the service of whole runs: asked last, recorded, replayed, and never in the way."""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from knowflow import KnowFlow
from knowflow.execution.run_store import run_folder
from knowflow.graph.check import check_plan
from knowflow.model.plan import Plan
from knowflow.model.workflow import FromNode, Given, Node, Workflow
from knowflow.service.language_model import explained
from knowflow.service.results import RunResult
from knowflow_bench.openai_server import Reply, openai_server

pytest.importorskip("openai")

MODULE = """
def squeeze(x: float, mood: str = "stubborn", threshold: float = 0.5) -> float:
    if mood != "kind":
        raise RuntimeError("the jam is in a " + mood + " mood today")
    return x * threshold
"""
SCHEMA = """
tool: squeeze
title: Squeezes a number, when in the mood
kit: statistics
layers: [2, 3]
parameters:
  x: {type: number}
  mood: {type: string, technical: true, default: stubborn, choices: [stubborn, kind]}
  threshold: {type: number, default: 0.5}
returns: {type: scalar}
run: python:own_squeeze:squeeze
"""
KIND = {
    "because": "the error says that it depends on the mood",
    "edits": [{"edit": "set_parameter", "node": "answer", "parameter": "mood", "value": "kind"}],
}
KEY = "sk-secret-0123456789"


@pytest.fixture(autouse=True)
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project with a tool that no rule knows."""
    (tmp_path / ".knowflow" / "schemas").mkdir(parents=True)
    (tmp_path / ".knowflow" / "own_squeeze.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / ".knowflow" / "schemas" / "squeeze.yaml").write_text(SCHEMA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])


def plan() -> Plan:
    nodes = (
        Node("largest", "maximum", {"x": Given((2.0, 8.0))}, layer=3),
        Node("answer", "squeeze", {"x": FromNode("largest")}, layer=3, title="Squeeze"),
    )
    return Plan("How much juice?", "", Workflow(nodes), outputs={"answer": FromNode("answer")})


def use(monkeypatch: pytest.MonkeyPatch, **variables: object) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))


def run(**options: Any) -> RunResult:
    return KnowFlow().run(plan(), out=Path("out"), **options)


def test_without_a_language_model_the_run_ends_with_its_diagnosis() -> None:
    found = run()
    assert (found.status, found.repairs) == ("failed", 0)
    assert found.diagnoses
    assert "openai" not in str(found.to_json())


def test_a_failure_that_no_rule_knows_is_repaired_by_the_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m", OPENAI_API_KEY=KEY)
        found = run()
    assert (found.status, found.answer, found.repairs) == ("completed", 4.0, 1)
    assert len(server.requests) == 1
    assert found.run_id is not None
    trace = KnowFlow().trace(found.run_id)
    (repair,) = trace.repairs
    assert (repair.by, repair.failed.node, repair.changed, repair.tokens) == ("llm", "answer", ("answer",), 100)
    assert trace.record("largest").status == "done"
    assert any("language model" in str(assumption) for assumption in found.assumptions)
    (exchange,) = trace.exchanges
    assert "the jam is in a stubborn mood" in exchange["request"]["messages"][-1]["content"]
    assert exchange["answer"]["data"] == KIND
    folder = run_folder(found.run_id, KnowFlow().home)
    for kept in folder.rglob("*"):
        assert not kept.is_file() or KEY.encode() not in kept.read_bytes(), kept


def test_a_model_is_not_asked_again_for_the_identical_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m", OPENAI_API_KEY=KEY)
        first, again, without = run(), run(), run(memory=False)
    assert [found.answer for found in (first, again, without)] == [4.0, 4.0, 4.0]
    assert len(server.requests) == 2, "the first time, and where memory is left out"
    ((remembered,), problems) = KnowFlow().memory().all()
    assert (problems, remembered.learned.cases[0].by, remembered.successes) == ((), "llm", 1)
    assert again.trace is not None
    assert [repair.by for repair in again.trace.repairs] == [f"memory:{remembered.learned.name}"]
    told = [str(one) for one in again.assumptions if one.origin == "memory"]
    assert len(told) == 1
    assert str(first.run_id) in told[0]
    assert "a language model" in told[0]
    rule = remembered.learned.rule
    assert (rule.if_.tool, rule.if_.where) == (("squeeze",), ("mood == 'stubborn'",))
    for kept in filter(Path.is_file, KnowFlow().memory().folder.rglob("*")):
        assert KEY.encode() not in kept.read_bytes()


def test_what_was_recorded_repairs_the_same_run_offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with openai_server(KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        first = run()
    assert first.run_id is not None
    record = run_folder(first.run_id, KnowFlow().home) / "llm.jsonl"
    monkeypatch.delenv("KNOWFLOW_LLM_BASE_URL")
    use(monkeypatch, KNOWFLOW_LLM_REPLAY=record, KNOWFLOW_HOME=tmp_path / "other")
    again = run()
    assert (again.status, again.answer, again.repairs) == ("completed", 4.0, 1)


def changing_the_question(_: Mapping[str, Any]) -> Reply:
    edit = {"edit": "set_parameter", "node": "answer", "parameter": "threshold", "value": 0.9}
    return Reply({"because": "so", "edits": [edit, KIND["edits"][0]]})  # type: ignore[index]


def test_a_model_that_changes_what_is_asked_is_refused_and_the_run_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(say=changing_the_question) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        found = run()
    assert (found.status, found.repairs) == ("failed", 0)
    assert 1 <= len(server.requests) <= 3
    assert found.run_id is not None
    trace = KnowFlow().trace(found.run_id)
    refused = [refusal for refusal in trace.refusals if refusal.by == "llm"]
    assert "what is asked" in str(refused[0].reasons)
    assert "what is asked" in server.requests[-1]["messages"][-1]["content"], "it was told why"


def test_refusals_go_back_until_an_answer_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = {"because": "?", "edits": [{"edit": "replace_tool", "node": "answer", "tool": "magic"}]}
    with openai_server("nonsense", unknown, KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        found = run()
    assert (found.status, found.repairs) == ("completed", 1)
    assert len(server.requests) == 3
    assert found.trace is not None
    assert len(found.trace.repairs[0].refused) == 2
    assert found.trace.repairs[0].tokens == 300


@pytest.mark.parametrize(
    ("reply", "variables", "word"),
    [
        (Reply("slow down", 429, {"retry-after-ms": "1"}), {}, "RateLimit"),
        (Reply(silent=True), {"KNOWFLOW_LLM_TIMEOUT": "0.3"}, "in time"),
        (Reply(KIND), {"KNOWFLOW_LLM_CALLS": "0"}, "spent"),
        (Reply(KIND), {"KNOWFLOW_LLM_CALLS": "many"}, "not valid"),
        (Reply({"because": "no juice in it", "edits": []}), {}, "no juice in it"),
    ],
)
def test_a_model_that_cannot_help_leaves_the_run_with_its_diagnosis_and_says_why(
    monkeypatch: pytest.MonkeyPatch, reply: Reply, variables: dict[str, str], word: str
) -> None:
    with openai_server(reply) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m", KNOWFLOW_LLM_RETRIES=1, **variables)
        found = run()
    assert found.status == "failed"
    assert found.diagnoses
    assert found.trace is not None
    assert word in json.dumps([refusal.to_json() for refusal in found.trace.refusals])


def test_it_is_not_asked_where_no_repair_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    with openai_server(KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        assert run(max_repairs=0).status == "failed"
    assert server.requests == []


def test_it_is_not_asked_in_a_run_without_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    good = Plan("", "", Workflow(plan().workflow.nodes[:1]), outputs={"answer": FromNode("largest")})
    with openai_server(KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        assert KnowFlow().run(good, out=Path("out")).status == "completed"
    assert server.requests == []


def test_a_run_is_interrupted_while_the_model_thinks_and_goes_on_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def say(body: Mapping[str, Any]) -> Reply:
        os.kill(os.getpid(), signal.SIGINT)
        return Reply(silent=True)

    with openai_server(say=say) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        stopped = run()
    assert stopped.status == "interrupted"
    assert stopped.run_id is not None
    with openai_server(KIND) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url)
        again = KnowFlow().resume(stopped.run_id, out=Path("out"))
    assert (again.status, again.answer) == ("completed", 4.0)


EDGE = """
tool: numbered
title: Numbers that nobody knows the unit of
kit: statistics
layers: [2, 3]
parameters: {x: {type: number}}
returns: {type: scalar}
run: python:own_squeeze:squeeze
"""
NEEDS = """
tool: needing
title: Needs a unit
kit: statistics
layers: [2, 3]
parameters: {x: {type: scalar}}
returns: {type: scalar}
preconditions: ["unit(x) == 'K'"]
run: python:own_squeeze:squeeze
"""


def test_an_edge_that_the_symbols_leave_open_is_explained_and_asked_about_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text in (("numbered", EDGE), ("needing", NEEDS)):
        (tmp_path / ".knowflow" / "schemas" / f"{name}.yaml").write_text(text, encoding="utf-8")
    flow = KnowFlow()
    nodes = (Node("a", "numbered", {"x": Given(1.0)}, layer=3), Node("b", "needing", {"x": FromNode("a")}, layer=3))
    open_plan = Plan("", "", Workflow(nodes), outputs={"answer": FromNode("b")})
    check = check_plan(open_plan, flow.tools())
    assert explained(open_plan, check, flow.tools(), flow.home) == (check, ())
    with openai_server({"entails": "yes", "because": "it counts in kelvin"}) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url, KNOWFLOW_LLM_MODEL="m")
        for _ in range(2):
            told, notes = explained(open_plan, check, flow.tools(), flow.home)
            assert ("language model: it counts in kelvin", "unit(x) == 'K'") in told.edges[0].reasons
            assert (told.problems, told.missing, notes) == (check.problems, check.missing, ())
    assert len(server.requests) == 1
    use(monkeypatch, KNOWFLOW_LLM_ENTAILMENT="off")
    assert explained(open_plan, check, flow.tools(), flow.home) == (check, ())


def test_doctor_says_what_is_configured_and_names_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> Any:
        return next(one for one in KnowFlow().doctor() if one.name == "language model")

    assert (said().ok, said().found) == (True, "none configured; nothing needs it")
    use(monkeypatch, OPENAI_API_KEY=KEY, KNOWFLOW_LLM_MODEL="m", KNOWFLOW_LLM_BASE_URL="http://localhost:1/v1")
    assert "m at http://localhost:1/v1, with a key" in said().found
    assert KEY not in str(said())
    use(monkeypatch, KNOWFLOW_LLM_TOKENS="lots")
    assert not said().ok
    assert "KNOWFLOW_LLM_TOKENS" in said().found


def echoes() -> list[Reply]:
    """Replies of an endpoint that says the key wherever it can: whole, cut, with line breaks, encoded."""
    kind = KIND["edits"]
    cut = "." * 380 + KEY  # an error is cut where the key stands
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    return [
        Reply({"because": f"the key is {KEY}", "edits": kind, "lossy": f"nothing of {KEY[2:]}"}),
        Reply({"because": f"the key is\n{KEY[:9]}\n{KEY[9:]}", "edits": kind}),
        Reply(f'{{"because": "{escaped}", "edits": {json.dumps(kind)}}}'),
        Reply({"because": f"{base64.b64encode(KEY.encode()).decode()} {KEY.encode().hex()}", "edits": kind}),
        Reply({"because": "so", "edits": [{**kind[0], "value": KEY}]}),
        Reply({"because": "so", "edits": [{**kind[0], "node": KEY[3:]}], KEY: 1}),
        Reply({"because": "so", "edits": kind}, finish=KEY, tool_calls=[(KEY, json.dumps({KEY: KEY}))]),
        Reply(f"no JSON but {KEY}"),
        *(Reply(f"{cut[start:]}", status) for status, start in ((400, 5), (401, 185), (429, 380))),
        Reply(raw=json.dumps({"choices": [], "x": cut[190:]}).encode()),
        Reply(KEY, 429, headers={"retry-after-ms": "1", "x-request-id": KEY}),
    ]


@pytest.mark.parametrize("number", range(len(echoes())))
def test_no_file_of_a_run_has_a_piece_of_the_key_whatever_an_endpoint_says(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, OPENAI_API_KEY=KEY, KNOWFLOW_LLM_MODEL="m", KNOWFLOW_LLM_RETRIES="0", KNOWFLOW_LLM_CALLS="2")
    with openai_server(echoes()[number]) as server:
        use(monkeypatch, KNOWFLOW_LLM_BASE_URL=server.url)
        found = run()
    assert server.keys[0] == KEY
    pieces = [KEY[start : start + 8] for start in range(len(KEY) - 7)]
    pieces += [base64.b64encode(KEY.encode()).decode()[:12], KEY.encode().hex()[:16]]
    folders = (KnowFlow().home, Path("out"))
    store = KnowFlow().home / "knowledge"  # of the packaged documents alone, in a database with digits of its own
    every = (file for folder in folders for file in folder.rglob("*") if file.is_file())
    files = [file for file in every if not file.is_relative_to(store)]
    assert {"trace.json", "report.html", "llm.jsonl"} <= {file.name for file in files}
    for file in files:
        said = file.read_bytes().decode("utf-8", "replace")
        assert not [piece for piece in pieces if piece in said], file
    assert not [piece for piece in pieces if piece in str(found.to_json())]
