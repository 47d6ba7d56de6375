"""Pairing of lists by date, then by name: what ``for_each`` means."""

from __future__ import annotations

from collections.abc import Mapping

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.reason.builder import Bound, Builder


def keys_of(artifact: Artifact) -> tuple[str, ...]:
    """A key per item: its date where all have distinct dates, else its name, else its number."""
    items = artifact.items or (artifact,)
    dates = [item.fact("datetime") for item in items]
    if all(dates) and len(set(dates)) == len(dates):
        return tuple(map(str, dates))
    names = [item.name for item in items]
    if all(names) and len(set(names)) == len(names):
        return tuple(names)
    return tuple(str(index + 1) for index in range(len(items)))


def pair(builder: Builder, lists: Mapping[str, Bound], where: str) -> list[tuple[str, dict[str, Bound]]]:
    """One row per item of the first list, with the items of the others that belong to it.

    Items belong together when their keys are equal, or their days where times of day differ (one candidate each);
    a list of one item belongs to every row, unless its date is that of some rows: then it is theirs alone; lists
    without dates or names pair by position when they are equally long.

    Raises:
        PlanningError: items of the first list have no partner; the message names them.
    """
    (leader, first), *others = lists.items()
    rows = [(key, {leader: item}) for key, item in zip(_keys(builder, first), builder.items(first), strict=True)]
    for name, bound in others:
        items = builder.items(bound)
        partners = dict(zip(_keys(builder, bound), items, strict=True))
        days = _by_day(partners)
        of_some_date = any(_dated(key) and _day(key) in days for key, _ in rows)
        unpaired = []
        for position, (key, row) in enumerate(rows):
            if key in partners:
                row[name] = partners[key]
            elif len(found := days.get(_day(key), [])) == 1:
                row[name] = found[0]
            elif len(items) == len(rows) and not any(_dated(k) for k in (key, *partners)):
                row[name] = items[position]
            elif len(items) == 1 and not of_some_date:
                row[name] = items[0]
            else:
                unpaired.append(key)
        if unpaired:
            raise PlanningError(
                f"{len(unpaired)} of {len(rows)} items of {leader!r} have no partner in {name!r}",
                where=where,
                expected=f"one {name} for each of {', '.join(unpaired[:5])}{'...' if len(unpaired) > 5 else ''}",
                found=f"{name} for {', '.join(list(partners)[:5])}{'...' if len(partners) > 5 else ''}",
                hint="restrict the dates with --dates, or add the missing files",
            )
    return rows


def _keys(builder: Builder, bound: Bound) -> tuple[str, ...]:
    if bound.keys:
        return bound.keys
    if isinstance(bound.known, Artifact):
        return keys_of(bound.known)
    return tuple(str(index + 1) for index in range(len(builder.items(bound))))


def _dated(key: str) -> bool:
    return len(key) >= 10 and key[4:5] == "-" and key[:4].isdigit()


def _day(key: str) -> str:
    return key[:10] if _dated(key) else key


def _by_day(partners: Mapping[str, Bound]) -> dict[str, list[Bound]]:
    days: dict[str, list[Bound]] = {}
    for key, item in partners.items():
        days.setdefault(_day(key), []).append(item)
    return days
