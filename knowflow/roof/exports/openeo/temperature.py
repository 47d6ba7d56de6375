"""Temperatures of the ground, and the vegetation and emissivity that they need, in the words of openEO."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from knowflow.roof.exports.openeo.graph import Call, Cube, X, Y
from knowflow.roof.exports.openeo.terms import Term, term
from knowflow.tools.kernels.thermal import C2
from knowflow.tools.radiometry import RADIANCE_UNIT, thermal_constants
from knowflow.tools.temperature import thermal_wavelength

_ROUNDING = 1e-6


def _fraction(call: Call) -> Mapping[str, Cube]:
    place = _place(call)
    return call.computed(place if call.given["mixture"] == "linear" else place**2, {"x": call.cube("ndvi")})


def _place(call: Call) -> Term:
    soil, vegetation = call.number("ndvi_soil"), call.number("ndvi_vegetation")
    return term("clip", x=(X - soil) / (vegetation - soil), min=0, max=1)


def _emissivity(call: Call) -> Mapping[str, Cube]:
    names = ("emissivity_soil", "emissivity_vegetation", "emissivity_water")
    soil, vegetation, water = (call.number(name) for name in names)
    share = _place(call) ** 2
    cavity = (1 - share) * ((1 - soil) * vegetation * 0.55)
    mixed = share * vegetation + (1 - share) * soil + cavity
    full = term("if", value=term("gt", x=X, y=call.number("ndvi_vegetation")), accept=vegetation, reject=mixed)
    land = term("if", value=term("lt", x=X, y=call.number("ndvi_soil")), accept=soil, reject=full)
    all_ = term("if", value=term("lt", x=X, y=0), accept=water, reject=land)
    return call.computed(all_ + 0 * X, {"x": call.cube("ndvi")})


def _surface_temperature(call: Call) -> Mapping[str, Cube]:
    brightness, emissivity = call.cube("brightness_temperature"), call.cube("emissivity")
    given = call.given.get("wavelength")
    wavelength = thermal_wavelength(brightness.artifact) if given is None else call.number("wavelength")
    kelvin = call.told_in(X, brightness.artifact.fact("unit"), "K")
    assert isinstance(kelvin, Term)
    made = kelvin / (kelvin * (wavelength / C2) * term("ln", x=Y) + 1)
    possible = term("and", x=term("gt", x=Y, y=0), y=term("lte", x=Y, y=1 + _ROUNDING))
    return call.computed(term("if", value=possible, accept=made), {"x": brightness, "y": emissivity})


def _brightness(call: Call) -> Mapping[str, Cube]:
    raster = call.cube("radiance")
    given = (call.given.get(name) for name in ("k1", "k2", "satellite"))
    first, second = thermal_constants(raster.artifact, *given)
    radiance = call.told_in(X, raster.artifact.fact("unit"), RADIANCE_UNIT)
    made = second / term("ln", x=first / radiance + 1)
    return call.computed(term("if", value=term("gt", x=X, y=0), accept=made), {"x": raster})


TEMPERATURE: Mapping[str, Callable[[Call], Mapping[str, Any]]] = {
    "vegetation_fraction": _fraction,
    "emissivity_from_ndvi": _emissivity,
    "surface_temperature_single_channel": _surface_temperature,
    "brightness_temperature": _brightness,
}
