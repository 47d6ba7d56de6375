"""What the names of columns say of their numbers by how they end, or begin: the unit, and the element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from knowflow.ground.units import known
from knowflow.question.reading.features import MONEY

_SHORT = 3  # letters of a unit
_UNITS: Mapping[str, str] = {
    **{one: one for one in ("m", "mm", "cm", "km", "ha", "m2", "km2", "m3", "t", "kg", "degC", "MW", "kW")},
    **dict.fromkeys(("years", "yr", "yrs"), "year"),
    "days": "day",
    "pct": "%",
    "percent": "%",
    "c": "degC",
    **{one.lower(): one for one in ("MW", "kW", "kV", "kWh", "MWh", "GWh", "GW")},
    **{one: one for one in ("kV", "kWh", "MWh", "GWh", "GW")},
    **dict.fromkeys(MONEY, "1"),
    **dict.fromkeys(("m3s", "cumecs", "cms"), "m3 s-1"),
    "mgl": "mg l-1",
    "ugm3": "ug m-3",
    "ugl": "ug l-1",
    "tha": "t ha-1",
    "m3ha": "m3 ha-1",
    "kgha": "kg ha-1",
    "kmh": "km h-1",
    "lps": "l s-1",
    "mps": "m s-1",
    "kwp": "kW",
    "kt": "Gg",
    **dict.fromkeys(("mcm", "hm3"), "hm3"),
    "km3": "km3",
    **dict.fromkeys(("mld", "mlpd"), "Ml day-1"),
    "kl": "m3",
    "mwe": "m",
    "mmwe": "mm",
    "g": "g",
    "arcsec": "arcsec",
    "arcmin": "arcmin",
    **dict.fromkeys(("l", "litres", "liters"), "l"),
}
"""Units as they end the names of columns; money is a number."""
_WHOLE: Mapping[str, str] = {
    **dict.fromkeys(("pounds", "lbs"), "lb"),
    **dict.fromkeys(("kilos", "kilograms"), "kg"),
    **dict.fromkeys(("tonnes", "tons"), "t"),
    **dict.fromkeys(("hectares",), "ha"),
    **dict.fromkeys(("acres",), "acre"),
    **dict.fromkeys(("hours", "hrs"), "h"),
    **dict.fromkeys(("minutes", "mins"), "min"),
    **dict.fromkeys(("seconds", "secs"), "s"),
}
"""Units that are the whole name of a column: the hours worked, the pounds picked."""
_SPELT: Mapping[str, str] = {
    **dict.fromkeys(("hours",), "h"),
    **dict.fromkeys(("minutes",), "min"),
    **dict.fromkeys(("tonnes",), "t"),
    **dict.fromkeys(("hectares",), "ha"),
    **dict.fromkeys(("litres", "liters"), "l"),
}
"""Units that the name of a column begins with: hours closed."""
_DEEP = frozenset(
    {"rain", "rainfall", "precip", "precipitation", "snow", "snowfall", "depth", "height", "length", "width"}
)
"""What is measured in inches, of which the sign is a word as well."""
_FAST = frozenset({"wind", "gust", "speed", "velocity", "current", "windspeed"})
"""What is measured in metres per second, which the name of a column may write as it pleases."""
_ELEMENTS: Mapping[str, str] = {
    "N": "nitrogen",
    "P": "phosphorus",
    "K": "potassium",
    "S": "sulphur",
    "Ca": "calcium",
    "Mg": "magnesium",
    "Na": "sodium",
    "Fe": "iron",
    "Mn": "manganese",
    "Zn": "zinc",
    "Cu": "copper",
    "B": "boron",
    "Pb": "lead",
    "Al": "aluminium",
    "Cd": "cadmium",
    "Ni": "nickel",
    "Cr": "chromium",
    "As": "arsenic",
    "Hg": "mercury",
}
"""What the name of a column means by a sign, where the unit of what there is of it stands behind."""
_OF_ELEMENTS = frozenset(
    {"ppm", "ppb", "mg", "ug", "mgkg", "mgl", "ugl", "pct", "percent", "gkg", "mol", "mmol", "mgm3", "ugm3"}
)
_PER_UNIT = {
    "ha": "ha",
    "m2": "m2",
    "km2": "km2",
    "day": "day",
    "year": "year",
    "km": "km",
    "m": "m",
    "m3": "m3",
    "t": "t",
}
_ON_GROUND, _LETTERS = frozenset({"ha", "m2", "km2"}), frozenset({"c", *MONEY})
"""What the whole name of a column tells something for each of, ``kg_ha``, and what tells no amount of it."""


def element_of(column: str) -> str | None:
    """The chemical element of which a column tells how much there is.

    >>> element_of("Zn_ppm"), element_of("cu_pct"), element_of("P_mgkg"), element_of("p_value")
    ('zinc', 'copper', 'phosphorus', None)
    """
    sign, *behind = [one for one in column.split("_") if one] or [""]
    element = _ELEMENTS.get(sign.capitalize() if len(sign) > 1 else sign)
    return element if behind and behind[0].lower() in _OF_ELEMENTS else None


def without_unit(words: Sequence[str]) -> tuple[list[str], str]:
    """The words of the name of a column, in small letters, and the unit that they end in; a number where in none."""
    small = [one.lower() for one in words]
    if len(words) > 2 and all(len(one) <= _SHORT and known(one) for one in words[-2:]):
        unit = f"{words[-2]} {_per(words[-1])}"
        if known(unit):
            return small[:-2], unit
    per = _PER_UNIT.get(small[-1]) if len(words) > 1 else None
    top = {**_UNITS, **_WHOLE, "h": "h", "min": "min"}
    if per is not None and len(words) > 3 and small[-2] == "per" and small[-3] in top:
        return small[:-3], f"{top[small[-3]]} {_per(per)}"
    if len(words) == 2 and small[-1] in _ON_GROUND and small[0] in _UNITS and small[0] not in _LETTERS:
        return small, f"{_UNITS[small[0]]} {_per(small[-1])}"
    if per is not None and len(words) > 2 and (small[-2] in MONEY or small[-2] == "per"):
        return small[:-2], _per(per)
    if per is not None and "density" in small:
        return small[:-1], _per(per)
    if len(words) > 1 and small[-1] == "ms" and _FAST.intersection(small):
        return small[:-1], "m s-1"
    if len(words) == 1 and small[0] in _WHOLE:
        return small, _WHOLE[small[0]]
    if len(words) > 2 and small[-2:] in (["m", "we"], ["mm", "we"]):  # metres of water
        return small[:-2], small[-2]
    if len(words) > 1 and small[-1] == "in" and _DEEP.intersection(small):
        return small[:-1], "in"
    if len(words) > 1 and words[-1] in ("F", "f", "degF") and any(one.startswith("t") for one in small[:-1]):
        return small[:-1], "degF"
    if len(words) > 1 and small[0] in _SPELT and len(small[-1]) > _SHORT:
        return small, _SPELT[small[0]]
    last = next((_UNITS[one] for one in (small[-1], words[-1]) if one in _UNITS), None) if words else None
    return (small[:-1], last) if last is not None and len(words) > 1 else (small, last or "1")


def _per(unit: str) -> str:
    """A unit as what something is told for each of: ``ha-1``, ``m-3``."""
    return f"{unit[:-1]}-{unit[-1]}" if unit[-1].isdigit() else f"{unit}-1"
