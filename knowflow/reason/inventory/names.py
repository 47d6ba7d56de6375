"""What the names of files and layers say: dates, tokens and products put together.

A published name is read by the shape that its product gives it; whatever stands around it, and every other name, by its
tokens. What is certain becomes facts, the rest clues.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from types import MappingProxyType

from knowflow.ground.kept import kept
from knowflow.ground.regex import regex
from knowflow.model.facts import Facts, Origin
from knowflow.reason.inventory.evidence import Clue
from knowflow.reason.inventory.folder_dates import FolderDates, of_years_beside, only_year, or_a_day
from knowflow.reason.inventory.lore import Lore, load_lore
from knowflow.reason.inventory.made_of import ARITHMETIC
from knowflow.reason.inventory.meanings import Layer
from knowflow.reason.inventory.month_numbers import NUMBER_AND_NAME
from knowflow.reason.inventory.name_dates import DATE_MARK, Dated, dates_in, has_days, without_year
from knowflow.reason.inventory.name_moment import date_of, of_one_day, of_step
from knowflow.reason.inventory.noted import meaning_noted, product_noted, with_layer_noted
from knowflow.reason.inventory.parts_beside import of_parts
from knowflow.reason.inventory.phrases import Name
from knowflow.reason.inventory.product_beside import Beside, names_beside, places_in, product_beside
from knowflow.reason.inventory.products import Known, product_in
from knowflow.reason.inventory.published_dates import SHORTER, dates_of
from knowflow.reason.inventory.said import Said, unless_a_difference, what_is_said
from knowflow.reason.inventory.said_labels import SHAPE_MARK
from knowflow.reason.inventory.schedules import on_schedule
from knowflow.reason.inventory.spans import Span
from knowflow.reason.inventory.tokens import NO_LAYERS, Token, plain, tokens_of
from knowflow.reason.inventory.years import is_cited

_ENDING_INSIDE = regex(r"\.tiff?(?=[_ ])", re.IGNORECASE)
_ENDING = regex(r"\.[A-Za-z0-9]{1,8}$")
_PER_CENT = regex(r"\s?%")
_MINUS = regex(r"\s[-\u2013\u2212]\s")
_DAY = regex(r"\d\d")
_A_YEAR = regex(r"(?:19|20)\d\d")
_DAY_AND_MONTH = regex(r"\d\d?[-_. ]?[^\W\d_]{3,}", re.IGNORECASE)
_YEAR_APART = regex(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SAYING = frozenset({"layer", "word", "colour", "hint", "product"})
_AS_LEADING = MappingProxyType({"layer": "plain", "colour": "word"})
_TELLING = frozenset({"layer", "derived", "word", "product"})
_DOUBTFUL = frozenset({"doubtful", "short"})
_MOST_FOLDERS = 4
_ONE_MONTH, _FIRST_DAY = 31, "01"
_DEKADS = 1, 11, 21  # days on which they begin
_DATED = frozenset({"date_from", "date_before"})


@dataclass(frozen=True, slots=True)
class NameFacts:
    """What a name says: facts, clues for what stays open, and the product and parts that it was read by.

    Files of one ``family`` (such as ``landsat_collection2``), folder, region and date come from one sensor.
    """

    facts: Facts = field(default_factory=Facts)
    product: str = ""
    family: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()
    tokens: tuple[Token, ...] = ()

    def made_of(self, quantity: str) -> bool:
        """Whether the name speaks of that quantity and says that something else was made of it: NDVI of ndvi_trend."""
        own = {one for token in self.tokens if isinstance(token.entry, Layer) for one in token.entry.meaning.quantities}
        made = any(token.kind == "derived" for token in self.tokens)
        return made and quantity in own and self.facts.value("quantity") != quantity


def name_facts(
    path: str,
    dtype: str | None = None,
    *,
    folders: str = "",
    beside: Callable[[], FolderDates] = FolderDates,
    near: Callable[[], Beside] = Beside,
) -> NameFacts:
    """What the name of a file says, and where it says nothing the ``folders`` that it lies in; ``dtype`` is its data
    type where the header is known, ``beside`` gives what other names tell of dates, and ``near`` what those of its
    folder tell of products.

    Raises ``DocumentError`` where an authored document is broken.
    """
    return read_name(path, dtype, load_lore(), folders, beside, near)


def told_beside(stems: Iterable[str]) -> Beside:
    """What the names of a folder, without their endings, tell of products."""
    lore = load_lore()
    rests = {dates_in(stem)[0]: stem for stem in stems}
    told = ((_product(stem, rest, (), lore)[0], rest) for rest, stem in rests.items())
    of_products = ((known, _tokens(rest, lore, known)) for known, rest in told if known is not None)
    return names_beside(of_products, (_tokens(rest, lore) for rest in rests))


def places_told(stems: Iterable[str], root: str) -> frozenset[str]:
    """The words of names without their endings that say nothing of what is measured: those of places and projects, in
    names of several quantities or in that of the folder that all lie in (``root``)."""
    lore = load_lore()
    rests = dict.fromkeys(dates_in(stem)[0] for stem in stems)
    own = (token.key for token in _tokens(dates_in(root)[0], lore) if token.kind == "word")
    return places_in(_tokens(rest, lore) for rest in rests).union(own)


def layer_facts(layer_name: str, dtype: str | None = None) -> NameFacts:
    """What the name of a layer alone says: the description of a band in a file of several; nothing where it names no
    layer that is known, or does arithmetic with one.

    Raises ``DocumentError`` where an authored document is broken.
    """
    rest, dates = dates_in(layer_name)
    lore = load_lore()
    tokens = _tokens(rest, lore)
    if not dates and any(known.shape_in(layer_name) for known in lore.unmarked):  # a published name
        named = read_name(layer_name, dtype, lore)
        return replace(named, facts=named.facts.without(("region", "bands")))
    if not dates and len(tokens) == 1 and tokens[0].kind == "hint" and len(tokens[0].entry or ()) == 1:
        source = f"band description {layer_name!r} (in names of products)"
        return NameFacts(Facts.of(Origin.ASSUMED, source, quantity=str(tokens[0].entry[0])))
    if dates or ARITHMETIC.search(layer_name) or not {token.kind for token in tokens} & {"layer", "band", "colour"}:
        return NameFacts()
    if any(token.kind == "word" or (token.kind == "hint" and not token.key.isdigit()) for token in tokens):
        return NameFacts()  # the mean of the time of what a word of products may mean: Evap_tavg
    layers = [token for token in tokens if token.kind == "layer"]
    if any(_MINUS.search(rest, one.end, other.start + 1) for one, other in pairwise(layers)):
        return NameFacts()  # what lies between two layers is neither: MDS - MDT
    said = what_is_said(Name(rest, tokens), None, {}, None, dtype)
    # one layer is of one band
    return NameFacts(said.facts.without(("region", "bands")), "", said.family, said.groups, said.clues, tokens)


def product_layer_facts(layer_name: str, product: str, dtype: str | None = None) -> Facts:
    """What a product says of its layer of that name: the description of a band in one of its files; nothing where it
    has none."""
    known = load_lore().products.get(product)
    layer = None if known is None else known.layers.get(plain(layer_name))
    if layer is None:
        return Facts()
    source = f"band description {layer_name!r} ({layer.meaning.title})"
    return layer.meaning.facts({"layer": layer_name, "name": layer.name}, None, dtype, source)


def layers_of(product: str, quantity: str) -> tuple[str, ...]:
    """The names of the layers of a product that are of nothing but a quantity, plainly."""
    known = load_lore().products.get(product)
    layers = {} if known is None else known.layers
    return tuple(key for key, layer in layers.items() if layer.meaning.quantities == (quantity,))


def read_name(
    path: str,
    dtype: str | None,
    lore: Lore,
    folders: str = "",
    beside: Callable[[], FolderDates] = FolderDates,
    near: Callable[[], Beside] = Beside,
) -> NameFacts:
    """What a name says by the given lore."""
    stem = plain_stem(path)
    rest, dates = _dates_told(stem)
    # a day may be a name in the folder of its month
    around, dates_around = _folders_of(f"{folders}/{stem}" if _DAY.fullmatch(stem) else folders, lore)
    product, shape, inside = _product(stem, rest, around, lore)
    product, noted = (product, False) if product is not None else _product_around(rest, lore, near())
    rest = rest if shape is not None else with_layer_noted(rest, product, near)
    if shape is None and len(dates) > 1:  # made of the file of another product, whose name tells which date is its own
        dates = _dates_of_source(stem, rest, lore) or dates
    groups: dict[str, str] = {}
    if shape is not None and product is not None:
        groups = {name: text for name, text in shape.groupdict().items() if text is not None and name[0] != "_"}
        outside = stem[: shape.start()], stem[shape.end() :]
        read = [dates_in(one) for one in outside]
        rest = SHAPE_MARK.join(text for text, _ in read)
        dates = tuple(inside) or (*read[0][1], *read[1][1])
        if groups.get("step") == "monthly":
            dates = tuple(of_step(one, "P1M") for one in dates)
    asked = product.asks_for if product is not None else frozenset()
    if shape is None and len(dates) == 1 and NUMBER_AND_NAME.search(stem):
        marked, months = beside().month_numbers.read_named(stem)
        rest, dates = (marked, months) if months else (rest, dates)
    rest, dates = _by_company(rest, dates, folders, beside)
    dates = on_schedule(dates, product.product if product is not None else None, stem)
    if not all(one.certain for one in dates_around):
        dates_around = beside().settled(dates_around)
    told = tuple(sorted((name, text) for name, text in groups.items() if name not in ("date", "time", "end", *SHORTER)))
    length = None if product is None or "step" in groups else _length(dates, beside) or _of_year(dates, rest, lore)
    if length is not None and not any(token.kind == "step" for token in _tokens(rest, lore, product)):
        told = (*told, ("step", length))
    moment = _first(dates) if asked & _DATED else None
    beside_it = near()
    own_keys = {token.key for token in _tokens(rest, lore, product)}
    shared, leading = own_keys & beside_it.shared, own_keys & beside_it.leading
    nothing = frozenset(own_keys & beside_it.places)
    said = _said(rest, around, product, told, moment, dtype, lore, frozenset(shared), frozenset(leading), nothing)
    if product is None and near().noted and not said.derived:
        said = _in_unit_noted(said, near().noted, lore, dtype)
    if noted:
        said = replace(said, facts=_as_usual(said.facts))
    step = said.step or (product.product.span if product is not None else None)
    dates = tuple(of_step(one, step) for one in dates)
    of_method = sum(token.kind in _TELLING for token in said.tokens) > 1  # of luftbild2020 nobody is the author
    said = replace(said, cited=said.own_year and of_method and is_cited(said.tokens, beside().numbered | nothing))
    if product is None and _are_two_moments(dates):
        said = unless_a_difference(said)
    when = date_of(dates or (), said, dates_around, product.product if product else None)
    if shape is not None:
        groups |= {"granule": shape.group()}
    dated = when[0].without(("datetime", "span")) if _is_of_layer(said) else when[0]
    return NameFacts(
        dated.over(of_one_day(said.facts, dated)),
        product.product.product if product else "",
        said.family,
        MappingProxyType({**said.groups, **groups}),
        (*when[1], *said.clues),
        said.tokens,
    )


def _dates_told(stem: str) -> tuple[str, tuple[Dated, ...]]:
    """The rest of a name and its dates; days without a year are those of the only year that stands apart."""
    rest, dates = dates_in(stem)
    unread = any(one.form == "short_year" for one in dates) or (dates and has_days(rest))
    if unread and len(years := set(_YEAR_APART.findall(stem))) == 1:
        rest, days = without_year(stem, years.pop())  # Jul31 of Jul31-Aug16_2021
        rest, others = dates_in(rest)
        dates = (*days, *others) if days else dates
    return rest, dates


def _product_around(rest: str, lore: Lore, near: Beside) -> tuple[Known | None, bool]:
    """The product that names beside it tell, or else that notes do, and whether it is noted alone."""
    plainly, as_of = _tokens(rest, lore), partial(_tokens, rest, lore)
    beside = product_beside(near, lore.products, plainly, as_of)
    if beside is not None:
        return beside, False
    noted = product_noted(near.noted, lore.products, lore.by_word, plainly, as_of)
    return noted, noted is not None


def _by_company(
    rest: str, dates: tuple[Dated, ...], folders: str, beside: Callable[[], FolderDates]
) -> tuple[str, tuple[Dated, ...]]:
    """The rest of a name and its dates as the names beside it decide what they are."""
    if not dates:
        rest, dates = beside().month_years.read(rest)
    if not dates:
        rest, dates = beside().dotted(rest)
    if not dates and has_days(rest):
        rest, dates = of_years_beside(rest, folders, beside())
    if not any(one.certain for one in dates):
        rest, others = beside().codes.read(rest, only_year(rest, folders, beside()))
        dates = others or dates
    if not dates:
        rest, dates = beside().month_numbers.read(rest)
    if not dates and has_days(rest):
        rest, dates = beside().in_some_year(rest)
    dates = tuple(or_a_day(one, beside(), folders, rest) if one.form == "short_year" else one for one in dates)
    if not all(one.certain and one.form != "six" for one in dates):
        dates = beside().settled(dates, rest)
    dates = tuple(
        replace(one, certain=True) if one.form in _DOUBTFUL and rest in beside().named else one for one in dates
    )
    dates = tuple(replace(one, spans=one.spans[:1]) if one.form in _DOUBTFUL and one.certain else one for one in dates)
    if not all(one.certain for one in dates):
        dates = beside().settled(dates, rest)
    return of_parts(rest, dates)


def _in_unit_noted(said: Said, noted: frozenset[str], lore: Lore, dtype: str | None) -> Said:
    """What a name says, with the unit that notes tell of its quantity where it has none."""
    quantity = said.facts.value("quantity")
    known = quantity is not None and "unit" not in said.facts
    meant = meaning_noted(noted, lore.products, lore.by_word, str(quantity)) if known else None
    if meant is None:
        return said
    own = meant.facts({}, None, dtype, f"layer name of its quantity ({meant.title})")
    return replace(said, facts=said.facts.over(own.only(("unit", "scale", "offset", "nodata", "valid_range"))))


def _length(dates: Collection[Dated], beside: Callable[[], FolderDates]) -> str | None:
    """The length of time that the only date of a name is of: a month, a dekad of one, or a day; the first of a month
    may stand for all of it where no name beside it tells another day of that."""
    if len(dates) == 1 and any(one.certain and _is_dekad(one.spans[0]) for one in dates):
        return "P10D"
    whole = [one.spans[0] for one in dates if one.certain and one.spans[0].calendar]
    if len(dates) != 1 or not whole or whole[0].days > _ONE_MONTH:
        return None
    (span,) = whole
    if span.days > 1:
        return "P1M"
    month, day = span.last[:8], span.last[8:]
    alone = day == _FIRST_DAY and all(one == span or not one.last.startswith(month) for one in beside().days)
    return None if alone or "T" in span.first else "P1D"


def _is_dekad(span: Span) -> bool:
    """Whether a span is the first ten days of a month, the next ten, or what is left of it."""
    first, behind = date.fromisoformat(span.first[:10]), date.fromisoformat(span.last) + timedelta(days=1)
    return first.day in _DEKADS and behind.day == _DEKADS[(_DEKADS.index(first.day) + 1) % len(_DEKADS)]


def _of_year(dates: Collection[Dated], rest: str, lore: Lore) -> str | None:
    """The length of time of a name whose only date is a year."""
    years = [token for token in _tokens(rest, lore) if token.kind == "year"]
    return "P1Y" if not dates and len(years) == 1 else None


def _is_of_layer(said: Said) -> bool:
    """Whether the name of a layer holds its year, and another one is that of its edition: ``treecover2000``."""
    year = str(said.facts.value("datetime") or "")[:4]
    return bool(year) and any(token.kind == "layer" and token.key.endswith(year) for token in said.tokens)


def _are_two_moments(dates: Collection[Dated]) -> bool:
    """Whether a name tells a beginning and an end, not one day, month or year."""
    spans = {one.spans[0] for one in dates if one.spans}
    return len(spans) > 1 or any(span.days > 1 and not span.calendar for span in spans)


def _as_usual(facts: Facts) -> Facts:
    """Facts with the unit of a product that is merely noted as the usual one, against which values may speak."""
    unit = facts.get("unit")
    if unit is None or unit.origin is not Origin.DECLARED or unit.source.startswith("file name"):
        return facts
    return facts.without(("unit",)).put("unit", unit.value, Origin.ASSUMED, unit.source)


def plain_stem(path: str) -> str:
    """The file's name without folders and ending, also without an ending left inside (``NDVI.tif_2020-01-01.tif``)."""
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return _PER_CENT.sub(" pct", _ENDING_INSIDE.sub("", _ENDING.sub("", name)))


