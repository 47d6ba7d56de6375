"""What a sentence asks (operations) and what about (quantities): mentions of the lexicon, weighed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.regex import regex
from knowflow.knowledge.lexicon_file import Entry
from knowflow.knowledge.phrases import Lexicon, Meaning, Mention
from knowflow.knowledge.words import Token
from knowflow.reason.language.limits import Limit

# operations that work on the result of others: the trend of a share, the date of a maximum
OUTER = frozenset(
    {
        "trend",
        "change",
        "percent_change",
        "difference",
        "correlation",
        "extreme_date",
        "time_series",
        "anomaly",
        "spikes",
    }
)
COMPARING = frozenset({"change", "percent_change", "difference"})
NEEDS_LIMIT = frozenset({"share", "area", "count", "mask", "largest_patches"})
_DRAWN = frozenset({"map", "mask"})
_DIMENSIONS = (
    frozenset({"K", "degC", "degF"}),
    frozenset({"degree"}),
    frozenset({"1", "%"}),
    frozenset({"m", "km", "cm", "mm", "ft"}),
    frozenset({"dB"}),
)
_SOURCE = regex(
    r"\b(?:based on|using|given|from the|derived from|work(?:ing)? from|with the help of|by means of|"
    r"from(?= (?:[\w-]+ ){0,3}(?:reflectances?|radiances?|bands?|data|layers?|rasters?|imagery|channels?)\b)|"
    r"from(?= (?:[\w-]+ ){0,5}brightness temperatures?\b))\b",
    re.IGNORECASE,
)
# "TVDI (from NDVI and LST)"
_MADE_OF = regex(r"\((?:\w+\s+)?(?:from|out\s+of|using|based\s+on|via)\b", re.IGNORECASE)
_MADE_OF_END = regex(r"\)")
# what an answer would suggest is not the question: "..., indicating possible water stress"
_ASIDE = regex(
    r"\b(?:indicating|suggesting|implying|which (?:may|might|could)|to assess seasonal|to characteri[sz]e)\b",
    re.IGNORECASE,
)
_ASIDE_END = regex(r"[,.;?!]")
_SOURCE_END = regex(
    r",(?!\s*(?:and\s+)?(?:band|bands|b\d|[A-Z]{2,}\b))|\b(?:calculate|compute|determine|estimate|derive|find|identify|analy[sz]e|count|assess|report|give|apply|quantify|"
    r"retrieve|get)\b|[.;?!]",
    re.IGNORECASE,
)
# "mean temperature where NDVI ...": what follows restricts, it is not what is asked about
_CONDITION = regex(
    r"\b(?:where|whose|having|(?:areas?|regions?|places|pixels|zones|parts|land|ground)\s+(?:with|of|that have))"
    r"\s+(?:the\s+|an?\s+)?(?:[\w-]+\s+)?$",
    re.IGNORECASE,
)
# how large a thing is, or how much of it there is
_SIZE = regex(
    r"\b(?:larg|bigg|great|small|wid|broad)(?:er|est)\b|\b(?:most|least|more|less|much|extent|extensive|coverage|size)\b",
    re.IGNORECASE,
)
# "dryness index", "drought indicator": the name of a quantity
_INDEX = regex(r"\s*\b(?:index|indices|indicators?)\b", re.IGNORECASE)
# "above 315 K in daytime LST"
_IN_IT = regex(
    r"\s+(?:in|of)\s+(?:(?:mean|average|daily|daytime|night-?time|day|night|land|surface)\s+)*", re.IGNORECASE
)
_HOW = regex(r"\bhow\s+$", re.IGNORECASE)  # "how warm was the water" is about warmth
_TOLD_BY = regex(
    r"\b(?:by|by means of|according to|"
    r"(?:going|judging|judged|measured|told|shown|expressed) (?:as|by|in|through|with)|"
    r"in terms of|in the sense of|on the basis of|use|take|with)\s+(?:the\s+|its\s+)?"
    r"(?:(?:mean|average|median|maximum|minimum)\s+)?(?:of\s+(?:the\s+)?)?$",
    re.IGNORECASE,
)
_CONJUNCTION = frozenset({"and", "&", ",", "or", "plus", "/"})


@dataclass(frozen=True, slots=True)
class Asked:
    """An operation with its place in the text."""

    operation: str
    rank: str
    first: int
    words: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A quantity with its place; ``feature`` is the thing on the ground that stands for it, ``sure`` 2 plain words or
    an index of the feature, 1 a feature, 0 a usual reading, -1 a hint by a unit."""

    quantity: str
    first: int
    past: int
    words: str
    sure: int = 2
    feature: Entry | None = None
    note: str = ""
    source: bool = False

    @property
    def named(self) -> bool:
        """It is the name of a quantity, not a thing on the ground: "drought index" names one, "drought" does not."""
        return self.feature is None or self.sure == 2


