"""A sentence read, by the rules of the grammar or out of its pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date

from knowflow.question.check import check
from knowflow.question.events import by_year_of_loss
from knowflow.question.operators import (
    Beyond,
    During,
    Expression,
    Number,
    Quantity,
    walk,
)
from knowflow.question.reading.alike import likelier, of_dated_rather, of_maps_rather
from knowflow.question.reading.all_together import no_map_of_points, of_the_whole, of_those_counted
from knowflow.question.reading.amounts import at_their_time
from knowflow.question.reading.asked_anyway import holds_anyway, is_finer
from knowflow.question.reading.became import is_between_more_maps, is_of_what_it_was
from knowflow.question.reading.behind import stands_for
from knowflow.question.reading.chart import Chart, Entity, Made
from knowflow.question.reading.class_numbers import is_explained
from knowflow.question.reading.entities import PLACE, as_held
from knowflow.question.reading.explained import STRANGE
from knowflow.question.reading.held_statistics import of_held_statistics
from knowflow.question.reading.how_much import asks_no_choice, of_area, ranks_otherwise
from knowflow.question.reading.named_files import is_of_files, without_files
from knowflow.question.reading.order import typed
from knowflow.question.reading.pieces import put_together
from knowflow.question.reading.possible import is_of_either, possible_limits
from knowflow.question.reading.products import as_products_held, is_assumed
from knowflow.question.reading.readings import Part, Reading
from knowflow.question.reading.records import are_of_records, of_records
from knowflow.question.reading.remarks import without_remarks
from knowflow.question.reading.restated import without_restated
from knowflow.question.reading.rules import grammar
from knowflow.question.reading.rules_of_layers import of_layers
from knowflow.question.reading.rules_of_sources import of_one_variant
from knowflow.question.reading.same_meaning import meant_by
from knowflow.question.reading.same_time import of_same_time
from knowflow.question.reading.sentence import ITS, Sentence, sentence_of
from knowflow.question.reading.single_periods import of_single_periods
from knowflow.question.reading.sizes_of_changes import of_their_size
from knowflow.question.reading.surveys import of_two_surveys
from knowflow.question.reading.told_of_features import as_ground_at_them, told_of_features
from knowflow.question.reading.told_of_rows import (
    as_told_by_rows,
    days_as_ground,
    placed_by_rows,
    rows_as_ground,
    rows_elsewhere,
    told_of_rows,
)
from knowflow.question.reading.topics import left_unsaid
from knowflow.question.reading.two_steps import in_two_steps
from knowflow.question.reading.versions import of_their_years
from knowflow.question.reading.vocabulary import DataWords
from knowflow.question.times import Times


def read(question: str, data: DataWords | None = None) -> Reading:
    """Read a question, with the names that the data bring; nothing that is said is left out but remarks, and these are
    told.

    What no rule makes a whole of is put together from its pieces.

    >>> read("What was the mean NDVI in 2017?").expression is not None
    True
    """
    found = in_two_steps(question, data or DataWords(), lambda part: _read_at_once(part, data))
    found = found or _read_at_once(question, data)
    if not found.candidates():
        rest, aside = without_remarks(question, data or DataWords())
        again = _read(rest, data, in_pieces=True) if aside else found
        if again.expression is not None:
            return replace(again, question=question, aside=aside)
        for move in (_with_unit_last, _with_unit_first, _with_key_first):
            moved = move(rest, data or DataWords())
            again = _read(moved, data, in_pieces=True) if moved else found
            if again.expression is not None:
                return replace(again, question=question, aside=aside)
        return _of_named_files(question, data or DataWords()) or _of_the_rest(question, data or DataWords()) or found
    return found


def _of_the_rest(question: str, data: DataWords) -> Reading | None:
    """A question without what says the same again."""
    return without_restated(question, data, lambda rest: _read(rest, data, in_pieces=True))


def _of_named_files(question: str, data: DataWords) -> Reading | None:
    """A question of files that it names, as what is left of it is read; None where that is not of these alone."""
    for rest, files in without_files(question, data):
        again = _read(rest, data, in_pieces=True)
        meant = [one for one in again.candidates() if is_of_files(one, files, data.files)]
        if len(meant) == 1:
            return replace(again.taken(meant[0]), question=question)
    return None


def _read_at_once(question: str, data: DataWords | None) -> Reading:
    """A question as its words stand; of rows of a table by their columns, where their ground is asked of."""
    found = _read(question, data, in_pieces=True)
    if data is not None and found.candidates() and all(map(rows_as_ground, found.candidates())):
        again = _read(question, as_told_by_rows(data, found.candidates()), in_pieces=True)
        return again if again.expression is not None and not rows_as_ground(again.expression) else found
    return found


_IN_BRACKETS = re.compile(r"\s*\(([^()?]+)\)(?=\s*\w)")


def _with_unit_last(question: str, data: DataWords) -> str:
    """A question with a unit in brackets within it at its end: ``how much forest (km2) was lost``; "" without one."""
    for told in _IN_BRACKETS.finditer(question):
        unit = sentence_of(told[1], data)
        whole = ((0, len(unit.words)) == (one.start, one.end) for one in unit.entities if one.symbol == "UNIT")
        if any(whole):
            return f"{question[: told.start()]}{question[told.end() :].rstrip(' .?!')}, {told[1]}"
    return ""


_MUCH_IN = re.compile(r"^(.*?)\bhow much\b(.+?),?\s+(?:in\s+|\()([\w²%/ -]+?)\)?\s*[?.!]*$", re.IGNORECASE)


def _with_unit_first(question: str, data: DataWords) -> str:
    """``How much of each plot was cut, in hectares?``, as how many hectares of it were; "" of another one."""
    told = _MUCH_IN.match(question)
    if told is None:
        return ""
    unit = sentence_of(told[3], data)
    whole = ((0, len(unit.words)) == (one.start, one.end) for one in unit.entities if one.symbol == "UNIT")
    return f"{told[1]}how many {told[3]}{told[2]}?" if any(whole) else ""


_WHERE_BY = re.compile(r"^\s*where\s+(.+?),?\s+(?:by|per)\s+([^,]+?)\s*[?.!]*$", re.IGNORECASE)


def _with_key_first(question: str, data: DataWords) -> str:
    """``Where was the most forest lost, by district?``, as a question in which district it was; "" of another one."""
    told = _WHERE_BY.match(question)
    key = None if told is None else sentence_of(told[2], data)
    whole = key is not None and any(
        one.symbol == "NAMED_KEY" and (one.start, one.end) == (0, len(key.words)) for one in key.entities
    )
    return f"In which {told[2]} {told[1]}?" if told is not None and whole else ""


def read_by_rules(question: str, data: DataWords | None = None) -> Reading:
    """Read a question of which rules make a whole, as those that we write ourselves: nothing is put together."""
    return _read(question, data, in_pieces=False)


def _read(question: str, data: DataWords | None, in_pieces: bool) -> Reading:
    sentence = sentence_of(question, data or DataWords())
    unread, known = tuple(_unread(sentence)), as_ground_at_them(question, data or DataWords())
    told = in_pieces and bool(unread) and are_of_records(unread, known.features)
    if (unread and not told) or not sentence.words:
        return Reading(question, None, unread=unread, apart=() if unread else (question,))
    chart = Chart(grammar(), sentence.length, sentence.entities)
    found = [] if unread else _ranked(_whole_questions(chart), known)
    if not found and not unread:
        going_on = sentence_of(question, data or DataWords(), again=True)
        if going_on.entities != sentence.entities:
            before, sentence = (chart, sentence), going_on
            chart = Chart(grammar(), sentence.length, sentence.entities)
            found = _ranked(_whole_questions(chart), known)
            if not found and in_pieces and _is_of_nothing(sentence) and (found := _of_pieces(*before, known)):
                chart, sentence = before
    if not found and in_pieces and not unread:
        found = _of_pieces(chart, sentence, known)
    if not found and in_pieces:
        found = _of_one_file(chart, sentence, known)
    if not found and unread:
        return Reading(question, None, unread=unread)
    strange = tuple(sentence.said(one.start, one.end) for one in sentence.entities if one.symbol in STRANGE)
    if not found and strange:  # and nothing explains them after all
        return Reading(question, None, unread=tuple(dict.fromkeys(strange)))
    if not found:
        return Reading(question, None, apart=tuple(_largest(chart, sentence)), unfit=_unfit(chart, known.dates))
    found = [of_their_size(of_those_counted(of_the_whole(made, sentence), sentence), sentence) for made in found]
    found = [made for made in found if not _of_other_years(made.value.expression, data or DataWords())] or found
    best = found[0]
    alike = likelier([made for made in found if made.cost == best.cost], data or DataWords())
    rates = all(str(made.value.unit).endswith("year-1") for made in alike)
    if len({made.value.expression for made in alike}) == 1:
        told_in = [made for made in alike if made.value.unit is not None]
        alike = told_in if len(told_in) == 1 else alike[:1] if rates else alike  # a degree of Celsius, or a kelvin
    best = alike[0]
    parts = tuple(_parts(best, sentence))
    whole, explained = _told(best, sentence, known)
    others = tuple(made.value.expression for made in [made for made in found if made not in alike][:3])
    told = best.value
    taken = told.expression if len(alike) == 1 else None
    equal = tuple(made.value.expression for made in alike if made.value.unit == told.unit) if taken is None else ()
    return Reading(
        question, taken, parts, alike=equal, others=others, unit=told.unit,
        units=told.units if taken is not None else (), whole=whole, explained=explained,
    )  # fmt: skip


def _of_other_years(expression: Expression, data: DataWords) -> bool:
    """Whether it is of a map of classes of a time of which the data have none."""
    for _, part in walk(expression):
        if isinstance(part, During) and isinstance(part.x, Quantity) and isinstance(part.when, Times):
            years = data.years.get(part.x.kind, ())
            first, last = part.when.first, part.when.last
            if not years and part.x.kind in data.classes and data.maps.get(part.x.kind) == 1:
                return True  # a map of classes without a date
            if years and first and last and not any(first.year <= year <= last.year for year in years):
                return True
    return False


def _told(best: Made, sentence: Sentence, data: DataWords) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that are taken for the whole of the data, and those that the question explains."""
    there = {part for _, part in walk(best.value.expression)}
    whole = (
        one for one in best.entities if one.symbol == "whole_time" or one.value == PLACE or is_assumed(one, there, data)
    )
    meant = (one for one in best.entities if one.symbol in _MEANT or (_is_ground(one) and one.value not in there))
    explained = tuple(sentence.said(one.start, one.end) for one in meant) if _explains(best.entities) else ()
    explained += tuple(sentence.said(one.start, one.end) for one in best.entities if is_explained(one, data))
    return tuple(sentence.said(one.start, one.end) for one in whole), explained