@kept(16384)  # the names of a folder differ in their dates for the most part
def _tokens(rest: str, lore: Lore, product: Known | None = None) -> tuple[Token, ...]:
    return tokens_of(rest, lore.vocabulary, NO_LAYERS if product is None else product.layers)


@kept(4096)
def _said(
    rest: str,
    folders: tuple[str, ...],
    product: Known | None,
    shape: tuple[tuple[str, str], ...],
    moment: str | None,
    dtype: str | None,
    lore: Lore,
    shared: frozenset[str],
    leading: frozenset[str],
    nothing: frozenset[str],
) -> Said:
    own = _tokens(rest, lore, product)
    if _has_more_behind(own, leading):  # and colours behind are none: vert
        own = tuple(
            replace(one, kind=_AS_LEADING.get(one.kind, one.kind)) if _is_led(one, leading) else one for one in own
        )
    name = Name(rest, own, tuple(_tokens(folder, lore, product) for folder in folders), shared, nothing | shared)
    return what_is_said(name, product, dict(shape), moment, dtype)


def _is_led(token: Token, leading: Collection[str]) -> bool:
    return token.key in leading or token.kind == "colour"


def _has_more_behind(own: tuple[Token, ...], leading: Collection[str]) -> bool:
    """Whether behind the word of a layer that others stand behind in other names one stands here, or what nobody
    knows."""
    places = [place for place, token in enumerate(own) if token.key in leading]
    return bool(places) and any(token.kind in _SAYING for token in own[places[0] + 1 :])


