"""KnowFlow as a server of the Model Context Protocol, asked by the protocol's own client over real streams."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from jsonschema import Draft202012Validator, validate
from mcp import Client, StdioServerParameters, types

from knowflow import KnowFlow
from knowflow.knowledge.plan_document import save_plan
from knowflow.model.template import Scene
from knowflow.service.single import plan_of_tool
from knowflow.testing.scenes import write_scene

NDVI = {"name": "field", "quantity": "ndvi", "values": "x", "dates": ["2022-06-01", "2022-07-01"]}
QUESTION = "On how many dates was the mean NDVI above 0.4?"
SLOW = """
tool: wait_long
title: Wait
kit: io
layers: [2]
parameters: {word: {type: string}}
returns: {type: text}
run: python:own_waiting:wait_long
isolate: process
"""
WAITING = """
import time


def wait_long(word: str) -> str:
    time.sleep(120)
    return word
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that is open to clients, with a small scene; beside it one that is not."""
    for folder in ("open/data", "closed/data"):
        described = {"size": [16, 16], "layers": [NDVI]}
        write_scene(Scene.model_validate(described), tmp_path / folder)
    return tmp_path / "open"


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from knowflow.roof.cli import main; main()", "mcp", *map(str, arguments)]


def asked(steps: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        with anyio.fail_after(60):
            await steps()

    anyio.run(bounded)


@asynccontextmanager
async def connected(cwd: Path, *arguments: object, **options: Any) -> AsyncIterator[Client]:
    """A client that started the server and talks to it over its standard streams."""
    program, *rest = command(*arguments)
    started = StdioServerParameters(command=program, args=rest, env=dict(os.environ), cwd=cwd)
    async with Client(started, **options) as client:
        yield client


@contextmanager
def serving(cwd: Path, *arguments: object) -> Iterator[str]:
    """The address of a server that other programs of this machine can ask."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(command("--http", port, *arguments), cwd=cwd)
    try:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        server.terminate()
        server.wait(20)


def error_of(found: types.CallToolResult) -> dict[str, Any]:
    assert found.is_error
    return dict(found.structured_content["error"])


def test_a_client_that_started_it_asks_plans_runs_and_edits(root: Path, tmp_path: Path) -> None:
    told: list[tuple[float, float | None]] = []

    async def progress(done: float, whole: float | None, message: str | None) -> None:
        assert message
        told.append((done, whole))

    async def steps() -> None:
        async with connected(tmp_path, "--root", root) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            named = {"ask", "read", "plan", "check", "run", "explain", "edit", "suggest", "templates", "memory"}
            assert named <= tools.keys()
            assert tools["ask"].input_schema["required"] == ["question"]
            assert all(tool.description for tool in tools.values())

            found = await client.call_tool("ask", {"question": QUESTION, "data": "data"}, progress_callback=progress)
            answer = found.structured_content
            assert (found.is_error, answer["status"], answer["answer"]) == (False, "completed", 2)
            assert [done for done, _ in told] == sorted({done for done, _ in told})
            assert told[-1] == (len(answer["nodes"]), len(answer["nodes"]))
            assert all(Path(file).is_relative_to(root) for file in answer["outputs"].values())

            read = (await client.call_tool("read", {"question": QUESTION})).structured_content
            again = await client.call_tool("run", {"expression": read["expression"], "data": "data"})
            assert again.structured_content["answer"] == 2

            await client.call_tool("plan", {"question": QUESTION, "data": "data", "save": "plan.yaml"})
            assert (root / "plan.yaml").is_file()
            checked = await client.call_tool("check", {"paths": ["plan.yaml"]})
            assert checked.structured_content == {"problems": []}
            ran = await client.call_tool("run", {"plan": "plan.yaml"})
            assert ran.structured_content["answer"] == 2

            explained = (await client.call_tool("explain", {"run": answer["run_id"]})).structured_content
            assert len(explained["run"]["plan"]["nodes"]) == len(answer["nodes"])
            change = {"run": answer["run_id"], "set": {"over.limit": 0.9}}
            preview = await client.call_tool("edit", {**change, "dry_run": True})
            assert preview.structured_content["edit"]["again"]
            edited = await client.call_tool("edit", change)
            assert edited.structured_content["answer"] == 0

            found = await client.call_tool("templates", {"words": "how badly did it burn"})
            assert "burn_severity" in {one["id"] for one in found.structured_content["found"]}
            assert (await client.call_tool("memory", {})).structured_content["memory"] == []

            more = await client.call_tool("ask", {"question": "and above 0.9?", "after": answer["run_id"]})
            assert more.structured_content["answer"] == 0
            assert "above 0.9, in place of above 0.4" in str(more.structured_content["assumptions"])

            topics = (await client.call_tool("suggest", {"data": "data"})).structured_content["topics"]
            question = next(iter(topics.values()))[0]
            assert not (await client.call_tool("ask", {"question": question, "data": "data"})).is_error

    asked(steps)


