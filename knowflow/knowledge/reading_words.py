"""The words of questions that are no quantity, unit or thing on the ground: ``pkb/reading/*.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from pydantic import Field

from knowflow.ground.errors import DocumentError
from knowflow.ground.inflection import degrees, plural, verb_forms
from knowflow.ground.kept import kept
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem, Problems
from knowflow.knowledge.documents import authored
from knowflow.knowledge.lexicon_file import FILES, LexiconFile, Limit
from knowflow.knowledge.words import clean, tokens
from knowflow.model.tool import Document

READING_FILES = "reading/**/*.yaml"
_MOST_NOTHING = 250
_OPERATORS = frozenset({"STAT", "SIDE", "GRAIN", "EVERY", "ARITHMETIC", "TREND", "ANOMALY", "CORRELATION", "CHANGED"})

_GRADED = MappingProxyType(
    {
        "RANKED": ("highest", "lowest"),
        "COMPARED": ("above", "below"),
        "GOING": ("rising", "falling"),
        "TURNED": ("rose", "fell"),
        "POINT_OF": ("highest_point", "lowest_point"),
    }
)

MEASURED_AS = "measured as "
"""What a graded quantity begins with that is any whose name has a noun: it follows."""
Phrase = tuple[str, ...]
Reading = tuple[str, Any]
"""What a phrase is to the grammar: the name of a symbol, and its value (None for what only joins)."""


class Ranked(Document):
    """The words that grade a quantity without naming it, and those it is said of: ``of``. In place of a ``quantity``
    there may be the ``noun`` of what is measured: then they grade every quantity of the data that is called so.

    ``as`` asks for the quantity itself, ``named`` are short names that others have as well, ``rising`` and ``falling``
    say how it goes, ``rose`` and ``fell`` how it went, and the two points are where it has its extremes. Of
    quantities that one word grades, the first is meant, and any that the data hold.
    """

    quantity: str = ""
    noun: str = ""
    highest: tuple[str, ...] = ()
    lowest: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    rising: tuple[str, ...] = ()
    falling: tuple[str, ...] = ()
    rose: tuple[str, ...] = ()
    fell: tuple[str, ...] = ()
    highest_point: tuple[str, ...] = ()
    lowest_point: tuple[str, ...] = ()
    as_: tuple[str, ...] = Field((), alias="as")
    named: tuple[str, ...] = ()
    of: tuple[str, ...] = ()


class Ground(Document):
    """A thing on the ground: an expression that is true where it is, and its names.

    ``bodies`` are names of single ones that can be counted, ``share`` those of how much of the ground it covers. Of
    things that have one name the first of which the data hold a map is meant, else the last.
    """

    is_: str = Field(alias="is")
    phrases: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    share: tuple[str, ...] = ()


class UsualGrades(Document):
    """The usual classes of a quantity, where nothing else is told: their ``names`` from the lowest, the ``limits``
    between them in its unit, and the ``nouns`` behind the names; ``wider`` names stand for several, from the first to
    the last. Data that it is ``made_of`` may be asked for them."""

    of: str
    names: tuple[str, ...]
    limits: tuple[float, ...]
    nouns: tuple[str, ...]
    wider: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    made_of: tuple[str, ...] = ()
    source: str


class GoingOn(Document):
    """The words around what is changed of the question before: ``opening`` and ``closing`` mean nothing there, after
    ``narrowing`` ones what is said holds beside what was said, not in place of it. ``introducing`` ones stand before a
    part of a question. ``in_place_of`` stands between what is meant and what was said before; ``everywhere`` and
    ``always`` are all that is said to take grounds and times away, ``share`` and ``area`` to tell ground as such and
    ``mapped`` where it is, ``years_later`` to ask the same of so many years later."""

    opening: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    narrowing: tuple[str, ...] = ()
    introducing: tuple[str, ...] = ()
    in_place_of: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    share: tuple[str, ...] = ()
    area: tuple[str, ...] = ()
    mapped: tuple[str, ...] = ()
    years_later: dict[int, tuple[str, ...]] = Field(default_factory=dict)


class Steps(Document):
    """The words of questions of two steps: what comes before that which is chosen (``opening``), and how the rest of
    the question speaks of it: ``its`` before what it has, ``there`` and ``it`` for itself, ``that`` before what it is,
    ``then`` for a time, ``one`` for one of those that are named first, behind ``among``."""

    opening: tuple[str, ...] = ()
    among: tuple[str, ...] = ()
    its: tuple[str, ...] = ()
    there: tuple[str, ...] = ()
    it: tuple[str, ...] = ()
    that: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    one: tuple[str, ...] = ()


class Files(Document):
    """The words by which a question says of which files it is: words for those of maps, of tables and of either, and
    those before them (``before``): in the level table."""

    before: tuple[str, ...] = ()
    rasters: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    either: tuple[str, ...] = ()


class Remarks(Document):
    """The words of sentences that only tell why something is asked: who says so (``speakers``), what points back at the
    answer (``pointing``), and how one stands to it (``attitudes``). ``purposes`` begin what tells what it is for. With
    one of ``binding`` a sentence may say what is meant, and is none."""

    speakers: tuple[str, ...] = ()
    pointing: tuple[str, ...] = ()
    attitudes: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    binding: tuple[str, ...] = ()


class Records(Document):
    """The words of questions about the records of a table or of features: those that only join what is told of them
    (``joining``), verbs that only tell that it is a record (``telling``), and words of one act each (``acts``), a verb
    with its irregular forms as one text: what was bought is told by purchases."""

    joining: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()
    acts: tuple[tuple[str, ...], ...] = ()


class ReadingFile(Document):
    """One file of words of questions, in one language."""

    reading: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="the language")
    nothing: tuple[str, ...] = Field((), max_length=_MOST_NOTHING, description="words that mean nothing")
    spelled: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="other spellings of a word, in every phrase that it is in"
    )
    glue: dict[str, tuple[str, ...]] = Field(default_factory=dict, description="words that join, by symbol")
    values: dict[str, dict[str, tuple[str, ...]]] = Field(
        default_factory=dict, description="words that stand for a value, by symbol and value"
    )
    ranked: tuple[Ranked, ...] = ()
    grounds: tuple[Ground, ...] = ()
    grades: tuple[UsualGrades, ...] = ()
    going_on: GoingOn = GoingOn()
    remarks: Remarks = Remarks()
    steps: Steps = Steps()
    files: Files = Files()
    records: Records = Records()


class ReadingWords:
    """The words of all files: those that mean nothing, and what each phrase (its words in small letters) may be."""

    def __init__(self, nothing: frozenset[str], phrases: Mapping[Phrase, tuple[Reading, ...]]) -> None:
        self.nothing, self.phrases = nothing, phrases
        self.longest = max(map(len, phrases), default=1)
        self.operators = frozenset(
            phrase[0]
            for phrase, found in phrases.items()
            if len(phrase) == 1 and _OPERATORS & {one for one, _ in found}
        )


@lru_cache(maxsize=1 << 15)  # all names of a folder for each question that is asked of it
def words_of(phrase: str, nothing: frozenset[str] = frozenset()) -> Phrase:
    """A phrase as it is compared: its tokens in small letters, without words that mean nothing and hyphens."""
    pieces = (piece.text.lower() for piece in tokens(clean(phrase)))
    return tuple(word for word in pieces if word not in nothing and word != "-")


@kept()
def reading_words() -> ReadingWords:
    """The words of questions of all layers.

    Raises:
        DocumentError: a file is not valid; every problem is listed.
    """
    problems = Problems()
    files = [one.model for one in authored(READING_FILES, ReadingFile, problems)]
    if problems.errors:
        raise DocumentError("the words of questions are not valid", problems=problems.errors)
    nothing = frozenset(word for file in files for word in file.nothing)
    phrases: dict[Phrase, dict[str, Reading]] = {}
    for file in files:
        for phrase, reading in _readings(file):
            phrases.setdefault(words_of(phrase, nothing), {}).setdefault(repr(reading), reading)
    for word, others in ((word, others) for file in files for word, others in file.spelled.items()):
        for known_as in [one for one in phrases if word in one]:
            for other in others:
                phrases.setdefault(_respelled(known_as, word, other), {}).update(phrases[known_as])
    own = [one.model for one in authored(FILES, LexiconFile, problems) if one.layer != "packaged"]
    for lexicon in own:
        for phrase, reading in _of_lexicon(lexicon):
            phrases[words_of(phrase, nothing)] = {repr(reading): reading}
    for word, other in ((word, other) for lexicon in own for word, others in lexicon.alike.items() for other in others):
        for known, said in ((word, other), (plural(word), plural(other))):
            phrases.setdefault(words_of(said, nothing), {}).update(phrases.get(words_of(known, nothing), {}))
    phrases.pop((), None)
    return ReadingWords(nothing, MappingProxyType({phrase: tuple(found.values()) for phrase, found in phrases.items()}))


def _respelled(phrase: Phrase, word: str, other: str) -> Phrase:
    """A phrase with another spelling of a word: ``what per cent of``."""
    return tuple(piece for one in phrase for piece in (words_of(other) if one == word else (one,)))


@kept()
def going_on() -> tuple[GoingOn, ...]:
    """The words around changes of the question before, of all layers; files that are not valid have none."""
    return tuple(one.model.going_on for one in authored(READING_FILES, ReadingFile, Problems()))


@kept()
def usual_grades() -> tuple[UsualGrades, ...]:
    """The usual classes of quantities, of all layers; files that are not valid have none."""
    return tuple(each for one in authored(READING_FILES, ReadingFile, Problems()) for each in one.model.grades)


@kept()
def remarks() -> tuple[Remarks, ...]:
    """The words of remarks, of all layers; files that are not valid have none."""
    return tuple(one.model.remarks for one in authored(READING_FILES, ReadingFile, Problems()))


@kept()
def steps() -> tuple[Steps, ...]:
    """The words of questions of two steps, of all layers; files that are not valid have none."""
    return tuple(one.model.steps for one in authored(READING_FILES, ReadingFile, Problems()))


@kept()
def words_of_files() -> tuple[Files, ...]:
    """The words by which files are named, of all layers; files that are not valid have none."""
    return tuple(one.model.files for one in authored(READING_FILES, ReadingFile, Problems()))


def _readings(file: ReadingFile) -> Iterator[tuple[str, Reading]]:
    for symbol, listed in file.glue.items():
        yield from ((phrase, (symbol, None)) for phrase in listed)
    for symbol, values in file.values.items():
        yield from ((phrase, (symbol, value)) for value, listed in values.items() for phrase in listed)
    for ground in file.grounds:
        yield from ((phrase, ("GROUND", ground.is_)) for phrase in ground.phrases)
        yield from ((phrase, ("BODY", ground.is_)) for phrase in ground.bodies)
        yield from ((phrase, ("SHARE_OF", ground.is_)) for phrase in ground.share)
    for one in file.ranked:
        of = one.quantity or f"{MEASURED_AS}{one.noun}"
        yield from ((phrase, ("ADJECTIVE", of)) for phrase in one.as_)
        for phrase in one.as_:  # how cold it got is told by the coldest, how hot by the hottest
            side = "lowest" if {*one.lowest} & {*degrees(phrase)} else "highest"
            yield phrase, ("GETS", (of, side))
        yield from ((phrase, ("MEDIUM", of)) for phrase in one.of)
        yield from ((phrase, ("NAMED", of)) for phrase in one.named)
        for symbol, sides in _GRADED.items():
            for side in sides:
                yield from ((phrase, (symbol, (of, side))) for phrase in getattr(one, side))
        for side, denied, open_ in (("above", "at_most", "at_least"), ("below", "at_least", "at_most")):
            for phrase in getattr(one, side):
                yield phrase.removesuffix(" than"), ("MORE", (of, side))
                yield from ((f"{word} {phrase}", ("COMPARED", (of, denied))) for word in ("no", "not"))
                yield f"or {phrase.removesuffix(' than')}", ("ALSO_MORE", (of, open_))


def _of_lexicon(lexicon: LexiconFile) -> Iterator[tuple[str, Reading]]:
    """What the words of somebody's own lexicon are to the grammar: things on the ground with a limit, movements, and
    short names of quantities."""
    for entry in lexicon.entries:
        verbs = [form for word in entry.verbs for form in verb_forms(word)]
        if lexicon.lexicon == "feature" and entry.quantity is not None and entry.threshold is not None:
            looks = [form for word in entry.adjectives for form in degrees(word)]
            ground = _beyond(entry.quantity, entry.threshold)
            yield from ((phrase, ("GROUND", ground)) for phrase in (*entry.phrases, *looks, *verbs))
        elif lexicon.lexicon == "movement" and entry.value in ("up", "down"):
            yield from ((form, ("MOVED", entry.value)) for form in verbs)
            yield from ((noun, ("RISE", entry.value)) for noun in entry.nouns)
    for short, words in lexicon.shorthand.items():
        name = words.casefold().replace(" ", "_")
        if name in quantity_kinds():
            yield short, ("QUANTITY", name)


def _beyond(quantity: str, limit: Limit) -> str:
    """A limit of a lexicon as an expression: ``beyond(ndvi, above, '0.55 1')``."""
    unit = limit.unit or quantity_kinds()[quantity].unit
    ends = ", ".join(repr(f"{end} {unit}") for end in (limit.value, limit.upper) if end is not None)
    return f"beyond({quantity}, {limit.side}, {ends})"


def check_reading() -> Iterator[Problem]:
    """Everything that is wrong with the words of questions."""
    problems = Problems()
    for one in authored(READING_FILES, ReadingFile, problems):
        for number, ranked in enumerate(one.model.ranked):
            if (ranked.quantity not in quantity_kinds()) if ranked.quantity else not ranked.noun:
                place = ("ranked", number, "quantity")
                yield one.document.problem(place, "unknown_name", "a quantity kind", ranked.quantity)
    yield from problems.errors
