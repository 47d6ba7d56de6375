"""The rules of whole questions and of questions with parts."""

from __future__ import annotations

from knowflow.question.reading.chart import Line
from knowflow.question.reading.nouns import (
    adjective_per,
    chosen,
)
from knowflow.question.reading.order import Test, Thing, during, within
from knowflow.question.reading.questions import (
    all_during,
    all_within,
    alone,
    answer,
    displayed,
    listed,
    parts,
    per_key,
    plain,
    restricted_each,
    shown,
    statistics,
    together,
    whether_of,
    with_change,
)

RULES_OF_QUESTIONS: tuple[Line, ...] = (
    # whole questions
    ("Q <- E", plain),
    ("Q <- N", alone),
    ("Q <- what N", answer),
    ("Q <- display N", displayed),
    ("Q <- how high be N", answer),
    ("Q <- how ADJECTIVE on_average be K", lambda kind, key: (x := adjective_per(kind, key)) and answer(x)),
    ("Q <- how ADJECTIVE be K", lambda kind, key: (x := adjective_per(kind, key)) and answer(x)),
    ("Q <- Q on_average", lambda x: x, 1),
    ("Q <- K what? N", per_key),
    # several
    ("Q <- Q and Q", parts, 1),
    ("Q <- Q next Q", lambda a, b: None if b.bare else parts(a, b), 1),
    ("Q <- what? NS", listed),
    ("NS <- N and N", together),
    ("NS <- N NS", together),
    ("NS <- NS T", all_during),
    ("NS <- NS W", all_within),
    ("Q <- what? STATS of? N", statistics),
    ("STATS <- STAT and STAT", lambda a, b: (a, b)),
    ("STATS <- STAT STATS", lambda a, b: (a, *b)),
    ("Q <- what? N TIMES", lambda thing, times: restricted_each(during, thing, times)),
    ("TIMES <- T and T", lambda a, b: (a, b)),
    ("TIMES <- T and TIME", lambda a, b: (a, b)),
    ("TIMES <- T TIMES", lambda a, b: (a, *b)),
    ("TIMES <- TIMES apart", lambda times: times),
    ("Q <- what? N GROUNDS", lambda thing, grounds: restricted_each(within, thing, grounds)),
    ("GROUNDS <- W and W", lambda a, b: (a, b)),
    ("GROUNDS <- W GROUNDS", lambda a, b: (a, *b)),
    ("GROUNDS <- GROUNDS apart", lambda grounds: grounds),
    ("RB <- ITS NUMBER", lambda named, limit: Test(Thing(named[0]), named[1], limit), 1),
    ("E <- what? XT", lambda x: x),
    ("E <- which XT", lambda x: x),
    ("E <- which KEYS SAID", chosen),
    ("E <- be N B", lambda thing, bound: whether_of(thing, bound)),
    ("E <- do N B", lambda thing, bound: whether_of(thing, bound)),
    ("ASK <- what", lambda: True),
    ("ASK <- display", lambda: True),
    ("E <- SHOWN of N", shown),
    ("E <- N SHOWN", lambda thing, how: shown(how, thing)),
    ("E <- N as SHOWN", lambda thing, how: shown(how, thing)),
    ("E <- ASK SHOWN of N", lambda _, how, thing: shown(how, thing)),
    ("E <- ASK N SHOWN", lambda _, thing, how: shown(how, thing)),
    ("E <- ASK N as SHOWN", lambda _, thing, how: shown(how, thing)),
    ("Q <- Q T", lambda one, when: with_change(lambda x: during(x, when), one), 1),
    ("Q <- T Q", lambda when, one: with_change(lambda x: during(x, when), one)),
    ("Q <- W Q", lambda where, one: with_change(lambda x: within(x, where), one)),
    ("Q <- Q unsaid", lambda x: x),
    ("Q <- Q in SCOPE", lambda x, _: x, 1),
)
