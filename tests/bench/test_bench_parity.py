"""Parity with published calls: the measure itself on calls made here, and the shared half of the benchmark."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.roof.cli import main
from knowflow.roof.library import KnowFlow
from knowflow_bench.parity import REASONS, agrees, close, parity, read_calls


def calls(folder: Path, *lines: Any) -> Path:
    path = folder / "calls.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


BOX = {"tool": "calculate_bbox_area", "arguments": {"bboxes": [[10, 10, 30, 20]], "gsd": 1}, "output": 600}
EXACT = {"tool": "multiply", "arguments": {"a": 2, "b": 3}, "output": 6}
WRONG = {"tool": "multiply", "arguments": {"a": 2, "b": 3}, "output": 7}


@pytest.mark.parametrize(
    ("published", "found", "same"),
    [
        (9.33, 9.3258, True),
        (9.33, 9.3358, False),
        (9.325866607605104, 9.325866607605, True),
        (1e-9, 2e-9, False),
        (1_000_000, 1_000_000.5, True),
        (1_000_000, 1_000_002.0, False),
        (-0.28, -0.2785, True),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
    ],
)
def test_numbers_agree_to_a_millionth_or_to_the_digits_published(published: float, found: float, same: bool) -> None:
    assert close(published, found) is same


@pytest.mark.parametrize(
    ("published", "found", "same"),
    [
        (0.5, [0.5, 3.0], True),
        ({"slope": 0.5, "trend": "increasing"}, [0.5, 3.0], True),
        ([0.5], [0.5, 3.0], False),
        (["a", 1], ["a", 1.0], True),
        (["a", 1], ["b", 1.0], False),
        ({"min": [0, 1, 2.5]}, {"min": [0, 1, 2.5], "max": [0, 2, 9.0]}, True),
        ("no trend", "no trend", True),
        ("no trend", 1, False),
        ({"trend": "up"}, [1.0], False),
        (None, 0.0, False),
    ],
)
def test_records_may_tell_less_than_the_tool_but_nothing_else(published: Any, found: Any, same: bool) -> None:
    assert agrees(published, found) is same


def test_disagreement_failure_and_reasons_are_counted(tmp_path: Path) -> None:
    nothing = {"tool": "no_such_tool", "arguments": {}, "output": 1}
    fails = {"tool": "division", "arguments": {"a": 0, "b": 1}, "output": 1}
    found = parity(calls(tmp_path, BOX, EXACT, WRONG, nothing, fails), KnowFlow().tools())
    assert (found["n"], found["agree"]) == (5, 2)
    assert found["by_tool"]["multiply"] == {"n": 2, "agree": 1, "differ_without_compat": 1}
    assert found["differ_without_compat"][REASONS["calculate_bbox_area"]] == 1
    assert {case["tool"] for case in found["disagreements"]} == {"multiply", "no_such_tool", "division"}


def test_a_file_that_holds_no_calls_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(DataNotFoundError):
        list(read_calls(tmp_path / "none.jsonl"))
    with pytest.raises(UnreadableDataError, match=r"calls\.jsonl:2"):
        list(read_calls(calls(tmp_path, EXACT, '{"tool": "multiply"}')))
    with pytest.raises(UnreadableDataError, match=r"calls\.jsonl:1"):
        list(read_calls(calls(tmp_path, "[" * 100_000)))
    with pytest.raises(UnreadableDataError, match="holds no call"):
        list(read_calls(calls(tmp_path, "")))


@pytest.mark.parametrize(("published", "same"), [(1.57e-11, 1), (0.0, 1), (1.57e-8, 0)])
def test_what_rounding_leaves_of_zero_is_zero(tmp_path: Path, published: float, same: int) -> None:
    """Processors round differently: beside numbers of thousands a billionth of a hundredth is none."""
    line = {"tool": "difference", "arguments": {"a": 2019.25, "b": 2019.25}, "output": published}
    found = parity(calls(tmp_path, line), KnowFlow().tools())
    assert (found["agree"], found["by_tool"]["difference"]["differ_without_compat"]) == (same, 1 - same)


def test_the_command_prints_what_was_measured(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = calls(tmp_path, BOX, EXACT)
    with pytest.raises(SystemExit) as end:
        main(["bench", "parity", "--calls", str(path), "--json"])
    assert not end.value.code
    found = json.loads(capfd.readouterr().out)
    assert {"n", "agree", "by_tool", "differ_without_compat"} <= set(found)
    assert (found["n"], found["agree"]) == (2, 2)
    with pytest.raises(SystemExit):
        main(["bench", "parity", "--calls", str(path)])
    assert "2 of 2 calls agree" in capfd.readouterr().out


def test_published_calls_are_reproduced(earthbench: Path) -> None:
    found = parity(earthbench / "parity_dev.jsonl", KnowFlow().tools())
    assert found["n"] > 1000
    assert found["agree"] >= 0.99 * found["n"]
    assert all(reason in REASONS.values() for reason in found["differ_without_compat"])
    page = (Path(__file__).resolve().parents[2] / "docs" / "earth_agent.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(\w+)` \| (\d+ \| \d+ \| \d+) \|$", page, flags=re.MULTILINE))
    figures = ("n", "agree", "differ_without_compat")
    assert told == {
        tool: " | ".join(str(counts[figure]) for figure in figures) for tool, counts in found["by_tool"].items()
    }
