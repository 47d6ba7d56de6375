"""``How much forest burned`` asks for an area, and ``how much of the forest burned`` for a share: whatever rule reads
the rest, it is the words that ask which tell this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from knowflow.ground.units import compatible
from knowflow.question.operators import During, Expression, Extreme, Over, Several, with_children
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.order import typed

_AREA: Final = "area"
_PLAIN = ["how", "much"]
_OF_PARTS = frozenset({"how_much", "share_alone", "part_of", "SHARE_OF", "as_percent", "points", "spatial"})
"""Words by which a share is asked for, beside a plain ``how much``."""
_ASIDE = frozenset({"on_average", "in_total", "on_record", "at_all", "only"})


def asking_for_areas(words: Sequence[str], found: Iterable[Entity]) -> Iterator[Entity]:
    """What words may stand for, a plain ``how much`` marked as what asks for an area; how much wetter asks for none."""
    every = list(found)
    graded = {one.start for one in every if one.symbol == "MORE"}
    for one in every:
        plain = one.symbol == "how_much" and list(words[one.start : one.end]) == _PLAIN
        if plain and one.end in graded:
            continue
        yield replace(one, value=_AREA) if plain and words[one.end : one.end + 1] != ["of"] else one


def of_area(x: Expression, unit: str | None, said: Sequence[Entity]) -> Expression:
    """A question for a share as one for the area, where its words ask how much there is and not how much of it."""
    asked = [entity for entity in said if entity.symbol == "how_much" and entity.value == _AREA]
    others = [entity for entity in said if entity.symbol in _OF_PARTS and entity not in asked]
    if not asked or others or (unit is not None and compatible(unit, "1")):
        return x
    behind = [entity for entity in said if entity.start >= asked[0].end and entity.symbol not in _ASIDE]
    if min(behind, key=lambda entity: entity.start).symbol == "of" if behind else True:
        return x  # how much on average of the forest
    area = _area(x)
    return x if typed(area) is None else area


def ranks_otherwise(x: Expression, said: Sequence[Entity]) -> bool:
    """Whether in percent is ranked by what is none: ``which district brightened the most in percent``."""
    own = typed(x.x) if isinstance(x, Extreme) else None
    behind_in = {entity.end for entity in said if entity.symbol == "in"}
    in_percent = any(
        entity.symbol == "as_percent" or ((entity.symbol, entity.value) == ("UNIT", "%") and entity.start in behind_in)
        for entity in said
    )
    return in_percent and own is not None and not compatible(own.measure.unit, "1")


HOW = "how"
"""The value of words that ask for something by how large it is: ``how high is``."""


def asks_no_choice(x: Expression, said: Sequence[Entity]) -> bool:
    """Whether something else is told of what it is asked of how large it is, as what it is chosen by: ``how high is the
    parish with the most electricity``."""
    asks = [one.end for one in said if (one.symbol, one.value) == ("what", HOW)]
    chosen = any(one.symbol in ("NAMED_KEY", "KEY") and one.start in asks for one in said)
    return bool(asks) and (chosen or isinstance(x, Extreme))


def _area(x: Expression) -> Expression:
    """With the area for the share that is asked for; shares that only limit or rank something stay."""
    if isinstance(x, Over) and (x.axes, x.statistic) == ("space", "share"):
        return replace(x, statistic=_AREA)
    of_times = isinstance(x, Over) and x.axes == "time"
    return with_children(x, _area) if of_times or isinstance(x, During | Several) else x
