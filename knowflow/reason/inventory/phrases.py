"""A name as its tokens, and which of them are mere words in the phrases that it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from knowflow.ground.regex import regex
from knowflow.reason.inventory.concepts import concepts_in, things
from knowflow.reason.inventory.made_of import OTHER
from knowflow.reason.inventory.month_words import MONTH_WORDS
from knowflow.reason.inventory.tokens import Token

EDGES = " _-.,;:()[]+"
"""What stands between words."""
_SPELL = "duration"
_DAY_OF_YEAR = "doy"
_LESS = frozenset({"minus", "menos", "meno", "moins"})
_DIVIDED = frozenset({"over", "durch", "sobre", "divided by"})  # between two layers, or before what is usual
_USUAL = regex(r"clim\w*|klim\w*|norm(?:al|ale|als|als?wert)?|baseline|reference|average|lt[am]|longterm")
_BEYOND = frozenset({"over", "above", "below", "under", "ueber", "uber", "unter", "sobre", "acima", "oltre", "sotto"})
_COMPARED = frozenset({"gt", "gte", "lt", "lte"})
_MONTHS = "|".join(MONTH_WORDS)
_BACK = regex(rf"(?<![A-Za-z])({_MONTHS})[ _]?-[ _]?({_MONTHS})(?![A-Za-z])|((?:19|20)\d\d)-((?:19|20)\d\d)(?!\d)", 2)
_TM = "landsat-4-5-tm"
_NEARLY_A_YEAR = 10  # months
_PAIR = 2
_WITH_AXES = frozenset({"wind", "current", "speed", "flow", "ice", "glacier", "sea", "water"})  # may have components
_IN_A_PHRASE = frozenset({"colour", "plain", "link", "derived", "statistic", "daynight", "before"})


@dataclass(frozen=True, slots=True)
class Name:
    """A name without its days (``rest``) as its tokens, those of its folders, the nearest first, and the words that
    most names beside it have (``shared``); ``nothing`` are words that say nothing of what is measured, as those of a
    place."""

    rest: str
    own: tuple[Token, ...]
    folders: tuple[tuple[Token, ...], ...] = ()
    shared: frozenset[str] = frozenset()
    nothing: frozenset[str] = frozenset()


def settled(name: Name) -> tuple[Token, ...]:
    """The tokens of a name, with words as mere words that stand in a phrase (``Yellow River basin_LST``)."""
    name = replace(name, own=tuple(_with_prepositions(name.own)))
    if any(token.kind == "band" for token in name.own):  # beside a band the letters of a mean are those of a sensor
        own = (replace(one, kind="sensor", value=_TM) if one.key == "tm" else one for one in name.own)
        name = replace(name, own=tuple(own))
    back = tuple(_backwards(name.rest))
    in_phrases = (token.kind in _IN_A_PHRASE or token.kind == "unit" or token.key in _BEYOND for token in name.own)
    if not any(in_phrases) and not any(token.key in _DIVIDED for token in name.own):
        return (*name.own, *back)
    found = list(name.own)
    of_a_day = sum(token.kind == "date" for token in name.own) == 1  # an image, and what stands before it is its place
    for place, token in enumerate(name.own):
        behind = name.own[place + 1] if place + 1 < len(name.own) else None
        if token.key in _LESS and behind is not None and behind.kind == "number":
            found[place] = _as_word(token)  # menos 1 ano
        if token.kind == "derived" and token.value == _SPELL and place and name.own[place - 1].kind == "number":
            found[place] = _as_word(token)  # 16 dias are the length of a composite
        if token.key in _COMPARED and place == 0:
            found[place] = _as_word(token)  # LT_dem: nothing stands before it that could be less
        if token.key == _DAY_OF_YEAR and behind is not None and behind.kind in ("date", "number"):
            found[place] = replace(token, kind="plain")  # the doy of doy2018273
        if token.kind == "unit" and behind is not None and behind.kind == "date" and token.end == behind.start:
            found[place] = _as_word(token)  # the m of m201907
        if (
            token.key in _DIVIDED
            and place
            and behind is not None
            and name.own[place - 1].kind in ("layer", "date")
            and (behind.kind in ("layer", "statistic") or _USUAL.fullmatch(behind.key))
        ):
            found[place] = replace(token, kind="derived", value="ratio")
        if token.key in _BEYOND and behind is not None and behind.kind in ("number", "date"):
            found[place] = replace(token, kind="derived", value=OTHER)  # where there is more than so much
        if token.kind == "before":
            near = behind is not None and (token.end == behind.start or _joined_by(name.rest, token, behind, EDGES))
            of_layer = behind is not None and behind.kind == "layer" and near
            if not of_layer and behind is not None and token.end == behind.start:
                continue  # a letter of a word
            alone = of_layer and not of_a_day and not (place and name.own[place - 1].kind == "word")
            sure = behind is not None and token.end == behind.start  # dNDMI
            value = token.value if sure else f"{token.value}|{OTHER}"
            found[place] = replace(token, kind="derived", value=value) if alone or sure else _as_word(token)
        colour_of = token.kind == "colour" and behind is not None and _joined_by(name.rest, token, behind, EDGES)
        if colour_of and behind is not None and behind.kind == "word" and _others(name.own):
            found[place] = _as_word(token)
    if " " in name.rest and "_" in name.rest:
        for phrase in _phrases(name):
            kinds = {found[place].kind for place in phrase}
            if "word" in kinds and not kinds & {"layer", "band"}:
                for place in phrase:
                    found[place] = _as_word(found[place]) if found[place].kind in _IN_A_PHRASE else found[place]
    return (*found, *back)


def _with_prepositions(own: tuple[Token, ...]) -> Iterator[Token]:
    """Tokens, with a letter as a mere word where it says in what something is, as in many languages (``uhlik v pude``),
    and not along which axis."""
    for place, token in enumerate(own):
        around = own[place - 1 : place] + own[place + 1 : place + 2]
        if token.kind == "layer" and len(token.key) == 1 and len(around) == _PAIR:
            before, behind = ({*concepts_in(one.text)} if one.kind == "word" else set() for one in around)
            if before and behind and not before & _WITH_AXES and behind <= things():
                token = _as_word(token)
        yield token


def _backwards(rest: str) -> Iterator[Token]:
    """From a later time to an earlier one no span goes: what one is less the other (``2018-2015``, ``july-june``); of
    months that may be the year from one to the next."""
    for one in _BACK.finditer(rest):
        months = [MONTH_WORDS[word.casefold()] for word in one.groups()[:2] if word]
        back = months[0] - months[1] < 0 if months else one[3] <= one[4]
        if not back and (not months or (months[1] - months[0]) % 12 + 1 >= _NEARLY_A_YEAR):
            value = f"difference|{OTHER}" if months else "difference"
            yield Token("derived", value, one.group(), one.start(), one.end(), one.group().casefold())


def _others(tokens: Iterable[Token]) -> bool:
    return any(token.kind in ("layer", "band") for token in tokens)


def _as_word(token: Token) -> Token:
    return Token("word", token.text, token.text, token.start, token.end, token.key, token.form)


def _phrases(name: Name) -> Iterator[list[int]]:
    """Places of tokens that nothing but blanks stands between."""
    phrase: list[int] = []
    for place, token in enumerate(name.own):
        if phrase and not _joined_by(name.rest, name.own[phrase[-1]], token, " "):
            yield phrase
            phrase = []
        phrase.append(place)
    yield phrase


def _joined_by(rest: str, first: Token, second: Token, separators: str) -> bool:
    between = rest[first.end : second.start]
    return bool(between) and not between.strip(separators)
