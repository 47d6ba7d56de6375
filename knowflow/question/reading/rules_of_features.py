"""The rules of which features are meant, and of what is asked of them: how many, how long and how large."""

from __future__ import annotations

from knowflow.question.operators import Not, Number, Outline, Within
from knowflow.question.reading.attributes import (
    all_numbers,
    dated,
    exactly,
    fewer,
    in_those_days,
    in_those_years,
    like,
    not_marked,
    of_its_rows,
    rows_at,
    so_marked,
    those_counted,
    total,
    with_number,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.keys import Keys
from knowflow.question.reading.nouns import in_layer, statistic_of
from knowflow.question.reading.objects import (
    all_of,
    amount,
    and_there,
    area_of_those,
    area_of_those_in,
    both,
    count,
    cut,
    each,
    each_or_all,
    in_money,
    most_in,
    of_both,
    of_key,
    of_the_year,
    outlined_by,
    part_of_place,
    per_zone,
    ranked_zones,
    share,
    share_of_points,
    size_in_years,
    sizes,
    told_by,
    total_of_those,
    where_it_is,
    year_of_those,
)
from knowflow.question.reading.of_each import all_each_so
from knowflow.question.reading.restricted import within
from knowflow.question.reading.rules_of_areas import of_whole
from knowflow.question.reading.sorts import (
    among,
    at_rows,
    either_sort,
    kinds_of,
    most_common,
    most_on,
    not_of,
    not_of_key,
    not_of_others,
    one_of_all,
    per_sort,
    share_of,
    sort_of,
)
from knowflow.question.typing_of_features import is_chosen, is_count

RULES_OF_FEATURES: tuple[Line, ...] = (
    # which features
    ("OBJ <- NAMED_KEY", of_key, 1),
    ("OBJ <- OBJECTS", lambda x: x, 1),
    ("EACH <- of? per NAMED_KEY", of_key),
    ("ONE <- ONE_FEATURE", lambda x: x),
    ("ONE <- OBJECTS", lambda x: x if len(x.names) == 1 else None),
    *((f"{one} <- {a} {b}", both) for one in ("OBJ", "ONE") for a, b in (("FEW", "OBJECTS"), ("OBJECTS", "FEW"))),
    ("FEW <- NAMED_KEY", of_key),
    *((f"{one} <- {one} {word}", lambda x: x) for one in ("OBJ", "ONE") for word in ("layer", "spot")),
    ("OBJ <- all of? OBJ", lambda x: x),
    ("OBJ <- OBJ in_total", lambda x: x, 2),
    ("OBJ <- OBJ of LIKE", with_number, 1),
    ("OBJ <- OBJ have OBJECTS", both),
    ("OBJ <- OBJ judged FEW layer?", both),
    ("OBJ <- OBJ that? be? W", cut, 1),
    # by what attributes say of them
    ("SORT <- SORT owned", lambda one: one),
    ("SORTS <- SORTS open not SORT close", not_of_others),
    ("OBJ <- OBJ open not SORT close", not_of_others),
    *((f"SORT <- SORT {word} SORT", either_sort) for word in ("or", "and")),
    ("SORTS <- SORT", lambda one: one.x),
    ("SORTS <- NAMED_KEY SORT", sort_of),
    ("SORTS <- SORT NAMED_KEY", lambda one, key: sort_of(key, one)),
    ("SORTS <- SORT sort", lambda one: one.x),
    ("SORTS <- sort SORT", lambda one: one.x),
    *((f"SORTS <- {word} SORTS", lambda x: x) for word in ("of", "as", "in", "judged")),
    ("SORTED <- NAMED_KEY SORT", kinds_of),
    ("SORTED <- SORT NAMED_KEY", lambda one, key: kinds_of(key, one)),
    *((f"N <- how_large SORTED {words}", area_of_those, -1) for words in ("COVERED", "where C")),
    ("N <- STAT A of? SORTED COVERED", total_of_those, -1),
    *((f"N <- how_many UNIT of? SORTED {words}", area_of_those_in, -1) for words in ("COVERED", "where C")),
    *(
        (f"BY_SORT <- {word} SORTS", lambda x: x)
        for word in ("be? have", "be? covered", "be? used_for", "be? owned_by")
    ),
    *(
        (f"BY_SORT <- {word} SORTS", lambda x: x)
        for word in ("be?", "get", "be? grown have?", "be? grown in?", "use", "own")
    ),
    *(
        (f"BY_SORT <- be? not {words} SORT", not_of)
        for words in ("", "have?", "in", "of", "owned_by", "covered", "used_for")
    ),
    *(
        (f"BY_SORT <- be? not {words} SORT NAMED_KEY", lambda one, key: not_of_key(key, one))
        for words in ("", "in", "of")
    ),
    *(
        (f"XT <- KEYS {words} most {of}", most_on)
        for of in ("OF_DAYS", "OF_YEARS")
        for words in ("be?", "have", "do observers? counted", "that? be")
    ),
    *((f"XT <- KEYS do most {of} happened", most_on) for of in ("OF_DAYS", "OF_YEARS")),
    ("BY_SORT <- be? seen SORTS", lambda x: x),
    *((f"{one} <- {one} that? BY_SORT", of_both, 1) for one in ("OBJ", "PLACE")),
    ("OBJ <- SORTS SORTS FEW", lambda a, b, few: (x := both(b, few)) and of_both(x, a)),
    ("OBJ <- FLAG SORTS FEW", lambda of, a, few: (x := both(a, few)) and with_number(x, so_marked(of))),
    *(
        (f"{of} <- {of} {words}", fewer(make), 1)
        for of in ("OF_DAYS", "OF_YEARS", "IN_ROWS")
        for words, make in (
            ("that? be? LIKE", with_number),
            ("that? BY_SORT", of_both),
            ("be? counted", lambda x: x),
            ("do observers? counted", lambda x: x),
            *((f"that? be? in {place}", cut) for place in ("PLACE", "OBJ")),
        )
    ),
    *((f"{of} <- SORTS {of}", lambda x, of: fewer(of_both)(of, x)) for of in ("OF_DAYS", "OF_YEARS")),
    *(("OBJ <- OF_DAYS that? be? " + word + " T", in_those_days) for word in ("", "seen", "happened", "counted")),
    ("N <- how_many OBJ do SORTS own", lambda x, y: (z := both(x, y)) and count(z)),
    ("A <- A covered SORTS", of_whole),
    ("N <- STAT ATTRIBUTE K", lambda said, of, key: (x := one_of_all(said, of)) and per_sort(x, key), 1),
    ("OBJ <- SORTS FEW", both),
    ("OBJ <- SORTS OBJECTS", lambda x, y: of_both(y, x) if x != y else None, 1),
    ("N <- how_many OBJ do observers? counted", count, 1),
    ("OBJ <- SORTS", lambda x: x, 2),
    ("PLACE <- PLACE that? be? LIKE", with_number, 1),
    ("N <- STAT A of? OBJ", sizes, 1),
    ("N <- STAT length_of of? OBJ", lambda said, x: (y := each("length")(x)) and statistic_of(said, y), 1),
    ("N <- how_much OBJ BY_SORT", share_of),
    ("XT <- KEYS of? OBJ be? most_common", most_common),
    ("KEYS <- SORTS KEYS", lambda x, keys: among(keys, x)),
    ("KEYS <- SORT", lambda one: among(Keys(in_layer("objects", one.x.layer)), one.x), 2),  # which camp
    ("KEYS <- KEYS that? BY_SORT", among, 1),
    *(("OBJ <- OBJ that? be? " + like_, with_number, 1) for like_ in ("LIKE", "and LIKE")),
    ("OBJ <- FLAG OBJ", lambda of, x: with_number(x, so_marked(of)), 1),
    ("LIKE <- FLAG", so_marked),
    ("LIKE <- have FLAG", so_marked),
    ("LIKE <- FLAG be? permitted", so_marked),
    ("LIKE <- permit FLAG", so_marked),
    ("LIKE <- not FLAG", not_marked),
    ("LIKE <- UNMARKED", not_marked),
    ("OBJ <- UNMARKED OBJ", lambda of, x: with_number(x, not_marked(of)), 1),
    ("LIKE <- without FLAG", not_marked),
    ("LIKE <- DATED T", dated),
    ("LIKE <- SIDE NUM UNIT_OF", lambda side, n, own: like(own[0], (side, Number(n, own[1]), None))),
    ("LIKE <- NUM UNIT_OF AFTER", lambda n, own, side: like(own[0], (side, Number(n, own[1]), None))),
    ("LIKE <- have LIKE", lambda said: said),
    ("RB <- LIKE", of_its_rows, 1),
    *((f"C <- {words} RB", lambda place, clause: at_rows(clause, place), 1) for words in ("be PLACE", "do PLACE have")),
    *((f"C <- {words} RB", lambda rows, clause: at_rows(clause, rows), 1) for words in ("be ROWS", "do ROWS have")),
    *((f"OBJ <- OF_YEARS that? be? {word} T", in_those_years) for word in ("", "seen", "happened", "counted")),
    ("OBJ <- TIME OF_YEARS", lambda when, of: in_those_years(of, when), 1),
    ("OBJ <- TIME OF_DAYS", lambda when, of: in_those_days(of, when), 1),
    ("N <- how_many IN_ROWS be?", those_counted, 1),
    *((f"N <- how_many IN_ROWS {word} counted in_total?", those_counted, -1) for word in ("be?", "do observers?")),
    *(
        (
            f"N <- how_many IN_ROWS be? counted in_total? {where}",
            lambda of, place: (x := cut(of.x, place)) and those_counted(of, x),
            -1,
        )
        for where in ("in PLACE", "in OBJ")
    ),
    ("N <- N in FEW layer", told_by),
    ("N <- N in FEW", told_by, 1),
    ("N <- N in all FEW", told_by, 1),
    ("N <- how_many UNIT BY_SORT", amount, 2),
    ("OBJ <- SPOT_KEY", of_key, 2),
    ("KEYS <- SPOT_KEY", Keys, 2),
    ("OBJ <- NUM UNIT_OF OBJ", lambda n, own, x: (said := exactly(n, own)) and with_number(x, said), -1),
    ("ATTRIBUTE <- number_of ATTRIBUTE", lambda of: of if is_count(of.unit) else None),
    ("ATTRIBUTE <- seen ATTRIBUTE", lambda of: of),
    ("ATTRIBUTE <- ATTRIBUTE IU", lambda of, unit: of if of.unit == unit else None),
    ("LIKE <- seen LIKE", lambda said: said),
    ("OBJ <- OBJ where SORTS be? seen", both, 1),
    ("XT <- KEYS that? have STAT N", ranked_zones),
    ("XT <- KEYS that? have most N", lambda keys, thing: ranked_zones(keys, "maximum", thing)),
    *(
        (f"OBJ <- OBJ {word} {place}", cut, 1)
        for word in ("that? be? in", "that? runs? in", "through")
        for place in ("OBJ", "PLACE")
    ),
    ("N <- N be in PLACE", within, 1),
    *((f"N <- A {clause} and be W", and_there, 2) for clause in ("be? CL", "be? C", "COVERED", "be? GROUND")),
    ("N <- A GROUND judged ONE layer?", outlined_by, 1),
    ("N <- N in MONEY", in_money),
    ("OBJ <- OBJ that? be? C", where_it_is, 2),
    ("OBJ <- OBJ CL", where_it_is, 2),
    *((f"{one} <- {one} where C", all_each_so) for one in ("OBJ", "PLACE")),
    ("OBJ <- OBJ that? be? not in PLACE", lambda x, place: cut(x, Not(place)), 1),
    ("OBJ <- OBJ that? be? OUTER", cut, 1),
    ("PLACE <- FEW OBJECTS", both),
    ("PLACE <- OBJECTS FEW", both),
    ("PLACE <- OBJECTS SCOPE", lambda x, _: x),
    ("PLACE <- OBJ", lambda x: x if isinstance(x, Within) else None, 2),
    ("PLACE <- PLACE CL", part_of_place, 1),
    *((f"{one} <- TIME FEW of OBJECTS", year_of_those) for one in ("OBJ", "PLACE")),
    ("PLACE <- TIME FEW", of_the_year),
    ("W <- open TIME FEW close", of_the_year),
    ("W <- at NUM UNIT_OF", rows_at, 1),
    ("W <- at NUM UNIT_OF TOLD", rows_at),
    ("W <- at TOLD of NUM UNIT_OF", lambda of, n, own: rows_at(n, own, of)),
    *((f"NP <- {one}", size_in_years, 1) for one in ("ONE", "OBJ")),
    ("PLACE <- ONE", lambda x: None if is_chosen(x) else x, 1),
    ("TO <- ONE", lambda x: x),
    ("TO <- OBJ", lambda x: x, 1),
    ("TO <- edge_of TO", lambda x: None if isinstance(x, Outline) else Outline(x)),
    ("N <- N judged FEW layer?", told_by),
    ("N <- N judged ONE layer?", told_by),
    ("TO <- nearest_one TO", lambda x: x),
    # how many, how long, how large
    ("N <- how_many OBJ be?", count, 2),
    ("N <- how_many OBJ do have", count, 2),
    *((f"N <- ATTRIBUTE in_total {word} OBJ", total) for word in ("over", "of", "in")),
    ("N <- how_many OBJ do SCOPE have", lambda x, _: count(x), 1),
    ("N <- how_many OBJ be? in? OBJ layer", lambda x, y: count(x) if x == y else None),
    ("N <- how_many OBJ be? W", lambda x, where: (y := cut(x, where)) and count(y), 1),
    ("N <- how_many OBJ be? C", lambda x, clause: (y := where_it_is(x, clause)) and count(y), 2),
    *(
        (f"N <- {said} {one}", make(what), cost)
        for one, make, cost in (("ONE", all_of, 0), ("OBJ", each_or_all, 1))
        for what, words in (("length", "length_of"), ("perimeter", "perimeter_of"))
        for said in (f"{words} of?", f"how_long be? {words} of", f"how_long {words} of")
    ),
    *((f"N <- {said} EACH", each(what)) for said, what in (("length_of", "length"), ("perimeter_of", "perimeter"))),
    ("N <- how_long be? EACH", each("length")),
    ("N <- how_long be? ONE", all_of("length")),
    ("N <- how_long be? OBJ", each_or_all("length"), 1),
    *((f"N <- {one} length_of", make("length")) for one, make in (("ONE", all_of), ("OBJ", each_or_all))),
    *((f"N <- {one} perimeter_of", make("perimeter")) for one, make in (("ONE", all_of), ("OBJ", each_or_all))),
    ("N <- how_many UNIT of? OBJ", amount, 2),
    ("N <- how_many UNIT of? OBJ do? have?", amount, 3),
    ("N <- how_many UNIT of? OBJ touch OBJ", lambda unit, x, y: (z := cut(x, y)) and amount(unit, z), -1),
    ("N <- how_many UNIT do OBJ cover", amount, 1),
    ("N <- how_many UNIT do? have? be? covered SORTS", amount, 1),
    ("N <- how_many UNIT do OBJ own", amount, 1),
    ("N <- how_large do OBJ cover in_total?", all_of("area"), 1),
    ("N <- how_many ATTRIBUTE be? in_total? in OBJ", all_numbers, 1),
    ("N <- how_many UNIT be ONE", amount),
    ("N <- how_many UNIT be OBJ in_total", amount, 1),
    ("N <- how_many UNIT long be ONE", amount),
    *((f"N <- how_much OBJ be? {where}", make, 2) for where in ("W", "in OBJ") for make in (share, share_of_points)),
    *((f"N <- N {key}", per_zone) for key in ("K", "in K")),
    *((f"XT <- KEYS {word} have most OBJ", lambda keys, x: most_in(keys, "maximum", x)) for word in ("that?", "of")),
    ("XT <- KEYS that? have STAT number_of? OBJ", most_in),
    ("N <- A OBJ be? W", lambda extent, x, where: share(x, where) if extent.statistic == "share" else None, 2),
)
