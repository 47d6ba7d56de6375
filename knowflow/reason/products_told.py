"""Of which products data are, as questions name these: ``CHIRPS``, ``the Copernicus DEM``, ``Landsat``.

What a product may be called is told by its title and its marks, and by its sensor. A title of several products
(``GPCC, GPCP``) is a name of none of them: of which one a file is, only its own name says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import PurePath

from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.model.artifact import Artifact
from knowflow.question.reading.vocabulary import HeldProduct, vocabulary
from knowflow.reason.inventory.grouping import layer_of
from knowflow.reason.inventory.lore import load_lore
from knowflow.reason.inventory.products import Known

_WORD = re.compile(r"[^\W_]+(?:[-+.][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+")
_LISTED = re.compile(r",\s*(?:and\s+)?|\s+and\s+|/")
_APART = re.compile(r"[()]")
"""What stands around another name of the same: ``of the Land Monitoring Service (HR-VPP)``."""
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class _Called:
    """What a product is called: by its title, by its marks, and the words of a title of one product; ``codes`` are
    those of its names that are no words of any language."""

    title: frozenset[str]
    marks: frozenset[str]
    codes: frozenset[str]
    words: frozenset[str]
    kinds: frozenset[str]


def product_names() -> Mapping[str, frozenset[str]]:
    """The names of all products that are known, each with the quantities that such products hold; without those that
    are words of a language as well, as places are."""
    found: dict[str, frozenset[str]] = {}
    for called in _products().values():
        for name in called.codes:
            found[name] = found.get(name, frozenset()) | called.kinds
    return found


def products_held(rasters: Iterable[Artifact]) -> Iterator[HeldProduct]:
    """The products of which there are layers of each quantity, each with how many that are alike else."""
    layers: dict[tuple[str, frozenset[str], frozenset[str]], set[object]] = {}
    for item in rasters:
        kind = item.fact("quantity")
        if kind is not None:
            key = str(kind), _names_of(item), _words_of(item)
            layers.setdefault(key, set()).add((layer_of(item), item.fact("grid"), item.fact("layer")))
    for (kind_name, names, words), alike in layers.items():
        yield HeldProduct(kind_name, names, words, len(alike))


def is_of_product(item: Artifact, wanted: str) -> bool:
    """Whether a raster is known to be of the product or sensor that is called so."""
    return HeldProduct("", _names_of(item), _words_of(item)).is_called(wanted)


def product_title(item: Artifact) -> str | None:
    """The title of the product that a raster is of, or its sensor; None where neither is known."""
    return _title_of(item) or str(item.fact("sensor") or "") or None


def _names_of(item: Artifact) -> frozenset[str]:
    called = _products().get(_title_of(item))
    names = frozenset(_of_sensor(str(item.fact("sensor") or "")))
    if called is None:
        return names
    stem = tuple(_PIECE.findall(PurePath(str(item.path)).stem.casefold()))
    own = frozenset(name for name in called.marks | called.title if _is_written(name, stem))
    return names | own | (called.title if called.words else frozenset())


def _words_of(item: Artifact) -> frozenset[str]:
    called = _products().get(_title_of(item))
    return frozenset() if called is None else called.words


def _title_of(item: Artifact) -> str:
    """The title of a product that the sources of the facts name, by which they were read."""
    return next((title for fact in item.facts.values() if (title := _title_in(fact.source))), "")


@lru_cache(maxsize=4096)
def _title_in(source: str) -> str:
    return next((title for title in _products() if source.endswith(f"({title})")), "")


def _of_sensor(sensor: str) -> Iterator[str]:
    """What a sensor is called: ``sentinel 2b``; ``landsat``, but not by a number that may be another's."""
    words = words_of(sensor)
    if words and words[0] != "sentinel":
        yield words[0]
    elif len(words) > 1:
        yield from dict.fromkeys((" ".join(words[:2]), f"sentinel {words[1].rstrip('abcd')}"))


def _is_written(name: str, stem: tuple[str, ...]) -> bool:
    """Whether a name, or its initials, stand in that of a file: ``mod13`` of ``MOD13Q1``, ``cdl`` of a data layer."""
    words = name.split()
    spelt = {"".join(words)} | ({"".join(word[0] for word in words)} if len(words) >= _SHORTEST else set())
    for start in range(len(stem)):
        for joined in accumulate(stem[start : start + len(words) + 2]):
            for one in spelt:
                behind = joined[len(one) : len(one) + 1]
                if joined == one or (one[-1].isdigit() and joined.startswith(one) and behind.isalpha()):
                    return True
    return False


@kept()
def _products() -> Mapping[str, _Called]:
    return {one.product.title: _called(one) for one in load_lore().products.values()}


def _called(known: Known) -> _Called:
    title = known.product.title
    said = frozenset(name for part in _LISTED.split(title) for name in _names_in(part))
    marks = [mark.replace("_", " ") for mark in known.product.marks if isinstance(mark, str)]
    several = any(sum(any(_names_in(part)) for part in _LISTED.split(listed)) > 1 for listed in _APART.split(title))
    layers = (layer.meaning.quantities for layer in known.layers.values())
    kinds = frozenset(kind for some in (known.meaning.quantities, *layers) for kind in some)
    return _Called(
        frozenset(map(_plain, said)),
        frozenset(filter(_is_name, map(_plain, marks))),
        frozenset(_plain(name) for name in (*said, *filter(_is_name, marks)) if any(map(_is_code, name.split()))),
        frozenset() if several else frozenset(words_of(title)),
        kinds,
    )


def _names_in(text: str) -> Iterator[str]:
    """The names of a title: words that are no common ones, and several in capitals one behind the other."""
    run: list[str] = []
    for word in (*_WORD.findall(text), ""):
        if word[:1].isupper() or (run and word.isdigit()):
            run.append(word)
            if _is_code(word):
                yield from filter(_is_name, (word,))
            continue
        if len(run) > 1:
            yield from filter(_is_name, (" ".join(run),))
        run = []


def _is_code(word: str) -> bool:
    """Whether a word is written as no word of a language is: ``GPCC``, ``TerraClimate``, ``MOD13``."""
    return sum(map(str.isupper, word)) > 1 or (not word.isdigit() and any(map(str.isdigit, word)))


def _plain(name: str) -> str:
    return " ".join(words_of(name))


def _is_name(name: str) -> bool:
    """Whether a name means nothing else: no quantity, no unit, no word of questions, no letter or number."""
    name = _plain(name)
    words = tuple(name.split())
    meant = (*vocabulary().phrases.get(key_of(name), ()), *vocabulary().exact.get(name, ()))
    known = words in reading_words().phrases or any(symbol != "SENSOR" for symbol, _ in meant)
    return (
        not known and len(name) >= _SHORTEST and not name.isdigit() and name.replace(" ", "_") not in quantity_kinds()
    )
