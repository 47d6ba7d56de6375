"""Repair rules as authored: they hold, their tests pass, and what is wrong with one is told with file and line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.resources import packaged_root
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.knowledge.rules import RuleBook, load_rules
from knowflow.knowledge.success_record import SuccessRecord
from knowflow.model.artifact import scalar
from knowflow.model.causes import CAUSES
from knowflow.model.diagnosis import Diagnosis
from knowflow.model.plan import Plan
from knowflow.model.rule import Rule
from knowflow.model.tool import ToolSchema
from knowflow.model.trace import NodeRecord, Repaired, Trace
from knowflow.model.workflow import Node, Workflow
from knowflow.reason.repair.scenarios import run_rule_tests
from knowflow.service.knowledge_cache import with_generated

GOOD = """\
rules:
  - rule: mine
    title: Mine
    if: {cause: [too_cloudy], tool: [raster_mean]}
    then: [retry: {times: 1}]
    because: why not
    tests:
      - tool: raster_mean
        arguments: {raster: {quantity: ndvi}}
        expect: [retry]
"""


@pytest.fixture(scope="module")
def tools() -> Mapping[str, ToolSchema]:
    return with_generated(load_catalogue()).tools


@pytest.fixture(scope="module")
def book(tools: Mapping[str, ToolSchema]) -> RuleBook:
    return load_rules(tools)


def test_there_are_at_least_60_rules_and_nothing_is_wrong_with_them(book: RuleBook) -> None:
    assert book.problems == ()
    assert len(book.rules) >= 60


def test_every_rule_answers_the_failures_of_its_tests(book: RuleBook, tools: Mapping[str, ToolSchema]) -> None:
    results = run_rule_tests(book.rules.values(), tools)
    assert {one.rule for one in results} == set(book.rules)
    assert [(one.rule, one.test, one.problems) for one in results if not one.passed] == []


def test_every_rule_is_a_sentence_with_a_reason_and_a_source(book: RuleBook) -> None:
    for rule in book.rules.values():
        assert rule.sentence().startswith("IF ")
        assert " THEN " in rule.sentence()
        assert rule.because
        assert rule.source.startswith("https://")


def test_a_rule_that_restates_or_leaves_out_says_so(book: RuleBook, tools: Mapping[str, ToolSchema]) -> None:
    """What a repair takes for granted or gives up must be told with the answer."""
    for rule in book.rules.values():
        inserted = [action.insert_tool.tool for action in rule.then if action.insert_tool is not None]
        if any(tools[name].lossy for name in inserted) or any(action.drop_items for action in rule.then):
            assert rule.lossy, rule.rule


def test_a_sentence_names_tool_data_cause_and_action() -> None:
    rule = Rule.model_validate(
        {
            "rule": "speckle",
            "title": "",
            "if": {"tool": ["threshold"], "cause": ["low_contrast"], "where": ["quantity(raster) == 'sigma0'"]},
            "then": [{"insert_tool": {"tool": "despeckle"}}],
            "because": "",
        }
    )
    assert rule.sentence() == (
        "IF tool('threshold') fails on data(quantity(raster) == 'sigma0') with error('low_contrast') "
        "THEN insert_tool('despeckle')"
    )


def problems_of(text: str, tools: Mapping[str, ToolSchema], folder: Path) -> list[tuple[str, int]]:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    found = load_rules(tools, [path]).problems
    return [(problem.code, problem.line) for problem in found if problem.file == str(path)]


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        (("too_cloudy", "too_clowdy"), "unknown_cause", 4),
        (("tool: [raster_mean]", "tool: [raster_meen]"), "unknown_tool", 4),
        (("[retry: {times: 1}]", "[insert_tool: {tool: nonsense}]"), "unknown_tool", 5),
        (("[retry: {times: 1}]", "[insert_tool: {tool: align_to, with: {lik: 1}}]"), "unknown_argument", 5),
        (("[retry: {times: 1}]", "[set_parameter: {parameter: a, value: $found.x}]"), "finding_not_asked_for", 5),
        (("[retry: {times: 1}]", "[set_parameter: {parameter: a, value: $x}]"), "bad_reference", 5),
        (("tool: [raster_mean]", "error: '('"), "bad_pattern", 4),
        (("tool: [raster_mean]", "where: ['nonsense(it)']"), "unknown_predicate", 4),
        (("[retry: {times: 1}]", "[{}]"), "value_error", 5),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tools: Mapping[str, ToolSchema], tmp_path: Path, change: tuple[str, str], code: str, line: int
) -> None:
    assert problems_of(GOOD, tools, tmp_path) == []
    found = problems_of(GOOD.replace(*change, 1), tools, tmp_path)
    assert line in [where for _, where in found], found
    assert code in [name for name, _ in found] or code in ("unknown_predicate", "value_error"), found


def test_a_rule_without_a_test_is_a_problem(tools: Mapping[str, ToolSchema], tmp_path: Path) -> None:
    assert ("no_test", 2) in problems_of(GOOD[: GOOD.index("    tests:")], tools, tmp_path)


def test_a_users_rule_hides_a_packaged_one_and_a_broken_one_is_left_out(
    tools: Mapping[str, ToolSchema], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pkb" / "rules"
    folder.mkdir(parents=True)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    (folder / "a.yaml").write_text(GOOD.replace("mine", "retry_server"), encoding="utf-8")
    (folder / "b.yaml").write_text(GOOD.replace("too_cloudy", "nonsense"), encoding="utf-8")
    book = load_rules(tools)
    assert book.rule("retry_server").title == "Mine"
    assert "mine" not in book.rules
    assert {problem.code for problem in book.problems} == {"shadowed", "unknown_cause"}
    with pytest.raises(DocumentError, match="'mine' has errors"):
        book.rule("mine")
    with pytest.raises(UnknownNameError):
        book.rule("mine_too")


def test_the_rules_name_causes_that_diagnoses_can_name(book: RuleBook) -> None:
    assert {cause for rule in book.rules.values() for cause in rule.if_.cause} <= set(CAUSES)
    assert len(CAUSES) >= 30


def test_rule_files_are_yaml_that_others_can_read() -> None:
    for path in packaged_root("pkb").glob("rules/*.yaml"):
        assert set(yaml.safe_load(path.read_text(encoding="utf-8"))) == {"rules"}


# --- the record -----------------------------------------------------------------------------------------------------


def repaired_run(*, helped: bool, run: str = "run") -> Trace:
    workflow = Workflow((Node("n", "raster_mean"),))
    failed = NodeRecord("n", "failed")
    repair = Repaired(1, failed, Diagnosis("transient", "n", "n"), "rule:mine", "", "", (), before=workflow)
    ended = NodeRecord("n", "done", outputs={"value": scalar(1.0)}) if helped else failed
    return Trace(run, Plan("", "", workflow), records={"n": ended}, repairs=(repair,))


def test_tries_and_successes_are_kept(tmp_path: Path) -> None:
    record = SuccessRecord(tmp_path / "home")
    assert record("mine", "raster_mean", "transient") == (0, 0)
    for number, helped in enumerate((True, False, True)):
        record.learn(repaired_run(helped=helped, run=f"run {number}"))
    assert SuccessRecord(tmp_path / "home")("mine", "raster_mean", "transient") == (3, 2)
    assert record.all() == {"mine": (3, 2)}


def test_a_run_that_is_resumed_counts_once_as_it_ended(tmp_path: Path) -> None:
    record = SuccessRecord(tmp_path)
    record.learn(repaired_run(helped=False))
    record.learn(repaired_run(helped=True))
    assert record.all() == {"mine": (1, 1)}


def test_what_fails_again_was_not_helped(tmp_path: Path) -> None:
    trace = repaired_run(helped=True)
    again = replace(trace.repairs[0], number=2, by="rule:other")
    record = SuccessRecord(tmp_path)
    record.learn(replace(trace, repairs=(*trace.repairs, again)))
    assert record.all() == {"mine": (1, 0), "other": (1, 1)}


def test_a_record_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "rules.sqlite").write_text("this is no database, but it is long enough to be taken for one" * 20)
    record = SuccessRecord(tmp_path)
    assert record.all() == {}
    record.learn(repaired_run(helped=True))
