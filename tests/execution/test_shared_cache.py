"""Machines (processes with other homes) share results over a folder and over S3; nothing rests on who is killed."""

from __future__ import annotations

import logging
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from shared_examples import KEY, command, environment, make, run, shared

from knowflow.execution.cache import Cache
from knowflow.execution.shared_cache import SharedCache
from knowflow.execution.shared_setting import VARIABLE, objects_at
from knowflow.ground.errors import DocumentError

_LONG_S = 60.0


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The address of moto's S3 server with a bucket."""
    moto = pytest.importorskip("moto.server", reason="moto (the extra peers) is missing")
    boto3 = pytest.importorskip("boto3", reason="boto3 (the extra remote) is missing")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it tells of every request
    server = moto.ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    named = {"aws_access_key_id": "someone", "aws_secret_access_key": "secret", "region_name": "us-east-1"}
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", **named)
    client.create_bucket(Bucket="results")
    client.close()
    yield f"{host}:{port}"
    server.stop()


def _use(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "someone")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a-secret-of-somebody")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_S3_ENDPOINT", endpoint)
    monkeypatch.setenv("AWS_HTTPS", "NO")
    monkeypatch.setenv("AWS_VIRTUAL_HOSTING", "FALSE")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")


@pytest.fixture(params=["folder", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "folder":
        (tmp_path / "share").mkdir()
        return str(tmp_path / "share")
    _use(request.getfixturevalue("endpoint"), monkeypatch)
    return f"s3://results/{tmp_path.name}"


def _lines(calls: Path) -> list[str]:
    return sorted(calls.read_text().splitlines())


def test_two_homes_share_what_one_has_finished(
    place: str, tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, place)
    first = run(tmp_path / "one")
    made = _lines(calls)
    assert made == ["note", "number 1", "number 2"]
    other = run(tmp_path / "other")
    assert _lines(calls) == made
    assert {record.status for record in other.records.values()} == {"cached"}
    assert other.notes == first.notes == ()
    text = Path(str(other.record("text").outputs["output"].path))
    assert text.is_relative_to(tmp_path / "other")
    assert text.read_text() == "words"
    assert "a-secret-of-somebody" not in str(other.to_json())


def test_homes_that_begin_at_once_make_each_result_once(place: str, tmp_path: Path) -> None:
    caches = [Cache(tmp_path / f"home{n}", SharedCache(objects_at(place))) for n in range(4)]
    together = threading.Barrier(4)

    def work(cache: Cache) -> bool:
        together.wait()
        return make(cache)

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(work, caches)) == 1
    assert all(cache.find(KEY) is not None and cache.whole(KEY) for cache in caches)


def test_a_machine_that_is_killed_while_it_makes_a_result_keeps_nobody_waiting(place: str, tmp_path: Path) -> None:
    holder = subprocess.Popen(
        command("hold", place, str(tmp_path / "killed"), str(tmp_path / "holds")), env=environment()
    )
    try:
        _until((tmp_path / "holds").exists)
    finally:
        holder.kill()
        holder.wait()
    other = Cache(tmp_path / "other", shared(place))
    assert make(other)
    assert objects_at(place).read(f"leases/{KEY}") is None
    again = Cache(tmp_path / "killed", shared(place))
    assert again.sweep() <= 1
    assert not make(again), "it comes from the other one"


def test_one_waits_for_another_machine_as_long_as_that_lives(place: str, tmp_path: Path) -> None:
    holder = subprocess.Popen(command("hold", place, str(tmp_path / "one"), str(tmp_path / "holds")), env=environment())
    asked = 0

    def give_up() -> None:
        nonlocal asked
        asked += 1
        if time.monotonic() > until:
            raise InterruptedError

    try:
        _until((tmp_path / "holds").exists)
        until = time.monotonic() + 3.0  # far longer than a holder may be silent
        cache = Cache(tmp_path / "other", shared(place))
        with (
            pytest.raises(InterruptedError),
            cache.claim(KEY) as draft,
            cache.alone({KEY: draft}, give_up),
        ):
            pytest.fail("two machines are at it")
    finally:
        holder.kill()
        holder.wait()
    assert asked > 1


def test_whoever_is_killed_while_it_shares_leaves_whole_results_or_none(place: str, tmp_path: Path) -> None:
    for number, seconds in enumerate((0.0, 0.2)):
        results = tmp_path / f"killed{number}" / "cache"
        worker = subprocess.Popen(command("make_many", place, str(results.parent), "400"), env=environment())
        _until(partial(_has_some, results))
        time.sleep(seconds)
        worker.kill()
        worker.wait()
    other = Cache(tmp_path / "other", shared(place))
    fetched = 0
    for number in range(40):
        text, key = f"pixels {number} " * 20_000, f"{number:064x}"
        fetched += not make(other, text, key)
        stored = other.find(key)
        assert stored is not None
        assert Path(str(stored.outputs["output"].path)).read_text() == text
    assert fetched > 0
    assert other.shared is not None
    assert not other.shared.failure


@pytest.mark.parametrize("damage", ["file", "document", "no file", "of another"])
def test_what_is_damaged_in_the_store_is_made_anew_and_replaced(place: str, tmp_path: Path, damage: str) -> None:
    make(Cache(tmp_path / "one", shared(place)))
    objects = objects_at(place)
    held = objects.read(f"results/ab/{KEY}")
    assert held is not None
    digest = held.data.decode().partition('"output.txt": [6, "')[2][:64]
    file = f"files/{digest[:2]}/{digest}"
    assert objects.has(file)
    key = KEY
    if damage == "file":
        objects.put(file, b"pixelz")
    elif damage == "document":
        objects.put(f"results/ab/{KEY}", held.data[:-20])
    elif damage == "no file":
        objects.remove(file)
    else:
        key = KEY.replace("0", "1")
        objects.put(f"results/ab/{key}", held.data)
    other = Cache(tmp_path / "other", shared(place))
    assert make(other, "pixels", key)
    assert not make(Cache(tmp_path / "third", shared(place)), "other", key)


def test_a_name_that_leads_out_of_a_result_is_not_followed(tmp_path: Path) -> None:
    from knowflow.execution.shared_cache import _closed

    (tmp_path / "share").mkdir()
    place = str(tmp_path / "share")
    objects_at(place).put(
        f"results/ab/{KEY}",
        _closed({"shared": 1, "document": "{}", "files": {"../../../evil": [1, "0" * 64]}, "told": False}),
    )
    assert make(Cache(tmp_path / "home", shared(place)))
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("why", ["no folder", "no server", "no bucket", "no profile", "relative", "secret", "other"])
def test_a_shared_cache_that_cannot_be_used_is_told_once_and_fails_no_run(
    why: str, tmp_path: Path, calls: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if why in ("no server", "no bucket"):
        _use("127.0.0.1:9" if why == "no server" else request.getfixturevalue("endpoint"), monkeypatch)
    if why == "no profile":
        monkeypatch.setenv("AWS_PROFILE", "nobody")
    places = {
        "no folder": str(tmp_path / "not-mounted"),
        "no server": "s3://results/there",
        "no bucket": "s3://no-such-bucket",
        "no profile": "s3://results/there",
        "relative": "some/folder",
        "secret": "s3://someone:a-secret-of-somebody@results",
        "other": "gs://results",
    }
    monkeypatch.setenv(VARIABLE, places[why])
    trace = run(tmp_path / "home")
    assert trace.status == "completed"
    assert len(_lines(calls)) == 3
    assert [VARIABLE in note or places[why] in note for note in trace.notes] == [True]
    assert "was not used" in trace.notes[0]
    assert "a-secret-of-somebody" not in str(trace.to_json())
    assert not (tmp_path / "not-mounted").exists()


def test_a_store_that_goes_away_while_a_run_uses_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    cache = Cache(tmp_path / "home", shared(str(tmp_path / "share")))
    assert make(cache)
    assert cache.shared is not None
    assert cache.shared.told == ""
    (tmp_path / "share").rename(tmp_path / "gone")
    assert make(cache, key="cd" + "0" * 62)
    assert "is it mounted" in cache.shared.told
    assert make(cache, key="ef" + "0" * 62)


def test_settings_name_the_place_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from knowflow.execution.shared_setting import shared_cache, shared_place

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    assert shared_cache() is None
    (tmp_path / "cache.yaml").write_text(f"size_gb: 3\nshared: {tmp_path}\n")
    assert shared_place() == str(tmp_path)
    monkeypatch.setenv(VARIABLE, "off")
    assert shared_place() is None
    with pytest.raises(DocumentError, match="no place of a shared cache"):
        objects_at("somewhere")


def _has_some(results: Path) -> bool:
    return next(results.glob("??/*"), None) is not None


def _until(there: Callable[[], bool]) -> None:
    until = time.monotonic() + _LONG_S
    while not there():
        assert time.monotonic() < until, "it never began"
        time.sleep(0.01)