@kept(1024)
def _folders_of(folders: str, lore: Lore) -> tuple[tuple[str, ...], tuple[Dated, ...]]:
    """The folders of a file without their dates, the nearest first, and the dates of the nearest that has any; years,
    months and days may be folders of their own."""
    parts = [part for part in folders.replace("\\", "/").split("/") if part not in ("", ".", "..")][-_MOST_FOLDERS:]
    years = [part for part in parts if _A_YEAR.fullmatch(part)]
    if len(years) == 1:  # 2021/19mag
        parts = [_in_year(part, years[0]) for part in parts]
    joined_up = re.sub(r"(?<=\d)/(?=\d)", "-", "/".join(parts)).split("/") if parts else []
    read = [_folder(part, lore) for part in reversed(joined_up)]
    return tuple(rest for rest, _ in read), next((dates for _, dates in read if dates), ())


def _in_year(part: str, year: str) -> str:
    """A folder of a day without its year, as that day in the year that another folder is called by."""
    if not _DAY_AND_MONTH.fullmatch(part):
        return part
    rest, days = next((read for text in (f"{part}{year}", f"{part} {year}") if (read := dates_in(text))[1]), ("", ()))
    return days[0].spans[0].first[:10] if rest == DATE_MARK and days[0].certain else part


def _folder(name: str, lore: Lore) -> tuple[str, tuple[Dated, ...]]:
    """A folder without its dates, and these: of one that has the published name of a product the date of that name, as
    it would be a file's."""
    rest, dates = dates_in(name)
    if len(dates) > 1 or (dates and dates[0].spans[0].days > 1):
        _, shape, inside = _product(name, rest, (), lore)
        if shape is not None:
            return rest, tuple(inside) or dates
    return rest, dates


