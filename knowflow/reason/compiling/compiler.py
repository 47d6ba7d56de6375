"""The compiler: an expression over the data at hand as a plan, every operator of it realised or the plan refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from knowflow.graph.orphans import upstream
from knowflow.ground.errors import PlanningError
from knowflow.ground.units import convert
from knowflow.knowledge.catalogue import Catalogue
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption, Plan
from knowflow.model.template import Template
from knowflow.model.workflow import FromNode, Value, Workflow, references
from knowflow.question.check import check
from knowflow.question.form import to_data
from knowflow.question.normal import normal
from knowflow.question.operators import (
    Along,
    And,
    Beyond,
    Calculate,
    Classify,
    Correlate,
    During,
    Expression,
    Extreme,
    IsClass,
    Not,
    Number,
    Or,
    Over,
    Point,
    Polygons,
    Position,
    Quantity,
    Show,
    Split,
    Trend,
    Within,
    walk,
)
from knowflow.question.times import Times, season_of, season_year
from knowflow.question.types import Type
from knowflow.question.words import in_words
from knowflow.reason.achievers import Achievers
from knowflow.reason.area import Area
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.compiling import series, zones
from knowflow.reason.compiling.made import Keys, Made, Nodes, constant, is_raster, meet, refuse
from knowflow.reason.compiling.statistics import counted, over, over_beyond
from knowflow.reason.inputs import DataSource
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.pairing import has_date, keys_of

_TASKS = {"number": "clear_quantity"}  # masks and classes are taken as they are
_UNDATED = ""


def compiled(
    expression: Expression, catalogue: Catalogue, achievers: Achievers, data: DataSource, area: Area | None = None
) -> Plan:
    """The plan of an expression over a folder of data.

    Raises:
        PlanningError: a part does not fit, no data fit a quantity, or nothing realises an operator; it is named.
    """
    asked = normal(expression)
    checked = check(asked)
    if checked.type is None:
        raise PlanningError("the question does not fit together", found="; ".join(map(str, checked.misfits)))
    builder = Builder(catalogue.tools, achievers)
    work = Instantiation(catalogue, data, builder, area)
    compilation = _Compilation(checked.types, work, builder)
    made = compilation.made(asked, ())
    compilation.require_all(asked)
    outputs = _outputs(made, builder)
    words = in_words(expression)
    wanted = (ref.node for value in outputs.values() for ref in references(value) if isinstance(ref, FromNode))
    kept = upstream(builder.workflow, wanted)
    return Plan(
        query=words,
        template="",
        title=words[:1].upper() + words[1:],
        workflow=Workflow(tuple(node for node in builder.workflow.nodes if node.id in kept)),
        inputs=builder.inputs,
        outputs=outputs,
        answer=next(iter(outputs)),
        quality=tuple(work.quality),
        assumptions=tuple(dict.fromkeys(work.assumptions)),
        decisions=tuple(work.decisions),
        understood={"question": {"value": to_data(expression), "words": words}},
    )


def _outputs(made: Made, builder: Builder) -> dict[str, Value]:
    """What is delivered: a number, numbers in the order of their keys, or a map for each key."""
    if not made.items:
        raise PlanningError("nothing is left of the data", expected="data of the dates asked about", found="none")
    if not any(is_raster(bound) for bound in made.items.values()):
        items = list(made.items.values())
        return {"answer": (made.only if () in made.items else builder.series(items)).value}
    return {"_".join(("map", *key)).strip("_"): bound.value for key, bound in made.items.items()}


class _Compilation:
    def __init__(self, types: Mapping[Position, Type], work: Instantiation, builder: Builder) -> None:
        self._types = types
        self._work = work
        self._nodes = Nodes(builder)
        self._builder = builder
        self._made: dict[tuple[Expression, Period | None], Made] = {}
        self._realised: set[Position] = set()
        self._rules: Mapping[type[Expression], Callable[[Any, Position], Made]] = {
            Number: lambda e, at: Made(self._types[at], {(): constant(e.value)}, literal=True),
            Within: self._within,
            Beyond: self._beyond,
            IsClass: self._is_class,
            And: self._logic,
            Or: self._logic,
            Not: self._not,
            Over: self._over,
            Calculate: self._calculate,
            Classify: self._classify,
            Extreme: self._extreme,
            Along: lambda e, at: series.along(e, self._below(e, at, "x"), self._types[at], self._nodes),
            Trend: lambda e, at: series.trend(e, self._below(e, at, "x"), self._types[at], self._nodes),
            Correlate: self._correlate,
            Show: self._show,
        }

    def made(self, e: Expression, at: Position, period: Period | None = None) -> Made:
        """The values of an expression; equal ones are made once. ``period``: no others of its dates are wanted."""
        known = self._made.get((e, period))
        if known is None:
            if isinstance(e, Quantity):
                known = self._quantity(e, at, period)
            elif isinstance(e, During):
                known = self._during(e, at, period)
            elif isinstance(e, Split):
                known = self._split(e, at, period)
            else:
                rule = self._rules.get(type(e))
                if rule is None:
                    raise refuse(e, f"{e.op}")
                known = rule(e, at)
            self._made[(e, period)] = known
            self._realised.add(at)
        else:
            self._realised |= {(*at, *below) for below, _ in walk(e)}
        return known

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

    # --- what is read ----------------------------------------------------------------------------------------------

    def _quantity(self, e: Quantity, at: Position, period: Period | None) -> Made:
        own = self._types[at]
        if e.having:
            raise refuse(e, f"a choice of data by {e.having[0][0]}")
        task = _TASKS.get(own.of, "produce_quantity")
        given = {"quantity": e.kind} | ({"method": e.method} if e.method else {})
        product = self._read(e.kind, {"steps": {"it": {"task": task, "with": given}}, "outputs": {"it": "$it"}}, period)
        if product is None or not isinstance(product.known, Artifact):
            raise refuse(e, "no raster of it")
        keys = product.keys or keys_of(product.known)
        items = dict(zip(keys, self._builder.items(product), strict=True))
        if not own.keys:
            return Made(own, {(): self._only(e, items)})
        dated = {(key[:10] if has_date(key) else key,): bound for key, bound in items.items()}
        if len(dated) < len(items):
            raise refuse(e, "several images of one day", "restrict the data with --aoi or --dates")
        if not all(has_date(key) for (key,) in dated):
            if len(dated) > 1:
                raise refuse(e, "images without dates", "say them: --assume NAME:datetime=...")
            dated = {(_UNDATED,): next(iter(dated.values()))}
        return Made(own, dict(sorted(dated.items())))

    def _read(self, title: str, parts: Mapping[str, Any], period: Period | None = None) -> Bound | None:
        """What a little template gives: data of the folder, or what a method makes of them."""
        template = Template.model_validate({"template": "of_question", "title": title, "layer": 2, **parts})
        return self._work.template(template, {}, {}, path=title, period=period).outputs["it"]

    def _only(self, e: Quantity, items: Mapping[str, Bound]) -> Bound:
        """The one map of what stands for all dates; of several the newest, which is told."""
        newest = max(items)
        if len(items) > 1:
            if not all(map(has_date, items)):
                raise refuse(e, f"several maps of it: {', '.join(sorted(items))}", "leave one in the folder")
            told = f"the newest of {len(items)} maps, {newest[:10]}"
            self._work.assumptions.append(Assumption(e.kind.replace("_", " "), told, "default", "none is asked for"))
        return items[newest]

    def _during(self, e: During, at: Position, period: Period | None) -> Made:
        if not isinstance(e.when, Times):
            raise refuse(e, "dates that only the run finds")
        first, last = e.when.first, e.when.last
        own = Period(str(first or "0001-01-01"), str(last or "9999-12-31")) if first or last else None
        reads = isinstance(e.x, During | Quantity)
        x = self.made(e.x, (*at, e.op, "x"), _overlap(period, own) if reads else None)
        if "date" not in x.type.keys:
            return x
        place = x.type.keys.index("date")
        if any(key[place] == _UNDATED for key in x.items):
            raise refuse(e, "an image without a date", "say it: --assume datetime=...")
        south = e.when.season != "" and _south(x)
        when = e.when
        kept = {key: bound for key, bound in x.items.items() if when.holds(date.fromisoformat(key[place]), south)}
        if not kept:
            dates = ", ".join(dict.fromkeys(key[place] for key in x.items))
            raise PlanningError(f"there are no data of {e.when}", where="during", expected=str(e.when), found=dates)
        return x.of(x.type, kept)

    def _split(self, e: Split, at: Position, period: Period | None) -> Made:
        if not isinstance(e.key, str):
            raise refuse(e, "a split by polygons or classes")
        x = self.made(e.x, (*at, e.op, "x"), period if isinstance(e.x, During | Quantity) else None)
        place = x.type.keys.index("date")
        if any(key[place] == _UNDATED for key in x.items):
            raise refuse(e, "an image without a date", "say it: --assume datetime=...")
        grain, south = e.key, e.key == "season" and _south(x)
        return x.of(self._types[at], {(_period_of(key[place], grain, south), *key): b for key, b in x.items.items()})

    def _within(self, e: Within, at: Position) -> Made:
        x = self._below(e, at, "x")
        where = self._types.get((*at, e.op, "where"))
        if where is None or where.of != "truth" or where.chosen:
            raise refuse(e, "polygons or points")
        mask = self._below(e, at, "where")
        items = {
            key: self._nodes.add("apply_mask", "within", key, raster=bound, mask=part, keep="masked")
            for key, bound, part in meet(e, x, mask)
        }
        return replace(x.of(self._types[at], items), ground=x.ground | mask.ground | {e.where})

    # --- pixel by pixel, key by key --------------------------------------------------------------------------------

    def _beyond(self, e: Beyond, at: Position) -> Made:
        x, limit = self._below(e, at, "x"), self._below(e, at, "limit")
        upper = None if e.upper is None else self._below(e, at, "upper")
        own = self._types[at]
        if not own.space or (upper is not None and not (limit.literal and upper.literal)):
            raise refuse(e, f"{x.type} compared with {limit.type}")
        if x.type.measure.nature == "angle":
            raise refuse(e, "directions compared")
        side = {"at_least": "below", "at_most": "above"}.get(e.side, e.side)
        unit = limit.type.measure.unit if limit.literal else None
        items = {}
        for key, bound, than in meet(e, x, limit):
            given: dict[str, Any] = {"side": side} | ({} if unit is None else {"threshold_unit": unit})
            raster, against = bound, than
            if is_raster(than):
                raster = self._nodes.add("raster_difference", "beyond.apart", key, a=bound, b=than)
                against = constant(0.0)
            if upper is not None:
                given["upper"] = upper.only
            mask = self._nodes.add("threshold", "beyond", key, raster=raster, threshold=against, **given)
            items[key] = mask if side == e.side else self._combined("not", [mask], "beyond", key)
        return replace(x.of(own, items), ground=x.ground | limit.ground)

    def _is_class(self, e: IsClass, at: Position) -> Made:
        x = self._below(e, at, "x")
        if not x.type.space:
            raise refuse(e, "a class that only the run finds")

        def mask(key: Keys, bound: Bound) -> Bound:
            parts = [self._nodes.add("mask_of_class", "is_class", key, raster=bound, name=name) for name in e.names]
            return parts[0] if len(parts) == 1 else self._combined("or", parts, "is_class", key)

        return self._nodes.each(x, self._types[at], mask)

    def _logic(self, e: And | Or, at: Position) -> Made:
        parts = [self.made(part, (*at, e.op, "parts", place)) for place, part in enumerate(e.parts)]
        if not all(part.type.space for part in parts):
            raise refuse(e, "truths that are no masks")
        if any(part.ground != parts[0].ground for part in parts):
            raise refuse(e, "masks of different ground", "restrict the ground of all, or of what comes of them")
        found = parts[0]
        for part in parts[1:]:
            larger = max(found, part, key=lambda one: len(one.type.keys))
            items = {key: self._combined(e.op, [a, b], e.op, key) for key, a, b in meet(e, found, part)}
            found = found.of(larger.type, items)
        return found

    def _not(self, e: Not, at: Position) -> Made:
        x = self._below(e, at, "x")
        if not x.type.space:
            raise refuse(e, "a truth that is no mask")
        return self._nodes.each(x, self._types[at], lambda key, bound: self._combined("not", [bound], "not", key))

    def _combined(self, how: str, masks: list[Bound], step: str, key: Keys) -> Bound:
        return self._nodes.add("combine_masks", step, key, masks=self._builder.series(masks), operation=how)

    def _calculate(self, e: Calculate, at: Position) -> Made:
        if e.b is None or e.how not in (*_OF_TWO, "product"):
            raise refuse(e, e.how)
        a, b = self._below(e, at, "a"), self._below(e, at, "b")
        if e.how == "product" and a.literal != b.literal:
            return self._multiple(e, *((a, b) if b.literal else (b, a)), self._types[at])
        spaces = {a.type.space, b.type.space}
        of_maps, of_numbers = _OF_TWO.get(e.how, (None, None))
        tool = of_maps if spaces == {True} else of_numbers if spaces == {False} else None
        if tool is None or a.literal or b.literal:
            raise refuse(e, f"{e.how} of {a.type} and {b.type}")
        names = ("after", "before") if tool == "percent_change" else ("a", "b")
        items = {
            key: self._nodes.add(tool, "calculate", key, **{names[0]: one, names[1]: other})  # type: ignore[arg-type]
            for key, one, other in meet(e, a, b)
        }
        return replace(a.of(self._types[at], items), ground=a.ground | b.ground)

    def _multiple(self, e: Calculate, x: Made, times: Made, own: Type) -> Made:
        """So many times a number."""
        if x.type.space or times.type.measure.unit != "1":
            raise refuse(e, f"{x.type} times a number in {times.type.measure.unit}")
        return self._nodes.each(
            x, own, lambda key, one: self._nodes.add("multiple", "calculate", key, x=one, times=times.only)
        )

    def _classify(self, e: Classify, at: Position) -> Made:
        x = self._below(e, at, "x")
        if not x.type.space:
            raise refuse(e, f"{x.type} in classes")
        measure = x.type.measure
        limits = [float(convert(one, e.unit, measure.unit, difference=measure.change)) for one in e.breaks]

        def classes(key: Keys, bound: Bound) -> Bound:
            names = list(e.labels)
            return self._nodes.add("classes_between_limits", "classify", key, raster=bound, limits=limits, names=names)

        return self._nodes.each(x, self._types[at], classes)

    # --- axes ------------------------------------------------------------------------------------------------------

    def _over(self, e: Over, at: Position) -> Made:
        if isinstance(e.x, Split) and isinstance(e.x.key, Expression) and e.axes == "space":
            return self._over_zones(e, e.x, at)
        below = counted(e)
        if below is None:
            if e.statistic == "area" and self._types[(*at, e.op, "x")].of == "class":
                return zones.class_areas(e, self._below(e, at, "x"), self._types[at], self._nodes)
            return over(e, self._below(e, at, "x"), self._types[at], self._nodes)
        position = (*at, e.op, "x")
        x = self._below(below, position, "x")
        limits = [(*position, below.op, name) for name in ("limit", "upper")]
        self._realised |= {position, *(one for one in limits if one in self._types)}
        return over_beyond(e, below, x, self._types[at], self._nodes)

    def _over_zones(self, e: Over, split: Split, at: Position) -> Made:
        position = (*at, e.op, "x")
        x = self._below(split, position, "x")
        if isinstance(split.key, Polygons) and not split.key.names:
            parts = {"inputs": {"zones": {"type": "vector", "title": "polygons"}}, "outputs": {"it": "$inputs.zones"}}
            found = self._read("polygons", parts)
            self._realised.add((*position, split.op, "key"))
        elif isinstance(split.key, Polygons | Point):
            raise refuse(split, "polygons by their names, or points")
        else:
            key = self._below(split, position, "key")
            found = key.items.get(())
        if found is None:
            raise refuse(split, "classes of several dates")
        self._realised.add(position)
        return zones.by_zone(e, split, x, found, self._types[at], self._nodes)

    def _extreme(self, e: Extreme, at: Position) -> Made:
        if at:
            raise refuse(e, "keys that only the run finds", "as the last thing that is asked it can be")
        x = self.made(e.x, (*at, e.op, "x"))
        if x.table:
            return zones.extreme_zone(e, x, self._types[at], self._nodes)
        return series.extreme(e, x, self._types[at], self._nodes)

    def _correlate(self, e: Correlate, at: Position) -> Made:
        a, b = self._below(e, at, "a"), self._below(e, at, "b")
        return series.correlate(e, a, b, self._types[at], self._nodes)

    def _show(self, e: Show, at: Position) -> Made:
        x = self._below(e, at, "x")
        if e.as_ != "map":
            raise refuse(e, e.as_)
        return x


_OF_TWO: Mapping[str, tuple[str | None, str | None]] = {
    "difference": ("raster_difference", "difference_of"),
    "ratio": ("ratio_of_rasters", "ratio"),
    "percent_change": (None, "percent_change"),
}


def _overlap(a: Period | None, b: Period | None) -> Period | None:
    """The time that two periods have in common; None: any."""
    if a is None or b is None:
        return a or b
    return Period(max(a.start, b.start), min(a.end, b.end))


def _period_of(day: str, grain: str, south: bool) -> str:
    """The name of the period of a grain that a day lies in."""
    one = date.fromisoformat(day)
    match grain:
        case "year":
            return day[:4]
        case "month":
            return day[:7]
        case "week":
            return "{}-W{:02}".format(*one.isocalendar()[:2])
        case "season":
            return f"{season_year(one)}-{1 + one.month % 12 // 3}-{season_of(one, south)}"
        case "month_of_year":
            return day[5:7]
    return day


def _south(x: Made) -> bool:
    """Whether the data lie south of the equator."""
    raster = next(iter(x.items.values())).known
    crs, bounds = raster.fact("crs"), raster.fact("bounds")
    if crs is None or bounds is None:
        raise PlanningError("seasons need to know where the data lie", expected="a CRS", found="none")
    _, south, _, north = geo.transform_box(str(crs), "EPSG:4326", tuple(bounds))
    return south + north < 0
