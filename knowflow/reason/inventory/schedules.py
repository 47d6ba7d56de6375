"""Dates that may be read in several ways, settled by the days on which the composites of their product begin.

MOD13 begins on the first day of a year and every sixteenth after it: of ``040722`` the seventh of April is one of
these, and the fourth of July is none.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from knowflow.reason.inventory.date_readers import day_of_six
from knowflow.reason.inventory.name_dates import Dated
from knowflow.reason.inventory.products import Begins, Product, compiled
from knowflow.reason.inventory.spans import Span


def on_schedule(dates: tuple[Dated, ...], product: Product | None, stem: str) -> tuple[Dated, ...]:
    """The dates, each with the only way to read it on which a composite of the product begins, where there is one."""
    begins = next((one for one in product.begins if _holds(one, stem)), None) if product is not None else None
    return dates if begins is None else tuple(one if one.certain else _settled(one, begins) for one in dates)


def _holds(begins: Begins, stem: str) -> bool:
    return begins.mark is None or compiled(rf"{begins.mark}[0-9A-Za-z]*").search(stem) is not None


def _settled(one: Dated, begins: Begins) -> Dated:
    spans = one.spans
    if one.form == "six" and (turned := day_of_six(one.word, "mdy")) is not None:
        spans = (*spans, turned)  # of six digits anybody's month may stand before the day
    told = [span for span in dict.fromkeys(spans) if _is_begun(span, begins)]
    days = all(span.days == 1 for span in spans)  # of a month nobody expects the day of a composite
    return replace(one, spans=(told[0],), certain=True) if days and len(told) == 1 else one


def _is_begun(span: Span, begins: Begins) -> bool:
    number = date.fromisoformat(span.last).timetuple().tm_yday
    return number >= begins.first and (number - begins.first) % begins.every == 0