_MEANT = ("described", "UNKNOWN")
"""Words whose meaning here the question has to tell."""


def _is_ground(one: Entity) -> bool:
    return one.symbol in ("GROUND", "BODY")


def _explains(entities: Sequence[Entity]) -> bool:
    return any(one.symbol in (*_MEANT, "open", "namely", "counts", "call") for one in entities)


def _whole_questions(chart: Chart) -> list[Made]:
    return sorted(chart.cell(0, chart.length).get("Q", {}).values(), key=lambda made: made.cost)


def _is_of_nothing(sentence: Sentence) -> bool:
    """Whether ``it`` names nothing again: ``where it was hotter than 38 °C``."""
    graded = {one.start for one in sentence.entities if one.symbol == "COMPARED"}
    words = [one.text.lower() for one in sentence.words]
    its = [at for at, word in enumerate(words) if word == "it"]
    return bool(its) and all(words[at - 1 : at] == ["where"] and at + 2 in graded for at in its)


def _of_pieces(chart: Chart, sentence: Sentence, data: DataWords) -> list[Made]:
    """What the fewest pieces of a sentence make together, where that fits; each is as likely as the others. A time is
    of all of it, and where that does not fit, of the ground beside it."""
    made: list[Made] = []
    yes_or_no = _asks_whether(sentence)
    for nearest in (False, True):
        fewest: int | None = None
        for count, one in put_together(chart, sentence, nearest) if not made else ():
            if fewest is not None and count > fewest:
                break
            if (not yes_or_no or _is_truth(one)) and _ranked([one], data):
                fewest = count
                made.append(replace(one, cost=0))
    return _ranked(made, data)