def operations(text: str, mentions: Sequence[Mention], pieces: Sequence[Token], known: Lexicon) -> tuple[Asked, ...]:
    """The operations of a sentence: those that work on others first, then numbers, drawings, statistics last."""
    heard: list[tuple[Asked, str]] = []
    for mention in mentions:
        meaning = mention.of("operation")
        counted = _counted(mention)
        if meaning is None and counted is None:
            continue
        name = "count" if counted is not None else str(meaning.entry.value) if meaning else ""
        entry = known.operations[name]
        asked = Asked(name, entry.rank or "analysis", pieces[mention.first].start, mention.words)
        heard.append((asked, meaning.manner if meaning and counted is None else "plain"))
        heard.extend(
            (Asked(inner, "statistic", asked.first, mention.words), "plain")
            for inner in _inner_statistics(text, mention, pieces, known)
        )
    plain = [asked for asked, manner in heard if manner != "weak"]
    if plain:
        beside = [asked for asked, manner in heard if manner == "weak" and _is_beside(text, asked, plain)]
        chosen = [*plain, *beside]
    else:
        weak = [asked for asked, _ in heard]
        chosen = [asked for asked in weak if asked.operation not in _DRAWN] or weak
    chosen.sort(key=lambda asked: (_level(asked), asked.first))
    unique: dict[str, Asked] = {}
    for asked in chosen:
        unique.setdefault(asked.operation, asked)
    return tuple(unique.values())


def subjects(
    mentions: Sequence[Mention],
    limits: Sequence[Limit],
    pieces: Sequence[Token],
    text: str,
    known: Lexicon,
    told: Sequence[tuple[int, int]] = (),
) -> tuple[Subject, ...]:
    """Every mention of a quantity in the sentence, in order; those of what is only ``told`` are names of data."""
    found: list[Subject] = []
    sources = (*_source_spans(text), *told)
    for mention in mentions:
        for subject in _subjects_of(text, mention, pieces, known):
            inside = any(first <= subject.first < past for first, past in sources)
            found.append(replace(subject, source=inside))
    found.extend(
        Subject(limit.quantity, limit.first, limit.past, limit.words) for limit in limits if limit.quantity is not None
    )
    if not found:
        found.extend(
            Subject(limit.suggested, limit.first, limit.past, limit.words, -1, note="the unit of the limit suggests it")
            for limit in limits
            if limit.suggested is not None
        )
    return tuple(sorted(found, key=lambda subject: subject.first))


def main_subject(text: str, found: Sequence[Subject], asked: Sequence[Asked]) -> Subject | None:
    """The quantity in question: sure words before hints, what follows the main operation before what precedes it."""
    if not found:
        return None
    start = asked[0].first if asked else 0
    plain = [subject for subject in found if not _qualifies(subject, found)]
    plain = [subject for subject in plain if not _only_scene(text, subject, found, asked)]
    following = next((s for s in plain if s.first >= start and not s.source and s.sure >= 1), None)

    def weight(subject: Subject) -> tuple[float, int]:
        points = float(min(subject.sure, 2))
        points -= 3.0 if subject.source else 0.0
        points -= 0.5 if not subject.named and subject.feature is not None and subject.feature.loose else 0.0
        # "water by MNDWI" is about the water, "the most intense burning by FRP" about FRP
        measured = told_by(text, subject) and subject.quantity not in spectral_indices()
        points += 1.2 if subject is following or measured else 0.0
        points += 1.5 if _HOW.search(text[max(0, subject.first - 8) : subject.first]) else 0.0
        points -= 1.5 if _CONDITION.search(text[max(0, subject.first - 40) : subject.first]) else 0.0
        return points, -subject.first

    return max(found, key=weight)


def told_by(text: str, subject: Subject) -> bool:
    """Whether a quantity is named as that by which something is told: "the muddiest water, by NDTI"."""
    return subject.feature is None and _TOLD_BY.search(text[max(0, subject.first - 60) : subject.first]) is not None


def _only_scene(text: str, subject: Subject, found: Sequence[Subject], asked: Sequence[Asked]) -> bool:
    """Whether a thing on the ground sets the scene of a question that names its quantity, and does not ask how large
    the thing is."""
    if subject.named or (asked and asked[0].operation in NEEDS_LIMIT) or _SIZE.search(text):
        return False
    named = [one for one in found if one.sure == 2 and one.named and not one.source]
    others = [one for one in named if one.quantity != subject.quantity]
    return bool(others) and not any(_CONDITION.search(text[max(0, one.first - 40) : one.first]) for one in others)


