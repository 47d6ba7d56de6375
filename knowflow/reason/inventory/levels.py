"""Whose bands they are and at which level, where names do not tell: by what lies beside them, and by the size of their
pixels.

Bands of a folder that are called B04, B8A and B12, and alike beside, are of the one sensor that has such bands. A scene
classification is made together with reflectance at the surface; bands of one folder come from one processing; and below
a camera that sees centimetres there is no atmosphere to speak of. Where nothing of this tells it, and the numbers are
those of it, bands of light are taken to be of the surface, and radar images of backscatter per area on the ground, in
which they are mostly kept.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from knowflow.ground.bands import band, common_name, sensor_bands, sensor_spellings, sensors_with
from knowflow.ground.kept import kept
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.band_names import missions, pixel_of, with_band_facts
from knowflow.reason.inventory.evidence import Candidate
from knowflow.reason.inventory.glance import Look
from knowflow.reason.inventory.layers import Open

_SURFACE, _AT_TOP = "surface_bidirectional_reflectance", "toa_bidirectional_reflectance"
_LEVELS = frozenset({_SURFACE, _AT_TOP})
_BY_NAMES = ("layer name", "file name")
_BACKSCATTER = frozenset({"sigma0", "sigma0_db", "gamma0", "gamma0_db"})
_MADE_WITH = {"scene_classification": _SURFACE}
_MOSTLY = "what bands of light are mostly kept as; else it is at the top of the atmosphere"
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"(?:b|band)?[ _-]?\d{1,2}[a-z]?", re.IGNORECASE)
_OF_LIGHT = frozenset({*_LEVELS, "toa_radiance", "surface_radiance"})
_NANOMETRES = re.compile(
    r"(?:(?<![^_ -])|(?<=rrs)|(?<=rho[st]))([3-9]\d\d|1\d{3}|2[0-4]\d\d)(?:nm)?(?![^_ -])", re.IGNORECASE
)
_NEAR_NM = 4.0
_LEAVING_WATER = "remote_sensing_reflectance"
_BY_BANDS = "the names of the bands in the folder"
_LONGEST = 4  # words of the name of a band
_SENTINEL_2 = "sentinel-2"
_CIRRUS = "cirrus"
_OF_LEVEL = {"L2A": _SURFACE, "L1C": _AT_TOP}  # of Sentinel-2
_OF_CAMERAS_BELOW = 0.3  # m
_POLARISATIONS = frozenset({"vv", "vh", "hh", "hv"})
_NOT_OF_LIGHT = _POLARISATIONS | {"lwir", "lwir11", "lwir12"}
_BRIGHTEST = 2.0  # reflectance of snow and clouds above the horizon of a slope
_STORED = (100.0, 20_000.0)  # the largest numbers where reflectance is stored as ten thousandths
_OFFSET_BY = 5_000.0  # numbers of Landsat begin above it, at the surface and at the top of the atmosphere
_STRONGEST = 10.0  # backscatter of cities, not in decibels
_HARDLY = 0.4  # more than a candidate weighs that is merely one of the layers of a product
_COUNTS, _COUNTING = "digital_number", ("landsat-7", "landsat-4", "landsat-5", "landsat-1", "landsat-2", "landsat-3")
_NEAR = 3  # parts of a path that say something of a file
_OF_GROUND = re.compile(r"(?<![a-z])(?:sig|s0(?!\d))", re.IGNORECASE)
FLATTENED = re.compile(
    r"(?<![a-z])(?:gamma|g0|rtc|hyp3|palsar|alos|ls[-_ ]?map(?![a-z])|layover|inc[-_ ]?map(?![a-z]))", re.IGNORECASE
)
"""What says of a radar image that its slopes are flattened, whose images are, or what is made with them alone."""
_AT_SURFACE = re.compile(r"(?<![a-z0-9])(?:l2[a-z]|boa|sr|surf|surface|fmask)(?![a-z0-9])", re.IGNORECASE)
_HARMONIZED = re.compile(r"(?<![a-z0-9])(?:hls(?:[sl]30)?|[sl]30)(?![a-z0-9])", re.IGNORECASE)
_OF_THE_AIR = frozenset({_CIRRUS, "nir09"})  # bands that see no ground
_TEMPERATURES = frozenset({"lwir11", "lwir12"})


def with_sensors(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, with the sensor of bands in one folder that do not tell it, where only one has all of them."""
    listed = tuple(artifacts)
    folders: dict[PurePath, list[Artifact]] = {}
    for item in listed:
        if item.type == "raster" and item.path is not None:
            folders.setdefault(PurePath(item.path).parent, []).append(item)
    found: dict[int, tuple[str, str]] = {}
    for items in folders.values():
        bands = [item for item in items if "band" in item.facts and "sensor" not in item.facts]
        beside = next((item for item in items if item.fact("quantity") == "scene_classification"), None)
        for item in bands:
            known = band(_SENTINEL_2, str(item.fact("band"))) is not None
            if known and beside is not None:
                found[id(item)] = _SENTINEL_2, f"{PurePath(str(beside.path)).name} beside it"
            elif known and item.fact("level") in _OF_LEVEL:
                found[id(item)] = _SENTINEL_2, f"a band at level {item.fact('level')}"
        alike: dict[str, list[Artifact]] = {}
        for item in bands:
            alike.setdefault(_shape(item), []).append(item)
        for some in alike.values():
            sensors = _sensors_of(some)
            if len(sensors) == 1:
                said = sensors[0], _BY_BANDS
                found |= {id(item): said for item in some if id(item) not in found}
    named = (_of_sensor(item, *found[id(item)]) if id(item) in found else item for item in listed)
    return tuple(_of_words(_of_wavelength(item)) if item.type == "raster" else item for item in named)


