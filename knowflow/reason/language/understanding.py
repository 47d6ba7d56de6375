"""A sentence into a goal: dates, limits, phrases of the lexicon, and a few rules that put them together.

No model and no guess: what has a usual reading is marked as a default, what has several readings is reported, and
content words that nothing explains are left over. The text is data; nothing in it is ever obeyed.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from knowflow.model.goal import QueryGoal
from knowflow.reason.language.asking import read_operations, read_settings
from knowflow.reason.language.average_years import read_average_year
from knowflow.reason.language.joined_limits import read_base
from knowflow.reason.language.limits import asked_unit
from knowflow.reason.language.occurrence import read_occurrence
from knowflow.reason.language.periods import read_periods
from knowflow.reason.language.reading import Reading
from knowflow.reason.language.same_time_of_year import read_same_time_of_year
from knowflow.reason.language.severity import read_severity
from knowflow.reason.language.thresholds import read_thresholds
from knowflow.reason.language.topic import read_topic
from knowflow.reason.language.totals import read_totals_of_periods
from knowflow.reason.language.turnover import read_turnover


def understand(text: str, *, today: dt.date | None = None, without: Collection[str] = ()) -> QueryGoal:
    """The goal of a question in English; ``today`` is what "last year" counts from (default: the clock).

    The names of the quantities ``without`` are read by their parts: "snow fraction" as a fraction, of snow.

    Never fails: what is not understood is in ``leftover``, what is open is told by ``missing``.
    """
    reading = Reading(text, today, without)
    read_settings(reading)
    read_operations(reading)
    main = read_topic(reading)
    read_occurrence(reading, main)
    read_severity(reading, main)
    read_thresholds(reading, main)
    read_base(reading)
    read_turnover(reading)
    read_periods(reading)
    read_same_time_of_year(reading)
    read_average_year(reading)
    read_totals_of_periods(reading)
    unit = asked_unit(reading.text)
    if unit is not None:
        reading.put("unit", unit[0], unit[1])
    return reading.goal()
