"""The names that a folder brings along, for the reader of questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date
from types import MappingProxyType

from knowflow.ground.ages import group_of
from knowflow.ground.bands import sensor_bands
from knowflow.ground.called import read_called
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import in_a_sentence
from knowflow.knowledge.legends import legends
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.words import stem
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.template import Template
from knowflow.model.tool import ToolSchema
from knowflow.question.events import LOSS_YEAR
from knowflow.question.reading.held_statistics import ANNUAL_MEAN
from knowflow.question.reading.said_times import is_month
from knowflow.question.reading.tiles import tile_code
from knowflow.question.reading.vocabulary import LAYERS, Asked, Chosen, DataWords, vocabulary
from knowflow.reason.data_keys import keys_of_classes
from knowflow.reason.file_words import files_held
from knowflow.reason.inventory import Inventory
from knowflow.reason.inventory.called import (
    described_words,
    heads_described,
    own_words,
    says_little,
    unit_in_name,
    words_of_file,
)
from knowflow.reason.inventory.candidates import is_of_several
from knowflow.reason.inventory.depths import runs_of_depths, spoken_depths
from knowflow.reason.inventory.meanings import names_of_quantities
from knowflow.reason.inventory.names import plain_stem
from knowflow.reason.mask_words import is_mask, names_of_masks
from knowflow.reason.named_bands import VARIANT, band_of, is_alone_of_variant, is_of_a_band, variants_among
from knowflow.reason.noted_events import events_of, name_words
from knowflow.reason.noted_grades import noted_grades
from knowflow.reason.noted_layers import names_noted
from knowflow.reason.noted_meanings import noted_less, noted_meanings, texts_beside
from knowflow.reason.noted_seasons import seasons_noted
from knowflow.reason.noted_signs import signs_of_motion
from knowflow.reason.procedures import procedures
from knowflow.reason.products_told import product_names, products_held
from knowflow.reason.table_words import SHORTENED, with_tables
from knowflow.reason.vector_words import UNTOLD, Held, beside_layers, held_by_vectors

_OF_IMAGES = {"scene_classification", "qa_bits", "cloud_mask", "cloud_shadow_mask", "clear_mask", "valid_mask"}
"""Classes of what an image is worth, which is no map of a year."""
_NOT_SPOKEN = frozenset({"mask", "radiometry", "radar"})  # families of what is asked for by other names
_NAME = 3  # words
_OF_RADIANCE = "sr-1"
_SEASON = 275  # days
_SHORTEST = 2  # letters that are no name
_SURFACES = MappingProxyType(
    {
        "terrain": ("terrain", "terrain model", "digital terrain model", "DTM", "bare ground", "ground"),
        "surface": ("surface", "surface model", "digital surface model", "DSM"),
    }
)
"""What heights are said to be of, where the data tell the two apart."""
_RETURN_PERIOD = re.compile(r"(?:rp|hq|tr|t|q)[-_ ]?0*(\d+)")
_HEIGHT = re.compile(r"(?<![^\W_])(\d{1,3})[ _]?m(?:et(?:re|er)s?)?(?![^\W_])")
_NUMBERED = re.compile(r"(?:b|band|ch|channel)?[-_ ]?0*(\d{1,2}[a-z]?)", re.IGNORECASE)


def data_words(
    inventory: Inventory,
    tools: Mapping[str, ToolSchema] = MappingProxyType({}),
    templates: Mapping[str, Template] = MappingProxyType({}),
) -> DataWords:
    """What the data hold by name: kinds, classes, polygons, layers, dates; and the tools that can be asked for."""
    held = (item for item in inventory.artifacts if item.type != "table")  # whose columns are told by themselves
    quantities = frozenset(str(kind) for item in held if (kind := item.fact("quantity")))
    vectors = with_tables(held_by_vectors(inventory.artifacts), inventory.artifacts)
    tables = [item for item in inventory.artifacts if item.type in ("table", "vector")]
    maps = [item for item in inventory.rasters if _is_class_map(item)]
    keys = dict.fromkeys(key for item in maps for key in keys_of_classes(item, tables))
    days = set(_days(inventory.rasters)) or set(_days(inventory.artifacts))
    moments = {(kind, str(item.fact("datetime"))[:10]) for item in inventory.rasters if (kind := item.fact("quantity"))}
    asked = (*asked_for(tools.values()), *procedures(templates.values()))
    regions = _regions(inventory.rasters)
    names = tuple(_called(inventory.rasters))
    texts = tuple(texts_beside(inventory.artifacts, inventory.root))
    words = DataWords(
        quantities,
        MappingProxyType(_classes(inventory, quantities, vectors.classes)),
        vectors.objects,
        dates=tuple(sorted(days)),
        asked=asked,
        keys=(*keys, *vectors.keys),
        spots=vectors.spots,
        chosen=(*_chosen(inventory.artifacts, regions), *_variants(inventory.rasters)),
        at_hand=tuple(_at_hand(inventory.rasters)),
        places=regions if len(regions) == 1 else (),
        sensors=frozenset(str(one) for item in inventory.rasters if (one := item.fact("sensor"))),
        names=(
            *((name, kind) for kind in sorted(quantities - {UNTOLD}) for name in names_of_quantities().get(kind, ())),
            *dict.fromkeys(_at_heights(inventory.rasters)),
            *names_noted(texts, inventory.rasters),
        ),
        maps=MappingProxyType(Counter(str(kind) for kind, _ in moments)),
        undated=frozenset(str(kind) for kind, _ in moments) - {str(kind) for kind, day in moments if day != "None"},
        years=MappingProxyType(_years_mapped(inventory)),
        called=names,
        surveyed=tuple(_surveyed(inventory.rasters)),
        seasonal=frozenset(_seasonal(moments)),
        features=tuple(beside_layers(vectors.features, names)),
        events=events_of(texts, inventory.rasters),
        stated=tuple(_stated(inventory.rasters)),
        scales=MappingProxyType(_scales(inventory.rasters)),
        globe=bool(inventory.rasters) and all(map(_is_of_globe, inventory.rasters)),
        down=tuple(signs_of_motion(inventory.rasters)),
        files=tuple(dict.fromkeys(files_held(inventory.artifacts))),
        products=tuple(products_held(inventory.rasters)),
        product_names=product_names(),
        seasons=seasons_noted(texts),
        tiles=frozenset(tile_code(str(one)) for item in inventory.rasters if (one := item.fact("region"))),
        units=tuple(
            dict.fromkeys((*(pair for item in inventory.rasters for pair in _units(item)), *_in_columns(vectors)))
        ),
    )
    masks = tuple(names_of_masks(inventory.rasters))
    meant = (*noted_meanings(texts, replace(words, meant=masks)), *masks)
    grades = tuple(noted_grades(texts))
    told = {word for word, _ in meant}
    meant += tuple((label, x) for one in grades for label, x in one.grounds() if label not in told)
    less = frozenset(noted_less(texts)) - {word for word, _ in meant}
    return replace(words, meant=meant, less=less, grades=grades)


def _scales(rasters: Iterable[Artifact]) -> dict[str, float]:
    """The scale of each quantity whose layers all have one that is a part of one."""
    found: dict[str, set[float]] = {}
    for item in rasters:
        found.setdefault(str(item.fact("quantity")), set()).add(float(item.fact("scale") or 1.0))
    return {kind: scale.pop() for kind, scale in found.items() if len(scale) == 1}


def _classes(
    inventory: Inventory, quantities: Set[str], told: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """The classes of each kind of map: by the legends of products, by what files name, and by vectors (``told``)."""
    classes = {
        legend.quantity: tuple(one.name for one in legend.classes.values())
        for legend in legends().values()
        if legend.quantity is not None and legend.quantity in quantities
    }
    for item in inventory.artifacts:
        named = item.fact("classes") if item.type != "vector" else None
        if named and item.fact("quantity") not in (None, LOSS_YEAR) and not is_mask(item):  # years: spoken of as such
            kind, called = str(item.fact("quantity")), tuple(str(name) for _, name in named)
            classes[kind] = tuple(dict.fromkeys((*classes.get(kind, ()), *called)))
    for kind, found in told.items():
        classes[kind] = tuple(dict.fromkeys((*classes.get(kind, ()), *found)))
    return classes


def _years_mapped(inventory: Inventory) -> dict[str, tuple[int, ...]]:
    """The years of which there are maps of each kind of classes."""
    mapped: dict[str, set[int]] = {}
    for item in inventory.artifacts:
        kind, moment = quantity_kinds().get(str(item.fact("quantity"))), item.fact("datetime")
        if kind is not None and kind.categorical and kind.name not in _OF_IMAGES and moment is not None:
            mapped.setdefault(kind.name, set()).add(int(str(moment)[:4]))
    return {kind: tuple(sorted(years)) for kind, years in mapped.items()}


_AROUND, _POLE = 359.0, 84.0  # degrees


def _is_of_globe(item: Artifact) -> bool:
    """Whether a raster goes all around the Earth, and nearly to the poles."""
    bounds, crs = item.fact("bounds"), item.fact("crs")
    if bounds is None or crs is None or not geo.crs_of(crs).is_geographic:
        return False
    west, south, east, north = bounds
    return bool(east - west >= _AROUND and south <= -_POLE and north >= _POLE)


def _called(rasters: Iterable[Artifact]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words by which layers are called, each with the kind; those that several kinds have are none. Of quantities
    that are known no word says what is done with them: total rain."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    operators = reading_words().operators
    listed = tuple(rasters)
    alone = {path for path, kinds in _kinds_of_files(listed).items() if len(kinds) == 1}
    for item in listed:
        kind = quantity_kinds().get(str(item.fact("quantity")))
        if kind is None or item.fact("bands") or kind.family in _NOT_SPOKEN or kind.name in _OF_IMAGES:
            continue
        names = (own_words(item), *described_words(item), *heads_described(item))
        if read_called(kind.name) is not None and item.band is not None and item.path in alone:
            names = (*names, words_of_file(plain_stem(str(item.path))))
        if not (says_little(item) or read_called(kind.name) is not None):
            known = (tuple(kind.name.split("_")), *names) if not kind.categorical else ()
            names = tuple(words for words in known if _is_name(words) or not operators.intersection(words))
        plain = (tuple(word for word in words if not any(map(str.isdigit, word))) for words in names)
        for words in dict.fromkeys((*names, *(plain if read_called(kind.name) is not None else ()))):
            found.setdefault(words, {})[kind.name] = None
    yield from ((next(iter(kinds)), words) for words, kinds in found.items() if words and len(kinds) == 1)


_COMPONENTS = ("eastward_wind", "northward_wind")
"""Of which the speed of the wind is made, where no file tells it."""


def _at_heights(rasters: Iterable[Artifact]) -> Iterator[tuple[str, str]]:
    """What a quantity is called that files measure at one height: ``wind speed at 100 m``, ``2 m temperature``."""
    found: dict[str, set[str]] = {}
    for item in rasters:
        texts = (plain_stem(str(item.path)), *(str(one) for one in item.fact("described") or ()))
        told = item.fact("height") is None  # else it is chosen by that
        heights = {match[1] for text in texts for match in _HEIGHT.finditer(text)} if told else set[str]()
        found.setdefault(str(item.fact("quantity")), set()).update(heights or {""})
    two = [found.get(kind, {""}) for kind in _COMPONENTS]
    found |= {"wind_speed": two[0]} if two[0] == two[1] and "wind_speed" not in found else {}
    for kind, heights in found.items():
        if len(heights) != 1 or not (height := next(iter(heights))) or kind not in quantity_kinds():
            continue
        own = quantity_kinds()[kind]
        for name in dict.fromkeys((kind.replace("_", " "), *own.synonyms, *names_of_quantities().get(kind, ()))):
            yield f"{height} m {name}", kind
            yield from ((f"{name} at {height} m{behind}", kind) for behind in ("", " height", " above ground"))


def _seasonal(moments: Iterable[tuple[object, str]]) -> Iterator[str]:
    """The kinds of which there are several dates, all within less than three quarters of a year."""
    days: dict[str, list[date]] = {}
    for kind, day in moments:
        if day[:1].isdigit():
            days.setdefault(str(kind), []).append(date.fromisoformat(day))
    yield from (kind for kind, each in days.items() if len(each) > 1 and (max(each) - min(each)).days < _SEASON)


def _kinds_of_files(rasters: Iterable[Artifact]) -> dict[str | None, set[object]]:
    found: dict[str | None, set[object]] = {}
    for item in rasters:
        found.setdefault(item.path, set()).add(item.fact("quantity"))
    return found


def _stated(rasters: Iterable[Artifact]) -> Iterator[tuple[str, str]]:
    """The kinds of which all layers are a statistic of something, as their names say: the lowest of each day."""
    found: dict[str, list[set[str]]] = {}
    for item in rasters:
        kind = quantity_kinds().get(str(item.fact("quantity")))
        told = kind is not None and not kind.categorical and read_called(kind.name) is None
        if kind is not None and told and not is_of_several(item):
            words = (word for words in (own_words(item), *described_words(item)) for word in words)
            readings = (one for word in words for one in reading_words().phrases.get((SHORTENED.get(word, word),), ()))
            found.setdefault(kind.name, []).append(
                {
                    str(value)
                    for symbol, value in readings
                    if symbol == "STAT" and not (kind.accumulates and value == "sum")
                }
                | ({ANNUAL_MEAN} if _is_annual_mean(item) else set())
            )
    for kind_name, each in found.items():
        yield from ((kind_name, said) for said in sorted(set.intersection(*each)))


def _is_annual_mean(item: Artifact) -> bool:
    of_years = any(("EVERY", "year") in reading_words().phrases.get((word,), ()) for word in name_words(item))
    return of_years and item.fact("statistic") == "mean" and item.fact("datetime") is None


def _is_name(words: Sequence[str]) -> bool:
    """Whether so many words are a name whatever they say: mean annual ground temperature, but not that of July."""
    return len(words) > _NAME and not any(is_month(word) for word in words)


def _days(artifacts: Iterable[Artifact]) -> Iterator[date]:
    moments = (str(moment) for item in artifacts if (moment := item.fact("datetime")) is not None)
    yield from (date.fromisoformat(moment[:10]) for moment in moments if len(moment) >= len("2022-07-05"))


def _surveyed(rasters: Iterable[Artifact]) -> Iterator[str]:
    """The kinds that stand for all dates and of which there are maps of several, all with a date: of two surveys."""
    moments: dict[tuple[str, str], set[object]] = {}
    for item in rasters:
        kind = quantity_kinds().get(str(item.fact("quantity")))
        if kind is not None and kind.family == "terrain":
            moments.setdefault((kind.name, str(item.fact("surface"))), set()).add(item.fact("datetime"))
    yield from dict.fromkeys(kind for (kind, _), days in moments.items() if len(days) > 1 and None not in days)


def _units(item: Artifact) -> Iterator[tuple[str, str]]:
    """How a layer writes its unit, and what it is: of what is no unit a pure number."""
    if (told := item.fact("told_unit")) is not None:
        yield str(told), "1"
    elif (unit := item.fact("unit")) is not None and unit != "1":
        named = unit_in_name(item) if read_called(str(item.fact("quantity"))) is not None else None
        short = str(unit).partition(" ")[0] if _OF_RADIANCE in str(unit) else None  # above 5 nW
        names = dict.fromkeys((str(unit), in_a_sentence(str(unit)), named, short))
        yield from ((name, str(unit)) for name in names if name is not None)


def _in_columns(held: Held) -> Iterator[tuple[str, str]]:
    """The units of columns, which nothing else may know: seeing under 2 arcsec."""
    units = {unit for layer in held.features for _, _, unit in layer.numbers if unit.isalpha()}
    yield from ((unit, unit) for unit in sorted(units) if (unit,) not in reading_words().phrases)


def _is_class_map(item: Artifact) -> bool:
    """Whether a raster is a map of classes, which are on the ground."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    return kind is not None and kind.categorical and kind.family != "mask" and kind.name not in _OF_IMAGES


