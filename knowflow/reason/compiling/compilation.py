"""The operators of an expression, each carried out as nodes of a workflow, and what is delivered of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from knowflow.model.goal import Period
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import Value
from knowflow.question.operators import (
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
    Over,
    Polygons,
    Position,
    Quantity,
    Several,
    Show,
    Split,
    Trend,
    Weighted,
    Within,
    children,
    place_of,
    walk,
)
from knowflow.question.times import Times
from knowflow.question.types import Type, blank_is_none
from knowflow.question.typing_of_features import is_sort_of, measured_of
from knowflow.reason.compiling import pixelwise, series, zones
from knowflow.reason.compiling.applied import applied
from knowflow.reason.compiling.classes_of_width import of_one_width
from knowflow.reason.compiling.data import EACH, NO_CLOUD, Data
from knowflow.reason.compiling.delivery import delivered
from knowflow.reason.compiling.extremes_of_days import extreme_of, is_of_each_image
from knowflow.reason.compiling.keys import of_any_year
from knowflow.reason.compiling.lengths import lengths_of
from knowflow.reason.compiling.made import Item, Made, Nodes, constant, refuse
from knowflow.reason.compiling.on_ground import OnGround
from knowflow.reason.compiling.procedures import Called
from knowflow.reason.compiling.rows import is_of_rows, over_rows
from knowflow.reason.compiling.statistics import IN_ORDER, counted, over, weighted
from knowflow.reason.compiling.timed import Timed, overlap, period_told
from knowflow.reason.instantiate import Instantiation

if TYPE_CHECKING:
    from knowflow.reason.compiling.by_memory import FromMemory

_TOLD_ALONE = (("date",), ("month",), ("year",))
"""Keys of which the one with the largest number is the answer itself."""
_OF_ONE_ITSELF = {"number": ("mean", "median", "minimum", "maximum", "percentile"), "truth": ("any", "all")}
"""Statistics that are the number, or the truth, itself where there is one."""


class Compilation(OnGround):
    """One expression carried out, operator by operator; equal parts are made once."""

    def __init__(
        self,
        types: Mapping[Position, Type],
        work: Instantiation,
        nodes: Nodes,
        data: Data,
        tools: Mapping[str, ToolSchema],
        procedures: Callable[[Expression], Called | None],
        memory: FromMemory | None = None,
    ) -> None:
        super().__init__(types, nodes, data)
        self._procedures = procedures
        self._memory = memory
        self.parameters: dict[str, Any] = {}  # of templates that are applied
        self._work = work
        self._time = Timed(nodes, work)
        self._builder = nodes.builder
        self._tools = tools
        self._made: dict[tuple[object, ...], Made] = {}
        self._places: dict[Position, Expression] = {}
        self._of_each_image = False  # what is made now is wanted of every image of a day
        self._answers: set[Position] = set()  # what stands there is delivered as it is
        self.only_dates: dict[Expression, date | None] = {}  # of each statistic over dates of which there is one
        self._rules: Mapping[type[Expression], Callable[[Any, Position], Made]] = {
            Number: lambda e, at: Made(self._types[at], {(): Item(constant(e.value))}, literal=True),
            Within: self._within,
            Beyond: self._beyond,
            IsClass: self._is_class,
            And: self._logic,
            Or: self._logic,
            Not: lambda e, at: pixelwise.denied(e, self._below(e, at, "x"), self._types[at], self._nodes),
            Over: self._over,
            Weighted: self._weighted,
            Attribute: lambda e, at: self._features.numbers(e, at, self._types[at]),
            Distance: self._distance,
            Calculate: self._calculate,
            Classify: self._classify,
            Extreme: lambda e, at: series.extreme(e, self._even(e, at), self._types[at], self._nodes),
            Holds: lambda e, at: series.holds(e, self._dated(e, at), self._types[at], self._nodes),
            Along: lambda e, at: series.along(e, self._dated(e, at), self._types[at], self._nodes),
            Trend: lambda e, at: series.trend(e, self._even(e, at), self._types[at], self._nodes),
            Anomaly: self._anomaly,
            Correlate: self._correlate,
            Apply: self._apply,
        }

    # --- what is delivered -----------------------------------------------------------------------------------------

    def outputs(self, e: Expression, at: Position = (), name: str = "") -> dict[str, Value]:
        """What an expression delivers, the answer first."""
        self._realised.add(at)
        self._answers.add(at)
        self._asked = self._asked or e
        self._places = self._places or {(*at, *below): one for below, one in walk(e)}
        if not at or isinstance(e, Several):
            self._data.lengths = lengths_of(e)
        if isinstance(e, Several):
            found: dict[str, Value] = {}
            for part, one in e.named:
                found |= self.outputs(one, (*at, e.op, "named", part), part)
            return found
        called = self._procedures(e)
        if called is not None:
            self._realised |= {(*at, *below) for below, _ in walk(e)}
            self.parameters |= called.parameters
            return _called_in(called.outputs, name)
        if isinstance(e, Show):
            own = (*at, e.op, "x")
            self._answers.add(own)
            if isinstance(e.x, Apply) and e.x.tool not in self._tools:
                return self.outputs(e.x, own, name)
            made = self.made(e.x, own)
            return delivered(e.x, made, self._types[own], self._nodes, name, picture=e.as_ == "picture")
        of_rows = isinstance(e, Extreme) and isinstance(e.x, Over) and is_of_rows(e.x)
        if isinstance(e, Extreme) and (
            self._types[*at, e.op, "x"].keys == ("objects",)
            or (of_rows and self._types[*at, e.op, "x"].keys == ("classes",))
        ):
            listed = self.made(e.x, (*at, e.op, "x"))
            if listed.listed is not None:
                return delivered(e, listed, self._types[at], self._nodes, name)
        if isinstance(e, Extreme) and e.n == 1:
            self._answers.add((*at, e.op, "x"))
            x = self.made(e.x, (*at, e.op, "x"))
            if x.table:
                return {name or "answer": zones.extreme_zone(e, x, self._nodes).value}
            self._time.tell_thin(x)
            if x.type.keys in _TOLD_ALONE and not x.sometimes and not any(of_any_year(key) for (key,) in x.items):
                if x.type.keys == ("date",):
                    self._time.require_dates(e, x)
                return {name or "answer": series.date_of_extreme(e, x, self._nodes).value}
        return delivered(e, self.made(e, at), self._types[at], self._nodes, name)

    def _even(self, e: Expression, at: Position) -> Made:
        """What lies below, of which periods are compared; those that dates cover too little are told."""
        found = self._dated(e, at)
        self._time.tell_thin(found)
        return found

    def made(self, e: Expression, at: Position, period: Period | None = None) -> Made:
        """The values of an expression; equal ones are made once. ``period``: no others of its dates are wanted."""
        read = [((*at, *below), one) for below, one in walk(e) if isinstance(one, Quantity)]
        blank = any(self._is_none_where_blank(one, place) for place, one in read)
        kept = period, at in self._answers, blank, self._of_each_image
        held = (e, *kept, *(extreme_of(self._places, place) for place, _ in read))
        known = self._made.get(held)
        if known is None:
            above, self._builder.of = self._builder.of, place_of(at)
            try:
                known = self._carried_out(e, at, period)
            finally:
                self._builder.of = above
            self._made[held] = known
            self._realised.add(at)
        else:
            self._realised |= {(*at, *below) for below, _ in walk(e)}
        return known

    def _is_none_where_blank(self, e: Expression, at: Position) -> bool:
        return isinstance(e, Quantity) and blank_is_none(e.kind, at, self._data.is_told_blank(e))

    def _carried_out(self, e: Expression, at: Position, period: Period | None) -> Made:
        if isinstance(e, Quantity):
            of_day = EACH if self._of_each_image else extreme_of(self._places, at) or "mean"
            found = self._data.quantity(e, self._types[at], period, of_day)
            if self._is_none_where_blank(e, at):
                found = self._data.none_where_blank(found)
            return self._by_memory(e, at, found) or found
        if isinstance(e, During):
            return self._during(e, at, period)
        if isinstance(e, Split):
            return self._split(e, at, period)
        rule = self._rules.get(type(e))
        if rule is None:
            raise refuse(e, f"{e.op}")
        return self._by_memory(e, at) or rule(e, at)

    def _by_memory(self, e: Expression, at: Position, read: Made | None = None) -> Made | None:
        """What a template makes that earlier runs taught; None where none is for this, or for these data."""
        if self._memory is None:
            return None

        def part(below: Expression) -> Made:
            return self.made(below, next((*at, *place) for place, one in walk(e) if one is below))

        made = self._memory.made(e, self._types[at], read or part, self._work, self._builder, at in self._answers)
        if made is not None:
            self._realised |= {(*at, *below) for below, _ in walk(e)}
        return made

    def require_all(self, e: Expression) -> None:
        """Every operator of the expression was realised: nothing that is asked is dropped.

        Raises:
            NotCompiledError: one was not.
        """
        for at, part in walk(e):
            if at not in self._realised:
                raise refuse(part, "no node of the plan for it")

    def _dated(self, e: Expression, at: Position) -> Made:
        """What lies below, of which each date is said."""
        found = self._below(e, at, "x")
        if "date" in found.type.keys:
            self._time.require_dates(e, found)
        return found

    # --- what is read ----------------------------------------------------------------------------------------------

    def _during(self, e: During, at: Position, period: Period | None) -> Made:
        if not isinstance(e.when, Times):
            return self._time.chosen(e, self._below(e, at, "when"), self._below(e, at, "x"))
        reads = isinstance(e.x, During | Quantity)
        x = self.made(e.x, (*at, e.op, "x"), overlap(period, period_told(e.when)) if reads else None)
        return self._time.kept(e, e.when, x)

    def _split(self, e: Split, at: Position, period: Period | None) -> Made:
        if not isinstance(e.key, str):
            return self._by_ground(e, at)
        if "date" not in self._types[*at, e.op, "x"].keys:
            return self._maps(e, at, period)
        x = self.made(e.x, (*at, e.op, "x"), period if isinstance(e.x, During | Quantity) else None)
        return self._time.split(e, e.key, x, self._types[at])

    def _maps(self, e: Split, at: Position, period: Period | None) -> Made:
        """What holds for all dates as a map for each year."""
        when = e.x.when if isinstance(e.x, During) and isinstance(e.x.when, Times) else Times()
        of = e.x.x if isinstance(e.x, During) else e.x
        assert isinstance(of, Quantity)
        self._realised |= {(*at, *below) for below, _ in walk(e)}
        return self._data.maps(of, self._types[at], overlap(period, period_told(when)))

    # --- pixel by pixel, key by key --------------------------------------------------------------------------------

    def _beyond(self, e: Beyond, at: Position) -> Made:
        x, limit = self._below(e, at, "x"), self._below(e, at, "limit")
        upper = None if e.upper is None else self._below(e, at, "upper")
        return pixelwise.beyond(e, x, limit, upper, self._types[at], self._nodes)

    def _is_class(self, e: IsClass, at: Position) -> Made:
        return pixelwise.is_class(e, self._below(e, at, "x"), self._types[at], self._nodes)

    def _logic(self, e: And | Or, at: Position) -> Made:
        parts = [self.made(part, (*at, e.op, "parts", place)) for place, part in enumerate(e.parts)]
        return pixelwise.logic(e, parts, self._types[at], self._nodes)

    def _calculate(self, e: Calculate, at: Position) -> Made:
        own = self._types[at]
        if not self._of_each_image and is_of_each_image(e) and own.keys == ("date",) and own.measure.nature != "angle":
            self._of_each_image = True
            try:
                each = self.made(e, at)
            finally:
                self._of_each_image = False
            return self._data.of_days(e, each, extreme_of(self._places, at) or "mean")
        a = self._below(e, at, "a")
        b = None if e.b is None else self._below(e, at, "b")
        return pixelwise.calculate(e, a, b, self._types[at], self._nodes)

    def _classify(self, e: Classify, at: Position) -> Made:
        x = self._below(e, at, "x")
        parted = e if e.width is None else of_one_width(e, x)
        return pixelwise.classify(parted, x, self._types[at], self._nodes)

    # --- axes ------------------------------------------------------------------------------------------------------

    def _over(self, e: Over, at: Position) -> Made:
        own, last = self._types[at], at in self._answers
        if is_of_rows(e):
            return over_rows(e, self._features, at, own, self._nodes)
        if isinstance(e.x, Split) and self._types[*at, e.op, "x"].of == "object":
            return self._features.per(e, e.x, at, own)
        if self._types[*at, e.op, "x"].of == "object":
            return (self._features.count if e.axes == "objects" else self._features.numbers)(e, at, own)
        if isinstance(e.x, Split) and is_sort_of(e.x.key, measured_of(e.x.x)) and e.axes == "objects":
            return self._by_sort(e, e.x, at)
        only = self._only_date(e, at)
        if only is not None:
            return only
        below = self._types[(*at, e.op, "x")]
        if last and e.axes == "space" and isinstance(e.x, Split) and isinstance(e.x.key, Expression):
            table = self._over_zones(e, e.x, at)
            if table is not None:
                return table
        if e.statistic == "area" and below.of == "class":
            x = self._below(e, at, "x")
            made = zones.class_areas(x, own, self._nodes) if last else None
            return made or zones.areas_of_classes(e, x, own, self._nodes)
        compared = counted(e)
        if compared is not None:
            position = (*at, e.op, "x")
            x = self._below(compared, position, "x")
            limits = [(*position, compared.op, name) for name in ("limit", "upper")]
            if x.type.measure.nature != "angle" and not x.table:
                self._require_order(e, x)
                self._realised |= {position, *(one for one in limits if one in self._types)}
                return over(e, x, own, self._nodes, last, compared)
        x = self._below(e, at, "x")
        self._require_order(e, x)
        return over(e, x, own, self._nodes, last)

    def _by_sort(self, e: Over, split: Split, at: Position) -> Made:
        """A statistic of numbers of features, by the value of an attribute of theirs."""
        below = (*at, e.op, "x")
        own = self._types[(*below, split.op, "x")]
        self._realised.add(below)
        assert isinstance(split.key, Polygons)
        each = self._features.numbers_by(split.x, split.key, below, own)
        found = {value: over(e, made, own.without("objects"), self._nodes, False) for value, made in each.items()}
        return Made(self._types[at], {(value,): made.items[()] for value, made in found.items()})

    def _weighted(self, e: Weighted, at: Position) -> Made:
        x, by = self._below(e, at, "x"), self._below(e, at, "by")
        return weighted(e, x, by, self._types[at], self._nodes, at in self._answers)

    def _require_order(self, e: Over, x: Made) -> None:
        if e.statistic in IN_ORDER and "date" in x.type.keys:
            self._time.require_dates(e, x)

    def _only_date(self, e: Over, at: Position) -> Made | None:
        """A statistic over dates of which there is one: what it is of; None where there are several."""
        below = (*at, e.op, "x")
        x = self._types[below]
        if e.axes not in ("time", "date") or x.grain != "date" or e.statistic not in _OF_ONE_ITSELF.get(x.of, ()):
            return None
        dates = self._dates(e.x, below)
        if dates is None or len(dates) != 1:
            return None
        if e.statistic == "percentile" and isinstance(e.x, Over) and e.x.statistic != e.statistic:
            raise refuse(e, "a percentile of one date", "say of which ground: the 90th percentile over the area")
        self._answers |= {below} if at in self._answers else set()
        made = self.made(e.x, below)
        if made.sometimes:
            return None
        (day,) = dates
        self.only_dates[e] = date.fromisoformat(day) if day else None
        if made.table:
            return replace(made, type=self._types[at])
        place = made.place("date")
        return made.of(self._types[at], {key[:place] + key[place + 1 :]: one for key, one in made.items.items()})

    def _dates(self, e: Expression, at: Position) -> frozenset[str] | None:
        """The dates that an expression has values of, as far as that is known without what it makes of them."""
        if isinstance(e, Quantity) or (isinstance(e, During) and isinstance(e.when, Times)):
            made = self.made(e, at)
            return frozenset(key[made.place("date")] for key in made.items)
        if isinstance(e, Along | During):
            return None
        if isinstance(e, Within) and e.where == NO_CLOUD:
            dates = self._dates(e.x, (*at, e.op, "x"))
            if dates is None or self._is_cleared(e.x):
                return dates
        below = (((*at, *place), part) for place, part in children(e))
        found = [self._dates(part, place) for place, part in below if self._types[place].grain == "date"]
        if not found or any(one is None for one in found):
            return None
        return frozenset.intersection(*(one for one in found if one is not None))

    def _apply(self, e: Apply, at: Position) -> Made:
        parts = [self.made(part, (*at, e.op, "parts", place)) for place, part in enumerate(e.parts)]
        self._realised |= {(*at, e.op, "settings", name) for name, _ in e.settings}
        return applied(e, parts, self._types[at], self._tools, self._nodes)

    def _anomaly(self, e: Anomaly, at: Position) -> Made:
        x = self._dated(e, at)
        south = e.base is not None and e.base.season != "" and self._time.south()
        told = not at or all(part == During.op for part in at[::2])
        return series.anomaly(e, x, self._types[at], south, self._nodes, told)

    def _correlate(self, e: Correlate, at: Position) -> Made:
        a, b = self._below(e, at, "a"), self._below(e, at, "b")
        return series.correlate(e, a, b, self._types[at], self._nodes)


def _called_in(outputs: dict[str, Value], name: str) -> dict[str, Value]:
    """The outputs of a part of a question: its answer has the name of the part, the others begin with it."""
    if not name:
        return outputs
    answer = next(iter(outputs))
    return {name if one == answer else f"{name}_{one}": value for one, value in outputs.items()}
