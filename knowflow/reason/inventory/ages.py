"""People of which the names of files tell the sex and the age: ``moz_f_60_2019``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowflow.ground.ages import Group
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.reason.inventory.names import plain_stem

_OF_AN_AGE = "population_by_age"
_GROUP = re.compile(r"(?<![A-Za-z0-9])(?P<sex>[fmt])_(?:age_?)?(?P<age>\d{1,2})(?![A-Za-z0-9])", re.IGNORECASE)
_LATER = re.compile(r"_R20(?:2[4-9]|[3-9]\d)")
_WIDE = 5  # years, of all groups but the first two
_LAST, _LAST_LATER = 80, 90
"""Where the group without an end begins, and where it does since the release of 2024:
https://hub.worldpop.org/project/categories?id=8."""


def with_ages(artifacts: Iterable[Artifact]) -> tuple[Artifact, ...]:
    """The artifacts, those of people of one age and sex with these (fact ``slice``), as their names tell."""
    return tuple(map(_of_age, artifacts))


def _of_age(item: Artifact) -> Artifact:
    if item.fact("quantity") != _OF_AN_AGE or item.path is None:
        return item
    stem = plain_stem(str(item.path))
    told = list(_GROUP.finditer(stem))
    if len(told) != 1:
        return item
    first, last = int(told[0]["age"]), _LAST_LATER if _LATER.search(stem) else _LAST
    until = None if first >= last else {0: 0, 1: 4}.get(first, first + _WIDE - 1)
    said = str(Group(told[0]["sex"].lower(), first, until))
    return item.with_facts(item.facts.put("slice", said, Origin.DECLARED, f"file name ({told[0][0]!r})"))
