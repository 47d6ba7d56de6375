"""An expression in plain English, so that no two that mean something else read alike.

There are no brackets: a phrase says by its first words what belongs to it, and a statistic by what stands behind ("the
mean of NDVI over the area"). What restricts a quantity follows it; only the last of those may hold a whole expression,
so that it is never open which of two things a word belongs to. What restricts anything else stands in front ("the part
in 2017 of ...").
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from knowflow.ground.called import read_called
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import in_a_sentence
from knowflow.question.check import check
from knowflow.question.normal import normal
from knowflow.question.operators import (
    CLOUDED,
    GRAINS,
    STANDING,
    SURVEYED,
    Along,
    And,
    Anomaly,
    Apply,
    Attribute,
    Beyond,
    Calculate,
    Classify,
    Correlate,
    Distance,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Or,
    Outline,
    Over,
    Point,
    Polygons,
    Position,
    Quantity,
    Several,
    Show,
    Split,
    Trend,
    Weighted,
    Within,
    walk,
)
from knowflow.question.phrases import (
    counted_polygons,
    digits,
    group_in_words,
    named_point,
    polygons_in_words,
    quoted,
    times_in_words,
)
from knowflow.question.times import Times
from knowflow.question.types import Type, one_of
from knowflow.question.typing_of_features import are_rows, is_sort_of, of_rows

_STATISTICS = {
    "deviation": "standard deviation",
    "sum": "total",
    "count": "number of values",
    "majority": "most frequent class",
    "variety": "number of classes",
}
_GATHERED = {"m3": "volume", "t": "mass"}
_OF_GROUND = {"area": "area", "patches": "number of patches", "largest_patch": "area of the largest patch"}
_COUNTED = {"share": "the share of {of}", "count": "the number of {of}"}
_SIDES = {"above": "is above", "at_least": "is at least", "below": "is below", "at_most": "is at most"}
_TWO = {
    "difference": "the difference of {a} minus {b}",
    "sum": "the sum of {a} plus {b}",
    "product": "the product of {a} times {b}",
    "ratio": "the ratio of {a} to {b}",
    "percent_change": "the change in percent to {a} from {b}",
    "minimum": "the smaller of {a} and {b}",
    "maximum": "the larger of {a} and {b}",
    "power": "the power of {a} to the {b}",
    "absolute": "the absolute value of {a}",
    "logarithm": "the logarithm of {a}",
}
_ALONG = {"change": "the change from one to the next of", "cumulated": "the sum so far of"}


def in_words(
    expression: Expression,
    only_dates: Mapping[Expression, date | None] = MappingProxyType({}),
    called: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """An expression that fits, in English. ``only_dates`` are those of statistics over dates, in normal form, of which
    there is one in the data (None: one that has no date): what they are of is told on it. ``called`` is what the data
    call kinds whose own names say little, and objects that are no polygons (``OBJECTS``).

    >>> in_words(Split(Quantity("ndvi"), Quantity("class_label")), called={"class_label": "tree species"})
    'NDVI for each class of tree species'

    Raises:
        ValueError: something in it does not fit.
    """
    checked = check(expression)
    if checked.type is None:
        raise ValueError("; ".join(map(str, checked.misfits)))
    return _Words(checked.types, only_dates, called).thing(expression, ())


class _Words:
    def __init__(
        self,
        types: Mapping[Position, Type],
        only_dates: Mapping[Expression, date | None],
        called: Mapping[str, str],
    ) -> None:
        self._types = types
        self._called = called
        self._only_dates = only_dates

    # --- things ----------------------------------------------------------------------------------------------------

    def thing(self, e: Expression, at: Position) -> str:
        """An expression as a noun."""
        own = self._types[at]
        if own.of == "object":
            return self._features(e, at)
        if isinstance(e, Holds):
            test = e.x
            if isinstance(test, Beyond) and isinstance(test.x, Distance) and test.x.x == test.x.to:  # from itself
                return f"the names of {self._below(test.x, (*at, e.op, 'x', test.op, 'x'), 'x')}"
            return f"the {many(own.keys[-1])} {_that(own.keys[-1])} {self._clause_below(e, at)}"
        if own.of == "truth":
            return f"whether {self.clause(e, at)}"
        if isinstance(e, Split) and of_rows(e) is not None:
            return f"{self._below(e, at, 'x')} {self._part(e, at)}"
        if isinstance(e, During | Within | Split):
            plain = self._plain(e, at)
            return plain if plain is not None else f"the part {self._part(e, at)} of {self._below(e, at, 'x')}"
        match e:
            case Quantity():
                return quantity_name(e, self._called)
            case Number():
                return _number(e)
            case Over():
                return self._over(e, at)
            case Attribute():
                unit = "" if e.unit == "1" else f" in {in_a_sentence(e.unit)}"
                told, each = ("", "") if are_rows(e.x) else ("the attribute ", "each of ")
                return f"{told}{quoted(e.name)}{unit} of {each}{self._below(e, at, 'x')}"
            case Distance():
                of = "" if e.x is None else f" of each of {self._below(e, at, 'x')}"
                return f"the distance{of} to the nearest of {self._below(e, at, 'to')}"
            case Weighted():
                which = "share of the area where" if self._types[(*at, e.op, "x")].of == "truth" else "mean of"
                of = self.clause(e.x, (*at, e.op, "x")) if which[0] == "s" else self._below(e, at, "x")
                return f"the {which} {of}, weighted by {self._below(e, at, 'by')}, over the area"
            case Along():
                said = _ALONG.get(e.how, f"the mean of {e.n} running of")
                return f"{said} {self._below(e, at, 'x')}"
            case Calculate():
                b = "" if e.b is None else self._below(e, at, "b")
                return _TWO[e.how].format(a=self._below(e, at, "a"), b=b)
            case Extreme():
                key = own.keys[-1]
                keys = f"the {one_of(key)}" if e.n == 1 else f"the {e.n} {many(key)}"
                return f"{keys} with the {e.side} value of {self._below(e, at, 'x')}"
            case Correlate():
                axes = _axes(e.axes, self._types[(*at, e.op, "a")])
                return f"the correlation of {self._below(e, at, 'a')} with {self._below(e, at, 'b')} over {axes}"
        return self._of_series(e, at)

    def _features(self, e: Expression, at: Position) -> str:
        """Features, and the ground that they are cut to."""
        if isinstance(e, Split) and isinstance(e.key, str):
            return f"{self._below(e, at, 'x')} {self._part(e, at)}"
        if isinstance(e, Split):
            x, key = self._below(e, at, "x"), e.key
            if isinstance(key, Polygons) and key.by is not None:
                return f"all of {x} {'of' if is_sort_of(key, e.x) else 'in'} each {group_in_words(key, self._called)}"
            return f"all of {x} that lies in each of {self._below(e, at, 'key')}"
        if isinstance(e, Outline):
            return f"the outlines of {self._below(e, at, 'x')}"
        if isinstance(e, During):
            return f"{self._below(e, at, 'x')} {self._part(e, at)}"
        if isinstance(e, Within) and isinstance(e.where, Holds):
            return f"those of {self._below(e, at, 'x')} that are among {self._below(e, at, 'where')}"
        if isinstance(e, Within) and isinstance(e.where, Extreme):
            return f"that of {self._below(e, at, 'x')} that is {self._below(e, at, 'where')}"
        if isinstance(e, Within) and (are_rows(e.x) or are_rows(e.where)):
            return f"those of {self._below(e, at, 'x')} that are of {self._below(e, at, 'where')}"
        if isinstance(e, Within):
            return f"what of {self._below(e, at, 'x')} lies {self._part(e, at)}"
        return named_point(e) if isinstance(e, Point) else polygons_in_words(e, self._called)  # type: ignore[arg-type]

    def _of_series(self, e: Expression, at: Position) -> str:
        match e:
            case Trend():
                how = "" if e.method == "linear" else " by Theil and Sen"
                kept = "" if e.seasons == "auto" else " with its seasons"
                return f"the trend{how}{kept} of {self._below(e, at, 'x')}"
            case Anomaly():
                how = {"difference": "", "percent": " in percent", "deviations": " in standard deviations"}[e.as_]
                base = "" if e.base is None else f" {times_in_words(e.base)}"
                return f"the anomaly{how} against the other years{base} of {self._below(e, at, 'x')}"
            case Classify(width=float() | int() as width):
                return f"the classes of {digits(width)}{_after(e.unit)} of {self._below(e, at, 'x')}"
            case Classify():
                ends = [f"{quoted(n)} up to {digits(one)}" for n, one in zip(e.labels, e.breaks, strict=False)]
                ends[-1] += _after(e.unit)
                return f"the classes {', '.join(ends)} and {quoted(e.labels[-1])} of {self._below(e, at, 'x')}"
            case Apply():
                places = [((*at, e.op, "parts", i), part) for i, part in enumerate(e.parts)]
                parts = [self._plain(part, place) or self.thing(part, place) for place, part in places]
                stated = [f"{name.replace('_', ' ')} {_setting(one)}" for name, one in e.settings]
                stated += [f"{name.replace('_', ' ')} {one.replace('_', ' ')}" for name, one in e.having]
                tool = e.tool.replace("_", " ") + (f" with {' and '.join(stated)}" if stated else "")
                several = f"{len(parts)}: " if len(parts) > 1 else ""
                of = f" of {several}{', '.join(parts)}" if parts else ""
                return f"the {tool}{of}" + ("" if e.when is None else f" {times_in_words(e.when)}")
            case Show():
                return f"a {e.as_} of {self._below(e, at, 'x')}"
            case Several():
                parts = [f"{quoted(name)}, {self.thing(one, (*at, e.op, 'named', name))}" for name, one in e.named]
                return f"{len(parts)} answers: {'; '.join(parts)}"
        raise ValueError(f"{e.op} has no words")

    def _below(self, e: Expression, at: Position, name: str) -> str:
        return self.thing(getattr(e, name), (*at, e.op, name))

    def _over(self, e: Over, at: Position) -> str:
        x = self._types[(*at, e.op, "x")]
        if self._only_dates and (itself := normal(e)) in self._only_dates:
            only = self._only_dates[itself]
            said = only is None or any(isinstance(one, During) and one.when == Times(only, only) for _, one in walk(e))
            return self._below(e, at, "x") + ("" if said else f" {times_in_words(Times(only, only))}")
        if x.of == "truth":
            return self._over_truths(e, at, x)
        if x.of == "class" and e.statistic == "area":
            return f"the area of each class of {self._below(e, at, 'x')}"
        if x.of == "object":
            if e.axes == "objects":
                return f"the number of {counted_polygons(e.x, self._called) or self._below(e, at, 'x')}"
            return f"the {e.statistic + ' of each' * (not x.keys)} of {self._below(e, at, 'x')}"
        statistic = _STATISTICS.get(e.statistic, e.statistic)
        if e.statistic == "integral":
            statistic = _GATHERED.get(self._types[at].measure.unit, "amount")
        which = f" {digits(e.p)}" if e.p is not None else ""
        axes, below = _axes(e.axes, x), self._below(e, at, "x")
        if of_rows(e.x) is not None:
            return f"the {statistic}{which} of {below}"
        if e.axes in ("space", "both"):
            return f"the {statistic}{which} of {below} over {axes}"
        return f"the {statistic}{which} over {axes} of {below}"  # what comes last in the work comes first in words

    def _over_truths(self, e: Over, at: Position, x: Type) -> str:
        clause = self._clause_below(e, at)
        if e.statistic in _OF_GROUND:
            return f"the {_OF_GROUND[e.statistic]} where {clause}"
        key = str(x.grain) if e.axes in ("time", "both") else e.axes
        if e.statistic in ("first", "last"):
            return f"the {e.statistic} {one_of(key)} {_that(key)} {clause}"
        if e.statistic == "longest":
            return f"the longest spell of {many(key)} {_that(key)} {clause}"
        if e.statistic == "longest_run":
            return f"the largest number of consecutive {many(key)} {_that(key)} {clause}"
        whole = {"share": "the area", "count": "pixels"}[e.statistic]
        of = whole if e.axes == "space" else f"{whole} and {many(key)}" if e.axes == "both" else many(key)
        return f"{_COUNTED[e.statistic].format(of=of)} {'where' if e.axes == 'space' else _that(key)} {clause}"

    # --- what may be true ------------------------------------------------------------------------------------------

    def clause(self, e: Expression, at: Position) -> str:
        """An expression that is true or false, as a clause."""
        match e:
            case Quantity():
                return f"there is {quantity_name(e, self._called)}"
            case Beyond(side="between"):
                ends = f"{self._below(e, at, 'limit')} and {self._below(e, at, 'upper')}"
                return f"{self._below(e, at, 'x')} is between {ends}"
            case Beyond():
                return f"{self._below(e, at, 'x')} {_SIDES[e.side]} {self._below(e, at, 'limit')}"
            case IsClass():
                return f"{self._below(e, at, 'x')} is {' or '.join(map(quoted, e.names))}"
            case And() | Or():
                parts = [self.clause(part, (*at, e.op, "parts", place)) for place, part in enumerate(e.parts)]
                how = ("both", "all {n} of") if isinstance(e, And) else ("either", "any of {n},")
                return f"{how[len(parts) > 2].format(n=len(parts))} {f' {e.op} '.join(parts)}"
            case Not(x=Quantity() as mask):
                return f"there is no {quantity_name(mask, self._called)}"
            case Not():
                return f"it is not so that {self._clause_below(e, at)}"
            case Holds():
                return f"as it holds, {self._clause_below(e, at)}"
            case Over():
                return self._any_or_all(e, at)
            case During() | Within() | Split():
                plain = self._plain(e, at)
                if plain is not None:
                    return f"there is {plain}"
                return f"for the part {self._part(e, at)}, {self._clause_below(e, at)}"
        raise ValueError(f"{e.op} is neither true nor false")

    def _clause_below(self, e: Over | Not | Holds | During | Within | Split, at: Position) -> str:
        return self.clause(e.x, (*at, e.op, "x"))

    def _any_or_all(self, e: Over, at: Position) -> str:
        which = "any" if e.statistic == "any" else "every"
        key = str(self._types[(*at, e.op, "x")].grain) if e.axes in ("time", "both") else e.axes
        if e.axes == "space":
            where = f"in {which} pixel"
        else:
            where = f"{_at(key)} {which} {one_of(key)}" + (f" and in {which} pixel" if e.axes == "both" else "")
        return f"{where}, {self._clause_below(e, at)}"

    # --- what restricts --------------------------------------------------------------------------------------------

    def _plain(self, e: Expression, at: Position) -> str | None:
        """A quantity with what restricts it behind it; None where something would be open."""
        if isinstance(e, Quantity):
            return quantity_name(e, self._called)
        if not isinstance(e, During | Within | Split) or _holds_expression(e.x):
            return None
        before = self._plain(e.x, (*at, e.op, "x"))
        return None if before is None else f"{before} {self._part(e, at)}"

    def _part(self, e: During | Within | Split, at: Position) -> str:
        """What is left of something: ``in 2017``, ``where slope is above 10 degrees``, ``for each year``."""
        match e:
            case During(when=Times() as when):
                return times_in_words(when)
            case During():
                grain = (self._types[(*at, e.op, "when")].keys or ("date",))[0]
                return f"{_at(grain)} {self._below(e, at, 'when')}"
            case Within(where=Not(x=Polygons() as polygons)):
                return f"outside {polygons_in_words(polygons, self._called)}"
            case Within(where=Point() as point):
                return f"at {named_point(point)}"
            case Within() if self._types[(*at, e.op, "where")].of == "object":
                return f"in {self._below(e, at, 'where')}"
            case Within() if self._types[(*at, e.op, "where")].chosen:
                return f"in {self._below(e, at, 'where')}"
            case Within():
                return f"where {self.clause(e.where, (*at, e.op, 'where'))}"
            case Split(key=str() as key):
                return f"for each {one_of(key)}"
            case Split(key=Polygons() as polygons):
                return f"for each {group_in_words(polygons, self._called)}"
            case Split(key=Point() as point):
                return f"for each of {named_point(point)}"
            case Split(key=Quantity() as classes) if quantity_name(classes, self._called).endswith(" class"):
                return f"for each {quantity_name(classes, self._called)}"
            case Split(key=Quantity() as classes) if read_called(classes.kind) is not None:
                return f"for each {quantity_name(classes, self._called)} class"
        return f"for each class of {self._below(e, at, 'key')}"


def _holds_expression(e: Expression) -> bool:
    """Whether what restricts something last is a whole expression."""
    inner = {During: "when", Within: "where", Split: "key"}.get(type(e))
    restriction = None if inner is None else getattr(e, inner)
    place = restriction.x if isinstance(restriction, Not) else restriction
    return isinstance(restriction, Expression) and not isinstance(place, Polygons | Point)


_NAMED = {"burned_area_mask": "burned ground", "built_up_mask": "built-up land"}


def _kind_name(kind: str) -> str:
    """What a mask is of, and the name of any other kind: there is water, not a mask of it."""
    thing, called = kind.removesuffix("_mask"), read_called(kind)
    if called is not None:
        return called[0]
    return _NAMED.get(kind) or (kind if thing in quantity_kinds() else thing).replace("_", " ")


def quantity_name(e: Quantity, called: Mapping[str, str] = MappingProxyType({})) -> str:
    index = spectral_indices().get(e.kind)
    name = index.short_name if index is not None and index.short_name.lower() == e.kind else _kind_name(e.kind)
    name = called.get(e.kind, name)
    method = "" if e.method is None else f" by {quoted(e.method)}"
    return name + method + "".join(_fact(fact, value) for fact, value in e.having)


def _fact(fact: str, value: str) -> str:
    """By what data are chosen beside their quantity."""
    if (fact, value) == SURVEYED:
        return " of each survey"
    if (fact, value) == STANDING:
        return " of no date"
    if (fact, value) == CLOUDED:
        return " including clouds"
    if fact == "daynight":
        return " in the daytime" if value == "day" else " at night"
    if fact == "slice":
        return f" of {value}"
    return f" of the {value} band" if fact == "band" else f" with {fact.replace('_', ' ')} {quoted(value)}"


def _setting(e: Expression) -> str:
    """What is said of a tool: a number, or a place."""
    return named_point(e) if isinstance(e, Point) else _number(e) if isinstance(e, Number) else "?"


def _after(unit: str) -> str:
    """A unit behind a number, in a sentence."""
    return "" if unit == "1" else f" {in_a_sentence(unit)}"


def _number(e: Number) -> str:
    return digits(e.value) if e.unit == "1" else f"{digits(e.value)} {in_a_sentence(e.unit)}"


def many(key: str) -> str:
    return {"classes": "classes", "month_of_year": "months of the year"}.get(key, key if key[-1] == "s" else f"{key}s")


def _at(key: str) -> str:
    """The word before a key of time: on a date, in a year."""
    return "on" if key == "date" else "in" if key in GRAINS else "for"


def _that(key: str) -> str:
    return f"{_at(key)} which"


def _axes(axes: str, x: Type) -> str:
    key = f"the {many(str(x.grain))}"
    named = {"space": "the area", "time": key, "both": f"the area and {key}"}
    return named.get(axes, f"the {many(axes)}")
