"""The operators of the algebra, as frozen values: a question is a tree of them.

Each class says what it means in one line; what it takes and gives is ruled in :mod:`knowflow.question.check`. The
names of the fields, their order and their types are the form of the YAML, of the text and of the JSON Schema: there
is no second list of them. A field that ends in ``_`` is written without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from knowflow.question.times import Times

ALGEBRA = 1

Grain: TypeAlias = Literal["date", "week", "month", "season", "year", "month_of_year"]
# fmt: off
Statistic: TypeAlias = Literal[
    "mean", "median", "minimum", "maximum", "deviation", "percentile", "sum", "range", "count",
    "share", "any", "all", "area", "longest", "longest_run", "first", "last", "patches", "largest_patch",
    "majority", "variety", "integral", "length",
]
Axes: TypeAlias = Literal[
    "space", "time", "both", "date", "week", "month", "season", "year", "month_of_year", "classes", "objects"
]
Side: TypeAlias = Literal["above", "at_least", "below", "at_most", "between"]
Arithmetic: TypeAlias = Literal[
    "difference", "sum", "product", "ratio", "percent_change", "minimum", "maximum", "absolute", "power", "logarithm",
]
# fmt: on
GRAINS: tuple[str, ...] = get_args(Grain)
UNARY = ("absolute", "logarithm")
COMMUTE = ("sum", "product", "minimum", "maximum")


@dataclass(frozen=True, slots=True)
class Expression:
    """The base of all operators."""

    op: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Quantity(Expression):
    """What the data hold or a method can make of them; ``having`` names facts: night, orbit, sensor, layer."""

    op = "quantity"
    kind: str
    method: str | None = None
    having: tuple[tuple[str, str], ...] = ()


SURVEYED = ("surveyed", "each date")
"""What is had by a quantity that stands for all dates, elevation, where it is that of each survey of it."""

STANDING = ("surveyed", "no date")
"""What is had by a quantity of several dates where a map without one stands for all of them."""

CLOUDED = ("clouds", "included")
"""What is had by a quantity of which clouds are not taken off."""


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number that the question states, with its unit."""

    op = "number"
    value: float
    unit: str = "1"


@dataclass(frozen=True, slots=True)
class Polygons(Expression):
    """Polygons, lines or points given with the data: those of these names, or all, of the file ``layer``.

    Without ``layer`` there is one file of them; ``by`` an attribute, those of one value of it are taken together."""

    op = "polygons"
    names: tuple[str, ...] = ()
    by: str | None = None
    layer: str | None = None


@dataclass(frozen=True, slots=True)
class Point(Expression):
    """A place on the ground, in degrees east and north; the pixel that it lies in is meant."""

    op = "point"
    longitude: float
    latitude: float


@dataclass(frozen=True, slots=True)
class Attribute(Expression):
    """A number that the file of the features says of each of them, by the name of its column."""

    op = "attribute"
    x: Expression
    name: str
    unit: str = "1"


@dataclass(frozen=True, slots=True)
class Distance(Expression):
    """How far it is to the nearest of some features: from each of others, or from the centre of every pixel."""

    op = "distance"
    to: Expression
    x: Expression | None = None


@dataclass(frozen=True, slots=True)
class Outline(Expression):
    """The lines around polygons: their edges, shores."""

    op = "outline"
    x: Expression


@dataclass(frozen=True, slots=True)
class During(Expression):
    """Only those dates: told, a date that is found, or keys that are chosen."""

    op = "during"
    x: Expression
    when: Times | Expression


@dataclass(frozen=True, slots=True)
class Within(Expression):
    """Only that ground: a mask, polygons, a point, or polygons that are chosen. It sets the denominator.

    Of features what lies there: parts of lines and polygons."""

    op = "within"
    x: Expression
    where: Expression


@dataclass(frozen=True, slots=True)
class Beyond(Expression):
    """Whether a number lies on a side of a limit; ``between`` has two, both included, and wraps for directions."""

    op = "beyond"
    x: Expression
    side: Side
    limit: Expression
    upper: Expression | None = None


@dataclass(frozen=True, slots=True)
class IsClass(Expression):
    """Whether a class is one of these."""

    op = "is_class"
    x: Expression
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class And(Expression):
    """Whether all hold, as Kleene has it."""

    op = "and"
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or(Expression):
    """Whether any holds, as Kleene has it."""

    op = "or"
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """Whether it does not hold; unknown stays unknown."""

    op = "not"
    x: Expression


@dataclass(frozen=True, slots=True)
class Split(Expression):
    """One per key, nothing reduced; what is done next is done key by key. Of features those in each of others, which
    are then counted or measured together."""

    op = "split"
    x: Expression
    key: Grain | Expression


@dataclass(frozen=True, slots=True)
class Over(Expression):
    """A statistic that takes axes away: space, time (the innermost grain), both pooled, or a key by its name."""

    op = "over"
    x: Expression
    axes: Axes
    statistic: Statistic
    p: float | None = None


@dataclass(frozen=True, slots=True)
class Weighted(Expression):
    """The mean of numbers over space, the share of truths, each pixel by how much of something lies there: people,
    wood. Where there is none of it nothing counts."""

    op = "weighted"
    x: Expression
    by: Expression


