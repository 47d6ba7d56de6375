"""What the notes of a folder say that words for ground mean: ``pixels with VV below -15 dB are taken as open water``.

What a word is told to mean is read as a question tells it, by the same rules; what does not read as one limit of
something over space is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.units import compatible, normalise
from knowflow.ground.units import known as is_unit
from knowflow.knowledge.catalogue import load_catalogue
from knowflow.knowledge.phrases import key_of
from knowflow.knowledge.reading_words import reading_words, words_of
from knowflow.knowledge.things import other_names
from knowflow.model.artifact import Artifact
from knowflow.question.operators import And, Beyond, During, Expression, Not, Number, Over, Quantity, walk
from knowflow.question.reading.known import COMMON_UNITS
from knowflow.question.reading.possible import as_scaled, is_possible
from knowflow.question.reading.reader import read_by_rules
from knowflow.question.reading.vocabulary import DataWords, vocabulary
from knowflow.reason.inventory.legends_beside import text_of_note
from knowflow.reason.noted_limits import in_english

_NOTES = (".txt", ".md", ".rst")
_BARE = ("readme", "read_me", "notes", "note", "method", "methods", "about")
"""Names of notes that have no ending."""
_SENTENCE = re.compile(
    r"\n\s*\n|\.(?=\s|$)|;\s|\n(?=(?:We|Here|An?|Any|All|Every|Each|Pixels?|Cells?)\s)"
    r"|\n(?=[-*#]|[A-Z][^\W\d_]*(?:[ -][^\W\d_]+){0,2}\s*[=:]\s)"
)
_GROUND = r"(?:pixels?|cells?|grid cells?|ground|land|places?|areas?|everything|months?|days?|dekads?)"
_MEANT = (
    r"(?:(?:is|are) what (?:we|is|are) (?:call|mean by|count as|called|meant by)|(?:is|are|was|were)?\s*"
    r"(?:taken|counted|regarded|considered|treated|classed|mapped|counts?)\s*(?:as|to be|for)?)"
)
_TOLD = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        rf"^(?:here,?\s+)?we (?:call|count|take)\s+(?:it|(?:an?|any|every|all)?\s*{_GROUND})\s+(?:as\s+)?"
        r"(?P<word>[^\W\d_][^\d,:;]*?)\s+(?P<test>(?:when|where|if|with|at|from|above|below|of)\s.*)$",
        rf"^(?:here,?\s+)?we (?:call|count as|take as)\s+(?P<word>(?!an? |any |every |all )[^\W\d_][^\d,:;]*?)\s+"
        r"(?:an?|any|every|all|what|the)?\s*"
        rf"{_GROUND}\s+(?P<test>.+)$",
        rf"^(?:we (?:speak|talk) of\s+|(?:an?|any|every|all|the)?\s*{_GROUND}\s+(?:is|are)\s+"
        r"(?:called |said to be |taken as |counted as )?)(?P<word>[^\W\d_][^\d,:;]*?)\s+"
        r"(?P<test>(?:when|where|wherever|if|once|from|above|below)\s.*\d.*)$",
        rf"^(?:all |the )?(?:{_GROUND}\s+)?(?P<test>.*?\d.*?)\s+{_MEANT}\s+(?P<word>[^\W\d_][^\d,:;()=]*)$",
        r"^(?:here,?\s+)?we (?:take|call|count|treat|regard|consider|class|map)\s+(?:an?|any|every|all)?\s*"
        rf"{_GROUND}\s+(?P<test>.*?\d.*?)\s+(?:as\s+(?:an?\s+)?|to be\s+)(?P<word>[^\W\d_][^\d,:;()=]*)$",
        r"^(?P<word>[^\W\d_][^\d,:;()=]*?)(?:\s*\((?P<also>[^\W\d_][^\d,:;()]*)\))?\s*"
        r"(?:=|:|\b(?:is|are|means?|is defined as|is defined by)\b)\s*(?P<test>.*\d.*)$",
    )
)
"""How notes tell what a word means: the word, and the limit that it stands for; all but the last say so plainly."""
_SIDE = r"(?:(?:is|are)\s+)?(?:below|above|under|over|from|at least|at most|[<>]=?)"
_TWO = re.compile(
    rf"^(?P<call>(?:here,?\s+)?(?:we (?:call|count|take)\s+(?:it|(?:an?|any|every|all)?\s*{_GROUND})\s+(?:as\s+)?)?)"
    r"(?P<word>[^\W\d_][^\d,:;=]*?)\s+(?:when|where|if)\s+(?P<of>[^\d]*?)\s*"
    rf"(?P<limit>{_SIDE}\s*-?\d+(?:\.\d+)?(?:\s?[^\W\d_][^\s,;]*|\s?%)?)(?:,?\s+and\s+|[,;]\s+)"
    r"(?P<other>[^\W\d_][^\d,:;=<>]*?)\s+(?:(?:when|where|if)\s+(?P<test>[^\d]*\d.*)|"
    rf"(?P<side>{_SIDE}\s*-?\d.*))$",
    re.IGNORECASE,
)
"""Two words in one sentence: ``we call a pixel burnt when dNBR >= 0.1 and severely burnt when dNBR >= 0.44``, and of
the same noun and quantity ``we call a month a drought when SPEI is below -1, severe below -1.5``."""
_LESS = re.compile(
    r"^(?P<word>[^\W\d_][^\d,:;()=]*?)\s*(?:=|:|\b(?:means?|is defined as)\b)\s*"
    r"(?P<of>[^=]*?)[,\s]*\b(?:(?:(?:that|which|and|but)\s+(?:(?:is|are|was|were|has|have)\s+)?)?"
    r"(?:not|no|except|without|outside|excluding|minus|other than))\b\s*(?:(?:in|on|of|the|an?)\s+)*(?P<less>.*)$",
    re.IGNORECASE,
)
"""How they tell that a word means less than it does elsewhere: ``flooded = water that is not permanent water``."""
_SINCE = re.compile(
    rf"^(?:an?|any|every|all|the)?\s*{_GROUND}\s+(?:is|are|counts? as)\s+(?P<word>[^\W\d_][^\d,:;()=]*?)\s+"
    r"(?:when|where|wherever|if)\s+.*\b(?:was|were|is|are|has|have|had|did)\s+(?:not|no|never)\b.*$",
    re.IGNORECASE,
)
"""How they tell that it means what was otherwise before: ``flooded when it is water, and was not on 5 May``."""
_NOT_THEN = re.compile(
    rf"^(?:an?|any|every|all|the)?\s*{_GROUND}\s+(?:is|are|counts? as)\s+(?P<word>[^\W\d_][^\d,:;()=]*?)\s+"
    r"(?:when|where|wherever|if)\s+(?:it\s+)?(?:is|was|are|were)\s+(?P<of>[^,]*?),?\s+(?:and|but)\s+(?:it\s+)?"
    r"(?:was|were|is|are)\s+(?:not|never)\s+(?:so\s+)?(?:(?:in|on)\s+)?(?P<less>.*)$",
    re.IGNORECASE,
)
"""The same, where it is told when that was."""
_ON_THE_DAY = re.compile(
    r"\s+(?:on|at|in)\s+(?:the|that|this|any|each|a|its)\s+(?:[^\W\d_]+\s+)?(?:date|day|image|scene|pass|time)s?\b",
    re.IGNORECASE,
)
"""Of the day that is asked about."""
_THEN = re.compile(r"^(?P<word>[^\W\d_][^\d,:;()=]*?)\s*(?:=|:)\s*(?P<of>[^\W\d_][^=]*\d.*)$")
"""How they tell that a word means what was so on one day: ``permanent water: water on 20 May (before the flood)``."""
_AREA = re.compile(
    r"^(?P<word>[^\W\d_][^\d,:;()=]*?)\s+(?:area|extent|cover)\s*(?:=|\b(?:means|is defined as)\b)\s*[^\W\d_][^\d=]*$",
    re.IGNORECASE,
)
"""How they tell what the area of ground is, by no limit: ``ice area = concentration-weighted area``."""
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_OF_ALL = re.compile(
    r"\s*\((?:(?:for|on|in|at|of)\s+)?(?:all|every|each|both|any)\s+(?:the\s+)?"
    r"(?:dates?|days?|images?|scenes?|passes|times?|years?|months?|pixels?|files?|maps?)\)",
    re.IGNORECASE,
)
"""A remark that a limit is the same wherever it is asked: ``water = VV below -16 dB (all dates)``."""
_AGAIN = re.compile(r"(?<=\d)\s*\(-?\d+(?:\.\d+)?\s?%?\)")
"""A number that is told a second time, on another scale: ``from NDSI 0.4 (40) on``."""
_LISTED = re.compile(r"^[-*#\s]+(?=[\"'“‘]?[^\W\d_])")
_QUOTED = re.compile(r"^[\"'“‘](?P<word>[^\W\d_][^\"'”’]*)[\"'”’](?:\s+(?:in|for)\s[^\d,:;()=]*?(?=\s*[=:]))?")
"""A word in quotes that an explanation begins with: ``'forest' in our work: canopy cover of at least 30 %``."""
_JOIN = re.compile(
    r"^(?:when|wherever|where|if|once|with|at|from|that have|having|whose)\s+"
    r"(?:(?:it|its|they|their)(?:\s+value)?\s+(?:has|have|is|are|shows?|reach(?:es)?)?\s*)?",
    re.IGNORECASE,
)
_FROM_ON = re.compile(r"^(?:from|at)\s+(?P<least>.*\d\S*)\s+(?:on|onwards?|up|upwards?|and up)$", re.IGNORECASE)
_RULE = r"(?:rule|definition|threshold|criterion|test)"
_BEFORE = re.compile(rf"^(?:the|an?|all|any)\s+|[\s-]+(?:{_GROUND}|covered|{_RULE})$|^[\"'“‘]|[\"'”’]$", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_IN_UNIT = re.compile(r"\d\s*([^\W\d_]+)(?:\.?$|\s)")
_RANGE = re.compile(r"^(?P<low>-?\d+(?:\.\d+)?)\s*(?:to|-|–|until|up to)\s*(?P<high>-?\d+(?:\.\d+)?)$")
"""A range that a note tells alone: ``snow when its value is 40 to 100``."""
_MOST_WORDS = 3
_MOST_READ = 40  # explanations of one folder: each is read as a question is
_OF_GROUND = frozenset(
    {"GROUND", "BODY", "SHARE_OF", "MEDIUM", "MEASURES", "SUBSTANCE", "HELD", "ADJECTIVE", "BAND", "GETS", "described"}
    | {"EARTH"}
)


def noted_meanings(texts: Sequence[str], data: DataWords) -> Iterator[tuple[str, Expression]]:
    """The words of which the texts of notes tell one meaning, each with it."""
    found: dict[str, set[Expression]] = {}
    for ways in islice(_definitions(texts), _MOST_READ):
        read = ((words, x) for words, test in ways if (x := _read(test, data, words)) is not None)
        words, x = next(read, ((), None))
        scaled = None if x is None else as_scaled(x, data.scales)
        if scaled is not None and is_possible(scaled):  # and no code of what is not known: 250 or more is cloud
            for word in words:
                found.setdefault(word, set()).add(scaled)
    meant = tuple((word, means.pop()) for word, means in found.items() if len(means) == 1)
    yield from meant
    known = replace(data, meant=(*data.meant, *meant))
    then = tuple(one for one in _of_one_day(texts, known) if one[0] not in found)
    yield from then
    known = replace(known, meant=(*known.meant, *then))
    without = {word: x for word, of, less in _without(texts) if (x := _both(of, less, known)) is not None}
    yield from ((word, x) for word, x in without.items() if word not in found)


def _without(texts: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The words for ground of which notes say that they mean some without some other: each with both."""
    for text in texts:
        for said in map(_in_one_line, _SENTENCE.split(text)):
            for pattern in (_LESS, _NOT_THEN):
                match = pattern.match(_BRACKETS.sub("", said))
                if match and (word := _plain(match["word"])):
                    yield word, _ON_THE_DAY.sub("", match["of"]), match["less"]


