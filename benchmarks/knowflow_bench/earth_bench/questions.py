"""The questions of the benchmark, and what is predicted for them, as files of one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow.ground.system import refusal
from knowflow.ground.text_lines import text_lines
from knowflow_bench.parity import Call

Regime = Literal["ap", "if"]
REGIMES: Mapping[Regime, str] = {"ap": "query_auto_planning", "if": "query_instruction_following"}
"""Auto-planning: the question alone; instruction-following: the same question with the steps named."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a regime: its text, the folder and names of its files, and the calls of the expert."""

    id: int | str
    modality: str
    text: str
    folder: str
    files: tuple[str, ...]
    expert: tuple[Call, ...]

    @property
    def expert_tools(self) -> tuple[str, ...]:
        return tuple(call.tool for call in self.expert)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a planner made of a question: its calls and templates, or why there are none, and how long it took.

    ``cause`` is the code of the error that stands for a plan; ``tokens`` are those of a language model.
    """

    calls: tuple[Call, ...] = ()
    templates: tuple[str, ...] = ()
    seconds: float = 0.0
    cause: str = ""
    message: str = ""
    tokens: int = 0

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(call.tool for call in self.calls)


def read_questions(path: Path, regime: Regime) -> list[Question]:
    """The questions of a file, in its order.

    Raises:
        DataNotFoundError: there is no such file.
        UnreadableDataError: a line is not a question (named with its line), or there is none.
    """
    lines = text_lines(path, "questions")
    questions = [_question(line, regime, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise UnreadableDataError(
            "the file holds no question", where=str(path), expected="one question a line", found="none"
        )
    return questions


def _question(line: str, regime: Regime, where: str) -> Question:
    try:
        data = json_value(line)
        calls = tuple(Call(str(c["name"]), dict(c["input"]), c.get("output")) for c in data["tool_calls"])
        if not calls:
            raise ValueError("no tool_calls")
        return Question(
            data["id"] if isinstance(data["id"], int) else str(data["id"]),
            str(data["modality"]),
            str(data[REGIMES[regime]]),
            str(data["data_dir"]),
            tuple(map(str, data["files"])),
            calls,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableDataError(
            "this is not a question of the benchmark",
            where=where,
            expected=f'{{"id", "modality", "{REGIMES[regime]}", "data_dir", "files", "tool_calls": [...]}}',
            found=f"{type(error).__name__}: {error}",
        ) from error


def write_predictions(path: Path, predictions: Iterable[tuple[Question, Prediction]]) -> None:
    """Write ``{"id", "tool_calls": [{"name", "input"}]}`` a line; ids as the questions have them.

    Raises:
        OutputError: the file cannot be written.
    """
    lines = (json.dumps(_line(question, prediction)) for question, prediction in predictions)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise refusal(error) from error


def _line(question: Question, prediction: Prediction) -> dict[str, Any]:
    calls: Sequence[Call] = prediction.calls
    return {
        "id": question.id,
        "tool_calls": [{"name": call.tool, "input": dict(call.arguments)} for call in calls],
    }
