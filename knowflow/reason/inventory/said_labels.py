"""What a layer is called by what its name says, and the words of it that nobody claims, which may tell a region."""

from __future__ import annotations

import re
from collections.abc import Mapping

from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.meanings import Layer
from knowflow.reason.inventory.name_dates import DATE_MARK
from knowflow.reason.inventory.phrases import EDGES, Name
from knowflow.reason.inventory.products import Known
from knowflow.reason.inventory.said_bands import has_bands
from knowflow.reason.inventory.tokens import Token

SHAPE_MARK = "\x02"
"""What stands for a published name in the rest of a name."""
UNREAD = "file name"
"""The source of the name of a layer that nothing is known of."""


def named(name: Name, own: tuple[Token, ...], called: str, groups: Mapping[str, str]) -> Facts:
    """What the layer is called, and the words that nobody claims, which may tell a region."""
    region = groups.get("tile") or (_region(own, name.rest) if called else "")
    region = region.removeprefix("T") if re.fullmatch(r"T\d\d[A-Z]{3}", region) else region
    if called:
        return Facts.of(Origin.DECLARED, f"file name ({called})", layer=called, region=region or None)
    return Facts.of(Origin.DECLARED, UNREAD, layer=_unread(name.rest) or None, region=region or None)


def label_of(
    read: tuple[tuple[Token, Layer], ...], product: Known | None, groups: Mapping[str, str], facts: Facts
) -> str:
    """What the layer is called whatever the style of the name: files of one series agree on it."""
    own = groups.get("band", "")
    plain_band = re.sub(r"(?<!\d)0+(?=\d)", "", own)
    plain_band = plain_band.upper() if re.match(r"[Bb]?\d", own) else plain_band.casefold()
    if not read:
        return plain_band or (product.product.product if product is not None else "")
    label = read[0][1].label
    if "{" in label:
        label = re.sub(r"\{.*\}", plain_band, label)
    elif plain_band and has_bands(facts):
        label = f"{label}_{plain_band}"
    night = groups.get("daynight", "")
    return label if night.casefold() in label.casefold() else f"{label}_{night.capitalize()}"


def _region(own: tuple[Token, ...], rest: str) -> str:
    """Words that nobody claims, as written, with the small words and numbers between them."""
    groups: list[list[Token]] = []
    waiting: list[Token] = []
    open_group = False
    for token in own:
        if token.kind == "word":
            if open_group:
                groups[-1] += [*waiting, token]
            else:
                groups.append([*waiting, token])
            open_group, waiting = True, []
        elif token.kind == "link":
            waiting.append(token)
        elif token.kind == "number" and open_group and not waiting:
            groups[-1].append(token)
        else:
            open_group, waiting = False, []
    return "_".join(rest[group[0].start : group[-1].end].strip(EDGES) for group in groups)


def _unread(rest: str) -> str:
    """A name that says no layer, without its dates."""
    return re.sub(r"[ _.-]{2,}", "_", rest.replace(DATE_MARK, "_").replace(SHAPE_MARK, "_")).strip(" _-.,;")
