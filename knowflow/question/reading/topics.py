"""Questions that a sentence begins and another one goes on with, and words that a question explains: functions of the
rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from knowflow.ground.quantities import quantity_kinds
from knowflow.question.normal import normal
from knowflow.question.operators import (
    Anomaly,
    Beyond,
    Correlate,
    During,
    Expression,
    Extreme,
    IsClass,
    Number,
    Over,
    Polygons,
    Quantity,
    Several,
    Show,
    Split,
    Trend,
    Weighted,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.changes import correlated, rate, trend
from knowflow.question.reading.grounds import clear, share_where
from knowflow.question.reading.keys import Keys, ranked
from knowflow.question.reading.limits import compare
from knowflow.question.reading.nouns import LAND_COVER, Graded, graded, of_ground_alone, statistic_of
from knowflow.question.reading.order import Clause, Thing, closed, holding, typed
from knowflow.question.reading.questions import Answer, answer, shown
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.sentence import ITS
from knowflow.question.reading.spans import adjoining, from_to, grain_of
from knowflow.question.reading.yearly_totals import averaged_over_years
from knowflow.question.times import Times, times
from knowflow.question.typing_of_features import measured_in

MEANT = Quantity("mask", having=(("meant", "it"),))
"""Ground of a word that means nothing by itself, until the question says what it means by it."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What a sentence speaks of, before another one says what is asked of it: how it goes, how two go together."""

    things: tuple[Thing, ...]
    way: str = ""

    def asked(self) -> Expression | None:
        """What the sentence asks where no other one follows: whether it rises, how two go together."""
        if len(self.things) == 2:
            found = correlated(*self.things)
        else:
            found = trend("linear", self.things[0]) if self.way in ("up", "down") else None
        x = None if found is None else closed(found)
        own = None if x is None else typed(x)
        if x is None or own is None or len(self.things) == 2:
            return x
        test = Beyond(x, "above" if self.way == "up" else "below", Number(0.0, own.measure.unit))
        return test if typed(test) is not None else None


def compared_of(of: Any, named: Graded, limit: Any) -> Clause | None:
    thing = graded(named, of)
    return None if thing is None else compare(thing, (named[1], limit, None))


def ranked_as(keys: Keys, of: Any, named: Graded) -> Expression | None:
    """``when was the vegetation greenest``."""
    thing = graded(named, of)
    return None if thing is None else ranked(keys, "maximum" if named[1] == "highest" else "minimum", thing)


def extreme_of(named: Graded, thing: Thing) -> Thing | None:
    """``the coldest surface temperature``."""
    of = graded(named, thing)
    return None if of is None else statistic_of("maximum" if named[1] == "highest" else "minimum", of)


def at_point(named: Graded) -> Thing | None:
    """``the highest point``, ``the warmest spot``: the extreme over the ground."""
    said = "maximum" if named[1].startswith("highest") else "minimum"
    return statistic_of(said, Thing(Quantity(named[0])))


def signed(side: str, thing: Thing) -> Clause | None:
    """``negative``: below zero, in the unit of what is so."""
    own = typed(thing.x)
    return None if own is None or own.of != "number" else compare(thing, (side, Number(0.0, own.measure.unit), None))


# --- a topic, and what is asked of it -----------------------------------------------------------------------------


def going(thing: Thing | None, way: str) -> Topic | None:
    return None if thing is None else Topic((thing,), {"rising": "up", "falling": "down"}.get(way, way))


def turning(named: Graded, of: Any) -> Topic | None:
    """``is it getting warmer``."""
    return going(graded(named, of), "up" if named[1] == "above" else "down")


def on_topic(topic: Topic, change: Callable[[Thing], Thing | None]) -> Topic | None:
    found = tuple(change(one) for one in topic.things)
    return None if None in found else replace(topic, things=found)  # type: ignore[arg-type]  # none is None


def topic_during(topic: Topic, when: Times | Expression) -> Topic | None:
    return on_topic(topic, lambda thing: during(thing, when))


def topic_within(topic: Topic, where: Expression) -> Topic | None:
    return on_topic(topic, lambda thing: within(thing, where))


def its_trend(topic: Topic, method: str) -> Answer | None:
    found = trend(method, topic.things[0]) if len(topic.things) == 1 else None
    return None if found is None else answer(found)


