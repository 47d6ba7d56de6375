"""The check of the lexicon: what is wrong with ``pkb/lexicon/*.yaml`` as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from knowflow.ground import units
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.documents import Authored, authored
from knowflow.knowledge.lexicon import meanings_of, rewording
from knowflow.knowledge.lexicon_file import FILES, LexiconFile, base_of, unusable, words_of
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.words import clean

_PHRASES = ("phrases", "weak", "usual", "exact", "after", "passive")
_OF_ALL = frozenset({"value", "note", "source", "phrases", "weak", "usual", "exact"})
# what is read of the entries of a category, beside what all of them have
_FIELDS: Mapping[str, frozenset[str]] = {
    "operation": frozenset({"title", "rank"}),
    "quantity": frozenset({"class_", "instead"}),
    "feature": frozenset({"title", "quantity", "threshold", "loose", "class_", "instead", "verbs", "adjectives"}),
    "direction": frozenset({"after", "passive", "quantity", "suggests"}),
    "unit": frozenset({"suggests", "of_area"}),
    "setting": frozenset({"slot", "title", "quantity", "class_"}),
    "movement": frozenset({"verbs", "nouns", "adjectives"}),
    "common": frozenset(),
}


def check_lexicon() -> tuple[Problem, ...]:
    """Everything that is wrong with the lexicon: form, names and units that there are not, two meanings."""
    problems = Problems()
    first: dict[tuple[str, tuple[str, ...]], tuple[Any, str]] = {}
    every = tuple(authored(FILES, LexiconFile, problems))
    for loaded in every:
        problems.extend(unusable(loaded))
        problems.extend(_of_unknown(loaded))
        category = loaded.model.lexicon
        for number, entry in enumerate(loaded.model.entries):
            said = [(category, entry.slot, meaning.manner == "after", p) for p, meaning in meanings_of(category, entry)]
            if category == "movement":
                said += [(category, kind, False, base_of(kind, word)) for kind, word in words_of(entry)]
            for *where, phrase in said:
                other = first.setdefault((str(where), key_of(phrase)), (entry.value, loaded.layer))
                if other[0] != entry.value and other[1] == loaded.layer:
                    found = f"{phrase!r} for {other[0]} and for {entry.value}"
                    place = ("entries", number)
                    problems.add(loaded.document.problem(place, "two_meanings", "one meaning a phrase", found))
    problems.extend(_not_alike(every))
    problems.extend(_never_met(every))
    problems.extend(problem for loaded in every for problem in _never_read(loaded))
    return tuple(problems)


def _never_met(every: Sequence[Authored[LexiconFile]]) -> Iterator[Problem]:
    """Phrases with words that are read as others before a text is searched for phrases."""
    reworded = rewording([one.model for one in every])
    for one in every:
        for number, entry in enumerate(one.model.entries):
            for kind in _PHRASES:
                for place, phrase in enumerate(getattr(entry, kind)):
                    read = reworded(clean(phrase.removeprefix("^"))).text
                    if key_of(read) != key_of(phrase.removeprefix("^")):
                        expected = f"a phrase as it is read: {read!r}"
                        yield one.document.problem(
                            ("entries", number, kind, place), "never_met", expected, repr(phrase)
                        )


def _never_read(one: Authored[LexiconFile]) -> Iterator[Problem]:
    """Fields of an entry that nothing reads in its category."""
    read = _FIELDS[one.model.lexicon] | _OF_ALL
    for number, entry in enumerate(one.model.entries):
        for field in sorted(entry.model_fields_set - read):
            name = field.removesuffix("_")
            expected = f"a field that a {one.model.lexicon} has"
            yield one.document.problem(("entries", number, name), "unread_key", expected, repr(name))


def _of_unknown(one: Authored[LexiconFile]) -> Iterator[Problem]:
    """Entries that speak of quantity kinds or units that there are not, or of a limit in a unit of something else."""
    category, kinds = one.model.lexicon, quantity_kinds()
    for number, entry in enumerate(one.model.entries):
        place = ("entries", number)
        named = [entry.quantity, entry.suggests, entry.value if category == "quantity" else None, *entry.instead]
        for name in (name for name in named if name is not None and name not in kinds):
            yield one.document.problem(place, "unknown_name", "a quantity kind", repr(name))
        if category == "unit" and not (isinstance(entry.value, str) and units.known(entry.value)):
            yield one.document.problem((*place, "value"), "unknown_unit", "a unit that is known", repr(entry.value))
        kind = kinds.get(entry.quantity or "")
        unit = None if entry.threshold is None else entry.threshold.unit
        if kind is not None and unit is not None and not (units.known(unit) and units.compatible(unit, kind.unit)):
            expected = f"a unit of {kind.name}, such as {kind.unit}"
            yield one.document.problem((*place, "threshold", "unit"), "unknown_unit", expected, repr(unit))


def _not_alike(every: Sequence[Authored[LexiconFile]]) -> Iterator[Problem]:
    """Words that are read as two others, or as one that is itself read as another."""
    read: dict[str, tuple[str, str]] = {}
    for one in every:
        for word, others in one.model.alike.items():
            for number, other in enumerate(others):
                known, layer = read.setdefault(other.lower(), (word, one.layer))
                if known != word and layer == one.layer:
                    found = f"{other!r} for {known} and for {word}"
                    place = ("alike", word, number)
                    yield one.document.problem(place, "two_meanings", "one meaning a word", found)
    for one in every:
        for word in one.model.alike:
            if word.lower() in read:
                expected, found = (
                    "a word that is read as it stands",
                    f"{word!r}, which is read as {read[word.lower()][0]!r}",
                )
                yield one.document.problem(("alike", word), "two_meanings", expected, found)
