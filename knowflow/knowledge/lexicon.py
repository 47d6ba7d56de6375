"""The words of the domain: phrases and what they mean, authored in ``pkb/lexicon/*.yaml``.

Quantity kinds bring their own names and synonyms, indices of the catalogue their short names. A phrase may mean several
things at once ("urban": a class, and part of "urban area").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType

from knowflow.ground import inflection
from knowflow.ground.errors import DocumentError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.kept_values import between_runs
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problems
from knowflow.knowledge.documents import authored
from knowflow.knowledge.lexicon_file import FILES, INFLECTED, Entry, LexiconFile, base_of, unusable, words_of
from knowflow.knowledge.phrases import Lexicon, Meaning, key_of
from knowflow.knowledge.rewording import Rewording
from knowflow.knowledge.words import stem, stems

# families of quantity kinds whose synonyms are words for operations, masks or settings rather than quantities
_UNREAD_FAMILIES = frozenset({"statistics", "measure", "mask", "class"})
# catalogue names of up to this many letters are ordinary words or abbreviations unless "index" stands beside them
_SHORTEST_INDEX_NAME = 3


@kept()
@between_runs
def lexicon() -> Lexicon:
    """The lexicon of all layers; a phrase of a stronger layer hides the same phrase of a weaker one.

    Raises ``DocumentError`` with all problems.
    """
    problems = Problems()
    found = tuple(authored(FILES, LexiconFile, problems))
    files = tuple(one.model for one in found)
    problems.extend(problem for one in found for problem in unusable(one))
    if problems.errors:
        raise DocumentError("the lexicon is not valid", problems=problems.errors)
    phrases: dict[tuple[str, ...], list[Meaning]] = {}
    exact: dict[str, list[Meaning]] = {}
    for file in files:
        for entry in file.entries:
            for phrase, meaning in meanings_of(file.lexicon, entry):
                _add(phrases, key_of(phrase), meaning)
            for phrase in entry.exact:
                exact.setdefault(phrase, []).append(Meaning(file.lexicon, entry))
    _part_sides(phrases)
    unread = {key_of(word) for file in files for word in file.unread}
    common = {stem(word) for file in files for word in (*file.function, *file.task)}
    _add_kinds(phrases, exact, unread, common)
    scope = {key_of(phrase) for file in files for phrase in file.scope}
    for key in scope:
        phrases.setdefault(key, [])
        phrases[key].append(Meaning("scope", Entry.model_validate({"value": "scope"})))
    return Lexicon(
        phrases=MappingProxyType({key: tuple(found) for key, found in phrases.items()}),
        exact=MappingProxyType({key: tuple(found) for key, found in exact.items()}),
        operations=MappingProxyType(
            {entry.value: entry for file in files if file.lexicon == "operation" for entry in file.entries}
        ),
        units=tuple(entry for file in files if file.lexicon == "unit" for entry in file.entries),
        directions=tuple(entry for file in files if file.lexicon == "direction" for entry in file.entries),
        movements=tuple(_movements(files)),
        common=frozenset(common),
        function=frozenset(stem(word) for file in files for word in file.function),
        places=frozenset(" ".join(key_of(word)) for file in files for word in file.places),
        ranked=frozenset(word for file in files for word in file.ranked),
        longest=max((len(key) for key in phrases), default=1),
        reworded=rewording(files),
        retrieved=MappingProxyType(
            {
                str(entry.value): entry.quantity
                for file in files
                for entry in file.entries
                if entry.slot == "algorithm" and entry.quantity is not None
            }
        ),
        instead=MappingProxyType(
            {str(entry.value): entry.instead for file in files for entry in file.entries if entry.instead}
        ),
    )


def _movements(files: Iterable[LexiconFile]) -> Iterator[Entry]:
    """Entries of movements with the words that no stronger layer moves already."""
    seen: set[tuple[str, str]] = set()
    for entry in (entry for file in files if file.lexicon == "movement" for entry in file.entries):
        own = [(kind, word) for kind, word in words_of(entry) if (kind, base_of(kind, word)) not in seen]
        seen |= {(kind, base_of(kind, word)) for kind, word in own}
        yield entry.model_copy(update={kind: tuple(word for k, word in own if k == kind) for kind in INFLECTED})


def rewording(files: Sequence[LexiconFile]) -> Rewording:
    """What words are read as, by all files, the strongest first."""
    alike = {other: word for file in reversed(files) for other, word in _alike(file)}
    short = {short.lower(): words for file in reversed(files) for short, words in file.shorthand.items()}
    return Rewording(MappingProxyType(short | alike), frozenset(alike))


def _alike(file: LexiconFile) -> Iterator[tuple[str, str]]:
    """Words with those of their meaning that are known."""
    for word, others in file.alike.items():
        for other in others:
            if inflection.is_plural(other):  # authored so: its singular means other things as well
                yield other.lower(), inflection.plural(word)
            else:
                yield other.lower(), word
                yield inflection.plural(other.lower()), inflection.plural(word)


def meanings_of(category: str, entry: Entry) -> Iterator[tuple[str, Meaning]]:
    forms: list[str] = []
    if category == "feature":
        forms += [form for word in entry.adjectives for form in inflection.degrees(word)]
        forms += [form for word in entry.verbs for form in inflection.verb_forms(word)]
    for phrase in (*entry.phrases, *forms):
        yield phrase, Meaning(category, entry)
    for phrase in entry.weak:
        yield phrase, Meaning(category, entry, "weak")
    for phrase in entry.usual:
        yield phrase, Meaning(category, entry, "usual")
    for phrase in (*entry.after, *entry.passive):
        yield phrase, Meaning(category, entry, "after")


def _add(phrases: dict[tuple[str, ...], list[Meaning]], key: tuple[str, ...], meaning: Meaning) -> None:
    """Add a meaning unless the phrase has one of that category (and slot) already: the first, stronger one stays."""
    found = phrases.setdefault(key, [])
    slot = meaning.entry.slot
    if not any(other.category == meaning.category and other.entry.slot == slot for other in found):
        found.append(meaning)


def _part_sides(phrases: dict[tuple[str, ...], list[Meaning]]) -> None:
    """Take out phrases that are sides only before a number where they begin with something that is asked for.

    "A maximum of 0.5" is a limit, but "the maximum of NDVI" a maximum.
    """
    for key in [
        key
        for key, found in phrases.items()
        if all((one.category, one.manner) == ("direction", "weak") for one in found)
    ]:
        if any(one.category == "operation" for one in phrases.get(key[:1], ())):
            del phrases[key]


def _add_kinds(
    phrases: dict[tuple[str, ...], list[Meaning]],
    exact: dict[str, list[Meaning]],
    unread: set[tuple[str, ...]],
    common: set[str],
) -> None:
    """The names that quantity kinds and indices bring along, where nothing authored has the phrase."""
    indices = spectral_indices()
    for kind in quantity_kinds().values():
        meaning = Meaning("quantity", Entry.model_validate({"value": kind.name}))
        if kind.name in indices:
            _add_index(phrases, exact, meaning, indices[kind.name].short_name, indices[kind.name].title)
            continue
        if kind.family in _UNREAD_FAMILIES:
            continue
        for words in (kind.name.replace("_", " "), *kind.synonyms):
            key = key_of(words)
            if key and key not in unread and key not in phrases and not (len(key) == 1 and key[0] in common):
                phrases[key] = [meaning]


def _add_index(
    phrases: dict[tuple[str, ...], list[Meaning]],
    exact: dict[str, list[Meaning]],
    meaning: Meaning,
    short: str,
    title: str,
) -> None:
    for words in (title, f"{short} index", f"index {short}"):
        phrases.setdefault(key_of(words), [meaning])
    if len(short) >= _SHORTEST_INDEX_NAME:
        exact.setdefault(short, []).append(meaning)
    if len(short) > _SHORTEST_INDEX_NAME:
        phrases.setdefault(stems(short), [meaning])
