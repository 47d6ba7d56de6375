"""What the answers of the grid are, by NumPy from the files: nothing of what reads, compiles or runs questions is used.

A folder has `ndvi/*.tif` and `cloud_mask/*.tif` of the same dates (1 is cloud, nodata is unknown), `dem.tif` and
`lulc.tif` on one grid, and `lulc.gpkg` with the names of the classes. What a sentence leaves open is closed as
docs/questions.md says: cloud is unknown, space first on each date, then the dates; what may be taken again is, else
the mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.transform import rowcol
from rasterio.warp import transform

from knowflow.ground.errors import DataNotFoundError
from knowflow_bench.grid.cells import LIMITED, OTHER, Cell

Array: TypeAlias = NDArray[np.float64]
Key: TypeAlias = tuple[str, ...]
Truth: TypeAlias = Mapping[Key, float | str | bool | None]

ABOVE = 0.6
HIGH = 700.0
POINT = (14.5574, 45.8720)
ONE_DAY = date(2017, 8, 24)
YEAR = 2017
SUMMERS = (2016, 2017)
OR = " or "
"""Between dates that are equal by their numbers: either is right."""
_JULIAN = 365.25
_COVERED = 0.8
_GAP = 1.5
_HECTARE = 10_000.0

_STATISTICS: Mapping[str, Callable[[Array], float]] = {
    "value": np.mean,
    "mean": np.mean,
    "median": np.median,
    "minimum": np.min,
    "maximum": np.max,
    "deviation": np.std,
    "range": np.ptp,
    "percentile": lambda values: float(np.percentile(values, 90)),
    "share": lambda values: float(np.mean(_above(values, ABOVE))),
    "area": lambda values: float(np.sum(_above(values, ABOVE))),
}
_AGAIN = ("mean", "median", "minimum", "maximum")


def _above(values: Array, limit: float) -> NDArray[np.bool_]:
    """Whether numbers are above a limit, as far as the files tell them apart: of single precision."""
    return np.asarray(values.astype(np.float32) > np.float32(limit))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a cell is answered by: its truth by key, in which unit, and the limit in it as it is written."""

    truth: Truth
    unit: str
    limit: str