def test_results_are_what_the_tools_declare(root: Path, tmp_path: Path) -> None:
    """Held against the schemas that the client was told, refusals included, which it does not look at itself."""
    question = {"question": QUESTION, "data": "data"}
    calls: list[tuple[str, dict[str, object]]] = [
        ("ask", question),
        ("ask", {"question": "What is the mean NDVI on each date?", "data": "data"}),
        ("ask", {"question": "What is the mean zorblax?", "data": "data"}),
        ("ask", {"question": QUESTION, "data": "/"}),
        ("read", {"question": QUESTION}),
        ("read", {"question": "zorblax"}),
        ("plan", {**question, "save": "plan.yaml"}),
        ("run", {"plan": "plan.yaml"}),
        ("check", {"paths": ["plan.yaml"]}),
        ("suggest", {"data": "data"}),
        ("inventory", {"data": "data"}),
        ("templates", {}),
        ("templates", {"words": "burn"}),
        ("templates", {"name": "mann_kendall_trend"}),
        ("memory", {}),
    ]

    async def steps() -> None:
        async with connected(tmp_path, "--root", root) as client:
            declared = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
            done = [(name, (await client.call_tool(name, given)).structured_content) for name, given in calls]
            run = {"run": done[0][1]["run_id"]}
            change: dict[str, object] = {**run, "set": {"over.limit": 0.9}}
            for name, given in (("explain", run), ("edit", {**change, "dry_run": True}), ("edit", change)):
                done.append((name, (await client.call_tool(name, given)).structured_content))
            assert [name for name, found in done if found.get("error")] == ["ask", "ask"]
            assert declared.keys() == {name for name, _ in done}
            for name, found in done:
                validate(found, declared[name], Draft202012Validator)
            for name, schema in declared.items():
                assert not Draft202012Validator(schema).is_valid({"zorblax": 1}) or name in ("templates", "memory")

    asked(steps)


def test_what_is_refused_says_why_and_nothing_outside_of_the_roots_is_touched(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "closed" / "data")
    outside = tmp_path / "closed" / "data"
    elsewhere = KnowFlow().run(QUESTION, outside, out=tmp_path / "answer")
    saved = KnowFlow().plan(QUESTION, outside)
    save_plan(saved.plan, root / "plan.yaml")
    calls: list[tuple[str, dict[str, object]]] = [
        ("ask", {"question": QUESTION, "data": str(outside)}),
        ("ask", {"question": QUESTION, "data": "../closed/data"}),
        ("ask", {"question": QUESTION, "data": "link"}),
        ("ask", {"question": QUESTION, "data": "data", "out": str(tmp_path / "closed" / "out")}),
        ("ask", {"question": QUESTION, "data": "data", "aoi": str(outside / "area.gpkg")}),
        ("read", {"question": QUESTION, "data": "data", "at": str(outside / "points.csv")}),
        ("plan", {"question": QUESTION, "data": "data", "save": "../plan.yaml"}),
        ("check", {"paths": ["data", "../closed"]}),
        ("run", {"plan": "plan.yaml"}),
        ("run", {"resume": elsewhere.run_id}),
        ("explain", {"run": elsewhere.run_id}),
        ("edit", {"run": elsewhere.run_id, "drop": ["x"]}),
        ("inventory", {"data": "/"}),
    ]

    async def steps() -> None:
        async with connected(tmp_path, "--root", root) as client:
            for name, arguments in calls:
                error = error_of(await client.call_tool(name, arguments))
                assert (name, arguments, error["code"]) == (name, arguments, "outside_roots")
                assert "--root" in error["hint"]
            unknown = await client.call_tool("ask", {"question": "What is the mean zorblax?", "data": "data"})
            error = error_of(unknown)
            assert error["code"] == "not_understood"
            assert "zorblax" in unknown.content[0].text
            wrong = error_of(await client.call_tool("ask", {"question": QUESTION, "folder": "data"}))
            assert [problem["where"] for problem in wrong["problems"]] == ["folder"]
            assert error_of(await client.call_tool("asks", {}))["hint"] == "did you mean ask?"
            both = error_of(await client.call_tool("run", {"plan": "a.yaml", "resume": "x"}))
            assert both["found"] == "plan, resume"
            question = {"over": {"x": "ndvi", "axes": "space", "statistic": "loudest"}}
            malformed = error_of(await client.call_tool("run", {"expression": question, "data": "data"}))
            assert malformed["code"] == "invalid_document"
        async with connected(tmp_path) as client:
            error = error_of(await client.call_tool("suggest", {"data": str(root / "data")}))
            assert (error["code"], error["found"]) == ("outside_roots", "none")

    asked(steps)
    assert not (tmp_path / "closed" / "out").exists()
    assert not (tmp_path / "plan.yaml").exists()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_roots_of_the_client_that_started_it_are_open(root: Path, tmp_path: Path, mode: Any) -> None:
    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=root.as_uri())])

    async def steps() -> None:
        async with connected(tmp_path, mode=mode, list_roots_callback=roots) as client:
            found = await client.call_tool("suggest", {"data": "data"})
            assert found.structured_content["topics"]
            closed = await client.call_tool("suggest", {"data": str(tmp_path / "closed" / "data")})
            assert error_of(closed)["code"] == "outside_roots"

    asked(steps)


