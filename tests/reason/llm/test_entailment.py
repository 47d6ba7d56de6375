"""Edges that the symbols leave open: asked about once, kept by content, and decided by nobody but the data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from examples import OUTPUT, RASTER, catalogue, raster, tool

from knowflow.graph.check import check_workflow
from knowflow.model.workflow import FromInput, FromNode, Node, Workflow
from knowflow.reason.llm import Answer, LanguageModelError, Message, json_in
from knowflow.reason.llm.entailment import Entailments, explained, undecided

TOOLS = catalogue(
    tool("despeckle", {"raster": RASTER, "output": OUTPUT}),
    tool("contrast", {"raster": RASTER, "output": OUTPUT}, preconditions=["unit(raster) == '1'"]),
    tool("few", {"raster": RASTER, "output": OUTPUT}, preconditions=["valid_fraction(raster) >= 0.1"]),
)
FLOW = Workflow(
    (
        Node("clean", "despeckle", {"raster": FromInput("a")}),
        Node("show", "contrast", {"raster": FromNode("clean")}),
        Node("count", "few", {"raster": FromNode("clean")}),
    )
)
CHECK = check_workflow(FLOW, {"a": raster()}, TOOLS)


class Judge:
    name = "judge"

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked = 0

    def complete(self, messages: Sequence[Message], schema: Any = None, tools: Any = None) -> Answer:
        self.asked += 1
        if not self.texts:
            raise LanguageModelError("nobody there")
        text = self.texts.pop(0)
        return Answer(text, json_in(text), tokens=10)


def test_only_what_running_will_not_tell_is_asked_about() -> None:
    assert [question.condition for question in undecided(CHECK, FLOW, TOOLS)] == ["unit(raster) == '1'"]
    assert not CHECK.decided


def test_a_yes_becomes_a_reason_of_the_edge_and_changes_nothing_else(tmp_path: Path) -> None:
    judge = Judge('{"entails": "yes", "because": "the filter keeps the unit"}')
    check, notes = explained(CHECK, FLOW, TOOLS, Entailments(judge, tmp_path / "e.jsonl"))
    edge = next(one for one in check.edges if one.edge.target == "show")
    assert ("language model: the filter keeps the unit", "unit(raster) == '1'") in edge.reasons
    assert (check.problems, check.missing, check.nodes) == (CHECK.problems, CHECK.missing, CHECK.nodes)
    assert notes == ()


def test_a_no_is_said_and_refuses_nothing(tmp_path: Path) -> None:
    judge = Judge('{"entails": "no", "because": "it makes decibels"}')
    check, notes = explained(CHECK, FLOW, TOOLS, Entailments(judge, tmp_path / "e.jsonl"))
    assert check == CHECK
    assert "it makes decibels" in notes[0]


def test_an_answer_is_kept_by_content_and_not_asked_for_again(tmp_path: Path) -> None:
    cache = tmp_path / "e.jsonl"
    explained(CHECK, FLOW, TOOLS, Entailments(Judge('{"entails": "yes", "because": "so"}'), cache))
    cache.write_text(cache.read_text() + "damaged\n")
    silent = Judge()
    check, notes = explained(CHECK, FLOW, TOOLS, Entailments(silent, cache))
    assert silent.asked == 0
    assert notes == ()
    assert any("language model" in reason for edge in check.edges for reason, _ in edge.reasons)
    other = {**TOOLS, "despeckle": tool("despeckle", {"raster": RASTER, "output": OUTPUT}, title="Another filter")}
    explained(CHECK, FLOW, other, Entailments(silent, cache))
    assert silent.asked == 1, "another tool is another question"


def test_a_model_that_cannot_be_asked_leaves_the_check_as_it_is(tmp_path: Path) -> None:
    check, notes = explained(CHECK, FLOW, TOOLS, Entailments(Judge(), tmp_path / "e.jsonl"))
    assert check == CHECK
    assert "nobody there" in notes[0]


def test_garbage_is_asked_for_again_and_then_left(tmp_path: Path) -> None:
    judge = Judge("perhaps", '{"entails": "maybe", "because": ""}', "unused")
    check, notes = explained(CHECK, FLOW, TOOLS, Entailments(judge, tmp_path / "e.jsonl"))
    assert judge.asked == 2
    assert check == CHECK
    assert notes
