"""Data as a pack's templates see them: single rasters in date order, by layer, whatever region they are of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import replace

from knowflow.ground.bands import band, substitutes
from knowflow.model.artifact import Artifact, series
from knowflow.model.facts import Facts, Origin
from knowflow.model.goal import Period, QueryGoal
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.regions import one_region

# whose bands a name may be of, where neither file nor question says it; the first that has all of them
_USUAL_SENSORS = ("landsat-8", "sentinel-2", "modis", "aster")
_SENSORS = {"landsat": "landsat-8"}


class Scenes:
    """Candidates for the inputs of a pack's templates.

    A series holds the rasters of one layer (and, where bands are asked for, of one band), of all regions and dates: to
    compare regions or periods is for the templates. ``notes`` tells what was taken for granted.
    """

    def __init__(self, inventory: Inventory, goal: QueryGoal) -> None:
        self.notes: list[str] = []
        self._summary = inventory.summary()
        self._layers: dict[Period | None, dict[str, list[Artifact]]] = {}
        rasters = self._with_bands(inventory.rasters, goal)
        if goal.value("mask_clouds") is True:
            rasters = self._with_quality(rasters)
        self._rasters: tuple[Artifact, ...] = self._of_region(self._of_season(rasters, goal), goal)

    def candidates(
        self, kind: str, quantity: tuple[str, ...], bands: tuple[str, ...], period: Period | None
    ) -> tuple[Artifact, ...]:
        """Series of rasters of one layer, those of the quantity and band named first before others.

        Several bands make one series of them all, in the order in which they are asked for.
        """
        if kind not in ("raster", "raster_series"):
            return ()
        if len(bands) > 1:
            layers = [self.candidates("raster_series", quantity, (name,), period)[:1] for name in bands]
            items = tuple(item for layer in layers for one in layer for item in one.items)
            return (series(items, "bands"),) if all(layers) else ()
        found: list[tuple[tuple[int, int, int, str], Artifact]] = []
        if period not in self._layers:
            self._layers[period] = _layers(self._of_period(period))
        for name, layer in self._layers[period].items():
            place = _place(layer[0], quantity)
            stands_in = _stands_in(layer[0], bands)
            if place is None or stands_in is None:
                continue
            items = tuple(layer)
            artifact = items[0] if kind == "raster" else series(items, name)
            found.append(((place, stands_in, -len(items), name), artifact))
        return tuple(artifact for _, artifact in sorted(found, key=lambda pair: pair[0]))

    def only_quantity(self) -> tuple[str, ...]:
        """The quantity of the files, where they are all of one."""
        found = {str(item.fact("quantity")) for item in self._rasters if item.fact("quantity") is not None}
        return tuple(found) if len(found) == 1 else ()

    def summary(self) -> str:
        return self._summary

    def _of_period(self, period: Period | None) -> Sequence[Artifact]:
        """The rasters of a period; where the files are of other dates altogether, all of them, or of a day those of
        the nearest one, with a note."""
        if period is None:
            return self._rasters
        kept = [item for item in self._rasters if _within(item, period)]
        if any(item.fact("datetime") is not None for item in kept) or len(kept) == len(self._rasters):
            return kept
        taken: Sequence[Artifact] = self._rasters
        note = f"no file is dated {period.start} to {period.end}: all are taken"
        if period.start == period.end and (day := _nearest(self._rasters, period.start)):
            taken = [item for item in self._rasters if _within(item, Period(day, day))]
            note = f"no file that can be used is dated {period.start}: those of {day} are taken"
        if note not in self.notes:
            self.notes.append(note)
        return taken

    def _with_quality(self, rasters: tuple[Artifact, ...]) -> tuple[Artifact, ...]:
        """The rasters without the reflectances that no quality band tells the clouds of."""
        told = {_date(item) for item in rasters if item.fact("quantity") == "qa_bits"}
        open_ones = {
            _date(item)
            for item in rasters
            if item.fact("quantity") == "surface_bidirectional_reflectance" and _date(item) not in told
        }
        if open_ones:
            dates = ", ".join(sorted(open_ones))
            self.notes.append(f"clouds are to be removed, and nothing tells those of {dates}: left out")
        return tuple(item for item in rasters if _date(item) not in open_ones)

    def _with_bands(self, rasters: Iterable[Artifact], goal: QueryGoal) -> tuple[Artifact, ...]:
        """The rasters with the bands that their names mean for the sensor of the question, or the likeliest one."""
        listed = tuple(rasters)
        open_ones = {str(item.fact("band")) for item in listed if _open_band(item)}
        if not open_ones:
            return listed
        said = str(goal.value("sensor") or "")
        sensors = [_SENSORS.get(said, said)] if said else []
        sensors += [name for name in _USUAL_SENSORS if name not in sensors]
        sensor = next((name for name in sensors if all(_spelled(name, own) is not None for own in open_ones)), None)
        if sensor is None:
            return listed
        self.notes.append(f"bands {', '.join(sorted(open_ones))} are those of {sensor}")
        assumed = Facts.of(Origin.ASSUMED, "the usual sensor of such bands", sensor=sensor)
        return tuple(
            replace(item, facts=_with_band(item, sensor).over(assumed)) if _open_band(item) else item for item in listed
        )

    def _of_region(self, rasters: tuple[Artifact, ...], goal: QueryGoal) -> tuple[Artifact, ...]:
        """The rasters of the one region that the question names, where the files are of several."""
        region, kept = one_region(rasters, goal)
        if region:
            self.notes.append(f"files of {region} alone are taken")
        return kept

    def _of_season(self, rasters: Sequence[Artifact], goal: QueryGoal) -> tuple[Artifact, ...]:
        """The rasters of the months and single days that the question names."""
        months = {f"{month:02}" for month in goal.value("months") or ()}
        if not months:
            return tuple(rasters)
        kept = tuple(item for item in rasters if str(item.fact("datetime") or "")[5:7] in {*months, ""})
        return kept or tuple(rasters)


def _date(item: Artifact) -> str:
    return str(item.fact("datetime") or "")[:10]


def _nearest(rasters: Iterable[Artifact], day: str) -> str | None:
    """The date of a raster that is nearest to a day; of two as near, the earlier."""
    wanted = dt.date.fromisoformat(day)
    dates = sorted({_date(item) for item in rasters} - {""})
    return min(dates, key=lambda date: abs(dt.date.fromisoformat(date) - wanted), default=None)


def _open_band(item: Artifact) -> bool:
    return item.fact("band") is not None and not item.fact("bands")


def _spelled(sensor: str, name: str) -> str | None:
    """A band's name as the sensor's table has it: ``10`` may be short for ``B10``."""
    return next((spelling for spelling in (name, f"B{name}") if band(sensor, spelling) is not None), None)


def _with_band(item: Artifact, sensor: str) -> Facts:
    """The facts of a raster with the band that its name means for the sensor."""
    name = _spelled(sensor, str(item.fact("band")))
    said = Facts.of(Origin.ASSUMED, f"bands of {sensor}", band=name, sensor=sensor)
    return with_band_facts(said.over(item.facts.without(("band",))))


def _within(item: Artifact, period: Period) -> bool:
    moment = item.fact("datetime")
    return moment is None or period.start <= str(moment)[:10] <= period.end


def _layers(rasters: Iterable[Artifact]) -> dict[str, list[Artifact]]:
    found: dict[str, list[Artifact]] = {}
    for item in rasters:
        layer = str(item.fact("layer") or "")
        found.setdefault(layer.casefold().replace("-", "_"), []).append(item)
    return {
        name: sorted(items, key=lambda item: (str(item.fact("datetime") or ""), item.name))
        for name, items in found.items()
    }


def _place(item: Artifact, wanted: tuple[str, ...]) -> int | None:
    """The place of a raster's quantity among those wanted; None where it is another one, or nobody knows it."""
    if not wanted:
        return 0
    own = str(item.fact("quantity")).casefold()
    return next((place for place, name in enumerate(wanted) if name.casefold() == own), None)


def _stands_in(item: Artifact, wanted: tuple[str, ...]) -> int | None:
    """0 where a raster is of a band wanted, 1 where it may stand in for one; None where neither."""
    own = item.fact("bands") or ()
    if not wanted or any(name in own for name in wanted):
        return 0
    return 1 if any(other in own for name in wanted for other in substitutes(name)) else None
