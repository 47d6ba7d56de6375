"""What an expression reads: the data of a quantity, or what a method makes of them, one map for each date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, TypeAlias

from knowflow.ground.errors import PlanningError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption
from knowflow.model.template import Template
from knowflow.question.operators import CLOUDED, Expression, Not, Polygons, Quantity
from knowflow.question.reading.vocabulary import PAIR
from knowflow.question.times import Times, times
from knowflow.question.types import Type, type_of_kind
from knowflow.question.typing_of_features import are_rows
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.compiling.by_tools import ByTools
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes, NotCompiledError, refuse
from knowflow.reason.definitions import GIVEN
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.inventory.glance import glance
from knowflow.reason.inventory.grouping import layer_of
from knowflow.reason.inventory.tiles import items_of
from knowflow.reason.named_bands import LENGTH, LENGTHS, VARIANT, YEARS, is_variant, length_of, pair_of, variants_among
from knowflow.reason.other_times import no_data_of
from knowflow.reason.pairing import has_date, keys_of
from knowflow.reason.polygon_files import polygon_file, rows_of_table
from knowflow.reason.vector_shapes import has_points

UNDATED = ""
Dated: TypeAlias = tuple[tuple[str, Bound], ...]
"""Maps, each with its time, or with its name where one has none; several may be of one time."""
CLEARED = "cloud_masked_quantity"
"""The method of a quantity that takes clouds off each image."""
NO_CLOUD = Not(Quantity("cloud_mask"))
"""The ground that has no clouds: clouds are taken off each image where a mask is there."""
TASK = "produce_quantity"
EACH = "each"
"""That several images of a day are wanted one by one."""
_SAY_DATES = 'say of which time each is: --assume "FILE:dates=[...]"'
_TASKS = {"number": "clear_quantity"}  # masks and classes are taken as they are

_PIXELS_OF_POINTS = Assumption(
    "a point is the pixel that it lies in", True, "default", "the file holds points, and no polygons"
)


class Data:
    """Reads quantities and polygons of a folder into one workflow; ``by_tools`` makes them where no template does."""

    def __init__(self, work: Instantiation, builder: Builder, nodes: Nodes, by_tools: ByTools | None = None) -> None:
        self._by_tools = by_tools
        self._work = work
        self._builder = builder
        self._nodes = nodes
        self._cleared: dict[Quantity, bool] = {}
        self.lengths: tuple[str, ...] = LENGTHS
        """Of which lengths of time maps may be, for what the question tells of times; those preferred first."""

    def quantity(self, e: Quantity, own: Type, period: Period | None, of_day: str = "mean") -> Made:
        """The maps of a quantity by date, or the one that stands for all; ``of_day``: what is made of several of a day,
        ``each`` to have them one by one.

        Raises:
            PlanningError: no data fit it, or several images are of one time and cannot be told apart.
        """
        before = len(self._work.decisions)
        items = self._of_variant(e, self._items_of(e, period))
        self._require_variant(e, items)
        self._tell_unit(e, items)
        cleared = any(one.chosen == CLEARED for one in self._work.decisions[before:])
        self._cleared[e] = self._cleared.get(e, True) and cleared
        legend = _legend(items) if own.of == "class" else {}
        if not own.keys:
            return Made(own, {(): Item(self._only(e, items))}, legend=legend)
        days: dict[str, list[Bound]] = {}
        for key, bound in items:
            days.setdefault(key[:10] if has_date(key) and of_day != EACH else key, []).append(bound)
        dated = {(day,): Item(self._of_one_day(e, own, day, images, of_day)) for day, images in days.items()}
        if not all(has_date(key) for (key,) in dated):
            if len(dated) > 1:
                raise refuse(e, "images without dates", "say them: --assume NAME:datetime=...")
            dated = {(UNDATED,): next(iter(dated.values()))}
        return Made(own, dict(sorted(dated.items())), legend=legend)

    def of_days(self, e: Expression, made: Made, of_day: str) -> Made:
        """What was calculated of each image, as one map a day.

        Raises:
            PlanningError: as ``quantity``.
        """
        days: dict[str, list[Bound]] = {}
        for (key,), item in made.items.items():
            days.setdefault(key[:10] if has_date(key) else key, []).append(item.bound)
        own = made.type
        return made.of(own, {(day,): Item(self._of_one_day(e, own, day, all_, of_day)) for day, all_ in days.items()})

    def _tell_unit(self, e: Quantity, items: Dated) -> None:
        """That numbers of which nothing tells the unit are taken to be in the usual one of their quantity."""
        kind = quantity_kinds().get(e.kind)
        untold = any(
            one.known.path and one.known.fact("unit") is None for _, one in items if isinstance(one.known, Artifact)
        )
        if kind is not None and kind.unit != "1" and untold:
            because = "its usual unit: nothing tells that of the files (--assume unit=...)"
            self._tell(Assumption(f"unit of {e.kind.replace('_', ' ')}", kind.unit, "default", because))

    def _of_variant(self, e: Quantity, items: Dated) -> Dated:
        """Of layers that a word of their names tells apart, or the two dates that each is of, those that are asked
        about."""
        wanted = [value for fact, value in e.having if fact == VARIANT]
        pair = dict(e.having).get(PAIR)
        kept = ((key, one) for key, one in items if isinstance(one.known, Artifact))
        if pair is not None:
            return tuple(one for one in kept if pair_of(one[1].known) == pair)
        return tuple(one for one in kept if all(is_variant(one[1].known, word) for word in wanted)) if wanted else items

    def _plain(self, e: Quantity) -> tuple[tuple[str, str], ...]:
        """Beside maps of the largest or of the smallest number of each time those of neither, where nobody said which;
        that there are none of neither is told.

        Raises:
            PlanningError: there are maps of the largest and of the smallest, and no others.
        """
        rasters = (leaf for one in self._work.data.candidates("raster", (e.kind,), (), None) for leaf in one.leaves())
        held = {one.fact("statistic") for one in rasters}
        extremes = sorted(str(one) for one in held if one in ("maximum", "minimum"))
        if not extremes or "statistic" in dict(e.having):
            return ()
        if len(held) > len(extremes):
            return (("statistic", "mean"),)
        name = e.kind.replace("_", " ")
        if len(extremes) > 1:
            raise NotCompiledError(
                f"the maps of {name} are of its {' and its '.join(extremes)}",
                expected="the one that is meant",
                hint=f"name it in the question: the mean of the maximum {name}",
            )
        told = "the maps are of that of each time, and of no other"
        self._tell(Assumption(name, f"its {extremes[0]}", "default", told))
        return ()

    def _tell(self, assumed: Assumption) -> None:
        if assumed not in self._work.assumptions:
            self._work.assumptions.append(assumed)

    def _require_variant(self, e: Quantity, items: Dated) -> None:
        """Refuse to take one of several layers that a word of their names tells apart on the same grid: which is meant
        nobody said."""
        if VARIANT in dict(e.having):
            return
        taken = {one.known.path: one.known for _, one in items if isinstance(one.known, Artifact)}
        self._refuse_one_of_several_bands(e, [one.known for _, one in items if isinstance(one.known, Artifact)])
        layers = {(one.fact("grid"), layer_of(one)) for one in taken.values()}
        alike = [
            one
            for one in self._work.data.candidates("raster", (e.kind,), (), None)
            if (one.fact("grid"), layer_of(one)) in layers
        ]
        paths = {one.path for one in alike}
        if paths & taken.keys() and not paths <= taken.keys() and (variants := variants_among(alike)):
            raise NotCompiledError(
                f"there are {len(variants)} layers of {e.kind.partition('__')[0].replace('_', ' ')}",
                expected="the one that is meant",
                found=f"{', '.join(variants)}, as their names tell them apart",
                hint=f"name one of them in the question: in the {variants[-1]} map",
            )

    def _refuse_one_of_several_bands(self, e: Quantity, taken: Sequence[Artifact]) -> None:
        """Refuse to take one of the bands of a file that nothing tells apart: they may be of parts of the time told."""

        def meant(one: Artifact) -> tuple[object, ...]:
            return one.path, one.fact("datetime"), layer_of(one)

        own, of_them = {(one.path, one.band) for one in taken}, {meant(one) for one in taken}
        for one in self._work.data.candidates("raster", (e.kind,), (), None):
            if one.band is not None and (one.path, one.band) not in own and meant(one) in of_them:
                name = PurePath(str(one.path)).name
                raise refuse(e, f"one of several bands of {name} that nothing tells apart", _SAY_DATES)

    def _lengths(self, e: Quantity) -> tuple[str, ...]:
        """Of what adds up over time, where there are maps of years and of parts of them, of months and of days: those
        that are asked about first, so that nothing is counted twice.

        Raises:
            PlanningError: parts of years are asked about, and there are maps of whole years alone.
        """
        own = type_of_kind(e.kind)
        if own is None or own.of != "number" or "time" not in own.measure.adds or "date" not in own.keys:
            return ("",)
        items = self._work.data.candidates("raster", (e.kind,), (), None)
        held = {length_of(leaf) for item in items for leaf in item.leaves() if leaf.fact("datetime") is not None}
        if held == {YEARS} and YEARS not in self.lengths:
            raise refuse(e, "parts of a year, of maps of whole years")
        lengths = tuple(one for one in self.lengths if one in held)
        if len(held) > 1 and not lengths:
            there = " and ".join(one for one in LENGTHS if one in held)
            raise refuse(e, f"{' or '.join(self.lengths)}, of maps of {there}")
        return lengths if len(held) > 1 else ("",)

    def none_where_blank(self, made: Made) -> Made:
        """With none of it where files of it are blank that never tell that there is none."""

        def filled(key: Keys, one: Bound) -> Bound:
            return self._nodes.add("none_where_blank", "blank", key, raster=one) if _is_sparse(one.known) else one

        return self._nodes.each(made, made.type, filled)

    def is_told_blank(self, e: Quantity) -> bool:
        """Whether it is said of files of it that they are blank where there is none."""
        return any(one.fact("blank") == "none" for one in self._work.data.candidates("raster", (e.kind,), (), None))

    def maps(self, e: Quantity, own: Type, period: Period | None) -> Made:
        """The map of classes of each year.

        Raises:
            PlanningError: there are none, one tells no year, or several are of one.
        """
        items = self._items_of(e, period)
        years = [key[:4] if has_date(key) else "" for key, _ in items]
        if "" in years or len(set(years)) < len(years):
            raise refuse(e, f"maps that are not one a year: {', '.join(key for key, _ in items)}")
        found = {(year,): Item(bound) for year, (_, bound) in zip(years, items, strict=True)}
        return Made(own, dict(sorted(found.items())), legend=_legend(items))

    def is_cleared(self, e: Quantity) -> bool:
        """Whether clouds were taken off every image of a quantity that was read."""
        return self._cleared.get(e, False)

    def dates(self, e: Quantity) -> frozenset[str]:
        """The days of which there are data of a quantity, or of what a method makes it of; nothing is added for it.

        Raises:
            PlanningError: there are none.
        """
        with self._work.attempt():
            return frozenset(key[:10] if has_date(key) else UNDATED for key, _ in self._items(e, None))

    def year(self, e: Quantity) -> Times | None:
        """The year that the only map of a quantity is of; None where there are several, or it is of less than a year.

        Raises:
            PlanningError: there is none.
        """
        with self._work.attempt():
            items = self._items(e, None)
            days = {day[:10] for _, bound in items for day in bound.known.fact("span") or () if day}
            first, last = min(days, default=""), max(days, default="")
            whole = len(items) == 1 and (first[4:], last) == ("-01-01", f"{first[:4]}-12-31")
            return times(first[:4]) if whole else None

    def ground(self, where: Polygons) -> Bound:
        """The file of polygons that are meant, as ground.

        Raises:
            PlanningError: there are none, or they are rows of a table.
        """
        if are_rows(where):
            hint = "put a vector file with their places beside it, or add columns of longitude and latitude"
            raise PlanningError("rows of a table have no place", expected="features", found=str(where.layer), hint=hint)
        return self.zones(where)

    def zones(self, where: Polygons) -> Bound:
        """The file of polygons that are meant.

        Raises:
            PlanningError: there are none, or several files of them.
        """
        data = self._work.data
        if are_rows(where):
            table = rows_of_table(data.candidates("table", (), (), None), str(where.layer))
            if table is None:
                raise PlanningError("there is no such table", expected=str(where.layer), found=data.summary())
            return self._builder.input("polygons.zones", table)
        found = polygon_file(where, data.candidates("vector", (), (), None), data.summary())
        if has_points(found):
            self._tell(_PIXELS_OF_POINTS)
        return self._builder.input("polygons.zones", found)

    def _items_of(self, e: Quantity, period: Period | None) -> Dated:
        """The data of a time.

        Raises:
            PlanningError: there are none; where there are some of other dates, these are told.
        """
        try:
            return self._items(e, period)
        except PlanningError:
            days = () if period is None else self._other_days(e, period)
            if period is None or not days:
                raise
            raise no_data_of(period, days) from None

    def _other_days(self, e: Quantity, period: Period) -> tuple[str, ...]:
        """The dates of a quantity, where none is of the period."""
        with suppress(PlanningError):
            days = sorted(self.dates(e))
            return () if any(period.start <= day <= period.end for day in days) else tuple(days)
        return ()

    def _items(self, e: Quantity, period: Period | None) -> Dated:
        own = type_of_kind(e.kind)
        given_so = e.method == GIVEN or CLOUDED in e.having
        task = TASK if own is None or given_so else _TASKS.get(own.of, TASK)
        given = {"quantity": e.kind} | ({"method": e.method} if e.method else {})
        title = ".".join((e.kind, *(value for _, value in e.having)))
        parts = {"steps": {"it": {"task": task, "with": given}}, "outputs": {"it": "$it"}}
        if self._by_tools is not None and e.method:
            raise refuse(e, f"{e.method}, of which no template tells")
        product, length, plain = None, "", self._plain(e)
        for length in (lengths := self._lengths(e)):
            self._work.having = (*e.having, *plain, *([(LENGTH, length)] if length else ()))
            try:
                product = self._read(title, parts, period) if self._by_tools is None else self._by_tools(e.kind, period)
                break
            except PlanningError:
                if length == lengths[-1]:
                    raise
            finally:
                self._work.having = ()
        if product is None or not isinstance(product.known, Artifact):
            raise refuse(e, "no raster of it")
        moments = [item.fact("datetime") for item in items_of(product.known)]
        keys = tuple(map(str, moments)) if all(moments) else product.keys or keys_of(product.known)
        dated = tuple(zip(keys, self._builder.items(product), strict=True))
        return self._of_length(e, length, dated) if length else dated

    def _of_length(self, e: Quantity, length: str, items: Dated) -> Dated:
        """The maps of one length of time among those of several, which is told."""
        kept = tuple(one for one in items if isinstance(one[1].known, Artifact) and length_of(one[1].known) == length)
        told = "maps of other lengths of time are of the same, and not counted"
        self._tell(Assumption(e.kind.replace("_", " "), f"of {length}", "default", told))
        return kept

    def _of_one_day(self, e: Expression, own: Type, day: str, images: list[Bound], method: str) -> Bound:
        """The image of a day; of several of numbers the mean (or the extreme that is asked for) of what is known, pixel
        by pixel, of several masks whether any of them says yes, which is told.

        Raises:
            PlanningError: several of them tell classes or angles, of which nothing can be made, or amounts, which may
                be those of parts of the day that is told.
        """
        if len(images) == 1:
            return images[0]
        of_files = [one.known.path for one in images if isinstance(one.known, Artifact)]
        if "time" in own.measure.adds and len(set(of_files)) < len(images):
            raise refuse(e, f"{len(images)} layers of {day} in one file, which may be parts of it", _SAY_DATES)
        kind = e.kind if isinstance(e, Quantity) else "calculated"
        series, name = self._nodes.series(images), f"{kind}.of_day"
        if own.of == "number" and own.measure.nature != "angle":
            told = f"the {method} of {len(images)} images, pixel by pixel"
            made = self._nodes.add("temporal_composite", name, (day,), series=series, method=method)
        elif own.of == "truth":
            told = f"where any of {len(images)} images says so"
            given: dict[str, Any] = {"statistic": "any", "nature": "truth", "quantity": kind}
            given |= {"unit": "1", "result_unit": "1"}
            made = self._nodes.add("stack_statistic", name, (day,), series=series, **given)
        else:
            raise refuse(e, f"{len(images)} images of {day}, of which nothing can be made", "leave one in the folder")
        self._work.assumptions.append(Assumption(f"{kind} on {day}", told, "default", "a day is one date"))
        return made

    def _read(self, title: str, parts: Mapping[str, Any], period: Period | None = None) -> Bound | None:
        """What a little template gives: data of the folder, or what a method makes of them."""
        template = Template.model_validate({"template": "of_question", "title": title, "layer": 2, **parts})
        return self._work.template(template, {}, {}, path=title, period=period).outputs["it"]

    def _only(self, e: Quantity, items: Dated) -> Bound:
        """The one map of what stands for all dates; of several the newest, which is told."""
        keys = [key for key, _ in items]
        newest = max(keys)
        if len(items) > 1:
            if not all(map(has_date, keys)) or keys.count(newest) > 1:
                raise refuse(e, f"several maps of it: {', '.join(sorted(keys))}", "leave one in the folder")
            told = f"the newest of {len(items)} maps, {newest[:10]}"
            self._work.assumptions.append(Assumption(e.kind.replace("_", " "), told, "default", "none is asked for"))
        return dict(items)[newest]


def _is_sparse(known: object) -> bool:
    """Whether a file holds nothing but some of it, as far as a glance shows, and has room for missing data."""
    if not isinstance(known, Artifact) or known.path is None or known.fact("blank") == "unknown":
        return False
    seen = glance(known)
    return bool(seen.size) and bool((seen > 0).all())


def _legend(items: Dated) -> dict[int, str]:
    """What the numbers of class maps are called, where they all say the same; those seen that nobody named are a class
    each, called by their number."""
    found = {tuple(bound.known.fact("classes") or ()) for _, bound in items}
    named = {int(code): str(name) for code, name in next(iter(found))} if len(found) == 1 else {}
    files = [bound.known for _, bound in items if named and bound.known.path is not None]
    seen = sorted({int(code) for one in files for code in glance(one)} - named.keys())
    return named | {code: f"class {code}" for code in seen}
