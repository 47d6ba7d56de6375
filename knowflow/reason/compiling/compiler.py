"""The compiler: an expression over the data at hand as a plan, every operator of it realised or the plan refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from knowflow.graph.leave_out import quality_of
from knowflow.graph.orphans import upstream
from knowflow.ground.errors import MissingFactError, PlanningError
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.units import compatible, convert
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model import geo
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption, Plan
from knowflow.model.template import Template
from knowflow.model.tool import ToolSchema
from knowflow.model.workflow import FromNode, Value, Workflow, references
from knowflow.question.check import check
from knowflow.question.form import to_data
from knowflow.question.literals import literals
from knowflow.question.normal import normal
from knowflow.question.operators import (
    Along,
    And,
    Anomaly,
    Apply,
    Beyond,
    Calculate,
    Classify,
    Correlate,
    During,
    Expression,
    Extreme,
    Holds,
    IsClass,
    Not,
    Number,
    Or,
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
    children,
    walk,
)
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.question.words import in_words
from knowflow.reason.achievers import Achievers
from knowflow.reason.area import Area
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.compiling import pixelwise, series, zones
from knowflow.reason.compiling.by_tools import ByTools
from knowflow.reason.compiling.data import NO_CLOUD, TASK, UNDATED, Data
from knowflow.reason.compiling.delivery import delivered
from knowflow.reason.compiling.keys import Spans, period_of, thin_periods
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, constant, meet, refuse
from knowflow.reason.compiling.procedures import Called, carried_out
from knowflow.reason.compiling.statistics import IN_ORDER, counted, over, weighted
from knowflow.reason.compiling.undated import with_undated
from knowflow.reason.definitions import Meaning, meaning
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.left_out import years_without_data

if TYPE_CHECKING:
    from knowflow.reason.compiling.by_memory import FromMemory

_MOST_TOLD = 5  # periods by name
_TOLD_ALONE = (("date",), ("month",), ("year",))
"""Keys of which the one with the largest number is the answer itself."""
_OF_ONE_ITSELF = {"number": ("mean", "median", "minimum", "maximum", "percentile"), "truth": ("any", "all")}
"""Statistics that are the number, or the truth, itself where there is one."""


def compiled(
    expression: Expression,
    catalogue: Catalogue,
    achievers: Achievers,
    data: DataSource,
    area: Area | None = None,
    given: Mapping[str, Any] | None = None,
    memory: FromMemory | None = None,
) -> Plan:
    """The plan of an expression over a folder of data; ``given`` are parameters of what its quantities are defined by,
    ``memory`` holds templates that earlier runs taught.

    Raises:
        PlanningError: a part does not fit, no data fit a quantity, or nothing realises an operator; it is named.
    """
    asked = normal(expression)
    misfits = check(asked).misfits
    if misfits:
        raise PlanningError("the question does not fit together", found="; ".join(map(str, misfits)))
    builder = Builder(catalogue.tools, achievers)
    work = Instantiation(catalogue, data, builder, area, None if memory is None else memory.methods)
    nodes = Nodes(builder)
    by_tools = None if catalogue.methods(TASK) else ByTools(catalogue, work)
    read = Data(work, builder, nodes, by_tools)
    of_procedures = parameters_of(asked, catalogue.templates)
    own = {name: value for name, value in (given or {}).items() if name in of_procedures}
    rest = {name: value for name, value in (given or {}).items() if name not in own}
    asked, standing = with_undated(asked, read.dates)
    meant = meaning(asked, catalogue.templates.values(), read.dates, rest)
    procedures = partial(_procedure, templates=catalogue.templates, work=work, data=data, given=own)
    compilation = _Compilation(check(meant.expression).types, work, nodes, read, catalogue.tools, procedures, memory)
    outputs = compilation.outputs(meant.expression)
    compilation.require_all(meant.expression)
    only_dates = _only_dates(meant, compilation.only_dates)
    words = in_words(expression, only_dates)
    named = expression.named if isinstance(expression, Several) else ()
    parts = {name: in_words(one, only_dates) for name, one in named}
    stated = {name: one.text for name, one in literals(expression).items()}
    wanted = (ref.node for value in outputs.values() for ref in references(value) if isinstance(ref, FromNode))
    kept = upstream(builder.workflow, wanted)
    gone = {node.id for node in builder.workflow.nodes} - kept
    return Plan(
        query=words,
        template=next((e.tool for e in _asked_alone(asked) if e.tool in catalogue.templates), ""),
        title=words[:1].upper() + words[1:],
        workflow=Workflow(tuple(node for node in builder.workflow.nodes if node.id in kept)),
        inputs=builder.inputs,
        parameters=compilation.parameters,
        outputs=outputs,
        answer=next(iter(outputs)),
        quality=quality_of(work.quality, gone),
        assumptions=tuple(dict.fromkeys((*meant.assumptions, *standing, *work.assumptions))),
        decisions=(*meant.decisions, *work.decisions),
        understood={"question": {"value": to_data(expression), "words": words}, "stated": {"value": stated}}
        | ({"written_out": {"value": to_data(meant.expression)}} if meant.expression != asked else {})
        | ({"parts": {"value": parts}} if parts else {}),
    )


def _asked_alone(e: Expression) -> Iterator[Apply]:
    """What is applied, where a question asks for nothing else."""
    if isinstance(e, Show):
        yield from _asked_alone(e.x)
    elif isinstance(e, Apply):
        yield e


def parameters_of(e: Expression, templates: Mapping[str, Template]) -> frozenset[str]:
    """The parameters of the templates that an expression applies, which may be set beside what it states."""
    applied = (templates.get(part.tool) for _, part in walk(e) if isinstance(part, Apply))
    return frozenset(name for one in applied if one is not None for name in one.parameters)


def _procedure(
    e: Expression, templates: Mapping[str, Template], work: Instantiation, data: DataSource, given: Mapping[str, Any]
) -> Called | None:
    """What a template gives that is applied; None where none is."""
    if not isinstance(e, Apply) or e.tool not in templates:
        return None
    return carried_out(e, templates[e.tool], work, data, given)


def _only_dates(meant: Meaning, found: Mapping[Expression, date | None]) -> dict[Expression, date | None]:
    """Of what is asked, the statistics over dates of which there is one, or none is left."""
    asked = {one: found.get(other) if other else None for one, other in meant.parts.items() if other in (None, *found)}
    return {**found, **asked}


class _Compilation:
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
        self._procedures = procedures
        self._memory = memory
        self.parameters: dict[str, Any] = {}  # of templates that are applied
        self._types = types
        self._work = work
        self._nodes = nodes
        self._ground = zones.Ground(nodes)
        self._data = data
        self._builder = nodes.builder
        self._tools = tools
        self._made: dict[tuple[Expression, Period | None, bool], Made] = {}
        self._realised: set[Position] = set()
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
        if isinstance(e, Extreme) and e.n == 1:
            self._answers.add((*at, e.op, "x"))
            x = self.made(e.x, (*at, e.op, "x"))
            if x.table:
                return {name or "answer": zones.extreme_zone(e, x, self._nodes).value}
            self._tell_thin(x)
            if x.type.keys in _TOLD_ALONE and not x.sometimes:
                if x.type.keys == ("date",):
                    self._require_dates(e, x)
                return {name or "answer": series.date_of_extreme(e, x, self._nodes).value}
        return delivered(e, self.made(e, at), self._types[at], self._nodes, name)

    def _even(self, e: Expression, at: Position) -> Made:
        """What lies below, of which periods are compared; those that dates cover too little are told."""
        found = self._dated(e, at)
        self._tell_thin(found)
        return found

    def _tell_thin(self, x: Made) -> None:
        """The periods that are left out of a comparison, or that are compared though none is covered."""
        name = x.type.grain
        if name is None:
            return
        place = x.place(name)
        keys = sorted({key[place] for key in x.items})
        thin = [key for key in keys if (name, key) in x.thin]
        if thin and len(thin) == len(keys):
            told = "compared, though dates cover less than 80 % of each"
            self._work.assumptions.append(Assumption(f"{name}s", told, "default", "none is covered better"))
        elif thin:
            more = f" and {len(thin) - _MOST_TOLD} more" if len(thin) > _MOST_TOLD else ""
            said = ", ".join(thin[:_MOST_TOLD]) + more
            why = "dates cover less than 80 % of it" if len(thin) == 1 else "dates cover less than 80 % of each"
            self._work.assumptions.append(Assumption(f"left out: {said}", True, "default", why))

    def made(self, e: Expression, at: Position, period: Period | None = None) -> Made:
        """The values of an expression; equal ones are made once. ``period``: no others of its dates are wanted."""
        known = self._made.get((e, period, at in self._answers))
        if known is None:
            above, self._builder.of = self._builder.of, place_of(at)
            try:
                known = self._carried_out(e, at, period)
            finally:
                self._builder.of = above
            self._made[(e, period, at in self._answers)] = known
            self._realised.add(at)
        else:
            self._realised |= {(*at, *below) for below, _ in walk(e)}
        return known

    def _carried_out(self, e: Expression, at: Position, period: Period | None) -> Made:
        if isinstance(e, Quantity):
            found = self._data.quantity(e, self._types[at], period)
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

    def _below(self, e: Expression, at: Position, name: str) -> Made:
        found = self.made(getattr(e, name), (*at, e.op, name))
        if found.table:
            raise refuse(e, "one number for each polygon or class, in a table")
        return found

    def _dated(self, e: Expression, at: Position) -> Made:
        """What lies below, of which each date is said."""
        found = self._below(e, at, "x")
        if "date" in found.type.keys:
            self._require_dates(e, found)
        return found

    # --- what is read ----------------------------------------------------------------------------------------------

    def _during(self, e: During, at: Position, period: Period | None) -> Made:
        if not isinstance(e.when, Times):
            return self._chosen(e, at)
        first, last = e.when.first, e.when.last
        own = Period(str(first or "0001-01-01"), str(last or "9999-12-31")) if first or last else None
        reads = isinstance(e.x, During | Quantity)
        x = self.made(e.x, (*at, e.op, "x"), _overlap(period, own) if reads else None)
        if "date" not in x.type.keys:
            return x
        place = x.type.keys.index("date")
        self._require_dates(e, x)
        south = e.when.season != "" and self._south()
        when = e.when
        kept = {key: item for key, item in x.items.items() if when.holds(date.fromisoformat(key[place]), south)}
        if not kept:
            dates = ", ".join(dict.fromkeys(key[place] for key in x.items))
            raise PlanningError(f"there are no data of {e.when}", where="during", expected=str(e.when), found=dates)
        ends = (first.year if first else 1, last.year if last else 9999)
        self._work.assumptions += years_without_data(*ends, [int(key[place][:4]) for key in kept])
        return x.of(x.type, kept)

    def _south(self) -> bool:
        """Whether the data lie south of the equator."""
        for data in self._builder.inputs.values():
            for raster in data.items or (data,):
                crs, bounds = raster.fact("crs"), raster.fact("bounds")
                if crs is not None and bounds is not None:
                    _, south, _, north = geo.transform_box(str(crs), "EPSG:4326", tuple(bounds))
                    return south + north < 0
        raise PlanningError("seasons need to know where the data lie", expected="a CRS", found="none")

    def _require_dates(self, e: Expression, x: Made) -> None:
        """Raise where a time is asked about, and a file does not say of which time it is.

        Raises:
            MissingFactError: with the ``--assume`` that would tell it.
        """
        place = x.type.keys.index("date")
        if all(key[place] != UNDATED for key in x.items):
            return
        when = e.when if isinstance(e, During) and isinstance(e.when, Times) else None
        images = (image for data in self._builder.inputs.values() for image in data.items or (data,))
        names = dict.fromkeys(one.name for one in images if one.type == "raster" and one.fact("datetime") is None)
        day = when.first if when is not None and when.first is not None and len(names) == 1 else "VALUE"
        raise MissingFactError(
            "the question names what the files do not tell",
            where="question",
            expected="files that say of which time they are",
            found=f"{', '.join(names)} without a date",
            hint="say it: " + " ".join(f'--assume "{name}:datetime={day}"' for name in names),
        )

    def _chosen(self, e: During, at: Position) -> Made:
        """Only the dates, or the periods, that the run finds."""
        x, when = self._below(e, at, "x"), self._below(e, at, "when")
        name = "date" if "date" in x.type.keys else str(x.type.grain)
        place = x.place(name)
        if name == "date":
            self._require_dates(e, x)
        if not when.type.keys:
            found: dict[Keys, Item] = {}
            for key, item in x.items.items():
                day = [float(date.fromisoformat(key[place]).toordinal())]
                truth = self._nodes.add("is_one_of", "during", (key[place],), x=when.only, numbers=day)
                found[key] = self._there(item, truth, key)
            return x.of(x.type, found)
        grain, south = when.type.keys[0], when.type.keys[0] == "season" and self._south()
        kept = {}
        for key, item in x.items.items():
            other = when.items.get((period_of(key[place], grain, south) if name == "date" else key[place],))
            if other is not None:
                kept[key] = self._there(item, other.present, key)
        if not kept:
            raise PlanningError("no dates are left", where="during", expected="dates of both", found="none")
        return x.of(x.type, kept)

    def _there(self, item: Item, truth: Bound | None, key: Keys) -> Item:
        if truth is None:
            return item
        return replace(item, present=self._nodes.both_there(item, Item(truth, present=truth), "during", key))

    def _split(self, e: Split, at: Position, period: Period | None) -> Made:
        if not isinstance(e.key, str):
            return self._by_ground(e, at)
        if "date" not in self._types[*at, e.op, "x"].keys:
            return self._maps(e, at, period)
        x = self.made(e.x, (*at, e.op, "x"), period if isinstance(e.x, During | Quantity) else None)
        place = x.type.keys.index("date")
        self._require_dates(e, x)
        grain, south = e.key, e.key == "season" and self._south()
        days = sorted({key[place] for key in x.items})
        thin = x.thin | (thin_periods(days, grain, south, self._spans()) if grain != "date" else frozenset())
        items = {(period_of(key[place], grain, south), *key): item for key, item in x.items.items()}
        return replace(x.of(self._types[at], items), thin=thin)

    def _maps(self, e: Split, at: Position, period: Period | None) -> Made:
        """What holds for all dates as a map for each year."""
        when = e.x.when if isinstance(e.x, During) and isinstance(e.x.when, Times) else Times()
        of = e.x.x if isinstance(e.x, During) else e.x
        assert isinstance(of, Quantity)
        self._realised |= {(*at, *below) for below, _ in walk(e)}
        own = Period(str(when.first or "0001-01-01"), str(when.last or "9999-12-31"))
        told = when.first or when.last
        return self._data.maps(of, self._types[at], _overlap(period, own) if told else period)

    def _spans(self) -> Spans:
        """The days that images tell of, by the day that each is dated."""
        images = (image for data in self._builder.inputs.values() for image in data.items or (data,))
        told = ((image.fact("datetime"), image.fact("span")) for image in images)
        return {str(day)[:10]: (str(span[0]), str(span[1])) for day, span in told if day and span}

    # --- ground ----------------------------------------------------------------------------------------------------

    def _by_ground(self, e: Split, at: Position) -> Made:
        """One value for each polygon, or for each class of a map."""
        x = self._below(e, at, "x")
        place = (*at, e.op, "key")
        own = self._types[at]
        if isinstance(e.key, Polygons):
            self._realised.add(place)
            found = self._data.zones()
            items: dict[Keys, Item] = {}
            for name in e.key.names or zones.names_of(e, found.known, e.key.by):
                for key, item in x.items.items():
                    items[(name, *key)] = zones.on(self._ground.polygons(item.bound, found, (name,)), item)
            return x.of(own, items)
        if isinstance(e.key, Point):
            raise refuse(e, "a point, of which there is one", "say where: within a point")
        return zones.split_by_classes(e, x, self._below(e, at, "key"), own, self._nodes)

    def _within(self, e: Within, at: Position) -> Made:
        x, own = self._below(e, at, "x"), self._types[at]
        place = (*at, e.op, "where")
        if isinstance(e.where, Polygons):
            self._realised.add(place)
            found, names = self._data.zones(), e.where.names
            covered = {
                key: zones.on(self._ground.polygons(one.bound, found, names), one) for key, one in x.items.items()
            }
            return x.of(own, covered)
        if isinstance(e.where, Point):
            self._realised.add(place)
            point = e.where
            return x.of(own, {key: zones.on(self._ground.point(one.bound, point), one) for key, one in x.items.items()})
        if e.where == NO_CLOUD and self._is_cleared(e.x):
            self._realised |= {(*place, *below) for below, _ in walk(e.where)}
            return x.of(own, x.items)
        mask = self._below(e, at, "where")
        if mask.type.chosen:
            found = self._data.zones()
            made = {
                key: zones.on(self._ground.chosen(one.bound, found, mask, key), one) for key, one in x.items.items()
            }
            return x.of(own, made)
        met = {key: zones.within_mask(item, part, key, self._nodes) for key, item, part in meet(e, x, mask)}
        return x.of(own, met)

    def _is_cleared(self, x: Expression) -> bool:
        """Whether clouds are taken off all that something is made of, image by image."""
        kinds = [part for _, part in walk(x) if isinstance(part, Quantity)]
        return bool(kinds) and all(map(self._data.is_cleared, kinds))

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
        a = self._below(e, at, "a")
        b = None if e.b is None else self._below(e, at, "b")
        return pixelwise.calculate(e, a, b, self._types[at], self._nodes)

    def _classify(self, e: Classify, at: Position) -> Made:
        return pixelwise.classify(e, self._below(e, at, "x"), self._types[at], self._nodes)

    # --- axes ------------------------------------------------------------------------------------------------------

    def _over(self, e: Over, at: Position) -> Made:
        own, last = self._types[at], at in self._answers
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

    def _weighted(self, e: Weighted, at: Position) -> Made:
        x, by = self._below(e, at, "x"), self._below(e, at, "by")
        return weighted(e, x, by, self._types[at], self._nodes, at in self._answers)

    def _require_order(self, e: Over, x: Made) -> None:
        if e.statistic in IN_ORDER and "date" in x.type.keys:
            self._require_dates(e, x)

    def _only_date(self, e: Over, at: Position) -> Made | None:
        """A statistic over dates of which there is one: what it is of; None where there are several."""
        below = (*at, e.op, "x")
        x = self._types[below]
        if e.axes not in ("time", "date") or x.grain != "date" or e.statistic not in _OF_ONE_ITSELF.get(x.of, ()):
            return None
        dates = self._dates(e.x, below)
        if dates is None or len(dates) != 1:
            return None
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

    def _over_zones(self, e: Over, split: Split, at: Position) -> Made | None:
        """A statistic by polygon or class as one table; None where the values are to be kept apart."""
        position = (*at, e.op, "x")
        if isinstance(split.key, Point) or (isinstance(split.key, Polygons) and (split.key.names or split.key.by)):
            return None
        x = self._below(split, position, "x")
        if isinstance(split.key, Polygons):
            found: Bound | None = self._data.zones()
        else:
            classes = self._below(split, position, "key").items.get(())
            found = None if classes is None or classes.covers else classes.bound
        table = None if found is None else zones.by_zone(e, split, x, found, self._types[at], self._nodes)
        if table is not None:
            self._realised |= {position, (*position, split.op, "key")}
        return table

    def _apply(self, e: Apply, at: Position) -> Made:
        """What a tool makes by itself of the parts, which are its first inputs; for each key, where one part has some.

        Raises:
            NotCompiledError: there is no such tool, it takes other inputs, or needs what nobody said.
        """
        tool = self._tools.get(e.tool)
        if tool is None:
            raise refuse(
                e, f"{e.tool!r}, which is no tool that gives a part of a question", did_you_mean(e.tool, self._tools)
            )
        parts = [self._whole(self.made(part, (*at, e.op, "parts", place))) for place, part in enumerate(e.parts)]
        names = [name for name, one in tool.inputs.items() if one.is_artifact]
        wanted = [name for name, one in tool.inputs.items() if one.required]
        given = dict(zip(names, parts, strict=False))
        self._realised |= {(*at, e.op, "settings", name) for name, _ in e.settings}
        open_ = [name for name in wanted if name not in given and name not in dict(e.settings)]
        if len(parts) > len(names) or open_:
            needs = ", ".join(open_) or f"at most {len(names)} inputs"
            raise refuse(e, f"{e.tool}, which needs {needs}", f"`knowflow tools show {e.tool}` says what it takes")
        keyed = [part for part in parts if part.type.keys]
        if len(keyed) > 1:
            raise refuse(e, "several inputs, each with keys", "take one date of each")
        items: dict[Keys, Item] = {}
        for key, present in {k: one.present for part in keyed or parts for k, one in part.items.items()}.items():
            taken: dict[str, Any] = {name: part.items[key if part.type.keys else ()] for name, part in given.items()}
            taken |= {name: self._setting(e, tool, name, one, taken) for name, one in e.settings}
            items[key] = Item(self._nodes.add(e.tool, "apply", key, layer=max(tool.layers), **taken), present=present)
        return Made(replace(self._types[at], keys=keyed[0].type.keys if keyed else ()), items)

    def _setting(self, e: Apply, tool: ToolSchema, name: str, said: Expression, taken: Mapping[str, Item]) -> Any:
        """What is said of a parameter, as the tool takes it: a number in its unit, a place on the grid of its input.

        Raises:
            NotCompiledError: the tool has no such parameter, or the number no unit that fits.
        """
        parameter = tool.inputs.get(name)
        if parameter is None:
            raise refuse(e, f"{e.tool} with {name}", did_you_mean(name, tool.inputs))
        data = next((item.bound.known for item in taken.values()), None)
        if isinstance(said, Point):
            crs = None if data is None else data.fact("crs")
            if crs is None:
                raise refuse(e, "a place, and data without a CRS", "say it: --assume crs=...")
            west, south, *_ = geo.transform_box("EPSG:4326", str(crs), (said.longitude, said.latitude) * 2)
            return [west, south]
        assert isinstance(said, Number)  # as is checked
        unit = parameter.unit or (None if data is None else data.fact("unit"))
        if said.unit != "1" and (unit is None or not compatible(said.unit, str(unit))):
            raise refuse(e, f"{name} in {said.unit}", f"say it in {unit}" if unit else "say it without a unit")
        value = said.value if said.unit == "1" else convert(said.value, said.unit, str(unit), difference=True)
        return round(value) if parameter.type == "integer" else value

    def _whole(self, x: Made) -> Made:
        """Maps that are nodata beyond their ground, as tools by themselves take them."""
        if not x.type.space:
            return x
        return replace(x, items={key: self._nodes.on_ground(one, "apply", key) for key, one in x.items.items()})

    def _anomaly(self, e: Anomaly, at: Position) -> Made:
        x = self._dated(e, at)
        south = e.base is not None and e.base.season != "" and self._south()
        told = not at or all(part == During.op for part in at[::2])
        return series.anomaly(e, x, self._types[at], south, self._nodes, told)

    def _correlate(self, e: Correlate, at: Position) -> Made:
        a, b = self._below(e, at, "a"), self._below(e, at, "b")
        return series.correlate(e, a, b, self._types[at], self._nodes)


def place_of(at: Position) -> str:
    """Where an operator stands in the expression that is asked, as nodes say it: ``/over/x``."""
    return f"/{'/'.join(map(str, at))}"


def _called_in(outputs: dict[str, Value], name: str) -> dict[str, Value]:
    """The outputs of a part of a question: its answer has the name of the part, the others begin with it."""
    if not name:
        return outputs
    answer = next(iter(outputs))
    return {name if one == answer else f"{name}_{one}": value for one, value in outputs.items()}


def _overlap(a: Period | None, b: Period | None) -> Period | None:
    """The time that two periods have in common; None: any."""
    if a is None or b is None:
        return a or b
    return Period(max(a.start, b.start), min(a.end, b.end))
