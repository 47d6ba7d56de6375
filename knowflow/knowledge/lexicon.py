"""The words of the domain: phrases and what they mean, authored in ``pkb/lexicon/*.yaml``.

Quantity kinds bring their own names and synonyms, indices of the catalogue their short names. A phrase may mean several
things at once ("urban": a class, and part of "urban area"); the longest phrase wins over shorter ones inside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, model_validator

from knowflow.ground.errors import DocumentError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem, Problems
from knowflow.ground.spelling import did_you_mean
from knowflow.knowledge import inflection
from knowflow.knowledge.authored_words import Phrase, Verb, Words
from knowflow.knowledge.documents import Authored, authored
from knowflow.knowledge.rewording import Rewording
from knowflow.knowledge.words import Token, clean, is_article, stem, stems, tokens
from knowflow.model.goal import SLOT_TITLES, Side
from knowflow.model.tool import Document

Category = Literal["operation", "quantity", "feature", "direction", "unit", "setting", "movement", "common"]

FILES = "lexicon/**/*.yaml"
# families of quantity kinds whose synonyms are words for operations, masks or settings rather than quantities
_UNREAD_FAMILIES = frozenset({"statistics", "measure", "mask", "class"})
# catalogue names of up to this many letters are ordinary words or abbreviations unless "index" stands beside them
_SHORTEST_INDEX_NAME = 3
_PATTERN_START = "^"
# what an entry of a category may stand for
_VALUES = {"movement": ("up", "down", "either"), "direction": ("above", "below")}
_INFLECTED = ("verbs", "nouns", "adjectives")


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
    quantity: str | None = Field(
        None, description="quantity that a feature or a comparative stands for, or that an algorithm retrieves"
    )
    threshold: Limit | None = None
    loose: bool = Field(False, description="the feature's limit is taken only for questions that need one")
    class_: str | None = Field(
        None, alias="class", description="class of ground that a feature is of, or that a quantity is told of alone"
    )
    suggests: str | None = Field(None, description="quantity meant when a limit has this unit and no quantity is named")
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
    shorthand: dict[Phrase, str] = Field(default_factory=dict, description="how people shorten words -> the words")
    alike: dict[Words, tuple[Words, ...]] = Field(
        default_factory=dict, description="a noun or an adjective -> others that are read as it is, in the plural too"
    )


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a phrase means; ``manner`` says how surely."""

    category: str
    entry: Entry
    manner: Literal["plain", "weak", "usual", "after"] = "plain"


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase found in a text: its meanings, its tokens (first, past the last) and its words."""

    meanings: tuple[Meaning, ...]
    first: int
    past: int
    words: str

    def of(self, category: str) -> Meaning | None:
        return next((meaning for meaning in self.meanings if meaning.category == category), None)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Phrases (as stems) with their meanings, and the words that carry none.

    ``retrieved`` says which quantity an algorithm retrieves, ``instead`` what a usual reading may mean as well,
    ``told_of`` of which class of ground alone a quantity is told.
    """

    phrases: Mapping[tuple[str, ...], tuple[Meaning, ...]]
    exact: Mapping[str, tuple[Meaning, ...]]
    operations: Mapping[str, Entry]
    units: tuple[Entry, ...]
    directions: tuple[Entry, ...]
    movements: tuple[Entry, ...]
    common: frozenset[str]
    function: frozenset[str]
    places: frozenset[str]
    longest: int = field(default=1)
    reworded: Rewording = field(default_factory=Rewording)
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    told_of: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    retrieved: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def without(self, quantities: Collection[str]) -> Lexicon:
        """The lexicon as if these quantities had no names: what their names are made of is read by itself."""

        def kept(known: Mapping[Any, tuple[Meaning, ...]]) -> Mapping[Any, tuple[Meaning, ...]]:
            named = {
                key: tuple(m for m in found if m.category != "quantity" or m.entry.value not in quantities)
                for key, found in known.items()
            }
            return MappingProxyType({key: found for key, found in named.items() if found})

        return replace(self, phrases=kept(self.phrases), exact=kept(self.exact)) if quantities else self

    def written_out(self, text: str) -> str:
        """A cleaned text with shortened words in full, and words of one meaning as one word.

        ``"no. of yrs"`` -> ``"number of years"``, ``"each overpass"`` -> ``"each scene"``.
        """
        return self.reworded(text).text

    def scan(self, text: str, found: Sequence[Token] | None = None, skip: Iterable[int] = ()) -> tuple[Mention, ...]:
        """The longest known phrases of a cleaned text, left to right, not overlapping.

        ``skip`` are indices of tokens that mean something else already and end a phrase.
        """
        pieces = tokens(text) if found is None else found
        closed = frozenset(skip)
        mentions: list[Mention] = []
        index = 0
        while index < len(pieces):
            mention = None if index in closed else self._longest_at(text, pieces, index, closed)
            if mention is not None:
                mentions.append(mention)
            index = mention.past if mention is not None else index + 1
        return tuple(mentions)

    def inner(self, text: str, found: Sequence[Token], mention: Mention) -> tuple[Mention, ...]:
        """Phrases inside a longer one: "hottest" in "hottest day", "water bodies" in "largest water bodies"."""
        parts = (found[mention.first + 1 : mention.past], found[mention.first : mention.past - 1])
        return tuple(one for part in parts if part for one in self.scan(text, part))

    def _longest_at(self, text: str, pieces: Sequence[Token], index: int, closed: frozenset[int]) -> Mention | None:
        best: Mention | None = None
        key: list[str] = [_PATTERN_START] if index == 0 or pieces[index - 1].text in ".?!;:" else []
        opened = len(key)
        past = index
        while past < len(pieces) and len(key) - opened < self.longest and past not in closed:
            piece = pieces[past]
            if piece.kind == "mark" and piece.text not in "-°%><>=<=≥≤&":
                break
            if past == index and (is_article(piece) or piece.text == "-"):
                break
            past += 1
            if is_article(piece) or piece.text == "-":
                continue
            key.append(piece.stem)
            meanings = self.phrases.get(tuple(key)) or self.phrases.get(tuple(key[opened:]))
            if past == index + 1:
                meanings = self.exact.get(piece.text, ()) + (meanings or ()) or None
            if meanings:
                best = Mention(meanings, index, past, text[pieces[index].start : piece.end])
        return best


