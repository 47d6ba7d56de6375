"""Files of a folder that are byte for byte the same scene: one of them counts, whatever the others are called."""

from __future__ import annotations

import filecmp
from collections.abc import Hashable, Iterable
from contextlib import suppress

from knowflow.model.artifact import Artifact
from knowflow.model.literal import same

_OF_NAMES = frozenset({"layer", "region"})  # what only tells files apart


def without_copies(artifacts: Iterable[Artifact]) -> tuple[tuple[Artifact, ...], tuple[tuple[str, str], ...]]:
    """The layers without those of copies, and the path of each copy with that of the file it is a copy of.

    Only scenes that have a date are looked for, and nothing different may be known of a copy: its name may say less.
    The file of which most is known counts, of several the one with the shortest path.
    """
    listed = tuple(artifacts)
    files: dict[str, list[Artifact]] = {}
    for item in listed:
        if item.type == "raster" and item.path is not None:
            files.setdefault(item.path, []).append(item)
    originals: dict[Hashable, dict[str, list[str]]] = {}  # of a size and number of layers: by date
    copies: dict[str, str] = {}
    for path in sorted(files, key=lambda path: (-len(files[path][0].facts), len(path), path)):
        layers = files[path]
        by_date = originals.setdefault((layers[0].fact("size"), len(layers)), {})
        date = layers[0].fact("datetime")
        known = by_date.get(date, []) if date is not None else [one for dated in by_date.values() for one in dated]
        first = next((one for one in known if _agree(files[one], layers) and _same(one, path)), None)
        if first is not None:
            copies[path] = first
        elif date is not None:
            by_date.setdefault(date, []).append(path)
    return tuple(item for item in listed if item.path not in copies), tuple(sorted(copies.items()))


def _agree(some: Iterable[Artifact], others: Iterable[Artifact]) -> bool:
    """Whether nothing that is known of the layers of both files differs."""
    return all(
        one.band == other.band
        and all(same(one.fact(name), other.fact(name)) for name in set(one.facts) & set(other.facts) - _OF_NAMES)
        for one, other in zip(some, others, strict=True)
    )


def _same(one: str, other: str) -> bool:
    with suppress(OSError):
        return filecmp.cmp(one, other, shallow=False)
    return False
