"""Authored YAML: plain data, the line of every key, and every mistake as a problem."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from knowflow.ground.yamldoc import dotted, load, parse

TEXT = """\
# a comment
tool: mean
parameters:
  x:
    type: list
  y: {type: number}
effects:
  - one
  - name: two
    value: 2
"""


def codes(text: str) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in parse(text).problems]


def test_every_key_path_has_its_line() -> None:
    document = parse(TEXT)
    assert document.problems == ()
    assert document.line(("tool",)) == 2
    assert document.line(("parameters", "x")) == 4
    assert document.line(("parameters", "x", "type")) == 5
    assert document.line(("parameters", "y", "type")) == 6
    assert document.line(("effects", 0)) == 8
    assert document.line(("effects", 1, "value")) == 10


def test_line_falls_back_to_the_nearest_parent() -> None:
    document = parse(TEXT)
    assert document.line(("parameters", "x", "unit", "deep")) == 4
    assert document.line(("effects", 7)) == 7
    assert document.line(("nowhere",)) == 2
    assert parse("").line(("a",)) == 1


def test_problem_names_file_line_and_key_path() -> None:
    problem = parse(TEXT, "mean.yaml").problem(("parameters", "x", "type"), "wrong_type", "a type", "'list'")
    assert str(problem) == "mean.yaml:5: parameters.x.type: [wrong_type] expected a type, found 'list'"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("2022-07-01", "2022-07-01"),
        ("12:30:45", "12:30:45"),
        ("010", 10),
        ("1e-10", 1e-10),
        ("1.", 1.0),
        ("-.5", -0.5),
        (".inf", float("inf")),
        ("true", True),
        ("~", None),
        ("'1'", "1"),
        ('"true"', "true"),
        ("!!str 12", "12"),
        ("|\n  1\n", "1\n"),
        ("=", "="),
        ("B8A", "B8A"),
        ("EPSG:32633", "EPSG:32633"),
    ],
)
def test_scalars_mean_what_yaml_1_2_says(text: str, value: object) -> None:
    document = parse(f"key: {text}")
    assert document.problems == ()
    assert document.data == {"key": value}
    assert type(document.data["key"]) is type(value)  # type: ignore[index]


def test_integer_keys_stay_integers_and_words_that_yaml_1_1_read_as_truth_stay_words() -> None:
    assert parse("{1: cloud, -1: none, on: x}").data == {1: "cloud", -1: "none", "on": "x"}


def test_all_duplicate_keys_are_reported_and_the_first_value_kept() -> None:
    document = parse("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")
    assert [(p.code, p.line, p.where) for p in document.problems] == [
        ("duplicate_key", 4, "b.c"),
        ("duplicate_key", 5, "a"),
    ]
    assert "first in line 1" in document.problems[1].found
    assert document.data == {"a": 1, "b": {"c": 1}}


@pytest.mark.parametrize("text", ["a:\n\tb: 1\n", "a:\n  b: 1\n\tc: 2\n", "\ta: 1\n"])
def test_a_tab_in_the_indentation_is_called_so(text: str) -> None:
    (problem,) = parse(text).problems
    assert problem.code == "yaml_tab"
    assert problem.line == 1 + text[: text.index("\t")].count("\n")
    assert "spaces" in problem.hint


def test_a_tab_inside_text_is_fine() -> None:
    assert parse("a: 'x\ty'").data == {"a": "x\ty"}


@pytest.mark.parametrize(
    ("text", "line", "hint"),
    [
        ("a: b: c\n", 1, "quotes"),
        ("a: 1\nb: [1, 2\nc: 3\n", 3, "bracket"),
        ("a: 1\nb: @x\n", 2, "quotes"),
        ("a:\n  - 1\n - 2\n", 3, "indentation"),
        ("a: *nowhere\n", 1, "quotes"),
    ],
)
def test_broken_syntax_is_one_problem_with_line_and_hint(text: str, line: int, hint: str) -> None:
    document = parse(text, "x.yaml")
    (problem,) = document.problems
    assert document.data is None
    assert (problem.code, problem.file, problem.line) == ("yaml_syntax", "x.yaml", line)
    assert hint in problem.hint


def test_aliases_tags_and_odd_keys_are_refused() -> None:
    assert codes("a: &x [1]\nb: *x\n") == [("yaml_alias", 2 - 1)]
    assert codes("a: !!python/object:os.system x\n") == [("yaml_tag", 1)]
    assert codes("true: 1\n? [a]\n: 2\n1.5: 3\n") == [("yaml_key", 1), ("yaml_key", 2), ("yaml_key", 4)]


def test_a_value_that_contains_itself_ends_as_a_problem() -> None:
    assert [code for code, _ in codes("a: &x\n  b: *x\n")] == ["yaml_alias"]


@pytest.mark.parametrize("text", ["[" * 200 + "]" * 200, "{a: " * 50_000, "[" * 100_000, "- " * 50_000 + "x"])
def test_absurd_nesting_is_a_problem_not_a_crash(text: str) -> None:
    assert [code for code, _ in codes(text)] == ["yaml_depth"]


def test_a_second_document_is_refused() -> None:
    assert [code for code, _ in codes("a: 1\n---\nb: 2\n")] == ["yaml_documents"]


def test_an_empty_text_is_no_data_and_no_problem() -> None:
    document = parse("# nothing\n")
    assert (document.data, document.problems) == (None, ())


def test_files_that_cannot_be_read_are_problems(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"a: caf\xe9\n")
    assert [p.code for p in load(tmp_path / "latin.yaml").problems] == ["yaml_encoding"]
    assert [p.code for p in load(tmp_path / "missing.yaml").problems] == ["unreadable_file"]


def test_a_pipe_in_place_of_a_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "endless.yaml").symlink_to("/dev/zero")
    for name, found in (("pipe", "a named pipe"), ("endless", "a device")):
        (problem,) = load(tmp_path / f"{name}.yaml").problems
        assert (problem.code, problem.found) == ("unreadable_file", found)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "bom.yaml").write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert load(tmp_path / "bom.yaml").data == {"a": 1}


def test_key_paths_read_like_people_write_them() -> None:
    assert dotted(("steps", "share", "with")) == "steps.share.with"
    assert dotted((0, "bands", 2, "name")) == "[0].bands[2].name"
    assert dotted(()) == ""


NAMES = st.text(alphabet="abcxyz_", min_size=1, max_size=6).filter(lambda name: name not in {"y", "n"})
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]) | st.just("\n"), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | TEXTS | st.floats(allow_nan=False)
TREES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner), max_leaves=12)


@given(TREES)
def test_what_pyyaml_writes_is_read_back_with_a_line_for_every_path(tree: object) -> None:
    text = yaml.dump(tree, Dumper=_NoAliases, default_style=None, allow_unicode=True)
    document = parse(text)
    assert document.problems == ()
    assert document.data == tree
    count = text.count("\n") + 1
    assert all(1 <= line <= count for line in document.lines.values())
    assert set(paths(tree)) == set(document.lines)


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def paths(tree: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = [path]
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        found += paths(value, (*path, key))
    return found


def test_a_number_that_nothing_can_hold_is_a_problem_in_its_line() -> None:
    for digits in (400, 6000):
        assert codes(f"tool: mean\nlimit: {'9' * digits}\n") == [("yaml_number", 2)]
    assert codes(f"a:\n  {'9' * 400}: b\n") == [("yaml_key", 2)]
    assert parse(f"limit: {'9' * 300}\n").data == {"limit": int("9" * 300)}
    assert parse(f"name: '{'9' * 6000}'\n").data == {"name": "9" * 6000}