def key_of(phrase: str) -> tuple[str, ...]:
    """A phrase as compared: stems without articles and hyphens, with its ``^``."""
    start = (_PATTERN_START,) if phrase.startswith(_PATTERN_START) else ()
    pieces = tokens(clean(phrase.removeprefix(_PATTERN_START)))
    return start + tuple(piece.stem for piece in pieces if not is_article(piece) and piece.text != "-")


@kept()
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
        told_of=MappingProxyType(
            {
                str(entry.value): entry.class_
                for file in files
                for entry in file.entries
                if file.lexicon == "quantity" and entry.class_ is not None
            }
        ),
        instead=MappingProxyType(
            {str(entry.value): entry.instead for file in files for entry in file.entries if entry.instead}
        ),
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
        if category == "movement" and not any(getattr(entry, kind) for kind in _INFLECTED):
            yield one.document.problem(place, "missing_key", f"one of {', '.join(_INFLECTED)}", "none of them")
        if category == "setting" and entry.slot not in SLOT_TITLES:
            expected = f"one of {', '.join(SLOT_TITLES)}"
            hint = did_you_mean(entry.slot or "", SLOT_TITLES, most=1)
            yield one.document.problem((*place, "slot"), "unknown_name", expected, repr(entry.slot), hint)


def _movements(files: Iterable[LexiconFile]) -> Iterator[Entry]:
    """Entries of movements with the words that no stronger layer moves already."""
    seen: set[tuple[str, str]] = set()
    for entry in (entry for file in files if file.lexicon == "movement" for entry in file.entries):
        own = [(kind, word) for kind, word in words_of(entry) if (kind, base_of(kind, word)) not in seen]
        seen |= {(kind, base_of(kind, word)) for kind, word in own}
        yield entry.model_copy(update={kind: tuple(word for k, word in own if k == kind) for kind in _INFLECTED})


def words_of(entry: Entry) -> Iterator[tuple[str, str]]:
    """The verbs, nouns and adjectives of an entry, each with what it is."""
    yield from ((kind, word) for kind in _INFLECTED for word in getattr(entry, kind))


def base_of(kind: str, word: str) -> str:
    """What a word is called by: a verb without irregular forms, with its particle."""
    if kind != "verbs":
        return word
    verb, plus, particle = word.partition("+")
    return verb.split()[0] + plus + particle.strip()


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
    for phrase in entry.after:
        yield phrase, Meaning(category, entry, "after")


def _add(phrases: dict[tuple[str, ...], list[Meaning]], key: tuple[str, ...], meaning: Meaning) -> None:
    """Add a meaning unless the phrase has one of that category (and slot) already: the first, stronger one stays."""
    found = phrases.setdefault(key, [])
    slot = meaning.entry.slot
    if not any(other.category == meaning.category and other.entry.slot == slot for other in found):
        found.append(meaning)


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
        exact.setdefault(short, [meaning])
    if len(short) > _SHORTEST_INDEX_NAME:
        phrases.setdefault(stems(short), [meaning])
