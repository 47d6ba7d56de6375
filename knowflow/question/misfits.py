"""That a part of an expression does not fit, in plain words."""

from __future__ import annotations

from knowflow.question.operators import Position


class DoesNotFitError(Exception):
    """What was expected of a part, and what is there; ``below`` is the place in it, where that is known."""

    def __init__(self, expected: str, found: object, hint: str = "", below: Position = ()) -> None:
        super().__init__(expected)
        self.expected, self.found, self.hint, self.below = expected, str(found), hint, below


def need(true: bool, expected: str, found: object, hint: str = "", field: str = "") -> None:
    """Raises:
    DoesNotFitError: it is not so.
    """
    if not true:
        raise DoesNotFitError(expected, found, hint, (field,) if field else ())
