"""The files of the lexicon: what may be written in ``pkb/lexicon/*.yaml``, and which entries nothing could read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.ground.report import Problem
from knowflow.ground.spelling import did_you_mean
from knowflow.knowledge.authored_words import Phrase, Verb, Words
from knowflow.knowledge.documents import Authored
from knowflow.model.goal import SLOT_TITLES, Side
from knowflow.model.tool import Document

Category = Literal["operation", "quantity", "feature", "direction", "unit", "setting", "movement", "common"]

FILES = "lexicon/**/*.yaml"
INFLECTED = ("verbs", "nouns", "adjectives")
"""The fields of an entry that hold words of which all forms are read."""
# what an entry of a category may stand for
_VALUES = {"movement": ("up", "down", "either"), "direction": ("above", "below")}


class Limit(Document):
    """A default limit of a feature."""

    value: float = Field(allow_inf_nan=False)
    side: Side
    upper: float | None = Field(None, allow_inf_nan=False)
    unit: str | None = None

    @model_validator(mode="after")
    def _between_two(self) -> Limit:
        if (self.side == "between") != (self.upper is not None) or (
            self.upper is not None and self.upper <= self.value
        ):
            raise ValueError("an upper limit beside the side between, and there only, that is above the value")
        return self


class Entry(Document):
    """One meaning and the phrases for it."""

    value: Any
    slot: str | None = Field(None, description="slot that a setting fills")
    title: str = ""
    rank: Literal["analysis", "statistic"] | None = Field(None, description="of an operation")
    phrases: tuple[Phrase, ...] = ()
    weak: tuple[Phrase, ...] = Field((), description="phrases that count only where nothing stronger is said")
    usual: tuple[Phrase, ...] = Field(
        (), description="phrases whose usual reading this is; the goal marks it as a default"
    )
    exact: tuple[Phrase, ...] = Field((), description="phrases compared with case")
    after: tuple[Phrase, ...] = Field((), description="phrases of a direction that follow the number")
    passive: tuple[Phrase, ...] = Field((), description="participles of a direction: 305 K was exceeded")
    quantity: str | None = Field(
        None, description="quantity that a feature or a comparative stands for, or that an algorithm retrieves"
    )
    threshold: Limit | None = None
    loose: bool = Field(False, description="the feature's limit is taken only for questions that need one")
    class_: str | None = Field(
        None, alias="class", description="class of ground that a feature is of, or that a quantity is told of alone"
    )
    suggests: str | None = Field(
        None, description="quantity meant when a limit has this unit or direction, and no quantity is named"
    )
    of_area: bool = False
    verbs: tuple[Verb, ...] = Field(
        (),
        description="of a movement or a feature: base forms, with irregular past forms and a particle "
        "(go went gone + up)",
    )
    nouns: tuple[Words, ...] = Field((), description="of a movement")
    adjectives: tuple[Words, ...] = Field(
        (), description="of a movement: what becomes bigger moves up; of a feature: what looks so, in all its forms"
    )
    note: str = ""
    source: str = ""
    instead: tuple[str, ...] = Field(
        (), description="quantities that the usual phrases mean where the data hold one of them and not this one"
    )


class LexiconFile(Document):
    """One file of the lexicon: all its entries belong to one category."""

    lexicon: Category
    entries: tuple[Entry, ...] = ()
    unread: tuple[str, ...] = Field((), description="synonyms of quantity kinds too common to stand for them")
    function: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    ranked: tuple[Words, ...] = Field(
        (), description="adjectives that say no way in which values move, and by which they are ranked all the same"
    )
    shorthand: dict[Phrase, str] = Field(default_factory=dict, description="how people shorten words -> the words")
    alike: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict, description="a noun or an adjective -> others that are read as it is, in the plural too"
    )


def unusable(one: Authored[LexiconFile]) -> Iterator[Problem]:
    """Entries that no reading of their category could take."""
    category = one.model.lexicon
    known = _VALUES.get(category)
    for number, entry in enumerate(one.model.entries):
        place = ("entries", number)
        if known is not None and entry.value not in known:
            expected = f"one of {', '.join(known)}"
            yield one.document.problem((*place, "value"), "bad_value", expected, repr(entry.value))
        if category == "movement" and not any(getattr(entry, kind) for kind in INFLECTED):
            yield one.document.problem(place, "missing_key", f"one of {', '.join(INFLECTED)}", "none of them")
        if category == "setting" and entry.slot not in SLOT_TITLES:
            expected = f"one of {', '.join(SLOT_TITLES)}"
            hint = did_you_mean(entry.slot or "", SLOT_TITLES, most=1)
            yield one.document.problem((*place, "slot"), "unknown_name", expected, repr(entry.slot), hint)


def words_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """The verbs, nouns and adjectives of an entry, each with what it is."""
    yield from ((kind, word) for kind in INFLECTED for word in getattr(entry, kind))


def base_of(kind: str, word: str) -> str:
    """What a word is called by: a verb without irregular forms, with its particle."""
    if kind != "verbs":
        return word
    verb, plus, particle = word.partition("+")
    return verb.split()[0] + plus + particle.strip()
