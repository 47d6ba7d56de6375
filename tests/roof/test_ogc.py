"""Templates as processes of a real pygeoapi server, asked over HTTP as clients of OGC API - Processes do."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import jsonschema
import pytest
import yaml

pytest.importorskip("pygeoapi", reason="the extra ogc is not installed")

from knowflow import KnowFlow
from knowflow.roof.ogc.configuration import answering, configuration
from knowflow.testing.scenes import write_scene
from tests.roof.ogc_standard import RELATIONS, SCHEMAS

TESTED = {"statistics_of_quantity": 0, "heat_hotspots": 0}
CORE = "http://www.opengis.net/spec/ogcapi-processes-1/1.0/conf/core"
SLOW = """
tool: wait_long
title: Wait
kit: io
layers: [2, 3]
parameters: {image: {type: raster}}
returns: {type: scalar}
run: python:own_waiting:wait_long
isolate: process
"""
WAITING = """
import time


def wait_long(image: object) -> float:
    time.sleep(120)
    return 1.0
"""
LONG_WAIT = """
template: long_wait
version: 1
title: Wait for long
layer: 3
asked: [long wait]
inputs: {scene: {type: raster, quantity: [ndvi]}}
steps: {wait: {tool: wait_long, with: {image: $inputs.scene}}}
outputs: {answer: $wait.value}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server, and the folder that is open to its clients: a scene for each of some templates."""
    root = tmp_path_factory.mktemp("ogc")
    templates = KnowFlow().templates()
    for name, number in TESTED.items():
        write_scene(templates[name].tests[number].scene, root / "open" / name)
        write_scene(templates[name].tests[number].scene, root / "closed" / name)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
    for name, text in {
        "jobs/none": "",
        ".knowflow/own_waiting.py": WAITING,
        ".knowflow/schemas/wait_long.yaml": SLOW,
        ".knowflow/templates/long_wait.yaml": LONG_WAIT,
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    told = configuration(answering(templates.values()), [root / "open"], root / "jobs", url)
    told["resources"]["long_wait"] = {
        "type": "process",
        "processor": told["resources"]["ask"]["processor"] | {"process": "long_wait"},
    }
    (root / "config.yml").write_text(yaml.safe_dump(told), encoding="utf-8")
    state = {"KNOWFLOW_HOME": str(root / "home"), "KNOWFLOW_CONFIG": str(root / "settings")}
    files = {"PYGEOAPI_CONFIG": str(root / "config.yml"), "PYGEOAPI_OPENAPI": str(root / "openapi.yml")}
    program = [sys.executable, "-W", "ignore", "-c"]
    options: dict[str, Any] = {"cwd": root, "env": {**os.environ, **state, **files}, "stderr": subprocess.DEVNULL}
    options["stdout"] = subprocess.DEVNULL
    generate = ["openapi", "generate", "config.yml", "--output-file", "openapi.yml"]
    subprocess.run([*program, "from pygeoapi import cli; cli()", *generate], check=True, **options)
    # as `pygeoapi serve` does, but for its debugger, which starts anew whenever a file of any package changes
    app = f"from pygeoapi.flask_app import APP; APP.run('127.0.0.1', {url.rpartition(':')[2]})"
    serving = subprocess.Popen([*program, app], **options)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and serving.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) == 0:
                    break
            time.sleep(0.1)
        yield url, root
    finally:
        serving.terminate()
        serving.wait(20)


def asked(
    address: str, inputs: dict[str, Any] | None = None, method: str | None = None, **more: Any
) -> tuple[int, Any, str]:
    """The status of an answer, what it holds, and where a job is to be found."""
    body = None if inputs is None else json.dumps({"inputs": inputs, **more.pop("body", {})}).encode()
    request = Request(address, body, {"Content-Type": "application/json", **more}, method=method)
    try:
        with urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null"), answer.headers.get("Location", "")
    except HTTPError as error:
        return error.code, json.loads(error.read()), ""


def test_every_template_that_answers_is_described(server: tuple[str, Path]) -> None:
    url, _ = server
    assert CORE in asked(f"{url}/conformance?f=json")[1]["conformsTo"]
    known = asked(f"{url}/processes?f=json&limit=100")[1]["processes"]
    templates = {one.template: one for one in answering(KnowFlow().templates().values())}
    assert {one["id"] for one in known} == {"ask", "long_wait", *templates}
    for name, template in templates.items():
        status, told, _ = asked(f"{url}/processes/{name}?f=json")
        assert status == 200
        assert told["inputs"].keys() == {"data", "aoi", "at", "dates", "assume", *template.parameters}
        for one in told["inputs"].values():
            jsonschema.Draft202012Validator.check_schema(one["schema"])


def test_a_process_answers_at_once_with_the_outputs_asked_for(server: tuple[str, Path]) -> None:
    url, root = server
    address = f"{url}/processes/statistics_of_quantity/execution"
    inputs = {"data": "statistics_of_quantity", "quantity": "ndvi"}
    status, found, _ = asked(address, inputs)
    assert status == 200
    (row,) = found["answer"]
    assert [row["mean"], row["minimum"], row["maximum"]] == pytest.approx([0.5, 0.0078125, 0.9921875])
    assert Path(found["report"].removeprefix("file://")).is_relative_to(root / "jobs")
    status, found, _ = asked(address, inputs, body={"outputs": {"answer": {}}})
    assert (status, [*found]) == (200, ["answer"])
    question = {"question": "What is the mean NDVI?", "data": "statistics_of_quantity"}
    assert asked(f"{url}/processes/ask/execution", question)[1]["answer"] == pytest.approx(0.5)


def test_a_process_runs_on_in_the_background(server: tuple[str, Path]) -> None:
    url, _ = server
    template = KnowFlow().templates()["heat_hotspots"]
    inputs = {"data": "heat_hotspots", **template.tests[TESTED["heat_hotspots"]].parameters}
    status, _, job = asked(f"{url}/processes/heat_hotspots/execution", inputs, Prefer="respond-async")
    assert status == 201
    fits("status", asked(f"{job}?f=json")[1])
    until = time.monotonic() + 60
    while (told := asked(f"{job}?f=json")[1])["status"] in ("accepted", "running") and time.monotonic() < until:
        time.sleep(0.1)
    assert told["status"] == "successful", told
    fits("status", told)
    assert asked(f"{job}/results?f=json")[1]["answer"] == 2


def test_a_job_that_is_dismissed_is_stopped(server: tuple[str, Path]) -> None:
    url, root = server
    address, data = f"{url}/processes/long_wait/execution", {"data": "statistics_of_quantity"}
    status, _, job = asked(address, data, Prefer="respond-async")
    assert status == 201
    until = time.monotonic() + 60
    while not (told := asked(f"{job}?f=json")[1])["message"].startswith("run ") and time.monotonic() < until:
        time.sleep(0.1)
    assert told["status"] == "running", told
    run = told["message"].removeprefix("run ")
    status, told, _ = asked(job, method="DELETE")
    assert (status, told["status"]) == (200, "dismissed")
    record = KnowFlow(home=root / "home")
    while record.trace(run).finished is None and time.monotonic() < until:
        time.sleep(0.1)
    assert record.trace(run).status == "interrupted"
    assert asked(f"{job}?f=json")[0] == 404


def fits(what: str, document: Any) -> None:
    """Hold a document against what the standard requires of it."""
    jsonschema.validate(document, SCHEMAS[what], jsonschema.Draft202012Validator)


def test_documents_are_what_the_standard_requires(server: tuple[str, Path]) -> None:
    url, _ = server
    landing = asked(f"{url}/?f=json")[1]
    fits("landing page", landing)
    assert {link["rel"].rpartition("/")[2] for link in landing["links"]} >= RELATIONS
    fits("conformance", asked(f"{url}/conformance?f=json")[1])
    listed = asked(f"{url}/processes?f=json&limit=100")[1]
    fits("process list", listed)
    assert [one["id"] for one in asked(f"{url}/processes?f=json&limit=2")[1]["processes"]] == [
        one["id"] for one in listed["processes"][:2]
    ]
    for one in listed["processes"]:
        fits("process", asked(f"{url}/processes/{one['id']}?f=json")[1])
    fits("job list", asked(f"{url}/jobs?f=json")[1])
    for lacking in ("processes/none", "jobs/none", "jobs/none/results"):
        status, told, _ = asked(f"{url}/{lacking}?f=json")
        assert status == 404
        fits("exception", told)
    status, told, _ = asked(f"{url}/processes/none/execution", {})
    assert status == 404
    fits("exception", told)


@pytest.mark.parametrize(
    ("process", "inputs", "words"),
    [
        ("ask", {"question": "What is the mean zorblax?", "data": "heat_hotspots"}, "zorblax"),
        ("ask", {"question": "What is the mean NDVI?", "data": "../closed/heat_hotspots"}, "outside_roots"),
        ("ask", {"question": "What is the mean NDVI?"}, "lacking: data"),
        ("heat_hotspots", {"data": "heat_hotspots", "percentil": 90}, "unknown: percentil"),
    ],
)
def test_what_is_refused_says_why(server: tuple[str, Path], process: str, inputs: dict[str, Any], words: str) -> None:
    status, told, _ = asked(f"{server[0]}/processes/{process}/execution", inputs)
    assert status == 400
    fits("exception", told)
    assert words in told["description"]
