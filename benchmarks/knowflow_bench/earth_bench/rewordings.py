"""The same questions in other people's words: how much of the plans hangs on the wording."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowflow.ground.errors import DataNotFoundError, UnreadableDataError
from knowflow.ground.json_text import json_value
from knowflow_bench.earth_bench.questions import Prediction, Question
from knowflow_bench.earth_bench.scoring import grouped, line, score, summary

EXPECTED = '{"id": ..., "wordings": {"NAME": "the question in other words", ...}}'

Rewordings = Mapping[str, Mapping[int | str, str]]
"""Sets of wordings by name, each with the texts by the id of the question."""


def read_rewordings(path: Path) -> Rewordings:
    """The wordings of a file, one question a line: ``{"id", "wordings": {name: text}}``.

    Raises:
        DataNotFoundError: there is no such file.
        UnreadableDataError: a line is none of that, or words a question again (named with its line); or there is none.
    """
    if not path.is_file():
        raise DataNotFoundError("there is no such file of wordings", where=str(path), expected="a file", found="none")
    found: dict[str, dict[int | str, str]] = {}
    for number, text in enumerate(path.read_bytes().splitlines(), 1):
        if not text.strip():
            continue
        place = f"{path}:{number}"
        key, wordings = _line(text, place)
        for name, wording in wordings.items():
            if key in found.setdefault(name, {}):
                raise _refused(place, f"the question {key!r} of the set {name!r} a second time")
            found[name][key] = wording
    if not found:
        raise UnreadableDataError("the file holds no wording", where=str(path), expected=EXPECTED, found="none")
    return found


def _line(text: bytes, place: str) -> tuple[int | str, dict[str, str]]:
    try:
        read = json_value(text)
    except ValueError as error:
        raise _refused(place, f"no JSON in UTF-8: {error}") from error
    if not isinstance(read, dict) or not read.keys() >= {"id", "wordings"}:
        raise _refused(place, f"the keys {', '.join(read)}" if isinstance(read, dict) and read else text[:80].decode())
    key, wordings = read["id"], read["wordings"]
    if isinstance(key, bool) or not isinstance(key, int | str):
        raise _refused(place, f"the id {key!r}")
    if not isinstance(wordings, dict) or not all(isinstance(one, str) and one.strip() for one in wordings.values()):
        raise _refused(place, f"the wordings {wordings!r:.80}")
    return key, wordings


def _refused(place: str, found: str) -> UnreadableDataError:
    return UnreadableDataError("this is not a question in other words", where=place, expected=EXPECTED, found=found)


def in_other_words(
    questions: Sequence[Question],
    wordings: Rewordings,
    plan: Callable[[Question], Prediction],
    known_tools: Callable[[str], bool],
) -> dict[str, Any]:
    """For each set of wordings the metrics of the questions that it words anew, by modality, and a line per question.

    The files and the expert's calls are those of the question: a wording that is understood is planned as well.
    """
    return {name: _one_set(questions, texts, plan, known_tools) for name, texts in wordings.items()}


def _one_set(
    questions: Sequence[Question],
    texts: Mapping[int | str, str],
    plan: Callable[[Question], Prediction],
    known_tools: Callable[[str], bool],
) -> dict[str, Any]:
    asked = [replace(question, text=texts[question.id]) for question in questions if question.id in texts]
    if not asked:
        return {"n": 0}
    answered = [(question, plan(question)) for question in asked]
    scored = [(question, found, score(question, found, known_tools)) for question, found in answered]
    return {
        **summary(scored),
        "by_modality": grouped(scored, lambda question: question.modality),
        "questions": [line(*one) for one in scored],
    }
