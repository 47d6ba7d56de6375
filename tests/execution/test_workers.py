"""Workers that hang, crash, eat memory or are stopped: each ends with a named error, and harms nobody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from knowflow.execution.workers import WorkerPool
from knowflow.ground.errors import (
    NoSpaceError,
    RunInterruptedError,
    ToolCrashError,
    ToolError,
    ToolMemoryError,
    ToolTimeoutError,
    UnreadableDataError,
)
from knowflow.ground.report import Problem

HERE = "misbehaving"  # the module beside this one; workers find it because pytest puts this folder on the path


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    with WorkerPool(2) as shared:
        yield shared


def _gone(pid: int) -> bool:
    """Whether a process has ended; one that waits for somebody else to reap it has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def _until(condition: Any) -> None:
    for _ in range(10_000_000):
        if condition():
            return
        os.sched_yield()
    pytest.fail("it never happened")


def test_a_call_returns_what_the_function_returns(pool: WorkerPool) -> None:
    assert pool.submit(f"{HERE}:add", {"a": 1, "b": 2.5}) == 3.5


def test_a_worker_is_kept_for_the_next_call() -> None:
    with WorkerPool(1) as single:
        first = single.submit(f"{HERE}:who", {})
        assert first != os.getpid()
        assert single.submit(f"{HERE}:who", {}) == first


def test_a_named_error_keeps_its_type_and_everything_it_says(pool: WorkerPool) -> None:
    with pytest.raises(UnreadableDataError) as caught:
        pool.submit(f"{HERE}:raise_named", {})
    error = caught.value
    assert (error.message, error.where, error.expected, error.found, error.hint) == (
        *("the raster cannot be read", "a.tif", "pixels", "none", "fetch it again"),
    )
    assert error.problems == (Problem("x", "one", "two"),)


def test_any_other_exception_becomes_a_tool_error_with_the_traceback_as_a_note(pool: WorkerPool) -> None:
    with pytest.raises(ToolError, match="raise_plain failed: ValueError: seven is not a colour") as caught:
        pool.submit(f"{HERE}:raise_plain", {})
    assert "in raise_plain" in caught.value.__notes__[0]


def test_an_error_that_cannot_be_read_back_arrives_as_a_tool_error(pool: WorkerPool) -> None:
    with pytest.raises(ToolError, match="ab"):
        pool.submit(f"{HERE}:raise_awkward", {})


def test_a_full_disk_is_named(pool: WorkerPool) -> None:
    with pytest.raises(NoSpaceError):
        pool.submit(f"{HERE}:raise_full_disk", {})


def test_sys_exit_in_a_tool_does_not_end_the_worker() -> None:
    with WorkerPool(1) as single:
        before = single.submit(f"{HERE}:who", {})
        with pytest.raises(ToolError, match="SystemExit"):
            single.submit(f"{HERE}:exit_politely", {})
        assert single.submit(f"{HERE}:who", {}) == before


def test_a_result_that_cannot_be_carried_is_an_error_that_says_so(pool: WorkerPool) -> None:
    with pytest.raises(ToolError, match="cannot be carried"):
        pool.submit(f"{HERE}:unpicklable", {})


def test_arguments_that_cannot_be_carried_are_an_error_that_says_so(pool: WorkerPool) -> None:
    with pytest.raises(ToolError, match="arguments cannot be carried"):
        pool.submit(f"{HERE}:add", {"a": lambda: 1, "b": 2})


@pytest.mark.parametrize("path", ["nowhere.at_all:f", f"{HERE}:nothing", "os", f"{HERE}:_kept"])
def test_a_function_that_does_not_exist_is_named(pool: WorkerPool, path: str) -> None:
    with pytest.raises(ToolError, match="function"):
        pool.submit(path, {})


