"""The rules of the numbers that features have, each and together, of one year and several, and of how far they are."""

from __future__ import annotations

from knowflow.question.measures import unit_of_product
from knowflow.question.reading.attributes import (
    all_in_unit,
    all_numbers,
    between_years,
    graded_at,
    graded_by,
    like,
    most_between_years,
    most_in_percent,
    most_of,
    most_per_area,
    number_of,
    of_year,
    one_number,
    part_of_all,
    share_between_years,
    so_many_of,
    so_much_of,
    statistic_in,
    statistic_of_year,
    told_twice,
    total_of_year,
    yearly_of,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.nouns import WHOLE
from knowflow.question.reading.objects import (
    apart,
    counted_so,
    each_apart,
    higher,
    longer,
    near,
    nearest,
    sized_most,
    so_far,
    so_long,
    so_near,
    those_so,
    touching,
)
from knowflow.question.reading.sorts import (
    graded_rows,
    one_of_all,
)
from knowflow.question.typing_of_features import is_count

RULES_OF_FEATURE_NUMBERS: tuple[Line, ...] = (
    # their numbers
    ("N <- ATTRIBUTE of? OBJ", number_of),
    ("N <- ATTRIBUTE of? ONE", one_number, -1),
    ("N <- OBJ ATTRIBUTE", lambda x, of: number_of(of, x), 1),
    ("N <- how_many ATTRIBUTE in_total? do? have? be? attend? in? OBJ", all_numbers, 1),
    ("N <- how_many ATTRIBUTE be? counted in OBJ", all_numbers, 1),
    ("N <- how_many ATTRIBUTE do ONE have", all_numbers),
    ("N <- how_many ATTRIBUTE do OBJ have in_total?", all_numbers, 1),
    ("XT <- KEYS that? be? RANKED_BY", graded_by),
    *((f"XT <- KEYS be {of} RANKED_BY", graded_at) for of in ("PLACE", "ROWS")),
    *((f"XT <- KEYS be {of} RANKED_ROWS", graded_at) for of in ("PLACE", "ROWS")),
    ("XT <- KEYS that? be? RANKED_BY", lambda keys, by: graded_at(keys, by[0].x, by), 3),
    ("XT <- RANKED_BY KEYS", lambda by, keys: graded_by(keys, by)),
    ("XT <- NUM RANKED_BY KEYS", lambda n, by, keys: graded_by(keys, by, n)),
    ("XT <- KEYS that? be? RANKED_ROWS", graded_rows),
    ("XT <- RANKED_ROWS KEYS", lambda by, keys: graded_rows(keys, by)),
    ("XT <- RANKED_BY DATED KEYS", lambda by, of, keys: graded_by(keys, by) if of == by[0] else None),
    ("XT <- KEYS that? have STAT ATTRIBUTE", most_of),
    *(
        (f"XT <- KEYS that? {word} most ATTRIBUTE", lambda keys, of: most_of(keys, "maximum", of), cost)
        for word, cost in (("have", 0), ("be", 1), ("use", 1))
    ),
    *(
        (f"XT <- KEYS that? {word} most ATTRIBUTE per UNIT", lambda keys, *of: most_per_area(keys, "maximum", *of))
        for word in ("have", "be", "use")
    ),
    ("XT <- KEYS that? have STAT ATTRIBUTE per UNIT", most_per_area),
    ("IU <- in ATTRIBUTE per UNIT", lambda of, unit: unit_of_product("1", unit, 1, -1) if is_count(of.unit) else None),
    *(
        (f"N <- how_many UNIT of? {of} {rest}", make, 1)
        for of, make in (
            ("ATTRIBUTE", so_much_of),
            ("ATTRIBUTE be? ATTRIBUTE", told_twice),
        )
        for rest in (
            "be? in_total?",
            *(f"in_total? do? have? be? attend? {word} OBJ" for word in ("in?", "at")),
            "in_total? do OBJ have? in_total?",
        )
    ),
    ("ATTRIBUTE <- YEARLY T", of_year),
    ("N <- STAT YEARLY of? OBJ T", statistic_of_year, -1),
    *(
        (f"IN_YEARS <- {words}", yearly_of)
        for words in ("YEARLY of? OBJ", "how_many YEARLY do? have? be? attend? in? OBJ")
    ),
    ("IN_YEARS <- how_many YEARLY be?", lambda of: of, 1),
    ("IN_YEARS <- OBJ YEARLY", lambda x, of: yearly_of(of, x), 1),
    ("IN_YEARS <- how_many YEARLY do OBJ have in_total?", yearly_of),
    ("N <- IN_YEARS T", total_of_year),
    *((f"N <- {how} do IN_YEARS MOVED {two}", between_years) for how, two in (("by_how_much", "TWO"), ("how", "TWO"))),
    *(
        (f"N <- {how} do IN_YEARS MOVED {two}", share_between_years)
        for how, two in (("by_percent", "TWO"), ("by_how_much", "TWO as_percent"), ("by_how_much", "as_percent TWO"))
    ),
    *(
        (
            f"N <- {how_many} YEARLY do OBJ MOVED TWO",
            lambda of, x, way, two: (y := yearly_of(of, x)) and between_years(y, way, two),
        )
        for how_many in ("how_many", "by_how_many")
    ),
    ("XT <- KEYS MOVED most YEARLY TWO", most_between_years),
    *(
        (f"XT <- KEYS MOVED most YEARLY {words}", most_in_percent)
        for words in ("TWO as_percent", "as_percent TWO", "TWO IU")
    ),
    *(
        (f"N <- how_many UNIT_OF {rest}", all_in_unit, 1)
        for rest in ("of OBJ be?", "do OBJ have in_total?", "in_total? be? in OBJ")
    ),
    ("N <- how_many UNIT of? OBJ be? ATTRIBUTE", lambda unit, x, of: so_much_of(unit, of, x)),
    ("N <- how_many UNIT do OBJ ATTRIBUTE in_total?", lambda unit, x, of: so_much_of(unit, of, x)),
    ("N <- how_many ATTRIBUTE be? in_total?", lambda of: all_numbers(of, of.x), 3),
    ("N <- how_much ATTRIBUTE be? in? OBJ", part_of_all),
    ("N <- STAT ATTRIBUTE", one_of_all, 3),
    ("N <- STAT ATTRIBUTE IU of? OBJ", statistic_in),
    ("ATTRIBUTE <- ATTRIBUTE in? SCOPE", lambda of, scope: of if scope in WHOLE else None, 1),
    ("ATTRIBUTE <- FEW ATTRIBUTE", lambda x, of: of if of.x == x else None),
    ("XT <- KEYS that? be? BY_LENGTH", sized_most),
    ("XT <- BY_LENGTH KEYS", lambda side, keys: sized_most(keys, side)),
    # how far
    *(
        (f"N <- {how} {frm}", apart)
        for how in ("how_far be?", "apart_by")
        for frm in ("from? ONE from TO", "from ONE to TO")
    ),
    ("N <- apart_by between ONE and TO", apart),
    *((f"N <- how_far {said}", apart) for said in ("be? ONE and ONE apart", "apart be? ONE and ONE")),
    ("N <- how_far be? EACH from TO", each_apart),
    *((f"N <- apart_by EACH {word} TO", each_apart) for word in ("from", "to")),
    ("N <- how_many UNIT on_higher_ground be ONE than ONE", higher),
    ("N <- how_many UNIT on_lower_ground be ONE than ONE", lambda unit, a, b: higher(unit, b, a)),
    ("N <- N straight", lambda thing: thing),
    ("N <- N open straight close", lambda thing: thing),
    ("N <- straight N", lambda thing: thing),
    ("XT <- KEYS that? be? NEAREST to? TO", nearest),
    ("XT <- KEYS that? be? NEAREST from TO", nearest),
    ("XT <- NEAREST KEYS to TO", lambda side, keys, to: nearest(keys, side, to)),
    *(
        (f"NEARBY <- in NUMBER {word} TO", lambda limit, to: near(("at_most", limit, None), to))
        for word in ("of", "near")
    ),
    *((f"NEARBY <- B {word} TO", near) for word in ("from", "of", "to", "away_from")),
    ("NEARBY <- touch TO", touching),
    ("NEARBY <- NEARBY OBJ included", lambda said, x: said if said[1] == x else None),
    ("Q <- and Q", lambda one: one, 3),
    *(
        (f"{symbol} <- {asked} that? be? {said}", make(test))
        for symbol, asked, make in (("N", "how_many OBJ", counted_so), ("E", "which KEYS", those_so))
        for said, test in (("NEARBY", so_far), ("LIKE", so_many_of), ("LONG", so_long))
    ),
    ("LIKE <- have? NUMBER ATTRIBUTE AFTER", lambda n, of, side: like(of, (side, n, None))),
    ("LIKE <- ATTRIBUTE NUMBER AFTER", lambda of, n, side: like(of, (side, n, None))),
    ("LIKE <- have? B ATTRIBUTE", lambda bound, of: like(of, bound)),
    ("LIKE <- SIDE ATTRIBUTE NUMBER", lambda side, of, n: like(of, (side, n, None)), 1),
    ("LIKE <- COMPARED_BY ATTRIBUTE NUMBER", lambda by, of, n: like(of, (by[1], n, None)) if of == by[0] else None),
    *((f"LIKE <- have? ATTRIBUTE {word} B", like) for word in ("be?", "of")),
    ("LIKE <- COMPARED_BY NUMBER", lambda of, limit: like(of[0], (of[1], limit, None))),
    ("LIKE <- B ADJECTIVE_BY", lambda bound, of: like(of, bound)),
    ("N <- how ADJECTIVE_BY be ONE", one_number),
    ("N <- how ADJECTIVE_BY be OBJ", number_of, 1),
    ("LONG <- LONGER NUMBER", longer),
    ("W <- NEARBY", so_near, 1),
    ("CL <- NEARBY", so_near),
)