@dataclass(frozen=True, slots=True)
class Along(Expression):
    """From each date to the next, added up so far, or the mean of the last ``n``."""

    op = "along"
    x: Expression
    how: Literal["change", "cumulated", "running"]
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Calculate(Expression):
    """Arithmetic of one number or two; units follow. ``percent_change`` is from ``b`` to ``a``, as ``difference``."""

    op = "calculate"
    how: Arithmetic
    a: Expression
    b: Expression | None = None


@dataclass(frozen=True, slots=True)
class Extreme(Expression):
    """The ``n`` innermost keys with the highest or lowest numbers, and these, ranked."""

    op = "extreme"
    x: Expression
    side: Literal["highest", "lowest"]
    n: int = 1


@dataclass(frozen=True, slots=True)
class Holds(Expression):
    """The keys for which it holds."""

    op = "holds"
    x: Expression


@dataclass(frozen=True, slots=True)
class Trend(Expression):
    """The slope over time, per year: least squares, or Theil and Sen's.

    ``auto`` seasons: where the dates are of several and suffice for it, each month is held against the same month of
    other years; ``kept``: the dates as they are.
    """

    op = "trend"
    x: Expression
    method: Literal["linear", "theil_sen"] = "linear"
    seasons: Literal["auto", "kept"] = "auto"


@dataclass(frozen=True, slots=True)
class Correlate(Expression):
    """Pearson's correlation of two numbers over the axes."""

    op = "correlate"
    a: Expression
    b: Expression
    axes: Literal["space", "time", "both", "objects"]


@dataclass(frozen=True, slots=True)
class Anomaly(Expression):
    """How far from the same season of the other years, or of those in ``base``, the asked one left out."""

    op = "anomaly"
    x: Expression
    as_: Literal["difference", "percent", "deviations"] = "difference"
    base: Times | None = None


@dataclass(frozen=True, slots=True)
class Classify(Expression):
    """Classes between ascending breaks, each with a label; or of one ``width``, between its multiples, called by these.

    A number on a limit is of the class above. ``unit`` is that of breaks and width."""

    op = "classify"
    x: Expression
    breaks: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    unit: str = "1"
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Apply(Expression):
    """What answers by itself: a tool or a template, of these inputs; ``settings`` are numbers and points for others,
    by name, ``having`` are choices of a template, and ``when`` is the time of one that names no quantity."""

    op = "apply"
    tool: str
    parts: tuple[Expression, ...] = ()
    settings: tuple[tuple[str, Expression], ...] = ()
    having: tuple[tuple[str, str], ...] = ()
    when: Times | None = None


@dataclass(frozen=True, slots=True)
class Show(Expression):
    """An answer to look at."""

    op = "show"
    x: Expression
    as_: Literal["map", "chart", "table", "picture"]


@dataclass(frozen=True, slots=True)
class Several(Expression):
    """A question with parts, each with a name."""

    op = "several"
    named: tuple[tuple[str, Expression], ...]


_ALL: tuple[type[Expression], ...] = (
    *(Quantity, Number, Polygons, Point, Attribute, Distance, Outline, During, Within, Beyond, IsClass, And, Or, Not),
    *(Split, Over, Weighted),
    *(Along, Calculate, Extreme, Holds, Trend, Correlate, Anomaly, Classify, Apply, Show, Several),
)
OPERATORS: Mapping[str, type[Expression]] = MappingProxyType({one.op: one for one in _ALL})

Position: TypeAlias = tuple[str | int, ...]
"""Where in a tree something is: operator and field in turn, with the number or name of a part where it has some."""


def place_of(at: Position) -> str:
    """Where an operator stands in the expression that is asked, as nodes say it: ``/over/x``."""
    return f"/{'/'.join(map(str, at))}"


def children(expression: Expression) -> Iterator[tuple[Position, Expression]]:
    """The expressions right below one, each with its position in it."""
    for one in fields(expression):
        value, at = getattr(expression, one.name), (expression.op, one.name.rstrip("_"))
        if isinstance(value, Expression):
            yield at, value
        elif isinstance(value, tuple):
            for place, part in enumerate(value):
                if isinstance(part, Expression):
                    yield (*at, place), part
                elif isinstance(part, tuple) and isinstance(part[1], Expression):
                    yield (*at, part[0]), part[1]


def with_children(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The same operator over other expressions; the very same value where none changes."""

    def changed(value: Any) -> Any:
        if isinstance(value, Expression):
            return change(value)
        if isinstance(value, tuple) and value:
            if isinstance(value[0], Expression):
                return tuple(change(part) for part in value)
            if isinstance(value[0], tuple) and isinstance(value[0][1], Expression):
                return tuple((name, change(part)) for name, part in value)
        return value

    now = {one.name: changed(getattr(expression, one.name)) for one in fields(expression)}
    same = all(now[name] == getattr(expression, name) for name in now)
    return expression if same else replace(expression, **now)


def with_part(expression: Expression, part: Expression, other: Expression) -> Expression:
    """An expression with another one in every place where a part of it stands."""
    return other if expression == part else with_children(expression, lambda child: with_part(child, part, other))


def walk(expression: Expression, at: Position = ()) -> Iterator[tuple[Position, Expression]]:
    """The expression and everything in it, each with its position."""
    yield at, expression
    for position, child in children(expression):
        yield from walk(child, (*at, *position))