def _qualifies(subject: Subject, found: Sequence[Subject]) -> bool:
    """Whether a thing on the ground stands right before a quantity of its own: "snow temperature"."""
    after = [other for other in found if other.sure == 2 or (other.feature is not None and other.feature.loose)]
    return subject.feature is not None and any(0 <= other.first - subject.past <= 1 for other in after)


def fits(quantity: str, unit: str | None) -> bool:
    """Whether a limit in that unit can be one on the quantity; nothing said fits everything."""
    kind = quantity_kinds().get(quantity)
    if unit is None or kind is None or kind.unit == unit or (unit == "degree" and kind.unit == "K"):
        return True
    if kind.water and unit in ("mm", "cm", "m"):
        return True
    return any(kind.unit in dimension and unit in dimension for dimension in _DIMENSIONS)


def attach(limit: Limit, found: Sequence[Subject], text: str) -> Subject | None:
    """The quantity that a limit is on: the one that follows it at once ("above 315 K in LST"), else the nearest one
    before it that its unit fits, else the nearest one after it."""
    if limit.quantity is not None:
        return next((subject for subject in found if subject.quantity == limit.quantity), None)
    unit = limit.threshold.unit if limit.threshold.relative_to is None else None
    fitting = [subject for subject in found if fits(subject.quantity, unit)]
    inside = [subject for subject in fitting if limit.first <= subject.first < limit.past]
    before = [subject for subject in fitting if subject.first < limit.first and not subject.source]
    after = [subject for subject in fitting if subject.first >= limit.past]
    named = [subject for subject in after if _IN_IT.fullmatch(text, limit.past, subject.first)]
    surest = max((subject.sure for subject in before), default=0)
    near = [subject for subject in before if subject.sure == surest]
    best = inside or named[:1] or near[-1:] or after[:1] or fitting[-1:]
    return best[0] if best else None


def _counted(mention: Mention) -> Meaning | None:
    return next((m for m in mention.meanings if m.category == "setting" and m.entry.slot == "count_of"), None)


def _is_algorithm(mention: Mention) -> bool:
    return any(meaning.entry.slot == "algorithm" for meaning in mention.meanings)


def _level(asked: Asked) -> int:
    if asked.rank == "statistic":
        return 3
    return 0 if asked.operation in OUTER else 2 if asked.operation in _DRAWN else 1


def _is_beside(text: str, asked: Asked, others: Sequence[Asked]) -> bool:
    """Whether only "and" or a comma stands between this operation and another: "the share and area"."""
    for other in others:
        first, second = sorted((asked, other), key=lambda item: item.first)
        gap = text[first.first + len(first.words) : second.first].lower().split()
        if gap and all(word in _CONJUNCTION | {"the", "a", "of", "also", "its"} for word in gap):
            return any(word in _CONJUNCTION for word in gap)
    return False


def _inner_statistics(text: str, mention: Mention, pieces: Sequence[Token], known: Lexicon) -> tuple[str, ...]:
    names = [meaning.entry.value for inner in known.inner(text, pieces, mention) if (meaning := inner.of("operation"))]
    return tuple(dict.fromkeys(name for name in names if known.operations[name].rank == "statistic"))


def _subjects_of(text: str, mention: Mention, pieces: Sequence[Token], known: Lexicon) -> Iterator[Subject]:
    first, past = pieces[mention.first].start, pieces[mention.past - 1].end
    found = _subject(mention, first, past)
    if found is not None:
        is_index = found.feature is not None and found.quantity not in spectral_indices() and _INDEX.search(text, first)
        yield replace(found, sure=2) if is_index and is_index.start() <= past else found
    elif (mention.of("operation") is not None or _counted(mention) is not None) and not _is_algorithm(mention):
        heard: set[str] = set()
        for inner in known.inner(text, pieces, mention):
            subject = _subject(inner, first, past)
            if subject is not None and subject.quantity not in heard:
                heard.add(subject.quantity)
                yield subject


def _subject(mention: Mention, first: int, past: int) -> Subject | None:
    feature, quantity = mention.of("feature"), mention.of("quantity")
    if feature is not None and feature.entry.quantity is not None:
        entry = feature.entry
        return Subject(str(entry.quantity), first, past, mention.words, 1, entry, entry.source)
    if quantity is not None:
        sure = 0 if quantity.manner == "usual" else 2
        return Subject(
            str(quantity.entry.value), first, past, mention.words, sure, None, quantity.entry.note if sure == 0 else ""
        )
    return None


def _source_spans(text: str) -> Iterator[tuple[int, int]]:
    """Parts of a sentence that name the data ("Based on NDVI and LST data, ...") or what an answer may mean."""
    for opening, closing in ((_SOURCE, _SOURCE_END), (_ASIDE, _ASIDE_END), (_MADE_OF, _MADE_OF_END)):
        for match in opening.finditer(text):
            end = closing.search(text, match.end())
            yield match.start(), end.start() if end else len(text)
