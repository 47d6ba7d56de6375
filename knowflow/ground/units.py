"""Units as people, CF and UDUNITS spell them: known or not, compatible or not, converted by pint.

Importing this module does not import pint; the registry is built once, on first use. Canonical spelling (what
``normalise`` returns) is UDUNITS': ``W m-2 sr-1 um-1``, ``degC``, ``%``, ``km2``, and ``1`` for a pure number.

Three deliberate differences from plain pint: angles are not pure numbers (a slope in degrees does not silently become
a ratio), ``C`` and ``F`` alone are temperatures, and a change of decibels (``dB year-1``) is a unit of its own.
Source of the spellings: CF conventions 1.11, section 3.1.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

from knowflow.ground.common_units import TIMES, canonically, common_unit
from knowflow.ground.errors import UnitError
from knowflow.ground.spelling import did_you_mean
from knowflow.ground.syntax import PARSING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DEFINITIONS = (
    "delta_decibel = [level_difference] = delta_dB",
    "nephelometric_turbidity_unit = [turbidity] = NTU = FNU = FTU",
    "dobson_unit = 4.4615e-4 * mole / meter**2 = DU = dobson",
    "ppb = 1e-9",
    "decennium = 10 * year",  # pint's own decade is a ratio of frequencies
    "thousand = 1000",
    "million = 1e6",
    "billion = 1e9",
)
# whole spellings, compared without case, that are not made of pint's words
_SPELLINGS = {
    **dict.fromkeys(("", "1", "dimensionless", "unitless", "none", "-", "ratio", "fraction", "m m-1", "m/m"), "1"),
    **dict.fromkeys(("count", "counts"), "1"),
    **dict.fromkeys(("db(a)", "dba", "db a"), "dB"),  # of sound, weighted as it is heard
    **{
        spelling: unit
        for unit, names in {"degC": ("c", "celsius"), "degF": ("f", "fahrenheit"), "kelvin": ("k", "kelvin")}.items()
        for name in names
        for degrees in ("", "deg", "degree", "degrees", "°")
        for spelling in (f"{degrees}{name}", f"{degrees} {name}", f"{degrees}_{name}")
    },
    "℃": "degC",
    **dict.fromkeys(("percent", "per cent", "pct", "percentage", "percentage points", "percent points"), "percent"),
    **dict.fromkeys(("°", "deg", "degrees", "degree_north", "degrees_north", "degree_east"), "degree"),
    **dict.fromkeys(("degrees_east", "decimal degrees", "arc_degree"), "degree"),
}
_WORDS = {
    "sqm": "meter**2",
    "sqkm": "kilometer**2",
    "µ": "um",
    "hr": "hour",
    "hrs": "hour",
    "yrs": "year",
    "decade": "decennium",
}
_LONGEST = 80  # characters of a unit; texts come from files, and pint would evaluate whatever arithmetic they hold
_POWERS_SPELT = (
    (re.compile(r"\b(?:sq|square)\.?\s+(\w+)"), r"\1**2"),
    (re.compile(r"\b(?:cu|cubic)\.?\s+(\w+)"), r"\1**3"),
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_CHARACTERS = {
    "·": "*",
    "⋅": "*",
    "×": "*",
    "μ": "u",
    "µ": "u",
    "%": " percent",
    "°": "degree",
    "Δ": "delta_",
}
_POWER = re.compile(r"(?<=[^\W\d])(?:\*\*|\^)?([-+]?\d+(?:\.\d+)?)")
_DIVIDED = re.compile(r"[-−⁻/]|\bper\b", re.IGNORECASE)  # what no unit is without that has another below the line
_FOREIGN = re.compile(r"[^\w\s.*/^()+-]")
_STRAY_NUMBER = re.compile(r"(?<![\w.+*-])\d|(?<!\*)\*\d|\*\*[-+]?[\d.]+\*\*|\d{3}")  # 8 day-1, m**9**9, m**999
_NAME = re.compile(r"[^\W\d]\w*")
_SPANS = frozenset({"hours", "days", "weeks", "months", "years"})  # joined to what adds up over them: degC-weeks
_JOINED = re.compile(rf"(?<=[^\W\d])-(?=(?:{'|'.join(sorted(_SPANS))})\b)")
_CELSIUS, _KELVIN = "degC", "K"
_FREEZING = 273.15  # kelvin at 0 degC
_CHANGE_UNITS = {_CELSIUS: _KELVIN, "degF": "delta_degF"}
_SYMBOLS = {
    "degree_Celsius": "degC",
    "degree_Fahrenheit": "degF",
    "delta_degree_Celsius": "delta_degC",
    "delta_degree_Fahrenheit": "delta_degF",
    "degree": "degree",
    "year": "year",
    "day": "day",
    "hour": "h",
    "micron": "um",
    "delta_decibel": "delta_dB",
    "decennium": "decade",
}
# units that are written as a word, and not as a sign
_SPELLED_OUT = frozenset({"degree", "day", "year", "decade"})


@lru_cache(maxsize=4096)  # of what is none, too, which takes long to be told what it may have been meant for
def known(unit: str) -> bool:
    """Whether the text is a unit."""
    if unit == _CELSIUS or common_unit(unit) is not None:
        return True
    try:
        _parse(unit)
    except UnitError:
        return False
    return True


def change_unit(unit: str) -> str:
    """The unit of a difference of two values in ``unit``: kelvin for degrees Celsius."""
    canonical = normalise(unit)
    return _CHANGE_UNITS.get(canonical, canonical)


def per_year(unit: str) -> str:
    """The unit of a change per year of a quantity in ``unit``: ``K year-1`` for ``degC``, ``year-1`` for ``1``."""
    return normalise(f"{change_unit(unit)} year-1".removeprefix("1 "))


def per_decade(unit: str) -> str:
    """The unit of a change per decade, where ``unit`` is that of it per year: ``K decade-1`` for ``K year-1``."""
    return normalise(f"{unit} year decade-1")


def normalise(unit: str) -> str:
    """The canonical spelling: ``"km²"`` -> ``"km2"``, ``"W/m^2"`` -> ``"W m-2"``, ``"celsius"`` -> ``"degC"``.

    Raises ``UnitError`` when the unit is not known.
    """
    if unit == _CELSIUS or common_unit(unit) is not None:
        return unit
    return _spelt(_parse(unit))


def in_a_sentence(unit: str) -> str:
    """A unit behind a number, in running text: ``degrees`` and ``days``, where it is a word; else as it is."""
    return f"{unit}s" if unit in _SPELLED_OUT else unit


def compatible(a: str, b: str) -> bool:
    """Whether values in ``a`` can be expressed in ``b``; raises ``UnitError`` when either is not known."""
    one, other = (common_unit(_KELVIN if unit == _CELSIUS else unit) for unit in (a, b))
    if one is not None and other is not None:
        return one.measures == other.measures
    return bool(_measures(_parse(a)) == _measures(_parse(b)))


def per_time(unit: str) -> bool:
    """Whether a unit says that it is an amount per time: ``mm day-1``; what is none, and a watt, do not."""
    if not _DIVIDED.search(unit):
        return False
    common = common_unit(unit)
    if common is not None:
        return any(power < 0 and name in TIMES for name, power in common.parts)
    try:
        parts = _parse(unit)._units
    except UnitError:
        return False
    return any(power < 0 and compatible(name, "s") for name, power in parts.items())


@overload
def convert(value: float, from_: str, to: str, *, difference: bool = False) -> float: ...
@overload
def convert(
    value: NDArray[np.floating[Any]], from_: str, to: str, *, difference: bool = False
) -> NDArray[np.floating[Any]]: ...
def convert(value: Any, from_: str, to: str, *, difference: bool = False) -> Any:
    """``value`` (a number or a numpy array, which is not changed) expressed in ``to``.

    ``difference=True`` is for changes, not states: 5 degC warmer is 5 K warmer, while 5 degC is 278.15 K.
    A depth per time is as much water per area and time: 1 mm day-1 is 1 kg m-2 day-1, in which evaporation is told.
    Raises ``UnitError`` when a unit is not known or the two do not measure the same thing.
    """
    simple = _simply(value, from_, to, difference)
    if simple is not None:
        return simple
    source, target = _parse(from_), _parse(to)
    if difference or "delta_" in f"{from_} {to}":  # which is a change already
        source, target = _change(source), _change(target)
    if _measures(source) != _measures(target):
        if {str(_measures(source)), str(_measures(target))} == _OF_WATER:
            return _through_water(value, source, target)
        raise UnitError(
            f"{from_!r} cannot be expressed in {to!r}",
            expected=f"a unit of the same kind as {normalise(to)!r} ({_kind(target)})",
            found=f"{normalise(from_)!r} ({_kind(source)})",
            hint="check the unit of the question and of the file, or say it: --assume unit=...",
        )
    if source == target:
        return value
    with PARSING:
        return _registry().Quantity(value, source).to(target).magnitude


_DEEP = "meter / second"
_OF_WATER = {_DEEP, "gram / meter ** 2 / second"}
"""What a flux of water is measured by, as depth and as mass per area."""


def _through_water(value: Any, source: Any, target: Any) -> Any:
    """A depth of water per time as its mass per area and time, or the other way round."""
    with PARSING:
        quantity, density = _registry().Quantity(value, source), _registry().Quantity(1000.0, "kg / m ** 3")
        return (quantity * density if str(_measures(source)) == _DEEP else quantity / density).to(target).magnitude


def _simply(value: Any, from_: str, to: str, difference: bool) -> Any:
    """A value in another common unit of the same kind; None where that is pint's to do."""
    if {from_, to} == {_CELSIUS, _KELVIN}:
        return value + (0.0 if difference else _FREEZING if to == _KELVIN else -_FREEZING)
    source, target = common_unit(from_), common_unit(to)
    if source is None or target is None or source.measures != target.measures:
        return None
    return value if from_ == to else value * (source.size / target.size)


