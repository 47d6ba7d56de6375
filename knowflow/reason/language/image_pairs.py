"""Two things of one question about photographs: two kinds that are compared, or two things that are described."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowflow.reason.language import image_number_words as numbers
from knowflow.reason.language import image_words as words
from knowflow.reason.language.image_things import Mention, mentions, thing_named


@dataclass(frozen=True, slots=True)
class Kinds:
    """Two kinds of thing that are measured, each with the words for it; the first is told by the second.

    ``by_area``: both are told by their areas, whatever else is said; ``each_area``: the first is counted for each unit
    of the area of the second; ``each``: for each of the second; ``share``: the first is part of the second.
    """

    first: tuple[str, str]
    second: tuple[str, str]
    by_area: bool = False
    each_area: bool = False
    each: bool = False
    share: bool = False


def kinds_compared(text: str, objects: Mapping[str, Sequence[str]]) -> Kinds | None:
    """The two kinds of thing that a question compares or lists; None where it asks about one.

    A kind that only tells where the things asked about are, or of what sort, is none of the two.
    """
    text = _spelled_out(text, objects)
    chosen = thing_named(text, objects)
    if chosen is None:
        return None
    for one, other in pairwise(mentions(text, objects)):
        if one.name != other.name and (found := _compared(text, one, other, chosen[0])) is not None:
            return found
    return None


def kinds_listed(text: str, objects: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Three or more kinds of thing that a question lists, from the one it asks about; none where it lists fewer."""
    text = _spelled_out(text, objects)
    chosen = thing_named(text, objects)
    if chosen is None:
        return ()
    found: list[Mention] = []
    for mention in mentions(text, objects):
        between = text[found[-1].end : mention.start] if found else ""
        goes_on = numbers.LISTED.fullmatch(between) or numbers.JOINED.fullmatch(between)
        if (found and goes_on) or (not found and mention.name == chosen[0]):
            found.append(mention)
        elif found:
            break
    names = tuple(dict.fromkeys(mention.name for mention in found))
    return names if len(names) > 2 else ()


def _compared(text: str, one: Mention, other: Mention, chosen: str) -> Kinds | None:
    """What two neighbouring mentions have to do with one another, by the words before and between them."""
    before, between = text[: one.start], text[one.end : other.start]
    if numbers.AS_A_PLACE.match(text[other.end :]):
        return None
    first, second = (one.name, one.said), (other.name, other.said)
    if numbers.SHARE_OF.search(before):
        if numbers.AMONG.fullmatch(between):
            return Kinds(first, second, share=True)
        if part := numbers.CONSISTS_OF.fullmatch(between):
            return Kinds(second, first, by_area=part["area"] is not None, share=True)
    comparison = numbers.COMPARISON.search(before + between)
    if chosen in (one.name, other.name) and (
        numbers.THAN.fullmatch(between) or (comparison and numbers.TOLD_BY.fullmatch(between))
    ):
        return Kinds(first, second)
    if one.name != chosen:
        return None
    if per := numbers.PER_OTHER.fullmatch(between):
        return Kinds(first, second, each_area=per["area"] is not None, each=True)
    return Kinds(first, second) if numbers.JOINED.fullmatch(between) else None


def _spelled_out(text: str, objects: Mapping[str, Sequence[str]]) -> str:
    """The question with a noun that two kinds share said twice: small vehicles and large vehicles."""

    def twice(match: re.Match[str]) -> str:
        known = mentions(f"{match['one']} {match['noun']}", objects)
        whole = known and known[0].start == 0 and known[0].end > len(match["one"])
        noun = f" {match['noun']}" if whole else ""
        return f"{match['one']}{noun} {match['joined']} {match['other']} {match['noun']}"

    return numbers.SHARED_NOUN.sub(twice, text)


def two_described(text: str, objects: Mapping[str, Sequence[str]], apart: bool) -> tuple[str, str] | None:
    """Two single things in the words of the question: the ends of a distance, else two that are told by size or side.

    A noun that is said once serves both: "the largest tank and the smallest one".
    """
    quoted = [match["text"].strip() for match in words.QUOTED.finditer(text)]
    if len(quoted) > 1:
        return _capital(quoted[0]), _capital(quoted[1])
    for pattern in numbers.ENDS:
        for match in pattern.finditer(text):
            one, other = _with_article(match["one"]), _with_article(match["other"])
            told = all(numbers.TOLD_APART.search(end) for end in (one, other))
            if told or (apart and all(_single(end, objects) for end in (one, other))):
                both = _completed(one, other, objects)
                if both is not None:
                    return _capital(both[0]), _capital(both[1])
    return None


def _completed(one: str, other: str, objects: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """Both descriptions with a noun; None where neither has one that is known."""
    named = [mentions(end.replace("-", " "), objects) for end in (one, other)]
    nouns = [found[0].said if found else "" for found in named]
    if not any(nouns):
        return None
    ends = [
        end if noun else f"{re.sub(r' ones?$', '', end)} {nouns[1 - place]}"
        for place, (end, noun) in enumerate(zip((one, other), nouns, strict=True))
    ]
    return ends[0], ends[1]


def _single(end: str, objects: Mapping[str, Sequence[str]]) -> bool:
    """Whether a thing is one: its name is at the end, and not in the plural."""
    found = mentions(end.replace("-", " "), objects)
    return len(found) == 1 and found[0].end == len(end) and not found[0].plural


def _with_article(text: str) -> str:
    return text if text.casefold().startswith("the ") else f"the {text}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
