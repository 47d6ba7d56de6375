"""Maps as SVG: the picture in a frame with coordinates, colour bar, scale bar and north arrow.

Scale and north are geodesic (pyproj): right in any CRS, at the middle of the map; without a CRS both are left out.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from xml.sax.saxutils import escape

from knowflow.ground.errors import UnreadableDataError
from knowflow.ground.quantities import quantity_kinds
from knowflow.model import geo
from knowflow.model.artifact import Artifact
from knowflow.roof.notation import day, middle, number, plain, unit_sign, words
from knowflow.roof.report.of_question import OfQuestion
from knowflow.roof.report.picture import Class, Picture, read_picture
from knowflow.roof.report.ticks import nice_ticks, tick_labels

WIDTH = 520.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 10.0, 8.0, 24.0
_TALLEST = 520.0
_BAR = 12.0
_LONG_NAME, _LONGEST_NAME = 30, 64  # characters of the name of a class that half and all of the width hold


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the picture lies on the page, and how its pixels relate to the CRS."""

    x: float
    y: float
    width: float
    height: float
    picture: Picture

    def place(self, easting: float, northing: float) -> tuple[float, float]:
        """CRS coordinates on the page."""
        assert self.picture.transform is not None
        a, b, c, d, e, f = self.picture.transform
        determinant = a * e - b * d
        dx, dy = easting - c, northing - f
        column, row = (e * dx - b * dy) / determinant, (a * dy - d * dx) / determinant
        rows, columns = self.picture.shape
        return self.x + column / columns * self.width, self.y + row / rows * self.height

    def coordinates(self, u: float, v: float) -> tuple[float, float]:
        """The CRS coordinates at a share of the width and height."""
        assert self.picture.transform is not None
        a, b, c, d, e, f = self.picture.transform
        column, row = u * self.picture.shape[1], v * self.picture.shape[0]
        return a * column + b * row + c, d * column + e * row + f


def quantity_title(artifact: Artifact) -> str:
    """What the numbers of an artifact mean, in words; nothing where nobody knows."""
    name = artifact.fact("quantity")
    if name is None:
        return ""
    kind = quantity_kinds().get(str(name))
    return plain(kind.title).split(" (")[0] if kind is not None else words(str(name))


def map_title(artifact: Artifact) -> str:
    title, when = quantity_title(artifact), artifact.fact("datetime")
    return f"{title}, {day(when)}" if title and when else title


def map_picture(artifact: Artifact, asked: OfQuestion | None = None) -> bytes:
    """The map of a raster as an SVG document of its own, to be shown where there is no report around it; ``asked`` is
    what it shows of a question.

    Raises ``UnreadableDataError`` where the raster cannot be read or holds no data.
    """
    picture = read_picture(artifact, str(artifact.path), asked)
    if picture.valid_fraction == 0:
        raise UnreadableDataError("every pixel is nodata", found=str(artifact.path))
    style = files("knowflow.roof.report").joinpath("figures.css").read_text("utf-8")
    title = map_title(artifact) if asked is None else asked.title
    return draw_map(picture, title, artifact.fact("unit"), heading=title, style=style).encode("utf-8")


def draw_map(
    picture: Picture,
    title: str,
    unit: str | None,
    heading: str = "",
    style: str = "",
    placed: bool = True,
    base: str = "",
) -> str:
    """The map of a picture with everything needed to read it, as an SVG element.

    ``heading`` is written above it, and ``style`` put into it, where no page around it does that. Without ``placed``
    the size of the pixels counts, but not where they lie: no coordinates, no north. ``base`` is the PNG of what lies
    below it.
    """
    frame = _frame(picture, _TOP + (24.0 if heading else 0.0))
    place = f'x="{frame.x:.1f}" y="{frame.y:.1f}" width="{frame.width:.1f}" height="{frame.height:.1f}"'
    how = f'preserveAspectRatio="none" class="{"fig-pixels" if picture.values.shape[1] < 400 else "fig-image"}"'
    parts = [f'<rect class="fig-frame" {place}/>']
    parts += [f'<image {place} {how} href="{png}"/>' for png in (base, picture.png) if png]
    y = frame.y + frame.height + 8
    if picture.transform is not None and placed:
        parts.append(_axes(frame))
        y += _BOTTOM - 8
    furniture, used = _furniture(frame, y + 6, placed)
    parts.append(furniture)
    key = _class_key(picture, placed, y + used + 10) if picture.classes else _colour_bar(picture, unit, y + used + 10)
    parts.append(key[0])
    height = key[1]
    natural = f'width="{WIDTH:.0f}" height="{height:.0f}" ' if style else ""
    if style:
        parts.insert(0, f'<style>{style}</style><rect class="fig-paper" width="{WIDTH:.0f}" height="{height:.0f}"/>')
    if heading:
        parts.append(f'<text x="{frame.x:.1f}" y="19" font-size="14" font-weight="600">{escape(plain(heading))}</text>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="fig fig-map" role="img" '
        f'{natural}viewBox="0 0 {WIDTH:.0f} {height:.0f}" '
        f'aria-label="{escape(plain(title), {chr(34): "&quot;"})}">' + "".join(parts) + "</svg>"
    )


