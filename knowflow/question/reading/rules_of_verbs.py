"""The rules of verbs with limits, of runs of dates and periods, and of ground and quantities that change."""

from __future__ import annotations

from knowflow.question.reading.chart import Line
from knowflow.question.reading.grounds import covering
from knowflow.question.reading.nouns import Keys, amount, compare, counted, fallen, in_a_run, reached
from knowflow.question.reading.order import Thing

RULES_OF_VERBS: tuple[Line, ...] = (
    # what a verb says of a limit
    ("C <- do C", lambda clause: clause),
    ("B <- MOVED LEVEL NUMBER", reached),
    ("C <- B happened", fallen),
    ("C <- B of? QUANTITY happened", lambda bound, x: (thing := amount(Thing(x))) and compare(thing, bound)),
    ("RB <- receive B", fallen),
    ("RB <- receive B of? QUANTITY", lambda bound, x: (thing := amount(Thing(x))) and compare(thing, bound)),
    ("C <- IT RB", lambda of, clause: clause if of is True else None),
    ("C <- GROUND cover B", covering),
    ("CL <- have B of? GROUND", lambda bound, ground: covering(ground, bound), 1),
    # runs
    ("N <- run KEYS SAID", in_a_run, 1),
    ("N <- run acquisitions SAID", lambda clause: counted(Keys("date"), clause, "longest_run")),
    ("N <- run acquisitions T SAID", lambda when, clause: counted(Keys("date", when), clause, "longest_run")),
    ("N <- how_many consecutive KEYS SAID", in_a_run),
    ("N <- how_many KEYS in_row SAID at_the_most?", in_a_run),
    ("N <- how_many KEYS do long SAID lasting", in_a_run),
    (
        "N <- how_many KEYS do long KEYS SAID lasting",
        lambda keys, one, clause: in_a_run(one, clause) if keys.key == one.key else None,
    ),
)