def test_progress_is_told_in_order_and_to_the_end(pool: WorkerPool) -> None:
    told: list[float] = []
    assert pool.submit(f"{HERE}:in_steps", {"count": 500}, on_progress=told.append) == "done"
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_an_exception_in_the_listener_stops_the_call(pool: WorkerPool) -> None:
    def refuse(_fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool.submit(f"{HERE}:in_steps", {"count": 3}, on_progress=refuse)
    assert pool.submit(f"{HERE}:add", {"a": 1, "b": 1}) == 2


def test_what_a_tool_prints_does_not_reach_our_output(pool: WorkerPool, capfd: pytest.CaptureFixture[str]) -> None:
    assert pool.submit(f"{HERE}:print_much", {}) == "fine"
    assert capfd.readouterr() == ("", "")


def test_a_hang_ends_at_its_timeout() -> None:
    with WorkerPool(1) as single:
        single.submit(f"{HERE}:who", {})
        before = single.pids
        with pytest.raises(ToolTimeoutError, match="hang did not end in time") as caught:
            single.submit(f"{HERE}:hang", {}, timeout_s=0.1)
        assert caught.value.expected == "at most 0.1 s"
        assert all(_gone(pid) for pid in before)
        assert single.submit(f"{HERE}:add", {"a": 1, "b": 1}) == 2


def test_memory_that_grows_past_its_limit_ends_the_call() -> None:
    with WorkerPool(1) as single:
        with pytest.raises(ToolMemoryError) as caught:
            single.submit(f"{HERE}:grow", {}, memory_mb=150)
        assert caught.value.code == "tool_memory"
        assert single.submit(f"{HERE}:add", {"a": 1, "b": 1}, memory_mb=500) == 2


def test_one_huge_allocation_is_refused_at_once_and_the_worker_lives_on() -> None:
    with WorkerPool(1) as single:
        before = single.submit(f"{HERE}:who", {})
        with pytest.raises(ToolMemoryError, match="asked for more memory"):
            single.submit(f"{HERE}:ask_for", {"megabytes": 100_000}, memory_mb=500)
        assert single.submit(f"{HERE}:who", {}) == before


def test_a_worker_that_still_holds_much_memory_is_replaced() -> None:
    with WorkerPool(1, memory_mb=400) as single:
        first = single.submit(f"{HERE}:keep", {"megabytes": 250})
        assert single.submit(f"{HERE}:who", {}) != first
        assert _gone(first)


def test_a_crash_names_the_signal_and_the_last_words() -> None:
    with WorkerPool(1) as single:
        with pytest.raises(ToolCrashError, match="the process that ran segfault died") as caught:
            single.submit(f"{HERE}:segfault", {})
        assert "SIGSEGV" in str(caught.value.found)
        assert "last words" in str(caught.value.found)
        assert single.submit(f"{HERE}:add", {"a": 1, "b": 1}) == 2


def test_an_abrupt_exit_names_the_exit_code(pool: WorkerPool) -> None:
    with pytest.raises(ToolCrashError) as caught:
        pool.submit(f"{HERE}:leave", {"code": 7})
    assert "exit code 7" in str(caught.value.found)


def test_a_crash_never_harms_siblings(pool: WorkerPool) -> None:
    def call(number: int) -> Any:
        try:
            if number % 3 == 0:
                return pool.submit(f"{HERE}:segfault", {})
            return pool.submit(f"{HERE}:add", {"a": number, "b": 0})
        except ToolCrashError:
            return "crashed"

    with ThreadPoolExecutor(6) as threads:
        results = list(threads.map(call, range(12)))
    assert results == ["crashed" if number % 3 == 0 else number for number in range(12)]


def test_cancelling_kills_what_runs_and_the_pool_can_be_used_again(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    with WorkerPool(1) as single, ThreadPoolExecutor(1) as threads:
        running = threads.submit(single.submit, f"{HERE}:hang_after_telling", {"marker": str(marker)})
        _until(lambda: marker.exists() and marker.read_text())
        single.cancel()
        with pytest.raises(RunInterruptedError):
            running.result()
        assert _gone(int(marker.read_text()))
        assert single.submit(f"{HERE}:add", {"a": 1, "b": 1}) == 2


def test_one_call_can_be_cancelled_alone(tmp_path: Path) -> None:
    marker, stop = tmp_path / "pid", threading.Event()
    with WorkerPool(2) as two, ThreadPoolExecutor(1) as threads:
        running = threads.submit(
            two.submit, f"{HERE}:hang_after_telling", {"marker": str(marker)}, cancelled=stop.is_set
        )
        _until(lambda: marker.exists() and marker.read_text())
        sibling = two.submit(f"{HERE}:who", {})
        stop.set()
        with pytest.raises(RunInterruptedError):
            running.result()
        assert two.submit(f"{HERE}:who", {}) == sibling


def test_a_call_that_waits_for_a_worker_can_be_cancelled(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    with WorkerPool(1) as single, ThreadPoolExecutor(1) as threads:
        running = threads.submit(single.submit, f"{HERE}:hang_after_telling", {"marker": str(marker)})
        _until(lambda: marker.exists() and marker.read_text())
        with pytest.raises(RunInterruptedError):
            single.submit(f"{HERE}:add", {"a": 1, "b": 1}, cancelled=lambda: True)
        single.cancel()
        with pytest.raises(RunInterruptedError):
            running.result()


def test_commands_that_a_tool_started_go_with_it(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    with WorkerPool(1) as single, ThreadPoolExecutor(1) as threads:
        running = threads.submit(single.submit, f"{HERE}:hang_with_a_child", {"marker": str(marker)})
        _until(lambda: marker.exists() and marker.read_text())
        single.cancel()
        with pytest.raises(RunInterruptedError):
            running.result()
    _until(lambda: _gone(int(marker.read_text())))


def test_closing_leaves_no_process_behind_and_takes_no_more_calls() -> None:
    pool = WorkerPool(2)
    pool.warm()
    pids = pool.pids
    assert len(pids) == 2
    pool.close()
    assert all(_gone(pid) for pid in pids)
    with pytest.raises(RunInterruptedError):
        pool.submit(f"{HERE}:add", {"a": 1, "b": 1})


def test_an_idle_worker_that_died_is_replaced() -> None:
    with WorkerPool(1) as single:
        victim = single.submit(f"{HERE}:who", {})
        os.kill(victim, signal.SIGKILL)
        _until(lambda: os.waitid(os.P_PID, victim, os.WEXITED | os.WNOWAIT | os.WNOHANG))
        assert single.submit(f"{HERE}:who", {}) != victim


def test_a_worker_that_died_is_replaced_where_the_system_has_no_waitid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "waitid")
    with WorkerPool(1) as single:
        victim = single.submit(f"{HERE}:who", {})
        with pytest.raises(ToolCrashError) as caught:
            single.submit(f"{HERE}:segfault", {})
        assert "killed by SIGSEGV" in str(caught.value.found)
        assert single.submit(f"{HERE}:who", {}) != victim


def test_a_worker_that_cannot_start_is_named() -> None:
    with WorkerPool(1, preload=("no.such.module",)) as broken:
        with pytest.raises(ToolCrashError, match="could not be started") as caught:
            broken.submit(f"{HERE}:add", {"a": 1, "b": 1})
        assert "No module named 'no'" in str(caught.value.found)
        assert not broken.pids


PARENT = """
import os, signal, sys, threading
from knowflow.execution.workers import WorkerPool
pool = WorkerPool(2)
pool.warm()
pool.submit("os:getpid", {})
print(*pool.pids, flush=True)
how = sys.argv[1]
if how == "interrupt":
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    pool.submit("misbehaving:hang", {})
if how == "killed":
    threading.Thread(target=pool.submit, args=("misbehaving:hang", {})).start()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("how", ["exit", "interrupt", "killed"])
def test_however_the_parent_ends_no_worker_is_left(how: str) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    ended = subprocess.run(
        [sys.executable, "-c", PARENT, how],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    pids = [int(word) for word in ended.stdout.split()]
    assert len(pids) == 2, ended.stderr
    deadline = time.monotonic() + 30
    while not all(_gone(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker is still there"
    assert ("KeyboardInterrupt" in ended.stderr) == (how == "interrupt")
