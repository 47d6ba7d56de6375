"""A sentence into a goal: dates, limits, phrases of the lexicon, and a few rules that put them together.

No model and no guess: what has a usual reading is marked as a default, what has several readings is reported, and
content words that nothing explains are left over. The text is data; nothing in it is ever obeyed.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.lexicon import Lexicon, Mention, lexicon
from knowflow.knowledge.words import Token, clean, is_article, tokens
from knowflow.model.goal import Ambiguity, Period, QueryGoal, Slot, Threshold
from knowflow.reason.language import turns
from knowflow.reason.language.dates import Span, Times, hull, times
from knowflow.reason.language.limits import Limit, asked_unit, limits, number
from knowflow.reason.language.places import Place, places
from knowflow.reason.language.subjects import (
    COMPARING,
    NEEDS_LIMIT,
    Asked,
    Subject,
    attach,
    main_subject,
    operations,
    subjects,
)

_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
_COUNT = r"(?P<n>\d{1,3}|" + "|".join(_COUNTS) + r")"
_COUNT_FIRST = _COUNT.replace("?P<n>", "?P<first>")
_SUPERLATIVE = r"(?:largest|biggest|hottest|coldest|greenest|highest|lowest|smallest|warmest|driest|brightest|steepest)"
_TOP = re.compile(rf"\b(?:(?:top|{_SUPERLATIVE})\s+{_COUNT}|{_COUNT_FIRST}\s+{_SUPERLATIVE})\b", re.IGNORECASE)
_PERCENTILE = re.compile(
    r"\b(?:(?P<a>\d{1,2}(?:\.\d+)?)\s*(?:st|nd|rd|th)?[\s-]*(?:percentile|quantile)|percentile\s+(?P<b>\d{1,2}(?:\.\d+)?)|[pP](?P<c>\d{2})(?=\s+(?:of|value)\b)|"
    r"(?P<named>upper quartile|lower quartile|third quartile|first quartile|top decile|bottom decile))(?!\w)",
    re.IGNORECASE,
)
_NAMED_PERCENTILES = {
    "upper quartile": 75.0,
    "third quartile": 75.0,
    "lower quartile": 25.0,
    "first quartile": 25.0,
    "top decile": 90.0,
    "bottom decile": 10.0,
}
_BAND_LIST = re.compile(
    r"\bbands?\s+((?:[a-z]{0,2}\d{1,2}a?)(?:\s*(?:,|and|-|/|,\s*and)\s*(?:[a-z]{0,2}\d{1,2}a?\b))*)(?![\w.])",
    re.IGNORECASE,
)
_BAND = re.compile(r"(?<!\w)(?:B\d{1,2}A?|b\d{2}|SR_B\d{1,2}|ST_B\d{1,2}|sur_refl_b\d{2}|QA_PIXEL)(?!\w)")
_SEASON_WORDS = re.compile(r"\b(?:dry|wet|rainy|growing)\s+season\b", re.IGNORECASE)
_BEFORE_AFTER = re.compile(r"\bbefore (?:and|vs\.?|versus|to) after\b|\bpre-? and post-?\w*", re.IGNORECASE)
_BASELINE = re.compile(r"\b(than|compared (to|with)|relative to|versus|vs|against)\b", re.IGNORECASE)
_KIND_OF_DATE = re.compile(r"\b(?:which|what|the)\s+(?P<kind>year|season|quarter|month)\b", re.IGNORECASE)
_ONE_VALUED = frozenset({"group_by", "class", "mask_clouds", "daynight", "sensor"})


def understand(text: str, *, today: dt.date | None = None) -> QueryGoal:
    """The goal of a question in English; ``today`` is what "last year" counts from (default: the clock).

    Never fails: what is not understood is in ``leftover``, what is open is told by ``missing``.
    """
    return _Reading(text, today).goal()


class _Reading:
    """One reading of one sentence; each step fills slots and marks the characters that it has understood."""

    def __init__(self, text: str, today: dt.date | None) -> None:
        self.original = text
        self.text = turns.with_years(clean(text))
        self.known: Lexicon = lexicon()
        self.pieces: tuple[Token, ...] = tokens(self.text)
        self.times: Times = times(self.text, today)
        self.slots: dict[str, Slot] = {}
        self.ambiguities: list[Ambiguity] = list(self.times.ambiguities)
        self.understood: list[tuple[int, int]] = list(self.times.heard)
        self._numbers_of_their_own()
        self.limits: tuple[Limit, ...] = limits(self.text, self.understood)
        self.understood += [(limit.first, limit.past) for limit in self.limits]
        readable = [limit for limit in self.limits if limit.threshold.relative_to is not None]
        closed = self._closed(self.understood, [(limit.first, limit.past) for limit in readable])
        mentions = self.known.scan(self.text, self.pieces, closed)
        found = places(self.text, self.pieces, mentions, closed, self.known)
        taken = {index for place in found for index in range(place.first, place.past)}
        self.places: tuple[Place, ...] = found
        self.mentions: tuple[Mention, ...] = self.known.scan(self.text, self.pieces, closed | taken)
        self.asked: tuple[Asked, ...] = self._operations()
        self.subjects: tuple[Subject, ...] = subjects(self.mentions, self.limits, self.pieces, self.text, self.known)

    def goal(self) -> QueryGoal:
        self._settings()
        self._ask()
        main = self._quantity()
        self._limits(main)
        self._time()
        self._regions()
        self._range_ends()
        self._kind_of_date()
        unit = asked_unit(self.text)
        if unit is not None:
            self._put("unit", unit[0], unit[1])
        return QueryGoal(self.original, self.slots, self._leftover(), tuple(self.ambiguities))

    def _closed(self, spans: Iterable[tuple[int, int]], but: Sequence[tuple[int, int]] = ()) -> frozenset[int]:
        inside = [span for span in spans if span not in but]
        return frozenset(
            index
            for index, piece in enumerate(self.pieces)
            if any(piece.start < past and first < piece.end for first, past in inside)
        )

    def _put(self, slot: str, value: object, words: str, default: bool = False, note: str = "") -> None:
        self.slots.setdefault(slot, Slot(value, words.strip(), default, note))

    def _numbers_of_their_own(self) -> None:
        """Percentiles, "top 5" and band numbers: numbers that are no limits."""
        percentile = _PERCENTILE.search(self.text)
        if percentile:
            said = percentile["a"] or percentile["b"] or percentile["c"]
            value = float(said) if said else _NAMED_PERCENTILES[percentile["named"].lower()]
            self._put("percentile", value, percentile.group())
            self.understood.append(percentile.span())
        top = _TOP.search(self.text)
        if top:
            said = (top["n"] or top["first"]).lower()
            self._put("top", _COUNTS.get(said) or int(number(said)), top.group())
            digits = re.search(r"\d+", top.group())
            if digits:
                self.understood.append((top.start() + digits.start(), top.start() + digits.end()))
        names: list[str] = []
        words: list[str] = []
        for match in (*_BAND_LIST.finditer(self.text), *_BAND.finditer(self.text)):
            if not any(first <= match.start() < past for first, past in self.understood):
                listed = re.findall(r"[A-Za-z_]*\d{1,2}A?", match[1]) if match.re is _BAND_LIST else [match.group()]
                names.extend(name for name in listed if name not in names)
                words.append(match.group())
                self.understood.append(match.span())
        if names:
            self._put("bands", tuple(names), ", ".join(words))

    def _operations(self) -> tuple[Asked, ...]:
        inside = [(limit.first, limit.past) for limit in self.limits]
        outside = [m for m in self.mentions if not any(f <= self.pieces[m.first].start < p for f, p in inside)]
        asked = list(operations(self.text, outside, self.pieces, self.known))
        asked = [one for one in asked if not self._in_passing(one, asked)]
        percentile = self.slots.get("percentile")
        if percentile is not None and not any(one.operation == "percentile" for one in asked):
            asked.append(Asked("percentile", "statistic", self.text.find(percentile.words), percentile.words))
        if any(limit.side_said and not limit.of_area for limit in self.limits):
            asked = [
                Asked("mask", one.rank, one.first, one.words)
                if one.operation == "map"
                and one.words.lower().endswith(("where", "is", "are", "was", "were", "did", "does"))
                else one
                for one in asked
            ]
        return tuple(asked)

    def _in_passing(self, one: Asked, every: Sequence[Asked]) -> bool:
        """ "The first days of March" asks for no date, "counting what is above 0.3" for no number of it."""
        if one.operation == "extreme_date" and turns.days_of(self.text, one.first):
            return True
        counted = one.operation == "count" and one.words.lower() in ("counted", "counting")
        return counted and (len(every) > 1 or asked_unit(self.text) is not None)

    def _settings(self) -> None:
        for mention in self.mentions:
            for meaning in mention.meanings:
                slot = meaning.entry.slot
                if meaning.category != "setting" or slot is None:
                    continue
                present = self.slots.get(slot)
                if present is None:
                    self._put(slot, meaning.entry.value, mention.words)
                elif slot in _ONE_VALUED and present.value != meaning.entry.value:
                    choices = (str(present.value), str(meaning.entry.value))
                    words = f"{present.words}, {mention.words}"
                    self.ambiguities.append(Ambiguity(slot, words, choices, choices[0]))

    def _ask(self) -> None:
        rate = turns.rate(self.text)
        if rate and self._operation() in ("", "difference", "change", "mean") and self._group() in ("", "year"):
            self.slots.pop("group_by", None)
            kept = tuple(one for one in self.asked if one.operation not in COMPARING)
            self.asked = (Asked("trend", "analysis", rate.first, rate.words), *kept)
        self._turned()
        if not self.asked:
            return
        main = self.asked[0]
        self._put("operation", main.operation, main.words)
        self._put("operations", tuple(one.operation for one in self.asked), ", ".join(one.words for one in self.asked))
        numbers = [one for one in self.asked if one.rank == "statistic"]
        if main.operation == "extreme_date":  # "when was the mean at its minimum" asks for the minimum
            numbers.sort(key=lambda one: one.operation not in ("maximum", "minimum"))
        if numbers:
            self._put("statistic", numbers[0].operation, numbers[0].words)
        of_means = turns.of_means(self.text)
        if of_means and main.rank == "statistic":
            self._put("over_dates", of_means.value, of_means.words)
        elif [one.operation for one in numbers] in (["maximum", "mean"], ["minimum", "mean"]) and main is numbers[0]:
            extreme, mean = numbers
            if not re.search(r"\b(?:and|or)\b", self.text[extreme.first : mean.first]):
                self._put("over_dates", extreme.operation, f"{extreme.words}, {mean.words}")

    def _turned(self) -> None:
        """What is asked by a turn of phrase and by no word of the lexicon."""
        said = {one.operation for one in self.asked}
        image, place = turns.one_image(self.text), turns.largest_place(self.text)
        if image is not None and "composite" not in said:
            self.asked = (Asked("composite", "analysis", image.first, image.words), *self.asked)
        if place is not None and "largest_patches" not in said and self._operation() in ("", "area", "maximum"):
            self.asked = (*self.asked, Asked("largest_patches", "analysis", place.first, place.words))
        if not self.asked:
            named = [subject for subject in self.subjects if subject.sure >= 1]
            found = [turn for one in named if (turn := turns.extreme_of(self.text, one.first)) is not None]
            self.asked = tuple(Asked(str(turn.value), "statistic", turn.first, turn.words) for turn in found[:1])

    def _group(self) -> str:
        found = self.slots.get("group_by")
        return "" if found is None else str(found.value)

    def _quantity(self) -> Subject | None:
        found = self.subjects = self._without_bystanders()
        main = self._that_fell(found) or main_subject(self.text, found, self.asked)
        if main is None:
            return None
        if turns.in_decibels(self.text) and f"{main.quantity}_db" in quantity_kinds():
            main = replace(main, quantity=f"{main.quantity}_db")
            self.subjects = found = tuple(
                replace(one, quantity=main.quantity) if f"{one.quantity}_db" == main.quantity else one for one in found
            )
        statistic = self.slots.get("statistic")
        if (
            statistic is not None
            and main.quantity in turns.DRY_IS_HIGH
            and re.match(r"dri|wet", statistic.words.lower())
        ):
            turned = {"minimum": "maximum", "maximum": "minimum"}[statistic.value]
            self.slots["statistic"] = Slot(turned, statistic.words, True, "where it is dry, it is high")
        unsure = main.sure <= 0
        self._put("quantity", main.quantity, main.words, unsure or main.feature is not None, main.note)
        if main.feature is not None:
            self._put("feature", main.feature.value, main.words)
            if main.feature.class_:
                self._put("class", main.feature.class_, main.words)
        elif main.quantity in spectral_indices() and main.sure == 2:
            self._put("index", main.quantity, main.words)
        for named in found if main.feature is not None else ():
            if named.feature is None and named.sure == 2 and named.quantity in spectral_indices():
                self._put("index", named.quantity, named.words)  # "water by NDWI"
        limited = {subject.quantity for limit in self.limits if (subject := attach(limit, found)) is not None}
        others: dict[str, Subject] = {}
        for subject in found:
            if subject.quantity != main.quantity and not subject.source and subject.sure >= 1:
                others.setdefault(subject.quantity, subject)
        for subject in list(others.values()):
            where = subject.feature.class_ if subject.feature is not None else None
            if where and (main.feature is None or main.feature.loose) and self._operation() != "correlation":
                self._put("class", where, subject.words)
                del others[subject.quantity]
        sources = dict.fromkeys(
            subject.quantity for subject in found if subject.source and subject.quantity != main.quantity
        )
        if sources:
            self._put("sources", tuple(sources), ", ".join(dict.fromkeys(s.words for s in found if s.source)))
        if others:
            names = (main.quantity, *others)
            words = ", ".join((main.words, *(subject.words for subject in others.values())))
            self._put("quantities", names, words)
            loose = [name for name in others if name not in limited]
            if loose and self._operation() != "correlation":
                self.ambiguities.append(Ambiguity("quantity", words, (main.quantity, *loose), main.quantity))
        return main

    def _that_fell(self, found: Sequence[Subject]) -> Subject | None:
        """The quantity named last before "fell by more than 0.3", or between these words."""
        fell = turns.fell_by(self.text)
        if fell is None:
            return None
        named = [one for one in found if one.sure == 2 and fell.first - 20 <= one.first < fell.past]
        return named[-1] if named else None

    def _without_bystanders(self) -> tuple[Subject, ...]:
        """Subjects without usual readings beside a named quantity, and without clouds that only get in the way."""
        found = self.subjects
        if self._operation() == "correlation":
            return found
        sure = [subject for subject in found if subject.sure >= 1]
        if sure:
            families = {subject.quantity for subject in sure}
            found = tuple(s for s in found if s.sure >= 1 or s.quantity in families)
        in_water = [s for s in found if s.feature is not None and s.feature.class_ == "water"]
        plain = [s for s in in_water if s.feature is not None and s.feature.value == "open_water"]
        if plain and len(plain) < len(in_water):  # "the water was turbid" is not about the water's extent
            found = tuple(s for s in found if s not in plain)
        clouds = [s for s in found if s.feature is not None and s.feature.value == "cloud"]
        if clouds and len(clouds) < len(found):
            self._put("mask_clouds", True, clouds[0].words, True, "what clouds hide is left out")
            found = tuple(s for s in found if s not in clouds)
        return found

    def _operation(self) -> str:
        return self.asked[0].operation if self.asked else ""

    def _limits(self, main: Subject | None) -> None:
        conditions: list[tuple[str, Threshold]] = []
        condition_words: list[str] = []
        whole = [limit for limit in self.limits if limit.of_area or self._is_share(limit)]
        fell = turns.fell_by(self.text)
        if fell and main is not None:
            self._put("drop", fell.value, fell.words)
            self.understood.append((fell.first, fell.past))
        for limit in self.limits:
            if "drop" in self.slots and fell and limit.first < fell.past and fell.first < limit.past:
                continue
            if limit in whole:
                self._put("share_threshold", limit.threshold, limit.words)
                continue
            subject = attach(limit, self.subjects)
            quantity = limit.suggested if subject is None else subject.quantity
            threshold = self._with_unit(limit, quantity)
            if quantity is None or (main is not None and quantity == main.quantity and "threshold" not in self.slots):
                self._put("threshold", threshold, limit.words)
                self._put("side", threshold.side, limit.words, not limit.side_said)
                if not limit.side_said:
                    self.ambiguities.append(Ambiguity("side", limit.words, ("above", "below"), "above"))
            else:
                conditions.append((quantity, threshold))
                condition_words.append(limit.words)
        if conditions:
            self._put("conditions", tuple(conditions), ", ".join(condition_words))
        self._default_limit(main)

    def _is_share(self, limit: Limit) -> bool:
        """A percentage beside a limit on the quantity itself: "at least 30 % had more than 315 K"."""
        plain = [other for other in self.limits if other.threshold.unit != "%" and other.threshold.relative_to is None]
        return (
            limit.threshold.unit == "%"
            and limit.threshold.relative_to is None
            and bool(plain)
            and limit.suggested is None
        )

    def _with_unit(self, limit: Limit, quantity: str | None) -> Threshold:
        """ "degrees" of a temperature may be Celsius or Fahrenheit: left open."""
        threshold = limit.threshold
        thermal = quantity is not None and "temperature" in quantity
        if threshold.unit == "degree" and thermal:
            self.ambiguities.append(Ambiguity("threshold", limit.words, ("degC", "degF")))
            return Threshold(threshold.value, None, threshold.side, threshold.upper, threshold.relative_to)
        return threshold

    def _default_limit(self, main: Subject | None) -> None:
        said = "threshold" in self.slots or "drop" in self.slots
        if main is None or main.feature is None or main.feature.threshold is None or said:
            return
        wanted = {one.operation for one in self.asked}
        if self._operation() in ("spikes", "extreme_date"):
            wanted.discard("count")
        only_numbers = bool(self.asked) and all(one.rank == "statistic" for one in self.asked)
        if (main.feature.loose and not wanted & NEEDS_LIMIT) or only_numbers:
            return
        limit = main.feature.threshold
        threshold = Threshold(limit.value, limit.unit, limit.side, limit.upper)
        self._put("threshold", threshold, main.words, True, main.feature.source)
        self._put("side", limit.side, main.words, True)

    def _time(self) -> None:
        spans = self.times.spans
        days = [span for span in spans if span.single_day and span.period is not None]
        dated = [span for span in spans if span.period is not None]
        undated = [span for span in spans if span.period is None and span.months]
        around = next((span for span in spans if span.ends is not None and span.period is None), None)
        seasonal = any(span.seasonal for span in spans)
        note = "seasons are the meteorological ones of the northern hemisphere" if seasonal else ""
        words = ", ".join(span.words for span in spans if span.period is not None)
        if days:
            self._put(
                "dates", tuple(span.period.start for span in days if span.period), ", ".join(s.words for s in days)
            )
        if dated:
            periods = self._periods(dated)
            if len(days) != len(dated) or len(dated) > 1:
                self._put("period", hull(periods), words, note=note)
            if len(periods) == 2 and not self._one_span(dated, periods):
                first, second = reversed(periods) if self._second_is_baseline(dated) else periods
                self._put("comparison", (first, second), words)
        if around is not None and around.ends is not None:
            self._put("comparison", around.ends, around.words)
        if undated:
            months = tuple(dict.fromkeys(month for span in undated for month in span.months))
            self._put("months", months, ", ".join(span.words for span in undated), note=note)
        before_after = _BEFORE_AFTER.search(self.text)
        if before_after:
            self._put("comparison", ("before", "after"), before_after.group())
            self.understood.append(before_after.span())
        vague = _SEASON_WORDS.search(self.text)
        if vague and not dated:
            self.ambiguities.append(Ambiguity("months", vague.group(), ("depends on the region",)))

    def _one_span(self, dated: Sequence[Span], periods: Sequence[Period]) -> bool:
        """ "In July and August" is one span where nothing is compared, and so is "which month, July or August"."""
        between = self.text[dated[0].past : dated[-1].first].lower().split()
        if self._operation() == "extreme_date" and "or" in between:
            return True
        first, second = sorted(periods, key=lambda period: period.start)
        follows = dt.date.fromisoformat(second.start) - dt.date.fromisoformat(first.end) == dt.timedelta(days=1)
        compared = {one.operation for one in self.asked} & COMPARING
        return follows and bool(self.asked) and not compared and len(dated) >= 2

    def _second_is_baseline(self, dated: Sequence[Span]) -> bool:
        """ "Warmer in 2022 than in 2020" asks for 2022 minus 2020: what is named second is compared with."""
        return _BASELINE.search(self.text[dated[0].past : dated[-1].first]) is not None

    def _kind_of_date(self) -> None:
        """ "Which year was greenest" asks for a year, not for a day."""
        kind = _KIND_OF_DATE.search(self.text)
        if kind and self._operation() == "extreme_date":
            self._put("group_by", kind["kind"].lower(), kind.group())

    def _range_ends(self) -> None:
        """ "How did it change between 2019 and 2023" compares the two ends, where nothing else is compared."""
        dated = [span for span in self.times.spans if span.period is not None]
        event = self.slots.get("feature")
        of_event = event is not None and event.value in turns.EVENTS
        if len(dated) == 1 and dated[0].ends is not None and (self._compares() or of_event):
            self._put("comparison", dated[0].ends, dated[0].words)

    def _compares(self) -> bool:
        asked = {one.operation for one in self.asked}
        return bool(asked & COMPARING) and "trend" not in asked

    @staticmethod
    def _periods(spans: Sequence[Span]) -> list[Period]:
        """The periods once each; one that holds another (the year around a month) is only its setting."""
        periods = list(dict.fromkeys(span.period for span in spans if span.period is not None))
        return [
            outer
            for outer in periods
            if not any(outer.start <= inner.start and inner.end <= outer.end for inner in periods if inner != outer)
        ]

    def _regions(self) -> None:
        if not self.places:
            return
        names = tuple(dict.fromkeys(place.name for place in self.places))
        self._put("region", names[0] if len(names) == 1 else ", ".join(names), ", ".join(names))
        joined = (
            len(names) == 2 and any(one.operation in COMPARING for one in self.asked) and "comparison" not in self.slots
        )
        if joined:
            between = self.text[self.text.find(names[0]) + len(names[0]) : self.text.find(names[1])].strip().lower()
            if between in ("and", "and the", "with", "vs", "vs.", "versus", "or", "to", "than"):
                self._put("comparison", names, f"{names[0]} {between} {names[1]}")

    def _leftover(self) -> tuple[str, ...]:
        """Content words that no step has understood, in order."""
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
