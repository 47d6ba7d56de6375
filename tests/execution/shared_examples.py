"""Shared caches in a folder and in moto's S3 server, and what other processes do with them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from execution_examples import node, plan, schema, toolbox_catalogue

from knowflow.execution.cache import Cache
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.execution.shared_cache import SharedCache
from knowflow.execution.shared_setting import objects_at
from knowflow.model.artifact import Artifact, scalar
from knowflow.model.facts import Facts
from knowflow.model.plan import Plan
from knowflow.model.trace import Trace

KEY = "ab" + "0" * 62
TOOL = schema("note", {"output": {"type": "path", "role": "output"}})
BEAT_S, SILENCE_S = 0.1, 0.8


def shared(place: str) -> SharedCache:
    """A shared cache whose leases are taken over soon."""
    return SharedCache(objects_at(place), BEAT_S, SILENCE_S)


def question() -> Plan:
    """A number, a text beside it, and their sum of three."""
    return plan(node("one", "number", value=1), node("text", "note", text="words"), node("two", "number", value=2))


def run(home: Path) -> Trace:
    return execute(question(), toolbox_catalogue(), LocalRunner(), home)


def make(cache: Cache, text: str = "pixels", key: str = KEY) -> bool:
    """Make a result where no machine has made it: whether that was needed."""
    if cache.find(key) is not None:
        return False
    with cache.claim(key) as draft, cache.alone({key: draft}, lambda: None):
        if cache.find(key) is not None:
            return False
        (draft / "output.txt").write_text(text)
        outputs = {"output": Artifact("text", Facts(), path=str(draft / "output.txt")), "value": scalar(1.5)}
        cache.publish(key, draft, TOOL, outputs, (), 0.25)
        return True


def hold(place: str, home: str, told: str) -> None:
    """Begin a result and never end it: what a test kills."""
    cache = Cache(Path(home), shared(place))
    with cache.claim(KEY) as draft, cache.alone({KEY: draft}, lambda: None):
        Path(told).touch()
        time.sleep(600)


def make_many(place: str, home: str, count: str) -> None:
    """Make results, one after the other, until this process is killed or there are so many."""
    cache = Cache(Path(home), shared(place))
    for number in range(int(count)):
        make(cache, f"pixels {number} " * 20_000, f"{number:064x}")


def command(call: str, *arguments: str) -> list[str]:
    """The command of a process that calls something of this module."""
    return [sys.executable, "-c", f"import shared_examples, sys; shared_examples.{call}(*sys.argv[1:])", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