class Oracle:
    """The truth of one folder."""

    def __init__(self, folder: Path) -> None:
        images = sorted(folder.glob("ndvi/*.tif"))
        if not images:
            raise DataNotFoundError(
                "the grid asks about another folder",
                where=str(folder),
                expected="ndvi/*.tif, cloud_mask/*.tif, dem.tif, lulc.tif and lulc.gpkg",
                found="no ndvi/*.tif",
            )
        seen: dict[date, list[Array]] = {}
        for path in images:
            moment = re.search(r"\d{4}-\d{2}-\d{2}", path.name)
            assert moment is not None
            clouds = next(folder.glob(f"cloud_mask/*{path.stem.partition('_')[2]}.tif"))
            index, cloud = _read(path), _read(clouds)
            clear = np.where(np.isfinite(cloud) & (cloud != 1), index, np.nan)
            seen.setdefault(date.fromisoformat(moment.group()), []).append(clear)
        self.days = sorted(seen)
        self._images = {day: _mean_of(images) for day, images in seen.items()}
        with rasterio.open(folder / "dem.tif") as file:
            self._crs, self._place = file.crs, file.transform
        self._elevation, self._cover = _read(folder / "dem.tif"), _read(folder / "lulc.tif")
        self._names = _names(folder / "lulc.gpkg")
        self._hectares = abs(self._place.a * self._place.e) / _HECTARE

    @cached_property
    def _grounds(self) -> Mapping[str, Mapping[Key, Any]]:
        classes = {name: self._cover == code for code, name in self._names.items()}
        (east,), (north,) = transform("EPSG:4326", self._crs, [POINT[0]], [POINT[1]])
        pixel = np.zeros_like(self._cover, dtype=bool)
        pixel[rowcol(self._place, east, north)] = True
        return {
            "scene": {(): np.ones_like(pixel)},
            "forest": {(): classes["forest"]},
            "grassland": {(): classes["grassland"]},
            "high": {(): self._elevation > HIGH},
            "low": {(): self._elevation < HIGH},
            "classes": {(name,): where for name, where in classes.items()},
            "point": {(): pixel},
        }

    def asked(self, cell: Cell) -> Asked:
        """The truth of a cell, with the limit that its sentences are to name."""
        grounds = self._grounds[cell.ground]
        limit = self._limit(cell) if cell.form in LIMITED else 0.0
        truth: dict[Key, Any] = {}
        for key, where in grounds.items():
            truth |= {(*key, *more): one for more, one in self._of(cell, where, limit).items()}
        written = f"{limit:g} ha" if cell.statistic == "area" else f"{limit:g}"
        unit = "" if cell.form == "test" else "days" if cell.form == "spell" else self._unit(cell)
        return Asked(truth, unit, written)

    def _unit(self, cell: Cell) -> str:
        own = "ha" if cell.statistic == "area" else "1"
        return "1" if cell.form in ("count", "fraction") else own

    def _limit(self, cell: Cell) -> float:
        """A number that the statistic of 2017 is above on about half of the dates, on the median ground."""
        numbers = [
            one
            for where in self._grounds[cell.ground].values()
            for one in self.series(cell.statistic, where, self._of_year(YEAR)).values()
        ]
        middle = float(np.nanmedian(numbers))
        return round(middle, 1 if abs(middle) > 1 else 3)

    def _of_year(self, year: int) -> list[date]:
        return [day for day in self.days if day.year == year]

    def _of_summer(self, year: int) -> list[date]:
        return [day for day in self.days if day.year == year and day.month in (6, 7, 8)]

    def series(self, statistic: str, where: Any, days: Sequence[date]) -> dict[date, float]:
        """A statistic of a ground on each day; not a number where all of it is cloud."""
        found = {}
        for day in days:
            known = self._images[day][where]
            known = known[np.isfinite(known)]
            scale = self._hectares if statistic == "area" else 1.0
            found[day] = scale * float(_STATISTICS[statistic](known)) if known.size else np.nan
        return found

    def over_dates(self, statistic: str, numbers: Sequence[float]) -> float | None:
        """What a statistic that was taken on each date is over them."""
        known = np.array([one for one in numbers if np.isfinite(one)])
        again = _STATISTICS[statistic] if statistic in _AGAIN else np.mean
        return float(again(known)) if known.size else None

    def _of(self, cell: Cell, where: Any, limit: float) -> Truth:
        statistic, form = cell.statistic, cell.form
        this_year = self.series(statistic, where, self._of_year(YEAR))
        above = {day: one > limit for day, one in this_year.items() if np.isfinite(one)}
        match form:
            case "date":
                return {(): this_year[ONE_DAY]}
            case "test":
                return {(): bool(above[ONE_DAY])}
            case "year":
                return {(): self.over_dates(statistic, [*this_year.values()])}
            case "summer":
                return {(): self._in_summer(statistic, where, YEAR)}
            case "dates":
                return {(str(day),): one for day, one in this_year.items()}
            case "count":
                return {(): float(sum(above.values()))}
            case "fraction":
                return {(): float(np.mean([*above.values()]))}
            case "peak":
                highest = np.nanmax([*this_year.values()])
                return {(): OR.join(str(day) for day, one in this_year.items() if one == highest)}
            case "low_month":
                return {(): self._lowest_month(statistic, this_year)}
            case "first":
                return {(): str(min(day for day, true in above.items() if true)) if any(above.values()) else None}
            case "spell":
                return {(): _longest(this_year, limit)}
            case "change":
                return {(): self._change(statistic, where)}
            case "trend":
                return {(): _slope(self.series(statistic, where, self.days))}
            case "against":
                other = self.series(statistic, self._grounds[OTHER[cell.ground]][()], self._of_year(YEAR))
                one, two = (self.over_dates(statistic, [*numbers.values()]) for numbers in (this_year, other))
                return {(): one - two if one is not None and two is not None else None}
        days = this_year if form == "months" else self.series(statistic, where, self.days)
        return {(key,): self.over_dates(statistic, own) for key, own in _grouped(days, _KEYS[form]).items()}

    def _in_summer(self, statistic: str, where: Any, year: int) -> float | None:
        return self.over_dates(statistic, [*self.series(statistic, where, self._of_summer(year)).values()])

    def _change(self, statistic: str, where: Any) -> float | None:
        """The later less the earlier; of a mean pixel by pixel, where both are known."""
        if statistic in ("value", "mean"):
            one, two = (_mean_of([self._images[day] for day in self._of_summer(year)]) for year in SUMMERS)
            return float(np.nanmean((two - one)[where]))
        before, after = (self._in_summer(statistic, where, year) for year in SUMMERS)
        return None if before is None or after is None else after - before

    def _lowest_month(self, statistic: str, numbers: Mapping[date, float]) -> str:
        """Of the months that are covered by 80 %: days that are within half a usual step of an image are."""
        days = [day.toordinal() for day in numbers]
        near = float(np.median(np.diff(days))) / 2
        found = {}
        for month, own in _grouped(numbers, _KEYS["months"]).items():
            first = date(YEAR, int(month[5:]), 1).toordinal()
            last = date(YEAR + int(month[5:]) // 12, int(month[5:]) % 12 + 1, 1).toordinal()
            covered = np.mean([min(abs(day - one) for one in days) <= near for day in range(first, last)])
            value = self.over_dates(statistic, own)
            if covered >= _COVERED and value is not None:
                found[month] = value
        return min(found, key=lambda month: found[month])


_KEYS: Mapping[str, Callable[[date], str]] = {
    "months": lambda day: f"{day:%Y-%m}",
    "years": lambda day: f"{day:%Y}",
    "calendar": lambda day: f"{day:%m}",
    "seasons": lambda day: f"{day.year + (day.month == 12)}-{1 + day.month % 12 // 3}",
}


def _grouped(numbers: Mapping[date, float], key: Callable[[date], str]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for day, one in numbers.items():
        found.setdefault(key(day), []).append(one)
    return found


def _slope(numbers: Mapping[date, float]) -> float:
    """The slope by least squares per Julian year, with a constant for every month that several years have.

    Values and times are departures from their means over the dates of the same month.
    """
    known = [(day, one) for day, one in numbers.items() if np.isfinite(one)]
    over = np.zeros((0, 2))
    for month in range(1, 13):
        own = [(day.toordinal() / _JULIAN, one, day.year) for day, one in known if day.month == month]
        if len({year for _, _, year in own}) > 1:
            times_and_values = np.array(own)[:, :2]
            over = np.vstack([over, times_and_values - times_and_values.mean(axis=0)])
    return float((over[:, 0] * over[:, 1]).sum() / (over[:, 0] ** 2).sum()) if len(over) else float("nan")


def _longest(numbers: Mapping[date, float], limit: float) -> float:
    """The most days from the first to the last of dates above a limit, both counted; gaps of 1.5 usual steps end it."""
    usual = float(np.median([(after - before).days for before, after in pairwise(numbers)]))
    longest, begun, before = 0, None, None
    for day, one in numbers.items():
        if not one > limit:
            begun = None
        elif begun is None or before is None or (day - before).days > _GAP * usual:
            begun = day
        before = day
        longest = max(longest, 0 if begun is None else (day - begun).days + 1)
    return float(longest)


def _mean_of(images: Sequence[Array]) -> Array:
    """The mean of what is known, pixel by pixel."""
    stack = np.stack(images)
    known = np.isfinite(stack).sum(axis=0)
    return np.where(known > 0, np.nansum(stack, axis=0) / np.maximum(known, 1), np.nan)


def _read(path: Path) -> Array:
    with rasterio.open(path) as file:
        stored = file.read(1, masked=True)
    return np.where(np.ma.getmaskarray(stored), np.nan, stored.data.astype(np.float64))


def _names(path: Path) -> dict[int, str]:
    """The names of the classes by their numbers, as the polygons have them; of a class without a name none is asked."""
    from pyogrio.raw import read

    fields, _, _, columns = read(path, read_geometry=False)
    told = dict(zip(fields["fields"], columns, strict=True))
    return {int(code): str(name) for code, name in zip(told["LULC_ID"], told["LULC_NAME"], strict=True) if name}