def _of_one_day(texts: Iterable[str], data: DataWords) -> Iterator[tuple[str, Expression]]:
    """The words that mean nothing elsewhere of which notes say that they are what was so on one day."""
    for text in texts:
        for said in map(_in_one_line, _SENTENCE.split(text)):
            match = _THEN.match(_BRACKETS.sub("", said))
            word = "" if match is None else _plain(match["word"])
            if match is None or not word or words_of(word) in reading_words().phrases:
                continue
            x = _ground(match["of"], data)
            if x is not None and len(_times(x)) == 1:
                yield word, Over(x, "time", "any")


def _both(of: str, less: str, data: DataWords) -> Expression | None:
    """Ground that is of one, and not of the other, as both are read where the notes say nothing else of them."""
    one = _ground(of, data)
    others = (_ground(said, data) for said in (less, f"{less} {of}", f"{of} on {less}"))  # permanent; on 20 May
    other = next((x for x in others if x is not None), None)
    if one is None or other is None:
        return None
    if _are_of_other_times(one, other):  # so it is the same at all times
        return And((Over(one, "time", "any"), Not(Over(other, "time", "any"))))
    if not _times(one) and len(_times(other)) == 1:
        return And((one, Not(Over(other, "time", "any"))))
    if _kinds_of(one) & _kinds_of(other):  # nothing is left of a map without itself
        return None
    return And((one, Not(other)))


