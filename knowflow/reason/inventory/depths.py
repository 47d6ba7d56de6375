"""Layers of the ground that the names of files tell by their depths, ``clay_0-5cm``, ``soc_5_15cm``, and winds by the
height above it: ``wind100m``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.names import plain_stem

_DEPTH = re.compile(r"(?<!\d)(\d{1,3})[-_](\d{1,3})[ _-]?cm(?![a-z])", re.IGNORECASE)
_ABOVE = re.compile(r"(?<!\d)(\d{1,3})[ _-]?m(?![a-z\d])", re.IGNORECASE)
_SOIL, _WIND = "soil", "wind"
_UNTIL = 30  # cm: where the topsoil ends at the latest


def with_depths(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, those of the soil with the depths (fact ``height``) that the names of their files tell, and those
    of the wind with the heights."""
    listed = tuple(map(_of_depth, artifacts))
    apart = {int(told[1]) for item in listed if _is_of_wind(item) and (told := _number(item))}
    return tuple(_of_height(item, len(apart) > 1) for item in listed)


def _of_depth(item: Artifact) -> Artifact:
    kind = quantity_kinds().get(str(item.fact("quantity")))
    of_soil = kind is not None and _SOIL in (kind.family, *kind.name.split("_"))
    told = _DEPTH.search(plain_stem(str(item.path))) if of_soil else None
    if told is None or int(told[1]) >= int(told[2]):
        return item
    depth = f"{int(told[1])}-{int(told[2])} cm"
    return item.with_facts(item.facts.put("height", depth, Origin.DECLARED, f"file name ({told[0]!r})"))


def _is_of_wind(item: Artifact) -> bool:
    return str(item.fact("quantity") or "").split("_")[0] == _WIND and item.fact("height") is None


def _number(item: Artifact) -> re.Match[str] | None:
    """The one number of metres in a name."""
    told = list(_ABOVE.finditer(plain_stem(str(item.path))))
    return told[0] if len(told) == 1 else None


def _of_height(item: Artifact, apart: bool) -> Artifact:
    """With the height that the one number of metres in a name is, unless that is how large its pixels are; ``apart``:
    it tells layers apart, as the size of pixels does not."""
    told = _number(item) if _is_of_wind(item) else None
    sizes = [] if apart else [round(abs(one)) for one in item.fact("resolution") or ()]
    if told is None or int(told[1]) in sizes:
        return item
    height = f"{int(told[1])} m"
    return item.with_facts(item.facts.put("height", height, Origin.DECLARED, f"file name ({told[0]!r})"))


def spoken_depths(height: str) -> Iterator[str]:
    """What people call a depth: ``0-5 cm``, ``0 to 5 cm``, and of what begins at the surface ``top 5 cm``, ``topsoil``;
    and a height: ``100 m above ground``.

    >>> list(spoken_depths("5-15 cm"))[:3]
    ['5-15 cm', '5-15 cm depth', '5-15 cm deep']
    """
    above = _ABOVE.fullmatch(height)
    if above is not None:
        for unit in ("m", "metres", "meters"):
            said = f"{above[1]} {unit}"
            yield from (said, f"{said} above ground", f"{said} height", f"height of {said}", f"{said} above the ground")
            yield from (f"{said} hub height", f"hub height of {said}")
    told = _DEPTH.fullmatch(height)
    if told is None:
        return
    for unit in ("cm", "centimetres", "centimeters"):
        for said in (f"{told[1]}-{told[2]} {unit}", f"{told[1]} to {told[2]} {unit}"):
            yield from (said, f"{said} depth", f"{said} deep", f"depth of {said}")
        yield from (f"between {told[1]} and {told[2]} {unit}{deep}" for deep in ("", " depth"))
    if int(told[1]) == 0:
        yield from (f"{top} {told[2]} cm" for top in ("top", "upper", "uppermost", "first"))
        yield from (("topsoil", "top soil", "surface soil") if int(told[2]) <= _UNTIL else ())


def runs_of_depths(heights: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Depths that several layers make up between them without a gap, each with what these are called.

    >>> list(runs_of_depths(["0-5 cm", "15-30 cm", "5-15 cm"]))
    [('0-15 cm', '0-5 cm, 5-15 cm'), ('0-30 cm', '0-5 cm, 5-15 cm, 15-30 cm'), ('5-30 cm', '5-15 cm, 15-30 cm')]
    """
    told = (_DEPTH.fullmatch(height) for height in heights)
    layers = sorted((int(one[1]), int(one[2])) for one in told if one is not None)
    whole = {f"{top}-{bottom} cm" for top, bottom in layers}
    for at, (top, bottom) in enumerate(layers):
        run = [f"{top}-{bottom} cm"]
        for upper, lower in layers[at + 1 :]:
            if upper == bottom:
                run, bottom = [*run, f"{upper}-{lower} cm"], lower
                if f"{top}-{bottom} cm" not in whole:
                    yield f"{top}-{bottom} cm", ", ".join(run)


def without_depths(text: str) -> str:
    """A text without the depths in it, which are no words of what is measured: ``soil organic carbon 0-5 cm``."""
    return _DEPTH.sub(" ", text)
