"""What somebody wrote down about a folder: its own name, and the notes that lie in it (``README``, ``LIESMICH``).

A product that these speak of is that of a file whose name goes with it: by another word of what the product is called
by (``SR`` below ``vineyard planet``), or by one of its layers (``ph_0-5cm`` beside *SoilGrids 2.0, pH x10*).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from knowflow.ground.regex import regex
from knowflow.reason.inventory.meanings import Meaning
from knowflow.reason.inventory.product_beside import Beside
from knowflow.reason.inventory.products import Known, is_in_name
from knowflow.reason.inventory.tokens import Token, plain

NOTES = frozenset({".txt", ".md", ".rst"})
_LARGEST, _MOST = 16_384, 8  # bytes of a note, and notes of a folder
_LETTERS = regex(r"[^\W\d_]{2,}")
_WORD = regex(r"[^\W_]+(?:[-.][^\W_]+)*")
_LEVEL_2 = regex(
    r"(?<![a-z])(?:(?:level|nivel|niveau|stufe|livello|l)[ -]?2|l2(?:sp|a)|sr|boa|surface reflectance)(?![a-z])",
    re.IGNORECASE,
)
_LEVEL_1 = regex(
    r"(?<![a-z])(?:(?:level|nivel|niveau|stufe|livello|l)[ -]?1|l1(?:tp|gt|c)|toa|radiance)(?![a-z])", re.IGNORECASE
)
LEVEL_2 = "level 2"
_OF_LAYERS = frozenset({"layer", "word", "hint", "derived"})


def words_noted(files: Iterable[Path], name: str) -> frozenset[str]:
    """The words of a folder's ``name`` and of the notes among some of its files, as marks of products have them, with
    two that stand together as one; ``level 2`` where they say nothing of another level."""
    texts = [name, *_texts(files)]
    told = {key for text in texts for key in _keys(text)}
    level = any(_LEVEL_2.search(text) for text in texts) and not any(_LEVEL_1.search(text) for text in texts)
    return frozenset({*told, LEVEL_2} if level else told)


def _texts(files: Iterable[Path]) -> Iterator[str]:
    notes = [path for path in files if path.suffix.casefold() in NOTES]
    for path in notes if len(notes) <= _MOST else ():
        try:
            if path.stat().st_size <= _LARGEST:
                yield f"{path.stem}\n{path.read_text(encoding='utf-8', errors='replace')}"
        except OSError:
            continue


def _keys(text: str) -> Iterator[str]:
    words = _WORD.findall(text.replace("_", " "))
    yield from map(plain, words)
    yield from (plain(f"{one}{other}") for one, other in pairwise(words))


def product_noted(
    noted: frozenset[str],
    products: Mapping[str, Known],
    by_word: Mapping[str, tuple[str, ...]],
    plainly: tuple[Token, ...],
    read: Callable[[Known], tuple[Token, ...]],
) -> Known | None:
    """The only product that notes and a name tell together; ``plainly`` are the tokens of the name by themselves,
    ``read`` gives them as a product reads them."""
    own = frozenset(form for token in plainly for form in (token.key, token.form))
    listed = {name: products[name] for key in noted for name in by_word.get(key, ())}
    made = any(token.kind == "derived" for token in plainly)
    completed = (
        ()
        if made
        else [known for known in listed.values() if any(mark <= noted | own and mark & own for mark in known.marks)]
    )
    if completed:
        return completed[0] if len(completed) == 1 else None
    told = [known for known in listed.values() if known.told_by(noted)]
    found = [known for known in told if _names_a_layer(read(known), known)]
    return found[0] if len(found) == 1 else None


def meaning_noted(
    noted: frozenset[str], products: Mapping[str, Known], by_word: Mapping[str, tuple[str, ...]], quantity: str
) -> Meaning | None:
    """What the only product that notes speak of, and that has such a layer, says of a quantity; nothing where a word of
    them tells, beside others, a product that has it in another unit."""
    spoken = {products[name] for key in noted for name in by_word.get(key, ())}
    layers = [(known, layer.meaning) for known in spoken for layer in known.layers.values()]
    of_it = [(known, one) for known, one in layers if one.quantities == (quantity,)]
    found = {one for known, one in of_it if known.told_by(noted)}
    if len(found) != 1 or any(_units(one) and _units(one).isdisjoint(_units(*found)) for _, one in of_it):
        return None
    return found.pop()


def _units(meaning: Meaning) -> frozenset[object]:
    return frozenset(clause.facts["unit"] for clause in meaning.clauses if "unit" in clause.facts)


def with_layer_noted(rest: str, product: Known | None, near: Callable[[], Beside]) -> str:
    """The rest of a name with the layer of its product that it is a part of, where notes write that in full, and no
    other such: ``snow`` of MOD10A1, *NDSI_Snow_Cover*."""
    words = set(_LETTERS.findall(rest.casefold()))
    if product is None or not words or not words.isdisjoint(product.layers):
        return rest
    parts = [key for key in product.layers if all(word in key for word in words)]
    noted = near().noted if parts else frozenset[str]()
    told = [key for key in parts if _is_written(key, noted)]
    longest = [key for key in told if not any(key in other for other in told if other != key)]
    bare = _LETTERS.sub("", rest)
    return f"{bare}{product.layers[longest[0]].name}" if len(longest) == 1 else rest


def _is_written(key: str, noted: frozenset[str]) -> bool:
    """Whether a layer's key is two words of notes that stand together, or three of which the second joins the pairs."""
    return key in noted or any(
        key.endswith(other) and len(one) + len(other) > len(key) and key[len(key) - len(other) : len(one)] in noted
        for one in noted
        if key.startswith(one)
        for other in noted
    )


def _names_a_layer(tokens: Iterable[Token], known: Known) -> bool:
    """Whether a name speaks of a layer of a product, and of nothing that was made of it."""
    said = [token for token in tokens if token.kind in _OF_LAYERS]
    own = [token for token in said if token.key in known.layers or token.form in known.layers]
    layers = [known.layers.get(token.key) or known.layers[token.form] for token in own]
    made = (token for token in said if token.kind == "derived" and token not in own)
    return bool(own) and all(any(is_in_name(token.text, layer) for layer in layers) for token in made)
