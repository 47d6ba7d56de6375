"""`knowflow rules`, and the page about repairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from knowflow.model.causes import CAUSES
from knowflow.roof.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "repair.md"


def answer(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(list(words))
    out, err = capfd.readouterr()
    assert "Traceback" not in err
    return int(end.value.code or 0), out, err


def test_rules_are_listed_as_sentences_or_json(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = answer(capfd, "rules", "list", "--json")
    listed: list[dict[str, Any]] = json.loads(out)["rules"]
    assert (code, len(listed) >= 60) == (0, True)
    assert {"rule", "sentence", "causes", "tries", "successes"} <= listed[0].keys()
    code, out, _ = answer(capfd, "rules", "list", "--cause", "low_contrast")
    assert "THEN insert_tool('despeckle'" in out
    assert "declare_nodata" not in out


def test_an_unknown_cause_or_rule_is_bad_usage(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = answer(capfd, "rules", "list", "--cause", "low_contrst")
    assert code == 2
    assert "did you mean low_contrast?" in err
    code, _, err = answer(capfd, "rules", "show", "speckle_before_treshold", "--json")
    assert code == 2
    assert "speckle_before_threshold" in json.loads(err)["error"]["hint"]


def test_a_rule_is_shown_with_its_reason(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = answer(capfd, "rules", "show", "speckle_before_threshold")
    assert code == 0
    for word in ("IF tool('threshold' or 'otsu_threshold')", "because", "given up", "source"):
        assert word in out
    _, out, _ = answer(capfd, "rules", "show", "speckle_before_threshold", "--json")
    assert json.loads(out)["if"]["cause"] == ["low_contrast"]


def test_the_tests_of_a_rule_run(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = answer(capfd, "rules", "test", "speckle_before_threshold", "--json")
    assert code == 0
    assert [test["passed"] for test in json.loads(out)["tests"]] == [True, True]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "rules:\n  - rule: mine\n    title: Mine\n    if: {cause: [too_cluody]}\n    then: [retry: {times: 1}]\n"
            "    because: why not\n    tests: [{tool: mean, expect: [retry]}]\n",
            4,
        ),
        ("rules:\n  - rule: mine\n    titel: Mine\n", 3),
    ],
)
def test_a_rule_with_errors_fails_its_test_by_what_the_check_finds(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, line: int
) -> None:
    path = tmp_path / "pkb" / "rules" / "mine.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    monkeypatch.setenv("KNOWFLOW_CONFIG", str(tmp_path))
    code, _, err = answer(capfd, "rules", "test", "mine", "--json")
    problems = json.loads(err)["error"]["problems"]
    assert code == 1
    assert (str(path), line) in [(one["file"], one["line"]) for one in problems]
    code, out, _ = answer(capfd, "rules", "test", "--json")
    failed = [one for one in json.loads(out)["tests"] if not one["passed"]]
    assert (code, [one["rule"] for one in failed]) == (1, ["mine"])
    assert failed[0]["problems"] == problems


def test_explaining_a_run_that_does_not_exist_is_a_named_error(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = answer(capfd, "rules", "explain", "nonsense", "--json")
    assert (code, json.loads(err)["error"]["code"]) == (2, "unknown_name")


@pytest.mark.parametrize("cause", CAUSES.values(), ids=lambda cause: cause.id)
def test_every_cause_is_documented_with_what_to_do(cause: Any) -> None:
    (row,) = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{cause.id}` |")]
    assert cause.title in row
    assert cause.advice in row
