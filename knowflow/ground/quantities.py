"""What numbers mean: quantity kinds, each with unit, physical range and the words people use for it.

Most are authored (``pkb/quantities/*.yaml``); one per index of the spyndex catalogue is generated. Where a project or a
user writes a kind of the same name, theirs counts, and ``validate_quantities`` says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from knowflow.ground.called import CLASSES, adds_up, from_zero, read_called, unit_called
from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.indices import Range, spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.report import Problem, Problems
from knowflow.ground.resources import resources
from knowflow.ground.spelling import did_you_mean, lookalikes
from knowflow.ground.units import compatible, known
from knowflow.ground.yamldoc import Document, Key, load

# generated kinds that CF has a standard name for
_INDEX_CF_NAMES: Mapping[str, str] = MappingProxyType({"ndvi": "normalized_difference_vegetation_index"})
CALLED = "called"
"""The family of kinds of which only the name is known."""
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")
_OF_ONE_DIMENSION = ("K", "m", "degree", "1")
_UNITS_BESIDE: Mapping[str, tuple[str, ...]] = MappingProxyType({"K": ("degC",), "degree": ("rad",), "%": ("1",)})
_PER_AREA, _PER_VOLUME = re.compile(r"\b[ckm]?m-2\b|\bha-1\b"), re.compile(r"\b[cdk]?m-3\b")
_NEVER_BOTH = ((_PER_AREA, _PER_VOLUME), (_PER_VOLUME, _PER_AREA))
_PER_DIRECTION = "sr-1"
_NEVER_PER_CENT = frozenset({"index", "radar", "temperature"})  # families of shares that nobody tells in per cent
_REQUIRED = ("quantity", "title", "unit", "range", "family", "source")


@dataclass(frozen=True, slots=True)
class QuantityKind:
    """What the numbers of a raster or table column mean.

    ``range`` is what is physically possible, in ``unit`` (None: open end), with the slack that retrievals need.
    ``circular`` marks directions, whose numbers begin anew after a full turn: 359 and 1 degree are neighbours.
    ``classes`` names the numbers of a categorical kind, where they are the same everywhere. ``water`` marks amounts of
    water per area, which may be told as a depth as well: 1 kg m-2 is 1 mm. ``accumulates`` marks amounts of a span of
    time, which add up to that of a longer one: the rain of days to that of a month. ``per_pixel`` marks amounts of what
    lies in a pixel, which add up to that of a larger one: people, not people per area. ``summed`` marks what is told as
    the sum of its pixels, too, where that is asked for: lights at night. ``from_zero`` marks what there can be
    none of, and not less, though retrievals may err below it: percent of it mean something. ``borrows_unit``
    marks what is in the unit of another quantity, such as differences. ``blank_is_none`` marks what files often leave
    blank where there is none of it, such as the depth of a flood. ``told_bare`` marks what everybody tells without its
    unit, of which there is one alone: a DHW of 8.

    ``amount`` is the kind that a rate is in a span of time: rain of its rate. ``told_in`` are other units in which
    files often hold it, ``top`` the range, in ``unit``, in which the largest numbers of ordinary scenes lie: they tell
    units apart. ``words`` are what files are called that hold it as yes and no.
    """

    name: str
    title: str
    unit: str
    range: Range
    family: str
    cf_name: str | None = None
    categorical: bool = False
    circular: bool = False
    water: bool = False
    accumulates: bool = False
    from_zero: bool = False
    per_pixel: bool = False
    summed: bool = False
    borrows_unit: bool = False
    blank_is_none: bool = False
    told_bare: bool = False
    amount: str | None = None
    told_in: tuple[str, ...] = ()
    top: Range = (None, None)
    words: tuple[str, ...] = ()
    classes: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))
    synonyms: tuple[str, ...] = ()
    source: str = ""

    @property
    def continuous(self) -> bool:
        """Whether numbers of this kind can be averaged and ordered: they are neither classes nor directions."""
        return not (self.categorical or self.circular)

    @property
    def is_share(self) -> bool:
        """Whether its numbers are parts of one, or vary about zero within one: 0.4 of these is 40 %."""
        low, high = self.range
        bounded = low is not None and high is not None and low >= -1.2 and high <= 1.6
        return self.unit == "1" and bounded and not self.categorical

    @property
    def units_beside(self) -> tuple[str, ...]:
        """The units beside its own in which files often hold it."""
        if self.unit == "K" and (self.range[0] is None or self.range[0] < 0):  # 5 K warmer is 5 degC warmer
            return ()
        if self.is_share and self.range[0] == 0 and self.family not in _NEVER_PER_CENT:
            return (*self.told_in, "%")
        return self.told_in or _UNITS_BESIDE.get(self.unit, ())

    def may_be_in(self, unit: str) -> bool:
        """Whether numbers of this kind may be told in a unit: heights and shares are in no degrees Celsius.

        Temperatures, lengths, angles and pure numbers have one dimension each. Other quantities are told in units of
        other dimensions, too: columns of water in cm, for what lies on a square metre; what is in a cubic metre lies on
        none. Light by the direction that it comes from is nothing else. Words that are no units say nothing.
        """
        if unit in (self.unit, *self.told_in) or not known(unit) or compatible(unit, self.unit):
            return True
        if (_PER_DIRECTION in unit) != (_PER_DIRECTION in self.unit):
            return False
        if self.unit in _OF_ONE_DIMENSION or compatible(unit, "K"):
            return False
        return not any(one.search(self.unit) and other.search(unit) for one, other in _NEVER_BOTH)


class _Kinds(dict[str, QuantityKind]):
    """Kinds by name; those that are only called something are found, and are not listed."""

    def __missing__(self, name: str) -> QuantityKind:
        kind = _called(name)
        if kind is None:
            raise KeyError(name)
        return kind

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and _called(name) is not None)

    def get(self, name: str, default: Any = None) -> Any:
        found = super().get(name)
        return found or _called(name) or default


@lru_cache(maxsize=1024)
def _called(name: str) -> QuantityKind | None:
    """The kind of what data call so, where the name says that nothing else is known of it."""
    told = read_called(name)
    if told is None:
        return None
    words, unit = told
    low = 0.0 if adds_up(unit) else None
    return QuantityKind(
        name=name,
        title=words[:1].upper() + words[1:],
        unit=unit_called(unit),
        range=(low, None),
        family=CALLED,
        categorical=unit == CLASSES,
        per_pixel=adds_up(unit),
        from_zero=unit != CLASSES and from_zero(unit),
        source="what the data call it",
    )


@kept()
def quantity_kinds() -> Mapping[str, QuantityKind]:
    """Every quantity kind by name: authored ones, strongest layer first, then the generated ones. Those of which
    only the name is known are found by it (``peat_depth__m``), and not among those that are listed.

    Raises ``DocumentError`` with all problems when an authored file is broken (units: see ``validate_quantities``).
    """
    problems = Problems()
    kinds = _Kinds()
    for document, path, _layer, entry in _entries(problems):
        kind = _kind(document, path, entry, problems)
        if kind is not None:
            kinds.setdefault(kind.name, kind)
    if problems.errors:
        raise DocumentError("the quantity kinds are not valid", problems=problems.errors)
    for kind in _index_kinds():
        kinds.setdefault(kind.name, kind)
    return MappingProxyType(kinds)


def quantity_kind(name: str) -> QuantityKind:
    """The kind of that name; raises ``UnknownNameError`` that suggests kinds with a similar name or synonym."""
    kinds = quantity_kinds()
    if name in kinds:
        return kinds[name]
    words = {word.lower(): kind.name for kind in kinds.values() for word in (*kind.synonyms, kind.name)}
    wanted = name.lower().strip()
    spaced = [words[word] for word in (wanted.replace("_", " "), wanted.replace(" ", "_")) if word in words]
    close = dict.fromkeys((*spaced, *(words[word] for word in lookalikes(wanted, words))))
    raise UnknownNameError(
        f"no quantity kind is called {name!r}",
        expected="a quantity kind, such as surface_temperature or ndvi",
        found=repr(name),
        hint=f"did you mean {' or '.join(close)}?" if close else None,
    )


def validate_quantities() -> tuple[Problem, ...]:
    """Everything that is wrong with the authored kinds, with file and line; shadowing is a warning.

    Unlike ``quantity_kinds`` this checks the units too, which loads pint.
    """
    problems = Problems()
    first: dict[str, tuple[str, str]] = {}
    for document, path, layer, entry in _entries(problems):
        kind = _kind(document, path, entry, problems)
        if kind is None:
            continue
        place = f"{document.file}:{document.line(path)}"
        if not known(kind.unit):
            expected, hint = "a unit in CF's spelling", "such as 'K', 'W m-2 sr-1', '%', or '1' for a pure number"
            problems.add(document.problem((*path, "unit"), "unknown_unit", expected, repr(kind.unit), hint))
        stronger, where = first.setdefault(kind.name, (layer, place))
        if where == place:
            continue
        key = (*path, "quantity")
        if stronger == layer:
            found = f"{kind.name} again, first in {where}"
            problems.add(document.problem(key, "duplicate_name", "each quantity kind once", found))
        else:
            found = f"{kind.name} of the {layer} layer, hidden by {where}"
            problems.add(document.problem(key, "shadowed", "quantity kinds in use", found, severity="warning"))
    indices = spectral_indices()
    for name in first.keys() & indices.keys():
        file, _, line = first[name][1].rpartition(":")
        problems.add(
            Problem(
                code="shadows_index",
                expected="names that no spectral index has",
                found=f"{name}, the spectral index {indices[name].short_name}",
                hint="fine if it is the same quantity, described better",
                file=file,
                line=int(line),
                severity="warning",
            )
        )
    return tuple(problems)


def _entries(problems: Problems) -> Iterator[tuple[Document, Key, str, object]]:
    """Every authored entry, with its document, its key path and its layer."""
    for resource in resources("pkb", "quantities/**/*.yaml"):
        document = load(resource.path)
        problems.extend(document.problems)
        if isinstance(document.data, list):
            for index, entry in enumerate(document.data):
                yield document, (index,), resource.layer, entry
        elif document.data is not None:
            found = type(document.data).__name__
            problems.add(document.problem((), "wrong_type", "a list of quantity kinds", found))


def _kind(document: Document, path: Key, entry: object, problems: Problems) -> QuantityKind | None:
    """The kind that an entry describes; None, with all its problems noted, when it is not valid."""
    if not isinstance(entry, dict):
        problems.add(document.problem(path, "wrong_type", "a mapping with 'quantity'", repr(entry)))
        return None
    wrong: list[Problem] = []
    for key, value in entry.items():
        check = _CHECKS.get(key)
        if check is None:
            hint = did_you_mean(str(key), _CHECKS, most=1)
            wrong.append(document.problem((*path, key), "unknown_key", f"one of {', '.join(_CHECKS)}", repr(key), hint))
            continue
        expected = check(value)
        if expected:
            code = "range_reversed" if key == "range" and _is_range(value) else "wrong_type"
            wrong.append(document.problem((*path, key), code, expected, repr(value)))
    for key in _REQUIRED:
        if key not in entry:
            wrong.append(document.problem((*path, key), "missing_field", f"the field {key!r}", "none"))
    problems.extend(wrong)
    if wrong:
        return None
    return QuantityKind(
        name=entry["quantity"],
        title=entry["title"],
        unit=entry["unit"],
        range=_ends(entry["range"]),
        family=entry["family"],
        cf_name=entry.get("cf_name"),
        categorical=entry.get("categorical", False),
        circular=entry.get("circular", False),
        water=entry.get("water", False),
        accumulates=entry.get("accumulates", False),
        from_zero=entry.get("from_zero", False),
        per_pixel=entry.get("per_pixel", False),
        summed=entry.get("summed", False),
        borrows_unit=entry.get("borrows_unit", False),
        blank_is_none=entry.get("blank_is_none", False),
        told_bare=entry.get("told_bare", False),
        amount=entry.get("amount"),
        told_in=tuple(entry.get("told_in", ())),
        top=_ends(entry.get("top", (None, None))),
        words=tuple(entry.get("words", ())),
        classes=MappingProxyType(dict(entry.get("classes", {}))),
        synonyms=tuple(entry.get("synonyms", ())),
        source=entry["source"],
    )


def _ends(written: Sequence[float | None]) -> Range:
    low, high = (None if end is None else float(end) for end in written)
    return low, high


def _index_kinds() -> Iterator[QuantityKind]:
    for index in spectral_indices().values():
        yield QuantityKind(
            name=index.name,
            title=index.title,
            unit="1",
            range=index.range,
            family="index",
            cf_name=_INDEX_CF_NAMES.get(index.name),
            synonyms=(index.title.lower(),),
            source=index.reference,
        )


def _is_text(value: object) -> str:
    return "" if isinstance(value, str) and value else "text"


def _is_unit(value: object) -> str:
    return "" if isinstance(value, str) and value else 'a unit as text, such as "1" (in quotes) or K'


def _is_name(value: object) -> str:
    return "" if isinstance(value, str) and _NAME.match(value) else "a name in snake_case"


def _is_flag(value: object) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _is_words(value: object) -> str:
    words = isinstance(value, list) and all(isinstance(word, str) and word for word in value)
    return "" if words else "a list of words"


def _is_classes(value: object) -> str:
    pairs = isinstance(value, dict) and all(
        isinstance(key, int) and isinstance(name, str) for key, name in value.items()
    )
    return "" if pairs else "a mapping of whole numbers to names"


def _is_range(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(end is None or (isinstance(end, int | float) and not isinstance(end, bool)) for end in value)
    )


def _is_ordered_range(value: object) -> str:
    if not isinstance(value, list) or not _is_range(value):
        return "[lowest, highest], with null for an open end"
    low, high = value
    return "" if low is None or high is None or low < high else "the lowest value first"


_CHECKS: Mapping[str, Callable[[object], str]] = MappingProxyType(
    {
        "quantity": _is_name,
        "title": _is_text,
        "unit": _is_unit,
        "range": _is_ordered_range,
        "family": _is_name,
        "cf_name": _is_name,
        "categorical": _is_flag,
        "circular": _is_flag,
        "water": _is_flag,
        "accumulates": _is_flag,
        "from_zero": _is_flag,
        "per_pixel": _is_flag,
        "summed": _is_flag,
        "borrows_unit": _is_flag,
        "blank_is_none": _is_flag,
        "told_bare": _is_flag,
        "amount": _is_name,
        "told_in": _is_words,
        "top": _is_ordered_range,
        "words": _is_words,
        "classes": _is_classes,
        "synonyms": _is_words,
        "source": _is_text,
    }
)
