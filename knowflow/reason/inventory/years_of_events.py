"""Maps of the year in which something happened, as such or as years since 2000: their classes are those years."""

from __future__ import annotations

from collections.abc import Iterable

from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.question.events import LOSS_YEAR, NO_LOSS

_SINCE, _MOST, _FIRST = 2000, 99, 1900
_SMALL = ("uint8", "int8")


def with_years_of_events(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, maps of years of a loss with the years that their numbers mean (fact ``classes``) and no time of
    their own: they tell of all of them."""
    return tuple(_of_years(item) if item.fact("quantity") == LOSS_YEAR else item for item in artifacts)


def _of_years(item: Artifact) -> Artifact:
    span = item.fact("span")
    last = int(str(span[1])[:4]) if span and span[1] else _SINCE + _MOST
    first = max(int(str(span[0])[:4]), _SINCE + 1) if span and span[0] else _SINCE + 1
    years = [(year - _SINCE, str(year)) for year in range(first, last + 1)]
    if str(item.fact("dtype")) not in _SMALL:  # whose numbers may be the years themselves, and are no others
        years += [(year, str(year)) for year in range(_FIRST, _SINCE + _MOST + 1)]
    facts = item.facts.without(("datetime", "span"))
    return item.with_facts(facts.put("classes", ((0, NO_LOSS), *years), Origin.DECLARED, "years, or years since 2000"))
