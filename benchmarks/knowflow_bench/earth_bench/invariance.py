"""What must not matter to a plan: the region's name, ids and folders, the years, and how many scenes there are.

Each question is asked again with one of these changed, in its text and in its files; the plan must keep its shape.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from knowflow.knowledge.words import MONTHS
from knowflow_bench.earth_bench.planners import Planner
from knowflow_bench.earth_bench.questions import Prediction, Question

YEARS = -4
"""Dates move by four years, so that a 29th of February stays one."""
PLACES = ("Orrenmark", "Velden", "Tarrasund", "Kessel")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)([-_]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTHS = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
_FEWEST = 4
Shape = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """A question asked differently; ``counts`` tells that the number of scenes is another one."""

    name: str
    question: Question
    counts: bool = False


def invariance_of(answered: Sequence[tuple[Question, Prediction]], plan: Planner) -> dict[str, Any]:
    """The share of plans that keep their shape, over all variants and by kind of change; and those that do not.

    Only questions that have a plan count. ``{"n", "kept", "by_change": {...}, "changed": [{"id", "change", ...}]}``.
    """
    tried: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    changed: list[dict[str, Any]] = []
    for question, prediction in answered:
        if not prediction.calls:
            continue
        for variant in variants(question):
            found = plan(variant.question)
            tried[variant.name] += 1
            if shape(found, variant.counts) == shape(prediction, variant.counts):
                kept[variant.name] += 1
            else:
                after = list(dict.fromkeys(found.tools)) or f"{found.cause}: {found.message}"
                before = list(dict.fromkeys(prediction.tools))
                changed.append({"id": question.id, "change": variant.name, "before": before, "after": after})
    total = sum(tried.values())
    return {
        "n": total,
        "kept": round(sum(kept.values()) / total, 4) if total else None,
        "by_change": {name: {"n": number, "kept": round(kept[name] / number, 4)} for name, number in tried.items()},
        "changed": changed,
    }


def shape(prediction: Prediction, counts: bool = False) -> Shape:
    """Tools in order with the names and sizes of their arguments; where the number of scenes may differ, the tools in
    the order of their first call with the names of their arguments."""
    if counts:
        return tuple(dict.fromkeys((call.tool, tuple(sorted(call.arguments))) for call in prediction.calls))
    return tuple(
        (call.tool, tuple(sorted((name, _size(value)) for name, value in call.arguments.items())))
        for call in prediction.calls
    )


def _size(value: Any) -> int:
    return len(value) if isinstance(value, (list, tuple)) else -1


def variants(question: Question) -> Iterable[Variant]:
    """The question with one thing changed at a time; changes that leave it as it is are left out."""
    changes: Mapping[str, Callable[[Question], Question]] = {
        "region": renamed,
        "folder": moved,
        "years": shifted,
        "fewer scenes": fewer,
        "more scenes": more,
    }
    for name, change in changes.items():
        found = change(question)
        if found != question:
            yield Variant(name, found, counts=name.endswith("scenes"))


def renamed(question: Question) -> Question:
    """The places that file names begin with and the text names, called otherwise in both."""
    places = sorted({place for name in question.files for place in _places(name, question.text)}, key=len, reverse=True)
    text, files = question.text, question.files
    for place, other in zip(places, PLACES, strict=False):
        spelled = re.compile(r"[ _]".join(map(re.escape, re.split(r"[ _]", place))), re.IGNORECASE)
        text = spelled.sub(other, text)
        files = tuple(spelled.sub(other, name, count=1) for name in files)
    return replace(question, text=text, files=files)


def _places(name: str, text: str) -> Iterable[str]:
    """The words that a file name begins with and that the text writes as a name."""
    words = []
    for word in re.split(r"_", name.rsplit(".", 1)[0]):
        if not re.fullmatch(r"[A-Za-z][a-z]+(?: [A-Za-z][a-z]+)*", word):
            break
        if not all(re.search(rf"\b{part.capitalize()}\b", text) for part in word.split()):
            break
        words.append(word)
    if words:
        yield "_".join(words)


def moved(question: Question) -> Question:
    """Another id, another folder."""
    return replace(question, id=90417, folder="archive/site_417/incoming")


def shifted(question: Question) -> Question:
    """All years of the files, and these years in the text, some years earlier."""
    years = {year for name in question.files for year in _years(name)}
    if not years:
        return question

    def earlier(match: re.Match[str]) -> str:
        year = int(match.group())
        return str(year + YEARS) if min(years) <= year <= max(years) else match.group()

    files = tuple(_year_of(name).sub(_earlier_file, name) for name in question.files)
    return replace(question, text=_YEAR.sub(earlier, question.text), files=files)


def _year_of(name: str) -> re.Pattern[str]:
    """What is a year in a file name: that of its date where it has one; 1925 behind it is a time."""
    return _DATE if _DATE.search(name) else _YEAR


def _years(name: str) -> Iterable[int]:
    return (int(match.group()[:4]) for match in _year_of(name).finditer(name))


def _earlier_file(match: re.Match[str]) -> str:
    return f"{int(match.group()[:4]) + YEARS}{match.group()[4:]}"


def fewer(question: Question) -> Question:
    """Without some of the scenes, where the text asks for none of them in particular."""
    dropped = {dates[2] for dates in _abundant(question)}
    return replace(question, files=tuple(name for name in question.files if _date(name) not in dropped))


def more(question: Question) -> Question:
    """With further scenes, a day after some that are there."""
    there = {_date(name) for name in question.files}
    added = []
    for dates in _abundant(question):
        day = dates[2] + dt.timedelta(days=1)
        if day not in there and day.month == dates[2].month:
            added += [_redated(name, day) for name in question.files if _date(name) == dates[2]]
    return replace(question, files=tuple(sorted((*question.files, *added)))) if added else question


def _abundant(question: Question) -> Iterable[list[dt.date]]:
    """The dates of each month that has several, or of each year where the text speaks of no month."""
    by_month: dict[tuple[int, int], set[dt.date]] = {}
    for name in question.files:
        date = _date(name)
        if date is not None:
            month = 0 if not _MONTHS.search(question.text) else date.month
            by_month.setdefault((date.year, month), set()).add(date)
    return [sorted(dates) for dates in by_month.values() if len(dates) >= _FEWEST]


def _date(name: str) -> dt.date | None:
    match = _DATE.search(name)
    try:
        return None if match is None else dt.date(int(match[1]), int(match[3]), int(match[4]))
    except ValueError:
        return None


def _redated(name: str, day: dt.date) -> str:
    return _DATE.sub(lambda match: f"{day.year:04d}{match[2]}{day.month:02d}{match[2]}{day.day:02d}", name, count=1)
