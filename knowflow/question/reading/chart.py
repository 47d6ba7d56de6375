"""A chart: all that the words of a sentence make together, span by span, by rules that say what combines.

A rule is a line ``N <- STAT of? N`` and a function. Symbols in capitals have a value that the function is given, those
in small letters are words that join; a symbol with a question mark may be missing. The function gives the value of the
whole, or None where these values do not combine. Of what two ways make alike, the cheaper one stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

_WIDTH = 12
"""How many values of a symbol are kept for one span."""

Make: TypeAlias = Callable[..., Any]
Line: TypeAlias = tuple[str, Make] | tuple[str, Make, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """``parts`` make ``symbol``; ``cost`` says how much less likely that is than others."""

    symbol: str
    parts: tuple[str, ...]
    make: Make
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """What the words from ``start`` up to ``end`` may stand for."""

    symbol: str
    start: int
    end: int
    value: Any
    cost: int = 0


@dataclass(frozen=True, slots=True)
class Made:
    """A value of a symbol over a span, what it cost, and the entities that it is made of."""

    value: Any
    cost: int
    entities: tuple[Entity, ...]


def rules_of(line: str, make: Make, cost: int = 0) -> Iterator[Rule]:
    """The rules that a line stands for: one for each choice of what may be missing."""
    symbol, _, body = line.partition(" <- ")
    choices = [((part[:-1],), ()) if part.endswith("?") else ((part,),) for part in body.split()]
    for chosen in product(*choices):
        yield Rule(symbol, tuple(part for parts in chosen for part in parts), make, cost)


def rules_from(lines: Iterable[Line]) -> tuple[Rule, ...]:
    """The rules of a table of lines, each with its function and, perhaps, its cost."""
    return tuple(rule for line, make, *cost in lines for rule in rules_of(line, make, *cost))


class Grammar:
    """Rules as a tree of their parts, so that those that begin alike are followed once."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.nodes: list[dict[str, int]] = [{}]
        self.done: list[list[Rule]] = [[]]
        for rule in rules:
            at = 0
            for part in rule.parts:
                if part not in self.nodes[at]:
                    self.nodes[at][part] = len(self.nodes)
                    self.nodes.append({})
                    self.done.append([])
                at = self.nodes[at][part]
            self.done[at].append(rule)


Cell: TypeAlias = dict[str, dict[Any, Made]]
Begun: TypeAlias = list[tuple[int, tuple[Any, ...], int, tuple[Entity, ...]]]
"""Rules of which some parts are there: where in the grammar, their values, cost and entities."""


class Chart:
    """All that ``entities`` make together; ``cell(i, j)`` has the values of every symbol over the words i up to j."""

    def __init__(self, grammar: Grammar, length: int, entities: Sequence[Entity]) -> None:
        self._grammar, self.length = grammar, length
        self._cells: dict[tuple[int, int], Cell] = {}
        self._begun: dict[tuple[int, int], Begun] = {}
        at: dict[tuple[int, int], list[Entity]] = {}
        for entity in entities:
            at.setdefault((entity.start, entity.end), []).append(entity)
        for end in range(1, length + 1):
            for start in range(end - 1, -1, -1):
                self._fill(start, end, at.get((start, end), ()))

    def cell(self, start: int, end: int) -> Cell:
        """What was made of a span, by symbol."""
        return self._cells.get((start, end), {})

    def _fill(self, start: int, end: int, entities: Sequence[Entity]) -> None:
        cell: Cell = {}
        begun: Begun = []
        agenda: list[tuple[str, Made]] = [(one.symbol, Made(one.value, one.cost, (one,))) for one in entities]
        for middle in range(start + 1, end):
            right = self._cells.get((middle, end))
            if right:
                for one in self._begun.get((start, middle), ()):
                    agenda += self._advanced(one, right, begun)
        while agenda:
            symbol, made = agenda.pop()
            values = cell.setdefault(symbol, {})
            known = values.get(made.value)
            if (known is not None and known.cost <= made.cost) or (known is None and len(values) >= _WIDTH):
                continue
            values[made.value] = made
            agenda += self._advanced((0, (), 0, ()), {symbol: {made.value: made}}, begun)
        if cell:
            self._cells[start, end] = cell
        if begun:
            self._begun[start, end] = begun

    def _advanced(self, one: Any, right: Cell, begun: Begun) -> Iterator[tuple[str, Made]]:
        """What a rule that is begun makes with what stands right of it; what is still begun is added to ``begun``."""
        at, values, cost, entities = one
        nodes = self._grammar.nodes[at]
        few, many = (nodes, right) if len(nodes) < len(right) else (right, nodes)
        for symbol in few:  # in their order, which no hash of a text decides
            if symbol not in many:
                continue
            node = nodes[symbol]
            for made in right[symbol].values():
                given = (*values, made.value) if symbol[0].isupper() else values
                costs, used = cost + made.cost, (*entities, *made.entities)
                if self._grammar.nodes[node]:
                    begun.append((node, given, costs, used))
                for rule in self._grammar.done[node]:
                    value = rule.make(*given)
                    if value is not None:
                        yield rule.symbol, Made(value, costs + rule.cost, used)
