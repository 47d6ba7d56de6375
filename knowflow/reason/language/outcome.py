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
from knowflow.reason.language.dates import SEASONS, month_period

# operations that are heard in the words of statistics and time series; the first that is heard is the outermost
_HEARD: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("spikes", r"\bspikes?\b|\bsudden (?:increase|jump|peak)s?\b|\babrupt (?:increase|change)s?\b"),
        ("hotspot_direction", r"\bdirection(?:al)?\b(?=.*\b(?:hot ?spots?|fires?|concentrat\w+))|"
                              r"\b(?:hot ?spots?|concentrat\w+)\b.*\bdirection|\bwhich (?:side|part)\b.*\bhot ?spots?"),
        ("change_points", r"\b(?:change|break|turning)[- ]?points?\b|\bstructural (?:change|break)s?\b"),
        ("seasonality", r"\bseasonality\b|\bperiodicity\b|\bperiodic (?:pattern|cycle)|\bdominant (?:cycle|period)\b"),
        ("autocorrelation", r"\bauto-?correlat\w+|\bacf\b"),
        ("decomposition", r"\bstl\b|\bdecompos\w+"),
        ("mann_kendall", r"\bmann[- ]?kendall\b|\bmonotonic trend|\btrend[^.]*\bsignifican\w+|\bsignifican\w+[^.]*\btrend"),
        ("sens_slope", r"\bsen'?s?(?:'s)? (?:slope|estimator)|\btheil[- ]sen\b"),
        ("kurtosis", r"\bkurto\w+|\b(?:platy|meso|lepto)kurtic"),
        ("skewness", r"\bskew\w*"),
        ("coefficient_of_variation", r"\bcoefficients? of variation\b|\bCV\b|\brelative variability\b|\bvolatility\b"),
        ("ratio", r"\bdivided by\b|\bquotient\b|\(\s*[A-Za-z]+\s*/\s*[\wεé]+\s*\)|\bratio (?:of|between)\s+(?:the\s+)?(?:mean|LST|temperature)"),
        ("percent_change", r"\bpercent(?:age)? (?:of )?(?:change|growth|increase|decrease)|\b(?:growth|change) rate\b|\brate of growth\b"
                           r"|\brelative change\b|\bchange in percent|\bby what percent"),
        ("change_map", r"\bchange map\b|\bmap of (?:the )?(?:change|difference)s?\b|\bdifference (?:map|image|raster)\b|\bchange detection\b"),
        ("fire_prone", r"\bfire[- ]prone areas?\b(?=.*\b(?:percentile|identif|map|delineat))"),
        ("mean_multiplier", r"\btimes the (?:overall |annual |period |long-term )?(?:mean|average)\b"),
        ("average_share", r"\baverage (?:of )?(?:the )?(?:ratios?|shares?|proportions?|percentages?) (?:among|of|over|across) (?:the )?(?:images|dates|days|scenes)"),
        ("largest_mean", r"\b(?:maximum|highest|largest) (?:of )?(?:the )?(?:daily|monthly|image|scene) (?:means?|averages?)"),
        ("per_capita", r"\bper[- ](?:capita|person|inhabitant)\b"),
        ("difference", r"(?<!ormalized )(?<!ormalised )\bdifferences?\b|\bcompar(?:e|ing|ison)\b"),
        ("extreme_date", r"\bthe (?:date|day) (?:when|of|with|on which|that|showing)\b|\b(?:which|what) (?:day|date)\b|\bpeak (?:\w+ )?(?:event|day|date)"),
        ("share", r"\b(?:percentages?|percent|proportions?|fraction) of (?:[\w-]+ ){0,4}?(?:areas?|pixels|region|land|zones?|bodies|water)\b"),
        ("intersection", r"\b(?:both|simultaneous\w*|at the same time|overlap\w*|intersect\w*|co-?occur\w*)\b"),
    )
)  # fmt: skip
# of what is understood anyway: outermost first
_OUTERMOST = (
    *(name for name, _ in _HEARD if name in ("spikes", "hotspot_direction", "change_points")),
    *("seasonality", "autocorrelation", "decomposition", "mann_kendall", "sens_slope", "fire_prone", "per_capita"),
    *("trend", "percent_change", "change_map", "difference", "change", "kurtosis", "skewness", "extreme_date", "count", "classify"),
    *("coefficient_of_variation", "ratio", "intersection", "correlation", "share", "hotspots"),
)
_STATISTICS = ("percentile", "median", "standard_deviation", "maximum", "minimum", "sum", "mean")
# what may be compared, dated or followed in time, beside plain statistics
_INNER = ("coefficient_of_variation", "kurtosis", "skewness", "share")
_LIMITED = frozenset(
    {"share", "count", "count_means", "count_pixels", "classify", "hotspot_direction", "extreme_date", "increase_map", "intersection"}
)
# what other quantities are told per unit of
_BASES = ("building_volume", "built_up_surface", "population_count", "population_density")
_COMPARED = frozenset({"difference", "change", "percent_change", "change_map"})
_OF_STATISTICS = _COMPARED | {"trend", "extreme_date", "loss", "by_season"}
_MAPS = re.compile(
    r"\b(?:mean|average|averaged|composite|annual|monthly|seasonal)\s+(?:\w+\s+){0,4}?(?:maps?|composites?)\b"
    r"|\b(?:maps?|rasters?)\s+of\s+(?:the\s+)?(?:mean|average)"
    r"|\baverag\w+\s+(?:\w+\s+){0,5}?(?:maps|rasters)\b|\bpixel by pixel\b|\bpixel-?wise (?:mean|average)",
    re.IGNORECASE,
)
_IMAGE_BY_IMAGE = re.compile(
    r"\b(?:each|every|per) (?:image|raster|file|scene|day|date|month|unit)\b|\bunit[- ]area\b|\bdaily\b|\bmonthly\b|\ball pixels\b",
    re.IGNORECASE,
)
_KIND = re.compile(r"\b(?:which|what|the) (?P<kind>year|season|month)\b(?! of)", re.IGNORECASE)
_CELSIUS = re.compile(
    r"\b(?:in|to|as)\s+(?:degrees?\s+)?(?:celsius|°\s?C)\b|\bdeg(?:rees?)?\.? ?C\b|\bCelsius\b", re.IGNORECASE
)
_RELATED = re.compile(r"\bcorrelat\w+|\brelation\w*|\bassociat\w+", re.IGNORECASE)
_TREND = re.compile(r"\btrends?\b|\bslope\b|\bregress\w+|\blinear\b|\brate of change\b|\bper year\b", re.IGNORECASE)
_FITTED = re.compile(r"\bslope\b|\bregress\w+|\blinear\b|\bmann\b|\bsen\b", re.IGNORECASE)
_EVENT = re.compile(r"\b(?:greatest|largest|maximum|biggest|most severe|strongest)\s+(?:\w+\s+){0,2}(?:loss|gain|increase|decrease|decline|change|drop|rise)", re.IGNORECASE)
_LOSS = re.compile(r"\b(?:loss|decrease|decline|drop|reduction)\b", re.IGNORECASE)
_AMONG_SEASONS = re.compile(r"\b(?:among|between|across|for each of the|each|the four|all)\s+(?:\w+\s+){0,2}?seasons?\b", re.IGNORECASE)
_GREW = re.compile(r"\bsignificant\w*\s+increas\w+|\bincreas\w+\s+significant\w*|\bthreshold of (?:significant )?increase", re.IGNORECASE)
_PLUS = re.compile(r"\+\s*(?P<n>\d+(?:\.\d+)?)\s*(?:MW|K|%|mm)?")
_EACH = re.compile(r"\b(?:for )?(?:each|every|per) (?:day|date|time|image|sampling|scene)\b|\bat each (?:\w+ )?time\b|\bdaily\b|\bover time\b", re.IGNORECASE)
_NOT_RESIDENTIAL = re.compile(r"\bnon[- ]?residential\b|\bnres\b|\bcommercial\b", re.IGNORECASE)
_RESIDENTIAL = re.compile(r"(?<!non-)(?<!non )(?<!non)\bresidential\b", re.IGNORECASE)
_ANNUAL = re.compile(r"\bannual\w*\b|\byearly\b|\bper year\b|\beach year\b", re.IGNORECASE)
_CONVERT = re.compile(r"\bconvert\b", re.IGNORECASE)
_THRESHOLDS = re.compile(r"\bthreshold", re.IGNORECASE)
_NAMED_CLASS = re.compile(r"\b(?P<name>[a-z]+)\s*\(\s*(?=[<>≥≤=]|\d)", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:annual|yearly|whole[- ]year|overall|entire[- ]year|full[- ]year)\s+(?:\w+\s+){0,2}?(?:average|mean)",
    re.IGNORECASE,
)
_SEASON = re.compile(r"\b(" + "|".join(SEASONS) + r")\b", re.IGNORECASE)
_HALVES = re.compile(
    r"\b(early|late|first half|second half|mid)[- ]+(?:of )?(\w+)\s*\(?\s*(?:\w+\s+)?(\d{1,2})\s*[-–]\s*(\d{1,2})\)?"
)
_MORE_THAN_MEAN = re.compile(
    r"(?P<a>\d+(?:\.\d+)?)\s*%\s*(?:higher|greater|more|larger|above|over)\s+(?:than\s+)?(?:the\s+)?(?:\w+\s+)?(?:mean|average)"
    r"|(?:exceed\w*|above|over|higher than|greater than|more than)\s+(?:the\s+)?(?:\w+\s+)?(?:mean|average)\s+(?:\w+\s+)?by\s+(?:more than\s+)?(?P<b>\d+(?:\.\d+)?)\s*%"
    r"|>\s*(?P<c>\d+(?:\.\d+)?)\s*%\s*(?:of\s+)?(?:the\s+)?(?:mean|average)"
    r"|(?P<d>\d(?:\.\d+)?)\s+times\s+(?:the\s+)?(?:mean|average)",
    re.IGNORECASE,
)
_MEAN_IS_LIMIT = re.compile(
    r"\bmean (?:\w+ ){0,2}(?:was|is|as) (?:set |used |taken )?(?:as )?(?:the |a )?threshold|\busing the mean as\b|\bset as the threshold\b"
    r"(?<=threshold)|\babove (?:the|its|their) (?:\w+ )?(?:mean|average)\b",
    re.IGNORECASE,
)
_RISE = re.compile(
    r"(?P<a>\d+(?:\.\d+)?)\s*%\s*(?:increase|rise|growth)|(?:increas\w+|ris\w+)\s+(?:exceeding|above|over|by more than|of more than)\s+"
    r"(?P<b>\d+(?:\.\d+)?)\s*%",
    re.IGNORECASE,
)
_DROP = re.compile(
    r"\b(?:decreas\w+|drop\w*|declin\w+|loss|reduc\w+|falls?)\s+(?:in\s+\w+\s+|of\s+\w+\s+)?(?:of\s+|by\s+)?"
    r"(?:greater than|more than|exceeding|over|above|by|>)\s*(?:more than\s+)?(?P<n>\d*\.?\d+)\s*(?P<percent>%)?",
    re.IGNORECASE,
)


