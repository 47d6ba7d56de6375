"""What a chain of steps comes to: "first list..., then derive..., finally compare..." asks for the comparison.

Experts' questions name intermediate products, statistics and comparisons in any order, in one sentence or in five. What
decides a plan is the outermost of them: comparator over reducer over product. This reading takes a goal as understood
and names these three, so that a question with its steps spelled out and the same question without them mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import CHANGES
from knowflow.model.goal import Period, QueryGoal, Slot, Threshold
from knowflow.reason.language import chain_words as words
from knowflow.reason.language import product_words as products
from knowflow.reason.language.compared import (
    compares_two,
    found_pair,
    hull_of,
    in_order,
    names_pair_of_seasons,
    span_of,
    years_named,
)
from knowflow.reason.language.distance import asks_for_distance
from knowflow.reason.language.limits import make_classes
from knowflow.reason.language.movements import grew_markedly, moved_by
from knowflow.reason.language.nested import of_others
from knowflow.reason.language.product_slots import limit_for_granted, product_details
from knowflow.reason.language.products_named import EXTREMES, Products
from knowflow.reason.language.purposes import without_purposes
from knowflow.reason.language.retrieval_words import (
    CELSIUS_LIMIT,
    averaged,
    counted_limits,
    dryness_extreme,
    operation_of_retrievals,
    retrieved_details,
    statistic_of_a_scene,
)


def outcome(
    goal: QueryGoal, made_of: Mapping[str, frozenset[str]], of_algorithm: Mapping[str, tuple[str, ...]]
) -> QueryGoal:
    """The goal with its outermost operation first, about the last of the products it names.

    ``made_of`` says of what a quantity is usually derived: mentioned together, the derived one is asked about.
    ``of_algorithm`` says what the algorithms that a question may name retrieve.
    """
    reading = _Chain(goal, made_of, of_algorithm)
    reading.read_quantity()
    reading.read_limits()
    reading.read_operation()
    reading.read_comparison()
    reading.read_details()
    return replace(goal, slots=reading.slots)


class _Chain:
    """One reading of a goal; each step fills or corrects slots."""

    def __init__(
        self, goal: QueryGoal, made_of: Mapping[str, frozenset[str]], of_algorithm: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.goal = goal
        self.text = goal.text
        self.slots = dict(goal.slots)
        self._of_algorithm = of_algorithm
        self._products = Products(goal, made_of, of_algorithm)

    def _put(self, slot: str, value: Any, said: str = "", note: str = "") -> None:
        known = self.slots.get(slot)
        self.slots[slot] = Slot(value, said or (known.words if known else ""), False, note)

    def _drop(self, *slots: str) -> None:
        for slot in slots:
            self.slots.pop(slot, None)

    def _value(self, slot: str, default: Any = None) -> Any:
        return self.slots[slot].value if slot in self.slots else default

    # --- what about -----------------------------------------------------------------------------------------------

    def read_quantity(self) -> None:
        """The product that the others named are steps to."""
        if products.from_numbers(self.text):
            self._put("algorithm", "radiometric_correction")
            self._put("quantity", "surface_bidirectional_reflectance")
            return
        main = self._products.asked()
        if main is not None and main != self.goal.value("quantity"):
            self._put("quantity", main, note="what the steps of the question lead to")

    def read_limits(self) -> None:
        """The limits on the main quantity as its threshold (several: as classes), the others as conditions."""
        former, main = self.goal.value("quantity"), self._value("quantity")
        conditions = [(name, one) for name, one in self.goal.value("conditions") or () if one.relative_to is None]
        threshold = self.goal.value("threshold")
        said = isinstance(threshold, Threshold) and not self.slots["threshold"].default
        if former == "toa_brightness_temperature" and main == "surface_temperature":
            former = main  # what is retrieved of brightness temperatures is what is limited
        others = [(str(former), threshold)] if said and former != main and former is not None else []
        own = [threshold] if said and former == main else []
        for name, limit in dict.fromkeys(conditions):
            limited = (self._that_can_be(limit) or name) if name == main else name
            if (limited, main, limit.unit) == ("precipitation_rate", "precipitation", "mm day-1"):
                limited, limit = main, replace(limit, unit="mm")  # files of rain are sums of a day
            if limited == main:
                own.append(limit)
            else:
                others.append((limited, limit))
        if not own or not said:
            self._drop("threshold", "side")
        if not own and len(others) == len(conditions) == 1 and self._is_counted():
            (main, limit), others = others[0], []
            own = [limit]
            self._put("quantity", main, note="what is limited is counted")
        measured = self._measured_there(str(main), len(own)) if own and not others else None
        if measured is not None:
            self._put("quantity", measured, note="measured where the other is beyond its limit")
            others, own = [(str(main), limit) for limit in own], []
            self._drop("threshold", "side")
        if own:
            self._take_limits(own)
        self._drop("conditions")
        if others:
            self._put("conditions", tuple(others))
        self._read_relative_limits()

    def _that_can_be(self, limit: Threshold) -> str | None:
        """The other quantity that is named and can have such a value, where the main one never has it: of temperature
        and emissivity, 0.96 is an emissivity."""
        if limit.unit is not None or _in_range(str(self._value("quantity")), limit):
            return None
        return next((name for name in self._products.mentioned if _in_range(name, limit)), None)

    def _is_counted(self) -> bool:
        """Pixels or dates beyond a limit are asked for, and no statistic of them."""
        said = set(self.goal.value("operations") or ())
        return bool(said & {"share", "count"}) and self.goal.value("statistic") not in ("maximum", "minimum")

    def _measured_there(self, main: str, limits: int) -> str | None:
        """ "Identify pixels with A > 1 and compute the mean B of these", "the mean B where A > 1 and where A < 0": B is
        what is asked about."""
        asked = "mask" in (self.goal.value("operations") or ()) or words.THERE.search(self.text)
        if not (asked or limits == 2) or self.goal.value("statistic") not in EXTREMES:
            return None
        steps, retrieved = self._products.derived(main), self._products.retrieved
        named = [name for name in self.goal.value("quantities") or () if name != main and name not in CHANGES]
        others = [name for name in named if not self._products.is_left_to_index(name)]
        return next(
            (
                name
                for name in others
                if averaged(self.text, name) or (asked and (name in retrieved or name not in steps))
            ),
            None,
        )

    def _take_limits(self, own: list[Threshold]) -> None:
        """One limit as the threshold; of several that make classes, that of the class that is asked about."""
        chosen = own[0]
        if len(own) > 1:
            names = [match["name"].lower() for match in words.NAMED_CLASS.finditer(self.text)]
            last = re.split(r"[.;]", self.text.strip(" ."))[-1].lower()
            named = [limit for name, limit in zip(names, own, strict=False) if re.search(rf"\b{name}\b", last)]
            if len(names) == len(own) and len(named) == 1:
                chosen = named[0]
            else:
                self._put("limits", tuple(own))
        self._put("threshold", chosen)
        self._put("side", chosen.side)

    def _read_relative_limits(self) -> None:
        """Limits that are told by the mean of the quantity, and increases and decreases that count."""
        every = [self.goal.value("threshold"), self.goal.value("share_threshold")]
        every += [limit for _, limit in self.goal.value("conditions") or ()]
        told = next((one for one in every if isinstance(one, Threshold) and one.relative_to == "mean"), None)
        moved = moved_by(self.text)
        if more := words.MORE_THAN_MEAN.search(self.text):
            percent = more["a"] or more["b"] or more["c"]
            self._put("times_mean", _raised(float(percent)) if percent else float(more["d"] or more["e"]), more.group())
            if more["e"] and words.BELOW_IT.search(self.text, more.end()):
                self._put("mean_side", "below")
        elif same := words.MEAN_IS_LIMIT.search(self.text):
            self._put("times_mean", 1.0, same.group())
        elif told is not None:
            self._put("times_mean", round(told.value / 100, 6))
            self._put("mean_side", told.side)
        elif rise := next((one for one in moved if one.way == "up" and one.percent), None):
            self._put("times_mean", _raised(rise.value), rise.words)
        elif fall := next((one for one in moved if one.way == "down"), None):
            self._put("drop", fall.value / (100 if fall.percent else 1), fall.words)
        if {"times_mean", "drop"} & self.slots.keys():
            self._drop("threshold", "side", "share_threshold", "conditions", "limits")

    # --- what is asked --------------------------------------------------------------------------------------------

    def read_operation(self) -> None:
        """The outermost operation, what is inside it, and the statistic that is compared, dated or followed."""
        said = self._said()
        granted = limit_for_granted(self.text, str(self._value("quantity")), self.slots.keys(), said)
        self.slots |= granted
        said |= {"share", "extreme_date"} if "threshold" in granted else set()
        if products.smallest_instead(self.text, self.goal.slots.get("statistic")):
            said -= {"maximum"}
        outermost = self._outermost(said)
        statistic = next((name for name in words.STATISTICS if name in said), None)
        limited = "threshold" in self.slots and outermost in words.COMPARED and statistic is None
        inner = next((name for name in words.INNER if name in said and name != outermost), None)
        inner = None if inner == "share" and not words.SHARED & self.slots.keys() else inner
        inner = inner or ("share" if limited else statistic or "mean")
        rest = [name for name in (*words.OUTERMOST, *words.STATISTICS) if name in said and name != outermost]
        self._put("operation", outermost)
        self._put("operations", (outermost, *rest))
        self._put("statistic", inner if outermost in words.OF_STATISTICS else statistic or "mean")
        if outermost == "extreme_date":
            self._put("statistic", "minimum" if "minimum" in said and "maximum" not in said else "maximum")
        self._put("of_each", statistic_of_a_scene(self.text, outermost, frozenset(said)))
        if dryness := dryness_extreme(self.text, str(self._value("quantity"))):
            self._put("statistic", dryness, note="where it is dry, it is high or low")
        if outermost in words.STATISTICS and "share_threshold" not in self.slots:
            self._drop("threshold", "side")

    def _said(self) -> set[str]:
        """Every operation that is heard, without those that only seem to be."""
        asking = without_purposes(self.text)
        heard = {name for name, pattern in words.HEARD.items() if pattern.search(asking)}
        heard |= {"difference"} if asks_for_distance(asking) is not None else set()
        said = set(self.goal.value("operations") or ()) | heard | products.heard(self.text) | self._nested()
        if products.only_grows_in_season(self.text):
            said -= {"change"}
        if words.SHARED & self.slots.keys() and words.SHARE_OF.search(asking):
            said |= {"share"}
        if len(self._value("limits", ())) < 2:
            said -= {"classify"}
        elif "share" in said and make_classes(self._value("limits")):
            said |= {"classify"}
        if len({name for name, _ in self._value("conditions", ())}) < 2:
            said -= {"intersection"}
        if self._value("quantity") in products.OF_AN_EVENT:  # a change already
            said -= words.COMPARED
        if not words.RELATED.search(self.text):
            said -= {"correlation"}
        if "difference" not in heard and words.PLOTTED.search(self.text):
            said -= {"difference"}  # one against the other, in a plot
        if {"difference", "extreme_date"} <= said and self._last("extreme_date") > self._last("difference"):
            said -= {"difference", "change"}
        two_named = "quantities" in self.slots or words.BY_EMISSIVITY.search(self.text)
        if not two_named or "conditions" in self.slots:
            said -= {"ratio"}
        if "extreme_date" not in heard and not words.HIGHEST.search(asking):
            said -= {"extreme_date"}  # "overlay the image with the other"
        if "trend" in said and not words.TREND.search(self.text):
            said = said - {"trend"} | {"change"}
        return said

    def _nested(self) -> set[str]:
        """The operations that statistics of statistics come to."""
        shares = of_others(self.text, "mean", "share")
        means = of_others(self.text, "maximum", "mean")
        heard = {"average_share": shares is not None, "largest_mean": means is not None and means.grouped}
        return {name for name, is_heard in heard.items() if is_heard}

    def _last(self, operation: str) -> int:
        """Where an operation is heard for the last time; -1 where it is not."""
        return max((match.start() for match in words.HEARD[operation].finditer(self.text)), default=-1)

    def _outermost(self, said: set[str]) -> str:
        """The operation that works on the results of all others."""
        whole = self._as_a_whole(said)
        if whole is not None:
            return whole
        found = next((name for name in words.OUTERMOST if name in said), "")
        if found == "mann_kendall" and "sens_slope" in said:
            return "mann_kendall_and_slope"
        changes, limited = said & words.COMPARED, "threshold" in self.slots
        if found in ("kurtosis", "skewness") and "extreme_date" in said and words.OF_EACH_SCENE.search(self.text):
            found = "extreme_date"
        if found == "trend" and changes and not words.FITTED.search(self.text) and compares_two(self.goal):
            found = "difference"
        changing = found in ("percent_change", "change", "trend") and said & {"percent_change", "change"}
        if changing and (said & {"maximum", "minimum", "extreme_date"} or words.EVENT.search(self.text)):
            dated = found == "change" and "extreme_date" in said and not words.EVENT.search(self.text)
            return "extreme_date" if dated else "largest_change"
        among = found in ("difference", "change") and words.AMONG_SEASONS.search(self.text)
        if among and not names_pair_of_seasons(self.text):
            return "by_season"
        if found in ("", "extreme_date") and "largest_mean" in said and words.EXTREME_OF.search(self.text) is None:
            found = found or "largest_mean"
        if found == "change":
            one = "share" if "share" in said and limited else "trend"
            return "difference" if compares_two(self.goal) else one
        if found == "count" and limited and "times_mean" not in self.slots:
            return "count_pixels" if self.goal.value("count_of") == "pixels" else "count_means"
        if not found or (found == "count" and not limited):
            found = next((name for name in words.STATISTICS if name in said), found)
        if not found and words.WHERE.search(self.text) and "index" in self.slots:
            return "hotspot_direction"
        return found or ("share" if limited else "mean")

    def _as_a_whole(self, said: set[str]) -> str | None:
        """Operations that several words make together."""
        apart = products.ends_apart(self.text, self.goal.value("period"))
        two, limited = compares_two(self.goal) or apart is not None, "threshold" in self.slots
        days = len(set(self.goal.value("dates") or ())) == 2
        own = products.operation_of_products(self.text, str(self._value("quantity")), said, limited, two, days)
        if own is not None:
            return own
        if {"share_threshold", "threshold"} <= self.slots.keys() and said & {"count", "share", "extreme_date"}:
            averaged = "average_share" in said or ({"share", "mean"} <= said and "count" not in said)
            if averaged and "count_of" not in self.slots:
                return "average_share"
            for slot, value in counted_limits(self._value("share_threshold"), self._value("threshold")).items():
                self._put(slot, value)
            return "count"
        if grew_markedly(self.text) and self._value("quantity") == "fire_radiative_power":
            return "increase_map"
        for name in ("fire_prone", "per_capita"):
            if name in said:
                return name
        if said & {"maximum", "minimum", "extreme_date"} and self._beyond_mean():
            return "beyond_mean"
        retrieved = operation_of_retrievals(self.text, str(self._value("quantity")))
        if retrieved is not None:
            return retrieved
        if words.RANGE_OF_MEANS.search(self.text) or self._both_extremes(said):
            return "range_of_means"
        if words.BOTH_ENDS.search(self.text) and "extreme_date" not in said:
            return "range_of_means" if words.RANGE.search(self.text) else "extremes_of_means"
        indexed = self.goal.value("index") not in (None, "ndti") and "times_mean" not in self.slots
        if "drop" in self.slots or (said & words.COMPARED and indexed and words.THRESHOLDS.search(self.text)):
            return "loss"
        if "count" in said and "times_mean" in self.slots and self.goal.value("count_of") != "pixels":
            return "count_above_mean"
        return None

    def _both_extremes(self, said: set[str]) -> bool:
        """Whether the largest and the smallest of the means of scenes are compared, and not two years or regions."""
        ends = {"difference", "maximum", "minimum", "mean"} <= said
        return ends and len(years_named(self.goal)) < 2 and words.BETWEEN_THEM.search(self.text) is not None

    def _beyond_mean(self) -> bool:
        """Whether an extreme is compared with the mean of all, and not with another extreme."""
        of_years = len(years_named(self.goal)) > 1
        beyond = not of_years and words.BEYOND_MEAN.search(self.text) is not None
        return beyond and not any(ends.search(self.text) for ends in (words.RANGE_OF_MEANS, words.BOTH_ENDS))

    def read_comparison(self) -> None:
        """What is compared with what, and in what the two differ."""
        given = self.goal.value("comparison")
        self._drop("comparison")
        if self._value("operation") not in words.OF_TWO or self._compares_ground():
            return
        pair = given if given is not None else found_pair(self.goal, self._value("operations"))
        pair = pair or products.ends_apart(self.text, self.goal.value("period"))
        if not pair or len(pair) != 2 or pair == ("before", "after"):
            return
        said = self.goal.slots["comparison"].words if given is not None else ""
        if not all(isinstance(one, Period) for one in pair):
            self._put("comparison", tuple(pair), said)
            self._put("span", "regions")
            return
        pair = in_order(pair)
        span = span_of(pair)
        self._put("comparison", pair, said)
        self._put("span", span)
        if span in ("within", "days"):
            self._drop("months")  # those of one part, or of both: the periods say it
            if "period" in self.slots:
                self._put("period", hull_of(pair, years_named(self.goal)))

    def _compares_ground(self) -> bool:
        """Whether places are compared that another quantity tells apart: "where NDVI < 0.2 and where it is > 0.5"."""
        limited = [name for name, _ in self._value("conditions", ())]
        return len(limited) == 2 and limited[0] == limited[1]

    def read_details(self) -> None:
        """How scenes are averaged, the unit, and what belongs to single operations; what plays no part is left out."""
        operation = self._value("operation")
        self._read_reduction()
        quantity, named = str(self._value("quantity")), (self.goal.value("quantity"), *self._products.mentioned)
        details = retrieved_details(self.text, quantity, self.slots)
        details = {**details, **product_details(self.text, quantity, str(operation), named)}
        for slot, value in details.items():
            self._drop(slot) if value is None else self._put(slot, value)
        self._drop("unit")
        thermal = "temperature" in str(self._value("quantity"))
        thermal = thermal or bool(words.THERMAL.search(self.text))
        if thermal and operation not in words.OF_PIXELS and words.CELSIUS.search(CELSIUS_LIMIT.sub("", self.text)):
            self._put("unit", "degC")
        if words.EACH_DATE.search(self.text):
            self._put("each", "scene")
        if operation == "extreme_date" and products.extremes_too(self.text):
            self._put("also", "extremes")
        if operation == "largest_change":
            self._put("statistic", "minimum" if words.LOSS.search(self.text) else "maximum")
        if operation == "extreme_date" and (kind := words.EXTREME_OF.search(self.text)):
            part = str(kind["kind"] or kind["of_the"]).lower()
            self._put("extreme_of", "season_of_year" if part == "season" else part, kind.group())
        if operation in words.TRENDS:
            per = str(self.goal.value("group_by") or "")
            self._put("per", "year" if words.ANNUAL.search(self.text) else per)
        if self._value("algorithm") not in self._of_algorithm:
            self._drop("algorithm")
        if operation not in words.LIMITED and self._value("statistic") != "share":
            self._drop("threshold", "side", "limits", "share_threshold")
        self._drop("feature", "top", "class", "daynight", "group_by", "count_of", "over_dates")

    def _read_reduction(self) -> None:
        """Whether scenes are averaged pixel by pixel before anything else."""
        lasting = "mean" in (self.goal.value("operations") or ()) or self._value("statistic") == "sum"
        lasting = lasting and self._value("span") == "years"
        kind = quantity_kinds().get(str(self._value("quantity")))
        lasting = lasting and kind is not None and kind.family == "urban"  # rain and fire come and go
        share = self._is_share() and self._value("mask_clouds") is None
        if share and (bands := words.BANDS_FIRST.search(self.text)):
            self._put("reduction", "bands", bands.group())
        elif maps := words.MAPS.search(self.text):
            self._put("reduction", "maps", maps.group())
        elif share and self._evened_out():
            self._put("reduction", "bands", note="daily reflectances are averaged before the index is made of them")
        elif share and kind is not None and kind.family == "index":
            self._put("reduction", "maps", note="an index of a longer time is averaged before its share is taken")
        elif lasting and not words.IMAGE_BY_IMAGE.search(self.text):
            self._put("reduction", "maps", note="what lasts is compared between years: averaged pixel by pixel")

    def _is_share(self) -> bool:
        """Whether the share of the area is asked for that is beyond a limit, once or to be compared."""
        shared = "share" in (self._value("operation"), self._value("statistic"))
        return shared and bool({"threshold", "times_mean"} & self.slots.keys())

    def _evened_out(self) -> bool:
        """Whether reflectances are averaged before an index is made of them: those of several days of a month, in which
        the ground stays as it is (snow comes and goes), and those of water, which glitters on single days."""
        kind = quantity_kinds().get(str(self._value("quantity")))
        if kind is None or kind.family != "index" or kind.name in words.OF_WATER | words.OF_SNOW:
            return kind is not None and kind.name in words.OF_WATER
        periods = self._value("comparison") or (self.goal.value("period"),)
        return all(isinstance(one, Period) and 1 < one.days <= words.MONTH for one in periods)


def _in_range(quantity: str, limit: Threshold) -> bool:
    """Whether a quantity can have the value of a limit that is told in its own unit."""
    kind = quantity_kinds().get(quantity)
    if kind is None or kind.range is None:
        return False
    low, high = kind.range
    return (low is None or low <= limit.value) and (high is None or limit.value <= high)


def _raised(percent: float) -> float:
    return round(1 + percent / 100, 6)
