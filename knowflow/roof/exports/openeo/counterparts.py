"""What each tool is in the words of openEO, where it has a counterpart; the formulas are those of the tools.

A mask is 1, 0 or no data. A comparison with no data is no data, and a choice (``if``) by it is made so that its result
is no data either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from knowflow.ground.indices import spectral_index as catalogue_entry
from knowflow.model.artifact import Artifact
from knowflow.roof.exports.openeo.graph import Call, Cube, X, Y
from knowflow.roof.exports.openeo.temperature import TEMPERATURE
from knowflow.roof.exports.openeo.terms import Operand, Term, formula, symbol, term
from knowflow.roof.exports.openeo.terrain import TERRAIN
from knowflow.tools.directions import full_turn, is_circular
from knowflow.tools.index import formula_parts
from knowflow.tools.named_classes import numbers_of
from knowflow.tools.quality_bands import CLOUDS, LEGENDS, scheme_of
from knowflow.tools.raster.decibels import is_decibel
from knowflow.tools.raster.pixel_area import pixel_area, weigh_alike
from knowflow.tools.thresholding import limits

_LARGEST = float(np.finfo(np.float32).max)
_ROUNDING = 1e-6
_STATISTICS = {"mean": "mean", "median": "median", "minimum": "min", "maximum": "max", "sum": "sum"}
_SIDES = {"above": "gt", "at_least": "gte", "below": "lt", "at_most": "lte"}


def _limit(limit: float, raster: Artifact) -> float:
    """A limit as the pixels of a raster have it: a decimal number that they hold must not lie beyond itself."""
    return limit if raster.fact("dtype") == "float64" else float(np.float32(limit))


# --- maps ----------------------------------------------------------------------------------------------------------


def _spectral_index(call: Call) -> Mapping[str, Cube]:
    bands = call.given["bands"]
    if not isinstance(bands, Mapping):
        raise call.refuse("bands that are not single rasters")
    entry = catalogue_entry(call.given["index"])
    rasters = {name: one.artifact for name, one in bands.items()}
    chosen, numbers = formula_parts(entry, rasters, call.given.get("constants") or {})
    made = formula(entry.formula, {**numbers, **{name: symbol(name) for name in chosen}})
    if not isinstance(made, Term):
        raise call.refuse(f"the formula {entry.formula}")
    low, high = entry.range
    lowest = -_LARGEST if low is None else low - _ROUNDING
    highest = _LARGEST if high is None else high + _ROUNDING
    within = term("if", value=term("between", x=made, min=lowest, max=highest), accept=made)
    return call.computed(within, {name: bands[band] for name, band in chosen.items()})


def _threshold(call: Call) -> Mapping[str, Cube]:
    raster, side = call.cube("raster"), call.given["side"]
    upper = None if call.given.get("upper") is None else call.number("upper")
    ends = limits(raster.artifact, call.number("threshold"), side, upper, call.given.get("threshold_unit"))
    low, high = (_limit(end, raster.artifact) for end in (ends[0], ends[0] if ends[1] is None else ends[1]))
    made = term("between", x=X, min=low, max=high) if side == "between" else term(_SIDES[side], x=X, y=low)
    return call.computed(made * 1, {"x": raster})


def _comparison(call: Call) -> Mapping[str, Cube]:
    call.plain("circular", "upper")
    raster, unit, side = call.cube("raster"), call.given["unit"], call.given["side"]
    own, changes = raster.artifact.fact("unit"), bool(call.given["changes"])
    one = call.told_in(X, own, unit, changes)
    cubes, end = {"x": raster}, None
    if call.given.get("limit") is not None:
        other = cubes["y"] = call.cube("limit")
        end = call.told_in(Y, other.artifact.fact("unit"), unit, changes)
    else:
        end = call.number("number")
        end = _limit(end, raster.artifact) if call.given["stated"] and own == unit else end
    if side == "between":
        made = term("between", x=one, min=end, max=_limit(call.number("upper_number"), raster.artifact))
    else:
        made = term(_SIDES[side], x=one, y=end)
    return call.computed(made * 1, cubes)


def _calculation(call: Call, output: str = "output") -> Mapping[str, Cube]:
    call.plain("circular", "number_first")
    one, how = call.cube("a"), call.given["how"]
    a: Operand = call.told_in(X, one.artifact.fact("unit"), call.given["unit"], bool(call.given["changes"]))
    b: Operand = 0.0
    cubes = {"x": one}
    if isinstance(call.given.get("b"), Cube):
        other = cubes["y"] = call.cube("b")
        b = call.told_in(Y, other.artifact.fact("unit"), call.given["other_unit"], bool(call.given["other_changes"]))
    elif how not in ("absolute", "logarithm"):
        b = call.number("number" if "number" in call.given else "b")
    made = _ARITHMETIC[how](a, b)
    return call.computed(made * float(call.given["factor"]), cubes, output)


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Term]] = {
    "difference": lambda a, b: a - b,
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "ratio": lambda a, b: a / b,
    "percent_change": lambda a, b: 100 * (a - b) / term("absolute", x=b),
    "minimum": lambda a, b: term("min", data=[a, b], ignore_nodata=False),
    "maximum": lambda a, b: term("max", data=[a, b], ignore_nodata=False),
    "power": lambda a, b: a**b,
    "absolute": lambda a, _: term("absolute", x=a),
    "logarithm": lambda a, _: term("ln", x=a),
}


def _difference(call: Call) -> Mapping[str, Cube]:
    return call.computed(X - Y, {"x": call.cube("a"), "y": call.cube("b")})


def _combined(call: Call) -> Mapping[str, Cube]:
    masks = {f"m{number}": mask for number, mask in enumerate(call.given["masks"])}
    process = call.given["operation"]
    made, *others = [symbol(name) for name in masks]
    for other in others:
        made = term(process, x=made, y=other)
    return call.computed((term("not", x=made) if process == "not" else made) * 1, masks)


def _of_class(call: Call) -> Mapping[str, Cube]:
    raster = call.cube("raster")
    numbers = numbers_of(raster.artifact, call.given["name"], call.given.get("legend"))
    return call.computed(_among(numbers) * 1, {"x": raster})


def _among(numbers: Sequence[int]) -> Term:
    """Whether a number is one of several."""
    made, *others = [term("eq", x=X, y=int(number)) for number in numbers]
    for other in others:
        made = term("or", x=made, y=other)
    return made


def _masked(call: Call) -> Mapping[str, Cube]:
    mask = "cloud_mask" if "cloud_mask" in call.given else "mask"
    kept = 1 if call.given.get("keep") == "masked" else 0
    made = term("if", value=term("eq", x=Y, y=kept), accept=X + 0 * Y)
    return call.computed(made, {"x": call.cube("raster"), "y": call.cube(mask)})


def _of_probability(call: Call) -> Mapping[str, Cube]:
    call.plain("buffer", "buffer_distance")
    raster = call.cube("probability")
    limit = call.told_in(call.number("threshold"), "1", raster.artifact.fact("unit"))
    assert isinstance(limit, float)
    return call.computed(term("gte", x=X, y=_limit(limit, raster.artifact)) * 1, {"x": raster})


def _of_quality(call: Call) -> Mapping[str, Cube]:
    call.plain("buffer", "buffer_distance", "values")
    raster, chosen = call.cube("qa"), call.given["scheme"]
    legend = LEGENDS[scheme_of(raster.artifact) if chosen == "auto" else chosen]
    marks = [mark for mark in (*CLOUDS, *(("shadow",) if call.given["shadows"] else ())) if mark in legend.marks]
    numbers = [number for mark in marks for number in legend.marks[mark]]
    among = _bits if legend.bits else _among
    made = among(numbers) * 1
    if legend.missing:
        made = term("if", value=term("not", x=among(legend.missing)), accept=made)
    return call.computed(made, {"x": raster})


def _bits(numbers: Sequence[int]) -> Term:
    """Whether one of the bits of a number is set."""
    made, *others = [
        term("eq", x=term("mod", x=term("floor", x=X / 2 ** int(bit)), y=2), y=1) for bit in dict.fromkeys(numbers)
    ]
    for other in others:
        made = term("or", x=made, y=other)
    return made


def _converted(call: Call) -> Mapping[str, Cube]:
    raster = call.cube("raster")
    if is_decibel(raster.artifact):
        raise call.refuse("decibels")
    told = call.told_in(X, raster.artifact.fact("unit"), call.given["unit"])
    assert isinstance(told, Term)
    return call.computed(told, {"x": raster})


def _from_decibel(call: Call) -> Mapping[str, Cube]:
    return call.computed(term("power", base=10, p=X / 10), {"x": call.cube("raster")})


def _composite(call: Call) -> Mapping[str, Cube]:
    items, process = call.given["series"], _STATISTICS.get(call.given["method"])
    if process is None or not all(isinstance(one, Cube) and not is_decibel(one.artifact) for one in items):
        raise call.refuse(f"method {call.given['method']}, or of decibels")
    if len({one.artifact.fact("grid") for one in items}) > 1:
        raise call.refuse("rasters on different grids")
    return {"output": call.graph.over(items, process, call.made["output"])}


def _classes(call: Call) -> Mapping[str, Cube]:
    raster = call.cube("raster")
    reached = [term("gte", x=X, y=_limit(float(limit), raster.artifact)) * 1 for limit in call.given["limits"]]
    made = reached[0] + 1
    for one in reached[1:]:
        made = made + one
    return call.computed(made, {"x": raster})


# --- numbers -------------------------------------------------------------------------------------------------------


def _statistic(call: Call) -> Mapping[str, Cube]:
    raster, name = call.cube("raster"), call.given["statistic"]
    around = is_circular(raster.artifact)
    if name not in _STATISTICS or (around and name != "mean") or is_decibel(raster.artifact):
        raise call.refuse(f"{name}, or a statistic of decibels, or of directions that is not their mean")
    if name in ("mean", "median"):
        _alike(call, raster)
    return _mean_direction(call, raster) if around else call.reduced(raster, _STATISTICS[name])


def _mean_direction(call: Call, raster: Cube) -> Mapping[str, Cube]:
    """The direction of the mean of vectors of one length."""
    turn = full_turn(raster.artifact)
    parts = {}
    for name, process in (("x", "cos"), ("y", "sin")):
        part = call.graph.computed(term(process, x=X * (math.tau / turn)), {"x": raster}, raster.artifact)
        parts[name] = call.reduced(part, "mean")["value"]
    angle = term("mod", x=term("arctan2", y=Y, x=X) * (turn / math.tau), y=turn)
    return {"value": call.graph.computed(angle, parts, call.made["value"])}


def _share(call: Call) -> Mapping[str, Cube]:
    _alike(call, call.cube("mask"))
    return call.reduced(call.cube("mask"), "mean")


def _alike(call: Call, raster: Cube) -> None:
    if not weigh_alike(call.grid(raster)):
        raise call.refuse("pixels of different sizes")


def _area(call: Call) -> Mapping[str, Cube]:
    mask = call.cube("mask")
    return call.reduced(mask, "sum", X * _pixel(call, mask))


def _pixel(call: Call, raster: Cube) -> float:
    """The area of a pixel, in the unit that is asked for."""
    size = pixel_area(call.grid(raster)).planar
    if size is None:
        raise call.refuse("pixels of different sizes")
    found = call.told_in(size, "m2", call.given["unit"])
    assert isinstance(found, float)
    return found


def _area_by_class(call: Call) -> Mapping[str, Any]:
    """A column of numbers is a cube of one dimension, labelled with the classes; one that does not occur has 0."""
    raster, classes = call.cube("raster"), call.cube("raster").artifact.fact("classes")
    if not classes:
        raise call.refuse("classes that are not known beforehand")
    _alike(call, raster)
    statistics = {"pixels": ("sum", X), "area": ("sum", X * _pixel(call, raster)), "share": ("mean", X)}
    columns = {}
    for name, (process, made) in statistics.items():
        numbers = {}
        for code, _ in classes:
            inside = call.graph.computed(term("eq", x=X, y=int(code)) * 1, {"x": raster}, raster.artifact)
            numbers[str(code)] = call.reduced(inside, process, None if made is X else made)["value"]
        columns[name] = Cube(call.graph.merged(numbers), call.made["value"])
    return {"value": columns}


def _answer(call: Call) -> Mapping[str, Cube]:
    one = call.cube("x")
    told = call.told_in(X, one.artifact.fact("unit"), call.given["unit"])
    return {"value": one} if told is X else call.computed(told, {"x": one}, "value")  # type: ignore[arg-type]


def _number_calculation(call: Call) -> Mapping[str, Cube]:
    return _calculation(call, "value")


def _subtracted(call: Call) -> Mapping[str, Cube]:
    one, other = call.cube("a"), call.cube("b")
    if is_circular(one.artifact):
        raise call.refuse("directions")
    return call.computed(X - Y, {"x": one, "y": other}, "value")


def _of_list(call: Call) -> Mapping[str, Cube]:
    items, process, unit = call.given["values"], _STATISTICS.get(call.given["statistic"]), call.given["unit"]
    known = all(isinstance(one, Cube) for one in items) and call.given.get("side") is None
    if process is None or not known or call.given["nature"] != "state":
        raise call.refuse(f"{call.given['statistic']}, or numbers that are known beforehand, or limits")
    changes = bool(call.given["changes"])
    alike = [_told(call, one, one.artifact.fact("unit"), unit, changes) for one in items]
    whole = call.graph.over(alike, process, call.made["value"])
    return {"value": _told(call, whole, unit, call.given["result_unit"], changes)}


def _date_of_extreme(call: Call) -> Mapping[str, Cube]:
    """Dates are a cube of one dimension, labelled with all of them; those that are meant have 1, the others 0.

    A label that is nothing but a date would be taken for a moment in time, which dimensions of bands do not have.
    """
    items, dates = call.given["values"], call.given["dates"]
    plain = isinstance(dates, list) and len(dict.fromkeys(map(str, dates))) == len(items)
    if not plain or not all(isinstance(one, Cube) for one in items):
        raise call.refuse("dates that are not known beforehand or come twice, or numbers that are")
    best = call.graph.over(items, _STATISTICS[call.given["which"]], items[0].artifact)
    is_best = term("eq", x=X, y=Y) * 1
    marks = [call.graph.computed(is_best, {"x": one, "y": best}, one.artifact) for one in items]
    labelled = {f"on {date}": mark for date, mark in zip(dates, marks, strict=True)}
    return {"value": Cube(call.graph.merged(labelled), call.made["value"])}


def _told(call: Call, number: Cube, own: Any, unit: Any, changes: bool) -> Cube:
    told = call.told_in(X, own, unit, changes)
    return number if told is X else call.graph.computed(told, {"x": number}, number.artifact)  # type: ignore[arg-type]


COUNTERPARTS: Mapping[str, Callable[[Call], Mapping[str, Any]]] = {
    **TEMPERATURE,
    **TERRAIN,
    "spectral_index": _spectral_index,
    "threshold": _threshold,
    "raster_comparison": _comparison,
    "raster_calculation": _calculation,
    "raster_difference": _difference,
    "combine_masks": _combined,
    "mask_of_class": _of_class,
    "apply_mask": _masked,
    "mask_clouds": _masked,
    "cloud_mask_from_probability": _of_probability,
    "cloud_mask_from_qa": _of_quality,
    "convert_unit": _converted,
    "from_decibel": _from_decibel,
    "temporal_composite": _composite,
    "classes_between_limits": _classes,
    "raster_statistic": _statistic,
    "mask_share": _share,
    "area": _area,
    "area_by_class": _area_by_class,
    "answer_of": _answer,
    "number_calculation": _number_calculation,
    "difference_of": _subtracted,
    "list_statistic": _of_list,
    "date_of_extreme": _date_of_extreme,
}
