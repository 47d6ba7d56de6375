"""What is usual: the same time of the other years, unless files of the folder say what is normal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from knowflow.knowledge.phrases import key_of
from knowflow.question.operators import Anomaly, Number
from knowflow.question.reading.chart import Entity
from knowflow.question.reading.nouns import fits
from knowflow.question.reading.order import Test, Thing, of_all_times, typed
from knowflow.question.reading.restricted import during
from knowflow.question.reading.spans import grain_of
from knowflow.question.reading.vocabulary import DataWords

_USUAL = frozenset({"normal", "usual", "long", "climatology", "climatological", "multi", "multiyear"})
_NORMALS = frozenset(
    stem
    for word in ("normal", "normals", "climatology", "climatological", "clim", "ltm", "climatologia", "normales")
    for stem in key_of(word)
)
_SHORT = ("month", "date")  # of one time of these there is one anomaly


def is_of_normals(one: Entity, words: Sequence[str], data: DataWords) -> bool:
    """Whether a word says what is usual where files are called normals: against these, which nothing reads, and not
    against the other years."""
    said = one.symbol in ("other_years", "average") and _USUAL.intersection(words[one.start : one.end])
    return bool(said) and any(_NORMALS & held.words for held in data.files)


def beyond_usual(thing: Thing, side: Any) -> Test | None:
    """``drier than normal in November 2017``: whether it is above or below the same month of the other years."""
    x, told = of_all_times(thing.x)
    own = typed(x)
    if own is None or own.of != "number" or thing.keys or thing.outer or thing.statistic not in (None, "mean"):
        return None
    if "date" not in own.keys or any(grain_of(one) not in _SHORT for one in told):
        return None
    left: Thing | None = fits(Thing(Anomaly(x), thing.statistic))
    for when in told:
        left = None if left is None else during(left, when)
    unit = own.measure.changed().unit
    return None if left is None else Test(left, side, Number(0.0, unit))
