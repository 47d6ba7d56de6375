"""Open slots of a goal, filled by a language model: only with what exists, and only with what the question says.

A filling names the words of the question that it reads. Numbers and units must stand in the question, names are of
closed lists, limits are within what is physically possible. The goal that results goes the way of every goal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from knowflow.ground.bands import substitutes
from knowflow.ground.errors import KnowFlowError, NotUnderstoodError
from knowflow.ground.indices import spectral_indices
from knowflow.ground.quantities import quantity_kinds
from knowflow.ground.report import Problem, Problems
from knowflow.ground.units import compatible, convert, normalise
from knowflow.knowledge.lexicon import lexicon
from knowflow.model.goal import SLOT_TITLES, QueryGoal
from knowflow.model.plan import Assumption
from knowflow.model.predicates import bands_needed
from knowflow.reason.inventory import Inventory
from knowflow.reason.llm.case import Case, told_data, told_question
from knowflow.reason.llm.conversation import Message, Schema
from knowflow.reason.llm.quoting import FENCES_EXPLAINED, fenced, shortened
from knowflow.reason.llm.slot_answer import (
    MONTHS,
    ORIGIN,
    WHOLE_NUMBERS,
    ComparisonFilling,
    Filling,
    LimitFilling,
    LimitSlot,
    MonthsFilling,
    NamedFilling,
    NamedSlot,
    NumberFilling,
    NumberSlot,
    PeriodAnswer,
    PeriodFilling,
    SlotsAnswer,
    as_slots,
    features,
    in_known_words,
    shown,
)
from knowflow.reason.llm.spoken import is_among, numbers_of, plain, unit_stands, words_stand, years_stand

_TASK = """\
You help to read a question about Earth-observation data. A program without a language model has read it, and refused it
because something stayed open. Fill the open slots from the question: each filling quotes, in `words`, the words of the
question that it reads, exactly as they stand there.

