"""Pairing of lists by date, then by name: what ``for_each`` means; and the groups its ``by`` makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from knowflow.ground.errors import PlanningError
from knowflow.model.artifact import Artifact
from knowflow.model.goal import Period
from knowflow.reason.builder import Bound, Builder
from knowflow.reason.inventory.grouping import mission_of
from knowflow.reason.inventory.tiles import items_of
from knowflow.reason.named_bands import length_of

_SEASONS = ("spring", "summer", "autumn", "winter")
_MOST_TIMES_AS_WIDE = 10
_LENGTHS = {"year": 4, "month": 7, "day": 10}


def keys_of(artifact: Artifact) -> tuple[str, ...]:
    """A key per item: its date where all have distinct dates, else its name, else its number."""
    items = items_of(artifact)
    dates = [item.fact("datetime") for item in items]
    if all(dates) and len(set(dates)) == len(dates):
        return tuple(map(str, dates))
    names = [item.name for item in items]
    if all(names) and len(set(names)) == len(names):
        return tuple(names)
    return tuple(str(index + 1) for index in range(len(items)))


@dataclass
class Row:
    """The items of several lists that belong together, with the key that each has in its own list."""

    key: str
    items: dict[str, Bound]
    keys: dict[str, str]

    def take(self, name: str, key: str, item: Bound) -> None:
        self.items[name], self.keys[name] = item, key


class Partners:
    """The items of a list, to be found by key, by day, or as the only one."""

    def __init__(self, items: Sequence[tuple[str, Bound]]) -> None:
        self.items = items
        self.by_key = dict(items)
        self.days: dict[str, list[tuple[str, Bound]]] = {}
        for key, item in items:
            self.days.setdefault(_day(key), []).append((key, item))

    @property
    def dated(self) -> bool:
        return any(has_date(key) for key, _ in self.items)

    def of_day(self, row: Row, name: str, to: str, first: bool) -> bool:
        """Give the row the first partner of its day, or the nearest in time; False where there is none."""
        key = row.keys[to]
        found = self.days.get(_day(key), [])
        if found:
            row.take(name, *(found[0] if first else min(found, key=lambda partner: _apart(partner[0], key))))
        return bool(found)


def pair(
    builder: Builder,
    lists: Mapping[str, Bound],
    where: str,
    beside: Mapping[str, str] | None = None,
    unpaired: list[str] | None = None,
    once: bool = False,
    one_image: bool = False,
) -> list[tuple[str, dict[str, Bound]]]:
    """One row per item of the first list, with the items of the others that belong to it.

    Items belong together when their keys are equal, or their days where times of day differ (one candidate each);
    a list of one item belongs to every row, unless its date is that of some rows: then it is theirs alone; lists
    without dates or names pair by position when they are equally long. ``beside`` names, for a list, the other list
    whose items its own belong to, where that is not the first. Where ``unpaired`` is given, items without a partner are
    left out and noted there, and of several partners of one day the nearest in time is taken; with ``once`` only the
    first item of each day counts, and of its partners the first. With ``one_image`` nothing is a partner that shows
    another image, as the clouds of one scene do beside the map of a year.

    Raises:
        PlanningError: items of the first list have no partner, or, with ``unpaired``, none has one; with their names.
    """
    (leader, first), *others = lists.items()
    rows = [Row(key, {leader: item}, {leader: key}) for key, item in _keyed(builder, first)]
    if once:
        rows = list({_day(row.key): row for row in reversed(rows)}.values())[::-1]
    for name, bound in others:
        to = (beside or {}).get(name, leader)
        partners = Partners(_keyed(builder, bound))
        (_join_images if one_image else _join)(rows, name, to, partners)
        lone = [row for row in rows if name not in row.items]
        if unpaired is not None:
            lone = [row for row in lone if one_image or not partners.of_day(row, name, to, once)]
            if len(lone) < len(rows):
                unpaired += [f"no {name} for {leader} of {row.key}" for row in lone]
                rows, lone = [row for row in rows if name in row.items], []
        if lone:
            some = [row.key for row in lone[:5]]
            theirs = [key for key, _ in partners.items[:5]]
            raise PlanningError(
                f"{len(lone)} of {len(rows)} items of {leader!r} have no partner in {name!r}",
                where=where,
                expected=f"one {name} for each of {', '.join(some)}{'...' if len(lone) > 5 else ''}",
                found=f"{name} for {', '.join(theirs)}{'...' if len(partners.items) > 5 else ''}",
                hint="restrict the dates with --dates, or add the missing files",
            )
    return [(row.key, row.items) for row in rows]


def _join(rows: Sequence[Row], name: str, to: str, partners: Partners) -> None:
    """Give each row the one item of a list that belongs to it, where there is one."""
    of_some_date = any(has_date(row.keys[to]) and _day(row.keys[to]) in partners.days for row in rows)
    by_position = len(partners.items) == len(rows) and not partners.dated
    for position, row in enumerate(rows):
        key = row.keys[to]
        if key in partners.by_key:
            row.take(name, key, partners.by_key[key])
        elif len(found := partners.days.get(_day(key), [])) == 1:
            row.take(name, *found[0])
        elif by_position and not has_date(key):
            row.take(name, *partners.items[position])
        elif len(partners.items) == 1 and not of_some_date:
            row.take(name, *partners.items[0])


def _join_images(rows: Sequence[Row], name: str, to: str, partners: Partners) -> None:
    """Give each row the item of a list that is of the same image, the nearest in time of several."""
    alone = len(rows) == len(partners.items) == 1
    for row in rows:
        key, own = row.keys[to], row.items[to].known
        found = [one for one in partners.items if of_one_image(own, one[1].known, alone)]
        if found:
            row.take(
                name, *min(found, key=lambda one: _apart(one[0], key) if has_date(one[0]) and has_date(key) else 0)
            )


def of_one_image(first: Any, second: Any, alone: bool = True) -> bool:
    """Whether two maps show the same image, by what is known of both: of one day, of one length of time, and of one
    mission; where one of them tells no mission, of one CRS and of like pixels. Where one of them tells no day, only if
    ``alone`` says that there are no others."""
    if not isinstance(first, Artifact) or not isinstance(second, Artifact):
        return True
    days = [_day(str(one.fact("datetime") or "")) for one in (first, second)]
    of_a_day = days[0] == days[1] or (alone and "" in days)
    missions = {mission_of(one) for one in (first, second)}
    like = _may_be_of_one_sensor(first, second) if None in missions else len(missions) == 1
    return of_a_day and length_of(first) == length_of(second) and like


def _may_be_of_one_sensor(first: Artifact, second: Artifact) -> bool:
    """Whether the CRS is one, and no pixel is more than ten times as wide as one of the other: bands of one sensor are
    from 10 to 60 m, or from 250 to 1000 m."""
    crs = {one.fact("crs") for one in (first, second)} - {None}
    widths = [abs(one.fact("resolution")[0]) for one in (first, second) if one.fact("resolution")]
    return len(crs) < 2 and (len(widths) < 2 or max(widths) <= _MOST_TIMES_AS_WIDE * min(widths))


def groups(builder: Builder, bound: Bound, by: Any, where: str) -> list[tuple[str, Bound]]:
    """The items of a list taken together.

    ``by`` is year, season, month or day of the calendar, ``season_of_year`` (whatever the year), ``scene`` (date and
    region), or a sequence of periods (``START/END``) or names of regions.

    Raises:
        PlanningError: items have no date to go by, or no group has items.
    """
    keyed = _keyed(builder, bound)
    dated = [(str(_fact(item, "datetime") or key), key, item) for key, item in keyed]
    if by == "scene":
        named = [(f"{moment} {_fact(item, 'region') or ''}".strip(), key, item) for moment, key, item in dated]
    elif isinstance(by, str):
        named = [(_calendar(moment, by, where), key, item) for moment, key, item in dated]
    else:
        by = tuple(map(_period, by))
        named = [(name, key, item) for member in by for name, key, item in _members(member, keyed)]
    found: dict[str, list[tuple[str, Bound]]] = {}
    for name, key, item in named:
        found.setdefault(name, []).append((key, item))
    lacking = [] if isinstance(by, str) else [_name_of(member) for member in by if _name_of(member) not in found]
    if not found or lacking:
        raise PlanningError(
            "there is nothing to take together",
            where=where,
            expected=f"items of {', '.join(lacking) or by}",
            found=", ".join(key for key, _ in keyed[:5]) or "no items",
        )
    if by == "season_of_year":
        found = {season: found[season] for season in _SEASONS if season in found}
    return [
        (name, Bound(made.value, made.known, tuple(key for key, _ in members)))
        for name, members in found.items()
        for made in [builder.series([item for _, item in members])]
    ]


def _period(member: Any) -> Any:
    start, slash, end = str(member).partition("/")
    end = end if slash else start
    return Period(start, end) if has_date(start) and has_date(end) else member


def _members(member: Any, keyed: Iterable[tuple[str, Bound]]) -> Iterable[tuple[str, str, Bound]]:
    """The items of one period, or of one region: by date, or by the region that a file's name says."""
    for key, item in keyed:
        if isinstance(member, Period):
            belongs = member.start <= _day(str(_fact(item, "datetime") or key)) <= member.end
        else:
            belongs = _plain(member) in _plain(str(_fact(item, "region") or key))
        if belongs:
            yield _name_of(member), key, item


