"""Values in time: those of the dates that are told or found, of periods, and what dates cover too little of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from knowflow.ground.errors import MissingFactError, PlanningError
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.model.plan import Assumption
from knowflow.question.operators import During, Expression, Split
from knowflow.question.times import Times
from knowflow.question.types import Type
from knowflow.reason.builder import Bound
from knowflow.reason.compiling.data import UNDATED
from knowflow.reason.compiling.keys import Spans, period_of, thin_periods
from knowflow.reason.compiling.made import Item, Keys, Made, Nodes
from knowflow.reason.instantiate import Instantiation
from knowflow.reason.left_out import years_without_data

_MOST_TOLD = 5  # periods by name


class Timed:
    """Chooses and groups dates; what is to be told of it goes to the assumptions of the plan."""

    def __init__(self, nodes: Nodes, work: Instantiation) -> None:
        self._nodes = nodes
        self._work = work

    def kept(self, e: During, when: Times, x: Made) -> Made:
        """Only the dates of a time that is told.

        Raises:
            PlanningError: there are no data of it. MissingFactError: a file does not say of which time it is.
        """
        if "date" not in x.type.keys:
            return x
        place = x.type.keys.index("date")
        self.require_dates(e, x)
        south = when.season != "" and self.south()
        kept = {key: item for key, item in x.items.items() if when.holds(date.fromisoformat(key[place][:10]), south)}
        if not kept:
            dates = ", ".join(dict.fromkeys(key[place] for key in x.items))
            raise PlanningError(f"there are no data of {when}", where="during", expected=str(when), found=dates)
        ends = (when.first.year if when.first else 1, when.last.year if when.last else 9999)
        self._work.assumptions += years_without_data(*ends, [int(key[place][:4]) for key in kept])
        return x.of(x.type, kept)

    def chosen(self, e: During, when: Made, x: Made) -> Made:
        """Only the dates, or the periods, that the run finds.

        Raises:
            PlanningError: none are left. MissingFactError: a file does not say of which time it is.
        """
        name = "date" if "date" in x.type.keys else str(x.type.grain)
        place = x.place(name)
        if name == "date":
            self.require_dates(e, x)
        if not when.type.keys:
            found: dict[Keys, Item] = {}
            for key, item in x.items.items():
                day = [float(date.fromisoformat(key[place]).toordinal())]
                truth = self._nodes.add("is_one_of", "during", (key[place],), x=when.only, numbers=day)
                found[key] = self._there(item, truth, key)
            return x.of(x.type, found)
        grain, south = when.type.keys[0], when.type.keys[0] == "season" and self.south()
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

    def split(self, e: Split, grain: str, x: Made, own: Type) -> Made:
        """Dates by the period of a grain that they lie in.

        Raises:
            MissingFactError: a file does not say of which time it is.
        """
        place = x.type.keys.index("date")
        self.require_dates(e, x)
        south = grain == "season" and self.south()
        days = sorted({key[place] for key in x.items})
        thin = x.thin | (thin_periods(days, grain, south, self._spans()) if grain != "date" else frozenset())
        items = {(period_of(key[place], grain, south), *key): item for key, item in x.items.items()}
        return replace(x.of(own, items), thin=thin)

    def tell_thin(self, x: Made) -> None:
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

    def south(self) -> bool:
        """Whether the data lie south of the equator."""
        for raster in self._images():
            crs, bounds = raster.fact("crs"), raster.fact("bounds")
            if crs is not None and bounds is not None:
                _, south, _, north = geo.transform_box(str(crs), "EPSG:4326", tuple(bounds))
                return south + north < 0
        raise PlanningError("seasons need to know where the data lie", expected="a CRS", found="none")

    def require_dates(self, e: Expression, x: Made) -> None:
        """Raise where a time is asked about, and a file does not say of which time it is.

        Raises:
            MissingFactError: with the ``--assume`` that would tell it.
        """
        place = x.type.keys.index("date")
        if all(key[place] != UNDATED for key in x.items):
            return
        when = e.when if isinstance(e, During) and isinstance(e.when, Times) else None
        names = dict.fromkeys(
            one.name for one in self._images() if one.type == "raster" and one.fact("datetime") is None
        )
        day = when.first if when is not None and when.first is not None and len(names) == 1 else "VALUE"
        raise MissingFactError(
            "the question names what the files do not tell",
            where="question",
            expected="files that say of which time they are",
            found=f"{', '.join(names)} without a date",
            hint="say it: " + " ".join(f'--assume "{name}:datetime={day}"' for name in names),
        )

    def _spans(self) -> Spans:
        """The days that images tell of, by the day that each is dated."""
        told = ((image.fact("datetime"), image.fact("span")) for image in self._images())
        return {str(day)[:10]: (str(span[0]), str(span[1])) for day, span in told if day and span}

    def _images(self) -> Iterator[Artifact]:
        """The data that the plan takes so far, each image by itself."""
        return (image for data in self._nodes.builder.inputs.values() for image in data.items or (data,))


def period_told(when: Times) -> Period | None:
    """From the first to the last day of a time; None where it has neither."""
    if not (when.first or when.last):
        return None
    return Period(str(when.first or "0001-01-01"), str(when.last or "9999-12-31"))


def overlap(a: Period | None, b: Period | None) -> Period | None:
    """The time that two periods have in common; None: any."""
    if a is None or b is None:
        return a or b
    return Period(max(a.start, b.start), min(a.end, b.end))