def outcome(
    goal: QueryGoal, made_of: Mapping[str, frozenset[str]], of_algorithm: Mapping[str, tuple[str, ...]]
) -> QueryGoal:
    """The goal with its outermost operation first, about the last of the products it names.

    ``made_of`` says of what a quantity is usually derived: mentioned together, the derived one is asked about.
    ``of_algorithm`` says what the algorithms that a question may name retrieve.
    """
    slots = dict(goal.slots)
    reading = _Chain(goal, slots, made_of, of_algorithm)
    reading.quantity()
    reading.limits()
    reading.operation()
    reading.comparison()
    reading.details()
    return replace(goal, slots=slots)


class _Chain:
    """One reading of a goal; each step fills or corrects slots."""

    def __init__(
        self,
        goal: QueryGoal,
        slots: dict[str, Slot],
        made_of: Mapping[str, frozenset[str]],
        of_algorithm: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.goal = goal
        self.text = goal.text
        self.slots = slots
        self._made_of = made_of
        self._of_algorithm = of_algorithm
        self.said = set(goal.value("operations") or ())

    def _put(self, slot: str, value: Any, words: str = "", note: str = "") -> None:
        known = self.slots.get(slot)
        self.slots[slot] = Slot(value, words or (known.words if known else ""), False, note)

    def _derived(self, quantity: str, found: frozenset[str] = frozenset()) -> frozenset[str]:
        """What a quantity is made of, directly or through others."""
        direct = self._made_of.get(quantity, frozenset()) - found
        return frozenset().union(direct, *(self._derived(name, found | direct) for name in direct))

    # --- what about -----------------------------------------------------------------------------------------------

    def quantity(self) -> None:
        goal = self.goal
        main = goal.value("quantity")
        conditions = [name for name, _ in goal.value("conditions") or ()]
        retrieved = self._of_algorithm.get(str(goal.value("algorithm")), ())
        if (
            retrieved
            and main not in retrieved
            and (main is None or any(main in self._derived(one) for one in retrieved))
        ):
            main = retrieved[0]
        statistic = goal.value("statistic") in ("mean", "maximum", "minimum")
        for name in [*(goal.value("quantities") or ()), *conditions, *self._sources()]:
            conditional = name in conditions and statistic
            if main in self._derived(name) and not conditional and main not in retrieved:
                main = name
            if main in CHANGES and name not in CHANGES:
                main = name
        if main is None and re.search(r"\bthermal\b|\bcelsius\b|\btemperature", self.text, re.IGNORECASE):
            main = "surface_temperature"
        if main in _BASES:  # "light per building volume" is about light
            others = (*(goal.value("quantities") or ()), *(goal.value("sources") or ()))
            main = next((name for name in others if name not in _BASES), main)
        if re.search(r"\bturbid\w*", self.text, re.IGNORECASE) and main in ("ndti", "ndwi", "mndwi", None):
            main = main if main is not None and re.search(main, self.text, re.IGNORECASE) else "turbidity"
        if main is not None and main != goal.value("quantity"):
            self._put("quantity", main, note="what the steps of the question lead to")

    def _sources(self) -> tuple[str, ...]:
        """The quantities named as data, where nothing but their names leads to them."""
        return () if self.goal.slots.get("feature") else tuple(self.goal.value("sources") or ())

    def limits(self) -> None:
        """The limits on the main quantity as its threshold (several: as classes), the others as conditions."""
        former, main = self.goal.value("quantity"), self.slots["quantity"].value if "quantity" in self.slots else None
        conditions = list(self.goal.value("conditions") or ())
        threshold = self.goal.value("threshold")
        said = isinstance(threshold, Threshold) and not self.slots["threshold"].default
        others = [(str(former), threshold)] if said and former != main and former is not None else []
        others += [(name, limit) for name, limit in conditions if name != main]
        every = [threshold] if said and former == main else []
        every += [limit for name, limit in conditions if name == main]
        if former != main or not said:
            self.slots.pop("threshold", None)
            self.slots.pop("side", None)
        if every and not others and (other := self._measured_inside(main)) is not None:
            self._put("quantity", other, note="measured where the other is beyond its limit")
            others, every = [(str(main), every[0])], []
            self.slots.pop("threshold", None)
        if every:
            self._limited(every)
        if others:
            self._put("conditions", tuple(others))
        else:
            self.slots.pop("conditions", None)
        self._relative()

    def _measured_inside(self, main: Any) -> str | None:
        """ "Identify pixels with A > 1 and compute the mean B": B is what is asked about."""
        others = [name for name in self.goal.value("quantities") or () if name != main and name not in CHANGES]
        together = self._of_algorithm.get(str(self.goal.value("algorithm")), ())
        derived = self._derived(str(main))
        others = [name for name in others if name in together or name not in derived or self._averaged(name)]
        statistic = self.goal.value("statistic") in ("mean", "maximum", "minimum")
        inside = "mask" in self.said or re.search(r"\b(?:these|those|such)\s+(?:[\w-]+\s+){0,2}?(?:pixels|areas|regions|zones)\b", self.text)
        return others[0] if others and statistic and inside else None

    def _averaged(self, quantity: str) -> bool:
        """The text asks for the mean, maximum or minimum of just this quantity."""
        kind = quantity_kinds().get(quantity)
        names = [quantity.replace("_", " "), *(kind.synonyms if kind is not None else ())]
        pattern = "|".join(re.escape(name) for name in names)
        return bool(re.search(rf"\b(?:average|mean|maximum|minimum)\s+(?:[\w-]+\s+){{0,3}}?(?:{pattern})\b", self.text, re.IGNORECASE))

    def _limited(self, every: list[Threshold]) -> None:
        """One limit as the threshold; of several that make classes, that of the class that is asked about."""
        chosen = every[0]
        if len(every) > 1:
            self._put("limits", tuple(every))
            names = [match["name"].lower() for match in _NAMED_CLASS.finditer(self.text)]
            tail = re.split(r"[.;]", self.text.strip(" ."))[-1].lower()
            named = [limit for name, limit in zip(names, every, strict=False) if re.search(rf"\b{name}\b", tail)]
            if len(names) == len(every) and len(named) == 1:
                chosen = named[0]
                self.slots.pop("limits")
        self._put("threshold", chosen)
        self._put("side", chosen.side)

    def _relative(self) -> None:
        """Limits that are told by the mean of the quantity, and increases and decreases that count."""
        every = [self.goal.value("threshold"), self.goal.value("share_threshold")]
        every += [limit for _, limit in self.goal.value("conditions") or ()]
        told = next((one for one in every if isinstance(one, Threshold) and one.relative_to == "mean"), None)
        relative, rise, drop = _MORE_THAN_MEAN.search(self.text), _RISE.search(self.text), _DROP.search(self.text)
        if relative:
            percent = relative["a"] or relative["b"] or relative["c"]
            self._put("times_mean", round(1 + float(percent) / 100, 6) if percent else float(relative["d"]), relative.group())
        elif _MEAN_IS_LIMIT.search(self.text):
            self._put("times_mean", 1.0, _MEAN_IS_LIMIT.search(self.text).group())  # type: ignore[union-attr]
        elif told is not None:
            self._put("times_mean", round(told.value / 100, 6))
        elif rise:
            self._put("times_mean", round(1 + float(rise["a"] or rise["b"]) / 100, 6), rise.group())
        elif drop:
            self._put("drop", float(drop["n"]) / (100 if drop["percent"] else 1), drop.group())
        if "times_mean" in self.slots or "drop" in self.slots:
            for slot in ("threshold", "side", "share_threshold", "conditions", "limits"):
                self.slots.pop(slot, None)

    # --- what is asked --------------------------------------------------------------------------------------------

    def operation(self) -> None:
        heard = {name for name, pattern in _HEARD if pattern.search(self.text)}
        said = self.said | heard
        if len(self.slots.get("limits", Slot(())).value) < 2:
            said -= {"classify"}
        if len({name for name, _ in self.slots.get("conditions", Slot(())).value}) < 2:
            said -= {"intersection"}
        if not _RELATED.search(self.text):
            said -= {"correlation"}
        if "difference" not in heard and re.search(r"\bscatter\b", self.text, re.IGNORECASE):
            said -= {"difference"}  # one against the other, in a plot
        if {"difference", "extreme_date"} <= said and self._last("extreme_date") > self._last("difference"):
            said -= {"difference", "change"}
        if "quantities" not in self.slots or "conditions" in self.slots:
            said -= {"ratio"}
        if "trend" in said and not _TREND.search(self.text):
            said = said - {"trend"} | {"change"}
        outermost = self._outermost(said)
        statistic = next((name for name in _STATISTICS if name in said), None)
        limited = "threshold" in self.slots and outermost in _COMPARED and statistic is None
        inner = "share" if limited else statistic or "mean"
        inner = next((name for name in _INNER if name in said and name != outermost), inner)
        rest = [name for name in (*_OUTERMOST, *_STATISTICS) if name in said and name != outermost]
        self._put("operation", outermost)
        self._put("operations", (outermost, *rest))
        self._put("statistic", inner if outermost in _OF_STATISTICS else statistic or "mean")
        self.slots.pop("count_of", None)
        if outermost in _STATISTICS and "share_threshold" not in self.slots:
            for slot in ("threshold", "side"):
                self.slots.pop(slot, None)

    def _outermost(self, said: set[str]) -> str:
        """The operation that works on the results of all others."""
        changes = said & _COMPARED
        threshold = "threshold" in self.slots
        if "share_threshold" in self.slots and threshold and said & {"count", "share", "extreme_date"}:
            return "count"
        if found_map := said & {"fire_prone", "per_capita"}:
            return sorted(found_map)[0]
        if "drop" in self.slots or (
            changes
            and self.goal.value("index") is not None
            and _THRESHOLDS.search(self.text)
            and "times_mean" not in self.slots
        ):
            return "loss"
        found = next((name for name in _OUTERMOST if name in said), "")
        if found == "trend" and changes and not _FITTED.search(self.text) and self._compares_two():
            found = "difference"
        if found == "change" and "extreme_date" in said:
            found = "extreme_date"
        if "mean_multiplier" in said and said & {"count", "extreme_date"} and "times_mean" in self.slots:
            return "count_above_mean"
        if found in ("percent_change", "change", "trend") and said & {"percent_change", "change"} and (
            said & {"maximum", "minimum", "extreme_date"} or _EVENT.search(self.text)
        ):
            return "largest_change"
        if found in ("difference", "change") and _AMONG_SEASONS.search(self.text) and not self._pair_said():
            return "by_season"
        if _GREW.search(self.text) and self.goal.value("quantity") == "fire_radiative_power":
            return "increase_map"
        if found == "change" and not self._compares_two():
            return "share" if "share" in said and threshold else "trend"
        if found == "change":
            return "difference"
        if found == "count" and threshold and "times_mean" not in self.slots:
            return "count_pixels" if self.goal.value("count_of") == "pixels" else "count_means"
        if found == "count" and not threshold:
            found = next((name for name in _STATISTICS if name in said), "count")
        if not found:
            found = next((name for name in _STATISTICS if name in said), "")
        if not found and re.search(r"\bdistribution\b|\brisk\b|\bwhere\b", self.text) and "index" in self.slots:
            return "hotspot_direction"
        return found or ("share" if threshold else "mean")

    def _last(self, operation: str) -> int:
        """Where an operation is heard for the last time; -1 where it is not."""
        pattern = dict(_HEARD)[operation]
        return max((match.start() for match in pattern.finditer(self.text)), default=-1)

    def _pair_said(self) -> bool:
        """Two seasons, or a season and the year, are named as what is to be compared."""
        if re.search(r"\btwo (?:\w+ )?seasons\b", self.text, re.IGNORECASE):
            return True
        tail = self.text[max(self.text.lower().rfind("difference"), 0) :]
        return len(set(name.lower() for name in _SEASON.findall(tail))) in (1, 2)

    def _compares_two(self) -> bool:
        return "comparison" in self.slots or len(self._years()) == 2

    def comparison(self) -> None:
        """What is compared with what, and in what the two differ."""
        if self.slots["operation"].value not in (*_COMPARED, "loss", "increase_map"):
            self.slots.pop("comparison", None)
            return
        compared = self.slots.get("comparison")
        pair = compared.value if compared is not None else self._found_pair()
        if not pair or len(pair) != 2 or pair == ("before", "after"):
            self.slots.pop("comparison", None)
            return
        if all(isinstance(one, Period) for one in pair):
            pair = tuple(sorted(pair, key=lambda one: (one.start, one.end != max(each.end for each in pair))))
        self._put("comparison", tuple(pair))
        if all(isinstance(one, Period) for one in pair):
            days = all(one.start == one.end for one in pair)
            years = pair[0].start[:4] != pair[1].start[:4]
            self._put("span", "years" if years else "days" if days else "within")
        else:
            self._put("span", "regions")

    def _found_pair(self) -> tuple[Period, Period] | None:
        year = self._year()
        halves = [(int(match[3]), int(match[4])) for match in _HALVES.finditer(self.text) if int(match[4]) <= 31]
        months = self.goal.value("months") or ()
        period = self.goal.value("period")
        if len(halves) == 2 and isinstance(period, Period) and period.start[:7] == period.end[:7]:
            month = period.start[:8]
            return tuple(Period(f"{month}{a:02}", f"{month}{b:02}") for a, b in halves)  # type: ignore[return-value]
        operations = self.slots["operations"].value
        years = self._years()
        if len(years) == 2 and set(operations) & _COMPARED:
            return tuple(Period(f"{one}-01-01", f"{one}-12-31") for one in sorted(years))  # type: ignore[return-value]
        if year is None or "difference" not in operations:
            return None
        seasons = self._seasons(year)
        if _WHOLE.search(self.text) and len(seasons) == 1:
            return (Period(f"{year}-01-01", f"{year}-12-31"), seasons[0])
        if len(seasons) == 2:
            return (seasons[0], seasons[1])
        if len(months) == 2:
            return tuple(month_period(year, month) for month in months)  # type: ignore[return-value]
        return None

    def _seasons(self, year: int) -> list[Period]:
        """The seasons compared: the last two of several that are named, each once."""
        tail = self.text[max(self.text.lower().rfind("difference"), 0) :]
        names = [name.lower() for name in _SEASON.findall(tail)] or [
            name.lower() for name in _SEASON.findall(self.text)
        ]
        if len(dict.fromkeys(names)) > 2:
            names = names[-2:]
        found = []
        for name in dict.fromkeys(names):
            months = SEASONS[name]
            first = month_period(year - 1 if months[0] == 12 else year, months[0])
            found.append(Period(first.start, month_period(year, months[-1]).end))
        return found

    def _year(self) -> int | None:
        years = self._years()
        return years.pop() if len(years) == 1 else None

    def _years(self) -> set[int]:
        """The years that are named; one that only ends a period on its first day is not meant."""
        period = self.goal.value("period")
        found = {int(text) for text in re.findall(r"\b((?:19|20)\d\d)(?!\d)", self.text)}
        if isinstance(period, Period) and period.end.endswith("-01-01") and len(found) == 2:
            last = int(period.end[:4])
            found = {year - 1 if year == last else year for year in found}
        return found

    def details(self) -> None:
        if _MAPS.search(self.text):
            self._put("reduction", "maps", _MAPS.search(self.text).group())  # type: ignore[union-attr]
        elif "mean" in self.said and self.slots.get("span", Slot("")).value == "years" and not _IMAGE_BY_IMAGE.search(self.text):
            self._put("reduction", "maps", note="what lasts is compared between years: averaged pixel by pixel")
        to_celsius = _CELSIUS.search(self.text) or _CONVERT.search(self.text)
        thermal = "temperature" in str(self.slots.get("quantity", Slot("")).value)
        if to_celsius and (thermal or re.search(r"\btemperature|\bLST\b|\bthermal\b", self.text, re.IGNORECASE)):
            self._put("unit", "degC")
        else:
            self.slots.pop("unit", None)
        if self.slots["operation"].value == "largest_change":
            self._put("statistic", "minimum" if _LOSS.search(self.text) else "maximum")
        if _EACH.search(self.text):
            self._put("each", "scene")
        if self.slots["operation"].value == "increase_map" and (plus := _PLUS.search(self.text)):
            self._put("threshold", Threshold(float(plus["n"]), None, "above"), plus.group())
        mentioned = (self.goal.value("quantity"), *(self.goal.value("quantities") or ()), *(self.goal.value("sources") or ()))
        per = [name for name in mentioned if name in _BASES]
        if per and self.slots.get("quantity", Slot("")).value not in _BASES:
            self._put("per_quantity", per[0])
        if _RESIDENTIAL.search(self.text):
            self._put("part", "residential")
        elif _NOT_RESIDENTIAL.search(self.text):
            self._put("part", "other")
        if str(self.goal.value("algorithm")) not in self._of_algorithm:
            self.slots.pop("algorithm", None)
        period = self.slots["period"].value if "period" in self.slots else None
        operation = self.slots["operation"].value
        per = self.goal.value("group_by")
        kind = _KIND.search(self.text)
        if operation == "extreme_date" and kind:
            self._put("extreme_of", kind["kind"].lower(), kind.group())
        self.slots.pop("group_by", None)
        if operation in ("trend", "mann_kendall", "sens_slope"):
            self._put("per", "year" if per == "year" or _ANNUAL.search(self.text) else str(per or ""))
        if operation == "largest_change":
            self.slots.pop("comparison", None)
        if operation not in _LIMITED and self.slots["statistic"].value != "share":
            for slot in ("threshold", "side", "limits", "share_threshold"):
                self.slots.pop(slot, None)
        for slot in ("feature", "top", "class", "daynight"):
            self.slots.pop(slot, None)
        compared = self.slots.get("comparison")
        if compared is not None and self.slots.get("span", Slot("")).value in ("within", "days") and period is not None:
            self._widen(compared.value)

    def _widen(self, pair: tuple[Period, Period]) -> None:
        """The period that holds both parts compared: all of it is derived once."""
        year = self._year()
        start = min(one.start for one in pair)
        end = max(one.end for one in pair)
        if year is not None and end <= f"{year}-12-31":
            start, end = min(start, f"{year}-01-01"), max(end, f"{year}-12-31")
        self._put("period", Period(start, end))
