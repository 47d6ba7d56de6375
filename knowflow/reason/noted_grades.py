"""The classes of a quantity as the notes of a folder list them, with their limits: ``Severity (dNBR): unburned < 0.1,
low 0.1-0.27, high >= 0.27``.

They are taken where each begins at the limit where the one before ends, and together they leave nothing out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import inf

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible
from knowflow.ground.units import known as is_unit
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import usual_grades, words_of
from knowflow.question.operators import Quantity
from knowflow.question.reading.grades import Grades
from knowflow.question.reading.vocabulary import vocabulary

_NUMBER = r"[-+]?\d+(?:\.\d+)?"
_UNIT = r"(?:\s?(?:%|°|(?:degrees?|[^\W\d_]{1,3})(?=\s*[,;.)]|\s+(?:and|or)\b)))?"
_NAME = r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}?"


def _limit(n: int) -> str:
    """The pattern of a limit, with groups of this number."""
    return (
        rf"(?:(?P<side{n}><=?|>=?|≤|≥|below|under|less than|up to|above|over|more than|at least|from)\s*"
        rf"(?P<one{n}>{_NUMBER})(?P<u1{n}>{_UNIT})"
        rf"|(?P<low{n}>{_NUMBER}){_UNIT}\s*(?:-|–|to|\.\.)\s*(?P<high{n}>{_NUMBER})(?P<u2{n}>{_UNIT})"
        rf"|(?P<more{n}>{_NUMBER})(?P<u3{n}>{_UNIT})\s*(?:\+|(?:and|or) (?:more|above|higher|up)))"
    )


_PART = re.compile(
    rf"\s*(?:and\s+)?(?:(?P<before>{_NAME})\s*[:=(]?\s*{_limit(1)}\)?"
    rf"|{_limit(2)}\s*[:=(]?\s*(?P<behind>{_NAME})\)?)\s*(?P<end>[,;.]|$|\n|(?=and\b))",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?:^|(?<=[.\n;]))[ \t]*(?P<said>[^\W\d_][^.;:\n]*):", re.MULTILINE)
_DEFINED = re.compile(r"(?P<said>[^\W\d_]\w*)\s*=")
_FROM_BELOW = ("above", "over", "more than", "at least", "from", ">", ">=", "≥")
_CLASSES = frozenset({"class", "classes", "used", "category", "categories", "level", "levels", "limits", "by", "the"})
_FEWEST = 3


def noted_grades(texts: Iterable[str]) -> Iterator[Grades]:
    """The classes that notes list, of each quantity those that they list alone."""
    found: dict[str, set[Grades]] = {}
    for text in texts:
        for heading in _HEADING.finditer(text):
            grades = _read(heading["said"], text[: heading.start()], list(_parts(text, heading.end())))
            if grades is not None:
                found.setdefault(grades.kind, set()).add(grades)
    yield from (grades.pop() for grades in found.values() if len(grades) == 1)


def _parts(text: str, at: int) -> Iterator[tuple[str, float, float, str]]:
    """What is listed from a place on: each name with its ends and the unit of these."""
    while match := _PART.match(text, at):
        told = match.groupdict()
        n = 1 if told["before"] else 2
        unit = (told[f"u1{n}"] or told[f"u2{n}"] or told[f"u3{n}"] or "").strip()
        side, one = told[f"side{n}"], told[f"one{n}"]
        if told[f"more{n}"]:
            low, high = float(told[f"more{n}"]), inf
        elif one:
            low, high = (float(one), inf) if side.lower() in _FROM_BELOW else (-inf, float(one))
        else:
            low, high = float(told[f"low{n}"]), float(told[f"high{n}"])
        yield (told["before"] or told["behind"]).casefold(), low, high, unit
        at = match.end()
        if told["end"] not in (",", ";") and not text.startswith("and", at):
            return


def _read(said: str, before: str, parts: Sequence[tuple[str, float, float, str]]) -> Grades | None:
    """The classes of the quantity that the heading names, or that was defined last before it."""
    parts = sorted(parts, key=lambda part: part[1])
    closed = all(one[2] == other[1] for one, other in pairwise(parts))
    if len(parts) < _FEWEST or not closed or parts[0][1] != -inf or parts[-1][2] != inf:
        return None
    kind = _kind_of(said, before)
    if kind is None:
        return None
    of = quantity_kinds()[kind]
    units = {unit for *_, unit in parts} - {""}
    unit = {"°": "degree"}.get(next(iter(units), ""), next(iter(units), ""))
    if len(units) > 1 or (unit and not (is_unit(unit) and compatible(unit, of.unit))):
        return None
    limits = tuple(high for _, _, high, _ in parts[:-1])
    least, most = of.range
    if any((least is not None and one < least) or (most is not None and one > most) for one in limits):
        return None
    return Grades(kind, limits, tuple(name for name, *_ in parts), tuple(_nouns(said, kind)), unit or of.unit)


def _kind_of(said: str, before: str) -> str | None:
    named = [*_quantities(said)]
    if not named:
        named = [one.of for one in usual_grades() if {*one.nouns} & {*words_of(said)}]
    if not named:
        defined = (kind for one in _DEFINED.finditer(before) for kind in _quantities(one["said"]))
        named = [*defined][-1:]
    return named[0] if len(set(named)) == 1 else None


def _quantities(said: str) -> Iterator[str]:
    """The quantities that a text names."""
    words = re.findall(r"\w+", said)
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            for symbol, value in vocabulary().phrases.get(key_of(" ".join(words[start:end])), ()):
                if (
                    symbol == "QUANTITY"
                    and isinstance(value, Quantity)
                    and not quantity_kinds()[value.kind].categorical
                ):
                    yield value.kind


def _nouns(said: str, kind: str) -> Iterator[str]:
    """By what the classes are called behind their names: the word of the heading, or the usual one."""
    usual = [noun for one in usual_grades() if one.of == kind for noun in one.nouns]
    bare = [word for word in words_of(re.sub(r"\([^()]*\)", "", said)) if word not in _CLASSES and word.isalpha()]
    yield from dict.fromkeys((*usual, *((" ".join(bare),) if bare and not usual else ())))
