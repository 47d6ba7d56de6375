"""How maps are to look elsewhere, in files beside them: a style of QGIS (``.qml``), and for GDAL the name of what they
hold and those of their classes.

Classes have the colours of :mod:`knowflow.ground.colours`, which are in the file, too; where something is so is told in
the words and the colour of the report, and other maps have its colours between its limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from knowflow.ground.colours import OFF, Colour, class_colours
from knowflow.ground.errors import KnowFlowError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model.artifact import Artifact
from knowflow.model.trace import Trace
from knowflow.roof.report.maps import quantity_title
from knowflow.roof.report.of_question import OfQuestion, of_question
from knowflow.roof.report.picture import Picture, read_picture
from knowflow.service.deliver import NAMES, STYLE, files_of_output
from knowflow.tools.area import class_names

_STOPS = 25
_LARGEST = 255
_QGIS = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"


def write_styles(trace: Trace) -> tuple[Path, ...]:
    """Write a style beside every delivered map of one band, and the names of what it holds; the files.

    Raises:
        OSError: they cannot be written.
    """
    return tuple(_written(trace))


def _written(trace: Trace) -> Iterator[Path]:
    for name, artifact in trace.told.items():
        for at, (called, (_, item)) in enumerate(files_of_output(name, artifact).items()):
            path = Path(trace.delivered.get(called, ""))
            if item.type != "raster" or str(path) not in trace.written or _several(item):
                continue
            classes = _classes(item)
            asked = of_question(trace.plan, name, at)
            picture = _picture(item, str(path), asked)
            nameless = {one.value: one.name for one in picture.classes} if picture is not None and classes else {}
            shown = nameless | dict(classes)
            colours = class_colours(shown)
            if set(classes) == {0, 1} and asked is not None and asked.colour is not None:
                classes = shown = {0: "elsewhere", 1: asked.told}
                colours = {0: OFF, 1: asked.colour}
            style = _paletted(shown, colours) if classes else _ramp(item, picture)
            if style:
                yield _put(path.with_suffix(STYLE), _style(style))
            if names := _description(quantity_title(item)) + _categories(classes):
                band = f'<PAMRasterBand band="1">{names}</PAMRasterBand>'
                yield _put(path.with_name(f"{path.name}{NAMES}"), f"<PAMDataset>{band}</PAMDataset>\n")


def _several(item: Artifact) -> bool:
    return item.band is None and int(item.fact("count") or 1) > 1


def _classes(item: Artifact) -> Mapping[int, str]:
    """The classes of a map by number, where they have names."""
    kind = quantity_kinds().get(str(item.fact("quantity")))
    if kind is None or not kind.categorical or item.path is None:
        return {}
    names = {code: name.replace("_", " ") for code, name in class_names(item).items()}
    return names if all(0 <= code <= _LARGEST for code in names) else {}


def _paletted(classes: Mapping[int, str], colours: Mapping[int, Colour]) -> str:
    entries = "".join(
        f'<paletteEntry value="{code}" label={quoteattr(name)} color="{_hex(colours[code])}" alpha="255"/>'
        for code, name in sorted(classes.items())
    )
    return (
        '<rasterrenderer type="paletted" band="1" opacity="1" alphaBand="-1" nodataColor="">'
        f"<colorPalette>{entries}</colorPalette></rasterrenderer>"
    )


def _picture(item: Artifact, path: str, asked: OfQuestion | None) -> Picture | None:
    """What the report shows of a map; None where it cannot be read, and the report says why."""
    try:
        return read_picture(item, path, asked)
    except KnowFlowError:
        return None


def _ramp(item: Artifact, picture: Picture | None) -> str:
    """The colours of a map between its limits; nothing where it cannot be read or is of classes without names."""
    if picture is None or picture.classes:
        return ""
    (low, high), unit = picture.limits, item.fact("unit")
    told = "" if unit in (None, "1") else f" {unit}"
    items = []
    for number in range(_STOPS):
        place = number / (_STOPS - 1)
        value, colour = low + place * (high - low), picture.stops[round(place * (len(picture.stops) - 1))]
        label = quoteattr(f"{value:.4g}{told}")
        items.append(f'<item value="{value!r}" label={label} color="{_hex(colour)}" alpha="255"/>')
    ends = f'classificationMin="{low!r}" classificationMax="{high!r}"'
    shader = f'colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="{low!r}"'
    return (
        f'<rasterrenderer type="singlebandpseudocolor" band="1" opacity="1" alphaBand="-1" nodataColor="" {ends}>'
        f'<rastershader><colorrampshader {shader} maximumValue="{high!r}">{"".join(items)}</colorrampshader>'
        "</rastershader></rasterrenderer>"
    )


def _style(renderer: str) -> str:
    return f'{_QGIS}<qgis version="3.22" styleCategories="Symbology"><pipe>{renderer}</pipe></qgis>\n'


def _categories(classes: Mapping[int, str]) -> str:
    """What GDAL reads as the names of the classes 0, 1, 2...; nothing of numbers."""
    if not classes:
        return ""
    names = "".join(f"<Category>{_text(classes.get(code, ''))}</Category>" for code in range(max(classes) + 1))
    return f"<CategoryNames>{names}</CategoryNames>"


def _description(title: str) -> str:
    """What GDAL reads as the description of the band."""
    return f"<Description>{_text(title)}</Description>" if title else ""


def _text(name: str) -> str:
    return quoteattr(name)[1:-1]


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
