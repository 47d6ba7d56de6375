"""The true answer of a question about a scene, by numpy on the scene's own formulas or on raw arrays: never by a tool.

A truth is an expression over the layers of the scene by name, in a closed language (text is parsed with ``ast`` and
checked, nothing is executed): ``mean(veg)``, ``share(veg[0] > 0.6)``, ``max(means(lst)) - min(means(lst))``,
``hectares((S2.green - S2.nir) / (S2.green + S2.nir) > 0)``, ``dates(veg)[argmax(means(veg))]``.

A layer is an array of its dates, rows and columns; one without dates, of rows and columns. NaN is no data: what is
compared with it is NaN, not false, so that a share is of what was seen. ``veg[2]`` and ``veg['2022-07-11']`` are one
date, ``veg[condition]`` the values where a condition holds, ``veg[2, condition]`` both.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowflow.ground.errors import DocumentError
from knowflow.model import geo
from knowflow.model.template import Scene, SceneLayer
from knowflow.testing.expressions import COMPARISONS, evaluate_truth, syntax_tree
from knowflow.testing.scenes import DAYS_PER_YEAR, Grid, scene_coordinates, years_since

Pixels = NDArray[np.float64]


@dataclass(frozen=True)
class Fields:
    """What a truth can speak of: arrays by the name of the layer (of several bands, by band), their dates, and the area
    of a pixel in m2 (of each row, where rows differ; NaN where nobody knows)."""

    layers: Mapping[str, Pixels | Mapping[str, Pixels]]
    dates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pixel_area: float | Pixels = float("nan")


def fields_of(scene: Scene, grid: Grid | None = None) -> Fields:
    """Every layer of a scene by its formulas, on a grid, by default the scene's own; gaps are NaN."""
    layers = {layer.name: _layer(scene, layer, grid) for layer in scene.layers}
    dates = {layer.name: layer.dates for layer in scene.layers}
    return Fields(layers, dates, _pixel_area(scene))


def _pixel_area(scene: Scene) -> float | Pixels:
    """m2 of a pixel; in degrees of every row, (rows, 1)."""
    if not geo.crs_of(scene.crs).is_geographic:
        return scene.resolution**2
    return areas_of_rows(scene.origin[1], scene.resolution, scene.size[0])[:, None]


def areas_of_rows(north: float, resolution: float, rows: int) -> Pixels:
    """m2 of a pixel of each row of a grid in degrees, from the north down, on the ellipsoid of WGS 84.

    The area between two parallels is that of authalic latitudes (Snyder, 1987, equation 3-12).
    """
    major, flattening = 6378137.0, 1 / 298.257223563
    squared = flattening * (2 - flattening)
    sine = np.sin(np.radians(north - resolution * np.arange(rows + 1)))
    e = squared**0.5
    zone = (1 - squared) * (sine / (1 - squared * sine**2) + np.arctanh(e * sine) / e)
    area: Pixels = major**2 / 2 * np.radians(resolution) * -np.diff(zone)
    return area


def _layer(scene: Scene, layer: SceneLayer, grid: Grid | None) -> Pixels | dict[str, Pixels]:
    if layer.values is not None:
        return _band(scene, layer, layer.values, grid)
    return {name: _band(scene, layer, text, grid) for name, text in layer.bands.items()}


def _band(scene: Scene, layer: SceneLayer, text: str, grid: Grid | None) -> Pixels:
    x, y = scene_coordinates(scene, grid)
    images = []
    for index, when in enumerate(layer.dates or (None,)):
        t = 0.0 if when is None else years_since(layer.dates[0], when)
        image = np.array(evaluate_truth(text, x, y, t, index), dtype=np.float64)
        if layer.missing is not None:
            image[np.asarray(evaluate_truth(layer.missing, x, y, t, index), dtype=bool)] = np.nan
        images.append(image)
    return np.stack(images) if layer.dates else images[0]


def check_truth(text: str) -> set[str]:
    """The names of layers that a truth speaks of; raises ``DocumentError`` for text outside the language."""
    tree = _parsed(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}


def true_answer(text: str, fields: Fields) -> Any:
    """The value of a truth: a float, a text (a date) or an array.

    Raises:
        DocumentError: it is not in the language, or names a layer or band that there is not.
    """
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing are NaN, which the caller sees
        found = _value(_parsed(text), fields)
    if isinstance(found, np.ndarray) and found.ndim == 0:
        return float(found)
    return float(found) if isinstance(found, (np.floating, np.integer, int)) else found


