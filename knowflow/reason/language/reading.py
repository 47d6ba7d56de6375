"""One reading of one sentence: what stands in it, the slots filled so far, and the characters understood."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.phrases import Lexicon, Mention
from knowflow.knowledge.words import Token, clean, is_article, tokens
from knowflow.model.goal import QueryGoal, Slot, Unmet
from knowflow.reason.language.clauses import within
from knowflow.reason.language.dates import Times, times
from knowflow.reason.language.day_words import with_plain_periods
from knowflow.reason.language.fractions import with_percent
from knowflow.reason.language.inverse_share import inverse_share
from knowflow.reason.language.limits import Limit, limits
from knowflow.reason.language.numerals import numerals
from knowflow.reason.language.places import Place, places
from knowflow.reason.language.statements import stated
from knowflow.reason.language.subjects import Asked, Subject, subjects


class Reading:
    """Dates, numbers, limits, phrases and places of a sentence, and the goal that is made of them step by step.

    ``asked`` and ``subjects`` are what the sentence wants done and what about; later steps narrow them. ``mentions``
    are all phrases.
    """

    def __init__(self, text: str, today: dt.date | None) -> None:
        self.original = text
        self.known: Lexicon = lexicon()
        self._reworded = self.known.reworded(clean(text))
        self.text = with_percent(with_plain_periods(self._reworded.text))
        self.pieces: tuple[Token, ...] = tokens(self.text)
        self.times: Times = _of_what_is_asked(self.text, times(self.text, today))
        self.slots: dict[str, Slot] = {}
        self.unmet: list[Unmet] = []
        self.understood: list[tuple[int, int]] = list(self.times.heard)
        inverse = inverse_share(self.text)
        if inverse is not None:
            self.put("percentile", inverse.percentile, inverse.words)
            self.understood += [(inverse.first, inverse.past)] if inverse.ranked else []
        for numeral in numerals(self.text, self.understood):
            self.put(numeral.slot, numeral.value, numeral.words)
            self.understood += numeral.spans
        self.limits: tuple[Limit, ...] = limits(self.text, self.understood)
        self.understood += [(limit.first, limit.past) for limit in self.limits]
        readable = [limit for limit in self.limits if limit.threshold.relative_to is not None]
        closed = self._closed(self.understood, [(limit.first, limit.past) for limit in readable])
        mentions = self.known.scan(self.text, self.pieces, closed)
        self.places: tuple[Place, ...] = places(self.text, self.pieces, mentions, closed, self.known)
        taken = {index for place in self.places for index in range(place.first, place.past)}
        self.mentions: tuple[Mention, ...] = self.known.scan(self.text, self.pieces, closed | taken)
        self.subjects: tuple[Subject, ...] = subjects(self.mentions, self.limits, self.pieces, self.text, self.known)
        if inverse is not None:
            self.understood.append((inverse.first, inverse.past))
            if inverse.quantity is not None:  # "half of the terrain is steeper than" is about slopes
                own = Subject(inverse.quantity, inverse.first, inverse.past, inverse.words)
                self.subjects = (own, *(one for one in self.subjects if one.words not in inverse.words))
        self.asked: tuple[Asked, ...] = ()

    @property
    def operation(self) -> str:
        """The main operation; empty where none is asked."""
        return self.asked[0].operation if self.asked else ""

    def put(self, slot: str, value: object, words: str, default: bool = False, note: str = "") -> None:
        """Fill a slot that is still empty."""
        self.slots.setdefault(slot, Slot(value, words.strip(), default, note))

    def goal(self) -> QueryGoal:
        """What has been understood by now, in the words of the person who asks."""
        kind = quantity_kinds().get(self.slots["quantity"].value) if "quantity" in self.slots else None
        named = kind.synonyms if kind is not None else ()  # "a gradient of 20 degrees": a name of what the unit told
        words = [word for word in self._leftover() if word not in named]
        left = tuple(dict.fromkeys(own for word in words for own in self._own(word).split()))
        slots = {name: self._in_own_words(name, slot) for name, slot in self.slots.items()}
        unmet = tuple(replace(one, words=self._own(one.words)) for one in self.unmet)
        return QueryGoal(self.original, slots, left, unmet)

    def _own(self, words: str) -> str:
        return self._reworded.as_written(words)

    def _in_own_words(self, name: str, slot: Slot) -> Slot:
        value = slot.value
        if name == "region" and isinstance(value, str):
            value = self._own(value)
        return replace(slot, value=value, words=self._own(slot.words))

    def _closed(self, spans: Iterable[tuple[int, int]], but: Sequence[tuple[int, int]] = ()) -> frozenset[int]:
        """The words (by number) that lie in spans of characters."""
        inside = [span for span in spans if span not in but]
        return frozenset(
            index
            for index, piece in enumerate(self.pieces)
            if any(piece.start < past and first < piece.end for first, past in inside)
        )

    def _leftover(self) -> tuple[str, ...]:
        """Content words of the question that no step has understood, in order."""
        heard = self._closed(self.understood)
        heard |= {index for mention in self.mentions for index in range(mention.first, mention.past)}
        heard |= {index for place in self.places for index in range(place.first, place.past)}
        left = [
            piece.text
            for index, piece in enumerate(self.pieces)
            if index not in heard
            and piece.kind != "mark"
            and piece.stem not in self.known.common
            and not is_article(piece)
            and (len(piece.text) > 1 or piece.kind == "number")
        ]
        return tuple(dict.fromkeys(left))


def _of_what_is_asked(text: str, found: Times) -> Times:
    """The times without those of sentences that only state something, where others are dated: "the flood comes in late
    summer" leaves out no month."""
    states = stated(text)
    asked = tuple(span for span in found.spans if not within(span.first, states))
    return replace(found, spans=asked) if any(span.period is not None for span in asked) else found
