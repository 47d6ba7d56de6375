"""Files of a folder that are byte for byte the same scene: one of them counts, whatever the others are called."""

from __future__ import annotations

import filecmp
import hashlib
import os
from collections.abc import Hashable, Iterable
from contextlib import suppress

from knowflow.model.artifact import Artifact
from knowflow.model.literal import same

_ANY = ""  # of whatever date
_FEW = 4  # files that are compared one by one
_PIECES, _READ = 4, 2048
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
    originals: dict[Hashable, _Originals] = {}
    copies: dict[str, str] = {}
    for path in sorted(files, key=lambda path: (-len(set(files[path][0].facts) - _OF_NAMES), len(path), path)):
        layers = files[path]
        alike = originals.setdefault((layers[0].fact("size"), len(layers)), _Originals())
        date = layers[0].fact("datetime")
        known = alike.of(date, path)
        first = next((one for one in known if _agree(files[one], layers) and _same(one, path)), None)
        if first is not None:
            copies[path] = first
        elif date is not None:
            alike.add(date, path)
    return tuple(item for item in listed if item.path not in copies), tuple(sorted(copies.items()))


class _Originals:
    """Files of one size and number of layers by date, and where several are to compare by a sample of their bytes."""

    def __init__(self) -> None:
        self._by_date: dict[str, list[str]] = {}
        self._by_sample: dict[tuple[str | None, bytes], list[str]] = {}
        self._listed: dict[str | None, int] = {}  # how many of a date are listed so

    def add(self, date: str, path: str) -> None:
        self._by_date.setdefault(date, []).append(path)
        self._by_date.setdefault(_ANY, []).append(path)

    def of(self, date: str | None, path: str) -> list[str]:
        """The files that one of that date, or of none that is known, may be a copy of."""
        key = _ANY if date is None else date
        known = self._by_date.get(key, [])
        if len(known) < _FEW:
            return known
        for other in known[self._listed.get(key, 0) :]:
            self._by_sample.setdefault((key, _sample(other)), []).append(other)
        self._listed[key] = len(known)
        return self._by_sample.get((key, _sample(path)), [])


def _sample(path: str) -> bytes:
    """A digest of a few pieces of a file; of one that is gone its path."""
    found = hashlib.blake2b(digest_size=16)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            for piece in range(_PIECES):
                file.seek(piece * size // _PIECES)
                found.update(file.read(_READ))
    except OSError:
        return path.encode("utf-8", "surrogateescape")
    return found.digest()


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
