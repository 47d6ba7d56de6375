"""Limits of how much of a scene may be cloud, in questions that are not about clouds: "dates with at most 20 % clouds".

They choose scenes. Read as limits of the quantity that is asked about, they would make another question of it.
"""

from __future__ import annotations

import re

from knowflow.model.goal import QueryGoal

_COVER = r"[\s-](?:cover(?:age)?|fraction|amount|percentage|share)"
_IS_COVER = re.compile(r"cover|fraction|amount|iness$", re.IGNORECASE)


def limit_of_clouds(goal: QueryGoal) -> str | None:
    """The words of such a limit; None where the limit is of something else or clouds are what is asked about."""
    limit, clouds = goal.slots.get("threshold"), goal.slots.get("mask_clouds")
    if limit is None or clouds is None or not limit.words or limit.value.unit not in (None, "%"):
        return None
    said, cloud = re.escape(limit.words), rf"\b{re.escape(clouds.words)}\b"
    # "0.2" beside clouds may be of anything; beside cloud cover it is a part of the scene
    sure = limit.value.unit == "%" or _IS_COVER.search(clouds.words) is not None
    before = rf"(?<!without )(?<!no ){cloud}(?:{_COVER}){'?' if sure else ''}(?:\s+(?:is|are|was|were))?\s+{said}"
    found = re.search(rf"{said}\s+(?:of\s+)?{cloud}|{before}", goal.text, re.IGNORECASE)
    return None if found is None else found.group()
