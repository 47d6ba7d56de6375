"""Templates as a question may ask for them: by which nouns, and what it may say of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.model.template import Template
from knowflow.question.reading.vocabulary import Asked


def procedures(templates: Iterable[Template]) -> Iterator[tuple[str, Asked]]:
    """The nouns that ask for what templates answer: theirs and their name; what a question may say of each.

    A template of before, which says what it ``answers`` in place of nouns, is asked for by its keywords.
    """
    for template in templates:
        nouns = template.asked or (template.keywords if template.answers and template.method_of is None else ())
        if nouns:
            own = {name: one for name, one in template.parameters.items() if one.type in ("number", "integer")}
            numbers = tuple((name, one.unit) for name, one in own.items())
            choices = tuple((name, str(text)) for name, one in template.parameters.items() for text in one.choices)
            takes: Literal["quantity", "nothing"] = "quantity" if quantity_of(template) else "nothing"
            asked = Asked(template.template, template.of, numbers, None, choices, takes)
            for noun in dict.fromkeys((*nouns, template.template.replace("_", " "))):
                yield " ".join(words_of(noun, reading_words().nothing)), asked


def quantity_of(template: Template) -> str | None:
    """The parameter of a template that is the quantity it is told of."""
    return next((name for name, one in template.parameters.items() if one.type == "quantity"), None)
