"""The rules of what a question says of its data and of the method: which method makes a quantity, of which data it is
made, of which place they are. Data that are named and at hand ask for nothing: they are what there is."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from knowflow.ground.indices import spectral_indices
from knowflow.ground.units import compatible
from knowflow.question.operators import (
    And,
    Arithmetic,
    Beyond,
    Calculate,
    Correlate,
    During,
    Expression,
    Number,
    Over,
    Quantity,
    Several,
    Show,
    Within,
    walk,
    with_children,
)
from knowflow.question.reading.chart import Line
from knowflow.question.reading.keys import Keys, ranked, ranked_by
from knowflow.question.reading.nouns import Graded, level_of
from knowflow.question.reading.order import Clause, Test, Thing, standing, typed
from knowflow.question.reading.products import of_product
from knowflow.question.reading.questions import Answer, answer, restricted_each, with_change
from knowflow.question.reading.restricted import during, within
from knowflow.question.reading.vocabulary import LAYERS, PRODUCT, Chosen
from knowflow.question.times import Times

_WATER = (Quantity("water_mask"), Quantity("flood_mask"))
Method = tuple[str, str | None]
"""The name of a method, and the quantity that it makes where that is one."""


def by_method(x: Quantity, method: Method) -> Quantity | None:
    """``LST by the split-window algorithm``."""
    name, kind = method
    return replace(x, method=name) if x.method is None and kind in (None, x.kind) else None


def all_by_method(x: Expression, method: Method) -> Expression | None:
    """A question whose one quantity that the method makes is made by it."""
    made = {one for _, one in walk(x) if isinstance(one, Quantity) and by_method(one, method) is not None}
    if len({one.kind for one in made}) != 1:
        return None

    def put(one: Expression) -> Expression:
        found = by_method(one, method) if isinstance(one, Quantity) and one in made else None
        return found or with_children(one, put)

    return put(x)


def made_so(one: Answer, method: Method) -> Answer | None:
    return with_change(lambda x: all_by_method(x, method), one)


def noun_made_so(thing: Thing, method: Method) -> Thing | None:
    x = all_by_method(thing.x, method)
    return None if x is None else replace(thing, x=x)


def _first(kept: object, *_: object) -> object:
    return kept


@dataclass(frozen=True, slots=True)
class Sources:
    """The data that a question names, which are at hand: what they say beside that of method, time and place, and the
    bands that something is made of."""

    method: Method | None = None
    when: Times | Expression | None = None
    chosen: tuple[Chosen, ...] = ()
    bands: tuple[Chosen, ...] = ()
    kinds: frozenset[str] = frozenset()

    def also(self, other: Sources) -> Sources | None:
        if (self.method and other.method) or (self.when and other.when):
            return None
        return Sources(
            self.method or other.method,
            self.when or other.when,
            (*self.chosen, *other.chosen),
            (*self.bands, *other.bands),
            self.kinds | other.kinds,
        )


def _known(*said: object) -> Sources:
    return Sources(kinds=frozenset(x.kind for x in said if isinstance(x, Quantity)))


def _of_classes(key: str, how: str = "map") -> Sources | None:
    """``the land cover map``."""
    level = level_of(key)
    return _known(level) if isinstance(level, Quantity) and how == "map" else None


def where_it_is(said: Sources, one: Answer) -> Answer | None:
    """``in the land cover map``, ``according to the severity map``: of which the answer is made."""
    kinds = {part.kind for _, part in walk(one.expression) if isinstance(part, Quantity)}
    return of_sources(said, one) if said.kinds <= kinds and _made_of(kinds, said.bands) else None


def _made_of(kinds: Set[str], bands: Sequence[Chosen]) -> bool:
    """Whether the bands that are told are those of the one index: there are two by the name of NDWI."""
    if not bands:
        return True
    own = [{_wide(band) for band in spectral_indices()[kind].symbols.values()} for kind in _indices(kinds)]
    return len(own) == 1 and _told(bands) == own[0]


def _indices(kinds: Set[str]) -> list[str]:
    return [kind for kind in kinds if kind in spectral_indices()]


def _told(bands: Sequence[Chosen]) -> set[str]:
    return {band.value if _is_narrow(band) else _wide(band.value) for band in bands}


def _wide(band: str) -> str:
    return "nir" if band == "nir08" else band


def _is_narrow(band: Chosen) -> bool:
    """Whether it is the narrow near infrared beside a wide one, of which indices are made: B8A of Sentinel-2."""
    return band.value == "nir08" and any(name.lower() == "b8a" for name in band.names)


def of_data(one: Chosen) -> Sources | None:
    """``Using band 31 data``, ``from the files of Paris``."""
    if one.fact == LAYERS:
        return None  # which no file is of
    return Sources(bands=(one,)) if one.fact == "band" else Sources(chosen=(one,))


def at_a_time(said: Sources, when: Times | Expression) -> Sources | None:
    return said.also(Sources(when=when))


def of_sources(said: Sources, one: Answer) -> Answer | None:
    """``Using NDVI and LST data of 2021, compute the TVDI``: of that time and place, and made so. Bands are what it is
    made of; which of several is asked about has to be said."""
    kinds = {part.kind for _, part in walk(one.expression) if isinstance(part, Quantity)}
    maps = {kind for kind in said.kinds if (own := typed(Quantity(kind))) is not None and own.of == "class"}
    if any(kinds & set(band.kinds) for band in said.bands) or not maps <= kinds:
        return None  # nothing is made of a map of classes but what asks for its classes
    made = [{_wide(band) for band in spectral_indices()[kind].symbols.values()} for kind in _indices(kinds)]
    if made and any(_is_narrow(band) for band in said.bands) and not _told(said.bands) <= set[str]().union(*made):
        return None  # of other bands than those that are told
    if any(chosen.fact == "variant" and kinds.isdisjoint(chosen.kinds) for chosen in said.chosen):
        return None  # which tells layers apart of which it is not
    found: Answer | None = one
    for chosen in said.chosen:
        how = of_product if chosen.fact == PRODUCT else all_chosen
        found = found and with_change(partial(how, one=chosen), found)
    if said.when is not None:
        found = found and with_change(partial(_during, when=said.when), found)
    return found and (made_so(found, said.method) if said.method else found)


def _of_data(thing: Thing, said: Sources) -> Thing | None:
    """``the mean NDMI (from B08 and B11)``."""
    found = where_it_is(said, Answer(thing.x))
    return None if found is None else replace(thing, x=found.expression)


def _during(x: Expression, when: Times | Expression) -> Expression | None:
    return during(x, when)


def all_chosen(x: Expression, one: Chosen) -> Expression | None:
    """A question of the data of one place."""
    if isinstance(x, Quantity):
        other = one.fact in _OF_LAYERS and x.kind not in one.kinds
        return x if other or one.fact in dict(x.having) else replace(x, having=(*x.having, (one.fact, one.value)))
    return with_children(x, lambda part: all_chosen(part, one) or part)


def of_one_variant(x: Expression) -> Expression:
    """What is said of one mention of a layer holds for all of them, where one variant of it is named: the depth where
    it is flooded, ``in the 100-year flood``."""
    named: dict[str, set[str]] = {}
    for _, part in walk(x):
        if isinstance(part, Quantity):
            named.setdefault(part.kind, set()).update(value for fact, value in part.having if fact == "variant")
    said = {kind: next(iter(variants)) for kind, variants in named.items() if len(variants) == 1}

    def told(part: Expression) -> Expression:
        if isinstance(part, Quantity) and part.kind in said and "variant" not in dict(part.having):
            return replace(part, having=(*part.having, ("variant", said[part.kind])))
        return with_children(part, told)

    return told(x) if said else x


def noun_of(thing: Thing, one: Chosen) -> Thing | None:
    """``the mean rainfall in Lima``, where files are of several places."""
    x = all_chosen(thing.x, one) if one.fact in ("region", "variant", "height") else None
    return None if x is None or x == thing.x else replace(thing, x=x)


def ground_of(ground: Expression, one: Chosen) -> Expression | None:
    """``flooded in the 100-year event``: of depths of water it is where they are above 0."""
    x = all_chosen(ground, one)
    if one.fact != "variant" or x is None or x != ground:
        return x if one.fact in ("variant", "height") and x != ground else None
    depth = Quantity(one.kinds[0], having=((one.fact, one.value),))
    own = typed(depth)
    deep = own is not None and own.of == "number" and compatible(own.measure.unit, "m")
    return Beyond(depth, "above", Number(0.0, "m")) if deep and ground in _WATER else None


def clause_of(clause: Clause, one: Chosen) -> Clause | None:
    """``deeper than 1 m in the 100-year event``."""
    if isinstance(clause, Test):
        left = noun_of(clause.left, one)
        return None if left is None else replace(clause, left=left)
    return ground_of(clause, one) if isinstance(clause, Expression) else None


def where_both(one: Answer, ground: Expression) -> Answer | None:
    """``how much deeper it is than another, only where both are wet``: of both layers, or at both times."""
    x = one.expression.x if isinstance(one.expression, Show) else one.expression
    if not isinstance(x, Calculate) or x.b is None:
        return None
    first, second = _as_told(ground, x.a), _as_told(ground, x.b)
    if first is None or second is None or first == second:
        return None
    return with_change(lambda all_of_it: within(all_of_it, And((first, second))), one)


def _as_told(ground: Expression, of: Expression) -> Expression | None:
    """Ground of the layer, or at the time, that an expression is of."""
    held: Expression | None = ground
    for _, part in walk(of):
        if isinstance(part, Quantity) and held is not None:
            for fact, value in part.having:
                held = all_chosen(held, Chosen(fact, value, (part.kind,))) or held
        elif isinstance(part, During) and held is not None:
            held = during(held, part.when)
    return None if held is None else standing(held)


_OF_LAYERS = ("variant", "daynight", "height")  # facts that may be told of all of a question


def chosen_keys(x: Expression, one: Chosen) -> Expression | None:
    """``in the 100-year event, which district ...``."""
    found = all_chosen(x, one) if one.fact in _OF_LAYERS else None
    return None if found == x else found


def _most_by_night(keys: Keys, named: Graded, one: Chosen) -> Expression | None:
    """``which district had the warmest nights``."""
    x = ranked_by(keys, named) if one.fact == "daynight" else None
    return None if x is None else chosen_keys(x, one)


def answer_of(one: Answer, chosen: Chosen) -> Answer | None:
    """``in the 100-year event, what share of the ground is ...``."""
    x = all_chosen(one.expression, chosen) if chosen.fact in _OF_LAYERS else None
    return None if x is None or x == one.expression else replace(one, expression=x)


def of_each(thing: Thing, each: tuple[Chosen, ...]) -> Answer | None:
    """``the mean rainfall in Lima and Boston``: a part for each."""
    return restricted_each(noun_of, thing, each)


def of_both(one: Answer, how: Arithmetic) -> Answer | None:
    """``..., and give the difference between the two``: of the two numbers that are asked for, the second and the first
    where they are of two times, else the first and the second."""
    if not isinstance(one.expression, Several) or len(one.expression.named) != 2 or len(set(one.units)) > 1:
        return None
    first, second = (part for _, part in one.expression.named)
    asked = {part.when for _, part in walk(first) if isinstance(part, During)}
    later = asked != {part.when for _, part in walk(second) if isinstance(part, During)}
    x = Calculate(how, second, first) if later else Calculate(how, first, second)
    return Answer(x, one.units[0] if one.units else None) if typed(x) is not None else None


def step(thing: Thing, one: Answer) -> Answer | None:
    """``Compute the TVDI of 2021 and count the dates on which TVDI ...``: a quantity without a statistic is a step of
    what is asked next, which is of its time and made by its method."""
    made = [part for _, part in walk(thing.x) if isinstance(part, Quantity)]
    if len(made) != 1 or replace(thing, x=made[0], keys=(), unit=None) != Thing(made[0]):
        return None
    if any(isinstance(part, Calculate | Correlate | Over) for _, part in walk(thing.x)):
        return None  # which is asked itself
    of_it = [part for _, part in walk(one.expression) if isinstance(part, Quantity)]
    kinds = {part.kind for part in of_it}
    if made[0].kind not in kinds or any(isinstance(part, Within) for _, part in walk(thing.x)):
        return None
    if any(part.having != made[0].having for part in of_it if part.kind == made[0].kind):
        return None  # which data it is of would be left out
    times = [part.when for _, part in walk(thing.x) if isinstance(part, During)]
    asked = [part for _, part in walk(one.expression) if isinstance(part, During)]
    found: Answer | None = one
    if times and not asked:
        found = with_change(lambda x: during(x, times[0]), one)
    elif times and any(part.when != times[0] for part in asked):
        return None
    method = made[0].method
    return found and (made_so(found, (method, made[0].kind)) if method else found)


def sizes(one: Answer | None) -> Answer | None:
    """``the absolute difference between the two``."""
    return one and with_change(_size, one)


def absolute(thing: Thing) -> Thing | None:
    x = _size(thing.x)
    return None if x is None else replace(thing, x=x)


def _size(x: Expression) -> Expression | None:
    return Calculate("absolute", x) if isinstance(x, Calculate) and x.how == "difference" else None


RULES_OF_SOURCES: tuple[Line, ...] = (
    ("METHOD <- METHOD method", _first),
    ("METHOD <- METHOD open METHOD close", lambda a, b: a if a[0] == b[0] else None),
    ("QUANTITY <- METHOD QUANTITY", lambda method, x: by_method(x, method)),
    ("QUANTITY <- METHOD derived QUANTITY", lambda method, x: by_method(x, method)),
    ("QUANTITY <- QUANTITY by METHOD", by_method),
    ("QUANTITY <- QUANTITY using METHOD", by_method),
    ("QUANTITY <- QUANTITY derived by METHOD", by_method),
    ("N <- N using METHOD", noun_made_so, 1),
    ("N <- N by METHOD", noun_made_so, 1),
    ("Q <- using METHOD Q", lambda method, one: made_so(one, method)),
    ("Q <- by METHOD Q", lambda method, one: made_so(one, method)),
    ("Q <- Q using METHOD", made_so, 1),
    ("Q <- Q by METHOD", made_so, 1),
    ("Q <- Q next using METHOD", made_so, 1),
    # of which data it is: named, and at hand
    ("SOURCES <- SOURCE", _known),
    ("SOURCES <- CHOSEN", of_data),
    ("SOURCES <- AT_HAND", of_data),
    ("SOURCES <- band_words SOURCES", _first),
    ("SOURCES <- band_words SCOPE", _known),
    ("SOURCES <- METHOD SOURCE", lambda method, _: Sources(method)),
    ("SOURCES <- METHOD derived SOURCE", lambda method, _: Sources(method)),
    ("SOURCES <- SENSOR SOURCES", lambda _, said: said),
    ("SOURCES <- SENSOR SCOPE", _known),
    ("SOURCES <- SOURCES and SOURCES", Sources.also),
    ("SOURCES <- SOURCES SOURCES", Sources.also, 1),
    ("SOURCES <- SOURCES from SOURCES", Sources.also),
    ("SOURCES <- SOURCES of SOURCES", Sources.also),
    ("SOURCES <- SOURCES open SOURCES close", Sources.also),
    ("SOURCES <- SOURCES SCOPE", _first),
    ("SOURCES <- SOURCES of SCOPE", _first),
    ("SOURCES <- SOURCES in SCOPE", _first),
    ("SOURCES <- SOURCES T", at_a_time),
    ("SOURCES <- TIME SOURCES", lambda when, said: at_a_time(said, when)),
    ("CARRIED <- SOURCES carrier", _first),
    ("CARRIED <- SOURCES SHOWN", lambda said, how: said if how == "map" else None),
    ("CARRIED <- NAMED_KEY carrier", _of_classes),
    ("CARRIED <- NAMED_KEY SHOWN", _of_classes),
    ("CARRIED <- TIME CARRIED", lambda when, said: at_a_time(said, when)),
    ("CARRIED <- CARRIED T", at_a_time),
    ("SOURCES <- CARRIED", _first, 1),
    ("IN_DATA <- in CARRIED", _first),
    ("IN_DATA <- of CARRIED", _first),
    ("IN_DATA <- judged SOURCES", _first),
    *((f"IN_DATA <- do CARRIED {verb}", _first) for verb in ("have", "reach", "be")),
    ("IN_DATA <- open FROM close", _first),
    ("IN_DATA <- open SOURCES close", _first, 1),
    ("Q <- Q IN_DATA", lambda one, said: where_it_is(said, one), 1),
    ("Q <- IN_DATA Q", where_it_is, 1),
    ("Q <- which N IN_DATA", lambda thing, said: (x := answer(thing)) and where_it_is(said, x)),
    ("N <- N IN_DATA", lambda thing, said: _of_data(thing, said), 1),
    ("FROM <- using SOURCES", _first),
    ("FROM <- from SOURCES", _first),
    ("Q <- FROM Q", of_sources),
    ("Q <- FROM to Q", of_sources),
    ("Q <- Q FROM", lambda one, said: of_sources(said, one), 1),
    ("SCOPE <- SCOPE SCOPE", _first, 1),
    ("SCOPE <- SCOPE of SCOPE", _first),
    ("N <- SCOPE own N", lambda _, thing: thing),
    ("Q <- what N and? Q", step, -1),
    ("N <- convert SOURCES to N", lambda said, thing: None if said != Sources(bands=said.bands) else thing),
    ("Q <- list_files and? Q", lambda one: one),
    ("Q <- FROM list_files and? Q", of_sources),
    ("XT <- KEYS that STAT of? N occurs", lambda keys, said, thing: ranked(keys, said, thing)),
    ("Q <- FROM what N and? Q", lambda said, thing, one: (found := step(thing, one)) and of_sources(said, found)),
    ("Q <- FROM to what N and? Q", lambda said, thing, one: (found := step(thing, one)) and of_sources(said, found)),
    ("FROM <- using METHOD", lambda method: Sources(method)),
    ("FROM <- using METHOD to SOURCES", lambda method, said: said.also(Sources(method))),
    # of which place it is, where files are of several
    ("N <- N of CHOSEN", noun_of),
    ("N <- N with_region CHOSEN", noun_of),
    *((f"N <- N {word} CHOSEN", noun_of) for word in ("in", "at")),
    *((f"XT <- XT {word} CHOSEN", chosen_keys) for word in ("in", "at")),
    ("XT <- KEYS that? have RANKED CHOSEN", _most_by_night),
    ("CHOSEN <- CHOSEN carrier", _first),
    ("CHOSEN <- CHOSEN open CHOSEN close", lambda one, other: one if one == other else None),
    ("CHOSEN <- CHOSEN event", _first),
    ("CHOSEN <- CHOSEN SHOWN", lambda one, how: one if how == "map" else None),
    ("GROUND <- CHOSEN GROUND", lambda one, ground: ground_of(ground, one)),
    *(
        (f"{what} <- {what} {word} CHOSEN", clause_of, 1)
        for what in ("GROUND", "C", "CL")
        for word in ("in", "of", "covered", "by", "at")
    ),
    *((f"Q <- {word} CHOSEN Q", lambda chosen, one: answer_of(one, chosen)) for word in ("in", "covered", "at", "")),
    *((f"Q <- Q {word} CHOSEN", answer_of, 1) for word in ("in", "covered", "by", "at", "")),
    ("Q <- Q alone? where both be? GROUND", where_both),
    ("Q <- Q in SCOPE GROUND in both", lambda one, _, ground: where_both(one, ground)),
    ("Q <- if CHOSEN came? Q", lambda chosen, one: answer_of(one, chosen)),
    ("XT <- CHOSEN XT", lambda one, x: chosen_keys(x, one)),
    ("BOTH <- CHOSEN and in CHOSEN", lambda a, b: (a, b)),
    ("N <- CHOSEN own N", lambda one, thing: noun_of(thing, one)),
    ("BOTH <- CHOSEN and CHOSEN", lambda a, b: (a, b)),
    ("Q <- what? N of BOTH", of_each),
    ("Q <- what? N in BOTH", of_each),
    ("Q <- Q and what? ARITHMETIC both_of_them?", of_both),
    ("Q <- Q what ARITHMETIC both_of_them?", of_both),
    ("Q <- Q and? what? absolute ARITHMETIC both_of_them?", lambda one, how: sizes(of_both(one, how))),
    ("N <- absolute N", absolute),
)