# --- the language ---------------------------------------------------------------------------------------------------


def _each(statistic: Callable[..., Any]) -> Callable[..., Any]:
    """One number per date."""
    return lambda series, *more: np.array([statistic(image, *more) for image in series])


def _percentile(values: Pixels, percent: float) -> float:
    return float(np.nanpercentile(values, percent))


def _slope(values: Pixels, years: Pixels) -> float:
    """Of the straight line through numbers over years, by least squares, per year."""
    return float(np.polyfit(years, values, 1)[0])


def _correlation(a: Pixels, b: Pixels) -> float:
    """Pearson's, of the pixels that have both."""
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.corrcoef(a[both], b[both])[0, 1])


def _slope_over_time(series: Pixels, years: Pixels) -> Pixels:
    """At every pixel the slope of the straight line by least squares over the dates that it has, per year; through
    two dates there is a line whatever they are, so that pixels with fewer than three have none."""
    seen = np.isfinite(series)
    seen &= seen.sum(axis=0) >= 3
    of = np.where(seen, years[:, None, None], np.nan)
    from_mean = of - np.nanmean(of, axis=0)
    slope: Pixels = np.sum(from_mean * series, axis=0, where=seen) / np.sum(from_mean**2, axis=0, where=seen)
    return slope


_FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "mean": (1, np.nanmean),
    "median": (1, np.nanmedian),
    "std": (1, np.nanstd),
    "min": (1, np.nanmin),
    "max": (1, np.nanmax),
    "sum": (1, np.nansum),
    "share": (1, np.nanmean),
    "percent": (1, lambda condition: 100.0 * np.nanmean(condition)),
    "count": (1, np.nansum),
    "percentile": (2, _percentile),
    "means": (1, _each(np.nanmean)),
    "shares": (1, _each(np.nanmean)),
    "maxima": (1, _each(np.nanmax)),
    "minima": (1, _each(np.nanmin)),
    "sums": (1, _each(np.nansum)),
    "over_time": (1, lambda series: np.nanmean(series, axis=0)),
    "median_over_time": (1, lambda series: np.nanmedian(series, axis=0)),
    "largest_over_time": (1, lambda series: np.nanmax(series, axis=0)),
    "either": (2, lambda a, b: np.where(np.isnan(a), b, a)),
    "spread_over_time": (1, lambda series: np.nanstd(series, axis=0, ddof=1)),
    "slope_over_time": (2, _slope_over_time),
    "argmax": (1, lambda numbers: int(np.nanargmax(numbers))),
    "argmin": (1, lambda numbers: int(np.nanargmin(numbers))),
    "slope": (2, _slope),
    "correlation": (2, _correlation),
    "abs": (1, np.abs),
    "sqrt": (1, np.sqrt),
    "log": (1, np.log),
    "exp": (1, np.exp),
    "where": (3, lambda condition, a, b: np.where(np.isnan(condition), np.nan, np.where(condition > 0, a, b))),
}
_OF_LAYERS = ("dates", "years")
_OF_AREA = {"m2": 1.0, "hectares": 1e-4, "km2": 1e-6}
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.BitAnd: np.minimum,  # of conditions as 0, 1 and NaN
    ast.BitOr: np.maximum,
}


@lru_cache(maxsize=1024)
def _parsed(text: str) -> ast.expr:
    tree = syntax_tree(text, _refused)
    _check(tree, text)
    return tree


def _check(node: ast.expr, text: str) -> None:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return
        case ast.Name() | ast.Attribute(value=ast.Name()):
            return
        case ast.Slice():
            parts = [part for part in (node.lower, node.upper) if part is not None]
        case ast.Tuple(elts=parts):
            pass
        case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str())):
            return
        case ast.Subscript(value=ast.Name() as value, slice=ast.Tuple(elts=[ast.Constant(value=str()), index])):
            parts = [value, index]
        case ast.Subscript(value=value, slice=index):
            parts = [value, index]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            parts = [left, right]
        case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=operand):
            parts = [operand]
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
            parts = [left, right]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            number = 1 if name in (*_OF_LAYERS, *_OF_AREA, "by_area") else _FUNCTIONS.get(name, (None,))[0]
            if len(args) != number or (name in _OF_LAYERS and not isinstance(args[0], ast.Name)):
                raise _refused(text, f"{name} with {len(args)} arguments")
            parts = args
        case _:
            raise _refused(text, repr(ast.unparse(node)))
    for part in parts:
        _check(part, text)