def _frame(picture: Picture, top: float) -> _Frame:
    rows, columns = picture.shape
    aspect = columns / rows * _pixel_aspect(picture)
    left = _LEFT if picture.transform is not None else 10.0
    width = WIDTH - left - _RIGHT
    height = width / aspect
    if height > _TALLEST:
        height, width = _TALLEST, _TALLEST * aspect
    return _Frame(left, top, width, height, picture)


def _pixel_aspect(picture: Picture) -> float:
    """Width over height of a pixel on the ground."""
    if picture.transform is None:
        return 1.0
    a, b, _, d, e, f = picture.transform
    aspect = math.hypot(a, d) / (math.hypot(b, e) or 1.0)
    if picture.crs is not None and geo.crs_of(picture.crs).is_geographic:
        latitude = f + (d * picture.shape[1] + e * picture.shape[0]) / 2
        aspect *= max(math.cos(math.radians(min(abs(latitude), 85.0))), 0.05)
    return aspect


def _axes(frame: _Frame) -> str:
    """Ticks in the coordinates of the CRS; none where the grid is rotated against them."""
    assert frame.picture.transform is not None
    _, b, _, d, _, _ = frame.picture.transform
    if b or d:
        return ""
    (west, north), (east, south) = frame.coordinates(0, 0), frame.coordinates(1, 1)
    degrees = frame.picture.crs is not None and geo.crs_of(frame.picture.crs).is_geographic
    bottom = frame.y + frame.height
    parts = []
    across = nice_ticks(min(west, east), max(west, east), 4 if frame.width > 300 else 2)
    for value, label in zip(across, _labels(across, degrees, "EW"), strict=True):
        x, _ = frame.place(value, north)
        anchor = "end" if x > frame.x + frame.width - 22 else "middle"
        parts.append(f'<path class="fig-tick" d="M{x:.1f} {bottom:.1f}v4"/>')
        parts.append(f'<text class="fig-small" text-anchor="{anchor}" x="{x:.1f}" y="{bottom + 15:.1f}">{label}</text>')
    upward = nice_ticks(min(north, south), max(north, south), 4 if frame.height > 200 else 2)
    for value, label in zip(upward, _labels(upward, degrees, "NS"), strict=True):
        _, y = frame.place(west, value)
        parts.append(f'<path class="fig-tick" d="M{frame.x:.1f} {y:.1f}h-4"/>')
        parts.append(
            f'<text class="fig-small" text-anchor="end" x="{frame.x - 6:.1f}" y="{y + 3.5:.1f}">{label}</text>'
        )
    return "".join(parts)


def _labels(values: Sequence[float], degrees: bool, sides: str) -> list[str]:
    labels = tick_labels([abs(value) if degrees else value for value in values])
    if not degrees:
        return labels
    signs = [sides[0] if value > 0 else sides[1] if value < 0 else "" for value in values]
    return [f"{label}°{sign}" for label, sign in zip(labels, signs, strict=True)]


def _furniture(frame: _Frame, y: float, placed: bool) -> tuple[str, float]:
    """Scale bar and north arrow on one line, and the height they take."""
    picture = frame.picture
    if picture.crs is None or picture.transform is None:
        return "", 0.0
    parts = []
    metres = _metres_across(frame)
    if metres is not None and metres > 0:
        length = _nice_length(metres * 0.32)
        wide = length / metres * frame.width
        label = f"{number(length / 1000)} km" if length >= 1000 else f"{number(length)} m"
        x = frame.x
        parts.append(
            f'<path class="fig-scale" d="M{x:.1f} {y + 4:.1f}v8h{wide:.1f}v-8M{x + wide / 2:.1f} {y + 8:.1f}v4"/>'
            f'<text class="fig-small" x="{x + wide + 8:.1f}" y="{y + 13:.1f}">{label}</text>'
        )
    angle = _north(frame) if placed else None
    if angle is not None:
        x = frame.x + frame.width - 12
        parts.append(
            f'<g transform="translate({x:.1f} {y + 9:.1f}) rotate({angle:.1f})">'
            '<path class="fig-north" d="M0 -10 5 8 0 4.5 -5 8Z"/></g>'
            f'<text class="fig-small" text-anchor="end" x="{x - 10:.1f}" y="{y + 13:.1f}">N</text>'
        )
    return "".join(parts), 22.0 if parts else 0.0


def _metres_across(frame: _Frame) -> float | None:
    """The length of the middle row on the ellipsoid; None of a plan that is of no body."""
    crs = str(frame.picture.crs)
    degrees, ellipsoid = geo.degrees_on(crs), geo.crs_of(crs).get_geod()
    if degrees is None or ellipsoid is None:
        return None
    to_degrees = geo.transformer_between(crs, degrees)
    places = [to_degrees.transform(*frame.coordinates(step / 8, 0.5)) for step in range(9)]
    length = float(ellipsoid.line_length([p[0] for p in places], [p[1] for p in places]))
    return length if math.isfinite(length) else None


