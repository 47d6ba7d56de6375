"""Whether a fact that the inventory states is the true one: by meaning, never by spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal

import numpy as np

from knowflow.ground.bands import band, common_name, substitutes
from knowflow.ground.errors import UnitError
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import change_unit, compatible, convert
from knowflow.model.artifact import CHANGES, Artifact
from knowflow.reason.inventory.band_names import canonical_sensor
from knowflow_bench.inventory.labelled_folder import moments_of

Judgement = Literal["right", "wrong", "unknown"]
_RELATIVE = 1e-6
_DEPTHS = ((re.compile(r"\bmm\b(?!-)"), "kg m-2"), (re.compile(r"\bcm\b(?!-)"), "g cm-2"))
"""Depths of water, and as much of it on an area."""
_COLUMNS = ("columnar_water_vapour",)
_OF_WATER = "kg day-1 m-2"  # kinds of evaporation are told in it
_OVER_TIME = re.compile(r" (day|month|year)-1\b")
_USUAL = {"scale": 1.0, "offset": 0.0}
_NAMES: Mapping[str, str] = {"date": "datetime"}
"""What the inventory calls a fact of a truth, where that is another word."""


def fact_name(fact: str) -> str:
    """The name under which the inventory knows a fact of a truth: ``datetime`` for ``date``."""
    return _NAMES.get(fact, fact)


def value_of(layer: Artifact, fact: str) -> Any:
    """What is known of a layer, as it is shown beside the truth; None where nothing is."""
    if fact == "type":
        return layer.type
    if fact == "band":
        named = [layer.fact("polarisation"), *(layer.fact("bands") or ()), layer.fact("band")]
        return next((str(one) for one in named if one is not None), None)
    if fact == "date" and layer.fact("datetime") is None and layer.fact("span") is not None:
        return "/".join(layer.fact("span"))  # of years that no day of theirs stands for
    return layer.fact(fact_name(fact))


def judge(layer: Artifact, fact: str, truth: Any, quantity: str = "", date: str | None = None) -> Judgement:
    """Whether a fact of a layer is true; a truth of None is that there is none. ``quantity`` is the true one, by which
    units are compared, by default that of the layer, and ``date`` what the numbers are of: an amount of a month is as
    much per month."""
    if fact == "band":
        return _judge_band(layer, truth)
    found = value_of(layer, fact)
    if found is None:
        return "right" if truth is None or _USUAL.get(fact) == truth else "unknown"
    if truth is None:
        return "wrong"
    if fact == "date":
        return _judge_date(str(found), str(truth), layer.fact("span"))
    named = quantity or str(layer.fact("quantity"))
    if fact == "unit" and (length := _length_of(date)):
        truth, found = (_amount(str(unit), length) for unit in (truth, found))
    return "right" if same_value(fact, truth, found, named) else "wrong"


def same_numbers(layer: Artifact, unit: str, scale: float, offset: float, quantity: str = "") -> bool:
    """Whether stored numbers mean the same by what is known of a layer as by this unit, scale and offset.

    A share of 0.4 is 40 %, whether the unit says so or the scale.
    """
    known, quantity = layer.fact("unit"), quantity or str(layer.fact("quantity"))
    if known is None:
        return False
    own = (layer.fact("scale") or 1.0, layer.fact("offset") or 0.0)
    stored = np.array([1.0, 1000.0])
    try:
        if _same_unit(unit, str(known), quantity):
            return all(_same_number(one, other) for one, other in zip((scale, offset), own, strict=True))
        unit, known = (_on_an_area(one) if _is_water(quantity) else one for one in (unit, str(known)))
        if not compatible(known, unit):
            return False
        found = convert(stored * own[0] + own[1], known, unit)
        return bool(np.allclose(found, stored * scale + offset, rtol=_RELATIVE, atol=0.0))
    except UnitError:
        return False


def same_value(fact: str, truth: Any, found: Any, quantity: str = "") -> bool:
    """Whether a value, of a fact or of a candidate for it, is the true one."""
    match fact:
        case "unit":
            return _same_unit(str(truth), str(found), quantity)
        case "scale" | "offset" | "nodata":
            return _same_number(truth, found)
        case "date":
            return _judge_date(str(found), str(truth)) == "right"
        case "sensor":
            one, other = canonical_sensor(str(truth)), canonical_sensor(str(found))
            return one.startswith(other) or other.startswith(one)
        case "quantity":
            return found in (truth if isinstance(truth, tuple) else (truth,))
        case "band":
            values = found if isinstance(found, tuple) else (found,)
            return any(_band_word(str(one)) == _band_word(str(truth)) for one in values)
    return bool(str(found).casefold() == str(truth).casefold())


def _same_number(truth: Any, found: Any) -> bool:
    try:
        one, other = float(truth), float(found)
    except (TypeError, ValueError):
        return False
    return one == other or math.isclose(one, other, rel_tol=_RELATIVE) or (math.isnan(one) and math.isnan(other))


def _same_unit(truth: str, found: str, quantity: str) -> bool:
    """K and kelvin are one unit, K and degC are two, but of a change; what lies on a square metre in kg is as many mm
    of water, and a cm of it is a gram on a square centimetre."""
    if truth == found:
        return True
    try:
        if quantity in CHANGES:  # a degree of difference is as much in kelvin
            return compatible(truth, found) and _alike(*(change_unit(unit) for unit in (truth, found)))
        if _is_water(quantity):
            return _alike(*(_on_an_area(unit) for unit in (truth, found)))
        return _alike(truth, found)
    except UnitError:
        return False


def _is_water(quantity: str) -> bool:
    """Whether lengths of a quantity are depths of water."""
    kind = quantity_kinds().get(quantity)
    return kind is not None and (
        kind.water or str(kind.cf_name).startswith("water_") or kind.unit == _OF_WATER or kind.name in _COLUMNS
    )


def _on_an_area(unit: str) -> str:
    for depth, weight in _DEPTHS:
        unit = depth.sub(weight, unit)
    return unit


def _length_of(date: str | None) -> str:
    """The day, month or year that a date is, by its name."""
    if not date:
        return ""
    begun, ended = moments_of(str(date))
    behind = ended + timedelta(seconds=1)
    if begun.date() == ended.date():
        return "day"
    if (begun.day, behind.day) != (1, 1):
        return ""
    return {1: "month", 12: "year"}.get(12 * (behind.year - begun.year) + behind.month - begun.month, "")


def days_of(date: str | None) -> int:
    """How many days a date is of; 1 where there is none."""
    if not date:
        return 1
    begun, ended = moments_of(str(date))
    return (ended.date() - begun.date()).days + 1


def _amount(unit: str, length: str) -> str:
    """The unit of an amount within a length of time, of which a unit is told per that time."""
    return _OVER_TIME.sub(lambda found: "" if found[1] == length else found[0], unit)


def _alike(one: str, other: str) -> bool:
    return compatible(one, other) and all(
        math.isclose(convert(number, one, other), number, rel_tol=1e-9, abs_tol=1e-12) for number in (0.0, 1.0)
    )


def _judge_date(found: str, truth: str, span: tuple[str, str] | None = None) -> Judgement:
    """Right inside of the true span; what only says less (the year of a day) is not wrong, nor is a day that is told to
    stand for a ``span`` which holds the truth."""
    try:
        first, last = moments_of(found)
    except ValueError:
        return "wrong"
    begun, ended = moments_of(truth)
    if begun <= first and last <= ended:
        return "right"
    if first <= begun and ended <= last:
        return "unknown"
    if span is None:
        return "wrong"
    whole = moments_of("/".join(span))
    return "unknown" if whole[0] <= min(begun, first) and max(ended, last) <= whole[1] else "wrong"


def _judge_band(layer: Artifact, truth: str | None) -> Judgement:
    """Common names are compared with common names; what a sensor calls its band with that."""
    own, sensor = layer.fact("band"), layer.fact("sensor")
    common = {str(one).casefold() for one in (*(layer.fact("bands") or ()), layer.fact("polarisation")) if one}
    if truth is None:
        return "wrong" if common or own is not None else "right"
    wanted = _common(truth, sensor)
    if wanted is not None:
        named = common or {name for one in (own,) if one is not None and (name := _common(str(one), sensor))}
        return "unknown" if not named else "right" if named == {wanted} else "wrong"
    if len(common) <= 1 and _band_word(truth) in {_band_word(str(one)) for one in (*common, own) if one is not None}:
        return "right"
    return "unknown" if own is None else "wrong"


def _common(name: str, sensor: str | None) -> str | None:
    """The common name; of two for one band that by which the sensor has it (``nir`` for ``nir08``)."""
    plain = common_name(name)
    called = (name, *substitutes(plain or name))
    known = None if sensor is None else next(filter(None, (band(str(sensor), one) for one in called)), None)
    found = plain if known is None else known.common_name
    return None if found is None else found.casefold()


def _band_word(name: str) -> str:
    """A band's name without what spellings differ in: ``B04`` and ``b4``."""
    head = name.casefold().rstrip("0123456789")
    digits = name[len(head) :].lstrip("0")
    return common_name(name) or head.replace("_", "").replace("-", "") + digits
