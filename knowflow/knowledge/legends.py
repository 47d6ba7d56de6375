"""Legends of well-known class maps: what their numbers are called, and which of the classes people ask for they are."""

from __future__ import annotations

import re
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


class LegendClass(Document):
    """One number of a class map."""

    name: str = Field(description="what the legend calls it")
    class_: str | None = Field(None, alias="class", description="forest, cropland, water...: the class people ask for")


class Legend(Document):
    """The classes of one product."""

    legend: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    title: str
    names: tuple[str, ...] = Field((), description="words in layer and file names that tell the product")
    quantity: str | None = Field(None, description="a quantity kind that only this product holds")
    classes: Mapping[int, LegendClass]
    source: str

    def numbers(self, asked: str) -> tuple[int, ...]:
        """The numbers of that class: by its whole name, else by what people ask for, else by a part of a name."""
        names = {code: entry.name for code, entry in self.classes.items()}
        wanted = _words(asked)
        meant = tuple(code for code, entry in self.classes.items() if entry.class_ and _words(entry.class_) == wanted)
        return _called(names, asked) or meant or _containing(names, asked)


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
    """The legend that a quantity kind, or words in layer and file names tell, and that knows all numbers of the map.

    The numbers are asked for only where something tells a legend.
    """
    told = " ".join(names)
    occurring: set[int] | None = None
    for one in legends().values():
        by_name = any(re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", told, re.IGNORECASE) for word in one.names)
        if by_name or (one.quantity is not None and one.quantity == quantity):
            occurring = set(numbers()) if occurring is None else occurring
            if occurring <= set(one.classes):
                return one
    return None


def check_legends() -> tuple[Problem, ...]:
    """Everything that is wrong with the legends, with file and line."""
    problems = Problems()
    for one in authored(_FILES, Legend, problems):
        quantity = one.model.quantity
        if quantity is not None and quantity not in quantity_kinds():
            problems.add(one.document.problem(("quantity",), "unknown_quantity", "a quantity kind", repr(quantity)))
    return tuple(problems)


def _words(text: str) -> tuple[str, ...]:
    """The words of a name, singular where that is the plural without its s."""
    return tuple(word.removesuffix("s") for word in re.findall(r"[a-z0-9]+", text.casefold()))