def _product(
    stem: str, rest: str, folders: tuple[str, ...], lore: Lore
) -> tuple[Known | None, re.Match[str] | None, Iterator[Dated]]:
    """The product that a name or its folders tell, where its published name stands, and the dates in that."""
    for known in lore.unmarked:
        if (shape := known.shape_in(stem)) is not None:
            return known, shape, dates_of(shape)
    each = [_tokens(told, lore) for told in (rest, *folders)]
    together = tuple(token for tokens in each for token in tokens)  # 02_HLS/S30_B04
    told = (product_in(tokens, lore.products, lore.by_word) for tokens in (*each, together))
    listed = [lore.products[name] for name in dict.fromkeys(told) if name]
    if not listed:
        return None, None, iter(())
    # where two are told, that which has what the name speaks of: the PAR of nasa_l3m/MODIS PAR
    own = {form for token in each[0] if token.kind in ("word", "hint", "product") for form in (token.key, token.form)}
    found = listed[0]
    if len(listed) > 1 and found.shape_in(stem) is None:
        found = next((one for one in listed if own & one.layers.keys()), found)
        found = next((one for one in listed if any(mark < more for mark in found.marks for more in one.marks)), found)
    shape = found.shape_in(stem)
    return found, shape, iter(()) if shape is None else dates_of(shape)


def _dates_of_source(stem: str, rest: str, lore: Lore) -> tuple[Dated, ...]:
    keys = [key for token in _tokens(rest, lore) for key in (token.key, token.form)]
    for name in dict.fromkeys(name for key in keys for name in lore.by_word.get(key, ())):
        if (shape := lore.products[name].shape_in(stem)) is not None and (dates := tuple(dates_of(shape))):
            return dates
    return ()


def _first(dates: Iterable[Dated]) -> str | None:
    return next((one.spans[0].first for one in dates if one.certain), None)