def _at_hand(rasters: Iterable[Artifact]) -> Iterator[Chosen]:
    """What the layers and bands of files are called, each with the quantities of which there are others as well."""
    layers: dict[str, dict[str, Artifact]] = {}
    for item in rasters:
        if item.fact("layer") is not None:
            layers.setdefault(str(item.fact("quantity") or ""), {})[str(item.fact("layer"))] = item
    for kind, found in layers.items():
        kinds = tuple(kind for kind in quantity_kinds() if is_of_a_band(kind)) if not kind else (kind,)
        for layer, item in found.items():
            names = tuple(dict.fromkeys(_called_by_band(layer, item.fact("band"))))
            yield Chosen("band", layer, kinds if len(found) > 1 else (), names)


def _called_by_band(layer: str, band: object) -> Iterator[str]:
    """A layer as people write it: sur_refl_b04 or sur_refl_B4 by its whole name, b04 or band 4 by its band."""
    yield layer
    if band is None:
        return
    spelt = [one for one in _spelt(str(band)) if not one.isdigit()]
    yield from spelt
    own = next((one for one in spelt if layer.casefold().endswith(one.casefold())), None)
    if own is not None:
        yield from (f"{layer[: -len(own)]}{one}" for one in spelt)


def _regions(rasters: Iterable[Artifact]) -> tuple[str, ...]:
    """The places that the names of files tell, where they tell them of all."""
    found = {str(item.fact("region") or "") for item in rasters}
    return tuple(sorted(found)) if found and all(_named_place(one) for one in found) else ()