What will be refused: names that are not in the vocabulary; numbers and units that do not stand in the question (never
supply a limit of your own); periods of years that the question does not name; another value for what was understood;
words that are not in the question. Where the question is not about such data, or leaves open what only the user can
say, answer with no fillings and say in `cannot` what is missing.
"""


Vocabulary = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Filled:
    """A goal with its open slots filled; ``words`` is the question for retrieval, what was read in known words."""

    goal: QueryGoal
    words: str
    assumptions: tuple[Assumption, ...]


def vocabulary_of(case: Case) -> Vocabulary:
    """The names that open slots may take, by slot, each with its title."""
    templates = case.catalogue.templates.values()
    operations = dict.fromkeys(sorted({name for template in templates for name in template.answers}), "")
    words: dict[str, dict[str, str]] = {
        "quantity": _quantities(case.inventory),
        "feature": {name: str(entry.title) for name, entry in features().items()},
        "operation": {name: _title(name) for name in operations},
        "object": dict.fromkeys(case.objects, ""),
    }
    for slot, values in _settings().items():
        words.setdefault(slot, values)
    return {slot: words[slot] for slot in get_args(NamedSlot) if words.get(slot) and is_open(case.goal, slot)}


def is_open(goal: QueryGoal, slot: str) -> bool:
    """Whether a slot may be filled: no words of the question were understood to fill it, or they can mean several
    things.
    """
    undecided = any(one.slot == slot and one.taken is None for one in goal.ambiguities)
    found = goal.slots.get(slot)
    return undecided or found is None or found.default or not found.words


def schema_of(vocabulary: Vocabulary) -> Schema:
    """The JSON Schema of an answer, closed over the vocabulary."""
    schema = SlotsAnswer.model_json_schema(by_alias=True)
    named = schema["$defs"]["NamedFilling"]["properties"]
    named["slot"]["enum"] = list(vocabulary)
    named["value"]["enum"] = sorted({name for names in vocabulary.values() for name in names})
    return schema


def messages(case: Case, vocabulary: Vocabulary) -> tuple[Message, ...]:
    """The conversation that asks for fillings."""
    closed = [
        {
            "slot": slot,
            "means": SLOT_TITLES.get(slot, ""),
            "names": [_told(name, title) for name, title in names.items()],
        }
        for slot, names in vocabulary.items()
    ]
    others = [
        {"slot": slot, "means": SLOT_TITLES.get(slot, "")}
        for kind in (NumberSlot, LimitSlot, Literal["months", "period", "comparison"])
        for slot in get_args(kind)
        if is_open(case.goal, slot)
    ]
    parts = (
        ("The question, how it was understood, and why it was refused.", "question", told_question(case, case.goal)),
        ("What the data hold.", "data", told_data(case.inventory)),
        ("Open slots that take a name, with all names there are.", "vocabulary", closed),
        ("Open slots that take numbers or times.", "slots", others),
    )
    told = "\n\n".join(f"{title}\n{fenced(name, data)}" for title, name, data in parts)
    return (
        Message("system", f"{_TASK}\n{FENCES_EXPLAINED}"),
        Message("user", f"{told}\n\nAnswer with the fillings as one JSON object."),
    )


def filled(case: Case, answer: SlotsAnswer, vocabulary: Vocabulary) -> Filled:
    """The goal with the fillings of an answer.

    Raises:
        NotUnderstoodError: a filling says what does not exist, or what the question does not say; all are listed.
    """
    goal, problems = case.goal, Problems()
    names = [one.slot for one in answer.fillings]
    for number, one in enumerate(answer.fillings):
        where = f"fillings.{number}"
        if not is_open(goal, one.slot):
            said = goal.slots[one.slot]
            expected = f"{one.slot} as the question says it ({said.words!r})"
            problems.add(Problem("understood", expected, f"another {one.slot}", where=where))
        if names.count(one.slot) > 1:
            problems.add(Problem("twice", f"{one.slot} once", "twice", where=where))
        if not words_stand(one.words, goal.text):
            expected = "words that stand in the question"
            problems.add(Problem("words", expected, repr(shortened(one.words, 80)), where=f"{where}.words"))
    slots = dict(goal.slots)
    for number, one in enumerate(answer.fillings):
        if is_open(goal, one.slot):
            for problem in _problems(one, case, vocabulary, f"fillings.{number}", answer):
                problems.add(problem)
    if not answer.fillings:
        problems.add(Problem("nothing", "at least one filling, or in `cannot` why there is none", "neither"))
    if problems.errors:
        raise NotUnderstoodError("the fillings do not hold", problems=problems.errors)
    for one in answer.fillings:
        slots |= as_slots(one, slots)
    heard = {word for one in answer.fillings for word in plain(one.words).split()}
    return Filled(
        replace(
            goal,
            slots=slots,
            leftover=tuple(word for word in goal.leftover if word.casefold() not in heard),
            ambiguities=tuple(one for one in goal.ambiguities if one.slot not in names or not one.choices),
        ),
        in_known_words(goal.text, answer.fillings),
        tuple(
            Assumption(one.slot, shown(one), ORIGIN, f"read from “{' '.join(one.words.split())}”")
            for one in answer.fillings
        ),
    )


# --- what a filling may say ------------------------------------------------------------------------------------------


def _problems(one: Filling, case: Case, vocabulary: Vocabulary, where: str, answer: SlotsAnswer) -> Iterator[Problem]:
    question = case.goal.text
    match one:
        case NamedFilling():
            if one.value not in vocabulary.get(one.slot, {}):
                expected = f"a {one.slot} of the vocabulary"
                yield Problem("unknown_name", expected, repr(shortened(one.value, 80)), where=f"{where}.value")
        case NumberFilling():
            yield from _unsaid_numbers((one.value,), question, where)
            if one.slot in WHOLE_NUMBERS and (one.value != int(one.value) or one.value < 1):
                yield Problem("bad_value", "a whole number from 1", f"{one.value:g}", where=f"{where}.value")
            if one.slot == "percentile" and not 0 <= one.value <= 100:
                yield Problem("bad_value", "0 to 100", f"{one.value:g}", where=f"{where}.value")
        case LimitFilling():
            yield from _limit_problems(one, case, where, answer)
        case MonthsFilling():
            if not all(1 <= month <= MONTHS for month in one.value):
                yield Problem("bad_value", "months 1 to 12", str(list(one.value)), where=f"{where}.value")
        case PeriodFilling():
            yield from period_problems(one.value, case, where)
        case ComparisonFilling():
            for period in one.value:
                yield from period_problems(period, case, where)
            if one.value[0].end >= one.value[1].start:
                yield Problem("bad_value", "two times, the earlier one first", "times that overlap", where=where)


def _unsaid_numbers(values: Sequence[float], question: str, where: str) -> Iterator[Problem]:
    for value in values:
        if not is_among(value, numbers_of(question)):
            said = ", ".join(f"{one:g}" for one in numbers_of(question)) or "none"
            expected = f"a number that stands in the question ({said})"
            yield Problem("number_not_said", expected, f"{value:g}", "only the user can say it", where=f"{where}.value")


def _limit_problems(one: LimitFilling, case: Case, where: str, answer: SlotsAnswer) -> Iterator[Problem]:
    question = case.goal.text
    ends = [one.value] if one.upper is None else [one.value, one.upper]
    moved = one.slot == "moved"
    yield from _unsaid_numbers([abs(end) for end in ends] if moved else ends, question, where)
    if moved and (one.side == "between" or one.value * (1 if one.side == "above" else -1) < 0):
        expected = "a rise: above a number; or a fall: below a negative one"
        yield Problem("bad_value", expected, f"{one.side} {one.value:g}", where=where)
    if (one.side == "between") != (one.upper is not None) or (one.upper is not None and one.upper <= one.value):
        yield Problem("bad_value", "`upper` above `value` for between, and only there", one.side, where=where)
    if one.unit is not None and not _may_be_said(one.unit, case.goal):
        yield Problem("unit_not_said", "a unit that stands in the question", repr(one.unit), where=f"{where}.unit")
        return
    if one.slot == "share_threshold":
        low, high, unit, what = 0.0, 100.0, "%", "a share"
    else:
        named = [each.value for each in answer.fillings if isinstance(each, NamedFilling) and each.slot == "quantity"]
        kind = quantity_kinds().get(str(named[0] if named else case.goal.value("quantity")))
        if kind is None:
            return
        low, high = (
            (-math.inf if kind.range[0] is None else kind.range[0]),
            (math.inf if kind.range[1] is None else kind.range[1]),
        )
        low, high = (-math.inf, math.inf) if moved else (low, high)
        unit, what = kind.unit, kind.title
    if one.unit is not None and not compatible(one.unit, unit):
        yield Problem("unit", f"a unit of {what}, such as {unit}", repr(one.unit), where=f"{where}.unit")
        return
    for end in ends:
        value = end if one.unit is None else float(convert(end, one.unit, unit))
        if not low <= value <= high:
            yield Problem("out_of_range", f"{low:g} to {high:g} {unit}, as {what} can be", f"{value:g}", where=where)


def _may_be_said(unit: str, goal: QueryGoal) -> bool:
    """Whether a unit stands in the question, or is one of the readings between which it leaves open."""
    offered = {choice for one in goal.ambiguities if one.slot == "threshold" for choice in one.choices}
    try:
        return unit_stands(unit, goal.text) or normalise(unit) in offered
    except KnowFlowError:
        return False


def period_problems(period: PeriodAnswer, case: Case, where: str) -> Iterator[Problem]:
    """What is wrong with a period that a model reads in the question."""
    if period.start > period.end:
        yield Problem("bad_value", "a start before the end", f"{period.start}/{period.end}", where=where)
    years = {f"{period.start.year:04}", f"{period.end.year:04}"}
    of_data = {moment[:4] for moment in case.inventory.dates()}
    if not years_stand(years, case.goal.text) and years != of_data:
        expected = "years that the question names (or the one year of the data)"
        yield Problem("year_not_said", expected, ", ".join(sorted(years)), "only the user can say it", where=where)


# --- the vocabulary --------------------------------------------------------------------------------------------------


def _quantities(inventory: Inventory) -> dict[str, str]:
    """The quantity kinds with their titles; of spectral indices those that the data hold or have the bands for, whose
    names say enough.
    """
    held = {str(item.fact("quantity")) for item in inventory.rasters}
    bands = {str(name) for item in inventory.rasters for name in item.fact("bands") or ()}

    def at_hand(index: str) -> bool:
        needed = bands_needed(index) or ()
        return index in held or not bands or all(bands & {band, *substitutes(band)} for band in needed)

    indices = spectral_indices()
    kinds = {name: "" if name in indices else kind.title for name, kind in quantity_kinds().items()}
    return {name: title for name, title in kinds.items() if name not in indices or at_hand(name)}


def _settings() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for meanings in lexicon().phrases.values():
        for one in meanings:
            if one.category == "setting" and isinstance(one.entry.value, str):
                found.setdefault(str(one.entry.slot), {})[one.entry.value] = one.entry.title
    return {slot: dict(sorted(values.items())) for slot, values in found.items()}


def _title(operation: str) -> str:
    entry = lexicon().operations.get(operation)
    return "" if entry is None else entry.title


def _told(name: str, title: str) -> str:
    return f"{name}: {title}" if title and plain(title) != plain(name.replace("_", " ")) else name
