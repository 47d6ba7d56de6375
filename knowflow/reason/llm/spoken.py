"""What stands in a question: words, numbers and units that a language model may repeat, and none that it makes up."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, convert, normalise
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.words import tokens
from knowflow.model.goal import QueryGoal, Threshold
from knowflow.reason.language.limits import number

_DATE = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")
_NUMBER = re.compile(r"(?<![\w.])(?:minus\s+|[-\u2212+])?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?<=\d)", re.IGNORECASE)
_IN_WORDS: Mapping[str, tuple[float, ...]] = {
    word: (float(value),)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
    )
} | {"half": (0.5, 50.0), "quarter": (0.25, 25.0), "hundred": (100.0,)}
_LEAST_LETTERS = 2


def plain(text: str) -> str:
    """A text for comparison: without case, and with single spaces."""
    return " ".join(text.casefold().split())


def words_stand(words: str, question: str) -> bool:
    """Whether words are a part of the question as it was typed, and say something (articles alone do not)."""
    said = plain(words).strip(" .,;:?!\"'")
    if not said or re.search(rf"(?<!\w){re.escape(said)}(?!\w)", plain(question)) is None:
        return False
    known = lexicon()
    return any(len(t.text) >= _LEAST_LETTERS and t.stem not in known.function for t in tokens(said)) or any(
        t.kind == "number" for t in tokens(said)
    )


@lru_cache(maxsize=64)
def numbers_of(question: str) -> tuple[float, ...]:
    """The numbers that stand in a question, in digits or words; those of dates are none."""
    text = _DATE.sub(" ", question)
    found = []
    for match in _NUMBER.finditer(text):
        said = match.group().replace("\u2212", "-").lower().replace("minus", "-").replace(" ", "")
        found.append(number(said))
    for word in re.findall(r"[a-z]+", text.lower()):
        found += _IN_WORDS.get(word, ())
    return tuple(dict.fromkeys(found))


def years_stand(years: Iterable[str], question: str) -> bool:
    """Whether all these years stand in the question."""
    return all(re.search(rf"(?<!\d){re.escape(year)}(?!\d)", question) is not None for year in years)


def unit_stands(unit: str, question: str) -> bool:
    """Whether the question names a unit, in one of the spellings that are known."""
    try:
        wanted = normalise(unit)
    except KnowFlowError:
        return False
    question = f"{question}\n{lexicon().written_out(question)}"
    for entry in lexicon().units:
        if str(entry.value) == wanted:
            exact = any(_stands(phrase, question) for phrase in entry.exact)
            if exact or any(_stands(phrase.lower(), question.lower()) for phrase in entry.phrases):
                return True
    return _stands(unit, question)


def _stands(phrase: str, text: str) -> bool:
    # a number may stand right before its unit: 305K, 30%
    return re.search(rf"(?<![^\W\d_]){re.escape(phrase)}(?![\w/])", text) is not None


def readings(value: float, unit: str | None, goal: QueryGoal) -> tuple[float, ...]:
    """What a number with a unit is: itself, and in the units that the quantity of the question and shares have."""
    kind = quantity_kinds().get(str(goal.value("quantity")))
    wanted = ("1", "%", *((kind.unit,) if kind is not None else ()))
    others = [one for one in wanted if unit is not None and compatible(unit, one)]
    return (value, *(float(convert(value, str(unit), one)) for one in others))


def numbers_allowed(goal: QueryGoal) -> tuple[float, ...]:
    """The numbers of the question, and what its limits are in other units."""
    limits = [
        goal.value("threshold"),
        goal.value("share_threshold"),
        goal.value("moved"),
        *(one for _, one in goal.value("conditions") or ()),
    ]
    ends = [(end, one.unit) for one in limits if isinstance(one, Threshold) for end in (one.value, one.upper)]
    return (*numbers_of(goal.text), *(n for end, unit in ends if end is not None for n in readings(end, unit, goal)))


def is_among(value: float, numbers: Iterable[float]) -> bool:
    """Whether a number is one of these, but for rounding."""
    return any(math.isclose(value, one, rel_tol=1e-6, abs_tol=1e-9) for one in numbers)