def _north(frame: _Frame) -> float | None:
    """The direction of true north in the middle of the page's map, degrees clockwise from up."""
    crs = str(frame.picture.crs)
    if (degrees := geo.degrees_on(crs)) is None:
        return None
    to_degrees = geo.transformer_between(crs, degrees)
    longitude, latitude = to_degrees.transform(*frame.coordinates(0.5, 0.5))
    if not (math.isfinite(longitude) and abs(latitude) < 89):
        return None
    back = geo.transformer_between(degrees, crs)
    step = 1e-4
    x0, y0 = frame.place(*back.transform(longitude, latitude - step))
    x1, y1 = frame.place(*back.transform(longitude, latitude + step))
    return math.degrees(math.atan2(x1 - x0, y0 - y1))


def _nice_length(most: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not longer."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(power * step for step in (1, 2, 5) if power * step <= most * 1.000001)


def _colour_bar(picture: Picture, unit: str | None, y: float) -> tuple[str, float]:
    """The ramp with its numbers; arrows at its ends where values go beyond."""
    x, width = 62.0, WIDTH - 62.0 - 62.0
    low, high = picture.limits
    stops = picture.stops[:: max(1, len(picture.stops) // 24)]
    name = f"ramp-{zlib.crc32(picture.png.encode('ascii')):x}"  # the same picture has the same ramp
    gradient = "".join(
        f'<stop offset="{index / (len(stops) - 1):.3f}" stop-color="rgb{stop}"/>' for index, stop in enumerate(stops)
    )
    parts = [
        f'<defs><linearGradient id="{name}">{gradient}</linearGradient></defs>',
        f'<rect class="fig-bar" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_BAR:.0f}" fill="url(#{name})"/>',
    ]
    slack = 1e-6 * (high - low)
    if picture.extremes[0] < low - slack:
        parts.append(_beyond(x, y, -8, picture.stops[0], f"down to {number(picture.extremes[0])}"))
    if picture.extremes[1] > high + slack:
        parts.append(_beyond(x + width, y, 8, picture.stops[-1], f"up to {number(picture.extremes[1])}"))
    ticks = nice_ticks(low, high, 5)
    for value, label in zip(ticks, tick_labels(ticks), strict=True):
        at = x + (value - low) / (high - low) * width
        parts.append(f'<path class="fig-tick" d="M{at:.1f} {y + _BAR:.1f}v4"/>')
        parts.append(
            f'<text class="fig-small" text-anchor="middle" x="{at:.1f}" y="{y + _BAR + 15:.1f}">{label}</text>'
        )
    sign = unit_sign(unit)
    if sign:
        parts.append(f'<text class="fig-small" x="{x + width + 12:.1f}" y="{y + 10:.1f}">{escape(sign)}</text>')
    return "".join(parts), y + _BAR + 20


def _beyond(x: float, y: float, reach: float, colour: Sequence[int], says: str) -> str:
    path = f"M{x:.1f} {y:.1f}l{reach} {_BAR / 2}l{-reach} {_BAR / 2}Z"
    return f'<path class="fig-bar" d="{path}" fill="rgb{tuple(colour)}"><title>{escape(says)}</title></path>'


def _class_key(picture: Picture, placed: bool, y: float) -> tuple[str, float]:
    """A swatch for each class with its name, area (in a CRS in metres) and share; short ones in two columns."""
    mask = {one.value for one in picture.classes} <= {0, 1}
    classes = picture.classes[::-1] if mask else picture.classes  # what is so is named before what is not
    said = [f"{middle(one.name, _LONGEST_NAME)} · {_amount(one, picture, placed)}" for one in classes]
    columns = 1 if any(len(text) > _LONG_NAME for text in said) else 2
    parts, half = [], (WIDTH - 62.0) / 2
    for index, (one, text) in enumerate(zip(classes, said, strict=True)):
        x, line = 62.0 + half * (index % columns), y + 18 * (index // columns)
        parts.append(
            f'<rect class="fig-bar" x="{x:.1f}" y="{line:.1f}" width="13" height="11" fill="rgb{one.colour}"/>'
            f'<text class="fig-small" x="{x + 19:.1f}" y="{line + 9.5:.1f}">{escape(text)}</text>'
        )
    return "".join(parts), y + 18 * math.ceil(len(said) / columns) + 4


def _amount(one: Class, picture: Picture, placed: bool) -> str:
    share = f"{number(one.share * 100, 3)} %"
    if not placed or picture.crs is None or picture.transform is None:
        return share
    axis = geo.crs_of(picture.crs).axis_info[0]
    if axis.unit_name != "metre":
        return share
    a, b, _, d, e, _ = picture.transform
    pixels = one.share * picture.valid_fraction * picture.shape[0] * picture.shape[1]
    hectares = pixels * abs(a * e - b * d) / 1e4
    area = f"{number(hectares / 100, 3)} km²" if hectares >= 1e4 else f"{number(hectares, 3)} ha"
    return f"{area}, {share}"
