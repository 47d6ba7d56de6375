"""Features of which there are files of several years: of which of them a question is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from knowflow.question.operators import (
    SURVEYED,
    Attribute,
    During,
    Expression,
    Polygons,
    Quantity,
    children,
    walk,
    with_children,
)
from knowflow.question.reading.attributes import any_day, in_those_years
from knowflow.question.reading.features import FeatureLayer
from knowflow.question.times import Times
from knowflow.question.typing_of_features import OF_YEAR, is_features, is_of_years, layer_of


def of_their_years(x: Expression, layers: Sequence[FeatureLayer], surveyed: Collection[str]) -> Iterator[Expression]:
    """A question with the features of the years that it tells; where it tells none of theirs, or several, that of each
    year. None where it tells a year of which there are no features, or of which what was ``surveyed`` then is not."""
    told = _dated(_of_columns(x, layers), layers)
    if told is None or (told != x and any(_of_no_survey(part, surveyed) for _, part in walk(x))):
        return
    open_ = {part.layer for _, part in walk(told) if isinstance(part, Polygons) and is_of_years(part)}
    if not open_:
        yield told
        return
    years = {year for layer in layers if layer.name in open_ for year in layer.versions}
    said = {when.first.year for when in _times(told) if when.first and when.last and when.first.year == when.last.year}
    for year in sorted(said if len(said) == 1 and said <= years else years):
        yield _all_of(told, year)


def _of_no_survey(part: Expression, surveyed: Collection[str]) -> bool:
    return isinstance(part, Quantity) and part.kind in surveyed and SURVEYED not in part.having


def _times(x: Expression) -> Iterator[Times]:
    yield from (part.when for _, part in walk(x) if isinstance(part, During) and isinstance(part.when, Times))


def _dated(x: Expression, layers: Sequence[FeatureLayer]) -> Expression | None:
    """With features of a time that is told as those of the file of that year."""
    if isinstance(x, During) and isinstance(x.x, Polygons) and is_of_years(x.x):
        years = next((layer.versions for layer in layers if layer.name == x.x.layer), ())
        first, last = (x.when.first, x.when.last) if isinstance(x.when, Times) else (None, None)
        there = [year for year in years if first and last and first.year <= year <= last.year]
        return _of(x.x, there[0]) if len(there) == 1 else None
    if isinstance(x, During) and is_features(x.x) and isinstance(x.when, Times):
        layer = next((one for one in layers if one.name == layer_of(x)), None)
        return None if layer is None else _then(x, layer)
    parts = {part: _dated(part, layers) for _, part in children(x)}
    if any(part is None for part in parts.values()):
        return None
    return with_children(x, lambda part: parts[part] or part)


def _of_columns(x: Expression, layers: Sequence[FeatureLayer]) -> Expression:
    """With features of a year as they are, where a number of theirs is told of that year: the harvest of 2023."""
    for _, part in walk(x):
        if isinstance(part, Attribute) and isinstance(part.x, During) and is_features(part.x):
            layer = next((one for one in layers if one.name == layer_of(part.x)), None)
            year = str(part.x.when)  # of a whole year
            told = (name for name, column, _ in layer.numbers if column == part.name) if layer is not None else ()
            if any(name.endswith(f" {year}") for name in told):
                return _without(x, part.x)
    return x


def _without(x: Expression, dated: During) -> Expression:
    return dated.x if x == dated else with_children(x, lambda part: _without(part, dated))


def _then(x: During, layer: FeatureLayer) -> Expression | None:
    """Features of a time, where their file tells the day or the year of each; None where it does not."""
    if layer.days is not None:
        return x if isinstance(x.when, Times) and any_day(layer.days[1], x.when) else None
    return None if layer.year is None else in_those_years(Attribute(x.x, layer.year), x.when)


def _all_of(x: Expression, year: int) -> Expression:
    if isinstance(x, Polygons):
        return _of(x, year) if is_of_years(x) else x
    return with_children(x, lambda part: _all_of(part, year))


def _of(x: Polygons, year: int) -> Polygons:
    return replace(x, layer=str(x.layer).replace(OF_YEAR, str(year)))