@lru_cache(maxsize=1)
def _registry() -> Any:
    with PARSING:
        import pint

        registry = pint.UnitRegistry()
        for definition in _DEFINITIONS:
            registry.define(definition)
        return registry


@lru_cache(maxsize=1024)
def _parse(unit: str) -> Any:
    """pint's unit of a spelling."""
    text = " ".join(unit.strip().split()).removeprefix("1 ")
    spelling = _SPELLINGS.get(text.casefold())
    try:
        with PARSING:
            expression = spelling if spelling is not None else _expression(text)
            found = _registry().parse_units("" if expression == "1" else expression)
            _measures(found)  # pint notices only here that, say, a neper per year means nothing to it
        return found
    except UnitError:
        raise
    except Exception as error:  # pint raises TypeError, ValueError, tokenize errors... for what it cannot read
        raise _unknown(unit, text) from error


def _expression(text: str) -> str:
    """UDUNITS and everyday notation as an expression of pint's words."""
    text = text.translate(_SUPERSCRIPTS)
    for spelt, written in _POWERS_SPELT:
        text = spelt.sub(written, text)
    for character, meaning in _CHARACTERS.items():
        text = text.replace(character, meaning)
    if _FOREIGN.search(text) or len(text) > _LONGEST:
        raise _unknown(text, text)
    text = re.sub(r"\bper\b", "/", _JOINED.sub("*", text.strip()))
    text = re.sub(r"(?<=[\w)])\.(?=[^\W\d])", "*", text)
    text = re.sub(r"\s*(\*\*|[*/^])\s*|(?<=\()\s+|\s+(?=\))", r"\1", text)
    text = _POWER.sub(r"**\1", text)
    text = re.sub(r"\s+", "*", text)
    if _STRAY_NUMBER.search(text.removeprefix("1/")):
        raise _unknown(text, text)
    return _NAME.sub(lambda match: _word(match.group(), text), text)


