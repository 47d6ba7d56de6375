"""Histogram and time series as SVG elements that follow the page's colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeGuard
from xml.sax.saxutils import escape

from knowflow.ground.colours import TOLD_APART
from knowflow.roof.notation import middle, number, plain, unit_sign
from knowflow.roof.report.ticks import date_ticks, nice_ticks, tick_labels

WIDTH, HEIGHT = 420.0, 190.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 12.0, 10.0, 36.0
_ROW, _NUMBER, _LONGEST = 21.0, 64.0, 26  # height of a bar's row, width of its number, characters of its name
MOST_LINES = 8
_LINE = 16.0  # height of what stands below an axis
_LONG_LABEL = 64  # characters that stand below a histogram


def draw_histogram(edges: Sequence[float], counts: Sequence[float], unit: str | None, label: str) -> str:
    """Counts per class of value as shares of all; ``edges`` has one item more than ``counts``."""
    total = sum(counts) or 1.0
    shares = [count / total * 100 for count in counts]
    low, high, top = edges[0], edges[-1], max(shares, default=0.0) or 1.0
    plot_width, plot_height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
    bars = []
    for index, share in enumerate(shares):
        x0 = _LEFT + (edges[index] - low) / (high - low) * plot_width
        x1 = _LEFT + (edges[index + 1] - low) / (high - low) * plot_width
        tall = share / top * plot_height
        says = f"{number(edges[index])} to {number(edges[index + 1])}: {number(share, 3)} %"
        bars.append(
            f'<rect class="fig-column" x="{x0:.2f}" y="{_TOP + plot_height - tall:.2f}" '
            f'width="{max(x1 - x0 - 0.6, 0.4):.2f}" height="{tall:.2f}"><title>{escape(says)}</title></rect>'
        )
    ticks = nice_ticks(low, high, 5)
    places = [(_LEFT + (value - low) / (high - low) * plot_width) for value in ticks]
    sign = unit_sign(unit)
    below = f"{plain(label) if len(label) <= _LONG_LABEL else 'value'}{f', {sign}' if sign else ''}"
    return _chart(bars, places, tick_labels(ticks), (0.0, top), "% of pixels", below, f"Histogram of {plain(label)}")


def draw_series(
    times: Sequence[datetime],
    values: Sequence[float | None],
    unit: str | None,
    label: str,
    trend: tuple[float, float, float] | None = None,
    limits: Sequence[float] = (),
) -> str:
    """Values over time: a point for each date, a line between neighbours that both have a value, and a mark at the foot
    for each date that has none. ``trend`` is a slope per year with the ends of its interval, drawn about the means;
    ``limits`` are lines across."""
    pairs = [(time, value) for time, value in zip(times, values, strict=True) if value is not None]
    slopes = None if trend is None else _slopes([(time, value) for time, value in pairs if math.isfinite(value)], trend)
    plane = _plane(times, [*values, *limits, *(value for ends in slopes or () for _, value in ends)])
    body = [f'<path class="fig-limit" d="M{_LEFT:.1f} {plane.y(one):.1f}H{WIDTH - _RIGHT:.1f}"/>' for one in limits]
    if slopes is not None:
        own, *edges = ([f"{plane.x(time):.1f} {plane.y(value):.1f}" for time, value in ends] for ends in slopes)
        (a, b), (c, d) = edges
        # the lines of the interval cross in the means: two triangles between them
        body += [
            f'<path class="fig-band" d="M{a}L{b}L{d}L{c}Z"/>',
            f'<path class="fig-trend" d="M{own[0]}L{own[1]}"/>',
        ]
    body += _line(plane, times, values, unit)
    for time, value in zip(times, values, strict=True):
        if not _finite(value):
            mark = f"M{plane.x(time):.1f} {HEIGHT - _BOTTOM:.1f}v-7"
            body.append(f'<path class="fig-none" d="{mark}"><title>{time.date().isoformat()}: no value</title></path>')
    return _over_time(plane, body, unit, label)


def draw_lines(
    named: Mapping[str, tuple[Sequence[datetime], Sequence[float | None]]], unit: str | None, label: str
) -> str:
    """Values over time of several, by name: a line in a colour of its own for each, as many as there are colours to
    tell apart (``MOST_LINES``), with a key below."""
    plane = _plane(
        [time for times, _ in named.values() for time in times],
        [value for _, values in named.values() for value in values],
    )
    body: list[str] = []
    left, line = _LEFT, 0
    for (name, (times, values)), colour in zip(named.items(), TOLD_APART, strict=False):
        body += _line(plane, times, values, unit, f"{plain(name)}, ", f' style="stroke:rgb{colour}"')
        said = middle(name, _LONGEST)
        wide = 24.0 + 6.2 * len(said)
        if left > _LEFT and left + wide > WIDTH - _RIGHT:
            left, line = _LEFT, line + 1
        y = HEIGHT - _LINE + 14 + _LINE * line
        body.append(f'<rect x="{left:.1f}" y="{y - 8:.1f}" width="10" height="8" style="fill:rgb{colour}"/>')
        body.append(_text(left + 14, y, escape(said)))
        left += wide
    return _over_time(plane, body, unit, label, _LINE * (line + 1))


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where dates and values lie on the page."""

    first: datetime
    last: datetime
    low: float
    high: float

    def x(self, time: datetime) -> float:
        return _LEFT + (time - self.first) / (self.last - self.first) * (WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return _TOP + (self.high - value) / (self.high - self.low) * (HEIGHT - _TOP - _BOTTOM)


def _finite(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _plane(times: Sequence[datetime], values: Sequence[float | None]) -> _Plane:
    known = [value for value in values if _finite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    slack = (high - low) * 0.06 or abs(high) * 0.05 or 0.5
    first, last = min(times), max(times)
    margin = (last - first) * 0.02 or timedelta(days=1)
    return _Plane(first - margin, last + margin, low - slack, high + slack)


def _line(
    plane: _Plane,
    times: Sequence[datetime],
    values: Sequence[float | None],
    unit: str | None,
    of: str = "",
    style: str = "",
) -> list[str]:
    """A point for each date with a value, and a line between neighbours."""
    marks, joined, pen = [], [], "M"
    for time, value in sorted(zip(times, values, strict=True), key=lambda pair: pair[0]):
        if not _finite(value):
            pen = "M"
            continue
        x, y = plane.x(time), plane.y(value)
        joined.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
        says = f"{of}{time.date().isoformat()}: {number(value)} {unit_sign(unit)}".strip()
        circle = f'<circle class="fig-point" cx="{x:.1f}" cy="{y:.1f}" r="2.6"{style}>'
        marks.append(f"{circle}<title>{escape(says)}</title></circle>")
    return [f'<path class="fig-line" d="{"".join(joined)}"{style}/>', *marks]


def _over_time(plane: _Plane, body: Sequence[str], unit: str | None, label: str, more: float = 0.0) -> str:
    dates, sign = date_ticks(plane.first, plane.last, 6), unit_sign(unit)
    name = f"{plain(label)}{f', {sign}' if sign else ''}"
    places, labels = [plane.x(time) for time, _ in dates], [text for _, text in dates]
    return _chart(body, places, labels, (plane.low, plane.high), name, "", f"{plain(label)} over time", more)


def _slopes(
    pairs: Sequence[tuple[datetime, float]], slopes: Sequence[float]
) -> list[tuple[tuple[datetime, float], tuple[datetime, float]]]:
    """Where the line of each slope per year begins and ends; all pass through the means of dates and values."""
    first, last = pairs[0][0], pairs[-1][0]
    since = [(time - first) / timedelta(days=365.25) for time, _ in pairs]
    middle, mean = math.fsum(since) / len(pairs), math.fsum(value for _, value in pairs) / len(pairs)
    end = (last - first) / timedelta(days=365.25)
    return [((first, mean - slope * middle), (last, mean + slope * (end - middle))) for slope in slopes]


def draw_bars(names: Sequence[str], values: Sequence[float | None], unit: str | None, label: str) -> str:
    """A bar for each name, from zero, with its number beside it; none where there is no value."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(0.0, *known), max(0.0, *known)
    high = high if high > low else low + 1.0
    shown = [middle(name, _LONGEST) for name in names]
    left = 14.0 + 6.2 * max(map(len, shown))
    room = WIDTH - left - _NUMBER - (_NUMBER if low < 0 else 0.0)
    zero = left + (_NUMBER if low < 0 else 0.0) + -low / (high - low) * room
    parts = []
    for index, (name, value) in enumerate(zip(shown, values, strict=True)):
        y = 6.0 + _ROW * index
        parts.append(_text(left - 8, y + 11, escape(name), "end"))
        if value is None or not math.isfinite(value):
            parts.append(_text(zero + 6, y + 11, "no value"))
            continue
        wide = value / (high - low) * room
        beside, anchor = (zero + wide + 6, "start") if value >= 0 else (zero + wide - 6, "end")
        box = f'x="{min(zero, zero + wide):.1f}" y="{y:.1f}" width="{abs(wide):.1f}" height="15"'
        parts += [f'<rect class="fig-column" {box}/>', _text(beside, y + 11, number(value), anchor)]
    height = 6.0 + _ROW * len(shown) + (18.0 if unit_sign(unit) else 0.0)
    parts.append(f'<path class="fig-axis" d="M{zero:.1f} 2V{2 + _ROW * len(shown):.1f}"/>')
    if sign := unit_sign(unit):
        parts.append(_text(zero, height - 4, escape(sign)))
    return _svg(parts, height, f"{plain(label)} by name")


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text class="fig-small" text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{text}</text>'


def _svg(parts: Sequence[str], height: float, title: str) -> str:
    name = escape(title, {'"': "&quot;"})
    head = f'<svg class="fig" role="img" viewBox="0 0 {WIDTH:.0f} {height:.0f}" aria-label="{name}">'
    return head + "".join(parts) + "</svg>"


def _chart(
    body: Sequence[str],
    places: Sequence[float],
    labels: Sequence[str],
    vertical: tuple[float, float],
    beside: str,
    below: str,
    title: str,
    more: float = 0.0,
) -> str:
    """Axes around a body that is drawn already; ``more`` is the height of what stands below them."""
    low, high = vertical
    bottom, plot_height = HEIGHT - _BOTTOM, HEIGHT - _TOP - _BOTTOM
    parts = []
    rungs = nice_ticks(low, high, 4)
    for value, label in zip(rungs, tick_labels(rungs), strict=True):
        y = _TOP + (high - value) / (high - low) * plot_height
        parts.append(f'<path class="fig-rule" d="M{_LEFT:.1f} {y:.1f}H{WIDTH - _RIGHT:.1f}"/>')
        parts.append(_text(_LEFT - 6, y + 3.5, label, "end"))
    parts.extend(body)
    parts.append(f'<path class="fig-axis" d="M{_LEFT:.1f} {bottom:.1f}H{WIDTH - _RIGHT:.1f}"/>')
    for place, label in zip(places, labels, strict=True):
        parts.append(f'<path class="fig-tick" d="M{place:.1f} {bottom:.1f}v4"/>')
        parts.append(_text(place, bottom + 15, escape(label), "middle"))
    middle = _TOP + plot_height / 2
    parts.append(
        f'<text class="fig-small" text-anchor="middle" transform="translate(11 {middle:.1f}) rotate(-90)">'
        f"{escape(beside)}</text>"
    )
    if below:
        parts.append(_text(_LEFT + (WIDTH - _LEFT - _RIGHT) / 2, HEIGHT - 4, escape(below), "middle"))
    return _svg(parts, (HEIGHT if below else HEIGHT - _LINE) + more, title)