def _of_wavelength(item: Artifact) -> Artifact:
    """A raster of reflectance with the band of its sensor of which its name tells the wavelength: ``rhos_492``."""
    if item.fact("quantity") not in (*_OF_LIGHT, _LEAVING_WATER) or "bands" in item.facts:
        return item
    bands = sensor_bands(str(item.fact("sensor")))
    numbers = [float(text) for text in _NANOMETRES.findall(str(item.fact("band") or PurePath(str(item.path)).stem))]
    if not bands and "sensor" not in item.facts:
        return _of_any_sensor(item, numbers)
    near = {one.name: text for text in numbers for one in bands if abs((one.centre or 0) - text) <= _NEAR_NM}
    if len(near) != 1:
        return item
    ((name, length),) = near.items()
    source = f"the wavelength of {length:g} nm in its name"
    return item.with_facts(with_band_facts(item.facts.without(("band",)).put("band", name, Origin.ASSUMED, source)))


def _of_any_sensor(item: Artifact, numbers: Iterable[float]) -> Artifact:
    """A raster of reflectance with the band that all sensors have at the wavelength in its name: ``rhos_665``."""
    near = {name: text for text in numbers for centre, name in _centres() if abs(centre - text) <= _NEAR_NM}
    if len(near) != 1:
        return item
    ((name, length),) = near.items()
    source = f"the wavelength of {length:g} nm in its name"
    facts = item.facts if "band" in item.facts else item.facts.put("band", name, Origin.ASSUMED, source)
    return item.with_facts(facts.put("bands", (name,), Origin.ASSUMED, source))


@kept()
def _centres() -> tuple[tuple[float, str], ...]:
    """The wavelengths that sensors see, nm, each with the common name of the band."""
    every = (one for sensor in sorted(set(sensor_spellings().values())) for one in sensor_bands(sensor))
    return tuple((one.centre, one.common_name) for one in every if one.centre and one.common_name)


def _of_words(item: Artifact) -> Artifact:
    """A raster of reflectance with the one band that the words of its description name: ``nir surface reflectance``."""
    said = str(item.fact("band") or "")
    if item.fact("quantity") not in _OF_LIGHT or "bands" in item.facts or not said:
        return item
    words, found, place = said.split(), [], 0
    while place < len(words):
        ends = (end for end in range(min(place + _LONGEST, len(words)), place, -1))
        end = next((end for end in ends if common_name(" ".join(words[place:end]))), None)
        if end is not None:
            found.append(common_name(" ".join(words[place:end])))
        place = end or place + 1
    if len(found) != 1:
        return item
    return item.with_facts(item.facts.put("bands", (found[0],), Origin.DECLARED, f"the description {said!r}"))


def _shape(item: Artifact) -> str:
    """The name of a file without its band and its numbers."""
    stem = PurePath(str(item.path)).stem.casefold().replace(str(item.fact("band")).casefold(), "")
    return _DIGITS.sub("#", stem)


def _sensors_of(bands: list[Artifact]) -> tuple[str, ...]:
    """The sensors that have bands of these names, and of the size of the finest where several have."""
    names, pixels = [str(item.fact("band")) for item in bands], [pixel_of(item.facts) for item in bands]
    sensors = missions(sensors_with(names))
    if len(sensors) < 2 or None in pixels:
        return sensors
    return missions(sensors_with(names, min(size for size in pixels if size is not None)))


def _of_sensor(item: Artifact, sensor: str, why: str) -> Artifact:
    """A band with the sensor that it is assumed to be of; 0 is no number of those that Sentinel-2 stores whole."""
    facts = item.facts.put("sensor", sensor, Origin.ASSUMED, why)
    if sensor == _SENTINEL_2 and item.fact("dtype") == "uint16" and "nodata" not in facts:
        facts = facts.put("nodata", 0, Origin.ASSUMED, f"usual for bands of {sensor}: {why}")
    return item.with_facts(with_band_facts(facts))