def _value(node: ast.expr, fields: Fields) -> Any:
    match node:
        case ast.Constant(value=number):
            return number
        case ast.Name(id=name):
            return _named(name, fields)
        case ast.Attribute(value=ast.Name(id=name), attr=band):
            return _band_of(name, band, fields)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as day)):
            return _named(name, fields)[_place(name, day, fields)]
        case ast.Subscript(
            value=ast.Name(id=name), slice=ast.Tuple(elts=[ast.Constant(value=str() as day), condition])
        ):
            return _part(_named(name, fields)[_place(name, day, fields)], condition, fields)
        case ast.Subscript(value=value, slice=index):
            return _part(_value(value, fields), index, fields)
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_value(left, fields), _value(right, fields))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return np.negative(_value(operand, fields))
        case ast.UnaryOp(operand=operand):
            return 1.0 - _value(operand, fields)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            a, b = np.asarray(_value(left, fields), float), np.asarray(_value(right, fields), float)
            unknown = np.isnan(a) | np.isnan(b)
            return np.where(unknown, np.nan, COMPARISONS[type(op)](a, b).astype(float))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _called(name, args, fields)
    raise AssertionError(f"unchecked truth: {ast.dump(node)}")


def _called(name: str, args: list[ast.expr], fields: Fields) -> Any:
    if name in _OF_LAYERS and isinstance(args[0], ast.Name):
        days = fields.dates.get(args[0].id, ())
        return list(days) if name == "dates" else np.array([_years(day) for day in days])
    values = [_value(argument, fields) for argument in args]
    if name in _OF_AREA:
        return float(np.sum(np.nan_to_num(values[0]) * fields.pixel_area)) * _OF_AREA[name]
    if name == "by_area":
        area = np.where(np.isnan(values[0]), 0.0, fields.pixel_area)
        return float(np.nansum(values[0] * area) / np.sum(area))
    return _FUNCTIONS[name][1](*values)


def _years(day: str) -> float:
    return (date.fromisoformat(day[:10]) - date(2000, 1, 1)).days / DAYS_PER_YEAR


def _part(values: Any, index: ast.expr, fields: Fields) -> Any:
    """A date, some dates, or the values where a condition holds: elsewhere NaN."""
    match index:
        case ast.Tuple(elts=[which, condition]):
            return _part(_part(values, which, fields), condition, fields)
        case ast.Slice(lower=lower, upper=upper):
            ends = [None if end is None else int(_value(end, fields)) for end in (lower, upper)]
            return values[ends[0] : ends[1]]
    found = _value(index, fields)
    if np.ndim(found) == 0:
        return values[int(found)]
    return np.where(np.nan_to_num(found) > 0, values, np.nan)


def _place(name: str, day: str, fields: Fields) -> int:
    """The number of a layer's date."""
    days = fields.dates.get(name, ())
    if day not in days:
        raise DocumentError("the layer has no such date", expected=", ".join(days) or "no dates", found=day)
    return days.index(day)


def _named(name: str, fields: Fields) -> Pixels:
    found = fields.layers.get(name)
    if found is None or isinstance(found, Mapping):
        raise _absent(name, fields)
    return found


def _band_of(name: str, band: str, fields: Fields) -> Pixels:
    found = fields.layers.get(name)
    if not isinstance(found, Mapping) or band not in found:
        raise _absent(f"{name}.{band}", fields)
    return found[band]


def _absent(name: str, fields: Fields) -> DocumentError:
    names = [
        f"{layer}.{band}" if isinstance(found, Mapping) else layer
        for layer, found in fields.layers.items()
        for band in (found if isinstance(found, Mapping) else ("",))
    ]
    return DocumentError("the truth names what is not in the scene", expected=", ".join(names), found=name)


def _refused(text: str, found: str) -> DocumentError:
    functions = ", ".join((*_FUNCTIONS, *_OF_AREA, "by_area", *_OF_LAYERS))
    expected = f"layers, bands (S2.red), dates (veg[0]), conditions (veg[veg > 0.5]), arithmetic, {functions}"
    return DocumentError(f"the truth {text!r} is not understood", expected=expected, found=found)
