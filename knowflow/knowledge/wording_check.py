"""What a template is found by, and what shows that it is right: words that no question says, and a lack of tests.

None of it keeps a template from being used: the problems are warnings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.yamldoc import Document, Key
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.template import Template

# settings of a goal whose values a template may be about, beside quantities and classes
_SUBJECTS = frozenset({"feature", "class", "quantity", "group_by"})
_BY_CLASS_IN_ZONE = "class_in_zone"  # what "of each class in each zone" is grouped by


def wording_problems(template: Template, document: Document) -> Iterator[Problem]:
    """Words of ``answers`` and ``about`` that the reading of a question never gives, and the lack of a test."""
    operations = {str(name) for name in lexicon().operations}
    for index, word in enumerate(template.answers):
        if word not in operations:
            yield _unknown(document, ("answers", index), "an operation of the lexicon", word, operations)
    subjects = _subjects() if template.about else frozenset()
    for index, word in enumerate(template.about):
        if word not in subjects:
            yield _unknown(document, ("about", index), "a quantity, feature or class of the lexicon", word, subjects)
    if not template.tests and template.method_of is None:
        hint = "`knowflow templates test` runs them: a scene, parameters, what is expected"
        yield document.problem((), "no_tests", "at least one test", "none", hint, "warning")


def _unknown(document: Document, path: Key, expected: str, word: str, words: Collection[str]) -> Problem:
    return document.problem(path, "unknown_word", expected, repr(word), did_you_mean(word, sorted(words)), "warning")


def _subjects() -> frozenset[str]:
    """Everything that a question can be read to be about."""
    found = {_BY_CLASS_IN_ZONE, *quantity_kinds()}
    words = lexicon()
    for meaning in (one for meanings in (*words.phrases.values(), *words.exact.values()) for one in meanings):
        if (meaning.entry.slot or meaning.category) in _SUBJECTS:
            found.add(str(meaning.entry.value))
        if meaning.entry.class_ is not None:
            found.add(meaning.entry.class_)
    return frozenset(found)
