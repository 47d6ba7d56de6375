"""Legends of well-known class maps: what their numbers are called, and which of the classes people ask for they are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from pydantic import Field

from knowflow.ground.errors import DocumentError, UnknownNameError
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.documents import authored
from knowflow.model.tool import Document

_BY_BOTH = re.compile(r"(.+) \(class (\d+)\)")
_BY_NUMBER = re.compile(r"(?:(?:class|code|category|type|number|value)\s*(?:number|code)?\s*#?)?(\d{1,5})", re.I)
_FILES = "legends/**/*.yaml"
_PART = re.compile(r"[^\W_]+")
LAND_COVER = "land_cover_class"


class LegendClass(Document):
    """One number of a class map."""

    name: str = Field(description="what the legend calls it")
    class_: str | tuple[str, ...] = Field(
        (), alias="class", description="forest, cropland, water...: the class people ask for; several that it is of"
    )

    @property
    def meant(self) -> tuple[str, ...]:
        """The classes people ask for that it is of."""
        return (self.class_,) if isinstance(self.class_, str) else self.class_


class Legend(Document):
    """The classes of one product."""

    legend: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    names: tuple[str | tuple[str, ...], ...] = Field(
        (), description="words in layer and file names, and products of pkb/products, that tell it; several, that do so"
    )
    others: tuple[str, ...] = Field((), description="words that tell another map of the same maker")
    quantity: str | None = Field(None, description="a quantity kind that only this product holds")
    of: str = Field(LAND_COVER, description="the quantity kind of its maps, where others hold it as well")
    each: tuple[str, ...] = Field((), description="what one of its classes is called: soil group")
    classes: Mapping[int, LegendClass]
    groups: Mapping[str, tuple[str, ...]] = Field(
        {}, description="what all classes are called whose numbers begin so: artificial surfaces"
    )
    source: str

    def numbers(self, asked: str) -> tuple[int, ...]:
        """The numbers of that class: by its whole name or by what people ask for, else by a part of a name.

        Forest is all that is forest, where one of them is called so as well.
        """
        wanted = _words(asked)
        meant = {code for code, entry in self.classes.items() if wanted in map(_words, entry.meant)}
        return tuple(sorted({*_called(self.called, asked), *meant})) or _containing(self.called, asked)

    @property
    def called(self) -> Mapping[int, str]:
        """What each number is called."""
        return {code: entry.name for code, entry in self.classes.items()}


def numbers_named(names: Mapping[int, str], asked: str) -> tuple[int, ...]:
    """The numbers of the classes of that name; failing these, of those whose names hold all its words."""
    return _called(names, asked) or _containing(names, asked)


def number_said(asked: str) -> int | None:
    """The number by which a class is named: 3 of ``class 3``, ``code 3``, ``3``."""
    found = _BY_NUMBER.fullmatch(asked.strip())
    return None if found is None else int(found[1])


def with_number(name: str, code: int) -> str:
    """A class by its name and its number, which have to be those of one: ``tree cover (class 10)``."""
    return f"{name} (class {code})"


def name_and_number(asked: str) -> tuple[str, int] | None:
    """The name and the number of a class that is said by both."""
    found = _BY_BOTH.fullmatch(asked.strip())
    return None if found is None else (found[1], int(found[2]))


def name_of(asked: str) -> str | None:
    """The name of a class that is said by its number as well."""
    both = name_and_number(asked)
    return None if both is None else both[0]


def _called(names: Mapping[int, str], asked: str) -> tuple[int, ...]:
    return tuple(code for code, name in names.items() if _words(name) == _words(asked))


def _containing(names: Mapping[int, str], asked: str) -> tuple[int, ...]:
    wanted = set(_words(asked))
    return tuple(code for code, name in names.items() if wanted and wanted <= set(_words(name)))


@kept()
def legends() -> Mapping[str, Legend]:
    """All legends by name, the project's before the user's before the packaged; ``DocumentError`` for wrong ones."""
    problems = check_legends()
    if problems:
        raise DocumentError("the legends are not valid", problems=problems)
    found: dict[str, Legend] = {}
    for one in authored(_FILES, Legend, Problems()):
        found.setdefault(one.model.legend, one.model)
    return found


def legend(name: str) -> Legend:
    """The legend of that name; ``UnknownNameError`` lists those there are."""
    if name not in legends():
        raise UnknownNameError(f"there is no legend {name!r}", expected=", ".join(sorted(legends())), found=name)
    return legends()[name]


def legend_of(quantity: str | None, names: Iterable[str], numbers: Callable[[], Iterable[int]]) -> Legend | None:
    """The legend that a quantity kind, or words in layer and file names tell, and that knows all numbers of the map;
    None where two do, and do not call all of these the same.

    The numbers are asked for only where something tells a legend.
    """
    text = " ".join(names)
    told = [one for one in legends().values() if one.quantity == (quantity or "") or _is_told(one, text)]
    occurring = frozenset(numbers()) if told else frozenset()
    fitting = [one for one in told if occurring <= one.classes.keys()]
    alike = {tuple(one.classes[number].name for number in sorted(occurring)) for one in fitting}
    return fitting[0] if occurring and len(alike) == 1 else None


def legend_calling(names: Mapping[int, str]) -> Legend | None:
    """The legend that calls its numbers so: all of them, and no others."""
    return next((one for one in legends().values() if one.called == names), None)


def codes_of(names: Iterable[str]) -> tuple[Legend, Mapping[str, str]] | None:
    """The legend whose numbers are in groups that calls most of some classes so, and the number of each that it has,
    whatever numbers their map has; None without one."""
    for one in legends().values() if names else ():
        known = {_words(entry.name): str(code) for code, entry in one.classes.items()} if one.groups else {}
        found = {name: known[_words(name)] for name in names if _words(name) in known}
        if found and 3 * len(found) >= 2 * len(tuple(names)):
            return one, found
    return None


def each_called(names: Mapping[int, str]) -> tuple[str, ...]:
    """What one class of a map is called: ``crop``, where a legend that says so calls its numbers as the map does."""
    alike = (one for one in legends().values() if one.each and _agrees(one, names))
    return tuple(dict.fromkeys(name for one in alike for name in one.each))


def _agrees(one: Legend, names: Mapping[int, str]) -> bool:
    """Whether it has all numbers and calls two of three as they are called there: whose words differ in some."""
    if not names or not names.keys() <= one.classes.keys():
        return False
    same = sum(_words(one.classes[code].name) == _words(name) for code, name in names.items())
    return 3 * same >= 2 * len(names)


def _is_told(one: Legend, text: str) -> bool:
    """Whether a text has names of a product, and none of another map of the same maker."""
    told = any(all(_has(text, name) for name in ((names,) if isinstance(names, str) else names)) for names in one.names)
    return told and not any(_has(text, name) for name in one.others)


def _has(text: str, name: str) -> bool:
    """Whether a text has a name, its parts written together or apart."""
    spelt = r"[\W_]*".join(map(re.escape, _PART.findall(name)))
    return re.search(rf"(?<![a-z]){spelt}(?![a-z])", text, re.IGNORECASE) is not None


def check_legends() -> tuple[Problem, ...]:
    """Everything that is wrong with the legends, with file and line."""
    problems = Problems()
    for one in authored(_FILES, Legend, problems):
        quantity = one.model.quantity
        for key, kind in (("quantity", quantity), ("of", one.model.of)):
            if kind is not None and kind not in quantity_kinds():
                problems.add(one.document.problem((key,), "unknown_quantity", "a quantity kind", repr(kind)))
        names = Counter(one.model.called.values())
        for code, name in one.model.called.items():
            if names[name] > 1:
                problems.add(one.document.problem(("classes", code), "repeated_name", "a name of its own", repr(name)))
    return tuple(problems)


def _words(text: str) -> tuple[str, ...]:
    """The words of a name, singular where that is the plural without its s."""
    return tuple(word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", text.casefold()))
