"""The years of a name, and the parts of a year that it names apart from the year."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import pairwise

from knowflow.ground.regex import regex
from knowflow.reason.inventory.concepts import may_say_what
from knowflow.reason.inventory.spans import Span, joined, year_span
from knowflow.reason.inventory.tokens import Token

_SHORTEST_AUTHOR = 3  # letters of whoever made a method
_AGAINST = frozenset({"vs", "versus", "to", "zu", "a", "ref", "wrt", "minus", "against", "baseline", "climatology"})
_LEAST_USUAL = 9  # years from the first to the last of those that make a mean which is usual
_SHORT = regex(r"0\d|1[1-9]|2[0-46]|8[5-9]|9[1-9]")  # 10, 25, 30 and more are sizes of pixels
_OF_YEARS = frozenset({"land_cover_class", "population_count", "built_up_mask", "built_up_surface", "night_lights"})
_AHEAD = regex(r"20[4-9]\d|2100")


def months_of(own: tuple[Token, ...]) -> tuple[str, ...]:
    """The months of a name; of a month with a number at it nobody knows which day of which year it is."""
    found: dict[str, None] = {}
    for place, token in enumerate(own):
        if token.kind == "months":
            beside = [*own[max(place - 1, 0) : place], *own[place + 1 : place + 2]]
            glued = any(
                one.kind == "number" and token.start in (one.end, one.start - len(token.text)) for one in beside
            )
            found["?" if glued else token.value] = None
    if len(found) == 2 and not any("?" in one for one in found):  # from one month to another
        first, last = found
        return (f"{first[:2]}-{last[3:]}",) if first[:2] < last[3:] else ("?",)
    return tuple(found) if len(found) < 2 else ("?",)


def _ahead(listed: list[Token], place: int) -> bool:
    """Whether a number is a year that is far ahead: only beside another year, as in 2041-2060; else it may be any."""
    token = listed[place]
    before, behind = (listed[at] if 0 <= at < len(listed) else None for at in (place - 1, place + 1))
    if not (token.kind == "number" and _AHEAD.fullmatch(token.value)):
        return False
    if before is not None and before.value < token.value:
        return before.kind == "year" or _AHEAD.fullmatch(before.value) is not None
    return behind is not None and behind.value > token.value and _AHEAD.fullmatch(behind.value) is not None


def years_of(tokens: Iterable[Token]) -> tuple[Span, ...]:
    """Years, and spans of years where two stand together; none of a date that is impossible (2015-02-30).

    Of several those that stand apart: the year at a word (``RUSLE2015``) is part of its name then.
    """
    found: list[Span] = []
    apart: list[Span] = []
    last: Token | None = None
    listed = _without_usual(list(tokens))
    for place, token in enumerate(listed):
        behind = [(one.kind, len(one.text)) for one in listed[place + 1 : place + 3]]
        ahead = _ahead(listed, place)
        if (token.kind == "year" and behind != [("number", 2)] * 2) or ahead:
            span = year_span(token.value)
            beside = last is not None and (last.kind == "year" or (ahead and last is listed[place - 1]))
            whole = joined(found[-1], span) if beside and found else None
            if whole is not None:
                found[-1] = whole
            else:
                found.append(span)
            if not (place and listed[place - 1].end == token.start and listed[place - 1].kind != "year"):
                apart.append(found[-1])
        last = token if token.kind != "link" else last
    found += _short_year(listed) if not found else []
    once = tuple(dict.fromkeys(found))
    alone = tuple(one for one in once if one in apart)
    return alone if len(alone) == 1 else once


def _short_year(listed: list[Token]) -> list[Span]:
    """The year of two digits at the name of a product that has a map a year (``nlcd21``), in a name without a date."""
    if any(one.kind in ("date", "months") for one in listed):
        return []
    short = {
        behind.text
        for one, behind in pairwise(listed)
        if one.kind == "product"
        and behind.kind == "number"
        and one.end == behind.start
        and _OF_YEARS & {*(one.entry or ())}
    }
    if len(short) != 1 or not _SHORT.fullmatch(text := short.pop()):
        return []
    return [year_span(f"{'19' if text > '80' else '20'}{text}")]


def _without_usual(listed: list[Token]) -> list[Token]:
    """Tokens without the years of what something is held against: those behind the word in 2019_vs_1981-2010."""
    for place, token in enumerate(listed):
        if token.key in _AGAINST and any(one.kind in ("year", "date") for one in listed[:place]):
            years = [int(one.value) for one in listed[place:] if one.kind == "year"]
            if len(years) == 2 and years[1] - years[0] >= _LEAST_USUAL:
                return [one for number, one in enumerate(listed) if number < place or one.kind != "year"]
    return listed


def is_cited(tokens: Iterable[Token], dated: Collection[str]) -> bool:
    """Whether every year of a name is written together with a word that nobody knows, as whoever made a method and the
    year of that are; not of words that stand before several years, or say where it is (``dated``)."""
    listed = list(tokens)
    years = [place for place, token in enumerate(listed) if token.kind == "year"]
    return bool(years) and all(place and _is_author(listed[place - 1], listed[place], dated) for place in years)


def _is_author(word: Token, year: Token, dated: Collection[str]) -> bool:
    name = word.kind == "word" and word.entry is None and word.text.isalpha() and len(word.text) >= _SHORTEST_AUTHOR
    return name and word.end == year.start and word.key not in dated and may_say_what(word.text)
