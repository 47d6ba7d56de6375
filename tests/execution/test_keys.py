"""Keys change exactly when something changes that a result depends on."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from execution_examples import NUMBER, schema
from hypothesis import given
from hypothesis import strategies as st

from knowflow.execution.keys import FileDigests, Keyring, canonical, derived_key
from knowflow.ground.errors import DataNotFoundError
from knowflow.model.artifact import Artifact, scalar, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.tool import ToolSchema

TOOL = schema("number", {"value": NUMBER, "output": {"type": "path", "role": "output"}})
LONG_AGO_NS = 1_600_000_000_000_000_000

literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture
def digests(tmp_path: Path) -> FileDigests:
    return FileDigests(tmp_path / "state" / "digests.sqlite")


@pytest.fixture
def keyring(digests: FileDigests) -> Keyring:
    return Keyring(digests, lambda tool: "implementation 1")


def file(path: Path, content: str, mtime_ns: int = LONG_AGO_NS) -> Path:
    path.write_text(content)
    os.utime(path, ns=(mtime_ns, mtime_ns))
    return path


def raster(path: Path, **facts: Any) -> Artifact:
    return Artifact("raster", Facts.of(Origin.MEASURED, **facts), path=str(path))


def test_a_damaged_memory_of_digests_is_begun_anew(tmp_path: Path) -> None:
    path = file(tmp_path / "a.tif", "pixels")
    memory = tmp_path / "digests.sqlite"
    known = FileDigests(memory).digest(str(path))
    memory.write_text("no database at all, but long enough to be taken for one " * 40)
    assert FileDigests(memory).digest(str(path)) == known


@given(literals)
def test_equal_values_have_one_canonical_text(value: Any) -> None:
    assert canonical(value) == canonical(_respelled(value))


def _respelled(value: Any) -> Any:
    """The same value, written otherwise: tuples for lists, mappings in another order, whole numbers as floats."""
    if isinstance(value, list):
        return tuple(_respelled(item) for item in value)
    if isinstance(value, dict):
        return {name: _respelled(value[name]) for name in reversed(value)}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return float(value)
    return value


@given(literals, literals)
def test_different_values_have_different_texts(first: Any, second: Any) -> None:
    if canonical(first) == canonical(second):
        assert _comparable(first) == _comparable(second)


def _comparable(value: Any) -> Any:
    """Python takes True for 1; a tool does not."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, dict):
        return {name: _comparable(item) for name, item in value.items()}
    return value


def test_paths_of_outputs_and_absent_options_do_not_count(keyring: Keyring) -> None:
    key = keyring.key(TOOL, {"value": 1})
    assert keyring.key(TOOL, {"value": 1.0, "output": "/somewhere.tif"}) == key
    assert keyring.key(TOOL, {"value": 1, "unknown": None}) == key
    assert keyring.key(TOOL, {"value": 2}) != key


@pytest.mark.parametrize(
    "change",
    [
        {"tool": "other"},
        {"version": 2},
        {"run": "python:execution_toolbox:total"},
        {"preconditions": ("length(value) > 0",)},
        {"effects": {"ensures": ("in_range(output)",)}},
    ],
)
def test_a_change_of_what_the_tool_does_changes_the_key(digests: FileDigests, change: dict[str, Any]) -> None:
    changed = ToolSchema.model_validate({**TOOL.model_dump(by_alias=True), **change})
    before = Keyring(digests, lambda tool: "same").key(TOOL, {"value": 1})
    assert Keyring(digests, lambda tool: "same").key(changed, {"value": 1}) != before


@pytest.mark.parametrize("change", [{"title": "x"}, {"description": "x"}, {"cost": 9.0}, {"source": "x"}])
def test_a_change_of_how_the_tool_is_described_does_not(digests: FileDigests, change: dict[str, Any]) -> None:
    changed = ToolSchema.model_validate({**TOOL.model_dump(by_alias=True), **change})
    before = Keyring(digests, lambda tool: "same").key(TOOL, {"value": 1})
    assert Keyring(digests, lambda tool: "same").key(changed, {"value": 1}) == before


def test_a_change_of_the_implementation_changes_the_key(digests: FileDigests) -> None:
    keys = {Keyring(digests, lambda tool, n=n: f"{n}").key(TOOL, {"value": 1}) for n in range(2)}
    assert len(keys) == 2


def test_files_count_by_content_not_by_name_or_time(keyring: Keyring, tmp_path: Path) -> None:
    first = file(tmp_path / "a.bin", "pixels")
    key = keyring.key(TOOL, {"value": raster(first)})
    assert keyring.key(TOOL, {"value": raster(file(tmp_path / "b.bin", "pixels", LONG_AGO_NS + 5))}) == key
    assert keyring.key(TOOL, {"value": raster(file(tmp_path / "a.bin", "others", LONG_AGO_NS + 9))}) != key
    assert keyring.key(TOOL, {"value": replace(raster(file(first, "pixels")), band=2)}) != key


