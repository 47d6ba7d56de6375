"""What execution costs beside the work itself: until the first node runs, and for each node.

Everything is measured in the same run, beside bare Prefect tasks and plain calls of the same function:

    python benchmarks/execution.py [--nodes 200] [--repeat 3] [--no-prefect] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.prefect_runner import PrefectRunner
from knowflow.execution.prefect_server import ensure_server, stop_server
from knowflow.execution.run_store import load_run
from knowflow.execution.scheduler import execute
from knowflow.ground.errors import KnowFlowError
from knowflow.model.plan import Plan
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, Given, Node, Workflow
from knowflow.service.demo import demo_questions

WORKERS = 2
ONE_MORE = ToolSchema.model_validate(
    {
        "tool": "one_more",
        "title": "One more",
        "kit": "analysis",
        "layers": [1],
        "parameters": {"x": {"type": "number"}},
        "returns": {"type": "scalar"},
        "run": f"python:{__name__}:one_more",
    }
)


def one_more(x: float) -> float:
    """The smallest tool there is."""
    return x + 1


def ladder(nodes: int) -> Plan:
    """Two chains side by side: half of the nodes can always run beside the other half."""
    made = [
        Node(f"n{i}", "one_more", {"x": Given(float(i)) if i < WORKERS else FromNode(f"n{i - WORKERS}")})
        for i in range(nodes)
    ]
    return Plan("benchmark", "", Workflow(tuple(made)), title=f"{nodes} nodes that do nothing")


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def per_node(nodes: int, home: Path, api_url: str | None) -> dict[str, float]:
    """Milliseconds for each node, the whole run divided by the nodes."""
    plan, catalogue = ladder(nodes), {"one_more": ONE_MORE}
    fresh = iter(range(1000))

    def ours(runner: LocalRunner | PrefectRunner, folder: Path) -> Callable[[], Any]:
        return lambda: execute(plan, catalogue, runner, folder)

    def plain() -> None:
        values: list[float] = []
        for i in range(nodes):
            values.append(one_more(float(i) if i < WORKERS else values[i - WORKERS]))

    again = home / "again"
    execute(plan, catalogue, LocalRunner(WORKERS), again)
    measured = {
        "plain calls": seconds(plain),
        "local": seconds(ours(LocalRunner(WORKERS), home / f"cold{next(fresh)}")),
        "local, all from the cache": seconds(ours(LocalRunner(WORKERS), again)),
    }
    if api_url is not None:
        runner = PrefectRunner(home, WORKERS, api_url)
        execute(
            ladder(WORKERS), catalogue, runner, home / f"cold{next(fresh)}"
        )  # the first flow of a process is slower
        measured["bare prefect tasks"] = seconds(lambda: bare_prefect(nodes, api_url))
        measured["prefect"] = seconds(ours(runner, home / f"cold{next(fresh)}"))
    return {name: 1000 * total / nodes for name, total in measured.items()}


def bare_prefect(nodes: int, api_url: str) -> None:
    """The same ladder as a Prefect user would write it, with futures as arguments."""
    from prefect import flow, task
    from prefect.settings import PREFECT_API_URL, temporary_settings
    from prefect.task_runners import ThreadPoolTaskRunner

    step = task(persist_result=False)(one_more)

    @flow(persist_result=False, task_runner=ThreadPoolTaskRunner(max_workers=WORKERS))
    def bare() -> None:
        futures: list[Any] = []
        for i in range(nodes):
            futures.append(step.submit(float(i) if i < WORKERS else futures[i - WORKERS]))
        for future in futures:
            future.wait()

    with temporary_settings({PREFECT_API_URL: api_url}):
        bare()


def first_node(runner: str, home: Path, folder: Path) -> dict[str, float]:
    """Seconds from the shell prompt until the first node of a question runs, and until the answer is there."""
    question = demo_questions(folder)[1]
    command = [sys.executable, "-c", "from knowflow.roof.cli import main; main()", "run", question.query]
    command += ["--data", str(question.data), "--out", str(folder / "out"), "--runner", runner, "--json"]
    started = time.time()
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "KNOWFLOW_HOME": str(home)})
    ended = time.time()
    try:
        trace = load_run(json.loads(done.stdout)["run_id"], home)
        first = min(record.started for record in trace.records.values() if record.started is not None)
    except (KnowFlowError, ValueError, KeyError) as error:
        raise SystemExit(f"the question was not answered: {done.stderr or done.stdout}") from error
    return {"first node": first - started, "answer": ended - started}


def import_of_prefect() -> float:
    return seconds(lambda: subprocess.run([sys.executable, "-c", "from prefect import flow, task"], check=True))


@contextmanager
def server(home: Path, wanted: bool) -> Iterator[tuple[str | None, float]]:
    """Our server in a home of its own, and how long it took to start."""
    if not wanted:
        yield None, 0.0
        return
    started = time.perf_counter()
    try:
        yield ensure_server(home), time.perf_counter() - started
    finally:
        if "prefect.logging.handlers" in sys.modules:
            sys.modules["prefect.logging.handlers"].APILogWorker.drain_all()
        stop_server(home)


def measure(nodes: int, repeat: int, prefect: bool) -> dict[str, Any]:
    """Medians over ``repeat`` measurements."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with server(folder / "home", prefect) as (api_url, start):
            runners = ["local", *(["prefect"] if prefect else [])]
            started = {
                runner: [first_node(runner, folder / "home", folder / f"{runner}{i}") for i in range(repeat)]
                for runner in runners
            }
            imports = [import_of_prefect() for _ in range(repeat)] if prefect else []
            nodewise = [per_node(nodes, folder / f"nodes{i}", api_url) for i in range(repeat)]
    result: dict[str, Any] = {
        "nodes": nodes,
        "repeat": repeat,
        "from_the_shell_prompt_s": {
            runner: {what: statistics.median(run[what] for run in runs) for what in runs[0]}
            for runner, runs in started.items()
        },
        "per_node_ms": {name: statistics.median(run[name] for run in nodewise) for name in nodewise[0]},
    }
    if prefect:
        result["import_of_prefect_s"] = statistics.median(imports)
        result["start_of_the_server_s"] = start
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-prefect", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    result = measure(options.nodes, options.repeat, not options.no_prefect)
    if options.json:
        print(json.dumps(result, indent=2))
        return
    for runner, times in result["from_the_shell_prompt_s"].items():
        print(f"{runner}: first node after {times['first node']:.2f} s, answer after {times['answer']:.2f} s")
    if "import_of_prefect_s" in result:
        print(f"of which the import of prefect: {result['import_of_prefect_s']:.2f} s (prefect only)")
        print(f"start of the server, once: {result['start_of_the_server_s']:.1f} s")
    for name, milliseconds in result["per_node_ms"].items():
        print(f"{milliseconds:9.3f} ms per node  {name}")


if __name__ == "__main__":
    main()