def _word(name: str, text: str) -> str:
    """One word of a unit as pint spells it; longer words may be capitalised at will (``Kelvin``, ``METERS``)."""
    registry = _registry()
    if name in _WORDS:
        return _WORDS[name]
    if name in registry:
        return name
    lower = name.lower()
    if len(name) > 2 and lower in registry:
        return lower
    of, _, span = name.rpartition("_")
    if of and span in _SPANS:
        return f"({_word(of, text)}*{span})"
    raise _unknown(text, name)


def _unknown(unit: str, name: str) -> UnitError:
    names = [word for word in dir(_registry()) if len(word) > 1 and not word.startswith("_")]
    hint = did_you_mean(name, names, "write it as in CF: 'W m-2 sr-1', 'degC', 'mm', '%', '1'")
    return UnitError(f"unknown unit {unit!r}", expected="a unit", found=repr(name), hint=hint)


def _symbol(name: str) -> str:
    if name in _SYMBOLS:
        return _SYMBOLS[name]
    return str(_registry().get_symbol(name)).replace("µ", "u").replace("μ", "u")


def _measures(unit: Any) -> Any:
    """What a unit measures: its base units, among which the radian counts (pint's dimensions leave it out)."""
    return _registry().get_root_units(unit)[1]


def _spelt(unit: Any) -> str:
    """pint's unit in the canonical spelling."""
    parts = sorted(((_symbol(name), power) for name, power in unit._units.items()), key=canonically)
    return " ".join(symbol if power == 1 else f"{symbol}{power:g}" for symbol, power in parts) or "1"


def _kind(unit: Any) -> str:
    return str(_measures(unit)) if unit.dimensionless else str(unit.dimensionality)


def _change(unit: Any) -> Any:
    """The unit of a change of a quantity with that unit: ``degC`` -> ``delta_degC``, ``dB`` -> ``delta_dB``."""
    registry = _registry()
    names = list(unit._units)
    delta = f"delta_{names[0]}" if len(names) == 1 and unit._units[names[0]] == 1 else ""
    return registry.parse_units(delta) if delta and delta in registry._units else unit