@pytest.mark.parametrize("kind", ["path", "strings"])
def test_a_file_given_by_its_name_alone_counts_by_content_too(keyring: Keyring, tmp_path: Path, kind: str) -> None:
    tool = schema("number", {"files": {"type": kind}})
    path = file(tmp_path / "a.gpkg", "one")
    value = str(path) if kind == "path" else [str(path), "no file"]
    before = keyring.key(tool, {"files": value})
    assert keyring.key(tool, {"files": value}) == before
    file(path, "two", LONG_AGO_NS + 1)
    assert keyring.key(tool, {"files": value}) != before


def test_what_somebody_says_of_a_file_counts_what_is_measured_of_it_does_not(keyring: Keyring, tmp_path: Path) -> None:
    plain = raster(file(tmp_path / "a.bin", "pixels"))
    key = keyring.key(TOOL, {"value": plain})
    measured = plain.with_facts(plain.facts.put("valid_fraction", 0.5, Origin.MEASURED))
    assert keyring.key(TOOL, {"value": measured}) == key
    for origin in (Origin.USER, Origin.ASSUMED, Origin.DECLARED):
        said = plain.with_facts(plain.facts.put("scale", 0.0001, origin))
        assert keyring.key(TOOL, {"value": said}) != key


def test_a_companion_file_counts(digests: FileDigests, tmp_path: Path) -> None:
    file(tmp_path / "a.tif", "pixels")
    alone = digests.digest(str(tmp_path / "a.tif"))
    file(tmp_path / "a.tif.aux.xml", "<scale/>")
    assert digests.digest(str(tmp_path / "a.tif")) != alone


def test_a_folder_counts_with_all_that_is_in_it(digests: FileDigests, tmp_path: Path) -> None:
    scene = tmp_path / "scene.SAFE"
    (scene / "inner").mkdir(parents=True)
    file(scene / "inner" / "band", "pixels")
    before = digests.digest(str(scene))
    file(scene / "inner" / "other", "pixels")
    assert digests.digest(str(scene)) != before


@pytest.mark.parametrize(
    "address", ["/vsizip/{path}/inner/band.tif", 'HDF4_EOS:EOS_GRID:"{path}":grid:layer', "/vsizip{path}/x"]
)
def test_what_only_gdal_reads_counts_by_the_file_around_it(digests: FileDigests, tmp_path: Path, address: str) -> None:
    archive = file(tmp_path / "scene.zip", "archive")
    assert digests.digest(address.format(path=archive)) == digests.digest(str(archive))


def test_a_file_that_is_not_there_is_named(digests: FileDigests, tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError, match=r"gone\.tif"):
        digests.digest(str(tmp_path / "gone.tif"))


def test_a_digest_is_remembered_until_the_file_is_written_again(
    digests: FileDigests, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file(tmp_path / "a.bin", "pixels")
    written = path.stat().st_ctime_ns
    monkeypatch.setattr("time.time_ns", lambda: written + 10_000_000_000)
    digest = digests.digest(str(path))
    with monkeypatch.context() as unread:
        unread.setattr("hashlib.file_digest", None)
        assert FileDigests(tmp_path / "state" / "digests.sqlite").digest(str(path)) == digest
    file(path, "pixels", LONG_AGO_NS + 1)
    assert digests.digest(str(path)) == digest, "another time alone is no other content"
    written = path.stat().st_ctime_ns
    while path.stat().st_ctime_ns == written:  # until the clock of the file system goes on
        file(path, "PIXELS", LONG_AGO_NS + 1)  # as large and as old as before, as `cp -p` leaves it
    assert digests.digest(str(path)) != digest


def test_a_file_that_was_just_written_is_read_again(digests: FileDigests, tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_text("pixels")
    stamp = path.stat().st_mtime_ns
    digest = digests.digest(str(path))
    file(path, "PIXELS", stamp)
    assert digests.digest(str(path)) != digest


def test_results_of_other_nodes_count_by_their_keys(keyring: Keyring, tmp_path: Path) -> None:
    made = Artifact("raster", path=str(tmp_path / "not even there"), key=derived_key("k1", "output"))
    key = keyring.key(TOOL, {"value": made})
    assert keyring.key(TOOL, {"value": replace(made, path="elsewhere", name="x")}) == key
    assert keyring.key(TOOL, {"value": replace(made, key=derived_key("k2", "output"))}) != key
    assert keyring.key(TOOL, {"value": replace(made, key=derived_key("k1", "mask"))}) != key


@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.lists(st.integers(0, 3), min_size=1, max_size=4))
def test_a_series_counts_by_its_items_in_order(tmp_path_factory: Any, first: list[int], second: list[int]) -> None:
    keyring = Keyring(FileDigests(tmp_path_factory.getbasetemp() / "digests.sqlite"), lambda tool: "same")

    def key(numbers: list[int]) -> str:
        return keyring.key(TOOL, {"value": series(tuple(scalar(number) for number in numbers))})

    assert (key(first) == key(second)) == (first == second)
