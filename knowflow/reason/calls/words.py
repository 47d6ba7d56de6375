"""Names of tools, arguments and files, as sets of words that can be compared."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import lru_cache

_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# words that say how a thing is handed over, not what it is
CARRIERS = frozenset(
    (
        "path",
        "paths",
        "file",
        "files",
        "list",
        "lists",
        "input",
        "inputs",
        "in",
        "name",
        "filename",
        "filenames",
        "image",
        "images",
        "img",
        "tif",
        "array",
        "data",
    )
)
# verbs that tools of all kinds begin with, and words that say for how many scenes
VERBS = frozenset(
    (
        "calculate",
        "calc",
        "compute",
        "computing",
        "get",
        "do",
        "run",
        "perform",
        "apply",
        "make",
        "create",
        "batch",
        "single",
        "from",
    )
)
_SAME = {
    "b": "band",
    "reflectance": "refl",
    "temp": "temperature",
    "emissivity": "emis",
    "avg": "average",
    "diff": "difference",
    "nightlight": "night",
    "nighttime": "night",
    "thresholds": "threshold",
    "bounding": "bbox",
    "bboxes": "bbox",
    "box": "bbox",
    "boxes": "bbox",
    "centroids": "centroid",
    "pixels": "pixel",
    "ratios": "ratio",
    "values": "value",
    "out": "output",
    "outputs": "output",
    "save": "output",
    "dir": "folder",
    "directory": "folder",
    "indices": "index",
    "indexes": "index",
}


@lru_cache(maxsize=8192)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name in order, in lower case: ``input_nirPath2`` -> input, nir, path, 2; zeros in front go."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    found = (piece.lower().lstrip("0") or "0" for piece in _PIECES.findall(plain))
    return tuple(_SAME.get(word, word) for word in found)


def content(name: str) -> frozenset[str]:
    """The words of an argument's name that say what it is."""
    return frozenset(words_of(name)) - CARRIERS


def purpose(name: str) -> frozenset[str]:
    """The words of a tool's name that say what it does."""
    return frozenset(words_of(name)) - VERBS - {"image"}


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """Share of the words that two sets have in common (Dice 1945): 1 where they are equal, 0 where nothing is."""
    first, second = set(one), set(other)
    return 2.0 * len(first & second) / (len(first) + len(second)) if first and second else 0.0