def _named_place(name: str) -> bool:
    """Whether it is a name: words of some letters, none of which means something else."""
    words = words_of(name)
    known = vocabulary()
    return bool(words) and all(
        word.isalpha() and len(word) > _SHORTEST and (stem(word),) not in known.phrases for word in words
    )


def _chosen(artifacts: Iterable[Artifact], regions: tuple[str, ...]) -> Iterator[Chosen]:
    """The facts by which data of one kind differ, with the kinds and other names of each value."""
    found: dict[tuple[str, str], tuple[dict[str, None], dict[str, None]]] = {}
    listed = tuple(artifacts)
    heights = {item.fact("surface") for item in listed if item.fact("quantity") == "elevation"}
    for item in listed:
        kind = item.fact("quantity")
        place: list[tuple[str, str, tuple[str, ...]]] = []
        place += [("region", str(item.fact("region")), (str(item.fact("region")),))] if len(regions) > 1 else []
        if len(heights) > 1 and item.fact("surface") is not None:
            place.append(("surface", str(item.fact("surface")), _SURFACES[str(item.fact("surface"))]))
        for fact, value, names in (*_facts_of(item), *place) if kind is not None and item.type == "raster" else ():
            kinds, called = found.setdefault((fact, value), ({}, {}))
            kinds[str(kind)] = None
            called |= dict.fromkeys(names)
    for (fact, value), (kinds, called) in found.items():
        yield Chosen(fact, value, tuple(kinds), tuple(called))
    yield from _of_layers({at: kinds for (fact, at), (kinds, _) in found.items() if fact == "height"})


