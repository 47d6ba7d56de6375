"""Problems of documents and plans, collected: all of them at once, never just the first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, what was expected, what was found, what to do."""

    code: str
    expected: str
    found: str
    hint: str = ""
    where: str = ""
    file: str = ""
    line: int = 0
    severity: Severity = "error"

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        where = f"{self.where}: " if self.where else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{where}[{self.code}] expected {self.expected}, found {self.found}{hint}"

    def to_json(self) -> dict[str, object]:
        return asdict(self)


class Problems:
    """An ordered collector; stages add to one instance and the caller looks at it once."""

    def __init__(self, items: Iterable[Problem] = ()) -> None:
        self._items: list[Problem] = list(items)

    def add(self, problem: Problem) -> None:
        if problem not in self._items:
            self._items.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        for problem in problems:
            self.add(problem)

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self._items if problem.severity == "error")

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)