_WHETHER = frozenset(("did", "does", "was", "were", "is", "are", "has", "had"))
_ASKING = frozenset(("what", "which", "how", "how_many", "how_much", "how_large", "by_how_much", "when", "where"))
_ASKING |= {"SHOWN", "display", "value_told", "TREND", "CORRELATION"}


def _asks_whether(sentence: Sentence) -> bool:
    """Whether a sentence asks for a yes or a no, and for nothing else: ``did it stay below 30 °C``, whose pieces make
    no mean."""
    first = sentence.words[0].text.lower() if sentence.words else ""
    return first in _WHETHER and not any(one.symbol in _ASKING and one.start for one in sentence.entities)


def _is_truth(one: Made) -> bool:
    own = typed(one.value.expression)
    return own is not None and own.of == "truth" and not own.space


def _of_one_file(chart: Chart, sentence: Sentence, data: DataWords) -> list[Made]:
    """What is asked of the records of a file; each is as likely as the others."""
    return _ranked([replace(one, cost=0) for one in of_records(chart, sentence, data.features)], data)


def _of_years(questions: Iterable[Made], data: DataWords) -> Iterator[Made]:
    """Questions with features of those years that they tell."""
    for made in questions:
        for one in of_their_years(made.value.expression, data.features, data.surveyed):
            yield replace(made, value=replace(made.value, expression=one))


