"""Histogram and time series as SVG elements that follow the page's colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from xml.sax.saxutils import escape

from knowflow.roof.notation import number, plain, unit_sign
from knowflow.roof.report.ticks import date_ticks, nice_ticks, tick_labels

WIDTH, HEIGHT = 420.0, 190.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 12.0, 10.0, 36.0


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
    below = f"{plain(label)}{f', {sign}' if sign else ''}"
    return _chart(bars, places, tick_labels(ticks), (0.0, top), "% of pixels", below, f"Histogram of {plain(label)}")


def draw_series(times: Sequence[datetime], values: Sequence[float | None], unit: str | None, label: str) -> str:
    """Values over time: a point for each date, a line between neighbours that both have a value, and a mark at the foot
    for each date that has none."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    slack = (high - low) * 0.06 or abs(high) * 0.05 or 0.5
    low, high = low - slack, high + slack
    first, last = min(times), max(times)
    margin = (last - first) * 0.02 or timedelta(days=1)
    first, last = first - margin, last + margin
    plot_width, plot_height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def across(time: datetime) -> float:
        return _LEFT + (time - first) / (last - first) * plot_width

    marks, line, pen = [], [], "M"
    for time, value in sorted(zip(times, values, strict=True), key=lambda pair: pair[0]):
        if value is None or not math.isfinite(value):
            pen = "M"
            mark = f"M{across(time):.1f} {HEIGHT - _BOTTOM:.1f}v-7"
            marks.append(f'<path class="fig-none" d="{mark}"><title>{time.date().isoformat()}: no value</title></path>')
            continue
        x, y = across(time), _TOP + (high - value) / (high - low) * plot_height
        line.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
        says = f"{time.date().isoformat()}: {number(value)} {unit_sign(unit)}".strip()
        marks.append(
            f'<circle class="fig-point" cx="{x:.1f}" cy="{y:.1f}" r="2.6"><title>{escape(says)}</title></circle>'
        )
    dates = date_ticks(first, last, 6)
    sign = unit_sign(unit)
    body = [f'<path class="fig-line" d="{"".join(line)}"/>', *marks]
    name = f"{plain(label)}{f', {sign}' if sign else ''}"
    places = [across(time) for time, _ in dates]
    return _chart(body, places, [text for _, text in dates], (low, high), name, "", f"{plain(label)} over time")


def _chart(
    body: Sequence[str],
    places: Sequence[float],
    labels: Sequence[str],
    vertical: tuple[float, float],
    beside: str,
    below: str,
    title: str,
) -> str:
    """Axes around a body that is drawn already."""
    low, high = vertical
    bottom, plot_height = HEIGHT - _BOTTOM, HEIGHT - _TOP - _BOTTOM
    parts = []
    rungs = nice_ticks(low, high, 4)
    for value, label in zip(rungs, tick_labels(rungs), strict=True):
        y = _TOP + (high - value) / (high - low) * plot_height
        parts.append(f'<path class="fig-rule" d="M{_LEFT:.1f} {y:.1f}H{WIDTH - _RIGHT:.1f}"/>')
        parts.append(f'<text class="fig-small" text-anchor="end" x="{_LEFT - 6:.1f}" y="{y + 3.5:.1f}">{label}</text>')
    parts.extend(body)
    parts.append(f'<path class="fig-axis" d="M{_LEFT:.1f} {bottom:.1f}H{WIDTH - _RIGHT:.1f}"/>')
    for place, label in zip(places, labels, strict=True):
        parts.append(f'<path class="fig-tick" d="M{place:.1f} {bottom:.1f}v4"/>')
        parts.append(
            f'<text class="fig-small" text-anchor="middle" x="{place:.1f}" y="{bottom + 15:.1f}">{escape(label)}</text>'
        )
    middle = _TOP + plot_height / 2
    parts.append(
        f'<text class="fig-small" text-anchor="middle" transform="translate(11 {middle:.1f}) rotate(-90)">'
        f"{escape(beside)}</text>"
    )
    if below:
        x = _LEFT + (WIDTH - _LEFT - _RIGHT) / 2
        parts.append(
            f'<text class="fig-small" text-anchor="middle" x="{x:.1f}" y="{HEIGHT - 4:.1f}">{escape(below)}</text>'
        )
    name = escape(title, {'"': "&quot;"})
    return (
        f'<svg class="fig" role="img" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" aria-label="{name}">'
        + "".join(parts)
        + "</svg>"
    )