def _of_layers(heights: Mapping[str, Iterable[str]]) -> Iterator[Chosen]:
    """Depths that several layers of a kind make up: its mean in these is that of the layers by their thickness."""
    found: dict[tuple[str, str], list[str]] = {}
    for kind in dict.fromkeys(kind for kinds in heights.values() for kind in kinds):
        for depth, layers in runs_of_depths([height for height, kinds in heights.items() if kind in kinds]):
            found.setdefault((depth, layers), []).append(kind)
    for (depth, layers), kinds in found.items():
        names = tuple(name for name in spoken_depths(depth) if any(map(str.isdigit, name)))
        yield Chosen(LAYERS, layers, tuple(kinds), names)


def _variants(rasters: Iterable[Artifact]) -> Iterator[Chosen]:
    """Layers of one kind without dates that one word of their names tells apart: floods of 20 and of 100 years."""
    layers: dict[str, list[Artifact]] = {}
    for item in rasters:
        if item.fact("quantity") is not None:
            layers.setdefault(str(item.fact("quantity")), []).append(item)
    for kind, alike in layers.items():
        for word in variants_among(alike) or _of_return_period(alike):
            others = (other for other, some in layers.items() if other != kind and is_alone_of_variant(some, word))
            yield Chosen(VARIANT, word, (kind, *others), tuple(_spelt_variant(word)))


