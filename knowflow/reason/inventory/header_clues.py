"""What the words, the unit and the range in a header say of the quantity: clues, weighed with those of name and folder.

Words that are the name of a quantity, by CF or by its own title and synonyms, are nearly as good as a declaration; a
name within more words is weaker, and none where a word says that something was made of it (its trend, its error). A
unit alone makes candidates of the quantities that are told in it. What the unit or the stated range cannot be of is no
candidate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from knowflow.ground.bands import COMMON_NAMES
from knowflow.ground.kept import kept
from knowflow.ground.quantities import QuantityKind, quantity_kinds
from knowflow.ground.units import compatible, convert
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.band_names import with_band_facts
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.made_of import ARITHMETIC
from knowflow.reason.inventory.tags import unit_of

_NAMED, _WITHIN, _BY_UNIT = 0.9, 0.6, 0.15
_MOST_BY_UNIT = 10
_CODED = re.compile(r"\bminus\s+(?:19|20)\d\d\b|(?:[;,(]\s*|^)\d+\s*[=:]\s*[^;,()=]+", re.IGNORECASE)
"""How values are stored, and what some of them mean: ``minus 2000; 0 = no loss``."""
_BRACKETS = re.compile(r"[\[(]([^\])]*)[\])]")
_TIMES_OF = re.compile(r"\b(?:(?:days|months|hours|times) (?:with|without|above|below)|(?:number|count) of)\b", re.I)
_WORD = re.compile(r"[a-z0-9]+")
_LONGEST = 20
# what was made of a quantity, of which the name of the quantity then says nothing
_MADE_OF_IT = frozenset(
    (
        *("trend", "anomaly", "anomalies", "difference", "diff", "change", "ratio", "index", "correlation", "divided"),
        *("count", "counts", "number", "std", "stdev", "deviation", "variance", "share", "percent", "percentage"),
        *("uncertainty", "unc", "error", "stderr", "pvalue", "residual", "rank", "quality", "qa", "qc", "nobs"),
        *("flag", "flags", "mask"),
        *("minus", "loss", "gain", "above", "below", "exceeds", "zscore", "score", "slope"),
        *("masked", "class", "classes", "threshold", "probability", "amplitude", "phase", "equivalent"),
    )
)
_COMMON = frozenset({"class", "statistics", "measure"})
_MADE_OF_MUCH = frozenset({"share", "ratio", "difference", "area", "distance"})
# of these, what leaves nothing of the quantity, whatever the names of its products are
_NO_LONGER = frozenset(
    (
        *("trend", "anomaly", "anomalies", "difference", "diff", "change", "correlation", "std", "stdev", "deviation"),
        "divided",
        *("uncertainty", "error", "stderr", "pvalue", "residual", "minus", "loss", "above", "below", "exceeds"),
        *("zscore", "score", "threshold", "equivalent"),
    )
)
_COUNTS = "_count"
_AS_RATES = {"precipitation": frozenset({"precipitation_rate"}), "precipitation_rate": frozenset({"precipitation"})}
"""What falls, and as so much in a time: one is described as the other."""
_LEVEL = re.compile(
    r"\b(above|below|over)\s+((the|a|mean|local)\s+)*(sea|lake|water|geoid|ellipsoid|ground|datum|terrain|surface)\b(\s+(level|surface))?",
    re.IGNORECASE,
)
"""What heights and depths are counted from: a part of what they are, and nothing that is made of them."""
_OF_HEIGHTS = r"\b(?:[Hh]eights?|[Ee]levations?|[Dd]epths?)\b"
_DATUM = re.compile(rf"{_OF_HEIGHTS}[^,;]*?\b(?:above|below|over|relative to) (?:the )?[A-Z]\w+")
"""The same by a name: height above Adriatic, below NAP."""
_RADAR = frozenset({"vv", "vh", "hh", "hv"})
_THERMAL = frozenset({"lwir", "lwir11", "lwir12"})
_TOLD_BY_BANDS = (
    (_RADAR, ("sigma0", "sigma0_db", "gamma0", "gamma0_db")),
    (_THERMAL, ("toa_brightness_temperature", "surface_temperature", "toa_radiance")),
    (
        frozenset(COMMON_NAMES) - _RADAR - _THERMAL,
        ("surface_bidirectional_reflectance", "toa_bidirectional_reflectance", "toa_radiance", "digital_number"),
    ),
)
# units that so many things are told in that they say nothing of which
_OF_ANYTHING = ("1", "m", "degree")


def header_clues(facts: Facts) -> tuple[Clue, ...]:
    """Clues for the quantity of a layer, and for its unit, from its facts ``described``, ``unit``, ``stated_range``."""
    if "quantity" in facts:
        return ()
    texts = tuple(str(text) for text in facts.value("described") or ())
    found = list(_units(texts)) if "unit" not in facts else []
    unit = facts.value("unit") or (found[0].value if found else None)
    for text in texts:
        found += [
            Clue("quantity", kind.name, f"the description {text!r}", weight)
            for kind, weight in kinds_in_words(text)
            if _possible(kind, unit, facts)
        ]
    if not any(clue.fact == "quantity" for clue in found):
        found += _by_bands(facts, unit)
    if unit is not None and not any(clue.fact == "quantity" for clue in found):
        said = [word for text in texts for word in _words(text)]
        kinds = _told_in(unit, said, facts)
        alone = len(kinds) == 1 and not compatible(unit, "1")  # any share may be told in per cent
        only = (_WITHIN, Origin.ASSUMED) if alone else (_BY_UNIT, Origin.DECLARED)
        found += [Clue("quantity", kind.name, f"the unit {unit}", *only) for kind in kinds]
    return tuple(found)


def kinds_in_words(text: str) -> tuple[tuple[QuantityKind, float], ...]:
    """The quantity kinds whose name is a text, or the longest of the names within it, with the weight of that."""
    text = _CODED.sub(" ", text)
    words, names = _words(_BRACKETS.sub(" ", text)), _names()
    for length in range(min(len(words), _LONGEST), 0, -1):
        runs = {start: words[start : start + length] for start in range(len(words) - length + 1)}
        held = {start: run for start, run in runs.items() if run in names}
        rest = {word for start in held for word in (*words[:start], *words[start + length :])}
        named = dict.fromkeys(kind for run in held.values() for kind in names[run])
        found = [kind for kind in named if not (rest and length == 1 and _is_common(kind, held.values()))]
        made = bool(rest & _MADE_OF_IT or _TIMES_OF.search(text) or ARITHMETIC.search(text))
        found = [kind for kind in found if not made or (length > 1 and quantity_kinds()[kind].family == "statistics")]
        if found:
            weight = (_WITHIN if rest else _NAMED) / len(found)
            return tuple((quantity_kinds()[kind], weight) for kind in found)
        if named:
            break
    plain = _LEVEL.sub(" ", text)
    return kinds_in_words(plain) if plain != text else ()


def not_of(quantity: str, texts: Iterable[str]) -> str:
    """What of some descriptions says that a layer is not of a quantity: words by which it is made of it, or the name,
    in several words, of another one; "" where none does."""
    kind = quantity_kinds().get(quantity)
    derived = kind is None or kind.family in _COMMON
    if kind is not None and kind.family in _COMMON - {"class"}:
        return ""  # what is made of a quantity is described by how it was made
    for text in (_CODED.sub(" ", one) for one in texts):
        words, names = _words(_BRACKETS.sub(" ", text)), _names()
        levels = (*_LEVEL.finditer(text), *_DATUM.finditer(text))
        counted_from = {*_words(" ".join(one.group() for one in levels))}
        for length in range(min(len(words), _LONGEST), 0, -1):
            starts = [start for start in range(len(words) - length + 1) if words[start : start + length] in names]
            named = {kind for start in starts for kind in names[words[start : start + length]]}
            rest = {word for start in starts for word in (*words[:start], *words[start + length :])}
            times = None if quantity.endswith(_COUNTS) else _TIMES_OF.search(text)  # the number of people is people
            made = bool((rest - counted_from) & _NO_LONGER or times or ARITHMETIC.search(text))
            if named <= _AS_RATES.get(quantity, frozenset()):
                continue  # the convective precipitation rate, of CHIRPS in mm
            if (quantity in named and made) or (named and quantity not in named and length > 1 and not derived):
                return text
            if named:
                break
    return ""


def _is_common(kind: str, runs: Iterable[tuple[str, ...]]) -> bool:
    """Whether a word for a class or a statistic is no name of it, and says something else among other words: a level
    of a lake is none of classes."""
    return quantity_kinds()[kind].family in _COMMON and ((kind,) not in runs or kind in _MADE_OF_MUCH)


def _by_bands(facts: Facts, unit: str | None) -> Iterator[Clue]:
    """What a band of light, or a polarisation of radar, is usually told in."""
    bands: tuple[str, ...] = with_band_facts(facts).value("bands") or ()
    family = next((kinds for names, kinds in _TOLD_BY_BANDS if bands and set(bands) <= names), ())
    possible = [kind for name in family if _possible(kind := quantity_kinds()[name], unit, facts)]
    scaled = facts.value("scale") is not None  # numbers with a scale are counts no longer
    for kind in possible:
        if (unit is None or unit == kind.unit) and not (scaled and kind.name == "digital_number"):
            yield Clue("quantity", kind.name, f"the band {bands[0]}", _BY_UNIT)


def _units(texts: Iterable[str]) -> Iterator[Clue]:
    """Units in brackets: ``Elevation (m)``."""
    for text in texts:
        for written in _BRACKETS.findall(text):
            unit = unit_of(written.strip()) if written.strip() else None
            if unit is not None:
                yield Clue("unit", unit, f"the description {text!r}", _NAMED)


def _told_in(unit: str, said: Sequence[str], facts: Facts) -> Sequence[QuantityKind]:
    """The kinds that a unit may be of, those first whose names share a word with what is said; none of too many."""
    pure = compatible(unit, "1")  # of levels and shares, only what is told in the very unit
    possible = [
        kind
        for kind in quantity_kinds().values()
        if kind.unit not in _OF_ANYTHING
        and (kind.unit == unit if pure else compatible(unit, kind.unit))
        and not _MADE_OF_IT & {*kind.name.split("_")}
        and _possible(kind, unit, facts)
    ]
    sharing = [kind for kind in possible if set(said) & {*kind.name.split("_"), *_words(kind.title)}]
    found = sharing or possible
    return found if len(found) <= _MOST_BY_UNIT else ()


def _possible(kind: QuantityKind, unit: str | None, facts: Facts) -> bool:
    """Whether the unit and the range that a file states can be those of a kind."""
    if unit is not None and not kind.may_be_in(unit):
        return False
    stated, scale = facts.value("stated_range"), facts.value("scale")
    if stated is None or (scale is None and not str(facts.value("dtype")).startswith("float")):
        return True
    ends = [float(end) * (scale or 1.0) + (facts.value("offset") or 0.0) for end in stated]
    if unit is not None and unit != kind.unit and compatible(unit, kind.unit):
        ends = [float(convert(end, unit, kind.unit)) for end in ends]
    low, high = kind.range
    return not ((low is not None and max(ends) < low) or (high is not None and min(ends) > high))


@kept()
def _names() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """The words of every name of a kind, and the kinds of that name."""
    found: dict[tuple[str, ...], dict[str, None]] = {}
    for kind in quantity_kinds().values():
        for name in (kind.name, kind.title, kind.cf_name or "", *kind.synonyms):
            words = _words(name)
            if words and (len(words) > 1 or len(words[0]) > 2):
                found.setdefault(words, {})[kind.name] = None
    return {words: tuple(kinds) for words, kinds in found.items()}


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))