def with_levels(artifacts: Iterable[Artifact], left: Open) -> tuple[Artifact, ...]:
    """The artifacts, with the reflectance that bands of light without a quantity are of by what is known of others in
    their folder, or by their pixels; *assumed*, and told."""
    listed = tuple(artifacts)
    folders: dict[PurePath, dict[str, _Told]] = {}
    for item in listed:
        known = item.known("quantity")
        quantity = None if known is None or known.origin is Origin.USER else str(known.value)
        if item.type == "raster" and quantity in (*_LEVELS, *_MADE_WITH):
            told = folders.setdefault(PurePath(str(item.path)).parent, {})
            level = _MADE_WITH.get(quantity, quantity)
            one = told.setdefault(level, _Told(PurePath(str(item.path)).name))
            if known is not None and known.source.startswith(_BY_NAMES):
                one.shapes.add(_shape(item))
            else:
                told[level] = replace(one, by_header=True)
    said = _said_of_surface(listed)
    for item in listed:
        if item.type == "raster" and _is_cirrus(item) and PurePath(str(item.path)).parent not in said:
            folders.setdefault(PurePath(str(item.path)).parent, {_AT_TOP: _Told(PurePath(str(item.path)).name, True)})
    return tuple(_with_level(_harmonized(item), folders, left.get((str(item.path), item.band), ())) for item in listed)


def _said_of_surface(items: Iterable[Artifact]) -> set[PurePath]:
    """The folders in which a name, or their own, says that reflectance is of the surface, as that of a harmonized
    series always is."""
    paths = {PurePath(str(item.path)) for item in items if item.path is not None}
    names = {path: f"{path.parent.name} {path.stem}".replace("_", " ") for path in paths}
    return {path.parent for path, name in names.items() if _AT_SURFACE.search(name) or _HARMONIZED.search(name)}


def _harmonized(item: Artifact) -> Artifact:
    """A band of the harmonized series of Landsat and Sentinel-2, by its name or folder, as what that stores: what sees
    no ground is left at the top of the atmosphere, and so is heat."""
    bands = {str(one) for one in item.fact("bands") or ()}
    path = PurePath(str(item.path))
    name = f"{path.parent.name} {path.stem}".replace("_", " ")
    if item.type != "raster" or "quantity" in item.facts or len(bands) != 1 or not _HARMONIZED.search(name):
        return item
    why = "a band of the harmonized series of Landsat and Sentinel-2"
    if bands <= _TEMPERATURES:
        facts = item.facts.put("quantity", "toa_brightness_temperature", Origin.ASSUMED, why)
        return item.with_facts(facts if "unit" in facts else facts.put("unit", "degC", Origin.ASSUMED, why))
    return _put(item, _AT_TOP if bands <= _OF_THE_AIR else _SURFACE, why)


def _is_cirrus(item: Artifact) -> bool:
    """Whether it is the band of Sentinel-2 that sees nothing of the ground, and is kept at the top of the atmosphere
    alone."""
    of_light = "quantity" not in item.facts and str(item.fact("sensor")).startswith(_SENTINEL_2)
    return of_light and tuple(item.fact("bands") or ()) == (_CIRRUS,) and _OF_LEVEL.get(str(item.fact("level"))) is None


@dataclass(frozen=True, slots=True)
class _Told:
    """The first file of a folder that is of a level, whether one says it otherwise than by its name, and what those
    that do so are called but for bands and numbers."""

    file: str
    by_header: bool = False
    shapes: set[str] = field(default_factory=set)


def _with_level(item: Artifact, folders: dict[PurePath, dict[str, _Told]], open_: Iterable[Candidate]) -> Artifact:
    bands = {str(one) for one in item.fact("bands") or ()}
    if item.type != "raster" or "quantity" in item.facts or not bands or bands & _NOT_OF_LIGHT:
        return item
    if str(item.fact("dtype")) in ("uint8", "int8") or str(item.fact("unit") or "1") != "1":
        return item
    if str(item.fact("level") or "").upper().startswith("L1") and not str(item.fact("sensor")).startswith(_SENTINEL_2):
        return item
    told = folders.get(PurePath(str(item.path)).parent, {})
    own = _OF_LEVEL.get(str(item.fact("level"))) if str(item.fact("sensor")).startswith(_SENTINEL_2) else None
    if own is not None:
        return _put(item, own, f"a band of Sentinel-2 at level {item.fact('level')}")
    if len(told) == 1:
        ((level, one),) = told.items()
        # who calls one image by the top of the atmosphere means no other
        if level == _SURFACE or one.by_header or _shape(item) in one.shapes:
            return _put(item, level, f"{one.file} beside it")
    possible = {str(one.value) for one in open_ if one.fact == "quantity" and one.value in _LEVELS}
    if not told and possible == _LEVELS and "refl" in str(item.path).casefold() and _seen_from_near(item):
        return _put(item, _SURFACE, "reflectance seen from near the ground, by the size of its pixels")
    return item


