"""Which band is meant by a question about what every band has: reflectance, radiance, brightness temperature, radar
backscatter.

Of radar images the polarisations are the bands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from knowflow.ground.bands import band, common_name, substitutes
from knowflow.ground.errors import NotUnderstoodError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.goal import QueryGoal
from knowflow.question.operators import CLOUDED, STANDING, SURVEYED
from knowflow.question.reading.tiles import tile_code
from knowflow.question.reading.vocabulary import PAIR, PRODUCT, TILE
from knowflow.reason.inventory.called import own_words
from knowflow.reason.products_told import is_of_product, product_title

LENGTH = "length"
"""Of how long a time a map is, as a fact that is asked for."""
YEARS, SEASONS, MONTHS, WEEKS, DAYS = "years", "seasons", "months", "parts of months", "days"
LENGTHS = (YEARS, SEASONS, MONTHS, WEEKS, DAYS)
"""From the longest."""
_AT_LEAST = {YEARS: 365, SEASONS: 32, MONTHS: 28, WEEKS: 2}  # days
VARIANT = "variant"
"""The fact of a layer of a kind without dates that a word of its name tells apart: of a flood of 100 years."""
_OF_A_BAND = frozenset({"toa_brightness_temperature", "surface_emissivity"})
_BANDS_OF = frozenset({"radiometry", "radar"})  # families of what every band has
_OF_AN_OVERPASS = frozenset({"radiometry", "radar", "temperature", "index", "urban"})
"""Families of what is seen by day or by night, from one side or the other."""
_POLARISATION = re.compile(r"\b(?:VV|VH|HH|HV)\b", re.IGNORECASE)
_SPOKEN = re.compile(
    r"\b(?:coastal(?:\s+aerosol)?|blue|green|yellow|pan(?:chromatic)?|red[\s-]?edge[\s-]?[1-3]|red(?![\s-]?edge)|"
    r"near[\s-]?infra-?red|narrow\s+nir|nir|(?:short-?wave[\s-]infra-?red|swir)[\s-]?[12]|cirrus)\b",
    re.IGNORECASE,
)
_SHORT_WAVE = re.compile(r"short-?wave[\s-]infra-?red", re.IGNORECASE)


def is_of_a_band(quantity: str | None) -> bool:
    """Whether every band of a scene has a value of its own of a quantity."""
    kind = quantity_kinds().get(quantity or "")
    return kind is not None and (kind.family in _BANDS_OF or kind.name in _OF_A_BAND)


def of_named_bands(goal: QueryGoal, artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The data without those of another band than the question names, where it asks for what each band has; without
    those of another polarisation, whatever it asks for."""
    polarisations = polarisations_named(goal)
    listed = tuple(
        one for one in artifacts if not polarisations or polarisation_of(one) in (None, *polarisations.values())
    )
    if not is_of_a_band(goal.value("quantity")):
        return listed
    said = _said(goal)
    named = {id(one) for name in said for one in _named(listed, name)}
    return tuple(one for one in listed if not said or not _bands(one) or id(one) in named)


def polarisations_named(goal: QueryGoal) -> Mapping[str, str]:
    """The polarisations that a question names, as it spells them and as bands are called."""
    return {match.group(): match.group().lower() for match in _POLARISATION.finditer(goal.text)}


def polarisation_of(artifact: Artifact) -> str | None:
    """The polarisation that a raster is known to be of, as bands are called; None for several, and for what is no
    radar image."""
    said = artifact.fact("polarisation") or next(iter(_bands(artifact)), "")
    return str(said).lower() if _POLARISATION.fullmatch(str(said)) else None


def names_band_of(goal: QueryGoal, artifacts: Iterable[Artifact]) -> bool:
    """Whether all bands among some data are named by the question."""
    said = _said(goal)
    if not said:
        return False
    leaves = [leaf for artifact in artifacts for leaf in artifact.leaves() if _bands(leaf)]
    named = {id(leaf) for name in said for leaf in _named(leaves, name)}
    return bool(leaves) and all(id(leaf) in named for leaf in leaves)


def band_taken(quantity: str | None, artifacts: Iterable[Artifact]) -> str | None:
    """The one band that a plan takes, where each has a value of its own of what is asked about."""
    if not is_of_a_band(quantity):
        return None
    bands = {name for artifact in artifacts for leaf in artifact.leaves() for name in _bands(leaf)}
    return next(iter(bands)) if len(bands) == 1 else None


def band_of(leaf: Artifact) -> str | None:
    """The one band of a raster of what every band has."""
    return next(iter(_bands(leaf)), None) if is_of_a_band(leaf.fact("quantity")) else None


def is_variant(item: Artifact, word: str) -> bool:
    """Whether a layer is that of its kind which a word of its name tells apart."""
    return word in own_words(item)


def variants_among(alike: Iterable[Artifact]) -> tuple[str, ...]:
    """The words that tell undated layers of one kind apart, one in the name of each; none where names do not."""
    called = _called_undated(alike)
    common = set.intersection(*map(set, called.values())) if called else set()
    own = {word for words in called.values() for word in words if word not in common}
    apart = len(called) > 1 and len(own) == len(called) and all(own & set(words) for words in called.values())
    return tuple(sorted(own)) if apart else ()


def is_alone_of_variant(alike: Iterable[Artifact], word: str) -> bool:
    """Whether there is one layer of a kind, which is of a variant: the velocity of a flood of 100 years."""
    called = _called_undated(alike)
    return len(called) == 1 and word in next(iter(called.values()))


def _called_undated(alike: Iterable[Artifact]) -> dict[str, tuple[str, ...]]:
    return {item.name: own_words(item) for item in alike if item.fact("datetime") is None and item.band is None}