def _fact(item: Bound, name: str) -> Any:
    return item.known.fact(name) if isinstance(item.known, Artifact) else None


def _name_of(member: Any) -> str:
    """What a group is called: its year where it lies in one, else its first day; a region by its name."""
    if not isinstance(member, Period):
        return str(member)
    whole = member.start[4:] == "-01-01" and member.end[4:] == "-12-31"
    return member.start[:4] if whole and member.start[:4] == member.end[:4] else f"{member.start}_{member.end}"


def _calendar(key: str, by: str, where: str) -> str:
    if not has_date(key):
        raise PlanningError(f"items without a date have no {by}", where=where, expected="dated items", found=key)
    if by == "season_of_year":
        return _SEASONS[int(key[5:7]) % 12 // 3 - 1]
    if by == "season":
        month = int(key[5:7])
        year = int(key[:4]) + (month == 12)
        return f"{year}-{_SEASONS[month % 12 // 3 - 1]}"
    return key[: _LENGTHS[by]]


def _keyed(builder: Builder, bound: Bound) -> list[tuple[str, Bound]]:
    items = builder.items(bound)
    if bound.keys:
        return list(zip(bound.keys, items, strict=True))
    if isinstance(bound.known, Artifact):
        return list(zip(keys_of(bound.known), items, strict=True))
    return [(str(index + 1), item) for index, item in enumerate(items)]


def has_date(key: str) -> bool:
    """Whether a key begins with a date."""
    return len(key) >= 10 and key[4:5] == "-" and key[:4].isdigit()


def _day(key: str) -> str:
    return key[:10] if has_date(key) else key


def _apart(first: str, second: str) -> float:
    return abs((datetime.fromisoformat(first) - datetime.fromisoformat(second)).total_seconds())


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