def _ranked(questions: Iterable[Made], data: DataWords) -> list[Made]:
    """Those that fit and differ in meaning, the likeliest first."""
    found: dict[tuple[Expression, str | None], Made] = {}
    for made in _of_years(questions, data):
        if ranks_otherwise(made.value.expression, made.entities) or asks_no_choice(
            made.value.expression, made.entities
        ):
            continue
        asked = of_area(made.value.expression, made.value.unit, made.entities)
        asked = by_year_of_loss(of_layers(as_held(of_two_surveys(asked, data.two), data.quantities)))
        mean_said = any(one.value == "mean" for one in made.entities)
        asked = of_single_periods(of_held_statistics(asked, made.entities, data.chosen), mean_said)
        asked = placed_by_rows(told_of_features(asked, data.quantities, data.features), data.features)
        by_rows = as_told_by_rows(data, [asked]).told if rows_as_ground(asked) else data.told
        of_rows = told_of_rows(asked, data.quantities - by_rows, data.features)
        made = replace(made, cost=made.cost + _IN_PLACE * (of_rows != asked))
        asked = of_rows
        limited = possible_limits(asked, data.scales)
        if limited is None or is_of_either(limited, made.entities):
            continue
        at_once = of_same_time(no_map_of_points(limited, data), made.entities)
        if at_once is None:
            continue
        asked = at_once
        made = replace(made, value=replace(made.value, expression=asked))
        if typed(asked) is None or _speaks_of_it(asked) or left_unsaid(asked):
            continue
        told = at_their_time(made.value, data.maps)
        if told is not None:
            told = replace(told, expression=as_products_held(of_one_variant(told.expression), data))
            if holds_anyway(told.expression, data.maps) or is_of_what_it_was(told.expression, data.years):
                continue
            if is_between_more_maps(told.expression, data.years, data.maps) or is_finer(told.expression, data.dates):
                continue
            found.setdefault((meant_by(told.expression), told.unit), replace(made, value=told))
    kept = sorted(found.values(), key=lambda made: made.cost)
    kept = [made for made in kept if not rows_as_ground(made.value.expression, placed=False)] or kept
    kept = of_dated_rather(of_maps_rather(kept, data), data)
    kept = [made for made in kept if not days_as_ground(made.value.expression, data.features)]
    return [made for made in kept if not rows_elsewhere(made.value.expression, data.features)]


_IN_PLACE = 3  # less likely, a column that is of what is named than one that is called so


def _unfit(chart: Chart, dates: Sequence[date]) -> str:
    """Why what is read whole does not fit together, or the data; empty where nothing is."""
    for made in _whole_questions(chart):
        if is_finer(made.value.expression, dates):
            return "of each year there is one map, which tells nothing of months or seasons"
        misfits = check(made.value.expression).misfits
        if misfits:
            return str(misfits[0])
    return ""


def _speaks_of_it(expression: Expression) -> bool:
    """Whether something is left that speaks of what nothing names."""
    return any(isinstance(part, Quantity) and part.having == ITS for _, part in walk(expression))


def _unread(sentence: Sentence) -> Iterator[str]:
    """The words that stand for nothing at all."""
    known = {place for one in sentence.entities for place in range(one.start, one.end)}
    yield from (word.text for place, word in enumerate(sentence.words) if place not in known)


def _largest(chart: Chart, sentence: Sentence) -> Iterator[str]:
    """The fewest pieces that were read: where one ends, the next does not go on with it."""
    start = 0
    while start < chart.length:
        spans = (end for end in range(chart.length, start, -1) if _whole(chart, start, end))
        end = next(spans, start + 1)
        if start < len(sentence.words):
            yield sentence.said(start, min(end, len(sentence.words)))
        start = end


def _whole(chart: Chart, start: int, end: int) -> bool:
    return bool({"Q", "N", "C", "T", "W", "K", "XT", "B"} & chart.cell(start, end).keys())


def _parts(made: Made, sentence: Sentence) -> Iterator[Part]:
    """The words of a reading with the places of the expression that they stand behind, each place as often as said."""
    places = list(walk(made.value.expression))
    for one in made.entities:
        said = sentence.said(one.start, one.end)
        at = next((at for at, part in places if stands_for(one, part)), None)
        if at is not None:
            places = [place for place in places if place[0] != at or isinstance(place[1], Beyond | Number)]
        if said:
            yield Part(said, at)