def test_several_clients_ask_over_http_at_the_same_time(root: Path, tmp_path: Path) -> None:
    async def roots(_: object) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri=tmp_path.as_uri())])

    limits = {0.4: 2, 0.6: 0, 0.3: 2}
    found: dict[float, object] = {}

    with serving(tmp_path, "--root", root) as address:

        async def ask(limit: float) -> None:
            async with Client(address, list_roots_callback=roots) as client:
                question = f"On how many dates was the mean NDVI above {limit}?"
                result = await client.call_tool("ask", {"question": question, "data": "data"})
                found[limit] = result.structured_content["answer"]
                closed = await client.call_tool("suggest", {"data": str(tmp_path / "closed" / "data")})
                assert error_of(closed)["code"] == "outside_roots"

        async def steps() -> None:
            async with anyio.create_task_group() as group:
                for limit in limits:
                    group.start_soon(ask, limit)

        asked(steps)
    assert found == limits


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose plan has a tool of its own that waits, and does not listen."""
    knowledge = tmp_path / ".knowflow"
    (knowledge / "schemas").mkdir(parents=True)
    (knowledge / "own_waiting.py").write_text(WAITING, encoding="utf-8")
    (knowledge / "schemas" / "wait_long.yaml").write_text(SLOW, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    save_plan(plan_of_tool(KnowFlow().catalogue.tool("wait_long"), {"word": "hello"}), tmp_path / "plan.yaml")
    return tmp_path


def test_a_client_that_leaves_leaves_no_server_behind(waiting: Path) -> None:
    schema = waiting / ".knowflow" / "schemas" / "wait_long.yaml"
    schema.write_text(SLOW.replace("isolate: process\n", ""), encoding="utf-8")  # a thread cannot be ended
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    said: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "run", "arguments": {"plan": "plan.yaml"}}},
    ]
    server = subprocess.Popen(command("--root", waiting), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert server.stdin is not None
    for one in said:
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n")
    server.stdin.flush()
    last = time.monotonic() + 60
    while not any(run.status == "running" for run in KnowFlow().runs()) and time.monotonic() < last:
        time.sleep(0.05)
    server.stdin.close()
    assert server.wait(60) == 0
    assert KnowFlow().runs()[0].status == "interrupted"


def test_a_call_that_is_cancelled_stops_its_run(waiting: Path) -> None:
    async def steps() -> None:
        async with connected(waiting, "--root", waiting) as client:
            with anyio.CancelScope() as call:

                async def progress(done: float, whole: float | None, message: str | None) -> None:
                    if (message or "").startswith("run "):
                        call.cancel()

                await client.call_tool("run", {"plan": "plan.yaml"}, progress_callback=progress)
            assert call.cancelled_caught
            run = KnowFlow().runs()[0].run_id
            while KnowFlow().trace(run).finished is None:
                await anyio.sleep(0.05)
            explained = (await client.call_tool("explain", {"run": run})).structured_content["run"]
            assert (explained["status"], explained["error"]["message"]) == ("interrupted", "stopped on request")

    asked(steps)


def test_a_plain_installation_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['mcp'] = None; from knowflow.roof.cli import main; main(['mcp'])"
    ended = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 2
    assert 'pip install "knowflow[mcp]"' in ended.stderr


def test_nothing_of_it_is_imported_by_other_commands(tmp_path: Path) -> None:
    seen = (
        "import sys, atexit; atexit.register(lambda: print([n for n in sys.modules if n.split('.')[0] in "
        "('mcp', 'mcp_types', 'uvicorn', 'pygeoapi')]));"
        "from knowflow.roof.cli import main; main(['templates', 'list', '--json'])"
    )
    ended = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert ended.stdout.rstrip().endswith("[]")
