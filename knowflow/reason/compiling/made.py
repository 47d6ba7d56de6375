"""What an operator was made into: one value of the workflow per key, as known when the plan is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.workflow import FromNode, Given
from knowflow.question.operators import Expression
from knowflow.question.types import Type
from knowflow.reason.builder import Bound, Builder

Keys = tuple[str, ...]
LAYER = 3


class NotCompiledError(PlanningError):
    """No tool or template realises an operator there yet."""

    code = "not_compiled"


@dataclass(frozen=True, slots=True)
class Cover:
    """A raster of the part of each pixel that counts; ``partly``: not only all or nothing of it."""

    bound: Bound
    partly: bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cover) and self.bound.value == other.bound.value

    def __hash__(self) -> int:
        return hash(self.bound.value)


@dataclass(frozen=True, slots=True)
class Item:
    """The value of one key.

    ``covers`` multiply to its ground, the part of each pixel that counts; those ``applied`` are nodata beyond it
    already. ``present``: the key is only there where this truth holds, which the run finds.
    """

    bound: Bound
    covers: tuple[Cover, ...] = ()
    applied: frozenset[Cover] = frozenset()
    present: Bound | None = None

    @property
    def partly(self) -> bool:
        """Whether of some pixels a part counts."""
        return any(cover.partly for cover in self.covers)

    @property
    def pending(self) -> bool:
        """Whether there are values beyond its ground."""
        return not self.applied >= set(self.covers)

    def over(self, bound: Bound) -> Item:
        """Another value on the same ground, made of this one pixel by pixel."""
        return replace(self, bound=bound)

    def alone(self, bound: Bound) -> Item:
        """Another value of the same key, without pixels."""
        return Item(bound, present=self.present)


Group: TypeAlias = list[tuple[str, Item]]
"""The values along a key, each with its key."""


def _together(group: Group) -> bool:
    first = group[0][1].present
    return all(
        item.present == first or (item.present and first and item.present.value == first.value) for _, item in group
    )


@dataclass(frozen=True, slots=True)
class Made:
    """The values of an expression by key; the names of the keys are those of its type.

    ``literal``: a stated number. ``legend`` names the numbers of classes. ``thin`` are the periods of which less than
    80 % is covered. ``table``: all keys are rows of one table, of which this column is meant. ``listed``: the values of
    all keys, in order, as one list, from which ``items`` takes single ones where they are wanted.
    """

    type: Type
    items: Mapping[Keys, Item]
    literal: bool = False
    legend: Mapping[int, str] = field(default_factory=dict)
    thin: frozenset[tuple[str, str]] = frozenset()
    table: str = ""
    listed: Bound | None = None

    @property
    def only(self) -> Bound:
        """The value of what has no keys."""
        return self.items[()].bound

    @property
    def sometimes(self) -> bool:
        """Whether only the run finds which keys are there."""
        return self.listed is None and any(item.present is not None for item in self.items.values())

    def together(self, name: str) -> bool:
        """Whether the keys of a name are there all or none (a class that does not occur), for each of the others."""
        return all(_together(group) for group in self.groups(name).values())

    def of(self, type_: Type, items: Mapping[Keys, Item], legend: Mapping[int, str] | None = None) -> Made:
        """Other values under other keys."""
        names = self.legend if legend is None and type_.of == "class" else legend or {}
        return Made(type_, dict(sorted(items.items())), False, names, self.thin)

    def place(self, name: str) -> int:
        """Where in the keys the innermost of a name stands."""
        return len(self.type.keys) - 1 - self.type.keys[::-1].index(name)

    def groups(self, name: str) -> dict[Keys, Group]:
        """The values along the innermost key of a name, in order, for each of the other keys."""
        at = self.place(name)
        found: dict[Keys, Group] = {}
        for key, item in sorted(self.items.items(), key=lambda one: one[0]):
            found.setdefault(key[:at] + key[at + 1 :], []).append((key[at], item))
        return found

    def key(self, rest: Keys, name: str, key: str) -> Keys:
        """A whole key: the others with that of a name in its place."""
        at = self.place(name)
        return (*rest[:at], key, *rest[at:])


class OfList(Mapping[Keys, Item]):
    """The values of a list by their keys, each taken from it when it is wanted."""

    def __init__(self, keys: Iterable[str], take: Callable[[int, str], Bound]) -> None:
        self._places: dict[Keys, int] = {(key,): place for place, key in enumerate(keys)}
        self._take = take

    def __getitem__(self, key: Keys) -> Item:
        return Item(self._take(self._places[key], key[0]))

    def __iter__(self) -> Iterator[Keys]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def refuse(e: Expression, what: str, hint: str = "") -> NotCompiledError:
    """That nothing realises an operator there."""
    return NotCompiledError(
        f"{e.op} cannot be carried out here",
        where=e.op,
        expected="something that a tool or a template does",
        found=what,
        hint=hint or "the question fits, but no tool does this yet: ask for its parts",
    )


def meet(e: Expression, a: Made, b: Made) -> Iterator[tuple[Keys, Item, Item]]:
    """The values of two that belong together: on the keys that both have, one without a key for all of it."""
    large, small = (a, b) if len(a.type.keys) >= len(b.type.keys) else (b, a)
    places = [large.type.keys.index(name) for name in small.type.keys]
    met = False
    for key, item in large.items.items():
        other = small.items.get(tuple(key[place] for place in places))
        if other is not None:
            met = True
            yield key, *((item, other) if large is a else (other, item))
    if not met:
        mine, theirs = (", ".join(sorted({"/".join(key) for key in one.items})[:5]) for one in (a, b))
        expected = f"the same {' and '.join(small.type.keys)} in both"
        raise PlanningError(f"{e.op}: the two do not meet", where=e.op, expected=expected, found=f"{mine} and {theirs}")


class Nodes:
    """Adds nodes, each with what its preconditions need, to one workflow; the same node of the same values once."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._added: dict[str, Bound] = {}

    def add(
        self, tool: str, step: str, key: Keys = (), output: str = "", layer: int = LAYER, **arguments: Any
    ) -> Bound:
        """One node; arguments are bound values, items, or plain ones. Returns the named output, or its first."""
        given = {name: _bound(value) for name, value in arguments.items() if value is not None}
        text = repr((tool, output, sorted((name, repr(bound.value)) for name, bound in given.items())))
        if text not in self._added:
            node = self.builder.add(tool, given, layer=layer, step=".".join((step, *filter(None, key))))
            self._added[text] = self.builder.output(node, output or self.builder.outputs_of(node)[0])
        return self._added[text]

    def series(self, items: Iterable[Bound]) -> Bound:
        """Several values in order as one."""
        return self.builder.series(list(items))

    def beside(self, bound: Bound, output: str) -> Bound:
        """Another output of the node that makes a value."""
        assert isinstance(bound.value, FromNode)
        return self.builder.output(bound.value.node, output)

    def tool_of(self, bound: Bound) -> str:
        """The tool that makes a value; empty where none does."""
        made = bound.value.node if isinstance(bound.value, FromNode) else ""
        return next((node.tool for node in self.builder.workflow.nodes if node.id == made), "")

    # --- what is there ---------------------------------------------------------------------------------------------

    def there(self, item: Item, step: str, key: Keys) -> Bound:
        """A value, of which nothing is known where its key is not there."""
        if item.present is None:
            return item.bound
        if is_raster(item.bound):
            return self.add("raster_where", f"{step}.there", key, raster=item.bound, truth=item.present)
        return self.add("number_where", f"{step}.there", key, x=item.bound, truth=item.present)

    def where_there(self, item: Item, step: str, key: Keys) -> Item:
        """A value that always has its key, of which nothing is known where the key is not there."""
        return replace(item, bound=self.there(item, step, key), present=None)

    def listed(self, group: Group, step: str, key: Keys) -> tuple[list[Bound], Bound | None]:
        """Values in order, and the truth that all of them are there; where they are not alike, each is masked."""
        if _together(group):
            return [item.bound for _, item in group], group[0][1].present
        return [self.there(item, step, (*key, name)) for name, item in group], None

    def both_there(self, a: Item, b: Item, step: str, key: Keys) -> Bound | None:
        """The truth that two keys are there; None: they are."""
        if a.present is None or b.present is None or a.present.value == b.present.value:
            return b.present if a.present is None else a.present
        truths = self.series([a.present, b.present])
        return self.add("truths_combined", f"{step}.there", key, truths=truths, how="and")

    def either_there(self, a: Item, b: Item, step: str, key: Keys) -> Bound | None:
        """The truth that one of two keys is there; None: it is."""
        if a.present is None or b.present is None or a.present.value == b.present.value:
            return None if a.present is None or b.present is None else a.present
        return self.add("truths_combined", f"{step}.there", key, truths=self.series([a.present, b.present]), how="or")

    # --- ground ----------------------------------------------------------------------------------------------------

    def cover(self, item: Item, step: str, key: Keys) -> Bound | None:
        """The ground of a value as one raster; None: all of it counts."""
        if not item.covers:
            return None
        if len(item.covers) == 1 and item.partly:
            return item.covers[0].bound
        covers = self.series(cover.bound for cover in item.covers)
        return self.add("joined_cover", f"{step}.ground", key, series=covers, how="product")

    def on_ground(self, item: Item, step: str, key: Keys) -> Item:
        """A map that is nodata beyond its ground."""
        for cover in item.covers:
            if cover not in item.applied:
                given: dict[str, Any] = {"raster": item.bound, "cover": cover.bound, "keep_unknown": True}
                made = self.add("restricted", f"{step}.ground", key, **given)
                item = replace(item, bound=made, applied=item.applied | {cover})
        return item

    def together(self, a: Item, b: Item, bound: Bound, step: str, key: Keys, how: str = "both") -> Item:
        """What two make pixel by pixel: its ground is what is ground of both. ``how`` is any where one may decide."""
        present = self.both_there(a, b, step, key)
        covers = (*a.covers, *(cover for cover in b.covers if cover not in a.covers))
        applied = a.applied & b.applied if how == "any" else a.applied | b.applied
        one, other = ({cover for cover in item.covers if cover.partly} for item in (a, b))
        if not (one <= other or other <= one):
            grounds = [self.cover(one, step, key) for one in (a, b)]
            smallest = self.add(
                "joined_cover", f"{step}.ground", key, series=self.series(filter(None, grounds)), how="smallest"
            )
            covers, applied = (Cover(smallest, True),), frozenset()
        return Item(bound, covers, applied, present)

    def stacked(self, group: Group, step: str, key: Keys) -> tuple[list[Bound], Item]:
        """Maps in order, to be brought together, and an item with the ground of what they make.

        That is where any of them has some; where all have one, it stays.
        """
        items = [item for _, item in group]
        if all(item.covers == items[0].covers for item in items):
            applied = frozenset(items[0].covers).intersection(*(item.applied for item in items))
            shared = replace(items[0], applied=applied)
        else:
            items = [self.on_ground(item, step, (*key, name)) for name, item in group]
            grounds = [self.cover(item, step, (*key, name)) for name, item in group]
            shared = Item(items[0].bound)
            if all(ground is not None for ground in grounds):
                largest = self.add(
                    "joined_cover", f"{step}.ground", key, series=self.series(filter(None, grounds)), how="largest"
                )
                one = Cover(largest, any(item.partly for item in items))
                shared = Item(items[0].bound, (one,), frozenset((one,)))
        names = [name for name, _ in group]
        values, present = self.listed(list(zip(names, items, strict=True)), step, key)
        return values, replace(shared, present=present)

    def each(self, x: Made, type_: Type, change: Callable[[Keys, Bound], Bound]) -> Made:
        """Every value changed by a node of its own."""
        return x.of(type_, {key: item.over(change(key, item.bound)) for key, item in x.items.items()})


def _bound(value: Any) -> Bound:
    if isinstance(value, Item):
        return value.bound
    return value if isinstance(value, Bound) else constant(value)


def constant(value: Any) -> Bound:
    """A plain value."""
    return Bound(Given(value), value)


def is_raster(bound: Bound) -> bool:
    """Whether a value lies over space."""
    return isinstance(bound.known, Artifact) and bound.known.type == "raster"