def its_rate(topic: Topic) -> Answer | None:
    found = rate(topic.things[0], topic.way) if topic.way in ("up", "down") else None
    return None if found is None else answer(found)


def its_correlation(topic: Topic) -> Answer | None:
    found = correlated(*topic.things) if len(topic.things) == 2 else None
    return None if found is None else answer(found)


def its_statistic(topic: Topic, said: str) -> Answer | None:
    """``how much does it vary? Give the standard deviation``."""
    found = statistic_of(said, topic.things[0]) if topic.way == "varies" else None
    return None if found is None else answer(found)


def asked_of(topic: Topic, one: Answer) -> Answer | None:
    """A question that says itself what the sentence before it speaks of, and leaves out what restricts that alone."""
    if topic.way == "" and len(topic.things) == 1:
        return of_topic(topic.things[0], one)
    kinds = {part.kind for thing in topic.things for _, part in walk(thing.x) if isinstance(part, Quantity)}
    own = {part.kind for _, part in walk(one.expression) if isinstance(part, Quantity)}
    follows = any(isinstance(part, Trend | Correlate) for _, part in walk(one.expression))
    loose = any(isinstance(part, During | Within) for thing in topic.things for _, part in walk(thing.x))
    return one if follows and kinds <= own and not loose else None


def of_topic(thing: Thing, one: Answer) -> Answer | None:
    """``how green was it in 2021? Give the mean NDVI``: the second tells which number, both when and where."""
    kinds = {part.kind for _, part in walk(thing.x) if isinstance(part, Quantity)}
    own = {part.kind for _, part in walk(one.expression) if isinstance(part, Quantity)}
    if not kinds <= own or isinstance(one.expression, Several):
        return None
    for _, part in walk(thing.x):
        told = [other for _, other in walk(one.expression) if type(other) is type(part)]
        if isinstance(part, During | Within) and _restriction(part) not in map(_restriction, told):
            by = _restriction(part)
            x = None if told else (during if isinstance(part, During) else within)(one.expression, by)
            if x is None:
                return None
            one = replace(one, expression=x)
    keys = [key for key in thing.keys if not any(_restriction(part) == key for _, part in walk(one.expression))]
    return None if keys or thing.outer or thing.statistic else replace(one, bare=False)


def told_again(one: Answer, other: Answer) -> Answer | None:
    """A question that is told again in other words, what restricts it in one of the two alone."""
    plain = [normal(_unrestricted(x.expression)) for x in (one, other)]
    restricted = [{_restriction(part) for _, part in walk(x.expression)} for x in (one, other)]
    if plain[0] != plain[1] or not (restricted[0] <= restricted[1] or restricted[1] <= restricted[0]):
        return None
    fuller, less = (one, other) if restricted[1] <= restricted[0] else (other, one)
    return replace(fuller, unit=fuller.unit or less.unit, bare=False)


def _unrestricted(x: Expression) -> Expression:
    return _unrestricted(x.x) if isinstance(x, During | Within | Split) else with_children(x, _unrestricted)


def _restriction(x: Expression) -> Any:
    return (
        x.when if isinstance(x, During) else x.where if isinstance(x, Within) else x.key if isinstance(x, Split) else 0
    )


def statistic_again(one: Answer, said: str) -> Answer | None:
    """``(90th percentile)``: the statistic of what is asked, named behind it."""
    name, _, p = said.partition(" ")
    asked = (name, float(p) if p else None)
    told = any(isinstance(part, Over) and (part.statistic, part.p) == asked for _, part in walk(one.expression))
    return replace(one, bare=False) if told else None


# --- what a word means --------------------------------------------------------------------------------------------


def meaning(one: Answer, clause: Clause, word: Expression | None = None) -> Answer | None:
    """A question with what it says that a word of it means, in place of the word."""
    x = holding(clause, "pixel")
    words = {part for _, part in walk(one.expression) if _names_ground(part)}
    if x is None or (word is None and len(words) != 1):
        return None
    meant = word or next(iter(words))
    if not _may_explain(meant, x):
        return None

    def told(part: Expression) -> Expression:
        if isinstance(part, During) and part.x == meant:
            return during(x, part.when) or part
        new = x if part == meant else with_children(part, told)
        once = isinstance(new, Over) and new.axes == "time" and new != part and typed(new) is None
        return new.x if isinstance(new, Over) and once else new  # what has no dates is not taken over them

    found = told(one.expression)
    own, before = typed(found), typed(one.expression)
    if own is not None and before is not None and "date" in own.keys and "date" not in before.keys:
        found = Over(found, "time", "mean")  # what stood there has no dates
    return None if found == one.expression else replace(one, expression=found)


