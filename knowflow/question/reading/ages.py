"""People of an age or a sex, of which maps count each group: ``children under five``, ``women aged 60 and over``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knowflow.ground.ages import Group, group_of, groups_of
from knowflow.question.operators import Quantity
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.entities import number_of
from knowflow.question.reading.vocabulary import AGES, DataWords

_KIND, _WHOLE = "population_by_age", "population_count"
_SEXES = {
    **dict.fromkeys(("women", "girls", "females", "female"), "f"),
    **dict.fromkeys(("men", "boys", "males", "male"), "m"),
    **dict.fromkeys(("people", "persons", "population", "inhabitants", "residents", "children", "kids", "adults"), "t"),
}
_GROWN_ONLY = frozenset({"children", "kids", "girls", "boys", "adults"})
"""Who is of an age that is not told."""
_BEHIND = frozenset({"people", "persons", "population", "inhabitants", "residents", "children"})
_AGED = (
    ("between", "the", "ages", "of"),
    *(
        ("between", "ages", "of"),
        ("of", "age"),
        ("aged",),
        ("age",),
        ("ages",),
        ("between",),
        ("who", "are"),
        ("are",),
        ("is",),
        (),
    ),
)
_UNDER = (("younger", "than"), ("less", "than"), ("under",), ("below",))
_OVER = (("older", "than"), ("more", "than"), ("over",), ("above",))
_AND_MORE = (
    *((join, word) for join in ("and", "or") for word in ("over", "older", "above", "more", "up")),
    ("plus",),
    ("+",),
)
_JOINING = ("-", "–", "to", "and")
_YEARS = (("years", "of", "age"), ("years", "old"), ("year", "olds"), ("years",), ("y",), ())
Ages = tuple[int, int | None]


def of_ages(words: Sequence[str], data: DataWords) -> Iterator[Entity]:
    """Those who are spoken of by sex and age, where the groups at hand make them up exactly; all people, where no map
    counts these."""
    held = [group for one in data.chosen if _KIND in one.kinds and (group := group_of(one.value)) is not None]
    if not held:
        return
    for start, word in enumerate(words):
        sex = _SEXES.get(word)
        end = start + 1
        if sex in ("f", "m") and words[end : end + 1] and words[end] in _BEHIND:
            end += 1  # the female population
        if sex is None:
            continue
        for ages, behind in _ages_told(words, end):
            yield from _together(groups_of(sex, *ages, held), start, behind)
        alone = word not in _GROWN_ONLY and (sex != "t" or _WHOLE not in data.quantities)
        if alone:
            yield from _together(groups_of(sex, 0, None, held), start, end)


def _together(groups: Sequence[Group], start: int, end: int) -> Iterator[Entity]:
    if groups:
        x = Quantity(_KIND, having=((AGES, "; ".join(map(str, groups))),))
        yield from (Entity(symbol, start, end, x, -1) for symbol in ("QUANTITY", "STOCK"))


def _ages_told(words: Sequence[str], at: int) -> Iterator[tuple[Ages, int]]:
    """The ages that are told behind a word, in years, with where their words end: the last that still counts."""
    for aged in _AGED:
        if tuple(words[at : at + len(aged)]) == aged:
            for ages, end in _limits(words, at + len(aged)):
                yield ages, _behind(words, end, _YEARS)
            return


def _limits(words: Sequence[str], at: int) -> Iterator[tuple[Ages, int]]:
    below, above = _behind(words, at, (*_UNDER, ())), _behind(words, at, (*_OVER, ()))
    if below > at and (age := _age(words, below)) is not None and age > 0:
        yield (0, age - 1), below + 1
    elif above > at and (age := _age(words, above)) is not None:
        yield from (((age + more, None), above + 1) for more in (0, 1))
    elif (age := _age(words, at)) is not None:
        end = _behind(words, at + 1, _YEARS)
        more = _behind(words, end, (*_AND_MORE, ()))
        last = _age(words, at + 2) if words[at + 1 : at + 2] and words[at + 1] in _JOINING else None
        if more > end:
            yield (age, None), more
        elif last is not None and last > age:
            yield (age, last), at + 3


def _behind(words: Sequence[str], at: int, phrases: Sequence[tuple[str, ...]]) -> int:
    """Where the first of some phrases ends that stands there."""
    return next((at + len(one) for one in phrases if tuple(words[at : at + len(one)]) == one), at)


def _age(words: Sequence[str], at: int) -> int | None:
    age = number_of(words[at]) if at < len(words) else None
    return int(age) if age is not None and age.is_integer() and 0 <= age < 120 else None