def _of_return_period(alike: Sequence[Artifact]) -> tuple[str, ...]:
    """The return period of the only layer of a kind, where it has no date: of a flood of 100 years."""
    undated = [item for item in alike if item.fact("datetime") is None]
    words = own_words(undated[0]) if len(alike) == len(undated) == 1 else ()
    return tuple(word for word in words if _RETURN_PERIOD.fullmatch(word))


def _spelt_variant(word: str) -> Iterator[str]:
    """What a variant is called: of a flood of so many years also by these."""
    yield word
    years = _RETURN_PERIOD.fullmatch(word)
    if years is not None:
        yield from (f"{years[1]} year", f"1 in {years[1]}", f"1 in {years[1]} year", f"one in {years[1]} year")


def _facts_of(item: Artifact) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for fact in ("polarisation", "daynight", "orbit"):
        if item.fact(fact) is not None:
            yield fact, str(item.fact(fact)), ()
    if item.fact("statistic") in ("maximum", "minimum"):
        yield "statistic", str(item.fact("statistic")), ()
    if item.fact("height") is not None and (names := tuple(spoken_depths(str(item.fact("height"))))):
        yield "height", str(item.fact("height")), names
    if item.fact("slice") is not None and group_of(str(item.fact("slice"))) is not None:
        yield "slice", str(item.fact("slice")), ()
    name = band_of(item)
    if name is not None and item.fact("polarisation") is None:
        own = {
            str(item.fact("band") or ""),
            *(one.name for one in sensor_bands(str(item.fact("sensor") or "")) if name in (one.common_name, one.name)),
        }
        yield "band", name, tuple(spelt for one in sorted(filter(None, own)) for spelt in _spelt(one))


def _spelt(band: str) -> Iterator[str]:
    """A band as people write it: B4, B04, band 4."""
    number = _NUMBERED.fullmatch(band)
    if number is None:
        yield band
        return
    digits = number[1].lstrip("0")
    yield from (band, f"B{digits}", f"B{digits.zfill(2 if digits.isdigit() else 3)}", f"band {digits}")


def asked_for(tools: Iterable[ToolSchema]) -> Iterator[tuple[str, Asked]]:
    """The nouns that ask for what tools make, with what a question may say of each."""
    for tool in tools:
        if tool.asked:
            open_ = {name: one for name, one in tool.inputs.items() if not one.is_artifact and not one.technical}
            numbers = tuple((name, one.unit) for name, one in open_.items() if one.type in ("number", "integer"))
            place = next((name for name, one in open_.items() if name == "position"), None)
            first = next((one for one in tool.inputs.values() if one.is_artifact), None)
            named = first.quantity[0] if first is not None and first.quantity else ""
            of = tool.of or (named if named in quantity_kinds() else None)
            yield from ((noun, Asked(tool.tool, of, numbers, place)) for noun in tool.asked)