def _names_ground(x: Expression) -> bool:
    own = typed(x) if isinstance(x, Quantity | IsClass) else None
    return own is not None and own.of == "truth" and own.space


def meant(word: Expression, clause: Clause) -> Expression | None:
    """``bare soil (BSI > 0)``: ground as the question says what it is; a place is what its name says, and what grows
    somewhere is not told by how high that is."""
    x = holding(clause, "pixel")
    return x if x is not None and _may_explain(word, x) else None


def _may_explain(word: Expression, x: Expression) -> bool:
    kinds = {part.kind for _, part in walk(x) if isinstance(part, Quantity)}
    of_height = {quantity_kinds()[kind].family for kind in kinds if kind in quantity_kinds()} == {"terrain"}
    of_legend = isinstance(word, IsClass) and word.x != LAND_COVER  # which nothing but its own map tells
    return not (isinstance(word, Polygons) or of_legend or (of_height and isinstance(word, IsClass)))


def unexplained(word: Expression, clause: Clause) -> Expression | None:
    """The same, said without more, of a word that means nothing by itself, or that again."""
    x = holding(clause, "pixel")
    return x if x is not None and (word == MEANT or normal(word) == normal(x)) else None


def left_unsaid(expression: Expression) -> bool:
    """Whether a word is left of which nothing says what it means."""
    return any(part == MEANT for _, part in walk(expression))


def of_what_is_known(x: Expression) -> Expression:
    """``gaps left out``: of a trend pixel by pixel, so that what is known of one date and not of another is no trend.

    Statistics leave out what is not known by themselves.
    """
    inner = x.x if isinstance(x, Trend) else None
    if isinstance(x, Trend) and isinstance(inner, Over) and (inner.axes, inner.statistic) == ("space", "mean"):
        return Over(replace(x, x=inner.x), "space", "mean")
    return with_children(x, of_what_is_known)


def same_clause(one: Clause, other: Clause) -> Clause | None:
    """``with a negative moisture index (NDMI under 0)``: said twice."""
    a, b = holding(one, "pixel"), holding(other, "pixel")
    return one if a is not None and b is not None and normal(a) == normal(b) else None


def largest_patch(said: str, ground: Expression) -> Thing | None:
    """``the largest lake``."""
    return share_where(ground, None, "largest_patch") if said == "maximum" else None


def share_below(side: str, thing: Thing, share: Any) -> Thing | None:
    """``below which elevation do 90 % of the pixels lie`` is a percentile."""
    if not isinstance(share, Number) or share.unit != "%" or side not in ("above", "below"):
        return None
    p = share.value if side == "below" else 100 - share.value
    return statistic_of("median" if p == 50 else f"percentile {p:g}", thing) if 0 <= p <= 100 else None


def map_of(thing: Thing) -> Expression | None:
    """``median composite``: one map, of a statistic over the dates."""
    plain = thing.statistic is not None and thing.then is None and not thing.keys
    own = typed(thing.x)
    image = shown("map", thing) if plain and own is not None and own.keys and thing.unit is None else None
    return None if image is None else image.expression


def composed(x: Expression, said: str) -> Expression | None:
    """``one NDVI image out of all scenes: the mean``."""
    thing = statistic_of(said, Thing(x))
    return None if thing is None else map_of(thing)


def clear_image(x: Expression, said: str) -> Expression | None:
    """The same of what no cloud covers."""
    thing = statistic_of(said, Thing(x))
    free = None if thing is None else clear(thing)
    return None if free is None else map_of(free)


def at_its(thing: Thing, named: Graded) -> Thing | None:
    """``AOD at its worst``: the most of the dates."""
    own = graded(named, thing)
    said = "maximum" if named[1] == "highest" else "minimum"
    return None if own is None or own.then is not None or own.keys else replace(own, then=said)  # type: ignore[arg-type]


def averaged(thing: Thing, said: str) -> Thing | None:
    """``as an average over the area``."""
    plain = thing.statistic is None and " " not in said
    return of_ground_alone(replace(thing, statistic=said)) if plain else None  # type: ignore[arg-type]