def length_of(item: Artifact) -> str:
    """Whether a map is of whole years, or of which parts of them."""
    span = item.fact("span")
    if not span or not all(span):
        return DAYS
    first, last = (date.fromisoformat(str(day)[:10]) for day in span)
    days = (last - first).days + 1
    return next((length for length, least in _AT_LEAST.items() if days >= least), DAYS)


def pair_of(item: Artifact) -> str:
    """The two dates that a layer is of, as a pair is asked for; "" where these are not known."""
    span = item.fact("span")
    return "/".join(str(day)[:10] for day in span) if span and all(span) else ""


def of_their_product(artifact: Artifact, having: Sequence[tuple[str, str]]) -> Artifact:
    """A series of several products as that of the one that a question names: SRTM, beside a Copernicus model."""
    if artifact.type != "raster_series" or all(fact != PRODUCT for fact, _ in having):
        return artifact
    named = [one for one in having if one[0] == PRODUCT]
    kept = tuple(item for item in artifact.items if is_other(item, named) is None)
    return replace(artifact, items=kept) if kept else artifact


def is_other(artifact: Artifact, having: Iterable[tuple[str, str]]) -> str | None:
    """Why data are none of those that a question names by facts beside the quantity: a band, a polarisation, an orbit,
    day or night; None where they are, and where the fact says nothing of such data."""
    for fact, wanted in having:
        if (fact, wanted) in (SURVEYED, STANDING, CLOUDED):
            continue  # of any date, or of none
        if fact == VARIANT and not any(is_variant(leaf, wanted) for leaf in artifact.leaves()):
            return f"its name does not say {wanted}"
        if fact == LENGTH and all(length_of(leaf) != wanted for leaf in artifact.leaves()):
            return f"it is not of {wanted}"
        if fact == PAIR and all(pair_of(leaf) != wanted for leaf in artifact.leaves()):
            return f"it is not of the two dates {wanted}"
        for leaf in artifact.leaves() if fact not in (VARIANT, LENGTH, PAIR) else ():
            if fact == PRODUCT:
                found, fits = product_title(leaf), is_of_product(leaf, wanted)
            elif fact == TILE:
                found = leaf.fact("region")
                fits = found is not None and tile_code(str(found)) == wanted
            elif fact == "band":
                found = band_of(leaf)
                fits = not is_of_a_band(leaf.fact("quantity")) or found == _common(leaf, wanted)
                fits = fits or _is_called(leaf, wanted)
            else:
                found = leaf.fact(fact)
                fits = found == wanted or (found is None and not _says(leaf, fact, wanted))
            if not fits:
                return f"its {fact} is {found or 'unknown'}, {wanted} is asked for"
    return None


def _says(leaf: Artifact, fact: str, wanted: str) -> bool:
    """Whether data of such a fact say so: those of an overpass, and heights of what stands on the ground."""
    return leaf.fact("quantity") == "elevation" if fact == wanted == "surface" else _is_of_an_overpass(leaf)


def _is_of_an_overpass(leaf: Artifact) -> bool:
    kind = quantity_kinds().get(str(leaf.fact("quantity")))
    return kind is not None and kind.family in _OF_AN_OVERPASS


def refuse_several_bands(asked: str, fitting: Iterable[Artifact]) -> None:
    """Refuse to take one of several bands of a quantity that each of them has.

    Raises:
        NotUnderstoodError: with the bands that there are.
    """
    if not is_of_a_band(asked):
        return
    bands = sorted({name for artifact in fitting for leaf in artifact.leaves() for name in _bands(leaf)})
    if len(bands) > 1:
        title = quantity_kinds()[asked].title.lower()
        raise NotUnderstoodError(
            f"every band has a {title} of its own",
            expected=f"the band that is meant: {', '.join(bands)}",
            found="no band, or more than one",
            hint=f"ask for one: '{title} of the {bands[0]} band'",
        )


def _said(goal: QueryGoal) -> tuple[str, ...]:
    """The names of bands in a question, as they stand there or in full; the colour of a thing is none."""
    found = tuple(_SPOKEN.finditer(goal.text))
    if found:
        from knowflow.reason.language.band_colours import COLOURS, colours_of_bands

        colours = {first for first, _ in colours_of_bands(goal.text)}
        found = tuple(m for m in found if m.start() in colours or m.group().lower() not in COLOURS)
    spoken = (_SHORT_WAVE.sub("swir", match.group()) for match in found)
    return (*map(str, goal.value("bands") or ()), *spoken, *polarisations_named(goal).values())


def _bands(artifact: Artifact) -> tuple[str, ...]:
    """The one band of a raster; the polarisation of a radar image is its band."""
    names = artifact.fact("bands") or artifact.fact("polarisation") or ()
    names = (names.lower(),) if isinstance(names, str) else names
    return tuple(names) if len(names) == 1 else ()


def _named(artifacts: Iterable[Artifact], name: str) -> list[Artifact]:
    """What is of the band of a name; for want of it, of one that may stand in for it."""
    listed = [(one, _common(one, name)) for one in artifacts]
    own = [one for one, common in listed if common in _bands(one) or _is_called(one, name)]
    return own or [one for one, common in listed if common and set(substitutes(common)) & set(_bands(one))]


def _common(artifact: Artifact, name: str) -> str | None:
    """The name under which the band is known that a name means for the sensor of an artifact."""
    sensor = str(artifact.fact("sensor") or "")
    known = band(sensor, name) or band(sensor, f"B{name}")
    return common_name(name) if known is None else known.common_name or known.name


def _is_called(artifact: Artifact, name: str) -> bool:
    return str(artifact.fact("band")).casefold() == name.casefold()
