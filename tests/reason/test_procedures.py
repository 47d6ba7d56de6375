"""What a check says of templates that are asked for by nouns."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowflow.ground.yamldoc import load
from knowflow.model.template import Template
from knowflow.reason.compiling.procedures import procedure_problems
from knowflow.reason.procedures import procedures

TEXT = "template: mine\ntitle: Mine\nlayer: 3\nasked: [my answer]\noutputs: {answer: $x}\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (TEXT, None),
        (TEXT.replace("template: mine", "template: slope"), "name_taken"),
        (TEXT + "parameters: {before: {type: string}}\n", "one_time_alone"),
        (TEXT + "parameters: {a: {type: quantity}, b: {type: quantity}}\n", "several_quantities"),
        (TEXT + "of: ndvi\n", "unknown_quantity"),
        (TEXT + "of: ndvj\nparameters: {a: {type: quantity}}\n", "unknown_quantity"),
        (TEXT.replace("[my answer]", '["17"]'), "no_word"),
        (TEXT.replace("asked: [my answer]", "answers: [mean]"), "old_key"),
    ],
)
def test_what_keeps_a_template_from_being_asked_for_is_found(tmp_path: Path, text: str, code: str | None) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    document = load(tmp_path / "mine.yaml")
    found = procedure_problems(Template.model_validate(document.data), ("slope",), document)
    assert [problem.code for problem in found] == ([] if code is None else [code])


def test_a_template_of_before_is_asked_for_by_its_keywords_and_its_name() -> None:
    old = {"template": "snow_line", "title": "Snow line", "layer": 3, "outputs": {"answer": "$x"}}
    asked = procedures([Template.model_validate({**old, "answers": ["minimum"], "keywords": ["lowest of the snow"]})])
    assert [noun for noun, _ in asked] == ["lowest of snow", "snow line"]
