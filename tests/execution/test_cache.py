"""Results in the cache are whole or not there, and made once."""

from __future__ import annotations

import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from execution_examples import schema

from knowflow.execution.cache import Cache, Stored
from knowflow.execution.keys import derived_key, node_key
from knowflow.ground.locks import is_locked, try_lock
from knowflow.model.artifact import Artifact, scalar
from knowflow.model.facts import Facts, Origin
from knowflow.model.trace import Check

KEY = "ab" + "0" * 62
TOOL = schema("note", {"output": {"type": "path", "role": "output"}})


def publish(cache: Cache, key: str = KEY, text: str = "pixels") -> Stored:
    with cache.claim(key) as draft:
        path = draft / "output.tif"
        path.write_text(text)
        facts = Facts.of(Origin.MEASURED, nodata=math.inf, shape=(2, 3))
        outputs = {"output": Artifact("raster", facts, path=str(path)), "value": scalar(1.5)}
        return cache.publish(key, draft, TOOL, outputs, (Check("after", "x", True, "y"),), 0.25)


def test_what_was_published_is_found_again_as_it_was(home: Path) -> None:
    made = publish(Cache(home))
    found = Cache(home).find(KEY)
    assert found == made
    assert found.outputs["output"].key == derived_key(KEY, "output")
    assert Path(str(found.outputs["output"].path)).read_text() == "pixels"
    assert Path(str(found.outputs["output"].path)).parent == home / "cache" / "ab" / KEY


def test_the_cache_may_be_moved(home: Path) -> None:
    publish(Cache(home))
    moved = home.rename(home.with_name("moved"))
    found = Cache(moved).find(KEY)
    assert found is not None
    assert str(found.outputs["output"].path).startswith(str(moved))


@pytest.mark.parametrize("damage", ["missing", "cut", "description"])
def test_a_damaged_result_counts_as_none_and_is_replaced(home: Path, damage: str) -> None:
    cache = Cache(home)
    folder = Path(str(publish(cache).outputs["output"].path)).parent
    if damage == "missing":
        (folder / "output.tif").unlink()
    elif damage == "cut":
        (folder / "output.tif").write_text("pix")
    else:
        (folder / "result.json").write_text('{"result": 1, "out')
    assert cache.find(KEY) is None
    assert publish(cache, text="better").outputs == (cache.find(KEY) or Stored("", {})).outputs
    assert (folder / "output.tif").read_text() == "better"
    assert [path.name for path in (home / "cache" / "drafts").iterdir()] == []


def test_nothing_of_a_failed_attempt_is_left(home: Path) -> None:
    cache = Cache(home)

    def fail() -> None:
        with cache.claim(KEY) as draft:
            (draft / "half").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert cache.find(KEY) is None
    assert list((home / "cache" / "drafts").iterdir()) == []


def test_of_many_who_want_one_result_only_one_makes_it(home: Path) -> None:
    cache, made, together = Cache(home), [], threading.Barrier(8)

    def want(number: int) -> Stored:
        together.wait()
        with cache.claim(KEY) as draft:
            found = cache.find(KEY)
            if found is not None:
                return found
            made.append(number)
            return cache.publish(KEY, draft, TOOL, {"value": scalar(float(number))}, (), 0.0)

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(want, range(8)))
    assert len(made) == 1
    assert {result.outputs["value"].value for result in results} == {float(made[0])}


def test_who_waits_for_a_result_can_give_up(home: Path) -> None:
    class GiveUpError(Exception):
        pass

    def give_up() -> None:
        raise GiveUpError

    cache = Cache(home)
    with cache.claim(KEY), pytest.raises(GiveUpError), cache.claim(KEY, give_up):
        pass


def test_a_sweep_takes_what_the_dead_left_and_leaves_what_the_living_make(home: Path) -> None:
    cache = Cache(home)
    dead = home / "cache" / "drafts" / ("cd" + KEY[2:])
    dead.mkdir(parents=True)
    (dead / "half").write_text("half")
    with cache.claim(KEY) as draft:
        assert cache.sweep() == 1
        assert draft.is_dir()
    assert not dead.exists()


def test_a_lock_is_seen_by_others_until_it_is_released(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not is_locked(path)
    handle = try_lock(path)
    assert handle is not None
    assert is_locked(path)
    assert try_lock(path) is None
    os.close(handle)
    assert not is_locked(path)


DAMAGES = {
    "a flipped bit": lambda content: bytes([content[0] ^ 1]) + content[1:],
    "cut and filled up": lambda content: content[: len(content) // 2] + bytes(len(content) - len(content) // 2),
    "of something else": lambda content: bytes(reversed(content)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_of_the_same_size_is_found_by_who_did_not_write_the_result(home: Path, damage: str) -> None:
    cache = Cache(home)
    path = Path(str(publish(cache).outputs["output"].path))
    assert Cache(home).whole(KEY)
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    other = Cache(home)
    assert other.find(KEY) is not None, "the files are not read before somebody uses them"
    assert not other.whole(KEY)
    assert other.find(KEY) is None
    assert not path.exists()


def test_a_number_that_was_damaged_in_the_description_of_a_result_is_not_believed(home: Path) -> None:
    description = Path(str(publish(Cache(home)).outputs["output"].path)).with_name("result.json")
    description.write_text(description.read_text().replace('"value": 1.5', '"value": 1.7'))
    assert Cache(home).find(KEY) is None


def test_a_result_is_read_for_its_damage_once_and_again_when_it_was_touched(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(str(publish(Cache(home)).outputs["output"].path))
    cache = Cache(home)
    assert cache.whole(KEY)
    with monkeypatch.context() as unread:
        unread.setattr("knowflow.execution.cache._checksum", None)
        assert cache.whole(KEY)
    content = path.read_bytes()
    stamp = path.stat().st_mtime_ns
    path.write_bytes(content[::-1])
    os.utime(path, ns=(stamp, stamp))
    assert not cache.whole(KEY)


def test_a_file_of_the_cache_tells_of_which_result_it_is(home: Path) -> None:
    cache = Cache(home)
    assert cache.key_of(str(publish(cache).outputs["output"].path)) == KEY
    assert cache.key_of(str(home / "data" / "a.tif")) is None


def test_the_parts_of_a_result_have_keys_of_their_own(home: Path) -> None:
    cache = Cache(home)
    with cache.claim(KEY) as draft:
        items = tuple(Artifact("raster", path=str(draft / f"{name}.tif")) for name in "ab")
        for item in items:
            Path(str(item.path)).touch()
        made = cache.publish(KEY, draft, TOOL, {"output": Artifact("raster_series", items=items)}, (), 0.0)
    keys = [part.key for part in made.outputs["output"].items]
    assert keys == [f"{derived_key(KEY, 'output')}.{index}" for index in range(2)]
    assert {node_key(part) for part in made.outputs["output"].items} == {KEY}