def _are_of_other_times(one: Expression, other: Expression) -> bool:
    """Whether both tell their time, and not the same: water on a day that was not water on another."""
    return len(_times(one)) == 1 == len(_times(other)) and _times(one) != _times(other)


def _times(x: Expression) -> set[object]:
    return {part.when for _, part in walk(x) if isinstance(part, During)}


def _kinds_of(x: Expression) -> set[str]:
    return {part.kind for _, part in walk(x) if isinstance(part, Quantity)}


def _ground(said: str, data: DataWords) -> Expression | None:
    x = read_by_rules(f"How large was the area with {said}?", data).expression
    while isinstance(x, Over):
        x = x.x
    return x


def noted_less(texts: Sequence[str]) -> Iterator[str]:
    """The words for ground of which the notes say plainly what they mean, that they mean less than they do elsewhere,
    or that their area is counted otherwise: where nobody reads which, what they mean elsewhere is not what is asked."""
    sentences = [said for text in texts for said in _sentences(text)]
    told = [match for said in sentences for one in (_AREA, _SINCE, *_TOLD[:-1]) if (match := one.match(said))]
    words = (*(word for word, *_ in _without(texts)), *(_plain(match["word"]) for match in told))
    yield from (word for word in words if words_of(word) in reading_words().phrases)


