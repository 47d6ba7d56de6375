"""How runs end: what is not a number is no answer."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from execution_examples import node, plan

from knowflow.execution.conclusion import concluded
from knowflow.execution.local_runner import LocalRunner
from knowflow.execution.scheduler import execute
from knowflow.ground.json_text import json_text
from knowflow.model.artifact import Artifact
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, SeriesOf, Value
from knowflow.service.deliver import deliver
from knowflow.service.outcomes import result_of

Catalogue = Mapping[str, ToolSchema]


def _strictly(text: str) -> Any:
    def refused(name: str) -> NoReturn:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refused)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_answer_that_is_no_number_fails_by_name(catalogue: Catalogue, home: Path, value: float) -> None:
    trace = execute(plan(node("share", "number", value=value)), catalogue, LocalRunner(), home)
    assert trace.status == "failed"
    assert trace.error is not None
    assert (trace.error["code"], trace.error["where"]) == ("no_number", "share")
    assert result_of(trace).answer is None
    assert all(one["value"] is None for one in result_of(trace).values.values())


def test_a_list_of_which_some_numbers_are_not_known_has_null_for_them_and_says_so(
    catalogue: Catalogue, home: Path, tmp_path: Path
) -> None:
    made = (node("a", "number", value=1.5), node("b", "number", value=math.nan), node("c", "number", value=2.5))
    outputs: dict[str, Value] = {
        "answer": SeriesOf((FromNode("a"), FromNode("b"), FromNode("c"))),
        "beside": FromNode("b"),
    }
    trace = execute(plan(*made, outputs=outputs), catalogue, LocalRunner(), home)
    assert trace.status == "completed"
    deliver(trace, tmp_path / "out")
    written = _strictly((tmp_path / "out" / "answer.json").read_text(encoding="utf-8"))
    assert written["values"]["answer"]["value"] == [1.5, None, 2.5]
    assert written["values"]["beside"]["value"] is None
    assert [note.split(" are")[0] for note in trace.notes] == ["1 of 3 numbers of answer", "1 of 1 numbers of beside"]
    assert _strictly(json_text(result_of(trace).to_json()))["answer"] == [1.5, None, 2.5]


@pytest.mark.parametrize("seed", range(5))
def test_whichever_node_ended_first_a_run_tells_the_same(catalogue: Catalogue, home: Path, seed: int) -> None:
    made = tuple(node(f"n{value}", "telling", value=value) for value in range(1, 8))
    trace = execute(plan(*made), catalogue, LocalRunner(), home)
    assert trace.notes[0] == "1 is half of 2"
    names = list(trace.records)
    random.Random(seed).shuffle(names)
    mixed = replace(trace, notes=(), records={name: trace.records[name] for name in names})

    def output_of(name: str, output: str) -> Artifact:
        return trace.records[name].outputs[output or "value"]

    assert concluded(mixed, output_of).notes == trace.notes


def test_a_list_without_one_number_is_no_answer(catalogue: Catalogue, home: Path) -> None:
    made = (node("a", "number", value=math.nan), node("b", "number", value=math.nan))
    outputs: dict[str, Value] = {"answer": SeriesOf((FromNode("a"), FromNode("b")))}
    trace = execute(plan(*made, outputs=outputs), catalogue, LocalRunner(), home)
    assert trace.status == "failed"
    assert trace.error is not None
    assert trace.error["code"] == "no_number"


def test_strict_json_has_null_for_what_is_no_number() -> None:
    assert _strictly(json_text({"a": [1.0, math.nan], "b": (math.inf,), 3: {"c": -math.inf}})) == {
        "a": [1.0, None],
        "b": [None],
        "3": {"c": None},
    }
