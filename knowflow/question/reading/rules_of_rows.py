"""The rules of what the rows of tables tell: numbers of all of them, and of those of a name."""

from __future__ import annotations

from knowflow.question.operators import Quantity
from knowflow.question.reading.chart import Line
from knowflow.question.reading.order import Thing
from knowflow.question.reading.restricted import within
from knowflow.question.reading.sorts import (
    all_rows,
    at_rows,
    each_year,
    in_all,
    most_kept,
    most_told,
    told_in_unit,
    total_told,
)

WATER = Quantity("water_mask")

RULES_OF_ROWS: tuple[Line, ...] = (
    ("N <- TOLD", Thing, 1),
    ("ATTRIBUTE <- TOLD", lambda of: of, 2),
    ("TOLD <- number_of TOLD", lambda of: of if of.unit in ("1", "day") else None),
    ("TOLD <- OF_DAYS TOLD", lambda rows, of: of if rows.x == of.x else None),  # the daily level, of a table of days
    ("TOLD <- BODY TOLD", lambda body, of: of if body == WATER else None, 1),  # the reservoir level
    ("N <- N in_total", in_all, 1),
    ("N <- STAT TOLD per_year", each_year),
    ("ROWS <- all? NAMED_KEY", all_rows, 1),
    *((f"ALL_ROWS <- {word} NAMED_KEY", all_rows) for word in ("all", "any")),
    ("ROWS <- any NAMED_KEY", all_rows, 1),
    ("N <- N ALL_ROWS", at_rows, 1),  # the highest in June, any port
    ("N <- N ALL_ROWS together", lambda thing, x: at_rows(thing, x) if thing.statistic else None, 1),
    ("N <- N ALL_ROWS in_total", lambda thing, x: (found := at_rows(thing, x)) and in_all(found), 1),
    *((f"TOLD <- TOLD {words}", lambda of: of, 1) for words in ("be? on_record", "be? counted")),
    ("ATTRIBUTE <- ATTRIBUTE at_all on_record", lambda of: of, 1),
    ("ATTRIBUTE <- ATTRIBUTE on_record", lambda of: of, 1),
    *((f"{one} <- {one} {word} ROWS", at_rows, 1) for one in ("N", "C", "CL") for word in ("in", "of", "over", "on")),
    ("SORTS <- ROWS", lambda x: x, 2),
    *((f"XT <- KEYS that? {word} most TOLD", most_told) for word in ("have", "be", "use", "get", "own", "counted")),
    *((f"XT <- TELLER that? {word} most", most_kept) for word in ("have", "counted")),
    *((f"XT <- TELLER that? {word} STAT", most_kept) for word in ("have", "counted")),
    ("XT <- KEYS that? TOLD most", lambda keys, of: most_told(keys, of)),
    *((f"N <- {how} TOLD be? {there}", total_told) for how in ("how_much", "how_many") for there in ("", "happened")),
    *(
        (f"N <- {how} TOLD do {place} {verb} in_total?", total_told, cost)
        for how in ("how_much", "how_many")
        for verb in ("use", "have", "get", "own", "attend")
        for place, cost in (("PLACE", 0), ("ROWS", -2))
    ),
    *(
        (f"N <- {how} do {place} TOLD in_total?", lambda x, of: total_told(of, x))
        for how in ("how_much", "which")
        for place in ("PLACE", "ROWS", "SORTS")
    ),
    *(
        (f"N <- how_much {a} do {b} TOLD", lambda x, y, of: (z := total_told(of, x)) and within(z, y))
        for a in ("PLACE", "SORTS")
        for b in ("PLACE", "SORTS")
    ),
    *((f"N <- {how} do TOLD in_total?", total_told) for how in ("how_much", "which")),
    *(
        (f"N <- how_many UNIT do {place} TOLD in_total?", lambda unit, x, of: told_in_unit(unit, of, x))
        for place in ("PLACE", "ROWS")
    ),
    *(
        (f"N <- how_many UNIT of? {of} do {place} TOLD in_total?", lambda unit, y, x, of: told_in_unit(unit, of, x, y))
        for of in ("PLACE", "SORTS")
        for place in ("PLACE", "ROWS", "SORTS")
    ),
    *(
        (f"N <- how_many UNIT of? {of} be? TOLD in_total?", lambda unit, x, of: told_in_unit(unit, of, x))
        for of in ("PLACE", "SORTS")
    ),
    ("N <- how_many UNIT be? TOLD in_total?", told_in_unit),
    ("N <- how_many UNIT of? TOLD be?", told_in_unit),
)
