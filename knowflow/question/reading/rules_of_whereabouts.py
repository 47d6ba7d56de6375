"""The rules of which features are meant by where they are, or by what an attribute of theirs says: ``which huts are in
the parish``, ``in which parish is the hut``, ``which fields are maize``."""

from __future__ import annotations

from knowflow.question.operators import Beyond, Distance, Expression, Holds, Number, Polygons
from knowflow.question.reading.chart import Line
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.objects import of_both, so_far, those_so, touching
from knowflow.question.reading.order import typed
from knowflow.question.typing_of_features import are_rows, is_features, layer_of


def _there(keys: Keys, place: Expression) -> Expression | None:
    """``which huts are in the parish``: of points, which lie there or not."""
    apart = is_features(place) and not are_rows(place) and layer_of(place) != layer_of(_level(keys))
    found = those_so(so_far)(keys, touching(place)) if apart else None
    return found if found is not None and typed(found) is not None else None


def _around(keys: Keys, spot: Expression) -> Expression | None:
    """``in which parish is the hut``: the others that a point lies in."""
    level = _level(keys)
    named = isinstance(level, Polygons) and level.by is None and not are_rows(level)
    return _there(keys, spot) if named else None


def _level(keys: Keys) -> Expression | None:
    return keys.level if isinstance(keys.level, Expression) else None


def _of_sort(keys: Keys, sort: Expression) -> Expression | None:
    """``which fields are maize``."""
    level = _level(keys)
    same = isinstance(level, Polygons) and level.by is None and layer_of(level) == layer_of(sort) and keys.when is None
    return _those(of_both(level, sort)) if same and level is not None else None


def _those(x: Expression | None) -> Expression | None:
    """Which these features are: those of them that lie where they lie, all of them."""
    if x is None or are_rows(x):
        return None
    found = Holds(Beyond(Distance(x, x), "at_most", Number(0.0, "m")))
    return found if typed(found) is not None else None


RULES_OF_WHEREABOUTS: tuple[Line, ...] = (
    *(
        (f"E <- {asked} SPOTS that? be? in {place}", _there)
        for asked in ("which", "what")
        for place in ("PLACE", "ONE")
    ),
    *(
        (f"E <- {words}", _around)
        for words in (
            "which KEYS be SPOT in?",
            "in which KEYS be SPOT",
            "which KEYS do SPOT be in?",
            "in which KEYS do SPOT be",
            "which KEYS contain SPOT",
        )
    ),
    *((f"E <- {asked} KEYS that? BY_SORT", _of_sort) for asked in ("which", "what")),
    *((f"E <- {asked} KEYS have SORTS", _of_sort) for asked in ("which", "what")),
    *((f"E <- what {words}", _of_sort) for words in ("KEYS of SORTS",)),
    ("E <- what SORTS KEYS", lambda sort, keys: _of_sort(keys, sort)),
)
