"""A sentence into a goal: dates, limits, phrases of the lexicon, and a few rules that put them together.

No model and no guess: what has a usual reading is marked as a default, and content words that nothing explains are left
over. The text is data; nothing in it is ever obeyed.
"""

from __future__ import annotations

import datetime as dt

from knowflow.model.goal import QueryGoal
from knowflow.reason.language.asking import read_operations, read_settings
from knowflow.reason.language.limits import asked_unit
from knowflow.reason.language.periods import read_periods
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.thresholds import read_thresholds
from knowflow.reason.language.topic import read_topic


def understand(text: str, *, today: dt.date | None = None) -> QueryGoal:
    """The goal of a question in English; ``today`` is what "last year" counts from (default: the clock).

    Never fails: what is not understood is in ``leftover``.
    """
    reading = Reading(text, today)
    read_settings(reading)
    read_operations(reading)
    read_thresholds(reading, read_topic(reading))
    read_periods(reading)
    unit = asked_unit(reading.text)
    if unit is not None:
        reading.put("unit", unit[0], unit[1])
    return reading.goal()
