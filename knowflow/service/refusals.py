"""What is told of a question that is not understood: what stands in the way first, and what it may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from knowflow.ground.errors import NotUnderstoodError
from knowflow.knowledge.words import stem, tokens
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.model.ground_lengths import area_on_ground
from knowflow.question.reading.misspelt import misspelt
from knowflow.question.reading.readings import Reading
from knowflow.question.reading.sentence import sentence_of
from knowflow.question.reading.vocabulary import DataWords
from knowflow.reason.inventory import Inventory

_FEW = 12
_GRIDS = 3
_MOST = 6  # pieces, and words, that are named
_PHOTOGRAPHS = (".jpg", ".jpeg", ".png")
_IMAGES = """image images imagery scene picture acquisition observation date file band raster layer data dataset"""
_EXTENT = """area region extent size period span resolution crs"""
_AROUND = """how many what which when is are was were do does did have has the a an of in for there available taken
acquired given used number total count list show give name tell me all every each first last latest earliest newest
oldest most recent large big whole entire study this our my we you i cover time range folder"""


def not_understood(reading: Reading, data: DataWords, inventory: Inventory) -> NotUnderstoodError:
    """The refusal of a question that does not read: the words that nothing knows, or the pieces that do not go
    together; of one about the data themselves what they are."""
    if not reading.question.strip():
        return NotUnderstoodError(
            "nothing is asked",
            expected="a question in plain words",
            found="an empty text",
            hint="for example: What is the mean NDVI? What share of the area is water?",
        )
    if _is_of_the_data(reading.question, data):
        return _of_the_data(inventory)
    if _holds_photographs_alone(inventory):
        return NotUnderstoodError(
            "questions about photographs are planned over a pack of tools, and not carried out here",
            expected="rasters that lie somewhere on the ground",
            found=inventory.summary(),
            hint="knowflow plan QUESTION --data DIR --tools earth_agent",
        )
    less = next((word for word in reading.unread if word.lower() in data.less), None)
    if less is not None:
        return NotUnderstoodError(
            f"notes beside the data say that {less!r} is less here than it means elsewhere, in words that are not read",
            expected="a limit of something that the files hold, or a map of it",
            found=repr(less),
            hint="ask for what is measured (the area where VV is below -15 dB), or have a map that holds it",
        )
    if reading.unread:
        words = ", ".join(repr(word) for word in dict.fromkeys(reading.unread[:_MOST]))
        return NotUnderstoodError(
            f"the question is not understood as a whole: nothing is known by {words}",
            hint=misspelt(reading.unread, data) or "say it in other words, or leave it out",
        )
    pieces = _joined(reading.apart)
    if len(pieces) < 2:
        return NotUnderstoodError(
            f"the question is not understood as a whole: these words ask for nothing: {' '.join(pieces)!r}",
            hint="say what is asked: a mean, an area, a date, a map",
        )
    return NotUnderstoodError(
        f"the question is not understood as a whole: these pieces do not go together: {' | '.join(pieces[:_MOST])}",
        hint="say it in other words, or ask one thing at a time",
    )


def _joined(pieces: Iterable[str]) -> list[str]:
    """The pieces of a question, with those of one word that follow each other in one."""
    found: list[str] = []
    for alone, run in groupby(pieces, lambda piece: " " not in piece):
        words = list(run)
        found += [" ".join(words)] if alone else words
    return found


def _is_of_the_data(question: str, data: DataWords) -> bool:
    """Whether every word asks for images, files or dates, of a time or of all."""
    sentence = sentence_of(question, data)
    dated = {word for one in sentence.entities if one.symbol == "TIME" for word in sentence.words[one.start : one.end]}
    when = {word.text for word in dated}
    said = {stem(one.text.lower()) for one in tokens(question) if one.kind == "word" and one.text not in when}
    images, extent, around = (frozenset(map(stem, text.split())) for text in (_IMAGES, _EXTENT, _AROUND))
    return bool(said & (images | extent)) and said <= images | extent | around


def _of_the_data(inventory: Inventory) -> NotUnderstoodError:
    return NotUnderstoodError(
        "the question is about the data themselves, which no plan computes",
        expected="a question that pixels answer, such as a mean, a share or a trend",
        found="; ".join((_dates(inventory), inventory.summary(), *_grids(inventory))),
        hint="`knowflow data DIR` shows the files with their dates, bands and grids",
    )


def _holds_photographs_alone(inventory: Inventory) -> bool:
    names = [str(item.path).lower() for item in inventory.artifacts if item.path is not None]
    return bool(names) and all(name.endswith(_PHOTOGRAPHS) for name in names)


def _dates(inventory: Inventory) -> str:
    days = sorted({day[:10] for day in inventory.dates()})
    if len(days) <= _FEW:
        return f"{len(days)} dates" + (f": {', '.join(days)}" if days else "")
    return f"{len(days)} dates, the first {days[0]}, the last {days[-1]}"


def _grids(inventory: Inventory) -> list[str]:
    """The grids of the rasters, the first three."""
    first = {item.fact("grid"): item for item in reversed(inventory.rasters)}
    told = (_extent(item) for grid, item in reversed(first.items()) if grid is not None)
    return list(dict.fromkeys(told))[:_GRIDS]


def _extent(raster: Artifact) -> str:
    """A grid in words, with the ground that it covers where its CRS is in metres."""
    crs, transform, (rows, columns) = raster.fact("crs"), raster.fact("transform"), raster.fact("shape")
    told = f"{rows} x {columns} pixels"
    if crs is None or not geo.is_crs(crs) or not geo.is_projected(crs):
        return told
    unit = geo.crs_of(crs).axis_info[0]
    a, _, _, _, e, _ = transform
    square_kilometres = area_on_ground(crs, transform, (rows, columns)) / 1e6
    return (
        f"{told} of {abs(a):.4g} x {abs(e):.4g} {unit.unit_name}, {square_kilometres:.4g} km2 with those without data"
    )
