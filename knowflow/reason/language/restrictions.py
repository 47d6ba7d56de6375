"""What restricts a question: the place, kind, cause, owner or manner that it wants the answer for, and no other.

"How many hectares lie on clay", "the NDVI of the oak stands", "cleared illegally": what stands in such a position must
be heeded by something, or the answer is that of another question. Words that the lexicon knows are heeded where they
are read; the rest is told here, for the data to know (``reason.heeded``) or for the user to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from knowflow.ground.kept import kept
from knowflow.ground.units import known as is_unit
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.restrictions import restriction_words
from knowflow.knowledge.words import NUMBER_WORDS, ORDINAL_WORDS, Token, clean, is_article, stem, tokens
from knowflow.model.goal import QueryGoal
from knowflow.reason.language import restricting
from knowflow.reason.language.background import background, names_place
from knowflow.reason.language.clauses import Span, to_clause_end, within
from knowflow.reason.language.groups import names_one_place
from knowflow.reason.language.restricting import AREA, Restriction
from knowflow.reason.language.superlatives import ranks
from knowflow.reason.language.turns import EVENTS

_PREAMBLE = re.compile(r"[^:;?]+?(?::|;|\s-)\s")
_MANNER = re.compile(r"\b(?P<adverb>[a-z]{3,}ly)\b", re.IGNORECASE)
_EVENT = re.compile(r"(?:\w+(?:ed|en)|built|burnt|cut|lost|sold|bought|made)", re.IGNORECASE)
_DETERMINERS = frozenset(
    {"this", "that", "these", "those", "our", "my", "your", "their", "its", "all", "any", "some", "both"}
)
_ONE_BY_ONE = frozenset({"each", "every", "per"})
_PHRASE_OPENS = frozenset(
    {"", "the", "a", "an", "of", "in", "on", "for", "over", "under", "with", "by", "many", "much", "more", ",", ":"}
)
_ENDS = frozenset({"and", "or", "nor"})
_OR_AFTER = re.compile(r"\s+(?:or|versus|vs\.?)\s+(?P<other>[a-z]+)\b(?!\s+(?:the|an?)\b)", re.IGNORECASE)
_OR_BEFORE = re.compile(r"\b(?P<other>[a-z]+)\s+(?:or|versus|vs\.?)\s+(?:the\s+)?$", re.IGNORECASE)
# "whatever the cloud mask flags": clouds are left out by their masks
_CLOUD_MASK = re.compile(
    r"\s+(?:whatever|everything|anything|all|what)\s+(?:that\s+|which\s+)?(?:the\s+|our\s+)?"
    r"(?:cloud[\s-]+masks?\s+[a-z]+s?\b|(?:is|are)\s+[a-z]+ed\s+(?:by|in|as)\s+(?:the\s+|a\s+)?clouds?\b)",
    re.IGNORECASE,
)
_TIES = re.compile(r"(?:ing|'s)$")  # "lying under snow", "the town's built-up area"


def restrictions(goal: QueryGoal) -> tuple[Restriction, ...]:
    """What restricts a question and is not known; sentences that ask nothing restrict nothing."""
    phrase = _Phrases(goal)
    found: list[Restriction] = []
    for one in (
        *phrase.hours(),
        *phrase.depths(),
        *phrase.decided(),
        *phrase.opened(),
        *phrase.left_out(),
        *phrase.kinds(),
        *phrase.others_of_a_kind(),
        *phrase.one_of_many(),
        *phrase.called(),
        *phrase.manners(),
        *phrase.quantities(),
        *phrase.wanted_for(),
    ):
        if not any(set(one.unknown) <= set(other.unknown) for other in found):
            found.append(one)
    return tuple(found)


class _Phrases:
    """The words of one question, with what is known of them."""

    def __init__(self, goal: QueryGoal) -> None:
        read = lexicon().written_out
        self._text = read(clean(goal.text))
        self._pieces = tokens(self._text)
        self._words = restriction_words()
        self._left = frozenset((*goal.leftover, *read(" ".join(goal.leftover)).split()))
        region = goal.slots.get("region")
        self._regions = frozenset(() if region is None else (*region.words.split(), *read(region.words).split()))
        quantity = goal.slots.get("quantity")
        self._about = "what is asked" if quantity is None else quantity.words or str(quantity.value)
        # "each district head ... his territory"
        of_each = {"his", "her"} if goal.value("group_by") in ("zone", "class_in_zone") else set()
        self._determiners = _DETERMINERS | of_each
        self._beside = tuple(map(read, _beside(goal)))
        self._of_event = goal.value("feature") in EVENTS
        self._mentions = lexicon().scan(self._text, self._pieces)
        limits = self._places(goal, ("threshold", "share_threshold"))
        asked = self._places(goal, ("operation", "unit", "group_by"))
        self._told = (*background(self._text, self._mentions, self._pieces, limits), *self._preamble(asked))

    def opened(self) -> Iterator[Restriction]:
        """What stands after a preposition, a word that leaves out, a cause or an owner."""
        for opening in restricting.openings():
            for match in opening.pattern.finditer(self._text):
                told = self._is_told(match.start()) or _CLOUD_MASK.match(self._text, match.end())
                unknown = () if told else self._unknown(match.end(), opening)
                in_ = match.group().lower() == "in"
                if unknown and not (in_ and (is_unit(unknown[0].text) or self._is_small_name(match.end(), unknown))):
                    texts = tuple(piece.text for piece in unknown)
                    past = self._past(unknown[-1])
                    whole = (
                        opening.kind or opening.why == restricting.NO_CAUSE
                    )  # "are safe to swim in", "hit by rust or mould"
                    words = (
                        to_clause_end(self._text, match.start(), past) if whole else self._text[match.start() : past]
                    )
                    yield Restriction(words, texts, opening.why, opening.hint, opening.place)

    def _is_small_name(self, place: int, unknown: tuple[Token, ...]) -> bool:
        """ "ndvi in kranj": where nothing is written large, a single word without an article may be a name."""
        alone = len(unknown) == 1 and not self._text[place : unknown[0].start].strip()
        after = next((piece for piece in self._pieces if piece.start >= unknown[0].end), None)
        ends = after is None or after.kind != "word" or after.stem in lexicon().function
        return alone and ends and self._text[:1].islower()

    def left_out(self) -> Iterator[Restriction]:
        """ "Car parks left out", "hospitals excluded"."""
        for match in restricting.left_out().finditer(self._text):
            before = [piece for piece in self._pieces if piece.end <= match.start()]
            unknown = tuple(reversed(tuple(takewhile(self._is_unknown, reversed(before)))))
            if unknown and not self._is_told(match.start()):
                words = self._text[unknown[0].start : match.end()]
                why, hint = restricting.LEFT_OUT, "ask about the whole"
                yield Restriction(words, tuple(piece.text for piece in unknown), why, hint)

    def _past(self, last: Token) -> int:
        """Past the thing that a word stands before: "of the irrigated" + "fields"."""
        things = (
            one
            for one in self._mentions
            if (one.of("feature") or one.of("setting")) and self._pieces[one.first].start == last.end + 1
        )
        thing = next(things, None)
        return last.end if thing is None else self._pieces[thing.past - 1].end

    def kinds(self) -> Iterator[Restriction]:
        """ "Irrigated fields": a word before a thing on the ground that makes it another one."""
        for mention in self._mentions:
            before = self._pieces[mention.first - 1] if mention.first > 0 else None
            if before is None or mention.of("feature") is None or self._is_told(before.start):
                continue
            if (
                self._opens_phrase(mention.first - 1)
                and self._is_unknown(before)
                and not self._is_place(before)
                and not _TIES.search(before.text)
            ):
                why = "restricts the question to a kind that is neither in the data nor known"
                yield Restriction(f"{before.text} {mention.words}", (before.text,), why, AREA)

    def others_of_a_kind(self) -> Iterator[Restriction]:
        """ "Maize or sunflower": a thing that is known, and another one beside it that is not."""
        for mention in self._mentions:
            if mention.of("feature") is None and not names_place(mention):
                continue
            first, past = self._pieces[mention.first].start, self._pieces[mention.past - 1].end
            after, before = _OR_AFTER.match(self._text, past), _OR_BEFORE.search(self._text, 0, first)
            for found in filter(None, (before, after)):
                other = next(piece for piece in self._pieces if piece.start == found.start("other"))
                if self._is_unknown(other) and not self._is_told(other.start):
                    words = self._text[min(first, found.start("other")) : max(past, found.end("other"))]
                    why = "names a kind that is neither in the data nor known"
                    yield Restriction(words, (other.text,), why, AREA)

    def one_of_many(self) -> Iterator[Restriction]:
        """ "Harbour district", "the village Oberdorf": one place of a kind, by its name."""
        for mention in self._mentions:
            before = self._pieces[mention.first - 1] if mention.first > 0 else None
            if before is not None and names_one_place(mention) and self._is_unknown(before):
                past = self._pieces[mention.past - 1].end
                if not self._is_told(before.start) and self._text[before.end : past - len(mention.words)].isspace():
                    words = self._text[before.start : past]
                    yield Restriction(words, (before.text,), restricting.NOT_KNOWN, AREA, place=True)
        for article, kind, name in zip(self._pieces, self._pieces[1:], self._pieces[2:], strict=False):
            named = name.text[0].isupper() and name.text in self._regions
            if named and is_article(article) and self._is_unknown(kind) and not self._is_told(kind.start):
                words = self._text[kind.start : name.end]
                yield Restriction(words, (kind.text,), restricting.NOT_KNOWN, AREA, place=True)

    def called(self) -> Iterator[Restriction]:
        """ "The parish called north": a place by its name, whatever else the name means."""
        for match in restricting.BY_NAME.finditer(self._text):
            is_kind = stem(match["kind"]) not in lexicon().function
            if is_kind and match["name"] in self._left | self._regions and not self._is_told(match.start()):
                yield Restriction(match.group(), (match["name"],), restricting.NOT_KNOWN, AREA, place=True)

    def manners(self) -> Iterator[Restriction]:
        """ "Cleared illegally": an adverb beside a verb that says how it came about."""
        for index, piece in enumerate(self._pieces):
            if not _MANNER.fullmatch(piece.text) or not self._is_unknown(piece):
                continue
            beside = [self._pieces[place] for place in (index - 1, index + 1) if 0 <= place < len(self._pieces)]
            verb = next((one for one in beside if _EVENT.fullmatch(one.text)), None)
            if verb is not None and not self._is_told(piece.start):
                first, past = min(piece.start, verb.start), max(piece.end, verb.end)
                why = "says how it came about, which the data do not tell"
                yield Restriction(self._text[first:past], (piece.text,), why, "ask about all of it")

    def hours(self) -> Iterator[Restriction]:
        """ "Before sunrise", "in the morning": hours of the day."""
        for piece in self._pieces:
            if self._is_unknown(piece) and piece.stem in self._words.daytimes and not self._is_told(piece.start):
                why = "is a time of day; data are asked for by their dates"
                yield Restriction(piece.text, (piece.text,), why, "ask about the date, or about day or night")

    def depths(self) -> Iterator[Restriction]:
        """ "At 20 m depth", "in the top 10 cm"."""
        for match in restricting.DEPTH.finditer(self._text):
            if not self._is_told(match.start()):
                why = f"speaks of a depth, at which no data of {self._about} are told apart"
                yield Restriction(match.group(), (match.group(),), why, "ask about the surface")

    def decided(self) -> Iterator[Restriction]:
        """ "Zoned for housing", "designated as forest": what a plan or a law says, whatever lies there."""
        for match in restricting.DECIDED.finditer(self._text):
            if not self._is_told(match.start()):
                past = max((piece.end for piece in self._phrase(match.end(), whole=True)), default=match.end())
                words = self._text[match.start() : past]
                why = "speaks of what a plan or a law says of the ground, which the data do not tell"
                yield Restriction(words, (match["how"],), why, AREA, place=True)

    def quantities(self) -> Iterator[Restriction]:
        """ "Mean NDVI on the slopes": a second quantity that names a place, and no limit says which."""
        for words in self._beside:
            place = re.search(rf"{restricting.WHERE}(?:[\w-]+\s+)?{re.escape(words)}\b", self._text, re.IGNORECASE)
            if place is None or self._is_told(place.start()):
                continue
            after = next((piece for piece in self._pieces if piece.start >= place.end()), None)
            if after is None or after.stem not in self._words.data:  # "in reflectance units"
                why = f"restricts the question by {words!r}, and nothing says from which value on"
                yield Restriction(place.group(), (words,), why, "give a limit, such as 'steeper than 15 degrees'")

    def wanted_for(self) -> Iterator[Restriction]:
        """ "Mean NDVI for the moor", but not "for the report"."""
        place = restricting.PLACE
        named = {self._pieces[one.past - 1].end for one in self._mentions if one.of("quantity")}
        for match in restricting.FOR_A_THING.finditer(self._text):
            phrase = self._phrase(match.start("thing"), whole=False)
            if match.start() not in named or any(piece.stem in self._words.purposes for piece in phrase):
                continue
            unknown = () if self._is_told(match.start()) else self._unknown(match.start("thing"), place)
            if unknown:
                words = self._text[match.start() : self._past(unknown[-1])].strip()
                yield Restriction(words, tuple(piece.text for piece in unknown), place.why, place.hint, place.place)

    def _opens_phrase(self, index: int) -> bool:
        """Whether a noun phrase begins with a word, rather than a verb stands there: "they hold water"."""
        before = self._pieces[index - 1].text.lower() if index > 0 else ""
        return before in _PHRASE_OPENS or before in self._determiners

    def _unknown(self, place: int, opening: restricting.Opening) -> tuple[Token, ...]:
        """The words of the phrase from a place on that are not known: those it begins with, or all of them."""
        found: list[Token] = []
        named = False
        for piece in self._phrase(place, opening.whole):
            if named and opening.place and piece.text.lower() in _ENDS:
                break
            named = named or piece.text[0].isupper()  # "along the Guangdong coast"
            if piece.text == "-" or is_article(piece) or piece.text.lower() in self._determiners:
                continue
            if found and not opening.cause and piece.stem in self._words.occasions:  # "dam failure" is an occasion
                return ()
            if opening.kind and piece.text in self._regions:
                return (piece,)
            if self._is_unknown(piece, opening.cause) or (opening.whole and not named and self._is_place(piece)):
                found.append(piece)
            elif piece.text not in self._left and not opening.whole:
                if piece.text[0].isupper():  # "northern Hebei" is a name
                    return ()
                break
        if not opening.whole:
            return () if all(self._is_place(piece) for piece in found) else tuple(found)
        return () if found and self._of_event and restricting.ALREADY.match(self._text, found[-1].end) else tuple(found)

    def _phrase(self, place: int, whole: bool) -> Iterator[Token]:
        """The words of a noun phrase, and of those that "and" ties to it where all of it counts."""
        opened = False
        for piece in self._pieces:
            if piece.start < place:
                continue
            word = piece.text.lower()
            if word in _ONE_BY_ONE or (piece.kind == "mark" and piece.text != "-"):
                return
            if word in _ENDS:
                if not whole:
                    return
            elif word in self._determiners or is_article(piece):
                if opened and not whole:
                    return
            elif piece.stem in lexicon().function:
                return
            opened = True
            yield piece

    def _is_unknown(self, piece: Token, cause: bool = False) -> bool:
        """A word that nothing is known of. Names, ranks and numbers are heeded or refused elsewhere."""
        if piece.kind != "word" or not piece.text.islower() or piece.text not in self._left:
            return False
        if piece.text in NUMBER_WORDS or _ranks().fullmatch(piece.text):
            return False
        return piece.stem not in self._words.harmless and (cause or piece.stem not in self._words.occasions)

    def _is_place(self, piece: Token) -> bool:
        return piece.stem in lexicon().places and piece.text.islower()

    def _preamble(self, said: Sequence[int]) -> tuple[Span, ...]:
        """ "For my talk about the lockdown: ...": what stands before a colon or a dash and asks for nothing."""
        named = (one for one in self._mentions if one.of("operation") or one.of("quantity"))
        asked = [*said, *(self._pieces[one.first].start for one in named)]
        opening = _PREAMBLE.match(self._text)
        return () if opening is None or any(place < opening.end() for place in asked) else (opening.span(),)

    def _is_told(self, place: int) -> bool:
        return within(place, self._told)

    def _places(self, goal: QueryGoal, names: Sequence[str]) -> tuple[int, ...]:
        said = (words for name in names if name in goal.slots for words in goal.slots[name].words.split(", "))
        text = self._text.lower()
        return tuple(
            place for words in said if words and (place := text.find(lexicon().written_out(words).lower())) >= 0
        )


@kept()
def _ranks() -> re.Pattern[str]:
    return re.compile(rf"{ranks()}|\d+(?:st|nd|rd|th)|{'|'.join(ORDINAL_WORDS)}", re.IGNORECASE)


def _beside(goal: QueryGoal) -> tuple[str, ...]:
    """The words of quantities that are named beside the one in question and that no limit is on."""
    named = goal.slots.get("quantities")
    if named is None or goal.value("operation") == "correlation":
        return ()
    limited = {quantity for quantity, _ in goal.value("conditions") or ()}
    pairs = zip(named.value[1:], named.words.split(", ")[1:], strict=False)
    return tuple(words for quantity, words in pairs if quantity not in limited)
