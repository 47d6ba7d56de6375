"""The layers of one file, before the user's assumptions are added and folders are compared: what header, companions,
words and name state of each, and the clues to what they leave open.

A file of several bands is its bands where anything tells these apart: dates, names of bands or of quantities, or the
user. Where they are of one quantity and nothing tells which is which, none of them is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, TypeAlias

from knowflow.ground.bands import band as sensor_band
from knowflow.ground.bands import common_name, sensor_bands
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.ground.units import compatible, convert
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.assume import Assumption, bands_as_told
from knowflow.reason.inventory.band_names import in_band, sensors_by_bands, with_band_facts
from knowflow.reason.inventory.companions import Companions
from knowflow.reason.inventory.dated_bands import dated_bands, months_of_year, on_an_axis
from knowflow.reason.inventory.evidence import Clue, weigh
from knowflow.reason.inventory.header import COLOURS
from knowflow.reason.inventory.header_clues import header_clues, not_of
from knowflow.reason.inventory.name_moment import season_of
from knowflow.reason.inventory.names import NameFacts, layer_facts, layers_of, name_facts, product_layer_facts
from knowflow.reason.inventory.tags import VARIABLE, unit_of
from knowflow.reason.inventory.tokens import plain

# facts on which two sources may not silently differ
_COMPARED = ("quantity", "unit", "datetime", "sensor", "scale", "offset")
_BY_WAVELENGTH = frozenset({"radiometry", "radar"})  # families of which one file holds several bands as a whole
_FALSE = ("nir", "red", "green")
_PICTURE = Facts.of(Origin.DECLARED, "JPEG holds pictures", quantity="display_value", unit="1")
_HEIGHTS = Facts.of(Origin.DECLARED, "SRTM's own format holds heights", quantity="elevation", unit="m")
_SAID_BY_ENDING = {".jpg": _PICTURE, ".jpeg": _PICTURE, ".hgt": _HEIGHTS}
_SHOWN = Facts.of(Origin.ASSUMED, "a colour in eight bits", quantity="display_value", unit="1")
_OF_PICTURES = frozenset({"red", "green", "blue", "nir"})
_DECIMALS = "float32"
_COLOURS = 3
_OF_ONE_LAYER = ("quantity", "unit", "scale", "offset", "nodata", "valid_range", "marking", "bands")
_BY_NAMES = "the names of the bands of the file"
_USUAL_SENSORS = ("sentinel-2", "landsat-8-9-oli-tirs", "landsat-7-etm", "landsat-4-5-tm", "modis")
_MOST_SENSORS = 6
_DOUBTED = 0.4
_PER_DAYS = regex(r"(.+?) ?(?:/|per) ?(\d\d?) ?(?:d|days?)", re.IGNORECASE)
# the orders in which bands that nobody names mostly stand, with the weight of that
_USUAL_ORDERS = (
    (("blue", "green", "red", "nir"), 0.3),
    (("red", "green", "blue", "nir"), 0.2),
    (("red", "green", "blue"), 0.3),
)

Read: TypeAlias = "tuple[Draft, tuple[str, ...]]"
"""A draft, and in words where its sources disagree."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A layer before the user's assumptions: its facts without those of its band, what its name says, and the clues to
    what these leave open."""

    artifact: Artifact
    name: NameFacts
    clues: tuple[Clue, ...] = ()


def drafts_of(
    path: Path, found: tuple[Artifact, ...], companions: Companions, assumptions: tuple[Assumption, ...]
) -> Iterator[Read]:
    """One draft for each layer of a file, ``found`` by ``read_bands``: its bands, or the file as a whole."""
    whole, bands = found[0], found[1:]
    dated = _dated(path, bands, companions)
    described = dated or bands
    unheard = _unheard(described, dated=bool(dated))
    layers = [draft_of(path, band, companions, unheard) for band in described]
    sensors = sensors_by_bands([draft.artifact.facts for draft, _ in layers])
    if len(sensors) == 1:
        described = tuple(_of_sensor(band, sensors[0]) for band in described)
        layers = [draft_of(path, band, companions, unheard) for band in described]
    nameless = not dated and _nameless(layers)
    known = bool(dated) or len(unheard) > 1 or (any(_identified(draft) for draft, _ in layers) and not nameless)
    if told := bands_as_told(described, assumptions, known=known):
        unheard = _unheard(told, dated=bool(dated) or "datetime" in told[0].facts)
        yield from (draft_of(path, band, companions, unheard) for band in told)
    elif layers and known:
        yield from layers
    else:
        if nameless:  # what all are is known, not which is which
            whole = whole.with_facts(whole.facts.over(layers[0][0].artifact.facts.only(("quantity", "unit"))))
        draft, notes = draft_of(path, whole, companions)
        draft = _perhaps_with_alpha(draft)
        candidates = [Clue("sensor", one, _BY_NAMES, 0.9 / len(sensors)) for one in sensors[:_MOST_SENSORS]]
        yield replace(draft, clues=(*draft.clues, *candidates, *_usual_order(draft.artifact))), notes


def draft_of(path: Path, artifact: Artifact, companions: Companions, unheard: tuple[str, ...] = ()) -> Read:
    """The draft of a file as a whole, or of one of its bands; ``unheard``: facts on which what is said of the file
    says nothing of this band."""
    dtype = artifact.fact("dtype")
    read = partial(
        name_facts,
        path.name,
        folders=companions.folders_of(path),
        beside=companions.dates,
        near=lambda: companions.products(path.parent),
    )
    name = _of_decimals(read(dtype), artifact, read)
    artifact = _in_false_colours(artifact, name)
    said = name.facts
    layer = artifact.fact("layer")
    if artifact.band is not None:
        # the file's name speaks of the file, the description of the band
        said = in_band(said, artifact.band, artifact.fact("count")).without(("layer", "band", *unheard))
        if layer is not None:
            said = layer_facts(str(layer), dtype).facts.over(said)
            said = product_layer_facts(str(layer), name.product, dtype).over(said)
    elif len(said.value("bands") or ()) not in (0, 1, artifact.fact("count") or 1):
        said = said.without(("bands",))
    if said.value("unit") == f"{artifact.fact('unit')} day-1":  # its product tells what its header leaves out
        artifact = artifact.with_facts(artifact.facts.without(("unit",)))
    said = said.over(_SAID_BY_ENDING.get(path.suffix.casefold(), Facts()))
    declared = companions.facts(path, name, artifact.band).without(unheard)
    if artifact.type != "raster":
        declared, said = declared.without(("nodata",)), said.without(("nodata",))
    words = _described(artifact, dtype) if artifact.band is None else Facts()
    if name.made_of(str(words.value("quantity"))):  # the description says of what, the name what was made of it
        words = words.without(("quantity", "unit"))
    doubted: tuple[Clue, ...] = ()
    differing = _disagreements(path.name, (artifact.facts, declared, words, said))
    meant = said.value("quantity")
    if meant is not None and "quantity" not in artifact.facts.over(declared).over(words):
        own = layers_of(name.product, str(meant))
        texts = [str(one) for one in artifact.fact("described") or () if not plain(str(one)).startswith(own)]
        other = not_of(str(meant), texts)
        if other:  # a name that is made of a quantity's, as its description tells
            differing = (*differing, f"{path.name}: it is no {meant} as its name says: it is described as {other!r}")
            doubted = (Clue("quantity", meant, "its name, against its description", _DOUBTED),)
            said = said.without(("quantity", "unit", "scale", "offset"))
    if "datetime" in artifact.facts and "span" not in artifact.facts:
        said = said.without(("span",))  # the month of its day
    said = _scaled_to(artifact.facts.over(declared), said)
    facts = _per_day(_as_picture(_in_celsius(artifact.facts, said).over(declared).over(words).over(said)))
    if facts.value("band") is not None and not {"sensor", "bands", "polarisation"} & set(facts):
        doubted += tuple(_by_usual_sensors(str(facts.value("band"))))
    facts = facts.over(season_of(name.clues, lambda: _latitude(artifact)))
    clues = [clue for clue in (*doubted, *name.clues) if clue.fact not in facts and clue.fact not in unheard]
    if artifact.band is not None and "datetime" not in artifact.facts:
        clues = [clue for clue in clues if clue.fact != "quantity" or clue.origin > Origin.ASSUMED]  # it is of no band
    if artifact.type == "vector":
        clues = [clue for clue in clues if clue.fact != "quantity"]  # what its features are called
    of_header = (one for one in header_clues(facts) if one.fact != "quantity" or not name.made_of(str(one.value)))
    return Draft(artifact.with_facts(facts), name, (*of_header, *clues)), differing


def _of_decimals(name: NameFacts, artifact: Artifact, read: Callable[[str], NameFacts]) -> NameFacts:
    """What a name says whose header packs decimal numbers into whole ones: by words of products it may mean what it
    would of these."""
    packed = artifact.fact("scale") not in (None, 1)
    if name.product or "quantity" in name.facts or not packed:
        return name
    return replace(name, clues=read(_DECIMALS).clues)


def _in_false_colours(artifact: Artifact, name: NameFacts) -> Artifact:
    """A band of a picture of three colours that is called by the infrared: it shows this in red, red in green, and
    green in blue."""
    shown = artifact.facts.get("bands")
    called = {token.value for token in name.tokens if token.kind == "colour"}
    if shown is None or shown.source != COLOURS or called != {"nir"} or (artifact.band or 0) > len(_FALSE):
        return artifact
    band = _FALSE[(artifact.band or 1) - 1]
    source = f"{COLOURS}, and the infrared of its name"
    return artifact.with_facts(artifact.facts.without(("bands",)).put("bands", (band,), Origin.DECLARED, source))


def _latitude(artifact: Artifact) -> float | None:
    box = geo.lonlat_box(artifact)
    return None if box is None else (box[1] + box[3]) / 2.0


def _by_usual_sensors(name: str) -> Iterator[Clue]:
    """What a band of that name is on the sensors whose images most files are of."""
    told: dict[str, list[str]] = {}
    for sensor in _USUAL_SENSORS:
        known = sensor_band(sensor, name)
        if known is not None and known.common_name is not None and common_name(name) is None:
            told.setdefault(known.common_name, []).append(sensor)
    for common, sensors in told.items():
        yield Clue("bands", (common,), f"the band {name} of {' and '.join(sensors)}", 0.3)


def _perhaps_with_alpha(draft: Draft) -> Draft:
    """The draft of a picture; of four bands in eight bits that nothing names the fourth may be no colour, and say
    where the picture has pixels: what the bands are of is a candidate then."""
    facts = draft.artifact.facts
    known = facts.get("quantity")
    if known is None or known.value != _SHOWN.value("quantity") or facts.value("bands"):
        return draft
    if (facts.value("count"), facts.value("dtype")) != (_COLOURS + 1, "uint8"):
        return draft
    clues = (Clue("quantity", known.value, known.source, _DOUBTED), *draft.clues)
    return replace(draft, artifact=draft.artifact.with_facts(facts.without(("quantity", "unit"))), clues=clues)


def _in_celsius(facts: Facts, said: Facts) -> Facts:
    """The facts of a header, with the degrees of what is said to be a temperature as those of Celsius."""
    unit, kind = facts.get("unit"), quantity_kinds().get(str(said.value("quantity")))
    if unit is None or unit.value != "degree" or kind is None or kind.unit != "K":
        return facts
    source = f"{unit.source}, of a temperature"
    return facts.without(("unit",)).put("unit", "degC", unit.origin, source)


def _scaled_to(header: Facts, said: Facts) -> Facts:
    """What a name says, with the scale that goes with its unit as that which goes with the unit of the header: numbers
    of g kg-1 that a tenth of makes per cent are g kg-1 as they stand."""
    told, own, scale = header.value("unit"), said.value("unit"), said.get("scale")
    if told is None or own in (None, told) or scale is None or "scale" in header or said.value("offset"):
        return said
    if not compatible(str(own), str(told)) or float(convert(0.0, str(own), str(told))) != 0.0:
        return said
    factor = float(convert(1.0, str(own), str(told)))
    source = f"{scale.source}, in {told}"
    return said.without(("scale",)).put("scale", float(f"{scale.value * factor:.9g}"), scale.origin, source)


def _per_day(facts: Facts) -> Facts:
    """The facts with numbers of several days (``kg/m^2/8day``) as those of one, by their scale."""
    told = _PER_DAYS.fullmatch(str(facts.value("told_unit") or ""))
    unit = None if told is None else unit_of(f"{told[1].replace('gC', 'g')}/day")
    if told is None or unit is None:
        return facts
    source, scale = f"numbers of {told[2]} days, as its unit says", facts.value("scale") or 1.0
    facts = facts.without(("unit", "told_unit", "scale")).put("unit", unit, Origin.DECLARED, source)
    return facts.put("scale", scale / int(told[2]), Origin.DECLARED, source)


def _as_picture(facts: Facts) -> Facts:
    """The facts of a band; where it is a colour in eight bits, those of a picture: what its file is called by is shown
    and not measured, a map of classes as well as a mosaic."""
    bands = facts.known("bands")
    colour = bands is not None and facts.value("dtype") == "uint8" and set(bands.value) <= _OF_PICTURES
    if bands is None or not colour or (facts.value("count") or 1) < _COLOURS or facts.value("scale") is not None:
        return facts
    kind = quantity_kinds().get(str(facts.value("quantity")))
    told = kind is not None and kind.family in _BY_WAVELENGTH and bands.source != COLOURS
    if told or facts.value("quantity") == _SHOWN.value("quantity"):
        return facts
    return _SHOWN.over(facts.without(("quantity", "unit", "classes")))


def not_chosen_from(artifact: Artifact) -> tuple[Artifact, str]:
    """A file of several bands as one raster; where they are of one number a pixel, its quantity is not known, which is
    told: nothing says which of them is meant."""
    count = artifact.fact("count") or 1
    whole = artifact.type == "raster" and artifact.band is None and count > 1 and not artifact.fact("bands")
    if not whole or not _one_number([artifact]):
        return artifact, ""
    file, quantity = PurePath(artifact.path or artifact.name), artifact.fact("quantity")
    said = (
        f"{file.name}: {count} bands of {quantity}, and nothing says which one is meant; none is used; "
        f"say it: --assume '{file.stem}:dates=[...]' or --assume '{file.stem}:bands=[...]'"
    )
    return artifact.with_facts(artifact.facts.without(("quantity", "datetime"))), said  # nor is one date that of all


def _dated(path: Path, bands: Sequence[Artifact], companions: Companions) -> tuple[Artifact, ...]:
    """The bands as a stack in time, where their descriptions tell one; the name of the file may tell the year."""
    if not bands:
        return ()
    facts = name_facts(path.name, folders=companions.folders_of(path), beside=companions.dates).facts
    date = facts.value("datetime")
    kind = quantity_kinds().get(str(facts.value("quantity")))
    nameless = not any(band.fact("layer") for band in bands) and not on_an_axis(bands)
    if kind is not None and kind.family not in _BY_WAVELENGTH and nameless:
        return months_of_year(bands, facts.value("span"))
    return dated_bands(bands, None if date is None else str(date))


def _unheard(bands: Sequence[Artifact], *, dated: bool) -> tuple[str, ...]:
    """On what is said of the whole file nothing is said of its bands: their date where each has its own, and what only
    one layer can be where they are several variables."""
    layers = {known.value for band in bands if (known := band.known("layer")) is not None and known.source == VARIABLE}
    return (("datetime",) if dated else ()) + (_OF_ONE_LAYER if len(layers) > 1 else ())


def _of_sensor(band: Artifact, sensor: str) -> Artifact:
    return band.with_facts(band.facts.put("sensor", sensor, Origin.DECLARED, _BY_NAMES))


def _identified(draft: Draft) -> bool:
    facts = with_band_facts(draft.artifact.facts.over(weigh(draft.clues)[0]))
    return facts.value("bands") is not None or facts.value("quantity") is not None


def _nameless(layers: list[Read]) -> bool:
    """Whether the bands of a file are of one quantity, and nothing that is understood of their descriptions differs:
    ``0_NDVI`` and ``1_NDVI`` only count. Of reflectance and backscatter there are several numbers a pixel: there a
    description may be the name of a band that is not known."""
    bands = [draft.artifact for draft, _ in layers]
    if len({str(band.fact("quantity")) for band in bands}) != 1 or bands[0].fact("quantity") is None:
        return False
    product = layers[0][0].name.product
    own = [str(band.fact("layer") or "") for band in bands]
    if len(set(own)) == len(own) and all(product_layer_facts(one, product) for one in own):
        return False  # layers of its product that are of one quantity: the probabilities of its classes
    telling = ("bands", "polarisation", *(() if _one_number(bands) else ("band", "layer")))
    if any(band.fact(name) for band in bands for name in telling):
        return False
    said = [layer_facts(str(band.fact("layer") or "")).facts.without(("layer",)) for band in bands]
    return len({tuple(sorted((name, repr(fact.value)) for name, fact in facts.items())) for facts in said}) == 1


def _one_number(artifacts: Iterable[Artifact]) -> bool:
    """Whether all are of one quantity that has a single number at each pixel and moment."""
    quantities = {str(item.fact("quantity")) for item in artifacts}
    kind = quantity_kinds().get(min(quantities, default=""))
    return len(quantities) == 1 and kind is not None and kind.family not in _BY_WAVELENGTH


def _usual_order(whole: Artifact) -> Iterator[Clue]:
    """What the bands of a file may be that nobody names: those of its sensor, or of images as they mostly are."""
    count, sensor = whole.fact("count") or 1, whole.fact("sensor")
    kind = quantity_kinds().get(str(whole.fact("quantity")))
    if count < 2 or whole.fact("bands") or (kind is not None and kind.family not in _BY_WAVELENGTH):
        return
    own = tuple(one.common_name or one.name for one in sensor_bands(str(sensor))) if sensor else ()
    if len(own) == count:
        yield Clue("bands", own, f"the bands of {sensor}", 0.4)
    for names, weight in _USUAL_ORDERS:
        if len(names) == count:
            yield Clue("bands", names, f"the order in which {count} bands often stand", weight)


def _described(artifact: Artifact, dtype: str | None) -> Facts:
    """What the description of a file's only layer says where it is the name of one."""
    found = Facts()
    for text in artifact.fact("described") or ():
        found = found.over(layer_facts(str(text), dtype).facts.without(("layer", "band")))
    return found


def _disagreements(name: str, sources: tuple[Facts, ...]) -> tuple[str, ...]:
    found = []
    for fact in _COMPARED:
        said = [known for facts in sources if (known := facts.get(fact)) is not None and known.origin > Origin.ASSUMED]
        for other in said[1:]:
            if not _agree(fact, said[0].value, other.value):
                found.append(
                    f"{name}: {fact} is {said[0].value} by {said[0].source}, {other.value} by {other.source}; "
                    f"{said[0].value} is used"
                )
    return tuple(found)


def _agree(fact: str, first: Any, second: Any) -> bool:
    if fact == "datetime":
        length = min(len(first), len(second))
        return bool(first[:length] == second[:length])
    if isinstance(first, float | int) and isinstance(second, float | int):
        return abs(first - second) <= 1e-6 * max(abs(first), abs(second))
    if fact == "sensor":
        return str(first).startswith(str(second)) or str(second).startswith(str(first))
    return bool(first == second)
