"""The bands that the tokens of a name tell."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from knowflow.ground.bands import band, common_name, sensor_spellings, substitutes
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.said_in_words import MAYBE
from knowflow.reason.inventory.tokens import Token, band_name

_WITH_BANDS = frozenset({"radiometry", "radar"})  # families of quantities that each band has for itself
_ALSO_WITH_BANDS = frozenset({"toa_brightness_temperature", "surface_emissivity", "surface_temperature"})
_BANDS = frozenset({"band", "colour"})


def band_of(token: Token) -> str:
    """A band as its producer writes it, whatever the word for it: B8A of ``nir8a``."""
    return band_name(token.text) if token.value.casefold() == token.key else token.value


def has_bands(facts: Facts) -> bool:
    quantity = facts.value("quantity")
    kind = quantity_kinds().get(str(quantity))
    return quantity is None or quantity in _ALSO_WITH_BANDS or (kind is not None and kind.family in _WITH_BANDS)


def bands_told(
    own: tuple[Token, ...], tokens: tuple[Token, ...], facts: Facts, groups: Mapping[str, str]
) -> tuple[Facts, tuple[Clue, ...]]:
    """The band, or the bands in their order where a name lists several."""
    single = groups.get("band")
    spelled = (band_of(token) if token.kind == "band" else token.value for token in tokens if token.kind in _BANDS)
    listed = list(dict.fromkeys(spelled))
    source = f"file name ({' '.join(listed) or single})"
    if single is not None and len(listed) < 2:
        pairs = pairwise(own)
        if "quantity" not in facts and any(one.kind == "colour" and behind.kind == "word" for one, behind in pairs):
            return Facts(), (Clue("band", single, source, MAYBE),)  # the red of red_sea
        return Facts.of(Origin.DECLARED, source, band=single), ()
    sensor = str(facts.value("sensor") or "")
    common = [found.common_name if (found := band(sensor, one)) else common_name(one) for one in listed]
    if len(listed) == 2 and (twice := _told_twice(*listed)) is not None:
        return Facts.of(Origin.DECLARED, source, band=twice[0], bands=(twice[1],)), ()
    if len(set(common)) == 1 and common[0]:
        return Facts.of(Origin.DECLARED, source, band=next((one for one in listed if one[1:].isalnum()), listed[0])), ()
    if len(listed) > 1 and all(common):
        return Facts.of(Origin.DECLARED, source, bands=tuple(common)), ()
    return Facts(), ()


def _told_twice(one: str, other: str) -> tuple[str, str] | None:
    """The name and the common name of a band that is told by both, as some sensor has it: ``B08_nir``."""
    for name, colour in ((one, other), (other, one)):
        common = common_name(colour)
        if common is not None and name[-1:].isalnum() and any(letter.isdigit() for letter in name[:3]):
            alike = {common, *substitutes(common)}
            sensors = set(sensor_spellings().values())
            found = {known.common_name for sensor in sensors if (known := band(sensor, name)) is not None}
            if held := sorted(filter(None, found & alike), key=lambda called: called != common):
                return name, held[0]
    return None
