"""One reading of one sentence: what stands in it, the slots filled so far, and the characters understood."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import lexicon
from knowflow.knowledge.phrases import Lexicon, Mention
from knowflow.knowledge.words import Token, clean, is_article, tokens
from knowflow.model.goal import Ambiguity, QueryGoal, Slot
from knowflow.reason.language import turns
from knowflow.reason.language.amounts import with_parts
from knowflow.reason.language.asides import defined
from knowflow.reason.language.background import (
    background,
    counts_as,
    in_question,
    names_body,
    names_place,
    only_dropped,
    telling,
)
from knowflow.reason.language.clauses import sentences, within
from knowflow.reason.language.comparatives import comparatives
from knowflow.reason.language.dates import Times, times
from knowflow.reason.language.day_words import with_plain_periods
from knowflow.reason.language.formulas import as_subjects, colours_of_bands, formulas
from knowflow.reason.language.fractions import with_percent
from knowflow.reason.language.inverse_share import inverse_share
from knowflow.reason.language.limits import Limit, limits
from knowflow.reason.language.numerals import numerals
from knowflow.reason.language.places import Place, places
from knowflow.reason.language.spelled_numbers import with_digits
from knowflow.reason.language.statements import stated
from knowflow.reason.language.subjects import Asked, Subject, subjects
from knowflow.reason.language.unit_products import unit_products

_GROUPS = frozenset({"class", "classes", "polygon", "polygons"})  # what "per land cover" has said already
_SPOKEN = frozenset({"region", "background", "aside"})  # slots that hold words of the question


class Reading:
    """Dates, numbers, limits, phrases and places of a sentence, and the goal that is made of them step by step.

    ``asked`` and ``subjects`` are what the sentence wants done and what about; later steps narrow them. ``compared``
    are the quantities that comparatives speak of. ``mentions`` are all phrases, ``heard`` is what the question takes of
    them.
    """

    def __init__(self, text: str, today: dt.date | None, without: Collection[str] = ()) -> None:
        self.original = text
        self.known: Lexicon = lexicon().without(without)
        self._reworded = with_digits(self.known.reworded(clean(text)))
        self.text = with_percent(with_parts(turns.with_years(with_plain_periods(self._reworded.text))))
        self.pieces: tuple[Token, ...] = tokens(self.text)
        self.times: Times = times(self.text, today)
        self.slots: dict[str, Slot] = {}
        self.ambiguities: list[Ambiguity] = list(self.times.ambiguities)
        self.understood: list[tuple[int, int]] = list(self.times.heard)
        inverse = inverse_share(self.text)
        if inverse is not None:
            self.put("percentile", inverse.percentile, inverse.words)
            self.understood += [(inverse.first, inverse.past)] if inverse.ranked else []
        for numeral in numerals(self.text, self.understood):
            self.put(numeral.slot, numeral.value, numeral.words)
            self.understood += numeral.spans
        found = formulas(self.text, self.known)
        self.understood += [*((one.first, one.past) for one in found), *colours_of_bands(self.text)]
        self.limits: tuple[Limit, ...] = limits(self.text, self.understood)
        self.understood += [*((limit.first, limit.past) for limit in self.limits), *unit_products(self.text)]
        readable = [limit for limit in self.limits if limit.threshold.relative_to is not None]
        closed = self._closed(self.understood, [(limit.first, limit.past) for limit in readable])
        mentions = self.known.scan(self.text, self.pieces, closed)
        self.places: tuple[Place, ...] = places(self.text, self.pieces, mentions, closed, self.known)
        taken = {index for place in self.places for index in range(place.first, place.past)}
        self.mentions: tuple[Mention, ...] = self.known.scan(self.text, self.pieces, closed | taken)
        fixed = [limit.first for limit in self.limits]
        explained = defined(self.text)
        self.understood += explained
        self.told = background(self.text, self.mentions, self.pieces, fixed)
        self._telling = telling(self.text, self.mentions, self.pieces, fixed)
        self.leave_told_times(2)
        limited = any(limit.quantity or limit.suggested for limit in self.limits)
        heard = in_question(self.mentions, self.pieces, self.told, self.known, limited)
        # what the question itself says by a limit ("water where MNDWI is above 0.1") is not the usual thing so called
        self.heard: tuple[Mention, ...] = tuple(
            one
            for one in heard
            if not (self.limits and names_place(one) and within(self.pieces[one.first].start, explained))
            and not counts_as(self.text, self.pieces[one.first].start)
            and not names_body(self.text, one, self.pieces)
            and not only_dropped(self.text, one, self.pieces[one.first].start)
        )
        said = {one.words.lower() for one in self.heard}
        unheard = (m for m in self.mentions if names_place(m) and m not in self.heard)
        passed = dict.fromkeys(m.words for m in unheard if m.words.lower() not in said)
        if passed:
            self.put("aside", tuple(passed), ", ".join(passed))
        self.compared = comparatives(self.heard, self.limits, self.pieces)
        named = subjects(self.heard, self.limits, self.pieces, self.text, self.known, self.told)
        named, unread = as_subjects(self.text, found, named)
        self.ambiguities += unread
        self.subjects: tuple[Subject, ...] = named if any(s.sure >= 0 for s in named) else (*self.compared, *named)
        if any(not within(subject.first, self.told) for subject in self.subjects):
            beside = self._as_told()
            if beside:
                self.put("background", beside, " ".join(beside))
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

    def only_tells(self, mention: Mention) -> bool:
        """Whether a phrase stands in a sentence that says what there is, and asks nothing."""
        return within(self.pieces[mention.first].start, self._telling)

    def put(self, slot: str, value: object, words: str, default: bool = False, note: str = "") -> None:
        """Fill a slot that is still empty."""
        self.slots.setdefault(slot, Slot(value, words.strip(), default, note))

    def leave_told_times(self, fewest: int) -> None:
        """Forget the periods of sentences that ask nothing, where the others name at least so many themselves."""
        asked = [span for span in self.times.spans if not within(span.first, self._telling)]
        if len({span.period for span in asked} - {None}) >= fewest:
            kept = tuple(span for span in self.times.spans if span in asked or span.period is None)
            self.times = replace(self.times, spans=kept)
        if any(span.period is not None for span in asked):  # "the flood comes in late summer" leaves out no month
            states = stated(self.text)
            kept = tuple(span for span in self.times.spans if not within(span.first, states))
            self.times = replace(self.times, spans=kept)

    def goal(self) -> QueryGoal:
        """What has been understood by now, in the words of the person who asks."""
        kind = quantity_kinds().get(self.slots["quantity"].value) if "quantity" in self.slots else None
        named = kind.synonyms if kind is not None else ()  # "a gradient of 20 degrees": a name of what the unit told
        words = [word for word in self._leftover() if word not in named]
        left = tuple(dict.fromkeys(own for word in words for own in self._own(word).split()))
        slots = {name: self._in_own_words(name, slot) for name, slot in self.slots.items()}
        open_still = tuple(replace(one, words=self._own(one.words)) for one in self.ambiguities)
        return QueryGoal(self.original, slots, left, open_still)

    def _as_told(self) -> tuple[str, ...]:
        """The sentences that ask nothing, as they stand in the text."""
        read, written = sentences(self.text), self._reworded.written
        own = sentences(written)
        there = dict(zip(read, own, strict=True)) if len(own) == len(read) else {}
        return tuple(
            written[there[span][0] : there[span][1]].strip()
            if span in there
            else self._own(self.text[slice(*span)].strip())
            for span in self.told
        )

    def _own(self, words: str) -> str:
        return self._reworded.as_written(words)

    def _in_own_words(self, name: str, slot: Slot) -> Slot:
        value = slot.value
        if name in _SPOKEN and isinstance(value, str):
            value = self._own(value)
        elif name in _SPOKEN and isinstance(value, tuple):
            value = tuple(self._own(one) if isinstance(one, str) else one for one in value)
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
        heard = self._closed((*self.understood, *self.told))
        heard |= {index for mention in self.mentions for index in range(mention.first, mention.past)}
        heard |= {index for place in self.places for index in range(place.first, place.past)}
        left = [
            piece.text
            for index, piece in enumerate(self.pieces)
            if index not in heard
            and piece.kind != "mark"
            and piece.stem not in self.known.common
            and not is_article(piece)
            and not ("group_by" in self.slots and piece.text.lower() in _GROUPS)
            and (len(piece.text) > 1 or piece.kind == "number")
        ]
        return tuple(dict.fromkeys(left))
