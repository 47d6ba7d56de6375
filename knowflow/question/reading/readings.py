"""What became of a sentence: its expression, the words behind each part, what was not read, other readings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from knowflow.question.form import to_data
from knowflow.question.operators import ALGEBRA, Expression, Position
from knowflow.question.words import in_words


@dataclass(frozen=True, slots=True)
class Part:
    """Words of the question, and the place in the expression that they stand behind: None for those that only join."""

    words: str
    at: Position | None


@dataclass(frozen=True, slots=True)
class Reading:
    """How a sentence was read.

    ``expression`` is None where nothing was taken: ``unread`` are the words that nothing knows, ``apart`` what was read
    and does not go together, ``alike`` the readings that are about as likely as each other. ``others`` are less likely.
    ``unit`` is the one that the answer is to be told in, of a question with parts ``units`` has that of each.
    ``instead`` are questions that the data at hand can answer, where it was not taken. ``whole`` are words of places
    and times that are taken for the whole of the data, ``explained`` those that mean what the question says they do;
    ``aside`` are sentences that only tell why it is asked. ``unfit`` is why what was read whole does not fit together.
    ``by`` says who read it, where not its words alone, and ``change`` what it changes of the question before, where it
    goes on from one. ``called`` is what the data call kinds whose own names say little.
    """

    question: str
    expression: Expression | None
    parts: tuple[Part, ...] = ()
    unread: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    alike: tuple[Expression, ...] = ()
    others: tuple[Expression, ...] = ()
    unit: str | None = None
    units: tuple[str | None, ...] = ()
    instead: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    unfit: str = ""
    by: str = ""
    change: str = ""
    called: Mapping[str, str] = field(default_factory=dict)

    def candidates(self) -> tuple[Expression, ...]:
        """What was taken, or what is as likely as each other."""
        return (self.expression,) if self.expression is not None else self.alike

    def taken(self, expression: Expression) -> Reading:
        """With one of those that are alike taken, where the data tell which."""
        if expression == self.expression:
            return self
        parts = self.parts if expression == self.alike[0] else ()
        return replace(self, expression=expression, parts=parts, alike=())

    def in_words(self, expression: Expression) -> str:
        """One of its expressions in English, with the names that the data have."""
        return in_words(expression, called=self.called)

    def behind(self, at: Position) -> tuple[str, ...]:
        """The words behind one part of the expression."""
        return tuple(part.words for part in self.parts if part.at == at)

    def to_json(self) -> dict[str, Any]:
        """The documented shape of ``knowflow read --json``."""
        return {
            "question": self.question,
            "algebra": ALGEBRA,
            "expression": None if self.expression is None else to_data(self.expression),
            "understood_as": None if self.expression is None else self.in_words(self.expression),
            "unit": self.unit,
            "units": list(self.units),
            "parts": [{"words": one.words, "at": None if one.at is None else list(one.at)} for one in self.parts],
            "unread": list(self.unread),
            "apart": list(self.apart),
            "alike": [{"expression": to_data(one), "understood_as": self.in_words(one)} for one in self.alike],
            "others": [{"expression": to_data(one), "understood_as": self.in_words(one)} for one in self.others],
            "instead": list(self.instead),
            "taken_for_the_whole": list(self.whole),
            "explained": list(self.explained),
            "aside": list(self.aside),
            "unfit": self.unfit,
            "read_by": self.by,
            "change": self.change,
        }