def warmer_of_two(keys: Keys, named: Graded, of: Any, when: Times | None, a: Times, b: Times) -> Expression | None:
    """``which month was warmer in 2023, January or February``."""
    thing = graded(named, of) if keys == Keys("month") else None
    said = "maximum" if named[1] == "above" else "minimum"
    return None if thing is None else more_of_two(said, thing, _in_year(a, when), _in_year(b, when))


def more_of_two(said: str, thing: Thing, a: Times | None, b: Times | None, key: str = "month") -> Expression | None:
    """The one of two months, or years, that follow each other in which it is more; the year of one is that of both."""
    if a is None or b is None:
        return None
    a, b = from_to(a, b)
    whole = adjoining(a, b) or adjoining(b, a)
    return None if whole is None else ranked(Keys(key, whole), said, thing)


def judged_by(x: Expression | Answer, thing: Thing) -> Expression | None:
    """``the driest date, going by the mean TVDI``: what it was judged by anyway; a map is judged by nothing."""
    if isinstance(x, Answer | Show):
        return None
    kinds, own = (measured_in(of, ITS) for of in (x, thing.x))
    keys = {part.key for _, part in walk(x) if isinstance(part, Split)}
    plain = thing.statistic in (None, "mean") and not (thing.then or thing.outer or thing.unit)
    plain = plain and keys.issuperset(thing.keys)
    restricted = any(isinstance(part, During | Within) for _, part in walk(thing.x))
    means = all(part.statistic == "mean" for _, part in walk(x) if isinstance(part, Over) and part.axes == "space")
    return x if kinds == own and plain and means and not restricted else None


def with_value(x: Expression | Answer, kind: str | None = None) -> Expression | None:
    """``and how high was it``: what has the most is told with its number."""
    if not isinstance(x, Extreme):
        return None
    return x if kind is None or {part.kind for _, part in walk(x) if isinstance(part, Quantity)} == {kind} else None


def on_average_again(x: Expression) -> Expression | None:
    """``had the hottest surface on average``: of means anyway; what held the most ice on average has not the most of
    it, but the most in its mean."""
    x = _of_means(x) if isinstance(x, Extreme) else x
    means = [part.statistic == "mean" for _, part in walk(x) if isinstance(part, Over) and part.axes == "space"]
    return x if means and all(means) and typed(x) is not None else None


def _of_means(x: Expression) -> Expression:
    if isinstance(x, Over) and (x.axes, x.statistic) == ("space", "integral"):
        return replace(x, statistic="mean")
    return with_children(x, _of_means)


def of_each_time(one: Answer) -> bool:
    """``rain in May and in July together``: what is told of each of several times is none of them together."""
    return isinstance(one.expression, Several) and all(times(name) for name, _ in one.expression.named)


def asked_during(x: Expression, when: Times | Expression) -> Expression | None:
    """What is asked, with a time that stands beside all of it; of months of several years no total of all of them, in
    which a mean that the question tells would be lost."""
    found = during(x, when)
    months = isinstance(when, Times) and when.month
    return found if not months or found is None or averaged_over_years(found) == found else None


def averaged_already(one: Answer) -> Answer | None:
    """``... on average``, behind all of a question: of what is a mean, or made of such."""
    x = one.expression
    if of_each_time(one):
        return None
    again = on_average_again(x) if isinstance(x, Extreme) else averaged_over_years(x)
    told = again is not None and any(_is_mean(part) for _, part in walk(again))
    return replace(one, expression=again) if again is not None and told else None


def _is_mean(x: Expression) -> bool:
    return isinstance(x, Trend | Weighted | Anomaly) or (isinstance(x, Over) and x.statistic == "mean")


def more_of_years(keys: Keys, side: str, thing: Thing, a: Times, b: Times) -> Expression | None:
    """``which year had more rain, 2019 or 2020``: of two that follow each other."""
    if keys.when is not None or keys.key not in ("year", "month") or {grain_of(a), grain_of(b)} != {keys.key}:
        return None
    return more_of_two("maximum" if side == "above" else "minimum", thing, a, b, keys.key)


def _in_year(one: Times, when: Times | None) -> Times | None:
    """A month, of the year that is told beside it."""
    if one.first is not None or when is None:
        return one
    whole = when.first is not None and when.last is not None and when.first.year == when.last.year
    return times(f"{when.first.year}-{one.month:02}") if whole and one.month and when.first else None