def texts_beside(artifacts: Iterable[Artifact], root: str = "") -> Iterator[str]:
    """The texts of the notes in the folders of some artifacts, and in those that these lie in up to the ``root`` of the
    data. They are of artifacts whose files are there: a name alone has no folder, and is not beside what lies in that
    which a program happens to be started in."""
    own = dict.fromkeys(path.parent for item in artifacts if item.path and (path := Path(item.path)).exists())
    above = (one for folder in own for one in folder.parents if root and one.is_relative_to(root))
    for folder in dict.fromkeys((*own, *above)):
        notes = sorted(folder.iterdir())
        yield from (text_of_note(one) for one in notes if one.is_file() and _is_note(one))


def _is_note(path: Path) -> bool:
    return path.suffix.casefold() in _NOTES or path.name.casefold() in _BARE


def _definitions(texts: Iterable[str]) -> Iterator[tuple[tuple[tuple[str, ...], str], ...]]:
    """The sentences of notes that may explain words: the ways in which each does, the words and their limit."""
    for text in texts:
        for said in _sentences(text):
            if ways := tuple(_explained(said)):
                yield ways


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a note, one for each word that they explain."""
    for said in map(_in_one_line, _SENTENCE.split(text)):
        two = _TWO.match(said)
        if two is None or (two["side"] is not None and not _is_of_the_same(two)):
            yield said  # VV is below -16 dB and VH is below -22 dB
            continue
        word, other, noun = two["word"], two["other"], _plain(two["word"])
        yield f"{two['call']}{word} when {two['of']} {two['limit']}"
        if two["side"] is None:
            yield f"{two['call']}{other} when {two['test']}"
        else:
            called = other if other.casefold().endswith(noun) else f"{other} {noun}"
            yield f"{two['call']}{called} when {two['of']} {two['side']}"


def _is_of_the_same(two: re.Match[str]) -> bool:
    """Whether the second word is told of the noun of the first, and is none of what is measured."""
    return bool(two["call"] and _plain(two["word"]) and _plain(two["other"]))


def _explained(said: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for pattern in _TOLD:
        match = pattern.match(said)
        groups = {} if match is None else match.groupdict()
        words = tuple(word for one in ("word", "also") if groups.get(one) and (word := _plain(groups[one])))
        if words:
            yield words, groups["test"]


def _in_one_line(said: str) -> str:
    return _QUOTED.sub(r"\g<word>", _LISTED.sub("", _AGAIN.sub("", _OF_ALL.sub("", " ".join(said.split())))))


def _plain(word: str) -> str:
    """A word for ground as it is looked for; "" of what is none, or has a meaning that no note changes."""
    before = ""
    while before != word:
        before, word = word, _BEFORE.sub("", word.strip())
    word = re.sub(r"\s+here$|^here\s+", "", word, flags=re.IGNORECASE)
    spoken = words_of(word)
    if spoken not in reading_words().phrases:  # in another language
        english = (one for one in other_names(word, whatever=True) if words_of(one) in reading_words().phrases)
        word = next(english, word)
        spoken = words_of(word)
    known = {symbol for symbol, _ in reading_words().phrases.get(spoken, ())}
    known -= {"event"} if "GROUND" in known else set()  # a flood is what is flooded as well
    whole = 0 < len(spoken) <= _MOST_WORDS and all(one.isalpha() or one == "-" for one in spoken)
    measured = any(symbol == "QUANTITY" for symbol, _ in vocabulary().phrases.get(key_of(word), ()))
    return word.casefold() if whole and known <= _OF_GROUND and not measured else ""


@cache
def _told_by() -> Mapping[str, frozenset[str]]:
    """The quantities by which each ground is usually told: snow by the snow index, or the snow fraction."""
    every = load_catalogue().templates.values()
    defined = [one for one in every if one.defines is not None and one.computes is not None]
    found: dict[str, frozenset[str]] = {}
    for one in defined:
        kinds = frozenset(re.findall(r"\w+", str(one.computes))) & quantity_kinds().keys()
        found[str(one.defines)] = found.get(str(one.defines), frozenset()) | kinds
    return found


def _usually(words: Iterable[str], numbers: Sequence[str]) -> list[str]:
    """Of several quantities those by which the ground is usually told that a word names; all where none is."""
    spoken = (one for word in words for one in reading_words().phrases.get(words_of(word), ()))
    grounds = {str(value) for symbol, value in spoken if symbol == "GROUND"}
    usual = {kind for ground in grounds for kind in _told_by().get(ground, ())}
    return [kind for kind in numbers if kind in usual] or list(numbers)


def _read(test: str, data: DataWords, words: Iterable[str] = ()) -> Expression | None:
    """The limit that a text is, of something over space: of the only quantity of the data where it names none."""
    test = _JOIN.sub("", _FROM_ON.sub(r"\g<least> or more", in_english(test.strip())))
    test = _RANGE.sub(r"between \g<low> and \g<high>", test)
    numbers = [kind for kind in sorted(data.quantities) if kind in quantity_kinds() and _is_number(kind)]
    told = _IN_UNIT.search(test)
    if told is not None and is_unit(told[1]) and normalise(told[1]) not in COMMON_UNITS:
        of_units = ((kind, quantity_kinds()[kind].unit) for kind in numbers)  # below -15 dB, of the only one in these
        numbers = [kind for kind, unit in of_units if unit != "1" and compatible(unit, told[1])]
    numbers = numbers if len(numbers) < 2 else _usually(words, numbers)
    own = f"with {numbers[0].replace('_', ' ')} " if len(numbers) == 1 else ""
    for said in (f"with {test}", f"where {test}", *(f"{own}{one}" for one in _with_unit(test, data) if own)):
        if (x := _limit(said, data)) is not None:
            return x
    # of a limit without a unit: that of the data, where one alone goes with what it is of
    held = dict.fromkeys(unit for _, unit in data.units)
    given = (_NUMBER.sub(rf"\g<0> {unit}", test, count=1) for unit in held)
    found = {x for one in given if (x := _limit(f"with {one}", data)) is not None}
    return found.pop() if len(found) == 1 else None


def _limit(said: str, data: DataWords) -> Beyond | None:
    x = read_by_rules(f"How large was the area {said}?", data).expression
    while isinstance(x, Over):
        x = x.x
    return x if isinstance(x, Beyond) and isinstance(x.limit, Number) else None


def _with_unit(test: str, data: DataWords) -> Iterator[str]:
    """A limit as it stands, and in the unit of the data where it tells none."""
    yield test
    units = dict.fromkeys(unit for _, unit in data.units)
    if len(units) == 1:
        yield _NUMBER.sub(rf"\g<0> {next(iter(units))}", test, count=1)


def _is_number(kind: str) -> bool:
    return not quantity_kinds()[kind].categorical