def _put(item: Artifact, level: str, why: str) -> Artifact:
    facts = item.facts.put("quantity", level, Origin.ASSUMED, why)
    return item.with_facts(facts if "unit" in facts else facts.put("unit", "1", Origin.ASSUMED, why))


def _seen_from_near(item: Artifact) -> bool:
    size = pixel_of(item.facts)
    return size is not None and size <= _OF_CAMERAS_BELOW


def usual_of_bands(
    item: Artifact,
    look: Look | None,
    open_: Iterable[Candidate],
    beside: Collection[str],
    around: Collection[str],
    flattened: bool = False,
) -> Artifact:
    """A raster of bands, of which nobody says what their numbers are, as what its values are mostly of: *assumed*, and
    told. ``beside`` are the quantities of the others in its folder, ``around`` of all others,
    and ``flattened`` says that a name in its folder tells of slopes that are."""
    bands = {str(one) for one in item.fact("bands") or ()}
    possible = {str(one.value): one.weight for one in open_ if one.fact == "quantity"}
    amplitude = possible.get("radar_amplitude", 0.0) > _HARDLY  # its name says that it may be one
    if "quantity" in item.facts or look is None or not look.varies or look.yes_or_no:
        return item
    if not 0 < len(bands) <= (item.fact("count") or 1) or item.fact("crs") is None:
        return item  # what was made of two is of neither, and what lost its place may have lost more
    if bands <= _POLARISATIONS and possible.keys() & _BACKSCATTER and not amplitude:
        return _backscatter(item, look, beside if _BACKSCATTER & {*beside} else around, flattened)
    sensor = item.known("sensor")  # what its bands are of was known too late for candidates by them
    by_bands = sensor is not None and sensor.source == _BY_BANDS and max(possible.values(), default=0.0) < _HARDLY
    of_light = by_bands or possible.keys() >= _LEVELS
    if bands & _NOT_OF_LIGHT or not of_light or set(beside) >= _LEVELS:
        return item
    level = str(item.fact("level") or "").upper()
    if level.startswith("L1"):
        counts = str(item.fact("dtype")) in ("uint8", "int8") or str(item.fact("sensor")).startswith(_COUNTING)
        return _put(item, _COUNTS if counts else _AT_TOP, f"a band of light at level {level}")
    numbered = (
        str(item.fact("sensor")).startswith("landsat") and not level and _NUMBERED.fullmatch(str(item.fact("band")))
    )
    if str(item.fact("dtype")) in ("uint8", "int8") or (numbered and look.whole and look.low >= _OFFSET_BY):
        return item
    # little light is measured as a little less than none; what goes as far below nothing as above it is no light
    shares = look.physical and look.high <= _BRIGHTEST and -look.low <= look.high / 2
    stored = look.low >= -_STORED[0] and _STORED[0] <= look.high <= _STORED[1]
    if shares or stored or (level and look.whole):
        told = f"a band of light at level {level}" if level else _MOSTLY
        return _put(item, _SURFACE, told)
    return item


def _backscatter(item: Artifact, look: Look, beside: Collection[str], flattened: bool) -> Artifact:
    """A radar image in decibels, or not, by its sign; with flattened slopes where its name or folder says so."""
    unit = item.fact("unit")
    in_decibels = look.middle < 0.0 if unit is None or unit == "1" else unit == "dB"
    if not look.physical or (not in_decibels and not 0.0 <= look.low <= look.high <= _STRONGEST):
        return item
    alike = {kind for kind in beside if kind in _BACKSCATTER and kind.endswith("_db") == in_decibels}
    told = {kind.removesuffix("_db") for kind in alike or _BACKSCATTER.intersection(beside)}
    own = " ".join(PurePath(str(item.path)).parts[-_NEAR:])
    of_itself = FLATTENED.search(own) is not None
    if not of_itself and (told == {"gamma0"} or (flattened and told != {"sigma0"})):
        return item  # who says so of other files alone may mean it of this one, or not
    alone = len(told) == 1 and not FLATTENED.search(PurePath(str(item.path)).name)
    kind = told.pop() if alone else "gamma0" if of_itself and not _OF_GROUND.search(own) else "sigma0"
    unit, name = ("dB", f"{kind}_db") if in_decibels else ("1", kind)
    why = f"what a radar image of values from {look.low:g} to {look.high:g} is mostly of"
    facts = item.facts.put("quantity", name, Origin.ASSUMED, why)
    return item.with_facts(facts if "unit" in facts else facts.put("unit", unit, Origin.ASSUMED, why))
