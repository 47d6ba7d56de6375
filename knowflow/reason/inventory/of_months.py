"""Climatologies: layers of one file that are the months of no year, as layers of these months of a year that stands for
any, so that months can be asked for, compared and counted."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import groupby

from knowflow.ground.errors import KnowFlowError
from knowflow.model.artifact import Artifact
from knowflow.model.facts import Origin
from knowflow.question.times import ANY_YEAR
from knowflow.reason.inventory.month_words import MONTH_WORDS, without_accents

_MONTHS = 12
_SLICE = re.compile(r"(?:month|mon)(?:_?of_?year)?[ =:]0*(\d{1,2})", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]+")


def with_months(artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    """The artifacts, those of a file whose twelve layers are called by the months with the months as their dates; of a
    variable of a file that has others those along its months."""
    for (path, _), group in groupby(artifacts, key=lambda one: (one.path, _variable(one))):
        items = tuple(group)
        layers = tuple(_layers(items[0])) if len(items) == 1 and path is not None else items
        months = [_month_of(one) for one in layers]
        if sorted(months) == [*range(1, _MONTHS + 1)] and all(_is_undated(one) for one in layers):
            items = tuple(_of_month(one, month) for one, month in zip(layers, months, strict=True))
        yield from items


def _variable(item: Artifact) -> str:
    """The variable of a file of which there are layers along months; of others of them nothing."""
    return str(item.fact("band")) if _SLICE.fullmatch(str(item.fact("slice"))) else ""


def _is_undated(item: Artifact) -> bool:
    return item.type == "raster" and item.fact("datetime") is None


def _of_month(item: Artifact, month: int) -> Artifact:
    moment = f"{ANY_YEAR}-{month:02}-01"
    facts = item.facts.without(("band", "slice"))
    if not _variable(item):
        facts = facts.put("layer", item.name.partition(":")[0], Origin.DECLARED, "file name")
    last = f"{ANY_YEAR}-{month:02}-{monthrange(ANY_YEAR, month)[1]}"
    told = Origin.DECLARED, "a month of no year, by its name"
    return item.with_facts(facts.put("datetime", moment, *told).put("span", (moment, last), *told))


def _month_of(item: Artifact) -> int:
    """The month that a layer is called by; 0 where there is none, or more than one."""
    along = _SLICE.fullmatch(str(item.fact("slice")))
    if along is not None:
        return int(along[1])
    said = " ".join(
        str(text) for text in (item.fact("band") or "", item.fact("layer") or "", item.name.partition(":")[2])
    )
    words = (without_accents(word.lower()) for word in _WORDS.findall(said.replace("_", " ")))
    found = {MONTH_WORDS[word] for word in words if word in MONTH_WORDS}
    return found.pop() if len(found) == 1 else 0


def _layers(item: Artifact) -> Iterator[Artifact]:
    """The bands of a file that was taken for one layer, by what its header calls them."""
    if item.type != "raster" or item.band is not None or item.fact("count") != _MONTHS or not _is_undated(item):
        yield item
        return
    from knowflow.ground.opening import check_opening

    called: tuple[str | None, ...] = ()
    with suppress(KnowFlowError, OSError):
        import rasterio

        check_opening(str(item.path))
        with rasterio.open(item.path) as dataset:
            called = dataset.descriptions
    for number, name in enumerate(called, start=1):
        facts = item.facts.put("band", name or "", Origin.DECLARED, "tag of the band's description")
        yield replace(item.with_facts(facts), band=number, name=f"{item.name}:{name}")
