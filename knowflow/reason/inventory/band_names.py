"""From a sensor's band name to its common name and wavelength, once the sensor is known."""

from __future__ import annotations

from collections.abc import Sequence

from knowflow.ground.bands import Band, band, common_name, sensor_bands, sensors_with, substitutes
from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.model.facts import Fact, Facts, Origin

_BETWEEN, _NUMBERED = regex(r"[_\s.-]+"), regex(r"[Bb]\d{1,2}[Aa]?")
_RADAR = ("vv", "vh", "hh", "hv")


@kept(256)
def canonical_sensor(text: str) -> str:
    """The name under which a sensor's bands are known (``LC08`` -> ``landsat-8-9-oli-tirs``), else the text itself."""
    bands = sensor_bands(text)
    return bands[0].sensor if bands else text


def with_band_facts(facts: Facts) -> Facts:
    """The facts of a single layer with ``bands``, ``wavelength`` and ``polarisation`` of what ``band`` calls it.

    A band to which the sensor's table gives no common name keeps its own. Where the sensor is not known, only names
    that mean the same everywhere say anything. What is known already stays.
    """
    own_name, sensor, listed = (facts.value(name) for name in ("band", "sensor", "bands"))
    own = facts.known("band")
    if own_name is None and not (isinstance(listed, tuple) and len(listed) == 1):
        return facts
    name = str(own_name if own_name is not None else listed[0])
    said = _said_of(name, None if sensor is None else str(sensor))
    if own is not None and own.origin is Origin.USER:  # what a name means is as certain as the name
        said = Facts({fact: Fact(known.value, Origin.USER, known.source) for fact, known in said.items()})
    return facts.over(said)


@kept(1024)
def _said_of(name: str, sensor: str | None) -> Facts:
    """What the name of a band says, of a sensor or of any."""
    found = None if sensor is None else band(sensor, name) or _inside(sensor, name)
    common = common_name(name)
    if found is None and sensor is not None and common is not None:  # its near infrared, whatever others call theirs
        found = next(filter(None, (band(sensor, one) for one in (common, *substitutes(common)))), None)
    if found is None:
        return Facts() if common is None else Facts.of(Origin.DECLARED, f"band name {name}", bands=(common,))
    return Facts.of(
        Origin.DECLARED,
        f"band {name} of {found.sensor}",
        bands=(found.common_name or found.name,),
        wavelength=found.centre,
        polarisation=found.common_name.upper() if found.common_name in _RADAR else None,
    )


def _inside(sensor: str, name: str) -> Band | None:
    """The only band of a sensor that stands in a name behind the word for what it is of: the B3 of ``rhow_B3``."""
    pieces = [piece for piece in _BETWEEN.split(name) if _NUMBERED.fullmatch(piece)]
    return band(sensor, pieces[0]) if len(pieces) == 1 and pieces[0] != name else None


def sensors_by_bands(bands: Sequence[Facts]) -> tuple[str, ...]:
    """The sensors that the bands of one file can be of by their names and the size of the pixels, satellites of one
    mission as the mission; none where a band has no name, or the sensor of one is known."""
    names = [facts.value("band") for facts in bands]
    if len(names) < 2 or None in names or any("sensor" in facts for facts in bands):
        return ()
    found = sensors_with([str(name) for name in names])
    if len(found) > 1:
        found = sensors_with([str(name) for name in names], pixel_of(bands[0]))
    return missions(found)


def missions(sensors: Sequence[str]) -> tuple[str, ...]:
    """Sensors with the satellites of one mission as the mission."""
    return tuple(one for one in sensors if not any(one != other and one.startswith(other) for other in sensors))


def pixel_of(facts: Facts) -> float | None:
    """The side of a pixel on the ground, m."""
    crs, transform, shape = (facts.value(name) for name in ("crs", "transform", "shape"))
    if crs is None or transform is None or shape is None:
        return None
    from knowflow.model.ground_lengths import pixel_on_ground

    return pixel_on_ground(crs, transform, shape)[1]


def in_band(said: Facts, place: int, count: int | None) -> Facts:
    """What is said of a file of several bands, of the one at a place (from 1): where its bands are listed, that one."""
    listed = said.get("bands")
    if listed is None or not isinstance(listed.value, tuple) or len(listed.value) not in (count, (count or 0) - 1):
        return said.without(("bands",))
    if place > len(listed.value):  # a mask behind them
        return said.without(("bands",))
    return said.put("bands", (listed.value[place - 1],), listed.origin, listed.source)
