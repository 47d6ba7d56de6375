"""What the notes of a folder, and descriptions of bands, say of the signs of motions of the ground: ``negative =
sinking``, ``sinking is negative``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowflow.model.artifact import Artifact
from knowflow.reason.noted_meanings import texts_beside

_OF_MOTION = frozenset(
    f"{way}_{what}"
    for way, what in (
        ("vertical", "displacement"),
        ("vertical", "velocity_of_ground"),
        ("line_of_sight", "displacement"),
        ("line_of_sight", "velocity"),
    )
)
_SIGN = re.compile(
    r"\b(?P<sign>negative|minus|positive|plus)\b(?: (?:values?|numbers?|velocit\w+|sign))?\s*"
    r"(?:[=:]|->|→|\b(?:is|are|means?|stands? for|indicates?|for|where)\b)?\s*(?P<said>[^.;,\n]*)",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"\b(?P<said>sink\w*|subsid\w*|settl\w*|down\w*|uplift\w*|upward\w*|rising)(?: (?:motions?|movements?|ground))?\s*"
    r"(?:[=:]|\b(?:is|are|has|have|(?:given |shown |told )?as|being|with)\b)\s*(?:an? )?"
    r"(?P<sign>negative|minus|positive|plus)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(r"\b(?:sink|subsid|down|away|settl|lower)", re.IGNORECASE)
_UP = re.compile(r"\b(?:uplift|up\b|upward|ris(?:e|ing)|toward)", re.IGNORECASE)
_NEGATIVE = ("negative", "minus")


def signs_of_motion(rasters: Iterable[Artifact]) -> Iterator[tuple[str, int]]:
    """The motions of the ground of which notes beside them, or the descriptions of their own bands, tell the sign of
    what goes down, each with it."""
    moving: dict[str, list[Artifact]] = {}
    for item in rasters:
        if item.fact("quantity") in _OF_MOTION:
            moving.setdefault(str(item.fact("quantity")), []).append(item)
    for kind, items in moving.items():
        texts = [*texts_beside(items), *(str(text) for item in items for text in item.fact("described") or ())]
        said = (one for text in texts for pattern in (_SIGN, _SIGNED) for one in pattern.finditer(text))
        ways = {way for one in said if (way := _down_is(one))}
        if len(ways) == 1:
            yield kind, ways.pop()


def _down_is(told: re.Match[str]) -> int:
    """The sign of what goes down, as a sign is explained; 0 where it is not."""
    down, up = bool(_DOWN.search(told["said"])), bool(_UP.search(told["said"]))
    if down == up:
        return 0
    return -1 if (told["sign"].casefold() in _NEGATIVE) == down else 1
